//! Curved motion by hand: touches at an apex, grazes, ties, common acceleration, changes of plans.
//! Numbers are dyadic, so that what is meant to happen at a time happens at it exactly.

use kinetree::bvh::BuildParams;
use kinetree::limits;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{ContactChange, ContactMode, Engine, World, WorldDef};

use super::common::lockstep::{Lockstep, body, standing};
use super::common::shapes::{cuboid, sheet, single, sphere};

fn kinetic() -> World {
    World::new(WorldDef::default().engine(Engine::Kinetic).keep_events(true)).expect("a usable start")
}

/// Tossed up at 4 m/s under 8 m/s², a box rises by exactly 1 m in half a second, where it touches
/// the ceiling.
#[test]
fn a_box_touches_the_ceiling_at_its_apex() {
    let ceiling = single([[-9.0, -9.0, 2.0], [9.0, -9.0, 2.0], [0.0, 9.0, 2.0]]);
    for (raise, touches) in [(0.0, true), (-1e-3, false), (1e-3, true)] {
        let shape = cuboid([-0.5, -0.5, raise], [0.5, 0.5, 1.0 + raise]);
        let count = shape.0.len();
        let tossed = Flightplan::ballistic(0.0, shape.0.clone(), vec![[0.0, 0.0, 4.0]; count], [0.0, 0.0, -8.0]);
        let mut worlds = Lockstep::new(-1.0);
        worlds.add(&standing(&ceiling));
        worlds.add(&body(&shape, tossed));
        let around = [-0.5, 0.0, 0.25, 0.5f64.next_down(), 0.5, 0.5f64.next_up(), 0.75, 1.0];
        let found: Vec<bool> = around.iter().map(|&time| worlds.at(time) > 0).collect();
        // Next to the apex the height is less by far less than its rounding.
        assert_eq!(found, [false, false, false, touches, touches, touches, false, false], "raised by {raise}");
    }
}

/// The leaf boxes of such a pair meet and part once: the log holds both, at the apex, give or take
/// the thresholds.
#[test]
fn a_graze_is_seen_however_the_host_advances() {
    let mut hashes = Vec::new();
    for steps in [1u32, 3, 1000] {
        let mut world = kinetic();
        let ceiling = single([[-9.0, -9.0, 2.0], [9.0, -9.0, 2.0], [0.0, 9.0, 2.0]]);
        let shape = cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]);
        let span = Span { begin: 0.0, end: 1.0 };
        let tossed = Flightplan::ballistic_until(span, shape.0.clone(), vec![[0.0, 0.0, 4.0]; 8], [0.0, 0.0, -8.0]);
        world.add_body(standing(&ceiling)).expect("a body");
        world.add_body(body(&shape, tossed)).expect("a body");
        for step in 1..=steps {
            world.advance_to(f64::from(step) / f64::from(steps)).expect("an advance");
        }
        let stats = world.stats();
        assert_eq!((stats.broad_phase.met, stats.broad_phase.parted), (1, 1), "{steps} steps");
        let events = world.log().events().expect("events");
        let late: Vec<_> = events.iter().filter(|e| (e.moment.time() - 0.5).abs() > 1e-4).collect();
        assert!(events.len() >= 2 && late.is_empty(), "{steps} steps: {events:?}");
        hashes.push((world.log().hash(), world.log().count()));
    }
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]), "{hashes:?}");
}

