//! Choosing a body's fat box.
//!
//! The way ahead is estimated from the motion of the root slots' present winners. That is a guess,
//! because other vertices may win later; the certificates do not depend on it. Stretches of the way
//! are tried from long to short, each half as long as the one before, until the box around one has
//! few overlapping fat boxes or is hardly larger than the body.

use super::{Bodies, KineticBroadPhase};
use crate::math::{Aabb, Extent};
use crate::motion::Piece;
use crate::time::Moment;

/// A fat box may be larger than needed while it has at most this many overlapping fat boxes. Fewer
/// means more events of bodies that move among others, more means more certificates of pairs.
pub(super) const FEW: usize = 8;

/// Most halvings of the way ahead: bounds the cost of a choice.
const MOST_LEVELS: u8 = 16;

/// Pieces read per extent: bounds the cost of a choice for bodies with many keys.
const MOST_PIECES: usize = 64;

/// A fat box is small enough when the body moves no farther in it than this share of its longest
/// side (unitless).
const SMALL_TRAVEL: f64 = 0.5;

/// Margin around the box of a stretch, as a share of the body's longest side (unitless): for
/// changes of shape that the estimate does not cover. Smaller means more events of turning bodies,
/// larger more pairs.
const MARGIN: f64 = 1.0 / 16.0;

/// Least margin, in slacks of the body. Containment is certified with two, so that disjoint fat
/// boxes mean boxes that are apart whatever the roundings; the other two let a fresh certificate
/// hold.
const LEAST_MARGIN: f64 = 4.0;

/// A fat box, the halvings it took, and whether it is as small as fat boxes get.
pub(super) struct Choice {
    pub(super) fat_box: Aabb,
    pub(super) level: u8,
    pub(super) is_tight: bool,
}

impl KineticBroadPhase {
    /// Chooses a body's fat box at a moment, trying no longer stretch than that of `first_level`.
    pub(super) fn choose(&mut self, body: u32, first_level: u8, bodies: &impl Bodies, now: Moment) -> Choice {
        let outlook = Outlook::new(std::mem::take(&mut self.knots), body, bodies, now);
        let Choice { fat_box, level, is_tight } = self.choose_within(&outlook, body, first_level, bodies);
        self.knots = outlook.knots;
        // A search over keys compares with sides in `f32`.
        Choice { fat_box: fat_box.rounded_outward(), level, is_tight }
    }

    fn choose_within(&mut self, outlook: &Outlook, body: u32, first_level: u8, bodies: &impl Bodies) -> Choice {
        let (here, least) = (outlook.sweep(outlook.now), LEAST_MARGIN * bodies.slack(body));
        let longest = here.longest_side();
        let mut level = first_level.min(MOST_LEVELS);
        loop {
            let swept = outlook.sweep(outlook.until(level));
            let travel = (0..3)
                .map(|axis| (here.min[axis] - swept.min[axis]).max(swept.max[axis] - here.max[axis]))
                .fold(0.0, f64::max);
            if travel == 0.0 {
                return Choice { fat_box: swept.inflated(least), level, is_tight: true };
            }
            let fat_box = swept.inflated(least.max(MARGIN * longest));
            let is_tight = travel <= SMALL_TRAVEL * longest || level == MOST_LEVELS;
            if is_tight || self.has_few_overlaps(body, &fat_box, bodies) {
                return Choice { fat_box, level, is_tight };
            }
            level += 1;
        }
    }

    fn has_few_overlaps(&mut self, body: u32, fat_box: &Aabb, bodies: &impl Bodies) -> bool {
        let mut overlapping = 0;
        self.tree.overlapping(fat_box, |other| {
            overlapping += usize::from(other != body && bodies.may_meet(body, other));
            overlapping <= FEW
        });
        overlapping <= FEW
    }
}

/// The six bounds of a body over the time ahead that a choice uses.
struct Outlook {
    now: f64,
    /// Seconds from now that a choice uses; later motion is unknown, or there is none.
    length: f64,
    /// Whether nothing moves after `length`.
    rests_after: bool,
    knots: [Vec<Knot>; 6],
}

/// A place on the way of a bound, and the piece that leads up to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot {
    time: f64,
    x: f64,
    piece: Piece,
}

impl Outlook {
    /// With the room of an earlier outlook.
    fn new(mut knots: [Vec<Knot>; 6], body: u32, bodies: &impl Bodies, now: Moment) -> Self {
        for (extent, knots) in Extent::ALL.into_iter().zip(&mut knots) {
            find_knots(body, extent, bodies, now, knots);
        }
        let now = now.time();
        let last = |knots: &Vec<Knot>| knots.last().map_or(now, |knot| knot.time);
        let known = knots.iter().map(last).fold(f64::INFINITY, f64::min);
        let moving = knots.iter().flatten().map(|knot| knot.time).filter(|time| time.is_finite()).fold(now, f64::max);
        let rests_after = known == f64::INFINITY;
        Self { now, length: if rests_after { moving } else { known } - now, rests_after, knots }
    }

    /// The end of the stretch of a level.
    fn until(&self, level: u8) -> f64 {
        if level == 0 && self.rests_after {
            return f64::INFINITY;
        }
        self.now + self.length / f64::from(1u32 << level)
    }

    /// The box of the way from now until a time.
    fn sweep(&self, until: f64) -> Aabb {
        let side = |extent: Extent| {
            let knots = &self.knots[extent.index()];
            let mut side = knots[0].x;
            for pair in knots.windows(2) {
                let (Knot { time: begin, x: x0, .. }, Knot { time: end, x: x1, piece }) = (&pair[0], &pair[1]);
                if *begin >= until {
                    break;
                }
                let x = if piece.is_curved() {
                    let (low, high) = piece.range(*begin, end.min(until));
                    if extent.is_max() { high } else { low }
                } else if *end <= until || x0 == x1 {
                    *x1
                } else {
                    x0 + (x1 - x0) * ((until - begin) / (end - begin))
                };
                if extent.beyond(x, side) {
                    side = x;
                }
            }
            side
        };
        Aabb::of_sides(side)
    }
}

/// Finds where one bound is now and at the ends of its next pieces.
fn find_knots(body: u32, extent: Extent, bodies: &impl Bodies, now: Moment, knots: &mut Vec<Knot>) {
    let mut piece = bodies.bound(body, extent, now);
    knots.clear();
    knots.push(Knot { time: now.time(), x: piece.at(now.time()), piece });
    for _ in 0..MOST_PIECES {
        if piece.end > now.time() {
            knots.push(Knot { time: piece.end, x: piece.at_end, piece });
        }
        if piece.end >= bodies.epoch_end(body) {
            break;
        }
        piece = bodies.bound(body, extent, Moment::after(piece.end));
    }
}
