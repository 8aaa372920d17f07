//! Bounds of joints as rotations times scales between two streamed poses, for spherical blending.
//!
//! Entries of two rotations that are interpolated are no rotation, so that spherical blending has
//! no motion of interpolated maps. Two motions take its place.
//!
//! **Steady.** Without a promise a joint turns from one pose to the next at a constant rate, the
//! shorter way; its scale and the image of its centre move linearly. With the angle `θ` over `h`
//! seconds, `ω = θ/h` and `s' = Δs/h`:
//!
//! ```text
//! |A'| ≤ |s'| + s ω        |A''| ≤ 2 |s'| ω + s ω²
//! ```
//!
//! **Promised.** Of any motion `A = s R` with bounds `|A'| ≤ r` and `|A''| ≤ b`,
//! `Rᵀ A' = s' + s Ω` with a skew `Ω`, so `|s'| ≤ r` (along the axis) and `s ω ≤ r` (across). The
//! third of the trace of `Rᵀ A''` is `s'' − ⅔ s ω²`:
//!
//! ```text
//! |s''| ≤ b + ⅔ r²/s        s ≥ ½ (s₀ + s₁ − r h)
//! ```

use crate::limits;
use crate::reduced::set_pose::PosedJoint;
use crate::reduced::{DerivativeBounds, Pose, PoseDerivativeBounds, SimilarityBounds};

/// The joints of a piece at its ends; `None` if a map has no rotation.
fn ends([from, to]: [&Pose; 2]) -> impl Iterator<Item = Option<[PosedJoint; 2]>> {
    from.maps.iter().zip(&to.maps).map(|(a, b)| Some([PosedJoint::of(a)?, PosedJoint::of(b)?]))
}

/// Gives the linear parts in `bends`, which are those of interpolated maps, the bounds of the
/// steady motion over `length` seconds. Returns its scales. O(maps).
pub(super) fn steady(poses: [&Pose; 2], length: f64, bends: &mut PoseDerivativeBounds) -> SimilarityBounds {
    let joints = ends(poses).zip(&mut bends.maps).map(|(joint, bend)| {
        let Some(ends) = joint else { return SimilarityBounds::UNKNOWN };
        let [begin, end] = ends.map(|end| end.turn.scale);
        let largest = begin.max(end) * (1.0 + limits::EVALUATION_ROUNDING);
        let mut scale = DerivativeBounds::constant(largest);
        // Where the matrices are equal nothing moves.
        if bend.linear.rate > 0.0 {
            scale.rate = ((end - begin).abs() + limits::EVALUATION_ROUNDING * largest) / length;
            let omega = angle(&ends) / length;
            // What is no rotation times a scale changes linearly.
            let besides = (ends[0].off + ends[1].off) / length;
            let rate = scale.rate + largest * omega + besides;
            let size = bend.linear.size.max(largest);
            bend.linear = DerivativeBounds { size, rate, bend: 2.0 * scale.rate * omega + largest * omega * omega };
        }
        SimilarityBounds { off: off(&ends), least: begin.min(end) * (1.0 - limits::EVALUATION_ROUNDING), scale }
    });
    SimilarityBounds::of_all(joints)
}

/// The scales of a motion with these bounds over `length` seconds. O(maps).
pub(super) fn promised(poses: [&Pose; 2], length: f64, bends: &PoseDerivativeBounds) -> SimilarityBounds {
    let joints = ends(poses).zip(&bends.maps).map(|(joint, bend)| {
        let Some(ends) = joint else { return SimilarityBounds::UNKNOWN };
        let [begin, end] = ends.map(|end| end.turn.scale);
        let (more, less) = (1.0 + limits::EVALUATION_ROUNDING, 1.0 - limits::EVALUATION_ROUNDING);
        let DerivativeBounds { rate, bend, .. } = bend.linear;
        let least = (0.5 * (begin + end - rate * length)).min(begin.min(end)) * less;
        let size = (0.5 * (begin + end + rate * length)).max(begin.max(end)) * more;
        let scale = DerivativeBounds { size, rate, bend: (bend + rate * rate / least) * more };
        SimilarityBounds { off: off(&ends), least, scale }
    });
    SimilarityBounds::of_all(joints)
}

/// The angle of the turn from one end to the other, radians, at most half a turn; rounded up.
fn angle([a, b]: &[PosedJoint; 2]) -> f64 {
    let (p, q) = (&a.turn.quaternion, &b.turn.quaternion);
    let chord = |sign: f64| (0..4).map(|part| (q[part] - sign * p[part]) * (q[part] - sign * p[part])).sum::<f64>();
    let chord = chord(1.0).min(chord(-1.0)).sqrt() + 4.0 * limits::EVALUATION_ROUNDING;
    4.0 * libm::asin((0.5 * chord).min(1.0)) * (1.0 + limits::EVALUATION_ROUNDING)
}

/// The distance from rotations times scales in between, relative to the scales.
fn off(ends: &[PosedJoint; 2]) -> f64 {
    let least = ends[0].turn.scale.min(ends[1].turn.scale);
    ends[0].off.max(ends[1].off) / least * (1.0 + limits::EVALUATION_ROUNDING)
}
