//! Exact triangle–triangle test at one instant.
//!
//! Decides whether two closed triangles share a point; a single common point counts, and triangles
//! may have shrunk to segments or points. Cheapest first:
//! 1. apart on a coordinate axis: no;
//! 2. all vertices of one triangle strictly on one side of the other's plane: no;
//! 3. each triangle cuts the line common to both planes in an interval; two orientation signs tell
//!    whether the intervals meet;
//! 4. coplanar or zero-area triangles go to the flat path: a 2D search for a separating edge in a
//!    coordinate plane that keeps the figure's dimension, or, when everything is collinear, an
//!    interval comparison by lexicographic order.
//!
//! Invariants: only signs of exact predicates and comparisons of input coordinates are used, so the
//! answer is the true one for real-number arithmetic and cannot depend on the order of the
//! arguments or of their vertices. Range of coordinates: see the module above.
//!
//! Cost: constant. Step 2 shares the plane's minors among three points and asks `robust` only when
//! its rounding-error filter fails.
//!
//! Sources: O. Devillers and P. Guigue, "Faster Triangle-Triangle Intersection Tests" (INRIA
//! RR-4488, 2002) for the idea of step 3; here no vertices are permuted into a canonical
//! orientation, the order of the interval ends is read from two signs instead (see
//! `intervals_meet`). J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
//! Geometric Predicates" (1997) for the filter's bound.

use super::{Point, Projection, area_sign, faithful_projection, sign, volume_sign};

type Triangle = [Point; 3];

/// Half the distance from 1 to the next f64: the relative error of one rounding.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// Relative error of a 3 × 3 determinant of rounded differences, per sum of the magnitudes of its
/// terms (no unit).
///
/// Shewchuk's first-stage bound for `orient3d`. It depends on the shape of the expression only:
/// difference, product of two, difference of two such minors, product with a third difference, sum
/// of three. [`Plane::sides`] evaluates that shape for the transposed matrix.
const VOLUME_ERROR: f64 = (7.0 + 56.0 * ROUNDING) * ROUNDING;

/// Whether two closed triangles share at least one point.
///
/// Coordinates are in metres, one `[x, y, z]` per vertex, taken as exact real numbers; each must be
/// zero or have a magnitude in [2⁻²⁰⁰, 2¹³⁰], which every finite f32 has. Touching in a single
/// point counts. Coplanar triangles and zero-area triangles (segments, points, repeated vertices)
/// are decided exactly too, and the answer does not depend on the order of the triangles or of
/// their vertices.
///
/// Constant time: tens of nanoseconds for pairs in general position, up to a few microseconds when
/// several signs lie within rounding of zero.
///
/// Outside the range, and for NaN or infinite coordinates, it does not panic, but the answer means
/// nothing.
///
/// ```
/// use kinetree::narrow::triangles_touch;
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// let mut blade = [[1.0, 1.0, 0.0], [1.0, 1.0, 2.0], [2.0, 1.0, 2.0]];
/// assert!(triangles_touch(&floor, &blade)); // one vertex lies in the floor
/// blade[0][2] = 2.0_f64.powi(-100);
/// assert!(!triangles_touch(&floor, &blade)); // lifted by less than any rounding error
/// ```
#[must_use]
pub fn triangles_touch(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> bool {
    if apart_on_an_axis(a, b) {
        return false;
    }
    let sides_of_a = Plane::through(b).sides(a);
    match Stance::of(sides_of_a) {
        Stance::Aside => return false,
        Stance::Within => return flat_triangles_touch(a, b),
        Stance::Across => {}
    }
    let sides_of_b = Plane::through(a).sides(b);
    match Stance::of(sides_of_b) {
        Stance::Aside => return false,
        Stance::Within => return flat_triangles_touch(a, b),
        Stance::Across => {}
    }
    intervals_meet(a, sides_of_a, b, sides_of_b)
}

#[inline(always)]
fn apart_on_an_axis(a: &Triangle, b: &Triangle) -> bool {
    let mut apart = false;
    for axis in 0..3 {
        let (low_a, high_a) = extent([a[0][axis], a[1][axis], a[2][axis]]);
        let (low_b, high_b) = extent([b[0][axis], b[1][axis], b[2][axis]]);
        apart |= high_a < low_b;
        apart |= high_b < low_a;
    }
    apart
}

#[inline(always)]
pub(super) fn extent([p, q, r]: [f64; 3]) -> (f64, f64) {
    // Plain comparisons compile to single instructions; `f64::min` has to mind NaN.
    let (low, high) = if p < q { (p, q) } else { (q, p) };
    (if r < low { r } else { low }, if r > high { r } else { high })
}

/// Where three points are, relative to a plane.
enum Stance {
    /// All strictly on one side.
    Aside,
    /// All in the plane, or the three points said to span the plane do not.
    Within,
    /// None of the above: on both sides, or touching with one or two points.
    Across,
}

impl Stance {
    #[inline(always)]
    fn of([p, q, r]: [i32; 3]) -> Self {
        match p + q + r {
            3 | -3 => Self::Aside,
            0 if p == 0 && q == 0 => Self::Within,
            _ => Self::Across,
        }
    }
}

/// The plane of a triangle, with everything that does not depend on the point asked about.
struct Plane<'a> {
    triangle: &'a Triangle,
    /// (t₁ − t₀) × (t₂ − t₀), rounded.
    normal: Point,
    /// The same with every product and difference made a sum of magnitudes.
    magnitude: Point,
}

