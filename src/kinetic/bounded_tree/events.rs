//! Epochs of the kinetic tree of a reduced body.

use super::KineticBoundedTree;
use crate::kinetic::TreeContext;
use crate::motion::Motion;
use crate::time::Moment;
use crate::tuning;

impl KineticBoundedTree {
    /// Begins another epoch: all bounds are unknown. No slot is reported, as the end of an epoch
    /// concerns all of them. O(boxes made in the last epoch).
    pub fn certify_all(&mut self, context: &mut TreeContext<'_, '_>) {
        let places = self.keys.times.len();
        if !context.motion.keys_ahead(context.events.now, tuning::PIECES_PER_EPOCH, &mut self.keys) {
            self.keys.times.clear();
        }
        let is_as_long = self.keys.times.len() == places;
        self.table.clear(is_as_long);
        self.points.clear(is_as_long);
    }

    /// The end of an epoch of the tree that contains a moment.
    pub fn epoch_end(motion: &Motion, at: Moment) -> Moment {
        motion.epoch_end(at).min(motion.key_horizon(at, tuning::PIECES_PER_EPOCH))
    }
}
