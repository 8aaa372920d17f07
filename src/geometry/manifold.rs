//! Manifolds: connected regions of touching triangles, with points, a normal, depth and area.
//!
//! Two pairs of triangles are connected if both their first and their second triangles share a
//! welded vertex. A vertex inside of a closed part of the other surface connects the regions from
//! which it is reached over vertices that are inside too. O(k log k + r log n) for k pairs and r
//! triangles inside, after O(n) bytes to clear per manifold.

use std::collections::BTreeSet;

use super::crossing::{Site, crossing};
use super::depth::{VertexDepth, vertex_depth};
use super::error::GeometryError;
use super::measure::{Measure, check, measure, measure_self, unordered};
use super::pieces::Pieces;
use super::resting::STEP;
use super::sides::turn;
use super::surface::Surface;
use crate::math::vector::{Vector, cross, distance, dot, doubled_area, largest, length, minus, plus, times};
use crate::narrow::proximity::nearest_precisely;
use crate::sets::DisjointSets;

/// Least area vector of a crossing curve that gives a direction, relative to the square of the
/// curve's length. A circle has 1 / 4π.
const SLIT: f64 = 1.0 / 1024.0;

/// A connected region in which two surfaces touch, or in which one touches itself.
///
/// Positions are metres in the frame of the surfaces. Normals have length 1 and point from the
/// first surface to the second: along them the second one is pushed, and against them the first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Manifold {
    /// The pairs of triangles of the region: of the first, of the second surface; ascending.
    pub triangles: Vec<[u32; 2]>,
    /// Points of the region: vertices inside of the other surface, common points, nearest points.
    pub points: Vec<ManifoldPoint>,
    /// The direction in which the surfaces are pushed apart. The first that applies:
    ///
    /// 1. Both surfaces are closed: the mean outward normal of the part of the first one inside of
    ///    the second, by area. It follows from the crossing curve alone, and is the direction in
    ///    which the common volume shrinks fastest.
    /// 2. One surface is closed: the direction from the surface to the deepest point.
    /// 3. Coplanar triangles overlap: the mean of their normals by area.
    /// 4. The crossing curve of open surfaces encloses an area: its normal, on the side to which
    ///    the first surface's normals point.
    /// 5. The mean of the triangles' normals.
    /// 6. No triangles touch: the mean direction between the nearest points.
    ///
    /// In 3 and 5 the normals are those of the closed surface, or of both. `None` where all these
    /// vanish, as for two segments.
    pub normal: Option<[f64; 3]>,
    /// Depth, area, length, centre and box of the crossing; `None` if no triangles touch, which
    /// then count as touching from a distance.
    pub measure: Option<Measure>,
}

impl Manifold {
    /// The depth of the region, metres: a lower bound, see [`Measure::depth`]. 0 where neither
    /// surface is closed, and for a surface with itself.
    pub fn depth(&self) -> f64 {
        self.measure.as_ref().and_then(|measure| measure.depth).map_or(0.0, |depth| depth.lo)
    }
}

/// A point of a [`Manifold`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ManifoldPoint {
    /// The type of the point.
    pub kind: PointKind,
    /// Where it is on the first, and on the second surface, metres. Equal for
    /// [`PointKind::Crossing`].
    pub points: [[f64; 3]; 2],
    /// A triangle of each surface on which these lie.
    pub triangles: [u32; 2],
    /// Unit vector from the first surface to the second: moving the second one by `-distance` along
    /// it separates the two points. That of the manifold for [`PointKind::Crossing`], and where
    /// both points coincide.
    pub normal: Option<[f64; 3]>,
    /// Signed distance of the surfaces here, metres: negative inside, 0 for a crossing, positive
    /// where triangles count as touching from a distance. Error: 2⁻⁴⁶ times the largest
    /// coordinate, for triangles whose angles exceed 10⁻⁴ radians.
    pub distance: f64,
}

/// The type of a [`ManifoldPoint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PointKind {
    /// A vertex of one surface inside of a closed part of the other, with the closest point there.
    #[non_exhaustive]
    Inside {
        /// The surface of the vertex: 0 or 1.
        surface: usize,
        /// The vertex; of vertices at one position, the first.
        vertex: u32,
    },
    /// A corner of the common points of two triangles.
    Crossing,
    /// Nearest points of two triangles that do not touch.
    Near,
}

