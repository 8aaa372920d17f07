//! Damaged files: bytes flipped, cut, doubled and replaced, numbers of the JSON exchanged. Nothing panics, and whatever is still
//! accepted keeps the promises of `Model` and becomes bodies, or is refused with a typed error.

use std::path::Path;

use kinetree::io::gltf::{GltfOptions, Model, parse_gltf};
use kinetree::motion::Outside;
use kinetree::reduced::Mix;
use serde_json::{Value, json};

use crate::build::{Builder, UNSIGNED_BYTE, floats};
use crate::features::{Random, skinned};

/// A file with everything in it.
fn everything() -> Builder {
    let mut file = skinned();
    let (places, values) = (file.view(&[1], None), file.view(&floats(&[0.5, 0.25, 1.0]), None));
    let indices = json!({ "bufferView": places, "componentType": UNSIGNED_BYTE });
    let sparse = json!({ "count": 1, "indices": indices, "values": { "bufferView": values } });
    let target = file.push("accessors", json!({ "componentType": 5126, "count": 3, "type": "VEC3", "sparse": sparse }));
    let order = file.accessor("SCALAR", UNSIGNED_BYTE, 4, &[0, 1, 2, 0]);
    let primitive = &mut file.root["meshes"][0]["primitives"][0];
    primitive["targets"] = json!([{ "POSITION": target }]);
    primitive["indices"] = order.into();
    primitive["mode"] = 5.into();
    let times = file.scalars(&[0.0, 0.25, 1.5]);
    let weights = file.scalars(&[0.0, 1.0, 0.5]);
    let turns = file.fours(&[[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8], [1.0, 0.0, 0.0, 0.0]]);
    let channels = json!([
        { "sampler": 0, "target": { "node": 0, "path": "weights" } },
        { "sampler": 1, "target": { "node": 1, "path": "rotation" } },
    ]);
    let samplers =
        json!([{ "input": times, "output": weights, "interpolation": "STEP" }, { "input": times, "output": turns }]);
    file.push("animations", json!({ "channels": channels, "samplers": samplers }));
    file.push("scenes", json!({ "nodes": [0, 1] }));
    file
}

fn keeps_its_promises(model: &Model) {
    let mut place = vec![usize::MAX; model.nodes.len()];
    for (at, &node) in model.order.iter().enumerate() {
        assert_eq!(place[node as usize], usize::MAX);
        place[node as usize] = at;
    }
    for (number, node) in model.nodes.iter().enumerate() {
        assert!(place[number] < model.nodes.len());
        assert!(node.parent.is_none_or(|parent| place[parent as usize] < place[number]));
        let mesh = node.mesh.map(|mesh| &model.meshes[mesh as usize]);
        assert_eq!(node.weights.len(), mesh.map_or(0, |mesh| mesh.targets.len()));
        if let Some(skin) = node.skin {
            let influences = mesh.unwrap().influences.as_ref().unwrap();
            assert!(influences.joints.iter().all(|&joint| (joint as usize) < model.skins[skin as usize].joints.len()));
        }
    }
    for mesh in &model.meshes {
        let count = mesh.positions.len();
        assert!(mesh.positions.as_flattened().iter().all(|value| value.is_finite()));
        assert!(mesh.triangles.as_flattened().iter().all(|&corner| (corner as usize) < count));
        assert!(mesh.targets.iter().all(|target| target.len() == count));
        if let Some(influences) = &mesh.influences {
            for vertex in 0..count {
                let sum: f64 = influences.of(vertex).map(|(_, weight)| weight).sum();
                assert!((sum - 1.0).abs() < 1e-12);
            }
        }
    }
    for channel in model.clips.iter().flat_map(|clip| &clip.channels) {
        assert!(channel.times.windows(2).all(|pair| pair[0] < pair[1]) && !channel.times.is_empty());
        assert!(channel.values.iter().all(|value| value.is_finite()));
    }
}

/// Reads; if that works, makes bodies and moves them a little.
fn try_all(bytes: &[u8]) -> bool {
    let Ok(model) = parse_gltf(bytes, Path::new("no/such/folder/x"), GltfOptions::default()) else { return false };
    keeps_its_promises(&model);
    let Ok(rig) = model.rig() else { return false };
    for clip in 0..model.clips.len() {
        let Ok(mix) = Mix::clip(&rig, clip, Outside::Hold) else { continue };
        for body in model.bodies(&rig, &mix).into_iter().flatten() {
            // Numbers may have become huge; then the tolerance asks for too many keys.
            let _ = body.sampled(1e-2 * (1.0 + body.body.deviation(body.body.driver().span())));
        }
    }
    true
}

/// Every number of a JSON value, to be exchanged.
fn numbers(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Number(_) => visit(value),
        Value::Array(list) => list.iter_mut().for_each(|entry| numbers(entry, visit)),
        Value::Object(map) => map.values_mut().for_each(|entry| numbers(entry, visit)),
        _ => {}
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let rounds = if std::env::var_os("KINETREE_TORTURE").is_some() { 300_000 } else { 6_000 };
    let file = everything();
    let seeds = [file.glb(), file.with_data_uri(), skinned().glb()];
    assert!(seeds.iter().all(|seed| try_all(seed)));
    let mut random = Random::new(7);
    let mut accepted = 0;
    for round in 0..rounds {
        let mut bytes = seeds[round % 3].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len().max(1));
            match random.below(5) {
                _ if bytes.is_empty() => {}
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at),
                2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'9', b'-', b'e'][random.below(8)],
                3 => {
                    let end = (at + random.below(16)).min(bytes.len());
                    bytes.splice(at..end, []);
                }
                _ => {
                    // The middle of the binary part: floats of any kind.
                    let end = (at + 4).min(bytes.len());
                    let word = [f32::NAN, f32::INFINITY, 1e30, -0.0, 1e-40][random.below(5)].to_le_bytes();
                    bytes[at..end].copy_from_slice(&word[..end - at]);
                }
            }
        }
        accepted += usize::from(try_all(&bytes));
    }
    // Both happen: otherwise one half of this test looks at nothing.
    assert!(accepted > rounds / 50 && accepted < rounds - rounds / 50, "{accepted} of {rounds}");
}

#[test]
fn exchanged_numbers_never_panic() {
    let rounds = if std::env::var_os("KINETREE_TORTURE").is_some() { 200_000 } else { 6_000 };
    let mut file = everything();
    let original = Value::Object(file.root.clone());
    let mut count = 0;
    numbers(&mut original.clone(), &mut |_| count += 1);
    let mut random = Random::new(11);
    let mut accepted = 0;
    let values = [
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(5),
        json!(-1),
        json!(255),
        json!(65_536),
        json!(1u64 << 32),
        json!(u64::MAX),
        json!(0.5),
        json!(1e30),
        json!(-1e300),
        json!(5121),
        json!(5123),
        json!(5126),
        json!(null),
    ];
    for _ in 0..rounds {
        let mut changed = original.clone();
        for _ in 0..=random.below(2) {
            let (chosen, mut at) = (random.below(count), 0);
            let value = &values[random.below(values.len())];
            numbers(&mut changed, &mut |number| {
                if at == chosen {
                    *number = value.clone();
                }
                at += 1;
            });
        }
        let Value::Object(root) = changed else { unreachable!() };
        file.root = root;
        accepted += usize::from(try_all(&file.glb()));
    }
    assert!(accepted > rounds / 50 && accepted < rounds - rounds / 50, "{accepted} of {rounds}");
}
