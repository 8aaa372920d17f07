//! How a tree lies in memory for sweeps: inner nodes first, leaves after them, points in the order
//! of their first use.
//!
//! | word | meaning |
//! |---|---|
//! | place | a node's position in this order; children of an inner node have higher places |
//! | point | a vertex's position in the order of first use by leaves |
//! | lane | an extent: 0-2 the minimum along x, y, z, 4-6 the maximum; 3 and 7 are unused |
//! | slot | eight times the place plus the lane |

use super::IntervalError;
use crate::bvh::Topology;

/// Lanes per node.
pub(crate) const LANES: usize = 8;

/// Lists of points are filled up to a multiple of this, so that most leaves take the same number of
/// steps.
pub(crate) const PADDED: usize = 4;

/// The fixed part of every structure of this module.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Layout {
    pub(crate) topology: Topology,
    /// Per node, its place; out of range where the number is not in use.
    places: Vec<u32>,
    /// Per place, its node.
    pub(crate) nodes: Vec<u32>,
    /// Per inner place, the places of its children.
    pub(crate) children: Vec<[u32; 2]>,
    /// Per leaf, where its points begin in `leaf_points`; one more entry at the end. And per leaf,
    /// how many of the points before that fill up.
    leaf_starts: Vec<u32>,
    /// The points of each leaf, in the order of their vertices; the last one is repeated up to a
    /// multiple of [`PADDED`].
    leaf_points: Vec<[u32; PADDED]>,
    /// Per point, its vertex.
    pub(crate) vertices: Vec<u32>,
}

