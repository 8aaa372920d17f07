//! Building a sphere tree from the rest pose.

use std::collections::BTreeMap;

use super::ball::smallest_ball;
use super::sphere::Sphere;
use crate::bvh::{BuildParams, Builder, Topology, Width};
use crate::limits;
use crate::math::vector::{distance, widened};
use crate::reduced::spherical::product_of;
use crate::reduced::{Blend, ReducedError, ReducedMesh};
use crate::tuning;

/// Parameters of a [`SphereTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SphereParams {
    /// Most triangles in a leaf.
    pub leaf_size: usize,
    /// A node is omitted if its rest sphere's radius exceeds this fraction of its parent's (0 to 1;
    /// 1 keeps the tree binary).
    pub prune: f64,
}

impl Default for SphereParams {
    fn default() -> Self {
        Self { leaf_size: tuning::SPHERE_LEAF_SIZE, prune: tuning::SPHERE_PRUNE_RATIO }
    }
}

/// A joint of a set: the range of its weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) low: f64,
    pub(super) spread: f64,
    /// The influence; under spherical blending its index in the joint set.
    pub(super) index: u32,
}

/// Vertices of a node with a common joint set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The joint set.
    pub(super) set: u32,
    /// Their rest ball.
    pub(super) rest: Sphere,
    pub(super) joints: [u32; 2],
    /// The remainder of the sum of weights when every joint has its least weight.
    pub(super) rest_weight: [f64; 2],
    /// Under spherical blending, the largest product of weights of a vertex, as a part of
    /// that of the joint set.
    pub(super) part: f64,
}

/// A ball of displacements: the effect of one morph target on a node's vertices at weight one.
#[derive(Clone, Copy, Debug)]
pub(super) struct MorphBall {
    pub(super) target: u32,
    pub(super) deltas: Sphere,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SphereNode {
    pub(super) children: [u32; 2],
    pub(super) groups: [u32; 2],
    pub(super) morphs: [u32; 2],
    pub(super) triangles: [u32; 2],
    pub(super) level: u32,
    /// The ball of all its vertices at rest.
    pub(super) rest: Sphere,
}

/// A tree of spheres over the triangles of a skin. Independent of the pose.
#[derive(Clone, Debug)]
pub struct SphereTree {
    pub(super) nodes: Vec<SphereNode>,
    pub(super) children: Vec<u32>,
    pub(super) groups: Vec<Group>,
    pub(super) joints: Vec<Joint>,
    pub(super) morphs: Vec<MorphBall>,
    pub(super) triangles: Vec<u32>,
    pub(super) is_spherical: bool,
    pub(super) map_count: usize,
    pub(super) morph_count: usize,
    pub(super) vertex_count: usize,
}

impl SphereTree {
    /// Builds a tree over a skin.
    ///
    /// # Errors
    /// [`ReducedError::NoBound`] for [`Blend::Combination`]: spheres are for convex weights.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use kinetree::reduced::{Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy};
    /// use kinetree::{Mesh, Outside};
    /// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
    /// # let mesh = Arc::new(ReducedMesh::new(def)?);
    /// # let lifted = Pose { maps: vec![Affine::from_parts([0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3])], morphs: vec![] };
    /// # let driver = PoseKeys::new(&[0.0, 1.0], vec![Pose::rest(1, 0), lifted], vec![[0.0; 3]], Outside::Hold)?;
    /// use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
    ///
    /// let tree = SphereTree::new(&mesh, SphereParams::default())?;
    /// let mut spheres = PosedSpheres::new(&tree, &mesh, &Pose::rest(1, 0))?;
    /// assert!(spheres.sphere(0).contains(&[1.0, 0.0, 0.0])); // Metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(mesh: &ReducedMesh, params: SphereParams) -> Result<Self, ReducedError> {
        if *mesh.blend() == Blend::Combination {
            return Err(ReducedError::NoBound { time: 0.0 });
        }
        let rest = widened(mesh.rest_positions());
        let shape = BuildParams { builder: Builder::CovarianceMedian, leaf_size: params.leaf_size, width: Width::Two };
        let topology = Topology::build(mesh.mesh(), &rest, shape);
        let mut tree = Self::empty(mesh);
        TreeBuilder::new(mesh, &rest, &topology).add(0, params.prune, 0, &mut tree);
        Ok(tree)
    }

