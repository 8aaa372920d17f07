//! Queries of a body in a pose: frustum, direction, screen, ray, box, nearest point.
//!
//! Each query descends the tree from the boxes that are bounded from parameters, and evaluates only
//! the vertices of leaves that can still change its answer. Answers are those of all vertices
//! evaluated in `f64`, and do not depend on earlier queries.

use super::PosedBounds;
use crate::limits;
use crate::math::Aabb;
use crate::narrow::{closest_on_triangle, ray_hits_triangle};
use crate::reduced::bounds::{Camera, Rectangle};

/// Where a body is with respect to a convex region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// All vertices are behind one plane of the region; the body does not meet it.
    Outside {
        /// The first such plane.
        plane: usize,
    },
    /// All vertices are within the region.
    Inside,
    /// Neither of both.
    Crossing,
}

/// The vertex of a body that is farthest along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The vertex; of several the lowest number.
    pub vertex: u32,
    /// Its position, metres.
    pub position: [f64; 3],
    /// Its coordinate along the direction: metres times the direction's length.
    pub extent: f64,
}

/// The first triangle that a ray hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseHit {
    /// The triangle; of several at the same distance the lowest number.
    pub triangle: u32,
    /// The distance, in lengths of the ray's direction.
    pub distance: f64,
}

/// The point of a body that is nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosePoint {
    /// The triangle; of several at the same distance the lowest number.
    pub triangle: u32,
    /// The point on the triangle, metres.
    pub point: [f64; 3],
    /// The distance, metres; rounded.
    pub distance: f64,
}

