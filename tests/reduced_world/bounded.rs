//! Bodies bounded from their parameters in worlds: contacts are those of brute force, bit for bit,
//! with partners of every kind; far apart no vertex is evaluated; where most of a body is near
//! something it changes its way, and back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kinetree::BodyId;
use kinetree::bvh::{BoundedSampler, KeyedBoxes, Topology};
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, Sampler, VertexFlightplan};
use kinetree::reduced::{ReducedBody, ReducedMesh};
use kinetree::time::{Side, Span};
use kinetree::world::{BodyDef, ContactMode, Engine, NewVertex, World, WorldDef};

use crate::common::dice::{Dice, Grain};
use crate::common::handed_on::handed_on;
use crate::common::scene::{Style, random_body};
use crate::reduced_skins::{Flavour, rounds, scene};
use crate::reduced_support::{Spinner, Weights, body, random_mesh};
use crate::{FLAVOURS, pieces};

/// The same bodies in a world that may bound them, and under brute force.
struct Both {
    auto: World,
    brute: World,
    seen: usize,
}

impl Both {
    fn new(start: f64) -> Self {
        let world = |engine| World::new(WorldDef::default().start(start).engine(engine)).unwrap();
        Self { auto: world(Engine::Auto), brute: world(Engine::BruteForce), seen: 0 }
    }

    fn add(&mut self, def: &BodyDef) -> BodyId {
        let id = self.auto.add_body(def.clone()).unwrap();
        assert_eq!(self.brute.add_body(def.clone()).unwrap(), id);
        self.compare("after a body came");
        id
    }

    fn change(&mut self, mut act: impl FnMut(&mut World)) {
        act(&mut self.auto);
        act(&mut self.brute);
        self.compare("after a change");
    }

    fn at(&mut self, time: f64) {
        self.auto.advance_to(time).unwrap();
        self.brute.advance_to(time).unwrap();
        self.compare("after an advance");
    }

    fn compare(&mut self, what: &str) {
        let time = self.auto.time();
        assert_eq!(self.auto.contacts(), self.brute.contacts(), "{what}, at {time}");
        assert_eq!(self.auto.contact_changes(), self.brute.contact_changes(), "{what}, at {time}");
        let audit = self.auto.audit();
        assert!(audit.is_clean() && audit.checks > 0, "{what}, at {time}: {audit}");
        self.seen += self.auto.contacts().len();
    }

    fn ask(&self, dice: &mut Dice) {
        let corner: [f64; 3] = std::array::from_fn(|_| dice.real(-3.0, 3.0));
        let bounds = Aabb { min: corner, max: corner.map(|x| x + dice.real(0.0, 2.0)) };
        assert_eq!(self.auto.query_box(&bounds).0, self.brute.query_box(&bounds).0);
        let direction = std::array::from_fn(|_| dice.real(-1.0, 1.0));
        let (ours, theirs) = (self.auto.cast_ray(corner, direction, 9.0), self.brute.cast_ray(corner, direction, 9.0));
        assert_eq!(ours.0, theirs.0);
    }

    fn bounded(&self) -> usize {
        self.auto.stats().engines.on_demand
    }
}

fn definition(body: &ReducedBody, pieces: kinetree::reduced::Pieces) -> BodyDef {
    BodyDef::bounded(body.mesh().mesh().clone(), body.sampler(pieces).unwrap())
}

