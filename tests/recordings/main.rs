//! Recordings: every call of a world comes back from its file and does the same; damage is refused; differences are told.

#![cfg(feature = "record")]

#[path = "../common/mod.rs"]
mod common;
mod files;
mod history;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use common::dice::Dice;
use history::{Action, definitions, first_actions, next_action, style};
use kinetree::motion::{Flightplan, Outside, Sampler, VertexFlightplan};
use kinetree::replay::{RecordError, Recording, RecordingWorld, StateHash};
use kinetree::time::Side;
use kinetree::world::{BodyDef, World, WorldDef};
use kinetree::{Mesh, WorldError};

/// Records a random history; returns its file, the world at its end, and what came of each call.
fn recorded(seed: u64, def: WorldDef, calls: usize) -> (Vec<u8>, World, Vec<String>) {
    let dice = &mut Dice::new(seed, &[11]);
    let style = style(dice);
    let mut file = Vec::new();
    let mut world = RecordingWorld::new(def, &mut file).unwrap();
    let (mut ids, mut changes, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for action in first_actions(dice, style) {
        told.push(act!(world, &action, ids, changes));
    }
    for _ in 0..calls {
        let action = next_action(dice, style, &world, &ids);
        // Nothing was scheduled yet: no call.
        if !(matches!(action, Action::Cancel(_)) && changes.is_empty()) {
            told.push(act!(world, &action, ids, changes));
        }
    }
    let world = world.finish().unwrap();
    (file, world, told)
}

#[test]
fn every_call_runs_again() {
    let (mut names, mut refused, mut contacts, mut calls) = (BTreeSet::new(), 0, 0, 0);
    for seed in 0..24 {
        for def in definitions() {
            let (file, world, told) = recorded(seed, def, 40);
            let recording = Recording::from_bytes(&file).unwrap();
            assert_eq!(recording.definition().engine, def.engine);
            let replayed = recording.replay().unwrap();
            assert_eq!(replayed.divergence, None, "seed {seed}, {def:?}");
            assert_eq!(replayed.calls, recording.calls().len());
            assert_eq!(StateHash::of(&replayed.world), StateHash::of(&world), "seed {seed}");
            assert_eq!(replayed.world.ongoing_contacts(), world.ongoing_contacts());
            assert_eq!(replayed.world.next_event(), world.next_event());
            // Both go on alike.
            let (mut one, mut other) = (replayed.world, world);
            let time = other.time() + 0.125;
            assert_eq!(one.advance_to(time), other.advance_to(time));
            assert_eq!(StateHash::of(&one), StateHash::of(&other), "seed {seed}");
            names.extend(recording.calls().map(kinetree::replay::Call::name));
            refused += told.iter().filter(|words| words.contains(' ') && !words.starts_with("body ")).count();
            contacts += other.contacts().len();
            calls += replayed.calls;
        }
    }
    assert_eq!(names.len(), 16, "{names:?}");
    assert!(refused > 200 && contacts > 100 && calls > 4000, "{refused} refused, {contacts} contacts, {calls} calls");
}

/// The public methods of `World` that take it by `&mut`, as its source files name them.
fn changing_methods() -> BTreeSet<String> {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/world")];
    let mut names = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(path).unwrap();
            for implementation in text.split("\nimpl World {").skip(1) {
                let body = implementation.split("\n}").next().unwrap();
                for method in body.split("\n    pub fn ").skip(1) {
                    let head = method.split('{').next().unwrap();
                    if head.contains("&mut self") {
                        names.insert(head.split(['(', '<']).next().unwrap().to_owned());
                    }
                }
            }
        }
    }
    names
}

#[test]
fn no_change_goes_unrecorded() {
    let recorder = include_str!("../../src/replay/recorder.rs");
    let methods = changing_methods();
    assert!(methods.len() >= 16, "{methods:?}");
    // For benchmarks: it changes nothing of what the world does. Trials borrow the world whole: a world that is recorded
    // gives none.
    let exempt = ["record_queue_operations", "trial", "trial_of"];
    for method in methods.iter().filter(|method| !exempt.contains(&method.as_str())) {
        assert!(
            recorder.contains(&format!("pub fn {method}(")),
            "RecordingWorld has no `{method}`: add it, and a `Call`"
        );
    }
}

/// A point that stays, computed by the host.
#[derive(Debug)]
struct Still;

