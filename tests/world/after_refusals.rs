//! What follows a call that met a bound or was cancelled: contacts, changes and queries are those of a world in which it did not happen.

use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::time::Span;
use kinetree::world::{
    AdvanceError, BodyDef, Contact, ContactChange, ContactMode, Engine, Filter, World, WorldDef, WorldError,
    WorldLimits,
};
use kinetree::{BodyId, Cancel};

use crate::common::shapes::soup_triangles;
use crate::flat_triangles::{fixed, flat, triangle};

const PAIRS: &str = "pairs of bodies";

/// At height 1 at 0 s, at height 0 from 1 s on.
fn falling(x: f32) -> BodyDef {
    let keys = [1.0, 0.0, 0.0].map(|z| flat([x, 0.0, z])).concat();
    BodyDef::new(triangle(), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))
}

/// Walls far from each other, and as many loops, each at its wall at the end of its round. Then all jump to one place.
fn wrapping(count: usize, mode: ContactMode, engine: Engine, limits: WorldLimits) -> World {
    let mut world = World::new(WorldDef::new().start(0.75).engine(engine).contacts(mode).limits(limits)).unwrap();
    for number in 0..count {
        world.add_body(fixed([0.0, 1000.0 * number as f32, 0.0])).unwrap();
    }
    for number in 0..count {
        let y = 1000.0 * number as f32;
        let keys = [[5000.0 + 0.01 * number as f32, -3000.0, 3.0], [5.0, y, 1.0], [0.0, y, 0.0]].map(flat).concat();
        let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], keys).outside(Outside::Loop);
        world.add_body(BodyDef::new(triangle(), plan)).unwrap();
    }
    world
}

/// A body that meets none of the others adds no pair: a bound that is lower than what is there does not refuse it.
#[test]
fn a_body_without_a_pair_can_be_added_beyond_a_lowered_bound() {
    for engine in [Engine::BruteForce, Engine::Refit, Engine::Kinetic] {
        let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
        for _ in 0..3 {
            world.add_body(fixed([0.0; 3])).unwrap();
        }
        world.set_limits(WorldLimits { body_pairs: 1, ..WorldLimits::DEFAULT });
        let alone = || fixed([0.0, 1e6, 0.0]).filter(Filter::new(0, 0));
        world.add_body(alone()).unwrap_or_else(|error| panic!("{engine:?}: {error}"));
        let refused = world.add_body(fixed([0.0; 3]));
        assert!(matches!(refused, Err(WorldError::Limit { what: PAIRS, limit: 1 })), "{engine:?}: {refused:?}");
    }
}

/// What a host asks after it raised the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Advance,
    Remove,
}

#[test]
fn pairs_that_become_too_many_just_after_a_wrap_leave_no_time_with_a_part_of_its_contacts() {
    const COUNT: usize = 20;
    let after = 1.0f64.next_up();
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        for (limit, then) in
            [50, 100, 150].into_iter().flat_map(|limit| [(limit, Then::Advance), (limit, Then::Remove)])
        {
            let name = format!("{mode:?}, {limit}, {then:?}");
            let limits = WorldLimits { body_pairs: limit, ..WorldLimits::DEFAULT };
            let mut bounded = wrapping(COUNT, mode, Engine::Kinetic, limits);
            for attempt in 0..2 {
                let refused = bounded.advance_to(1.5);
                let limit = limit as u64;
                assert_eq!(refused, Err(AdvanceError::Limit { what: PAIRS, limit, time: after }), "{name}");
                assert_eq!(bounded.time(), after, "{name}");
                assert!(bounded.certified_span().end < after, "{name}");
                assert!(matches!(bounded.contacts_at(after), Err(WorldError::NotCertified { .. })), "{name}");
                if mode == ContactMode::Continuous && attempt == 0 {
                    assert_eq!(bounded.contacts_at(1.0).unwrap().len(), COUNT, "{name}");
                }
            }
            bounded.set_limits(WorldLimits::DEFAULT);
            let mut free = wrapping(COUNT, ContactMode::AtTimes, Engine::BruteForce, WorldLimits::NONE);
            let last = bounded.bodies().last().unwrap();
            free.advance_to(after).unwrap();
            match then {
                Then::Advance => bounded.advance_to(after).unwrap(),
                Then::Remove => {
                    bounded.remove_body(last).unwrap();
                    free.remove_body(last).unwrap();
                }
            }
            assert_eq!((bounded.time(), bounded.contacts()), (after, free.contacts()), "{name}");
            assert!(bounded.contacts().len() > 100 && bounded.certified_span().end == after, "{name}");
            assert!(bounded.audit().is_clean(), "{name}: {}", bounded.audit());
            for time in [1.25, 1.5, 2.0, 2.75] {
                bounded.advance_to(time).unwrap();
                free.advance_to(time).unwrap();
                assert_eq!(bounded.contacts(), free.contacts(), "{name} at {time}");
                assert!(bounded.audit().is_clean(), "{name} at {time}: {}", bounded.audit());
            }
        }
    }
}

