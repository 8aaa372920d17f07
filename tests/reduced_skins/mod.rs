//! Random rigs, clips, mixes and skins, shared by the tests of reduced bodies.

#![allow(dead_code, unreachable_pub, reason = "every test program uses its own part of this")]

use std::sync::Arc;

use crate::common::dice::Dice;
use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::{
    Affine, Binding, Blend, Channel, Clip, Influences, Interpolation, JointTracks, Layer, Mix, MorphTarget, Node,
    NodeTransform, Property, ReducedBody, ReducedDef, ReducedMesh, Rig, Track, WeightPolicy,
};
use kinetree::time::Span;

/// More rounds when asked for.
pub fn rounds(usual: u64) -> u64 {
    std::env::var("KINETREE_TORTURE")
        .ok()
        .and_then(|text| text.parse::<u64>().ok())
        .map_or(usual, |factor| usual * factor)
}

/// What random scenes are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Turning joints alone.
    Turns,
    /// Moving and scaling ones too, all interpolations.
    Everything,
    /// Half turns between neighbouring keys, and quaternions of either sign.
    Twists,
    /// Turns and moves alone: what spherical blending takes.
    Rigid,
}

pub fn quaternion(dice: &mut Dice) -> [f64; 4] {
    loop {
        let q: [f64; 4] = std::array::from_fn(|_| dice.real(-1.0, 1.0));
        let square: f64 = q.iter().map(|x| x * x).sum();
        if square > 0.01 && square < 1.0 {
            return q.map(|x| x / square.sqrt());
        }
    }
}

pub fn vector(dice: &mut Dice, size: f64) -> [f64; 3] {
    std::array::from_fn(|_| dice.real(-size, size))
}

pub fn key_times(dice: &mut Dice) -> Vec<f64> {
    let mut time = dice.real(-0.5, 0.5);
    (0..2 + dice.below(4))
        .map(|_| {
            time += dice.real(0.05, 1.0);
            time
        })
        .collect()
}

pub fn track(dice: &mut Dice, flavour: Flavour, property: Property, morphs: usize) -> Track {
    let times = key_times(dice);
    let interpolation = match (flavour, dice.below(4)) {
        (Flavour::Turns | Flavour::Rigid, _) | (_, 0) => Interpolation::Linear,
        (_, 1) => Interpolation::Step,
        (Flavour::Everything, _) => Interpolation::CubicSpline,
        _ => Interpolation::Linear,
    };
    let mut values = Vec::new();
    let mut turn = quaternion(dice);
    for _ in &times {
        let tangent = |dice: &mut Dice, width: usize| (0..width).map(|_| dice.real(-1.0, 1.0)).collect::<Vec<f64>>();
        let value: Vec<f64> = match property {
            Property::Translation => vector(dice, 1.0).to_vec(),
            Property::Scale => (0..3).map(|_| dice.real(0.4, 1.6)).collect(),
            Property::Weights => (0..morphs).map(|_| dice.real(-1.0, 1.0)).collect(),
            Property::Rotation => {
                if flavour == Flavour::Twists && dice.percent(70) {
                    // A half turn about an axis of its own, but for a little.
                    let [x, y, z, w] = turn;
                    turn = dice.pick(&[[-y, x, -w, z], [w, -z, y, -x], [z, w, -x, -y]]);
                    // Which way round an exact half turn goes is a matter of rounding.
                    turn[dice.below(4)] += dice.pick(&[1e-3, -1e-3, 1e-8, -1e-8]);
                } else {
                    turn = quaternion(dice);
                }
                if dice.percent(50) {
                    turn = turn.map(|x| -x);
                }
                turn.to_vec()
            }
        };
        if interpolation == Interpolation::CubicSpline {
            values.extend(tangent(dice, value.len()));
            values.extend(&value);
            values.extend(tangent(dice, value.len()));
        } else {
            values.extend(value);
        }
    }
    Track { interpolation, times, values }
}

/// A random rig: nodes in random order, one node in a few given by a matrix, several clips.
pub fn rig(dice: &mut Dice, flavour: Flavour, morphs: usize) -> (Vec<Node>, Vec<Clip>) {
    let count = 2 + dice.below(5);
    let mut nodes: Vec<Node> = (0..count)
        .map(|_| {
            let scale = match flavour {
                Flavour::Turns | Flavour::Rigid => [1.0; 3],
                _ => std::array::from_fn(|_| dice.real(0.5, 1.5)),
            };
            let (translation, rotation) = (vector(dice, 0.7), quaternion(dice));
            let transform = if flavour == Flavour::Everything && dice.percent(15) {
                NodeTransform::Matrix(Affine::from_rows(std::array::from_fn(|_| {
                    std::array::from_fn(|_| dice.real(-1.0, 1.0))
                })))
            } else {
                NodeTransform::Parts { translation, rotation, scale }
            };
            Node { parent: None, transform, weights: (0..morphs).map(|_| dice.real(-1.0, 1.0)).collect() }
        })
        .collect();
    // Every second rig a chain, the others trees; parents may come after their children.
    let mut order: Vec<u32> = (0..count as u32).collect();
    for place in (1..count).rev() {
        order.swap(place, dice.below(place + 1));
    }
    let is_chain = dice.percent(50);
    for place in 1..count {
        let parent = if is_chain { place - 1 } else { dice.below(place) };
        nodes[order[place] as usize].parent = Some(order[parent]);
    }
    let clips = (0..=dice.below(3))
        .map(|clip| {
            let mut channels = Vec::new();
            for node in 0..count as u32 {
                let is_matrix = matches!(nodes[node as usize].transform, NodeTransform::Matrix(_));
                for property in [Property::Translation, Property::Rotation, Property::Scale, Property::Weights] {
                    let wanted = match (flavour, property) {
                        (_, Property::Weights) => morphs > 0,
                        _ if is_matrix => false,
                        (_, Property::Rotation) => dice.percent(90),
                        (Flavour::Turns, _) | (Flavour::Rigid, Property::Scale) => false,
                        _ => dice.percent(40),
                    };
                    if wanted {
                        channels.push(Channel { node, property, track: track(dice, flavour, property, morphs) });
                    }
                }
            }
            Clip { name: format!("clip {clip}"), channels }
        })
        .collect();
    (nodes, clips)
}

