//! Certificates between any two shapes of pieces, against exact root counts.
//!
//! What is promised (see `limits`): boxes called apart are apart, at every time in between; those that are not called apart
//! are nearer than two thresholds. A challenger that is said to be ahead is; one that is not is ahead by two thresholds at most.

use kinetree::kinetic::certificate::{Bound, closing, is_apart, opening, overtaking};
use kinetree::limits;
use kinetree::math::Extent;
use kinetree::motion::{Flightplan, KeyLayout, Motion, Outside, Piece, VertexFlightplan};
use kinetree::time::{Moment, NEVER};

use super::common::dice::Dice;
use super::common::runner::cases;
use super::exact::{Polynomial, exactly};

/// A body of two points that move along x on random curves.
struct Pair {
    motion: Motion,
    turns: Vec<f64>,
    slack: f64,
}

struct Point<'a>(&'a Motion, u32);

impl Bound for Point<'_> {
    fn piece(&self, at: Moment) -> Piece {
        self.0.piece(self.1, 0, at)
    }
}

/// Products of linear factors with small dyadic roots: everything about them is exact in `f64`.
fn factored(dice: &mut Dice, lead: f64) -> [f64; 4] {
    let mut product = [lead, 0.0, 0.0, 0.0];
    let again = f64::from(dice.between(-1, 9)) / 4.0;
    for degree in 0..dice.below(4) {
        let root = if dice.percent(40) { again } else { f64::from(dice.between(-2, 10)) / 4.0 };
        for n in (0..=degree + 1).rev() {
            product[n] = if n > 0 { product[n - 1] } else { 0.0 } - root * product[n];
        }
    }
    product
}

/// Segments of length 2; the second point is the first and a product of factors, so that roots are often double, triple, at
/// ends, or everywhere.
fn random_pair(dice: &mut Dice) -> Pair {
    let origin = dice.pick(&[0.0, 0.0, 0.0, -1.0, 1024.0, 1e9, 1e12]);
    let segments = 1 + dice.below(3);
    let times: Vec<f64> = (0..=segments).map(|k| origin + 2.0 * k as f64).collect();
    let scale = dice.pick(&[1.0, 1.0, 1e-30, 1e-9, 1e6, 1e20]);
    let mut rows: [Vec<[f64; 3]>; 2] = [Vec::new(), Vec::new()];
    let mut ends = [0.0f64; 2];
    for segment in 0..segments {
        let base: [f64; 4] = std::array::from_fn(|_| f64::from(dice.between(-8, 8)) / 4.0);
        let lead = dice.pick(&[0.0, 1.0, -1.0, 0.25, -3.0, 1e-9, -1e-15, 1e-40]);
        let product = factored(dice, lead);
        let wild: [f64; 4] = std::array::from_fn(|_| dice.real(-2.0, 2.0));
        let other = match dice.below(4) {
            0 => wild,
            1 => std::array::from_fn(|n| product[n] + if n == 0 { base[0] } else { 0.0 }),
            _ => std::array::from_fn(|n| base[n] + product[n]),
        };
        for (point, mut c) in [base, other].into_iter().enumerate() {
            if segment > 0 {
                c[0] = ends[point];
            }
            ends[point] = c[0] + 2.0 * (c[1] + 2.0 * (c[2] + 2.0 * c[3]));
            rows[point].extend(c.map(|x| [scale * x, 0.0, 0.0]));
        }
    }
    let outside = Outside::Hold;
    let [first, second] = rows;
    let plan = |coefficients| VertexFlightplan::Polynomials { times: times.clone(), degree: 3, coefficients, outside };
    let mut motion = Motion::new(Flightplan::fixed(vec![[0.0; 3]; 2]), 2, KeyLayout::VertexMajor).expect("a good plan");
    let now = Moment::at(origin);
    motion.set_vertex_plans(&[(0, plan(first)), (1, plan(second))], now).expect("good plans");
    match dice.below(8) {
        0 => {
            let from = Some([scale * f64::from(dice.between(-4, 4)) / 4.0, 0.0, 0.0]);
            let velocity = [(scale * f64::from(dice.between(-2, 2))).clamp(-1e9, 1e9), 0.0, 0.0];
            motion.set_vertex_plans(&[(0, VertexFlightplan::Velocity { from, velocity })], now).expect("a good plan");
        }
        1 => {
            let positions = times.iter().map(|_| [scale as f32 * dice.between(-4, 4) as f32, 0.0, 0.0]).collect();
            let keys = times.iter().enumerate().map(|(k, time)| time + if k > 0 { 0.5 } else { 0.0 }).collect();
            let keyframes = VertexFlightplan::Keyframes { times: keys, positions, outside };
            motion.set_vertex_plans(&[(0, keyframes)], now).expect("a good plan");
        }
        2 => {
            let from = Some([scale * f64::from(dice.between(-4, 4)) / 4.0, 0.0, 0.0]);
            let velocity = [(scale * f64::from(dice.between(-4, 4)) / 2.0).clamp(-1e9, 1e9), 0.0, 0.0];
            let acceleration = [(scale * f64::from(dice.between(-4, 4)) / 2.0).clamp(-1e5, 1e5), 0.0, 0.0];
            let thrown = VertexFlightplan::Ballistic { from, velocity, acceleration };
            motion.set_vertex_plans(&[(0, thrown)], now).expect("a good plan");
        }
        _ => {}
    }
    let slack = if dice.percent(50) { 0.0 } else { scale * f64::from(dice.between(0, 4)) / 4.0 };
    let mut turns = times;
    turns.push(turns[turns.len() - 1] + 3.0);
    Pair { motion, turns, slack }
}

