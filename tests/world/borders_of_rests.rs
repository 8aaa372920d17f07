//! Contacts next to the time at which a rest begins or ends, and contacts that ended within
//! rounding of the clock's time. Windows are decided over the longer way of the body that moves,
//! and its ends are known in seconds up to some units in the last place.

use kinetree::{BodyDef, BodyId, ContactChange, ContactMode, Engine, Flightplan, Mesh, Outside, World, WorldDef};

const BOTH: [Engine; 2] = [Engine::Auto, Engine::Kinetic];

fn triangle() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

fn point() -> Mesh {
    Mesh::points(1).unwrap()
}

fn floor(z: f32) -> [[f32; 3]; 3] {
    [[-4.0, -4.0, z], [4.0, -4.0, z], [0.0, 4.0, z]]
}

fn small(z: f32) -> [[f32; 3]; 3] {
    [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]
}

fn at(z: f32) -> [f32; 3] {
    [0.1, 0.2, z]
}

fn world(start: f64, engine: Engine, bodies: [(Mesh, Flightplan); 2]) -> (World, [BodyId; 2]) {
    let mut world = World::new(WorldDef::new().start(start).engine(engine).contacts(ContactMode::Continuous)).unwrap();
    let ids = bodies.map(|(mesh, plan)| world.add_body(BodyDef::new(mesh, plan)).unwrap());
    (world, ids)
}

/// Passes the height 0 m half-way between two times.
fn passes(begin: f64, end: f64) -> Flightplan {
    Flightplan::keyframes(vec![begin, end], [small(1.0), small(-1.0)].concat())
}

/// A triangle that passes the floor at exactly 1 s.
fn passing() -> [(Mesh, Flightplan); 2] {
    [(triangle(), Flightplan::fixed(floor(0.0).to_vec())), (triangle(), passes(0.0, 2.0))]
}

const NONE: [ContactChange; 0] = [];

/// The floor leaves its place at once, one step of `f64` before the point would reach it.
#[test]
fn a_floor_that_jumps_away_before_a_point_comes() {
    let last = 1.0f64.next_down();
    for engine in BOTH {
        let keys = [floor(-5.0), floor(0.0), floor(0.0)].concat();
        let leaves = Flightplan::keyframes(vec![0.0, 0.5, last], keys).outside(Outside::Loop);
        let comes = Flightplan::keyframes(vec![0.0, 2.0], vec![at(1.0), at(-1.0)]);
        let (mut world, _) = world(0.0, engine, [(triangle(), leaves), (point(), comes)]);
        world.advance_to(1.25).unwrap();
        assert_eq!(world.contact_changes(), NONE, "{engine:?}");
    }
}

/// At the key at which the floor begins to fall a point is 1.2e-10 m above it, 300 times its
/// rounding.
#[test]
fn a_floor_that_falls_before_a_point_comes() {
    let key = 1e6;
    for engine in BOTH {
        for (late, count) in [((key + 0.5f64).next_up(), 0), (key + 0.5, 2)] {
            let falls = vec![key - 1.0, key, key + 1.0];
            let falls = Flightplan::keyframes(falls, [floor(0.0), floor(0.0), floor(-100.0)].concat());
            let comes = Flightplan::keyframes(vec![key - 0.5, late], vec![at(1.0), at(-1.0)]);
            let (mut world, _) = world(key - 1.0, engine, [(triangle(), falls), (point(), comes)]);
            world.advance_to(key + 0.75).unwrap();
            let changes = world.contact_changes();
            assert_eq!(changes.len(), count, "{engine:?}: {changes:?}");
            assert!(changes.iter().all(|change| !change.is_undecided()), "{engine:?}: {changes:?}");
        }
    }
}

