//! Boxes of many nodes at once: selects instructions once, locates the moment once, and computes
//! the missing bounds of a piece together.

use super::direct::box_of;
use super::kept::{BEGUN, Bound, Cache, Now, UNBOUNDED, six_of};
use super::lanes::{Form, Morph, Weights};
use super::{BoundTree, Frame, Level, MovingBounds};
use crate::bvh::Hierarchy;
use crate::limits;
use crate::math::Aabb;
use crate::simd::{self, Kernel, Simd};
use crate::time::Moment;

/// The kernel over boxes of nodes for which `f32` suffices.
struct InLanes<'a> {
    tree: &'a BoundTree,
    frame: &'a Frame,
    nodes: &'a [u32],
    boxes: &'a mut [Aabb],
}

impl Kernel for InLanes<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { tree, frame, nodes, boxes } = self;
        for (&node, bounds) in nodes.iter().zip(boxes) {
            let blocks = tree.blocks_of(node);
            let form = if blocks.is_empty() { Form::List(tree.influences_of(node)) } else { Form::Blocks(blocks) };
            let morph = tree.is_morphed(node).then(|| tree.morph_in_lanes(node, frame));
            let weights = Weights { steps: tree.single_steps[node as usize], unsure: tree.unsure };
            let (rest, slack) = (tree.rests[node as usize], tree.slack(node, frame));
            *bounds = box_of(&frame.singles.sides(machine, form, morph.as_ref(), rest, weights, slack));
        }
    }
}

impl BoundTree {
    /// Computes the boxes of some nodes in a frame, each equal to [`BoundTree::node_box`] bit for
    /// bit; `boxes` is emptied first. O(influences of the nodes); a third cheaper than one by one
    /// if nodes have few influences.
    pub fn node_boxes(&self, nodes: &[u32], frame: &Frame, level: Level, boxes: &mut Vec<Aabb>) {
        boxes.resize(nodes.len(), Aabb::EMPTY);
        let are_known = nodes.iter().all(|&node| self.knows(node, frame));
        if are_known && frame.singles.fit() && level == Level::Corner && !self.has_signed {
            simd::run(InLanes { tree: self, frame, nodes, boxes });
            return;
        }
        for (&node, bounds) in nodes.iter().zip(boxes) {
            *bounds = self.node_box(node, frame, level);
        }
    }

    /// Whether nodes may be bounded in `f32`.
    pub(super) fn fits_singles(&self) -> bool {
        self.turns.is_empty() && self.unsure <= limits::REDUCED_F32_WEIGHT_SUM
    }

    /// Whether a node is bounded in `f32`: at the corner, for weights that are not negative,
    /// axis-aligned boxes, and numbers in range.
    #[inline]
    pub(super) fn is_in_lanes(&self, node: u32, frame: &Frame, level: Level) -> bool {
        frame.singles.fit()
            && !self.signed[node as usize]
            && (level == Level::Corner || self.influences_of(node).len() <= 2)
    }

    /// The box of a node that is bounded in `f32`.
    pub(super) fn box_in_lanes(&self, node: u32, frame: &Frame) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        simd::run(InLanes { tree: self, frame, nodes: &[node], boxes: std::slice::from_mut(&mut bounds) });
        bounds
    }

    #[inline]
    fn is_morphed(&self, node: u32) -> bool {
        self.morph_starts[node as usize] != self.morph_starts[node as usize + 1]
    }

    #[inline(never)]
    fn morph_in_lanes(&self, node: u32, frame: &Frame) -> Morph {
        let morphing = self.morphing(node, frame);
        [morphing.shift.map(|x| x as f32), morphing.growth.map(|x| x as f32)]
    }
}

impl MovingBounds {
    /// Computes the boxes of some nodes at a moment, each equal to
    /// [`Hierarchy::node_box`](crate::bvh::Hierarchy::node_box) bit for bit; `boxes` is emptied
    /// first. Boxes of nodes that do not exist have no limits. O(1) per box; O(influences of the
    /// node) for its first box in a new piece.
    pub fn node_boxes(&self, nodes: &[u32], at: Moment, boxes: &mut Vec<Aabb>) {
        boxes.resize(nodes.len(), Aabb::EMPTY);
        if nodes.iter().any(|&node| node as usize >= self.ready.nodes.len()) {
            nodes.iter().zip(boxes).for_each(|(&node, bounds)| *bounds = self.node_box(node, at));
            return;
        }
        let now = self.now(at);
        for (place, (&node, bounds)) in nodes.iter().zip(boxes.iter_mut()).enumerate() {
            let (piece, bound) = &self.ready.nodes[node as usize];
            if piece.get() != now.piece {
                self.make_boxes(&nodes[place..], &now, &mut boxes[place..]);
                return;
            }
            *bounds = now.between(&bound.get());
        }
    }

