//! The contacts that hold now, those of earlier steps, and the difference.

use std::ops::Range;
use std::sync::Arc;

use crate::id::{BodyId, Id as _};
use crate::world::contact::enclosure_tests::Ends;
use crate::world::contact::linear_window::LeafCache;
use crate::world::contact::span::{TimeEnclosure, Transition};
use crate::world::contact::{Contact, ContactChange};

/// Contacts now, contacts at the end of earlier steps, and the difference. All sorted.
///
/// The three are one and the same allocation while nothing changes; then nothing is compared or
/// copied either.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
#[allow(clippy::struct_excessive_bools, reason = "a mode, and what happened since different calls")]
pub(crate) struct ContactSet {
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    pub(crate) now: Arc<Vec<Contact>>,
    /// At the end of the last advance.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    at_last_step: Arc<Vec<Contact>>,
    /// At the end of the advance before: what changes refer to.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    reference: Arc<Vec<Contact>>,
    /// Pairs of bodies whose contacts are others than in `now`; the last entry of a pair counts.
    replaced: Vec<Replaced>,
    /// All contacts of those pairs.
    replaced_triangles: Vec<(u32, u32)>,
    /// Contacts of an earlier step, whose room is used again.
    #[cfg_attr(feature = "record", serde(skip))]
    spare: Option<Arc<Vec<Contact>>>,
    pub(crate) changes: Vec<ContactChange>,
    /// Of continuous contacts, what tells at times inside the enclosures of those that ended,
    /// change by change.
    ends: Vec<Ends>,
    /// How many of the last changes edits made since the last advance; continuous contacts only.
    carried: usize,
    /// How many of the first changes edits made before the present advance.
    #[cfg_attr(feature = "record", serde(skip))]
    edited: usize,
    /// When contacts are to be tested again though none began or ended: inside an enclosure;
    /// seconds, continuous contacts only.
    pub(crate) inside_from: Option<f64>,
    is_step: bool,
    pub(crate) is_continuous: bool,
    /// Whether continuous contacts began or ended since that was last asked.
    has_transitions: bool,
    /// Whether the last call that was to find contacts ended in an error: `now` are those of
    /// before.
    pub(crate) is_stale: bool,
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) scratch: EventBuffers,
}

/// Buffers of an event of continuous contacts, empty between events. A clone begins with others.
#[derive(Debug, Default)]
pub(crate) struct EventBuffers {
    pub(crate) transitions: Vec<Transition>,
    pub(crate) leaves: LeafCache,
    /// Leaf pairs.
    pub(crate) pairs: Vec<(u32, u32)>,
}

impl Clone for EventBuffers {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Two bodies whose contacts are others than before.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Replaced {
    bodies: (BodyId, BodyId),
    /// Their triangles, in [`ContactSet::replaced_triangles`]. A later entry has none before those
    /// of an earlier one.
    triangles: Range<usize>,
    /// How many entries came before.
    order: usize,
}

impl ContactSet {
    pub(crate) fn new(is_continuous: bool) -> Self {
        Self { is_continuous, ..Self::default() }
    }

    /// The next contacts found end an advance.
    pub(crate) fn begin_step(&mut self) {
        let past = std::mem::replace(&mut self.reference, Arc::clone(&self.at_last_step));
        self.keep(past);
        self.is_step = true;
    }

    /// The contacts that were to end an advance were not found: those found next, for an edit, end
    /// none. Changes are told since the last advance that was done.
    pub(crate) fn break_step_off(&mut self) {
        self.is_step = false;
    }

    /// The advance ends before contacts at its end are looked for: as after
    /// [`ContactSet::break_step_off`].
    pub(crate) fn leave_step_out(&mut self) {
        if !self.is_continuous {
            self.begin_step();
            self.break_step_off();
        }
    }

    /// Keeps the room of contacts that nothing refers to any more.
    fn keep(&mut self, mut past: Arc<Vec<Contact>>) {
        if Arc::get_mut(&mut past).is_some() {
            self.spare = Some(past);
        }
    }

