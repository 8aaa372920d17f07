//! `check --report` as users run it: the page agrees with JSON and terminal, and what cannot be shown is refused.

use std::fs;

use crate::io_support::{Folder, block};
use crate::program::{run, text};
use serde_json::Value;

/// A peg that reaches the top of a wall at 0.25 s and is 0.0625 m deep at the end, and a ball that meets nothing.
fn scene(folder: &Folder) -> String {
    folder.write("wall.obj", block([-1.0; 3], [1.0; 3]));
    folder.write("peg.obj", block([-0.25, -0.25, 1.25], [0.25, 0.25, 3.25]));
    folder.write("ball.obj", block([9.0; 3], [10.0; 3]));
    let scene = "fps = 16\nspan = [0, 0.3125]\n[[body]]\nname = \"wall <1>\"\nmesh = \"wall.obj\"\n\
        [[body]]\nname = \"peg & pin\"\nmesh = \"peg.obj\"\nvelocity = [0, 0, -1]\n\
        [[body]]\nname = \"ball\"\nmesh = \"ball.obj\"\n";
    folder.write_at("scene.toml", scene)
}

/// The JSON that a page carries.
fn data(page: &str) -> Value {
    let json = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(json).unwrap()
}

#[test]
fn numbers_agree_in_page_json_and_terminal() {
    let folder = Folder::new();
    let (scene, json, page) = (scene(&folder), folder.at("out.json"), folder.at("out.html"));
    let output = run(&["check", &scene, "--json", &json, "--report", &page]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(page).unwrap();
    let expected: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let (found, expected_incidents) = (data(&page), expected["incidents"].as_array().unwrap());
    let incidents = found["incidents"].as_array().unwrap();
    assert_eq!((incidents.len(), expected_incidents.len()), (1, 1));
    for (name, value) in expected_incidents[0].as_object().unwrap() {
        let ours = &incidents[0][name];
        match value {
            Value::Array(list) if ["contacts", "triangles_a", "triangles_b"].contains(&name.as_str()) => {
                assert_eq!(*ours, list.len(), "{name}");
            }
            value => assert_eq!(ours, value, "{name}"),
        }
    }
    assert_eq!(found["contacts"]["all"], expected["intervals"].as_array().unwrap().len());
    assert_eq!(found["fps"], 16.0);
    let depth = incidents[0]["depth"].as_f64().unwrap();
    assert!((depth - 0.0625).abs() < 1e-9, "{depth}");
    // The curve has the same depth at the worst time as the incident.
    let worst = incidents[0]["worst_time"].as_f64().unwrap();
    let series = &found["series"];
    let place = series["times"].as_array().unwrap().iter().position(|time| time.as_f64() == Some(worst)).unwrap();
    assert_eq!(series["pairs"][0]["depths"][place].as_f64(), Some(depth));
    assert_eq!(series["pairs"][0]["lengths"][place], incidents[0]["length"]);
    // The same words in terminal and page.
    let terminal = text(&output.stdout);
    assert!(terminal.contains("62.50 mm"), "{terminal}");
    for words in ["62.50 mm deep", "wall &lt;1&gt; – peg &amp; pin", "1 incident in 1 of 3 pairs of bodies", "4 – 5"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("wall <1>"));
    assert_eq!(page.matches("src=\"data:image/png;base64,").count(), 1);
}

#[test]
fn the_same_input_gives_the_same_page() {
    let folder = Folder::new();
    let (scene, first, second) = (scene(&folder), folder.at("1.html"), folder.at("2.html"));
    for page in [&first, &second] {
        assert!(run(&["check", &scene, "--report", page, "--quiet"]).status.success());
    }
    assert_eq!(fs::read(first).unwrap(), fs::read(second).unwrap());
}

#[test]
fn a_page_on_standard_output() {
    let folder = Folder::new();
    let output = run(&["check", &scene(&folder), "--report", "-"]);
    assert!(output.status.success());
    assert!(text(&output.stdout).starts_with("<!DOCTYPE html>") && text(&output.stdout).ends_with("</html>\n"));
    assert!(text(&output.stderr).contains("1 incident"));
}

#[test]
fn a_scene_without_contacts_has_a_page_too() {
    let folder = Folder::new();
    let (scene, page) = (scene(&folder), folder.at("out.html"));
    let output = run(&["check", &scene, "--times=0,0.125", "--report", &page]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("Nothing touches: 3 pairs of bodies were tested from frame 0 to 2."), "{page}");
}

#[test]
fn what_cannot_be_shown_is_refused_before_the_run() {
    let folder = Folder::new();
    let (scene, page) = (scene(&folder), folder.at("out.html"));
    for options in [["--intervals=false", "--quiet"], ["--engine", "refit"]] {
        let output = run(&["check", &scene, "--report", &page, options[0], options[1]]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("--report: incidents need contacts over time"), "{options:?}");
        assert!(!fs::exists(&page).unwrap());
    }
    let output = run(&["check", &scene, "--report", &scene]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--report"));
    let output = run(&["check", &scene, "--report", "-", "--json", "-"]);
    assert_eq!(output.status.code(), Some(2));
}
