//! Moving bounds of one body under spherical blending, where its maps are known to be rigid.

use std::sync::Arc;

use kinetree::bvh::Hierarchy;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, MovingBounds};
use kinetree::reduced::{Pose, ReducedBody};
use kinetree::time::Moment;

use crate::common::dice::Dice;
use crate::exact::{Along, Exact, along, axes};
use crate::spheres::spherical;
use crate::{Case, Tally};

const KIND: &str = "moving, spherical";

struct Turned {
    name: String,
    body: Arc<ReducedBody>,
    moving: MovingBounds,
    exact: Exact,
    pose: Pose,
    vertices: Vec<[f64; 3]>,
    along: Vec<Along>,
}

impl Turned {
    /// `None` for a body whose joints are scaled.
    fn new(case: &Case, dice: &mut Dice) -> Option<Self> {
        let body = Arc::new(ReducedBody::new(spherical(&case.body)?, case.body.driver().clone()).ok()?);
        let mut params = BoundParams::default();
        params.tree.leaf_size = dice.pick(&[1, 4, 16]);
        let tree = Arc::new(BoundTree::new(body.mesh(), params));
        let pieces = body.pieces_at_rate(dice.pick(&[3.0, 7.5, 30.0])).unwrap();
        let level = dice.pick(&[Level::Corner, Level::Optimum]);
        let moving = MovingBounds::new(tree, body.clone(), &pieces, level).ok()?;
        let exact = Exact::new(moving.tree().topology(), body.mesh());
        let (pose, vertices, along) = (Pose::default(), Vec::new(), Vec::new());
        Some(Self { name: case.name.clone(), body, moving, exact, pose, vertices, along })
    }

    fn look(&mut self, nodes: usize, dice: &mut Dice, tally: &mut Tally) {
        let span = self.body.driver().span();
        let at = Moment::at(dice.real(span.begin, span.end));
        self.body.pose(at, &mut self.pose);
        self.body.mesh().evaluate_all(&self.pose, &mut self.vertices).unwrap();
        // The first three axes are those of boxes.
        along(&axes(dice), &self.vertices, &mut self.along);
        self.exact.set(&self.along);
        self.exact.choose(nodes, dice);
        self.moving.start_epoch(at);
        let mut bounded = 0;
        for &node in self.exact.chosen() {
            let found = self.moving.node_box(node, at);
            for axis in 0..3 {
                let [least, most] = self.exact.of(node, axis);
                assert!(
                    found.min[axis] <= least && most <= found.max[axis],
                    "{} at {at:?}, node {node}, {KIND}, axis {axis}: {found:?} misses [{least}, {most}]",
                    self.name
                );
            }
            bounded += usize::from(found.max[0].is_finite());
        }
        // Of what is unbounded nothing is checked.
        tally.add(KIND, 6 * bounded);
    }
}

/// Looks at bodies in turns, at so many times each at least, until there are so many checks, if there is a body that has such bounds.
pub(crate) fn check(cases: &[Case], wanted: usize, times: usize, dice: &mut Dice) -> Tally {
    let mut tally = Tally::default();
    let mut bodies: Vec<Turned> = cases.iter().filter_map(|case| Turned::new(case, dice)).collect();
    let all: usize = bodies.iter().map(|body| body.exact.count()).sum();
    let at_once = wanted.div_ceil(6 * times);
    let mut rounds = 0;
    while !bodies.is_empty() && (rounds < times || (tally.of(KIND) < wanted && tally.of(KIND) >= rounds)) {
        for body in &mut bodies {
            body.look((at_once * body.exact.count()).div_ceil(all), dice, &mut tally);
        }
        rounds += 1;
    }
    if rounds > 0 {
        tally.looked(rounds);
    }
    tally
}
