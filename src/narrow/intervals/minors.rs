//! Minors of linearly moving points in f64, with proven error bounds.
//!
//! A minor of rank `r` is the determinant of `r − 1` point differences in `r − 1` axes, so over the
//! window it is a form of degree `r − 1`: `Σ cᵢ sⁱ (1−s)ᵈ⁻ⁱ`. With `M` the largest coordinate
//! difference of two points of the pair at one end of the window, per axis, a coefficient of a
//! cubic sums at most 18 triple products of magnitude `Mx·My·Mz`, each through at most 11
//! roundings: error ≤ 198.1 u·Mx·My·Mz, `u = 2⁻⁵³`. A quadratic: 4 products, 5 roundings: 20.1
//! u·M·M. The bounds below are the next powers of two. A vanishing `M` makes every product, and the
//! bound, exactly zero.

use super::roots::{Approximate, EVALUATION_ERROR};
use super::tables::{MINORS, POINTS, Signs, Table};
use crate::math::vector::minus;
use crate::simd::{self, F64x4 as _, Kernel, Simd, WIDE_LANES};

/// Error of a cubic's coefficient in units of `Mx·My·Mz`: 256 u.
pub(crate) const CUBIC_ERROR: f64 = 128.0 * f64::EPSILON;
/// Error of a quadratic's coefficient in units of the product of two extents: 32 u.
const QUADRATIC_ERROR: f64 = 16.0 * f64::EPSILON;
/// Error of a coordinate difference in units of the extent: 2 u. Its sign is always right.
const LINEAR_ERROR: f64 = f64::EPSILON;
/// Error of a cubic at one instant, positions interpolated in f64: 6 terms, three factors with 10 u
/// each, 6 roundings.
const CUBIC_INSTANT_ERROR: f64 = 128.0 * f64::EPSILON;
/// Error of a quadratic at one instant: 2 terms, two factors.
const QUADRATIC_INSTANT_ERROR: f64 = 32.0 * f64::EPSILON;
/// Error of a coordinate difference at one instant.
const LINEAR_INSTANT_ERROR: f64 = 8.0 * f64::EPSILON;
/// Extents outside this range (except zero) could overflow or underflow a product: no filter then.
/// 2⁻³⁰⁰ and 2³⁰⁰.
pub(crate) const EXTENT_RANGE: std::ops::RangeInclusive<f64> = f64::from_bits(723 << 52)..=f64::from_bits(1323 << 52);

/// The coordinates of the minors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// All three axes.
    Space,
    /// Two axes, without the given one.
    Plane(usize),
    /// One axis.
    Line(usize),
}

impl Level {
    /// The axes, in the order of the determinant's columns.
    pub(crate) fn axes(self) -> &'static [usize] {
        match self {
            Self::Space => &[0, 1, 2],
            Self::Plane(0) => &[1, 2],
            Self::Plane(1) => &[2, 0],
            Self::Plane(_) => &[0, 1],
            Self::Line(0) => &[0],
            Self::Line(1) => &[1],
            Self::Line(_) => &[2],
        }
    }

    /// Degree in time of the minors.
    pub(crate) fn degree(self) -> usize {
        self.axes().len()
    }
}

/// Positions of all points along one axis: first at the window's begin, then at its end.
pub(crate) type Row = [f64; 2 * POINTS];

