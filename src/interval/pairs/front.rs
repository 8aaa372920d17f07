//! The traversal: from the old front down to where nodes are apart or leaves.

use std::iter::Copied;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::window::{LeafPair, apart, gaps, window};
use super::{IntervalPairs, PairedBoxes, push};
use crate::bvh::traverse::{TreePair, open};
use crate::bvh::{LeafRelation, SharedVertices};
use crate::interval::IntervalBoxes;
use crate::interval::layout::LANES;
use crate::threads;

/// Marks leaves that share a corner in the second place of a pair. Places are below
/// [`crate::limits::MAX_INDEX`].
pub(super) const SHARING: u32 = 1 << 31;

/// Two box hierarchies as the traversal opens them: the node larger by its first size.
#[derive(Clone, Copy)]
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

/// A traversal, or a part of one: where it ended, and what it has found.
#[derive(Default)]
struct Descent {
    front: Vec<[u32; 2]>,
    pairs: Vec<LeafPair>,
    sharing: Vec<bool>,
    /// Pairs that are to be tested next, the first one last.
    stack: Vec<[u32; 2]>,
    visited: usize,
    /// How many leaf pairs share a corner.
    shared: usize,
}

/// The boxes of two trees at both ends of an interval.
#[derive(Clone, Copy)]
struct Ends<'a> {
    opening: Opening<'a>,
    a: [&'a [[f32; LANES]]; 2],
    b: [&'a [[f32; LANES]]; 2],
    threshold: f32,
    shared_vertices: Option<&'a SharedVertices>,
}

impl Ends<'_> {
    /// Whether two nodes are apart throughout.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn are_apart(&self, p: usize, q: usize) -> bool {
        let is_same = self.opening.is_self && p == q;
        !is_same && apart(&gaps(&self.a[0][p], &self.b[0][q]), &gaps(&self.a[1][p], &self.b[1][q]), self.threshold)
    }

    /// Tests the pairs on the stack, then some others in their order, and the pairs below them,
    /// until more than `budget` pairs of nodes would be visited. Returns how many of the others
    /// were taken, if any pair is left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descend(&self, others: &[[u32; 2]], budget: usize, descent: &mut Descent) -> Option<usize> {
        let Self { mut opening, a: [a0, a1], b: [b0, b1], threshold, shared_vertices } = *self;
        let Descent { front, pairs, sharing, stack, visited, shared } = descent;
        let (a, b) = (opening.a, opening.b);
        let mut next = 0;
        loop {
            let pair = stack.pop().or_else(|| {
                next += 1;
                others.get(next - 1).copied()
            })?;
            if *visited >= budget {
                stack.push(pair);
                return Some(next);
            }
            *visited += 1;
            let [x, y] = pair;
            let (p, q) = (x as usize, (y & !SHARING) as usize);
            if y & SHARING != 0 {
                push(front, pair);
                *shared += 1;
                push(sharing, true);
                push(pairs, LeafPair { a: a.layout.nodes[p], b: b.layout.nodes[q], enter: 0.0, leave: 1.0 });
                continue;
            }
            if self.are_apart(p, q) {
                push(front, pair);
                continue;
            }
            if open(&mut opening, pair, |_, pair| stack.push(pair)) {
                continue;
            }
            let (leaf_a, leaf_b) = (a.layout.nodes[p], b.layout.nodes[q]);
            match shared_vertices.map(|shared_vertices| shared_vertices.relation(leaf_a, leaf_b)) {
                Some(LeafRelation::Excluded) => {}
                Some(LeafRelation::Touching) => stack.push([x, y | SHARING]),
                Some(LeafRelation::Disjoint) | None => {
                    push(front, pair);
                    if let Some((enter, leave)) = window((&a0[p], &b0[q]), (&a1[p], &b1[q]), threshold) {
                        push(sharing, false);
                        push(pairs, LeafPair { a: leaf_a, b: leaf_b, enter, leave });
                    }
                }
            }
        }
    }

    /// Opens pairs that are not apart, in their order, until there are at least `count`, or none
    /// can be opened. Returns how many were opened; those that are left were not visited.
    fn spread(&self, work: &mut Vec<[u32; 2]>, count: usize) -> usize {
        let mut opening = self.opening;
        let mut visited = 0;
        let mut below = Vec::new();
        while work.len() < count {
            let (before, mut opened) = (visited, Vec::with_capacity(2 * work.len()));
            for &pair in &*work {
                let [x, y] = pair;
                below.clear();
                let is_opened = y & SHARING == 0
                    && !self.are_apart(x as usize, y as usize)
                    && open(&mut opening, pair, |_, pair| below.push(pair));
                if is_opened {
                    visited += 1;
                    opened.extend(below.iter().rev());
                } else {
                    opened.push(pair);
                }
            }
            *work = opened;
            if visited == before {
                break;
            }
        }
        visited
    }
}

