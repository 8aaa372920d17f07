//! The program as a user runs it: output, files, exit statuses, messages.

#![cfg(feature = "cli")]

mod io_support;
mod program;

use std::path::Path;

use io_support::Folder;
use kinetree::world::Engine;
use program::{run, text};

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A pointer that dips through a floor between 2/3 s and 4/3 s, in a folder of its own.
fn dip(folder: &Folder) -> String {
    folder.write("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    for (frame, height) in [1.0, -0.5, 1.0].into_iter().enumerate() {
        let z = height + 1.0;
        folder.write(&format!("tip_{frame}.obj"), format!("v 0 0 {height}\nv 1 0 {z}\nv 0 1 {z}\nf 1 2 3\n"));
    }
    let scene = "fps = 1\n[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n\
                 [[body]]\nname = \"tip\"\nmotion = \"tip_#.obj\"\n";
    folder.write("scene.toml", scene).to_str().unwrap().to_owned()
}

#[test]
fn intervals_and_samples_of_a_dip() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let (out, table) = (folder.path("out.json"), folder.path("out.csv"));
    let output = run(&["check", &scene, "--json", out.to_str().unwrap(), "--csv", table.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    assert!(summary.contains("floor - tip") && summary.contains("0.666667 s"), "{summary}");
    let report = json(&out);
    assert_eq!(report["format"], "kinetree-contacts/1");
    assert_eq!(report["bodies"][1]["name"], "tip");
    let counts: Vec<usize> =
        report["samples"].as_array().unwrap().iter().map(|s| s["pairs"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [0, 1, 0]);
    let interval = &report["intervals"][0];
    assert_eq!((&interval["a"], &interval["b"]), (&"floor".into(), &"tip".into()));
    assert!((interval["begin"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert!((interval["end"].as_f64().unwrap() - 4.0 / 3.0).abs() < 1e-12);
    assert_eq!((&interval["clipped_begin"], &interval["undecided"]), (&false.into(), &false.into()));
    assert_eq!(std::fs::read_to_string(table).unwrap(), "time,a,triangle_a,b,triangle_b\n1.0,floor,0,tip,0\n");
}

#[test]
fn what_happens_between_samples_is_found_and_fails_on_request() {
    let folder = Folder::new();
    let scene = dip(&folder);
    // At 0 s and 2 s nothing touches.
    let missed = ["check", &scene, "--times", "0,2", "--intervals=false", "--fail-on", "contacts", "-q"];
    assert_eq!(run(&missed).status.code(), Some(0));
    let found = run(&["check", &scene, "--times", "0,2", "--fail-on", "contacts", "-q"]);
    assert_eq!(found.status.code(), Some(1));
    assert!(found.stdout.is_empty());
    let first = run(&["check", &scene, "--fps", "10", "--first"]);
    assert!(text(&first.stdout).contains("from 0 s to 0.7 s"), "{}", text(&first.stdout));
}

#[test]
fn engines_write_the_same_samples() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let samples: Vec<serde_json::Value> = ["live", "refit", "window", "brute"]
        .into_iter()
        .map(|engine| {
            let out = folder.path(&format!("{engine}.json"));
            let output = run(&["check", &scene, "--fps", "16", "--engine", engine, "--json", out.to_str().unwrap()]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            json(&out)["samples"].take()
        })
        .collect();
    assert!(samples.iter().all(|other| *other == samples[0]));
    assert!(samples[0].as_array().unwrap().iter().any(|sample| !sample["pairs"].as_array().unwrap().is_empty()));
}

#[test]
fn the_shipped_scene_can_be_described() {
    let output = run(&["info", "fixtures/cloth_ball/scene.toml"]);
    assert_eq!(output.status.code(), Some(0));
    let told = text(&output.stdout);
    for part in ["cloth", "12 800", "keyframes", "94", "3.8750 s", "not tested: ball - floor"] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn bad_usage_and_bad_input_end_with_status_2_and_say_why() {
    let folder = Folder::new();
    let scene = dip(&folder);
    folder.write("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n");
    let nan = folder.write("nan.toml", "span = [0, 1]\n[[body]]\nname = \"bad\"\nmesh = \"nan.obj\"\n");
    let typo = folder.write("typo.toml", "fps = 1\n[[body]]\nname = \"a\"\nmesh = \"floor.obj\"\nmotoin = \"x\"\n");
    let ends =
        folder.write("ends.toml", "fps = 1\n[[body]]\nname = \"tip\"\nmotion = \"tip_#.obj\"\noutside = \"error\"\n");
    let still = folder.write("still.toml", "[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n");
    let cases: [(&[&str], &[&str]); 12] = [
        (&["check"], &["Usage"]),
        (&["check", "no/such.toml"], &["no/such.toml"]),
        (&["check", nan.to_str().unwrap()], &["nan.obj", "line 2"]),
        (&["check", typo.to_str().unwrap()], &["typo.toml", "motoin"]),
        (&["check", ends.to_str().unwrap(), "--times", "1,7"], &["tip", "7 s"]),
        (&["check", still.to_str().unwrap()], &["--times"]),
        (&["check", &scene, "--fps", "0"], &["--fps", "0"]),
        (&["check", &scene, "--times", "2,1"], &["--times", "1 s", "2 s"]),
        (&["check", &scene, "--engine", "refit", "--intervals"], &["live", "'refit'"]),
        (&["check", &scene, "--engine", "grid"], &["'grid'", "use 'refit'"]),
        (&["check", &scene, "--engine", "baked"], &["'baked'", "'auto' or 'refit'"]),
        (&["check", &scene, "--json", "no/such/folder/out.json"], &["no/such/folder/out.json"]),
    ];
    for (arguments, parts) in cases {
        let output = run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        for part in parts {
            assert!(message.contains(part), "{arguments:?}: {part} is not in {message}");
        }
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn stored_engines_that_no_longer_exist_are_refused_and_old_names_are_read() {
    let read = |name: &str| serde_json::from_value::<Engine>(serde_json::Value::from(name));
    for engine in [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
        assert_eq!(serde_json::to_value(engine).unwrap(), engine.to_string());
        assert_eq!(read(&engine.to_string()).unwrap(), engine);
    }
    for (name, engine) in [("live", Engine::Kinetic), ("window", Engine::Interval), ("brute", Engine::BruteForce)] {
        assert_eq!(read(name).unwrap(), engine);
    }
    for (name, part) in [("grid", "use 'refit'"), ("baked", "'auto' or 'refit'"), ("grill", "unknown variant")] {
        let message = read(name).unwrap_err().to_string();
        assert!(message.contains(name) && message.contains(part), "{message}");
    }
}

#[test]
fn self_contact_on_request() {
    let folder = Folder::new();
    // Two crossing triangles of one mesh.
    folder.write("cross.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nv 0 0 -1\nv 0.5 0 1\nv -0.5 0 1\nf 1 2 3\nf 4 5 6\n");
    let scene =
        folder.write("scene.toml", "span = [0, 1]\nfps = 1\n[[body]]\nname = \"cross\"\nmesh = \"cross.obj\"\n");
    let scene = scene.to_str().unwrap();
    let status = |more: &[&str]| run(&[&["check", scene, "-q", "--fail-on", "contacts"], more].concat()).status.code();
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--self"]), Some(1));
    assert_eq!(status(&["--self", "--ignore-rest-contacts"]), Some(0));
}

#[test]
fn every_tree_finds_the_same() {
    /// Around the two frames at which cloth and ball touch.
    const TIMES: &str = "--times=0.9,0.9166666666666666,0.93,0.9583333333333334";
    let folder = Folder::new();
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball/scene.toml");
    let report = |name: &str, more: &[&str]| {
        let path = folder.write(name, "");
        let status = run(&[&["check", scene, "-q", TIMES, "--csv", path.to_str().unwrap()], more].concat()).status;
        assert!(status.success(), "{more:?}: {status}");
        std::fs::read_to_string(path).unwrap()
    };
    let usual = report("usual.csv", &[]);
    assert!(usual.lines().count() > 3, "{} lines", usual.lines().count());
    assert_eq!(report("aabb.csv", &["--tree", "aabb"]), usual);
    assert_eq!(report("box.csv", &["--tree", "box"]), usual);
    assert_eq!(run(&["check", scene, "--tree", "oak"]).status.code(), Some(2));
}

#[test]
fn thickness_and_neighbours_on_request() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let out = folder.path("thick.json");
    let intervals = |more: &[&str]| {
        let status = run(&[&["check", &scene, "-q", "--json", out.to_str().unwrap()], more].concat()).status;
        assert_eq!(status.code(), Some(0));
        let row = &json(&out)["intervals"][0];
        (row["begin"].as_f64().unwrap(), row["end"].as_f64().unwrap())
    };
    // The tip falls 1.5 m in a second, from 1 m, and rises as fast.
    for (thickness, expected) in [("0", (2.0 / 3.0, 4.0 / 3.0)), ("0.25", (0.5, 1.5)), ("1", (0.0, 2.0))] {
        let (begin, end) = intervals(&["--thickness", thickness]);
        assert!((begin - expected.0).abs() < 1e-9 && (end - expected.1).abs() < 1e-9, "{thickness}: {begin} {end}");
    }
    let refused = run(&["check", &scene, "--thickness", "-1"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--thickness: -1 is not a number of metres"), "{}", text(&refused.stderr));
    // A hinge that closes upon itself: nothing without a look at neighbours.
    for (frame, height) in [1.0, 0.0, 1.0].into_iter().enumerate() {
        let flap = format!("v 0 0 0\nv 4 0 0\nv 2 2 0\nv 2 1 {height}\nf 1 2 3\nf 1 4 2\n");
        folder.write(&format!("hinge_{frame}.obj"), &flap);
    }
    let scene = folder.write("hinge.toml", "fps = 1\n[[body]]\nname = \"hinge\"\nmotion = \"hinge_#.obj\"\n");
    let status = |more: &[&str]| {
        let plain = ["check", scene.to_str().unwrap(), "-q", "--fail-on", "contacts"];
        run(&[&plain, more].concat()).status.code()
    };
    assert_eq!((status(&["--self"]), status(&["--neighbours"])), (Some(0), Some(1)));
}
