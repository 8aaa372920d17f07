//! Decisions of the next windows, made in parts before the present windows end.
//!
//! What two triangles do over a window follows from their motion and from the rule alone, and not
//! from when it is asked. So some of it is decided in each advance before a window ends, and the
//! event that ends the window only enters it. What was not decided ahead is decided at the event;
//! contacts, log and statistics are the same.
//!
//! Whether a contact goes on from the present window is known only when that ends. It matters for
//! the place of a first touch alone: that is left out where the contact is expected to go on, and
//! the pair is decided again in the rare case that it does not.
//!
//! Whatever changes motions, leaves or rules must forget what was decided
//! ([`DecidedAhead::forget`]).

use crate::narrow::intervals::IntervalStats;
use crate::time::Moment;
use crate::tuning;
use crate::world::contact::continuous::Continuous;
use crate::world::contact::decide::{Decider, Question};
use crate::world::contact::linear_window::LeafCache;
use crate::world::contact::span::{Partners, Room, StepContext};
use crate::world::contact::{Hashed, hashed_bytes};

/// Leaf pairs, or triangles of an interval, that are decided over the next windows.
#[derive(Debug, Default)]
pub(crate) struct DecidedAhead {
    /// Just after the end of the present windows; `None` where nothing was begun.
    at: Option<Moment>,
    /// Of triangles, when their interval ends, seconds; `None` of leaf pairs.
    until: Option<f64>,
    /// Leaf pairs, or triangles of both bodies; ascending.
    asked: Vec<(u32, u32)>,
    /// Of the first of these, their places in `decided`.
    places: Vec<u32>,
    /// Leaf pairs that met since it began. They have more contacts than others, and are decided
    /// before them: at the end there would be no time.
    met: Vec<(u32, u32)>,
    /// Of the first of these, their places in `decided`; of the others, no such place.
    places_of_met: Hashed<(u32, u32), u32>,
    decided: Vec<Decided>,
    /// The place after the one that was read last: leaf pairs are mostly read in their order.
    next: usize,
    /// Of leaf pairs, how each was decided; of triangles, the decider counts all.
    stats: Vec<IntervalStats>,
    decider: Decider,
    leaves: LeafCache,
    /// Scratch: which of those decided are as they were expected.
    settled: Vec<bool>,
}

/// What was decided of a leaf pair, or of two triangles.
#[derive(Clone, Copy, Debug)]
struct Decided {
    /// When the window ends, seconds.
    until: f64,
    /// Where its contacts end among all.
    end: usize,
}

impl DecidedAhead {
    /// Forgets what was decided.
    pub(crate) fn forget(&mut self) {
        self.at = None;
        self.next = 0;
        self.asked.clear();
        self.places.clear();
        self.met.clear();
        self.places_of_met.clear();
        self.decided.clear();
        self.stats.clear();
        self.decider.empty();
        self.leaves.clear();
    }

    /// The moment for which decisions are made.
    pub(crate) fn at(&self) -> Option<Moment> {
        self.at
    }

    /// Begins with leaf pairs, or with triangles of an interval that lasts until a time, seconds;
    /// ascending.
    pub(crate) fn begin(&mut self, at: Moment, until: Option<f64>, asked: impl Iterator<Item = (u32, u32)>) {
        self.forget();
        (self.at, self.until) = (Some(at), until);
        self.asked.extend(asked);
        self.asked.sort_unstable();
    }

    /// Leaf pairs that met just now are to be decided over the next windows as well, if
    /// their present ones end where decisions begin.
    pub(crate) fn ask_met(&mut self, leaves: &[(u32, u32)], continuous: &Continuous) {
        let Some(at) = self.at.filter(|_| self.until.is_none()) else { return };
        let ends_there =
            |pair: &(u32, u32)| continuous.decided.get(pair).is_some_and(|decided| Moment::after(decided.until) == at);
        for &pair in leaves.iter().filter(|pair| ends_there(pair)) {
            if self.asked.binary_search(&pair).is_err() && !self.places_of_met.contains_key(&pair) {
                self.places_of_met.insert(pair, u32::MAX);
                self.met.push(pair);
            }
        }
    }

