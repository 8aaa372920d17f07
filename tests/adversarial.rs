//! Cases that random scenes never hit: instants, ties, coincidences, extremes. Every step is taken
//! by all engines and compared, and audited.
//!
//! One long file, because other test programs compile it whole with other trees
//! (`common/kinds.rs`).

mod common;
#[path = "adversarial/extremes.rs"]
mod extremes;

use common::dice::{Dice, Grain};
use common::kinds::{all_box, width};
use common::lockstep::{Lockstep, body, shifted, standing};
use common::shapes::{Shape, random_shape, sheet, single, soup_triangles, sphere};
use kinetree::bvh::{BuildParams, Builder};
use kinetree::kinetic::event::EventKind;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{AdvanceError, ContactChange, Filter, WorldError};

/// A triangle in the plane z = 0 around the origin.
fn floor() -> Shape {
    single([[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 2.0, 0.0]])
}

/// A triangle that stands on its tip, at the origin.
fn spike() -> Shape {
    single([[0.0, 0.0, 0.0], [-0.5, 0.0, 1.0], [0.5, 0.0, 1.0]])
}

fn near(time: f64) -> [f64; 2] {
    [time.next_down(), time.next_up()]
}

#[test]
fn two_corners_pass_in_the_midst_of_a_segment() {
    // Point to point, once at 0.5 s; the boxes change sides at that instant.
    let left = single([[0.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]]);
    let right = single([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&body(&left, shifted(&left, &[0.0, 1.0], &[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])));
    worlds.add(&standing(&right));
    let [before, after] = near(0.5);
    assert_eq!([worlds.at(0.25), worlds.at(before), worlds.at(0.5), worlds.at(after), worlds.at(1.0)], [0, 0, 1, 0, 0]);
}

#[test]
fn two_points_meet_head_on() {
    let point = single([[0.0; 3]; 3]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&body(&point, shifted(&point, &[0.0, 1.0], &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])));
    worlds.add(&body(&point, shifted(&point, &[0.0, 1.0], &[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])));
    let [before, after] = near(0.5);
    assert_eq!([worlds.at(before), worlds.at(0.5), worlds.at(after)], [0, 1, 0]);
}

#[test]
fn a_tip_touches_the_floor_at_a_key_and_leaves() {
    for key in [1.0, 0.7, 1.0 / 3.0, 1e-3] {
        let mut worlds = Lockstep::new(0.0);
        let times = [0.0, key, key + 1.0];
        worlds.add(&body(&spike(), shifted(&spike(), &times, &[[0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, 1.0]])));
        worlds.add(&standing(&floor()));
        let [before, after] = near(key);
        let counts = [worlds.at(0.5 * key), worlds.at(before), worlds.at(key), worlds.at(after), worlds.at(key + 0.5)];
        assert_eq!(counts, [0, 0, 1, 0, 0], "key at {key}");
    }
}

#[test]
fn a_tip_touches_at_a_key_of_the_other_body() {
    // The floor comes up and goes down again while the spike moves steadily: the kink is in the
    // floor's plan alone.
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&body(&spike(), shifted(&spike(), &[0.0, 2.0], &[[0.25, 0.0, 1.0], [-0.25, 0.0, 1.0]])));
    worlds.add(&body(&floor(), shifted(&floor(), &[0.0, 0.75, 3.0], &[[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]])));
    let [before, after] = [0.75 - 1e-9, 0.75 + 1e-9];
    assert_eq!([worlds.at(before), worlds.at(0.75), worlds.at(after), worlds.at(2.0)], [0, 1, 0, 0]);
}

#[test]
fn a_tip_touches_where_a_loop_wraps() {
    // Down to the floor at the end of every round, then back up by a jump.
    let mut worlds = Lockstep::new(0.0);
    let plan = shifted(&spike(), &[0.0, 2.0], &[[0.0, 0.0, 1.0], [0.0; 3]]).outside(Outside::Loop);
    worlds.add(&body(&spike(), plan));
    worlds.add(&standing(&floor()));
    for round in 1..=5 {
        let wrap = 2.0 * f64::from(round);
        let [before, after] = near(wrap);
        assert_eq!([worlds.at(before), worlds.at(wrap), worlds.at(after)], [0, 1, 0], "round {round}");
    }
    // The other way round: at the wrap itself the old position still holds, high up; the new one
    // only after it.
    let mut worlds = Lockstep::new(0.0);
    let plan = shifted(&spike(), &[0.0, 2.0], &[[0.0; 3], [0.0, 0.0, 1.0]]).outside(Outside::Loop);
    worlds.add(&body(&spike(), plan));
    worlds.add(&standing(&floor()));
    assert_eq!([worlds.at(0.0), worlds.at(1.0), worlds.at(2.0), worlds.at(3.0), worlds.at(4.0)], [1, 0, 0, 0, 0]);
}

