//! Several clips of one model: one after the other, blended into each other, or mixed.

use std::sync::Arc;

use super::bodies::{BodyKind, ModelBody};
use super::error::{GltfError, GltfErrorKind};
use super::model::{self, Channel, Clip, Model};
use crate::limits;
use crate::motion::Outside;
use crate::reduced::{Driver, Interpolation, Layer, Mix, Rig, Sequence, Track};
use crate::time::Span;

/// One clip of several that a model plays.
///
/// Without weights, a clip takes over from the one before at its `start`, during `blend` seconds.
/// With weights, all clips play together from their starts on.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClipPart {
    /// The clip, as [`Model::clip`] takes it.
    pub clip: String,
    /// When its first key is played, seconds; without, at the key's own time for the first clip and
    /// where all clips have weights.
    pub start: Option<f64>,
    /// How long it takes to take over from the clip before, seconds; 0 is a switch.
    pub blend: f64,
    /// Seconds of the clip per second; without, 1.
    pub rate: Option<f64>,
    /// Whether it begins again after its last key, for as long as it is played.
    pub repeats: bool,
    /// Its share of a mixture, at least 0.
    pub weight: Option<f64>,
}

/// The fault of a clip of several, see [`ClipPart`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipPartError {
    /// It begins too early, or at a time that is not usable.
    #[error(
        "it starts at {start} s, which is not usable or not after {previous} s, when the clip before has taken over"
    )]
    Start {
        /// Its start, seconds.
        start: f64,
        /// The time that it must come after, seconds.
        previous: f64,
    },
    /// A later clip without a start.
    #[error("it needs a `start`, in seconds")]
    NoStart,
    /// A blend that is negative or not a number, or that has nothing to blend.
    #[error("a `blend` of {value} s is not usable there")]
    Blend {
        /// Its value, seconds.
        value: f64,
    },
    /// A rate that is not positive.
    #[error("a `rate` of {value} is not usable")]
    Rate {
        /// Its value.
        value: f64,
    },
    /// A weight that is negative or not a number.
    #[error("a `weight` of {value} is not usable")]
    Weight {
        /// Its value.
        value: f64,
    },
    /// Some clips have a weight and others have none.
    #[error("either all clips have a `weight`, or none has one")]
    SomeWeights,
    /// Weights that do not sum to 1.
    #[error("the weights sum to {sum}, not to 1")]
    WeightSum {
        /// Their sum.
        sum: f64,
    },
}

/// The clips of a model on a time line.
pub(super) struct Timeline {
    /// Each from its own begin on; between them the model is switched.
    pub(super) mixes: Vec<Mix>,
    pub(super) span: [f64; 2],
    /// Until when the model is driven: after the values at the last keys of STEP channels, and
    /// after a switch to a clip of one key.
    until: f64,
    /// The keys of one round of every clip, at the times at which they are played.
    pub(super) keys: Clip,
    /// The names of the clips.
    pub(super) name: String,
    /// The clip that is played first.
    pub(super) first: usize,
}

/// A part with its numbers checked.
struct Checked {
    clip: usize,
    start: f64,
    rate: f64,
    /// How long one round takes, seconds.
    length: f64,
}

