//! Looking for contacts again, where something may have changed: O(awake bodies and their pairs), and O(contacts) if some began
//! or ended. A world that sleeps costs nothing.
//!
//! The contacts of a pair are kept with it. They are found again if one of its bodies may have moved, if its plan changed, or
//! if the pair is new. Brute force keeps nothing and finds everything again: it is the oracle.

use crate::threads::for_each;
use crate::time::Moment;
use crate::world::step::events::Halt;
use crate::world::{Body, Engine, Index, World};

/// One body in so many that moved is looked up, more are found in one pass over all.
const FEW_OF: usize = 8;

impl World {
    /// Finds the contacts at the clock's time.
    pub(crate) fn find_contacts(&mut self) -> Result<(), Halt> {
        let time = self.now.time();
        if self.contacts.is_continuous() {
            if self.contacts.take_turned() || self.contacts.is_inside(time) {
                let (contacts, inside_from) = self.contacts_on_at_clock();
                self.contacts.set_continuous(contacts, inside_from);
            }
            self.contacts.close(time);
            return Ok(());
        }
        let mut moved = self.sleep.moved(time);
        if self.engine == Engine::BruteForce {
            moved = self.bodies.iter().map(|(id, _)| id.index()).collect();
        }
        self.prepare(&moved);
        if self.sweep.is_used() {
            self.sweep(&moved)?;
        }
        let mut due = std::mem::take(&mut self.due);
        for &index in &moved {
            due.extend(&self.bodies.at(index).pairs);
        }
        (self.bodies_awake, self.pairs_tested) = (moved.len(), due.len());
        let pairs: Vec<u32> = due.into_iter().collect();
        for (number, touching) in self.find_touching(&pairs) {
            let pair = &mut self.pairs[number as usize];
            if !are_same(&touching, &pair.contacts) {
                pair.contacts.clone_from(&touching);
                self.contacts.replace(self.bodies.id_at(pair.a), self.bodies.id_at(pair.b), touching);
            }
        }
        self.contacts.close(time);
        self.end_trials();
        if self.sweep.is_used() {
            self.prefetch(&moved, &pairs);
        }
        for index in moved {
            if let Some(until) = self.bodies.at(index).motion.rests_until(time).filter(|&until| until > time) {
                self.sleep.put_to_sleep(index, until);
            }
        }
        Ok(())
    }

    /// Forgets the old positions of bodies that may have moved, by ascending number; engines that look at whole frames evaluate theirs.
    fn prepare(&mut self, moved: &[u32]) {
        let Self { bodies, sweep, now, step, .. } = self;
        let (now, step) = (*now, *step);
        let prepare = |(index, body): &mut (u32, &mut Body)| {
            body.snapshot.begin();
            body.forget_place();
            body.forget_refitted();
            // Nobody it could touch: nothing to find.
            if sweep.contains(*index) || !body.pairs.is_empty() {
                body.prepare(now, step);
            }
        };
        // Few of many are looked up, one by one.
        if moved.len() < 2 || FEW_OF * moved.len() < bodies.len() {
            moved.iter().for_each(|&index| prepare(&mut (index, bodies.at_mut(index))));
        } else {
            let mut moved: Vec<(u32, &mut Body)> = moved.iter().copied().zip(bodies.each_of(moved)).collect();
            for_each(&mut moved, prepare);
        }
    }
}

/// Are two lists of pairs the same? Mostly they nearly are: compared sixteen at a time, without a branch.
fn are_same(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let differ =
        |a: &[(u32, u32)], b: &[(u32, u32)]| a.iter().zip(b).fold(0, |d, (a, b)| d | (a.0 ^ b.0) | (a.1 ^ b.1));
    a.len() == b.len() && a.chunks(16).zip(b.chunks(16)).all(|(a, b)| differ(a, b) == 0)
}

impl Body {
    /// Brings up to date what finds its parts.
    fn prepare(&mut self, now: Moment, step: f64) {
        match &mut self.index {
            Index::Grid(grid) => {
                self.snapshot.evaluate_all(&self.motion, now);
                grid.fill(self.mesh.triangles(), self.snapshot.positions(), 2.0 * self.contact_margin);
            }
            Index::Brute => self.snapshot.evaluate_all(&self.motion, now),
            Index::Kinetic(_) => {}
            Index::Discrete(_) => self.look(now, step),
            Index::OnDemand(_) => self.look_bounded(now),
        }
    }
}