impl Layout {
    /// Nodes alone: no points, and no vertices. O(nodes). Refuses trees with more than two children
    /// below a node.
    pub(crate) fn of_nodes(topology: Topology) -> Result<Self, IntervalError> {
        if let Some(node) = topology.nodes().iter().position(|node| node.children().len() > 2) {
            return Err(IntervalError::WideTree { node: node as u32 });
        }
        // Depth-first from the root: after local changes the numbers of nodes say nothing of their
        // order.
        let (mut inner_nodes, mut leaf_nodes, mut stack) = (Vec::new(), Vec::new(), vec![0]);
        while let Some(node) = stack.pop() {
            match topology.node(node).left_and_right() {
                Some((left, right)) => {
                    inner_nodes.push(node);
                    stack.extend([right, left]);
                }
                None => leaf_nodes.push(node),
            }
        }
        let inner = inner_nodes.len();
        let mut nodes = inner_nodes;
        nodes.extend(leaf_nodes);
        let mut places = vec![u32::MAX; topology.nodes().len()];
        nodes.iter().enumerate().for_each(|(place, &node)| places[node as usize] = place as u32);
        let children = nodes[..inner]
            .iter()
            .filter_map(|&node| topology.node(node).left_and_right())
            .map(|(left, right)| [places[left as usize], places[right as usize]])
            .collect();
        nodes.shrink_to_fit();
        let (leaf_starts, leaf_points, vertices) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { topology, places, nodes, children, leaf_starts, leaf_points, vertices })
    }

    /// O(nodes + vertices). Refuses trees with more than two children below a node.
    pub(crate) fn new(topology: Topology) -> Result<Self, IntervalError> {
        let mut layout = Self::of_nodes(topology)?;
        let (mut leaf_starts, mut leaf_points) = (vec![0], Vec::new());
        let mut points = Vec::new();
        let (mut point_of, mut vertices) = (Vec::new(), Vec::new());
        for &leaf in layout.leaf_nodes() {
            points.clear();
            for &vertex in layout.topology.leaf_points(leaf) {
                if point_of.len() <= vertex as usize {
                    point_of.resize(vertex as usize + 1, u32::MAX);
                }
                let point = &mut point_of[vertex as usize];
                if *point == u32::MAX {
                    *point = vertices.len() as u32;
                    vertices.push(vertex);
                }
                points.push(*point);
            }
            for chunk in points.chunks(PADDED) {
                leaf_points.push(std::array::from_fn(|place| chunk[place.min(chunk.len() - 1)]));
            }
            let surplus = points.len().next_multiple_of(PADDED) - points.len();
            leaf_starts.push((leaf_points.len() * PADDED + surplus) as u32);
        }
        leaf_starts.shrink_to_fit();
        vertices.shrink_to_fit();
        leaf_points.shrink_to_fit();
        (layout.leaf_starts, layout.leaf_points, layout.vertices) = (leaf_starts, leaf_points, vertices);
        Ok(layout)
    }

    /// Drops the data that only sweeps need. The rest maps slots to nodes and points to vertices.
    pub(crate) fn without_sweeps(mut self) -> Self {
        (self.children, self.leaf_starts, self.leaf_points) = (Vec::new(), Vec::new(), Vec::new());
        self
    }

    pub(crate) fn place_count(&self) -> usize {
        self.nodes.len()
    }

    /// The places of a node's children; none of a leaf.
    #[inline(always)]
    pub(crate) fn below(&self, place: u32) -> &[u32] {
        self.children.get(place as usize).map_or(&[], |children| children)
    }

    /// How many places are inner nodes; leaves come after them.
    pub(crate) fn inner_count(&self) -> usize {
        self.children.len()
    }

    pub(crate) fn leaf_count(&self) -> usize {
        self.nodes.len() - self.children.len()
    }

    /// The leaves, in the order of their places.
    pub(crate) fn leaf_nodes(&self) -> &[u32] {
        &self.nodes[self.inner_count()..]
    }

    /// The vertices of all leaves, ascending. O(vertices of leaves + largest number of one).
    pub(crate) fn used_vertices(&self) -> Vec<u32> {
        let mut is_used = Vec::new();
        for &vertex in self.leaf_nodes().iter().flat_map(|&leaf| self.topology.leaf_points(leaf)) {
            if is_used.len() <= vertex as usize {
                is_used.resize(vertex as usize + 1, false);
            }
            is_used[vertex as usize] = true;
        }
        (0..).zip(is_used).filter_map(|(vertex, is_used)| is_used.then_some(vertex)).collect()
    }

    /// The vertices of a leaf, counted from 0 in the order of places; ascending.
    pub(crate) fn vertices_of(&self, leaf: usize) -> &[u32] {
        self.topology.leaf_points(self.nodes[self.inner_count() + leaf])
    }

    /// Where the points of a leaf begin and end in `leaf_points`, and how many of the last fill up.
    #[inline(always)]
    fn range_of(&self, leaf: usize) -> (usize, usize, usize) {
        let (begin, end) = (self.leaf_starts[leaf] as usize, self.leaf_starts[leaf + 1] as usize);
        (begin / PADDED, end / PADDED, end % PADDED)
    }

    /// The points of a leaf, counted from 0 in the order of places.
    #[inline(always)]
    pub(crate) fn points_of(&self, leaf: usize) -> &[u32] {
        let (begin, end, surplus) = self.range_of(leaf);
        &self.leaf_points.as_flattened()[PADDED * begin..PADDED * end - surplus]
    }

    /// The same, the last one repeated up to a multiple of [`PADDED`].
    #[inline(always)]
    pub(crate) fn padded_points_of(&self, leaf: usize) -> &[[u32; PADDED]] {
        let (begin, end, _) = self.range_of(leaf);
        &self.leaf_points[begin..end]
    }

    #[inline(always)]
    pub(crate) fn place_of(&self, node: u32) -> usize {
        self.places[node as usize] as usize
    }

    /// Bytes held, the topology included.
    pub(crate) fn bytes(&self) -> usize {
        self.topology.bytes()
            + size_of::<u32>()
                * (self.places.capacity()
                    + self.nodes.capacity()
                    + 2 * self.children.capacity()
                    + self.leaf_starts.capacity()
                    + PADDED * self.leaf_points.capacity()
                    + self.vertices.capacity())
    }
}
