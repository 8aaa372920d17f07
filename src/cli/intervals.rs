//! Contact intervals of a run: gathered as they end, clipped to the span of the run, summed up per
//! pair of bodies.

use serde::Serialize;

use super::report::number_of;
use crate::id::BodyId;
use crate::io::Scene;
use crate::world::{BakedContacts, BakedInterval, Contact, ContactChange, TimeEnclosure, World};

/// One pair of triangles in contact, as it is written to JSON; times in seconds, rounded outward.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "these are members of the report")]
pub(super) struct IntervalRow<'a> {
    a: &'a str,
    triangle_a: u32,
    b: &'a str,
    triangle_b: u32,
    begin: f64,
    end: f64,
    /// The contact is not on at `begin` itself: a jump at that time brought it about.
    open_begin: bool,
    /// The contact is not on at `end` itself: a loop jumped into its first round at that time.
    open_end: bool,
    /// The contact was on when the span began.
    clipped_begin: bool,
    /// The contact was still on when the span ended.
    clipped_end: bool,
    undecided: bool,
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    bodies: (usize, usize),
    triangles: (u32, u32),
    begin: f64,
    end: f64,
    /// Whether the begin, and whether the end, does not belong to it.
    is_open: [bool; 2],
    clipped_end: bool,
    undecided: bool,
}

/// What intervals say about a pair of bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IntervalSummary {
    /// First contact, seconds.
    pub(super) first: Option<f64>,
    /// Time in which anything touches, seconds.
    pub(super) total: f64,
    /// Most pairs of triangles in contact at once, and when first.
    pub(super) most: usize,
    pub(super) most_at: f64,
    /// Intervals.
    pub(super) count: usize,
}

/// All intervals of a run.
pub(super) struct Intervals {
    ids: Vec<BodyId>,
    start: f64,
    all: Vec<Interval>,
}

impl Intervals {
    pub(super) fn new(ids: &[BodyId], start: f64) -> Self {
        Self { ids: ids.to_vec(), start, all: Vec::new() }
    }

    /// Takes in the contacts that ended in the last advance.
    pub(super) fn add(&mut self, changes: &[ContactChange]) {
        for change in changes {
            if let ContactChange::Ended { contact, began, time, undecided } = change {
                let begin = began.unwrap_or(TimeEnclosure { lo: self.start, hi: self.start, is_open: false });
                self.push(*contact, begin, Some(*time), time.hi, *undecided);
            }
        }
    }

    /// Takes in what is still on at the end of the span, and puts everything in order.
    pub(super) fn finish(&mut self, world: &World) {
        for ongoing in world.ongoing_contacts() {
            self.push(ongoing.contact, ongoing.began, None, world.time(), ongoing.undecided);
        }
        self.sort();
    }

    /// Takes in all that was baked, so far as it touches the span up to `end`, and puts it in
    /// order.
    pub(super) fn fill(&mut self, contacts: &BakedContacts, end: f64) {
        let start = self.start;
        let is_in_span = |it: &BakedInterval| {
            let begins = it.begin.lo < end || (it.begin.lo == end && !it.begin.is_open);
            begins && (it.end.hi > start || (it.end.hi == start && !it.end.is_open))
        };
        for it in contacts.intervals().filter(is_in_span) {
            let clipped_end = it.goes_on || it.end.hi > end || (it.end.hi == end && !it.end.is_open);
            self.all.push(Interval {
                bodies: (it.a as usize, it.b as usize),
                triangles: (it.triangle_a, it.triangle_b),
                begin: it.begin.lo.max(start),
                end: if clipped_end { end } else { it.end.hi },
                is_open: [it.begin.is_open && it.begin.lo >= start, it.end.is_open && !clipped_end],
                clipped_end,
                undecided: it.undecided,
            });
        }
        self.sort();
    }

    fn sort(&mut self) {
        self.all
            .sort_by(|x, y| (x.bodies, x.triangles).cmp(&(y.bodies, y.triangles)).then(x.begin.total_cmp(&y.begin)));
    }

    /// Takes in a contact that ended at `ended`, or was still on at the time `end`.
    fn push(
        &mut self,
        contact: Contact,
        began: TimeEnclosure,
        ended: Option<TimeEnclosure>,
        end: f64,
        undecided: bool,
    ) {
        self.all.push(Interval {
            bodies: (number_of(contact.a, &self.ids), number_of(contact.b, &self.ids)),
            triangles: (contact.triangle_a, contact.triangle_b),
            begin: began.lo,
            end,
            is_open: [began.is_open, ended.is_some_and(|ended| ended.is_open)],
            clipped_end: ended.is_none(),
            undecided,
        });
    }

    pub(super) fn undecided(&self) -> usize {
        self.all.iter().filter(|interval| interval.undecided).count()
    }

    pub(super) fn rows<'a>(&'a self, scene: &'a Scene) -> Vec<IntervalRow<'a>> {
        let row = |interval: &Interval| IntervalRow {
            a: &scene.bodies[interval.bodies.0].name,
            triangle_a: interval.triangles.0,
            b: &scene.bodies[interval.bodies.1].name,
            triangle_b: interval.triangles.1,
            begin: interval.begin,
            end: interval.end,
            open_begin: interval.is_open[0],
            open_end: interval.is_open[1],
            clipped_begin: interval.begin <= self.start && !interval.is_open[0],
            clipped_end: interval.clipped_end,
            undecided: interval.undecided,
        };
        self.all.iter().map(row).collect()
    }

    /// Sums up the intervals of one pair of bodies.
    pub(super) fn summary(&self, bodies: (usize, usize)) -> IntervalSummary {
        // At the same time: what ends just before it, begins, ends, what begins just after it.
        let mut ends: Vec<(f64, u8)> = Vec::new();
        let mut summary = IntervalSummary::default();
        for interval in self.all.iter().filter(|interval| interval.bodies == bodies) {
            summary.count += 1;
            let [begin, end] = interval.is_open;
            ends.extend([(interval.begin, if begin { 3 } else { 1 }), (interval.end, if end { 0 } else { 2 })]);
        }
        ends.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        summary.first = ends.first().map(|&(time, _)| time);
        let (mut on, mut since) = (0, 0.0);
        for (time, rank) in ends {
            if rank % 2 == 0 {
                on -= 1;
                if on == 0 {
                    summary.total += time - since;
                }
                continue;
            }
            if on == 0 {
                since = time;
            }
            on += 1;
            if on > summary.most {
                (summary.most, summary.most_at) = (on, time);
            }
        }
        summary
    }
}
