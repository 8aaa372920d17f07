//! A model as bodies and as a scene: kinds of motion, keys within their distance, contacts.

use std::path::Path;

use kinetree::io::gltf::{BodyKind, GltfErrorKind, GltfOptions, GltfSceneOptions, Model, parse_gltf, read_gltf_scene};
use kinetree::io::{MotionData, ReadErrorKind};
use kinetree::motion::Outside;
use kinetree::reduced::{Interpolation, Layer, Mix, Pose, Track};
use kinetree::time::{Moment, Span};
use kinetree::world::{ContactMode, IgnoredContacts, WorldDef};
use serde_json::json;

use crate::build::Builder;
use crate::features::{Folder, TRIANGLE, parsed, skinned, triangle};

fn positions(model: &Model, mix: &Mix, node: usize, time: f64) -> Vec<[f64; 3]> {
    let rig = model.rig().unwrap();
    let body = model.bodies(&rig, mix).unwrap().into_iter().find(|body| body.node == node).unwrap();
    let mut pose = Pose::default();
    let mut points = Vec::new();
    body.body.pose(Moment::at(time), &mut pose);
    body.body.mesh().evaluate_all(&pose, &mut points).unwrap();
    points
}

#[test]
fn a_skinned_mesh_follows_its_joints_and_not_its_node() {
    let model = parsed(&skinned().glb());
    let mix = Mix::clip(&model.rig().unwrap(), 0, Outside::Hold).unwrap();
    assert_eq!(positions(&model, &mix, 0, 0.5), [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 2.0]]);
    assert_eq!(positions(&model, &Mix::rest(), 0, 0.5), TRIANGLE.map(|point| point.map(f64::from)));
}

#[test]
fn a_mesh_with_weights_but_no_skin_moves_with_its_node() {
    let mut file = skinned();
    file.root["nodes"][0].as_object_mut().unwrap().remove("skin");
    let model = parsed(&file.glb());
    assert!(model.notes[0].contains("the mesh has weights but the node no skin"), "{:?}", model.notes);
    let rig = model.rig().unwrap();
    let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    assert_eq!(model.bodies(&rig, &mix).unwrap()[0].kind, BodyKind::Fixed);
    assert_eq!(positions(&model, &mix, 0, 0.5)[1], [10.0, 9.0, 9.0]);
}

#[test]
fn clips_blend_with_weights_over_time() {
    let mut file = skinned();
    let times = file.scalars(&[0.0, 1.0]);
    let values = file.vectors(&[[8.0, 0.0, 0.0], [8.0, 0.0, 0.0]]);
    let channels = json!([{ "sampler": 0, "target": { "node": 2, "path": "translation" } }]);
    file.push(
        "animations",
        json!({ "name": "push", "channels": channels, "samplers": [{ "input": times, "output": values }] }),
    );
    let model = parsed(&file.glb());
    let weight = |values: [f64; 2]| {
        Some(Track { interpolation: Interpolation::Linear, times: vec![0.0, 1.0], values: values.to_vec() })
    };
    let layers = vec![
        Layer { weight: weight([1.0, 0.0]), ..Layer::new(0, 0.0) },
        Layer { weight: weight([0.0, 1.0]), ..Layer::new(1, 0.0) },
    ];
    let mix = Mix { layers, span: Span { begin: 0.0, end: 1.0 }, outside: Outside::Hold };
    // The knee at 1/4 s: 3/4 of (0, 0, 1) and 1/4 of (8, 0, 0); the last vertex follows it alone.
    assert_eq!(positions(&model, &mix, 0, 0.25)[2], [2.0, 1.0, 0.75]);
    assert_eq!(positions(&model, &mix, 0, 1.0)[2], [8.0, 1.0, 0.0]);
}

