//! When two moving triangles touch, or do not, whatever their positions are rounded to: for hosts
//! that ask at many instants.
//!
//! An exact interval ([`super::contact_intervals`]) is of the triangles as they are said to move.
//! The corners given here may be a rounding away from there. The window is halved until the signs
//! of the minors (see [`super::tables`]) exceed both their own error and what positions off by the
//! *blur* change; what is decided then holds for all positions within the blur, by the theorem that
//! decides the exact ones. The rest stays open, and is for the exact test at the instant.
//!
//! **Bounds.** A coordinate difference of two points is off by at most two blurs, `t`. With `M` the
//! largest difference per axis, a determinant changes by at most `6 (Π (Mₖ + tₖ) − Π Mₖ)`, a planar
//! one by `2 (…)`. Between the ends `M` is no larger than at one of them. Coefficients are those of
//! Bernstein's form, which bound the minor on their part of the window; halving averages them, six
//! times at most: 18 roundings of at most six products `Mx·My·Mz`, which doubling the error of the
//! coefficients pays for.
//!
//! Cost: below 0.15 µs where the signs of the whole window decide, below 0.1 µs for every part
//! examined.

use std::cell::Cell;

use super::MovingTriangle;
use super::minors::{Family, Level, Points, clear_signs, load};
use super::pair::Pair;
use super::points_of;
use super::tables::{MINORS, Signs, Status, TRIANGLES, Table};
use crate::simd::{self, F64x4 as _, Kernel, Simd, WIDE_LANES};

/// Parts of a window, and bits of a [`Certainty`].
pub(crate) const PARTS: u32 = 64;

/// In which parts of a window, of equal length and closed, it is certain that two triangles touch
/// throughout, or that they do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Certainty {
    pub(crate) touching: u64,
    pub(crate) apart: u64,
}

/// Coefficients of all minors in Bernstein's form over a part of the window.
type Forms = [[f64; MINORS]; 4];

/// Numbers side by side in which the minors in space, of four of six points, find room.
const IN_SPACE: usize = 16;

thread_local! {
    /// Room for the parts of a window that wait: a part is large, and most windows have few.
    static ROOM: Cell<Vec<Part>> = const { Cell::new(Vec::new()) };
}

/// The certainty of triangles whose coordinates are, at every instant, at most `blur` away from the
/// given ones, per axis, metres; along an axis with a blur of 0 nothing may move. Halves the window
/// until a part is a `2⁻ᵈᵉᵖᵗʰ` of it, 6 at most, and examines at most `most_parts` parts, at least
/// one.
pub(crate) fn certainty(
    a: &MovingTriangle,
    b: &MovingTriangle,
    blur: [f64; 3],
    depth: u32,
    most_parts: u32,
) -> Certainty {
    let mut parts = ROOM.take();
    if parts.is_empty() {
        parts.push(Part::EMPTY);
    }
    let least = PARTS >> depth.min(PARTS.trailing_zeros());
    let certain = simd::run(Halving { a, b, blur, parts: &mut parts, most_parts, least });
    ROOM.set(parts);
    certain
}

/// By how much a minor may change where points are elsewhere within the blur.
fn change(points: &Points<'_>, level: Level, blur: [f64; 3]) -> f64 {
    let wide = |axis: usize| points.magnitude(Level::Line(axis));
    let off = |axis: usize| 2.0 * blur[axis];
    let products = match *level.axes() {
        [x, y] => 2.0 * (wide(x) * off(y) + off(x) * (wide(y) + off(y))),
        _ => {
            let (y, z) = (wide(1) + off(1), wide(2) + off(2));
            6.0 * (off(0) * y * z + wide(0) * off(1) * z + wide(0) * wide(1) * off(2))
        }
    };
    // Some roundings.
    products * (1.0 + 64.0 * f64::EPSILON)
}

