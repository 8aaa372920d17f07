//! Distance of vertices of a joint set from linear blending in a pose, by the largest products of
//! weights of each pair of joints.
//!
//! With the notation of [`super::set_pose`], a pair `p = (a, b)` of the set's joints, and for some
//! of its vertices `π_p ≥ w_a w_b`:
//!
//! ```text
//! m_p = |s_a q_b − s_b q_a|    c_p = |q_b − q_a|²
//! κ_p = |R_b − R_a| m_p        H_p = m_p² (R_b − R_a)ᵀ (R_b − R_a)
//! K = Σ π_p u_p    G = Σ π_p H_p / u_p    any u_p ≥ κ_p, u_p > 0
//! |v − l| ≤ (√(K · dᵀ G d) + K ρ) / |q| + e |y|    |q|² ≥ σ² − Σ π_p c_p
//! ```
//!
//! A pair moves `y = d + z` by `g_p(y) = m_p |(R_b − R_a) y|`, and `|v − l|` is at most
//! `Σ w_a w_b g_p(y) / |q|`, besides. `g_p(y) ≤ g_p(d) + κ_p |z|`, and `|z| ≤ ρ`. By the inequality
//! of Cauchy and Schwarz, `(Σ π_p g_p(d))² ≤ Σ π_p u_p · Σ π_p g_p(d)² / u_p`. As `|R_b − R_a|²` is
//! `4 (1 − (q_a · q_b)²)`, `tr H_p = 2 κ_p²`: a turn moves two of three directions. `u_p` is `κ_p`
//! rounded up.
//!
//! Against the sum of all products times the worst pair, this counts a pair by its own weights: of
//! three joints along a limb, few vertices follow the first and the last together, which turn
//! against each other the most.
//!
//! A pair is eight lanes, the same in every set with both joints: `H / u` as xx, yy, zz, xy, xz,
//! yz, then `u` and `c`. So its quaternions must be of one hemisphere: a set whose signs separate
//! the quaternions of two joints with a positive dot product, or the reverse, has no such bound.
//!
//! [`Batch`] does eight sets at once, in `f32`: the sums of the lanes one by one, the rest in lanes
//! of sets.
//!
//! **Error.** With `u = 2⁻²⁴`: `u_p`, `c_p`, products and the columns of [`SetLanes`] are rounded
//! up, lengths down, and `H / u_p` to the nearest number. `d` is off by the rounding of the centre,
//! which is in the column added to `ρ`, and by `u |d|`, which is added to `ρ` with room. Sums over
//! `n` pairs are off by at most `(n + 1) u` of the sum of the magnitudes of their terms; evaluating
//! `dᵀ G d` adds less than `12 u`. For a positive semidefinite `G`,
//! `Σ |G_ij| |d_i| |d_j| ≤ tr(G) |d|²`. [`PART`] is more than twice `(n + 14) u`. All that follows
//! is sums, products, quotients and roots of nonnegative numbers, less than 20 in a row, for which
//! the result is raised by `64 u`.
//!
//! Underflow loses less than `2⁻¹²⁵` per term: [`TINY`] is more than the terms of a sum lose. The
//! roots of `K` and of the form are multiplied, as the product of both could underflow. Under the
//! root of the form, `16 · 2⁻¹²⁶ (1 + K) (1 + |d|)²` at most are lost; the part without `K` is less
//! than `TINY (1 + |d|²)`, and of the part with `K`, `|d|²` is in the `PART` of the trace, and the
//! root of the rest less than `2⁻⁵⁹ K`, metres, which is also in the column added to `ρ`.
//!
//! Entries of `G` are at most `2 K`, so that none leaves the range of `f32` if `K` is at most
//! [`limits::F32_BLEND_RANGE`]. Whatever is not a number in the end is infinite.

use super::shortest::MOST_JOINTS;
use crate::limits;
use crate::simd::{F32x8, LANES, Number, Simd};

/// Two joints in a pose.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct PairLanes([f32; LANES]);

impl PairLanes {
    /// No turn.
    pub(super) const NONE: Self = Self([0.0; LANES]);

    /// Of `H / u`, `u` and `c`.
    #[inline(always)]
    pub(super) fn new(form: [f64; 6], most: f64, chord: f64) -> Self {
        let [a, b, c, d, e, f] = form.map(|entry| entry as f32);
        Self([a, b, c, d, e, f, above(most), above(chord)])
    }

