//! Two reduced bodies, pose after pose: which of their triangles touch.
//!
//! First the *witness*: the axis along which the bodies were apart the last time, and one side of
//! either body's box along it. Only if that does not separate them, both trees are descended
//! together, boxes made on demand ([`PosedBounds`]). What lies below blocks whose boxes overlap is
//! evaluated in `f32`, one block after the other; triangles whose boxes meet, eight against one at
//! a time, are rejected in batches along their normals, and the remaining pairs are evaluated and
//! tested exactly. Where most of the bodies is evaluated anyway, evaluating everything and bounding
//! nothing is cheaper: the query measures this, and changes over and back with some hysteresis.
//! Contacts never depend on the method.
//!
//! Cost: far apart, a side of each; in contact, what is near the contact.

use super::posed::{Counts, PosedBounds};
use super::rows::{Meeting, grown};
use crate::limits;
use crate::math::f32_above_or_zero;
use crate::narrow::batch::Directions;
use crate::narrow::{ContactRule, TriangleFilter};
use crate::reduced::{Pose, ReducedError};
use crate::refit::Bounds;
use crate::simd;
use crate::tuning;

mod decide;

use decide::Pending;

/// A query kept over poses.
#[derive(Clone, Debug, Default)]
pub struct PairQuery {
    way: Way,
    witness: Option<Witness>,
    stack: Vec<(u32, u32)>,
    /// Triangles whose boxes meet, by their places among those of all leaves.
    candidates: Vec<(u32, u32)>,
    /// Where a search ended before it decided.
    pending: Option<Pending>,
    stats: PairStats,
}

/// Along which axis, 0 to 2, two bodies are apart, and whether the first one is the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Witness {
    axis: usize,
    is_below: bool,
}

/// How contacts are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// From bounds, on demand.
    #[default]
    OnDemand,
    /// Everything evaluated, boxes made bottom-up.
    Whole,
}

/// Whether two bodies touch, see [`PairQuery::decide`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// No triangles are in contact.
    Apart,
    /// At least two triangles are in contact.
    Touching {
        /// A triangle of the first body and one of the second that touch. Which of several depends
        /// on what was found before.
        triangles: (u32, u32),
    },
    /// The budget ended.
    Undecided {
        /// Pairs of nodes that overlap and were not visited, see [`PairQuery::undecided`].
        pairs: usize,
    },
}

/// What a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairStats {
    /// Which way it went.
    pub way: Way,
    /// Whether one side of each body was enough.
    pub by_witness: bool,
    /// Pairs of nodes visited.
    pub looked_at: u64,
    /// Pairs of triangles whose boxes met.
    pub candidates: u64,
    /// Exact tests between triangles.
    pub tests: u64,
    /// Vertices in parts that the query had to open, of both bodies.
    pub near: u64,
    /// What was bounded and evaluated of both bodies in this pose, for this query and others.
    pub bodies: [Counts; 2],
}

impl PairQuery {
    /// What the last query did.
    pub fn stats(&self) -> PairStats {
        self.stats
    }

    /// Reports all pairs of triangles in contact, each once. Their order depends on what was found
    /// before.
    ///
    /// # Errors
    /// None at present: poses were checked when they were taken.
    pub fn touching(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) -> Result<(), ReducedError> {
        self.pending = None;
        self.stats = PairStats { way: self.way, ..PairStats::default() };
        if self.witness.is_some_and(|witness| witness.holds(a, b, rule.box_distance())) {
            self.stats.by_witness = true;
            self.way = Way::OnDemand;
        } else {
            self.descend(a, b, rule, found);
        }
        self.stats.bodies = [a.counts(), b.counts()];
        Ok(())
    }

