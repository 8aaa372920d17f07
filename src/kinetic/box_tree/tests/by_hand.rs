//! Small cases of the kinetic BoxTree made by hand: ties, moments side by side, what is logged and
//! reported, boxes carried downward.

use std::collections::BTreeSet;

use super::super::{KineticBoxTree, Plane, ROOT_PLANES, Seen, Split};
use super::{Dice, END, Rig, crumpling, sheet};
use crate::bvh::Hierarchy;
use crate::kinetic::{EventContext, KineticHierarchy, TreeContext};
use crate::math::{Aabb, Extent};
use crate::mesh::Mesh;
use crate::motion::{Flightplan, VertexFlightplan};
use crate::time::Moment;

impl Rig {
    /// One triangle by keys: all corners at the first time, then all at the second, and so on.
    fn triangle(times: &[f64], corners: &[[[f32; 3]; 3]]) -> Self {
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).expect("a valid mesh");
        Self::new(&mesh, Flightplan::keyframes(times.to_vec(), corners.concat()), 1)
    }

    fn certify_all(&mut self) {
        let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now: self.now };
        self.tree.certify_all(&mut TreeContext::new(&self.motion, END, &mut clock, &mut self.changes));
    }

    fn winners_of_planes(&self) -> Vec<u32> {
        self.tree.planes.iter().map(|plane| plane.winner).collect()
    }

    /// When a plane's winner is scheduled to be overtaken.
    fn scheduled(&self, plane: usize) -> Moment {
        self.queue.get(self.tree.planes[plane].ticket).moment
    }
}

fn differences(one: &[u32], other: &[u32]) -> u64 {
    one.iter().zip(other).filter(|(a, b)| a != b).count() as u64
}

#[test]
fn rounds_of_a_set_that_is_emptied_may_begin_again() {
    let mut seen = Seen::new(3);
    (seen.rounds, seen.round) = (vec![1, 2, 3], u32::MAX - 1);
    seen.clear();
    assert!(seen.insert(2) && !seen.insert(2));
    // The number of rounds is used up: the next are 1, 2 and 3 once more.
    for vertex in 0..3 {
        seen.clear();
        assert!(seen.insert(vertex) && !seen.insert(vertex), "vertex {vertex} was never added in this round");
    }
}

#[test]
fn of_those_that_overtake_at_one_moment_the_fastest_wins_in_one_event() {
    // Along x the corners come to 0 m at 1 s with 0, 1 and 2 m/s, along y in the other order.
    let at =
        |time: f32| [0, 1, 2].map(|vertex| [vertex as f32 * (time - 1.0), (2 - vertex) as f32 * (time - 1.0), 0.0]);
    let mut rig = Rig::triangle(&[0.0, 2.0], &[at(0.0), at(2.0)]);
    assert_eq!(rig.tree.winners(0)[..4], [2, 0, 0, 2]);
    assert_eq!(rig.advance(1.0), 4);
    assert_eq!(rig.tree.winners(0)[..4], [0, 2, 2, 0]);
    assert_eq!((rig.log.count(), rig.tree.stats().updates, rig.queue.len()), (4, 4, 0));
    rig.audit();
}

#[test]
fn a_challenger_that_leads_at_one_key_alone_does_not_win() {
    // It comes up to the winner, is ahead by less than times can tell, falls behind, and wins
    // later.
    let at = |height: f32| [[0.0, 0.0, 0.0], [height, 0.25, 0.5], [-5.0, 0.5, 1.0]];
    let mut rig = Rig::triangle(&[0.0, 1.0, 2.0, 3.0], &[at(-1.0), at(1e-20), at(-1.0), at(1.0)]);
    let top = Extent::max(0);
    assert_eq!(rig.scheduled(top.index()), Moment::at(1.0));
    assert_eq!(rig.advance(2.0), 1);
    assert_eq!((rig.log.count(), rig.tree.stats().updates, rig.tree.winner(0, top)), (0, 0, 0));
    rig.audit();
    assert_eq!(rig.scheduled(top.index()), Moment::at(2.5));
    assert_eq!(rig.advance(3.0), 1);
    assert_eq!((rig.log.count(), rig.tree.stats().updates, rig.tree.winner(0, top)), (1, 1, 1));
    rig.audit();
}

