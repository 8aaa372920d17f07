//! Two triangles over a window: how exactly their contacts are decided there, and which of those
//! that were decided over a longer time belong to it. For continuous contacts and for trials.

use std::cmp::Ordering;

use crate::narrow::compare_with_time;
use crate::narrow::intervals::ContactInterval;
use crate::world::contact::linear_window::{Leaf, LinearWindow};
use crate::world::contact::span::TimeEnclosure;
use crate::world::rule::Uncertainty;

/// Two triangles over the common window of their leaves.
///
/// Depends on the triangles alone, not on others of their leaves: so contacts do not depend on how
/// trees were built, nor on when a world began.
#[derive(Clone, Copy)]
pub(crate) struct Meeting {
    /// What is decided is reported of this time.
    pub(crate) window: LinearWindow,
    /// What the motion is linear over; longer where one of them rests.
    pub(crate) decided_over: LinearWindow,
    pub(crate) doubt: Uncertainty,
}

impl Meeting {
    /// Of any triangles of two leaves, where all are exactly where they are said to be.
    pub(super) fn exact(a: &Leaf, b: &Leaf) -> Option<Self> {
        let is_exact = a.window == b.window && a.is_whole() && b.is_whole();
        is_exact.then_some(Self { window: a.window, decided_over: a.window, doubt: Uncertainty::None })
    }

    /// Of two triangles, each by its place in its leaf.
    pub(crate) fn of((a, p): (&Leaf, usize), (b, q): (&Leaf, usize)) -> Self {
        let window = a.window.intersection(b.window);
        // Keys of triangles at rest do not cut the other's motion: what is decided over a longer
        // time is clipped to the window.
        let decided_over = match (a.rests(p), b.rests(q)) {
            (true, false) => b.window,
            (false, true) => a.window,
            _ => window,
        };
        let blur = a.blur(p, decided_over) + b.blur(q, decided_over);
        Self { window, decided_over, doubt: uncertainty(a.margin + b.margin, blur) }
    }

    /// Where an interval of contact lies: in the part of the window from a time on, seconds, or
    /// beyond it. The enclosures are those of its ends. `touch` tells exactly whether the triangles
    /// touch at a time of the window.
    ///
    /// What was decided over a longer time may begin just after the window, or have ended just
    /// before. Enclosures in seconds are too wide to tell; cells are compared with the time
    /// exactly. Where a cell holds the time, or positions are rounded, nothing tells what touches
    /// until then. Nor does the window's end where a loop jumps there into its first round, which
    /// `jumps` tells.
    pub(crate) fn clip(
        &self,
        interval: &ContactInterval,
        [begin, end]: [&TimeEnclosure; 2],
        from: f64,
        touch: impl Fn(f64) -> bool,
        jumps: impl Fn() -> bool,
    ) -> Clip {
        let &Self { window, decided_over, doubt } = self;
        if end.hi < from || begin.lo > window.end {
            return Clip::Outside;
        }
        if matches!(doubt, Uncertainty::Path(_)) {
            return Clip::Inside;
        }
        let is_after = begin.hi > window.end && !touch(window.end);
        let is_before = end.lo < from && !touch(from);
        if doubt != Uncertainty::None {
            return if is_after || is_before { Clip::Unsure } else { Clip::Inside };
        }
        let order = |s: f64, time: f64| compare_with_time(s, time, (decided_over.begin, decided_over.end));
        if (is_after && order(interval.begin.lo, window.end).is_ge())
            || (is_before && order(interval.end.hi, from).is_le())
        {
            return Clip::Outside;
        }
        let begins_by_end = !is_after
            || match order(interval.begin.hi, window.end) {
                Ordering::Less => true,
                Ordering::Equal => !jumps(),
                Ordering::Greater => false,
            };
        let ends_later = !is_before || order(interval.end.lo, from).is_ge();
        if begins_by_end && ends_later { Clip::Inside } else { Clip::Unsure }
    }

    /// Whether an interval of contact begins only where the window ends.
    pub(crate) fn is_at_end(&self, begin: &TimeEnclosure) -> bool {
        self.window.begin < self.window.end && begin.lo >= self.window.end
    }

    /// Whether triangles part in a gap that rounded positions show, between two times, seconds: by
    /// an exact test in the middle of each. Gaps are places in what was decided, 0 to 1.
    pub(crate) fn parts_in(&self, gaps: &[[f64; 2]], [from, to]: [f64; 2], touch: impl Fn(f64) -> bool) -> bool {
        gaps.iter().any(|gap| {
            let middle = self.decided_over.middle(*gap);
            from < middle && middle < to && !touch(middle)
        })
    }
}

/// Where an interval of contact lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clip {
    Inside,
    /// It may be beyond: a cell is too wide to tell, or positions are rounded.
    Unsure,
    Outside,
}

/// A time at which triangles are known to touch between two times, seconds: in the middle, or at
/// one of both.
pub(crate) fn sure_time([from, to]: [f64; 2], proves: impl Fn(f64) -> bool) -> Option<f64> {
    [0.5 * from + 0.5 * to, from, to].into_iter().find(|&time| proves(time))
}

/// What a distance from linear motion and roundings, both in metres, come to.
pub(super) fn uncertainty(margin: f64, blur: f64) -> Uncertainty {
    if margin > 0.0 {
        Uncertainty::Path((margin + blur).next_up())
    } else if blur > 0.0 {
        Uncertainty::Rounding(blur.next_up())
    } else {
        Uncertainty::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_counts_between_both_times_where_the_exact_test_finds_triangles_apart() {
        let window = LinearWindow { begin: 0.0, end: 2.0 };
        let meeting = Meeting { window, decided_over: window, doubt: Uncertainty::Rounding(1.0) };
        // Its middle is at 0.75 s.
        let gaps = [[0.25, 0.5]];
        for (between, touches, parts) in [
            ([0.0, 2.0], false, true),
            ([0.0, 2.0], true, false),
            ([1.0, 2.0], false, false),
            ([0.0, 0.5], false, false),
            // A gap around one of both times lies half outside.
            ([0.75, 2.0], false, false),
            ([0.0, 0.75], false, false),
        ] {
            assert_eq!(meeting.parts_in(&gaps, between, |_| touches), parts, "{between:?} {touches}");
        }
        assert!(!meeting.parts_in(&[], [0.0, 2.0], |_| false));
    }
}
