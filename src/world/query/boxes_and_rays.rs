//! Box and ray queries at the clock's time.

use crate::bvh::{Hierarchy, Visits};
use crate::id::BodyId;
use crate::math::Aabb;
use crate::world::World;
use crate::world::body::{Body, Index};
use crate::world::error::WorldError;
use crate::world::query::spatial::RayHit;

impl World {
    /// Triangles, spans of patches, or spheres, whose own boxes meet a box at the clock's time,
    /// sorted by body and number; and what that cost. The box of a span is that of its control
    /// points.
    ///
    /// O(log triangles + found) for a small box; O(triangles) for engines without a tree.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Aabb;
    ///
    /// let near_the_floor = Aabb { min: [0.0, 0.0, -0.1], max: [1.0, 1.0, 0.1] }; // Metres.
    /// assert_eq!(world.query_box(&near_the_floor).0, [(floor, 0)]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn query_box(&self, bounds: &Aabb) -> (Vec<(BodyId, u32)>, Visits) {
        let mut found = Vec::new();
        let mut visits = Visits::default();
        for (id, body) in self.bodies.iter() {
            let cost = self.primitives_where(
                body,
                |node| node.overlaps(bounds),
                |primitive| {
                    if body.primitive_box(primitive, self.clock.now).overlaps(bounds) {
                        found.push((id, primitive));
                    }
                },
            );
            visits.nodes += cost.nodes;
            visits.leaves += cost.leaves;
        }
        found.sort_unstable();
        (found, visits)
    }

    /// The first triangle or sphere a ray meets at the clock's time, at most `reach` lengths of
    /// `direction` from `origin`.
    ///
    /// Both sides of a triangle count; spheres are solid, and met at once by a ray that begins
    /// inside, exactly as their keys say. Of equally near triangles the first by body and number is
    /// given; [`World::query`] leaves bodies out. A ray that is not finite meets nothing. Points,
    /// segments and patches are not met, see [`World::ray_candidates`]. O(log triangles) for a
    /// typical ray; O(triangles) for engines without a tree.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let (hit, _) = world.cast_ray([0.25, 0.25, 3.0], [0.0, 0.0, -1.0], 10.0);
    /// let hit = hit.expect("the ball is above the floor");
    /// assert_eq!((hit.body, hit.distance), (ball, 2.0)); // In lengths of the direction.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn cast_ray(&self, origin: [f64; 3], direction: [f64; 3], reach: f64) -> (Option<RayHit>, Visits) {
        self.query().ray(origin, direction, reach)
    }

    /// How much worse a body's kinetic tree is at the clock's time than one built for it: the
    /// surface-area cost of its nodes over that of a fresh build. 1 is as good as fresh; see
    /// `KineticTree::sah_ratio`. 1 for engines without kinetic trees. O(triangles log triangles),
    /// so now and then, not every frame.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// assert_eq!(world.tree_quality(ball)?, 1.0); // As good as built from here.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn tree_quality(&self, body: BodyId) -> Result<f64, WorldError> {
        let body = self.bodies.find(body)?;
        let Index::Kinetic(tree) = &body.index else { return Ok(1.0) };
        let mut positions = Vec::new();
        body.motion.positions(self.clock.now, &mut positions);
        Ok(tree.sah_ratio(0, &body.parts(), &positions))
    }

    /// Spans of patches whose boxes a ray meets at the clock's time, sorted by body and number, for
    /// the host to decide; and what that cost. As [`World::cast_ray`] otherwise.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::{BodyDef, Flightplan, Patch, Patches};
    ///
    /// let sheet = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])])?;
    /// let corners = vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
    /// let sheet = world.add_body(BodyDef::new(sheet, Flightplan::fixed(corners)).named("sheet"))?;
    /// let (spans, _) = world.ray_candidates([0.5, 0.5, 1.0], [0.0, 0.0, -1.0], 2.0);
    /// assert_eq!(spans, [(sheet, 0)]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn ray_candidates(&self, origin: [f64; 3], direction: [f64; 3], reach: f64) -> (Vec<(BodyId, u32)>, Visits) {
        let (mut found, mut visits) = (Vec::new(), Visits::default());
        if !origin.iter().chain(&direction).all(|x| x.is_finite()) || !(reach >= 0.0) {
            return (found, visits);
        }
        let keep = |bounds: &Aabb| bounds.entry(origin, direction, reach).is_some();
        for (id, body) in self.bodies.iter().filter(|(_, body)| body.shape.patches.is_some()) {
            let cost = self.primitives_where(body, keep, |span| {
                if keep(&body.primitive_box(span, self.clock.now)) {
                    found.push((id, span));
                }
            });
            visits.nodes += cost.nodes;
            visits.leaves += cost.leaves;
        }
        found.sort_unstable();
        (found, visits)
    }

    /// Visits the primitives of a body below nodes that `keep` keeps.
    fn primitives_where(&self, body: &Body, keep: impl Fn(&Aabb) -> bool, mut found: impl FnMut(u32)) -> Visits {
        if let Some(tree) = body.tree(self.clock.now) {
            return tree.leaves_where(self.clock.now, keep, |leaf| {
                tree.topology().primitives(leaf).iter().copied().for_each(&mut found);
            });
        }
        let count = body.primitive_count();
        (0..count as u32).filter(|&primitive| body.has_primitive(primitive)).for_each(found);
        Visits { nodes: 0, leaves: count }
    }
}
