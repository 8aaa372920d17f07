//! Begins and ends of pairs of bodies.

use std::collections::{BTreeMap, BTreeSet};

use kinetree::{BodyDef, BodyId, BodyPairChange, Contact, ContactMode, Engine, Filter, Flightplan, Mesh, World};

use crate::scene::{ENGINES, world};

type Pair = (BodyId, BodyId);

fn pairs(contacts: &[Contact]) -> BTreeSet<Pair> {
    contacts.iter().map(|contact| (contact.a, contact.b)).collect()
}

/// The pairs that are on after changes, which must be begins of pairs that are off and ends of those that are on.
fn follow(on: &mut BTreeSet<Pair>, changes: &[BodyPairChange]) {
    for change in changes {
        let pair = (change.a, change.b);
        assert_eq!((change.contact.a, change.contact.b), pair);
        assert!(if change.is_begin { on.insert(pair) } else { on.remove(&pair) }, "{change:?} of {on:?}");
    }
}

#[test]
fn pairs_at_times_are_those_of_brute_force() {
    let mut seen = [0, 0];
    for seed in 0..6 {
        for engine in ENGINES {
            let (mut player, _) = world(engine, ContactMode::AtTimes, seed, 7);
            let (mut brute, _) = world(Engine::BruteForce, ContactMode::AtTimes, seed, 7);
            let mut on = BTreeSet::new();
            for step in 0..=40 {
                let time = f64::from(step) / 20.0;
                player.advance_to(time).unwrap();
                brute.advance_to(time).unwrap();
                let changes = player.body_pair_changes();
                let before = on.clone();
                follow(&mut on, &changes);
                assert_eq!(on, pairs(brute.contacts()), "{engine} at {time}");
                // At a time, no pair both ends and begins.
                assert_eq!(changes.len(), before.symmetric_difference(&on).count());
                assert!(changes.iter().all(|change| (change.time.lo, change.time.hi) == (time, time)));
                changes.iter().for_each(|change| seen[usize::from(change.is_begin)] += 1);
                for (&a, &b) in before.union(&on).map(|(a, b)| (a, b)) {
                    let own = player.pair(b, a).unwrap();
                    let all: Vec<Contact> =
                        player.contacts().iter().copied().filter(|contact| (contact.a, contact.b) == (a, b)).collect();
                    assert_eq!((own.contacts(), own.is_touching()), (&all[..], !all.is_empty()));
                }
            }
        }
    }
    assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
}

/// From when to when each pair is on, by the union of the intervals of its triangles; seconds.
fn unions(world: &mut World, times: &[f64]) -> BTreeMap<Pair, Vec<[f64; 2]>> {
    let mut open: BTreeMap<Contact, f64> = BTreeMap::new();
    let mut intervals: BTreeMap<Pair, Vec<[f64; 2]>> = BTreeMap::new();
    for &time in times {
        world.advance_to(time).unwrap();
        for change in world.contact_changes() {
            let contact = change.contact();
            if change.is_begin() {
                assert!(open.insert(contact, change.time().lo).is_none());
            } else {
                let begin = open.remove(&contact).unwrap();
                intervals.entry((contact.a, contact.b)).or_default().push([begin, change.time().hi]);
            }
        }
    }
    for (contact, begin) in open {
        intervals.entry((contact.a, contact.b)).or_default().push([begin, f64::INFINITY]);
    }
    for own in intervals.values_mut() {
        own.sort_by(|x, y| x[0].total_cmp(&y[0]));
        let mut joined: Vec<[f64; 2]> = Vec::new();
        for &[begin, end] in own.iter() {
            match joined.last_mut() {
                Some(last) if begin <= last[1] => last[1] = last[1].max(end),
                _ => joined.push([begin, end]),
            }
        }
        *own = joined;
    }
    intervals
}

