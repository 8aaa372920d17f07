//! Sphere trees: Kavan's tables 1 and 2, the share of spheres refitted per level, and what a sphere costs.

use std::hint::black_box;
use std::sync::Arc;

use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree, all_touching, any_touching};
use kinetree::reduced::{Blend, Pose, ReducedDef, ReducedMesh};

use super::common::{clock, heading};
use super::models::Skin;
use super::plain::PlainSpheres;
use super::skins::poses;

/// The same skin under spherical blending; its maps are rigid up to rounding.
fn spherical(mesh: &ReducedMesh) -> ReducedMesh {
    // Where joints are at rest: the mean of what they move most.
    let mut sums = vec![([0.0; 3], 0.0); mesh.map_count()];
    for (vertex, place) in mesh.rest_positions().iter().enumerate() {
        for (joint, weight) in mesh.influences().of(vertex as u32) {
            let sum = &mut sums[joint as usize];
            (0..3).for_each(|axis| sum.0[axis] += weight * f64::from(place[axis]));
            sum.1 += weight;
        }
    }
    let joints = sums.iter().map(|(sum, weight)| sum.map(|x| if *weight > 0.0 { x / weight } else { 0.0 })).collect();
    let def = ReducedDef {
        mesh: mesh.mesh().clone(),
        rest: mesh.rest_positions().to_vec(),
        influences: mesh.influences().clone(),
        morphs: Vec::new(),
        blend: Blend::Spherical { joints },
    };
    ReducedMesh::new(def).expect("a skin")
}

fn below(tree: &SphereTree, mesh: &ReducedMesh, node: u32) -> Vec<u32> {
    let (mut stack, mut found) = (vec![node], Vec::new());
    while let Some(node) = stack.pop() {
        tree.triangles(node).iter().for_each(|&t| found.extend(mesh.mesh().triangles()[t as usize]));
        stack.extend(tree.children(node));
    }
    found.sort_unstable();
    found.dedup();
    found
}

pub fn tables(skin: &Skin) {
    let linear: Arc<ReducedMesh> = skin.body.mesh().clone();
    let params = SphereParams { leaf_size: 1, ..SphereParams::default() };
    let poses = poses(&skin.body, 8);
    let spherical = spherical(&linear);
    let bodies = [("linear", &*linear), ("spherical", &spherical)];
    let trees = bodies.map(|(_, mesh)| SphereTree::new(mesh, params).expect("a tree"));
    radii(skin, &bodies.map(|(_, mesh)| mesh), &trees, &poses[5]);
    for ((name, mesh), tree) in bodies.iter().zip(&trees) {
        if PosedSpheres::new(tree, mesh, &poses[0]).is_err() {
            println!("{name}: left out, the joints of the model are scaled");
            continue;
        }
        cost(name, mesh, tree, &poses);
        shares(name, mesh, tree, &poses);
    }
}

/// Table 1: least, mean and largest radius per level, in parts of the body's rest sphere.
fn radii(skin: &Skin, meshes: &[&ReducedMesh; 2], trees: &[SphereTree; 2], pose: &Pose) {
    let tree = &trees[0];
    let levels = (0..tree.node_count() as u32).map(|node| tree.level(node)).max().unwrap_or(0);
    let mut rows = vec![[(f64::INFINITY, 0.0, 0.0f64); 4]; levels + 1];
    let mut counts = vec![0usize; levels + 1];
    let mut all = [Vec::new(), Vec::new()];
    let mut posed: Vec<Option<PosedSpheres<'_>>> =
        (0..2).map(|i| PosedSpheres::new(&trees[i], meshes[i], pose).ok()).collect();
    for i in 0..2 {
        let _ = meshes[i].evaluate_all(pose, &mut all[i]);
    }
    let unit = tree.rest_sphere(0).radius;
    for node in 0..tree.node_count() as u32 {
        let vertices = below(tree, meshes[0], node);
        let which = usize::from(!all[1].is_empty());
        let points: Vec<[f64; 3]> = vertices.iter().map(|&v| all[which][v as usize]).collect();
        let radii = [
            tree.rest_sphere(node).radius,
            posed[0].as_mut().map_or(f64::NAN, |posed| posed.sphere(node).radius),
            posed[1].as_mut().map_or(f64::NAN, |posed| posed.sphere(node).radius),
            kinetree::reduced::sphere_tree::smallest_ball(&points).radius,
        ];
        let level = tree.level(node);
        counts[level] += 1;
        for (row, radius) in rows[level].iter_mut().zip(radii) {
            *row = (row.0.min(radius / unit), row.1 + radius / unit, row.2.max(radius / unit));
        }
    }
    heading(
        &format!(
            "spheres of a skin of {} vertices, radii in parts of the rest sphere's: least mean largest",
            skin.name
        ),
        &[("level", 5), ("spheres", 7), ("at rest", 20), ("linear", 20), ("spherical", 20), ("smallest (posed)", 20)],
    );
    for (level, (row, count)) in rows.iter().zip(&counts).enumerate() {
        let cells: Vec<String> = row
            .iter()
            .map(|(least, sum, most)| format!("{:>20}", format!("{least:.3} {:.3} {most:.3}", sum / *count as f64)))
            .collect();
        println!("{:>5}  {count:>7}  {}", level + 1, cells.join("  "));
    }
    println!(
        "paper, table 1, root (34.55 at rest): linear 2.09, spherical 2.30, smallest 1.00; level 4 mean: 0.107 0.117 0.119 0.107"
    );
}

