//! The fixture `character`: generated data that is what its generator makes, with faults to find.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use kinetree::check::{CheckSettings, check};
use kinetree::io::read_scene;
use kinetree::scenes::{CapeDef, GeneratedBody};

#[test]
fn the_caches_are_what_the_generator_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/character");
    let scene = CapeDef::default().generate();
    assert_eq!(scene.bodies.len(), 2);
    for body in scene.bodies {
        let GeneratedBody::Keyed(clip) = body else { panic!("keys") };
        let bytes = fs::read(folder.join(format!("{}.pc2", clip.name))).unwrap();
        let numbers = bytes[32..].as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b).to_bits());
        assert!(numbers.eq(clip.positions.iter().map(|x| x.to_bits())), "{}", clip.name);
    }
}

#[test]
fn limbs_go_through_the_cape_in_a_few_places() {
    let scene = read_scene(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/character/scene.toml")).unwrap();
    assert!(scene.notes.is_empty(), "{:?}", scene.notes);
    let found = check(&scene, &CheckSettings::default(), |_| ControlFlow::Continue(())).unwrap();
    assert!((3..=8).contains(&found.incidents.len()), "{}", found.incidents.len());
    for incident in &found.incidents {
        assert_eq!(incident.bodies, [0, 1]);
        assert!(incident.end - incident.begin > 0.01 && incident.most_pairs > 5, "{incident:?}");
    }
    // A whole step is clean at its begin: the cape is worn, not buried.
    assert!(found.contacts.iter().all(|contact| contact.begin > 0.05));
}
