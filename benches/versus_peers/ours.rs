//! The library's own ways through known motion.

use std::sync::Arc;

use kinetree::kds::{Builder, Hierarchy, Kinship, Topology};
use kinetree::math::Aabb;
use kinetree::narrow::intervals::MovingTriangle;
use kinetree::time::{Moment, Span};
use kinetree::timeline::{
    BakeFormat, BakedClip, BakedTree, Candidates, ContactEnds, KeyBoxes, PairContacts, PairWindows, PairedBoxes,
    WindowTree,
};
use kinetree::world::{BakedContacts, BodyDef, ContactMode, Engine, World, WorldDef};

use crate::contender::{Contender, Tester};
use crate::scene::{Actor, Frame, Scene};

/// Triangles in a leaf of trees whose boxes are read at every frame.
const LEAF: usize = 8;

/// Triangles in a leaf below which pairs are listed per interval.
const PAIR_LEAF: usize = 4;

/// Trees whose boxes are brought to a frame, traversed there.
pub struct Trees<T> {
    trees: Vec<T>,
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
    fn live<'a>(&'a self, actor: &'a Actor, time: f64) -> Self::Live<'a>;
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
        let trees: Vec<T> = scene.actors().map(|actor| T::new(actor, scene, frames)).collect();
        Self {
            trees,
            tester: Tester::new(scene),
            pairs: Vec::new(),
            boxes: Default::default(),
            near: Default::default(),
        }
    }
}

impl<T: Moving> Contender for Trees<T> {
    fn key(&mut self, scene: &Scene, interval: usize) {
        for (actor, tree) in scene.actors().zip(&mut self.trees) {
            tree.key(actor, scene, interval);
        }
    }

    fn update(&mut self, _: &Scene, frame: &Frame) {
        self.trees.iter_mut().for_each(|tree| tree.go_to(frame.time));
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        let second = self.trees.last().expect("a tree");
        let (a, b) = (self.trees[0].live(&scene.a, frame.time), second.live(scene.second(), frame.time));
        let (tree_a, tree_b) = (a.topology(), b.topology());
        let at = Moment::at(frame.time);
        self.tester.begin();
        let [boxes_a, boxes_b] = &mut self.boxes;
        let [near_a, near_b] = &mut self.near;
        for (boxes, tree) in [(&mut *boxes_a, tree_a), (&mut *boxes_b, tree_b)] {
            boxes.clear();
            boxes.resize(tree.nodes().len(), None);
        }
        let is_one = scene.b.is_none();
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
            if is_one && x == y {
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
        self.trees.iter().map(Moving::bytes).sum::<usize>()
            + self.tester.bytes()
            + self.boxes.iter().map(|boxes| boxes.capacity() * size_of::<Option<Aabb>>()).sum::<usize>()
            + self.pairs.capacity() * 8
    }
}

impl Moving for KeyBoxes {
    type Live<'a> = Borrowed<'a, Self>;

    const NEEDS_EVERY_FRAME: bool = false;

    fn new(actor: &Actor, scene: &Scene, _: usize) -> Self {
        KeyBoxes::new(actor.topology(LEAF, Builder::MedianSplit), scene.times[0], actor.key(0)).expect("a valid key")
    }

    fn key(&mut self, actor: &Actor, scene: &Scene, interval: usize) {
        push_key(self, actor, scene, interval);
    }

    fn go_to(&mut self, _: f64) {}