    /// Computes boxes of which some are missing or not finite.
    #[cold]
    #[inline(never)]
    fn make_boxes(&self, nodes: &[u32], now: &Now, boxes: &mut [Aabb]) {
        let mut cache = self.cache.borrow_mut();
        self.make_own(nodes, now.piece, &mut cache);
        for (&node, bounds) in nodes.iter().zip(boxes) {
            *bounds = self.made_box(node, now, &mut cache);
        }
    }

    /// Computes the own bounds, at the ends of a piece, of all nodes without a bound in it.
    fn make_own(&self, nodes: &[u32], piece: u32, cache: &mut Cache) {
        let keys = self.prepare(piece, cache);
        if self.levels > 0 {
            return;
        }
        let Cache { asked, boxes, ends, frames, .. } = cache;
        for (is_end, key) in [(false, keys[0]), (true, keys[1])] {
            asked.clear();
            asked.extend(nodes.iter().filter(|&&node| {
                let kept = self.ready.nodes[node as usize].0.get();
                // A node listed twice is computed twice, without harm.
                kept & !UNBOUNDED != piece && (kept == piece | BEGUN) == is_end && ends[node as usize].0 != key
            }));
            let frame = &frames[key.place() % frames.len()].1;
            self.tree.node_boxes(asked, frame, self.level, boxes);
            for (&node, bounds) in asked.iter().zip(boxes.iter()) {
                ends[node as usize] = (key, six_of(bounds));
            }
            for &node in nodes.iter().filter(|_| !is_end) {
                let (kept, bound) = &self.ready.nodes[node as usize];
                if kept.get() & !UNBOUNDED != piece && kept.get() != piece | BEGUN {
                    kept.set(piece | BEGUN);
                    bound.set(Bound { begin: ends[node as usize].1, ..Bound::default() });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::reduced::bounds::BoundParams;
    use crate::reduced::{Affine, Blend, Influences, MorphTarget, Pose, ReducedDef, ReducedMesh, WeightPolicy};
    use crate::simd::Plain;

    /// A strip whose vertices are moved by the given number of maps, four each.
    fn strip(dice: &mut impl FnMut() -> f64, maps: usize, morphs: usize) -> ReducedMesh {
        let rest: Vec<[f32; 3]> = (0..90).map(|k| [k as f32 * 0.1, dice() as f32, dice() as f32]).collect();
        let lists = rest.iter().map(|_| {
            let mut list: Vec<(u32, f64)> =
                (0..4).map(|_| ((dice().abs() * maps as f64) as u32 % maps as u32, dice().abs() + 0.1)).collect();
            let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
            list.iter_mut().for_each(|(_, weight)| *weight /= sum);
            list
        });
        let influences = Influences::convex(maps, lists.collect::<Vec<_>>(), WeightPolicy::Strict).unwrap();
        let triangles = (0..88).map(|k| [k, k + 1, k + 2]).collect();
        let deltas: Vec<[f32; 3]> = rest.iter().map(|_| [dice() as f32; 3]).collect();
        let morphs = (0..morphs).map(|_| MorphTarget::dense(&deltas)).collect();
        let mesh = Mesh::new(rest.len(), triangles).unwrap();
        ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend: Blend::Linear }).unwrap()
    }

    /// Equal to the last bit of the box, for lists and blocks, morphed or not.
    #[test]
    fn machines_agree_on_boxes() {
        let mut state = 5u64;
        let mut dice = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        let mut by_blocks = 0;
        for (maps, morphs) in [(1, 0), (5, 0), (5, 2), (40, 0), (40, 1), (130, 0)] {
            let mesh = strip(&mut dice, maps, morphs);
            let tree = BoundTree::new(&mesh, BoundParams::default());
            for far in [0.0, 1e6] {
                let mut pose = Pose::rest(maps, morphs);
                for map in &mut pose.maps {
                    let turn = [dice(), dice(), dice(), dice() + 2.0];
                    *map = Affine::from_parts([far + dice(), dice(), dice()], turn, [1.0, 1.0 + 0.1 * dice(), 1.0]);
                }
                pose.morphs.iter_mut().for_each(|weight| *weight = dice());
                let frame = Frame::of_pose(&tree, &pose).unwrap();
                assert!(frame.singles.fit());
                let nodes: Vec<u32> = (0..tree.topology().nodes().len() as u32).collect();
                by_blocks += nodes.iter().filter(|&&node| !tree.blocks_of(node).is_empty()).count();
                let mut boxes = [vec![Aabb::EMPTY; nodes.len()], vec![Aabb::EMPTY; nodes.len()]];
                let [wide, plain] = &mut boxes;
                simd::run(InLanes { tree: &tree, frame: &frame, nodes: &nodes, boxes: wide });
                InLanes { tree: &tree, frame: &frame, nodes: &nodes, boxes: plain }.run(Plain);
                let bits = |boxes: &[Aabb]| -> Vec<[u64; 6]> {
                    boxes.iter().map(|bounds| six_of(bounds).map(f64::to_bits)).collect()
                };
                assert_eq!(bits(wide), bits(plain), "{maps} maps, {morphs} morphs, {far} m away");
            }
        }
        assert!(by_blocks > 10);
    }
}
