//! One small test for every defect that was found, with what went wrong.

use std::sync::mpsc;
use std::time::Duration;

use crate::common::dice::Dice;
use crate::common::shapes::{single, soup_triangles};
use kinetree::BodyId;
use kinetree::bvh::BuildParams;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, MotionError, Outside, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{AdvanceError, BodyDef, Engine, Filter, World, WorldDef, WorldError};

const CORNERS: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];

fn world(start: f64, engine: Engine) -> World {
    World::new(WorldDef::default().start(start).engine(engine)).expect("a usable start")
}

fn triangle(motion: Flightplan) -> BodyDef {
    let (positions, triangles) = single(CORNERS);
    BodyDef::new(Mesh::new(positions.len(), triangles).expect("a valid mesh"), motion).named("triangle")
}

/// Fails instead of waiting for ever.
fn within_seconds<T: Send + 'static>(seconds: u64, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, waiting) = mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    waiting.recv_timeout(Duration::from_secs(seconds)).expect("an end")
}

/// The piece of a motion just after the begin of a span without length ended at that begin again,
/// so that the search for a certificate's failure went round and round: any vertex that was given a
/// fixed position hung the world.
#[test]
fn a_vertex_may_be_fixed() {
    let contacts = within_seconds(20, || {
        let mut world = world(0.0, Engine::Kinetic);
        let a = world.add_body(triangle(Flightplan::fixed(CORNERS.to_vec()))).expect("a body");
        let away = CORNERS.map(|[x, y, _]| [x, y, 5.0]);
        world.add_body(triangle(Flightplan::fixed(away.to_vec()))).expect("a body");
        world.advance_to(1.0).expect("an advance");
        let fixed = VertexFlightplan::Fixed { position: [0.0, 0.0, 5.0] };
        world.set_vertex_flightplans(a, &[(2, fixed)]).expect("a change");
        world.contacts().len()
    });
    assert_eq!(contacts, 1);
}

/// The same for a velocity field over a span without length.
#[test]
fn a_span_may_have_no_length() {
    within_seconds(20, || {
        let mut world = world(0.0, Engine::Kinetic);
        let velocities = vec![[1.0, 0.0, 0.0]; 3];
        for outside in [Outside::Hold, Outside::Loop] {
            let span = Span { begin: 1.0, end: 1.0 };
            let plan = Flightplan::velocities_until(span, CORNERS.to_vec(), velocities.clone());
            world.add_body(triangle(plan.outside(outside))).expect("a body");
        }
        world.advance_to(2.0).expect("an advance");
        assert_eq!(world.contacts().len(), 1);
    });
}

/// The limit that tells a hang from work was counted from what was still scheduled, which falls to
/// nothing while thousands of events at one moment are processed: a soup mirrored through the
/// origin gave up half-way.
#[test]
fn thousands_of_events_at_one_moment_are_no_hang() {
    let count = 1000;
    let mut dice = Dice::new(1, &[]);
    let here: Vec<[f32; 3]> = (0..3 * count).map(|_| [0; 3].map(|_| dice.real(-1.0, 1.0) as f32)).collect();
    let there = here.iter().map(|p| p.map(|x| -x));
    let positions = here.iter().copied().chain(there).collect();
    let mesh = Mesh::new(3 * count, soup_triangles(count)).expect("a valid mesh");
    let motion = Flightplan::keyframes(vec![0.0, 1.0], positions);
    let mut world = world(0.0, Engine::Kinetic);
    let build = BuildParams { leaf_size: 1, ..BuildParams::default() };
    world.add_body(BodyDef::new(mesh, motion).build(build)).expect("a body");
    world.advance_to(1.0).expect("all events happen at half past nothing");
    assert!(world.stats().events > 8000);
}

/// The slack of a velocity field with an end was computed as if it ended within the first horizon,
/// and that of a loop before its first round as if it did not move: contacts far from the begin
/// were missed.
#[test]
fn the_slack_of_finite_spans_covers_all_of_the_span() {
    let mut touching = 0;
    for seed in 0..20 {
        let mut dice = Dice::new(seed, &[]);
        // Two triangles that fly on for a million seconds, one creeping up on the other.
        let fast = dice.real(0.5, 1.0) as f32;
        let slow = (f64::from(fast) * (1.0 - dice.real(1.0, 5.0) * 1e-6)) as f32;
        let head_start = ((f64::from(fast) - f64::from(slow)) * dice.real(6e5, 9e5)) as f32;
        let touch = f64::from(head_start) / (f64::from(fast) - f64::from(slow));
        for (start, outside) in [(0.0, Outside::Hold), (-1e6, Outside::Loop)] {
            let engines = [Engine::Kinetic, Engine::BruteForce].map(|engine| {
                let mut world = world(start, engine);
                for (height, speed) in [(0.0, fast), (head_start, slow)] {
                    let span = Span { begin: 0.0, end: 1e6 };
                    let mut positions: Vec<[f32; 3]> = CORNERS.iter().map(|&[x, y, _]| [x, y, height]).collect();
                    // One corner is met a little earlier: flat triangles touch at a single instant.
                    positions[0][2] = if height > 0.0 { height.next_down() } else { 0.0 };
                    let plan = Flightplan::velocities_until(span, positions, vec![[0.0, 0.0, speed]; 3]);
                    world.add_body(triangle(plan.outside(outside))).expect("a body");
                }
                let times = (-40..40).map(|step| start + touch + 1e-6 * f64::from(step));
                times
                    .map(|time| {
                        world.advance_to(time).expect("an advance");
                        assert!(world.audit().is_clean(), "{}", world.audit());
                        world.contacts().len()
                    })
                    .collect::<Vec<_>>()
            });
            let [kinetic, brute] = engines;
            assert_eq!(kinetic, brute, "seed {seed}, {outside:?}");
            touching += brute.iter().sum::<usize>();
        }
    }
    assert!(touching > 100, "{touching} contacts");
}

