//! Vertices of a reduced body blended in `f32`, with a proven error: sufficient for culling.
//! Contacts are decided on exact positions.
//!
//! The maps of a vertex are blended first, entry by entry, then applied to its rest position.
//!
//! **Error.** With `u = 2⁻²⁴`, weights, maps and morph weights are rounded once, products once, and
//! sums once per term. The error of an entry of a blend of `n` maps is `(n + 2) u` of the sum of
//! its terms' magnitudes; that of a rest position with `k` displacements is `(k + 2) u` of the sum
//! of theirs; applying one to the other adds `4 u`. All terms of a coordinate together are at most
//! the sum of magnitudes of the weights (the *load*) times `Σ|row|·reach + |shift|`, the largest
//! over the maps (the *size*). So the error of a coordinate is at most
//! `(n + k + 8) u · load · size`, up to terms in `u²`; that of the exact one, in `f64`, is far
//! smaller.
//!
//! The margin is four times that, plus two more roundings: half of it covers the error, and half
//! the rounding of box sides. Underflow loses at most the smallest normal number, times its
//! factors. If a number or a sum could leave the range of `f32`, no margin is given.
//!
//! Cost: 16 products per weight and 12 per vertex.

use super::BoundTree;
use super::layout::{Layout, Range, indices};
use super::posed::Node;
use crate::limits;
use crate::math::f32_above;
use crate::reduced::{Pose, ReducedMesh};
use crate::refit::Bounds;
use crate::simd::{F32x8, Kernel, LANES, Simd};

/// The unbounded box.
pub(super) const EVERYTHING: Bounds = Bounds([f32::NEG_INFINITY; 8]);

/// A map as three columns and a shift, four lanes each.
type Columns = [[f32; LANES]; 2];

/// A map for six directions at once: three columns and a shift, four negated lanes, then four
/// unchanged ones.
pub(super) type Mirrored = [[f32; LANES]; 4];

/// The data of a body that do not depend on the pose, point by point.
#[derive(Clone, Debug)]
pub(super) struct Skin {
    /// One more entry at the end.
    rest: Vec<RestPoint>,
    weights: Vec<(u32, f32)>,
    /// Begins of displacements; empty without morph targets.
    morph_starts: Vec<u32>,
    morphs: Vec<(u32, [f32; 3])>,
    /// Most weights plus displacements of a point.
    most: usize,
    /// Largest sum of magnitudes of a point's weights, at least 1.
    load: f64,
}

/// The rest position of a point, and the begin of its weights; they end at the next point's begin.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct RestPoint {
    place: [f32; 3],
    start: u32,
}

/// A pose rounded to `f32`.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundedPose {
    columns: Vec<Columns>,
    mirrored: Vec<Mirrored>,
    morphs: Vec<f32>,
    /// The distance by which boxes of points are widened, metres; half of it bounds the error of a
    /// coordinate. `None` if no bound is known.
    margin: Option<f32>,
    scale: Scale,
    /// Largest coordinate of a point blended in `f64` that the margin allows, metres.
    reached: f64,
    /// Largest error of points blended spherically that the margin allows, metres.
    turned: f64,
}

/// The scale of a pose's numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    /// Bound on the coordinates of a rest box's image and of their terms, metres.
    pub(super) size: f32,
    /// Loss by underflow per term and unit of weight, metres.
    pub(super) tiny: f32,
}

impl Skin {
    pub(super) fn new(mesh: &ReducedMesh, layout: &Layout) -> Self {
        Self::of(mesh, layout.vertices.iter().copied())
    }

