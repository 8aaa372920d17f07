//! What follows when the shape of a body's tree changes, and when subtrees that drifted are
//! rebuilt.
//!
//! For drift see [`KineticTree::sah_ratio`](crate::kinetic::KineticTree::sah_ratio). Measured are
//! subtrees that hold at least a 64th of a body's triangles and more than
//! `tuning::MIN_LEAVES_OF_DEGRADED_SUBTREE` full leaves, from the root downward. One that drifted
//! beyond the bound is rebuilt from the positions of the moment, and what is below it is not
//! measured. A tree of kind `Box` is rebuilt as a whole if any such subtree drifted.
//!
//! Under [`RebuildPolicy::Automatic`] a tree is measured each time it has processed a number of
//! events, fixed by the number of its nodes: at that event, whatever the host does. So the log does
//! not depend on when the host steps.

use std::collections::BTreeSet;

use crate::kinetic::aabb_tree::TreeChange;
use crate::time::Moment;
use crate::tuning;
use crate::world::World;
use crate::world::body::{Body, Index};
use crate::world::contact::span::ContactStep;
use crate::world::def::{ContactMode, RebuildPolicy};
use crate::world::error::WorldError;
use crate::world::pair::BodyPair;

/// What a change of a tree's shape touched.
#[derive(Debug)]
pub(crate) enum Touched {
    /// Nodes of these numbers went, came, or are others.
    Nodes(BTreeSet<u32>),
    /// The tree is another one.
    All,
}

impl Touched {
    fn contains(&self, node: u32) -> bool {
        match self {
            Self::Nodes(nodes) => nodes.contains(&node),
            Self::All => true,
        }
    }
}

/// A step that concerns some leaf pairs.
type StepOf = for<'a> fn(&'a dyn Fn((u32, u32)) -> bool) -> ContactStep<'a>;

impl World {
    /// Gives a body another tree over the triangles it has now, in the shape a new body would get;
    /// with it, other lists.
    pub(crate) fn rebuild_tree(&mut self, index: u32, now: Moment) {
        self.wake_trees(now);
        self.forget_ahead(index);
        let body = self.bodies.at_mut(index);
        match &body.index {
            Index::Kinetic(_) => {}
            Index::Discrete(_) => return body.build_tree(now, self.clock.step),
            Index::OnDemand(_) => return self.forget_bounds(index, now),
            Index::Brute => return,
        }
        self.bodies.rebuild_kinetic_tree(index, &mut self.clock.at(now));
        self.pairs.certify_in_broad_phase(index, &self.bodies, &mut self.clock.at(now));
        for number in self.bodies.at(index).pairs.clone() {
            self.pairs.start_list(number, &self.bodies, &mut self.clock.at(now));
        }
    }

    /// Makes an on-demand body discrete ([`Body::forget_bounds`]), with other finders for its
    /// pairs.
    pub(crate) fn forget_bounds(&mut self, index: u32, now: Moment) {
        if self.bodies.at(index).is_on_demand() {
            self.pairs.forget_finders(index, &self.bodies);
            self.bodies.at_mut(index).forget_bounds(now);
        }
    }

    /// Brings the separation lists of a body, and the broad phase, up to date after a change of its
    /// tree.
    pub(crate) fn update_after_tree_change(&mut self, index: u32, tree_change: &TreeChange, now: Moment) {
        self.forget_ahead(index);
        self.pairs.tree_changed(index, tree_change, &self.bodies, &mut self.clock.at(now));
        self.pairs.bounds_changed(index, &self.bodies, &mut self.clock.at(now));
    }

    /// Settles a change of a body's shape, and decides the contacts of the leaves it touched again.
    pub(crate) fn settle_edit(&mut self, index: u32, touched: &Touched) -> Result<(), WorldError> {
        if self.contact_mode == ContactMode::AtTimes {
            return self.settle();
        }
        let now = self.clock.now;
        // What was decided for leaves that are others now is forgotten before anything is decided.
        // What goes on is decided only when all leaves that meet at this moment have met.
        self.step_leaves(index, touched, now, |is_affected| ContactStep::Invalidate(is_affected));
        self.settle_events()?;
        self.step_leaves(index, touched, now, |is_affected| ContactStep::PlansChanged(is_affected));
        self.settle()
    }

