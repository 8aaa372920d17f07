//! Leaves apart along a direction: one test in place of all those of their triangles.
//!
//! Eight directions are tried side by side: the normals of both leaves, their sum, difference and
//! product, the way between the centres, and what of the way lies in either leaf. Whatever a
//! direction is, leaves whose points are on two sides of it at both ends are apart throughout.
//! Rounding: as stated in [`crate::narrow::batch`], whose margin is used.
//!
//! Cost: some ten instructions per point and end, for all eight directions.

use crate::narrow::batch::{flat_margin, margin};
use crate::simd::{self, F32x8, Kernel, LANES, Simd};

/// A point at both ends of the interval; the fourth numbers say nothing.
pub(super) type Ends = [[f32; 4]; 2];

/// The points of a leaf, and where they lie half-way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cloud<'a> {
    pub(super) points: &'a [Ends],
    /// The sum of the triangles' normals, turned to one side.
    pub(super) normal: [f32; 3],
    /// The middle of the points' box, both ends together.
    pub(super) centre: [f32; 3],
}

/// Whether two leaves are proved to be apart by more than a distance throughout, their coordinates
/// being off by at most `blur`. Metres.
pub(super) fn are_separated(a: Cloud<'_>, b: Cloud<'_>, distance: f32, blur: f32) -> bool {
    simd::run(Separated { a, b, distance, blur })
}

/// The kernel.
#[derive(Clone, Copy)]
struct Separated<'a> {
    a: Cloud<'a>,
    b: Cloud<'a>,
    distance: f32,
    blur: f32,
}

impl Kernel for Separated<'_> {
    type Output = bool;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> bool {
        let Self { a, b, distance, blur } = self;
        let Some(&origin) = a.points.first() else { return false };
        let n = directions(&a, &b).map(|row| machine.load(&row));
        let (of_a, of_b) = (Extents::of(machine, n, a.points, &origin), Extents::of(machine, n, b.points, &origin));
        let zero = machine.splat(0.0);
        let mut largest = [zero; 3];
        for axis in 0..3 {
            largest[axis] = machine.splat(of_a.largest[axis]).more(machine.splat(of_b.largest[axis]));
        }
        let margin = margin(machine, n, largest, flat_margin(distance, blur));
        let above = (of_b.low[0] - of_a.high[0]).less(of_b.low[1] - of_a.high[1]);
        let below = (of_a.low[0] - of_b.high[0]).less(of_a.low[1] - of_b.high[1]);
        (above.more(below) - margin).above(zero) != 0
    }
}

/// How far points reach along the directions at both ends, and along the axes.
struct Extents<M: Simd> {
    low: [M::F32x8; 2],
    high: [M::F32x8; 2],
    largest: [f32; 3],
}

impl<M: Simd> Extents<M> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(machine: M, n: [M::F32x8; 3], points: &[Ends], origin: &Ends) -> Self {
        let (low, high) = (machine.splat(f32::INFINITY), machine.splat(f32::NEG_INFINITY));
        let mut extents = Self { low: [low; 2], high: [high; 2], largest: [0.0; 3] };
        for point in points {
            for end in 0..2 {
                let mut d = [0.0; 3];
                for axis in 0..3 {
                    d[axis] = point[end][axis] - origin[end][axis];
                    let size = d[axis].abs();
                    extents.largest[axis] = if size > extents.largest[axis] { size } else { extents.largest[axis] };
                }
                let along = n[0] * machine.splat(d[0]) + n[1] * machine.splat(d[1]) + n[2] * machine.splat(d[2]);
                extents.low[end] = along.less(extents.low[end]);
                extents.high[end] = along.more(extents.high[end]);
            }
        }
        extents
    }
}

/// Directions that may tell two leaves apart, axis by axis.
#[cfg_attr(not(debug_assertions), inline(always))]
fn directions(a: &Cloud<'_>, b: &Cloud<'_>) -> [[f32; LANES]; 3] {
    let (p, q) = (a.normal, b.normal);
    let mut way = [0.0; 3];
    for axis in 0..3 {
        way[axis] = b.centre[axis] - a.centre[axis];
    }
    // Of about the same length, so that sum and difference are of both.
    let (in_p, in_q) = (across(way, p), across(way, q));
    let mut rows = [[0.0; LANES]; 3];
    for axis in 0..3 {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let product = p[i] * q[j] - p[j] * q[i];
        rows[axis] =
            [p[axis], q[axis], p[axis] + q[axis], p[axis] - q[axis], product, way[axis], in_p[axis], in_q[axis]];
    }
    rows
}

/// What of a direction is across a normal, times the normal's square.
#[cfg_attr(not(debug_assertions), inline(always))]
fn across(way: [f32; 3], n: [f32; 3]) -> [f32; 3] {
    let square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    let along = way[0] * n[0] + way[1] * n[1] + way[2] * n[2];
    [way[0] * square - n[0] * along, way[1] * square - n[1] * along, way[2] * square - n[2] * along]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Plain;

    /// Clouds said to be apart are, along some direction, in `f64`; both machines agree.
    #[test]
    fn parted_clouds_are_apart() {
        let mut bits = 3_u64;
        let mut random = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let (mut parted, mut not) = (0, 0);
        for round in 0..4_000 {
            let scale = [1.0, 1e-6, 1e-30, 1e25, 1e6, 3e6, 1e7, 3e12, 1e13][round % 9];
            let flat = if round % 2 == 0 { 0.05 } else { 1.0 };
            let gap = 0.6 * random();
            let mut cloud = |shift: f32| -> Vec<Ends> {
                let point = |random: &mut dyn FnMut() -> f32| {
                    let [x, y, z] = std::array::from_fn(|_| random());
                    [x * scale, (y + 0.3 * z) * scale, (flat * z + shift) * scale, 0.0]
                };
                (0..6).map(|_| [point(&mut random), point(&mut random)]).collect()
            };
            let (of_a, of_b) = (cloud(0.0), cloud(gap));
            let normal = [0.0, -0.05 * scale, scale];
            let a = Cloud { points: &of_a, normal, centre: [0.0; 3] };
            let b = Cloud { points: &of_b, normal, centre: [0.0, 0.0, gap * scale] };
            let found = are_separated(a, b, 0.0, 0.0);
            assert_eq!(Separated { a, b, distance: 0.0, blur: 0.0 }.run(Plain), found);
            let rows = directions(&a, &b);
            let truth = (0..LANES).any(|lane| {
                let n = rows.map(|row| f64::from(row[lane]));
                let along = |p: &[f32; 4]| (0..3).map(|k| n[k] * f64::from(p[k])).sum::<f64>();
                let low = |points: &[Ends], end: usize| points.iter().map(|p| along(&p[end])).fold(f64::MAX, f64::min);
                let high = |points: &[Ends], end: usize| points.iter().map(|p| along(&p[end])).fold(f64::MIN, f64::max);
                [(&of_a, &of_b), (&of_b, &of_a)]
                    .iter()
                    .any(|(x, y)| (0..2).all(|end| high(x.as_slice(), end) < low(y.as_slice(), end)))
            });
            assert!(truth || !found);
            parted += u32::from(found);
            not += u32::from(truth && !found);
        }
        assert!(parted > 500 && not < 1_500, "{parted} {not}");
    }
}
