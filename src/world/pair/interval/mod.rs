//! Pairs of two discrete bodies in interval mode: found once per interval, read at every step.
//!
//! Maintains, for the time in which the intervals of both bodies are known:
//! 1. which of their leaves may meet, and from when to when ([`IntervalPairs`]);
//! 2. below these, which triangles may touch ([`Candidates`]), where there are enough leaf pairs
//!    for the room that this takes;
//! 3. in which parts of the interval candidates certainly touch or are apart, where the host makes
//!    many steps ([`Candidates::at`]).
//!
//! At a time, candidates that are not certain are tested at the positions of that time
//! ([`FrameContacts`]), or, where there are no candidates, the leaf pairs whose windows hold the
//! time. The interval of a pair ends when a body enters another one; a tree of another shape starts
//! from the root.
//!
//! The next interval can be prepared a little in every step. When it is entered, what is missing is
//! done at once; so nothing depends on how the work was divided.

use crate::bvh::{AuditReport, SharedVertices};
use crate::interval::{FrameContacts, IntervalPairs, PairStats, PairedBodies, PairedBoxes};
use crate::oracle::Shape;
use crate::threads;
use crate::time::Moment;
use crate::tuning;
use crate::world::body::Body;
use crate::world::pair::opened::{self, Opened};
use crate::world::pair::scratch::Scratch;
use crate::world::rule::PairRule;
use crate::world::tree::cost_model::Costs;
use crate::world::tree::discrete::Discrete;

mod stages;

use self::stages::{Finder, Interval, Sides, Stage};

/// The triangles of two bodies, or of one with itself, that may touch, interval by interval.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct IntervalFinder {
    now: Interval,
    /// The next interval.
    next: Option<Box<Interval>>,
    finder: Finder,
    /// Of a body with itself; and the shape of its tree.
    shared_vertices: Option<(SharedVertices, u64)>,
    distance: f64,
    /// Pairs of nodes visited in the last interval with a front that was kept, and in the last one
    /// with a front from the root.
    usual: [usize; 2],
    /// Leaf pairs of the interval before the present one.
    opened_before: Opened,
    /// What was spent on intervals that were not ready, since it was last taken, in pairs of nodes.
    #[cfg_attr(feature = "record", serde(skip))]
    late: usize,
    /// Memory for the next interval.
    #[cfg_attr(feature = "record", serde(skip))]
    spare: Scratch<Option<Box<Interval>>>,
}

/// What a finder knows at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing: there is no common interval.
    Nothing,
    /// Nothing yet: the costs of the interval can be told first.
    Unfinished,
    /// Leaf pairs that may meet.
    Leaves,
    /// Pairs of triangles that may touch.
    Triangles,
}

impl IntervalFinder {
    /// A finder of triangles that count as touching at a distance, metres; `None` if the distance
    /// is not usable.
    pub(crate) fn new(distance: f64) -> Option<Self> {
        Some(Self {
            now: Interval::new(distance)?,
            next: None,
            finder: Finder::default(),
            shared_vertices: None,
            distance,
            usual: [0; 2],
            opened_before: Opened::default(),
            late: 0,
            spare: Scratch::default(),
        })
    }

    /// Becomes as a new one, in the memory that is there; returns whether the distance, metres, is
    /// usable.
    pub(crate) fn restart(&mut self, distance: f64) -> bool {
        self.empty();
        self.distance = distance;
        self.now.restart(distance)
    }

    /// Forgets all intervals, and lets go of what belongs to the bodies.
    pub(crate) fn empty(&mut self) {
        self.now.versions = None;
        self.now.leaf_pairs.let_go();
        self.drop_next();
        self.finder.empty();
        self.shared_vertices = None;
        (self.usual, self.opened_before, self.late) = ([0; 2], Opened::default(), 0);
    }

    /// Forgets the next interval, and keeps its memory.
    fn drop_next(&mut self) {
        if let Some(mut next) = self.next.take() {
            next.leaf_pairs.let_go();
            self.spare.0 = Some(next);
        }
    }