    /// How many are not decided.
    pub(crate) fn left(&self) -> usize {
        self.count() - self.decided.len()
    }

    /// How many are asked about.
    pub(crate) fn count(&self) -> usize {
        self.asked.len() + self.met.len()
    }

    /// How many contacts were found.
    pub(crate) fn contacts(&self) -> usize {
        self.decider.spans.len()
    }

    /// What is decided next.
    fn take_next(&mut self) -> Option<(u32, u32)> {
        let place = self.decided.len() as u32;
        if let Some(&pair) = self.met.get(self.decided.len() - self.places.len()) {
            self.places_of_met.insert(pair, place);
            return Some(pair);
        }
        let &pair = self.asked.get(self.places.len())?;
        self.places.push(place);
        Some(pair)
    }

    /// The place of a leaf pair among those decided.
    fn find(&mut self, pair: (u32, u32)) -> Option<usize> {
        if let Some(&place) = self.places_of_met.get(&pair) {
            return Some(place as usize).filter(|&place| place < self.decided.len());
        }
        let known = &self.asked[..self.places.len()];
        let is_next = known.get(self.next) == Some(&pair);
        let place = if is_next { self.next } else { known.binary_search(&pair).ok()? };
        self.next = place + 1;
        Some(self.places[place] as usize)
    }

    /// Whether anything was decided.
    pub(crate) fn has_decided(&self) -> bool {
        !self.decided.is_empty()
    }

    /// Where the contacts of one of those decided lie.
    fn spans_of(&self, place: usize) -> std::ops::Range<usize> {
        let begin = place.checked_sub(1).map_or(0, |before| self.decided[before].end);
        begin..self.decided[place].end
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.asked.capacity() * size_of::<(u32, u32)>()
            + self.met.capacity() * size_of::<(u32, u32)>()
            + self.places.capacity() * size_of::<u32>()
            + hashed_bytes(&self.places_of_met)
            + self.decided.capacity() * size_of::<Decided>()
            + self.stats.capacity() * size_of::<IntervalStats>()
            + self.decider.bytes()
            + self.leaves.bytes()
            + self.settled.capacity()
    }

    /// Counts the contacts of some of those decided that do not go on from before; returns whether
    /// there is room for them.
    fn count_into(&self, room: &Room, places: std::ops::Range<usize>) -> bool {
        if places.is_empty() {
            return true;
        }
        let (begin, end) = (self.spans_of(places.start).start, self.spans_of(places.end - 1).end);
        let new = self.decider.spans[begin..end].iter().filter(|(_, span)| span.touch.is_some());
        new.for_each(|_| room.take_one());
        !room.is_overfull()
    }

    /// Brings the contacts of one of those decided to what is known now; returns false where one
    /// was expected to go on that is not there.
    fn settle(&mut self, place: usize, continuous: &Continuous, now: Moment) -> bool {
        let range = self.spans_of(place);
        self.decider.spans[range].iter_mut().all(|(moment, span)| {
            if *moment <= now && continuous.on.contains_key(&span.triangles) {
                span.touch = None;
            } else if span.touch.is_none() {
                return false;
            }
            true
        })
    }
}

