//! The data per node of a tree over a reduced body: for every influence the range of its weights
//! and the rest box of the vertices that it moves, and the boxes of morph displacements.
//!
//! Departs from the paper, which has one rest box per node. A box per influence costs 24 bytes and
//! no time, and bounds more tightly: the images of vertices that an influence does not move have
//! weight zero.
//!
//! Built bottom-up in O(weights · log + nodes · influences); constant afterwards. An inner node's
//! ranges contain those of its children. An influence that one child lacks has a least weight of at
//! most zero.

use std::collections::BTreeMap;

use nalgebra::Matrix3;

use super::Frame;
use super::blocks::{Block, blocks_of};
use super::lanes::steps;
use super::turned::principal_turns;
use crate::bvh::{BuildParams, Builder, Topology, Width};
use crate::bytes::Fingerprint;
use crate::limits;
use crate::math::vector::widened;
use crate::math::{Aabb, f32_above, f32_at_most};
use crate::mesh::range_of;
use crate::reduced::{ReducedError, ReducedMesh};
use crate::tuning;

/// Parameters of a [`BoundTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoundParams {
    /// The tree's shape.
    pub tree: BuildParams,
    /// Whether triangles are first grouped by their strongest influence. Gains little, as boxes are
    /// stored per influence (docs/BENCHMARKS.md).
    pub splits_by_influence: bool,
    /// Orientation of rest boxes.
    pub boxes: RestBoxes,
}

impl Default for BoundParams {
    fn default() -> Self {
        let tree =
            BuildParams { builder: Builder::CovarianceMedian, leaf_size: tuning::REDUCED_LEAF_SIZE, width: Width::Two };
        Self { tree, splits_by_influence: false, boxes: RestBoxes::default() }
    }
}

/// Orientation of the rest boxes of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RestBoxes {
    /// Along the axes: cheaper, and hardly looser (docs/BENCHMARKS.md).
    #[default]
    Aligned,
    /// Along the directions of largest variance of the node's vertices.
    Oriented,
}

/// A closed box, axis-aligned or along the columns of a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RestBox {
    pub(super) centre: [f32; 3],
    pub(super) half: [f32; 3],
}

/// One influence of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodeInfluence {
    /// Its least weight, rounded down.
    pub(super) low: f32,
    /// Its largest weight less that, rounded up.
    pub(super) spread: f32,
    pub(super) influence: u32,
    /// The rest box of the vertices that it moves, relative to the body's centre, rounded outward.
    pub(super) rest: RestBox,
}

/// One morph target of a node: the box of its displacements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodeMorph {
    pub(super) target: u32,
    pub(super) deltas: Aabb,
}

/// A tree over the triangles of a reduced body with the data of bounds. Independent of the pose.
#[derive(Clone, Debug)]
pub struct BoundTree {
    pub(super) topology: Topology,
    /// Per node, the columns along which its rest boxes lie; empty if all are axis-aligned.
    pub(super) turns: Vec<Matrix3<f64>>,
    /// Per node, the begin of its influences; one more entry at the end.
    pub(super) starts: Vec<u32>,
    pub(super) influences: Vec<NodeInfluence>,
    /// Per node, the begin of its blocks of influences, if any; one more entry at the end.
    pub(super) block_starts: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    /// Per node, the remainder of the sum of weights when every influence has its least weight.
    pub(super) rests: Vec<[f64; 2]>,
    /// Per node, the sum of magnitudes of weights in its bound, for rounding.
    pub(super) loads: Vec<f64>,
    /// Per node, the number of roundings of the largest number in `f32`.
    pub(super) single_steps: Vec<f64>,
    /// Per node, whether it has negative weights.
    pub(super) signed: Vec<bool>,
    /// Whether any node has negative weights.
    pub(super) has_signed: bool,
    /// Largest distance of a sum of weights from 1.
    pub(super) unsure: f64,
    pub(super) morph_starts: Vec<u32>,
    pub(super) morphs: Vec<NodeMorph>,
    pub(super) map_count: usize,
    vertex_count: usize,
    /// Per morph target, its largest displacement along an axis, metres.
    pub(super) morph_reach: Vec<f64>,
    /// The largest rest coordinate, metres.
    pub(super) reach: f64,
    /// The centre of the body at rest, metres: `f32` numbers.
    pub(super) middle: [f64; 3],
    /// The largest coordinate of a rest box from there, metres.
    pub(super) local_reach: f64,
    /// Identifies the data that frames depend on.
    pub(super) mark: u64,
}

