//! Bottom-up refit of a fixed tree: the usual way, tuned.
//!
//! Maintains after every refit: a node's box holds every vertex below it, and is wider than needed
//! only by the margin of the rounded positions it was made from.
//!
//! How it is laid out, and why:
//! - a box is 32 bytes, `[lo, −hi]` in `f32`, so that a union is eight independent minima;
//! - inner boxes come first, leaf boxes after them, each in depth-first order: one branch-free pass
//!   over the leaves that only appends, then one pass backwards over the inner nodes, whose
//!   children lie shortly behind them;
//! - positions are copied into the order in which leaves first use them, so the leaf pass reads
//!   memory almost in order.
//!
//! Cost: O(vertices + triangles) per frame, about 40 bytes written per triangle; 2 m − 1 boxes for
//! m leaves.
//!
//! Follows the usual scheme (van den Bergen 1997, "Efficient collision detection of complex
//! deformable models using AABB trees"). Tree against tree is in `pairs`, step after step in
//! `front`; boxes of velocity fields move between refits (`moving`).

mod front;
mod leaf_filter;
mod leaves;
mod meet;
mod moving;
mod pairs;
#[cfg(test)]
mod tests;

pub(crate) use front::are_apart;
pub use front::{FrontStats, RefitFront};
pub(crate) use leaf_filter::{Gathered, filter_leaf_pairs};
pub(crate) use leaves::sides_of;
pub use pairs::candidate_triangles;
pub(crate) use pairs::widening;

use crate::bvh::{Hierarchy, Topology, Width};
use crate::limits;
use crate::math::{Aabb, f32_above_or_zero};
use crate::mesh::Mesh;
use crate::simd::{self, Kernel, Simd};
use crate::time::Moment;

/// A box as `[lo, −hi]`, four lanes each; the fourth is unused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
#[repr(align(32))]
pub(crate) struct Bounds(pub(crate) [f32; 8]);

impl Bounds {
    pub(crate) const EMPTY: Self = Self([f32::INFINITY; 8]);

    /// The box of a triangle.
    #[inline(always)]
    pub(crate) fn of_triangle([p, q, r]: [&[f32; 4]; 3]) -> Self {
        let (mut low, mut high) = ([0.0; 4], [0.0; 4]);
        for lane in 0..4 {
            low[lane] = less(less(p[lane], q[lane]), r[lane]);
            high[lane] = more(more(p[lane], q[lane]), r[lane]);
        }
        Self([low[0], low[1], low[2], low[3], -high[0], -high[1], -high[2], -high[3]])
    }

    #[inline(always)]
    pub(crate) fn of_point(p: &[f32; 4]) -> Self {
        Self([p[0], p[1], p[2], p[3], -p[0], -p[1], -p[2], -p[3]])
    }

    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut sides = [0.0; 8];
        for (lane, side) in sides.iter_mut().enumerate() {
            *side = less(self.0[lane], other.0[lane]);
        }
        Self(sides)
    }

    #[inline(always)]
    pub(crate) fn widened(mut self, margin: f32) -> Self {
        for side in &mut self.0 {
            *side -= margin;
        }
        self
    }

    /// Whether the closed boxes share a point. Branch-free: one verdict for all lanes.
    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let mut apart = false;
        for lane in 0..4 {
            apart |= self.0[lane] > -other.0[lane + 4];
            apart |= other.0[lane] > -self.0[lane + 4];
        }
        !apart
    }

    pub(crate) fn to_aabb(self) -> Aabb {
        let [x, y, z, _, p, q, r, _] = self.0.map(f64::from);
        Aabb { min: [x, y, z], max: [-p, -q, -r] }
    }

    /// The sum of the three sides: what decides which of two boxes is larger.
    #[inline(always)]
    pub(crate) fn size(&self) -> f32 {
        -((self.0[0] + self.0[4]) + (self.0[1] + self.0[5]) + (self.0[2] + self.0[6]))
    }
}

