//! Advances and changes that a bound refuses: what is told, counted and refused then.

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::world::{
    AdvanceError, BodyDef, Contact, ContactChange, ContactMode, Engine, Filter, NextEvent, World, WorldDef, WorldError,
    WorldLimits,
};

use crate::common::shapes::soup_triangles;
use crate::flat_triangles::{fixed, triangle};

/// Triangles that stand upright around a height, all of them in the triangle that lies at `x`.
fn upright(triangles: usize, x: f32, height: f32) -> Vec<[f32; 3]> {
    let at = |number: usize| {
        let top = height + 0.1 + 0.01 * number as f32;
        [[x + 0.1, 0.1, height - 0.1], [x + 0.2, 0.1, height + 0.1], [x + 0.1, 0.2, top]]
    };
    (0..triangles).flat_map(at).collect()
}

/// Upright triangles at these heights at these times.
fn upright_at(triangles: usize, x: f32, keys: &[(f64, f32)]) -> BodyDef {
    let mesh = Mesh::new(3 * triangles, soup_triangles(triangles)).unwrap();
    let positions = keys.iter().flat_map(|&(_, height)| upright(triangles, x, height)).collect();
    BodyDef::new(mesh, Flightplan::keyframes(keys.iter().map(|key| key.0).collect(), positions))
}

fn limits(contacts: usize) -> WorldLimits {
    WorldLimits { contacts, ..WorldLimits::DEFAULT }
}

#[test]
fn continuous_changes_are_told_once_however_often_an_advance_is_refused() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let def = WorldDef::new().engine(engine).contacts(ContactMode::Continuous).limits(limits(3));
        let mut world = World::new(def).unwrap();
        // One that begins before, and two pairs that become too many at one time.
        for x in [0.0, 10.0, 20.0] {
            world.add_body(fixed([x, 0.0, 0.0])).unwrap();
        }
        let others = Filter::new(2, 1);
        world.add_body(upright_at(1, 0.0, &[(0.0, 2.0), (2.0, -2.0)]).filter(others)).unwrap();
        for (triangles, x) in [(5, 10.0), (9, 20.0)] {
            let keys = [(0.0, 8.0), (4.0, 4.0), (6.0, 0.0), (20.0, 0.0)];
            world.add_body(upright_at(triangles, x, &keys).filter(others)).unwrap();
        }
        let (mut begun, mut ended, mut refusals): (Vec<Contact>, _, _) = (Vec::new(), 0, Vec::new());
        for contacts in [3, 3, 5, 5, 100, 100] {
            world.set_limits(limits(contacts));
            let clock = world.time();
            let outcome = world.advance_to(10.0);
            refusals.push(outcome.is_err());
            // One contact is on at 1 s: where that is certified, it is told.
            assert_eq!(world.certified_span().begin, clock, "{engine}");
            if let Ok(contacts) = world.contacts_at(1.0) {
                assert_eq!(contacts.len(), 1, "{engine}");
            }
            for change in world.contact_changes() {
                match change {
                    ContactChange::Began { contact, .. } => begun.push(*contact),
                    ContactChange::Ended { .. } => ended += 1,
                    _ => unreachable!("two kinds"),
                }
            }
        }
        assert_eq!(refusals, [true, true, true, true, false, false], "{engine}");
        begun.sort_unstable();
        let mut once = begun.clone();
        once.dedup();
        assert_eq!((begun.len(), once.len(), ended), (15, 15, 1), "{engine}: {begun:?}");
    }
}

#[test]
fn an_advance_that_is_refused_at_its_start_tells_nothing_of_the_one_before() {
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        let bound = WorldLimits { body_pairs: 3, ..WorldLimits::DEFAULT };
        let mut world = World::new(WorldDef::new().engine(Engine::Kinetic).contacts(mode).limits(bound)).unwrap();
        world.add_body(fixed([0.0; 3])).unwrap();
        world.add_body(upright_at(1, 0.0, &[(0.0, 1.0), (0.5, 0.0), (20.0, 0.0)]).filter(Filter::new(2, 1))).unwrap();
        let alone = |number: u32| fixed([0.0, 0.0, 0.001]).filter(Filter::new(1 << (8 + number), 0));
        let others: Vec<_> = (0..4).map(|number| world.add_body(alone(number)).unwrap()).collect();
        world.advance_to(1.0).unwrap();
        assert_eq!((world.contact_changes().len(), world.body_pair_changes().len()), (1, 1), "{mode:?}");
        let refused: Vec<_> = others.iter().map(|&body| world.set_filter(body, Filter::new(4, !0))).collect();
        assert!(refused.iter().any(|done| matches!(done, Err(WorldError::Limit { .. }))), "{refused:?}");
        let pending = world.contact_changes().len();
        assert!(matches!(world.advance_to(2.0), Err(AdvanceError::Limit { time: 1.0, .. })), "{mode:?}");
        let old = world.contact_changes().iter().filter(|change| change.time().hi < 1.0).count();
        assert_eq!(old, 0, "{mode:?}, {pending} before: {:?}", world.contact_changes());
        if mode == ContactMode::AtTimes {
            assert!(world.contact_changes().is_empty() && world.body_pair_changes().is_empty());
        }
    }
}

