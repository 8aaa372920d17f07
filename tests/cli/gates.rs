//! Gates on scenes in which something touches that was once passed over.

use std::fs;

use crate::io_support::{Folder, block};
use crate::program::{run, text};
use serde_json::Value;

/// Skin is open, with a closed block far away in the same mesh. A gate on depth judges what goes
/// through the skin, or near it, as if the block were not there.
#[test]
fn a_closed_part_elsewhere_does_not_pass_what_goes_through_an_open_part() {
    let folder = Folder::new();
    folder.write("eye.obj", block([10.0; 3], [11.0; 3]));
    let open = "v -1 -1 0\nv 2 -1 0\nv -1 2 0\n";
    let eye = fs::read_to_string(folder.path("eye.obj")).unwrap();
    folder.write("skin.obj", format!("{eye}{open}f -3 -2 -1\n"));
    folder.write("bare.obj", format!("{open}f -3 -2 -1\n"));
    let cloths = [
        "positions = [[0, 0, -0.5], [0.5, 0, -0.5], [0.25, 0, 0.5]]\nvelocity = [0, 0.001, 0]",
        "positions = [[0, 0, 0.005], [0.5, 0, 0.005], [0.25, 0, 0.5]]\nthickness = 0.02\nvelocity = [0, 0.001, 0]",
    ];
    for (number, cloth) in cloths.iter().enumerate() {
        let of = |skin: &str| {
            let scene = format!(
                "fps = 10\nspan = [0, 1]\n[[body]]\nname = \"skin\"\nmesh = \"{skin}\"\n\
                 [[body]]\nname = \"cloth\"\n{cloth}\ntriangles = [[0, 1, 2]]\n"
            );
            let (scene, json) = (folder.write_at("skin.toml", scene), folder.at("out.json"));
            let output = run(&["check", &scene, "-o", &json, "--fail-on", "depth>2mm"]);
            let result: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
            let [incident] = &result["incidents"].as_array().unwrap()[..] else { panic!("one incident: {result}") };
            (output.status.code(), ["depth", "severity", "length", "area"].map(|name| incident[name].clone()))
        };
        let (skin, bare) = (of("skin.obj"), of("bare.obj"));
        assert_eq!(skin, bare, "{number}");
        assert_eq!((skin.0, skin.1[0].is_null()), (Some([1, 3][number]), true), "{number}");
    }
}

/// Nothing moves: what touches at the one sample touches in any span.
#[test]
fn a_span_beside_the_only_sample_of_a_scene_at_rest_is_checked() {
    let folder = Folder::new();
    let wall = folder.write_at("wall.obj", block([-1.0; 3], [1.0; 3]));
    let stone = folder.write_at("stone.obj", block([-3.0, -0.75, -0.5], [-0.9375, 0.75, 0.25]));
    let json = folder.at("out.json");
    for (option, span) in [("0..1", [0.0, 1.0]), ("1..2", [1.0, 2.0])] {
        let output = run(&["check", &wall, &stone, "--span", option, "-o", &json, "--fail-on", "depth>62mm"]);
        assert_eq!(output.status.code(), Some(1), "{}{}", text(&output.stdout), text(&output.stderr));
        let result: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        let intervals = result["intervals"].as_array().unwrap();
        assert!(!intervals.is_empty() && result["still"] == true, "{result}");
        assert_eq!([&result["incidents"][0]["begin"], &result["incidents"][0]["end"]], span, "{result}");
    }
}