impl PosedBounds<'_> {
    /// Tests the body against a convex region, the intersection of half-spaces: a point `p` is in
    /// front of the plane `[a, b, c, d]` if `a x + b y + c z + d ≥ 0`. For view frusta.
    ///
    /// Most bodies are decided by the box of the whole body: O(influences + planes). Otherwise
    /// O(log triangles) boxes and the vertices nearest to a plane.
    /// [`Visibility::Crossing`] where a plane is not one: a normal that is not finite, `d` NaN.
    ///
    /// ```
    /// # use kinetree::reduced::{Blend, Influences, Pose, ReducedDef, ReducedMesh, WeightPolicy};
    /// # use kinetree::Mesh;
    /// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
    /// # let mesh = ReducedMesh::new(def)?;
    /// use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, PosedBounds, Visibility};
    ///
    /// let tree = BoundTree::new(&mesh, BoundParams::default());
    /// let mut posed = PosedBounds::new(&tree, &mesh, Level::Corner, &Pose::rest(1, 0))?;
    /// let slab = |low: f64, high: f64| [[1.0, 0.0, 0.0, -low], [-1.0, 0.0, 0.0, high]]; // Along x, metres.
    /// assert_eq!(posed.visibility(&slab(2.0, 3.0)), Visibility::Outside { plane: 0 });
    /// assert_eq!(posed.visibility(&slab(-1.0, 3.0)), Visibility::Inside);
    /// assert_eq!(posed.visibility(&slab(0.5, 3.0)), Visibility::Crossing);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn visibility(&mut self, planes: &[[f64; 4]]) -> Visibility {
        self.begin();
        let is_plane = |plane: &[f64; 4]| plane[..3].iter().all(|x| x.is_finite()) && !plane[3].is_nan();
        if !planes.iter().all(is_plane) {
            return Visibility::Crossing;
        }
        if self.layout.triangles.is_empty() {
            return if planes.is_empty() { Visibility::Inside } else { Visibility::Outside { plane: 0 } };
        }
        let root = self.aabb(0);
        if let Some(plane) = planes.iter().position(|plane| extent(&root, plane)[1] < 0.0) {
            return Visibility::Outside { plane };
        }
        let cut: Vec<(usize, [f64; 4])> =
            (0..).zip(planes.iter().copied()).filter(|(_, plane)| !(extent(&root, plane)[0] >= 0.0)).collect();
        if let Some(&(plane, _)) = cut.iter().find(|(_, plane)| !self.reaches(plane, true)) {
            return Visibility::Outside { plane };
        }
        let is_cut = cut.iter().any(|(_, plane)| self.reaches(&plane.map(|x| -x), false));
        if is_cut { Visibility::Crossing } else { Visibility::Inside }
    }

    /// Whether a vertex is in front of a plane; the plane itself counts if it `is_closed`.
    fn reaches(&mut self, plane: &[f64; 4], is_closed: bool) -> bool {
        let mut is_found = false;
        let is_in_front = |value: f64| value > 0.0 || (is_closed && value == 0.0);
        self.walk(
            &mut is_found,
            |is_found, bounds| {
                let [_, most] = extent(bounds, plane);
                (!*is_found && !(most < 0.0)).then_some(-most)
            },
            |is_found, posed, leaf| {
                *is_found |= posed.leaf_vertices(leaf).any(|(_, position)| is_in_front(value(plane, &position)));
            },
        );
        is_found
    }

    /// The vertex that is farthest along a direction of any length: the support of the body's
    /// convex hull. `None` for a body without triangles and a direction that is not finite.
    pub fn support(&mut self, direction: [f64; 3]) -> Option<Support> {
        if !direction.iter().all(|x| x.is_finite()) {
            return None;
        }
        self.begin();
        let [a, b, c] = direction;
        let plane = [a, b, c, 0.0];
        let mut best: Option<Support> = None;
        self.walk(
            &mut best,
            |best, bounds| {
                let [_, most] = extent(bounds, &plane);
                best.is_none_or(|best| !(most < best.extent)).then_some(-most)
            },
            |best, posed, leaf| {
                for (vertex, position) in posed.leaf_vertices(leaf) {
                    let extent = value(&plane, &position);
                    let is_better =
                        |known: Support| extent > known.extent || (extent == known.extent && vertex < known.vertex);
                    if best.is_none_or(is_better) {
                        *best = Some(Support { vertex, position, extent });
                    }
                }
            },
        );
        best
    }

    /// The smallest rectangle that contains the image of every vertex; [`Rectangle::EVERYTHING`] if
    /// a vertex is in the plane of the camera or behind it. Rounded as the images are.
    ///
    /// Tighter than [`BoundTree::screen_rectangle`](crate::reduced::bounds::BoundTree), which
    /// evaluates no vertex.
    pub fn screen_rectangle(&mut self, camera: &Camera) -> Rectangle {
        self.begin();
        let is_known = [camera.x, camera.y, camera.w].as_flattened().iter().all(|x| x.is_finite());
        if !is_known || self.reaches(&camera.w.map(|x| -x), true) {
            return Rectangle::EVERYTHING;
        }
        let mut rectangle = Rectangle::EVERYTHING;
        for (axis, row) in [camera.x, camera.y].into_iter().enumerate() {
            rectangle.max[axis] = self.largest_image(&row, &camera.w);
            rectangle.min[axis] = -self.largest_image(&row.map(|x| -x), &camera.w);
        }
        rectangle
    }

    /// The largest quotient of two affine functions over all vertices; the divisor is positive.
    fn largest_image(&mut self, row: &[f64; 4], divisor: &[f64; 4]) -> f64 {
        let mut best = f64::NEG_INFINITY;
        self.walk(
            &mut best,
            |best, bounds| {
                let most = image_bound(bounds, row, divisor);
                (!(most < *best)).then_some(-most)
            },
            |best, posed, leaf| {
                let images = posed.leaf_vertices(leaf).map(|(_, place)| value(row, &place) / value(divisor, &place));
                *best = images.fold(*best, f64::max);
            },
        );
        best
    }

    /// The first triangle that a ray hits from either side, at most `reach` lengths of `direction`
    /// from `origin`. A ray that is not finite, or without direction, hits nothing.
    pub fn ray(&mut self, origin: [f64; 3], direction: [f64; 3], reach: f64) -> Option<PoseHit> {
        if !origin.iter().chain(&direction).all(|x| x.is_finite()) || !(reach >= 0.0) {
            return None;
        }
        self.begin();
        let mut best: Option<PoseHit> = None;
        let limit = |best: &Option<PoseHit>| best.map_or(reach, |hit| hit.distance);
        self.walk(
            &mut best,
            |best, bounds| bounds.entry(origin, direction, limit(best)),
            |best, posed, leaf| {
                for place in posed.leaf_places(leaf) {
                    let (triangle, corners) = (posed.triangle(place), posed.corners(place));
                    let Some(distance) = ray_hits_triangle(origin, direction, limit(best), &corners) else { continue };
                    let is_better =
                        |hit: PoseHit| distance < hit.distance || (distance == hit.distance && triangle < hit.triangle);
                    if best.is_none_or(is_better) {
                        *best = Some(PoseHit { triangle, distance });
                    }
                }
            },
        );
        best
    }

    /// Writes the triangles whose own boxes meet a box, ascending; `out` is emptied first.
    pub fn triangles_in(&mut self, bounds: &Aabb, out: &mut Vec<u32>) {
        self.begin();
        out.clear();
        self.walk(
            out,
            |_, own| own.overlaps(bounds).then_some(0.0),
            |out, posed, leaf| {
                for place in posed.leaf_places(leaf) {
                    if Aabb::of_points(&posed.corners(place)).overlaps(bounds) {
                        out.push(posed.triangle(place));
                    }
                }
            },
        );
        out.sort_unstable();
    }

    /// The point of the body that is nearest to a given point, at most `within` metres away;
    /// `None` if there is none, and for a point that is not finite.
    pub fn nearest(&mut self, point: [f64; 3], within: f64) -> Option<PosePoint> {
        if !point.iter().all(|x| x.is_finite()) {
            return None;
        }
        self.begin();
        let mut best: Option<PosePoint> = None;
        let limit = |best: &Option<PosePoint>| best.map_or(within, |best| best.distance);
        self.walk(
            &mut best,
            |best, bounds| {
                let least = distance_to(bounds, &point);
                (least <= limit(best)).then_some(least)
            },
            |best, posed, leaf| {
                for place in posed.leaf_places(leaf) {
                    let (triangle, corners) = (posed.triangle(place), posed.corners(place));
                    let (nearest, distance) = closest_on_triangle(&point, &corners);
                    let is_better = |known: PosePoint| {
                        distance < known.distance || (distance == known.distance && triangle < known.triangle)
                    };
                    if distance <= within && best.is_none_or(is_better) {
                        *best = Some(PosePoint { triangle, point: nearest, distance });
                    }
                }
            },
        );
        best
    }

    /// Visits leaves in the order of a priority, lowest first among the children of a node; passes
    /// over places whose boxes have none.
    fn walk<S>(
        &mut self,
        state: &mut S,
        priority: impl Fn(&S, &Aabb) -> Option<f64>,
        mut visit: impl FnMut(&mut S, &mut Self, u32),
    ) {
        let mut stack = if self.layout.triangles.is_empty() { Vec::new() } else { vec![0] };
        let mut children: Vec<(f64, u32)> = Vec::new();
        while let Some(place) = stack.pop() {
            let is_wanted = |posed: &mut Self, state: &S| priority(state, &posed.aabb(place)).is_some();
            if !is_wanted(self, state) || (self.need(place) && !is_wanted(self, state)) {
                continue;
            }
            let link = self.link(place);
            if link.is_leaf() {
                visit(state, self, link.leaf);
                continue;
            }
            self.open(place);
            children.clear();
            children.extend(link.below().filter_map(|child| Some((priority(state, &self.aabb(child))?, child))));
            children.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            stack.extend(children.iter().map(|(_, child)| child));
        }
    }

    /// A box that contains all vertices of a place.
    pub(super) fn aabb(&mut self, place: u32) -> Aabb {
        self.bounds(place).to_aabb()
    }

    /// The places of a leaf's triangles among those of all leaves.
    pub(super) fn leaf_places(&self, leaf: u32) -> std::ops::Range<u32> {
        self.layout.leaves[leaf as usize].triangles.clone()
    }

    /// The vertices of a leaf's triangles with their exact positions; some more than once.
    fn leaf_vertices(&mut self, leaf: u32) -> impl Iterator<Item = (u32, [f64; 3])> {
        self.leaf_places(leaf).flat_map(|place| {
            let corners = self.corners(place);
            let vertices = self.layout.corners[place as usize].map(|point| self.layout.vertices[point as usize]);
            std::array::from_fn::<_, 3, _>(|corner| (vertices[corner], corners[corner]))
        })
    }
}

