//! Baked contacts against the world they were taken from, asked at random times and at every number
//! in and around the enclosures of begins and ends; their bytes; what is refused.

use crate::common;
use std::collections::BTreeSet;

use crate::common::checksum::checksum;
use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{Style, random_body};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{
    BakedContacts, BakedContactsError, BakedInterval, BodyDef, Contact, ContactMode, Engine, World, WorldDef,
};

const BEGIN: f64 = 0.25;
const END: f64 = 4.75;

fn world(bodies: &[BodyDef], engine: Engine, contacts: ContactMode) -> World {
    let mut world =
        World::new(WorldDef::new().start(BEGIN).engine(engine).contacts(contacts).keep_events(false)).unwrap();
    for body in bodies {
        world.add_body(body.clone()).unwrap();
    }
    world
}

fn random_bodies(seed: u64, grain: Grain) -> Vec<BodyDef> {
    let mut dice = Dice::new(seed, &[41]);
    let style =
        Style { grain, long: false, triangles: 6, keys: 5, curved: if seed.is_multiple_of(4) { 30 } else { 0 } };
    let count = 2 + dice.below(2);
    (0..count)
        .map(|_| {
            let spec = random_body(&mut dice, style, Span { begin: 0.0, end: 5.0 }, 0);
            let thickness = if dice.percent(25) { 0.25 } else { 0.0 };
            let body = spec.definition("body").self_contact(dice.percent(50)).neighbours(dice.percent(30));
            body.thickness(thickness)
        })
        .collect()
}

