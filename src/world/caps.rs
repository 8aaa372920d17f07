//! Bounds on what a world may hold and do: scenes that ask for too much end in an error instead of
//! all memory, or hours.

use crate::limits;

/// Bounds on memory and work of a world. Beyond one, calls end in [`super::AdvanceError::Limit`] or
/// [`super::WorldError::Limit`].
///
/// A body that goes beyond a bound when it is added is not added. Other changes are made, and
/// [`super::World::contacts`] stay those of before. Where an advance goes beyond a bound, the clock
/// stands at the time in the error, and the host may take bodies away or raise the bound
/// ([`super::World::set_limits`]) and advance again: the result is that of an advance without the
/// error. Two exceptions: continuous contacts that become too many with a jump begin at the next
/// number after its time; where pairs of bodies become too many, the log may hold the events of
/// that time in another order, and some of just after it, with the begins and ends of continuous
/// contacts that they bring about, at the next number. There the clock stands then. See
/// [`super::World::advance_to`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldLimits {
    /// Most pairs of triangles in contact at a time advanced to; 2²⁰, about 250 bytes each. Of
    /// continuous contacts, about 600 bytes each, also most contacts of one pair of bodies that are
    /// on, with those that one event or change finds in its windows.
    pub contacts: usize,
    /// Most pairs of triangles that are tested exactly at a time advanced to; 2²², 8 bytes each.
    /// Engines that compare all triangles are not concerned, nor are continuous contacts. Counted
    /// once all candidates of the pairs of bodies are known.
    pub candidates: usize,
    /// Most pairs of bodies that are near each other; 2¹⁸, about 2 KiB each. A pair of which not
    /// both bodies are kinetic counts eight times: what it keeps takes up to 16 KiB.
    pub body_pairs: usize,
    /// Most events of one advance; 2²⁵, about a microsecond each.
    pub events: u64,
    /// Most begins and ends of continuous contacts in one advance, but for those of one time; 2²⁰,
    /// up to 0.8 kB each with what tells at times inside their ends, and while lists grow.
    pub changes: usize,
}

impl WorldLimits {
    /// The usual bounds.
    pub const DEFAULT: Self =
        Self { contacts: 1 << 20, candidates: 1 << 22, body_pairs: 1 << 18, events: 1 << 25, changes: 1 << 20 };

    /// Nothing is bounded but by what can be numbered.
    pub const NONE: Self = Self {
        contacts: usize::MAX,
        candidates: usize::MAX,
        body_pairs: limits::MAX_OWNERS,
        events: u64::MAX,
        changes: usize::MAX,
    };

    /// How many pairs of kinetic bodies a pair counts as of which not both are.
    pub(crate) const DISCRETE_WEIGHT: usize = 8;

    /// The most pairs of bodies, of which no more than [`limits::MAX_OWNERS`] can be numbered.
    pub(crate) fn most_body_pairs(&self) -> usize {
        self.body_pairs.min(limits::MAX_OWNERS)
    }
}

impl Default for WorldLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
