//! The sizes of joint sets, four at once: as [`Measure::sizes`], for sets of which products per
//! pair of joints serve and whose blended quaternions are not short.

use super::measure::Measure;
use super::pairs::PosedPair;
use super::{Extent, Row, SetSizes};
use crate::reduced::pair_lanes::chord;
use crate::reduced::spherical::{are_positive, offset};
use crate::simd::{F64x4, Kernel, Simd, WIDE_LANES};
use crate::{limits, tuning};
use nalgebra::Vector3;

/// The kernel.
pub(super) struct Fours<'a> {
    pub(super) measure: Measure<'a>,
    pub(super) pairs: &'a [PosedPair],
    /// The sets; in the end, those that need more.
    pub(super) which: &'a mut Vec<u32>,
    pub(super) rows: &'a mut [Row],
    pub(super) sizes: &'a mut [SetSizes],
    pub(super) stamp: u64,
}

/// Numbers of four sets.
#[derive(Default)]
struct Columns {
    /// Sums of [`crate::reduced::spherical::PairTerms`], set by set.
    terms: [[f64; 12]; WIDE_LANES],
    /// The mean of the joints' rest positions relative to that of all, the ball around the vertices
    /// at rest relative to that mean, and its radius, metres.
    away: [[f64; WIDE_LANES]; 3],
    middle: [[f64; WIDE_LANES]; 3],
    mean: [[f64; WIDE_LANES]; 3],
    radius: [f64; WIDE_LANES],
    /// The largest of the joints; the sum of the squares of scales.
    scale: [f64; WIDE_LANES],
    off: [f64; WIDE_LANES],
    shift: [f64; WIDE_LANES],
    square: [f64; WIDE_LANES],
    /// The largest product of weights; dot products of quaternions as [`super::measure::Near`].
    product: [f64; WIDE_LANES],
    all: [f64; WIDE_LANES],
    first: [f64; WIDE_LANES],
    /// Whether it has no pairs, and whether it is complete.
    is_free: [bool; WIDE_LANES],
    is_good: [bool; WIDE_LANES],
}

impl Columns {
    /// Gathers a set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<M: Simd>(&mut self, machine: M, measure: &Measure<'_>, pairs: &[PosedPair], set: u32, lane: usize) {
        let sets = measure.sets;
        self.is_good[lane] = false;
        let (mut scale, mut off, mut shift, mut square) = (0.0f64, 0.0f64, 0.0f64, 0.0);
        for &joint in sets.joints_of(set) {
            let Some(joint) = &measure.turns[joint as usize] else { return };
            scale = if joint.turn.scale > scale { joint.turn.scale } else { scale };
            off = if joint.off > off { joint.off } else { off };
            shift = if joint.shift > shift { joint.shift } else { shift };
            square += joint.turn.scale * joint.turn.scale;
        }
        (self.scale[lane], self.off[lane], self.shift[lane], self.square[lane]) = (scale, off, shift, square);
        let own = sets.pairs_of(set);
        let zero = machine.splat_wide(0.0);
        let (mut a, mut b, mut c) = (zero, zero, zero);
        for &pair in own {
            let [p, q, r] = pairs[pair as usize].terms.parts();
            a = a + machine.load_wide(p);
            b = b + machine.load_wide(q);
            c = c + machine.load_wide(r);
        }
        let [a, b, c] = [a.lanes(), b.lanes(), c.lanes()];
        self.terms[lane] = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], 0.0, 0.0, 0.0];
        let (mean, (middle, radius)) = (&sets.means[set as usize], &sets.balls[set as usize]);
        for axis in 0..3 {
            self.mean[axis][lane] = mean[axis];
            self.away[axis][lane] = mean[axis] - sets.middle[axis];
            self.middle[axis][lane] = middle[axis];
        }
        self.radius[lane] = radius + measure.displaced;
        let product = sets.products[set as usize];
        self.is_free[lane] = own.is_empty();
        (self.product[lane], self.all[lane], self.first[lane]) = (0.0, 1.0, 1.0);
        if !own.is_empty() && product > 0.0 {
            let Some(near) = measure.near(set, own.iter().map(|&pair| &pairs[pair as usize])) else { return };
            (self.product[lane], self.all[lane], self.first[lane]) = (product, near.all, near.first);
        }
        self.is_good[lane] = true;
    }

    #[inline(always)]
    fn term(&self, at: usize) -> [f64; WIDE_LANES] {
        let [a, b, c, d] = &self.terms;
        [a[at], b[at], c[at], d[at]]
    }
}

