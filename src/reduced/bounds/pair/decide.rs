//! Whether two bodies touch, within a budget, and the pairs of nodes left undecided.
//!
//! The search visits pairs of nodes depth-first. Where the budget ends, the pairs that are not
//! visited stay on the query's stack, together with the poses that they belong to. Every pair of
//! triangles in contact is below one of them. The search goes on from there, in the same order as
//! without a break.

use std::sync::Arc;

use super::{Decision, PairQuery, PairStats, Witness, grown};
use crate::math::f32_above_or_zero;
use crate::narrow::ContactRule;
use crate::reduced::bounds::budget::Budget;
use crate::reduced::bounds::layout::Layout;
use crate::reduced::bounds::posed::PosedBounds;
use crate::reduced::{Pose, ReducedError};

/// Where a search ended. Its pairs are on the query's stack.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    bodies: [Searched; 2],
    distance: f64,
}

/// A body of a search: its layout stands for the body and its clones, of which none other has it.
#[derive(Clone, Debug)]
struct Searched {
    layout: Arc<Layout>,
    pose: Pose,
}

impl Searched {
    fn of(body: &PosedBounds<'_>) -> Self {
        Self { layout: Arc::clone(body.layout()), pose: body.pose().clone() }
    }

    fn is(&self, body: &PosedBounds<'_>) -> bool {
        Arc::ptr_eq(&self.layout, body.layout()) && self.pose == *body.pose()
    }
}

impl PairQuery {
    /// Decides whether two bodies touch, from the beginning and within a budget: the first pair of
    /// triangles in contact that is found ends the query.
    ///
    /// A step is a pair of boxes, or the triangles of two leaves. Vertices are evaluated on demand
    /// only, whatever earlier queries did. After [`Decision::Undecided`], [`PairQuery::undecided`]
    /// tells which pairs of nodes are left, and [`PairQuery::resume`] goes on with them.
    ///
    /// ```
    /// # use kinetree::narrow::EveryPair;
    /// # use kinetree::reduced::{Affine, Blend, Influences, Pose, ReducedDef, ReducedMesh, WeightPolicy};
    /// # use kinetree::Mesh;
    /// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
    /// # let mesh = ReducedMesh::new(def)?;
    /// use kinetree::reduced::bounds::{BoundParams, BoundTree, Budget, Decision, Level, PairQuery, PosedBounds};
    ///
    /// let tree = BoundTree::new(&mesh, BoundParams::default());
    /// let mut a = PosedBounds::new(&tree, &mesh, Level::Corner, &Pose::rest(1, 0))?;
    /// let mut b = a.clone();
    /// let mut query = PairQuery::default();
    /// let mut decision = query.decide(&mut a, &mut b, &EveryPair, Budget::steps(0));
    /// assert_eq!(decision, Decision::Undecided { pairs: 1 });
    /// assert!(query.undecided().eq([[0, 0]])); // Both roots.
    /// while let Decision::Undecided { .. } = decision {
    ///     decision = query.resume(&mut a, &mut b, &EveryPair, Budget::steps(100))?; // One round a frame.
    /// }
    /// assert_eq!(decision, Decision::Touching { triangles: (0, 0) });
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn decide(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        budget: Budget,
    ) -> Decision {
        self.pending = None;
        self.stats = PairStats::default();
        let decision = if self.witness.is_some_and(|witness| witness.holds(a, b, rule.box_distance())) {
            self.stats.by_witness = true;
            Decision::Apart
        } else {
            let distance = f32_above_or_zero(rule.box_distance());
            a.begin();
            b.begin();
            let (box_a, box_b) = (a.bounds(0), b.bounds(0));
            self.witness = Witness::between(&box_a, &box_b, distance);
            self.stack.clear();
            if grown(&box_a, distance).overlaps(&box_b) {
                self.stack.push((0, 0));
            }
            self.search(a, b, rule, budget)
        };
        self.stats.bodies = [a.counts(), b.counts()];
        decision
    }

    /// Goes on with a search that its budget ended, where it ended: [`PairQuery::decide`] in
    /// portions of any size visits the same pairs in the same order, and decides the same.
    ///
    /// Takes the same bodies or clones of them, in the same poses. Other queries of them in
    /// between, or the same pose set again, may make boxes smaller: then fewer pairs are visited,
    /// and another one of several contacts may be found. Steps are counted from zero. The rule must
    /// be the same one, of which the distance is checked. Costs O(influences + pairs left) besides
    /// the search.
    ///
    /// # Errors
    /// No search is left: the last query of this `PairQuery` was decided, or was another one. Also
    /// another body, pose or distance than that of the search. The search is then kept as it is.
    pub fn resume(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        budget: Budget,
    ) -> Result<Decision, ReducedError> {
        let Some(pending) = &self.pending else { return Err(ReducedError::NothingUndecided) };
        if let Some(body) = [&*a, &*b].iter().zip(&pending.bodies).position(|(body, searched)| !searched.is(body)) {
            return Err(ReducedError::OtherPose { body });
        }
        if pending.distance != rule.distance() {
            return Err(ReducedError::OtherDistance { expected: pending.distance, found: rule.distance() });
        }
        self.stats = PairStats::default();
        a.begin();
        b.begin();
        // A pose that was set again, and a clone, have forgotten their vertices.
        for &(x, y) in &self.stack {
            a.need_around(x);
            b.need_around(y);
        }
        let decision = self.search(a, b, rule, budget);
        self.stats.bodies = [a.counts(), b.counts()];
        Ok(decision)
    }

    /// Pairs of nodes, one of each body's tree, that the last [`PairQuery::decide`] or
    /// [`PairQuery::resume`] left undecided, in the order in which they will be visited: the boxes
    /// of both overlap. Triangles in contact are below one of them. None if it decided.
    pub fn undecided(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.pending.iter().flat_map(|pending| {
            let [a, b] = &pending.bodies;
            self.stack.iter().rev().map(|&(x, y)| [a.layout.nodes[x as usize], b.layout.nodes[y as usize]])
        })
    }

    fn search(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        budget: Budget,
    ) -> Decision {
        let distance = f32_above_or_zero(rule.box_distance());
        self.candidates.clear();
        let (mut touching, mut tested) = (None, 0);
        let decision = loop {
            if self.stack.is_empty() {
                break Decision::Apart;
            }
            if budget.is_spent(self.stats.looked_at) {
                break Decision::Undecided { pairs: self.stack.len() };
            }
            let Some(pair) = self.stack.pop() else { break Decision::Apart };
            self.visit(a, b, distance, pair);
            if !self.candidates.is_empty() {
                tested += self.candidates.len() as u64;
                self.test(a, b, rule, &mut |p, q| touching = touching.or(Some((p, q))));
                self.candidates.clear();
            }
            if let Some(triangles) = touching {
                break Decision::Touching { triangles };
            }
        };
        self.stats.candidates = tested;
        match decision {
            Decision::Undecided { .. } if self.pending.is_none() => {
                let bodies = [Searched::of(a), Searched::of(b)];
                self.pending = Some(Pending { bodies, distance: rule.distance() });
            }
            Decision::Undecided { .. } => {}
            _ => self.pending = None,
        }
        decision
    }
}