    /// Brings the finder to a moment; the intervals of both bodies must hold. Of a new interval
    /// just enough is found to tell its costs, where `may_weigh` is set.
    pub(crate) fn update(
        &mut self,
        (a, b): (&Body, &Body),
        rule: &PairRule<'_>,
        (now, step): (Moment, f64),
        may_weigh: bool,
    ) -> Progress {
        let (Some(swept_a), Some(swept_b)) = (a.discrete(), b.discrete()) else { return Progress::Nothing };
        let (Some(boxes_a), Some(boxes_b)) = (swept_a.boxes(now), swept_b.boxes(now)) else { return Progress::Nothing };
        let versions = [swept_a.version(), swept_b.version()];
        if !self.know_shared_vertices(a, rule.is_self, versions[0].1) {
            return Progress::Nothing;
        }
        let is_new = self.now.versions != Some(versions);
        let is_next = self.next.as_ref().is_some_and(|next| next.versions == Some(versions));
        if is_new && !is_next {
            self.drop_next();
        }
        let sides = Sides { bodies: [a, b], boxes: [boxes_a, boxes_b], rule };
        let Self { now: present, next, finder, shared_vertices, opened_before, .. } = self;
        let partners = sides.partners(shared_vertices.as_ref());
        if is_new {
            *opened_before = present.opened;
            match next {
                Some(next) => std::mem::swap(present, &mut **next),
                None => {
                    if !present.begin(&partners, versions) {
                        return Progress::Nothing;
                    }
                }
            }
        }
        let mut budget = usize::MAX;
        present.find_leaves(&partners, &mut budget);
        if may_weigh && !present.is_weighed && step > 0.0 {
            let some =
                (present.leaf_pairs.pairs().len() / tuning::LEAF_PAIRS_PER_SAMPLE).max(tuning::MIN_SAMPLED_LEAF_PAIRS);
            // By number of leaf pairs, not by their costs: where many triangles touch, a budget
            // would end after a few, and all others would be taken for such. No leaf pair costs
            // less than this, so no more are opened.
            loop {
                let before = present.opened.count();
                let mut share = some.saturating_sub(before) * tuning::NODE_PAIRS_PER_APART_LEAF_PAIR;
                let given = share;
                present.find_triangles(finder, &partners, &sides, (step, None), &mut share);
                budget = budget.saturating_sub(given - share);
                if present.stage != Stage::Triangles {
                    break;
                }
                if present.opened.count() == before || present.opened.count() >= some {
                    self.late = self.late.saturating_add(usize::MAX - budget);
                    return Progress::Unfinished;
                }
            }
        }
        present.find_triangles(finder, &partners, &sides, (step, None), &mut budget);
        self.late = self.late.saturating_add(usize::MAX - budget);
        self.usual[usize::from(present.leaf_pairs.is_rebuilt())] = present.visited;
        if present.stage == Stage::Ready { Progress::Triangles } else { Progress::Leaves }
    }

    /// Finds which leaves of a body share a corner; returns whether what must be known is.
    fn know_shared_vertices(&mut self, a: &Body, is_self: bool, shape: u64) -> bool {
        if is_self && self.shared_vertices.as_ref().is_none_or(|&(_, of)| of != shape) {
            self.shared_vertices =
                a.topology().and_then(|tree| a.shared_vertices(tree)).map(|shared_vertices| (shared_vertices, shape));
        }
        !is_self || self.shared_vertices.is_some()
    }

