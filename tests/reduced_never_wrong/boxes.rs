//! Every kind of box, polytope and moving bound of one body.

use std::sync::Arc;

use kinetree::kds::{Hierarchy, KineticHierarchy, Topology};
use kinetree::math::Extent;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Directions, Frame, Level, MovingBounds, RestBoxes};
use kinetree::reduced::{Pose, ReducedBody};
use kinetree::time::Moment;

use crate::common::dice::Dice;
use crate::{Case, Tally};

/// A body with its trees, and exact extents of its nodes along some axes.
pub(crate) struct Boxes {
    name: String,
    body: Arc<ReducedBody>,
    trees: [Arc<BoundTree>; 2],
    /// Cut at a rate, whatever deviation that leaves; cut to a tolerance, where one is proven.
    moving: Vec<(&'static str, MovingBounds)>,
    axes: Vec<[f64; 3]>,
    vertices: Vec<[f64; 3]>,
    /// Per axis and node, `[least, largest]` coordinate: exact.
    exact: Vec<Vec<[f64; 2]>>,
}

const LEVELS: [(Level, &str, &str); 2] = [
    (Level::Corner, "boxes, corner", "any direction, corner"),
    (Level::Optimum, "boxes, optimum", "any direction, optimum"),
];

impl Boxes {
    pub(crate) fn new(case: &Case, dice: &mut Dice) -> Self {
        let body = case.body.clone();
        let leaf_size = dice.pick(&[1, 4, 16]);
        let tree = |boxes: RestBoxes, dice: &mut Dice| {
            let mut params = BoundParams { boxes, splits_by_influence: dice.percent(30), ..BoundParams::default() };
            params.tree.leaf_size = leaf_size;
            Arc::new(BoundTree::new(body.mesh(), params))
        };
        let trees = [tree(RestBoxes::Aligned, dice), tree(RestBoxes::Oriented, dice)];
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let mut moving = Vec::new();
        let pieces = body.pieces_at_rate(dice.pick(&[3.0, 7.5, 30.0])).unwrap();
        moving.push(("moving, at a rate", MovingBounds::new(trees[0].clone(), body.clone(), &pieces, level).unwrap()));
        // Not every motion has a bound that allows so few pieces.
        if let Ok(pieces) = body.pieces(dice.pick(&[2e-3, 2e-2])) {
            let tree = dice.pick(&trees);
            let united = MovingBounds::new(tree, body.clone(), &pieces, level).unwrap().united(1 + dice.below(3));
            moving.push(("moving, to a tolerance, united", united));
        }
        Self { name: case.name.clone(), body, trees, moving, axes: Vec::new(), vertices: Vec::new(), exact: Vec::new() }
    }

    /// Evaluates all vertices at a moment, and what they reach along the axes of all 26 directions and three more.
    fn pose(&mut self, at: Moment, dice: &mut Dice, pose: &mut Pose) {
        self.body.pose(at, pose);
        self.body.mesh().evaluate_all(pose, &mut self.vertices).unwrap();
        self.axes = Directions::twenty_six().axes().to_vec();
        self.axes.extend((0..3).map(|_| -> [f64; 3] { std::array::from_fn(|_| dice.real(-1.0, 1.0)) }));
    }

    fn extents(&mut self, tree: usize) {
        let topology = self.trees[tree].topology();
        self.exact = self.axes.iter().map(|axis| extents(topology, &self.vertices, axis)).collect();
    }

    fn check(&self, what: &str, at: Moment, node: u32, axis: usize, found: [f64; 2]) {
        let [least, most] = self.exact[axis][node as usize];
        assert!(
            found[0] <= least && most <= found[1],
            "{} at {at:?}, node {node}, {what} along {:?}: {found:?} misses [{least}, {most}]",
            self.name,
            self.axes[axis]
        );
    }

    /// All kinds at one random moment, at some random nodes.
    pub(crate) fn look(&mut self, dice: &mut Dice, tally: &mut Tally) {
        let span = self.body.driver().span();
        let time = dice.real(span.begin, span.end);
        let at = if dice.percent(50) { Moment::at(time) } else { Moment::after(time) };
        let mut pose = Pose::default();
        self.pose(at, dice, &mut pose);
        for tree in 0..2 {
            self.extents(tree);
            let nodes = self.trees[tree].topology().nodes().len();
            // Many nodes of a pose: evaluating all its vertices along all axes is what costs.
            let some: Vec<u32> = (0..(nodes / 2).clamp(8, 512)).map(|_| dice.below(nodes) as u32).collect();
            self.posed(tree, &pose, at, &some, dice, tally);
            for place in 0..self.moving.len() {
                if std::ptr::eq(self.moving[place].1.tree(), self.trees[tree].as_ref()) {
                    self.moved(place, at, &some, dice, tally);
                }
            }
        }
    }

