//! Reading the crowd.

use super::{KineticBroadPhase, Member, Pair};
use crate::math::Aabb;
use crate::stats::BroadPhaseStats;

impl KineticBroadPhase {
    /// Is the body in the crowd?
    pub fn contains(&self, body: u32) -> bool {
        self.member(body).is_some()
    }

    /// A body's region now.
    pub fn fat_box(&self, body: u32) -> Option<Aabb> {
        self.member(body).map(|member| member.fat_box)
    }

    /// Pairs of bodies whose boxes overlap now, lower number first, in no useful order.
    pub fn meeting(&self) -> impl Iterator<Item = (u32, u32)> {
        self.pairs.iter().filter(|(_, pair)| pair.is_meeting).map(|(_, pair)| (pair.bodies[0], pair.bodies[1]))
    }

    /// Were there more pairs than there may be? Then pairs are missing, and the crowd must be
    /// dropped.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The crowd is full beyond so many pairs from now on.
    pub(crate) fn set_most_pairs(&mut self, most_pairs: usize) {
        self.most_pairs = most_pairs;
    }

    /// The pairs that were missing are not needed any more.
    pub fn forget_full(&mut self) {
        self.is_full = false;
    }

    /// Counters since the crowd began.
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

    /// Bytes held, partners' tables and scheduled events not included.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
            + self.members.capacity() * size_of::<Option<Member>>()
            + self.pairs.capacity() * size_of::<Pair>()
    }
}