    /// The data of some vertices of a body, which are its points in this order.
    pub(super) fn of(mesh: &ReducedMesh, vertices: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut skin = Self {
            rest: Vec::with_capacity(vertices.len() + 1),
            weights: Vec::new(),
            morph_starts: Vec::new(),
            morphs: Vec::new(),
            most: 0,
            load: 1.0,
        };
        if mesh.morph_count() > 0 {
            skin.morph_starts.push(0);
        }
        for vertex in vertices {
            let place = mesh.rest_positions()[vertex as usize];
            skin.rest.push(RestPoint { place, start: skin.weights.len() as u32 });
            skin.weights.extend(mesh.influences().of(vertex).map(|(map, weight)| (map, weight as f32)));
            if mesh.morph_count() > 0 {
                skin.morphs.extend(mesh.morphs_of(vertex));
                skin.morph_starts.push(skin.morphs.len() as u32);
            }
            let weights = mesh.influences().weights_of(vertex);
            skin.load = skin.load.max(weights.iter().map(|weight| weight.abs()).sum());
            skin.most = skin.most.max(weights.len() + mesh.morphs_of(vertex).len());
        }
        skin.rest.push(RestPoint { place: [0.0; 3], start: skin.weights.len() as u32 });
        skin
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn point<M: Simd>(&self, machine: M, pose: &RoundedPose, point: usize) -> [f32; 4] {
        let (mut left, mut right) = (machine.splat(0.0), machine.splat(0.0));
        let (RestPoint { place, start }, end) = (self.rest[point], self.rest[point + 1].start);
        for &(map, weight) in &self.weights[start as usize..end as usize] {
            let [first, second] = &pose.columns[map as usize];
            let weight = machine.splat(weight);
            left = left + weight * machine.load(first);
            right = right + weight * machine.load(second);
        }
        let [mut x, mut y, mut z] = place;
        if !self.morph_starts.is_empty() {
            let morphs = self.morph_starts[point] as usize..self.morph_starts[point + 1] as usize;
            for &(target, delta) in &self.morphs[morphs] {
                let weight = pose.morphs[target as usize];
                x += weight * delta[0];
                y += weight * delta[1];
                z += weight * delta[2];
            }
        }
        let (left, right) = (left.lanes(), right.lanes());
        std::array::from_fn(|lane| left[lane] * x + left[lane + 4] * y + right[lane] * z + right[lane + 4])
    }

    /// The largest sum of magnitudes of a point's weights, at least 1.
    pub(super) fn load(&self) -> f64 {
        self.load
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.rest.capacity() * size_of::<RestPoint>()
            + self.weights.capacity() * size_of::<(u32, f32)>()
            + self.morphs.capacity() * size_of::<(u32, [f32; 3])>()
            + self.morph_starts.capacity() * size_of::<u32>()
    }
}

impl RoundedPose {
    /// Rounds a pose of a body, and computes its margin. O(maps + morphs).
    pub(super) fn set(&mut self, tree: &BoundTree, skin: &Skin, pose: &Pose) {
        self.columns.clear();
        self.mirrored.clear();
        let (mut stretch, mut shift, mut largest): (f64, f64, f64) = (0.0, 0.0, 0.0);
        for map in &pose.maps {
            let column = |k: usize| [0, 1, 2].map(|row: usize| map.linear[(row, k)] as f32);
            let two = |[a, b, c]: [f32; 3], [d, e, f]: [f32; 3]| [a, b, c, 0.0, d, e, f, 0.0];
            let moved = [0, 1, 2].map(|row: usize| map.shift[row] as f32);
            self.columns.push([two(column(0), column(1)), two(column(2), moved)]);
            let mirrored = |[a, b, c]: [f32; 3]| [-a, -b, -c, 0.0, a, b, c, 0.0];
            self.mirrored.push([mirrored(column(0)), mirrored(column(1)), mirrored(column(2)), mirrored(moved)]);
            for axis in 0..3 {
                let row = map.linear.row(axis);
                stretch = stretch.max(row[0].abs() + row[1].abs() + row[2].abs());
                shift = shift.max(map.shift[axis].abs());
            }
        }
        let (mut reach, mut far_away) = (tree.reach, tree.reach);
        self.morphs.clear();
        for (&weight, &far) in pose.morphs.iter().zip(&tree.morph_reach) {
            self.morphs.push(weight as f32);
            reach += weight.abs() * far;
            far_away += far;
            largest = largest.max(weight.abs());
        }
        let size = stretch * reach + shift;
        let terms = (skin.most + 10) as f64;
        let tiny = f64::from(f32::MIN_POSITIVE) * ((1.0 + reach + far_away) * (1.0 + stretch) + shift);
        let margin = 2.0 * terms * (f64::from(f32::EPSILON) * skin.load * size + tiny * (1.0 + skin.load));
        // Bound on all sums and their terms.
        let most = [size, stretch, shift, 1.0].into_iter().fold(0.0, f64::max) * skin.load;
        let is_known = [most, largest, reach, margin].iter().all(|x| *x <= limits::F32_BLEND_RANGE)
            && terms < 1.0 / f64::from(f32::EPSILON).sqrt()
            && pose.check(tree.map_count, tree.morph_reach.len()).is_ok();
        self.margin = is_known.then_some(f32_above(margin));
        self.scale = Scale { size: f32_above(size), tiny: f32_above(tiny) };
    }

