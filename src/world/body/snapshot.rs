//! Positions at the clock's time, evaluated once per vertex and only where asked for.

use crate::motion::Motion;
use crate::time::Moment;

/// Scratch memory of a body; may be emptied at any time.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize), serde(from = "StoredSnapshot"))]
pub(crate) struct Snapshot {
    #[cfg_attr(feature = "record", serde(skip))]
    stamp: u32,
    #[cfg_attr(feature = "record", serde(skip))]
    stamps: Vec<u32>,
    #[cfg_attr(feature = "record", serde(skip))]
    positions: Vec<[f64; 3]>,
    vertex_count: usize,
}

/// What is stored of it: nothing that was evaluated.
#[cfg(feature = "record")]
#[derive(serde::Deserialize)]
struct StoredSnapshot {
    vertex_count: usize,
}

#[cfg(feature = "record")]
impl From<StoredSnapshot> for Snapshot {
    fn from(stored: StoredSnapshot) -> Self {
        let mut snapshot = Self::new(stored.vertex_count);
        snapshot.begin();
        snapshot
    }
}

impl Snapshot {
    pub(crate) fn new(vertex_count: usize) -> Self {
        Self { stamp: 0, stamps: Vec::new(), positions: Vec::new(), vertex_count }
    }

    /// There are more vertices; what was evaluated stays.
    pub(crate) fn grow(&mut self, vertex_count: usize) {
        self.vertex_count = vertex_count;
    }

    /// Forgets all positions.
    pub(crate) fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamps.clear();
            self.stamp = 1;
        }
    }

    /// Evaluates the given vertices, unless that was done since [`Snapshot::begin`].
    pub(crate) fn evaluate<'a>(&mut self, motion: &Motion, vertices: impl Iterator<Item = &'a u32>, at: Moment) {
        self.stamps.resize(self.vertex_count, 0);
        self.positions.resize(self.vertex_count, [0.0; 3]);
        let cursor = motion.cursor(at);
        for &vertex in vertices {
            let stamp = &mut self.stamps[vertex as usize];
            if *stamp != self.stamp {
                *stamp = self.stamp;
                self.positions[vertex as usize] = motion.position_at(vertex, &cursor);
            }
        }
    }

    /// Evaluates every vertex.
    pub(crate) fn evaluate_all(&mut self, motion: &Motion, at: Moment) {
        if self.positions.len() == self.vertex_count && self.stamps.iter().all(|&stamp| stamp == self.stamp) {
            return;
        }
        self.positions.clear();
        motion.positions(at, &mut self.positions);
        self.stamps.clear();
        self.stamps.resize(self.vertex_count, self.stamp);
    }

    /// The number of vertices there is room for.
    #[cfg(feature = "record")]
    pub(crate) fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// All positions; those not evaluated are from another time.
    pub(crate) fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Flightplan, KeyLayout};

    #[test]
    fn nothing_counts_as_evaluated_when_stamps_begin_again() {
        let keys = [1.0, 2.0, 3.0, 4.0].map(|x| [x, 0.0, 0.0]);
        let plan = Flightplan::keyframes(vec![0.0, 1.0], keys.to_vec());
        let motion = Motion::new(plan, 2, KeyLayout::KeyMajor).unwrap();
        let mut snapshot = Snapshot::new(2);
        snapshot.begin();
        snapshot.evaluate(&motion, [0].iter(), Moment::at(0.0));
        assert_eq!(snapshot.positions()[0], [1.0, 0.0, 0.0]);
        // As after four billion steps.
        snapshot.stamp = u32::MAX;
        snapshot.begin();
        snapshot.evaluate(&motion, [0, 1].iter(), Moment::at(1.0));
        assert_eq!(snapshot.positions(), [[3.0, 0.0, 0.0], [4.0, 0.0, 0.0]]);
    }
}
