//! Audit of a tree's shape against the primitives it was built over.

use std::collections::{BTreeMap, BTreeSet};

use super::{Topology, gather_points};
use crate::bvh::builders::MOST_CHILDREN;
use crate::bvh::{AuditReport, Width};
use crate::mesh::Primitives;

#[cfg_attr(not(feature = "unstable"), doc(hidden))]
impl Topology {
    /// Checks the tree's shape. O(n log n).
    ///
    /// - Every primitive in use is in one leaf; no other primitive is in any.
    /// - Children refer to their parents; counts and heights are right.
    /// - No inner node has fewer than two children, or more than the width allows.
    /// - The height is within its bound.
    /// - The vertices of leaves and the leaves of vertices agree with the primitives.
    /// - Every number belongs to a node or is free.
    pub fn audit(&self, primitives: &impl Primitives) -> AuditReport {
        let mut report = AuditReport::default();
        let mut held: Vec<u32> = Vec::new();
        let mut occurrences: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut points = Vec::new();
        let below: Vec<u32> = self.upward().collect();
        let most_children = if self.params.width == Width::Four { MOST_CHILDREN } else { 2 };
        for &index in &below {
            let node = self.node(index);
            let children = || node.children().iter().map(|&child| self.node(child));
            let (count, height) = if !node.children().is_empty() {
                let known = children().all(|child| child.parent() == Some(index));
                report.check(known, || format!("node {index}: a child does not know it"));
                report.check((2..=most_children).contains(&node.children().len()), || {
                    format!("node {index}: has {} children", node.children().len())
                });
                report.check(self.primitives(index).is_empty(), || {
                    format!("node {index}: an inner node holds primitives")
                });
                let heights = children().map(|child| child.height);
                (children().map(|child| child.count).sum(), 1 + heights.max().unwrap_or(0))
            } else {
                let set = self.primitives(index);
                held.extend_from_slice(set);
                gather_points(primitives, set, &mut points);
                report
                    .check(self.leaf_points(index) == points, || format!("leaf {index}: its vertices are {points:?}"));
                points.iter().for_each(|&vertex| occurrences.entry(vertex).or_default().push(index));
                report.check(!set.is_empty() && set.len() <= self.params.leaf_size(), || {
                    format!("leaf {index} holds {} primitives", set.len())
                });
                (set.len() as u32, 1)
            };
            report.check((node.count, node.height) == (count, height), || {
                format!("node {index}: counts {}, height {}; they are {count}, {height}", node.count, node.height)
            });
        }
        held.sort_unstable();
        let used = (0..primitives.primitive_count()).filter(|&p| primitives.is_used(p)).map(|p| p as u32);
        let expected: Vec<u32> = used.collect();
        report.check(held == expected, || format!("leaves hold {held:?} of {expected:?}"));
        let root = self.node(0);
        report.check(root.height <= 2 * root.count.max(1).ilog2() + 10, || {
            format!("{} levels over {} primitives", root.height, root.count)
        });
        for (vertex, mut leaves) in occurrences {
            leaves.sort_unstable();
            let mut known = self.leaves_of(vertex).to_vec();
            known.sort_unstable();
            report.check(known == leaves, || format!("vertex {vertex}: is in {leaves:?}, known in {known:?}"));
        }
        let numbers: BTreeSet<u32> = below.iter().chain(&self.free).copied().collect();
        report.check(numbers.len() == self.nodes.len() && below.len() + self.free.len() == self.nodes.len(), || {
            "a number is neither of a node nor free, or both".into()
        });
        report
    }
}
