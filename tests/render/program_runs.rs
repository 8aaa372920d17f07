//! `kinetree render`.

#[path = "../program/mod.rs"]
mod program;

use std::fs;

use crate::io_support::Folder;
use program::{run, text};

const CHARACTER: &str = "fixtures/character/scene.toml";

/// Runs the command on the fixture with a file to write, and returns status and messages.
fn render(folder: &Folder, name: &str, more: &[&str]) -> (Option<i32>, String) {
    let file = folder.path(name).to_str().unwrap().to_owned();
    let output = run(&[&["render", CHARACTER, "--size", "96x72", "--out", &file], more].concat());
    assert_eq!(text(&output.stdout), "");
    (output.status.code(), text(&output.stderr))
}

/// Width, height and frames of a PNG file.
fn shape(folder: &Folder, name: &str) -> (u32, u32, u32) {
    let bytes = fs::read(folder.path(name)).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let info = reader.info();
    (info.width, info.height, info.animation_control().map_or(1, |control| control.num_frames))
}

#[test]
fn pictures_sequences_turns_and_models_are_written() {
    let folder = Folder::new();
    let fine =
        |name: &str, more: &[&str]| assert_eq!(render(&folder, name, more), (Some(0), String::new()), "{more:?}");
    fine("a.png", &["--frame", "11"]);
    assert_eq!(shape(&folder, "a.png"), (96, 72, 1));
    fine("b.png", &["--time", "0.36666666666666664"]);
    assert_eq!(fs::read(folder.path("a.png")).unwrap(), fs::read(folder.path("b.png")).unwrap());
    fine("c.png", &["--frame", "11", "--highlight", "none", "--from", "back-left-top", "--flat"]);
    assert_ne!(fs::read(folder.path("a.png")).unwrap(), fs::read(folder.path("c.png")).unwrap());
    fine("d.png", &["--highlight", "incident:2"]);
    fine("e.png", &["--highlight", "incident:2", "--whole"]);
    assert_ne!(fs::read(folder.path("d.png")).unwrap(), fs::read(folder.path("e.png")).unwrap());
    fine("f.png", &["--frame", "3", "--highlight", "boxes:4", "--plain"]);
    fine("g.png", &["--frames", "4-12", "--every", "4"]);
    assert_eq!(shape(&folder, "g.png"), (96, 72, 3));
    fine("h_##.png", &["--frames", "9..11"]);
    assert!(["h_09.png", "h_10.png", "h_11.png"].iter().all(|name| shape(&folder, name) == (96, 72, 1)));
    fine("i.png", &["--frame", "11", "--turntable", "5"]);
    assert_eq!(shape(&folder, "i.png"), (96, 72, 5));
    fine("j.png", &["--highlight", "incident:1", "--frames", "5-14", "--every", "3"]);
    assert_eq!(shape(&folder, "j.png"), (96, 72, 4));
    fine("k.glb", &["--frame", "11"]);
    let checked = run(&["info", folder.path("k.glb").to_str().unwrap()]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).contains("figure"), "{}", text(&checked.stdout));
}

#[test]
fn refusals_say_what_to_do() {
    let folder = Folder::new();
    let refused = |name: &str, more: &[&str], message: &str| {
        let (status, told) = render(&folder, name, more);
        assert_eq!(status, Some(2), "{more:?}: {told}");
        assert!(told.contains(message), "{more:?}: {told}");
        assert!(!folder.path(name).exists(), "{name}");
    };
    refused("a.png", &[], "which time? add --frame F, --time T or --frames A-B");
    refused("a.gif", &["--frames", "1-3"], "name the file .png");
    refused("a.jpg", &["--frame", "1"], "the name must end in .png or .glb");
    refused("a#.png", &["--frame", "1"], "add --frames or --turntable");
    refused("a.glb", &["--frames", "1-3"], "a .glb shows one frame");
    refused("a.png", &["--frame", "900"], "--frame: ");
    refused("a.png", &["--time", "9"], "--time: ");
    refused("a.png", &["--frames", "40-50"], "--frames: ");
    refused("a.png", &["--frames", "5-2"], "frame 5 comes after frame 2; give the earlier frame first");
    refused("a.png", &["--frames", "5-x"], "is no range of frames");
    refused("a.png", &["--frame", "900"], "--frame: there is no frame 900; give frames from 0 to ");
    refused("a.png", &["--frame", "1", "--every", "2"], "--every: says which of --frames are drawn");
    let file = folder.at("many.png");
    let output = run(&["render", CHARACTER, "--frames", "0-29", "--size", "6000x4000", "--out", &file]);
    let most = "--frames: 30 pictures of 6000x4000 are more than 536 870 912 pixels";
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains(most), "{}", text(&output.stderr));
    refused("a.png", &["--frame", "1", "--highlight", "incident:0"], "incident:N (N from 1)");
    refused("a.png", &["--highlight", "incident:99"], "there are only");
    refused("a.png", &["--frame", "1", "--from", "sideways"], "is no direction");
    refused("a.png", &["--frame", "1", "--samples", "99"], "99 samples a pixel");
    refused("a.png", &["--frame", "1", "--fps", "-3"], "--fps: -3");
    let output =
        run(&["render", CHARACTER, "--frame", "1", "--size", "0x5", "-o", folder.path("b.png").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("0 x 5 pixels"), "{}", text(&output.stderr));
}
