//! Whole queries of two characters, pose after pose, against refitted trees with leaves of sixteen, skinning charged; poses are given to both.

use kinetree::bvh::{BuildParams, Builder, Width};
use kinetree::narrow::EveryPair;
use kinetree::reduced::Pose;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, PairQuery, PosedBounds, Way};
use kinetree::time::Moment;

use super::common::{clock, heading};
use super::models::Skin;
use super::rivals::{Refitted, touching};
use super::skins::half_diagonal;

pub fn table<'a>(skins: impl Iterator<Item = &'a Skin>) {
    heading(
        "two characters, microseconds per query (median); the rival skins in f32 and refits trees with leaves of 16",
        &[
            ("vertices", 8),
            ("contacts", 8),
            ("pairs", 7),
            ("refit", 8),
            ("ours", 8),
            ("ratio", 7),
            ("fewest", 7),
            ("most", 7),
            ("bounded", 8),
            ("blended", 8),
            ("tested", 8),
            ("evaluated", 9),
            ("whole", 5),
        ],
    );
    // Distances of the smallest skin serve all: finer ones have the same surface, and more pairs.
    let mut few: Option<Vec<f64>> = None;
    for skin in skins {
        let tree = BoundTree::new(skin.body.mesh(), BoundParams::default());
        for (name, aside, distances) in scenes(skin, &mut few) {
            measure(skin, &tree, name, aside, &distances);
        }
    }
}

