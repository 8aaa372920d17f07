//! Boxes that a world is given of bodies under spherical blending hold every vertex at every end of a piece: many joints, half turns,
//! quaternions of either sign, joints that turn alike (rotation centres anywhere), morphs, far away and at any scale.

use std::sync::Arc;

use kinetree::bvh::{BuildParams, Topology};
use kinetree::motion::Outside;
use kinetree::reduced::{Blend, MorphTarget, ReducedBody, ReducedDef, ReducedMesh};
use kinetree::time::Side;

use crate::common::dice::Dice;
use crate::reduced_skins::{Flavour, rounds, scene};
use crate::reduced_support::{Spinner, Weights, influences, morph_targets, strip, vertices_below};

fn check(what: &str, body: &ReducedBody, rate: f64, dice: &mut Dice) -> usize {
    let pieces = body.pieces_at_rate(rate).unwrap();
    let (times, mesh) = (pieces.times().to_vec(), body.mesh().clone());
    let rest: Vec<[f64; 3]> = mesh.rest_positions().iter().map(|p| p.map(f64::from)).collect();
    let params = BuildParams { leaf_size: 1 + dice.below(8), ..BuildParams::default() };
    let topology = Topology::build(mesh.mesh(), &rest, params);
    let sampler = body.sampler(pieces).unwrap();
    let boxes = sampler.clone().boxes_over(topology.clone()).expect("boxes under spherical blending");
    let mut checks = 0;
    for key in 0..times.len() {
        for side in [Side::At, Side::After] {
            for node in 0..topology.nodes().len() as u32 {
                let bounds = boxes.key_box(key, side, node);
                assert!(bounds.min.iter().all(|x| x.is_finite()), "{what}: nothing is known of node {node}");
                for vertex in vertices_below(&topology, node) {
                    let place = sampler.position(key, side, vertex);
                    assert!(bounds.contains(&place), "{what}, key {key} {side:?}, node {node}: {bounds:?} {place:?}");
                    checks += 1;
                }
            }
        }
    }
    checks
}

#[test]
fn boxes_under_spherical_blending_hold_every_vertex() {
    let mut checks = 0;
    for seed in 0..rounds(60) {
        let mut dice = Dice::new(seed, &[61]);
        checks += check(&format!("rig {seed}"), &scene(500 + seed, Flavour::Rigid).body, 5.0, &mut dice);
        let (maps, morphs) = (2 + dice.below(7), dice.below(3));
        let vertices = 3 + dice.below(60);
        let (mesh, rest) = strip(&mut dice, vertices, maps as f64);
        let kind = dice.pick(&[Weights::Random(3), Weights::Random(8), Weights::AtLimits, Weights::Smooth]);
        let weights = influences(&mut dice, &rest, maps, kind);
        let mut targets = morph_targets(&mut dice, rest.len(), morphs);
        let stretches = 1 + dice.below(3);
        let mut driver = Spinner::of(&mut dice, maps, morphs, stretches, 1.0, true);
        driver.outside = dice.pick(&[Outside::Hold, Outside::Loop]);
        // All joints alike in some stretch, but for a little in one: a rotation centre far away, or anywhere.
        if dice.percent(40) {
            let first = driver.turns[0][0].clone();
            for turn in &mut driver.turns[0] {
                (turn.axis, turn.phase, turn.rate) = (first.axis, first.phase, first.rate);
            }
            driver.turns[0][maps - 1].phase += dice.pick(&[0.0, 1e-9, 1e-3]);
        }
        // Far away, and large or small.
        let scale = dice.pick(&[1.0, 1e-3, 1e3]);
        let far = dice.pick(&[0.0, 1e4]) * scale;
        for turn in driver.turns.iter_mut().flatten() {
            turn.place = turn.place * scale + nalgebra::Vector3::new(far, -far, 0.5 * far);
            turn.velocity *= scale;
            turn.acceleration *= scale;
        }
        driver.centres.iter_mut().flatten().for_each(|x| *x *= scale);
        let rest = rest.iter().map(|p| p.map(|x| (f64::from(x) * scale) as f32)).collect();
        targets = targets
            .into_iter()
            .map(|target| MorphTarget {
                deltas: target.deltas.iter().map(|p| p.map(|x| (f64::from(x) * scale) as f32)).collect(),
                ..target
            })
            .collect();
        let blend = Blend::Spherical { joints: driver.centres.clone() };
        let mesh = ReducedMesh::new(ReducedDef { mesh, rest, influences: weights, morphs: targets, blend }).unwrap();
        let body = ReducedBody::new(Arc::new(mesh), Arc::new(driver)).unwrap();
        checks += check(&format!("spinner {seed}"), &body, dice.pick(&[1.0, 6.0]), &mut dice);
    }
    assert!(checks > 100_000, "{checks} checks");
}
