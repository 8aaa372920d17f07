//! Files that a scene or a model names: those of its own folder, each once, and no more of them
//! than it needs.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::build::Builder;
use crate::io_support::Folder;
use kinetree::io::gltf::{GltfErrorKind, GltfOptions, read_gltf};
use kinetree::io::{FileError, ReadError, ReadErrorKind, SceneOptions, read_scene, read_scene_with};
use serde_json::{Value, json};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A secret outside, and a folder for documents beside it.
fn folders() -> Folder {
    let folder = Folder::new();
    for name in ["secret.obj", "frames/f_1.obj", "frames/f_2.obj", "in/own.obj", "in/below/own.obj"] {
        folder.write(name, TRIANGLE);
    }
    folder.write("secret.bin", [7; 256]);
    folder
}

fn scene(folder: &Folder, body: &str) -> std::path::PathBuf {
    folder.write("in/scene.toml", format!("fps = 1\nspan = [0, 1]\n[[body]]\nname = \"a\"\n{body}\n"))
}

fn is_outside(error: &ReadError) -> bool {
    matches!(error.kind(), ReadErrorKind::File(FileError::Outside { .. }))
}

#[test]
fn scenes_name_files_of_their_folder() {
    let folder = folders();
    symlink(folder.path("secret.obj"), folder.path("in/link.obj")).unwrap();
    symlink(folder.path("frames"), folder.path("in/linked")).unwrap();
    symlink("own.obj", folder.path("in/inner.obj")).unwrap();
    for number in 1..3 {
        symlink(folder.path(&format!("frames/f_{number}.obj")), folder.path(&format!("in/g_{number}.obj"))).unwrap();
    }
    let absolute = folder.at("secret.obj");
    let refused = [
        "mesh = '../secret.obj'".to_owned(),
        format!("mesh = '{absolute}'"),
        "mesh = 'below/../../secret.obj'".to_owned(),
        "mesh = '..\\..\\secret.obj'".to_owned(),
        "mesh = '\\\\host\\share\\x.obj'".to_owned(),
        "mesh = 'C:\\x.obj'".to_owned(),
        "mesh = 'link.obj'".to_owned(),
        "mesh = 'linked/f_1.obj'".to_owned(),
        "mesh = 'own.obj'\nmotion = '../secret.pc2'".to_owned(),
        "motion = '../frames/f_#.obj'".to_owned(),
        "motion = 'linked/f_#.obj'".to_owned(),
        "motion = 'g_#.obj'".to_owned(),
    ];
    for body in &refused {
        let error = read_scene(scene(&folder, body)).expect_err(body);
        assert!(is_outside(&error), "{body}: {error}");
        let message = error.to_string();
        assert!(message.contains("--allow-outside") && message.contains("(body \"a\")"), "{body}: {message}");
    }
    for body in ["mesh = 'own.obj'", "mesh = './below/../own.obj'", "mesh = 'below/own.obj'", "mesh = 'inner.obj'"] {
        assert!(read_scene(scene(&folder, body)).is_ok(), "{body}");
    }
    let options = SceneOptions::default().allowing_outside(true);
    for body in refused.iter().filter(|body| !body.contains('\\') && !body.contains("pc2")) {
        assert!(read_scene_with(scene(&folder, body), options).is_ok(), "{body}");
    }
    // The scene's own path may be a link; names start where the link is.
    symlink(scene(&folder, "mesh = 'own.obj'"), folder.path("linked.toml")).unwrap();
    assert!(read_scene(folder.path("linked.toml")).is_err());
    folder.write("own.obj", TRIANGLE);
    assert!(read_scene(folder.path("linked.toml")).is_ok());
}

/// A triangle whose data is in a file, named `uri` by `copies` buffers.
fn model(folder: &Folder, uri: &str, copies: usize) -> (std::path::PathBuf, Vec<u8>) {
    let mut file = Builder::new();
    let mesh = file.triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    file.push("nodes", json!({ "mesh": mesh }));
    let length = file.bytes.len();
    let buffers: Vec<Value> = (0..copies).map(|_| json!({ "uri": uri, "byteLength": length })).collect();
    file.root.insert("buffers".into(), buffers.into());
    (folder.write("in/model.gltf", serde_json::to_vec(&file.root).unwrap()), file.bytes)
}

