//! Which leaves of two bodies may meet during an interval, and from when to when: one dual
//! traversal per interval.
//!
//! Maintains, once an interval is prepared: every pair of leaves whose boxes overlap at some time
//! of it is listed with a window that holds that time. A pair of nodes that is apart on the same
//! axis and side at both ends of the interval is apart throughout, because interpolated boxes move
//! linearly (theory §11); no pair below it is tested.
//!
//! | word | meaning |
//! |---|---|
//! | interval | the time in which the motions of both bodies are known as linear: the common part of their own |
//! | front | the pairs of nodes at which the traversal stopped; kept from one interval to the next |
//! | window | the time, in the interval's parameter, in which the interpolated boxes of two leaves are not apart |
//!
//! Invariants (see `audit`): every pair of leaves lies below exactly one pair of the front, but for
//! those of one body of which every pair of triangles shares a corner; pairs of the front lie in
//! the order in which a depth-first traversal meets them; a listed pair is of the front. Which of
//! two nodes is opened is decided by their sizes at the first key, so the order of the list depends
//! neither on the history of the front nor on how the preparation was divided.
//!
//! **Rounding.** Differences of `f32` sides are compared with a threshold that holds both slacks
//! and the distance, rounded up. A rounded difference exceeds an `f32` threshold only if the real
//! one does. Windows are solved in `f64` with a stated error, and rounded outward to `f32`; where
//! boxes meet at an end of the interval, the window begins or ends there exactly.
//!
//! Cost per interval: 16 to 20 ns for each pair of nodes visited; see docs/BENCHMARKS.md. A front
//! only grows downward: it is rebuilt every few intervals.
//!
//! Follows the front tracking of Klosowski et al. (1998) and Ehmann and Lin (2001), with intervals
//! for instants; nothing there is coarsened, rebuilding is cheaper.

mod audit;
mod blocks;
mod by_threads;
mod candidates;
mod certain;
mod decided;
mod disjoint;
mod ends;
mod frames;
mod front;
mod precise;
mod separated;
mod spread;
mod window;

pub(crate) use candidates::Found;
pub use candidates::{Candidates, PairedBodies};
pub use ends::PairedBoxes;
pub use frames::FrameContacts;
pub use window::LeafPair;

use super::{IntervalError, Prepared};
use crate::limits;
use crate::time::Span;
use crate::tuning;
use ends::CutBoxes;
use std::sync::Arc;

/// What the preparation of intervals cost; counters only grow, but for the last three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct PairStats {
    /// Intervals begun.
    pub intervals: u64,
    /// Pairs of nodes tested; about twice the size of the front per interval is good.
    pub visited: u64,
    /// Fronts built from the root.
    pub rebuilds: u64,
    /// Pairs of nodes in the front now.
    pub front: usize,
    /// Pairs of leaves listed for this interval.
    pub listed: usize,
    /// Of those, pairs that share a corner and are never apart.
    pub sharing: usize,
}

/// How far an interval is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
enum Stage {
    /// Nothing is known of any interval.
    Empty,
    /// Pairs of the old front before this index were tested.
    Partly(usize),
    Ready,
}

