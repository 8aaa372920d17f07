//! Minors of linearly moving points in f64, with proven error bounds.
//!
//! A minor of rank `r` is the determinant of `r − 1` point differences in `r − 1` axes, so over the window it is a form
//! of degree `r − 1`: `Σ cᵢ sⁱ (1−s)ᵈ⁻ⁱ`. With `M` the largest coordinate difference of two points of the pair at one end
//! of the window, per axis, a coefficient of a cubic sums at most 18 triple products of magnitude `Mx·My·Mz`, each through at
//! most 11 roundings: error ≤ 198.1 u·Mx·My·Mz, `u = 2⁻⁵³`. A quadratic: 4 products, 5 roundings: 20.1 u·M·M. The bounds
//! below are the next powers of two. A vanishing `M` makes every product, and the bound, exactly zero.

use super::tables::{MINORS, POINTS, Signs, Table};

/// Error of a cubic's coefficient in units of `Mx·My·Mz`: 256 u.
const CUBIC_ERROR: f64 = 128.0 * f64::EPSILON;
/// Error of a quadratic's coefficient in units of the product of two extents: 32 u.
const QUADRATIC_ERROR: f64 = 16.0 * f64::EPSILON;
/// Error of a coordinate difference in units of the extent: 2 u. Its sign is always right.
const LINEAR_ERROR: f64 = f64::EPSILON;
/// Error of a cubic at one instant, positions interpolated in f64: 6 terms, three factors with 10 u each, 6 roundings.
const CUBIC_INSTANT_ERROR: f64 = 128.0 * f64::EPSILON;
/// The same for a quadratic: 2 terms, two factors.
const QUADRATIC_INSTANT_ERROR: f64 = 32.0 * f64::EPSILON;
/// The same for a coordinate difference.
const LINEAR_INSTANT_ERROR: f64 = 8.0 * f64::EPSILON;
/// Error of evaluating a form, in units of its largest coefficient: 16 u.
pub(crate) const EVALUATION_ERROR: f64 = 8.0 * f64::EPSILON;
/// Extents outside this range (zero apart) could overflow or underflow a product: no filter then. 2⁻³⁰⁰ and 2³⁰⁰.
const EXTENT_RANGE: [f64; 2] = [f64::from_bits(723 << 52), f64::from_bits(1323 << 52)];

/// Which coordinates the minors use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// All three axes.
    Space,
    /// Two axes, the given one dropped.
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

/// The points of a pair at both ends of the window.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// Unused places repeat the first point.
    pub(crate) begin: [[f64; 3]; POINTS],
    pub(crate) end: [[f64; 3]; POINTS],
    /// Largest coordinate difference at either end, per axis.
    extent: [f64; 3],
    /// Whether the error bounds hold (no overflow or underflow).
    filtered: bool,
}

impl Points {
    /// Coordinates must be finite.
    #[inline]
    pub(crate) fn new(begin: [[f64; 3]; POINTS], end: [[f64; 3]; POINTS]) -> Self {
        let mut extent = [0.0; 3];
        let mut filtered = true;
        for (axis, slot) in extent.iter_mut().enumerate() {
            let range = |points: &[[f64; 3]; POINTS]| {
                let mut low = points[0][axis];
                let mut high = low;
                for point in &points[1..] {
                    low = if point[axis] < low { point[axis] } else { low };
                    high = if point[axis] > high { point[axis] } else { high };
                }
                high - low
            };
            let (at_begin, at_end) = (range(&begin), range(&end));
            let largest = if at_begin > at_end { at_begin } else { at_end };
            filtered &= largest == 0.0 || (EXTENT_RANGE[0]..=EXTENT_RANGE[1]).contains(&largest);
            *slot = largest;
        }
        Self { begin, end, extent, filtered }
    }

    /// The two positions of one coordinate.
    #[inline(always)]
    fn track(&self, point: usize, reference: usize, axis: usize) -> [f64; 2] {
        [self.begin[point][axis] - self.begin[reference][axis], self.end[point][axis] - self.end[reference][axis]]
    }

    /// Product of the extents of a level's axes; infinite where the bounds do not hold.
    #[inline]
    pub(crate) fn magnitude(&self, level: Level) -> f64 {
        if !self.filtered {
            return f64::INFINITY;
        }
        level.axes().iter().map(|&axis| self.extent[axis]).product()
    }

    /// Coefficients of one minor over the window, lowest first.
    #[inline]
    pub(crate) fn minor(&self, level: Level, indices: &[usize; 4]) -> [f64; 4] {
        let base = indices[0];
        match *level.axes() {
            [x] => {
                let [a, b] = self.track(indices[1], base, x);
                [a, b, 0.0, 0.0]
            }
            [x, y] => {
                let (u, v) = (indices[1], indices[2]);
                let [c0, c1, c2] = cross(
                    self.track(u, base, x),
                    self.track(v, base, y),
                    self.track(u, base, y),
                    self.track(v, base, x),
                );
                [c0, c1, c2, 0.0]
            }
            _ => {
                let along = |point| [0, 1, 2].map(|axis| self.track(point, base, axis));
                let (u, v, w) = (along(indices[1]), along(indices[2]), along(indices[3]));
                let mut sum = [0.0; 4];
                for k in 0..3 {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    let [c0, c1, c2] = cross(v[i], w[j], v[j], w[i]);
                    sum[0] += u[k][0] * c0;
                    sum[1] += u[k][0] * c1 + u[k][1] * c0;
                    sum[2] += u[k][0] * c2 + u[k][1] * c1;
                    sum[3] += u[k][1] * c2;
                }
                sum
            }
        }
    }

