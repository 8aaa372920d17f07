//! Triangles that touch a body without entering it, by exact signs.
//!
//! Let T be a triangle, and let all triangles of the body's closed parts that touch T be known.
//!
//! - If each touches T only within one edge or corner of T, no inner point of T lies on the body's
//!   boundary. T is then wholly inside or wholly outside, but for its edges.
//! - If all of them lie weakly on one side of T's plane, T moved a little to the other side touches
//!   none of them. It is then wholly inside or wholly outside, and T is the limit of that.
//!
//! In both cases one point decides. Of triangles found outside no point lies inside the body, so
//! that the search for the depth need not divide them: bodies that rest on each other cost nothing.

use super::crossing::{Oriented, Site, unit_normal};
use super::surface::Surface;
use crate::math::vector::{Vector, largest, minus, plus, times};

/// How far the point that decides is moved off T, relative to the largest coordinate.
pub(super) const STEP: f64 = 1.0 / (1_u64 << 40) as f64;

/// How one triangle touches another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Whether the common points lie within one edge or corner of the triangle.
    is_at_border: bool,
    /// Whether a corner of the other triangle lies on the negative, and on the positive side of the
    /// triangle's plane.
    others: [bool; 2],
}

impl Touch {
    /// How each of two triangles touches the other one.
    pub(super) fn of(found: &Oriented) -> [Self; 2] {
        [0, 1].map(|own: usize| {
            let sites = || found.crossing.corners().iter().map(|corner| corner.sites[own]);
            let common = sites().fold(0b111, |common, site| common & edges_of(site));
            let is_at_border = common != 0 && sites().len() < 3;
            let others = [-1, 1].map(|sign| found.sides[1 - own].contains(&sign));
            Self { is_at_border, others }
        })
    }
}

/// The edges on which a site lies, as bits.
pub(super) fn edges_of(site: Site) -> u8 {
    match site {
        Site::Vertex(corner) => 1 << corner | 1 << ((corner + 2) % 3),
        Site::Edge(edge) => 1 << edge,
        Site::Face => 0,
    }
}

/// Whether a triangle of a surface is shown to lie outside of a body, or on its boundary, by all
/// its contacts with the body's closed parts. A triangle without contacts is not.
pub(super) fn is_outside<'t>(
    of: &Surface,
    triangle: u32,
    body: &Surface,
    touches: impl Iterator<Item = &'t Touch> + Clone,
) -> bool {
    let corners = of.triangle(triangle);
    let Some(normal) = unit_normal(&corners) else {
        return false;
    };
    let third = 1.0 / 3.0;
    let centre: Vector = corners.iter().fold([0.0; 3], |sum, corner| plus(&sum, &times(corner, third)));
    let mut count = 0;
    let (mut is_at_border, mut others) = (true, [false; 2]);
    for touch in touches {
        count += 1;
        is_at_border &= touch.is_at_border;
        others = [others[0] | touch.others[0], others[1] | touch.others[1]];
    }
    if count == 0 {
        return false;
    }
    if is_at_border {
        return !body.encloses(&centre);
    }
    let step = STEP * largest(&[of.bounds().min, of.bounds().max]);
    match others {
        [true, true] => false,
        // Coplanar triangles only: they cover T.
        [false, false] => true,
        [below, _] => {
            let away = times(&normal, if below { step } else { -step });
            !body.encloses(&plus(&centre, &away))
        }
    }
}

/// The point at a distance from a triangle, against its normal.
pub(super) fn below(point: &Vector, normal: &Vector, corners: &[Vector; 3]) -> Vector {
    minus(point, &times(normal, STEP * largest(corners)))
}