    /// Returns whether continuous contacts began or ended since this was last asked.
    pub(crate) fn take_transitions(&mut self) -> bool {
        std::mem::take(&mut self.has_transitions)
    }

    /// An empty list, in room that was kept; nothing else refers to it.
    pub(crate) fn room(&mut self) -> Arc<Vec<Contact>> {
        // A clone of the world may have it too.
        let mut room = self.spare.take().filter(|room| Arc::strong_count(room) == 1).unwrap_or_default();
        Arc::make_mut(&mut room).clear();
        room
    }

    /// Replaces all contacts; they are sorted.
    pub(crate) fn set(&mut self, contacts: Arc<Vec<Contact>>) {
        let past = std::mem::replace(&mut self.now, contacts);
        self.keep(past);
    }

    /// The same for continuous contacts; and from when on one of them is inside an end.
    pub(crate) fn set_continuous(&mut self, contacts: Arc<Vec<Contact>>, inside_from: Option<f64>) {
        self.set(contacts);
        self.inside_from = inside_from;
    }

    /// Replaces the contacts of two bodies by pairs of triangles, sorted; takes effect when the
    /// book is closed.
    pub(crate) fn replace(&mut self, a: BodyId, b: BodyId, triangles: &[(u32, u32)]) {
        let begin = self.replaced_triangles.len();
        self.replaced_triangles.extend_from_slice(triangles);
        let (triangles, order) = (begin..self.replaced_triangles.len(), self.replaced.len());
        self.replaced.push(Replaced { bodies: (a, b), triangles, order });
    }

    /// Enters what was replaced, in one pass over all contacts.
    fn merge(&mut self) {
        if self.replaced.is_empty() {
            return;
        }
        let mut room = self.room();
        let Self { now, replaced, replaced_triangles, .. } = self;
        replaced.sort_unstable_by_key(|pair| (pair.bodies, pair.order));
        let merged = Arc::make_mut(&mut room);
        let mut old = &now[..];
        for (place, Replaced { bodies, triangles, .. }) in replaced.iter().enumerate() {
            if replaced.get(place + 1).is_some_and(|next| next.bodies == *bodies) {
                continue;
            }
            let (a, b) = *bodies;
            let (before, rest) = old.split_at(old.partition_point(|contact| (contact.a, contact.b) < (a, b)));
            merged.extend_from_slice(before);
            old = &rest[rest.partition_point(|contact| (contact.a, contact.b) == (a, b))..];
            let triangles = replaced_triangles[triangles.clone()].iter();
            merged.extend(triangles.map(|&(triangle_a, triangle_b)| Contact { a, b, triangle_a, triangle_b }));
        }
        merged.extend_from_slice(old);
        replaced.clear();
        replaced_triangles.clear();
        self.set(room);
    }

    /// Transitions from now on belong to an advance.
    pub(crate) fn begin_advance(&mut self) {
        let carried = std::mem::take(&mut self.carried);
        self.changes.drain(..self.changes.len() - carried);
        self.ends.drain(..self.ends.len() - carried);
        self.edited = carried;
    }

    /// How many continuous contacts began and ended in this advance.
    pub(crate) fn changes_of_advance(&self) -> usize {
        self.changes.len().saturating_sub(self.edited)
    }

    /// What was told after the first `told` changes did not come about.
    pub(crate) fn take_back(&mut self, told: usize) {
        self.changes.truncate(told);
        self.ends.truncate(told);
    }

    /// The clock was set to a time, seconds: what ended in this advance did so then.
    pub(crate) fn end_at(&mut self, clock: f64) {
        for change in &mut self.changes[self.edited..] {
            if let ContactChange::Ended { time, .. } = change {
                *time = TimeEnclosure::exactly(clock);
            }
        }
    }

