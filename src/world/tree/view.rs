//! Trees of two bodies traversed together at the clock's time, whichever trees the bodies have.
//!
//! The boxes of every tree hold a node's vertices at the clock's time: kinetic ones by
//! certificates, refitted ones since they were refitted, those of an interval by interpolation,
//! baked ones by their events, on-demand ones since they were made. So pairs of bodies with
//! different trees need nothing more than two [`Hierarchy`]s. What is found is a superset of the
//! leaf pairs that may hold triangles in contact; these are tested exactly.

use std::convert::Infallible;
use std::iter::Copied;
use std::ops::ControlFlow;

use crate::baked::clip::BakedTreeView;
use crate::bvh::traverse::{TreePair, Visitor, leaf_pairs};
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
    let trees = [a.topology(), b.topology()];
    match (a, b) {
        _ if is_self => {}
        (Tree::OnDemand(a), Tree::OnDemand(b)) => {
            return RoundedPairs::meeting(trees, (a.walk(), b.walk()), distance, found);
        }
        (Tree::OnDemand(a), Tree::Refit(b)) => {
            return RoundedPairs::meeting(trees, (a.walk(), *b), distance, found);
        }
        (Tree::Refit(a), Tree::OnDemand(b)) => {
            return RoundedPairs::meeting(trees, (*a, b.walk()), distance, found);
        }
        (Tree::Refit(a), Tree::Refit(b)) => return RoundedPairs::meeting(trees, (*a, *b), distance, found),
        _ => {}
    }
    let meet = |[x, y]: [u32; 2]| a.node_box(x, now).grown(distance).overlaps(&b.node_box(y, now));
    overlapping_leaves(trees, is_self, meet, found);
}

/// Finds the pairs of leaves of two trees, or of one with itself, that are reached through nodes
/// that all `meet`; of one tree the lower number comes first.
pub(crate) fn overlapping_leaves(
    trees: [&Topology; 2],
    is_self: bool,
    meet: impl FnMut([u32; 2]) -> bool,
    found: &mut Vec<(u32, u32)>,
) {
    let ControlFlow::Continue(()) = leaf_pairs(&mut ExactPairs { trees, is_self, meet, found });
}

/// Two trees with boxes in `f64`; the node with more primitives is opened.
struct ExactPairs<'a, M> {
    trees: [&'a Topology; 2],
    is_self: bool,
    meet: M,
    found: &'a mut Vec<(u32, u32)>,
}

impl<'a, M> TreePair for ExactPairs<'a, M> {
    type Children = Copied<std::slice::Iter<'a, u32>>;

    fn children_a(&self, node: u32) -> Self::Children {
        self.trees[0].children(node)
    }

    fn children_b(&self, node: u32) -> Self::Children {
        self.trees[1].children(node)
    }

    fn opens_first(&mut self, [x, y]: [u32; 2]) -> bool {
        self.trees[0].node(x).count() >= self.trees[1].node(y).count()
    }

    fn is_self(&self) -> bool {
        self.is_self
    }
}

impl<M: FnMut([u32; 2]) -> bool> Visitor for ExactPairs<'_, M> {
    type Break = Infallible;

    fn are_apart(&mut self, pair: [u32; 2]) -> bool {
        !(self.meet)(pair)
    }

    fn leaves(&mut self, [x, y]: [u32; 2]) -> ControlFlow<Infallible> {
        self.found.push(if self.is_self { (x.min(y), x.max(y)) } else { (x, y) });
        ControlFlow::Continue(())
    }
}

/// Two trees with boxes in `f32`; the larger node is opened.
struct RoundedPairs<'a, A, B> {
    trees: [&'a Topology; 2],
    boxes: (A, B),
    threshold: f32,
    found: &'a mut Vec<(u32, u32)>,
}

impl<'a, A: Boxes, B: Boxes> RoundedPairs<'a, A, B> {
    fn meeting(trees: [&'a Topology; 2], boxes: (A, B), distance: f64, found: &'a mut Vec<(u32, u32)>) {
        let ControlFlow::Continue(()) =
            leaf_pairs(&mut Self { trees, boxes, threshold: widening(distance, 0.0), found });
    }
}

impl<'a, A: Boxes, B: Boxes> TreePair for RoundedPairs<'a, A, B> {
    type Children = Copied<std::slice::Iter<'a, u32>>;

    fn children_a(&self, node: u32) -> Self::Children {
        self.trees[0].children(node)
    }

    fn children_b(&self, node: u32) -> Self::Children {
        self.trees[1].children(node)
    }

    fn opens_first(&mut self, [x, y]: [u32; 2]) -> bool {
        self.boxes.0.bounds(x).size() >= self.boxes.1.bounds(y).size()
    }
}

impl<A: Boxes, B: Boxes> Visitor for RoundedPairs<'_, A, B> {
    type Break = Infallible;

    fn are_apart(&mut self, [x, y]: [u32; 2]) -> bool {
        are_apart(&self.boxes.0.bounds(x), &self.boxes.1.bounds(y), self.threshold)
    }

    fn leaves(&mut self, [x, y]: [u32; 2]) -> ControlFlow<Infallible> {
        self.found.push((x, y));
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::BuildParams;
    use crate::mesh::Mesh;

    #[test]
    fn pairs_of_leaves_of_one_tree_are_found_once() {
        let corners = |number: u8| [0.0, 1.0, 2.0].map(|x: f64| [x + f64::from(number), x * x, 0.0]);
        let places: Vec<[f64; 3]> = (0..5).flat_map(corners).collect();
        let mesh = Mesh::new(15, (0..5).map(|number| [0, 1, 2].map(|corner| 3 * number + corner)).collect()).unwrap();
        let tree = Topology::build(&mesh, &places, BuildParams { leaf_size: 1, ..BuildParams::default() });
        let leaves: Vec<u32> = (0..tree.nodes().len() as u32).filter(|&node| tree.node(node).is_leaf()).collect();
        assert_eq!(leaves.len(), 5);
        let mut found = Vec::new();
        overlapping_leaves([&tree, &tree], true, |_| true, &mut found);
        found.sort_unstable();
        let pairs_from = |(place, &leaf): (usize, &u32)| leaves[place..].iter().map(move |&other| (leaf, other));
        assert_eq!(found, leaves.iter().enumerate().flat_map(pairs_from).collect::<Vec<_>>());
    }
}