#[test]
fn contacts_are_those_of_brute_force_with_partners_of_every_kind() {
    let mut seen = 0;
    for (kind, flavour) in FLAVOURS.into_iter().enumerate() {
        for seed in 0..rounds(6) {
            let mut dice = Dice::new(seed, &[7, kind as u64]);
            let mut worlds = Both::new(-1.0);
            for body in 0..2 + seed % 2 {
                let scene = scene(100 + 3 * seed + body, flavour);
                let thickness = if dice.percent(30) { 0.05 } else { 0.0 };
                let def = definition(&scene.body, pieces(&scene, flavour));
                worlds.add(&def.self_contact(dice.percent(40)).thickness(thickness).named("skin"));
            }
            let bodies = worlds.bounded();
            assert_eq!(bodies, 2 + seed as usize % 2);
            // Keyframes by a window, a velocity field, which is kinetic, a sampled plan that is
            // refitted, something that rests.
            let style = Style { grain: Grain::Real, long: false, triangles: 6, keys: 4, curved: 0 };
            let window = Span { begin: 0.0, end: 4.0 };
            worlds.add(&random_body(&mut Dice::new(seed, &[8]), style, window, 0).definition("any other"));
            let other = scene(900 + seed, Flavour::Turns);
            let plan = other.body.flightplan(pieces(&other, Flavour::Turns)).unwrap();
            worlds.add(&BodyDef::new(other.body.mesh().mesh().clone(), plan).engine(Engine::Auto));
            let floor = vec![[-2.0, -2.0, 0.0], [2.0, -2.0, 0.1], [0.0, 3.0, 0.0]];
            let triangle = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
            worlds.add(&BodyDef::new(triangle.clone(), Flightplan::fixed(floor.clone())));
            let drift = vec![[0.1, 0.0, -0.2]; 3];
            worlds.add(&BodyDef::new(triangle, Flightplan::velocities(-1.0, floor, drift)));
            let mut time = -0.9;
            for _ in 0..25 {
                worlds.at(time);
                worlds.ask(&mut dice);
                time += dice.pick(&[0.01, 0.1, 0.4]);
            }
            assert_eq!(worlds.bounded(), bodies);
            seen += worlds.seen;
        }
    }
    assert!(seen > 2000, "{seen} contacts");
}

#[test]
fn weights_of_every_kind_jumps_and_loops() {
    let (mut seen, mut bounded) = (0, 0);
    let kinds = [Weights::Single, Weights::Smooth, Weights::Random(4), Weights::Random(12), Weights::Signed];
    for seed in 0..rounds(25) {
        let mut dice = Dice::new(seed, &[9]);
        let mut worlds = Both::new(-3.0);
        for _ in 0..2 {
            let (maps, morphs) = (1 + dice.below(8), dice.below(3));
            let vertices = 3 + dice.below(120);
            let weights = dice.pick(&kinds);
            let mesh = random_mesh(&mut dice, vertices, maps, morphs, weights);
            let stretches = 1 + dice.below(3);
            let mut driver = Spinner::random(&mut dice, maps, morphs, stretches, 0.7);
            driver.outside = dice.pick(&[Outside::Hold, Outside::Loop]);
            let body = body(&mesh, driver);
            let rate = dice.pick(&[1.0, 8.0]);
            worlds.add(&definition(&body, body.pieces_at_rate(rate).unwrap()));
        }
        bounded += worlds.bounded();
        let mut time = -3.0;
        for _ in 0..25 {
            time += dice.pick(&[0.02, 0.2, 0.7]);
            worlds.at(time);
        }
        seen += worlds.seen;
    }
    assert!(seen > 2000 && bounded == 2 * rounds(25) as usize, "{seen} contacts, {bounded} bodies");
}

/// A sampler that counts how often a vertex was asked for, and a box.
#[derive(Debug)]
struct Counting {
    inner: Arc<dyn BoundedSampler>,
    positions: Arc<AtomicUsize>,
    boxes: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct CountingBoxes(Box<dyn KeyedBoxes>, Arc<AtomicUsize>);

impl Sampler for Counting {
    handed_on!(inner: vertex_count, rest_positions, times, jumps, outside, largest_coordinate, largest_speed);

    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        self.positions.fetch_add(1, Ordering::Relaxed);
        self.inner.position(key, side, vertex)
    }
}

impl BoundedSampler for Counting {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let boxes = self.inner.clone().boxes_over(topology)?;
        Some(Box::new(CountingBoxes(boxes, self.boxes.clone())))
    }
}

impl KeyedBoxes for CountingBoxes {
    handed_on!(0: topology, bytes);

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.key_box(key, side, node)
    }
}

/// A strip of 600 vertices along x that swings a little, and what counts its evaluations.
fn long_strip(seed: u64) -> (ReducedBody, Arc<Counting>) {
    let mut dice = Dice::new(seed, &[10]);
    let mesh: Arc<ReducedMesh> = random_mesh(&mut dice, 600, 12, 0, Weights::Smooth);
    let mut driver = Spinner::of(&mut dice, 12, 0, 1, 0.05, true);
    // No half turns: the strip stays long.
    driver.turns.iter_mut().flatten().for_each(|turn| turn.phase = 0.0);
    let body = body(&mesh, driver);
    let inner = body.sampler(body.pieces_at_rate(4.0).unwrap()).unwrap();
    let counting = Counting { inner, positions: Arc::default(), boxes: Arc::default() };
    (body, Arc::new(counting))
}

