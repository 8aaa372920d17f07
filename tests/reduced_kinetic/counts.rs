//! What bounded bodies evaluate: no vertex far from everything, vertices of leaves that overlap others near something, and every bound
//! once in an epoch.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use kinetree::bvh::{BoundedSampler, KeyedBoxes, Topology};
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Sampler};
use kinetree::time::Side;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

use crate::bodies::{Model, bounded, bounded_definition};
use crate::common::handed_on::handed_on;

/// How often each vertex was evaluated, and each box made.
#[derive(Debug, Default)]
struct Counts {
    vertices: usize,
    boxes: BTreeMap<(usize, u32), usize>,
}

#[derive(Debug)]
struct Counting(Arc<dyn BoundedSampler>, Arc<Mutex<Counts>>);

#[derive(Debug)]
struct CountingBoxes(Box<dyn KeyedBoxes>, Arc<Mutex<Counts>>);

impl Sampler for Counting {
    handed_on!(0: vertex_count, rest_positions, times, jumps, outside, largest_coordinate, largest_speed);

    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        self.1.lock().unwrap().vertices += 1;
        self.0.position(key, side, vertex)
    }
}

impl BoundedSampler for Counting {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let boxes = self.0.clone().boxes_over(topology)?;
        Some(Box::new(CountingBoxes(boxes, self.1.clone())))
    }
}

impl KeyedBoxes for CountingBoxes {
    handed_on!(0: topology, bytes);

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        *self.1.lock().unwrap().boxes.entry((key, node)).or_default() += 1;
        self.0.key_box(key, side, node)
    }
}

/// A long body and a wall across x, in a world with events; what was evaluated, how many contacts were seen and epochs ended.
fn walk(wall: f32, mode: ContactMode) -> (Counts, usize, u64) {
    let (body, inner) = bounded(Model::Long, 2);
    let (begin, end) = (inner.times()[0], inner.times()[inner.times().len() - 1]);
    let counts: Arc<Mutex<Counts>> = Arc::default();
    let mut world = World::new(WorldDef::default().start(begin).contacts(mode).engine(Engine::Kinetic)).unwrap();
    let plan = Flightplan::fixed(vec![[wall, -9.0, -9.0], [wall, 9.0, -9.0], [wall, 0.0, 9.0]]);
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
    world.add_body(bounded_definition(&body, Arc::new(Counting(inner, counts.clone())))).unwrap();
    assert_eq!(world.stats().engines.kinetic_bounded, 1);
    let mut seen = 0;
    for step in 1..=50 {
        world.advance_to(begin + (end - begin) * f64::from(step) / 50.0).unwrap();
        seen += world.contacts().len();
    }
    let renewals = world.stats().renewals;
    let counts = std::mem::take(&mut *counts.lock().unwrap());
    (counts, seen, renewals)
}

#[test]
fn far_apart_no_vertex_is_evaluated_and_near_few_are() {
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        let (far, seen, renewals) = walk(40.0, mode);
        assert_eq!((far.vertices, seen), (0, 0), "{mode:?}");
        assert!(far.boxes.keys().all(|&(_, node)| node == 0), "{mode:?}: boxes below the root");
        let (near, seen, renewals_near) = walk(4.5, mode);
        assert!(renewals > 0 && renewals == renewals_near, "{renewals} epochs ended");
        let (_, inner) = bounded(Model::Long, 2);
        let stored = inner.vertex_count() * inner.times().len();
        assert!(seen > 0 && near.vertices > 0, "{mode:?}: {seen} contacts, {} vertices", near.vertices);
        assert!(near.vertices < stored / 3, "{mode:?}: {} vertices of {stored} at keys", near.vertices);
        // A key at which one epoch ends and the next begins is one of both.
        for (counts, name) in [(&far, "far"), (&near, "near")] {
            let most = counts.boxes.values().max().copied().unwrap_or(0);
            assert!(most <= 2, "{mode:?}, {name}: a box was made {most} times");
            let twice = counts.boxes.iter().filter(|(_, count)| **count == 2).map(|((key, _), _)| key);
            let keys: std::collections::BTreeSet<&usize> = twice.collect();
            assert!(keys.len() as u64 <= renewals, "{mode:?}, {name}: twice at keys {keys:?}");
        }
    }
}

