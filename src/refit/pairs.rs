//! Two refitted trees traversed together.
//!
//! Depth first, the larger of the two nodes opened, a pair of nodes entered only if its boxes
//! overlap. At two leaves the boxes of their triangles are compared, still in `f32`: candidates are
//! a superset of the pairs whose exact boxes overlap, because every box is rounded outward. What
//! remains is decided in `f64` by the exact test.
//!
//! Where triangles count as touching at a distance, the boxes of the first tree are widened by it
//! beforehand.

use std::borrow::Cow;
use std::convert::Infallible;
use std::iter::Copied;
use std::ops::ControlFlow;

use super::{Bounds, RefitTree};
use crate::bvh::traverse::{TreePair, Visitor, leaf_pairs};

/// Reports every pair of triangles whose rounded boxes overlap or are less than `distance` (metres)
/// apart along every axis, in an order fixed by the trees.
///
/// If both trees are the same one, every pair of its triangles is visited once, in either order,
/// and none with itself.
pub fn candidate_triangles(a: &RefitTree, b: &RefitTree, distance: f64, found: impl FnMut(u32, u32)) {
    let widening = a.widening(distance);
    let boxes = [a.all_boxes(widening), b.all_boxes(0.0)];
    let of_leaves = [LeafBoxes::new(a, widening), LeafBoxes::new(b, 0.0)];
    let mut pairs = TrianglePairs { a, b, boxes, of_leaves, scratch: Vec::new(), found };
    let ControlFlow::Continue(()) = leaf_pairs(&mut pairs);
}

/// The traversal.
struct TrianglePairs<'a, F> {
    a: &'a RefitTree,
    b: &'a RefitTree,
    /// Of all nodes; those of the first tree are widened.
    boxes: [Cow<'a, [Bounds]>; 2],
    of_leaves: [LeafBoxes<'a>; 2],
    scratch: Vec<(u32, Bounds)>,
    found: F,
}

impl<F> TrianglePairs<'_, F> {
    fn boxes(&self, [x, y]: [u32; 2]) -> [&Bounds; 2] {
        [&self.boxes[0][x as usize], &self.boxes[1][y as usize]]
    }
}

impl<'a, F> TreePair for TrianglePairs<'a, F> {
    type Children = Copied<std::slice::Iter<'a, u32>>;

    fn children_a(&self, node: u32) -> Self::Children {
        self.a.below(node).iter().copied()
    }

    fn children_b(&self, node: u32) -> Self::Children {
        self.b.below(node).iter().copied()
    }

    fn opens_first(&mut self, pair: [u32; 2]) -> bool {
        let [x, y] = self.boxes(pair);
        x.size() >= y.size()
    }

    fn is_self(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }
}

impl<F: FnMut(u32, u32)> Visitor for TrianglePairs<'_, F> {
    type Break = Infallible;

    fn are_apart(&mut self, pair: [u32; 2]) -> bool {
        let [x, y] = self.boxes(pair);
        !x.overlaps(y)
    }

    fn leaves(&mut self, [x, y]: [u32; 2]) -> ControlFlow<Infallible> {
        if self.is_self() && x == y {
            self.leaf_with_itself(x);
        } else {
            self.two_leaves([x, y]);
        }
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(u32, u32)> TrianglePairs<'_, F> {
    fn leaf_with_itself(&mut self, leaf: u32) {
        let Self { a, of_leaves: [of_a, of_b], found, .. } = self;
        let (order, triangles) = (a.topology.order(), a.leaf_triangles(leaf));
        let (wide, bounds) = (of_a.of(leaf), of_b.of(leaf));
        for (p, place) in triangles.clone().enumerate() {
            for (q, other) in triangles.clone().enumerate().skip(p + 1) {
                if wide[p].overlaps(&bounds[q]) {
                    found(order[place], order[other]);
                }
            }
        }
    }

    fn two_leaves(&mut self, [x, y]: [u32; 2]) {
        let Self { a, b, boxes, of_leaves: [of_a, of_b], scratch, found } = self;
        let (order_a, order_b) = (a.topology.order(), b.topology.order());
        let (leaf_a, leaf_b) = (a.leaf_triangles(x), b.leaf_triangles(y));
        if leaf_a.len() == 1 && leaf_b.len() == 1 {
            // The boxes of such leaves are those of their triangles.
            return found(order_a[leaf_a.start], order_b[leaf_b.start]);
        }
        let (box_x, box_y) = (&boxes[0][x as usize], &boxes[1][y as usize]);
        scratch.clear();
        let near = leaf_a.zip(of_a.of(x)).filter(|(_, bounds)| bounds.overlaps(box_y));
        scratch.extend(near.map(|(place, bounds)| (order_a[place], *bounds)));
        for (place, bounds) in leaf_b.zip(of_b.of(y)).filter(|(_, bounds)| bounds.overlaps(box_x)) {
            let overlapping = scratch.iter().filter(|(_, other)| other.overlaps(bounds));
            overlapping.for_each(|&(triangle, _)| found(triangle, order_b[place]));
        }
    }
}

