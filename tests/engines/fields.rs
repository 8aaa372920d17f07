//! Velocity fields whose vertices part: refits move their boxes between looks, and plans are replaced, vertices stopped, clocks turned to times
//! that are asked for once more, while they do.

use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{BodyDef, Engine, World};

use crate::common::dice::Dice;
use crate::common::lockstep::body;
use crate::windows::world;

const SIDE: u16 = 12;

/// A grid of 288 triangles, a metre large.
fn grid() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let along = |x: u16| f32::from(x) / f32::from(SIDE);
    let places = (0..=SIDE).flat_map(|y| (0..=SIDE).map(move |x| [along(x), along(y), 0.0])).collect();
    let row = u32::from(SIDE) + 1;
    let squares = (0..u32::from(SIDE)).flat_map(|y| (0..u32::from(SIDE)).map(move |x| y * row + x));
    (places, squares.flat_map(|p| [[p, p + 1, p + row], [p + 1, p + row + 1, p + row]]).collect())
}

/// Vertices that go up and down, each differing from the others by so much, metres per second; perhaps round and round.
fn field(dice: &mut Dice, places: &[[f64; 3]], begin: f64, spread: f64) -> Flightplan {
    let up = 0.4 * dice.unit() - 0.2;
    let mut off = || (spread * (2.0 * dice.unit() - 1.0)) as f32;
    let velocities = places.iter().map(|_| [off(), off(), up as f32 + off()]).collect();
    let places = places.iter().map(|place| place.map(|x| x as f32)).collect();
    if dice.below(4) == 0 {
        let span = Span { begin, end: begin + 0.3 };
        return Flightplan::velocities_until(span, places, velocities).outside(Outside::Loop);
    }
    Flightplan::velocities(begin, places, velocities)
}

#[test]
fn plans_are_replaced_while_refitted_boxes_move() {
    let (mut seen, mut changed) = (0, 0);
    for round in 0..9 {
        let mut dice = Dice::new(round, &[]);
        let spread = [0.0, 0.02, 0.5][round as usize % 3];
        let (places, triangles) = grid();
        let exact: Vec<[f64; 3]> = places.iter().map(|place| place.map(f64::from)).collect();
        let plans = [0.0, 0.03].map(|height| {
            let places: Vec<[f64; 3]> = exact.iter().map(|&[x, y, z]| [x, y, z + height]).collect();
            field(&mut dice, &places, 0.0, spread)
        });
        let engines = [Engine::BruteForce, Engine::Refit, Engine::Auto, Engine::Interval];
        let mut worlds: Vec<World> = engines.into_iter().map(world).collect();
        for world in &mut worlds {
            for plan in &plans {
                let is_alone = round % 2 == 0;
                let def: BodyDef = body(&(places.clone(), triangles.clone()), plan.clone());
                world.add_body(def.engine(Engine::Auto).self_contact(is_alone)).unwrap();
            }
        }
        let mut time = 0.0;
        for look in 0..40 {
            time += [0.0, 1e-9, 0.003, 0.02, 0.1][dice.below(5)];
            worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
            let some = worlds[0].bodies().nth(dice.below(2)).unwrap();
            match dice.below(10) {
                0 => {
                    let here = worlds[0].positions(some).unwrap();
                    let plan = field(&mut dice, &here, time, spread);
                    worlds.iter_mut().for_each(|world| world.set_flightplan(some, plan.clone()).unwrap());
                    changed += 1;
                }
                1 => {
                    let vertex = dice.below(places.len());
                    let position = worlds[0].positions(some).unwrap()[vertex];
                    let stop = [(vertex as u32, VertexFlightplan::Fixed { position })];
                    worlds.iter_mut().for_each(|world| world.set_vertex_flightplans(some, &stop).unwrap());
                    changed += 1;
                }
                _ => {}
            }
            seen += worlds[0].contacts().len();
            for (world, engine) in worlds.iter().zip(engines).skip(1) {
                assert_eq!(world.contacts(), worlds[0].contacts(), "{round} {look} {engine:?}");
            }
        }
    }
    assert!(seen > 10_000 && changed > 20, "{seen} contacts, {changed} changes");
}