impl Kernel for Fours<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { measure, pairs, which, rows, sizes, stamp } = self;
        let (mut columns, mut rest) = (Columns::default(), 0);
        for first in (0..which.len()).step_by(WIDE_LANES) {
            let count = (which.len() - first).min(WIDE_LANES);
            for lane in 0..count {
                columns.add(machine, &measure, pairs, which[first + lane], lane);
            }
            let four = columns.sizes(machine, &measure);
            for (lane, sizes_of) in four.iter().enumerate().take(count) {
                let set = which[first + lane];
                if columns.is_good[lane] && sizes_of.extent.length >= tuning::SHORT_BLEND {
                    rows[set as usize] = sizes_of.row(measure.displaced, stamp);
                    sizes[set as usize] = *sizes_of;
                } else {
                    which[rest] = set;
                    rest += 1;
                }
            }
        }
        which.truncate(rest);
    }
}

impl Columns {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sizes<M: Simd>(&self, machine: M, measure: &Measure<'_>) -> [SetSizes; WIDE_LANES] {
        let rounding = limits::EVALUATION_ROUNDING;
        let (zero, up) = (machine.splat_wide(0.0), machine.splat_wide(1.0 + rounding));
        let terms = [
            machine.load_wide(&self.term(0)),
            machine.load_wide(&self.term(1)),
            machine.load_wide(&self.term(2)),
            machine.load_wide(&self.term(3)),
            machine.load_wide(&self.term(4)),
            machine.load_wide(&self.term(5)),
            machine.load_wide(&self.term(6)),
            machine.load_wide(&self.term(7)),
            machine.load_wide(&self.term(8)),
        ];
        let [p, q, r] = &self.away;
        let away = [machine.load_wide(p), machine.load_wide(q), machine.load_wide(r)];
        let least = machine.splat_wide(limits::SMALL_TURN * limits::SMALL_TURN) * machine.load_wide(&self.square);
        let ([x, y, z], pivots) = offset(&terms, &away, [least, zero]);
        let offsets = [x.lanes(), y.lanes(), z.lanes()];
        let pivots = [pivots[0].lanes(), pivots[1].lanes(), pivots[2].lanes()];
        // The mean, where there is no offset.
        let mut centre = self.mean;
        for lane in 0..WIDE_LANES {
            if !self.is_free[lane] && are_positive([pivots[0][lane], pivots[1][lane], pivots[2][lane]]) {
                for axis in 0..3 {
                    centre[axis][lane] += offsets[axis][lane];
                }
            }
        }
        let [x, y, z] = &centre;
        let (x, y, z) = (machine.load_wide(x), machine.load_wide(y), machine.load_wide(z));
        let [p, q, r] = &self.middle;
        let (p, q, r) = (machine.load_wide(p) - x, machine.load_wide(q) - y, machine.load_wide(r) - z);
        let far = (p * p + q * q + r * r).root() * up + machine.load_wide(&self.radius) * up;
        let (scale, off) = (machine.load_wide(&self.scale), machine.load_wide(&self.off));
        let middle = x.size() + y.size() + z.size();
        let two = machine.splat_wide(2.0);
        let besides =
            machine.splat_wide(rounding) * (machine.load_wide(&self.shift) + (scale + off) * two * (middle + far));
        let sum = machine.splat_wide(1.0 + measure.unsure + rounding);
        let whole = (sum * (two * scale + off)).lanes();
        let (reach, off) = ((sum * scale * far * up).lanes(), (sum * off).lanes());
        let low = 1.0 - measure.unsure;
        let chord = chord(machine.load_wide(&self.all), [two, machine.splat_wide(rounding)]);
        let square = machine.splat_wide(low * low) - machine.load_wide(&self.product) * chord;
        let ([blend, first], slack) = ([square.more(zero).root().lanes(), self.first], 4.0 * rounding);
        let (far, besides) = (far.lanes(), besides.lanes());
        std::array::from_fn(|lane| {
            // No product of weights: a blend is one joint's.
            let length = if self.product[lane] > 0.0 { blend[lane].max(low * first[lane]) - slack } else { 1.0 };
            SetSizes {
                centre: Vector3::new(centre[0][lane], centre[1][lane], centre[2][lane]),
                off: off[lane],
                besides: besides[lane],
                whole: if besides[lane].is_finite() { whole[lane] } else { f64::INFINITY },
                extent: Extent { length, arm: far[lane], far: reach[lane] },
                is_by_pairs: true,
            }
        })
    }
}
