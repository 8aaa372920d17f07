//! Neighbours, spheres and far travellers that stay in touch by construction: the truth needs no
//! oracle.

use kinetree::BodyId;
use kinetree::mesh::{Mesh, Spheres};
use kinetree::motion::{Flightplan, Sphere};
use kinetree::narrow::neighbours_touch;
use kinetree::scenes::Random;
use kinetree::world::{BodyDef, Engine, IgnoredContacts, World, WorldDef};

use crate::ENGINES;
use crate::generate::{Point, in_a_plane, number, times};

/// Times between which and at which contacts are asked for.
fn moments(random: &mut Random, end: f64) -> Vec<f64> {
    let mut moments: Vec<f64> = (0..12).map(|_| random.unit() * end).collect();
    moments.extend([0.0, end]);
    moments.sort_by(f64::total_cmp);
    moments
}

/// Images of points, key by key, under maps of the plane that turn nothing over, in a tilted plane
/// that moves up and down.
fn moved(random: &mut Random, points: &[[f32; 2]], keys: usize) -> Vec<Vec<[f64; 3]>> {
    let slope = [number(random, 1, 4), number(random, 1, 4)];
    let key = |_| {
        let [a, b, c, d] = [0; 4].map(|_| 0.25 * number(random, 1, 8));
        let offset = [0; 3].map(|_| number(random, 2, 8));
        let image = |&[x, y]: &[f32; 2]| {
            let (x, y) = ((1.0 + a) * x + b * y + offset[0], c * x + (1.0 + d) * y + offset[1]);
            [x, y, slope[0] * x + slope[1] * y + offset[2]].map(f64::from)
        };
        points.iter().map(image).collect()
    };
    (0..keys).map(key).collect()
}

fn narrow(points: &[[f64; 3]]) -> impl Iterator<Item = Point> {
    points.iter().map(|point| point.map(|x| x as f32))
}

#[test]
fn neighbours_that_lie_on_each_other_do_so_at_every_instant() {
    let mut random = Random::new(11);
    // Both triangles, and what is common; the first ones share more, the last ones do not.
    let fold = [[0.0, 0.0], [1.0, 0.0], [0.25, 1.0], [0.75, 0.5]];
    let flat = [[0.0, 0.0], [1.0, 0.0], [0.25, 1.0], [0.75, -0.5]];
    let spike = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [2.0, 2.0]];
    let fan = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-0.5, -0.5], [-2.0, 1.0]];
    let edge = ([[0, 1, 2], [0, 1, 3]], vec![(0, 0), (1, 1)]);
    let corner = ([[0, 1, 2], [0, 3, 4]], vec![(0, 0)]);
    let cases: [(&[[f32; 2]], _, bool); 4] =
        [(&fold, &edge, true), (&flat, &edge, false), (&spike, &corner, true), (&fan, &corner, false)];
    let (mut asked, mut wrong) = (0, 0);
    for round in 0..12 {
        let (points, (triangles, common), truth) = cases[round % 4];
        let at = times(&mut random, 3);
        let keys = moved(&mut random, points, 3);
        let positions: Vec<Point> = keys.iter().flat_map(|key| narrow(key)).collect();
        let moments = moments(&mut random, at[2]);
        for engine in ENGINES {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            let mesh = Mesh::new(points.len(), triangles.to_vec()).unwrap();
            let plan = Flightplan::keyframes(at.clone(), positions.clone());
            let body = world.add_body(BodyDef::new(mesh, plan).self_contact(true).neighbours(true)).unwrap();
            for &time in &moments {
                world.advance_to(time).unwrap();
                let is_on = !world.contacts().is_empty();
                assert_eq!(is_on, truth, "round {round}, {engine} at {time:?}");
                if engine == Engine::BruteForce {
                    let places = world.positions(body).unwrap();
                    let [p, q] = triangles.map(|triangle| triangle.map(|vertex| places[vertex as usize]));
                    asked += 1;
                    wrong += u32::from(neighbours_touch(&p, &q, common) != truth);
                }
            }
        }
    }
    println!("{asked} instants, {wrong} of them decided wrongly on positions rounded to f64");
    assert!(wrong > 10, "{wrong} of {asked}");
}

