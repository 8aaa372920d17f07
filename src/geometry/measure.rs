//! Length, area and depth of a crossing of two surfaces.

use super::cut_off::area_cut_off;
use super::depth::{Aim, Depth};
use super::error::GeometryError;
use super::pieces::Pieces;
use super::region::Region;
use super::surface::Surface;
use crate::math::Aabb;
use crate::math::vector::{doubled_area, length};

/// How two surfaces cross, or how a surface crosses itself.
///
/// Lengths are metres and areas square metres. Fields named by `[.., ..]` are of the first and of
/// the second surface. Definitions and errors: docs/design/contact-geometry.md.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Measure {
    /// The greater one of `depths`; `None` where both are, and for a surface with itself.
    pub depth: Option<Depth>,
    /// Depth of the first surface inside of the closed parts of the second, and the reverse. `None`
    /// where the surface around it has no closed part. With given pairs also where none of them
    /// touches a closed part of it, and no vertex of the region lies inside one.
    pub depths: [Option<Depth>; 2],
    /// Length of the crossing curve: of all segments in which two triangles cross, each counted
    /// once. Coplanar overlaps and single points add nothing.
    pub length: f64,
    /// The greater one of `inside` where one is known; otherwise the smaller one of `cut_off` where
    /// one is known; otherwise `crossed`. Where `inside` is not known, `overlap` is added.
    pub area: f64,
    /// Area of the first surface inside of the closed parts of the second, and the reverse. `None`
    /// where `depths` is.
    pub inside: [Option<f64>; 2],
    /// Area that the crossing curve cuts off from each surface: of each part that it divides, the
    /// smaller side. Triangles on the curve count by thirds of their corners. `None` where the
    /// curve does not divide the vertices of the surface, or passes through a vertex or along an
    /// edge, and where `inside` is known. For a surface with itself both are equal.
    pub cut_off: [Option<f64>; 2],
    /// Area of the triangles that the crossing curve passes: the smaller one of both surfaces. Of a
    /// surface with itself, of both sides of the curve, if the pairs tell them apart.
    pub crossed: f64,
    /// Area of coplanar overlaps.
    pub overlap: f64,
    /// The middle of the crossing curve. Without a curve, the middle of the coplanar overlaps, else
    /// of the points of contact, else the deepest point.
    pub centre: [f64; 3],
    /// Box of all points that touching triangles have in common. Empty
    /// ([`Aabb::EMPTY`]) if one surface is wholly inside of the other.
    pub bounds: Aabb,
    /// Number of pairs of triangles that touch.
    pub pairs: usize,
    /// Whether each surface is closed in all its parts.
    pub is_closed: [bool; 2],
}

/// Returns the measure of the crossing of two surfaces in given pairs of triangles (of the first,
/// of the second surface), and of what is connected with it; `None` if no pair touches.
///
/// Pairs that do not touch are ignored. Depth and area inside refer to the *region* of each
/// surface: the triangles of touching pairs, and as long as a corner of a triangle of the region
/// lies inside the other surface, all triangles around that corner. Triangles that are not listed
/// in a touching pair count as not crossed.
///
/// O(pairs · log pairs + region · log n), after O(n) bytes to clear; O(n) where neither surface has
/// a closed part.
///
/// # Errors
/// [`GeometryError::NoSuchTriangle`].
///
/// ```
/// use kinetree::Mesh;
/// use kinetree::geometry::{Surface, measure};
///
/// let tetrahedron = Mesh::new(4, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let corners = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
/// let body = Surface::new(&tetrahedron, &corners)?;
/// // One triangle that enters through the bottom; its tip is 0.25 m deep.
/// let spike = [[0.5, 0.5, 0.25], [0.4, 0.5, -1.0], [0.6, 0.5, -1.0]];
/// let spike = Surface::new(&Mesh::new(3, vec![[0, 1, 2]])?, &spike)?;
///
/// let found = measure(&spike, &body, &[[0, 0]])?.expect("the pair touches");
/// let depth = found.depth.expect("the body is closed");
/// assert!(depth.lo <= 0.25 && 0.25 <= depth.hi && depth.hi - depth.lo < 1e-9);
/// assert_eq!((depth.surface, depth.point), (0, [0.5, 0.5, 0.25]));
/// assert!((found.length - 0.04).abs() < 1e-12);
/// assert!((found.area - 0.005).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn measure(a: &Surface, b: &Surface, pairs: &[[u32; 2]]) -> Result<Option<Measure>, GeometryError> {
    check([a, b], pairs)?;
    let pieces = Pieces::new(a, b, pairs);
    if pieces.touching.is_empty() {
        return Ok(None);
    }
    Ok(Some(Measure::of(a, b, &pieces, false)))
}

