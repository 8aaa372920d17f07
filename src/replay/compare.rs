//! What two runs are compared by: what each call returned, and hashes of the state after it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bytes::Fingerprint;
use crate::id::{BodyId, Id};
use crate::world::{AdvanceError, ChangeId, ContactChange, World, WorldError};

/// What a call returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Returned {
    Nothing,
    Body(BodyId),
    Change(ChangeId),
    Count(usize),
    Flag(bool),
}

impl From<()> for Returned {
    fn from((): ()) -> Self {
        Self::Nothing
    }
}

impl From<BodyId> for Returned {
    fn from(body: BodyId) -> Self {
        Self::Body(body)
    }
}

impl From<ChangeId> for Returned {
    fn from(change: ChangeId) -> Self {
        Self::Change(change)
    }
}

impl From<usize> for Returned {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

impl From<bool> for Returned {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl fmt::Display for Returned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("done"),
            Self::Body(body) => write!(f, "{body}"),
            Self::Change(change) => write!(f, "{change:?}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
pub(super) enum Refused {
    World(#[from] WorldError),
    Advance(#[from] AdvanceError),
}

/// What came of a call: what it returned, or the message of its error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Outcome {
    Done(Returned),
    Refused(String),
}

impl Outcome {
    pub(super) fn of(result: Result<Returned, impl fmt::Display>) -> Self {
        match result {
            Ok(returned) => Self::Done(returned),
            Err(error) => Self::Refused(error.to_string()),
        }
    }

    pub(super) fn difference(&self, found: &Self) -> Option<Difference> {
        (self != found).then(|| Difference::Outcome { recorded: self.to_string(), found: found.to_string() })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(returned) => write!(f, "{returned}"),
            Self::Refused(message) => write!(f, "refused: {message}"),
        }
    }
}

/// The state of a world in a few numbers: equal for equal logs, contacts and changes of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StateHash {
    /// The bits of the clock's time, seconds.
    pub time: u64,
    /// Number of bodies.
    pub bodies: u64,
    /// Number of events of the log.
    pub events: u64,
    /// Hash of the log.
    pub log: u64,
    /// Number of contacts.
    pub contacts: u64,
    /// Hash of the contacts.
    pub contacts_hash: u64,
    /// Number of changes of contacts of the last step.
    pub changes: u64,
    /// Hash of these changes, their times included.
    pub changes_hash: u64,
}

impl StateHash {
    /// The state of a world. O(contacts + changes).
    pub fn of(world: &World) -> Self {
        let (contacts, changes) = (world.contacts(), world.contact_changes());
        let mut contacts_hash = Fingerprint::new();
        for contact in contacts {
            contact_words(contact).iter().for_each(|&word| contacts_hash.word(word));
        }
        let mut changes_hash = Fingerprint::new();
        changes.iter().for_each(|change| hash_change(change, &mut changes_hash));
        Self {
            time: world.time().to_bits(),
            bodies: world.bodies().count() as u64,
            events: world.log().count(),
            log: world.log().hash(),
            contacts: contacts.len() as u64,
            contacts_hash: contacts_hash.value(),
            changes: changes.len() as u64,
            changes_hash: changes_hash.value(),
        }
    }

    pub(super) fn difference(&self, found: &Self) -> Option<Difference> {
        let time = |bits: u64| format!("{} s", f64::from_bits(bits));
        let (mut what, mut recorded, mut now) = ("contact_changes()", String::new(), String::new());
        let number = |what: &'static str, one: u64, other: u64| (what, one.to_string(), other.to_string());
        if self == found {
            return None;
        }
        if self.time != found.time {
            (what, recorded, now) = ("time()", time(self.time), time(found.time));
        } else if self.bodies != found.bodies {
            (what, recorded, now) = number("bodies()", self.bodies, found.bodies);
        } else if self.events != found.events {
            (what, recorded, now) = number("log().count()", self.events, found.events);
        } else if self.log != found.log {
            (what, recorded, now) = number("log().hash()", self.log, found.log);
        } else if self.contacts != found.contacts {
            (what, recorded, now) = number("contacts().len()", self.contacts, found.contacts);
        } else if self.contacts_hash != found.contacts_hash {
            (what, recorded, now) = number("the hash of contacts()", self.contacts_hash, found.contacts_hash);
        } else if self.changes != found.changes {
            (what, recorded, now) = number("contact_changes().len()", self.changes, found.changes);
        } else if self.changes_hash != found.changes_hash {
            (what, recorded, now) = number("the hash of contact_changes()", self.changes_hash, found.changes_hash);
        }
        Some(Difference::State { what, recorded, found: now })
    }
}

fn contact_words(contact: &crate::world::Contact) -> [u64; 3] {
    let words = |body: BodyId, triangle: u32| (u64::from(body.index()) << 32) | u64::from(triangle);
    let generations = (u64::from(contact.a.generation()) << 32) | u64::from(contact.b.generation());
    [words(contact.a, contact.triangle_a), words(contact.b, contact.triangle_b), generations]
}

fn hash_change(change: &ContactChange, hash: &mut Fingerprint) {
    contact_words(&change.contact()).iter().for_each(|&word| hash.word(word));
    let time = change.time();
    let flags = u64::from(change.is_begin()) | u64::from(change.is_undecided()) << 1 | u64::from(time.is_open) << 2;
    for word in [flags, time.lo.to_bits(), time.hi.to_bits()] {
        hash.word(word);
    }
    match change {
        ContactChange::Began { touch: Some(touch), .. } => {
            let numbers = touch.point.iter().chain(&touch.normal);
            numbers.for_each(|number| hash.word(number.to_bits()));
        }
        ContactChange::Ended { began: Some(began), .. } => {
            [began.lo, began.hi].iter().for_each(|number| hash.word(number.to_bits()));
        }
        _ => {}
    }
}

/// What differs from a recording.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Difference {
    /// A call returned something else, or was refused where it was not, or for another reason.
    #[error("it was recorded as '{recorded}', now it is '{found}'")]
    Outcome {
        /// As recorded.
        recorded: String,
        /// As found.
        found: String,
    },
    /// The state after the call is another.
    #[error("{what} was recorded as {recorded}, now it is {found}")]
    State {
        /// What of the world.
        what: &'static str,
        /// As recorded.
        recorded: String,
        /// As found.
        found: String,
    },
}

/// The first call whose outcome or state differs from the recording. Where states were not recorded
/// after each call, the cause may be an earlier call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("call {call} ({name}, at {time} s): {what}")]
#[non_exhaustive]
pub struct Divergence {
    /// The number of the call, from 0.
    pub call: usize,
    /// The name of its method.
    pub name: &'static str,
    /// The clock's time before the call, seconds.
    pub time: f64,
    /// What differs.
    pub what: Difference,
}
