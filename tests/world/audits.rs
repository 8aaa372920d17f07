//! Audits: sound worlds are clean, among them those that reported faults they did not have; unsound
//! samplers are named.

use std::sync::Arc;

use kinetree::bvh::{BoundedSampler, BuildParams, Builder, KeyedBoxes, Topology, Width};
use kinetree::interval::{IntervalBoxes, IntervalPairs, PairedBoxes};
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion, MotionError, Outside, Sampler, check_sampler};
use kinetree::time::{Moment, Side};
use kinetree::world::{BodyDef, Engine, World, WorldDef, WorldError};

use crate::common::dice::Dice;
use crate::common::shapes::{sheet, soup_triangles};

fn world(engine: Engine) -> World {
    World::new(WorldDef::default().engine(engine)).unwrap()
}

/// A sheet over integers whose vertices move by up to `step` from key to key, and one on the way to
/// the first.
fn crumpled(dice: &mut Dice, squares: usize, times: &[f64], step: i32) -> BodyDef {
    let (rest, triangles) = sheet(squares, squares);
    let mut places: Vec<[f32; 3]> = rest.iter().map(|p| p.map(|x| 2.0 * x + dice.between(-1, 1) as f32)).collect();
    let mut keys = Vec::new();
    for _ in times {
        keys.extend(places.iter().copied());
        places.iter_mut().for_each(|p| *p = p.map(|x| x + dice.between(-step, step) as f32));
    }
    BodyDef::new(Mesh::new(rest.len(), triangles).unwrap(), Flightplan::keyframes(times.to_vec(), keys))
}

#[test]
fn a_window_that_is_made_again_begins_a_front_of_its_own() {
    // The second body rests from 0.25 s on, so its window lasts. Both bodies give up a window of
    // another size of boxes when the host's second step is short.
    let mut seen = 0;
    for seed in 0..12 {
        let (mut auto, mut brute) = (world(Engine::Auto), world(Engine::BruteForce));
        let mut dice = Dice::new(seed, &[1]);
        for times in [&[-0.25, 0.25, 4.21875][..], &[-0.25, 0.25]] {
            let def = crumpled(&mut dice, 7, times, 2);
            auto.add_body(def.clone()).unwrap();
            brute.add_body(def).unwrap();
        }
        for time in [3.0, 3.046_875, 3.09375] {
            auto.advance_to(time).unwrap();
            brute.advance_to(time).unwrap();
            assert_eq!(auto.contacts(), brute.contacts(), "seed {seed}, {time} s");
            assert!(auto.audit().is_clean(), "seed {seed}, {time} s: {}", auto.audit());
        }
        seen += usize::from(auto.stats().engines.interval == 2) * auto.contacts().len();
    }
    assert!(seen > 100, "{seen} contacts by windows");
}

#[test]
fn a_front_of_other_trees_is_not_used() {
    // Of the same number of triangles and nodes, but not the same trees: below a pair of the front
    // lie other leaves.
    let boxes = |dice: &mut Dice| {
        let places: Vec<[f32; 3]> = (0..60).map(|_| std::array::from_fn(|_| dice.between(0, 9) as f32)).collect();
        let mesh = Mesh::new(60, soup_triangles(20)).unwrap();
        let start: Vec<[f64; 3]> = places.iter().map(|p| p.map(f64::from)).collect();
        let build = BuildParams { leaf_size: 1, builder: Builder::BinnedSurfaceArea, width: Width::Two };
        let motion = Motion::new(Flightplan::fixed(places), 60, KeyLayout::KeyMajor).unwrap();
        let mut boxes = IntervalBoxes::over(Topology::build(&mesh, &start, build), &motion, 0.0).unwrap();
        boxes.follow(&motion, Moment::after(0.0), 1.0).unwrap();
        boxes
    };
    let mut dice = Dice::new(3, &[2]);
    let all: Vec<IntervalBoxes> = (0..6).map(|_| boxes(&mut dice)).collect();
    let mut kept = IntervalPairs::new(0.0).unwrap();
    for pair in all.windows(2) {
        let partners = PairedBoxes::between(&pair[0], &pair[1]);
        let mut own = IntervalPairs::new(0.0).unwrap();
        for leaf_pairs in [&mut kept, &mut own] {
            leaf_pairs.begin(&partners).unwrap();
            leaf_pairs.prepare(&partners, usize::MAX);
            assert!(leaf_pairs.audit(&partners).is_clean(), "{}", leaf_pairs.audit(&partners));
        }
        assert_eq!(kept.pairs(), own.pairs());
        assert!(!own.pairs().is_empty());
    }
}

