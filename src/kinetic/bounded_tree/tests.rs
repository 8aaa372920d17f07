//! The tree of a reduced body by itself: a row of triangles whose vertices jump about from key to
//! key, with boxes that are exact unless a test says otherwise.

use std::sync::Arc;

use super::{KineticBoundedTree, Sides, View};
use crate::bvh::{BuildParams, Hierarchy, KeyedBoxes, Topology, tight_boxes};
use crate::kinetic::event::{EventLog, EventQueue};
use crate::kinetic::{EventContext, KineticHierarchy, KineticTree, SlotChange, TreeContext};
use crate::limits;
use crate::math::{Aabb, Extent};
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion, Outside, Piece, Sampler, VertexFlightplan};
use crate::time::{Moment, NEVER, Side};

/// The number of triangles, of which two neighbours share a vertex.
const TRIANGLES: usize = 40;
const VERTICES: usize = 2 * TRIANGLES + 1;
/// Coordinates are integers below this.
const MOST: i64 = 1000;

/// Positions that follow from the number of the key, its side and the vertex.
#[derive(Debug)]
pub(super) struct Poses {
    pub(super) times: Vec<f64>,
    jumps: Vec<bool>,
    outside: Outside,
    rest: Vec<[f32; 3]>,
}

impl Poses {
    /// Keys every half second from 0 s on.
    pub(super) fn new(keys: usize, jump: Option<usize>, outside: Outside) -> Arc<Self> {
        let times = (0..keys).map(|key| 0.5 * key as f64).collect();
        let jumps = (0..keys).map(|key| Some(key) == jump).collect();
        Arc::new(Self { times, jumps, outside, rest: vec![[0.0; 3]; VERTICES] })
    }

    pub(super) fn motion(self: &Arc<Self>) -> Motion {
        Motion::new(Flightplan::sampled(self.clone()), VERTICES, KeyLayout::VertexMajor).expect("a usable plan")
    }

    fn all(&self, key: usize, side: Side) -> Vec<[f64; 3]> {
        (0..VERTICES as u32).map(|vertex| self.position(key, side, vertex)).collect()
    }
}

impl Sampler for Poses {
    fn vertex_count(&self) -> usize {
        VERTICES
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn jumps(&self) -> &[bool] {
        &self.jumps
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn largest_coordinate(&self) -> f64 {
        MOST as f64
    }

    fn largest_speed(&self) -> f64 {
        4.0 * MOST as f64
    }

    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        let leap = if self.jumps[key] && side == Side::After { 500 } else { 0 };
        let (key, vertex) = (key as i64, i64::from(vertex));
        let axis = |prime: i64| ((vertex * 3 + key * key * prime + leap) % (2 * MOST - 1) - MOST + 1) as f64;
        [axis(7), axis(11), axis(13)]
    }
}

/// The boxes of the vertices, changed by what a test says.
struct Boxes<F> {
    poses: Arc<Poses>,
    topology: Topology,
    change: F,
}

impl<F> std::fmt::Debug for Boxes<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Boxes")
    }
}

impl<F: Fn(Aabb, (usize, Side), u32) -> Aabb + Send + Sync> KeyedBoxes for Boxes<F> {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        let places: Vec<[f64; 3]> =
            self.topology.vertices_below(node).iter().map(|&vertex| self.poses.position(key, side, vertex)).collect();
        (self.change)(Aabb::of_points(&places), (key, side), node)
    }

    fn bytes(&self) -> usize {
        1000
    }
}

fn mesh() -> Mesh {
    let triangles = (0..TRIANGLES as u32).map(|t| [2 * t, 2 * t + 1, 2 * t + 2]).collect();
    Mesh::new(VERTICES, triangles).expect("a valid mesh")
}

fn topology() -> Topology {
    let places: Vec<[f64; 3]> = (0..VERTICES).map(|v| [v as f64, 0.0, 0.0]).collect();
    Topology::build(&mesh(), &places, BuildParams { leaf_size: 1, ..BuildParams::default() })
}

/// Calls with a context at a moment; the tree schedules nothing and reports no slot.
fn at<T>(motion: &Motion, now: Moment, call: impl FnOnce(&mut TreeContext<'_, '_>) -> T) -> T {
    let (mut queue, mut log, mut changes) = (EventQueue::new(), EventLog::new(true), Vec::<SlotChange>::new());
    let mut events = EventContext { queue: &mut queue, log: &mut log, now };
    let until = motion.epoch_end(now).time();
    let outcome = call(&mut TreeContext::new(motion, until, &mut events, &mut changes));
    assert!(queue.is_empty() && log.count() == 0 && changes.is_empty());
    outcome
}