/// Every sphere of the tree, made once per pose.
fn cost(name: &str, mesh: &ReducedMesh, tree: &SphereTree, poses: &[Pose]) {
    let mut posed = PosedSpheres::new(tree, mesh, &poses[0]).expect("a pose");
    let mut times = Vec::new();
    for round in 0..24 {
        posed.set_pose(&poses[round % poses.len()]).expect("a pose");
        let ((), spent) = clock::time(|| {
            for node in 0..tree.node_count() as u32 {
                black_box(posed.sphere(node));
            }
        });
        times.push(spent / tree.node_count() as f64);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{name}: {:.0} ns per sphere, mean over {} spheres (paper: 1 210 linear, 1 310 spherical, Athlon)",
        times[times.len() / 2],
        tree.node_count()
    );
}

/// Two of the body walking past each other: what share of spheres is refitted, and what a query costs (Kavan, figure 6 and table 2).
fn shares(name: &str, mesh: &ReducedMesh, tree: &SphereTree, poses: &[Pose]) {
    let rest = tree.rest_sphere(0).radius;
    heading(
        &format!(
            "{name}: two walking past each other at a distance (in rest radii): share of spheres refitted per level, percent; query, ms"
        ),
        &[
            ("distance", 8),
            ("pairs", 6),
            ("levels 1-10", 52),
            ("all pairs", 9),
            ("yes/no", 7),
            ("bottom-up", 9),
            ("yes/no", 7),
            ("gain", 6),
            ("yes/no", 7),
        ],
    );
    for distance in [3.0, 0.6, 0.3, 0.05] {
        let levels = 10;
        let (mut made, mut total) = (vec![0usize; levels], vec![0usize; levels]);
        let (mut pairs, mut times) = (0, [const { Vec::new() }; 4]);
        let mut plain = [PlainSpheres::new(mesh, tree), PlainSpheres::new(mesh, tree)];
        for (k, pose) in poses.iter().enumerate() {
            let mut other = poses[(k + 3) % poses.len()].clone();
            other.maps.iter_mut().for_each(|map| map.shift.x += distance * rest);
            let posed = |pose: &Pose| PosedSpheres::new(tree, mesh, pose).expect("a pose");
            let (mut a, mut b) = (posed(pose), posed(&other));
            let mut found = 0;
            let (_, spent) = clock::time(|| all_touching(&mut a, &mut b, |_, _| found += 1).expect("vertices"));
            times[0].push(spent / 1e6);
            pairs += found;
            bottom_up(&mut plain, [pose, &other], found, &mut times);
            for node in 0..tree.node_count() as u32 {
                if tree.level(node) < levels {
                    total[tree.level(node)] += 1;
                    made[tree.level(node)] += usize::from(a.is_made(node));
                }
            }
            let (mut a, mut b) = (posed(pose), posed(&other));
            let (_, spent) = clock::time(|| any_touching(&mut a, &mut b).expect("vertices"));
            times[1].push(spent / 1e6);
        }
        let shares: Vec<String> = made
            .iter()
            .zip(&total)
            .map(|(made, total)| format!("{:.0}", 100.0 * *made as f64 / (*total).max(1) as f64))
            .collect();
        let median = times.map(|mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!(
            "{distance:>8}  {:>6}  {:>52}  {:>9.3}  {:>7.3}  {:>9.3}  {:>7.3}  {:>6.1}  {:>7.1}",
            pairs / poses.len(),
            shares.join(" "),
            median[0],
            median[1],
            median[2],
            median[3],
            median[2] / median[0],
            median[3] / median[1]
        );
    }
    println!(
        "paper, table 2 (Athlon 2.5 GHz): men 0.31 ms on demand against 16.7 bottom-up; creatures 7.47 against 35.2; yes/no 1.44"
    );
}

/// Table 2's bottom-up refit of all spheres, and its query: all pairs, then yes or no, each from the pose. Finds as many pairs.
fn bottom_up(bodies: &mut [PlainSpheres<'_>; 2], poses: [&Pose; 2], expected: usize, times: &mut [Vec<f64>; 4]) {
    for (place, all) in [(2, true), (3, false)] {
        let mut found = 0;
        let ((), spent) = clock::time(|| {
            bodies.iter_mut().zip(poses).for_each(|(body, pose)| body.set_pose(pose));
            bodies[0].touching(&bodies[1], |_, _| {
                found += 1;
                all
            });
        });
        assert_eq!(found, if all { expected } else { expected.min(1) }, "contacts differ");
        times[place].push(spent / 1e6);
    }
}
