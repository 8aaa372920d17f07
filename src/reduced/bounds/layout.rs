//! How the leaves of a reduced body's tree lie in memory, for those who evaluate them in pieces.
//!
//! Nodes are counted depth-first (*places*), so that what is below a node is one range. The topmost nodes with few triangles are *blocks*:
//! boxes above them are bounded from parameters, a block is evaluated as a whole. Bounding a node costs about what evaluating
//! thirty vertices does, so bounds below blocks would save nothing. Vertices are numbered (*points*) in the order in which leaves first use them; a block
//! owns those that no block before it uses.
//!
//! O(triangles), made once.

use crate::kds::Topology;
use crate::limits;

/// Stands for no block or leaf, and for places above all blocks.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const ABOVE: u32 = u32::MAX - 1;

/// A range of numbers.
pub(super) type Range = std::ops::Range<u32>;

/// See the module's head.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Per place, its node in the tree; per node, its place.
    pub(super) nodes: Vec<u32>,
    pub(super) places: Vec<u32>,
    /// Per place, where its children begin in `children`; one more entry at the end.
    child_starts: Vec<u32>,
    children: Vec<u32>,
    /// Per place, which leaf it is, or [`NONE`]; and of which block it is the root, [`ABOVE`] or, within a block, [`NONE`].
    pub(super) leaf_of: Vec<u32>,
    pub(super) block_of: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    /// Points of blocks that others own.
    pub(super) foreign: Vec<u32>,
    pub(super) leaves: Vec<Leaf>,
    /// Points of leaves.
    pub(super) leaf_points: Vec<u32>,
    /// Per triangle in leaf order, its number and its corners' points.
    pub(super) triangles: Vec<u32>,
    pub(super) corners: Vec<[u32; 3]>,
    /// Per point, the vertex.
    pub(super) vertices: Vec<u32>,
    /// Rows of eight triangles that all leaves have together.
    pub(super) row_count: usize,
}

/// What is evaluated together.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Places, the block's root first.
    pub(super) places: Range,
    /// Points it owns, and in `foreign` others it uses.
    pub(super) points: Range,
    pub(super) foreign: Range,
    pub(super) leaves: Range,
}

/// A leaf: its place, its points in `leaf_points`, its triangles, and the first of its rows of eight triangles.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) place: u32,
    pub(super) points: Range,
    pub(super) triangles: Range,
    pub(super) row: u32,
}

impl Layout {
    /// `None` if a triangle of the tree does not exist.
    pub(super) fn new(topology: &Topology, mesh_triangles: &[[u32; 3]]) -> Option<Self> {
        let mut layout = Self {
            nodes: Vec::new(),
            places: vec![NONE; topology.nodes().len()],
            child_starts: vec![0],
            children: Vec::new(),
            leaf_of: Vec::new(),
            block_of: Vec::new(),
            blocks: Vec::new(),
            foreign: Vec::new(),
            leaves: Vec::new(),
            leaf_points: Vec::new(),
            triangles: Vec::new(),
            corners: Vec::new(),
            vertices: Vec::new(),
            row_count: 0,
        };
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            layout.places[node as usize] = layout.nodes.len() as u32;
            layout.nodes.push(node);
            stack.extend(topology.node(node).children().iter().rev());
        }
        for &node in &layout.nodes {
            layout.children.extend(topology.node(node).children().iter().map(|&child| layout.places[child as usize]));
            layout.child_starts.push(layout.children.len() as u32);
        }
        let vertices = mesh_triangles.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        let mut points = Points { of_vertex: vec![NONE; vertices], seen_in: vec![NONE; vertices] };
        let mut block_end = 0;
        for place in 0..layout.nodes.len() as u32 {
            let node = topology.node(layout.nodes[place as usize]);
            let starts_block = place >= block_end && (node.count() <= limits::BLOCK_TRIANGLES || node.is_leaf());
            if starts_block {
                block_end = layout.end_of(place);
                let (points, foreign) = (layout.vertices.len() as u32, layout.foreign.len() as u32);
                let leaves = layout.leaves.len() as u32;
                layout.block_of.push(layout.blocks.len() as u32);
                layout.blocks.push(Block {
                    places: place..block_end,
                    points: points..points,
                    foreign: foreign..foreign,
                    leaves: leaves..leaves,
                });
            } else {
                layout.block_of.push(if place >= block_end { ABOVE } else { NONE });
            }
            if !layout.children_of(place).is_empty() {
                layout.leaf_of.push(NONE);
                continue;
            }
            layout.leaf_of.push(layout.leaves.len() as u32);
            layout.add_leaf(topology, place, mesh_triangles, &mut points)?;
        }
        Some(layout)
    }

    fn add_leaf(
        &mut self,
        topology: &Topology,
        place: u32,
        mesh_triangles: &[[u32; 3]],
        points: &mut Points,
    ) -> Option<()> {
        let (first_point, first_triangle) = (self.leaf_points.len() as u32, self.triangles.len() as u32);
        let block_number = self.blocks.len() as u32 - 1;
        for &triangle in topology.primitives(self.nodes[place as usize]) {
            let vertices = mesh_triangles.get(triangle as usize)?;
            let corners = vertices.map(|vertex| {
                let point = &mut points.of_vertex[vertex as usize];
                let seen_in = &mut points.seen_in[vertex as usize];
                if *point == NONE {
                    *point = self.vertices.len() as u32;
                    self.vertices.push(vertex);
                } else if *seen_in != block_number {
                    self.foreign.push(*point);
                }
                *seen_in = block_number;
                *point
            });
            self.triangles.push(triangle);
            self.corners.push(corners);
            for point in corners {
                if !self.leaf_points[first_point as usize..].contains(&point) {
                    self.leaf_points.push(point);
                }
            }
        }
        let triangles = first_triangle..self.triangles.len() as u32;
        let row = self.row_count as u32;
        self.row_count += triangles.len().div_ceil(crate::simd::LANES);
        self.leaves.push(Leaf { place, points: first_point..self.leaf_points.len() as u32, triangles, row });
        let block = self.blocks.last_mut()?;
        block.points.end = self.vertices.len() as u32;
        block.foreign.end = self.foreign.len() as u32;
        block.leaves.end = self.leaves.len() as u32;
        Some(())
    }

    /// The places of a node's children, from left to right; none of a leaf.
    #[inline(always)]
    pub(super) fn children_of(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.children[self.child_starts[place] as usize..self.child_starts[place + 1] as usize]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let numbers = [
            &self.nodes,
            &self.places,
            &self.child_starts,
            &self.children,
            &self.leaf_of,
            &self.block_of,
            &self.foreign,
            &self.leaf_points,
            &self.triangles,
            &self.vertices,
        ];
        numbers.iter().map(|list| list.capacity() * size_of::<u32>()).sum::<usize>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.corners.capacity() * size_of::<[u32; 3]>()
    }

    /// The place after the last one below.
    fn end_of(&self, place: u32) -> u32 {
        let mut last = place;
        while let Some(&child) = self.children_of(last).last() {
            last = child;
        }
        last + 1
    }
}

/// While points are numbered: per vertex its point, and the last block that used it.
struct Points {
    of_vertex: Vec<u32>,
    seen_in: Vec<u32>,
}

/// Indices of a range.
#[inline(always)]
pub(super) fn indices(range: &Range) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}
