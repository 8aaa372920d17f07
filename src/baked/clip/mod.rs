//! Baked clips: the events of a whole clip for one tree, as a table for storage and replay.
//!
//! | format | use | bytes per event |
//! |---|---|---|
//! | [`BakeFormat::Frames`] | frames of a fixed rate; changes within a frame are merged | 4 |
//! | [`BakeFormat::Stamped`] | any time; exact event times | 12 |
//!
//! An event toggles a winner by exclusive or, so the same table serves forward and backward replay.
//! Events are stored in *buckets*: a frame, or a part of a keyframe interval. Within a bucket they
//! are sorted by cell. Each is a word of two halves: the distance in *cells* from the previous
//! event, and the toggle.
//!
//! A cell is 16 bits of a winner. The lower halves of all winners come first, six a node; with more
//! than 2¹⁶ points, their upper halves follow. Points are numbered from leaf to leaf, so upper
//! halves rarely change. A winner that changes in both halves has two events. A far cell is reached
//! over events that toggle nothing.
//!
//! A clip may hold *sync points*: all winners at the begin of some bucket. They give access to a
//! far time without passing all events in between. There is always one at the begin.
//!
//! The bytes (`bytes`) contain a version, fingerprints of the topology and of the motion, and a
//! checksum. A clip that does not match is refused.

mod bytes;
mod error;
mod fingerprint;
mod make;
mod replay;

use crate::math::Extent;

pub use error::BakeError;
pub use replay::{BakedTree, BakedTreeView};

/// The format of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BakeFormat {
    /// For frames at `begin + frame / per_second`, and the clip's end.
    Frames {
        /// Frames per second.
        per_second: f64,
    },
    /// For any time of the clip.
    Stamped,
}

/// The events of one tree over a clip. See the module documentation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<u8>", into = "Vec<u8>")
)]
pub struct BakedClip {
    topology: u64,
    motion: u64,
    /// Number of winners, and of the points that they are chosen from.
    winners: u32,
    points: u32,
    /// Begin of each bucket, seconds; the clip's end follows. Frame `f` holds the events after
    /// `times[f]` up to `times[f + 1]`.
    times: Vec<f64>,
    /// Begin of each bucket in `words`; one more entry at the end.
    starts: Vec<u32>,
    /// Distance in cells in the upper half, toggle in the lower half.
    words: Vec<u32>,
    /// Time of each word, seconds; empty for baked frames.
    stamps: Vec<f64>,
    /// Buckets with a sync point at their begin, ascending; the first is 0.
    syncs: Vec<u32>,
    /// Cells of the sync points, one after the other.
    sync_cells: Vec<u16>,
}

impl BakedClip {
    /// First time of the clip, seconds.
    pub fn begin(&self) -> f64 {
        self.times[0]
    }

    /// Last time of the clip, seconds.
    pub fn end(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// Whether any time of the clip can be queried.
    pub fn is_stamped(&self) -> bool {
        self.stamps.len() == self.words.len()
    }

    /// The times of frames, or the begins of buckets, seconds; the last is the clip's end.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The number of stored events.
    pub fn event_count(&self) -> usize {
        self.words.len()
    }

    /// Bytes held.
    pub fn size(&self) -> usize {
        (self.times.len() + self.stamps.len()) * size_of::<f64>()
            + (self.starts.len() + self.words.len() + self.syncs.len()) * size_of::<u32>()
            + self.sync_cells.len() * size_of::<u16>()
    }

    /// The number of cells of all slots' winners.
    fn cell_count(&self) -> u64 {
        cell_count(self.winners, self.points)
    }

    fn bucket_count(&self) -> usize {
        self.starts.len() - 1
    }
}

/// The number of cells of this many winners among this many points.
fn cell_count(winners: u32, points: u32) -> u64 {
    u64::from(winners) * if points > 1 << 16 { 2 } else { 1 }
}

/// Winners per node.
const SIDES: usize = 6;

/// The index of the winner of a node's extent among those of all nodes.
#[inline(always)]
fn winner_of(place: usize, extent: Extent) -> usize {
    SIDES * place + extent.axis() + if extent.is_max() { 3 } else { 0 }
}

/// The largest distance in one word.
const FARTHEST: u32 = 0xffff;
