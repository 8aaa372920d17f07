//! Certificates of curved pieces with small whole numbers, against samples of the difference; their
//! thresholds against the formulas of `limits`.

use super::super::curved::Course;
use super::{Bound, Dice, closing, opening, overtaking};
use crate::kinetic::certificate::{Ranking, is_apart};
use crate::limits;
use crate::math::Extent;
use crate::motion::{Flightplan, KeyLayout, Motion, Outside, Piece, VertexFlightplan};
use crate::time::{Moment, NEVER, Side};

/// Smaller differences are neither above nor below zero to a sample.
const NEAR: f64 = 1e-9;

/// Differences of which samples are taken.
const SAMPLES: usize = 300;

impl Dice {
    /// A whole number from `-most` to `most`.
    fn around_zero(&mut self, most: u64) -> f64 {
        self.below(2 * most + 1) as f64 - most as f64
    }

    /// A piece that is straight, a parabola or a cubic.
    fn piece(&mut self, [begin, end]: [f64; 2]) -> Piece {
        let mut piece = Piece::linear(begin, end, self.around_zero(4), self.around_zero(4));
        let bends = self.below(4).min(2) as usize;
        piece.bend[..bends].fill_with(|| self.around_zero(12));
        piece
    }
}

/// A function of time at times in order, without those at which it is near zero.
fn samples(function: impl Fn(f64) -> f64, begin: f64, end: f64) -> Vec<(f64, bool)> {
    let times = (0..SAMPLES).map(|i| begin + (end - begin) * ((i as f64 + 0.37) / SAMPLES as f64));
    times.map(|time| (time, function(time))).filter(|(_, x)| x.abs() > NEAR).map(|(time, x)| (time, x > 0.0)).collect()
}

#[test]
fn a_course_has_the_sign_of_the_difference_everywhere() {
    let mut dice = Dice(13);
    let (mut begun, mut ended, mut twice) = (0, 0, 0);
    for case in 0..1_500 {
        let mut span = |ends: [f64; 4]| [ends[dice.below(2) as usize], ends[2 + dice.below(2) as usize]];
        let (one, other) = (span([0.0, 1.0, 3.0, 4.0]), span([0.0, 0.5, 3.0, 5.0]));
        let (lower, upper) = (dice.piece(one), dice.piece(other));
        if !lower.is_curved() && !upper.is_curved() {
            continue;
        }
        let is_lead = case % 4 == 0;
        let slack = if is_lead { 0.0 } else { 0.25 * dice.below(8) as f64 };
        let course = if is_lead { Course::of_lead(&lower, &upper) } else { Course::of_gap(&lower, &upper, slack) };
        let (begin, end) = (one[0].max(other[0]), one[1].min(other[1]));
        assert_eq!((course.begin, course.end), (begin, end));
        let difference = |time: f64| upper.at(time) - lower.at(time) - slack;
        let known = samples(difference, begin, end);
        let text = format!("case {case}: {lower:?} {upper:?} slack {slack}");
        for &(time, is_above) in &known {
            for moment in [Moment::at(time), Moment::after(time)] {
                assert_eq!(course.exceeds(moment), is_above, "{text}, at {moment:?}");
            }
        }
        let time = begin + (end - begin) * (dice.below(9) as f64 / 8.0);
        let from = if dice.below(2) == 0 { Moment::at(time) } else { Moment::after(time) };
        for sought in [false, true] {
            let found = course.search(from, sought);
            let text = format!("{text}, {sought} from {from:?}: {found:?}");
            let until = found.map_or(end, Moment::time);
            assert!(known.iter().all(|&(t, is)| t <= time || t >= until || is != sought), "{text}");
            let Some(found) = found else { continue };
            assert!(found >= from && course.exceeds(found) == sought, "{text}");
            if found == from {
                continue;
            }
            let (t, [before, after]) = (found.time(), [found.time().next_down(), found.time().next_up()]);
            assert!(difference(t).abs() < NEAR, "{text}");
            assert!(!course.exceeds(Moment::at(t)), "a zero counts as none: {text}");
            if sought {
                assert!(found.side() == Side::After && course.exceeds(Moment::at(after)), "{text}");
                begun += 1;
            } else {
                assert!(found.side() == Side::At, "{text}");
                assert!([Moment::at(before), Moment::after(before)].iter().all(|&at| course.exceeds(at)), "{text}");
                // An excess that ends at a time is over then, and not just before.
                let is_before = |since: Moment| since < found;
                assert!(!course.first_excess(t).is_some_and(is_before), "{text}");
                assert!(course.first_excess(before).is_some_and(is_before), "{text}");
                ended += 1;
            }
        }
        // The first excess that is not over at a time: the one around it, or the next.
        let time = begin + (end - begin) * (0.01 + 0.07 * dice.below(14) as f64);
        let first = course.first_excess(time);
        let text = format!("{text}, not over at {time}: {first:?}");
        match first {
            Some(since) => {
                let (low, high) = (time.min(since.time()), time.max(since.time()));
                let is_around = since.time() <= time;
                assert!(known.iter().all(|&(t, is)| t <= low || t >= high || is == is_around), "{text}");
                assert!(since == Moment::after(begin) || since.side() == Side::At && course.exceeds(since), "{text}");
                assert!(since.time() == begin || difference(since.time()).abs() < NEAR, "{text}");
            }
            None => assert!(known.iter().all(|&(t, is)| t < time || !is), "{text}"),
        }
        twice += usize::from(known.windows(2).filter(|two| two[0].1 != two[1].1).count() > 1);
    }
    assert!(begun > 100 && ended > 100 && twice > 50, "{begun} {ended} {twice}");
}

