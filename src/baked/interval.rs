//! One interval of a window: its motion, the slots whose winners differ at its ends, and its traced
//! events.
//!
//! An event is stored as a slot and the exclusive or of its old and new winner, in buckets by time.
//! Applying it twice reverts it, and a slot's events may be applied in any order. The same list
//! therefore serves both directions, and buckets need no order inside.

use super::envelope::Step;
use crate::interval::layout::LANES;
use crate::interval::sweep::Change;
use crate::interval::track::Track;

/// A change of a slot's winner. 16 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event {
    pub(super) time: f64,
    pub(super) slot: u32,
    pub(super) toggle: u32,
}

/// Most buckets of an interval.
const MOST_BUCKETS: usize = 512;

/// The progress of an interval's preparation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Leaves before this one are swept.
    Leaves(usize),
    /// Inner places from this one on are swept.
    Inner(usize),
    /// The winners at the end are known; changes before this one are traced.
    Traced(usize),
    /// Events are in their buckets.
    Ready,
}

impl Stage {
    /// Whether the winners at the end are known.
    pub(super) fn is_swept(self) -> bool {
        matches!(self, Self::Traced(_) | Self::Ready)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Interval {
    pub(super) track: Track,
    pub(super) stage: Stage,
    /// Bottom-up.
    pub(super) changes: Vec<Change>,
    events: Vec<Event>,
    /// Begin of each bucket in `events`; one more entry at the end.
    buckets: Vec<u32>,
    /// Buckets per second.
    rate: f64,
}

/// The buffers of a past interval, for reuse.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    changes: Vec<Change>,
    events: Vec<Event>,
    buckets: Vec<u32>,
}

impl Buffers {
    pub(super) fn bytes(&self) -> usize {
        self.changes.capacity() * size_of::<Change>()
            + self.events.capacity() * size_of::<Event>()
            + self.buckets.capacity() * size_of::<u32>()
    }
}

impl Interval {
    pub(super) fn new(track: Track, stage: Stage, buffers: Buffers) -> Self {
        let Buffers { mut changes, mut events, mut buckets } = buffers;
        changes.clear();
        events.clear();
        buckets.clear();
        buckets.extend([0, 0]);
        Self { track, stage, changes, events, buckets, rate: 0.0 }
    }

    /// Returns its track and its buffers.
    pub(super) fn into_parts(self) -> (Track, Buffers) {
        (self.track, Buffers { changes: self.changes, events: self.events, buckets: self.buckets })
    }

    /// Whether begin and end are equal: the vertices jump.
    pub(super) fn is_jump(&self) -> bool {
        self.track.begin >= self.track.end
    }

    pub(super) fn events(&self) -> &[Event] {
        &self.events
    }

    /// The bucket of a time; monotonic in time.
    #[inline(always)]
    fn bucket(&self, time: f64) -> usize {
        (((time - self.track.begin) * self.rate) as u32).min(self.buckets.len() as u32 - 2) as usize
    }

    /// Sorts the steps of all changes into buckets. O(steps).
    pub(super) fn fill_buckets(&mut self, steps: &[Step]) {
        let count = (steps.len() / 8 + 1).min(MOST_BUCKETS);
        self.rate = count as f64 / (self.track.end - self.track.begin);
        self.buckets.clear();
        self.buckets.resize(count + 1, 0);
        // During filling, a bucket's begin is one entry farther.
        for step in steps {
            let next = self.bucket(step.time) + 2;
            if next <= count {
                self.buckets[next] += 1;
            }
        }
        for bucket in 0..count {
            self.buckets[bucket + 1] += self.buckets[bucket];
        }
        // Release capacity left by the clip's most eventful interval, if it is much larger than
        // needed.
        if self.events.capacity() > 4 * steps.len() + 64 {
            self.events = Vec::new();
        }
        self.events.resize(steps.len(), Event::default());
        for step in steps {
            let bucket = self.bucket(step.time);
            let place = &mut self.buckets[bucket + 1];
            self.events[*place as usize] = Event { time: step.time, slot: step.slot, toggle: step.toggle };
            *place += 1;
        }
        self.stage = Stage::Ready;
    }

    /// Applies the events later than `from` up to `to`; if `to < from`, reverts those later than
    /// `to` up to `from`.
    pub(super) fn turn(&self, from: f64, to: f64, winners: &mut [[u32; LANES]]) {
        let (low, high) = if from < to { (from, to) } else { (to, from) };
        let winners = winners.as_flattened_mut();
        let (first, last) = (self.bucket(low), self.bucket(high));
        let toggle = |events: &[Event], winners: &mut [u32]| {
            for event in events {
                winners[event.slot as usize] ^= event.toggle;
            }
        };
        let toggle_some = |events: &[Event], winners: &mut [u32]| {
            for event in events {
                let mask = u32::from(low < event.time && event.time <= high).wrapping_neg();
                winners[event.slot as usize] ^= event.toggle & mask;
            }
        };
        let bounds = |bucket: usize| self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize;
        toggle_some(&self.events[bounds(first)], winners);
        if first < last {
            toggle(&self.events[bounds(first).end..bounds(last).start], winners);
            toggle_some(&self.events[bounds(last)], winners);
        }
    }

    /// Returns the events later than `from` up to `to`; events of one slot stay in order.
    pub(super) fn between(&self, from: f64, to: f64) -> impl Iterator<Item = &Event> {
        let range = self.buckets[self.bucket(from)] as usize..self.buckets[self.bucket(to) + 1] as usize;
        self.events[range].iter().filter(move |event| from < event.time && event.time <= to)
    }

    /// Sets the winners at the end, from any time within.
    pub(super) fn finish(&self, winners: &mut [[u32; LANES]]) {
        let winners = winners.as_flattened_mut();
        for change in &self.changes {
            winners[change.slot as usize] = change.new;
        }
    }

    /// Sets the winners at the begin, from any time within.
    pub(super) fn reset(&self, winners: &mut [[u32; LANES]]) {
        let winners = winners.as_flattened_mut();
        for change in &self.changes {
            winners[change.slot as usize] = change.old;
        }
    }

    /// Bytes held, without points.
    pub(super) fn bytes(&self) -> usize {
        self.changes.capacity() * size_of::<Change>()
            + self.events.capacity() * size_of::<Event>()
            + self.buckets.capacity() * size_of::<u32>()
    }
}
