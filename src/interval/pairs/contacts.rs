//! The contacts of an interval: exact contact intervals of all candidates, and the pairs that touch
//! at any time of it.

use super::{Candidates, IntervalPairs};
use crate::interval::IntervalError;
use crate::narrow::intervals::{
    ContactInterval, Enclosure, IntervalStats, MovingTriangle, bracketed_intervals, contact_intervals, touch_at_time,
};
use crate::narrow::proximity::{proximity_intervals, within_at_time};

/// How closely the ends of contacts are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactEnds {
    /// To one cell of the 2⁻⁵³ grid, as [`contact_intervals`] does.
    #[default]
    Pinned,
    /// To a bracket; at a frame inside it an exact test tells. For hosts that want frames, and no
    /// times. Where triangles touch at a distance, ends are pinned all the same.
    Bracketed,
}

/// Exact contact intervals of pairs of triangles over one interval.
///
/// The truth is the real interpolation between the positions at the interval's ends that the host
/// gives.
#[derive(Clone, Debug, Default)]
pub struct PairContacts {
    ends: ContactEnds,
    distance: f64,
    contacts: Vec<Contact>,
    intervals: Vec<ContactInterval>,
    found: Vec<ContactInterval>,
    stats: IntervalStats,
}

/// Which triangles, and for which parameters it is certain that they touch, or that they do not.
#[derive(Clone, Copy, Debug)]
struct Contact {
    a: u32,
    b: u32,
    outer: [f32; 2],
    inner: [f32; 2],
}

impl PairContacts {
    /// With ends as asked for.
    pub fn new(ends: ContactEnds) -> Self {
        Self { ends, ..Self::default() }
    }

    /// Decides all candidates. `motion` gives a triangle over the interval, by the body's side (0
    /// or 1) and its number. About 1 µs per candidate.
    pub fn decide(
        &mut self,
        windows: &IntervalPairs,
        candidates: &Candidates,
        motion: impl Fn(usize, u32) -> MovingTriangle,
    ) {
        self.contacts.clear();
        self.intervals.clear();
        self.distance = windows.distance;
        for &(a, b) in candidates.pairs() {
            let (moving_a, moving_b) = (motion(0, a), motion(1, b));
            if self.distance == 0.0 && self.ends == ContactEnds::Bracketed {
                let contacts = &mut self.contacts;
                bracketed_intervals(&moving_a, &moving_b, &mut self.stats, |begin, end| {
                    contacts.push(Contact::of(a, b, begin, end));
                });
                continue;
            }
            self.found.clear();
            if self.distance > 0.0 {
                proximity_intervals(&moving_a, &moving_b, self.distance, &mut self.found, &mut self.stats);
            } else {
                contact_intervals(&moving_a, &moving_b, &mut self.found, &mut self.stats);
            }
            for interval in &self.found {
                self.contacts.push(Contact::of(a, b, interval.begin, interval.end));
                self.intervals.push(*interval);
            }
        }
    }

    /// All contact intervals with pinned ends, by the triangles of both bodies; their times are in
    /// the interval's parameter. None where ends are bracketed.
    pub fn intervals(&self) -> impl Iterator<Item = (u32, u32, &ContactInterval)> {
        self.contacts.iter().zip(&self.intervals).map(|(contact, interval)| (contact.a, contact.b, interval))
    }

    /// Names all pairs of triangles that touch at a time, each once. `motion` as for
    /// [`PairContacts::decide`]: it is asked only where the time lies inside the enclosure of an
    /// end. O(contacts of the interval), about 1 ns each.
    ///
    /// # Errors
    /// As [`IntervalPairs::active`].
    pub fn touching(
        &self,
        windows: &IntervalPairs,
        time: f64,
        motion: impl Fn(usize, u32) -> MovingTriangle,
        mut found: impl FnMut(u32, u32),
    ) -> Result<(), IntervalError> {
        let s = windows.parameter(time)?;
        let mut last = (u32::MAX, u32::MAX);
        for contact in &self.contacts {
            let [begin, end] = contact.outer.map(f64::from);
            if s < begin || s > end {
                continue;
            }
            let [begin, end] = contact.inner.map(f64::from);
            let is_new = (contact.a, contact.b) != last;
            if is_new && ((begin <= s && s <= end) || self.look(windows, time, contact, &motion)) {
                last = (contact.a, contact.b);
                found(contact.a, contact.b);
            }
        }
        Ok(())
    }

    #[cold]
    fn look(
        &self,
        windows: &IntervalPairs,
        time: f64,
        contact: &Contact,
        motion: &impl Fn(usize, u32) -> MovingTriangle,
    ) -> bool {
        let interval = (windows.interval().begin, windows.interval().end);
        let (a, b) = (motion(0, contact.a), motion(1, contact.b));
        if self.distance > 0.0 {
            return within_at_time(&a, &b, self.distance, interval, time);
        }
        touch_at_time(&a, &b, interval, time)
    }

    /// How candidates were decided.
    pub fn stats(&self) -> IntervalStats {
        self.stats
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.contacts.capacity() * size_of::<Contact>()
            + (self.intervals.capacity() + self.found.capacity()) * size_of::<ContactInterval>()
    }
}

impl Contact {
    fn of(a: u32, b: u32, begin: Enclosure, end: Enclosure) -> Self {
        // Computed parameters of times are off by some roundings: certainty ends a little earlier.
        const CLEAR: f64 = 1.0 / (1_u64 << 45) as f64;
        let down = |x: f64| if f64::from(x as f32) > x { (x as f32).next_down() } else { x as f32 };
        let up = |x: f64| -down(-x);
        let inner_begin = if begin.hi == 0.0 { 0.0 } else { begin.hi + CLEAR };
        let inner_end = if end.lo == 1.0 { 1.0 } else { end.lo - CLEAR };
        Self { a, b, outer: [down(begin.lo - CLEAR), up(end.hi + CLEAR)], inner: [up(inner_begin), down(inner_end)] }
    }
}
