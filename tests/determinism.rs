//! The same input gives the same event log, bit for bit: in debug and in release, and however the host divides its advances.
//!
//! They are those of the live engine: windows and refits have no events. The hashes are pinned. A change of theirs is a change of behaviour: say in the changelog what changed and why.

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::scenes::material::{jittered_grid_cloth, random_soup, symmetric_grid};
use kinetree::scenes::{ExpandingSpheresDef, Garment, GeneratedBody, GeneratedScene, TableclothDef, WalkDef};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

fn keyed(clip: &kinetree::scenes::Clip) -> BodyDef {
    let (points, _) = clip.positions.as_chunks::<3>();
    let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
    BodyDef::new(mesh, Flightplan::keyframes(clip.times.clone(), points.to_vec()))
}

fn bodies(scene: &GeneratedScene) -> Vec<BodyDef> {
    scene
        .bodies
        .iter()
        .map(|body| match body {
            GeneratedBody::Fixed(mesh) => BodyDef::new(
                Mesh::new(mesh.positions.len(), mesh.triangles.clone()).unwrap(),
                Flightplan::fixed(mesh.positions.clone()),
            ),
            GeneratedBody::Keyed(clip) => keyed(clip),
            GeneratedBody::Moving(body) => BodyDef::new(
                Mesh::new(body.positions.len(), body.triangles.clone()).unwrap(),
                Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
            ),
        })
        .collect()
}

/// Runs a scene to its end in the given number of advances: hash and count of the log, and contacts at the end.
fn run(defs: Vec<BodyDef>, contacts: ContactMode, end: f64, advances: u32) -> (u64, u64, usize) {
    let mut world = World::new(WorldDef { engine: Engine::Live, contacts, ..WorldDef::default() }).unwrap();
    for def in defs {
        world.add_body(def).unwrap();
    }
    for step in 1..=advances {
        world.advance_to(end * f64::from(step) / f64::from(advances)).unwrap();
    }
    (world.log().hash(), world.log().count(), world.contacts().len())
}

/// The log must be the same in one advance and in many, and have the pinned hash; scenes without events prove nothing.
fn pinned(name: &str, defs: impl Fn() -> Vec<BodyDef>, contacts: ContactMode, end: f64, hash: u64) {
    let once = run(defs(), contacts, end, 1);
    for advances in [7, 100] {
        assert_eq!(run(defs(), contacts, end, advances), once, "{name} in {advances} advances");
    }
    assert!(once.1 > 100, "{name}: only {} events", once.1);
    assert_eq!(once.0, hash, "{name}: {:#018x}, {} events", once.0, once.1);
}

#[test]
fn tablecloth() {
    let scene = TableclothDef { triangles: 500, keys: 30, ..TableclothDef::default() }.generate();
    pinned("tablecloth", || bodies(&scene), ContactMode::AtTimes, 1.2, 0x2105_2893_e583_a5b2);
}

#[test]
fn walking_figure_in_a_dress() {
    let scene = WalkDef { triangles: 3000, keys: 8, garment: Garment::Dress, ..WalkDef::default() }.generate();
    pinned("walker", || bodies(&scene), ContactMode::AtTimes, 0.2, 0xbf31_499b_fbd6_2171);
}

#[test]
fn expanding_spheres() {
    let scene = ExpandingSpheresDef { triangles: 500, ..ExpandingSpheresDef::default() }.generate();
    pinned("spheres", || bodies(&scene), ContactMode::Continuous, 3.0, 0x5e9f_71d4_1f55_2ab7);
}

#[test]
fn soups_in_continuous_contact() {
    let (a, b) = (random_soup(1, 40, 6, 1.0), random_soup(2, 40, 6, 1.0));
    pinned(
        "soups",
        || vec![keyed(&a), keyed(&b).self_contact(true)],
        ContactMode::Continuous,
        0.2,
        0x7b62_b442_965c_6fe0,
    );
}

#[test]
fn a_symmetric_grid_full_of_ties() {
    let grid = symmetric_grid(8, 8, 6, [true, false, true]);
    let cloth = jittered_grid_cloth(3, 10, 10, 6);
    pinned("grid", || vec![keyed(&grid), keyed(&cloth)], ContactMode::AtTimes, 0.2, 0x9648_b3c4_4177_3a13);
}

#[test]
fn looping_clips_and_changed_plans() {
    let (a, b) = (random_soup(5, 30, 5, 1.0), random_soup(6, 30, 4, 1.0));
    let looping = |clip: &kinetree::scenes::Clip| {
        let mut def = keyed(clip);
        def.motion = def.motion.outside(Outside::Loop);
        def
    };
    let history = |advances: u32| {
        let mut world = World::new(WorldDef { engine: Engine::Live, ..WorldDef::default() }).unwrap();
        let first = world.add_body(looping(&a)).unwrap();
        world.add_body(looping(&b)).unwrap();
        for change in 0..4u32 {
            let plans: Vec<(u32, VertexFlightplan)> = (0..5)
                .map(|v| {
                    let velocity = [0.5, -0.25, f64::from(v) * 0.125];
                    (v + 7 * change, VertexFlightplan::Velocity { from: None, velocity })
                })
                .collect();
            world.set_vertex_flightplans(first, &plans).unwrap();
            for step in 1..=advances {
                world.advance_to(0.25 * (f64::from(change) + f64::from(step) / f64::from(advances))).unwrap();
            }
        }
        (world.log().hash(), world.log().count())
    };
    let once = history(1);
    assert_eq!(history(50), once);
    assert!(once.1 > 100);
    assert_eq!(once.0, 0xe8a4_14e5_5c44_c311, "loops: {:#018x}, {} events", once.0, once.1);
}
