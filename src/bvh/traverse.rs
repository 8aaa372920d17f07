//! Two trees traversed together, or one with itself: depth first, down to pairs of leaves that are
//! not apart.
//!
//! ```text
//!        (A, B)            a pair of nodes that overlaps is replaced by the children of one of them, the other staying;
//!        /    \            of two inner nodes the trees choose which (usually the larger one)
//!   (a, B)    (a', B)      a pair that is apart is dropped with all that lies below it
//!
//!        (A, A)            one tree with itself: every pair of children once, and each with itself
//!      /    |    \
//! (a, a) (a, a') (a', a')
//! ```
//!
//! A pair is tested when it is reached, before it waits on the stack; a node is never apart from
//! itself. Pairs are visited in the order of the children, so the order depends on the trees alone.
//!
//! Some traversals are written out elsewhere. `reduced/bounds/pair.rs` refines the bounds of a node
//! at the moment it is opened and may find it apart after all. `cli/bench/kinetic.rs` opens both
//! nodes at once, as the paper's Algorithm 2 does, and carries boxes downward. `refit/front.rs` is
//! the innermost loop of default engines and keeps its own loops, for reasons of speed stated
//! there. The front of `interval/pairs` stops at any pair and goes on later, so it keeps pairs in
//! the order of the traversal and tests them when they are taken from the stack; it shares
//! [`open`].

use std::ops::ControlFlow;

/// Two trees, or one twice.
pub(crate) trait TreePair {
    /// The children of a node; none of a leaf.
    type Children: DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone;

    /// The children of a node of the first tree.
    fn children_a(&self, node: u32) -> Self::Children;

    /// The children of a node of the second tree.
    fn children_b(&self, node: u32) -> Self::Children;

    /// Whether the first of two inner nodes is opened.
    fn opens_first(&mut self, pair: [u32; 2]) -> bool;

    /// Whether both trees are the same one: pairs are visited once, in either order.
    fn is_self(&self) -> bool {
        false
    }
}

/// What a traversal tests, and what it does at two leaves.
pub(crate) trait Visitor: TreePair {
    /// What ends a traversal early.
    type Break;

    /// Tests whether two nodes are apart, with everything below them.
    fn are_apart(&mut self, pair: [u32; 2]) -> bool;

    /// Visits two leaves that are not apart, or a leaf with itself.
    fn leaves(&mut self, pair: [u32; 2]) -> ControlFlow<Self::Break>;
}

/// Pushes the pairs that take the place of a pair, the first one last. Returns whether there are
/// any: not of two leaves.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn open<T: TreePair>(trees: &mut T, [x, y]: [u32; 2], mut push: impl FnMut(&mut T, [u32; 2])) -> bool {
    let below_x = trees.children_a(x);
    if trees.is_self() && x == y {
        for (place, child) in below_x.clone().enumerate().rev() {
            below_x.clone().skip(place).rev().for_each(|other| push(trees, [child, other]));
        }
        return below_x.len() > 0;
    }
    let below_y = trees.children_b(y);
    if below_x.len() > 0 && (below_y.len() == 0 || trees.opens_first([x, y])) {
        below_x.rev().for_each(|child| push(trees, [child, y]));
        return true;
    }
    let is_inner = below_y.len() > 0;
    below_y.rev().for_each(|child| push(trees, [x, child]));
    is_inner
}

/// Pushes a pair unless it is apart.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn reach<V: Visitor>(visitor: &mut V, pair: [u32; 2], stack: &mut Vec<[u32; 2]>) {
    let is_same = visitor.is_self() && pair[0] == pair[1];
    if is_same || !visitor.are_apart(pair) {
        stack.push(pair);
    }
}

/// Visits all pairs of leaves below the pairs on the stack, which are not apart.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn descend<V: Visitor>(visitor: &mut V, stack: &mut Vec<[u32; 2]>) -> ControlFlow<V::Break> {
    while let Some(pair) = stack.pop() {
        if !open(visitor, pair, |visitor, pair| reach(visitor, pair, stack)) {
            visitor.leaves(pair)?;
        }
    }
    ControlFlow::Continue(())
}

/// Visits all pairs of leaves of two trees that are not apart. O(pairs of nodes that are not
/// apart).
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn leaf_pairs<V: Visitor>(visitor: &mut V) -> ControlFlow<V::Break> {
    let mut stack = Vec::new();
    reach(visitor, [0, 0], &mut stack);
    descend(visitor, &mut stack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Trees of numbered intervals: children, and what the node holds.
    struct Lines<'a> {
        children: &'a [Vec<u32>],
        ranges: [&'a [(i32, i32)]; 2],
        is_self: bool,
        found: Vec<[u32; 2]>,
    }

    impl<'a> TreePair for Lines<'a> {
        type Children = std::iter::Copied<std::slice::Iter<'a, u32>>;

        fn children_a(&self, node: u32) -> Self::Children {
            self.children[node as usize].iter().copied()
        }

        fn children_b(&self, node: u32) -> Self::Children {
            self.children_a(node)
        }

        fn opens_first(&mut self, [x, y]: [u32; 2]) -> bool {
            let length = |(low, high): (i32, i32)| high - low;
            length(self.ranges[0][x as usize]) >= length(self.ranges[1][y as usize])
        }

        fn is_self(&self) -> bool {
            self.is_self
        }
    }

    impl Visitor for Lines<'_> {
        type Break = Infallible;

        fn are_apart(&mut self, [x, y]: [u32; 2]) -> bool {
            let ((a, b), (c, d)) = (self.ranges[0][x as usize], self.ranges[1][y as usize]);
            b < c || d < a
        }

        fn leaves(&mut self, pair: [u32; 2]) -> ControlFlow<Infallible> {
            self.found.push(pair);
            ControlFlow::Continue(())
        }
    }

    /// A root with two and three leaves below it: every overlapping pair of leaves once, in the
    /// order of children.
    #[test]
    fn all_overlapping_leaves_are_visited_once() {
        let children = [vec![1, 2], vec![3, 4], vec![5, 6, 7], vec![], vec![], vec![], vec![], vec![]];
        let first = [(0, 9), (0, 3), (4, 9), (0, 1), (2, 3), (4, 5), (5, 7), (8, 9)];
        let second = [(1, 10), (1, 4), (5, 10), (1, 2), (3, 4), (5, 6), (6, 8), (9, 10)];
        for is_self in [false, true] {
            let ranges: [&[_]; 2] = if is_self { [&first, &first] } else { [&first, &second] };
            let mut lines = Lines { children: &children, ranges, is_self, found: Vec::new() };
            let ControlFlow::Continue(()) = leaf_pairs(&mut lines);
            let found = std::mem::take(&mut lines.found);
            let mut expected = Vec::new();
            for x in 3..8 {
                for y in 3..8 {
                    if (!is_self || x <= y) && !lines.are_apart([x, y]) {
                        expected.push([x, y]);
                    }
                }
            }
            let mut sorted = found.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, expected);
            assert!(!is_self || found == expected, "in the order of children: {found:?}");
        }
    }
}
