//! Jumps: contacts are closed before, found anew after, and nothing is swept in between.

use std::sync::Arc;

use crate::common::kinds::MODES;
use crate::common::lockstep::Lockstep;
use kinetree::bvh::BoundedSampler;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion, Outside};
use kinetree::reduced::{
    Binding, Channel, Clip, Interpolation, JointTracks, Mix, Node, Property, ReducedBody, ReducedError, ReducedMesh,
    Rig, Track,
};
use kinetree::time::Moment;
use kinetree::world::{BodyDef, ContactChange, ContactMode, World, WorldDef};

const TRIANGLE: [[f32; 3]; 3] = [[0.0, -0.5, -0.5], [0.0, 1.0, -0.5], [0.0, -0.5, 1.0]];

/// A triangle that stands at the x of each key until the next, and drifts towards +y all the time.
fn stepping(xs: &[f64], outside: Outside) -> ReducedBody {
    moved(xs, Interpolation::Step, outside)
}

/// The same, with another way from key to key.
fn moved(xs: &[f64], interpolation: Interpolation, outside: Outside) -> ReducedBody {
    let times: Vec<f64> = (0..xs.len()).map(|key| key as f64).collect();
    let steps = Track { interpolation, values: xs.iter().flat_map(|&x| [x, 0.0, 0.0]).collect(), times: times.clone() };
    let last = times[times.len() - 1];
    let drift = Track {
        interpolation: Interpolation::Linear,
        times: vec![0.0, last],
        values: vec![0.0, 0.0, 0.0, 0.0, 0.125 * last, 0.0],
    };
    let nodes = vec![Node::default(), Node { parent: Some(0), ..Node::default() }];
    let along = |node, track| Channel { node, property: Property::Translation, track };
    let clip = Clip { name: "steps".into(), channels: vec![along(0, steps), along(1, drift)] };
    let rig = Arc::new(Rig::new(nodes, &[clip]).unwrap());
    let mix = Mix::clip(&rig, 0, outside).unwrap();
    let tracks = JointTracks::new(rig, &mix, Binding::skin(&[1], None).unwrap(), None).unwrap();
    let mesh = ReducedMesh::morphed(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), TRIANGLE.to_vec(), Vec::new()).unwrap();
    ReducedBody::new(Arc::new(mesh), Arc::new(tracks)).unwrap()
}

/// A wall in the plane x = `x`.
fn wall(x: f32) -> BodyDef {
    let plan = Flightplan::fixed(vec![[x, -9.0, -9.0], [x, 9.0, -9.0], [x, 0.0, 9.0]]);
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
}

fn world(body: &ReducedBody, walls: &[f32]) -> World {
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    let plan = body.flightplan(body.pieces(1e-3).unwrap()).unwrap();
    world.add_body(BodyDef::new(body.mesh().mesh().clone(), plan)).unwrap();
    walls.iter().for_each(|&x| {
        world.add_body(wall(x)).unwrap();
    });
    world
}

/// No certificate spans a jump: each ends an epoch, in every round of a loop.
#[test]
fn jumps_end_epochs() {
    let ends = |outside, from: Moment, count: usize| {
        let body = stepping(&[0.0, 4.0, 4.0, 8.0, 8.0], outside);
        let plan = body.flightplan(body.pieces(1e-3).unwrap()).unwrap();
        let motion = Motion::new(plan, 3, KeyLayout::KeyMajor).unwrap();
        let next = |at: &Moment| Some(motion.epoch_end(*at));
        std::iter::successors(Some(motion.epoch_end(from)), next).take(count).collect::<Vec<Moment>>()
    };
    let after = |times: &[f64]| times.iter().map(|&time| Moment::after(time)).collect::<Vec<Moment>>();
    assert_eq!(ends(Outside::Hold, Moment::at(-5.0), 3), after(&[1.0, 3.0, f64::INFINITY]));
    assert_eq!(ends(Outside::Hold, Moment::at(3.0), 1), after(&[3.0]));
    assert_eq!(ends(Outside::Loop, Moment::at(0.5), 6), after(&[1.0, 3.0, 4.0, 5.0, 7.0, 8.0]));
}