/// Returns the manifolds of two surfaces: connected regions of given pairs of triangles (of the
/// first, of the second surface), by their first pairs.
///
/// Every pair is in one manifold. Pairs that do not touch contribute their nearest points. Parts
/// of one surface that lie wholly inside of the other, without touching triangles, have no
/// manifold: [`separation`](super::separation) finds them.
///
/// O(pairs · log pairs + triangles inside · log n), and O(n) bytes to clear per manifold.
///
/// # Errors
/// [`GeometryError::NoSuchTriangle`].
///
/// ```
/// use kinetree::Mesh;
/// use kinetree::geometry::{Surface, manifolds, touching_pairs};
///
/// let tetrahedron = Mesh::new(4, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let corners = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
/// let body = Surface::new(&tetrahedron, &corners)?;
/// // One triangle that enters through the bottom; its tip is 0.25 m deep.
/// let spike = [[0.5, 0.5, 0.25], [0.4, 0.5, -1.0], [0.6, 0.5, -1.0]];
/// let spike = Surface::new(&Mesh::new(3, vec![[0, 1, 2]])?, &spike)?;
///
/// let found = manifolds(&spike, &body, &touching_pairs(&spike, &body))?;
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].normal, Some([0.0, 0.0, 1.0])); // The spike is pushed down.
/// let tip = found[0].points[0];
/// assert_eq!((tip.points[0], tip.distance), ([0.5, 0.5, 0.25], -0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn manifolds(a: &Surface, b: &Surface, pairs: &[[u32; 2]]) -> Result<Vec<Manifold>, GeometryError> {
    check([a, b], pairs)?;
    find([a, b], &sorted(pairs.to_vec()), false)
}

/// Returns the manifolds of a surface with itself, in given pairs of its triangles.
///
/// As [`manifolds`], without depth and vertices inside. Of a pair of equal triangles nothing is
/// returned. The lower triangle of a pair counts as the first surface; for the normal of a region,
/// that of its first pair does, with all that is on its side.
///
/// # Errors
/// [`GeometryError::NoSuchTriangle`].
pub fn manifolds_self(surface: &Surface, pairs: &[[u32; 2]]) -> Result<Vec<Manifold>, GeometryError> {
    check([surface; 2], pairs)?;
    find([surface; 2], &sorted(unordered(pairs)), true)
}

fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn find(surfaces: [&Surface; 2], pairs: &[[u32; 2]], is_self: bool) -> Result<Vec<Manifold>, GeometryError> {
    let mut sets = connected(surfaces, pairs, is_self);
    let mut inside = Vec::new();
    if !is_self {
        for side in 0..2 {
            inside.extend(vertices_inside(surfaces, side, pairs, &mut sets));
        }
    }
    let mut points: Vec<Vec<ManifoldPoint>> = vec![Vec::new(); pairs.len()];
    for (pair, point) in inside {
        points[sets.root(pair) as usize].push(point);
    }
    let manifold = |members: Vec<u32>| {
        let own: Vec<[u32; 2]> = members.iter().map(|&pair| pairs[pair as usize]).collect();
        manifold(surfaces, own, std::mem::take(&mut points[members[0] as usize]), is_self)
    };
    sets.into_lists().into_iter().map(manifold).collect()
}

/// Sets of pairs whose triangles share a welded vertex on both sides.
fn connected(surfaces: [&Surface; 2], pairs: &[[u32; 2]], is_self: bool) -> DisjointSets {
    let mut listed = Vec::with_capacity(9 * pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let [own, others] = [0, 1].map(|side| surfaces[side].fixed.welded[pair[side] as usize]);
        for p in own {
            listed.extend(others.map(|q| (if is_self { [p.min(q), p.max(q)] } else { [p, q] }, number as u32)));
        }
    }
    listed.sort_unstable();
    let mut sets = DisjointSets::new(pairs.len());
    for same in listed.chunk_by(|x, y| x.0 == y.0) {
        same.iter().for_each(|&(_, number)| sets.join(same[0].1, number));
    }
    sets
}