impl<'a> Plane<'a> {
    #[inline(always)]
    fn through(triangle: &'a Triangle) -> Self {
        let [origin, first, second] = triangle;
        let u = [first[0] - origin[0], first[1] - origin[1], first[2] - origin[2]];
        let v = [second[0] - origin[0], second[1] - origin[1], second[2] - origin[2]];
        let products = [(u[1] * v[2], u[2] * v[1]), (u[2] * v[0], u[0] * v[2]), (u[0] * v[1], u[1] * v[0])];
        Self {
            triangle,
            normal: products.map(|(plus, minus)| plus - minus),
            magnitude: products.map(|(plus, minus)| plus.abs() + minus.abs()),
        }
    }

    /// Exact sides of three points: +1 where the normal (t₁ − t₀) × (t₂ − t₀) points, −1 opposite,
    /// 0 in the plane.
    #[inline(always)]
    fn sides(&self, points: &Triangle) -> [i32; 3] {
        [self.side(&points[0]), self.side(&points[1]), self.side(&points[2])]
    }

    #[inline(always)]
    fn side(&self, point: &Point) -> i32 {
        let [origin, ..] = self.triangle;
        let d = [point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]];
        let volume = d[0] * self.normal[0] + d[1] * self.normal[1] + d[2] * self.normal[2];
        let permanent =
            d[0].abs() * self.magnitude[0] + d[1].abs() * self.magnitude[1] + d[2].abs() * self.magnitude[2];
        if volume.abs() > VOLUME_ERROR * permanent {
            return sign(volume);
        }
        self.exact_side(point, permanent)
    }

    #[cold]
    #[inline(never)]
    fn exact_side(&self, point: &Point, permanent: f64) -> i32 {
        // Without underflow a rounded difference is zero only if the exact one is, so every term of
        // the determinant is exactly zero here. This is the common case of triangles resting in one
        // axis-aligned plane.
        if permanent == 0.0 {
            return 0;
        }
        let [t0, t1, t2] = self.triangle;
        volume_sign(t1, t2, point, t0)
    }
}

