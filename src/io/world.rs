//! From a scene as read to a world that runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::error::ReadError;
use super::part::Part;
use super::reduced::motion_outside;
use super::{MotionData, Outside, ReducedMotion, Scene, SceneBody, SceneShape};
use crate::bvh::BoundedSampler;
use crate::id::BodyId;
use crate::limits;
use crate::mesh::{Mesh, MeshError, PatchError, Patches, Spheres};
use crate::motion::{Flightplan, KeyLayout, Motion};
use crate::reduced::ReducedError;
use crate::time::{Moment, Span};
use crate::world::{BodyDef, BodyShape, IgnoredContacts, World, WorldDef, WorldError};

/// Why a scene that could be read cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneWorldError {
    /// A mesh the core refuses.
    #[error("body '{body}': {error}")]
    Mesh {
        /// The body's name.
        body: String,
        /// Why.
        #[source]
        error: MeshError,
    },
    /// Patches the core refuses.
    #[error("body '{body}': {error}")]
    Patches {
        /// The body's name.
        body: String,
        /// Why.
        #[source]
        error: PatchError,
    },
    /// Contacts of patches were asked for.
    #[error(
        "body '{body}' is made of patches, and what touches these is not tested here: a program that uses the library \
         decides it (World::candidates); exclude its pairs, here with '{other}', by [[exclude]]"
    )]
    PatchesTested {
        /// The body of patches.
        body: String,
        /// The body it would be tested against, possibly itself.
        other: String,
    },
    /// A number that is not that of a body of the scene.
    #[error("there is no body {number} in a scene of {count}")]
    NoSuchBody {
        /// The number.
        number: usize,
        /// How many bodies there are.
        count: usize,
    },
    /// A motion or time the world refuses; the message names the body.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A cache whose frames cannot be read again.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A motion by few parameters that cannot be run.
    #[error("body '{body}': {error}")]
    Reduced {
        /// The body's name.
        body: String,
        /// Why.
        #[source]
        error: ReducedError,
    },
}

impl Scene {
    /// A world with all bodies of the scene, in the scene's order; excluded pairs are not watched,
    /// and triangle pairs that touch already are left out as `ignored_contacts` says. At rest, a
    /// body is where its placement and its first key put it; one with a velocity is where it is at
    /// 0 s, or at the scene's begin if that is earlier.
    ///
    /// # Errors
    /// A body the world refuses, a start outside the motion of a body that says so.
    pub fn world(
        &self,
        def: WorldDef,
        ignored_contacts: IgnoredContacts,
    ) -> Result<(World, Vec<BodyId>), SceneWorldError> {
        self.world_of_pairs(def, ignored_contacts, Part::default(), |_, _| true)
    }

    /// Refuses a scene that asks for contacts of patches, which worlds do not decide.
    pub(crate) fn check_contacts_are_decided(&self) -> Result<(), SceneWorldError> {
        let is_of_patches = |body: usize| matches!(self.bodies[body].shape, SceneShape::Patches(_));
        if !(0..self.bodies.len()).any(is_of_patches) {
            return Ok(());
        }
        let excluded: BTreeSet<[usize; 2]> = self.excluded.iter().copied().collect();
        for (a, b) in (0..self.bodies.len()).flat_map(|b| (0..=b).map(move |a| (a, b))) {
            let is_tested = if a == b { self.bodies[a].self_contact } else { !excluded.contains(&[a, b]) };
            if is_tested && (is_of_patches(a) || is_of_patches(b)) {
                let (body, other) = if is_of_patches(a) { (a, b) } else { (b, a) };
                let [body, other] = [body, other].map(|body| self.bodies[body].name.clone());
                return Err(SceneWorldError::PatchesTested { body, other });
            }
        }
        Ok(())
    }

    /// As [`Scene::world`], but for a part of the motions, and pairs of bodies are watched only if
    /// they are wanted too: by their numbers, the lower one first; equal numbers for a body with
    /// itself.
    pub(crate) fn world_of_pairs(
        &self,
        def: WorldDef,
        ignored_contacts: IgnoredContacts,
        part: Part<'_>,
        wants: impl Fn(usize, usize) -> bool,
    ) -> Result<(World, Vec<BodyId>), SceneWorldError> {
        let start = self.earliest(def.start);
        let mut world = World::new(def)?;
        // Per body, those before it that it is not tested against.
        let mut excluded_of = vec![Vec::new(); self.bodies.len()];
        for &[before, body] in &self.excluded {
            if let Some(own) = excluded_of.get_mut(body) {
                own.push(before);
            }
        }
        let mut ids: Vec<BodyId> = Vec::with_capacity(self.bodies.len());
        for (index, body) in self.bodies.iter().enumerate() {
            let excluded = std::mem::take(&mut excluded_of[index]).into_iter();
            let unwanted = (0..index).filter(|&other| !wants(other, index));
            let mut ignored: Vec<BodyId> = excluded.chain(unwanted).map(|other| ids[other]).collect();
            ignored.sort_unstable();
            ignored.dedup();
            let is_self = body.self_contact && wants(index, index);
            let shape = shape(body)?;
            let def = match &body.motion {
                MotionData::Reduced(motion) => BodyDef::bounded(shape, sampler(body, motion, part.exact)?),
                _ => BodyDef::new(shape, flightplan(body, start, part)?),
            };
            let def = def.named(&body.name).self_contact(is_self).ignoring(&ignored);
            let def = def.neighbours(body.neighbours && wants(index, index)).thickness(body.thickness);
            let def = def.ignoring_contacts(ignored_contacts).tree(body.tree);
            ids.push(world.add_body_over(def, part.trees.and_then(|trees| trees.of(index)))?);
        }
        Ok((world, ids))
    }

