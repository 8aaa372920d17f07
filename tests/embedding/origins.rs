//! Bodies around origins in f64: a world moved by kilometres has the contacts of one near zero.

use kinetree::{BodyDef, ContactMode, Engine, Flightplan, Mesh, MotionError, Outside, World, WorldDef};

use crate::dice::Dice;
use crate::scene::{ENGINES, KEYS, soup};

/// Far off, in multiples of 2⁻¹⁰ m.
const FAR: [f64; 3] = [4_194_304.5, -2_097_152.25, 8_388_607.0];

/// Soups on a lattice of 2⁻¹⁰ m, at each key elsewhere: sums with an origin on that lattice are exact.
fn bodies(seed: u64) -> Vec<(Mesh, Flightplan)> {
    let mut dice = Dice::new(seed, &[41]);
    let lattice = |x: f32| (x * 1024.0).round() / 1024.0;
    (0..4)
        .map(|number| {
            let (rest, corners) = soup(&mut dice, 6);
            let mesh = Mesh::new(rest.len(), corners).unwrap();
            let keys = KEYS.iter().flat_map(|_| {
                let shift: [f32; 3] = std::array::from_fn(|_| dice.real(-1.2, 1.2) as f32);
                rest.iter().map(|p| [0, 1, 2].map(|k| lattice(p[k] + shift[k]))).collect::<Vec<_>>()
            });
            let plan = match number {
                3 => Flightplan::fixed(rest.iter().map(|p| p.map(lattice)).collect()),
                _ => Flightplan::keyframes(KEYS.to_vec(), keys.collect()),
            };
            (mesh, if number == 1 { plan.outside(Outside::Loop) } else { plan })
        })
        .collect()
}

#[test]
fn contacts_of_a_moved_world_are_those_of_one_near_zero() {
    let mut seen = 0;
    for seed in 0..3 {
        for (engine, mode) in ENGINES
            .map(|engine| (engine, ContactMode::AtTimes))
            .into_iter()
            .chain([(Engine::Auto, ContactMode::Continuous)])
        {
            let mut worlds = [[0.0; 3], FAR].map(|origin| {
                let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
                for (number, (mesh, plan)) in bodies(seed).into_iter().enumerate() {
                    let plan = plan.around(origin).unwrap();
                    world.add_body(BodyDef::new(mesh, plan).self_contact(number == 0)).unwrap();
                }
                world
            });
            let mut stored = World::new(WorldDef::new().engine(Engine::BruteForce)).unwrap();
            for (number, (mesh, plan)) in bodies(seed).into_iter().enumerate() {
                stored.add_body(BodyDef::new(mesh, plan).self_contact(number == 0)).unwrap();
            }
            for step in 0..=24 {
                // Keys, and binary fractions of the time between them.
                let time = f64::from(step) / 8.0;
                worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
                stored.advance_to(time).unwrap();
                assert_eq!(worlds[0].contacts(), worlds[1].contacts(), "{engine}, seed {seed}, {time} s");
                assert_eq!(worlds[0].contacts(), stored.contacts(), "{engine}, seed {seed}, {time} s");
                seen += stored.contacts().len();
            }
        }
    }
    assert!(seen > 400, "{seen}");
}

#[test]
fn a_millimetre_is_kept_and_neighbours_with_other_origins_touch_exactly() {
    let side = |x: f32| vec![[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]];
    for engine in ENGINES {
        let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
        let mut add = |x: f32, origin: f64| {
            let plan = Flightplan::fixed(side(x)).around([origin, -7.0e6, 9.0e6]).unwrap();
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap()
        };
        let first = add(0.25, 5_000_001.0);
        let second = add(-0.75, 5_000_002.0);
        add(0.251, 5_000_001.0);
        let touching: Vec<_> = world.contacts().iter().map(|contact| (contact.a, contact.b)).collect();
        assert_eq!(touching, [(first, second)], "{engine}");
        assert!(world.audit().is_clean());
    }
}

#[test]
fn rigid_bodies_turn_around_their_origin_in_f64() {
    let (sin, cos) = 0.3_f64.sin_cos();
    let turn = |angle_sin: f64, angle_cos: f64| {
        let rows = [[angle_cos, -angle_sin, 0.0, 0.0], [angle_sin, angle_cos, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let mut entries = [0.0; 16];
        rows.iter().flatten().enumerate().for_each(|(at, &x)| entries[at] = x);
        entries[15] = 1.0;
        entries
    };
    let rest = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let plan = Flightplan::rigid(vec![0.0, 1.0], vec![turn(0.0, 1.0), turn(sin, cos)], rest);
    let mut world = World::new(WorldDef::new()).unwrap();
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let body = world.add_body(BodyDef::new(mesh, plan.around(FAR).unwrap())).unwrap();
    world.advance_to(1.0).unwrap();
    let [x, y, _] = world.positions(body).unwrap()[0];
    assert!((x - FAR[0] - cos).abs() < 2e-9 && (y - FAR[1] - sin).abs() < 2e-9);
    assert!(world.audit().is_clean());
}

#[test]
fn bad_origins_and_plans_without_one_are_refused() {
    let fixed = Flightplan::fixed(vec![[0.0; 3]; 3]);
    assert!(matches!(fixed.around([f64::NAN, 0.0, 0.0]), Err(MotionError::BadTransform { .. })));
    assert!(matches!(fixed.around([1e35, 0.0, 0.0]), Err(MotionError::BadCoordinate { .. })));
    let field = Flightplan::velocities(0.0, vec![[0.0; 3]; 3], vec![[0.0; 3]; 3]);
    assert_eq!(field.around(FAR).unwrap_err(), MotionError::NoOrigin);
    let odd = Flightplan::keyframes(vec![0.0, 1.0], vec![[0.0; 3]; 3]);
    assert!(matches!(odd.around(FAR), Err(MotionError::PositionCount { .. })));
    let none = Flightplan::keyframes(vec![], vec![]);
    assert_eq!(none.around(FAR).unwrap_err(), MotionError::NoKeys);
    let rigid = Flightplan::rigid(vec![0.0, 1.0], vec![[0.0; 16]], vec![[0.0; 3]; 3]);
    assert!(rigid.around(FAR).is_err());
}
