//! Models placed, turned and scaled, before and after they were added.

use std::sync::Arc;

use kinetree::reduced::{
    Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::{
    BodyDef, ContactMode, Engine, Flightplan, Mesh, MotionError, Outside, Sphere, Spheres, World, WorldDef,
};

use crate::dice::Dice;
use crate::queries::point;
use crate::scene::{KEYS, soup};

/// Row by row: a turn about an axis between x and z, a scale, a shift.
fn placement(dice: &mut Dice) -> [f64; 16] {
    let (sin, cos) = dice.real(0.0, 6.0).sin_cos();
    let (scale, shift) = (dice.real(0.5, 2.0), point(dice, 3.0));
    let rows = [[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]];
    let entry = |at: usize| match (at / 4, at % 4) {
        (3, column) => f64::from(u8::from(column == 3)),
        (row, 3) => shift[row],
        (row, column) => scale * rows[row][column],
    };
    std::array::from_fn(entry)
}

fn map(matrix: &[f64; 16], p: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|row| matrix[4 * row + 3] + (0..3).map(|k| matrix[4 * row + k] * p[k]).sum::<f64>())
}

fn plans(dice: &mut Dice, rest: &[[f32; 3]]) -> Vec<Flightplan> {
    let mut some = |range: f64, count: usize| -> Vec<[f32; 3]> {
        (0..count * rest.len()).map(|_| point(dice, range).map(|x| x as f32)).collect()
    };
    let (keys, wide, more) = (some(2.0, KEYS.len()), some(1.0, 1), some(1.0, 1));
    let (before, after) = (some(1.0, KEYS.len()), some(1.0, KEYS.len()));
    let terms = some(1.0, 3).iter().map(|term| term.map(f64::from)).collect();
    let turns = vec![placement(dice), placement(dice)];
    vec![
        Flightplan::fixed(rest.to_vec()),
        Flightplan::keyframes(KEYS.to_vec(), keys.clone()).outside(Outside::Loop),
        Flightplan::velocities(0.0, rest.to_vec(), wide.clone()),
        Flightplan::rigid(vec![0.0, 2.0], turns, rest.to_vec()),
        Flightplan::ballistic(0.0, rest.to_vec(), wide.clone(), [0.0, 0.0, -9.81]),
        Flightplan::accelerated(kinetree::Span { begin: 0.0, end: 3.0 }, rest.to_vec(), wide, more),
        Flightplan::hermite(KEYS.to_vec(), keys, before, after),
        Flightplan::polynomials(vec![0.0, 2.0], 2, terms),
    ]
}

#[test]
fn all_kinds_of_plans_are_placed() {
    let mut dice = Dice::new(31, &[]);
    let (rest, corners) = soup(&mut dice, 4);
    for (number, plan) in plans(&mut dice, &rest).into_iter().enumerate() {
        let matrix = placement(&mut dice);
        let mesh = Mesh::new(rest.len(), corners.clone()).unwrap();
        let mut world = World::new(WorldDef::new()).unwrap();
        let filter = kinetree::Filter::new(1, 2);
        let inner = world.add_body(BodyDef::new(mesh.clone(), plan.clone()).filter(filter)).unwrap();
        let early = BodyDef::new(mesh.clone(), plan.placed(&matrix).unwrap()).filter(filter);
        let early = world.add_body(early).unwrap();
        let late = world.add_body(BodyDef::new(mesh, plan.clone()).filter(filter)).unwrap();
        for time in [0.0, 0.3, 1.1, 2.5] {
            world.advance_to(time).unwrap();
            world.set_flightplan(late, plan.placed(&matrix).unwrap()).unwrap();
            let (own, placed) = (world.positions(inner).unwrap(), world.positions(early).unwrap());
            assert_eq!(placed, world.positions(late).unwrap());
            for (from, to) in own.iter().zip(placed) {
                let expected = map(&matrix, *from);
                let off = (0..3).map(|k| (expected[k] - to[k]).abs()).fold(0.0, f64::max);
                let size = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
                assert!(off < 4e-6 * size, "plan {number} at {time} s: {off} m of {size} m");
            }
        }
    }
}

