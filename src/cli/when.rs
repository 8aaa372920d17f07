//! `--span` and `--frames`: which part of a scene's time is meant; and times as people read them.

use std::str::FromStr;

use super::Failure;
use crate::check::CheckError;
use crate::incident::frames_within;

/// A stretch of time, as the command line has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpanArgument(pub(super) [f64; 2]);

impl FromStr for SpanArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || format!("'{text}' is not two times in seconds; give them as 0.5..2");
        let (begin, end) = text.split_once("..").ok_or_else(wanted)?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|time| time.is_finite());
        let span = number(begin).zip(number(end)).ok_or_else(wanted)?;
        if span.0 > span.1 {
            return Err(format!("{} s comes after {} s; give the earlier time first", span.0, span.1));
        }
        Ok(Self([span.0, span.1]))
    }
}

/// Frames, as the command line has them: `10-40`, `10..40` or `10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FramesArgument([i32; 2]);

impl FromStr for FramesArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || format!("'{text}' is not two frames; give them as 10-40, counted from 0 at 0 s");
        // The first character may be a sign.
        let dash =
            || text.char_indices().skip(1).find(|&(_, c)| c == '-').map(|(at, _)| (&text[..at], &text[at + 1..]));
        let (first, last) = text.split_once("..").or_else(dash).unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<i32>().ok();
        let frames = number(first).zip(number(last)).ok_or_else(wanted)?;
        if frames.0 > frames.1 {
            return Err(format!("frame {} comes after frame {}; give the earlier frame first", frames.0, frames.1));
        }
        Ok(Self([frames.0, frames.1]))
    }
}

impl FramesArgument {
    /// The same in seconds. Frame k is at k / fps, which is what key times are.
    pub(super) fn seconds(self, fps: Option<f64>) -> Result<[f64; 2], Failure> {
        let fps = fps.filter(|fps| *fps > 0.0).ok_or_else(|| {
            let message =
                "--frames: nothing says how many frames a second there are; add --fps 24, or `fps` to the scene";
            Failure::Input(message.into())
        })?;
        Ok(self.0.map(|frame| f64::from(frame) / fps))
    }
}

/// The span of some frames of a scene with a span and samples at its frames: the first frame
/// reaches back to the scene's begin, and the last one on to its end. So parts by frames cover the
/// scene.
pub(super) fn reaching([first, last]: [f64; 2], [begin, end]: [f64; 2], samples: &[f64], fps: f64) -> [f64; 2] {
    // The frame that is meant is nearer than any other.
    let is = |time: f64, sample: Option<&f64>| sample.is_some_and(|sample| (time - sample).abs() < 0.5 / fps);
    let first = if is(first, samples.first()) { begin } else { first };
    [first, if is(last, samples.last()) { end } else { last }]
}

/// The refusal of a time outside the scene as that of a frame, where frames are known.
pub(super) fn no_frame(error: &CheckError, fps: Option<f64>, option: &str) -> Option<Failure> {
    let (fps, (time, ends)) = (fps?, outside(error)?);
    let [first, last] = frames_within(ends, [false; 2], fps)?;
    let frame = digits(time * fps);
    Some(Failure::Input(format!("{option}: there is no frame {frame}; give frames from {first} to {last}")))
}

/// The time that a scene does not have, and those that it has, seconds.
fn outside(error: &CheckError) -> Option<(f64, [f64; 2])> {
    match *error {
        CheckError::OutsideSpan { time, span } => Some((time, span)),
        CheckError::OutsideKeys { time, keys, .. } => Some((time, keys)),
        _ => None,
    }
}

/// A number with at most six significant digits.
pub(super) fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { value.to_string() };
    }
    let exponent = format!("{value:.5e}").split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if !(-5..=11).contains(&exponent) {
        return format!("{value:.5e}");
    }
    let decimals = usize::try_from(5 - exponent).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A time in seconds, and the frame it lies at where frames are known.
pub(super) fn time_and_frame(time: f64, fps: Option<f64>) -> String {
    let seconds = format!("{} s", digits(time));
    match fps {
        Some(fps) => format!("{seconds} (frame {})", digits((time * fps * 10.0).round() / 10.0)),
        None => seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_at_most() {
        let cases = [
            (0.0, "0"),
            (2.0 / 3.0, "0.666667"),
            (1e-5, "0.00001"),
            (1.0 / 3.0 * 1e-7, "3.33333e-8"),
            (12.345_678_9, "12.3457"),
            (-3.875, "-3.875"),
            (123_456.78, "123457"),
            (1_234_567.0, "1234567"),
            (999_999.7, "1000000"),
            (1e300, "1.00000e300"),
        ];
        for (value, expected) in cases {
            assert_eq!(digits(value), expected);
        }
        assert_eq!(time_and_frame(0.897_563_3, Some(24.0)), "0.897563 s (frame 21.5)");
        assert_eq!(time_and_frame(1.0, None), "1 s");
    }

    #[test]
    fn spans_and_frames_are_read_or_refused() {
        assert_eq!("0.5..2".parse(), Ok(SpanArgument([0.5, 2.0])));
        assert_eq!("-1..-0.5".parse(), Ok(SpanArgument([-1.0, -0.5])));
        for wrong in ["2", "1..", "..1", "2..1", "a..b", "0..nan", "0..inf"] {
            assert!(wrong.parse::<SpanArgument>().is_err(), "{wrong}");
        }
        for text in ["10-40", "10..40", " 10 - 40"] {
            assert_eq!(text.parse(), Ok(FramesArgument([10, 40])), "{text}");
        }
        assert_eq!("-5--2".parse(), Ok(FramesArgument([-5, -2])));
        assert_eq!("-5-2".parse(), Ok(FramesArgument([-5, 2])));
        assert_eq!("7".parse(), Ok(FramesArgument([7, 7])));
        for wrong in ["", "-", "a-b", "40-10", "1.5-2", "10-"] {
            assert!(wrong.parse::<FramesArgument>().is_err(), "{wrong}");
        }
        assert_eq!(FramesArgument([10, 40]).seconds(Some(24.0)), Ok([10.0 / 24.0, 40.0 / 24.0]));
        assert!(FramesArgument([10, 40]).seconds(None).is_err());
        let frames = |first: i32, last: i32| [first, last].map(|frame| f64::from(frame) / 24.0);
        let reaching = |part: [f64; 2], scene: [f64; 2], of: [i32; 2]| {
            let samples: Vec<f64> = (of[0]..=of[1]).map(|frame| f64::from(frame) / 24.0).collect();
            super::reaching(part, scene, &samples, 24.0)
        };
        assert_eq!(reaching(frames(0, 19), [0.0, 0.8], [0, 19]), [0.0, 0.8]);
        assert_eq!(reaching(frames(0, 18), [0.0, 0.8], [0, 19]), frames(0, 18));
        assert_eq!(reaching(frames(1, 19), [0.03, 19.0 / 24.0], [1, 19]), [0.03, 19.0 / 24.0]);
        assert_eq!(reaching(frames(2, 18), frames(1, 19), [1, 19]), frames(2, 18));
        let less = frames(1, 19).map(f64::next_down);
        assert_eq!(reaching(frames(1, 19), less, [1, 19]), less);
    }
}
