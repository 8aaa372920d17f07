//! Clouds, strands and triangles in worlds of every engine, against rational distances of the
//! positions they evaluate.

use std::collections::BTreeSet;

use kinetree::BodyId;
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Element;
use kinetree::time::Span;
use kinetree::world::{BodyDef, Contact, ContactMode, Engine, World, WorldDef};

use super::common::dice::{Dice, Grain};
use super::common::lockstep::{ENGINES, Lockstep};
use super::oracle::{self, Q, exact};
use super::{cloud, soup, strands};

/// Every pair of different bodies by brute force in rational numbers: which touch, and how many do
/// so exactly at the limit.
fn truth(world: &World, ids: &[BodyId], radius: impl Fn(usize) -> f64) -> (BTreeSet<Contact>, usize) {
    let corners: Vec<Vec<[[f64; 3]; 3]>> = ids
        .iter()
        .map(|&id| {
            let places = world.positions(id).unwrap();
            let triangles = world.mesh(id).unwrap().triangles().iter();
            triangles.map(|corners| corners.map(|vertex| places[vertex as usize])).collect()
        })
        .collect();
    let (mut found, mut ties) = (BTreeSet::new(), 0);
    for a in 0..ids.len() {
        for b in a + 1..ids.len() {
            let reach = radius(a) + radius(b);
            let limit = Q::from_float(reach).unwrap() * Q::from_float(reach).unwrap();
            for (p, of_a) in corners[a].iter().enumerate() {
                for (q, of_b) in corners[b].iter().enumerate() {
                    if far_apart(of_a, of_b, reach) {
                        continue;
                    }
                    let distance = oracle::triangles(&of_a.map(|p| exact(&p)), &of_b.map(|p| exact(&p)));
                    ties += usize::from(distance == limit && reach > 0.0);
                    if distance <= limit {
                        let (triangle_a, triangle_b) = (p as u32, q as u32);
                        found.insert(Contact::new([ids[a], ids[b]], [triangle_a, triangle_b]));
                    }
                }
            }
        }
    }
    (found, ties)
}

/// Certainly, along an axis?
fn far_apart(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], reach: f64) -> bool {
    let low = |t: &[[f64; 3]; 3], axis: usize| t.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
    let high = |t: &[[f64; 3]; 3], axis: usize| t.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
    (0..3).any(|axis| low(a, axis).max(low(b, axis)) - high(a, axis).min(high(b, axis)) > 1.001 * reach + 1e-9)
}

#[test]
fn all_engines_against_rational_distances() {
    let (mut contacts, mut ties, mut kinds) = (0, 0, [0; 3]);
    for seed in 0..12 {
        let mut dice = Dice::new(seed, &[7]);
        let grain = [Grain::Lattice, Grain::Real, Grain::Lattice, Grain::Crooked][seed as usize % 4];
        let unit = if grain == Grain::Crooked { 0.1f32 } else { 1.0 };
        let radii = [1.0, if seed % 4 == 0 { 1.0 } else { 0.5 }, 0.0].map(|r: f32| f64::from(r * unit));
        let mut worlds = Lockstep::new(0.0);
        let bodies = [cloud(&mut dice, 12, grain), strands(&mut dice, 10, grain), soup(&mut dice, 4, grain)];
        let kind = if seed % 2 == 0 { TreeKind::Aabb } else { TreeKind::Box };
        let ids: Vec<BodyId> =
            bodies.into_iter().zip(radii).map(|(body, radius)| worlds.add(&body.radius(radius).tree(kind))).collect();
        let pace = if grain == Grain::Lattice { 0.5 } else { 0.625 };
        let steps = if grain == Grain::Lattice { 12 } else { 2 };
        for step in 0..steps {
            worlds.at(f64::from(step) * pace);
            let (expected, at_limit) = truth(worlds.kinetic(), &ids, |body| radii[body]);
            let found: BTreeSet<Contact> = worlds.contacts().iter().copied().collect();
            assert_eq!(found, expected, "seed {seed}, step {step}");
            (contacts, ties) = (contacts + found.len(), ties + at_limit);
            for contact in &found {
                let element = worlds.kinetic().mesh(contact.a).unwrap().element(contact.triangle_a).unwrap();
                kinds[match element {
                    Element::Point(_) => 0,
                    Element::Segment(_) => 1,
                    Element::Triangle(_) => 2,
                }] += 1;
            }
        }
    }
    assert!(contacts > 300 && ties > 10 && kinds[0] > 100 && kinds[1] > 50, "{contacts} {ties} {kinds:?}");
}

