//! The broad phase as a kinetic structure: which pairs of bodies are close enough to be watched.
//!
//! Maintains: two bodies that may meet are *meeting* exactly while their boxes (the root boxes of
//! their own trees, with slack) overlap. Every body has a *fat box*, a box that stands still and
//! that its own box does not leave before a certified time. Only bodies whose fat boxes overlap are
//! a pair, and only pairs have a certificate between them.
//!
//! | certificate | owner | event | what happens |
//! |---|---|---|---|
//! | the body's box stays in its fat box | body | [`EventKind::FatBoxLeft`] | another fat box; pairs are found and lost |
//! | two boxes stay apart along a witness direction | pair | [`EventKind::BodiesMeet`] | another witness, or the pair meets |
//! | meeting boxes do not part | pair | [`EventKind::BodiesSeparate`] | the pair is apart |
//!
//! After a change of a root slot, the certificates that use it are computed again. The broad phase
//! reports [`BodyPairEvent`]s to its world: between the two events of a pair, the two bodies are to
//! be watched.
//!
//! Choice of a fat box (`fat_box`): as long a stretch of the coming motion as fits into a box in
//! which the body has few overlapping fat boxes. A body that rests has its own box; one that moves
//! past others at a distance has a box around its whole way, and no event at all; one in a dense
//! group has a box not much larger than itself. A fat box with too many overlapping fat boxes is
//! chosen again, smaller. Fat boxes depend on the events so far and on nothing else, so the events
//! of the broad phase do not depend on the host's step size.
//!
//! Invariants (see `audit`): a body's box, widened by twice its slack, lies in its fat box; allowed
//! bodies with overlapping fat boxes are a pair, and no others; every certificate has exactly one
//! scheduled event if it ever fails.
//!
//! Cost, for n bodies with few overlapping fat boxes each: O(log n) per joining, leaving and change
//! of fat box (amortised where the tree of fat boxes is rebuilt); O(overlapping fat boxes) per
//! change of a root slot; nothing for bodies that rest.
//!
//! Departure from a kinetic tree over the bodies: such a tree's boxes change with every body that
//! overtakes another, and its shape ages while bodies wander. Here the tree holds standing fat
//! boxes, is updated where something moved far, and never ages. The price: a flock in common motion
//! has events, one per body and fat box, where a kinetic tree would have none.
//!
//! [`EventKind::FatBoxLeft`]: crate::kinetic::event::EventKind::FatBoxLeft
//! [`EventKind::BodiesMeet`]: crate::kinetic::event::EventKind::BodiesMeet
//! [`EventKind::BodiesSeparate`]: crate::kinetic::event::EventKind::BodiesSeparate

mod audit;
mod build;
#[cfg(test)]
mod damage_tests;
mod events;
mod fat_box;
#[cfg(test)]
mod fat_box_tests;
mod fat_tree;
mod query;
#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod tests;

use crate::id::Slots;

use crate::kinetic::box_pair::BoxPair;
use crate::kinetic::event::Ticket;
use crate::math::{Aabb, Extent};
use crate::motion::{KeyTrack, Piece};
use crate::sorted::SortedMap;
use crate::stats::BroadPhaseStats;
use crate::time::Moment;

use fat_tree::FatBoxTree;

/// The data that the broad phase needs of its bodies: their root boxes as functions of time, and
/// which pairs may meet.
pub trait Bodies {
    /// A bound on one extent of a body, linear in time around a moment, without slack.
    fn bound(&self, body: u32, extent: Extent, at: Moment) -> Piece;

    /// The same as a row, if it has such a form until the slot changes.
    fn bound_row(&self, body: u32, extent: Extent) -> Option<KeyTrack<'_>>;

    /// By how much a body's bounds are moved outward, metres.
    fn slack(&self, body: u32) -> f64;

    /// Until when a body's bounds are known, seconds.
    fn epoch_end(&self, body: u32) -> f64;

    /// Whether two different bodies are to be watched when they are close; symmetric.
    fn may_meet(&self, a: u32, b: u32) -> bool;
}

/// Two bodies' boxes met or parted. `a` is the body with the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyPairEvent {
    /// The first body.
    pub a: u32,
    /// The second body.
    pub b: u32,
    /// Met; otherwise parted.
    pub met: bool,
}

/// See the module's text.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct KineticBroadPhase {
    tree: FatBoxTree,
    /// By body number.
    members: Vec<Option<Member>>,
    pairs: Slots<Pair>,
    meeting: usize,
    /// Most pairs there may be, and whether one more was needed.
    most_pairs: usize,
    is_full: bool,
    /// Begins and ends of meetings that were not taken yet, in order.
    changes: Vec<BodyPairEvent>,
    stats: BroadPhaseStats,
    /// Scratch of the choice of fat boxes.
    #[cfg_attr(feature = "record", serde(skip))]
    knots: [Vec<fat_box::Knot>; 6],
    /// Scratch of [`KineticBroadPhase::relocate`]: pairs that a body loses, and bodies it finds.
    #[cfg_attr(feature = "record", serde(skip))]
    lost_and_found: [Vec<u32>; 2],
}

/// A body of the broad phase.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Member {
    fat_box: Aabb,
    /// How often the motion ahead was halved for the fat box: 0 if it holds all that is known.
    level: u8,
    /// Whether the fat box was chosen as small as fat boxes get.
    is_tight: bool,
    /// Whether the fat box has too many overlapping fat boxes, so that it is to be chosen again.
    is_overfull: bool,
    /// Per extent, when the body's box leaves the fat box.
    leaves: [Moment; 6],
    ticket: Ticket,
    /// Pair number by the other body.
    overlapping: SortedMap<u32, u32>,
}

/// Two bodies whose fat boxes overlap, the lower number first.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Pair {
    bodies: [u32; 2],
    /// The boxes overlap.
    is_meeting: bool,
    /// The certificate: while apart, of the gap; otherwise, of the overlap.
    boxes: BoxPair,
}

const _: () = assert!(size_of::<Pair>() == 20);
