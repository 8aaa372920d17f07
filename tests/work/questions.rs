//! Most of what a host may ask of a world, and proposals of trials, with random arguments; answers
//! as text.

use std::fmt::Write;

use kinetree::BakedContacts;
use kinetree::world::{Contact, Filter, NarrowPhase, PrimitiveAt, Query, World};
use kinetree::{Aabb, BodyId, Error};

use crate::common::dice::Dice;
use crate::common::scene::Style;

/// A host that takes every second candidate, and notes what it is shown.
struct Host(String);

impl NarrowPhase for Host {
    fn touch(&mut self, a: PrimitiveAt<'_>, b: PrimitiveAt<'_>, distance: f64) -> bool {
        write!(self.0, "{a:?}{b:?}{distance:?}").unwrap();
        (a.primitive + b.primitive).is_multiple_of(2)
    }
}

fn point(dice: &mut Dice, style: Style) -> [f64; 3] {
    style.point(dice, 3).map(f64::from)
}

/// Any two bodies, which may be the same.
fn two(dice: &mut Dice, world: &World) -> Option<[BodyId; 2]> {
    let ids: Vec<BodyId> = world.bodies().collect();
    (!ids.is_empty()).then(|| [0; 2].map(|_| ids[dice.below(ids.len())]))
}

fn length(dice: &mut Dice) -> f64 {
    dice.pick(&[0.0, 0.25, 0.5, 1.0, 2.0, 8.0, f64::INFINITY, -1.0, f64::NAN])
}

/// One query of space.
fn of_space(told: &mut String, dice: &mut Dice, style: Style, query: &Query<'_>) {
    let [from, way, other] = [0; 3].map(|_| point(dice, style));
    let (reach, radius) = (length(dice), length(dice));
    let short = dice.pick(&[0.0, 0.25, 0.5]);
    let answer = match dice.below(9) {
        0 => format!("{:?}", query.cast_ray(from, way, reach)),
        1 => format!("{:?}", query.cast_sphere(from, radius, way, reach)),
        2 => format!(
            "{:?}",
            query.cast_box(from, &[[short, 0.0, 0.0], [0.0, 0.5, short], [0.0, -short, 0.5]], way, reach)
        ),
        3 => format!("{:?}", query.cast_hull(&[from, other], short, way, reach)),
        4 => format!("{:?}", query.overlap_hull(&[from, way, other], short)),
        5 => format!("{:?}", query.overlap_sphere(from, radius)),
        6 => format!("{:?}", query.overlap_box(&Aabb::of_points(&[from, other]))),
        7 => format!("{:?}", query.overlap_triangle(&[from, way, other])),
        _ => format!("{:?}", query.nearest_point(from, reach)),
    };
    told.push_str(&answer);
}

/// What two bodies tell of each other.
fn of_a_pair(told: &mut String, dice: &mut Dice, world: &World, [a, b]: [BodyId; 2]) -> Result<(), Error> {
    let pair = world.pair(a, b)?;
    let rules = (pair.bodies(), pair.is_touching(), pair.may_touch(), pair.thickness(), pair.contacts());
    write!(told, "{rules:?}{:?}{:?}", pair.cut(), pair.manifolds()).unwrap();
    write!(told, "{:?}", world.candidates_between(a, b)).unwrap();
    let until = world.time() + dice.pick(&[0.0, 0.5, 1.5, 9.0]);
    write!(told, "{:?}", world.first_contact(a, b, until)).unwrap();
    Ok(())
}

fn of_a_body(told: &mut String, dice: &mut Dice, world: &World, id: BodyId) -> Result<(), Error> {
    let body = world.body(id)?;
    let level = dice.below(body.levels() + 1);
    let known =
        (body.id(), body.name(), body.filter(), body.thickness(), body.levels(), body.bounds(), body.boxes(level));
    write!(told, "{known:?}{:?}{:?}", world.spheres(id), world.tree_quality(id)).unwrap();
    write!(told, "{:?}{:?}", world.positions(id), world.mesh(id)).unwrap();
    Ok(())
}

