//! Thresholds from text.

use std::str::FromStr;

use super::{Condition, Quantity, Thresholds};

/// Reason why the text of thresholds was refused. Messages name the part of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// There is nothing between two commas, or nothing at all.
    #[error("condition {number} is empty; give one such as depth>2mm, frames>3, contacts or new")]
    Empty {
        /// Which condition, from 1.
        number: usize,
    },
    /// A condition neither compares nor is a known word.
    #[error("'{part}' is no condition; give contacts, new, or a comparison such as depth>2mm")]
    NoComparison {
        /// The condition.
        part: String,
    },
    /// A comparison by anything but `>` and `>=`.
    #[error("'{part}': only > and >= compare an incident with a limit")]
    Comparison {
        /// The condition.
        part: String,
    },
    /// A measure that incidents do not have.
    #[error("'{part}': '{measure}' is no measure; these are: {}", NAMES.map(|(name, _)| name).join(", "))]
    Measure {
        /// The condition.
        part: String,
        /// The measure.
        measure: String,
    },
    /// A limit that is no finite number of at least 0.
    #[error("'{part}': '{limit}' is no number of at least 0")]
    Limit {
        /// The condition.
        part: String,
        /// The limit.
        limit: String,
    },
    /// A limit without a unit, of a measure that has several.
    #[error("'{part}': the limit needs a unit: {units}")]
    NoUnit {
        /// The condition.
        part: String,
        /// Units of the measure.
        units: String,
    },
    /// A unit that the measure does not have.
    #[error("'{part}': '{unit}' is no unit of this measure; {}", if units.is_empty() { "leave it out".into() } else { format!("give {units}") })]
    Unit {
        /// The condition.
        part: String,
        /// The unit.
        unit: String,
        /// Units of the measure.
        units: String,
    },
}

/// Measures by name.
const NAMES: [(&str, Quantity); 8] = [
    ("depth", Quantity::Depth),
    ("length", Quantity::Length),
    ("area", Quantity::Area),
    ("time", Quantity::Time),
    ("frames", Quantity::Frames),
    ("pairs", Quantity::Pairs),
    ("new-pairs", Quantity::NewPairs),
    ("triangles", Quantity::Triangles),
];

/// Units of a measure, with how many of them make one unit of the library.
fn units(quantity: Quantity) -> &'static [(&'static str, f64)] {
    match quantity {
        Quantity::Depth | Quantity::Length => &[("m", 1.0), ("cm", 1e2), ("mm", 1e3)],
        Quantity::Area => &[("m2", 1.0), ("cm2", 1e4), ("mm2", 1e6)],
        Quantity::Time => &[("s", 1.0), ("ms", 1e3)],
        Quantity::Frames | Quantity::Pairs | Quantity::NewPairs | Quantity::Triangles => &[],
    }
}

impl FromStr for Thresholds {
    type Err = ThresholdError;

    /// Reads conditions separated by commas; spaces around parts do not matter.
    fn from_str(text: &str) -> Result<Self, ThresholdError> {
        let mut conditions = Vec::new();
        for (number, part) in text.split(',').map(str::trim).enumerate() {
            match part {
                "" => return Err(ThresholdError::Empty { number: number + 1 }),
                // Every incident has contacts.
                "contacts" => {}
                "new" => conditions.push(Condition::New),
                _ => conditions.push(comparison(part)?),
            }
        }
        Ok(Self { text: text.trim().to_owned(), conditions })
    }
}

/// Reads a comparison such as `depth>=2mm`.
fn comparison(part: &str) -> Result<Condition, ThresholdError> {
    let named = || part.to_owned();
    let Some(at) = part.find(['<', '>', '=', '!']) else {
        return Err(ThresholdError::NoComparison { part: named() });
    };
    let (name, rest) = (part[..at].trim_end(), &part[at..]);
    let (is_inclusive, rest) = match (rest.strip_prefix(">="), rest.strip_prefix('>')) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return Err(ThresholdError::Comparison { part: named() }),
    };
    let Some(&(_, quantity)) = NAMES.iter().find(|(known, _)| *known == name) else {
        return Err(ThresholdError::Measure { part: named(), measure: name.to_owned() });
    };
    let limit = limit(part, rest.trim(), quantity)?;
    Ok(Condition::Exceeds { quantity, limit, is_inclusive })
}