#[test]
fn an_overtaking_one_place_earlier_in_time_comes_first() {
    // Times from 32 s on are 2⁻⁴⁷ s apart. Corner 2 rests; along x corner 0 passes it halfway
    // between two keys, and corner 1 one place before; along y the other way round.
    let begin = 32.0f64;
    let (end, step) = (begin + 2.0f64.powi(-35), 2.0f32.powi(-12));
    let at = |half: f32| [[half, half + step, 0.0], [half + step, half, 0.0], [0.0; 3]];
    let mut rig = Rig::triangle(&[begin, end], &[at(-0.5), at(0.5)]);
    let halfway = begin + 2.0f64.powi(-36);
    for axis in [0, 1] {
        assert_eq!(rig.scheduled(Extent::max(axis).index()), Moment::at(halfway.next_down()));
        assert_eq!(rig.scheduled(Extent::min(axis).index()), Moment::at(halfway));
    }
    rig.advance(end);
    assert_eq!(rig.tree.winners(0)[..4], [2, 1, 2, 0]);
    rig.audit();
}

#[test]
fn a_winner_keeps_its_place_against_equals() {
    let (points, mesh) = sheet(6);
    let mut rig = Rig::new(&mesh, Flightplan::fixed(points.clone()), 2);
    for plane in 0..rig.tree.planes.len() as u32 {
        let (_, extent) = rig.tree.bounded_by(plane);
        let (place, mut candidates) = (|vertex: u32| points[vertex as usize][extent.axis()], Vec::new());
        rig.tree.visit_candidates(plane, |vertex| candidates.push(vertex));
        // Of equals the first wins.
        let ahead = |a: u32, b: u32| extent.beyond(f64::from(place(a)), f64::from(place(b)));
        let best = candidates.iter().copied().reduce(|best, next| if ahead(next, best) { next } else { best });
        assert_eq!(Some(rig.tree.planes[plane as usize].winner), best, "plane {plane}");
    }
    // All are at one height but for a while the last, which so becomes the highest.
    let (vertex, top) = (48, Extent::max(2).index());
    assert_ne!(rig.tree.planes[top].winner, vertex);
    for height in [1.0, 0.0] {
        rig.replan(&[(vertex, VertexFlightplan::Fixed { position: [6.0, 6.0, height] })]);
        assert_eq!(rig.tree.planes[top].winner, vertex);
    }
    let (winners, logged) = (rig.winners_of_planes(), rig.log.count());
    rig.certify_all();
    assert_eq!((rig.winners_of_planes(), rig.log.count()), (winners, logged));
    rig.audit();
}

#[test]
fn all_is_certified_reported_and_logged_after_a_jump() {
    let (mesh, plan) = crumpling(6, 12, 5);
    let mut rig = Rig::new(&mesh, plan, 2);
    for time in [3.5, 1.25, 2.0] {
        // What was scheduled for the time in between never happens.
        let (before, logged) = (rig.winners_of_planes(), rig.log.count());
        rig.now = Moment::at(time);
        rig.changes.clear();
        rig.certify_all();
        let changed = differences(&before, &rig.winners_of_planes());
        assert!(changed > 20 && rig.log.count() - logged == changed, "{changed} changed");
        let mut told: Vec<(u32, Extent)> = rig.changes.iter().map(|change| (change.node, change.extent)).collect();
        told.sort_unstable();
        let nodes = 0..rig.tree.topology.nodes().len() as u32;
        let all: Vec<(u32, Extent)> = nodes.flat_map(|node| Extent::ALL.map(|extent| (node, extent))).collect();
        assert!(told == all, "every slot is reported once");
        rig.audit();
        let logged = rig.log.count();
        rig.certify_all();
        assert_eq!(rig.log.count(), logged, "nothing changed");
    }
}

#[test]
fn what_another_plan_changes_is_reported_and_new_winners_are_logged() {
    let (mesh, plan) = crumpling(7, 10, 5);
    let mut rig = Rig::new(&mesh, plan, 2);
    let mut dice = Dice(8);
    let mut pick = |most: usize| (dice.unit() * most as f32) as usize;
    let (mut won, mut kept) = (0, 0);
    for step in 1..60 {
        rig.advance(f64::from(step) / 16.0);
        let plans: BTreeSet<u32> = (0..[1, 1, 5, 30][step as usize % 4]).map(|_| pick(121) as u32).collect();
        let plans: Vec<(u32, VertexFlightplan)> = plans
            .into_iter()
            .map(|vertex| {
                let velocity = [0, 1, 2].map(|_| 0.125 * (pick(9) as f64 - 4.0));
                let from = (pick(2) == 0).then(|| [0, 1, 2].map(|_| pick(14) as f64));
                (vertex, VertexFlightplan::Velocity { from, velocity })
            })
            .collect();
        let (before, slots, logged) = (rig.winners_of_planes(), rig.winners(), rig.log.count());
        rig.changes.clear();
        rig.replan(&plans);
        let changed = differences(&before, &rig.winners_of_planes());
        assert_eq!(rig.log.count() - logged, changed, "step {step}");
        let is_replanned = |vertex: u32| plans.iter().any(|&(replanned, _)| replanned == vertex);
        let mut expected = BTreeSet::new();
        for (node, (old, new)) in (0u32..).zip(slots.iter().zip(&rig.winners())) {
            for extent in Extent::ALL {
                let [old, new] = [old, new].map(|winners| winners[extent.index()]);
                if old != new || is_replanned(new) {
                    expected.insert((node, extent));
                }
                kept += usize::from(old == new && is_replanned(new));
            }
        }
        let told: BTreeSet<(u32, Extent)> = rig.changes.iter().map(|change| (change.node, change.extent)).collect();
        assert_eq!(told, expected, "step {step}");
        won += changed;
        // What is due at this very moment happens first.
        rig.advance(rig.now.time());
        rig.audit();
    }
    assert!(won > 200 && kept > 200, "{won} {kept}");
}