    /// The vertices of a body at a time (seconds), metres, in f64. O(vertices); O(keys × vertices)
    /// for a body that loops, or is carried by transforms. Reduced bodies are evaluated at the time
    /// itself, O(keys + vertices).
    ///
    /// # Errors
    /// A number that no body has, a motion that a world refuses, a time outside the motion of a
    /// body that says so.
    ///
    /// ```
    /// let scene = kinetree::io::read_scene("fixtures/cloth_ball/scene.toml")?;
    /// let positions = scene.positions_at(0, 0.5)?;
    /// assert_eq!(positions.len(), scene.bodies[0].mesh.positions.len());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn positions_at(&self, body: usize, time: f64) -> Result<Vec<[f64; 3]>, SceneWorldError> {
        let Some(found) = self.bodies.get(body) else {
            return Err(SceneWorldError::NoSuchBody { number: body, count: self.bodies.len() });
        };
        if !(time.abs() <= limits::MAX_TIME) {
            return Err(WorldError::BadTime { time }.into());
        }
        let motion = self.motion(body, time, Part { exact: &[time], span: Some([time; 2]), ..Part::default() })?;
        let mut span = motion.allowed_span();
        // The motion is that of the keys around the time.
        if let (Outside::Error, MotionData::Keyframes { times, .. } | MotionData::Cached { times, .. }) =
            (found.outside, &found.motion)
            && let (Some(&begin), Some(&end)) = (times.first(), times.last())
        {
            span = Span { begin, end };
        }
        if !span.contains(time) {
            return Err(WorldError::OutsideSpan { body: found.name.clone(), time, span }.into());
        }
        let mut positions = Vec::new();
        motion.positions(Moment::at(time), &mut positions);
        Ok(positions)
    }

    /// How a body of the scene moves, as a world started at `start` (seconds) has it.
    pub(crate) fn motion(&self, body: usize, start: f64, part: Part<'_>) -> Result<Motion, SceneWorldError> {
        let body = &self.bodies[body];
        let plan = flightplan(body, self.earliest(start), part)?;
        Ok(Motion::new(plan, body.mesh.positions.len(), KeyLayout::KeyMajor)
            .map_err(|error| WorldError::Motion { body: body.name.clone(), error })?)
    }

    /// The scene's begin, or `time` if that is earlier, seconds: velocities leave no later. Does
    /// not depend on which time of the scene is asked for first, so neither do the contacts that
    /// [`IgnoredContacts::AtRest`] leaves out.
    pub(super) fn earliest(&self, time: f64) -> f64 {
        self.default_span().map_or(time, |[begin, _]| begin.min(time))
    }
}

/// What a body is made of, as a world takes it.
fn shape(body: &SceneBody) -> Result<BodyShape, SceneWorldError> {
    let count = body.mesh.positions.len();
    let refuse = |error| SceneWorldError::Mesh { body: body.name.clone(), error };
    Ok(match &body.shape {
        SceneShape::Triangles => Mesh::new(count, body.mesh.triangles.clone()).map_err(refuse)?.into(),
        SceneShape::Spheres => Spheres::new(count / 2).map_err(refuse)?.into(),
        SceneShape::Patches(patches) => Patches::new(count, patches.clone())
            .map_err(|error| SceneWorldError::Patches { body: body.name.clone(), error })?
            .into(),
    })
}

/// How a reduced body moves, with bounds; `exact` as in [`Part`].
fn sampler(
    body: &SceneBody,
    motion: &ReducedMotion,
    exact: &[f64],
) -> Result<Arc<dyn BoundedSampler>, SceneWorldError> {
    let refuse = |error| SceneWorldError::Reduced { body: body.name.clone(), error };
    motion.sampler(&body.mesh.positions, body.outside, exact).map_err(refuse)
}

/// How a body moves from `start` on, seconds; see [`Scene::earliest`].
pub(super) fn flightplan(body: &SceneBody, start: f64, part: Part<'_>) -> Result<Flightplan, SceneWorldError> {
    let rest = body.mesh.positions.clone();
    let plan = match &body.motion {
        MotionData::Fixed => Flightplan::fixed(rest),
        MotionData::Keyframes { .. } | MotionData::Cached { .. } => {
            let (times, positions) = part.keys(body)?;
            Flightplan::keyframes(times, positions)
        }
        MotionData::Rigid { times, transforms } => Flightplan::rigid(times.clone(), transforms.clone(), rest),
        MotionData::Velocity { velocity } => {
            // The mesh is where its file says at 0 s. A world that starts earlier finds it further
            // back.
            let begin = start.min(0.0);
            let back = |p: [f32; 3]| std::array::from_fn(|axis| (f64::from(p[axis]) + velocity[axis] * begin) as f32);
            let velocities = vec![velocity.map(|v| v as f32); rest.len()];
            Flightplan::velocities(begin, rest.into_iter().map(back).collect(), velocities)
        }
        MotionData::Reduced(motion) => Flightplan::sampled(sampler(body, motion, part.exact)?),
        MotionData::Planned(motion) => motion.flightplan(&rest),
    };
    Ok(plan.outside(motion_outside(body.outside)))
}
