//! Candidates: the pairs of triangles that may touch in an interval, below the pairs of leaves that
//! may meet.
//!
//! | step | what is proved apart throughout |
//! |---|---|
//! | points of both leaves (`parted`) | leaves, along one of eight directions |
//! | boxes of triangles at both ends, eight side by side | along an axis |
//! | what the host does not ask about | |
//! | [`TriangleFilter`] | along normals, the way between centres, products of edges |
//!
//! Cost: 55-70 ns per pair of triangles whose boxes are not apart, all steps together.
//!
//! The remaining pairs are for the exact tests, over the interval or at frames. Every pair of
//! triangles that comes within the distance at some time of the interval, as evaluated or as a real
//! number, is among the candidates.

use super::blocks::{Asked, LeafTriangles, near_pairs};
use super::by_threads::{STRETCH, UNBOUNDED, is_divided};
use super::certain::Certainties;
use super::disjoint::DisjointTriangles;
use super::separated::are_separated;
use super::spread::SpreadOrder;
use super::{IntervalPairs, PairedBoxes, push};
use crate::interval::{IntervalBoxes, IntervalError, Prepared};
use crate::math::f32_above_or_zero;
use crate::mesh::{Mesh, Seams};
use crate::motion::Motion;
use crate::narrow::TriangleFilter;
use crate::narrow::batch::Directions;
use crate::time::Span;
use crate::{threads, tuning};

/// The candidates of two bodies, or of one with itself.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Candidates {
    a: LeafTriangles,
    /// `None` of one body.
    pub(super) b: Option<LeafTriangles>,
    /// Pairs of leaves before this index were tested.
    pub(super) done: usize,
    distance: f32,
    blur: f32,
    interval: Span,
    /// What the gap of two triangles' boxes must exceed, metres.
    threshold: f32,
    near: Vec<[u32; 2]>,
    /// Of leaves that share a corner.
    #[cfg_attr(feature = "record", serde(skip))]
    disjoint: DisjointTriangles,
    /// Pairs of slots.
    faces: TriangleFilter<2, [u32; 2]>,
    edges: TriangleFilter<2, [u32; 2]>,
    pub(super) found: Found,
}

/// What is searched for candidates.
pub(super) struct Search<'a, W> {
    pub(super) leaf_pairs: &'a IntervalPairs,
    pub(super) partners: &'a PairedBoxes<'a>,
    pub(super) bodies: PairedBodies<'a>,
    pub(super) wants: W,
}

/// The meshes and motions of two bodies whose boxes are paired, or of one body twice. The motions
/// are those that the boxes follow.
#[derive(Clone, Copy, Debug)]
pub struct PairedBodies<'a> {
    pub(super) a: (&'a Mesh, &'a Motion),
    pub(super) b: (&'a Mesh, &'a Motion),
    pub(super) seams: Option<&'a Seams>,
}

impl<'a> PairedBodies<'a> {
    /// Two bodies.
    pub fn between(a: (&'a Mesh, &'a Motion), b: (&'a Mesh, &'a Motion)) -> Self {
        Self { a, b, seams: None }
    }

    /// One body with itself; `seams` where triangles that share a corner are of no interest.
    pub fn within(body: (&'a Mesh, &'a Motion), seams: Option<&'a Seams>) -> Self {
        Self { a: body, b: body, seams }
    }
}

/// The candidates of an interval: all that queries of the interval need. The structures that find
/// candidates are free for the next interval.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Found {
    /// Triangles of the first and of the second body; none where certainties are wanted.
    pairs: Vec<(u32, u32)>,
    /// Candidates with what is certain of them, where that is wanted.
    pub(super) certain: Certainties,
}

impl Found {
    /// Becomes as a new one, in the memory that is there.
    pub(crate) fn restart(&mut self) {
        self.pairs.clear();
        self.certain.restart();
    }

    /// All candidates, where no certainties were computed.
    pub(crate) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// How many candidates were found, those that are apart throughout included.
    pub(crate) fn count(&self) -> usize {
        self.pairs.len() + self.certain.count()
    }

    /// What candidates have cost, node pairs.
    fn cost(&self) -> usize {
        let examined = self.examined();
        let listed = (self.count() - examined).saturating_mul(tuning::NODE_PAIRS_PER_LISTED_CANDIDATE);
        listed.saturating_add(examined.saturating_mul(tuning::NODE_PAIRS_PER_USUAL_CANDIDATE))
    }

    fn add(&mut self, pair: (u32, u32), slots: [u32; 2]) {
        if self.certain.is_known() { self.certain.add(pair, slots) } else { push(&mut self.pairs, pair) }
    }