    /// `H / u`, then `u` and `c`.
    #[cfg(test)]
    pub(super) fn parts(&self) -> ([f64; 6], [f64; 2]) {
        let [a, b, c, d, e, f, most, chord] = self.0.map(f64::from);
        ([a, b, c, d, e, f], [most, chord])
    }
}

/// A bound of `|s_a q_b − s_b q_a|²` of two scales and the dot product of the quaternions. Takes
/// the constants 2 and [`limits::EVALUATION_ROUNDING`], as do the others.
#[inline(always)]
pub(super) fn mixed<T: Number>(r: T, s: T, near: T, [two, rounding]: [T; 2]) -> T {
    let squares = r * r + s * s;
    squares - two * r * s * near + rounding * squares
}

/// A bound of `|R_b − R_a|²`, by operator norm; also takes 1 and 4.
#[inline(always)]
pub(super) fn turn_square<T: Number>(near: T, [one, four, rounding]: [T; 3]) -> T {
    four * (one - near * near) + rounding
}

/// A bound of `|q_b − q_a|²`.
#[inline(always)]
pub(super) fn chord<T: Number>(near: T, [two, rounding]: [T; 2]) -> T {
    two - two * near + rounding
}

/// A number in `f32` that is greater than a nonnegative one.
#[inline]
pub(super) fn rounded_up(number: f64) -> f32 {
    (number as f32).next_up()
}

/// What is added to sums, as a part of them and besides; see the module documentation.
const PART: f32 = (MOST_PAIRS + 16) as f32 * f32::EPSILON;
const TINY: f32 = (8 * MOST_PAIRS) as f32 * f32::MIN_POSITIVE;

/// Most pairs of joints of a set.
const MOST_PAIRS: usize = MOST_JOINTS * (MOST_JOINTS - 1) / 2;

/// A joint set in a pose, in the order of the columns of [`Batch`]: the negative rotation centre
/// and what to add to radii, metres; the distance that does not depend on weights, per metre and
/// besides, and that whatever the blended quaternion is; the least length of blended quaternions.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct SetLanes([f32; LANES]);

impl SetLanes {
    /// No bound.
    pub(super) const UNKNOWN: Self =
        Self([0.0, 0.0, 0.0, f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0]);

    /// Of a set with this rotation centre, whose vertices are displaced by at most `displaced`
    /// metres.
    #[inline]
    pub(super) fn new(centre: [f64; 3], displaced: f64, [off, besides, whole]: [f64; 3], length: f64) -> Self {
        let far = centre[0].abs() + centre[1].abs() + centre[2].abs();
        let more = displaced + f64::from(f32::EPSILON) * far + LOST;
        let [x, y, z] = centre.map(|x| -x as f32);
        let shorter = (length * (1.0 - f64::from(f32::EPSILON))) as f32;
        Self([x, y, z, above(more), above(off), above(besides), above(whole), shorter])
    }
}

/// See the module documentation, metres.
const LOST: f64 = 1.0 / (1_u64 << 59) as f64;

/// A number in `f32` that is greater than a nonnegative one, without branches.
#[inline]
fn above(number: f64) -> f32 {
    (number * (1.0 + f64::from(f32::EPSILON))) as f32 + f32::MIN_POSITIVE
}

/// A ball around vertices at rest, as it is added to [`SetLanes`].
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Ball([f32; LANES]);

impl Ball {
    /// Around a middle, metres.
    pub(super) fn new(middle: [f64; 3], radius: f64) -> Self {
        let [x, y, z] = middle.map(|x| x as f32);
        let off: f64 = [x, y, z].iter().zip(middle).map(|(near, exact)| (f64::from(*near) - exact).abs()).sum();
        Self([x, y, z, rounded_up((radius + off) * (1.0 + limits::EVALUATION_ROUNDING)), 0.0, 0.0, 0.0, 0.0])
    }

    /// Its middle and radius, metres.
    pub(super) fn parts(&self) -> ([f64; 3], f64) {
        let [x, y, z, radius, ..] = self.0.map(f64::from);
        ([x, y, z], radius)
    }
}

/// Vertices of joint sets whose distances are computed together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    /// Sums of [`PairLanes`], and of [`Ball`] and [`SetLanes`].
    sums: [[f32; LANES]; LANES],
    arms: [[f32; LANES]; LANES],
    count: usize,
}

