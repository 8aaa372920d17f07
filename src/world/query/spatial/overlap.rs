//! What overlaps a ball, a box or a triangle.

use crate::id::BodyId;
use crate::math::Aabb;
use crate::math::vector::distance;
use crate::motion::Sphere;
use crate::narrow::{triangles_touch, triangles_within};
use crate::world::query::spatial::shapes::foot_weights;
use crate::world::query::spatial::{Query, usable};

/// The faces of a box by its corners, of which bit `k` says whether coordinate `k` is the upper
/// one.
const FACES: [[usize; 4]; 6] = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];

impl Query<'_> {
    /// Returns all triangles and balls at most `radius` away from a point, metres; sorted by body
    /// and number. Exact for triangles; rounded for balls.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// assert_eq!(world.query().overlap_sphere([0.25, 0.25, 0.5], 0.5), [(floor, 0), (ball, 0)]);
    /// assert_eq!(world.query().overlap_sphere([0.25, 0.25, 0.5], 0.49), []);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn overlap_sphere(&self, centre: impl Into<[f64; 3]>, radius: f64) -> Vec<(BodyId, u32)> {
        let Some(centre) = usable(centre.into()).filter(|_| radius >= 0.0 && radius.is_finite()) else {
            return Vec::new();
        };
        let bounds = Aabb { min: centre, max: centre }.grown(radius);
        let meets_ball = |ball: &Sphere| distance(&centre, &ball.centre) <= radius + ball.radius;
        self.overlap(&bounds, |corners| triangles_within(&[centre; 3], corners, radius), meets_ball)
    }

    /// Returns all triangles and balls that have a point in common with a box, metres; sorted by
    /// body and number. Exact for triangles; rounded for balls. A box without points, with a `min`
    /// above its `max`, overlaps nothing.
    ///
    /// [`World::query_box`](crate::World::query_box) returns primitives whose own boxes meet it.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Aabb;
    ///
    /// // The box meets the floor's box, not its triangle.
    /// let corner = Aabb { min: [0.75, 0.75, -0.1], max: [1.0, 1.0, 0.1] }; // Metres.
    /// assert_eq!(world.query().overlap_box(&corner), []);
    /// assert_eq!(world.query_box(&corner).0, [(floor, 0)]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn overlap_box(&self, bounds: &Aabb) -> Vec<(BodyId, u32)> {
        let (Some(min), Some(max)) = (usable(bounds.min), usable(bounds.max)) else { return Vec::new() };
        let bounds = Aabb { min, max };
        if (0..3).any(|axis| min[axis] > max[axis]) {
            return Vec::new();
        }
        let corner = |bits: usize| -> [f64; 3] {
            std::array::from_fn(|axis| if bits >> axis & 1 == 1 { max[axis] } else { min[axis] })
        };
        let faces = FACES.map(|face| face.map(corner));
        let meets = |corners: &[[f64; 3]; 3]| {
            corners.iter().any(|point| bounds.contains(point))
                || faces
                    .iter()
                    .any(|&[p, q, r, s]| triangles_touch(&[p, q, r], corners) || triangles_touch(&[p, r, s], corners))
        };
        self.overlap(&bounds, meets, |ball| bounds.square_distance(&ball.centre).sqrt() <= ball.radius)
    }

    /// Returns all triangles and balls that have a point in common with a triangle, metres; sorted
    /// by body and number. Exact for triangles; rounded for balls. The triangle may be a segment or
    /// a point.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let post = [[0.25, 0.25, -1.0], [0.25, 0.25, 0.5], [0.25, 0.25, 0.5]];
    /// assert_eq!(world.query().overlap_triangle(&post), [(floor, 0)]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn overlap_triangle(&self, triangle: &[[f64; 3]; 3]) -> Vec<(BodyId, u32)> {
        let [Some(p), Some(q), Some(r)] = triangle.map(usable) else { return Vec::new() };
        let triangle = [p, q, r];
        let meets_ball = |ball: &Sphere| {
            let (foot, _) = foot_weights(&ball.centre, &triangle);
            distance(&foot, &ball.centre) <= ball.radius
        };
        self.overlap(&Aabb::of_points(&triangle), |corners| triangles_touch(&triangle, corners), meets_ball)
    }

    /// The triangles and balls in boxes that meet a box, for which a test holds.
    fn overlap(
        &self,
        bounds: &Aabb,
        meets: impl Fn(&[[f64; 3]; 3]) -> bool,
        meets_ball: impl Fn(&Sphere) -> bool,
    ) -> Vec<(BodyId, u32)> {
        let mut found = Vec::new();
        for (id, body) in self.bodies() {
            self.visit(
                (id, body),
                |node| node.overlaps(bounds),
                |triangle| {
                    let is_met = match self.ball(body, triangle) {
                        Some(ball) => meets_ball(&ball),
                        None => meets(&self.corners((id, body), triangle)),
                    };
                    if is_met {
                        found.push((id, triangle));
                    }
                },
            );
        }
        found.sort_unstable();
        found
    }
}