/// From `Σ cᵢ sⁱ (1−s)ᵈ⁻ⁱ` to Bernstein's form.
#[cfg_attr(not(debug_assertions), inline(always))]
fn write_forms<M: Simd>(machine: M, family: &Family, forms: &mut Forms) {
    let degree = family.level.degree();
    forms[0] = family.coefficients[0];
    forms[degree] = family.coefficients[degree];
    let divisor = machine.splat_wide(degree as f64);
    for (row, coefficients) in forms[1..degree].iter_mut().zip(&family.coefficients[1..degree]) {
        let (values, coefficients) = (row.as_chunks_mut().0, coefficients.as_chunks().0);
        for (values, coefficients) in values.iter_mut().zip(coefficients) {
            *values = (machine.load_wide(coefficients) / divisor).lanes();
        }
    }
}

struct Search {
    table: &'static Table,
    degree: usize,
    bounds: [f64; MINORS],
    certain: Certainty,
}

/// A part still to be examined.
#[derive(Clone)]
struct Part {
    forms: Forms,
    first: u32,
    count: u32,
    /// How many parts may be examined from here on, besides what those before it leave: this one at
    /// least.
    budget: u32,
}

impl Part {
    const EMPTY: Self = Self { forms: [[0.0; MINORS]; 4], first: 0, count: 0, budget: 0 };
}

/// The kernel: examines a window and its halves, down to parts of `least` units, as far as its
/// budget reaches.
struct Halving<'a> {
    a: &'a MovingTriangle,
    b: &'a MovingTriangle,
    blur: [f64; 3],
    /// The first is the window. Those behind are room for its parts.
    parts: &'a mut Vec<Part>,
    most_parts: u32,
    least: u32,
}

impl Kernel for Halving<'_> {
    type Output = Certainty;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> Certainty {
        let Self { a, b, blur, parts, most_parts, least } = self;
        let points = points_of(a, b);
        let certain = Certainty::default();
        let is_flat = |axis: usize| blur[axis] == 0.0 && points.magnitude(Level::Line(axis)) == 0.0;
        let level = match [is_flat(0), is_flat(1), is_flat(2)] {
            [false, false, false] => Level::Space,
            [true, false, false] => Level::Plane(0),
            [false, true, false] => Level::Plane(1),
            [false, false, true] => Level::Plane(2),
            // On a line, or one point.
            _ => return certain,
        };
        let pair = Pair::new(&TRIANGLES, &points);
        let family = pair.family(level);
        let change = change(&points, level, blur);
        let bounds = family.bounds().map(|bound| 2.0 * bound + change);
        let mut search = Search { table: pair.table(level), degree: level.degree(), bounds, certain };
        let whole = &mut parts[0];
        (whole.first, whole.count, whole.budget) = (0, PARTS, most_parts);
        write_forms(machine, &family, &mut whole.forms);
        match level {
            Level::Space => search.all::<M, IN_SPACE>(machine, parts, least),
            _ => search.all::<M, MINORS>(machine, parts, least),
        }
        search.certain
    }
}

impl Search {
    /// The search with `COUNT` minors, a multiple of four; the others have no influence.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn all<M: Simd, const COUNT: usize>(&mut self, machine: M, parts: &mut Vec<Part>, least: u32) {
        // The part at hand; those before it are later ones, and wait.
        let mut at = 0;
        loop {
            let part = &parts[at];
            let left_over = part.budget.saturating_sub(1);
            if self.decide::<M, COUNT>(machine, part) && part.budget > 2 && part.count > least {
                if at + 1 == parts.len() {
                    parts.push(Part::EMPTY);
                }
                let [right, left, ..] = &mut parts[at..] else { return };
                // Half of it for the first half, and what that leaves for the second.
                let (own, half) = (left_over / 2, right.count / 2);
                (left.first, left.count, left.budget) = (right.first, half, own);
                (right.first, right.count, right.budget) = (right.first + half, half, left_over - own);
                halve::<M, COUNT>(machine, &mut right.forms, &mut left.forms, self.degree);
                at += 1;
            } else if at > 0 {
                at -= 1;
                parts[at].budget += left_over;
            } else {
                return;
            }
        }
    }

    /// Enters what is certain of a part; says whether halves of it may tell more.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn decide<M: Simd, const COUNT: usize>(&mut self, machine: M, part: &Part) -> bool {
        let (signs, noise) = self.signs::<M, COUNT>(machine, &part.forms);
        let bits = (u64::MAX >> (PARTS - part.count)) << part.first;
        let (status, relevant) = self.table.judge(signs);
        match status {
            Status::Touching => self.certain.touching |= bits,
            Status::Apart => self.certain.apart |= bits,
            // Minors that are nowhere clear do not become so in a part.
            Status::Unknown => return relevant & !noise != 0,
            Status::LowerRank => {}
        }
        false
    }

    /// Signs that hold throughout, and which minors exceed their bound nowhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn signs<M: Simd, const COUNT: usize>(&self, machine: M, forms: &Forms) -> (Signs, u32) {
        let [positive, negative, clear] = clear_signs::<M, COUNT>(machine, forms, self.degree, &self.bounds);
        let used = (1 << self.table.minor_count) - 1;
        let (positive, negative) = (positive & used, negative & used);
        (Signs { positive, negative, unknown: used & !(positive | negative) }, used & !clear)
    }
}