impl Timeline {
    /// Lays out at least one clip, `offset` seconds later than stated.
    pub(super) fn new(model: &Model, parts: &[ClipPart], offset: f64) -> Result<Self, Box<GltfError>> {
        let checked = check(model, parts, offset)?;
        let layers: Vec<Layer> = parts
            .iter()
            .zip(&checked)
            .map(|(part, own)| Layer {
                rate: own.rate,
                outside: if part.repeats { Outside::Loop } else { Outside::Hold },
                ..Layer::new(own.clip, own.start)
            })
            .collect();
        let is_mixture = parts[0].weight.is_some();
        let mut ends = checked.iter().zip(parts).map(|(own, part)| own.start + own.length.max(part.blend));
        // What was replaced moves nothing any more.
        let end = if is_mixture { ends.reduce(f64::max) } else { ends.next_back() }.unwrap_or(0.0);
        let begin = checked.iter().fold(f64::INFINITY, |begin, own| begin.min(own.start));
        let is_step = |channel: &Channel| channel.interpolation == model::Interpolation::Step && !channel.is_constant();
        let has_steps = checked.iter().any(|own| model.clips[own.clip].channels.iter().any(is_step));
        // A switch to a clip of one key needs a moment after it, too.
        let is_moment = checked.iter().any(|own| own.start == end) && begin < end;
        let until = if has_steps || is_moment { end + limits::GLTF_STEP_DURATION } else { end };
        let mixes = if is_mixture {
            vec![mixture(parts, layers, Span { begin, end: until })]
        } else {
            takeovers(parts, layers, until)
        };
        let mut keys = Clip { span: [begin, end], ..Clip::default() };
        for own in &checked {
            let clip = &model.clips[own.clip];
            keys.channels.extend(clip.channels.iter().map(|channel| {
                let times = channel.times.iter().map(|time| own.start + (time - clip.span[0]) / own.rate);
                Channel { times: times.collect(), ..channel.clone() }
            }));
        }
        let name = checked.iter().map(|own| model.clips[own.clip].name.as_str()).collect::<Vec<_>>().join(", ");
        Ok(Self { mixes, span: [begin, end], until, keys, name, first: checked[0].clip })
    }

    /// The bodies of a model, moved by the clips.
    pub(super) fn bodies(&self, model: &Model, rig: &Arc<Rig>) -> Result<Vec<ModelBody>, Box<GltfError>> {
        let mut lists = Vec::with_capacity(self.mixes.len());
        for mix in &self.mixes {
            lists.push(model.bodies(rig, mix)?.into_iter());
        }
        let first = lists.remove(0);
        if lists.is_empty() {
            return Ok(first.collect());
        }
        let join = |mut body: ModelBody| {
            let mut parts: Vec<(f64, Arc<dyn Driver>)> =
                vec![(self.mixes[0].span.begin, Arc::clone(body.body.driver()))];
            for (list, mix) in lists.iter_mut().zip(&self.mixes[1..]) {
                let Some(next) = list.next() else { continue };
                parts.push((mix.span.begin, Arc::clone(next.body.driver())));
                body.kind = joined(model, &body, next.kind);
            }
            let fail = |error| {
                let place = format!("nodes[{}] ({})", body.node, body.name);
                Box::new(GltfError { place, kind: GltfErrorKind::Body(error) })
            };
            let sequence = Sequence::new(parts, self.until, Outside::Hold).map_err(fail)?;
            body.body = body.body.with_driver(Arc::new(sequence)).map_err(fail)?;
            Ok(body)
        };
        first.map(join).collect()
    }
}

/// How a body can move that moves in one way first and in another later.
fn joined(model: &Model, body: &ModelBody, next: BodyKind) -> BodyKind {
    let node = &model.nodes[body.node];
    match (body.kind, next) {
        (BodyKind::Deforming, _) | (_, BodyKind::Deforming) => BodyKind::Deforming,
        // Even what is still in either clip may be elsewhere in the other.
        _ if node.skin.is_some() || !node.weights.is_empty() => BodyKind::Deforming,
        _ => BodyKind::Rigid,
    }
}