/// Data gathered for a node before they are stored.
#[derive(Clone, Debug, Default)]
struct Gathered {
    /// Per influence, least and largest weight.
    weights: BTreeMap<u32, [f64; 2]>,
    /// Per influence, the box of the vertices it moves.
    boxes: BTreeMap<u32, Aabb>,
    sum: Option<[f64; 2]>,
    morphs: BTreeMap<u32, Aabb>,
}

impl BoundTree {
    /// Builds the tree and its data from the rest pose. O(m log m) for m triangles.
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
    /// use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, PosedBounds};
    ///
    /// let tree = BoundTree::new(&mesh, BoundParams::default());
    /// let mut bounds = PosedBounds::new(&tree, &mesh, Level::default(), &Pose::rest(1, 0))?;
    /// assert!(bounds.node_box(0).contains(&[1.0, 0.0, 0.0])); // Metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(mesh: &ReducedMesh, params: BoundParams) -> Self {
        let rest = widened(mesh.rest_positions());
        let topology = if params.splits_by_influence {
            Topology::build_grouped(mesh.mesh(), &rest, params.tree, |triangle| strongest(mesh, triangle))
        } else {
            Topology::build(mesh.mesh(), &rest, params.tree)
        };
        Self::over(mesh, topology, params.boxes).expect("a tree over this mesh")
    }

    /// Computes the data for another tree over the mesh's triangles.
    ///
    /// # Errors
    /// [`ReducedError::ForeignTree`].
    pub fn over(mesh: &ReducedMesh, topology: Topology, boxes: RestBoxes) -> Result<Self, ReducedError> {
        if !topology.fits(mesh.vertex_count()) {
            return Err(ReducedError::ForeignTree);
        }
        let nodes = topology.nodes().len();
        let mut gathered: Vec<Gathered> = vec![Gathered::default(); nodes];
        for node in topology.upward() {
            let own = if topology.node(node).is_leaf() {
                Gathered::of_vertices(mesh, topology.leaf_points(node))
            } else {
                let mut own = Gathered::default();
                for &child in topology.node(node).children() {
                    let below = std::mem::take(&mut gathered[child as usize]);
                    own.include(&below);
                    gathered[child as usize] = below;
                }
                own
            };
            gathered[node as usize] = own;
        }
        let turns = match boxes {
            RestBoxes::Aligned => Vec::new(),
            RestBoxes::Oriented => principal_turns(mesh, &topology),
        };
        let whole = gathered[0].boxes.values().fold(Aabb::EMPTY, Aabb::union);
        let mut tree = Self {
            turns,
            starts: vec![0],
            influences: Vec::new(),
            block_starts: vec![0],
            blocks: Vec::new(),
            rests: Vec::with_capacity(nodes),
            loads: Vec::with_capacity(nodes),
            single_steps: Vec::with_capacity(nodes),
            signed: Vec::with_capacity(nodes),
            has_signed: false,
            unsure: 0.0,
            morph_starts: vec![0],
            morphs: Vec::new(),
            map_count: mesh.map_count(),
            vertex_count: mesh.vertex_count(),
            morph_reach: vec![0.0; mesh.morph_count()],
            reach: whole.min.iter().chain(&whole.max).fold(0.0, |reach, x| reach.max(x.abs())),
            middle: whole.centre().map(|x| if x.is_finite() { f64::from(x as f32) } else { 0.0 }),
            local_reach: 0.0,
            mark: 0,
            topology,
        };
        gathered.iter().for_each(|node| tree.store(node));
        if boxes == RestBoxes::Oriented {
            tree.turn_boxes(mesh);
        }
        let far = |rest: &RestBox| (0..3).map(|axis| rest.centre[axis].abs() + rest.half[axis]).fold(0.0, f32::max);
        tree.local_reach =
            tree.influences.iter().fold(0.0, |reach, influence| reach.max(f64::from(far(&influence.rest).next_up())));
        for morph in &tree.morphs {
            let reach = &mut tree.morph_reach[morph.target as usize];
            *reach = morph.deltas.min.iter().chain(&morph.deltas.max).fold(*reach, |reach, x| reach.max(x.abs()));
        }
        let mut mark = Fingerprint::new();
        for number in [tree.map_count, tree.morph_reach.len(), nodes, tree.influences.len(), tree.blocks.len()] {
            mark.word(number as u64);
        }
        let [x, y, z] = tree.middle;
        let reaches = [x, y, z, tree.reach, tree.local_reach, tree.unsure, tree.turns.len() as f64];
        reaches.iter().chain(&tree.morph_reach).for_each(|number| mark.word(number.to_bits()));
        tree.mark = mark.value();
        Ok(tree)
    }

    /// Checks that a mesh has the counts of the tree's own.
    ///
    /// # Errors
    /// [`ReducedError::ForeignTree`].
    pub(super) fn check_mesh(&self, mesh: &ReducedMesh) -> Result<(), ReducedError> {
        let counts = (mesh.vertex_count(), mesh.mesh().triangles().len(), mesh.map_count(), mesh.morph_count());
        let own = (self.vertex_count, self.topology.order().len(), self.map_count, self.morph_reach.len());
        if counts == own { Ok(()) } else { Err(ReducedError::ForeignTree) }
    }

    fn store(&mut self, node: &Gathered) {
        let [least, most] = node.sum.unwrap_or_default();
        let (mut low_sum, mut load) = (0.0, 0.0);
        for (&influence, &[low, high]) in &node.weights {
            // A spread that is too small would exclude the largest weight.
            let least = f32_at_most(low);
            let spread = if high > f64::from(least) { round_up((high - f64::from(least)).next_up()) } else { 0.0 };
            let rest = RestBox::around(&node.boxes[&influence], &self.middle);
            self.influences.push(NodeInfluence { low: least, spread, influence, rest });
            low_sum += f64::from(least);
            load += f64::from(least.abs()) + 2.0 * f64::from(spread);
        }
        // Sums are rounded once per number, here and in the weights' own.
        let off =
            (node.weights.len() + limits::REDUCED_ROUNDING_STEPS) as f64 * limits::REDUCED_ROUNDING * (load + 1.0);
        let rest = if node.weights.len() == 1 && node.sum == node.weights.values().next().copied() {
            // The only weight is the sum.
            [0.0, self.influences.last().map_or(0.0, |influence| f64::from(influence.spread))]
        } else {
            [least - low_sum - off, most - low_sum + off]
        };
        let begin = self.starts.last().map_or(0, |&start| start as usize);
        let own = &self.influences[begin..];
        if self.turns.is_empty() {
            self.blocks.extend(blocks_of(own));
        }
        let widest = own.iter().fold(0.0, |most: f32, influence| most.max(influence.spread));
        self.single_steps.push(steps(own.len(), low_sum, f64::from(widest), rest));
        self.block_starts.push(self.blocks.len() as u32);
        self.unsure = self.unsure.max((least - 1.0).abs().max((most - 1.0).abs()) + off);
        self.starts.push(self.influences.len() as u32);
        self.rests.push(rest);
        self.loads.push(load + rest[0].abs().max(rest[1].abs()));
        self.signed.push(node.weights.values().any(|range| range[0] < 0.0));
        self.has_signed |= self.signed.last() == Some(&true);
        self.morphs.extend(node.morphs.iter().map(|(&target, &deltas)| NodeMorph { target, deltas }));
        self.morph_starts.push(self.morphs.len() as u32);
    }

    /// The shape of the tree.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    #[inline]
    pub(super) fn influences_of(&self, node: u32) -> &[NodeInfluence] {
        &self.influences[range_of(&self.starts, node)]
    }

    /// Whether a node exists and a frame is one of this tree.
    #[inline]
    pub(super) fn knows(&self, node: u32, frame: &Frame) -> bool {
        (node as usize) < self.rests.len() && frame.mark == self.mark
    }

    #[inline]
    pub(super) fn blocks_of(&self, node: u32) -> &[Block] {
        &self.blocks[range_of(&self.block_starts, node)]
    }

    pub(super) fn morphs_of(&self, node: u32) -> &[NodeMorph] {
        &self.morphs[range_of(&self.morph_starts, node)]
    }

    /// Bytes held, without the mesh.
    pub fn bytes(&self) -> usize {
        self.topology.bytes()
            + self.turns.capacity() * size_of::<Matrix3<f64>>()
            + self.influences.capacity() * size_of::<NodeInfluence>()
            + self.morphs.capacity() * size_of::<NodeMorph>()
            + self.blocks.capacity() * size_of::<Block>()
            + (self.starts.capacity() + self.block_starts.capacity() + self.morph_starts.capacity()) * size_of::<u32>()
            + self.rests.capacity() * size_of::<[f64; 2]>()
            + (self.loads.capacity() + self.single_steps.capacity()) * size_of::<f64>()
            + self.signed.capacity()
    }
}

