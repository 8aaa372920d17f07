//! Two bodies at the clock's time: what touches is decided on their exact motion, not on positions
//! as evaluated.
//!
//! **Why.** Triangles that stay exactly coplanar or in touch between two keys lose the contact when
//! their corners are rounded, each on its own, to `f64`. Continuous contacts are decided on the
//! real interpolation of the stored keys; so is every instant here, and both say the same.
//!
//! **How.** The evaluated corners are off by at most the *blur* along an axis
//! ([`Motion::blur`](crate::motion::Motion)), the larger one of both bodies. Tests go from cheap to
//! expensive, and each answers only what holds wherever within the blur the corners are:
//!
//! | step | what it decides |
//! |---|---|
//! | both bodies are where stored numbers say, as at keys: no blur | everything, by the exact test of those numbers |
//! | `touch_if_certain`: signs of `f64` determinants that exceed their bound | nearly all other pairs |
//! | `certainty`, with no blur along axes on which all corners rest | what is coplanar in a coordinate plane and stays there |
//! | `narrow::paths`: integers | the rest |
//!
//! At a distance the test is made twice, with the distance widened and narrowed by what the corners
//! may be off by; between the two integers decide. Spheres are exact by themselves
//! (`narrow::spheres`); a triangle that one of them meets is treated as above.
//!
//! **What is rejected before** must be rejected for the exact motion too. Boxes and margins in
//! `f32` are compared with the margin of
//! [`Motion::rounded_positions`](crate::motion::Motion::rounded_positions), which holds for the
//! exact motion; windows, lists and baked trees with slacks, which exceed the blur; `f64` boxes of
//! evaluated corners with [`ContactRule::box_distance`].
//!
//! On curved pieces, and for accelerated vertices, evaluated positions are the motion by
//! definition. A sampler's positions are exact at its keys by definition, and between two of them
//! the motion is their real interpolation, however fast it turns.

use crate::mesh::Mesh;
use crate::motion::{Motion, SpherePiece, VertexPath};
use crate::narrow::intervals::MovingTriangle;
use crate::narrow::intervals::certain::certainty;
use crate::narrow::proximity::triangles_within;
use crate::narrow::spheres::sphere_touches_triangle_at_time;
use crate::narrow::{
    ContactRule, any_parts, neighbour_paths_touch, paths_touch, paths_within, sphere_touches_paths, touch_if_certain,
    triangles_touch,
};
use crate::time::Moment;
use crate::world::rule::{Common, PairRule};

type Corners = [[f64; 3]; 3];
type Paths = [VertexPath; 3];

/// A body as an instant sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) motion: &'a Motion,
}

/// Two bodies at a moment at which some corners are evaluated with a rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant<'a> {
    bodies: [Side<'a>; 2],
    now: Moment,
    blur: f64,
}

