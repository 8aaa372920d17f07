//! Continuous contacts found interval by interval: which triangles may touch while both bodies move
//! linearly.
//!
//! A separation list processes every change of every box. Where all vertices of two bodies move
//! linearly from key to key, one dual traversal of the boxes at both keys finds the triangles that
//! may touch in between ([`IntervalPairs`], [`Candidates`]), at a fraction of that cost; contact
//! intervals are decided for these as for those of a list, and are the same.
//!
//! | the pair has | when |
//! |---|---|
//! | intervals | both bodies have engine auto and are made of triangles that all follow one plan of keys, or rest, or are bounded from few parameters |
//! | a list | otherwise: velocities, curves, sampled plans without bounds, spheres, engine kinetic |
//!
//! Of a body that is bounded from few parameters, all vertices are evaluated once per key, in
//! `f32`, while it may meet another body of the pair ([`far_apart`](super::far_apart)), or itself.
//! The exact tests evaluate vertices of the triangles that may touch, in `f64`.
//!
//! A pair gets a list, for as long as it is watched, when a plan of single vertices or an edit
//! comes, and where an interval is so long, or motion in it so fast, that the traversal visits more
//! pairs of nodes than `tuning::MAX_INTERVAL_VISITS_PER_NODE` says. All of this depends on
//! definitions and changes, never on how the host advances.

use crate::bvh::{AuditReport, Hierarchy, SharedVertices};
use crate::interval::{Candidates, IntervalBoxes, IntervalPairs, PairStats, PairedBoxes, Prepared};
use crate::narrow::ContactRule;
use crate::time::{Moment, Span};
use crate::tuning;
use crate::world::body::bodies::Bodies;
use crate::world::body::{Body, are_between_rounds};
use crate::world::pair::far_apart::{are_far_apart, audit_far_apart};
use crate::world::pair::finder::PairFinder;
use crate::world::pair::next_interval::NextInterval;
use crate::world::pair::opened::Opened;
use crate::world::pair::scratch::Scratch;
use crate::world::pair::spare::most_of;
use crate::world::pair::{BodyPair, Pairs};
use crate::world::rule::PairRule;

/// What two bodies, or one with itself, may have in contact during one interval.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ContinuousInterval {
    /// From which distance triangles are among those that may touch, metres.
    reach: f64,
    interval: Span,
    /// `None` until bodies that are bounded from parameters may meet.
    pub(super) traversal: Option<Box<Traversal>>,
    /// Whether nothing was evaluated in the interval, since boxes of nodes are far apart.
    is_far_apart: bool,
    /// Triangles of the first and of the second body, sorted.
    pub(super) triangles: Vec<(u32, u32)>,
    /// Leaf pairs of this interval and of the one before.
    pub(super) opened: [Opened; 2],
    /// The interval after this one, as far as it was prepared.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(super) next: Scratch<Option<Box<NextInterval>>>,
    /// Memory for the traversal.
    #[cfg_attr(feature = "record", serde(skip))]
    spare: Scratch<Option<Box<Traversal>>>,
}

/// What finds the triangles that may touch, from the boxes of both bodies at both ends of an
/// interval.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Traversal {
    pub(super) leaf_pairs: IntervalPairs,
    pub(super) candidates: Candidates,
    /// Of a body with itself.
    pub(super) shared_vertices: Option<SharedVertices>,
}

impl Traversal {
    /// Of bodies whose boxes are known, in the memory of another one if there is one; `None` unless
    /// they are.
    fn new(a: &Body, b: &Body, rule: &PairRule<'_>, reach: f64, spare: Option<Box<Self>>) -> Option<Box<Self>> {
        let (boxes_a, boxes_b) = (a.keys.as_deref()?, b.keys.as_deref()?);
        let shared_vertices = if rule.is_self { Some(a.shared_vertices(boxes_a.topology())?) } else { None };
        let Some(mut own) = spare else {
            let candidates =
                if rule.is_self { Candidates::within(boxes_a) } else { Candidates::between(boxes_a, boxes_b) };
            return Some(Box::new(Self { leaf_pairs: IntervalPairs::new(reach).ok()?, candidates, shared_vertices }));
        };
        own.leaf_pairs.restart(reach).ok()?;
        own.candidates.restart(boxes_a, (!rule.is_self).then_some(boxes_b));
        own.shared_vertices = shared_vertices;
        Some(own)
    }

