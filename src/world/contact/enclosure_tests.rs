//! Ends of contacts, kept for exact answers: whether two triangles touch at a time inside the
//! enclosure of a begin or an end.
//!
//! An enclosure is a few units in the last place wide, so only a time that falls into one asks for
//! an exact test. For that, an end keeps the two triangles over the window it was decided in: plans
//! that change later, bodies that go and leaves that are others do not concern it. A contact that
//! goes on through whole windows keeps nothing for them.
//!
//! Ends are kept where motion is linear between stored positions only
//! ([`crate::world::rule::Doubt::None`]). Elsewhere a time inside an enclosure counts as contact,
//! and so does the very time at which a plan changes. A contact that went on over several windows,
//! or whose end and next begin could not be separated, has several ends; at a time inside some of
//! them it is on if one of their tests says so. What begins with a jump has no end
//! at the jump's own time: its begin is open ([`TimeEnclosure::is_open`]).

use std::cell::RefCell;
use std::sync::Arc;

use crate::narrow::intervals::ContactInterval;
use crate::narrow::neighbours_touch_at_time;
use crate::narrow::proximity::within_at_time;
use crate::tuning;
use crate::world::contact::linear_window::LinearWindow;
use crate::world::contact::span::TimeEnclosure;
use crate::world::rule::Common;
use crate::world::rule::spheres::{self, Solid};

/// Two triangles over a window in which they move linearly, and what counts as contact between
/// them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Course {
    pub(crate) first: Solid,
    pub(crate) second: Solid,
    pub(crate) window: LinearWindow,
    /// From which distance they touch, metres.
    pub(crate) distance: f64,
    /// Neighbours: their common corners.
    pub(crate) common: Option<Common>,
}

impl Course {
    /// Whether they touch at a time in the window, exactly.
    pub(crate) fn touch(&self, time: f64) -> bool {
        let window = (self.window.begin, self.window.end);
        let (Solid::Triangle(first), Solid::Triangle(second)) = (&self.first, &self.second) else {
            return spheres::touch_at_time(&self.first, &self.second, self.distance, window, time).unwrap_or(true);
        };
        match &self.common {
            Some(common) => neighbours_touch_at_time(first, second, common, window, time),
            None => within_at_time(first, second, self.distance, window, time),
        }
    }
}

/// The begin and the end of an interval, so far as they are not certain: within their enclosures
/// the test decides. None is there twice.
type Times = [Option<TimeEnclosure>; 2];

/// The ends of a contact that were decided over one window.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Kept {
    times: Times,
    course: Course,
}

thread_local! {
    /// What contacts that this thread forgot kept: its memory is used again.
    static SPARE: RefCell<Vec<Arc<Kept>>> = const { RefCell::new(Vec::new()) };
}

/// Clones share. `None` only while it is dropped; a forged file may hold one, which has no ends.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Link(#[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))] Option<Arc<Kept>>);

/// The ends of one contact that are not certain, begins among them. Clones share them: worlds with
/// many contacts are cloned often ([`World::snapshot`](crate::world::World::snapshot)).
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ends {
    /// Of one or two windows, as nearly always; then those of further ones, by their order.
    first: [Option<Link>; 2],
    /// In a box, as every contact has the place for it.
    #[allow(clippy::box_collection, reason = "a third of the size")]
    further: Option<Box<Vec<Link>>>,
}

fn contains(enclosure: &TimeEnclosure, time: f64) -> bool {
    enclosure.lo <= time && time <= enclosure.hi
}

impl Link {
    /// Uses the memory of one that was forgotten.
    fn new(kept: Kept) -> Self {
        let mut own = SPARE.with(|spare| spare.borrow_mut().pop());
        match own.as_mut().and_then(Arc::get_mut) {
            Some(place) => *place = kept,
            None => own = Some(Arc::new(kept)),
        }
        Self(own)
    }

    fn ends(&self) -> impl Iterator<Item = (TimeEnclosure, &Course)> {
        let kept = self.0.as_deref().into_iter();
        kept.flat_map(|kept| kept.times.iter().flatten().map(|&time| (time, &kept.course)))
    }

    /// The ends for which a change returns true; `None` if none is left.
    fn changed(mut self, mut change: impl FnMut(&mut TimeEnclosure, &Course) -> bool) -> Option<Self> {
        let kept = self.0.as_deref()?;
        let mut times = kept.times.map(|end| end.and_then(|mut end| change(&mut end, &kept.course).then_some(end)));
        if times[0] == times[1] {
            times[1] = None;
        }
        if times == [None; 2] {
            return None;
        }
        if times != kept.times {
            Arc::make_mut(self.0.as_mut()?).times = times;
        }
        Some(self)
    }
}

impl Drop for Link {
    /// Keeps the memory if nothing else refers to it.
    fn drop(&mut self) {
        let Some(mut own) = self.0.take() else { return };
        if Arc::get_mut(&mut own).is_some() {
            // Nothing is kept while the thread ends.
            let _ = SPARE.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                if spare.len() < tuning::MAX_SPARE_TESTS {
                    let room = tuning::MAX_SPARE_TESTS - spare.len();
                    spare.reserve_exact(room);
                    spare.push(own);
                }
            });
        }
    }
}

