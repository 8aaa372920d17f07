//! Winding numbers and the inside of closed parts.
//!
//! **Inside** is decided exactly. A ray from the point along the third axis crosses triangles of
//! closed parts; the sum of the signs of the crossings is the winding number. The point counts as
//! moved by an infinitesimal amount along the first axis and a far smaller one along the second, so
//! that the ray meets no edge. Every sign is one of `robust`'s predicates, and both triangles of an
//! edge ask for the same sign, so no crossing is lost or counted twice. Source of the perturbation:
//! H. Edelsbrunner and E. P. Mücke, "Simulation of Simplicity" (1990).
//!
//! **Generalised winding number** (A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust
//! Inside-Outside Segmentation Using Generalized Winding Numbers", 2013): the sum of the solid
//! angles of all triangles, open parts included, divided by 4π. It is exact up to rounding, or
//! within a tolerance where far nodes of the tree count as dipoles (G. Barill et al., "Fast Winding
//! Numbers for Soups and Clouds", 2018; the bound of the error is ours and stated at
//! `Dipole::angle`).

use std::f64::consts::PI;

use super::error::GeometryError;
use super::surface::{Surface, checked_point};
use crate::math::vector::{Vector, cross, distance, dot, doubled_area, length, minus, plus, times};
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
    /// near 1 inside of a closed surface with outward normals, near 0 outside, fractions around
    /// open surfaces. The error is at most `triangles · 2⁻⁴⁸` away from the surface. O(n).
    ///
    /// # Errors
    /// [`GeometryError::Point`].
    pub fn winding_number(&self, point: [f64; 3]) -> Result<f64, GeometryError> {
        let point = checked_point(point)?;
        let used = self.fixed.topology().order().iter();
        Ok(used.map(|&triangle| solid_angle(&point, &self.triangle(triangle))).sum::<f64>() / (4.0 * PI))
    }

    /// Returns the winding number of a point (metres) as [`Surface::winding_number`] does, with an
    /// error of at most `tolerance` more. Far nodes of the tree count as dipoles. O(log n) for
    /// tolerances that are not small, after O(n) at the first query since the last change of
    /// positions.
    ///
    /// # Errors
    /// [`GeometryError::Point`], [`GeometryError::Tolerance`].
    pub fn winding_number_within(&self, point: [f64; 3], tolerance: f64) -> Result<f64, GeometryError> {
        let point = checked_point(point)?;
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(GeometryError::Tolerance { value: tolerance });
        }
        let dipoles = self.dipoles.get_or_init(|| dipoles(self));
        let allowed = 4.0 * PI * tolerance / dipoles[0].area.max(f64::MIN_POSITIVE);
        let mut sum = 0.0;
        let mut stack: Vec<u32> = vec![0];
        while let Some(node) = stack.pop() {
            if let Some(angle) = dipoles[node as usize].angle(&point, allowed) {
                sum += angle;
                continue;
            }
            stack.extend(self.fixed.topology().children(node).rev());
            let own = self.fixed.topology().primitives(node).iter();
            sum += own.map(|&triangle| solid_angle(&point, &self.triangle(triangle))).sum::<f64>();
        }
        Ok(sum / (4.0 * PI))
    }

    /// The winding number with respect to the closed parts.
    pub(super) fn turns(&self, point: &Vector) -> i32 {
        let (topology, boxes, has_solid) = (self.fixed.topology(), self.boxes(), self.fixed.has_solid());
        let mut sum = 0;
        let mut stack: Vec<u32> = Vec::with_capacity(64);
        stack.push(0);
        while let Some(node) = stack.pop() {
            let bounds = &boxes[node as usize];
            let is_passed = has_solid[node as usize]
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

/// The triangles below a node, as seen from afar.
#[derive(Clone, Debug)]
pub(super) struct Dipole {
    centre: Vector,
    /// Of all points from the centre.
    radius: f64,
    /// The sum of the areas.
    area: f64,
    /// The sum of the area vectors.
    moment: Vector,
}

impl Dipole {
    /// The solid angle, if its error is at most `allowed` times the area.
    ///
    /// The solid angle is the integral of K(x) · n over the area, with K(x) = (x − p) / |x − p|³.
    /// By how much K changes is at most 2 / |x − p|³ times the distance moved. All points are
    /// within the radius of the centre, so with d its distance from p, the error of K(centre) ·
    /// moment is at most 2 · area · radius / (d − radius)³.
    fn angle(&self, point: &Vector, allowed: f64) -> Option<f64> {
        let to = minus(&self.centre, point);
        let far = length(&to);
        let free = far - self.radius;
        let is_far = free > 0.0 && 2.0 * self.radius <= allowed * free * free * free;
        is_far.then(|| dot(&to, &self.moment) / (far * far * far))
    }
}

/// The dipoles of all nodes.
fn dipoles(surface: &Surface) -> Vec<Dipole> {
    let (topology, boxes) = (surface.fixed.topology(), surface.boxes());
    let nothing = Dipole { centre: [0.0; 3], radius: 0.0, area: 0.0, moment: [0.0; 3] };
    let mut all = vec![nothing; topology.nodes().len()];
    for node in topology.upward() {
        let bounds = &boxes[node as usize];
        let centre = bounds.centre();
        let mut sum = Dipole { centre, radius: distance(&centre, &bounds.max), area: 0.0, moment: [0.0; 3] };
        for child in topology.children(node) {
            sum.area += all[child as usize].area;
            sum.moment = plus(&sum.moment, &all[child as usize].moment);
        }
        for &triangle in topology.primitives(node) {
            let doubled = doubled_area(&surface.triangle(triangle));
            sum.area += 0.5 * length(&doubled);
            sum.moment = plus(&sum.moment, &times(&doubled, 0.5));
        }
        all[node as usize] = sum;
    }
    all
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
