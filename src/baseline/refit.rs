//! Bottom-up refit of a fixed tree, and two trees traversed together.

use super::Shape;
use crate::kds::{Hierarchy, Topology};
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::narrow::triangles_touch;
use crate::time::Moment;

/// A box tree whose shape stays and whose boxes are recomputed for every frame.
#[derive(Clone, Debug)]
pub struct RefitTree {
    topology: Topology,
    boxes: Vec<Aabb>,
}

impl RefitTree {
    /// A tree of the given shape, refitted to the positions.
    pub fn new(topology: Topology, _mesh: &Mesh, positions: &[[f64; 3]]) -> Self {
        let boxes = vec![Aabb::EMPTY; topology.nodes().len()];
        let mut tree = Self { topology, boxes };
        tree.refit(positions);
        tree
    }

    /// Recomputes every box from the positions of a frame. O(triangles).
    pub fn refit(&mut self, positions: &[[f64; 3]]) {
        for node in (0..self.boxes.len()).rev() {
            self.boxes[node] = match self.topology.node(node as u32).children() {
                Some((left, right)) => self.boxes[left as usize].union(&self.boxes[right as usize]),
                None => {
                    let points = self.topology.leaf_points(node as u32).iter();
                    Aabb::of_points(points.map(|&vertex| &positions[vertex as usize]))
                }
            };
        }
    }
}

impl Hierarchy for RefitTree {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn node_box(&self, node: u32, _at: Moment) -> Aabb {
        self.boxes[node as usize]
    }
}

/// Reports every pair of touching triangles below two refitted trees, in no useful order. Returns how many exact tests that
/// took.
pub fn touching_by_trees(
    tree_a: &RefitTree,
    a: Shape<'_>,
    tree_b: &RefitTree,
    b: Shape<'_>,
    found: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    let mut stack = vec![(0u32, 0u32)];
    while let Some((x, y)) = stack.pop() {
        let (box_x, box_y) = (tree_a.boxes[x as usize], tree_b.boxes[y as usize]);
        if !box_x.overlaps(&box_y) {
            continue;
        }
        match (tree_a.topology.node(x).children(), tree_b.topology.node(y).children()) {
            (Some((l, r)), other) if other.is_none() || box_x.half_area() >= box_y.half_area() => {
                stack.extend([(r, y), (l, y)]);
            }
            (_, Some((l, r))) => stack.extend([(x, r), (x, l)]),
            _ => {
                for &triangle_a in tree_a.topology.primitives(x) {
                    let corners_a = a.corners(triangle_a);
                    let box_a = Aabb::of_points(&corners_a);
                    for &triangle_b in tree_b.topology.primitives(y) {
                        let corners_b = b.corners(triangle_b);
                        if box_a.overlaps(&Aabb::of_points(&corners_b)) {
                            tests += 1;
                            if triangles_touch(&corners_a, &corners_b) {
                                found(triangle_a, triangle_b);
                            }
                        }
                    }
                }
            }
        }
    }
    tests
}
