//! Continuous contacts of a pair of bodies over one event or change.

use std::sync::Arc;

use crate::motion::Motion;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::are_between_rounds;
use crate::world::body::keys::moves_by_keys;
use crate::world::contact::set::EventBuffers;
use crate::world::contact::span::{ContactStep, IntervalTriangles, Partners, Room, StepContext};
use crate::world::pair::BodyPair;
use crate::world::pair::finder::PairFinder;
use crate::world::rule::PairRule;

impl World {
    /// Carries the continuous contacts of a pair of bodies over one event or change; nothing for
    /// contacts at times.
    pub(crate) fn step_contacts(&mut self, number: u32, now: Moment, step: &ContactStep<'_>) {
        if matches!(
            step,
            ContactStep::PlansChanged(_) | ContactStep::Invalidate(_) | ContactStep::Resume | ContactStep::Retire
        ) {
            self.pairs[number].forget_ahead();
        }
        match step {
            ContactStep::Met | ContactStep::PlansChanged(_) => self.update_interval(number, now, now),
            ContactStep::WindowEnds => {
                self.pairs.windows_decided_ahead += u64::from(self.pairs[number].has_decided_ahead());
                let BodyPair { a, b, .. } = self.pairs[number];
                if are_between_rounds(self.bodies.at(a), self.bodies.at(b), now.time()) {
                    self.update_interval(number, now, now);
                }
                // What lies beyond the window begins just after it.
                self.update_interval(number, Moment::after(now.time()), now);
            }
            ContactStep::Resume => {
                let put_off = self.pairs[number].continuous.as_ref().and_then(|continuous| continuous.put_off.as_ref());
                let is_next = put_off.is_some_and(|put_off| put_off.is_of_next_interval());
                self.update_interval(number, if is_next { Moment::after(now.time()) } else { now }, now);
            }
            ContactStep::Event(_) | ContactStep::Invalidate(_) | ContactStep::Retire => {}
        }
        let (step_began, in_advance) = (self.clock.step_began, self.clock.in_advance);
        let clock = self.clock.at(now);
        let pair = &mut self.pairs[number];
        let Some(continuous) = pair.continuous.as_mut() else { return };
        let mut buffers = std::mem::take(&mut self.contacts.scratch);
        leaves_of(&mut pair.finder, step, &mut buffers.pairs);
        let EventBuffers { transitions, leaves: scratch, pairs: mut leaves } = buffers;
        let interval = match &pair.finder {
            PairFinder::List(_) => None,
            PairFinder::Continuous(it) => Some(IntervalTriangles { end: it.end(), triangles: it.triangles() }),
            _ => return,
        };
        let (a, b) = (self.bodies.at(pair.a), self.bodies.at(pair.b));
        let rule = PairRule::new(pair.a == pair.b, a.surface(), pair.distance, &pair.ignored);
        let partners = Partners { a, b, rule, owner: number, interval };
        let ahead = pair.ahead.0.as_deref_mut();
        let continuous = Arc::make_mut(continuous);
        let room = match (&continuous.put_off, step) {
            (Some(put_off), ContactStep::Resume) => put_off.room(self.limits.contacts),
            _ => Room::new(self.limits.contacts, continuous.on.len()),
        };
        let mut context = StepContext { partners, scratch, transitions, ahead, room, clock };
        continuous.needed_from = step_began;
        match step {
            ContactStep::Met => {
                continuous.decide(&leaves, &mut context);
                context.ahead.iter_mut().for_each(|ahead| ahead.ask_met(&leaves, continuous));
            }
            ContactStep::WindowEnds => continuous.next_windows(&leaves, &mut context),
            ContactStep::Event(event) => continuous.process(*event, &mut context),
            ContactStep::PlansChanged(is_affected) => {
                continuous.plans_changed(&leaves, is_affected, &mut context);
            }
            ContactStep::Invalidate(is_affected) => {
                continuous.invalidate(is_affected, &mut context);
                continuous.decide(&leaves, &mut context);
            }
            ContactStep::Resume => continuous.resume(&leaves, &mut context),
            ContactStep::Retire => continuous.retire(&mut context),
        }
        let StepContext { mut scratch, mut transitions, .. } = context;
        // An event finds nothing, and leaves nothing to be decided.
        let is_crowded = matches!(step, ContactStep::Event(_)) && continuous.on.len() > self.limits.contacts;
        let is_put_off = continuous.put_off.is_some();
        scratch.clear();
        leaves.clear();
        self.contacts.retest_at(continuous.take_retests());
        let ids = (self.bodies.id_at(pair.a), self.bodies.id_at(pair.b));
        self.contacts.apply(&mut transitions, ids, in_advance);
        self.contacts.scratch = EventBuffers { transitions, leaves: scratch, pairs: leaves };
        self.pairs.is_crowded |= is_crowded;
        if is_put_off {
            self.pairs.overfull.insert(number);
        }
        self.note_window(number);
    }

    /// Brings the interval of a pair to a moment, if the pair has one; where that is not possible,
    /// the pair has a list from now on.
    fn update_interval(&mut self, number: u32, at: Moment, now: Moment) {
        if !self.pairs.update_interval(number, &mut self.bodies, at) {
            self.wake_trees(now);
            self.pairs.start_list(number, &self.bodies, &mut self.clock.at(now));
        }
    }

    /// Gives the pairs of a body lists instead of intervals: what comes concerns parts of the body.
    pub(crate) fn leave_intervals(&mut self, index: u32) {
        let now = self.clock.now;
        self.wake_trees(now);
        for number in self.bodies.at(index).pairs.clone() {
            if self.pairs.drop_interval(number) {
                self.pairs.start_list(number, &self.bodies, &mut self.clock.at(now));
                self.step_contacts(number, now, &ContactStep::PlansChanged(&|_| true));
            }
        }
        self.bodies.at_mut(index).keys = None;
    }

    /// A body is about to get another plan as a whole: its pairs keep their intervals if the body
    /// still moves by keys, stored ones or those of the sampler that bounds it.
    pub(crate) fn check_intervals(&mut self, index: u32, motion: &Motion, is_bounded: bool) {
        let now = self.clock.now;
        let is_apt = if is_bounded { motion.keys_around(now).is_some() } else { moves_by_keys(motion, now) };
        if !is_apt {
            self.leave_intervals(index);
        }
        self.bodies.at_mut(index).forget_keys();
    }
}

/// The leaf pairs that a step concerns: those that met since they were last asked for, or those
/// that overlap, sorted. Without a list, the pair of both roots.
fn leaves_of(finder: &mut PairFinder, step: &ContactStep<'_>, leaves: &mut Vec<(u32, u32)>) {
    let roots = (0, 0);
    match step {
        ContactStep::Met | ContactStep::Invalidate(_) => match finder.list_mut() {
            Some(list) => list.take_met(leaves),
            None => leaves.push(roots),
        },
        ContactStep::WindowEnds | ContactStep::PlansChanged(_) | ContactStep::Resume => {
            match finder.list() {
                Some(list) => leaves.extend(list.overlapping()),
                None => leaves.push(roots),
            }
            leaves.sort_unstable();
        }
        ContactStep::Event(_) | ContactStep::Retire => {}
    }
}