    /// Lets go of what belongs to the bodies.
    fn let_go(&mut self) {
        self.leaf_pairs.let_go();
        self.candidates.let_go();
        self.shared_vertices = None;
    }

    /// Finds the triangles that may touch in the interval for which both bodies' boxes are; returns
    /// what that has cost, if it was possible.
    fn update(&mut self, a: &Body, b: &Body, rule: &PairRule<'_>, triangles: &mut Vec<(u32, u32)>) -> Option<Opened> {
        let Self { leaf_pairs, candidates, shared_vertices } = self;
        let (Some(boxes_a), Some(boxes_b)) = (a.keys.as_deref(), b.keys.as_deref()) else { return None };
        let partners = partners(boxes_a, boxes_b, shared_vertices.as_ref());
        let most =
            tuning::MAX_INTERVAL_VISITS_PER_NODE * (boxes_a.topology().node_count() + boxes_b.topology().node_count());
        let wants = |p: u32, q: u32| rule.wants(p, q);
        let mut budget = usize::MAX;
        let is_known = leaf_pairs.begin(&partners).is_ok()
            && leaf_pairs.prepare(&partners, most) == Prepared::All
            && candidates.begin(leaf_pairs, &partners).is_ok()
            && candidates.prepare(leaf_pairs, &partners, a.paired_bodies(b, rule.is_self), wants, &mut budget)
                == Prepared::All;
        if is_known {
            triangles.extend(candidates.pairs());
            triangles.sort_unstable();
        }
        let mut opened = Opened::default();
        opened.note((candidates.opened(), candidates.found().count()), usize::MAX - budget);
        is_known.then_some(opened)
    }

    fn bytes(&self) -> usize {
        self.leaf_pairs.bytes()
            + self.candidates.bytes()
            + self.shared_vertices.as_ref().map_or(0, SharedVertices::bytes)
    }
}

impl ContinuousInterval {
    fn new(reach: f64) -> Self {
        let interval = Span { begin: 0.0, end: 0.0 };
        let (next, spare) = (Scratch::default(), Scratch::default());
        let opened = [Opened::default(); 2];
        Self { reach, interval, traversal: None, is_far_apart: false, triangles: Vec::new(), opened, next, spare }
    }

    /// Becomes as a new one, in the memory that is there.
    fn restart(&mut self, reach: f64) {
        self.empty();
        self.reach = reach;
    }

    /// Reaches farther from the next interval on.
    fn widen(&mut self, reach: f64) {
        self.reach = reach;
        self.forget_next();
        self.traversal.take_if(|traversal| traversal.leaf_pairs.set_distance(reach).is_err());
    }

    /// Empties it, and lets go of what belongs to the bodies.
    pub(super) fn empty(&mut self) {
        self.interval = Span { begin: 0.0, end: 0.0 };
        self.is_far_apart = false;
        self.opened = [Opened::default(); 2];
        self.triangles.clear();
        if let Some(next) = &mut self.next.0 {
            next.forget();
            next.leaf_pairs.let_go();
        }
        if let Some(mut traversal) = self.traversal.take() {
            traversal.let_go();
            self.spare.0 = Some(traversal);
        }
    }

