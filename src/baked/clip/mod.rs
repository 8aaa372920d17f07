//! Baked clips: the events of a whole clip for one tree, as a table to store and replay.
//!
//! | format | good for | bytes per event |
//! |---|---|---|
//! | [`BakeFormat::Frames`] | the frames of a fixed rate; changes within a frame are merged | 4 |
//! | [`BakeFormat::Stamped`] | any time; exact event times | 12 |
//!
//! An event toggles a winner by exclusive or, so the same table serves forwards and backwards. Events lie in *buckets*: a frame,
//! or a part of a keyframe interval. Within a bucket they are sorted by cell and stored as a word of two halves: how many
//! *cells* the event lies behind the one before it, and the toggle. A cell is 16 bits of a winner: first come the lower halves of
//! all winners, six a node, then, where there are more than 2¹⁶ points, their upper halves. Points are numbered from leaf to leaf,
//! so upper halves seldom change; a winner that changes in both has two events, and a far cell is reached over events that toggle
//! nothing.
//!
//! A clip may hold *sync points*, all winners at the begin of some bucket, so that a far time is reached without passing all
//! events in between. There is always one at the begin.
//!
//! The bytes (`bytes`) carry a version, fingerprints of the topology and of the motion, and a checksum. A clip that does not
//! fit is refused.

mod bytes;
mod error;
mod fingerprint;
mod make;
mod replay;

use crate::math::Extent;

pub use error::BakeError;
pub use replay::{BakedTree, BakedTreeView};

/// How a clip is baked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BakeFormat {
    /// For frames at `begin + frame / per_second`, and the clip's end.
    Frames {
        /// Frames per second.
        per_second: f64,
    },
    /// For any time of the clip.
    Stamped,
}

/// The events of one tree over a clip. See the module's text.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<u8>", into = "Vec<u8>")
)]
pub struct BakedClip {
    topology: u64,
    motion: u64,
    /// Winners, and the points they are chosen from.
    winners: u32,
    points: u32,
    /// Where each bucket begins in time, seconds; the clip's end follows. Frame `f` holds the events after `times[f]` up to
    /// `times[f + 1]`.
    times: Vec<f64>,
    /// Where each bucket begins in `words`; one more entry at the end.
    starts: Vec<u32>,
    /// Cells to go forward in the upper half, the toggle in the lower.
    words: Vec<u32>,
    /// Per word its time, seconds; empty where frames are baked.
    stamps: Vec<f64>,
    /// Buckets at whose begin all winners are known, ascending; the first is 0.
    syncs: Vec<u32>,
    /// Their cells, one sync point after the other.
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

    /// The times of frames, or where buckets begin, seconds; the last is the clip's end.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Stored events.
    pub fn event_count(&self) -> usize {
        self.words.len()
    }

    /// Bytes held.
    pub fn size(&self) -> usize {
        (self.times.len() + self.stamps.len()) * size_of::<f64>()
            + (self.starts.len() + self.words.len() + self.syncs.len()) * size_of::<u32>()
            + self.sync_cells.len() * size_of::<u16>()
    }

    /// How many cells hold the winners of all slots.
    fn cell_count(&self) -> u64 {
        cell_count(self.winners, self.points)
    }

    fn bucket_count(&self) -> usize {
        self.starts.len() - 1
    }
}

/// How many cells hold this many winners among this many points.
fn cell_count(winners: u32, points: u32) -> u64 {
    u64::from(winners) * if points > 1 << 16 { 2 } else { 1 }
}

/// Winners per node.
const SIDES: usize = 6;

/// The winner of a node's extent, of those of all nodes.
#[inline(always)]
fn winner_of(place: usize, extent: Extent) -> usize {
    SIDES * place + extent.axis() + if extent.is_max() { 3 } else { 0 }
}

/// The farthest step of one word.
const FARTHEST: u32 = 0xffff;
