//! The library's trees whose boxes are brought to a frame, traversed there.

use std::sync::Arc;

use kinetree::baked::{BakeFormat, BakedClip, BakedTree};
use kinetree::bvh::{Builder, Hierarchy, Topology};
use kinetree::interval::IntervalBoxes;
use kinetree::math::Aabb;
use kinetree::time::{Moment, Span};

use crate::contender::{Contender, Tester};
use crate::scene::{Actor, Frame, Scene};

/// Triangles in a leaf: boxes alone are cheapest with sixteen, pairs with eight.
const LEAF: usize = 16;

/// Trees whose boxes are brought to a frame, traversed there.
pub struct Trees<T> {
    moving: Vec<T>,
    tester: Tester,
    pairs: Vec<(u32, u32)>,
    boxes: [Vec<Option<Aabb>>; 2],
    near: [Vec<(u32, Aabb)>; 2],
}

/// A tree that can be brought to a time.
pub trait Moving {
    /// The tree as a hierarchy at the frame.
    type Live<'a>: Hierarchy
    where
        Self: 'a;

    fn new(actor: &Actor, scene: &Scene, frames: usize) -> Self;
    fn key(&mut self, actor: &Actor, scene: &Scene, interval: usize);
    fn go_to(&mut self, time: f64);
    fn kinetic_view<'a>(&'a self, actor: &'a Actor, time: f64) -> Self::Live<'a>;
    fn bytes(&self) -> usize;
    const NEEDS_EVERY_FRAME: bool;
}

/// A hierarchy that is lent.
pub struct Borrowed<'a, H>(&'a H);

impl<H: Hierarchy> Hierarchy for Borrowed<'_, H> {
    fn topology(&self) -> &Topology {
        self.0.topology()
    }

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        self.0.node_box(node, at)
    }
}

/// The box of a triangle, as evaluated.
fn around([p, q, r]: [[f64; 3]; 3]) -> Aabb {
    Aabb {
        min: std::array::from_fn(|axis| p[axis].min(q[axis]).min(r[axis])),
        max: std::array::from_fn(|axis| p[axis].max(q[axis]).max(r[axis])),
    }
}

impl<T: Moving> Trees<T> {
    /// For so many frames per interval.
    pub fn new(scene: &Scene, frames: usize) -> Self {
        let moving: Vec<T> = scene.actors().map(|actor| T::new(actor, scene, frames)).collect();
        Self {
            moving,
            tester: Tester::new(scene),
            pairs: Vec::new(),
            boxes: Default::default(),
            near: Default::default(),
        }
    }
}

impl<T: Moving> Contender for Trees<T> {
    fn key(&mut self, scene: &Scene, interval: usize) {
        for (actor, tree) in scene.actors().zip(&mut self.moving) {
            tree.key(actor, scene, interval);
        }
    }

    fn update(&mut self, _: &Scene, frame: &Frame) {
        self.moving.iter_mut().for_each(|tree| tree.go_to(frame.time));
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        let second = self.moving.last().expect("a tree");
        let (a, b) =
            (self.moving[0].kinetic_view(&scene.a, frame.time), second.kinetic_view(scene.second(), frame.time));
        let (tree_a, tree_b) = (a.topology(), b.topology());
        let at = Moment::at(frame.time);
        self.tester.begin();
        let [boxes_a, boxes_b] = &mut self.boxes;
        let [near_a, near_b] = &mut self.near;
        for (boxes, tree) in [(&mut *boxes_a, tree_a), (&mut *boxes_b, tree_b)] {
            boxes.clear();
            boxes.resize(tree.nodes().len(), None);
        }
        let is_self = scene.b.is_none();
        self.pairs.clear();
        let mut stack = vec![(0, 0)];
        let size = |bounds: &Aabb| (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).sum::<f64>();
        while let Some((x, y)) = stack.pop() {
            let box_x = *boxes_a[x as usize].get_or_insert_with(|| a.node_box(x, at));
            let box_y = *boxes_b[y as usize].get_or_insert_with(|| b.node_box(y, at));
            if !box_x.overlaps(&box_y) {
                continue;
            }
            let (below_x, below_y) = (tree_a.node(x).children(), tree_b.node(y).children());
            if is_self && x == y {
                let [left, right] = *below_x else {
                    let leaf = tree_a.primitives(x);
                    let all =
                        leaf.iter().enumerate().flat_map(|(place, &p)| leaf[..place].iter().map(move |&q| (p, q)));
                    self.pairs.extend(all);
                    continue;
                };
                stack.extend([(left, left), (right, right), (left, right)]);
            } else if below_x.is_empty() && below_y.is_empty() {
                let (of_x, of_y) = (tree_a.primitives(x), tree_b.primitives(y));
                // Triangles whose own box meets the other leaf's.
                for (side, near, of, other) in [(0, &mut *near_a, of_x, &box_y), (1, &mut *near_b, of_y, &box_x)] {
                    near.clear();
                    for &triangle in of {
                        let bounds = around(self.tester.corners(scene, frame, side, triangle));
                        if bounds.overlaps(other) {
                            near.push((triangle, bounds));
                        }
                    }
                }
                for (p, box_p) in near_a.iter() {
                    let met = near_b.iter().filter(|(_, box_q)| box_p.overlaps(box_q));
                    self.pairs.extend(met.map(|&(q, _)| (*p, q)));
                }
            } else if below_y.is_empty() || (!below_x.is_empty() && size(&box_x) >= size(&box_y)) {
                stack.extend(below_x.iter().map(|&child| (child, y)));
            } else {
                stack.extend(below_y.iter().map(|&child| (x, child)));
            }
        }
        self.tester.test(scene, frame, self.pairs.iter().copied(), found);
    }

