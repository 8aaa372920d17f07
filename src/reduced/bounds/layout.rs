//! Memory layout of a reduced body's tree, for block-wise evaluation.
//!
//! Nodes are numbered by families, depth-first (*places*). Children of one node, or its
//! grandchildren if they fit, are adjacent, since they are queried together; the descendants of a
//! node are one range.
//!
//! The topmost nodes with few triangles are *blocks*. Boxes above them are bounded from parameters;
//! a block is evaluated as a whole. Smaller blocks would save no time (docs/BENCHMARKS.md). The
//! topmost nodes with still fewer triangles are *leaves*, regardless of the tree below them.
//! Vertices are numbered (*points*) in the order in which leaves first use them; a block owns those
//! that no earlier block uses.
//!
//! O(triangles), made once.

use crate::bvh::{Node, Topology};
use crate::tuning;

/// Stands for no block or leaf; `ABOVE` for places above all blocks.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const ABOVE: u32 = u32::MAX - 1;

/// A range of numbers.
pub(super) type Range = std::ops::Range<u32>;

/// See the module documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Per place, its node in the tree; per node, its place.
    pub(super) nodes: Vec<u32>,
    pub(super) places: Vec<u32>,
    /// Per place, the data that a traversal reads.
    pub(super) links: Vec<Link>,
    /// Number of places that a traversal can reach; the other nodes follow.
    pub(super) reached: u32,
    pub(super) blocks: Vec<Block>,
    /// Points of blocks that others own, and the owning blocks.
    pub(super) foreign: Vec<(u32, u32)>,
    pub(super) leaves: Vec<Leaf>,
    /// Points of leaves.
    pub(super) leaf_points: Vec<u32>,
    /// Per triangle in leaf order, its number and its corners' points.
    pub(super) triangles: Vec<u32>,
    pub(super) corners: Vec<[u32; 3]>,
    /// Per point, its vertex.
    pub(super) vertices: Vec<u32>,
    /// Number of rows of eight triangles of all leaves together.
    pub(super) row_count: usize,
}

/// A place's neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// The place of the leftmost child, and the number of children.
    pub(super) first: u32,
    pub(super) count: u32,
    /// The leaf, or [`NONE`]; the block whose root it is, [`ABOVE`] or, within a block, [`NONE`].
    pub(super) leaf: u32,
    pub(super) block: u32,
}

impl Link {
    /// The places of its children.
    #[inline(always)]
    pub(super) fn below(&self) -> Range {
        self.first..self.first + self.count
    }

    #[inline(always)]
    pub(super) fn is_leaf(&self) -> bool {
        self.leaf != NONE
    }
}

/// Nodes and points that are evaluated together.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The place of its root, and those of all nodes below it.
    pub(super) root: u32,
    pub(super) below: Range,
    /// Points that it owns, and in `foreign` others that it uses.
    pub(super) points: Range,
    pub(super) foreign: Range,
    pub(super) leaves: Range,
}

/// A leaf: its place, its points in `leaf_points`, its triangles, and the first of its rows of
/// eight triangles.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) place: u32,
    pub(super) points: Range,
    pub(super) triangles: Range,
    pub(super) row: u32,
}

impl Layout {
    /// Creates the layout; `None` if a triangle of the tree does not exist.
    pub(super) fn new(topology: &Topology, mesh_triangles: &[[u32; 3]]) -> Option<Self> {
        let mut layout = Self { places: vec![NONE; topology.nodes().len()], ..Self::default() };
        layout.add_places(topology);
        let vertices = mesh_triangles.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        let mut points = Points { of_vertex: vec![(NONE, NONE); vertices], seen_in: vec![NONE; vertices] };
        // Depth-first, with a flag whether a place is below a block's root.
        let mut stack = vec![(0, false)];
        while let Some((place, is_within)) = stack.pop() {
            let node = topology.node(layout.nodes[place as usize]);
            let starts_block = !is_within && (node.count() <= tuning::BLOCK_TRIANGLES || is_leaf(node));
            if starts_block {
                let (first_point, foreign) = (layout.vertices.len() as u32, layout.foreign.len() as u32);
                let leaves = layout.leaves.len() as u32;
                layout.links[place as usize].block = layout.blocks.len() as u32;
                layout.blocks.push(Block {
                    root: place,
                    below: layout.descendants(place),
                    points: first_point..first_point,
                    foreign: foreign..foreign,
                    leaves: leaves..leaves,
                });
            } else {
                layout.links[place as usize].block = if is_within { NONE } else { ABOVE };
            }
            stack.extend(layout.links[place as usize].below().rev().map(|child| (child, is_within || starts_block)));
            if is_leaf(node) {
                layout.links[place as usize].leaf = layout.leaves.len() as u32;
                layout.add_leaf(topology, place, mesh_triangles, &mut points)?;
            }
        }
        Some(layout)
    }