/// A loop shorter than the spacing of times at which it is asked for searched its round for ever.
#[test]
fn loops_that_are_too_short_are_refused() {
    for period in [1e-12, 1e-7] {
        let refused = within_seconds(20, move || {
            let positions = [CORNERS, CORNERS.map(|[x, y, z]| [x, y + 1.0, z])].concat();
            let plan = Flightplan::keyframes(vec![0.0, period], positions).outside(Outside::Loop);
            world(1e9, Engine::Kinetic).add_body(triangle(plan))
        });
        let error = MotionError::PeriodTooShort { period };
        assert_eq!(refused, Err(WorldError::Motion { body: "triangle".into(), error }));
    }
    let span = Span { begin: 5.0, end: 5.0 + 1e-6 };
    let plan = Flightplan::velocities_until(span, CORNERS.to_vec(), vec![[1.0; 3]; 3]).outside(Outside::Loop);
    let refused = within_seconds(20, move || world(1e9, Engine::Kinetic).add_body(triangle(plan)));
    let error = MotionError::PeriodTooShort { period: span.end - span.begin };
    assert_eq!(refused, Err(WorldError::Motion { body: "triangle".into(), error }));
}

/// A plan in which nothing moves has all of time for its span, whatever is said about the time
/// outside it.
#[test]
fn a_fixed_body_is_never_outside_its_span() {
    for outside in [Outside::Hold, Outside::Loop, Outside::Error] {
        let mut world = world(-7.0, Engine::Kinetic);
        world.add_body(triangle(Flightplan::fixed(CORNERS.to_vec()).outside(outside))).expect("a body");
        world.advance_to(1e6).expect("an advance");
    }
}

/// A vertex that has flown farther than coordinates may lie cannot be sent on from there; the
/// vertices named before it in the same call were changed nevertheless.
#[test]
fn vertex_plans_are_refused_together() {
    let far = 2.0f32.powi(100);
    let speed = 2.0f32.powi(60);
    let mut world = world(0.0, Engine::Kinetic);
    let mut positions = CORNERS.to_vec();
    positions[0][0] = far;
    let body =
        world.add_body(triangle(Flightplan::velocities(0.0, positions, vec![[speed, 0.0, 0.0]; 3]))).expect("a body");
    world.advance_to(100.0).expect("an advance");
    let before = world.positions(body);
    let plans = [
        (1, VertexFlightplan::Fixed { position: [5.0; 3] }),
        (0, VertexFlightplan::Velocity { from: None, velocity: [0.0; 3] }),
    ];
    let refused = world.set_vertex_flightplans(body, &plans);
    assert!(
        matches!(
            &refused,
            Err(WorldError::Motion { error: MotionError::BadCoordinate { vertex: 0, axis: 0, .. }, .. })
        ),
        "{refused:?}"
    );
    assert_eq!(world.positions(body), before);
    assert!(world.audit().is_clean(), "{}", world.audit());
}

/// In its first round a loop reaches its keys exactly at the key times that were given, not a
/// rounding beside them.
#[test]
fn the_first_round_of_a_loop_has_the_keys_it_was_given() {
    for seed in 0..200 {
        let mut dice = Dice::new(seed, &[]);
        let mut times = vec![dice.real(-1.0, 1.0)];
        for key in 0..3 {
            times.push(times[key] + dice.real(0.1, 1.0));
        }
        let positions: Vec<[f32; 3]> = (0..12).map(|_| [0; 3].map(|_| dice.real(-1.0, 1.0) as f32)).collect();
        let mut world = world(times[0], Engine::Kinetic);
        let plan = Flightplan::keyframes(times.clone(), positions.clone()).outside(Outside::Loop);
        let body: BodyId = world.add_body(triangle(plan)).expect("a body");
        for (key, &time) in times.iter().enumerate() {
            world.advance_to(time).expect("an advance");
            let expected: Vec<[f64; 3]> = positions[3 * key..3 * key + 3].iter().map(|p| p.map(f64::from)).collect();
            assert_eq!(world.positions(body).expect("the body"), expected, "key {key} of {times:?}");
        }
    }
}

