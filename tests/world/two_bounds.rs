//! Several things at once: a seek beyond two bounds, a refused seek after edits, a scheduled change that fails, changes of edits
//! beside those of an advance.

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::world::{AdvanceError, BodyDef, ContactMode, Engine, World, WorldDef, WorldLimits};

/// A triangle that moves along x from 0 to 1 s and then rests.
fn moving(from: f32, to: f32) -> BodyDef {
    let at = |x: f32| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]];
    let keys = [at(from), at(to), at(to)].concat();
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))
}

fn continuous(limits: WorldLimits) -> World {
    World::new(WorldDef::default().contacts(ContactMode::Continuous).limits(limits)).unwrap()
}

#[test]
fn a_seek_beyond_two_bounds_loses_no_body() {
    let mut world = continuous(WorldLimits::DEFAULT);
    // Two pairs, far from each other, each together from 1 s on.
    for (from, to) in [(0.0, 0.0), (100.0, 0.0), (1000.0, 1100.0), (1200.0, 1100.0)] {
        world.add_body(moving(from, to)).unwrap();
    }
    world.set_limits(WorldLimits { contacts: 0, body_pairs: 1, ..WorldLimits::DEFAULT });
    let refused = world.seek(1.0);
    assert!(matches!(refused, Err(AdvanceError::Limit { .. })), "{refused:?}");
    world.set_limits(WorldLimits::DEFAULT);
    world.advance_to(1.5).unwrap();
    assert_eq!(world.contacts().len(), 2);
    assert!(world.audit().is_clean());
}

#[test]
fn a_refused_seek_tells_what_was_on_as_ended_and_begun() {
    let mut world = continuous(WorldLimits::DEFAULT);
    // The first two touch at 0 s only; at 1 s the others do, two by two.
    let ways = [(0.0, 0.0), (0.0, 100.0), (1000.0, 1100.0), (1200.0, 1100.0), (3000.0, 3100.0), (3200.0, 3100.0)];
    let ids = ways.map(|(from, to)| world.add_body(moving(from, to)).unwrap());
    for _ in 0..2 {
        world.advance_to(0.0).unwrap();
    }
    assert_eq!((world.contacts().len(), world.contact_changes().len()), (1, 0));
    // An edit, which the seek is to tell as well: the fourth contact is of two bodies at one place.
    let added = [world.add_body(moving(9000.0, 9000.0)).unwrap(), world.add_body(moving(9000.0, 9000.0)).unwrap()];
    world.set_limits(WorldLimits { body_pairs: 2, ..WorldLimits::DEFAULT });
    assert!(world.seek(1.0).is_err());
    assert_eq!(world.time(), 0.0);
    let told: Vec<_> = world
        .contact_changes()
        .iter()
        .map(|change| (change.contact().a, change.contact().b, change.is_begin(), change.time().lo))
        .collect();
    let (old, new) = ((ids[0], ids[1]), (added[0], added[1]));
    let change = |(a, b), is_begin| (a, b, is_begin, 0.0);
    assert_eq!(told[0], change(new, true), "{told:?}");
    let mut rest = told[1..].to_vec();
    rest.sort_unstable_by_key(|&(a, b, is_begin, _)| (is_begin, a, b));
    assert_eq!(rest, [change(old, false), change(new, false), change(old, true), change(new, true)]);
    world.set_limits(WorldLimits::DEFAULT);
    world.seek(1.0).unwrap();
    assert_eq!(world.contacts().len(), 3);
}

/// A triangle on the floor.
fn lying(z: f32) -> Vec<[f32; 3]> {
    vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]
}

fn fixed(z: f32) -> BodyDef {
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(lying(z)))
}

/// A triangle falls onto another until 1 s, and rests there. A change of a third body at 1.5 s will fail.
fn with_a_change_that_fails(mode: ContactMode) -> World {
    let mut world = World::new(WorldDef::default().contacts(mode)).unwrap();
    world.add_body(fixed(0.0)).unwrap();
    let falls = Flightplan::keyframes(vec![0.0, 1.0, 3.0], [lying(1.0), lying(0.0), lying(0.0)].concat());
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), falls)).unwrap();
    // At the largest coordinate: the second plan, which is set later, leads beyond it until the first one is to begin.
    let far = BodyDef::new(Mesh::points(1).unwrap(), Flightplan::fixed(vec![[2.0f32.powi(100), 0.0, 0.0]]));
    let far = world.add_body(far).unwrap();
    let velocity = |x: f64| VertexFlightplan::Velocity { from: None, velocity: [x, 0.0, 0.0] };
    world.schedule_vertex_flightplans(far, 1.5, &[(0, velocity(0.0))]).unwrap();
    world.set_vertex_flightplans(far, &[(0, velocity(1e18))]).unwrap();
    world
}