#[test]
fn spheres_that_touch_a_triangle_by_a_point_do_so_at_every_instant() {
    let mut random = Random::new(12);
    for round in 0..6 {
        let at = times(&mut random, 3);
        let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
        // In the plane of (4, −3, 0) and (0, 0, 1); its normal is (3, 4, 0).
        let keys = moved(&mut random, &corners, 3)
            .into_iter()
            .map(|key| key.into_iter().map(|[x, y, _]| [x, -0.75 * x, y]).collect::<Vec<_>>());
        let keys: Vec<_> = keys.collect();
        // Less than positions are rounded by.
        let off = if round % 3 == 2 { 1.0 / (1_u64 << 48) as f64 } else { 0.0 };
        let ball = |key: &Vec<[f64; 3]>| {
            let [x, y, z] = [0, 1, 2].map(|axis| 0.5 * key[0][axis] + 0.25 * key[1][axis] + 0.25 * key[2][axis]);
            Sphere { centre: [x + 0.375 + 3.0 * off, y + 0.5 + 4.0 * off, z], radius: 0.625 }
        };
        let moments = moments(&mut random, at[2]);
        for engine in ENGINES {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
            let plan = Flightplan::keyframes(at.clone(), keys.iter().flat_map(|key| narrow(key)).collect());
            let spheres = Flightplan::spheres(at.clone(), keys.iter().map(ball).collect());
            let add = |world: &mut World, of_triangle: bool| -> BodyId {
                let def = if of_triangle {
                    BodyDef::new(mesh.clone(), plan.clone())
                } else {
                    BodyDef::new(Spheres::new(1).unwrap(), spheres.clone())
                };
                world.add_body(def).unwrap()
            };
            let is_first = round % 2 == 0;
            add(&mut world, is_first);
            add(&mut world, !is_first);
            for &time in &moments {
                world.advance_to(time).unwrap();
                assert_eq!(world.contacts().len(), usize::from(off == 0.0), "round {round}, {engine} at {time:?}");
            }
        }
    }
}

/// A triangle falls for eight days, from 2⁴⁰ m through another one near 0. At one `f64` time both
/// are in one plane, exactly; there its evaluated height is off by 2⁻¹⁴ m, far more than `f32`
/// rounds numbers of that size.
#[test]
fn a_triangle_from_far_away_meets_another_at_one_time() {
    let (height, speed) = (1_099_511_627_776.0f32, -1_572_864.0f32);
    let floor = 16_387.0f32 / 16_384.0;
    // (2⁴⁰ − floor) / speed: 3 divides it, and 53 bits hold it.
    let time = (((1_u64 << 54) - 16_387) / 3) as f64 / 8_589_934_592.0;
    for engine in ENGINES {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        let corners = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
        let plan = Flightplan::velocities(0.0, corners(height), vec![[0.0, 0.0, speed]; 3]);
        for plan in [plan, Flightplan::fixed(corners(floor))] {
            let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
            world.add_body(BodyDef::new(mesh, plan)).unwrap();
        }
        for (time, count) in [(time.next_down(), 0), (time, 1), (time.next_up(), 0)] {
            world.advance_to(time).unwrap();
            assert_eq!(world.contacts().len(), count, "{engine} at {time:?}");
        }
    }
    let evaluated = f64::from(height) + f64::from(speed) * time;
    assert_eq!((evaluated - f64::from(floor)).abs(), 1.0 / 16_384.0);
}

/// What touches exactly when a body is added between two keys is left out, whatever its corners are rounded to.
#[test]
fn contacts_at_a_start_between_keys_are_left_out() {
    let mut random = Random::new(13);
    let mut left_out = 0;
    for _ in 0..6 {
        let states = in_a_plane(&mut random, 2, true);
        let start = random.between(0.1, 0.9);
        let world = |ignored: IgnoredContacts| {
            let mut world = World::new(WorldDef::default().start(start)).unwrap();
            for body in [0, 1] {
                let positions: Vec<Point> = states.all.iter().flat_map(|state| state[body].clone()).collect();
                let mesh = Mesh::new(positions.len() / 2, states.triangles[body].clone()).unwrap();
                let plan = Flightplan::keyframes(vec![0.0, 1.0], positions);
                world.add_body(BodyDef::new(mesh, plan).ignoring_contacts(ignored)).unwrap();
            }
            world.advance_to(start).unwrap();
            world.contacts().len()
        };
        left_out += world(IgnoredContacts::None);
        assert_eq!(world(IgnoredContacts::AtStart), 0, "at {start:?}");
    }
    assert!(left_out > 100, "{left_out}");
}
