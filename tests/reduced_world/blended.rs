//! Vertices of bounded bodies blended in `f32` between keys: as far from the line between the keys' positions as they say, at most.

use std::sync::Arc;

use kinetree::bvh::{BuildParams, Topology};
use kinetree::time::Side;

use crate::common::dice::Dice;
use crate::reduced_skins::{Flavour, rounds, scene};
use crate::reduced_support::{Spinner, Weights, body, random_mesh};
use crate::{FLAVOURS, pieces};
use kinetree::reduced::{Pieces, ReducedBody};

const WEIGHTS: [Weights; 5] =
    [Weights::Single, Weights::Smooth, Weights::Random(5), Weights::AtLimits, Weights::Signed];

/// Compares all vertices of a body between neighbouring keys, keys in any order, and one key with itself; returns how many there were.
fn check(body: &ReducedBody, pieces: Pieces, seed: u64, is_known: bool) -> usize {
    let sampler = body.sampler(pieces).unwrap();
    let mesh = body.mesh().mesh();
    let rest: Vec<[f64; 3]> = body.mesh().rest_positions().iter().map(|place| place.map(f64::from)).collect();
    let boxes = Arc::clone(&sampler).boxes_over(Topology::build(mesh, &rest, BuildParams::default())).unwrap();
    let vertices: Vec<u32> = (0..mesh.vertex_count() as u32).rev().collect();
    let mut out = vec![[f32::NAN; 4]; vertices.len()];
    let (mut dice, mut compared) = (Dice::new(seed, &[77]), 0);
    let count = sampler.times().len();
    for round in 0..24 {
        let key = dice.below(count);
        let other = if round % 3 == 0 { dice.below(count) } else { (key + 1).min(count - 1) };
        let keys = [(key, Side::After), if round % 5 == 0 { (key, Side::After) } else { (other, Side::At) }];
        let part = [0.0, 1.0, 0.5, dice.unit()][dice.below(4)];
        let Some(margin) = boxes.rounded_positions(keys, part, &vertices, &mut out) else {
            assert!(!is_known, "nothing is known between {keys:?}");
            continue;
        };
        let [mut largest, mut farthest] = [0.0f64; 2];
        for (place, &vertex) in out.iter().zip(&vertices) {
            let [from, to] = keys.map(|(key, side)| sampler.position(key, side, vertex));
            assert_eq!(place[3], 0.0);
            for axis in 0..3 {
                let exact = from[axis] + (to[axis] - from[axis]) * part;
                largest = largest.max(from[axis].abs()).max(to[axis].abs());
                farthest = farthest.max((exact - f64::from(place[axis])).abs());
            }
            compared += 1;
        }
        assert!(farthest <= 0.5 * f64::from(margin), "{farthest} of {margin} between {keys:?}, {part}");
        let spacing = out.iter().flatten().fold(0.0f32, |most, x| most.max(x.abs())) * f32::EPSILON;
        assert!(0.5 * margin >= spacing, "{margin} of {spacing}");
        // A margin that says nothing would pass, too.
        assert!(!is_known || f64::from(margin) < 1e-2 * (largest + 1.0), "{margin} of {largest}");
    }
    compared
}

#[test]
fn blended_vertices_are_within_their_margin() {
    let mut compared = 0;
    for flavour in FLAVOURS {
        for seed in 0..rounds(12) {
            let scene = scene(seed, flavour);
            compared += check(&scene.body, pieces(&scene, flavour), seed, flavour == Flavour::Turns);
        }
    }
    for (seed, weights) in (0..rounds(12)).flat_map(|seed| WEIGHTS.map(|weights| (seed, weights))) {
        let mut dice = Dice::new(seed, &[78]);
        let morphs = dice.below(4);
        let mesh = random_mesh(&mut dice, 60, 6, morphs, weights);
        let body = body(&mesh, Spinner::of(&mut dice, 6, morphs, 2, 0.5, false));
        compared += check(&body, body.pieces_at_rate(6.0).unwrap(), seed, false);
    }
    assert!(compared > 50_000, "{compared}");
}
