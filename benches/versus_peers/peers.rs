//! Libraries that anyone would otherwise take, each as its documentation advises for bodies that deform at every frame.
//!
//! | library | update | query |
//! |---|---|---|
//! | parry3d | `insert_or_update_partially` for each leaf, `refit_without_opt` (documented as the faster of its refits); binned build, `refit` once after it for its order in memory | `leaf_pairs`; one body: `traverse_bvtt_single_tree` |
//! | obvhs | the steps of `refit_all`'s example; medium build with one triangle per leaf, in stack order, which makes `refit_all` one sweep | none for two trees: a traversal of ours over its nodes |
//! | bvh | no refit: built anew at every frame, as `update_shapes` removes and inserts shape by shape | none for two trees: a traversal of ours over its nodes |

use std::time::Duration;

use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::{Boundable, BvhBuildParams};
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};

use crate::contender::{Contender, Points, Tester};
use crate::scene::{Actor, Frame, Scene};

/// The bodies of a scene with something for each.
struct Sides<T>(Vec<T>);

impl<T> Sides<T> {
    fn new(scene: &Scene, make: impl Fn(&Actor, &Points) -> T) -> Self {
        let side = |actor: &Actor| {
            let mut points = Points::default();
            points.evaluate(actor, scene.times[0]);
            make(actor, &points)
        };
        Self(scene.actors().map(side).collect())
    }

    fn second(&self) -> &T {
        self.0.last().expect("a body")
    }
}

pub struct Parry {
    trees: Sides<Bvh>,
    workspace: BvhWorkspace,
    points: Points,
    tester: Tester,
    pairs: Vec<(u32, u32)>,
}

pub fn parry_box(points: &Points, corners: &[u32; 3]) -> Aabb {
    let (low, high) = points.bounds(corners);
    Aabb::new(Vector::new(low[0], low[1], low[2]), Vector::new(high[0], high[1], high[2]))
}

impl Parry {
    pub fn new(scene: &Scene) -> Self {
        let trees = Sides::new(scene, |actor, points| {
            let leaves: Vec<Aabb> = actor.mesh.triangles().iter().map(|corners| parry_box(points, corners)).collect();
            let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
            tree.refit(&mut BvhWorkspace::default());
            tree
        });
        Self {
            trees,
            workspace: BvhWorkspace::default(),
            points: Points::default(),
            tester: Tester::new(scene),
            pairs: Vec::new(),
        }
    }
}

impl Contender for Parry {
    fn update(&mut self, scene: &Scene, frame: &Frame) {
        for (actor, tree) in scene.actors().zip(&mut self.trees.0).filter(|(actor, _)| !actor.is_fixed()) {
            self.points.evaluate(actor, frame.time);
            for (number, corners) in actor.mesh.triangles().iter().enumerate() {
                tree.insert_or_update_partially(parry_box(&self.points, corners), number as u32, 0.0);
            }
            tree.refit_without_opt();
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        self.pairs.clear();
        if scene.b.is_none() {
            let pairs = &mut self.pairs;
            let mut push = |p: u32, q: u32| pairs.push((p, q));
            self.trees.0[0].traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut push);
        } else {
            self.pairs.extend(self.trees.0[0].leaf_pairs(self.trees.second(), BvhNode::intersects));
        }
        self.tester.test(scene, frame, self.pairs.iter().copied(), found);
    }

    fn bytes(&self) -> usize {
        let trees = self.trees.0.iter().map(Bvh::total_memory_size).sum::<usize>();
        trees + self.points.bytes() + self.tester.bytes() + self.pairs.capacity() * 8
    }
}

/// A triangle's box, for obvhs.
struct Boxed(obvhs::aabb::Aabb);

impl Boundable for Boxed {
    fn aabb(&self) -> obvhs::aabb::Aabb {
        self.0
    }
}

fn obvhs_box(points: &Points, corners: &[u32; 3]) -> obvhs::aabb::Aabb {
    let (low, high) = points.bounds(corners);
    obvhs::aabb::Aabb { min: low.into(), max: high.into() }
}

