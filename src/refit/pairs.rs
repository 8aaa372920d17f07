//! Two refitted trees traversed together.
//!
//! Depth first, the larger of the two nodes opened, a pair of nodes entered only if its boxes overlap. At two leaves the
//! boxes of their triangles are compared, still in `f32`: candidates are a superset of the pairs whose exact boxes
//! overlap, because every box is rounded outward. What remains is decided in `f64` by the exact test.
//!
//! Where triangles count as touching at a distance, the boxes of the first tree are widened by it beforehand.

use std::borrow::Cow;

use super::{Bounds, RefitTree};

/// Reports every pair of triangles whose rounded boxes overlap or are less than `distance` (metres) apart along every axis, in an
/// order fixed by the trees.
///
/// If both trees are the same one, every pair of its triangles is looked at once, in either order, and none with itself.
pub fn candidate_triangles(a: &RefitTree, b: &RefitTree, distance: f64, mut found: impl FnMut(u32, u32)) {
    let widening = a.widening(distance);
    let (boxes_a, boxes_b) = (a.all_boxes(widening), b.all_boxes(0.0));
    let (inner_a, inner_b) = (a.children.len() as u32, b.children.len() as u32);
    let (order_a, order_b) = (a.topology.order(), b.topology.order());
    let (mut wide_a, mut own_b) = (LeafBoxes::new(a, widening), LeafBoxes::new(b, 0.0));
    let mut scratch: Vec<(u32, Bounds)> = Vec::new();
    let mut stack: Vec<(u32, u32)> = Vec::new();
    if boxes_a[0].overlaps(&boxes_b[0]) {
        stack.push((0, 0));
    }
    let is_self = std::ptr::eq(a, b);
    while let Some((x, y)) = stack.pop() {
        if is_self && x == y && x < inner_a {
            let [left, right] = a.children[x as usize];
            stack.extend([(right, right), (left, left)]);
            if boxes_a[left as usize].overlaps(&boxes_b[right as usize]) {
                stack.push((left, right));
            }
            continue;
        }
        let (box_x, box_y) = (&boxes_a[x as usize], &boxes_b[y as usize]);
        if x < inner_a && (y >= inner_b || box_x.size() >= box_y.size()) {
            let [left, right] = a.children[x as usize];
            for child in [right, left] {
                if boxes_a[child as usize].overlaps(box_y) {
                    stack.push((child, y));
                }
            }
        } else if y < inner_b {
            let [left, right] = b.children[y as usize];
            for child in [right, left] {
                if boxes_b[child as usize].overlaps(box_x) {
                    stack.push((x, child));
                }
            }
        } else {
            let (leaf_a, leaf_b) = (a.leaf_triangles(x), b.leaf_triangles(y));
            if is_self && x == y {
                let (wide, bounds) = (wide_a.of(x), own_b.of(y));
                for (p, place) in leaf_a.clone().enumerate() {
                    for (q, other) in leaf_b.clone().enumerate().skip(p + 1) {
                        if wide[p].overlaps(&bounds[q]) {
                            found(order_a[place], order_b[other]);
                        }
                    }
                }
                continue;
            }
            if leaf_a.len() == 1 && leaf_b.len() == 1 {
                // The boxes of such leaves are those of their triangles.
                found(order_a[leaf_a.start], order_b[leaf_b.start]);
                continue;
            }
            scratch.clear();
            for (place, bounds) in leaf_a.zip(wide_a.of(x)) {
                if bounds.overlaps(box_y) {
                    scratch.push((order_a[place], *bounds));
                }
            }
            for (place, bounds) in leaf_b.zip(own_b.of(y)) {
                if bounds.overlaps(box_x) {
                    let meeting = scratch.iter().filter(|(_, other)| other.overlaps(bounds));
                    meeting.for_each(|&(triangle, _)| found(triangle, order_b[place]));
                }
            }
        }
    }
}

/// The boxes of the triangles of leaves, made when a leaf is first come to: in a body that is tested against itself, a leaf meets all
/// leaves around it.
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

    /// By how much boxes are widened so that none is missed within a distance: the distance and what is lost to rounding.
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