impl Continuous {
    /// Decides some of what is asked ahead, as many as `count`.
    /// No more than about `most` contacts are kept: where there are more, the event finds that out.
    pub(crate) fn decide_ahead(&self, ahead: &mut DecidedAhead, partners: &Partners<'_>, count: usize, most: usize) {
        let Some(now) = ahead.at else { return };
        let room = Room::new(usize::MAX, 0);
        let goes_on = |triangles: (u32, u32)| {
            self.on.get(&triangles).is_some_and(|&number| self.spans[number as usize].end.is_none())
        };
        let question = Question { partners, goes_on: &goes_on, room: &room, now };
        for _ in 0..count {
            if ahead.decider.spans.len() > most {
                break;
            }
            let Some(pair) = ahead.take_next() else { break };
            let DecidedAhead { until, decided, stats, decider, leaves, .. } = ahead;
            let until = match *until {
                Some(until) => {
                    decider.decide_two(ROOTS, pair, until, leaves, question);
                    until
                }
                None => {
                    let (leaf_a, leaf_b) = leaves.leaves(pair, [partners.a, partners.b], now);
                    let until = decider.decide_leaves(pair, (&leaf_a, &leaf_b), question);
                    stats.push(std::mem::take(&mut decider.stats));
                    until
                }
            };
            decided.push(Decided { until, end: decider.spans.len() });
            leaves.limit(tuning::MAX_LEAVES_KEPT_AHEAD);
        }
        // Else it would matter whether contacts go on, which is not known yet (`Meeting::clip`).
        debug_assert!(ahead.decider.spans.iter().all(|(_, span)| span.window.begin == now.time()));
        if ahead.left() == 0 {
            ahead.leaves.clear();
        }
    }

    /// Enters what was decided ahead of a leaf pair over its window around the clock's moment.
    /// Returns how many of the triangles of an interval that were, and when the window ends,
    /// seconds, if all was decided.
    pub(super) fn enter_decided_ahead(
        &mut self,
        pair: (u32, u32),
        context: &mut StepContext<'_>,
    ) -> (usize, Option<f64>) {
        let Some(ahead) = context.ahead.take() else { return (0, None) };
        let mut outcome = (0, None);
        if ahead.at == Some(context.clock.now) {
            outcome = match (ahead.until, context.partners.interval) {
                (None, None) => (0, self.enter_leaf_pair(pair, ahead, context)),
                (Some(_), Some(_)) => self.enter_triangles(pair, ahead, context),
                _ => (0, None),
            };
        }
        context.ahead = Some(ahead);
        outcome
    }

    fn enter_leaf_pair(
        &mut self,
        pair: (u32, u32),
        ahead: &mut DecidedAhead,
        context: &mut StepContext<'_>,
    ) -> Option<f64> {
        let place = ahead.find(pair)?;
        if !ahead.settle(place, self, context.clock.now) {
            return None;
        }
        self.stats += ahead.stats[place];
        if !ahead.count_into(&context.room, place..place + 1) {
            return Some(ahead.decided[place].until);
        }
        for (moment, span) in &ahead.decider.spans[ahead.spans_of(place)] {
            self.enter(*moment, span.clone(), context);
        }
        Some(ahead.decided[place].until)
    }

    fn enter_triangles(
        &mut self,
        pair: (u32, u32),
        ahead: &mut DecidedAhead,
        context: &mut StepContext<'_>,
    ) -> (usize, Option<f64>) {
        let Some(interval) = context.partners.interval else { return (0, None) };
        let (now, count) = (context.clock.now, ahead.decided.len());
        if ahead.until != Some(interval.end) || ahead.asked != interval.triangles {
            return (0, None);
        }
        let is_whole = count == ahead.asked.len();
        if !is_whole && context.room.may_become_overfull(2 * ahead.asked.len()) {
            // Either all are entered or none.
            return (0, None);
        }
        self.stats += std::mem::take(&mut ahead.decider.stats);
        let mut settled = std::mem::take(&mut ahead.settled);
        settled.clear();
        settled.extend((0..count).map(|place| ahead.settle(place, self, now)));
        if !ahead.count_into(&context.room, 0..count) {
            ahead.settled = settled;
            return (count, Some(interval.end));
        }
        for place in 0..count {
            if settled[place] {
                for (moment, span) in &ahead.decider.spans[ahead.spans_of(place)] {
                    self.enter(*moment, span.clone(), context);
                }
                continue;
            }
            // It was counted.
            let mut decider = Decider::default();
            let on = &self.on;
            let goes_on = |triangles: (u32, u32)| on.contains_key(&triangles);
            let (partners, room) = (&context.partners, &context.room);
            let question = Question { partners, goes_on: &goes_on, room, now };
            decider.decide_two(pair, ahead.asked[place], interval.end, &mut context.scratch, question);
            decider.stats = IntervalStats::default();
            self.enter_all(&mut decider, context);
        }
        ahead.settled = settled;
        (count, (count == ahead.asked.len()).then_some(interval.end))
    }
}

