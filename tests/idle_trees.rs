//! A check leaves the kinetic trees of its world idle while all bodies move from key to key. What it finds is what separation lists find,
//! also where the idleness ends in the middle of a run.

#![cfg(feature = "io")]

mod check_support;
mod io_support;

use std::fmt::Write as _;
use std::ops::ControlFlow;

use check_support::{sheet, wave_of, with};
use io_support::{Folder, Random, pc2};
use kinetree::check::{CheckResult, CheckSettings, SampledContact, check};
use kinetree::io::{Scene, read_scene};
use kinetree::world::Engine;

type Samples = Vec<(u64, Vec<SampledContact>, bool, usize)>;

/// What a check found, and what its observer was told.
fn checked(scene: &Scene, settings: &CheckSettings) -> (CheckResult, Samples) {
    let mut samples = Vec::new();
    let result = check(scene, settings, |sample| {
        samples.push((sample.time.to_bits(), sample.contacts.to_vec(), sample.has_begun, sample.ended));
        ControlFlow::Continue(())
    });
    (result.unwrap(), samples)
}

/// Compares a check with that of a world whose pairs all have separation lists; returns the first one, and how many contacts there are.
fn compared(scene: &Scene, name: &str) -> (CheckResult, usize) {
    let (idle, told) = checked(scene, &CheckSettings::default());
    let (lists, told_by_lists) = checked(scene, &with(|settings| settings.engine = Engine::Kinetic));
    assert_eq!(idle.contacts.len(), lists.contacts.len(), "{name}");
    for (one, other) in idle.contacts.iter().zip(&lists.contacts) {
        assert_eq!(one, other, "{name}");
    }
    assert_eq!(told, told_by_lists, "{name}");
    assert_eq!((&idle.pairs, idle.span), (&lists.pairs, lists.span), "{name}");
    let count = idle.contacts.len();
    (idle, count)
}

/// Events of kinetic trees.
fn tree_events(result: &CheckResult) -> u64 {
    result.stats.tree.leaf_events + result.stats.tree.tree_events
}

#[test]
fn random_scenes_have_the_contacts_of_lists() {
    let folder = Folder::new();
    let (mut idle, mut awake, mut contacts) = (0, 0, 0);
    for seed in 0..24 {
        let scene = wave_of(&folder, seed, 6);
        let (result, found) = compared(&scene, &format!("seed {seed}"));
        contacts += found;
        if tree_events(&result) == 0 { idle += 1 } else { awake += 1 }
    }
    // Velocities end the idleness of all bodies, those that were added before as well.
    assert!(idle >= 8 && awake >= 4 && contacts > 1000, "{idle} idle, {awake} awake, {contacts} contacts");
}

/// A still sheet above which another one hovers; from the third of four keys on its vertices, and those of the first, are anywhere in a
/// cube. The third sheet comes from afar in the last interval.
fn wild(folder: &Folder) -> Scene {
    let mut random = Random(11);
    let mut text = String::from("span = [0, 3]\nfps = 4\n");
    let (obj, points) = sheet(16, 0.06);
    folder.write("sheet.obj", &obj);
    for body in 0..3 {
        let mut positions = Vec::new();
        for key in 0..4 {
            for point in &points {
                let mut anywhere = || random.below(1 << 20) as f32 / (1 << 20) as f32;
                let wild = [anywhere(), anywhere(), anywhere()];
                let calm = [point[0], point[1], point[2] + 0.3 * body as f32];
                let far = [point[0] + 9.0 - 9.0 * (key / 3) as f32, point[1], point[2] + 0.4];
                positions.extend(if body == 2 {
                    far
                } else if key < 2 {
                    calm
                } else {
                    wild
                });
            }
        }
        folder.write(&format!("{body}.pc2"), pc2(points.len() as i32, 0.0, 1.0, 4, &positions));
        let _ =
            writeln!(text, "[[body]]\nname = \"b{body}\"\nmesh = \"sheet.obj\"\nmotion = \"{body}.pc2\"\nfps = 1.0");
    }
    let mut scene = read_scene(folder.write("scene.toml", text)).unwrap();
    scene.bodies.iter_mut().for_each(|body| body.tree.build.leaf_size = 1);
    scene
}

/// Where an interval is too expensive, the pair gets a list, and all trees get their events. A pair that was apart until then is found by
/// the broad phase, or was watched already.
#[test]
fn idleness_ends_where_a_pair_needs_a_list() {
    let folder = Folder::new();
    let scene = wild(&folder);
    let (result, contacts) = compared(&scene, "wild");
    assert!(tree_events(&result) > 0 && result.stats.list.boxes_met > 0, "{:?}", result.stats);
    let with_third = result.contacts.iter().filter(|contact| contact.bodies.contains(&2)).count();
    assert!(contacts > 1000 && with_third > 10, "{contacts} contacts, {with_third}");
    // Until then it has none.
    let (calm, _) = checked(&scene, &with(|settings| settings.span = Some([0.0, 0.75])));
    assert_eq!((tree_events(&calm), calm.contacts.len()), (0, 0));
}
