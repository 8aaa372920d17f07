//! Pins of what the public functions of `narrow` and of `interval` return, counters included, for
//! many random inputs of many families: ties, degenerate shapes, numbers of all sizes.
//!
//! That the results are right is tested elsewhere, against oracles. If a change of them is wanted,
//! `KINETREE_UPDATE_WORK=1 cargo test --test narrow_work` writes the tables beside this file again;
//! a row stands for a family of inputs and a block of cases.

mod balls;
mod batches;
mod bodies;
#[path = "../common/checksum.rs"]
mod checksum;
#[path = "../common/dice.rs"]
#[allow(dead_code, unreachable_pub, reason = "grains are for other tests")]
mod dice;
mod grazing;
mod inputs;
mod intervals;
mod not_finite;
mod record;
mod table;
#[path = "../common/tables.rs"]
#[allow(unreachable_pub, reason = "shared with other tests")]
mod tables;

use dice::Dice;
use inputs::{ALL, IN_RANGE, cut, nudged, parameters, time_in, two};
use kinetree::narrow::ccd::{edge_edge_first_contact, vertex_face_first_contact};
use kinetree::narrow::intervals::touch_at;
use kinetree::narrow::{
    ContactInterval, IntervalStats, MovingTriangle, contact_intervals, first_nearness, neighbour_intervals,
    neighbours_touch, neighbours_touch_at_time, proximity_intervals, ray_hits_triangle, touch_at_time, triangles_touch,
    triangles_within, within_at_time,
};
use record::{Record, STAGES};
use table::{Block, pin};

/// Contact intervals of two triangles, and all that tells of them.
fn contacts_of(record: &mut Record, a: &MovingTriangle, b: &MovingTriangle) -> Vec<ContactInterval> {
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    contact_intervals(a, b, &mut found, &mut stats);
    record.stats(&stats);
    for interval in &found {
        record.interval(interval);
        record.touch(&interval.first_touch(a, b));
    }
    found
}

#[test]
fn contacts_of_moving_triangles() {
    let block = Block { families: ALL, blocks: 16, cases: 40 };
    pin("contacts_of_moving_triangles", &STAGES, &block, |dice, source, record| {
        let (a, b) = source.pair(dice);
        let found = contacts_of(record, &a, &b);
        for s in parameters(dice, &found).into_iter().take(2) {
            let covered = found.iter().filter(|interval| interval.may_contain(s)).count();
            record.word(covered as u64);
        }
        // Windows that begin or end where contact does.
        if let Some(first) = found.first().filter(|interval| !interval.undecided) {
            let s = dice.pick(&[first.begin.lo, first.begin.hi, first.end.lo, first.end.hi]);
            contacts_of(record, &cut(&a, s, 1.0), &cut(&b, s, 1.0));
            contacts_of(record, &cut(&a, 0.0, s), &cut(&b, 0.0, s));
        }
    });
}

#[test]
fn contacts_at_a_time() {
    let block = Block { families: ALL, blocks: 16, cases: 20 };
    pin("contacts_at_a_time", &["at s", "at a time"], &block, |dice, source, record| {
        let (a, b) = source.pair(dice);
        let mut found = Vec::new();
        contact_intervals(&a, &b, &mut found, &mut IntervalStats::default());
        for s in parameters(dice, &found) {
            record.truth(touch_at(&a, &b, s), 0);
            let window = dice.pick(&inputs::WINDOWS);
            let time = time_in(dice, window, s);
            record.truth(touch_at_time(&a, &b, window, time), 1);
        }
        record.truth(touch_at(&a, &b, dice.pick(&[-1.0, 2.0, -0.0, f64::INFINITY, f64::NEG_INFINITY])), 0);
        record.truth(touch_at_time(&a, &b, (0.0, 3.0), dice.pick(&[-1.0, 0.0, 1.0, 2.0, 3.0, 4.0])), 1);
    });
}

#[test]
fn triangles_at_rest() {
    let block = Block { families: IN_RANGE, blocks: 16, cases: 60 };
    pin("triangles_at_rest", &["touching", "within"], &block, |dice, source, record| {
        let a = source.triangle(dice, None);
        let b = source.triangle(dice, Some(&a));
        record.truth(triangles_touch(&a, &b), 0);
        record.truth(triangles_touch(&b, &a), 0);
        let distance = source.distance(dice);
        record.truth(triangles_within(&a, &b, distance), 1);
        record.truth(triangles_within(&b, &a, nudged(dice, distance)), 1);
    });
}

/// Proximity intervals of two triangles, and all that tells of them.
fn nearness_of(record: &mut Record, a: &MovingTriangle, b: &MovingTriangle, distance: f64) -> Vec<ContactInterval> {
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    proximity_intervals(a, b, distance, &mut found, &mut stats);
    record.stats(&stats);
    for interval in &found {
        record.interval(interval);
        record.touch(&first_nearness(interval, a, b));
    }
    found
}

#[test]
fn nearness_of_moving_triangles() {
    let block = Block { families: ALL, blocks: 12, cases: 18 };
    pin("nearness_of_moving_triangles", &STAGES, &block, |dice, source, record| {
        let (a, b) = source.pair(dice);
        let distance = source.distance(dice);
        let found = nearness_of(record, &a, &b, distance);
        if let Some(first) = found.first().filter(|interval| !interval.undecided) {
            let s = dice.pick(&[first.begin.lo, first.begin.hi, first.end.lo, first.end.hi]);
            nearness_of(record, &cut(&a, s, 1.0), &cut(&b, s, 1.0), distance);
        }
    });
}

