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

    /// The shares of the corners in the point that is nearest to `point`: not negative, with sum 1
    /// up to rounding. They give that point, of slivers too.
    pub(super) fn shares(&self, point: &Vector3<f64>) -> [f64; 3] {
        let [a, b, c] = self.corners;
        let sides = [(a, b), (b, c), (c, a)];
        if self.normal != Vector3::zeros() {
            let areas = sides.map(|(p, q)| (q - p).cross(&(point - p)).dot(&self.normal));
            if areas.iter().all(|area| *area >= 0.0) {
                let whole: f64 = areas.iter().sum();
                // The area at a side belongs to the corner opposite of it.
                return [1, 2, 0].map(|side| areas[side] / whole);
            }
        }
        let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
        for (side, (p, q)) in sides.into_iter().enumerate() {
            let share = share_of_segment(point, &p, &q);
            let squared = (point - between(&p, &q, share)).norm_squared();
            if squared < best.0 {
                let mut shares = [0.0; 3];
                (shares[side], shares[(side + 1) % 3]) = (1.0 - share, share);
                best = (squared, shares);
            }
        }
        best.1
    }
}

/// The point of a segment nearest to `point`; the segment may be degenerate.
fn closest_on_segment(point: &Vector3<f64>, p: &Vector3<f64>, q: &Vector3<f64>) -> Vector3<f64> {
    between(p, q, share_of_segment(point, p, q))
}

/// How far along a segment that point is: 0 at its begin, 1 at its end.
fn share_of_segment(point: &Vector3<f64>, p: &Vector3<f64>, q: &Vector3<f64>) -> f64 {
    let along = q - p;
    let squared = along.norm_squared();
    if squared == 0.0 { 0.0 } else { ((point - p).dot(&along) / squared).clamp(0.0, 1.0) }
}

fn between(p: &Vector3<f64>, q: &Vector3<f64>, share: f64) -> Vector3<f64> {
    let along = q - p;
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

    #[test]
    fn shares_give_the_nearest_point() {
        // A cap of 2⁻¹⁹ is no sliver, one of 2⁻²⁴ is.
        for height in [1.0, 1e-3, 1.0 / f64::from(1 << 19), 1.0 / f64::from(1 << 24), 0.0] {
            for turn in 0..3 {
                let mut corners = [[0.0, 0.0, 0.0], [1.0, 0.3, 0.2], [0.7, 0.21, 0.14 + height]];
                corners.rotate_left(turn);
                let facet = facet(corners);
                for step in 0_u8..60 {
                    let along = f64::from(step) / 40.0 - 0.25;
                    let point = Vector3::new(along, 0.3 * along + 0.1, 0.2 * along + 0.1 * f64::from(step % 3) - 0.1);
                    let shares = facet.shares(&point);
                    let blend = (0..3).map(|k| facet.corners[k] * shares[k]).sum::<Vector3<f64>>();
                    let (squared, foot) = facet.closest(&point);
                    assert!(
                        shares.iter().all(|share| *share >= 0.0) && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-15
                    );
                    assert!((blend - foot).norm() < 1e-8 && ((point - blend).norm() - squared.sqrt()).abs() < 1e-8);
                }
            }
        }
    }
}
