//! Exact tests below overlapping leaves at the clock's time, and what is remembered from one time to the next.
//!
//! Every leaf is gathered once: its triangles with their boxes, side by side. A pair of leaves is then decided by the cheapest
//! that will do:
//! 1. the boxes of its triangles are apart: nothing touches (lists hold leaves that only nearly overlap);
//! 2. the *witness* of the pair, a direction along which its leaves were apart when last looked at, still tells them apart;
//! 3. triangles whose boxes meet are tested exactly.
//!
//! A witness is a hint: it is checked against the positions of now, with a bound on the rounding of the dot products, before it
//! counts. So contacts do not depend on what is remembered, only the cost does.

use super::rule::PairRule;
use crate::baseline::Shape;
use crate::kds::Topology;
use crate::math::Aabb;
use crate::narrow::ContactRule;

/// Relative error of a dot product of two vectors in `f64`, per sum of the magnitudes of its terms: three roundings of products
/// and two of sums, generously.
const DOT_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Directions along which leaf pairs were apart, in the order of the pairs.
pub(super) type Witnesses = Vec<((u32, u32), [f32; 3])>;

/// Leaves of one body at the clock's time.
struct Gathered {
    /// Per node, its place among `leaves`; only for leaves that were gathered.
    places: Vec<u32>,
    leaves: Vec<Leaf>,
    triangles: Vec<Triangle>,
    points: Vec<[f64; 3]>,
}

struct Leaf {
    bounds: Aabb,
    /// Where its triangles and points begin; they end where those of the next leaf begin.
    triangles: u32,
    points: u32,
}

#[derive(Clone, Copy)]
struct Triangle {
    bounds: Aabb,
    number: u32,
    corners: [[f64; 3]; 3],
}

impl Gathered {
    /// Gathers leaves, each once; their vertices must have been evaluated.
    fn new(leaves: impl Iterator<Item = u32>, tree: &Topology, shape: Shape<'_>) -> Self {
        let mut gathered = Self {
            places: vec![u32::MAX; tree.nodes().len()],
            leaves: Vec::new(),
            triangles: Vec::new(),
            points: Vec::new(),
        };
        for leaf in leaves {
            let place = &mut gathered.places[leaf as usize];
            if *place != u32::MAX {
                continue;
            }
            *place = gathered.leaves.len() as u32;
            let (triangles, points) = (gathered.triangles.len() as u32, gathered.points.len() as u32);
            gathered.points.extend(tree.leaf_points(leaf).iter().map(|&vertex| shape.positions[vertex as usize]));
            gathered.triangles.extend(tree.primitives(leaf).iter().map(|&number| {
                let corners = shape.corners(number);
                Triangle { bounds: Aabb::of_points(&corners), number, corners }
            }));
            let own = gathered.triangles[triangles as usize..].iter();
            let bounds = own.fold(Aabb::EMPTY, |all, triangle| all.union(&triangle.bounds));
            gathered.leaves.push(Leaf { bounds, triangles, points });
        }
        gathered.leaves.push(Leaf {
            bounds: Aabb::EMPTY,
            triangles: gathered.triangles.len() as u32,
            points: gathered.points.len() as u32,
        });
        gathered
    }

    fn bounds(&self, leaf: u32) -> &Aabb {
        &self.leaves[self.places[leaf as usize] as usize].bounds
    }

    fn triangles(&self, leaf: u32) -> &[Triangle] {
        let place = self.places[leaf as usize] as usize;
        &self.triangles[self.leaves[place].triangles as usize..self.leaves[place + 1].triangles as usize]
    }

    fn points(&self, leaf: u32) -> &[[f64; 3]] {
        let place = self.places[leaf as usize] as usize;
        &self.points[self.leaves[place].points as usize..self.leaves[place + 1].points as usize]
    }
}