/// The pairs of leaves of two bodies, or of one, that may meet in an interval.
///
/// For each interval the host calls [`IntervalPairs::begin`], then [`IntervalPairs::prepare`] until
/// it is done; then it may ask for any time of the interval, in any order.
///
/// ```
/// use kinetree::bvh::{BuildParams, Topology};
/// use kinetree::mesh::Mesh;
/// use kinetree::interval::{IntervalBoxes, IntervalPairs, PairedBoxes};
/// use kinetree::motion::{Flightplan, KeyLayout, Motion};
/// use kinetree::time::Moment;
///
/// let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
/// let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
/// let boxes = |from: f32, to: f32| {
///     let start: Vec<[f64; 3]> = at(from).iter().map(|p| p.map(f64::from)).collect();
///     let topology = Topology::build(&mesh, &start, BuildParams::default());
///     let plan = Flightplan::keyframes(vec![0.0, 2.0], [at(from), at(to)].concat());
///     let motion = Motion::new(plan, 3, KeyLayout::KeyMajor).unwrap();
///     let mut boxes = IntervalBoxes::over(topology, &motion, 0.0).unwrap();
///     boxes.follow(&motion, Moment::after(0.0), 2.0).unwrap();
///     boxes
/// };
/// let (floor, falling) = (boxes(0.0, 0.0), boxes(1.0, -1.0));
/// let partners = PairedBoxes::between(&floor, &falling);
/// let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
/// leaf_pairs.begin(&partners).unwrap();
/// leaf_pairs.prepare(&partners, usize::MAX);
/// assert_eq!(leaf_pairs.pairs().len(), 1);
/// assert_eq!(leaf_pairs.active(0.9).unwrap().count(), 0);
/// assert_eq!(leaf_pairs.active(1.0).unwrap().count(), 1);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct IntervalPairs {
    distance: f64,
    rebuild_after: u32,
    /// Intervals since the front was built.
    age: u32,
    interval: Span,
    /// What a gap must exceed for boxes to be apart, metres.
    threshold: f32,
    /// What of it pays for rounding, metres.
    slack: f64,
    stage: Stage,
    /// Of which trees the front is, by the sizes that decide the order of the traversal: a front of
    /// others is of no use.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    trees: [Arc<[f32]>; 2],
    /// Pairs of places; the highest bit of the second marks leaves that share a corner.
    front: Vec<[u32; 2]>,
    old_front: Vec<[u32; 2]>,
    pairs: Vec<LeafPair>,
    /// Per listed pair, whether the leaves share a corner.
    sharing: Vec<bool>,
    stack: Vec<[u32; 2]>,
    cut: [CutBoxes; 2],
    stats: PairStats,
}

impl IntervalPairs {
    /// Of triangles that count as touching at a distance, metres.
    ///
    /// # Errors
    /// [`IntervalError::BadDistance`].
    pub fn new(distance: f64) -> Result<Self, IntervalError> {
        if !(0.0..=limits::MAX_COORDINATE).contains(&distance) {
            return Err(IntervalError::BadDistance { value: distance });
        }
        Ok(Self {
            distance,
            rebuild_after: tuning::INTERVALS_PER_FRONT,
            age: 0,
            interval: Span { begin: 0.0, end: 0.0 },
            threshold: 0.0,
            slack: 0.0,
            stage: Stage::Empty,
            trees: [Arc::default(), Arc::default()],
            front: Vec::new(),
            old_front: Vec::new(),
            pairs: Vec::new(),
            sharing: Vec::new(),
            stack: Vec::new(),
            cut: [CutBoxes::default(), CutBoxes::default()],
            stats: PairStats::default(),
        })
    }

    /// Becomes as a new one for triangles that count as touching at a distance, metres, in the
    /// memory that is there.
    ///
    /// # Errors
    /// [`IntervalError::BadDistance`]; nothing is changed.
    pub(crate) fn restart(&mut self, distance: f64) -> Result<(), IntervalError> {
        let Self { front, old_front, pairs, sharing, stack, cut, .. } = std::mem::replace(self, Self::new(distance)?);
        self.front = emptied(front);
        self.old_front = emptied(old_front);
        self.pairs = emptied(pairs);
        self.sharing = emptied(sharing);
        self.stack = emptied(stack);
        self.cut = cut;
        Ok(())
    }

    /// Rebuilds the front after `intervals` intervals instead of the usual number; 1 for every
    /// interval.
    #[must_use]
    pub fn rebuilt_after(mut self, intervals: u32) -> Self {
        self.rebuild_after = intervals.max(1);
        self
    }

