//! A model under the clips that a scene names: what bodies of one file have in common.

use std::sync::Arc;

use super::bodies::ModelBody;
use super::error::{GltfError, GltfErrorKind};
use super::model::Model;
use super::parts::{ClipPart, Timeline};
use super::rate::frame_times;
use super::scene::{check_size, choose, too_many};
use crate::limits;
use crate::math::Aabb;
use crate::reduced::{Mix, Pose, Rig};
use crate::time::Moment;

/// A model with what was made of it last: a scene names its nodes one by one. Of several models,
/// one keeps what was made ([`OpenModel::forget`]).
pub(in crate::io) struct OpenModel {
    model: Model,
    rig: Option<Arc<Rig>>,
    last: Option<(Played, Moved)>,
}

/// Which clips, and how much later, seconds.
#[derive(Clone, Debug, PartialEq)]
struct Played {
    clips: Vec<ClipPart>,
    clip: Option<String>,
    offset: f64,
}

/// All bodies of a model under some clips.
pub(super) struct Moved {
    pub(super) timeline: Option<Timeline>,
    /// The clip that is played first.
    pub(super) clip: Option<usize>,
    /// Seconds.
    pub(super) span: [f64; 2],
    pub(super) bodies: Vec<ModelBody>,
    /// What to tell of the choice of a clip.
    pub(super) notes: Vec<String>,
    offset: f64,
    extent: Option<f64>,
    /// Frames a second that the keys of the first clip suggest.
    rate: Option<f64>,
    /// A rate and the times to sample the clips at.
    times: Option<(f64, Vec<f64>)>,
}

impl OpenModel {
    pub(in crate::io) fn new(model: Model) -> Self {
        Self { model, rig: None, last: None }
    }

    pub(in crate::io) fn model(&self) -> &Model {
        &self.model
    }

    /// Gives up what was made of it.
    pub(in crate::io) fn forget(&mut self) {
        self.last = None;
    }

    /// The bodies under several clips or, without, under one. Kept until others are asked for.
    pub(super) fn moved(
        &mut self,
        clips: &[ClipPart],
        clip: Option<&str>,
        offset: f64,
    ) -> Result<(&Model, &mut Moved), Box<GltfError>> {
        let played = Played { clips: clips.to_vec(), clip: clip.map(str::to_owned), offset };
        let last = match self.last.take().filter(|(last, _)| *last == played) {
            Some(last) => last,
            None => {
                check_size(&self.model)?;
                let rig = match &self.rig {
                    Some(rig) => rig,
                    None => self.rig.insert(self.model.rig()?),
                };
                let moved = Moved::new(&self.model, rig, &played)?;
                (played, moved)
            }
        };
        Ok((&self.model, &mut self.last.insert(last).1))
    }
}

impl Moved {
    fn new(model: &Model, rig: &Arc<Rig>, played: &Played) -> Result<Self, Box<GltfError>> {
        let &Played { ref clips, ref clip, offset } = played;
        if !(offset.abs() <= limits::MAX_TIME) {
            return Err(Box::new(GltfError { place: String::new(), kind: GltfErrorKind::Offset { offset } }));
        }
        let mut notes = Vec::new();
        let timeline = if clips.is_empty() { None } else { Some(Timeline::new(model, clips, offset)?) };
        let clip = match &timeline {
            Some(timeline) => Some(timeline.first),
            None => choose(model, clip.as_deref(), &mut notes)?,
        };
        let bodies = match &timeline {
            Some(timeline) => timeline.bodies(model, rig)?,
            None => {
                let mix = clip.map_or_else(Mix::rest, |clip| model.once(clip).later(offset));
                model.bodies(rig, &mix)?
            }
        };
        let of_clip = || clip.map_or([0.0; 2], |clip| model.clips[clip].span.map(|time| time + offset));
        let span = timeline.as_ref().map_or_else(of_clip, |timeline| timeline.span);
        Ok(Self { timeline, clip, span, bodies, notes, offset, extent: None, rate: None, times: None })
    }

    /// The largest side of the box around all bodies when the motion begins, metres.
    pub(super) fn extent(&mut self) -> Result<f64, Box<GltfError>> {
        if let Some(extent) = self.extent {
            return Ok(extent);
        }
        let (mut pose, mut points, mut bounds) = (Pose::default(), Vec::new(), Aabb::EMPTY);
        for body in &self.bodies {
            body.body.pose(Moment::at(body.body.driver().span().begin), &mut pose);
            body.body.mesh().evaluate_all(&pose, &mut points).map_err(|error| {
                Box::new(GltfError { place: format!("nodes[{}]", body.node), kind: GltfErrorKind::Body(error) })
            })?;
            bounds = bounds.union(&Aabb::of_points(&points));
        }
        let size = bounds.longest_side();
        // A model of one point moves exactly or not at all; any scale will do.
        Ok(*self.extent.insert(if size > 0.0 { size } else { 1.0 }))
    }

    /// Frames a second: those that are wanted, or those that the keys suggest; `None` where nothing
    /// moves.
    pub(super) fn rate(&mut self, model: &Model, wanted: Option<f64>) -> Result<Option<f64>, Box<GltfError>> {
        let Some(clip) = self.clip else { return Ok(None) };
        if let Some(fps) = wanted {
            let refused = || Box::new(GltfError { place: String::new(), kind: GltfErrorKind::Rate { fps } });
            return if fps > 0.0 && fps.is_finite() { Ok(Some(fps)) } else { Err(refused()) };
        }
        let suggested = || model.clips[clip].frame_rate().unwrap_or(limits::GLTF_FPS);
        Ok(Some(*self.rate.get_or_insert_with(suggested)))
    }

    /// The times to sample the clips at, seconds; none without a rate.
    pub(super) fn times(&mut self, model: &Model, rate: Option<f64>) -> Result<Vec<f64>, Box<GltfError>> {
        let Some((fps, clip)) = rate.zip(self.clip) else { return Ok(Vec::new()) };
        if let Some((of, times)) = &self.times
            && *of == fps
        {
            return Ok(times.clone());
        }
        let times = match &self.timeline {
            Some(timeline) => frame_times(&timeline.keys, self.span, fps, 0.0),
            None => frame_times(&model.clips[clip], self.span, fps, self.offset),
        };
        let Some(times) = times else { return Err(Box::new(too_many("animations".into()))) };
        self.times = Some((fps, times.clone()));
        Ok(times)
    }
}