pub(super) fn tree_with<F>(poses: &Arc<Poses>, change: F) -> KineticBoundedTree
where
    F: Fn(Aabb, (usize, Side), u32) -> Aabb + Send + Sync + 'static,
{
    let boxes = Boxes { poses: poses.clone(), topology: topology(), change };
    at(&poses.motion(), Moment::at(0.0), |context| KineticBoundedTree::new(Box::new(boxes), context))
}

pub(super) fn tree(poses: &Arc<Poses>) -> KineticBoundedTree {
    tree_with(poses, |bounds, _, _| bounds)
}

/// The pieces of all boxes between two keys, from the vertices alone.
fn pieces_between(poses: &Poses, keys: [(usize, Side); 2], [begin, end]: [f64; 2]) -> Vec<[Piece; 6]> {
    let [first, last] = keys.map(|(key, side)| tight_boxes(&topology(), &poses.all(key, side)));
    let side = |bounds: &Aabb, extent: Extent| {
        if extent.is_max() { bounds.max[extent.axis()] } else { bounds.min[extent.axis()] }
    };
    let pieces = |(first, last): (&Aabb, &Aabb)| {
        Extent::ALL.map(|extent| Piece::linear(begin, end, side(first, extent), side(last, extent)))
    };
    first.iter().zip(&last).map(pieces).collect()
}

fn assert_bounds(view: View<'_>, at: Moment, truth: &[[Piece; 6]]) {
    for (node, pieces) in (0..).zip(truth) {
        assert_eq!(view.bounds(node, at), *pieces, "node {node} at {at:?}");
        let extent = Extent::ALL[node as usize % 6];
        assert_eq!(view.bound(node, extent, at), pieces[extent.index()], "node {node}, {extent:?} at {at:?}");
        let bounds = Aabb::of_sides(|extent| pieces[extent.index()].at(at.time())).inflated(view.slack());
        assert_eq!(view.node_box(node, at), bounds, "node {node} at {at:?}");
    }
}

#[test]
fn bounds_go_from_key_to_key_within_the_epoch_and_outside() {
    let poses = Poses::new(40, None, Outside::Hold);
    let (motion, tree) = (poses.motion(), tree(&poses));
    let (first, last) = (poses.times[0], poses.times[39]);
    let place = |at: Moment| {
        // Where a key is, it ends a piece at its time and begins one just after it.
        let next = poses.times.iter().filter(|&&key| Moment::at(key) < at).count();
        match next {
            0 => ([(0, Side::After); 2], [f64::NEG_INFINITY, first]),
            40 => ([(39, Side::At); 2], [last, f64::INFINITY]),
            _ => ([(next - 1, Side::After), (next, Side::At)], [poses.times[next - 1], poses.times[next]]),
        }
    };
    // The first epoch ends at 8 s.
    for time in [-1.0, 0.0, 0.25, 0.5, 3.75, 4.0, 7.5, 7.75, 8.0, 8.125, 8.5, 19.0, 19.5, 33.0] {
        for at in [Moment::at(time), Moment::after(time)] {
            let (keys, span) = place(at);
            let truth = pieces_between(&poses, keys, span);
            for now in [at, Moment::at(1.25), Moment::after(8.0)] {
                let view = tree.kinetic_view(&motion, 0.125, 8.0, now);
                assert_eq!((view.slack(), view.epoch_end()), (0.125, 8.0));
                assert_bounds(view, at, &truth);
            }
            let leaf = tree.topology().leaves_of(5)[0];
            let pieces = tree.leaf_pieces(leaf, &motion, at);
            let is_of_epoch = at <= Moment::at(8.0);
            assert_eq!(pieces.is_some(), is_of_epoch, "{at:?}");
            for (&vertex, pieces) in tree.topology().leaf_points(leaf).iter().zip(pieces.iter().flatten()) {
                assert_eq!(*pieces, [0, 1, 2].map(|axis| motion.piece(vertex, axis, at)), "{vertex} at {at:?}");
            }
        }
    }
}

