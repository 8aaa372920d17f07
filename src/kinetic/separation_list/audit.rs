//! Audit of a separation list: Definition 2 against a static traversal, certificates against the
//! queue.

use std::collections::{BTreeMap, BTreeSet};

use super::{Link, NONE, Pair, SeparationList, State};
use crate::bvh::{AuditReport, LeafRelation, SharedVertices, Topology};
use crate::kinetic::event::{EventKind, EventQueue};
use crate::math::Aabb;

impl SeparationList {
    /// Compares the list with the cut that a traversal from the roots finds on the given boxes (one
    /// per node, already moved outward by the slack), both ways; every scheduled event with its
    /// pair, both ways; all links.
    ///
    /// The boxes must belong to a time strictly between two events. That time may lie within a
    /// rounding of one, so boxes that are apart or overlap by less than `tolerance` metres may be
    /// listed either way. Leaves with a welded corner, and the pairs above them, may stay in the
    /// list after the corner has parted. O(list + traversal).
    pub fn audit(
        &self,
        a: (&Topology, &[Aabb]),
        b: (&Topology, &[Aabb]),
        tolerance: f64,
        queue: &EventQueue,
    ) -> AuditReport {
        let mut report = AuditReport::default();
        let found: BTreeMap<(u32, u32), bool> = self.members().map(|(x, y, overlap)| ((x, y), overlap)).collect();
        let kept = self.kept_by_kinship();
        let expected = static_cut(a, b, self.shared_vertices.as_ref(), |nodes, gap| {
            if gap.abs() < tolerance { found.get(&nodes) != Some(&false) } else { gap <= 0.0 || kept.contains(&nodes) }
        });
        report.check(found.len() == self.len(), || "a pair of nodes is listed twice".into());
        for (nodes, overlap) in &expected {
            report.check(found.get(nodes) == Some(overlap), || {
                format!("{nodes:?}: a traversal finds overlap {overlap}, the list {:?}", found.get(nodes))
            });
        }
        for (nodes, overlap) in &found {
            report.check(expected.contains_key(nodes), || {
                format!("{nodes:?} is listed with overlap {overlap}, a traversal does not stop there")
            });
        }
        report.absorb("certificates", self.audit_certificates(queue));
        report
    }

    /// Every scheduled event with its pair, both ways; all links. Good at any time. O(list).
    pub fn audit_certificates(&self, queue: &EventQueue) -> AuditReport {
        let mut report = AuditReport::default();
        let mut scheduled = 0;
        for (index, pair) in self.pairs.iter() {
            let expected = match pair.state {
                State::Apart => EventKind::BoxesOverlap,
                State::Overlapping { place } => {
                    report.check(self.overlapping.get(place as usize) == Some(&(index as u32)), || {
                        format!("pair {index}: not where it should be among the overlapping")
                    });
                    EventKind::LeavesSeparate
                }
                State::Inner { .. } | State::Excluded => EventKind::ParentsSeparate,
            };
            if pair.boxes.ticket.is_some() {
                scheduled += 1;
                let event = queue.contains(pair.boxes.ticket).then(|| queue.get(pair.boxes.ticket));
                report.check(
                    event.is_some_and(|e| e.kind == expected && e.owner == self.owner && e.slot == index as u32),
                    || format!("pair {index}: its ticket names {event:?}, not {expected:?}"),
                );
            }
            let children: Vec<u32> = self.children(index as u32).collect();
            if let State::Inner { count, apart, .. } = pair.state {
                let truly = children.iter().filter(|&&child| self.is_apart_member(child)).count();
                report.check((usize::from(count), usize::from(apart)) == (children.len(), truly), || {
                    format!("pair {index}: counts {count} children, {apart} apart; {} and {truly} are", children.len())
                });
            }
            for child in children {
                report.check(self.pairs.get(child as usize).is_some_and(|c| c.parent == index as u32), || {
                    format!("pair {index}: child {child} does not know its parent")
                });
            }
        }
        let ours =
            |kind| matches!(kind, EventKind::BoxesOverlap | EventKind::LeavesSeparate | EventKind::ParentsSeparate);
        let owned = queue.iter().filter(|(_, event)| event.owner == self.owner && ours(event.kind)).count();
        report.check(owned == scheduled, || format!("{owned} events in the queue for {scheduled} scheduled pairs"));
        self.audit_links(&mut report);
        report
    }

