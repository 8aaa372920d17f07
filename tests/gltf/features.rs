//! What the reader understands, one small file made here for each.

use std::path::Path;

use kinetree::io::gltf::{GltfOptions, Interpolation, Model, NodeTransform, Property, parse_gltf, read_gltf};
use serde_json::json;

use crate::build::{
    BYTE, Builder, FLOAT, SHORT, UNSIGNED_BYTE, UNSIGNED_INT, UNSIGNED_SHORT, base64, floats, glb, shorts, words,
};

pub(crate) use crate::io_support::{Folder, Random};

pub(crate) const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

pub(crate) fn parsed(bytes: &[u8]) -> Model {
    parse_gltf(bytes, Path::new("x.glb"), GltfOptions::default()).unwrap()
}

/// One triangle at a node of its own.
pub(crate) fn triangle() -> Builder {
    let mut file = Builder::new();
    let mesh = file.triangles(&TRIANGLE);
    file.push("nodes", json!({ "name": "flag", "mesh": mesh }));
    file
}

/// The triangle under two joints, the second moved by a clip.
pub(crate) fn skinned() -> Builder {
    let mut file = Builder::new();
    let positions = file.vectors(&TRIANGLE);
    let [joints, weights] = file.influences(
        &[[0; 4], [0, 1, 0, 0], [1, 0, 0, 0]],
        &[[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]],
    );
    let attributes = json!({ "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights });
    let mesh = file.mesh(json!([{ "attributes": attributes }]));
    file.push("nodes", json!({ "name": "body", "mesh": mesh, "skin": 0, "translation": [9, 9, 9] }));
    file.push("nodes", json!({ "name": "hip", "children": [2] }));
    file.push("nodes", json!({ "name": "knee" }));
    file.push("skins", json!({ "joints": [1, 2] }));
    let times = file.scalars(&[0.0, 1.0]);
    let values = file.vectors(&[[0.0; 3], [0.0, 0.0, 4.0]]);
    let channels = json!([{ "sampler": 0, "target": { "node": 2, "path": "translation" } }]);
    let samplers = json!([{ "input": times, "output": values }]);
    file.push("animations", json!({ "name": "kick", "channels": channels, "samplers": samplers }));
    file
}

#[test]
fn containers_and_places_of_data_are_the_same_model() {
    let file = skinned();
    let wanted = parsed(&file.glb());
    assert_eq!((wanted.nodes.len(), wanted.meshes[0].triangles.len()), (3, 1));
    assert!(wanted.notes.is_empty(), "{:?}", wanted.notes);
    assert_eq!(parsed(&file.with_data_uri()), wanted);
    let unpadded = file.with_file(&format!("data:;base64,{}", base64(&file.bytes).trim_end_matches('=')));
    assert_eq!(parsed(&unpadded), wanted);
    let percent = file.bytes.iter().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"));
    assert_eq!(parsed(&file.with_file(&format!("data:application/octet-stream,{percent}"))), wanted);
    let mut marked = b"\xef\xbb\xbf".to_vec();
    marked.extend(file.with_data_uri());
    assert_eq!(parsed(&marked), wanted);

    let folder = Folder::new();
    folder.write("data/rück seite.bin", &file.bytes);
    let path = folder.write("model.gltf", file.with_file("data/r%C3%BCck%20seite.bin"));
    assert_eq!(read_gltf(&path, GltfOptions::default()).unwrap(), wanted);

    let mut trailing = file.glb();
    trailing.extend([1, 2, 3]);
    let read = parsed(&trailing);
    assert_eq!(read.meshes, wanted.meshes);
    assert!(read.notes[0].contains("3 bytes after the end"), "{:?}", read.notes);
}

#[test]
fn unknown_chunks_and_longer_buffers_are_passed_over() {
    let file = triangle();
    let json = file.json(json!({ "byteLength": file.bytes.len() }));
    let mut longer = file.bytes.clone();
    longer.extend([0; 3]);
    let mut bytes = glb(&json, Some(&longer));
    bytes.extend(4u32.to_le_bytes());
    bytes.extend(b"XYZ\0abcd");
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    assert_eq!(parsed(&bytes), parsed(&file.glb()));
}

#[test]
fn lists_strips_and_fans_are_cut_as_the_format_says() {
    let mut file = Builder::new();
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 2.0, 0.0]];
    let positions = file.vectors(&square);
    let indices = file.accessor("SCALAR", UNSIGNED_BYTE, 6, &[0, 1, 2, 2, 3, 4]);
    let spare = file.accessor("SCALAR", UNSIGNED_BYTE, 5, &[2, 3, 4, 0, 1]);
    let long = file.accessor("SCALAR", UNSIGNED_INT, 3, &[4, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0]);
    let primitive = |mode: u64| json!({ "attributes": { "POSITION": positions }, "indices": indices, "mode": mode });
    let mut long_list = primitive(4);
    long_list["indices"] = long.into();
    let mut left_over = primitive(4);
    left_over["indices"] = spare.into();
    let bare = json!({ "attributes": { "POSITION": positions }, "mode": 6 });
    let mesh = file.mesh(json!([primitive(4), primitive(5), primitive(6), primitive(1), long_list, bare, left_over]));
    file.push("nodes", json!({ "mesh": mesh }));
    let model = parsed(&file.glb());
    let mesh = &model.meshes[0];
    // All primitives have the same accessor of positions: one set of vertices.
    assert_eq!(mesh.positions, square);
    let parts: Vec<&[[u32; 3]]> = mesh.primitives.iter().map(|range| &mesh.triangles[range.clone()]).collect();
    assert_eq!(parts[0], [[0, 1, 2], [2, 3, 4]]);
    // 0 1 2, (1 2 2), (2 2 3), 2 3 4 → the stitches fall out, every second one is turned.
    assert_eq!(parts[1], [[0, 1, 2], [2, 4, 3]]);
    assert_eq!(parts[2], [[1, 2, 0], [2, 2, 0], [2, 3, 0], [3, 4, 0]]);
    assert!(parts[3].is_empty());
    assert_eq!(parts[4], [[4, 3, 2]]);
    assert_eq!(parts[5], [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    assert_eq!(parts[6], [[2, 3, 4]]);
    assert_eq!(model.notes.len(), 2, "{:?}", model.notes);
    assert!(model.notes[0].contains("2 indices are left over") && model.notes[1].contains("points or lines"));
}

#[test]
fn quantised_positions_are_decoded_normalized_or_not() {
    let numbers: [i8; 12] = [0, 0, 0, 77, 127, 0, 0, 77, 0, -128, 64, 77];
    let bytes = numbers.map(|number| number as u8);
    let mut file = Builder::new();
    let plain = file.accessor("VEC3", BYTE, 3, &bytes);
    let unit = file.normalized("VEC3", BYTE, 3, &bytes);
    let view = file.root["accessors"][plain]["bufferView"].as_u64().unwrap() as usize;
    for accessor in [plain, unit] {
        file.root["accessors"][accessor]["bufferView"] = view.into();
    }
    file.root["bufferViews"][view]["byteStride"] = 4.into();
    let wide = file.normalized("VEC3", UNSIGNED_SHORT, 3, &words(&[0, 0, 0, 65535, 0, 0, 0, 13107, 0]));
    let deltas = file.normalized("VEC3", SHORT, 3, &shorts(&[32767, 0, 0, 0, -32768, 0, 0, 0, 0]));
    for accessor in [plain, unit, wide] {
        let target = json!([{ "POSITION": deltas }]);
        let mesh = file.mesh(json!([{ "attributes": { "POSITION": accessor }, "targets": target }]));
        file.push("nodes", json!({ "mesh": mesh }));
    }
    file.root.insert("extensionsUsed".into(), json!(["KHR_mesh_quantization"]));
    file.root.insert("extensionsRequired".into(), json!(["KHR_mesh_quantization"]));
    let model = parsed(&file.glb());
    assert_eq!(model.meshes[0].positions, [[0.0, 0.0, 0.0], [127.0, 0.0, 0.0], [0.0, -128.0, 64.0]].map(|p| p));
    assert_eq!(model.meshes[1].positions, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, (64.0f64 / 127.0) as f32]]);
    assert_eq!(model.meshes[2].positions, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.2, 0.0]]);
    assert_eq!(model.meshes[2].targets[0], [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0; 3]]);
    assert!(model.notes.is_empty());
    file.root.remove("extensionsUsed");
    file.root.remove("extensionsRequired");
    assert!(parsed(&file.glb()).notes[0].contains("KHR_mesh_quantization"));
}