/// Makes forms those over the second half of their part, and writes those over the first one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn halve<M: Simd, const COUNT: usize>(machine: M, forms: &mut Forms, first: &mut Forms, degree: usize) {
    let half = machine.splat_wide(0.5);
    for group in 0..COUNT / WIDE_LANES {
        let mut row = [0, 1, 2, 3].map(|place| load(machine, &forms[place], group));
        for step in 0..=degree {
            first[step].as_chunks_mut().0[group] = row[0].lanes();
            forms[degree - step].as_chunks_mut().0[group] = row[degree - step].lanes();
            for place in 0..degree - step {
                row[place] = (row[place] + row[place + 1]) * half;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::intervals::{IntervalStats, contact_intervals, touch_at};
    use crate::narrow::triangles_touch;
    use crate::simd::Plain;

    struct Random(u64);

    impl Random {
        fn below_one(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn triangle(&mut self, scale: f64, lattice: bool) -> [[f64; 3]; 3] {
            std::array::from_fn(|_| {
                std::array::from_fn(|_| {
                    let x = 2.0 * self.below_one() - 1.0;
                    scale * if lattice { (2.0 * x).round() } else { x }
                })
            })
        }
    }

    fn at(triangle: &MovingTriangle, s: f64, off: &mut impl FnMut(usize) -> f64) -> [[f64; 3]; 3] {
        std::array::from_fn(|corner| {
            std::array::from_fn(|axis| {
                let (x, y) = (triangle.begin[corner][axis], triangle.end[corner][axis]);
                x + (y - x) * s + off(axis)
            })
        })
    }

    /// What is certain is what positions anywhere within the blur say, by a test that shares
    /// nothing with it, and what the exact intervals say; and most of what is clear is certain.
    #[test]
    fn what_is_certain_holds_for_all_positions_within_the_blur() {
        let mut random = Random(1);
        let (mut touching, mut apart, mut open) = (0, 0, 0);
        for round in 0..3_000 {
            let scale = [1.0, 1e-3, 1e6, 1e25, 1e-30][round % 5];
            let lattice = round % 3 == 0;
            let flat = round % 4 == 0;
            let blur = scale * [1e-14, 1e-12, 1e-6, 1e-2][round % 7 % 4];
            let mut moving =
                || MovingTriangle { begin: random.triangle(scale, lattice), end: random.triangle(scale, lattice) };
            let (mut a, mut b) = (moving(), moving());
            let mut blurs = [blur; 3];
            if flat {
                let axis = round / 4 % 3;
                for points in [&mut a.begin, &mut a.end, &mut b.begin, &mut b.end] {
                    points.iter_mut().for_each(|point| point[axis] = 0.25 * scale);
                }
                blurs[axis] = 0.0;
            }
            let depth = (round % 7) as u32;
            let certain =
                certainty(&a, &b, blurs, depth, if round % 2 == 0 { u32::MAX } else { 1 + round as u32 % 20 });
            assert_eq!(certain.touching & certain.apart, 0);
            let mut exact = Vec::new();
            contact_intervals(&a, &b, &mut exact, &mut IntervalStats::default());
            for part in 0..PARTS {
                let (is_touching, is_apart) = (certain.touching >> part & 1 == 1, certain.apart >> part & 1 == 1);
                for step in 0..=4 {
                    let s = (f64::from(part) + 0.25 * f64::from(step)) / f64::from(PARTS);
                    let mut corner = |axis: usize| (2.0 * random.below_one() - 1.0).signum() * 0.9 * blurs[axis];
                    let (p, q) = (at(&a, s, &mut corner), at(&b, s, &mut corner));
                    let said = triangles_touch(&p, &q);
                    assert!(!is_touching || said, "{a:?} {b:?} {s} {blurs:?}");
                    assert!(!(is_apart && said), "{a:?} {b:?} {s} {blurs:?}");
                    let truth = exact.iter().any(|i| i.begin.lo <= s && s <= i.end.hi);
                    assert!(!is_touching || truth);
                    assert!(!is_apart || !touch_at(&a, &b, s));
                }
                touching += u32::from(is_touching);
                apart += u32::from(is_apart);
                open += u32::from(!is_touching && !is_apart);
            }
        }
        assert!(touching > 5_000 && apart > 20_000, "{touching} {apart} {open}");
    }

    #[test]
    fn a_point_through_a_triangle_is_open_where_it_passes_only() {
        let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
        let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
        let floor = MovingTriangle { begin: floor, end: floor };
        let falling = MovingTriangle { begin: at(1.0), end: at(-3.0) };
        // It touches from 1/4 to 1/2.
        let certain = certainty(&falling, &floor, [1e-9; 3], 6, u32::MAX);
        assert_eq!(certain.apart, !((1 << 33) - 1) | ((1 << 15) - 1), "{:b}", certain.apart);
        assert_eq!(certain.touching, ((1 << 31) - 1) & !((1 << 17) - 1), "{:b}", certain.touching);
    }

    #[test]
    fn what_lies_in_one_plane_and_stays_there_is_certain_in_it() {
        let at = |x: f64, y: f64| [[x, y, 0.5], [x + 1.0, y, 0.5], [x, y + 1.0, 0.5]];
        let still = MovingTriangle { begin: at(0.0, 0.0), end: at(0.0, 0.0) };
        let passing = MovingTriangle { begin: at(-3.0, 0.25), end: at(3.0, 0.25) };
        let certain = certainty(&still, &passing, [1e-12, 1e-12, 0.0], 6, u32::MAX);
        assert!(certain.touching.count_ones() >= 12 && certain.apart.count_ones() >= 40, "{certain:?}");
        // Unless rounding may part them.
        assert_eq!(certainty(&still, &passing, [1e-12; 3], 6, u32::MAX).touching, 0);
    }

    #[test]
    fn halves_are_the_same_polynomial() {
        let forms: Forms = [[1.0; MINORS], [-2.0; MINORS], [5.0; MINORS], [0.5; MINORS]];
        let value = |f: &Forms, s: f64| {
            let r = 1.0 - s;
            f[0][0] * r * r * r + 3.0 * f[1][0] * s * r * r + 3.0 * f[2][0] * s * s * r + f[3][0] * s * s * s
        };
        let (mut left, mut right) = ([[0.0; MINORS]; 4], forms);
        halve::<Plain, MINORS>(Plain, &mut right, &mut left, 3);
        for s in [0.0, 0.25, 0.5, 1.0] {
            assert!((value(&left, s) - value(&forms, 0.5 * s)).abs() < 1e-12);
            assert!((value(&right, s) - value(&forms, 0.5 + 0.5 * s)).abs() < 1e-12);
        }
    }

    /// Both sides of a rectangle of 2 m by 2 m become up to 2 m longer: each of two products by 12.
    #[test]
    fn the_change_of_a_minor_counts_what_both_axes_change_together() {
        let flat = [[0.0, 0.0, 0.5], [2.0, 0.0, 0.5], [0.0, 2.0, 0.5]];
        let still = MovingTriangle { begin: flat, end: flat };
        let points = points_of(&still, &still);
        assert!(change(&points, Level::Plane(2), [1.0, 1.0, 0.0]) >= 2.0 * (4.0 * 4.0 - 2.0 * 2.0));
        // In space: of three sides of 4 m, 4 m and 2 m, by 6 products.
        assert!(change(&points, Level::Space, [1.0; 3]) >= 6.0 * (4.0 * 4.0 * 2.0));
    }
}