/// Whether two triangles of positive area in different planes, each with points weakly on both
/// sides of the other's plane, meet.
///
/// Let n and m be the normals of a and b, and d = n × m the direction of the line L common to both
/// planes. Number the vertices of each triangle so that vertex 0 is *alone*: either the other two
/// lie strictly on one side of the other triangle's plane and vertex 0 does not, or vertex 0 lies
/// strictly on a side and neither of the others does. Then the edges eₖ = aₖ − a₀ (k = 1, 2) leave
/// or cross the plane of b in one sense, p = sign(eₖ·m) ≠ 0, and the line of edge k meets L in
/// exactly one point Xₖ; X₁ and X₂ are the ends of the triangle's interval. Likewise fₗ = bₗ − b₀,
/// q = sign(fₗ·n) ≠ 0, and Y₁, Y₂.
///
/// Order within a triangle: X₂ − X₁ = s₂ e₂ − s₁ e₁ with s₁, s₂ ≥ 0 lies along L, and det(e₁, X₂ −
/// X₁, n) = s₂ |n|² ≥ 0, while det(e₁, d, n) = |n|² (e₁·m). So X₁ ≤ X₂ along d if p > 0, and X₂ ≤
/// X₁ otherwise. For b the direction m × n = −d takes the place of d: Y₂ ≤ Y₁ if q > 0, and Y₁ ≤ Y₂
/// otherwise.
///
/// Order between triangles: with Yₗ − Xₖ = λ d, b₀ − a₀ equals λ d plus multiples of eₖ and fₗ, so
/// det(eₖ, b₀ − a₀, fₗ) = λ det(eₖ, d, fₗ) = λ (fₗ·n)(eₖ·m), and the sign of λ is p q times that of
/// det(aₖ − a₀, b₀ − a₀, bₗ − a₀).
///
/// The intervals are apart if and only if the first end of one lies strictly beyond the last end of
/// the other.
#[inline(always)]
fn intervals_meet(a: &Triangle, sides_of_a: [i32; 3], b: &Triangle, sides_of_b: [i32; 3]) -> bool {
    let (cut_a, cut_b) = (Cut::of(sides_of_a), Cut::of(sides_of_b));
    let (a_low, a_high) = (&a[cut_a.first], &a[cut_a.last]);
    let (b_low, b_high) = (&b[cut_b.last], &b[cut_b.first]);
    let (a_alone, b_alone) = (&a[cut_a.alone], &b[cut_b.alone]);
    let sense = cut_a.rising * cut_b.rising;
    sense * volume_sign(a_low, b_alone, b_high, a_alone) >= 0
        && sense * volume_sign(a_high, b_alone, b_low, a_alone) <= 0
}

/// How a plane cuts a triangle, in the words of `intervals_meet`.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// The vertex alone on its side.
    pub(crate) alone: usize,
    /// The other ends of the edges that bound the interval, in the order of the interval.
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The sense in which these edges run from the lone vertex, relative to the plane's normal.
    pub(crate) rising: i32,
}

impl Cut {
    /// One entry for each triple of signs; looked up because sign patterns are what a branch
    /// predictor cannot guess.
    const ALL: [Self; 27] = {
        let mut all = [Self { alone: 0, first: 1, last: 2, rising: 1 }; 27];
        let mut pattern = 0;
        while pattern < 27 {
            all[pattern as usize] = Self::derive([pattern / 9 - 1, pattern / 3 % 3 - 1, pattern % 3 - 1]);
            pattern += 1;
        }
        all
    };

    /// Signs must be neither all zero nor all of one strict sign.
    #[inline(always)]
    pub(crate) fn of([p, q, r]: [i32; 3]) -> Self {
        Self::ALL[(9 * p + 3 * q + r + 13) as usize]
    }

    const fn derive(sides: [i32; 3]) -> Self {
        let [p, q, r] = sides;
        let alone = if p * q > 0 {
            2
        } else if r * p > 0 {
            1
        } else if q * r > 0 || p != 0 {
            0
        } else if q != 0 {
            1
        } else {
            2
        };
        let (next, last) = ((alone + 1) % 3, (alone + 2) % 3);
        if sides[next] > sides[alone] {
            Self { alone, first: next, last, rising: 1 }
        } else {
            Self { alone, first: last, last: next, rising: -1 }
        }
    }
}

/// The convex hull of three points that may coincide or be collinear, by its one, two or three
/// corners.
struct Hull {
    corners: [Point; 3],
    count: usize,
    /// Where the hull keeps an area, if it has one.
    projection: Option<Projection>,
}

