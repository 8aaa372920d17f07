//! The tree of an on-demand body in two parts: above, nodes that are bounded from parameters;
//! below, *blocks* of up to `tuning::BLOCK_TRIANGLES` triangles, whose vertices are blended in
//! `f32` when something in them is asked for.
//!
//! Bounding a node costs what blending thirty vertices does, and boxes of blended vertices are
//! tighter: bounds below blocks would save nothing. The root of a block belongs to both: its own
//! box is bounded, those below it are not.

use crate::bvh::Topology;
use crate::refit::Bounds;
use crate::tuning;

/// Stands for nodes above blocks, and their roots.
const ABOVE: u32 = u32::MAX;

/// Which nodes and vertices are in which block.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Blocks {
    /// Per node, the block it is below the root of; per leaf, the block it is in.
    of: Vec<u32>,
    of_leaf: Vec<u32>,
    all: Vec<Block>,
    /// Nodes, parents before their children; distinct vertices.
    nodes: Vec<u32>,
    vertices: Vec<u32>,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Block {
    nodes: std::ops::Range<usize>,
    vertices: std::ops::Range<usize>,
}

impl Blocks {
    /// O(triangles).
    pub(crate) fn new(tree: &Topology, vertex_count: usize) -> Self {
        let count = tree.nodes().len();
        let mut made = Self {
            of: vec![ABOVE; count],
            of_leaf: vec![ABOVE; count],
            all: Vec::new(),
            nodes: Vec::new(),
            vertices: Vec::new(),
        };
        let mut seen = vec![ABOVE; vertex_count];
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            let entry = tree.node(node);
            if entry.children().is_empty() || entry.count() <= tuning::BLOCK_TRIANGLES {
                made.add(node, tree, &mut seen);
            } else {
                stack.extend(entry.children().iter().rev());
            }
        }
        made
    }

    /// Makes a block of a node.
    fn add(&mut self, root: u32, tree: &Topology, seen: &mut [u32]) {
        let number = self.all.len() as u32;
        let (nodes, vertices) = (self.nodes.len(), self.vertices.len());
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            self.nodes.push(node);
            if node != root {
                self.of[node as usize] = number;
            }
            let children = tree.node(node).children();
            if children.is_empty() {
                self.of_leaf[node as usize] = number;
                for &vertex in tree.leaf_points(node) {
                    if std::mem::replace(&mut seen[vertex as usize], number) != number {
                        self.vertices.push(vertex);
                    }
                }
            }
            stack.extend(children.iter().rev());
        }
        self.all.push(Block { nodes: nodes..self.nodes.len(), vertices: vertices..self.vertices.len() });
    }

    /// The block a node is below the root of.
    pub(crate) fn above(&self, node: u32) -> Option<usize> {
        Some(self.of[node as usize]).filter(|&block| block != ABOVE).map(|block| block as usize)
    }

    /// The block a leaf is in.
    pub(crate) fn holding(&self, leaf: u32) -> usize {
        self.of_leaf[leaf as usize] as usize
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// The vertices of a block.
    pub(crate) fn vertices(&self, block: usize) -> &[u32] {
        &self.vertices[self.all[block].vertices.clone()]
    }

    /// The nodes of a block below its root.
    pub(crate) fn below(&self, block: usize) -> &[u32] {
        &self.nodes[self.all[block].nodes.clone()][1..]
    }

    /// The triangles of a block.
    pub(crate) fn triangles(&self, block: usize, tree: &Topology) -> usize {
        tree.node(self.nodes[self.all[block].nodes.start]).count()
    }

    /// Makes the boxes of a block's nodes, its root's not included, from places of its vertices
    /// that are off by a margin, metres.
    pub(crate) fn bound(&self, block: usize, tree: &Topology, points: &[[f32; 4]], margin: f32, boxes: &mut [Bounds]) {
        for &node in self.below(block).iter().rev() {
            let children = tree.node(node).children();
            boxes[node as usize] = if children.is_empty() {
                let points = tree.leaf_points(node).iter().map(|&vertex| Bounds::of_point(&points[vertex as usize]));
                points.fold(Bounds::EMPTY, |all, point| all.union(&point)).widened(margin)
            } else {
                children.iter().fold(Bounds::EMPTY, |all, &child| all.union(&boxes[child as usize]))
            };
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.of.len() + self.of_leaf.len() + self.nodes.capacity() + self.vertices.capacity();
        numbers * size_of::<u32>() + self.all.capacity() * size_of::<Block>()
    }
}