fn check(model: &Model, parts: &[ClipPart], offset: f64) -> Result<Vec<Checked>, Box<GltfError>> {
    let is_mixture = parts[0].weight.is_some();
    let mut checked: Vec<Checked> = Vec::with_capacity(parts.len());
    for (part, own) in parts.iter().enumerate() {
        let refused = |error| {
            let kind = GltfErrorKind::ClipPart { part, error };
            Box::new(GltfError { place: "animations".into(), kind })
        };
        let Some(clip) = model.clip(&own.clip) else {
            let known = model.clips.iter().map(|clip| clip.name.clone()).collect();
            let kind = GltfErrorKind::NoClip { wanted: own.clip.clone(), known };
            return Err(Box::new(GltfError { place: "animations".into(), kind }));
        };
        let rate = own.rate.unwrap_or(1.0);
        if !(rate > 0.0 && rate <= limits::MAX_TIME) {
            return Err(refused(ClipPartError::Rate { value: rate }));
        }
        if !(own.blend >= 0.0 && own.blend <= limits::MAX_TIME) || (own.blend > 0.0 && (is_mixture || part == 0)) {
            return Err(refused(ClipPartError::Blend { value: own.blend }));
        }
        match own.weight {
            Some(weight) if !(weight >= 0.0 && weight.is_finite()) => {
                return Err(refused(ClipPartError::Weight { value: weight }));
            }
            weight if weight.is_some() != is_mixture => return Err(refused(ClipPartError::SomeWeights)),
            _ => {}
        }
        let [begin, end] = model.clips[clip].span;
        let start = match own.start {
            Some(start) => start + offset,
            None if part == 0 || is_mixture => begin + offset,
            None => return Err(refused(ClipPartError::NoStart)),
        };
        // Where the clip before has taken over.
        let previous = match checked.last() {
            Some(last) if !is_mixture => last.start + parts[part - 1].blend,
            _ => f64::NEG_INFINITY,
        };
        let is_late = if part > 0 && parts[part - 1].blend > 0.0 { start >= previous } else { start > previous };
        if !(start.abs() <= limits::MAX_TIME && is_late) {
            return Err(refused(ClipPartError::Start { start, previous }));
        }
        checked.push(Checked { clip, start, rate, length: (end - begin) / rate });
    }
    let sum: f64 = parts.iter().filter_map(|own| own.weight).sum();
    if is_mixture && !((sum - 1.0).abs() <= limits::WEIGHT_SUM_TOLERANCE) {
        let kind = GltfErrorKind::ClipPart { part: parts.len() - 1, error: ClipPartError::WeightSum { sum } };
        return Err(Box::new(GltfError { place: "animations".into(), kind }));
    }
    Ok(checked)
}

/// All layers at once, with constant weights.
fn mixture(parts: &[ClipPart], mut layers: Vec<Layer>, span: Span) -> Mix {
    for (layer, part) in layers.iter_mut().zip(parts) {
        layer.weight = Some(track(&[(span.begin, part.weight.unwrap_or(0.0))]));
    }
    Mix { layers, span, outside: Outside::Hold }
}

/// Layers one after the other: a mix for those that are blended into each other, another one after
/// each switch.
fn takeovers(parts: &[ClipPart], layers: Vec<Layer>, end: f64) -> Vec<Mix> {
    let mut mixes: Vec<Mix> = Vec::new();
    let starts: Vec<f64> = layers.iter().map(|layer| layer.start).collect();
    for (part, layer) in layers.into_iter().enumerate() {
        if parts[part].blend > 0.0
            && let Some(mix) = mixes.last_mut()
        {
            mix.layers.push(layer);
        } else {
            let span = Span { begin: starts[part], end };
            mixes.push(Mix { layers: vec![layer], span, outside: Outside::Hold });
        }
    }
    let mut first = 0;
    let begins: Vec<f64> = mixes.iter().skip(1).map(|mix| mix.span.begin).chain([end]).collect();
    for (mix, &until) in mixes.iter_mut().zip(&begins) {
        mix.span.end = until.max(mix.span.begin);
        let count = mix.layers.len();
        for (place, layer) in mix.layers.iter_mut().enumerate().filter(|_| count > 1) {
            let takes_over = |part: usize| [starts[part], starts[part] + parts[part].blend];
            let mut keys = Vec::new();
            if place > 0 {
                let [begin, over] = takes_over(first + place);
                keys.extend([(begin, 0.0), (over, 1.0)]);
            }
            if place + 1 < count {
                let [begin, over] = takes_over(first + place + 1);
                keys.extend([(begin, 1.0), (over, 0.0)]);
            }
            layer.weight = Some(track(&keys));
        }
        first += count;
    }
    mixes
}

/// A linear track of one number; of keys at the same time the first.
fn track(keys: &[(f64, f64)]) -> Track {
    let mut track = Track { interpolation: Interpolation::Linear, ..Track::default() };
    for &(time, value) in keys {
        if track.times.last().is_none_or(|&last| last < time) {
            track.times.push(time);
            track.values.push(value);
        }
    }
    track
}