/// A turning blade, a fixed plate, a blade that is shaped by a constant morph weight, and a jumping one.
fn machine() -> Builder {
    let mut file = triangle();
    file.root["nodes"][0]["name"] = "plate".into();
    let positions = file.vectors(&[[0.2, 0.2, -0.5], [0.3, 0.2, 1.5], [0.2, 0.3, 1.5]]);
    let up = file.vectors(&[[0.0, 0.0, 1.0]; 3]);
    let blade = file.mesh(json!([{ "attributes": { "POSITION": positions } }]));
    let shaped = file.mesh(json!([{ "attributes": { "POSITION": positions }, "targets": [{ "POSITION": up }] }]));
    file.push("nodes", json!({ "name": "blade", "mesh": blade, "translation": [-0.2, 0.0, 0.0] }));
    file.push("nodes", json!({ "name": "blade", "mesh": shaped, "weights": [2], "translation": [5, 0, 0] }));
    file.push("nodes", json!({ "name": "jumper", "mesh": blade, "translation": [0, 0, 3] }));
    let times = file.scalars(&[0.0, 1.0, 2.0]);
    let half = 0.5f32.sqrt();
    let turns = file.fours(&[[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half], [1.0, 0.0, 0.0, 0.0]]);
    let jumps = file.vectors(&[[0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0]]);
    let target = |node: usize, path: &str| json!({ "node": node, "path": path });
    let channels = json!([
        { "sampler": 0, "target": target(1, "rotation") },
        { "sampler": 0, "target": target(2, "rotation") },
        { "sampler": 1, "target": target(3, "translation") },
    ]);
    let samplers =
        json!([{ "input": times, "output": turns }, { "input": times, "output": jumps, "interpolation": "STEP" }]);
    file.push("animations", json!({ "name": "run", "channels": channels, "samplers": samplers }));
    file
}

#[test]
fn keys_follow_the_true_motion_within_their_distance() {
    let model = parsed(&machine().glb());
    let rig = model.rig().unwrap();
    let mix = model.once(0);
    let bodies = model.bodies(&rig, &mix).unwrap();
    assert_eq!(
        bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(),
        ["plate", "blade", "blade (2)", "jumper"]
    );
    let kinds = [BodyKind::Fixed, BodyKind::Rigid, BodyKind::Rigid, BodyKind::Rigid];
    assert_eq!(bodies.iter().map(|body| body.kind).collect::<Vec<_>>(), kinds);
    for tolerance in [1e-2, 1e-4] {
        for body in &bodies[1..3] {
            let sampled = body.sampled(tolerance).unwrap();
            assert!(sampled.deviation <= tolerance && !sampled.jumps);
            let MotionData::Rigid { times, transforms } = &sampled.motion else { panic!() };
            let mut largest: f64 = 0.0;
            let (mut pose, mut points) = (Pose::default(), Vec::new());
            for (pair, matrices) in times.windows(2).zip(transforms.windows(2)) {
                let time = 0.5 * (pair[0] + pair[1]);
                body.body.pose(Moment::at(time), &mut pose);
                body.body.mesh().evaluate_all(&pose, &mut points).unwrap();
                for (rest, point) in sampled.rest.iter().zip(&points) {
                    let ends = [&matrices[0], &matrices[1]].map(|matrix| kinetree::io::transform_point(matrix, *rest));
                    for axis in 0..3 {
                        let middle = 0.5 * (f64::from(ends[0][axis]) + f64::from(ends[1][axis]));
                        largest = largest.max((middle - point[axis]).abs());
                    }
                }
            }
            assert!(
                largest <= tolerance + 1e-6 && largest > 0.02 * tolerance,
                "{largest} of {tolerance}, {}",
                times.len()
            );
        }
    }
    // A constant morph weight shapes the rest positions.
    assert_eq!(bodies[2].sampled(1e-2).unwrap().rest[0], [0.2, 0.2, 1.5]);
}

