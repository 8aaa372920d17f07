//! Whether two bodies, one of which is bounded from few parameters, may meet in an interval: told
//! from boxes of nodes alone, before any vertex is evaluated.
//!
//! Both trees are traversed together, over their boxes at both ends of the interval. Boxes move
//! linearly in between, so nodes that are apart along one axis, on one side, at both ends are apart
//! throughout. The traversal ends at nodes of up to `tuning::BLOCK_TRIANGLES` triangles: if two of
//! them are not apart, all vertices of the reduced bodies are evaluated. It also ends after as many
//! pairs of nodes as cost what that evaluation costs. Both follow from definitions alone.

use crate::bvh::{AuditReport, Hierarchy, Topology, tight_boxes};
use crate::interval::IntervalBoxes;
use crate::kinetic::KineticTreeView;
use crate::math::Aabb;
use crate::time::{Moment, Span};
use crate::tuning;
use crate::world::body::Body;

/// The boxes of a body's nodes at both ends of an interval.
enum NodeBoxes<'a> {
    /// From parameters.
    Bounded([KineticTreeView<'a>; 2]),
    /// Of stored keys.
    Keys(&'a IntervalBoxes),
}

/// A body during an interval.
struct Side<'a> {
    boxes: NodeBoxes<'a>,
    ends: [Moment; 2],
}

impl<'a> Side<'a> {
    /// `None` unless the body is bounded, or the boxes of its keys are known.
    fn of(body: &'a Body, ends: [Moment; 2]) -> Option<Self> {
        let boxes = if body.is_bounded_ahead() {
            let [begin, end] = ends.map(|at| body.kinetic_view(at));
            NodeBoxes::Bounded([begin?, end?])
        } else {
            NodeBoxes::Keys(body.keys.as_deref()?)
        };
        Some(Self { boxes, ends })
    }

    fn topology(&self) -> &Topology {
        match &self.boxes {
            NodeBoxes::Bounded([view, _]) => view.topology(),
            NodeBoxes::Keys(boxes) => boxes.topology(),
        }
    }

    fn boxes(&self, node: u32) -> [Aabb; 2] {
        let [begin, end] = self.ends;
        match &self.boxes {
            NodeBoxes::Bounded([first, last]) => [first.node_box(node, begin), last.node_box(node, end)],
            NodeBoxes::Keys(boxes) => [boxes.node_box(node, begin), boxes.node_box(node, end)],
        }
    }

    /// The triangles below a node, if it is opened.
    fn triangles_to_open(&self, node: u32) -> Option<usize> {
        let node = self.topology().node(node);
        let is_opened = !node.is_leaf() && node.count() > tuning::BLOCK_TRIANGLES;
        is_opened.then(|| node.count())
    }
}

/// Whether two bodies are farther apart than a distance, metres, throughout an interval, as far as
/// boxes tell. False where that is not known.
pub(super) fn are_far_apart(a: &Body, b: &Body, interval: Span, distance: f64) -> bool {
    let ends = ends_of(interval);
    let (Some(a), Some(b)) = (Side::of(a, ends), Side::of(b, ends)) else { return false };
    let triangles = a.topology().node(0).count() + b.topology().node(0).count();
    let most = tuning::LEAST_VISITS_BEFORE_EVALUATION.max(triangles / tuning::TRIANGLES_PER_VISIT);
    let (mut visits, mut stack) = (0, vec![(0, 0)]);
    while let Some((p, q)) = stack.pop() {
        visits += 1;
        if visits > most {
            return false;
        }
        if are_apart(a.boxes(p), b.boxes(q), distance) {
            continue;
        }
        let is_first = match (a.triangles_to_open(p), b.triangles_to_open(q)) {
            (None, None) => return false,
            (first, second) => first >= second,
        };
        if is_first {
            stack.extend(a.topology().node(p).children().iter().map(|&child| (child, q)));
        } else {
            stack.extend(b.topology().node(q).children().iter().map(|&child| (p, child)));
        }
    }
    true
}

/// The first and the last moment of an interval.
fn ends_of(Span { begin, end }: Span) -> [Moment; 2] {
    let first = if begin < end { Moment::after(begin) } else { Moment::at(begin) };
    // Without an end both bodies rest.
    [first, if end.is_finite() { Moment::at(end) } else { first }]
}

/// Checks two bodies that are said to be far apart in an interval: no leaves around their vertices
/// at both ends come within a distance, metres. O(vertices), and a traversal.
pub(super) fn audit_far_apart(a: &Body, b: &Body, interval: Span, distance: f64) -> AuditReport {
    let mut report = AuditReport::default();
    let (Some(tree_a), Some(tree_b)) = (a.topology(), b.topology()) else { return report };
    let ends = ends_of(interval);
    let tight = |body: &Body, tree: &Topology| {
        ends.map(|at| {
            let mut positions = Vec::new();
            body.motion.positions(at, &mut positions);
            tight_boxes(tree, &positions)
        })
    };
    let (boxes_a, boxes_b) = (tight(a, tree_a), tight(b, tree_b));
    let mut stack = vec![(0, 0)];
    while let Some((p, q)) = stack.pop() {
        let of = |boxes: &[Vec<Aabb>; 2], node: u32| [boxes[0][node as usize], boxes[1][node as usize]];
        let (node_p, node_q) = (tree_a.node(p), tree_b.node(q));
        let is_apart = are_apart(of(&boxes_a, p), of(&boxes_b, q), distance);
        let is_leaves = node_p.is_leaf() && node_q.is_leaf();
        report.check(is_apart || !is_leaves, || {
            format!("leaves {p} and {q} come near in {interval:?}, and no vertex was evaluated")
        });
        if is_apart || is_leaves {
            continue;
        }
        if node_q.is_leaf() || (!node_p.is_leaf() && node_p.count() >= node_q.count()) {
            stack.extend(node_p.children().iter().map(|&child| (child, q)));
        } else {
            stack.extend(node_q.children().iter().map(|&child| (p, child)));
        }
    }
    report
}

/// Whether boxes that move linearly are farther apart than a distance throughout, along one axis.
fn are_apart([a0, a1]: [Aabb; 2], [b0, b1]: [Aabb; 2], distance: f64) -> bool {
    (0..3).any(|axis| {
        let above = |a: &Aabb, b: &Aabb| b.min[axis] - a.max[axis] > distance;
        (above(&a0, &b0) && above(&a1, &b1)) || (above(&b0, &a0) && above(&b1, &a1))
    })
}
