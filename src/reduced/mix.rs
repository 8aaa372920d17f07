//! Mixes: the clips that a body plays, with their times and weights.
//!
//! A layer's time line is cut at its clip's keys into *intervals* that map a stretch of the body's
//! time to a stretch of the clip's own. Every evaluation is inside an interval: a moment belongs to
//! the interval that ends at it for [`Side::At`], to the one that begins at it for [`Side::After`].
//! Rounding therefore never puts a time on the wrong side of a key.

use super::rig::{Motion, Rig};
use super::track::{Curve, Kind, Stretch};
use super::{Break, ReducedError, Track};
use crate::limits;
use crate::motion::Outside;
use crate::time::{Moment, Side, Span};

/// One clip of a mix.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layer {
    /// Number of the clip in the rig.
    pub clip: usize,
    /// Time of its first key, seconds.
    pub start: f64,
    /// Clip seconds per second, positive.
    pub rate: f64,
    /// The clip's motion outside its keys ([`Outside::Error`] counts as hold).
    pub outside: Outside,
    /// Its weight over time (one number per key); 1 if `None`.
    pub weight: Option<Track>,
}

impl Layer {
    /// Creates a layer that plays a clip once from `start` on, at its own speed.
    pub fn new(clip: usize, start: f64) -> Self {
        Self { clip, start, rate: 1.0, outside: Outside::Hold, weight: None }
    }
}

/// Clips blended with weights over time. Weights of all layers are at least 0 and sum to 1 at all
/// times.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mix {
    /// The clips; without any, the nodes stay in place.
    pub layers: Vec<Layer>,
    /// First and last time of the motion, seconds.
    pub span: Span,
    /// The motion outside the span.
    pub outside: Outside,
}

impl Mix {
    /// Creates a mix of one clip from its first key to its last, at its own times.
    ///
    /// # Errors
    /// A clip that does not exist.
    pub fn clip(rig: &Rig, clip: usize, outside: Outside) -> Result<Self, ReducedError> {
        let span = rig.clip_span(clip).ok_or(ReducedError::NoSuchClip { clip, count: rig.clip_count() })?;
        Ok(Self { layers: vec![Layer::new(clip, span.begin)], span, outside })
    }

    /// The same mix, played `offset` seconds later.
    #[must_use]
    pub fn later(mut self, offset: f64) -> Self {
        self.layers.iter_mut().for_each(|layer| layer.start += offset);
        for weight in self.layers.iter_mut().filter_map(|layer| layer.weight.as_mut()) {
            weight.times.iter_mut().for_each(|time| *time += offset);
        }
        self.span = Span { begin: self.span.begin + offset, end: self.span.end + offset };
        self
    }

    /// Creates a mix that goes over from one layer to another: their weights change linearly during
    /// `over`, seconds. The weight of both outside it is that at its nearer end. A span of length
    /// zero is a switch, with a jump at that time.
    ///
    /// The mix begins at the first layer's start and ends where both clips have ended; a layer that
    /// loops has no end, and the mix ends with the other one, or with `over`.
    ///
    /// # Errors
    /// A clip that does not exist; `over` with times that are not usable.
    #[expect(clippy::needless_pass_by_value, reason = "a caller has no further use for them")]
    pub fn crossfade(rig: &Rig, from: Layer, to: Layer, over: Span) -> Result<Self, ReducedError> {
        let Span { begin, end } = over;
        if !(begin.abs() <= limits::MAX_TIME && end.abs() <= limits::MAX_TIME && begin <= end) {
            return Err(ReducedError::BadSpan { begin, end });
        }
        let mut last = end;
        for layer in [&from, &to] {
            let missing = ReducedError::NoSuchClip { clip: layer.clip, count: rig.clip_count() };
            let span = rig.clip_span(layer.clip).ok_or(missing)?;
            if layer.outside != Outside::Loop {
                last = last.max(layer.start + (span.end - span.begin) / layer.rate);
            }
        }
        let weight = |values: [f64; 2]| {
            let (times, values, interpolation) = if begin < end {
                (vec![begin, end], values.to_vec(), super::Interpolation::Linear)
            } else {
                (vec![from.start.min(begin - 1.0), begin], values.to_vec(), super::Interpolation::Step)
            };
            Some(Track { interpolation, times, values })
        };
        let span = Span { begin: from.start.min(begin), end: last };
        let layers = vec![Layer { weight: weight([1.0, 0.0]), ..from }, Layer { weight: weight([0.0, 1.0]), ..to }];
        Ok(Self { layers, span, outside: Outside::Hold })
    }

