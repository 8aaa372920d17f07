//! The program as a user runs it: output, files, exit statuses, messages.

use std::path::Path;

use crate::io_support::Folder;
use crate::io_support::data::shared;
use crate::program::{run, text};
use kinetree::world::Engine;

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

/// What was not checked is not said to pass: no pair never touches, and conditions of incidents are
/// refused.
#[test]
fn a_check_that_stops_at_the_first_contact_judges_contacts_alone() {
    let folder = Folder::new();
    let two = dip(&folder);
    let both = std::fs::read_to_string(&two).unwrap()
        + "[[body]]\nname = \"wall\"\nmesh = \"floor.obj\"\ntranslate = [0, 0, 9]\n";
    let scene = folder.write_at("three.toml", &both);
    let report = folder.at("first.html");
    let first = run(&["check", &scene, "--fps", "10", "--first", "--report", &report]);
    let told = text(&first.stdout);
    assert!(
        told.contains("stopped at the first contact: the rest, from 0.7 s to") && !told.contains("never"),
        "{told}"
    );
    assert!(told.contains("2 of 3 pairs of bodies did not touch until then"), "{told}");
    let page = std::fs::read_to_string(&report).unwrap();
    assert!(page.contains("Stopped at the first contact, at") && !page.contains("never touch"));
    let part = run(&["check", &scene, "--fps", "10", "--span", "0..0.8"]);
    assert!(text(&part.stdout).contains("do not touch in this part"), "{}", text(&part.stdout));
    let whole = run(&["check", &scene, "--fps", "10"]);
    assert!(text(&whole.stdout).contains("2 of 3 pairs of bodies never touch"), "{}", text(&whole.stdout));
    let gate = ["check", &scene, "-q", "--first", "--fail-on", "contacts"];
    assert_eq!(run(&gate).status.code(), Some(1));
    for more in [&["--fail-on", "frames>3"][..], &["--junit", &folder.at("x.xml")], &["--github"]] {
        let refused = run(&[&gate[..4], more].concat());
        let message = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{more:?}");
        assert!(message.contains("--first stops at the first contact"), "{message}");
    }
}