    /// The work left for the next interval per step left, in pairs of nodes, as far as is known.
    pub(crate) fn work_per_step(&self, a: &Discrete, b: &Discrete, now: Moment, step: f64) -> f64 {
        if self.now.versions != Some([a.version(), b.version()]) {
            return 0.0;
        }
        let present = &self.now;
        // Below leaf pairs, the next interval is taken to cost what the last ones did.
        let usual = opened::usual(&present.opened, &self.opened_before);
        let listed = present.leaf_pairs.pairs().len();
        let of_next = self.next.as_deref().filter(|next| next.versions.is_some()).unwrap_or(present);
        let most = most_examined(present, &of_next.leaf_pairs, step).unwrap_or(usize::MAX);
        let certainty = |opened: &Opened, listed: usize| {
            let each = if opened.is_sampled(listed) {
                tuning::NODE_PAIRS_PER_USUAL_CANDIDATE
            } else {
                tuning::NODE_PAIRS_EXPECTED_PER_CANDIDATE
            };
            let all = if present.opened.examined > 0 { opened.expected(listed, usual).min(most) } else { 0 };
            all.saturating_sub(opened.examined).saturating_mul(each)
        };
        let below = if present.finds_triangles() {
            let none = Opened::default();
            none.work_left(listed, usual).saturating_add(certainty(&none, listed))
        } else {
            0
        };
        let next = self.next.as_deref().filter(|next| next.versions.is_some() && next.versions != present.versions);
        // An interval that was passed over is not the one to come.
        let next = next.filter(|next| next.leaf_pairs.interval().end > present.leaf_pairs.interval().end);
        let is_rebuilt = match (next, &self.next) {
            (Some(next), _) => next.leaf_pairs.is_rebuilt(),
            (None, Some(next)) => next.leaf_pairs.is_rebuilt_next(),
            (None, None) => true,
        };
        let visits = match self.usual[usize::from(is_rebuilt)] {
            0 => self.usual[usize::from(!is_rebuilt)],
            known => known,
        };
        let of_visits = |count: usize| (count as f64 * tuning::NODE_PAIRS_PER_VISIT) as usize;
        let work = match next {
            None => below.saturating_add(of_visits(visits)),
            Some(next) if next.stage == Stage::Leaves => {
                below.saturating_add(of_visits(visits.saturating_sub(next.visited)))
            }
            Some(_) if !present.finds_triangles() => 0,
            Some(next) if next.stage == Stage::Ready => 0,
            Some(Interval { leaf_pairs, opened, .. }) => {
                let listed = leaf_pairs.pairs().len();
                opened.work_left(listed, usual).saturating_add(certainty(opened, listed))
            }
        };
        work as f64 / steps_left(now, present.leaf_pairs.interval().end, step).max(1.0)
    }

    /// What was spent on intervals that were not ready, since the last call, in pairs of nodes.
    pub(crate) fn take_late(&mut self) -> usize {
        std::mem::take(&mut self.late)
    }

    /// Prepares some of the next interval, if both bodies have theirs, within a budget. `step` is
    /// the length of the host's steps, seconds.
    pub(crate) fn prefetch(&mut self, a: &Body, b: &Body, rule: &PairRule<'_>, budget: f64, step: f64) {
        let (Some(swept_a), Some(swept_b)) = (a.discrete(), b.discrete()) else { return };
        if self.now.versions != Some([swept_a.version(), swept_b.version()]) {
            return;
        }
        let end = self.now.leaf_pairs.interval().end;
        let (Some((boxes_a, version_a)), Some((boxes_b, version_b))) = (swept_a.after(end), swept_b.after(end)) else {
            return;
        };
        let versions = [version_a, version_b];
        if !self.know_shared_vertices(a, rule.is_self, version_a.1) || self.now.versions == Some(versions) {
            return;
        }
        let Self { now: present, next, finder, shared_vertices, distance, spare, .. } = self;
        if next.is_none() {
            *next = match spare.0.take() {
                Some(mut own) => own.restart(*distance).then_some(own),
                None => Interval::new(*distance).map(Box::new),
            };
        }
        let Some(next) = next else { return };
        let sides = Sides { bodies: [a, b], boxes: [boxes_a, boxes_b], rule };
        let partners = sides.partners(shared_vertices.as_ref());
        if next.versions != Some(versions) {
            next.leaf_pairs.take_room(&mut present.leaf_pairs);
            if !next.begin(&partners, versions) {
                return;
            }
        }
        let mut budget = (budget.ceil() as usize).max(tuning::MIN_PREFETCH_BUDGET);
        next.find_leaves(&partners, &mut budget);
        if present.finds_triangles() {
            let most = most_examined(present, &next.leaf_pairs, step);
            next.find_triangles(finder, &partners, &sides, (step, most), &mut budget);
        }
    }