impl Gathered {
    fn of_vertices(mesh: &ReducedMesh, vertices: &[u32]) -> Self {
        let mut own = Self::default();
        let (mut counts, mut morph_counts): (BTreeMap<u32, usize>, BTreeMap<u32, usize>) = Default::default();
        for &vertex in vertices {
            let mut sum = 0.0;
            for (influence, weight) in mesh.influences().of(vertex) {
                let range = own.weights.entry(influence).or_insert([weight; 2]);
                *range = [range[0].min(weight), range[1].max(weight)];
                *counts.entry(influence).or_default() += 1;
                let place = mesh.rest_positions()[vertex as usize].map(f64::from);
                own.boxes.entry(influence).or_insert(Aabb::EMPTY).include(&place);
                sum += weight;
            }
            own.sum = Some(own.sum.map_or([sum; 2], |[least, most]| [least.min(sum), most.max(sum)]));
            for (target, delta) in mesh.morphs_of(vertex) {
                own.morphs.entry(target).or_insert(Aabb::EMPTY).include(&delta.map(f64::from));
                *morph_counts.entry(target).or_default() += 1;
            }
        }
        for (influence, range) in &mut own.weights {
            if counts[influence] < vertices.len() {
                *range = with_zero(*range);
            }
        }
        for (target, deltas) in &mut own.morphs {
            if morph_counts[target] < vertices.len() {
                deltas.include(&[0.0; 3]);
            }
        }
        own
    }