#[test]
fn pairs_that_become_too_many_just_after_a_wrap_lose_no_change() {
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        for limit in [50, 100, 150] {
            let told = |limits, ask: &dyn Fn(&mut World)| {
                let mut world = wrapping(20, mode, Engine::Kinetic, limits);
                world.advance_to(1.0).unwrap();
                let mut on: Vec<Contact> = Vec::new();
                let mut ended = 0;
                let mut read = |world: &World| {
                    for change in world.contact_changes() {
                        if change.is_begin() {
                            on.push(change.contact());
                        } else {
                            let place = on.iter().position(|&contact| contact == change.contact());
                            on.remove(place.expect("it began"));
                            ended += 1;
                        }
                    }
                };
                read(&world);
                for time in [1.0f64.next_up(), 1.5] {
                    while world.advance_to(time).is_err() {
                        read(&world);
                        ask(&mut world);
                    }
                    read(&world);
                }
                on.sort_unstable();
                assert_eq!(on, world.contacts(), "{mode:?}, {limit}");
                (on, ended)
            };
            let limits = WorldLimits { body_pairs: limit, ..WorldLimits::DEFAULT };
            let free = told(WorldLimits::DEFAULT, &|_| panic!("nothing is too much"));
            let bounded = told(limits, &|world| world.set_limits(WorldLimits::DEFAULT));
            assert_eq!(bounded, free, "{mode:?}, {limit}");
            assert!(free.1 >= 20, "{mode:?}, {}", free.1);
        }
    }
}

/// What a host does after an advance that was not done.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edit {
    None,
    Add,
    Remove(BodyId),
    Thickness(BodyId),
}

fn edit(world: &mut World, edit: Edit) {
    match edit {
        Edit::None => {}
        Edit::Add => drop(world.add_body(fixed([0.0, 0.0, 50.0])).unwrap()),
        Edit::Remove(body) => world.remove_body(body).unwrap(),
        Edit::Thickness(body) => world.set_thickness(body, 0.001).unwrap(),
    }
}