#[test]
fn continuous_pairs_are_unions_of_their_triangles() {
    let mut count = 0;
    for seed in 0..6 {
        for engine in [Engine::Auto, Engine::Kinetic] {
            let expected = unions(&mut world(engine, ContactMode::Continuous, seed, 7).0, &[2.0]);
            for steps in [1, 7, 40] {
                let (mut player, _) = world(engine, ContactMode::Continuous, seed, 7);
                let mut found: BTreeMap<Pair, Vec<[f64; 2]>> = BTreeMap::new();
                let mut on: BTreeSet<Pair> = BTreeSet::new();
                for step in 0..=steps {
                    player.advance_to(2.0 * f64::from(step) / f64::from(steps)).unwrap();
                    let changes = player.body_pair_changes();
                    follow(&mut on, &changes);
                    for change in &changes {
                        let own = found.entry((change.a, change.b)).or_default();
                        if change.is_begin {
                            assert!(change.touch.is_some() || change.time.lo == 0.0);
                            own.push([change.time.lo, f64::INFINITY]);
                        } else {
                            own.last_mut().unwrap()[1] = change.time.hi;
                        }
                    }
                    assert_eq!(on, player.ongoing_contacts().iter().map(|on| (on.contact.a, on.contact.b)).collect());
                }
                assert_eq!(found, expected, "{engine}, {steps} steps");
                count += found.values().map(Vec::len).sum::<usize>();
            }
        }
    }
    assert!(count > 500, "{count}");
}

/// A triangle at a height over the plane z = 0, with vertices moving by keys.
fn flat(heights: &[(f64, f32)]) -> BodyDef {
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let keys = heights.iter().flat_map(|&(_, z)| corners.map(|[x, y]| [x, y, z])).collect();
    let times = heights.iter().map(|&(time, _)| time).collect();
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::keyframes(times, keys))
}

#[test]
fn removed_bodies_end_their_pairs_once() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
            let mut world = World::new(kinetree::WorldDef::new().engine(engine).contacts(mode)).unwrap();
            let floor = world.add_body(flat(&[(0.0, 0.0), (9.0, 0.0)])).unwrap();
            let first = world.add_body(flat(&[(0.0, 0.0), (9.0, 0.0)])).unwrap();
            world.advance_to(1.0).unwrap();
            assert_eq!(world.body_pair_changes().iter().filter(|change| change.is_begin).count(), 1);
            world.advance_to(2.0).unwrap();
            assert_eq!(world.body_pair_changes(), []);
            world.remove_body(first).unwrap();
            // The next body has the same index.
            let second = world.add_body(flat(&[(0.0, 0.0), (9.0, 0.0)])).unwrap();
            world.advance_to(3.0).unwrap();
            let changes = world.body_pair_changes();
            let told: Vec<_> = changes.iter().map(|change| (change.a, change.b, change.is_begin)).collect();
            match mode {
                ContactMode::Continuous => assert_eq!(told, [(floor, first, false), (floor, second, true)]),
                _ => assert_eq!(told.len(), 2),
            }
            assert!(world.pair(floor, first).is_err());
        }
    }
}

#[test]
fn an_end_that_is_undone_at_the_same_time_is_left_out() {
    let mut world = World::new(kinetree::WorldDef::new().contacts(ContactMode::Continuous)).unwrap();
    let floor = world.add_body(flat(&[(0.0, 0.0), (9.0, 0.0)])).unwrap();
    let ball = world.add_body(flat(&[(0.0, 1.0), (1.0, 0.0), (2.0, 0.0), (3.0, 1.0)])).unwrap();
    world.advance_to(1.5).unwrap();
    assert_eq!(world.body_pair_changes().len(), 1);
    world.advance_to(1.75).unwrap();
    // Contacts end and begin again, and the pair goes on.
    world.set_pair_thickness(floor, ball, Some(0.5)).unwrap();
    assert_eq!(world.contact_changes().len(), 2);
    assert_eq!(world.body_pair_changes(), []);
    world.advance_to(3.0).unwrap();
    let [end] = world.body_pair_changes()[..] else { panic!() };
    assert!(!end.is_begin && end.time.lo <= 2.5 && 2.5 <= end.time.hi && end.time.hi - end.time.lo < 1e-12, "{end:?}");
}

#[test]
fn a_view_tells_what_may_touch_and_from_which_distance() {
    let mut world = World::new(kinetree::WorldDef::new()).unwrap();
    let floor = world.add_body(flat(&[(0.0, 0.0)]).thickness(0.5)).unwrap();
    let ghost = world.add_body(flat(&[(0.0, 0.0)]).filter(Filter::new(2, 2))).unwrap();
    let pair = world.pair(ghost, floor).unwrap();
    assert_eq!((pair.may_touch(), pair.is_touching(), pair.thickness()), (false, false, 0.25));
    assert!(!world.pair(floor, floor).unwrap().may_touch());
    world.set_pair_watched(floor, ghost, true).unwrap();
    world.set_pair_thickness(floor, ghost, Some(0.125)).unwrap();
    let pair = world.pair(floor, ghost).unwrap();
    assert_eq!((pair.may_touch(), pair.is_touching(), pair.thickness()), (true, true, 0.125));
}
