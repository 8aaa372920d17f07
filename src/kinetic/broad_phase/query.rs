//! Queries of the broad phase.

use super::{BodyPairEvent, KineticBroadPhase, Member, Pair};
use crate::math::Aabb;
use crate::stats::BroadPhaseStats;

impl KineticBroadPhase {
    /// Whether the body is in the broad phase.
    pub fn contains(&self, body: u32) -> bool {
        self.member(body).is_some()
    }

    /// A body's fat box now.
    pub fn fat_box(&self, body: u32) -> Option<Aabb> {
        self.member(body).map(|member| member.fat_box)
    }

    /// Pairs of bodies whose boxes overlap now, lower number first, in no useful order.
    pub fn meeting(&self) -> impl Iterator<Item = (u32, u32)> {
        self.pairs.iter().filter(|(_, pair)| pair.is_meeting).map(|(_, pair)| (pair.bodies[0], pair.bodies[1]))
    }

    /// Whether there were more pairs than the limit allows. After an event that is in the queue
    /// again, all is as before it, and a body that was to join has not. After a change of
    /// permissions pairs are missing until the broad phase is told again.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The number of pairs beyond which the broad phase is full.
    pub(crate) fn most_pairs(&self) -> usize {
        self.most_pairs
    }

    /// Sets the number of pairs beyond which the broad phase is full.
    pub(crate) fn set_most_pairs(&mut self, most_pairs: usize) {
        self.most_pairs = most_pairs;
    }

    /// The pairs that were missing are not needed any more, nor is what met or parted meanwhile.
    pub fn forget_full(&mut self) {
        self.is_full = false;
        self.changes.clear();
    }

    /// Takes the body pair events since they were last taken, in order.
    pub fn take_changes(&mut self) -> Vec<BodyPairEvent> {
        std::mem::take(&mut self.changes)
    }

    /// Takes the room of such events back.
    pub(crate) fn keep_changes(&mut self, mut changes: Vec<BodyPairEvent>) {
        if self.changes.is_empty() {
            changes.clear();
            self.changes = changes;
        }
    }

    /// Counters since the broad phase was made.
    pub fn stats(&self) -> BroadPhaseStats {
        BroadPhaseStats {
            bodies: self.tree.len(),
            overlapping: self.pairs.len(),
            meeting: self.meeting,
            height: self.tree.height(),
            boxes_visited: self.tree.visits,
            leaves_rebuilt: self.tree.rebuilt,
            ..self.stats
        }
    }

    /// Bytes held, tables of pairs and scheduled events not included.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
            + self.members.capacity() * size_of::<Option<Member>>()
            + self.pairs.capacity() * size_of::<Pair>()
    }
}
