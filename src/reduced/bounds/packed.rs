//! What bounds of a tree's nodes are made from, in `f32` and side by side: for queries, which ask for many boxes in caches that others use too.
//!
//! The bound is that of [`super::direct`] at [`Level::Corner`], six sides at once, made of the maps as rounded for blending ([`RoundedPose`]).
//! **Error.** Maps, weights and what is left of their sum are rounded once, `2⁻²⁴` each; a value is a sum of seven products, a bound of `n`
//! influences one of `2 n + 3`. All of it together is at most the node's load times the pose's size, so a side is off by less than `(n + 16) 2⁻²⁴`
//! of that; it is moved outward by four times as much.
//!
//! Nodes whose weights have either sign, whose boxes are oriented or whose vertices are displaced are not here, and are bounded in `f64`; so are
//! nodes that the optimum is asked of.

use super::layout::Layout;
use super::rounded::RoundedPose;
use super::{BoundTree, Level};
use crate::baseline::Bounds;
use crate::limits;
use crate::simd::{Kernel, LANES, Machine};

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

    /// The box of a place, moved outward; `None` where it is to be bounded in `f64`.
    #[inline(always)]
    pub(super) fn bound(&self, place: u32, pose: &RoundedPose) -> Option<Bounds> {
        let head = self.heads[place as usize];
        let scale = pose.scale().filter(|scale| {
            head.count > 0 && f64::from(scale.size) * (1.0 + f64::from(head.load)) <= limits::ROUNDED_RANGE
        })?;
        let terms = (head.count + 16) as f32;
        let margin = terms * (2.0 * f32::EPSILON * scale.size * head.load + scale.tiny * (1.0 + head.load));
        let influences = &self.influences[head.start as usize..(head.start + head.count) as usize];
        Some(crate::simd::run(Bound { head, influences, pose, margin }))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Head>() + self.influences.capacity() * size_of::<Influence>()
    }
}

/// The kernel.
struct Bound<'a> {
    head: Head,
    influences: &'a [Influence],
    pose: &'a RoundedPose,
    margin: f32,
}

impl Kernel for Bound<'_> {
    type Output = Bounds;

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn run<M: Machine>(self, _: M) -> Bounds {
        let (mut base, mut spread) = ([0.0f32; LANES], [0.0f32; LANES]);
        let (mut first, mut second) = ([f32::NEG_INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
        for influence in self.influences {
            let [left, right] = self.pose.columns_of(influence.map);
            let ([x, y, z], [u, v, w]) = (influence.centre, influence.half);
            let (mut middle, mut half) = ([0.0f32; 4], [0.0f32; 4]);
            for lane in 0..4 {
                let (a, b, c, shift) = (left[lane], left[lane + 4], right[lane], right[lane + 4]);
                middle[lane] = a * x + b * y + c * z + shift;
                half[lane] = a.abs() * u + b.abs() * v + c.abs() * w;
            }
            for lane in 0..LANES {
                let side = lane % 4;
                let value = if lane < 4 { half[side] + middle[side] } else { half[side] - middle[side] };
                base[lane] += influence.low * value;
                let is_first = value > first[lane];
                let loser = if is_first { first[lane] } else { value };
                second[lane] = if loser > second[lane] { loser } else { second[lane] };
                spread[lane] = if is_first { influence.spread } else { spread[lane] };
                first[lane] = if is_first { value } else { first[lane] };
            }
        }
        if self.influences.len() == 1 {
            second = first;
        }
        let [least, most] = self.head.rest;
        let mut sides = [0.0; LANES];
        for lane in 0..LANES {
            let (p, q) = (least * second[lane], most * second[lane]);
            let rest = if p > q { p } else { q };
            sides[(lane + 4) % LANES] =
                -(base[lane] + rest + spread[lane] * (first[lane] - second[lane]) + self.margin);
        }
        Bounds(sides)
    }
}
