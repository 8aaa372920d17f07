//! What the reader refuses, with the place and the sentence a user sees.

use std::path::Path;

use kinetree::io::gltf::{GltfError, GltfErrorKind, GltfOptions, parse_gltf, read_gltf};
use kinetree::io::{ReadError, ReadErrorKind};
use serde_json::{Value, json};

use crate::build::{Builder, FLOAT, UNSIGNED_BYTE, UNSIGNED_INT, floats, glb, words};
use crate::features::{Folder, TRIANGLE, skinned, triangle};

fn refused(bytes: &[u8]) -> GltfError {
    let error = parse_gltf(bytes, Path::new("x"), GltfOptions::default()).unwrap_err();
    assert_eq!(error.file(), Path::new("x"));
    problem(&error).clone()
}

fn problem(error: &ReadError) -> &GltfError {
    let ReadErrorKind::Gltf(problem) = error.kind() else { panic!("{error}") };
    problem
}

/// The sentence about a document in which one value was set.
fn with(mut file: Builder, path: &str, value: Value) -> String {
    set(&mut file, path, value);
    refused(&file.glb()).to_string()
}

fn set(file: &mut Builder, path: &str, value: Value) {
    let (first, rest) = path[1..].split_once('/').unwrap_or((&path[1..], ""));
    if rest.is_empty() {
        file.root.insert(first.into(), value);
        return;
    }
    let (parent, key) =
        rest.rsplit_once('/').map_or((String::new(), rest), |(parent, key)| (format!("/{parent}"), key));
    let parent = file.root.get_mut(first).unwrap().pointer_mut(&parent).unwrap();
    match parent {
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        _ => parent[key] = value,
    }
}

#[test]
fn damaged_containers() {
    let whole = triangle().glb();
    let cut = |length: usize| refused(&whole[..length]).kind;
    assert_eq!(cut(7), GltfErrorKind::GlbShort { part: "header", needed: 12, found: 7 });
    assert_eq!(cut(11), GltfErrorKind::GlbShort { part: "header", needed: 12, found: 11 });
    let (needed, found) = (whole.len() as u64, whole.len() as u64 - 1);
    assert_eq!(cut(whole.len() - 1), GltfErrorKind::GlbShort { part: "content", needed, found });
    let patched = |at: usize, bytes: &[u8]| {
        let mut file = whole.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        refused(&file).kind
    };
    assert_eq!(patched(4, &[1]), GltfErrorKind::GlbVersion { found: 1 });
    for length in [0u32, 11, 12, 19] {
        assert_eq!(patched(8, &length.to_le_bytes()), GltfErrorKind::GlbLength { found: length });
    }
    assert!(matches!(patched(12, &[255, 255, 255, 255]), GltfErrorKind::GlbShort { part: "JSON chunk", .. }));
    assert_eq!(patched(16, b"BIN\0"), GltfErrorKind::GlbNoJson { found: 0x004e_4942 });
    assert!(matches!(refused(b"glTF\x02\0\0\0\x14\0\0\0\0\0\0\0JSON").kind, GltfErrorKind::Json { .. }));
    for bytes in [&b""[..], b"[]", b"{", b"\xff\xfe", b"{\"asset\": 3}", b"solid cube"] {
        assert!(matches!(refused(bytes).kind, GltfErrorKind::Json { .. }));
    }
    let error = parse_gltf(b"{\n  \"asset\": 3\n}", Path::new("x"), GltfOptions::default()).unwrap_err();
    assert_eq!(error.line(), Some(2));
}

#[test]
fn versions_and_extensions() {
    let asset =
        |version: &str, least: &str| with(triangle(), "/asset", json!({ "version": version, "minVersion": least }));
    assert!(asset("1.0", "2.0").contains("version \"1.0\""));
    assert!(asset("2.0", "3.1").contains("version \"3.1\""));
    let needs = |name: &str| with(triangle(), "/extensionsRequired", json!(["KHR_texture_transform", name]));
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let told = needs(name);
        assert!(
            told.starts_with("extensionsRequired[1]: ") && told.contains(name) && told.contains("convert"),
            "{told}"
        );
    }
    assert!(needs("ACME_wobble").contains("without the extension ACME_wobble"));

    // Not required, but nothing is there without it.
    let mut draco = triangle();
    set(&mut draco, "/meshes/0/primitives/0/extensions", json!({ "KHR_draco_mesh_compression": {} }));
    assert_eq!(parse_gltf(&draco.glb(), Path::new("x"), GltfOptions::default()).unwrap().meshes[0].positions, TRIANGLE);
    let hollow = json!({ "componentType": FLOAT, "count": 3, "type": "VEC3" });
    assert!(with(draco, "/accessors/0", hollow).contains("compressed with KHR_draco_mesh_compression"));
    let mut meshopt = triangle();
    let buffers = json!([{ "byteLength": 36 }, { "byteLength": 36, "extensions": { "EXT_meshopt_compression": {} } }]);
    set(&mut meshopt, "/buffers", buffers);
    assert!(refused(&meshopt.glb()).to_string().contains("compressed with EXT_meshopt_compression"));
}