#[test]
fn contacts_are_not_certified_after_a_change_that_fails() {
    for mode in [ContactMode::Continuous, ContactMode::AtTimes] {
        let mut world = with_a_change_that_fails(mode);
        world.advance_to(0.5).unwrap();
        let refused = world.advance_to(2.0);
        assert!(matches!(refused, Err(AdvanceError::Change { time: 1.5, .. })), "{mode:?}: {refused:?}");
        // They touch since 1 s.
        assert!(world.contacts_at(world.time()).is_err() && world.certified_span().end < 1.5, "{mode:?}");
        world.advance_to(1.75).unwrap();
        assert_eq!(world.contacts().len(), 1, "{mode:?}");
        assert!(world.audit().is_clean(), "{mode:?}: {:?}", world.audit());
    }
}

/// What began in the advance before is not told again.
#[test]
fn an_edit_after_an_advance_that_failed_tells_nothing_of_the_one_before() {
    let mut world = with_a_change_that_fails(ContactMode::AtTimes);
    world.advance_to(1.0).unwrap();
    assert_eq!(world.contact_changes().len(), 1);
    assert!(matches!(world.advance_to(2.0), Err(AdvanceError::Change { time: 1.5, .. })));
    assert_eq!(world.contact_changes(), []);
    world.add_body(fixed(900.0)).unwrap();
    assert_eq!((world.contact_changes(), world.contacts().len()), (&[][..], 1));
}

#[test]
fn changes_of_edits_do_not_count_for_the_advance() {
    let mut world = continuous(WorldLimits { changes: 1, ..WorldLimits::DEFAULT });
    // Three contacts begin as these are added.
    for _ in 0..3 {
        world.add_body(moving(0.0, 0.0)).unwrap();
    }
    // Far away; its loop has an event in every round.
    let plan = Flightplan::keyframes(vec![0.0, 0.5], vec![[900.0, 0.0, 0.0], [901.0, 0.0, 0.0]]).outside(Outside::Loop);
    world.add_body(BodyDef::new(Mesh::points(1).unwrap(), plan)).unwrap();
    assert_eq!(world.advance_to(2.0), Ok(()));
    assert_eq!(world.contact_changes().len(), 3);
}

#[test]
fn a_single_key_does_not_begin_to_loop_when_it_is_extended() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let plan = Flightplan::keyframes(vec![0.0], vec![[0.0; 3]]).outside(Outside::Loop);
    let body = world.add_body(BodyDef::new(Mesh::points(1).unwrap(), plan)).unwrap();
    let refused = world.extend_flightplan(body, 1.0, &[[1.0, 0.0, 0.0]]).unwrap_err();
    assert!(refused.to_string().contains("a loop"), "{refused}");
    world.advance_to(1.5).unwrap();
    assert_eq!(world.positions(body).unwrap()[0], [0.0; 3]);
}

#[test]
fn one_pair_is_not_more_than_one() {
    let point = || BodyDef::new(Mesh::points(1).unwrap(), Flightplan::fixed(vec![[0.0; 3]]));
    for engine in [Engine::Kinetic, Engine::BruteForce] {
        let limits = WorldLimits { body_pairs: 1, ..WorldLimits::DEFAULT };
        let mut world = World::new(WorldDef::default().engine(engine).limits(limits)).unwrap();
        for _ in 0..2 {
            world.add_body(point()).unwrap_or_else(|error| panic!("{engine}: {error}"));
        }
        assert_eq!(world.bodies().count(), 2, "{engine}");
    }
}

#[test]
fn no_vertex_named_changes_nothing() {
    let mut world = continuous(WorldLimits::DEFAULT);
    let body = world.add_body(moving(0.0, 1.0)).unwrap();
    world.add_body(moving(0.5, 0.0)).unwrap();
    world.advance_to(0.25).unwrap();
    let mut other = world.clone();
    world.set_vertex_flightplans(body, &[]).unwrap();
    for time in [0.5, 1.0, 1.5] {
        world.advance_to(time).unwrap();
        other.advance_to(time).unwrap();
        let told =
            |world: &World| (world.contacts().to_vec(), world.stats().engines, world.stats().tree, world.stats().list);
        assert_eq!(told(&world), told(&other));
    }
}
