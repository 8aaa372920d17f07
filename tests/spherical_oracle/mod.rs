//! Spherical and linear blending written down a second time, from their definitions (docs/design/reduced-bodies.md).

use kinetree::limits::SMALL_TURN;
use kinetree::reduced::Affine;
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

/// The scale and the unit quaternion of a map that is a similarity.
fn turn(map: &Affine) -> (f64, Quaternion<f64>) {
    let scale = map.linear.determinant().cbrt();
    let rotation = Rotation3::from_matrix_unchecked(map.linear / scale);
    (scale, UnitQuaternion::from_rotation_matrix(&rotation).into_inner())
}

/// The rotation centre of joints at `places` under `maps`: the point that the maps move apart least, by pairs, drawn to the mean place.
fn centre(maps: &[&Affine], scales: &[f64], mean: Vector3<f64>) -> Vector3<f64> {
    let (mut square, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for (place, a) in maps.iter().enumerate() {
        for b in &maps[..place] {
            let linear = a.linear - b.linear;
            square += linear.transpose() * linear;
            right -= linear.transpose() * (a.shift - b.shift + linear * mean);
        }
    }
    let scale: f64 = scales.iter().map(|scale| scale * scale).sum();
    square += Matrix3::identity() * (SMALL_TURN * SMALL_TURN * scale);
    mean + square.lu().solve(&right).expect("a definite matrix")
}

/// Where spherical blending puts a vertex; `weights` are joints, ascending, with their weights, `places` those of all joints at rest.
pub(crate) fn spherically(rest: [f64; 3], weights: &[(u32, f64)], places: &[[f64; 3]], maps: &[Affine]) -> [f64; 3] {
    let own: Vec<&Affine> = weights.iter().map(|&(joint, _)| &maps[joint as usize]).collect();
    let turns: Vec<(f64, Quaternion<f64>)> = own.iter().map(|map| turn(map)).collect();
    let scales: Vec<f64> = turns.iter().map(|(scale, _)| *scale).collect();
    let mean: Vector3<f64> = weights.iter().map(|&(joint, _)| Vector3::from(places[joint as usize])).sum();
    let mean = mean / weights.len() as f64;
    let centre = if own.len() == 1 { mean } else { centre(&own, &scales, mean) };
    let (mut moved, mut scale, mut sum) = (Vector3::zeros(), 0.0, Quaternion::new(0.0, 0.0, 0.0, 0.0));
    for ((&(_, weight), map), (own, quaternion)) in weights.iter().zip(&own).zip(&turns) {
        moved += (map.linear * centre + map.shift) * weight;
        scale += own * weight;
        sum += quaternion * if quaternion.dot(&turns[0].1) < 0.0 { -weight } else { weight };
    }
    (UnitQuaternion::new_normalize(sum) * (Vector3::from(rest) - centre) * scale + moved).into()
}

/// Where linear blending puts it.
#[allow(dead_code, reason = "not all programs compare")]
pub(crate) fn linearly(rest: [f64; 3], weights: &[(u32, f64)], maps: &[Affine]) -> [f64; 3] {
    let rest = Vector3::from(rest);
    let sum: Vector3<f64> = weights
        .iter()
        .map(|&(joint, weight)| (maps[joint as usize].linear * rest + maps[joint as usize].shift) * weight)
        .sum();
    sum.into()
}
