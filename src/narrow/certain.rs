//! Two triangles whose corners are known up to a rounding: whether they touch, where that does not
//! depend on it.
//!
//! Decides as `tri_tri` does, by the signs of the corners' sides of both planes and of two volumes.
//! A sign is taken only where the determinant exceeds a bound on all that it may be off by; then
//! the signs, and what follows from them, are those of every position within the blur. Anything
//! else is left to the exact decision: touching in a coplanar or shrunk figure is never certain
//! here.
//!
//! **Bound.** A coordinate difference of two corners is off by at most twice the blur, `t`. With
//! `Mₖ` the largest difference per axis a determinant changes by at most `6 (Π (Mₖ + t) − Π Mₖ)`.
//! Evaluating it costs at most `8 u` of its six products, `u = 2⁻⁵³` (see `VOLUME_ERROR` in
//! `tri_tri`), each at most `Π Mₖ`. Both are added, and some roundings of the bound itself. An
//! overflow makes the bound infinite, and nothing certain.
//!
//! Cost: about that of `triangles_touch`. One bound serves all eight determinants.

use super::tri_tri::{Cut, extent};
use super::{Point, sign};
use crate::math::vector::{cross, dot, minus};

type Triangle = [Point; 3];

/// Rounding of a determinant in products of the three largest differences: 48 u.
const ROUNDING: f64 = 24.0 * f64::EPSILON;

/// Whether two closed triangles share a point wherever each corner is within `blur` (metres, per
/// axis) of where it is said to be; `None` where it may depend on that.
#[inline]
pub(crate) fn touch_if_certain(a: &Triangle, b: &Triangle, blur: f64) -> Option<bool> {
    let off = 2.0 * blur;
    let (mut apart, mut wide) = (false, [0.0; 3]);
    for axis in 0..3 {
        let (low_a, high_a) = extent([a[0][axis], a[1][axis], a[2][axis]]);
        let (low_b, high_b) = extent([b[0][axis], b[1][axis], b[2][axis]]);
        // A rounded difference exceeds a number only if the real one does.
        apart |= low_b - high_a > off;
        apart |= low_a - high_b > off;
        let low = if low_a < low_b { low_a } else { low_b };
        wide[axis] = if high_a > high_b { high_a } else { high_b } - low;
    }
    if apart {
        return Some(false);
    }
    let bound = bound(wide, off);
    let sides_of_a = sides(a, b, bound);
    if is_aside(sides_of_a) {
        return Some(false);
    }
    let sides_of_b = sides(b, a, bound);
    if is_aside(sides_of_b) {
        return Some(false);
    }
    if sides_of_a.contains(&0) || sides_of_b.contains(&0) {
        return None;
    }
    // As `intervals_meet` in `tri_tri`.
    let (cut_a, cut_b) = (Cut::of(sides_of_a), Cut::of(sides_of_b));
    let (a_alone, b_alone) = (&a[cut_a.alone], &b[cut_b.alone]);
    let sense = cut_a.rising * cut_b.rising;
    let low = sense * volume_sign(&a[cut_a.first], b_alone, &b[cut_b.first], a_alone, bound);
    let high = sense * volume_sign(&a[cut_a.last], b_alone, &b[cut_b.last], a_alone, bound);
    match (low, high) {
        (-1, _) | (_, 1) => Some(false),
        (1, -1) => Some(true),
        _ => None,
    }
}

/// What determinants of differences of such size may be off by.
#[inline(always)]
fn bound([x, y, z]: Point, off: f64) -> f64 {
    let (wider_y, wider_z) = (y + off, z + off);
    let change = off * wider_y * wider_z + x * off * wider_z + x * y * off;
    (6.0 * change + ROUNDING * (x * y * z)) * (1.0 + 64.0 * f64::EPSILON)
}

#[inline(always)]
fn certain_sign(value: f64, bound: f64) -> i32 {
    if value.abs() > bound { sign(value) } else { 0 }
}

/// The sides of a plane that points are certainly on.
#[inline(always)]
fn sides(points: &Triangle, plane: &Triangle, bound: f64) -> [i32; 3] {
    let [origin, first, second] = plane;
    let normal = cross(&minus(first, origin), &minus(second, origin));
    let side = |point: &Point| certain_sign(dot(&minus(point, origin), &normal), bound);
    [side(&points[0]), side(&points[1]), side(&points[2])]
}

#[inline(always)]
fn is_aside([p, q, r]: [i32; 3]) -> bool {
    (p + q + r).abs() == 3
}