/// A triangle with corners along x at −1, 1 and, last, where the plan says.
fn with_last_corner(plan: VertexFlightplan) -> World {
    let mut world = kinetic();
    let shape = single([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let id = world.add_body(standing(&shape)).expect("a body");
    world.set_vertex_flightplans(id, &[(2, plan)]).expect("a good plan");
    world
}

fn along_x(times: Vec<f64>, degree: usize, coefficients: &[f64]) -> VertexFlightplan {
    let coefficients = coefficients.iter().map(|&x| [x, 1.0, 0.0]).collect();
    VertexFlightplan::Polynomials { times, degree, coefficients, outside: Outside::Hold }
}

#[test]
fn a_vertex_that_grazes_an_extent_does_not_overtake() {
    // y must not move: only the constant term has it.
    let plan = |top: f64| {
        // x = top − (t − 1)²
        let mut plan = along_x(vec![0.0, 2.0], 2, &[top - 1.0, 2.0, -1.0]);
        if let VertexFlightplan::Polynomials { coefficients, .. } = &mut plan {
            (coefficients[1][1], coefficients[2][1]) = (0.0, 0.0);
        }
        plan
    };
    for (top, events) in [(1.0, 0), (1.0 - 1e-12, 0), (1.0 + 1e-9, 2), (1.25, 2)] {
        let mut world = with_last_corner(plan(top));
        for step in 0..=20 {
            world.advance_to(f64::from(step) / 8.0).expect("an advance");
            let report = world.audit();
            assert!(report.is_clean(), "{top}: {report}");
        }
        assert_eq!(world.stats().tree.leaf_events, events, "apex at {top}");
    }
}

#[test]
fn roots_of_every_multiplicity_are_counted_once() {
    // (t − 1)³ + 1: a triple root overtakes once.
    let cases: [(&[f64], u64); 4] = [
        (&[0.0, 3.0, -3.0, 1.0], 1),
        // 1 exactly, for ever: a tie.
        (&[1.0, 0.0, 0.0, 0.0], 0),
        // 1 − t (t − 2)²: behind, equal at 2.
        (&[1.0, -4.0, 4.0, -1.0], 0),
        // 1 + t (t − 2)(t − 1): ahead, behind from 1 on.
        (&[1.0, 2.0, -3.0, 1.0], 2),
    ];
    for (coefficients, events) in cases {
        let mut plan = along_x(vec![0.0, 2.0], 3, coefficients);
        if let VertexFlightplan::Polynomials { coefficients, .. } = &mut plan {
            coefficients[1..].iter_mut().for_each(|c| c[1] = 0.0);
        }
        let mut world = with_last_corner(plan);
        world.advance_to(3.0).expect("an advance");
        let report = world.audit();
        assert!(report.is_clean(), "{coefficients:?}: {report}");
        assert_eq!(world.stats().tree.leaf_events, events, "{coefficients:?}");
    }
}

/// Thrown together, however far: nobody overtakes anybody.
#[test]
fn common_acceleration_causes_no_tree_events() {
    for velocity in [[0.0, 0.0, 0.0], [3.0, -2.0, 5.0], [0.1, 0.7, -0.3]] {
        let mut world = kinetic();
        for (shape, build) in [(sheet(12, 12), 1), (sphere([0.0, 0.0, 5.0], 2.0, 3), 8)] {
            let velocities = vec![velocity; shape.0.len()];
            let plan = Flightplan::ballistic(-0.3, shape.0.clone(), velocities, [0.3, 0.1, -9.81]);
            let build = BuildParams { leaf_size: build, ..BuildParams::default() };
            world.add_body(body(&shape, plan).build(build)).expect("a body");
        }
        let ground = single([[-99.0, -99.0, -60.0], [99.0, -99.0, -60.0], [0.0, 99.0, -60.0]]);
        world.add_body(standing(&ground)).expect("a body");
        for time in [0.1, 1.0, 3.7, 4.0, 20.0, 64.0, 200.0] {
            world.advance_to(time).expect("an advance");
            let stats = world.stats();
            assert_eq!((stats.tree.leaf_events, stats.tree.tree_events, stats.tree.updates), (0, 0, 0), "at {time}");
        }
        assert!(world.log().count() > 10, "nothing happened");
    }
}

/// Two equal boxes thrown at each other on mirrored arcs, and a third that falls between:
/// everything happens at once.
#[test]
fn mirrored_arcs_tie() {
    let mut worlds = Lockstep::new(0.0);
    for side in [-1.0f32, 1.0] {
        let shape = cuboid([4.0 * side - 0.5, -0.5, 0.0], [4.0 * side + 0.5, 0.5, 1.0]);
        let velocities = vec![[-4.0 * side, 0.0, 8.0]; 8];
        worlds.add(&body(&shape, Flightplan::ballistic(0.0, shape.0.clone(), velocities, [0.0, 0.0, -16.0])));
    }
    let shape = cuboid([-0.5, -0.5, 16.0], [0.5, 0.5, 17.0]);
    let falling = Flightplan::ballistic(0.0, shape.0.clone(), vec![[0.0; 3]; 8], [0.0, 0.0, -32.0]);
    worlds.add(&body(&shape, falling));
    // Their inner sides meet at 7/8 s.
    let around = [0.5, 0.875f64.next_down(), 0.875, 0.9, 1.0, 1.125, 1.125f64.next_up(), 1.2, 2.0];
    let found: Vec<bool> = around.iter().map(|&time| worlds.at(time) > 0).collect();
    assert_eq!(found[..3], [false, false, true]);
    assert!(found[4] && !found[8], "{found:?}");
}

/// A vertex with a new plan begins where it is, and the other vertices of its body keep their plan.
#[test]
fn plans_of_one_kind_replace_another() {
    let mut world = kinetic();
    let shape = sheet(4, 4);
    let count = shape.0.len();
    let times = vec![0.0, 2.0];
    let tangents = vec![[0.0, 0.0, 1.0]; 2 * count];
    let positions = [shape.0.clone(), shape.0.clone()].concat();
    let id = world
        .add_body(body(&shape, Flightplan::hermite(times, positions, tangents.clone(), tangents)))
        .expect("a body");
    world.advance_to(0.5).expect("an advance");
    let before = world.positions(id).expect("positions");
    // Equal tangents at both ends of a stretch without a way: up, down, and up again. h (s³ − 2
    // s² + s + s³ − s²).
    assert_eq!(before[0], [0.0, 0.0, 2.0 * (2.0 / 64.0 - 3.0 / 16.0 + 1.0 / 4.0)]);
    let thrown = VertexFlightplan::Ballistic { from: None, velocity: [1.0, 0.0, 0.0], acceleration: [0.0, 0.0, -2.0] };
    world.set_vertex_flightplans(id, &[(7, thrown)]).expect("a good plan");
    world.advance_to(1.5).expect("an advance");
    let after = world.positions(id).expect("positions");
    let expected = [before[7][0] + 1.0, before[7][1], before[7][2] - 1.0];
    assert!((0..3).all(|i| (after[7][i] - expected[i]).abs() < 1e-9), "{:?}", after[7]);
    assert_eq!(after[0], [0.0, 0.0, 2.0 * (2.0 * 27.0 / 64.0 - 3.0 * 9.0 / 16.0 + 3.0 / 4.0)]);
    let flat: Vec<[f32; 3]> = shape.0.clone();
    world.set_flightplan(id, Flightplan::keyframes(vec![1.5, 2.5], [flat.clone(), flat].concat())).expect("good");
    world.advance_to(3.0).expect("an advance");
    assert_eq!(world.positions(id).expect("positions")[7], shape.0[7].map(f64::from));
    assert!(world.audit().is_clean());
}

/// A loop of an arc bounces for ever; asleep bodies and ends of spans are known.
#[test]
fn arcs_loop_hold_and_end() {
    let shape = cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]);
    let span = Span { begin: 0.0, end: 1.0 };
    let arc = |outside| {
        let velocities = vec![[0.0, 0.0, 4.0]; 8];
        Flightplan::ballistic_until(span, shape.0.clone(), velocities, [0.0, 0.0, -8.0]).outside(outside)
    };
    let ground = single([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&standing(&ground));
    worlds.add(&body(&shape, arc(Outside::Loop)));
    let found: Vec<bool> =
        [0.0, 0.5, 1.0, 1.5, 2.0, 2.25, 100.0, 100.5].iter().map(|&time| worlds.at(time) > 0).collect();
    assert_eq!(found, [true, false, true, false, true, false, true, false]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&standing(&ground));
    worlds.add(&body(&shape, arc(Outside::Hold)));
    assert!([0.5, 1.0, 50.0].map(|time| worlds.at(time) > 0) == [false, true, true]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&body(&shape, arc(Outside::Error)));
    assert!(worlds.try_advance(1.0).is_ok() && worlds.try_advance(1.5).is_err());
}

/// Continuous contacts of a curve: one contact, over all windows it lasts, within the motion
/// tolerance of the true times.
#[test]
fn continuous_contacts_follow_the_arc() {
    for steps in [1u32, 10] {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).expect("a world");
        let ceiling = single([[-9.0, -9.0, 2.0], [9.0, -9.0, 2.0], [0.0, 9.0, 2.0]]);
        let shape = single([[-0.5, -0.5, 1.0], [0.5, -0.5, 1.0], [0.0, 0.5, 1.0 + 1.0 / 64.0]]);
        let span = Span { begin: 0.0, end: 1.0 };
        let tossed = Flightplan::ballistic_until(span, shape.0.clone(), vec![[0.0, 0.0, 4.0]; 3], [0.0, 0.0, -8.0]);
        world.add_body(standing(&ceiling)).expect("a body");
        world.add_body(body(&shape, tossed)).expect("a body");
        let (mut began, mut ended) = (Vec::new(), Vec::new());
        for step in 1..=steps {
            world.advance_to(f64::from(step) / f64::from(steps)).expect("an advance");
            for change in world.contact_changes() {
                match change {
                    ContactChange::Began { time, .. } => began.push(*time),
                    ContactChange::Ended { time, .. } => ended.push(*time),
                    _ => unreachable!("{change:?}"),
                }
            }
        }
        // 4 t − 4 t² = 1 − 1/64 at 1/2 ∓ 1/16; the height is known to 10⁻⁴ m, and changes by 1/2
        // m/s there.
        assert_eq!((began.len(), ended.len()), (1, 1), "{began:?} {ended:?}");
        let off = [began[0].lo - 0.4375, began[0].hi - 0.4375, ended[0].lo - 0.5625, ended[0].hi - 0.5625];
        assert!(off.iter().all(|x: &f64| x.abs() < 4.0 * limits::MOTION_TOLERANCE), "{off:?}");
    }
}
