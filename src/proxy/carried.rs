//! Points beside a surface that follow its triangles, for the vertices of a wrap.
//!
//! A point is held by its foot, the nearest place of the surface, in shares of the triangle's
//! corners, and by its offset from there in a frame of the triangle. In a pose the foot moves with
//! the corners, and the offset turns with the frame. Its length stays, so a point is never farther
//! from the posed surface than it was at rest. A triangle without area has no frame: the offset
//! keeps its direction.

use nalgebra::{Matrix3, Vector3};

/// A point that follows a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Follower {
    corners: [u32; 3],
    /// Not negative; their sum is 1 up to rounding.
    shares: [f64; 3],
    /// In the triangle's frame, metres.
    offset: Vector3<f64>,
}

impl Follower {
    /// Binds a point to a triangle, by the shares of its corners in the point of it that is
    /// nearest.
    pub(super) fn new(point: Vector3<f64>, shares: [f64; 3], corners: [u32; 3], positions: &[Vector3<f64>]) -> Self {
        let places = corners.map(|corner| positions[corner as usize]);
        let offset = point - mean(&shares, &places);
        Self { corners, shares, offset: frame(&places).transpose() * offset }
    }

    /// The point in a pose.
    pub(super) fn at(&self, positions: &[Vector3<f64>]) -> Vector3<f64> {
        let places = self.corners.map(|corner| positions[corner as usize]);
        mean(&self.shares, &places) + frame(&places) * self.offset
    }

    /// Vertices and their shares in the foot.
    pub(super) fn influences(&self) -> [(u32, f64); 3] {
        [0, 1, 2].map(|corner| (self.corners[corner], self.shares[corner]))
    }
}

fn mean(shares: &[f64; 3], places: &[Vector3<f64>; 3]) -> Vector3<f64> {
    places[0] * shares[0] + places[1] * shares[1] + places[2] * shares[2]
}

/// A rotation that turns with a triangle: along its first side, across it, along its normal.
fn frame([a, b, c]: &[Vector3<f64>; 3]) -> Matrix3<f64> {
    let (along, normal) = (b - a, (b - a).cross(&(c - a)));
    let lengths = [along.norm(), normal.norm()];
    if lengths.contains(&0.0) {
        return Matrix3::identity();
    }
    let (along, normal) = (along / lengths[0], normal / lengths[1]);
    Matrix3::from_columns(&[along, normal.cross(&along), normal])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_turn_with_their_triangle_and_keep_their_distance() {
        let rest = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector3::from);
        let point = Vector3::new(0.5, 0.25, 0.1);
        let follower = Follower::new(point, [0.5, 0.25, 0.25], [0, 1, 2], &rest);
        assert!((follower.at(&rest) - point).norm() < 1e-15);
        assert_eq!(follower.influences(), [(0, 0.5), (1, 0.25), (2, 0.25)]);
        // A quarter turn about x, half as long along x, and 3 m up.
        let posed = rest.map(|place| Vector3::new(0.5 * place.x, -place.z, place.y + 3.0));
        assert!((follower.at(&posed) - Vector3::new(0.25, -0.1, 3.25)).norm() < 1e-15);
        // Without area the offset has no direction, but its length.
        let flat = [Vector3::new(1.0, 1.0, 1.0); 3];
        assert!(((follower.at(&flat) - flat[0]).norm() - 0.1).abs() < 1e-15);
        let beside = Follower::new(Vector3::new(1.0, 1.0, 4.0), [1.0, 0.0, 0.0], [0, 1, 2], &flat);
        assert_eq!(beside.at(&rest), Vector3::new(0.0, 0.0, 3.0));
    }
}
