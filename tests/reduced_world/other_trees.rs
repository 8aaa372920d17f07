//! A body that is bounded, then refitted or in intervals, and back: what pairs know of one tree is
//! not taken for another, though each kind of trees counts its shapes and intervals from the first.

use std::panic::catch_unwind;
use std::sync::Arc;

use kinetree::bvh::{BoundedSampler, BuildParams, Builder};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{
    Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::world::{BodyDef, Contact, ContactMode, Engine, World, WorldDef};

use crate::common::dice::Dice;
use crate::common::shapes::soup_triangles;

/// A clip in which a body of some bones stays as it is.
fn still_clip(mesh: Mesh, rest: Vec<[f32; 3]>, bones: usize) -> Arc<dyn BoundedSampler> {
    let per_bone = rest.len() / bones;
    let weights = (0..rest.len()).map(|vertex| vec![((vertex / per_bone) as u32, 1.0)]);
    let influences = Influences::convex(bones, weights, WeightPolicy::default()).unwrap();
    let def = ReducedDef { mesh, rest, influences, morphs: vec![], blend: Blend::Linear };
    let still = Affine::from_parts([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    let pose = || Pose { maps: vec![still; bones], morphs: vec![] };
    let driver = PoseKeys::new(&[0.0, 100.0], vec![pose(), pose()], vec![[0.0; 3]; bones], Outside::Hold).unwrap();
    let body = ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap();
    body.sampler(body.pieces(1e-3).unwrap()).unwrap()
}

fn shifted(places: &[[f32; 3]], by: [f32; 3]) -> Vec<[f32; 3]> {
    places.iter().map(|place| [place[0] + by[0], place[1] + by[1], place[2] + by[2]]).collect()
}

/// A row of flat triangles, and one that stands far beside: its box reaches higher than they do.
fn low_wall() -> BodyDef {
    let flat = |number: usize| {
        let x = number as f32 - 20.0;
        [[x, -1.0, 0.0], [x + 0.9, -1.0, 0.0], [x, 1.0, 0.0]]
    };
    let post = [[-100.0, -1.0, 0.0], [-100.0, 1.0, 0.0], [-100.0, 0.0, 10.0]];
    let places: Vec<[f32; 3]> = (0..40).flat_map(flat).chain(post).collect();
    BodyDef::new(Mesh::new(places.len(), soup_triangles(41)).unwrap(), Flightplan::fixed(places)).named("wall")
}

/// How a body gets a plan that is not bounded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Flightplan,
    Trial,
}

/// Steps before 1 s, with their contacts, of a body that hovers, gets its bounds back, and then
/// falls onto the wall.
fn fall(engine: Engine, bounded_steps: usize, by: By) -> Vec<(f64, Vec<Contact>)> {
    let upright = |number: usize| {
        let x = 0.02 * number as f32;
        [[x, -0.9, -0.5], [x + 0.01, -0.9, 0.5], [x, -0.7, 0.5]]
    };
    let low: Vec<[f32; 3]> = (0..40).flat_map(upright).collect();
    let high = shifted(&low, [0.0, 0.0, 3.0]);
    let mesh = Mesh::new(low.len(), soup_triangles(40)).unwrap();
    let clip = still_clip(mesh.clone(), high.clone(), 1);
    let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
    world.add_body(low_wall()).unwrap();
    let skin = world.add_body(BodyDef::bounded(mesh, clip.clone()).named("skin")).unwrap();
    let step = |world: &mut World| {
        world.advance_to(world.time() + 1.0 / 64.0).unwrap();
        assert!(world.audit().is_clean(), "{engine}, {bounded_steps} {by:?}, {}: {}", world.time(), world.audit());
    };
    (0..3).for_each(|_| step(&mut world));
    match by {
        By::Trial => world.trial(skin, &high, 1.0).unwrap().commit().unwrap(),
        By::Flightplan => {
            let hover = (0..5).flat_map(|_| high.clone()).collect();
            world.set_flightplan(skin, Flightplan::keyframes(vec![0.0, 1.0, 2.0, 3.0, 4.0], hover)).unwrap();
        }
    }
    (0..5).for_each(|_| step(&mut world));
    world.set_bounded_flightplan(skin, clip).unwrap();
    (0..bounded_steps).for_each(|_| step(&mut world));
    match by {
        By::Trial => world.trial(skin, &low, 1.0).unwrap().commit().unwrap(),
        By::Flightplan => {
            let keys = [high.clone(), high.clone(), low, high].concat();
            world.set_flightplan(skin, Flightplan::keyframes(vec![0.0, world.time(), 1.0, 2.0], keys)).unwrap();
        }
    }
    let mut seen = Vec::new();
    while world.time() < 1.0 {
        step(&mut world);
        seen.push((world.time(), world.contacts().to_vec()));
    }
    seen
}

#[test]
fn intervals_of_an_earlier_tree_are_not_taken_for_those_of_a_later_one() {
    let mut contacts = 0;
    for (bounded_steps, by) in [(0, By::Flightplan), (2, By::Flightplan), (2, By::Trial)] {
        let [found, truth] = [Engine::Auto, Engine::BruteForce].map(|engine| fall(engine, bounded_steps, by));
        assert_eq!(found, truth, "{bounded_steps} steps, {by:?}");
        contacts += truth.iter().map(|(_, contacts)| contacts.len()).sum::<usize>();
    }
    assert!(contacts > 100, "{contacts}");
}

/// Triangles of about a size, metres, much nearer to each other in one corner: trees of two seeds
/// have other shapes.
fn heap(seed: u64, triangles: usize, size: f64) -> Vec<[f32; 3]> {
    let mut dice = Dice::new(seed, &[61]);
    let triangle = |_| {
        let corner = [9.0 * dice.real(0.0, 1.0).powi(4), 9.0 * dice.real(0.0, 1.0).powi(3), dice.real(0.0, 2.0)];
        let mut vertex = || corner.map(|x| (x + size * dice.real(0.0, 1.0)) as f32);
        [vertex(), vertex(), vertex()]
    };
    (0..triangles).flat_map(triangle).collect()
}

/// What changes the tree of a bounded body that was refitted before.
#[derive(Clone, Copy, Debug)]
enum Change {
    Plan,
    Edit,
}

/// The contacts of some steps after a bounded body that was refitted before gets another tree; it
/// moves so that it is refitted.
fn refitted_again(engine: Engine, seed: u64, bounded_steps: usize, change: Change) -> Vec<Vec<Contact>> {
    const TRIANGLES: usize = 60;
    let (first, second) = (heap(seed, TRIANGLES, 0.8), heap(seed + 500, TRIANGLES, 0.8));
    let mesh = Mesh::new(3 * TRIANGLES, soup_triangles(TRIANGLES)).unwrap();
    let clip = still_clip(mesh.clone(), first.clone(), TRIANGLES);
    // A key at every step.
    let plan = |places: &[[f32; 3]]| {
        let keys = (0..=40).flat_map(|key| shifted(places, [0.01 * key as f32, 0.0, 0.0])).collect();
        Flightplan::keyframes((0..=40).map(|key| f64::from(key) / 8.0).collect(), keys)
    };
    let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
    world.add_body(BodyDef::new(mesh.clone(), plan(&heap(1000 + seed, TRIANGLES, 1.5))).named("wall")).unwrap();
    let build = BuildParams { builder: Builder::BinnedSurfaceArea, ..BuildParams::default() };
    let skin = world.add_body(BodyDef::new(mesh, plan(&first)).named("skin").build(build)).unwrap();
    let step = |world: &mut World| world.advance_to(world.time() + 0.125).unwrap();
    (0..4).for_each(|_| step(&mut world));
    world.set_bounded_flightplan(skin, clip).unwrap();
    (0..bounded_steps).for_each(|_| step(&mut world));
    match change {
        Change::Plan => world.set_flightplan(skin, plan(&second)).unwrap(),
        Change::Edit => {
            let mut edit = world.begin_edit(skin).unwrap();
            (0..40).for_each(|triangle| edit.remove_triangle(triangle));
            world.apply_edit(edit).unwrap();
        }
    }
    let mut seen = vec![world.contacts().to_vec()];
    for _ in 0..6 {
        step(&mut world);
        seen.push(world.contacts().to_vec());
        assert!(world.audit().is_clean(), "{engine}, {seed}, {change:?}: {}", world.audit());
    }
    seen
}

#[test]
fn fronts_of_an_earlier_tree_are_not_taken_for_those_of_a_later_one() {
    let (mut contacts, mut faults) = (0, Vec::new());
    for seed in 1..12 {
        for (bounded_steps, change) in [(0, Change::Plan), (0, Change::Edit), (2, Change::Plan)] {
            let truth = refitted_again(Engine::BruteForce, seed, bounded_steps, change);
            let found = catch_unwind(|| refitted_again(Engine::Auto, seed, bounded_steps, change));
            contacts += truth.iter().map(Vec::len).sum::<usize>();
            match found {
                Err(_) => faults.push(format!("{seed}, {bounded_steps} steps, {change:?}: panicked")),
                Ok(found) if found != truth => {
                    faults.push(format!("{seed}, {bounded_steps} steps, {change:?}: others"));
                }
                Ok(_) => {}
            }
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
    assert!(contacts > 500, "{contacts}");
}

/// A vertex leaves its node in an interval: the nodes of a body with keys are asked for their boxes
/// at both keys, not for those of the vertices that bound them at the first.
#[test]
fn a_vertex_that_leaves_its_node_meets_a_bounded_body() {
    // Two heaps, with the wall between them. One vertex of the left one passes the wall.
    let places = |tip: f32| -> Vec<[f32; 3]> {
        let small = |number: usize| {
            let (x, y) = (if number < 40 { -10.0 } else { 10.0 }, 0.01 * number as f32);
            [[x, y, 0.0], [x + 0.25, y, 0.0], [x, y, 0.25]]
        };
        let mut all: Vec<[f32; 3]> = (0..80).flat_map(small).collect();
        all[2][0] = tip;
        all
    };
    let keys = [-10.0, -10.0, -10.0, 1.0].map(places).concat();
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0, 3.0], keys);
    let wall = vec![[0.0, -5.0, -5.0], [0.0, 5.0, -5.0], [0.0, 0.0, 5.0]];
    for (engine, mode) in [(Engine::BruteForce, ContactMode::AtTimes), (Engine::Auto, ContactMode::Continuous)] {
        let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        world.add_body(BodyDef::bounded(mesh.clone(), still_clip(mesh, wall.clone(), 1))).unwrap();
        world.add_body(BodyDef::new(Mesh::new(240, soup_triangles(80)).unwrap(), plan.clone())).unwrap();
        for (time, count) in [(1.5, 0), (2.9375, 1), (3.5, 1)] {
            world.advance_to(time).unwrap();
            assert_eq!(world.contacts().len(), count, "{engine:?} at {time} s");
            assert!(world.audit().is_clean(), "at {time} s: {}", world.audit());
        }
    }
}
