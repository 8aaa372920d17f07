//! Bodies of no size, at every scale, under every builder and tree.

use kinetree::bvh::{BuildParams, Builder};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, Engine, World, WorldDef, WorldError};

use super::common::dice::{Dice, Grain};
use super::common::lockstep::Lockstep;

/// Places of `count` points: all at one place, on a line, in a plane, in space.
fn places(dice: &mut Dice, count: usize, dimensions: usize, scale: f32) -> Vec<[f32; 3]> {
    let coordinate = |dice: &mut Dice, axis: usize| if axis < dimensions { dice.between(-3, 3) as f32 } else { 1.0 };
    (0..count).map(|_| std::array::from_fn(|axis| scale * coordinate(dice, axis))).collect()
}

#[test]
fn clouds_of_every_dimension_and_scale() {
    let mut contacts = 0;
    for dimensions in 0..=3 {
        for scale in [1.0, 1e-30, 1e-6, 1e9, 1e29] {
            for (builder, tree) in [
                (Builder::MedianSplit, TreeKind::Aabb),
                (Builder::BinnedSurfaceArea, TreeKind::Aabb),
                (Builder::MedianSplit, TreeKind::Box),
            ] {
                let mut dice = Dice::new(dimensions as u64, &[9]);
                let mut worlds = Lockstep::new(0.0);
                for self_contact in [false, true] {
                    let keys: Vec<[f32; 3]> = (0..3).flat_map(|_| places(&mut dice, 20, dimensions, scale)).collect();
                    let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys);
                    let build = BuildParams { builder, leaf_size: 2, ..BuildParams::default() };
                    let body = BodyDef::new(Mesh::points(20).unwrap(), plan).build(build).tree(tree);
                    worlds.add(&body.radius(f64::from(scale)).self_contact(self_contact));
                }
                for step in 0..=8 {
                    contacts += worlds.at(f64::from(step) / 4.0);
                }
            }
        }
    }
    assert!(contacts > 10_000, "{contacts}");
}

/// Exact tests are made only of points whose boxes, grown by the radius, meet.
#[test]
fn large_clouds_are_not_tested_all_against_all() {
    let plan = |seed: u64| {
        let mut dice = Dice::new(seed, &[10]);
        let mut cloud = || -> Vec<[f32; 3]> {
            (0..2_000).map(|_| std::array::from_fn(|_| 1e-3 * Grain::Real.coordinate(&mut dice, 1))).collect()
        };
        Flightplan::keyframes(vec![0.0, 1.0], [cloud(), cloud()].concat())
    };
    for radius in [0.0, 2e-5] {
        for engine in [Engine::Kinetic, Engine::Interval, Engine::Refit] {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            for seed in 0..2 {
                world.add_body(BodyDef::new(Mesh::points(2_000).unwrap(), plan(seed)).radius(radius)).unwrap();
            }
            world.advance_to(0.5).unwrap();
            let (tests, contacts) = (world.stats().triangle_tests, world.contacts().len() as u64);
            assert!(tests <= 8 * contacts + 200, "{engine:?}: {tests} tests for {contacts} contacts");
            assert_eq!(contacts > 50, radius > 0.0, "{contacts}");
        }
    }
}

#[test]
fn a_radius_that_is_none_is_refused() {
    let mut world = World::new(WorldDef::default()).unwrap();
    for radius in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
        let body = BodyDef::new(Mesh::points(1).unwrap(), Flightplan::fixed(vec![[0.0; 3]])).named("cloud");
        let error = world.add_body(body.radius(radius)).unwrap_err();
        assert!(matches!(error, WorldError::BadThickness { .. }), "{error}");
        assert_eq!((world.bodies().count(), world.stats().scheduled), (0, 0));
    }
}
