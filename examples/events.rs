//! A kinetic world that is advanced from event to event: a ball sinks into a sheet and comes out again. What changed is printed from the
//! log, in words.
//!
//! `cargo run --release --example events`

use std::collections::BTreeMap;

use kinetree::{BodyDef, ContactMode, Engine, Flightplan, LoggedEvent, Mesh, NamedEvent, NextEvent, World, WorldDef};

/// Squares along each side of the sheet, one metre wide.
const SIDE: u32 = 4;

fn sheet() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let row = SIDE + 1;
    let positions = (0..row * row).map(|v| [(v % row) as f32, (v / row) as f32, 0.0]).collect();
    let square = |s: u32| {
        let p = s / SIDE * row + s % SIDE;
        [[p, p + 1, p + row + 1], [p, p + row + 1, p + row]]
    };
    (positions, (0..SIDE * SIDE).flat_map(square).collect())
}

/// An octahedron, one metre high above its lowest corner.
fn ball([x, y, z]: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let corner = |axis: usize, side: f32| {
        let mut place = [x, y, z];
        place[axis] += side;
        place
    };
    let corners = (0..3).flat_map(|axis| [corner(axis, -0.5), corner(axis, 0.5)]).collect();
    let faces = (0..8).map(|face: u32| [face & 1, 2 + (face >> 1 & 1), 4 + (face >> 2)]);
    (corners, faces.collect())
}

/// Prints the events of the log that concern two bodies; counts those of trees by kind.
fn tell(world: &World, events: &[LoggedEvent], bounds: &mut usize) {
    for event in events {
        match event.describe() {
            None => {}
            Some(NamedEvent::Bound { .. } | NamedEvent::Plane { .. }) => *bounds += 1,
            Some(named) => {
                let [a, b] = named.bodies().map(|body| world.name(body).unwrap_or("a body that is gone"));
                println!("{:.6} s, {a} and {b}: {named}", event.moment.time());
            }
        }
    }
}

fn main() -> Result<(), kinetree::Error> {
    let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous).keep_events(true);
    let mut world = World::new(def)?;
    let (places, triangles) = sheet();
    let mesh = Mesh::new(places.len(), triangles)?;
    world.add_body(BodyDef::new(mesh, Flightplan::fixed(places)).named("sheet"))?;
    let keys: Vec<[f32; 3]> = [2.0, 0.3, 2.0].iter().flat_map(|&z| ball([1.8, 2.3, z]).0).collect();
    let mesh = Mesh::new(6, ball([0.0; 3]).1)?;
    world.add_body(BodyDef::new(mesh, Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys)).named("ball"))?;

    let (mut stops, mut bounds) = (BTreeMap::new(), 0);
    loop {
        let kind = match world.next_event() {
            // Contacts stay as they are until then.
            NextEvent::At(time) => {
                world.advance_to(time)?;
                "events"
            }
            // Of engines that find contacts again in every advance: the host goes on by its own steps.
            NextEvent::Unknown => {
                world.advance_to(world.time() + 1.0 / 60.0)?;
                "steps of the host"
            }
            // Never: nothing that moves can meet any more.
            _ => break,
        };
        *stops.entry(kind).or_insert(0) += 1;
        let events = world.drain_log();
        tell(&world, &events, &mut bounds);
    }
    println!("stops of the clock: {stops:?}; {bounds} changes of bounds are left out");
    println!("{} events, hash {:016x}", world.log().count(), world.log().hash());
    Ok(())
}