    fn live<'a>(&'a self, _: &'a Actor, _: f64) -> Self::Live<'a> {
        Borrowed(self)
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

fn push_key(boxes: &mut KeyBoxes, actor: &Actor, scene: &Scene, interval: usize) {
    let time = scene.times[interval + 1];
    if actor.is_fixed() {
        boxes.push_rest(time).expect("later");
    } else {
        boxes.push_key(time, actor.key(interval + 1)).expect("a valid key");
    }
}

impl Moving for WindowTree {
    type Live<'a> = Borrowed<'a, Self>;

    const NEEDS_EVERY_FRAME: bool = true;

    fn new(actor: &Actor, scene: &Scene, _: usize) -> Self {
        WindowTree::new(actor.topology(LEAF, Builder::MedianSplit), scene.times[0], actor.key(0)).expect("a valid key")
    }

    fn key(&mut self, actor: &Actor, scene: &Scene, interval: usize) {
        let time = scene.times[interval + 1];
        if actor.is_fixed() {
            self.push_rest(time).expect("later");
        } else {
            self.push_key(time, actor.key(interval + 1)).expect("a valid key");
        }
        self.forget_past();
    }

    fn go_to(&mut self, time: f64) {
        self.advance(time).expect("in the window");
    }

    fn live<'a>(&'a self, _: &'a Actor, _: f64) -> Self::Live<'a> {
        Borrowed(self)
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

/// A baked clip: the frames raced, or any time.
pub struct Replayed<const FRAMED: bool>(BakedTree, usize);

impl<const FRAMED: bool> Moving for Replayed<FRAMED> {
    type Live<'a> = kinetree::timeline::bake::BakedLive<'a>;

    const NEEDS_EVERY_FRAME: bool = true;

    fn new(actor: &Actor, scene: &Scene, frames: usize) -> Self {
        let span = Span { begin: scene.times[0], end: scene.times[scene.intervals()] };
        let topology = actor.topology(LEAF, Builder::MedianSplit);
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

    fn live<'a>(&'a self, actor: &'a Actor, time: f64) -> Self::Live<'a> {
        self.0.live(&actor.motion, actor.motion.slack(Moment::at(time)))
    }

    fn bytes(&self) -> usize {
        self.0.bytes() + self.1
    }
}

/// Pairs of leaves and candidates once per interval; candidates are tested at frames, or decided once and read.
pub struct Pairs {
    boxes: Vec<KeyBoxes>,
    kinship: Option<Kinship>,
    windows: PairWindows,
    candidates: Candidates,
    /// `None`: candidates are tested at every frame.
    contacts: Option<PairContacts>,
    tester: Tester,
}

impl Pairs {
    pub fn new(scene: &Scene, by_intervals: bool) -> Self {
        let boxes = |actor: &Actor| {
            KeyBoxes::new(actor.topology(PAIR_LEAF, Builder::MedianSplit), scene.times[0], actor.key(0)).expect("a key")
        };
        let boxes: Vec<KeyBoxes> = scene.actors().map(boxes).collect();
        let kinship = scene.seams.as_ref().map(|seams| {
            let topology = scene.a.topology(PAIR_LEAF, Builder::MedianSplit);
            Kinship::new(&topology, &scene.a.mesh, seams, true)
        });
        let candidates = match &scene.b {
            Some(b) => Candidates::between((&boxes[0], &scene.a.mesh), (&boxes[1], &b.mesh)),
            None => Candidates::within(&boxes[0], &scene.a.mesh, scene.seams.as_ref()),
        };
        Self {
            boxes,
            kinship,
            windows: PairWindows::new(0.0).expect("a distance"),
            candidates,
            contacts: by_intervals.then(|| PairContacts::new(ContactEnds::Bracketed)),
            tester: Tester::new(scene),
        }
    }
}

fn moving<'a>(scene: &'a Scene, interval: usize) -> impl Fn(usize, u32) -> MovingTriangle + use<'a> {
    let actors = [&scene.a, scene.second()];
    move |side, triangle| {
        let corners = actors[side].mesh.triangles()[triangle as usize];
        let place = |key: usize| corners.map(|vertex| actors[side].key(key)[vertex as usize].map(f64::from));
        MovingTriangle { begin: place(interval), end: place(interval + 1) }
    }
}

impl Contender for Pairs {
    fn key(&mut self, scene: &Scene, interval: usize) {
        for (actor, boxes) in scene.actors().zip(&mut self.boxes) {
            push_key(boxes, actor, scene, interval);
        }
    }

    fn prepare(&mut self, scene: &Scene, interval: usize) {
        let partners = match &self.kinship {
            Some(kinship) => PairedBoxes::within(&self.boxes[0], kinship),
            None => PairedBoxes::between(&self.boxes[0], &self.boxes[1]),
        };
        let rule = scene.rule();
        self.windows.begin(&partners).expect("a common time");
        self.windows.prepare(&partners, usize::MAX);
        self.candidates.begin(&self.windows, &partners).expect("prepared");
        let wants = |p: u32, q: u32| kinetree::narrow::ContactRule::wants(&rule, p, q);
        self.candidates.prepare(&self.windows, &partners, wants, usize::MAX);
        if let Some(contacts) = &mut self.contacts {
            contacts.decide(&self.windows, &self.candidates, moving(scene, interval));
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        match &self.contacts {
            Some(contacts) => contacts
                .touching(&self.windows, frame.time, moving(scene, frame.interval), |p, q| found.push((p, q)))
                .expect("inside"),
            None => self.tester.test(scene, frame, self.candidates.pairs().iter().copied(), found),
        }
    }

    fn bytes(&self) -> usize {
        self.boxes.iter().map(KeyBoxes::bytes).sum::<usize>()
            + self.windows.bytes()
            + self.candidates.bytes()
            + self.contacts.as_ref().map_or(self.tester.bytes(), PairContacts::bytes)
    }
}

/// A whole world, contacts at the frames looked at, its engine its own choice.
pub struct Whole {
    world: World,
}

fn world(scene: &Scene, engine: Engine, contacts: ContactMode) -> World {
    let def = WorldDef { start: scene.times[0], engine, contacts, ..WorldDef::default() };
    let mut world = World::new(def).expect("a usable time");
    for actor in scene.actors() {
        let body = BodyDef::new(actor.mesh.clone(), actor.plan.clone()).self_contact(scene.b.is_none());
        world.add_body(body).expect("the scene is valid");
    }
    world
}

impl Whole {
    pub fn new(scene: &Scene) -> Self {
        Self { world: world(scene, Engine::Auto, ContactMode::AtTimes) }
    }
}

impl Contender for Whole {
    fn update(&mut self, _: &Scene, frame: &Frame) {
        self.world.advance_to(frame.time).expect("later");
    }

    fn query(&mut self, _: &Scene, _: &Frame, found: &mut Vec<(u32, u32)>) {
        found.extend(self.world.contacts().iter().map(|contact| (contact.triangle_a, contact.triangle_b)));
    }

    fn needs_every_frame(&self) -> bool {
        true
    }

    fn bytes(&self) -> usize {
        self.world.stats().bytes
    }
}

/// Contacts that were baked: a frame reads them.
pub struct Looked {
    baked: BakedContacts,
    world: World,
}

impl Looked {
    pub fn new(scene: &Scene) -> Self {
        let mut running = world(scene, Engine::Live, ContactMode::Continuous);
        let baked = BakedContacts::record(&mut running, scene.times[scene.intervals()]).expect("a run");
        drop(running);
        Self { baked, world: world(scene, Engine::Grid, ContactMode::AtTimes) }
    }
}

impl Contender for Looked {
    fn query(&mut self, _: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        let contacts = self.baked.contacts_at(frame.time, &self.world).expect("in the clip");
        found.extend(contacts.iter().map(|contact| (contact.triangle_a, contact.triangle_b)));
    }

    fn bytes(&self) -> usize {
        self.baked.size()
    }
}
