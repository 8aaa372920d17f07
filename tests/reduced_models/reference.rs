//! The glTF rules once more, by 4 × 4 matrices in homogeneous coordinates and the arc cosine: shares nothing with the library.

use kinetree::motion::Outside;
use kinetree::reduced::{Binding, Channel, Interpolation, NodeTransform, Property};

use crate::Scene;

type Matrix = [[f64; 4]; 4];

const UNIT: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

/// A quaternion's matrix by conjugation: `q v q̄` of the three unit vectors.
fn turn(q: [f64; 4]) -> Matrix {
    let multiply = |a: [f64; 4], b: [f64; 4]| {
        [
            a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
        ]
    };
    let mut matrix = UNIT;
    for axis in 0..3 {
        let mut v = [0.0; 4];
        v[axis] = 1.0;
        let image = multiply(multiply(q, v), [-q[0], -q[1], -q[2], q[3]]);
        (0..3).for_each(|row| matrix[row][axis] = image[row]);
    }
    matrix
}

fn normalised(q: &[f64]) -> [f64; 4] {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    std::array::from_fn(|i| q[i] / length)
}

/// The value of a channel at a time strictly between keys, or held outside.
pub(crate) fn sample(channel: &Channel, time: f64) -> Vec<f64> {
    let track = &channel.track;
    let keys = track.times.len();
    let width = track.values.len() / keys / if track.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let is_turn = channel.property == Property::Rotation;
    let group = |key: usize, group: usize| {
        let place = if track.interpolation == Interpolation::CubicSpline { 3 * key + group } else { key };
        track.values[place * width..(place + 1) * width].to_vec()
    };
    let finish = |value: Vec<f64>| if is_turn { normalised(&value).to_vec() } else { value };
    let next = track.times.iter().position(|&key| key > time);
    let key = match next {
        Some(0) => return finish(group(0, 1)),
        None => return finish(group(keys - 1, 1)),
        Some(next) => next - 1,
    };
    let length = track.times[key + 1] - track.times[key];
    let s = (time - track.times[key]) / length;
    let (a, b) = (group(key, 1), group(key + 1, 1));
    match track.interpolation {
        Interpolation::Step => finish(a),
        Interpolation::CubicSpline => {
            let (m, n) = (group(key, 2), group(key + 1, 0));
            let (s2, s3) = (s * s, s * s * s);
            let hermite = |i: usize| {
                (2.0 * s3 - 3.0 * s2 + 1.0) * a[i]
                    + length * (s3 - 2.0 * s2 + s) * m[i]
                    + (-2.0 * s3 + 3.0 * s2) * b[i]
                    + length * (s3 - s2) * n[i]
            };
            finish((0..width).map(hermite).collect())
        }
        Interpolation::Linear if is_turn => {
            let (a, mut b) = (normalised(&a), normalised(&b));
            let mut cosine: f64 = (0..4).map(|i| a[i] * b[i]).sum();
            if cosine.abs() < 1e-10 {
                // Which way round a half turn goes is a matter of rounding: no truth to compare with.
                return vec![f64::NAN; 4];
            }
            if cosine < 0.0 {
                b = b.map(|x| -x);
                cosine = -cosine;
            }
            let angle = cosine.min(1.0).acos();
            if angle < 1e-6 {
                return a.to_vec();
            }
            let (left, right) = (((1.0 - s) * angle).sin() / angle.sin(), (s * angle).sin() / angle.sin());
            (0..4).map(|i| left * a[i] + right * b[i]).collect()
        }
        Interpolation::Linear => (0..width).map(|i| (1.0 - s) * a[i] + s * b[i]).collect(),
    }
}

/// A clip's time at a time of a layer.
fn clip_time(scene: &Scene, layer: usize, time: f64) -> f64 {
    let layer = &scene.mix.layers[layer];
    let times = || scene.clips[layer.clip].channels.iter().flat_map(|channel| channel.track.times.iter().copied());
    let (first, last) = (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max));
    if !first.is_finite() {
        return 0.0;
    }
    let run = (time - layer.start) * layer.rate;
    match layer.outside {
        Outside::Loop => first + run.rem_euclid(last - first),
        // The last key itself, not a rounding before it.
        _ if run >= last - first => last,
        _ => (first + run.clamp(0.0, last - first)).min(last),
    }
}

fn weight(scene: &Scene, layer: usize, time: f64) -> f64 {
    scene.mix.layers[layer].weight.as_ref().map_or(1.0, |track| {
        let channel = Channel { node: 0, property: Property::Weights, track: track.clone() };
        sample(&channel, time)[0]
    })
}