#[test]
fn two_loops_of_different_length_wrap_together_now_and_then() {
    let mut worlds = Lockstep::new(-10.0);
    let up_and_down = [[0.0, 0.0, 1.0], [0.0, 0.0, -0.5], [0.0, 0.0, 0.5], [0.0; 3]];
    let plan = shifted(&spike(), &[0.0, 0.5, 1.0, 1.5], &up_and_down).outside(Outside::Loop);
    worlds.add(&body(&spike(), plan));
    let plan = shifted(&floor(), &[0.0, 0.5, 1.0], &[[0.0; 3], [0.0, 0.0, 0.25], [0.0; 3]]).outside(Outside::Loop);
    worlds.add(&body(&floor(), plan));
    let mut touching = 0;
    for step in -40..=80 {
        let time = f64::from(step) / 4.0;
        touching += worlds.at(time);
        worlds.at(time.next_up());
    }
    assert!(touching > 30, "{touching}");
}

#[test]
fn a_touch_between_two_queries_leaves_no_trace_but_in_the_log() {
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&body(
        &spike(),
        shifted(&spike(), &[0.0, 1.0, 2.0], &[[0.0, 0.0, 1.0], [0.0, 0.0, -0.5], [0.0, 0.0, 1.0]]),
    ));
    worlds.add(&standing(&floor()));
    let before = worlds.kinetic().log().count();
    assert_eq!(worlds.at(2.0), 0);
    assert!(worlds.kinetic().contact_changes().is_empty());
    assert!(worlds.kinetic().log().count() >= before + 2);
    let events = worlds.kinetic().log().events().expect("events are kept");
    let happened = |kinds: [EventKind; 2]| events.iter().any(|event| kinds.contains(&event.kind));
    assert!(happened([EventKind::BodiesMeet, EventKind::BoxesOverlap]));
    assert!(happened([EventKind::BodiesSeparate, EventKind::LeavesSeparate]));
}

#[test]
fn a_world_starts_in_contact_and_a_body_is_added_in_contact() {
    let mut worlds = Lockstep::new(5.0);
    worlds.add(&standing(&floor()));
    worlds.add(&body(&spike(), shifted(&spike(), &[5.0, 6.0], &[[0.0, 0.0, -0.5], [0.0, 0.0, 1.0]])));
    assert_eq!(worlds.contacts().len(), 1, "before any advance");
    assert_eq!(worlds.at(5.0), 1);
    assert!(matches!(worlds.kinetic().contact_changes(), [ContactChange::Began { .. }]));
    assert_eq!(worlds.at(5.5), 0);
    let late = worlds.add(&standing(&spike()));
    assert_eq!(worlds.contacts().iter().map(|c| c.b).collect::<Vec<_>>(), [late, late]);
    assert_eq!(worlds.at(5.75), 2);
    assert!(
        worlds
            .kinetic()
            .contact_changes()
            .iter()
            .any(|change| matches!(change, ContactChange::Began { contact, .. } if contact.b == late))
    );
}

#[test]
fn plans_change_into_and_out_of_contact() {
    let mut worlds = Lockstep::new(0.0);
    let spiked = worlds.add(&body(&spike(), shifted(&spike(), &[0.0, 2.0], &[[0.0, 0.0, 2.0], [0.0, 0.0, 3.0]])));
    worlds.add(&standing(&floor()));
    assert_eq!(worlds.at(1.0), 0);
    let down = Flightplan::fixed(spike().0);
    assert_eq!(worlds.change(|world| world.set_flightplan(spiked, down.clone())), 1);
    let up = shifted(&spike(), &[1.0, 2.0], &[[0.0, 0.0, 2.0], [0.0; 3]]);
    assert_eq!(worlds.change(|world| world.set_flightplan(spiked, up.clone())), 0);
    assert_eq!(worlds.at(2.0), 1);
    // The tip alone goes up, and down through the floor.
    let tip = |plan: VertexFlightplan| vec![(0, plan)];
    let raised = tip(VertexFlightplan::Fixed { position: [0.0, 0.0, 0.5] });
    assert_eq!(worlds.change(|world| world.set_vertex_flightplans(spiked, &raised)), 0);
    let falling = tip(VertexFlightplan::Velocity { from: None, velocity: [0.0, 0.0, -1.0] });
    assert_eq!(worlds.change(|world| world.set_vertex_flightplans(spiked, &falling)), 0);
    let [before, _] = near(2.5);
    assert_eq!([worlds.at(before), worlds.at(2.5), worlds.at(3.0)], [0, 1, 1]);
    let lowered = tip(VertexFlightplan::Velocity { from: Some([0.0, 0.0, 0.0]), velocity: [0.0, 0.0, 1.0] });
    assert_eq!(worlds.change(|world| world.set_vertex_flightplans(spiked, &lowered)), 1);
    assert_eq!(worlds.at(3.0f64.next_up()), 0);
}

