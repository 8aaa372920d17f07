//! Winding numbers and the inside of closed parts.
//!
//! **Inside** is decided exactly. A ray from the point along the third axis crosses triangles of
//! closed parts; the sum of the signs of the crossings is the winding number. The point counts as
//! moved by an infinitesimal amount along the first axis and a far smaller one along the second, so
//! that the ray meets no edge. Every sign is one of `robust`'s predicates, and both triangles of an
//! edge ask for the same sign, so no crossing is lost or counted twice. Source of the perturbation:
//! H. Edelsbrunner and E. P. Mücke, "Simulation of Simplicity" (1990).
//!
//! **Generalised winding number** (A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust Inside-Outside
//! Segmentation Using Generalized Winding Numbers", 2013): the sum of the solid angles of all
//! triangles, open parts included, divided by 4π. It is exact up to rounding, or within a tolerance
//! where far nodes of the tree count as dipoles (G. Barill et al., "Fast Winding Numbers for Soups
//! and Clouds", 2018; the bound of the error is ours and stated at `dipole`).

use std::f64::consts::PI;

use super::error::GeometryError;
use super::surface::{Surface, checked_point};
use super::vector::{Vector, cross, distance, dot, doubled_area, length, minus, plus, times};
use crate::narrow::{area_sign, volume_sign};

impl Surface {
    /// Whether a point (metres) lies inside a closed part: its winding number with respect to the
    /// closed parts is not zero. Exact for points that are not on the surface. For points on the
    /// surface either answer may come, always the same. O(log n) usually.
    ///
    /// # Errors
    /// [`GeometryError::Point`].
    pub fn is_inside(&self, point: [f64; 3]) -> Result<bool, GeometryError> {
        Ok(self.encloses(&checked_point(point)?))
    }

    /// Returns the generalised winding number of a point (metres) with respect to all triangles:
    /// near 1 inside of a closed surface with outward normals, near 0 outside, fractions around open
    /// surfaces. The error is at most `triangles · 2⁻⁴⁸` away from the surface. O(n).
    ///
    /// # Errors
    /// [`GeometryError::Point`].
    pub fn winding_number(&self, point: [f64; 3]) -> Result<f64, GeometryError> {
        let point = checked_point(point)?;
        let used = self.fixed.topology.order().iter();
        Ok(used.map(|&triangle| solid_angle(&point, &self.triangle(triangle))).sum::<f64>() / (4.0 * PI))
    }

    /// The winding number with respect to the closed parts.
    pub(super) fn turns(&self, point: &Vector) -> i32 {
        let topology = &self.fixed.topology;
        let mut sum = 0;
        let mut stack: Vec<u32> = Vec::with_capacity(64);
        stack.push(0);
        while let Some(node) = stack.pop() {
            let bounds = &self.boxes[node as usize];
            let is_passed = self.fixed.has_solid[node as usize]
                && (0..2).all(|axis| bounds.min[axis] <= point[axis] && point[axis] <= bounds.max[axis])
                && bounds.max[2] >= point[2];
            if !is_passed {
                continue;
            }
            stack.extend(topology.children(node));
            for &triangle in topology.primitives(node) {
                if self.is_solid(triangle) {
                    sum += crossing_above(point, &self.welded_triangle(triangle));
                }
            }
        }
        sum
    }

    /// Whether a point lies inside of the closed parts.
    pub(super) fn encloses(&self, point: &Vector) -> bool {
        self.turns(point) != 0
    }
}

/// 1 if the ray upward from a point leaves through the triangle along its normal, -1 if against it,
/// 0 if it misses.
fn crossing_above(point: &Vector, [p, q, r]: &[Vector; 3]) -> i32 {
    if p[2].max(q[2]).max(r[2]) < point[2] {
        return 0;
    }
    let turn = area_sign((0, 1), p, q, r);
    if turn == 0 || [(p, q), (q, r), (r, p)].iter().any(|&(from, to)| side(from, to, point) != turn) {
        return 0;
    }
    // The plane is above the point if the point is on the side opposite to the upward normal.
    let height = volume_sign(q, r, point, p) * turn;
    if height < 0 { turn } else { 0 }
}

/// The side of the projected line through p and q on which the moved point lies; 0 only if p and q
/// have the same projection.
#[inline]
fn side(p: &Vector, q: &Vector, point: &Vector) -> i32 {
    let sign = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
    match area_sign((0, 1), p, q, point) {
        0 => match sign(p[1] - q[1]) {
            0 => sign(q[0] - p[0]),
            tilt => tilt,
        },
        side => side,
    }
}

/// The signed solid angle of a triangle; 0 from a point in its plane (A. van Oosterom and J.
/// Strackee, "The Solid Angle of a Plane Triangle", 1983).
fn solid_angle(point: &Vector, triangle: &[Vector; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| minus(&corner, point));
    let (la, lb, lc) = (length(&a), length(&b), length(&c));
    let volume = dot(&a, &cross(&b, &c));
    let denominator = la * lb * lc + dot(&a, &b) * lc + dot(&b, &c) * la + dot(&c, &a) * lb;
    if volume == 0.0 { 0.0 } else { 2.0 * libm::atan2(volume, denominator) }
}