    /// Takes in what happened between two bodies; `in_advance` is false for what an edit brought
    /// about.
    pub(crate) fn apply(&mut self, transitions: &mut Vec<Transition>, (a, b): (BodyId, BodyId), in_advance: bool) {
        self.has_transitions |= !transitions.is_empty();
        for Transition { began, span } in transitions.drain(..) {
            let contact = Contact { a, b, triangle_a: span.triangles.0, triangle_b: span.triangles.1 };
            let undecided = span.undecided;
            if began {
                self.changes.push(ContactChange::Began { contact, time: span.begin, touch: span.touch, undecided });
                self.ends.push(Ends::default());
            } else {
                let time = span.end.unwrap_or(span.begin);
                self.changes.push(ContactChange::Ended { contact, began: Some(span.begin), time, undecided });
                self.ends.push(span.ends);
            }
            self.carried += usize::from(!in_advance);
        }
    }

    /// A body was not added after all: forgets what its continuous contacts did. What those of
    /// other bodies did, which had been put off until then, stays.
    pub(crate) fn forget_changes_of(&mut self, body: BodyId) {
        if !self.is_continuous {
            return;
        }
        let Self { changes, ends, carried, .. } = self;
        let is_of_others = |change: &ContactChange| ![change.contact().a, change.contact().b].contains(&body);
        let mut kept = changes.iter().map(is_of_others);
        ends.retain(|_| kept.next() == Some(true));
        let before = changes.len();
        changes.retain(is_of_others);
        // It was there for this edit only.
        *carried = carried.saturating_sub(before - changes.len());
    }

    /// Changes, and what tells at times inside the enclosures of contacts that ended.
    pub(crate) fn changes_and_ends(&self) -> impl Iterator<Item = (&ContactChange, &Ends)> {
        self.changes.iter().zip(&self.ends)
    }

    /// An end of a contact that is on holds this time, seconds.
    pub(crate) fn retest_at(&mut self, time: f64) {
        self.inside_from = Some(self.inside_from.map_or(time, |earliest| earliest.min(time)));
    }

    /// Whether the clock may be inside an enclosure.
    pub(crate) fn is_inside(&self, clock: f64) -> bool {
        self.inside_from.is_some_and(|from| from <= clock)
    }

    /// Everything is found: enters it, and finds what changed.
    pub(crate) fn close(&mut self, clock: f64) {
        self.merge();
        if self.is_continuous {
            self.is_step = false;
            return;
        }
        let time = TimeEnclosure::exactly(clock);
        let ended = |contact| ContactChange::Ended { contact, began: None, time, undecided: false };
        let began = |contact| ContactChange::Began { contact, time, touch: None, undecided: false };
        self.changes.clear();
        if std::mem::take(&mut self.is_step) {
            self.at_last_step = Arc::clone(&self.now);
        }
        if Arc::ptr_eq(&self.reference, &self.now) {
            return;
        }
        let (mut old, mut new) = (&self.reference[..], &self.now[..]);
        loop {
            let same = common_start(old, new);
            (old, new) = (&old[same..], &new[same..]);
            match (old.first(), new.first()) {
                (Some(&o), n) if n.is_none_or(|&n| o < n) => {
                    self.changes.push(ended(o));
                    old = &old[1..];
                }
                (_, Some(&n)) => {
                    self.changes.push(began(n));
                    new = &new[1..];
                }
                _ => break,
            }
        }
    }
}

/// How many contacts two lists have in common at their beginning. Mostly nearly all: compared eight
/// at a time, without a branch.
fn common_start(old: &[Contact], new: &[Contact]) -> usize {
    let (eights, _) = old.as_chunks::<8>();
    let (others, _) = new.as_chunks::<8>();
    let same = 8 * eights.iter().zip(others).take_while(|(old, new)| are_equal(old, new)).count();
    same + old[same..].iter().zip(&new[same..]).take_while(|(old, new)| old == new).count()
}

fn are_equal(old: &[Contact; 8], new: &[Contact; 8]) -> bool {
    let numbers = |contact: &Contact| {
        let Contact { a, b, triangle_a, triangle_b } = *contact;
        [a.index(), a.generation(), b.index(), b.generation(), triangle_a, triangle_b]
    };
    let mut differ = 0;
    for (old, new) in old.iter().zip(new) {
        for (old, new) in numbers(old).into_iter().zip(numbers(new)) {
            differ |= old ^ new;
        }
    }
    differ == 0
}
