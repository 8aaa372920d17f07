//! The traversal: from the old front down to where nodes are apart or leaves.

use std::iter::Copied;

use super::window::{LeafPair, apart, gaps, window};
use super::{IntervalPairs, PairedBoxes, push};
use crate::bvh::LeafRelation;
use crate::bvh::traverse::{TreePair, open};
use crate::interval::IntervalBoxes;

/// Marks leaves that share a corner in the second place of a pair. Places are below
/// [`crate::limits::MAX_INDEX`].
pub(super) const SHARING: u32 = 1 << 31;

/// Two box hierarchies as the traversal opens them: the node larger by its first size.
pub(super) struct Opening<'a> {
    pub(super) a: &'a IntervalBoxes,
    pub(super) b: &'a IntervalBoxes,
    pub(super) is_self: bool,
}

impl<'a> Opening<'a> {
    pub(super) fn of(partners: &PairedBoxes<'a>) -> Self {
        Self { a: partners.a, b: partners.b, is_self: partners.shared_vertices.is_some() }
    }
}

impl<'a> TreePair for Opening<'a> {
    type Children = Copied<std::slice::Iter<'a, u32>>;

    #[inline]
    fn children_a(&self, node: u32) -> Self::Children {
        self.a.layout.below(node).iter().copied()
    }

    #[inline]
    fn children_b(&self, node: u32) -> Self::Children {
        self.b.layout.below(node).iter().copied()
    }

    #[inline]
    fn opens_first(&mut self, [x, y]: [u32; 2]) -> bool {
        self.a.girths[x as usize] >= self.b.girths[y as usize]
    }

    fn is_self(&self) -> bool {
        self.is_self
    }
}

impl IntervalPairs {
    /// Tests the pairs of the old front from index `from` on, and the pairs below them, until the
    /// budget is spent. Returns the index at which to continue.
    pub(super) fn descend(&mut self, partners: &PairedBoxes<'_>, from: usize, budget: usize) -> Option<usize> {
        let mut opening = Opening::of(partners);
        let Opening { a, b, is_self } = opening;
        let [a0, a1] = self.cut[0].ends(a);
        let [b0, b1] = self.cut[1].ends(b);
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
            let is_sharing = y & SHARING != 0;
            let (p, q) = (x as usize, (y & !SHARING) as usize);
            if is_sharing {
                push(&mut self.front, pair);
                self.stats.sharing += 1;
                push(&mut self.sharing, true);
                push(&mut self.pairs, LeafPair { a: a.layout.nodes[p], b: b.layout.nodes[q], enter: 0.0, leave: 1.0 });
                continue;
            }
            let is_same = is_self && p == q;
            if !is_same && apart(&gaps(&a0[p], &b0[q]), &gaps(&a1[p], &b1[q]), threshold) {
                push(&mut self.front, pair);
                continue;
            }
            if open(&mut opening, pair, |_, pair| self.stack.push(pair)) {
                continue;
            }
            let (leaf_a, leaf_b) = (a.layout.nodes[p], b.layout.nodes[q]);
            match partners.shared_vertices.map(|shared_vertices| shared_vertices.relation(leaf_a, leaf_b)) {
                Some(LeafRelation::Excluded) => {}
                Some(LeafRelation::Touching) => self.stack.push([x, y | SHARING]),
                Some(LeafRelation::Disjoint) | None => {
                    push(&mut self.front, pair);
                    if let Some((enter, leave)) = window((&a0[p], &b0[q]), (&a1[p], &b1[q]), threshold) {
                        push(&mut self.sharing, false);
                        push(&mut self.pairs, LeafPair { a: leaf_a, b: leaf_b, enter, leave });
                    }
                }
            }
        }
    }
}
