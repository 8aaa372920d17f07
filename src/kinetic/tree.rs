//! Which kinetic tree a body has: one interface over all kinds.
//!
//! Callers that drive a tree (events, plan changes, audits) or query it (bounds, boxes) use this
//! interface and need not know the kind of the tree. Every call is one `match` on top of the kind's
//! own cost.

use std::ops::Range;

use super::aabb_tree::{self, KineticAabbTree, SlotsAhead};
use super::bounded_tree::{self, KineticBoundedTree};
use super::box_tree::{self, KineticBoxTree};
use super::{EventContext, KineticHierarchy, TreeContext};
use crate::bvh::{AuditReport, Hierarchy, KeyedBoxes, Topology, Visits, tight_boxes};
use crate::kinetic::event::{Event, EventQueue, Ticket};
use crate::math::{Aabb, Extent};
use crate::motion::{BoxTracks, KeyTrack, Motion, Piece};
use crate::stats::TreeStats;
use crate::time::{Moment, NEVER};

/// The kind of a kinetic tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum TreeKind {
    /// Six winners per node: tight boxes. `KineticAabbTree`.
    #[default]
    Aabb,
    /// Two planes per node, boxes implied: fewer and more expensive events, larger boxes.
    /// `KineticBoxTree`.
    Box,
}

/// A kinetic tree over one body.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub enum KineticTree {
    /// Six winners per node.
    Aabb(KineticAabbTree),
    /// Two planes per node.
    Box(KineticBoxTree),
    /// Boxes at keys, made from few parameters.
    Bounded(KineticBoundedTree),
}

/// A kinetic tree together with the motion of its vertices.
#[derive(Clone, Copy, Debug)]
pub enum KineticTreeView<'a> {
    /// Six winners per node.
    Aabb(aabb_tree::View<'a>),
    /// Two planes per node.
    Box(box_tree::View<'a>),
    /// Boxes at keys, made from few parameters.
    Bounded(bounded_tree::View<'a>),
}

/// The same expression for every kind.
macro_rules! each {
    ($tree:expr, $it:ident => $value:expr) => {
        match $tree {
            Self::Aabb($it) => $value,
            Self::Box($it) => $value,
            Self::Bounded($it) => $value,
        }
    };
}

/// What the audit of a tree compares it with.
#[derive(Clone, Copy, Debug)]
pub struct TreeAudit<'a> {
    /// The motion of the vertices.
    pub motion: &'a Motion,
    /// The slack of the boxes, metres.
    pub slack: f64,
    /// The end of the epoch, seconds.
    pub until: f64,
    /// The queue with the tree's events.
    pub queue: &'a EventQueue,
    /// The moment from which failures are searched again.
    pub now: Moment,
    /// The moment of the positions; not after the next event.
    pub at: Moment,
}

impl TreeAudit<'_> {
    /// Checks that a ticket names an own event at the expected moment, or none if nothing is
    /// expected. Returns whether an event is scheduled.
    pub(super) fn check_ticket(
        &self,
        ticket: Ticket,
        expected: Moment,
        is_own: impl Fn(&Event) -> bool,
        name: impl Fn() -> String,
        report: &mut AuditReport,
    ) -> bool {
        if !ticket.is_some() {
            let is_due = expected.time() != NEVER;
            report.check(!is_due, || format!("{}: fails at {expected:?} but nothing is scheduled", name()));
            return false;
        }
        let known = self.queue.contains(ticket);
        report.check(known, || format!("{}: its ticket names no event", name()));
        if known {
            let event = self.queue.get(ticket);
            report.check(is_own(&event), || format!("{}: its ticket names {event:?}", name()));
            report.check(event.moment == expected, || {
                format!("{}: scheduled at {:?}, found at {expected:?}", name(), event.moment)
            });
        }
        known
    }
}

impl KineticTree {
    /// Finds all winners at the context's moment and schedules all certificates.
    pub fn new(kind: TreeKind, topology: Topology, owner: u32, context: &mut TreeContext<'_, '_>) -> Self {
        match kind {
            TreeKind::Aabb => Self::Aabb(KineticAabbTree::new(topology, owner, context)),
            TreeKind::Box => Self::Box(KineticBoxTree::new(topology, owner, context)),
        }
    }

    /// A kinetic AABB tree that has a shape only, until all of it is certified. O(1).
    pub(crate) fn idle(topology: Topology, owner: u32) -> Self {
        Self::Aabb(KineticAabbTree::idle(topology, owner))
    }

