//! Clips worked out ahead of time.
//!
//! | type | what it is |
//! |---|---|
//! | [`ClipTree`] | events of one or several intervals, found as keys arrive; replayed forwards, backwards, at any time |
//! | [`BakedClip`] | the events of a whole clip as a compact table, with bytes to store |

mod audit;
pub mod clip;
mod clip_tree;
mod envelope;
mod follow;
mod interval;
mod prepare;
mod query;
mod travel;

pub use clip::{BakeError, BakeFormat, BakedClip, BakedTree};
pub use clip_tree::ClipTree;
pub use travel::ClipEvent;