    /// Finds the triangles that may touch in the interval around a moment; returns whether that was
    /// possible.
    fn update(&mut self, pair: &BodyPair, bodies: &mut Bodies, at: Moment) -> bool {
        self.triangles.clear();
        self.is_far_apart = false;
        let [span_a, span_b] = [pair.a, pair.b].map(|body| bodies.at_mut(body).key_interval(at));
        let (Some(span_a), Some(span_b)) = (span_a, span_b) else { return false };
        let interval = span_a.intersection(span_b);
        self.interval = interval;
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        // Two such bodies have but one time in common, and traversals compare boxes over a stretch
        // of time.
        if interval.begin == interval.end && are_between_rounds(a, b, interval.begin) {
            return false;
        }
        let is_bounded = a.is_bounded_ahead() || b.is_bounded_ahead();
        if is_bounded && !pair.is_self() && are_far_apart(a, b, interval, self.reach) {
            self.is_far_apart = true;
            return true;
        }
        if [pair.a, pair.b].map(|body| bodies.at_mut(body).update_keys(at)) != [true, true] {
            return false;
        }
        if at == Moment::after(interval.begin) && self.enter_next() {
            return true;
        }
        self.forget_next();
        if let (Some(present), Some(next)) = (&mut self.traversal, &mut self.next.0) {
            present.leaf_pairs.take_room_back(&mut next.leaf_pairs);
        }
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let rule = pair.rule(a);
        if self.traversal.is_none() {
            self.traversal = Traversal::new(a, b, &rule, self.reach, self.spare.0.take());
        }
        let Some(traversal) = &mut self.traversal else { return false };
        let opened = traversal.update(a, b, &rule, &mut self.triangles);
        self.opened = [opened.unwrap_or_default(), self.opened[0]];
        opened.is_some()
    }

    /// Takes what was prepared for the interval, if all of it was.
    fn enter_next(&mut self) -> bool {
        let (Some(present), Some(next)) = (&mut self.traversal, &mut self.next.0) else { return false };
        let is_ready = next.is_ready(self.interval);
        if is_ready {
            std::mem::swap(&mut present.leaf_pairs, &mut next.leaf_pairs);
            std::mem::swap(&mut self.triangles, &mut next.triangles);
            self.opened = [next.opened, self.opened[0]];
        }
        next.forget();
        is_ready
    }

    /// Forgets what was prepared.
    pub(super) fn forget_next(&mut self) {
        if let Some(next) = &mut self.next.0 {
            next.forget();
        }
    }

    /// Whether the interval that follows the one until a time, seconds, was begun.
    pub(super) fn has_begun_next(&self, end: f64) -> bool {
        self.next.0.as_ref().is_some_and(|next| next.follows(end))
    }

    /// When the interval ends, seconds.
    pub(crate) fn end(&self) -> f64 {
        self.interval.end
    }

    /// The pairs of triangles that may touch in it, sorted.
    pub(crate) fn triangles(&self) -> &[(u32, u32)] {
        &self.triangles
    }

    pub(crate) fn stats(&self) -> PairStats {
        self.traversal.as_ref().map_or_else(PairStats::default, |traversal| traversal.leaf_pairs.stats())
    }