/// Pairs of a front, or nodes of two trees, from which on threads share the traversal.
const SHARED_FRONT: usize = 2048;

/// Parts of the work that each thread gets, and pairs of nodes in each, at least, where the front
/// is built from the root.
const PARTS_PER_THREAD: usize = 8;
const PAIRS_OF_A_PART: usize = 16;

/// A budget of that many visits for each node is for all of the work.
const VISITS_PER_NODE: usize = 16;

/// Visits after which a part tells the others of them.
const VISITS_AT_ONCE: usize = 1024;

impl IntervalPairs {
    /// Tests the pairs of the old front from index `from` on, and the pairs below them, until the
    /// budget is spent. Returns the index at which to continue.
    pub(super) fn descend(&mut self, partners: &PairedBoxes<'_>, from: usize, budget: usize) -> Option<usize> {
        let opening = Opening::of(partners);
        let ends = Ends {
            opening,
            a: self.cut[0].ends(opening.a),
            b: self.cut[1].ends(opening.b),
            threshold: self.threshold,
            shared_vertices: partners.shared_vertices,
        };
        // Of a share of the work it is not known for how many pairs of the front it is.
        let nodes = opening.a.layout.nodes.len() + opening.b.layout.nodes.len();
        let is_all = from == 0 && self.stack.is_empty() && budget / VISITS_PER_NODE >= nodes;
        if is_all && threads::count() > 1 {
            let is_large = if self.is_rebuilt() { nodes >= SHARED_FRONT } else { self.old_front.len() >= SHARED_FRONT };
            if is_large && let Some(descent) = descend_by_threads(&ends, self.old_front.clone(), budget) {
                self.take(descent);
                return None;
            }
        }
        let mut descent = Descent {
            front: std::mem::take(&mut self.front),
            pairs: std::mem::take(&mut self.pairs),
            sharing: std::mem::take(&mut self.sharing),
            stack: std::mem::take(&mut self.stack),
            ..Descent::default()
        };
        let next = ends.descend(&self.old_front[from.min(self.old_front.len())..], budget, &mut descent);
        self.take(descent);
        next.map(|next| from + next)
    }

    /// Takes the lists of a descent, and counts what it visited.
    fn take(&mut self, descent: Descent) {
        let Descent { front, pairs, sharing, stack, visited, shared } = descent;
        (self.front, self.pairs, self.sharing, self.stack) = (front, pairs, sharing, stack);
        self.stats.visited += visited as u64;
        self.stats.sharing += shared;
    }
}

/// The outcome of [`Ends::descend`] from a front, its parts by several threads; `None` where the
/// budget does not suffice.
fn descend_by_threads(ends: &Ends<'_>, mut work: Vec<[u32; 2]>, budget: usize) -> Option<Descent> {
    let count = PARTS_PER_THREAD * threads::count();
    let opened = ends.spread(&mut work, PAIRS_OF_A_PART * count);
    let mut parts: Vec<(&[[u32; 2]], Descent, bool)> =
        work.chunks(work.len().div_ceil(count)).map(|part| (part, Descent::default(), false)).collect();
    let visited = AtomicUsize::new(opened);
    threads::for_each(&mut parts, |(part, descent, is_whole)| {
        // Stops only where all parts together are beyond the budget.
        while visited.load(Ordering::Relaxed) <= budget {
            let known = descent.visited;
            let next = ends.descend(part, known + VISITS_AT_ONCE, descent);
            visited.fetch_add(descent.visited - known, Ordering::Relaxed);
            match next {
                Some(next) => *part = &part[next..],
                None => {
                    *is_whole = true;
                    return;
                }
            }
        }
    });
    let mut whole = Descent { visited: opened, ..Descent::default() };
    for (_, part, is_whole) in &parts {
        if !is_whole {
            return None;
        }
        whole.visited += part.visited;
        whole.shared += part.shared;
    }
    if whole.visited > budget {
        return None;
    }
    let sum = |of: fn(&Descent) -> usize| parts.iter().map(|(_, part, _)| of(part)).sum();
    whole.front.reserve_exact(sum(|part| part.front.len()));
    whole.pairs.reserve_exact(sum(|part| part.pairs.len()));
    whole.sharing.reserve_exact(sum(|part| part.sharing.len()));
    for (_, part, _) in parts {
        whole.front.extend(part.front);
        whole.pairs.extend(part.pairs);
        whole.sharing.extend(part.sharing);
    }
    Some(whole)
}
