//! Trees of width four: the batteries of random and adversarial scenes and of edits with nodes of
//! up to four children in every body that may have them, and what is said of wide trees in
//! particular.

#![allow(clippy::duplicate_mod, reason = "every battery brings what it shares with the others")]

#[path = "adversarial.rs"]
mod adversarial;
#[path = "edits.rs"]
mod edits;
mod pinned;
#[path = "properties.rs"]
mod properties;

use std::collections::BTreeSet;

use kinetree::bvh::{BuildParams, Builder, Topology, Width};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::{Mesh, Primitives};
use kinetree::motion::VertexFlightplan;
use kinetree::scenes::TableclothDef;
use kinetree::scenes::material::{jittered_grid_cloth, random_soup, symmetric_grid};
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};

use pinned::{bodies, keyed, kinetic, pinned};

fn of_width(width: Width) -> BuildParams {
    BuildParams { width, ..BuildParams::default() }
}

fn world(defs: Vec<BodyDef>, width: Width, def: WorldDef) -> World {
    pinned::world(defs.into_iter().map(|body| body.build(of_width(width))), def)
}

#[test]
fn the_log_of_a_tablecloth_is_pinned() {
    let scene = TableclothDef { triangles: 500, keys: 30, ..TableclothDef::default() }.generate();
    pinned("tablecloth", || world(bodies(&scene), Width::Four, kinetic()), 1.2, 0xc363_e259_c792_3ad5);
}

#[test]
fn the_log_of_a_symmetric_grid_full_of_ties_is_pinned() {
    let grid = symmetric_grid(16, 16, 6, [true, false, true]);
    let cloth = jittered_grid_cloth(3, 20, 20, 6);
    pinned("grid", || world(vec![keyed(&grid), keyed(&cloth)], Width::Four, kinetic()), 0.2, 0x8e7b_a03b_4293_f286);
}

/// Leaf by leaf, from left to right, the primitives of a tree.
fn leaves(topology: &Topology) -> Vec<Vec<u32>> {
    let (mut found, mut stack) = (Vec::new(), vec![0]);
    while let Some(node) = stack.pop() {
        if topology.node(node).is_leaf() {
            found.push(topology.primitives(node).to_vec());
        }
        stack.extend(topology.node(node).children().iter().rev());
    }
    found
}

/// The wide tree as built is the binary one without every second level.
#[test]
fn a_wide_tree_has_the_leaves_of_the_binary_one() {
    let mut fours = 0;
    for triangles in [1, 2, 3, 4, 5, 6, 7, 9, 16, 17, 63, 500] {
        let soup = random_soup(triangles as u64, triangles, 2, 1.0);
        let (points, _) = soup.positions.as_chunks::<3>();
        let positions: Vec<[f64; 3]> = points[..soup.vertex_count].iter().map(|p| p.map(f64::from)).collect();
        let mesh = Mesh::new(soup.vertex_count, soup.triangles.clone()).unwrap();
        for (builder, leaf_size) in
            [Builder::MedianSplit, Builder::BinnedSurfaceArea].into_iter().flat_map(|b| [1, 2, 5].map(|size| (b, size)))
        {
            let build = |width| Topology::build(&mesh, &positions, BuildParams { builder, leaf_size, width });
            let (two, four) = (build(Width::Two), build(Width::Four));
            for tree in [&two, &four] {
                let report = tree.audit(&mesh);
                assert!(report.is_clean() && report.checks > 0, "{report}");
            }
            let name = format!("{triangles} triangles, {builder:?}, leaves of {leaf_size}");
            assert_eq!(leaves(&two), leaves(&four), "{name}");
            assert_eq!(four.depth(), two.depth() / 2 + 1, "{name}");
            for (number, node) in (0u32..).zip(four.nodes()) {
                let children = node.children();
                let inner = children.iter().filter(|&&child| !four.node(child).is_leaf()).count();
                let is_split = |&child: &u32| four.node(child).count() <= leaf_size;
                assert!(children.iter().all(|child| four.node(*child).parent() == Some(number)), "{name}");
                assert!(children.len() == 4 || inner == 0 || children.iter().any(is_split), "{name}: node {number}");
                assert!(children.len() != 1 && (children.is_empty() || node.count() > leaf_size), "{name}");
                fours += usize::from(children.len() == 4);
            }
        }
    }
    assert!(fours > 300, "{fours} nodes with four children");
}