#[test]
fn boxes_carried_downward_are_those_found_upward() {
    let (mesh, plan) = crumpling(8, 12, 4);
    let mut rig = Rig::new(&mesh, plan, 2);
    rig.advance(1.3);
    let nodes = rig.tree.topology.nodes().len() as u32;
    let gates = |extent: Extent| rig.tree.gates.iter().filter(|gate| gate.1 == extent).count();
    assert!(gates(Extent::min(2)) > 3 && gates(Extent::max(2)) > 3);
    let later = Moment::at(2.5);
    let view = rig.tree.kinetic_view(&rig.motion, 0.25, END, rig.now);
    let text = |bounds: &Aabb| format!("{bounds:?}");
    let (carried, mut leaves) = (std::cell::RefCell::new(Vec::new()), 0);
    let keep = |bounds: &Aabb| {
        carried.borrow_mut().push(text(bounds));
        true
    };
    let visits = view.leaves_where(rig.now, keep, |_| leaves += 1);
    let mut carried = carried.into_inner();
    let mut single: Vec<String> = (0..nodes).map(|node| text(&view.node_box(node, rig.now))).collect();
    carried.sort_unstable();
    single.sort_unstable();
    assert_eq!(carried, single);
    assert_eq!((visits.nodes, visits.leaves, leaves), (nodes as usize, leaves, nodes as usize / 2 + 1));
    // At another moment than the view's own the winners are the same, and their pieces are others.
    for node in 0..nodes {
        let bounds = view.bounds(node, later);
        for extent in Extent::ALL {
            let winner = rig.tree.winner(node, extent);
            let piece = rig.motion.piece(winner, extent.axis(), later);
            assert_eq!([bounds[extent.index()], view.bound(node, extent, later)], [piece; 2]);
        }
    }
}