#[test]
fn interleaved_data_is_read_with_its_stride() {
    let mut file = Builder::new();
    let rows: Vec<f32> = TRIANGLE.iter().flat_map(|&[x, y, z]| [x, y, z, 7.0, 7.0]).collect();
    let view = file.view(&floats(&rows), Some(20));
    let positions =
        file.push("accessors", json!({ "bufferView": view, "componentType": FLOAT, "count": 3, "type": "VEC3" }));
    let mesh = file.mesh(json!([{ "attributes": { "POSITION": positions } }]));
    file.push("nodes", json!({ "mesh": mesh }));
    assert_eq!(parsed(&file.glb()).meshes[0].positions, TRIANGLE);
}

#[test]
fn sparse_and_zero_filled_accessors_are_filled_in() {
    let mut file = Builder::new();
    let positions = file.vectors(&TRIANGLE);
    let (places, values) = (file.view(&[1], None), file.view(&floats(&[5.0, 6.0, 7.0]), None));
    let sparse = json!({
        "count": 1,
        "indices": { "bufferView": places, "componentType": UNSIGNED_BYTE },
        "values": { "bufferView": values },
    });
    let on_data = json!({ "bufferView": 0, "componentType": FLOAT, "count": 3, "type": "VEC3", "sparse": sparse });
    let on_zeros = json!({ "componentType": FLOAT, "count": 3, "type": "VEC3", "sparse": sparse });
    let zeros = json!({ "componentType": FLOAT, "count": 3, "type": "VEC3" });
    let accessors = [on_data, on_zeros, zeros].map(|accessor| file.push("accessors", accessor));
    let targets: Vec<_> = accessors.iter().map(|accessor| json!({ "POSITION": accessor })).collect();
    let mut targets = targets;
    targets.push(json!({ "NORMAL": positions }));
    let mesh = file.mesh(json!([{ "attributes": { "POSITION": positions }, "targets": targets }]));
    file.root["meshes"][mesh]["weights"] = json!([0.5, 0.25, 0, 0]);
    file.push("nodes", json!({ "mesh": mesh }));
    file.push("nodes", json!({ "mesh": mesh, "weights": [0, 0, 0, 1] }));
    let model = parsed(&file.glb());
    let targets = &model.meshes[0].targets;
    assert_eq!(targets[0], [[0.0, 0.0, 0.0], [5.0, 6.0, 7.0], [0.0, 1.0, 0.0]]);
    assert_eq!(targets[1], [[0.0; 3], [5.0, 6.0, 7.0], [0.0; 3]]);
    assert_eq!((&targets[2], &targets[3]), (&vec![[0.0; 3]; 3], &vec![[0.0; 3]; 3]));
    assert_eq!(model.nodes[0].weights, [0.5, 0.25, 0.0, 0.0]);
    assert_eq!(model.nodes[1].weights, [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn influences_of_all_sets_are_gathered_and_sum_to_one() {
    let mut file = Builder::new();
    let positions = file.vectors(&TRIANGLE);
    let joints = file.accessor("VEC4", UNSIGNED_SHORT, 3, &words(&[3, 1, 3, 0, 2, 9, 9, 9, 0, 0, 0, 0]));
    let weights = file.normalized("VEC4", UNSIGNED_BYTE, 3, &[51, 51, 51, 0, 255, 0, 0, 0, 255, 0, 0, 0]);
    let more = file.accessor("VEC4", UNSIGNED_BYTE, 3, &[4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let rest = file.normalized("VEC4", UNSIGNED_SHORT, 3, &words(&[26214, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    let attributes =
        json!({ "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights, "JOINTS_1": more, "WEIGHTS_1": rest });
    let mesh = file.mesh(json!([{ "attributes": attributes }]));
    file.push("nodes", json!({ "mesh": mesh, "skin": 0 }));
    for _ in 0..5 {
        file.push("nodes", json!({}));
    }
    file.push("skins", json!({ "joints": [1, 2, 3, 4, 5] }));
    let model = parsed(&file.glb());
    let influences = model.meshes[0].influences.as_ref().unwrap();
    let first: Vec<(u32, f64)> = influences.of(0).collect();
    assert_eq!(first.iter().map(|&(joint, _)| joint).collect::<Vec<_>>(), [1, 3, 4]);
    for ((_, weight), wanted) in first.iter().zip([0.2, 0.4, 0.4]) {
        assert!((weight - wanted).abs() < 1e-12, "{first:?}");
    }
    // Unused places may name any joint.
    assert_eq!(influences.of(1).collect::<Vec<_>>(), [(2, 1.0)]);
    assert!(model.notes.is_empty(), "{:?}", model.notes);
}

#[test]
fn weights_far_from_a_sum_of_one_are_divided_and_noted() {
    let mut file = skinned();
    let [joints, weights] = file.influences(&[[0, 1, 0, 0]; 3], &[[0.1, 0.1, 0.0, 0.0]; 3]);
    let attributes = &mut file.root["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = joints.into();
    attributes["WEIGHTS_0"] = weights.into();
    let model = parsed(&file.glb());
    assert_eq!(model.meshes[0].influences.as_ref().unwrap().of(2).collect::<Vec<_>>(), [(0, 0.5), (1, 0.5)]);
    assert!(model.notes[0].contains("3 vertices do not sum to 1"), "{:?}", model.notes);
}

#[test]
fn bad_weights_are_repaired_on_request() {
    let mut file = skinned();
    let bad = [[f32::NAN, 0.5, 0.0, 0.0], [-1.0, f32::INFINITY, 0.0, 0.0], [0.0; 4]];
    let [joints, weights] = file.influences(&[[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], &bad);
    let attributes = &mut file.root["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = joints.into();
    attributes["WEIGHTS_0"] = weights.into();
    let model = parse_gltf(&file.glb(), Path::new("x"), GltfOptions::repairing()).unwrap();
    let influences = model.meshes[0].influences.as_ref().unwrap();
    let lists: Vec<Vec<(u32, f64)>> = (0..3).map(|vertex| influences.of(vertex).collect()).collect();
    assert_eq!(lists, [[(1, 1.0)], [(1, 1.0)], [(1, 1.0)]]);
    assert!(model.notes[0].contains("3 vertices have weights that are negative or no numbers"), "{:?}", model.notes);
}

#[test]
fn transforms_scenes_and_skins_are_taken_as_they_are() {
    let mut file = skinned();
    let columns = [2., 0., 0., 0., 0., 3., 0., 0., 0., 0., 4., 0., 5., 6., 7., 1.];
    file.push("nodes", json!({ "mesh": 0, "matrix": columns, "children": [4] }));
    file.push("nodes", json!({ "rotation": [0.0, 0.0, 2.0, 0.0], "scale": [1, -1, 0] }));
    file.push("nodes", json!({ "mesh": 0 }));
    file.push("scenes", json!({ "nodes": [0] }));
    file.push("scenes", json!({ "nodes": [0, 1, 3] }));
    file.root.insert("scene".into(), 1.into());
    let identity: [f32; 16] = std::array::from_fn(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
    let mut moved = identity;
    moved[12] = 8.0;
    let binds = file.accessor("MAT4", FLOAT, 2, &floats(&[identity, moved].concat()));
    file.push("skins", json!({ "joints": [2, 1], "inverseBindMatrices": binds, "name": "second" }));
    let model = parsed(&file.glb());
    let NodeTransform::Matrix(matrix) = &model.nodes[3].rest else { panic!() };
    assert_eq!(**matrix, [2., 0., 0., 5., 0., 3., 0., 6., 0., 0., 4., 7., 0., 0., 0., 1.]);
    let NodeTransform::Parts(parts) = &model.nodes[4].rest else { panic!() };
    assert_eq!((parts.rotation, parts.scale), ([0.0, 0.0, 1.0, 0.0], [1.0, -1.0, 0.0]));
    assert_eq!(model.nodes.iter().map(|node| node.in_scene).collect::<Vec<_>>(), [true, true, true, true, true, false]);
    assert_eq!(model.mesh_nodes(), [0, 3]);
    assert_eq!((model.skins[0].inverse_binds[1][0], model.skins[0].inverse_binds[1][3]), (1.0, 0.0));
    assert_eq!((model.skins[1].name.as_str(), model.skins[1].inverse_binds[1][3]), ("second", 8.0));
    let told = model.notes.join("; ");
    assert!(told.contains("length 2") && told.contains("the node no skin"), "{told}");
}

#[test]
fn channels_of_all_kinds_are_read() {
    let mut file = skinned();
    let times = file.scalars(&[0.5, 2.0]);
    let once = file.scalars(&[3.0]);
    let turns = file.normalized("VEC4", SHORT, 2, &shorts(&[0, 0, 0, 32767, 0, 0, 23170, 23170]));
    let spline = file.fours(&[[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 5.0, 0.0]]);
    let scales = file.vectors(&[[1.0; 3], [2.0; 3]]);
    let target = |node: usize, path: &str| json!({ "node": node, "path": path });
    let pointer =
        |pointer: &str| json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
    let channels = json!([
        // A node may be named by a pointer.
        { "sampler": 0, "target": pointer("/nodes/1/rotation") },
        { "sampler": 2, "target": pointer("/meshes/0/weights/1") },
        { "sampler": 2, "target": pointer("/materials/0/alphaCutoff") },
        { "sampler": 2, "target": pointer("/nodes/1/extensions/KHR_node_visibility/visible") },
        { "sampler": 1, "target": target(2, "rotation") },
        { "sampler": 2, "target": target(1, "scale") },
        { "sampler": 2, "target": { "path": "scale" } },
        { "sampler": 2, "target": target(1, "pointer") },
        { "sampler": 2, "target": target(0, "weights") },
    ]);
    let samplers = json!([
        { "input": times, "output": turns },
        { "input": once, "output": spline, "interpolation": "CUBICSPLINE" },
        { "input": times, "output": scales, "interpolation": "STEP" },
    ]);
    file.push("animations", json!({ "channels": channels, "samplers": samplers }));
    let model = parsed(&file.glb());
    assert_eq!((model.clips[0].name.as_str(), model.clips[0].span), ("kick", [0.0, 1.0]));
    let clip = &model.clips[1];
    assert_eq!((clip.name.as_str(), clip.span, clip.channels.len()), ("clip 1", [0.5, 3.0], 3));
    let [turn, spline, scale] = &clip.channels[..] else { panic!() };
    assert_eq!((turn.property, turn.interpolation, turn.width), (Property::Rotation, Interpolation::Linear, 4));
    assert!((turn.values[6] - 0.5f64.sqrt()).abs() < 1e-12 && (turn.values[7] - 0.5f64.sqrt()).abs() < 1e-12);
    assert_eq!((spline.interpolation, spline.values.len(), spline.values[7]), (Interpolation::CubicSpline, 12, 2.0));
    assert_eq!((scale.interpolation, scale.times.as_slice()), (Interpolation::Step, &[0.5, 2.0][..]));
    assert!(model.notes[0].contains("/meshes/0/weights/1 is not read, so what it moves stands still"));
    assert!(model.notes[1].contains("5 channels move no node"), "{:?}", model.notes);
    assert_eq!(
        (model.clip("kick"), model.clip("clip 1"), model.clip("1"), model.clip("walk")),
        (Some(0), Some(1), Some(1), None)
    );
}

#[test]
fn clips_are_found_by_the_end_of_their_name_if_it_is_one_clips() {
    let mut file = triangle();
    for name in ["Armature|Walk", "Armature|Run", "Other|Run", "0"] {
        file.push("animations", json!({ "name": name, "channels": [], "samplers": [] }));
    }
    let model = parsed(&file.glb());
    assert_eq!(
        ["Walk", "Run", "Other|Run", "0", "1", "9"].map(|word| model.clip(word)),
        [Some(0), None, Some(2), Some(3), Some(1), None]
    );
}

#[test]
fn morph_weights_are_animated_in_groups() {
    let mut file = Builder::new();
    let positions = file.vectors(&TRIANGLE);
    let up = file.vectors(&[[0.0, 0.0, 1.0]; 3]);
    let mesh = file.mesh(
        json!([{ "attributes": { "POSITION": positions }, "targets": [{ "POSITION": up }, { "POSITION": up }] }]),
    );
    file.push("nodes", json!({ "mesh": mesh }));
    let times = file.scalars(&[0.0, 1.0, 2.0]);
    let weights = file.scalars(&[0.0, 0.0, 1.0, 0.0, 1.0, 0.5]);
    let channels = json!([{ "sampler": 0, "target": { "node": 0, "path": "weights" } }]);
    file.push("animations", json!({ "channels": channels, "samplers": [{ "input": times, "output": weights }] }));
    let model = parsed(&file.glb());
    let channel = &model.clips[0].channels[0];
    assert_eq!((channel.width, channel.values.as_slice()), (2, &[0.0, 0.0, 1.0, 0.0, 1.0, 0.5][..]));
    assert!(!channel.is_constant());
}
