//! What a tree over a reduced body keeps per node: for every influence the range of its weights and the rest box of the vertices it
//! moves, and the boxes of morph displacements.
//!
//! The paper keeps one rest box per node. A box per influence costs 24 bytes each and nothing in time, and bounds more tightly: what an
//! influence does to vertices it does not move is of no account, since their weight is zero.
//!
//! Built bottom-up in O(weights · log + nodes · influences); never changes. An inner node's ranges hold those of its children; an
//! influence that one child lacks has a least weight of at most zero.

use std::collections::BTreeMap;

use nalgebra::Matrix3;

use crate::kds::{BuildParams, Builder, Topology, Width};
use crate::limits;
use crate::math::Aabb;
use crate::reduced::ReducedMesh;

/// How a [`BoundTree`] is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoundParams {
    /// The tree's shape.
    pub tree: BuildParams,
    /// Are triangles taken apart first by the influence that moves them most? Gains little, as boxes are kept by influence
    /// (docs/BENCHMARKS.md).
    pub splits_by_influence: bool,
    /// How rest boxes lie.
    pub boxes: RestBoxes,
}

impl Default for BoundParams {
    fn default() -> Self {
        let tree =
            BuildParams { builder: Builder::CovarianceMedian, leaf_size: limits::REDUCED_LEAF_SIZE, width: Width::Two };
        Self { tree, splits_by_influence: false, boxes: RestBoxes::default() }
    }
}

/// How the rest boxes of nodes lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RestBoxes {
    /// Along the axes: cheaper, and hardly looser (docs/BENCHMARKS.md).
    #[default]
    Aligned,
    /// Along the directions in which the node's vertices vary most.
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
    /// Its least weight.
    pub(super) low: f64,
    /// Its largest weight less the least.
    pub(super) spread: f64,
    pub(super) influence: u32,
    /// The box at rest of the vertices it moves, rounded outward.
    pub(super) rest: RestBox,
}

/// One morph target of a node: the box of its displacements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodeMorph {
    pub(super) target: u32,
    pub(super) deltas: Aabb,
}

/// A tree over the triangles of a reduced body with what bounds need. Knows no pose.
#[derive(Clone, Debug)]
pub struct BoundTree {
    pub(super) topology: Topology,
    /// Per node, the columns along which its rest boxes lie; empty if all are axis-aligned.
    pub(super) turns: Vec<Matrix3<f64>>,
    /// Per node, where its influences begin; one more entry at the end.
    pub(super) starts: Vec<u32>,
    pub(super) influences: Vec<NodeInfluence>,
    /// Per node, what is left of the sum of weights when every influence has its least.
    pub(super) rests: Vec<[f64; 2]>,
    /// Per node, the sum of magnitudes of weights in its bound, for rounding.
    pub(super) loads: Vec<f64>,
    /// Per node, has it negative weights?
    pub(super) signed: Vec<bool>,
    pub(super) morph_starts: Vec<u32>,
    pub(super) morphs: Vec<NodeMorph>,
    pub(super) map_count: usize,
    /// Per morph target, its largest displacement along an axis, metres.
    pub(super) morph_reach: Vec<f64>,
    /// The largest rest coordinate, metres.
    pub(super) reach: f64,
}

