//! Skins: the root's bound against the exact box, tightness per level, bounds interpolated in time against bounds of every frame.

use std::hint::black_box;
use std::sync::Arc;

use kinetree::bvh::{Hierarchy, Topology};
use kinetree::math::Aabb;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Frame, Level, MovingBounds};
use kinetree::reduced::{Pieces, Pose, ReducedBody};
use kinetree::time::Moment;

use super::common::{clock, heading};
use super::models::Skin;
use super::rivals::Skinner;

/// Poses spread over the motion.
pub fn poses(body: &ReducedBody, count: usize) -> Vec<Pose> {
    let span = body.driver().span();
    (0..count)
        .map(|k| {
            let mut pose = Pose::default();
            let s = (k as f64 + 0.5) / count as f64;
            body.pose(Moment::at(span.begin + (span.end - span.begin) * s), &mut pose);
            pose
        })
        .collect()
}

pub fn half_diagonal(bounds: &Aabb) -> f64 {
    (0..3).map(|axis| (bounds.max[axis] - bounds.min[axis]).powi(2)).sum::<f64>().sqrt() / 2.0
}

/// Exact boxes of all nodes.
pub fn exact_boxes(topology: &Topology, positions: &[[f64; 3]]) -> Vec<Aabb> {
    let mut boxes = vec![Aabb::EMPTY; topology.nodes().len()];
    for node in topology.upward() {
        let mut own = Aabb::of_points(topology.leaf_points(node).iter().map(|&vertex| &positions[vertex as usize]));
        for &child in topology.node(node).children() {
            own = own.union(&boxes[child as usize]);
        }
        boxes[node as usize] = own;
    }
    boxes
}

pub fn levels(topology: &Topology) -> Vec<usize> {
    let mut levels = vec![0; topology.nodes().len()];
    for node in topology.upward().collect::<Vec<_>>().into_iter().rev() {
        if let Some(parent) = topology.node(node).parent() {
            levels[node as usize] = levels[parent as usize] + 1;
        }
    }
    levels
}

pub fn root_bounds(skins: &[Skin]) {
    heading(
        "skins: the root's box, nanoseconds",
        &[
            ("vertices", 9),
            ("joints", 6),
            ("parameters", 10),
            ("corner", 8),
            ("optimum", 8),
            ("exact f32", 10),
            ("exact f64", 10),
            ("f32/ours", 9),
            ("f64/ours", 9),
        ],
    );
    for skin in skins {
        let body = &skin.body;
        let tree = BoundTree::new(body.mesh(), BoundParams::default());
        let poses = poses(body, 16);
        let mut frame = Frame::default();
        let mut skinner = Skinner::new(body.mesh());
        let mut all = Vec::new();
        let mut times = [const { Vec::new() }; 5];
        for round in 0..5 * poses.len() {
            let pose = &poses[round % poses.len()];
            // Each a few times: the clock itself takes as long as a bound.
            times[0].push(
                clock::time(|| (0..64).for_each(|_| frame.set_pose(&tree, black_box(pose)).expect("a pose"))).1 / 64.0,
            );
            for (place, level) in [Level::Corner, Level::Optimum].into_iter().enumerate() {
                times[1 + place].push(
                    clock::time(|| {
                        for _ in 0..64 {
                            black_box(tree.node_box(black_box(0), &frame, level));
                        }
                    })
                    .1 / 64.0,
                );
            }
            skinner.set_pose(pose);
            times[3].push(clock::time(|| black_box(skinner.exact_box())).1);
            times[4].push(
                clock::time(|| {
                    body.mesh().evaluate_all(pose, &mut all).expect("a pose");
                    black_box(Aabb::of_points(&all))
                })
                .1,
            );
        }
        let [parameters, corner, optimum, exact32, exact64] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!(
            "{:>9}  {:>6}  {parameters:>10.0}  {corner:>8.0}  {optimum:>8.0}  {exact32:>10.0}  {exact64:>10.0}  {:>9.0}  {:>9.0}",
            skin.name,
            body.mesh().map_count(),
            exact32 / corner,
            exact64 / corner
        );
    }
}

pub fn tightness(skin: &Skin) {
    let body = &skin.body;
    for (name, splits_by_influence) in [("split by joint first", true), ("not split by joint", false)] {
        let tree = BoundTree::new(body.mesh(), BoundParams { splits_by_influence, ..BoundParams::default() });
        let (topology, poses) = (tree.topology(), poses(body, 8));
        let levels = levels(topology);
        let deepest = levels.iter().max().copied().unwrap_or(0);
        // Per level: of own bounds, and united from 2, 4 and 6 levels below; sums of ratios, largest, count.
        let mut sums = vec![[(0.0f64, 0.0f64); 5]; deepest + 1];
        let mut counts = vec![0usize; deepest + 1];
        let mut all = Vec::new();
        for pose in &poses {
            body.mesh().evaluate_all(pose, &mut all).expect("a pose");
            let exact = exact_boxes(topology, &all);
            let frame = Frame::of_pose(&tree, pose).expect("a pose");
            for node in 0..topology.nodes().len() as u32 {
                let level = levels[node as usize];
                // Enough of the many nodes below.
                if level > 7 && node % 16 != 0 {
                    continue;
                }
                let truth = half_diagonal(&exact[node as usize]);
                let bounds = [
                    tree.node_box(node, &frame, Level::Corner),
                    tree.node_box(node, &frame, Level::Optimum),
                    tree.united_box(node, &frame, Level::Corner, 2),
                    tree.united_box(node, &frame, Level::Corner, 4),
                    tree.united_box(node, &frame, Level::Corner, 6),
                ];
                counts[level] += 1;
                for (sum, bounds) in sums[level].iter_mut().zip(&bounds) {
                    let ratio = half_diagonal(bounds) / truth;
                    *sum = (sum.0 + ratio, sum.1.max(ratio));
                }
            }
        }
        heading(
            &format!(
                "skin of {} vertices, {name}: half diagonal of bound over exact box, mean (largest) per level",
                skin.name
            ),
            &[("level", 5), ("corner", 14), ("optimum", 14), ("united 2", 14), ("united 4", 14), ("united 6", 14)],
        );
        for (level, (sums, count)) in sums.iter().zip(&counts).enumerate().filter(|(_, (_, count))| **count > 0) {
            let cells: Vec<String> = sums
                .iter()
                .map(|(sum, most)| format!("{:>14}", format!("{:.3} ({most:.2})", sum / *count as f64)))
                .collect();
            println!("{level:>5}  {}", cells.join("  "));
        }
    }
}