    /// The present one, and the one whose memory is for it.
    fn traversals(&self) -> impl Iterator<Item = &Traversal> {
        [&self.traversal, &self.spare.0].into_iter().filter_map(Option::as_deref)
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them.
    pub(super) fn add_parts(&self, add: &mut dyn FnMut(&'static str, usize)) {
        for traversal in self.traversals() {
            let Traversal { leaf_pairs, candidates, shared_vertices } = traversal;
            leaf_pairs.add_parts(add);
            candidates.add_parts(add);
            add("shared corners", shared_vertices.as_ref().map_or(0, SharedVertices::bytes));
        }
        add("candidates", self.triangles.capacity() * size_of::<(u32, u32)>());
        if let Some(next) = &self.next.0 {
            next.leaf_pairs.add_parts(add);
            add("candidates", next.bytes() - next.leaf_pairs.bytes());
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.traversals().map(Traversal::bytes).sum::<usize>()
            + self.triangles.capacity() * size_of::<(u32, u32)>()
            + self.next.0.as_ref().map_or(0, |next| next.bytes())
    }

    /// Checks that the leaf pairs are all there are, if both bodies are still in the interval; that
    /// none is near where nothing was evaluated.
    pub(crate) fn audit(&self, a: &Body, b: &Body) -> AuditReport {
        if self.is_far_apart {
            return audit_far_apart(a, b, self.interval, self.reach);
        }
        let Some(traversal) = &self.traversal else { return AuditReport::default() };
        let Traversal { leaf_pairs, shared_vertices, .. } = &**traversal;
        let (Some(boxes_a), Some(boxes_b)) = (a.keys.as_deref(), b.keys.as_deref()) else {
            return AuditReport::default();
        };
        let interval = leaf_pairs.interval();
        if (boxes_a.begin().max(boxes_b.begin()), boxes_a.end().min(boxes_b.end())) != (interval.begin, interval.end) {
            return AuditReport::default();
        }
        leaf_pairs.audit(&partners(boxes_a, boxes_b, shared_vertices.as_ref()))
    }
}

/// From which distance triangles may be decided to touch from a moment on, metres: with some slacks
/// of both bodies. A window that ends at a wrap is followed before the epoch begins that has
/// another slack.
fn reach(a: &Body, b: &Body, rule: &PairRule<'_>, slacks: f64, at: Moment) -> f64 {
    let slack = |body: &Body| body.epoch.slack.max(body.motion.slack(at));
    (rule.distance() + slacks * (slack(a) + slack(b))) * (1.0 + f64::EPSILON)
}

/// Slacks of the reach that is needed. Where windows are cut, positions count as in contact that
/// are closer than their roundings, and these are far less than the slacks.
const SLACKS: f64 = 4.0;

/// Slacks of the reach that is taken. Slacks grow with the time of a loop; where a larger reach is
/// needed, what was prepared is of no use.
const SLACKS_TAKEN: f64 = 64.0;

pub(super) fn partners<'a>(
    a: &'a IntervalBoxes,
    b: &'a IntervalBoxes,
    shared_vertices: Option<&'a SharedVertices>,
) -> PairedBoxes<'a> {
    match shared_vertices {
        Some(shared_vertices) => PairedBoxes::within(a, shared_vertices),
        None => PairedBoxes::between(a, b),
    }
}

impl Pairs {
    /// Finds a new pair interval by interval, if both bodies suit that; returns whether they do.
    pub(crate) fn start_interval(&mut self, number: u32, bodies: &Bodies, now: Moment) -> bool {
        let Self { table, spare, .. } = self;
        let pair = &mut table[number];
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        if !(a.is_apt_for_intervals(now) && b.is_apt_for_intervals(now)) {
            return false;
        }
        let reach = reach(a, b, &pair.rule(a), SLACKS_TAKEN, now);
        let kept = spare.0.intervals.take(most_of(a, b));
        let mut interval = kept.unwrap_or_else(|| Box::new(ContinuousInterval::new(reach)));
        interval.restart(reach);
        pair.finder = PairFinder::Continuous(interval);
        true
    }

    /// Brings the interval of a pair to a moment; returns false if the pair had one and has none
    /// now. That pair needs a list.
    pub(crate) fn update_interval(&mut self, number: u32, bodies: &mut Bodies, at: Moment) -> bool {
        let pair = &mut self[number];
        if pair.finder.continuous().is_none() {
            return true;
        }
        let PairFinder::Continuous(mut interval) = std::mem::take(&mut pair.finder) else { return true };
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        // Another plan may reach farther than the one before.
        if reach(a, b, &pair.rule(a), SLACKS, at) > interval.reach {
            interval.widen(reach(a, b, &pair.rule(a), SLACKS_TAKEN, at));
        }
        let is_known = interval.update(pair, bodies, at);
        if is_known {
            pair.finder = PairFinder::Continuous(interval);
        }
        is_known
    }