/// Vertices of one surface inside of the other that are reached from pairs of triangles over
/// vertices inside; each with a pair from which it is reached. Sets of pairs that reach the same
/// vertex are joined.
fn vertices_inside(
    surfaces: [&Surface; 2],
    side: usize,
    pairs: &[[u32; 2]],
    sets: &mut DisjointSets,
) -> Vec<(u32, ManifoldPoint)> {
    const UNKNOWN: u32 = u32::MAX;
    const OUTSIDE: u32 = u32::MAX - 1;
    let (of, body) = (surfaces[side], surfaces[1 - side]);
    let mut found = Vec::new();
    if !body.has_closed_part() {
        return found;
    }
    let mut reached = vec![UNKNOWN; of.positions.len()];
    let (mut stack, mut guess) = (Vec::new(), None);
    for (number, pair) in pairs.iter().enumerate() {
        stack.push(pair[side]);
        while let Some(triangle) = stack.pop() {
            for vertex in of.fixed.welded[triangle as usize] {
                match reached[vertex as usize] {
                    OUTSIDE => continue,
                    UNKNOWN => {}
                    other => {
                        sets.join(other, number as u32);
                        continue;
                    }
                }
                let point = of.positions[vertex as usize];
                if !body.encloses(&point) {
                    reached[vertex as usize] = OUTSIDE;
                    continue;
                }
                reached[vertex as usize] = number as u32;
                let depth = vertex_depth(body, &point, guess, 0.0);
                guess = Some(depth.other());
                found.push((number as u32, inside_point(side, vertex, triangle, point, depth)));
                stack.extend(of.fixed.around.of(vertex));
            }
        }
    }
    found
}

fn inside_point(side: usize, vertex: u32, triangle: u32, point: Vector, depth: VertexDepth) -> ManifoldPoint {
    let (foot, other) = (depth.nearest(), depth.other());
    let by_side = |own, others| if side == 0 { [own, others] } else { [others, own] };
    let outward = if side == 0 { minus(&point, &foot) } else { minus(&foot, &point) };
    ManifoldPoint {
        kind: PointKind::Inside { surface: side, vertex },
        points: if side == 0 { [point, foot] } else { [foot, point] },
        triangles: by_side(triangle, other),
        normal: unit(&outward),
        distance: -depth.depth(),
    }
}

/// The manifold of connected pairs and of the vertices inside that belong to it.
fn manifold(
    surfaces: [&Surface; 2],
    triangles: Vec<[u32; 2]>,
    mut points: Vec<ManifoldPoint>,
    is_self: bool,
) -> Result<Manifold, GeometryError> {
    let [a, b] = surfaces;
    let measure = if is_self { measure_self(a, &triangles)? } else { measure(a, b, &triangles)? };
    points.sort_by(|x, y| x.distance.total_cmp(&y.distance).then(x.kind.cmp(&y.kind)));
    let mut known = BTreeSet::new();
    // Of one surface, other triangles around a part may name the two parts in the other order.
    let mut is_new = |mut parts: [[u32; 3]; 2]| {
        if is_self {
            parts.sort_unstable();
        }
        known.insert(parts)
    };
    let mut near: Vector = [0.0; 3];
    let mut turned = triangles.clone();
    if is_self {
        turn(a, &mut turned);
    }
    for (&pair, turned) in triangles.iter().zip(&turned) {
        let common = crossing(&a.triangle(pair[0]), &b.triangle(pair[1]));
        for corner in common.corners() {
            let parts = [0, 1].map(|side| part(surfaces[side], pair[side], corner.sites[side]));
            if is_new(parts) {
                let points_here = [corner.point; 2];
                let kind = PointKind::Crossing;
                points.push(ManifoldPoint { kind, points: points_here, triangles: pair, normal: None, distance: 0.0 });
            }
        }
        if common.is_empty() {
            let (point, parts) = near_point(surfaces, pair);
            let outward = point.normal.unwrap_or_default();
            near = if pair == *turned { plus(&near, &outward) } else { minus(&near, &outward) };
            if is_new(parts) {
                points.push(point);
            }
        }
    }
    let normal = normal_of(surfaces, &triangles, measure.as_ref(), is_self).or_else(|| unit(&near));
    points.iter_mut().for_each(|point| point.normal = point.normal.or(normal));
    Ok(Manifold { triangles, points, normal, measure })
}

/// A part of a surface by numbers that are the same for all triangles around it.
fn part(surface: &Surface, triangle: u32, site: Site) -> [u32; 3] {
    let corners = surface.fixed.welded[triangle as usize];
    match site {
        Site::Vertex(corner) => [corners[corner as usize], u32::MAX, 0],
        Site::Edge(edge) => {
            let (p, q) = (corners[edge as usize], corners[(edge as usize + 1) % 3]);
            [p.min(q), p.max(q), 1]
        }
        Site::Face => [triangle, u32::MAX, 2],
    }
}

