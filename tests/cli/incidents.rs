//! Incidents as the program tells them: table, JSON and CSV with equal numbers; baselines, thresholds
//! and the formats of pipelines.

use std::fs;

use crate::io_support::{Folder, block};
use crate::program::{run, text};
use serde_json::Value;

/// A wall; a peg that reaches its top at 0.25 s and is 0.75 m deep at 1 s; a pin that reaches its side at 0.75 s and is
/// 0.125 m deep at 1 s; a stone that stands in it all the time, 0.0625 m deep.
fn scene(folder: &Folder) -> String {
    folder.write("wall.obj", block([-1.0; 3], [1.0; 3]));
    folder.write("peg.obj", block([-0.25, -0.25, 1.25], [0.25, 0.25, 3.25]));
    folder.write("pin.obj", block([1.375, 0.5, -0.125], [2.5, 0.75, 0.125]));
    folder.write("stone.obj", block([-3.0, -0.75, -0.5], [-0.9375, 0.75, 0.25]));
    let scene = "fps = 10\nspan = [0, 1]\n[[body]]\nname = \"wall <1>\"\nmesh = \"wall.obj\"\n\
        [[body]]\nname = 'peg: \"a\", 100%'\nmesh = \"peg.obj\"\nvelocity = [0, 0, -1]\n\
        [[body]]\nname = \"pin\"\nmesh = \"pin.obj\"\nvelocity = [-0.5, 0, 0]\n\
        [[body]]\nname = \"stone\"\nmesh = \"stone.obj\"\n\
        [[exclude]]\nbodies = ['peg: \"a\", 100%', \"pin\"]\n";
    folder.write_at("scene.toml", scene)
}

const PEG: &str = "peg: \"a\", 100%";

#[test]
fn numbers_agree_in_table_json_and_csv() {
    let folder = Folder::new();
    let (scene, json, csv) = (scene(&folder), folder.at("out.json"), folder.at("out.csv"));
    let output = run(&["check", &scene, "--json", &json, "--incidents-csv", &csv]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let incidents = json["incidents"].as_array().unwrap();
    let found: Vec<_> = incidents.iter().map(|it| (it["b"].as_str().unwrap(), it["depth"].as_f64().unwrap())).collect();
    assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), [PEG, "pin", "stone"]);
    for ((name, depth), exact) in found.iter().zip([0.75, 0.125, 0.0625]) {
        assert!((depth - exact).abs() < 1e-9, "{name}: {depth}");
    }
    let close = |value: &Value, exact: f64| (value.as_f64().unwrap() - exact).abs() < 1e-9;
    let peg = &incidents[0];
    assert!(close(&peg["begin"], 0.25) && close(&peg["end"], 1.0) && close(&peg["worst_time"], 1.0));
    assert!(close(&peg["length"], 2.0) && close(&peg["area"], 1.75), "{peg}");
    assert_eq!([&peg["first_frame"], &peg["last_frame"], &peg["frames"]], [3, 10, 8]);
    assert_eq!((peg["clipped_begin"].as_bool(), peg["clipped_end"].as_bool()), (Some(false), Some(true)));
    assert!(close(&peg["centre"][0], 0.0) && close(&peg["centre"][2], 1.0));
    assert!(close(&peg["bounds"][0][0], -0.25) && close(&peg["bounds"][1][2], 1.0));
    // Every contact is in one incident.
    let mut contacts: Vec<u64> =
        incidents.iter().flat_map(|it| it["contacts"].as_array().unwrap()).map(|it| it.as_u64().unwrap()).collect();
    contacts.sort_unstable();
    let count = json["intervals"].as_array().unwrap().len() as u64;
    assert_eq!(contacts, (0..count).collect::<Vec<_>>());

    let mut reader = csv::Reader::from_path(csv).unwrap();
    let headings = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), incidents.len());
    for (row, incident) in rows.iter().zip(incidents) {
        let cell = |name: &str| &row[headings.iter().position(|heading| heading == name).unwrap()];
        assert_eq!((cell("a"), cell("b")), (incident["a"].as_str().unwrap(), incident["b"].as_str().unwrap()));
        for name in ["begin", "end", "worst_time", "depth", "severity", "length", "area"] {
            assert_eq!(cell(name).parse::<f64>().unwrap(), incident[name].as_f64().unwrap(), "{name}");
        }
        for name in ["first_frame", "last_frame", "frames", "pairs", "most_pairs", "new_pairs", "undecided"] {
            assert_eq!(cell(name).parse::<u64>().unwrap(), incident[name].as_u64().unwrap(), "{name}");
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            assert_eq!(cell(name).parse::<f64>().unwrap(), incident["centre"][axis].as_f64().unwrap());
        }
        let triangles = incident["triangles_a"].as_array().unwrap().len();
        assert_eq!(cell("triangles_a"), triangles.to_string());
    }

    let told = text(&output.stdout);
    assert!(told.contains("3 incidents:"), "{told}");
    for (place, incident) in incidents.iter().enumerate() {
        let head = format!("{} wall <1> - {}", place + 1, incident["b"].as_str().unwrap());
        let line = told.lines().find(|line| line.starts_with(&head)).unwrap_or_else(|| panic!("{head}:\n{told}"));
        let cells: Vec<&str> = line[head.len()..].split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let number = |cell: &str| cell.split(' ').next().unwrap().parse::<f64>().unwrap();
        let metres = |cell: &str| number(cell) * if cell.ends_with("mm") { 1e-3 } else { 1.0 };
        let near = |shown: f64, name: &str, digits: i32| {
            let value = incident[name].as_f64().unwrap();
            assert!((shown - value).abs() <= 0.5001 * 0.1_f64.powi(digits), "{name}: {shown} for {value}");
        };
        assert_eq!(cells[0], format!("{} - {}", incident["first_frame"], incident["last_frame"]));
        near(number(cells[1]), "begin", 4);
        near(number(cells[1].split(" - ").nth(1).unwrap()), "end", 4);
        near(number(cells[2]), "worst_time", 4);
        near(metres(cells[3]), "depth", 3);
        near(metres(cells[4]), "length", 3);
        near(number(cells[5]), "pairs", 0);
    }
}

