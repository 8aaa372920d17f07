//! Clips computed ahead of time.
//!
//! | type | content |
//! |---|---|
//! | [`ClipTree`] | events of one or several intervals, computed as keys arrive; replayed forward, backward, at any time |
//! | [`BakedClip`] | the events of a whole clip as a compact table that can be stored as bytes |

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
