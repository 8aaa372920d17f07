//! Edits of a running body: one triangle comes or goes, by the size of the body. Processor time of one thread, at the clock's
//! time, contacts included; the second figure is the tree's slots that were certified anew.
//!
//! `cargo bench --bench edits -- box` measures a BoxTree, which an edit rebuilds.
//!
//! Not by criterion: an edit changes the body it is measured on, and criterion would repeat it on a body that grows.

mod common;

use common::clock;

use common::scenes::{self, Scene};
use kinetree::BodyId;
use kinetree::bvh::BuildParams;
use kinetree::kinetic::TreeKind;
use kinetree::world::{BodyDef, Engine, World};

const EDITS: usize = 400;

/// Mean nanoseconds, mean slots and most slots of some edits.
fn measure(world: &mut World, mut edit: impl FnMut(&mut World, usize)) -> (f64, f64, u64) {
    let (mut nanoseconds, mut most) = (0.0, 0);
    let begin = world.stats().tree.slots_rebuilt;
    for number in 0..EDITS {
        let before = world.stats().tree.slots_rebuilt;
        nanoseconds += clock::time(|| edit(world, number)).1;
        most = most.max(world.stats().tree.slots_rebuilt - before);
    }
    let slots = world.stats().tree.slots_rebuilt - begin;
    (nanoseconds / EDITS as f64, slots as f64 / EDITS as f64, most)
}

fn row(name: &str, (nanoseconds, slots, most): (f64, f64, u64)) {
    println!("{name:>34}  {:9.1} us  {slots:7.1} slots  {most:7} at most", nanoseconds / 1e3);
}

fn table(scene: &Scene, cloth_alone: bool, kind: TreeKind) {
    let mut world = World::new(kinetree::world::WorldDef::default().engine(Engine::Kinetic)).expect("a start");
    for body in scene.bodies.iter().take(if cloth_alone { 1 } else { usize::MAX }) {
        let def = BodyDef::new(body.mesh.clone(), body.plan.clone()).build(BuildParams::default()).tree(kind);
        world.add_body(def).expect("a valid body");
    }
    world.advance_to(scene.times[1]).expect("the clip reaches its keys");
    let cloth: BodyId = world.bodies().next().expect("the cloth");
    let count = world.mesh(cloth).expect("the cloth").triangles().len();
    let stats = world.stats();
    let place = if cloth_alone { "alone" } else { "on the ball" };
    println!(
        "\n{count} triangles, {place}, {} contacts, {:.1} bytes per triangle",
        world.contacts().len(),
        stats.bytes as f64 / stats.triangles as f64
    );
    // The first edit counts the corners of all vertices, once.
    let first = clock::time(|| insert(&mut world, cloth, 7)).1;
    println!("{:>34}  {:9.1} us", "first edit", first / 1e3);
    row("insert a triangle", measure(&mut world, |world, n| insert(world, cloth, (n * 7919) % count)));
    row(
        "remove a triangle",
        measure(&mut world, |world, n| {
            let mut edit = world.begin_edit(cloth).expect("the cloth");
            edit.remove_triangle(((n * 104_729) % count) as u32);
            world.apply_edit(edit).expect("a triangle");
        }),
    );
    let report = world.audit();
    assert!(report.is_clean(), "{report}");
}

/// Doubles a triangle.
fn insert(world: &mut World, cloth: BodyId, triangle: usize) {
    let corners = world.mesh(cloth).expect("the cloth").triangles()[triangle];
    let mut edit = world.begin_edit(cloth).expect("the cloth");
    edit.add_triangle(corners);
    world.apply_edit(edit).expect("a triangle");
}

fn main() {
    let of_boxes = std::env::args().any(|word| word == "box");
    let (kind, sizes) =
        if of_boxes { (TreeKind::Box, &[2_000, 20_000][..]) } else { (TreeKind::Aabb, &[2_000, 20_000, 200_000][..]) };
    for &triangles in sizes {
        let scene = scenes::falling_cloth(triangles, 3, 0.5);
        table(&scene, true, kind);
        table(&scene, false, kind);
    }
}
