//! What touches now: candidates from the engine, exact triangle tests, and what changed since the last advance.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::World;
use super::continuous::{ContactSpan, Continuous, TimeEnclosure, Transition};
use super::enclosure_tests::Ends;
use crate::id::{BodyId, Id as _};
use crate::narrow::intervals::FirstTouch;

/// Two triangles of two bodies that share a point. `a` has the lower index. Points and segments are counted among the
/// triangles, see [`crate::mesh::Element`]; of bodies made of spheres, these are.
///
/// Ordered by bodies, then triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
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

impl Contact {
    /// A contact of two bodies, the lower index first, and their triangles.
    pub const fn new([a, b]: [BodyId; 2], [triangle_a, triangle_b]: [u32; 2]) -> Self {
        Self { a, b, triangle_a, triangle_b }
    }
}

/// A contact that began or ended.
///
/// With [`super::ContactMode::AtTimes`] the time is that of the advance which noticed it. With
/// [`super::ContactMode::Continuous`] it is when the triangles touched or parted, and a contact that began says what touched
/// where.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContactChange {
    /// The triangles touch and did not before.
    #[non_exhaustive]
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
    #[non_exhaustive]
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

    /// When the contact began or ended, seconds.
    pub fn time(&self) -> TimeEnclosure {
        match self {
            Self::Began { time, .. } | Self::Ended { time, .. } => *time,
        }
    }

    /// Whether contact is assumed because it could not be decided.
    pub fn is_undecided(&self) -> bool {
        match self {
            Self::Began { undecided, .. } | Self::Ended { undecided, .. } => *undecided,
        }
    }

    /// The same change with other ids.
    pub(super) fn renamed(mut self, name: impl Fn(BodyId) -> BodyId) -> Self {
        let (Self::Began { contact, .. } | Self::Ended { contact, .. }) = &mut self;
        (contact.a, contact.b) = (name(contact.a), name(contact.b));
        self
    }

    /// The order of begins, and of ends: by time, then by contact.
    pub(super) fn compare_begins(&self, other: &Self) -> std::cmp::Ordering {
        let (Self::Began { time, .. } | Self::Ended { time, .. }) = self;
        let (Self::Began { time: others, .. } | Self::Ended { time: others, .. }) = other;
        let by_time = time.lo.total_cmp(&others.lo).then(time.is_open.cmp(&others.is_open));
        by_time.then_with(|| self.contact().cmp(&other.contact()))
    }

    /// Did it begin?
    pub fn is_begin(&self) -> bool {
        matches!(self, Self::Began { .. })
    }
}

/// A contact that is on: since when, and what touched first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OngoingContact {
    /// Which.
    pub contact: Contact,
    /// When it began; open if a jump brought it about.
    pub began: TimeEnclosure,
    /// Contact is assumed because it could not be decided.
    pub undecided: bool,
    /// Whether the triangles touch at the clock's time: those of [`World::contacts`] do. False only where the clock stands inside the
    /// enclosure of a begin or an end, and an exact test finds the triangles apart.
    pub touching: bool,
}

/// Contacts now, contacts at the end of earlier steps, and the difference. All sorted.
///
/// The three are one and the same allocation while nothing changes; then nothing is compared or copied either.
#[derive(Debug, Default)]
pub(super) struct ContactSet {
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
    pub(super) fn new(is_continuous: bool) -> Self {
        Self { is_continuous, ..Self::default() }
    }

    /// How many changes are noted for the present advance.
    pub(super) fn change_count(&self) -> usize {
        self.changes.len()
    }

    /// How many contacts there were when the book was last closed.
    pub(super) fn contact_count(&self) -> usize {
        self.now.len()
    }

    /// The next contacts found end an advance.
    pub(super) fn begin_step(&mut self) {
        self.reference = Arc::clone(&self.at_last_step);
        self.is_step = true;
    }

    pub(super) fn is_continuous(&self) -> bool {
        self.is_continuous
    }

    /// Did continuous contacts begin or end since this was last asked?
    pub(super) fn take_turned(&mut self) -> bool {
        std::mem::take(&mut self.has_turned)
    }

    /// Replaces all contacts; they are sorted.
    pub(super) fn set(&mut self, contacts: Vec<Contact>) {
        self.now = Arc::new(contacts);
    }

    /// The same for continuous contacts; and from when on one of them is inside an end.
    pub(super) fn set_continuous(&mut self, contacts: Vec<Contact>, inside_from: Option<f64>) {
        self.set(contacts);
        self.inside_from = inside_from;
    }

