//! Contacts have the same pinned hash in every engine, with every tree, baked or not, with any
//! number of threads, and in every build.
//!
//! A change of a hash is a change of behaviour: say in the changelog what changed and why. The
//! builds are listed in docs/DETERMINISM.md.

#[path = "../common/checksum.rs"]
mod checksum;
#[path = "../pinned/mod.rs"]
mod pinned;

use std::sync::Arc;

use kinetree::BakeFormat;
use kinetree::kinetic::TreeKind;
use kinetree::motion::Outside;
use kinetree::scenes::material::{random_soup, symmetric_grid};
use kinetree::scenes::{ExpandingSpheresDef, TableclothDef};
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};

use checksum::mix;
use pinned::{bodies, keyed, world};

/// The hash of the contacts at 24 times of a world, and how many there are.
fn contacts(mut world: World, end: f64) -> (u64, usize) {
    let (mut hash, mut count) = (0, 0);
    for step in 0..24 {
        world.advance_to(end * f64::from(step) / 24.0).unwrap();
        for contact in world.contacts() {
            let bodies = u64::from(contact.a.index()) << 32 | u64::from(contact.b.index());
            hash = mix(mix(hash, bodies), u64::from(contact.triangle_a) << 32 | u64::from(contact.triangle_b));
        }
        hash = mix(hash, world.contacts().len() as u64);
        count += world.contacts().len();
    }
    (hash, count)
}

/// The same world with a baked tree for every body that can have one.
fn baked(mut world: World, end: f64, format: BakeFormat) -> World {
    let mut clips = 0;
    for body in world.bodies().collect::<Vec<_>>() {
        if let Ok(clip) = world.bake(body, Span { begin: 0.0, end }, format, 2) {
            world.set_baked(body, Some(Arc::new(clip))).unwrap();
            clips += 1;
        }
    }
    assert!(clips > 0);
    world
}

fn all_agree(name: &str, defs: &[BodyDef], end: f64, pinned: u64) {
    let with = |tree: TreeKind, def: WorldDef| world(defs.iter().map(|body| body.clone().tree(tree)), def);
    for engine in [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
        for tree in [TreeKind::Aabb, TreeKind::Box] {
            let def = WorldDef::new().engine(engine);
            let (hash, count) = contacts(with(tree, def), end);
            assert!(count > 100, "{name}: only {count} contacts");
            assert_eq!(hash, pinned, "{name}, {engine}, {tree:?}: {hash:#018x}, {count} contacts");
        }
    }
    for engine in [Engine::Auto, Engine::Interval] {
        for format in [BakeFormat::Stamped, BakeFormat::Frames { per_second: 24.0 / end }] {
            let (hash, _) = contacts(baked(with(TreeKind::Aabb, WorldDef::new().engine(engine)), end, format), end);
            assert_eq!(hash, pinned, "{name}, {engine}, baked as {format:?}: {hash:#018x}");
        }
    }
}

#[test]
fn a_tablecloth_in_every_engine() {
    let scene = TableclothDef { triangles: 200, keys: 12, ..TableclothDef::default() }.generate();
    all_agree("tablecloth", &bodies(&scene), 0.45, 0xa986_8328_4050_bbf2);
}

#[test]
fn soups_in_every_engine() {
    let (a, b) = (random_soup(1, 30, 6, 1.0), random_soup(2, 30, 6, 1.0));
    all_agree("soups", &[keyed(&a), keyed(&b).self_contact(true).thickness(0.01)], 0.2, 0x9683_9a80_a4f3_9373);
}

#[test]
fn a_grid_full_of_ties_in_every_engine() {
    let [one, other] = [[false, true, false], [true, false, true]].map(|mirrored| symmetric_grid(4, 4, 6, mirrored));
    all_agree("grid", &[keyed(&one), keyed(&other)], 0.15, 0x7046_404c_d4f7_5a7b);
}

/// The hash of all begins and ends of contacts over a world's time: bits of their times, features,
/// points and normals. Changes of equal times come in the order of events, which are others with
/// and without lists; so the changes of an advance are sorted here.
fn changes(mut world: World, end: f64) -> (u64, usize) {
    let mut all = Vec::new();
    for step in 1..=7_u32 {
        world.advance_to(end * f64::from(step) / 7.0).unwrap();
        for change in world.contact_changes() {
            let (contact, time) = (change.contact(), change.time());
            let flags = u64::from(change.is_begin()) | u64::from(change.is_undecided()) << 1;
            let words = [
                u64::from(contact.a.index()) << 32 | u64::from(contact.b.index()),
                u64::from(contact.triangle_a) << 32 | u64::from(contact.triangle_b),
                time.lo.to_bits(),
                time.hi.to_bits(),
                flags | u64::from(time.is_open) << 2,
            ];
            let mut hash = words.into_iter().fold(step.into(), mix);
            if let ContactChange::Began { touch: Some(touch), .. } = change {
                hash = touch.point.iter().chain(&touch.normal).fold(hash, |hash, x| mix(hash, x.to_bits()));
                hash = format!("{:?}", touch.feature).bytes().fold(hash, |hash, byte| mix(hash, u64::from(byte)));
            }
            all.push(hash);
        }
    }
    all.sort_unstable();
    (all.iter().copied().fold(0, mix), all.len())
}

#[test]
fn begins_and_ends_bit_for_bit() {
    let (a, b) = (random_soup(5, 50, 6, 1.0), random_soup(6, 50, 5, 1.0));
    let looping = |mut def: BodyDef| {
        def.motion = def.motion.outside(Outside::Loop);
        def
    };
    let spheres = ExpandingSpheresDef { triangles: 200, ..ExpandingSpheresDef::default() }.generate();
    let scenes = [
        ("soups", vec![looping(keyed(&a)), looping(keyed(&b)).self_contact(true)], 0.5, 0x3771_37f2_bf90_de2e),
        ("spheres", bodies(&spheres), 3.0, 0x2716_0238_d6b8_0991),
    ];
    for (name, defs, end, pinned) in scenes {
        for engine in [Engine::Auto, Engine::Kinetic] {
            for tree in [TreeKind::Aabb, TreeKind::Box] {
                let def = WorldDef::new().engine(engine).contacts(ContactMode::Continuous);
                let (hash, count) = changes(world(defs.iter().map(|body| body.clone().tree(tree)), def), end);
                assert!(count > 50, "{name}: only {count} changes");
                assert_eq!(hash, pinned, "{name}, {engine}, {tree:?}: {hash:#018x}, {count} changes");
            }
        }
    }
}

/// With the feature `rayon`: pools of one thread and of two.
#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            soups_in_every_engine();
            begins_and_ends_bit_for_bit();
        });
    }
}
