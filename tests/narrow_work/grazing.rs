//! Triangles that come to a distance, or to contact, at one known time, exactly: they graze there,
//! or contact begins or ends.

use kinetree::narrow::spheres::{
    MovingSphere, Sphere, first_touch_with_triangle, moving_sphere_touches_triangle_at_time, sphere_triangle_intervals,
};
use kinetree::narrow::{
    IntervalStats, MovingTriangle, contact_intervals, touch_at_time, triangles_within, within_at_time,
};

use crate::balls::{LENGTHS, WHOLE};
use crate::dice::Dice;
use crate::inputs::{Family, Point, nudged};
use crate::nearness_of;
use crate::record::STAGES;
use crate::table::{Block, pin};

fn dot(a: &Point, b: &Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &Point, b: &Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn plus(a: &Point, b: &Point, factor: f64) -> Point {
    [0, 1, 2].map(|k| a[k] + factor * b[k])
}

/// Two triangles, and when they are how far apart: after `part` of `parts`.
struct Meeting {
    a: MovingTriangle,
    b: MovingTriangle,
    distance: f64,
    part: i32,
    parts: i32,
}

/// Integers up to 2.
fn small(dice: &mut Dice) -> Point {
    std::array::from_fn(|_| f64::from(dice.between(-2, 2)))
}

/// All of A is beyond a plane through a corner of it, and all of B behind one through a corner of
/// B, when these corners are `way` apart, along the normal.
fn meeting(dice: &mut Dice, unit: f64) -> Meeting {
    let which = dice.below(WHOLE.len());
    let mut normal = WHOLE[which];
    normal.rotate_left(dice.below(3));
    let axis = dice.below(3);
    normal[axis] = -normal[axis];
    let is_apart = dice.percent(70);
    let way = if is_apart { normal } else { [0.0; 3] };
    let (part, parts) = dice.pick(&[(1, 2), (1, 4), (3, 8), (1, 3), (0, 1), (1, 1), (2, 5), (1, 1024)]);
    let mut speed = cross(&normal, &small(dice));
    if dice.percent(40) {
        speed = plus(&speed, &normal, dice.pick(&[-1.0, 1.0]));
    }
    // Both may move along.
    let common = if dice.percent(50) { small(dice) } else { [0.0; 3] };
    let corner = small(dice);
    let spread = dice.pick(&[0.0, 1.0, 1.0]);
    let mut triangle = |side: f64, first: Point, speed: Point| {
        let is_rigid = dice.percent(60);
        let mut offsets = || {
            let mut offset = || {
                let offset = small(dice);
                let factor = if side * dot(&offset, &normal) < 0.0 { -spread } else { spread };
                // Some lie in the plane.
                let offset = if dice.percent(30) { cross(&normal, &offset) } else { offset };
                offset.map(|x| factor * x)
            };
            [[0.0; 3], offset(), offset()]
        };
        let at_begin = offsets();
        let at_end = if is_rigid { at_begin } else { offsets() };
        let place = |offsets: [Point; 3], time: f64| {
            let at = plus(&plus(&first, &speed, time), &common, time);
            offsets.map(|offset| plus(&at, &offset, 1.0).map(|x| x * unit))
        };
        let (begin, end) = (place(at_begin, -f64::from(part)), place(at_end, f64::from(parts - part)));
        MovingTriangle { begin, end }
    };
    let b = triangle(-1.0, corner, [0.0; 3]);
    let a = triangle(1.0, plus(&corner, &way, 1.0), speed);
    Meeting { a, b, distance: if is_apart { LENGTHS[which] * unit } else { 0.0 }, part, parts }
}

const FAMILIES: &[Family] = &[Family::Lattice, Family::Tiny, Family::Subnormal, Family::Large];

#[test]
fn meetings_at_a_known_time() {
    let block = Block { families: FAMILIES, blocks: 12, cases: 12 };
    let columns = [&STAGES[..], &["at a time"]].concat();
    pin("meetings_at_a_known_time", &columns, &block, |dice, source, record| {
        let Meeting { a, b, distance, part, parts } = meeting(dice, source.unit());
        nearness_of(record, &a, &b, distance);
        nearness_of(record, &b, &a, nudged(dice, distance));
        let column = STAGES.len();
        let window = dice.pick(&[(0.0, f64::from(parts)), (1.0, f64::from(parts + 1)), (-2.0, f64::from(parts - 2))]);
        let time = window.0 + f64::from(part);
        for time in [time, time.next_up(), time.next_down()] {
            record.truth(within_at_time(&a, &b, distance, window, time), column);
            record.truth(touch_at_time(&a, &b, window, time), column);
        }
        record.truth(triangles_within(&a.begin, &b.begin, distance), column);
        record.truth(triangles_within(&a.end, &b.end, distance), column);
        // The corner of A as a ball, whose radius may change where it does not matter when.
        let radius = distance * dice.pick(&[0.0, 0.25, 0.5, 1.0]);
        let later = if part == 0 { radius * dice.pick(&[0.0, 1.0, 2.0]) } else { radius };
        let ball = MovingSphere {
            begin: Sphere { centre: a.begin[0], radius },
            end: Sphere { centre: a.end[0], radius: later },
        };
        let rest = distance - radius;
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        sphere_triangle_intervals(&ball, &b, rest, &mut found, &mut stats);
        // Both calls are counted together.
        let mut sum = IntervalStats::default();
        sum += stats;
        contact_intervals(&a, &b, &mut found, &mut sum);
        sum += stats;
        record.stats(&sum);
        for interval in &found {
            record.interval(interval);
            record.touch(&first_touch_with_triangle(interval, &ball, &b));
        }
        for time in [time, time.next_up(), time.next_down()] {
            record.truth(moving_sphere_touches_triangle_at_time(&ball, &b, rest, window, time), column);
        }
    });
}
