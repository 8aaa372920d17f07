//! Two reduced bodies, pose after pose: which of their triangles touch.
//!
//! Both trees are descended together, boxes made on demand ([`PosedBounds`]); a pair of leaves whose bounds overlap is evaluated, one
//! leaf after the other, and its triangles tested exactly. Where most of the bodies is evaluated anyway, evaluating everything and
//! refitting a plain tree is cheaper: the query notices, and changes over and back with some hysteresis. Contacts never depend on the way.
//!
//! Cost: far apart, two root boxes; in contact, what is near the contact.

use super::posed::{Counts, PosedBounds};
use crate::baseline::{RefitTree, Shape, candidate_triangles};
use crate::kds::Topology;
use crate::limits;
use crate::math::Aabb;
use crate::narrow::ContactRule;
use crate::reduced::ReducedError;

/// A triangle of a leaf: its number, corners and box.
type Near = (u32, [[f64; 3]; 3], Aabb);

/// A query kept over poses.
#[derive(Clone, Debug, Default)]
pub struct PairQuery {
    way: Way,
    stack: Vec<(u32, u32)>,
    near: [Vec<Near>; 2],
    whole: Option<Box<[Whole; 2]>>,
    stats: PairStats,
}

/// How contacts are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// From bounds, on demand.
    #[default]
    OnDemand,
    /// Everything evaluated, boxes refitted bottom-up.
    Whole,
}

/// What a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairStats {
    /// Which way it went.
    pub way: Way,
    /// Pairs of nodes whose boxes were compared (on demand), or pairs of triangles whose boxes met (whole).
    pub looked_at: u64,
    /// Exact tests between triangles.
    pub tests: u64,
    /// What was bounded and evaluated of both bodies.
    pub bodies: [Counts; 2],
}

/// A body evaluated whole.
#[derive(Clone, Debug)]
struct Whole {
    tree: RefitTree,
    positions: Vec<[f64; 3]>,
    /// Per triangle, its leaf; per node, the last query in which a candidate lay in it.
    leaf_of: Vec<u32>,
    seen: Vec<u64>,
    queries: u64,
}

impl PairQuery {
    /// What the last query did.
    pub fn stats(&self) -> PairStats {
        self.stats
    }

    /// Reports all pairs of triangles in contact, each once. Their order depends on what was found before.
    ///
    /// # Errors
    /// Those of evaluating vertices.
    pub fn touching(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) -> Result<(), ReducedError> {
        self.stats = PairStats { way: self.way, ..PairStats::default() };
        let total = (a.mesh().vertex_count() + b.mesh().vertex_count()) as f64;
        match self.way {
            Way::OnDemand => {
                self.on_demand(a, b, rule, found)?;
                self.stats.bodies = [a.counts(), b.counts()];
                let evaluated = (a.counts().evaluated + b.counts().evaluated) as f64;
                if evaluated > limits::WHOLE_FROM * total {
                    self.way = Way::Whole;
                }
            }
            Way::Whole => {
                let touched = self.in_whole(a, b, rule, found)?;
                if (touched as f64) < limits::WHOLE_TO * total {
                    self.way = Way::OnDemand;
                }
            }
        }
        Ok(())
    }

    fn on_demand(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) -> Result<(), ReducedError> {
        let (tree_a, tree_b) = (a.topology(), b.topology());
        let distance = rule.distance();
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push((0, 0));
        while let Some((x, y)) = stack.pop() {
            self.stats.looked_at += 1;
            let (box_x, box_y) = (a.node_box(x).grown(distance), b.node_box(y));
            if !box_x.overlaps(&box_y) {
                continue;
            }
            let (below_x, below_y) = (tree_a.node(x).children(), tree_b.node(y).children());
            if !below_x.is_empty() && (below_y.is_empty() || size(&box_x) >= size(&box_y)) {
                a.open(x);
                stack.extend(below_x.iter().rev().map(|&child| (child, y)));
            } else if !below_y.is_empty() {
                b.open(y);
                stack.extend(below_y.iter().rev().map(|&child| (x, child)));
            } else {
                self.leaves((a, x), (b, y), rule, found)?;
            }
        }
        self.stack = stack;
        Ok(())
    }

