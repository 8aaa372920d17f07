//! A body to come: its definition, checked, with what was computed from it.

use std::sync::Arc;

use crate::bvh::{BoundedSampler, Topology};
use crate::id::BodyId;
use crate::kinetic::event::Ticket;
use crate::kinetic::{EventContext, KineticTree, TreeContext, TreeKind};
use crate::math::Aabb;
use crate::math::vector::widened;
use crate::motion::Motion;
use crate::sorted::SortedSet;
use crate::time::{Moment, NEVER};
use crate::world::body::keys::{NextKeys, moves_by_keys};
use crate::world::body::next_epoch::NextEpoch;
use crate::world::body::parts::Parts;
use crate::world::body::snapshot::Snapshot;
use crate::world::body::{Body, BodyRules, Epoch, Index, Shape, TreeParams};
use crate::world::engine::Engine;
use crate::world::error::WorldError;
use crate::world::tree::discrete::Discrete;
use crate::world::tree::mode::Rate;
use crate::world::tree::on_demand::{OnDemandTree, boxes_of};

/// A body whose definition has been checked.
pub(crate) struct NewBody {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) motion: Motion,
    pub(crate) rules: BodyRules,
    pub(crate) tree: TreeParams,
    pub(crate) kind: TreeKind,
    /// Bodies this one is never tested against.
    pub(crate) ignored: Vec<BodyId>,
    /// Bounds the body without its vertices.
    pub(crate) sampler: Option<Arc<dyn BoundedSampler>>,
    /// The shape of its tree, if that is to be idle and its shape is known.
    pub(crate) idle_shape: Option<Topology>,
    /// The engine asked for, and whether the body is kinetic.
    pub(crate) requested_engine: Engine,
    pub(crate) is_kinetic: bool,
}

impl NewBody {
    /// Whether all pairs of the body can find contacts by intervals, so that it needs no events.
    pub(crate) fn may_be_idle(&self, now: Moment) -> bool {
        self.is_kinetic
            && self.kind == TreeKind::Aabb
            && self.sampler.is_none()
            && self.requested_engine == Engine::Auto
            && self.shape.patches.is_none()
            && moves_by_keys(&self.motion, now)
    }

    /// What finds the parts of the body, with the index it will have. `step` is the length of the
    /// host's steps, seconds; 0 if unknown. The tree is idle if the body may be
    /// ([`NewBody::may_be_idle`]) and that is wanted. O(triangles log triangles).
    ///
    /// # Errors
    /// [`WorldError::ForeignBoxes`].
    pub(crate) fn finder(
        &mut self,
        index: u32,
        (world, is_idle): (Engine, bool),
        step: f64,
        clock: &mut EventContext<'_>,
    ) -> Result<Index, WorldError> {
        let sampler = self.sampler.take().filter(|_| matches!(self.requested_engine, Engine::Auto | Engine::Kinetic));
        let idle_shape = self.idle_shape.take().filter(|_| is_idle);
        let Self { shape: Shape { mesh, patches, rest, seams }, motion, tree, kind, requested_engine, .. } = &*self;
        let foreign = |_| WorldError::ForeignBoxes { body: self.name.clone() };
        let at_rest = || {
            let rest = widened(rest);
            Topology::build(mesh, &rest, tree.build.binary())
        };
        if self.is_kinetic
            && *kind == TreeKind::Aabb
            && let Some(sampler) = &sampler
            && let Some(boxes) = boxes_of(Arc::clone(sampler), mesh, motion, at_rest).map_err(foreign)?
        {
            let mut changes = Vec::new();
            let context = &mut TreeContext::new(motion, NEVER, clock, &mut changes);
            return Ok(Index::Kinetic(KineticTree::bounded(boxes, context)));
        }
        if let Some(topology) = idle_shape {
            return Ok(Index::Kinetic(KineticTree::idle(topology, index)));
        }
        let mut positions = Vec::new();
        motion.positions(clock.now, &mut positions);
        if self.is_kinetic {
            // Only kinetic AABB trees can be wide.
            let build = if *kind == TreeKind::Aabb { tree.build } else { tree.build.binary() };
            let topology = Topology::build(&Parts::of(mesh, patches.as_ref()), &positions, build);
            if is_idle {
                return Ok(Index::Kinetic(KineticTree::idle(topology, index)));
            }
            let epoch_end = motion.epoch_end(clock.now).time();
            let mut changes = Vec::new();
            let context = &mut TreeContext::new(motion, epoch_end, clock, &mut changes);
            return Ok(Index::Kinetic(KineticTree::new(*kind, topology, index, context)));
        }
        // Refitted trees hold triangles only: all spans of patches are compared.
        if world == Engine::BruteForce || patches.is_some() {
            return Ok(Index::Brute);
        }
        let on_demand = sampler.map(|sampler| OnDemandTree::new(sampler, mesh, motion, at_rest).map_err(foreign));
        if let Some(on_demand) = on_demand.transpose()?.flatten() {
            return Ok(Index::OnDemand(Box::new(on_demand)));
        }
        let topology = Topology::build(mesh, &positions, tree.build.binary());
        let rate = Rate::new(seams.is_some());
        Ok(Index::Discrete(Discrete::new(topology, mesh, motion, *requested_engine, rate, clock.now, step)))
    }

    /// The body; its first epoch has not begun.
    pub(crate) fn into_body(self, finder: Index) -> Body {
        let Self { name, shape, motion, rules, tree, requested_engine, .. } = self;
        let allowed = motion.allowed_span();
        let snapshot = Snapshot::new(shape.mesh.vertex_count());
        Body {
            name,
            shape,
            motion,
            index: finder,
            requested_engine,
            rules,
            epoch: Epoch { allowed, slack: 0.0, end: 0.0, renewal: Ticket::NONE },
            tree,
            pairs: SortedSet::default(),
            keys: None,
            next_keys: NextKeys::default(),
            swept: Aabb::EMPTY,
            next_epoch: NextEpoch::default(),
            snapshot,
        }
    }
}