#[test]
fn buffers_that_are_not_there() {
    let folder = Folder::new();
    let file = triangle();
    let told = |uri: &str| {
        let path = folder.write("model.gltf", file.with_file(uri));
        let error = read_gltf(&path, GltfOptions::default()).unwrap_err();
        assert_eq!(error.file(), path);
        problem(&error);
        folder.message(&error)
    };
    assert!(told("absent%20file.bin").contains("buffers[0].uri: the data file absent file.bin: there is no such file"));
    folder.write("short.bin", &file.bytes[..35]);
    assert!(told("short.bin").contains("buffers[0]: needs bytes 0 to 36 of its data, which has 35"));
    assert!(told(".").contains("this is a folder"));
    for uri in ["https://example.org/a.bin", "file:///a.bin", "C:/a.bin"] {
        assert!(told(uri).contains("only data URIs and paths relative"), "{}", told(uri));
    }
    assert!(told("a%FFb").contains("not UTF-8"));
    assert!(told("data:application/octet-stream;base64").contains("comma"));
    assert!(told("data:;base64,AA*A").contains("base64 is damaged"));
    let bare = with(triangle(), "/buffers", json!([{ "byteLength": 36 }, { "byteLength": 0 }]));
    assert_eq!(bare, "buffers[1]: the data (a uri, or the binary chunk of a GLB) is missing");
}

#[test]
fn numbers_that_name_nothing() {
    let cases = [
        ("/nodes/0/mesh", "nodes[0].mesh: names mesh 99, but there are 1"),
        ("/nodes/0/skin", "nodes[0].skin: names skin 99"),
        ("/nodes/1/children/0", "nodes[1].children[0]: names node 99, but there are 3"),
        ("/skins/0/joints/1", "skins[0].joints[1]: names node 99"),
        ("/skins/0/inverseBindMatrices", "skins[0].inverseBindMatrices: names accessor 99"),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            "meshes[0].primitives[0].attributes.POSITION: names accessor 99",
        ),
        (
            "/meshes/0/primitives/0/attributes/JOINTS_0",
            "meshes[0].primitives[0].attributes.JOINTS_0: names accessor 99",
        ),
        ("/meshes/0/primitives/0/indices", "meshes[0].primitives[0].indices: names accessor 99"),
        ("/accessors/0/bufferView", "accessors[0]: names buffer view 99"),
        ("/bufferViews/0/buffer", "bufferViews[0]: names buffer 99"),
        ("/animations/0/channels/0/sampler", "animations[0].channels[0].sampler: names sampler 99"),
        ("/animations/0/channels/0/target/node", "animations[0].channels[0].target.node: names node 99"),
        ("/animations/0/samplers/0/input", "animations[0].channels[0] (sampler 0).input: names accessor 99"),
        ("/animations/0/samplers/0/output", "animations[0].channels[0] (sampler 0).output: names accessor 99"),
        ("/scene", "scene: names scene 99"),
    ];
    for (path, wanted) in cases {
        let told = with(skinned(), path, 99.into());
        assert!(told.starts_with(wanted), "{path}: {told}");
        // Numbers beyond 32 bits are not cut down to ones that exist.
        let told = with(skinned(), path, (1u64 << 32).into());
        assert!(told.contains("4294967296"), "{path}: {told}");
    }
    let told = with(skinned(), "/scenes", json!([{ "nodes": [0, 99] }]));
    assert!(told.starts_with("scenes[0].nodes[1]: names node 99"), "{told}");
}

