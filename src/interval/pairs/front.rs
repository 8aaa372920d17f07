//! The traversal: from the old front down to where nodes are apart or leaves.

use super::window::{LeafPair, apart, gaps, window};
use super::{IntervalPairs, PairedBoxes};
use crate::bvh::LeafRelation;
use crate::interval::IntervalBoxes;

/// Marks leaves that share a corner in the second place of a pair. Places are below [`crate::limits::MAX_INDEX`].
pub(super) const KIN: u32 = 1 << 31;

/// Which nodes take the place of a pair that is not apart.
pub(super) enum Opened {
    /// It is a pair of leaves.
    Leaves,
    /// Pairs in the order of the traversal; the last one is only used of a node with itself.
    Pairs([[u32; 2]; 3], usize),
}

/// Opens a pair of places: the larger one by its first size, and a node with itself into three.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn open([x, y]: [u32; 2], a: &IntervalBoxes, b: &IntervalBoxes, is_self: bool) -> Opened {
    let (inner_a, inner_b) = (a.layout.inner_count() as u32, b.layout.inner_count() as u32);
    if is_self && x == y {
        if x >= inner_a {
            return Opened::Leaves;
        }
        let [left, right] = a.layout.children[x as usize];
        return Opened::Pairs([[left, left], [left, right], [right, right]], 3);
    }
    if x < inner_a && (y >= inner_b || a.girths[x as usize] >= b.girths[y as usize]) {
        let [left, right] = a.layout.children[x as usize];
        Opened::Pairs([[left, y], [right, y], [0, 0]], 2)
    } else if y < inner_b {
        let [left, right] = b.layout.children[y as usize];
        Opened::Pairs([[x, left], [x, right], [0, 0]], 2)
    } else {
        Opened::Leaves
    }
}

impl IntervalPairs {
    /// Looks at the pairs of the old front from one on, and below them, until the budget is spent. Returns where to go on.
    pub(super) fn descend(&mut self, partners: &PairedBoxes<'_>, from: usize, budget: usize) -> Option<usize> {
        let (a, b, is_self) = (partners.a, partners.b, partners.shared_vertices.is_some());
        let [a0, a1] = self.cut[0].ends(a);
        let [b0, b1] = self.cut[1].ends(b);
        let (inner_a, inner_b) = (a.layout.inner_count() as u32, b.layout.inner_count() as u32);
        let threshold = self.threshold;
        let (mut next, mut visited) = (from, 0);
        loop {
            let Some(pair) = self.stack.pop().or_else(|| {
                next += 1;
                self.old_front.get(next - 1).copied()
            }) else {
                self.stats.visited += visited as u64;
                return None;
            };
            if visited >= budget {
                self.stack.push(pair);
                self.stats.visited += visited as u64;
                return Some(next);
            }
            visited += 1;
            let [x, y] = pair;
            let is_kin = y & KIN != 0;
            let (p, q) = (x as usize, (y & !KIN) as usize);
            if is_kin {
                self.front.push(pair);
                self.stats.kin += 1;
                self.kin.push(true);
                self.pairs.push(LeafPair { a: a.layout.nodes[p], b: b.layout.nodes[q], enter: 0.0, leave: 1.0 });
                continue;
            }
            let is_same = is_self && p == q;
            if !is_same && apart(&gaps(&a0[p], &b0[q]), &gaps(&a1[p], &b1[q]), threshold) {
                self.front.push(pair);
                continue;
            }
            if x < inner_a || y < inner_b {
                if let Opened::Pairs(pairs, count) = open(pair, a, b, is_self) {
                    self.stack.extend(pairs[..count].iter().rev());
                }
                continue;
            }
            let (leaf_a, leaf_b) = (a.layout.nodes[p], b.layout.nodes[q]);
            match partners.shared_vertices.map(|shared_vertices| shared_vertices.relation(leaf_a, leaf_b)) {
                Some(LeafRelation::Excluded) => {}
                Some(LeafRelation::Touching) => self.stack.push([x, y | KIN]),
                Some(LeafRelation::Disjoint) | None => {
                    self.front.push(pair);
                    if let Some((enter, leave)) = window((&a0[p], &b0[q]), (&a1[p], &b1[q]), threshold) {
                        self.kin.push(false);
                        self.pairs.push(LeafPair { a: leaf_a, b: leaf_b, enter, leave });
                    }
                }
            }
        }
    }
}
