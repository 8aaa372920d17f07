//! Bodies of spheres in worlds of every engine, against brute force in rational numbers at many times.
//!
//! One long file, because scenes, the brute force that knows nothing of the library, and the comparison belong together.

#[path = "queries.rs"]
mod queries;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use kinetree::kinetic::TreeKind;
use kinetree::math::Aabb;
use kinetree::mesh::{Mesh, Spheres};
use kinetree::motion::{Flightplan, Outside, Sphere};
use kinetree::world::{BodyDef, Contact, ContactChange, ContactMode, Engine, IgnoredContacts, World, WorldDef};
use kinetree::{BakedContacts, BodyId};
use num_rational::BigRational as Q;
use num_traits::{Signed, ToPrimitive, Zero};

use super::common::dice::{Dice, Grain};
use super::common::lockstep::Lockstep;
use super::oracle::{self, Ball, exact};
use super::{sphere, torture};

/// A body as the test knows it.
#[derive(Clone)]
enum Known {
    Spheres { times: Vec<f64>, keys: Vec<Vec<Sphere>> },
    Triangles { times: Vec<f64>, keys: Vec<Vec<[f32; 3]>>, triangles: Vec<[u32; 3]> },
}

/// A primitive at a time.
enum Solid {
    Ball(Box<Ball>),
    Triangle(Box<[oracle::Point; 3]>),
}

/// A primitive at a time, exactly only where asked for, and a box that holds it with more to spare than any rounding.
struct Part<'a> {
    body: &'a Known,
    number: usize,
    place: &'a (usize, usize, Q),
    low: [f64; 3],
    high: [f64; 3],
    solid: OnceCell<Solid>,
}

impl Part<'_> {
    fn is_far(&self, other: &Self, distance: f64) -> bool {
        (0..3).any(|axis| self.low[axis].max(other.low[axis]) - self.high[axis].min(other.high[axis]) > distance)
    }

    fn solid(&self) -> &Solid {
        let (from, to, s) = self.place;
        self.solid.get_or_init(|| match self.body {
            Known::Spheres { keys, .. } => {
                Solid::Ball(Box::new(Ball::new(&keys[*from][self.number], &keys[*to][self.number], s)))
            }
            Known::Triangles { keys, triangles, .. } => {
                let wide = |key: usize, vertex: u32| keys[key][vertex as usize].map(f64::from);
                let corner = |vertex: u32| oracle::point(wide(*from, vertex), wide(*to, vertex), s);
                Solid::Triangle(Box::new(triangles[self.number].map(corner)))
            }
        })
    }
}

/// Between which two keys a time lies, and which part of the way; keys hold outside.
fn place(times: &[f64], time: f64) -> (usize, usize, Q) {
    let last = times.len() - 1;
    if time <= times[0] || last == 0 {
        return (0, 0, Q::zero());
    }
    if time >= times[last] {
        return (last, last, Q::zero());
    }
    let next = times.iter().position(|&key| key > time).expect("before the last");
    let (from, to) = (exact(times[next - 1]), exact(times[next]));
    (next - 1, next, (exact(time) - &from) / (to - from))
}

impl Known {
    fn times(&self) -> &[f64] {
        match self {
            Self::Spheres { times, .. } | Self::Triangles { times, .. } => times,
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Spheres { keys, .. } => keys[0].len(),
            Self::Triangles { triangles, .. } => triangles.len(),
        }
    }

    /// All of it around a place in its keys.
    fn parts<'a>(&'a self, place: &'a (usize, usize, Q)) -> Vec<Part<'a>> {
        let (from, to, s) = place;
        let s = s.to_f64().expect("a number");
        let between = |x: f64, y: f64| x + (y - x) * s;
        let part = |number: usize| {
            let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            let mut hold = |p: [f64; 3], q: [f64; 3], reach: f64| {
                for axis in 0..3 {
                    low[axis] = low[axis].min(between(p[axis], q[axis]) - reach - 1e-6);
                    high[axis] = high[axis].max(between(p[axis], q[axis]) + reach + 1e-6);
                }
            };
            match self {
                Self::Spheres { keys, .. } => {
                    let (a, b) = (keys[*from][number], keys[*to][number]);
                    hold(a.centre, b.centre, between(a.radius, b.radius));
                }
                Self::Triangles { keys, triangles, .. } => {
                    for vertex in triangles[number] {
                        let corner = |key: usize| keys[key][vertex as usize].map(f64::from);
                        hold(corner(*from), corner(*to), 0.0);
                    }
                }
            }
            Part { body: self, number, place, low, high, solid: OnceCell::new() }
        };
        (0..self.count()).map(part).collect()
    }