#[test]
fn a_gap_that_is_zero_at_the_begin_and_closes_is_never_open() {
    // 1 − s², less what makes exactly 1: the slack and the threshold of a piece of magnitude 2.
    let upper = Piece { bend: [1.0, 0.0], ..Piece::linear(0.0, 1.0, 1.0, 0.0) };
    let lower = Piece::constant(0.0, 1.0, 0.0);
    let slack = 1.0 - 2.0 * limits::CURVED_THRESHOLD;
    for at in [Moment::at(0.0), Moment::after(0.0), Moment::at(0.5)] {
        assert!(!is_apart(&lower, &upper, slack, at));
        let course = Course::of_gap(&lower, &upper, slack);
        assert_eq!((course.search(at, true), course.search(at, false)), (None, Some(at)));
    }
}

#[test]
fn a_gap_that_only_comes_up_to_zero_is_never_open() {
    let lower = Piece::constant(0.0, 1.0, 0.0);
    // 1 − (1 − s)², highest at the end, and 4 s (1 − s), highest in the middle: 1 at most. Slack
    // and threshold are 1 together.
    for (upper, magnitude) in [
        (Piece { bend: [1.0, 0.0], ..Piece::linear(0.0, 1.0, 0.0, 1.0) }, 2.0),
        (Piece { bend: [4.0, 0.0], ..Piece::constant(0.0, 1.0, 0.0) }, 4.0),
    ] {
        let slack = 1.0 - magnitude * limits::CURVED_THRESHOLD;
        assert_eq!(Course::of_gap(&lower, &upper, slack).search(Moment::at(0.0), true), None);
        let opens = Course::of_gap(&lower, &upper, slack.next_down()).search(Moment::at(0.0), true);
        assert!(opens.is_some_and(|at| at.side() == Side::After), "{upper:?}: {opens:?}");
    }
}

#[test]
fn thresholds_grow_with_the_size_the_speed_and_the_time_of_pieces() {
    let winner_threshold = |piece: &Piece, latest: f64| {
        let sizes = piece.at_begin.abs() + piece.at_end.abs() + piece.bend[0].abs() + piece.bend[1].abs();
        let way = (piece.at_end - piece.at_begin).abs() + piece.bend[0].abs() + piece.bend[1].abs();
        let drift = limits::DRIFT_THRESHOLD * (way / (piece.end - piece.begin)) * latest;
        limits::CURVED_THRESHOLD * sizes + drift.min(sizes)
    };
    let (late, very_late) = (2.0f64.powi(20), 2.0f64.powi(39));
    let mut sides = [0; 4];
    for size in [-30, 0, 30].map(|power| 2.0f64.powi(power)) {
        for [begin, end] in [[0.0, 1.0], [late, late + 1.0], [-late, 1.0 - late], [very_late, very_late + 0.0005]] {
            let latest = begin.abs().max(end.abs());
            let piece =
                |by: f64| Piece { bend: [size, 0.0], ..Piece::linear(begin, end, 0.5 * size + by, by - 0.5 * size) };
            let still = piece(0.0);
            for factor in [0.25, 0.5, 0.8, 1.25, 2.0, 4.0] {
                let lead = 2.0 * factor * winner_threshold(&still, latest);
                let ahead = piece(lead);
                let threshold = winner_threshold(&still, latest) + winner_threshold(&ahead, latest);
                if (lead / threshold - 1.0).abs() > 0.15 {
                    let fails = Course::of_lead(&still, &ahead).first_excess(begin).is_some();
                    assert_eq!(fails, lead > threshold, "{begin} s, {size} m: {lead:e}, threshold {threshold:e}");
                    sides[usize::from(fails)] += 1;
                }
                // Of a gap, the threshold does not grow with time.
                for slack in [0.0, size] {
                    let gap = slack + factor * 2.0 * limits::CURVED_THRESHOLD * 2.0 * size;
                    let upper = piece(gap);
                    let threshold = limits::CURVED_THRESHOLD * (still.magnitude() + upper.magnitude());
                    if ((gap - slack) / threshold - 1.0).abs() > 0.15 {
                        let is_open = is_apart(&still, &upper, slack, Moment::at(begin));
                        assert_eq!(is_open, gap - slack > threshold, "{begin} s, {size} m: {gap:e} {slack}");
                        sides[2 + usize::from(is_open)] += 1;
                    }
                }
            }
        }
    }
    assert!(sides.iter().all(|&count| count > 20), "{sides:?}");
    // A straight piece adds less: 2⁻⁵¹ of its magnitude.
    let lower = Piece { bend: [2.0f64.powi(-20), 0.0], ..Piece::constant(0.0, 1.0, 0.0) };
    let upper = Piece::constant(0.0, 1.0, 1.0);
    for (power, is_open) in [(-52, false), (-51, false), (-49, true), (-48, true)] {
        assert_eq!(is_apart(&lower, &upper, 1.0 - 2.0f64.powi(power), Moment::at(0.0)), is_open, "2^{power}");
    }
}

