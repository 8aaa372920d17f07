//! Pairs of bodies that begin and cease to be watched.

use crate::kinetic::broad_phase::BodyPairEvent;
use crate::time::Moment;
use crate::world::World;
use crate::world::contact::span::ContactStep;
use crate::world::def::ContactMode;
use crate::world::engine::Engine;
use crate::world::error::AdvanceError;
use crate::world::pair::broad_phase::ordered;
use crate::world::step::extension::Extended;

impl World {
    /// Enters a body into the broad phase, unless there is nothing it could touch or it is there.
    pub(crate) fn enter(&mut self, index: u32) {
        if !self.pairs.rules.takes_part(index, &self.bodies) {
            return;
        }
        if self.engine == Engine::BruteForce || self.trees_are_idle {
            return self.watch_all_of(index);
        }
        let is_kinetic = self.bodies.at(index).is_kinetic();
        if is_kinetic {
            self.pairs.join_broad_phase(index, &self.bodies, &mut self.clock.context());
        } else if !self.pairs.sweep.is_used {
            // The first body that is not kinetic: from now on kinetic ones are entered in the sweep
            // too.
            self.pairs.sweep.is_used = true;
            for other in self.bodies.indices() {
                self.enter_sweep(other);
            }
        }
        self.enter_sweep(index);
    }

    /// Watches all pairs of a body that are allowed.
    fn watch_all_of(&mut self, index: u32) {
        let is_new = |other: &u32| {
            *other != index
                && self.pairs.rules.may_meet(index, *other, &self.bodies)
                && self.pairs.number_of(ordered(index, *other)).is_none()
        };
        let new: Vec<u32> = self.bodies.indices().into_iter().filter(is_new).collect();
        for other in new {
            // One of them may have ended the idleness of all, and with it watched others.
            if self.pairs.number_of(ordered(index, other)).is_none() {
                self.watch_if_allowed(index, other);
            }
        }
    }

    /// Watches two bodies without a broad phase, now or when pairs are fewer.
    fn watch_if_allowed(&mut self, a: u32, b: u32) {
        if self.engine == Engine::BruteForce && self.pairs.len() >= self.pairs.broad_phase.most_pairs() {
            self.pairs.unpaired.insert(a);
        } else {
            self.watch(a, b, self.clock.now);
        }
    }

    fn enter_sweep(&mut self, index: u32) {
        let sweep = &mut self.pairs.sweep;
        if !sweep.is_used || sweep.contains(index) || !self.pairs.rules.takes_part(index, &self.bodies) {
            return;
        }
        self.pairs.sweep.insert(index);
        self.bodies.sleep.wake(index);
    }

    /// Takes a body that is about to be removed out of the broad phase.
    pub(crate) fn exit(&mut self, index: u32) {
        self.pairs.leave_broad_phase(index, &mut self.clock.context());
        self.process_body_pairs(self.clock.now);
        self.pairs.sweep.remove(index);
        for pair in self.bodies.at(index).pairs.clone() {
            self.unwatch(pair, self.clock.now);
        }
    }

    /// Whether two bodies may meet has changed; both may be in the broad phase.
    pub(crate) fn permission_changed(&mut self, a: u32, b: u32) {
        self.pairs.permission_changed(a, b, &self.bodies, &mut self.clock.context());
        if self.engine == Engine::BruteForce || self.trees_are_idle {
            let may_meet = self.pairs.rules.may_meet(a, b, &self.bodies);
            match (self.pairs.number_of(ordered(a, b)), may_meet) {
                (Some(pair), false) => self.unwatch(pair, self.clock.now),
                (None, true) => self.watch_if_allowed(a, b),
                _ => {}
            }
        }
    }

    /// Rules of a body have changed: watches what it may meet now, and nothing else.
    pub(crate) fn pair_again(&mut self, index: u32) {
        self.enter(index);
        for other in self.bodies.indices() {
            if other != index {
                self.permission_changed(index, other);
            }
        }
        self.note_unpaired(&[index]);
    }

    /// Watches what the broad phase found for bodies whose rules have changed. Pairs that were too
    /// many are watched by [`World::complete_pairs`].
    pub(crate) fn note_unpaired(&mut self, bodies: &[u32]) {
        self.process_body_pairs(self.clock.now);
        if self.pairs.broad_phase.is_full() {
            self.pairs.broad_phase.forget_full();
            self.pairs.unpaired.extend(bodies);
        }
    }

    /// Watches pairs that were too many when rules changed.
    pub(crate) fn complete_pairs(&mut self) -> Result<(), AdvanceError> {
        for body in std::mem::take(&mut self.pairs.unpaired) {
            self.pair_again(body);
        }
        let most = self.limits.most_body_pairs();
        if self.pairs.unpaired.is_empty() { Ok(()) } else { Err(self.clock.beyond(AdvanceError::PAIRS, most)) }
    }

    /// Watches bodies whose boxes began to overlap, and those whose boxes ceased to no longer.
    pub(crate) fn process_body_pairs(&mut self, now: Moment) {
        let changes = self.pairs.broad_phase.take_changes();
        for &BodyPairEvent { a, b, met } in &changes {
            if met {
                // Pairs of bodies that were idle are watched before they meet.
                if self.pairs.number_of(ordered(a, b)).is_none() {
                    self.watch(a, b, now);
                }
            } else if let Some(pair) = self.pairs.number_of((a, b)) {
                self.unwatch(pair, now);
            }
        }
        self.pairs.broad_phase.keep_changes(changes);
    }

    /// Watches two bodies, or one against itself, from a moment on.
    pub(crate) fn watch(&mut self, a: u32, b: u32, now: Moment) {
        let (a, b) = ordered(a, b);
        let is_continuous = self.contact_mode == ContactMode::Continuous;
        let number = self.pairs.insert(a, b, &mut self.bodies, is_continuous);
        self.clock.log.name_pair(number, [a, b].map(|body| self.bodies.id_at(body)));
        let is_decided_here = self.pairs[number].continuous.is_some();
        if !(is_decided_here && self.pairs.start_interval(number, &self.bodies, now)) {
            self.wake_trees(now);
            self.pairs.start_list(number, &self.bodies, &mut self.clock.at(now));
        }
        self.step_contacts(number, now, &ContactStep::Met);
    }

    /// Watches a pair no longer from a moment on.
    pub(crate) fn unwatch(&mut self, number: u32, now: Moment) {
        self.step_contacts(number, now, &ContactStep::Retire);
        self.clock.extensions.remove(Extended::List(number));
        let pair = self.pairs.remove(number, &mut self.bodies, &mut self.clock.at(now));
        if !pair.contacts.is_empty() {
            self.contacts.replace(self.bodies.id_at(pair.a), self.bodies.id_at(pair.b), &[]);
        }
        self.pairs.keep(pair);
    }
}