#[test]
fn a_change_at_a_key_and_at_the_time_of_an_event_takes_effect() {
    let mut worlds = Lockstep::new(0.0);
    let keys = shifted(&spike(), &[0.0, 1.0, 2.0], &[[0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, 1.0]]);
    let spiked = worlds.add(&body(&spike(), keys));
    worlds.add(&standing(&floor()));
    let meeting = worlds.kinetic().next_event_time().expect("the boxes will meet");
    assert_eq!(worlds.at(meeting), 0);
    let turned = shifted(&spike(), &[meeting, 4.0], &[[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]);
    assert_eq!(worlds.change(|world| world.set_flightplan(spiked, turned.clone())), 0);
    assert_eq!(worlds.at(1.0), 0);
    let through = shifted(&spike(), &[0.0, 1.0, 2.0], &[[0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, -0.5]]);
    assert_eq!(worlds.change(|world| world.set_flightplan(spiked, through.clone())), 1);
    assert_eq!([worlds.at(1.0f64.next_up()), worlds.at(2.0)], [1, 1]);
}

#[test]
fn a_grid_collapses_to_a_point_and_comes_out_mirrored() {
    for leaf_size in [1, 4, 16] {
        let (mut positions, triangles) = sheet(12, 12);
        for position in &mut positions {
            *position = [position[0] - 6.0, position[1] - 6.0, 0.0];
        }
        let mirrored = positions.iter().map(|p| p.map(|x| -x));
        let keys = positions.iter().copied().chain(mirrored).collect();
        let shape = (positions, triangles);
        let mut worlds = Lockstep::new(0.0);
        let build = BuildParams { leaf_size, builder: Builder::MedianSplit, width: width() };
        worlds.add(&body(&shape, Flightplan::keyframes(vec![0.0, 2.0], keys)).build(build));
        let plate = single([[0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]]);
        worlds.add(&standing(&plate).build(build));
        let [before, after] = near(1.0);
        let counts = [0.0, 0.5, before, 1.0, after, 1.5, 2.0].map(|time| worlds.at(time));
        assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
        let events = worlds.kinetic().log().events().expect("kept events");
        let collapse = events.iter().filter(|event| event.moment.time() == 1.0).count();
        // Each slot of an AABB tree changes; a BoxTree has a third as many planes.
        assert!(collapse > if all_box() { 66 } else { 200 }, "{collapse} events at the collapse");
    }
}

#[test]
fn coincident_triangles_in_one_body_and_in_two() {
    // Forty copies of a triangle, over the same vertices and over vertices of their own.
    let corners = spike().0;
    let copies = (corners.repeat(40), soup_triangles(40));
    let shared = (corners, vec![[0, 1, 2]; 40]);
    for (first, second) in [(&copies, &copies), (&copies, &shared), (&shared, &shared)] {
        let mut worlds = Lockstep::new(0.0);
        let up = [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]];
        worlds.add(&body(first, shifted(first, &[0.0, 1.0, 2.0], &up)));
        worlds.add(&standing(second));
        assert_eq!([worlds.at(0.0), worlds.at(1.0), worlds.at(2.0)], [1600, 0, 1600]);
        let stats = worlds.kinetic().stats();
        assert_eq!(stats.tree.leaf_events + stats.tree.tree_events, 0, "copies never overtake one another");
    }
}