    /// Each pair that has a certificate, and no other, is reached from both of its nodes, once.
    fn audit_links(&self, report: &mut AuditReport) {
        let certified = self.pairs.iter().filter(|(_, pair)| self.has_certificate(pair)).count();
        for (side, heads) in self.heads.iter().enumerate() {
            let mut reached = 0;
            for (node, &head) in heads.iter().enumerate() {
                let (mut previous, mut next) = (NONE, head);
                while next != NONE && reached <= certified {
                    let known = self.pairs.get(next as usize);
                    report.check(known.is_some_and(|pair| pair.nodes[side] as usize == node), || {
                        format!("node {node}: linked to pair {next}, which is not its own")
                    });
                    let link = known.map_or(Link { previous: NONE, next: NONE }, |pair| pair.links[side]);
                    report.check(known.is_some_and(|pair| self.has_certificate(pair)), || {
                        format!("node {node}: linked to pair {next}, which has no certificate")
                    });
                    report.check(link.previous == previous, || {
                        format!("node {node}: pair {next} comes after {}, not {previous}", link.previous)
                    });
                    reached += 1;
                    (previous, next) = (next, link.next);
                }
            }
            report.check(reached == certified, || {
                format!("side {side}: {reached} pairs are linked to nodes, and {certified} have certificates")
            });
        }
    }

    /// Whether a change of bounds must find a pair.
    fn has_certificate(&self, pair: &Pair) -> bool {
        match pair.state {
            State::Apart => true,
            State::Overlapping { .. } => {
                let relation = |vertices: &SharedVertices| {
                    vertices.relation(pair.nodes[0], pair.nodes[1]) == LeafRelation::Touching
                };
                !self.shared_vertices.as_ref().is_some_and(relation)
            }
            State::Inner { count, apart, .. } => count == apart,
            State::Excluded => false,
        }
    }

    /// The listed or excluded pairs of leaves that share a corner, and all pairs above them. Each
    /// may be apart: welded vertices can part, and nothing certifies such a pair. Without a common
    /// vertex below, a pair is not among them.
    fn kept_by_kinship(&self) -> BTreeSet<(u32, u32)> {
        let mut kept = BTreeSet::new();
        let Some(shared_vertices) = &self.shared_vertices else { return kept };
        for (_, pair) in self.pairs.iter() {
            let is_held = match pair.state {
                State::Overlapping { .. } => {
                    shared_vertices.relation(pair.nodes[0], pair.nodes[1]) == LeafRelation::Touching
                }
                State::Excluded => shared_vertices.relation(pair.nodes[0], pair.nodes[1]) == LeafRelation::Excluded,
                State::Apart | State::Inner { .. } => false,
            };
            let mut next = if is_held { Some(pair) } else { None };
            while let Some(pair) = next {
                if !kept.insert((pair.nodes[0], pair.nodes[1])) {
                    break;
                }
                next = self.pairs.get(pair.parent as usize);
            }
        }
        kept
    }

    fn is_apart_member(&self, pair: u32) -> bool {
        self.pairs.get(pair as usize).is_some_and(|pair| pair.state == State::Apart)
    }
}

/// Where a simultaneous traversal of two hierarchies stops: pairs of nodes, and whether they
/// overlap, by the nodes and the gap between their boxes. With shared vertices: of one hierarchy
/// with itself, without excluded pairs.
fn static_cut(
    a: (&Topology, &[Aabb]),
    b: (&Topology, &[Aabb]),
    shared_vertices: Option<&SharedVertices>,
    overlap: impl Fn((u32, u32), f64) -> bool,
) -> BTreeMap<(u32, u32), bool> {
    let mut cut = BTreeMap::new();
    let mut stack = vec![(0, 0)];
    while let Some((x, y)) = stack.pop() {
        if !overlap((x, y), widest_gap(&a.1[x as usize], &b.1[y as usize])) {
            cut.insert((x, y), false);
            continue;
        }
        let below = |topology: &Topology, node: u32| match topology.node(node).children() {
            [] => vec![node],
            children => children.to_vec(),
        };
        if a.0.node(x).is_leaf() && b.0.node(y).is_leaf() {
            if shared_vertices.is_none_or(|shared_vertices| shared_vertices.relation(x, y) != LeafRelation::Excluded) {
                cut.insert((x, y), true);
            }
            continue;
        }
        let (below_x, below_y) = (below(a.0, x), below(b.0, y));
        for (place, &p) in below_x.iter().enumerate() {
            let first = if shared_vertices.is_some() && x == y { place } else { 0 };
            stack.extend(below_y[first..].iter().map(|&q| (p, q)));
        }
    }
    cut
}

/// How far two boxes are apart along the axis where they are farthest; negative if they overlap.
fn widest_gap(a: &Aabb, b: &Aabb) -> f64 {
    let gap = |axis: usize| (b.min[axis] - a.max[axis]).max(a.min[axis] - b.max[axis]);
    gap(0).max(gap(1)).max(gap(2))
}
