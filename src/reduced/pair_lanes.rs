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
//! **Error.** `u`, `c` and `π` are rounded up. With `n` pairs, sums of `f32` are off by at most
//! `(n + 1) 2⁻²⁴` of the sum of the magnitudes of their terms, up to second order. For a positive
//! semidefinite `G`, `Σ |G_ij| |d_i| |d_j| ≤ tr(G) |d|²`. The margin is twice that and more.
//! Underflow loses less than `2⁻¹²⁵` per term. All entries of `G` are at most `2 K`, so that none
//! leaves the range of `f32` if `K` is at most [`limits::F32_BLEND_RANGE`]. The rest is `f64`.

use crate::limits;
use crate::simd::{F32x8, LANES, Simd};

/// Two joints in a pose.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct PairLanes([f32; LANES]);

impl PairLanes {
    /// No turn.
    pub(super) const NONE: Self = Self([0.0; LANES]);

    /// Of joints with `turned = (R_b − R_a)ᵀ (R_b − R_a)`, these scales and this dot product of
    /// their quaternions.
    pub(super) fn of(turned: &[f64; 6], [r, s]: [f64; 2], dot: f64) -> Self {
        let near = dot.abs();
        let (mixed, chord) = (mixed(r, s, near), chord(near));
        let most = turn_square(near) * mixed;
        let most = f64::from(rounded_up(most.max(0.0).sqrt() * (1.0 + limits::EVALUATION_ROUNDING)));
        let per = mixed / most;
        let [a, b, c, d, e, f] = turned.map(|entry| (per * entry) as f32);
        Self([a, b, c, d, e, f, most as f32, rounded_up(chord)])
    }
}

/// A bound of `|s_a q_b − s_b q_a|²` of two scales and the dot product of the quaternions.
#[inline]
pub(super) fn mixed(r: f64, s: f64, near: f64) -> f64 {
    r * r + s * s - 2.0 * r * s * near + limits::EVALUATION_ROUNDING * (r * r + s * s)
}

/// A bound of `|R_b − R_a|²`, by operator norm.
#[inline]
pub(super) fn turn_square(near: f64) -> f64 {
    4.0 * (1.0 - near * near) + limits::EVALUATION_ROUNDING
}

/// A bound of `|q_b − q_a|²`.
#[inline]
pub(super) fn chord(near: f64) -> f64 {
    2.0 - 2.0 * near + limits::EVALUATION_ROUNDING
}

/// A number in `f32` that is greater than a nonnegative one.
#[inline]
pub(super) fn rounded_up(number: f64) -> f32 {
    (number as f32).next_up()
}

/// Pairs of joints together, by the largest products of their weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairSum {
    /// `G` as xx, yy, zz, xy, xz, yz, and what to add to it in every direction; per metre.
    form: [f64; 6],
    lost: f64,
    /// `K`, per metre.
    steep: f64,
    /// `Σ π c`.
    chord: f64,
}

impl PairSum {
    /// Of the pairs of a set, whose places among all are `pairs`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of<M: Simd>(machine: M, products: &[f32], pairs: &[u32], lanes: &[PairLanes]) -> Self {
        let mut sum = machine.splat(0.0);
        for (&product, &pair) in products.iter().zip(pairs) {
            sum = sum + machine.splat(product) * machine.load(&lanes[pair as usize].0);
        }
        let [xx, yy, zz, xy, xz, yz, steep, chord] = sum.lanes().map(f64::from);
        let count = products.len() as f64;
        let (part, tiny) = ((count + 4.0) * f64::from(f32::EPSILON), count * 8.0 * f64::from(f32::MIN_POSITIVE));
        let more = |sum: f64| sum + part * sum + tiny;
        let lost = part * (xx + yy + zz) + tiny;
        Self { form: [xx, yy, zz, xy, xz, yz], lost, steep: more(steep), chord: more(chord) }
    }

    /// A bound of `Σ w_a w_b g(y)` over the vertices within a radius of a place, which is
    /// `length` from the rotation centre, metres.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn moved(&self, [x, y, z]: [f64; 3], length: f64, radius: f64) -> f64 {
        // Also of what is not a number.
        if !(self.steep <= limits::F32_BLEND_RANGE) {
            return f64::INFINITY;
        }
        let [xx, yy, zz, xy, xz, yz] = self.form;
        let square = xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z);
        let square = square + self.lost * length * length;
        let turned = if square <= 0.0 { 0.0 } else { (self.steep * square).sqrt() };
        let most = self.steep * length;
        (if turned < most { turned } else { most }) + self.steep * radius
    }

    /// A lower bound of the length of blended quaternions whose weights have at least the sum
    /// `low`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn length(&self, low: f64) -> f64 {
        let square = low * low - self.chord;
        if square > 0.0 { square.sqrt() - 4.0 * limits::EVALUATION_ROUNDING } else { 0.0 }
    }
}