impl Batch {
    /// Nothing yet.
    pub(super) const EMPTY: Self = Self { sums: [[0.0; LANES]; LANES], arms: [[0.0; LANES]; LANES], count: 0 };

    /// The number of what was added since it was empty.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds vertices of a set in a ball, of which these are the largest products of weights of each
    /// pair of joints, with the place of the pair among `lanes`. Up to eight in all.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add<M: Simd>(
        &mut self,
        machine: M,
        ball: &Ball,
        set: &SetLanes,
        products: &[(f32, u32)],
        lanes: &[PairLanes],
    ) {
        let mut sum = machine.splat(0.0);
        for &(product, pair) in products {
            sum = sum + machine.splat(product) * machine.load(&lanes[pair as usize].0);
        }
        let at = self.count % LANES;
        self.sums[at] = sum.lanes();
        self.arms[at] = (machine.load(&ball.0) + machine.load(&set.0)).lanes();
        self.count += 1;
    }

    /// Bounds of the distances of the vertices from linear blending, metres, where sums of weights
    /// are within `unsure` of one. Empties it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn distances<M: Simd>(&mut self, machine: M, unsure: f64) -> [f32; LANES] {
        self.count = 0;
        let Self { sums: s, arms: a, .. } = self;
        let (xx, yy, zz) = (column(machine, s, 0), column(machine, s, 1), column(machine, s, 2));
        let (xy, xz, yz) = (column(machine, s, 3), column(machine, s, 4), column(machine, s, 5));
        let (steep, chord) = (column(machine, s, 6), column(machine, s, 7));
        let (x, y, z, radius) =
            (column(machine, a, 0), column(machine, a, 1), column(machine, a, 2), column(machine, a, 3));
        let (off, besides) = (column(machine, a, 4), column(machine, a, 5));
        let (whole, least) = (column(machine, a, 6), column(machine, a, 7));
        let (zero, one, tiny) = (machine.splat(0.0), machine.splat(1.0), machine.splat(TINY));
        let infinite = machine.splat(f32::INFINITY);
        let up = machine.splat(1.0 + 4.0 * f32::EPSILON);
        let square = x * x + y * y + z * z + tiny;
        let length = square.root() * up;
        let radius = radius + length * machine.splat(2.0 * f32::EPSILON);
        let (raised, part) = (machine.splat(1.0 + PART), machine.splat(PART));
        let (steep, chord) = (steep * raised + tiny, chord * raised + tiny);
        let mixed = xy * x * y + xz * x * z + yz * y * z;
        let form = xx * x * x + yy * y * y + zz * z * z + mixed + mixed;
        let form = form + (xx + yy + zz) * part * square + tiny * (square + one);
        // What is not a number stays so. The product of both could underflow.
        let turned = steep.root() * zero.more(form).root();
        let most = steep * length;
        let moved = most.pick(turned, turned, most) + steep * radius;
        let moved = machine.splat(limits::F32_BLEND_RANGE as f32).pick(steep, moved, infinite);
        // Sums of weights, and the length of blended quaternions.
        let low = 1.0 - unsure;
        let low = (low * low) as f32 - 4.0 * f32::EPSILON;
        let own = zero.more(machine.splat(low) - chord).root() * machine.splat(1.0 - 4.0 * f32::EPSILON);
        let blended = own.pick(least, own, least);
        let sum = machine.splat(above(1.0 + unsure + 2.0 * limits::EVALUATION_ROUNDING));
        let far = length + radius;
        let (blended, whole) = ((moved + besides) * sum / blended + off * far, whole * far);
        let distance = besides + whole.pick(blended, blended, whole);
        let distance = distance * machine.splat(1.0 + 32.0 * f32::EPSILON);
        machine.splat(f32::MAX).pick(distance, distance, infinite).lanes()
    }
}

/// A number of eight rows.
#[cfg_attr(not(debug_assertions), inline(always))]
fn column<M: Simd>(machine: M, rows: &[[f32; LANES]; LANES], at: usize) -> M::F32x8 {
    let [a, b, c, d, e, f, g, h] = rows;
    machine.load(&[a[at], b[at], c[at], d[at], e[at], f[at], g[at], h[at]])
}
