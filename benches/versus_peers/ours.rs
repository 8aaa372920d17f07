//! The library's own ways from interval to interval: pairs, worlds, baked contacts.

use kinetree::bvh::{Builder, SharedVertices};
use kinetree::interval::{Candidates, IntervalBoxes, IntervalPairs, PairedBoxes};
use kinetree::narrow::ContactRule;
use kinetree::narrow::intervals::MovingTriangle;
use kinetree::refit::{RefitFront, RefitTree};
use kinetree::time::Moment;
use kinetree::world::{BakedContacts, BodyDef, ContactMode, Engine, World, WorldDef};

use crate::common::pair_contacts::PairContacts;
use crate::contender::{Contender, Tester};
use crate::scene::{Actor, Frame, Scene};
use crate::trees::push_key;

/// Triangles in a leaf below which pairs are listed per interval.
const PAIR_LEAF: usize = 8;

/// Pairs of leaves and candidates once per interval; candidates are tested at frames, or decided
/// once and read.
pub struct Pairs {
    boxes: Vec<IntervalBoxes>,
    shared_vertices: Option<SharedVertices>,
    interval: IntervalPairs,
    candidates: Candidates,
    /// `None`: candidates are tested at every frame.
    contacts: Option<PairContacts>,
    tester: Tester,
}

impl Pairs {
    pub fn new(scene: &Scene, by_intervals: bool) -> Self {
        let boxes = |actor: &Actor| {
            IntervalBoxes::over(actor.topology(PAIR_LEAF, Builder::default()), &actor.motion, scene.times[0])
                .expect("a time")
        };
        let boxes: Vec<IntervalBoxes> = scene.actors().map(boxes).collect();
        let shared_vertices = scene.seams.as_ref().map(|seams| {
            let topology = scene.a.topology(PAIR_LEAF, Builder::default());
            SharedVertices::new(&topology, &scene.a.mesh, seams, true)
        });
        let candidates = match &scene.b {
            Some(_) => Candidates::between(&boxes[0], &boxes[1]),
            None => Candidates::within(&boxes[0]),
        };
        Self {
            boxes,
            shared_vertices,
            interval: IntervalPairs::new(0.0).expect("a distance"),
            candidates,
            contacts: by_intervals.then(PairContacts::default),
            tester: Tester::new(scene),
        }
    }
}

fn moving(scene: &Scene, interval: usize) -> impl Fn(usize, u32) -> MovingTriangle + use<'_> {
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
        let partners = match &self.shared_vertices {
            Some(shared_vertices) => PairedBoxes::within(&self.boxes[0], shared_vertices),
            None => PairedBoxes::between(&self.boxes[0], &self.boxes[1]),
        };
        let rule = scene.rule();
        self.interval.begin(&partners).expect("a common time");
        self.interval.prepare(&partners, usize::MAX);
        self.candidates.begin(&self.interval, &partners).expect("prepared");
        let wants = |p: u32, q: u32| rule.wants(p, q);
        self.candidates.prepare(&self.interval, &partners, scene.paired_bodies(), wants, &mut usize::MAX.clone());
        if let Some(contacts) = &mut self.contacts {
            contacts.decide(&self.candidates, moving(scene, interval));
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        match &self.contacts {
            Some(contacts) => {
                let moving = moving(scene, frame.interval);
                contacts.touching(&self.interval, frame.time, moving, |p, q| found.push((p, q)));
            }
            None => self.tester.test(scene, frame, self.candidates.pairs(), found),
        }
    }

    fn bytes(&self) -> usize {
        self.boxes.iter().map(IntervalBoxes::bytes).sum::<usize>()
            + self.interval.bytes()
            + self.candidates.bytes()
            + self.contacts.as_ref().map_or(self.tester.bytes(), PairContacts::bytes)
    }
}

/// Refitted trees, as worlds have them, and the front of their last traversal.
pub struct Fronts {
    trees: Vec<RefitTree>,
    front: RefitFront,
    tester: Tester,
    pairs: Vec<(u32, u32)>,
}

impl Fronts {
    pub fn new(scene: &Scene) -> Self {
        let tree =
            |actor: &Actor| RefitTree::new(actor.topology(PAIR_LEAF, Builder::default()), &actor.mesh, &actor.start());
        let trees: Vec<RefitTree> = scene.actors().map(tree).collect();
        let front = match &scene.seams {
            Some(seams) => RefitFront::within(&trees[0], &scene.a.mesh, seams),
            None => RefitFront::between(&trees[0], &trees[1]),
        };
        Self { trees, front: front.expect("leaves of eight"), tester: Tester::new(scene), pairs: Vec::new() }
    }
}

impl Contender for Fronts {
    fn update(&mut self, scene: &Scene, frame: &Frame) {
        let at = Moment::at(frame.time);
        for (actor, tree) in scene.actors().zip(&mut self.trees).filter(|(actor, _)| !actor.is_fixed()) {
            tree.refit_with(|vertices, points| actor.motion.rounded_positions(at, vertices, points));
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        let Self { trees, front, tester, pairs } = self;
        pairs.clear();
        front.look(&trees[0], trees.last().expect("a tree"), 0.0, |p, q| pairs.push((p, q)));
        tester.begin();
        let rule = scene.rule();
        for &(p, q) in &*pairs {
            let (a, b) = (tester.corners(scene, frame, 0, p), tester.corners(scene, frame, 1, q));
            if rule.touch((p, &a), (q, &b)) {
                found.push((p, q));
            }
        }
    }

    fn bytes(&self) -> usize {
        self.trees.iter().map(RefitTree::bytes).sum::<usize>()
            + self.front.bytes()
            + self.tester.bytes()
            + self.pairs.capacity() * 8
    }
}

/// A whole world, contacts at the frames looked at, its engine its own choice.
pub struct Whole {
    world: World,
}

fn world(scene: &Scene, engine: Engine, contacts: ContactMode) -> World {
    let def = WorldDef::default().start(scene.times[0]).engine(engine).contacts(contacts);
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
        let mut running = world(scene, Engine::Kinetic, ContactMode::Continuous);
        let baked = BakedContacts::record(&mut running, scene.times[scene.intervals()]).expect("a run");
        drop(running);
        Self { baked, world: world(scene, Engine::Refit, ContactMode::AtTimes) }
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