/// The boxes of the triangles of leaves, made when a leaf is first come to: in a body that is
/// tested against itself, a leaf meets all leaves around it.
struct LeafBoxes<'a> {
    tree: &'a RefitTree,
    widening: f32,
    /// Per leaf, where its boxes begin; `u32::MAX` before they are made.
    starts: Vec<u32>,
    boxes: Vec<Bounds>,
}

impl<'a> LeafBoxes<'a> {
    fn new(tree: &'a RefitTree, widening: f32) -> Self {
        Self { tree, widening, starts: vec![u32::MAX; tree.starts.len() - 1], boxes: Vec::new() }
    }

    /// Of the leaf at a place, in the order of its triangles.
    fn of(&mut self, place: u32) -> &[Bounds] {
        let triangles = self.tree.leaf_triangles(place);
        let start = &mut self.starts[place as usize - self.tree.children.len()];
        if *start == u32::MAX {
            *start = self.boxes.len() as u32;
            let (tree, widening) = (self.tree, self.widening);
            self.boxes.extend(triangles.clone().map(|triangle| tree.triangle_box(triangle).widened(widening)));
        }
        &self.boxes[*start as usize..*start as usize + triangles.len()]
    }
}

impl RefitTree {
    /// The places of a node's children; none of a leaf.
    #[inline(always)]
    pub(super) fn below(&self, place: u32) -> &[u32] {
        self.children.get(place as usize).map_or(&[], |children| children)
    }

    pub(super) fn leaf_triangles(&self, place: u32) -> std::ops::Range<usize> {
        let leaf = place as usize - self.children.len();
        self.starts[leaf] as usize..self.starts[leaf + 1] as usize
    }

    /// Every box, widened.
    fn all_boxes(&self, widening: f32) -> Cow<'_, [Bounds]> {
        if widening == 0.0 && !self.has_moved() {
            return Cow::Borrowed(&self.boxes);
        }
        (0..self.boxes.len() as u32).map(|place| self.box_at::<true>(place).widened(widening)).collect()
    }

    /// By how much boxes are widened so that none is missed within a distance: the distance and
    /// what is lost to rounding.
    pub(super) fn widening(&self, distance: f64) -> f32 {
        widening(distance, self.margin)
    }

    pub(super) fn triangle_box(&self, place: usize) -> Bounds {
        self.triangle_box_at::<true>(place)
    }

    /// The same where it is known that nothing has moved since the refit, or not (`MOVED`).
    #[inline(always)]
    pub(super) fn triangle_box_at<const MOVED: bool>(&self, place: usize) -> Bounds {
        let corners = self.corners[place];
        let bounds = if MOVED && self.has_moved() {
            let [p, q, r] = corners;
            Bounds::of_triangle([&self.point::<true>(p), &self.point::<true>(q), &self.point::<true>(r)])
        } else {
            Bounds::of_triangle(corners.map(|corner| &self.points[corner as usize]))
        };
        bounds.widened(self.margin)
    }
}

/// See [`RefitTree::widening`]; `margin` is that of boxes that are widened by it already.
pub(crate) fn widening(distance: f64, margin: f32) -> f32 {
    if distance > 0.0 { (distance as f32 * (1.0 + 4.0 * f32::EPSILON)).next_up() + margin } else { 0.0 }
}
