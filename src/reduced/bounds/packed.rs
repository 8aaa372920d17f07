//! Input of the bounds of a tree's nodes, in `f32` and contiguous: for queries of many boxes while
//! other data compete for the caches.
//!
//! The bound is that of [`super::direct`] at [`Level::Corner`], six sides at once, from the maps as
//! rounded for blending ([`RoundedPose`]).
//!
//! **Error.** Maps, weights and the remainder of their sum are rounded once, `2⁻²⁴` each; a value
//! is a sum of seven products, a bound of `n` influences one of `2 n + 3`. The sum of magnitudes is
//! at most the node's load times the pose's size, so the error of a side is less than
//! `(n + 16) 2⁻²⁴` of that. The side is moved outward by four times that.
//!
//! Nodes with weights of either sign, oriented boxes or displaced vertices are omitted and bounded
//! in `f64`; so are nodes queried at the optimum.

use super::layout::{Layout, Range, indices};
use super::posed::Node;
use super::rounded::RoundedPose;
use super::{BoundTree, Level};
use crate::limits;
use crate::math::f32_above;
use crate::refit::Bounds;
use crate::simd::{F32x8, Kernel, Simd};

/// Per place the input of its bound.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    heads: Vec<Head>,
    influences: Vec<Influence>,
}

/// A node: the range of its influences, empty if omitted; the remainder of its weights' sum, and
/// the sum of magnitudes in its bound.
#[derive(Clone, Copy, Debug)]
struct Head {
    start: u32,
    count: u32,
    rest: [f32; 2],
    load: f32,
}

/// See [`super::tree::NodeInfluence`].
#[derive(Clone, Copy, Debug)]
struct Influence {
    low: f32,
    spread: f32,
    map: u32,
    centre: [f32; 3],
    half: [f32; 3],
}

impl Packed {
    pub(super) fn new(tree: &BoundTree, layout: &Layout, level: Level) -> Self {
        let mut packed = Self { heads: Vec::with_capacity(layout.nodes.len()), influences: Vec::new() };
        for &node in &layout.nodes {
            let place = node as usize;
            let influences = tree.influences_of(node);
            let is_here = tree.turns.is_empty()
                && !tree.signed[place]
                && tree.morphs_of(node).is_empty()
                && (level == Level::Corner || influences.len() <= 2);
            let start = packed.influences.len() as u32;
            if is_here {
                packed.influences.extend(influences.iter().map(|influence| {
                    let (low, spread, map) = (influence.low, influence.spread, influence.influence);
                    let (mut centre, mut half) = ([0.0; 3], [0.0; 3]);
                    for axis in 0..3 {
                        // Rest boxes are relative to the body's centre; the rounding of the sum is
                        // added to the half length.
                        let exact = tree.middle[axis] + f64::from(influence.rest.centre[axis]);
                        centre[axis] = exact as f32;
                        let off = (exact - f64::from(centre[axis])).abs() + f64::EPSILON * exact.abs();
                        half[axis] = f32_above(f64::from(influence.rest.half[axis]) + off);
                    }
                    Influence { low, spread, map, centre, half }
                }));
            }
            let count = packed.influences.len() as u32 - start;
            let [least, most] = tree.rests[place].map(|rest| rest as f32);
            packed.heads.push(Head { start, count, rest: [least, most], load: f32_above(tree.loads[place]) });
        }
        packed
    }

    /// Bounds those of some adjacent nodes that do not have the pose's stamp, moves their boxes
    /// outward and stamps them; returns their number. Skips nodes that need `f64`.
    pub(super) fn bound(&self, places: Range, pose: &RoundedPose, nodes: &mut [Node], stamp: u32) -> u32 {
        crate::simd::run(Bound { packed: self, places, pose, nodes, stamp })
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Head>() + self.influences.capacity() * size_of::<Influence>()
    }
}

/// The SIMD kernel.
pub(super) struct Bound<'a> {
    pub(super) packed: &'a Packed,
    pub(super) places: Range,
    pub(super) pose: &'a RoundedPose,
    pub(super) nodes: &'a mut [Node],
    pub(super) stamp: u32,
}

impl Kernel for Bound<'_> {
    type Output = u32;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) -> u32 {
        let Self { packed, places, pose, nodes, stamp } = self;
        let Some(scale) = pose.scale() else { return 0 };
        let mut count = 0;
        let maps = pose.mirrored();
        for (head, node) in packed.heads[indices(&places)].iter().zip(nodes) {
            let is_known = f64::from(scale.size) * (1.0 + f64::from(head.load)) <= limits::F32_BLEND_RANGE;
            if node.stamp == stamp || head.count == 0 || !is_known {
                continue;
            }
            let (mut base, mut spread) = (machine.splat(0.0), machine.splat(0.0));
            let (mut first, mut second) = (machine.splat(f32::NEG_INFINITY), machine.splat(f32::NEG_INFINITY));
            for influence in &packed.influences[head.start as usize..(head.start + head.count) as usize] {
                let [x, y, z, shift] = &maps[influence.map as usize];
                let (x, y, z) = (machine.load(x), machine.load(y), machine.load(z));
                let ([a, b, c], [u, v, w]) = (influence.centre, influence.half);
                let middle = x * machine.splat(a) + y * machine.splat(b) + z * machine.splat(c) + machine.load(shift);
                let half = x.size() * machine.splat(u) + y.size() * machine.splat(v) + z.size() * machine.splat(w);
                let value = half + middle;
                base = base + machine.splat(influence.low) * value;
                second = second.more(first.less(value));
                spread = value.pick(first, machine.splat(influence.spread), spread);
                first = first.more(value);
            }
            if head.count == 1 {
                second = first;
            }
            let [least, most] = head.rest.map(|rest| machine.splat(rest) * second);
            let terms = (head.count + 16) as f32;
            let margin = terms * (2.0 * f32::EPSILON * scale.size * head.load + scale.tiny * (1.0 + head.load));
            let sides = base + least.more(most) + spread * (first - second) + machine.splat(margin);
            // Lower sides come first; upper ones are negated.
            node.bounds = Bounds(sides.lanes().map(|side| -side));
            node.stamp = stamp;
            count += 1;
        }
        count
    }
}
