//! The next epoch of a kinetic body, prepared a part at a time before it begins.

use std::sync::Arc;

use crate::kinetic::aabb_tree::SlotsAhead;
use crate::kinetic::{KineticTree, KineticTreeView};
use crate::math::Extent;
use crate::motion::Rounds;
use crate::time::{Moment, NEVER};
use crate::world::body::{Body, Index, grown};

/// What was found of the next epoch. A clone has nothing.
#[derive(Debug, Default)]
pub(crate) struct NextEpoch {
    pub(crate) slots: SlotsAhead,
    /// Of a loop, the times of its keys in that epoch.
    round: Option<Arc<[f64]>>,
}

impl Clone for NextEpoch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Body {
    /// Begins to prepare the epoch that begins at a moment, the end of the present one, unless that
    /// was done. Returns how many nodes of its tree are to be passed; `None` if it is not prepared.
    pub(crate) fn begin_next_epoch(&mut self, at: Moment, rounds: &mut Rounds) -> Option<usize> {
        let until = self.epoch_end(at).time();
        let Self { motion, index, next_epoch: NextEpoch { slots, round }, .. } = self;
        let Index::Kinetic(KineticTree::Aabb(tree)) = index else { return None };
        if tree.is_idle() {
            return None;
        }
        if !slots.is_begun(at) {
            tree.begin_ahead(slots, at, until);
            *round = motion.round_at(at, rounds);
        }
        Some(slots.left())
    }

    /// How many nodes are to be passed before the epoch that begins at a moment, if it was begun.
    pub(crate) fn nodes_left(&self, at: Moment) -> Option<usize> {
        let slots = &self.next_epoch.slots;
        slots.is_begun(at).then(|| slots.left())
    }

    /// Passes some nodes of the epoch that was begun.
    pub(crate) fn prepare_epoch(&mut self, nodes: usize) {
        let Self { motion, index, next_epoch: NextEpoch { slots, round }, .. } = self;
        if let Index::Kinetic(KineticTree::Aabb(tree)) = index {
            // Certificates are searched in the rows of that epoch.
            motion.exchange_round(round);
            tree.prepare_ahead(slots, nodes, motion);
            motion.exchange_round(round);
        }
    }

    /// Whether boxes at the begin of the next epoch, and after, are known: all nodes are passed, or
    /// the body rests from a time on, seconds.
    pub(crate) fn knows_epoch(&self, at: Moment, now: f64) -> bool {
        let is_at_rest = || self.epoch.end == NEVER && self.motion.rests_until(now) == Some(NEVER);
        self.next_epoch.slots.is_complete(at) || is_at_rest()
    }

    /// Exchanges the present round of a loop for that of the epoch that was begun, and back.
    pub(crate) fn exchange_round(&mut self, at: Moment) {
        if self.next_epoch.slots.is_begun(at) {
            self.motion.exchange_round(&mut self.next_epoch.round);
        }
    }

    /// The times of keys in the round of the epoch that was begun.
    pub(crate) fn next_round(&self) -> Option<&Arc<[f64]>> {
        self.next_epoch.round.as_ref()
    }

    /// Shares the times of keys in the next round with another body, if they are equal.
    pub(crate) fn share_next_round(&mut self, other: &Arc<[f64]>) {
        let own = self.next_epoch.round.as_mut().filter(|own| !Arc::ptr_eq(own, other) && *own == other);
        if let Some(own) = own {
            *own = Arc::clone(other);
        }
    }

    /// The kinetic tree over the epoch that begins at a moment, with every bound moved outward by
    /// some metres more; `None` unless that epoch is known. The round must be that of the epoch.
    pub(crate) fn kinetic_ahead(&self, by: f64, at: Moment) -> Option<KineticTreeView<'_>> {
        let slots = &self.next_epoch.slots;
        if !slots.is_begun(at) {
            return self.kinetic_grown(by, at);
        }
        let Index::Kinetic(KineticTree::Aabb(tree)) = &self.index else { return None };
        let slack = grown(self.motion.slack(at), by);
        tree.view_ahead(slots, &self.motion, slack, at).map(KineticTreeView::Aabb)
    }

    /// Whether the vertex that realises an extent of a node is the one that was found for the epoch
    /// that begins now, or nothing was to be found.
    pub(crate) fn is_as_found(&self, node: u32, extent: Extent) -> bool {
        match &self.index {
            Index::Kinetic(KineticTree::Aabb(tree)) => {
                self.next_epoch.slots.agrees(node, extent, tree.winner(node, extent))
            }
            // Another tree is part of this only at rest.
            _ => true,
        }
    }
}
