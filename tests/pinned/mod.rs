//! Generated scenes as bodies of worlds, and event logs whose hashes are pinned.

#![allow(dead_code, reason = "every test uses its part")]

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::{Clip, GeneratedBody, GeneratedScene};
use kinetree::world::{BodyDef, Engine, World, WorldDef};

pub(crate) fn keyed(clip: &Clip) -> BodyDef {
    let (points, _) = clip.positions.as_chunks::<3>();
    let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
    BodyDef::new(mesh, Flightplan::keyframes(clip.times.clone(), points.to_vec()))
}

pub(crate) fn bodies(scene: &GeneratedScene) -> Vec<BodyDef> {
    let def = |body: &GeneratedBody| match body {
        GeneratedBody::Fixed(mesh) => BodyDef::new(
            Mesh::new(mesh.positions.len(), mesh.triangles.clone()).unwrap(),
            Flightplan::fixed(mesh.positions.clone()),
        ),
        GeneratedBody::Keyed(clip) => keyed(clip),
        GeneratedBody::Moving(body) => BodyDef::new(
            Mesh::new(body.positions.len(), body.triangles.clone()).unwrap(),
            Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
        ),
    };
    scene.bodies.iter().map(def).collect()
}

/// A world whose bodies are kinetic.
pub(crate) fn kinetic() -> WorldDef {
    WorldDef::default().engine(Engine::Kinetic)
}

pub(crate) fn world(defs: impl IntoIterator<Item = BodyDef>, def: WorldDef) -> World {
    let mut world = World::new(def).unwrap();
    for def in defs {
        world.add_body(def).unwrap();
    }
    world
}

/// The log must be the same in one advance to the end (seconds) and in many, and have the pinned
/// hash; scenes without events prove nothing.
pub(crate) fn pinned(name: &str, make: impl Fn() -> World, end: f64, hash: u64) {
    let run = |advances: u32| {
        let mut world = make();
        for step in 1..=advances {
            world.advance_to(end * f64::from(step) / f64::from(advances)).unwrap();
        }
        (world.log().hash(), world.log().count(), world.contacts().len())
    };
    let once = run(1);
    for advances in [7, 100] {
        assert_eq!(run(advances), once, "{name} in {advances} advances");
    }
    assert!(once.1 > 100, "{name}: only {} events", once.1);
    assert_eq!(once.0, hash, "{name}: {:#018x}, {} events", once.0, once.1);
}
