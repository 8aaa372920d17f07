//! What touches now: candidates from the engine, exact triangle tests, and what changed since the last advance.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::id::{BodyId, Id as _};
use crate::narrow::intervals::FirstTouch;
use crate::world::World;
use crate::world::contact::continuous::{ContactSpan, Continuous, TimeEnclosure, Transition};
use crate::world::contact::enclosure_tests::Ends;

/// Two triangles of two bodies that share a point. `a` has the lower index. Points and segments are counted among the
/// triangles, see [`crate::mesh::Element`]; of bodies made of spheres, these are.
///
/// Ordered by bodies, then triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// The first body.
    pub a: BodyId,
    /// The second body.
    pub b: BodyId,
    /// A triangle of the first body.
    pub triangle_a: u32,
    /// A triangle of the second body.
    pub triangle_b: u32,
}

/// A contact that began or ended.
///
/// With [`crate::world::ContactMode::AtTimes`] the time is that of the advance which noticed it. With
/// [`crate::world::ContactMode::Continuous`] it is when the triangles touched or parted, and a contact that began says what touched
/// where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactChange {
    /// The triangles touch and did not before.
    Began {
        /// Which.
        contact: Contact,
        /// When.
        time: TimeEnclosure,
        /// What touches first, or is nearest where triangles count as touching from a distance; the normal points from `a`
        /// towards `b`'s side.
        touch: Option<FirstTouch>,
        /// Contact is assumed because it could not be decided.
        undecided: bool,
    },
    /// The triangles touched and do not any more; the bodies may have been removed.
    Ended {
        /// Which.
        contact: Contact,
        /// When the contact began.
        began: Option<TimeEnclosure>,
        /// When it ended.
        time: TimeEnclosure,
        /// Contact was assumed because it could not be decided.
        undecided: bool,
    },
}

impl ContactChange {
    /// The contact that changed.
    pub fn contact(&self) -> Contact {
        match self {
            Self::Began { contact, .. } | Self::Ended { contact, .. } => *contact,
        }
    }

    /// The same change with other ids.
    pub(crate) fn renamed(mut self, name: impl Fn(BodyId) -> BodyId) -> Self {
        let (Self::Began { contact, .. } | Self::Ended { contact, .. }) = &mut self;
        (contact.a, contact.b) = (name(contact.a), name(contact.b));
        self
    }

    /// Did it begin?
    pub fn is_begin(&self) -> bool {
        matches!(self, Self::Began { .. })
    }
}

/// A contact that is on: since when, and what touched first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OngoingContact {
    /// Which.
    pub contact: Contact,
    /// When it began.
    pub began: TimeEnclosure,
    /// Contact is assumed because it could not be decided.
    pub undecided: bool,
}

/// Contacts now, contacts at the end of earlier steps, and the difference. All sorted.
///
/// The three are one and the same allocation while nothing changes; then nothing is compared or copied either.
#[derive(Debug, Default)]
pub(crate) struct ContactSet {
    now: Arc<Vec<Contact>>,
    /// At the end of the last advance.
    at_last_step: Arc<Vec<Contact>>,
    /// At the end of the advance before: what changes refer to.
    reference: Arc<Vec<Contact>>,
    /// Pairs of bodies whose contacts are others than in `now`, with all their contacts.
    replaced: BTreeMap<(BodyId, BodyId), Vec<(u32, u32)>>,
    changes: Vec<ContactChange>,
    /// Of continuous contacts, what tells at times inside the enclosures of those that ended, change by change.
    ends: Vec<Ends>,
    /// How many of the last changes edits made since the last advance; continuous contacts only.
    carried: usize,
    /// From when on the contacts are to be looked at again though none began or ended: inside an end; seconds, continuous contacts only.
    inside_from: Option<f64>,
    is_step: bool,
    is_continuous: bool,
    /// Did continuous contacts begin or end since that was last asked?
    has_turned: bool,
}

impl ContactSet {
    pub(crate) fn new(is_continuous: bool) -> Self {
        Self { is_continuous, ..Self::default() }
    }

    /// The next contacts found end an advance.
    pub(crate) fn begin_step(&mut self) {
        self.reference = Arc::clone(&self.at_last_step);
        self.is_step = true;
    }

    pub(crate) fn is_continuous(&self) -> bool {
        self.is_continuous
    }

    /// Did continuous contacts begin or end since this was last asked?
    pub(crate) fn take_turned(&mut self) -> bool {
        std::mem::take(&mut self.has_turned)
    }

    /// Replaces all contacts; they are sorted.
    pub(crate) fn set(&mut self, contacts: Vec<Contact>) {
        self.now = Arc::new(contacts);
    }

    /// The same for continuous contacts; and from when on one of them is inside an end.
    pub(crate) fn set_continuous(&mut self, contacts: Vec<Contact>, inside_from: Option<f64>) {
        self.set(contacts);
        self.inside_from = inside_from;
    }

    /// Replaces the contacts of two bodies by pairs of triangles, sorted; takes effect when the book is closed.
    pub(crate) fn replace(&mut self, a: BodyId, b: BodyId, triangles: Vec<(u32, u32)>) {
        self.replaced.insert((a, b), triangles);
    }