/// The value of an affine function at a point.
fn value(plane: &[f64; 4], point: &[f64; 3]) -> f64 {
    plane[0] * point[0] + plane[1] * point[1] + plane[2] * point[2] + plane[3]
}

/// Least and largest value of an affine function over a box, rounded outward.
fn extent(bounds: &Aabb, plane: &[f64; 4]) -> [f64; 2] {
    let (mut least, mut most, mut size) = (plane[3], plane[3], plane[3].abs());
    for axis in 0..3 {
        if plane[axis] == 0.0 {
            continue;
        }
        let (low, high) = (plane[axis] * bounds.min[axis], plane[axis] * bounds.max[axis]);
        least += low.min(high);
        most += low.max(high);
        size += low.abs().max(high.abs());
    }
    let lost = limits::ROUNDING * size;
    [least - lost, most + lost]
}

/// A bound on the quotient of two affine functions over the points of a box at which the divisor is
/// positive.
fn image_bound(bounds: &Aabb, row: &[f64; 4], divisor: &[f64; 4]) -> f64 {
    if !(extent(bounds, divisor)[0] > 0.0) {
        return f64::INFINITY;
    }
    let mut most = f64::NEG_INFINITY;
    for corner in 0..8 {
        let point =
            std::array::from_fn(|axis| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] });
        let (top, bottom) =
            (extent(&Aabb { min: point, max: point }, row)[1], extent(&Aabb { min: point, max: point }, divisor));
        most = most.max(top / if top > 0.0 { bottom[0] } else { bottom[1] });
    }
    most + limits::ROUNDING * most.abs()
}

/// A lower bound on the distance of a box from a point, metres.
fn distance_to(bounds: &Aabb, point: &[f64; 3]) -> f64 {
    let square = bounds.square_distance(point);
    // Distances of triangles are rounded: of places beside the box, in proportion to their size.
    let size = (0..3).fold(0.0, |most: f64, axis| {
        most.max(point[axis].abs()).max(bounds.max[axis].abs()).max(bounds.min[axis].abs())
    });
    (square.sqrt() - limits::EVALUATION_ROUNDING * size).max(0.0)
}