/// Tests the triangles of overlapping leaves, sorted; returns how many exact tests that took. `witnesses` are those of the last
/// time, in order, and are replaced by those of this time.
pub(super) fn test_leaves(
    leaves: &[(u32, u32)],
    (tree_a, tree_b): (&Topology, &Topology),
    (a, b): (Shape<'_>, Shape<'_>),
    rule: &PairRule<'_>,
    witnesses: &mut Witnesses,
    touching: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    let of_a = Gathered::new(leaves.iter().map(|pair| pair.0), tree_a, a);
    let of_b = Gathered::new(leaves.iter().map(|pair| pair.1), tree_b, b);
    let mut remembered = std::mem::take(witnesses).into_iter().peekable();
    let mut near: Vec<&Triangle> = Vec::new();
    for &(leaf_a, leaf_b) in leaves {
        while remembered.next_if(|(pair, _)| *pair < (leaf_a, leaf_b)).is_some() {}
        let bounds_a = of_a.bounds(leaf_a).grown(rule.distance());
        let bounds_b = of_b.bounds(leaf_b);
        if !bounds_a.overlaps(bounds_b) {
            continue;
        }
        let parted = Parted { a: of_a.points(leaf_a), b: of_b.points(leaf_b), distance: rule.distance() };
        // Spheres reach beyond the hull of the corners of their boxes, but not beyond the boxes.
        if !rule.is_of_spheres()
            && let Some((_, witness)) = remembered.next_if(|(pair, _)| *pair == (leaf_a, leaf_b))
            && parted.along(witness)
        {
            witnesses.push(((leaf_a, leaf_b), witness));
            continue;
        }
        let before = tests;
        let mut any = false;
        // Two leaves of one body come in either order; their triangles are asked for in the order of their numbers.
        let is_ordered = !rule.is_one || leaf_a == leaf_b;
        near.clear();
        near.extend(of_b.triangles(leaf_b).iter().filter(|triangle| triangle.bounds.overlaps(&bounds_a)));
        for first in of_a.triangles(leaf_a) {
            let reach = first.bounds.grown(rule.distance());
            if !reach.overlaps(bounds_b) {
                continue;
            }
            for second in near.iter().filter(|second| second.bounds.overlaps(&reach)) {
                let swapped = !is_ordered && first.number > second.number;
                let (p, q) = if swapped { (*second, first) } else { (first, *second) };
                if !rule.wants(p.number, q.number) {
                    continue;
                }
                tests += 1;
                if rule.touch((p.number, &p.corners), (q.number, &q.corners)) {
                    any = true;
                    touching(p.number, q.number);
                }
            }
        }
        if !any
            && tests > before
            && !rule.is_of_spheres()
            && let Some(witness) = parted.witness(of_a.triangles(leaf_a), of_b.triangles(leaf_b))
        {
            witnesses.push(((leaf_a, leaf_b), witness));
        }
    }
    tests
}

/// Two sets of points that may be apart by more than a distance.
struct Parted<'a> {
    a: &'a [[f64; 3]],
    b: &'a [[f64; 3]],
    distance: f64,
}

impl Parted<'_> {
    /// Are all points of `a` certainly below all of `b` along a direction, by more than the distance?
    fn along(&self, direction: [f32; 3]) -> bool {
        let n = direction.map(f64::from);
        let dot = |p: &[f64; 3]| n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
        let size = |p: &[f64; 3]| (n[0] * p[0]).abs() + (n[1] * p[1]).abs() + (n[2] * p[2]).abs();
        let (mut highest, mut lowest, mut largest) = (f64::NEG_INFINITY, f64::INFINITY, 0.0f64);
        for p in self.a {
            highest = highest.max(dot(p));
            largest = largest.max(size(p));
        }
        for p in self.b {
            lowest = lowest.min(dot(p));
            largest = largest.max(size(p));
        }
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        // Twice the rounding of a dot product, and that of what follows.
        let margin = (self.distance * length + 2.0 * DOT_ROUNDING * largest) * (1.0 + DOT_ROUNDING);
        lowest - highest > margin * (1.0 + DOT_ROUNDING)
    }

    /// A direction along which `a` is below `b`, if one of a few likely ones is.
    fn witness(&self, a: &[Triangle], b: &[Triangle]) -> Option<[f32; 3]> {
        let centre = |points: &[[f64; 3]]| -> [f64; 3] {
            std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64)
        };
        let (centre_a, centre_b) = (centre(self.a), centre(self.b));
        let between: [f64; 3] = std::array::from_fn(|k| centre_b[k] - centre_a[k]);
        [normal(a), normal(b), between].into_iter().find_map(|n| {
            let towards = n[0] * between[0] + n[1] * between[1] + n[2] * between[2];
            let longest = n.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            if !(longest > 0.0 && longest.is_finite()) {
                return None;
            }
            let direction = n.map(|x| (if towards < 0.0 { -x } else { x } / longest) as f32);
            self.along(direction).then_some(direction)
        })
    }
}

/// The sum of the triangles' normals, each as long as twice its area, all turned to one side.
fn normal(triangles: &[Triangle]) -> [f64; 3] {
    let mut sum = [0.0f64; 3];
    for Triangle { corners: [p, q, r], .. } in triangles {
        let (u, v): ([f64; 3], [f64; 3]) = (std::array::from_fn(|k| q[k] - p[k]), std::array::from_fn(|k| r[k] - p[k]));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let side = if sum[0] * n[0] + sum[1] * n[1] + sum[2] * n[2] < 0.0 { -1.0 } else { 1.0 };
        sum = std::array::from_fn(|k| sum[k] + side * n[k]);
    }
    sum
}
