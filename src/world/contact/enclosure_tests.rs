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

use std::sync::Arc;

use crate::narrow::intervals::ContactInterval;
use crate::narrow::neighbours_touch_at_time;
use crate::narrow::proximity::within_at_time;
use crate::world::contact::linear_window::LinearWindow;
use crate::world::contact::span::TimeEnclosure;
use crate::world::rule::Common;
use crate::world::rule::spheres::{self, Solid};

/// Two triangles over a window in which they move linearly, and what counts as contact between
/// them.
#[derive(Debug)]
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

/// One end: within its enclosure the test decides.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct End {
    time: TimeEnclosure,
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    course: Arc<Course>,
}

impl End {
    fn contains(&self, time: f64) -> bool {
        self.time.lo <= time && time <= self.time.hi
    }
}

/// The ends of one contact that are not certain, begins among them. Clones share them: worlds with
/// many contacts are cloned often ([`World::snapshot`](crate::world::World::snapshot)).
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ends(#[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))] Option<Arc<[End]>>);

impl Ends {
    /// Bytes held; a course that two ends share is counted once.
    pub(crate) fn bytes(&self) -> usize {
        let ends = self.ends();
        let is_first = |&(place, end): &(usize, &End)| place == 0 || !Arc::ptr_eq(&end.course, &ends[place - 1].course);
        size_of_val(ends) + ends.iter().enumerate().filter(is_first).count() * size_of::<Course>()
    }

    fn ends(&self) -> &[End] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Keeps ends for which a change returns true.
    fn retain(&mut self, change: impl FnMut(&mut End) -> bool) {
        if self.0.is_some() {
            let mut ends = self.ends().to_vec();
            ends.retain_mut(change);
            self.0 = (!ends.is_empty()).then(|| ends.into());
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
        let at = |time: TimeEnclosure, course: &Arc<Course>| End { time, course: Arc::clone(course) };
        let begin = inside(begin, interval.at_window_begin());
        let end = inside(end, interval.at_window_end());
        let (first, second) = match (begin, end) {
            (None, None) => return Self::default(),
            (Some(time), second) => (time, second),
            (None, Some(time)) => (time, None),
        };
        let course = Arc::new(course());
        Self(Some(match second {
            None => Arc::new([at(first, &course)]),
            Some(second) => Arc::new([at(first, &course), at(second, &course)]),
        }))
    }

    /// Whether a contact that may be on at a time is. Exact tests only if the time lies inside an
    /// end.
    pub(crate) fn allow(&self, time: f64) -> bool {
        let mut inside = self.ends().iter().filter(|end| end.contains(time)).peekable();
        inside.peek().is_none() || inside.any(|end| end.course.touch(time))
    }

    /// The enclosures in which a test decides, and when the window of each begins, seconds.
    pub(crate) fn enclosures(&self) -> impl Iterator<Item = (TimeEnclosure, f64)> {
        self.ends().iter().map(|end| (end.time, end.course.window.begin))
    }

    fn contain(&self, time: f64) -> bool {
        self.ends().iter().any(|end| end.contains(time))
    }

    /// The earliest time, from a time on, that lies inside an end.
    pub(crate) fn next_inside(&self, from: f64) -> Option<f64> {
        self.ends().iter().filter(|end| end.time.hi >= from).map(|end| end.time.lo.max(from)).reduce(f64::min)
    }

    /// Nothing of them holds from a time on.
    pub(crate) fn cut_from(&mut self, time: f64) {
        self.retain(|end| {
            end.time.hi = end.time.hi.min(time.next_down());
            end.time.lo <= end.time.hi
        });
    }

    /// Nothing of them holds up to a time.
    pub(super) fn cut_until(&mut self, time: f64) {
        self.retain(|end| {
            end.time.lo = end.time.lo.max(time.next_up());
            end.time.lo <= end.time.hi
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
    pub(crate) fn join(&mut self, next: Self, needed_from: f64) {
        if next.ends().len() < 2 && self.ends().iter().all(|end| end.time.hi < needed_from) {
            *self = next;
            return;
        }
        let mut ends: Vec<End> = self.ends().iter().filter(|end| end.time.hi >= needed_from).cloned().collect();
        for end in next.ends() {
            let is_known = |known: &End| known.time == end.time && known.course.window == end.course.window;
            if !ends.iter().any(is_known) {
                ends.push(end.clone());
            }
        }
        self.0 = (!ends.is_empty()).then(|| ends.into());
    }
}
