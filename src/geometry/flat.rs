//! Common points of coplanar triangles and of triangles without area.
//!
//! Each triangle is replaced by its convex hull: a triangle, a segment or a point. The corners of
//! the common points of two coplanar hulls are the corners of one that lie in the other, and the
//! points where two edges cross in their interiors. Each of these is decided by exact signs in a
//! coordinate plane that keeps the figure's dimension, or by lexicographic order along a line.

use super::crossing::{Crossing, Site, Triangle, edge_between};
use crate::math::vector::{Vector, between};
use crate::narrow::pierce::{line_parameter, plane_parameter};
use crate::narrow::{Projection, area_sign, faithful_projection, volume_sign};

/// The convex hull of the corners of a triangle.
struct Hull<'a> {
    triangle: &'a Triangle,
    /// The corners of the hull, in lexicographic order if there are two; the first `count` count.
    corners: [usize; 3],
    count: usize,
    projection: Option<Projection>,
}

impl<'a> Hull<'a> {
    fn of(triangle: &'a Triangle) -> Self {
        let [p, q, r] = triangle;
        let projection = faithful_projection(p, q, r);
        if projection.is_some() {
            return Self { triangle, corners: [0, 1, 2], count: 3, projection };
        }
        let (mut low, mut high) = (0, 0);
        for corner in 1..3 {
            if triangle[corner] < triangle[low] {
                low = corner;
            }
            if triangle[corner] > triangle[high] {
                high = corner;
            }
        }
        let count = if triangle[low] == triangle[high] { 1 } else { 2 };
        Self { triangle, corners: [low, high, high], count, projection }
    }

    fn point(&self, place: usize) -> &'a Vector {
        &self.triangle[self.corners[place]]
    }

    fn vertex(&self, place: usize) -> Site {
        Site::Vertex(self.corners[place] as u8)
    }

    /// The edges by places of their ends.
    fn edges(&self) -> &'static [[usize; 2]] {
        match self.count {
            3 => &[[0, 1], [1, 2], [2, 0]],
            2 => &[[0, 1]],
            _ => &[],
        }
    }

    fn edge(&self, [from, to]: [usize; 2]) -> Site {
        edge_between(self.corners[from], self.corners[to])
    }

    /// The site of a point of the hull's plane or line; `None` if the point is outside.
    fn locate(&self, projection: Option<Projection>, point: &Vector) -> Option<Site> {
        if let (3, Some(projection)) = (self.count, projection) {
            let [p, q, r] = self.triangle;
            let turn = area_sign(projection, p, q, r);
            return triangle_site([(p, q), (q, r), (r, p)].map(|(p, q)| turn * area_sign(projection, p, q, point)));
        }
        let (low, high) = (self.point(0), self.point(1));
        if point == low {
            return Some(self.vertex(0));
        }
        if point == high {
            return Some(self.vertex(1));
        }
        let is_on_line = projection.is_none_or(|projection| area_sign(projection, low, high, point) == 0);
        (self.count == 2 && is_on_line && low < point && point < high).then(|| self.edge([0, 1]))
    }
}

/// The site of a point by the sides of the three edges on which it lies, positive inside.
fn triangle_site(sides: [i32; 3]) -> Option<Site> {
    if sides.contains(&-1) {
        return None;
    }
    Some(match sides {
        [0, 0, _] => Site::Vertex(1),
        [_, 0, 0] => Site::Vertex(2),
        [0, _, 0] => Site::Vertex(0),
        [0, ..] => Site::Edge(0),
        [_, 0, _] => Site::Edge(1),
        [.., 0] => Site::Edge(2),
        _ => Site::Face,
    })
}