/// Continuous worlds know at any time what brute force finds there.
#[test]
fn continuous_contacts_against_instants() {
    let (mut compared, mut begins) = (0, 0);
    for seed in 0..8 {
        let mut dice = Dice::new(seed, &[8]);
        let grain = [Grain::Lattice, Grain::Real][seed as usize % 2];
        let bodies: Vec<BodyDef> = vec![
            cloud(&mut dice, 10, grain).radius(0.75),
            strands(&mut dice, 10, grain).radius(if seed % 4 < 2 { 0.0 } else { 0.25 }),
            soup(&mut dice, 5, grain),
            cloud(&mut dice, 10, grain).radius(0.5).self_contact(true),
        ];
        let make = |engine, contacts| {
            let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap();
            for body in &bodies {
                world.add_body(body.clone()).unwrap();
            }
            world
        };
        let mut world = make(Engine::Kinetic, ContactMode::Continuous);
        let mut brute = make(Engine::BruteForce, ContactMode::AtTimes);
        for step in 1..=24 {
            let time = f64::from(step) * 0.25;
            world.advance_to(time).unwrap();
            assert!(world.audit().is_clean(), "{}", world.audit());
            assert_eq!(world.certified_span(), Span { begin: time - 0.25, end: time });
            begins += world.contact_changes().iter().filter(|change| change.is_begin()).count();
            for change in world.contact_changes() {
                if let kinetree::world::ContactChange::Began { touch: Some(touch), .. } = change {
                    let length = touch.normal.iter().map(|x| x * x).sum::<f64>();
                    assert!((length - 1.0).abs() < 1e-9 && touch.point.iter().all(|x| x.is_finite()), "{change:?}");
                }
            }
            for time in [time - 0.125, time - 0.0625, time] {
                brute.advance_to(time).unwrap();
                let found = world.contacts_at(time).unwrap();
                // Inside the enclosure of a begin or an end the two may differ.
                let doubtful: BTreeSet<Contact> = world
                    .contact_changes()
                    .iter()
                    .filter(|change| change.time().lo <= time && time <= change.time().hi)
                    .map(kinetree::world::ContactChange::contact)
                    .collect();
                let settled = |contacts: &[Contact]| -> Vec<Contact> {
                    contacts.iter().copied().filter(|contact| !doubtful.contains(contact)).collect()
                };
                assert_eq!(settled(&found), settled(brute.contacts()), "seed {seed} at {time} s");
                let missed = brute.contacts().iter().find(|contact| !found.contains(contact));
                assert!(missed.is_none(), "seed {seed} at {time} s misses {missed:?}");
                compared += found.len();
            }
        }
    }
    assert!(compared > 500 && begins > 200, "{compared} {begins}");
}

/// A ball of radius r falls on a floor, at 1 m/s from a height of 4 m: from when to when it
/// touches.
#[test]
fn a_ball_bounces_on_a_floor() {
    let floor = vec![[-4.0f32, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
    for radius in [0.0, 0.5, 1.25] {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        let mesh = kinetree::mesh::Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        world.add_body(BodyDef::new(mesh, kinetree::motion::Flightplan::fixed(floor.clone()))).unwrap();
        let keys = vec![[0.0, 0.0, 4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 4.0]];
        let plan = kinetree::motion::Flightplan::keyframes(vec![0.0, 4.0, 8.0], keys);
        let point = kinetree::mesh::Mesh::points(1).unwrap();
        world.add_body(BodyDef::new(point, plan).radius(radius)).unwrap();
        world.advance_to(8.0).unwrap();
        let times: Vec<_> = world.contact_changes().iter().map(kinetree::world::ContactChange::time).collect();
        assert_eq!(times.len(), 2, "{radius}: {:?}", world.contact_changes());
        for (time, expected) in times.iter().zip([4.0 - radius, 4.0 + radius]) {
            assert!(time.lo <= expected && expected <= time.hi && time.hi - time.lo < 1e-12, "{radius} {time:?}");
        }
    }
}

#[test]
fn engines_agree_on_boxes_and_rays() {
    let mut dice = Dice::new(5, &[]);
    let bodies = [cloud(&mut dice, 40, Grain::Lattice), strands(&mut dice, 40, Grain::Lattice)];
    let mut found = 0;
    let mut answers: Vec<Vec<_>> = Vec::new();
    for engine in ENGINES {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        for body in &bodies {
            world.add_body(body.clone().radius(0.5)).unwrap();
        }
        let mut dice = Dice::new(6, &[]);
        let mut answer = Vec::new();
        for step in 0..12 {
            world.advance_to(f64::from(step) * 0.5).unwrap();
            let corner: [f64; 3] = std::array::from_fn(|_| f64::from(dice.between(-6, 4)));
            let bounds = kinetree::math::Aabb { min: corner, max: corner.map(|x| x + 2.0) };
            let inside = world.query_box(&bounds).0;
            found += inside.len();
            answer.push(inside);
            // Straight through a point and along a segment: neither is ever hit.
            for id in world.bodies().collect::<Vec<_>>() {
                let places = world.positions(id).unwrap();
                let direction: [f64; 3] = std::array::from_fn(|k| places[1][k] - places[0][k]);
                for (origin, direction) in [(places[0], direction), ([0.0; 3], places[2]), (places[3], [0.0; 3])] {
                    assert_eq!(world.cast_ray(origin, direction, f64::INFINITY).0, None);
                }
            }
        }
        answers.push(answer);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert!(found > 100, "{found}");
}
