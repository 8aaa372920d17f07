//! What finds the triangles of a pair of bodies that may touch: one variant per way, each with its
//! own state.
//!
//! ```text
//!  both bodies kinetic ──────────────┬─ contacts at times, or motion not by keys ─► List
//!                                    └─ continuous contacts, motion by keys ──────► Continuous
//!  one body made of patches ───────────────────────────────────────────────────────► Hosted
//!  world of brute force ───────────────────────────────────────────────────────────► BruteForce
//!                                    ┌─ both in interval mode ────────────────────► Interval
//!  otherwise, chosen at every step ──┼─ both refitted ────────────────────────────► Front
//!    (`engine_choice`)               └─ any other two trees ──────────────────────► Mixed
//! ```
//!
//! A pair that changes between the last three keeps the finder it leaves for a while, as the change
//! is often undone soon.

use crate::kinetic::SeparationList;
use crate::tuning;
use crate::world::pair::continuous_interval::ContinuousInterval;
use crate::world::pair::front::Front;
use crate::world::pair::interval::IntervalFinder;

/// What finds the triangles of a pair of bodies that may touch.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum PairFinder {
    /// Leaf pairs of two kinetic trees whose boxes overlap, maintained by events.
    List(Box<SeparationList>),
    /// Triangles that may touch in the keyframe interval around now; decided for all of it, for
    /// continuous contacts.
    Continuous(Box<ContinuousInterval>),
    /// Triangles that may touch in the keyframe interval around now; tested at every step.
    Interval(Box<IntervalFinder>),
    /// The front of two refitted trees, kept from step to step.
    Front(Box<Front>),
    /// Two trees of any kinds, traversed together at every step. Keeps nothing.
    #[default]
    Mixed,
    /// Every triangle against every triangle.
    BruteForce,
    /// The host decides about candidates; a list where both bodies are kinetic.
    Hosted(Option<Box<SeparationList>>),
}

/// A finder takes the place of a pointer and a tag in each pair.
const _: () = assert!(size_of::<PairFinder>() == 2 * size_of::<usize>());

impl PairFinder {
    /// The separation list, if the finder has one.
    pub(crate) fn list(&self) -> Option<&SeparationList> {
        match self {
            Self::List(list) | Self::Hosted(Some(list)) => Some(list),
            _ => None,
        }
    }

    /// The separation list, if the finder has one.
    pub(crate) fn list_mut(&mut self) -> Option<&mut SeparationList> {
        match self {
            Self::List(list) | Self::Hosted(Some(list)) => Some(list),
            _ => None,
        }
    }

    /// The interval finder of continuous contacts, if the pair has one.
    pub(crate) fn continuous(&self) -> Option<&ContinuousInterval> {
        match self {
            Self::Continuous(interval) => Some(interval),
            _ => None,
        }
    }

    /// The interval finder of contacts at times, if the pair has one.
    pub(crate) fn interval(&self) -> Option<&IntervalFinder> {
        match self {
            Self::Interval(finder) => Some(finder),
            _ => None,
        }
    }

    /// Whether the finder is chosen at every step.
    pub(crate) fn is_chosen_per_step(&self) -> bool {
        matches!(self, Self::Interval(_) | Self::Front(_) | Self::Mixed)
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them.
    pub(crate) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        match self {
            Self::Continuous(interval) => interval.add_parts(add),
            Self::Interval(finder) => finder.add_parts(add),
            Self::List(_) | Self::Hosted(_) => add("separation lists", self.bytes()),
            Self::Front(_) | Self::Mixed | Self::BruteForce => add("fronts", self.bytes()),
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::List(list) | Self::Hosted(Some(list)) => list.bytes(),
            Self::Continuous(interval) => interval.bytes(),
            Self::Interval(finder) => finder.bytes(),
            Self::Front(front) => front.bytes(),
            Self::Mixed | Self::BruteForce | Self::Hosted(None) => 0,
        }
    }
}

/// A finder that was used in an earlier step, kept for a while.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct IdleFinder {
    pub(crate) finder: PairFinder,
    /// Steps since the finder was needed.
    steps: u32,
}

impl IdleFinder {
    /// A finder that is not needed from now on.
    pub(crate) fn new(finder: PairFinder) -> Self {
        Self { finder, steps: 0 }
    }

    /// Counts a step; returns whether the finder is to be released. The limit depends on the pair,
    /// so that not all pairs release theirs in the same step.
    pub(crate) fn is_released(&mut self, pair: u32) -> bool {
        self.steps += 1;
        self.steps > tuning::STEPS_BEFORE_RELEASE + pair % tuning::STEPS_BEFORE_RELEASE
    }
}
