//! The next epoch of a kinetic body, prepared a part at a time before it begins.

use std::sync::Arc;

use crate::kinetic::KineticTree;
use crate::kinetic::aabb_tree::SlotsAhead;
use crate::time::Moment;
use crate::world::body::{Body, Index};

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
    /// Prepares one of `steps` equal shares of what remains of the epoch that begins at a moment,
    /// the end of the present one. Nothing is begun for a single step: at the renewal it costs no
    /// more.
    pub(crate) fn prepare_epoch(&mut self, at: Moment, steps: f64) {
        let until = self.epoch_end(at).time();
        let Self { motion, index, next_epoch: NextEpoch { slots, round }, .. } = self;
        let Index::Kinetic(KineticTree::Aabb(tree)) = index else { return };
        if tree.is_idle() {
            return;
        }
        if !slots.is_begun(at) {
            if steps <= 1.0 {
                return;
            }
            tree.begin_ahead(slots, at, until);
            *round = motion.round_at(at);
        }
        // Certificates are searched in the rows of that epoch.
        motion.exchange_round(round);
        let share = (slots.left() as f64 / steps).ceil() as usize;
        tree.prepare_ahead(slots, share, motion);
        motion.exchange_round(round);
    }
}