    /// Creates a mix without clips: nothing moves.
    pub fn rest() -> Self {
        Self { layers: Vec::new(), span: Span { begin: 0.0, end: 0.0 }, outside: Outside::Hold }
    }
}

/// A part of a layer's time line: its begin, and the part of the clip's time that it maps to.
#[derive(Clone, Copy, Debug)]
struct Interval {
    begin: f64,
    /// The clip's time at the begin and at the end of the interval; equal where the layer holds.
    clip: Stretch,
    /// Clip seconds per second. From the ends of the interval, which are rounded: so the clip's
    /// time reaches its end where the interval ends, without a last step.
    rate: f64,
}

/// A layer, ready for evaluation.
#[derive(Clone, Debug)]
pub(super) struct PlayedLayer {
    pub(super) clip: usize,
    intervals: Vec<Interval>,
    /// Times at which the layer's value jumps: wraps that do not close, steps.
    jumps: Vec<f64>,
    weight: Option<Curve>,
}

/// A checked mix.
#[derive(Clone, Debug)]
pub(super) struct Played {
    pub(super) layers: Vec<PlayedLayer>,
    pub(super) span: Span,
    pub(super) outside: Outside,
    pub(super) breaks: Vec<Break>,
}

impl Played {
    /// Checks a mix against a rig and lays out its time lines for a body that follows some nodes,
    /// and the morph weights of one.
    pub(super) fn new(mix: &Mix, rig: &Rig, is_moved: &[bool], morphs: Option<u32>) -> Result<Self, ReducedError> {
        let Span { begin, end } = mix.span;
        let usable = |time: f64| time.abs() <= limits::MAX_TIME;
        let too_short = mix.outside == Outside::Loop && !(end - begin >= limits::MIN_PERIOD);
        if !usable(begin) || !usable(end) || !(begin <= end) || too_short {
            return Err(ReducedError::BadSpan { begin, end });
        }
        let mut layers = Vec::with_capacity(mix.layers.len());
        for (index, layer) in mix.layers.iter().enumerate() {
            let Some(clip) = rig.clip(layer.clip) else {
                return Err(ReducedError::NoSuchClip { clip: layer.clip, count: rig.clip_count() });
            };
            layers.push(PlayedLayer::new(index, layer, (clip, is_moved, morphs), mix.span)?);
        }
        check_weights(&layers, mix)?;
        let mut breaks = vec![Break { time: begin, is_jump: false }, Break { time: end, is_jump: false }];
        for layer in &layers {
            breaks.extend(layer.intervals.iter().map(|interval| Break { time: interval.begin, is_jump: false }));
            breaks.extend(layer.jumps.iter().map(|&time| Break { time, is_jump: true }));
            if let Some(weight) = &layer.weight {
                breaks.extend(weight.times().iter().map(|&time| Break { time, is_jump: false }));
                breaks.extend(weight.jumps().map(|time| Break { time, is_jump: true }));
            }
        }
        breaks.retain(|stop| begin <= stop.time && stop.time <= end);
        breaks.sort_by(|a, b| a.time.total_cmp(&b.time).then(b.is_jump.cmp(&a.is_jump)));
        breaks.dedup_by(|later, kept| later.time == kept.time);
        // Times outside the span are not played, so nothing jumps at its ends.
        for stop in &mut breaks {
            stop.is_jump &= begin < stop.time && stop.time < end;
        }
        if breaks.len() > limits::MAX_PIECES {
            return Err(ReducedError::TooManyPieces { time: end, tolerance: f64::INFINITY });
        }
        Ok(Self { layers, span: mix.span, outside: mix.outside, breaks })
    }

    /// Maps a moment to the played moment of the span, and to the stretch between two breaks that
    /// contains it.
    pub(super) fn place(&self, at: Moment) -> (f64, Stretch) {
        let at = within(self.span, self.outside, at);
        let times = &self.breaks;
        let next = match at.side() {
            Side::At => times.partition_point(|stop| stop.time < at.time()),
            Side::After => times.partition_point(|stop| stop.time <= at.time()),
        };
        let next = next.clamp(1, times.len().max(2) - 1);
        let begin = times[next - 1].time;
        (at.time(), Stretch { begin, end: times.get(next).map_or(begin, |stop| stop.time) })
    }
}

