//! The distances of joint sets from linear blending in a pose.

use super::pairs::{PosedPair, turned};
use super::{Arm, BySum, Extent, PosedJoint, SetSizes};
use crate::limits::{self, EVALUATION_ROUNDING as ROUNDING};
use crate::reduced::JointSets;
use crate::reduced::pair_lanes::{chord, mixed, turn_square};
use crate::reduced::shortest::{MOST_JOINTS, Weights, shortest};
use crate::tuning;

/// Input of the distances of all sets.
pub(super) struct Measure<'a> {
    pub(super) sets: &'a JointSets,
    pub(super) turns: &'a [Option<PosedJoint>],
    /// The largest distance of a sum of weights from one.
    pub(super) unsure: f64,
    pub(super) displaced: f64,
}

impl Measure<'_> {
    /// The sizes of a set with these pairs of joints; `None` if it has no bound, and then no centre
    /// that is needed. Also computes its sum, if that is needed or products per pair do not serve.
    #[inline]
    pub(super) fn sizes<'p>(
        &self,
        set: u32,
        pairs: impl ExactSizeIterator<Item = &'p PosedPair> + Clone,
        needs_sum: bool,
        (signs, by_sum): (&mut Vec<f64>, &mut BySum),
    ) -> Option<SetSizes> {
        let (mut scale, mut off, mut shift, mut square) = (0.0f64, 0.0f64, 0.0f64, 0.0);
        for &joint in self.sets.joints_of(set) {
            let joint = self.turns[joint as usize].as_ref()?;
            scale = scale.max(joint.turn.scale);
            off = off.max(joint.off);
            shift = shift.max(joint.shift);
            square += joint.turn.scale * joint.turn.scale;
        }
        let own = self.sets.centre(set, square, pairs.clone().map(|pair| &pair.terms));
        let (middle, radius) = self.sets.balls[set as usize];
        let arm = Arm::new(&own, &middle, radius + self.displaced);
        let centre = own.iter().fold(0.0f64, |far, x| far + x.abs());
        let far = arm.length + arm.radius;
        let rounding = limits::EVALUATION_ROUNDING * (shift + (scale + off) * 2.0 * (centre + far));
        let sum = 1.0 + self.unsure + limits::EVALUATION_ROUNDING;
        let product = self.sets.products[set as usize];
        let (mut is_by_pairs, mut length, mut known) = (true, 1.0, rounding.is_finite());
        if pairs.len() > 0 && product > 0.0 {
            let near = if needs_sum { None } else { self.near(set, pairs.clone()) };
            is_by_pairs = near.is_some();
            length = near.map_or(0.0, |near| self.length(set, &near));
            if near.is_none() || length < tuning::SHORT_BLEND {
                let all = self.all(pairs.clone(), set, signs);
                length = self.length(set, &all.near);
                if length < tuning::SHORT_BLEND && signs.len() <= MOST_JOINTS {
                    length = length.max(self.shortest(pairs, signs));
                }
                *by_sum = all.by_sum(product, sum / length, rounding);
                known &= !by_sum.steep.is_nan();
            }
        } else if needs_sum {
            *by_sum = BySum::default();
        }
        let whole = sum * (2.0 * scale + off);
        let whole = if known { whole } else { f64::INFINITY };
        let extent = Extent { length, arm: far, far: sum * scale * far * (1.0 + limits::EVALUATION_ROUNDING) };
        Some(SetSizes { centre: own, is_by_pairs, off: sum * off, besides: rounding, whole, extent })
    }
}

/// The dot products of quaternions of a set, of one hemisphere: the least one, and the least one
/// with the first joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) all: f64,
    pub(super) first: f64,
}

/// Sizes of a set's pairs of joints.
struct Sizes {
    near: Near,
    /// The largest `|R_b − R_a| |s_a q_b − s_b q_a|`, by operator norm, and the sum `H`.
    largest: f64,
    form: [f64; 6],
}

impl Sizes {
    /// For products of weights up to `product`; `per` is the largest sum of weights over the least
    /// length of a blended quaternion.
    fn by_sum(&self, product: f64, per: f64, rounding: f64) -> BySum {
        let steep = product * self.largest * per;
        if !per.is_finite() || steep.is_nan() {
            return BySum { blended: f64::INFINITY, ..BySum::default() };
        }
        BySum { blended: rounding * per, steep, form: self.form.map(|x| x * (product * per) * (product * per)) }
    }
}

