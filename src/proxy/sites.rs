//! The nearest of many points, for sites of weights.
//!
//! A tree of halves: the point in the middle of a range parts it along the longest side of the
//! range's box. A half is skipped only if the rounded square of the distance from its plane is
//! larger than that of the best point, so answers are those of a search of all points, bit for bit.
//!
//! Cost: O(n log n) to build, O(log n) per query, usually.

use nalgebra::Vector3;

use crate::math::Aabb;

/// Points, and the order in which they are searched.
#[derive(Clone, Debug)]
pub(super) struct Sites {
    points: Vec<Vector3<f64>>,
    /// Numbers of points; the middle one of a range parts it.
    order: Vec<u32>,
    /// Per place in the order, the axis along which its range is parted.
    axes: Vec<u8>,
}

impl Sites {
    pub(super) fn new(points: Vec<Vector3<f64>>) -> Self {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let mut axes = vec![0; points.len()];
        part(&points, &mut order, &mut axes);
        Self { points, order, axes }
    }

    pub(super) fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// The point nearest to another one, the first of equally near ones; 0 if there are none.
    pub(super) fn nearest(&self, to: &Vector3<f64>) -> u32 {
        let mut best = (f64::INFINITY, 0);
        self.search(to, 0, self.order.len(), &mut best);
        best.1
    }

    /// Searches a range of the order; returns how many points were measured.
    fn search(&self, to: &Vector3<f64>, first: usize, last: usize, best: &mut (f64, u32)) -> usize {
        if first == last {
            return 0;
        }
        let middle = usize::midpoint(first, last);
        let (number, axis) = (self.order[middle], usize::from(self.axes[middle]));
        let point = &self.points[number as usize];
        let squared = (point - to).norm_squared();
        if squared < best.0 || (squared == best.0 && number < best.1) {
            *best = (squared, number);
        }
        let beyond = to[axis] - point[axis];
        let halves = [(first, middle), (middle + 1, last)];
        let near = usize::from(beyond > 0.0);
        let mut measured = 1 + self.search(to, halves[near].0, halves[near].1, best);
        if beyond * beyond <= best.0 {
            measured += self.search(to, halves[1 - near].0, halves[1 - near].1, best);
        }
        measured
    }
}

fn part(points: &[Vector3<f64>], order: &mut [u32], axes: &mut [u8]) {
    if order.len() < 2 {
        return;
    }
    let mut bounds = Aabb::EMPTY;
    order.iter().for_each(|&number| bounds.include(&points[number as usize].into()));
    let axis = bounds.longest_axis();
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&a, &b| points[a as usize][axis].total_cmp(&points[b as usize][axis]));
    axes[middle] = axis as u8;
    let ((left, right), (left_axes, right_axes)) = (order.split_at_mut(middle), axes.split_at_mut(middle));
    part(points, left, left_axes);
    part(points, &mut right[1..], &mut right_axes[1..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::cage::nearest;

    #[test]
    fn the_nearest_of_all_points_the_first_of_equally_near_ones() {
        // Numbers from a small range: many points are equal or equally near.
        let mut seed = 7_u64;
        let mut small = |count: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % count) as f64 * 0.1
        };
        for count in [0, 1, 2, 3, 10, 300] {
            let mut point = || Vector3::new(small(12), small(5), small(12));
            let points: Vec<Vector3<f64>> = (0..count).map(|_| point()).collect();
            let sites = Sites::new(points.clone());
            for case in 0..300 {
                let to = point() * (0.5 + f64::from(case % 3) * 0.25);
                assert_eq!(sites.nearest(&to), nearest(&points, &to));
            }
        }
    }

    #[test]
    fn few_points_are_measured() {
        let points: Vec<Vector3<f64>> =
            (0..10_000).map(|at| Vector3::new(f64::from(at % 101), f64::from(at / 101), 0.0)).collect();
        let sites = Sites::new(points.clone());
        for (number, point) in points.iter().enumerate() {
            let mut best = (f64::INFINITY, 0);
            let measured = sites.search(point, 0, points.len(), &mut best);
            assert!(best == (0.0, number as u32) && measured < 400, "{number}: {measured} of 10 000");
        }
    }
}