/// Times worth asking about, ascending: random ones, ends of enclosures and numbers inside and
/// beside them.
fn times(baked: &BakedContacts, dice: &mut Dice) -> Vec<f64> {
    let mut times: Vec<f64> = (0..12).map(|_| dice.real(BEGIN, END)).collect();
    times.extend([BEGIN, END]);
    let all: Vec<_> = baked.intervals().collect();
    for _ in 0..24.min(4 * all.len()) {
        let interval = dice.pick(&all);
        for time in [interval.begin, interval.end] {
            let between = time.lo + (time.hi - time.lo) * dice.real(0.0, 1.0);
            times.extend([time.lo.next_down(), time.lo, time.lo.next_up(), between, time.hi.next_down(), time.hi]);
            times.push(time.hi.next_up());
        }
    }
    times.retain(|&time| (BEGIN..=END).contains(&time));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[test]
fn what_was_baked_is_what_a_world_shows() {
    let (mut looks, mut shown, mut doubted, mut jumps) = (0, 0, 0, 0);
    for grain in [Grain::Real, Grain::Lattice, Grain::Crooked] {
        for seed in 0..u64::from(cases(25)) {
            let bodies = random_bodies(seed, grain);
            let mut recorded = world(&bodies, Engine::Kinetic, ContactMode::Continuous);
            let before = recorded.identity(BEGIN, END);
            let baked = BakedContacts::record(&mut recorded, END).unwrap();
            assert_eq!((baked.begin(), baked.end(), recorded.time()), (BEGIN, END, END));
            let bytes = baked.to_bytes();
            let read = BakedContacts::from_bytes(&bytes).unwrap();
            assert!(read == baked && read.to_bytes() == bytes);
            // A world that keeps no trees and stands at the begin decides what only a test can
            // tell.
            let holder = world(&bodies, Engine::Refit, ContactMode::AtTimes);
            assert_eq!(holder.identity(BEGIN, END), before);
            assert_eq!(recorded.identity(BEGIN, END), before);
            let mut dice = Dice::new(seed, &[42]);
            let times = times(&baked, &mut dice);
            let mut forwards = Vec::new();
            let mut kinetic = world(&bodies, Engine::Kinetic, ContactMode::Continuous);
            for &time in &times {
                kinetic.advance_to(time).unwrap();
                let found = read.contacts_at(time, &holder).unwrap();
                assert_eq!(found, kinetic.contacts(), "seed {seed} {grain:?} at {time:?}");
                let begins_here = |it: &BakedInterval| it.begin.is_open && it.begin.lo == time;
                jumps += usize::from(baked.intervals().any(|it| begins_here(&it)));
                looks += 1;
                shown += found.len();
                let on = kinetic.ongoing_contacts().len();
                doubted += usize::from(on != found.len());
                forwards.push(found);
            }
            // Backwards, and in any order.
            for (place, &time) in times.iter().enumerate().rev() {
                assert_eq!(read.contacts_at(time, &holder).unwrap(), forwards[place]);
                let other = dice.below(times.len());
                assert_eq!(read.contacts_at(times[other], &recorded).unwrap(), forwards[other]);
            }
            check_intervals(&baked, &bodies);
        }
    }
    assert!(looks > 1500 && shown > 3000 && doubted > 20, "{looks} looks, {shown} contacts, {doubted} doubts");
    assert!(jumps > 10, "{jumps} looks at jumps");
}

/// A recording may begin while triangles touch: then their intervals begin with it, and it answers
/// and is stored as any other.
#[test]
fn a_recording_begins_in_the_middle_of_contacts() {
    let (mut existing, mut asked) = (0, 0);
    for grain in [Grain::Real, Grain::Lattice, Grain::Crooked] {
        for seed in 0..u64::from(cases(8)) {
            let bodies = random_bodies(seed, grain);
            let mut dice = Dice::new(seed, &[43]);
            let mut recorded = world(&bodies, Engine::Kinetic, ContactMode::Continuous);
            // Often at a key or at an end of a contact.
            let whole =
                BakedContacts::record(&mut world(&bodies, Engine::Kinetic, ContactMode::Continuous), END).unwrap();
            let ends: Vec<f64> =
                whole.intervals().flat_map(|it| [it.begin.lo, it.begin.hi, it.end.lo, it.end.hi]).collect();
            let middle = if ends.is_empty() || dice.percent(40) { dice.real(BEGIN, END) } else { dice.pick(&ends) };
            recorded.advance_to(middle.clamp(BEGIN, END)).unwrap();
            let begin = recorded.time();
            existing += recorded.ongoing_contacts().iter().filter(|contact| contact.began.lo < begin).count();
            let baked = BakedContacts::record(&mut recorded, END).unwrap();
            assert!(baked.intervals().all(|it| begin <= it.begin.lo && it.begin.lo <= it.begin.hi));
            let read = BakedContacts::from_bytes(&baked.to_bytes()).unwrap();
            assert!(read == baked);
            let mut kinetic = world(&bodies, Engine::Kinetic, ContactMode::Continuous);
            for time in times(&baked, &mut dice).into_iter().filter(|&time| time >= begin) {
                kinetic.advance_to(time).unwrap();
                assert_eq!(
                    read.contacts_at(time, &recorded).unwrap(),
                    kinetic.contacts(),
                    "seed {seed} {grain:?} {time:?}"
                );
                asked += 1;
            }
        }
    }
    assert!(existing > 5 && asked > 200, "{existing} existed, {asked} asked");
}

/// Intervals against the changes a world tells step by step.
fn check_intervals(baked: &BakedContacts, bodies: &[BodyDef]) {
    let mut kinetic = world(bodies, Engine::Kinetic, ContactMode::Continuous);
    let ids: Vec<_> = kinetic.bodies().collect();
    let mut ended = Vec::new();
    kinetic.advance_to(BEGIN).unwrap();
    for step in 1..=9 {
        kinetic.advance_to(if step == 9 { END } else { BEGIN + f64::from(step) * 0.5 }).unwrap();
        for change in kinetic.contact_changes() {
            if let kinetree::world::ContactChange::Ended { contact, began, time, undecided, .. } = *change {
                ended.push((contact, began.unwrap(), Some(time), undecided));
            }
        }
    }
    ended.extend(kinetic.ongoing_contacts().iter().map(|on| (on.contact, on.began, None, on.undecided)));
    let mut expected: Vec<_> = ended.iter().map(|entry| format!("{entry:?}")).collect();
    let of = |it: kinetree::world::BakedInterval| {
        let (a, b) = (ids[it.a as usize], ids[it.b as usize]);
        let contact = Contact::new([a, b], [it.triangle_a, it.triangle_b]);
        format!("{:?}", (contact, it.begin, (!it.goes_on).then_some(it.end), it.undecided))
    };
    let mut found: Vec<_> = baked.intervals().map(of).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

fn dip(heights: &[f32]) -> Vec<BodyDef> {
    let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
    let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let times = (0..heights.len()).map(|key| key as f64).collect();
    let keys = heights.iter().flat_map(|&z| at(z)).collect();
    vec![
        BodyDef::new(mesh(), Flightplan::fixed(floor.to_vec())),
        BodyDef::new(mesh(), Flightplan::keyframes(times, keys)),
    ]
}

#[test]
fn every_flipped_byte_is_refused() {
    let bodies = dip(&[1.0, -0.5, 1.0, -0.25, 0.5]);
    let baked = BakedContacts::record(&mut world(&bodies, Engine::Kinetic, ContactMode::Continuous), END).unwrap();
    assert_eq!(baked.len(), 2);
    let bytes = baked.to_bytes();
    for length in 0..bytes.len() {
        assert!(BakedContacts::from_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    for place in 0..bytes.len() {
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[place] ^= flip;
            assert!(BakedContacts::from_bytes(&changed).is_err(), "byte {place} flipped by {flip:#x}");
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(BakedContacts::from_bytes(&longer), Err(BakedContactsError::Checksum));
    assert_eq!(BakedContacts::from_bytes(b"PNG!"), Err(BakedContactsError::NotContacts));
    let mut versioned = bytes.clone();
    versioned[4] = 7;
    assert_eq!(BakedContacts::from_bytes(&versioned), Err(BakedContactsError::Version { found: 7, expected: 1 }));
}

/// A span, with its checksum, that ends before its contacts begin.
#[test]
fn contacts_outside_their_span_are_refused() {
    let bodies = dip(&[1.0, -0.5, 1.0, -0.25, 0.5]);
    let baked = BakedContacts::record(&mut world(&bodies, Engine::Kinetic, ContactMode::Continuous), END).unwrap();
    assert!(baked.len() == 2 && baked.intervals().all(|it| it.begin.lo > 0.5 && !it.goes_on));
    let bytes = baked.to_bytes();
    let mut forged = bytes[..bytes.len() - 8].to_vec();
    // Magic number, version and begin come before.
    assert_eq!(forged[16..24], END.to_le_bytes());
    forged[16..24].copy_from_slice(&0.5f64.to_le_bytes());
    let sum = checksum(&forged).to_le_bytes();
    forged.extend(sum);
    let refused = BakedContactsError::Inconsistent { what: "an interval" };
    assert_eq!(BakedContacts::from_bytes(&forged), Err(refused));
}

/// A contact of a triangle with itself, with a checksum that fits.
#[test]
fn a_contact_of_a_triangle_with_itself_is_refused() {
    // Two triangles of one body that touch throughout.
    let places =
        vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.25, -1.0], [0.5, 0.25, 1.0], [0.25, 0.5, 1.0]];
    let mesh = Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let body = BodyDef::new(mesh, Flightplan::fixed(places)).self_contact(true);
    let baked = BakedContacts::record(&mut world(&[body], Engine::Kinetic, ContactMode::Continuous), END).unwrap();
    assert_eq!(baked.intervals().map(|it| (it.triangle_a, it.triangle_b)).collect::<Vec<_>>(), [(0, 1)]);
    let bytes = baked.to_bytes();
    let body = &bytes[..bytes.len() - 8];
    // Both numbers lie beside each other, one byte each.
    let mut refused = 0;
    for place in (6..body.len() - 1).filter(|&place| body[place..place + 2] == [0, 1]) {
        let mut forged = body.to_vec();
        forged[place + 1] = 0;
        let sum = checksum(&forged).to_le_bytes();
        forged.extend(sum);
        let read = BakedContacts::from_bytes(&forged);
        refused += usize::from(read == Err(BakedContactsError::Inconsistent { what: "triangles of one body" }));
    }
    assert_eq!(refused, 1);
}

/// Bytes that were changed by somebody who knows how to make a checksum: refused, or read as
/// something that can be asked.
#[test]
fn forged_bytes_never_panic() {
    let bodies = dip(&[1.0, -0.5, 1.0, -0.25, 0.5]);
    let holder = world(&bodies, Engine::Refit, ContactMode::AtTimes);
    let baked = BakedContacts::record(&mut world(&bodies, Engine::Kinetic, ContactMode::Continuous), END).unwrap();
    let bytes = baked.to_bytes();
    let body = &bytes[..bytes.len() - 8];
    let (mut dice, mut refused, mut read) = (Dice::new(5, &[1]), 0, 0);
    for round in 0..4000 {
        let mut forged = body.to_vec();
        for _ in 0..=round % 3 {
            let place = 6 + dice.below(forged.len() - 6);
            match dice.below(4) {
                0 => forged[place] ^= 1 << dice.below(8),
                1 => forged[place] = dice.pick(&[0, 1, 0x7f, 0x80, 0xff]),
                2 => {
                    forged.remove(place);
                }
                _ => forged.insert(place, dice.pick(&[0, 1, 0x7f, 0x80, 0xff])),
            }
        }
        let sum = checksum(&forged).to_le_bytes();
        forged.extend(sum);
        match BakedContacts::from_bytes(&forged) {
            Err(error) => {
                assert!(!error.to_string().is_empty() && error != BakedContactsError::Checksum);
                refused += 1;
            }
            Ok(contacts) => {
                for time in [BEGIN, 1.0, 2.0 / 3.0, 3.1, END] {
                    let _ = contacts.contacts_at(time, &holder);
                }
                assert!(contacts.size() < 1 << 16 && contacts.intervals().count() == contacts.len());
                read += 1;
            }
        }
    }
    assert!(refused > 500 && read > 500, "{refused} refused, {read} read");
}

/// Contacts asked of worlds with other motions, rules and self contacts: an answer or an error.
#[test]
fn other_worlds_of_the_same_sizes_never_panic() {
    let (mut answers, mut doubtful) = (0, 0);
    for seed in 0..120 {
        let mut dice = Dice::new(seed, &[43]);
        let grain = dice.pick(&[Grain::Lattice, Grain::Crooked]);
        let bodies = random_bodies(seed, grain);
        let baked = BakedContacts::record(&mut world(&bodies, Engine::Kinetic, ContactMode::Continuous), END).unwrap();
        let others = random_bodies(seed + 1000, grain);
        let style = Style { grain, long: false, triangles: 6, keys: 5, curved: 30 };
        let changed: Vec<BodyDef> = bodies
            .iter()
            .zip(others.iter().cycle())
            .map(|(body, other)| {
                let mesh = body.shape.mesh().unwrap();
                let rest = body.motion.rest_positions(mesh.vertex_count()).to_vec();
                let plan = common::scene::random_plan(&mut dice, &rest, style, Span { begin: 0.0, end: 5.0 });
                let def = BodyDef::new(mesh.clone(), plan.flightplan()).self_contact(other.self_contact);
                def.neighbours(other.neighbours).thickness(other.thickness)
            })
            .collect();
        let Ok(mut holder) = World::new(WorldDef::default().start(BEGIN).engine(Engine::Refit)) else {
            continue;
        };
        if !changed.iter().all(|def| holder.add_body(def.clone()).is_ok()) {
            continue;
        }
        for time in times(&baked, &mut dice) {
            answers += usize::from(baked.contacts_at(time, &holder).is_ok());
        }
        doubtful += baked.len();
    }
    assert!(answers > 1000 && doubtful > 500, "{answers} answers, {doubtful} intervals");
}

#[test]
fn what_cannot_be_recorded_or_asked() {
    let bodies = dip(&[1.0, -0.5, 1.0]);
    let at_times = BakedContacts::record(&mut world(&bodies, Engine::Kinetic, ContactMode::AtTimes), END);
    assert_eq!(at_times, Err(BakedContactsError::NotContinuous));
    let mut kinetic = world(&bodies, Engine::Kinetic, ContactMode::Continuous);
    assert!(matches!(BakedContacts::record(&mut kinetic, 0.0), Err(BakedContactsError::Advance(_))));
    assert_eq!(kinetic.time(), BEGIN);
    let tip = kinetic.bodies().nth(1).unwrap();
    let stop = VertexFlightplan::Velocity { from: None, velocity: [0.0; 3] };
    kinetic.schedule_vertex_flightplans(tip, 2.0, &[(0, stop)]).unwrap();
    assert_eq!(BakedContacts::record(&mut kinetic, END), Err(BakedContactsError::ChangesScheduled { time: 2.0 }));
    let baked = BakedContacts::record(&mut world(&bodies, Engine::Kinetic, ContactMode::Continuous), END).unwrap();
    let holder = world(&bodies, Engine::Refit, ContactMode::AtTimes);
    for time in [0.0, 5.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(baked.contacts_at(time, &holder), Err(BakedContactsError::NoSuchTime { .. })), "{time}");
    }
    let lonely = world(&bodies[..1], Engine::Refit, ContactMode::AtTimes);
    assert!(matches!(baked.contacts_at(1.0, &lonely), Err(BakedContactsError::OtherWorld { .. })));
    let whole = holder.identity(BEGIN, END);
    // What identity notices: another key, another thickness, another shape, self contact.
    let others = [
        dip(&[1.0, -0.5, 1.25]),
        vec![bodies[0].clone(), bodies[1].clone().thickness(0.1)],
        vec![bodies[0].clone(), bodies[1].clone().self_contact(true)],
        vec![bodies[1].clone(), bodies[0].clone()],
    ];
    let identities: BTreeSet<String> = others
        .iter()
        .map(|others| format!("{:?}", world(others, Engine::Refit, ContactMode::AtTimes).identity(BEGIN, END)))
        .chain([format!("{whole:?}")])
        .collect();
    assert_eq!(identities.len(), 5);
    // What it does not mind: names.
    let named: Vec<BodyDef> = bodies.iter().map(|body| body.clone().named("other")).collect();
    assert_eq!(world(&named, Engine::BruteForce, ContactMode::AtTimes).identity(BEGIN, END), whole);
}

/// Nothing touched, or something did; and a span without a begin, with a checksum that fits.
#[test]
fn recordings_of_nothing_and_spans_without_a_begin() {
    let still = |z: f32| {
        let places = vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
        BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(places))
    };
    for (height, is_empty) in [(5.0, true), (0.0, false)] {
        let mut world = world(&[still(0.0), still(height)], Engine::Kinetic, ContactMode::Continuous);
        let baked = BakedContacts::record(&mut world, END).unwrap();
        assert_eq!((baked.is_empty(), baked.intervals().next().is_none()), (is_empty, is_empty));
        if is_empty {
            let bytes = baked.to_bytes();
            let mut forged = bytes[..bytes.len() - 8].to_vec();
            assert_eq!(forged[8..16], BEGIN.to_le_bytes());
            forged[8..16].copy_from_slice(&f64::NEG_INFINITY.to_le_bytes());
            let sum = checksum(&forged).to_le_bytes();
            forged.extend(sum);
            let refused = BakedContacts::from_bytes(&forged);
            assert!(matches!(refused, Err(BakedContactsError::Inconsistent { .. })), "{refused:?}");
        }
    }
}
