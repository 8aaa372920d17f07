//! Edits, scheduled changes and rebuilds, by hand.

use crate::common;
use kinetree::BodyId;
use kinetree::kinetic::TreeKind;
use kinetree::mesh::EditError;
use kinetree::motion::{Flightplan, MotionError, Outside, VertexFlightplan};
use kinetree::world::{
    AdvanceError, BodyDef, ContactChange, ContactMode, Engine, NewVertex, RebuildPolicy, World, WorldDef, WorldError,
};

use crate::common::lockstep::{ENGINES, Lockstep, body, shifted, standing};
use crate::common::shapes::{sheet, single};

fn world(contacts: ContactMode) -> World {
    World::new(WorldDef::default().contacts(contacts).keep_events(true)).unwrap()
}

fn clean(world: &World) {
    let report = world.audit();
    assert!(report.is_clean(), "{report}");
}

/// A triangle that stands upright across the plane z = 0 at x = `x`, y = 0.25.
fn post(x: f32) -> BodyDef {
    standing(&single([[x, 0.25, -1.0], [x, 0.25, 1.0], [x + 0.1, 0.25, 1.0]]))
}

fn remove(triangles: &[u32]) -> impl Fn(&mut World, BodyId) -> Result<(), WorldError> {
    let triangles = triangles.to_vec();
    move |world, id| {
        let mut edit = world.begin_edit(id)?;
        triangles.iter().for_each(|&triangle| edit.remove_triangle(triangle));
        world.apply_edit(edit)
    }
}

#[test]
fn down_to_the_last_triangle_and_no_further() {
    let mut all = Lockstep::new(0.0);
    let cloth = all.add(&standing(&sheet(4, 4)));
    all.add(&post(0.1));
    assert_eq!(all.contacts().len(), 1);
    let touched = all.contacts()[0].triangle_a;
    let others: Vec<u32> = (0..32).filter(|&triangle| triangle != touched).collect();
    // One by one, so that leaves empty and nodes give way.
    for &triangle in &others {
        assert_eq!(all.change(|world| remove(&[triangle])(world, cloth)), 1);
    }
    assert_eq!(all.kinetic().mesh(cloth).unwrap().triangle_count(), 1);
    let refused = all.all(|world| remove(&[touched])(world, cloth));
    assert!(matches!(refused, Err(WorldError::Edit { error: EditError::Empty, .. })));
    assert_eq!(all.at(1.0), 1);
}

#[test]
fn all_at_once_but_a_few() {
    let mut all = Lockstep::new(0.0);
    let cloth = all.add(&standing(&sheet(20, 20)).self_contact(true));
    all.add(&post(3.1));
    let touched = all.contacts()[0].triangle_a;
    let others: Vec<u32> = (0..800).filter(|&triangle| triangle != touched && triangle % 100 != 0).collect();
    assert_eq!(all.change(|world| remove(&others)(world, cloth)), 1);
    assert_eq!(all.change(|world| remove(&[touched])(world, cloth)), 0);
    assert!(all.kinetic().stats().nodes < 12);
}

