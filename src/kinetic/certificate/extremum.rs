//! Extremum certificates: the winner of a slot stays beyond the challenger.

#[cfg(test)]
mod tests;

use super::crossing;
use super::curved::Course;
use crate::math::Extent;
use crate::motion::{Cursor, KeyTrack, Motion};
use crate::time::{Moment, NEVER};

/// Returns when `challenger` overtakes `winner` in an extent, not before `from`; [`NEVER`] if not
/// before `until`.
///
/// A root at `from` is decided by the motion after it, even if the clock stands *at* a time.
/// Otherwise a vertex that leads by a rounding at the end of a segment and falls behind in the next
/// would win and lose at that time without end. A challenger that is ahead where a segment begins
/// overtakes just after it: loop keys closer than the resolution of time make a jump, and *at* the
/// jump the old positions hold.
///
/// If one of the two vertices moves on a curved piece, the challenger overtakes when it leads by
/// more than the threshold of [`crate::limits`]. A smaller lead is not distinguished from a touch;
/// the slack of boxes covers it.
///
/// Follows Algorithm 3 of the paper (search from keyframe to keyframe), with the strict
/// end-of-segment rule of the module.
pub fn overtaking(motion: &Motion, winner: u32, challenger: u32, extent: Extent, from: Moment, until: f64) -> Moment {
    // At the epoch's end the pieces after it are of another epoch.
    if winner == challenger || from.time() >= until {
        return Moment::at(NEVER);
    }
    let moment = search(motion, winner, challenger, extent, from, until).max(from);
    if moment.time() < until { moment } else { Moment::at(NEVER) }
}

fn search(motion: &Motion, winner: u32, challenger: u32, extent: Extent, from: Moment, until: f64) -> Moment {
    if let (Some(KeyTrack::Keys { times, row: ahead }), Some(KeyTrack::Keys { times: same, row: behind })) =
        (motion.row(winner, extent.axis()), motion.row(challenger, extent.axis()))
        && std::ptr::eq(times, same)
    {
        return if extent.is_max() {
            overtaking_in_rows(times, ahead, behind, from, |x| x)
        } else {
            overtaking_in_rows(times, ahead, behind, from, |x| -x)
        };
    }
    let mut at = Moment::after(from.time());
    loop {
        let p = motion.piece(winner, extent.axis(), at);
        let q = motion.piece(challenger, extent.axis(), at);
        let (begin, end) = (p.begin.max(q.begin), p.end.min(q.end));
        if p.is_curved() || q.is_curved() {
            let (smaller, larger) = if extent.is_max() { (&p, &q) } else { (&q, &p) };
            if let Some(moment) = Course::of_lead(smaller, larger).first_excess(from.time()) {
                return moment;
            }
            if end >= until {
                return Moment::at(NEVER);
            }
            at = Moment::after(end);
            continue;
        }
        let (winner_end, challenger_end) = (p.at(end), q.at(end));
        if extent.beyond(challenger_end, winner_end) {
            let (winner_begin, challenger_begin) = (p.at(begin), q.at(begin));
            return if extent.beyond(challenger_begin, winner_begin) {
                Moment::after(begin)
            } else {
                Moment::at(crossing(begin, end, winner_begin - challenger_begin, winner_end - challenger_end))
            };
        }
        if end >= until {
            return Moment::at(NEVER);
        }
        at = Moment::after(end);
    }
}

/// Searches rows of keys: the first key at which the challenger is strictly ahead.
fn overtaking_in_rows(
    times: &[f64],
    winner: &[f32],
    challenger: &[f32],
    from: Moment,
    sign: impl Fn(f32) -> f32 + Copy,
) -> Moment {
    /// Keys compared at once; a comparison of eight `f32` pairs is one instruction.
    const STRIDE: usize = 8;
    // The first key after `from`: the segment that contains `from` ends there.
    let start = times.partition_point(|&key| key <= from.time());
    let mut key = start;
    let ahead = |key: usize| sign(challenger[key]) > sign(winner[key]);
    while key + STRIDE <= times.len() {
        let (w, c) = (&winner[key..key + STRIDE], &challenger[key..key + STRIDE]);
        let mut any = false;
        for lane in 0..STRIDE {
            any |= sign(c[lane]) > sign(w[lane]);
        }
        if any {
            break;
        }
        key += STRIDE;
    }
    while key < times.len() && !ahead(key) {
        key += 1;
    }
    if key >= times.len() {
        // Beyond the last key the vertices are at rest; a lead there existed at the last key.
        return if start == times.len() && ahead(times.len() - 1) {
            Moment::after(times[times.len() - 1])
        } else {
            Moment::at(NEVER)
        };
    }
    if key == 0 {
        return from;
    }
    if ahead(key - 1) {
        return Moment::after(times[key - 1]);
    }
    let lead = |key: usize| f64::from(sign(winner[key])) - f64::from(sign(challenger[key]));
    Moment::at(crossing(times[key - 1], times[key], lead(key - 1), lead(key)))
}

/// Whether `a` is strictly beyond `b` in an extent, at the moment of a cursor.
pub fn is_ahead(motion: &Motion, a: u32, b: u32, extent: Extent, at: &Cursor) -> bool {
    a != b && extent.beyond(motion.coordinate_at(a, extent.axis(), at), motion.coordinate_at(b, extent.axis(), at))
}
