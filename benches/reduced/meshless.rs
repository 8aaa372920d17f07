//! Meshless bodies: Steinemann's figure 5 and table 1, on a furrowed ball.

use std::hint::black_box;

use kinetree::reduced::Pose;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Frame, Level};
use nalgebra::Vector3;

use super::balls::{Ball, ball};
use super::common::{clock, heading};
use super::rivals::Skinner;
use super::skins::{exact_boxes, half_diagonal, levels};

/// The paper's nodes, its time for the root in microseconds at 30 k vertices, and for the optimal
/// box.
const PAPER: [(usize, f64, f64); 3] = [(65, 18.0, 17.2e3), (225, 48.0, 17.2e3), (509, 100.0, 17.2e3)];

/// Spheres accumulated over the degrees of freedom of the nodes, as BD-trees have them (James and
/// Pai 2004; Adams et al. 2005): radii at a node of the tree. The centre moves with the mean
/// weights, the radius grows by what weights differ from the mean.
fn accumulated_radius(ball: &Ball, vertices: &[u32], pose: &Pose) -> f64 {
    let mesh = &ball.mesh;
    let place = |vertex: u32| Vector3::from(mesh.rest_positions()[vertex as usize].map(f64::from));
    let centre: Vector3<f64> = vertices.iter().map(|&v| place(v)).sum::<Vector3<f64>>() / vertices.len() as f64;
    let mut radius = vertices.iter().map(|&v| (place(v) - centre).norm()).fold(0.0, f64::max);
    // Per node: mean of the weight and of weight × offset, then the largest deviation from them.
    let mut means = std::collections::BTreeMap::<u32, (f64, Vector3<f64>)>::new();
    for &v in vertices {
        for (node, weight) in mesh.influences().of(v) {
            let mean = means.entry(node).or_insert((0.0, Vector3::zeros()));
            mean.0 += weight / vertices.len() as f64;
            mean.1 += (place(v) - Vector3::from(ball.nodes[node as usize])) * (weight / vertices.len() as f64);
        }
    }
    let mut off = std::collections::BTreeMap::<u32, (f64, f64, usize)>::new();
    for &v in vertices {
        for (node, weight) in mesh.influences().of(v) {
            let mean = &means[&node];
            let moment = (place(v) - Vector3::from(ball.nodes[node as usize])) * weight;
            let own = off.entry(node).or_insert((0.0, 0.0, 0));
            *own = (own.0.max((weight - mean.0).abs()), own.1.max((moment - mean.1).norm()), own.2 + 1);
        }
    }
    for (node, (weight, moment, count)) in off {
        // Vertices that a node does not move differ from the mean by all of it.
        let mean = &means[&node];
        let (weight, moment) =
            if count < vertices.len() { (weight.max(mean.0), moment.max(mean.1.norm())) } else { (weight, moment) };
        let map = &pose.maps[node as usize];
        let displacement =
            (map.apply(&Vector3::from(ball.nodes[node as usize])) - Vector3::from(ball.nodes[node as usize])).norm();
        let gradient = map.linear - nalgebra::Matrix3::identity();
        radius += weight * displacement + moment * gradient.norm();
    }
    radius
}

