//! The common points of two triangles: nothing, a point, a segment or a convex polygon.
//!
//! Exact signs decide which of these it is, and on which corners, edges and faces the ends lie.
//! Only coordinates are rounded.
//!
//! Triangles in different planes: both cut the common line of their planes in an interval
//! (`narrow::tri_tri`). Four exact signs order the four ends of these intervals, and the common
//! points are between the greater of the two begins and the smaller of the two ends. Coplanar
//! triangles and triangles without area: see `flat`.

use super::flat;
use crate::math::vector::{Vector, between, cross, distance, dot, largest, length, minus, plus, times};
use crate::narrow::pierce::plane_parameter;
use crate::narrow::{Cut, faithful_projection, triangles_touch, volume_sign};

pub(super) type Triangle = [Vector; 3];

/// Most corners of the common points of two triangles.
const MOST_CORNERS: usize = 6;

/// The part of a triangle on which a point lies: the smallest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Site {
    /// A corner, 0 to 2.
    Vertex(u8),
    /// The interior of an edge, 0 to 2; edge `k` runs from corner `k` to corner `(k + 1) % 3`.
    Edge(u8),
    /// The interior of the face.
    Face,
}

/// A corner of the common points of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CrossingCorner {
    /// Where it is, metres. Equals the vertex if it lies on one.
    pub point: [f64; 3],
    /// On which part of the first, and of the second triangle it lies. Exact. Of a triangle without
    /// area only corners and edges are named.
    pub sites: [Site; 2],
}

/// The common points of two triangles; see [`crossing`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "StoredCrossing", into = "StoredCrossing")
)]
pub struct Crossing {
    corners: [CrossingCorner; MOST_CORNERS],
    count: usize,
    normals: [Option<Vector>; 2],
}

/// Common points as they are stored: the corners that there are.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredCrossing {
    corners: Vec<CrossingCorner>,
    normals: [Option<Vector>; 2],
}

#[cfg(feature = "serde")]
impl From<Crossing> for StoredCrossing {
    fn from(crossing: Crossing) -> Self {
        Self { corners: crossing.corners().to_vec(), normals: crossing.normals }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredCrossing> for Crossing {
    type Error = &'static str;

    fn try_from(stored: StoredCrossing) -> Result<Self, Self::Error> {
        if stored.corners.len() > MOST_CORNERS {
            return Err("two triangles have at most six corners in common");
        }
        let mut crossing = Self { normals: stored.normals, ..Self::NOTHING };
        stored.corners.iter().for_each(|corner| crossing.push(corner.point, corner.sites));
        Ok(crossing)
    }
}

/// The shape of the common points of two triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CrossingShape {
    /// No common point.
    Nothing,
    /// One point.
    Point,
    /// A segment.
    Segment,
    /// A convex polygon: the triangles are coplanar and overlap.
    Polygon,
}

impl Crossing {
    pub(super) const NOTHING: Self = Self {
        corners: [CrossingCorner { point: [0.0; 3], sites: [Site::Face; 2] }; MOST_CORNERS],
        count: 0,
        normals: [None; 2],
    };

    /// Appends a corner; a corner beyond the sixth, which no two triangles have, is left out.
    pub(super) fn push(&mut self, point: Vector, sites: [Site; 2]) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = CrossingCorner { point, sites };
            self.count += 1;
        }
    }

    pub(super) fn corners_mut(&mut self) -> &mut [CrossingCorner] {
        &mut self.corners[..self.count]
    }

    /// Whether the triangles have no common point.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The shape of the common points. Exact.
    pub fn shape(&self) -> CrossingShape {
        match self.count {
            0 => CrossingShape::Nothing,
            1 => CrossingShape::Point,
            2 => CrossingShape::Segment,
            _ => CrossingShape::Polygon,
        }
    }

    /// The corners: none, a point, two ends, or three to six corners in cyclic order.
    ///
    /// Where both triangles have area and different planes, a segment runs in the direction of n₀ ×
    /// n₁, the cross product of the normals. A polygon runs counter-clockwise around the normal of
    /// the first triangle.
    pub fn corners(&self) -> &[CrossingCorner] {
        &self.corners[..self.count]
    }

    /// The mean of the corners, metres; `None` if the triangles have no common point.
    pub fn point(&self) -> Option<[f64; 3]> {
        let share = 1.0 / self.count as f64;
        let sum = |sum: Vector, corner: &CrossingCorner| plus(&sum, &times(&corner.point, share));
        (self.count > 0).then(|| self.corners().iter().fold([0.0; 3], sum))
    }

    /// Unit normals of both triangles, by the right-hand rule; `None` of a triangle without area.
    /// The direction has an error of about 2⁻⁵⁰ divided by the sine of the smallest angle, radians.
    pub fn normals(&self) -> [Option<[f64; 3]>; 2] {
        self.normals
    }

    /// Length of a segment, metres; 0 for other shapes.
    pub fn length(&self) -> f64 {
        if let [p, q] = self.corners() { distance(&p.point, &q.point) } else { 0.0 }
    }

    /// Area of a polygon, square metres; 0 for other shapes.
    pub fn area(&self) -> f64 {
        let corners = self.corners();
        let Some(origin) = corners.first() else {
            return 0.0;
        };
        let fan = corners.windows(2).fold([0.0; 3], |sum, pair| {
            plus(&sum, &cross(&minus(&pair[0].point, &origin.point), &minus(&pair[1].point, &origin.point)))
        });
        if corners.len() > 2 { 0.5 * length(&fan) } else { 0.0 }
    }
}