#[test]
fn an_edit_after_an_advance_that_was_not_done_leaves_no_change_untold() {
    for engine in [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
        // Cancelled where contacts are found; or beyond a bound.
        for is_cancelled in [true, false] {
            let limits = WorldLimits { contacts: if is_cancelled { 9 } else { 1 }, ..WorldLimits::DEFAULT };
            let mut world = World::new(WorldDef::new().engine(engine).limits(limits)).unwrap();
            world.add_body(fixed([0.0; 3])).unwrap();
            let apart = Filter::new(2, 1);
            let one = world.add_body(falling(0.0).filter(apart)).unwrap();
            world.add_body(falling(0.1).filter(apart)).unwrap();
            let far = world.add_body(fixed([0.0, 0.0, 60.0])).unwrap();
            world.advance_to(0.5).unwrap();
            if is_cancelled {
                // It comes as far as it can, and finds no contacts.
                let stops = (0..100).find_map(|reads| {
                    let mut world = world.clone();
                    let progress = world.advance_to_unless(1.0, &Cancel::after_reads(reads)).unwrap();
                    (!progress.is_done && progress.time == 1.0).then_some(world)
                });
                world = stops.unwrap_or_else(|| panic!("{engine}: it stops at its end"));
            } else {
                assert!(matches!(world.advance_to(1.0), Err(AdvanceError::Limit { limit: 1, time: 1.0, .. })));
                world.set_limits(WorldLimits::DEFAULT);
            }
            assert!(world.contact_changes().is_empty());
            for choice in [Edit::None, Edit::Add, Edit::Remove(far), Edit::Thickness(one)] {
                for time in [1.0, 1.5] {
                    let mut world = world.clone();
                    edit(&mut world, choice);
                    world.advance_to(time).unwrap();
                    let name = format!("{engine}, cancelled {is_cancelled}, {choice:?}, at {time}");
                    let begun: Vec<Contact> = world.contact_changes().iter().map(ContactChange::contact).collect();
                    assert_eq!((world.contacts().len(), begun.as_slice()), (2, world.contacts()), "{name}");
                    world.advance_to(1.75).unwrap();
                    assert!(world.contact_changes().is_empty(), "{name}");
                }
            }
        }
    }
}

/// Triangles that stand upright around a height, all of them in the triangle at the origin.
fn upright(triangles: usize, height: f32) -> Vec<[f32; 3]> {
    let at = |number: usize| {
        let top = height + 0.1 + 0.01 * number as f32;
        [[0.1, 0.1, height - 0.1], [0.2, 0.1, height + 0.1], [0.1, 0.2, top]]
    };
    (0..triangles).flat_map(at).collect()
}

#[test]
fn a_body_that_is_not_added_takes_no_change_of_others_with_it() {
    let limits = |contacts| WorldLimits { contacts, ..WorldLimits::DEFAULT };
    let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous).limits(limits(3))).unwrap();
    world.add_body(fixed([0.0; 3])).unwrap();
    let mesh = |triangles| Mesh::new(3 * triangles, soup_triangles(triangles)).unwrap();
    let five = world.add_body(BodyDef::new(mesh(5), Flightplan::fixed(upright(5, 5.0)))).unwrap();
    world.advance_to(1.0).unwrap();
    let refused = world.set_flightplan(five, Flightplan::fixed(upright(5, 0.0)));
    assert_eq!(refused, Err(WorldError::Limit { what: "contacts", limit: 3 }));
    world.set_limits(limits(5));
    let mut told = Vec::new();
    for is_refused in [false, true] {
        let mut world = world.clone();
        if is_refused {
            let nine = BodyDef::new(mesh(9), Flightplan::fixed(upright(9, 0.0))).filter(Filter::new(2, 1));
            assert_eq!(world.add_body(nine), Err(WorldError::Limit { what: "contacts", limit: 5 }));
        }
        world.advance_to(2.0).unwrap();
        assert_eq!((world.contacts().len(), world.ongoing_contacts().len()), (5, 5));
        told.push(world.contact_changes().to_vec());
    }
    assert_eq!(told[0].len(), 5);
    assert_eq!(told[0], told[1]);
}

