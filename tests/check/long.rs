//! Long clips: their keys are read part by part, and the outcome is that of all keys at once.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::check_support::{difference, file, file_until, wave, with};
use crate::io_support::{Folder, Random, pc2};
use kinetree::check::{CheckError, CheckSettings, check, check_again, outline, parse_result};
use kinetree::io::{MotionData, Scene, SceneWorldError, parse_scene, read_scene};
use kinetree::{ContactChange, ContactMode, IgnoredContacts, WorldDef};

/// Vertices that no triangle uses make the keys of a few triangles long.
const UNUSED: usize = 13_000;
const KEYS: usize = 150;

/// A long clip in a file of 24 MB: four triangles that swing through each other and a floor, with
/// `more` in the table of the body.
fn long(folder: &Folder, more: &str) -> (Scene, PathBuf) {
    let mut random = Random::new(7);
    let mut obj = String::new();
    let rest: Vec<[f32; 3]> =
        (0..12 + UNUSED).map(|vertex| [vertex as f32 % 7.0, (vertex / 7) as f32 % 5.0, 0.0]).collect();
    rest.iter().for_each(|point| writeln!(obj, "v {} {} {}", point[0], point[1], point[2]).unwrap());
    (0..4).for_each(|face| writeln!(obj, "f {} {} {}", 3 * face + 1, 3 * face + 2, 3 * face + 3).unwrap());
    let mut positions = Vec::with_capacity(KEYS * rest.len() * 3);
    for key in 0..KEYS {
        let start = positions.len();
        positions.extend_from_slice(rest.as_flattened());
        for vertex in 0..12 {
            positions[start + 3 * vertex + 2] = random.below(1000) as f32 * 1e-3 - 0.5;
        }
        positions[start + 3 * 20] = key as f32;
    }
    folder.write("a.obj", &obj);
    folder.write("floor.obj", "v -9 -9 0.4\nv 30 -9 0.4\nv -9 30 0.4\nf 1 2 3\n");
    folder.write("a.pc2", pc2(rest.len() as i32, 0.0, 1.0, KEYS as i32, &positions));
    let text = format!(
        "fps = 24\n[[body]]\nname = 'a'\nmesh = 'a.obj'\nmotion = 'a.pc2'\nself_contact = true\ncheck_order = false\n\
         {more}\n[[body]]\nname = 'floor'\nmesh = 'floor.obj'\n"
    );
    (parse_scene(&text, &folder.path("scene.toml")).unwrap(), folder.path("a.pc2"))
}

/// The contacts over time of a world with all keys in memory, as begin and end by bodies and
/// triangles.
fn of_all_keys(scene: &Scene, ignored: IgnoredContacts) -> Vec<([u32; 4], u64, u64)> {
    let [begin, end] = scene.default_span().unwrap();
    let def = WorldDef::new().start(begin).contacts(ContactMode::Continuous);
    let (mut world, ids) = scene.world(def, ignored).unwrap();
    let number = |id| ids.iter().position(|&other| other == id).unwrap() as u32;
    let mut all = Vec::new();
    for time in scene.sample_times().into_iter().chain([end]) {
        world.advance_to(time).unwrap();
        for change in world.contact_changes() {
            if let ContactChange::Ended { contact, began, time, .. } = change {
                let names = [number(contact.a), number(contact.b), contact.triangle_a, contact.triangle_b];
                all.push((names, began.map_or(begin, |began| began.lo).to_bits(), time.hi.to_bits()));
            }
        }
    }
    for ongoing in world.ongoing_contacts() {
        let contact = ongoing.contact;
        let names = [number(contact.a), number(contact.b), contact.triangle_a, contact.triangle_b];
        all.push((names, ongoing.began.lo.to_bits(), end.to_bits()));
    }
    all.sort_unstable();
    all
}

