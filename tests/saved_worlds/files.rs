//! Saved worlds that were cut, changed, extended, forged, or written by another version.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kinetree::world::{BodyDef, ContactMode, Engine, LoadError, World, WorldDef};
use kinetree::{Flightplan, Mesh};

use super::common::checksum::checksum;
use super::common::dice::Dice;
use super::history::definitions;
use super::{Host, told};

/// A file with the right length and checksum.
fn forged(payload: &[u8]) -> Vec<u8> {
    let mut file = b"KTWD\x0f\0\0\0".to_vec();
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(checksum(payload).to_le_bytes());
    file.extend(payload);
    file
}

fn read(bytes: &[u8]) -> Result<World, LoadError> {
    World::from_bytes(bytes, |_| None)
}

/// Two triangles that cross, in a world with events.
fn small() -> World {
    let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous);
    let mut world = World::new(def).unwrap();
    let triangle = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    world.add_body(BodyDef::new(mesh(), Flightplan::fixed(triangle(0.0))).named("floor")).unwrap();
    let keys = [triangle(1.0), triangle(-1.0)].concat();
    world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(vec![0.0, 2.0], keys)).named("leaf")).unwrap();
    world.advance_to(0.75).unwrap();
    world
}

/// A triangle that hangs falls through one that lies, and touches it now.
fn touching() -> World {
    let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous);
    let mut world = World::new(def).unwrap();
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let lying = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    world.add_body(BodyDef::new(mesh(), Flightplan::fixed(lying))).unwrap();
    let hanging = |z: f32| [[0.1, 0.1, z], [0.4, 0.2, z], [0.2, 0.3, z + 0.7]];
    let keys = [hanging(1.0), hanging(-0.3), hanging(-2.0)].concat();
    world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))).unwrap();
    world.advance_to(1.0).unwrap();
    assert_eq!(world.contacts().len(), 1);
    world
}

/// A folded strip against itself and a floor, in the middle of an interval whose candidates are
/// known.
fn interval() -> World {
    folded(Engine::Interval)
}

/// The same with refits, whose fronts are kept.
fn refitted() -> World {
    folded(Engine::Refit)
}

fn folded(engine: Engine) -> World {
    let def = WorldDef::new().engine(engine);
    let mut world = World::new(def).unwrap();
    let strip = Mesh::new(10, (0..8).map(|i| [i, i + 1, i + 2]).collect()).unwrap();
    let at = |fold: f32| -> Vec<[f32; 3]> {
        let along = |i: u32| [0.1 * i as f32 - fold * (i as f32 - 5.0).max(0.0), 0.2 * (i % 2) as f32, 0.02 * i as f32];
        (0..10).map(along).collect()
    };
    let plan = |folds: [f32; 3]| Flightplan::keyframes(vec![0.0, 1.0, 2.0], folds.map(at).concat());
    world.add_body(BodyDef::new(strip.clone(), plan([0.0, 0.2, 0.25])).self_contact(true)).unwrap();
    world.add_body(BodyDef::new(strip, plan([0.1, 0.1, 0.0]))).unwrap();
    for step in 1..14 {
        world.advance_to(0.1 * f64::from(step)).unwrap();
    }
    world
}

#[test]
fn every_cut_and_every_changed_bit_is_refused() {
    let mut files = vec![small().to_bytes().unwrap()];
    for def in definitions() {
        files.push(Host::begun(def, &mut Dice::new(2, &[33]), 6).world.to_bytes().unwrap());
    }
    for (number, file) in files.iter().enumerate() {
        assert!(read(file).is_ok() && forged(&file[24..]) == *file, "file {number}");
        // All of the small file, a part of the others.
        for length in (0..file.len()).filter(|&length| number == 0 || length < 40 || length % 53 == 0) {
            let refused = read(&file[..length]).unwrap_err();
            match refused {
                LoadError::NotWorld => assert!(length < 4),
                LoadError::Length { expected, found } => {
                    assert_eq!((found, expected), (length as u64, if length < 24 { 24 } else { file.len() as u64 }));
                }
                _ => panic!("file {number}, {length} bytes: {refused}"),
            }
        }
        for place in 0..file.len() {
            for bit in (0..8).filter(|&bit| number == 0 || place < 40 || bit == place % 8) {
                let mut changed = file.clone();
                changed[place] ^= 1 << bit;
                let refused = read(&changed).expect_err("a bit is another");
                let is_told = match place {
                    0..4 => refused == LoadError::NotWorld,
                    4..8 => matches!(refused, LoadError::Version { .. }),
                    8..16 => matches!(refused, LoadError::Length { .. }),
                    _ => refused == LoadError::Checksum,
                };
                assert!(is_told, "file {number}, byte {place}: {refused}");
            }
        }
        let longer = [&file[..], &[0]].concat();
        assert!(matches!(read(&longer), Err(LoadError::Length { .. })));
    }
}

