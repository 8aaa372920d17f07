//! Bodies join and leave the crowd, regions are given, partners found and lost.

use super::events::record;
use super::region::{Choice, FEW};
use super::tree::RegionTree;
use super::{Bodies, Crowd, Encounter, Member, Pair, State};
use crate::event::{EventKind, Ticket};
use crate::kds::Clockwork;
use crate::limits;
use crate::math::Aabb;
use crate::stats::CrowdStats;
use crate::time::{Moment, NEVER};

use slab::Slab;
use std::collections::BTreeMap;

impl Default for Crowd {
    fn default() -> Self {
        Self::with_most_pairs(limits::MAX_OWNERS)
    }
}

impl Crowd {
    pub(super) fn with_most_pairs(most_pairs: usize) -> Self {
        Self {
            tree: RegionTree::default(),
            members: Vec::new(),
            pairs: Slab::new(),
            meeting: 0,
            most_pairs,
            is_full: false,
            stats: CrowdStats::default(),
        }
    }

    /// Adds a body, whose bounds are known, at the clock's moment. Appends the encounters this brings about. O(log n +
    /// partners).
    pub fn join(
        &mut self,
        body: u32,
        bodies: &impl Bodies,
        clock: &mut Clockwork<'_>,
        encounters: &mut Vec<Encounter>,
    ) {
        if self.members.len() <= body as usize {
            self.members.resize(body as usize + 1, None);
        }
        let nowhere = Member {
            region: Aabb::EMPTY,
            level: 0,
            is_tight: true,
            is_crowded: false,
            leaves: [Moment::at(NEVER); 6],
            ticket: Ticket::NONE,
            partners: BTreeMap::new(),
        };
        self.members[body as usize] = Some(nowhere);
        self.relocate(body, 0, bodies, clock, encounters);
    }

    /// Takes a body out, before its bounds are gone. Appends the encounters that end. O(log n + partners).
    pub fn leave(&mut self, body: u32, clock: &mut Clockwork<'_>, encounters: &mut Vec<Encounter>) {
        let Some(member) = self.members.get_mut(body as usize).and_then(Option::take) else { return };
        if member.ticket.is_some() {
            clock.queue.erase(member.ticket);
        }
        self.tree.remove(body);
        for &number in member.partners.values() {
            self.separate(number, clock, encounters);
        }
    }

    /// It changed whether two bodies may meet.
    pub fn permission_changed(
        &mut self,
        a: u32,
        b: u32,
        bodies: &impl Bodies,
        clock: &mut Clockwork<'_>,
        encounters: &mut Vec<Encounter>,
    ) {
        let (Some(first), Some(second)) = (self.member(a), self.member(b)) else { return };
        match first.partners.get(&b).copied() {
            Some(number) if !bodies.may_meet(a, b) => self.separate(number, clock, encounters),
            None if bodies.may_meet(a, b) && first.region.overlaps(&second.region) => {
                self.pair_up(a, b, bodies, clock, encounters);
            }
            _ => {}
        }
    }

    /// Gives a body another region, looking ahead no farther than a level says; finds and loses partners accordingly.
    pub(super) fn relocate(
        &mut self,
        body: u32,
        first_level: u8,
        bodies: &impl Bodies,
        clock: &mut Clockwork<'_>,
        encounters: &mut Vec<Encounter>,
    ) {
        self.stats.regions_chosen += 1;
        let Choice { region, level, is_tight } = self.choose(body, first_level, bodies, clock.now);
        self.tree.remove(body);
        self.tree.insert(body, region);
        let Some(member) = self.member_mut(body) else { return };
        (member.region, member.level, member.is_tight, member.is_crowded) = (region, level, is_tight, false);
        let partners = member.partners.clone();
        let is_lost = |other: u32| self.member(other).is_none_or(|other| !other.region.overlaps(&region));
        let lost: Vec<u32> = partners.iter().filter(|&(&other, _)| is_lost(other)).map(|(_, &number)| number).collect();
        for number in lost {
            self.separate(number, clock, encounters);
        }
        let mut found = Vec::new();
        self.tree.overlapping(&region, |other| {
            if other != body && !partners.contains_key(&other) && bodies.may_meet(body, other) {
                found.push(other);
            }
            true
        });
        // In the order of their numbers, whatever the tree looks like.
        found.sort_unstable();
        for other in found {
            self.pair_up(body, other, bodies, clock, encounters);
        }
        self.certify_region(body, bodies, clock);
    }

    /// Makes two bodies partners.
    fn pair_up(
        &mut self,
        a: u32,
        b: u32,
        bodies: &impl Bodies,
        clock: &mut Clockwork<'_>,
        encounters: &mut Vec<Encounter>,
    ) {
        if self.pairs.len() >= self.most_pairs {
            self.is_full = true;
            return;
        }
        // The state is a stand-in until the pair is settled.
        let state = State::Apart { witness: crate::math::GapDirection::ALL[0] };
        let pair = Pair { bodies: [a.min(b), a.max(b)], state, ticket: Ticket::NONE };
        let number = self.pairs.insert(pair) as u32;
        for (body, other) in [(a, b), (b, a)] {
            let Some(member) = self.member_mut(body) else { continue };
            member.partners.insert(other, number);
            if !member.is_tight && !member.is_crowded && member.partners.len() > FEW {
                member.is_crowded = true;
                self.schedule_region(body, clock);
            }
        }
        self.settle(number, bodies, clock, encounters);
    }

    /// Ends a partnership.
    fn separate(&mut self, number: u32, clock: &mut Clockwork<'_>, encounters: &mut Vec<Encounter>) {
        let pair = self.pairs.remove(number as usize);
        if pair.ticket.is_some() {
            clock.queue.erase(pair.ticket);
        }
        let [a, b] = pair.bodies;
        for (body, other) in [(a, b), (b, a)] {
            if let Some(member) = self.member_mut(body) {
                member.partners.remove(&other);
            }
        }
        if let State::Meeting { .. } = pair.state {
            self.meeting -= 1;
            self.stats.parted += 1;
            record(EventKind::BodiesPart, [a, b], clock);
            encounters.push(Encounter { a, b, met: false });
        }
    }

    pub(super) fn member(&self, body: u32) -> Option<&Member> {
        self.members.get(body as usize)?.as_ref()
    }

    pub(super) fn member_mut(&mut self, body: u32) -> Option<&mut Member> {
        self.members.get_mut(body as usize)?.as_mut()
    }
}