    /// Has the next interval find what comes within another distance, metres; the front stays of
    /// use. O(1).
    ///
    /// # Errors
    /// [`IntervalError::BadDistance`]; nothing is changed.
    pub(crate) fn set_distance(&mut self, distance: f64) -> Result<(), IntervalError> {
        self.distance = Self::new(distance)?.distance;
        Ok(())
    }

    /// The distance, metres.
    #[cfg(test)]
    pub(crate) fn distance(&self) -> f64 {
        self.distance
    }

    /// Takes the front of others over the same trees, and room that they do not need once they are
    /// prepared: the next interval is then prepared as those would prepare it. O(front).
    pub(crate) fn follow_front(&mut self, other: &mut Self) {
        self.take_room(other);
        // Both lists are filled anew: the front here, the old one where the interval begins.
        if other.is_ready() {
            take_larger(&mut self.front, &mut other.old_front);
        }
        let Self { distance, rebuild_after, age, stage, ref trees, ref front, stats, .. } = *other;
        (self.distance, self.rebuild_after, self.age, self.stage) = (distance, rebuild_after, age, stage);
        self.trees.clone_from(trees);
        self.front.clone_from(front);
        self.stats = stats;
    }

    /// Takes room that others do not need once they are prepared, before an interval begins. Its
    /// own front, which may be of use, stays. O(1).
    pub(crate) fn take_room(&mut self, other: &mut Self) {
        if other.is_ready() {
            take_larger(&mut self.old_front, &mut other.old_front);
            take_larger(&mut self.stack, &mut other.stack);
        }
    }

    /// Takes the room of others whose preparation was given up. O(1).
    pub(crate) fn take_room_back(&mut self, other: &mut Self) {
        for room in [&mut other.front, &mut other.old_front] {
            take_larger(&mut self.old_front, room);
        }
        take_larger(&mut self.stack, &mut other.stack);
    }

    /// Begins the interval in which both bodies' motions are known. O(1); O(nodes) of a body whose
    /// own interval is longer.
    ///
    /// # Errors
    /// [`IntervalError::NoCommonTime`]; nothing is changed.
    pub fn begin(&mut self, partners: &PairedBoxes<'_>) -> Result<(), IntervalError> {
        let interval = partners.interval()?;
        self.interval = interval;
        self.slack = partners.slack();
        self.threshold = partners.threshold(self.distance);
        for (cut, boxes) in self.cut.iter_mut().zip(partners.sides()) {
            cut.follow(boxes, interval);
        }
        let trees = partners.sides().map(|boxes| &boxes.girths);
        let is_same = trees.iter().zip(&self.trees).all(|(now, of)| Arc::ptr_eq(now, of));
        if self.is_rebuilt_next() || !is_same {
            self.trees = trees.map(Arc::clone);
            self.age = 0;
            self.front.clear();
            self.front.push([0, 0]);
            self.stats.rebuilds += 1;
        }
        self.age += 1;
        std::mem::swap(&mut self.front, &mut self.old_front);
        self.front.clear();
        self.pairs.clear();
        self.sharing.clear();
        self.stack.clear();
        self.stats.intervals += 1;
        self.stats.sharing = 0;
        self.stage = Stage::Partly(0);
        Ok(())
    }

    /// Does some of the preparation of the interval begun; a `budget` of 1 is a pair of nodes,
    /// 16 to 20 ns. The partners must be those of [`IntervalPairs::begin`], unchanged. Nothing
    /// depends on how the work is divided.
    pub fn prepare(&mut self, partners: &PairedBoxes<'_>, budget: usize) -> Prepared {
        if let Stage::Partly(from) = self.stage {
            self.stage = match self.descend(partners, from, budget) {
                Some(next) => Stage::Partly(next),
                None => Stage::Ready,
            };
            (self.stats.front, self.stats.listed) = (self.front.len(), self.pairs.len());
        }
        if self.is_ready() { Prepared::All } else { Prepared::Partly }
    }

