//! Reduced bodies and stored keys of the same scene: intervals, memory, parts, what is told of them.

use std::collections::BTreeMap;

use kinetree::Outside;
use kinetree::check::{CheckSettings, Sampling, check};
use kinetree::io::{MotionData, Scene, SceneOptions, read_scene, read_scene_with};
use kinetree::motion::{KeyLayout, Motion, check_sampler};
use kinetree::reduced::Pose;
use kinetree::time::Moment;
use kinetree::world::{ContactMode, IgnoredContacts, WorldDef};
use serde_json::Value;

use crate::agreement::{checked, tentacles};
use crate::io_support::Folder;
use crate::program::{run, text};
use crate::tentacle::tentacle;

/// Two triangles, and from when to when they touch, seconds.
type Interval = (String, [f64; 2]);

/// The scene of tentacles with a tolerance, metres, for both of them.
fn scene(folder: &Folder, tolerance: f64) -> String {
    let text = std::fs::read_to_string(tentacles(folder, "fps = 24")).unwrap();
    let text = text.replace("span = [0.0, 1.5]", "span = [0.0, 0.8]");
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
    let intervals = |result: &Value| -> Vec<Interval> {
        let all = result["intervals"].as_array().unwrap().iter();
        let pair = |it: &Value| ["a", "triangle_a", "b", "triangle_b"].map(|key| it[key].to_string()).join(" ");
        all.map(|it| (pair(it), ["begin", "end"].map(|key| it[key].as_f64().unwrap()))).collect()
    };
    let (one, two) = (intervals(&reduced), intervals(&stored));
    assert!(one.len() > 1000, "{}", one.len());
    // Positions differ by the rounding to `f32`, 10⁻⁷ m: 10⁻⁴ s at a speed of a millimetre a second.
    let missing = |of: &[Interval], among: &[Interval]| {
        let mut known: BTreeMap<&str, Vec<[f64; 2]>> = BTreeMap::new();
        among.iter().for_each(|(pair, ends)| known.entry(pair).or_default().push(*ends));
        let is_near = |one: [f64; 2], two: [f64; 2]| (0..2).all(|end| (one[end] - two[end]).abs() < 1e-4);
        let has = |(pair, ends): &&Interval| {
            known.get(pair.as_str()).is_some_and(|others| others.iter().any(|other| is_near(*ends, *other)))
        };
        of.iter().filter(|it| !has(it)).count()
    };
    let (lost, more) = (missing(&one, &two), missing(&two, &one));
    println!("{} intervals, {lost} not among the {} of stored keys, {more} the other way", one.len(), two.len());
    assert!(100 * lost < one.len() && 100 * more < two.len());
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
        for step in 0..20 {
            world.advance_to(f64::from(step) / 100.0).unwrap();
            most = most.max(world.stats().bytes);
        }
        assert!(world.audit().is_clean());
        (keys, most)
    };
    let [(few, coarse), (many, fine)] = [1e-3, 1e-6].map(bytes);
    assert!(many > 10 * few, "{few} {many}");
    // Key times and moments remain, at most 64 bytes a key and body.
    assert!(fine < coarse + coarse / 4 + 2 * 64 * many, "{coarse} bytes with {few} keys, {fine} with {many}");
}

#[test]
fn samples_are_those_of_the_true_motion_whatever_the_tolerance() {
    let folder = Folder::new();
    let times: Vec<f64> = (1..22).map(|k| 0.0371 * f64::from(k)).collect();
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
    assert!(coarse.iter().map(Vec::len).sum::<usize>() > 500);
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
        let parts = [part("a.json", &["--frames", "0-12"]), part("b.json", &["--frames", "12-19"])];
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

#[test]
fn placed_bodies_stay_within_their_bounds() {
    let folder = Folder::new();
    folder.write("t.glb", tentacle().glb());
    let text = "[[body]]
name = \"arm\"
mesh = \"t.glb@curl\"
tolerance = 0.01
transform = [[0, -3, 0.5, 10], [2, 0, 0, -4], [0, 0.2, 5, 0], [0, 0, 0, 1]]
";
    let scene = read_scene(folder.write("placed.toml", text)).unwrap();
    let body = &scene.bodies[0];
    let MotionData::Reduced(motion) = &body.motion else { panic!() };
    let sampler = motion.body().sampler_at(motion.keys().clone(), None, Outside::Hold).unwrap();
    check_sampler(&*sampler).unwrap();
    let most = motion.keys().largest_deviation();
    assert_eq!(body.deviation, Some(most));
    let plan = Motion::new(motion.flightplan(), sampler.vertex_count(), KeyLayout::KeyMajor).unwrap();
    let (mut largest, mut pose) = (0.0f64, Pose::default());
    for step in 0..997 {
        let at = Moment::at(f64::from(step) / 997.0);
        let (mut chord, mut truth) = (Vec::new(), Vec::new());
        plan.positions(at, &mut chord);
        motion.body().pose(at, &mut pose);
        motion.body().mesh().evaluate_all(&pose, &mut truth).unwrap();
        // At its own times the true motion jumps, and the plan travels before.
        if motion.times().iter().all(|key| (key - at.time()).abs() > 1e-5) {
            for (one, two) in chord.iter().zip(&truth) {
                largest = largest.max((0..3).map(|axis| (one[axis] - two[axis]).powi(2)).sum::<f64>().sqrt());
            }
        }
    }
    assert!(largest <= most && largest > 0.1 * most, "{largest} of {most}");
    assert!(body.measured_deviation <= most && body.measured_deviation > 0.1 * most, "{}", body.measured_deviation);
}
