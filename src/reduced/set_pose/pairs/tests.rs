//! Pairs in lanes against pairs one by one.

use nalgebra::{Rotation3, Vector3};

use super::{JointRow, PosedPair, fill, turned};
use crate::reduced::bounds::rounded_tests::Numbers;
use crate::reduced::pair_lanes::PairLanes;
use crate::reduced::set_pose::PosedJoint;
use crate::reduced::spherical::{PairTerms, dot};
use crate::reduced::{Affine, affine::rotation_matrix};

fn vector(dice: &mut Numbers, most: f64) -> Vector3<f64> {
    Vector3::new(dice.real(most), dice.real(most), dice.real(most))
}

#[test]
fn lanes_have_the_terms_of_single_pairs_and_bound_the_turn() {
    let mut dice = Numbers(3);
    for round in 0..300 {
        let (angle, scale) = (dice.pick(&[3.0, 0.3, 1e-4, 1e-9]), dice.pick(&[1.0, 1e-3, 1e6]));
        let middle = vector(&mut dice, 2.0);
        let maps: Vec<Affine> = (0..2 + dice.below(6))
            .map(|_| {
                let turn = Rotation3::from_scaled_axis(vector(&mut dice, angle)).into_inner();
                Affine { linear: turn * (scale * (1.0 + 0.1 * dice.real(1.0))), shift: vector(&mut dice, 3.0) }
            })
            .collect();
        let turns: Vec<PosedJoint> = maps.iter().map(|map| PosedJoint::of(map).expect("a turn")).collect();
        let rows = maps.iter().zip(&turns).map(|(map, turn)| JointRow::new(map, Some(turn), &middle));
        let rows: Vec<JointRow> = rows.collect();
        let of_second = |b: usize| (0..b as u32).map(move |a| [a, b as u32]);
        let pairs: Vec<[u32; 2]> = (1..maps.len()).flat_map(of_second).collect();
        let (mut posed, mut lanes) = (vec![PosedPair::NONE; pairs.len()], vec![PairLanes::NONE; pairs.len()]);
        fill(&rows, &pairs, &mut posed, &mut lanes);
        for ((pair, posed), lanes) in pairs.iter().zip(&posed).zip(&lanes) {
            let [a, b] = pair.map(|joint| joint as usize);
            // Vertices are blended around a centre of these terms: bit for bit.
            assert_eq!(posed.terms, PairTerms::of([&maps[a], &maps[b]], &middle));
            let (p, q) = (&turns[a].turn, &turns[b].turn);
            assert_eq!(posed.dot.to_bits(), dot(&p.quaternion, &q.quaternion).to_bits());
            let sign = posed.dot.signum();
            let chord: f64 = (0..4).map(|part| (q.quaternion[part] - sign * p.quaternion[part]).powi(2)).sum();
            let mixed: f64 =
                (0..4).map(|part| (p.scale * q.quaternion[part] - sign * q.scale * p.quaternion[part]).powi(2)).sum();
            let difference = rotation_matrix(q.quaternion) - rotation_matrix(p.quaternion);
            let exact = difference.transpose() * difference;
            let (form, [steep, own]) = lanes.parts();
            assert!(own >= chord, "round {round}: {own} {chord}");
            assert!(steep * steep >= exact.symmetric_eigenvalues().max() * mixed * 0.999_999, "round {round}");
            for (entry, (row, column)) in form.iter().zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]) {
                let wanted = mixed * exact[(row, column)];
                let slack = 1e-6 * (mixed * exact.trace() + scale * scale * 1e-11);
                assert!((entry * steep - wanted).abs() <= slack, "round {round}: {entry} {steep} {wanted}");
                let kept = turned(&p.quaternion, &q.quaternion);
                assert!((kept[0] - exact[(0, 0)]).abs() <= 1e-13);
            }
        }
    }
}
