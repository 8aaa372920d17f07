//! An evaluation of glTF files that shares no code with the library: straight from the
//! specification's formulas.
//!
//! Own accessor decoding, own base64, own matrices (columns, as the specification writes them),
//! quaternions by its appendix C. Skinning is done in homogeneous coordinates and divided by the
//! fourth one at the end, as a renderer does. Only what sample models need; panics where a file is
//! not as expected.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

pub(crate) type Matrix = [[f64; 4]; 4];
type Numbers = Rc<Vec<Vec<f64>>>;

const IDENTITY: Matrix = [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]];

pub(crate) struct Reference {
    pub(crate) json: Value,
    buffers: Vec<Vec<u8>>,
    decoded: RefCell<BTreeMap<usize, Numbers>>,
    parents: Vec<Option<usize>>,
    /// Clip, node and path to the channel's place.
    channels: BTreeMap<(usize, usize, String), usize>,
    /// Blends a point by its joints and weights otherwise than linearly.
    pub(crate) blend: Option<BlendOf>,
}

/// A point at rest, its joints with their weights, and all joints' matrices with their inverse bind
/// matrices, to where the point is.
pub(crate) type BlendOf = fn([f64; 3], &[(u32, f64)], &[(Matrix, Matrix)]) -> [f64; 3];

/// A clip, a time of it, and its weight; without a clip, the file's own values.
pub(crate) type Layer = (Option<usize>, f64, f64);

/// All nodes at one time.
pub(crate) struct Snapshot {
    layers: Vec<Layer>,
    globals: Vec<Matrix>,
}