/// The nearest points of two triangles, and the parts of both surfaces on which they lie.
fn near_point(surfaces: [&Surface; 2], pair: [u32; 2]) -> (ManifoldPoint, [[u32; 3]; 2]) {
    let corners = [0, 1].map(|side| surfaces[side].triangle(pair[side]));
    let found = nearest_precisely(&corners[0], &corners[1]);
    let weights = [found.a, found.b];
    let points = [0, 1].map(|side| {
        (0..3).fold([0.0; 3], |sum, corner| plus(&sum, &times(&corners[side][corner], weights[side][corner])))
    });
    let parts = [0, 1].map(|side| {
        let used = |corner: usize| weights[side][corner] != 0.0;
        let site = match [used(0), used(1), used(2)] {
            [true, true, true] | [false, false, false] => Site::Face,
            [true, true, false] => Site::Edge(0),
            [false, true, true] => Site::Edge(1),
            [true, false, true] => Site::Edge(2),
            [true, false, false] => Site::Vertex(0),
            [false, true, false] => Site::Vertex(1),
            [false, false, true] => Site::Vertex(2),
        };
        part(surfaces[side], pair[side], site)
    });
    let normal = unit(&minus(&points[1], &points[0]));
    let distance = distance(&points[0], &points[1]);
    (ManifoldPoint { kind: PointKind::Near, points, triangles: pair, normal, distance }, parts)
}

/// The normal of a region in which triangles touch; see [`Manifold::normal`].
fn normal_of(
    surfaces: [&Surface; 2],
    triangles: &[[u32; 2]],
    measure: Option<&Measure>,
    is_self: bool,
) -> Option<Vector> {
    let measure = measure?;
    let [a, b] = surfaces;
    let pieces = if is_self { Pieces::of_self(a, triangles) } else { Pieces::new(a, b, triangles) };
    let is_solid = [0, 1].map(|side| !is_self && triangles.iter().all(|pair| surfaces[side].is_solid(pair[side])));
    let curve = || {
        let ends = pieces.segments.iter().filter(|piece| piece.is_of_curve()).map(|piece| piece.ends);
        let sum = ends.fold([0.0; 3], |sum, [from, to]| {
            plus(&sum, &cross(&minus(&from, &pieces.centre), &minus(&to, &pieces.centre)))
        });
        (0.5 * length(&sum) > SLIT * pieces.length * pieces.length).then(|| unit(&sum))?
    };
    if is_solid == [true; 2]
        && let Some(normal) = curve()
    {
        return Some(normal);
    }
    let size = largest(&[surfaces[0].bounds().min, surfaces[0].bounds().max]);
    if let Some(depth) = measure.depth.filter(|depth| depth.lo > STEP * size) {
        let outward = minus(&depth.point, &depth.nearest);
        return unit(&if depth.surface == 0 { outward } else { times(&outward, -1.0) });
    }
    let own = |pair: &[u32; 2]| {
        let [first, second] = [0, 1].map(|side| doubled_area(&surfaces[side].triangle(pair[side])));
        match is_solid {
            [true, false] => first,
            [false, true] => times(&second, -1.0),
            [true, true] => minus(&unit(&first).unwrap_or_default(), &unit(&second).unwrap_or_default()),
            // Of open surfaces, the second counts with the side that it turns to the first.
            [false, false] => {
                let turn = if dot(&first, &second) > 0.0 { 1.0 } else { -1.0 };
                plus(&unit(&first).unwrap_or_default(), &times(&unit(&second).unwrap_or_default(), turn))
            }
        }
    };
    let mean = |pairs: &[[u32; 2]], weight: &dyn Fn(&[u32; 2]) -> f64| {
        let sum =
            |sum: Vector, pair: &[u32; 2]| plus(&sum, &times(&unit(&own(pair)).unwrap_or_default(), weight(pair)));
        unit(&pairs.iter().fold([0.0; 3], sum))
    };
    let overlap = |pair: &[u32; 2]| crossing(&surfaces[0].triangle(pair[0]), &surfaces[1].triangle(pair[1])).area();
    mean(&pieces.coplanar, &overlap).or_else(curve).or_else(|| mean(&pieces.touching, &|_| 1.0))
}

/// A vector divided by its length; `None` if it has none.
fn unit(vector: &Vector) -> Option<Vector> {
    let largest = vector.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if !(largest > 0.0) {
        return None;
    }
    // Squares of small numbers would vanish.
    let scaled = vector.map(|x| x / largest);
    Some(times(&scaled, 1.0 / length(&scaled)))
}
