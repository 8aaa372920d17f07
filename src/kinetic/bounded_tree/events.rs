//! Epochs of the kinetic tree of a reduced body.

use std::sync::OnceLock;

use super::{KineticBoundedTree, Table};
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
        clear(&mut self.table, is_as_long);
        clear(&mut self.points, is_as_long);
    }

    /// The end of an epoch of the tree that contains a moment.
    pub fn epoch_end(motion: &Motion, at: Moment) -> Moment {
        motion.epoch_end(at).min(motion.key_horizon(at, tuning::PIECES_PER_EPOCH))
    }
}

/// Forgets what is known; keeps rows that are as long as those to come.
fn clear<T>(table: &mut Table<T>, is_as_long: bool) {
    for row in table {
        match row.get_mut() {
            Some(entries) if is_as_long => entries.iter_mut().for_each(|entry| *entry = OnceLock::new()),
            Some(_) => *row = OnceLock::new(),
            None => {}
        }
    }
}
