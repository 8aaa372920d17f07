//! The host loop of the README and the entry points beside it, with the default features only.
//!
//! `cargo run --manifest-path tests/host/Cargo.toml` fails to build if a name that hosts need is
//! public with the feature `unstable` only, and fails to run if the loop misses a contact.

use std::collections::BTreeSet;
use std::sync::Arc;

use kinetree::narrow::{IntervalStats, MovingTriangle, contact_intervals, triangles_touch};
use kinetree::proxy::SphereClip;
use kinetree::reduced::{Pose, ReducedMesh};
use kinetree::{
    BodyDef, Contact, ContactChange, ContactMode, Engine, Error, Filter, Flightplan, Mesh, NextEvent, Outside, Sampler,
    Side, Span, Sphere, Spheres, VertexFlightplan, World, WorldDef, WorldLimits,
};

/// A square of two triangles at a height.
fn square(z: f32) -> [[f32; 3]; 4] {
    [[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]]
}

fn mesh() -> Result<Mesh, Error> {
    Ok(Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]])?)
}

/// A deformation model of the host: a square that falls from 1 m to −1 m in a second.
#[derive(Debug)]
struct Falling {
    times: [f64; 2],
    rest: [[f32; 3]; 4],
}

impl Sampler for Falling {
    fn vertex_count(&self) -> usize {
        4
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn jumps(&self) -> &[bool] {
        &[false, false]
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn largest_coordinate(&self) -> f64 {
        1.0
    }

    fn largest_speed(&self) -> f64 {
        2.0
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        let [x, y, _] = self.rest[vertex as usize].map(f64::from);
        [x, y, if key == 0 { 1.0 } else { -1.0 }]
    }
}

/// The loop of the README: the contacts of every step, and the changes.
fn host_loop() -> Result<(), Error> {
    let (key_times, positions) = (vec![0.0, 1.0, 2.0], [square(1.0), square(-1.0), square(1.0)].concat());
    let mut world = World::new(WorldDef::new())?;
    let cloth = world.add_body(BodyDef::new(mesh()?, Flightplan::keyframes(key_times, positions)))?;
    let lift = |z: f64| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, z, 0.0, 0.0, 0.0, 1.0];
    let plan = Flightplan::rigid(vec![0.0, 2.0], vec![lift(0.0), lift(0.0)], square(0.0).to_vec());
    world.add_body(BodyDef::new(mesh()?, plan).named("ball"))?;
    let (mut touching, mut changes) = (BTreeSet::new(), 0);
    for frame in 0..=8 {
        world.advance_to(f64::from(frame) / 8.0)?;
        for Contact { triangle_a, triangle_b, .. } in world.contacts() {
            touching.insert((frame, *triangle_a, *triangle_b));
        }
        changes += world.contact_changes().iter().filter(|change: &&ContactChange| change.is_begin()).count();
        let fixed = VertexFlightplan::Fixed { position: [9.0, 9.0, -9.0] };
        if frame == 6 {
            world.set_vertex_flightplans(cloth, &[(3, fixed)])?;
        }
    }
    assert_eq!(touching.iter().map(|(frame, ..)| *frame).collect::<BTreeSet<i32>>(), BTreeSet::from([4]));
    assert_eq!(changes, touching.len());
    assert!(world.audit().is_clean());
    Ok(())
}

/// Continuous contacts, a sampler, spheres and bounds of a world.
fn other_entries() -> Result<(), Error> {
    let def = WorldDef::new().contacts(ContactMode::Continuous).limits(WorldLimits::DEFAULT);
    let mut world = World::new(def)?;
    let floor = BodyDef::new(mesh()?, Flightplan::fixed(square(0.0).to_vec())).filter(Filter::default());
    let floor = world.add_body(floor.named("floor"))?;
    let sampler = Arc::new(Falling { times: [0.0, 1.0], rest: square(1.0) });
    let falling = world.add_body(BodyDef::new(mesh()?, Flightplan::sampled(sampler)))?;
    let clip = SphereClip { times: vec![0.0], spheres: vec![vec![Sphere { centre: [0.0, 0.0, 5.0], radius: 1.0 }]] };
    world.add_body(BodyDef::new(Spheres::new(1)?, clip.flightplan()))?;
    let first = world.first_contact(floor, falling, 1.0)?.expect("it falls through the floor");
    assert!((first.time().lo - 0.5).abs() < 1e-12);
    assert!(matches!(world.next_event(), NextEvent::At(_)));
    world.advance_to(0.75)?;
    assert!(!world.contacts_at(0.5)?.is_empty());
    assert_eq!(world.certified_span(), Span { begin: 0.0, end: 0.75 });
    let (hit, _) = world.cast_ray([0.3, 0.2, 9.0], [0.0, 0.0, -1.0], 20.0);
    assert!(hit.is_some());
    let refused = World::new(WorldDef::new().engine(Engine::Refit).contacts(ContactMode::Continuous));
    assert!(refused.map_err(Error::from).is_err());
    Ok(())
}

/// The exact tests, and a reduced body.
fn parts() -> Result<(), Error> {
    let low = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let high = low.map(|[x, y, _]| [x, y, 1.0]);
    assert!(triangles_touch(&low, &low) && !triangles_touch(&low, &high));
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    let falling = MovingTriangle { begin: high, end: low };
    contact_intervals(&falling, &MovingTriangle { begin: low, end: low }, &mut found, &mut stats);
    assert_eq!((found.len(), found[0].begin.lo), (1, 1.0));
    let body = ReducedMesh::morphed(mesh()?, square(0.0).to_vec(), Vec::new())?;
    let mut places = Vec::new();
    body.evaluate_all(&Pose::rest(1, 0), &mut places)?;
    assert_eq!(places.len(), 4);
    Ok(())
}

fn main() -> Result<(), Error> {
    host_loop()?;
    other_entries()?;
    parts()?;
    Ok(())
}
