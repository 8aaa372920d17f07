//! Trials at ends of windows, by hand: what begins or ends within a rounding of them, and where touches are told.

use kinetree::{BodyDef, BodyId, Flightplan, Mesh, Outside, World, WorldDef};

fn mesh() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

fn floor(z: f32) -> Vec<[f32; 3]> {
    vec![[-40.0, -40.0, z], [40.0, -40.0, z], [0.0, 40.0, z]]
}

/// The corner at the origin is the lowest one.
fn tip(z: f32) -> Vec<[f32; 3]> {
    vec![[0.0, 0.0, z], [1.0, 0.0, z + 4.0], [0.0, 1.0, z + 4.0]]
}

/// The corner at the origin is the highest one.
fn hang(z: f32) -> Vec<[f32; 3]> {
    vec![[0.0, 0.0, z], [1.0, 0.0, z - 4.0], [0.0, 1.0, z - 4.0]]
}

/// A floor at a height, and a body that moves; the floor's number.
fn scene(start: f64, now: f64, z: f32, plan: Flightplan) -> (World, BodyId) {
    let mut world = World::new(WorldDef::new().start(start)).unwrap();
    let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(floor(z)))).unwrap();
    world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    world.advance_to(now).unwrap();
    (world, id)
}

#[test]
fn the_begin_of_a_loops_first_round() {
    // Before 1 s it comes down to 0 m, which it does not reach: at 1 s it is at 5 m.
    let plan = Flightplan::keyframes(vec![1.0, 2.0], [tip(5.0), tip(0.0)].concat()).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.5).unwrap();
    assert_eq!((trial.contacts().unwrap().len(), trial.step_size().unwrap()), (0, 1.0));
    // It comes down to −1 m: what touches before 1 s has ended at 1 s.
    let plan = Flightplan::keyframes(vec![1.0, 2.0], [tip(5.0), tip(-1.0)].concat()).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.5).unwrap();
    let told = trial.contacts().unwrap()[0];
    let end = told.end.unwrap();
    assert_eq!((end.lo, end.hi, end.is_open, told.undecided), (1.0, 1.0, true, false));
}

#[test]
fn what_is_over_or_not_yet_is_no_part_of_a_trial() {
    // Its highest corner passes the floor at 1/3 s; the clock is 4e-16 s later.
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [hang(1.0), hang(-2.0)].concat());
    let (mut world, id) = scene(0.0, 1.0 / 3.0 + 4e-16, 0.0, plan);
    assert!(world.contacts().is_empty());
    assert_eq!(world.trial(id, &floor(0.0), 0.9).unwrap().step_size().unwrap(), 1.0);
    // It touches at 1/3 s; the trial ends 4e-16 s before.
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [tip(1.0), tip(-2.0)].concat());
    let (mut world, id) = scene(0.0, 0.0, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.0 / 3.0 - 4e-16).unwrap();
    assert!(trial.contacts().unwrap().is_empty());
}

#[test]
fn the_touch_of_a_contact_at_the_start_is_where_it_is_then() {
    let at = |x: f32, z: f32| vec![[x, 0.0, z], [x, 1.0, z + 4.0], [x, -1.0, z + 4.0]];
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [at(-10.0, 1.0), at(10.0, -1.0)].concat());
    let (mut world, id) = scene(0.0, 0.75, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.0).unwrap();
    let told = trial.contacts().unwrap()[0];
    assert!(told.touches_at_start && told.begin.lo == 0.75);
    assert!((told.touch.point[0] - 5.0).abs() < 1e-6, "{:?}", told.touch.point);
}

#[test]
fn a_graze_that_is_none_is_undecided() {
    // The tip turns 3.2e-17 m above the floor, by rationals; interpolated positions are equal.
    let (z, h) = ([0.071_389_385, 0.663_268_74], 0.321_146_55);
    let turn = 0.421_973_091_048_804;
    let plan = Flightplan::keyframes(vec![0.0, turn, 1.0], [tip(h + 1.0), tip(h), tip(h + 1.0)].concat());
    let (mut world, id) = scene(0.0, 0.0, z[0], plan);
    let mut trial = world.trial(id, &floor(z[1]), 1.0).unwrap();
    assert!(trial.contacts().unwrap().iter().all(|told| told.undecided));
}

#[test]
fn a_contact_at_the_end_leaves_the_whole_step() {
    let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], [tip(1.0), tip(0.0), tip(1.0)].concat());
    let (mut world, id) = scene(0.0, 0.25, 0.0, plan);
    assert_eq!(world.trial(id, &floor(0.0), 0.5).unwrap().step_size().unwrap(), 1.0);
}
