//! Plans that are continued while they are flown: a key more, and keys that are past forgotten.

use std::sync::Arc;

use super::trajectories::Trajectories;
use super::{Motion, MotionError, check};
use crate::limits;

impl Motion {
    /// Checks a key that is to follow the plan of a body at a time, both in seconds; nothing is changed. O(vertices).
    ///
    /// # Errors
    /// [`MotionError::NotExtendable`]; [`MotionError::BadTime`], and [`MotionError::KeysOutOfOrder`] for a key not later than the last one
    /// and the time; [`MotionError::PositionCount`], [`MotionError::BadCoordinate`]. Keys are counted among those the plan still has.
    pub fn check_key(&self, key_time: f64, positions: &[[f32; 3]], now: f64) -> Result<(), MotionError> {
        let not_extendable = |kind| Err(MotionError::NotExtendable { kind });
        let table = match &self.shared {
            Trajectories::Keys(_) if self.spheres.is_some() => return not_extendable("a plan of spheres"),
            Trajectories::Keys(table) if table.first_of_loop().is_some() => return not_extendable("a loop"),
            Trajectories::Keys(table) => table,
            Trajectories::LinearMotion(_) => return not_extendable("velocities"),
            Trajectories::Curves(_) => return not_extendable("curves"),
            Trajectories::Sampled(_) => return not_extendable("a sampled plan"),
        };
        let key = table.times().len();
        // Also false for NaN.
        if !(key_time.abs() <= limits::MAX_TIME) {
            return Err(MotionError::BadTime { key, time: key_time });
        }
        let previous = table.last().max(now);
        if key_time <= previous {
            return Err(MotionError::KeysOutOfOrder { key, time: key_time, previous });
        }
        check::count(positions.len(), self.shared_count)?;
        if !check::all_usable(positions) {
            for (vertex, position) in positions.iter().enumerate() {
                check::coordinates(key, vertex as u32, position.map(f64::from))?;
            }
        }
        Ok(())
    }

    /// Appends a key to the plan of a body at a time, both in seconds, and forgets keys that no time from then on depends on. Where all keys
    /// are past the body rests until that time. Returns until when the motion is as it was, seconds.
    ///
    /// O(vertices), and O(keys); with keys by vertex O(keys × vertices).
    ///
    /// # Errors
    /// As [`Motion::check_key`]; the motion is unchanged.
    pub fn append_key(&mut self, key_time: f64, positions: &[[f32; 3]], now: f64) -> Result<f64, MotionError> {
        self.check_key(key_time, positions, now)?;
        let Trajectories::Keys(table) = &mut self.shared else { return Ok(now) };
        // A single key holds permanently, before its time and after it.
        let same_until = if table.times().len() == 1 { now } else { table.last().max(now) };
        if table.last() < now {
            table.append_rest(now);
        }
        table.forget_before(now);
        table.append(key_time, positions.as_flattened());
        Ok(same_until)
    }

    /// The key times of the shared plan, if it is one of keyframes, for others to have in common.
    pub(crate) fn common_times(&self) -> Option<Arc<[f64]>> {
        match &self.shared {
            Trajectories::Keys(table) => Some(table.common_times()),
            _ => None,
        }
    }

    /// Takes key times for its own if they are equal to these: certificates between motions get cheaper. Says whether they are.
    pub(crate) fn take_times(&mut self, times: &Arc<[f64]>) -> bool {
        match &mut self.shared {
            Trajectories::Keys(table) => table.take_times(times),
            _ => false,
        }
    }

    /// Until when another motion is the very same as this one from a time on, seconds; at least that time. Only for keys between which
    /// all vertices move linearly, and no farther than `until`. O(vertices) per key.
    pub(crate) fn agrees_until(&self, other: &Self, from: f64, until: f64) -> f64 {
        let is_plain = |motion: &Self| motion.own.is_empty() && motion.own_plans.is_empty() && motion.spheres.is_none();
        match (&self.shared, &other.shared) {
            (Trajectories::Keys(table), Trajectories::Keys(other_table)) if is_plain(self) && is_plain(other) => {
                table.agrees_until(other_table, from, until)
            }
            _ => from,
        }
    }
}