    /// Once per interval, its costs and its length, seconds. Triangles not found yet are assumed to
    /// cost as much as those that were.
    pub(crate) fn weigh(&mut self, now: Moment, bodies: PairedBodies<'_>) -> Option<(Costs, f64)> {
        let Interval { versions, leaf_pairs, found, visited, opened, is_weighed, stage, .. } = &mut self.now;
        if std::mem::replace(is_weighed, true) {
            return None;
        }
        let (listed, open) =
            (leaf_pairs.pairs().len() as f64, leaf_pairs.active(now.time()).map_or(0, Iterator::count) as f64);
        let span = leaf_pairs.interval();
        let length = span.end - span.begin;
        let known = match stage {
            Stage::Ready => Some(&*found),
            Stage::Triangles => self.finder.found_of(*versions, bodies),
            Stage::Leaves | Stage::Met => None,
        };
        let Some(known) = known.filter(|_| opened.count() > 0) else {
            let step = open * tuning::NODE_PAIRS_PER_TESTED_LEAVES;
            return Some((Costs { interval: *visited as f64, step, refit_step: step }, length));
        };
        let scale = listed / opened.count() as f64;
        let outlook = known.outlook();
        let candidates = scale * known.count() as f64;
        let (per_suspect, tests) = match outlook.parts {
            None => (0.0, outlook.open * tuning::NODE_PAIRS_PER_TEST),
            Some(parts) => {
                let per_suspect = tuning::NODE_PAIRS_PER_CANDIDATE + parts * tuning::NODE_PAIRS_PER_CERTAINTY_PIECE;
                let left_open = (1.0 - outlook.examined) * known.count() as f64;
                let uncertain = (outlook.open - left_open) * tuning::NODE_PAIRS_PER_UNCERTAIN_TEST;
                (outlook.examined * per_suspect, uncertain + left_open * tuning::NODE_PAIRS_PER_TEST)
            }
        };
        let costs = Costs {
            interval: *visited as f64 + listed * tuning::NODE_PAIRS_PER_LEAF_PAIR as f64 + candidates * per_suspect,
            step: scale * tests,
            refit_step: open
                * (tuning::NODE_PAIRS_PER_OVERLAPPING_LEAVES + candidates / listed * tuning::NODE_PAIRS_PER_TEST),
        };
        Some((costs, length))
    }

    /// Appends the leaf pairs that may meet at a moment, in no useful order; returns whether they
    /// are known.
    pub(crate) fn leaves(&self, is_self: bool, now: Moment, found: &mut Vec<(u32, u32)>) -> bool {
        let Ok(pairs) = self.now.leaf_pairs.active(now.time()) else { return false };
        found.extend(
            pairs.map(|pair| if is_self { (pair.a.min(pair.b), pair.a.max(pair.b)) } else { (pair.a, pair.b) }),
        );
        true
    }

    /// The pairs of triangles that may touch in the interval.
    fn triangles(&self) -> &[(u32, u32)] {
        if self.now.stage == Stage::Ready { self.now.found.pairs() } else { &[] }
    }

    /// Appends the candidates that certainly touch at a moment, ascending, and those that may;
    /// others do not. The candidates must be known.
    pub(crate) fn candidates(&self, now: Moment, touching: &mut Vec<(u32, u32)>, open: &mut Vec<(u32, u32)>) {
        let Interval { leaf_pairs, found, .. } = &self.now;
        if found.at(leaf_pairs, now.time(), touching, open) != Ok(true) {
            open.extend_from_slice(self.triangles());
        }
    }

    /// Checks that the leaf pairs of the present interval are all there are; nothing where there is
    /// none.
    pub(crate) fn audit(&self, a: &Body, b: &Body) -> AuditReport {
        let (Some(swept_a), Some(swept_b)) = (a.discrete(), b.discrete()) else { return AuditReport::default() };
        let (Some(boxes_a), Some(boxes_b)) = (swept_a.intervals.last(), swept_b.intervals.last()) else {
            return AuditReport::default();
        };
        if self.now.versions != Some([swept_a.version(), swept_b.version()]) {
            return AuditReport::default();
        }
        let partners = match &self.shared_vertices {
            Some((shared_vertices, _)) => PairedBoxes::within(boxes_a, shared_vertices),
            None => PairedBoxes::between(boxes_a, boxes_b),
        };
        self.now.leaf_pairs.audit(&partners)
    }

