//! Trees of two bodies traversed together at the clock's time, whichever trees the bodies have.
//!
//! The boxes of every tree hold a node's vertices at the clock's time: kinetic ones by
//! certificates, refitted ones since they were refitted, those of an interval by interpolation,
//! baked ones by their events, on-demand ones since they were made. So pairs of bodies with
//! different trees need nothing more than two [`Hierarchy`]s. What is found is a superset of the
//! leaf pairs that may hold triangles in contact; these are tested exactly.

use crate::baked::clip::BakedTreeView;
use crate::bvh::{Hierarchy, Topology};
use crate::interval::IntervalBoxes;
use crate::kinetic::KineticTreeView;
use crate::math::Aabb;
use crate::refit::{Bounds, RefitTree, are_apart, widening};
use crate::time::Moment;
use crate::world::tree::on_demand::{BoundedAt, Walk};

/// A body's tree, as far as it is up to date at the clock's time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tree<'a> {
    Kinetic(KineticTreeView<'a>),
    Refit(&'a RefitTree),
    Interval(&'a IntervalBoxes),
    Baked(BakedTreeView<'a>),
    OnDemand(BoundedAt<'a>),
}

impl Hierarchy for Tree<'_> {
    fn topology(&self) -> &Topology {
        match self {
            Self::Kinetic(tree) => tree.topology(),
            Self::Refit(tree) => tree.topology(),
            Self::Interval(boxes) => boxes.topology(),
            Self::Baked(tree) => tree.topology(),
            Self::OnDemand(bounded) => bounded.topology(),
        }
    }

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        match self {
            Self::Kinetic(tree) => tree.node_box(node, at),
            Self::Refit(tree) => tree.node_box(node, at),
            Self::Interval(boxes) => boxes.node_box(node, at),
            Self::Baked(tree) => tree.node_box(node, at),
            Self::OnDemand(bounded) => bounded.node_box(node, at),
        }
    }

    fn leaves_where(&self, at: Moment, keep: impl Fn(&Aabb) -> bool, found: impl FnMut(u32)) -> crate::bvh::Visits {
        match self {
            Self::Kinetic(tree) => tree.leaves_where(at, keep, found),
            Self::Refit(tree) => tree.leaves_where(at, keep, found),
            Self::Interval(boxes) => boxes.leaves_where(at, keep, found),
            Self::Baked(tree) => tree.leaves_where(at, keep, found),
            Self::OnDemand(bounded) => bounded.leaves_where(at, keep, found),
        }
    }
}

/// Boxes of a tree in `f32`, asked for node by node.
trait Boxes {
    fn bounds(&mut self, node: u32) -> Bounds;
}

impl Boxes for Walk<'_> {
    #[inline]
    fn bounds(&mut self, node: u32) -> Bounds {
        *Walk::bounds(self, node)
    }
}

impl Boxes for &RefitTree {
    #[inline]
    fn bounds(&mut self, node: u32) -> Bounds {
        RefitTree::bounds(self, node)
    }
}

/// Appends the pairs of leaves whose boxes are at most `distance` (metres) apart along every axis
/// at a moment; of one tree, every pair once, leaves with themselves included. O(pairs of nodes
/// whose boxes meet).
pub(crate) fn meeting_leaves(
    (a, b): (&Tree<'_>, &Tree<'_>),
    is_self: bool,
    distance: f64,
    now: Moment,
    found: &mut Vec<(u32, u32)>,
) {
    let (of_a, of_b) = (a.topology(), b.topology());
    match (a, b) {
        _ if is_self => {}
        (Tree::OnDemand(a), Tree::OnDemand(b)) => {
            return meeting_bounds((&mut a.walk(), of_a), (&mut b.walk(), of_b), distance, found);
        }
        (Tree::OnDemand(a), Tree::Refit(b)) => {
            return meeting_bounds((&mut a.walk(), of_a), (&mut &**b, of_b), distance, found);
        }
        (Tree::Refit(a), Tree::OnDemand(b)) => {
            return meeting_bounds((&mut &**a, of_a), (&mut b.walk(), of_b), distance, found);
        }
        (Tree::Refit(a), Tree::Refit(b)) => {
            return meeting_bounds((&mut &**a, of_a), (&mut &**b, of_b), distance, found);
        }
        _ => {}
    }
    let meet = |x: u32, y: u32| a.node_box(x, now).grown(distance).overlaps(&b.node_box(y, now));
    let mut stack = vec![(0, 0)];
    while let Some((x, y)) = stack.pop() {
        if is_self && x == y {
            let children = of_a.node(x).children();
            if children.is_empty() {
                found.push((x, x));
            }
            for (place, &child) in children.iter().enumerate() {
                stack.extend(children[place..].iter().map(|&other| (child, other)));
            }
            continue;
        }
        if !meet(x, y) {
            continue;
        }
        let (node_x, node_y) = (of_a.node(x), of_b.node(y));
        match (node_x.children(), node_y.children()) {
            ([], []) => found.push(if is_self { (x.min(y), x.max(y)) } else { (x, y) }),
            (children, others) if others.is_empty() || (!children.is_empty() && node_x.count() >= node_y.count()) => {
                stack.extend(children.iter().map(|&child| (child, y)));
            }
            (_, others) => stack.extend(others.iter().map(|&child| (x, child))),
        }
    }
}

/// The same of two trees with boxes in `f32`: the larger of two nodes is opened.
fn meeting_bounds(
    (a, of_a): (&mut impl Boxes, &Topology),
    (b, of_b): (&mut impl Boxes, &Topology),
    distance: f64,
    found: &mut Vec<(u32, u32)>,
) {
    let threshold = widening(distance, 0.0);
    let mut stack = Vec::new();
    if !are_apart(&a.bounds(0), &b.bounds(0), threshold) {
        stack.push((0, 0));
    }
    while let Some((x, y)) = stack.pop() {
        let (below_x, below_y) = (of_a.node(x).children(), of_b.node(y).children());
        if below_x.is_empty() && below_y.is_empty() {
            found.push((x, y));
            continue;
        }
        let (box_x, box_y) = (a.bounds(x), b.bounds(y));
        if below_y.is_empty() || (!below_x.is_empty() && box_x.size() >= box_y.size()) {
            stack.extend(below_x.iter().filter(|&&x| !are_apart(&a.bounds(x), &box_y, threshold)).map(|&x| (x, y)));
        } else {
            stack.extend(below_y.iter().filter(|&&y| !are_apart(&box_x, &b.bounds(y), threshold)).map(|&y| (x, y)));
        }
    }
}
