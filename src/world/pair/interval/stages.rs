//! One interval of two bodies in interval mode, more or less prepared.

use crate::bvh::SharedVertices;
use crate::interval::{Candidates, Found, IntervalBoxes, IntervalPairs, PairedBodies, PairedBoxes, Prepared};
use crate::narrow::ContactRule;
use crate::tuning;
use crate::world::body::Body;
use crate::world::pair::opened::Opened;
use crate::world::pair::scratch::Scratch;
use crate::world::rule::PairRule;

/// Intervals and shapes of both bodies.
pub(crate) type Versions = [(u64, u64); 2];

/// One interval, more or less prepared.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Interval {
    pub(crate) versions: Option<Versions>,
    pub(crate) leaf_pairs: IntervalPairs,
    pub(crate) found: Found,
    pub(crate) stage: Stage,
    /// Pairs of nodes visited so far.
    pub(crate) visited: usize,
    pub(crate) opened: Opened,
    /// Whether its costs were told.
    pub(crate) is_weighed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Stage {
    /// Leaf pairs are being found.
    Leaves,
    /// All leaf pairs are known.
    Met,
    /// Triangles below them are being found.
    Triangles,
    /// All candidates are known.
    Ready,
}

impl Interval {
    pub(crate) fn new(distance: f64) -> Option<Self> {
        let leaf_pairs = IntervalPairs::new(distance).ok()?;
        Some(Self {
            versions: None,
            leaf_pairs,
            found: Found::default(),
            stage: Stage::Leaves,
            visited: 0,
            opened: Opened::default(),
            is_weighed: false,
        })
    }

    /// Becomes as a new one, in the memory that is there; returns whether the distance, metres, is
    /// usable.
    pub(crate) fn restart(&mut self, distance: f64) -> bool {
        self.versions = None;
        self.found.restart();
        (self.stage, self.is_weighed) = (Stage::Leaves, false);
        (self.visited, self.opened) = (0, Opened::default());
        self.leaf_pairs.restart(distance).is_ok()
    }

    /// Begins an interval; returns whether there is one.
    pub(crate) fn begin(&mut self, partners: &PairedBoxes<'_>, versions: Versions) -> bool {
        let shapes = |versions: Versions| versions.map(|(_, shape)| shape);
        if self.versions.map(shapes) != Some(shapes(versions)) {
            self.leaf_pairs.forget();
        }
        (self.stage, self.visited, self.is_weighed) = (Stage::Leaves, 0, false);
        self.opened = Opened::default();
        let is_begun = self.leaf_pairs.begin(partners).is_ok();
        self.versions = is_begun.then_some(versions);
        is_begun
    }

    /// Finds leaf pairs until the budget is spent.
    pub(crate) fn find_leaves(&mut self, partners: &PairedBoxes<'_>, budget: &mut usize) {
        if self.stage == Stage::Leaves && *budget > 0 {
            let before = self.leaf_pairs.stats().visited;
            let visits = (*budget as f64 / tuning::NODE_PAIRS_PER_VISIT).ceil() as usize;
            if self.leaf_pairs.prepare(partners, visits) == Prepared::All {
                self.stage = Stage::Met;
            }
            let visited = (self.leaf_pairs.stats().visited - before) as usize;
            self.visited += visited;
            *budget = budget.saturating_sub((visited as f64 * tuning::NODE_PAIRS_PER_VISIT) as usize);
        }
    }

    /// Finds candidates until the budget is spent, where that is worth it.
    /// `step` is the length of the host's steps, seconds; 0 if unknown. No more than `most`
    /// candidates are examined.
    pub(crate) fn find_triangles(
        &mut self,
        finder: &mut Finder,
        partners: &PairedBoxes<'_>,
        sides: &Sides<'_>,
        (step, most): (f64, Option<usize>),
        budget: &mut usize,
    ) {
        let Some(versions) = self.versions.filter(|_| *budget > 0) else { return };
        if self.stage == Stage::Triangles && finder.of != Some(versions) {
            // It went on to another interval.
            (self.stage, self.opened) = (Stage::Met, Opened::default());
        }
        let Self { leaf_pairs, found, stage, opened, .. } = self;
        let ([a, b], rule) = (sides.bodies, sides.rule);
        if *stage == Stage::Met {
            let triangles = a.shape.mesh.triangles().len() + b.shape.mesh.triangles().len();
            if triangles > tuning::MAX_TRIANGLES_PER_LEAF_PAIR * leaf_pairs.pairs().len() {
                return;
            }
            // What is certain is certain by the plain test of triangles.
            let is_plain = !(rule.is_self && a.rules.neighbours);
            let interval = leaf_pairs.interval();
            let steps = if is_plain && step > 0.0 { (interval.end - interval.begin) / step } else { 0.0 };
            let candidates = finder.of_shapes(versions.map(|(_, shape)| shape), sides);
            // The room of what this interval had; the finder has none of its own.
            candidates.give(found);
            candidates.expect_steps(steps);
            if candidates.begin(leaf_pairs, partners).is_err() {
                return;
            }
            finder.of = Some(versions);
            *stage = Stage::Triangles;
        }
        if let (Stage::Triangles, Some((candidates, _))) = (*stage, &mut finder.candidates) {
            let (pair, wants) = (a.paired_bodies(b, rule.is_self), |p: u32, q: u32| rule.wants(p, q));
            let (before, known) = (*budget, candidates.found().examined());
            candidates.limit_certainty(most);
            let outcome = candidates.prepare(leaf_pairs, partners, pair, wants, budget);
            opened.examined = candidates.found().examined();
            let on_certainty = (opened.examined - known) * tuning::NODE_PAIRS_PER_USUAL_CANDIDATE;
            let spent = (before - *budget).saturating_sub(on_certainty);
            opened.note((candidates.opened(), candidates.found().count()), spent);
            if outcome == Prepared::All {
                *stage = Stage::Ready;
                candidates.give(found);
                finder.of = None;
            }
        }
    }