/// Returns the measure of the crossing of a surface with itself in given pairs of its triangles;
/// `None` if no pair touches.
///
/// Of neighbouring triangles, which always touch, only pairs that share more than their common
/// corner or edge should be listed. Depth and area inside are `None`. A pair of a triangle with
/// itself is ignored. O(pairs · log pairs + n).
///
/// # Errors
/// [`GeometryError::NoSuchTriangle`].
pub fn measure_self(surface: &Surface, pairs: &[[u32; 2]]) -> Result<Option<Measure>, GeometryError> {
    check([surface, surface], pairs)?;
    let pieces = Pieces::of_self(surface, pairs);
    if pieces.touching.is_empty() {
        return Ok(None);
    }
    let cut_off = [area_cut_off(surface, &pieces, &[0, 1]); 2];
    Ok(Some(Measure::new([surface; 2], &pieces, [None; 2], [None; 2], cut_off)))
}

/// Pairs of one surface, the lower triangle first, without those of a triangle with itself.
pub(super) fn unordered(pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let different = pairs.iter().filter(|pair| pair[0] != pair[1]);
    different.map(|&[p, q]| [p.min(q), p.max(q)]).collect()
}

pub(super) fn check(surfaces: [&Surface; 2], pairs: &[[u32; 2]]) -> Result<(), GeometryError> {
    for (pair, triangles) in pairs.iter().enumerate() {
        for (surface, &triangle) in triangles.iter().enumerate() {
            if !surfaces[surface].has_triangle(triangle) {
                return Err(GeometryError::NoSuchTriangle { pair, surface, triangle });
            }
        }
    }
    Ok(())
}

impl Measure {
    /// The measure of touching pairs. With `whole`, parts of a surface that lie wholly inside of
    /// the other one count too.
    pub(super) fn of(a: &Surface, b: &Surface, pieces: &Pieces, whole: bool) -> Self {
        let surfaces = [a, b];
        let (mut depths, mut inside) = ([None; 2], [None; 2]);
        for side in 0..2 {
            let (of, body) = (surfaces[side], surfaces[1 - side]);
            if !body.has_closed_part() {
                continue;
            }
            let mut region = Region::new(of, body, side, Aim::DEPTH);
            region.flood(pieces.touching.iter().map(|pair| pair[side]));
            if whole {
                region.add_whole_parts();
            } else if !region.meets_closed_parts(pieces) {
                continue;
            }
            depths[side] = Some(region.depth(pieces));
            inside[side] = Some(region.area(pieces));
        }
        let mut cut_off = [None; 2];
        if inside == [None; 2] {
            cut_off = [0, 1].map(|side| area_cut_off(surfaces[side], pieces, &[side]));
        }
        Self::new(surfaces, pieces, depths, inside, cut_off)
    }

    fn new(
        surfaces: [&Surface; 2],
        pieces: &Pieces,
        depths: [Option<Depth>; 2],
        inside: [Option<f64>; 2],
        cut_off: [Option<f64>; 2],
    ) -> Self {
        let depth = match depths {
            [Some(first), Some(second)] => Some(if second.lo > first.lo { second } else { first }),
            [first, second] => first.or(second),
        };
        let [crossed_a, crossed_b] = [0, 1].map(|side| area_crossed(surfaces[side], pieces, side));
        let crossed = crossed_a.min(crossed_b);
        let greatest = inside.into_iter().flatten().reduce(f64::max);
        let least = cut_off.into_iter().flatten().reduce(f64::min);
        let deepest = depth.map_or([0.0; 3], |depth| depth.point);
        Self {
            depth,
            depths,
            length: pieces.length,
            area: greatest.unwrap_or_else(|| least.unwrap_or(crossed) + pieces.overlap),
            inside,
            cut_off,
            crossed,
            overlap: pieces.overlap,
            centre: if pieces.bounds.is_some() { pieces.centre } else { deepest },
            bounds: pieces.bounds.unwrap_or(Aabb::EMPTY),
            pairs: pieces.touching.len(),
            is_closed: surfaces.map(Surface::is_closed),
        }
    }
}

/// Area of the triangles of one surface that the crossing curve passes.
fn area_crossed(surface: &Surface, pieces: &Pieces, side: usize) -> f64 {
    let mut triangles: Vec<u32> = pieces.crossing_triangles(side).collect();
    triangles.sort_unstable();
    triangles.dedup();
    triangles.iter().map(|&triangle| 0.5 * length(&doubled_area(&surface.triangle(triangle)))).sum()
}
