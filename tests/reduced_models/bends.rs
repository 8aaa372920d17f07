//! No vertex leaves its chord by more than is stated: random skeletons, all interpolations, blends of clips, morphs.

use kinetree::reduced::PoseDerivativeBounds;
use kinetree::time::{Moment, Span};

use crate::common::dice::Dice;
use crate::{Flavour, Scene, distance, rounds, scene};

/// Positions of all vertices.
fn at(scene: &Scene, moment: Moment) -> Vec<[f64; 3]> {
    let vertices: Vec<u32> = (0..scene.body.mesh().vertex_count() as u32).collect();
    let mut out = Vec::new();
    scene.body.positions(moment, &vertices, &mut out).unwrap();
    out
}

/// The largest share of its stated deviation that a sample reached.
fn check(scene: &Scene, dice: &mut Dice, seed: u64) -> (usize, f64) {
    let pieces = match scene.body.pieces(dice.pick(&[0.05, 0.01, 0.003])) {
        Ok(pieces) => pieces,
        Err(error) => panic!("seed {seed}: {error}"),
    };
    let (mut samples, mut most) = (0, 0.0f64);
    let mut bends = PoseDerivativeBounds::default();
    let stride = 1 + pieces.count() / 60;
    for piece in (0..pieces.count()).step_by(stride) {
        let (begin, end) = (pieces.times()[piece], pieces.times()[piece + 1]);
        let (first, last) = (at(scene, Moment::after(begin)), at(scene, Moment::at(end)));
        scene.body.driver().bends(Span { begin, end }, &mut bends);
        for place in [0.5, dice.unit(), dice.unit()] {
            let time = begin + place * (end - begin);
            if time <= begin || time >= end {
                continue;
            }
            let s = (time - begin) / (end - begin);
            for (vertex, position) in at(scene, Moment::at(time)).iter().enumerate() {
                let chord = std::array::from_fn(|i| first[vertex][i] + s * (last[vertex][i] - first[vertex][i]));
                let off = distance(position, &chord);
                let stated = pieces.deviations()[piece];
                assert!(off <= stated, "seed {seed}, vertex {vertex}, {begin}..{end} at {time}: {off} beyond {stated}");
                let own = scene.body.growth_of(vertex as u32, &bends).unwrap();
                let bound = 0.125 * (end - begin) * (end - begin) * own.bend + 1e-9;
                assert!(
                    off <= bound,
                    "seed {seed}, vertex {vertex}, {begin}..{end} at {time}: {off} beyond own {bound}"
                );
                let speed = distance(&first[vertex], &last[vertex]);
                assert!(speed <= own.rate * (end - begin) + 1e-9, "seed {seed}, vertex {vertex}: too fast, {speed}");
                assert!(distance(position, &[0.0; 3]) <= own.size + 1e-9, "seed {seed}, vertex {vertex}: too far");
                samples += 1;
                most = most.max(off / stated);
            }
        }
    }
    (samples, most)
}

fn battery(flavour: Flavour, count: u64, sharp: f64) {
    let (mut samples, mut most) = (0, 0.0f64);
    for seed in 0..rounds(count) {
        let scene = scene(seed, flavour);
        let (checked, reached) = check(&scene, &mut Dice::new(seed, &[7]), seed);
        samples += checked;
        most = most.max(reached);
    }
    assert!(samples > 1000, "{samples} samples");
    assert!(most > sharp, "{flavour:?}: at most {most} of the stated deviation was seen");
}

#[test]
fn turning_chains_stay_within_their_deviation() {
    battery(Flavour::Turns, 25, 0.3);
}

#[test]
fn moving_scaling_splined_and_morphed_skins_stay_within_their_deviation() {
    battery(Flavour::Everything, 20, 0.02);
}

#[test]
fn half_turns_stay_within_their_deviation() {
    battery(Flavour::Twists, 20, 0.1);
}
