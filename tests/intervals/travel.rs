//! Going back and forth, preparing little by little, streaming keys, refusals.

use kinetree::baked::ClipTree;
use kinetree::bvh::{BuildParams, Hierarchy, Topology, Width};
use kinetree::interval::{IntervalError, Prepared};
use kinetree::math::Extent;
use kinetree::mesh::Mesh;
use kinetree::motion::{KeyLayout, Motion, MotionError, VertexFlightplan};
use kinetree::time::Moment;

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::PlanSpec;
use crate::rival::positions;
use crate::window::{scene, tree_over};

fn winners(tree: &ClipTree) -> Vec<u32> {
    let nodes = 0..tree.shape().nodes().len() as u32;
    nodes.flat_map(|node| Extent::ALL.map(|extent| tree.winner(node, extent))).collect()
}

#[test]
fn winners_depend_on_the_time_alone() {
    let (mut compared, mut inside) = (0, 0);
    for grain in [Grain::Real, Grain::Lattice, Grain::Crooked] {
        for seed in 0..u64::from(cases(40)) {
            let (_, body, length) = scene(seed, grain, false);
            let Some(mut steady) = tree_over(&body) else { continue };
            let mut dice = Dice::new(seed, &[8]);
            let mut times: Vec<f64> = (0..30).map(|_| dice.real(0.0, length)).collect();
            times.extend(body.motion.key_times().iter().filter(|&&time| (0.0..=length).contains(&time)));
            times.push(length);
            times.sort_by(f64::total_cmp);
            let seen: Vec<Vec<u32>> = times
                .iter()
                .map(|&time| {
                    steady.extend_to(&body.motion, time).unwrap();
                    steady.seek(time).unwrap();
                    winners(&steady)
                })
                .collect();
            // One tree looks at few times, pushed far ahead; one prepares in small helpings.
            let mut jumpy = tree_over(&body).unwrap();
            let mut patient = tree_over(&body).unwrap();
            let mut budget = 1 + dice.below(60);
            for _ in 0..60 {
                let look = dice.below(times.len());
                for tree in [&mut jumpy, &mut patient] {
                    tree.extend_to(&body.motion, times[look]).unwrap();
                }
                while dice.percent(90) && patient.prepare(budget) == Prepared::Partly {
                    budget = 1 + dice.below(60);
                }
                for tree in [&mut jumpy, &mut patient] {
                    tree.seek(times[look]).unwrap();
                    assert!(winners(tree) == seen[look], "{grain:?} {seed}, at {}", times[look]);
                    let report = tree.audit(&positions(&body.motion, times[look]));
                    assert!(report.is_clean(), "{grain:?} {seed}: {report}");
                    compared += 1;
                }
                inside += usize::from(!body.motion.key_times().contains(&times[look]));
            }
        }
    }
    assert!(compared > 3000 && inside > 1000, "{compared} compared, {inside} between keys");
}

#[test]
fn pushed_keys_are_the_motion() {
    let (mut scenes, mut looks) = (0, 0);
    for seed in 0..u64::from(cases(80)) {
        let (spec, body, _) = scene(seed, Grain::Real, false);
        let PlanSpec::Keys { times, positions: keys, .. } = &spec.plan else { continue };
        let count = spec.vertex_count;
        let mut streamed = ClipTree::new(body.topology.clone(), times[0], &keys[..count]).unwrap();
        for (key, pair) in times.windows(2).enumerate() {
            streamed.push_key(pair[1], &keys[(key + 1) * count..(key + 2) * count]).unwrap();
            for part in [0.0, 0.3, 0.31, 0.9, 1.0] {
                let time = if part == 1.0 { pair[1] } else { pair[0] + part * (pair[1] - pair[0]) };
                streamed.advance(time).unwrap();
                let truth = positions(&body.motion, time);
                if time == times[0] && body.motion.first_of_loop().is_some() {
                    continue;
                }
                let report = streamed.audit(&truth);
                assert!(report.is_clean(), "seed {seed} at {time}: {report}");
                looks += 1;
            }
            streamed.forget_past();
            assert!(streamed.begin() >= pair[0]);
        }
        let end = streamed.end();
        streamed.push_rest(end + 1.0).unwrap();
        let before = winners(&streamed);
        streamed.advance(end + 0.5).unwrap();
        assert_eq!(winners(&streamed), before);
        scenes += 1;
    }
    assert!(scenes > 10 && looks > 100, "{scenes} scenes, {looks} looks");
}

#[test]
fn slack_is_as_small_as_the_motion_s() {
    let (spec, body, _) = scene(1, Grain::Real, false);
    let _ = spec;
    let mut tree = tree_over(&body).unwrap();
    tree.follow(&body.motion, 1.0).unwrap();
    assert_eq!(tree.slack(), body.motion.slack(Moment::at(1.0)));
}

