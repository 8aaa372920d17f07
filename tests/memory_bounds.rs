//! Scenes that asked for all memory, or for minutes, end in a typed error or finish, below stated bounds and with the usual
//! [`WorldLimits`]. Each prints the most bytes held at once, and seconds.
//!
//! `KINETREE_TORTURE=1 cargo test --release --test memory_bounds -- --nocapture --test-threads 1` runs them in full size.

mod common;

use std::time::Instant;

use allocation_counter::measure;
use common::kinds::MODES;
use kinetree::BuildParams;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::world::{AdvanceError, BodyDef, ContactMode, Engine, World, WorldDef, WorldError, WorldLimits};

fn is_full() -> bool {
    std::env::var_os("KINETREE_TORTURE").is_some()
}

fn size(small: usize, full: usize) -> usize {
    if is_full() { full } else { small }
}

fn world((engine, contacts): (Engine, ContactMode)) -> World {
    World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap()
}

/// Runs a case; prints what it took; returns what came of it. Fails beyond some mebibytes.
fn bounded<T>(name: &str, most: f64, run: impl FnOnce() -> T) -> T {
    let (started, mut outcome) = (Instant::now(), None);
    let counted = measure(|| outcome = Some(run()));
    let mebibytes = counted.bytes_max as f64 / (1 << 20) as f64;
    println!("{name}: {mebibytes:.1} MiB, {:.2} s", started.elapsed().as_secs_f64());
    assert!(mebibytes < most, "{name}: {mebibytes:.1} MiB, more than {most}");
    outcome.unwrap()
}

/// Ends of a case that are as good as finishing.
fn is_limit(error: &WorldError) -> bool {
    matches!(error, WorldError::Limit { .. })
}

/// What a case may hold, mebibytes: of continuous contacts, and of their changes, the usual bounds allow 2²⁰, 600 to 800 bytes each.
fn most_of((_, contacts): (Engine, ContactMode)) -> f64 {
    match (is_full(), contacts) {
        (false, _) => 64.0,
        (true, ContactMode::Continuous) => 900.0,
        (true, _) => 300.0,
    }
}