/// An audit compares the list with a traversal between two events. Where the next event falls on
/// the present time there is no such time, and it reported pairs that had been right all along.
#[test]
fn an_audit_at_the_time_of_an_event_raises_no_alarm() {
    let mut looks = 0;
    for seed in 0..50 {
        let mut dice = Dice::new(seed, &[]);
        let mut world = world(0.0, Engine::Kinetic);
        for _ in 0..2 {
            let positions = (0..9).map(|_| [0; 3].map(|_| dice.real(-1.0, 1.0) as f32)).collect();
            let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], positions);
            world.add_body(triangle(plan)).expect("a body");
        }
        while let Some(next) = world.stats().next_scheduled {
            for time in [next.next_down().max(world.time()), next, next.next_up()] {
                match world.advance_to(time) {
                    Ok(()) => {}
                    Err(AdvanceError::Backwards { .. }) => break,
                    Err(error) => panic!("{error}"),
                }
                let report = world.audit();
                assert!(report.is_clean(), "seed {seed} at {time}: {report}");
                looks += 1;
            }
        }
    }
    assert!(looks > 300, "{looks} audits");
}

/// Two keys two units in the last place of their times apart: the box of a vertex that went one way
/// was said to hold one that went the other, and the slack allowed for one of them only.
#[test]
fn keys_that_time_can_hardly_tell_apart() {
    let first: f64 = 1_000_002.333_333_333_1;
    let times = vec![first, first.next_up().next_up()];
    let positions = vec![
        [-0.2, 0.0, -0.2],
        [0.0, -0.2, 0.2],
        [0.1, 0.100_000_01, 0.2],
        [-0.4, -0.4, 0.2],
        [-0.1, -0.2, 0.1],
        [-0.3, 0.0, -0.3],
        [-0.4, -0.3, -0.3],
        [0.100_000_01, 0.2, -0.3],
    ];
    let mesh = Mesh::new(4, vec![[3, 0, 2], [1, 0, 2], [3, 0, 2], [3, 1, 2]]).expect("a mesh");
    let mut world = world(times[0], Engine::Kinetic);
    world.add_body(BodyDef::new(mesh, Flightplan::keyframes(times.clone(), positions))).expect("a body");
    for time in times {
        world.advance_to(time).expect("an advance");
        let report = world.audit();
        assert!(report.is_clean(), "at {time}: {report}");
    }
}

/// Pairs with a discrete body come and go at the times advanced to, and took numbers that lists of
/// kinetic bodies have in the log: its hash depended on the host's steps.
#[test]
fn discrete_bodies_do_not_change_the_log_of_kinetic_ones() {
    let log = |times: &[f64]| {
        let mut world = World::new(WorldDef::default().engine(Engine::Kinetic).keep_events(true)).expect("a world");
        // The second falls through the first at 8 s; the third is near the first around 1 s.
        let plan = |height: f32, speed: f32| {
            let rest = CORNERS.iter().map(|&[x, y, z]| [x, y, 0.25 * x + z + height]).collect();
            Flightplan::velocities(0.0, rest, vec![[0.0, 0.0, speed]; 3])
        };
        for (height, speed, engine) in
            [(0.0, 0.0, Engine::Kinetic), (8.0, -1.0, Engine::Kinetic), (-4.0, 4.0, Engine::Refit)]
        {
            world.add_body(triangle(plan(height, speed)).engine(engine)).expect("a body");
        }
        times.iter().for_each(|&time| world.advance_to(time).expect("an advance"));
        assert!(world.log().count() > 0);
        (world.log().events().expect("kept").to_vec(), world.log().hash())
    };
    let once = log(&[16.0]);
    assert_eq!(log(&[1.0, 16.0]), once);
    assert_eq!(log(&[0.9, 1.0, 1.1, 7.5, 16.0]), once);
}

/// A decision that agreed with the filters was not kept, so that the next filter overrode it.
#[test]
fn a_decision_about_a_pair_outlives_the_filters() {
    let low = CORNERS.map(|[x, y, _]| [x, y, -1.0]);
    let engines = [Engine::BruteForce, Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit];
    for (engine, watched) in engines.into_iter().flat_map(|engine| [(engine, true), (engine, false)]) {
        let mut world = world(0.0, engine);
        let a = world.add_body(triangle(Flightplan::fixed(CORNERS.to_vec()))).expect("a body");
        let rising = Flightplan::velocities(0.0, low.to_vec(), vec![[0.0, 0.0, 1.0]; 3]);
        let b = world.add_body(triangle(rising)).expect("a body");
        // The group that the floor is tested against, or another one.
        let filter = |is_allowed: bool| if is_allowed { Filter::new(1, 1) } else { Filter::new(2, 2) };
        world.set_filter(b, filter(watched)).expect("a filter");
        world.set_pair_watched(a, b, watched).expect("a decision");
        world.set_filter(b, filter(!watched)).expect("a filter");
        world.advance_to(1.0).expect("an advance");
        assert_eq!(world.contacts().len(), usize::from(watched), "{engine}");
    }
}