/// A stretch in which both points are on one piece, the exact difference second − first, and the threshold of certificates.
struct Stretch {
    begin: f64,
    end: f64,
    difference: Polynomial,
    threshold: f64,
    /// What a difference may do between two neighbouring times.
    grain: f64,
}

impl Pair {
    fn end(&self) -> f64 {
        self.turns[self.turns.len() - 1]
    }

    fn stretches(&self) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut at = self.turns[0];
        while at < self.end() {
            let [p, q] = [0, 1].map(|point| self.motion.piece(point, 0, Moment::after(at)));
            let end = p.end.min(q.end).min(self.end());
            let speed = p.speed() + q.speed();
            let latest = at.abs().max(end.abs());
            let magnitude = p.magnitude() + q.magnitude();
            let threshold = limits::CURVED_THRESHOLD * magnitude
                + (limits::DRIFT_THRESHOLD * speed * latest).min(magnitude)
                + 2.0 * limits::FLUSH;
            let difference = Polynomial::of_piece(&q).minus(&Polynomial::of_piece(&p));
            let grain = 4.0
                * f64::EPSILON
                * (speed * latest + magnitude * f64::from(u8::from(!p.is_curved() && !q.is_curved())));
            stretches.push(Stretch { begin: at, end, difference, threshold, grain });
            at = end;
        }
        stretches
    }

    /// Is `sign × (second − first) > bound(stretch)` throughout an interval? What begins where it ends is not part of it.
    fn exceeds(&self, sign: i32, bound: impl Fn(&Stretch) -> f64, from: f64, to: f64) -> bool {
        self.stretches().iter().filter(|s| (s.begin < to || s.begin <= to && from == to) && from <= s.end).all(
            |stretch| {
                let difference = if sign > 0 {
                    stretch.difference.clone()
                } else {
                    Polynomial::constant(exactly(0.0)).minus(&stretch.difference)
                };
                let excess = difference.minus(&Polynomial::constant(exactly(bound(stretch))));
                excess.is_positive_on(stretch.begin.max(from), stretch.end.min(to))
            },
        )
    }
}

fn some_times(dice: &mut Dice, pair: &Pair) -> Vec<f64> {
    let (begin, end) = (pair.turns[0], pair.end());
    let mut times: Vec<f64> = (0..6).map(|_| begin + (end - begin) * dice.unit()).collect();
    times.extend((0..8).map(|k| begin + f64::from(k) / 2.0).filter(|&time| time < end));
    let near: Vec<f64> = times.iter().flat_map(|time| [time.next_up(), time.next_down()]).collect();
    times.extend(near.into_iter().filter(|&time| time >= begin && time < end));
    times
}

#[test]
fn what_is_called_apart_is_apart_and_no_touch_is_missed() {
    let (mut closings, mut openings, mut apart, mut touching) = (0, 0, 0, 0);
    for case in 0..u64::from(cases(150)) {
        let mut dice = Dice::new(case, &[10]);
        let pair = random_pair(&mut dice);
        let (lower, upper) = (Point(&pair.motion, 0), Point(&pair.motion, 1));
        let (slack, until) = (pair.slack, pair.end());
        for time in some_times(&mut dice, &pair) {
            let from = if dice.percent(50) { Moment::at(time) } else { Moment::after(time) };
            let is_apart = is_apart(&lower.piece(from), &upper.piece(from), slack, from);
            let near = |s: &Stretch| -slack - 2.0 * s.threshold - s.grain;
            if is_apart {
                apart += 1;
                assert!(pair.exceeds(1, |s| slack - s.grain, time, time), "case {case} at {from:?}: not apart");
                assert_eq!(opening(&lower, &upper, slack, from, until), from, "case {case}");
                let closes = closing(&lower, &upper, slack, from, until);
                assert!(closes > from, "case {case}: apart at {from:?}, but closed");
                let last = if closes.time() == NEVER { until } else { closes.time().next_down().max(time) };
                assert!(pair.exceeds(1, |s| slack - s.grain, time, last), "case {case}: missed before {closes:?}");
                if closes.time() < until {
                    closings += 1;
                    assert!(
                        pair.exceeds(-1, near, closes.time(), closes.time()),
                        "case {case}: too early at {closes:?}"
                    );
                }
            } else {
                touching += 1;
                assert!(pair.exceeds(-1, near, time, time), "case {case} at {from:?}: apart");
                assert_eq!(closing(&lower, &upper, slack, from, until), from, "case {case}");
                let opens = opening(&lower, &upper, slack, from, until);
                assert!(opens > from, "case {case}: touching at {from:?}, but open");
                let last = if opens.time() == NEVER { until } else { opens.time() };
                assert!(pair.exceeds(-1, near, time, last), "case {case}: open before {opens:?}");
                if opens.time() < until {
                    openings += 1;
                    let next = opens.time().next_up();
                    assert!(pair.exceeds(1, |s| slack - s.grain, next, next), "case {case}: not open after {opens:?}");
                }
            }
        }
    }
    println!("{closings} closings, {openings} openings, apart {apart}, touching {touching}");
    assert!(closings > 150 && openings > 150 && apart > 500 && touching > 500);
}