#[test]
fn points_at_one_place_are_divided_along_the_first_axis_the_left_child_below() {
    let mesh = Mesh::new(9, (0..3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).expect("a valid mesh");
    let rig = Rig::new(&mesh, Flightplan::fixed(vec![[1.0, 2.0, 3.0]; 9]), 1);
    let mut inner = 0;
    for node in 0..rig.tree.topology.nodes().len() as u32 {
        if let Some((left, right)) = rig.tree.topology.node(node).left_and_right() {
            assert_eq!(rig.tree.division(node), Some((0, [left, right])));
            inner += 1;
        }
    }
    assert!(inner > 0);
    rig.audit();
}

#[test]
fn no_vertex_takes_part_in_more_planes_than_is_told_and_bytes_are_those_of_the_tables() {
    let (mesh, plan) = crumpling(9, 16, 2);
    let mut rig = Rig::new(&mesh, plan, 2);
    let mut parts = vec![0; 17 * 17];
    for candidates in rig.tree.candidates_from_below() {
        candidates.iter().for_each(|&vertex| parts[vertex as usize] += 1);
    }
    let (most, told) = (parts.into_iter().max().expect("vertices"), rig.tree.most_slots_per_vertex());
    assert!(most > ROOT_PLANES as usize + 2 && most <= told, "{most} planes, told {told}");
    let single = Rig::triangle(&[0.0], &[[[0.0; 3]; 3]]);
    assert!(single.tree.planes.len() == 6 && single.tree.most_slots_per_vertex() >= 6);
    let KineticBoxTree { topology, splits, gates, planes, seen, .. } = &mut rig.tree;
    splits.shrink_to_fit();
    gates.shrink_to_fit();
    planes.shrink_to_fit();
    seen.rounds.shrink_to_fit();
    let tables = splits.len() * size_of::<Split>()
        + planes.len() * size_of::<Plane>()
        + gates.len() * size_of::<(u32, Extent)>()
        + 17 * 17 * size_of::<u32>();
    let held = tables + topology.bytes();
    assert_eq!(rig.tree.bytes(), held);
}

/// Triangles of three corners of their own each, at the places of their corners.
fn loose(corners: &[[f32; 3]]) -> Mesh {
    let triangles = (0..corners.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::new(corners.len(), triangles).expect("a valid mesh")
}

#[test]
fn the_root_of_a_small_tree_follows_what_leaves_its_child() {
    // Two triangles side by side, 4 m apart, which pass each other: without gates the first planes
    // after those of the root are of its two children.
    for axis in 0..3 {
        let corner = |time: f32, way: f32, vertex: u32| {
            let mut corner = [0.125 * vertex as f32; 3];
            corner[axis] += way * time + if way > 0.0 { 0.0 } else { 4.0 };
            corner
        };
        let at = |time: f32| [0, 1, 2, 3, 4, 5].map(|vertex| corner(time, if vertex < 3 { 5.0 } else { -5.0 }, vertex));
        let plan = Flightplan::keyframes(vec![0.0, 2.0], [at(0.0), at(2.0)].concat());
        let mut rig = Rig::new(&loose(&at(0.0)), plan, 1);
        assert!(rig.tree.gates.is_empty() && rig.tree.planes.len() == 8);
        let ends = |rig: &Rig| [Extent::min(axis), Extent::max(axis)].map(|extent| rig.tree.winner(0, extent));
        assert_eq!(ends(&rig), [0, 5]);
        let before: Vec<(u32, Option<u32>)> = (0..8).map(|plane| (plane, rig.tree.above(plane))).collect();
        let [low, high] = [Extent::min(axis), Extent::max(axis)].map(|extent| extent.index() as u32);
        assert_eq!(before[6..], [(6, Some(high)), (7, Some(low))]);
        rig.advance(2.0);
        assert_eq!(ends(&rig), [3, 2]);
        rig.audit();
    }
}

#[test]
fn a_body_on_a_line_is_divided_along_it() {
    // Boxes without area are compared by their edges. Steps grow to one side or to the other.
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let points: Vec<[f32; 3]> = (0..24u16)
            .map(|vertex| {
                let mut point = [3.0, -2.0, 1.0];
                point[axis] += sign * f32::from((vertex / 3 + vertex % 3).pow(2));
                point
            })
            .collect();
        let rig = Rig::new(&loose(&points), Flightplan::fixed(points.clone()), 1);
        let divisions = (0..rig.tree.topology.nodes().len() as u32).filter_map(|node| rig.tree.division(node));
        let axes: Vec<usize> = divisions.map(|(axis, _)| axis).collect();
        assert_eq!(axes, vec![axis; 7], "along {axis}, {sign}");
    }
}

#[test]
fn a_mirrored_body_is_divided_alike_and_its_children_change_sides() {
    // The shape of the tree is that of the body before it was mirrored. Triangles of 2 m stand
    // apart, by steps that grow along both axes: the halves of a box are of different shapes.
    let mut dice = Dice(11);
    let mut points: Vec<[f32; 3]> = Vec::new();
    for place in 0..144u16 {
        let [x, y] = [place % 12, place / 12].map(|x| f32::from(8 * x * x) + (4.0 * dice.unit()).floor());
        points.extend([[x, y, 0.0], [x + 2.0, y, 1.0], [x, y + 2.0, 0.0]]);
    }
    let mesh = loose(&points);
    let mirrored: Vec<[f32; 3]> = points.iter().map(|p| p.map(|x| -x)).collect();
    let first = Rig::new(&mesh, Flightplan::fixed(points), 1);
    let mut second = Rig::new(&mesh, Flightplan::fixed(mirrored), 1);
    let mut clock = EventContext { queue: &mut second.queue, log: &mut second.log, now: second.now };
    let mut context = TreeContext::new(&second.motion, END, &mut clock, &mut second.changes);
    second.tree = KineticBoxTree::new(first.tree.topology.clone(), 0, &mut context);
    let mut left_is_lower = 0;
    for node in 0..first.tree.topology.nodes().len() as u32 {
        let Some((axis, [lower, upper])) = first.tree.division(node) else { continue };
        assert_eq!(second.tree.division(node), Some((axis, [upper, lower])), "node {node}");
        left_is_lower += usize::from(lower < upper);
    }
    assert!(left_is_lower > 60);
    second.audit();
}
