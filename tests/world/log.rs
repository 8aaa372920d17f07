//! The log is drained in parts, and says what happened in the names of the world, also of bodies that are gone.

use std::collections::{BTreeMap, BTreeSet};

use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::world::{BodyDef, Contact, ContactMode, Engine, World, WorldDef};
use kinetree::{BodyId, EventKind, LoggedEvent, NamedEvent};

use crate::common::shapes::{Shape, sheet, sphere};

fn logged(mode: ContactMode) -> World {
    World::new(WorldDef::default().engine(Engine::Kinetic).contacts(mode).keep_events(true)).unwrap()
}

/// A shape that goes down by `fall` and comes back within two seconds, and turns over as it goes.
fn falling((rest, triangles): &Shape, fall: f32, tree: TreeKind) -> BodyDef {
    let count = rest.len() as f32;
    let middle = rest.iter().fold([0.0; 3], |sum, p| [0, 1, 2].map(|k| sum[k] + p[k] / count));
    let place = |turn: f32, down: f32, p: &[f32; 3]| {
        let (s, c) = (turn.sin(), turn.cos());
        let [x, y, z] = [0, 1, 2].map(|k| p[k] - middle[k]);
        [c * x - s * z + middle[0], y + middle[1], s * x + c * z + middle[2] - down]
    };
    let keys = [(0.0, 0.0), (0.8, fall), (1.6, 0.0)];
    let keys = keys.iter().flat_map(|&(turn, down)| rest.iter().map(move |p| place(turn, down, p))).collect();
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys).outside(Outside::Hold);
    BodyDef::new(Mesh::new(rest.len(), triangles.clone()).unwrap(), plan).tree(tree)
}

fn ball() -> Shape {
    sphere([2.1, 2.2, 2.3], 1.0, 2)
}

/// A sheet at z = 0 and a ball that falls through it.
fn fallen(world: &mut World, tree: TreeKind) -> [BodyId; 2] {
    [falling(&sheet(4, 4), 0.0, tree), falling(&ball(), 3.0, tree)].map(|def| world.add_body(def).unwrap())
}

#[test]
fn a_drained_log_goes_on() {
    let [mut whole, mut parts] = [logged(ContactMode::Continuous), logged(ContactMode::Continuous)];
    for world in [&mut whole, &mut parts] {
        fallen(world, TreeKind::Aabb);
    }
    let (mut drained, mut calls) = (Vec::new(), 0);
    for step in 1..=20 {
        for world in [&mut whole, &mut parts] {
            world.advance_to(f64::from(step) / 10.0).unwrap();
        }
        if step % 3 > 0 {
            let events = parts.drain_log();
            calls += usize::from(!events.is_empty());
            drained.extend(events);
            assert_eq!(parts.log().events(), Some(&[][..]));
            assert_eq!(parts.drain_log(), []);
        }
        assert_eq!((parts.log().count(), parts.log().hash()), (whole.log().count(), whole.log().hash()));
    }
    assert_eq!(drained, whole.log().events().unwrap());
    assert!(calls > 5 && drained.len() > 200, "{calls} calls, {} events", drained.len());
    // Without kept events there is nothing to drain, and count and hash are the same.
    let mut silent = World::new(WorldDef::default().engine(Engine::Kinetic).contacts(ContactMode::Continuous)).unwrap();
    fallen(&mut silent, TreeKind::Aabb);
    silent.advance_to(2.0).unwrap();
    assert_eq!((silent.drain_log(), silent.log().hash()), (Vec::new(), whole.log().hash()));
    assert_eq!(silent.log().events(), None);
}

/// The vertices that realise sides of nodes, as the log told them last, are those that the tree has, and they are where the boxes end.
#[test]
fn bounds_planes_and_nodes_are_those_of_the_trees() {
    for (tree, is_box_tree) in [(TreeKind::Aabb, false), (TreeKind::Box, true)] {
        let mut world = logged(ContactMode::Continuous);
        let bodies = fallen(&mut world, tree);
        let (mut of_sides, mut below_root, mut of_lists) = (0, 0, 0);
        for step in 1..=16 {
            let before = world.time();
            world.advance_to(f64::from(step) / 8.0).unwrap();
            let events = world.drain_log();
            assert!(events.iter().all(|event| before <= event.moment.time() && event.moment.time() <= world.time()));
            let nodes = bodies.map(|id| {
                let body = world.body(id).unwrap();
                let all = (0..body.levels()).flat_map(|level| body.boxes(level));
                all.map(|found| (found.node, found)).collect::<BTreeMap<_, _>>()
            });
            let is_leaf = |side: usize, node: u32| nodes[side].get(&node).map(|found| found.is_leaf);
            let mut last: BTreeMap<(BodyId, u32, usize, bool), u32> = BTreeMap::new();
            for event in &events {
                match event.describe().expect("a world logged it") {
                    NamedEvent::Bound { body, node, axis, is_upper, vertex } if !is_box_tree => {
                        last.insert((body, node, axis, is_upper), vertex);
                    }
                    NamedEvent::Plane { body, node, axis, is_upper, vertex } if is_box_tree => {
                        last.insert((body, node, axis, is_upper), vertex);
                    }
                    NamedEvent::BodiesMeet { bodies: two } | NamedEvent::BodiesSeparate { bodies: two } => {
                        assert_eq!(two, bodies);
                    }
                    NamedEvent::BoxesOverlap { bodies: two, nodes: at }
                    | NamedEvent::ParentsSeparate { bodies: two, nodes: at } => {
                        assert_eq!(two, bodies);
                        assert!((0..2).all(|side| is_leaf(side, at[side]).is_some()));
                        of_lists += 1;
                    }
                    NamedEvent::LeavesSeparate { bodies: two, nodes: at } => {
                        assert_eq!(two, bodies);
                        assert!((0..2).all(|side| is_leaf(side, at[side]) == Some(true)));
                        of_lists += 1;
                    }
                    NamedEvent::TrianglesTouch { .. } | NamedEvent::TrianglesSeparate { .. } => {}
                    other => panic!("{other:?} in a tree of kind {tree:?}"),
                }
            }
            of_sides += last.len();
            for ((id, node, axis, is_upper), vertex) in last {
                let found = &nodes[usize::from(id == bodies[1])][&node];
                let winners = found.winners.expect("kinetic trees have winners");
                assert_eq!(winners[2 * axis + usize::from(is_upper)], vertex, "{tree:?}, node {node}, axis {axis}");
                let at = world.positions(id).unwrap()[vertex as usize][axis];
                let side = if is_upper { found.bounds.max[axis] } else { found.bounds.min[axis] };
                assert!((at - side).abs() < 1e-6, "{tree:?}, node {node}: {at}, {side}");
                below_root += usize::from(node > 0);
            }
        }
        assert!(of_sides > 40 && below_root > 20 && of_lists > 40, "{tree:?}: {of_sides}, {below_root}, {of_lists}");
    }
}