/// A body leaves twelve others, and comes back. As many are near, its fat box is small, and is replaced often.
#[test]
fn pairs_beyond_a_lowered_bound_may_part() {
    let bound = WorldLimits { body_pairs: 5, ..WorldLimits::DEFAULT };
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        let mut world = World::new(WorldDef::new().engine(Engine::Kinetic).contacts(mode)).unwrap();
        for number in 0..12 {
            world.add_body(fixed([0.0, 0.0, 0.01 * number as f32]).filter(Filter::new(1, 2))).unwrap();
        }
        let keys = [0.0, 90.0, 90.0, 0.0].map(|x| upright(1, x, 0.05)).concat();
        let plan = Flightplan::keyframes(vec![0.0, 9.0, 11.0, 20.0], keys);
        world.add_body(BodyDef::new(triangle(), plan).filter(Filter::new(2, 1))).unwrap();
        assert_eq!(world.contacts().len(), 12);
        world.set_limits(bound);
        for step in 1..=20 {
            assert_eq!(world.advance_to(0.5 * f64::from(step)), Ok(()), "{mode:?}");
        }
        assert!(world.audit().is_clean(), "{mode:?}: {}", world.audit());
        // Now the bound holds.
        let refused = world.advance_to(20.0);
        assert!(matches!(refused, Err(AdvanceError::Limit { what: "pairs of bodies", limit: 5, .. })), "{refused:?}");
        world.set_limits(WorldLimits::DEFAULT);
        world.advance_to(20.0).unwrap();
        assert!(world.audit().is_clean(), "{mode:?}: {}", world.audit());
    }
}

#[test]
fn brute_force_counts_pairs_and_not_bodies() {
    let bound = WorldLimits { body_pairs: 1, ..WorldLimits::DEFAULT };
    let new = || World::new(WorldDef::new().engine(Engine::BruteForce).limits(bound)).unwrap();
    // None of them meets another.
    let mut world = new();
    for number in 0..5 {
        world.add_body(fixed([0.0; 3]).filter(Filter::new(1 << number, 0))).unwrap();
    }
    // A body with itself is a pair, too.
    let mut world = new();
    world.add_body(fixed([0.0; 3])).unwrap();
    let refused = world.add_body(fixed([0.0; 3]).self_contact(true)).map(drop);
    assert_eq!(refused, Err(WorldError::Limit { what: "pairs of bodies", limit: 1 }));
    assert_eq!(world.bodies().count(), 1);
    world.add_body(fixed([0.0; 3])).unwrap();
    let refused = world.add_body(fixed([0.0; 3])).map(drop);
    assert_eq!(refused, Err(WorldError::Limit { what: "pairs of bodies", limit: 1 }));
}

#[test]
fn what_was_decided_beyond_a_bound_is_counted_once() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let world = |limits| {
            let def = WorldDef::new().engine(engine).contacts(ContactMode::Continuous).limits(limits);
            let mut world = World::new(def).unwrap();
            let others = Filter::new(2, 1);
            // Some touch from the begin; more touch after 4 s.
            for (triangles, x, height) in [(20, 10.0, 0.0), (40, 0.0, 4.0)] {
                world.add_body(fixed([x, 0.0, 0.0])).unwrap();
                let keys = [(0.0, height), (4.0, height), (6.0, 0.0), (20.0, 0.0)];
                world.add_body(upright_at(triangles, x, &keys).filter(others)).unwrap();
            }
            world
        };
        // One step, and steps so short that what comes is decided ahead.
        for (step, contacts) in [(10.0, 50), (0.1, 50), (0.1, 30)] {
            let (mut bounded, mut free) = (world(limits(contacts)), world(WorldLimits::DEFAULT));
            let mut is_bounded = true;
            for time in (1..).map(|number| step * f64::from(number)).take_while(|time| *time <= 10.0) {
                free.advance_to(time).unwrap();
                if bounded.advance_to(time).is_err() {
                    assert!(is_bounded && bounded.advance_to(time).is_err(), "{engine}");
                    bounded.set_limits(WorldLimits::DEFAULT);
                    bounded.advance_to(time).unwrap();
                    is_bounded = false;
                }
            }
            assert!(!is_bounded);
            assert_eq!(bounded.contacts(), free.contacts());
            assert_eq!(bounded.interval_stats(), free.interval_stats(), "{engine}, steps of {step} s");
        }
    }
}

