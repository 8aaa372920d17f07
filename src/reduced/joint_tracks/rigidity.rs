//! Distance of the maps of joints from rotations.

use nalgebra::Matrix3;

use super::JointTracks;
use crate::limits;
use crate::reduced::Affine;
use crate::reduced::rig::{NodeTransform, Property};
use crate::reduced::track::{Curve, Stretch};

impl JointTracks {
    /// Bounds the distance of all maps from rotations, by those of matrix nodes and inverse bind
    /// matrices. Infinite if a needed node is scaled, or if several clips are played.
    pub(super) fn distance_from_turns(&self) -> f64 {
        let [clip] = match self.played.layers.as_slice() {
            [] => [None],
            [layer] => [self.rig.clip(layer.clip)],
            _ => return f64::INFINITY,
        };
        let mut factor = 1.0;
        for &(node, _) in &self.needed {
            factor *= 1.0
                + match self.rig.nodes()[node as usize].transform {
                    NodeTransform::Matrix(map) => off_turn(&map),
                    NodeTransform::Parts { scale, .. } => {
                        let curve = clip.and_then(|clip| clip.curve(node, Property::Scale));
                        let first = curve.map_or(scale.to_vec(), |curve| {
                            let (mut value, at) = (Vec::new(), curve.first());
                            curve.evaluate(at, Stretch { begin: at, end: at }, &mut value);
                            value
                        });
                        let is_self = first == [1.0; 3] && curve.is_none_or(Curve::is_constant);
                        if is_self { limits::EVALUATION_ROUNDING } else { f64::INFINITY }
                    }
                };
        }
        let bind = self.bindings.iter().map(|binding| off_turn(&binding.inverse_bind)).fold(0.0, f64::max);
        factor * (1.0 + bind + limits::EVALUATION_ROUNDING) - 1.0
    }
}

/// The largest distance of a map's linear part from a rotation, by operator norm:
/// `|σ − 1| ≤ |σ² − 1|` for its singular values.
fn off_turn(map: &Affine) -> f64 {
    let off = (map.linear.transpose() * map.linear - Matrix3::identity()).norm();
    if map.linear.determinant() > 0.0 { off + limits::EVALUATION_ROUNDING } else { f64::INFINITY }
}