/// The points of a pair at both ends of the window.
#[derive(Clone, Debug)]
pub(crate) struct Points<'a> {
    /// Unused entries repeat the first point.
    pub(crate) begin: [&'a [f64; 3]; POINTS],
    pub(crate) end: [&'a [f64; 3]; POINTS],
    /// Differences from the first point at the same end, per axis, rounded.
    pub(crate) relative: [Row; 3],
    /// Largest coordinate difference of two points at one end, per axis.
    extent: [f64; 3],
    /// Whether the error bounds hold (no overflow or underflow).
    filtered: bool,
}

impl<'a> Points<'a> {
    /// Coordinates must be finite.
    #[inline(always)]
    pub(crate) fn new(begin: [&'a [f64; 3]; POINTS], end: [&'a [f64; 3]; POINTS]) -> Self {
        let mut points = Self { begin, end, relative: [[0.0; 2 * POINTS]; 3], extent: [0.0; 3], filtered: true };
        for axis in 0..3 {
            let row = &mut points.relative[axis];
            let mut largest = 0.0;
            for (side, positions) in [begin, end].into_iter().enumerate() {
                let (mut low, mut high) = (0.0, 0.0);
                for point in 1..POINTS {
                    let value = positions[point][axis] - positions[0][axis];
                    row[side * POINTS + point] = value;
                    low = if value < low { value } else { low };
                    high = if value > high { value } else { high };
                }
                largest = if high - low > largest { high - low } else { largest };
            }
            points.extent[axis] = largest;
            points.filtered &= largest == 0.0 || EXTENT_RANGE.contains(&largest);
        }
        points
    }

    /// The two differences of one coordinate.
    #[inline(always)]
    pub(crate) fn track(&self, point: usize, reference: usize, axis: usize) -> [f64; 2] {
        [self.begin[point][axis] - self.begin[reference][axis], self.end[point][axis] - self.end[reference][axis]]
    }

    /// Product of the extents of a level's axes; infinite if the bounds do not hold.
    #[inline]
    pub(crate) fn magnitude(&self, level: Level) -> f64 {
        if !self.filtered {
            return f64::INFINITY;
        }
        let [x, y, z] = self.extent;
        match level {
            Level::Space => x * y * z,
            Level::Plane(0) => y * z,
            Level::Plane(1) => x * z,
            Level::Plane(_) => x * y,
            Level::Line(axis) => self.extent[axis],
        }
    }

    /// Coefficients of one minor over the window, lowest first.
    #[inline(always)]
    fn minor(&self, level: Level, indices: &[usize; 4]) -> [f64; 4] {
        let [base, p, q, r] = *indices;
        match *level.axes() {
            [x] => {
                let [a, b] = self.track(p, base, x);
                [a, b, 0.0, 0.0]
            }
            [x, y] => {
                let [c0, c1, c2] = cross(
                    self.track(p, base, x),
                    self.track(q, base, y),
                    self.track(p, base, y),
                    self.track(q, base, x),
                );
                [c0, c1, c2, 0.0]
            }
            _ => {
                let mut sum = [0.0; 4];
                for k in 0..3 {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    let u = self.track(p, base, k);
                    let [c0, c1, c2] = cross(
                        self.track(q, base, i),
                        self.track(r, base, j),
                        self.track(q, base, j),
                        self.track(r, base, i),
                    );
                    sum[0] += u[0] * c0;
                    sum[1] += u[0] * c1 + u[1] * c0;
                    sum[2] += u[0] * c2 + u[1] * c1;
                    sum[3] += u[1] * c2;
                }
                sum
            }
        }
    }

    /// Signs of all minors of a level at one instant `s` in `[0, 1]`.
    pub(crate) fn signs_at(&self, level: Level, table: &Table, s: f64) -> Signs {
        let magnitude = self.magnitude(level);
        if magnitude == 0.0 {
            return Signs::default();
        }
        let mut frozen = [[0.0; 3]; POINTS];
        for (point, slot) in frozen.iter_mut().enumerate() {
            for (axis, value) in slot.iter_mut().enumerate() {
                let row = &self.relative[axis];
                *value = (1.0 - s) * row[point] + s * row[POINTS + point];
            }
        }
        let minors = &table.minors[..table.minor_count];
        let mut signs = Signs::default();
        match *level.axes() {
            [x] => {
                for (k, &[base, p, ..]) in minors.iter().enumerate() {
                    let value = frozen[p][x] - frozen[base][x];
                    signs.record(k, value, magnitude * LINEAR_INSTANT_ERROR);
                }
            }
            [x, y] => {
                for (k, &[base, p, q, _]) in minors.iter().enumerate() {
                    let (o, u, v) = (&frozen[base], &frozen[p], &frozen[q]);
                    let value = (u[x] - o[x]) * (v[y] - o[y]) - (u[y] - o[y]) * (v[x] - o[x]);
                    signs.record(k, value, magnitude * QUADRATIC_INSTANT_ERROR);
                }
            }
            _ => {
                for (k, &[base, p, q, r]) in minors.iter().enumerate() {
                    let [u, v, w] = [p, q, r].map(|point| minus(&frozen[point], &frozen[base]));
                    let value = u[0] * (v[1] * w[2] - v[2] * w[1])
                        + u[1] * (v[2] * w[0] - v[0] * w[2])
                        + u[2] * (v[0] * w[1] - v[1] * w[0]);
                    signs.record(k, value, magnitude * CUBIC_INSTANT_ERROR);
                }
            }
        }
        signs
    }
}

impl Signs {
    /// Sets the sign of minor `k` from a value and the bound of its error.
    #[inline(always)]
    pub(crate) fn record(&mut self, k: usize, value: f64, bound: f64) {
        self.positive |= u32::from(value > bound) << k;
        self.negative |= u32::from(value < -bound) << k;
        // A zero bound is only met by exact zeros. Comparisons are written so that NaN means
        // unknown.
        let known = value > bound || value < -bound || bound == 0.0;
        self.unknown |= u32::from(!known) << k;
    }

    /// Sets the exact sign of an unknown minor.
    pub(crate) fn settle(&mut self, k: usize, sign: i32) {
        self.unknown &= !(1 << k);
        self.positive |= u32::from(sign > 0) << k;
        self.negative |= u32::from(sign < 0) << k;
    }
}

/// `a·b − c·d` of four linear tracks, as a quadratic form.
#[inline(always)]
pub(crate) fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> [f64; 3] {
    [a[0] * b[0] - c[0] * d[0], (a[0] * b[1] + a[1] * b[0]) - (c[0] * d[1] + c[1] * d[0]), a[1] * b[1] - c[1] * d[1]]
}

/// All minors of one level over the window.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) level: Level,
    /// Coefficients of all minors, lowest first, side by side.
    pub(crate) coefficients: [[f64; MINORS]; 4],
    /// Bound of the error of every coefficient.
    pub(crate) error: f64,
    /// Minors formed by adding others, with four times that bound.
    pub(crate) derived: u32,
}

