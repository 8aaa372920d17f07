//! What follows when the shape of a body's tree changes: separation lists, the crowd, continuous contacts.

use std::collections::BTreeSet;

use crate::bvh::Topology;
use crate::kinetic::KineticTree;
use crate::kinetic::aabb_tree::TreeChange;
use crate::time::Moment;
use crate::world::pair::broad_phase::members;
use crate::world::query::hosted::Parts;
use crate::world::step::events::Step;
use crate::world::{Body, BodyPair, ContactMode, Index, World, WorldError};

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
type StepOf = for<'a> fn(&'a dyn Fn((u32, u32)) -> bool) -> Step<'a>;

impl World {
    /// Gives a body another tree over the triangles it has now, in the shape a new body would get; with it, other lists.
    pub(crate) fn rebuild_tree(&mut self, index: u32, now: Moment) {
        let step = self.step;
        let Body { mesh, patches, motion, index: finder, epoch_end, .. } = self.bodies.at_mut(index);
        let mut positions = Vec::new();
        match finder {
            Index::Kinetic(tree) => {
                motion.positions(now, &mut positions);
                let mut clock = event_context!(self, now);
                tree.retire(&mut clock);
                let parts = Parts::of(mesh, patches.as_ref());
                let topology = Topology::build(&parts, &positions, tree.topology().params());
                *tree = KineticTree::new(tree.kind(), topology, index, motion, *epoch_end, &mut clock);
            }
            Index::Discrete(_) => return self.bodies.at_mut(index).build_tree(now, step),
            Index::OnDemand(_) => return self.bodies.at_mut(index).forget_bounds(now),
            Index::Grid(_) | Index::Brute => return,
        }
        self.broad_phase.certify_all(index, &members!(self), &mut event_context!(self, now));
        for number in self.bodies.at(index).pairs.clone() {
            self.start_list(number, now);
        }
    }

    /// The separation lists of a body, and the crowd, follow a change of its tree.
    pub(crate) fn update_after_tree_change(&mut self, index: u32, tree_change: &TreeChange, now: Moment) {
        let none = BTreeSet::new();
        for &number in &self.bodies.at(index).pairs {
            let pair = &mut self.pairs[number as usize];
            let lives = pair.kinetic_view(&self.bodies, now);
            let (Some(list), Some((a, b))) = (&mut pair.list, lives) else { continue };
            let body = self.bodies.at(index);
            if let (Some(shared_vertices), Some(seams), Index::Kinetic(tree)) =
                (list.shared_vertices_mut(), &body.seams, &body.index)
            {
                shared_vertices.follow(&tree_change.touched, tree.topology(), &body.parts(), seams);
            }
            let altered = |side: u32| if side == index { &tree_change.altered } else { &none };
            list.tree_changed([altered(pair.a), altered(pair.b)], &a, &b, &mut event_context!(self, now));
        }
        self.notify(index, now);
    }

    /// Settles a change of a body's shape, and decides the contacts of the leaves it touched again.
    pub(crate) fn settle_edit(&mut self, index: u32, touched: &Touched) -> Result<(), WorldError> {
        if self.contact_mode == ContactMode::AtTimes {
            return self.settle();
        }
        // What was decided for leaves that are others now is forgotten before anything is decided; and it is decided what
        // goes on only when all leaves that meet at this moment have met.
        self.step_leaves(index, touched, self.now, |is_affected| Step::Invalidate(is_affected));
        self.settle()?;
        self.step_leaves(index, touched, self.now, |is_affected| Step::PlansChanged(is_affected));
        self.settle()
    }

    pub(crate) fn step_leaves(&mut self, index: u32, touched: &Touched, now: Moment, step: StepOf) {
        for number in self.bodies.at(index).pairs.clone() {
            let BodyPair { a, b, ref interval, .. } = self.pairs[number as usize];
            if interval.is_some() {
                // It knows nothing of leaves; before edits it is given up.
                continue;
            }
            let is_affected = |(leaf_a, leaf_b): (u32, u32)| {
                (a == index && touched.contains(leaf_a)) || (b == index && touched.contains(leaf_b))
            };
            self.step_contacts(number, now, &step(&is_affected));
        }
    }
}
