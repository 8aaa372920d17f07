//! What the laws are tested on: scenes, worlds, and kinetic structures driven by themselves.

use kinetree::bvh::{BuildParams, Hierarchy, Topology};
use kinetree::kinetic::event::{EventLog, EventQueue};
use kinetree::kinetic::{
    EventContext, KineticTree, KineticTreeView, SeparationList, SlotChange, TreeContext, TreeKind,
};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion};
use kinetree::scenes::{ExpandingSpheresDef, Garment, GeneratedBody, GeneratedScene, TableclothDef, WalkDef};
use kinetree::stats::TreeStats;
use kinetree::time::Moment;
use kinetree::world::{BodyDef, Engine, World, WorldDef};

pub(crate) const KINDS: [TreeKind; 2] = [TreeKind::Aabb, TreeKind::Box];

/// The paper's leaves: one polygon each.
pub(crate) const SINGLE: BuildParams =
    BuildParams { builder: kinetree::bvh::Builder::MedianSplit, leaf_size: 1, width: kinetree::bvh::Width::Two };

pub(crate) fn dress(triangles: usize, keys: usize) -> GeneratedScene {
    WalkDef { triangles, keys, garment: Garment::Dress, ..WalkDef::default() }.generate()
}

pub(crate) fn shirt(triangles: usize, keys: usize) -> GeneratedScene {
    WalkDef { triangles, keys, garment: Garment::Shirt, ..WalkDef::default() }.generate()
}

pub(crate) fn tablecloth(triangles: usize, keys: usize) -> GeneratedScene {
    TableclothDef { triangles, keys, ..TableclothDef::default() }.generate()
}

pub(crate) fn spheres(triangles: usize) -> GeneratedScene {
    ExpandingSpheresDef { triangles, ..ExpandingSpheresDef::default() }.generate()
}

/// The paper's scenes of cloth, small, with the time at which each is over.
pub(crate) fn paper_scenes() -> [(GeneratedScene, f64); 3] {
    [(tablecloth(2_000, 24), 23.0 / 30.0), (shirt(6_000, 6), 5.0 / 30.0), (dress(6_000, 6), 5.0 / 30.0)]
}

pub(crate) fn plan_of(body: &GeneratedBody) -> (Mesh, Flightplan) {
    let mesh = Mesh::new(body.start_positions().len(), body.triangles().to_vec()).unwrap();
    let plan = match body {
        GeneratedBody::Fixed(mesh) => Flightplan::fixed(mesh.positions.clone()),
        GeneratedBody::Keyed(clip) => {
            Flightplan::keyframes(clip.times.clone(), clip.positions.as_chunks::<3>().0.to_vec())
        }
        GeneratedBody::Moving(body) => Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
    };
    (mesh, plan)
}

/// A kinetic world of a scene.
pub(crate) fn world(scene: &GeneratedScene, tree: TreeKind, build: BuildParams) -> World {
    let mut world = World::new(WorldDef::default().engine(Engine::Kinetic)).unwrap();
    for body in &scene.bodies {
        let (mesh, plan) = plan_of(body);
        world.add_body(BodyDef::new(mesh, plan).named(body.name()).tree(tree).build(build)).unwrap();
    }
    world
}

/// One body's tree, by itself.
pub(crate) struct Alone {
    pub(crate) motion: Motion,
    pub(crate) tree: KineticTree,
    pub(crate) queue: EventQueue,
    pub(crate) log: EventLog,
    pub(crate) until: f64,
}

impl Alone {
    pub(crate) fn new((mesh, plan): (Mesh, Flightplan), kind: TreeKind, build: BuildParams) -> Self {
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::VertexMajor).unwrap();
        let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
        let now = Moment::at(0.0);
        let mut positions = Vec::new();
        motion.positions(now, &mut positions);
        let until = motion.epoch_end(now).time();
        let topology = Topology::build(&mesh, &positions, build);
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let tree =
            KineticTree::new(kind, topology, 0, &mut TreeContext::new(&motion, until, &mut clock, &mut Vec::new()));
        Self { motion, tree, queue, log, until }
    }

    pub(crate) fn advance_to(&mut self, time: f64) {
        let mut changes: Vec<SlotChange> = Vec::new();
        while let Some(event) = self.queue.pop_until(Moment::at(time)) {
            changes.clear();
            let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now: event.moment };
            self.tree.process(event, &mut TreeContext::new(&self.motion, self.until, &mut clock, &mut changes));
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.tree.topology().nodes().len()
    }

    pub(crate) fn stats(&self) -> TreeStats {
        self.tree.stats()
    }
}

