//! Buffers that steps use again: a step whose buffers are large enough allocates nothing.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::math::Aabb;
use crate::refit::Gathered;
use crate::world::pair::broad_phase::SweepBuffers;
use crate::world::pair::cost_groups::CostGroups;
use crate::world::pair::engine_choice::PairCosts;
use crate::world::pair::prefetch::Prefetch;
use crate::world::pair::task::PairTask;

/// Something that is only of use during a step. A clone begins with an empty one.
#[derive(Default)]
pub(crate) struct Scratch<T>(pub(crate) T);

impl<T: Default> Clone for Scratch<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> fmt::Debug for Scratch<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Scratch")
    }
}

/// Buffers of all pairs.
#[derive(Default)]
pub(crate) struct StepBuffers {
    /// Pairs that are tested, by number.
    pub(crate) due: Vec<u32>,
    /// Empty between steps.
    pub(crate) tasks: Vec<PairTask>,
    pub(crate) costs: Vec<PairCosts>,
    pub(crate) groups: CostGroups,
    /// Of tasks that are done.
    pub(crate) spare: Vec<PairBuffers>,
    /// Steps left, index and work left of bodies whose next intervals are prepared.
    pub(crate) body_work: Vec<(f64, u32, usize)>,
    /// Pairs whose separation lists are prepared or certified, by number.
    pub(crate) lists: Vec<u32>,
    pub(crate) sweep: SweepBuffers,
    pub(crate) gathered: GatherRoom,
    /// Boxes of a body's triangles, under brute force.
    pub(crate) boxes: Pool<Vec<Aabb>>,
    /// Empty between steps.
    pub(crate) waiting: Vec<Prefetch>,
}

/// Memory for what pairs need for a moment, as often as pairs need it at the same time: pairs do
/// not keep it.
#[derive(Debug, Default)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

/// Leaves of two bodies that are gathered: entries per node and vertex of the largest bodies.
pub(crate) type GatherRoom = Pool<[Gathered; 2]>;

impl<T: Default> Pool<T> {
    /// Lends the room.
    pub(crate) fn lend<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        let rooms = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = rooms().pop();
        let mut room = lent.unwrap_or_default();
        let outcome = act(&mut room);
        rooms().push(room);
        outcome
    }
}

/// Buffers of one pair; what they hold is said by [`PairTask`].
#[derive(Default)]
pub(crate) struct PairBuffers {
    /// Leaf pairs that meet, or may, where these were looked for.
    pub(crate) leaves: Vec<(u32, u32)>,
    /// Pairs of triangles to be tested.
    pub(crate) open: Vec<(u32, u32)>,
    /// Pairs of triangles that certainly touch, ascending.
    pub(crate) certain: Vec<(u32, u32)>,
    /// Pairs of triangles that touch, sorted.
    pub(crate) found: Vec<(u32, u32)>,
    pub(crate) merged: Vec<(u32, u32)>,
}

impl PairBuffers {
    /// Empties all.
    pub(crate) fn clear(&mut self) {
        let Self { leaves, open, certain, found, merged } = self;
        [leaves, open, certain, found, merged].into_iter().for_each(Vec::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_leaves_behind_is_not_printed() {
        assert_eq!(format!("{:?}", Scratch(vec![1, 2])), "Scratch");
    }
}
