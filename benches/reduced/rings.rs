//! Rings of six bodies and a shoal of twenty-four, generated: Steinemann's tables 3 and 4 and his fishes. All bodies move and deform; all pairs of
//! triangles in contact are found, by bounds from nodes, by skinning and refitting, and by skinning and spatial hashing.

use kinetree::bvh::{BuildParams, Builder, Width};
use kinetree::math::Aabb;
use kinetree::narrow::EveryPair;
use kinetree::oracle::Shape;
use kinetree::reduced::Pose;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, PairQuery, PosedBounds};

use super::balls::{Ball, ball, ring};
use super::common::{clock, heading};
use super::plain::PlainBoxes;
use super::rivals::{Refitted, touching};

#[path = "../common/grid.rs"]
mod grid;

use grid::{Grid, touching_by_grid};

/// The paper's totals in milliseconds: bottom-up refit, spatial hashing, theirs (boxes in both states).
type Paper = [f64; 3];

pub struct Scene {
    name: &'static str,
    pub vertices: usize,
    pub nodes: usize,
    /// Where the bodies are, in radii.
    places: Vec<[f64; 3]>,
    paper: Paper,
}

fn shoal(distance: f64) -> Vec<[f64; 3]> {
    (0..24).map(|body| [body % 4, body / 4 % 3, body / 12].map(|step| distance * f64::from(step))).collect()
}

pub fn table() {
    heading(
        "rings of six and a shoal of 24, milliseconds per frame (median); plain: one triangle in each leaf, f64; paper: a Pentium 4",
        &[
            ("scene", 11),
            ("vertices", 8),
            ("nodes", 5),
            ("pairs", 7),
            ("plain refit", 11),
            ("query", 8),
            ("refit", 8),
            ("query", 8),
            ("load", 8),
            ("query", 8),
            ("ours", 8),
            ("query", 8),
            ("gain: plain", 11),
            ("today", 6),
            ("paper: refit", 12),
            ("hash", 7),
            ("ours", 6),
            ("gain", 6),
            ("boxes: plain", 12),
            ("ours", 7),
            ("vertices: plain", 15),
            ("ours", 7),
        ],
    );
    scenes().iter().for_each(measure);
}

/// The paper's scenes 1 to 8, and its fishes.
pub fn scenes() -> Vec<Scene> {
    let (few, many) = (2.1, 1.85);
    let scenes = [
        ("ring, few", 2_900, 115, ring(few), [39.3, 70.0, 7.55]),
        ("ring, few", 2_900, 550, ring(few), [39.3, 70.0, 7.97]),
        ("ring, few", 45_000, 115, ring(few), [581.6, 1744.1, 21.1]),
        ("ring, few", 45_000, 550, ring(few), [581.6, 1744.1, 24.5]),
        ("ring, many", 2_900, 115, ring(many), [40.4, 73.2, 13.4]),
        ("ring, many", 2_900, 550, ring(many), [40.4, 73.2, 12.5]),
        ("ring, many", 45_000, 115, ring(many), [578.6, 1914.7, 31.4]),
        ("ring, many", 45_000, 550, ring(many), [578.6, 1914.7, 37.5]),
        ("shoal", 8_000, 96, shoal(2.2), [418.3, f64::NAN, 31.6]),
    ];
    scenes.map(|(name, vertices, nodes, places, paper)| Scene { name, vertices, nodes, places, paper }).into()
}

/// The poses of a scene's bodies in a frame.
pub fn poses(ball: &Ball, scene: &Scene, frame: usize) -> Vec<Pose> {
    scene.places.iter().enumerate().map(|(body, &place)| ball.placed(place, body, frame)).collect()
}