    /// Takes poses and reports as [`PairQuery::touching`] does; where one side of each body's box
    /// separates the bodies, their poses are not taken, and the bodies keep their former poses and
    /// counts. For bodies that are far from each other most of the time.
    ///
    /// # Errors
    /// A pose of another body, or with numbers that are not finite; both bodies stay as they were.
    pub fn touching_in(
        &mut self,
        (a, pose_a): (&mut PosedBounds<'_>, &Pose),
        (b, pose_b): (&mut PosedBounds<'_>, &Pose),
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) -> Result<(), ReducedError> {
        a.root().fetch(pose_a);
        b.root().fetch(pose_b);
        a.check(pose_a)?;
        b.check(pose_b)?;
        self.pending = None;
        if let Some(witness) = self.witness {
            let [lane_a, lane_b] = witness.lanes();
            let sides = (a.root().side(pose_a, lane_a), b.root().side(pose_b, lane_b));
            if let (Some(side_a), Some(side_b)) = sides
                && are_apart(side_a, side_b, rule.box_distance())
            {
                let asked = Counts { sides: 1, ..Counts::default() };
                self.way = Way::OnDemand;
                self.stats = PairStats { by_witness: true, bodies: [asked; 2], ..PairStats::default() };
                return Ok(());
            }
        }
        a.take(pose_a);
        b.take(pose_b);
        self.stats = PairStats { way: self.way, ..PairStats::default() };
        self.descend(a, b, rule, found);
        self.stats.bodies = [a.counts(), b.counts()];
        Ok(())
    }

    fn descend(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) {
        let distance = f32_above_or_zero(rule.box_distance());
        if self.way == Way::Whole {
            a.evaluate_all();
            b.evaluate_all();
        }
        a.begin();
        b.begin();
        let (box_a, box_b) = (a.bounds(0), b.bounds(0));
        self.witness = Witness::between(&box_a, &box_b, distance);
        self.candidates.clear();
        if grown(&box_a, distance).overlaps(&box_b) {
            self.meet(a, b, distance);
            self.test(a, b, rule, found);
        }
        let ([near_a, all_a], [near_b, all_b]) = (a.near(), b.near());
        self.stats.near = near_a + near_b;
        let part = self.stats.near as f64 / (all_a + all_b).max(1) as f64;
        match self.way {
            Way::OnDemand if part > tuning::EVALUATE_ALL_FROM => self.way = Way::Whole,
            Way::Whole if part < tuning::EVALUATE_ALL_UNTIL => self.way = Way::OnDemand,
            _ => {}
        }
    }

    /// Finds the candidates. A node's bounds are refined at the moment it is opened, and may be
    /// found apart after all, so this is not one of the traversals of
    /// [`traverse`](crate::bvh::traverse).
    fn meet(&mut self, a: &mut PosedBounds<'_>, b: &mut PosedBounds<'_>, distance: f32) {
        self.stack.clear();
        self.stack.push((0, 0));
        while let Some(pair) = self.stack.pop() {
            self.visit(a, b, distance, pair);
        }
    }

    /// Visits a pair of nodes: finds the candidates of two leaves, or the pairs below.
    #[inline(always)]
    fn visit(&mut self, a: &mut PosedBounds<'_>, b: &mut PosedBounds<'_>, distance: f32, (x, y): (u32, u32)) {
        let Self { stack, candidates, stats, .. } = self;
        stats.looked_at += 1;
        let (link_x, link_y) = (a.link(x), b.link(y));
        let (box_x, box_y) = (a.bounds(x), b.bounds(y));
        if !link_x.is_leaf() && (link_y.is_leaf() || box_x.size() >= box_y.size()) {
            let wide_y = grown(&box_y, distance);
            if a.need(x) && !a.bounds(x).overlaps(&wide_y) {
                return;
            }
            a.open(x);
            for x in link_x.below().rev() {
                if a.bounds(x).overlaps(&wide_y) {
                    stack.push((x, y));
                }
            }
        } else if !link_y.is_leaf() {
            let wide_x = grown(&box_x, distance);
            if b.need(y) && !wide_x.overlaps(&b.bounds(y)) {
                return;
            }
            b.open(y);
            for y in link_y.below().rev() {
                if wide_x.overlaps(&b.bounds(y)) {
                    stack.push((x, y));
                }
            }
        } else {
            if a.need(x) && !grown(&a.bounds(x), distance).overlaps(&box_y)
                || b.need(y) && !grown(&a.bounds(x), distance).overlaps(&b.bounds(y))
            {
                return;
            }
            a.need_rows(link_x.leaf);
            b.need_rows(link_y.leaf);
            let (a, b) = (a.leaf_rows(link_x.leaf), b.leaf_rows(link_y.leaf));
            simd::run(Meeting { a, b, distance, found: candidates });
        }
    }

    /// Tests the candidates.
    fn test(
        &mut self,
        a: &mut PosedBounds<'_>,
        b: &mut PosedBounds<'_>,
        rule: &impl ContactRule,
        found: &mut impl FnMut(u32, u32),
    ) {
        let Self { candidates, stats, .. } = self;
        stats.candidates = candidates.len() as u64;
        candidates.retain(|&(p, q)| rule.wants(a.triangle(p), b.triangle(q)));
        let mut test = |pair: (u32, u32), a: &mut PosedBounds<'_>, b: &mut PosedBounds<'_>| {
            stats.tests += 1;
            let (p, q) = (a.triangle(pair.0), b.triangle(pair.1));
            if rule.touch((p, &a.corners(pair.0)), (q, &b.corners(pair.1))) {
                found(p, q);
            }
        };
        // Where the error of a blend is unknown, the blend rejects no pair.
        let (Some(blur_a), Some(blur_b)) = (a.blur(), b.blur()) else {
            candidates.iter().for_each(|&pair| test(pair, a, b));
            return;
        };
        let mut filter = TriangleFilter::new(rule.box_distance(), blur_a.max(blur_b), Directions::Faces);
        for &(p, q) in candidates.iter() {
            let corners = ([a.rounded_corners(p)], [b.rounded_corners(q)]);
            filter.push((p, q), &corners.0, &corners.1, |pair| test(pair, a, b));
        }
        filter.flush(|pair| test(pair, a, b));
    }
}

impl Witness {
    /// The axis along which two boxes are farthest apart, if they are by more than a distance.
    fn between(a: &Bounds, b: &Bounds, distance: f32) -> Option<Self> {
        let (mut best, mut most) = (None, distance);
        for axis in 0..3 {
            for is_below in [true, false] {
                let (low, high) = if is_below { (a, b) } else { (b, a) };
                let gap = high.0[axis] + low.0[axis + 4];
                if gap > most {
                    (best, most) = (Some(Self { axis, is_below }), gap);
                }
            }
        }
        best
    }

    /// Which sides tell: the upper one of the lower body and the lower one of the other.
    #[inline]
    fn lanes(self) -> [usize; 2] {
        if self.is_below { [self.axis, self.axis + 4] } else { [self.axis + 4, self.axis] }
    }

    /// Whether the bodies are farther apart than a distance.
    #[inline]
    fn holds(self, a: &mut PosedBounds<'_>, b: &mut PosedBounds<'_>, distance: f64) -> bool {
        let [lane_a, lane_b] = self.lanes();
        are_apart(a.side(lane_a), b.side(lane_b), distance)
    }
}

/// Whether two bodies are farther apart than a distance, the side of one being an upper end, and
/// that of the other a lower one with its sign changed.
#[inline]
fn are_apart(side_a: f64, side_b: f64, distance: f64) -> bool {
    // The sum is rounded once, and so is what it is compared to; of sides that are equal it is
    // zero.
    let overlap = side_a + side_b;
    if distance > 0.0 { -overlap > distance * (1.0 + limits::ROUNDING) } else { overlap < 0.0 }
}