#[test]
fn one_incident_must_meet_all_conditions() {
    let folder = Folder::new();
    let scene = scene(&folder);
    let status = |more: &[&str]| {
        let output = run(&[&["check", &scene, "-q"], more].concat());
        output.status.code().unwrap_or_else(|| panic!("{}", text(&output.stderr)))
    };
    let cases = [
        ("contacts", 1),
        ("depth>0.74m", 1),
        ("depth>74cm", 1),
        ("depth>760mm", 0),
        ("frames>10", 1),
        // The stone exists for 11 frames, the peg is deep.
        ("frames>10,depth>400mm", 0),
        ("frames>7,depth>400mm", 1),
        ("frames>=8,depth>400mm", 1),
        ("frames>8,depth>400mm", 0),
        ("time>0.7s,length>1.9m,area>1m2", 1),
        ("area>17600cm2", 0),
    ];
    for (thresholds, expected) in cases {
        assert_eq!(status(&["--fail-on", thresholds]), expected, "{thresholds}");
    }
    // Several lists: each is a reason to fail.
    assert_eq!(status(&["--fail-on", "depth>1m", "--fail-on", "frames>10"]), 1);
    assert_eq!(status(&["--fail-on", "depth>1m", "--fail-on", "frames>11"]), 0);
    let refused = run(&["check", &scene, "--fail-on", "depth>2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("'depth>2': the limit needs a unit: m, cm, mm"), "{refused:?}");
    let refused = run(&["check", &scene, "--fail-on", "new"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("give --baseline start, rest or a file"), "{refused:?}");
    // Without contacts over time there are no incidents: a gate on them must not pass.
    for (asked, expected) in [("depth>1mm", 2), ("contacts", 1)] {
        assert_eq!(status(&["--intervals=false", "--fail-on", asked]), expected, "{asked}");
    }
    assert_eq!(status(&["--engine", "refit", "--github"]), 2);
}

#[test]
fn what_needs_incidents_is_refused_before_the_run() {
    let folder = Folder::new();
    let (scene, file) = (scene(&folder), folder.at("out"));
    let cases: [(&[&str], &str); 6] = [
        (&["--junit", &file], "--junit: incidents need contacts over time"),
        (&["--incidents-csv", &file], "--incidents-csv: incidents need contacts over time"),
        (&["--github"], "--github: incidents need contacts over time"),
        (&["--fail-on", "depth>1mm"], "--fail-on, other than contacts: incidents need contacts over time"),
        (&["--baseline", "start"], "--baseline: incidents need contacts over time"),
        (&["--intervals"], "--intervals: contacts over time need the engine 'auto' or 'kinetic', and 'refit'"),
    ];
    for (arguments, message) in cases {
        let output = run(&[&["check", &scene, "--engine", "refit"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
        assert!(!fs::exists(&file).unwrap());
    }
    // Where nothing moves, one sample is all there is.
    let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nmesh = \"{name}.obj\"\n");
    let still = folder.write_at("still.toml", body("wall") + &body("stone"));
    let output = run(&["check", &still, "--engine", "refit", "-q", "--fail-on", "depth>1mm"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}

#[test]
fn what_a_shell_leaves_of_a_condition_is_told() {
    let refused = run(&["check", "fixtures/cloth_ball/scene.toml", "--fail-on", "depth"]);
    assert_eq!(refused.status.code(), Some(2));
    let remedy = "quote it, as the shell takes > for a redirection: --fail-on \"depth>2mm\"";
    assert!(text(&refused.stderr).contains(remedy), "{}", text(&refused.stderr));
    assert!(text(&run(&["check", "--help"]).stdout).contains("\"depth>2mm,frames>3,new\""));
}

/// A rope that falls, two sheets at a distance of 5 mm, a sheet in the plane of another one.
const NOT_CROSSING: [(&str, &str); 3] = [
    ("positions = [[0.25, 0.25, 1.5], [0.25, 0.25, 0.5]]\nsegments = [[0, 1]]\nvelocity = [0, 0, -1]", ""),
    ("positions = [[0, 0, 0.005], [1, 0, 0.005], [0, 1, 0.005]]\ntriangles = [[0, 1, 2]]\nthickness = 0.02", ""),
    ("positions = [[0.1, 0.1, 0], [2, 0.1, 0], [0.1, 2, 0]]\ntriangles = [[0, 1, 2]]", "area"),
];

/// A scene of a body and an open floor, or a closed one.
fn on_a_floor(folder: &Folder, body: &str, is_closed: bool) -> String {
    folder.write("block.obj", block([-1.0, -1.0, -1.0], [2.0, 2.0, 0.0]));
    let open = "positions = [[-1, -1, 0], [2, -1, 0], [-1, 2, 0]]\ntriangles = [[0, 1, 2]]";
    let floor = if is_closed { "mesh = \"block.obj\"" } else { open };
    let scene =
        format!("fps = 24\nspan = [0, 1]\n[[body]]\nname = \"floor\"\n{floor}\n[[body]]\nname = \"it\"\n{body}\n");
    folder.write_at("floor.toml", scene)
}

#[test]
fn what_has_neither_depth_nor_curve_does_not_pass_a_gate_on_them() {
    let folder = Folder::new();
    let json = folder.at("out.json");
    for (body, known) in NOT_CROSSING {
        let scene = on_a_floor(&folder, body, false);
        let output = run(&["check", &scene, "-o", &json]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let result: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        let [incident] = &result["incidents"].as_array().unwrap()[..] else { panic!("one incident: {result}") };
        assert!(incident["severity"].is_null() && incident["length"].is_null(), "{incident}");
        assert_eq!(incident["area"].is_null(), known != "area", "{incident}");
        let told = text(&output.stdout);
        let line = told.lines().find(|line| line.starts_with("1 floor - it")).unwrap();
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells[4..6], ["-", "-"], "{line}");

        let gate = |asked: &[&str]| {
            let output = run(&[&["check", &scene, "-q", "--junit", "-"][..], asked].concat());
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        };
        for asked in ["depth>2mm", "length>1mm", "depth>0m,length>0m"] {
            let (status, junit, told) = gate(&["--fail-on", asked]);
            assert_eq!(status, Some(3), "{asked}: {told}");
            assert!(junit.contains("skipped=\"1\"") && junit.contains("<skipped"), "{junit}");
            let error = format!("--fail-on {asked}: judges none of 1 incident: no depth and no crossing curve");
            assert!(told.contains(&error), "{told}");
        }
        let status = if known == "area" { 1 } else { 3 };
        assert_eq!(gate(&["--fail-on", "area>1mm2"]).0, Some(status), "{body}");
        let (status, _, told) = gate(&["--fail-on", "depth>2mm", "--fail-on", "time>5s"]);
        assert!(
            status == Some(0) && told.contains("note: --fail-on depth>2mm: does not judge 1 of 1 incident"),
            "{told}"
        );
        let (status, junit, _) = gate(&["--fail-on", "frames>=1"]);
        assert!(status == Some(1) && !junit.contains("crossing curve 0 m"), "{junit}");

        let joined = folder.at("joined.json");
        assert_eq!(run(&["merge", &json, "--scene", &scene, "-q", "-o", &joined]).status.code(), Some(0));
        let joined: Value = serde_json::from_slice(&fs::read(joined).unwrap()).unwrap();
        assert_eq!(joined["incidents"], result["incidents"]);
    }
    // Where no depth is known, the curve stands for it.
    let crossing = "positions = [[0.1, 0.1, 1], [0.6, 0.1, -1], [0.1, 0.6, -1]]\ntriangles = [[0, 1, 2]]";
    let scene = on_a_floor(&folder, crossing, false);
    let output = run(&["check", &scene, "-q", "--fail-on", "depth>1mm", "--junit", "-"]);
    let junit = text(&output.stdout);
    assert!(
        output.status.code() == Some(1)
            && junit.contains("depth unknown")
            && junit.contains("severity 0.0562698 m (crossing curve / 2π)")
            && junit.contains("&#10;area 0."),
        "{junit}"
    );
    // A floor with an inside: there is a depth, if only of 0.
    for ((body, _), failed) in NOT_CROSSING.into_iter().zip([true, false, false]) {
        let scene = on_a_floor(&folder, body, true);
        let output = run(&["check", &scene, "-q", "--fail-on", "depth>2mm"]);
        assert_eq!(output.status.code(), Some(i32::from(failed)), "{body}: {}", text(&output.stderr));
    }
}

#[test]
fn what_is_not_measured_is_absent_and_not_judged() {
    let folder = Folder::new();
    let [json, csv, junit, page] = ["out.json", "out.csv", "out.xml", "out.html"].map(|name| folder.at(name));
    let files = ["--json", &json, "--incidents-csv", &csv, "--junit", &junit, "--report", &page];
    let output = run(&[&["check", "fixtures/van/scene.toml"][..], &files].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let incidents = result["incidents"].as_array().unwrap();
    assert!(!incidents.is_empty());
    for incident in incidents {
        assert!(incident.get("depth").is_none(), "{incident}");
        for name in ["severity", "length", "area"] {
            assert!(incident[name].is_null() && incident.get(name).is_some(), "{name}: {incident}");
        }
        assert!(incident["centre"][2].as_f64().unwrap() > 0.0, "{incident}");
    }
    let mut reader = csv::Reader::from_path(csv).unwrap();
    let headings = reader.headers().unwrap().clone();
    for row in reader.records().map(Result::unwrap) {
        for name in ["depth", "severity", "length", "area"] {
            assert_eq!(&row[headings.iter().position(|heading| heading == name).unwrap()], "", "{name}");
        }
    }
    let told = text(&output.stdout);
    let line = told.lines().find(|line| line.starts_with("1 van - post")).unwrap();
    let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[4..6], ["-", "-"], "{line}");
    let junit = fs::read_to_string(junit).unwrap();
    assert!(junit.contains("not measured: depth, length and area") && !junit.contains("crossing curve"), "{junit}");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("\"length\":null") && !page.contains("\"lengths\":[0.0"), "a curve of nothing");
    assert!(!page.contains(">0 mm<"), "a length of nothing");

    let count = incidents.len();
    // A gate that judges nothing does not pass.
    for asked in ["depth>1mm", "length>=0m", "area>0m2,pairs>=1"] {
        let output = run(&["check", "fixtures/van/scene.toml", "-q", "--fail-on", asked]);
        assert_eq!(output.status.code(), Some(3), "{asked}");
        let error = format!("--fail-on {asked}: judges none of {count} incidents: no depth and no crossing curve");
        assert!(text(&output.stderr).contains(&error), "{}", text(&output.stderr));
    }
    let unjudged = |asked: &[&str]| {
        let output = run(&[&["check", "fixtures/van/scene.toml", "-q", "--junit", "-"][..], asked].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, junit, _) = unjudged(&["--fail-on", "depth>1mm,area>1m2"]);
    let skipped = format!("<skipped message=\"{count} incidents have no area and no depth\"/>");
    assert!(status == Some(3) && junit.contains(&skipped) && junit.contains("skipped=\"1\""), "{junit}");
    assert_eq!(elements(&junit).iter().filter(|name| *name == "testcase").count(), 1, "{junit}");
    // A condition besides that all incidents have decides, and so does one that is not met.
    for asked in [&["--fail-on", "depth>1mm", "--fail-on", "pairs>9999"][..], &["--fail-on", "depth>1mm,pairs>9999"]] {
        let (status, junit, _) = unjudged(asked);
        assert!(status == Some(0) && junit.contains("skipped=\"0\"") && !junit.contains("<skipped"), "{junit}");
    }
    // Of some incidents only: the gate passes, and says so.
    let seconds = |it: &Value| it["end"].as_f64().unwrap() - it["begin"].as_f64().unwrap();
    let asked = "depth>1mm,time>150ms";
    let long = incidents.iter().filter(|it| seconds(it) > 0.15).count();
    assert!(0 < long && long < count);
    let (status, junit, told) = unjudged(&["--fail-on", asked]);
    assert_eq!(status, Some(0), "{told}");
    let note = format!("--fail-on {asked}: does not judge {long} of {count} incidents");
    assert!(told.contains(&note) && junit.contains(&format!("message=\"{long} of {count} incidents ha")), "{told}");
    for asked in ["contacts", "pairs>1", "time>1ms"] {
        let output = run(&["check", "fixtures/van/scene.toml", "-q", "--fail-on", asked]);
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(1), ""), "{asked}");
    }
    // The files of before, with 0 there, are read.
    let text_of = fs::read_to_string(&json).unwrap();
    let [none, zero] = ["null", "0.0"].map(|it| format!("\"severity\":{it},\"length\":{it},\"area\":{it}"));
    let before = text_of.replace(&none, &zero);
    assert_ne!(text_of, before);
    for content in [text_of, before] {
        let file = folder.write_at("earlier.json", content);
        let known = ["--baseline", &file, "--fail-on", "new"];
        let again = run(&[&["check", "fixtures/van/scene.toml", "-q"][..], &known].concat());
        assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
        let reused = run(&["check", "fixtures/van/scene.toml", "-q", "--reuse", &file, "-o", &json]);
        assert_eq!(reused.status.code(), Some(0), "{}", text(&reused.stderr));
        let joined = run(&["merge", &file, "--scene", "fixtures/van/scene.toml", "-q", "-o", &json]);
        assert_eq!(joined.status.code(), Some(0), "{}", text(&joined.stderr));
        let found: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        assert_eq!(found["incidents"], result["incidents"]);
    }
}

#[test]
fn bodies_that_never_move_have_incidents_too() {
    let folder = Folder::new();
    folder.write("wall.obj", block([-1.0; 3], [1.0; 3]));
    folder.write("stone.obj", block([-3.0, -0.75, -0.5], [-0.9375, 0.75, 0.25]));
    let bodies = "[[body]]\nname = \"wall\"\nmesh = \"wall.obj\"\n[[body]]\nname = \"stone\"\nmesh = \"stone.obj\"\n";
    let (scene, json) = (folder.write_at("scene.toml", bodies), folder.at("out.json"));
    let output = run(&["check", &scene, "-q", "--json", &json, "--fail-on", "depth>62mm"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(run(&["check", &scene, "-q", "--fail-on", "depth>63mm"]).status.code(), Some(0));
    let json: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(json["incidents"].as_array().unwrap().len(), 1);
    assert!((json["incidents"][0]["depth"].as_f64().unwrap() - 0.0625).abs() < 1e-9);
}

#[test]
fn only_incidents_that_the_baseline_lacks_are_new() {
    let folder = Folder::new();
    let scene = scene(&folder);
    let news = |baseline: &str| {
        let json = folder.at("new.json");
        let output = run(&["check", &scene, "-q", "--json", &json, "--baseline", baseline]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let json: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
        let name = |it: &Value| (it["b"].as_str().unwrap().to_owned(), it["is_new"].as_bool().unwrap());
        json["incidents"].as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    let expected = |flags: [(&str, bool); 3]| flags.map(|(name, is_new)| (name.to_owned(), is_new)).to_vec();
    assert_eq!(news("start"), expected([(PEG, true), ("pin", true), ("stone", false)]));
    assert_eq!(news("rest"), news("start"));
    let earlier = folder.at("earlier.json");
    assert!(run(&["check", &scene, "-q", "--json", &earlier, "--times", "0,0.5"]).status.success());
    assert_eq!(news(&earlier), expected([("pin", true), (PEG, false), ("stone", false)]));
    assert!(run(&["check", &scene, "-q", "--json", &earlier]).status.success());
    assert_eq!(news(&earlier), expected([(PEG, false), ("pin", false), ("stone", false)]));
    let status = |baseline: &str| {
        let thresholds = ["--fail-on", "new", "--baseline", baseline];
        run(&[&["check", &scene, "-q"][..], &thresholds].concat()).status.code()
    };
    assert_eq!((status("start"), status(&earlier)), (Some(1), Some(0)));

    let mut other: Value = serde_json::from_slice(&fs::read(&earlier).unwrap()).unwrap();
    other["bodies"][0]["triangles"] = 13.into();
    let refused = |content: &str, reason: &str| {
        let file = folder.write_at("bad.json", content);
        let output = run(&["check", &scene, "-q", "--baseline", &file]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
    };
    refused(&other.to_string(), "body 'wall <1>' has 12 triangles, but had 13 then");
    refused("{\"format\": \"something\"}", "its format is 'something'");
    refused("[1, 2", "no result of a check");
    let text_of = fs::read_to_string(&earlier).unwrap();
    refused(&text_of.replacen("\"triangle_a\":", "\"triangle_a\":9", 1), "but the body has 12");
    assert_eq!(run(&["check", &scene, "-q", "--baseline", &folder.at("none.json")]).status.code(), Some(2));
}

#[test]
fn junit_and_annotations_list_what_fails() {
    let folder = Folder::new();
    let (scene, junit) = (scene(&folder), folder.at("out.xml"));
    let gate = ["--fail-on", "depth>100mm", "--junit", &junit, "--github"];
    let output = run(&[&["check", &scene, "-q"][..], &gate].concat());
    assert_eq!(output.status.code(), Some(1));
    let xml = fs::read_to_string(&junit).unwrap();
    let names = elements(&xml);
    let count = |name: &str| names.iter().filter(|element| *element == name).count();
    // Peg and pin fail; the pairs of wall and stone, peg and stone, pin and stone pass.
    assert_eq!((count("testsuite"), count("testcase"), count("failure")), (1, 5, 2));
    assert!(xml.contains("tests=\"5\" failures=\"2\""), "{xml}");
    let peg = "name=\"wall &lt;1&gt; - peg: &quot;a&quot;, 100%, incident 1\"";
    assert!(xml.contains(peg) && xml.contains("frames 3 to 10, 0.25 s to 1 s"), "{xml}");
    assert!(xml.contains("depth 0.75 m") && xml.contains("type=\"depth&gt;100mm\""), "{xml}");
    let told = text(&output.stdout);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(lines[0].starts_with("::error file=") && lines[0].contains("peg%3A \"a\"%2C 100%25::frames 3 to 10"));
    assert!(lines[1].contains("wall <1> - pin::") && lines[1].contains("%0Adepth 0.125 m%0A"), "{}", lines[1]);

    // Annotations do not come between what goes to standard output.
    for file in ["--csv-intervals", "--csv", "--incidents-csv"] {
        let output = run(&["check", &scene, "-q", "--fail-on", "depth>100mm", "--github", file, "-"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(!text(&output.stdout).contains("::error"), "{file}");
        assert_eq!(text(&output.stderr).matches("::error file=").count(), 2, "{file}");
    }

    let passing = ["--fail-on", "depth>1m", "--junit", &junit, "--github"];
    let output = run(&[&["check", &scene, "-q"][..], &passing].concat());
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), ""));
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("tests=\"5\" failures=\"0\"") && !xml.contains("<failure"), "{xml}");
}

/// Names of the elements of an XML text, which must be closed in order.
fn elements(xml: &str) -> Vec<String> {
    let (mut names, mut open) = (Vec::new(), Vec::new());
    for tag in xml.split('<').skip(1) {
        let (tag, content) = tag.split_once('>').expect("a tag ends");
        assert!(!content.contains('&') || content.split('&').skip(1).all(|rest| rest.contains(';')));
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap().to_owned();
        match () {
            () if tag.starts_with('?') => {}
            () if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            () if tag.ends_with('/') => names.push(name),
            () => {
                names.push(name.clone());
                open.push(name);
            }
        }
    }
    assert!(open.is_empty());
    names
}

/// The baseline is the begin of the scene, not the first of the times.
#[test]
fn times_after_the_begin_have_the_same_baseline() {
    let folder = Folder::new();
    let (scene, json) = (scene(&folder), folder.at("out.json"));
    let new = |options: &[&str]| {
        let all = [&["check", &scene, "-q", "--json", &json, "--baseline", "start"], options].concat();
        assert_eq!(run(&all).status.code(), Some(0));
        let result: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        let incidents = result["incidents"].as_array().unwrap();
        incidents.iter().map(|incident| incident["is_new"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    // Peg and pin are new, the stone is not.
    assert_eq!(new(&[]), [true, true, false]);
    assert_eq!(new(&["--times", "0.8,0.9,1"]), [true, true, false]);
}