    fn def(&self) -> BodyDef {
        match self {
            Self::Spheres { times, keys } => {
                BodyDef::new(Spheres::new(keys[0].len()).unwrap(), Flightplan::spheres(times.clone(), keys.concat()))
            }
            Self::Triangles { times, keys, triangles } => {
                let mesh = Mesh::new(keys[0].len(), triangles.clone()).unwrap();
                BodyDef::new(mesh, Flightplan::keyframes(times.clone(), keys.concat()))
            }
        }
    }
}

/// How far inside touching; `None` for two triangles, which are not asked about here.
fn depth(a: &Solid, b: &Solid, distance: f64) -> Option<Q> {
    match (a, b) {
        (Solid::Ball(a), Solid::Ball(b)) => Some(oracle::balls(a, b, distance)),
        (Solid::Ball(ball), Solid::Triangle(triangle)) | (Solid::Triangle(triangle), Solid::Ball(ball)) => {
            Some(oracle::ball_and_triangle(ball, triangle, distance))
        }
        (Solid::Triangle(_), Solid::Triangle(_)) => None,
    }
}

/// All contacts of bodies with spheres, and how many of them only just touch. The first body with itself only if it is tested so.
fn truth(bodies: &[Known], ids: &[BodyId], time: f64, thickness: f64, within: bool) -> (BTreeSet<Contact>, usize) {
    let places: Vec<(usize, usize, Q)> = bodies.iter().map(|body| place(body.times(), time)).collect();
    let parts: Vec<Vec<Part<'_>>> = bodies.iter().zip(&places).map(|(body, place)| body.parts(place)).collect();
    let (mut found, mut ties) = (BTreeSet::new(), 0);
    for a in 0..bodies.len() {
        for b in a..bodies.len() {
            if a == b && (a > 0 || !within) {
                continue;
            }
            for (p, of_a) in parts[a].iter().enumerate() {
                for (q, of_b) in parts[b].iter().enumerate().skip(if a == b { p + 1 } else { 0 }) {
                    if of_a.is_far(of_b, thickness) {
                        continue;
                    }
                    let Some(depth) = depth(of_a.solid(), of_b.solid(), thickness) else { continue };
                    ties += usize::from(depth.is_zero());
                    if !depth.is_negative() {
                        found.insert(Contact::new([ids[a], ids[b]], [p as u32, q as u32]));
                    }
                }
            }
        }
    }
    (found, ties)
}

fn key_times(dice: &mut Dice, grain: Grain, keys: usize) -> Vec<f64> {
    let mut times = vec![0.0];
    for _ in 1..keys {
        let last = times[times.len() - 1];
        times.push(if grain == Grain::Lattice {
            last + f64::from(dice.between(1, 2))
        } else {
            last + dice.real(0.5, 1.5)
        });
    }
    times
}

/// Spheres in a cube of ten metres, up to a metre in radius or so.
fn pack(dice: &mut Dice, grain: Grain, count: usize, times: Vec<f64>) -> Known {
    let mut one = || {
        let mut ball = sphere(dice, grain, if grain == Grain::Lattice { 4 } else { 5 });
        if grain == Grain::Lattice && dice.percent(80) {
            ball.centre[2] = 0.0;
        }
        let radius = if grain == Grain::Lattice { (ball.radius / 2.0).round() / 2.0 + 0.5 } else { 0.6 * ball.radius };
        Sphere { radius, ..ball }
    };
    let keys = times.iter().map(|_| (0..count).map(|_| one()).collect()).collect();
    Known::Spheres { times, keys }
}

fn soup(dice: &mut Dice, grain: Grain, count: u32, times: Vec<f64>) -> Known {
    let keys = times
        .iter()
        .map(|_| (0..3 * count).map(|_| std::array::from_fn(|_| grain.coordinate(dice, 5))).collect())
        .collect();
    let mut triangles: Vec<[u32; 3]> = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    // A segment and a point among them.
    triangles[0] = [0, 1, 1];
    triangles[1] = [3, 3, 3];
    Known::Triangles { times, keys, triangles }
}

