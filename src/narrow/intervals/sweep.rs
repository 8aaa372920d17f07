//! Converts signs and roots to the closed intervals of contact.
//!
//! The status of a pair is a function of minor signs (see `tables`), so it is constant between
//! roots. The sweep starts with the signs just after the window's begin and visits every instant at
//! which a relevant minor vanishes. It sets those minors to zero there, and flips the odd ones
//! after it. No status is ever sampled in between. If *all* minors vanish at an instant, the points
//! are coplanar there and the lower ranks decide it. If they vanish for all time, the sweep itself
//! moves to a plane or a line.
//!
//! Only minors on which the status may still depend, given the signs certain over the whole window,
//! are solved.

use super::cubics::Signed;
use super::minors::{Family, Level};
use super::order::Roots;
use super::pair::{Decision, LEVELS, Moment, Pair};
use super::roots::{COARSE, FINE};
use super::tables::{POINTS, Signs, Status};
use crate::simd;

/// A closed interval of contact; each end as the grid cell or point that contains it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) begin: [f64; 2],
    pub(crate) end: [f64; 2],
    /// Whether begin and end are one instant.
    pub(crate) instant: bool,
    /// Vertices that carry the first touch, as bits.
    pub(crate) support: u8,
}

/// The stage that decided a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Signs over the whole window proved it apart.
    Rejected,
    /// Signs over the whole window proved it touching.
    Accepted,
    /// Roots were solved.
    Solved,
}

/// An instant of the window at which the status may change.
#[derive(Clone, Copy, PartialEq)]
enum Instant {
    Begin,
    Root(usize),
    End,
}

/// The minors of one level after solving: signs just after the begin, and the minors that vanish at
/// the ends.
struct Start {
    signs: Signs,
    zero_at_begin: u32,
    zero_at_end: u32,
}

/// Passes all spans of contact in the window to `emit`, in order, until it returns `false`. Returns
/// the deciding stage and level.
#[inline]
pub(crate) fn spans(pair: &Pair<'_>, mut emit: impl FnMut(Span) -> bool) -> (Stage, Level) {
    let space = Level::Space;
    if pair.points.magnitude(space) > 0.0 {
        let (mut family, table) = (Family::empty(pair.points, space), pair.table(space));
        let signs = if pair.shape.points == POINTS {
            simd::run(Signed { points: pair.points, family: &mut family, table })
        } else {
            family = pair.family(space);
            family.signs(table)
        };
        if let Some(stage) = spans_of(pair, &family, signs, &mut emit) {
            return (stage, space);
        }
    }
    for level in flat_levels(pair) {
        if pair.points.magnitude(level) > 0.0 {
            let family = pair.family(level);
            let signs = family.signs(pair.table(level));
            if let Some(stage) = spans_of(pair, &family, signs, &mut emit) {
                return (stage, level);
            }
        }
    }
    emit(whole(pair.first_points()));
    (Stage::Accepted, Level::Line(2))
}

/// Planes and lines, the widest projection first.
fn flat_levels(pair: &Pair<'_>) -> [Level; 6] {
    let [_, mut levels @ ..] = LEVELS;
    let wider = |a: &Level, b: &Level| {
        let [a, b] = [a, b].map(|&level| pair.points.magnitude(level));
        b.total_cmp(&a)
    };
    levels[..3].sort_by(wider);
    levels[3..].sort_by(wider);
    levels
}

/// Finds the spans at one level, given the signs over the whole window; `None` if all its minors
/// vanish for all time.
fn spans_of(pair: &Pair<'_>, family: &Family, mut signs: Signs, emit: &mut impl FnMut(Span) -> bool) -> Option<Stage> {
    let level = family.level;
    let table = pair.table(level);
    let (status, mut relevant) = table.judge(signs);
    match status {
        Status::Apart => return Some(Stage::Rejected),
        Status::Touching => {
            emit(whole(table.support(signs).unwrap_or(pair.first_points())));
            return Some(Stage::Accepted);
        }
        Status::LowerRank => return None,
        Status::Unknown => {}
    }
    // Roots of the only cubic of four points are decided on their brackets: make those tight.
    let resolution = if pair.shape.points < POINTS { FINE } else { COARSE };
    let mut roots = Roots::new(pair, level, resolution);
    let mut start = Start { signs, zero_at_begin: 0, zero_at_end: 0 };
    while relevant != 0 {
        let minor = relevant.trailing_zeros() as usize;
        let course = roots.add(minor, &family.approximate(minor));
        relevant &= relevant - 1;
        start.signs.settle(minor, course.sign);
        start.zero_at_begin |= u32::from(course.zero_at_begin) << minor;
        start.zero_at_end |= u32::from(course.zero_at_end) << minor;
        if course.is_constant {
            // One more sign for the whole window: it may decide the pair, or make fewer minors
            // relevant.
            signs.settle(minor, course.sign);
            let (status, still_relevant) = table.judge(signs);
            relevant &= still_relevant;
            if relevant == 0 && status == Status::Apart {
                return Some(Stage::Rejected);
            }
        }
    }
    if table.status(start.signs) == Status::LowerRank {
        return None;
    }
    sweep(pair, level, roots, &start, emit);
    Some(Stage::Solved)
}

