//! Keyframe intervals: motion that is linear from key to key, used for a whole interval at once,
//! without events.
//!
//! | type | what it is |
//! |---|---|
//! | [`IntervalBoxes`] | boxes of keys, interpolated in between; conservative |
//! | [`IntervalPairs`] | which leaves of two bodies, or of one, may meet in an interval, and from when to when |
//! | [`Candidates`] | which triangles below these leaves may touch, and when that is certain |
//!
//! `layout`, `sweep` and `track` also serve `baked`: one bottom-up pass over the next key finds the
//! slots whose winner differs at the two ends of an interval (theory §11).
//!
//! Times are seconds, positions metres. [`IntervalBoxes`] are for one body, [`IntervalPairs`] for
//! two.

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
pub use pairs::{Candidates, FrameContacts, IntervalPairs, LeafPair, PairStats, PairedBodies, PairedBoxes};

/// How far the interval is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// All of it.
    All,
    /// There is work left.
    Partly,
}
