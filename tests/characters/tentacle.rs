//! A generated character: a tube of rings along a chain of joints that curls and straightens, with a morph target.

use serde_json::json;

use crate::build::{self, Builder};

/// Rings of the tube, corners of a ring, joints.
const SIZES: (usize, usize, usize) = (16, 6, 4);

/// Two clips, 1 s each: `curl` about x (and `Rig|wave` about z), of which the first grows the tube by its morph target too and
/// has a joint that jumps.
pub(crate) fn tentacle() -> Builder {
    let (rings, corners, joints) = SIZES;
    let mut file = Builder::new();
    let at = |ring: usize, corner: usize, radius: f32| {
        let angle = std::f32::consts::TAU * (corner as f32 / corners as f32);
        [radius * angle.cos(), ring as f32 / 8.0, radius * angle.sin()]
    };
    let all = || (0..rings).flat_map(|ring| (0..corners).map(move |corner| (ring, corner)));
    let rest: Vec<[f32; 3]> = all().map(|(ring, corner)| at(ring, corner, 0.15)).collect();
    let grown = all().map(|(ring, corner)| {
        let (thick, thin) = (at(ring, corner, 0.2), at(ring, corner, 0.15));
        [0, 1, 2].map(|axis| thick[axis] - thin[axis])
    });
    let grown: Vec<[f32; 3]> = grown.collect();
    let number = |ring: usize, corner: usize| (ring * corners + corner % corners) as u16;
    let mut indices = Vec::new();
    for (ring, corner) in all().filter(|(ring, _)| ring + 1 < rings) {
        let [a, b] = [number(ring, corner), number(ring, corner + 1)];
        let [c, d] = [number(ring + 1, corner), number(ring + 1, corner + 1)];
        indices.extend([a, b, c, b, d, c]);
    }
    // Joint k is at height k / 2; a vertex follows the two joints around it.
    let follow = |ring: usize| {
        let place = (ring as f32 / 4.0).min((joints - 1) as f32);
        let joint = (place as usize).min(joints - 2);
        let share = place - joint as f32;
        ([joint as u8, joint as u8 + 1, 0, 0], [1.0 - share, share, 0.0, 0.0])
    };
    let (followed, weights): (Vec<[u8; 4]>, Vec<[f32; 4]>) = all().map(|(ring, _)| follow(ring)).unzip();
    let [joint_list, weight_list] = file.influences(&followed, &weights);
    let positions = file.vectors(&rest);
    let target = file.vectors(&grown);
    let triangles = file.accessor("SCALAR", build::UNSIGNED_SHORT, indices.len(), &build::words(&indices));
    let attributes = json!({ "POSITION": positions, "JOINTS_0": joint_list, "WEIGHTS_0": weight_list });
    let primitive = json!({
        "attributes": attributes, "indices": triangles, "targets": [{ "POSITION": target }], "material": 0
    });
    file.push("materials", json!({ "name": "skin" }));
    file.push("meshes", json!({ "primitives": [primitive], "weights": [0.0] }));
    file.push("nodes", json!({ "name": "Tube", "mesh": 0, "skin": 0 }));
    let mut binds = Vec::new();
    for joint in 0..joints {
        let height = if joint == 0 { 0.0 } else { 0.5 };
        let mut node = json!({ "name": format!("bone {joint}"), "translation": [0.0, height, 0.0] });
        if joint + 1 < joints {
            node["children"] = json!([joint + 2]);
        }
        file.push("nodes", node);
        let mut bind: [f32; 16] = std::array::from_fn(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
        bind[13] = -0.5 * joint as f32;
        binds.extend(bind);
    }
    let binds = file.accessor("MAT4", build::FLOAT, joints, &build::floats(&binds));
    file.push("skins", json!({ "joints": (1..=joints).collect::<Vec<_>>(), "inverseBindMatrices": binds }));
    clips(&mut file);
    file
}

fn clips(file: &mut Builder) {
    let times = file.scalars(&[0.0, 0.25, 0.5, 0.75, 1.0]);
    for (clip, axis) in [("curl", 0), ("Rig|wave", 2)] {
        let turn = |degrees: f32| {
            let (sine, cosine) = (0.5 * degrees.to_radians()).sin_cos();
            let mut quaternion = [0.0, 0.0, 0.0, cosine];
            quaternion[axis] = sine;
            quaternion
        };
        let turns: Vec<[f32; 4]> = [0.0, 35.0, 60.0, -20.0, 0.0].map(turn).to_vec();
        let turns = file.fours(&turns);
        let weights = file.scalars(&[0.0, 1.0, 0.5, 0.0, 0.0]);
        let steps =
            file.vectors(&[[0.0, 0.5, 0.0], [0.0, 0.55, 0.0], [0.1, 0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.5, 0.0]]);
        let mut channels: Vec<_> =
            (2..=4).map(|node| json!({ "sampler": 0, "target": { "node": node, "path": "rotation" } })).collect();
        if axis == 0 {
            channels.push(json!({ "sampler": 1, "target": { "node": 0, "path": "weights" } }));
            channels.push(json!({ "sampler": 2, "target": { "node": 4, "path": "translation" } }));
        }
        let samplers = json!([
            { "input": times, "output": turns },
            { "input": times, "output": weights },
            { "input": times, "output": steps, "interpolation": "STEP" },
        ]);
        file.push("animations", json!({ "name": clip, "channels": channels, "samplers": samplers }));
    }
}