/// Some of the triangles of a mesh.
struct Part<'a> {
    mesh: &'a Mesh,
    present: BTreeSet<usize>,
}

impl Primitives for Part<'_> {
    fn primitive_count(&self) -> usize {
        self.mesh.primitive_count()
    }

    fn points_of(&self, index: usize) -> &[u32] {
        self.mesh.points_of(index)
    }

    fn is_used(&self, index: usize) -> bool {
        self.present.contains(&index)
    }
}

/// Triangles go one by one until one is left, and come back: nodes lose children until an only
/// child takes their place.
#[test]
fn the_shape_stays_sound_while_triangles_go_and_come() {
    const TRIANGLES: usize = 60;
    let soup = random_soup(11, TRIANGLES, 2, 1.0);
    let (points, _) = soup.positions.as_chunks::<3>();
    let positions: Vec<[f64; 3]> = points[..soup.vertex_count].iter().map(|p| p.map(f64::from)).collect();
    let mesh = Mesh::new(soup.vertex_count, soup.triangles.clone()).unwrap();
    let position = |vertex: u32| positions[vertex as usize];
    let mut seen = [0; 5];
    for (leaf_size, stride) in [1, 2, 5].into_iter().flat_map(|size| [1, 7, 23].map(|stride| (size, stride))) {
        let mut part = Part { mesh: &mesh, present: (0..TRIANGLES).collect() };
        let mut tree = Topology::build(&part, &positions, BuildParams { leaf_size, ..of_width(Width::Four) });
        let order: Vec<usize> = (0..TRIANGLES).map(|step| step * stride % TRIANGLES).collect();
        let mut look = |tree: &Topology, part: &Part<'_>| {
            let report = tree.audit(part);
            assert!(report.is_clean() && report.checks > 0, "leaves of {leaf_size}, stride {stride}: {report}");
            tree.nodes().iter().for_each(|node| seen[node.children().len()] += 1);
        };
        for &triangle in &order[1..] {
            let leaf = tree.leaf_of(triangle as u32, part.points_of(triangle)[0]).unwrap();
            let reshaped = tree.remove(leaf, triangle as u32, &part, position);
            assert!(tree.node(reshaped.node).is_used());
            part.present.remove(&triangle);
            look(&tree, &part);
        }
        assert_eq!(tree.node_count(), 1);
        for &triangle in &order[1..] {
            // Always where the last leaf is: as deep as it gets.
            let leaf = (0..tree.nodes().len() as u32).rev().find(|&node| tree.node(node).is_leaf()).unwrap();
            part.present.insert(triangle);
            tree.insert(leaf, triangle as u32, &part, position);
            while tree.rebalance(&part, position).is_some() {}
            look(&tree, &part);
        }
        tree.rebuild(0, &part, position);
        look(&tree, &part);
    }
    assert!(seen[1] == 0 && seen[2..].iter().all(|&count| count > 200), "nodes by number of children: {seen:?}");
}

/// Compactness; and fewer nodes, slots and updates than with a width of two, for the same contacts.
#[test]
fn laws_on_counts_over_a_tablecloth() {
    let keys = 30;
    let scene = TableclothDef { triangles: 2000, keys, ..TableclothDef::default() }.generate();
    let mut counts = Vec::new();
    for width in [Width::Two, Width::Four] {
        let mut world = world(bodies(&scene), width, kinetic());
        let (mut most, mut contacts) = (0.0f64, 0);
        let begun = world.stats().tree.updates;
        for key in 0..keys {
            world.advance_to(key as f64 / 24.0).unwrap();
            most = most.max(world.stats().certificates_per_node);
            contacts += world.contacts().len();
        }
        let stats = world.stats();
        let updates = stats.tree.updates - begun;
        println!("{width:?}: {} nodes, {updates} updates, {most:.2} certificates per node, {contacts}", stats.nodes);
        assert!(most > 0.1 && most <= 6.0, "{width:?}: {most} certificates per node");
        assert!(updates > 1000 && contacts > 100, "{width:?}: {updates} updates, {contacts} contacts");
        counts.push((stats.nodes, updates, contacts));
    }
    assert!(counts[1].0 < counts[0].0 && counts[1].1 < counts[0].1, "a wide tree has less to do: {counts:?}");
    assert_eq!(counts[0].2, counts[1].2, "contacts do not depend on the width");
}

