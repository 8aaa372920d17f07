//! Extension of plans in use: appends keys, forgets past keys.

use std::sync::Arc;

use super::trajectories::Trajectories;
use super::{Motion, MotionError, Rounds, check};
use crate::limits;
use crate::time::Moment;

impl Motion {
    /// Checks a key to be appended to a plan at time `now`, both in seconds; nothing is changed.
    /// O(vertices).
    ///
    /// # Errors
    /// [`MotionError::NotExtendable`]; [`MotionError::BadTime`]; [`MotionError::KeysOutOfOrder`]
    /// unless the key is later than the last key and than `now`; [`MotionError::PositionCount`];
    /// [`MotionError::BadCoordinate`]. Keys are numbered among those that the plan still has.
    pub fn check_key(&self, key_time: f64, positions: &[[f32; 3]], now: f64) -> Result<(), MotionError> {
        let not_extendable = |kind| Err(MotionError::NotExtendable { kind });
        let table = match &self.shared {
            Trajectories::Keys(_) if self.spheres.is_some() => return not_extendable("a plan of spheres"),
            Trajectories::Keys(table) if table.is_to_loop() => return not_extendable("a loop"),
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

    /// Appends a key to a plan at time `now`, both in seconds, and forgets keys on which no later
    /// time depends. If all keys are past, the body rests until `now`. Returns the time until which
    /// the motion is unchanged, seconds.
    ///
    /// O(vertices + keys); with vertex-major keys O(keys × vertices).
    ///
    /// # Errors
    /// As [`Motion::check_key`]; the motion is unchanged.
    pub fn append_key(&mut self, key_time: f64, positions: &[[f32; 3]], now: f64) -> Result<f64, MotionError> {
        self.check_key(key_time, positions, now)?;
        let Trajectories::Keys(table) = &mut self.shared else { return Ok(now) };
        // A single key holds at all times.
        let same_until = if table.times().len() == 1 { now } else { table.last().max(now) };
        if table.last() < now {
            table.append_rest(now);
        }
        table.append_at(now, key_time, positions.as_flattened());
        Ok(same_until)
    }

    /// The key times of the shared plan, to be shared with other motions; `None` if it has no
    /// keyframes.
    pub(crate) fn common_times(&self) -> Option<Arc<[f64]>> {
        match &self.shared {
            Trajectories::Keys(table) => Some(table.common_times()),
            _ => None,
        }
    }

    /// Shares key times if they are equal to its own, which makes certificates between motions
    /// cheaper. Returns whether they are equal.
    pub(crate) fn take_times(&mut self, times: &Arc<[f64]>) -> bool {
        match &mut self.shared {
            Trajectories::Keys(table) => table.take_times(times),
            _ => false,
        }
    }

    /// Begins the epoch around a moment: certificates are searched in it only. Keys of a loop are
    /// then read in rows, as those of a plan without a loop are. O(keys) for a loop.
    pub(crate) fn begin_epoch(&mut self, at: Moment, rounds: &mut Rounds) {
        if let Trajectories::Keys(table) = &mut self.shared {
            table.timeline.begin_round(at, rounds);
        }
    }

    /// The times of the keys of a loop in the epoch around a moment.
    pub(crate) fn round_at(&mut self, at: Moment, rounds: &mut Rounds) -> Option<Arc<[f64]>> {
        let mut round = None;
        self.exchange_round(&mut round);
        self.begin_epoch(at, rounds);
        self.exchange_round(&mut round);
        round
    }

    /// Exchanges the times of the keys of a loop in the present epoch for others. O(1).
    pub(crate) fn exchange_round(&mut self, round: &mut Option<Arc<[f64]>>) {
        if let Trajectories::Keys(table) = &mut self.shared {
            table.timeline.exchange_round(round);
        }
    }

    /// The times of the keys of a loop in the round of the present epoch, to be shared with other
    /// motions.
    pub(crate) fn round(&self) -> Option<&Arc<[f64]>> {
        match &self.shared {
            Trajectories::Keys(table) => table.timeline.round(),
            _ => None,
        }
    }

    /// Shares the times of a round if they are equal to its own, which makes certificates between
    /// motions cheaper. Returns whether they are equal.
    pub(crate) fn take_round(&mut self, round: &Arc<[f64]>) -> bool {
        match &mut self.shared {
            Trajectories::Keys(table) => table.timeline.take_round(round),
            _ => false,
        }
    }

    /// Returns the time, at most `until`, up to which another motion is identical to this one from
    /// `from` on, seconds; at least `from`. Only for keys between which all vertices move linearly.
    /// O(vertices) per key.
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
