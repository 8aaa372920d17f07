//! Every kind of box, polytope and moving bound of one body.

use std::sync::Arc;

use kinetree::bvh::Hierarchy;
use kinetree::kinetic::KineticHierarchy;
use kinetree::math::{Aabb, Extent};
use kinetree::narrow::ContactRule;
use kinetree::reduced::bounds::{
    BoundParams, BoundTree, Directions, Frame, Level, MovingBounds, PairQuery, PosedBounds, RestBoxes,
};
use kinetree::reduced::{Pose, ReducedBody};
use kinetree::time::Moment;

use crate::common::dice::Dice;
use crate::exact::{AXES, Along, Exact, RANDOM, along, axes};
use crate::{Case, Tally};

/// A body with its trees: rest boxes along the axes, and along directions of their own.
pub(crate) struct Boxes {
    name: String,
    body: Arc<ReducedBody>,
    trees: [Arc<BoundTree>; 2],
    level: Level,
    /// Cut at a rate, whatever deviation that leaves; cut to a tolerance, where one is proven. With which tree.
    moving: Vec<(usize, [&'static str; 2], MovingBounds)>,
}

/// What changes with every look.
struct State<'a> {
    of: &'a Boxes,
    moving: Vec<MovingBounds>,
    /// Made on demand in `f32`; the same once more, to meet it.
    posed: [PosedBounds<'a>; 2],
    pose: Pose,
    vertices: Vec<[f64; 3]>,
    axes: [[f64; 3]; AXES],
    along: Vec<Along>,
    exact: [Exact; 2],
}

/// Per tree, kinds of its bounds.
const CORNER: [[&str; 2]; 2] =
    [["boxes, corner", "any direction, corner"], ["oriented, boxes, corner", "oriented, any direction, corner"]];
const OPTIMUM: [[&str; 2]; 2] =
    [["boxes, optimum", "any direction, optimum"], ["oriented, boxes, optimum", "oriented, any direction, optimum"]];
const UNITED: [&str; 2] = ["boxes, united", "oriented, boxes, united"];
const POLYTOPES: [[&str; 3]; 2] = [
    ["polytopes of 14", "polytopes of 18", "polytopes of 26"],
    ["oriented, polytopes of 14", "oriented, polytopes of 18", "oriented, polytopes of 26"],
];
const LEVELS: [Level; 2] = [Level::Corner, Level::Optimum];

/// Pairs of triangles are found, none is tested.
struct NoPair;

impl ContactRule for NoPair {
    fn wants(&self, _: u32, _: u32) -> bool {
        false
    }
}

impl Boxes {
    fn new(case: &Case, dice: &mut Dice) -> Self {
        let body = case.body.clone();
        let leaf_size = dice.pick(&[1, 4, 16]);
        let tree = |boxes: RestBoxes, dice: &mut Dice| {
            let mut params = BoundParams { boxes, splits_by_influence: dice.percent(30), ..BoundParams::default() };
            params.tree.leaf_size = leaf_size;
            Arc::new(BoundTree::new(body.mesh(), params))
        };
        let trees = [tree(RestBoxes::Aligned, dice), tree(RestBoxes::Oriented, dice)];
        let level = dice.pick(&LEVELS);
        let mut moving = Vec::new();
        let pieces = body.pieces_at_rate(dice.pick(&[3.0, 7.5, 30.0])).unwrap();
        let bounds = MovingBounds::new(trees[0].clone(), body.clone(), &pieces, level).unwrap();
        moving.push((0, ["moving, at a rate", "moving, at a rate, certificates"], bounds));
        // Not every motion has a bound that allows so few pieces.
        if let Ok(pieces) = body.pieces(dice.pick(&[2e-3, 2e-2])) {
            let tree = dice.below(2);
            let bounds = MovingBounds::new(trees[tree].clone(), body.clone(), &pieces, level).unwrap();
            let names = ["moving, to a tolerance, united", "moving, to a tolerance, united, certificates"];
            moving.push((tree, names, bounds.united(1 + dice.below(3))));
        }
        Self { name: case.name.clone(), body, trees, level, moving }
    }
}

impl<'a> State<'a> {
    fn new(of: &'a Boxes, dice: &mut Dice) -> Self {
        let (body, tree) = (&of.body, &of.trees[0]);
        let mut pose = Pose::default();
        body.pose(Moment::at(body.driver().span().begin), &mut pose);
        let posed = [0, 1].map(|_| PosedBounds::new(tree, body.mesh(), of.level, &pose).unwrap());
        Self {
            of,
            moving: of.moving.iter().map(|(.., bounds)| bounds.clone()).collect(),
            posed,
            pose,
            vertices: Vec::new(),
            axes: axes(dice),
            along: Vec::new(),
            exact: [0, 1].map(|tree| Exact::new(of.trees[tree].topology(), body.mesh())),
        }
    }

    fn check(&self, tree: usize, what: &str, at: Moment, node: u32, axis: usize, found: [f64; 2]) {
        let [least, most] = self.exact[tree].of(node, axis);
        assert!(
            found[0] <= least && most <= found[1],
            "{} at {at:?}, node {node}, {what} along {:?}: {found:?} misses [{least}, {most}]",
            self.of.name,
            self.axes[axis]
        );
    }

    fn check_box(&self, tree: usize, what: &str, at: Moment, node: u32, found: &Aabb) {
        (0..3).for_each(|axis| self.check(tree, what, at, node, axis, [found.min[axis], found.max[axis]]));
    }

    /// All kinds at a moment, at so many random nodes.
    fn look(&mut self, at: Moment, nodes: usize, dice: &mut Dice, tally: &mut Tally) {
        self.of.body.pose(at, &mut self.pose);
        self.of.body.mesh().evaluate_all(&self.pose, &mut self.vertices).unwrap();
        self.axes = axes(dice);
        along(&self.axes, &self.vertices, &mut self.along);
        for tree in 0..2 {
            self.exact[tree].set(&self.along);
            self.exact[tree].choose(nodes, dice);
            self.directly(tree, at, dice, tally);
        }
        self.on_demand(at, dice, tally);
        for place in 0..self.moving.len() {
            self.moved(place, at, dice, tally);
        }
    }

    fn directly(&self, tree: usize, at: Moment, dice: &mut Dice, tally: &mut Tally) {
        let (bounds, nodes) = (&self.of.trees[tree], self.exact[tree].chosen());
        let frame = Frame::of_pose(bounds, &self.pose).unwrap();
        for (level, [boxes, directions]) in LEVELS.into_iter().zip([CORNER[tree], OPTIMUM[tree]]) {
            for &node in nodes {
                self.check_box(tree, boxes, at, node, &bounds.node_box(node, &frame, level));
                for axis in RANDOM..AXES {
                    self.check(tree, directions, at, node, axis, bounds.support(node, &frame, level, self.axes[axis]));
                }
            }
            tally.add(boxes, 6 * nodes.len());
            tally.add(directions, 2 * (AXES - RANDOM) * nodes.len());
        }
        let (levels, level) = (1 + dice.below(5), dice.pick(&LEVELS));
        for &node in nodes {
            self.check_box(tree, UNITED[tree], at, node, &bounds.united_box(node, &frame, level, levels));
        }
        tally.add(UNITED[tree], 6 * nodes.len());
        let kinds = [Directions::fourteen(), Directions::eighteen(), Directions::twenty_six()];
        let mut out = Vec::new();
        for (kind, directions) in kinds.iter().enumerate() {
            let places: Vec<usize> = directions
                .axes()
                .iter()
                .map(|axis| self.axes.iter().position(|other| other == axis).unwrap())
                .collect();
            // A polytope has more directions than a box, so fewer nodes are as many checks.
            let few = &nodes[..(6 * nodes.len()).div_ceil(2 * places.len())];
            let level = dice.pick(&LEVELS);
            for &node in few {
                bounds.polytope(node, &frame, level, directions, &mut out);
                assert_eq!(out.len(), places.len());
                for (&axis, &found) in places.iter().zip(&out) {
                    self.check(tree, POLYTOPES[tree][kind], at, node, axis, found);
                }
            }
            tally.add(POLYTOPES[tree][kind], 2 * places.len() * few.len());
        }
    }

    /// Boxes in `f32`; now and then after a query that evaluated vertices for some of them.
    fn on_demand(&mut self, at: Moment, dice: &mut Dice, tally: &mut Tally) {
        self.posed[0].set_pose(&self.pose).unwrap();
        if dice.percent(4) {
            let root = self.exact[0].of(0, 0);
            let mut aside = self.pose.clone();
            let far = dice.real(-1.0, 1.0) * (root[1] - root[0]);
            aside.maps.iter_mut().for_each(|map| map.shift[0] += far);
            self.posed[1].set_pose(&aside).unwrap();
            let [one, other] = &mut self.posed;
            PairQuery::default().touching(one, other, &NoPair, &mut |_, _| unreachable!()).unwrap();
        }
        let nodes = self.exact[0].chosen().len();
        for place in 0..nodes {
            let node = self.exact[0].chosen()[place];
            let found = self.posed[0].node_box(node);
            self.check_box(0, "boxes, on demand in f32", at, node, &found);
        }
        tally.add("boxes, on demand in f32", 6 * nodes);
    }

    fn moved(&mut self, place: usize, at: Moment, dice: &mut Dice, tally: &mut Tally) {
        if at.time() >= self.moving[place].epoch_end() || dice.percent(20) {
            self.moving[place].start_epoch(at);
        }
        let (tree, [boxes, certificates], _) = self.of.moving[place];
        let (moving, nodes) = (&self.moving[place], self.exact[tree].chosen());
        for &node in nodes {
            self.check_box(tree, boxes, at, node, &moving.node_box(node, at));
            let sides = moving.bounds(node, at);
            for axis in 0..3 {
                let side = |extent: Extent| sides[extent.index()].at(at.time());
                let [least, most] = [Extent::min(axis), Extent::max(axis)].map(side);
                self.check(tree, certificates, at, node, axis, [least - moving.slack(), most + moving.slack()]);
            }
        }
        tally.add(boxes, 6 * nodes.len());
        tally.add(certificates, 6 * nodes.len());
    }

    /// Some random time.
    fn any(&self, dice: &mut Dice) -> Moment {
        let span = self.of.body.driver().span();
        let time = dice.real(span.begin, span.end);
        if dice.percent(50) { Moment::at(time) } else { Moment::after(time) }
    }

    /// Where parameters are not smooth, or as near to it as `f64` gets, in the span of the motion.
    fn edge(&self, dice: &mut Dice) -> Moment {
        let (breaks, span) = (self.of.body.driver().breaks(), self.of.body.driver().span());
        let time = breaks[dice.below(breaks.len())].time;
        let time = dice.pick(&[time, time.next_up(), time.next_down()]);
        if time <= span.begin {
            Moment::after(span.begin)
        } else if time >= span.end {
            Moment::at(span.end)
        } else if dice.percent(50) {
            Moment::at(time)
        } else {
            Moment::after(time)
        }
    }
}

/// Looks at bodies in turns, at so many times each at least, until every kind of bound has so many checks.
pub(crate) fn check(cases: &[Case], wanted: usize, times: usize, dice: &mut Dice) -> Tally {
    let mut tally = Tally::default();
    let bodies: Vec<Boxes> = cases.iter().map(|case| Boxes::new(case, dice)).collect();
    let mut states: Vec<State<'_>> = bodies.iter().map(|body| State::new(body, dice)).collect();
    let all: usize = states.iter().map(|state| state.exact[0].count()).sum();
    // Six directions per node, in all bodies together: bodies have their share by their nodes.
    let at_once = wanted.div_ceil(6 * times);
    let mut rounds = 0;
    while rounds < times || tally.least() < wanted {
        for state in &mut states {
            let nodes = (at_once * state.exact[0].count()).div_ceil(all);
            state.look(state.any(dice), nodes, dice, &mut tally);
            // Beside what is counted: these times are not random, and come again.
            if dice.percent(5) {
                state.look(state.edge(dice), nodes, dice, &mut Tally::default());
            }
        }
        rounds += 1;
        assert!(rounds < 10_000_000, "a kind without checks");
    }
    tally.looked(rounds);
    tally
}
