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
//! | intervals | both bodies have engine auto and are made of triangles that all follow one plan of keys, or rest |
//! | a list | otherwise: velocities, curves, sampled plans, spheres, engine kinetic |
//!
//! A pair gets a list, for as long as it is watched, when a plan of single vertices or an edit
//! comes, and where an interval is so long, or motion in it so fast, that the traversal visits more
//! pairs of nodes than `tuning::MAX_INTERVAL_VISITS_PER_NODE` says. All of this depends on
//! definitions and changes, never on how the host advances.

use crate::bvh::{AuditReport, Hierarchy, SharedVertices};
use crate::interval::{Candidates, IntervalBoxes, IntervalPairs, PairStats, PairedBoxes, Prepared};
use crate::narrow::ContactRule;
use crate::time::Moment;
use crate::tuning;
use crate::world::body::bodies::Bodies;
use crate::world::body::{Body, are_between_rounds};
use crate::world::pair::Pairs;
use crate::world::pair::finder::PairFinder;
use crate::world::rule::PairRule;

/// What two bodies, or one with itself, may have in contact during one interval.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ContinuousInterval {
    /// From which distance triangles are among those that may touch, metres.
    reach: f64,
    windows: IntervalPairs,
    candidates: Candidates,
    /// Of a body with itself.
    shared_vertices: Option<SharedVertices>,
    /// Triangles of the first and of the second body, sorted.
    triangles: Vec<(u32, u32)>,
}

impl ContinuousInterval {
    /// Of bodies whose boxes are known; `None` unless they are.
    fn new(a: &Body, b: &Body, rule: &PairRule<'_>) -> Option<Self> {
        let (boxes_a, boxes_b) = (a.keys.as_deref()?, b.keys.as_deref()?);
        let reach = reach(a, b, rule);
        let (candidates, shared_vertices) = if rule.is_self {
            let shared_vertices = a.shared_vertices(boxes_a.topology())?;
            (Candidates::within(boxes_a, &a.shape.mesh, a.excluding_seams()), Some(shared_vertices))
        } else {
            (Candidates::between((boxes_a, &a.shape.mesh), (boxes_b, &b.shape.mesh)), None)
        };
        Some(Self {
            reach,
            windows: IntervalPairs::new(reach).ok()?,
            candidates,
            shared_vertices,
            triangles: Vec::new(),
        })
    }

    /// Finds the triangles that may touch in the interval for which both bodies' boxes are; says
    /// whether that was possible.
    fn update(&mut self, a: &Body, b: &Body, rule: &PairRule<'_>) -> bool {
        let Self { windows, candidates, shared_vertices, triangles, .. } = self;
        let (Some(boxes_a), Some(boxes_b)) = (a.keys.as_deref(), b.keys.as_deref()) else { return false };
        let partners = partners(boxes_a, boxes_b, shared_vertices.as_ref());
        let most =
            tuning::MAX_INTERVAL_VISITS_PER_NODE * (boxes_a.topology().node_count() + boxes_b.topology().node_count());
        let wants = |p: u32, q: u32| rule.wants(p, q);
        // Two such bodies have but one time in common, and traversals compare boxes over a stretch
        // of time.
        let begin = boxes_a.begin().max(boxes_b.begin());
        let is_instant = begin == boxes_a.end().min(boxes_b.end()) && are_between_rounds(a, b, begin);
        let is_known = !is_instant
            && windows.begin(&partners).is_ok()
            && windows.prepare(&partners, most) == Prepared::All
            && candidates.begin(windows, &partners).is_ok()
            && candidates.prepare(windows, &partners, wants, usize::MAX) == Prepared::All;
        triangles.clear();
        if is_known {
            triangles.extend_from_slice(candidates.pairs());
            triangles.sort_unstable();
        }
        is_known
    }

    /// When the interval ends, seconds.
    pub(crate) fn end(&self) -> f64 {
        self.windows.interval().end
    }

    /// The pairs of triangles that may touch in it, sorted.
    pub(crate) fn triangles(&self) -> &[(u32, u32)] {
        &self.triangles
    }

    pub(crate) fn stats(&self) -> PairStats {
        self.windows.stats()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.windows.bytes()
            + self.candidates.bytes()
            + self.shared_vertices.as_ref().map_or(0, SharedVertices::bytes)
            + self.triangles.capacity() * size_of::<(u32, u32)>()
    }

    /// Checks that the leaf pairs are all there are, if both bodies are still in the interval.
    pub(crate) fn audit(&self, a: &Body, b: &Body) -> AuditReport {
        let (Some(boxes_a), Some(boxes_b)) = (a.keys.as_deref(), b.keys.as_deref()) else {
            return AuditReport::default();
        };
        let interval = self.windows.interval();
        if (boxes_a.begin().max(boxes_b.begin()), boxes_a.end().min(boxes_b.end())) != (interval.begin, interval.end) {
            return AuditReport::default();
        }
        self.windows.audit(&partners(boxes_a, boxes_b, self.shared_vertices.as_ref()))
    }
}

/// From which distance triangles may be decided to touch, metres, generously. Where windows are
/// cut, positions count as in contact that are closer than their roundings, and these are far less
/// than the slacks.
fn reach(a: &Body, b: &Body, rule: &PairRule<'_>) -> f64 {
    (rule.distance() + 4.0 * (a.epoch.slack + b.epoch.slack)) * (1.0 + f64::EPSILON)
}

fn partners<'a>(
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
    pub(crate) fn start_interval(&mut self, number: u32, bodies: &mut Bodies, now: Moment) -> bool {
        let pair = &mut self[number];
        if [pair.a, pair.b].map(|body| bodies.at_mut(body).update_keys(now)) != [true, true] {
            return false;
        }
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let Some(interval) = ContinuousInterval::new(a, b, &pair.rule(a)) else { return false };
        pair.finder = PairFinder::Continuous(Box::new(interval));
        true
    }

    /// Brings the interval of a pair to a moment; returns false if the pair had one and has none
    /// now. That pair needs a list.
    pub(crate) fn update_interval(&mut self, number: u32, bodies: &mut Bodies, at: Moment) -> bool {
        let pair = &mut self[number];
        if pair.finder.continuous().is_none() {
            return true;
        }
        let are_suited = [pair.a, pair.b].map(|body| bodies.at_mut(body).update_keys(at)) == [true, true];
        let PairFinder::Continuous(mut interval) = std::mem::take(&mut pair.finder) else { return true };
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let rule = pair.rule(a);
        // Another plan may reach farther than the one before.
        if are_suited
            && reach(a, b, &rule) > interval.reach
            && let Some(wider) = ContinuousInterval::new(a, b, &rule)
        {
            *interval = wider;
        }
        let is_wide_enough = reach(a, b, &rule) <= interval.reach;
        let is_known = are_suited && is_wide_enough && interval.update(a, b, &rule);
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
