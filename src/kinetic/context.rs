//! What the structures are given with every call: queue, log and clock; for trees also the motion.

use super::certificate::overtaking;
use super::event::{EventLog, EventQueue};
use super::hierarchy::SlotChange;
use crate::math::Extent;
use crate::motion::Motion;
use crate::time::Moment;

/// What a structure may change while it processes an event: the queue and the log of its world, and
/// the clock.
#[derive(Debug)]
pub struct EventContext<'a> {
    /// Scheduled events.
    pub queue: &'a mut EventQueue,
    /// Changes so far.
    pub log: &'a mut EventLog,
    /// The moment of the event being processed.
    pub now: Moment,
}

/// What a kinetic tree works with: the motion of its vertices, the events, and the list of slots it
/// changed.
#[derive(Debug)]
pub struct TreeContext<'a, 'e> {
    /// Where the vertices are.
    pub motion: &'a Motion,
    /// Until when certificates are searched, seconds.
    pub epoch_end: f64,
    /// Queue, log and clock.
    pub events: &'a mut EventContext<'e>,
    /// Slots whose bound became another function of time; every call appends to it.
    pub changes: &'a mut Vec<SlotChange>,
}

impl<'a, 'e> TreeContext<'a, 'e> {
    /// The context of one call.
    pub fn new(
        motion: &'a Motion,
        epoch_end: f64,
        events: &'a mut EventContext<'e>,
        changes: &'a mut Vec<SlotChange>,
    ) -> Self {
        Self { motion, epoch_end, events, changes }
    }

    /// When a vertex overtakes the winner of a slot, not before now; never if not before `until`.
    pub(super) fn overtaking(&self, [winner, vertex]: [u32; 2], extent: Extent, until: f64) -> Moment {
        overtaking(self.motion, winner, vertex, extent, self.events.now, until)
    }
}
