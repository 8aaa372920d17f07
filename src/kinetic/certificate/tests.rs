//! Certificates of bounds on a grid of small integers, where gaps are zero exactly at keys, against
//! the definition: the first moment at which the gap has the sought sign.

use super::{Bound, closing, first_opening, opening, overtaking};
use crate::math::{Extent, GapDirection};
use crate::motion::{BoxTracks, Flightplan, KeyLayout, KeyTrack, Motion, Piece};
use crate::time::{Moment, NEVER, Side};

mod curves;
mod rows;

/// Whole numbers below a limit.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn row(&mut self, keys: usize) -> Vec<f32> {
        (0..keys).map(|_| self.below(5) as f32).collect()
    }

    /// A moment at a key, or between two.
    fn moment(&mut self, keys: usize) -> Moment {
        let time = self.below(2 * keys as u64 + 2) as f64 * 0.5 - 1.0;
        if self.below(2) == 0 { Moment::at(time) } else { Moment::after(time) }
    }
}

/// A bound by keys, linear in between and constant outside.
struct Track<'a> {
    times: &'a [f64],
    row: &'a [f32],
    is_row: bool,
}

impl Bound for Track<'_> {
    fn piece(&self, at: Moment) -> Piece {
        let value = |key: usize| f64::from(self.row[key]);
        let (times, last) = (self.times, self.times.len() - 1);
        match times.iter().position(|&time| Moment::at(time) >= at) {
            Some(0) => Piece::constant(f64::NEG_INFINITY, times[0], value(0)),
            Some(key) => Piece::linear(times[key - 1], times[key], value(key - 1), value(key)),
            None => Piece::constant(times[last], NEVER, value(last)),
        }
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        self.is_row.then_some(KeyTrack::Keys { times: self.times, row: self.row })
    }
}

/// A bound that rests.
struct Rest(f64);

impl Bound for Rest {
    fn piece(&self, _: Moment) -> Piece {
        Piece::constant(f64::NEG_INFINITY, NEVER, self.0)
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        Some(KeyTrack::Constant(self.0))
    }
}

/// Values at whole times from 0 on.
fn value(values: &[f64], time: f64) -> f64 {
    let last = values.len() - 1;
    let time = time.clamp(0.0, last as f64);
    let key = (time.floor() as usize).min(last.saturating_sub(1));
    let next = (key + 1).min(last);
    values[key] + (values[next] - values[key]) * (time - key as f64)
}

/// Whether the values are above zero at a moment; just after a time, what follows decides a zero.
fn is_above(values: &[f64], at: Moment) -> bool {
    let here = value(values, at.time());
    let follows = value(values, at.time() + 1e-3);
    here > 0.0 || (here == 0.0 && at.side() == Side::After && follows > 0.0)
}

/// The first moment, not before `from`, at which the values are above zero, or are not.
fn first(values: &[f64], from: Moment, above: bool) -> Option<Moment> {
    if is_above(values, from) == above {
        return Some(from);
    }
    // The sign changes at keys, or where a segment crosses zero.
    let mut times: Vec<f64> = (0..values.len()).map(|key| key as f64).collect();
    for (key, pair) in values.windows(2).enumerate() {
        if pair[0] * pair[1] < 0.0 {
            times.push(key as f64 + pair[0] / (pair[0] - pair[1]));
        }
    }
    times.sort_by(f64::total_cmp);
    let moments = times.into_iter().filter(|&time| time >= from.time()).map(|time| {
        let key = time == time.floor();
        // At a crossing the value is zero, up to rounding.
        let (at, after) = (Moment::at(time), Moment::after(time));
        if key {
            (is_above(values, at), is_above(values, after), at, after)
        } else {
            (false, value(values, time + 1e-3) > 0.0, at, after)
        }
    });
    moments
        .flat_map(|(at_above, after_above, at, after)| [(at_above, at), (after_above, after)])
        .find(|&(is_above, moment)| is_above == above && moment >= from)
        .map(|(_, moment)| moment)
}

#[track_caller]
fn assert_same(found: Moment, expected: Option<Moment>, until: f64, case: &str) {
    match expected.filter(|moment| moment.time() < until) {
        // What is found beyond the end does not matter.
        None => assert!(found.time() >= until, "{case}: {found:?}, expected {expected:?}"),
        Some(moment) => {
            let is_near = (found.time() - moment.time()).abs() < 1e-12;
            let is_key = moment.time() == moment.time().floor();
            assert!(is_near && found.side() == moment.side(), "{case}: {found:?}, expected {moment:?}");
            assert!(!is_key || found == moment, "{case}: {found:?}, expected {moment:?}");
        }
    }
}

