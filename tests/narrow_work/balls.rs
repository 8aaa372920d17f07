//! Balls: against each other, triangles and rays.

use kinetree::narrow::spheres::{
    MovingSphere, Sphere, SpherePiece, first_touch_of_spheres, first_touch_with_triangle,
    moving_sphere_touches_triangle_at_time, ray_hits_sphere, sphere_intervals, sphere_touches_triangle_at_time,
    sphere_triangle_intervals, spheres_touch_at_time,
};
use kinetree::narrow::{ContactInterval, IntervalStats, MovingTriangle};

use crate::dice::Dice;
use crate::inputs::{ALL, IN_RANGE, Point, Source, WINDOWS, nudged, parameters, time_in, two};
use crate::record::{Record, STAGES};
use crate::table::{Block, pin};

/// Vectors of whole length.
pub(crate) const WHOLE: [Point; 5] =
    [[3.0, 4.0, 0.0], [1.0, 2.0, 2.0], [2.0, 3.0, 6.0], [0.0, 0.0, 1.0], [4.0, 4.0, -7.0]];
pub(crate) const LENGTHS: [f64; 5] = [5.0, 3.0, 7.0, 1.0, 9.0];

fn radius(dice: &mut Dice, source: &Source) -> f64 {
    let factor = match dice.below(8) {
        0 => 0.0,
        1 | 2 => 1.0,
        3 => 2.0,
        4 => 0.5,
        5 => f64::from(0.1f32),
        6 => dice.real(0.0, 2.0),
        _ => f64::from(dice.between(1, 4)),
    };
    factor * source.unit()
}

pub(crate) fn ball(dice: &mut Dice, source: &Source) -> Sphere {
    Sphere { centre: source.point(dice), radius: radius(dice, source) }
}

/// A ball that moves in one of many ways.
pub(crate) fn moving_ball(dice: &mut Dice, source: &Source) -> MovingSphere {
    let begin = ball(dice, source);
    let mut end = begin;
    match dice.below(6) {
        0 => {}
        1 => end.radius = radius(dice, source),
        2 => end.centre = source.point(dice),
        3 => end.centre[dice.below(3)] = source.number(dice),
        _ => end = ball(dice, source),
    }
    MovingSphere { begin, end }
}

/// A ball at a distance from another one at which they touch exactly, from outside or inside.
fn beside(dice: &mut Dice, source: &Source, other: &Sphere) -> Sphere {
    let which = dice.below(WHOLE.len());
    let unit = source.unit();
    let centre = [0, 1, 2].map(|k| other.centre[k] + WHOLE[which][k] * unit);
    let away = LENGTHS[which] * unit;
    let radius = if dice.percent(70) { (away - other.radius).max(0.0) } else { other.radius };
    Sphere { centre, radius }
}

fn two_balls(dice: &mut Dice, source: &Source) -> [MovingSphere; 2] {
    let a = moving_ball(dice, source);
    let mut b = moving_ball(dice, source);
    match dice.below(6) {
        0 => b.begin = beside(dice, source, &a.begin),
        1 => b.end = beside(dice, source, &a.end),
        2 => {
            // Beside it throughout.
            b.begin = beside(dice, source, &a.begin);
            let shift = [0, 1, 2].map(|k| a.end.centre[k] - a.begin.centre[k]);
            let centre = [0, 1, 2].map(|k| b.begin.centre[k] + shift[k]);
            b.end = Sphere { centre, radius: b.begin.radius };
        }
        3 => {
            // Past it, at the distance of both radii.
            let reach = a.begin.radius + b.begin.radius;
            let [x, y, z] = a.begin.centre;
            let way = dice.pick(&[1.0, 2.0, 3.0]) * source.unit();
            b.begin.centre = [x - way, y + reach, z];
            b.end = Sphere { centre: [x + 2.0 * way, y + reach, z], radius: b.begin.radius };
        }
        4 => b.begin = a.begin,
        _ => {}
    }
    if dice.percent(50) { [a, b] } else { [b, a] }
}

fn tell(record: &mut Record, found: &[ContactInterval], stats: &IntervalStats) {
    record.stats(stats);
    found.iter().for_each(|interval| record.interval(interval));
}

/// A piece that holds a ball's way, in a window.
fn piece(dice: &mut Dice, ball: &MovingSphere) -> SpherePiece {
    let mut piece = ball.over(dice.pick(&WINDOWS));
    if dice.percent(10) {
        (piece.begin, piece.end, piece.at_end) = (f64::NEG_INFINITY, f64::INFINITY, piece.at_begin);
    }
    piece
}

