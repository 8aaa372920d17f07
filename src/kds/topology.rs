//! The shape of a hierarchy: nodes, the primitives of each leaf, the vertices of each leaf, the leaves of each vertex.
//!
//! Shared by all trees over a body, kinetic or not; it knows neither boxes nor time.

use crate::mesh::{Lists, Primitives};

use super::builders::{self, BuildParams};

const NONE: u32 = u32::MAX;

/// A node: inner with two children, or a leaf with some primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub(super) parent: u32,
    pub(super) left: u32,
    pub(super) right: u32,
    /// Range of the subtree's primitives in the tree's order.
    pub(super) begin: u32,
    pub(super) end: u32,
}

impl Node {
    /// The node above, unless this is the root.
    pub fn parent(&self) -> Option<u32> {
        (self.parent != NONE).then_some(self.parent)
    }

    /// Left and right child of an inner node.
    pub fn children(&self) -> Option<(u32, u32)> {
        (self.left != NONE).then_some((self.left, self.right))
    }

    /// Is it a leaf?
    pub fn is_leaf(&self) -> bool {
        self.left == NONE
    }
}

/// A binary tree over the primitives of a body. The root is node 0.
#[derive(Clone, Debug)]
pub struct Topology {
    nodes: Vec<Node>,
    /// Primitive numbers, leaf by leaf.
    order: Vec<u32>,
    /// Per leaf node, the distinct vertices of its primitives.
    leaf_points: Lists,
    /// Per vertex, the leaf nodes it occurs in.
    vertex_leaves: Lists,
    depth: usize,
}

impl Topology {
    /// Builds a tree over primitives from the positions their vertices have now. O(n log n).
    ///
    /// The same input gives the same tree. The height is O(log n) for every builder.
    ///
    /// # Panics
    /// If there is no primitive, or a primitive names a vertex without a position.
    pub fn build(primitives: &impl Primitives, positions: &[[f64; 3]], params: BuildParams) -> Self {
        assert!(primitives.primitive_count() > 0, "a tree needs a primitive");
        let (nodes, order, depth) = builders::build(primitives, positions, params);
        let mut points: Vec<(u32, u32)> = Vec::new();
        let mut scratch: Vec<u32> = Vec::new();
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.is_leaf()) {
            scratch.clear();
            for &primitive in &order[node.begin as usize..node.end as usize] {
                scratch.extend_from_slice(primitives.points_of(primitive as usize));
            }
            scratch.sort_unstable();
            scratch.dedup();
            points.extend(scratch.iter().map(|&vertex| (index as u32, vertex)));
        }
        let leaf_points = Lists::gather(nodes.len(), points.iter().copied());
        let vertex_leaves = Lists::gather(positions.len(), points.iter().map(|&(leaf, vertex)| (vertex, leaf)));
        Self { nodes, order, leaf_points, vertex_leaves, depth }
    }

    /// All nodes; the root is the first, and parents come before their children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The primitives below a node.
    pub fn primitives(&self, node: u32) -> &[u32] {
        let node = self.node(node);
        &self.order[node.begin as usize..node.end as usize]
    }

    /// The distinct vertices of a leaf, ascending.
    pub fn leaf_points(&self, leaf: u32) -> &[u32] {
        self.leaf_points.of(leaf)
    }

    /// The leaves a vertex occurs in.
    pub fn leaves_of(&self, vertex: u32) -> &[u32] {
        self.vertex_leaves.of(vertex)
    }

    /// Most leaves one vertex occurs in.
    pub fn most_leaves_per_vertex(&self) -> usize {
        self.vertex_leaves.longest()
    }

    /// Levels of nodes on the longest way down.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.order.capacity() * size_of::<u32>()
            + self.leaf_points.bytes()
            + self.vertex_leaves.bytes()
    }
}