#[test]
fn gaps_close_and_open_at_keys_and_between_them() {
    let mut dice = Dice(3);
    let (mut ties, mut found) = (0, 0);
    for case in 0..4_000 {
        let keys = 1 + dice.below(if case % 4 == 0 { 40 } else { 6 }) as usize;
        let times: Vec<f64> = (0..keys).map(|key| key as f64).collect();
        let same: Vec<f64> = times.clone();
        let (below, above) = (dice.row(keys), dice.row(keys));
        let rest = dice.below(5) as f64;
        let slack = [1.0, 2.0, 0.5][dice.below(3) as usize];
        let (from, until) = (dice.moment(keys), dice.below(2 * keys as u64 + 2) as f64 * 0.5);
        let rows = |is_row: bool| [&below, &above].map(|row| Track { times: &times, row, is_row });
        // Equal times that are no shared slice are searched piece by piece.
        let apart = Track { times: &same, row: &above, is_row: true };
        let [[lower, upper], [slow_lower, slow_upper]] = [rows(true), rows(false)];
        let gaps = |lower: &dyn Fn(usize) -> f64, upper: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..keys).map(|key| upper(key) - lower(key) - slack).collect()
        };
        let (low, high) = (|key: usize| f64::from(below[key]), |key: usize| f64::from(above[key]));
        let both = gaps(&low, &high);
        ties += usize::from(both.contains(&0.0));
        let text = format!("case {case}: {both:?} from {from:?} until {until}");
        let check = |result: [Moment; 2], gaps: &[f64]| {
            assert_same(result[0], first(gaps, from, false), until, &format!("closing, {text}"));
            assert_same(result[1], first(gaps, from, true), until, &format!("opening, {text}"));
        };
        check([closing(&lower, &upper, slack, from, until), opening(&lower, &upper, slack, from, until)], &both);
        let slow = [
            closing(&slow_lower, &slow_upper, slack, from, until),
            opening(&slow_lower, &slow_upper, slack, from, until),
        ];
        check(slow, &both);
        check([closing(&lower, &apart, slack, from, until), opening(&lower, &apart, slack, from, until)], &both);
        let still = Rest(rest);
        let (under, over) = (gaps(&low, &|_| rest), gaps(&|_| rest, &high));
        check([closing(&lower, &still, slack, from, until), opening(&lower, &still, slack, from, until)], &under);
        check([closing(&still, &upper, slack, from, until), opening(&still, &upper, slack, from, until)], &over);
        // A bound with keys at every other time.
        let even: Vec<f64> = (0..keys).map(|key| 2.0 * key as f64).collect();
        let slow = Track { times: &even, row: &above, is_row: case % 2 == 0 };
        let coarse: Vec<f64> = above.iter().map(|&x| f64::from(x)).collect();
        let mixed: Vec<f64> = (0..2 * keys - 1)
            .map(|time| value(&coarse, time as f64 * 0.5) - f64::from(below[time.min(keys - 1)]) - slack)
            .collect();
        check([closing(&lower, &slow, slack, from, until), opening(&lower, &slow, slack, from, until)], &mixed);
        found += usize::from(first(&both, from, true).is_some_and(|moment| moment > from));
    }
    assert!(ties > 1_000 && found > 500, "{ties} {found}");
}

#[test]
fn boxes_part_along_the_first_direction_of_all() {
    let mut dice = Dice(5);
    let mut parted = 0;
    for case in 0..3_000 {
        let keys = 1 + dice.below(if case % 3 == 0 { 30 } else { 5 }) as usize;
        let times: Vec<f64> = (0..keys).map(|key| key as f64).collect();
        let (a, b): ([Vec<f32>; 6], [Vec<f32>; 6]) =
            (std::array::from_fn(|_| dice.row(keys)), std::array::from_fn(|_| dice.row(keys)));
        let still: [f64; 6] = std::array::from_fn(|_| dice.below(5) as f64);
        // Wide slack: most pairs overlap at most keys.
        let slack = [2.0, 3.0, 2.5][dice.below(3) as usize];
        let (from, until) = (dice.moment(keys), dice.below(2 * keys as u64 + 2) as f64 * 0.5);
        let rows_a = BoxTracks::Keys { times: &times, rows: std::array::from_fn(|place| &a[place][..]) };
        let rows_b = BoxTracks::Keys { times: &times, rows: std::array::from_fn(|place| &b[place][..]) };
        let resting = BoxTracks::Constant(still);
        for kind in 0..3 {
            let (first_box, second_box) = [(rows_a, rows_b), (rows_a, resting), (resting, rows_b)][kind];
            let side = |rows: &[Vec<f32>; 6], rests: bool, extent: Extent, key: usize| {
                if rests { still[extent.index()] } else { f64::from(rows[extent.index()][key]) }
            };
            let gaps = |direction: GapDirection| -> Vec<f64> {
                let x = |key| side(&a, kind == 2, direction.extent_of_a(), key);
                let y = |key| side(&b, kind == 1, direction.extent_of_b(), key);
                let sign = if direction.a_is_below() { 1.0 } else { -1.0 };
                (0..keys).map(|key| sign * (y(key) - x(key)) - slack).collect()
            };
            // The query is for boxes that overlap.
            if GapDirection::ALL.into_iter().any(|direction| is_above(&gaps(direction), from)) {
                continue;
            }
            let all = GapDirection::ALL.map(|direction| first(&gaps(direction), from, true));
            let earliest = all.iter().flatten().min().copied();
            let (moment, direction) = first_opening(&first_box, &second_box, slack, from, until).expect("rows");
            let text = format!("case {case}, {kind}: from {from:?} until {until}");
            assert_same(moment, earliest, until, &text);
            if let Some(earliest) = earliest.filter(|moment| moment.time() < until) {
                let near = |found: &Option<Moment>| found.is_some_and(|f| (f.time() - earliest.time()).abs() < 1e-12);
                let place = GapDirection::ALL.iter().position(|&known| known == direction).expect("a direction");
                assert!(near(&all[place]), "{text}: {direction:?}");
                // Of equals, exact ones at keys, the first.
                if earliest.time() == earliest.time().floor() {
                    assert_eq!(all.iter().position(near), Some(place), "{text}");
                }
                parted += 1;
            }
        }
    }
    assert!(parted > 500, "{parted}");
}

