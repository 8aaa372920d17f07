//! Reduced bodies and stored keys of the same scene: intervals, memory, parts, what is told of them.

use kinetree::check::{CheckSettings, Sampling, check};
use kinetree::io::{MotionData, Scene, SceneOptions, read_scene, read_scene_with};
use kinetree::world::{ContactMode, IgnoredContacts, WorldDef};
use serde_json::Value;

use crate::agreement::{checked, tentacles};
use crate::io_support::Folder;
use crate::program::{run, text};

/// The scene of tentacles with a tolerance, metres, for both of them.
fn scene(folder: &Folder, tolerance: f64) -> String {
    let text = std::fs::read_to_string(tentacles(folder, "fps = 24")).unwrap();
    let text = text.replace("mesh = \"tentacle", &format!("tolerance = {tolerance:?}\nmesh = \"tentacle"));
    folder.write_at(&format!("{tolerance:?}.toml"), text)
}

fn read(path: &str) -> Scene {
    read_scene_with(path, SceneOptions::default().allowing_outside(true)).unwrap()
}

#[test]
fn intervals_of_reduced_bodies_are_those_of_stored_keys() {
    let folder = Folder::new();
    let scene = scene(&folder, 1e-5);
    let [reduced, stored] = [&[][..], &["--stored"]].map(|more| checked(&scene, &folder, more));
    let is_reduced = |result: &Value| -> Vec<bool> {
        result["bodies"].as_array().unwrap().iter().map(|body| body["reduced"] == true).collect()
    };
    assert_eq!((is_reduced(&reduced), is_reduced(&stored)), (vec![true, true, false], vec![false; 3]));
    for body in 0..2 {
        let bound = |result: &Value| result["bodies"][body]["deviation"]["bound"].as_f64().unwrap();
        assert!(bound(&reduced) <= 1e-5 && bound(&reduced) == bound(&stored), "{} {}", bound(&reduced), bound(&stored));
    }
    let intervals = |result: &Value| -> Vec<(Value, f64, f64)> {
        let all = result["intervals"].as_array().unwrap().iter();
        let pair = |it: &Value| Value::from(["a", "triangle_a", "b", "triangle_b"].map(|key| it[key].clone()).to_vec());
        all.map(|it| (pair(it), it["begin"].as_f64().unwrap(), it["end"].as_f64().unwrap())).collect()
    };
    let (one, two) = (intervals(&reduced), intervals(&stored));
    assert!(one.len() > 1000, "{}", one.len());
    // Positions differ by the rounding to `f32`, 10⁻⁷ m: 10⁻⁴ s at a speed of a millimetre a second.
    let missing = |of: &[(Value, f64, f64)], among: &[(Value, f64, f64)]| {
        let has = |it: &&(Value, f64, f64)| {
            among.iter().any(|other| it.0 == other.0 && (it.1 - other.1).abs() < 1e-4 && (it.2 - other.2).abs() < 1e-4)
        };
        of.iter().filter(|it| !has(it)).count()
    };
    let sample: Vec<_> = one.iter().step_by(7).cloned().collect();
    let other: Vec<_> = two.iter().step_by(7).cloned().collect();
    let (lost, more) = (missing(&sample, &two), missing(&other, &one));
    assert!(
        50 * lost < sample.len() && 50 * more < other.len(),
        "{lost} of {}, {more} of {}",
        sample.len(),
        other.len()
    );
}

#[test]
fn memory_does_not_depend_on_the_tolerance() {
    let folder = Folder::new();
    let bytes = |tolerance: f64| {
        let scene = read(&scene(&folder, tolerance));
        let keys = scene.bodies[0].motion.key_count();
        assert!(matches!(scene.bodies[0].motion, MotionData::Reduced(_)));
        let (mut world, _) =
            scene.world(WorldDef::new().contacts(ContactMode::Continuous), IgnoredContacts::None).unwrap();
        let mut most = 0;
        for step in 0..150 {
            world.advance_to(f64::from(step) / 100.0).unwrap();
            most = most.max(world.stats().bytes);
        }
        assert!(world.audit().is_clean());
        (keys, most)
    };
    let [(few, coarse), (many, fine)] = [1e-3, 1e-7].map(bytes);
    assert!(many > 50 * few, "{few} {many}");
    // Key times and moments remain, at most 64 bytes a key and body.
    assert!(fine < coarse + coarse / 4 + 2 * 64 * many, "{coarse} bytes with {few} keys, {fine} with {many}");
}

#[test]
fn samples_are_those_of_the_true_motion_whatever_the_tolerance() {
    let folder = Folder::new();
    let times: Vec<f64> = (1..40).map(|k| 0.0371 * f64::from(k)).collect();
    let contacts = |tolerance: f64| {
        let scene = read(&scene(&folder, tolerance));
        let mut settings = CheckSettings::default();
        (settings.sampling, settings.over_time) = (Sampling::Times(times.clone()), Some(false));
        let mut all = Vec::new();
        let result = check(&scene, &settings, |sample| {
            all.push(sample.contacts.to_vec());
            std::ops::ControlFlow::Continue(())
        });
        (all, result.unwrap().identity.unwrap())
    };
    let [(coarse, one), (fine, two)] = [1.0, 1e-5].map(contacts);
    assert!(coarse.iter().map(Vec::len).sum::<usize>() > 1000);
    assert_eq!(coarse, fine);
    assert_ne!(one.bodies[0], two.bodies[0], "keys between the samples are others");
}

#[test]
fn parts_join_to_the_whole_and_take_the_scene() {
    let folder = Folder::new();
    let scene = scene(&folder, 1e-3);
    for more in [&[][..], &["--stored"]] {
        let part = |name: &str, span: &[&str]| {
            let out = folder.at(name);
            let output = run(&[&["check", &scene, "-q", "--allow-outside", "-o", &out], span, more].concat());
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            out
        };
        let whole = part("whole.json", &[]);
        let parts = [part("a.json", &["--span", "0..0.61"]), part("b.json", &["--span", "0.61..1.5"])];
        let joined = folder.at("joined.json");
        let merged = run(&["merge", &parts[0], &parts[1], "-o", &joined, "-q"]);
        assert_eq!(merged.status.code(), Some(0), "{}", text(&merged.stderr));
        let read = |path: &str| -> Value { serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap() };
        let (whole, joined) = (read(&whole), read(&joined));
        for member in ["bodies", "intervals", "samples", "identity"] {
            assert!(whole[member] == joined[member], "{member}, {more:?}");
        }
    }
}

#[test]
fn inputs_and_the_scene_file_made_of_them_are_one_scene() {
    let folder = Folder::new();
    tentacles(&folder, "");
    let model = folder.at("tentacle.glb");
    let made = folder.at("made.toml");
    let output = run(&["init", &format!("{model}#Tube@wave"), &format!("{model}#Tube@curl"), "-o", &made]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(&made).unwrap();
    assert!(written.contains("mesh = \"tentacle.glb#Tube@Rig|wave\"") && !written.contains("stored"), "{written}");
    let scene = read_scene(&made).unwrap();
    let twice = read_scene(&made).unwrap();
    assert_eq!(scene, twice, "equal content, from two readings");
    assert_ne!(scene.bodies[0].motion, scene.bodies[1].motion);
    let stats = run(&["check", &made, "--stats", "--times=0.3"]);
    assert!(
        text(&stats.stdout).contains("reduced, not stored: tentacle/Tube, tentacle/Tube (2)"),
        "{}",
        text(&stats.stdout)
    );
    let info = text(&run(&["info", &made]).stdout);
    assert!(info.contains("reduced"), "{info}");
}