/// Contacts that began and ended, as triangles of bodies.
fn told(world: &World) -> BTreeSet<(bool, Contact)> {
    world.contact_changes().iter().map(|change| (change.is_begin(), change.contact())).collect()
}

fn of_triangles(events: &[LoggedEvent]) -> BTreeSet<(bool, Contact)> {
    let named = events.iter().filter_map(LoggedEvent::describe);
    named
        .filter_map(|event| match event {
            NamedEvent::TrianglesTouch { bodies, triangles } => Some((true, Contact::new(bodies, triangles))),
            NamedEvent::TrianglesSeparate { bodies, triangles } => Some((false, Contact::new(bodies, triangles))),
            _ => None,
        })
        .collect()
}

#[test]
fn triangles_are_those_of_the_contact_changes() {
    let mut world = logged(ContactMode::Continuous);
    fallen(&mut world, TreeKind::Aabb);
    let mut seen = 0;
    for step in 1..=20 {
        world.advance_to(f64::from(step) / 10.0).unwrap();
        let expected = told(&world);
        assert_eq!(of_triangles(&world.drain_log()), expected, "step {step}");
        seen += expected.len();
    }
    assert!(seen > 40, "{seen} changes");
}

/// Numbers of bodies and of pairs are used again: events of a body that is gone keep its name.
#[test]
fn events_of_removed_bodies_keep_their_names() {
    let mut world = logged(ContactMode::Continuous);
    let [floor, first] = fallen(&mut world, TreeKind::Aabb);
    world.advance_to(1.0).unwrap();
    let begun = told(&world);
    world.remove_body(first).unwrap();
    world.advance_to(1.0).unwrap();
    let ended = told(&world);
    let second = world.add_body(falling(&ball(), 3.0, TreeKind::Box)).unwrap();
    assert_eq!(second.index(), first.index());
    world.advance_to(1.9).unwrap();
    let events = world.log().events().unwrap();
    assert_eq!(events.len() as u64, world.log().count());
    let mut owners = [BTreeSet::new(), BTreeSet::new()];
    let mut counts = [0; 2];
    let of_first = of_triangles(events).into_iter().filter(|(_, contact)| contact.b == first).collect::<BTreeSet<_>>();
    // Ends on removal are told, and are no events.
    assert!(of_first.is_superset(&begun) && !begun.is_empty() && !ended.is_empty());
    for event in events {
        let named = event.describe().expect("a world logged it");
        let place = usize::from(named.bodies()[1] == second);
        assert!(place == 1 || named.bodies()[1] == first || named.bodies() == [floor; 2], "{named:?}");
        counts[place] += 1;
        if event.kind == EventKind::TrianglesTouch {
            assert_eq!(named.bodies()[0], floor);
            owners[place].insert(event.owner);
        }
        // Trees of the two are of different kinds.
        match named {
            NamedEvent::Bound { body, .. } => assert_ne!(body, second),
            NamedEvent::Plane { body, .. } => assert_eq!(body, second),
            _ => {}
        }
        assert!(named.to_string().contains(&named.bodies()[1].to_string()), "{named}");
    }
    // The pair's number was used again.
    assert_eq!(owners[0], owners[1]);
    assert!(owners[0].len() == 1 && counts.iter().all(|&count| count > 100), "{owners:?}, {counts:?}");
}

#[test]
fn events_are_named_in_words() {
    let mut world = logged(ContactMode::Continuous);
    let [floor, _] = fallen(&mut world, TreeKind::Box);
    world.advance_to(2.0).unwrap();
    let words: Vec<String> =
        world.drain_log().iter().filter_map(LoggedEvent::describe).map(|e| e.to_string()).collect();
    for part in ["has the largest z of the plane at node 0 of body 1.0", "the boxes of body 0.0 and body 1.0 meet"] {
        assert!(words.iter().any(|said| said.contains(part)), "{part}: {:?}", &words[..9]);
    }
    assert!(words.iter().any(|said| said.starts_with("triangle ") && said.ends_with(" touch")));
    assert_eq!(floor.to_string(), "body 0.0");
}
