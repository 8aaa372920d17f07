//! What bounds of a tree's nodes are made from, in `f32` and side by side: for queries, which ask for many boxes in caches that others use too.
//!
//! The bound is that of [`super::direct`] at [`Level::Corner`], six sides at once, made of the maps as rounded for blending ([`RoundedPose`]).
//! **Error.** Maps, weights and what is left of their sum are rounded once, `2⁻²⁴` each; a value is a sum of seven products, a bound of `n`
//! influences one of `2 n + 3`. All of it together is at most the node's load times the pose's size, so a side is off by less than `(n + 16) 2⁻²⁴`
//! of that; it is moved outward by four times as much.
//!
//! Nodes whose weights have either sign, whose boxes are oriented or whose vertices are displaced are not here, and are bounded in `f64`; so are
//! nodes that the optimum is asked of.

use super::layout::{Layout, Range, indices};
use super::posed::Node;
use super::rounded::RoundedPose;
use super::{BoundTree, Level};
use crate::limits;
use crate::refit::Bounds;
use crate::simd::{F32x8, Kernel, Simd};

/// Per place what its bound is made of.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    heads: Vec<Head>,
    influences: Vec<Influence>,
}

/// A node: where its influences are, if it has any here; what is left of its weights' sum, and the sum of magnitudes in its bound.
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
                        // Rest boxes are relative to the body's middle; what is rounded there is added to the half.
                        let exact = tree.middle[axis] + f64::from(influence.rest.centre[axis]);
                        centre[axis] = exact as f32;
                        let off = (exact - f64::from(centre[axis])).abs() + f64::EPSILON * exact.abs();
                        half[axis] = ((f64::from(influence.rest.half[axis]) + off) as f32).next_up();
                    }
                    Influence { low, spread, map, centre, half }
                }));
            }
            let count = packed.influences.len() as u32 - start;
            let [least, most] = tree.rests[place].map(|rest| rest as f32);
            packed.heads.push(Head { start, count, rest: [least, most], load: (tree.loads[place] as f32).next_up() });
        }
        packed
    }

    /// Bounds those nodes of some neighbours that are not marked with the pose's stamp, moves their boxes outward and marks them; says how many. Those
    /// that are to be bounded in `f64` are left alone.
    pub(super) fn bound(&self, places: Range, pose: &RoundedPose, nodes: &mut [Node], stamp: u32) -> u32 {
        crate::simd::run(Bound { packed: self, places, pose, nodes, stamp })
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Head>() + self.influences.capacity() * size_of::<Influence>()
    }
}

/// The kernel.
pub(super) struct Bound<'a> {
    pub(super) packed: &'a Packed,
    pub(super) places: Range,
    pub(super) pose: &'a RoundedPose,
    pub(super) nodes: &'a mut [Node],
    pub(super) stamp: u32,
}

impl Kernel for Bound<'_> {
    type Output = u32;

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
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
            // Lower sides come first, upper ones have their signs changed.
            node.bounds = Bounds(sides.lanes().map(|side| -side));
            node.stamp = stamp;
            count += 1;
        }
        count
    }
}