    /// Takes what was found after it, part by part, once that is decided.
    pub(super) fn append(&mut self, parts: Vec<Self>) {
        self.pairs.reserve_exact(parts.iter().map(|part| part.pairs.len()).sum());
        self.certain.reserve_exact(parts.iter().map(|part| part.certain.candidate_count()).sum());
        for part in parts {
            self.pairs.extend(part.pairs);
            self.certain.append(part.certain);
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<(u32, u32)>() + self.certain.bytes()
    }
}

impl Candidates {
    /// Of two bodies' triangles. O(leaves).
    pub fn between(a: &IntervalBoxes, b: &IntervalBoxes) -> Self {
        Self::of(LeafTriangles::new(a), Some(LeafTriangles::new(b)))
    }

    /// Of one body's triangles with each other. O(leaves).
    pub fn within(boxes: &IntervalBoxes) -> Self {
        Self::of(LeafTriangles::new(boxes), None)
    }

    fn of(a: LeafTriangles, b: Option<LeafTriangles>) -> Self {
        Self {
            a,
            b,
            done: usize::MAX,
            distance: 0.0,
            blur: 0.0,
            interval: Span { begin: 0.0, end: 0.0 },
            threshold: 0.0,
            near: Vec::new(),
            disjoint: DisjointTriangles::default(),
            faces: TriangleFilter::new(0.0, 0.0, Directions::Faces),
            edges: TriangleFilter::new(0.0, 0.0, Directions::Edges),
            found: Found::default(),
        }
    }

    /// Becomes as a new one of two bodies' triangles, or of those of one, in the memory that is
    /// there. O(leaves).
    pub(crate) fn restart(&mut self, a: &IntervalBoxes, b: Option<&IntervalBoxes>) {
        self.a.restart(a);
        match (&mut self.b, b) {
            (Some(own), Some(b)) => own.restart(b),
            (own, b) => *own = b.map(LeafTriangles::new),
        }
        self.done = usize::MAX;
        (self.distance, self.blur, self.threshold) = (0.0, 0.0, 0.0);
        self.interval = Span { begin: 0.0, end: 0.0 };
        self.near.clear();
        self.faces.forget();
        self.edges.forget();
        self.found.restart();
        self.let_go();
    }

    /// Lets go of what belongs to the bodies.
    pub(crate) fn let_go(&mut self) {
        self.disjoint.forget();
    }

    /// Begins with the pairs of leaves of an interval. O(1).
    ///
    /// # Errors
    /// [`IntervalError::NotPrepared`].
    pub fn begin(&mut self, leaf_pairs: &IntervalPairs, partners: &PairedBoxes<'_>) -> Result<(), IntervalError> {
        if !leaf_pairs.is_ready() {
            return Err(IntervalError::NotPrepared);
        }
        self.begin_with(leaf_pairs, partners);
        self.disjoint.begin(&partners.a.layout);
        Ok(())
    }

    pub(super) fn begin_with(&mut self, leaf_pairs: &IntervalPairs, partners: &PairedBoxes<'_>) {
        self.a.begin(partners.a, leaf_pairs.interval());
        let mut blur = self.a.blur;
        if let Some(b) = &mut self.b {
            b.begin(partners.b, leaf_pairs.interval());
            blur = blur.max(b.blur);
        }
        let up = f32_above_or_zero;
        (self.distance, self.blur) = (up(leaf_pairs.distance), up(blur + leaf_pairs.slack));
        // Corners are off by the blur on both sides, those of an interval that is cut by more than
        // the windows pay for.
        self.threshold = leaf_pairs.threshold.max(up(leaf_pairs.distance + leaf_pairs.slack + 2.0 * blur)).next_up();
        self.faces.begin(leaf_pairs.distance, blur + leaf_pairs.slack);
        self.edges.begin(leaf_pairs.distance, blur + leaf_pairs.slack);
        self.found.pairs.clear();
        self.interval = leaf_pairs.interval();
        let roundings = partners.a.rounding() + partners.b.rounding();
        self.found.certain.begin(blur, [leaf_pairs.slack, roundings], leaf_pairs.distance);
        self.done = 0;
    }