/// A wall of one triangle, across x = `x`.
fn wall(x: f32) -> BodyDef {
    let plan = Flightplan::fixed(vec![[x, -9.0, -9.0], [x, 9.0, -9.0], [x, 0.0, 9.0]]);
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
}

#[test]
fn what_is_far_from_everything_is_not_evaluated() {
    let (body, counting) = long_strip(1);
    let span = body.driver().span();
    let mut worlds = Both::new(span.begin);
    worlds.add(&BodyDef::bounded(body.mesh().mesh().clone(), counting.clone()));
    worlds.auto.add_body(wall(40.0)).unwrap();
    worlds.brute.add_body(wall(40.0)).unwrap();
    // The oracle is not counted.
    let mut lonely = World::new(WorldDef::default().start(span.begin)).unwrap();
    lonely.add_body(BodyDef::bounded(body.mesh().mesh().clone(), counting.clone())).unwrap();
    lonely.add_body(wall(40.0)).unwrap();
    counting.positions.store(0, Ordering::Relaxed);
    counting.boxes.store(0, Ordering::Relaxed);
    let steps = 50;
    for step in 1..=steps {
        lonely.advance_to(span.begin + (span.end - span.begin) * f64::from(step) / f64::from(steps)).unwrap();
    }
    let (positions, boxes) = (counting.positions.load(Ordering::Relaxed), counting.boxes.load(Ordering::Relaxed));
    assert_eq!(positions, 0, "vertices were evaluated");
    assert!(boxes > 0 && boxes <= 3 * body.pieces_at_rate(4.0).unwrap().times().len(), "{boxes} boxes");
    worlds.at(span.end);
}

#[test]
fn near_a_wall_little_is_evaluated() {
    let (body, counting) = long_strip(2);
    let span = body.driver().span();
    let mut world = World::new(WorldDef::default().start(span.begin)).unwrap();
    let mut brute = World::new(WorldDef::default().start(span.begin).engine(Engine::BruteForce)).unwrap();
    let def = BodyDef::bounded(body.mesh().mesh().clone(), counting.clone());
    let plain = definition(&body, body.pieces_at_rate(4.0).unwrap());
    for (world, def) in [(&mut world, def), (&mut brute, plain)] {
        world.add_body(def).unwrap();
        world.add_body(wall(5.5)).unwrap();
    }
    counting.positions.store(0, Ordering::Relaxed);
    let (mut seen, steps) = (0, 20);
    for step in 1..=steps {
        let time = span.begin + (span.end - span.begin) * f64::from(step) / f64::from(steps);
        world.advance_to(time).unwrap();
        brute.advance_to(time).unwrap();
        assert_eq!(world.contacts(), brute.contacts(), "at {time}");
        seen += world.contacts().len();
    }
    let positions = counting.positions.load(Ordering::Relaxed);
    // Everything would be 600 vertices at two keys, twenty times.
    assert!(seen > 0 && positions > 0 && positions < 600 * 2 * 20 / 4, "{seen} contacts, {positions} evaluations");
}

#[test]
fn a_body_that_is_near_something_everywhere_is_evaluated_whole_and_later_not() {
    let (body, counting) = long_strip(3);
    let span = body.driver().span();
    let mut worlds = Both::new(span.begin);
    worlds.add(&BodyDef::bounded(body.mesh().mesh().clone(), counting.clone()));
    // A plate along the strip, which leaves sideways.
    let plate = [[-2.0f32, 0.0, -2.0], [14.0, 0.0, -2.0], [6.0, 0.0, 5.0]];
    let away = plate.iter().map(|p| [p[0], p[1] + 50.0, p[2]]);
    let middle = 0.5 * (span.begin + span.end);
    let positions: Vec<[f32; 3]> = plate.iter().copied().chain(plate.iter().copied()).chain(away).collect();
    let times = vec![span.begin, middle, middle + 0.01];
    worlds.add(&BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::keyframes(times, positions)));
    let at = |part: f64| span.begin + (span.end - span.begin) * part;
    for part in 1..10 {
        worlds.at(at(0.05 * f64::from(part)));
    }
    assert!(worlds.seen > 100, "{} contacts", worlds.seen);
    for part in 11..20 {
        worlds.at(at(0.05 * f64::from(part)));
    }
    assert!(worlds.auto.contacts().is_empty());
    assert_eq!(worlds.bounded(), 1);
}