    /// Numbers the nodes.
    fn add_places(&mut self, topology: &Topology) {
        self.add_place(0);
        let (mut stack, mut others) = (vec![0], Vec::new());
        while let Some(node) = stack.pop() {
            let family = family_of(topology, node, &mut others);
            let link = &mut self.links[self.places[node as usize] as usize];
            (link.first, link.count) = (self.nodes.len() as u32, family.len() as u32);
            family.iter().for_each(|&child| self.add_place(child));
            stack.extend(family.iter().rev());
        }
        self.reached = self.nodes.len() as u32;
        others.iter().for_each(|&node| self.add_place(node));
    }

    fn add_place(&mut self, node: u32) {
        self.places[node as usize] = self.nodes.len() as u32;
        self.nodes.push(node);
        self.links.push(Link { first: 0, count: 0, leaf: NONE, block: NONE });
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
        for triangle in topology.primitives_below(self.nodes[place as usize]) {
            let vertices = mesh_triangles.get(triangle as usize)?;
            let corners = vertices.map(|vertex| {
                let (point, owner) = &mut points.of_vertex[vertex as usize];
                let seen_in = &mut points.seen_in[vertex as usize];
                if *point == NONE {
                    (*point, *owner) = (self.vertices.len() as u32, block_number);
                    self.vertices.push(vertex);
                } else if *seen_in != block_number {
                    self.foreign.push((*point, *owner));
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

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let numbers = [&self.nodes, &self.places, &self.leaf_points, &self.triangles, &self.vertices];
        numbers.iter().map(|list| list.capacity() * size_of::<u32>()).sum::<usize>()
            + self.foreign.capacity() * size_of::<(u32, u32)>()
            + self.links.capacity() * size_of::<Link>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.corners.capacity() * size_of::<[u32; 3]>()
    }

    /// All places below a place.
    fn descendants(&self, place: u32) -> Range {
        let first = self.links[place as usize].first;
        let mut end = first;
        let mut stack = vec![place];
        while let Some(place) = stack.pop() {
            end = end.max(self.links[place as usize].below().end);
            stack.extend(self.links[place as usize].below().filter(|&child| self.links[child as usize].count > 0));
        }
        first..end
    }
}

/// The family below a node in a traversal: its children or, if they fit, grandchildren instead,
/// from left to right; does not pass blocks. Nodes that a traversal never reaches are added to
/// `others`.
fn family_of(topology: &Topology, node: u32, others: &mut Vec<u32>) -> Vec<u32> {
    let own = topology.node(node);
    let mut family = own.children().to_vec();
    if is_leaf(own) {
        let mut next = others.len();
        others.append(&mut family);
        while let Some(&below) = others.get(next) {
            others.extend(topology.node(below).children());
            next += 1;
        }
        return family;
    }
    let is_within = own.count() <= tuning::BLOCK_TRIANGLES;
    loop {
        let opens = |&&(_, child): &&(usize, u32)| {
            let node = topology.node(child);
            !is_leaf(node)
                && (is_within || node.count() > tuning::BLOCK_TRIANGLES)
                && family.len() + node.children().len() <= tuning::MAX_QUERY_CHILDREN + 1
        };
        let all: Vec<(usize, u32)> = family.iter().copied().enumerate().collect();
        // The first of the largest.
        let Some(&(at, child)) = all.iter().rev().filter(opens).max_by_key(|(_, child)| topology.node(*child).count())
        else {
            return family;
        };
        others.push(child);
        family.splice(at..=at, topology.node(child).children().iter().copied());
    }
}

/// Whether a node counts as a leaf.
fn is_leaf(node: &Node) -> bool {
    node.count() <= tuning::QUERY_LEAF_TRIANGLES || node.is_leaf()
}

/// State of the numbering of points: per vertex its point and the block that owns it, and the last
/// block that used it.
struct Points {
    of_vertex: Vec<(u32, u32)>,
    seen_in: Vec<u32>,
}

/// Indices of a range.
#[inline(always)]
pub(super) fn indices(range: &Range) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}