/// Answers to some random questions; the world stays as it is.
pub(crate) fn answers(dice: &mut Dice, style: Style, world: &World) -> String {
    let mut told = format!("{:?}{:?}{:?}", world.next_event(), world.certified_span(), world.contact_changes());
    let Some(ids_of_two) = two(dice, world) else { return told };
    let now = world.time();
    for _ in 0..2 {
        let mut query = world.query();
        if dice.percent(30) {
            query = query.filter(Filter::new(dice.pick(&[1, 2, 3]), dice.pick(&[1, 2, 3])));
        }
        if dice.percent(20) {
            query = query.ignoring(&ids_of_two);
        }
        let at = if dice.percent(40) { now + dice.pick(&[0.0, 0.5, 1.0, -0.5, 64.0]) } else { now };
        match query.at(at) {
            Ok(query) => of_space(&mut told, dice, style, &query),
            Err(refused) => told.push_str(&refused.to_string()),
        }
    }
    let refused = match dice.below(6) {
        0 => of_a_pair(&mut told, dice, world, ids_of_two),
        1 => of_a_body(&mut told, dice, world, ids_of_two[0]),
        2 => {
            let ray = [0; 2].map(|_| point(dice, style));
            let bounds = Aabb::of_points(&ray);
            write!(told, "{:?}{:?}", world.query_box(&bounds), world.cast_ray(ray[0], ray[1], 4.0)).unwrap();
            write!(told, "{:?}", world.ray_candidates(ray[0], ray[1], 1.0)).unwrap();
            Ok(())
        }
        3 => {
            let mut host = Host(String::new());
            let taken = world.test_candidates(&mut host);
            let between = world.test_candidates_between(ids_of_two[0], ids_of_two[1], &mut host);
            write!(told, "{taken:?}{between:?}{}", host.0).unwrap();
            Ok(())
        }
        4 => {
            let span = world.certified_span();
            let inside = dice.pick(&[span.begin, span.end, 0.5 * (span.begin + span.end), now + 1.0]);
            let found = world.contacts_at(inside).map_err(|refused| refused.to_string());
            write!(told, "{found:?}{:?}{:?}", world.ongoing_contacts(), world.body_pair_changes()).unwrap();
            Ok(())
        }
        _ => {
            write!(told, "{:?}", world.audit()).unwrap();
            Ok(())
        }
    };
    write!(told, "{refused:?}").unwrap();
    told
}

/// A trial of one or two bodies, corrected and asked; now and then it becomes their motion.
pub(crate) fn proposal(dice: &mut Dice, style: Style, world: &mut World) -> Result<String, Error> {
    let Some(chosen) = two(dice, world) else { return Ok(String::new()) };
    let end = world.time() + dice.pick(&[0.25, 0.5, 1.0, 0.0, 2.0]);
    let place = |dice: &mut Dice, world: &World, id: BodyId| -> Vec<[f32; 3]> {
        let way = style.point(dice, 2);
        let bent = dice.percent(40);
        let positions = world.positions(id).unwrap_or_default();
        let moved = positions.iter().enumerate().map(|(vertex, at)| {
            let part = if bent && vertex % 2 == 1 { 0.0 } else { 1.0 };
            [0, 1, 2].map(|axis| at[axis] as f32 + part * way[axis])
        });
        moved.collect()
    };
    let places = [place(dice, world, chosen[0]), place(dice, world, chosen[1]), place(dice, world, chosen[0])];
    let moves = [(chosen[0], &places[0][..]), (chosen[1], &places[1][..])];
    let count = 1 + dice.below(2);
    let mut trial = world.trial_of(&moves[..count], end)?;
    let mut told = format!("{:?}{:?}", trial.step_size(), trial.contacts());
    if dice.percent(50) {
        let distance = dice.pick(&[None, Some(0.0), Some(0.5), Some(-1.0)]);
        write!(told, "{:?}{:?}", trial.set_distance(distance), trial.contacts()).unwrap();
    }
    if dice.percent(50) {
        write!(told, "{:?}{:?}", trial.correct(chosen[0], &places[2]), trial.contacts()).unwrap();
    }
    write!(told, "{:?}{}", trial.start_positions(chosen[1]), trial.candidates()).unwrap();
    if dice.percent(15) {
        write!(told, "{:?}", trial.commit()).unwrap();
    }
    Ok(told)
}

/// What a copy of the world finds in a second, recorded, written and read again.
pub(crate) fn recorded(world: &World) -> String {
    let mut copy = world.clone();
    let now = copy.time();
    let recorded = match BakedContacts::record(&mut copy, now + 1.0) {
        Ok(recorded) => recorded,
        Err(refused) => return refused.to_string(),
    };
    let bytes = recorded.to_bytes();
    let read = BakedContacts::from_bytes(&bytes).unwrap();
    let at = |time: f64| -> Vec<Contact> { read.contacts_at(time, world).unwrap() };
    let found = [0.0, 0.25, 1.0].map(|later| at(now + later));
    format!("{bytes:?}{found:?}{:?}", read.fit(&copy))
}