pub struct Obvhs {
    trees: Sides<Bvh2>,
    points: Points,
    tester: Tester,
    pairs: Vec<(u32, u32)>,
    stack: Vec<(u32, u32)>,
}

impl Obvhs {
    pub fn new(scene: &Scene) -> Self {
        let trees = Sides::new(scene, |actor, points| {
            let boxes: Vec<Boxed> =
                actor.mesh.triangles().iter().map(|corners| Boxed(obvhs_box(points, corners))).collect();
            let params = BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::medium_build() };
            let mut tree = build_bvh2(&boxes, params, &mut Duration::default());
            tree.reorder_in_stack_traversal_order();
            tree.init_primitives_to_nodes_if_uninit();
            tree
        });
        let (points, tester) = (Points::default(), Tester::new(scene));
        Self { trees, points, tester, pairs: Vec::new(), stack: Vec::new() }
    }
}

impl Contender for Obvhs {
    fn update(&mut self, scene: &Scene, frame: &Frame) {
        for (actor, tree) in scene.actors().zip(&mut self.trees.0).filter(|(actor, _)| !actor.is_fixed()) {
            self.points.evaluate(actor, frame.time);
            for (number, corners) in actor.mesh.triangles().iter().enumerate() {
                let node = tree.primitives_to_nodes[number] as usize;
                tree.nodes[node].set_aabb(obvhs_box(&self.points, corners));
            }
            tree.refit_all();
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        self.pairs.clear();
        let (a, b) = (&self.trees.0[0], self.trees.second());
        let is_self = scene.b.is_none();
        let overlaps = |x: &Bvh2Node, y: &Bvh2Node| {
            x.aabb().min.cmple(y.aabb().max).all() && y.aabb().min.cmple(x.aabb().max).all()
        };
        let size = |node: &Bvh2Node| (node.aabb().max - node.aabb().min).element_sum();
        self.stack.push((0, 0));
        while let Some((x, y)) = self.stack.pop() {
            let (node_x, node_y) = (&a.nodes[x as usize], &b.nodes[y as usize]);
            if is_self && x == y {
                if !node_x.is_leaf() {
                    let first = node_x.first_index;
                    self.stack.extend([(first, first), (first + 1, first + 1)]);
                    if overlaps(&a.nodes[first as usize], &a.nodes[first as usize + 1]) {
                        self.stack.push((first, first + 1));
                    }
                }
            } else if node_x.is_leaf() && node_y.is_leaf() {
                let triangle = |tree: &Bvh2, node: &Bvh2Node| tree.primitive_indices[node.first_index as usize];
                self.pairs.push((triangle(a, node_x), triangle(b, node_y)));
            } else if node_y.is_leaf() || (!node_x.is_leaf() && size(node_x) >= size(node_y)) {
                let first = node_x.first_index;
                let below = [first, first + 1].into_iter().filter(|&child| overlaps(&a.nodes[child as usize], node_y));
                self.stack.extend(below.map(|child| (child, y)));
            } else {
                let first = node_y.first_index;
                let below = [first, first + 1].into_iter().filter(|&child| overlaps(node_x, &b.nodes[child as usize]));
                self.stack.extend(below.map(|child| (x, child)));
            }
        }
        self.tester.test(scene, frame, self.pairs.iter().copied(), found);
    }

    fn bytes(&self) -> usize {
        let tree = |tree: &Bvh2| {
            tree.nodes.len() * size_of::<Bvh2Node>()
                + 4 * (tree.primitive_indices.len() + tree.primitives_to_nodes.len() + tree.parents.len())
        };
        self.trees.0.iter().map(tree).sum::<usize>()
            + self.points.bytes()
            + self.tester.bytes()
            + (self.pairs.capacity() + self.stack.capacity()) * 8
    }
}

/// A triangle's box, for bvh.
#[derive(Clone, Copy)]
struct Shape {
    bounds: bvh::aabb::Aabb<f32, 3>,
    node: usize,
}

impl bvh::aabb::Bounded<f32, 3> for Shape {
    fn aabb(&self) -> bvh::aabb::Aabb<f32, 3> {
        self.bounds
    }
}

impl bvh::bounding_hierarchy::BHShape<f32, 3> for Shape {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

pub struct Rebuilt {
    shapes: Sides<Vec<Shape>>,
    trees: Vec<bvh::bvh::Bvh<f32, 3>>,
    points: Points,
    tester: Tester,
    pairs: Vec<(u32, u32)>,
    stack: Vec<(usize, usize)>,
}

fn bvh_box(points: &Points, corners: &[u32; 3]) -> bvh::aabb::Aabb<f32, 3> {
    let (low, high) = points.bounds(corners);
    bvh::aabb::Aabb::with_bounds(low.into(), high.into())
}

impl Rebuilt {
    pub fn new(scene: &Scene) -> Self {
        let mut shapes = Sides::new(scene, |actor, points| {
            let shape = |corners| Shape { bounds: bvh_box(points, corners), node: 0 };
            actor.mesh.triangles().iter().map(shape).collect::<Vec<Shape>>()
        });
        let trees = shapes.0.iter_mut().map(|shapes| bvh::bvh::Bvh::build(shapes)).collect();
        let (points, tester) = (Points::default(), Tester::new(scene));
        Self { shapes, trees, points, tester, pairs: Vec::new(), stack: Vec::new() }
    }
}

impl Contender for Rebuilt {
    fn update(&mut self, scene: &Scene, frame: &Frame) {
        for (side, actor) in scene.actors().enumerate().filter(|(_, actor)| !actor.is_fixed()) {
            self.points.evaluate(actor, frame.time);
            for (shape, corners) in self.shapes.0[side].iter_mut().zip(actor.mesh.triangles()) {
                shape.bounds = bvh_box(&self.points, corners);
            }
            self.trees[side] = bvh::bvh::Bvh::build(&mut self.shapes.0[side]);
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        self.pairs.clear();
        let is_self = scene.b.is_none();
        let (a, b) = (&self.trees[0].nodes, &self.trees.last().expect("a tree").nodes);
        let (shapes_a, shapes_b) = (&self.shapes.0[0], self.shapes.second());
        let bounds =
            |nodes: &[bvh::bvh::BvhNode<f32, 3>], shapes: &[Shape], node: usize| nodes[node].get_node_aabb(shapes);
        let overlaps = |x: &bvh::aabb::Aabb<f32, 3>, y: &bvh::aabb::Aabb<f32, 3>| {
            (0..3).all(|axis| x.min[axis] <= y.max[axis] && y.min[axis] <= x.max[axis])
        };
        let size = |x: &bvh::aabb::Aabb<f32, 3>| (x.max - x.min).sum();
        self.stack.push((0, 0));
        while let Some((x, y)) = self.stack.pop() {
            if is_self && x == y {
                if a[x].shape_index().is_none() {
                    let (left, right) = (a[x].child_l(), a[x].child_r());
                    self.stack.extend([(left, left), (right, right), (left, right)]);
                }
                continue;
            }
            let (box_x, box_y) = (bounds(a, shapes_a, x), bounds(b, shapes_b, y));
            if !overlaps(&box_x, &box_y) {
                continue;
            }
            match (a[x].shape_index(), b[y].shape_index()) {
                (Some(p), Some(q)) => self.pairs.push((p as u32, q as u32)),
                (None, leaf) if leaf.is_some() || size(&box_x) >= size(&box_y) => {
                    self.stack.extend([(a[x].child_l(), y), (a[x].child_r(), y)]);
                }
                _ => self.stack.extend([(x, b[y].child_l()), (x, b[y].child_r())]),
            }
        }
        self.tester.test(scene, frame, self.pairs.iter().copied(), found);
    }

    fn bytes(&self) -> usize {
        self.trees.iter().map(|tree| tree.nodes.len() * size_of::<bvh::bvh::BvhNode<f32, 3>>()).sum::<usize>()
            + self.shapes.0.iter().map(|shapes| shapes.len() * size_of::<Shape>()).sum::<usize>()
            + self.points.bytes()
            + self.tester.bytes()
    }
}