#[test]
fn triangles_without_area() {
    let needle = single([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 1.5]]);
    let pin = (vec![[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]], vec![[0, 1, 1]]);
    let dot = (vec![[0.0, 0.0, 1.0]], vec![[0, 0, 0]]);
    for shape in [needle, pin, dot] {
        let mut worlds = Lockstep::new(0.0);
        worlds.add(&standing(&floor()));
        worlds.add(&body(&shape, shifted(&shape, &[0.0, 2.0], &[[0.0; 3], [0.0, 0.0, -2.0]])));
        let [before, after] = near(1.0);
        assert_eq!([worlds.at(0.5), worlds.at(before), worlds.at(1.0)], [0, 0, 1]);
        let is_dot = shape.0.len() == 1;
        assert_eq!(worlds.at(after), usize::from(!is_dot));
    }
    // A triangle that shrinks to a segment and to a point on the way.
    let keys = vec![
        [-1.0, 0.0, -1.0],
        [1.0, 0.0, -1.0],
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 2.0],
    ];
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&standing(&floor()));
    let shape = (keys[..3].to_vec(), vec![[0, 1, 2]]);
    worlds.add(&body(&shape, Flightplan::keyframes(vec![0.0, 1.0, 2.0, 3.0], keys)));
    let times = [0.0, 0.5, 1.0, 1.5, 2.0, 2.0f64.next_up(), 3.0];
    assert_eq!(times.map(|time| worlds.at(time)), [1, 1, 1, 1, 1, 0, 0]);
}

#[test]
fn what_does_not_move_costs_nothing() {
    let ball = sphere([0.0; 3], 1.0, 1);
    let same = |keys: usize| vec![[0.0; 3]; keys];
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&standing(&ball));
    worlds.add(&body(&ball, shifted(&ball, &[-1.0, 1.0, 3.0], &same(3))));
    worlds.add(&body(&ball, shifted(&ball, &[0.0, 2.0], &same(2)).outside(Outside::Loop)));
    worlds.add(&body(&ball, Flightplan::velocities(0.0, ball.0.clone(), vec![[0.0; 3]; ball.0.len()])));
    let touching = worlds.at(0.0);
    assert!(touching > 6 * 32);
    // What was logged so far is that the bodies, as they were added, met.
    let (met, begun) = (worlds.kinetic().log().count(), worlds.kinetic().stats());
    assert_eq!(met, 6);
    for time in [1.0, 2.0, 3.5, 100.0] {
        assert_eq!(worlds.at(time), touching);
        assert!(worlds.kinetic().contact_changes().is_empty());
    }
    let stats = worlds.kinetic().stats();
    assert_eq!(worlds.kinetic().log().count(), met);
    assert_eq!(stats.tree.updates, 0);
    // A loop's wraps and the horizon are renewals; a renewed body may be given another region.
    assert!(stats.events - begun.events <= 2 * stats.renewals, "{stats:?}");
}

#[test]
fn fifty_bodies_filters_and_pairs() {
    let mut dice = Dice::new(5, &[]);
    let mut worlds = Lockstep::new(0.0);
    let mut ids = Vec::new();
    for number in 0..50u64 {
        let ball = sphere([0.0; 3], 0.6, 0);
        let mut place = || -> [f32; 3] { std::array::from_fn(|_| dice.real(-1.5, 1.5) as f32) };
        let shifts = [place(), place(), place()];
        let mut definition = body(&ball, shifted(&ball, &[0.0, 1.0, 2.0], &shifts)).named(format!("ball {number}"));
        // Four groups; a group does not meet itself, and group 3 meets only group 0.
        let group = number % 4;
        let mask = if group == 3 { 1 } else { 15 & !(1 << group) };
        definition = definition.filter(Filter::new(1 << group, mask));
        if number >= 10 {
            definition = definition.ignoring(&ids[(number as usize - 10)..(number as usize - 8)]);
        }
        ids.push(worlds.add(&definition));
    }
    let allowed = |a: usize, b: usize| {
        let (low, high) = (a.min(b), a.max(b));
        let (g, h) = (low % 4, high % 4);
        let ignored = high >= 10 && (low == high - 10 || low == high - 9);
        let one_sided = (g == 3 && h != 0) || (h == 3 && g != 0);
        !(g == h || one_sided || ignored)
    };
    let mut touching = 0;
    for time in [0.0, 0.3, 1.0, 1.7] {
        touching += worlds.at(time);
        for contact in worlds.contacts() {
            let (a, b) = (contact.a.index() as usize, contact.b.index() as usize);
            assert!(a < b && allowed(a, b), "{a} and {b} should not meet");
        }
    }
    assert!(touching > 500, "{touching}");
    let pairs = (0..50).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| allowed(a, b)).count();
    // Only bodies whose boxes meet are watched.
    assert!((1..pairs).contains(&worlds.kinetic().stats().pairs));
    // Two of one group are watched by order, whatever their filters say, and unwatched again, in
    // either order.
    let before = worlds.contacts().to_vec();
    for (a, b) in [(0, 4), (7, 3), (48, 0)] {
        worlds.change(|world| world.set_pair_watched(ids[a], ids[b], true));
        worlds.change(|world| world.set_pair_watched(ids[b], ids[a], true));
    }
    for (a, b) in [(0, 4), (7, 3), (48, 0)] {
        worlds.change(|world| world.set_pair_watched(ids[b], ids[a], false));
        worlds.change(|world| world.set_pair_watched(ids[a], ids[b], false));
    }
    assert_eq!(worlds.contacts(), before);
    for id in &ids {
        worlds.change(|world| world.remove_body(*id));
    }
    assert_eq!((worlds.kinetic().stats().pairs, worlds.kinetic().stats().scheduled), (0, 0), "nothing is left behind");
    assert_eq!(worlds.at(10.0), 0);
}

