//! Contacts: the set that holds now, and the exact intervals of continuous contacts.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | what a host reads: [`Contact`], [`ContactChange`], [`OngoingContact`] |
//! | `set` | [`ContactSet`](set::ContactSet): contacts now, at the last step, and their difference |
//! | `span` | spans of contact between two triangles |
//! | `continuous`, `decide` | the spans of a pair of bodies, maintained by events |
//! | `meeting` | two triangles over a window, for these and for trials |
//! | `put_off` | decisions made later, as contacts were too many |
//! | `ahead` | decisions of the next windows, made in parts before |
//! | `linear_window` | times within which leaves move linearly |
//! | `enclosure_tests` | exact tests at times inside an enclosure |

pub(crate) mod ahead;
pub(crate) mod continuous;
pub(crate) mod decide;
pub(crate) mod enclosure_tests;
pub(crate) mod linear_window;
pub(crate) mod meeting;
pub(crate) mod put_off;
pub(crate) mod set;
pub(crate) mod span;

use rustc_hash::FxBuildHasher;
use std::collections::HashMap;

use crate::id::BodyId;
use crate::narrow::intervals::FirstTouch;
use crate::world::contact::span::TimeEnclosure;

/// A hash map where memory is to be used again: ordered maps allocate as they are filled. Its order
/// must not be used.
pub(crate) type Hashed<K, V> = HashMap<K, V, FxBuildHasher>;

/// About the bytes of a hash map: one more of each place, and an eighth of the places more.
fn hashed_bytes<K, V>(map: &Hashed<K, V>) -> usize {
    map.capacity() * (size_of::<(K, V)>() + 1) * 8 / 7
}

/// Two triangles of two bodies that share a point. `a` has the lower index. Points and segments are
/// counted among the triangles, see [`crate::mesh::Element`]; of bodies made of spheres, these are.
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

/// Contacts are sorted and compared by the thousand.
const _: () = assert!(size_of::<Contact>() == 24);

/// A contact that began or ended.
///
/// With [`crate::world::def::ContactMode::AtTimes`] the time is that of the advance which noticed
/// it. With [`crate::world::def::ContactMode::Continuous`] it is when the triangles touched or
/// parted, and a contact that began says what touched where.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ContactChange {
    /// The triangles touch and did not before.
    #[non_exhaustive]
    Began {
        /// Which.
        contact: Contact,
        /// When.
        time: TimeEnclosure,
        /// What touches first, or is nearest where triangles count as touching from a distance; the
        /// normal points from `a` towards `b`'s side.
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
    pub(crate) fn renamed(mut self, name: impl Fn(BodyId) -> BodyId) -> Self {
        let (Self::Began { contact, .. } | Self::Ended { contact, .. }) = &mut self;
        (contact.a, contact.b) = (name(contact.a), name(contact.b));
        self
    }

    /// The order of begins, and of ends: by time, then by contact.
    pub(crate) fn compare_begins(&self, other: &Self) -> std::cmp::Ordering {
        let (Self::Began { time, .. } | Self::Ended { time, .. }) = self;
        let (Self::Began { time: others, .. } | Self::Ended { time: others, .. }) = other;
        let by_time = time.lo.total_cmp(&others.lo).then(time.is_open.cmp(&others.is_open));
        by_time.then_with(|| self.contact().cmp(&other.contact()))
    }

    /// Whether the contact began.
    pub fn is_begin(&self) -> bool {
        matches!(self, Self::Began { .. })
    }
}

/// A contact that is on: since when, and what touched first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct OngoingContact {
    /// Which.
    pub contact: Contact,
    /// When it began; open if a jump brought it about.
    pub began: TimeEnclosure,
    /// Contact is assumed because it could not be decided.
    pub undecided: bool,
    /// Whether the triangles touch at the clock's time: those of [`crate::World::contacts`] do.
    /// False only where the clock stands inside the enclosure of a begin or an end, and an exact
    /// test finds the triangles apart.
    pub touching: bool,
}
