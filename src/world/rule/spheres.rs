//! Bodies of spheres: their narrow phase in a world, and questions about them.
//!
//! Trees, lists, crowds and grids see the vertices of such a body, the corners of boxes that hold its spheres ([`crate::motion::SphereKeys`]);
//! what is decided about a pair with spheres is decided here, on the spheres as the real interpolation of their keys has them.
//! Triangles are where they are evaluated at the clock's time, as in all tests at an instant.

use crate::bvh::AuditReport;
use crate::id::BodyId;
use crate::limits;
use crate::math::Aabb;
use crate::motion::{Motion, MotionError, Sphere, SphereKeys, SpherePiece, SpherePlace};
use crate::narrow::intervals::{ContactInterval, FirstTouch, IntervalStats, MovingTriangle, swapped};
use crate::narrow::spheres::{
    MovingSphere, first_touch_of_spheres, first_touch_with_triangle, moving_sphere_touches_triangle_at_time,
    ray_hits_sphere, sphere_intervals, sphere_touches_triangle_at_time, sphere_triangle_intervals,
    spheres_touch_at_time,
};
use crate::time::Moment;
use crate::world::rule::Uncertainty;
use crate::world::{Body, World, WorldError};

/// Bodies of spheres have plans of spheres, and no others do.
pub(crate) fn check_kind(name: &str, motion: &Motion, body_of_spheres: bool) -> Result<(), WorldError> {
    if motion.spheres().is_some() == body_of_spheres {
        return Ok(());
    }
    Err(WorldError::Motion { body: name.to_owned(), error: MotionError::WrongKind { body_of_spheres } })
}

/// The spheres of a body at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpheresAt<'a> {
    keys: &'a SphereKeys,
    place: SpherePlace,
    time: f64,
}

impl SpheresAt<'_> {
    fn piece(&self, sphere: u32) -> SpherePiece {
        self.keys.piece(sphere, self.place)
    }
}

impl Body {
    /// Is it made of spheres?
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
            radius + (0.5 * limits::SPHERE_MARGIN * most + 0.5 * limits::FLUSH)
        };
        Some(Aabb {
            min: std::array::from_fn(|axis| centre[axis] - reach(axis)),
            max: std::array::from_fn(|axis| centre[axis] + reach(axis)),
        })
    }

    /// Do the corners hold their spheres at a moment?
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

/// Do two primitives touch, at least one of which is a sphere? `None` if none is.
pub(crate) fn touch(
    spheres: &[Option<SpheresAt<'_>>; 2],
    (p, corners_p): (u32, &[[f64; 3]; 3]),
    (q, corners_q): (u32, &[[f64; 3]; 3]),
    distance: f64,
) -> Option<bool> {
    let with = |spheres: &SpheresAt<'_>, sphere: u32, triangle: &[[f64; 3]; 3]| {
        sphere_touches_triangle_at_time(&spheres.piece(sphere), triangle, distance, spheres.time)
    };
    match spheres {
        [Some(a), Some(b)] => Some(spheres_touch_at_time(&a.piece(p), &b.piece(q), distance, a.time)),
        [Some(a), None] => Some(with(a, p, corners_q)),
        [None, Some(b)] => Some(with(b, q, corners_p)),
        [None, None] => None,
    }
}

/// A primitive over a window.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Solid {
    Triangle(MovingTriangle),
    Sphere(MovingSphere),
}

impl Solid {
    /// A sphere over a part of its piece.
    pub(crate) fn of_sphere(piece: &SpherePiece, (begin, end): (f64, f64)) -> Self {
        Self::Sphere(MovingSphere { begin: piece.at(begin), end: piece.at(end) })
    }
}

/// Whether two primitives touch at a time in a window, exactly; `None` if both are triangles.
pub(crate) fn touch_at_time(a: &Solid, b: &Solid, distance: f64, window: (f64, f64), time: f64) -> Option<bool> {
    let with = |sphere: &MovingSphere, triangle: &MovingTriangle| {
        moving_sphere_touches_triangle_at_time(sphere, triangle, distance, window, time)
    };
    match (a, b) {
        (Solid::Sphere(a), Solid::Sphere(b)) => {
            Some(spheres_touch_at_time(&a.over(window), &b.over(window), distance, time))
        }
        (Solid::Sphere(a), Solid::Triangle(b)) => Some(with(a, b)),
        (Solid::Triangle(a), Solid::Sphere(b)) => Some(with(b, a)),
        (Solid::Triangle(_), Solid::Triangle(_)) => None,
    }
}

/// Appends the intervals in which two primitives are within a distance; nothing for two triangles.
fn intervals_within(a: &Solid, b: &Solid, distance: f64, found: &mut Vec<ContactInterval>, stats: &mut IntervalStats) {
    match (a, b) {
        (Solid::Sphere(a), Solid::Sphere(b)) => sphere_intervals(a, b, distance, found, stats),
        (Solid::Sphere(a), Solid::Triangle(b)) => sphere_triangle_intervals(a, b, distance, found, stats),
        (Solid::Triangle(a), Solid::Sphere(b)) => {
            let before = found.len();
            sphere_triangle_intervals(b, a, distance, found, stats);
            found[before..].iter_mut().for_each(|interval| interval.feature = swapped(interval.feature));
        }
        (Solid::Triangle(_), Solid::Triangle(_)) => {}
    }
}

/// The same with doubt about where they are, see [`crate::world::rule::PairRule::intervals`]: `reach` is the distance and the doubt together.
pub(crate) fn intervals(
    (a, b): (&Solid, &Solid),
    (distance, reach): (f64, f64),
    doubt: Uncertainty,
    found: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    let begin = found.len();
    intervals_within(a, b, reach, found, stats);
    if doubt == Uncertainty::None {
        return;
    }
    found[begin..].iter_mut().for_each(|interval| interval.undecided = true);
    if let Uncertainty::Rounding(_) = doubt
        && found.len() > begin
    {
        let mut said = Vec::new();
        intervals_within(a, b, distance, &mut said, &mut IntervalStats::default());
        found[begin..].iter_mut().for_each(|interval| crate::world::rule::confirm(interval, &said));
    }
}

/// Where two primitives touch first in an interval, at least one of which is a sphere; `None` if none is.
pub(crate) fn first_touch(interval: &ContactInterval, a: &Solid, b: &Solid) -> Option<FirstTouch> {
    match (a, b) {
        (Solid::Sphere(a), Solid::Sphere(b)) => Some(first_touch_of_spheres(interval, a, b)),
        (Solid::Sphere(a), Solid::Triangle(b)) => Some(first_touch_with_triangle(interval, a, b)),
        (Solid::Triangle(a), Solid::Sphere(b)) => {
            let touch = first_touch_with_triangle(interval, b, a);
            Some(FirstTouch { normal: touch.normal.map(|x| -x), ..touch })
        }
        (Solid::Triangle(_), Solid::Triangle(_)) => None,
    }
}

impl World {
    /// The spheres of a body now, each number rounded to `f64`; `None` if it is not made of spheres. O(spheres).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn spheres(&self, body: BodyId) -> Result<Option<Vec<Sphere>>, WorldError> {
        let Some(spheres) = self.body(body)?.spheres_at(self.now) else { return Ok(None) };
        let count = spheres.keys.count() as u32;
        Ok(Some((0..count).map(|sphere| spheres.piece(sphere).at(spheres.time)).collect()))
    }
}
