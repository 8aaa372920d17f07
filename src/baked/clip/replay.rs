//! Replay of a baked clip.

use std::sync::Arc;

use super::{BakeError, BakedClip, SIDES, fingerprint, winner_of};
use crate::bvh::{Hierarchy, Topology};
use crate::interval::layout::Layout;
use crate::math::{Aabb, Extent};
use crate::motion::Motion;
use crate::time::Moment;

impl BakedClip {
    /// Applies all events of a bucket, or reverts them.
    #[inline]
    pub(super) fn toggle_bucket(&self, bucket: usize, cells: &mut [u16]) {
        let mut cell = 0;
        for &word in &self.words[self.starts[bucket] as usize..self.starts[bucket + 1] as usize] {
            cell += (word >> 16) as usize;
            cells[cell] ^= word as u16;
        }
    }

    /// Applies or reverts the events of a bucket later than `low` up to `high`.
    fn toggle_some(&self, bucket: usize, low: f64, high: f64, cells: &mut [u16]) {
        if self.stamps.is_empty() {
            return;
        }
        let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        let mut cell = 0;
        for (word, &stamp) in self.words[range.clone()].iter().zip(&self.stamps[range]) {
            cell += (word >> 16) as usize;
            let mask = u16::from(low < stamp && stamp <= high).wrapping_neg();
            cells[cell] ^= *word as u16 & mask;
        }
    }
}

/// A tree that replays a baked clip: winners at any time of the clip.
///
/// Cost: 1-2 ns per event passed; a far time costs one copy of a sync point and the events after
/// it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct BakedTree {
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    clip: Arc<BakedClip>,
    layout: Layout,
    /// The winners' lower halves, then their upper halves, if there are more than 2¹⁶ points.
    cells: Vec<u16>,
    /// Number of buckets that are fully applied.
    bucket: usize,
    /// With stamped events: events of the next bucket up to this time are applied too.
    now: f64,
}

impl BakedTree {
    /// Creates a tree at the begin of a clip. O(keys × vertices): compares the motion with the
    /// baked one.
    ///
    /// # Errors
    /// A topology or a motion other than the one of the clip.
    pub fn new(clip: Arc<BakedClip>, topology: Topology, motion: &Motion) -> Result<Self, BakeError> {
        if fingerprint::of_topology(&topology) != clip.topology {
            return Err(BakeError::OtherTopology);
        }
        let is_short = (motion.vertex_count() as u64) < topology_vertices(&topology);
        if is_short || motion.fingerprint(clip.begin(), clip.end()) != clip.motion {
            return Err(BakeError::OtherMotion);
        }
        let layout = Layout::new(topology).map_err(|_| BakeError::OtherTopology)?.without_sweeps();
        if clip.winners as usize != SIDES * layout.place_count() || clip.points as usize != layout.vertices.len() {
            return Err(BakeError::Inconsistent { what: "number of winners or points" });
        }
        let cells = clip.sync_cells[..clip.cell_count() as usize].to_vec();
        let now = clip.begin();
        Ok(Self { clip, layout, cells, bucket: 0, now })
    }

    /// The replayed clip.
    pub fn clip(&self) -> &BakedClip {
        &self.clip
    }

    /// The tree's time, seconds.
    pub fn time(&self) -> f64 {
        self.now
    }

    /// Moves to a time of the clip, forward or backward. O(events passed), or O(nodes) plus the
    /// events after a sync point.
    ///
    /// # Errors
    /// A time outside the clip; with baked frames, a time between frames. See [`BakedClip::times`].
    pub fn seek(&mut self, time: f64) -> Result<(), BakeError> {
        let (clip, no_such) = (&*self.clip, BakeError::NoSuchTime { time });
        let times = &clip.times;
        if !(clip.begin() <= time && time <= clip.end()) {
            return Err(no_such);
        }
        // Number of whole buckets before the time. Consecutive times find it at once.
        let holds = |bucket: usize| times[bucket] <= time && times.get(bucket + 1).is_none_or(|&next| time < next);
        let near = self.bucket + 1;
        let whole = if near < times.len() && holds(near) {
            near
        } else if holds(self.bucket) {
            self.bucket
        } else {
            times.partition_point(|&begin| begin <= time) - 1
        };
        let is_part = times[whole] != time;
        if is_part && clip.stamps.is_empty() && !clip.words.is_empty() {
            return Err(no_such);
        }
        if is_part && whole == self.bucket {
            let (low, high) = if self.now < time { (self.now, time) } else { (time, self.now) };
            // At the begin of a bucket none of its events is applied, including those of that time.
            let low = if low == times[whole] { f64::NEG_INFINITY } else { low };
            clip.toggle_some(whole, low, high, &mut self.cells);
        } else {
            self.leave_part();
            self.go_to(whole);
            if is_part {
                self.clip.toggle_some(whole, f64::NEG_INFINITY, time, &mut self.cells);
            }
        }
        self.now = time;
        Ok(())
    }