#[test]
fn refused_edits_change_nothing() {
    let mut world = world(ContactMode::Continuous);
    let cloth = world.add_body(standing(&sheet(4, 4))).unwrap();
    world.add_body(post(0.1)).unwrap();
    world.advance_to(1.0).unwrap();
    let state = |world: &World| {
        (
            world.log().hash(),
            world.contacts().to_vec(),
            world.mesh(cloth).unwrap().triangle_count(),
            world.stats().bytes,
        )
    };
    let before = state(&world);
    let edit_error = |result: Result<(), WorldError>| match result {
        Err(WorldError::Edit { error, .. }) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(edit_error(remove(&[32])(&mut world, cloth)), EditError::NoSuchTriangle { triangle: 32 });
    assert_eq!(edit_error(remove(&[1, 2, 1])(&mut world, cloth)), EditError::TriangleNamedTwice { triangle: 1 });
    let mut edit = world.begin_edit(cloth).unwrap();
    edit.remove_triangle(3);
    edit.add_triangle([0, 1, 25]);
    let error = edit_error(world.apply_edit(edit));
    assert_eq!(error, EditError::NoSuchVertex { vertex: 25, triangle: Some(32) });
    let mut edit = world.begin_edit(cloth).unwrap();
    edit.remove_triangle(3);
    edit.add_vertex(NewVertex::fixed([0.0, f32::NAN, 0.0]));
    let refused = world.apply_edit(edit);
    assert!(matches!(
        refused,
        Err(WorldError::Motion { error: MotionError::BadCoordinate { vertex: 25, axis: 1, .. }, .. })
    ));
    let mut edit = world.begin_edit(cloth).unwrap();
    let plan =
        VertexFlightplan::Keyframes { times: vec![2.0, 3.0], positions: vec![[0.0; 3]; 2], outside: Outside::Error };
    edit.add_vertex(NewVertex::new([0.0; 3], plan));
    assert!(matches!(world.apply_edit(edit), Err(WorldError::OutsideSpan { .. })));
    assert_eq!(state(&world), before);
    let outdated = {
        let mut edit = world.begin_edit(cloth).unwrap();
        edit.add_triangle([0, 1, 2]);
        edit
    };
    world.apply_edit(outdated.clone()).unwrap();
    assert_eq!(edit_error(world.apply_edit(outdated)), EditError::Outdated);
    let gone = world.add_body(post(0.2)).unwrap();
    let edit = world.begin_edit(gone).unwrap();
    world.remove_body(gone).unwrap();
    assert!(matches!(world.begin_edit(gone), Err(WorldError::NoSuchBody { .. })));
    assert!(matches!(world.apply_edit(edit), Err(WorldError::NoSuchBody { .. })));
    assert!(world.query_box(&kinetree::math::Aabb { min: [-9.0; 3], max: [9.0; 3] }).0.len() > 30);
    clean(&world);
}

#[test]
fn a_cut_cloth_keeps_its_contacts() {
    for kind in [TreeKind::Aabb, TreeKind::Box] {
        let mut world = world(ContactMode::Continuous);
        let (positions, triangles) = sheet(6, 2);
        let fall = shifted(&(positions.clone(), triangles.clone()), &[0.0, 4.0], &[[0.0, 0.0, 1.5], [0.0, 0.0, 0.5]]);
        let cloth = world.add_body(body(&(positions, triangles.clone()), fall).self_contact(true).tree(kind)).unwrap();
        for x in [0.1, 4.1] {
            world.add_body(post(x)).unwrap();
        }
        world.advance_to(3.0).unwrap();
        let before = world.ongoing_contacts();
        assert_eq!(before.len(), 2);
        assert!(before.iter().all(|contact| (contact.began.lo - 2.0).abs() < 1e-9));
        world.contact_changes().iter().for_each(|change| assert!(change.is_begin()));
        // Cut along x = 3: the corners there are doubled, triangles to the right get the doubles.
        let here = world.positions(cloth).unwrap();
        let mut edit = world.begin_edit(cloth).unwrap();
        let mut double = std::collections::BTreeMap::new();
        for (vertex, position) in (0..).zip(&here).filter(|(_, position)| position[0] == 3.0) {
            let plan = VertexFlightplan::Velocity { from: Some(*position), velocity: [0.5, 0.0, -0.25] };
            double.insert(vertex, edit.add_vertex(NewVertex::new(position.map(|x| x as f32), plan)));
        }
        assert_eq!(double.len(), 3);
        for (number, corners) in (0..).zip(&triangles) {
            if corners.iter().any(|&corner| here[corner as usize][0] > 3.0) {
                let other = corners.map(|corner| double.get(&corner).copied().unwrap_or(corner));
                if other != *corners {
                    edit.set_corners(number, other);
                }
            }
        }
        world.apply_edit(edit).unwrap();
        clean(&world);
        // Both sides lie on each other along the cut, as strangers; contacts with the posts go on.
        let after = world.ongoing_contacts();
        assert!(before.iter().all(|contact| after.contains(contact)), "{before:?} {after:?}");
        let seam = after.iter().filter(|contact| contact.contact.a == contact.contact.b).count();
        assert!(seam > 8, "{seam} contacts along the cut");
        world.advance_to(3.5).unwrap();
        clean(&world);
        let ended = world.contact_changes().iter().filter(|change| !change.is_begin());
        assert_eq!(ended.count(), seam);
        assert_eq!(world.ongoing_contacts(), before);
    }
}

#[test]
fn welded_vertices_are_one_point() {
    let mut all = Lockstep::new(0.0);
    let cloth = all.add(&standing(&sheet(2, 1)).self_contact(true));
    for (welded_to, contacts) in [(Some(4), 0), (None, 4)] {
        // A flap that touches the sheet in the corner at (1, 1) only.
        let count = all.change(|world| {
            let mut edit = world.begin_edit(cloth)?;
            let hinge = NewVertex::fixed([1.0, 1.0, 0.0]).welded_to(welded_to);
            let a = edit.add_vertex(hinge);
            let (b, c) = (NewVertex::fixed([1.0, 2.0, 1.0]), NewVertex::fixed([2.0, 2.0, 1.0]));
            let (b, c) = (edit.add_vertex(b), edit.add_vertex(c));
            edit.add_triangle([a, b, c]);
            world.apply_edit(edit)
        });
        assert_eq!(count, contacts, "{welded_to:?}");
    }
}

#[test]
fn a_strip_grown_triangle_by_triangle_stays_low() {
    let mut world = world(ContactMode::AtTimes);
    let strip = world.add_body(standing(&single([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))).unwrap();
    world.add_body(post(700.2)).unwrap();
    let mut slots = Vec::new();
    for number in 1..2000u32 {
        let before = world.stats().tree.slots_rebuilt;
        let mut edit = world.begin_edit(strip).unwrap();
        let (x, y) = ((number.div_ceil(2)) as f32, f32::from(number % 2 == 0));
        let vertex = edit.add_vertex(NewVertex::fixed([x, y, 0.0]));
        assert_eq!(edit.add_triangle([vertex - 2, vertex - 1, vertex]), number);
        world.apply_edit(edit).unwrap();
        slots.push(world.stats().tree.slots_rebuilt - before);
        if number % 250 == 0 {
            clean(&world);
        }
    }
    clean(&world);
    assert_eq!(world.contacts().len(), 1);
    let stats = world.stats();
    // Six slots per leaf of a vertex and level; a vertex of a strip is in at most three leaves.
    assert!(stats.most_slots_per_vertex <= 6 * 3 * (2 * 11 + 10), "{stats:?}");
    assert!(stats.tree.subtrees_balanced > 5, "{stats:?}");
    let late: u64 = slots[1000..].iter().sum::<u64>() / 999;
    assert!(late < 600, "{late} slots per triangle");
    // And back again, from the old end.
    for triangle in 0..1990 {
        remove(&[triangle])(&mut world, strip).unwrap();
        if triangle % 250 == 0 {
            clean(&world);
        }
    }
    clean(&world);
    assert!(world.stats().nodes <= 24, "{}", world.stats().nodes);
}

#[test]
fn an_edit_at_the_very_time_of_an_event() {
    for remove_it in [true, false] {
        let mut all = Lockstep::new(0.0);
        let shape = sheet(2, 2);
        let cloth = all.add(&body(&shape, shifted(&shape, &[0.0, 2.0], &[[0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])));
        all.add(&post(0.1));
        // The sheet reaches the post's top, z = 1, at 1 s.
        assert_eq!(all.at(1.0), 1);
        let touched = all.contacts()[0].triangle_a;
        let count = all.change(|world| {
            if remove_it {
                return remove(&[touched])(world, cloth);
            }
            let mut edit = world.begin_edit(cloth)?;
            edit.set_corners(touched, [4, 5, 8]);
            edit.add_triangle([0, 4, 3]);
            world.apply_edit(edit)
        });
        assert_eq!(count, usize::from(!remove_it));
        assert_eq!(all.at(1.0), usize::from(!remove_it));
        assert_eq!(all.at(1.5), usize::from(!remove_it));
    }
}

/// A cloth above posts; some corners are sent down at 1 s, all of it up again at 2 s.
fn scheduled(engine: Engine, contacts: ContactMode, times: &[f64], by_hand: bool) -> (u64, Vec<Vec<[u32; 2]>>) {
    let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap();
    let shape = sheet(6, 6);
    let cloth = world.add_body(body(&shape, shifted(&shape, &[0.0], &[[0.0, 0.0, 1.5]])).named("cloth")).unwrap();
    for x in [0.2, 1.2, 3.2] {
        world.add_body(post(x)).unwrap();
    }
    let down: Vec<(u32, VertexFlightplan)> =
        (0..4).map(|v| (v, VertexFlightplan::Velocity { from: None, velocity: [0.0, 0.0, -1.0] })).collect();
    let up = || shifted(&shape, &[2.0, 3.0], &[[0.0, 0.0, 0.5], [0.0, 0.0, 1.5]]);
    if !by_hand {
        // In the wrong order, and one too many.
        world.schedule_flightplan(cloth, 2.0, up()).unwrap();
        let cancelled = world.schedule_vertex_flightplans(cloth, 0.5, &down).unwrap();
        world.schedule_vertex_flightplans(cloth, 1.0, &down).unwrap();
        assert_eq!(world.next_event_time(), Some(0.5));
        assert!(world.cancel_change(cancelled) && !world.cancel_change(cancelled));
        assert_eq!(world.scheduled_changes().map(|(_, time, _)| time).collect::<Vec<_>>(), [1.0, 2.0]);
    }
    let mut seen = Vec::new();
    for &time in times {
        for (at, is_first) in [(1.0, true), (2.0, false)] {
            if by_hand && world.time() < at && time >= at {
                world.advance_to(at).unwrap();
                let done = if is_first {
                    world.set_vertex_flightplans(cloth, &down)
                } else {
                    world.set_flightplan(cloth, up())
                };
                done.unwrap();
            }
        }
        world.advance_to(time).unwrap();
        clean(&world);
        seen.push(world.contacts().iter().map(|contact| [contact.triangle_a, contact.b.index()]).collect());
    }
    (world.log().hash(), seen)
}

#[test]
fn scheduled_changes_are_made_when_they_are_due() {
    let times = [0.5, 1.0, 1.75, 2.0, 2.25, 2.75, 4.0];
    for contacts in [ContactMode::AtTimes, ContactMode::Continuous] {
        let (hash, seen) = scheduled(Engine::Kinetic, contacts, &times, false);
        let counts: Vec<usize> = seen.iter().map(Vec::len).collect();
        assert!(counts[1] == 0 && counts[2] > 0 && counts[3] > 0 && counts[4] > 0, "{counts:?}");
        assert_eq!((counts[5], counts[6]), (0, 0), "{counts:?}");
        assert_eq!(scheduled(Engine::Kinetic, contacts, &times, true), (hash, seen.clone()));
        // However the host divides its advances.
        let (once, last) = scheduled(Engine::Kinetic, contacts, &[4.0], false);
        assert_eq!((once, &last[0]), (hash, &seen[6]));
        let many: Vec<f64> = (1..=64).map(|step| f64::from(step) / 16.0).collect();
        assert_eq!(scheduled(Engine::Kinetic, contacts, &many, false).0, hash);
        for engine in ENGINES.into_iter().filter(|_| contacts == ContactMode::AtTimes) {
            assert_eq!(scheduled(engine, contacts, &times, false).1, seen, "{engine:?}");
        }
    }
}

#[test]
fn what_cannot_be_scheduled() {
    let mut world = world(ContactMode::AtTimes);
    let cloth = world.add_body(standing(&sheet(2, 2)).named("cloth")).unwrap();
    world.advance_to(1.0).unwrap();
    let fixed = |vertex| [(vertex, VertexFlightplan::Fixed { position: [0.0; 3] })];
    let past = world.schedule_vertex_flightplans(cloth, 0.5, &fixed(0));
    assert_eq!(past, Err(WorldError::PastTime { time: 0.5, now: 1.0 }));
    for at in [f64::NAN, f64::INFINITY] {
        assert!(matches!(world.schedule_vertex_flightplans(cloth, at, &fixed(0)), Err(WorldError::BadTime { .. })));
    }
    assert!(matches!(world.schedule_vertex_flightplans(cloth, 2.0, &fixed(9)), Err(WorldError::Motion { .. })));
    let short = Flightplan::fixed(vec![[0.0; 3]; 8]);
    assert!(matches!(world.schedule_flightplan(cloth, 2.0, short), Err(WorldError::Motion { .. })));
    let ended = Flightplan::keyframes(vec![0.0, 1.5], vec![[0.0; 3]; 18]).outside(Outside::Error);
    assert!(matches!(world.schedule_flightplan(cloth, 2.0, ended), Err(WorldError::OutsideSpan { .. })));
    assert_eq!(world.scheduled_changes().count(), 0);
    // A plan that ends before the time asked for.
    let ends = Flightplan::keyframes(vec![0.0, 3.0], vec![[0.0; 3]; 18]).outside(Outside::Error);
    let change = world.schedule_flightplan(cloth, 2.0, ends).unwrap();
    assert!(matches!(world.advance_to(4.0), Err(AdvanceError::OutsideSpan { .. })));
    assert_eq!(world.time(), 1.0);
    // Edits in the way of what is scheduled.
    let mut edit = world.begin_edit(cloth).unwrap();
    edit.add_vertex(NewVertex::fixed([0.0; 3]));
    let refused = world.apply_edit(edit.clone());
    assert_eq!(refused, Err(WorldError::ChangeScheduled { body: "cloth".into(), time: 2.0 }));
    assert!(world.cancel_change(change));
    world.apply_edit(edit).unwrap();
    world.schedule_vertex_flightplans(cloth, 2.0, &fixed(9)).unwrap();
    let mut edit = world.begin_edit(cloth).unwrap();
    edit.remove_vertex(9);
    assert!(matches!(world.apply_edit(edit), Err(WorldError::ChangeScheduled { .. })));
    // A vertex that flies out of the range of coordinates before it is to leave from there.
    let far = VertexFlightplan::Velocity { from: None, velocity: [1e18, 0.0, 0.0] };
    world.set_vertex_flightplans(cloth, &[(9, VertexFlightplan::Fixed { position: [1.2e30, 0.0, 0.0] })]).unwrap();
    world.schedule_vertex_flightplans(cloth, 1e12, &[(9, far.clone())]).unwrap();
    world.set_vertex_flightplans(cloth, &[(9, far)]).unwrap();
    let outcome = world.advance_to(1.05e12);
    if let Err(AdvanceError::Change { time, .. }) = &outcome {
        assert_eq!((*time, world.time()), (1e12, 1e12));
    } else {
        outcome.unwrap();
    }
    // A body takes its changes with it.
    world.schedule_flightplan(cloth, 1.06e12, Flightplan::fixed(vec![[0.0; 3]; 10])).unwrap();
    world.remove_body(cloth).unwrap();
    assert_eq!(world.scheduled_changes().count(), 0);
}

#[test]
fn first_contact_knows_what_is_scheduled() {
    let mut world = world(ContactMode::AtTimes);
    let shape = sheet(2, 2);
    let cloth = world.add_body(body(&shape, shifted(&shape, &[0.0], &[[0.0, 0.0, 3.0]]))).unwrap();
    let post = world.add_body(post(0.2)).unwrap();
    let plan = shifted(&shape, &[4.0, 8.0], &[[0.0, 0.0, 3.0], [0.0, 0.0, -1.0]]);
    world.schedule_flightplan(cloth, 4.0, plan).unwrap();
    let first = world.first_contact(cloth, post, 20.0).unwrap();
    assert!(matches!(first, Some(ContactChange::Began { time, .. }) if (time.lo - 6.0).abs() < 1e-9), "{first:?}");
    assert_eq!(world.scheduled_changes().count(), 1);
}

/// A soup whose triangles change places: what was built for the begin is of no use at the end.
fn shuffled(count: usize) -> BodyDef {
    let place = |index: usize, key: usize| {
        let spot = (0..key).fold(index, |spot, _| (spot ^ (spot >> 4)) * 89 % count);
        let corner = [(spot % 16) as f32, (spot / 16) as f32, 0.0];
        [[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]].map(|side: [f32; 3]| std::array::from_fn(|i| corner[i] + side[i]))
    };
    let keys: Vec<[f32; 3]> = (0..5).flat_map(|key| (0..count).flat_map(move |index| place(index, key))).collect();
    body(
        &(keys[..3 * count].to_vec(), common::shapes::soup_triangles(count)),
        Flightplan::keyframes(vec![0.0, 1.0, 2.0, 3.0, 4.0], keys),
    )
}

#[test]
fn drifted_subtrees_are_built_anew() {
    for (kind, contacts) in [
        (TreeKind::Aabb, ContactMode::AtTimes),
        (TreeKind::Aabb, ContactMode::Continuous),
        (TreeKind::Box, ContactMode::AtTimes),
    ] {
        let mut world = world(contacts);
        let soup = world.add_body(shuffled(256).tree(kind)).unwrap();
        world.add_body(post(3.2)).unwrap();
        world.add_body(standing(&sheet(4, 4))).unwrap();
        assert_eq!(world.rebuild_degraded(soup, 1.5).unwrap(), 0, "fresh");
        world.advance_to(4.0).unwrap();
        let contacts = (world.contacts().to_vec(), world.ongoing_contacts());
        assert!(contacts.0.len() > 10);
        let box_of = |x: f64| kinetree::math::Aabb { min: [x, 4.0, -1.0], max: [x + 1.0, 5.0, 1.0] };
        let visited = world.query_box(&box_of(7.0)).1.nodes;
        assert!(world.rebuild_degraded(soup, 1.5).unwrap() > 0);
        assert_eq!((world.contacts().to_vec(), world.ongoing_contacts()), contacts);
        clean(&world);
        assert!(world.query_box(&box_of(7.0)).1.nodes < visited, "{visited} nodes before");
        assert_eq!(world.rebuild_degraded(soup, 1.5).unwrap(), 0, "just built");
        world.advance_to(5.0).unwrap();
        clean(&world);
        let refused = world.rebuild_degraded(soup, f64::NAN);
        assert!(matches!(refused, Err(WorldError::BadBound { .. })));
    }
}

#[test]
fn rebuilds_by_themselves_do_not_depend_on_the_steps() {
    let run = |steps: u32, contacts: ContactMode, rebuild: RebuildPolicy| {
        let mut world = world(contacts);
        world.add_body(shuffled(256).rebuild(rebuild)).unwrap();
        world.add_body(standing(&sheet(12, 12))).unwrap();
        for step in 1..=steps {
            world.advance_to(4.0 * f64::from(step) / f64::from(steps)).unwrap();
            clean(&world);
        }
        (world.log().hash(), world.stats().tree.subtrees_rebuilt, world.contacts().to_vec())
    };
    let automatic = RebuildPolicy::Automatic { bound: 1.5 };
    for contacts in [ContactMode::AtTimes, ContactMode::Continuous] {
        let (hash, rebuilt, at_end) = run(1, contacts, automatic);
        assert!(rebuilt > 0);
        for steps in [7, 30] {
            assert_eq!(run(steps, contacts, automatic), (hash, rebuilt, at_end.clone()));
        }
        let off = run(3, contacts, RebuildPolicy::Off);
        assert_eq!((off.1, off.2), (0, at_end));
    }
    let bad = world(ContactMode::AtTimes).add_body(shuffled(2).rebuild(RebuildPolicy::Automatic { bound: 0.5 }));
    assert!(matches!(bad, Err(WorldError::BadBound { .. })));
}

#[test]
fn an_edit_without_changes_leaves_pairs_their_intervals() {
    let mut world = world(ContactMode::Continuous);
    let cloth = world.add_body(standing(&sheet(4, 4))).unwrap();
    world.add_body(post(0.1)).unwrap();
    world.advance_to(0.5).unwrap();
    let before = world.stats();
    assert_eq!((before.pairs, before.list.listed, before.engines.intervals), (1, 0, 1));
    let edit = world.begin_edit(cloth).unwrap();
    world.apply_edit(edit).unwrap();
    assert_eq!(world.stats(), before);
    assert_eq!(world.contacts().len(), 1);
}
