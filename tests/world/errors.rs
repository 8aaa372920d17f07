//! Every reason for refusal, provoked where it can be, and what its message says: which body, which index, which value.

use crate::common::lockstep::{body, standing};
use crate::common::shapes::{Shape, single};
use kinetree::BodyId;
use kinetree::mesh::{Mesh, MeshError};
use kinetree::motion::{Flightplan, MotionError, Outside, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{AdvanceError, BodyDef, Engine, RebuildPolicy, World, WorldDef, WorldError};

const ENGINES: [Engine; 5] = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];

fn triangle() -> Shape {
    single([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
}

fn world(start: f64, engine: Engine) -> World {
    World::new(WorldDef::default().start(start).engine(engine)).expect("a usable start")
}

fn named(motion: Flightplan) -> BodyDef {
    body(&triangle(), motion).named("flag")
}

/// A plan is refused when a body is added and when its plan is replaced, by every engine, with this error; the message
/// names the body and holds every one of `words`.
fn plan_refused(plan: &Flightplan, expected: &MotionError, words: &[&str]) {
    for engine in ENGINES {
        let mut world = world(0.0, engine);
        let present = world.add_body(standing(&triangle()).named("flag")).expect("a good body");
        let refused = WorldError::Motion { body: "flag".into(), error: expected.clone() };
        let stats = world.stats();
        assert_eq!(world.add_body(named(plan.clone())), Err(refused.clone()));
        assert_eq!(world.set_flightplan(present, plan.clone()), Err(refused.clone()));
        assert_eq!(world.bodies().collect::<Vec<_>>(), [present]);
        assert_eq!(world.stats(), stats);
        assert_eq!(world.positions(present), Ok(triangle().0.iter().map(|p| p.map(f64::from)).collect()));
        message_holds(&refused, words);
        message_holds(&refused, &["flag"]);
    }
}

/// Plans of single vertices are refused together, and nothing is changed.
fn vertices_refused(plans: &[(u32, VertexFlightplan)], expected: &MotionError, words: &[&str]) {
    for engine in ENGINES {
        let mut world = world(0.0, engine);
        let present = world.add_body(standing(&triangle()).named("flag")).expect("a good body");
        let good = (0, VertexFlightplan::Fixed { position: [9.0; 3] });
        let both: Vec<_> = [good].into_iter().chain(plans.iter().cloned()).collect();
        let refused = WorldError::Motion { body: "flag".into(), error: expected.clone() };
        let before = (world.positions(present), world.log().hash(), world.stats());
        assert_eq!(world.set_vertex_flightplans(present, &both), Err(refused.clone()));
        assert_eq!((world.positions(present), world.log().hash(), world.stats()), before);
        message_holds(&refused, words);
        message_holds(&refused, &["flag"]);
    }
}

fn message_holds(error: &impl std::error::Error, words: &[&str]) {
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "'{message}' does not say '{word}'");
    }
}

#[test]
fn meshes() {
    assert_eq!(Mesh::new(3, Vec::new()).expect_err("empty"), MeshError::Empty);
    message_holds(&MeshError::Empty, &["no triangles"]);
    let error = Mesh::new(3, vec![[0, 1, 2], [1, 2, 3]]).expect_err("out of range");
    assert_eq!(error, MeshError::IndexOutOfRange { triangle: 1, index: 3, vertices: 3 });
    message_holds(&error, &["triangle 1", "vertex 3", "3 vertices"]);
    let error = Mesh::new(0, vec![[0, 0, 0]]).expect_err("out of range");
    assert_eq!(error, MeshError::IndexOutOfRange { triangle: 0, index: 0, vertices: 0 });
    let count = 400_000_000;
    let error = Mesh::new(count, vec![[0, 1, 2]]).expect_err("too large");
    assert_eq!(error, MeshError::TooLarge { what: "vertices", count });
    message_holds(&error, &["400000000", "vertices"]);
}

