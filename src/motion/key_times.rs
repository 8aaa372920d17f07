//! Key times: the place of a moment among them, and the motion outside them.

use std::sync::Arc;

use super::{Outside, Reach, Rounds};
use crate::limits;
use crate::time::{Moment, NEVER, Side, Span};

/// Key times of a plan, strictly increasing, at least one.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KeyTimeline {
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    times: Arc<[f64]>,
    outside: Outside,
    /// Whether keys before the first one were forgotten.
    has_forgotten: bool,
    /// Of a loop, the times of its keys in the round of the present epoch, if that is known and all
    /// are different.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    round: Option<Arc<[f64]>>,
}

/// The place of a moment among the keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Constant at the position of a key.
    Hold { key: usize, begin: f64, end: f64 },
    /// Between `key` and `key + 1`.
    Between { key: usize, begin: f64, end: f64 },
}

impl Place {
    /// The key that a time is at; or the one before it, with the parameter of the time until the
    /// next one.
    #[inline]
    pub(super) fn between_keys(&self, time: f64) -> (usize, Option<f64>) {
        match *self {
            Self::Hold { key, .. } => (key, None),
            Self::Between { key, begin, .. } if time <= begin => (key, None),
            Self::Between { key, end, .. } if time >= end => (key + 1, None),
            Self::Between { key, begin, end } => (key, Some((time - begin) / (end - begin))),
        }
    }
}

impl KeyTimeline {
    /// Creates a timeline from checked times.
    pub(super) fn new(times: Vec<f64>, outside: Outside) -> Self {
        Self { times: times.into(), outside, has_forgotten: false, round: None }
    }

    #[inline]
    pub(super) fn times(&self) -> &[f64] {
        &self.times
    }

    /// Appends a time later than all others. O(keys).
    pub(super) fn append(&mut self, time: f64) {
        self.times = self.times.iter().copied().chain(std::iter::once(time)).collect();
    }

    /// Forgets the first times; at least one remains. O(keys).
    pub(super) fn forget(&mut self, count: usize) {
        self.times = self.times[count..].into();
        self.has_forgotten |= count > 0;
    }

    /// The times, to be shared with others.
    pub(super) fn common(&self) -> Arc<[f64]> {
        Arc::clone(&self.times)
    }

    /// Shares times if they are equal to its own; returns whether they are.
    pub(super) fn take(&mut self, times: &Arc<[f64]>) -> bool {
        let equal = self.times == *times;
        if equal {
            self.times = Arc::clone(times);
        }
        equal
    }

    /// The times at which rows of keys are read in the present epoch: of a loop those of its round.
    /// `None` if the round is not known, or keys fall together in it.
    pub(super) fn row_times(&self) -> Option<&[f64]> {
        if self.loops() { self.round.as_deref() } else { Some(&self.times) }
    }

    /// Begins the epoch around a moment: rows of a loop are those of its round. O(keys) for a loop.
    pub(super) fn begin_round(&mut self, at: Moment, rounds: &mut Rounds) {
        if !self.loops() {
            return;
        }
        let cycle = Cycle::of(self.first(), self.last(), at);
        let times = (0..self.times.len()).map(|key| self.fall_in(cycle, key));
        let are_different = times.clone().zip(times.clone().skip(1)).all(|(before, after)| before < after);
        self.round = are_different.then(|| rounds.hold(times));
    }

    /// Exchanges the times of the present round of a loop for others.
    pub(super) fn exchange_round(&mut self, round: &mut Option<Arc<[f64]>>) {
        std::mem::swap(&mut self.round, round);
    }

    /// The times of the present round of a loop, to be shared with others.
    pub(super) fn round(&self) -> Option<&Arc<[f64]>> {
        self.round.as_ref()
    }

    /// Shares the times of a round if they are equal to its own; returns whether they are.
    pub(super) fn take_round(&mut self, round: &Arc<[f64]>) -> bool {
        let equal = self.round.as_ref() == Some(round);
        if equal {
            self.round = Some(Arc::clone(round));
        }
        equal
    }

    fn first(&self) -> f64 {
        self.times[0]
    }

    fn last(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    #[inline]
    pub(super) fn loops(&self) -> bool {
        self.outside == Outside::Loop && self.times.len() > 1
    }

    pub(super) fn is_to_loop(&self) -> bool {
        self.outside == Outside::Loop
    }

    pub(super) fn allowed_span(&self) -> Span {
        match self.outside {
            Outside::Error => Span { begin: self.first(), end: self.last() },
            _ if self.has_forgotten => Span { begin: self.first(), ..Span::ALWAYS },
            _ => Span::ALWAYS,
        }
    }

    pub(super) fn next_wrap(&self, at: Moment) -> Moment {
        if self.loops() { Cycle::of(self.first(), self.last(), at).end() } else { Moment::after(NEVER) }
    }

    /// The time of a key in the round of a moment; its own time without a loop.
    pub(super) fn fall(&self, key: usize, at: Moment) -> f64 {
        if self.loops() { self.fall_in(Cycle::of(self.first(), self.last(), at), key) } else { self.times[key] }
    }

    /// The time of a key in a round; that of the last key is the next round's begin.
    #[inline]
    fn fall_in(&self, cycle: Cycle, key: usize) -> f64 {
        let end = cycle.begin(1.0);
        if key + 1 == self.times.len() {
            end
        } else if cycle.is_first() {
            self.times[key]
        } else {
            (cycle.begin(0.0) + (self.times[key] - self.first())).min(end)
        }
    }

    /// Returns the time until which an object that moves between the keys rests from `time` on;
    /// `None` if it moves.
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        if self.loops() {
            return None;
        }
        if time < self.first() { Some(self.first()) } else { (time >= self.last()).then_some(NEVER) }
    }

