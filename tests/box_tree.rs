//! The kinetic BoxTree: the batteries of random and adversarial scenes with a BoxTree in every
//! body, and what is said of this tree in particular.

#![allow(clippy::duplicate_mod, reason = "every battery brings what it shares with the others")]

#[path = "adversarial.rs"]
mod adversarial;
mod pinned;
#[path = "properties.rs"]
mod properties;

use kinetree::kinetic::TreeKind;
use kinetree::motion::VertexFlightplan;
use kinetree::scenes::TableclothDef;
use kinetree::scenes::material::random_soup;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

use pinned::{bodies, keyed, kinetic};

fn world(defs: Vec<BodyDef>, tree: TreeKind, def: WorldDef) -> World {
    pinned::world(defs.into_iter().map(|body| body.tree(tree)), def)
}

fn continuous() -> WorldDef {
    WorldDef::default().contacts(ContactMode::Continuous)
}

/// Compactness, and updates against a bottom-up refit at ten frames to a key, which updates every
/// node in every frame.
#[test]
fn laws_on_counts_over_a_tablecloth() {
    let keys = 30;
    let scene = TableclothDef { triangles: 2000, keys, ..TableclothDef::default() }.generate();
    let mut updates = Vec::new();
    for tree in [TreeKind::Aabb, TreeKind::Box] {
        let mut world = world(bodies(&scene), tree, kinetic());
        let mut most = 0.0f64;
        let begun = world.stats().tree.updates;
        for key in 0..keys {
            world.advance_to(key as f64 / 24.0).unwrap();
            most = most.max(world.stats().certificates_per_node);
        }
        let stats = world.stats();
        // Per body, two planes for each inner node and six for the root, nodes being one more than
        // twice the inner ones.
        let inner = (stats.nodes - stats.bodies) / 2;
        let allowed = match tree {
            TreeKind::Aabb => 6 * stats.nodes,
            TreeKind::Box => 2 * inner + 6 * stats.bodies,
        };
        assert!(most > 0.1 && most * stats.nodes as f64 <= allowed as f64, "{tree:?}: {most} certificates per node");
        let per_key = (stats.tree.updates - begun) as f64 / (keys - 1) as f64;
        let bottom_up = (10 * stats.nodes) as f64;
        println!("{tree:?}: {per_key:.0} updates per key, {bottom_up:.0} bottom-up, {most:.2} certificates per node");
        assert!(per_key > 10.0 && per_key <= bottom_up, "{tree:?}: {per_key} updates, bottom-up {bottom_up}");
        updates.push((per_key, most));
    }
    assert!(updates[1].0 < updates[0].0 && updates[1].1 < updates[0].1, "a BoxTree has fewer events: {updates:?}");
}

/// Contacts, and from when to when they last, do not depend on the tree that finds them, also with
/// a plan changed now and then.
#[test]
fn continuous_contacts_are_those_of_the_aabb_tree() {
    let mut changes = 0;
    for seed in 0..6 {
        let (a, b) = (random_soup(seed, 40, 6, 1.0), random_soup(100 + seed, 40, 6, 1.0));
        let run = |kinds: [TreeKind; 2]| {
            let mut world = World::new(continuous()).unwrap();
            let first = world.add_body(keyed(&a).tree(kinds[0])).unwrap();
            world.add_body(keyed(&b).tree(kinds[1]).self_contact(true)).unwrap();
            let mut seen = Vec::new();
            for step in 0..40 {
                world.advance_to(f64::from(step) * 0.2 / 39.0).unwrap();
                seen.push((world.contacts().to_vec(), world.contact_changes().to_vec()));
                if step % 10 == 5 {
                    let velocity = [0.5, f64::from(step) * 0.125, -1.0];
                    let plan = VertexFlightplan::Velocity { from: None, velocity };
                    world.set_vertex_flightplans(first, &[(step as u32, plan.clone()), (3, plan)]).unwrap();
                }
            }
            let report = world.audit();
            assert!(report.is_clean(), "{kinds:?}: {report}");
            seen
        };
        let usual = run([TreeKind::Aabb; 2]);
        changes += usual.iter().map(|(_, changes)| changes.len()).sum::<usize>();
        for kinds in [[TreeKind::Box; 2], [TreeKind::Box, TreeKind::Aabb], [TreeKind::Aabb, TreeKind::Box]] {
            for (step, (found, expected)) in run(kinds).iter().zip(&usual).enumerate() {
                assert!(found == expected, "seed {seed}, {kinds:?}, step {step}: {found:?}, not {expected:?}");
            }
        }
    }
    assert!(changes > 200, "{changes} changes");
}

/// The shipped clip: cloth against itself, a spinning ball and a floor.
#[test]
#[cfg(feature = "io")]
fn cloth_ball_through_all_trees() {
    use kinetree::io::read_scene;
    use kinetree::world::IgnoredContacts;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball/scene.toml");
    let read = read_scene(path).unwrap();
    let build = |kinds: [TreeKind; 3], def: WorldDef| {
        let mut scene = read.clone();
        scene.bodies.iter_mut().zip(kinds).for_each(|(body, kind)| body.tree = kind);
        scene.world(def, IgnoredContacts::None).unwrap().0
    };
    let start = 0.8;
    let at_times = kinetic().start(start);
    let brute = at_times.engine(Engine::Refit);
    let (aabb, boxes) = ([TreeKind::Aabb; 3], [TreeKind::Box; 3]);
    let mut worlds = [
        build(aabb, brute),
        build(aabb, at_times),
        build(boxes, at_times),
        build([TreeKind::Aabb, TreeKind::Box, TreeKind::Aabb], at_times),
        build(boxes, continuous().start(start)),
    ];
    let mut seen = 0;
    for time in [0.8, 0.85, 0.9, 22.0 / 24.0, 0.93, 0.94, 23.0 / 24.0, 0.97, 1.0, 1.3] {
        worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
        let expected = worlds[0].contacts();
        seen += expected.len();
        for (number, world) in worlds.iter().enumerate() {
            assert!(world.contacts() == expected, "world {number} at {time} s: {:?}", world.contacts());
        }
    }
    assert!(seen >= 8, "{seen} contacts seen");
    let report = worlds[2].audit();
    assert!(report.is_clean() && report.checks > 10_000, "{report}");
    let events = |number: usize| worlds[number].stats().tree.leaf_events + worlds[number].stats().tree.tree_events;
    assert!(events(2) > 100 && events(2) < events(1), "{} and {}", events(2), events(1));
}

#[test]
fn drift_is_one_at_first_and_grows_with_deformation() {
    let soup = random_soup(7, 600, 6, 1.0);
    for tree in [TreeKind::Aabb, TreeKind::Box] {
        let mut world = world(vec![keyed(&soup)], tree, kinetic());
        let body = world.bodies().next().unwrap();
        assert_eq!(world.tree_quality(body), Ok(1.0), "{tree:?}");
        world.advance_to(*soup.times.last().unwrap()).unwrap();
        let late = world.tree_quality(body).unwrap();
        println!("{tree:?}: drift {late:.3}");
        assert!(late > 1.05 && late < 100.0, "{tree:?}: {late}");
        world.remove_body(body).unwrap();
        assert!(world.tree_quality(body).is_err());
    }
    let mut refit = world(vec![keyed(&soup)], TreeKind::Box, WorldDef::default().engine(Engine::Refit));
    refit.advance_to(*soup.times.last().unwrap()).unwrap();
    for body in refit.bodies() {
        assert_eq!(refit.tree_quality(body), Ok(1.0));
    }
}