    /// Whether the front of the next interval is to be built from the root, as known so far.
    pub(crate) fn is_rebuilt_next(&self) -> bool {
        self.stage != Stage::Ready || self.age >= self.rebuild_after
    }

    /// Whether the front of this interval was built from the root.
    pub(crate) fn is_rebuilt(&self) -> bool {
        self.age == 1
    }

    /// Whether the interval is prepared to its end.
    pub fn is_ready(&self) -> bool {
        self.stage == Stage::Ready
    }

    /// Forgets the front: a tree's shape changed, or which leaves share a corner. O(1).
    pub fn forget(&mut self) {
        self.stage = Stage::Empty;
        self.pairs.clear();
    }

    /// Forgets the front, and lets go of what belongs to the trees.
    pub(crate) fn let_go(&mut self) {
        self.forget();
        self.trees = [Arc::default(), Arc::default()];
    }

    /// The interval, seconds.
    pub fn interval(&self) -> Span {
        self.interval
    }

    /// The pairs of leaves that may meet in the interval; none unless it is prepared. Their order
    /// is fixed by the trees.
    pub fn pairs(&self) -> &[LeafPair] {
        if self.is_ready() { &self.pairs } else { &[] }
    }

    /// The pairs of leaves whose boxes may overlap at a time: a superset of those that do.
    /// O(pairs), about 1 ns each.
    ///
    /// # Errors
    /// [`IntervalError::NotPrepared`], [`IntervalError::Outside`].
    pub fn active(&self, time: f64) -> Result<impl Iterator<Item = LeafPair>, IntervalError> {
        let s = self.parameter(time)?;
        Ok(self.pairs.iter().copied().filter(move |pair| pair.is_open(s)))
    }

    /// The interval's parameter, 0 to 1, at a time.
    pub(in crate::interval) fn parameter(&self, time: f64) -> Result<f64, IntervalError> {
        if !self.is_ready() {
            return Err(IntervalError::NotPrepared);
        }
        let Span { begin, end } = self.interval;
        // Also false for NaN.
        if !(begin <= time && time <= end) {
            return Err(IntervalError::Outside { time, begin, end });
        }
        Ok(if time >= end { 1.0 } else { part(time, begin, end) })
    }

    /// What the work cost.
    pub fn stats(&self) -> PairStats {
        self.stats
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them.
    pub(crate) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        let fronts = self.front.capacity() + self.old_front.capacity() + self.stack.capacity();
        add("fronts", fronts * size_of::<[u32; 2]>());
        add("leaf pairs", self.bytes() - fronts * size_of::<[u32; 2]>());
    }

    /// Bytes held; boxes are held by the bodies.
    pub fn bytes(&self) -> usize {
        (self.front.capacity() + self.old_front.capacity() + self.stack.capacity()) * size_of::<[u32; 2]>()
            + self.pairs.capacity() * size_of::<LeafPair>()
            + self.sharing.capacity()
            + self.cut.iter().map(CutBoxes::bytes).sum::<usize>()
    }
}

/// Appends to a list of which there are many: its room grows by a quarter, not twice.
#[inline]
fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 64);
    }
    list.push(value);
}

/// Exchanges the room of a list for that of another one, if that is larger.
fn take_larger(room: &mut Vec<[u32; 2]>, other: &mut Vec<[u32; 2]>) {
    if room.capacity() < other.capacity() {
        std::mem::swap(room, other);
    }
}

/// A list without its items, in the same memory.
fn emptied<T>(mut list: Vec<T>) -> Vec<T> {
    list.clear();
    list
}

/// Where a time lies between two others, 0 to 1; 0 where these are one, or infinite.
pub(super) fn part(time: f64, begin: f64, end: f64) -> f64 {
    let length = end - begin;
    if length > 0.0 && length.is_finite() { ((time - begin) / length).clamp(0.0, 1.0) } else { 0.0 }
}