#[test]
fn spheres_are_placed_by_similarities() {
    let mut dice = Dice::new(32, &[]);
    let matrix = placement(&mut dice);
    let ball = Sphere { centre: [1.0, 2.0, 3.0], radius: 0.5 };
    let plan = Flightplan::spheres(vec![0.0], vec![ball]);
    let scale = (matrix[0].powi(2) + matrix[8].powi(2)).sqrt();
    let mut world = World::new(WorldDef::new()).unwrap();
    world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan.placed(&matrix).unwrap())).unwrap();
    let centre = map(&matrix, ball.centre);
    let from = [centre[0], centre[1], centre[2] + 5.0];
    let near = world.query().nearest_point(from, f64::INFINITY).unwrap();
    assert!((near.distance - (5.0 - 0.5 * scale)).abs() < 1e-12);
    let mut flat = matrix;
    flat[5] *= 1.5;
    assert_eq!(plan.placed(&flat).unwrap_err(), MotionError::NotSimilar);
    flat[5] = f64::NAN;
    assert!(matches!(plan.placed(&flat), Err(MotionError::BadTransform { key: 0, entry: 5, .. })));
    flat = matrix;
    flat[15] = 2.0;
    assert!(Flightplan::fixed(vec![[0.0; 3]]).placed(&flat).is_err());
}

/// A sheet that one bone lifts by 1 m in 1 s.
fn lifted() -> ReducedBody {
    let rest: Vec<[f32; 3]> = (0..100).map(|k| [(k % 10) as f32 * 0.1, (k / 10) as f32 * 0.1, 0.0]).collect();
    let squares = (0..9).flat_map(|y| (0..9).map(move |x| 10 * y + x));
    let triangles = squares.flat_map(|k| [[k, k + 1, k + 11], [k, k + 11, k + 10]]).collect();
    let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 100], WeightPolicy::default()).unwrap();
    let mesh = Mesh::new(100, triangles).unwrap();
    let def = ReducedDef { mesh, rest, influences, morphs: vec![], blend: Blend::Linear };
    let up = Affine::from_parts([0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    let poses = vec![Pose::rest(1, 0), Pose { maps: vec![up], morphs: vec![] }];
    let driver = PoseKeys::new(&[0.0, 1.0], poses, vec![[0.0; 3]], Outside::Hold).unwrap();
    ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap()
}

#[test]
fn a_model_is_placed_while_the_world_runs_and_stays_bounded() {
    let model = lifted();
    let at = |shift: [f64; 3], scale: f64| {
        let body = model.placed(Affine::from_parts(shift, [0.0, 0.0, 0.0, 1.0], [scale; 3])).unwrap();
        body.sampler(body.pieces(1e-3).unwrap()).unwrap()
    };
    for (engine, mode) in [
        (Engine::Auto, ContactMode::AtTimes),
        (Engine::Kinetic, ContactMode::AtTimes),
        (Engine::Kinetic, ContactMode::Continuous),
    ] {
        let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
        let needle = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let corners = vec![[5.2, 0.25, -9.0], [5.25, 0.25, -9.0], [5.2, 0.25, 9.0]];
        world.add_body(BodyDef::new(needle, Flightplan::fixed(corners))).unwrap();
        let body = world.add_body(BodyDef::bounded(model.mesh().mesh().clone(), at([0.0; 3], 1.0))).unwrap();
        let bounded = |world: &World| world.stats().engines.on_demand + world.stats().engines.kinetic_bounded;
        assert_eq!(bounded(&world), 1);
        let mut touched = 0;
        for (frame, shift) in [0.0, 4.0, 4.5, 4.9, 5.0, 5.5, 5.1].into_iter().enumerate() {
            world.advance_to(frame as f64 / 8.0).unwrap();
            for scale in [1.0, 2.0] {
                world.set_bounded_flightplan(body, at([shift, 0.0, 0.0], scale)).unwrap();
                assert_eq!(bounded(&world), 1);
                let touches = (shift..=shift + 0.9 * scale).contains(&5.2);
                assert_eq!(!world.contacts().is_empty(), touches, "{engine}: at {shift} m, {scale}");
                touched += usize::from(touches);
            }
        }
        assert!(world.audit().is_clean());
        assert_eq!(touched, 9);
    }
}
