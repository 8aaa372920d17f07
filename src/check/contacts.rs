//! Contacts over time: collected as they begin and end, clipped to the span of the run.

use std::cmp::Ordering;

use super::source::Places;
use crate::incident::TriangleContact;
use crate::world::{BakedContacts, BakedInterval, Contact, ContactChange, TimeEnclosure, World};

/// Contacts of a run that began at `start`, seconds.
pub(super) struct Collector {
    start: f64,
    /// Those that began in the last advance, in that order. Their ends are not known yet.
    pub(super) begun: Vec<TriangleContact>,
    /// Those that ended in the last advance, in that order.
    pub(super) ended: Vec<TriangleContact>,
}

impl Collector {
    pub(super) fn new(start: f64) -> Self {
        Self { start, begun: Vec::new(), ended: Vec::new() }
    }

    /// Takes in the contacts that began and ended in the last advance, in place of those before.
    pub(super) fn advance(&mut self, changes: &[ContactChange], places: &Places) {
        self.clear();
        for change in changes {
            match change {
                ContactChange::Began { contact, time, undecided, .. } => {
                    self.begun.push(self.contact(places, *contact, *time, None, time.lo, *undecided));
                }
                ContactChange::Ended { contact, began, time, undecided } => {
                    let begin = began.unwrap_or(TimeEnclosure { lo: self.start, hi: self.start, is_open: false });
                    self.ended.push(self.contact(places, *contact, begin, Some(*time), time.hi, *undecided));
                }
            }
        }
    }

    /// Forgets the last advance.
    pub(super) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
    }

    /// Contacts that exist at the end of the run, in order.
    pub(super) fn finish(&self, world: &World, places: &Places) -> Vec<TriangleContact> {
        let ongoing = world.ongoing_contacts();
        let rest =
            ongoing.iter().map(|it| self.contact(places, it.contact, it.began, None, world.time(), it.undecided));
        let mut rest: Vec<TriangleContact> = rest.collect();
        rest.sort_by(compare);
        rest
    }

    /// All that was baked, so far as it touches the span up to `end`, in order.
    pub(super) fn baked(&self, contacts: &BakedContacts, end: f64) -> Vec<TriangleContact> {
        let (start, mut all) = (self.start, Vec::new());
        let is_in_span = |it: &BakedInterval| {
            let begins = it.begin.lo < end || (it.begin.lo == end && !it.begin.is_open);
            begins && (it.end.hi > start || (it.end.hi == start && !it.end.is_open))
        };
        for it in contacts.intervals().filter(is_in_span) {
            let clipped_end = it.goes_on || it.end.hi > end || (it.end.hi == end && !it.end.is_open);
            let begin = it.begin.lo.max(start);
            let is_open = [it.begin.is_open && it.begin.lo >= start, it.end.is_open && !clipped_end];
            all.push(TriangleContact {
                bodies: [it.a, it.b],
                triangles: [it.triangle_a, it.triangle_b],
                begin,
                end: if clipped_end { end } else { it.end.hi },
                is_open,
                is_clipped: [begin <= start && !is_open[0], clipped_end],
                is_undecided: it.undecided,
            });
        }
        all.sort_by(compare);
        all
    }

    /// A contact that ended at `ended`, or still existed at the time `end`.
    fn contact(
        &self,
        places: &Places,
        contact: Contact,
        began: TimeEnclosure,
        ended: Option<TimeEnclosure>,
        end: f64,
        undecided: bool,
    ) -> TriangleContact {
        TriangleContact {
            bodies: [places.of(contact.a), places.of(contact.b)],
            triangles: [contact.triangle_a, contact.triangle_b],
            begin: began.lo,
            end,
            is_open: [began.is_open, ended.is_some_and(|ended| ended.is_open)],
            is_clipped: [began.lo <= self.start && !began.is_open, ended.is_none()],
            is_undecided: undecided,
        }
    }
}

/// The order of contacts over time: by bodies, triangles, begin and end.
pub(super) fn compare(x: &TriangleContact, y: &TriangleContact) -> Ordering {
    let pair = |contact: &TriangleContact| (contact.bodies, contact.triangles);
    let time = x.begin.total_cmp(&y.begin).then(x.is_open[0].cmp(&y.is_open[0])).then(x.end.total_cmp(&y.end));
    pair(x).cmp(&pair(y)).then(time)
}

/// The order in which contacts are handed over: by end, then as above.
pub(crate) fn compare_ends(x: &TriangleContact, y: &TriangleContact) -> Ordering {
    x.end.total_cmp(&y.end).then_with(|| compare(x, y))
}
