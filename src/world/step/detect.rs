//! Contacts at the clock's time, where something may have changed: O(awake bodies and their pairs),
//! and O(contacts) if some began or ended. A world whose bodies are all at rest costs nothing.
//!
//! The contacts of a pair are kept with it. They are found again if one of its bodies may have
//! moved, if its plan changed, or if the pair is new. Brute force keeps nothing and finds
//! everything again: it is the oracle.

use std::sync::Arc;

use crate::limits;
use crate::world::World;
use crate::world::caps::WorldLimits;
use crate::world::engine::Engine;
use crate::world::error::{AdvanceError, WorldError};
use crate::world::pair::task::PairTask;

impl World {
    /// Finds the contacts at the clock's time.
    pub(crate) fn find_contacts(&mut self) -> Result<(), AdvanceError> {
        self.contacts.is_stale = true;
        let time = self.clock.now.time();
        if !self.pairs.unpaired.is_empty() {
            return Err(self.clock.beyond(AdvanceError::PAIRS, self.limits.most_body_pairs()));
        }
        if self.contacts.is_continuous {
            if !self.pairs.overfull.is_empty() {
                return Err(self.clock.beyond(AdvanceError::CONTACTS, self.limits.contacts));
            }
            if self.contacts.take_transitions() || self.contacts.is_inside(time) {
                let mut contacts = self.contacts.room();
                let inside_from = self.pairs.contacts_on_at(time, &self.bodies, Arc::make_mut(&mut contacts));
                if contacts.len() > self.limits.contacts {
                    // They are asked for again.
                    self.contacts.retest_at(time);
                    return Err(self.clock.beyond(AdvanceError::CONTACTS, self.limits.contacts));
                }
                self.contacts.set_continuous(contacts, inside_from);
            }
        } else {
            self.find_contacts_at_clock()?;
        }
        self.contacts.close(time);
        self.contacts.is_stale = false;
        Ok(())
    }

    fn find_contacts_at_clock(&mut self) -> Result<(), AdvanceError> {
        let mut moved = std::mem::take(&mut self.bodies.moved);
        self.bodies.sleep.moved(self.clock.now.time(), &mut moved);
        if self.engine == Engine::BruteForce {
            moved.clear();
            moved.extend(self.bodies.iter().map(|(id, _)| id.index()));
        }
        self.update_bodies(&moved);
        let outcome = self.find_contacts_of(&moved);
        if outcome.is_err() {
            // What was not found is to be found again, even at the same time.
            self.pairs.set_due(moved.iter().flat_map(|&index| self.bodies.at(index).pairs.iter().copied()));
            moved.iter().for_each(|&index| self.bodies.sleep.wake(index));
        }
        self.bodies.moved = moved;
        outcome
    }

    /// Finds the contacts of pairs of bodies that may have changed; nothing is entered if there are
    /// too many.
    fn find_contacts_of(&mut self, moved: &[u32]) -> Result<(), AdvanceError> {
        let (now, step) = (self.clock.now, self.clock.step);
        if self.pairs.sweep.is_used {
            self.sweep(moved)?;
        }
        let due = self.pairs.take_due(moved, &self.bodies);
        self.bodies.awake = moved.len();
        let found = self.find_contacts_of_pairs(&due);
        if found.is_err() {
            self.pairs.set_due(due.iter().copied());
        }
        let found = found?;
        for task in &found {
            if self.pairs.set_contacts(task.number, task.found()) {
                let pair = &self.pairs[task.number];
                self.contacts.replace(self.bodies.id_at(pair.a), self.bodies.id_at(pair.b), task.found());
            }
        }
        self.pairs.keep_tasks(found);
        self.pairs.end_trials(&mut self.bodies, step);
        if self.pairs.sweep.is_used {
            self.pairs.prefetch(moved, &due, &mut self.bodies, now, step);
        }
        self.pairs.keep_due(due);
        self.bodies.put_resting_to_sleep(moved, now);
        Ok(())
    }

    /// Finds the contacts of some pairs, within the world's bounds.
    fn find_contacts_of_pairs(&mut self, due: &[u32]) -> Result<Vec<PairTask>, AdvanceError> {
        let WorldLimits { candidates, contacts, .. } = self.limits;
        let (now, step) = (self.clock.now, self.clock.step);
        let cancel = self.clock.cancel.0.as_ref();
        let Some(found) = self.pairs.find_contacts(due, &mut self.bodies, (now, step), candidates, cancel) else {
            let is_cancelled = self.clock.is_cancelled();
            let beyond = || self.clock.beyond(AdvanceError::CANDIDATES, candidates);
            return Err(if is_cancelled { self.clock.cancelled() } else { beyond() });
        };
        if !self.pairs.has_at_most(contacts, self.contacts.now.len(), &found) {
            self.pairs.keep_tasks(found);
            return Err(self.clock.beyond(AdvanceError::CONTACTS, contacts));
        }
        Ok(found)
    }

    /// Forgets the old positions of bodies that may have moved, by ascending index, and brings
    /// their trees up to date.
    fn update_bodies(&mut self, moved: &[u32]) {
        let (now, step) = (self.clock.now, self.clock.step);
        let sweep = &self.pairs.sweep;
        self.bodies.for_each_of(moved, |(index, body)| {
            body.begin_step();
            // Without anything the body could touch there is nothing to find.
            let is_swept = sweep.contains(*index);
            if is_swept || !body.pairs.is_empty() {
                body.update(now, step);
            }
            if is_swept {
                body.note_bounds(now);
            }
        });
    }

    /// Sweeps the boxes at the clock's time, of which those of `moved` are new, and watches the
    /// pairs that overlap.
    fn sweep(&mut self, moved: &[u32]) -> Result<(), AdvanceError> {
        let now = self.clock.now;
        let changes = self.pairs.sweep(moved, &self.bodies);
        for &number in &changes.separated {
            self.unwatch(number, now);
        }
        let (most, new) = (self.limits.most_body_pairs(), changes.overlapping.len());
        let is_beyond = new > 0 && self.pairs.weighted_count(new) > most;
        if is_beyond || self.pairs.len() + new > limits::MAX_OWNERS {
            self.pairs.sweep.is_stale = true;
            return Err(self.clock.beyond(AdvanceError::PAIRS, most));
        }
        for &(a, b) in &changes.overlapping {
            self.watch(a, b, now);
        }
        self.pairs.keep_sweep(changes);
        Ok(())
    }

    /// Processes what a change made due now, before the rest of the change is made and
    /// [`World::settle`] follows. Where a bound is met, the rest is made all the same, and that
    /// reports it.
    pub(crate) fn settle_events(&mut self) -> Result<(), WorldError> {
        let _is_told_later = self.decide_overfull().and_then(|()| self.complete_pairs());
        match self.process_until(self.clock.now) {
            Ok(()) | Err(AdvanceError::Limit { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Processes what a change made due now, and finds the contacts again.
    pub(crate) fn settle(&mut self) -> Result<(), WorldError> {
        self.contacts.is_stale = true;
        let mut outcome = self.decide_overfull().and_then(|()| self.complete_pairs());
        if outcome.is_ok() {
            outcome = self.process_until(self.clock.now);
        }
        if outcome.is_err() {
            // The change is made: bodies may be elsewhere, and their boxes are not brought up to
            // date.
            self.bodies.forget_places();
        }
        outcome?;
        // During an advance, contacts are found at its end.
        if self.clock.in_advance { Ok(()) } else { Ok(self.find_contacts()?) }
    }
}