/// A body of thousands of vertices, a wall across it and something small that goes along it, bounded and refitted: most of it is boxed,
/// and contacts are the same.
#[test]
fn of_thousands_of_vertices_few_are_evaluated() {
    let (body, inner) = bounded(Model::Large, 4);
    let (begin, end) = (inner.times()[0], inner.times()[inner.times().len() - 1]);
    let vertices = inner.vertex_count();
    assert!((3000..=5000).contains(&vertices) && inner.times().len() > 4, "{vertices} vertices");
    let triangle = |places: Vec<[f32; 3]>, times: Vec<f64>| {
        BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::keyframes(times, places))
    };
    let wall = [[7.5, -9.0, -9.0], [7.5, 9.0, -9.0], [7.5, 0.0, 9.0]];
    let small = |x: f32| [[x, -0.4, -0.3], [x, 0.4, -0.3], [x + 0.2, 0.0, 0.4]];
    let partners = [
        triangle([wall, wall].concat(), vec![begin, end]),
        triangle([small(10.0), small(22.0)].concat(), vec![begin, end]),
    ];
    let cases = [
        (Engine::Kinetic, ContactMode::AtTimes),
        (Engine::Kinetic, ContactMode::Continuous),
        (Engine::Auto, ContactMode::AtTimes),
        (Engine::Auto, ContactMode::Continuous),
    ];
    for (engine, mode) in cases {
        let counts: Arc<Mutex<Counts>> = Arc::default();
        let mut world = World::new(WorldDef::default().start(begin).contacts(mode).engine(engine)).unwrap();
        let mut refitted = World::new(WorldDef::default().start(begin).engine(Engine::Refit)).unwrap();
        let mut plain = bounded_definition(&body, inner.clone());
        plain.sampler = None;
        refitted.add_body(plain).unwrap();
        let counting = Arc::new(Counting(inner.clone(), counts.clone()));
        world.add_body(bounded_definition(&body, counting)).unwrap();
        for partner in &partners {
            world.add_body(partner.clone()).unwrap();
            refitted.add_body(partner.clone()).unwrap();
        }
        let engines = world.stats().engines;
        let on_demand = usize::from((engine, mode) == (Engine::Auto, ContactMode::AtTimes));
        assert_eq!((engines.on_demand, engines.kinetic_bounded), (on_demand, 1 - on_demand), "{engine:?}, {mode:?}");
        let (mut seen, steps) = (0, 30);
        for step in 1..=steps {
            let time = begin + (end - begin) * f64::from(step) / f64::from(steps);
            world.advance_to(time).unwrap();
            refitted.advance_to(time).unwrap();
            assert_eq!(world.contacts(), refitted.contacts(), "{engine:?}, {mode:?}, at {time} s");
            seen += world.contacts().len();
        }
        assert_eq!(world.stats().engines.on_demand_whole, 0, "{engine:?}, {mode:?}");
        let counts = std::mem::take(&mut *counts.lock().unwrap());
        let nodes: std::collections::BTreeSet<u32> = counts.boxes.keys().map(|&(_, node)| node).collect();
        let (stored, evaluated) = (vertices * inner.times().len(), counts.vertices);
        println!(
            "{engine:?}, {mode:?}: {seen} contacts, boxes of {} nodes, {evaluated} of {stored} vertices",
            nodes.len()
        );
        assert!(seen > 60 && nodes.len() > 30, "{engine:?}, {mode:?}: {seen} contacts, {} nodes", nodes.len());
        // With continuous contacts the search by intervals evaluates a near body whole at a key: this sampler rounds no positions.
        let is_few = mode == ContactMode::Continuous || evaluated < stored / 5;
        assert!(evaluated > 0 && is_few, "{engine:?}, {mode:?}: {evaluated} of {stored}");
    }
}