#[test]
fn in_a_loop_nothing_rests_before_the_keys_of_an_epoch_or_after_them() {
    let poses = Poses::new(9, None, Outside::Loop);
    let (motion, mut tree) = (poses.motion(), tree(&poses));
    // Rounds of 4 s: at its end the last key holds, and the first one just after it.
    for round in 0..3 {
        let begin = 4.0 * f64::from(round);
        if round > 0 {
            at(&motion, Moment::after(begin), |context| tree.certify_all(context));
        }
        for key in 0..8 {
            let span = [0.0, 0.5].map(|more| begin + 0.5 * key as f64 + more);
            let keys = [(key, Side::After), (key + 1, Side::At)];
            let truth = pieces_between(&poses, keys, span);
            for now in [Moment::after(span[0]), Moment::at(span[0] + 0.125), Moment::at(span[1])] {
                assert_bounds(tree.kinetic_view(&motion, 0.0, 4.0, now), now, &truth);
            }
            // Of the rounds before and after nothing is known, and the same is said.
            for round in [-4.0, 4.0].into_iter().filter(|_| key % 3 == 1) {
                let other = pieces_between(&poses, keys, span.map(|time| time + round));
                let (now, then) = (Moment::at(span[1]), Moment::at(span[0] + 0.125 + round));
                assert_bounds(tree.kinetic_view(&motion, 0.0, 4.0, now), then, &other);
                assert_bounds(tree.kinetic_view(&motion, 0.0, 4.0, then), then, &other);
            }
        }
    }
}

#[test]
fn epochs_end_after_some_pieces_at_jumps_and_at_wraps() {
    let ends = |poses: &Arc<Poses>| {
        let (motion, mut at, mut ends) = (poses.motion(), Moment::at(0.0), Vec::new());
        for _ in 0..3 {
            at = KineticBoundedTree::epoch_end(&motion, at);
            ends.push(at);
            assert_eq!(KineticTree::Bounded(tree(poses)).epoch_end(&motion, Moment::at(0.0)), ends[0]);
            if at.time() == NEVER {
                break;
            }
        }
        ends
    };
    let after = |times: &[f64]| -> Vec<Moment> { times.iter().map(|&time| Moment::after(time)).collect() };
    assert_eq!(ends(&Poses::new(40, None, Outside::Hold)), after(&[8.0, 16.0, NEVER]));
    assert_eq!(ends(&Poses::new(40, Some(10), Outside::Hold)), after(&[5.0, 13.0, NEVER]));
    assert_eq!(ends(&Poses::new(9, None, Outside::Loop)), after(&[4.0, 8.0, 12.0]));
    assert_eq!(ends(&Poses::new(21, None, Outside::Loop)), after(&[8.0, 10.0, 18.0]));
}

#[test]
fn nothing_of_an_epoch_is_kept_for_the_next() {
    // Three epochs of sixteen pieces, one up to a jump, and one that is longer again.
    let poses = Poses::new(82, Some(53), Outside::Hold);
    let (motion, mut tree) = (poses.motion(), tree(&poses));
    let (mut now, mut lengths) = (Moment::at(0.0), Vec::new());
    loop {
        lengths.push(tree.keys.times.len());
        let end = KineticBoundedTree::epoch_end(&motion, now);
        for key in (0..81).filter(|&key| poses.times[key] >= now.time() && poses.times[key + 1] <= end.time()) {
            let span = [poses.times[key], poses.times[key + 1]];
            let truth = pieces_between(&poses, [(key, Side::After), (key + 1, Side::At)], span);
            let middle = Moment::at(span[0] + 0.125);
            assert_bounds(tree.kinetic_view(&motion, 0.0, end.time(), middle), middle, &truth);
            let leaf = tree.topology().leaves_of(9)[0];
            let pieces = tree.leaf_pieces(leaf, &motion, middle).expect("the epoch holds it");
            for (&vertex, pieces) in tree.topology().leaf_points(leaf).iter().zip(pieces) {
                assert_eq!(pieces, [0, 1, 2].map(|axis| motion.piece(vertex, axis, middle)), "{vertex}, key {key}");
            }
        }
        if end.time() == NEVER {
            break;
        }
        now = end;
        at(&motion, now, |context| tree.certify_all(context));
    }
    assert_eq!(lengths, [17, 17, 17, 6, 17, 13]);
}