#[test]
fn steps_jump_at_their_keys() {
    let model = parsed(&machine().glb());
    let rig = model.rig().unwrap();
    let body = model.bodies(&rig, &model.once(0)).unwrap().remove(3);
    let sampled = body.sampled(1e-3).unwrap();
    assert!(sampled.jumps);
    let MotionData::Rigid { times, transforms } = &sampled.motion else { panic!() };
    let at = times.iter().position(|&time| time == 1.0).unwrap();
    assert_eq!((transforms[at - 1][11], transforms[at][11]), (3.0, 0.0));
    assert!(times[at] - times[at - 1] <= 2.0 * kinetree::limits::GLTF_STEP_DURATION);
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_file_is_a_scene_with_contacts_and_intervals() {
    let folder = Folder::new();
    let path = folder.write("machine.glb", machine().glb());
    let scene = read_gltf_scene(&path, &GltfSceneOptions::default()).unwrap();
    assert_eq!(scene.span, Some([0.0, 2.0]));
    assert!(scene.notes.iter().any(|note| note.contains("of their true paths")), "{:?}", scene.notes);
    assert!(scene.notes.iter().any(|note| note.contains("STEP")), "{:?}", scene.notes);
    let def = WorldDef::default().contacts(ContactMode::Continuous);
    let (mut world, ids) = scene.world(def, IgnoredContacts::None).unwrap();
    let touches = |world: &kinetree::World, other: usize| {
        world.contacts().iter().any(|contact| contact.a == ids[0] && contact.b == ids[other])
    };
    world.advance_to(0.0).unwrap();
    assert!(touches(&world, 1) && !touches(&world, 3));
    world.advance_to(1.5).unwrap();
    // The jumper stands in the plate from 1 s to 2 s.
    assert!(touches(&world, 3));
    world.advance_to(2.0).unwrap();
    assert!(!touches(&world, 3));
}

#[test]
fn clips_of_no_length_and_files_without_clips_are_scenes_of_one_instant() {
    let folder = Folder::new();
    let mut file = triangle();
    let path = folder.write("still.glb", file.glb());
    let scene = read_gltf_scene(&path, &GltfSceneOptions::default()).unwrap();
    assert_eq!((scene.span, scene.sample_times()), (Some([0.0; 2]), vec![0.0]));
    assert_eq!(scene.bodies[0].motion, MotionData::Fixed);

    let (times, values) = (file.scalars(&[0.04]), file.vectors(&[[0.0, 0.0, 2.0]]));
    let channels = json!([{ "sampler": 0, "target": { "node": 0, "path": "translation" } }]);
    file.push(
        "animations",
        json!({ "name": "pose", "channels": channels, "samplers": [{ "input": times, "output": values }] }),
    );
    let path = folder.write("pose.glb", file.glb());
    let scene = read_gltf_scene(&path, &GltfSceneOptions::default()).unwrap();
    let [time] = scene.sample_times()[..] else { panic!() };
    assert_eq!(time, f64::from(0.04f32));
    let (mut world, ids) = scene.world(WorldDef::default().start(time), IgnoredContacts::None).unwrap();
    world.advance_to(time).unwrap();
    assert_eq!(world.positions(ids[0]).unwrap()[0], [0.0, 0.0, 2.0]);
}

/// Times of a file are 32-bit numbers: a last key may be a little after its frame, and something may happen there.
#[test]
fn a_span_reaches_the_first_and_the_last_key() {
    let folder = Folder::new();
    let (mut before, mut after) = (0, 0);
    for frame in 1..40u8 {
        let mut file = triangle();
        let last = f32::from(frame) / 24.0;
        let (times, values) = (file.scalars(&[0.0, last]), file.vectors(&[[0.0; 3], [0.0, 0.0, 2.0]]));
        let channels = json!([{ "sampler": 0, "target": { "node": 0, "path": "translation" } }]);
        let samplers = json!([{ "input": times, "output": values }]);
        file.push("animations", json!({ "name": "rise", "channels": channels, "samplers": samplers }));
        let path = folder.write("rise.glb", file.glb());
        let mut options = GltfSceneOptions::default();
        options.fps = Some(24.0);
        let scene = read_gltf_scene(&path, &options).unwrap();
        let [begin, end] = scene.span.unwrap();
        let (key, whole) = (f64::from(last), f64::from(frame) / 24.0);
        assert!(begin == 0.0 && end == key.max(whole), "{frame}: {end}");
        assert_eq!(scene.sample_times().len(), usize::from(frame) + 1, "{frame}");
        before += u8::from(key < whole);
        after += u8::from(whole < key);
    }
    assert!(before > 4 && after > 4, "{before} {after}");
}

#[test]
fn names_of_nodes_are_unique_though_a_node_has_a_numbered_name() {
    let mut file = Builder::new();
    let mesh = file.triangles(&TRIANGLE);
    for name in ["Cube", "Cube (2)", "Cube", "Cube"] {
        file.push("nodes", json!({ "name": name, "mesh": mesh }));
    }
    let model = parsed(&file.glb());
    let bodies = model.bodies(&model.rig().unwrap(), &Mix::rest()).unwrap();
    let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["Cube", "Cube (2)", "Cube (3)", "Cube (4)"]);
    for (place, name) in names.iter().enumerate() {
        assert_eq!(model.bodies_of(&bodies, name), [place], "{name}");
    }
}