/// The roots' bounds, and the tightness of all if it is wanted.
pub fn tables(with_tightness: bool) {
    heading(
        "meshless, root box (paper: table 1, microseconds of a Pentium 4)",
        &[
            ("vertices", 8),
            ("nodes", 5),
            ("per vertex", 10),
            ("corner us", 9),
            ("optimum us", 10),
            ("exact f32 us", 12),
            ("ratio corner", 12),
            ("ratio optimum", 13),
            ("paper us", 8),
            ("paper ratio", 11),
        ],
    );
    let mut kept = Vec::new();
    for vertices in [3_500, 30_000, 145_000] {
        for (wanted, paper, optimal) in PAPER {
            let ball = ball(vertices, wanted);
            let tree = BoundTree::new(&ball.mesh, BoundParams { splits_by_influence: false, ..BoundParams::default() });
            let mut skinner = Skinner::new(&ball.mesh);
            let mut times = [const { Vec::new() }; 3];
            for _ in 0..3 {
                for pose in &ball.poses {
                    let frame = Frame::of_pose(&tree, pose).expect("a pose");
                    for (place, level) in [Level::Corner, Level::Optimum].into_iter().enumerate() {
                        times[place].push(
                            clock::time(|| {
                                // The clock itself takes as long as a bound, as for skins.
                                for _ in 0..64 {
                                    black_box(tree.node_box(black_box(0), &frame, level));
                                }
                            })
                            .1 / 64e3,
                        );
                    }
                    skinner.set_pose(pose);
                    times[2].push(clock::time(|| black_box(skinner.exact_box())).1 / 1e3);
                }
            }
            let [corner, optimum, exact] = times.map(|mut times| {
                times.sort_by(f64::total_cmp);
                times[times.len() / 2]
            });
            let weights: usize = (0..ball.mesh.vertex_count() as u32).map(|v| ball.mesh.influences().of(v).len()).sum();
            println!(
                "{:>8}  {:>5}  {:>10.1}  {corner:>9.3}  {optimum:>10.2}  {exact:>12.0}  {:>12.0}  {:>13.0}  {paper:>8}  {:>11.0}",
                ball.mesh.vertex_count(),
                ball.nodes.len(),
                weights as f64 / ball.mesh.vertex_count() as f64,
                exact / corner,
                exact / optimum,
                optimal / paper
            );
            if vertices == 30_000 && wanted != 225 {
                kept.push((ball, tree));
            }
        }
    }
    for (ball, tree) in kept.iter().filter(|_| with_tightness) {
        tightness(ball, tree);
    }
}

/// Figure 5: half diagonals over those of the exact boxes, level by level.
fn tightness(ball: &Ball, tree: &BoundTree) {
    let topology = tree.topology();
    let levels = levels(topology);
    let deepest = levels.iter().max().copied().unwrap_or(0);
    let mut sums = vec![[(0.0f64, 0.0f64); 5]; deepest + 1];
    let mut counts = vec![0usize; deepest + 1];
    let mut all = Vec::new();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); topology.nodes().len()];
    for node in topology.upward() {
        let mut own = topology.leaf_points(node).to_vec();
        topology.node(node).children().iter().for_each(|&child| own.extend_from_slice(&below[child as usize]));
        own.sort_unstable();
        own.dedup();
        below[node as usize] = own;
    }
    for pose in &ball.poses {
        ball.mesh.evaluate_all(pose, &mut all).expect("a pose");
        let exact = exact_boxes(topology, &all);
        let frame = Frame::of_pose(tree, pose).expect("a pose");
        for node in 0..topology.nodes().len() as u32 {
            let level = levels[node as usize];
            if level > 5 && node % 16 != 0 {
                continue;
            }
            let truth = half_diagonal(&exact[node as usize]);
            let ratios = [
                half_diagonal(&tree.node_box(node, &frame, Level::Corner)) / truth,
                half_diagonal(&tree.node_box(node, &frame, Level::Optimum)) / truth,
                half_diagonal(&tree.united_box(node, &frame, Level::Optimum, 4)) / truth,
                half_diagonal(&tree.united_box(node, &frame, Level::Optimum, 6)) / truth,
                accumulated_radius(ball, &below[node as usize], pose) / truth,
            ];
            counts[level] += 1;
            for (sum, ratio) in sums[level].iter_mut().zip(ratios) {
                *sum = (sum.0 + ratio, sum.1.max(ratio));
            }
        }
    }
    heading(
        &format!(
            "meshless, {} vertices, {} nodes: half diagonal (radius) over the exact box's, mean (largest)",
            ball.mesh.vertex_count(),
            ball.nodes.len()
        ),
        &[("level", 5), ("corner", 14), ("optimum", 14), ("united 4", 14), ("united 6", 14), ("accumulated", 16)],
    );
    for (level, (sums, count)) in sums.iter().zip(&counts).enumerate().filter(|(_, (_, count))| **count > 0) {
        let cells: Vec<String> = sums
            .iter()
            .map(|(sum, most)| format!("{:>14}", format!("{:.3} ({most:.2})", sum / *count as f64)))
            .collect();
        println!("{:>5}  {}", level + 1, cells.join("  "));
    }
}