/// A bound of pieces one after the other, constant before and after them.
struct Path(Vec<Piece>);

impl Path {
    fn new(dice: &mut Dice, ends: &[f64]) -> Self {
        let mut pieces: Vec<Piece> = ends.windows(2).map(|two| dice.piece([two[0], two[1]])).collect();
        for place in 1..pieces.len() {
            pieces[place].at_begin = pieces[place - 1].at_end;
        }
        Self(pieces)
    }

    fn at(&self, time: f64) -> f64 {
        self.piece(Moment::at(time)).at(time)
    }
}

impl Bound for Path {
    fn piece(&self, at: Moment) -> Piece {
        let (first, last) = (self.0[0], self.0[self.0.len() - 1]);
        if at <= Moment::at(first.begin) {
            return Piece::constant(f64::NEG_INFINITY, first.begin, first.at_begin);
        }
        let around = self.0.iter().find(|piece| at <= Moment::at(piece.end));
        around.copied().unwrap_or(Piece::constant(last.end, NEVER, last.at_end))
    }
}

#[test]
fn gaps_between_straight_and_curved_bounds_close_and_open_where_they_are_zero() {
    let mut dice = Dice(17);
    let (mut found_later, mut never) = (0, 0);
    for case in 0..1_500 {
        let (lower, upper) = (Path::new(&mut dice, &[0.0, 1.0, 2.0, 4.0]), Path::new(&mut dice, &[0.0, 0.5, 2.5, 4.0]));
        let slack = 0.25 + 0.25 * dice.below(8) as f64;
        let difference = |time: f64| upper.at(time) - lower.at(time) - slack;
        let known = samples(difference, -0.5, 4.5);
        for &(time, is_above) in &known {
            let at = Moment::at(time);
            let (below, above) = (lower.piece(at), upper.piece(at));
            assert_eq!(is_apart(&below, &above, slack, at), is_above, "case {case}, {time}");
        }
        let time = 0.25 * dice.below(19) as f64 - 0.25;
        let from = if dice.below(2) == 0 { Moment::at(time) } else { Moment::after(time) };
        let until = 0.5 * dice.below(11) as f64;
        let moments = [closing(&lower, &upper, slack, from, until), opening(&lower, &upper, slack, from, until)];
        for (sought, found) in [false, true].into_iter().zip(moments) {
            let text = format!("case {case}: {sought} from {from:?} until {until}: {found:?}");
            let passed = found.time().min(until);
            assert!(known.iter().all(|&(t, is)| t <= time || t >= passed || is != sought), "{text}");
            if found.time() == NEVER {
                never += 1;
            } else if found != from {
                let side = if sought { Side::After } else { Side::At };
                // A jump of the slope at a joint is searched from just after it.
                let is_joint = [0.0, 0.5, 1.0, 2.0, 2.5, 4.0].contains(&found.time());
                assert!(difference(found.time()).abs() < NEAR && found > from, "{text}");
                assert!(found.side() == side || is_joint, "{text}");
                found_later += 1;
            } else if difference(time).abs() > NEAR {
                assert_eq!(difference(time) > 0.0, sought, "{text}");
            }
        }
    }
    assert!(found_later > 500 && never > 200, "{found_later} {never}");
}

