//! From signs and roots to the closed intervals of contact.
//!
//! The status of a pair is a function of minor signs (see `tables`), so it is constant between roots. The sweep starts with the
//! signs just after the window's begin, visits every instant at which a relevant minor vanishes, sets those minors to
//! zero there, and flips the odd ones behind it. No status is ever sampled in between. If *all* minors vanish at an
//! instant the points are coplanar there and the lower ranks decide it; if they vanish for all time the
//! sweep itself moves to a plane or a line.
//!
//! Only minors on which the status can still depend, given the signs certain over the whole window, are solved.

use super::minors::Level;
use super::order::Roots;
use super::pair::{Decision, LEVELS, Moment, Pair};
use super::roots::Approximate;
use super::tables::{Signs, Status};
use crate::narrow::exact::form::Dyadic;
use crate::narrow::exact::root::ExactRoot;

/// A closed interval of contact; each end as the grid cell or point that holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) begin: [f64; 2],
    pub(crate) end: [f64; 2],
    /// Begin and end are one instant.
    pub(crate) instant: bool,
    /// Vertices that carry the first touch, as bits.
    pub(crate) support: u8,
}

/// How far a pair had to go.
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
#[derive(Clone, Copy)]
enum Instant {
    Begin,
    Root(usize),
    End,
}

/// An instant with the minors that vanish there and those that change sign.
struct Stop {
    instant: Instant,
    zero: u32,
    toggle: u32,
}

/// The minors of one level after solving: signs just after the begin, and what vanishes at the ends.
#[derive(Default)]
struct Start {
    signs: Signs,
    zero_at_begin: u32,
    zero_at_end: u32,
}

/// Appends all spans of contact in the window, or only the first, and says how they were found and at which level.
pub(crate) fn spans(pair: &Pair<'_>, first_only: bool, out: &mut Vec<Span>) -> (Stage, Level) {
    for level in levels(pair) {
        let table = pair.table(level);
        let (family, mut signs) = pair.window(level);
        let mut stage = match table.status(signs) {
            Status::Apart => return (Stage::Rejected, level),
            Status::Touching => {
                out.push(whole(table.support(signs).unwrap_or(pair.first_points())));
                return (Stage::Accepted, level);
            }
            Status::LowerRank => continue,
            Status::Unknown => Stage::Solved,
        };
        let relevant = table.relevant(signs);
        let mut start = Start::default();
        let mut roots = Roots::new(pair, level);
        for minor in (0..table.minor_count).filter(|k| relevant >> k & 1 == 1) {
            let approximate =
                Approximate { coefficients: family.coefficients[minor], degree: level.degree(), error: family.error };
            let course = roots.add(minor, &approximate);
            signs.settle(minor, course.sign);
            start.zero_at_begin |= u32::from(course.zero_at_begin) << minor;
            start.zero_at_end |= u32::from(course.zero_at_end) << minor;
        }
        if table.status(signs) == Status::LowerRank {
            continue;
        }
        if roots.all.is_empty() && start.zero_at_begin | start.zero_at_end == 0 {
            stage = Stage::Rejected;
        }
        start.signs = signs;
        sweep(pair, level, roots, &start, first_only, out);
        return (stage, level);
    }
    out.push(whole(pair.first_points()));
    (Stage::Accepted, Level::Line(2))
}

/// Space first; then planes and lines, the widest projection first.
fn levels(pair: &Pair<'_>) -> impl Iterator<Item = Level> {
    let mut levels = LEVELS;
    let wider = |a: &Level, b: &Level| {
        let [a, b] = [a, b].map(|&level| pair.points.magnitude(level));
        b.total_cmp(&a)
    };
    levels[1..4].sort_by(wider);
    levels[4..].sort_by(wider);
    levels.into_iter()
}

fn whole(support: u8) -> Span {
    Span { begin: [0.0; 2], end: [1.0; 2], instant: false, support }
}

/// Walks the instants in order and joins touching ones; the roots at the ends of a span get pinned.
fn sweep(pair: &Pair<'_>, level: Level, mut roots: Roots<'_>, start: &Start, first_only: bool, out: &mut Vec<Span>) {
    let table = pair.table(level);
    let stops = stops(&mut roots, start);
    let mut signs = start.signs;
    let mut open: Option<(usize, u8)> = None;
    for (place, stop) in stops.iter().enumerate() {
        let at = signs.without(stop.zero);
        let decision = match table.status(at) {
            Status::Touching => Decision { touching: true, support: table.support(at).unwrap_or(pair.first_points()) },
            Status::Apart => Decision { touching: false, support: 0 },
            Status::LowerRank | Status::Unknown => decide_below(pair, level, &roots, stop.instant),
        };
        if decision.touching {
            open.get_or_insert((place, decision.support));
        }
        signs.flip(stop.toggle);
        // Touching is a closed condition: an open stretch can touch only if both instants around it do.
        let goes_on = place + 1 < stops.len() && table.status(signs) == Status::Touching;
        debug_assert!(!goes_on || decision.touching, "contact intervals are closed");
        if goes_on {
            open.get_or_insert((place, table.support(signs).unwrap_or(pair.first_points())));
        } else if let Some((begin, support)) = open.take() {
            let mut enclose = |instant| match instant {
                Instant::Begin => [0.0; 2],
                Instant::End => [1.0; 2],
                Instant::Root(root) => <[f64; 2]>::from(roots.pin(root)),
            };
            out.push(Span {
                begin: enclose(stops[begin].instant),
                end: enclose(stop.instant),
                instant: begin == place,
                support,
            });
            if first_only {
                return;
            }
        }
    }
}

/// Both ends of the window and every distinct root, in order.
fn stops(roots: &mut Roots<'_>, start: &Start) -> Vec<Stop> {
    let mut stops = vec![Stop { instant: Instant::Begin, zero: start.zero_at_begin, toggle: 0 }];
    for (place, equal) in roots.sort().into_iter().enumerate() {
        let root = &roots.all[place];
        let bit = 1 << root.minor;
        if !equal {
            stops.push(Stop { instant: Instant::Root(place), zero: 0, toggle: 0 });
        }
        if let Some(stop) = stops.last_mut() {
            stop.zero |= bit;
            stop.toggle |= if root.odd { bit } else { 0 };
        }
    }
    stops.push(Stop { instant: Instant::End, zero: start.zero_at_end, toggle: 0 });
    stops
}

/// Decides an instant at which all minors of `level` vanish.
fn decide_below(pair: &Pair<'_>, level: Level, roots: &Roots<'_>, instant: Instant) -> Decision {
    let point = |value: f64| ExactRoot::Point(Dyadic::from_f64(value));
    let exact = || match instant {
        Instant::Begin => point(0.0),
        Instant::End => point(1.0),
        Instant::Root(place) => roots.exact(&roots.all[place]),
    };
    let (lo, hi) = match instant {
        Instant::Begin => (0.0, 0.0),
        Instant::End => (1.0, 1.0),
        Instant::Root(place) => (roots.all[place].lo, roots.all[place].hi),
    };
    let moment = Moment { lo, hi, exact: &exact };
    pair.decide(&moment, |below| below != level && below != Level::Space && below.degree() <= level.degree())
}
