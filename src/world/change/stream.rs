//! Streamed motion: keys that are told one by one while the world runs.
//!
//! Another key changes nothing up to the last key that was known: intervals, their pairs and what
//! was prepared of the next stay, positions and contacts at the clock's time are what they were. So
//! a world whose keys are streamed has the contacts of one that knew them from the start, and does
//! the same work. Where all bodies keep the slack they had ([`crate::limits`]: it follows the
//! largest coordinate and the largest drift known, rounded up to a power of two), it has the same
//! events too.

use crate::id::BodyId;
use crate::world::World;
use crate::world::body::Index;
use crate::world::change::bounds::NewBounds;
use crate::world::contact::span::ContactStep;
use crate::world::def::ContactMode;
use crate::world::error::WorldError;

impl World {
    /// Appends a key to a body's flightplan: at `key_time`, seconds, vertices are at `positions`,
    /// metres, and they move there linearly from the last key. For keyframes that do not loop,
    /// rigid ones and bodies that rest included. One position per vertex of the plan; vertices that
    /// have plans of their own keep them.
    ///
    /// Keys that no time from now on depends on are forgotten, so a stream may go on without end. A
    /// key must come before the last one has passed: where the clock is past the last key, the body
    /// has rested since, and leaves from there now. To have intervals prepared ahead, two keys
    /// beyond the clock should be known. A baked clip of the body ([`World::set_baked`]) is
    /// dropped.
    ///
    /// O(vertices), whatever the plan holds. Of a kinetic body, certificates are searched over the
    /// new key in the advances from now to the last key that was known, in equal shares for equal
    /// steps: O(body) in all. At once they are searched where the clock is past that key, where the
    /// body reaches farther than before (its slack grows), and in a `BoxTree`.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`]; [`WorldError::Motion`] with the key, vertex and value that is
    /// wrong, or with [`crate::motion::MotionError::NotExtendable`]. Nothing is changed then.
    /// [`WorldError::Limit`] as of [`World::set_filter`]; the key is appended.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let low = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// world.extend_flightplan(ball, 3.0, &low)?; // Onto the floor again at 3 s.
    /// world.advance_to(3.0)?;
    /// assert_eq!(world.contacts().len(), 1);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn extend_flightplan(&mut self, id: BodyId, key_time: f64, positions: &[[f32; 3]]) -> Result<(), WorldError> {
        let (index, now) = (id.index(), self.clock.now);
        let body = self.bodies.find(id)?;
        let refused = |error| WorldError::Motion { body: body.name.clone(), error };
        body.motion.check_key(key_time, positions, now.time()).map_err(refused)?;
        let is_kinetic = body.is_kinetic();
        self.unregister(index);
        let body = self.bodies.at_mut(index);
        // Checked above, so nothing is refused now.
        let outcome = body.motion.append_key(key_time, positions, now.time());
        let same_until = outcome.unwrap_or(now.time());
        body.epoch.allowed = body.motion.allowed_span();
        if let Index::Discrete(discrete) = &mut body.index {
            discrete.forget_from(same_until);
        }
        body.forget_keys_from(same_until);
        self.change_bounds(index, NewBounds::None);
        if is_kinetic {
            self.bodies.share_key_times_of(index);
        }
        self.register(index);
        if !is_kinetic {
            return Ok(());
        }
        if same_until > now.time() && self.keeps_epoch(index) && self.extend_certificates(index, same_until) {
            return Ok(self.process_until(now)?);
        }
        self.renew(index, now);
        if self.contact_mode == ContactMode::AtTimes {
            return Ok(self.process_until(now)?);
        }
        self.settle_events()?;
        if same_until <= now.time() {
            if let Some(boxes) = &mut self.bodies.at_mut(index).keys {
                boxes.forget();
            }
            // Contacts were decided as if it rested permanently. Others were decided over windows
            // that are as they were.
            for number in self.bodies.at(index).pairs.clone() {
                self.step_contacts(number, now, &ContactStep::PlansChanged(&|_| true));
            }
        }
        self.settle()
    }

    /// Whether slack and end of a body's epoch are as they were when it was certified.
    fn keeps_epoch(&self, index: u32) -> bool {
        let (body, now) = (self.bodies.at(index), self.clock.now);
        body.epoch_end(now).time() == body.epoch.end && body.motion.slack(now) <= body.epoch.slack
    }
}
