//! Queries of two reduced bodies, pose after pose, against brute force over all vertices; and moving bounds in the structures that take
//! them: separation lists.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::dice::Dice;
use crate::reduced_support::{CornersWithin, Spinner, Weights, body, random_mesh, torture, vertices_below};
use kinetree::bvh::{BuildParams, Hierarchy, Width};
use kinetree::kinetic::event::{EventLog, EventQueue};
use kinetree::kinetic::{EventContext, KineticHierarchy, SeparationList};
use kinetree::narrow::{ContactRule, EveryPair, triangles_touch};
use kinetree::oracle::{Shape, touching_by_brute_force};
use kinetree::reduced::bounds::{BoundParams, BoundTree, Counts, Level, MovingBounds, PairQuery, PosedBounds, Way};
use kinetree::reduced::{Pose, ReducedBody, ReducedError};
use kinetree::time::Moment;
use nalgebra::Vector3;

/// Two bodies; the second comes from `distance` away to the first and leaves again within the motion.
fn two(dice: &mut Dice, vertices: usize, distance: f64) -> [Arc<ReducedBody>; 2] {
    two_of(dice, vertices, distance, &[Weights::Smooth, Weights::Random(4), Weights::Single, Weights::AtLimits])
}

fn two_of(dice: &mut Dice, vertices: usize, distance: f64, kinds: &[Weights]) -> [Arc<ReducedBody>; 2] {
    [0, 1].map(|which| {
        let weights = dice.pick(kinds);
        let maps = 2 + dice.below(5);
        let morphs = dice.below(3);
        let mesh = random_mesh(dice, vertices, maps, morphs, weights);
        let mut driver = Spinner::of(dice, maps, mesh.morph_count(), 1, 0.2, false);
        driver.breaks[1].time = 1.0;
        driver.breaks[0].time = 0.0;
        for turn in &mut driver.turns[0] {
            if which == 1 {
                // On a parabola: there at t = ½.
                turn.place.y += distance;
                turn.velocity.y -= 4.0 * distance;
                turn.acceleration.y += 8.0 * distance;
            }
        }
        Arc::new(body(&mesh, driver))
    })
}

fn brute(bodies: &[Arc<ReducedBody>; 2], poses: &[Pose; 2]) -> BTreeSet<(u32, u32)> {
    let positions = [0, 1].map(|i: usize| {
        let mut positions = Vec::new();
        bodies[i].mesh().evaluate_all(&poses[i], &mut positions).unwrap();
        positions
    });
    let shape = |i: usize| Shape { triangles: bodies[i].mesh().mesh().triangles(), positions: &positions[i] };
    let mut found = BTreeSet::new();
    touching_by_brute_force(shape(0), shape(1), &EveryPair, &mut |p, q| {
        found.insert((p, q));
    });
    found
}

fn params(dice: &mut Dice) -> BoundParams {
    BoundParams {
        tree: BuildParams {
            leaf_size: 1 + dice.below(16),
            width: dice.pick(&[Width::Two, Width::Two, Width::Four]),
            ..BoundParams::default().tree
        },
        splits_by_influence: dice.percent(50),
        ..BoundParams::default()
    }
}

#[test]
fn contacts_pose_after_pose_equal_brute_force() {
    let mut dice = Dice::new(31, &[]);
    let (mut contacts, mut none, mut saved, mut whole, mut changes) = (0, 0, 0, 0, 0);
    for round in 0..torture(12) {
        // Now and then so many that a query passes levels of the trees.
        let vertices = if round % 4 == 3 { 700 } else { 60 + dice.below(100) };
        let bodies = two(&mut dice, vertices, 8.0);
        let trees = [0, 1].map(|i: usize| BoundTree::new(bodies[i].mesh(), params(&mut dice)));
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let mut poses = [Pose::default(), Pose::default()];
        let mut posed: Vec<PosedBounds<'_>> = Vec::new();
        let mut query = PairQuery::default();
        let mut last = Way::OnDemand;
        for frame in 0..=24 {
            // There and back, and a jump now and then.
            let time = if dice.percent(10) { dice.unit() } else { f64::from(frame) / 24.0 };
            for i in 0..2 {
                bodies[i].pose(Moment::at(time), &mut poses[i]);
                if frame == 0 {
                    posed.push(PosedBounds::new(&trees[i], bodies[i].mesh(), level, &poses[i]).unwrap());
                } else {
                    posed[i].set_pose(&poses[i]).unwrap();
                }
            }
            let truth = brute(&bodies, &poses);
            let mut found = BTreeSet::new();
            let [a, b] = &mut posed[..] else { unreachable!() };
            query.touching(a, b, &EveryPair, &mut |p, q| assert!(found.insert((p, q)))).unwrap();
            assert_eq!(found, truth);
            let stats = query.stats();
            contacts += truth.len();
            none += usize::from(truth.is_empty());
            whole += usize::from(stats.way == Way::Whole);
            changes += usize::from(stats.way != last);
            last = stats.way;
            let evaluated: u64 = stats.bodies.iter().map(|counts| counts.evaluated).sum();
            saved += usize::from(evaluated < vertices as u64 / 2);
        }
    }
    assert!(contacts > 1000 && none > 20 && saved > 50, "{contacts} {none} {saved}");
    assert!(whole > 5 && changes > 3, "whole {whole}, changes {changes}");
}

