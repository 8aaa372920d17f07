//! Deviation of a node's vertices from linear motion during a piece.
//!
//! A vertex is `Σ w_j p_j(t)` with `p_j = A_j (v − c_j) + (A_j c_j + t_j)`, `c_j` the influence's
//! reference point and `v` the displaced rest position. A point deviates from its chord over a
//! piece of length `h` by at most `h²/8 |p''|`, and by the product rule
//!
//! ```text
//! |p_j''| ≤ |A_j''| |v − c_j| + 2 |A_j'| |v'| + |A_j| |v''| + |(A_j c_j + t_j)''|
//! ```
//!
//! So `p_j` deviates by some `o_j`, the vertex by `Σ |w_j| o_j`, and all vertices of a node by the
//! limited convex combination of the `o_j` ([`super::combination`]), with the second largest as
//! level. A box that contains the vertices at both ends, interpolated and moved outward by that,
//! contains them at all times in between. Bounds at the ends do not depend on the adjacent pieces,
//! so neighbouring pieces share them.

use super::BoundTree;
use super::combination::rest_at;
use super::tree::{NodeInfluence, round_up};
use crate::limits;
use crate::math::vector::{length, plus};
use crate::reduced::driver::zero_wins;
use crate::reduced::{DerivativeBounds, PoseDerivativeBounds};

/// Input of the deviations of all nodes during one piece.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceBend {
    influences: Vec<InfluenceBend>,
    morphs: Vec<DerivativeBounds>,
    /// An eighth of the square of the piece's length, rounded up.
    sagitta: f64,
    /// Whether the deviation is zero, rounding included.
    is_still: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct InfluenceBend {
    /// Deviation of the image of the reference point, metres.
    at_centre: f64,
    /// Further deviation per metre between a rest position and the reference point (unitless).
    per_metre: f64,
    linear: DerivativeBounds,
}

impl PieceBend {
    /// Sets the data of a piece of the given length, seconds. O(influences + morphs).
    pub(super) fn set(&mut self, length: f64, bends: &PoseDerivativeBounds) {
        self.is_still = !(length > 0.0);
        self.sagitta = length * length * 0.125 * (1.0 + limits::EVALUATION_ROUNDING);
        // Poses are evaluated at both ends, on either side of them, and in between; each evaluation
        // rounds.
        let off = |growth: &DerivativeBounds| {
            zero_wins(self.sagitta, growth.bend) + 3.0 * limits::EVALUATION_ROUNDING * growth.size
        };
        // What is not a number becomes infinite: comparisons would pass over it.
        let known = |growth: &DerivativeBounds| growth.max(*growth);
        self.influences.clear();
        self.influences.extend(bends.maps.iter().map(|bend| {
            let (centre, linear) = (known(&bend.centre), known(&bend.linear));
            InfluenceBend { at_centre: off(&centre), per_metre: off(&linear), linear }
        }));
        self.morphs.clear();
        self.morphs.extend(bends.morphs.iter().map(known));
    }

    /// The part of an influence's deviation that comes from changing displacements.
    fn crossed(&self, bend: &InfluenceBend, displaced: &DerivativeBounds) -> f64 {
        let cross = 2.0 * zero_wins(bend.linear.rate, displaced.rate) + zero_wins(bend.linear.size, displaced.bend);
        self.sagitta * cross
    }
}

impl BoundTree {
    /// The largest distance of any vertex of a node from its chord during a piece, metres.
    /// O(influences + morphs of the node).
    pub(super) fn deviation(&self, node: u32, piece: &PieceBend, reaches: &[f32]) -> f64 {
        if piece.is_still {
            return 0.0;
        }
        let displaced = self.displacement(node, piece);
        let (mut base, mut first, mut second, mut spread) = (0.0, 0.0f64, 0.0f64, 0.0);
        let is_signed = self.signed[node as usize];
        let is_straight = displaced.rate == 0.0 && displaced.bend == 0.0;
        let start = self.starts[node as usize] as usize;
        for (influence, &reach) in self.influences_of(node).iter().zip(&reaches[start..]) {
            let (low, range) = (f64::from(influence.low), f64::from(influence.spread));
            let bend = &piece.influences[influence.influence as usize];
            let mut own = bend.at_centre + zero_wins(bend.per_metre, f64::from(reach) + displaced.size);
            if !is_straight {
                own += piece.crossed(bend, &displaced);
            }
            if is_signed {
                base += zero_wins(low.abs().max((low + range).abs()), own);
                continue;
            }
            base += zero_wins(low, own);
            // Without branches: they are unpredictable.
            let (is_first, less) = (own > first, if own < first { own } else { first });
            second = if less > second { less } else { second };
            spread = if is_first { range } else { spread };
            first = if is_first { own } else { first };
        }
        let deviation = base + rest_at(self.rests[node as usize], second) + spread * (first - second);
        let deviation = if is_signed { base } else { deviation } * (1.0 + limits::EVALUATION_ROUNDING);
        // Infinite numbers of an unknown deviation give NaN.
        if deviation.is_nan() { f64::INFINITY } else { deviation }
    }

    /// Per influence of every node, the largest distance of its rest box from the influence's
    /// reference point, metres.
    pub(super) fn reaches(&self, centres: &[[f64; 3]]) -> Vec<f32> {
        let reach = |influence: &NodeInfluence| {
            let centre = &centres[influence.influence as usize];
            let to_centre: [f64; 3] = std::array::from_fn(|axis| {
                (self.middle[axis] + f64::from(influence.rest.centre[axis]) - centre[axis]).abs()
            });
            let half = influence.rest.half.map(f64::from);
            let far = if self.turns.is_empty() {
                length(&plus(&to_centre, &half))
            } else {
                length(&to_centre) + length(&half)
            };
            round_up(far)
        };
        self.influences.iter().map(reach).collect()
    }

    /// Derivative bounds of the displacements of a node's vertices.
    #[inline]
    fn displacement(&self, node: u32, piece: &PieceBend) -> DerivativeBounds {
        let each = self.morphs_of(node).iter().map(|morph| {
            let far: [f64; 3] =
                std::array::from_fn(|axis| morph.deltas.min[axis].abs().max(morph.deltas.max[axis].abs()));
            piece.morphs[morph.target as usize].scaled(length(&far))
        });
        each.fold(DerivativeBounds::default(), DerivativeBounds::plus)
    }
}