    /// Whether it has a shape only: it has no boxes.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self, Self::Aabb(tree) if tree.is_idle())
    }

    /// A tree of a body whose nodes are bounded from few parameters. Its motion must be that of the
    /// boxes. O(nodes).
    pub fn bounded(boxes: Box<dyn KeyedBoxes>, context: &mut TreeContext<'_, '_>) -> Self {
        Self::Bounded(KineticBoundedTree::new(boxes, context))
    }

    /// The kind it was made as; of a reduced body the kind it gets if its bounds end.
    pub fn kind(&self) -> TreeKind {
        match self {
            Self::Aabb(_) | Self::Bounded(_) => TreeKind::Aabb,
            Self::Box(_) => TreeKind::Box,
        }
    }

    /// The tree of a reduced body.
    pub fn as_bounded(&self) -> Option<&KineticBoundedTree> {
        match self {
            Self::Bounded(tree) => Some(tree),
            Self::Aabb(_) | Self::Box(_) => None,
        }
    }

    /// Gives up bounds from parameters: a kinetic AABB tree of the same shape takes their place.
    /// Returns false, and changes nothing, if the tree is of another kind. O(m log m).
    pub fn give_up_bounds(&mut self, owner: u32, context: &mut TreeContext<'_, '_>) -> bool {
        let Self::Bounded(tree) = self else { return false };
        *self = Self::Aabb(KineticAabbTree::new(tree.topology().clone(), owner, context));
        true
    }

    /// The end of an epoch of the tree that contains a moment.
    pub fn epoch_end(&self, motion: &Motion, at: Moment) -> Moment {
        match self {
            Self::Bounded(_) => KineticBoundedTree::epoch_end(motion, at),
            Self::Aabb(_) | Self::Box(_) => motion.epoch_end(at),
        }
    }

    /// The shape of the tree.
    pub fn topology(&self) -> &Topology {
        each!(self, tree => tree.topology())
    }

    /// The vertex that realises an extent of a node's box now; none in the tree of a reduced body.
    pub fn winner(&self, node: u32, extent: Extent) -> Option<u32> {
        match self {
            Self::Aabb(tree) => Some(tree.winner(node, extent)),
            Self::Box(tree) => Some(tree.winner(node, extent)),
            Self::Bounded(_) => None,
        }
    }

    /// The tree with its motion, as a hierarchy with boxes. Questions about `now` are answered
    /// fastest.
    pub fn kinetic_view<'a>(
        &'a self,
        motion: &'a Motion,
        slack: f64,
        epoch_end: f64,
        now: Moment,
    ) -> KineticTreeView<'a> {
        match self {
            Self::Aabb(tree) => KineticTreeView::Aabb(tree.kinetic_view(motion, slack, epoch_end, now)),
            Self::Box(tree) => KineticTreeView::Box(tree.kinetic_view(motion, slack, epoch_end, now)),
            Self::Bounded(tree) => KineticTreeView::Bounded(tree.kinetic_view(motion, slack, epoch_end, now)),
        }
    }

    /// Computes all winners and all certificates again, and reports every slot: after a jump, or a
    /// change of most plans. The tree of a reduced body reports none.
    pub fn certify_all(&mut self, context: &mut TreeContext<'_, '_>) {
        each!(self, tree => tree.certify_all(context));
    }

    /// The same, where some slots of an AABB tree were found ahead.
    pub(crate) fn certify_all_as_found(&mut self, ahead: &SlotsAhead, context: &mut TreeContext<'_, '_>) {
        match self {
            Self::Aabb(tree) => tree.certify_all_as_found(ahead, context),
            Self::Box(tree) => tree.certify_all(context),
            Self::Bounded(tree) => tree.certify_all(context),
        }
    }

    /// Certifies some nodes again over motion that is known only now; see
    /// [`KineticAabbTree::extend`]. Returns false, and does nothing, if the tree cannot do that
    /// node by node.
    pub fn extend(&mut self, nodes: Range<u32>, since: f64, context: &mut TreeContext<'_, '_>) -> bool {
        let Self::Aabb(tree) = self else { return false };
        tree.extend(nodes, since, context);
        true
    }

    /// Processes an event of this tree that was just taken from the queue. Reports every changed
    /// slot.
    pub fn process(&mut self, event: Event, context: &mut TreeContext<'_, '_>) {
        match self {
            Self::Aabb(tree) => tree.process(event, context),
            Self::Box(tree) => tree.process(event, context),
            // It schedules none.
            Self::Bounded(_) => {}
        }
    }

    /// Certifies again every slot in which one of `vertices` takes part, after their flightplans
    /// changed now. Reports every slot whose winner changed or is one of `vertices`.
    ///
    /// The bounds of a reduced body are to be given up before ([`KineticTree::give_up_bounds`]).
    pub fn replan(&mut self, vertices: &[u32], context: &mut TreeContext<'_, '_>) {
        match self {
            Self::Aabb(tree) => tree.replan(vertices, context),
            Self::Box(tree) => tree.replan(vertices, context),
            Self::Bounded(tree) => tree.certify_all(context),
        }
    }

    /// Takes all events of this tree out of the queue.
    pub fn retire(&mut self, events: &mut EventContext<'_>) {
        match self {
            Self::Aabb(tree) => tree.retire(events),
            Self::Box(tree) => tree.retire(events),
            Self::Bounded(_) => {}
        }
    }

    /// Checks, at a moment no later than the next event: every node's box against the positions of
    /// all vertices below it, and against the box it should have; every winner, slot or plane
    /// against the queue, both ways; every scheduled time against a new search. O(m log m).
    pub fn audit(&self, audit: &TreeAudit<'_>) -> AuditReport {
        let &TreeAudit { motion, slack, until, queue, at, .. } = audit;
        if let Self::Bounded(tree) = self {
            return tree.audit(motion, slack, until, at);
        }
        let mut report = AuditReport::default();
        let mut positions = Vec::new();
        motion.positions(at, &mut positions);
        let view = self.kinetic_view(motion, slack, until, at);
        let (tight, expected) = (tight_boxes(self.topology(), &positions), self.boxes_from(&positions));
        for node in self.topology().upward() {
            let (truth, implied) = (&tight[node as usize], &expected[node as usize]);
            let bounds = view.node_box(node, at);
            report.check(bounds.contains(&truth.min) && bounds.contains(&truth.max), || {
                format!("node {node} at {at:?}: {bounds:?} does not hold {truth:?}")
            });
            let is_implied = bounds.contains(&implied.min) && bounds.contains(&implied.max);
            // A winner may be wrong by a rounding, to either side of the true extent.
            let outer = implied.inflated(2.0 * slack);
            report.check(is_implied && outer.contains(&bounds.min) && outer.contains(&bounds.max), || {
                format!("node {node} at {at:?}: {bounds:?} is not the implied {implied:?} moved by {slack:e}")
            });
        }
        let (scheduled, owner) = match self {
            Self::Aabb(tree) => (tree.audit_certificates(audit, &mut report), tree.owner),
            Self::Box(tree) => (tree.audit_certificates(audit, &mut report), tree.owner),
            Self::Bounded(_) => return report,
        };
        let owned = queue.iter().filter(|(_, event)| event.owner == owner && event.kind.is_of_tree()).count();
        report.check(owned == scheduled, || format!("{owned} events in the queue for {scheduled} scheduled"));
        report
    }

    /// The boxes all nodes should have, without slack, from positions of all vertices alone: for
    /// audits. Of a reduced body, whose boxes are larger, the boxes of the vertices. O(m log m).
    pub fn boxes_from(&self, positions: &[[f64; 3]]) -> Vec<Aabb> {
        match self {
            Self::Aabb(_) | Self::Bounded(_) => tight_boxes(self.topology(), positions),
            Self::Box(tree) => tree.boxes_from(positions),
        }
    }

    /// Counters since the tree was built.
    pub fn stats(&self) -> TreeStats {
        match self {
            Self::Aabb(tree) => tree.stats(),
            Self::Box(tree) => tree.stats(),
            Self::Bounded(_) => TreeStats::default(),
        }
    }

    /// Most slots one vertex can take part in.
    pub fn most_slots_per_vertex(&self) -> usize {
        match self {
            Self::Aabb(tree) => tree.most_slots_per_vertex(),
            Self::Box(tree) => tree.most_slots_per_vertex(),
            Self::Bounded(_) => 0,
        }
    }

    /// Bytes held, scheduled events not included.
    pub fn bytes(&self) -> usize {
        each!(self, tree => tree.bytes())
    }
}

impl Hierarchy for KineticTreeView<'_> {
    fn topology(&self) -> &Topology {
        each!(self, view => view.topology())
    }

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        each!(self, view => view.node_box(node, at))
    }

    fn leaves_where(&self, at: Moment, keep: impl Fn(&Aabb) -> bool, found: impl FnMut(u32)) -> Visits {
        each!(self, view => view.leaves_where(at, keep, found))
    }
}

impl KineticHierarchy for KineticTreeView<'_> {
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece {
        each!(self, view => view.bound(node, extent, at))
    }

    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        each!(self, view => view.bounds(node, at))
    }

    fn bound_row(&self, node: u32, extent: Extent) -> Option<KeyTrack<'_>> {
        each!(self, view => view.bound_row(node, extent))
    }

    fn bound_rows(&self, node: u32) -> Option<BoxTracks<'_>> {
        each!(self, view => view.bound_rows(node))
    }

    fn slack(&self) -> f64 {
        each!(self, view => view.slack())
    }

    fn epoch_end(&self) -> f64 {
        each!(self, view => view.epoch_end())
    }
}