fn measure(scene: &Scene) {
    let ball = ball(scene.vertices, scene.nodes);
    let mesh = &ball.mesh;
    let bodies = scene.places.len();
    let pairs: Vec<(usize, usize)> = (0..bodies).flat_map(|a| (a + 1..bodies).map(move |b| (a, b))).collect();
    let tree = BoundTree::new(mesh, BoundParams::default());
    let first = poses(&ball, scene, 0);
    let params = BuildParams { builder: Builder::MedianSplit, leaf_size: 16, width: Width::Two };
    let mut refitted: Vec<Refitted<'_>> = (0..bodies).map(|_| Refitted::new(mesh, params)).collect();
    let mut grids: Vec<Grid> = (0..bodies).map(|_| Grid::default()).collect();
    let mut positions: Vec<Vec<[f64; 3]>> = vec![Vec::new(); bodies];
    let mut posed: Vec<PosedBounds<'_>> =
        first.iter().map(|pose| PosedBounds::new(&tree, mesh, Level::Corner, pose).expect("a pose")).collect();
    let mut queries: Vec<PairQuery> = pairs.iter().map(|_| PairQuery::default()).collect();
    let mut plain: Vec<PlainBoxes<'_>> = (0..bodies).map(|_| PlainBoxes::new(mesh)).collect();
    let mut times = [const { Vec::new() }; 8];
    let frames = 12;
    let (mut contacts, mut boxes, mut vertices) = (0, 0, 0);
    for frame in 0..frames {
        let poses = poses(&ball, scene, frame);
        let mut found = [const { Vec::new() }; 4];
        // As the papers': all vertices in f64, one triangle in each leaf.
        let ((), spent) = clock::time(|| plain.iter_mut().zip(&poses).for_each(|(body, pose)| body.set_pose(pose)));
        times[6].push(spent / 1e6);
        let ((), spent) = clock::time(|| {
            for &(a, b) in &pairs {
                let mut own = Vec::new();
                plain[a].touching(&plain[b], &mut own);
                found[3].extend(own.into_iter().map(|(p, q)| (a, b, p, q)));
            }
        });
        times[7].push(spent / 1e6);
        // Bottom-up: skin in f32, refit, traverse.
        let ((), spent) = clock::time(|| refitted.iter_mut().zip(&poses).for_each(|(body, pose)| body.set_pose(pose)));
        times[0].push(spent / 1e6);
        let ((), spent) = clock::time(|| {
            for &(a, b) in &pairs {
                let (left, right) = refitted.split_at_mut(b);
                let mut own = Vec::new();
                touching(&mut left[a], &poses[a], &mut right[0], &poses[b], &mut own);
                found[0].extend(own.into_iter().map(|(p, q)| (a, b, p, q)));
            }
        });
        times[1].push(spent / 1e6);
        // Hashing: positions of all vertices, then cells.
        let ((), spent) = clock::time(|| {
            for body in 0..bodies {
                mesh.evaluate_all(&poses[body], &mut positions[body]).expect("vertices");
                grids[body].fill(mesh.mesh().triangles(), &positions[body], 0.0);
            }
        });
        times[2].push(spent / 1e6);
        let ((), spent) = clock::time(|| {
            let bounds: Vec<Aabb> = positions.iter().map(Aabb::of_points).collect();
            for &(a, b) in pairs.iter().filter(|&&(a, b)| bounds[a].overlaps(&bounds[b])) {
                let shape = |body: usize| Shape { triangles: mesh.mesh().triangles(), positions: &positions[body] };
                touching_by_grid(&grids[a], shape(a), shape(b), &EveryPair, &mut |p, q| found[1].push((a, b, p, q)));
            }
        });
        times[3].push(spent / 1e6);
        // Bounds from nodes, on demand.
        let ((), spent) = clock::time(|| {
            for (body, pose) in posed.iter_mut().zip(&poses) {
                body.set_pose(pose).expect("a pose");
            }
        });
        times[4].push(spent / 1e6);
        let ((), spent) = clock::time(|| {
            for (&(a, b), query) in pairs.iter().zip(&mut queries) {
                let (left, right) = posed.split_at_mut(b);
                let found = &mut |p, q| found[2].push((a, b, p, q));
                query.touching(&mut left[a], &mut right[0], &EveryPair, found).expect("vertices");
            }
        });
        times[5].push(spent / 1e6);
        found.iter_mut().for_each(|pairs| pairs.sort_unstable());
        assert!(found.windows(2).all(|two| two[0] == two[1]), "contacts differ");
        contacts += found[2].len();
        for body in &posed {
            let counts = body.counts();
            boxes += counts.bounded;
            vertices += counts.blended + counts.evaluated;
        }
    }
    let [refit, query, load, hashed, bound, asked, plain_refit, plain_query] = times.map(|mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let [paper_refit, paper_hash, paper_ours] = scene.paper;
    println!(
        "{:>11}  {:>8}  {:>5}  {:>7}  {plain_refit:>11.2}  {plain_query:>8.2}  {refit:>8.2}  {query:>8.2}  {load:>8.2}  {hashed:>8.2}  {bound:>8.2}  \
         {asked:>8.2}  {:>11.1}  {:>6.1}  \
         {paper_refit:>12.1}  {paper_hash:>7.1}  {paper_ours:>6.1}  {:>6.1}  {:>12}  {:>7}  {:>15}  {:>7}",
        scene.name,
        mesh.vertex_count(),
        ball.nodes.len(),
        contacts / frames,
        (plain_refit + plain_query) / (bound + asked),
        (refit + query) / (bound + asked),
        paper_refit / paper_ours,
        bodies * plain[0].boxes(),
        boxes / frames as u64,
        bodies * mesh.vertex_count(),
        vertices / frames as u64
    );
}