/// Boxes of all nodes of the upper levels, frame by frame: bounded at every frame, or interpolated between the ends of pieces.
///
/// Both hand out the boxes of all nodes together, into memory that is kept; what is done with them is not timed. The clock is read once per piece: it
/// takes as long as some twenty boxes. "One by one" asks for the same boxes node by node.
pub fn in_time(skin: &Skin) {
    let body = &skin.body;
    let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
    let levels = levels(tree.topology());
    let nodes: Vec<u32> = (0..levels.len() as u32).filter(|&node| levels[node as usize] <= 6).collect();
    heading(
        &format!("skin of {} vertices, {} nodes: boxes in time, nanoseconds per box and frame", skin.name, nodes.len()),
        &[
            ("pieces/s", 8),
            ("l", 4),
            ("direct", 8),
            ("interpolated", 12),
            ("ratio", 6),
            ("again", 6),
            ("one by one: direct", 18),
            ("interpolated", 12),
            ("ratio", 6),
            ("looser by", 9),
            ("deviation", 10),
        ],
    );
    for rate in [30.0, 7.5] {
        let pieces = body.pieces_at_rate(rate).expect("pieces");
        for frames in [1usize, 10, 30] {
            let mut runs = Vec::new();
            for _ in 0..5 {
                runs.push(in_time_run(body, &tree, &nodes, &pieces, frames));
            }
            // The middle one of each.
            let [direct, together, again, direct_each, each, loose] = std::array::from_fn(|place| {
                runs.sort_by(|a: &[f64; 6], b| a[place].total_cmp(&b[place]));
                runs[runs.len() / 2][place]
            });
            println!(
                "{rate:>8}  {frames:>4}  {direct:>8.1}  {together:>12.1}  {:>6.1}  {again:>6.1}  {direct_each:>18.1}  {each:>12.1}  {:>6.1}  {:>8.2}%  {:>7.1} mm",
                direct / together,
                direct_each / each,
                100.0 * loose,
                1000.0 * pieces.largest_deviation()
            );
        }
    }
}

/// Nanoseconds per box and frame: direct, interpolated, interpolated again with all pieces made, both one by one; and what they are looser by.
fn in_time_run(
    body: &Arc<ReducedBody>,
    tree: &Arc<BoundTree>,
    nodes: &[u32],
    pieces: &Pieces,
    frames: usize,
) -> [f64; 6] {
    let new = || MovingBounds::new(tree.clone(), body.clone(), pieces, Level::Corner).expect("bounds");
    let (moving, moving_each) = (new(), new());
    let (mut frame, mut pose) = (Frame::default(), Pose::default());
    let (mut exact, mut interpolated) = (Vec::new(), Vec::new());
    let (mut spent, mut loose) = ([0.0; 5], [0.0; 2]);
    for two in pieces.times().windows(2) {
        let times: Vec<Moment> = (0..frames)
            .map(|step| Moment::at(two[0] + (two[1] - two[0]) * ((step as f64 + 0.5) / frames as f64)))
            .collect();
        // Both are charged with their poses.
        let mut set_pose = |at: Moment, frame: &mut Frame| {
            body.pose(at, &mut pose);
            frame.set_pose(tree, &pose).expect("a pose");
        };
        spent[0] += clock::time(|| {
            for &at in &times {
                set_pose(at, &mut frame);
                tree.node_boxes(nodes, &frame, Level::Corner, &mut exact);
                black_box(&exact);
            }
        })
        .1;
        for again in [1, 2] {
            spent[again] += clock::time(|| {
                for &at in &times {
                    moving.node_boxes(nodes, at, &mut interpolated);
                    black_box(&interpolated);
                }
            })
            .1;
        }
        for (sum, boxes) in loose.iter_mut().zip([&exact, &interpolated]) {
            *sum += boxes.iter().map(half_diagonal).sum::<f64>();
        }
        spent[3] += clock::time(|| {
            for &at in &times {
                set_pose(at, &mut frame);
                exact.clear();
                exact.extend(nodes.iter().map(|&node| tree.node_box(node, &frame, Level::Corner)));
                black_box(&exact);
            }
        })
        .1;
        spent[4] += clock::time(|| {
            for &at in &times {
                interpolated.clear();
                interpolated.extend(nodes.iter().map(|&node| moving_each.node_box(node, at)));
                black_box(&interpolated);
            }
        })
        .1;
    }
    let [direct, together, again, direct_each, each] =
        spent.map(|spent| spent / (pieces.count() * frames * nodes.len()) as f64);
    [direct, together, again, direct_each, each, loose[1] / loose[0] - 1.0]
}