    /// Whether triangles are found below leaf pairs.
    pub(crate) fn finds_triangles(&self) -> bool {
        matches!(self.stage, Stage::Triangles | Stage::Ready)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.leaf_pairs.bytes() + self.found.bytes()
    }

    pub(super) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        self.leaf_pairs.add_parts(add);
        add("candidates", self.found.bytes());
    }
}

/// What finds candidates, of one interval after the other: what is gathered for one is of no use
/// once its candidates are known.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Finder {
    /// And the shapes of trees it is of.
    candidates: Option<(Box<Candidates>, [u64; 2])>,
    /// Of which interval it has found some but not all.
    of: Option<Versions>,
    /// Memory for candidates.
    #[cfg_attr(feature = "record", serde(skip))]
    spare: Scratch<Option<Box<Candidates>>>,
}

impl Finder {
    fn of_shapes(&mut self, shapes: [u64; 2], sides: &Sides<'_>) -> &mut Candidates {
        let [a, b] = sides.boxes;
        if self.candidates.as_ref().is_some_and(|(_, of)| *of != shapes) {
            self.drop_candidates();
        }
        let Self { candidates, spare, .. } = self;
        let (candidates, _) = candidates.get_or_insert_with(|| {
            let is_self = sides.rule.is_self;
            let candidates = match spare.0.take() {
                Some(mut own) => {
                    own.restart(a, (!is_self).then_some(b));
                    own
                }
                None => Box::new(if is_self { Candidates::within(a) } else { Candidates::between(a, b) }),
            };
            (candidates, shapes)
        });
        candidates
    }

    /// Forgets everything, and keeps the memory of candidates.
    pub(crate) fn empty(&mut self) {
        self.of = None;
        self.drop_candidates();
    }

    fn drop_candidates(&mut self) {
        if let Some((mut candidates, _)) = self.candidates.take() {
            candidates.let_go();
            self.spare.0 = Some(candidates);
        }
    }

    /// The candidates, or those whose memory is for them.
    fn kept(&self) -> impl Iterator<Item = &Candidates> {
        let candidates = self.candidates.as_ref().map(|(candidates, _)| &**candidates);
        candidates.into_iter().chain(self.spare.0.as_deref())
    }

    /// What was found so far of an interval that it is at.
    pub(crate) fn found_of(&mut self, versions: Option<Versions>, bodies: PairedBodies<'_>) -> Option<&Found> {
        let (candidates, _) = self.candidates.as_mut().filter(|_| self.of.is_some() && self.of == versions)?;
        candidates.settle(bodies);
        Some(candidates.found())
    }

    pub(super) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        self.kept().for_each(|candidates| candidates.add_parts(add));
    }

    pub(crate) fn bytes(&self) -> usize {
        self.kept().map(Candidates::bytes).sum()
    }
}

/// Both bodies with the boxes of an interval.
pub(crate) struct Sides<'a> {
    pub(crate) bodies: [&'a Body; 2],
    pub(crate) boxes: [&'a IntervalBoxes; 2],
    pub(crate) rule: &'a PairRule<'a>,
}

impl<'a> Sides<'a> {
    pub(crate) fn partners(&self, shared_vertices: Option<&'a (SharedVertices, u64)>) -> PairedBoxes<'a> {
        let [a, b] = self.boxes;
        match shared_vertices {
            Some((shared_vertices, _)) => PairedBoxes::within(a, shared_vertices),
            None => PairedBoxes::between(a, b),
        }
    }
}
