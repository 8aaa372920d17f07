//! Sample models under spherical blending: which bodies are blended so, and how tight their bounds
//! are. Skipped where the models are not there.

use std::path::PathBuf;
use std::sync::Arc;

use crate::common::data::shared_models;
use crate::common::dice::Dice;
use crate::reduced_support::torture;
use kinetree::bvh::Hierarchy;
use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::limits::SMALL_TURN;
use kinetree::math::Aabb;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, MovingBounds};
use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
use kinetree::reduced::{Affine, Blend, Pose, ReducedBody};
use kinetree::time::Moment;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Folders of sample models.
const FOLDERS: [&str; 2] = ["skinned", "skinned/quaternius"];

/// Bodies with several joints, clip by clip, blended linearly.
fn skins(path: &PathBuf) -> Vec<Vec<(String, ReducedBody)>> {
    let model = read_gltf(path, GltfOptions::repairing()).unwrap();
    let (rig, file) = (model.rig().unwrap(), path.file_stem().unwrap().to_string_lossy());
    let bodies = |clip: usize| {
        let bodies = model.bodies(&rig, &model.once(clip)).unwrap().into_iter();
        let named = bodies.map(|body| (format!("{file}, {}, {}", model.clips[clip].name, body.name), body.body));
        named.filter(|(_, body)| body.mesh().map_count() > 1).collect()
    };
    (0..model.clips.len()).map(bodies).collect()
}

#[test]
fn nine_in_ten_skins_are_blended_spherically() {
    let (mut all, mut blended) = (0, 0);
    for (name, body) in shared_models(&FOLDERS).iter().flat_map(skins).flatten() {
        all += 1;
        match body.blended_spherically() {
            Ok(body) => {
                assert!(matches!(body.mesh().blend(), Blend::Spherical { .. }));
                let similarity = body.driver().similarity(body.driver().span());
                assert!(similarity.least > 0.0, "{name}: {similarity:?}");
                blended += 1;
            }
            Err(error) => println!("{name}: {error}"),
        }
    }
    println!("{blended} of {all} skins are blended spherically");
    assert!(10 * blended >= 9 * all);
    assert!(all == 0 || all > 200, "{all}");
}