    /// Two leaves whose bounds overlap: evaluates one, then the other, then tests their triangles.
    fn leaves(
        &mut self,
        (a, x): (&mut PosedBounds<'_>, u32),
        (b, y): (&mut PosedBounds<'_>, u32),
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) -> Result<(), ReducedError> {
        let distance = rule.distance();
        let box_x = a.evaluate_leaf(x)?.grown(distance);
        if !box_x.overlaps(&b.node_box(y)) {
            return Ok(());
        }
        let box_y = b.evaluate_leaf(y)?;
        if !box_x.overlaps(&box_y) {
            return Ok(());
        }
        let [near_x, near_y] = &mut self.near;
        let keep = |(triangle, corners): (u32, [[f64; 3]; 3]), grow: f64, other: &Aabb| {
            let bounds = Aabb::of_points(&corners).grown(grow);
            bounds.overlaps(other).then_some((triangle, corners, bounds))
        };
        near_x.clear();
        near_x.extend(a.leaf_triangles(x).filter_map(|triangle| keep(triangle, distance, &box_y)));
        near_y.clear();
        near_y.extend(b.leaf_triangles(y).filter_map(|triangle| keep(triangle, 0.0, &box_x)));
        for (p, corners_p, box_p) in near_x.iter() {
            for (q, corners_q, box_q) in near_y.iter() {
                if box_p.overlaps(box_q) && rule.wants(*p, *q) {
                    self.stats.tests += 1;
                    if rule.touch((*p, corners_p), (*q, corners_q)) {
                        found(*p, *q);
                    }
                }
            }
        }
        Ok(())
    }

    /// Evaluates both bodies whole; returns how many vertices lie in leaves with candidates.
    fn in_whole(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) -> Result<u64, ReducedError> {
        let mut whole = match self.whole.take() {
            Some(whole) => whole,
            None => Box::new([Whole::new(a)?, Whole::new(b)?]),
        };
        whole[0].follow(a)?;
        whole[1].follow(b)?;
        let [whole_a, whole_b] = &mut *whole;
        let Whole { tree: tree_a, positions: positions_a, leaf_of: leaf_of_a, seen: seen_a, queries: query_a } =
            whole_a;
        let Whole { tree: tree_b, positions: positions_b, leaf_of: leaf_of_b, seen: seen_b, queries: query_b } =
            whole_b;
        let shape_a = Shape { triangles: a.mesh().mesh().triangles(), positions: positions_a };
        let shape_b = Shape { triangles: b.mesh().mesh().triangles(), positions: positions_b };
        let mut touched = 0;
        let mut see = |leaf: u32, seen: &mut Vec<u64>, query: u64, topology: &Topology| {
            if seen[leaf as usize] != query {
                seen[leaf as usize] = query;
                touched += topology.leaf_points(leaf).len() as u64;
            }
        };
        let stats = &mut self.stats;
        candidate_triangles(tree_a, tree_b, rule.distance(), |p, q| {
            stats.looked_at += 1;
            see(leaf_of_a[p as usize], seen_a, *query_a, a.topology());
            see(leaf_of_b[q as usize], seen_b, *query_b, b.topology());
            let (corners_p, corners_q) = (shape_a.corners(p), shape_b.corners(q));
            let box_p = Aabb::of_points(&corners_p).grown(rule.distance());
            if rule.wants(p, q) && box_p.overlaps(&Aabb::of_points(&corners_q)) {
                stats.tests += 1;
                if rule.touch((p, &corners_p), (q, &corners_q)) {
                    found(p, q);
                }
            }
        });
        for (counts, body) in self.stats.bodies.iter_mut().zip([&*a, &*b]) {
            *counts = Counts { evaluated: body.mesh().vertex_count() as u64, ..body.counts() };
        }
        self.whole = Some(whole);
        Ok(touched)
    }
}

impl Whole {
    fn new(body: &PosedBounds<'_>) -> Result<Self, ReducedError> {
        let topology = body.topology();
        let mut positions = Vec::new();
        body.mesh().evaluate_all(body.pose(), &mut positions)?;
        let mut leaf_of = vec![0; body.mesh().mesh().triangles().len()];
        for leaf in (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf()) {
            topology.primitives(leaf).iter().for_each(|&triangle| leaf_of[triangle as usize] = leaf);
        }
        let tree = RefitTree::new(topology.clone(), body.mesh().mesh(), &positions);
        Ok(Self { tree, positions, leaf_of, seen: vec![0; topology.nodes().len()], queries: 0 })
    }

    fn follow(&mut self, body: &PosedBounds<'_>) -> Result<(), ReducedError> {
        body.mesh().evaluate_all(body.pose(), &mut self.positions)?;
        self.tree.refit(&self.positions);
        self.queries += 1;
        Ok(())
    }
}

/// The sum of the three sides.
fn size(bounds: &Aabb) -> f64 {
    (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).sum()
}
