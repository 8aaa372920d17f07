//! Continuous contacts found interval by interval: which triangles may touch while both bodies move linearly.
//!
//! A separation list hears of every change of every box. Where all vertices of two bodies move linearly from key to key, one dual
//! traversal of the boxes at both keys finds the triangles that may touch in between ([`IntervalPairs`], [`Candidates`]), at a
//! fraction of that cost; contact intervals are decided for these as for those of a list, and are the same.
//!
//! | the pair goes by | when |
//! |---|---|
//! | intervals | both bodies wish for engine auto and are made of triangles that all follow one plan of keys, or rest |
//! | a list | otherwise: velocities, curves, sampled plans, spheres, engine live |
//!
//! A pair goes over to a list, for as long as it is watched, when a plan of single vertices or an edit comes, and where an interval is so
//! long, or motion in it so fast, that the traversal visits more pairs of nodes than [`limits::MOST_VISITS_PER_NODE`] says. All of this
//! depends on definitions and changes, never on how the host advances.

use crate::bvh::{AuditReport, Hierarchy, SharedVertices};
use crate::interval::{Candidates, IntervalBoxes, IntervalPairs, PairStats, PairedBoxes, Prepared};
use crate::limits;
use crate::motion::{Motion, StretchKind};
use crate::narrow::ContactRule;
use crate::time::Moment;
use crate::world::rule::PairRule;
use crate::world::step::events::Step;
use crate::world::{Body, BodyPair, Engine, Index, World};

/// What two bodies, or one with itself, may have in contact during one interval.
#[derive(Debug)]
pub(crate) struct PairInterval {
    /// From which distance triangles are among those that may touch, metres.
    reach: f64,
    windows: IntervalPairs,
    candidates: Candidates,
    /// Of a body with itself.
    shared_vertices: Option<SharedVertices>,
    /// Triangles of the first and of the second body, sorted.
    triangles: Vec<(u32, u32)>,
}

impl PairInterval {
    /// Of bodies whose boxes are known; `None` unless they are.
    fn new(a: &Body, b: &Body, rule: &PairRule<'_>) -> Option<Self> {
        let (boxes_a, boxes_b) = (a.keys.as_deref()?, b.keys.as_deref()?);
        let reach = reach(a, b, rule);
        let (candidates, shared_vertices) = if rule.is_self {
            let seams = a.seams.as_ref()?;
            let shared_vertices = SharedVertices::new(boxes_a.topology(), &a.parts(), seams, !a.neighbours);
            (Candidates::within(boxes_a, &a.mesh, (!a.neighbours).then_some(seams)), Some(shared_vertices))
        } else {
            (Candidates::between((boxes_a, &a.mesh), (boxes_b, &b.mesh)), None)
        };
        Some(Self {
            reach,
            windows: IntervalPairs::new(reach).ok()?,
            candidates,
            shared_vertices,
            triangles: Vec::new(),
        })
    }