/// The centre of a set with the weight `turn`² of the mean, by eigenvalues.
fn centre(maps: &[&Affine], mean: Vector3<f64>, turn: f64) -> Vector3<f64> {
    let share = 1.0 / maps.len() as f64;
    let linear: Matrix3<f64> = maps.iter().map(|map| map.linear * share).sum();
    let image: Vector3<f64> = maps.iter().map(|map| map.apply(&mean) * share).sum();
    let scale: f64 = maps.iter().map(|map| map.linear.norm_squared() / 3.0 * share).sum();
    let (mut square, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for map in maps {
        let off = map.linear - linear;
        square += off.transpose() * off;
        right += off.transpose() * (image - map.apply(&mean));
    }
    let eigen = square.symmetric_eigen();
    let part = |k: usize| eigen.eigenvectors.column(k).dot(&right) / (eigen.eigenvalues[k] + turn * turn * scale);
    let off: Vector3<f64> = (0..3).map(|k| eigen.eigenvectors.column(k) * part(k)).sum();
    mean + off
}

/// How far vertices are moved by drawing centres to the mean: a vertex moves by (Σ w A − s R) d for
/// a centre that moves by d.
#[test]
fn drawing_centres_to_the_mean_moves_vertices_little() {
    let mut dice = Dice::new(82, &[]);
    for (place, path) in shared_models(&FOLDERS).iter().enumerate() {
        let clips = skins(path);
        let Some((name, linear)) = clips[place % clips.len()].first() else { continue };
        let Ok(body) = linear.blended_spherically() else { continue };
        let (mesh, span) = (body.mesh(), body.driver().span());
        let (sets, influences) = (mesh.joint_sets().unwrap(), mesh.influences());
        let (mut pose, mut straight, mut places, mut unblended) =
            (Pose::default(), Pose::default(), Vec::new(), Vec::new());
        let (mut moved, mut part, mut size) = (0.0f64, 0.0f64, 0.0f64);
        for _ in 0..10 {
            let at = Moment::at(dice.real(span.begin, span.end));
            body.pose(at, &mut pose);
            linear.pose(at, &mut straight);
            mesh.evaluate_all(&pose, &mut places).unwrap();
            linear.mesh().evaluate_all(&straight, &mut unblended).unwrap();
            size = size.max(sides(&Aabb::of_points(&places)));
            let joints =
                |set| -> Vec<&Affine> { sets.joints_of(set).iter().map(|&joint| &pose.maps[joint as usize]).collect() };
            let ends: Vec<[Vector3<f64>; 2]> = (0..sets.count() as u32)
                .map(|set| {
                    let mean = Vector3::from(sets.mean_of(set).unwrap());
                    let ends = [SMALL_TURN, 2f64.powi(-16)].map(|turn| centre(&joints(set), mean, turn));
                    let own = Vector3::from(sets.frame(set, &pose).unwrap().centre);
                    assert!((own - ends[0]).norm() < 1e-6 * (1.0 + (own - mean).norm()), "{name}: {own} {}", ends[0]);
                    ends
                })
                .collect();
            for vertex in 0..mesh.vertex_count() as u32 {
                let set = sets.set_of(vertex).unwrap();
                let frame = sets.frame(set, &pose).unwrap();
                let weights = influences.weights_of(vertex);
                let mut turn = Quaternion::new(0.0, 0.0, 0.0, 0.0);
                let (mut blend, mut scale) = (Matrix3::zeros(), 0.0);
                for (place, map) in joints(set).iter().enumerate() {
                    let [x, y, z, w] = frame.joints[place].quaternion;
                    turn += Quaternion::new(w, x, y, z) * weights[place];
                    blend += map.linear * weights[place];
                    scale += frame.joints[place].scale * weights[place];
                }
                let turned = UnitQuaternion::new_normalize(turn).to_rotation_matrix().into_inner() * scale;
                let [near, far] = ends[set as usize];
                let gap = ((blend - turned) * (near - far)).norm();
                let mean = Vector3::from(sets.mean_of(set).unwrap());
                let arm = (far - mean).norm() * scale;
                moved = moved.max(gap);
                if arm > 0.0 {
                    part = part.max(gap / arm);
                }
            }
        }
        println!("{name}: moved by {:.1e} of the body's size, {part:.1e} of the way from mean to axis", moved / size);
        // As `limits::SMALL_TURN` and docs/design/decisions.md (D19) say.
        assert!(moved < 1.2e-3 * size && part < 2e-4, "{name}: {moved} of {size}, {part}");
    }
}

fn sides(bounds: &Aabb) -> f64 {
    (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).sum()
}

/// Moving boxes of whole bodies, in one clip per model: they hold every vertex, and most are at
/// most twice as large as the exact ones on average.
#[test]
fn most_moving_roots_are_at_most_twice_the_exact_box_on_average() {
    let (mut dice, mut all, mut tight) = (Dice::new(81, &[]), 0, 0);
    for (place, path) in shared_models(&FOLDERS).iter().enumerate() {
        let clips = skins(path);
        let Some((name, linear)) = clips[place % clips.len()].first() else { continue };
        let Ok(body) = linear.blended_spherically() else { continue };
        let body = Arc::new(body);
        let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
        let pieces = body.pieces_at_rate(30.0).unwrap();
        let moving = MovingBounds::new(tree, body.clone(), &pieces, Level::Corner).unwrap().united(4);
        let own = MovingBounds::new(moving_tree(&body), body.clone(), &pieces, Level::Corner).unwrap();
        let straight = Arc::new(linear.clone());
        let straight = MovingBounds::new(moving_tree(&straight), straight, &pieces, Level::Corner).unwrap();
        let (mut pose, mut places, mut worst, mut sums) = (Pose::default(), Vec::new(), 0.0f64, [0.0; 4]);
        let span = body.driver().span();
        for _ in 0..30 {
            let at = Moment::at(dice.real(span.begin, span.end));
            body.pose(at, &mut pose);
            body.mesh().evaluate_all(&pose, &mut places).unwrap();
            let exact = Aabb::of_points(&places);
            for bounds in [&moving, &own] {
                let found = bounds.node_box(0, at);
                let holds = (0..3).all(|axis| found.min[axis] <= exact.min[axis] && exact.max[axis] <= found.max[axis]);
                assert!(holds, "{name}, {at:?}: {exact:?} is not in {found:?}");
            }
            let found = [&moving, &own, &straight].map(|bounds| sides(&bounds.node_box(0, at)));
            worst = worst.max(found[0] / sides(&exact));
            (0..3).for_each(|i| sums[i] += found[i]);
            sums[3] += sides(&exact);
        }
        let [united, alone, linear] = [0, 1, 2].map(|i| sums[i] / sums[3]);
        let deviation = pieces.largest_deviation();
        println!(
            "{name}: root {alone:.3} times the exact box, linear {linear:.3}; united {united:.3}, at worst {worst:.3}; deviation {:.1e} of it",
            deviation / (sums[3] / 90.0)
        );
        assert!(worst.is_finite() && alone.is_finite() && deviation.is_finite(), "{name}: {worst} {deviation}");
        all += 1;
        tight += usize::from(united <= 2.0);
    }
    println!("{tight} of {all} are at most twice as large");
    assert!(10 * tight >= 9 * all, "{tight} of {all}");
}

/// In every second clip of every model, under `KINETREE_TORTURE` in every one, boxes and deviations are finite.
#[test]
fn no_bound_of_a_model_is_infinite() {
    let every = if torture(1) > 1 { 1 } else { 2 };
    for path in shared_models(&FOLDERS) {
        for (name, linear) in skins(&path).into_iter().filter_map(|clip| clip.into_iter().next()).step_by(every) {
            let Ok(body) = linear.blended_spherically() else { continue };
            let (body, span) = (Arc::new(body), linear.driver().span());
            let pieces = body.pieces_at_rate(30.0).unwrap();
            let deviation = pieces.largest_deviation();
            assert!(deviation.is_finite(), "{name}");
            let moving = MovingBounds::new(moving_tree(&body), body, &pieces, Level::Corner).unwrap();
            for step in 0..20 {
                let at = Moment::at(span.begin + (span.end - span.begin) * f64::from(step) / 20.0);
                let found = moving.node_box(0, at);
                assert!(found.min.iter().chain(&found.max).all(|x| x.is_finite()), "{name}, {at:?}");
            }
        }
    }
}

fn moving_tree(body: &ReducedBody) -> Arc<BoundTree> {
    Arc::new(BoundTree::new(body.mesh(), BoundParams::default()))
}

/// Spheres under spherical blending against those under linear blending, level by level.
#[test]
fn spheres_are_hardly_larger_than_under_linear_blending() {
    for (place, path) in shared_models(&FOLDERS).iter().enumerate() {
        let clips = skins(path);
        let Some((name, linear)) = clips[place % clips.len()].first() else { continue };
        let Ok(body) = linear.blended_spherically() else { continue };
        let params = SphereParams { leaf_size: 1, ..SphereParams::default() };
        let trees = [linear, &body].map(|body| SphereTree::new(body.mesh(), params).unwrap());
        let (span, mut pose) = (body.driver().span(), Pose::default());
        body.pose(Moment::at(0.6 * span.begin + 0.4 * span.end), &mut pose);
        let mut levels: Vec<[f64; 3]> = Vec::new();
        let mut posed = [0, 1].map(|i| PosedSpheres::new(&trees[i], [linear, &body][i].mesh(), &pose).unwrap());
        for node in 0..trees[0].node_count() as u32 {
            let level = trees[0].level(node);
            if levels.len() <= level {
                levels.push([0.0; 3]);
            }
            let radii = [trees[0].rest_sphere(node).radius, posed[0].sphere(node).radius, posed[1].sphere(node).radius];
            (0..3).for_each(|i| levels[level][i] += radii[i]);
        }
        if let Some([_, linear, spherical]) = levels.get(1) {
            let count = (0..trees[0].node_count() as u32).filter(|&node| trees[0].level(node) == 1).count() as f64;
            println!(
                "{name}: level 1, mean radius {:.3} m linear, {:.3} m spherical",
                linear / count,
                spherical / count
            );
            // Of bounds by the corners of joint sets: 0.70.
            assert!(!name.starts_with("makehuman") || linear / count < 0.7, "{name}: {}", linear / count);
        }
        let scale = pose.maps[0].stretch();
        let text: Vec<String> = levels
            .iter()
            .map(|[rest, linear, spherical]| {
                format!("{:.2}/{:.2}", linear / (scale * rest), spherical / (scale * rest))
            })
            .collect();
        println!("{name}: radii by level, linear/spherical: {}", text.join(" "));
        let [_, linear, spherical] = levels.iter().fold([0.0; 3], |sum, own| std::array::from_fn(|i| sum[i] + own[i]));
        assert!(spherical <= 1.3 * linear, "{name}: {spherical} {linear}");
    }
}
