//! Writes the fixture `hero`: a figure with bones and four clips, as the glTF model `hero.glb`.
//!
//! `cargo run --release --features io,scenes --example hero -- [FOLDER]`

use std::path::Path;

use kinetree::scenes::{SkinnedFigure, SkinnedFigureDef};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

/// Names of the bones in the figure's order, the bone that each hangs on, and about where at rest, metres.
const BONES: [(&str, usize, [f64; 3]); 13] = [
    ("Pelvis", 0, [0.0, 0.90, 0.0]),
    ("Chest", 0, [0.0, 1.06, 0.0]),
    ("Head", 1, [0.0, 1.50, 0.0]),
    ("Thigh.L", 0, [0.092, 0.90, 0.0]),
    ("Thigh.R", 0, [-0.092, 0.90, 0.0]),
    ("Shank.L", 3, [0.092, 0.49, 0.0]),
    ("Shank.R", 4, [-0.092, 0.49, 0.0]),
    ("Foot.L", 5, [0.092, 0.085, 0.0]),
    ("Foot.R", 6, [-0.092, 0.085, 0.0]),
    ("UpperArm.L", 1, [0.198, 1.395, 0.0]),
    ("UpperArm.R", 1, [-0.198, 1.395, 0.0]),
    ("Forearm.L", 9, [0.247, 1.109, 0.0]),
    ("Forearm.R", 10, [-0.247, 1.109, 0.0]),
];

/// A bone at a key: where it takes rest positions.
#[derive(Clone, Copy)]
struct Pose {
    linear: Matrix3<f64>,
    shift: Vector3<f64>,
}

impl Pose {
    fn apply(&self, place: &Vector3<f64>) -> Vector3<f64> {
        self.linear * place + self.shift
    }
}

/// Times of keys, seconds; poses key by key, bone by bone.
struct Clip {
    name: &'static str,
    times: Vec<f64>,
    poses: Vec<Pose>,
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "fixtures/hero".into());
    std::fs::create_dir_all(&folder)?;
    let figure = SkinnedFigureDef { triangles: 2_000, keys: 31, forward: false, ..SkinnedFigureDef::default() };
    let body = figure.generate();
    let path = Path::new(&folder).join("hero.glb");
    std::fs::write(&path, model(&body, &clips(&body))?)?;
    println!("{}: {} vertices, {} triangles", path.display(), body.positions.len(), body.triangles.len());
    Ok(())
}

/// A walk on the spot; the same faster, with the body bent forward; a jump with half a turn; standing in a step.
fn clips(body: &SkinnedFigure) -> Vec<Clip> {
    let walk: Vec<Pose> = body
        .poses
        .iter()
        .map(|rows| Pose {
            linear: Matrix3::from_fn(|row, column| rows[row][column]),
            shift: Vector3::from_fn(|row, _| rows[row][3]),
        })
        .collect();
    let keys = body.times.len();
    // A motion of the whole figure after its own.
    let led = |bones: &[Pose], turn: Vector3<f64>, shift: Vector3<f64>| -> Vec<Pose> {
        let turn = Rotation3::from_scaled_axis(turn).into_inner();
        bones.iter().map(|bone| Pose { linear: turn * bone.linear, shift: turn * bone.shift + shift }).collect()
    };
    let at = |key: usize| &walk[key * BONES.len()..(key + 1) * BONES.len()];
    let run = (0..keys).flat_map(|key| led(at(key), Vector3::x() * 0.25, Vector3::zeros()));
    let jump = (0..keys).flat_map(|key| {
        let part = key as f64 / (keys - 1) as f64;
        let height = 4.0 * 0.45 * part * (1.0 - part);
        led(at(key), Vector3::y() * (std::f64::consts::PI * part), Vector3::y() * height)
    });
    let idle = (0..3).flat_map(|key| led(at(0), Vector3::y() * (0.04 * (key % 2) as f64), Vector3::zeros()));
    let scaled = |factor: f64| body.times.iter().map(|time| time * factor).collect::<Vec<f64>>();
    vec![
        Clip { name: "Idle", times: vec![0.0, 1.0, 2.0], poses: idle.collect() },
        Clip { name: "Jump", times: scaled(0.6), poses: jump.collect() },
        Clip { name: "Run", times: scaled(0.6), poses: run.collect() },
        Clip { name: "Walk", times: scaled(1.0), poses: walk.clone() },
    ]
}

/// Where a bone hangs on its parent, metres at rest: the place that both take to the same one in all poses, as near as can be to `about`.
fn joint(bone: usize, poses: &[Pose]) -> Result<Vector3<f64>, Failure> {
    let (_, parent, about) = BONES[bone];
    let about = Vector3::from(about);
    if bone == parent {
        return Ok(about);
    }
    let (mut square, mut right) = (Matrix3::identity() * 1e-9, Vector3::zeros());
    for key in poses.chunks_exact(BONES.len()) {
        let difference = key[bone].linear - key[parent].linear;
        square += difference.transpose() * difference;
        right -= difference.transpose() * (key[bone].apply(&about) - key[parent].apply(&about));
    }
    Ok(about + square.cholesky().ok_or("a bone that never turns")?.solve(&right))
}