    /// Reverts the events of the partly applied bucket.
    fn leave_part(&mut self) {
        let begin = self.clip.times[self.bucket];
        if self.now > begin {
            self.clip.toggle_some(self.bucket, f64::NEG_INFINITY, self.now, &mut self.cells);
        }
        self.now = begin;
    }

    /// Moves to the begin of a bucket.
    fn go_to(&mut self, bucket: usize) {
        let clip = &*self.clip;
        let events = |a: usize, b: usize| clip.starts[a].abs_diff(clip.starts[b]) as usize;
        if self.bucket.abs_diff(bucket) > 1 {
            let sync = clip.syncs.partition_point(|&sync| sync as usize <= bucket) - 1;
            let from = clip.syncs[sync] as usize;
            if events(from, bucket) + self.cells.len() / 8 < events(self.bucket, bucket) {
                let size = self.cells.len();
                self.cells.copy_from_slice(&clip.sync_cells[sync * size..(sync + 1) * size]);
                self.bucket = from;
            }
        }
        while self.bucket < bucket {
            clip.toggle_bucket(self.bucket, &mut self.cells);
            self.bucket += 1;
        }
        while self.bucket > bucket {
            self.bucket -= 1;
            clip.toggle_bucket(self.bucket, &mut self.cells);
        }
    }

    /// The vertex that realises an extent of a node at the tree's time.
    pub fn winner(&self, node: u32, extent: Extent) -> u32 {
        let winner = winner_of(self.layout.place_of(node), extent);
        let upper = self.cells.get(self.clip.winners as usize + winner).copied().unwrap_or(0);
        let point = usize::from(upper) << 16 | usize::from(self.cells[winner]);
        // A forged clip with a valid checksum may name points that do not exist: its boxes are
        // wrong, but nothing panics.
        self.layout.vertices[point.min(self.layout.vertices.len() - 1)]
    }

    /// The tree with its motion, as a hierarchy with boxes.
    pub fn view<'a>(&'a self, motion: &'a Motion, slack: f64) -> BakedTreeView<'a> {
        BakedTreeView { tree: self, motion, slack }
    }

    /// Bytes held, the clip not included.
    pub fn bytes(&self) -> usize {
        self.bytes_by_part().iter().map(|&(_, bytes)| bytes).sum()
    }

    /// The parts of [`BakedTree::bytes`]: a name and the bytes of each.
    pub fn bytes_by_part(&self) -> [(&'static str, usize); 3] {
        let shape = self.layout.topology.bytes();
        let winners = self.cells.capacity() * size_of::<u16>();
        [("shape", shape), ("order", self.layout.bytes() - shape), ("winners", winners)]
    }
}

fn topology_vertices(topology: &Topology) -> u64 {
    let leaves = (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf());
    leaves.filter_map(|leaf| topology.leaf_points(leaf).last()).max().map_or(0, |&vertex| u64::from(vertex) + 1)
}

/// A baked tree with the motion of its vertices; boxes are those of the tree's time.
#[derive(Clone, Copy, Debug)]
pub struct BakedTreeView<'a> {
    tree: &'a BakedTree,
    motion: &'a Motion,
    slack: f64,
}

impl Hierarchy for BakedTreeView<'_> {
    fn topology(&self) -> &Topology {
        &self.tree.layout.topology
    }

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let side = |extent: Extent| self.motion.coordinate(self.tree.winner(node, extent), extent.axis(), at);
        Aabb::of_sides(side).inflated(self.slack)
    }
}