/// A loop jumps into its first round at the time sought, out of the reach of what it touched.
#[test]
fn ends_told_by_a_seek_are_not_open() {
    let mut world = World::new(WorldDef::new().start(0.5).contacts(ContactMode::Continuous)).unwrap();
    world.add_body(fixed([0.0; 3])).unwrap();
    let keys = [upright(1, 0.0, 5.0), upright(1, 0.0, 0.0), upright(1, 0.0, 0.0)].concat();
    let plan = Flightplan::keyframes(vec![1.0, 1.25, 2.0], keys).outside(Outside::Loop);
    world.add_body(BodyDef::new(triangle(), plan)).unwrap();
    assert_eq!(world.contacts().len(), 1);
    world.seek(1.0).unwrap();
    assert!(world.contacts().is_empty());
    let change = world.contact_changes().last().unwrap();
    let time = change.time();
    assert_eq!((change.is_begin(), time.lo, time.hi, time.is_open), (false, 1.0, 1.0, false));
}

/// Two pairs together have more contacts than the bound for a time; the advance is cancelled then.
#[cfg(feature = "record")]
#[test]
fn an_advance_that_is_cancelled_beyond_a_bound_replays() {
    use kinetree::Cancel;
    use kinetree::replay::{Recording, RecordingWorld, StateHash};

    let mut between = 0;
    for reads in 0..60 {
        let mut file = Vec::new();
        let def = WorldDef::new().contacts(ContactMode::Continuous).limits(limits(3));
        let mut world = RecordingWorld::new(def, &mut file).unwrap();
        for x in [0.0, 10.0] {
            world.add_body(fixed([x, 0.0, 0.0])).unwrap();
        }
        for x in [0.0, 10.0] {
            let keys = [(0.0, 2.0), (1.0, 0.0), (1.5, 0.0), (2.0, 0.0), (3.0, 2.0)];
            world.add_body(upright_at(2, x, &keys).filter(Filter::new(2, 1))).unwrap();
        }
        let progress = world.advance_to_unless(4.0, &Cancel::after_reads(reads)).unwrap();
        between += usize::from(!progress.is_done && (1.0..2.0).contains(&progress.time));
        let world = world.finish().unwrap();
        let replayed = Recording::from_bytes(&file).unwrap().replay().unwrap();
        assert_eq!(replayed.divergence, None, "{reads}");
        assert_eq!(StateHash::of(&replayed.world), StateHash::of(&world), "{reads}");
        let (mut one, mut other) = (replayed.world, world);
        one.advance_to(5.0).unwrap();
        other.advance_to(5.0).unwrap();
        assert_eq!(StateHash::of(&one), StateHash::of(&other), "{reads}");
    }
    assert!(between > 0);
}

/// What was not found comes with the next advance, even to the same time.
#[test]
fn the_next_event_is_unknown_where_contacts_are() {
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        let mut world = World::new(WorldDef::new().contacts(mode).limits(limits(1))).unwrap();
        world.add_body(fixed([0.0; 3])).unwrap();
        world.add_body(upright_at(2, 0.0, &[(0.0, 8.0), (1.0, 0.0)])).unwrap();
        assert!(matches!(world.advance_to(1.5), Err(AdvanceError::Limit { what: "contacts", .. })), "{mode:?}");
        assert_eq!(world.next_event(), NextEvent::Unknown, "{mode:?}");
        world.set_limits(WorldLimits::DEFAULT);
        assert_eq!(world.next_event(), NextEvent::Unknown, "{mode:?}");
        world.advance_to(1.5).unwrap();
        assert_eq!((world.contacts().len(), world.next_event()), (2, NextEvent::Never), "{mode:?}");
    }
}

/// Bodies that are swept come near a third one; the host goes on after each refusal.
#[cfg(feature = "record")]
#[test]
fn refusals_that_come_again_and_again_take_no_memory() {
    let bound = WorldLimits { body_pairs: 8, ..WorldLimits::DEFAULT };
    let mut world = World::new(WorldDef::new().engine(Engine::Refit).limits(bound)).unwrap();
    for x in [0.0, 0.0, 50.0] {
        let keys = [upright(1, x, 0.0), upright(1, 0.0, 0.0), upright(1, 0.01, 0.0)].concat();
        world.add_body(BodyDef::new(triangle(), Flightplan::keyframes(vec![0.0, 1.0, 100.0], keys))).unwrap();
    }
    let mut sizes = Vec::new();
    for step in 1..=200 {
        let refused = world.advance_to(1.0 + 0.125 * f64::from(step));
        assert!(matches!(refused, Err(AdvanceError::Limit { what: "pairs of bodies", .. })), "{refused:?}");
        sizes.push(world.to_bytes().unwrap().len());
    }
    assert!(sizes[199] <= sizes[1] + 32, "{} bytes, {} after 200 refusals", sizes[1], sizes[199]);
}
