//! Axis-aligned boxes.

use super::{Extent, f32_at_least};
use crate::limits;

/// A closed axis-aligned box, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: [f64; 3],
    /// Largest coordinates.
    pub max: [f64; 3],
}

impl Aabb {
    /// The empty box: the union of it and any box is that box.
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The box without limits.
    pub(crate) const EVERYTHING: Self = Self { min: [f64::NEG_INFINITY; 3], max: [f64::INFINITY; 3] };

    /// The box with the given coordinates of its six sides.
    #[inline]
    pub(crate) fn of_sides(side: impl Fn(Extent) -> f64) -> Self {
        Self { min: [0, 1, 2].map(|axis| side(Extent::min(axis))), max: [0, 1, 2].map(|axis| side(Extent::max(axis))) }
    }

    /// The smallest box of some points.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a [f64; 3]>) -> Self {
        let mut bounds = Self::EMPTY;
        for point in points {
            bounds.include(point);
        }
        bounds
    }

    /// Grows the box to hold `point`.
    pub fn include(&mut self, point: &[f64; 3]) {
        for axis in 0..3 {
            if point[axis] < self.min[axis] {
                self.min[axis] = point[axis];
            }
            if point[axis] > self.max[axis] {
                self.max[axis] = point[axis];
            }
        }
    }

    /// The smallest box that contains both boxes.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for axis in 0..3 {
            if other.min[axis] < self.min[axis] {
                self.min[axis] = other.min[axis];
            }
            if other.max[axis] > self.max[axis] {
                self.max[axis] = other.max[axis];
            }
        }
        self
    }

    /// Whether the closed boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// Whether the box contains `point`.
    pub fn contains(&self, point: &[f64; 3]) -> bool {
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// Returns the box with every side moved outward by `margin` metres.
    #[must_use]
    pub fn inflated(mut self, margin: f64) -> Self {
        for axis in 0..3 {
            self.min[axis] -= margin;
            self.max[axis] += margin;
        }
        self
    }

    /// Returns the box of all points within `distance` metres along every axis, rounded outward.
    #[must_use]
    pub fn grown(mut self, distance: f64) -> Self {
        if distance > 0.0 {
            for axis in 0..3 {
                self.min[axis] = (self.min[axis] - distance).next_down();
                self.max[axis] = (self.max[axis] + distance).next_up();
            }
        }
        self
    }

    /// Returns the box with sides rounded outward to `f32`: it holds a rounded point if it held the
    /// point, since rounding keeps order.
    pub(crate) fn rounded_outward(&self) -> Self {
        let up = |x: f64| f64::from(f32_at_least(x));
        Self { min: self.min.map(|x| -up(-x)), max: self.max.map(up) }
    }

    /// The lengths of the box along the axes, metres.
    #[inline]
    pub(crate) fn sides(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.max[axis] - self.min[axis])
    }

    /// The length along the longest side, metres; 0 for the empty box.
    pub(crate) fn longest_side(&self) -> f64 {
        self.sides().into_iter().fold(0.0, f64::max)
    }

    /// The axis of the longest side; the first of equal ones.
    #[inline]
    pub(crate) fn longest_axis(&self) -> usize {
        let sides = self.sides();
        (1..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best })
    }

    /// The squared distance of a point from the box, 0 inside.
    #[inline]
    pub(crate) fn square_distance(&self, point: &[f64; 3]) -> f64 {
        let mut sum = 0.0;
        for axis in 0..3 {
            let gap = (self.min[axis] - point[axis]).max(point[axis] - self.max[axis]).max(0.0);
            sum += gap * gap;
        }
        sum
    }

    /// Where a ray enters the box, in lengths of its direction up to `reach`; `None` if it misses
    /// the box. Never misses a box that it meets.
    #[inline]
    pub(crate) fn entry(&self, origin: [f64; 3], direction: [f64; 3], reach: f64) -> Option<f64> {
        let (mut enter, mut leave) = (0.0f64, reach);
        for axis in 0..3 {
            let (low, high) = (self.min[axis] - origin[axis], self.max[axis] - origin[axis]);
            if direction[axis] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (near, far) = (low / direction[axis], high / direction[axis]);
            let (near, far) = if near <= far { (near, far) } else { (far, near) };
            // Boxes are already rounded outward; this pays for the two roundings of the quotients.
            let margin = limits::ROUNDING * near.abs().max(far.abs());
            enter = enter.max(near - margin);
            leave = leave.min(far + margin);
        }
        (enter <= leave).then_some(enter)
    }

    /// Half the surface area, square metres; 0 for the empty box.
    pub fn half_area(&self) -> f64 {
        let side = self.sides();
        if side.iter().any(|&length| length < 0.0) {
            return 0.0;
        }
        side[0] * side[1] + side[1] * side[2] + side[2] * side[0]
    }

    /// Returns the centre of the box.
    pub fn centre(&self) -> [f64; 3] {
        std::array::from_fn(|axis| 0.5 * self.min[axis] + 0.5 * self.max[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_union_with_the_empty_box_is_the_other() {
        let bounds = Aabb { min: [0.0, -1.0, 2.0], max: [1.0, 0.0, 2.0] };
        assert_eq!(bounds.union(&Aabb::EMPTY), bounds);
        assert_eq!(Aabb::EMPTY.union(&bounds), bounds);
        assert_eq!(Aabb::EMPTY.union(&Aabb::EMPTY), Aabb::EMPTY);
    }
}
