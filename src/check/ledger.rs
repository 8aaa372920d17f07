//! Contacts over time of a whole check, as they are told: kept or handed over, and summed up per
//! pair of bodies.
//!
//! At a time T, what is told later begins and ends at T or after it: a world tells a begin when the
//! clock reaches its enclosure, and an end when the clock has left its enclosure. So sums are final
//! before T, and contacts that ended before T come before all others by their ends.

use std::collections::BTreeMap;

use super::PairSummary;
use super::contacts::{compare, compare_ends};
use crate::incident::TriangleContact;

/// Contacts over time of a check.
pub(super) struct Ledger {
    sums: Sums,
    is_handing_over: bool,
    /// Contacts that have ended; where they are handed over, those that were not yet.
    held: Vec<TriangleContact>,
    /// How many of `held`, from its begin, the observer has now.
    handed: usize,
    /// How many contacts have ended.
    pub(super) ended: usize,
}

impl Ledger {
    pub(super) fn new(is_handing_over: bool) -> Self {
        Self { sums: Sums::default(), is_handing_over, held: Vec::new(), handed: 0, ended: 0 }
    }

    /// Takes in what began and ended up to a time, seconds.
    pub(super) fn advance(&mut self, time: f64, begun: &[TriangleContact], ended: &[TriangleContact]) {
        self.sums.begin(begun);
        self.sums.end(ended);
        self.sums.settle_before(time);
        self.ended += ended.len();
        self.held.drain(..std::mem::take(&mut self.handed));
        self.held.extend_from_slice(ended);
        if self.is_handing_over {
            self.held.sort_by(compare_ends);
            self.handed = self.held.partition_point(|contact| contact.end < time);
        }
    }

    /// The contacts that are handed over now, by their ends.
    pub(super) fn due(&self) -> &[TriangleContact] {
        &self.held[..self.handed]
    }

    /// Takes in the rest, of which some begins were not told (`None`: none was), and writes the
    /// summaries. Returns all contacts that were not handed over, in order.
    pub(super) fn finish(
        mut self,
        begun: Option<&[TriangleContact]>,
        mut rest: Vec<TriangleContact>,
        pairs: &mut [PairSummary],
    ) -> Vec<TriangleContact> {
        self.sums.begin(begun.unwrap_or(&rest));
        self.sums.end(&rest);
        self.sums.write(pairs);
        self.held.drain(..self.handed);
        self.held.append(&mut rest);
        self.held.sort_by(compare);
        self.held
    }
}

/// Sums of contacts over time, per pair of bodies.
#[derive(Default)]
pub(super) struct Sums {
    /// Begins and ends that are not summed up yet: time, what happens there, bodies.
    events: Vec<(f64, Rank, [u32; 2])>,
    pairs: BTreeMap<[u32; 2], Sum>,
}

/// What happens at a time, in the order in which it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A contact ends just before the time.
    EndsBefore,
    Begins,
    Ends,
    /// A contact begins just after the time.
    BeginsAfter,
}

/// The sum of one pair of bodies.
#[derive(Default)]
struct Sum {
    summary: PairSummary,
    /// Contacts that exist, and since when any do, seconds. Less than none where a contact of no
    /// length has an open begin.
    existing: isize,
    since: f64,
}

impl Sums {
    /// Adds begins of contacts.
    pub(super) fn begin(&mut self, contacts: &[TriangleContact]) {
        let rank = |is_open| if is_open { Rank::BeginsAfter } else { Rank::Begins };
        self.events.extend(contacts.iter().map(|it| (it.begin, rank(it.is_open[0]), it.bodies)));
    }

    /// Adds ends of contacts, and counts them.
    pub(super) fn end(&mut self, contacts: &[TriangleContact]) {
        let rank = |is_open| if is_open { Rank::EndsBefore } else { Rank::Ends };
        self.events.extend(contacts.iter().map(|it| (it.end, rank(it.is_open[1]), it.bodies)));
        for contact in contacts {
            let Sum { summary, .. } = self.pairs.entry(contact.bodies).or_default();
            summary.contacts += 1;
            summary.undecided += usize::from(contact.is_undecided);
        }
    }

    /// Sums up what happened before a time; nothing before it may be added later. O(n log n) in
    /// what was added since the time before.
    fn settle_before(&mut self, time: f64) {
        self.events.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let count = self.events.partition_point(|event| event.0 < time);
        for (time, rank, bodies) in self.events.drain(..count) {
            self.pairs.entry(bodies).or_default().add(time, rank);
        }
    }

    /// Writes the sums of all into summaries, which are sorted by pair of bodies.
    pub(super) fn write(mut self, pairs: &mut [PairSummary]) {
        self.settle_before(f64::INFINITY);
        for (bodies, Sum { summary, .. }) in self.pairs {
            if let Ok(place) = pairs.binary_search_by_key(&bodies, |pair| pair.bodies) {
                pairs[place] = PairSummary { bodies, samples: pairs[place].samples, ..summary };
            }
        }
    }
}

impl Sum {
    fn add(&mut self, time: f64, rank: Rank) {
        let Self { summary, existing, since } = self;
        summary.first.get_or_insert(time);
        if matches!(rank, Rank::EndsBefore | Rank::Ends) {
            *existing -= 1;
            if *existing == 0 {
                summary.seconds += time - *since;
            }
            return;
        }
        if *existing == 0 {
            *since = time;
        }
        *existing += 1;
        if let Ok(existing) = usize::try_from(*existing)
            && existing > summary.most
        {
            (summary.most, summary.most_at) = (existing, time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(triangle: u32, begin: f64, end: f64) -> TriangleContact {
        TriangleContact::new([0, 1], [triangle, 0], begin, end)
    }

    /// What ended at the time of a sample may be told there, or at the next one.
    #[test]
    fn contacts_that_end_at_the_time_of_a_sample_wait_for_the_next_one() {
        let mut ledger = Ledger::new(true);
        let [first, second, third] = [contact(1, 0.25, 1.0), contact(0, 0.5, 1.0), contact(0, 1.0, 2.0)];
        ledger.advance(1.0, &[first, second], &[first]);
        assert!(ledger.due().is_empty());
        ledger.advance(2.0, &[third], &[second]);
        assert_eq!(ledger.due(), [second, first]);
        let mut pairs = [PairSummary { bodies: [0, 1], samples: 2, ..PairSummary::default() }];
        assert_eq!(ledger.finish(Some(&[]), vec![third], &mut pairs), [third]);
        let [PairSummary { contacts, first, seconds, samples, most, most_at, .. }] = pairs;
        assert_eq!((contacts, first, seconds, samples), (3, Some(0.25), 1.75, 2));
        assert_eq!((most, most_at), (3, 1.0));
    }

    /// An end just before a time is told after a begin at the time, and comes before it.
    #[test]
    fn sums_wait_for_what_is_told_of_the_time_of_a_sample() {
        let mut ledger = Ledger::new(false);
        let before = contact(0, 0.0, 1.0).open_at([false, true]);
        let at = contact(1, 1.0, 1.5);
        ledger.advance(1.0, &[before, at], &[]);
        ledger.advance(2.0, &[], &[before, at]);
        let mut pairs = [PairSummary { bodies: [0, 1], ..PairSummary::default() }];
        ledger.finish(Some(&[]), Vec::new(), &mut pairs);
        assert_eq!((pairs[0].most, pairs[0].most_at, pairs[0].seconds), (1, 0.0, 1.5));
    }
}