/// The sign of det(a − d, b − d, c − d) where it is certain.
#[inline(always)]
fn volume_sign(a: &Point, b: &Point, c: &Point, d: &Point, bound: f64) -> i32 {
    certain_sign(dot(&minus(a, d), &cross(&minus(b, d), &minus(c, d))), bound)
}

#[cfg(test)]
mod tests {
    use super::{bound, touch_if_certain};
    use crate::narrow::triangles_touch;

    struct Random(u64);

    impl Random {
        fn below_one(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// What is certain is so wherever corners are moved within the blur, by the exact test; and
    /// most pairs are certain.
    #[test]
    fn what_is_certain_holds_for_all_positions_within_the_blur() {
        let mut random = Random(7);
        let (mut touching, mut apart, mut open) = (0, 0, 0);
        for round in 0..20_000 {
            let scale = [1.0, 1e-3, 1e6, 1e25, 1e-30][round % 5];
            let blur = scale * [1e-14, 1e-9, 1e-3, 3e-2][round % 4];
            let is_lattice = round % 3 == 0;
            let mut number = || {
                let x = 2.0 * random.below_one() - 1.0;
                scale * if is_lattice { (2.0 * x).round() } else { x }
            };
            let mut triangle = || std::array::from_fn(|_| std::array::from_fn(|_| number()));
            let (a, b): ([[f64; 3]; 3], [[f64; 3]; 3]) = (triangle(), triangle());
            let said = touch_if_certain(&a, &b, blur);
            touching += u32::from(said == Some(true));
            apart += u32::from(said == Some(false));
            open += u32::from(said.is_none());
            for _ in 0..4 {
                let mut moved = |t: &[[f64; 3]; 3]| {
                    t.map(|p| p.map(|x| x + (2.0 * random.below_one() - 1.0).signum() * 0.99 * blur))
                };
                let truth = triangles_touch(&moved(&a), &moved(&b));
                assert!(said.is_none_or(|said| said == truth), "{a:?} {b:?} {blur}");
            }
        }
        assert!(touching > 2_000 && apart > 8_000 && open > 1_000, "{touching} {apart} {open}");
    }

    /// Corners that lie as far apart as both may be off may meet.
    #[test]
    fn boxes_that_may_just_meet_are_not_apart() {
        let blur = 0.25;
        for axis in 0..3 {
            // In one plane, so that nothing else decides.
            let at = |x: f64, y: f64| {
                let mut place = [0.0; 3];
                (place[axis], place[(axis + 1) % 3]) = (x, y);
                place
            };
            let low = [at(0.0, 0.0), at(-1.0, 0.0), at(-1.0, 1.0)];
            let high = |gap: f64| [at(gap, 0.0), at(gap + 1.0, 0.0), at(gap + 1.0, 1.0)];
            for (gap, expected) in [(0.5, None), (0.5_f64.next_up(), Some(false))] {
                assert_eq!(touch_if_certain(&low, &high(gap), blur), expected, "{axis} {gap}");
                assert_eq!(touch_if_certain(&high(gap), &low, blur), expected, "{axis} {gap}");
            }
        }
    }

    /// Of six products, each of three differences.
    #[test]
    fn the_bound_counts_what_all_axes_change_and_all_sizes() {
        for wide in [[2.0, 3.0, 5.0], [3.0, 5.0, 2.0], [5.0, 2.0, 3.0]] {
            let change = 6.0 * (3.0 * 4.0 * 6.0 - 2.0 * 3.0 * 5.0);
            let found = bound(wide, 1.0);
            assert!((change..change * (1.0 + 1e-12)).contains(&found), "{wide:?}: {found}");
            let rounding = super::ROUNDING * 30.0;
            let found = bound(wide, 0.0);
            assert!((rounding..rounding * (1.0 + 1e-12)).contains(&found), "{wide:?}: {found}");
        }
    }

    /// A corner is nearer to the plane of a large triangle than both may be off; the other triangle
    /// is small, and its own size says little of the plane's error.
    #[test]
    fn the_larger_triangle_counts() {
        let blur = 2.0_f64.powi(-11);
        let large = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]];
        let small = |height: f64| [[1.0, 1.0, height], [1.25, 1.0, 1.0], [1.0, 1.25, 1.0]];
        assert!(triangles_touch(&small(0.0), &large) && !triangles_touch(&small(blur), &large));
        assert_eq!(touch_if_certain(&small(blur), &large, blur), None);
        assert_eq!(touch_if_certain(&large, &small(blur), blur), None);
        assert_eq!(touch_if_certain(&small(0.5), &large, blur), Some(false));
    }
}