/// Two bodies, their trees, and the list.
pub(crate) struct Couple {
    pub(crate) motions: [Motion; 2],
    pub(crate) trees: [KineticTree; 2],
    pub(crate) list: SeparationList,
    pub(crate) queue: EventQueue,
    pub(crate) log: EventLog,
    pub(crate) until: [f64; 2],
    pub(crate) slacks: [f64; 2],
}

impl Couple {
    pub(crate) fn new(bodies: [(Mesh, Flightplan); 2], kind: TreeKind, build: BuildParams) -> Self {
        let now = Moment::at(0.0);
        let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let mut made = bodies.into_iter().enumerate().map(|(owner, (mesh, plan))| {
            let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::VertexMajor).unwrap();
            let mut positions = Vec::new();
            motion.positions(now, &mut positions);
            let topology = Topology::build(&mesh, &positions, build);
            let until = motion.epoch_end(now).time();
            let tree = KineticTree::new(
                kind,
                topology,
                owner as u32,
                &mut TreeContext::new(&motion, until, &mut clock, &mut Vec::new()),
            );
            (motion, tree)
        });
        let ((motion_a, tree_a), (motion_b, tree_b)) = (made.next().unwrap(), made.next().unwrap());
        drop(made);
        let motions = [motion_a, motion_b];
        let trees = [tree_a, tree_b];
        let until = motions.each_ref().map(|motion| motion.epoch_end(now).time());
        let slacks = motions.each_ref().map(|motion| motion.slack(now));
        let [a, b] = [0, 1].map(|side: usize| trees[side].kinetic_view(&motions[side], slacks[side], until[side], now));
        let list = SeparationList::new((&a, &b), 0, &mut clock);
        Self { motions, trees, list, queue, log, until, slacks }
    }

    pub(crate) fn advance_to(&mut self, time: f64) {
        let mut changes: Vec<SlotChange> = Vec::new();
        while let Some(event) = self.queue.pop_until(Moment::at(time)) {
            let now = event.moment;
            let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now };
            changes.clear();
            let side = event.owner as usize;
            if event.kind.is_of_tree() {
                let (motion, until) = (&self.motions[side], self.until[side]);
                self.trees[side].process(event, &mut TreeContext::new(motion, until, &mut clock, &mut changes));
            }
            let [a, b]: [KineticTreeView<'_>; 2] = [0, 1].map(|side: usize| {
                self.trees[side].kinetic_view(&self.motions[side], self.slacks[side], self.until[side], now)
            });
            if !event.kind.is_of_tree() {
                self.list.process(event, (&a, &b), &mut clock);
            }
            for &change in &changes {
                self.list.bound_changed(side, change, (&a, &b), &mut clock);
            }
        }
    }

    pub(crate) fn leaves(&self, side: usize) -> usize {
        self.trees[side].topology().nodes().len().div_ceil(2)
    }

    /// Audits the list at a time between events.
    pub(crate) fn audit(&self, time: f64) {
        let at = Moment::at(time);
        let boxes = [0, 1].map(|side: usize| {
            let kinetic = self.trees[side].kinetic_view(&self.motions[side], self.slacks[side], self.until[side], at);
            (0..kinetic.topology().nodes().len() as u32).map(|node| kinetic.node_box(node, at)).collect::<Vec<_>>()
        });
        let topologies = [self.trees[0].topology(), self.trees[1].topology()];
        let report = self.list.audit((topologies[0], &boxes[0]), (topologies[1], &boxes[1]), 1e-9, &self.queue);
        assert!(report.is_clean(), "{report:?}");
    }
}