#[test]
fn a_winner_is_overtaken_where_it_falls_behind_and_not_where_it_ties() {
    let mut dice = Dice(9);
    let (mut overtaken, mut ends) = (0, 0);
    for case in 0..3_000 {
        let keys = 2 + dice.below(if case % 3 == 0 { 30 } else { 4 }) as usize;
        let (winner, other) = (dice.row(keys), dice.row(keys));
        let times: Vec<f64> = (0..keys).map(|key| key as f64).collect();
        let positions = (0..keys).flat_map(|key| [[0.0, winner[key], 0.0], [0.0, other[key], 0.0]]).collect();
        let motion = Motion::new(Flightplan::keyframes(times, positions), 2, KeyLayout::VertexMajor).expect("a plan");
        let from = dice.moment(keys);
        let until = dice.below(2 * keys as u64 + 2) as f64 * 0.5;
        for (extent, sign) in [(Extent::max(1), 1.0), (Extent::min(1), -1.0)] {
            let leads: Vec<f64> = (0..keys).map(|key| sign * f64::from(other[key] - winner[key])).collect();
            // The winner is ahead, or beside, at the moment from which it is searched.
            if value(&leads, from.time()) > 0.0 {
                continue;
            }
            // A winner that is overtaken fails *at* the time after which the other one leads.
            let fails =
                first(&leads, Moment::after(from.time()), true).map(|moment| Moment::at(moment.time()).max(from));
            let found = overtaking(&motion, 0, 1, extent, from, until);
            let text = format!("case {case}: {leads:?} from {from:?} until {until}");
            ends += usize::from(fails.is_some_and(|moment| moment.time() == until));
            match fails.filter(|moment| moment.time() < until) {
                None => assert_eq!(found, Moment::at(NEVER), "{text}"),
                Some(moment) => {
                    assert_same(found, Some(moment), f64::INFINITY, &text);
                    overtaken += 1;
                }
            }
            assert_eq!(overtaking(&motion, 0, 0, extent, from, until), Moment::at(NEVER));
        }
    }
    assert!(overtaken > 500 && ends > 50, "{overtaken} {ends}");
}

/// When a winner at whole times from 0 on fails, by the rule: the challenger leads at the end of a
/// segment that is not over. It overtakes where the lead is zero, or, if it leads where the segment
/// begins, just after that.
fn failure_by_rule(leads: &[f64], from: Moment) -> Option<Moment> {
    let (since, last) = (from.time(), leads.len() - 1);
    if since < 0.0 && leads[0] > 0.0 {
        return Some(from);
    }
    let fails = (1..=last).find(|&key| key as f64 > since && leads[key] > 0.0).map(|key| {
        let (begin, before, then) = (key as f64 - 1.0, leads[key - 1], leads[key]);
        if before > 0.0 { Moment::after(begin) } else { Moment::at(begin + before / (before - then)) }
    });
    let is_behind_at_rest = since >= last as f64 && leads[last] > 0.0;
    fails.or(is_behind_at_rest.then(|| Moment::after(last as f64))).map(|moment| moment.max(from))
}