/// Reads a limit with its unit.
fn limit(part: &str, text: &str, quantity: Quantity) -> Result<f64, ThresholdError> {
    let units = units(quantity);
    let listed = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let (number, unit) = split_unit(text);
    // Names of numbers, such as `inf` and `nan`, are no numbers here.
    let value = number.parse::<f64>().ok().filter(|value| *value >= 0.0 && value.is_finite());
    let Some(value) = value else {
        return Err(ThresholdError::Limit { part: part.to_owned(), limit: text.to_owned() });
    };
    match (units.iter().find(|(name, _)| *name == unit), unit) {
        (Some((_, per_unit)), _) => Ok(value / per_unit),
        (None, "") if units.is_empty() => Ok(value),
        (None, "") => Err(ThresholdError::NoUnit { part: part.to_owned(), units: listed() }),
        (None, _) => Err(ThresholdError::Unit { part: part.to_owned(), unit: unit.to_owned(), units: listed() }),
    }
}

/// Separates a number from the unit after it: the longest start that is a number.
fn split_unit(text: &str) -> (&str, &str) {
    let is_number =
        |text: &str| text.ends_with(|c: char| c.is_ascii_digit() || c == '.') && text.parse::<f64>().is_ok();
    let mut ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let end = ends.find(|&end| is_number(&text[..end])).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<Condition>, String> {
        text.parse::<Thresholds>().map(|it| it.conditions).map_err(|error| error.to_string())
    }

    #[test]
    fn conditions_of_all_kinds() {
        let exceeds = |quantity, limit, is_inclusive| Condition::Exceeds { quantity, limit, is_inclusive };
        assert_eq!(
            parsed("depth>2mm,frames>3,new").unwrap(),
            [exceeds(Quantity::Depth, 0.002, false), exceeds(Quantity::Frames, 3.0, false), Condition::New]
        );
        assert_eq!(parsed("contacts").unwrap(), []);
        assert_eq!(parsed(" contacts , new ").unwrap(), [Condition::New]);
        let cases = [
            ("length>=1.5 cm", Quantity::Length, 0.015, true),
            ("area>3cm2", Quantity::Area, 3e-4, false),
            ("area > 1e2mm2", Quantity::Area, 1e-4, false),
            ("time>250ms", Quantity::Time, 0.25, false),
            ("time>.5s", Quantity::Time, 0.5, false),
            ("pairs>10", Quantity::Pairs, 10.0, false),
            ("triangles>=7", Quantity::Triangles, 7.0, true),
            ("depth>0m", Quantity::Depth, 0.0, false),
        ];
        for (text, measure, limit, is_inclusive) in cases {
            assert_eq!(parsed(text).unwrap(), [exceeds(measure, limit, is_inclusive)], "{text}");
        }
    }

    #[test]
    fn errors_name_the_part() {
        let cases = [
            ("", "condition 1 is empty; give one such as depth>2mm, frames>3, contacts or new"),
            ("new,,pairs>1", "condition 2 is empty; give one such as depth>2mm, frames>3, contacts or new"),
            ("deep", "'deep' is no condition; give contacts, new, or a comparison such as depth>2mm"),
            ("new,depth<2mm", "'depth<2mm': only > and >= compare an incident with a limit"),
            ("depth=2mm", "'depth=2mm': only > and >= compare an incident with a limit"),
            (
                "deep>2mm",
                "'deep>2mm': 'deep' is no measure; these are: depth, length, area, time, frames, pairs, new-pairs, triangles",
            ),
            ("depth>mm", "'depth>mm': 'mm' is no number of at least 0"),
            ("depth>-2mm", "'depth>-2mm': '-2mm' is no number of at least 0"),
            ("pairs>nan", "'pairs>nan': 'nan' is no number of at least 0"),
            ("time>infs", "'time>infs': 'infs' is no number of at least 0"),
            ("pairs>1e999", "'pairs>1e999': '1e999' is no number of at least 0"),
            ("depth>2", "'depth>2': the limit needs a unit: m, cm, mm"),
            ("depth>2 inches", "'depth>2 inches': 'inches' is no unit of this measure; give m, cm, mm"),
            ("frames>3mm", "'frames>3mm': 'mm' is no unit of this measure; leave it out"),
            ("depth>2é", "'depth>2é': 'é' is no unit of this measure; give m, cm, mm"),
        ];
        for (text, message) in cases {
            assert_eq!(parsed(text).unwrap_err(), message, "{text}");
        }
    }
}