    /// Carries the continuous contacts of a body's pairs over a step that concerns the leaves that
    /// were touched.
    pub(crate) fn step_leaves(&mut self, index: u32, touched: &Touched, now: Moment, step: StepOf) {
        for number in self.bodies.at(index).pairs.clone() {
            let BodyPair { a, b, ref finder, .. } = self.pairs[number];
            if finder.continuous().is_some() {
                // An interval knows nothing of leaves; before edits it is given up.
                continue;
            }
            let is_affected = |(leaf_a, leaf_b): (u32, u32)| {
                (a == index && touched.contains(leaf_a)) || (b == index && touched.contains(leaf_b))
            };
            self.step_contacts(number, now, &step(&is_affected));
        }
    }

    /// Measures a body's tree that processed an event at a moment, if that is due, and rebuilds
    /// what drifted.
    pub(crate) fn rebuild_if_due(&mut self, index: u32, now: Moment) {
        let Body { tree: params, index: finder, .. } = self.bodies.at_mut(index);
        let (RebuildPolicy::Automatic { bound }, Index::Kinetic(tree)) = (params.rebuild, finder) else { return };
        params.events_since_check += 1;
        if params.events_since_check < tuning::EVENTS_PER_QUALITY_CHECK * tree.topology().node_count() as u64 {
            return;
        }
        params.events_since_check = 0;
        let (count, touched) = self.rebuild_beyond(index, bound, now);
        if count > 0 {
            self.step_leaves(index, &touched, now, |is_affected| ContactStep::Invalidate(is_affected));
            self.step_leaves(index, &touched, now, |is_affected| ContactStep::PlansChanged(is_affected));
        }
    }

    /// Rebuilds the subtrees of a body that drifted beyond a bound; returns how many, and what that
    /// touched.
    pub(crate) fn rebuild_beyond(&mut self, index: u32, bound: f64, now: Moment) -> (usize, Touched) {
        self.wake_trees(now);
        let drifted = drifted_nodes(self.bodies.at(index), bound, now);
        if drifted.is_empty() {
            return (0, Touched::All);
        }
        let mut tree_change = TreeChange::default();
        if !self.bodies.rebuild_subtrees(index, &drifted, &mut tree_change, &mut self.clock.at(now)) {
            self.rebuild_tree(index, now);
            return (1, Touched::All);
        }
        self.update_after_tree_change(index, &tree_change, now);
        (drifted.len(), Touched::Nodes(tree_change.touched))
    }
}