    /// Does some of the work, until a budget is spent, and takes it off the budget; a budget of 1
    /// is about 15 ns. `wants` says which pairs of triangles the host asks about;
    /// of one body the lower number comes first. Windows and partners must be those of
    /// [`Candidates::begin`], unchanged. The candidates do not depend on how the work is divided;
    /// how many of them stay open may. With the feature `rayon` several threads may call `wants`,
    /// in any order.
    ///
    /// # Panics
    /// If the boxes are of other meshes: with debug assertions always, without them unless their
    /// vertices happen to be those of the leaves.
    pub fn prepare(
        &mut self,
        leaf_pairs: &IntervalPairs,
        partners: &PairedBoxes<'_>,
        bodies: PairedBodies<'_>,
        wants: impl Fn(u32, u32) -> bool + Sync,
        budget: &mut usize,
    ) -> Prepared {
        let count = leaf_pairs.pairs().len();
        let search = Search { leaf_pairs, partners, bodies, wants };
        let mut disjoint = std::mem::take(&mut self.disjoint);
        if *budget >= UNBOUNDED {
            self.found.certain.limit(None);
        }
        if is_divided(count) && *budget >= UNBOUNDED && threads::count() > 1 {
            self.open_by_threads(&search, &mut disjoint, budget);
        }
        self.open(&search, count, |leaves| disjoint.next(leaves, bodies), budget);
        self.disjoint = disjoint;
        if self.done == count {
            self.flush();
        }
        self.decide(bodies);
        if self.done < count {
            return Prepared::Partly;
        }
        if is_divided(count) {
            self.forget_search();
        }
        self.found.certain.close();
        Prepared::All
    }

    /// Forgets how the candidates of a list were found: which thread did it must not matter later.
    fn forget_search(&mut self) {
        self.a.forget();
        self.b.iter_mut().for_each(LeafTriangles::forget);
        self.near.clear();
        self.faces.forget();
        self.edges.forget();
    }

    /// Opens leaf pairs up to a number until a budget is spent. `disjoint` says which triangles of
    /// the next leaves that share a corner are asked about.
    pub(super) fn open(
        &mut self,
        search: &Search<'_, impl Fn(u32, u32) -> bool>,
        end: usize,
        mut disjoint: impl FnMut([u32; 2]) -> Asked,
        budget: &mut usize,
    ) {
        let Search { leaf_pairs, partners, bodies, wants } = search;
        let listed = leaf_pairs.pairs();
        let (inner_a, inner_b) = (partners.a.layout.inner_count(), partners.b.layout.inner_count());
        // Masks of one body name leaf pairs by their order.
        let order = self.b.as_ref().map(|_| SpreadOrder::new(listed.len()));
        while self.done < end && *budget > 0 {
            let place = order.as_ref().map_or(self.done, |order| order.place(self.done));
            let (pair, is_sharing) = (&listed[place], leaf_pairs.sharing[place]);
            if is_divided(listed.len()) && self.done.is_multiple_of(STRETCH) {
                self.drop_gathered(*bodies);
            }
            self.done += 1;
            let known = self.found.cost();
            if self.gathered() >= tuning::MAX_GATHERED_TRIANGLES {
                self.drop_gathered(*bodies);
            }
            if self.found.certain.is_full() {
                self.decide(*bodies);
            }
            let leaf_a = partners.a.layout.place_of(pair.a) - inner_a;
            let leaf_b = partners.b.layout.place_of(pair.b) - inner_b;
            let gathered = self.gathered();
            let leaf_a = self.a.gather(leaf_a, partners.a, bodies.a);
            let leaf_b = self.b.as_mut().unwrap_or(&mut self.a).gather(leaf_b, partners.b, bodies.b);
            let is_self = self.b.is_none();
            let gathered = self.gathered() - gathered;
            let cost = tuning::NODE_PAIRS_PER_APART_LEAF_PAIR + gathered * tuning::NODE_PAIRS_PER_GATHERED_TRIANGLE;
            *budget = budget.saturating_sub(cost);
            // Leaves that share a corner are never apart.
            if !is_sharing {
                self.a.know_normal(leaf_a);
                self.b.as_mut().unwrap_or(&mut self.a).know_normal(leaf_b);
                let b = self.b.as_ref().unwrap_or(&self.a);
                if are_separated(self.a.cloud(leaf_a), b.cloud(leaf_b), self.distance, self.blur) {
                    continue;
                }
            }
            let b = self.b.as_ref().unwrap_or(&self.a);
            let asked = if is_sharing {
                disjoint([pair.a, pair.b])
            } else if is_self && leaf_a == leaf_b {
                Asked::Behind
            } else {
                Asked::All
            };
            // Triangles that share a corner, where that was not left to the masks.
            let seams = bodies.seams.filter(|_| is_sharing && !matches!(asked, Asked::Only(_)));
            self.near.clear();
            near_pairs((&self.a, leaf_a), (b, leaf_b), asked, self.threshold, &mut self.near);
            for place in 0..self.near.len() {
                let mut pair = self.near[place];
                let b = self.b.as_ref().unwrap_or(&self.a);
                let (mut p, mut q) = (self.a.number(pair[0]), b.number(pair[1]));
                if is_self && p > q {
                    pair.swap(0, 1);
                    (p, q) = (q, p);
                }
                let shares = seams.is_some_and(|seams| {
                    let [p, q] = [p, q].map(|triangle| &bodies.a.0.triangles()[triangle as usize]);
                    seams.share_corner(p, q)
                });
                if !shares && wants(p, q) {
                    let Self { a, b, faces, edges, found, .. } = self;
                    let gathered = (&*a, b.as_ref().unwrap_or(a));
                    let [p, q] = pair.map(|slot| slot as usize);
                    faces.push(pair, gathered.0.moving(p), gathered.1.moving(q), |pair| {
                        past_faces(pair, gathered, edges, found);
                    });
                }
            }
            let found = self.found.cost().saturating_sub(known);
            let near = self.near.len() * 2 / tuning::NEAR_PAIRS_PER_TWO_NODE_PAIRS;
            *budget = budget.saturating_sub(tuning::NODE_PAIRS_PER_NEAR_LEAF_PAIR + near + found);
        }
    }