#[test]
fn a_tree_without_its_motion_bounds_nothing() {
    let poses = Poses::new(40, None, Outside::Hold);
    let mut tree = tree(&poses);
    let now = Moment::at(1.25);
    let most = f64::from(limits::MAX_COORDINATE as f32);
    let everything = Aabb { min: [-most; 3], max: [most; 3] };
    let fixed = Motion::new(Flightplan::fixed(vec![[0.0; 3]; VERTICES]), VERTICES, KeyLayout::VertexMajor);
    // One vertex goes its own way: what is known of the epoch holds no more.
    let mut own = poses.motion();
    own.set_vertex_plans(&[(3, VertexFlightplan::Fixed { position: [9e9; 3] })], now).expect("a usable plan");
    for motion in [own, fixed.expect("a usable plan")] {
        at(&motion, now, |context| tree.certify_all(context));
        for node in tree.topology().upward() {
            for at in [now, Moment::after(1.25), Moment::at(99.0)] {
                let view = tree.kinetic_view(&motion, 0.0, 8.0, now);
                assert_eq!(view.node_box(node, at), everything, "node {node} at {at:?}");
                let piece = view.bound(node, Extent::min(1), at);
                assert_eq!(piece, Piece::constant(f64::NEG_INFINITY, f64::INFINITY, -most));
            }
        }
        let faults = tree.audit(&motion, 0.0, 8.0, now).faults;
        assert_eq!(faults.iter().map(|fault| &*fault.0).collect::<Vec<_>>(), ["the motion is not that of its sampler"]);
    }
}

#[test]
fn sides_are_rounded_outward_and_no_wider_than_the_stated_reach() {
    let poses = Poses::new(2, None, Outside::Hold);
    // Along x neither side is an f32, along y both are, along z they are beyond the reach or no
    // numbers.
    let given = |x: [f64; 2], z: [f64; 2]| Aabb { min: [x[0], -2.5, z[0]], max: [x[1], 7.0, z[1]] };
    let reach = MOST as f32;
    let ends = [[f64::NEG_INFINITY, f64::INFINITY], [f64::NAN; 2], [-1e30, 1e30], [-1000.5, 1000.25]];
    for (x, z) in [[-0.1, 0.1], [0.1, 0.3], [-0.3, -0.1], [1.0 / 3.0; 2]].into_iter().zip(ends) {
        let tree = tree_with(&poses, move |_, _, _| given(x, z));
        let sides: Sides = tree.made(0, (0, Side::After), None);
        assert_eq!(sides[2..], [-2.5, 7.0, -reach, reach], "{z:?}");
        let [low, high] = [sides[0], sides[1]];
        assert!(f64::from(low) < x[0] && f64::from(low.next_up()) > x[0], "{low:e} below {}", x[0]);
        assert!(f64::from(high) > x[1] && f64::from(high.next_down()) < x[1], "{high:e} above {}", x[1]);
    }
    // What lies beyond the reach on one side is taken to be there.
    let tree = tree_with(&poses, |_, _, _| Aabb { min: [2e3, -3e3, -1.0], max: [4e3, -2e3, 1.0] });
    assert_eq!(tree.made(0, (1, Side::At), None), [reach, reach, -reach, -reach, -1.0, 1.0]);
}

#[test]
fn the_box_of_a_child_is_the_part_within_its_parent() {
    let poses = Poses::new(2, None, Outside::Hold);
    let own = Aabb { min: [0.0, 2.0, 4.0], max: [1.0, 3.0, 5.0] };
    let tree = tree_with(&poses, move |_, _, _| own);
    let made = |parent: Sides| tree.made(1, (0, Side::After), Some(&parent));
    assert_eq!(made([-1.0, 0.5, 2.5, 9.0, 3.0, 6.0]), [0.0, 0.5, 2.5, 3.0, 4.0, 5.0]);
    // Where they only touch, that place is both; where they are apart, the parent is right.
    assert_eq!(made([1.0, 7.0, -5.0, 2.0, 6.0, 8.0]), [1.0, 1.0, 2.0, 2.0, 6.0, 8.0]);
    assert_eq!(made([-3.0, -1.0, 4.0, 4.0, 0.0, 1.0]), [-3.0, -1.0, 4.0, 4.0, 0.0, 1.0]);
    // Children that are too large at a key are cut to what is above them, on all ways.
    let wide = tree_with(&poses, |bounds, _, node| bounds.inflated(f64::from(node)));
    let (motion, now) = (poses.motion(), Moment::at(0.25));
    let view = wide.kinetic_view(&motion, 0.0, NEVER, now);
    let root = view.node_box(0, now);
    for node in wide.topology().upward() {
        assert!(root.union(&view.node_box(node, now)) == root, "node {node}");
    }
}
