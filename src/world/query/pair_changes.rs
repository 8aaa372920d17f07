//! Begins and ends of contact between whole bodies, derived from the contact changes.
//!
//! A pair of bodies touches while one of its pairs of triangles does. The number of triangle
//! contacts before the first change follows from the number now and from the changes. From there
//! the changes are counted in their order. Nothing is kept between advances.

use std::collections::BTreeMap;

use crate::id::BodyId;
use crate::narrow::intervals::FirstTouch;
use crate::world::World;
use crate::world::contact::span::TimeEnclosure;
use crate::world::contact::{Contact, ContactChange};
use crate::world::query::pair::contacts_of;

/// Two bodies that began or ceased to touch, or one with itself.
///
/// The first pair of triangles that touches begins it, and the last one that parts ends it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BodyPairChange {
    /// The first body; it has the lower index.
    pub a: BodyId,
    /// The second body; equal to `a` for contact of a body with itself.
    pub b: BodyId,
    /// Whether the bodies began to touch.
    pub is_begin: bool,
    /// When they began or ceased to touch, as [`ContactChange::time`].
    pub time: TimeEnclosure,
    /// The triangles that touched first, or parted last.
    pub contact: Contact,
    /// Of a begin with continuous contacts: what touches first, metres; the normal points from `a`
    /// towards the side of `b`.
    pub touch: Option<FirstTouch>,
    /// Contact of these triangles is assumed because it could not be decided.
    pub undecided: bool,
}

impl BodyPairChange {
    fn new(change: &ContactChange) -> Self {
        let contact = change.contact();
        let touch = match change {
            ContactChange::Began { touch, .. } => *touch,
            ContactChange::Ended { .. } => None,
        };
        Self {
            a: contact.a,
            b: contact.b,
            is_begin: change.is_begin(),
            time: change.time(),
            contact,
            touch,
            undecided: change.is_undecided(),
        }
    }

    /// Whether the bodies of this end touch again, by `begin`, before any time at which they are
    /// apart.
    fn is_undone_by(&self, begin: &ContactChange) -> bool {
        let begin = begin.time();
        begin.lo < self.time.hi || (begin.lo == self.time.hi && !(begin.is_open && self.time.is_open))
    }
}

/// A pair of bodies while the changes are counted.
struct Tally {
    /// Pairs of triangles that touch.
    touching: i64,
    /// The place of its last end among all changes found.
    end: Option<usize>,
}

impl World {
    /// Returns the pairs of bodies that began or ceased to touch in the last advance and by changes
    /// of the world since, in the order of [`World::contact_changes`].
    ///
    /// A host that reads this once after every advance sees every begin and end of a pair once:
    /// one begin when the first pair of triangles touches, one end when the last one parts. Times
    /// are those of the contact changes: with continuous contacts exact enclosures, also of what
    /// happened between two advances; otherwise the time of the advance. An end that is followed by
    /// a begin at one and the same time is left out, with that begin. A body that is removed ends
    /// its pairs. Pairs with patches have no contacts, and no changes.
    ///
    /// O(changes · log pairs + bodies in changes · log contacts); nothing is kept for it.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(2.0)?; // The ball touched the floor at 1 s and left it.
    /// let changes = world.body_pair_changes();
    /// assert_eq!(changes.len(), 2);
    /// assert_eq!((changes[0].a, changes[0].b), (floor, ball));
    /// assert!(changes[0].is_begin && changes[0].time.lo <= 1.0 && 1.0 <= changes[0].time.hi); // Seconds.
    /// assert!(!changes[1].is_begin);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn body_pair_changes(&self) -> Vec<BodyPairChange> {
        let changes = self.contact_changes();
        let mut tallies: BTreeMap<(BodyId, BodyId), Tally> = BTreeMap::new();
        for change in changes {
            let Contact { a, b, .. } = change.contact();
            let now = || Tally { touching: self.touching_count(a, b) as i64, end: None };
            tallies.entry((a, b)).or_insert_with(now).touching -= if change.is_begin() { 1 } else { -1 };
        }
        let mut found: Vec<Option<BodyPairChange>> = Vec::new();
        for change in changes {
            let Contact { a, b, .. } = change.contact();
            let Some(tally) = tallies.get_mut(&(a, b)) else { continue };
            tally.touching += if change.is_begin() { 1 } else { -1 };
            if change.is_begin() && tally.touching == 1 {
                let undone = tally.end.take().filter(|&end| found[end].is_some_and(|end| end.is_undone_by(change)));
                match undone {
                    Some(end) => found[end] = None,
                    None => found.push(Some(BodyPairChange::new(change))),
                }
            } else if !change.is_begin() && tally.touching == 0 {
                tally.end = Some(found.len());
                found.push(Some(BodyPairChange::new(change)));
            }
        }
        found.into_iter().flatten().collect()
    }

    /// The number of triangle contacts of two bodies that were told to have begun, and not to have
    /// ended.
    fn touching_count(&self, a: BodyId, b: BodyId) -> usize {
        if !self.contacts.is_continuous {
            return contacts_of(self.contacts(), a, b).len();
        }
        let is_gone = self.bodies.get(a).is_none() || self.bodies.get(b).is_none();
        let pair = if is_gone { None } else { self.watched_pair(a.index(), b.index()) };
        pair.and_then(|pair| pair.continuous.as_ref()).map_or(0, |continuous| continuous.on().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;

    #[test]
    fn an_end_is_undone_by_a_begin_unless_both_leave_their_common_time_out() {
        let (a, b) = (BodyId::new(0, 0), BodyId::new(1, 0));
        let contact = Contact { a, b, triangle_a: 0, triangle_b: 0 };
        let at = |time: f64, is_open: bool| TimeEnclosure { lo: time, hi: time, is_open };
        let is_undone = |end: TimeEnclosure, begin: TimeEnclosure| {
            let ended = ContactChange::Ended { contact, began: None, time: end, undecided: false };
            let began = ContactChange::Began { contact, time: begin, touch: None, undecided: false };
            BodyPairChange::new(&ended).is_undone_by(&began)
        };
        let outcomes = [[false, false], [false, true], [true, false], [true, true]]
            .map(|[end, begin]| is_undone(at(1.0, end), at(1.0, begin)));
        assert_eq!(outcomes, [true, true, true, false]);
        assert_eq!([0.5, 1.5].map(|begin| is_undone(at(1.0, true), at(begin, true))), [true, false]);
    }
}
