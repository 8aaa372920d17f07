//! Bounds of bodies from few parameters begin and end with the plans they belong to.

use std::sync::Arc;

use crate::bvh::{BoundedSampler, KeyedBoxes};
use crate::id::BodyId;
use crate::kinetic::{KineticTree, TreeKind};
use crate::motion::{Flightplan, Motion};
use crate::world::World;
use crate::world::body::{Body, Index};
use crate::world::engine::Engine;
use crate::world::error::WorldError;
use crate::world::tree::on_demand::boxes_of;

/// What becomes of the bounds of a body whose plan is replaced.
pub(crate) enum NewBounds {
    /// The body has none, or none of the new plan are known.
    None,
    /// The plan is another one of the same sampler.
    Same,
    /// Boxes that follow from those of the body: of the same mesh, over the same tree.
    Following(Box<dyn KeyedBoxes>),
    /// Boxes over the tree that the body has.
    Other(Box<dyn KeyedBoxes>),
}

impl World {
    /// Replaces the flightplan of a whole body from now on by the motion of a sampler that bounds
    /// the body, for example another clip of a skin. As [`World::set_flightplan`], but the body
    /// stays bounded from its parameters, or becomes so: see
    /// [`crate::world::def::BodyDef::bounded`].
    ///
    /// Bounds are of the tree that the body has. Where they follow from those of the plan before,
    /// this takes O(keys): see [`crate::bvh::KeyedBoxes::for_motion`]. A body with a `BoxTree`, of
    /// patches or under an engine that does not use bounds gets the motion alone. Otherwise
    /// O(body).
    ///
    /// # Errors
    /// As [`World::set_flightplan`]; and [`WorldError::ForeignBoxes`], where the body keeps its
    /// plan.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use kinetree::reduced::{Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy};
    /// # use kinetree::{BodyDef, Engine, Mesh, Outside, World, WorldDef};
    /// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
    /// # let mesh = Arc::new(ReducedMesh::new(def)?);
    /// # let clip = |height: f64| {
    /// #     let lifted = Affine::from_parts([0.0, 0.0, height], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    /// #     let poses = vec![Pose::rest(1, 0), Pose { maps: vec![lifted], morphs: vec![] }];
    /// #     let driver = PoseKeys::new(&[0.0, 1.0], poses, vec![[0.0; 3]], Outside::Hold)?;
    /// #     let body = ReducedBody::new(mesh.clone(), Arc::new(driver))?;
    /// #     body.sampler(body.pieces(1e-3)?)
    /// # };
    /// let mut world = World::new(WorldDef::new().engine(Engine::Kinetic))?;
    /// let skin = world.add_body(BodyDef::bounded(mesh.mesh().clone(), clip(2.0)?))?;
    /// world.advance_to(0.5)?;
    /// world.set_bounded_flightplan(skin, clip(3.0)?)?;
    /// assert_eq!(world.stats().engines.kinetic_bounded, 1);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_bounded_flightplan(&mut self, id: BodyId, sampler: Arc<dyn BoundedSampler>) -> Result<(), WorldError> {
        let motion = self.check_plan(id, Flightplan::sampled(Arc::<dyn BoundedSampler>::clone(&sampler)))?;
        let body = self.bodies.find(id)?;
        let bounds = match body.following_bounds(&motion) {
            NewBounds::None if body.takes_bounds() => body.bounds_of(sampler, &motion)?,
            bounds => bounds,
        };
        self.replace_motion(id, motion, None, bounds)
    }

    /// Gives a body whose plan was replaced its bounds; returns whether certificates of a kinetic
    /// body are of another tree now. O(triangles log triangles) where bounds are given up.
    pub(crate) fn change_bounds(&mut self, index: u32, bounds: NewBounds) -> bool {
        let now = self.clock.now;
        match bounds {
            NewBounds::Same => false,
            NewBounds::Following(boxes) => {
                self.bodies.at_mut(index).follow_bounds(boxes);
                false
            }
            NewBounds::None => {
                self.forget_bounds(index, now);
                self.bodies.give_up_bounds(index, &mut self.clock.at(now))
            }
            NewBounds::Other(boxes) => {
                if !self.bodies.at(index).is_kinetic() {
                    self.pairs.forget_finders(index, &self.bodies);
                }
                self.bodies.take_bounds(index, boxes, &mut self.clock.at(now));
                true
            }
        }
    }
}

impl NewBounds {
    /// Whether the body keeps the tree of its bounds.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self, Self::Same | Self::Following(_))
    }
}

impl Body {
    /// The bounds of a body whose plan is replaced by a motion, as far as they follow from those
    /// that it has. O(1), or as [`KeyedBoxes::for_motion`].
    pub(crate) fn following_bounds(&self, motion: &Motion) -> NewBounds {
        let boxes: &dyn KeyedBoxes = match &self.index {
            Index::OnDemand(tree) => tree.boxes(),
            Index::Kinetic(KineticTree::Bounded(tree)) => &**tree.boxes(),
            Index::Kinetic(_) | Index::Discrete(_) | Index::Brute => return NewBounds::None,
        };
        if motion.has_sampler_of(&self.motion) {
            return NewBounds::Same;
        }
        let Some(following) = motion.sampler().and_then(|sampler| boxes.for_motion(sampler)) else {
            return NewBounds::None;
        };
        let (old, new) = (boxes.topology(), following.topology());
        let is_same = std::ptr::eq(old, new) || new.is_same_as(old);
        if is_same { NewBounds::Following(following) } else { NewBounds::None }
    }

    /// Whether the body can be bounded from parameters.
    fn takes_bounds(&self) -> bool {
        match &self.index {
            Index::Kinetic(tree) => tree.kind() == TreeKind::Aabb && self.shape.patches.is_none(),
            Index::Discrete(_) | Index::OnDemand(_) => self.requested_engine == Engine::Auto,
            Index::Brute => false,
        }
    }

    /// Boxes of a sampler, of which a motion is, over the body's tree.
    fn bounds_of(&self, sampler: Arc<dyn BoundedSampler>, motion: &Motion) -> Result<NewBounds, WorldError> {
        let Some(topology) = self.topology() else { return Ok(NewBounds::None) };
        let boxes = boxes_of(sampler, &self.shape.mesh, motion, || topology.clone());
        let boxes = boxes.map_err(|_| WorldError::ForeignBoxes { body: self.name.clone() })?;
        Ok(boxes.map_or(NewBounds::None, NewBounds::Other))
    }
}
