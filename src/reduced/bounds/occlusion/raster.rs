//! Images of points on a screen, rounded outward, and occluders drawn into pixels that they cover
//! wholly.
//!
//! **One triangle** covers a pixel if the pixel's corners are inside all its edges.
//!
//! **Several triangles** cover a pixel together. Take triangles that meet the pixel and are joined
//! by edges that meet it, where two triangles are on different sides of their edge. The border of
//! their union within the pixel consists of edges that belong to one of them only; around a corner
//! whose edges are all joined the triangles turn full circles. So if all edges that meet the pixel
//! are joined, and a point of the pixel is inside, then all of the pixel is. No other triangle
//! matters: a layer behind is a group of its own.
//!
//! **Rounding.** A coordinate on the screen has a bound on its error, and so do the values of the
//! edges' functions. An edge that may meet a pixel counts as one that does, a point that may be
//! outside of a triangle as outside. Depths are rounded away from the camera.

use super::{Depth, View};
use crate::limits;
use crate::math::f32_at_least;
use crate::reduced::bounds::screen::Rectangle;
use crate::sets::DisjointSets;

/// What is known of the images of some points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::reduced::bounds) enum Images {
    /// All are behind the camera's plane.
    Behind,
    /// One may be in the plane, or numbers are too large.
    Unknown,
    /// All are in front: a rectangle that contains them, and a depth that none is nearer than.
    Before(Rectangle, f64),
}

impl Images {
    /// The images of points, and of all points between them.
    pub(in crate::reduced::bounds) fn of(view: &View, points: &[[f64; 3]]) -> Self {
        let (mut is_behind, mut is_before) = (true, true);
        let mut rectangle = Rectangle { min: [f64::INFINITY; 2], max: [f64::NEG_INFINITY; 2] };
        let mut nearest = f64::INFINITY;
        for point in points {
            let w = value(&view.camera.w, point);
            is_behind &= w[1] < 0.0;
            is_before &= w[0] > 0.0;
            for (axis, row) in [&view.camera.x, &view.camera.y].into_iter().enumerate() {
                let [low, high] = quotient(value(row, point), w);
                is_before &= low <= high;
                rectangle.min[axis] = rectangle.min[axis].min(low);
                rectangle.max[axis] = rectangle.max[axis].max(high);
            }
            let [low, high] = depth(view, point, w);
            is_before &= low <= high;
            nearest = nearest.min(low);
        }
        match (is_behind, is_before) {
            (true, _) => Self::Behind,
            (_, true) => Self::Before(rectangle, nearest),
            _ => Self::Unknown,
        }
    }
}

/// Least and largest value of an affine function at a point, as a real number. NaN where numbers
/// are too large.
fn value(row: &[f64; 4], point: &[f64; 3]) -> [f64; 2] {
    let (mut value, mut size) = (row[3], row[3].abs());
    for axis in 0..3 {
        let term = row[axis] * point[axis];
        value += term;
        size += term.abs();
    }
    let lost = limits::ROUNDING * size;
    [value - lost, value + lost]
}

/// The depth of a point.
fn depth(view: &View, point: &[f64; 3], w: [f64; 2]) -> [f64; 2] {
    let z = value(view.depth.row(), point);
    if matches!(view.depth, Depth::Divided(_)) { quotient(z, w) } else { z }
}

/// The quotient of two intervals, of which the second is positive; rounded outward.
fn quotient([low, high]: [f64; 2], [least, most]: [f64; 2]) -> [f64; 2] {
    let low = low / if low > 0.0 { most } else { least };
    let high = high / if high > 0.0 { least } else { most };
    [low - limits::ROUNDING * low.abs(), high + limits::ROUNDING * high.abs()]
}

/// A vertex of an occluder in the picture.
#[derive(Clone, Copy, Debug)]
struct Corner {
    /// Its place, in pixels, and the largest error of that.
    at: [f64; 2],
    error: f64,
    /// Its depth.
    depth: [f64; 2],
    /// Numerator and denominator of the depth, of which each is affine on the screen.
    over: [[f64; 2]; 2],
}

