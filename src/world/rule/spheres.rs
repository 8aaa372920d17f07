//! Bodies of spheres: their narrow phase in a world.
//!
//! Trees, lists and broad phases see the vertices of such a body, the corners of boxes that hold
//! its spheres ([`crate::motion::SphereKeys`]). A pair with spheres is decided here, on the spheres
//! as the real interpolation of their keys has them. So is a triangle that a sphere meets at the
//! clock's time, on the exact motion of its corners ([`crate::world::rule::instant`]).

use crate::motion::{SphereKeys, SpherePiece, SpherePlace};
use crate::narrow::intervals::{ContactInterval, FirstTouch, IntervalStats, MovingTriangle, swapped};
use crate::narrow::spheres::{
    MovingSphere, first_touch_of_spheres, first_touch_with_triangle, moving_sphere_touches_triangle_at_time,
    sphere_intervals, sphere_touches_triangle_at_time, sphere_triangle_intervals, spheres_touch_at_time,
};
use crate::world::rule::Uncertainty;
use crate::world::rule::instant::Instant;

/// The spheres of a body at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpheresAt<'a> {
    pub(crate) keys: &'a SphereKeys,
    pub(crate) place: SpherePlace,
    pub(crate) time: f64,
}

impl SpheresAt<'_> {
    pub(crate) fn piece(&self, sphere: u32) -> SpherePiece {
        self.keys.piece(sphere, self.place)
    }
}

/// Whether two primitives touch, at least one of which is a sphere; `None` if none is.
pub(crate) fn touch(
    spheres: &[Option<SpheresAt<'_>>; 2],
    (p, corners_p): (u32, &[[f64; 3]; 3]),
    (q, corners_q): (u32, &[[f64; 3]; 3]),
    distance: f64,
    instant: Option<&Instant<'_>>,
) -> Option<bool> {
    let with = |spheres: &SpheresAt<'_>, sphere: u32, triangle: (usize, u32, &[[f64; 3]; 3])| {
        let ball = spheres.piece(sphere);
        match instant {
            Some(instant) => instant.sphere_touches(&ball, triangle, distance),
            None => sphere_touches_triangle_at_time(&ball, triangle.2, distance, spheres.time),
        }
    };
    match spheres {
        [Some(a), Some(b)] => Some(spheres_touch_at_time(&a.piece(p), &b.piece(q), distance, a.time)),
        [Some(a), None] => Some(with(a, p, (1, q, corners_q))),
        [None, Some(b)] => Some(with(b, q, (0, p, corners_p))),
        [None, None] => None,
    }
}

/// A primitive over a window.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
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

/// The same with doubt about where they are, see [`crate::world::rule::PairRule::intervals`]:
/// `reach` is the distance and the doubt together.
pub(crate) fn intervals(
    (a, b): (&Solid, &Solid),
    (distance, reach): (f64, f64),
    doubt: Uncertainty,
    (found, gaps): (&mut Vec<ContactInterval>, &mut Vec<[f64; 2]>),
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
        found[begin..].iter_mut().for_each(|interval| crate::world::rule::confirm(interval, &said, gaps));
    }
}

/// Where two primitives touch first in an interval, at least one of which is a sphere; `None` if
/// none is.
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