#[test]
fn far_bodies_cost_two_boxes_and_then_two_sides() {
    let mut dice = Dice::new(32, &[]);
    let bodies = two(&mut dice, 300, 50.0);
    let trees = [0, 1].map(|i: usize| BoundTree::new(bodies[i].mesh(), BoundParams::default()));
    let mut poses = [Pose::default(), Pose::default()];
    for i in 0..2 {
        bodies[i].pose(Moment::at(0.0), &mut poses[i]);
    }
    let mut a = PosedBounds::new(&trees[0], bodies[0].mesh(), Level::Corner, &poses[0]).unwrap();
    let mut b = PosedBounds::new(&trees[1], bodies[1].mesh(), Level::Corner, &poses[1]).unwrap();
    let mut query = PairQuery::default();
    let has_morphs = [0, 1].map(|i: usize| bodies[i].mesh().morph_count() > 0);
    for round in 0..3 {
        a.set_pose(&poses[0]).unwrap();
        b.set_pose(&poses[1]).unwrap();
        query.touching(&mut a, &mut b, &EveryPair, &mut |_, _| unreachable!()).unwrap();
        for (counts, has_morphs) in query.stats().bodies.into_iter().zip(has_morphs) {
            // Sides of displaced bodies are those of boxes.
            let (sides, bounded) = if round == 0 { (0, 1) } else { (1, u64::from(has_morphs)) };
            let Counts { sides: asked, bounded: made, blended, evaluated } = counts;
            assert_eq!((asked, made, blended, evaluated), (sides, bounded, 0, 0));
        }
        assert_eq!(query.stats().by_witness, round > 0);
    }
}