#[test]
fn ranges_strides_and_counts() {
    let one = |path: &str, value: u64| with(triangle(), path, value.into());
    assert!(
        one("/bufferViews/0/byteLength", 37).contains("bufferViews[0]: needs bytes 0 to 37 of buffer 0, which has 36")
    );
    assert!(one("/bufferViews/0/byteOffset", u64::MAX).contains("bufferViews[0]: needs bytes 18446744073709551615"));
    assert!(one("/accessors/0/byteOffset", 4).contains("accessors[0]: needs bytes 4 to 40 of buffer view 0"));
    assert!(one("/accessors/0/count", 4).contains("accessors[0]: needs bytes 0 to 48 of buffer view 0, which has 36"));
    assert!(one("/accessors/0/count", 0).contains("accessors[0]: has 0 elements"));
    for stride in [2, 8, 13, 256] {
        let told = one("/bufferViews/0/byteStride", stride);
        assert!(told.contains(&format!("bufferViews[0]: has a stride of {stride} bytes for elements of 12")), "{told}");
    }
    assert!(matches!(
        refused(&{
            let mut file = triangle();
            set(&mut file, "/accessors/0/count", u64::MAX.into());
            file.glb()
        })
        .kind,
        GltfErrorKind::TooMuch { .. }
    ));
    // No bytes back this many zeros.
    let mut zeros = triangle();
    set(&mut zeros, "/accessors/0", json!({ "componentType": FLOAT, "count": 1u64 << 40, "type": "VEC3" }));
    assert!(refused(&zeros.glb()).to_string().contains("accessors, weights and names announce"));
    let mut uneven = skinned();
    set(&mut uneven, "/meshes/0/primitives/0/targets", json!([{ "POSITION": 3 }]));
    assert!(refused(&uneven.glb()).to_string().contains("targets[0].POSITION: has 2 elements where 3 are needed"));
    let mut short = skinned();
    set(&mut short, "/meshes/0/primitives/0/attributes/WEIGHTS_0", 3.into());
    assert!(refused(&short.glb()).to_string().contains("attributes.WEIGHTS_0: has 2 elements where 3 are needed"));
}

#[test]
fn types_that_do_not_suit_their_use() {
    let cases = [
        (
            "/accessors/0/type",
            json!("VEC2"),
            "POSITION (accessor 0): is VEC2 of FLOAT where VEC3 of FLOAT, BYTE or SHORT",
        ),
        ("/accessors/0/componentType", json!(5124), "is VEC3 of component type 5124"),
        ("/accessors/0/componentType", json!(UNSIGNED_INT), "is VEC3 of UNSIGNED_INT"),
        ("/accessors/1/componentType", json!(FLOAT), "JOINTS_0 (accessor 1): is VEC4 of FLOAT"),
        ("/accessors/1/normalized", json!(true), "is VEC4 of normalized UNSIGNED_BYTE"),
        ("/accessors/2/componentType", json!(UNSIGNED_BYTE), "WEIGHTS_0 (accessor 2): is VEC4 of UNSIGNED_BYTE"),
        ("/accessors/3/type", json!("VEC3"), "(sampler 0).input (accessor 3): is VEC3 of FLOAT where SCALAR of FLOAT"),
        ("/accessors/4/type", json!("VEC4"), "(sampler 0).output (accessor 4): is VEC4 of FLOAT where VEC3 of FLOAT"),
        ("/animations/0/channels/0/target/path", json!("colour"), "is \"colour\" where translation"),
        ("/animations/0/samplers/0/interpolation", json!("BEZIER"), "is \"BEZIER\" where LINEAR"),
        ("/meshes/0/primitives/0/mode", json!(7), "primitives[0].mode: is mode 7"),
    ];
    for (path, value, wanted) in cases {
        let told = with(skinned(), path, value);
        assert!(told.contains(wanted), "{path}: {told}");
    }
    // Indices as floats: validators let them pass.
    let mut file = triangle();
    let indices = file.scalars(&[0.0, 1.0, 2.0]);
    assert!(
        with(file, "/meshes/0/primitives/0/indices", indices.into())
            .contains("indices (accessor 1): is SCALAR of FLOAT")
    );
}

