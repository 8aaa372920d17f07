//! Vertices on one straight line whose pieces end at different times overtake each other by
//! roundings, and three of them can do so in a circle. The events of such a moment must end.

use crate::common::dice::Dice;
use crate::common::shapes::soup_triangles;
use kinetree::bvh::{BuildParams, Width};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

/// Kinds of trees, and how many children their nodes have.
const TREES: [(TreeKind, Width); 3] =
    [(TreeKind::Aabb, Width::Two), (TreeKind::Aabb, Width::Four), (TreeKind::Box, Width::Two)];

const MODES: [ContactMode; 2] = [ContactMode::AtTimes, ContactMode::Continuous];

/// Runs a test on a kinetic world for every kind of tree and mode.
fn in_every_world(mut run: impl FnMut(&mut World, ContactMode, &dyn Fn(BodyDef) -> BodyDef)) {
    for (kind, width) in TREES {
        for mode in MODES {
            let mut world = World::new(WorldDef::default().engine(Engine::Kinetic).contacts(mode)).unwrap();
            let build = BuildParams { width, leaf_size: 1, ..BuildParams::default() };
            run(&mut world, mode, &|body| body.tree(kind).build(build));
            assert!(world.audit().is_clean(), "{kind:?} {width:?} {mode:?}: {:?}", world.audit());
        }
    }
}

fn sheet() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

fn corners(x: f32) -> [[f32; 3]; 3] {
    [[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]]
}

/// Of vertices that keep their velocity by a plan of their own, given at several times, each was
/// found to overtake the next: the world was stuck for good.
#[test]
fn a_velocity_may_be_given_to_vertices_that_have_it() {
    for times in [[0.2, 0.8], [0.1, 0.3]] {
        in_every_world(|world, _, tree| {
            let plan = Flightplan::keyframes(vec![0.0, 10.0], [corners(0.0), corners(30.0)].concat());
            let body = world.add_body(tree(BodyDef::new(sheet(), plan))).unwrap();
            for (time, vertex) in times.into_iter().zip([1, 2]) {
                world.advance_to(time).unwrap();
                let kept = VertexFlightplan::Velocity { from: None, velocity: [3.0, 0.0, 0.0] };
                world.set_vertex_flightplans(body, &[(vertex, kept)]).unwrap();
                assert!(world.audit().is_clean(), "{time}: {:?}", world.audit());
            }
            for time in [1.5, 2.0, 9.0, 11.0, 70.0] {
                world.advance_to(time).unwrap();
                assert!(world.audit().is_clean(), "{time}: {:?}", world.audit());
            }
        });
    }
}

/// A plan of straight polynomials along x, through (1.1 t, y, z).
fn straight(times: &[f64], [y, z]: [f64; 2]) -> VertexFlightplan {
    let begins = &times[..times.len() - 1];
    let coefficients = begins.iter().flat_map(|&time| [[1.1 * time, y, z], [1.1, 0.0, 0.0]]).collect();
    VertexFlightplan::Polynomials { times: times.to_vec(), degree: 1, coefficients, outside: Outside::Hold }
}

