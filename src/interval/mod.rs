//! Timelines: kinetic AABB trees over motion that is known for a window of time, without a queue.
//!
//! Where the next keyframe is known, all events up to it can be found at once. The result is the
//! same as that of the kinetic engine (`kinetic::aabb_tree`): which vertex realises each extent of
//! each node, at any time.
//!
//! | type | what it is |
//! |---|---|
//! | `ClipTree` | events of one or several intervals, found as keys arrive; replayed forwards, backwards, at any time |
//! | [`IntervalBoxes`] | no events: boxes of keys, interpolated in between; conservative |
//! | [`IntervalPairs`] | which leaves of two bodies, or of one, may meet in an interval, and from when to when |
//! | `BakedClip` | the events of a whole clip as a compact table, with bytes to store |
//!
//! How an interval is prepared (theory §11):
//! 1. `sweep`: one bottom-up pass over the next key. A slot with the same winner at both ends has
//!    no event inside.
//! 2. `envelope`: the winning spans of the other slots, from those of their children.
//! 3. `interval`: their events, in buckets by time. A step forwards or backwards is a few plain
//!    stores.
//!
//! Guarantees, tested against the kinetic engine and brute force:
//! - at any time in the window the box of every node equals the kinetic tree's bit for bit, where
//!   the slack is the same;
//! - winners and events (time, node, extent, winner) equal the kinetic engine's but for ties: where
//!   several vertices have the same extreme value at a key, another of them may win, and where
//!   several certificates fail at one time, their order is (time, leaf before inner, node, extent);
//! - winners at keys do not depend on the times of the host's steps.
//!
//! Times are seconds, positions metres. [`IntervalBoxes`] and `ClipTree` are for one body,
//! [`IntervalPairs`] for two.

mod boxes;
mod error;
pub(crate) mod layout;
pub mod pairs;
pub(crate) mod sweep;
pub(crate) mod track;

pub use boxes::IntervalBoxes;
pub use error::IntervalError;
pub(crate) use error::check_time;
pub(crate) use pairs::Found;
pub use pairs::{Candidates, FrameContacts, IntervalPairs, LeafPair, PairStats, PairedBoxes};

/// How far the interval is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// All of it.
    All,
    /// There is work left.
    Partly,
}
