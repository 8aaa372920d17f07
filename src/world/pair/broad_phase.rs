//! The broad phase: which pairs of bodies are watched.
//!
//! Of live bodies the crowd says whose boxes meet and part, and pairs are watched in between. Of all other pairs the bodies' boxes are
//! swept at every time asked for. Brute force: all pairs that are allowed, always.

use std::collections::{BTreeMap, BTreeSet};

use crate::bvh::overlapping_boxes;
use crate::bvh::{Hierarchy, SharedVertices};
use crate::id::{Arena, BodyId};
use crate::kinetic::SeparationList;
use crate::kinetic::broad_phase::{Bodies, BodyPairEvent};
use crate::limits;
use crate::math::{Aabb, Extent};
use crate::motion::{KeyTrack, Piece};
use crate::time::Moment;
use crate::world::contact::continuous::Continuous;
use crate::world::step::events::{Halt, Step};
use crate::world::{Body, BodyPair, ContactMode, Engine, Index, World};

/// So many moved boxes are compared with all others; if there are more, all are sorted.
const FEW_MOVED: usize = 8;

/// Pairs of bodies about which the host decided, whatever their filters say. Every pair is entered both ways round.
#[derive(Debug, Default)]
pub(crate) struct Decisions(BTreeMap<(u32, u32), bool>);

impl Decisions {
    /// What the host decided about a pair.
    pub(crate) fn get(&self, a: u32, b: u32) -> Option<bool> {
        self.0.get(&(a, b)).copied()
    }

    /// Enters or withdraws a decision.
    pub(crate) fn set(&mut self, a: u32, b: u32, watched: Option<bool>) {
        for pair in [(a, b), (b, a)] {
            match watched {
                Some(watched) => self.0.insert(pair, watched),
                None => self.0.remove(&pair),
            };
        }
    }

    /// Withdraws all decisions about a body. O(log n) each.
    pub(crate) fn forget(&mut self, body: u32) {
        let partners: Vec<u32> = self.of(body).map(|(other, _)| other).collect();
        for other in partners {
            self.set(body, other, None);
        }
    }

    pub(crate) fn of(&self, body: u32) -> impl Iterator<Item = (u32, bool)> {
        self.0.range((body, 0)..=(body, u32::MAX)).map(|(&(_, other), &watched)| (other, watched))
    }
}

/// The world's bodies as the crowd sees them.
pub(crate) struct Members<'a> {
    pub(crate) bodies: &'a Arena<BodyId, Body>,
    pub(crate) decisions: &'a Decisions,
}

impl Members<'_> {
    /// The vertex that realises an extent of a body now. Only bodies with a kinetic tree are in the crowd.
    fn winner(&self, body: u32, extent: Extent) -> u32 {
        match &self.bodies.at(body).index {
            Index::Kinetic(tree) => tree.winner(0, extent),
            _ => 0,
        }
    }
}

impl Bodies for Members<'_> {
    fn bound(&self, body: u32, extent: Extent, at: Moment) -> Piece {
        self.bodies.at(body).motion.piece(self.winner(body, extent), extent.axis(), at)
    }

    fn bound_row(&self, body: u32, extent: Extent) -> Option<KeyTrack<'_>> {
        self.bodies.at(body).motion.row(self.winner(body, extent), extent.axis())
    }

    fn slack(&self, body: u32) -> f64 {
        self.bodies.at(body).margin_slack()
    }

    fn epoch_end(&self, body: u32) -> f64 {
        self.bodies.at(body).epoch_end
    }

    fn may_meet(&self, a: u32, b: u32) -> bool {
        let by_filters = || self.bodies.at(a).filter.allows(self.bodies.at(b).filter);
        self.decisions.get(a, b).unwrap_or_else(by_filters)
    }
}

/// The world's bodies as the crowd sees them.
macro_rules! members {
    ($world:expr) => {
        $crate::world::pair::broad_phase::Members { bodies: &$world.bodies, decisions: &$world.decisions }
    };
}
pub(crate) use members;

/// Boxes of bodies at the clock's time, for engines that sweep them.
#[derive(Debug, Default)]
pub(crate) struct SweepAndPrune {
    boxes: BTreeMap<u32, Aabb>,
    /// May pairs have changed although nothing moved?
    is_stale: bool,
    /// Are there bodies that are not live? Until then live ones are not in it.
    is_used: bool,
}

impl SweepAndPrune {
    pub(crate) fn is_used(&self) -> bool {
        self.is_used
    }