    /// Finds the triangles that may touch in the interval for which both bodies' boxes are; says whether that was possible.
    fn follow(&mut self, a: &Body, b: &Body, rule: &PairRule<'_>) -> bool {
        let Self { windows, candidates, shared_vertices, triangles, .. } = self;
        let (Some(boxes_a), Some(boxes_b)) = (a.keys.as_deref(), b.keys.as_deref()) else { return false };
        let partners = partners(boxes_a, boxes_b, shared_vertices.as_ref());
        let most = limits::MOST_VISITS_PER_NODE * (boxes_a.topology().node_count() + boxes_b.topology().node_count());
        let wants = |p: u32, q: u32| rule.wants(p, q);
        let is_known = windows.begin(&partners).is_ok()
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

/// From which distance triangles may be decided to touch, metres, generously. Where windows are cut, positions count as in contact that are
/// closer than their roundings, and these are far less than the slacks.
fn reach(a: &Body, b: &Body, rule: &PairRule<'_>) -> f64 {
    (rule.distance() + 4.0 * (a.slack + b.slack)) * (1.0 + f64::EPSILON)
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

/// Do all vertices move linearly from key to key, or rest, around a moment?
fn goes_by_keys(motion: &Motion, at: Moment) -> bool {
    let kind = motion.stretch(at).map(|stretch| stretch.kind);
    motion.spheres().is_none() && matches!(kind, Some(StretchKind::Keys | StretchKind::Hold))
}

impl Body {
    /// Brings the boxes of its keys to the interval around a moment; says whether there is one.
    fn follow_keys(&mut self, at: Moment) -> bool {
        let is_apt = matches!(self.index, Index::Kinetic(_))
            && matches!(self.requested_engine, Engine::Auto)
            && self.patches.is_none()
            && goes_by_keys(&self.motion, at);
        if !is_apt {
            return false;
        }
        if self.keys.is_none()
            && let Ok(mut boxes) = IntervalBoxes::over(self.binary_topology(at), &self.motion, at.time())
        {
            boxes.forget();
            self.keys = Some(Box::new(boxes));
        }
        let Some(boxes) = &mut self.keys else { return false };
        boxes.follow(&self.motion, at, f64::INFINITY).is_ok() && boxes.begin() <= at.time() && at.time() <= boxes.end()
    }

    /// The boxes of its keys hold nowhere until they follow the motion it has now.
    pub(crate) fn forget_keys(&mut self) {
        if let Some(boxes) = &mut self.keys {
            boxes.forget();
        }
    }

    /// The leaf of its kinetic tree that holds a triangle.
    pub(crate) fn leaf_of(&self, triangle: u32) -> Option<u32> {
        let Index::Kinetic(tree) = &self.index else { return None };
        let [corner, ..] = *self.mesh.triangles().get(triangle as usize)?;
        let leaves = tree.topology().leaves_of(corner).iter().copied();
        leaves.into_iter().find(|&leaf| tree.topology().primitives(leaf).contains(&triangle))
    }
}

impl World {
    /// Brings the interval of a pair to a moment, if it goes by intervals; where that cannot be, it goes by a list from now on.
    pub(crate) fn follow_interval(&mut self, number: u32, at: Moment, now: Moment) {
        let BodyPair { a, b, distance, ref interval, .. } = self.pairs[number as usize];
        if interval.is_none() {
            return;
        }
        let are_apt = [a, b].map(|body| self.bodies.at_mut(body).follow_keys(at)) == [true, true];
        let pair = &mut self.pairs[number as usize];
        let Some(mut interval) = pair.interval.take() else { return };
        let (body_a, body_b) = (self.bodies.at(a), self.bodies.at(b));
        let rule = PairRule::of(a == b, body_a, distance, &pair.ignored);
        // Another plan may reach farther than the one before.
        if are_apt
            && reach(body_a, body_b, &rule) > interval.reach
            && let Some(wider) = PairInterval::new(body_a, body_b, &rule)
        {
            *interval = wider;
        }
        let is_wide_enough = reach(body_a, body_b, &rule) <= interval.reach;
        if are_apt && is_wide_enough && interval.follow(body_a, body_b, &rule) {
            pair.interval = Some(interval);
        } else {
            self.start_list(number, now);
        }
    }

    /// Has a new pair found interval by interval, if that suits both bodies; says whether it does.
    pub(crate) fn start_interval(&mut self, number: u32, now: Moment) -> bool {
        let BodyPair { a, b, distance, .. } = self.pairs[number as usize];
        if [a, b].map(|body| self.bodies.at_mut(body).follow_keys(now)) != [true, true] {
            return false;
        }
        let pair = &mut self.pairs[number as usize];
        let (body_a, body_b) = (self.bodies.at(a), self.bodies.at(b));
        let rule = PairRule::of(a == b, body_a, distance, &pair.ignored);
        pair.interval = PairInterval::new(body_a, body_b, &rule).map(Box::new);
        pair.interval.is_some()
    }

    /// The pairs of a body go by lists from now on: what comes concerns parts of it.
    pub(crate) fn leave_intervals(&mut self, index: u32) {
        for number in self.bodies.at(index).pairs.clone() {
            if self.pairs[number as usize].interval.take().is_some() {
                self.start_list(number, self.now);
                self.step_contacts(number, self.now, &Step::PlansChanged(&|_| true));
            }
        }
        self.bodies.at_mut(index).keys = None;
    }

    /// A body is about to get another plan, all of it: its pairs go on by intervals if that is one of keys.
    pub(crate) fn check_intervals(&mut self, index: u32, motion: &Motion) {
        if !goes_by_keys(motion, self.now) {
            self.leave_intervals(index);
        }
        self.bodies.at_mut(index).forget_keys();
    }
}