/// The floor lands, and rests, where a point has passed just before.
#[test]
fn a_floor_that_lands_after_a_point_has_passed() {
    let key = 1e6;
    for engine in BOTH {
        for (early, count) in [((key - 0.5f64).next_down(), 0), (key - 0.5, 2)] {
            let lands = vec![key - 1.0, key, key + 1.0];
            let lands = Flightplan::keyframes(lands, [floor(-100.0), floor(0.0), floor(0.0)].concat());
            let leaves = Flightplan::keyframes(vec![early, key + 0.5], vec![at(-1.0), at(1.0)]);
            let (mut world, _) = world(key - 1.0, engine, [(triangle(), lands), (point(), leaves)]);
            world.advance_to(key + 0.75).unwrap();
            let changes = world.contact_changes();
            assert_eq!(changes.len(), count, "{engine:?}: {changes:?}");
            assert!(changes.iter().all(|change| !change.is_undecided()), "{engine:?}: {changes:?}");
        }
    }
}

/// The floor of a trial rests, and the other body has just passed it, or is about to when the trial
/// ends.
#[test]
fn a_trial_beside_an_instant_of_contact_meets_nothing() {
    let after = 1.0f64.next_up();
    for (start, end, count) in [(after, 1.5, 0), (1.0, 1.5, 1), (0.5, 1.0f64.next_down(), 0), (0.5, 1.0, 1)] {
        let (mut world, [still, _]) = world(start, Engine::Auto, passing());
        let mut trial = world.trial(still, &floor(0.0), end).unwrap();
        let contacts = trial.contacts().unwrap();
        assert_eq!(contacts.len(), count, "{start} {end}: {contacts:?}");
        assert!(contacts.iter().all(|contact| !contact.undecided), "{start} {end}: {contacts:?}");
        let step = trial.step_size().unwrap();
        assert!(step == 1.0 || (end == 1.0 && step > 0.99), "{start} {end}: {step}");
    }
}

/// Times from 1 s on, up to the end that is told of the contact at 1 s, and how many contacts then
/// are on.
const CLOCKS: [(f64, usize); 3] = [(1.0, 1), (1.0 + f64::EPSILON, 0), (1.0 + 8.0 * f64::EPSILON, 0)];

#[test]
fn the_first_contact_is_none_that_is_over() {
    for engine in BOTH {
        for (clock, count) in CLOCKS {
            let (mut world, [still, other]) = world(0.0, engine, passing());
            world.advance_to(clock).unwrap();
            assert_eq!(world.contacts().len(), count, "{engine:?} {clock}");
            let first = world.first_contact(still, other, 2.0).unwrap();
            assert_eq!(first.iter().count(), count, "{engine:?} {clock}: {first:?}");
            assert!(first.is_none_or(|first| !first.is_undecided()), "{engine:?} {clock}");
        }
    }
}

#[test]
fn a_world_that_starts_after_a_contact_does_not_tell_it() {
    for engine in BOTH {
        for (start, count) in CLOCKS {
            let (mut world, _) = world(start, engine, passing());
            world.advance_to(1.5).unwrap();
            let changes = world.contact_changes();
            assert_eq!(changes.len(), 2 * count, "{engine:?} {start}: {changes:?}");
            assert!(changes.iter().all(|change| !change.is_undecided()), "{engine:?} {start}: {changes:?}");
        }
    }
}

/// The same where the world starts at a key, with the contact just before it, in the window that
/// ends there.
#[test]
fn a_world_that_starts_at_a_key_does_not_tell_what_ended_just_before() {
    for engine in BOTH {
        for (z, count) in [(-(0.5f32.powi(53)), 0), (0.0, 2)] {
            let keys = [small(1.0), small(z), small(-1.0)].concat();
            let comes = Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys);
            let still = Flightplan::fixed(floor(0.0).to_vec());
            let (mut world, _) = world(1.0, engine, [(triangle(), still), (triangle(), comes)]);
            world.advance_to(1.5).unwrap();
            assert_eq!(world.contact_changes().len(), count, "{engine:?} {z}: {:?}", world.contact_changes());
        }
    }
}

