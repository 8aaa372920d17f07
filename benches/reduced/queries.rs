//! Whole queries of two characters, pose after pose, against refitted trees with leaves of sixteen, skinning charged; poses are given to both.

use kinetree::kds::{BuildParams, Builder, Width};
use kinetree::narrow::EveryPair;
use kinetree::reduced::Pose;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, PairQuery, PosedBounds, Way};
use kinetree::time::Moment;

use super::common::{clock, heading};
use super::models::Skin;
use super::rivals::{Refitted, touching};
use super::skins::half_diagonal;

pub fn table(skins: &[Skin]) {
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
    for skin in skins {
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
        if std::env::var("SCAN").is_ok() {
            for step in 60..120 {
                measure(skin, &tree, &format!("{step}"), aside, step as f64 * 0.01 * width);
            }
        }
        let scenes = [
            ("none", 4.0 * size),
            ("few", 0.84 * width),
            ("some", 0.62 * width),
            ("more", 0.35 * width),
            ("many", 0.02 * width),
        ];
        for (name, distance) in scenes {
            measure(skin, &tree, name, aside, distance);
        }
    }
}

fn measure(skin: &Skin, tree: &BoundTree, name: &str, axis: usize, distance: f64) {
    let mesh = skin.body.mesh();
    let span = skin.body.driver().span();
    let frames = 48;
    let pose_at = |frame: usize, moved: bool| {
        let mut pose = Pose::default();
        let s = ((frame + if moved { 17 } else { 0 }) % frames) as f64 / frames as f64;
        skin.body.pose(Moment::at(span.begin + (span.end - span.begin) * s), &mut pose);
        if moved {
            pose.maps.iter_mut().for_each(|map| map.shift[axis] += distance);
        }
        pose
    };
    let poses: Vec<[Pose; 2]> = (0..frames).map(|frame| [pose_at(frame, false), pose_at(frame, true)]).collect();
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
        theirs.push(spent / 1e3);
        let mut own = Vec::new();
        let ((), spent) = clock::time(|| {
            let found = &mut |p, q| own.push((p, q));
            query.touching_in((&mut a, pose_a), (&mut b, pose_b), &EveryPair, found).expect("good poses");
        });
        ours.push(spent / 1e3);
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
    let [bounded, blended, evaluated] = counts.map(|count| count / frames as u64);
    println!(
        "{:>8}  {name:>8}  {:>7}  {theirs:>8.1}  {ours:>8.2}  {:>7.2}  {fewest:>7}  {most:>7}  {bounded:>8}  {blended:>8}  {:>8}  {evaluated:>9}  \
         {whole:>5}",
        skin.name,
        pairs / frames,
        theirs / ours,
        tests / frames as u64,
    );
}