/// The moment inside a span that is played at a moment.
pub(super) fn within(span: Span, outside: Outside, at: Moment) -> Moment {
    let (begin, end) = (span.begin, span.end);
    // Rounds beyond have begins that are equal in `f64`.
    let time = at.time().clamp(-limits::MAX_TIME, limits::MAX_TIME);
    if !(end > begin) {
        return Moment::at(begin);
    }
    if outside != Outside::Loop {
        return if time <= begin {
            Moment::after(begin)
        } else if time >= end {
            Moment::at(end)
        } else {
            at
        };
    }
    let period = end - begin;
    // The sum of `begin` and the period may differ from `end` in `f64`; the first round ends at the
    // given time.
    let start_of = |round: f64| if round == 1.0 { end } else { begin + round * period };
    let mut round = ((time - begin) / period).floor();
    while start_of(round) > time {
        round -= 1.0;
    }
    while start_of(round + 1.0) <= time {
        round += 1.0;
    }
    let start = start_of(round);
    if time == start {
        // The wrap: the old round's end, then the new round's begin; no round comes before the very
        // first begin.
        return if at.side() == Side::At && round != 0.0 { Moment::at(end) } else { Moment::after(begin) };
    }
    let inside = if round == 0.0 { time } else { (begin + (time - start)).min(end) };
    if inside <= begin {
        Moment::after(begin)
    } else if inside >= end {
        Moment::at(end)
    } else if at.side() == Side::At {
        Moment::at(inside)
    } else {
        Moment::after(inside)
    }
}

/// Weights are linear or step between their keys, so sums need a check only around keys.
fn check_weights(layers: &[PlayedLayer], mix: &Mix) -> Result<(), ReducedError> {
    if layers.is_empty() {
        return Ok(());
    }
    let mut times = vec![mix.span.begin, mix.span.end];
    times.extend(layers.iter().filter_map(|layer| layer.weight.as_ref()).flat_map(|weight| weight.times().to_vec()));
    times.sort_by(f64::total_cmp);
    times.dedup();
    // A single time is a stretch without length.
    for index in 1..times.len().max(2) {
        let stretch = Stretch { begin: times[index - 1], end: times[index.min(times.len() - 1)] };
        for time in [stretch.begin, stretch.end] {
            let mut sum = 0.0;
            for layer in layers {
                let weight = layer.weight_at(time, stretch);
                if !(weight >= 0.0) {
                    return Err(ReducedError::LayerWeights { time, value: weight });
                }
                sum += weight;
            }
            if !((sum - 1.0).abs() <= limits::WEIGHT_SUM_TOLERANCE) {
                return Err(ReducedError::LayerWeights { time, value: sum });
            }
        }
    }
    Ok(())
}

impl PlayedLayer {
    fn new(
        index: usize,
        layer: &Layer,
        (clip, is_moved, morphs): (&Motion, &[bool], Option<u32>),
        span: Span,
    ) -> Result<Self, ReducedError> {
        // Ignores keys of nodes that the body does not follow.
        let curves = || clip.curves_of(is_moved, morphs);
        if !(layer.rate > 0.0 && layer.rate <= limits::MAX_TIME) {
            return Err(ReducedError::BadRate { layer: index, value: layer.rate });
        }
        let Span { begin: first, end: last } = clip.span;
        let loops = layer.outside == Outside::Loop;
        let period = (last - first) / layer.rate;
        if !(layer.start.abs() <= limits::MAX_TIME) || (loops && !(period >= limits::MIN_PERIOD)) {
            return Err(ReducedError::BadSpan { begin: layer.start, end: layer.start + period });
        }
        let weight = match &layer.weight {
            None => None,
            Some(track) if track.interpolation == super::Interpolation::CubicSpline => {
                // Keys do not determine sums of cubics.
                return Err(ReducedError::LayerWeights { time: layer.start, value: f64::NAN });
            }
            Some(track) => Some(Curve::new(index, track, Kind::Vector(1))?),
        };
        let mut keys: Vec<f64> =
            curves().filter(|curve| !curve.is_constant()).flat_map(Curve::times).copied().collect();
        keys.extend([first, last]);
        keys.sort_by(f64::total_cmp);
        keys.dedup();
        let rounds = if loops {
            let of = |time: f64| ((time - layer.start) / period).floor();
            (of(span.begin) - 1.0, of(span.end) + 1.0)
        } else {
            (0.0, 0.0)
        };
        let count = (rounds.1 - rounds.0 + 1.0) * keys.len() as f64;
        if !(count <= limits::MAX_PIECES as f64) {
            return Err(ReducedError::TooManyPieces { time: span.end, tolerance: f64::INFINITY });
        }
        let held = |begin, key| Interval { begin, clip: Stretch { begin: key, end: key }, rate: 0.0 };
        let mut intervals = vec![held(f64::NEG_INFINITY, keys[0])];
        let mut jumps = Vec::new();
        let mut push = |interval: Interval, jumps: &mut Vec<f64>| match intervals.last_mut() {
            // Keys closer than the resolution of the body's time: what happens between them happens
            // at once.
            Some(previous) if previous.begin >= interval.begin => {
                let Stretch { begin, end } = std::mem::replace(&mut previous.clip, interval.clip);
                if !curves().all(|curve| is_same(curve, begin, end)) {
                    jumps.push(previous.begin);
                }
            }
            _ => intervals.push(interval),
        };
        let steps: Vec<f64> = curves().flat_map(Curve::jumps).collect();
        // A curve that steps at its last key arrives there with the previous value.
        let closes = curves().all(|curve| is_same(curve, first, last) && curve.jumps().all(|time| time < last));
        let mut round = rounds.0;
        while round <= rounds.1 {
            let start = layer.start + round * period;
            // At its own times a clip's keys are unchanged.
            let is_own = layer.rate == 1.0 && start == first;
            let place = |key: f64| if is_own { key } else { start + (key - first) / layer.rate };
            for pair in keys.windows(2) {
                let clip = Stretch { begin: pair[0], end: pair[1] };
                push(Interval { begin: place(pair[0]), clip, rate: layer.rate }, &mut jumps);
            }
            jumps.extend(steps.iter().map(|&key| place(key)));
            if loops && !closes {
                jumps.push(place(first));
            }
            if !loops {
                push(held(place(last), last), &mut jumps);
            }
            round += 1.0;
        }
        for index in 1..intervals.len() {
            let end = intervals[index].begin;
            let Interval { begin, clip, rate } = &mut intervals[index - 1];
            if clip.begin < clip.end {
                *rate = (clip.end - clip.begin) / (end - *begin);
            }
        }
        Ok(Self { clip: layer.clip, intervals, jumps, weight })
    }