    /// Computes spheres over another tree, node by node with the same numbers.
    pub(crate) fn over(mesh: &ReducedMesh, topology: &Topology) -> Self {
        let rest = widened(mesh.rest_positions());
        let (mut tree, builder) = (Self::empty(mesh), TreeBuilder::new(mesh, &rest, topology));
        let mut levels = vec![0; topology.nodes().len()];
        for node in topology.upward().collect::<Vec<_>>().into_iter().rev() {
            levels[node as usize] = topology.node(node).parent().map_or(0, |father| levels[father as usize] + 1);
        }
        for (node, &level) in levels.iter().enumerate() {
            builder.add_alone(node as u32, level, &mut tree);
            let begin = tree.children.len() as u32;
            tree.children.extend(topology.node(node as u32).children());
            tree.nodes[node].children = [begin, tree.children.len() as u32];
        }
        tree
    }

    fn empty(mesh: &ReducedMesh) -> Self {
        Self {
            nodes: Vec::new(),
            children: Vec::new(),
            groups: Vec::new(),
            joints: Vec::new(),
            morphs: Vec::new(),
            triangles: Vec::new(),
            is_spherical: mesh.joint_sets().is_some(),
            map_count: mesh.map_count(),
            morph_count: mesh.morph_count(),
            vertex_count: mesh.vertex_count(),
        }
    }

    /// The number of nodes; the root is node 0.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes below a node, from left to right; none below a leaf or a node that does not exist.
    pub fn children(&self, node: u32) -> &[u32] {
        let [begin, end] = self.nodes.get(node as usize).map_or([0; 2], |node| node.children);
        &self.children[begin as usize..end as usize]
    }

    /// The triangles of a leaf; none for other numbers.
    pub fn triangles(&self, node: u32) -> &[u32] {
        let [begin, end] = self.nodes.get(node as usize).map_or([0; 2], |node| node.triangles);
        &self.triangles[begin as usize..end as usize]
    }

    /// The number of levels of nodes above a node; 0 for the root and for a node that does not
    /// exist.
    pub fn level(&self, node: u32) -> usize {
        self.nodes.get(node as usize).map_or(0, |node| node.level as usize)
    }

    /// The smallest sphere of a node at rest; [`Sphere::EVERYTHING`] for a node that does not
    /// exist.
    pub fn rest_sphere(&self, node: u32) -> Sphere {
        self.nodes.get(node as usize).map_or(Sphere::EVERYTHING, |node| node.rest)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<SphereNode>()
            + self.groups.capacity() * size_of::<Group>()
            + self.joints.capacity() * size_of::<Joint>()
            + self.morphs.capacity() * size_of::<MorphBall>()
            + (self.children.capacity() + self.triangles.capacity()) * size_of::<u32>()
    }
}

struct TreeBuilder<'a> {
    mesh: &'a ReducedMesh,
    rest: &'a [[f64; 3]],
    topology: &'a Topology,
    /// Per node of the topology, its rest ball.
    balls: Vec<Sphere>,
    /// Per vertex, the number of its joint set.
    sets: Vec<u32>,
}

impl<'a> TreeBuilder<'a> {
    fn new(mesh: &'a ReducedMesh, rest: &'a [[f64; 3]], topology: &'a Topology) -> Self {
        let mut builder = Self { mesh, rest, topology, balls: Vec::new(), sets: sets_of(mesh) };
        builder.balls = (0..topology.nodes().len() as u32)
            .map(|node| smallest_ball(&builder.points(&vertices_below(topology, node))))
            .collect();
        builder
    }

    fn points(&self, vertices: &[u32]) -> Vec<[f64; 3]> {
        vertices.iter().map(|&vertex| self.rest[vertex as usize]).collect()
    }

    /// Adds a node of the topology and its descendants; returns its number.
    fn add(&self, node: u32, prune: f64, level: u32, tree: &mut SphereTree) -> u32 {
        let (number, rest) = (tree.nodes.len() as u32, self.balls[node as usize]);
        self.add_alone(node, level, tree);
        // Inner children hardly smaller than their parent are replaced by their own children.
        let (mut kept, mut stack) = (Vec::new(), self.topology.node(node).children().to_vec());
        stack.reverse();
        while let Some(child) = stack.pop() {
            let below = self.topology.node(child).children();
            if below.is_empty() || self.balls[child as usize].radius <= prune * rest.radius {
                kept.push(child);
            } else {
                stack.extend(below.iter().rev());
            }
        }
        let children: Vec<u32> = kept.into_iter().map(|child| self.add(child, prune, level + 1, tree)).collect();
        let begin = tree.children.len() as u32;
        tree.children.extend(children);
        tree.nodes[number as usize].children = [begin, tree.children.len() as u32];
        number
    }

    /// Adds a node of the topology without children.
    fn add_alone(&self, node: u32, level: u32, tree: &mut SphereTree) {
        let groups = self.add_groups(node, tree);
        let morphs = self.add_morphs(node, tree);
        let begin = tree.triangles.len() as u32;
        tree.triangles.extend(self.topology.primitives(node));
        let triangles = [begin, tree.triangles.len() as u32];
        let rest = self.balls[node as usize];
        tree.nodes.push(SphereNode { children: [0; 2], groups, morphs, triangles, level, rest });
    }