impl Family {
    /// Computes every minor separately.
    #[inline]
    pub(crate) fn new(points: &Points<'_>, table: &Table, level: Level) -> Self {
        let mut family = Self::empty(points, level);
        if family.error > 0.0 {
            for (k, indices) in table.minors[..table.minor_count].iter().enumerate() {
                let coefficients = points.minor(level, indices);
                for (row, value) in family.coefficients.iter_mut().zip(coefficients) {
                    row[k] = value;
                }
            }
        }
        family
    }

    /// A family without minors, but with the bound of their error.
    #[inline(always)]
    pub(crate) fn empty(points: &Points<'_>, level: Level) -> Self {
        let error = points.magnitude(level)
            * match level {
                Level::Space => CUBIC_ERROR,
                Level::Plane(_) => QUADRATIC_ERROR,
                Level::Line(_) => LINEAR_ERROR,
            };
        Self { level, coefficients: [[0.0; MINORS]; 4], error, derived: 0 }
    }

    /// Coefficients and error bound of one minor.
    #[inline]
    pub(crate) fn approximate(&self, minor: usize) -> Approximate {
        let c = &self.coefficients;
        Approximate {
            coefficients: [c[0][minor], c[1][minor], c[2][minor], c[3][minor]],
            degree: self.level.degree(),
            error: self.error_of(minor),
        }
    }

    #[inline(always)]
    pub(crate) fn error_of(&self, minor: usize) -> f64 {
        if self.derived >> minor & 1 == 1 { 4.0 * self.error } else { self.error }
    }

    /// The bounds of all minors.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> [f64; MINORS] {
        let (mut bounds, mut derived) = ([self.error; MINORS], self.derived);
        while derived != 0 {
            bounds[derived.trailing_zeros() as usize] *= 4.0;
            derived &= derived - 1;
        }
        bounds
    }

    /// Signs that hold over the whole closed window.
    pub(crate) fn signs(&self, table: &Table) -> Signs {
        simd::run(Signing { family: self, table })
    }

    /// The same, on a machine.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn signs_on<M: Simd>(&self, machine: M, table: &Table) -> Signs {
        if self.error == 0.0 {
            return Signs::default();
        }
        let degree = self.level.degree();
        let [positive, negative, _] = clear_signs::<M, MINORS>(machine, &self.coefficients, degree, &self.bounds());
        let used = (1 << table.minor_count) - 1;
        let (positive, negative) = (positive & used, negative & used);
        Signs { positive, negative, unknown: used & !(positive | negative) }
    }

    /// Signs on the closed interval `lo ..= hi`, sampled in its middle with a bound for the rest.
    pub(crate) fn signs_within(&self, table: &Table, lo: f64, hi: f64) -> Signs {
        let middle = 0.5 * (lo + hi);
        let mut signs = Signs::default();
        for k in 0..table.minor_count {
            let minor = self.approximate(k);
            let largest = minor.largest();
            // |p′| ≤ degree · Σ|c| ≤ 12 · max|c| for every degree up to 3; the distance from the middle is at most half the width.
            let slope = 6.0 * largest * (hi - lo);
            let bound = minor.error + EVALUATION_ERROR * largest + slope;
            signs.record(k, minor.evaluate(middle), bound);
        }
        signs
    }
}

/// The kernel of [`Family::signs`].
struct Signing<'a> {
    family: &'a Family,
    table: &'a Table,
}

impl Kernel for Signing<'_> {
    type Output = Signs;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> Signs {
        self.family.signs_on(machine, self.table)
    }
}

/// Of the first `COUNT` columns of rows `0 ..= degree`, `COUNT` a multiple of four, a bit each:
/// whether all numbers exceed the column's bound; whether all are below its negative; whether some
/// number is one or the other.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn clear_signs<M: Simd, const COUNT: usize>(
    machine: M,
    rows: &[[f64; MINORS]; 4],
    degree: usize,
    bounds: &[f64; MINORS],
) -> [u32; 3] {
    let (mut positive, mut negative, mut clear) = (0, 0, 0);
    for group in 0..COUNT / WIDE_LANES {
        let row = |place: usize| load(machine, &rows[place], group);
        let (mut low, mut high) = (row(0), row(0));
        for place in 1..=degree {
            (low, high) = (row(place).less(low), row(place).more(high));
        }
        let bound = load(machine, bounds, group);
        let below = machine.splat_wide(0.0) - bound;
        let first = WIDE_LANES * group;
        positive |= low.above(bound) << first;
        negative |= below.above(high) << first;
        clear |= (below.above(low) | high.above(bound)) << first;
    }
    [positive, negative, clear]
}

/// Four minors of a row.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn load<M: Simd>(machine: M, row: &[f64; MINORS], group: usize) -> M::F64x4 {
    machine.load_wide(&row.as_chunks().0[group])
}