fn value(scene: &Scene, layer: usize, node: u32, property: Property, time: f64) -> Option<Vec<f64>> {
    let clip = &scene.clips[scene.mix.layers[layer].clip];
    let channel = clip.channels.iter().find(|channel| channel.node == node && channel.property == property)?;
    Some(sample(channel, clip_time(scene, layer, time)))
}

/// A node's matrix into its parent's frame. Signs of blended quaternions are those of the middle of `interval`.
fn local(scene: &Scene, node: u32, time: f64, interval: (f64, f64)) -> Matrix {
    let (translation, rotation, scale) = match scene.nodes[node as usize].transform {
        NodeTransform::Matrix(map) => {
            let mut matrix = UNIT;
            matrix[..3].copy_from_slice(&map.rows());
            return matrix;
        }
        NodeTransform::Parts { translation, rotation, scale } => (translation, rotation, scale),
    };
    let middle = 0.5 * (interval.0 + interval.1);
    let facing = |layer| value(scene, layer, node, Property::Rotation, middle).unwrap_or(rotation.to_vec());
    let (mut t, mut q, mut s) = ([0.0; 3], [0.0; 4], [0.0; 3]);
    for layer in 0..scene.mix.layers.len() {
        let share = if scene.mix.layers.len() == 1 { 1.0 } else { weight(scene, layer, time) };
        let get = |property, rest: &[f64]| value(scene, layer, node, property, time).unwrap_or(rest.to_vec());
        let (move_by, size) = (get(Property::Translation, &translation), get(Property::Scale, &scale));
        let side: f64 = facing(0).iter().zip(facing(layer)).map(|(a, b)| a * b).sum();
        // Both come from one segment of a track, so from one side of the sphere.
        let mut turned = get(Property::Rotation, &rotation);
        let sign = if side.abs() < 1e-10 {
            f64::NAN
        } else if side >= 0.0 {
            1.0
        } else {
            -1.0
        };
        turned.iter_mut().for_each(|x| *x *= sign);
        for i in 0..3 {
            t[i] += share * move_by[i];
            s[i] += share * size[i];
        }
        (0..4).for_each(|i| q[i] += share * turned[i]);
    }
    let mut matrix = turn(normalised(&q));
    for row in 0..3 {
        (0..3).for_each(|column| matrix[row][column] *= s[column]);
        matrix[row][3] = t[row];
    }
    matrix
}

fn world(scene: &Scene, node: u32, time: f64, interval: (f64, f64)) -> Matrix {
    let here = local(scene, node, time, interval);
    scene.nodes[node as usize].parent.map_or(here, |parent| product(&world(scene, parent, time, interval), &here))
}

/// The maps of all bindings at a time inside an interval between breaks.
pub(crate) fn maps(scene: &Scene, time: f64, interval: (f64, f64)) -> Vec<Matrix> {
    let bound = |binding: &Binding| {
        let mut inverse = UNIT;
        inverse[..3].copy_from_slice(&binding.inverse_bind.rows());
        product(&world(scene, binding.node, time, interval), &inverse)
    };
    scene.bindings.iter().map(bound).collect()
}

/// Morph weights at a time.
pub(crate) fn morph_weights(scene: &Scene, time: f64) -> Vec<f64> {
    let rest = &scene.nodes[0].weights;
    let mut sum = vec![0.0; scene.morphs.len()];
    for layer in 0..scene.mix.layers.len() {
        let share = if scene.mix.layers.len() == 1 { 1.0 } else { weight(scene, layer, time) };
        let weights = value(scene, layer, 0, Property::Weights, time).unwrap_or(rest.clone());
        sum.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += share * weight);
    }
    sum
}

/// A vertex's displaced rest position.
pub(crate) fn displaced(scene: &Scene, vertex: u32, weights: &[f64]) -> [f64; 4] {
    let [x, y, z] = scene.body.mesh().rest_positions()[vertex as usize].map(f64::from);
    let mut position = [x, y, z, 1.0];
    for (target, weight) in scene.morphs.iter().zip(weights) {
        if let Some(place) = target.vertices.iter().position(|&other| other == vertex) {
            (0..3).for_each(|i| position[i] += weight * f64::from(target.deltas[place][i]));
        }
    }
    position
}

/// `matrix · point`.
pub(crate) fn image(matrix: &Matrix, point: &[f64; 4]) -> [f64; 3] {
    std::array::from_fn(|row| (0..4).map(|i| matrix[row][i] * point[i]).sum())
}