    /// Maps a time in a stretch of the body's time to the clip's time, and to the clip's stretch
    /// without inner keys.
    pub(super) fn clip_time(&self, time: f64, stretch: Stretch) -> (f64, Stretch) {
        let next = self.following(stretch);
        let Interval { begin, clip, rate } = self.intervals[next - 1];
        if clip.begin == clip.end {
            return (clip.begin, clip);
        }
        let is_last_instant = self.intervals.get(next).is_some_and(|following| following.begin <= time);
        let time =
            if is_last_instant { clip.end } else { (clip.begin + (time - begin) * rate).clamp(clip.begin, clip.end) };
        (time, clip)
    }

    /// The number of the interval after that of a stretch.
    fn following(&self, stretch: Stretch) -> usize {
        let middle = 0.5 * stretch.begin + 0.5 * stretch.end;
        self.intervals.partition_point(|interval| interval.begin <= middle).max(1)
    }

    /// Maps a stretch of the body's time to one of the clip's; also returns the clip's seconds per
    /// second.
    pub(super) fn clip_stretch(&self, stretch: Stretch) -> (Stretch, f64) {
        let (begin, _) = self.clip_time(stretch.begin, stretch);
        let (end, _) = self.clip_time(stretch.end, stretch);
        (Stretch { begin, end }, self.intervals[self.following(stretch) - 1].rate)
    }

    pub(super) fn weight_at(&self, time: f64, stretch: Stretch) -> f64 {
        self.weight.as_ref().map_or(1.0, |weight| {
            let mut value = Vec::with_capacity(1);
            weight.evaluate(time, stretch, &mut value);
            value[0]
        })
    }

    /// Weight and its change per second during a stretch, in which it is linear.
    pub(super) fn weight_growth(&self, stretch: Stretch) -> super::DerivativeBounds {
        self.weight.as_ref().map_or(super::DerivativeBounds::constant(1.0), |weight| {
            weight.growth(stretch, &mut 0, super::rig::largest)
        })
    }
}

/// Whether a curve has the same value at both times; opposite quaternions are one rotation.
fn is_same(curve: &Curve, first: f64, last: f64) -> bool {
    let mut values = Vec::new();
    let at = |time| Stretch { begin: time, end: time };
    curve.evaluate(first, at(first), &mut values);
    let width = values.len();
    curve.evaluate(last, at(last), &mut values);
    let (before, after) = values.split_at(width);
    let opposite = curve.is_rotation() && before.iter().zip(after).all(|(a, b)| *a == -b);
    before == after || opposite
}