/// One clip, or several with weights that change.
pub fn mix(dice: &mut Dice, rig: &Rig) -> Mix {
    if rig.clip_count() == 1 || dice.percent(40) {
        let is_still = rig.clip_span(0).is_some_and(|span| span.begin == span.end);
        let outside = if is_still { Outside::Hold } else { dice.pick(&[Outside::Hold, Outside::Loop]) };
        return Mix::clip(rig, 0, outside).unwrap();
    }
    let span = Span { begin: -0.3, end: 2.9 };
    let (mut left, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..3 {
        let share = dice.pick(&[0.0, 1.0, 0.5, 0.25, 0.7]);
        left.push(1.0 - share);
        first.push(share * 0.5);
        second.push(share - share * 0.5);
    }
    let times = vec![-0.1, dice.real(0.2, 1.0), dice.real(1.1, 2.7)];
    let weight = |values: Vec<f64>| Some(Track { times: times.clone(), values, interpolation: Interpolation::Linear });
    let layer = |clip: usize, weight, dice: &mut Dice| Layer {
        clip,
        start: dice.real(-0.5, 0.5),
        rate: dice.pick(&[1.0, 0.5, 1.7]),
        outside: if rig.clip_span(clip).is_some_and(|span| span.end > span.begin) {
            dice.pick(&[Outside::Hold, Outside::Loop])
        } else {
            Outside::Hold
        },
        weight,
    };
    let last = rig.clip_count() - 1;
    let layers = vec![layer(0, weight(left), dice), layer(last, weight(first), dice), layer(0, weight(second), dice)];
    Mix { layers, span, outside: dice.pick(&[Outside::Hold, Outside::Loop]) }
}

/// Everything of a random skin.
pub struct Scene {
    pub nodes: Vec<Node>,
    pub clips: Vec<Clip>,
    pub mix: Mix,
    pub bindings: Vec<Binding>,
    pub morphs: Vec<MorphTarget>,
    pub body: ReducedBody,
}

pub fn invertible(dice: &mut Dice, flavour: Flavour) -> Affine {
    let scale = match flavour {
        Flavour::Rigid | Flavour::Turns => [1.0; 3],
        _ => std::array::from_fn(|_| dice.real(0.5, 2.0)),
    };
    Affine::from_parts(vector(dice, 0.5), quaternion(dice), scale)
}

/// A soup of vertices with random influences.
pub fn soup(dice: &mut Dice, vertices: usize, maps: usize) -> (Mesh, Vec<[f32; 3]>, Influences) {
    let triangles = (0..vertices as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Mesh::new(vertices, triangles).unwrap();
    let rest = (0..vertices).map(|_| vector(dice, 1.0).map(|x| x as f32)).collect();
    let lists: Vec<Vec<(u32, f64)>> = (0..vertices)
        .map(|_| {
            let mut list: Vec<(u32, f64)> =
                (0..=dice.below(4)).map(|_| (dice.below(maps) as u32, dice.pick(&[1.0, 0.5, 0.1, 1e-4]))).collect();
            let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
            // Off by what files are off by.
            let off = 1.0 + dice.real(-9e-7, 9e-7);
            list.iter_mut().for_each(|(_, weight)| *weight *= off / sum);
            list
        })
        .collect();
    (mesh, rest, Influences::convex(maps, lists, WeightPolicy::Strict).unwrap())
}

pub fn scene(seed: u64, flavour: Flavour) -> Scene {
    let mut dice = Dice::new(seed, &[flavour as u64]);
    let dice = &mut dice;
    let morph_count = if flavour == Flavour::Everything { dice.below(3) } else { 0 };
    let (nodes, clips) = rig(dice, flavour, morph_count);
    let rig = Arc::new(Rig::new(nodes.clone(), &clips).unwrap());
    let mix = mix(dice, &rig);
    let joints: Vec<u32> = (0..nodes.len() as u32).filter(|_| dice.percent(80)).chain([0]).collect();
    let matrices: Vec<Affine> = joints.iter().map(|_| invertible(dice, flavour)).collect();
    let bindings = Binding::skin(&joints, Some(&matrices)).unwrap();
    let (mesh, rest, influences) = soup(dice, 24, bindings.len());
    let morphs: Vec<MorphTarget> = (0..morph_count)
        .map(|_| {
            let vertices: Vec<u32> = (0..24).filter(|_| dice.percent(60)).collect();
            let deltas = vertices.iter().map(|_| vector(dice, 0.5).map(|x| x as f32)).collect();
            MorphTarget { vertices, deltas }
        })
        .collect();
    let blend = if flavour == Flavour::Rigid {
        Blend::Spherical { joints: matrices.iter().map(|m| m.inverse().unwrap().shift.into()).collect() }
    } else {
        Blend::Linear
    };
    let mesh = ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: morphs.clone(), blend }).unwrap();
    let driver = JointTracks::new(rig, &mix, bindings.clone(), Some(0)).unwrap();
    let body = ReducedBody::new(Arc::new(mesh), Arc::new(driver)).unwrap();
    Scene { nodes, clips, mix, bindings, morphs, body }
}

pub fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}