    fn needs_every_frame(&self) -> bool {
        T::NEEDS_EVERY_FRAME
    }

    fn bytes(&self) -> usize {
        self.moving.iter().map(Moving::bytes).sum::<usize>()
            + self.tester.bytes()
            + self.boxes.iter().map(|boxes| boxes.capacity() * size_of::<Option<Aabb>>()).sum::<usize>()
            + self.pairs.capacity() * 8
    }
}

impl Moving for IntervalBoxes {
    type Live<'a> = Borrowed<'a, Self>;

    const NEEDS_EVERY_FRAME: bool = false;

    fn new(actor: &Actor, scene: &Scene, _: usize) -> Self {
        IntervalBoxes::over(actor.topology(LEAF, Builder::default()), &actor.motion, scene.times[0]).expect("a time")
    }

    fn key(&mut self, actor: &Actor, scene: &Scene, interval: usize) {
        push_key(self, actor, scene, interval);
    }

    fn go_to(&mut self, _: f64) {}

    fn kinetic_view<'a>(&'a self, _: &'a Actor, _: f64) -> Self::Live<'a> {
        Borrowed(self)
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

/// The next key of a body.
pub fn push_key(boxes: &mut IntervalBoxes, actor: &Actor, scene: &Scene, interval: usize) {
    let (begin, end) = (scene.times[interval], scene.times[interval + 1]);
    boxes.follow(&actor.motion, Moment::after(begin), end).expect("linear motion");
}

/// A baked clip: the frames raced, or any time.
pub struct Replayed<const FRAMED: bool>(BakedTree, usize);

impl<const FRAMED: bool> Moving for Replayed<FRAMED> {
    type Live<'a> = kinetree::baked::clip::BakedTreeView<'a>;

    const NEEDS_EVERY_FRAME: bool = true;

    fn new(actor: &Actor, scene: &Scene, frames: usize) -> Self {
        let span = Span { begin: scene.times[0], end: scene.times[scene.intervals()] };
        let topology = actor.topology(LEAF, Builder::default());
        let clip = if FRAMED {
            let frame_times = (0..scene.intervals()).flat_map(|interval| scene.frames(interval, frames));
            let times: Vec<f64> = [span.begin].into_iter().chain(frame_times.map(|frame| frame.time)).collect();
            BakedClip::bake_at(topology.clone(), &actor.motion, &times, 0)
        } else {
            BakedClip::bake(topology.clone(), &actor.motion, span, BakeFormat::Stamped, 0)
        };
        let clip = clip.expect("no jump");
        let size = clip.size();
        Self(BakedTree::new(Arc::new(clip), topology, &actor.motion).expect("the same"), size)
    }

    fn key(&mut self, _: &Actor, _: &Scene, _: usize) {}

    fn go_to(&mut self, time: f64) {
        self.0.seek(time).expect("in the clip");
    }

    fn kinetic_view<'a>(&'a self, actor: &'a Actor, time: f64) -> Self::Live<'a> {
        self.0.view(&actor.motion, actor.motion.slack(Moment::at(time)))
    }

    fn bytes(&self) -> usize {
        self.0.bytes() + self.1
    }
}
