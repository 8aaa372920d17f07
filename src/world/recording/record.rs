//! Taking down a world's contacts.

use std::collections::BTreeMap;

use crate::bytes::rank;
use crate::id::BodyId;
use crate::world::World;
use crate::world::contact::enclosure_tests::Ends;
use crate::world::contact::span::TimeEnclosure;
use crate::world::contact::{Contact, ContactChange};
use crate::world::recording::{BakedContacts, BakedContactsError, Interval, Pair, RetestTime};

/// An interval with the doubtful times of its ends.
type Recorded = (Interval, Vec<RetestTime>);

impl BakedContacts {
    /// Runs a world from its clock to `until` (seconds), and records everything that touches until
    /// then. The world ends there.
    ///
    /// O(that advance); memory is held for all contacts of the run at once, some hundred bytes
    /// each.
    ///
    /// # Errors
    /// A world without continuous contacts or with changes of flightplans to come; a time it cannot
    /// advance to; more than 2³² contacts.
    pub fn record(world: &mut World, until: f64) -> Result<Self, BakedContactsError> {
        if !world.contacts.is_continuous() {
            return Err(BakedContactsError::NotContinuous);
        }
        if let Some(time) = world.clock.schedule.next_time().filter(|&time| time <= until) {
            return Err(BakedContactsError::ChangesScheduled { time });
        }
        let begin = world.time();
        // What edits brought about before is told by the first advance; it does not belong to this
        // recording.
        world.advance_to(begin)?;
        world.advance_to(until)?;
        let places: BTreeMap<BodyId, u32> = world.bodies().zip(0..).collect();
        let mut gathered: BTreeMap<(u32, u32), Vec<Recorded>> = BTreeMap::new();
        let bodies = &*world;
        let mut add = |contact: Contact, began: TimeEnclosure, ended: Option<TimeEnclosure>, ends: &Ends, undecided| {
            let end = ended.unwrap_or(TimeEnclosure::exactly(until));
            let triangles = (contact.triangle_a, contact.triangle_b);
            let goes_on = ended.is_none();
            let began = clipped(began, begin);
            let interval = Interval { triangles, begin: began, end, doubts: 0, goes_on, undecided };
            let mut doubts = doubts(ends, begin, until);
            doubts.sort_by_key(|doubt| order(&interval, doubt));
            doubts.dedup();
            gathered.entry((places[&contact.a], places[&contact.b])).or_default().push((interval, doubts));
        };
        for (change, ends) in bodies.contacts.changes_and_ends() {
            if let ContactChange::Ended { contact, began, time, undecided } = *change {
                let at_begin = TimeEnclosure::exactly(begin);
                add(contact, began.unwrap_or(at_begin), Some(time), ends, undecided);
            }
        }
        for (contact, span) in bodies.pairs.spans_on(&bodies.bodies) {
            add(contact, span.begin, None, &span.ends, span.undecided);
        }
        let count: usize = gathered.values().map(Vec::len).sum();
        if u32::try_from(count.saturating_mul(4)).is_err() {
            return Err(BakedContactsError::TooMany { count });
        }
        let mut baked = Self {
            begin,
            end: until,
            bodies: places.len() as u32,
            pairs: Vec::new(),
            intervals: Vec::with_capacity(count),
            latest: Vec::new(),
            doubts: Vec::new(),
        };
        for ((a, b), mut intervals) in gathered {
            intervals.sort_by(|(x, _), (y, _)| x.begin.lo.total_cmp(&y.begin.lo).then(x.triangles.cmp(&y.triangles)));
            let mut most = [0; 2];
            for (mut interval, doubts) in intervals {
                most = [most[0].max(interval.triangles.0), most[1].max(interval.triangles.1)];
                baked.doubts.extend(doubts);
                interval.doubts = baked.doubts.len() as u32;
                baked.intervals.push(interval);
            }
            baked.pairs.push(Pair { a, b, end: baked.intervals.len() as u32, most });
        }
        baked.index();
        Ok(baked)
    }
}

/// When a contact began, for a recording that begins at a time: at that time if it existed then.
fn clipped(began: TimeEnclosure, begin: f64) -> TimeEnclosure {
    if began.lo >= begin { began } else { TimeEnclosure::closed(begin, began.hi.max(begin)) }
}

/// Where only a test tells, inside a recording.
fn doubts(ends: &Ends, begin: f64, end: f64) -> Vec<RetestTime> {
    let all = ends.enclosures().map(|(time, window)| RetestTime { time, is_after: time.lo <= window });
    all.filter(|doubt| doubt.time.hi >= begin && doubt.time.lo <= end).collect()
}

/// The order of the bytes: what is usual first.
fn order(interval: &Interval, doubt: &RetestTime) -> (u8, u64, u64, bool) {
    let is_same = |x: TimeEnclosure, y: TimeEnclosure| (x.lo, x.hi) == (y.lo, y.hi);
    let usual = match doubt {
        RetestTime { is_after: true, .. } => 2,
        _ if is_same(doubt.time, interval.begin) => 0,
        _ if is_same(doubt.time, interval.end) && !interval.goes_on => 1,
        _ => 2,
    };
    (usual, rank(doubt.time.lo), rank(doubt.time.hi), doubt.is_after)
}
