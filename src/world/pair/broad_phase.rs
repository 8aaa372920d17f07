//! The broad phase: which boxes of bodies overlap.
//!
//! Boxes of kinetic bodies are watched by events
//! ([`KineticBroadPhase`](crate::kinetic::KineticBroadPhase)). All other pairs are found by sweep
//! and prune over the boxes at every time asked for. Under brute force all pairs that are allowed
//! are watched.

use crate::bvh::BoxSweep;
use crate::kinetic::EventContext;
use crate::kinetic::broad_phase::Bodies as KineticBodies;
use crate::kinetic::event::Event;
use crate::math::{Aabb, Extent};
use crate::motion::{KeyTrack, Piece};
use crate::time::Moment;
use crate::world::body::bodies::Bodies;
use crate::world::pair::rules::PairRules;
use crate::world::pair::{BodyPair, Pairs};

/// Where more boxes than this have moved, all boxes are sorted instead of compared one by one.
const FEW_MOVED: usize = 8;

/// The world's bodies as the kinetic broad phase sees them.
pub(crate) struct Members<'a> {
    pub(crate) bodies: &'a Bodies,
    pub(crate) rules: &'a PairRules,
}

impl KineticBodies for Members<'_> {
    fn bound(&self, body: u32, extent: Extent, at: Moment) -> Piece {
        self.bodies.at(body).root_bound(extent, at)
    }

    fn bound_row(&self, body: u32, extent: Extent) -> Option<KeyTrack<'_>> {
        let body = self.bodies.at(body);
        body.motion.row(body.root_winner(extent)?, extent.axis())
    }

    fn slack(&self, body: u32) -> f64 {
        self.bodies.at(body).margin_slack()
    }

    fn epoch_end(&self, body: u32) -> f64 {
        self.bodies.at(body).epoch.end
    }

    fn may_meet(&self, a: u32, b: u32) -> bool {
        self.rules.may_meet(a, b, self.bodies)
    }
}

/// Boxes of bodies at the clock's time, for pairs of which not both are kinetic.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SweepAndPrune {
    /// By ascending body.
    boxes: Vec<(u32, Aabb)>,
    /// Whether pairs may have changed although nothing moved.
    pub(crate) is_stale: bool,
    /// Whether there are bodies that are not kinetic. Until then kinetic ones are not entered.
    pub(crate) is_used: bool,
}

/// What a sweep changes: pairs that are no longer to be watched, and pairs of bodies that are to be
/// watched.
#[derive(Debug, Default)]
pub(crate) struct SweepChanges {
    pub(crate) separated: Vec<u32>,
    pub(crate) overlapping: Vec<(u32, u32)>,
}

/// Buffers of a sweep.
#[derive(Debug, Default)]
pub(crate) struct SweepBuffers {
    changes: SweepChanges,
    /// Pairs that may have separated.
    in_question: Vec<u32>,
    boxes: BoxSweep,
}

impl SweepAndPrune {
    /// Where a body is, or would be entered.
    fn place_of(&self, body: u32) -> Result<usize, usize> {
        self.boxes.binary_search_by_key(&body, |&(other, _)| other)
    }

    /// Whether a body is entered.
    pub(crate) fn contains(&self, body: u32) -> bool {
        self.place_of(body).is_ok()
    }

    /// Enters a body that may have moved.
    pub(crate) fn insert(&mut self, body: u32) {
        match self.place_of(body) {
            Ok(place) => self.boxes[place].1 = Aabb::EMPTY,
            Err(place) => self.boxes.insert(place, (body, Aabb::EMPTY)),
        }
    }

    /// Takes a body out.
    pub(crate) fn remove(&mut self, body: u32) {
        if let Ok(place) = self.place_of(body) {
            self.boxes.remove(place);
        }
    }

    /// Whether there is nothing to do where some bodies moved.
    fn is_current(&self, moved: &[u32]) -> bool {
        moved.is_empty() && !self.is_stale
    }

    /// Brings the boxes of bodies that moved, by ascending index, up to date with
    /// [`Body::swept`](crate::world::body::Body).
    fn update(&mut self, moved: &[u32], bodies: &Bodies) {
        let mut rest = &mut self.boxes[..];
        for &index in moved {
            // Mostly all bodies move, and the next one is here.
            if rest.first().is_some_and(|&(body, _)| body < index) {
                rest = &mut rest[1..];
            }
            if rest.first().is_some_and(|&(body, _)| body < index) {
                let before = rest.partition_point(|&(body, _)| body < index);
                rest = &mut rest[before..];
            }
            if let Some((_, bounds)) = rest.first_mut().filter(|(body, _)| *body == index) {
                *bounds = bodies.at(index).swept;
            }
        }
    }

