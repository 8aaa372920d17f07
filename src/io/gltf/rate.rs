//! The frame rate of a clip, and the times of its frames.
//!
//! The format states no rate. Exporters write keys at frames, so the keys show it: the lowest of
//! the usual rates at whose frames all keys of the clip lie. A clip of which that is true for none,
//! or that has no keys, has [`limits::GLTF_FPS`].

use super::model::Clip;
use crate::limits;

/// Frames a second that cameras, films and captures have.
const USUAL: [f64; 10] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0];

/// How far a key may be from the frame it belongs to, seconds, besides the rounding of its time.
const NEAR: f64 = 1e-5;

/// Whether a time of a file, which is a 32-bit number of seconds, is that of a frame.
fn is_same(key: f64, frame: f64) -> bool {
    (key - frame).abs() <= NEAR + frame.abs() * f64::from(f32::EPSILON)
}

/// The frame at or near a time, seconds; the time itself where there is none.
fn nearest_frame(time: f64, fps: f64) -> f64 {
    let frame = (time * fps).round() / fps;
    if is_same(time, frame) { frame } else { time }
}

/// The first and last key of a clip, seconds, and the frames that they belong to: without these a
/// clip could lose its last frame, as times of a file are 32-bit numbers.
pub(in crate::io) fn frames_around([first, last]: [f64; 2], fps: f64) -> [f64; 2] {
    if first < last {
        [nearest_frame(first, fps).min(first), nearest_frame(last, fps).max(last)]
    } else {
        [first, last]
    }
}

impl Clip {
    /// Frames a second of the clip, by its keys: the lowest usual rate at whose frames all keys
    /// lie, up to the rounding of their times. `None` where there is no such rate and no key.
    pub fn frame_rate(&self) -> Option<f64> {
        let mut keys = self.channels.iter().flat_map(|channel| &channel.times).peekable();
        keys.peek()?;
        let fits = |fps: &f64| keys.clone().all(|&key| is_same(key, (key * fps).round() / fps));
        USUAL.into_iter().find(fits)
    }
}

/// The times to sample a clip at that is played `offset` seconds late, seconds, increasing: the
/// frames inside `span`, each moved to the key it belongs to if it has one. `None` for more than
/// [`limits::MAX_PIECES`].
pub(super) fn frame_times(clip: &Clip, span: [f64; 2], fps: f64, offset: f64) -> Option<Vec<f64>> {
    let [begin, end] = span;
    let (first, last) = ((begin * fps).ceil(), (end * fps).floor());
    if !(last - first < limits::MAX_PIECES as f64) {
        return None;
    }
    let mut keys: Vec<f64> =
        clip.channels.iter().flat_map(|channel| channel.times.iter().map(|key| key + offset)).collect();
    keys.sort_unstable_by(f64::total_cmp);
    let frame = |step: usize| {
        let frame = (first + step as f64) / fps;
        let after = keys.partition_point(|&key| key < frame);
        let near = keys[after.saturating_sub(1)..].iter().take(2).copied().find(|&key| is_same(key, frame));
        near.unwrap_or(frame)
    };
    Some((0..=(last - first).max(0.0) as usize).map(frame).collect())
}

#[cfg(test)]
mod tests {
    use super::super::model::Channel;
    use super::*;

    fn clip(times: &[f64]) -> Clip {
        let times: Vec<f64> = times.iter().map(|&time| f64::from(time as f32)).collect();
        let places = vec![[0.0; 3]; times.len()];
        let span = [times[0], times[times.len() - 1]];
        Clip { name: "a".into(), channels: vec![Channel::translation(0, times, &places)], span }
    }

    #[test]
    fn keys_show_the_rate() {
        let at = |fps: f64| clip(&(0..200).map(|frame| f64::from(frame) / fps).collect::<Vec<_>>()).frame_rate();
        for fps in [24.0, 25.0, 30.0, 60.0, 120.0] {
            assert_eq!(at(fps), Some(fps));
        }
        assert_eq!(at(29.97), None);
        assert_eq!(clip(&[0.0, 1.0]).frame_rate(), Some(24.0));
        assert_eq!(Clip::default().frame_rate(), None);
    }

    #[test]
    fn frames_take_the_times_of_their_keys() {
        let clip = clip(&[1.0 / 24.0, 2.0 / 24.0, 0.11, 4.0 / 24.0]);
        let times = frame_times(&clip, clip.span, 24.0, 0.0).unwrap();
        assert_eq!(times.len(), 3);
        assert_eq!(times[0], f64::from((2.0f64 / 24.0) as f32));
        assert_eq!((times[1], times[2]), (3.0 / 24.0, f64::from((4.0f64 / 24.0) as f32)));
        assert_eq!(frame_times(&clip, [0.0, 1.0], 1e12, 0.0), None);
        let later = frame_times(&clip, clip.span.map(|time| time + 0.5), 24.0, 0.5).unwrap();
        assert_eq!((later.len(), later[1], later[2]), (3, 15.0 / 24.0, 0.5 + f64::from((4.0f64 / 24.0) as f32)));
        assert_eq!(nearest_frame(f64::from((2.0f64 / 24.0) as f32), 24.0), 2.0 / 24.0);
        assert_eq!(nearest_frame(0.11, 24.0), 0.11);
    }
}
