//! Looking for contacts again, where something may have changed: O(awake bodies and their pairs), and O(contacts) if some began
//! or ended. A world that sleeps costs nothing.
//!
//! The contacts of a pair are kept with it. They are found again if one of its bodies may have moved, if its plan changed, or
//! if the pair is new. Brute force keeps nothing and finds everything again: it is the oracle.

use super::advance::Halt;
use super::{Engine, Index, World};
use crate::time::Moment;

impl World {
    /// Finds the contacts at the clock's time.
    pub(super) fn find_contacts(&mut self) -> Result<(), Halt> {
        let time = self.now.time();
        if self.book.is_continuous() {
            if self.book.take_turned() || self.book.is_inside(time) {
                let (contacts, inside_from) = self.contacts_on_at_clock();
                self.book.set_continuous(contacts, inside_from);
            }
            self.book.close(time);
            return Ok(());
        }
        let mut moved = self.sleep.moved(time);
        if self.engine == Engine::Brute {
            moved = self.bodies.iter().map(|(id, _)| id.index()).collect();
        }
        for &index in &moved {
            self.prepare(index);
        }
        if self.sweep.is_used() {
            self.sweep(&moved)?;
        }
        let mut due = std::mem::take(&mut self.due);
        for &index in &moved {
            due.extend(&self.bodies.at(index).pairs);
        }
        (self.bodies_awake, self.pairs_tested) = (moved.len(), due.len());
        let pairs: Vec<u32> = due.iter().copied().collect();
        for number in due {
            let touching = self.touching(number);
            let pair = &mut self.pairs[number as usize];
            if touching != pair.contacts {
                pair.contacts.clone_from(&touching);
                self.book.replace(self.bodies.id_at(pair.a), self.bodies.id_at(pair.b), touching);
            }
        }
        self.book.close(time);
        if self.sweep.is_used() {
            self.foresee(&moved, &pairs);
        }
        for index in moved {
            if let Some(until) = self.bodies.at(index).motion.rests_until(time).filter(|&until| until > time) {
                self.sleep.lay(index, until);
            }
        }
        Ok(())
    }

    /// Forgets the old positions of a body that may have moved; engines that look at whole frames evaluate theirs.
    fn prepare(&mut self, index: u32) {
        let now: Moment = self.now;
        let is_wanted = self.sweep.contains(index) || !self.bodies.at(index).pairs.is_empty();
        let body = self.bodies.at_mut(index);
        body.snapshot.begin();
        body.forget_place();
        body.forget_refitted();
        // Nobody it could touch: nothing to find.
        if !is_wanted {
            return;
        }
        match &mut body.index {
            Index::Grid(grid) => {
                body.snapshot.evaluate_all(&body.motion, now);
                grid.fill(body.mesh.triangles(), body.snapshot.positions(), 2.0 * body.halo);
            }
            Index::Brute => body.snapshot.evaluate_all(&body.motion, now),
            Index::Kinetic(_) => {}
            Index::Swept(_) => body.look(now, self.step),
            Index::Bounded(_) => body.look_bounded(now),
        }
    }
}