#[test]
fn counts() {
    let three = triangle().0;
    plan_refused(&Flightplan::keyframes(Vec::new(), Vec::new()), &MotionError::NoKeys, &["no keys"]);
    plan_refused(&Flightplan::rigid(Vec::new(), Vec::new(), three.clone()), &MotionError::NoKeys, &["no keys"]);
    let few = MotionError::PositionCount { expected: 6, found: 3 };
    plan_refused(&Flightplan::keyframes(vec![0.0, 1.0], three.clone()), &few, &["3", "6"]);
    let none = MotionError::PositionCount { expected: 3, found: 0 };
    plan_refused(&Flightplan::fixed(Vec::new()), &none, &["0", "3"]);
    let many = MotionError::PositionCount { expected: 3, found: 4 };
    plan_refused(&Flightplan::velocities(0.0, vec![[0.0; 3]; 4], vec![[0.0; 3]; 3]), &many, &["4", "3"]);
    plan_refused(&Flightplan::rigid(vec![0.0], vec![[0.0; 16]; 1], vec![[0.0; 3]; 4]), &many, &["4", "3"]);
    let velocities = MotionError::VelocityCount { expected: 3, found: 2 };
    plan_refused(&Flightplan::velocities(0.0, three.clone(), vec![[0.0; 3]; 2]), &velocities, &["2", "3"]);
    let transforms = MotionError::TransformCount { keys: 2, found: 1 };
    plan_refused(&Flightplan::rigid(vec![0.0, 1.0], vec![[0.0; 16]], three), &transforms, &["1", "2"]);
}

