//! Remarks on bodies that are valid, but may not be what their author meant.

use nalgebra::Matrix3;

use super::{MotionData, Scene, SceneBody};
use crate::math::Aabb;
use crate::tuning;

/// The remarks on all bodies of a scene, in the order of the bodies. O(keys + vertices).
pub(super) fn on_bodies(scene: &Scene) -> Vec<String> {
    let remarks = scene.bodies.iter().flat_map(|body| {
        let found = [turns(body), rounding(body)];
        found.into_iter().flatten().map(|remark| format!("body \"{}\": {remark}", body.name))
    });
    remarks.collect()
}

/// Where a rigid body turns so far from key to key that its vertices, which move straight, leave
/// their arcs.
fn turns(body: &SceneBody) -> Option<String> {
    let MotionData::Rigid { times, transforms } = &body.motion else { return None };
    // Keys of clips are as near to the true path as the tolerance wants.
    if body.clip.is_some() {
        return None;
    }
    let turns = transforms.windows(2).map(|ends| turn(&ends[0], &ends[1]));
    let (place, angle) = turns.enumerate().fold((0, 0.0), |most, own| if own.1 > most.1 { own } else { most });
    let lost = 1.0 - libm::cos(0.5 * angle);
    (lost > tuning::REMARKED_SHRINK).then(|| {
        format!(
            "it turns by {:.0}° between {:.4} s and {:.4} s, and vertices move straight from key to key: in between, it is \
             up to {:.2} % narrower, and inside of the arcs; give it more keys",
            angle.to_degrees(),
            times[place],
            times[place + 1],
            100.0 * lost
        )
    })
}

/// The angle from one place of a body to another, radians; 0 where the maps mirror.
fn turn(from: &[f64; 16], to: &[f64; 16]) -> f64 {
    let linear = |map: &[f64; 16]| Matrix3::from_fn(|row, column| map[4 * row + column]);
    let Some(back) = linear(from).try_inverse() else { return 0.0 };
    let parts = (linear(to) * back).svd(true, true);
    let (Some(u), Some(v)) = (parts.u, parts.v_t) else { return 0.0 };
    let rotation = u * v;
    if rotation.determinant() < 0.0 { 0.0 } else { libm::acos((0.5 * (rotation.trace() - 1.0)).clamp(-1.0, 1.0)) }
}

/// Where a body is so far from the origin, at its first key or its last, that 32-bit positions
/// change its shape.
fn rounding(body: &SceneBody) -> Option<String> {
    let keys = body.motion.times().len();
    let ends = [0, keys.saturating_sub(1)].map(|key| body.vertices_at_key(key));
    let [first, last] = ends.map(|positions| positions.unwrap_or_else(|| body.mesh.positions.clone()));
    [first, last].iter().find_map(|positions| rounding_of(positions))
}

fn rounding_of(positions: &[[f32; 3]]) -> Option<String> {
    let mut bounds = Aabb::EMPTY;
    positions.iter().for_each(|point| bounds.include(&point.map(f64::from)));
    let size = bounds.longest_side();
    let most = bounds.min.iter().chain(&bounds.max).fold(0.0f64, |most, x| most.max(x.abs()));
    let step = most * f64::from(f32::EPSILON);
    (size > 0.0 && step > tuning::REMARKED_ROUNDING * size).then(|| {
        format!(
            "its positions, up to {most:.6} m from the origin, are 32-bit numbers, {step:.1e} m apart there, and it is \
             only {size:.3} m large; move the scene nearer to the origin"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::MeshData;

    fn remark(positions: Vec<[f32; 3]>, motion: MotionData) -> Vec<String> {
        let mut scene = Scene::default();
        let mesh = MeshData { positions, triangles: vec![[0, 1, 2]] };
        scene.bodies.push(SceneBody::new("blade", mesh, motion));
        on_bodies(&scene)
    }

    fn turned(degrees: &[f64], scale: f64) -> MotionData {
        let map = |angle: &f64| {
            let (sine, cosine) = (scale * libm::sin(angle.to_radians()), scale * libm::cos(angle.to_radians()));
            [cosine, -sine, 0.0, 3.0, sine, cosine, 0.0, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, 0.0, 1.0]
        };
        MotionData::Rigid {
            times: (0..degrees.len()).map(|key| key as f64).collect(),
            transforms: degrees.iter().map(map).collect(),
        }
    }

    const CORNERS: [[f32; 3]; 3] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn turns_between_keys_are_told_by_their_largest() {
        for scale in [1.0, 0.01] {
            let told = remark(CORNERS.to_vec(), turned(&[0.0, 5.0, 65.0, 60.0], scale));
            let text = "body \"blade\": it turns by 60° between 1.0000 s and 2.0000 s, and vertices move straight from key to key: in \
                        between, it is up to 13.40 % narrower, and inside of the arcs; give it more keys";
            assert_eq!(told, [text]);
            let half = remark(CORNERS.to_vec(), turned(&[0.0, 180.0], scale));
            assert!(half[0].contains("by 180° ") && half[0].contains(" 100.00 % "), "{half:?}");
        }
    }

    #[test]
    fn small_turns_shifts_and_mirrored_bodies_are_not() {
        assert_eq!(remark(CORNERS.to_vec(), turned(&[0.0, 5.0, 10.0, 5.0], 1.0)), [""; 0]);
        let MotionData::Rigid { times, mut transforms } = turned(&[0.0, 0.0], 1.0) else { panic!() };
        transforms[1][3] = 1e3;
        assert_eq!(
            remark(CORNERS.to_vec(), MotionData::Rigid { times: times.clone(), transforms: transforms.clone() }),
            [""; 0]
        );
        transforms[1][0] = -1.0;
        assert_eq!(remark(CORNERS.to_vec(), MotionData::Rigid { times, transforms }), [""; 0]);
    }

    #[test]
    fn positions_far_from_the_origin_are_told() {
        let at = |x: f32| CORNERS.map(|[a, b, c]| [a + x, b, c]).to_vec();
        let told = remark(at(5e4), MotionData::Fixed);
        assert!(told[0].starts_with("body \"blade\": its positions, up to 50001.000000 m"), "{told:?}");
        assert_eq!(remark(at(100.0), MotionData::Fixed), [""; 0]);
        // The last key is far away; the mesh itself may be anywhere.
        let away = |x: f32, y: f32| [at(x), at(y)].concat().as_flattened().to_vec();
        let keys = |positions| MotionData::Keyframes { times: vec![0.0, 1.0], positions };
        assert_eq!(remark(at(0.0), keys(away(0.0, 5e4))), told);
        assert_eq!(remark(at(5e4), keys(away(0.0, 1.0))), [""; 0]);
        assert_eq!(remark(vec![[1e9; 3]; 3], MotionData::Fixed), [""; 0], "a point has no shape to lose");
    }
}
