//! Pairs of triangles that wait until a batch is full and are then tried together ([`PairBatch`]).

use super::batch::{BATCH, Corners, Directions, PairBatch};

/// A batch, and what names its pairs.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TriangleFilter<const ENDS: usize, T> {
    batch: PairBatch<ENDS>,
    /// The names of the pairs of the batch, and how many there are.
    waiting: [T; BATCH],
    count: usize,
    directions: Directions,
}

impl<const ENDS: usize, T: Copy + Default> TriangleFilter<ENDS, T> {
    /// Tries directions for triangles that count as touching at a distance and whose coordinates
    /// are off by at most `blur`, both in metres.
    pub(crate) fn new(distance: f64, blur: f64, directions: Directions) -> Self {
        Self { batch: PairBatch::new(distance, blur), waiting: [T::default(); BATCH], count: 0, directions }
    }

    /// Drops all pairs that wait, and begins with another distance and blur.
    pub(crate) fn begin(&mut self, distance: f64, blur: f64) {
        self.batch = PairBatch::new(distance, blur);
        self.count = 0;
    }

    /// Becomes as one that no pair was added to, for no distance.
    pub(crate) fn forget(&mut self) {
        self.begin(0.0, 0.0);
        self.waiting = [T::default(); BATCH];
    }

    /// Adds a pair; once the batch is full, gives the pairs that are not proved apart to `left`, in
    /// the order they came in.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn push(&mut self, name: T, a: &Corners<ENDS>, b: &Corners<ENDS>, left: impl FnMut(T)) {
        self.batch.push(a, b);
        self.waiting[self.count] = name;
        self.count += 1;
        if self.batch.is_full() {
            self.flush(left);
        }
    }

    /// Gives the pairs that are not proved apart to `left`; none waits any more.
    #[inline(never)]
    pub(crate) fn flush(&mut self, mut left: impl FnMut(T)) {
        if self.batch.is_empty() {
            return;
        }
        let apart = self.batch.apart(self.directions);
        for (place, &name) in self.waiting[..self.count].iter().enumerate() {
            if apart >> place & 1 == 0 {
                left(name);
            }
        }
        self.count = 0;
        self.batch.clear();
    }
}