#[test]
fn a_step_over_a_wall_touches_nothing() {
    let body = stepping(&[0.0, 4.0, 8.0, 8.0], Outside::Hold);
    let pieces = body.pieces(1e-3).unwrap();
    assert_eq!(pieces.times(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(pieces.jumps(), [false, true, true, false]);
    assert!(matches!(body.keyframes(&pieces), Err(ReducedError::Jump { time: 1.0 })));
    let mut world = world(&body, &[2.0, 6.0]);
    for step in 0..=20 {
        world.advance_to(0.25 * f64::from(step)).unwrap();
        assert!(world.contacts().is_empty() && world.contact_changes().is_empty(), "step {step}");
        assert!(world.audit().is_clean(), "{:?}", world.audit());
    }
}

#[test]
fn a_step_into_a_wall_begins_a_contact_and_the_next_step_ends_it() {
    let mut world = world(&stepping(&[0.0, 4.0, 8.0, 8.0], Outside::Hold), &[4.0]);
    let mut changes: Vec<(bool, f64)> = Vec::new();
    for step in 0..=14 {
        let time = 0.25 * f64::from(step);
        world.advance_to(time).unwrap();
        changes.extend(world.contact_changes().iter().map(|change| match change {
            ContactChange::Began { time, .. } => (true, time.lo),
            ContactChange::Ended { time, .. } => (false, time.hi),
            _ => unreachable!("{change:?}"),
        }));
        // At a jump the old place counts.
        assert_eq!(world.contacts().len(), usize::from(time > 1.0 && time <= 2.0), "at {time}");
        assert!(world.audit().is_clean(), "{:?}", world.audit());
    }
    assert_eq!(changes, [(true, 1.0), (false, 2.0)]);
}

#[test]
fn at_a_jump_all_engines_show_the_old_place() {
    let body = stepping(&[0.0, 4.0, 8.0, 8.0], Outside::Loop);
    let mut worlds = Lockstep::new(0.0);
    let plan = body.flightplan(body.pieces(1e-3).unwrap()).unwrap();
    worlds.add(&BodyDef::new(body.mesh().mesh().clone(), plan));
    worlds.add(&wall(4.0));
    let found: Vec<usize> = (1..=20).map(|step| worlds.at(0.5 * f64::from(step))).collect();
    let round = [0, 0, 1, 1, 0, 0];
    assert_eq!(found, round.into_iter().cycle().take(20).collect::<Vec<usize>>());
}

/// Near only just after a wrap: the old place and the one at the end of the interval are far from the blade.
#[test]
fn what_is_touched_just_after_a_wrap_alone_is_found() {
    let body = moved(&[0.0, 4.0, 4.0], Interpolation::Linear, Outside::Loop);
    let blade = vec![[0.125, 0.0, -1.0], [0.375, 0.0, -1.0], [0.25, 0.0, 2.0]];
    for (engine, mode) in MODES {
        let mut world = World::new(WorldDef::default().engine(engine).contacts(mode)).unwrap();
        let sampler: Arc<dyn BoundedSampler> = body.sampler(body.pieces(1e-3).unwrap()).unwrap();
        world.add_body(BodyDef::bounded(body.mesh().mesh().clone(), sampler)).unwrap();
        let plan = Flightplan::fixed(blade.clone());
        world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        let mut found = 0;
        for step in 1..=320 {
            let time = f64::from(step) / 64.0;
            world.advance_to(time).unwrap();
            let x = 4.0 * (time % 2.0).min(1.0);
            let is_cut = 0.125 < x && x < 0.375 && time % 2.0 != 0.0;
            assert_eq!(world.contacts().len(), usize::from(is_cut), "{engine:?} {mode:?} at {time} s");
            found += usize::from(is_cut);
        }
        assert_eq!(found, 9, "three steps in each of three rounds");
    }
}

#[test]
fn loops_and_steps_jump_alike() {
    // In contact with the wall during the second second of every round of three, and nowhere else.
    let mut world = world(&stepping(&[0.0, 4.0, 8.0, 8.0], Outside::Loop), &[4.0, 2.0, 6.0]);
    for step in 1..=50 {
        let time = 0.25 * f64::from(step) + 0.125;
        world.advance_to(time).unwrap();
        let phase = time % 3.0;
        assert_eq!(world.contacts().len(), usize::from(1.0 < phase && phase < 2.0), "at {time}");
    }
    assert!(world.audit().is_clean(), "{:?}", world.audit());
}