    pub(crate) fn stats(&self) -> PairStats {
        let mut stats = self.now.leaf_pairs.stats();
        if let Some(next) = &self.next {
            stats.intervals += next.leaf_pairs.stats().intervals;
            stats.visited += next.leaf_pairs.stats().visited;
        }
        stats
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them.
    pub(super) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        self.now.add_parts(add);
        for next in self.next.iter().chain(&self.spare.0) {
            next.add_parts(add);
        }
        self.finder.add_parts(add);
        add("shared corners", self.shared_vertices.as_ref().map_or(0, |(shared, _)| shared.bytes()));
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.now.bytes()
            + self.next.iter().chain(&self.spare.0).map(|next| next.bytes()).sum::<usize>()
            + self.finder.bytes()
            + self.shared_vertices.as_ref().map_or(0, |(shared_vertices, _)| shared_vertices.bytes())
    }
}

/// For how many candidates of the next interval the certainty is determined. Where a
/// host makes few steps, it costs little to test those at each step that are much more than in the
/// present interval, and the next one is ready in time.
fn most_examined(present: &Interval, next: &IntervalPairs, step: f64) -> Option<usize> {
    let interval = next.interval();
    let has_few_steps = interval.end - interval.begin <= tuning::FEW_STEPS * step;
    has_few_steps.then(|| {
        let known = present.found.count();
        known.saturating_add(known / 16 + tuning::ALWAYS_EXAMINED)
    })
}

/// The number of steps until a time is passed, this step included. A host that divides an interval
/// evenly steps to its end too, whatever the rounding.
pub(crate) fn steps_left(now: Moment, end: f64, step: f64) -> f64 {
    const ROUNDING: f64 = 1.0 / 1024.0;
    ((end - now.time()) / step + ROUNDING).floor() + 1.0
}

/// Names those of some pairs of triangles that touch where both bodies are; returns how many exact
/// tests that took.
pub(crate) fn test_open(
    open: &[(u32, u32)],
    (a, b): (Shape<'_>, Shape<'_>),
    rule: &PairRule<'_>,
    mut found: impl FnMut(u32, u32),
) -> u64 {
    let test = |pairs: &[(u32, u32)], found: &mut dyn FnMut(u32, u32)| {
        let corners = |side: usize, triangle: u32| if side == 0 { a.corners(triangle) } else { b.corners(triangle) };
        let mut frames = FrameContacts::new(rule);
        frames.touching(pairs.iter().copied(), corners, rule, found);
        frames.tests()
    };
    if open.len() < 2 * PAIRS_OF_A_TASK || threads::count() < 2 {
        return test(open, &mut found);
    }
    let mut tasks: Vec<_> = open.chunks(PAIRS_OF_A_TASK).map(|pairs| (pairs, Vec::new(), 0)).collect();
    threads::for_each(&mut tasks, |(pairs, touching, tests)| {
        *tests = test(pairs, &mut |p, q| touching.push((p, q)));
    });
    tasks.iter().flat_map(|(_, touching, _)| touching).for_each(|&(p, q)| found(p, q));
    tasks.iter().map(|(.., tests)| tests).sum()
}

/// Pairs of triangles that one thread tests at a time where several do.
const PAIRS_OF_A_TASK: usize = 256;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::pair::finder::PairFinder;
    use crate::world::{BodyDef, Engine, World, WorldDef};

    #[test]
    fn the_size_is_that_of_all_parts() {
        let mut world = World::new(WorldDef { engine: Engine::Interval, ..WorldDef::default() }).unwrap();
        // Two triangles of one body, of which one comes through the other.
        let key = |z: f32| {
            let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            [flat, [[0.25, 0.25, z], [0.5, 0.25, z + 1.0], [0.25, 0.5, z + 1.0]]].concat()
        };
        let plan = Flightplan::keyframes(vec![0.0, 1.0], [key(0.5), key(-0.5)].concat());
        let mesh = Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
        world.add_body(BodyDef::new(mesh, plan).self_contact(true)).unwrap();
        world.advance_to(0.25).unwrap();
        world.advance_to(0.75).unwrap();
        let (_, pair) = world.pairs.iter().next().expect("it is tested against itself");
        let PairFinder::Interval(finder) = &pair.finder else { panic!("no interval") };
        let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
        finder.add_parts(&mut |name, bytes| *parts.entry(name).or_default() += bytes);
        assert!(parts.get("shared corners").is_some_and(|&bytes| bytes > 0), "{parts:?}");
        assert_eq!(finder.bytes(), parts.values().sum::<usize>(), "{parts:?}");
    }
}