/// Two packs of spheres and a soup; `common` says whether key times are.
fn scene(seed: u64, common: bool) -> (Vec<Known>, Grain, f64) {
    let mut dice = Dice::new(seed, &[4]);
    let grain = if seed.is_multiple_of(2) { Grain::Lattice } else { Grain::Real };
    let first = key_times(&mut dice, grain, 5);
    let end = first[first.len() - 1];
    let mut own = || if common { first.clone() } else { key_times(&mut dice, grain, 5) };
    let (second, third) = (own(), own());
    let bodies =
        vec![pack(&mut dice, grain, 9, first), pack(&mut dice, grain, 7, second), soup(&mut dice, grain, 5, third)];
    (bodies, grain, end)
}

/// When to look: in order, at keys, at quarters, anywhere.
fn looks(dice: &mut Dice, grain: Grain, end: f64, count: usize) -> Vec<f64> {
    let mut times: Vec<f64> = (0..count)
        .map(|_| {
            if grain == Grain::Lattice {
                let unit = dice.pick(&[1.0, 1.0, 2.0, 4.0]);
                (dice.unit() * end * unit).round() / unit
            } else {
                dice.real(0.0, 1.1 * end)
            }
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

#[test]
fn all_engines_against_rational_numbers() {
    let (mut contacts, mut ties) = (0, 0);
    for seed in 0..if torture() { 8 } else { 6 } {
        let (bodies, grain, end) = scene(seed, seed % 3 == 0);
        let thickness = [0.0, 0.5, 0.1][seed as usize % 3];
        let kind = if seed % 4 < 2 { TreeKind::Aabb } else { TreeKind::Box };
        let mut worlds = Lockstep::new(0.0);
        let within = seed % 3 == 1;
        let mut add = |(number, body): (usize, &Known)| {
            worlds.add(&body.def().thickness(thickness).tree(kind).self_contact(number == 0 && within))
        };
        let ids: Vec<BodyId> = bodies.iter().enumerate().map(&mut add).collect();
        let mut dice = Dice::new(seed, &[5]);
        for time in looks(&mut dice, grain, end, if torture() { 1000 } else { 14 }) {
            worlds.at(time);
            let (expected, at_limit) = truth(&bodies, &ids, time, thickness, within);
            let found: BTreeSet<Contact> = worlds.contacts().iter().copied().collect();
            assert_eq!(found, expected, "seed {seed} at {time} s");
            (contacts, ties) = (contacts + found.len(), ties + at_limit);
        }
    }
    assert!(contacts > 400 && ties > 10, "{contacts} {ties}");
}

/// A continuous world knows at any time what is true there; where motions are cut by others' keys, all of it and at most what is inside
/// the enclosure of an end besides.
#[test]
fn continuous_contacts_against_rational_numbers() {
    let (mut compared, mut begins, mut ties) = (0, 0, 0);
    for seed in 0..if torture() { 8 } else { 6 } {
        let common = seed < 4;
        let (bodies, grain, end) = scene(seed, common);
        let thickness = [0.0, 0.5][seed as usize % 2];
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        let within = seed % 3 == 1;
        let mut add = |(number, body): (usize, &Known)| {
            world.add_body(body.def().thickness(thickness).self_contact(number == 0 && within)).unwrap()
        };
        let ids: Vec<BodyId> = bodies.iter().enumerate().map(&mut add).collect();
        let mut dice = Dice::new(seed, &[6]);
        // Pairs of a body with triangles only are not asked about.
        let of_spheres = |contact: &&Contact| contact.a != ids[2] || contact.b != ids[2];
        let mut before = 0.0;
        for time in looks(&mut dice, grain, end, if torture() { 1000 } else { 16 }) {
            world.advance_to(time).unwrap();
            assert!(world.audit().is_clean(), "{}", world.audit());
            begins += world.contact_changes().iter().filter(|change| change.is_begin()).count();
            for change in world.contact_changes() {
                if let ContactChange::Began { touch: Some(touch), .. } = change {
                    let length = touch.normal.iter().map(|x| x * x).sum::<f64>();
                    assert!((length - 1.0).abs() < 1e-9 && touch.point.iter().all(|x| x.is_finite()), "{change:?}");
                }
            }
            for look in [time, 0.5 * before + 0.5 * time] {
                let (expected, at_limit) = truth(&bodies, &ids, look, thickness, within);
                let found: BTreeSet<Contact> =
                    world.contacts_at(look).unwrap().iter().filter(of_spheres).copied().collect();
                let missed: Vec<&Contact> = expected.difference(&found).collect();
                assert!(missed.is_empty(), "seed {seed} at {look} s misses {missed:?}");
                let surplus: Vec<&Contact> = found.difference(&expected).collect();
                let is_near_end = |contact: &Contact| {
                    let inside = |t: &kinetree::world::TimeEnclosure| t.lo <= look && look <= t.hi;
                    world.contact_changes().iter().any(|change| match change {
                        ContactChange::Began { contact: c, time, .. } => c == contact && inside(time),
                        ContactChange::Ended { contact: c, time, began, .. } => {
                            c == contact && (inside(time) || began.as_ref().is_some_and(inside))
                        }
                        _ => unreachable!("{change:?}"),
                    }) || world
                        .ongoing_contacts()
                        .iter()
                        .any(|on| on.contact == *contact && (inside(&on.began) || on.undecided))
                };
                let is_allowed = !common && surplus.iter().all(|contact| is_near_end(contact));
                assert!(surplus.is_empty() || is_allowed, "seed {seed} at {look} s shows {surplus:?}");
                (compared, ties) = (compared + found.len(), ties + at_limit);
            }
            before = time;
        }
    }
    assert!(compared > 500 && begins > 200 && ties > 20, "{compared} {begins} {ties}");
}

/// What was recorded of spheres is true at any time, also inside the enclosures of ends; where motions are cut by others' keys, nothing is
/// missed.
#[test]
fn baked_contacts_against_rational_numbers() {
    let (mut compared, mut inside) = (0, 0);
    for seed in 0..6 {
        let common = seed < 4;
        let (bodies, grain, end) = scene(seed, common);
        let thickness = [0.0, 0.5][seed as usize % 2];
        let make = || {
            let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
            let add = |body: &Known| world.add_body(body.def().thickness(thickness)).unwrap();
            let ids: Vec<BodyId> = bodies.iter().map(add).collect();
            (world, ids)
        };
        let baked = BakedContacts::record(&mut make().0, end).unwrap();
        let (world, ids) = make();
        let of_spheres = |contact: &&Contact| contact.a != ids[2] || contact.b != ids[2];
        let mut dice = Dice::new(seed, &[7]);
        let mut times = looks(&mut dice, grain, end, 16);
        let of_ends = baked.intervals().flat_map(|interval| [interval.begin, interval.end]).step_by(7).take(24);
        times.extend(of_ends.flat_map(|time| [time.lo, time.hi]));
        times.retain(|&time| time <= end);
        inside += times.len() - 16;
        for time in times {
            let expected = truth(&bodies, &ids, time, thickness, false).0;
            let found = baked.contacts_at(time, &world).unwrap();
            let found: BTreeSet<Contact> = found.iter().filter(of_spheres).copied().collect();
            let missed: Vec<&Contact> = expected.difference(&found).collect();
            assert!(missed.is_empty(), "seed {seed} at {time} s misses {missed:?}");
            assert!(!common || found == expected, "seed {seed} at {time} s shows {:?}", found.difference(&expected));
            compared += found.len();
        }
    }
    assert!(compared > 500 && inside > 100, "{compared} {inside}");
}

/// A body given another plan on its way: plastic deformation. Every engine, by hand and scheduled, and continuous.
#[test]
fn plans_may_change() {
    for seed in 0..if torture() { 40 } else { 4 } {
        let (mut bodies, grain, _) = scene(seed, true);
        let (others, ..) = scene(seed + 100, true);
        let change = if grain == Grain::Lattice { 1.25 } else { 1.1875 };
        let Known::Spheres { keys, .. } = &others[0] else { unreachable!() };
        let times = vec![change, change + 1.5, change + 2.0];
        let new = Known::Spheres { times: times.clone(), keys: keys[..3].to_vec() };
        let plan = || Flightplan::spheres(times.clone(), keys[..3].concat());
        let defs: Vec<BodyDef> = bodies.iter().map(Known::def).collect();
        let mut worlds = Lockstep::new(0.0);
        let ids: Vec<BodyId> = defs.iter().map(|def| worlds.add(def)).collect();
        let make = || {
            let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
            for def in &defs {
                world.add_body(def.clone()).unwrap();
            }
            world
        };
        let (mut told, mut scheduled) = (make(), make());
        scheduled.schedule_flightplan(ids[0], change, plan()).unwrap();
        let of_spheres = |contact: &&Contact| contact.a != ids[2] || contact.b != ids[2];
        for step in 1..=12 {
            let time = 0.25 * f64::from(step);
            if time - 0.25 < change && change <= time {
                worlds.at(change);
                worlds.change(|world| world.set_flightplan(ids[0], plan()));
                told.advance_to(change).unwrap();
                told.set_flightplan(ids[0], plan()).unwrap();
                bodies[0] = new.clone();
                let expected = truth(&bodies, &ids, change, 0.0, false).0;
                assert_eq!(worlds.contacts().iter().copied().collect::<BTreeSet<_>>(), expected, "seed {seed}");
            }
            worlds.at(time);
            told.advance_to(time).unwrap();
            scheduled.advance_to(time).unwrap();
            let expected = truth(&bodies, &ids, time, 0.0, false).0;
            assert_eq!(worlds.contacts().iter().copied().collect::<BTreeSet<_>>(), expected, "seed {seed} at {time} s");
            for world in [&told, &scheduled] {
                assert!(world.audit().is_clean(), "{}", world.audit());
                let found: BTreeSet<Contact> = world.contacts().iter().filter(of_spheres).copied().collect();
                assert_eq!(found, expected, "seed {seed} at {time} s");
            }
            assert_eq!(told.log().hash(), scheduled.log().hash(), "seed {seed} at {time} s");
        }
    }
}

/// Loops begin again; spheres that move by less than `f32` can tell are looked at all the same.
#[test]
fn loops_and_motion_too_small_for_boxes() {
    let far = |x: f64, radius: f64| Sphere { centre: [1e8 + x, 0.0, 0.0], radius };
    for outside in [Outside::Hold, Outside::Loop] {
        let plan = Flightplan::spheres(vec![0.0, 1.0, 2.0], vec![far(0.0, 1.0), far(0.0, 1.0625), far(0.0, 1.0)]);
        let still = Flightplan::spheres(vec![0.0], vec![far(2.03125, 1.0)]);
        let mut worlds = Lockstep::new(-1.0);
        let mut continuous = World::new(WorldDef::default().start(-1.0).contacts(ContactMode::Continuous)).unwrap();
        for plan in [plan.outside(outside), still] {
            let def = BodyDef::new(Spheres::new(1).unwrap(), plan);
            worlds.add(&def);
            continuous.add_body(def).unwrap();
        }
        for (time, touches) in
            [(-0.75, false), (0.25, false), (0.5, true), (1.5, true), (1.75, false), (2.25, false), (2.5, true)]
        {
            // Round and round, also before the first key: −0.75 s is 1.25 s.
            let looping = outside == Outside::Loop;
            let touches = (touches && (time < 2.0 || looping)) || (time < 0.0 && looping);
            assert_eq!(worlds.at(time), usize::from(touches), "{outside:?} {time}");
            continuous.advance_to(time).unwrap();
            assert_eq!(continuous.contacts().len(), usize::from(touches), "{outside:?} {time}");
        }
    }
}

/// A ball that grows from a point, 1e-17 m above a sheet that slides: less than the rounding of its corners.
#[test]
fn a_ball_that_begins_as_a_point_touches_when_it_has_grown() {
    let at = |x: f32| [[x - 9.0, -9.0, -1e-17], [x + 9.0, -9.0, -1e-17], [x, 9.0, -1e-17]];
    let ball = |radius: f64| Sphere { centre: [0.0; 3], radius };
    for (time, expected) in [(0.5f64.powi(60), 0), (0.5f64.powi(50), 1)] {
        for engine in [Engine::Auto, Engine::Kinetic, Engine::Refit, Engine::BruteForce] {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            let plan = Flightplan::keyframes(vec![-1.0, 2.0], [at(0.0), at(0.7)].concat());
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
            let plan = Flightplan::spheres(vec![0.0, 1.0], vec![ball(0.0), ball(1.0)]);
            world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan)).unwrap();
            world.advance_to(time).unwrap();
            assert_eq!(world.contacts().len(), expected, "{engine} {time}");
        }
    }
}

/// Numbers rise or fall along a row: two that touch, of different leaves, come in either order.
#[test]
fn spheres_of_one_body_in_different_leaves_touch_in_any_order() {
    const COUNT: u32 = 64;
    for is_falling in [false, true] {
        let ball = |number: u32| {
            let place = if is_falling { COUNT - number } else { number };
            Sphere { centre: [f64::from(place), 0.0, 0.0], radius: 0.5625 }
        };
        let plan = Flightplan::spheres(vec![0.0], (0..COUNT).map(ball).collect());
        let mut worlds = Lockstep::new(0.0);
        worlds.add(&BodyDef::new(Spheres::new(COUNT as usize).unwrap(), plan).self_contact(true));
        assert_eq!(worlds.at(0.5), COUNT as usize - 1, "{is_falling}");
    }
}
