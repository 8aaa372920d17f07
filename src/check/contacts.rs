//! Contacts over time: collected as they end, clipped to the span of the run, summed up per pair of
//! bodies.

use std::cmp::Ordering;

use super::PairSummary;
use super::source::Places;
use crate::incident::TriangleContact;
use crate::world::{BakedContacts, BakedInterval, Contact, ContactChange, TimeEnclosure, World};

/// Contacts of a run that began at `start`.
pub(super) struct Collector {
    start: f64,
    all: Vec<TriangleContact>,
}

impl Collector {
    pub(super) fn new(start: f64) -> Self {
        Self { start, all: Vec::new() }
    }

    /// How many have ended.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Takes in the contacts that ended in the last advance.
    pub(super) fn add(&mut self, changes: &[ContactChange], places: &Places) {
        for change in changes {
            if let ContactChange::Ended { contact, began, time, undecided } = change {
                let begin = began.unwrap_or(TimeEnclosure { lo: self.start, hi: self.start, is_open: false });
                self.push(places, *contact, begin, Some(*time), time.hi, *undecided);
            }
        }
    }

    /// Takes in what still exists at the end of the run; returns all in order.
    pub(super) fn finish(mut self, world: &World, places: &Places) -> Vec<TriangleContact> {
        for ongoing in world.ongoing_contacts() {
            self.push(places, ongoing.contact, ongoing.began, None, world.time(), ongoing.undecided);
        }
        self.sorted()
    }

    /// Takes in all that was baked, so far as it touches the span up to `end`; returns all in
    /// order.
    pub(super) fn fill(mut self, contacts: &BakedContacts, end: f64) -> Vec<TriangleContact> {
        let start = self.start;
        let is_in_span = |it: &BakedInterval| {
            let begins = it.begin.lo < end || (it.begin.lo == end && !it.begin.is_open);
            begins && (it.end.hi > start || (it.end.hi == start && !it.end.is_open))
        };
        for it in contacts.intervals().filter(is_in_span) {
            let clipped_end = it.goes_on || it.end.hi > end || (it.end.hi == end && !it.end.is_open);
            let begin = it.begin.lo.max(start);
            let is_open = [it.begin.is_open && it.begin.lo >= start, it.end.is_open && !clipped_end];
            self.all.push(TriangleContact {
                bodies: [it.a, it.b],
                triangles: [it.triangle_a, it.triangle_b],
                begin,
                end: if clipped_end { end } else { it.end.hi },
                is_open,
                is_clipped: [begin <= start && !is_open[0], clipped_end],
                is_undecided: it.undecided,
            });
        }
        self.sorted()
    }

    fn sorted(mut self) -> Vec<TriangleContact> {
        self.all.sort_by(compare);
        self.all
    }

    /// Takes in a contact that ended at `ended`, or still existed at the time `end`.
    fn push(
        &mut self,
        places: &Places,
        contact: Contact,
        began: TimeEnclosure,
        ended: Option<TimeEnclosure>,
        end: f64,
        undecided: bool,
    ) {
        self.all.push(TriangleContact {
            bodies: [places.of(contact.a), places.of(contact.b)],
            triangles: [contact.triangle_a, contact.triangle_b],
            begin: began.lo,
            end,
            is_open: [began.is_open, ended.is_some_and(|ended| ended.is_open)],
            is_clipped: [began.lo <= self.start && !began.is_open, ended.is_none()],
            is_undecided: undecided,
        });
    }
}

/// The order of contacts over time: by bodies, triangles, begin and end.
pub(super) fn compare(x: &TriangleContact, y: &TriangleContact) -> Ordering {
    let pair = |contact: &TriangleContact| (contact.bodies, contact.triangles);
    let time = x.begin.total_cmp(&y.begin).then(x.is_open[0].cmp(&y.is_open[0])).then(x.end.total_cmp(&y.end));
    pair(x).cmp(&pair(y)).then(time)
}

/// Adds the contacts of one pair of bodies to its summary.
pub(super) fn sum_up(contacts: &[TriangleContact], summary: &mut PairSummary) {
    // At the same time: what ends just before it, begins, ends, what begins just after it.
    let mut ends: Vec<(f64, u8)> = Vec::with_capacity(2 * contacts.len());
    for contact in contacts {
        let [begin, end] = contact.is_open;
        ends.extend([(contact.begin, if begin { 3 } else { 1 }), (contact.end, if end { 0 } else { 2 })]);
    }
    ends.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    summary.contacts = contacts.len();
    summary.first = ends.first().map(|&(time, _)| time);
    (summary.most, summary.most_at) = (0, 0.0);
    let (mut existing, mut since) = (0, 0.0);
    for (time, rank) in ends {
        if rank % 2 == 0 {
            existing -= 1;
            if existing == 0 {
                summary.seconds += time - since;
            }
            continue;
        }
        if existing == 0 {
            since = time;
        }
        existing += 1;
        if existing > summary.most {
            (summary.most, summary.most_at) = (existing, time);
        }
    }
}