    fn posed(&self, tree: usize, pose: &Pose, at: Moment, nodes: &[u32], dice: &mut Dice, tally: &mut Tally) {
        let (is_oriented, tree) = (tree == 1, &self.trees[tree]);
        let frame = Frame::of_pose(tree, pose).unwrap();
        let polytopes = [
            ("polytopes of 14", Directions::fourteen()),
            ("polytopes of 18", Directions::eighteen()),
            ("polytopes of 26", Directions::twenty_six()),
        ];
        let mut out = Vec::new();
        for (place, &node) in nodes.iter().enumerate() {
            for (level, boxes, directions) in LEVELS {
                let bounds = tree.node_box(node, &frame, level);
                let name = if is_oriented { "boxes, oriented at rest" } else { boxes };
                (0..3).for_each(|axis| self.check(name, at, node, axis, [bounds.min[axis], bounds.max[axis]]));
                tally.add(name, 6);
                for axis in self.axes.len() - 3..self.axes.len() {
                    self.check(directions, at, node, axis, tree.support(node, &frame, level, self.axes[axis]));
                }
                tally.add(directions, 6);
            }
            let level = dice.pick(&[Level::Corner, Level::Optimum]);
            let united = tree.united_box(node, &frame, level, 1 + dice.below(5));
            (0..3).for_each(|axis| self.check("united", at, node, axis, [united.min[axis], united.max[axis]]));
            tally.add("boxes, united", 6);
            // At every second node each: a polytope has more directions than a box.
            for (_, (name, directions)) in polytopes.iter().enumerate().filter(|(kind, _)| (place + kind) % 2 == 0) {
                tree.polytope(node, &frame, level, directions, &mut out);
                for (axis, &found) in directions.axes().iter().zip(&out) {
                    let known = self.axes.iter().position(|other| other == axis).unwrap();
                    self.check(name, at, node, known, found);
                }
                let name = if is_oriented { "polytopes, oriented at rest" } else { name };
                tally.add(name, 2 * out.len());
            }
        }
    }

    fn moved(&mut self, place: usize, at: Moment, nodes: &[u32], dice: &mut Dice, tally: &mut Tally) {
        if at.time() >= self.moving[place].1.epoch_end() || dice.percent(20) {
            self.moving[place].1.start_epoch(at);
        }
        let (name, moving) = &self.moving[place];
        for &node in nodes {
            let bounds = moving.node_box(node, at);
            let sides = moving.bounds(node, at);
            for axis in 0..3 {
                self.check(name, at, node, axis, [bounds.min[axis], bounds.max[axis]]);
                let side = |extent: Extent| sides[extent.index()].at(at.time());
                let [least, most] = [Extent::min(axis), Extent::max(axis)].map(side);
                self.check("certificates", at, node, axis, [least - moving.slack(), most + moving.slack()]);
            }
            tally.add(name, 6);
            tally.add("certificates, interpolated", 6);
        }
    }
}

/// What all vertices of every node reach along an axis.
fn extents(topology: &Topology, vertices: &[[f64; 3]], axis: &[f64; 3]) -> Vec<[f64; 2]> {
    let along: Vec<f64> = vertices.iter().map(|p| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]).collect();
    let mut exact = vec![[f64::INFINITY, f64::NEG_INFINITY]; topology.nodes().len()];
    let join = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a.min(c), b.max(d)];
    for node in topology.upward() {
        let mut own = exact[node as usize];
        for &vertex in topology.leaf_points(node) {
            own = join(own, [along[vertex as usize]; 2]);
        }
        for &child in topology.node(node).children() {
            own = join(own, exact[child as usize]);
        }
        exact[node as usize] = own;
    }
    exact
}

/// Looks at bodies in turns until every kind of bound has so many checks.
pub(crate) fn check(cases: &[Case], wanted: usize, dice: &mut Dice) -> Tally {
    let mut tally = Tally::default();
    let mut bodies: Vec<Boxes> = cases.iter().map(|case| Boxes::new(case, dice)).collect();
    let mut rounds = 0;
    while rounds < 2 || tally.least() < wanted {
        bodies.iter_mut().for_each(|body| body.look(dice, &mut tally));
        rounds += 1;
        assert!(rounds < 10_000_000, "a kind without checks");
    }
    tally
}