/// What is gathered of a node before it is stored.
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
    pub fn new(mesh: &ReducedMesh, params: BoundParams) -> Self {
        let rest: Vec<[f64; 3]> = mesh.rest_positions().iter().map(|p| p.map(f64::from)).collect();
        let topology = if params.splits_by_influence {
            Topology::build_grouped(mesh.mesh(), &rest, params.tree, |triangle| strongest(mesh, triangle))
        } else {
            Topology::build(mesh.mesh(), &rest, params.tree)
        };
        Self::over(mesh, topology, params.boxes)
    }

    /// The data for a tree of another making over the mesh's triangles.
    pub fn over(mesh: &ReducedMesh, topology: Topology, boxes: RestBoxes) -> Self {
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
            rests: Vec::with_capacity(nodes),
            loads: Vec::with_capacity(nodes),
            signed: Vec::with_capacity(nodes),
            morph_starts: vec![0],
            morphs: Vec::new(),
            map_count: mesh.map_count(),
            morph_reach: vec![0.0; mesh.morph_count()],
            reach: whole.min.iter().chain(&whole.max).fold(0.0, |reach, x| reach.max(x.abs())),
            topology,
        };
        gathered.iter().for_each(|node| tree.store(node));
        if boxes == RestBoxes::Oriented {
            tree.turn_boxes(mesh);
        }
        for morph in &tree.morphs {
            let reach = &mut tree.morph_reach[morph.target as usize];
            *reach = morph.deltas.min.iter().chain(&morph.deltas.max).fold(*reach, |reach, x| reach.max(x.abs()));
        }
        tree
    }

    fn store(&mut self, node: &Gathered) {
        let [least, most] = node.sum.unwrap_or_default();
        let (mut low_sum, mut load) = (0.0, 0.0);
        for (&influence, &[low, high]) in &node.weights {
            // Rounded up: a spread that is too small would lose the largest weight.
            let spread = if high > low { (high - low).next_up() } else { 0.0 };
            let rest = RestBox::around(&node.boxes[&influence]);
            self.influences.push(NodeInfluence { low, spread, influence, rest });
            low_sum += low;
            load += low.abs() + 2.0 * spread;
        }
        // Sums are rounded once per number, here and in the weights' own.
        let off = (node.weights.len() + limits::REDUCED_STEPS) as f64 * limits::REDUCED_ROUNDING * (load + 1.0);
        let rest = if node.weights.len() == 1 && node.sum == node.weights.values().next().copied() {
            // The one weight is the sum.
            [0.0, self.influences.last().map_or(0.0, |influence| influence.spread)]
        } else {
            [least - low_sum - off, most - low_sum + off]
        };
        self.starts.push(self.influences.len() as u32);
        self.rests.push(rest);
        self.loads.push(load + rest[0].abs().max(rest[1].abs()));
        self.signed.push(node.weights.values().any(|range| range[0] < 0.0));
        self.morphs.extend(node.morphs.iter().map(|(&target, &deltas)| NodeMorph { target, deltas }));
        self.morph_starts.push(self.morphs.len() as u32);
    }

    /// The shape of the tree.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// How many influences a node has.
    pub fn influence_count(&self, node: u32) -> usize {
        self.influences_of(node).len()
    }

    pub(super) fn influences_of(&self, node: u32) -> &[NodeInfluence] {
        &self.influences[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    pub(super) fn morphs_of(&self, node: u32) -> &[NodeMorph] {
        &self.morphs[self.morph_starts[node as usize] as usize..self.morph_starts[node as usize + 1] as usize]
    }

    /// Bytes held, the mesh not included.
    pub fn bytes(&self) -> usize {
        self.topology.bytes()
            + self.turns.capacity() * size_of::<Matrix3<f64>>()
            + self.influences.capacity() * size_of::<NodeInfluence>()
            + self.morphs.capacity() * size_of::<NodeMorph>()
            + (self.starts.capacity() + self.morph_starts.capacity()) * size_of::<u32>()
            + self.rests.capacity() * size_of::<[f64; 2]>()
            + self.loads.capacity() * size_of::<f64>()
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

    /// Grows to hold another set of vertices as well.
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
    fn around(bounds: &Aabb) -> Self {
        let centre = bounds.centre().map(|x| x as f32);
        let half = std::array::from_fn(|axis| {
            let middle = f64::from(centre[axis]);
            round_up((bounds.max[axis] - middle).max(middle - bounds.min[axis]))
        });
        Self { centre, half }
    }
}

/// The next `f32` that is larger; 0 stays.
fn round_up(length: f64) -> f32 {
    if length == 0.0 { 0.0 } else { (length as f32).next_up() }
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

/// Vertices below a node.
fn vertices_below(topology: &Topology, node: u32) -> Vec<u32> {
    let (mut stack, mut found) = (vec![node], Vec::new());
    while let Some(node) = stack.pop() {
        found.extend(topology.leaf_points(node));
        stack.extend(topology.node(node).children());
    }
    found
}

/// Per node, orthogonal columns along which its vertices vary most and least: the eigenvectors of their covariance.
fn principal_turns(mesh: &ReducedMesh, topology: &Topology) -> Vec<Matrix3<f64>> {
    let place = |vertex: u32| nalgebra::Vector3::from(mesh.rest_positions()[vertex as usize].map(f64::from));
    let turn = |node: usize| {
        let vertices = vertices_below(topology, node as u32);
        let share = 1.0 / vertices.len().max(1) as f64;
        let mean: nalgebra::Vector3<f64> = vertices.iter().map(|&vertex| place(vertex) * share).sum();
        let mut covariance = Matrix3::zeros();
        for &vertex in &vertices {
            let difference = place(vertex) - mean;
            covariance += difference * difference.transpose() * share;
        }
        covariance.symmetric_eigen().eigenvectors
    };
    (0..topology.nodes().len()).map(turn).collect()
}

impl BoundTree {
    /// Gives all influences boxes along the columns of their node's turn: centres in space, half lengths along the columns.
    fn turn_boxes(&mut self, mesh: &ReducedMesh) {
        for (node, turn) in self.turns.iter().enumerate() {
            let vertices = vertices_below(&self.topology, node as u32);
            for place in self.starts[node]..self.starts[node + 1] {
                let influence = &mut self.influences[place as usize];
                let moved = vertices
                    .iter()
                    .filter(|&&vertex| mesh.influences().indices_of(vertex).contains(&influence.influence));
                let local: Vec<[f64; 3]> = moved
                    .map(|&vertex| {
                        let place = mesh.rest_positions()[vertex as usize].map(f64::from);
                        (turn.transpose() * nalgebra::Vector3::from(place)).into()
                    })
                    .collect();
                let bounds = Aabb::of_points(&local);
                let reach = local.iter().flatten().fold(0.0, |reach: f64, x| reach.max(x.abs()));
                let centre = turn * nalgebra::Vector3::from(bounds.centre());
                // The columns are orthogonal up to a few roundings, and the centre is rounded to `f32`.
                let off = limits::REDUCED_STEPS as f64 * limits::REDUCED_ROUNDING * reach
                    + 2.0 * f64::from(f32::EPSILON) * reach;
                influence.rest.centre = std::array::from_fn(|axis| centre[axis] as f32);
                influence.rest.half =
                    std::array::from_fn(|axis| round_up(0.5 * (bounds.max[axis] - bounds.min[axis]) + off));
            }
        }
    }
}