#[test]
fn scenes_that_cannot_be_made_say_why() {
    let folder = Folder::new();
    let path = folder.write("machine.glb", machine().glb());
    let with = |change: &dyn Fn(&mut GltfSceneOptions)| {
        let mut options = GltfSceneOptions::default();
        change(&mut options);
        folder.message(&read_gltf_scene(&path, &options).unwrap_err())
    };
    let told = with(&|options| options.clip = Some("walk".into()));
    assert_eq!(told, "machine.glb: animations: there is no clip \"walk\"; there are: \"run\"");
    for tolerance in [0.0, -1.0, f64::NAN] {
        assert!(with(&|options| options.tolerance = Some(tolerance)).contains("is not usable"));
    }
    assert!(with(&|options| options.tolerance = Some(1e-14)).contains("not usable"));

    let mut empty = Builder::new();
    empty.push("nodes", json!({ "name": "nothing" }));
    let path = folder.write("empty.glb", empty.glb());
    let error = read_gltf_scene(&path, &GltfSceneOptions::default()).unwrap_err();
    assert!(
        matches!(error.kind(), ReadErrorKind::Gltf(problem) if problem.kind == GltfErrorKind::NoTriangles),
        "{error}"
    );

    // One large mesh, named by many nodes.
    let mut broad_phase = Builder::new();
    let positions = broad_phase.vectors(&vec![[0.0; 3]; 3_000]);
    let indices = broad_phase.accessor("SCALAR", crate::build::UNSIGNED_BYTE, 90_000, &vec![0; 90_000]);
    let mesh = broad_phase.mesh(json!([{ "attributes": { "POSITION": positions }, "indices": indices }]));
    for _ in 0..1_100 {
        broad_phase.push("nodes", json!({ "mesh": mesh }));
    }
    let path = folder.write("broad_phase.glb", broad_phase.glb());
    let error = read_gltf_scene(&path, &GltfSceneOptions::default()).unwrap_err();
    assert!(error.to_string().contains("positions (keys × vertices), triangles and joints"), "{error}");

    let mut flat = skinned();
    let zeros: Vec<f32> = [[0.0f32; 15].as_slice(), &[1.0]].concat().repeat(2);
    let binds = flat.accessor("MAT4", crate::build::FLOAT, 2, &crate::build::floats(&zeros));
    flat.root["skins"][0]["inverseBindMatrices"] = binds.into();
    let model = parse_gltf(&flat.glb(), Path::new("x"), GltfOptions::default()).unwrap();
    let problem = model.bodies(&model.rig().unwrap(), &Mix::rest()).unwrap_err();
    assert_eq!(problem.to_string(), "nodes[0] (body): matrix 0 cannot be inverted");
}