/// Where numbers are large, small, far from the origin or more than `f32` holds; by either entry, with and without a distance.
#[test]
fn contacts_at_any_scale_equal_brute_force() {
    let mut dice = Dice::new(36, &[]);
    let kinds = [Weights::Smooth, Weights::Random(4), Weights::Single, Weights::AtLimits, Weights::Signed];
    let (mut contacts, mut apart, mut by_witness) = (0, 0, 0);
    for _ in 0..torture(40) {
        let vertices = 60 + dice.below(60);
        let bodies = two_of(&mut dice, vertices, 6.0, &kinds);
        let trees = [0, 1].map(|i: usize| BoundTree::new(bodies[i].mesh(), params(&mut dice)));
        let scale = dice.pick(&[1.0, 1.0, 1e-12, 1e-35, 1e9, 1e30, 1e45]);
        let offset = dice.pick(&[0.0, 1e3, -1e5, 1e7]);
        let length = dice.pick(&[0.0, 0.0, 0.03]) * scale;
        let pose_at = |i: usize, time: f64| {
            let mut pose = Pose::default();
            bodies[i].pose(Moment::at(time), &mut pose);
            for map in &mut pose.maps {
                map.linear *= scale;
                map.shift = map.shift.map(|x| (x + offset) * scale);
            }
            pose
        };
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let [mut a, mut b] =
            [0, 1].map(|i| PosedBounds::new(&trees[i], bodies[i].mesh(), level, &pose_at(i, 0.0)).unwrap());
        let mut query = PairQuery::default();
        for frame in 0..=16 {
            let time = f64::from(frame) / 16.0;
            let poses = [0, 1].map(|i| pose_at(i, time));
            let mut found = BTreeSet::new();
            let mut report = |p, q| assert!(found.insert((p, q)), "reported twice");
            let is_taken = dice.percent(50);
            if is_taken {
                a.set_pose(&poses[0]).unwrap();
                b.set_pose(&poses[1]).unwrap();
            }
            match (is_taken, length > 0.0) {
                (true, true) => query.touching(&mut a, &mut b, &CornersWithin(length), &mut report),
                (true, false) => query.touching(&mut a, &mut b, &EveryPair, &mut report),
                (false, true) => {
                    query.touching_in((&mut a, &poses[0]), (&mut b, &poses[1]), &CornersWithin(length), &mut report)
                }
                (false, false) => query.touching_in((&mut a, &poses[0]), (&mut b, &poses[1]), &EveryPair, &mut report),
            }
            .unwrap();
            let positions = [0, 1].map(|i: usize| {
                let mut positions = Vec::new();
                bodies[i].mesh().evaluate_all(&poses[i], &mut positions).unwrap();
                positions
            });
            let mut truth = BTreeSet::new();
            for (p, p_corners) in bodies[0].mesh().mesh().triangles().iter().enumerate() {
                for (q, q_corners) in bodies[1].mesh().mesh().triangles().iter().enumerate() {
                    let (p, q) = (p as u32, q as u32);
                    let p_corners = p_corners.map(|vertex| positions[0][vertex as usize]);
                    let q_corners = q_corners.map(|vertex| positions[1][vertex as usize]);
                    let touch = if length > 0.0 {
                        let rule = CornersWithin(length);
                        rule.wants(p, q) && rule.touch((p, &p_corners), (q, &q_corners))
                    } else {
                        triangles_touch(&p_corners, &q_corners)
                    };
                    if touch {
                        truth.insert((p, q));
                    }
                }
            }
            assert_eq!(found, truth, "scale {scale}, offset {offset}, frame {frame}");
            contacts += truth.len();
            apart += usize::from(truth.is_empty());
            by_witness += usize::from(query.stats().by_witness);
        }
    }
    assert!(contacts > 2_000 && apart > 100 && by_witness > 20, "{contacts} {apart} {by_witness}");
}

/// Bad poses change nothing.
#[test]
fn bad_poses_are_refused_and_the_old_ones_stay() {
    let mut dice = Dice::new(37, &[]);
    let bodies = two(&mut dice, 60, 50.0);
    let trees = [0, 1].map(|i: usize| BoundTree::new(bodies[i].mesh(), BoundParams::default()));
    let mut poses = [Pose::default(), Pose::default()];
    for i in 0..2 {
        bodies[i].pose(Moment::at(0.0), &mut poses[i]);
    }
    let mut a = PosedBounds::new(&trees[0], bodies[0].mesh(), Level::Corner, &poses[0]).unwrap();
    let mut b = PosedBounds::new(&trees[1], bodies[1].mesh(), Level::Corner, &poses[1]).unwrap();
    let last = poses[1].maps.len() - 1;
    for entry in 0..12 {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut bad = poses[1].clone();
            if entry < 9 {
                bad.maps[last].linear[entry] = value;
            } else {
                bad.maps[last].shift[entry - 9] = value;
            }
            assert_eq!(b.set_pose(&bad), Err(ReducedError::BadMap { map: last }));
            let refused = PairQuery::default().touching_in(
                (&mut a, &poses[0]),
                (&mut b, &bad),
                &EveryPair,
                &mut |_, _| unreachable!(),
            );
            assert_eq!(refused, Err(ReducedError::BadMap { map: last }));
            assert_eq!((a.pose(), b.pose()), (&poses[0], &poses[1]));
        }
    }
    let short = Pose { maps: poses[1].maps[..last].to_vec(), ..poses[1].clone() };
    assert!(matches!(b.set_pose(&short), Err(ReducedError::MapCount { .. })));
}

