//! Boxes of keys, interpolated in between: a conservative hierarchy without events.
//!
//! Maintains: the exact boxes of all nodes at the two last keys. In between every vertex moves linearly, so the greatest
//! coordinate below a node is a convex function of time, and interpolating its values at the ends bounds it from above
//! (theory §11; measured 0.2-2 % larger in area). Exact at keys.
//!
//! Cost: one refit per key, about 2 ns per triangle; nothing per frame. Rounded coordinates of `f64` are within a few units of
//! the last place of the real ones; the slack pays for that.

use super::error::check_time;
use super::layout::{LANES, Layout};
use super::sweep::{leaf_values, sided, union};
use super::track::{KeyEnds, Points};
use super::{WindowError, points};
use crate::kds::{Hierarchy, Topology};
use crate::limits;
use crate::math::Aabb;
use crate::motion::{MotionError, interpolate};
use crate::time::Moment;

/// A box hierarchy that is refitted once per key. Boxes may be asked for at any time from the last key but one to the last.
#[derive(Clone, Debug)]
pub struct KeyBoxes {
    layout: Layout,
    /// Per place `[lo, −hi]` at the key before, and at the last.
    before: Vec<[f32; LANES]>,
    after: Vec<[f32; LANES]>,
    begin: f64,
    end: f64,
    points: Points,
    coordinate: f64,
}

impl KeyBoxes {
    /// The boxes of a first key. O(vertices + nodes).
    ///
    /// # Errors
    /// Fewer positions than the topology names vertices, or numbers that no flightplan may have.
    pub fn new(topology: Topology, time: f64, positions: &[[f32; 3]]) -> Result<Self, WindowError> {
        check_time(0, time)?;
        let layout = Layout::new(topology)?;
        let places = layout.place_count();
        let empty = || vec![[0.0; LANES]; places];
        let mut boxes = Self {
            layout,
            before: empty(),
            after: empty(),
            begin: time,
            end: time,
            points: Points::new(),
            coordinate: 0.0,
        };
        boxes.refit(positions)?;
        boxes.before.clone_from(&boxes.after);
        Ok(boxes)
    }

    /// Takes the next key: the boxes are those between the last key and this one. O(vertices + nodes).
    ///
    /// # Errors
    /// A time not after the last key, fewer positions than vertices in use, or numbers that no flightplan may have.
    pub fn push_key(&mut self, time: f64, positions: &[[f32; 3]]) -> Result<(), WindowError> {
        check_time(1, time)?;
        if time <= self.end {
            return Err(WindowError::NotLater { time, end: self.end });
        }
        std::mem::swap(&mut self.before, &mut self.after);
        if let Err(error) = self.refit(positions) {
            std::mem::swap(&mut self.before, &mut self.after);
            return Err(error.into());
        }
        (self.begin, self.end) = (self.end, time);
        Ok(())
    }

    /// Writes `after`; nothing if an error is returned.
    fn refit(&mut self, positions: &[[f32; 3]]) -> Result<(), MotionError> {
        let expected = self.layout.vertex_bound();
        if positions.len() < expected {
            return Err(MotionError::PositionCount { expected, found: positions.len() });
        }
        let spread = points::gather(positions, &self.layout.vertices, &[], &mut self.points)?;
        self.coordinate = self.coordinate.max(spread.coordinate);
        let ends = KeyEnds { a: &self.points, b: &self.points };
        let inner = self.layout.inner_count();
        for leaf in 0..self.layout.leaf_count() {
            self.after[inner + leaf] = leaf_values(self.layout.points_of(leaf), &ends);
        }
        for place in (0..inner).rev() {
            let [left, right] = self.layout.children[place];
            self.after[place] = union(&self.after[left as usize], &self.after[right as usize]);
        }
        Ok(())
    }

    /// The time of the last key but one, seconds.
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// The time of the last key, seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// Bytes held, the topology included.
    pub fn bytes(&self) -> usize {
        self.layout.bytes()
            + (self.before.capacity() + self.after.capacity()) * size_of::<[f32; LANES]>()
            + self.points.capacity() * size_of::<[f32; 4]>()
    }
}

impl Hierarchy for KeyBoxes {
    fn topology(&self) -> &Topology {
        &self.layout.topology
    }

    /// Holds every vertex below the node at a time between the two keys; times outside count as the nearer key. O(1).
    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let place = self.layout.place_of(node);
        let time = at.time().max(self.begin).min(self.end);
        let part = if self.end > self.begin { (time - self.begin) / (self.end - self.begin) } else { 1.0 };
        let side = |lane: usize| {
            let [x, y] = [&self.before, &self.after].map(|boxes| f64::from(boxes[place][lane]));
            sided(interpolate(x, y, part), lane)
        };
        Aabb { min: std::array::from_fn(side), max: std::array::from_fn(|axis| side(axis + 4)) }
            .inflated(limits::ROUNDING * self.coordinate + limits::FLUSH)
    }
}