#[test]
fn a_winner_that_is_behind_already_fails_by_the_end_of_its_segment() {
    let mut dice = Dice(11);
    let (mut at_once, mut by_the_end, mut at_rest) = (0, 0, 0);
    for case in 0..3_000 {
        let keys = 2 + dice.below(if case % 3 == 0 { 30 } else { 4 }) as usize;
        let (winner, other) = (dice.row(keys), dice.row(keys));
        let times: Vec<f64> = (0..keys).map(|key| key as f64).collect();
        let positions: Vec<[f32; 3]> =
            (0..keys).flat_map(|key| [[0.0, winner[key], 0.0], [0.0, other[key], 0.0]]).collect();
        let from = dice.moment(keys);
        let until = if dice.below(2) == 0 { NEVER } else { dice.below(2 * keys as u64 + 2) as f64 * 0.5 };
        // Rows of keys are searched at once, others piece by piece.
        for layout in [KeyLayout::VertexMajor, KeyLayout::KeyMajor] {
            let plan = Flightplan::keyframes(times.clone(), positions.clone());
            let motion = Motion::new(plan, 2, layout).expect("a plan");
            for (extent, sign) in [(Extent::max(1), 1.0), (Extent::min(1), -1.0)] {
                let leads: Vec<f64> = (0..keys).map(|key| sign * f64::from(other[key] - winner[key])).collect();
                let fails = failure_by_rule(&leads, from).filter(|fails| from.time() < until && fails.time() < until);
                let found = overtaking(&motion, 0, 1, extent, from, until);
                let text = format!("case {case}, {layout:?}: {leads:?} from {from:?} until {until}");
                match fails {
                    None => assert_eq!(found, Moment::at(NEVER), "{text}"),
                    Some(_) => assert_same(found, fails, f64::INFINITY, &text),
                }
                let is_behind = value(&leads, from.time()) > 0.0;
                at_once += usize::from(is_behind && fails == Some(from));
                by_the_end += usize::from(is_behind && fails.is_none_or(|fails| fails.time() > from.time()));
                at_rest += usize::from(fails.is_some_and(|fails| fails.time() >= keys as f64 - 1.0));
            }
        }
    }
    assert!(at_once > 500 && by_the_end > 500 && at_rest > 100, "{at_once} {by_the_end} {at_rest}");
}

#[test]
fn boxes_that_are_apart_already_part_at_once() {
    let mut dice = Dice(21);
    let mut after_the_last = 0;
    for case in 0..1_000 {
        let keys = 1 + dice.below(if case % 3 == 0 { 30 } else { 5 }) as usize;
        let times: Vec<f64> = (0..keys).map(|key| key as f64).collect();
        let (a, b): ([Vec<f32>; 6], [Vec<f32>; 6]) =
            (std::array::from_fn(|_| dice.row(keys)), std::array::from_fn(|_| dice.row(keys)));
        let (slack, from) = ([2.0, 3.0, 2.5][dice.below(3) as usize], dice.moment(keys));
        let gaps = |direction: GapDirection| -> Vec<f64> {
            let (x, y) = (&a[direction.extent_of_a().index()], &b[direction.extent_of_b().index()]);
            let sign = if direction.a_is_below() { 1.0 } else { -1.0 };
            x.iter().zip(y).map(|(&x, &y)| sign * (f64::from(y) - f64::from(x)) - slack).collect()
        };
        if !GapDirection::ALL.into_iter().any(|direction| is_above(&gaps(direction), from)) {
            continue;
        }
        let rows_a = BoxTracks::Keys { times: &times, rows: std::array::from_fn(|place| &a[place][..]) };
        let rows_b = BoxTracks::Keys { times: &times, rows: std::array::from_fn(|place| &b[place][..]) };
        let (moment, direction) = first_opening(&rows_a, &rows_b, slack, from, NEVER).expect("rows");
        assert!(
            moment == from && is_above(&gaps(direction), from),
            "case {case}: {direction:?} {moment:?}, not {from:?}"
        );
        after_the_last += usize::from(from > Moment::at(keys as f64 - 1.0));
    }
    assert!(after_the_last > 50, "{after_the_last}");
}

#[test]
fn only_tracks_on_common_keys_are_read_side_by_side() {
    let (times, other_times, row) = ([0.0, 1.0], [0.0, 2.0], [0.0f32; 2]);
    let keys = BoxTracks::Keys { times: &times, rows: [&row; 6] };
    let other_keys = BoxTracks::Keys { times: &other_times, rows: [&row; 6] };
    let still = BoxTracks::Constant([0.0; 6]);
    let is_read = |a, b| first_opening(&a, &b, 1.0, Moment::at(0.0), NEVER).is_some();
    assert!(is_read(keys, keys) && is_read(keys, still) && is_read(still, keys));
    assert!(!is_read(keys, other_keys) && !is_read(still, still));
}
