//! Frames of a stretch of time.

/// First and last frame within a stretch of time, where frame k is at k / `fps` seconds, rounded to
/// the nearest `f64`.
///
/// `span` is begin and end in seconds; `is_open` tells which of them is not part of it. Returns
/// `None` where the stretch lies between two frames, and where a time or `fps` is not finite, `fps`
/// is not above 0, or a frame number exceeds 2⁵³. Constant time.
///
/// ```
/// use kinetree::incident::frames_within;
///
/// assert_eq!(frames_within([0.5, 1.0], [false, false], 24.0), Some([12, 24]));
/// assert_eq!(frames_within([0.5, 1.0], [true, true], 24.0), Some([13, 23]));
/// assert_eq!(frames_within([0.51, 0.52], [false, false], 24.0), None);
/// ```
pub fn frames_within(span: [f64; 2], is_open: [bool; 2], fps: f64) -> Option<[i64; 2]> {
    const MOST: f64 = (1u64 << 53) as f64;
    if !(fps > 0.0 && fps.is_finite() && span.iter().all(|time| (time * fps).abs() < MOST)) {
        return None;
    }
    let time_of = |frame: f64| frame / fps;
    let [begin, end] = span;
    // A product is off by less than one frame, so that the search starts one frame early.
    let mut first = (begin * fps).floor() - 1.0;
    while time_of(first) < begin || (is_open[0] && time_of(first) == begin) {
        first += 1.0;
    }
    let mut last = (end * fps).ceil() + 1.0;
    while time_of(last) > end || (is_open[1] && time_of(last) == end) {
        last -= 1.0;
    }
    (first <= last).then_some([first as i64, last as i64])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_at_an_end_belongs_to_a_closed_stretch() {
        for fps in [23.976, 24.0, 29.97, 30.0, 60.0, 0.3] {
            for frame in -50..200i64 {
                let time = frame as f64 / fps;
                assert_eq!(frames_within([time, time], [false; 2], fps), Some([frame; 2]));
                assert_eq!(frames_within([time, time], [true, false], fps), None);
                assert_eq!(frames_within([time.next_up(), time + 0.5 / fps], [false; 2], fps), None);
                let next = (frame + 1) as f64 / fps;
                assert_eq!(frames_within([time, next], [true, false], fps), Some([frame + 1; 2]));
            }
        }
    }

    #[test]
    fn numbers_that_are_no_rates_have_no_frames() {
        for fps in [0.0, -24.0, f64::NAN, f64::INFINITY] {
            assert_eq!(frames_within([0.0, 1.0], [false; 2], fps), None);
        }
        assert_eq!(frames_within([0.0, f64::INFINITY], [false; 2], 24.0), None);
        assert_eq!(frames_within([1e300, 1e300], [false; 2], 1e10), None);
    }
}
