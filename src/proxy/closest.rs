//! The point of a triangle nearest to a point, with a bound on the error of the distance.
//!
//! The foot of the perpendicular is the nearest point if it falls into the triangle; otherwise the
//! nearest point lies on a side. Distances to sides are robust for needles and caps. The error of
//! the normal is bounded once per triangle ([`Facet::uncertainty`]). Cost: O(1).

use nalgebra::Vector3;

use crate::limits;

/// A triangle prepared for distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub(super) corners: [Vector3<f64>; 3],
    /// Unit normal; zero for slivers, of which only the sides count.
    normal: Vector3<f64>,
    /// Computed distances exceed true ones by at most this, metres (without the rounding of the
    /// point's own coordinates).
    pub(super) uncertainty: f64,
}

impl Facet {
    /// Prepares a triangle. `reach` is the largest coordinate of the surface, metres.
    pub(super) fn new(corners: [Vector3<f64>; 3], reach: f64) -> Self {
        let sides = [0, 1, 2].map(|i| corners[(i + 1) % 3] - corners[i]);
        let lengths = sides.map(|side| side.norm());
        // The corner opposite the longest side has the largest angle: the cross product there is
        // best conditioned.
        let longest = (1..3).fold(0, |best, i| if lengths[i] > lengths[best] { i } else { best });
        let apex = (longest + 2) % 3;
        let (after, before) = (sides[apex], -sides[(apex + 2) % 3]);
        let cross = after.cross(&before);
        let area = cross.norm();
        let product = lengths[apex] * lengths[(apex + 2) % 3];
        let rounding = limits::ROUNDING * reach + limits::FLUSH;
        if area > limits::SLIVER_SINE * product {
            let uncertainty = limits::SURFACE_ROUNDING * lengths[longest] * (product / area) + rounding;
            Self { corners, normal: cross / area, uncertainty }
        } else {
            // Every point of the triangle is at most as far from the longest side as the apex, and
            // the apex at most the sliver's height.
            let height = if lengths[longest] > 0.0 { limits::SLIVER_SINE * product / lengths[longest] } else { 0.0 };
            Self { corners, normal: Vector3::zeros(), uncertainty: 2.0 * height + rounding }
        }
    }

    /// Squared distance from `point`, and the nearest point.
    pub(super) fn closest(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let [a, b, c] = self.corners;
        if self.normal != Vector3::zeros() {
            let is_inside =
                [(a, b), (b, c), (c, a)].iter().all(|(p, q)| (q - p).cross(&(point - p)).dot(&self.normal) >= 0.0);
            if is_inside {
                let height = (point - a).dot(&self.normal);
                return (height * height, point - self.normal * height);
            }
        }
        let mut best = (f64::INFINITY, a);
        for (p, q) in [(a, b), (b, c), (c, a)] {
            let foot = closest_on_segment(point, &p, &q);
            let squared = (point - foot).norm_squared();
            if squared < best.0 {
                best = (squared, foot);
            }
        }
        best
    }
}

/// The point of a segment nearest to `point`; the segment may be degenerate.
fn closest_on_segment(point: &Vector3<f64>, p: &Vector3<f64>, q: &Vector3<f64>) -> Vector3<f64> {
    let along = q - p;
    let squared = along.norm_squared();
    if squared == 0.0 {
        return *p;
    }
    let share = ((point - p).dot(&along) / squared).clamp(0.0, 1.0);
    // From the nearer end, so that the ends themselves are exact.
    if share <= 0.5 { p + along * share } else { q - along * (1.0 - share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facet(corners: [[f64; 3]; 3]) -> Facet {
        Facet::new(corners.map(Vector3::from), 1.0)
    }

    #[test]
    fn face_side_and_corner() {
        let facet = facet([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(facet.closest(&Vector3::new(0.25, 0.25, 2.0)), (4.0, Vector3::new(0.25, 0.25, 0.0)));
        assert_eq!(facet.closest(&Vector3::new(0.5, -1.0, 0.0)), (1.0, Vector3::new(0.5, 0.0, 0.0)));
        assert_eq!(facet.closest(&Vector3::new(-3.0, -4.0, 0.0)), (25.0, Vector3::zeros()));
    }

    #[test]
    fn shrunk_triangles_are_sides_and_points() {
        let segment = facet([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!(segment.closest(&Vector3::new(1.5, 3.0, 0.0)).0, 9.0);
        let point = facet([[1.0, 1.0, 1.0]; 3]);
        assert_eq!(point.closest(&Vector3::new(1.0, 1.0, 0.0)).0, 1.0);
    }

    #[test]
    fn a_cap_knows_that_it_is_uncertain() {
        let cap = facet([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1e-8, 0.0]]);
        assert!(cap.uncertainty >= 1e-8);
        assert!(facet([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).uncertainty < 1e-12);
    }
}
