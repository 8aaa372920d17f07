//! Questions about a body made of spheres.

use crate::bvh::AuditReport;
use crate::id::BodyId;
use crate::limits;
use crate::math::Aabb;
use crate::motion::{Sphere, SphereKeys};
use crate::narrow::spheres::ray_hits_sphere;
use crate::time::Moment;
use crate::world::body::Body;
use crate::world::rule::spheres::SpheresAt;

impl Body {
    /// Whether the body is made of spheres.
    pub(crate) fn is_of_spheres(&self) -> bool {
        self.motion.spheres().is_some()
    }

    /// Its spheres at a moment, if it is made of these.
    pub(crate) fn spheres_at(&self, at: Moment) -> Option<SpheresAt<'_>> {
        self.motion.spheres().map(|keys| SpheresAt { keys, place: keys.place(at), time: at.time() })
    }

    /// Its spheres at their first key.
    pub(crate) fn spheres_at_rest(&self) -> Option<SpheresAt<'_>> {
        self.motion.spheres().map(|keys| SpheresAt { keys, place: keys.rest(), time: 0.0 })
    }

    /// The box of a sphere at a moment, rounded outward, inside the box of its corners.
    pub(crate) fn sphere_box(&self, sphere: u32, at: Moment) -> Option<Aabb> {
        let piece = self.spheres_at(at)?.piece(sphere);
        let Sphere { centre, radius } = piece.at(at.time());
        let extent = |ball: &Sphere, axis: usize| ball.centre[axis].abs() + ball.radius;
        let reach = |axis: usize| {
            let most = extent(&piece.at_begin, axis).max(extent(&piece.at_end, axis));
            radius + (0.5 * limits::SPHERE_BOX_ROUNDING * most + 0.5 * limits::FLUSH)
        };
        Some(Aabb {
            min: std::array::from_fn(|axis| centre[axis] - reach(axis)),
            max: std::array::from_fn(|axis| centre[axis] + reach(axis)),
        })
    }

    /// Checks that the corners hold their spheres at a moment.
    pub(crate) fn audit_spheres(&self, id: BodyId, at: Moment, report: &mut AuditReport) {
        let count = self.motion.spheres().map_or(0, SphereKeys::count) as u32;
        for sphere in 0..count {
            let Some(bounds) = self.sphere_box(sphere, at) else { return };
            let (low, high) = (self.motion.position(2 * sphere, at), self.motion.position(2 * sphere + 1, at));
            let is_held = (0..3).all(|axis| low[axis] <= bounds.min[axis] && bounds.max[axis] <= high[axis]);
            report.check(is_held, || format!("{id} '{}': sphere {sphere} leaves its box", self.name));
        }
    }

    /// Where a ray meets a sphere, in lengths of its direction.
    pub(crate) fn ray_hits_sphere(
        &self,
        sphere: u32,
        (origin, direction): ([f64; 3], [f64; 3]),
        reach: f64,
        at: Moment,
    ) -> Option<f64> {
        ray_hits_sphere(origin, direction, reach, &self.spheres_at(at)?.piece(sphere), at.time())
    }
}

#[cfg(test)]
mod tests {
    use crate::mesh::Spheres;
    use crate::motion::{Flightplan, KeyLayout, Motion, Sphere};
    use crate::world::{BodyDef, World, WorldDef};

    #[test]
    fn a_ball_that_leaves_its_box_on_one_side_is_found() {
        let plan = |centre: [f64; 3]| Flightplan::spheres(vec![0.0], vec![Sphere { centre, radius: 1.0 }]);
        for (axis, x) in [(0, -0.5), (0, 0.5), (1, -0.5), (1, 0.5), (2, -0.5), (2, 0.5)] {
            let mut world = World::new(WorldDef::default()).unwrap();
            world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan([0.0; 3]))).unwrap();
            assert!(world.audit().is_clean(), "{}", world.audit());
            let mut centre = [0.0; 3];
            centre[axis] = x;
            let elsewhere = Motion::new(plan(centre), 2, KeyLayout::KeyMajor).unwrap();
            world.bodies.at_mut(0).motion.take_spheres_of(&elsewhere);
            let faults = world.audit().faults;
            assert!(faults.iter().any(|fault| fault.0.contains("sphere 0 leaves its box")), "{axis}, {x}: {faults:?}");
        }
    }
}
