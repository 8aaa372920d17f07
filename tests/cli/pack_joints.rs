//! `kinetree pack --joints`: spheres that the joints of a skin carry, against transforms made by
//! hand.

use crate::build;
use crate::build::Builder;
use crate::io_support::Folder;
use crate::program::{run, text};
use kinetree::Sphere;
use kinetree::io::{SphereFile, read_spheres};
use serde_json::json;

/// Places of the rings along z, in the mesh's units, which the armature halves.
const RINGS: [f32; 6] = [0.0, 1.0, 1.9, 2.1, 3.0, 4.0];

fn positions() -> Vec<[f32; 3]> {
    RINGS.iter().flat_map(|&z| [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]| [x, y, z])).collect()
}

/// An arm along z with an elbow at 2: the upper arm follows joint 0, the forearm joint 1, which the
/// clip "bend" turns about x by a quarter within 1 s.
pub(crate) fn arm(upper_scale: f32) -> Builder {
    arm_of(upper_scale, 4)
}

/// The same with the first `ends` triangles of its two ends, the near end first.
pub(crate) fn arm_of(upper_scale: f32, ends: usize) -> Builder {
    let mut file = Builder::new();
    let positions = positions();
    let mut triangles: Vec<[u8; 3]> = vec![[0, 2, 1], [0, 3, 2], [20, 21, 22], [20, 22, 23]];
    triangles.truncate(ends);
    for ring in (0..20).step_by(4) {
        for side in 0..4 {
            let (a, b) = (ring + side, ring + (side + 1) % 4);
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    let place = file.vectors(&positions);
    let corners = triangles.as_flattened();
    let indices = file.accessor("SCALAR", build::UNSIGNED_BYTE, corners.len(), corners);
    let joint = |place: &[f32; 3]| [u8::from(place[2] > 2.0), 0, 0, 0];
    let of: Vec<[u8; 4]> = positions.iter().map(joint).collect();
    let [joints, weights] = file.influences(&of, &vec![[1.0, 0.0, 0.0, 0.0]; positions.len()]);
    let attributes = json!({ "POSITION": place, "JOINTS_0": joints, "WEIGHTS_0": weights });
    let mesh = file.mesh(json!([{ "attributes": attributes, "indices": indices }]));
    file.push("nodes", json!({ "name": "arm", "mesh": mesh, "skin": 0 }));
    file.push("nodes", json!({ "name": "armature", "children": [2], "scale": [0.5, 0.5, 0.5] }));
    file.push("nodes", json!({ "name": "upper", "children": [3], "scale": [upper_scale, upper_scale, upper_scale] }));
    file.push("nodes", json!({ "name": "fore", "translation": [0, 0, 2] }));
    let identity: [f32; 16] = std::array::from_fn(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
    let mut bind = identity;
    bind[14] = -2.0;
    let binds = file.accessor("MAT4", build::FLOAT, 2, &build::floats(&[identity, bind].concat()));
    file.push("skins", json!({ "name": "bones", "joints": [2, 3], "inverseBindMatrices": binds }));
    let times = file.scalars(&[0.0, 1.0]);
    let half = std::f32::consts::FRAC_PI_4;
    let turns = file.fours(&[[0.0, 0.0, 0.0, 1.0], [half.sin(), 0.0, 0.0, half.cos()]]);
    let channels = json!([{ "sampler": 0, "target": { "node": 3, "path": "rotation" } }]);
    let samplers = json!([{ "input": times, "output": turns }]);
    file.push("animations", json!({ "name": "bend", "channels": channels, "samplers": samplers }));
    file
}

fn pack(folder: &Folder, out: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let done = run(&[&["pack"], arguments, &["-o", &folder.at(out), "--cells", "40"]].concat());
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

/// Where a point of the forearm, or of the arm at rest, goes by a quarter turn at the elbow, 1 m
/// up.
fn bent([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, -(z - 1.0), 1.0 + y]
}

fn gap(point: [f64; 3], spheres: &[Sphere]) -> f64 {
    let to =
        |sphere: &Sphere| (0..3).map(|k| (point[k] - sphere.centre[k]).powi(2)).sum::<f64>().sqrt() - sphere.radius;
    spheres.iter().map(to).fold(f64::INFINITY, f64::min).max(0.0)
}

fn quality(file: &SphereFile, pose: usize, name: &str) -> f64 {
    file.poses[pose].quality.iter().find(|(entry, _)| entry == name).unwrap().1
}

#[test]
fn spheres_are_bound_to_the_joints_that_move_their_surface() {
    let folder = Folder::new();
    let model = folder.write_at("arm.glb", arm(1.0).glb());
    let model = format!("{model}#arm@bend");
    let arguments = [&model, "--joints", "--clip-poses", "3", "--spheres", "24"];
    let (status, said, errors) = pack(&folder, "arm.json", &arguments);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(said.contains("24 spheres on 2 of 2 joints in 4 poses"), "{said}");
    let file = read_spheres(folder.path("arm.json")).unwrap();
    let skin = file.skin.as_ref().unwrap();
    let joints: Vec<(&str, u32)> = skin.joints.iter().map(|joint| (joint.name.as_str(), joint.node)).collect();
    assert_eq!((skin.name.as_str(), joints), ("bones", vec![("upper", 2), ("fore", 3)]));
    let (rest, last) = (&file.poses[0], &file.poses[3]);
    assert_eq!((rest.name.as_str(), last.name.as_str()), ("rest", "1 s"));

    for (number, bound) in skin.spheres.iter().enumerate() {
        let (Sphere { centre, radius }, moved) = (rest.spheres[number], last.spheres[number]);
        // The arm at rest is 2 m long, half as thick, and inside the mesh.
        assert!((0..2).all(|k| centre[k].abs() + radius <= 0.25 + 1e-9) && centre[2] - radius >= -1e-9);
        let fore = bound.joint == 1;
        if (centre[2] - 1.0).abs() > 0.1 {
            assert_eq!(fore, centre[2] > 1.0, "sphere {number} at {centre:?}");
        }
        // In the joint's frame: units of half a metre, from the joint.
        let origin = if fore { 2.0 } else { 0.0 };
        let local = [2.0 * centre[0], 2.0 * centre[1], 2.0 * centre[2] - origin];
        assert!((0..3).all(|k| near(bound.sphere.centre[k], local[k])), "sphere {number}: {bound:?}");
        assert!(near(bound.sphere.radius, 2.0 * radius) && near(moved.radius, radius));
        let expected = if fore { bent(centre) } else { centre };
        assert!((0..3).all(|k| near(moved.centre[k], expected[k])), "sphere {number}: {moved:?}, not {expected:?}");
    }
    assert!([0, 1].iter().all(|&joint| skin.spheres.iter().filter(|bound| bound.joint == joint).count() > 2));

    // The stated gaps are at least those of the skinned vertices, and no more than an elbow
    // explains.
    let vertices: Vec<[f64; 3]> = positions().iter().map(|place| place.map(|x| 0.5 * f64::from(x))).collect();
    for (pose, turned) in [(0, false), (1, false), (3, true)] {
        let place = |vertex: &[f64; 3]| if turned && vertex[2] > 1.0 { bent(*vertex) } else { *vertex };
        let worst = vertices.iter().map(|vertex| gap(place(vertex), &file.poses[pose].spheres)).fold(0.0, f64::max);
        let stated = quality(&file, pose, "largest_gap");
        assert!(stated >= worst - 1e-6 && stated < worst + 0.2, "pose {pose}: {stated}, {worst}");
    }
    assert!(quality(&file, 0, "beyond") < 1e-9 && quality(&file, 3, "beyond") > 0.01);
    // What a program gets that poses the spheres from the file's joints, is what the file says.
    let half = |z: f64, turn: f64| {
        let (sin, cos) = (0.5 * turn.to_radians()).sin_cos();
        kinetree::reduced::Affine::from_parts([0.0, 0.0, z], [sin, 0.0, 0.0, cos], [0.5; 3])
    };
    let posed = skin.posed(&[half(0.0, 0.0), half(1.0, 90.0)]).unwrap();
    for (posed, stated) in posed.iter().zip(&last.spheres) {
        assert!((0..3).all(|k| near(posed.centre[k], stated.centre[k])) && near(posed.radius, stated.radius));
    }
}

#[test]
fn binary_files_and_threads_give_the_same() {
    let folder = Folder::new();
    let model = folder.write_at("arm.glb", arm(1.0).glb());
    let arguments = [model.as_str(), "--joints", "--clip-poses", "2", "--spheres", "9", "-q"];
    for (out, threads) in [("one.json", "1"), ("three.json", "3"), ("one.bin", "1"), ("three.BIN", "3")] {
        let (status, _, errors) = pack(&folder, out, &[&arguments[..], &["-j", threads]].concat());
        assert_eq!((status, errors.as_str()), (Some(0), ""));
    }
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("one.json"), bytes("three.json"));
    assert_eq!(bytes("one.bin"), bytes("three.BIN"));
    assert_ne!(bytes("one.json"), bytes("one.bin"));
    let [json, binary] = ["one.json", "one.bin"].map(|name| read_spheres(folder.path(name)).unwrap());
    assert_eq!(json, binary);
    // A scene takes either.
    for name in ["one.json", "one.bin"] {
        let scene = format!("[[body]]\nname = \"arm\"\nspheres = \"{name}\"\n");
        let done = run(&["info", &folder.write_at("scene.toml", scene)]);
        assert_eq!(done.status.code(), Some(0), "{name}: {}", text(&done.stderr));
        assert!(text(&done.stdout).contains("arm"), "{}", text(&done.stdout));
    }
}

#[test]
fn wishes_that_cannot_be_met() {
    let folder = Folder::new();
    let model = folder.write_at("arm.glb", arm(1.0).glb());
    let flat = folder.write_at("flat.glb", arm(0.0).glb());
    let mut still = arm(1.0);
    still.root.remove("animations");
    let still = folder.write_at("still.glb", still.glb());
    let mut bare = Builder::new();
    let mesh = bare.triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    bare.push("nodes", json!({ "name": "prop", "mesh": mesh }));
    let bare = folder.write_at("bare.glb", bare.glb());
    let apart = folder.write_at("apart.gltf", arm(1.0).with_file("apart.bin"));
    folder.write_at("apart.bin", &arm(1.0).bytes);
    folder.write_at("deeper/nothing.txt", "");
    let refused = |arguments: &[&str], part: &str| {
        let (status, _, errors) = pack(&folder, "out.json", &[arguments, &["--joints"]].concat());
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(errors.contains(part), "{arguments:?}: {errors}");
        assert!(!folder.path("out.json").exists());
    };
    refused(&["fixtures/van/van.obj"], "is no glTF model");
    refused(&[&bare], "spheres need an inside");
    refused(&[&model, "--gltf", &folder.at("out.gltf")], "arm.glb is binary; give a name that ends in .glb");
    refused(&[&apart, "--gltf", &folder.at("out.glb")], "apart.gltf is JSON; give a name that ends in .gltf");
    let deeper = folder.at("deeper/out.gltf");
    refused(&[&apart, "--gltf", &deeper], "the model names apart.bin beside it; write into the folder of");
    refused(&[&model, "--gltf", &model], "is read for this very run");
    // The model's own data is not replaced.
    let data = std::fs::read(folder.path("apart.bin")).unwrap();
    let (status, _, errors) = pack(&folder, "apart.bin", &[&apart, "--joints"]);
    assert!(status == Some(2) && errors.contains("apart.bin is read for this very run"), "{errors}");
    assert_eq!(std::fs::read(folder.path("apart.bin")).unwrap(), data);
    // Parts that are open are named as such, and can be left out.
    refused(&[&bare], "close holes with --fill-holes N, pack the parts that are closed by themselves");
    let (status, _, errors) = pack(&folder, "out.json", &[&folder.write_at("car.glb", car().glb())]);
    assert!(status == Some(2) && errors.contains("name a node after #, or pack all with --joints"), "{errors}");
    let (status, _, errors) = pack(&folder, "out.json", &[&model, "--gltf", &folder.at("out.glb")]);
    assert!(status == Some(2) && errors.contains("--joints"), "{errors}");
    refused(&[&still, "--clip-poses", "2"], "does not move; leave it out");
    refused(&[&format!("{model}@run")], "there is no clip \"run\"");
    refused(&[&format!("{model}#leg")], "there is no node \"leg\"");
    refused(&[&model, "--poses", "fixtures/van/van.obj"], "cannot be used with");
    refused(&[&model, "--fill-poses", "2"], "cannot be used with");
    // Scaled to nothing, the mesh has no inside.
    refused(&[&flat], "flat.glb: ");
    // Without a clip the rest pose alone is packed.
    let (status, said, errors) = pack(&folder, "out.json", &[&still, "--joints", "--spheres", "5"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(said.contains("5 spheres on 2 of 2 joints in 1 pose"), "{said}");
}

/// The arm with a sleeve on a skin of its own, which has the forearm only, and a wheel without a
/// skin, which rolls along x.
fn car() -> Builder {
    let mut file = arm(1.0);
    let block = |side: f32| -> Vec<[f32; 3]> {
        (0..8).map(|corner| std::array::from_fn(|axis| if corner >> axis & 1 == 1 { side } else { -side })).collect()
    };
    let quads: [[u8; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let corners: Vec<u8> = quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    let indices = file.accessor("SCALAR", build::UNSIGNED_BYTE, corners.len(), &corners);
    let sleeve: Vec<[f32; 3]> = block(0.6).iter().map(|[x, y, z]| [*x, *y, 3.4 + z]).collect();
    let place = file.vectors(&sleeve);
    let [joints, weights] = file.influences(&[[0; 4]; 8], &[[1.0, 0.0, 0.0, 0.0]; 8]);
    let attributes = json!({ "POSITION": place, "JOINTS_0": joints, "WEIGHTS_0": weights });
    let mesh = file.mesh(json!([{ "attributes": attributes, "indices": indices }]));
    let mut bind: [f32; 16] = std::array::from_fn(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
    bind[14] = -2.0;
    let binds = file.accessor("MAT4", build::FLOAT, 1, &build::floats(&bind));
    file.push("skins", json!({ "name": "cloth", "joints": [3], "inverseBindMatrices": binds }));
    file.push("nodes", json!({ "name": "sleeve", "mesh": mesh, "skin": 1 }));
    let place = file.vectors(&block(0.5));
    let mesh = file.mesh(json!([{ "attributes": { "POSITION": place }, "indices": indices }]));
    file.push(
        "nodes",
        json!({ "name": "wheel", "mesh": mesh, "translation": [4, 0, 0], "extras": { "kept": [1.5, "x"] } }),
    );
    let times = file.scalars(&[0.0, 1.0]);
    let ways = file.vectors(&[[4.0, 0.0, 0.0], [9.0, 0.0, 0.0]]);
    let animation = &mut file.root["animations"][0];
    animation["samplers"].as_array_mut().unwrap().push(json!({ "input": times, "output": ways }));
    let channel = json!({ "sampler": 1, "target": { "node": 5, "path": "translation" } });
    animation["channels"].as_array_mut().unwrap().push(channel);
    file
}

#[test]
fn all_meshes_of_a_model_are_packed_together() {
    let folder = Folder::new();
    let model = folder.write_at("car.glb", car().glb());
    let arguments = [model.as_str(), "--joints", "--clip-poses", "2", "--spheres", "60"];
    let (status, said, errors) = pack(&folder, "car.json", &arguments);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(said.contains("60 spheres on 3 of 3 joints in 3 poses"), "{said}");
    let file = read_spheres(folder.path("car.json")).unwrap();
    let skin = file.skin.as_ref().unwrap();
    let joints: Vec<(&str, u32)> = skin.joints.iter().map(|joint| (joint.name.as_str(), joint.node)).collect();
    assert_eq!((skin.name.as_str(), joints), ("bones, cloth", vec![("upper", 2), ("fore", 3), ("wheel", 5)]));
    let mut counts = [0; 3];
    for (number, bound) in skin.spheres.iter().enumerate() {
        counts[bound.joint as usize] += 1;
        let (rest, last) = (file.poses[0].spheres[number], file.poses[2].spheres[number]);
        if bound.joint == 2 {
            assert!(near(rest.centre[0], bound.sphere.centre[0] + 4.0) && near(last.centre[0], rest.centre[0] + 5.0));
            assert!(near(rest.radius, bound.sphere.radius));
        } else {
            assert!(rest.centre[0] < 1.0 && (bound.joint == 1 || rest.centre[2] < 1.1), "{number}: {rest:?}");
        }
        // The sleeve is wider than the forearm, and follows its joint.
        assert!(bound.joint != 0 || rest.centre[2] + rest.radius < 1.4, "{number}: {rest:?}");
    }
    assert!(counts.iter().all(|&count| count > 3), "{counts:?}");
    // One of them by itself, as before.
    let (status, said, _) = pack(&folder, "wheel.json", &[&format!("{model}#wheel"), "--joints", "--spheres", "4"]);
    assert_eq!(status, Some(0));
    assert!(said.contains("4 spheres on 1 of 1 joint in 1 pose"), "{said}");
}

/// The JSON and the other chunks of a GLB.
fn chunks(bytes: &[u8]) -> (serde_json::Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let end = 20 + word(12);
    assert!(end % 4 == 0 && &bytes[16..20] == b"JSON");
    (serde_json::from_slice(&bytes[20..end]).unwrap(), bytes[end..].to_vec())
}

#[test]
fn a_model_is_written_with_the_spheres_at_its_nodes() {
    const NAME: &str = "KINETREE_spheres";
    let folder = Folder::new();
    let path = folder.write_at("car.glb", car().glb());
    let out = folder.at("spheres.glb");
    let (status, _, errors) = pack(&folder, "car.json", &[&path, "--joints", "--spheres", "40", "--gltf", &out]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    let ((before, data), (mut after, copied)) = (chunks(&bytes("car.glb")), chunks(&bytes("spheres.glb")));
    assert_eq!(data, copied);
    // Each sphere is at the node of its joint, in the order of the file.
    let skin = read_spheres(folder.path("car.json")).unwrap().skin.unwrap();
    let mut wanted = vec![Vec::new(); before["nodes"].as_array().unwrap().len()];
    for bound in &skin.spheres {
        let Sphere { centre: [x, y, z], radius } = bound.sphere;
        wanted[skin.joints[bound.joint as usize].node as usize].push(vec![x, y, z, radius]);
    }
    for (number, wanted) in wanted.iter().enumerate() {
        let node = after["nodes"][number].as_object_mut().unwrap();
        assert_eq!(node.contains_key("extensions"), !wanted.is_empty(), "node {number}");
        if let Some(mut found) = node.remove("extensions") {
            let found: Vec<Vec<f64>> = serde_json::from_value(found[NAME]["spheres"].take()).unwrap();
            assert_eq!(&found, wanted, "node {number}");
        }
    }
    // Nothing else is different.
    assert_eq!(after.as_object_mut().unwrap().remove("extensionsUsed"), Some(json!([NAME])));
    assert_eq!(after, before);

    // Readers pass the extension over: the same spheres are packed again, and take the old ones'
    // place.
    let again = folder.at("again.glb");
    let (status, _, errors) = pack(&folder, "again.json", &[&out, "--joints", "--spheres", "40", "--gltf", &again]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert_eq!(bytes("again.glb"), bytes("spheres.glb"));
    // Spheres of one node remove those of the others.
    let only = folder.at("only.glb");
    let (status, _, errors) =
        pack(&folder, "only.json", &[&format!("{out}#wheel"), "--joints", "--spheres", "4", "--gltf", &only]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let (only, _) = chunks(&bytes("only.glb"));
    let with: Vec<bool> =
        only["nodes"].as_array().unwrap().iter().map(|node| node.get("extensions").is_some()).collect();
    assert_eq!(with, [false, false, false, false, false, true]);
    assert_eq!(only["extensionsUsed"], json!([NAME]));
}

#[test]
fn a_json_model_keeps_its_data_beside_it_and_other_extensions() {
    let folder = Folder::new();
    let mut file = arm(1.0);
    file.root["nodes"][3]["extensions"] = json!({ "VENDOR_tag": { "is": true } });
    file.root.insert("extensionsUsed".to_owned(), json!(["VENDOR_tag"]));
    folder.write_at("arm.bin", &file.bytes);
    // What is not beside the document is of no concern.
    file.root.insert("images".to_owned(), json!([{ "uri": "https://example.com/skin.png" }, { "uri": "DATA:,x" }]));
    let model = folder.write_at("arm.gltf", file.with_file("arm.bin"));
    folder.write_at("deeper/nothing.txt", "");
    // A way to the same folder.
    let out = folder.at("deeper/../spheres.GLTF");
    let (status, _, errors) = pack(&folder, "arm.json", &[&model, "--joints", "--spheres", "9", "--gltf", &out]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let written: serde_json::Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(written["extensionsUsed"], json!(["VENDOR_tag", "KINETREE_spheres"]));
    let extensions = written["nodes"][3]["extensions"].as_object().unwrap();
    assert_eq!(extensions["VENDOR_tag"], json!({ "is": true }));
    assert!(!extensions["KINETREE_spheres"]["spheres"].as_array().unwrap().is_empty());
    // It is a model as before.
    let (status, _, errors) = pack(&folder, "again.json", &[&out, "--joints", "--spheres", "9"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let spheres = |name: &str| read_spheres(folder.path(name)).unwrap();
    assert_eq!(spheres("again.json").poses, spheres("arm.json").poses);
}