/// Names of scenes, the axis along which the second body is moved, and its distances per frame. Where few touch is found once.
pub fn scenes(skin: &Skin, few: &mut Option<Vec<f64>>) -> [(&'static str, usize, Vec<f64>); 5] {
    let mesh = skin.body.mesh();
    let tree = BoundTree::new(mesh, BoundParams::default());
    let mut pose = Pose::default();
    let span = skin.body.driver().span();
    skin.body.pose(Moment::at(span.begin), &mut pose);
    let mut all = Vec::new();
    mesh.evaluate_all(&pose, &mut all).expect("a pose");
    let bounds = kinetree::math::Aabb::of_points(&all);
    // Along the widest horizontal side they pass each other.
    let axis = (0..3)
        .max_by(|&a, &b| (bounds.max[a] - bounds.min[a]).total_cmp(&(bounds.max[b] - bounds.min[b])))
        .unwrap_or(0);
    let aside = (0..3)
        .filter(|&other| other != axis)
        .min_by(|&a, &b| (bounds.max[a] - bounds.min[a]).total_cmp(&(bounds.max[b] - bounds.min[b])))
        .unwrap_or(0);
    let width = bounds.max[aside] - bounds.min[aside];
    let size = half_diagonal(&bounds);
    let few = few.get_or_insert_with(|| touching_just(skin, &tree, aside, width));
    [
        ("none", aside, vec![4.0 * size; FRAMES]),
        ("few", aside, few.clone()),
        ("some", aside, vec![0.62 * width; FRAMES]),
        ("more", aside, vec![0.35 * width; FRAMES]),
        ("many", aside, vec![0.02 * width; FRAMES]),
    ]
}

const FRAMES: usize = 48;

/// Pairs of triangles that touch at least where few do.
const FEW: usize = 12;

/// The poses of both in a frame; the second is seventeen frames ahead and moved aside.
pub fn poses_at(skin: &Skin, frame: usize, axis: usize, distance: f64) -> [Pose; 2] {
    let span = skin.body.driver().span();
    [0, 17].map(|ahead| {
        let mut pose = Pose::default();
        let s = ((frame + ahead) % FRAMES) as f64 / FRAMES as f64;
        skin.body.pose(Moment::at(span.begin + (span.end - span.begin) * s), &mut pose);
        if ahead > 0 {
            pose.maps.iter_mut().for_each(|map| map.shift[axis] += distance);
        }
        pose
    })
}

/// Per frame, the largest distance at which a hand or a foot just touches: about so far that [`FEW`] pairs do.
fn touching_just(skin: &Skin, tree: &BoundTree, axis: usize, width: f64) -> Vec<f64> {
    let pairs = |frame: usize, distance: f64| {
        let [pose_a, pose_b] = poses_at(skin, frame, axis, distance);
        let mut a = PosedBounds::new(tree, skin.body.mesh(), Level::Corner, &pose_a).expect("a pose");
        let mut b = PosedBounds::new(tree, skin.body.mesh(), Level::Corner, &pose_b).expect("a pose");
        let mut count = 0;
        PairQuery::default().touching(&mut a, &mut b, &EveryPair, &mut |_, _| count += 1).expect("vertices");
        count
    };
    let distance = |frame: usize| {
        let (mut near, mut far) = (0.3 * width, 1.3 * width);
        for _ in 0..14 {
            let middle = 0.5 * (near + far);
            *(if pairs(frame, middle) >= FEW { &mut near } else { &mut far }) = middle;
        }
        near
    };
    (0..FRAMES).map(distance).collect()
}

fn measure(skin: &Skin, tree: &BoundTree, name: &str, axis: usize, distances: &[f64]) {
    let mesh = skin.body.mesh();
    let poses: Vec<[Pose; 2]> =
        distances.iter().enumerate().map(|(frame, &distance)| poses_at(skin, frame, axis, distance)).collect();
    // What the clock itself takes is taken off.
    let clock_cost = clock::median(1_001, || ());
    let params = BuildParams { builder: Builder::MedianSplit, leaf_size: 16, width: Width::Two };
    let (mut rival_a, mut rival_b) = (Refitted::new(mesh, params), Refitted::new(mesh, params));
    let mut a = PosedBounds::new(tree, mesh, Level::Corner, &poses[0][0]).expect("a pose");
    // Both are of one model: what does not depend on the pose is there once.
    let mut b = a.clone();
    let mut query = PairQuery::default();
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    let (mut pairs, mut fewest, mut most, mut counts, mut tests, mut whole) = (0, usize::MAX, 0, [0; 3], 0, 0);
    for [pose_a, pose_b] in &poses {
        let mut found = Vec::new();
        let ((), spent) = clock::time(|| {
            rival_a.set_pose(pose_a);
            rival_b.set_pose(pose_b);
            touching(&mut rival_a, pose_a, &mut rival_b, pose_b, &mut found);
        });
        theirs.push((spent - clock_cost) / 1e3);
        let mut own = Vec::new();
        let ((), spent) = clock::time(|| {
            let found = &mut |p, q| own.push((p, q));
            query.touching_in((&mut a, pose_a), (&mut b, pose_b), &EveryPair, found).expect("good poses");
        });
        ours.push((spent - clock_cost) / 1e3);
        found.sort_unstable();
        own.sort_unstable();
        assert_eq!(found, own, "contacts differ");
        pairs += own.len();
        (fewest, most) = (fewest.min(own.len()), most.max(own.len()));
        for body in query.stats().bodies {
            for (sum, count) in counts.iter_mut().zip([body.bounded, body.blended, body.evaluated]) {
                *sum += count;
            }
        }
        tests += query.stats().tests;
        whole += usize::from(query.stats().way == Way::Whole);
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let (theirs, ours) = (median(&mut theirs), median(&mut ours));
    let [bounded, blended, evaluated] = counts.map(|count| count / FRAMES as u64);
    println!(
        "{:>8}  {name:>8}  {:>7}  {theirs:>8.1}  {ours:>8.2}  {:>7.2}  {fewest:>7}  {most:>7}  {bounded:>8}  {blended:>8}  {:>8}  {evaluated:>9}  \
         {whole:>5}",
        skin.name,
        pairs / FRAMES,
        theirs / ours,
        tests / FRAMES as u64,
    );
}
