//! Memory of pairs of bodies that part is used by those that meet next. Nothing a host sees depends
//! on it: a clone of a world has none of it, so a world that is replaced by its clone after each
//! step allocates all of it again. It is counted, and released once it is not used.

use crate::common::kinds::MODES;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

/// Keys, half a second apart, and steps between two of them.
const KEYS: usize = 12;
const STEPS: usize = 5;

/// Cloths of different sizes, most of which come near some of the others and part again.
fn world((engine, contacts): (Engine, ContactMode)) -> World {
    let mut world = World::new(WorldDef::new().engine(engine).contacts(contacts)).unwrap();
    for number in 0..8 {
        let clip = jittered_grid_cloth(number, 1 + number as usize % 3, 2, KEYS);
        let place = |key: usize, [x, y, z]: [f32; 3]| {
            let along = 1.5 * ((key as f32) * (0.9 + 0.2 * number as f32)).sin();
            [x + along + (number % 3) as f32, y + 0.3 * (number / 3) as f32, z]
        };
        let keys = (0..KEYS).flat_map(|key| clip.key(key).iter().map(move |&point| place(key, point)));
        let times = (0..KEYS).map(|key| 0.5 * key as f64).collect();
        let plan = Flightplan::keyframes(times, keys.collect());
        world.add_body(BodyDef::new(Mesh::new(clip.vertex_count, clip.triangles).unwrap(), plan)).unwrap();
    }
    world
}

fn spare(world: &World) -> usize {
    world.bytes_by_part().iter().find(|(part, _)| *part == "spare").map_or(0, |&(_, bytes)| bytes)
}

/// What a host sees of a step, so that not a bit may differ.
fn story(world: &World) -> String {
    let stats = world.stats();
    format!(
        "{} {} {} {} {:?} {:?} {:?} {:?} {:?} {:?}",
        world.log().hash(),
        stats.events,
        stats.scheduled,
        stats.triangle_tests,
        stats.list,
        stats.broad_phase,
        world.contacts(),
        world.contact_changes(),
        world.ongoing_contacts(),
        world.interval_stats(),
    )
}

#[test]
fn results_do_not_depend_on_memory_that_is_used_again() {
    for mode in MODES.into_iter().filter(|mode| mode.0 != Engine::BruteForce) {
        let (mut keeping, mut other) = (world(mode), world(mode));
        let (mut was_kept, mut touched) = (false, false);
        for step in 1..=(KEYS - 1) * STEPS {
            let time = 0.5 * step as f64 / STEPS as f64;
            keeping.advance_to(time).unwrap();
            other.advance_to(time).unwrap();
            was_kept |= spare(&keeping) > 0;
            touched |= !keeping.contacts().is_empty();
            if mode.1 == ContactMode::Continuous || mode.0 == Engine::Kinetic {
                assert_eq!(story(&keeping), story(&other), "{mode:?} at {time}");
            } else {
                // What was prepared for the next interval is lost with a clone, and counted.
                let seen = |world: &World| (world.contacts().to_vec(), world.contact_changes().to_vec());
                assert_eq!(seen(&keeping), seen(&other), "{mode:?} at {time}");
            }
            other = other.clone();
        }
        assert!(was_kept && touched, "{mode:?}: kept {was_kept}, touched {touched}");
        let audit = keeping.audit();
        assert!(audit.faults.is_empty(), "{mode:?}: {audit:?}");
    }
}

#[test]
fn memory_that_is_not_used_is_counted_and_released() {
    for mode in MODES.into_iter().filter(|mode| mode.0 != Engine::BruteForce) {
        let mut world = world(mode);
        let bodies: Vec<_> = world.bodies().collect();
        for step in 1..=KEYS * STEPS / 2 {
            world.advance_to(0.5 * step as f64 / STEPS as f64).unwrap();
        }
        for &body in &bodies[1..] {
            world.remove_body(body).unwrap();
        }
        let (kept, bytes) = (spare(&world), world.stats().bytes);
        assert!(kept > 0, "{mode:?}");
        let time = world.time();
        for step in 1..=64 {
            world.advance_to(time + f64::from(step) / 1024.0).unwrap();
        }
        assert_eq!(spare(&world), 0, "{mode:?}");
        assert!(world.stats().bytes < bytes, "{mode:?}");
    }
}
