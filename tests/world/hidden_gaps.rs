//! Contacts that part by less than rounding between two windows: what is told as one contact is undecided then.

use kinetree::{BodyDef, ContactMode, Engine, Flightplan, Mesh, Outside, World, WorldDef};

fn mesh() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

fn floor(x: f32) -> [[f32; 3]; 3] {
    [[x - 9.0, -9.0, 0.0], [x + 9.0, -9.0, 0.0], [x, 9.0, 0.0]]
}

/// A triangle that stands on its corner.
fn tip(z: f32) -> [[f32; 3]; 3] {
    [[0.0, 0.0, z], [1.0, 0.0, 4.0], [0.0, 1.0, 4.0]]
}

/// How many touch at a time, and whether one of what is on is undecided.
fn shown(engine: Engine, mode: ContactMode, plans: [Flightplan; 2], time: f64) -> (usize, bool) {
    let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
    for plan in plans {
        world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    }
    world.advance_to(time).unwrap();
    (world.contacts().len(), world.ongoing_contacts().iter().any(|contact| contact.undecided))
}

fn check(plans: impl Fn() -> [Flightplan; 2], during: f64, after: f64) {
    assert_eq!(shown(Engine::BruteForce, ContactMode::AtTimes, plans(), during).0, 0);
    assert_eq!(shown(Engine::BruteForce, ContactMode::AtTimes, plans(), after).0, 1);
    for engine in [Engine::Auto, Engine::Kinetic] {
        let (count, undecided) = shown(engine, ContactMode::Continuous, plans(), after);
        assert_eq!(count, 1, "{engine:?}");
        let (count, _) = shown(engine, ContactMode::Continuous, plans(), during);
        assert!(count == 0 || undecided, "{engine:?}: a gap is told as decided contact");
    }
}

/// The tip is above the floor from 0.75 s to 1.25 s, at 1 s by 2⁻⁵⁴ m. The floor's way is cut at 1 s.
#[test]
fn a_gap_around_a_key() {
    let low = 0.5f32.powi(54);
    let plans = || {
        [
            Flightplan::keyframes(vec![0.0, 2.0], [floor(0.0), floor(0.5)].concat()),
            Flightplan::keyframes(vec![0.0, 1.0, 2.0], [tip(-3.0 * low), tip(low), tip(-3.0 * low)].concat()),
        ]
    };
    check(plans, 1.0, 1.5);
}

/// The tip is down at the end of a round, and comes down again from 2⁻⁵⁴ m above in the next one.
#[test]
fn a_gap_after_a_jump() {
    let low = 0.5f32.powi(54);
    let plans = || {
        [
            Flightplan::keyframes(vec![0.0, 3.0], [floor(0.0), floor(0.5)].concat()),
            Flightplan::keyframes(vec![0.0, 1.0], [tip(low), tip(-3.0 * low)].concat()).outside(Outside::Loop),
        ]
    };
    check(plans, 1.125, 1.5);
}