    /// Replaces the contacts of two bodies by pairs of triangles, sorted; takes effect when the book is closed.
    pub(super) fn replace(&mut self, a: BodyId, b: BodyId, triangles: Vec<(u32, u32)>) {
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
    pub(super) fn begin_turns(&mut self) {
        let carried = std::mem::take(&mut self.carried);
        self.changes.drain(..self.changes.len() - carried);
        self.ends.drain(..self.ends.len() - carried);
    }

    /// Takes in what happened between two bodies; `in_advance` is false for what an edit brought about.
    pub(super) fn turn(&mut self, transitions: Vec<Transition>, (a, b): (BodyId, BodyId), in_advance: bool) {
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
    pub(super) fn changes_and_ends(&self) -> impl Iterator<Item = (&ContactChange, &Ends)> {
        self.changes.iter().zip(&self.ends)
    }

    /// An end of a contact that is on holds this time, seconds.
    pub(super) fn retest_at(&mut self, time: f64) {
        self.inside_from = Some(self.inside_from.map_or(time, |earliest| earliest.min(time)));
    }

    /// From when on the clock may be inside an end of a contact that is on, seconds.
    pub(super) fn inside_from(&self) -> Option<f64> {
        self.inside_from
    }

    /// Is the clock perhaps inside an end?
    pub(super) fn is_inside(&self, clock: f64) -> bool {
        self.inside_from.is_some_and(|from| from <= clock)
    }

    /// Everything is found: enters it, and finds what changed.
    pub(super) fn close(&mut self, clock: f64) {
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
    /// Vertices are where the real interpolation of their keys puts them, or start + velocity ×
    /// time, not rounded. Positions of a sampler are exact at its keys; along curves, and where
    /// vertices accelerate, positions are those evaluated in `f64`.
    ///
    /// Exact also where the clock stands inside the enclosure of a begin or an end of a continuous contact: there an exact test
    /// decides. What rounding or a curved path leaves open ([`OngoingContact::undecided`], or other key times than the other body's)
    /// counts as contact throughout its enclosures.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// let contact = world.contacts()[0];
    /// assert_eq!((contact.a, contact.triangle_a, contact.b, contact.triangle_b), (floor, 0, ball, 0));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.now
    }

    /// What began and ended in the last advance, and by changes of the world since: sorted by contact, or, if contacts are
    /// continuous, in the order in which it happened.
    ///
    /// A host that reads this once after every advance sees every beginning and end once, also those that changes made
    /// between two advances. Continuous contacts are told when the clock reaches the enclosure of their begin, and when it has left
    /// that of their end: inside it [`World::contacts`] may not hold a contact that was told, or hold one no longer. Such a contact is
    /// among [`World::ongoing_contacts`], and not [`OngoingContact::touching`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(2.0)?; // The ball touched the floor at 1 s and left it: nothing is lost between two advances.
    /// let changes = world.contact_changes();
    /// assert!(changes[0].is_begin() && !changes[1].is_begin());
    /// assert!(changes[0].time().lo <= 1.0 && 1.0 <= changes[1].time().hi); // Seconds.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn contact_changes(&self) -> &[ContactChange] {
        &self.contacts.changes
    }

    /// Contacts that are on at the clock's time, with their begins, sorted by contact. Empty unless contacts are continuous.
    ///
    /// They are those whose begin was told and whose end was not: where the clock stands inside the enclosure of a begin or an end,
    /// [`OngoingContact::touching`] tells which of them are truly on, and [`World::contacts`] holds no others.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.ongoing_contacts()[0].contact, world.contacts()[0]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn ongoing_contacts(&self) -> Vec<OngoingContact> {
        let on = self.stretches_on().map(|(contact, stretch)| OngoingContact {
            contact,
            began: stretch.begin,
            undecided: stretch.undecided,
            touching: stretch.ends.allow(self.now.time()),
        });
        let mut ongoing: Vec<OngoingContact> = on.collect();
        ongoing.sort_unstable_by_key(|ongoing| ongoing.contact);
        ongoing
    }

    /// Continuous contacts that are on, pair by pair of bodies.
    pub(super) fn stretches_on(&self) -> impl Iterator<Item = (Contact, &ContactSpan)> {
        self.pairs.iter().flat_map(|(_, pair)| {
            let (a, b) = (self.bodies.id_at(pair.a), self.bodies.id_at(pair.b));
            pair.continuous.iter().flat_map(Continuous::on).map(move |stretch| {
                (Contact { a, b, triangle_a: stretch.triangles.0, triangle_b: stretch.triangles.1 }, stretch)
            })
        })
    }

    /// Continuous contacts that are on at the clock's time, sorted, each tested if the clock is inside one of its ends; and from when
    /// on the clock is, seconds.
    pub(super) fn contacts_on_at_clock(&self) -> (Vec<Contact>, Option<f64>) {
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