/// Finds the common points of two triangles that touch, and are coplanar or not both with area.
pub(super) fn common_points(a: &Triangle, b: &Triangle, found: &mut Crossing) {
    let (of_a, of_b) = (Hull::of(a), Hull::of(b));
    if of_a.count == 3 && leaves_plane(&of_b, a) {
        pierce(&of_a, &of_b, |point, large, small| found.push(point, [large, small]));
        return;
    }
    if of_b.count == 3 && leaves_plane(&of_a, b) {
        pierce(&of_b, &of_a, |point, large, small| found.push(point, [small, large]));
        return;
    }
    let projection = of_a.projection.or(of_b.projection).or_else(|| {
        let (p, q) = (of_a.point(0), of_a.point(1));
        faithful_projection(p, q, of_b.point(0)).or_else(|| faithful_projection(p, q, of_b.point(1)))
    });
    in_one_plane(&of_a, &of_b, projection, found);
    if let (Some(projection), true) = (of_a.projection, found.corners().len() > 2) {
        sort_around(found, projection, area_sign(projection, &a[0], &a[1], &a[2]));
    }
}

fn leaves_plane(hull: &Hull, [p, q, r]: &Triangle) -> bool {
    (0..hull.count).any(|place| volume_sign(q, r, hull.point(place), p) != 0)
}

/// A segment that touches a triangle and does not lie in its plane: one point.
fn pierce(large: &Hull, small: &Hull, push: impl FnOnce(Vector, Site, Site)) {
    let (p, q) = (small.point(0), small.point(1));
    let [r, s, t] = large.triangle;
    let side = |point: &Vector| volume_sign(s, t, point, r);
    let turns = [volume_sign(p, q, r, s), volume_sign(p, q, s, t), volume_sign(p, q, t, r)];
    let sense = if turns.contains(&-1) { -1 } else { 1 };
    let on_large = triangle_site(turns.map(|turn| sense * turn)).unwrap_or(Site::Face);
    let on_small = match (side(p), side(q)) {
        (0, _) => small.vertex(0),
        (_, 0) => small.vertex(1),
        _ => small.edge([0, 1]),
    };
    let point = match (on_large, on_small) {
        (Site::Vertex(corner), _) => large.triangle[corner as usize],
        (_, Site::Vertex(corner)) => small.triangle[corner as usize],
        _ => between(p, q, plane_parameter(p, q, large.triangle)),
    };
    push(point, on_large, on_small);
}

/// Two hulls of one plane, given a projection that keeps its figures apart, or of one line.
fn in_one_plane(a: &Hull, b: &Hull, projection: Option<Projection>, found: &mut Crossing) {
    for place in 0..a.count {
        if let Some(site) = b.locate(projection, a.point(place)) {
            found.push(*a.point(place), [a.vertex(place), site]);
        }
    }
    for place in 0..b.count {
        match a.locate(projection, b.point(place)) {
            // Found already as a corner of A.
            None | Some(Site::Vertex(_)) => {}
            Some(site) => found.push(*b.point(place), [site, b.vertex(place)]),
        }
    }
    let Some(projection) = projection else {
        return;
    };
    for &[i, j] in a.edges() {
        for &[k, l] in b.edges() {
            let (p, q, r, s) = (a.point(i), a.point(j), b.point(k), b.point(l));
            let separates = |p, q, r, s| area_sign(projection, p, q, r) * area_sign(projection, p, q, s) < 0;
            if separates(p, q, r, s) && separates(r, s, p, q) {
                let point = between(p, q, line_parameter(projection, p, q, r, s));
                found.push(point, [a.edge([i, j]), b.edge([k, l])]);
            }
        }
    }
}

/// Sorts the corners of a polygon around their mean: counter-clockwise in the projection if `turn`
/// is positive, clockwise otherwise.
fn sort_around(found: &mut Crossing, (i, j): Projection, turn: i32) {
    let Some(middle) = found.point() else {
        return;
    };
    // Grows from 0 to 4 over a full turn.
    let angle = |point: &Vector| {
        let (x, y) = (point[i] - middle[i], f64::from(turn) * (point[j] - middle[j]));
        let slope = x / (x.abs() + y.abs());
        if y >= 0.0 { 1.0 - slope } else { 3.0 + slope }
    };
    found.corners_mut().sort_by(|p, q| angle(&p.point).total_cmp(&angle(&q.point)));
}
