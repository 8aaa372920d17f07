//! The audit of a list finds what is corrupted in it.

mod ahead;
mod damage;
mod fast_forms;
mod moving;
mod rows;

use super::{SeparationList, State};
use crate::bvh::{BuildParams, Builder, SharedVertices, Topology};
use crate::kinetic::event::{EventLog, EventQueue};
use crate::kinetic::{EventContext, KineticTree, TreeContext, TreeKind};
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion};
use crate::time::Moment;

/// The first horizon of endless motion, seconds.
const END: f64 = crate::tuning::FIRST_HORIZON;

/// Triangles along x, each welded to the next one at the first key; from then on every other one,
/// or every other group of some neighbours, goes away along y.
fn parting(count: usize, together: usize) -> (Mesh, Flightplan) {
    let corner = |v: usize| [(v / 3 + v % 3 % 2) as f32, 0.0, (v % 3 / 2) as f32];
    let rest: Vec<[f32; 3]> = (0..3 * count).map(corner).collect();
    let gone = rest.iter().enumerate().map(|(v, &[x, y, z])| [x, y + 9.0 * (v / 3 / together % 2) as f32, z]);
    let keys = rest.iter().copied().chain(gone).collect();
    let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    (Mesh::new(3 * count, triangles).expect("a valid mesh"), Flightplan::keyframes(vec![0.0, 1.0], keys))
}

/// A body with itself, and its list, advanced to a time.
struct Rig {
    motion: Motion,
    tree: KineticTree,
    queue: EventQueue,
    list: SeparationList,
}

impl Rig {
    fn at(time: f64) -> Self {
        Self::of_leaves(1, time)
    }

    /// With some triangles in each leaf, which go away together.
    fn of_leaves(leaf_size: usize, time: f64) -> Self {
        Self::of_groups(leaf_size, leaf_size, time)
    }

    /// With some triangles in each leaf, and some neighbours that go away together.
    fn of_groups(leaf_size: usize, together: usize, time: f64) -> Self {
        let (mesh, plan) = parting(8, together);
        let seams = mesh.weld_checked(plan.rest_positions(mesh.vertex_count()));
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::VertexMajor).expect("a usable plan");
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(false), Moment::at(0.0));
        let mut positions = Vec::new();
        motion.positions(now, &mut positions);
        let builder = if together == 1 { Builder::BinnedSurfaceArea } else { Builder::MedianSplit };
        let params = BuildParams { builder, leaf_size, ..BuildParams::default() };
        let topology = Topology::build(&mesh, &positions, params);
        let shared_vertices = SharedVertices::new(&topology, &mesh, &seams, true);
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let mut changes = Vec::new();
        let mut context = TreeContext::new(&motion, END, &mut clock, &mut changes);
        let mut tree = KineticTree::new(TreeKind::Aabb, topology, 0, &mut context);
        let slack = motion.slack(now);
        let mut list =
            SeparationList::of_one(&tree.kinetic_view(&motion, slack, END, now), shared_vertices, 1, &mut clock);
        while let Some(event) = queue.pop_until(Moment::at(time)) {
            let mut clock = EventContext { queue: &mut queue, log: &mut log, now: event.moment };
            if event.owner == 1 {
                let view = tree.kinetic_view(&motion, slack, END, event.moment);
                list.process(event, (&view, &view), &mut clock);
                continue;
            }
            let mut changes = Vec::new();
            tree.process(event, &mut TreeContext::new(&motion, END, &mut clock, &mut changes));
            for change in changes {
                let view = tree.kinetic_view(&motion, slack, END, event.moment);
                for side in 0..2 {
                    list.bound_changed(side, change, (&view, &view), &mut clock);
                }
            }
        }
        Self { motion, tree, queue, list }
    }

    fn positions(&self, time: f64) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        self.motion.positions(Moment::at(time), &mut positions);
        positions
    }

    /// How many faults an audit finds at a time without events.
    fn faults(&self, time: f64) -> usize {
        let slack = self.motion.slack(Moment::at(time));
        let grown: Vec<Aabb> =
            self.tree.boxes_from(&self.positions(time)).iter().map(|bounds| bounds.inflated(slack)).collect();
        let side = (self.tree.topology(), &grown[..]);
        self.list.audit(side, side, slack, &self.queue).faults.len()
    }

    fn first(&self, is_wanted: impl Fn(State, [u32; 2]) -> bool) -> usize {
        let found = self.list.pairs.iter().find(|(_, pair)| is_wanted(pair.state, pair.nodes));
        found.expect("a pair of this state").0
    }
}

#[test]
fn sound_lists_are_clean_before_and_after_welds_part() {
    for time in [0.0, 0.3, 0.9, 1.5] {
        let rig = Rig::at(time);
        assert_eq!(rig.faults(time + 1e-3), 0, "{time}");
        assert!(rig.list.excluded > 0);
    }
}

/// Two groups of four triangles, each below one node, part from each other. Their leaves that had a
/// common corner stay listed or excluded, and so do the pairs above these.
#[test]
fn pairs_above_leaves_whose_corners_parted_are_no_faults() {
    for leaf_size in [1, 2] {
        let rig = Rig::of_groups(leaf_size, 4, 1.5);
        assert_eq!(rig.faults(1.6), 0, "{leaf_size}");
        let boxes = rig.tree.boxes_from(&rig.positions(1.6));
        let is_apart = |[a, b]: [u32; 2]| boxes[a as usize].max[1] < boxes[b as usize].min[1];
        rig.first(|state, nodes| matches!(state, State::Inner { .. }) && is_apart(nodes));
    }
}

#[test]
fn a_pair_that_is_gone_is_missed() {
    let mut rig = Rig::at(0.5);
    let apart = rig.first(|state, _| matches!(state, State::Apart));
    let nodes = rig.list.pairs[apart].nodes;
    // It stands where another pair does.
    rig.list.pairs[apart].nodes = [nodes[0], nodes[0]];
    assert!(rig.faults(0.501) > 0);
}

#[test]
fn leaves_apart_that_overlap_are_found_out() {
    // At first all triangles touch their neighbours' boxes.
    let mut rig = Rig::at(0.0);
    let list = &mut rig.list;
    for (_, pair) in list.pairs.iter_mut() {
        if pair.state == State::Excluded && pair.nodes[0] == pair.nodes[1] {
            pair.state = State::Apart;
            break;
        }
    }
    assert!(rig.faults(1e-3) > 0);
}

#[test]
fn disjoint_leaves_that_stay_listed_though_apart_are_found_out() {
    // Without common corners nothing excuses leaves that are listed though they are apart.
    let mut rig = Rig::at(1.5);
    let (mesh, _) = parting(8, 1);
    let seams = crate::mesh::Seams::none(mesh.vertex_count());
    rig.list.shared_vertices = Some(SharedVertices::new(rig.tree.topology(), &mesh, &seams, true));
    assert!(rig.faults(1.6) > 0);
}

#[test]
fn an_open_pair_above_strangers_is_found_out() {
    let mut rig = Rig::at(1.5);
    let apart = rig.first(|state, [a, b]| matches!(state, State::Apart) && a != b);
    rig.list.pairs[apart].state = State::Overlapping { place: 0 };
    assert!(rig.faults(1.6) > 0);
}