#[test]
fn ids_of_removed_bodies_name_nothing() {
    let mut worlds = Lockstep::new(0.0);
    let old = worlds.add(&standing(&floor()));
    let other = worlds.add(&standing(&spike()));
    assert_eq!(worlds.at(0.0), 1);
    assert_eq!(worlds.change(|world| world.remove_body(old)), 0);
    assert!(worlds.kinetic().contact_changes().is_empty(), "it began in the last advance and ended since");
    let new = worlds.add(&standing(&floor()));
    assert_eq!(new.index(), old.index(), "the place is used again");
    assert_ne!(new, old);
    assert_eq!(worlds.contacts().len(), 1);
    let refused = WorldError::NoSuchBody { body: old };
    let still = [(0, VertexFlightplan::Fixed { position: [0.0; 3] })];
    assert_eq!(worlds.all(|world| world.remove_body(old)), Err(refused.clone()));
    assert_eq!(worlds.all(|world| world.set_flightplan(old, Flightplan::fixed(floor().0))), Err(refused.clone()));
    assert_eq!(worlds.all(|world| world.set_vertex_flightplans(old, &still)), Err(refused.clone()));
    assert_eq!(worlds.all(|world| world.set_pair_watched(old, other, false)), Err(refused.clone()));
    assert_eq!(worlds.all(|world| world.set_pair_watched(other, old, false)), Err(refused.clone()));
    assert_eq!(worlds.all(|world| world.positions(old)), Err(refused.clone()));
    assert_eq!(worlds.all(|world| world.name(old).map(str::to_owned)), Err(refused.clone()));
    assert!(worlds.kinetic().mesh(old).is_err());
    assert_eq!(worlds.at(1.0), 1);
    match worlds.kinetic().contact_changes() {
        [ContactChange::Ended { contact: ended, .. }, ContactChange::Began { contact: began, .. }] => {
            assert_eq!((ended.a, began.a), (old, new));
        }
        changes => panic!("{changes:?}"),
    }
}

#[test]
fn a_refused_advance_changes_nothing() {
    let mut worlds = Lockstep::new(0.0);
    let plan = shifted(&spike(), &[-1.0, 1.0, 3.0], &[[0.0, 0.0, 1.0], [0.0, 0.0, -0.5], [0.0, 0.0, 1.0]]);
    worlds.add(&body(&spike(), plan.outside(Outside::Error)).named("spike"));
    worlds.add(&standing(&floor()));
    assert_eq!(worlds.at(1.0), 1);
    let state = |worlds: &Lockstep| {
        let world = worlds.kinetic();
        let changes = world.contact_changes().to_vec();
        (world.time(), world.log().hash(), world.log().count(), world.contacts().to_vec(), changes, world.stats())
    };
    let before = state(&worlds);
    let span = Span { begin: -1.0, end: 3.0 };
    let outside = |to| Err(AdvanceError::OutsideSpan { body: "spike".into(), to, span });
    assert_eq!(worlds.try_advance(0.5), Err(AdvanceError::Backwards { now: 1.0, to: 0.5 }));
    assert_eq!(worlds.try_advance(3.0f64.next_up()), outside(3.0f64.next_up()));
    assert_eq!(worlds.try_advance(1e9), outside(1e9));
    for to in [f64::INFINITY, f64::NEG_INFINITY, 2.0f64.powi(40).next_up(), -1e300] {
        assert_eq!(worlds.try_advance(to), Err(AdvanceError::BadTime { to }));
    }
    assert!(worlds.all(|world| matches!(world.advance_to(f64::NAN), Err(AdvanceError::BadTime { .. }))));
    assert_eq!(state(&worlds), before);
    assert_eq!([worlds.at(1.0), worlds.at(3.0)], [1, 0]);
}
