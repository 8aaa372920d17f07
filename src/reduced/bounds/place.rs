//! Which piece a moment belongs to.

use crate::motion::Outside;
use crate::reduced::mix::within;
use crate::time::{Moment, Side, Span};

/// Where a moment lies among the pieces of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// The body stands as it does at an end of its motion.
    Still { at_end: bool },
    /// In a piece, which begins and ends at these times.
    Inside { piece: u32, span: Span },
}

/// The place of a moment: at a time, the piece that leads up to it; just after, the one that begins there. `times` are those of one
/// round, ascending. Times of later rounds are computed alike wherever they are, so that after the end of a piece comes another one.
pub(super) fn locate(times: &[f64], outside: Outside, at: Moment) -> Place {
    let (first, last) = (times[0], times[times.len() - 1]);
    if times.len() < 2 {
        return Place::Still { at_end: true };
    }
    let time = at.time();
    let is_past = |key: f64| if at.side() == Side::At { key < time } else { key <= time };
    if outside != Outside::Loop {
        let passed = times.partition_point(|&key| is_past(key));
        return match passed {
            0 => Place::Still { at_end: false },
            passed if passed == times.len() => Place::Still { at_end: true },
            passed => inside(passed as u32 - 1, times[passed - 1], times[passed]),
        };
    }
    // Where rounds meet must be as in `within`.
    let period = last - first;
    let mut round = ((time - first) / period).floor();
    while first + round * period > time {
        round -= 1.0;
    }
    while first + (round + 1.0) * period <= time {
        round += 1.0;
    }
    if first + round * period == time && at.side() == Side::At && round != 0.0 {
        round -= 1.0;
    }
    let (start, end) = (first + round * period, first + (round + 1.0) * period);
    let fall = |key: usize| {
        if key + 1 == times.len() {
            end
        } else if round == 0.0 {
            times[key]
        } else {
            (start + (times[key] - first)).min(end)
        }
    };
    // The last of all keys but the final one that has passed; falls never decrease.
    let (mut key, mut beyond) = (0, times.len() - 1);
    while beyond - key > 1 {
        let middle = usize::midpoint(key, beyond);
        if is_past(fall(middle)) { key = middle } else { beyond = middle }
    }
    inside(key as u32, fall(key), fall(key + 1))
}

/// The piece a pose at a moment is taken from: by the driver's own arithmetic, which decides at jumps, with the moment in the times of
/// the first round.
pub(super) fn locate_pose(times: &[f64], outside: Outside, at: Moment) -> (Place, Moment) {
    if outside != Outside::Loop || times.len() < 2 {
        return (locate(times, outside, at), at);
    }
    let local = within(Span { begin: times[0], end: times[times.len() - 1] }, outside, at);
    (locate(times, Outside::Hold, local), local)
}

fn inside(piece: u32, begin: f64, end: f64) -> Place {
    Place::Inside { piece, span: Span { begin, end } }
}