#[test]
fn a_winner_on_a_curve_is_overtaken_where_it_falls_behind() {
    let mut dice = Dice(19);
    let (mut overtaken, mut never, mut at_once) = (0, 0, 0);
    for case in 0..600 {
        let mut numbers =
            |count: usize| -> Vec<[f32; 3]> { (0..count).map(|_| [0.0, dice.around_zero(3) as f32, 0.0]).collect() };
        let (positions, arrivals, departures) = (numbers(8), numbers(8), numbers(8));
        let plan = Flightplan::hermite(vec![0.0, 1.0, 2.0, 4.0], positions, arrivals, departures);
        let motion = Motion::new(plan, 2, KeyLayout::VertexMajor).expect("a plan");
        let time = 0.25 * dice.below(18) as f64 - 0.25;
        let from = if dice.below(2) == 0 { Moment::at(time) } else { Moment::after(time) };
        let until = time + 0.25 + 0.5 * dice.below(9) as f64;
        for (extent, sign) in [(Extent::max(1), 1.0), (Extent::min(1), -1.0)] {
            let place = |vertex: u32, time: f64| motion.coordinate(vertex, 1, Moment::at(time));
            let lead = |time: f64| sign * (place(1, time) - place(0, time));
            let is_curved = |vertex: u32| motion.piece(vertex, 1, Moment::after(time)).is_curved();
            if lead(time) > -NEAR && !is_curved(0) && !is_curved(1) {
                // The end of their segment decides, not what is now.
                continue;
            }
            let found = overtaking(&motion, 0, 1, extent, from, until);
            let text = format!("case {case}: {extent:?} from {from:?} until {until}: {found:?}");
            let known = samples(lead, time, until);
            assert!(known.iter().all(|&(t, is_ahead)| t >= found.time() || !is_ahead), "{text}");
            if found.time() == NEVER {
                never += 1;
            } else if found.time() > time {
                assert!(found.time() < until && lead(found.time()).abs() < NEAR, "{text}");
                assert!(lead(found.time() + 1e-3) > 0.0 || lead(found.time() + 1e-6) > 0.0, "{text}");
                overtaken += 1;
            } else {
                assert!(found >= from && (lead(time) > -NEAR || lead(time + 1e-9) > 0.0), "{text}");
                at_once += 1;
            }
        }
    }
    assert!(overtaken > 200 && never > 200 && at_once > 100, "{overtaken} {never} {at_once}");
}

/// The challenger leads from 0 s on, and by the threshold from 2 s on. A third vertex moves on
/// curves.
#[test]
fn a_challenger_that_is_put_off_is_searched_again_where_the_piece_of_a_third_vertex_ends() {
    // Metres per second; the coordinates of both pieces have magnitude 2.
    let lead = 0.5 * (4.0 * limits::CURVED_THRESHOLD);
    let ways = [[0.0, 1.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0], [0.0, lead, 0.0], [0.0; 3], [0.0; 3]].to_vec();
    let plan = Flightplan::polynomials(vec![0.0, 4.0], 1, ways);
    let (extent, now, never) = (Extent::max(1), Moment::at(0.0), Moment::at(NEVER));
    let found = |times: Vec<f64>, until: f64| {
        let mut motion = Motion::new(plan.clone(), 3, KeyLayout::VertexMajor).expect("a plan");
        // Below 0 m, and at 0 m at both ends of each piece.
        let curve = |ends: &[f64]| [[0.0; 3], [0.0, 0.25 * (ends[0] - ends[1]), 0.0], [0.0, 0.25, 0.0]];
        let coefficients = times.windows(2).flat_map(curve).collect();
        let third = VertexFlightplan::Polynomials { times, degree: 2, coefficients, outside: Outside::Hold };
        motion.set_vertex_plans(&[(2, third)], now).expect("a plan");
        assert!(overtaking(&motion, 0, 1, extent, now, NEVER) <= now);
        let ranking = Ranking::new(&motion, extent, now).expect("a plan of its own");
        ranking.with(0..3).overtaking(0, 1, until)
    };
    let beyond = found(vec![0.0, 4.0], NEVER).time();
    assert!((beyond - 2.0).abs() < 0.01, "{beyond}");
    assert_eq!(found(vec![0.0, 4.0], 1.5), never);
    assert_eq!(found(vec![0.0, 1.0, 4.0], NEVER), Moment::at(1.0));
    assert_eq!(found(vec![0.0, 3.0, 4.0], NEVER).time(), beyond);
}

/// Without the smallest offset, two pieces at zero would lead each other, and be apart.
#[test]
fn pieces_at_zero_neither_lead_nor_are_apart() {
    let zero = Piece::constant(0.0, 1.0, 0.0);
    assert_eq!(Course::of_lead(&zero, &zero).first_excess(0.0), None);
    for at in [Moment::at(0.0), Moment::after(0.0), Moment::at(0.5)] {
        assert!(!Course::of_gap(&zero, &zero, 0.0).exceeds(at));
    }
}
