//! Intervals that begin or end between the keys of a body, and those of velocities: what is certain
//! of triangles in their parts is what brute force says at every step.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, Engine, World, WorldDef};

use crate::common::dice::Dice;
use crate::common::shapes::soup_triangles;

const TRIANGLES: usize = 10;

/// Positions of a soup: on a lattice, or anywhere.
fn places(dice: &mut Dice, is_lattice: bool, scale: f32) -> Vec<[f32; 3]> {
    let mut place = || {
        [(); 3].map(|()| {
            let x = if is_lattice { dice.between(-2, 2) as f32 } else { dice.real(-2.0, 2.0) as f32 };
            x * scale
        })
    };
    (0..3 * TRIANGLES).map(|_| place()).collect()
}

/// The next key: some coordinates stay, some move by the least number there is, the others far.
fn next(dice: &mut Dice, before: &[[f32; 3]], is_lattice: bool, scale: f32) -> Vec<[f32; 3]> {
    let after = places(dice, is_lattice, scale);
    let axes = [(); 3].map(|()| dice.below(3));
    let moved = |(before, after): (&[f32; 3], &[f32; 3])| {
        std::array::from_fn(|axis| match axes[axis] {
            0 => before[axis],
            1 => before[axis].next_up(),
            _ => after[axis],
        })
    };
    before.iter().zip(&after).map(moved).collect()
}

/// A body at rest, with keys from a time on, or with velocities, some of them of less than a
/// rounding.
fn plan(dice: &mut Dice, is_lattice: bool, scale: f32) -> Flightplan {
    let first = places(dice, is_lattice, scale);
    match dice.below(5) {
        0 => Flightplan::fixed(first),
        1 => {
            let speeds = [(); 3].map(|()| dice.pick(&[0.0, 6.1e-17, -1e-9, 0.25, 1.0]) * scale);
            Flightplan::velocities(0.0, first, vec![speeds; 3 * TRIANGLES])
        }
        _ => {
            let begin = dice.pick(&[0.0, -0.3, -0.625]);
            let mut keys = vec![first];
            for key in 0..3 {
                let key = next(dice, &keys[key], is_lattice, scale);
                keys.push(key);
            }
            let times = (0..4).map(|key| begin + f64::from(key)).collect();
            Flightplan::keyframes(times, keys.concat())
        }
    }
}

#[test]
fn every_step_agrees_with_brute_force() {
    let (mut touching, mut runs, mut apart) = (0, 0, 0);
    for seed in 0..120 {
        let dice = &mut Dice::new(seed, &[41]);
        let (is_lattice, scale) = (dice.percent(50), dice.pick(&[1.0, 1.0, 0.1, 3000.0]));
        let plans = [plan(dice, is_lattice, scale), plan(dice, is_lattice, scale)];
        let (step, end) = (dice.pick(&[1.0 / 16.0, 1.0 / 97.0, 1.0 / 128.0]), dice.real(1.0, 2.5));
        let mut worlds = [Engine::Interval, Engine::BruteForce].map(|engine| {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            for plan in plans.clone() {
                let mesh = Mesh::new(3 * TRIANGLES, soup_triangles(TRIANGLES)).unwrap();
                world.add_body(BodyDef::new(mesh, plan)).unwrap();
            }
            world
        });
        for number in 1.. {
            let time = f64::from(number) * step;
            if time > end {
                break;
            }
            let [found, expected] = worlds.each_mut().map(|world| {
                world.advance_to(time).unwrap();
                world.contacts().to_vec()
            });
            assert_eq!(found, expected, "seed {seed}, at {time}: {plans:?}");
            touching += found.len();
            apart += TRIANGLES * TRIANGLES - found.len();
        }
        assert!(worlds[0].audit().is_clean(), "seed {seed}");
        runs += usize::from(worlds[0].stats().engines.interval > 0);
    }
    assert!(runs > 100 && touching > 5_000 && apart > 100_000, "{runs} {touching} {apart}");
}