/// Returns the common points of two closed triangles.
///
/// The result is empty if and only if [`triangles_touch`] says that the triangles do not touch.
/// Shape and sites are exact. Every coordinate has an error of at most 2⁻⁴⁶ times the largest
/// magnitude among the 18 coordinates. Corners that lie on a vertex are exact.
///
/// Coordinates are metres, within the range stated in [`crate::narrow`]. Outside that range, and
/// for NaN or infinite coordinates, it does not panic, but the result means nothing. Triangles may
/// be coplanar, may share corners, and may be segments or points. Constant time: about a
/// microsecond.
///
/// ```
/// use kinetree::geometry::{CrossingShape, Site, crossing};
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// let blade = [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 9.0, 0.0]];
/// let crossing = crossing(&floor, &blade);
/// assert_eq!(crossing.shape(), CrossingShape::Segment);
/// let ends = crossing.corners();
/// assert_eq!([ends[0].point, ends[1].point], [[1.0, 3.0, 0.0], [1.0, 1.0, 0.0]]);
/// assert_eq!(ends[0].sites, [Site::Edge(1), Site::Face]);
/// assert_eq!(ends[1].sites, [Site::Face, Site::Edge(0)]);
/// ```
pub fn crossing(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> Crossing {
    common_points(a, b).crossing
}

/// A crossing with the data that area and depth inside a body need.
pub(super) struct Oriented {
    pub(super) crossing: Crossing,
    /// Signs of the sides of the corners of each triangle, relative to the plane of the other one;
    /// zeros if that has no area.
    pub(super) sides: [[i32; 3]; 2],
    /// Per triangle: whether its part in the plane of the other one is an edge whose third corner
    /// lies on the positive side. A plane moved by next to nothing to the negative side misses it.
    pub(super) rests_above: [bool; 2],
    /// Whether they are coplanar, or one of them has no area.
    pub(super) is_flat: bool,
}

/// [`crossing`] with the sides of the corners.
pub(super) fn common_points(a: &Triangle, b: &Triangle) -> Oriented {
    let (crossing, sides_of, rests_above) = (Crossing::NOTHING, [[0; 3]; 2], [false; 2]);
    let mut found = Oriented { crossing, sides: sides_of, rests_above, is_flat: false };
    if !triangles_touch(a, b) {
        return found;
    }
    found.crossing.normals = [unit_normal(a), unit_normal(b)];
    let sides = [sides(a, b), sides(b, a)];
    found.sides = sides;
    if found.crossing.normals.contains(&None) || sides.contains(&[0; 3]) {
        found.is_flat = true;
        flat::common_points(a, b, &mut found.crossing);
    } else {
        across(a, b, sides, &mut found.crossing);
        let count = |sides: [i32; 3], wanted: i32| sides.iter().filter(|&&side| side == wanted).count();
        found.rests_above = sides.map(|sides| count(sides, 0) == 2 && count(sides, 1) == 1);
    }
    found
}

/// Exact sides of the corners of a triangle relative to the plane of another one.
fn sides(of: &Triangle, [p, q, r]: &Triangle) -> [i32; 3] {
    [0, 1, 2].map(|corner: usize| volume_sign(q, r, &of[corner], p))
}

/// The interval in which a triangle cuts the line common to both planes.
struct Interval<'a> {
    triangle: &'a Triangle,
    sides: [i32; 3],
    cut: Cut,
    /// The corners opposite to the lone one on the edges of the begin and of the end.
    ends: [usize; 2],
}