#[test]
fn other_plans_and_edits_end_the_bounds() {
    let mut seen = 0;
    for change in 0..4 {
        let scene = scene(700, Flavour::Turns);
        let mut worlds = Both::new(0.0);
        let id = worlds.add(&definition(&scene.body, pieces(&scene, Flavour::Turns)).self_contact(true));
        worlds.add(&wall(0.2));
        worlds.at(0.1);
        assert_eq!(worlds.bounded(), 1);
        let rest = scene.body.mesh().rest_positions().to_vec();
        worlds.change(|world| match change {
            0 => world.set_flightplan(id, Flightplan::fixed(rest.clone())).unwrap(),
            1 => {
                let plan = VertexFlightplan::Fixed { position: [0.2, 3.0, 0.0] };
                world.set_vertex_flightplans(id, &[(2, plan)]).unwrap();
            }
            2 => {
                let mut edit = world.begin_edit(id).unwrap();
                let new = edit.add_vertex(NewVertex::fixed([0.2, 0.0, 5.0]));
                edit.add_triangle([0, 1, new]);
                world.apply_edit(edit).unwrap();
            }
            _ => {
                let mut edit = world.begin_edit(id).unwrap();
                edit.remove_triangle(0);
                world.apply_edit(edit).unwrap();
            }
        });
        assert_eq!(worlds.bounded(), 0, "change {change}");
        for step in 2..20 {
            worlds.at(0.1 * f64::from(step));
        }
        seen += worlds.seen;
    }
    assert!(seen > 50, "{seen} contacts");
}

#[test]
fn bounds_of_another_motion_are_not_used() {
    let (one, other) = (scene(701, Flavour::Turns), scene(702, Flavour::Turns));
    let mut def = definition(&one.body, pieces(&one, Flavour::Turns));
    def.sampler = Some(other.body.sampler(pieces(&other, Flavour::Turns)).unwrap());
    let mut worlds = Both::new(0.0);
    worlds.add(&def);
    assert_eq!(worlds.bounded(), 0);
    // Continuous contacts make it kinetic, and are the same.
    let def = definition(&one.body, pieces(&one, Flavour::Turns));
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    world.add_body(def).unwrap();
    assert_eq!((world.stats().engines.on_demand, world.stats().engines.kinetic), (0, 1));
}

#[test]
fn two_bodies_in_each_other_are_refitted_whole_and_apart_they_are_not() {
    for (seed, own) in [(4, false), (5, true), (6, false)] {
        let mut dice = Dice::new(seed, &[11]);
        let mesh = random_mesh(&mut dice, 150, 12, 2, Weights::Smooth);
        let body = body(&mesh, Spinner::of(&mut dice, 12, 2, 1, 0.05, true));
        let span = body.driver().span();
        let mut worlds = Both::new(span.begin);
        let def = definition(&body, body.pieces_at_rate(4.0).unwrap());
        for _ in 0..2 {
            worlds.add(&def.clone().self_contact(own).thickness(0.01));
        }
        let at = |part: f64| span.begin + (span.end - span.begin) * part;
        for part in 1..8 {
            worlds.at(at(0.05 * f64::from(part)));
        }
        assert!(worlds.seen > 1000, "{} contacts", worlds.seen);
        assert_eq!(worlds.auto.stats().engines.on_demand_whole, 2, "both lie in each other");
        let second = worlds.auto.bodies().nth(1).unwrap();
        worlds.change(|world| world.remove_body(second).unwrap());
        for part in 8..16 {
            worlds.at(at(0.05 * f64::from(part)));
        }
        assert_eq!(
            worlds.auto.stats().engines.on_demand_whole,
            usize::from(own),
            "one is left, far from the rest of itself"
        );
    }
}
