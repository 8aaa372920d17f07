//! When the interpolated boxes of two leaves are not apart.

use crate::interval::layout::LANES;
use crate::math::f32_at_most;

/// Relative error of a window's end before it is rounded outward to `f32`, generously: 2⁻⁴⁰.
const WINDOW_ERROR: f64 = 1.0 / (1_u64 << 40) as f64;

/// Two leaves, and the window in which their boxes are not apart, in the interval's parameter: 0 at
/// its begin, 1 at its end. Closed, rounded outward.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct LeafPair {
    /// The leaf of the first body: a node number.
    pub a: u32,
    /// The leaf of the second body.
    pub b: u32,
    /// When the window begins.
    pub enter: f32,
    /// When it ends.
    pub leave: f32,
}

impl LeafPair {
    /// Whether the window holds this parameter.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(in crate::interval) fn is_open(&self, s: f64) -> bool {
        f64::from(self.enter) <= s && s <= f64::from(self.leave)
    }
}

/// By how much two boxes are apart along three axes, on both sides: rounded, metres.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn gaps(a: &[f32; LANES], b: &[f32; LANES]) -> [f32; LANES] {
    let mut gaps = [0.0; LANES];
    for lane in 0..4 {
        gaps[lane] = a[lane] + b[lane + 4];
        gaps[lane + 4] = a[lane + 4] + b[lane];
    }
    gaps
}

/// Whether two boxes that move linearly are apart by more than a threshold throughout, along one
/// axis and on one side.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn apart(begin: &[f32; LANES], end: &[f32; LANES], threshold: f32) -> bool {
    let mut apart = false;
    for lane in 0..LANES {
        let least = if begin[lane] < end[lane] { begin[lane] } else { end[lane] };
        apart |= least > threshold;
    }
    apart
}

/// The window in which no gap exceeds the threshold; `None` if there is none. The gaps at the ends
/// are those of `sides`.
pub(super) fn window(
    (a0, b0): (&[f32; LANES], &[f32; LANES]),
    (a1, b1): (&[f32; LANES], &[f32; LANES]),
    threshold: f32,
) -> Option<(f32, f32)> {
    let threshold = f64::from(threshold);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for lane in 0..LANES {
        let other = (lane + 4) % LANES;
        // Differences of two `f32` numbers are off by one rounding.
        let (g0, g1) = (f64::from(a0[lane]) + f64::from(b0[other]), f64::from(a1[lane]) + f64::from(b1[other]));
        match (g0 > threshold, g1 > threshold) {
            (true, true) => return None,
            (true, false) => enter = enter.max(passage(g0, g1, threshold)),
            (false, true) => leave = leave.min(1.0 - passage(g1, g0, threshold)),
            (false, false) => {}
        }
    }
    let (enter, leave) = (f32_at_most(enter * (1.0 - WINDOW_ERROR)), -f32_at_most(-(leave + WINDOW_ERROR)));
    let (enter, leave) = (enter.max(0.0), leave.min(1.0));
    (enter <= leave).then_some((enter, leave))
}

/// For which part of the way at most a gap exceeds the threshold: a lower bound but for a relative
/// error of a few roundings.
fn passage(from: f64, to: f64, threshold: f64) -> f64 {
    let above = (from - threshold) - 4.0 * f64::EPSILON * (from.abs() + threshold);
    (above / (from - to)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(low: f32, high: f32) -> [f32; LANES] {
        [low, 0.0, 0.0, 0.0, -high, -1.0, -1.0, 0.0]
    }

    #[test]
    fn windows_hold_the_time_of_overlap() {
        let at = |x: f32| sides(x, x + 1.0);
        let still = sides(0.0, 1.0);
        // From 3 to -3: it touches from x = 1 to x = -1.
        let (enter, leave) = window((&at(3.0), &still), (&at(-3.0), &still), 0.0).unwrap();
        assert!(enter <= 1.0 / 3.0 && f64::from(enter) > 1.0 / 3.0 - 1e-6);
        assert!(f64::from(leave) >= 2.0 / 3.0 && f64::from(leave) < 2.0 / 3.0 + 1e-6);
        // Touching exactly at an end.
        assert_eq!(window((&at(1.0), &still), (&at(5.0), &still), 0.0).unwrap().0, 0.0);
        assert_eq!(window((&at(5.0), &still), (&at(1.0), &still), 0.0).unwrap().1, 1.0);
        assert!(window((&at(5.0), &still), (&at(1.000_001), &still), 0.0).is_none());
        // Apart on one side at the begin, on the other at the end.
        assert!(!apart(&gaps(&at(3.0), &still), &gaps(&at(-3.0), &still), 0.0));
        assert!(apart(&gaps(&at(3.0), &still), &gaps(&at(2.0), &still), 0.0));
    }

    /// Above the threshold by 2⁻⁵⁰ at the begin, down by 1 m at the end: from a 2⁻⁵⁰th on.
    #[test]
    fn windows_begin_no_later_than_boxes_barely_apart_meet() {
        let tiny = 2.0_f32.powi(-50);
        let still = sides(-1.0, -tiny);
        let (enter, leave) = window((&sides(1.0, 2.0), &still), (&sides(0.0, 1.0), &still), 1.0).unwrap();
        assert!(enter <= tiny && leave == 1.0, "{enter} {leave}");
        let (enter, leave) = window((&sides(0.0, 1.0), &still), (&sides(1.0, 2.0), &still), 1.0).unwrap();
        assert!(enter == 0.0 && leave == 1.0, "{enter} {leave}");
    }
}