    /// Finds the pairs of boxes that overlap of which one is among a few, the lower number first,
    /// sorted.
    fn overlapping(&self, few: &[u32], found: &mut Vec<(u32, u32)>) {
        for (body, bounds) in few.iter().filter_map(|&body| self.boxes.get(self.place_of(body).ok()?)) {
            let meeting = self.boxes.iter().filter(|(other, others)| other != body && others.overlaps(bounds));
            found.extend(meeting.map(|&(other, _)| ordered(*body, other)));
        }
        found.sort_unstable();
        found.dedup();
    }
}

impl Pairs {
    /// Enters a kinetic body into the kinetic broad phase, unless it is there. What it meets is in
    /// [`Pairs::events`].
    pub(crate) fn join_broad_phase(&mut self, body: u32, bodies: &Bodies, clock: &mut EventContext<'_>) {
        let Self { broad_phase, rules, .. } = self;
        if !broad_phase.contains(body) {
            broad_phase.join(body, &Members { bodies, rules }, clock);
        }
    }

    /// Takes a body out of the kinetic broad phase. What it parts from is in [`Pairs::events`].
    pub(crate) fn leave_broad_phase(&mut self, body: u32, clock: &mut EventContext<'_>) {
        self.broad_phase.leave(body, clock);
    }

    /// Whether two bodies may meet has changed; both may be in the broad phase.
    pub(crate) fn permission_changed(&mut self, a: u32, b: u32, bodies: &Bodies, clock: &mut EventContext<'_>) {
        let Self { broad_phase, rules, sweep, .. } = self;
        broad_phase.permission_changed([a, b], &Members { bodies, rules }, clock);
        sweep.is_stale = true;
    }

    /// Processes an event of the kinetic broad phase; what begins or ceases to overlap is in
    /// [`Pairs::events`].
    pub(crate) fn process_broad_phase(&mut self, event: Event, bodies: &Bodies, clock: &mut EventContext<'_>) {
        let Self { broad_phase, rules, .. } = self;
        broad_phase.process(event, &Members { bodies, rules }, clock);
    }

    /// Certifies the bounds of a body again in the kinetic broad phase.
    pub(crate) fn certify_in_broad_phase(&mut self, body: u32, bodies: &Bodies, clock: &mut EventContext<'_>) {
        self.broad_phase.certify_all(body, &Members { bodies, rules: &self.rules }, clock);
    }

    /// Sweeps the boxes at the clock's time, of which those of `moved` are new. What is returned is
    /// given back by [`Pairs::keep_sweep`].
    pub(crate) fn sweep(&mut self, moved: &[u32], bodies: &Bodies) -> SweepChanges {
        if self.sweep.is_current(moved) {
            return SweepChanges::default();
        }
        self.sweep.update(moved, bodies);
        // A few boxes are compared with all others; many are sorted.
        let is_full = std::mem::take(&mut self.sweep.is_stale) || moved.len() > FEW_MOVED;
        let buffers = &mut self.scratch.0.sweep;
        let mut in_question = std::mem::take(&mut buffers.in_question);
        let SweepChanges { mut separated, mut overlapping } = std::mem::take(&mut buffers.changes);
        overlapping.clear();
        if is_full {
            self.scratch.0.sweep.boxes.overlapping(self.sweep.boxes.iter().copied(), &mut overlapping);
        } else {
            self.sweep.overlapping(moved, &mut overlapping);
        }
        let both_kinetic = |a: u32, b: u32| bodies.at(a).is_kinetic() && bodies.at(b).is_kinetic();
        overlapping.retain(|&(a, b)| !both_kinetic(a, b) && self.rules.may_meet(a, b, bodies));
        in_question.clear();
        if is_full {
            in_question.extend(self.watched.values());
        } else {
            in_question.extend(moved.iter().flat_map(|&body| &bodies.at(body).pairs));
        }
        in_question.sort_unstable();
        in_question.dedup();
        let is_separated = |number: &u32| {
            let BodyPair { a, b, .. } = self[*number];
            a != b && !both_kinetic(a, b) && overlapping.binary_search(&(a, b)).is_err()
        };
        separated.clear();
        separated.extend(in_question.iter().copied().filter(is_separated));
        self.scratch.0.sweep.in_question = in_question;
        overlapping.retain(|pair| !self.watched.contains_key(pair));
        SweepChanges { separated, overlapping }
    }

    /// Takes the room of a sweep's outcome back.
    pub(crate) fn keep_sweep(&mut self, changes: SweepChanges) {
        if changes.separated.capacity() + changes.overlapping.capacity() > 0 {
            self.scratch.0.sweep.changes = changes;
        }
    }
}

/// A pair of bodies, the lower index first.
pub(crate) fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}