#[test]
fn nearness_at_a_time() {
    let block = Block { families: ALL, blocks: 12, cases: 12 };
    pin("nearness_at_a_time", &["within"], &block, |dice, source, record| {
        let (a, b) = source.pair(dice);
        let distance = source.distance(dice);
        let mut found = Vec::new();
        proximity_intervals(&a, &b, distance, &mut found, &mut IntervalStats::default());
        for s in parameters(dice, &found) {
            let window = dice.pick(&inputs::WINDOWS);
            let time = time_in(dice, window, s);
            record.truth(within_at_time(&a, &b, distance, window, time), 0);
        }
        record.truth(within_at_time(&a, &b, distance, (0.0, 3.0), dice.pick(&[-1.0, 0.0, 1.0, 2.0, 3.0, 4.0])), 0);
    });
}

/// Which corners of two triangles are one: those of `b` become those of `a`.
fn common_corners(dice: &mut Dice, a: &MovingTriangle, b: &mut MovingTriangle) -> Vec<(usize, usize)> {
    let (p, q) = (dice.below(3), dice.below(3));
    let (next, other) = ((p + 1 + dice.below(2)) % 3, (q + 1 + dice.below(2)) % 3);
    let common = match dice.below(10) {
        0..=3 => vec![(p, q)],
        4..=7 => vec![(p, q), (next, other)],
        // Two corners of one triangle that are welded.
        8 => vec![(p, q), (next, q)],
        _ => vec![(0, 0), (1, 1), (2, 2)],
    };
    for &(p, q) in &common {
        (b.begin[q], b.end[q]) = (a.begin[p], a.end[p]);
    }
    common
}

#[test]
fn neighbours() {
    let block = Block { families: ALL, blocks: 12, cases: 15 };
    let columns = [&STAGES[..], &["at rest", "at a time"]].concat();
    pin("neighbours", &columns, &block, |dice, source, record| {
        let (a, mut b) = source.pair(dice);
        let common = common_corners(dice, &a, &mut b);
        let distance = if dice.percent(70) { 0.0 } else { source.distance(dice) };
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        neighbour_intervals(&a, &b, &common, distance, &mut found, &mut stats);
        record.stats(&stats);
        for interval in &found {
            record.interval(interval);
        }
        if IN_RANGE.contains(&source.family) {
            record.truth(neighbours_touch(&a.begin, &b.begin, &common), STAGES.len());
            record.truth(neighbours_touch(&a.end, &b.end, &common), STAGES.len());
        }
        for s in parameters(dice, &found) {
            let window = dice.pick(&inputs::WINDOWS);
            let time = time_in(dice, window, s);
            record.truth(neighbours_touch_at_time(&a, &b, &common, window, time), STAGES.len() + 1);
        }
    });
}

#[test]
fn single_features() {
    let block = Block { families: ALL, blocks: 12, cases: 60 };
    pin("single_features", &["vertex and face", "edges"], &block, |dice, source, record| {
        let (mut a, b) = source.pair(dice);
        if dice.percent(30) {
            // Towards a point of the face.
            let middle = |[p, q, r]: inputs::Triangle| [0, 1, 2].map(|k| 0.5 * p[k] + 0.25 * q[k] + 0.25 * r[k]);
            (a.begin[0], a.end[0]) = (a.begin[0], middle(b.end));
        }
        let hit = vertex_face_first_contact([a.begin[0], a.end[0]], [b.begin, b.end]);
        record.contact(hit.as_ref(), 0);
        let edge = |triangle: &MovingTriangle| [[0, 1].map(|k| triangle.begin[k]), [0, 1].map(|k| triangle.end[k])];
        let hit = edge_edge_first_contact(edge(&a), edge(&b));
        record.contact(hit.as_ref(), 1);
    });
}

#[test]
fn rays() {
    let block = Block { families: IN_RANGE, blocks: 16, cases: 60 };
    pin("rays", &["hits"], &block, |dice, source, record| {
        let triangle = source.triangle(dice, None);
        let part = |dice: &mut Dice| {
            // Of the triangle: corners, places on edges, inside, and beyond.
            let weights = dice.pick(&[[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.25, 0.25], [0.5, 0.25], [2.0, -1.0]]);
            let turn = dice.below(3);
            let [p, q, r] = [0, 1, 2].map(|k| triangle[(k + turn) % 3]);
            [0, 1, 2].map(|k| weights[0] * p[k] + weights[1] * q[k] + (1.0 - weights[0] - weights[1]) * r[k])
        };
        let in_range = |x: f64| if x.abs() < two(-200) { 0.0 } else { x };
        let origin = if dice.percent(70) { source.point(dice) } else { part(dice) };
        let target = if dice.percent(70) { part(dice) } else { source.point(dice) };
        let direction = match dice.below(8) {
            0 => source.way(dice),
            1 => [0.0; 3],
            2 => [0, 1, 2].map(|k| in_range(0.5 * (target[k] - origin[k]))),
            3 => {
                let axis = dice.below(3);
                let size = dice.pick(&[-1.0, 1.0]) * source.unit();
                [0, 1, 2].map(|k| if k == axis { size } else { 0.0 })
            }
            _ => [0, 1, 2].map(|k| in_range(target[k] - origin[k])),
        };
        let hit = ray_hits_triangle(origin, direction, f64::INFINITY, &triangle);
        record.option(hit, 0);
        // Ends of the reach: where it hits, beside it, and others.
        let reaches = [hit.unwrap_or(1.0), 1.0, 0.0, -1.0, 0.5, two(-30)];
        let reach = dice.pick(&reaches);
        record.option(ray_hits_triangle(origin, direction, reach, &triangle), 0);
        record.option(ray_hits_triangle(origin, direction, nudged(dice, reach), &triangle), 0);
    });
}