impl Sampler for Still {
    fn vertex_count(&self) -> usize {
        1
    }
    fn rest_positions(&self) -> &[[f32; 3]] {
        &[[0.0; 3]]
    }
    fn times(&self) -> &[f64] {
        &[0.0, 1.0]
    }
    fn jumps(&self) -> &[bool] {
        &[false; 2]
    }
    fn outside(&self) -> Outside {
        Outside::Hold
    }
    fn largest_coordinate(&self) -> f64 {
        1.0
    }
    fn largest_speed(&self) -> f64 {
        1.0
    }
    fn position(&self, _: usize, _: Side, _: u32) -> [f64; 3] {
        [0.0; 3]
    }
}

#[test]
fn motions_by_code_of_the_host_are_refused_and_the_rest_goes_on() {
    let mut file = Vec::new();
    let mut world = RecordingWorld::new(WorldDef::new(), &mut file).unwrap();
    let sampled = || Flightplan::sampled(Arc::new(Still));
    let point = || Mesh::points(1).unwrap();
    let refused = world.add_body(BodyDef::new(point(), sampled()).named("host")).unwrap_err();
    assert_eq!(refused, RecordError::Sampler { body: "host".into() });
    assert_eq!(refused.to_string(), "body 'host': a motion by a sampler cannot be recorded; give it as keys");
    assert_eq!(world.bodies().count(), 0);
    let body = world.add_body(BodyDef::new(point(), Flightplan::fixed(vec![[0.0; 3]])).named("still")).unwrap();
    let refused = RecordError::Sampler { body: "still".into() };
    assert_eq!(world.set_flightplan(body, sampled()).unwrap_err(), refused);
    assert_eq!(world.schedule_flightplan(body, 1.0, sampled()).unwrap_err(), refused);
    assert!(matches!(world.advance_to(f64::NAN).unwrap_err(), RecordError::Advance(_)));
    world.remove_body(body).unwrap();
    assert_eq!(world.remove_body(body).unwrap_err(), RecordError::World(WorldError::NoSuchBody { body }));
    world.finish().unwrap();
    let replayed = Recording::from_bytes(&file).unwrap().replay().unwrap();
    assert_eq!((replayed.calls, replayed.divergence), (4, None));
}

#[test]
fn a_world_with_a_motion_by_code_of_the_host_is_not_recorded_though_a_vertex_has_its_own() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let def = BodyDef::new(Mesh::points(1).unwrap(), Flightplan::sampled(Arc::new(Still))).named("host");
    let host = world.add_body(def).unwrap();
    for own in [false, true] {
        if own {
            let fixed = VertexFlightplan::Fixed { position: [0.0, 0.0, 0.5] };
            world.set_vertex_flightplans(host, &[(0, fixed)]).unwrap();
        }
        let refused = RecordingWorld::from_world(world.clone(), Vec::new()).map(drop).unwrap_err();
        assert_eq!(refused, RecordError::Sampler { body: "host".into() }, "own plan {own}");
    }
}

/// A disk that becomes full; others may make room.
struct Full(Rc<Cell<usize>>);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.0.get().checked_sub(bytes.len()) else {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space"));
        };
        self.0.set(left);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_stops_the_recording_and_keeps_the_world() {
    let mut stopped = 0;
    for room in (0..900).step_by(7) {
        let left = Rc::new(Cell::new(room));
        let Ok(mut world) = RecordingWorld::new(WorldDef::new(), Full(Rc::clone(&left))) else { continue };
        let mut done = 0;
        let error = loop {
            let before = StateHash::of(&world);
            match world.advance_to(f64::from(done + 1)) {
                Ok(()) => done += 1,
                Err(error) => {
                    assert_eq!(StateHash::of(&world), before);
                    break error;
                }
            }
        };
        assert!(matches!(&error, RecordError::Write { kind: io::ErrorKind::StorageFull, .. }), "{error:?}");
        // Half a frame may be written: nothing can follow, even where there is room again.
        left.set(1 << 20);
        assert_eq!(world.advance_to(1e6).unwrap_err(), error);
        let (mut world, outcome) = world.into_world();
        assert_eq!(outcome, Err(error));
        assert_eq!(world.time(), f64::from(done));
        world.advance_to(1e6).unwrap();
        stopped += 1;
    }
    assert!(stopped > 100, "{stopped}");
}

#[test]
fn states_are_written_as_often_as_asked() {
    let sizes: Vec<usize> = [1, 4, 1000]
        .map(|every| {
            let mut file = Vec::new();
            let mut world = RecordingWorld::new(WorldDef::new(), &mut file).unwrap().states_every(every);
            (1..=20).for_each(|step| world.advance_to(f64::from(step)).unwrap());
            world.finish().unwrap();
            assert_eq!(Recording::from_bytes(&file).unwrap().replay().unwrap().divergence, None);
            file.len()
        })
        .into();
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
}