fn whole(support: u8) -> Span {
    Span { begin: [0.0; 2], end: [1.0; 2], instant: false, support }
}

/// Visits the instants in order and joins touching ones; pins the roots at the ends of a span.
fn sweep(pair: &Pair<'_>, level: Level, mut roots: Roots<'_>, start: &Start, emit: &mut impl FnMut(Span) -> bool) {
    let table = pair.table(level);
    let first_points = pair.first_points();
    roots.sort();
    // Unknown signs are irrelevant from here on.
    let mut signs = start.signs.without(0);
    let mut open: Option<(Instant, u8)> = None;
    let mut next = 0;
    let mut instant = Instant::Begin;
    loop {
        // The minors that vanish at this instant, and those that change sign.
        let (mut zero, mut toggle) = match instant {
            Instant::Begin => (start.zero_at_begin, 0),
            Instant::Root(_) => (0, 0),
            Instant::End => (start.zero_at_end, 0),
        };
        if let Instant::Root(place) = instant {
            next = place;
            while let Some(root) = roots.all.get(next)
                && (next == place || root.equals_previous)
            {
                zero |= 1 << root.minor;
                toggle |= u32::from(root.odd) << root.minor;
                next += 1;
            }
        }
        let at = signs.without(zero);
        let decision = match table.settled_status(at.positive, at.negative) {
            Status::Touching => Decision {
                touching: true,
                // The support matters only at the begin of a span.
                support: match open {
                    Some(_) => 0,
                    None => table.support(at).unwrap_or(first_points),
                },
            },
            Status::Apart => Decision { touching: false, support: 0 },
            Status::LowerRank | Status::Unknown => decide_below(pair, level, &mut roots, instant),
        };
        signs.flip(toggle);
        let last = matches!(instant, Instant::End);
        let goes_on = !last && table.settled_status(signs.positive, signs.negative) == Status::Touching;
        // Touching is a closed condition: an open stretch touches only if both instants around it
        // do.
        debug_assert!(!goes_on || decision.touching, "contact intervals are closed");
        if decision.touching || goes_on {
            open.get_or_insert((instant, decision.support));
        }
        if !goes_on && let Some((begin, support)) = open.take() {
            let mut enclose = |instant| match instant {
                Instant::Begin => [0.0; 2],
                Instant::End => [1.0; 2],
                Instant::Root(place) => roots.pin(place),
            };
            let span = Span { begin: enclose(begin), end: enclose(instant), instant: begin == instant, support };
            if !emit(span) {
                return;
            }
        }
        if last {
            return;
        }
        instant = if next < roots.all.len() { Instant::Root(next) } else { Instant::End };
    }
}

/// Decides an instant at which all minors of `level` vanish.
fn decide_below(pair: &Pair<'_>, level: Level, roots: &mut Roots<'_>, instant: Instant) -> Decision {
    let accept = |below: Level| below != level && below != Level::Space && below.degree() <= level.degree();
    match instant {
        Instant::Begin => pair.decide(&Moment::at(0.0), accept),
        Instant::End => pair.decide(&Moment::at(1.0), accept),
        Instant::Root(place) => {
            if pair.shape.points == POINTS {
                roots.pin(place);
            }
            let root = &roots.all[place];
            let exact = || roots.exact(root);
            let moment = Moment { lo: root.lo, hi: root.hi, exact: Some(&exact) };
            pair.decide(&moment, accept)
        }
    }
}