/// The same with straight polynomials, also where a vertex on a curve belongs to the slots.
#[test]
fn straight_pieces_may_end_at_different_times() {
    for with_curve in [false, true] {
        in_every_world(|world, _, tree| {
            let mesh = Mesh::new(4, vec![[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
            let positions = [&corners(0.0)[..], &[[-1.0, 1.0, 1.0]]].concat();
            let body = world.add_body(tree(BodyDef::new(mesh, Flightplan::fixed(positions)))).unwrap();
            let mut plans = vec![
                (0, straight(&[0.0, 0.5, 7.0], [0.0, 0.0])),
                (1, straight(&[0.0, 3.0], [1.0, 0.0])),
                (2, straight(&[0.0, 11.5], [0.0, 1.0])),
            ];
            if with_curve {
                let (velocity, acceleration) = ([0.0; 3], [1.0, 0.0, 0.0]);
                plans.push((3, VertexFlightplan::Ballistic { from: None, velocity, acceleration }));
            }
            world.set_vertex_flightplans(body, &plans).unwrap();
            for time in [0.25, 0.5, 0.75, 1.0, 3.0, 4.0, 8.0, 12.0] {
                world.advance_to(time).unwrap();
                assert!(world.audit().is_clean(), "{time}: {:?}", world.audit());
            }
        });
    }
}

/// The plan that a vertex of a body at constant velocity gets: nearly always the motion it has.
fn other_plan(dice: &mut Dice, now: f64, place: [f64; 3], velocity: [f64; 3]) -> VertexFlightplan {
    let along = |seconds: f64| std::array::from_fn(|axis| place[axis] + velocity[axis] * seconds);
    match dice.below(10) {
        0..6 => VertexFlightplan::Velocity { from: None, velocity },
        6..9 => {
            let mut times = vec![now];
            (0..=dice.below(4)).for_each(|_| times.push(times[times.len() - 1] + dice.real(0.05, 3.0)));
            let begins = &times[..times.len() - 1];
            let coefficients = begins.iter().flat_map(|&time| [along(time - now), velocity]).collect();
            VertexFlightplan::Polynomials { times, degree: 1, coefficients, outside: Outside::Hold }
        }
        _ => {
            let acceleration = [0; 3].map(|_| dice.real(-1.0, 1.0));
            VertexFlightplan::Ballistic { from: None, velocity, acceleration }
        }
    }
}

/// Bodies at constant velocity whose vertices get the velocity they have at random times, among
/// others and through a fixed body: contacts are those of brute force.
#[test]
fn vertices_that_keep_their_velocity_have_the_contacts_of_brute_force() {
    let mut contacts = 0;
    for seed in 0..60 {
        in_every_world(|world, mode, tree| {
            let mut dice = Dice::new(seed, &[]);
            let mut brute = World::new(WorldDef::default().engine(Engine::BruteForce)).unwrap();
            let speed = [3.0, 5.0, 7.0, 0.75][seed as usize % 4];
            let velocity = [speed, [0.0, 0.1][seed as usize / 4 % 2], 0.0];
            let mut bodies = Vec::new();
            for number in 0..2 {
                // Triangles in planes across the way: many vertices on one line, or level.
                let count = 6;
                let corner = |dice: &mut Dice, at: usize| {
                    [(at / 9) as f32, dice.real(-1.0, 1.0) as f32, dice.real(-1.0, 1.0) as f32]
                };
                let begin: Vec<[f32; 3]> = (0..3 * count).map(|at| corner(&mut dice, at)).collect();
                let end = begin.iter().map(|p| std::array::from_fn(|axis| p[axis] + 10.0 * velocity[axis] as f32));
                let plan = if number == 0 {
                    Flightplan::keyframes(vec![0.0, 10.0], begin.iter().copied().chain(end).collect())
                } else {
                    let ahead = begin.iter().map(|&[x, y, z]| [y + 2.0, x - 0.5, z]).collect();
                    Flightplan::fixed(ahead)
                };
                let mesh = Mesh::new(3 * count, soup_triangles(count)).unwrap();
                let def = BodyDef::new(mesh, plan);
                brute.add_body(def.clone()).unwrap();
                bodies.push(world.add_body(tree(def)).unwrap());
            }
            let moving = bodies[0];
            let mut times: Vec<f64> = (0..8).map(|_| dice.between(1, 59) as f64 / 60.0).collect();
            times.sort_by(f64::total_cmp);
            for time in times.into_iter().chain([1.1, 1.5, 2.0, 3.0, 9.5, 10.0, 12.0]) {
                world.advance_to(time).unwrap_or_else(|error| panic!("seed {seed}, {time}: {error}"));
                brute.advance_to(time).unwrap();
                contacts += brute.contacts().len();
                if mode == ContactMode::AtTimes {
                    assert_eq!(world.contacts(), brute.contacts(), "seed {seed}, {time}");
                }
                // Inside the enclosures of ends there may be more, and near curves.
                for contact in brute.contacts() {
                    assert!(world.contacts().contains(contact), "seed {seed}, {time}: {contact:?} is missing");
                }
                assert!(world.audit().is_clean(), "seed {seed}, {time}: {:?}", world.audit());
                if time < 1.0 {
                    let vertex = dice.below(18) as u32;
                    let place = brute.positions(moving).unwrap()[vertex as usize];
                    let plan = [(vertex, other_plan(&mut dice, time, place, velocity))];
                    world.set_vertex_flightplans(moving, &plan).unwrap();
                    brute.set_vertex_flightplans(moving, &plan).unwrap();
                }
            }
        });
    }
    assert!(contacts > 1000, "{contacts} contacts");
}
