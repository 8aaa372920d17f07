//! Two characters under spherical blending beside the same under linear blending: the same poses, contacts of each. Both take turns frame
//! by frame, and processor time of one thread is compared pair by pair.
//!
//! Where linear bodies just touch, spherical ones overlap more, or not at all. So "few" is asked twice: in the same places, and ("own few")
//! with the second body of each blend where bodies of that blend just touch.
//!
//! The last column is the ratio without what the spherical query of the same frame takes far apart. That is the preparation of the joint
//! sets with their rotation centres, which the paper takes as input.

use std::sync::Arc;

use kinetree::narrow::EveryPair;
use kinetree::reduced::Pose;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, PairQuery, PosedBounds};
use kinetree::reduced::{ReducedBody, ReducedMesh};

use super::common::{clock, heading};
use super::models::Skin;
use super::queries::{poses_at, scenes};

/// The second body of a figure that `walks` away is brought to where the first one is, and then moved aside.
pub fn table<'a>(skins: impl Iterator<Item = &'a Skin>, walks: bool) {
    heading(
        "two characters, microseconds per query (median) under linear and spherical blending, and the median ratio of a frame",
        &[
            ("vertices", 12),
            ("sets", 5),
            ("contacts", 8),
            ("pairs", 13),
            ("linear", 9),
            ("spherical", 9),
            ("ratio", 6),
            ("without", 7),
            ("bounded", 11),
            ("blended", 13),
            ("tested", 13),
        ],
    );
    let (mut few, mut few_spherical) = (None, None);
    for skin in skins {
        let Ok(spherical) = skin.body.blended_spherically() else {
            println!("{}: left out, its maps are not rotations times scales", skin.name);
            continue;
        };
        let twin = Skin { name: skin.name.clone(), body: Arc::new(spherical) };
        let all = scenes(skin, &mut few);
        let far = poses_of(skin, all[0].1, &all[0].2);
        for (name, aside, distances) in all {
            // Distances of few contacts were found without.
            if walks && name == "few" {
                continue;
            }
            let mut poses = poses_of(skin, aside, &distances);
            if walks {
                poses.iter_mut().zip(&distances).for_each(|(poses, &distance)| meet(skin, poses, aside, distance));
            }
            measure(skin, &twin.body, name, [&poses, &poses], &far);
            if name == "few" {
                let [_, (_, _, own), ..] = scenes(&twin, &mut few_spherical);
                let own = poses_of(skin, aside, &own);
                measure(skin, &twin.body, "own few", [&poses, &own], &far);
            }
        }
    }
}

fn poses_of(skin: &Skin, aside: usize, distances: &[f64]) -> Vec<[Pose; 2]> {
    distances.iter().enumerate().map(|(frame, &distance)| poses_at(skin, frame, aside, distance)).collect()
}

/// Moves the second body so that the middles of both are a distance apart along an axis.
fn meet(skin: &Skin, poses: &mut [Pose; 2], aside: usize, distance: f64) {
    let middle = |pose: &Pose| {
        let mut places = Vec::new();
        skin.body.mesh().evaluate_all(pose, &mut places).expect("a pose");
        let bounds = kinetree::math::Aabb::of_points(&places);
        [0, 1, 2].map(|axis: usize| 0.5 * (bounds.min[axis] + bounds.max[axis]))
    };
    let [a, b] = [middle(&poses[0]), middle(&poses[1])];
    for map in &mut poses[1].maps {
        (0..3).for_each(|axis| map.shift[axis] += a[axis] - b[axis]);
        map.shift[aside] += distance;
    }
}

/// What queries of one blend did.
struct Side<'a> {
    bodies: [PosedBounds<'a>; 2],
    query: PairQuery,
    times: Vec<f64>,
    /// Pairs in contact, boxes bounded, vertices blended, exact tests.
    counts: [u64; 4],
}

impl<'a> Side<'a> {
    fn new(tree: &'a BoundTree, mesh: &'a ReducedMesh, pose: &Pose) -> Self {
        let body = PosedBounds::new(tree, mesh, Level::Corner, pose).expect("a pose");
        Self { bodies: [body.clone(), body], query: PairQuery::default(), times: Vec::new(), counts: [0; 4] }
    }

    fn ask(&mut self, [pose_a, pose_b]: &[Pose; 2], clock_cost: f64) {
        let [a, b] = &mut self.bodies;
        let mut pairs = 0;
        let ((), spent) = clock::time(|| {
            self.query.touching_in((a, pose_a), (b, pose_b), &EveryPair, &mut |_, _| pairs += 1).expect("good poses");
        });
        self.times.push((spent - clock_cost) / 1e3);
        let stats = self.query.stats();
        let sum = |of: fn(&kinetree::reduced::bounds::Counts) -> u64| stats.bodies.iter().map(of).sum::<u64>();
        let own = [pairs, sum(|counts| counts.bounded), sum(|counts| counts.blended), stats.tests];
        self.counts.iter_mut().zip(own).for_each(|(all, own)| *all += own);
    }
}

/// `far` are the poses of both bodies far apart.
fn measure(skin: &Skin, spherical: &ReducedBody, name: &str, poses: [&[[Pose; 2]]; 2], far: &[[Pose; 2]]) {
    let meshes = [&**skin.body.mesh(), &**spherical.mesh()];
    let trees = meshes.map(|mesh| BoundTree::new(mesh, BoundParams::default()));
    let clock_cost = clock::median(1_001, || ());
    let mut sides = [0, 1].map(|i: usize| Side::new(&trees[i], meshes[i], &poses[i][0][0]));
    let mut apart = Side::new(&trees[1], meshes[1], &far[0][0]);
    for round in 0..ROUNDS {
        for frame in 0..far.len() {
            let first = (round + frame) % 2;
            for side in [first, 1 - first] {
                sides[side].ask(&poses[side][frame], clock_cost);
            }
        }
    }
    for _ in 0..ROUNDS {
        far.iter().for_each(|pose| apart.ask(pose, clock_cost));
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let times = || sides[0].times.iter().zip(&sides[1].times);
    let ratios = times().map(|(linear, spherical)| spherical / linear).collect();
    let without = times().zip(&apart.times).map(|((linear, spherical), apart)| (spherical - apart) / linear).collect();
    let mean = |which: usize| {
        let [linear, spherical] = [0, 1].map(|i: usize| sides[i].counts[which] / (ROUNDS * far.len()) as u64);
        format!("{linear}/{spherical}")
    };
    println!(
        "{:>12}  {:>5}  {name:>8}  {:>13}  {:>9.2}  {:>9.2}  {:>6.2}  {:>7.2}  {:>11}  {:>13}  {:>13}",
        skin.name,
        spherical.mesh().joint_sets().map_or(0, kinetree::reduced::JointSets::count),
        mean(0),
        median(sides[0].times.clone()),
        median(sides[1].times.clone()),
        median(ratios),
        median(without),
        mean(1),
        mean(2),
        mean(3),
    );
}

/// Passes over all frames.
const ROUNDS: usize = 3;
