//! How many events there are, counted by somebody who knows no trees: of all vertices below a node,
//! those that have the extreme value at some time are the corners of a convex hull.

use kinetree::bvh::{BuildParams, Topology};
use kinetree::kinetic::event::LoggedEvent;
use kinetree::math::Extent;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion};
use kinetree::scenes::{GeneratedBody, TableclothDef, WalkDef};

use crate::rival::{Body, Kinetic};

/// What was counted of one level of a tree; level 0 are the leaves.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    slots: usize,
    events: usize,
    /// Of these, how many repeat a child's event: its winner was the node's, and so is its new one.
    repeated: usize,
    /// Corners of hulls less one, of slots where no three vertices meet within a rounding.
    passed: usize,
    /// Events of those slots.
    of_those: usize,
}

/// Changes of the greatest of `lines` (values at both ends) from begin to end; `None` where a
/// rounding decides it.
fn changes(lines: &mut Vec<(f64, f64)>) -> Option<usize> {
    // By where they begin, the greatest first; who ends lower too is never the greatest.
    lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    lines.dedup();
    let size = lines.iter().fold(0.0f64, |size, line| size.max(line.0.abs()).max(line.1.abs()));
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for &line in lines.iter() {
        if let Some(last) = hull.last() {
            if line.0 == last.0 || line.1 == last.1 {
                return None;
            }
            if line.1 < last.1 {
                continue;
            }
        }
        while let [.., a, b] = hull[..] {
            // Is b ever above both? a is ahead at the begin, the line at the end.
            let turn = (a.0 - b.0) * (line.1 - b.1) - (b.0 - line.0) * (b.1 - a.1);
            if turn.abs() <= 1e-12 * size * size {
                return None;
            }
            if turn < 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(line);
    }
    Some(hull.len() - 1)
}

/// Counts one interval, given the events of a kinetic tree over it.
fn count(tree: &Topology, ends: [&[[f32; 3]]; 2], events: &[LoggedEvent], levels: &mut Vec<Level>) {
    let nodes = tree.nodes().len();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    let mut heights = vec![0; nodes];
    let mut of_slot = vec![0usize; 6 * nodes];
    let mut times: Vec<Vec<(f64, u32)>> = vec![Vec::new(); 6 * nodes];
    for event in events {
        let slot = event.first as usize;
        of_slot[slot] += 1;
        times[slot].push((event.moment.time(), event.second));
    }
    for node in tree.upward() {
        let children = tree.node(node).children();
        let mut vertices = match children {
            [] => tree.leaf_points(node).to_vec(),
            _ => children.iter().flat_map(|&child| below[child as usize].clone()).collect(),
        };
        vertices.sort_unstable();
        vertices.dedup();
        let height = children.iter().map(|&child| heights[child as usize] + 1).max().unwrap_or(0);
        heights[node as usize] = height;
        if levels.len() <= height {
            levels.resize(height + 1, Level::default());
        }
        let level = &mut levels[height];
        for extent in Extent::ALL {
            let slot = 6 * node as usize + extent.index();
            let sign = if extent.is_max() { 1.0 } else { -1.0 };
            let mut lines = vertices
                .iter()
                .map(|&vertex| {
                    let [a, b] = ends.map(|end| sign * f64::from(end[vertex as usize][extent.axis()]));
                    (a, b)
                })
                .collect();
            level.slots += 1;
            level.events += of_slot[slot];
            let of_child = |&(time, winner): &(f64, u32)| {
                children.iter().any(|&child| times[6 * child as usize + extent.index()].contains(&(time, winner)))
            };
            level.repeated += times[slot].iter().filter(|event| of_child(event)).count();
            if let Some(passed) = changes(&mut lines) {
                level.passed += passed;
                level.of_those += of_slot[slot];
                assert_eq!(of_slot[slot], passed, "node {node} {extent:?}");
            }
        }
        below[node as usize] = vertices;
    }
}

fn follow(name: &str, body: &GeneratedBody, leaf_size: usize, stride: usize) -> (usize, usize) {
    let GeneratedBody::Keyed(clip) = body else { return (0, 0) };
    let mesh = Mesh::new(clip.key(0).len(), clip.triangles.clone()).unwrap();
    let start: Vec<[f64; 3]> = clip.key(0).iter().map(|p| p.map(f64::from)).collect();
    let topology = Topology::build(&mesh, &start, BuildParams { leaf_size, ..BuildParams::default() });
    let (mut levels, mut intervals) = (Vec::new(), 0);
    for interval in (0..clip.key_count() - 1).skip(stride / 2).step_by(stride) {
        let ends = [clip.key(interval), clip.key(interval + 1)];
        let plan = Flightplan::keyframes(vec![0.0, 1.0], ends.concat());
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::VertexMajor).unwrap();
        let body = Body { motion, topology: topology.clone() };
        let mut kinetic = Kinetic::new(&body, 0.0);
        kinetic.advance(1.0);
        count(&topology, ends, &kinetic.events(), &mut levels);
        intervals += 1;
    }
    let per = |count: usize| count as f64 / (intervals * mesh.triangles().len()) as f64;
    let sum = |of: fn(&Level) -> usize| levels.iter().map(of).sum::<usize>();
    println!(
        "{name}, leaves of {leaf_size}: events per triangle and interval {:.3}, {:.3} of them repeat a child's; of slots without near \
         ties {:.3}, by brute force {:.3}; by level {:.3?}",
        per(sum(|level| level.events)),
        per(sum(|level| level.repeated)),
        per(sum(|level| level.of_those)),
        per(sum(|level| level.passed)),
        levels.iter().map(|level| per(level.events)).collect::<Vec<f64>>(),
    );
    (sum(|level| level.events), sum(|level| level.of_those))
}

/// `KINETREE_TORTURE=1` counts scenes of the size that is raced.
#[test]
fn there_are_as_many_events_as_winners_pass() {
    let (cloth, figure) =
        if std::env::var_os("KINETREE_TORTURE").is_some() { (16_000, 32_000) } else { (2_000, 2_000) };
    let table = TableclothDef { triangles: cloth, ..TableclothDef::default() }.generate();
    let walk = WalkDef { triangles: figure, ..WalkDef::default() }.generate();
    let bodies = [("cloth", &table.bodies[0]), ("dress", &walk.bodies[0]), ("body", &walk.bodies[1])];
    for (name, body) in bodies {
        for leaf_size in [1, 8, 16] {
            let (events, compared) = follow(name, body, leaf_size, 6);
            assert!(events > 100 && 10 * compared > 8 * events, "{name}: {compared} of {events} compared");
        }
    }
}