    pub(crate) fn contains(&self, body: u32) -> bool {
        self.boxes.contains_key(&body)
    }

    /// Pairs of boxes that overlap of which one is among a few, the lower number first, sorted.
    fn overlapping(&self, few: &[u32]) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for (body, bounds) in few.iter().filter_map(|body| Some((*body, self.boxes.get(body)?))) {
            let meeting = self.boxes.iter().filter(|&(&other, others)| other != body && others.overlaps(bounds));
            found.extend(meeting.map(|(&other, _)| ordered(body, other)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl World {
    /// Is a body in the hands of the crowd?
    pub(crate) fn is_kinetic(&self, index: u32) -> bool {
        matches!(self.bodies.at(index).index, Index::Kinetic(_))
    }

    pub(crate) fn both_kinetic(&self, a: u32, b: u32) -> bool {
        self.is_kinetic(a) && self.is_kinetic(b)
    }

    /// Is there any body this one could touch?
    fn takes_part(&self, index: u32) -> bool {
        let filter = self.bodies.at(index).filter;
        (filter.category != 0 && filter.mask != 0) || self.decisions.of(index).any(|(_, watched)| watched)
    }

    /// Enters a body into the broad phase, if there is anything it could touch and it is not there.
    pub(crate) fn enter(&mut self, index: u32) {
        if !self.takes_part(index) {
            return;
        }
        if self.engine == Engine::BruteForce {
            let members = members!(self);
            let others = self.bodies.iter().map(|(id, _)| id.index()).filter(|&other| other != index);
            let allowed = others.filter(|&other| members.may_meet(index, other));
            let new: Vec<u32> = allowed.filter(|&other| !self.watched.contains_key(&ordered(index, other))).collect();
            for other in new {
                self.watch(index, other, self.now);
            }
            return;
        }
        let is_kinetic = self.is_kinetic(index);
        if is_kinetic && !self.broad_phase.contains(index) {
            let mut clock = event_context!(self, self.now);
            self.broad_phase.join(index, &members!(self), &mut clock, &mut self.body_pair_events);
        }
        if !is_kinetic && !self.sweep.is_used {
            // The first that is not live: from now on live bodies are swept too, for its sake.
            self.sweep.is_used = true;
            let others: Vec<u32> = self.bodies.iter().map(|(id, _)| id.index()).collect();
            for other in others {
                self.enter_sweep(other);
            }
        }
        self.enter_sweep(index);
    }

    fn enter_sweep(&mut self, index: u32) {
        if self.sweep.is_used && self.takes_part(index) && !self.sweep.contains(index) {
            self.sweep.boxes.insert(index, Aabb::EMPTY);
            self.sleep.wake(index);
        }
    }

    /// Takes a body that is about to be removed out of the broad phase.
    pub(crate) fn exit(&mut self, index: u32) {
        self.broad_phase.leave(index, &mut event_context!(self, self.now), &mut self.body_pair_events);
        self.follow_body_pair_events(self.now);
        self.sweep.boxes.remove(&index);
        for pair in self.bodies.at(index).pairs.clone() {
            self.unwatch(pair, self.now);
        }
    }

    /// It changed whether two bodies may meet, of which both are in the broad phase.
    pub(crate) fn permission_changed(&mut self, a: u32, b: u32) {
        let mut clock = event_context!(self, self.now);
        self.broad_phase.permission_changed(a, b, &members!(self), &mut clock, &mut self.body_pair_events);
        self.sweep.is_stale = true;
        if self.engine == Engine::BruteForce {
            match (self.watched.get(&ordered(a, b)).copied(), members!(self).may_meet(a, b)) {
                (Some(pair), false) => self.unwatch(pair, self.now),
                (None, true) => self.watch(a, b, self.now),
                _ => {}
            }
        }
    }

    /// Watches bodies that met, and watches those no longer that parted.
    pub(crate) fn follow_body_pair_events(&mut self, now: Moment) {
        for BodyPairEvent { a, b, met } in std::mem::take(&mut self.body_pair_events) {
            if met {
                self.watch(a, b, now);
            } else if let Some(&pair) = self.watched.get(&(a, b)) {
                self.unwatch(pair, now);
            }
        }
    }

    /// Sweeps the boxes at the clock's time, of which those of `moved` are new, and watches the pairs that overlap.
    pub(crate) fn sweep(&mut self, moved: &[u32]) -> Result<(), Halt> {
        if moved.is_empty() && !self.sweep.is_stale {
            return Ok(());
        }
        for &index in moved {
            let Some(bounds) = self.sweep.boxes.get_mut(&index) else { continue };
            let body = self.bodies.at(index);
            let own = match body.tree(self.now) {
                Some(tree) => tree.node_box(0, self.now),
                None => Aabb::of_points(body.snapshot.positions()),
            };
            *bounds = own.grown(body.contact_margin);
        }
        // A few boxes are compared with all others; many are sorted.
        let is_full = std::mem::take(&mut self.sweep.is_stale) || moved.len() > FEW_MOVED;
        let mut found = if is_full {
            overlapping_boxes(self.sweep.boxes.iter().map(|(&body, &bounds)| (body, bounds)))
        } else {
            self.sweep.overlapping(moved)
        };
        let members = members!(self);
        found.retain(|&(a, b)| !self.both_kinetic(a, b) && members.may_meet(a, b));
        let in_question: BTreeSet<u32> = if is_full {
            self.watched.values().copied().collect()
        } else {
            moved.iter().flat_map(|&body| &self.bodies.at(body).pairs).copied().collect()
        };
        for number in in_question {
            let BodyPair { a, b, .. } = self.pairs[number as usize];
            if a != b && !self.both_kinetic(a, b) && found.binary_search(&(a, b)).is_err() {
                self.unwatch(number, self.now);
            }
        }
        found.retain(|pair| !self.watched.contains_key(pair));
        if self.pairs.len() + found.len() > limits::MAX_OWNERS {
            return Err(Halt::TooMany);
        }
        for (a, b) in found {
            self.watch(a, b, self.now);
        }
        Ok(())
    }

    /// Watches two bodies, or one against itself, from a moment on.
    pub(crate) fn watch(&mut self, a: u32, b: u32, now: Moment) {
        let (a, b) = ordered(a, b);
        let number = self.pairs.vacant_key() as u32;
        let ignored = self.ignored.get(&(a, b)).cloned().unwrap_or_default();
        let distance = self.distance_between(a, b);
        let mut pair = BodyPair {
            a,
            b,
            distance,
            ignored,
            list: None,
            interval_finder: None,
            interval: None,
            front: None,
            continuous: None,
            contacts: Vec::new(),
        };
        let is_decided_here = self.contact_mode == ContactMode::Continuous && !pair.is_hosted(&self.bodies);
        pair.continuous = is_decided_here.then(Continuous::default);
        self.pairs.insert(pair);
        if !(is_decided_here && self.start_interval(number, now)) {
            self.start_list(number, now);
        }
        self.due.insert(number);
        self.bodies.at_mut(a).pairs.insert(number);
        if a != b {
            self.bodies.at_mut(b).pairs.insert(number);
            self.watched.insert((a, b), number);
        }
        self.step_contacts(number, now, &Step::Met);
    }

    /// Gives a pair of bodies a new separation list, if the engine is live and it does not go by intervals.
    pub(crate) fn start_list(&mut self, number: u32, now: Moment) {
        let pair = &mut self.pairs[number as usize];
        if pair.interval.is_some() {
            return;
        }
        let Some((a, b)) = pair.kinetic_view(&self.bodies, now) else { return };
        let mut clock = event_context!(self, now);
        if let Some(list) = &mut pair.list {
            list.retire(&mut clock);
        }
        pair.list = Some(if pair.a == pair.b {
            let body = self.bodies.at(pair.a);
            let seams = body.seams.as_ref().expect("a body tested against itself is welded");
            let shared_vertices = SharedVertices::new(a.topology(), &body.parts(), seams, !body.neighbours);
            SeparationList::of_one(&a, shared_vertices, number, &mut clock)
        } else {
            SeparationList::new(&a, &b, number, &mut clock)
        });
    }

    /// Watches a pair no longer from a moment on.
    pub(crate) fn unwatch(&mut self, number: u32, now: Moment) {
        self.step_contacts(number, now, &Step::Retire);
        let mut pair = self.pairs.remove(number as usize);
        if let Some(list) = &mut pair.list {
            list.retire(&mut event_context!(self, now));
        }
        self.due.remove(&number);
        for body in [pair.a, pair.b] {
            self.bodies.at_mut(body).pairs.remove(&number);
        }
        self.watched.remove(&(pair.a, pair.b));
        if !pair.contacts.is_empty() {
            self.contacts.replace(self.bodies.id_at(pair.a), self.bodies.id_at(pair.b), Vec::new());
        }
    }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}
