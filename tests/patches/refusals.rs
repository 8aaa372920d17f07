//! Bad patches and misuse: typed errors that say where, and a world that stays as it was.

use kinetree::limits;
use kinetree::mesh::{Patch, PatchError, Patches};
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, World, WorldDef, WorldError};

fn bezier() -> Patch {
    Patch::bezier([2, 1], (0..6).collect())
}

fn spline(u: Vec<f64>) -> Patch {
    Patch::nurbs([2, 1], [4, 2], (0..8).collect(), [u, vec![0.0, 0.0, 1.0, 1.0]])
}

fn error(patch: Patch) -> PatchError {
    // The second of two: errors name the patch.
    Patches::new(8, vec![bezier(), patch]).unwrap_err()
}

#[test]
fn weights_that_are_not_positive() {
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-300, 1e300] {
        let mut weights = vec![1.0; 6];
        weights[4] = bad;
        let error = error(bezier().weights(weights));
        assert!(matches!(error, PatchError::Weight { patch: 1, place: 4, value } if value.to_bits() == bad.to_bits()));
        assert!(error.to_string().starts_with("patch 1: weight 4 is "), "{error}");
    }
    let extreme = [limits::MAX_WEIGHT, 1.0 / limits::MAX_WEIGHT, 1.0, 1.0, 1.0, 1.0];
    let patches = Patches::new(6, vec![bezier().weights(extreme.to_vec())]).unwrap();
    let control = [[1e30, -1e30, 3.0]; 6];
    assert_eq!(patches.evaluate(0, [0.5, 0.5], &control), Ok(control[0]));
    let missing = PatchError::NoSuchSpan { span: 1, spans: 1 };
    assert_eq!(patches.evaluate(1, [0.5, 0.5], &control), Err(missing.clone()));
    assert_eq!(patches.span(1), Err(missing.clone()));
    assert_eq!(patches.weights_of(1).err(), Some(missing));
    let short = PatchError::PlaceCount { span: 0, expected: control.len(), found: control.len() - 1 };
    assert_eq!(patches.evaluate(0, [0.5, 0.5], &control[1..]), Err(short));
}

#[test]
fn counts_degrees_and_indices() {
    assert_eq!(Patches::new(8, vec![]).unwrap_err(), PatchError::Empty);
    for (patch, expected) in [
        (bezier().weights(vec![1.0; 5]), PatchError::Count { patch: 1, what: "weights", expected: 6, found: 5 }),
        (
            Patch::bezier([2, 2], (0..8).collect()),
            PatchError::Count { patch: 1, what: "control points", expected: 9, found: 8 },
        ),
        (Patch::bezier([2, 0], (0..3).collect()), PatchError::Degree { patch: 1, direction: 'v', degree: 0 }),
        (Patch::bezier([17, 1], vec![0; 36]), PatchError::Degree { patch: 1, direction: 'u', degree: 17 }),
        (
            Patch::bezier([usize::MAX, 1], vec![0; 36]),
            PatchError::Degree { patch: 1, direction: 'u', degree: usize::MAX },
        ),
        (
            Patch::nurbs([2, 1], [2, 2], vec![0; 4], [vec![0.0; 5], vec![0.0; 4]]),
            PatchError::TooFewPoints { patch: 1, direction: 'u', count: 2, degree: 2 },
        ),
        (
            Patch::nurbs([2, 1], [usize::MAX, 2], vec![0; 4], [vec![0.0; 5], vec![0.0; 4]]),
            PatchError::Count { patch: 1, what: "control points", expected: usize::MAX, found: 4 },
        ),
        (Patch::bezier([1, 1], vec![0, 1, 2, 8]), PatchError::IndexOutOfRange { patch: 1, index: 8, vertices: 8 }),
    ] {
        assert_eq!(error(patch), expected);
    }
    let most = limits::MAX_DEGREE;
    assert!(Patches::new(1, vec![Patch::bezier([most, most], vec![0; (most + 1) * (most + 1)])]).is_ok());
}

#[test]
fn knots() {
    let knot = |place, value| PatchError::Knot { patch: 1, direction: 'u', place, value };
    for (knots, expected) in [
        (
            vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
            PatchError::Count { patch: 1, what: "knots along u", expected: 7, found: 6 },
        ),
        (vec![0.0, 0.0, 0.0, 2.0, 1.0, 3.0, 3.0], knot(4, 1.0)),
        (vec![0.0, 0.0, 0.0, 1.0, 2.0, 2.0, f64::INFINITY], knot(6, f64::INFINITY)),
        (vec![-1e300, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0], knot(0, -1e300)),
        (vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0], PatchError::RepeatedKnot { patch: 1, direction: 'u', place: 0 }),
        (vec![0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 4.0], PatchError::NoSpan { patch: 1, direction: 'u' }),
    ] {
        assert_eq!(error(spline(knots)), expected);
    }
    assert!(matches!(
        error(spline(vec![0.0, 0.0, 0.0, f64::NAN, 1.0, 1.0, 1.0])),
        PatchError::Knot { patch: 1, direction: 'u', place: 3, value } if value.is_nan()
    ));
    assert!(Patches::new(8, vec![spline(vec![0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0])]).is_ok());
    assert!(Patches::new(8, vec![spline(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]).is_ok());
}

#[test]
fn the_world_stays_as_it_was() {
    let mut world = World::new(WorldDef::default().keep_events(true)).unwrap();
    let patches = || Patches::new(6, vec![bezier()]).unwrap();
    let good = |x: f32| Flightplan::velocities(0.0, vec![[x, 0.0, 0.0]; 6], vec![[-x, 0.0, 0.0]; 6]);
    let a = world.add_body(BodyDef::new(patches(), good(1.0)).named("a")).unwrap();
    let b = world.add_body(BodyDef::new(patches(), good(-1.0)).named("b")).unwrap();
    world.advance_to(0.5).unwrap();
    let before = (world.stats().scheduled, world.log().hash(), world.candidates().count());
    // One control point without a position; a NaN; thickness; a question only exact bodies can answer.
    let short = Flightplan::fixed(vec![[0.0; 3]; 5]);
    assert!(matches!(world.add_body(BodyDef::new(patches(), short)), Err(WorldError::Motion { .. })));
    let mut places = vec![[0.0; 3]; 6];
    places[5][1] = f32::NAN;
    assert!(matches!(
        world.add_body(BodyDef::new(patches(), Flightplan::fixed(places.clone()))),
        Err(WorldError::Motion { .. })
    ));
    assert!(matches!(world.set_flightplan(a, Flightplan::fixed(places)), Err(WorldError::Motion { .. })));
    let thick = BodyDef::new(patches(), good(3.0)).radius(f64::NAN);
    assert!(matches!(world.add_body(thick), Err(WorldError::BadThickness { .. })));
    let error = world.first_contact(a, b, 2.0).unwrap_err();
    assert_eq!(error, WorldError::MadeOfPatches { body: "a".into() });
    assert_eq!(
        error.to_string(),
        "body 'a' is made of patches: it cannot be edited, and only the host can test its contacts"
    );
    assert_eq!((world.stats().scheduled, world.log().hash(), world.candidates().count()), before);
    assert_eq!(world.bodies().count(), 2);
    assert!(world.mesh(a).unwrap().triangles().is_empty());
    world.advance_to(1.0).unwrap();
    assert_eq!(world.candidates().count(), 1);
    assert!(world.tree_quality(a).unwrap() >= 1.0);
}