    /// How many pairs of leaves were opened.
    pub(crate) fn opened(&self) -> usize {
        self.done
    }

    /// Tests the pairs that wait for a full batch, so that everything about the leaf pairs visited
    /// so far is known.
    pub(crate) fn settle(&mut self, bodies: PairedBodies<'_>) {
        self.flush();
        self.decide(bodies);
    }

    /// Decides what waits for it.
    fn decide(&mut self, bodies: PairedBodies<'_>) {
        self.found.certain.decide((&self.a, self.b.as_ref().unwrap_or(&self.a)), bodies, self.interval);
    }

    /// How many triangles are gathered.
    fn gathered(&self) -> usize {
        self.a.gathered() + self.b.as_ref().map_or(0, LeafTriangles::gathered)
    }

    /// Settles what waits, and drops all gathered leaves. What follows is found in the same order.
    fn drop_gathered(&mut self, bodies: PairedBodies<'_>) {
        self.settle(bodies);
        self.a.drop_gathered();
        if let Some(b) = &mut self.b {
            b.drop_gathered();
        }
    }

    fn flush(&mut self) {
        let Self { a, b, faces, edges, found, .. } = self;
        let bodies = (&*a, b.as_ref().unwrap_or(a));
        faces.flush(|pair| past_faces(pair, bodies, edges, found));
        edges.flush(|pair| past_edges(pair, bodies, found));
    }

    /// The candidates, once they are prepared, in an order fixed by the trees: triangles of the
    /// first and of the second body. Where certainties were computed ([`Candidates::expect_steps`])
    /// they ascend.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        self.found.pairs.iter().copied().chain(self.found.certain.pairs())
    }

    /// Gives away what was found once all candidates are known, and takes the room of what was
    /// found before in turn. O(1).
    pub(crate) fn give(&mut self, found: &mut Found) {
        std::mem::swap(&mut self.found, found);
    }

    /// For how many candidates the next preparation determines the certainty; those beyond are
    /// tested at every step. A preparation of all at once has no such bound.
    pub(crate) fn limit_certainty(&mut self, most: Option<usize>) {
        self.found.certain.limit(most);
    }

    /// What was found so far.
    pub(crate) fn found(&self) -> &Found {
        &self.found
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them.
    pub(crate) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        let gathered = [Some(&self.a), self.b.as_ref()].into_iter().flatten().map(LeafTriangles::gathered_bytes).sum();
        add("gathered triangles", gathered);
        add("candidates", self.found.bytes());
        add("gathered leaves", self.bytes() - gathered - self.found.bytes());
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.a.bytes()
            + self.b.as_ref().map_or(0, LeafTriangles::bytes)
            + self.near.capacity() * size_of::<[u32; 2]>()
            + self.found.bytes()
            + self.disjoint.bytes()
            + size_of::<Self>()
    }
}

/// A pair of slots that no direction of a face separates.
fn past_faces(
    pair: [u32; 2],
    bodies: (&LeafTriangles, &LeafTriangles),
    edges: &mut TriangleFilter<2, [u32; 2]>,
    found: &mut Found,
) {
    let [p, q] = pair.map(|slot| slot as usize);
    edges.push(pair, bodies.0.moving(p), bodies.1.moving(q), |pair| past_edges(pair, bodies, found));
}

/// A pair of slots that no product of edges separates either.
fn past_edges(pair: [u32; 2], (a, b): (&LeafTriangles, &LeafTriangles), found: &mut Found) {
    let numbers = (a.number(pair[0]), b.number(pair[1]));
    found.add(numbers, pair);
}

#[cfg(test)]
mod tests;