#[test]
fn whoever_overtakes_is_ahead_and_nobody_ahead_is_missed() {
    let (mut overtakings, mut nevers) = (0, 0);
    for case in 0..u64::from(cases(150)) {
        let mut dice = Dice::new(case, &[11]);
        let pair = random_pair(&mut dice);
        let until = pair.end();
        for time in some_times(&mut dice, &pair) {
            let from = if dice.percent(50) { Moment::at(time) } else { Moment::after(time) };
            for (winner, extent) in [(0, Extent::max(0)), (0, Extent::min(0)), (1, Extent::max(0))] {
                // The challenger's lead is this many times second − first.
                let sign = if (winner == 0) == extent.is_max() { 1 } else { -1 };
                // Between linear pieces only the end of a segment is looked at: a winner must be one to begin with.
                let is_linear = |point| !pair.motion.piece(point, 0, Moment::after(time)).is_curved();
                let is_behind = pair.exceeds(sign, |s| s.threshold, time, time);
                if is_behind && is_linear(0) && is_linear(1) {
                    continue;
                }
                let moment = overtaking(&pair.motion, winner, 1 - winner, extent, from, until);
                assert!(moment >= from, "case {case}");
                let last = if moment.time() == NEVER { until } else { moment.time() };
                let behind = |s: &Stretch| -2.0 * s.threshold - s.grain;
                if moment > Moment::after(time) {
                    assert!(
                        pair.exceeds(-sign, behind, time, last),
                        "case {case}: ahead before {moment:?} from {from:?}"
                    );
                }
                if moment.time() == NEVER {
                    nevers += 1;
                    continue;
                }
                overtakings += 1;
                let next = moment.time().next_up();
                assert!(pair.exceeds(sign, |s| -s.grain, next, next), "case {case}: not ahead after {moment:?}");
                // Who has overtaken is not overtaken at once.
                let back = overtaking(&pair.motion, 1 - winner, winner, extent, moment, until);
                assert!(back > Moment::after(moment.time()), "case {case}: back at {back:?}");
                // The search does not depend on where it starts.
                let middle = Moment::at(0.5 * time + 0.5 * moment.time()).max(from).min(moment);
                assert_eq!(overtaking(&pair.motion, winner, 1 - winner, extent, middle, until), moment, "case {case}");
            }
        }
    }
    println!("{overtakings} overtakings, {nevers} never");
    assert!(overtakings > 500 && nevers > 500);
}

/// The one evaluation against the coefficients and tangents that were given.
#[test]
fn positions_are_those_of_the_polynomials() {
    let mut dice = Dice::new(1, &[12]);
    for case in 0..cases(300) {
        let begin = dice.pick(&[0.0, -3.0, 1000.0]);
        let times = vec![begin, begin + dice.real(0.001, 10.0)];
        let c: [f64; 4] = std::array::from_fn(|_| dice.real(-3.0, 3.0));
        let coefficients = c.map(|x| [x, 0.0, 0.0]).to_vec();
        let plan = Flightplan::polynomials(times.clone(), 3, coefficients);
        let motion = Motion::new(plan, 1, KeyLayout::KeyMajor).expect("a good plan");
        let length = times[1] - times[0];
        let size: f64 = (0..4).map(|n| c[n].abs() * length.powi(n as i32)).sum();
        let terms: Vec<Polynomial> = c.iter().map(|&x| Polynomial::constant(exactly(x))).collect();
        let elapsed = Polynomial::of_piece(&Piece::linear(times[0], times[1], 0.0, 1.0));
        let elapsed = elapsed.times(&Polynomial::constant(exactly(times[1]) - exactly(times[0])));
        let exact = terms.iter().rev().fold(Polynomial::constant(exactly(0.0)), |sum, c| sum.times(&elapsed).plus(c));
        for _ in 0..10 {
            let time = times[0] + length * dice.unit();
            let found = exactly(motion.coordinate(0, 0, Moment::at(time)));
            let off = found - exact.at(&exactly(time));
            let allowed = exactly(size * limits::CURVED_THRESHOLD);
            assert!(off.clone() <= allowed && -off <= allowed, "case {case} at {time}");
        }
    }
}