#[test]
fn models_name_data_of_their_folder() {
    let folder = folders();
    symlink(folder.path("secret.bin"), folder.path("in/link.bin")).unwrap();
    let absolute = folder.at("secret.bin");
    for uri in
        ["../secret.bin", &*absolute, "%2e%2e/secret.bin", "..%2Fsecret.bin", "below/%2E%2E/../secret.bin", "link.bin"]
    {
        let (path, _) = model(&folder, uri, 1);
        let error = read_gltf(&path, GltfOptions::default()).expect_err(uri);
        let ReadErrorKind::Gltf(problem) = error.kind() else { panic!("{error}") };
        assert!(matches!(&problem.kind, GltfErrorKind::Outside(FileError::Outside { .. })), "{uri}: {error}");
        let message = error.to_string();
        for part in ["model.gltf", "buffers[0].uri", "secret.bin", "--allow-outside"] {
            assert!(message.contains(part) || (part == "secret.bin" && uri.contains("link")), "{uri}: {message}");
        }
        assert!(read_gltf(&path, GltfOptions::default().allowing_outside(true)).is_ok(), "{uri}");
    }
    for uri in ["\\\\host\\share\\x.bin", "//host/share/x.bin", "file:///etc/passwd", "C:\\x.bin", "c%3A/x.bin"] {
        let (path, _) = model(&folder, uri, 1);
        let error = read_gltf(&path, GltfOptions::default()).expect_err(uri);
        let ReadErrorKind::Gltf(problem) = error.kind() else { panic!("{error}") };
        assert!(matches!(&problem.kind, GltfErrorKind::Outside(_) | GltfErrorKind::Uri { .. }), "{uri}: {error}");
    }
}

#[test]
fn a_file_that_many_buffers_name_is_read_once_and_only_as_far_as_needed() {
    let folder = folders();
    let (path, bytes) = model(&folder, "data.bin", 400);
    folder.write("in/data.bin", &bytes);
    let whole = read_gltf(&path, GltfOptions::default()).unwrap();
    std::fs::OpenOptions::new().write(true).open(folder.path("in/data.bin")).unwrap().set_len(256 << 20).unwrap();
    assert_eq!(read_gltf(&path, GltfOptions::default()).unwrap(), whole);
    // The same by other names.
    let text = std::fs::read_to_string(&path).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    for (number, buffer) in document["buffers"].as_array_mut().unwrap().iter_mut().enumerate() {
        buffer["uri"] = format!("{}data.bin", "./".repeat(number)).into();
    }
    let path = folder.write("in/many.gltf", serde_json::to_vec(&document).unwrap());
    assert_eq!(read_gltf(&path, GltfOptions::default()).unwrap(), whole);
    // What a document may ask for grows with the bytes that are read: not with how often a file is
    // named, nor with what of it no buffer announces.
    let zeros = document["accessors"].as_array().unwrap().len();
    let count = 10_000_000u64;
    document["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "componentType": 5126, "count": count, "type": "VEC3" }));
    document["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = zeros.into();
    for buffer in document["buffers"].as_array_mut().unwrap() {
        buffer["byteLength"] = (1 << 20).into();
    }
    let path = folder.write("in/large.gltf", serde_json::to_vec(&document).unwrap());
    let error = read_gltf(&path, GltfOptions::default()).unwrap_err();
    let ReadErrorKind::Gltf(problem) = error.kind() else { panic!("{error}") };
    assert!(matches!(&problem.kind, GltfErrorKind::TooMuch { .. }), "{error}");
}

#[test]
fn special_files_are_refused_and_not_waited_for() {
    let folder = folders();
    let pipe = folder.path("in/pipe.obj");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("/dev/zero", folder.path("in/zero.obj")).unwrap();
    symlink("pipe.obj", folder.path("in/pipe.bin")).unwrap();
    let options = SceneOptions::default().allowing_outside(true);
    for body in ["mesh = 'pipe.obj'", "mesh = 'zero.obj'", "mesh = '/dev/zero'", "mesh = 'below/.obj'"] {
        let error = read_scene_with(scene(&folder, body), options).expect_err(body);
        assert!(!error.to_string().is_empty());
    }
    for uri in ["pipe.bin", "/dev/zero"] {
        let (path, _) = model(&folder, uri, 1);
        let error = read_gltf(&path, GltfOptions::default().allowing_outside(true)).expect_err(uri);
        assert!(error.to_string().contains("a pipe or a device"), "{uri}: {error}");
    }
    for path in ["/dev/zero", pipe.to_str().unwrap()] {
        let error = read_scene(path).unwrap_err();
        assert_eq!(error.kind(), &ReadErrorKind::File(FileError::NotAFile), "{path}");
    }
    // A file that the system makes up states no length; some have no end.
    if Path::new("/proc/self/maps").exists() {
        assert!(read_scene("/proc/self/maps").unwrap_err().to_string().contains("no bodies"));
    }
}