impl Interval<'_> {
    /// The site of an end.
    fn site(&self, end: usize) -> Site {
        let (alone, other) = (self.cut.alone, self.ends[end]);
        match (self.sides[alone], self.sides[other]) {
            (0, _) => Site::Vertex(alone as u8),
            (_, 0) => Site::Vertex(other as u8),
            _ => edge_between(alone, other),
        }
    }

    /// The site of points strictly between the ends.
    fn middle(&self) -> Site {
        let [next, last] = [(self.cut.alone + 1) % 3, (self.cut.alone + 2) % 3];
        if self.sides[next] == 0 && self.sides[last] == 0 { Site::Edge(next as u8) } else { Site::Face }
    }

    /// The end as a point on an edge; `plane` is the other triangle.
    fn point(&self, end: usize, plane: &Triangle) -> Vector {
        let (p, q) = (&self.triangle[self.cut.alone], &self.triangle[self.ends[end]]);
        between(p, q, plane_parameter(p, q, plane))
    }
}

/// The edge between two different corners.
pub(super) fn edge_between(p: usize, q: usize) -> Site {
    Site::Edge(if (p + 1) % 3 == q { p } else { q } as u8)
}

/// Touching triangles with area in different planes.
fn across(a: &Triangle, b: &Triangle, [sides_a, sides_b]: [[i32; 3]; 2], found: &mut Crossing) {
    let (cut_a, cut_b) = (Cut::of(sides_a), Cut::of(sides_b));
    // Along n × m, the interval of A begins on the edge to `first`, that of B on the edge to `last`
    // (`narrow::tri_tri`, `intervals_meet`).
    let of_a = Interval { triangle: a, sides: sides_a, cut: cut_a, ends: [cut_a.first, cut_a.last] };
    let of_b = Interval { triangle: b, sides: sides_b, cut: cut_b, ends: [cut_b.last, cut_b.first] };
    let sense = cut_a.rising * cut_b.rising;
    // The order of end k of A and end l of B along the line: 1 if that of B comes later.
    let order = [0, 1].map(|k: usize| {
        [0, 1].map(|l: usize| sense * volume_sign(&a[of_a.ends[k]], &b[cut_b.alone], &b[of_b.ends[l]], &a[cut_a.alone]))
    });
    let corner = |end: usize, is_of_a: bool| {
        let other_site = |interval: &Interval, signs: [i32; 2]| match signs {
            [0, _] => interval.site(0),
            [_, 0] => interval.site(1),
            _ => interval.middle(),
        };
        let sites = if is_of_a {
            [of_a.site(end), other_site(&of_b, order[end])]
        } else {
            [other_site(&of_a, [order[0][end], order[1][end]]), of_b.site(end)]
        };
        let point = match sites {
            [Site::Vertex(corner), _] => a[corner as usize],
            [_, Site::Vertex(corner)] => b[corner as usize],
            _ if is_of_a => of_a.point(end, b),
            _ => of_b.point(end, a),
        };
        (point, sites)
    };
    let begins_with_a = order[0][0] <= 0;
    let ends_with_a = order[1][1] >= 0;
    let is_point = match (begins_with_a, ends_with_a) {
        (true, true) => sides_a[cut_a.alone] == 0,
        (false, false) => sides_b[cut_b.alone] == 0,
        (true, false) => order[0][1] == 0,
        (false, true) => order[1][0] == 0,
    };
    let (point, sites) = corner(0, begins_with_a);
    found.push(point, sites);
    if !is_point {
        let (point, sites) = corner(1, ends_with_a);
        found.push(point, sites);
    }
}

/// Square of the sine between two edges below which the cross product of the edges has lost about
/// ten of its sixteen digits (unitless).
const CANCELLED: f64 = 1e-20;

/// The unit normal of a triangle; `None` if and only if its corners are collinear.
pub(super) fn unit_normal([p, q, r]: &Triangle) -> Option<Vector> {
    faithful_projection(p, q, r)?;
    // Scaled so that no square leaves the range of f64.
    let scale = 1.0 / largest(&[minus(q, p), minus(r, p)]);
    let [u, v] = [minus(q, p), minus(r, p)].map(|edge| times(&edge, scale));
    let mut normal = cross(&u, &v);
    if dot(&normal, &normal) < CANCELLED * dot(&u, &u) * dot(&v, &v) {
        // Cancellation: the signed areas of the projections, each with its exact sign.
        let area = |i: usize, j: usize| {
            let coord = |point: &Vector| robust::Coord { x: point[i], y: point[j] };
            robust::orient2d(coord(p), coord(q), coord(r))
        };
        normal = [area(1, 2), area(2, 0), area(0, 1)];
    }
    let size = largest(&[normal]);
    let normal = times(&normal, 1.0 / size);
    let norm = length(&normal);
    (norm.is_finite() && norm > 0.0).then(|| times(&normal, 1.0 / norm))
}
