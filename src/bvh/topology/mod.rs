//! The shape of a hierarchy: nodes, the primitives of each leaf, the vertices of each leaf, the
//! leaves of each vertex.
//!
//! Shared by all trees over a body, kinetic or not; independent of boxes and time.
//!
//! **Local changes** (`edit`) all are one operation: the subtree below a node is replaced by
//! another one over a given set of primitives. The node keeps its number, nodes below it lose
//! theirs, and new nodes get free numbers. Data kept by node number therefore stays valid for every
//! node outside the subtree. A [`Reshaped`] lists the removed and the new nodes.
//!
//! Height: a built tree has a height of at most 2 log₂ n + 10. If a local change leaves the tree
//! higher, the lowest unbalanced subtrees are rebuilt by halves until it is not (Galperin and
//! Rivest 1993, "Scapegoat trees").

mod audit;
mod edit;

pub use edit::Reshaped;

use std::sync::OnceLock;

use crate::mesh::{Lists, Primitives};

use super::builders::{self, BuildParams, Item, MOST_CHILDREN};

const NONE: u32 = u32::MAX;

/// A node: inner with two to four children, or a leaf with some primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Node {
    parent: u32,
    /// Children from left to right, then `NONE`.
    children: [u32; MOST_CHILDREN],
    /// Number of primitives below; 0 if the node number is not in use.
    count: u32,
    /// Levels from this node down to the lowest leaf, both included.
    height: u32,
}

impl Node {
    const UNUSED: Self = Self { parent: NONE, children: [NONE; MOST_CHILDREN], count: 0, height: 0 };

    /// The node above, unless this is the root.
    pub fn parent(&self) -> Option<u32> {
        (self.parent != NONE).then_some(self.parent)
    }

    /// The children of an inner node from left to right, two to four; none of a leaf.
    #[inline]
    pub fn children(&self) -> &[u32] {
        let count = match self.children {
            [NONE, ..] => 0,
            [.., NONE, NONE] => 2,
            [.., NONE] => 3,
            _ => 4,
        };
        &self.children[..count]
    }

    /// Left and right child of an inner node of a binary tree.
    #[inline]
    pub(crate) fn left_and_right(&self) -> Option<(u32, u32)> {
        let [left, right, third, _] = self.children;
        debug_assert_eq!(third, NONE, "a node of a wide tree");
        (left != NONE).then_some((left, right))
    }

    /// Whether it is a leaf. False for numbers that are not in use.
    pub fn is_leaf(&self) -> bool {
        self.children[0] == NONE && self.count > 0
    }

    /// Whether the number names a node.
    pub fn is_used(&self) -> bool {
        self.count > 0
    }

    /// The number of primitives below.
    pub fn count(&self) -> usize {
        self.count as usize
    }
}

/// A tree over the primitives of a body: binary, or wide ([`Width::Four`](super::Width)). The root
/// is node 0.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Topology {
    nodes: Vec<Node>,
    /// Per leaf node, the numbers of its primitives.
    primitives: Lists,
    /// Per leaf node, the distinct vertices of its primitives, ascending.
    leaf_points: Lists,
    /// Per vertex, the leaf nodes that contain it, ascending; computed at the first query.
    #[cfg_attr(feature = "record", serde(skip))]
    vertex_leaves: OnceLock<Lists>,
    /// Number of vertices that `vertex_leaves` has room for.
    vertex_count: usize,
    /// Node numbers that are not in use; the last one is reused first.
    free: Vec<u32>,
    params: BuildParams,
}

