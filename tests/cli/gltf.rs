//! `kinetree check` and `info` of a glTF model, as a user runs them.

use crate::build;
use std::path::Path;

use crate::build::Builder;
use crate::io_support::Folder;
use crate::program::{run, text};
use serde_json::{Value, json};

/// A square, and a strip of two joints whose tip one clip folds through the square and back, the other through its own foot.
fn folding() -> Builder {
    let mut file = Builder::new();
    let square = file.triangles(&[
        [0.5, -1.0, 0.25],
        [0.5, 1.0, 0.25],
        [0.5, 1.0, 2.0],
        [0.5, -1.0, 0.25],
        [0.5, 1.0, 2.0],
        [0.5, -1.0, 2.0],
    ]);
    let corners =
        [[0.0, -0.1, 0.0], [0.0, 0.1, 0.0], [0.0, -0.1, 1.0], [0.0, 0.1, 1.0], [0.0, -0.1, 1.9], [0.0, 0.1, 1.9]];
    let positions = file.vectors(&corners);
    let indices = file.accessor("SCALAR", build::UNSIGNED_BYTE, 12, &[0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4]);
    let (foot, tip) = ([0; 4], [1, 0, 0, 0]);
    let [joints, weights] = file.influences(&[foot, foot, foot, foot, tip, tip], &[[1.0, 0.0, 0.0, 0.0]; 6]);
    let attributes = json!({ "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights });
    file.push("materials", json!({ "name": "cloth" }));
    let strip = file.mesh(json!([{ "attributes": attributes, "indices": indices, "material": 0 }]));
    file.push("nodes", json!({ "name": "square", "mesh": square }));
    file.push("nodes", json!({ "name": "strip", "mesh": strip, "skin": 0 }));
    file.push("nodes", json!({ "name": "foot", "children": [3] }));
    file.push("nodes", json!({ "name": "tip", "translation": [0, 0, 1] }));
    let identity: [f32; 16] = std::array::from_fn(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
    let mut bind = identity;
    bind[14] = -1.0;
    let binds = file.accessor("MAT4", build::FLOAT, 2, &build::floats(&[identity, bind].concat()));
    file.push("skins", json!({ "joints": [2, 3], "inverseBindMatrices": binds }));
    let times = file.scalars(&[0.0, 1.0, 2.0]);
    let turn = |degrees: f32| {
        let half = 0.5 * degrees.to_radians();
        [0.0, half.sin(), 0.0, half.cos()]
    };
    for (name, degrees) in [("Rig|reach", 90.0), ("Rig|away", -90.0)] {
        let turns = file.fours(&[turn(0.0), turn(degrees), turn(0.0)]);
        let channels = json!([{ "sampler": 0, "target": { "node": 3, "path": "rotation" } }]);
        file.push(
            "animations",
            json!({ "name": name, "channels": channels, "samplers": [{ "input": times, "output": turns }] }),
        );
    }
    file
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_model_is_checked_by_itself() {
    let folder = Folder::new();
    let model = folder.write("fold.glb", folding().glb());
    let model = model.to_str().unwrap();
    let out = folder.path("out.json");
    let output = run(&["check", model, "--clip", "reach", "--json", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("square - strip"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("of their true paths"), "{}", text(&output.stderr));
    let report = json_of(&out);
    let intervals = report["intervals"].as_array().unwrap();
    assert!(!intervals.is_empty());
    let ends = |key: &str| -> Vec<f64> { intervals.iter().map(|interval| interval[key].as_f64().unwrap()).collect() };
    let first = ends("begin").into_iter().fold(f64::INFINITY, f64::min);
    let last = ends("end").into_iter().fold(0.0, f64::max);
    // The tip is 0.9 from its joint and turns a quarter in a second: it comes to x = 0.5 when its sine is 0.5 / 0.9.
    let wanted = (0.5f64 / 0.9).asin() / std::f64::consts::FRAC_PI_2;
    assert!((first - wanted).abs() < 0.01 && (last - (2.0 - wanted)).abs() < 0.01, "{first} to {last}, not {wanted}");
    assert_eq!(report["samples"].as_array().unwrap().last().unwrap()["time"], 2.0);

    let away = run(&["check", model, "--clip", "Rig|away", "--self", "--fail-on", "contacts"]);
    assert_eq!(away.status.code(), Some(0), "{}", text(&away.stdout));
    assert!(text(&away.stdout).contains("strip with itself"));
    let fine = run(&["check", model, "--clip", "0", "--tolerance", "1e-5", "--fail-on", "contacts", "-q"]);
    assert_eq!(fine.status.code(), Some(1));
    assert!(text(&fine.stderr).contains("within 0.00001 m"), "{}", text(&fine.stderr));
}

#[test]
fn incidents_of_a_model_are_found_by_the_words_of_its_check() {
    let folder = Folder::new();
    folder.write("fold.glb", folding().glb());
    let [model, part, whole, joined] = ["fold.glb", "part.json", "whole.json", "joined.json"].map(|it| folder.at(it));
    let named = format!("{model}@reach");
    let cases: [(&str, &[&str]); 3] = [
        (&named, &[]),
        (&model, &["--clip", "reach", "--tolerance", "1e-5"]),
        (&model, &["--repair", "--stored", "--clip", "Rig|reach"]),
    ];
    for (input, options) in cases {
        for (file, more) in [(&part, &["--no-incidents"][..]), (&whole, &[][..])] {
            let output = run(&[&["check", input, "-q", "-o", file], options, more].concat());
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
        let output = run(&[&["merge", &part, "--scene", input, "-q", "-o", &joined], options].concat());
        assert_eq!(output.status.code(), Some(0), "{options:?}: {}", text(&output.stderr));
        let [expected, found] = [&whole, &joined].map(|file| json_of(Path::new(file)));
        assert!(!expected["incidents"].as_array().unwrap().is_empty());
        for member in ["bodies", "samples", "intervals", "incidents"] {
            assert!(expected[member] == found[member], "{options:?}: {member}");
        }
    }
    let other = run(&["merge", &part, "--scene", &format!("{model}@away"), "-q", "-o", &joined]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("not the scene of the result"), "{}", text(&other.stderr));
}

#[test]
fn notes_name_what_the_user_can_change() {
    let folder = Folder::new();
    folder.write("fold.glb", folding().glb());
    let body = "[[body]]\nname = \"strip\"\nmesh = \"fold.glb#strip@reach\"\n";
    let told = |arguments: &[&str]| text(&run(&[&["check"], arguments, &["-q"]].concat()).stderr);
    let direct = told(&[&folder.at("fold.glb")]);
    assert!(direct.contains("(--tolerance brings them nearer)"), "{direct}");
    assert!(direct.contains("(--fps sets another rate)"), "{direct}");
    let scene = told(&[&folder.write_at("scene.toml", body)]);
    assert!(scene.contains("(`tolerance` of the body brings them nearer)"), "{scene}");
    assert!(scene.contains("(`fps` of the body sets another rate)") && !scene.contains("--tolerance"), "{scene}");
    // What it names is taken.
    let finer = told(&[&folder.write_at("scene.toml", format!("{body}tolerance = 1e-5\nfps = 30\n"))]);
    assert!(finer.contains("at 30 frames a second; between keys, vertices are within 0.00001 m"), "{finer}");
}

#[test]
fn without_a_clip_the_first_is_used_and_the_others_are_named() {
    let folder = Folder::new();
    let model = folder.write("fold.gltf", folding().with_data_uri());
    let output = run(&["info", model.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    for part in [
        "fold.gltf, clip Rig|reach: ",
        "2 bodies",
        "square",
        "strip",
        "reduced",
        "the first of 2 clips is used: \"Rig|reach\", \"Rig|away\"",
    ] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    let stored = text(&run(&["info", model.to_str().unwrap(), "--stored"]).stdout);
    assert!(stored.contains("keyframes") && !stored.contains("reduced"), "{stored}");
}

#[test]
fn the_heading_names_the_clip_that_is_used() {
    let folder = Folder::new();
    folder.write("fold.glb", folding().glb());
    let model = folder.at("fold.glb");
    let heading = |word: &str| text(&run(&["info", word, "--clip", "Rig|away"]).stdout);
    let told = heading(&model);
    assert!(told.contains("fold.glb, clip Rig|away: 2 bodies"), "{told}");
    let named = format!("{model}@Rig|reach");
    let told = text(&run(&["info", &named]).stdout);
    assert!(told.contains("fold.glb@Rig|reach: 2 bodies"), "{told}");
    // Of two clips for one model, none is left out without a word.
    let twice = run(&["info", &named, "--clip", "Rig|away"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains("@Rig|reach names its clip; leave out one of the two"), "{twice:?}");
    assert_eq!(run(&["info", &named, &model, "--clip", "Rig|away"]).status.code(), Some(0));
}

#[test]
fn bad_models_and_bad_usage_end_with_status_2_and_say_why() {
    let folder = Folder::new();
    let model = folder.write("fold.glb", folding().glb());
    let model = model.to_str().unwrap();
    let mut bad = folding();
    let weights = bad.fours(&[[f32::NAN, 0.0, 0.0, 0.0]; 6]);
    bad.root["meshes"][1]["primitives"][0]["attributes"]["WEIGHTS_0"] = weights.into();
    let bad = folder.write("bad.glb", bad.glb());
    let bad = bad.to_str().unwrap();
    let short = folder.write("short.glb", &folding().glb()[..200]);
    let cases: [(&[&str], &[&str]); 7] = [
        (&["check", model, "--fail-on", "contacts", "--clip"], &["--fail-on: --clip without a name", "name a clip"]),
        (&["check", "no/such.glb"], &["no/such.glb", "no such file"]),
        (&["check", model, "--clip", "dance"], &["fold.glb", "no clip \"dance\"", "Rig|reach"]),
        (&["check", model, "--tolerance", "-1"], &["--tolerance", "-1"]),
        (&["check", bad], &["bad.glb", "WEIGHTS_0", "weight 0 of vertex 0 is NaN", "repair"]),
        (&["check", short.to_str().unwrap()], &["short.glb", "cut short"]),
        (&["check", "fixtures/cloth_ball/scene.toml", "--clip", "a"], &["--clip: not for scene files", "the key clip"]),
    ];
    for (arguments, parts) in cases {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = text(&output.stderr);
        assert!(parts.iter().all(|part| message.contains(part)), "{arguments:?}: {message}");
    }
    let repaired = run(&["check", bad, "--repair"]);
    assert_eq!(repaired.status.code(), Some(0), "{}", text(&repaired.stderr));
    assert!(text(&repaired.stderr).contains("6 vertices have weights"), "{}", text(&repaired.stderr));
}

/// The names of a triangle of the strip, written down by hand: the square's node, and the strip's with its material and joints.
/// The third triangle has two corners at the foot and one at the tip, the fourth one and two.
fn names_of(body: &str, triangle: u64) -> [&'static str; 3] {
    match (body, triangle) {
        ("square", _) => ["square", "", ""],
        (_, ..3) => ["strip", "cloth", "foot"],
        _ => ["strip", "cloth", "tip"],
    }
}

/// Nodes, materials and joints stand beside every contact, in JSON and both CSVs, and survive reading, joining and writing.
#[test]
fn contacts_name_nodes_materials_and_joints() {
    let folder = Folder::new();
    let model = folder.write("fold.glb", folding().glb());
    let model = model.to_str().unwrap();
    let at = |name: &str| folder.path(name).to_str().unwrap().to_owned();
    let [out, samples, intervals] = ["out.json", "samples.csv", "intervals.csv"].map(at);
    let check =
        ["check", model, "--clip", "reach", "-q", "--json", &out, "--csv", &samples, "--csv-intervals", &intervals];
    let output = run(&check);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = json_of(Path::new(&out));
    assert_eq!(report["revision"], 2);
    let bodies = report["bodies"].as_array().unwrap();
    let pairs = report["samples"].as_array().unwrap().iter().flat_map(|sample| sample["pairs"].as_array().unwrap());
    let mut joints = std::collections::BTreeSet::new();
    let mut rows = 0;
    for pair in pairs.chain(report["intervals"].as_array().unwrap()) {
        for side in ["a", "b"] {
            let (name, triangle) = (pair[side].as_str().unwrap(), pair[format!("triangle_{side}")].as_u64().unwrap());
            let body = bodies.iter().find(|body| body["name"] == name).unwrap();
            let part = &body["parts"][pair[format!("part_{side}")].as_u64().unwrap() as usize];
            let wanted = names_of(name, triangle);
            for (kind, wanted) in ["groups", "materials", "joints"].into_iter().zip(wanted) {
                assert_eq!(part[kind][0].as_str().unwrap_or(""), wanted, "{name} {triangle} {kind}");
            }
            joints.insert(wanted[2]);
            rows += 1;
        }
    }
    assert!(rows > 10 && joints.contains("tip"), "{rows} {joints:?}");
    for (file, first) in [(&samples, 1), (&intervals, 0)] {
        let table = std::fs::read_to_string(file).unwrap();
        let mut lines = table.lines();
        let heading = lines.next().unwrap();
        assert!(heading.ends_with(",groups_a,materials_a,joints_a,groups_b,materials_b,joints_b"), "{heading}");
        let mut count = 0;
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), heading.split(',').count());
            let wanted = [first, first + 2].map(|at| names_of(cells[at], cells[at + 1].parse().unwrap())).concat();
            assert_eq!(cells[cells.len() - 6..], wanted[..], "{line}");
            count += 1;
        }
        assert!(count > 3);
    }
    // Two parts, joined: the bytes of the undivided run, apart from counters and incidents.
    let [one, two, joined] = ["one.json", "two.json", "joined.json"].map(at);
    for (file, span) in [(&one, "0..0.9"), (&two, "0.9..2")] {
        let part = run(&["check", model, "--clip", "reach", "-q", "-o", file, "--span", span]);
        assert_eq!(part.status.code(), Some(0), "{}", text(&part.stderr));
    }
    assert_eq!(run(&["merge", &one, &two, "-o", &joined, "-q"]).status.code(), Some(0));
    let merged = json_of(Path::new(&joined));
    for member in ["revision", "bodies", "samples", "intervals"] {
        assert_eq!(merged[member], report[member], "{member}");
    }
}

#[test]
fn info_lists_nodes_materials_and_joints() {
    let folder = Folder::new();
    let model = folder.write("fold.glb", folding().glb());
    let output = run(&["info", model.to_str().unwrap()]);
    let told = text(&output.stdout);
    for part in
        ["  1 group or node: strip\n", "  1 material: cloth\n", "  2 joints that move a triangle most: foot, tip\n"]
    {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

/// A page's pictures and a drawn picture say what touches.
#[test]
fn pictures_of_incidents_name_joints_and_materials() {
    let folder = Folder::new();
    let model = folder.write("fold.glb", folding().glb());
    let model = model.to_str().unwrap();
    let page = folder.path("page.html");
    let output = run(&["check", model, "--clip", "reach", "-q", "--report", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let html = std::fs::read_to_string(&page).unwrap();
    let card = html.split("class=\"card\"").nth(1).expect("a picture");
    let card = &card[card.find("card-text").unwrap()..];
    let card = &card[..card.find("</button>").unwrap()];
    assert!(card.contains("cloth") && card.contains("tip"), "{card}");
    let drawn = folder.path("incident.glb");
    let output = run(&["render", model, "--clip", "reach", "--highlight", "incident:1", "-o", drawn.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let bytes = std::fs::read(&drawn).unwrap();
    assert!(text(&bytes).contains("strip: cloth, "), "the label of the picture");
}

/// A floor and a triangle that comes down to it, with keys a rounding inside of frames 1 and 46.
fn dip() -> Builder {
    let mut file = Builder::new();
    let floor = file.triangles(&[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    let tip = file.triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]);
    file.push("nodes", json!({ "name": "floor", "mesh": floor }));
    file.push("nodes", json!({ "name": "tip", "mesh": tip }));
    let times: Vec<f32> = (1..=46).map(|frame| frame as f32 / 24.0).collect();
    assert!(f64::from(times[0]) > 1.0 / 24.0 && f64::from(times[45]) < 46.0 / 24.0);
    let places: Vec<[f32; 3]> = (0..46).map(|key| [0.0, 0.0, 4.5 - 0.1 * key as f32]).collect();
    let (input, output) = (file.scalars(&times), file.vectors(&places));
    let channels = json!([{ "sampler": 0, "target": { "node": 1, "path": "translation" } }]);
    let samplers = json!([{ "input": input, "output": output }]);
    file.push("animations", json!({ "name": "dip", "channels": channels, "samplers": samplers }));
    file
}

/// The frames that the ends of a clip belong to can be asked for.
#[test]
fn first_and_last_frame_of_a_clip_can_be_asked_for() {
    let folder = Folder::new();
    folder.write("dip.glb", dip().glb());
    let body = |name: &str, more: &str| format!("[[body]]\nname = '{name}'\nmesh = 'dip.glb#{name}'\n{more}");
    for outside in ["hold", "loop", "error"] {
        let more = format!("outside = '{outside}'\n");
        let scene = format!("fps = 24\n{}{}", body("tip", &more), body("floor", ""));
        folder.write("s.toml", &scene);
        let scene = folder.at("s.toml");
        let whole = run(&["check", &scene]);
        let told = text(&whole.stdout);
        assert!(whole.status.code() == Some(0) && told.contains("tip"), "{outside}: {told}{}", text(&whole.stderr));
        for span in [["--frames", "1..46"], ["--frames", "40..46"], ["--frames", "46"], ["--frames", "1..3"]] {
            let output = run(&["check", &scene, span[0], span[1]]);
            assert_eq!(output.status.code(), Some(0), "{outside} {span:?}: {}", text(&output.stderr));
            if span[1].contains("46") {
                assert!(text(&output.stdout).contains("tip - floor"), "{outside} {span:?}: {}", text(&output.stdout));
            }
        }
        let picture = folder.at("46.png");
        let output = run(&["render", &scene, "--frame", "46", "--size", "64x48", "-o", &picture]);
        assert_eq!(output.status.code(), Some(0), "{outside}: {}", text(&output.stderr));
    }
    // The time that is told as the end of a check is one of it.
    let hold = format!("fps = 24\n{}{}", body("tip", ""), body("floor", ""));
    folder.write("s.toml", &hold);
    let scene = folder.at("s.toml");
    let output = run(&["check", &scene, "--span", &format!("1..{}", 46.0 / 24.0)]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