#[test]
fn a_plan_that_is_made_beyond_a_bound_moves_what_queries_find() {
    let limits = WorldLimits { body_pairs: 9, ..WorldLimits::DEFAULT };
    let mut world = World::new(WorldDef::new().limits(limits)).unwrap();
    let alone = |number: u32| Filter::new(1 << (8 + number), 0);
    let live: Vec<BodyId> = (0..6)
        .map(|number| fixed([0.01 * number as f32, 0.0, 0.0]).engine(Engine::Kinetic).filter(alone(number)))
        .map(|def| world.add_body(def).unwrap())
        .collect();
    let moved = world.add_body(fixed([50.0, 0.0, 10.0]).engine(Engine::Refit)).unwrap();
    world.add_body(fixed([50.2, 0.1, 10.0]).engine(Engine::Refit)).unwrap();
    world.advance_to(0.5).unwrap();
    assert_eq!(world.contacts().len(), 1);
    let beyond = Err(WorldError::Limit { what: PAIRS, limit: 9 });
    let outcomes: Vec<_> = live.iter().map(|&body| world.set_filter(body, Filter::new(!0, !1))).collect();
    assert!(outcomes.contains(&beyond), "{outcomes:?}");
    let refused = world.set_flightplan(moved, Flightplan::fixed(flat([-50.0, 0.0, 20.0])));
    assert_eq!(refused, beyond);
    assert_eq!(world.positions(moved).unwrap()[0], [-50.0, 0.0, 20.0]);
    let found = |world: &mut World, x: f64, z: f64| {
        let hit = world.cast_ray([x + 0.2, 0.2, z + 5.0], [0.0, 0.0, -1.0], 9.0).0.map(|hit| hit.body);
        let bounds = Aabb { min: [x - 0.1, -0.1, z - 0.1], max: [x + 0.1, 0.1, z + 0.1] };
        (hit, world.query_box(&bounds).0.len())
    };
    assert_eq!(found(&mut world, -50.0, 20.0), (Some(moved), 1));
    assert_eq!(found(&mut world, 50.0, 10.0), (None, 0));
    assert!(world.audit().is_clean(), "{}", world.audit());
    // A body comes down onto where it is now.
    let high = world.add_body(fixed([-50.0, 0.0, 25.0]).filter(Filter::new(1, 0)));
    assert_eq!(high, beyond.map(|()| moved), "no body is added beyond the bound");
    world.set_limits(WorldLimits::DEFAULT);
    world.advance_to(0.5).unwrap();
    assert!(world.audit().is_clean(), "{}", world.audit());
    assert_eq!(world.certified_span(), Span { begin: 0.5, end: 0.5 });
}

/// What was too much is decided before the pair gets its new distance: it is told as in a world without bounds.
#[test]
fn a_thickness_that_changes_after_a_refusal_ends_what_had_been_put_off() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let told = [3, 100].map(|contacts| {
            let def = WorldDef::new().engine(engine).contacts(ContactMode::Continuous);
            let mut world = World::new(def).unwrap();
            world.add_body(fixed([0.0; 3])).unwrap();
            let mesh = Mesh::new(15, soup_triangles(5)).unwrap();
            let walls = world.add_body(BodyDef::new(mesh, Flightplan::fixed(upright(5, 3.0)))).unwrap();
            world.set_limits(WorldLimits { contacts, ..WorldLimits::DEFAULT });
            let outcome = world.set_flightplan(walls, Flightplan::fixed(upright(5, 0.0)));
            assert_eq!(outcome.is_err(), contacts == 3, "{engine:?}: {outcome:?}");
            world.set_limits(WorldLimits::DEFAULT);
            world.set_thickness(walls, 0.25).unwrap();
            assert_eq!(world.contacts().len(), 5, "{engine:?}");
            world.contact_changes().to_vec()
        });
        // Begun, ended with the distance, and begun again.
        assert_eq!(told[1].len(), 15, "{engine:?}");
        assert_eq!(told[0], told[1], "{engine:?}");
    }
}

