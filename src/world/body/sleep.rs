//! Bodies whose positions may have changed since contacts were last found.
//!
//! A body that rests (never moves, or holds outside its keys) is asleep until the last time at
//! which it is known to be where it is. So a step visits only bodies that may have moved. This
//! concerns positions already evaluated and contacts already found, never events, so it may depend
//! on when the host steps.

use std::collections::BTreeSet;

use ordered_float::OrderedFloat;

use crate::time::NEVER;

/// Awake bodies, and alarm clocks of the sleeping.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sleep {
    awake: BTreeSet<u32>,
    /// Those of the awake that were woken since the last step, and the time of that, seconds.
    woken: BTreeSet<u32>,
    last_step: Option<f64>,
    /// Until when a sleeping body stays where it is, and the body; those that sleep permanently are
    /// left out.
    alarms: BTreeSet<(OrderedFloat<f64>, u32)>,
    /// By body, its alarm; `NEVER` for those that sleep permanently, and unused for the awake.
    until: Vec<f64>,
}

impl Sleep {
    /// The body may have moved: it was added, or its plan changed.
    pub(crate) fn wake(&mut self, body: u32) {
        self.forget(body);
        self.awake.insert(body);
        self.woken.insert(body);
        // For when it sleeps.
        self.until.reserve((body as usize + 1).saturating_sub(self.until.len()));
    }

    /// The body stays where it is until a time, that time included.
    pub(crate) fn put_to_sleep(&mut self, body: u32, until: f64) {
        self.forget(body);
        self.until.resize(self.until.len().max(body as usize + 1), NEVER);
        self.until[body as usize] = until;
        if until < NEVER {
            self.alarms.insert((OrderedFloat(until), body));
        }
    }

    /// The body is gone.
    pub(crate) fn forget(&mut self, body: u32) {
        self.awake.remove(&body);
        self.woken.remove(&body);
        if let Some(&until) = self.until.get(body as usize) {
            self.alarms.remove(&(OrderedFloat(until), body));
        }
    }

    /// Finds the bodies, by number, that may be elsewhere at a time than when this was last asked;
    /// at the same time again, only those woken since. O(bodies given), and O(log n) per body whose
    /// alarm goes off.
    pub(crate) fn moved(&mut self, time: f64, found: &mut Vec<u32>) {
        while let Some(&(until, body)) = self.alarms.first()
            && until.0 < time
        {
            self.alarms.pop_first();
            self.awake.insert(body);
        }
        let is_again = self.last_step.replace(time) == Some(time);
        found.clear();
        found.extend(if is_again { &self.woken } else { &self.awake });
        self.woken.clear();
    }
}