#[test]
fn numbers_that_are_not_usable() {
    let mut file = Builder::new();
    let positions = file.vectors(&[[0.0; 3], [1.0, f32::NAN, 0.0], [0.0; 3]]);
    file.mesh(json!([{ "attributes": { "POSITION": positions } }]));
    assert!(refused(&file.glb()).to_string().contains("POSITION (accessor 0): element 1, component 1 is NaN"));
    let mut file = triangle();
    let indices = file.accessor("SCALAR", UNSIGNED_BYTE, 3, &[0, 3, 1]);
    let told = with(file, "/meshes/0/primitives/0/indices", indices.into());
    assert!(told.contains("indices (accessor 1): index 1 is 3, but there are 3 vertices"), "{told}");
    let far = with(triangle(), "/nodes/0/translation", json!([0, 1e300, 0]));
    assert!(far.starts_with("nodes[0].translation: element 0, component 1 is 1"), "{far}");
    assert!(
        with(triangle(), "/nodes/0/rotation", json!([0, 0, 0, 0]))
            .contains("nodes[0].rotation: rotation 0 is a quaternion")
    );
    let mut matrix = [0.0; 16];
    assert!(
        with(triangle(), "/nodes/0/matrix", json!(matrix))
            .contains("nodes[0].matrix: matrix 0 has the last row 0 0 0 0")
    );
    matrix[15] = 1.0;
    let mut both = triangle();
    set(&mut both, "/nodes/0/matrix", json!(matrix));
    set(&mut both, "/nodes/0/scale", json!([1, 1, 2]));
    assert!(refused(&both.glb()).to_string().contains("nodes[0]: has a matrix and also"));
    let mut sparse = triangle();
    let (places, values) = (sparse.view(&[2, 1], None), sparse.view(&floats(&[0.0; 6]), None));
    let entry = |component: u32, count: u64| json!({ "count": count, "indices": { "bufferView": places, "componentType": component }, "values": { "bufferView": values } });
    for (value, wanted) in [
        (entry(UNSIGNED_BYTE, 2), "accessors[0].sparse.indices: sparse index 1 is 1, which does not come after 2"),
        (entry(FLOAT, 2), "accessors[0].sparse.indices: is component type 5126"),
        (entry(UNSIGNED_BYTE, 4), "accessors[0].sparse: has 4 entries"),
        (entry(UNSIGNED_BYTE, 3), "accessors[0].sparse.indices: needs bytes 0 to 3 of buffer view 1, which has 2"),
    ] {
        set(&mut sparse, "/accessors/0/sparse", value);
        let told = refused(&sparse.glb()).to_string();
        assert!(told.starts_with(wanted), "{told}");
    }
}

#[test]
fn hierarchies_that_are_no_trees() {
    assert!(with(skinned(), "/nodes/2/children", json!([1])).contains("nodes[1]: the node is its own ancestor"));
    assert!(with(skinned(), "/nodes/0/children", json!([0])).contains("nodes[0]: the node is its own ancestor"));
    assert!(with(skinned(), "/nodes/0/children", json!([2])).contains("nodes[2]: is a child of node 0 and of node 1"));
    assert!(
        with(skinned(), "/nodes/1/children", json!([2, 2])).contains("nodes[2]: is a child of node 1 and of node 1")
    );
}

