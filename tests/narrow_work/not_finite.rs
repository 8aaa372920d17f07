//! Numbers that are not finite: refused, or counted as contact.

use kinetree::narrow::ccd::{edge_edge_first_contact, vertex_face_first_contact};
use kinetree::narrow::intervals::touch_at;
use kinetree::narrow::spheres::{
    moving_sphere_touches_triangle_at_time, ray_hits_sphere, sphere_intervals, sphere_touches_triangle_at_time,
    sphere_triangle_intervals, spheres_touch_at_time,
};
use kinetree::narrow::{
    IntervalStats, MovingTriangle, contact_intervals, proximity_intervals, ray_hits_triangle, touch_at_time,
    triangles_within, within_at_time,
};

use crate::balls::moving_ball;
use crate::dice::Dice;
use crate::inputs::Family;
use crate::record::{Record, STAGES};
use crate::table::{Block, pin};

const WRONG: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// Where one number is to be put out of place.
fn spoil(dice: &mut Dice, triangle: &mut MovingTriangle) {
    let (corner, axis, wrong) = (dice.below(3), dice.below(3), dice.pick(&WRONG));
    let end = if dice.percent(50) { &mut triangle.begin } else { &mut triangle.end };
    end[corner][axis] = wrong;
}

const FAMILIES: &[Family] = &[Family::Corners, Family::Lattice, Family::Real, Family::Far];

fn both(record: &mut Record, a: &MovingTriangle, b: &MovingTriangle, distance: f64) {
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    contact_intervals(a, b, &mut found, &mut stats);
    proximity_intervals(a, b, distance, &mut found, &mut stats);
    record.stats(&stats);
    found.iter().for_each(|interval| record.interval(interval));
}

#[test]
fn triangles_with_numbers_that_are_not_finite() {
    let block = Block { families: FAMILIES, blocks: 6, cases: 30 };
    let columns = [&STAGES[..], &["at a time"]].concat();
    pin("triangles_with_numbers_that_are_not_finite", &columns, &block, |dice, source, record| {
        let column = STAGES.len();
        let (mut a, mut b) = source.pair(dice);
        let mut distance = source.distance(dice);
        let (mut window, mut time) = ((0.0, 2.0), dice.pick(&[0.0, 0.5, 1.0, 2.0]));
        match dice.below(6) {
            0 | 1 => spoil(dice, &mut a),
            2 => spoil(dice, &mut b),
            3 => distance = dice.pick(&WRONG),
            4 => time = dice.pick(&WRONG),
            _ => {
                let wrong = dice.pick(&WRONG);
                if dice.percent(50) { window.0 = wrong } else { window.1 = wrong }
            }
        }
        both(record, &a, &b, distance);
        record.truth(touch_at(&a, &b, time), column);
        record.truth(touch_at_time(&a, &b, window, time), column);
        record.truth(within_at_time(&a, &b, distance, window, time), column);
        record.truth(triangles_within(&a.begin, &b.begin, distance), column);
        record.truth(triangles_within(&a.end, &b.end, distance), column);
        let hit = vertex_face_first_contact([a.begin[0], a.end[0]], [b.begin, b.end]);
        record.contact(hit.as_ref(), column);
        let edge = |triangle: &MovingTriangle| [[0, 1].map(|k| triangle.begin[k]), [0, 1].map(|k| triangle.end[k])];
        let hit = edge_edge_first_contact(edge(&a), edge(&b));
        record.contact(hit.as_ref(), column);
        let finite = source.triangle(dice, None);
        record.option(ray_hits_triangle(finite[0], source.way(dice), dice.pick(&WRONG), &finite), column);
    });
}

#[test]
fn balls_with_numbers_that_are_not_finite() {
    let block = Block { families: FAMILIES, blocks: 6, cases: 30 };
    let columns = [&STAGES[..], &["at a time"]].concat();
    pin("balls_with_numbers_that_are_not_finite", &columns, &block, |dice, source, record| {
        let column = STAGES.len();
        let [mut a, mut b] = [moving_ball(dice, source), moving_ball(dice, source)];
        let mut triangle = source.moving(dice, None);
        let mut distance = source.distance(dice);
        let (mut window, mut time) = ((0.0, 2.0), dice.pick(&[0.0, 0.5, 1.0, 2.0]));
        let (mut origin, mut direction) = (source.point(dice), source.way(dice));
        let (axis, wrong) = (dice.below(3), dice.pick(&WRONG));
        match dice.below(11) {
            0 => a.begin.centre[axis] = wrong,
            1 => a.end.centre[axis] = wrong,
            2 => a.begin.radius = wrong,
            3 => b.end.radius = wrong,
            4 => b.begin.centre[axis] = wrong,
            5 => spoil(dice, &mut triangle),
            6 => distance = wrong,
            7 => time = wrong,
            8 => window.1 = f64::INFINITY,
            9 => origin[axis] = wrong,
            _ => direction[axis] = wrong,
        }
        if window.1.is_infinite() {
            (a.end, b.end) = (a.begin, b.begin);
        }
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        sphere_intervals(&a, &b, distance, &mut found, &mut stats);
        sphere_triangle_intervals(&a, &triangle, distance, &mut found, &mut stats);
        record.stats(&stats);
        found.iter().for_each(|interval| record.interval(interval));
        record.truth(spheres_touch_at_time(&a.over(window), &b.over(window), distance, time), column);
        record.truth(moving_sphere_touches_triangle_at_time(&a, &triangle, distance, window, time), column);
        record.truth(sphere_touches_triangle_at_time(&a.over(window), &triangle.end, distance, time), column);
        let reach = dice.pick(&[f64::INFINITY, 1.0, f64::NAN, -1.0]);
        record.option(ray_hits_sphere(origin, direction, reach, &a.over(window), time), column);
    });
}
