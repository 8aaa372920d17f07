//! Clips of edited trees, and motions and trees that cannot be baked.

use std::sync::Arc;

use kinetree::baked::{BakeError, BakeFormat, BakedClip, BakedTree};
use kinetree::bvh::{BuildParams, Hierarchy, Topology, Width};
use kinetree::interval::IntervalError;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion, VertexFlightplan};
use kinetree::time::{Moment, Span};

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::rival::{brute_boxes, positions};
use crate::window::smooth;

fn triangle() -> Topology {
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    Topology::build(&mesh, &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], BuildParams::default())
}

fn baked(topology: Topology, motion: &Motion) -> Result<BakedClip, BakeError> {
    BakedClip::bake(topology, motion, Span { begin: 0.0, end: 1.0 }, BakeFormat::Stamped, 0)
}

#[test]
fn plans_of_single_vertices_are_refused() {
    let plan = Flightplan::fixed(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let mut motion = Motion::new(plan, 3, KeyLayout::VertexMajor).unwrap();
    assert!(baked(triangle(), &motion).is_ok());
    let plan = VertexFlightplan::Velocity { from: None, velocity: [1.0; 3] };
    motion.set_vertex_plans(&[(0, plan)], Moment::at(0.0)).unwrap();
    assert_eq!(baked(triangle(), &motion), Err(BakeError::Interval(IntervalError::NotLinear)));
}

#[test]
fn curves_are_refused() {
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let plan = Flightplan::ballistic(0.0, positions, vec![[1.0; 3]; 3], [0.0, -9.8, 0.0]);
    let motion = Motion::new(plan, 3, KeyLayout::VertexMajor).unwrap();
    assert_eq!(baked(triangle(), &motion), Err(BakeError::Interval(IntervalError::NotLinear)));
}

#[test]
fn loops_are_baked_within_one_round_only() {
    let places = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let keys = [places, places.map(|p| p.map(|x| x + 1.0)), places].concat();
    let plan = Flightplan::keyframes(vec![1.0, 2.0, 4.0], keys).outside(kinetree::motion::Outside::Loop);
    let motion = Motion::new(plan, 3, KeyLayout::VertexMajor).unwrap();
    let over = |begin, end| {
        let span = Span { begin, end };
        BakedClip::bake(triangle(), &motion, span, BakeFormat::Stamped, 0).map(|clip| clip.end())
    };
    assert_eq!(over(1.0, 4.0), Ok(4.0));
    assert_eq!(over(1.5, 3.5), Ok(3.5));
    assert_eq!(over(1.0, 4.5), Err(BakeError::Jump { time: 4.0 }));
    assert_eq!(over(4.5, 6.5), Ok(6.5));
    assert!(matches!(over(0.0, 0.5), Err(BakeError::Interval(IntervalError::BeforeLoop { .. }))));
}

/// The keys of a late round fall on one time: what they do between is a jump.
#[test]
fn keys_closer_than_the_resolution_of_time_are_a_jump() {
    let places = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let keys = [places, places.map(|p| p.map(|x| x + 1.0)), places.map(|p| p.map(|x| x + 2.0)), places].concat();
    let step = 1.0 / (1_u64 << 40) as f64;
    let plan = Flightplan::keyframes(vec![0.0, 0.5, 0.5 + step, 1.0], keys).outside(kinetree::motion::Outside::Loop);
    let motion = Motion::new(plan, 3, KeyLayout::VertexMajor).unwrap();
    let begin = f64::from(1 << 20);
    let span = Span { begin: begin + 0.25, end: begin + 0.75 };
    let clip = BakedClip::bake(triangle(), &motion, span, BakeFormat::Stamped, 0);
    assert_eq!(clip.map(|clip| clip.end()), Err(BakeError::Jump { time: begin + 0.5 }));
}

#[test]
fn wide_trees_are_refused() {
    let positions: Vec<[f32; 3]> = (0..12).map(|vertex| [(vertex / 3) as f32, (vertex % 3) as f32, 0.0]).collect();
    let mesh = Mesh::new(12, (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let wide: Vec<[f64; 3]> = positions.iter().map(|p| p.map(f64::from)).collect();
    let params = BuildParams { leaf_size: 1, width: Width::Four, ..BuildParams::default() };
    let topology = Topology::build(&mesh, &wide, params);
    let motion = Motion::new(Flightplan::fixed(positions), 12, KeyLayout::VertexMajor).unwrap();
    assert_eq!(baked(topology, &motion), Err(BakeError::Interval(IntervalError::WideTree { node: 0 })));
}

#[test]
fn edited_topologies_are_followed() {
    let (mut disordered, mut looks) = (0, 0);
    for seed in 0..u64::from(cases(60)) {
        let Some((spec, body, length)) = smooth(seed, Grain::Real, false) else { continue };
        let mesh = Mesh::new(spec.vertex_count, spec.triangles.clone()).unwrap();
        let mut topology = body.topology.clone();
        let mut dice = Dice::new(seed, &[9]);
        // Triangles move to other leaves, where the positions of another time decide how those are divided.
        for _ in 0..2 * spec.triangles.len() {
            let then = positions(&body.motion, dice.real(0.0, length));
            let position = |vertex: u32| then[vertex as usize];
            let triangle = dice.below(spec.triangles.len()) as u32;
            let leaf = topology.leaf_of(triangle, spec.triangles[triangle as usize][0]).unwrap();
            if topology.node(0).count() == 1 {
                break;
            }
            topology.remove(leaf, triangle, &mesh, position);
            let leaves: Vec<u32> =
                (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf()).collect();
            topology.insert(dice.pick(&leaves), triangle, &mesh, position);
        }
        disordered += (0..topology.nodes().len() as u32)
            .filter(|&node| topology.node(node).parent().is_some_and(|parent| parent > node))
            .count();
        let span = Span { begin: 0.0, end: length };
        let Ok(clip) = BakedClip::bake(topology.clone(), &body.motion, span, BakeFormat::Stamped, 1) else { continue };
        let mut tree = BakedTree::new(Arc::new(clip), topology.clone(), &body.motion).unwrap();
        for step in 1..=10 {
            let time = length * f64::from(step) / 10.0;
            tree.seek(time).unwrap();
            let at = Moment::at(time);
            let slack = body.motion.slack(at);
            let truth = brute_boxes(&topology, &spec.triangles, &positions(&body.motion, time));
            for node in topology.upward() {
                let (ours, tight) = (tree.view(&body.motion, slack).node_box(node, at), truth[node as usize]);
                let outer = tight.inflated(2.0 * slack);
                assert!(ours.contains(&tight.min) && ours.contains(&tight.max), "seed {seed} at {time}, node {node}");
                assert!(outer.contains(&ours.min) && outer.contains(&ours.max), "seed {seed} at {time}, node {node}");
            }
            looks += 1;
        }
    }
    assert!(disordered > 20 && looks > 300, "{disordered} nodes before their parents, {looks} looks");
}