impl Topology {
    /// Whether another tree has the same nodes, with the same primitives and vertices.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        let count = self.nodes.len();
        self.nodes == other.nodes
            && (0..count as u32).all(|node| self.primitives(node) == other.primitives(node))
            && (0..count as u32).all(|node| self.leaf_points(node) == other.leaf_points(node))
    }

    /// Whether all vertices of the leaves are below a number of vertices. O(n).
    pub(crate) fn fits(&self, vertex_count: usize) -> bool {
        let last = |node: u32| self.leaf_points(node).last().copied();
        (0..self.nodes.len() as u32).filter_map(last).all(|vertex| (vertex as usize) < vertex_count)
    }

    /// Builds a tree over primitives from the current positions of their vertices. O(n log n).
    ///
    /// The same input gives the same tree. The height is O(log n) for every builder.
    ///
    /// Positions determine nothing but the shape: a vertex without one counts as at the origin.
    /// Without primitives the root is a node that is not in use.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn build(primitives: &impl Primitives, positions: &[[f64; 3]], params: BuildParams) -> Self {
        Self::build_grouped(primitives, positions, params, |_| 0)
    }

    /// Builds a tree over primitives in groups: as far as the height allows, groups are separated
    /// before their members.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn build_grouped(
        primitives: &impl Primitives,
        positions: &[[f64; 3]],
        params: BuildParams,
        group: impl Fn(usize) -> u32,
    ) -> Self {
        let used = (0..primitives.primitive_count()).filter(|&primitive| primitives.is_used(primitive));
        let items: Vec<Item> = used
            .map(|primitive| {
                let points = primitives.points_of(primitive).iter();
                Item::new(
                    primitive as u32,
                    group(primitive),
                    points.map(|&vertex| positions.get(vertex as usize).unwrap_or(&[0.0; 3])),
                )
            })
            .collect();
        let (branches, order) = builders::build(items, params);
        let mut nodes: Vec<Node> = branches
            .iter()
            .map(|branch| Node {
                parent: branch.parent,
                children: branch.children,
                count: branch.end - branch.begin,
                height: 1,
            })
            .collect();
        for index in (1..nodes.len()).rev() {
            let (height, parent) = (nodes[index].height + 1, nodes[index].parent as usize);
            nodes[parent].height = nodes[parent].height.max(height);
        }
        let mut points: Vec<(u32, u32)> = Vec::new();
        let mut scratch: Vec<u32> = Vec::new();
        for (index, branch) in branches.iter().enumerate().filter(|(_, branch)| branch.children[0] == NONE) {
            gather_points(primitives, &order[branch.begin as usize..branch.end as usize], &mut scratch);
            points.extend(scratch.iter().map(|&vertex| (index as u32, vertex)));
        }
        let leaf_points = Lists::gather(nodes.len(), points.iter().copied());
        // In depth-first order a leaf ends where the next node begins, and an inner node begins
        // where its first leaf does.
        let begins = branches.iter().map(|branch| branch.begin).chain([order.len() as u32]).collect();
        let primitives = Lists::end_to_end(begins, order);
        let vertex_leaves = OnceLock::new();
        Self { nodes, primitives, leaf_points, vertex_leaves, vertex_count: positions.len(), free: Vec::new(), params }
    }

    fn vertex_leaves(&self) -> &Lists {
        self.vertex_leaves.get_or_init(|| {
            let leaves = (0..self.nodes.len() as u32).filter(|&node| self.node(node).is_leaf());
            let pairs = leaves.flat_map(|leaf| self.leaf_points(leaf).iter().map(move |&vertex| (vertex, leaf)));
            let most = pairs.clone().map(|(vertex, _)| vertex as usize + 1).max().unwrap_or(0);
            Lists::gather(self.vertex_count.max(most), pairs)
        })
    }

    /// The parameters of the build.
    pub fn params(&self) -> BuildParams {
        self.params
    }

    /// All nodes by number; the root is the first. In a built tree, parents come before their
    /// children. After a local change no order holds, and some numbers may not be in use
    /// ([`Node::is_used`]).
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// The children of a node; none of a leaf.
    #[inline]
    pub(crate) fn children(&self, node: u32) -> std::iter::Copied<std::slice::Iter<'_, u32>> {
        self.node(node).children().iter().copied()
    }

    /// One node; a node that is not in use if the number is too high.
    #[inline]
    pub fn node(&self, node: u32) -> &Node {
        self.nodes.get(node as usize).unwrap_or(&Node::UNUSED)
    }

    /// Numbers of all nodes, children before their parents. O(n).
    pub fn upward(&self) -> impl Iterator<Item = u32> + use<> {
        self.downward(0).into_iter().rev()
    }

    /// Numbers of the nodes of a subtree, depth-first, left before right.
    fn downward(&self, node: u32) -> Vec<u32> {
        let mut found = Vec::new();
        self.find_downward(node, &mut found, &mut Vec::new());
        found
    }

    /// Appends the nodes of a subtree, depth-first, left before right. The stack is scratch.
    fn find_downward(&self, node: u32, found: &mut Vec<u32>, stack: &mut Vec<u32>) {
        stack.clear();
        stack.push(node);
        while let Some(node) = stack.pop() {
            found.push(node);
            stack.extend(self.node(node).children().iter().rev());
        }
    }

    /// As [`Topology::upward`], in memory that is there. The stack is scratch.
    pub(crate) fn list_upward(&self, nodes: &mut Vec<u32>, stack: &mut Vec<u32>) {
        nodes.clear();
        self.find_downward(0, nodes, stack);
        nodes.reverse();
    }

    /// The vertices of the leaves below a node, each once per leaf.
    pub(crate) fn vertices_below(&self, node: u32) -> Vec<u32> {
        let (mut stack, mut found) = (vec![node], Vec::new());
        while let Some(node) = stack.pop() {
            found.extend(self.leaf_points(node));
            stack.extend(self.node(node).children());
        }
        found
    }

    /// The primitives of a leaf; none for other numbers.
    pub fn primitives(&self, leaf: u32) -> &[u32] {
        self.primitives.of(leaf)
    }

    /// The primitives of all leaves, from left to right. Valid only for a tree without local
    /// changes.
    pub fn order(&self) -> &[u32] {
        self.primitives.all()
    }

    /// How many vertices all leaves have, each counted once per leaf.
    pub(crate) fn leaf_point_count(&self) -> usize {
        self.leaf_points.item_count()
    }

    /// The distinct vertices of a leaf, ascending; none for other numbers.
    pub fn leaf_points(&self, leaf: u32) -> &[u32] {
        self.leaf_points.of(leaf)
    }

    /// The leaves that contain a vertex; none if it is in no primitive. O(1); O(n) at the first
    /// query after the build.
    pub fn leaves_of(&self, vertex: u32) -> &[u32] {
        self.vertex_leaves().of(vertex)
    }

    /// Most leaves that contain one vertex.
    pub fn most_leaves_per_vertex(&self) -> usize {
        self.vertex_leaves().longest()
    }

    /// Number of levels on the longest path from the root.
    pub fn depth(&self) -> usize {
        self.nodes[0].height as usize
    }

    /// Bytes held.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.free.capacity() * size_of::<u32>()
            + self.primitives.bytes()
            + self.leaf_points.bytes()
            + self.vertex_leaves.get().map_or(0, Lists::bytes)
    }
}

/// The distinct vertices of some primitives, ascending.
fn gather_points(primitives: &impl Primitives, which: &[u32], out: &mut Vec<u32>) {
    out.clear();
    for &primitive in which {
        out.extend_from_slice(primitives.points_of(primitive as usize));
    }
    out.sort_unstable();
    out.dedup();
}
