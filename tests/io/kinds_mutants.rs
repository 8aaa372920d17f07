//! Damaged scenes of stated primitives and plans, and damaged files of spheres: nothing panics, and what is accepted can be run.

use crate::io_support::{Folder, Random};
use kinetree::io::{parse_scene, parse_spheres};
use kinetree::{IgnoredContacts, WorldDef};

const PIECES: [&str; 14] = [
    "-1",
    "1e39",
    "nan",
    "inf",
    "[]",
    "[[",
    "],",
    "0",
    "4294967295",
    "18446744073709551615",
    "'",
    "{}",
    ", ",
    "1e-300",
];

/// The seed with up to two changes.
fn mutate(random: &mut Random, seed: &str) -> Vec<u8> {
    let mut bytes = seed.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(12)).min(bytes.len());
        let piece = PIECES[random.below(PIECES.len())].bytes();
        match random.below(4) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, piece)),
            2 => drop(bytes.splice(at..(at + 1).min(bytes.len()), piece)),
            _ => bytes[at] = b"0123456789.-[]{}"[random.below(16)],
        }
    }
    bytes
}

#[test]
fn damaged_scenes_are_refused_or_run() {
    let folder = Folder::new();
    for file in ["rope.json", "blob.json", "wing.json"] {
        folder.write(file, std::fs::read(format!("fixtures/kinds/{file}")).unwrap());
    }
    let seed = std::fs::read_to_string("fixtures/kinds/scene.toml").unwrap();
    let (mut random, mut accepted, mut refused) = (Random::new(7), 0, 0);
    for _ in 0..3_000 {
        let text = String::from_utf8_lossy(&mutate(&mut random, &seed)).into_owned();
        match parse_scene(&text, &folder.path("scene.toml")) {
            Ok(scene) => {
                accepted += 1;
                for body in &scene.bodies {
                    let vertices = body.mesh.positions.len();
                    assert!(body.mesh.triangles.as_flattened().iter().all(|&vertex| (vertex as usize) < vertices));
                    (0..body.motion.key_count()).for_each(|key| drop(body.vertices_at_key(key)));
                }
                let mut def = WorldDef::new();
                def.start = scene.default_span().map_or(0.0, |[begin, _]| begin);
                let (mut world, _) = scene.world(def, IgnoredContacts::None).unwrap();
                world.advance_to(def.start + 0.5).unwrap();
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().len() < 1_500, "a message, not a file: {error}");
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 100 && refused > 100);
}

#[test]
fn damaged_files_of_spheres_are_refused_or_whole() {
    let seed = std::fs::read_to_string("fixtures/kinds/blob.json").unwrap();
    let (mut random, mut accepted, mut refused) = (Random::new(8), 0, 0);
    for _ in 0..20_000 {
        match parse_spheres(&mutate(&mut random, &seed), "x".as_ref()) {
            Ok(file) => {
                accepted += 1;
                assert!(!file.poses.is_empty() && file.sphere_count() > 0);
                for pose in &file.poses {
                    assert_eq!(pose.spheres.len(), file.sphere_count());
                    assert!(
                        pose.spheres
                            .iter()
                            .all(|sphere| sphere.radius >= 0.0 && sphere.centre.iter().all(|x| x.is_finite()))
                    );
                }
                assert_eq!(parse_spheres(file.to_json().as_bytes(), "x".as_ref()).unwrap(), file);
            }
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 1_000 && refused > 1_000, "{accepted} {refused}");
}
