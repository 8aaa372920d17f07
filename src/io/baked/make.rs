//! Baking a scene.

use super::{BakedScene, BakedSceneError};
use crate::baked::{BakeError, BakeFormat, BakedClip};
use crate::bvh::{BuildParams, Topology};
use crate::io::{Part, Scene, SceneWorldError};
use crate::mesh::Mesh;
use crate::motion::Motion;
use crate::time::{Moment, Span};
use crate::world::{BakedContacts, ContactMode, Engine, IgnoredContacts, WorldDef};

/// How a scene is baked.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeSettings {
    /// First and last time, seconds.
    pub span: [f64; 2],
    /// Times of frames, seconds, ascending, from the span's begin to its end: trees can be asked
    /// there and nowhere else. `None`: trees can be asked at any time, and take three times the
    /// bytes.
    pub frames: Option<Vec<f64>>,
    /// Whether contacts over time are baked too.
    pub contacts: bool,
    /// Pairs of triangles that are left out.
    pub ignored: IgnoredContacts,
    /// Most triangles in a leaf of the trees.
    pub leaf_size: usize,
    /// Places besides the begin at which a tree's state is written out, so that a far time is
    /// reached sooner.
    pub sync_points: usize,
}

impl BakeSettings {
    /// Contacts, and trees for any time with leaves of 16 triangles: at eight they have more than
    /// twice the events.
    pub fn new(span: [f64; 2]) -> Self {
        Self { span, frames: None, contacts: true, ignored: IgnoredContacts::None, leaf_size: 16, sync_points: 0 }
    }
}

/// A tree that is not in a baked scene: its body's motion jumps, or goes along curves.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The body's name.
    pub body: String,
    /// Why its motion cannot be baked.
    pub error: BakeError,
}

impl BakedScene {
    /// Works a scene out over a stretch of time. Costs as much as running it once with continuous
    /// contacts.
    ///
    /// Trees of bodies whose motion jumps or is curved are left out, and named; contacts know no
    /// such limit.
    ///
    /// # Errors
    /// A scene that cannot be run over the span; a span without length; frames that do not reach
    /// over the span.
    pub fn bake(scene: &Scene, settings: &BakeSettings) -> Result<(Self, Vec<LeftOut>), BakedSceneError> {
        scene.check_contacts_are_decided()?;
        let [begin, end] = settings.span;
        let is_span = begin < end && (end - begin).is_finite();
        let are_frames = |times: &Vec<f64>| times.first() == Some(&begin) && times.last() == Some(&end);
        if !is_span || !settings.frames.as_ref().is_none_or(are_frames) {
            let error = BakeError::BadSpan { begin, end, per_second: 0.0 };
            return Err(BakedSceneError::Tree { body: String::new(), error });
        }
        let (engine, mode) = if settings.contacts {
            (Engine::Auto, ContactMode::Continuous)
        } else {
            (Engine::Refit, ContactMode::AtTimes)
        };
        let def = WorldDef { start: begin, engine, contacts: mode, ..WorldDef::default() };
        let (mut world, _) = scene.world(def, settings.ignored)?;
        let identity = world.identity(begin, end);
        let contacts = settings.contacts.then(|| BakedContacts::record(&mut world, end)).transpose()?;
        drop(world);
        let (mut trees, mut left_out) = (Vec::with_capacity(scene.bodies.len()), Vec::new());
        for (place, body) in scene.bodies.iter().enumerate() {
            let (topology, motion) = parts(scene, place, begin, settings.leaf_size)?;
            let clip = match &settings.frames {
                Some(times) => BakedClip::bake_at(topology, &motion, times, settings.sync_points),
                None => {
                    let span = Span { begin, end };
                    BakedClip::bake(topology, &motion, span, BakeFormat::Stamped, settings.sync_points)
                }
            };
            trees.push(match clip {
                Ok(clip) => Some(clip),
                Err(error @ (BakeError::Jump { .. } | BakeError::Interval(_))) => {
                    left_out.push(LeftOut { body: body.name.clone(), error });
                    None
                }
                Err(error) => return Err(BakedSceneError::Tree { body: body.name.clone(), error }),
            });
        }
        Ok((Self { begin, end, identity, leaf_size: settings.leaf_size, trees, contacts }, left_out))
    }
}

/// A body's tree, as built for its positions at the begin, and its motion.
pub(super) fn parts(
    scene: &Scene,
    place: usize,
    begin: f64,
    leaf_size: usize,
) -> Result<(Topology, Motion), SceneWorldError> {
    let body = &scene.bodies[place];
    let mesh = Mesh::new(body.mesh.positions.len(), body.mesh.triangles.clone())
        .map_err(|error| SceneWorldError::Mesh { body: body.name.clone(), error })?;
    let motion = scene.motion(place, begin, Part::default())?;
    let mut positions = Vec::new();
    motion.positions(Moment::at(begin), &mut positions);
    let params = BuildParams { leaf_size, ..BuildParams::default() };
    Ok((Topology::build(&mesh, &positions, params), motion))
}