/// The topmost nodes of a body's kinetic tree that drifted beyond a bound.
fn drifted_nodes(body: &Body, bound: f64, now: Moment) -> Vec<u32> {
    let Index::Kinetic(tree) = &body.index else { return Vec::new() };
    if tree.as_bounded().is_some() {
        // Its bounds are of this tree.
        return Vec::new();
    }
    let parts = body.parts();
    let mut positions = Vec::new();
    body.motion.positions(now, &mut positions);
    let leaf_size = tree.topology().params().leaf_size();
    let least = (tree.topology().node(0).count() / 64).max(tuning::MIN_LEAVES_OF_DEGRADED_SUBTREE * leaf_size);
    let (mut drifted, mut stack) = (Vec::new(), vec![0]);
    while let Some(node) = stack.pop() {
        let entry = tree.topology().node(node);
        if entry.count() <= least && node != 0 {
            continue;
        }
        if tree.sah_ratio(node, &parts, &positions) > bound {
            drifted.push(node);
        } else {
            stack.extend(entry.children().iter().rev());
        }
    }
    drifted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::BuildParams;
    use crate::kinetic::SlotChange;
    use crate::math::Extent;
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::engine::Engine;
    use crate::world::{BodyDef, World, WorldDef};

    #[test]
    fn slots_that_an_event_of_another_tree_changed_are_not_those_of_a_rebuilt_one() {
        let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
        let at = |places: [f32; 4]| places.map(|x| [[x, 0.0, 0.0], [x + 0.5, 0.0, 0.0], [x, 0.5, 0.0]]).concat();
        // The two in the middle change places.
        let keys = [at([0.0, 1.0, 8.0, 9.0]), at([0.0, 8.0, 1.0, 9.0])].concat();
        let mesh = Mesh::new(12, (0..4).map(|number| [0, 1, 2].map(|corner| 3 * number + corner)).collect()).unwrap();
        let build = BuildParams { leaf_size: 1, ..BuildParams::default() };
        let plan = Flightplan::keyframes(vec![0.0, 1.0], keys);
        let id = world.add_body(BodyDef::new(mesh, plan).build(build)).unwrap();
        let across = vec![[-1.0, -1.0, -1.0], [10.0, 1.0, -1.0], [0.0, 1.0, 1.0]];
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        world.add_body(BodyDef::new(mesh, Flightplan::fixed(across))).unwrap();
        world.advance_to(1.0).unwrap();
        assert!(world.stats().list.listed > 0);
        world.bodies.slot_changes.push(SlotChange { node: 1000, extent: Extent::ALL[0] });
        assert!(world.rebuild_degraded(id, 1.0).unwrap() > 0);
        assert!(world.audit().is_clean(), "{}", world.audit());
    }

    #[test]
    fn the_topmost_subtrees_that_drifted_are_found_and_small_ones_are_left() {
        // At rest, and far away what changes places from key to key.
        let drifted = |places: &[f32], later: &[f32]| {
            let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
            let far = |places: &[f32]| places.iter().map(|x| x + 1000.0).collect::<Vec<_>>();
            let rest: Vec<f32> = (0..128).map(|x| x as f32).collect();
            let keys: Vec<[f32; 3]> = [&rest[..], &far(places), &rest, &far(later)]
                .concat()
                .into_iter()
                .flat_map(|x| [[x, 0.0, 0.0], [x + 0.5, 0.0, 0.0], [x, 0.5, 0.0]])
                .collect();
            let count = 128 + places.len() as u32;
            let triangles = (0..count).map(|number| [0, 1, 2].map(|corner| 3 * number + corner)).collect();
            let mesh = Mesh::new(3 * count as usize, triangles).unwrap();
            let build = BuildParams { leaf_size: 1, ..BuildParams::default() }.binary();
            let plan = Flightplan::keyframes(vec![0.0, 1.0], keys);
            let id = world.add_body(BodyDef::new(mesh, plan).build(build)).unwrap();
            world.advance_to(1.0).unwrap();
            let body = world.bodies.at(id.index());
            let Index::Kinetic(tree) = &body.index else { panic!("it is kinetic") };
            let mut positions = Vec::new();
            body.motion.positions(world.clock.now, &mut positions);
            let ratio = |node: u32| tree.sah_ratio(node, &body.parts(), &positions);
            let far = tree.topology().node(0).children().iter().copied().find(|&node| ratio(node) > 1.0).unwrap();
            assert_eq!(tree.topology().node(far).count(), places.len());
            assert!(ratio(far) > ratio(0), "{} {}", ratio(far), ratio(0));
            (drifted_nodes(body, ratio(0), world.clock.now), far)
        };
        let many: Vec<f32> = (0..128).map(|x| x as f32).collect();
        let shuffled: Vec<f32> = (0..128).map(|x| (x * 89 % 128) as f32).collect();
        let (found, far) = drifted(&many, &shuffled);
        assert_eq!(found, [far]);
        assert!(drifted(&[0.0, 1.0, 8.0, 9.0], &[0.0, 8.0, 1.0, 9.0]).0.is_empty());
    }
}