#[test]
fn a_plan_that_has_just_passed_gives_no_contact() {
    for engine in BOTH {
        for (clock, count) in CLOCKS {
            let above = Flightplan::fixed(small(3.0).to_vec());
            let still = Flightplan::fixed(floor(0.0).to_vec());
            let (mut world, [_, other]) = world(0.0, engine, [(triangle(), still), (triangle(), above)]);
            world.advance_to(clock).unwrap();
            world.set_flightplan(other, passes(0.0, 2.0)).unwrap();
            world.advance_to(1.5).unwrap();
            let changes = world.contact_changes();
            assert_eq!(changes.len(), 2 * count, "{engine:?} {clock}: {changes:?}");
            assert!(changes.iter().all(|change| !change.is_undecided()), "{engine:?} {clock}: {changes:?}");
        }
    }
}

/// Positions are rounded, as keys differ: the contact is over, or is marked as decided by rounding.
/// What is still on, or comes next, is told.
#[test]
fn what_ended_before_the_clock_between_different_keys_is_not_decided() {
    let moves = |x: f32| floor(0.0).map(|[a, b, c]| [a + x, b, c]);
    for engine in BOTH {
        for (start, touches) in CLOCKS.map(|(start, count)| (start, count == 1)) {
            let aside = Flightplan::keyframes(vec![-1.0, 3.0], [moves(0.0), moves(0.5)].concat());
            let (mut world, _) = world(start, engine, [(triangle(), aside), (triangle(), passes(0.0, 2.0))]);
            world.advance_to(1.5).unwrap();
            let changes = world.contact_changes();
            let is_sure = changes.iter().any(|change| change.is_begin() && !change.is_undecided());
            assert_eq!(is_sure, touches, "{engine:?} {start}: {changes:?}");
        }
    }
}

/// A corner leaves a floor that moves up, and no key is common: positions are rounded by up to
/// 1e-13 m. What is proved before the start proves nothing of what is on at the start.
#[test]
fn what_was_on_before_the_start_between_different_keys_proves_nothing() {
    let tip = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z + 5.0], [0.0, 1.0, z + 5.0]];
    let mut apart = 0;
    for case in 0..8u8 {
        let top = 1001.0 + f32::from(case) * 0.37;
        let bodies = || {
            let rises = Flightplan::keyframes(vec![-1.0, 2.3], [floor(1000.0), floor(top)].concat());
            let leaves = Flightplan::keyframes(vec![0.0, 2.0], [tip(999.0), tip(1006.0)].concat());
            [(triangle(), rises), (triangle(), leaves)]
        };
        let mut at_times = World::new(WorldDef::new()).unwrap();
        for (mesh, plan) in bodies() {
            at_times.add_body(BodyDef::new(mesh, plan)).unwrap();
        }
        let mut touch = |time: f64| {
            at_times.seek(time).unwrap();
            at_times.contacts().len() == 1
        };
        // The numbers on both sides of the end.
        let (mut on, mut off) = (0.1f64, 1.9f64);
        assert!(touch(on) && !touch(off), "{case}");
        while on.next_up() < off {
            let middle = 0.5 * (on + off);
            *(if touch(middle) { &mut on } else { &mut off }) = middle;
        }
        for start in (-20..400i64).map(|step| f64::from_bits(off.to_bits().wrapping_add_signed(step))) {
            let (mut world, _) = world(start, Engine::Auto, bodies());
            world.advance_to(1.9).unwrap();
            let [is_told, is_decided] = told(world.contact_changes());
            let touches = start < off;
            assert!(is_told || !touches, "{case}: {start} misses it");
            assert!(touches || !is_decided, "{case}: {start} has it");
            apart += usize::from(is_told && !touches);
        }
    }
    assert!(apart > 0);
}

/// A contact that lasts until just after the start is on there, and one that begins just after it
/// is told.
#[test]
fn contacts_around_the_start_are_told() {
    for engine in BOTH {
        for start in [1.0f64.next_down(), 1.0 - 8.0 * f64::EPSILON] {
            let (mut world, _) = world(start, engine, passing());
            world.advance_to(1.5).unwrap();
            let changes = world.contact_changes();
            assert_eq!(changes.len(), 2, "{engine:?} {start}: {changes:?}");
            assert!(changes.iter().all(|change| !change.is_undecided()), "{engine:?} {start}: {changes:?}");
        }
    }
}

