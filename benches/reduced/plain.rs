//! A rival set up as the papers': one triangle in each leaf, every vertex blended in `f64`, boxes or spheres refitted bottom-up,
//! node after node, and both trees descended from the roots.

use kinetree::bvh::{BuildParams, Builder, Topology, Width};
use kinetree::math::Aabb;
use kinetree::narrow::triangles_touch;
use kinetree::reduced::sphere_tree::{Sphere, SphereTree};
use kinetree::reduced::{Pose, ReducedMesh};

/// The papers' tree: binary, split at the median of the longest axis, one triangle in each leaf.
pub const TREE: BuildParams = BuildParams { builder: Builder::CovarianceMedian, leaf_size: 1, width: Width::Two };

/// A tree of boxes over a body.
pub struct PlainBoxes<'a> {
    mesh: &'a ReducedMesh,
    topology: Topology,
    upward: Vec<u32>,
    boxes: Vec<Aabb>,
    positions: Vec<[f64; 3]>,
}

impl<'a> PlainBoxes<'a> {
    pub fn new(mesh: &'a ReducedMesh) -> Self {
        let positions: Vec<[f64; 3]> = mesh.rest_positions().iter().map(|p| p.map(f64::from)).collect();
        let topology = Topology::build(mesh.mesh(), &positions, TREE);
        let (upward, boxes) = (topology.upward().collect(), vec![Aabb::EMPTY; topology.nodes().len()]);
        Self { mesh, topology, upward, boxes, positions }
    }

    /// How many boxes every refit makes.
    pub fn boxes(&self) -> usize {
        self.boxes.len()
    }

    /// Blends all vertices and refits all boxes.
    pub fn set_pose(&mut self, pose: &Pose) {
        self.mesh.evaluate_all(pose, &mut self.positions).expect("a pose");
        for &node in &self.upward {
            self.boxes[node as usize] = match self.topology.node(node).children() {
                [] => Aabb::of_points(self.topology.leaf_points(node).iter().map(|&v| &self.positions[v as usize])),
                children => {
                    children.iter().map(|&child| self.boxes[child as usize]).fold(Aabb::EMPTY, |a, b| a.union(&b))
                }
            };
        }
    }

    fn corners(&self, triangle: u32) -> [[f64; 3]; 3] {
        self.mesh.mesh().triangles()[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// Appends the pairs of triangles that touch.
    pub fn touching(&self, other: &Self, found: &mut Vec<(u32, u32)>) {
        let mut stack = vec![(0, 0)];
        while let Some((a, b)) = stack.pop() {
            if !self.boxes[a as usize].overlaps(&other.boxes[b as usize]) {
                continue;
            }
            let below = [self.topology.node(a).children(), other.topology.node(b).children()];
            match below {
                [[], []] => {
                    for &p in self.topology.primitives(a) {
                        let touches = |&&q: &&u32| triangles_touch(&self.corners(p), &other.corners(q));
                        found.extend(other.topology.primitives(b).iter().filter(touches).map(|&q| (p, q)));
                    }
                }
                [[], below] => stack.extend(below.iter().map(|&b| (a, b))),
                [below, []] => stack.extend(below.iter().map(|&a| (a, b))),
                [left, right] => stack.extend(left.iter().flat_map(|&a| right.iter().map(move |&b| (a, b)))),
            }
        }
    }
}

/// A sphere tree whose spheres are refitted bottom-up (Brown et al. 2001): a leaf's around its vertices, an inner node's around those of
/// its children.
pub struct PlainSpheres<'a> {
    mesh: &'a ReducedMesh,
    tree: &'a SphereTree,
    upward: Vec<u32>,
    vertices: Vec<Vec<u32>>,
    spheres: Vec<Sphere>,
    positions: Vec<[f64; 3]>,
}

impl<'a> PlainSpheres<'a> {
    pub fn new(mesh: &'a ReducedMesh, tree: &'a SphereTree) -> Self {
        let mut upward: Vec<u32> = (0..tree.node_count() as u32).collect();
        upward.sort_by_key(|&node| std::cmp::Reverse(tree.level(node)));
        let of_leaf = |node: u32| {
            let corners = tree.triangles(node).iter().flat_map(|&t| mesh.mesh().triangles()[t as usize]);
            let mut vertices: Vec<u32> = corners.collect();
            vertices.sort_unstable();
            vertices.dedup();
            vertices
        };
        let vertices = (0..tree.node_count() as u32).map(of_leaf).collect();
        let spheres = vec![Sphere { centre: [0.0; 3], radius: 0.0 }; tree.node_count()];
        Self { mesh, tree, upward, vertices, spheres, positions: Vec::new() }
    }

    /// Blends all vertices and refits all spheres.
    pub fn set_pose(&mut self, pose: &Pose) {
        self.mesh.evaluate_all(pose, &mut self.positions).expect("a pose");
        for &node in &self.upward {
            let below = self.tree.children(node);
            self.spheres[node as usize] = if below.is_empty() {
                around_points(self.vertices[node as usize].iter().map(|&v| self.positions[v as usize]))
            } else {
                below.iter().map(|&child| self.spheres[child as usize]).reduce(around).expect("a child")
            };
        }
    }

    fn corners(&self, triangle: u32) -> [[f64; 3]; 3] {
        self.mesh.mesh().triangles()[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// Calls back with pairs of triangles that touch, until it returns `false`.
    pub fn touching(&self, other: &Self, mut found: impl FnMut(u32, u32) -> bool) {
        let mut stack = vec![(0, 0)];
        while let Some((a, b)) = stack.pop() {
            if self.spheres[a as usize].gap(&other.spheres[b as usize]) > 0.0 {
                continue;
            }
            match [self.tree.children(a), other.tree.children(b)] {
                [[], []] => {
                    for &p in self.tree.triangles(a) {
                        for &q in other.tree.triangles(b) {
                            if triangles_touch(&self.corners(p), &other.corners(q)) && !found(p, q) {
                                return;
                            }
                        }
                    }
                }
                [[], below] => stack.extend(below.iter().map(|&b| (a, b))),
                [below, []] => stack.extend(below.iter().map(|&a| (a, b))),
                [left, right] if self.spheres[a as usize].radius < other.spheres[b as usize].radius => {
                    let _ = left;
                    stack.extend(right.iter().map(|&b| (a, b)));
                }
                [left, _] => stack.extend(left.iter().map(|&a| (a, b))),
            }
        }
    }
}

/// Relative slack of spheres for rounding.
const SLACK: f64 = 1e-12;

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// A ball around the mean of points.
fn around_points(points: impl Iterator<Item = [f64; 3]> + Clone) -> Sphere {
    let count = points.clone().count() as f64;
    let centre = std::array::from_fn(|axis| points.clone().map(|p| p[axis]).sum::<f64>() / count);
    let radius = points.map(|p| distance(p, centre)).fold(0.0, f64::max);
    Sphere { centre, radius: radius * (1.0 + SLACK) + SLACK }
}

/// The smallest ball around two.
fn around(a: Sphere, b: Sphere) -> Sphere {
    let apart = distance(a.centre, b.centre);
    if apart + b.radius <= a.radius {
        return a;
    }
    if apart + a.radius <= b.radius {
        return b;
    }
    let radius = 0.5 * (apart + a.radius + b.radius);
    let share = (radius - a.radius) / apart;
    let centre = std::array::from_fn(|axis| a.centre[axis] + share * (b.centre[axis] - a.centre[axis]));
    Sphere { centre, radius: radius * (1.0 + SLACK) + SLACK }
}