fn triangle() -> Topology {
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    Topology::build(&mesh, &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], BuildParams::default())
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let good = [[0.0f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut tree = ClipTree::new(triangle(), 1.0, &good).unwrap();
    let refused = |tree: &mut ClipTree, time: f64, positions: &[[f32; 3]]| {
        let before = winners(tree);
        let error = tree.push_key(time, positions).unwrap_err();
        assert_eq!((tree.end(), tree.time(), winners(tree)), (1.0, 1.0, before));
        error
    };
    assert_eq!(refused(&mut tree, 1.0, &good), IntervalError::NotLater { time: 1.0, end: 1.0 });
    assert!(matches!(refused(&mut tree, f64::NAN, &good), IntervalError::Motion(MotionError::BadTime { .. })));
    assert!(matches!(refused(&mut tree, 1e300, &good), IntervalError::Motion(MotionError::BadTime { .. })));
    assert_eq!(
        refused(&mut tree, 2.0, &good[..2]),
        IntervalError::Motion(MotionError::PositionCount { expected: 3, found: 2 })
    );
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e31] {
        let mut positions = good;
        positions[2][1] = bad;
        let IntervalError::Motion(MotionError::BadCoordinate { vertex, axis, value, .. }) =
            refused(&mut tree, 2.0, &positions)
        else {
            panic!("{bad} was taken for something else");
        };
        assert_eq!((vertex, axis, value.to_bits()), (2, 1, f64::from(bad).to_bits()));
        assert!(ClipTree::new(triangle(), 1.0, &positions).is_err());
    }
    tree.push_key(2.0, &good.map(|p| p.map(|x| 2.0 * x))).unwrap();
    for time in [0.5, 2.5, f64::NAN, f64::INFINITY] {
        assert!(matches!(tree.seek(time), Err(IntervalError::Outside { .. })), "{time}");
    }
    tree.advance(1.5).unwrap();
    assert!(tree.advance(1.2).is_err());
    assert!(tree.node_box(0, Moment::at(1.5)).contains(&[1.5, 0.0, 0.0]));
    assert!(!tree.node_box(0, Moment::at(1.5)).contains(&[1.5001, 0.0, 0.0]));
    tree.seek(1.0).unwrap();
    assert!(!tree.node_box(0, Moment::at(1.0)).contains(&[1.0001, 0.0, 0.0]));
}

#[test]
fn plans_of_single_vertices_are_refused() {
    let plan = kinetree::motion::Flightplan::fixed(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let mut motion = Motion::new(plan, 3, KeyLayout::VertexMajor).unwrap();
    assert!(ClipTree::over(triangle(), &motion, 0.0).is_ok());
    let plan = VertexFlightplan::Velocity { from: None, velocity: [1.0; 3] };
    motion.set_vertex_plans(&[(0, plan)], Moment::at(0.0)).unwrap();
    assert_eq!(ClipTree::over(triangle(), &motion, 0.0).unwrap_err(), IntervalError::NotLinear);
}

#[test]
fn curves_are_refused() {
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let plan = kinetree::motion::Flightplan::ballistic(0.0, positions, vec![[1.0; 3]; 3], [0.0, -9.8, 0.0]);
    let motion = Motion::new(plan, 3, KeyLayout::VertexMajor).unwrap();
    assert_eq!(ClipTree::over(triangle(), &motion, 0.0).unwrap_err(), IntervalError::NotLinear);
}

#[test]
fn wide_trees_are_refused() {
    let positions: Vec<[f32; 3]> = (0..12).map(|vertex| [(vertex / 3) as f32, (vertex % 3) as f32, 0.0]).collect();
    let mesh = Mesh::new(12, (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let wide: Vec<[f64; 3]> = positions.iter().map(|p| p.map(f64::from)).collect();
    let params = BuildParams { leaf_size: 1, width: Width::Four, ..BuildParams::default() };
    let topology = Topology::build(&mesh, &wide, params);
    assert_eq!(ClipTree::new(topology, 0.0, &positions).unwrap_err(), IntervalError::WideTree { node: 0 });
}

#[test]
fn edited_topologies_are_followed() {
    let (mut disordered, mut looks) = (0, 0);
    for seed in 0..u64::from(cases(60)) {
        let (spec, body, length) = scene(seed, Grain::Real, false);
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
        let Ok(mut tree) = ClipTree::over(topology, &body.motion, 0.0) else { continue };
        for step in 1..=10 {
            let time = length * f64::from(step) / 10.0;
            tree.follow(&body.motion, time).unwrap();
            let report = tree.audit(&positions(&body.motion, time));
            assert!(report.is_clean() && report.checks > 0, "seed {seed} at {time}: {report}");
            looks += 1;
        }
    }
    assert!(disordered > 20 && looks > 300, "{disordered} nodes before their parents, {looks} looks");
}
