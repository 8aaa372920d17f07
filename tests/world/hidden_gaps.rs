//! Contacts that part by less than rounding between two windows: what is told as one contact is undecided then.

use kinetree::motion::VertexFlightplan;
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

/// Two corners of a triangle exchange at 1.5 s, with a gap less than rounding in between: before
/// 1 s, where the floor has a key, contact is certain.
#[test]
fn a_gap_beyond_a_window_is_not_told_in_it() {
    let (low, late) = (0.5f32.powi(28), 0.5f32.powi(14));
    let plans = [floor(0.0), floor(0.0), floor(0.0), floor(1.0)].concat();
    let feet = |p: f32, q: f32| [[-1.0, 0.0, p * low], [1.0, 0.0, q * low], [64.0, 0.0, 64.0]];
    for engine in [Engine::Auto, Engine::Kinetic] {
        let mut world = World::new(WorldDef::new().engine(engine).contacts(ContactMode::Continuous)).unwrap();
        let keys = [feet(-0.75, 0.75 + late), feet(0.25, -0.25)].concat();
        let moves = world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(vec![0.0, 2.0], keys))).unwrap();
        // Its own way makes the triangle's positions rounded ones.
        let positions = vec![[64.0, 0.0, 64.0], [68.0, 0.0, 64.0]];
        let far = VertexFlightplan::Keyframes { times: vec![0.0, 4.0], positions, outside: Outside::Hold };
        world.set_vertex_flightplans(moves, &[(2, far)]).unwrap();
        let rests = Flightplan::keyframes(vec![0.0, 1.0, 2.0, 3.0], plans.clone());
        world.add_body(BodyDef::new(mesh(), rests)).unwrap();
        for (time, is_undecided) in [(0.5, false), (1.75, true)] {
            world.advance_to(time).unwrap();
            let told = world.ongoing_contacts();
            assert_eq!(told.len(), 1, "{engine:?} at {time} s");
            assert_eq!(told[0].undecided, is_undecided, "{engine:?} at {time} s");
        }
    }
}