#[test]
fn skins_that_do_not_fit() {
    let joints = |file: &mut Builder, joints: &[[u8; 4]; 3], weights: &[[f32; 4]; 3]| {
        let pair = file.influences(joints, weights);
        set(file, "/meshes/0/primitives/0/attributes/JOINTS_0", pair[0].into());
        set(file, "/meshes/0/primitives/0/attributes/WEIGHTS_0", pair[1].into());
    };
    let one = [1.0, 0.0, 0.0, 0.0];
    let mut file = skinned();
    joints(&mut file, &[[0; 4], [7, 0, 0, 0], [0; 4]], &[one; 3]);
    assert!(
        refused(&file.glb())
            .to_string()
            .starts_with("nodes[0]: vertex 1 of the mesh follows joint 7, but the skin has 2")
    );
    let mut file = skinned();
    joints(&mut file, &[[0; 4]; 3], &[one, one, [0.0; 4]]);
    assert!(refused(&file.glb()).to_string().contains("WEIGHTS_0: the weights of vertex 2 are all zero"));
    for bad in [f32::NAN, f32::INFINITY, -0.25] {
        let mut file = skinned();
        joints(&mut file, &[[0; 4]; 3], &[one, [0.5, 0.5, bad, 0.0], one]);
        let told = refused(&file.glb()).to_string();
        assert!(told.contains(&format!("WEIGHTS_0: weight 2 of vertex 1 is {bad}")), "{told}");
    }
    let mut bare = skinned();
    set(&mut bare, "/meshes/0/primitives/0/attributes", json!({ "POSITION": 0 }));
    assert!(refused(&bare.glb()).to_string().contains("nodes[0]: has a skin, but mesh 0"));
    let mut half = skinned();
    set(&mut half, "/meshes/0/primitives/0/attributes", json!({ "POSITION": 0, "JOINTS_0": 1 }));
    assert!(refused(&half.glb()).to_string().contains("WEIGHTS_n of a JOINTS_n is missing"));
    assert!(with(skinned(), "/nodes/1/skin", 0.into()).contains("nodes[1]: the mesh of a node with a skin is missing"));
    assert!(with(skinned(), "/skins/0/joints", json!([])).contains("skins[0].joints: has 0 joints"));
    let mut few = skinned();
    let identity: [f32; 16] = std::array::from_fn(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
    let binds = few.accessor("MAT4", FLOAT, 1, &floats(&identity));
    assert!(with(few, "/skins/0/inverseBindMatrices", binds.into()).contains("has 1 matrices where 2 are needed"));
    let mut perspective = skinned();
    let mut last_row = [identity, identity].concat();
    last_row[19] = 0.5;
    let binds = perspective.accessor("MAT4", FLOAT, 2, &floats(&last_row));
    let told = with(perspective, "/skins/0/inverseBindMatrices", binds.into());
    assert!(told.contains("matrix 1 has the last row 0.5 0 0 1"), "{told}");
}

#[test]
fn clips_that_cannot_be_played() {
    let keys = |times: &[f32]| {
        let mut file = skinned();
        let input = file.scalars(times);
        with(file, "/animations/0/samplers/0/input", input.into())
    };
    assert!(keys(&[1.0, 1.0]).contains("input (accessor 5): key 1 is at 1 s, which does not come after 1 s"));
    assert!(keys(&[-1.0, 1.0]).contains("key 0 is at -1 s"));
    assert!(keys(&[0.0, f32::NAN]).contains("element 1, component 0 is NaN"));
    assert!(keys(&[0.0, 1.0, 2.0]).contains("output: has 2 elements where 3 are needed"));
    let mut spline = skinned();
    set(&mut spline, "/animations/0/samplers/0/interpolation", json!("CUBICSPLINE"));
    assert!(refused(&spline.glb()).to_string().contains("output: has 2 elements where 6 are needed"));
    let mut zero = skinned();
    let output = zero.fours(&[[0.0, 0.0, 0.0, 1.0], [0.0; 4]]);
    set(&mut zero, "/animations/0/channels/0/target/path", json!("rotation"));
    assert!(
        with(zero, "/animations/0/samplers/0/output", output.into()).contains("rotation 1 is a quaternion of length 0")
    );
    let mut twice = skinned();
    let channel = twice.root["animations"][0]["channels"][0].clone();
    set(&mut twice, "/animations/0/channels", json!([channel, channel]));
    assert!(
        refused(&twice.glb()).to_string().contains("animates the translation of node 2, as an earlier channel does")
    );
    let mut matrix = skinned();
    let identity: [f32; 16] = std::array::from_fn(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
    set(&mut matrix, "/nodes/2/matrix", json!(identity));
    assert!(refused(&matrix.glb()).to_string().contains("animates node 2, which has a matrix"));
}

#[test]
fn a_file_read_again_and_again_by_its_accessors_is_refused() {
    let mut file = Builder::new();
    let positions = file.accessor("SCALAR", UNSIGNED_BYTE, 60_000, &vec![0; 60_000]);
    set(&mut file, &format!("/accessors/{positions}/componentType"), json!(UNSIGNED_BYTE));
    let vectors = file.accessor("VEC3", FLOAT, 5_000, &words(&vec![0; 30_000]));
    let primitives: Vec<Value> =
        (0..3_000).map(|_| json!({ "attributes": { "POSITION": vectors }, "indices": positions })).collect();
    file.mesh(json!(primitives));
    let problem = refused(&glb(&file.json(json!({ "byteLength": file.bytes.len() })), Some(&file.bytes)));
    assert!(matches!(problem.kind, GltfErrorKind::TooMuch { .. }), "{problem}");
}

#[test]
fn names_and_targets_that_are_repeated_are_charged() {
    let small = |mesh: Value, nodes: Value| {
        let mut file = triangle();
        set(&mut file, "/meshes/0", mesh);
        set(&mut file, "/nodes", nodes);
        set(&mut file, "/materials", json!([{ "name": "m".repeat(100_000) }]));
        set(&mut file, "/scenes", json!([{ "nodes": [0] }]));
        refused(&file.glb())
    };
    let points =
        |targets: usize| json!({ "mode": 0, "attributes": { "POSITION": 0 }, "targets": vec![json!({}); targets] });
    let nodes = |count: usize| json!(vec![json!({ "mesh": 0 }); count]);
    let targets = small(json!({ "primitives": [points(5_000)] }), nodes(5_000));
    assert!(matches!(targets.kind, GltfErrorKind::TooMuch { .. }) && targets.place.starts_with("nodes["), "{targets}");
    let named = json!({ "mode": 0, "attributes": { "POSITION": 0 }, "material": 0 });
    let names = small(json!({ "primitives": vec![named; 5_000] }), nodes(1));
    assert!(matches!(names.kind, GltfErrorKind::TooMuch { .. }) && names.place == "meshes[0]", "{names}");
}