impl Measure<'_> {
    /// The dot products of a set; `None` if products of its pairs are not kept, or if no signs make
    /// all of them positive.
    #[inline]
    pub(super) fn near<'p>(&self, set: u32, mut pairs: impl Iterator<Item = &'p PosedPair>) -> Option<Near> {
        let (mut near, mut flipped) = (Near { all: 1.0, first: 1.0 }, 0u32);
        let count = self.sets.joints_of(set).len();
        if count > MOST_JOINTS {
            return None;
        }
        for b in 1..count {
            for a in 0..b {
                let dot = pairs.next()?.dot;
                let is_apart = u32::from(dot < 0.0);
                near.all = near.all.min(dot.abs());
                if a == 0 {
                    near.first = near.first.min(dot.abs());
                    flipped |= is_apart << b;
                } else if (flipped >> a ^ flipped >> b) & 1 != is_apart && dot != 0.0 {
                    return None;
                }
            }
        }
        Some(near)
    }

    /// Also computes the signs of the set's quaternions.
    fn all<'p>(&self, mut pairs: impl Iterator<Item = &'p PosedPair>, set: u32, signs: &mut Vec<f64>) -> Sizes {
        let (mut near, mut largest, mut form) = (Near { all: 1.0, first: 1.0 }, 0.0f64, [0.0; 6]);
        let joints = self.sets.joints_of(set);
        let scale = |place: usize| self.turns[joints[place] as usize].as_ref().map_or(0.0, |own| own.turn.scale);
        signs.clear();
        signs.push(1.0);
        for b in 1..joints.len() {
            let s = scale(b);
            for a in 0..b {
                let Some(pair) = pairs.next() else { break };
                if a == 0 {
                    // The hemisphere of the first.
                    signs.push(if pair.dot >= 0.0 { 1.0 } else { -1.0 });
                    near.first = near.first.min(pair.dot.abs());
                }
                let own = signs[a] * signs[b] * pair.dot;
                let mixed = mixed(scale(a), s, own, [2.0, ROUNDING]);
                let turned = self.turned(joints[a], joints[b]);
                form.iter_mut().zip(turned).for_each(|(sum, own)| *sum += mixed * own);
                largest = largest.max(turn_square(own, [1.0, 4.0, ROUNDING]) * mixed);
                near.all = near.all.min(own);
            }
        }
        // Rounding of the form and of its values: relative to the trace.
        let lost = (form[0] + form[1] + form[2]) * limits::EVALUATION_ROUNDING;
        (0..3).for_each(|axis| form[axis] += lost);
        Sizes { near, largest: largest.max(0.0).sqrt() * (1.0 + limits::EVALUATION_ROUNDING), form }
    }

    /// `(R_b − R_a)ᵀ (R_b − R_a)` of two joints.
    fn turned(&self, a: u32, b: u32) -> [f64; 6] {
        match [a, b].map(|joint| self.turns[joint as usize].as_ref()) {
            [Some(a), Some(b)] => turned(&a.turn.quaternion, &b.turn.quaternion),
            // Sets with a joint without a turn have no bound.
            _ => [0.0; 6],
        }
    }

    /// A lower bound of the length of a set's blended quaternions; 0 if none is known.
    #[inline]
    fn length(&self, set: u32, near: &Near) -> f64 {
        let low = 1.0 - self.unsure;
        let square = low * low - self.sets.products[set as usize] * chord(near.all, [2.0, ROUNDING]);
        (square.max(0.0).sqrt().max(low * near.first) - 4.0 * limits::EVALUATION_ROUNDING).max(0.0)
    }

    /// As [`Measure::length`], for any weights; needs at most [`MOST_JOINTS`] joints.
    fn shortest<'p>(&self, mut pairs: impl Iterator<Item = &'p PosedPair>, signs: &[f64]) -> f64 {
        let mut products: Weights = [[1.0; MOST_JOINTS]; MOST_JOINTS];
        for b in 1..signs.len() {
            for (a, pair) in (0..b).zip(&mut pairs) {
                let near = signs[a] * signs[b] * pair.dot;
                (products[a][b], products[b][a]) = (near, near);
            }
        }
        ((1.0 - self.unsure) * shortest(&products, signs.len()) - 4.0 * limits::EVALUATION_ROUNDING).max(0.0)
    }
}