impl<'a> Instant<'a> {
    /// `None` where all corners are where stored numbers say, or belong to spheres.
    pub(crate) fn of(bodies: [Side<'a>; 2], now: Moment) -> Option<Self> {
        let blur_of = |body: Side<'_>| if body.motion.spheres().is_some() { 0.0 } else { body.motion.blur(now) };
        let [of_a, of_b] = bodies.map(blur_of);
        let blur = if of_a > of_b { of_a } else { of_b };
        (blur > 0.0).then_some(Self { bodies, now, blur })
    }

    /// How far evaluated corners may be from the exact motion along an axis, metres.
    pub(crate) fn blur(&self) -> f64 {
        self.blur
    }

    /// How much farther apart, or nearer, two triangles may be than their evaluated corners say,
    /// metres: a corner is off by less than twice the blur, in both.
    fn doubt(&self) -> f64 {
        4.0 * self.blur
    }

    /// Whether two triangles touch, given where their corners are evaluated.
    #[inline]
    pub(crate) fn touch(&self, rule: &PairRule<'_>, (p, a): (u32, &Corners), (q, b): (u32, &Corners)) -> bool {
        if let Some(common) = rule.neighbours_at(p, q) {
            return self.neighbours_touch((p, a), (q, b), &common);
        }
        let distance = rule.distance();
        let certain = if distance > 0.0 { self.within(a, b, distance) } else { touch_if_certain(a, b, self.blur) };
        certain.unwrap_or_else(|| self.decide((p, a), (q, b), distance))
    }

    /// Whether they are within a distance, metres, where that is certain.
    fn within(&self, a: &Corners, b: &Corners, distance: f64) -> Option<bool> {
        let doubt = self.doubt();
        if !triangles_within(a, b, (distance + doubt).next_up()) {
            return Some(false);
        }
        let less = (distance - doubt).next_down();
        (less > 0.0 && triangles_within(a, b, less)).then_some(true)
    }

    #[cold]
    #[inline(never)]
    fn decide(&self, (p, a): (u32, &Corners), (q, b): (u32, &Corners), distance: f64) -> bool {
        let (of_a, of_b, time) = (self.paths(0, p), self.paths(1, q), self.now.time());
        if distance > 0.0 {
            return paths_within(&of_a, &of_b, distance, time);
        }
        let blur =
            std::array::from_fn(|axis| if rest(&of_a, a, axis) && rest(&of_b, b, axis) { 0.0 } else { self.blur });
        if blur == [0.0; 3] {
            return triangles_touch(a, b);
        }
        certain_by_axes(a, b, blur).unwrap_or_else(|| paths_touch(&of_a, &of_b, time))
    }

    #[cold]
    fn neighbours_touch(&self, (p, a): (u32, &Corners), (q, b): (u32, &Corners), common: &Common) -> bool {
        let mut is_open = false;
        let touches = any_parts(common, |of_a, of_b| {
            let certain = certain_by_axes(&of_a.map(|k| a[k]), &of_b.map(|k| b[k]), [self.blur; 3]);
            is_open |= certain.is_none();
            certain == Some(true)
        });
        touches || (is_open && neighbour_paths_touch(&self.paths(0, p), &self.paths(1, q), common, self.now.time()))
    }

    /// Whether a sphere of one body touches a triangle of the other, which is that of a side, 0 or
    /// 1.
    pub(crate) fn sphere_touches(
        &self,
        ball: &SpherePiece,
        (side, triangle, corners): (usize, u32, &Corners),
        distance: f64,
    ) -> bool {
        let (time, doubt) = (self.now.time(), self.doubt());
        let with_radii = |by: f64| {
            let mut ball = *ball;
            for end in [&mut ball.at_begin, &mut ball.at_end] {
                end.radius = if by > 0.0 { (end.radius + by).next_up() } else { (end.radius + by).next_down() };
            }
            ball
        };
        if !sphere_touches_triangle_at_time(&with_radii(doubt), corners, distance, time) {
            return false;
        }
        let less = with_radii(-doubt);
        let is_ball = less.at_begin.radius >= 0.0 && less.at_end.radius >= 0.0;
        (is_ball && sphere_touches_triangle_at_time(&less, corners, distance, time))
            || sphere_touches_paths(ball, &self.paths(side, triangle), distance, time)
    }

    /// The paths of a triangle's corners.
    fn paths(&self, side: usize, triangle: u32) -> Paths {
        let Side { mesh, motion } = self.bodies[side];
        mesh.triangles()[triangle as usize].map(|vertex| motion.path(vertex, self.now))
    }
}

/// Whether evaluated corners rest along an axis, where they are to the last bit.
fn rest(paths: &Paths, corners: &Corners, axis: usize) -> bool {
    paths.iter().zip(corners).all(|(path, corner)| path.constant(axis) == Some(corner[axis]))
}

/// Whether triangles touch wherever within a blur per axis their corners are; `None` where that is
/// not certain.
fn certain_by_axes(a: &Corners, b: &Corners, blur: [f64; 3]) -> Option<bool> {
    let still = |corners: &Corners| MovingTriangle { begin: *corners, end: *corners };
    let certain = certainty(&still(a), &still(b), blur, 0, 1);
    match (certain.touching & 1, certain.apart & 1) {
        (1, _) => Some(true),
        (_, 1) => Some(false),
        _ => None,
    }
}
