//! Bodies that are bounded by a sampler and get plans, and the finders of their pairs.

use std::sync::Arc;

use crate::bvh::{BoundedSampler, BuildParams, KeyedBoxes, Topology};
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, Outside, Sampler};
use crate::time::{Moment, Side, Span};
use crate::world::engine::Engine;
use crate::world::pair::finder::PairFinder;
use crate::world::{BodyDef, ContactMode, World, WorldDef};

const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];

/// A triangle that slides along x, 1 m in 1 s.
#[derive(Debug)]
struct Sliding {
    outside: Outside,
    /// The tree of the boxes that follow from its own for another plan, if any do.
    followed_over: Option<Topology>,
}

#[derive(Debug)]
struct SlidingBoxes {
    topology: Topology,
    followed_over: Option<Topology>,
}

impl Sampler for Sliding {
    fn vertex_count(&self) -> usize {
        3
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &CORNERS
    }

    fn times(&self) -> &[f64] {
        &[0.0, 1.0]
    }

    fn jumps(&self) -> &[bool] {
        &[false, false]
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn largest_coordinate(&self) -> f64 {
        16.0
    }

    fn largest_speed(&self) -> f64 {
        1.0
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        let [x, y, z] = CORNERS[vertex as usize].map(f64::from);
        [x + key as f64, y, z]
    }
}

impl BoundedSampler for Sliding {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        Some(Box::new(SlidingBoxes { topology, followed_over: self.followed_over.clone() }))
    }
}

impl KeyedBoxes for SlidingBoxes {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn key_box(&self, _: usize, _: Side, _: u32) -> Aabb {
        Aabb { min: [-16.0; 3], max: [16.0; 3] }
    }

    fn for_motion(&self, _: &Arc<dyn Sampler>) -> Option<Box<dyn KeyedBoxes>> {
        let topology = self.followed_over.clone()?;
        Some(Box::new(Self { topology, followed_over: None }))
    }

    fn bytes(&self) -> usize {
        0
    }
}

fn sliding(outside: Outside, followed_over: Option<Topology>) -> Arc<dyn BoundedSampler> {
    Arc::new(Sliding { outside, followed_over })
}

fn mesh() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

#[test]
fn a_plan_of_the_same_sampler_keeps_bounds_that_follow_no_other_one() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let sampler = sliding(Outside::Hold, None);
    let id = world.add_body(BodyDef::bounded(mesh(), Arc::clone(&sampler))).unwrap();
    world.set_flightplan(id, Flightplan::sampled(sampler)).unwrap();
    assert!(world.bodies.at(id.index()).is_on_demand());
    world.set_flightplan(id, Flightplan::sampled(sliding(Outside::Hold, None))).unwrap();
    assert!(!world.bodies.at(id.index()).is_on_demand());
}

#[test]
fn bounds_over_another_tree_do_not_follow() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let two = Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let places: Vec<[f64; 3]> = (0..6).map(|vertex| [f64::from(vertex), 0.0, 0.0]).collect();
    let other = Topology::build(&two, &places, BuildParams { leaf_size: 1, ..BuildParams::default() });
    let id = world.add_body(BodyDef::bounded(mesh(), sliding(Outside::Hold, Some(other)))).unwrap();
    assert!(world.bodies.at(id.index()).is_on_demand());
    world.set_flightplan(id, Flightplan::sampled(sliding(Outside::Hold, None))).unwrap();
    assert!(!world.bodies.at(id.index()).is_on_demand());
}

#[test]
fn pairs_of_a_body_that_becomes_bounded_forget_the_fronts_of_its_trees() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let sampler = sliding(Outside::Hold, None);
    let [id, _] = [0, 1].map(|_| {
        let plan = Flightplan::sampled(Arc::<dyn BoundedSampler>::clone(&sampler));
        world.add_body(BodyDef::new(mesh(), plan)).unwrap()
    });
    for step in 1..4 {
        world.advance_to(0.125 * f64::from(step)).unwrap();
    }
    let finders = |world: &World| {
        let (_, pair) = world.pairs.iter().next().expect("they touch");
        (matches!(pair.finder, PairFinder::Front(_)), pair.idle.is_some())
    };
    assert_eq!(finders(&world), (true, false));
    world.set_bounded_flightplan(id, sampler).unwrap();
    assert!(world.bodies.at(id.index()).is_on_demand());
    assert_eq!(finders(&world), (false, false));
}

#[test]
fn a_bounded_body_has_intervals_from_the_first_key_of_its_loop_on_unless_events_are_asked_for() {
    for (engine, at, span) in [
        (Engine::Auto, Moment::at(-0.5), None),
        (Engine::Auto, Moment::after(0.0), Some(Span { begin: 0.0, end: 1.0 })),
        (Engine::Kinetic, Moment::after(0.0), None),
    ] {
        let def = WorldDef::new().start(at.time()).contacts(ContactMode::Continuous).engine(engine);
        let mut world = World::new(def).unwrap();
        let id = world.add_body(BodyDef::bounded(mesh(), sliding(Outside::Loop, None))).unwrap();
        let body = world.bodies.at_mut(id.index());
        assert!(body.is_bounded_ahead());
        assert_eq!(body.key_interval(at), span, "{engine:?}, {at:?}");
    }
}
