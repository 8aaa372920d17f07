//! The next interval of a pair with continuous contacts, prepared a part at a time: boxes of both
//! bodies, triangles that may touch, decisions.
//!
//! Work is counted in pairs of nodes, 13 to 20 ns each. Work that is not counted yet is estimated
//! ([`crate::world::pair::opened`]). Each advance until the present interval ends does an equal
//! share for equal steps; the last one has less to prepare, as it enters what was decided. Contacts
//! do not depend on any of this: what was not prepared is done when the interval is entered.

use crate::bvh::Hierarchy;
use crate::interval::{Candidates, IntervalPairs, PairedBodies, PairedBoxes, Prepared};
use crate::narrow::ContactRule;
use crate::time::{Moment, Span};
use crate::tuning;
use crate::world::body::bodies::Bodies;
use crate::world::contact::span::{IntervalTriangles, Partners};
use crate::world::pair::continuous_interval::{ContinuousInterval, Traversal, partners};
use crate::world::pair::finder::PairFinder;
use crate::world::pair::opened::{self, Opened, Usual};
use crate::world::pair::{BodyPair, Pairs};
use crate::world::rule::PairRule;

/// What may touch in the next interval, as far as it was found.
#[derive(Debug)]
pub(super) struct NextInterval {
    /// The end of the interval that it follows, seconds.
    after: f64,
    stage: Stage,
    pub(super) leaf_pairs: IntervalPairs,
    /// Triangles of the first and of the second body, sorted once they are all known.
    pub(super) triangles: Vec<(u32, u32)>,
    pub(super) opened: Opened,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Boxes of both bodies are made.
    Boxes,
    /// Leaf pairs that may meet are found.
    Leaves,
    /// Triangles below them are found.
    Triangles,
    Ready,
    /// It is found when it is entered.
    GivenUp,
}

impl NextInterval {
    fn new(leaf_pairs: IntervalPairs) -> Self {
        Self { after: f64::NAN, stage: Stage::GivenUp, leaf_pairs, triangles: Vec::new(), opened: Opened::default() }
    }

    /// Forgets what was found.
    pub(super) fn forget(&mut self) {
        (self.after, self.stage) = (f64::NAN, Stage::GivenUp);
    }

    /// Whether all is found of an interval that begins just after a time, seconds.
    pub(super) fn is_ready(&self, interval: Span) -> bool {
        self.stage == Stage::Ready && self.after == interval.begin && self.leaf_pairs.interval() == interval
    }

    /// Whether it was begun after a time, seconds.
    pub(super) fn follows(&self, end: f64) -> bool {
        self.after == end
    }