impl Ends {
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let further =
            self.further.as_ref().map_or(0, |links| size_of_val(links) + links.capacity() * size_of::<Link>());
        self.links().count() * size_of::<Kept>() + further
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        self.first.iter().flatten().chain(self.further.iter().flat_map(|links| links.iter()))
    }

    fn push(&mut self, link: Link) {
        match self.first.iter_mut().find(|place| place.is_none()) {
            Some(place) if self.further.is_none() => *place = Some(link),
            _ => self.further.get_or_insert_default().push(link),
        }
    }

    fn into_links(self) -> impl Iterator<Item = Link> {
        let Self { first, further } = self;
        first.into_iter().flatten().chain(further.into_iter().flat_map(|links| *links))
    }

    fn ends(&self) -> impl Iterator<Item = (TimeEnclosure, &Course)> {
        self.links().flat_map(Link::ends)
    }

    /// Keeps ends for which a change returns true.
    fn retain(&mut self, mut change: impl FnMut(&mut TimeEnclosure, &Course) -> bool) {
        for link in std::mem::take(self).into_links() {
            link.changed(&mut change).into_iter().for_each(|link| self.push(link));
        }
    }

    /// The ends of an interval that was decided over `course()`'s window, so far as they lie in a
    /// part of it. None where the interval reaches the end of the window.
    pub(crate) fn of(
        interval: &ContactInterval,
        (begin, end): (TimeEnclosure, TimeEnclosure),
        part: LinearWindow,
        course: impl FnOnce() -> Course,
    ) -> Self {
        let inside = |time: TimeEnclosure, is_certain: bool| {
            let clipped = TimeEnclosure::closed(time.lo.max(part.begin), time.hi.min(part.end));
            (!is_certain && clipped.lo <= clipped.hi).then_some(clipped)
        };
        let begin = inside(begin, interval.at_window_begin());
        let end = inside(end, interval.at_window_end());
        let times = [begin, end.filter(|_| end != begin)];
        let mut ends = Self::default();
        if times != [None; 2] {
            ends.push(Link::new(Kept { times, course: course() }));
        }
        ends
    }

    /// Whether a contact that may be on at a time is. Exact tests only if the time lies inside an
    /// end.
    pub(crate) fn allow(&self, time: f64) -> bool {
        let mut inside = self.ends().filter(|(end, _)| contains(end, time)).peekable();
        inside.peek().is_none() || inside.any(|(_, course)| course.touch(time))
    }

    /// The enclosures in which a test decides, and when the window of each begins, seconds.
    pub(crate) fn enclosures(&self) -> impl Iterator<Item = (TimeEnclosure, f64)> {
        self.ends().map(|(end, course)| (end, course.window.begin))
    }

    /// Whether a time lies inside an end.
    pub(super) fn contain(&self, time: f64) -> bool {
        self.ends().any(|(end, _)| contains(&end, time))
    }

    /// The earliest time, from a time on, that lies inside an end.
    pub(crate) fn next_inside(&self, from: f64) -> Option<f64> {
        self.ends().filter(|(end, _)| end.hi >= from).map(|(end, _)| end.lo.max(from)).reduce(f64::min)
    }

    /// Nothing of them holds from a time on.
    pub(crate) fn cut_from(&mut self, time: f64) {
        self.retain(|end, _| {
            end.hi = end.hi.min(time.next_down());
            end.lo <= end.hi
        });
    }

    /// Nothing of them holds up to a time.
    pub(super) fn cut_until(&mut self, time: f64) {
        self.retain(|end, _| {
            end.lo = end.lo.max(time.next_up());
            end.lo <= end.hi
        });
    }

    /// The contact goes on from a time in its next window: at that time, what one of both windows
    /// knows for certain is so.
    pub(crate) fn continue_with(&mut self, mut next: Self, time: f64, needed_from: f64) {
        match (self.contain(time), next.contain(time)) {
            (true, false) => self.cut_from(time),
            (false, true) => next.cut_until(time),
            _ => {}
        }
        self.join(next, needed_from);
    }

    /// Takes in more ends of the same contact, and forgets those before a time that may no longer
    /// be asked about.
    pub(crate) fn join(&mut self, mut next: Self, needed_from: f64) {
        self.retain(|end, _| end.hi >= needed_from);
        next.retain(|end, course| self.ends().all(|(known, other)| known != *end || other.window != course.window));
        next.into_links().for_each(|link| self.push(link));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::intervals::MovingTriangle;

    #[test]
    fn an_end_that_holds_the_earliest_time_asked_about_is_kept() {
        let still = Solid::Triangle(MovingTriangle { begin: [[0.0; 3]; 3], end: [[0.0; 3]; 3] });
        let window = LinearWindow { begin: 0.0, end: 2.0 };
        let course = Course { first: still, second: still, window, distance: 0.0, common: None };
        let mut ends = Ends::default();
        ends.push(Link::new(Kept { times: [Some(TimeEnclosure::closed(0.5, 1.0)), None], course }));
        ends.join(Ends::default(), 1.0);
        assert!(ends.contain(1.0));
        ends.join(Ends::default(), 1.0_f64.next_up());
        assert!(!ends.contain(1.0));
    }
}