#[test]
fn balls_that_meet() {
    let block = Block { families: ALL, blocks: 12, cases: 40 };
    let columns = [&STAGES[..], &["at a time"]].concat();
    pin("balls_that_meet", &columns, &block, |dice, source, record| {
        let [a, b] = two_balls(dice, source);
        let distance = source.distance(dice);
        let distance = if dice.percent(50) { 0.0 } else { distance };
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        sphere_intervals(&a, &b, distance, &mut found, &mut stats);
        tell(record, &found, &stats);
        for interval in &found {
            record.touch(&first_touch_of_spheres(interval, &a, &b));
        }
        // Both over one window, and over two.
        let window = dice.pick(&WINDOWS);
        for s in parameters(dice, &found) {
            let time = time_in(dice, window, s);
            record.truth(spheres_touch_at_time(&a.over(window), &b.over(window), distance, time), STAGES.len());
        }
        let pieces = [piece(dice, &a), piece(dice, &b)];
        for time in [pieces[0].begin, pieces[1].end, dice.pick(&[0.0, 0.5, 1.0, 2.0, 1e6, -5.0])] {
            record.truth(spheres_touch_at_time(&pieces[0], &pieces[1], distance, time), STAGES.len());
        }
        for piece in pieces {
            record.number(piece.magnitude());
            record.word(u64::from(piece.is_still()));
            let at = piece.at(dice.pick(&[0.0, 0.5, 1.0, 1.5, 3.0, 1e6]));
            record.numbers(&at.centre);
            record.number(at.radius);
        }
    });
}

fn ball_and_triangle(dice: &mut Dice, source: &Source) -> (MovingSphere, MovingTriangle) {
    let triangle = source.moving(dice, None);
    let mut ball = moving_ball(dice, source);
    match dice.below(5) {
        // A whole number of units from a corner.
        0 => ball.begin.centre = beside(dice, source, &Sphere { centre: triangle.begin[0], radius: 0.0 }).centre,
        1 => ball.end.centre = triangle.end[dice.below(3)],
        _ => {}
    }
    (ball, triangle)
}

#[test]
fn balls_and_triangles() {
    let block = Block { families: ALL, blocks: 12, cases: 24 };
    let columns = [&STAGES[..], &["at a time", "at rest"]].concat();
    pin("balls_and_triangles", &columns, &block, |dice, source, record| {
        let (ball, triangle) = ball_and_triangle(dice, source);
        let distance = if dice.percent(50) { 0.0 } else { source.distance(dice) };
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        sphere_triangle_intervals(&ball, &triangle, distance, &mut found, &mut stats);
        tell(record, &found, &stats);
        for interval in &found {
            record.touch(&first_touch_with_triangle(interval, &ball, &triangle));
        }
        for s in parameters(dice, &found) {
            let window = dice.pick(&WINDOWS);
            let time = time_in(dice, window, s);
            let touches = moving_sphere_touches_triangle_at_time(&ball, &triangle, distance, window, time);
            record.truth(touches, STAGES.len());
        }
        let piece = piece(dice, &ball);
        let time = dice.pick(&[piece.begin, piece.end, 0.0, 0.5, 1.0, 2.0, 1e6]);
        let touches = sphere_touches_triangle_at_time(&piece, &triangle.begin, distance, time);
        record.truth(touches, STAGES.len() + 1);
    });
}

#[test]
fn rays_and_balls() {
    let block = Block { families: IN_RANGE, blocks: 16, cases: 50 };
    pin("rays_and_balls", &["hits"], &block, |dice, source, record| {
        let ball = moving_ball(dice, source);
        let piece = piece(dice, &ball);
        let time = dice.pick(&[piece.begin, piece.end, 0.0, 0.5, 1.0, 2.0, 0.25]);
        let Sphere { centre, radius } = piece.at(time);
        let mut origin = source.point(dice);
        let mut direction = [0, 1, 2].map(|k| centre[k] - origin[k]);
        match dice.below(8) {
            0 => direction = source.way(dice),
            1 => direction = [0.0; 3],
            2 => {
                // Along a tangent.
                origin = [centre[0] - source.unit(), centre[1] + radius, centre[2]];
                direction = [source.unit(), 0.0, 0.0];
            }
            3 => {
                // From the surface, in or out.
                origin = [centre[0] - radius, centre[1], centre[2]];
                direction = [dice.pick(&[-1.0, 1.0]), 0.0, 0.0];
            }
            4 => direction = direction.map(|x| -x),
            5 => direction = direction.map(|x| x * two(-500)),
            6 => origin = centre,
            _ => {}
        }
        let hit = ray_hits_sphere(origin, direction, f64::INFINITY, &piece, time);
        record.option(hit, 0);
        let reach = dice.pick(&[hit.unwrap_or(1.0), 1.0, 0.0, -1.0, 0.5]);
        record.option(ray_hits_sphere(origin, direction, reach, &piece, time), 0);
        record.option(ray_hits_sphere(origin, direction, nudged(dice, reach), &piece, time), 0);
    });
}
