//! Ends of contacts near the end of a window: the true end is inside of the enclosure that is told.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};

fn mesh() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

/// A triangle that stands on its corner, `z` above height 0.
fn pointer(x: f32, z: f32) -> [[f32; 3]; 3] {
    [[x, 0.0, z], [x + 1.0, 0.0, z + 4.0], [x, 1.0, z + 4.0]]
}

/// When the only contact of a world ended, and whether it is said to be undecided.
fn end(world: &World) -> (f64, f64, bool) {
    let ended: Vec<&ContactChange> =
        world.contact_changes().iter().filter(|change| matches!(change, ContactChange::Ended { .. })).collect();
    assert_eq!(ended.len(), 1, "{:?}", world.contact_changes());
    (ended[0].time().lo, ended[0].time().hi, ended[0].is_undecided())
}

/// A floor slides in its plane until 1.5 s and rests; a pointer leaves it at 1.25 s, by less than the rounding at 1.5 s.
fn sliding(x: f32, low: f32, def: WorldDef) -> World {
    let floor = |x: f32| [[x - 9.0, -9.0, 0.0], [x + 9.0, -9.0, 0.0], [x, 9.0, 0.0]];
    let mut world = World::new(def).unwrap();
    let plan = Flightplan::keyframes(vec![0.0, 1.5], [floor(x), floor(x + 1.0)].concat());
    world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    let keys = [pointer(x, -low), pointer(x, -low), pointer(x, 3.0 * low)].concat();
    world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))).unwrap();
    world
}

#[test]
fn an_end_within_the_rounding_of_another_bodys_last_key() {
    for (x, exponent) in [(0.0, -47), (1_048_576.0, -30)] {
        let low = 2.0f32.powi(exponent);
        let mut truth = sliding(x, low, WorldDef::default().engine(Engine::BruteForce));
        truth.advance_to(1.2).unwrap();
        assert_eq!(truth.contacts().len(), 1);
        truth.advance_to(1.4).unwrap();
        assert!(truth.contacts().is_empty());
        for engine in [Engine::Auto, Engine::Kinetic] {
            let mut world = sliding(x, low, WorldDef::default().engine(engine).contacts(ContactMode::Continuous));
            world.advance_to(1.75).unwrap();
            let (lo, hi, is_undecided) = end(&world);
            assert!(lo <= 1.25 && 1.25 <= hi && !is_undecided, "{engine}: {lo} to {hi}");
            assert!(world.contacts().is_empty());
        }
    }
}

#[test]
fn an_end_just_before_a_key() {
    // Times differ by 2⁻³² s here; the contact ends two of these before a key.
    let start = 1_048_576.0;
    for engine in [Engine::Auto, Engine::Kinetic] {
        let def = WorldDef::default().engine(engine).contacts(ContactMode::Continuous).start(start);
        let mut world = World::new(def).unwrap();
        let keys = [pointer(0.0, -1.0), pointer(0.0, 2.0f32.powi(-31)), pointer(0.0, 1.0)].concat();
        let plan = Flightplan::keyframes(vec![start, start + 1.0, start + 2.0], keys);
        world.add_body(BodyDef::new(mesh(), plan)).unwrap();
        let floor = vec![[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]];
        world.add_body(BodyDef::new(mesh(), Flightplan::fixed(floor))).unwrap();
        world.advance_to(start + 1.5).unwrap();
        let (lo, hi, _) = end(&world);
        let before = (start + 1.0).next_down();
        assert!(world.contacts_at(before).unwrap().is_empty());
        // The exact end is start + 1 / (1 + 2⁻³¹).
        assert!(lo < before && before <= hi, "{engine}: {lo} to {hi}");
    }
}

#[test]
fn what_a_seek_leaves_ends_with_the_time_sought() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let def = WorldDef::default().engine(engine).contacts(ContactMode::Continuous);
        for time in [0.5, 1.375, 1.75, 9.0] {
            let mut world = sliding(0.0, 2.0f32.powi(-47), def);
            world.advance_to(1.1).unwrap();
            assert_eq!(world.contacts().len(), 1);
            world.seek(time).unwrap();
            let ended = world.contact_changes().iter().find(|change| matches!(change, ContactChange::Ended { .. }));
            let told = ended.unwrap().time();
            assert!(told.lo == time && told.hi == time, "{engine}, {time}: {told:?}");
        }
    }
}