#[test]
fn a_clip_longer_than_what_is_held_gives_the_contacts_of_all_its_keys() {
    let (at_rest, none) = (IgnoredContacts::AtRest, IgnoredContacts::None);
    let cases = [("", at_rest), ("outside = 'error'\ntranslate = [0.25, 0, 0]", none), ("outside = 'loop'", at_rest)];
    for (more, ignored) in cases {
        let folder = Folder::new();
        let (scene, _) = long(&folder, more);
        assert!(matches!(scene.bodies[0].motion, MotionData::Cached { .. }));
        let settings = with(|settings| settings.ignored = ignored);
        let result = check(&scene, &settings, |_| ControlFlow::Continue(())).unwrap();
        let mut found: Vec<_> = result
            .contacts
            .iter()
            .map(|it| {
                let ([a, b], [p, q]) = (it.bodies, it.triangles);
                ([a, b, p, q], it.begin.to_bits(), it.end.to_bits())
            })
            .collect();
        found.sort_unstable();
        let expected = of_all_keys(&scene, ignored);
        assert!(expected.len() > 100, "{}", expected.len());
        assert!(found == expected, "{more}: {} {}", found.len(), expected.len());
        // Fingerprints are those of a world with all keys.
        let (world, _) = scene.world(WorldDef::new(), ignored).unwrap();
        let [begin, end] = result.whole;
        let identity = result.identity.clone().unwrap();
        assert_eq!(identity.bodies, world.identity(begin, end).bodies, "{more}");
        assert_eq!(identity.rules, world.identity(begin, end).rules, "{more}");
        for (stretch, ends) in result.stretches.cuts.windows(2).enumerate() {
            let bodies: Vec<u64> = result.stretches.bodies.iter().map(|body| body[stretch]).collect();
            assert_eq!(bodies, world.identity(ends[0], ends[1]).bodies, "{more} {stretch}");
        }
        assert_eq!(outline(&scene, &settings).unwrap().identity, identity);
        // Incidents are measured by positions that are read block by block.
        let mut stored = scene.clone();
        stored.bodies[0].motion = stored.bodies[0].motion.in_memory().unwrap();
        let again = check(&stored, &settings, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((again.contacts, again.incidents), (result.contacts, result.incidents), "{more}");
    }
}

#[test]
fn parts_give_the_bytes_of_one() {
    let folder = Folder::new();
    for seed in 0..2 {
        let scene = wave(&folder, seed);
        for stop in [false, true] {
            let one = with(|settings| settings.stop_at_first = stop);
            let parts = with(|settings| (settings.parts, settings.stop_at_first) = (3, stop));
            for last in [5, usize::MAX] {
                let (whole, divided) = (file_until(&scene, &one, last), file_until(&scene, &parts, last));
                let [whole, divided] = [whole, divided].map(|bytes| String::from_utf8(bytes).unwrap());
                assert_eq!(difference(&whole, &divided), None, "seed {seed} stop {stop} last {last}");
            }
        }
    }
}

#[test]
fn what_did_not_change_is_taken_for_long_clips_too() {
    let folder = Folder::new();
    let (mut scene, _) = long(&folder, "");
    let settings = CheckSettings::default();
    let earlier = parse_result(std::str::from_utf8(&file(&scene, &settings)).unwrap()).unwrap();
    scene.bodies[0].motion = scene.bodies[0].motion.in_memory().unwrap();
    let MotionData::Keyframes { positions, .. } = &mut scene.bodies[0].motion else { panic!("in memory") };
    positions[(100 * (12 + UNUSED) + 4) * 3 + 2] += 0.25;
    let (again, reused) = check_again(&scene, &settings, &earlier, |_| ControlFlow::Continue(())).unwrap();
    let new = check(&scene, &settings, |_| ControlFlow::Continue(())).unwrap();
    assert!(reused.taken > reused.of / 2, "{reused:?}");
    assert_eq!((again.contacts, again.incidents), (new.contacts, new.incidents));
}

#[test]
fn a_cache_that_changes_is_refused() {
    let folder = Folder::new();
    let scene = wave(&folder, 1);
    let Some(body) = scene.bodies.iter().find(|body| matches!(body.motion, MotionData::Cached { .. })) else {
        panic!("a body with a cache")
    };
    let path = body.motion_file.clone().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 4]).unwrap();
    let refused = check(&scene, &CheckSettings::default(), |_| ControlFlow::Continue(())).unwrap_err();
    let CheckError::Scene(SceneWorldError::Read(error)) = &refused else { panic!("{refused:?}") };
    assert_eq!(error.file(), path);
    assert!(refused.to_string().contains("has changed since the scene was read"), "{refused}");
    std::fs::remove_file(&path).unwrap();
    assert!(check(&scene, &CheckSettings::default(), |_| ControlFlow::Continue(())).is_err());
    assert_eq!(body.vertices_at_key(0), None);
    assert!(body.motion.in_memory().is_err());
    assert!(read_scene(folder.path("1/scene.toml")).is_err());
}
