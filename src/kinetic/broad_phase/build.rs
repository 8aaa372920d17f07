//! Insertion and removal of bodies; choice of fat boxes; search of pairs.

use super::events::record;
use super::fat_box::{Choice, FEW};
use super::fat_tree::FatBoxTree;
use super::{Bodies, BodyPairEvent, KineticBroadPhase, Member, Pair};
use crate::kinetic::EventContext;
use crate::kinetic::box_pair::BoxPair;
use crate::kinetic::event::{EventKind, Ticket};
use crate::limits;
use crate::math::Aabb;
use crate::sorted::SortedMap;
use crate::stats::BroadPhaseStats;
use crate::time::{Moment, NEVER};

use crate::id::Slots;
impl Default for KineticBroadPhase {
    fn default() -> Self {
        Self::with_most_pairs(limits::MAX_OWNERS)
    }
}

impl KineticBroadPhase {
    /// A broad phase that is full beyond `most_pairs` pairs.
    pub(crate) fn with_most_pairs(most_pairs: usize) -> Self {
        Self {
            tree: FatBoxTree::default(),
            members: Vec::new(),
            pairs: Slots::new(),
            meeting: 0,
            most_pairs,
            is_full: false,
            knots: Default::default(),
            lost_and_found: Default::default(),
            changes: Vec::new(),
            stats: BroadPhaseStats::default(),
        }
    }

    /// Adds a body, whose bounds are known, at the moment of the context. Notes the body pair
    /// events that result. If there would be too many pairs, it is not added, and the broad phase
    /// is full ([`KineticBroadPhase::is_full`]). O(log n + overlapping fat boxes).
    pub fn join(&mut self, body: u32, bodies: &impl Bodies, context: &mut EventContext<'_>) {
        if self.members.len() <= body as usize {
            self.members.resize(body as usize + 1, None);
        }
        let nowhere = Member {
            fat_box: Aabb::EMPTY,
            level: 0,
            is_tight: true,
            is_overfull: false,
            leaves: [Moment::at(NEVER); 6],
            ticket: Ticket::NONE,
            overlapping: SortedMap::default(),
        };
        self.members[body as usize] = Some(nowhere);
        if !self.relocate(body, 0, bodies, context) {
            self.members[body as usize] = None;
        }
    }

    /// Takes a body out, before its bounds are gone. Notes the body pair events of pairs that
    /// part. O(log n + overlapping fat boxes).
    pub fn leave(&mut self, body: u32, context: &mut EventContext<'_>) {
        let Some(mut member) = self.members.get_mut(body as usize).and_then(Option::take) else { return };
        context.queue.set(&mut member.ticket, None);
        self.tree.remove(body);
        for (_, number) in member.overlapping.iter() {
            self.separate(number, context);
        }
    }

    /// Updates a pair after a change of whether the two bodies may meet.
    pub fn permission_changed(&mut self, [a, b]: [u32; 2], bodies: &impl Bodies, context: &mut EventContext<'_>) {
        let (Some(first), Some(second)) = (self.member(a), self.member(b)) else { return };
        match first.overlapping.get(&b).copied() {
            Some(number) if !bodies.may_meet(a, b) => self.separate(number, context),
            None if bodies.may_meet(a, b) && first.fat_box.overlaps(&second.fat_box) => {
                self.pair_up([a, b], bodies, context);
            }
            _ => {}
        }
    }

    /// Gives a body another fat box, for a stretch of the way ahead no longer than that of its
    /// level; updates its pairs.
    ///
    /// Returns false, and changes nothing, if there would be too many pairs and more than before.
    pub(super) fn relocate(
        &mut self,
        body: u32,
        first_level: u8,
        bodies: &impl Bodies,
        context: &mut EventContext<'_>,
    ) -> bool {
        let Choice { fat_box, level, is_tight } = self.choose(body, first_level, bodies, context.now);
        let overlapping =
            self.member_mut(body).map(|member| std::mem::take(&mut member.overlapping)).unwrap_or_default();
        let [mut lost, mut found] = std::mem::take(&mut self.lost_and_found);
        let is_lost = |other: u32| self.member(other).is_none_or(|other| !other.fat_box.overlaps(&fat_box));
        lost.clear();
        lost.extend(overlapping.iter().filter(|&(other, _)| is_lost(other)).map(|(_, number)| number));
        found.clear();
        self.tree.overlapping(&fat_box, |other| {
            if other != body && !overlapping.contains_key(&other) && bodies.may_meet(body, other) {
                found.push(other);
            }
            true
        });
        if let Some(member) = self.member_mut(body) {
            member.overlapping = overlapping;
        }
        // In the order of their numbers, whatever the tree looks like.
        found.sort_unstable();
        // Beyond a bound that was lowered, pairs may become fewer.
        if found.len() > lost.len() && self.pairs.len() + found.len() > self.most_pairs.saturating_add(lost.len()) {
            self.lost_and_found = [lost, found];
            self.is_full = true;
            return false;
        }
        self.stats.fat_boxes_chosen += 1;
        self.tree.remove(body);
        self.tree.insert(body, fat_box);
        if let Some(member) = self.member_mut(body) {
            (member.fat_box, member.level, member.is_tight, member.is_overfull) = (fat_box, level, is_tight, false);
        }
        for &number in &lost {
            self.separate(number, context);
        }
        for &other in &found {
            self.insert_pair([body, other], bodies, context);
        }
        self.lost_and_found = [lost, found];
        self.certify_fat_box(body, bodies, context);
        true
    }

    /// Makes a pair of two bodies, unless there would be too many.
    fn pair_up(&mut self, pair: [u32; 2], bodies: &impl Bodies, context: &mut EventContext<'_>) {
        if self.pairs.len() >= self.most_pairs {
            self.is_full = true;
        } else {
            self.insert_pair(pair, bodies, context);
        }
    }

    /// Makes a pair of two bodies.
    fn insert_pair(&mut self, [a, b]: [u32; 2], bodies: &impl Bodies, context: &mut EventContext<'_>) {
        // Apart as a stand-in until the pair is settled.
        let pair = Pair { bodies: [a.min(b), a.max(b)], is_meeting: false, boxes: BoxPair::NEW };
        let number = self.pairs.insert(pair) as u32;
        for (body, other) in [(a, b), (b, a)] {
            let Some(member) = self.member_mut(body) else { continue };
            member.overlapping.insert(other, number);
            if !member.is_tight && !member.is_overfull && member.overlapping.len() > FEW {
                member.is_overfull = true;
                self.schedule_fat_box(body, context);
            }
        }
        self.settle(number, bodies, context);
    }

    /// Removes a pair.
    fn separate(&mut self, number: u32, context: &mut EventContext<'_>) {
        let mut pair = self.pairs.remove(number as usize);
        pair.boxes.retire(context);
        let [a, b] = pair.bodies;
        for (body, other) in [(a, b), (b, a)] {
            if let Some(member) = self.member_mut(body) {
                member.overlapping.remove(&other);
            }
        }
        if pair.is_meeting {
            self.meeting -= 1;
            self.stats.parted += 1;
            record(EventKind::BodiesSeparate, [a, b], context);
            self.changes.push(BodyPairEvent { a, b, met: false });
        }
    }

    pub(super) fn member(&self, body: u32) -> Option<&Member> {
        self.members.get(body as usize)?.as_ref()
    }

    pub(super) fn member_mut(&mut self, body: u32) -> Option<&mut Member> {
        self.members.get_mut(body as usize)?.as_mut()
    }
}