    /// Enters what was replaced, in one pass over all contacts.
    fn merge(&mut self) {
        if self.replaced.is_empty() {
            return;
        }
        let mut merged = Vec::with_capacity(self.now.len());
        let mut old = &self.now[..];
        for ((a, b), triangles) in std::mem::take(&mut self.replaced) {
            let (before, rest) = old.split_at(old.partition_point(|contact| (contact.a, contact.b) < (a, b)));
            merged.extend_from_slice(before);
            old = &rest[rest.partition_point(|contact| (contact.a, contact.b) == (a, b))..];
            merged.extend(triangles.into_iter().map(|(triangle_a, triangle_b)| Contact {
                a,
                b,
                triangle_a,
                triangle_b,
            }));
        }
        merged.extend_from_slice(old);
        self.now = Arc::new(merged);
    }

    /// Turns that come now belong to an advance.
    pub(crate) fn begin_turns(&mut self) {
        let carried = std::mem::take(&mut self.carried);
        self.changes.drain(..self.changes.len() - carried);
        self.ends.drain(..self.ends.len() - carried);
    }

    /// Takes in what happened between two bodies; `in_advance` is false for what an edit brought about.
    pub(crate) fn turn(&mut self, transitions: Vec<Transition>, (a, b): (BodyId, BodyId), in_advance: bool) {
        self.has_turned |= !transitions.is_empty();
        for Transition { began, stretch } in transitions {
            let contact = Contact { a, b, triangle_a: stretch.triangles.0, triangle_b: stretch.triangles.1 };
            let undecided = stretch.undecided;
            if began {
                self.changes.push(ContactChange::Began {
                    contact,
                    time: stretch.begin,
                    touch: stretch.touch,
                    undecided,
                });
                self.ends.push(Ends::default());
            } else {
                let time = stretch.end.unwrap_or(stretch.begin);
                self.changes.push(ContactChange::Ended { contact, began: Some(stretch.begin), time, undecided });
                self.ends.push(stretch.ends);
            }
            self.carried += usize::from(!in_advance);
        }
    }

    /// Changes, and what tells at times inside the enclosures of contacts that ended.
    pub(crate) fn changes_and_ends(&self) -> impl Iterator<Item = (&ContactChange, &Ends)> {
        self.changes.iter().zip(&self.ends)
    }

    /// An end of a contact that is on holds this time, seconds.
    pub(crate) fn retest_at(&mut self, time: f64) {
        self.inside_from = Some(self.inside_from.map_or(time, |earliest| earliest.min(time)));
    }

    /// Is the clock perhaps inside an end?
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
        let time = TimeEnclosure { lo: clock, hi: clock };
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

/// How many contacts two lists have in common at their beginning. Mostly nearly all: compared eight at a time, without a branch.
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

impl World {
    /// All pairs of triangles that touch at the clock's time, sorted. Valid until the world changes.
    ///
    /// Exact also where the clock stands inside the enclosure of a begin or an end of a continuous contact: there an exact test
    /// decides. What rounding or a curved path leaves open ([`OngoingContact::undecided`], or other key times than the other body's)
    /// counts as contact throughout its enclosures.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.now
    }

    /// What began and ended in the last advance, and by changes of the world since: sorted by contact, or, if contacts are
    /// continuous, in the order in which it happened.
    ///
    /// A host that reads this once after every advance sees every beginning and end once, also those that changes made
    /// between two advances. Continuous contacts are told when the clock reaches the enclosure of their begin, and when it has left
    /// that of their end: inside it [`World::contacts`] may not hold a contact that was told, or hold one no longer.
    pub fn contact_changes(&self) -> &[ContactChange] {
        &self.contacts.changes
    }

    /// Contacts that are on at the clock's time, with their begins, sorted by contact. Empty unless contacts are continuous.
    ///
    /// They are those whose begin was told and whose end was not: where the clock stands inside the enclosure of a begin or an end,
    /// [`World::contacts`] tells which of them are truly on.
    pub fn ongoing_contacts(&self) -> Vec<OngoingContact> {
        let on = self.stretches_on().map(|(contact, stretch)| OngoingContact {
            contact,
            began: stretch.begin,
            undecided: stretch.undecided,
        });
        let mut ongoing: Vec<OngoingContact> = on.collect();
        ongoing.sort_unstable_by_key(|ongoing| ongoing.contact);
        ongoing
    }

    /// Continuous contacts that are on, pair by pair of bodies.
    pub(crate) fn stretches_on(&self) -> impl Iterator<Item = (Contact, &ContactSpan)> {
        self.pairs.iter().flat_map(|(_, pair)| {
            let (a, b) = (self.bodies.id_at(pair.a), self.bodies.id_at(pair.b));
            pair.continuous.iter().flat_map(Continuous::on).map(move |stretch| {
                (Contact { a, b, triangle_a: stretch.triangles.0, triangle_b: stretch.triangles.1 }, stretch)
            })
        })
    }

    /// Continuous contacts that are on at the clock's time, sorted, each tested if the clock is inside one of its ends; and from when
    /// on the clock is, seconds.
    pub(crate) fn contacts_on_at_clock(&self) -> (Vec<Contact>, Option<f64>) {
        let clock = self.now.time();
        let (mut contacts, mut inside_from) = (Vec::new(), None);
        for (contact, stretch) in self.stretches_on() {
            if let Some(from) = stretch.ends.next_inside(clock) {
                inside_from = Some(inside_from.map_or(from, |earliest: f64| earliest.min(from)));
            }
            if stretch.ends.allow(clock) {
                contacts.push(contact);
            }
        }
        contacts.sort_unstable();
        (contacts, inside_from)
    }
}