fn began_or_ended(change: &ContactChange) -> f64 {
    change.time().lo
}

/// Contacts, and from when to when they last, do not depend on the widths of the trees that find
/// them, also with a plan changed now and then.
#[test]
fn continuous_contacts_are_those_of_the_binary_tree() {
    let mut changes = 0;
    let def = WorldDef::default().contacts(ContactMode::Continuous);
    for seed in 0..12 {
        let (a, b) = (random_soup(seed, 40, 6, 1.0), random_soup(100 + seed, 40, 6, 1.0));
        let run = |widths: [Width; 2]| {
            let builds = widths.map(|width| BuildParams { width, leaf_size: 1 + seed as usize % 3, ..of_width(width) });
            let mut world = World::new(def).unwrap();
            let first = world.add_body(keyed(&a).build(builds[0])).unwrap();
            world.add_body(keyed(&b).build(builds[1]).self_contact(true)).unwrap();
            let mut seen = Vec::new();
            for step in 0..40 {
                world.advance_to(f64::from(step) * 0.2 / 39.0).unwrap();
                // Changes of one instant come in the order of the leaf pairs they are of.
                let mut changes = world.contact_changes().to_vec();
                let order = |x: &ContactChange, y: &ContactChange| began_or_ended(x).total_cmp(&began_or_ended(y));
                changes.sort_by(|x, y| order(x, y).then(x.contact().cmp(&y.contact())));
                seen.push((world.contacts().to_vec(), changes));
                if step % 10 == 5 {
                    let velocity = [0.5, f64::from(step) * 0.125, -1.0];
                    let plan = VertexFlightplan::Velocity { from: None, velocity };
                    world.set_vertex_flightplans(first, &[(step as u32, plan.clone()), (3, plan)]).unwrap();
                }
            }
            let report = world.audit();
            assert!(report.is_clean(), "{widths:?}: {report}");
            seen
        };
        let usual = run([Width::Two; 2]);
        changes += usual.iter().map(|(_, changes)| changes.len()).sum::<usize>();
        for widths in [[Width::Four; 2], [Width::Four, Width::Two], [Width::Two, Width::Four]] {
            for (step, (found, expected)) in run(widths).iter().zip(&usual).enumerate() {
                assert!(found == expected, "seed {seed}, {widths:?}, step {step}: {found:?}, not {expected:?}");
            }
        }
    }
    assert!(changes > 500, "{changes} changes");
}

/// A BoxTree and a refitted tree are built as if two had been asked for.
#[test]
fn trees_that_are_binary_by_nature_ignore_the_width() {
    let scene = TableclothDef { triangles: 200, keys: 10, ..TableclothDef::default() }.generate();
    for (engine, tree) in [(Engine::Kinetic, TreeKind::Box), (Engine::Refit, TreeKind::Aabb)] {
        let run = |width| {
            let defs = bodies(&scene).into_iter().map(|def| def.tree(tree)).collect();
            let mut world = world(defs, width, WorldDef::default().engine(engine));
            let mut contacts = Vec::new();
            for step in 0..30 {
                world.advance_to(f64::from(step) / 24.0).unwrap();
                contacts.push(world.contacts().to_vec());
            }
            let report = world.audit();
            assert!(report.is_clean(), "{report}");
            let body = world.bodies().next().unwrap();
            assert!(world.tree_quality(body).unwrap() > 0.5);
            (contacts, world.log().hash(), world.stats().nodes)
        };
        assert!(run(Width::Two) == run(Width::Four), "{engine:?}, {tree:?}");
    }
}
