//! A check leaves the kinetic trees of its world idle while all bodies move from key to key. What
//! it finds is what separation lists find, also where the idleness ends in the middle of a run.

use std::ops::ControlFlow;

use crate::check_support::{wave_of, with};
use crate::io_support::Folder;
use kinetree::check::{CheckResult, CheckSettings, SampledContact, check};
use kinetree::io::{Scene, read_scene};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

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

/// Compares a check with that of a world whose pairs all have separation lists; returns the first
/// one, and how many contacts there are.
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
    for seed in 6..12 {
        let scene = wave_of(&folder, seed, 6);
        let (result, found) = compared(&scene, &format!("seed {seed}"));
        contacts += found;
        if tree_events(&result) == 0 { idle += 1 } else { awake += 1 }
    }
    // Velocities end the idleness of all bodies, those that were added before as well.
    assert!(idle >= 2 && awake >= 1 && contacts > 300, "{idle} idle, {awake} awake, {contacts} contacts");
}

/// Before the first key of a loop no pair has an interval: it gets a list, and all trees get their
/// events.
#[test]
fn idleness_ends_where_a_pair_needs_a_list() {
    let folder = Folder::new();
    let (mut awake, mut contacts) = (0, 0);
    for seed in 0..3 {
        wave_of(&folder, seed, 6);
        let path = folder.path(&format!("{seed}/scene.toml"));
        let text = std::fs::read_to_string(&path).unwrap();
        let earlier = text.replace("span = [0, 2]", "span = [-1, 2]");
        assert!(earlier != text);
        std::fs::write(&path, earlier.replace("velocity", "#velocity")).unwrap();
        let (result, found) = compared(&read_scene(&path).unwrap(), &format!("seed {seed}"));
        awake += usize::from(tree_events(&result) > 0);
        contacts += found;
    }
    assert!(awake >= 2 && contacts > 300, "{awake} awake, {contacts} contacts");
}

/// The first contact is found in a world of its own, whose trees are idle until a scheduled plan
/// ends that. Both bodies are kept from meeting until then.
#[test]
fn a_scheduled_plan_ends_idleness() {
    let sheet = |height: f32| -> Vec<[f32; 3]> {
        (0..36).map(|place| [(place % 6) as f32, (place / 6) as f32, height]).collect()
    };
    let triangles = (0..25).flat_map(|cell| {
        let corner = 6 * (cell / 5) + cell % 5;
        [[corner, corner + 1, corner + 6], [corner + 1, corner + 7, corner + 6]]
    });
    let mesh = Mesh::new(36, triangles.collect()).unwrap();
    let floor = BodyDef::new(mesh.clone(), Flightplan::fixed(sheet(0.0)));
    let hovering = Flightplan::keyframes(vec![0.0, 1.0, 8.0], [sheet(1.0), sheet(2.0), sheet(2.0)].concat());
    let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous)).unwrap();
    let (floor, above) = (world.add_body(floor).unwrap(), world.add_body(BodyDef::new(mesh, hovering)).unwrap());
    assert_eq!(world.first_contact(floor, above, 7.0).unwrap(), None);
    let falling = Flightplan::velocities(2.0, sheet(2.0), vec![[0.0, 0.0, -0.5]; 36]);
    world.schedule_flightplan(above, 2.0, falling).unwrap();
    let first = world.first_contact(floor, above, 7.0).unwrap().expect("they meet after four seconds of falling");
    let time = first.time();
    assert!(time.lo <= 6.0 && 6.0 <= time.hi && time.hi - time.lo < 1e-9, "{time:?}");
    world.advance_to(6.5).unwrap();
    let begins: Vec<_> = world.contact_changes().iter().filter(|change| change.is_begin()).collect();
    assert!(begins.iter().any(|change| **change == first), "{first:?}");
}