#[test]
fn other_versions_are_refused() {
    let file = small().to_bytes().unwrap();
    let mut later = file.clone();
    later[4] = 16;
    let refused = read(&later).unwrap_err();
    assert_eq!(refused, LoadError::Version { found: 16, expected: 15 });
    assert_eq!(refused.to_string(), "the saved world has version 16; only version 15 can be read");
    // The payload begins with the version of the library.
    let mut payload = file[24..].to_vec();
    assert_eq!(&payload[1..=payload[0] as usize], env!("CARGO_PKG_VERSION").as_bytes());
    payload[1] = b'9';
    let refused = read(&forged(&payload)).unwrap_err();
    let expected = env!("CARGO_PKG_VERSION").to_owned();
    assert_eq!(refused, LoadError::Program { found: format!("9{}", &expected[1..]), expected });
    assert_eq!(read(b"KTRC").unwrap_err(), LoadError::NotWorld);
    let longer = forged(&[&file[24..], &[0; 3]].concat());
    assert_eq!(read(&longer).unwrap_err(), LoadError::Part { message: "3 bytes are left over".to_owned() });
}

/// What a structure holds is what its file holds. If these change, so does the version in
/// `world/saved`.
#[test]
fn the_layout_is_that_of_its_version() {
    let known = [
        (1260, 0xcd60_8e55_e801_957f),
        (2400, 0x4350_8926_ab34_1512),
        (7812, 0xd3f7_8e54_f7f0_9a83),
        (3292, 0x3ed2_7204_6a10_6204),
    ];
    let found = [small(), touching(), interval(), refitted()].map(|world| {
        let file = world.to_bytes().unwrap();
        (file.len(), checksum(&file[24..]))
    });
    assert!(found == known, "raise VERSION if a structure changed: {found:x?}");
}

#[test]
fn forged_lengths_do_not_fill_the_memory() {
    // Checksums match; values are any. Reading never panics, and takes no more memory than the
    // bytes allow.
    let payload = small().to_bytes().unwrap()[24..].to_vec();
    let dice = &mut Dice::new(1, &[34]);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..4000 {
        let mut changed = payload.clone();
        let place = dice.below(changed.len());
        match dice.below(3) {
            0 => changed[place] = dice.pick(&[0, 1, 0x7f, 0x80, 0xff, changed[place] ^ 1]),
            1 => changed.truncate(place),
            _ => {
                let tail = changed.split_off(place);
                changed.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
                changed.extend(tail);
            }
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&forged(&changed)).map(drop)));
        match outcome.expect("reading does not panic") {
            Ok(()) => accepted += 1,
            Err(LoadError::Part { .. } | LoadError::NoSampler { .. } | LoadError::Program { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 2000 && accepted > 100, "{refused} refused, {accepted} accepted");
    // Numbers of bodies that are not there, among others.
    let payload = touching().to_bytes().unwrap()[24..].to_vec();
    for place in 0..payload.len() {
        let mut changed = payload.clone();
        changed[place] = 100;
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&forged(&changed)).map(drop)));
        assert!(outcome.is_ok(), "byte {place}");
    }
}

#[test]
fn parts_are_written_once() {
    // Two bodies with equal key times hold them once; so does the file, and the loaded world.
    let keys: Vec<f64> = (0..4000).map(f64::from).collect();
    let size = |offset: f64| {
        let mut world = World::new(WorldDef::new()).unwrap();
        for body in 0..2 {
            let times = keys.iter().map(|key| key + offset * f64::from(body)).collect();
            let def = BodyDef::new(Mesh::points(1).unwrap(), Flightplan::keyframes(times, vec![[0.0; 3]; 4000]));
            world.add_body(def).unwrap();
        }
        let bytes = world.to_bytes().unwrap();
        let again = read(&bytes).unwrap();
        assert_eq!(told(&again), told(&world));
        (bytes.len(), world.stats().bytes, again.stats().bytes)
    };
    let ((shared, ..), (own, ..)) = (size(0.0), size(0.5));
    assert!(own - shared > 31_000, "{shared} and {own} bytes");
}
