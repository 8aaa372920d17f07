//! A frame as a glTF file: its structure by hand, and what the crate's own reader makes of it.

use kinetree::io::gltf::{GltfSceneOptions, read_gltf_scene};
use kinetree::report::render::{Frame, FrameBody, Up, glb};
use serde_json::Value;

use crate::io_support::Folder;

fn frame() -> Frame {
    let one = FrameBody {
        triangles_each: 1,
        name: "sheet".into(),
        triangles: vec![[0, 1, 2], [0, 2, 3], [3, 2, 4]],
        positions: vec![[0.0; 3], [1.0, 0.0, 0.25], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0], [0.5, 2.0, 0.0]],
        highlighted: vec![1],
        known: vec![],
        colour: Some([255, 0, 128]),
        highlight: None,
    };
    let other = FrameBody {
        triangles_each: 1,
        name: "tip \"quoted\"".into(),
        triangles: vec![[2, 1, 0]],
        positions: vec![[0.5, 0.5, -1.0], [0.5, 0.5, 1.0], [2.5, 0.5, 0.0]],
        highlighted: vec![0],
        known: vec![],
        colour: None,
        highlight: None,
    };
    let empty = FrameBody { name: "nothing".into(), ..FrameBody::default() };
    Frame { bodies: vec![one, empty, other], label: vec!["frame 3 · 0.1 s".into()], ..Frame::default() }
}

/// The JSON chunk and the binary chunk; lengths are checked.
fn parts(file: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&file[..4], word(4), word(8)), (&b"glTF"[..], 2, file.len()));
    let text = word(12);
    assert_eq!((&file[16..20], text % 4), (&b"JSON"[..], 0));
    let json = serde_json::from_slice(&file[20..20 + text]).unwrap();
    let data = word(20 + text);
    assert_eq!((&file[24 + text..28 + text], 28 + text + data), (&b"BIN\0"[..], file.len()));
    (json, file[28 + text..].to_vec())
}

/// The numbers of an accessor of `f32` triples.
fn triples(json: &Value, data: &[u8], accessor: &Value) -> Vec<[f32; 3]> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    assert_eq!((accessor["componentType"].as_u64(), accessor["type"].as_str()), (Some(5126), Some("VEC3")));
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let (begin, length) =
        (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
    assert_eq!(length as u64, 12 * accessor["count"].as_u64().unwrap());
    let numbers = data[begin..begin + length].as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b));
    numbers.collect::<Vec<_>>().as_chunks::<3>().0.to_vec()
}

#[test]
fn its_structure_is_that_of_the_format() {
    let bytes = glb(&frame(), Up::Y).unwrap();
    assert_eq!(bytes, glb(&frame(), Up::Y).unwrap());
    let (json, data) = parts(&bytes);
    assert_eq!(json["asset"]["version"], "2.0");
    assert_eq!(json["asset"]["extras"]["label"][0], "frame 3 · 0.1 s");
    assert_eq!(json["buffers"][0]["byteLength"].as_u64(), Some(data.len() as u64));
    assert_eq!(json["nodes"].as_array().unwrap().len(), 3, "a root and the bodies with triangles");
    assert_eq!((&json["nodes"][1]["name"], &json["nodes"][2]["name"]), (&"sheet".into(), &"tip \"quoted\"".into()));
    let sheet = &json["meshes"][0];
    assert_eq!(sheet["extras"]["highlighted"], serde_json::json!([1]));
    let attributes = &sheet["primitives"][0]["attributes"];
    let positions = triples(&json, &data, &attributes["POSITION"]);
    let own = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]];
    assert_eq!(positions[..2], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.25]]);
    assert_eq!(positions[5..], own, "the highlighted triangle has corners of its own");
    let accessor = &json["accessors"][attributes["POSITION"].as_u64().unwrap() as usize];
    assert_eq!(
        (&accessor["min"], &accessor["max"]),
        (&serde_json::json!([0.0, 0.0, 0.0]), &serde_json::json!([1.0, 2.0, 0.5]))
    );
    let colours = triples(&json, &data, &attributes["COLOR_0"]);
    // sRGB 255, 0, 128 is 1, 0, 0.2158 in linear light.
    assert!(colours[..5].iter().all(|c| c[0] == 1.0 && c[1] == 0.0 && (c[2] - 0.2158).abs() < 1e-3), "{colours:?}");
    assert!(colours[5..].iter().all(|c| *c == colours[5]) && colours[5] != colours[0]);
    let indices = &json["accessors"][sheet["primitives"][0]["indices"].as_u64().unwrap() as usize];
    assert_eq!((indices["componentType"].as_u64(), indices["count"].as_u64()), (Some(5125), Some(9)));
    let begin = json["bufferViews"][indices["bufferView"].as_u64().unwrap() as usize]["byteOffset"].as_u64().unwrap();
    let read: Vec<u32> =
        data[begin as usize..][..36].as_chunks::<4>().0.iter().map(|&b| u32::from_le_bytes(b)).collect();
    assert_eq!(read, [0, 1, 2, 5, 6, 7, 3, 2, 4]);
}

#[test]
fn the_reader_has_the_bodies_back() {
    let folder = Folder::new();
    let frame = frame();
    for (up, turned) in [(Up::Y, false), (Up::Z, true)] {
        let file = folder.write_at("frame.glb", glb(&frame, up).unwrap());
        let scene = read_gltf_scene(&file, &GltfSceneOptions::default()).unwrap();
        let bodies = [&frame.bodies[0], &frame.bodies[2]];
        assert_eq!(scene.bodies.len(), 2);
        for (read, body) in scene.bodies.iter().zip(bodies) {
            assert_eq!(read.mesh.triangles.len(), body.triangles.len());
            for (triangle, corners) in read.mesh.triangles.iter().enumerate() {
                for corner in 0..3 {
                    let [x, y, z] = body.positions[body.triangles[triangle][corner] as usize].map(|x| x as f32);
                    let expected = if turned { [x, z, -y] } else { [x, y, z] };
                    let at = read.mesh.positions[corners[corner] as usize];
                    assert!((0..3).all(|i| (at[i] - expected[i]).abs() < 1e-6), "{at:?} {expected:?}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_a_file_is_refused() {
    let mut wrong = frame();
    wrong.bodies[0].positions[4][0] = 1e29;
    glb(&wrong, Up::Y).unwrap();
    wrong.bodies[0].positions[4][0] = 1e31;
    assert!(glb(&wrong, Up::Y).is_err());
    // Without bodies there is a file without meshes.
    let bytes = glb(&Frame::default(), Up::Auto).unwrap();
    assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize, bytes.len());
}
