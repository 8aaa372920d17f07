//! parry3d with pairs kept from frame to frame, as its broad phase of bodies does: boxes of triangles are larger than
//! needed by a margin, a triangle that stays inside its large box changes nothing, and only pairs with a triangle that
//! left its box are searched again (change detection of `Bvh`). The margin is a part of the mean side of the boxes.

use kinetree::narrow::ContactRule;
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhNode, BvhWorkspace};

use crate::contender::{Contender, Points, Tester};
use crate::peers::parry_box;
use crate::scene::{Actor, Frame, Scene};

/// Of the mean side of a triangle's box. At 10 frames a key 0.05 to 1 were tried on A16k, B32k, C40k and cloth with
/// itself, at 100 frames 0.05, 0.1 and 0.25. At 100 it is the best but on cloth/ball (0.25); at 10 others are better on
/// C40k (0.5), cloth/ball (0.25) and cloth/twist (0.05), each by a tenth at most.
const MARGIN: f32 = 0.1;

/// With fewer changed triangles than this part of all, paths to the root are refitted instead of the tree.
const FEW: usize = 16;

/// A body's tree over large boxes.
struct Side {
    tree: Bvh,
    /// As they are at the frame.
    boxes: Vec<Aabb>,
    margin: f32,
    /// Triangles that left their large boxes at this frame and at the one before.
    changed: Vec<u32>,
    changed_before: Vec<u32>,
    is_changed: Vec<bool>,
    points: Points,
}

impl Side {
    fn new(actor: &Actor, time: f64) -> Self {
        let mut points = Points::default();
        points.evaluate(actor, time);
        let triangles = actor.mesh.triangles();
        let boxes: Vec<Aabb> = triangles.iter().map(|corners| parry_box(&points, corners)).collect();
        let sides: f32 = boxes.iter().map(|tight| tight.extents().element_sum()).sum();
        let margin = (MARGIN * sides / (3 * boxes.len().max(1)) as f32).max(f32::MIN_POSITIVE);
        let large: Vec<Aabb> = boxes.iter().map(|tight| tight.loosened(margin)).collect();
        let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &large);
        tree.refit(&mut BvhWorkspace::default());
        let (changed, changed_before, is_changed) = (Vec::new(), Vec::new(), vec![false; boxes.len()]);
        Self { tree, boxes, margin, changed, changed_before, is_changed, points }
    }

    fn update(&mut self, actor: &Actor, time: f64) {
        for &triangle in &self.changed {
            self.is_changed[triangle as usize] = false;
        }
        std::mem::swap(&mut self.changed, &mut self.changed_before);
        self.changed.clear();
        if !actor.is_fixed() {
            self.points.evaluate(actor, time);
            for (number, corners) in actor.mesh.triangles().iter().enumerate() {
                self.boxes[number] = parry_box(&self.points, corners);
                let status = self.tree.insert_or_update_partially(self.boxes[number], number as u32, self.margin);
                if !matches!(status, BvhLeafUpdateStatus::Unchanged) {
                    self.changed.push(number as u32);
                    self.is_changed[number] = true;
                }
            }
        }
        if self.changed.len() + self.changed_before.len() < self.boxes.len() / FEW {
            self.tree.refit_partial(&self.changed_before, &self.changed);
        } else {
            self.tree.refit_without_opt();
        }
    }

    fn bytes(&self) -> usize {
        self.tree.total_memory_size()
            + self.boxes.len() * size_of::<Aabb>()
            + 4 * (self.changed.capacity() + self.changed_before.capacity())
            + self.is_changed.len()
            + self.points.bytes()
    }
}

pub struct Kept {
    sides: Vec<Side>,
    workspace: BvhWorkspace,
    tester: Tester,
    /// Triangles whose large boxes overlap, and that may touch by the rule of the scene.
    pairs: Vec<(u32, u32)>,
    is_begun: bool,
}

impl Kept {
    pub fn new(scene: &Scene) -> Self {
        let sides = scene.actors().map(|actor| Side::new(actor, scene.times[0])).collect();
        let (workspace, tester) = (BvhWorkspace::default(), Tester::new(scene));
        Self { sides, workspace, tester, pairs: Vec::new(), is_begun: false }
    }

    fn find(&mut self, scene: &Scene) {
        let Self { sides, workspace, pairs, .. } = self;
        let rule = scene.rule();
        let mut push = |p: u32, q: u32| {
            if rule.wants(p, q) {
                pairs.push((p, q));
            }
        };
        match (&sides[..], self.is_begun) {
            ([one], false) => one.tree.traverse_bvtt_single_tree::<false>(workspace, &mut push),
            ([one], true) => one.tree.traverse_bvtt_single_tree::<true>(workspace, &mut push),
            ([a, b, ..], false) => a.tree.leaf_pairs(&b.tree, BvhNode::intersects).for_each(|(p, q)| push(p, q)),
            ([a, b, ..], true) => {
                let check = |x: &BvhNode, y: &BvhNode| (x.is_changed() || y.is_changed()) && x.intersects(y);
                a.tree.leaf_pairs(&b.tree, check).for_each(|(p, q)| push(p, q));
            }
            ([], _) => {}
        }
        self.is_begun = true;
    }
}

impl Contender for Kept {
    fn update(&mut self, scene: &Scene, frame: &Frame) {
        for (actor, side) in scene.actors().zip(&mut self.sides) {
            side.update(actor, frame.time);
        }
        let (a, b) = (&self.sides[0].is_changed, &self.sides[self.sides.len() - 1].is_changed);
        self.pairs.retain(|&(p, q)| !a[p as usize] && !b[q as usize]);
        self.find(scene);
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        let (a, b) = (&self.sides[0].boxes, &self.sides[self.sides.len() - 1].boxes);
        let near = self.pairs.iter().copied().filter(|&(p, q)| a[p as usize].intersects(&b[q as usize]));
        self.tester.test(scene, frame, near, found);
    }

    fn needs_every_frame(&self) -> bool {
        true
    }

    fn bytes(&self) -> usize {
        self.sides.iter().map(Side::bytes).sum::<usize>() + self.tester.bytes() + self.pairs.capacity() * 8
    }
}