#[test]
fn results_of_bodies_at_rest_keep_what_touches() {
    let folder = Folder::new();
    folder.write("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    folder.write("tip.obj", "v 0 0 -1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n");
    let bodies = ["floor", "tip"].map(|name| format!("[[body]]\nname = \"{name}\"\nmesh = \"{name}.obj\"\n"));
    let scene = folder.write_at("still.toml", bodies.concat());
    let [part, joined, whole] = ["part.json", "joined.json", "whole.json"].map(|name| folder.at(name));
    for arguments in [
        &["check", &scene, "-q", "--no-incidents", "-o", &part][..],
        &["merge", &part, "-q", "--scene", &scene, "-o", &joined],
        &["check", &scene, "-q", "-o", &whole],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let [joined, mut whole] = [joined, whole].map(|name| json(Path::new(&name)));
    assert_eq!((whole["incidents"].as_array().unwrap().len(), whole["intervals"].as_array().unwrap().len()), (1, 1));
    whole.as_object_mut().unwrap().remove("stats");
    assert_eq!(joined, whole);
    // Samples alone lead to no incidents, and the file does not say that there are none.
    let sampled = folder.at("sampled.json");
    assert_eq!(run(&["check", &dip(&folder), "-q", "--intervals=false", "-o", &sampled]).status.code(), Some(0));
    assert!(json(Path::new(&sampled)).get("incidents").is_none());
}

#[test]
fn engines_write_the_same_samples() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let samples: Vec<serde_json::Value> = ["kinetic", "refit", "interval", "brute-force"]
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
    let falls = "[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\nvelocity = [0, 0, -1]\n";
    let still = folder.write("still.toml", falls);
    let cases: [(&[&str], &[&str]); 13] = [
        (&["check"], &["Usage"]),
        (&["check", &folder.write_at("floor.txt", "v 0 0 0\n")], &["floor.txt, line 1", "a scene is a TOML file"]),
        (&["check", &scene, "--times", "1e300"], &["--times", "1e300 s", "1.099511627776e12 s"]),
        (&["check", "no/such.toml"], &["no/such.toml"]),
        (&["check", nan.to_str().unwrap()], &["nan.obj", "line 2"]),
        (&["check", typo.to_str().unwrap()], &["typo.toml", "motoin"]),
        (&["check", ends.to_str().unwrap(), "--times", "1,7"], &["tip", "7 s"]),
        (&["check", still.to_str().unwrap()], &["--times"]),
        (&["check", &scene, "--fps", "0"], &["--fps", "0"]),
        (&["check", &scene, "--times", "2,1"], &["--times", "1 s", "2 s"]),
        (&["check", &scene, "--engine", "refit", "--intervals"], &["'kinetic'", "'refit'"]),
        (&["check", &scene, "--engine", "grid"], &["'grid'", "brute-force"]),
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

/// A loop that begins in contact and ends far away, and a partner with a key in between: at the
/// wrap the old position counts.
#[test]
fn a_wrap_in_samples_and_intervals() {
    let folder = Folder::new();
    let moved = |y: f64, z: f64| format!("[1,0,0,0, 0,1,0,{y}, 0,0,1,{z}, 0,0,0,1]");
    let frames =
        |times: &str, frames: &[String]| format!("{{\"times\": {times}, \"frames\": [{}]}}", frames.join(", "));
    folder.write("mover.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("mover.json", frames("[0, 1]", &[moved(0.0, 0.0), moved(0.0, -0.625)]));
    folder.write("post.obj", "v 0.25 0.25 -0.5\nv 0.25 0.25 0.5\nv 0.5 0.25 0\nf 1 2 3\n");
    folder.write("post.json", frames("[0, 0.5, 1]", &[moved(0.0, 0.0), moved(0.125, 0.0), moved(0.0, 0.0)]));
    let scene = folder.write_at(
        "scene.toml",
        "span = [0, 2]\n[[body]]\nname = \"mover\"\nmesh = \"mover.obj\"\nmotion = \"mover.json\"\noutside = \"loop\"\n\
         [[body]]\nname = \"post\"\nmesh = \"post.obj\"\nmotion = \"post.json\"\n",
    );
    let (out, kept) = (folder.at("out.json"), folder.at("scene.kbake"));
    assert_eq!(run(&["bake", &scene, "-o", &kept]).status.code(), Some(0));
    let report = |more: &[&str]| {
        let output = run(&[&["check", &scene, "-q", "--json", &out], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report = json(Path::new(&out));
        let pairs = |sample: &serde_json::Value| sample["pairs"].as_array().unwrap().len();
        let samples: Vec<usize> = report["samples"].as_array().unwrap().iter().map(pairs).collect();
        let row = |row: &serde_json::Value| {
            let [begin, end] = ["begin", "end"].map(|name| row[name].as_f64().unwrap());
            let flags =
                ["open_begin", "open_end", "clipped_begin", "clipped_end"].map(|name| row[name].as_bool().unwrap());
            (begin, (end * 16.0).round() / 16.0, flags)
        };
        (samples, report["intervals"].as_array().unwrap().iter().map(row).collect::<Vec<_>>())
    };
    let (first, later) = ((0.0, 0.8125, [false, false, true, false]), (1.0, 1.8125, [true, false, false, false]));
    for baked in [&[][..], &["--baked", &kept]] {
        let of = |times| report(&[&["--times", times], baked].concat());
        assert_eq!(of("0,0.5,1"), (vec![1, 1, 0], vec![first]), "{baked:?}");
        assert_eq!(of("0,1,1.5,2"), (vec![1, 0, 1, 0], vec![first, later]), "{baked:?}");
        assert_eq!(of("1,1.5,2"), (vec![0, 1, 0], vec![later]), "{baked:?}");
        assert_eq!(of("1"), (vec![0], vec![]), "{baked:?}");
    }
    let stopped = run(&["check", &scene, "--first", "--times", "0.875,1,1.25,1.5"]);
    assert!(text(&stopped.stdout).contains("from 0.875 s to 1.25 s"), "{}", text(&stopped.stdout));
}

#[test]
fn stored_engines_are_read_by_the_names_that_are_printed() {
    let read = |name: &str| serde_json::from_value::<Engine>(serde_json::Value::from(name));
    for engine in [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
        assert_eq!(serde_json::to_value(engine).unwrap(), engine.to_string());
        assert_eq!(read(&engine.to_string()).unwrap(), engine);
    }
    let message = read("grid").unwrap_err().to_string();
    assert!(message.contains("unknown variant `grid`"), "{message}");
}

#[test]
fn self_contact_on_request() {
    let folder = Folder::new();
    // Two crossing triangles of one mesh.
    folder.write("cross.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nv 0 0 -1\nv 0.5 0 1\nv -0.5 0 1\nf 1 2 3\nf 4 5 6\n");
    let scene =
        folder.write("scene.toml", "span = [0, 1]\nfps = 1\n[[body]]\nname = \"cross\"\nmesh = \"cross.obj\"\n");
    let scene = scene.to_str().unwrap();
    let of_scene = |scene: &str, more: &[&str]| {
        run(&[&["check", scene, "-q", "--fail-on", "contacts"], more].concat()).status.code()
    };
    assert_eq!(of_scene(scene, &["--self"]), Some(1));
    assert_eq!(of_scene(scene, &["--self", "--ignore-rest-contacts"]), Some(0));
    // A body that is alone needs no asking, and the output says so.
    assert_eq!(of_scene(scene, &[]), Some(1));
    let told = run(&["check", scene]);
    assert!(text(&told.stderr).contains("'cross' is alone in its scene, so it is tested against itself"));
    assert!(text(&told.stdout).contains("cross with itself"), "{}", text(&told.stdout));
    folder.write("one.obj", "v 9 9 9\nv 8 9 9\nv 9 8 9\nf 1 2 3\n");
    let told = run(&["check", &folder.at("one.obj")]);
    assert!(text(&told.stdout).contains("one does not touch itself"), "{}", text(&told.stdout));
    // One that is not alone does.
    folder.write("far.obj", "v 9 9 9\nv 8 9 9\nv 9 8 9\nf 1 2 3\n");
    let both = "span = [0, 1]\nfps = 1\n[[body]]\nname = \"cross\"\nmesh = \"cross.obj\"\n\
                [[body]]\nname = \"far\"\nmesh = \"far.obj\"\n";
    let both = folder.write_at("both.toml", both);
    assert_eq!((of_scene(&both, &[]), of_scene(&both, &["--self"])), (Some(0), Some(1)));
}

#[test]
fn nothing_tested_is_not_nothing_found() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let exclude = "[[exclude]]\nbodies = [\"floor\", \"tip\"]\n";
    let scene = folder.write_at("none.toml", std::fs::read_to_string(scene).unwrap() + exclude);
    let output = run(&["check", &scene, "-q", "--fail-on", "contacts"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(output.stdout.is_empty() && text(&output.stderr).contains("--self"), "{}", text(&output.stderr));
    let output = run(&["check", &scene]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("no pair of bodies is tested") && text(&output.stdout).contains("--self"));
    assert_eq!(run(&["check", &scene, "-q", "--fail-on", "contacts", "--self"]).status.code(), Some(0));
    let writing = [0, 2, 4, 130, 141];
    let all = [0, 1, 2, 3, 4, 130, 141];
    let cases: [(&[&str], &[i32]); 10] = [
        (&[], &all),
        (&["check"], &all),
        (&["replay"], &[0, 1, 2, 4, 130, 141]),
        (&["merge"], &writing),
        (&["bake"], &writing),
        (&["bench"], &writing),
        (&["info"], &writing),
        (&["init"], &writing),
        (&["render"], &writing),
        (&["pack"], &writing),
    ];
    for (command, statuses) in cases {
        let help = text(&run(&[command, &["--help"]].concat()).stdout);
        let (_, list) = help.split_once("Exit status:").unwrap_or_else(|| panic!("{command:?}: {help}"));
        let found = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()?.parse::<i32>().ok());
        assert_eq!(found.collect::<Vec<_>>(), statuses, "{command:?}");
    }
}

#[test]
fn rest_contacts_are_those_of_placed_bodies() {
    let folder = Folder::new();
    // Two triangles cross in their files, at the origin; keys carry one of them.
    folder.write("a.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("b.obj", "v 0 0 -1\nv 0.5 0 1\nv -0.5 0 1\nf 1 2 3\n");
    let row = |x: f64| format!("[1, 0, 0, {x}, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]");
    let carried = |name: &str, xs: [f64; 3]| {
        folder.write(&format!("{name}.json"), format!("{{\"frames\": [{}]}}", xs.map(row).join(", ")));
        let scene = format!(
            "fps = 1\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\ntranslate = [100, 0, 0]\n\
             [[body]]\nname = \"b\"\nmesh = \"b.obj\"\nmotion = \"{name}.json\"\n"
        );
        folder.write_at(&format!("{name}.toml"), scene)
    };
    let status = |scene: &str, more: &[&str]| {
        run(&[&["check", scene, "-q", "--fail-on", "contacts", "--ignore-rest-contacts"], more].concat()).status.code()
    };
    // Far apart at the first key, and then into each other: the contact counts.
    assert_eq!(status(&carried("comes", [90.0, 100.0, 110.0]), &[]), Some(1));
    // In contact at the first key, apart, and in contact again: it does not, whichever time is
    // asked for first.
    let returns = carried("returns", [100.0, 90.0, 100.0]);
    assert_eq!((status(&returns, &[]), status(&returns, &["--times", "1,1.5,2"])), (Some(0), Some(0)));
    // A velocity counts from the scene's begin, not from the first time asked for, when the two
    // already touch.
    let meets = "span = [-2, 1]\nfps = 1\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n[[body]]\nname = \"b\"\n\
                 mesh = \"b.obj\"\ntranslate = [0, 0, -2]\nvelocity = [0, 0, -2]\n";
    assert_eq!(status(&folder.write_at("meets.toml", meets), &["--times=-1,0"]), Some(1));
    if let Some(repro) = shared("repro/4-rest-contacts/scene.toml") {
        let repro = repro.to_str().unwrap();
        let intervals = |name: &str, more: &[&str]| {
            let out = folder.at(name);
            assert!(run(&[&["check", repro, "-q", "--json", &out], more].concat()).status.success());
            json(Path::new(&out))["intervals"].clone()
        };
        let plain = intervals("plain.json", &[]);
        assert_eq!(plain.as_array().unwrap().len(), 62);
        assert_eq!(intervals("ignoring.json", &["--ignore-rest-contacts"]), plain);
    }
}

#[test]
fn a_part_without_samples_is_not_nothing_found() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let gate = |more: &[&str]| {
        let part = ["check", &scene, "-q", "--span", "0.25..0.5", "--fail-on", "contacts"];
        let output = run(&[&part[..], more].concat());
        (output.status.code(), text(&output.stderr))
    };
    let (status, message) = gate(&["--intervals=false"]);
    assert_eq!(status, Some(3), "{message}");
    assert!(message.contains("no sample lies in the part") && message.contains("--fps"), "{message}");
    for more in [&[][..], &["--intervals=false", "--fps", "10"]] {
        assert_eq!(gate(more).0, Some(0), "{more:?}");
    }
}

#[test]
fn times_at_which_nothing_moves_are_refused() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let ask = |scene: &str, times: &str| {
        let output = run(&["check", scene, &format!("--times={times}")]);
        (output.status.code(), text(&output.stderr))
    };
    for (times, parts) in [
        ("1,2.5", ["2.5 s is after the last key", "'tip' at 2 s", "`span`"]),
        ("-0.5,1", ["-0.5 s is before the first key", "'tip' at 0 s", "`span`"]),
    ] {
        let (status, message) = ask(&scene, times);
        assert!(status == Some(2) && parts.iter().all(|part| message.contains(part)), "{times}: {message}");
    }
    assert_eq!(ask(&scene, "0,2").0, Some(0));
    // With a span the bodies are held over it, and with a loop or a velocity something moves at any
    // time.
    let plain = std::fs::read_to_string(&scene).unwrap();
    let held = folder.write_at("held.toml", format!("span = [-1, 3]\n{plain}"));
    assert_eq!((ask(&held, "-1,2.5").0, ask(&held, "3.5").0), (Some(0), Some(2)));
    let looped = folder.write_at("looped.toml", format!("{plain}outside = \"loop\"\n"));
    let falls = "[[body]]\nname = \"falls\"\nmesh = \"floor.obj\"\nvelocity = [0, 0, -1]\n";
    let falls = folder.write_at("falls.toml", format!("{plain}{falls}"));
    assert_eq!((ask(&looped, "7").0, ask(&falls, "7").0), (Some(0), Some(0)));
}

#[test]
fn bodies_at_rest_touch_at_any_time_or_never() {
    let folder = Folder::new();
    folder.write("a.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("b.obj", "v 0 0 -1\nv 0.5 0 1\nv -0.5 0 1\nf 1 2 3\n");
    let scene = |name: &str, place: &str| {
        let b = format!("[[body]]\nname = \"b\"\nmesh = \"b.obj\"\ntranslate = {place}\n");
        folder.write_at(name, format!("[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n{b}"))
    };
    let (touching, apart) = (scene("touching.toml", "[0, 0, 0]"), scene("apart.toml", "[0, 0, 5]"));
    let out = folder.at("out.json");
    let output = run(&["check", &touching, "--json", &out, "--fail-on", "contacts"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("nothing moves, so this holds at any time") && told.contains("a - b"), "{told}");
    let report = json(Path::new(&out));
    assert_eq!(report["samples"][0]["pairs"].as_array().unwrap().len(), 1);
    assert_eq!(report["samples"].as_array().unwrap().len(), 1);
    assert_eq!(run(&["check", &apart, "-q", "--fail-on", "contacts"]).status.code(), Some(0));
    assert_eq!(run(&["check", &touching, "--times", "7", "-q", "--fail-on", "contacts"]).status.code(), Some(1));
    assert!(text(&run(&["info", &touching]).stdout).contains("Nothing moves"));
    // A span without a key in it is looked at at its ends.
    let falls = "span = [1, 2]\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\nvelocity = [0, 0, 2]\n\
                 [[body]]\nname = \"b\"\nmesh = \"b.obj\"\ntranslate = [0, 0, 3]\n";
    let falls = folder.write_at("falls.toml", falls);
    assert_eq!(run(&["check", &falls, "-q", "--fail-on", "contacts"]).status.code(), Some(1));
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
    let refused = run(&["check", &scene, "--thickness", "1e38"]);
    assert!(text(&refused.stderr).contains("metres from 0 to 1.2676506002282294e30"), "{}", text(&refused.stderr));
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