/// The leaf pair under which triangles of an interval are decided.
const ROOTS: (u32, u32) = (0, 0);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::motion::{Flightplan, Piece};
    use crate::world::contact::continuous::DecidedPair;
    use crate::world::contact::linear_window::{Leaf, Moving};
    use crate::world::{BodyDef, Engine, World, WorldDef};

    #[test]
    #[allow(clippy::field_reassign_with_default, reason = "the other field is private")]
    fn leaf_pairs_that_meet_are_decided_before_the_others_and_found() {
        let mut ahead = DecidedAhead::default();
        ahead.begin(Moment::after(1.0), None, [(3, 3), (1, 1), (2, 2)].into_iter());
        let decide = |ahead: &mut DecidedAhead| {
            let pair = ahead.take_next()?;
            ahead.decided.push(Decided { until: 2.0, end: 0 });
            Some(pair)
        };
        assert_eq!(decide(&mut ahead), Some((1, 1)));
        let mut continuous = Continuous::default();
        let until = |until: f64| {
            let mut pair = DecidedPair::default();
            pair.until = until;
            pair
        };
        continuous.decided.extend([((0, 9), until(1.0)), ((2, 2), until(1.0)), ((0, 8), until(1.5))]);
        // One that is asked about already, and one whose window ends later.
        for _ in 0..2 {
            ahead.ask_met(&[(2, 2), (0, 9), (0, 8)], &continuous);
        }
        assert_eq!((ahead.count(), ahead.left(), ahead.find((0, 9)), ahead.find((2, 2))), (4, 3, None, None));
        assert_eq!(decide(&mut ahead), Some((0, 9)));
        assert_eq!([(1, 1), (0, 9), (0, 8)].map(|pair| ahead.find(pair)), [Some(0), Some(1), None]);
        assert_eq!([decide(&mut ahead), decide(&mut ahead), decide(&mut ahead)], [Some((2, 2)), Some((3, 3)), None]);
        assert_eq!([(3, 3), (2, 2)].map(|pair| ahead.find(pair)), [Some(3), Some(2)]);
        ahead.forget();
        assert_eq!((ahead.count(), ahead.find((0, 9))), (0, None));
    }

    #[test]
    fn the_size_counts_all_parts_of_gathered_leaves() {
        const COUNT: u8 = 8;
        let mut world = World::new(WorldDef { engine: Engine::Kinetic, ..WorldDef::default() }).unwrap();
        let ids = [0.0, 0.5].map(|z: f32| {
            let corners = |number: u8| [0.0, 1.0, 2.0].map(|x: f32| [x + f32::from(number), x * x, z]);
            let triangles = (0..u32::from(COUNT)).map(|number| [0, 1, 2].map(|corner| 3 * number + corner)).collect();
            let mesh = Mesh::new(3 * usize::from(COUNT), triangles).unwrap();
            world.add_body(BodyDef::new(mesh, Flightplan::fixed((0..COUNT).flat_map(corners).collect()))).unwrap()
        });
        let bodies = ids.map(|id| world.bodies.at(id.index()));
        let count = usize::from(COUNT);
        // The root is a leaf.
        assert!(bodies.iter().all(|body| body.topology().is_some_and(|tree| tree.primitives(0).len() == count)));
        let mut ahead = DecidedAhead::default();
        let before = ahead.bytes();
        ahead.leaves.leaves((0, 0), bodies, Moment::after(0.0));
        let of_triangles = count * (size_of::<Moving>() + size_of::<[u32; 3]>());
        let of_points = 3 * count * size_of::<[Piece; 3]>();
        let least = 2 * (size_of::<Leaf>() + of_triangles + of_points);
        assert!(ahead.bytes() - before >= least, "{} bytes, {least} at least", ahead.bytes() - before);
    }
}