/// A pair of bodies at rest that was refused for its contacts is found where the bound is higher.
#[test]
fn contacts_of_bodies_at_rest_that_were_refused_are_found_later() {
    for engine in [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
        let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
        let [a, b] = [0.0, 0.0].map(|x| world.add_body(fixed([x, 0.0, 0.0])).unwrap());
        world.set_pair_watched(a, b, false).unwrap();
        for time in [1.0, 2.0] {
            world.advance_to(time).unwrap();
        }
        world.set_limits(WorldLimits { contacts: 0, ..WorldLimits::DEFAULT });
        let refused = world.set_pair_watched(a, b, true);
        assert!(matches!(refused, Err(WorldError::Limit { limit: 0, .. })), "{engine}: {refused:?}");
        world.set_limits(WorldLimits::DEFAULT);
        world.advance_to(3.0).unwrap();
        assert_eq!(world.contacts().len(), 1, "{engine}");
    }
}

/// Two loops jump just after 1 s, each to a floor of its own. The first has more contacts than allowed, and the second has
/// its contact from that moment on all the same.
#[test]
fn what_happens_at_the_moment_of_a_refusal_is_of_that_moment() {
    let at = |count: usize, z: f32| {
        let y = if count == 1 { 50.0 } else { 0.0 };
        (0..3 * count).map(move |v| [(v % 3 % 2) as f32, y + (v % 3 / 2) as f32, z])
    };
    let told = [3, 100].map(|contacts| {
        let limits = WorldLimits { contacts, ..WorldLimits::DEFAULT };
        let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous).limits(limits).start(0.75);
        let mut world = World::new(def).unwrap();
        for count in [2, 1] {
            let keys = at(count, 0.0).chain(at(count, 0.0)).chain(at(count, 5.0)).collect();
            let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], keys).outside(Outside::Loop);
            for plan in [plan, Flightplan::fixed(at(count, 0.0).collect())] {
                let mesh = Mesh::new(3 * count, soup_triangles(count)).unwrap();
                world.add_body(BodyDef::new(mesh, plan)).unwrap();
            }
        }
        let outcome = world.advance_to(1.25);
        assert_eq!(outcome.is_err(), contacts == 3, "{outcome:?}");
        world.set_limits(WorldLimits::DEFAULT);
        world.advance_to(1.25).unwrap();
        let ongoing = world.ongoing_contacts();
        assert_eq!(ongoing.len(), 5);
        ongoing[4]
    });
    assert!(told[1].began.is_open && told[1].began.lo == 1.0, "{told:?}");
    assert_eq!(told[0], told[1]);
}

/// Keys of two bodies that are as near each other as two numbers can be.
#[test]
fn an_advance_stops_at_no_time_with_events_to_come() {
    let world = |limits: WorldLimits| {
        let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous).limits(limits);
        let mut world = World::new(def).unwrap();
        let tip = |x: f32, z: f32| [[x, 0.0, z], [x + 1.0, 0.0, z + 1.0], [x, 1.0, z + 1.0]];
        let floor = vec![[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]];
        let within = [tip(-3.0, -0.5), tip(-3.0, -0.75), tip(-3.0, -0.5)].concat();
        // It touches at its key alone.
        let down = [tip(0.0, 1.0), tip(0.0, 0.0), tip(0.0, 1.0)].concat();
        let plans = [
            Flightplan::fixed(floor),
            Flightplan::keyframes(vec![0.0, 1.0_f64.next_down(), 2.0], within),
            Flightplan::keyframes(vec![0.0, 1.0, 2.0], down),
        ];
        for plan in plans {
            world.add_body(BodyDef::new(triangle(), plan)).unwrap();
        }
        world
    };
    let (mut bounded, mut free) =
        (world(WorldLimits { events: 1, ..WorldLimits::DEFAULT }), world(WorldLimits::DEFAULT));
    let mut stops = 0;
    while let Err(refused) = bounded.advance_to(2.0) {
        let AdvanceError::Limit { time, .. } = refused else { panic!("{refused}") };
        free.advance_to(time).unwrap();
        assert_eq!(bounded.contacts(), free.contacts(), "{time}");
        stops += 1;
    }
    assert!(stops > 2, "{stops}");
}