    /// The reach of a motion at a moment, given the reach at all times and the largest speed,
    /// metres per second.
    pub(super) fn reach(&self, mut reach: Reach, speed: f64, at: Moment) -> Reach {
        if let Some(latest) = self.latest_of_round(at) {
            reach.drift = (speed * latest).min(limits::MAX_DRIFT_RATIO * reach.coordinate);
        }
        reach
    }

    /// The largest time of a loop's round, in magnitude; `None` without a loop.
    pub(super) fn latest_of_round(&self, at: Moment) -> Option<f64> {
        self.loops().then(|| {
            let cycle = Cycle::of(self.first(), self.last(), at);
            cycle.begin(0.0).abs().max(cycle.begin(1.0).abs())
        })
    }

    #[inline]
    pub(super) fn place(&self, at: Moment) -> Place {
        let (keys, time) = (self.times.len(), at.time());
        if keys == 1 {
            return Place::Hold { key: 0, begin: f64::NEG_INFINITY, end: f64::INFINITY };
        }
        if self.loops() {
            let cycle = Cycle::of(self.first(), self.last(), at);
            let fall = |key: usize| self.fall_in(cycle, key);
            let passed = |key: usize| match at.side() {
                Side::At => fall(key) < time,
                Side::After => fall(key) <= time,
            };
            // The last key of 0..keys - 1 that has passed; the times of keys never decrease.
            let (mut key, mut beyond) = (0, keys - 1);
            while beyond - key > 1 {
                let middle = usize::midpoint(key, beyond);
                if passed(middle) { key = middle } else { beyond = middle }
            }
            return Place::Between { key, begin: fall(key), end: fall(key + 1) };
        }
        let (first, last) = (self.first(), self.last());
        match at.side() {
            Side::At if time <= first => return Place::Hold { key: 0, begin: f64::NEG_INFINITY, end: first },
            Side::After if time < first => return Place::Hold { key: 0, begin: f64::NEG_INFINITY, end: first },
            Side::At if time > last => return Place::Hold { key: keys - 1, begin: last, end: f64::INFINITY },
            Side::After if time >= last => return Place::Hold { key: keys - 1, begin: last, end: f64::INFINITY },
            _ => {}
        }
        let next = match at.side() {
            Side::At => self.times.partition_point(|&key| key < time),
            Side::After => self.times.partition_point(|&key| key <= time),
        };
        Place::Between { key: next - 1, begin: self.times[next - 1], end: self.times[next] }
    }
}

/// One round of a motion that repeats with period `last - first`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    first: f64,
    last: f64,
    round: f64,
}

impl Cycle {
    /// The round that contains a moment. A wrap belongs to the round it ends, but `first` itself
    /// begins round 0.
    pub(super) fn of(first: f64, last: f64, at: Moment) -> Self {
        let time = at.time();
        let mut cycle = Self { first, last, round: ((time - first) / (last - first)).floor() };
        // The quotient may be off by one; decide by the wraps as they are computed everywhere else.
        // Beyond `limits::MAX_TIME` rounds may be too many to count one by one.
        while cycle.begin(0.0) > time && cycle.round - 1.0 < cycle.round {
            cycle.round -= 1.0;
        }
        while cycle.begin(1.0) <= time && cycle.round < cycle.round + 1.0 {
            cycle.round += 1.0;
        }
        if cycle.begin(0.0) == time && at.side() == Side::At && cycle.round != 0.0 {
            cycle.round -= 1.0;
        }
        cycle
    }

    /// The begin of this round (`ahead` = 0) or of the next one (`ahead` = 1).
    pub(super) fn begin(self, ahead: f64) -> f64 {
        let round = self.round + ahead;
        // The sum of `first` and the period may differ from `last` in `f64`; the first round ends
        // at the given time.
        if round == 1.0 { self.last } else { self.first + round * (self.last - self.first) }
    }

    /// Whether this is the round of the given times.
    fn is_first(self) -> bool {
        self.round == 0.0
    }

    /// The first moment of the next round.
    pub(super) fn end(self) -> Moment {
        let time = self.begin(1.0);
        if self.round == -1.0 { Moment::at(time) } else { Moment::after(time) }
    }
}