impl Corner {
    /// `None` for a vertex that may reach the camera's plane.
    fn new(view: &View, size: [usize; 2], point: &[f64; 3]) -> Option<Self> {
        let w = value(&view.camera.w, point);
        if !(w[0] > 0.0) {
            return None;
        }
        let (mut at, mut error) = ([0.0; 2], 0.0f64);
        for (axis, row) in [&view.camera.x, &view.camera.y].into_iter().enumerate() {
            let [from, to] = quotient(value(row, point), w);
            let [first, last] = super::pixels(&view.screen, axis, size[axis], from, to);
            at[axis] = 0.5 * (first + last);
            error = error.max(last - first);
        }
        let z = value(view.depth.row(), point);
        let over = match view.depth {
            Depth::Divided(_) => [quotient(z, w), [1.0; 2]],
            Depth::Affine(_) => [quotient(z, w), quotient([1.0; 2], w)],
        };
        let is_usable = at.iter().chain([&error]).chain(over.as_flattened()).all(|number| number.is_finite());
        is_usable.then_some(Self { at, error, depth: depth(view, point, w), over })
    }
}

/// A triangle in the picture, its corners counterclockwise.
#[derive(Clone, Copy, Debug)]
struct Facet {
    vertices: [u32; 3],
    corners: [Corner; 3],
    /// Per edge, opposite to the corner of that number, the facet on its other side.
    twins: [Option<u32>; 3],
    /// Largest error of a place, in pixels, and of an edge's function.
    error: f64,
    lost: f64,
}

impl Facet {
    /// `None` for a triangle that is a line on the screen, or nearly so.
    fn new(vertices: [u32; 3], corners: [Corner; 3]) -> Option<Self> {
        let error = corners.iter().fold(0.0f64, |most, corner| most.max(corner.error));
        let side = |axis: usize| {
            let [a, b, c] = corners.map(|corner| corner.at[axis]);
            a.max(b).max(c) - a.min(b).min(c) + 2.0
        };
        // Of places that are off by the error, at most this far apart.
        let far = side(0) + side(1) + 4.0 * error;
        let lost = 4.0 * error * (far + error) + limits::ROUNDING * far * far;
        let mut facet = Self { vertices, corners, twins: [None; 3], error, lost };
        let area = facet.edge(0, corners[0].at);
        if area < 0.0 {
            facet.vertices.swap(1, 2);
            facet.corners.swap(1, 2);
        }
        (area.abs() > 2.0 * lost).then_some(facet)
    }