#[test]
fn welded_corners_may_part() {
    // Neighbours at the same place are welded; they move apart.
    let (mut seen, mut welded) = (0, 0);
    for seed in 0..20 {
        let mut dice = Dice::new(seed, &[3]);
        let def = crumpled(&mut dice, 6, &[0.0, 1.0, 2.0], 3).self_contact(true);
        let (mut kinetic, mut brute) = (world(Engine::Kinetic), world(Engine::BruteForce));
        kinetic.add_body(def.clone()).unwrap();
        brute.add_body(def).unwrap();
        for step in 1..=16 {
            let time = f64::from(step) / 8.0;
            kinetic.advance_to(time).unwrap();
            brute.advance_to(time).unwrap();
            assert_eq!(kinetic.contacts(), brute.contacts(), "seed {seed}, {time} s");
            assert!(kinetic.audit().is_clean(), "seed {seed}, {time} s: {}", kinetic.audit());
            seen += kinetic.contacts().len();
        }
        welded += 1;
    }
    assert!(seen > 500 && welded == 20, "{seen} contacts");
}

#[test]
fn welded_corners_of_scattered_triangles_may_part() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed, &[4]);
        let count = dice.pick(&[2, 3, 4, 6, 30]);
        let places: Vec<[f32; 3]> =
            (0..3 * count).map(|_| std::array::from_fn(|_| dice.between(-3, 3) as f32)).collect();
        let moved = places.iter().map(|p| p.map(|x| x + dice.between(-1, 1) as f32));
        let keys: Vec<[f32; 3]> = places.iter().copied().chain(moved).collect();
        let outside = dice.pick(&[Outside::Hold, Outside::Loop]);
        let plan = Flightplan::keyframes(vec![-1.0, 3.0], keys).outside(outside);
        let build = BuildParams { leaf_size: 1 + dice.below(2), ..BuildParams::default() };
        let thickness = f64::from(dice.between(0, 2)) / 2.0;
        let mesh = Mesh::new(3 * count, soup_triangles(count)).unwrap();
        let mut world = world(Engine::Kinetic);
        world.add_body(BodyDef::new(mesh, plan).self_contact(true).thickness(thickness).build(build)).unwrap();
        for step in 1..=11 {
            world.advance_to(0.25 * f64::from(step)).unwrap();
            assert!(world.audit().is_clean(), "seed {seed}, step {step}: {}", world.audit());
        }
    }
}

/// Triangles that slide along x, 2 m in 1 s, with what they say of themselves.
#[derive(Debug)]
struct Sliding {
    rest: Vec<[f32; 3]>,
    coordinate: f64,
    speed: f64,
    /// How far the boxes lie from where the triangles are, metres.
    off: f64,
    /// Are boxes over another tree?
    is_foreign: bool,
}

#[derive(Debug)]
struct SlidingBoxes(Arc<Sliding>, Topology);

impl Sliding {
    fn new() -> Self {
        let rest = (0..90).map(|v| [(v / 3) as f32, (v % 3 % 2) as f32, (v % 3 / 2) as f32]).collect();
        Self { rest, coordinate: 64.0, speed: 2.0, off: 0.0, is_foreign: false }
    }

    fn add_to(self, world: &mut World) -> Result<kinetree::BodyId, WorldError> {
        let mesh = Mesh::new(self.rest.len(), soup_triangles(self.rest.len() / 3)).unwrap();
        world.add_body(BodyDef::bounded(mesh, Arc::new(self)).named("sliding"))
    }
}

impl Sampler for Sliding {
    fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    fn times(&self) -> &[f64] {
        &[0.0, 1.0]
    }

    fn jumps(&self) -> &[bool] {
        &[false, false]
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn largest_coordinate(&self) -> f64 {
        self.coordinate
    }

    fn largest_speed(&self) -> f64 {
        self.speed
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        let [x, y, z] = self.rest[vertex as usize].map(f64::from);
        [x + 2.0 * key as f64, y, z]
    }
}

impl BoundedSampler for Sliding {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let other = Topology::build(&mesh, &[[0.0; 3]; 3], BuildParams::default());
        let tree = if self.is_foreign { other } else { topology };
        Some(Box::new(SlidingBoxes(self, tree)))
    }
}