/// The lesser of two numbers; unlike `f32::min` it need not mind NaN and is one instruction.
#[inline(always)]
fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn more(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A box tree whose shape stays and whose boxes are recomputed for every frame.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct RefitTree {
    topology: Topology,
    /// Inner nodes depth-first, then leaves in the same order; as they were refitted.
    boxes: Vec<Bounds>,
    /// Per inner node, the places of its children in `boxes`.
    children: Vec<[u32; 2]>,
    /// Per node of the topology, its place in `boxes`.
    places: Vec<u32>,
    /// Per leaf, where its triangles begin in `corners`; one more entry at the end.
    starts: Vec<u32>,
    /// Per triangle in leaf order, the places of its corners in `points`.
    corners: Vec<[u32; 3]>,
    /// Positions at the last refit in the order of their first use.
    points: Vec<[f32; 4]>,
    /// Per entry of `points`, the vertex.
    vertices: Vec<u32>,
    /// Where leaves hold several triangles: the distinct points of each leaf, as ranges of
    /// `leaf_points`.
    leaf_ranges: Vec<u32>,
    leaf_points: Vec<u32>,
    /// By how much leaf boxes are widened, metres.
    margin: f32,
    /// Of a velocity field.
    moving: Option<Box<moving::Moving>>,
}

impl RefitTree {
    /// A tree of the given shape, refitted to the positions. O(triangles).
    ///
    /// # Panics
    /// If the topology is not of width two.
    pub fn new(topology: Topology, mesh: &Mesh, positions: &[[f64; 3]]) -> Self {
        assert_eq!(topology.params().width, Width::Two, "refitted trees are binary");
        let nodes = topology.nodes();
        let inner = nodes.iter().filter(|node| !node.is_leaf()).count();
        let (mut next_inner, mut next_leaf) = (0, inner as u32);
        let places: Vec<u32> = nodes
            .iter()
            .map(|node| {
                let next = if node.is_leaf() { &mut next_leaf } else { &mut next_inner };
                *next += 1;
                *next - 1
            })
            .collect();
        let children = nodes
            .iter()
            .filter_map(|node| {
                node.left_and_right().map(|(left, right)| [places[left as usize], places[right as usize]])
            })
            .collect();
        let mut place_of_vertex = vec![u32::MAX; mesh.vertex_count()];
        let mut tree = Self {
            boxes: vec![Bounds::EMPTY; nodes.len()],
            children,
            places,
            starts: vec![0],
            corners: Vec::with_capacity(mesh.triangles().len()),
            points: Vec::new(),
            vertices: Vec::new(),
            leaf_ranges: vec![0],
            leaf_points: Vec::new(),
            margin: 0.0,
            moving: None,
            topology,
        };
        let is_single = 2 * mesh.triangles().len() == tree.boxes.len() + 1;
        for leaf in (0..tree.topology.nodes().len() as u32).filter(|&node| tree.topology.node(node).is_leaf()) {
            for &triangle in tree.topology.primitives(leaf) {
                let corners = mesh.triangles()[triangle as usize].map(|vertex| {
                    let place = &mut place_of_vertex[vertex as usize];
                    if *place == u32::MAX {
                        *place = tree.vertices.len() as u32;
                        tree.vertices.push(vertex);
                    }
                    *place
                });
                tree.corners.push(corners);
            }
            tree.starts.push(tree.corners.len() as u32);
            if !is_single {
                let points = tree.topology.leaf_points(leaf).iter().map(|&vertex| place_of_vertex[vertex as usize]);
                tree.leaf_points.extend(points);
                tree.leaf_ranges.push(tree.leaf_points.len() as u32);
            }
        }
        tree.points = vec![[0.0; 4]; tree.vertices.len()];
        tree.refit(positions);
        tree
    }

    /// Recomputes every box from the positions of a frame. O(triangles).
    ///
    /// # Panics
    /// If a vertex of the mesh has no position: positions are indexed like a slice, once per vertex
    /// and frame.
    pub fn refit(&mut self, positions: &[[f64; 3]]) {
        self.refit_within(positions, 0.0);
    }

    /// The same for positions that are off by at most `blur` metres along an axis.
    pub(crate) fn refit_within(&mut self, positions: &[[f64; 3]], blur: f64) {
        self.refit_with(|vertices, points| {
            let mut largest = 0.0f32;
            for (point, &vertex) in points.iter_mut().zip(vertices) {
                let [x, y, z] = positions[vertex as usize].map(|x| x as f32);
                *point = [x, y, z, 0.0];
                for x in [x, y, z] {
                    largest = more(largest, x.abs());
                }
            }
            largest * limits::F32_NEAREST_ROUNDING + f32::MIN_POSITIVE + f32_above_or_zero(2.0 * blur)
        });
    }

    /// Lets `fill` write the positions, then recomputes every box. O(triangles).
    ///
    /// `fill` is given vertex numbers and must write the position of each (metres, fourth lane 0),
    /// and return a margin: half of it is at least the largest error of any coordinate, and the
    /// other half at least the spacing of `f32` there. Entries it leaves alone keep the position
    /// they were last given.
    pub fn refit_with(&mut self, fill: impl FnOnce(&[u32], &mut [[f32; 4]]) -> f32) {
        self.margin = fill(&self.vertices, &mut self.points);
        simd::run(Refit {
            points: &self.points,
            margin: self.margin,
            corners: &self.corners,
            leaf_points: &self.leaf_points,
            leaf_ranges: &self.leaf_ranges,
            children: &self.children,
            boxes: &mut self.boxes,
        });
    }

    /// The box of a node of its topology.
    #[inline]
    pub(crate) fn bounds(&self, node: u32) -> Bounds {
        self.box_at::<true>(self.places[node as usize])
    }

    /// Bytes held, the mesh not included.
    pub fn bytes(&self) -> usize {
        self.topology.bytes()
            + self.boxes.capacity() * size_of::<Bounds>()
            + self.children.capacity() * size_of::<[u32; 2]>()
            + self.corners.capacity() * size_of::<[u32; 3]>()
            + self.points.capacity() * size_of::<[f32; 4]>()
            + self.moving.as_ref().map_or(0, |moving| moving.bytes())
            + size_of::<u32>()
                * (self.places.capacity()
                    + self.starts.capacity()
                    + self.vertices.capacity()
                    + self.leaf_ranges.capacity()
                    + self.leaf_points.capacity())
    }
}

impl Hierarchy for RefitTree {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn node_box(&self, node: u32, _at: Moment) -> Aabb {
        self.bounds(node).to_aabb()
    }
}

/// Computes all boxes of a tree again, leaves first.
struct Refit<'a> {
    points: &'a [[f32; 4]],
    margin: f32,
    corners: &'a [[u32; 3]],
    leaf_points: &'a [u32],
    leaf_ranges: &'a [u32],
    children: &'a [[u32; 2]],
    boxes: &'a mut [Bounds],
}

impl Kernel for Refit<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, _: M) {
        let Self { points, margin, corners, leaf_points, leaf_ranges, children, boxes } = self;
        let leaf_boxes = &mut boxes[children.len()..];
        if leaf_points.is_empty() {
            for (bounds, corners) in leaf_boxes.iter_mut().zip(corners) {
                *bounds = Bounds::of_triangle(corners.map(|place| &points[place as usize])).widened(margin);
            }
        } else {
            for (bounds, range) in leaf_boxes.iter_mut().zip(leaf_ranges.windows(2)) {
                let mut all = Bounds::EMPTY;
                for &place in &leaf_points[range[0] as usize..range[1] as usize] {
                    all = all.union(&Bounds::of_point(&points[place as usize]));
                }
                *bounds = all.widened(margin);
            }
        }
        for (node, &[left, right]) in children.iter().enumerate().rev() {
            boxes[node] = boxes[left as usize].union(&boxes[right as usize]);
        }
    }
}
