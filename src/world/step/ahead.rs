//! What the ends of windows and epochs bring is prepared before, a part in each advance.
//!
//! All windows of two bodies end at a key of one of them. The event at that time would find and
//! decide everything that may touch until the next key. Motion beyond the key is known before, so
//! each advance until then does its share of that work, and the event enters the outcome
//! ([`crate::world::contact::ahead`]). Neither contacts nor the log depend on it.
//!
//! What was decided is forgotten where a motion, the shape of a tree or a rule changes. All motions
//! change after [`World::unregister`], all trees with
//! [`World::update_after_tree_change`] or [`World::rebuild_tree`]. A pair gets another rule as
//! another pair.
//!
//! Some intervals hold three times as many contacts as those before. Epochs wait while the windows'
//! shares are larger than usual ([`crate::world::pair::windows::UsualShare`]).
//!
//! Where the epoch of a kinetic body ends, at the wrap of a loop for example, all winners and
//! certificates of its tree are found again, and its separation lists are certified again. Both are
//! done before as well, over the whole epoch ([`crate::world::pair::next_epoch`]).

use crate::time::{Moment, NEVER};
use crate::tuning;
use crate::world::World;

impl World {
    /// Does the share of an advance to a time, seconds, in what is to be done when epochs of
    /// kinetic bodies and windows of continuous contacts end.
    pub(crate) fn prepare_ahead(&mut self, time: f64) {
        let now = self.clock.now;
        if !(time > now.time()) {
            return;
        }
        let windows = std::mem::take(&mut self.pairs.windows);
        let (mut share, mut steps_of_windows) = (0usize, 0.0f64);
        for (number, end) in windows.iter().filter(|&(_, end)| end > now.time()) {
            let steps = steps_until(end, now, time);
            let of_pair = self.pairs.decide_ahead(number, end, steps, &mut self.bodies);
            if of_pair > 0 {
                (share, steps_of_windows) = (share.saturating_add(of_pair), steps_of_windows.max(steps));
            }
        }
        self.pairs.windows = windows;
        let room = self.pairs.usual_share.0.room_beside(share);
        // Bodies whose epochs begin at the same moment are prepared together.
        let (mut order, mut together) = std::mem::take(&mut self.bodies.renewal_order);
        order.clear();
        order.extend(self.bodies.renewals.iter().map(|(&index, &at)| (at, index)));
        order.sort_unstable();
        for group in order.chunk_by(|one, other| one.0 == other.0) {
            let at = group[0].0;
            together.clear();
            together.extend(group.iter().map(|&(_, index)| index));
            let steps = steps_until(at.time(), now, time);
            // What waits is done after the windows' ends.
            let room = if steps >= 2.0 * steps_of_windows.max(2.0) { room } else { 1.0 };
            self.pairs.prepare_epochs(at, &together, steps / room, now.time(), &mut self.bodies);
        }
        self.bodies.renewal_order = (order, together);
    }

    /// Decides what a pair may have in contact after windows that end at a time, seconds, a part
    /// at a time, if that is much; returns whether the advance was cancelled in between. What was
    /// decided is kept.
    pub(super) fn decide_before_window(&mut self, number: u32, end: f64) -> bool {
        if self.pairs.windows.get(number) != end || !(end > self.clock.now.time()) {
            return false;
        }
        if self.pairs[number].windows_to_decide() < tuning::LONG_DECISION {
            return false;
        }
        for parts in (1..=tuning::PARTS_OF_A_LONG_DECISION).rev() {
            self.pairs.decide_ahead(number, end, f64::from(parts), &mut self.bodies);
            if self.clock.is_cancelled() {
                return true;
            }
        }
        false
    }

    /// Notes when the present windows of a pair end.
    pub(super) fn note_window(&mut self, number: u32) {
        let continuous = self.pairs[number].continuous.as_ref();
        let ticket = continuous.map(|continuous| continuous.window).filter(|window| window.is_some());
        match ticket.map(|window| self.clock.queue.get(window).moment.time()).filter(|&end| end < NEVER) {
            Some(end) => self.pairs.windows.set(number, end),
            None => self.pairs.windows.remove(number),
        }
    }

    /// The motion or the shape of a body is about to be another one.
    pub(crate) fn forget_ahead(&mut self, index: u32) {
        self.pairs.forget_ahead(index, &mut self.bodies);
    }
}

/// The number of steps as long as one from a moment to `time` until a time `end` is reached, both
/// in seconds. A host that divides the time evenly comes to it, whatever the rounding.
pub(super) fn steps_until(end: f64, now: Moment, time: f64) -> f64 {
    ((end - now.time()) / (time - now.time()) - 1.0 / 1024.0).ceil().max(1.0)
}

#[cfg(test)]
mod tests {
    use crate::mesh::Mesh;
    use crate::motion::{Flightplan, Outside};
    use crate::world::engine::Engine;
    use crate::world::{BodyDef, World, WorldDef};

    #[test]
    fn epochs_of_bodies_that_were_removed_are_not_prepared() {
        let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
        let at = |x: f32| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x + 1.0, 0.0, 0.5]];
        let [_, removed] = [0.0, 0.25].map(|x| {
            let plan = Flightplan::keyframes(vec![0.0, 1.0], [at(x), at(x + 0.125)].concat()).outside(Outside::Loop);
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap()
        });
        world.advance_to(0.25).unwrap();
        assert_eq!(world.bodies.renewal_order.0.len(), 2);
        world.remove_body(removed).unwrap();
        world.advance_to(0.5).unwrap();
        assert_eq!(world.bodies.renewal_order.0.len(), 1);
    }
}