/// A height that falls to 0 m at 2/9 s, between two multiples of a cell, which has seven numbers
/// inside there.
fn falls() -> Flightplan {
    Flightplan::keyframes(vec![0.0, 2.0], [small(1.0), small(-8.0)].concat())
}

/// Numbers around the time at which it is at 0 m, each with whether it lies before it.
fn around() -> Vec<(f64, bool)> {
    let bits = (2.0f64 / 9.0).to_bits();
    let times = (bits - 24..=bits + 24).map(f64::from_bits);
    times.map(|time| (time, time.mul_add(9.0, -2.0) < 0.0)).collect()
}

/// Whether a contact is told, and is decided.
fn told(changes: &[ContactChange]) -> [bool; 2] {
    [!changes.is_empty(), !changes.is_empty() && changes.iter().all(|change| !change.is_undecided())]
}

/// Checks what is told of times around the contact, each with whether there must be a contact: all
/// that must be is, nothing else is decided, and undecided is what lies inside the cell.
fn expect(cases: impl Iterator<Item = (f64, bool, [bool; 2])>) {
    let mut undecided = 0;
    for (time, must_be, [is_told, is_decided]) in cases {
        assert!(is_told || !must_be, "{time} misses it");
        assert!(must_be || !is_decided, "{time} has it");
        undecided += usize::from(is_told && !is_decided);
    }
    assert_eq!(undecided, 7);
}

#[test]
fn where_a_cell_holds_the_start_the_contact_is_undecided() {
    let still = || (triangle(), Flightplan::fixed(floor(0.0).to_vec()));
    for engine in BOTH {
        expect(around().into_iter().map(|(start, must_be)| {
            let (mut world, _) = world(start, engine, [still(), (triangle(), falls())]);
            world.advance_to(0.5).unwrap();
            (start, must_be, told(world.contact_changes()))
        }));
    }
    expect(around().into_iter().map(|(start, must_be)| {
        let (mut world, [id, _]) = world(start, Engine::Auto, [still(), (triangle(), falls())]);
        let mut trial = world.trial(id, &floor(0.0), 0.5).unwrap();
        let contacts = trial.contacts().unwrap();
        (start, must_be, [!contacts.is_empty(), contacts.iter().any(|contact| !contact.undecided)])
    }));
}

#[test]
fn where_a_cell_holds_the_end_of_a_rest_the_contact_is_undecided() {
    for engine in BOTH {
        expect(around().into_iter().map(|(end, is_too_early)| {
            let keys = [floor(-5.0), floor(0.0), floor(0.0)].concat();
            let rests = Flightplan::keyframes(vec![0.0, 0.125, end], keys).outside(Outside::Loop);
            let (mut world, _) = world(0.0, engine, [(triangle(), rests), (triangle(), falls())]);
            world.advance_to(0.26).unwrap();
            (end, !is_too_early, told(world.contact_changes()))
        }));
    }
}

/// What has begun before is certain, whatever the plan is that it ends by.
#[test]
fn a_contact_that_is_on_stays_decided_where_a_plan_ends_it_next_to_the_clock() {
    let tip = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 9.0], [0.0, 1.0, z + 9.0]];
    for engine in BOTH {
        for (clock, _) in around() {
            let still = (triangle(), Flightplan::fixed(floor(0.0).to_vec()));
            let inside = (triangle(), Flightplan::fixed(tip(-1.0).to_vec()));
            let (mut world, [_, other]) = world(0.0, engine, [still, inside]);
            world.advance_to(clock).unwrap();
            let leaves = [tip(-1.0), tip(8.0)].concat();
            world.set_flightplan(other, Flightplan::keyframes(vec![0.0, 2.0], leaves)).unwrap();
            world.advance_to(0.5).unwrap();
            let changes = world.contact_changes();
            assert_eq!((changes.len(), told(changes)), (1, [true; 2]), "{engine:?} {clock}: {changes:?}");
        }
    }
}