    /// Signs of all minors of a level at one instant `s` in `[0, 1]`.
    pub(crate) fn signs_at(&self, level: Level, table: &Table, s: f64) -> Signs {
        let blend = |a: f64, b: f64| (1.0 - s) * a + s * b;
        let mut frozen = [[0.0; 3]; POINTS];
        for (point, slot) in frozen.iter_mut().enumerate() {
            *slot = [0, 1, 2].map(|axis| {
                let [a, b] = self.track(point, 0, axis);
                blend(a, b)
            });
        }
        let bound = self.magnitude(level)
            * match level {
                Level::Space => CUBIC_INSTANT_ERROR,
                Level::Plane(_) => QUADRATIC_INSTANT_ERROR,
                Level::Line(_) => LINEAR_INSTANT_ERROR,
            };
        let mut signs = Signs::default();
        for (k, indices) in table.minors[..table.minor_count].iter().enumerate() {
            let difference = |slot: usize, axis: usize| frozen[indices[slot]][axis] - frozen[indices[0]][axis];
            let value = match *level.axes() {
                [x] => difference(1, x),
                [x, y] => difference(1, x) * difference(2, y) - difference(1, y) * difference(2, x),
                _ => (0..3)
                    .map(|k| {
                        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                        difference(1, k) * (difference(2, i) * difference(3, j) - difference(2, j) * difference(3, i))
                    })
                    .sum(),
            };
            signs.record(k, value, bound);
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
        // A zero bound is only ever met by exact zeros. Comparisons are written so that NaN means unknown.
        let known = value > bound || value < -bound || bound == 0.0;
        self.unknown |= u32::from(!known) << k;
    }

    /// Sets the sign of an unknown minor exactly.
    pub(crate) fn settle(&mut self, k: usize, sign: i32) {
        self.unknown &= !(1 << k);
        self.positive |= u32::from(sign > 0) << k;
        self.negative |= u32::from(sign < 0) << k;
    }
}

/// `a·b − c·d` of four linear tracks, as a quadratic form.
#[inline(always)]
fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> [f64; 3] {
    [a[0] * b[0] - c[0] * d[0], (a[0] * b[1] + a[1] * b[0]) - (c[0] * d[1] + c[1] * d[0]), a[1] * b[1] - c[1] * d[1]]
}

/// All minors of one level over the window.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) level: Level,
    /// Coefficients of each minor, lowest first.
    pub(crate) coefficients: [[f64; 4]; MINORS],
    /// Bound of the error of every coefficient.
    pub(crate) error: f64,
}

impl Family {
    #[inline]
    pub(crate) fn new(points: &Points, table: &Table, level: Level) -> Self {
        let error = points.magnitude(level)
            * match level {
                Level::Space => CUBIC_ERROR,
                Level::Plane(_) => QUADRATIC_ERROR,
                Level::Line(_) => LINEAR_ERROR,
            };
        let mut coefficients = [[0.0; 4]; MINORS];
        for (slot, indices) in coefficients.iter_mut().zip(&table.minors[..table.minor_count]) {
            *slot = points.minor(level, indices);
        }
        Self { level, coefficients, error }
    }

    /// Signs that hold over the whole closed window.
    #[inline]
    pub(crate) fn signs(&self, table: &Table) -> Signs {
        let mut signs = Signs::default();
        let used = self.level.degree() + 1;
        for (k, all) in self.coefficients[..table.minor_count].iter().enumerate() {
            let mut low = all[0];
            let mut high = all[0];
            for &value in &all[1..used] {
                low = if value < low { value } else { low };
                high = if value > high { value } else { high };
            }
            let value = if low > 0.0 { low } else { high.min(0.0) };
            signs.record(k, value, self.error);
        }
        signs
    }

    /// Signs on the closed interval `lo ..= hi`, sampled in its middle with a bound for the rest.
    pub(crate) fn signs_within(&self, table: &Table, lo: f64, hi: f64) -> Signs {
        let middle = 0.5 * (lo + hi);
        let degree = self.level.degree();
        let mut signs = Signs::default();
        for (k, all) in self.coefficients[..table.minor_count].iter().enumerate() {
            let largest = all.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
            // |p′| ≤ 2 · degree · Σ|c| ≤ 24 · max|c| for every degree up to 3.
            let slope = 24.0 * largest * (hi - lo);
            let bound = self.error + EVALUATION_ERROR * largest + slope;
            signs.record(k, evaluate(all, degree, middle), bound);
        }
        signs
    }
}

/// Value of a form at `s`.
#[inline(always)]
pub(crate) fn evaluate(c: &[f64; 4], degree: usize, s: f64) -> f64 {
    let rest = 1.0 - s;
    match degree {
        0 => c[0],
        1 => c[0] * rest + c[1] * s,
        2 => (c[0] * rest + c[1] * s) * rest + c[2] * (s * s),
        _ => {
            let (ahead, behind) = (s * s, rest * rest);
            (c[0] * rest + c[1] * s) * behind + (c[2] * rest + c[3] * s) * ahead
        }
    }
}