    /// Extends the data by another set of vertices.
    fn include(&mut self, other: &Self) {
        let Some(sum) = other.sum else { return };
        let Some(own_sum) = self.sum else {
            self.clone_from(other);
            return;
        };
        self.sum = Some([own_sum[0].min(sum[0]), own_sum[1].max(sum[1])]);
        for (influence, range) in &mut self.weights {
            if !other.weights.contains_key(influence) {
                *range = with_zero(*range);
            }
        }
        for (&influence, &range) in &other.weights {
            let own = self.weights.entry(influence).or_insert_with(|| with_zero(range));
            *own = [own[0].min(range[0]), own[1].max(range[1])];
        }
        for (&influence, bounds) in &other.boxes {
            let own = self.boxes.entry(influence).or_insert(Aabb::EMPTY);
            *own = own.union(bounds);
        }
        for (target, deltas) in &mut self.morphs {
            if !other.morphs.contains_key(target) {
                deltas.include(&[0.0; 3]);
            }
        }
        for (&target, deltas) in &other.morphs {
            let zero = Aabb { min: [0.0; 3], max: [0.0; 3] };
            let own = self.morphs.entry(target).or_insert(zero);
            *own = own.union(deltas);
        }
    }
}

fn with_zero([low, high]: [f64; 2]) -> [f64; 2] {
    [low.min(0.0), high.max(0.0)]
}

impl RestBox {
    fn around(bounds: &Aabb, origin: &[f64; 3]) -> Self {
        let bounds = Aabb {
            min: std::array::from_fn(|axis| bounds.min[axis] - origin[axis]),
            max: std::array::from_fn(|axis| bounds.max[axis] - origin[axis]),
        };
        let centre = bounds.centre().map(|x| x as f32);
        let half = std::array::from_fn(|axis| {
            let middle = f64::from(centre[axis]);
            round_up((bounds.max[axis] - middle).max(middle - bounds.min[axis]))
        });
        Self { centre, half }
    }
}

/// The next larger `f32`; 0 stays.
pub(super) fn round_up(length: f64) -> f32 {
    if length == 0.0 { 0.0 } else { f32_above(length) }
}

/// The influence with the largest weight over a triangle's corners; the lowest of equal ones.
fn strongest(mesh: &ReducedMesh, triangle: usize) -> u32 {
    let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
    for vertex in mesh.mesh().triangles()[triangle] {
        for (influence, weight) in mesh.influences().of(vertex) {
            *weights.entry(influence).or_default() += weight;
        }
    }
    let first = (u32::MAX, f64::NEG_INFINITY);
    weights.into_iter().fold(first, |best, next| if next.1 > best.1 { next } else { best }).0
}
