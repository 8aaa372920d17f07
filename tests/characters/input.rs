//! Bad input: typed errors that name file, line and body, and say what there is.

use std::path::Path;

use kinetree::io::gltf::GltfErrorKind;
use kinetree::io::{MotionData, ReadErrorKind, SceneError, SceneOptions, parse_scene_with, read_scene};
use serde_json::json;

use crate::io_support::Folder;
use crate::io_support::data::shared;
use crate::program::{run, text};
use crate::tentacle::tentacle;

/// A scene of one body, with more lines for it.
fn scene(folder: &Folder, mesh: &str, more: &str) -> String {
    folder.write_at("scene.toml", format!("[[body]]\nname = \"arm\"\nmesh = \"{mesh}\"\n{more}"))
}

#[test]
fn clips_and_nodes_that_are_not_there_are_refused_and_those_there_are_named() {
    let folder = Folder::new();
    folder.write("t.glb", tentacle().glb());
    folder.write("still.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let refusals: [(&str, &str, &str); 11] = [
        (
            "t.glb#Tube@dance",
            "",
            "line 3 (body \"arm\"): animations: there is no clip \"dance\"; there are: \"curl\", \"Rig|wave\"",
        ),
        ("t.glb#Tube", "clip = \"dance\"", "no clip \"dance\""),
        ("t.glb#Arm", "", "line 3 (body \"arm\"): nodes: there is no node \"Arm\" with a mesh; there are: \"Tube\""),
        ("t.glb#Tube@curl", "clip = \"wave\"", "line 4 (body \"arm\"): the clip is stated twice"),
        ("t.glb", "offset = nan", "line 4 (body \"arm\"): `offset` is NaN"),
        ("t.glb", "offset = 1e300", "`offset` is 1000000"),
        ("t.glb", "stored = 1", "invalid type"),
        ("still.obj", "stored = true", "line 4 (body \"arm\"): `stored` means nothing here"),
        ("still.obj", "clip = \"a\"", "`clip` means nothing here"),
        ("still.obj", "tolerance = 1", "`tolerance` means nothing here"),
        (
            "still.obj",
            "offset = 1",
            "line 4 (body \"arm\"): `offset` means nothing here, because the body has no frames",
        ),
    ];
    for (mesh, more, told) in refusals {
        let error = read_scene(scene(&folder, mesh, more)).unwrap_err();
        let message = folder.message(&error);
        assert!(message.starts_with("scene.toml") && message.contains(told), "{mesh} {more}: {message}");
    }
    let error = read_scene(scene(&folder, "t.glb@dance", "")).unwrap_err();
    let ReadErrorKind::Gltf(kind) = error.kind() else { panic!("{error}") };
    assert!(matches!(&kind.kind, GltfErrorKind::NoClip { wanted, known } if wanted == "dance" && known.len() == 2));
    let error = read_scene(scene(&folder, "t.glb@curl", "clip = \"wave\"")).unwrap_err();
    assert_eq!(*error.kind(), ReadErrorKind::Scene(SceneError::ClipTwice));
    let output = run(&["check", &folder.at("t.glb"), "--clip", "dance"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("\"curl\", \"Rig|wave\""), "{}", text(&output.stderr));
}

#[test]
fn joints_that_do_not_fit_the_skin_are_refused_with_the_place() {
    let folder = Folder::new();
    let mut many = tentacle();
    many.root["skins"][0]["joints"] = json!([1, 2, 3, 4, 0]);
    folder.write("many.glb", many.glb());
    let error = read_scene(scene(&folder, "many.glb", "")).unwrap_err();
    assert!(folder.message(&error).starts_with("many.glb (body \"arm\"): skins[0]"), "{error}");
    let mut few = tentacle();
    few.root["skins"][0]["joints"] = json!([1, 2, 3]);
    few.root["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    folder.write("few.glb", few.glb());
    let error = read_scene(scene(&folder, "few.glb", "")).unwrap_err();
    assert!(folder.message(&error).starts_with("few.glb (body \"arm\")"), "{error}");
    let ReadErrorKind::Gltf(problem) = error.kind() else { panic!("{error}") };
    assert!(matches!(problem.kind, GltfErrorKind::Joint { .. }), "{error}");
}

#[test]
fn weights_that_are_no_numbers_are_refused_with_file_and_body_or_repaired() {
    let Some(wasp) = shared("skinned/quaternius/Wasp.glb") else { return };
    let text = format!("[[body]]\nname = \"wasp\"\nmesh = '{}'\n", wasp.display());
    let how = SceneOptions::default().allowing_outside(true);
    let error = parse_scene_with(&text, Path::new("scene.toml"), how).unwrap_err();
    assert!(error.file().ends_with("Wasp.glb") && error.body() == Some("wasp"), "{error}");
    let ReadErrorKind::Gltf(problem) = error.kind() else { panic!("{error}") };
    assert!(matches!(problem.kind, GltfErrorKind::Weight { value, .. } if value.is_nan()), "{error}");
    let scene = parse_scene_with(&text, Path::new("scene.toml"), how.repairing(true)).unwrap();
    assert!(matches!(scene.bodies[0].motion, MotionData::Reduced(_)));
}
