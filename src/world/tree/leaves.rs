//! Exact tests of triangles below overlapping leaves at a time: of spheres, and where positions are
//! known already. Every leaf is gathered once: its triangles with their boxes, side by side.

use crate::bvh::Topology;
use crate::math::Aabb;
use crate::narrow::ContactRule;
use crate::oracle::Shape;
use crate::world::rule::PairRule;

/// Leaves of one body at the clock's time.
struct Gathered {
    /// Per node, its place among `leaves`; only for leaves that were gathered.
    places: Vec<u32>,
    leaves: Vec<Leaf>,
    triangles: Vec<Triangle>,
}

struct Leaf {
    bounds: Aabb,
    /// Where its triangles begin; they end where those of the next leaf begin.
    triangles: u32,
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
        let places = vec![u32::MAX; tree.nodes().len()];
        let mut gathered = Self { places, leaves: Vec::new(), triangles: Vec::new() };
        for leaf in leaves {
            let place = &mut gathered.places[leaf as usize];
            if *place != u32::MAX {
                continue;
            }
            *place = gathered.leaves.len() as u32;
            let triangles = gathered.triangles.len() as u32;
            gathered.triangles.extend(tree.primitives(leaf).iter().map(|&number| {
                let corners = shape.corners(number);
                Triangle { bounds: Aabb::of_points(&corners), number, corners }
            }));
            let own = gathered.triangles[triangles as usize..].iter();
            let bounds = own.fold(Aabb::EMPTY, |all, triangle| all.union(&triangle.bounds));
            gathered.leaves.push(Leaf { bounds, triangles });
        }
        let triangles = gathered.triangles.len() as u32;
        gathered.leaves.push(Leaf { bounds: Aabb::EMPTY, triangles });
        gathered
    }

    fn bounds(&self, leaf: u32) -> &Aabb {
        &self.leaves[self.places[leaf as usize] as usize].bounds
    }

    fn triangles(&self, leaf: u32) -> &[Triangle] {
        let place = self.places[leaf as usize] as usize;
        &self.triangles[self.leaves[place].triangles as usize..self.leaves[place + 1].triangles as usize]
    }
}

/// Tests the triangles of overlapping leaves, sorted; returns how many exact tests that took.
pub(crate) fn test_leaves(
    leaves: &[(u32, u32)],
    (tree_a, tree_b): (&Topology, &Topology),
    (a, b): (Shape<'_>, Shape<'_>),
    rule: &PairRule<'_>,
    touching: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    let of_a = Gathered::new(leaves.iter().map(|pair| pair.0), tree_a, a);
    let of_b = Gathered::new(leaves.iter().map(|pair| pair.1), tree_b, b);
    let mut near: Vec<&Triangle> = Vec::new();
    for &(leaf_a, leaf_b) in leaves {
        let bounds_a = of_a.bounds(leaf_a).grown(rule.box_distance());
        let bounds_b = of_b.bounds(leaf_b);
        if !bounds_a.overlaps(bounds_b) {
            continue;
        }
        // Two leaves of one body come in either order; their triangles are asked for in the order
        // of their numbers.
        let is_ordered = !rule.is_self || leaf_a == leaf_b;
        near.clear();
        near.extend(of_b.triangles(leaf_b).iter().filter(|triangle| triangle.bounds.overlaps(&bounds_a)));
        for first in of_a.triangles(leaf_a) {
            let reach = first.bounds.grown(rule.box_distance());
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
                    touching(p.number, q.number);
                }
            }
        }
    }
    tests
}