#[test]
fn times() {
    let six = vec![[0.0; 3]; 6];
    for (times, key) in [(vec![1.0, 1.0], 1), (vec![1.0, 0.5], 1)] {
        let error = MotionError::KeysOutOfOrder { key, time: times[1], previous: 1.0 };
        plan_refused(&Flightplan::keyframes(times.clone(), six.clone()), &error, &["key 1", "key 0", "1 s"]);
    }
    // 0.0 and -0.0 are one time.
    let error = MotionError::KeysOutOfOrder { key: 1, time: 0.0, previous: -0.0 };
    plan_refused(&Flightplan::keyframes(vec![-0.0, 0.0], six.clone()), &error, &["key 1"]);
    for time in [f64::INFINITY, f64::NEG_INFINITY, 2e12] {
        let error = MotionError::BadTime { key: 1, time };
        plan_refused(&Flightplan::keyframes(vec![0.0, time], six.clone()), &error, &["time 1"]);
    }
    let three = triangle().0;
    let still = vec![[0.0; 3]; 3];
    let error = MotionError::BadTime { key: 0, time: f64::INFINITY };
    plan_refused(&Flightplan::velocities(f64::INFINITY, three.clone(), still.clone()), &error, &["inf"]);
    let late = Span { begin: 0.0, end: 3e12 };
    let error = MotionError::BadTime { key: 1, time: late.end };
    plan_refused(&Flightplan::velocities_until(late, three.clone(), still.clone()), &error, &["3e12"]);
    let reversed = Span { begin: 2.0, end: 1.0 };
    let error = MotionError::SpanReversed { begin: 2.0, end: 1.0 };
    plan_refused(&Flightplan::velocities_until(reversed, three.clone(), still.clone()), &error, &["1 s", "2 s"]);
    let period = 0.0001;
    let error = MotionError::PeriodTooShort { period };
    let short = Flightplan::keyframes(vec![0.0, period], six.clone()).outside(Outside::Loop);
    plan_refused(&short, &error, &["0.0001"]);
    // What is not a number does not equal itself.
    let nan = Flightplan::keyframes(vec![0.0, f64::NAN], six);
    match world(0.0, Engine::Kinetic).add_body(named(nan)) {
        Err(WorldError::Motion { error: MotionError::BadTime { key: 1, time }, .. }) if time.is_nan() => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers() {
    let mut far = vec![[0.0; 3]; 6];
    far[4][2] = 1.3e30;
    let value = f64::from(far[4][2]);
    let error = MotionError::BadCoordinate { key: 1, vertex: 1, axis: 2, value };
    plan_refused(&Flightplan::keyframes(vec![0.0, 1.0], far.clone()), &error, &["key 1", "vertex 1", "z is 1.29999"]);
    let at = |vertex: usize, value: f32| {
        let mut positions = triangle().0;
        positions[vertex][1] = value;
        positions
    };
    let error = MotionError::BadCoordinate { key: 0, vertex: 2, axis: 1, value: f64::INFINITY };
    plan_refused(&Flightplan::fixed(at(2, f32::INFINITY)), &error, &["vertex 2", "y is inf"]);
    plan_refused(&Flightplan::velocities(0.0, at(2, f32::INFINITY), vec![[0.0; 3]; 3]), &error, &["vertex 2"]);
    let identity: [f64; 16] = std::array::from_fn(|entry| f64::from(u8::from(entry % 5 == 0)));
    plan_refused(&Flightplan::rigid(vec![0.0], vec![identity], at(2, f32::INFINITY)), &error, &["vertex 2"]);
    match world(0.0, Engine::Kinetic).add_body(named(Flightplan::fixed(at(1, f32::NAN)))) {
        Err(WorldError::Motion { error: MotionError::BadCoordinate { vertex: 1, axis: 1, value, .. }, .. }) => {
            assert!(value.is_nan());
        }
        other => panic!("{other:?}"),
    }
    let mut velocities = vec![[0.0; 3]; 3];
    velocities[2][0] = -2e18;
    let value = f64::from(velocities[2][0]);
    let error = MotionError::BadVelocity { vertex: 2, axis: 0, value };
    plan_refused(&Flightplan::velocities(0.0, triangle().0, velocities), &error, &["vertex 2", "x is -1"]);

    for (entry, value) in [(3, f64::INFINITY), (12, 1.0), (15, 0.0)] {
        let mut matrix = identity;
        matrix[entry] = value;
        let error = MotionError::BadTransform { key: 1, entry, value };
        let plan = Flightplan::rigid(vec![0.0, 1.0], vec![identity, matrix], triangle().0);
        plan_refused(&plan, &error, &["transform 1", &format!("entry {entry} is {value}")]);
    }
    // A good matrix that takes a good vertex too far.
    let mut matrix = identity;
    matrix[0] = 1e31;
    let error = MotionError::BadCoordinate { key: 0, vertex: 1, axis: 0, value: f64::from(1e31f32) };
    plan_refused(&Flightplan::rigid(vec![0.0], vec![matrix], triangle().0), &error, &["vertex 1"]);
}

#[test]
fn vertex_plans() {
    let fixed = |position| VertexFlightplan::Fixed { position };
    let velocity = |velocity| VertexFlightplan::Velocity { from: None, velocity };
    let keys = |times: Vec<f64>, count: usize, outside| VertexFlightplan::Keyframes {
        times,
        positions: vec![[0.0; 3]; count],
        outside,
    };
    vertices_refused(&[(3, fixed([0.0; 3]))], &MotionError::NoSuchVertex { vertex: 3, vertices: 3 }, &["vertex 3"]);
    let twice = [(2, fixed([0.0; 3])), (2, velocity([0.0; 3]))];
    vertices_refused(&twice, &MotionError::VertexNamedTwice { vertex: 2 }, &["vertex 2"]);
    let error = MotionError::VertexMayNotLoop { vertex: 1 };
    vertices_refused(&[(1, keys(vec![0.0, 1.0], 2, Outside::Loop))], &error, &["vertex 1"]);
    let error = MotionError::BadCoordinate { key: 0, vertex: 1, axis: 1, value: 1e31 };
    vertices_refused(&[(1, fixed([0.0, 1e31, 0.0]))], &error, &["vertex 1", "y is"]);
    let from = VertexFlightplan::Velocity { from: Some([0.0, 1e31, 0.0]), velocity: [0.0; 3] };
    vertices_refused(&[(1, from)], &error, &["vertex 1", "y is"]);
    let error = MotionError::BadVelocity { vertex: 1, axis: 2, value: f64::INFINITY };
    vertices_refused(&[(1, velocity([0.0, 0.0, f64::INFINITY]))], &error, &["vertex 1", "z is inf"]);
    let hold = Outside::Hold;
    vertices_refused(&[(1, keys(Vec::new(), 0, hold))], &MotionError::NoKeys, &[]);
    let error = MotionError::PositionCount { expected: 2, found: 1 };
    vertices_refused(&[(1, keys(vec![0.0, 1.0], 1, hold))], &error, &["1", "2"]);
    let error = MotionError::KeysOutOfOrder { key: 1, time: 0.0, previous: 0.0 };
    vertices_refused(&[(1, keys(vec![0.0, 0.0], 2, hold))], &error, &["key 1"]);
    let error = MotionError::BadTime { key: 0, time: f64::NEG_INFINITY };
    vertices_refused(&[(1, keys(vec![f64::NEG_INFINITY], 1, hold))], &error, &["-inf"]);

    // A plan that does not reach the clock's time.
    for engine in ENGINES {
        let mut world = world(0.0, engine);
        let present = world.add_body(standing(&triangle()).named("flag")).expect("a good body");
        let plans = [(0, fixed([1.0; 3])), (1, keys(vec![1.0, 2.0], 2, Outside::Error))];
        let before = world.positions(present);
        let refused = WorldError::OutsideSpan { body: "flag".into(), time: 0.0, span: Span { begin: 1.0, end: 2.0 } };
        assert_eq!(world.set_vertex_flightplans(present, &plans), Err(refused.clone()));
        message_holds(&refused, &["flag", "0 s", "1 s", "2 s"]);
        assert_eq!(world.positions(present), before);
        assert_eq!(world.set_vertex_flightplans(present, &[]), Ok(()));
    }
}

#[test]
fn worlds() {
    for start in [f64::INFINITY, -2e12] {
        let error = World::new(WorldDef::default().start(start)).err();
        assert_eq!(error, Some(WorldError::BadTime { time: start }));
    }
    assert!(World::new(WorldDef::default().start(f64::NAN)).is_err());
    message_holds(&WorldError::BadTime { time: -2e12 }, &["-2e12 s", "1.099511627776e12"]);

    for engine in ENGINES {
        let mut world = world(5.0, engine);
        let span = Span { begin: 0.0, end: 1.0 };
        let plan = Flightplan::keyframes(vec![0.0, 1.0], vec![[0.0; 3]; 6]).outside(Outside::Error);
        let refused = WorldError::OutsideSpan { body: "flag".into(), time: 5.0, span };
        assert_eq!(world.add_body(named(plan.clone())), Err(refused.clone()));
        message_holds(&refused, &["flag", "5 s", "0 s", "1 s"]);
        let a = world.add_body(standing(&triangle())).expect("a good body");
        let b = world.add_body(standing(&triangle())).expect("a good body");
        let outside = WorldError::OutsideSpan { body: String::new(), time: 5.0, span };
        assert_eq!(world.set_flightplan(a, plan), Err(outside));
        assert_eq!(world.set_pair_watched(a, a, true), Err(WorldError::SameBody { body: a }));
        message_holds(&WorldError::SameBody { body: a }, &["body 0.0"]);
        let contacts = world.contacts().to_vec();
        assert_eq!(contacts.len(), 1);

        world.remove_body(b).expect("it is there");
        let gone = Err(WorldError::NoSuchBody { body: b });
        assert_eq!(world.remove_body(b), gone);
        message_holds(&WorldError::NoSuchBody { body: b }, &["body 1.0"]);
        assert_eq!(world.set_pair_watched(b, b, true), gone, "it is gone before it is the same");
        let foreign: BodyId = {
            let mut other = self::world(0.0, engine);
            (0..4).map(|_| other.add_body(standing(&triangle())).expect("a good body")).last().expect("four")
        };
        assert_eq!(world.positions(foreign), Err(WorldError::NoSuchBody { body: foreign }));
    }
}

/// Refused with nothing changed: a bound of drift below 1 when a body is added, and plans of vertices that do not hold when
/// they are to begin.
#[test]
fn bounds_of_drift_and_plans_to_come() {
    for engine in ENGINES {
        let mut world = world(0.0, engine);
        for bound in [0.5, f64::NAN] {
            let def = standing(&triangle()).named("flag").rebuild(RebuildPolicy::Automatic { bound });
            let refused = world.add_body(def).expect_err("drift is at least 1");
            assert!(
                matches!(&refused, WorldError::BadBound { body, value } if body == "flag" && value.to_bits() == bound.to_bits())
            );
        }
        assert_eq!(world.bodies().count(), 0);
        let flag = world.add_body(standing(&triangle()).named("flag")).expect("a good body");
        let span = Span { begin: 1.0, end: 2.0 };
        let plan = VertexFlightplan::Keyframes {
            times: vec![1.0, 2.0],
            positions: vec![[0.0; 3], [0.0, 0.0, 1.0]],
            outside: Outside::Error,
        };
        let refused = WorldError::OutsideSpan { body: "flag".into(), time: 2.5, span };
        assert_eq!(world.schedule_vertex_flightplans(flag, 2.5, &[(0, plan.clone())]), Err(refused));
        assert_eq!(world.scheduled_changes().count(), 0);
        assert!(world.schedule_vertex_flightplans(flag, 1.5, &[(0, plan)]).is_ok());
    }
}

#[test]
fn advances() {
    for engine in ENGINES {
        let mut world = world(5.0, engine);
        let plan = Flightplan::keyframes(vec![4.0, 6.0], vec![[0.0; 3]; 6]).outside(Outside::Error);
        let id = world.add_body(named(plan)).expect("a good body");
        let span = Span { begin: 4.0, end: 6.0 };
        let errors = [
            (4.5, AdvanceError::Backwards { now: 5.0, to: 4.5 }, vec!["5 s", "4.5 s"]),
            (
                6.5,
                AdvanceError::OutsideSpan { body: "flag".into(), to: 6.5, span },
                vec!["flag", "6.5 s", "4 s", "6 s"],
            ),
            (2e12, AdvanceError::BadTime { to: 2e12 }, vec!["2e12 s"]),
            (f64::INFINITY, AdvanceError::BadTime { to: f64::INFINITY }, vec!["inf s"]),
        ];
        for (to, error, words) in errors {
            assert_eq!(world.advance_to(to), Err(error.clone()));
            assert_eq!(world.time(), 5.0);
            message_holds(&error, &words);
        }
        // A vertex plan with an end narrows the span, and gives it back when it is replaced.
        let until = |end| VertexFlightplan::Keyframes {
            times: vec![5.0, end],
            positions: vec![[0.0; 3]; 2],
            outside: Outside::Error,
        };
        world.set_vertex_flightplans(id, &[(1, until(5.5))]).expect("a good plan");
        let narrow = Span { begin: 5.0, end: 5.5 };
        assert_eq!(
            world.advance_to(5.75),
            Err(AdvanceError::OutsideSpan { body: "flag".into(), to: 5.75, span: narrow })
        );
        world.set_vertex_flightplans(id, &[(1, until(7.0))]).expect("a good plan");
        assert_eq!(world.advance_to(6.0), Ok(()));
    }
}

/// What cannot be provoked by a test: too many bodies to hold in memory, and a defect of the library. Their messages.
#[test]
fn messages_of_what_cannot_be_provoked() {
    message_holds(&WorldError::TooMany { what: "pairs of bodies" }, &["16777215", "pairs of bodies"]);
    message_holds(&WorldError::Stuck { time: 1.5, events: 7 }, &["7 events", "1.5 s"]);
    message_holds(&AdvanceError::Stuck { time: 1.5, events: 7 }, &["7 events", "1.5 s"]);
}

/// A host can use one error: every error converts into it, keeps its message, and names its cause.
#[test]
fn one_error_for_all_with_its_cause() {
    let motion = MotionError::NoKeys;
    let world = WorldError::Motion { body: "cloth".into(), error: motion.clone() };
    let common = kinetree::Error::from(world.clone());
    assert_eq!(common.to_string(), "body 'cloth': the motion has no keys");
    let cause = std::error::Error::source(&common).expect("a cause");
    assert_eq!(cause.downcast_ref::<MotionError>(), Some(&motion));
    let late = AdvanceError::Change { time: 2.0, error: Box::new(world) };
    let cause = std::error::Error::source(&late).and_then(|error| error.source()).expect("two causes");
    assert_eq!(cause.to_string(), motion.to_string());
    let mesh: fn() -> Result<Mesh, kinetree::Error> = || Ok(Mesh::new(0, vec![])?);
    assert!(matches!(mesh(), Err(kinetree::Error::Mesh(_))));
}
