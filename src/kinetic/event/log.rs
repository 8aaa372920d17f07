//! The event log: every change of a maintained attribute, in order, folded into a hash.

use super::EventKind;
use crate::time::{Moment, Side};

/// One change of a maintained attribute: a slot's new winner, or a pair of boxes that met or
/// parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LoggedEvent {
    /// Moment of the change.
    pub moment: Moment,
    /// Kind of the event.
    pub kind: EventKind,
    /// The body or pair of bodies; for two bodies that met or parted, the first.
    pub owner: u32,
    /// For slots: six times the node plus the extent. For pairs: the node of the first body. For
    /// bodies: the first.
    pub first: u32,
    /// For slots: the new winner. For pairs: the node of the second body. For bodies: the second.
    pub second: u32,
}

/// The log: always a count and a hash, on request also the events.
///
/// Equal inputs give equal logs bit for bit, in debug and release, for any step size of the host.
/// Events that change no attribute (a new witness direction, a renewal without a new winner) are
/// not logged.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "StoredLog"))]
pub struct EventLog {
    hash: u64,
    count: u64,
    kept: Option<Vec<LoggedEvent>>,
}

/// A log as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredLog {
    hash: u64,
    count: u64,
    kept: Option<Vec<LoggedEvent>>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredLog> for EventLog {
    type Error = &'static str;

    /// Checks count and hash, where events are kept.
    fn try_from(stored: StoredLog) -> Result<Self, Self::Error> {
        let Some(events) = stored.kept else {
            return Ok(Self { hash: stored.hash, count: stored.count, kept: None });
        };
        let mut log = Self::new(true);
        events.into_iter().for_each(|event| log.record(event));
        if (log.hash, log.count) == (stored.hash, stored.count) {
            Ok(log)
        } else {
            Err("count and hash of the log are not those of its events")
        }
    }
}

impl EventLog {
    /// Creates an empty log; it keeps its events if `keep` is set.
    pub fn new(keep: bool) -> Self {
        Self { hash: 0, count: 0, kept: keep.then(Vec::new) }
    }

    /// Appends an event.
    pub fn record(&mut self, event: LoggedEvent) {
        self.count += 1;
        let tail = (u64::from(event.moment.side() == Side::After) << 40)
            | ((event.kind as u64) << 32)
            | u64::from(event.owner);
        let places = (u64::from(event.first) << 32) | u64::from(event.second);
        for word in [event.moment.time().to_bits(), tail, places] {
            // Multiply, then fold the well-mixed upper half down; order matters because the hash
            // feeds itself.
            let mixed = (self.hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
            self.hash = mixed ^ (mixed >> 29);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(event);
        }
    }

    /// The hash of all events so far, order included.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The number of events so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The events, if they are kept.
    pub fn events(&self) -> Option<&[LoggedEvent]> {
        self.kept.as_deref()
    }
}
