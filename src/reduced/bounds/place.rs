//! The piece that contains a moment.

use crate::limits;
use crate::motion::Outside;
use crate::reduced::mix::within;
use crate::time::{Moment, Side, Span};

/// The place of a moment among the pieces of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// The body rests at an end of its motion.
    Still { at_end: bool },
    /// Inside a piece with the given begin and end.
    Inside { piece: u32, span: Span },
}

/// Locates a moment: at a time, in the piece that ends there; just after it, in the one that begins
/// there. `times` are those of one round, ascending. Times of later rounds are computed in the same
/// way everywhere, so the end of one piece is the begin of the next.
pub(super) fn locate(times: &[f64], outside: Outside, at: Moment) -> Place {
    let (first, last) = (times[0], times[times.len() - 1]);
    if times.len() < 2 {
        return Place::Still { at_end: true };
    }
    // As in `within`.
    let time = at.time().clamp(-limits::MAX_TIME, limits::MAX_TIME);
    let is_past = |key: f64| if at.side() == Side::At { key < time } else { key <= time };
    if outside != Outside::Loop {
        let passed = times.partition_point(|&key| is_past(key));
        return match passed {
            0 => Place::Still { at_end: false },
            passed if passed == times.len() => Place::Still { at_end: true },
            passed => inside(passed as u32 - 1, times[passed - 1], times[passed]),
        };
    }
    // Rounds must meet as in `within`: the first ends at its given time, which may differ from
    // `first + period` in `f64`.
    let period = last - first;
    let start_of = |round: f64| if round == 1.0 { last } else { first + round * period };
    let mut round = ((time - first) / period).floor();
    while start_of(round) > time {
        round -= 1.0;
    }
    while start_of(round + 1.0) <= time {
        round += 1.0;
    }
    if start_of(round) == time && at.side() == Side::At && round != 0.0 {
        round -= 1.0;
    }
    let (start, end) = (start_of(round), start_of(round + 1.0));
    let fall = |key: usize| {
        if key + 1 == times.len() {
            end
        } else if round == 0.0 {
            times[key]
        } else {
            (start + (times[key] - first)).min(end)
        }
    };
    // The last of all keys but the final one that has passed; the times of keys never decrease.
    let (mut key, mut beyond) = (0, times.len() - 1);
    while beyond - key > 1 {
        let middle = usize::midpoint(key, beyond);
        if is_past(fall(middle)) { key = middle } else { beyond = middle }
    }
    inside(key as u32, fall(key), fall(key + 1))
}

/// Locates the piece of the pose at a moment, with the driver's own arithmetic, which decides at
/// jumps. Also returns the moment in the times of the first round.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A begin and a length whose sum is not the end: a rounding before the wrap, certificates
    /// would be those of the next round.
    #[test]
    fn the_first_round_ends_where_it_was_said_to() {
        let mut odd = 0;
        for step in 1..2000 {
            let first = -1.7 + 0.001_7 * f64::from(step);
            let times = [first, first + 0.1, first + 0.731 + 0.000_1 * f64::from(step)];
            let last = times[2];
            odd += u32::from(first + (last - first) != last);
            for time in [last.next_down().next_down(), last.next_down(), last, times[1].next_down(), times[1]] {
                let (found, local) = locate_pose(&times, Outside::Loop, Moment::at(time));
                assert_eq!(local, Moment::at(time));
                assert_eq!(locate(&times, Outside::Loop, Moment::at(time)), found);
                let is_last = time > times[1];
                assert_eq!(
                    found,
                    inside(u32::from(is_last), times[usize::from(is_last)], times[1 + usize::from(is_last)])
                );
            }
            let after = Moment::after(last);
            let Place::Inside { piece: 0, span } = locate(&times, Outside::Loop, after) else { unreachable!() };
            assert_eq!(span.begin, last);
            assert_eq!(locate_pose(&times, Outside::Loop, after).1, Moment::after(first));
        }
        assert!(odd > 100, "{odd}");
    }
}
