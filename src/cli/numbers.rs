//! Numbers on the command line, and what to give in place of words that are none.

use crate::limits;

/// Metres: a number, with a unit or without.
///
/// # Errors
/// What to give instead.
pub(super) fn length(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 3] = [("mm", 1e3), ("cm", 1e2), ("m", 1.0)];
    let text = text.trim();
    let unit = UNITS.into_iter().find_map(|(unit, of_metre)| Some((text.strip_suffix(unit)?, of_metre)));
    let (number, of_metre) = unit.unwrap_or((text, 1.0));
    // A quotient, so that 2mm is the number that 0.002 is.
    let metres = number.trim_end().parse::<f64>().map(|number| number / of_metre);
    metres.map_err(|_| "give metres, or a number with its unit (m, cm, mm), such as 2mm".into())
}

/// Frames or samples a second.
///
/// # Errors
/// What to give instead.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    number(text, "a number of frames a second, such as 24")
}

/// A time.
///
/// # Errors
/// What to give instead.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    number(text, "seconds as a number, such as 1.5")
}

/// The number of a frame, or a place between two.
///
/// # Errors
/// What to give instead.
pub(super) fn frame(text: &str) -> Result<f64, String> {
    number(text, "the number of a frame, such as 12")
}

/// A number of threads, 0 for one per processor.
///
/// # Errors
/// What to give instead.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    let most = limits::MAX_THREADS;
    let count = text.trim().parse().ok().filter(|&count: &usize| count <= most);
    count.ok_or_else(|| format!("give a number of threads from 0, one per processor, to {most}"))
}

fn number(text: &str, wanted: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("give {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units_or_are_metres() {
        let lengths = ["0.002", "2mm", "2 mm", "0.2cm", "0.002m", "2e-3", " 2mm "].map(length);
        assert_eq!(lengths, [const { Ok(0.002) }; 7]);
        assert_eq!(length("-1mm"), Ok(-0.001));
        for wrong in ["", "mm", "2km", "2 inches", "2mmm", "two"] {
            assert!(length(wrong).is_err_and(|remedy| remedy.contains("such as 2mm")), "{wrong}");
        }
    }

    #[test]
    fn threads_are_few() {
        assert_eq!(["0", "8", "1024"].map(threads), [Ok(0), Ok(8), Ok(1024)]);
        for wrong in ["1025", "100000", "-1", "2.5", "all", "99999999999999999999"] {
            assert!(threads(wrong).is_err_and(|remedy| remedy.contains("to 1024")), "{wrong}");
        }
    }

    #[test]
    fn words_that_are_no_numbers_name_what_is_wanted() {
        assert_eq!((rate("24"), seconds("-1.5"), frame("7")), (Ok(24.0), Ok(-1.5), Ok(7.0)));
        let remedies = [rate("abc"), seconds("1,5"), frame("10-40")].map(Result::unwrap_err);
        assert!(remedies.iter().all(|remedy| remedy.starts_with("give ") && remedy.contains("such as")));
    }
}