/// Triangles that are all at one place; with keys, they go through height 0 at 1 s.
fn pile(triangles: usize, is_moving: bool) -> BodyDef {
    let at = |z: f32| (0..3 * triangles).map(move |v| [(v % 3 % 2) as f32, (v % 3 / 2) as f32, z]);
    let mesh =
        Mesh::new(3 * triangles, (0..triangles as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let plan = if is_moving {
        Flightplan::keyframes(vec![0.0, 1.5, 2.0], at(1.0).chain(at(-0.5)).chain(at(-1.0)).collect())
    } else {
        Flightplan::fixed(at(0.0).collect())
    };
    BodyDef::new(mesh, plan)
}

#[test]
fn coincident_triangles() {
    let count = size(60, 3000);
    for kind in MODES {
        let most = most_of(kind);
        // At one place from the start: the second body is refused, or all is found.
        let name = format!("{count} coincident triangles, two bodies at rest, {kind:?}");
        let outcome = bounded(&name, most, || {
            let mut world = world(kind);
            world.add_body(pile(count, false)).unwrap();
            let added = world.add_body(pile(count, false));
            (world.bodies().count(), added, world.contacts().len(), world)
        });
        match &outcome.1 {
            Ok(_) => assert_eq!(outcome.2, count * count, "{name}"),
            Err(error) => assert!(is_limit(error) && outcome.0 == 1 && outcome.2 == 0, "{name}: {error}"),
        }
        assert_eq!(outcome.1.is_err(), is_full(), "{name}: the bound is for the full size");
        drop(outcome.3);
        // They meet in the course of an advance.
        let name = format!("{count} coincident triangles that meet, {kind:?}");
        let (met, later) = bounded(&name, most, || {
            let mut world = world(kind);
            world.add_body(pile(count, true)).unwrap();
            // The windows of continuous contacts are decided from here on.
            if let Err(error) = world.add_body(pile(count, false)) {
                return (Err(error), Ok(0));
            }
            let met = world.advance_to(1.0).map(|()| world.contacts().len()).map_err(Into::into);
            (met, world.advance_to(1.75).map(|()| world.contacts().len()))
        });
        match met {
            Ok(contacts) => assert_eq!(contacts, count * count, "{name}"),
            Err(error) => assert!(is_limit(&error), "{name}: {error}"),
        }
        // The world goes on once they have parted.
        assert_eq!(later, Ok(0), "{name}");
        // One body with itself: its corners are welded where they rest, so that triangles are neighbours.
        let name = format!("{count} coincident triangles, one body with itself, {kind:?}");
        let (added, contacts) = bounded(&name, most, || {
            let mut world = world(kind);
            let added = world.add_body(pile(count, false).self_contact(true)).map(|_| ());
            (added, world.contacts().len())
        });
        match added {
            Ok(()) => assert!(contacts <= count * (count - 1) / 2, "{name}"),
            Err(error) => assert!(is_limit(&error) && contacts == 0, "{name}: {error}"),
        }
    }
}

#[test]
fn points_in_few_places_with_one_in_a_leaf() {
    let (count, places) = (size(400, 2000), size(24, 120));
    for kind in MODES {
        let most = most_of(kind);
        let name = format!("{count} points in {places} places, leaf size 1, {kind:?}");
        bounded(&name, most, || {
            let place = |number: usize| [(number % places % 12) as f32, (number % places / 12) as f32, 0.0];
            let keys = |shift: f32| (0..count).map(move |number| place(number).map(|x| x + shift));
            let plan = Flightplan::keyframes(vec![0.0, 1.0], keys(0.0).chain(keys(2.0)).collect());
            let build = BuildParams { leaf_size: 1, ..BuildParams::default() };
            let def = BodyDef::new(Mesh::points(count).unwrap(), plan).build(build).self_contact(true).thickness(0.125);
            let mut world = world(kind);
            match world.add_body(def) {
                Ok(_) => world.advance_to(0.5).unwrap(),
                Err(error) => assert!(is_limit(&error), "{name}: {error}"),
            }
        });
    }
}

#[test]
fn bodies_at_one_place() {
    let count = size(30, 3000);
    let most = if is_full() { 1024.0 } else { 64.0 };
    for kind in MODES.into_iter().filter(|kind| matches!(kind.0, Engine::Auto | Engine::Kinetic)) {
        let name = format!("{count} bodies at one place, {kind:?}");
        let (added, outcome) = bounded(&name, most, || {
            let mut world = world(kind);
            for number in 0..count {
                if let Err(error) = world.add_body(pile(1, number % 2 == 0)) {
                    return (number, Err(error));
                }
            }
            (count, world.advance_to(1.0).map_err(Into::into))
        });
        println!("    {added} added: {outcome:?}");
        assert!(outcome.as_ref().map_or_else(is_limit, |()| added == count), "{outcome:?}");
    }
}

#[test]
fn windows_of_curved_motion() {
    for (kind, tangent) in
        [(Engine::Auto, 1e4f32), (Engine::Kinetic, 1e4), (Engine::Auto, 1e12), (Engine::Kinetic, 1e12)]
    {
        if tangent > 1e6 && !is_full() {
            continue;
        }
        let name = format!("twelve triangles along a curve of tangent {tangent:e}, {kind:?}");
        let outcome = bounded(&name, 300.0, || {
            let mut world = world((kind, ContactMode::Continuous));
            let places = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            let corners: Vec<[f32; 3]> =
                (0..6).flat_map(|t| places.map(|[x, y, z]| [x, y, z + 0.25 * t as f32])).collect();
            let mesh = Mesh::new(18, (0..6).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
            let tangents = vec![[tangent, 0.0, 0.0]; 36];
            let keys = [corners.clone(), corners.clone()].concat();
            let plan = Flightplan::hermite(vec![0.0, 1.0], keys, tangents.clone(), tangents);
            let a = world.add_body(BodyDef::new(mesh.clone(), plan)).unwrap();
            let b = world.add_body(BodyDef::new(mesh, Flightplan::fixed(corners))).unwrap();
            world.set_pair_thickness(a, b, Some(f64::from(tangent) * 10.0)).unwrap_or_else(|error| println!("{error}"));
            world.advance_to(1.0).map(|()| world.log().count())
        });
        println!("    {outcome:?}");
        assert!(matches!(outcome, Ok(_) | Err(AdvanceError::Limit { .. })), "{outcome:?}");
    }
}

#[test]
fn a_loop_of_the_shortest_period() {
    let limits = WorldLimits { events: size(2_000, 1 << 25) as u64, ..WorldLimits::DEFAULT };
    for kind in MODES {
        let name = format!("a loop of 2^-11 s to 10^6 s, {kind:?}");
        let outcome = bounded(&name, most_of(kind), || {
            let mut world = world(kind);
            world.set_limits(limits);
            let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 2.0], [0.0, 1.0, z + 2.0]];
            let times = vec![0.0, 0.5f64.powi(12), 0.5f64.powi(11)];
            let plan = Flightplan::keyframes(times, [at(1.0), at(-0.5), at(1.0)].concat());
            let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
            world.add_body(BodyDef::new(mesh.clone(), plan.outside(Outside::Loop))).unwrap();
            let floor = Flightplan::fixed(vec![[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]]);
            world.add_body(BodyDef::new(mesh, floor)).unwrap();
            let outcome = world.advance_to(1e6);
            (outcome, world.time())
        });
        println!("    {outcome:?}");
        let (ended, time) = outcome;
        assert!(
            ended == Ok(()) || matches!(ended, Err(AdvanceError::Limit { time: at, .. }) if at == time),
            "{ended:?}"
        );
    }
}

#[test]
fn thickness_of_half_the_body() {
    let side = size(10, 40);
    for kind in MODES {
        let most = most_of(kind);
        let name = format!("{} triangles, thickness of half the body, {kind:?}", 2 * side * side);
        let added = bounded(&name, most, || {
            let at = |row: usize, column: usize| (row * (side + 1) + column) as u32;
            let triangles = (0..side * side).flat_map(|cell| {
                let (row, column) = (cell / side, cell % side);
                let corners = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
                [[corners[0], corners[1], corners[2]], [corners[1], corners[3], corners[2]]]
            });
            let vertices = (side + 1) * (side + 1);
            let place = |v: usize, key: f32| {
                let (x, y) = ((v % (side + 1)) as f32 / side as f32, (v / (side + 1)) as f32 / side as f32);
                [x, y, 0.1 * key * (7.0 * x + 5.0 * y).sin()]
            };
            let keys = [0.0, 1.0].into_iter().flat_map(|key| (0..vertices).map(move |v| place(v, key))).collect();
            let mesh = Mesh::new(vertices, triangles.collect()).unwrap();
            let plan = Flightplan::keyframes(vec![0.0, 1.0], keys);
            let mut world = world(kind);
            let added = world.add_body(BodyDef::new(mesh, plan).self_contact(true).thickness(0.5)).map(|_| ());
            let moved = world.advance_to(0.5);
            println!("    {added:?}, {moved:?}, {} contacts", world.contacts().len());
            added
        });
        assert!(added.as_ref().map_or_else(is_limit, |()| true), "{added:?}");
    }
}