fn number(value: &Value, key: &str) -> usize {
    value[key].as_u64().unwrap_or(0) as usize
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn decode64(text: &str) -> Vec<u8> {
    let (mut bytes, mut word, mut bits) = (Vec::new(), 0u32, 0);
    for letter in text.bytes().filter(|&letter| letter != b'=') {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("not base64"),
        };
        word = word << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    bytes
}

impl Reference {
    pub(crate) fn read(path: &Path) -> Self {
        let file = std::fs::read(path).unwrap();
        let (json, binary) = if file.starts_with(b"glTF") {
            let length = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
            let json = length(12);
            let binary = 20 + json;
            let content =
                if binary < file.len() { file[binary + 8..binary + 8 + length(binary)].to_vec() } else { vec![] };
            (file[20..20 + json].to_vec(), content)
        } else {
            (file, Vec::new())
        };
        let json: Value = serde_json::from_slice(&json).unwrap();
        let buffer = |buffer: &Value| match buffer["uri"].as_str() {
            None => binary.clone(),
            Some(uri) if uri.starts_with("data:") => decode64(uri.split_once(',').unwrap().1),
            Some(name) => std::fs::read(path.with_file_name(name)).unwrap(),
        };
        let buffers = list(&json, "buffers").iter().map(buffer).collect();
        let mut parents = vec![None; list(&json, "nodes").len()];
        for (parent, node) in list(&json, "nodes").iter().enumerate() {
            for child in list(node, "children") {
                parents[child.as_u64().unwrap() as usize] = Some(parent);
            }
        }
        let mut channels = BTreeMap::new();
        for (clip, animation) in list(&json, "animations").iter().enumerate() {
            for (place, channel) in list(animation, "channels").iter().enumerate() {
                let target = &channel["target"];
                channels.insert((clip, number(target, "node"), target["path"].as_str().unwrap().to_owned()), place);
            }
        }
        Self { json, buffers, decoded: RefCell::default(), parents, channels, blend: None }
    }

    fn raw(
        &self,
        view: usize,
        offset: usize,
        shape: usize,
        component: usize,
        normalized: bool,
        count: usize,
    ) -> Vec<Vec<f64>> {
        let view = &self.json["bufferViews"][view];
        let size = [1, 1, 2, 2, 0, 4, 4][component - 5120];
        let stride = view["byteStride"].as_u64().map_or(size * shape, |stride| stride as usize);
        let bytes = &self.buffers[number(view, "buffer")][number(view, "byteOffset") + offset..];
        let read = |at: usize| -> f64 {
            let b = &bytes[at..at + size];
            let value = match component {
                5120 => f64::from(b[0] as i8),
                5121 => f64::from(b[0]),
                5122 => f64::from(i16::from_le_bytes([b[0], b[1]])),
                5123 => f64::from(u16::from_le_bytes([b[0], b[1]])),
                5125 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
                _ => return f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            };
            match component {
                _ if !normalized => value,
                5120 => (value / 127.0).max(-1.0),
                5121 => value / 255.0,
                5122 => (value / 32767.0).max(-1.0),
                _ => value / 65535.0,
            }
        };
        (0..count).map(|element| (0..shape).map(|part| read(element * stride + part * size)).collect()).collect()
    }

    fn numbers(&self, accessor: usize) -> Numbers {
        if let Some(numbers) = self.decoded.borrow().get(&accessor) {
            return Rc::clone(numbers);
        }
        let text = &self.json["accessors"][accessor];
        let shape = match text["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let (count, component) = (number(text, "count"), number(text, "componentType"));
        let normalized = text["normalized"].as_bool().unwrap_or(false);
        let mut numbers = match text["bufferView"].as_u64() {
            Some(view) => self.raw(view as usize, number(text, "byteOffset"), shape, component, normalized, count),
            None => vec![vec![0.0; shape]; count],
        };
        if let Some(sparse) = text.get("sparse") {
            let (indices, values) = (&sparse["indices"], &sparse["values"]);
            let count = number(sparse, "count");
            let view = |part: &Value| (number(part, "bufferView"), number(part, "byteOffset"));
            let places = self.raw(view(indices).0, view(indices).1, 1, number(indices, "componentType"), false, count);
            let entries = self.raw(view(values).0, view(values).1, shape, component, normalized, count);
            for (place, entry) in places.iter().zip(entries) {
                numbers[place[0] as usize] = entry;
            }
        }
        let numbers = Rc::new(numbers);
        self.decoded.borrow_mut().insert(accessor, Rc::clone(&numbers));
        numbers
    }

    /// First and last key of a clip.
    pub(crate) fn span(&self, clip: usize) -> [f64; 2] {
        let samplers = list(&self.json["animations"][clip], "samplers");
        let times: Vec<f64> =
            samplers.iter().flat_map(|sampler| self.numbers(number(sampler, "input")).concat()).collect();
        [times.iter().copied().fold(f64::INFINITY, f64::min), times.iter().copied().fold(0.0, f64::max)]
    }

    /// What a clip says about a property of a node at a time.
    fn animated(&self, clip: Option<usize>, node: usize, path: &str, time: f64, width: usize) -> Option<Vec<f64>> {
        let animation = &self.json["animations"][clip?];
        let channel = &animation["channels"][*self.channels.get(&(clip?, node, path.to_owned()))?];
        let sampler = &animation["samplers"][number(channel, "sampler")];
        let times = self.numbers(number(sampler, "input")).concat();
        let output = self.numbers(number(sampler, "output")).concat();
        let mode = sampler["interpolation"].as_str().unwrap_or("LINEAR");
        let value = |key: usize, part: usize| -> &[f64] {
            let place = if mode == "CUBICSPLINE" { 3 * key + part } else { key };
            &output[place * width..(place + 1) * width]
        };
        let is_rotation = path == "rotation";
        let finish = |value: Vec<f64>| if is_rotation { scaled(&value, 1.0 / length(&value)) } else { value };
        let last = times.len() - 1;
        if time <= times[0] {
            return Some(finish(value(0, 1).to_vec()));
        }
        if time >= times[last] {
            return Some(finish(value(last, 1).to_vec()));
        }
        let key = (0..last).rfind(|&key| times[key] <= time).unwrap();
        let duration = times[key + 1] - times[key];
        let t = (time - times[key]) / duration;
        Some(finish(match mode {
            "STEP" => value(key, 1).to_vec(),
            "CUBICSPLINE" => {
                let (t2, t3) = (t * t, t * t * t);
                let parts = [
                    scaled(value(key, 1), 2.0 * t3 - 3.0 * t2 + 1.0),
                    scaled(value(key, 2), duration * (t3 - 2.0 * t2 + t)),
                    scaled(value(key + 1, 1), -2.0 * t3 + 3.0 * t2),
                    scaled(value(key + 1, 0), duration * (t3 - t2)),
                ];
                (0..width).map(|at| parts.iter().map(|part| part[at]).sum()).collect()
            }
            _ if is_rotation => {
                let (a, b) = (finish(value(key, 1).to_vec()), finish(value(key + 1, 1).to_vec()));
                let d: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
                let angle = d.abs().min(1.0).acos();
                if angle < 1e-6 {
                    let b = scaled(&b, d.signum());
                    a.iter().zip(&b).map(|(a, b)| a + t * (b - a)).collect()
                } else {
                    let (wa, wb) =
                        ((angle * (1.0 - t)).sin() / angle.sin(), d.signum() * (angle * t).sin() / angle.sin());
                    a.iter().zip(&b).map(|(a, b)| wa * a + wb * b).collect()
                }
            }
            _ => value(key, 1).iter().zip(value(key + 1, 1)).map(|(a, b)| a + t * (b - a)).collect(),
        }))
    }

    /// A property of a node, blended; rotations with the signs nearest to the first one.
    fn blended(&self, layers: &[Layer], node: usize, path: &str, own: &[f64]) -> Vec<f64> {
        let values = layers.iter().map(|&(clip, time, weight)| {
            (self.animated(clip, node, path, time, own.len()).unwrap_or(own.to_vec()), weight)
        });
        let values: Vec<(Vec<f64>, f64)> = values.collect();
        let first = &values[0].0;
        (0..own.len())
            .map(|at| {
                let part = |(value, weight): &(Vec<f64>, f64)| {
                    let dot: f64 = first.iter().zip(value).map(|(a, b)| a * b).sum();
                    let sign = if path == "rotation" && dot < 0.0 { -1.0 } else { 1.0 };
                    sign * weight * value[at]
                };
                values.iter().map(part).sum()
            })
            .collect()
    }

    fn local(&self, node: usize, layers: &[Layer]) -> Matrix {
        let text = &self.json["nodes"][node];
        if let Some(matrix) = text["matrix"].as_array() {
            return std::array::from_fn(|column| std::array::from_fn(|row| matrix[4 * column + row].as_f64().unwrap()));
        }
        let part = |key: &str, default: &[f64]| -> Vec<f64> {
            let own: Option<Vec<f64>> =
                text[key].as_array().map(|part| part.iter().map(|x| x.as_f64().unwrap()).collect());
            self.blended(layers, node, key, &own.unwrap_or(default.to_vec()))
        };
        let (t, s) = (part("translation", &[0.0; 3]), part("scale", &[1.0; 3]));
        let q = part("rotation", &[0.0, 0.0, 0.0, 1.0]);
        let q = scaled(&q, 1.0 / length(&q));
        // Columns: the images of the axes under v ↦ q v q*.
        let turn = |v: [f64; 3]| {
            let u = [q[0], q[1], q[2]];
            let cross = |a: [f64; 3], b: [f64; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let once = cross(u, v);
            let twice = cross(u, once);
            [0, 1, 2].map(|at| v[at] + 2.0 * (q[3] * once[at] + twice[at]))
        };
        let axis = |at: usize| {
            let mut unit = [0.0; 3];
            unit[at] = s[at];
            let [x, y, z] = turn(unit);
            [x, y, z, 0.0]
        };
        [axis(0), axis(1), axis(2), [t[0], t[1], t[2], 1.0]]
    }

    pub(crate) fn snapshot(&self, clip: Option<usize>, time: f64) -> Snapshot {
        self.snapshot_of(vec![(clip, time, 1.0)])
    }

    pub(crate) fn snapshot_of(&self, layers: Vec<Layer>) -> Snapshot {
        let mut globals: Vec<Option<Matrix>> = vec![None; self.parents.len()];
        for node in 0..globals.len() {
            // Up to the first ancestor that is known, and down again.
            let mut path = vec![node];
            while let Some(parent) = self.parents[path[path.len() - 1]].filter(|&parent| globals[parent].is_none()) {
                path.push(parent);
            }
            for &node in path.iter().rev() {
                let local = self.local(node, &layers);
                let parent = self.parents[node].and_then(|parent| globals[parent]);
                globals[node] = Some(parent.map_or(local, |parent| product(&parent, &local)));
            }
        }
        Snapshot { layers, globals: globals.into_iter().flatten().collect() }
    }

    /// The corners of all triangles of a node's mesh, in the scene's frame, primitive by primitive.
    pub(crate) fn corners(&self, node: usize, snapshot: &Snapshot) -> Vec<[f64; 3]> {
        let text = &self.json["nodes"][node];
        let mesh = &self.json["meshes"][number(text, "mesh")];
        let joints = text["skin"].as_u64().map(|skin| {
            let skin = &self.json["skins"][skin as usize];
            let matrices = skin["inverseBindMatrices"].as_u64().map(|accessor| self.numbers(accessor as usize));
            let joint = |(place, joint): (usize, &Value)| {
                let inverse: Matrix = matrices.as_ref().map_or(IDENTITY, |matrices| {
                    std::array::from_fn(|column| std::array::from_fn(|row| matrices[place][4 * column + row]))
                });
                (product(&snapshot.globals[joint.as_u64().unwrap() as usize], &inverse), inverse)
            };
            list(skin, "joints").iter().enumerate().map(joint).collect::<Vec<(Matrix, Matrix)>>()
        });
        let mut corners = Vec::new();
        for primitive in list(mesh, "primitives") {
            let vertices = self.primitive(primitive, mesh, node, snapshot, joints.as_deref());
            let indices: Vec<usize> = match primitive["indices"].as_u64() {
                Some(accessor) => self.numbers(accessor as usize).iter().map(|index| index[0] as usize).collect(),
                None => (0..vertices.len()).collect(),
            };
            assert_eq!(primitive["mode"].as_u64().unwrap_or(4), 4);
            corners.extend(indices.iter().map(|&index| vertices[index]));
        }
        corners
    }

    fn primitive(
        &self,
        primitive: &Value,
        mesh: &Value,
        node: usize,
        snapshot: &Snapshot,
        joints: Option<&[(Matrix, Matrix)]>,
    ) -> Vec<[f64; 3]> {
        let own = &snapshot.globals[node];
        let attributes = &primitive["attributes"];
        let mut points = (*self.numbers(number(attributes, "POSITION"))).clone();
        let targets = list(primitive, "targets");
        let given =
            |value: &Value| value["weights"].as_array().map(|w| w.iter().map(|x| x.as_f64().unwrap()).collect());
        let still: Vec<f64> =
            given(&self.json["nodes"][node]).or_else(|| given(mesh)).unwrap_or_else(|| vec![0.0; targets.len()]);
        let weights = self.blended(&snapshot.layers, node, "weights", &still);
        for (target, weight) in targets.iter().zip(&weights) {
            let Some(accessor) = target["POSITION"].as_u64() else { continue };
            for (point, delta) in points.iter_mut().zip(&*self.numbers(accessor as usize)) {
                (0..3).for_each(|axis| point[axis] += weight * delta[axis]);
            }
        }
        let mut sets = Vec::new();
        while let Some(joints) = attributes[format!("JOINTS_{}", sets.len())].as_u64() {
            let weights = attributes[format!("WEIGHTS_{}", sets.len())].as_u64().unwrap();
            sets.push((self.numbers(joints as usize), self.numbers(weights as usize)));
        }
        let place = |(vertex, point): (usize, Vec<f64>)| {
            let Some(matrices) = joints else { return divided(own, &point) };
            if let Some(blend) = self.blend {
                let mut list: Vec<(u32, f64)> = Vec::new();
                for (joints, weights) in &sets {
                    let lanes = joints[vertex].iter().zip(&weights[vertex]).filter(|(_, weight)| **weight != 0.0);
                    list.extend(lanes.map(|(&joint, &weight)| (joint as u32, weight)));
                }
                list.sort_by_key(|&(joint, _)| joint);
                return blend([point[0], point[1], point[2]], &list, matrices);
            }
            let mut sum = [[0.0; 4]; 4];
            let mut total = 0.0;
            for (joints, weights) in &sets {
                for lane in 0..4 {
                    // The one repair: what is no number counts as nothing.
                    let weight = weights[vertex][lane];
                    if weight.is_finite() && weight != 0.0 {
                        let matrix = &matrices[joints[vertex][lane] as usize].0;
                        (0..16).for_each(|at| sum[at / 4][at % 4] += weight * matrix[at / 4][at % 4]);
                        total += weight;
                    }
                }
            }
            if total == 0.0 {
                sum = matrices[sets[0].0[vertex][0] as usize].0;
            }
            divided(&sum, &point)
        };
        points.into_iter().enumerate().map(place).collect()
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}

fn scaled(vector: &[f64], factor: f64) -> Vec<f64> {
    vector.iter().map(|part| factor * part).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|column| std::array::from_fn(|row| (0..4).map(|at| a[at][row] * b[column][at]).sum()))
}

/// A point under a matrix, divided by its fourth coordinate.
fn divided(matrix: &Matrix, point: &[f64]) -> [f64; 3] {
    let image: [f64; 4] = std::array::from_fn(|row| {
        matrix[0][row] * point[0] + matrix[1][row] * point[1] + matrix[2][row] * point[2] + matrix[3][row]
    });
    [0, 1, 2].map(|axis| image[axis] / image[3])
}