    /// The function of an edge: positive inside.
    fn edge(&self, edge: usize, [x, y]: [f64; 2]) -> f64 {
        let [from, to] = ends(edge).map(|end| self.corners[end].at);
        (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
    }

    /// First and last pixel of an axis that the facet may meet; `None` if there is none.
    fn range(&self, axis: usize, count: usize) -> Option<[usize; 2]> {
        let places = self.corners.map(|corner| corner.at[axis]);
        let low = places.into_iter().fold(f64::INFINITY, f64::min) - 2.0 * self.error;
        let high = places.into_iter().fold(f64::NEG_INFINITY, f64::max) + 2.0 * self.error;
        let within = |place: f64| place.floor().clamp(0.0, (count - 1) as f64) as usize;
        // A border that is met counts for the pixels on both sides.
        (high >= 0.0 && low <= count as f64).then(|| [within(low - low.abs() * limits::ROUNDING), within(high)])
    }

    /// How the facet meets a pixel.
    fn meet(&self, [column, row]: [usize; 2]) -> Meeting {
        let (low, middle) = ([column as f64, row as f64], [column as f64 + 0.5, row as f64 + 0.5]);
        let mut edges = [false; 3];
        let mut is_inside = true;
        for edge in 0..3 {
            let [from, to] = ends(edge).map(|end| self.corners[end].at);
            let half = 0.5 * ((to[0] - from[0]).abs() + (to[1] - from[1]).abs()) + self.lost;
            let value = self.edge(edge, middle);
            if value + half < 0.0 {
                return Meeting::Outside;
            }
            let is_crossed = value - half <= 0.0;
            is_inside &= !is_crossed;
            let margin = 2.0 * self.error + limits::ROUNDING * (1.0 + low[0] + low[1]);
            edges[edge] = is_crossed
                && (0..2).all(|axis| {
                    let (least, most) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
                    least - margin <= low[axis] + 1.0 && most + margin >= low[axis]
                });
        }
        match is_inside {
            true => Meeting::Covered,
            false if edges == [false; 3] => Meeting::Outside,
            false => Meeting::Edges(edges),
        }
    }

    /// Whether a point of a pixel is certainly inside.
    fn has_point_of(&self, [column, row]: [usize; 2]) -> bool {
        let low = [column as f64, row as f64];
        let is_inside = |place: [f64; 2]| (0..3).all(|edge| self.edge(edge, place) > self.lost);
        let is_corner_in = self.corners.iter().any(|corner| {
            (0..2).all(|axis| {
                corner.at[axis] - 2.0 * self.error > low[axis] && corner.at[axis] + 2.0 * self.error < low[axis] + 1.0
            })
        });
        is_corner_in || crate::tuning::PIXEL_POINTS.iter().any(|[x, y]| is_inside([low[0] + x, low[1] + y]))
    }

    /// A depth that no point of the facet in a pixel is behind.
    fn farthest(&self, [column, row]: [usize; 2]) -> f64 {
        let most = self.corners.iter().fold(f64::NEG_INFINITY, |most, corner| most.max(corner.depth[1]));
        // The plane of the facet: along the screen a quotient of affine functions, which is largest
        // at a corner of the pixel.
        let mut plane = f64::NEG_INFINITY;
        for corner in 0..4 {
            let place = [(column + corner % 2) as f64, (row + corner / 2) as f64];
            let (mut over, mut size) = ([[0.0; 2]; 2], [0.0; 2]);
            for edge in 0..3 {
                let part = self.edge(edge, place);
                let part = [part - self.lost, part + self.lost];
                for term in 0..2 {
                    let ends = self.corners[edge].over[term];
                    let products = [part[0] * ends[0], part[0] * ends[1], part[1] * ends[0], part[1] * ends[1]];
                    let least = products.into_iter().fold(f64::INFINITY, f64::min);
                    let most = products.into_iter().fold(f64::NEG_INFINITY, f64::max);
                    over[term] = [over[term][0] + least, over[term][1] + most];
                    size[term] += least.abs().max(most.abs());
                }
            }
            for term in 0..2 {
                let lost = limits::ROUNDING * size[term];
                over[term] = [over[term][0] - lost, over[term][1] + lost];
            }
            if !(over[1][0] > 0.0) {
                return most;
            }
            plane = plane.max(quotient(over[0], over[1])[1]);
        }
        if plane < most { plane } else { most }
    }
}

/// The corners at the ends of an edge.
fn ends(edge: usize) -> [usize; 2] {
    [(edge + 1) % 3, (edge + 2) % 3]
}

/// How a facet meets a pixel.
enum Meeting {
    /// Not, or without an edge.
    Outside,
    /// It covers all of the pixel.
    Covered,
    /// With some of its edges.
    Edges([bool; 3]),
}

/// A facet that meets a pixel with edges.
struct Part {
    pixel: u32,
    facet: u32,
    edges: [bool; 3],
}

/// Draws occluders into the depths of a picture of infinite depth.
pub(super) fn draw(view: &View, size: [usize; 2], positions: &[[f64; 3]], triangles: &[[u32; 3]], depths: &mut [f32]) {
    let facets = facets(view, size, positions, triangles);
    let mut parts = Vec::new();
    for (number, facet) in (0..).zip(&facets) {
        let (Some(columns), Some(rows)) = (facet.range(0, size[0]), facet.range(1, size[1])) else { continue };
        for row in rows[0]..=rows[1] {
            for column in columns[0]..=columns[1] {
                let pixel = row * size[0] + column;
                match facet.meet([column, row]) {
                    Meeting::Outside => {}
                    Meeting::Covered => cover(&mut depths[pixel], facet.farthest([column, row])),
                    Meeting::Edges(edges) => parts.push(Part { pixel: pixel as u32, facet: number, edges }),
                }
            }
        }
    }
    parts.sort_unstable_by_key(|part| (part.pixel, part.facet));
    for parts in parts.chunk_by(|a, b| a.pixel == b.pixel) {
        let pixel = parts[0].pixel as usize;
        join(&facets, parts, [pixel % size[0], pixel / size[0]], &mut depths[pixel]);
    }
}

/// Takes a depth, rounded away from the camera, if it is nearer.
fn cover(depth: &mut f32, found: f64) {
    // Negative infinity is not a depth.
    *depth = depth.min(f32_at_least(found).max(f32::MIN));
}

/// Triangles that are usable in a picture, with those on the other sides of their edges.
fn facets(view: &View, size: [usize; 2], positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<Facet> {
    let key = |vertex: u32| positions[vertex as usize].map(|x| (x + 0.0).to_bits());
    let mut sorted: Vec<u32> = (0..positions.len() as u32).collect();
    sorted.sort_unstable_by_key(|&vertex| (key(vertex), vertex));
    let mut same: Vec<u32> = (0..positions.len() as u32).collect();
    for together in sorted.chunk_by(|&a, &b| key(a) == key(b)) {
        together.iter().for_each(|&vertex| same[vertex as usize] = together[0]);
    }
    let corners: Vec<Option<Corner>> = positions.iter().map(|point| Corner::new(view, size, point)).collect();
    let facet = |triangle: &[u32; 3]| {
        let vertices = triangle.map(|vertex| same[vertex as usize]);
        let [a, b, c] = vertices.map(|vertex| corners[vertex as usize]);
        Facet::new(vertices, [a?, b?, c?])
    };
    let mut facets: Vec<Facet> = triangles.iter().filter_map(facet).collect();
    let mut edges: Vec<([u32; 2], u32)> = Vec::new();
    for (number, facet) in (0..).zip(&facets) {
        edges.extend((0..3).map(|edge| (ends(edge).map(|end| facet.vertices[end]), number)));
    }
    edges.sort_unstable();
    // The only facet with an edge in a direction.
    let only = |ends: [u32; 2]| {
        let first = edges.partition_point(|(other, _)| *other < ends);
        let is_other = |at: usize| edges.get(at).is_some_and(|(other, _)| *other == ends);
        (is_other(first) && !is_other(first + 1)).then(|| edges[first].1)
    };
    for facet in &mut facets {
        for edge in 0..3 {
            let [from, to] = ends(edge).map(|end| facet.vertices[end]);
            facet.twins[edge] = only([from, to]).and(only([to, from]));
        }
    }
    facets
}

/// Covers a pixel with facets that meet it with edges, see the module documentation.
fn join(facets: &[Facet], parts: &[Part], pixel: [usize; 2], depth: &mut f32) {
    let mut groups = DisjointSets::new(parts.len());
    let mut is_open = vec![false; parts.len()];
    for (at, part) in parts.iter().enumerate() {
        for edge in (0..3).filter(|&edge| part.edges[edge]) {
            match facets[part.facet as usize].twins[edge] {
                None => is_open[at] = true,
                // A twin that is not among the parts does not meet the pixel, nor does the edge.
                Some(twin) => {
                    if let Ok(other) = parts.binary_search_by_key(&twin, |part| part.facet) {
                        groups.join(at as u32, other as u32);
                    }
                }
            }
        }
    }
    // Per group: whether an edge is open, whether a point is inside, the farthest depth.
    let mut found = vec![(false, false, f64::NEG_INFINITY); parts.len()];
    for (at, part) in parts.iter().enumerate() {
        let facet = &facets[part.facet as usize];
        let of_group = &mut found[groups.root(at as u32) as usize];
        of_group.0 |= is_open[at];
        of_group.1 = of_group.1 || facet.has_point_of(pixel);
        of_group.2 = of_group.2.max(facet.farthest(pixel));
    }
    for (at, (is_open, has_point, farthest)) in found.into_iter().enumerate() {
        if groups.root(at as u32) == at as u32 && !is_open && has_point {
            cover(depth, farthest);
        }
    }
}