/// A kinetic separation list over two reduced bodies: its overlapping leaf pairs cover all contacts at any time, and its audit agrees.
#[test]
fn separation_lists_take_moving_bounds() {
    let mut dice = Dice::new(34, &[]);
    let (mut covered, mut events, mut quiet) = (0usize, 0usize, 0usize);
    for round in 0..torture(6) {
        let bodies = two(&mut dice, 80, 6.0);
        let rate = dice.pick(&[10.0, 40.0]);
        let mut moving: Vec<MovingBounds> = bodies
            .iter()
            .map(|body| {
                let tree = Arc::new(BoundTree::new(body.mesh(), params(&mut dice)));
                MovingBounds::new(tree, body.clone(), &body.pieces_at_rate(rate).unwrap(), Level::Corner).unwrap()
            })
            .collect();
        let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
        let mut now = Moment::at(0.0);
        moving.iter_mut().for_each(|bounds| bounds.start_epoch(now));
        let mut list = {
            let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
            SeparationList::new((&moving[0], &moving[1]), 0, &mut clock)
        };
        for step in 1..=20 {
            let until = Moment::at(f64::from(step) / 20.0);
            // Epochs end where the first of the two does; then everything is certified anew.
            loop {
                let epoch_end = moving[0].epoch_end().min(moving[1].epoch_end());
                let stop = until.min(Moment::at(epoch_end));
                while let Some(event) = queue.pop_until(stop) {
                    let mut clock = EventContext { queue: &mut queue, log: &mut log, now: event.moment };
                    list.process(event, (&moving[0], &moving[1]), &mut clock);
                    events += 1;
                }
                // What is just after the end of an epoch is not yet at it.
                if epoch_end >= until.time() {
                    break;
                }
                now = Moment::after(epoch_end);
                moving.iter_mut().for_each(|bounds| bounds.start_epoch(now));
                let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
                list.certify_all((&moving[0], &moving[1]), &mut clock);
                while let Some(event) = clock.queue.pop_until(now) {
                    let mut clock = EventContext { queue: clock.queue, log: clock.log, now: event.moment.max(now) };
                    list.process(event, (&moving[0], &moving[1]), &mut clock);
                }
            }
            now = until.max(now);
            let poses = [0, 1].map(|i: usize| {
                let mut pose = Pose::default();
                bodies[i].pose(until, &mut pose);
                pose
            });
            let truth = brute(&bodies, &poses);
            let leaves: BTreeSet<(u32, u32)> = list.overlapping().collect();
            quiet += usize::from(leaves.is_empty());
            for &(p, q) in &truth {
                let leaf = |i: usize, triangle: u32| {
                    let topology = moving[i].topology();
                    let mut nodes = 0..topology.nodes().len() as u32;
                    nodes.find(|&node| topology.primitives(node).contains(&triangle)).unwrap()
                };
                let pair = (leaf(0, p), leaf(1, q));
                assert!(leaves.contains(&pair), "round {round} step {step}: {pair:?} is not listed");
                covered += 1;
            }
            let boxes = [0, 1].map(|i: usize| {
                let nodes = 0..moving[i].topology().nodes().len() as u32;
                nodes.map(|node| moving[i].node_box(node, until)).collect::<Vec<_>>()
            });
            let side = |i: usize| (moving[i].topology(), &boxes[i][..]);
            let report = list.audit(side(0), side(1), 1e-9, &queue);
            assert!(report.is_clean(), "round {round} step {step}: {report:?}");
        }
    }
    assert!(covered > 100 && events > 50 && quiet > 10, "{covered} {events} {quiet}");
}

/// What the list sees of a node is what its vertices do.
#[test]
fn leaves_where_finds_all_leaves_near_a_place() {
    let mut dice = Dice::new(35, &[]);
    for _ in 0..torture(10) {
        let bodies = two(&mut dice, 120, 3.0);
        let body = &bodies[1];
        let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
        let moving = MovingBounds::new(tree, body.clone(), &body.pieces_at_rate(20.0).unwrap(), Level::Corner).unwrap();
        let at = Moment::at(dice.unit());
        let mut all = Vec::new();
        body.positions(at, &(0..body.mesh().vertex_count() as u32).collect::<Vec<_>>(), &mut all).unwrap();
        let place = all[dice.below(all.len())];
        let near = |bounds: &kinetree::math::Aabb| bounds.contains(&place);
        let mut found = Vec::new();
        moving.leaves_where(at, near, |leaf| found.push(leaf));
        for leaf in (0..moving.topology().nodes().len() as u32).filter(|&node| moving.topology().node(node).is_leaf()) {
            let exact = kinetree::math::Aabb::of_points(
                vertices_below(moving.topology(), leaf).iter().map(|&vertex| &all[vertex as usize]),
            );
            assert!(!exact.contains(&place) || found.contains(&leaf));
        }
        assert!(Vector3::from(place).norm().is_finite() && !found.is_empty());
    }
}