    /// Begins spherical blending.
    pub(super) fn begin_turning(&mut self) {
        // The rounding of coordinates up to this is far less than the margin.
        self.reached = f64::from(self.scale.size);
        self.turned = 0.0;
    }

    /// Widens the margin, if it does not suffice, for points blended spherically with an error of a
    /// coordinate of up to `error` metres.
    pub(super) fn turn(&mut self, error: f64) {
        if error > self.turned {
            self.widen(4.0 * (error - self.turned));
            self.turned = error;
        }
    }

    /// Widens the margin, if it does not suffice, for points that are blended in `f64` and then
    /// rounded, with coordinates up to `far` metres: rounding loses `2⁻²⁴` of a coordinate.
    pub(super) fn reach(&mut self, far: f64) {
        if !(far <= self.reached) {
            self.reached = 2.0 * far;
            self.widen(4.0 * f64::from(f32::EPSILON) * self.reached);
            self.margin = self.margin.filter(|_| self.reached <= limits::F32_BLEND_RANGE);
        }
    }

    fn widen(&mut self, by: f64) {
        let margin = self.margin.map(|margin| f64::from(margin) + by).filter(|own| *own <= limits::F32_BLEND_RANGE);
        self.margin = margin.map(f32_above);
    }

    /// The distance by which boxes of points are widened, metres: at least twice the error of a
    /// coordinate. `None` if no bound is known.
    pub(super) fn margin(&self) -> Option<f32> {
        self.margin
    }

    /// The scale of its numbers; `None` if no bound is known.
    #[inline(always)]
    pub(super) fn scale(&self) -> Option<Scale> {
        self.margin.map(|_| self.scale)
    }

    #[inline(always)]
    pub(super) fn mirrored(&self) -> &[Mirrored] {
        &self.mirrored
    }
}

/// The kernel that evaluates points and computes the boxes above them.
pub(super) struct Evaluate<'a> {
    pub(super) layout: &'a Layout,
    pub(super) skin: &'a Skin,
    pub(super) pose: &'a RoundedPose,
    /// Points to evaluate: a range, and further ones.
    pub(super) points: Range,
    pub(super) more: &'a [u32],
    pub(super) leaves: Range,
    /// The root place and all places below it.
    pub(super) root: u32,
    pub(super) below: Range,
    pub(super) into: &'a mut [[f32; 4]],
    pub(super) nodes: &'a mut [Node],
}

impl Kernel for Evaluate<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { layout, skin, pose, points, more, leaves, root, below, into, nodes } = self;
        if let Some(margin) = pose.margin {
            for point in indices(&points) {
                into[point] = skin.point(machine, pose, point);
            }
            for &point in more {
                into[point as usize] = skin.point(machine, pose, point as usize);
            }
            for leaf in &layout.leaves[indices(&leaves)] {
                let mut all = Bounds::EMPTY;
                for &point in &layout.leaf_points[indices(&leaf.points)] {
                    all = all.union(&Bounds::of_point(&into[point as usize]));
                }
                nodes[leaf.place as usize].bounds = all.widened(margin);
            }
        } else {
            layout.leaves[indices(&leaves)].iter().for_each(|leaf| nodes[leaf.place as usize].bounds = EVERYTHING);
        }
        for place in below.rev().chain([root]) {
            let children = indices(&nodes[place as usize].link.below());
            if let Some((first, others)) = nodes[children].split_first() {
                let all = others.iter().fold(first.bounds, |all, child| all.union(&child.bounds));
                nodes[place as usize].bounds = all;
            }
        }
    }
}