    /// Begins, unless that was done.
    fn begin(&mut self, after: f64) {
        if self.after != after {
            (self.after, self.stage, self.opened) = (after, Stage::Boxes, Opened::default());
            self.triangles.clear();
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.leaf_pairs.bytes() + self.triangles.capacity() * size_of::<(u32, u32)>()
    }

    /// Finds leaf pairs and triangles until a budget is spent.
    fn find(
        &mut self,
        present: &mut Traversal,
        (pair, bodies): (&BodyPair, &Bodies),
        budget: &mut usize,
    ) -> Option<Prepared> {
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let (boxes_a, boxes_b) = (a.keys_after(self.after)?, b.keys_after(self.after)?);
        let Traversal { leaf_pairs: known, candidates, shared_vertices } = present;
        let partners = partners(boxes_a, boxes_b, shared_vertices.as_ref());
        if self.stage == Stage::Boxes {
            self.leaf_pairs.follow_front(known);
            self.leaf_pairs.begin(&partners).ok()?;
            self.stage = Stage::Leaves;
        }
        if self.stage == Stage::Leaves && *budget > 0 {
            let before = self.leaf_pairs.stats().visited;
            let outcome = self.leaf_pairs.prepare(&partners, *budget);
            let visited = self.leaf_pairs.stats().visited;
            *budget = budget.saturating_sub((visited - before) as usize);
            // At the event, more visits than this have the pair use a list.
            let most = tuning::MAX_INTERVAL_VISITS_PER_NODE
                * (boxes_a.topology().node_count() + boxes_b.topology().node_count());
            if (visited - known.stats().visited) as usize >= most {
                return None;
            }
            if outcome == Prepared::All {
                candidates.begin(&self.leaf_pairs, &partners).ok()?;
                self.stage = Stage::Triangles;
            }
        }
        if self.stage == Stage::Triangles && *budget > 0 {
            let rule = pair.rule(a);
            self.find_triangles(candidates, &partners, (a.paired_bodies(b, rule.is_self), &rule), budget);
        }
        Some(if self.stage == Stage::Ready { Prepared::All } else { Prepared::Partly })
    }

    fn find_triangles(
        &mut self,
        candidates: &mut Candidates,
        partners: &PairedBoxes<'_>,
        (pair, rule): (PairedBodies<'_>, &(impl ContactRule + Sync)),
        budget: &mut usize,
    ) {
        let wants = |p: u32, q: u32| rule.wants(p, q);
        let before = *budget;
        let outcome = candidates.prepare(&self.leaf_pairs, partners, pair, wants, budget);
        self.opened.note((candidates.opened(), candidates.found().count()), before - *budget);
        if outcome == Prepared::All {
            self.triangles.extend(candidates.pairs());
            self.triangles.sort_unstable();
            self.stage = Stage::Ready;
        }
    }

    /// The work that remains until the triangles are known, and how many they will be, as far as
    /// can be told from the present interval and from what is usual.
    fn work_left(&self, present: &IntervalPairs, usual: Usual) -> (usize, usize) {
        let (front, listed) = (present.stats().front, present.pairs().len());
        let (below, expected) = (self.opened.work_left(listed, usual), self.opened.expected(listed, usual));
        match self.stage {
            Stage::Boxes => (below.saturating_add(front), expected),
            Stage::Leaves => (below.saturating_add(front.saturating_sub(self.leaf_pairs.stats().front)), expected),
            Stage::Triangles => {
                let listed = self.leaf_pairs.pairs().len();
                (self.opened.work_left(listed, usual), self.opened.expected(listed, usual))
            }
            Stage::Ready | Stage::GivenUp => (0, self.triangles.len()),
        }
    }
}

impl ContinuousInterval {
    /// Prepares some of the interval after the present one, which ends at a time, seconds: a share
    /// of `steps`. Keeps about `most` contacts. Returns the share.
    fn prepare(&mut self, end: f64, steps: f64, most: usize, (pair, bodies): (&mut BodyPair, &mut Bodies)) -> usize {
        let (Some(present), Some(continuous)) = (&mut self.traversal, &pair.continuous) else { return 0 };
        let next = self.next.0.get_or_insert_with(|| Box::new(NextInterval::new(present.leaf_pairs.clone())));
        next.begin(end);
        if next.stage == Stage::GivenUp {
            return 0;
        }
        let mut ahead = pair.ahead.0.take().unwrap_or_default();
        let is_begun = ahead.at() == Some(Moment::after(end));
        let usual = opened::usual(&self.opened[0], &self.opened[1]);
        let (to_find, to_enter) = next.work_left(&present.leaf_pairs, usual);
        let to_decide = if is_begun { ahead.left() } else { to_enter };
        let costs = [(to_decide, tuning::NODE_PAIRS_PER_DECISION), (to_enter, tuning::NODE_PAIRS_PER_ENTRY)];
        let mut work =
            costs.into_iter().fold(to_find, |sum, (count, each)| sum.saturating_add(count.saturating_mul(each)));
        let sides = [pair.a, pair.b];
        for &body in sides.iter().take(if pair.is_self() { 1 } else { 2 }) {
            match bodies.at_mut(body).begin_next_keys(end) {
                Some(left) => work = work.saturating_add(left),
                None => next.stage = Stage::GivenUp,
            }
        }
        let share = (work as f64 / steps).ceil() as usize;
        let mut budget = if steps > 1.0 { share } else { usize::MAX };
        for body in sides {
            bodies.at_mut(body).prepare_next_keys(&mut budget);
        }
        let is_open = next.stage != Stage::GivenUp;
        if is_open && sides.iter().all(|&body| bodies.at(body).keys_after(end).is_some()) {
            match next.find(present, (&*pair, bodies), &mut budget) {
                None => next.stage = Stage::GivenUp,
                Some(Prepared::All) => {
                    let until = next.leaf_pairs.interval().end;
                    if !is_begun {
                        ahead.begin(Moment::after(end), Some(until), next.triangles.iter().copied());
                    }
                    let interval = Some(IntervalTriangles { end: until, triangles: &next.triangles });
                    let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
                    let partners = Partners { a, b, rule: pair.rule(a), owner: 0, interval };
                    let count = budget.div_ceil(tuning::NODE_PAIRS_PER_DECISION);
                    let count = if budget > 0 { count } else { 0 };
                    continuous.decide_ahead(&mut ahead, &partners, count, most);
                }
                Some(Prepared::Partly) => {}
            }
        }
        pair.ahead.0 = Some(ahead);
        share
    }
}

impl Pairs {
    /// Decides some of what a pair may have in contact after its present windows, which end at a
    /// time, seconds: one of `steps` equal shares of what remains. Returns what that
    /// costs, in pairs of nodes: an estimate.
    pub(crate) fn decide_ahead(&mut self, number: u32, end: f64, steps: f64, bodies: &mut Bodies) -> usize {
        let most = self.most_contacts;
        let pair = &mut self[number];
        let Some(continuous) = &pair.continuous else { return 0 };
        if [pair.a, pair.b].iter().any(|&body| bodies.at(body).is_bounded_ahead()) {
            return 0;
        }
        // A host that goes from window to window in one step has nothing to gain.
        let is_begun =
            |pair: &BodyPair| pair.ahead.0.as_ref().is_some_and(|ahead| ahead.at() == Some(Moment::after(end)));
        match &pair.finder {
            PairFinder::Continuous(interval) => {
                if steps <= 1.0 && !(is_begun(pair) || interval.has_begun_next(end)) {
                    return 0;
                }
                let PairFinder::Continuous(mut interval) = std::mem::take(&mut pair.finder) else { return 0 };
                let share = interval.prepare(end, steps, most, (pair, bodies));
                pair.finder = PairFinder::Continuous(interval);
                share
            }
            PairFinder::List(_) => {
                let is_begun = is_begun(pair);
                if !is_begun && steps <= 1.0 {
                    return 0;
                }
                let ahead = pair.ahead.0.get_or_insert_default();
                if !is_begun {
                    // Leaf pairs that meet later are added (`DecidedAhead::ask_met`).
                    let now_decided = continuous.decided.iter().filter(|(_, decided)| decided.until == end);
                    ahead.begin(Moment::after(end), None, now_decided.map(|(&pair, _)| pair));
                }
                let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
                let rule = PairRule::new(pair.a == pair.b, a.surface(), pair.distance, &pair.ignored);
                let partners = Partners { a, b, rule, owner: number, interval: None };
                let to_enter = ahead.count() / tuning::ENTRIES_PER_DECISION;
                let share = ((ahead.left() + to_enter) as f64 / steps).ceil() as usize;
                let count = if steps > 1.0 { share } else { usize::MAX };
                let (left, contacts) = (ahead.left(), ahead.contacts());
                continuous.decide_ahead(ahead, &partners, count, most);
                let (decided, found) = (left - ahead.left(), ahead.contacts() - contacts);
                let entered = if steps > 1.0 { [0, 0] } else { [to_enter, ahead.contacts()] };
                let costs = [
                    (decided + entered[0], tuning::NODE_PAIRS_PER_DECISION),
                    (found, tuning::NODE_PAIRS_PER_CONTACT),
                    (entered[1], tuning::NODE_PAIRS_PER_ENTRY),
                ];
                costs.into_iter().fold(0, |sum, (count, each)| sum.saturating_add(count.saturating_mul(each)))
            }
            _ => 0,
        }
    }

    /// Forgets what was decided ahead of the pairs of a body, and what was prepared of it: the
    /// motion or the shape of the body is about to be another one.
    pub(crate) fn forget_ahead(&mut self, index: u32, bodies: &mut Bodies) {
        bodies.at_mut(index).next_keys.forget();
        bodies.at_mut(index).next_epoch.slots.forget();
        for &number in &bodies.at(index).pairs {
            self[number].forget_ahead();
        }
    }
}

impl BodyPair {
    /// About how many pairs of triangles the present windows hold: about as many are decided when
    /// these end.
    pub(crate) fn windows_to_decide(&self) -> usize {
        match (&self.finder, &self.continuous) {
            (PairFinder::Continuous(interval), Some(_)) => interval.triangles.len(),
            (PairFinder::List(_), Some(continuous)) => 8 * continuous.decided.len(),
            _ => 0,
        }
    }

    /// Whether some of what may be in contact in the next windows was decided.
    pub(crate) fn has_decided_ahead(&self) -> bool {
        self.ahead.0.as_ref().is_some_and(|ahead| ahead.has_decided())
    }

    /// Forgets what was decided ahead, and what was prepared for it.
    pub(crate) fn forget_ahead(&mut self) {
        if let Some(ahead) = &mut self.ahead.0 {
            ahead.forget();
        }
        match &mut self.finder {
            PairFinder::Continuous(interval) => interval.forget_next(),
            finder => {
                if let Some(list) = finder.list_mut() {
                    list.forget_ahead();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::BuildParams;
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::{BodyDef, ContactMode, World, WorldDef};

    /// Slanted triangles whose boxes all meet at 2 s, and one that keeps the bodies together.
    #[test]
    fn an_interval_with_too_many_visits_is_not_prepared() {
        const COUNT: u16 = 768;
        let key = |shift: f32, height: f32| {
            let corners = move |x: f32| [[x + shift, 0.0, 0.0], [shift, x, 0.0], [shift, 0.0, x]];
            let all = (0..COUNT).flat_map(move |number| corners(height + f32::from(number) / 8192.0));
            all.chain([[0.5, 1.0, 1.0], [1.0, 0.5, 1.0], [1.0, 1.0, 0.5]])
        };
        let mut world = World::new(WorldDef { contacts: ContactMode::Continuous, ..WorldDef::default() }).unwrap();
        for (shifts, height) in [([0.0; 3], 1.0), ([1.5, 1.5, 0.0], 1.25)] {
            let keys = shifts.into_iter().flat_map(|shift| key(shift, height)).collect();
            let corners = |number: u16| [0, 1, 2].map(|corner| 3 * u32::from(number) + corner);
            let mesh = Mesh::new(3 * usize::from(COUNT + 1), (0..=COUNT).map(corners).collect()).unwrap();
            let def = BodyDef::new(mesh, Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys));
            world.add_body(def.build(BuildParams { leaf_size: 1, ..BuildParams::default() })).unwrap();
        }
        world.advance_to(0.25).unwrap();
        let World { pairs, bodies, .. } = &mut world;
        let number = pairs.iter().next().expect("their boxes meet").0;
        for steps in [2.0, 1.0] {
            pairs.decide_ahead(number, 1.0, steps, bodies);
        }
        let next = pairs[number].finder.continuous().and_then(|interval| interval.next.0.as_ref());
        assert_eq!(next.map(|next| (next.after, next.stage)), Some((1.0, Stage::GivenUp)));
    }
}