    fn add_groups(&self, node: u32, tree: &mut SphereTree) -> [u32; 2] {
        let begin = tree.groups.len() as u32;
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for vertex in vertices_below(self.topology, node) {
            members.entry(self.sets[vertex as usize]).or_default().push(vertex);
        }
        for (set, vertices) in members {
            // Per influence: least and largest weight, and the number of vertices that list it.
            let mut ranges: BTreeMap<u32, ([f64; 2], usize)> = BTreeMap::new();
            let mut sum = [f64::INFINITY, f64::NEG_INFINITY];
            for &vertex in &vertices {
                let mut own = 0.0;
                for (influence, weight) in self.mesh.influences().of(vertex) {
                    let (range, count) = ranges.entry(influence).or_insert(([weight; 2], 0));
                    *range = [range[0].min(weight), range[1].max(weight)];
                    *count += 1;
                    own += weight;
                }
                sum = [sum[0].min(own), sum[1].max(own)];
            }
            let first = tree.joints.len() as u32;
            let (mut taken, mut load) = (0.0, 0.0);
            for (place, (influence, (range, count))) in ranges.into_iter().enumerate() {
                let low = if count < vertices.len() { range[0].min(0.0) } else { range[0] };
                let spread = if range[1] > low { (range[1] - low).next_up() } else { 0.0 };
                // A set's lists all name the same joints, ascending.
                let index = if tree.is_spherical { place as u32 } else { influence };
                tree.joints.push(Joint { low, spread, index });
                taken += low;
                load += low.abs() + spread;
            }
            let count = tree.joints.len() - first as usize;
            let off = (count + limits::REDUCED_ROUNDING_STEPS) as f64 * limits::REDUCED_ROUNDING * (load + 1.0);
            let rest_weight = if count == 1 { [0.0; 2] } else { [sum[0] - taken - off, sum[1] - taken + off] };
            if count == 1 {
                // The weight of a single joint is the sum: the one that is farthest from 1.
                let joint = &mut tree.joints[first as usize];
                let high = joint.low + joint.spread;
                joint.low = if (high - 1.0).abs() > (joint.low - 1.0).abs() { high } else { joint.low };
            }
            let rest = smallest_ball(&self.points(&vertices));
            let part = self.mesh.joint_sets().map_or(0.0, |sets| {
                let weights = vertices.iter().map(|&vertex| self.mesh.influences().weights_of(vertex));
                let product = weights.map(product_of).fold(0.0, f64::max);
                let whole = sets.products[set as usize];
                if product < whole { (product / whole).next_up() } else { 1.0 }
            });
            tree.groups.push(Group { set, rest, joints: [first, tree.joints.len() as u32], rest_weight, part });
        }
        [begin, tree.groups.len() as u32]
    }

    fn add_morphs(&self, node: u32, tree: &mut SphereTree) -> [u32; 2] {
        let begin = tree.morphs.len() as u32;
        if self.mesh.morph_count() == 0 {
            return [begin; 2];
        }
        let vertices = vertices_below(self.topology, node);
        let mut displaced: BTreeMap<u32, Vec<[f64; 3]>> = BTreeMap::new();
        for &vertex in &vertices {
            for (target, delta) in self.mesh.morphs_of(vertex) {
                displaced.entry(target).or_default().push(delta.map(f64::from));
            }
        }
        for (target, mut deltas) in displaced {
            if deltas.len() < vertices.len() {
                deltas.push([0.0; 3]);
            }
            tree.morphs.push(MorphBall { target, deltas: smallest_ball(&deltas) });
        }
        [begin, tree.morphs.len() as u32]
    }
}

/// Per vertex, the number of its joint set: vertices with the same joints have the same.
fn sets_of(mesh: &ReducedMesh) -> Vec<u32> {
    if let Some(sets) = mesh.joint_sets() {
        return sets.set_of.clone();
    }
    let mut known: BTreeMap<&[u32], u32> = BTreeMap::new();
    let vertices = 0..mesh.vertex_count() as u32;
    vertices
        .map(|vertex| {
            let next = known.len() as u32;
            *known.entry(mesh.influences().indices_of(vertex)).or_insert(next)
        })
        .collect()
}

/// The distinct vertices below a node.
fn vertices_below(topology: &Topology, node: u32) -> Vec<u32> {
    let mut found = topology.vertices_below(node);
    found.sort_unstable();
    found.dedup();
    found
}

/// The largest distance of a node's rest ball from the origin.
pub(super) fn reach(rest: &Sphere) -> f64 {
    distance(&rest.centre, &[0.0; 3]) + rest.radius
}