    /// Drops the interval of a pair; returns whether it had one. That pair needs a list.
    pub(crate) fn drop_interval(&mut self, number: u32) -> bool {
        let finder = &mut self[number].finder;
        let has_interval = finder.continuous().is_some();
        if has_interval {
            *finder = PairFinder::default();
        }
        has_interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::motion::{Flightplan, Outside};
    use crate::world::{BodyDef, ContactMode, World, WorldDef};

    #[test]
    fn leaf_pairs_of_bodies_whose_keys_alternate_are_audited() {
        let mut world =
            World::new(WorldDef { contacts: ContactMode::Continuous, start: 0.75, ..WorldDef::default() }).unwrap();
        for first in [0.0, 0.5] {
            let keys = [0.0, 0.25, 0.5].map(|z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z + 1.0]]).concat();
            let plan = Flightplan::keyframes(vec![first, first + 1.0, first + 2.0], keys);
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        }
        world.advance_to(1.25).unwrap();
        assert!(world.audit().is_clean(), "{}", world.audit());
        let World { pairs, bodies, .. } = &mut world;
        let number = pairs.iter().next().expect("their boxes meet").0;
        let pair = &mut pairs[number];
        let (boxes_a, boxes_b) = (bodies.at(pair.a).keys.as_deref(), bodies.at(pair.b).keys.as_deref());
        let (Some(boxes_a), Some(boxes_b)) = (boxes_a, boxes_b) else { panic!("no boxes at keys") };
        assert!(boxes_a.begin() != boxes_b.begin());
        // Begun again, and nothing found.
        let PairFinder::Continuous(interval) = &mut pair.finder else { panic!("no interval") };
        let leaf_pairs = &mut interval.traversal.as_mut().expect("boxes meet").leaf_pairs;
        leaf_pairs.begin(&partners(boxes_a, boxes_b, None)).unwrap();
        assert!(!world.audit().is_clean());
    }

    #[test]
    fn the_reach_grows_with_the_slacks_of_a_loop() {
        let mut world = World::new(WorldDef { contacts: ContactMode::Continuous, ..WorldDef::default() }).unwrap();
        for shift in [0.0, 0.25] {
            let keys =
                [0.0, 0.5, 1.0, 0.5, 0.0].map(|z: f32| [[shift, 0.0, z - shift], [1.0, 0.0, z], [0.0, 1.0, 1.0 - z]]);
            let times = (0..5).map(|key| 0.25 * f64::from(key)).collect();
            let plan = Flightplan::keyframes(times, keys.concat()).outside(Outside::Loop);
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        }
        let (mut reaches, mut rebuilds) = (Vec::new(), 0);
        for step in 1..1000 {
            world.advance_to(0.125 * f64::from(step)).unwrap();
            let (_, pair) = world.pairs.iter().next().expect("their boxes meet");
            let PairFinder::Continuous(interval) = &pair.finder else { panic!("no interval") };
            let (a, b) = (world.bodies.at(pair.a), world.bodies.at(pair.b));
            assert!(interval.reach >= reach(a, b, &pair.rule(a), SLACKS, world.clock.now), "step {step}");
            let leaf_pairs = &interval.traversal.as_ref().expect("boxes meet").leaf_pairs;
            assert_eq!(leaf_pairs.distance(), interval.reach, "step {step}");
            assert!(world.audit().is_clean(), "{}", world.audit());
            if reaches.last() != Some(&interval.reach) {
                reaches.push(interval.reach);
            }
            rebuilds = leaf_pairs.stats().rebuilds;
        }
        // The front is built again as often as without that.
        let usual = 500_u64.div_ceil(u64::from(tuning::INTERVALS_PER_FRONT));
        assert!(reaches.len() > 1 && reaches.is_sorted(), "{reaches:?}");
        assert!((1..=usual + 1).contains(&rebuilds), "{rebuilds} fronts from the root");
    }
}
