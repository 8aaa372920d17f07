//! Questions about one body, and boxes of trees and lists for drawings.

use crate::bvh::{Hierarchy, Topology};
use crate::id::BodyId;
use crate::math::{Aabb, Extent};
use crate::world::World;
use crate::world::body::{Body, Index};
use crate::world::def::Filter;
use crate::world::error::WorldError;
use crate::world::query::pair::PairView;
use crate::world::query::spatial::tight_boxes_at;

/// A body of a world, for reading: [`World::body`].
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    world: &'a World,
    id: BodyId,
    body: &'a Body,
}

/// A node of a body's tree: [`BodyView::boxes`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NodeBox {
    /// The node's number in the tree, as in logged events and list pairs. 0 is the root.
    pub node: u32,
    /// Nodes between this one and the root, the root included; 0 for the root.
    pub level: usize,
    /// Whether the node has no children.
    pub is_leaf: bool,
    /// Its box at the clock's time, metres, rounded outward.
    pub bounds: Aabb,
    /// The vertices that realise its sides: smallest and largest x, y, z in turn. `None` for trees
    /// without winners: all but kinetic ones, and those of bodies bounded by parameters.
    pub winners: Option<[u32; 6]>,
}

/// A pair of nodes in the separation list of two bodies: [`PairView::cut`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CutPair {
    /// A node of the tree of each body.
    pub nodes: [u32; 2],
    /// Their boxes at the clock's time, metres, each grown by half of the pair's thickness.
    pub bounds: [Aabb; 2],
    /// Whether both are leaves whose boxes overlap; otherwise the boxes are apart.
    pub is_overlapping: bool,
}

impl World {
    /// Returns a view of a body.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let boxes = world.body(ball)?.boxes(0);
    /// assert_eq!((boxes.len(), boxes[0].node, boxes[0].is_leaf), (1, 0, true));
    /// assert!(boxes[0].bounds.contains(&[0.0, 0.0, 1.0])); // Metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn body(&self, id: BodyId) -> Result<BodyView<'_>, WorldError> {
        Ok(BodyView { world: self, id, body: self.bodies.find(id)? })
    }
}

impl<'a> BodyView<'a> {
    /// The body.
    pub fn id(self) -> BodyId {
        self.id
    }

    /// The name that the body was given.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let hit = world.query().cast_ray([0.25, 0.25, 3.0], [0.0, 0.0, -1.0], 10.0).expect("the ball");
    /// assert_eq!(world.body(hit.body)?.name(), "ball");
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn name(self) -> &'a str {
        &self.body.name
    }

    /// Its groups: [`World::set_filter`].
    pub fn filter(self) -> Filter {
        self.body.rules.filter
    }

    /// How thick its triangles are, metres: [`World::set_thickness`].
    pub fn thickness(self) -> f64 {
        self.body.rules.thickness
    }

    /// The number of levels of its tree: 1 for a single leaf, 0 without a tree. O(nodes).
    pub fn levels(self) -> usize {
        let Some(topology) = self.body.topology() else { return 0 };
        nodes_down_to(topology, usize::MAX).into_iter().map(|(_, level)| level + 1).max().unwrap_or(0)
    }

    /// The smallest box that holds the body at the clock's time, metres; `None` without vertices.
    /// O(vertices).
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.5)?;
    /// let bounds = world.body(ball)?.bounds().expect("it has vertices");
    /// assert_eq!((bounds.min, bounds.max), ([0.0, 0.0, 0.5], [1.0, 1.0, 0.5]));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn bounds(self) -> Option<Aabb> {
        let mut positions = Vec::new();
        self.body.motion.positions(self.world.clock.now, &mut positions);
        let mut vertices = 0..;
        positions.retain(|_| vertices.next().is_some_and(|vertex| self.body.shape.mesh.has_vertex(vertex)));
        (!positions.is_empty()).then(|| Aabb::of_points(&positions))
    }

    /// The boxes of a level of its tree at the clock's time, from left to right, with the leaves
    /// above that level: together they cover the body. Level 0 is the root.
    ///
    /// Boxes are those that the engine uses. Where the engine has none for the clock's time (a body
    /// that nothing is near), they are the smallest ones of the same tree. Empty under
    /// [`Engine::BruteForce`](crate::Engine::BruteForce), which has no trees. O(nodes of the
    /// level), or O(vertices).
    pub fn boxes(self, level: usize) -> Vec<NodeBox> {
        let Some(topology) = self.body.topology() else { return Vec::new() };
        let now = self.world.clock.now;
        let tree = self.body.tree(now);
        let tight = if tree.is_some() { Vec::new() } else { tight_boxes_at(self.body, topology, now) };
        let winners = |node: u32| match &self.body.index {
            Index::Kinetic(tree) => {
                let all: Vec<u32> = Extent::ALL.iter().filter_map(|&extent| tree.winner(node, extent)).collect();
                <[u32; 6]>::try_from(all).ok()
            }
            _ => None,
        };
        let bounds = |node: u32| match &tree {
            Some(tree) => tree.node_box(node, now),
            None => tight[node as usize],
        };
        let of_level = nodes_down_to(topology, level).into_iter().filter_map(|(node, own)| {
            let is_leaf = topology.node(node).children().is_empty();
            (own == level || is_leaf).then(|| NodeBox {
                node,
                level: own,
                is_leaf,
                bounds: bounds(node),
                winners: winners(node),
            })
        });
        of_level.collect()
    }
}

impl PairView<'_> {
    /// The separation list of the two bodies at the clock's time, sorted by nodes: pairs of nodes
    /// that are apart or that are leaves and overlap. For every two leaves it has exactly one pair
    /// of them or of nodes above them, but for leaves of one body that are not tested.
    ///
    /// Empty unless both bodies are kinetic and near each other: other engines keep no list.
    /// O(list · log list).
    ///
    /// ```
    /// use kinetree::{BodyDef, Engine, Flightplan, Mesh, World, WorldDef};
    ///
    /// let mut world = World::new(WorldDef::new().engine(Engine::Kinetic))?;
    /// let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let def = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, Flightplan::fixed(corners));
    /// let (a, b) = (world.add_body(def.clone())?, world.add_body(def)?);
    /// let cut = world.pair(a, b)?.cut();
    /// assert_eq!((cut.len(), cut[0].nodes, cut[0].is_overlapping), (1, [0, 0], true)); // Both are one leaf.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn cut(self) -> Vec<CutPair> {
        let [a, b] = self.bodies().map(BodyId::index);
        let world = self.world();
        let Some(pair) = world.watched_pair(a, b) else { return Vec::new() };
        let now = world.clock.now;
        let (Some(list), Some((tree_a, tree_b))) = (pair.finder.list(), pair.kinetic_view(&world.bodies, now)) else {
            return Vec::new();
        };
        let member = |(x, y, is_overlapping)| CutPair {
            nodes: [x, y],
            bounds: [tree_a.node_box(x, now), tree_b.node_box(y, now)],
            is_overlapping,
        };
        let mut cut: Vec<CutPair> = list.members().map(member).collect();
        cut.sort_unstable_by_key(|pair| pair.nodes);
        cut
    }
}

/// The nodes of a tree down to a level with their levels, parents first, from left to right.
fn nodes_down_to(topology: &Topology, level: usize) -> Vec<(u32, usize)> {
    let (mut nodes, mut stack) = (Vec::new(), vec![(0, 0)]);
    while let Some((node, own)) = stack.pop() {
        nodes.push((node, own));
        if own < level {
            stack.extend(topology.node(node).children().iter().rev().map(|&child| (child, own + 1)));
        }
    }
    nodes
}