impl KeyedBoxes for SlidingBoxes {
    fn topology(&self) -> &Topology {
        &self.1
    }

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        let (mut bounds, mut stack) = (Aabb::EMPTY, vec![node]);
        while let Some(node) = stack.pop() {
            stack.extend(self.1.node(node).children());
            let places = self.1.leaf_points(node).iter().map(|&vertex| self.0.position(key, side, vertex));
            bounds = places.fold(bounds, |all, place| all.union(&Aabb { min: place, max: place }));
        }
        bounds.min[0] += self.0.off;
        bounds.max[0] += self.0.off;
        bounds
    }

    fn bytes(&self) -> usize {
        self.1.bytes()
    }
}

#[test]
fn bounds_that_no_motion_has_are_refused() {
    for (coordinate, speed) in [(-1.0, 2.0), (64.0, -2.0), (f64::NAN, 2.0), (64.0, f64::NAN), (64.0, f64::INFINITY)] {
        let mut world = world(Engine::Auto);
        let refused = Sliding { coordinate, speed, ..Sliding::new() }.add_to(&mut world);
        assert!(
            matches!(&refused, Err(WorldError::Motion { body, error: MotionError::BadBound { .. } }) if body == "sliding")
        );
        assert_eq!(world.bodies().count(), 0);
    }
    let mut world = world(Engine::Auto);
    let refused = Sliding { is_foreign: true, ..Sliding::new() }.add_to(&mut world);
    assert_eq!(refused, Err(WorldError::ForeignBoxes { body: "sliding".into() }));
    assert_eq!(world.bodies().count(), 0);
}

#[test]
fn a_sampler_that_states_wrong_bounds_is_named() {
    assert_eq!(check_sampler(&Sliding::new()), Ok(()));
    let audit = |sampler: Sliding| {
        let mut world = world(Engine::Auto);
        sampler.add_to(&mut world).unwrap();
        world.advance_to(0.5).unwrap();
        assert_eq!(world.stats().engines.on_demand, 1);
        world.audit().faults.iter().map(|fault| fault.0.clone()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(audit(Sliding::new()), "");
    let small = || Sliding { coordinate: 20.0, ..Sliding::new() };
    let beyond = MotionError::BeyondBound { key: 0, vertex: 63, axis: 0, value: 21.0, bound: 20.0 };
    assert_eq!(check_sampler(&small()), Err(beyond.clone()));
    assert!(audit(small()).contains(&beyond.to_string()));
    let slow = || Sliding { speed: 1.5, ..Sliding::new() };
    let faster = MotionError::FasterThanBound { key: 0, vertex: 0, axis: 0, value: 2.0, bound: 1.5 };
    assert_eq!(check_sampler(&slow()), Err(faster.clone()));
    assert!(audit(slow()).contains(&faster.to_string()));
    for off in [7.0, -0.25] {
        let found = audit(Sliding { off, ..Sliding::new() });
        assert!(found.contains("'sliding', boxes: node 0 at key 0, as it is left: "), "{found}");
        assert!(found.contains("node 0 now: "), "{found}");
    }
}

/// The plan from a key on does not have the key before; boxes of the interval up to then stay.
#[test]
fn a_plan_from_a_key_on_leaves_what_was_before() {
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let at = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let keys = |from: u8| {
        let times = (from..from + 3).map(f64::from).collect();
        Flightplan::keyframes(times, (from..from + 3).flat_map(|key| at(f32::from(key))).collect())
    };
    let mut world = world(Engine::Interval);
    let rising = world.add_body(BodyDef::new(mesh.clone(), keys(0))).unwrap();
    world.add_body(BodyDef::new(mesh.clone(), Flightplan::fixed(at(-1.0)))).unwrap();
    for step in 1..=40_u8 {
        let time = 0.25 * f64::from(step);
        world.advance_to(time).unwrap();
        assert!(world.audit().is_clean(), "at {time}: {:?}", world.audit());
        if step % 4 == 0 {
            // Two keys of three are those of the plan before.
            world.set_flightplan(rising, keys(step / 4)).unwrap();
            assert!(world.audit().is_clean(), "at key {time}: {:?}", world.audit());
            // It is met there, and is gone a step later.
            let place = Flightplan::fixed(at(f32::from(step / 4)));
            let met = world.add_body(BodyDef::new(mesh.clone(), place)).unwrap();
            world.advance_to(time).unwrap();
            assert_eq!(world.contacts().len(), 1, "at key {time}");
            world.advance_to(time + 0.125).unwrap();
            assert!(world.contacts().is_empty() && world.audit().is_clean(), "after {time}");
            world.remove_body(met).unwrap();
        }
    }
}