/// The binary part of the model, and what describes it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Appends an array of numbers; returns the number of its accessor.
    fn push(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8], limits: Option<[Value; 2]>) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = self.views.len() - 1;
        let mut accessor = json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        if let Some([least, most]) = limits {
            (accessor["min"], accessor["max"]) = (least, most);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, kind: &str, rows: &[[f32; N]], with_limits: bool) -> usize {
        let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        let fold = |of: fn(f32, f32) -> f32, from: f32| -> Vec<f32> {
            (0..N).map(|at| rows.iter().fold(from, |far, row| of(far, row[at]))).collect()
        };
        let limits =
            with_limits.then(|| [json!(fold(f32::min, f32::INFINITY)), json!(fold(f32::max, f32::NEG_INFINITY))]);
        self.push(kind, 5126, rows.len(), &bytes, limits)
    }
}

fn floats(of: impl IntoIterator<Item = f64>) -> Vec<f32> {
    of.into_iter().map(|x| x as f32).collect()
}

fn model(body: &SkinnedFigure, clips: &[Clip]) -> Result<Vec<u8>, Failure> {
    let walk = &clips.last().ok_or("no clip")?.poses;
    let joints = (0..BONES.len()).map(|bone| joint(bone, walk)).collect::<Result<Vec<_>, _>>()?;
    let mut data = Buffer::default();
    let positions = data.floats("VEC3", &body.positions, true);
    let influences: Vec<u8> = body.weights.iter().flat_map(|[a, b]| [a.0 as u8, b.0 as u8, 0, 0]).collect();
    let influences = data.push("VEC4", 5121, body.weights.len(), &influences, None);
    // Weights of two bones that sum to 1 in `f32` as well.
    let weights: Vec<[f32; 4]> = body.weights.iter().map(|[a, _]| [a.1 as f32, 1.0 - a.1 as f32, 0.0, 0.0]).collect();
    let weights = data.floats("VEC4", &weights, false);
    let indices: Vec<u8> =
        body.triangles.as_flattened().iter().flat_map(|&corner| (corner as u16).to_le_bytes()).collect();
    let indices = data.push("SCALAR", 5123, 3 * body.triangles.len(), &indices, None);
    let inverse: Vec<[f32; 16]> = joints
        .iter()
        .map(|j| {
            let [x, y, z] = [-j.x as f32, -j.y as f32, -j.z as f32];
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
        })
        .collect();
    let inverse = data.floats("MAT4", &inverse, false);

    // Node 0 is the mesh; bones follow.
    let mut nodes = vec![json!({ "name": "Hero", "mesh": 0, "skin": 0 })];
    for (bone, (name, _, _)) in BONES.iter().enumerate() {
        let parent = BONES[bone].1;
        let place = if bone == parent { joints[bone] } else { joints[bone] - joints[parent] };
        let children: Vec<usize> =
            (0..BONES.len()).filter(|&own| own != bone && BONES[own].1 == bone).map(|own| own + 1).collect();
        let mut node = json!({ "name": name, "translation": floats(place.iter().copied()) });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
    }
    let animations: Vec<Value> = clips.iter().map(|clip| animation(clip, &joints, &mut data)).collect();
    let document = json!({
        "asset": { "version": "2.0", "generator": "kinetree, example hero", "copyright": "CC0 1.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": nodes,
        "materials": [{ "name": "Skin" }],
        "meshes": [{ "name": "Hero", "primitives": [{
            "attributes": { "POSITION": positions, "JOINTS_0": influences, "WEIGHTS_0": weights },
            "indices": indices, "material": 0,
        }] }],
        "skins": [{ "joints": (1..=BONES.len()).collect::<Vec<usize>>(), "inverseBindMatrices": inverse, "skeleton": 1 }],
        "animations": animations,
        "accessors": data.accessors,
        "bufferViews": data.views,
        "buffers": [{ "byteLength": data.bytes.len() }],
    });
    Ok(glb(&document, &data.bytes))
}

/// The rotation of every bone against its parent, and the path of the first one.
fn animation(clip: &Clip, joints: &[Vector3<f64>], data: &mut Buffer) -> Value {
    let times: Vec<[f32; 1]> = clip.times.iter().map(|&time| [time as f32]).collect();
    let input = data.floats("SCALAR", &times, true);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut channel = |path: &str, bone: usize, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": bone + 1, "path": path } }));
        samplers.push(json!({ "input": input, "output": output }));
    };
    let keys = || clip.poses.chunks_exact(BONES.len());
    let path: Vec<[f32; 3]> = keys().map(|key| key[0].apply(&joints[0]).map(|x| x as f32).into()).collect();
    channel("translation", 0, data.floats("VEC3", &path, false));
    for bone in 0..BONES.len() {
        let parent = BONES[bone].1;
        let mut last = UnitQuaternion::identity();
        let turns: Vec<[f32; 4]> = keys()
            .map(|key| {
                let own =
                    if bone == parent { key[bone].linear } else { key[parent].linear.transpose() * key[bone].linear };
                let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(own));
                // Of the two quaternions of a rotation the one nearer to that of the key before.
                last = if turn.coords.dot(&last.coords) < 0.0 {
                    UnitQuaternion::new_unchecked(-turn.into_inner())
                } else {
                    turn
                };
                last.coords.map(|x| x as f32).into()
            })
            .collect();
        channel("rotation", bone, data.floats("VEC4", &turns, false));
    }
    json!({ "name": clip.name, "samplers": samplers, "channels": channels })
}

/// The container: a header, the document, the numbers.
fn glb(document: &Value, bytes: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = 12 + 8 + text.len() + 8 + bytes.len();
    let mut out = b"glTF".to_vec();
    out.extend([2_u32, length as u32, text.len() as u32].iter().flat_map(|word| word.to_le_bytes()));
    out.extend(b"JSON");
    out.extend(text);
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(bytes);
    out
}