impl Hull {
    fn of(triangle: &Triangle) -> Self {
        let [p, q, r] = triangle;
        let projection = faithful_projection(p, q, r);
        if projection.is_some() {
            return Self { corners: *triangle, count: 3, projection };
        }
        // Along a line lexicographic order is the order along the line.
        let (mut low, mut high) = if p < q { (p, q) } else { (q, p) };
        if r < low {
            low = r;
        }
        if r > high {
            high = r;
        }
        let count = if low == high { 1 } else { 2 };
        Self { corners: [*low, *high, *high], count, projection }
    }

    fn corners(&self) -> &[Point] {
        &self.corners[..self.count]
    }
}

/// The exact test for pairs that are coplanar or have at least one triangle without area.
#[cold]
#[inline(never)]
fn flat_triangles_touch(a: &Triangle, b: &Triangle) -> bool {
    let (mut large, mut small) = (Hull::of(a), Hull::of(b));
    if large.count < small.count {
        std::mem::swap(&mut large, &mut small);
    }
    match large.projection {
        Some(projection) => area_meets(&large, projection, &small),
        None => lines_meet(&large, &small),
    }
}

/// A hull with area against one that is coplanar with it, or a segment, or a point.
fn area_meets(large: &Hull, projection: Projection, small: &Hull) -> bool {
    // A segment's second corner and a point's only one are repeated, which changes none of the
    // verdicts.
    match Stance::of(Plane::through(&large.corners).sides(&small.corners)) {
        Stance::Aside => false,
        Stance::Within => flat_hulls_meet(projection, large.corners(), small.corners()),
        Stance::Across => segment_pierces(&small.corners[0], &small.corners[1], &large.corners),
    }
}

/// Two segments or points; `large` is a segment if one of them is.
fn lines_meet(large: &Hull, small: &Hull) -> bool {
    let [p, q, _] = &large.corners;
    let [r, s, _] = &small.corners;
    if volume_sign(p, q, r, s) != 0 {
        return false;
    }
    match faithful_projection(p, q, r).or_else(|| faithful_projection(p, q, s)) {
        Some(projection) => flat_hulls_meet(projection, large.corners(), small.corners()),
        // All in one line, or two points.
        None => p <= s && r <= q,
    }
}

/// Whether the closed segment pq, weakly crossing the triangle's plane and not lying in it, meets
/// the closed triangle.
///
/// The three volumes are proportional to the barycentric coordinates of the point where the line
/// crosses the plane.
fn segment_pierces(p: &Point, q: &Point, [r, s, t]: &Triangle) -> bool {
    let turns = [volume_sign(p, q, r, s), volume_sign(p, q, s, t), volume_sign(p, q, t, r)];
    !(turns.contains(&1) && turns.contains(&-1))
}

/// Whether two coplanar hulls meet, judged in a projection that keeps them apart if they are; not
/// both may lie in one line.
///
/// The difference of two disjoint convex polygons that do not share a line is separated from the
/// origin by one of its own sides, and those are parallel to sides of the two: so some side of one
/// hull has the whole other hull strictly beyond it. The same holds, with the difference shrunk to
/// a segment beside the origin, for parallel segments and for a point beside a segment's line.
fn flat_hulls_meet(projection: Projection, first: &[Point], second: &[Point]) -> bool {
    !side_separates(projection, first, second) && !side_separates(projection, second, first)
}

fn side_separates(projection: Projection, hull: &[Point], other: &[Point]) -> bool {
    let beyond = |p: &Point, q: &Point, own: i32| {
        let side = area_sign(projection, p, q, &other[0]);
        side != 0 && side != own && other[1..].iter().all(|point| area_sign(projection, p, q, point) == side)
    };
    match hull {
        [p, q, r] => {
            let turn = area_sign(projection, p, q, r);
            beyond(p, q, turn) || beyond(q, r, turn) || beyond(r, p, turn)
        }
        [p, q] => beyond(p, q, 0),
        _ => false,
    }
}
