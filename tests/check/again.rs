//! A second check after an edit takes what did not change, and is a new check byte for byte.

use crate::check_support;
use std::ops::ControlFlow;

use crate::check_support::{difference, file, wave};
use crate::io_support::{Folder, Random};
use kinetree::check::{CheckEnding, CheckSettings, JsonWriter, ResultFile, Reused, check_again, parse_result};
use kinetree::io::{MotionData, Scene};

/// The file of a second check without counters, and how much of it was taken.
fn again(scene: &Scene, settings: &CheckSettings, earlier: &ResultFile) -> (String, Reused) {
    let mut writer = JsonWriter::new(Vec::new(), &earlier.result.bodies).unwrap();
    let mut numbers = Vec::new();
    let (result, reused) = check_again(scene, settings, earlier, |sample| {
        numbers.push(sample.number);
        writer.sample(sample.time, sample.contacts).unwrap();
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(numbers, (0..result.times.len()).collect::<Vec<_>>());
    let bytes = writer.finish(&result, false, false).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(result.pairs, parse_result(&text).unwrap().result.pairs);
    (text, reused)
}

fn text_of(scene: &Scene, settings: &CheckSettings) -> String {
    String::from_utf8(file(scene, settings)).unwrap()
}

/// Moves one vertex at one key of one body; says whether there is a body with keys.
fn edit(scene: &mut Scene, random: &mut Random) -> bool {
    let moving: Vec<usize> = (0..scene.bodies.len())
        .filter(|&body| matches!(scene.bodies[body].motion, MotionData::Cached { .. } | MotionData::Keyframes { .. }))
        .collect();
    let Some(&body) = moving.get(random.below(moving.len().max(1))) else { return false };
    let vertices = scene.bodies[body].mesh.positions.len();
    scene.bodies[body].motion = scene.bodies[body].motion.in_memory().unwrap();
    let MotionData::Keyframes { times, positions } = &mut scene.bodies[body].motion else { return false };
    // Not the first key, which says what the scene is at rest.
    let key = 1 + random.below(times.len() - 1);
    let vertex = random.below(vertices);
    positions[3 * (key * vertices + vertex) + 2] += 0.37;
    true
}

#[test]
fn after_an_edit_only_what_changed_is_checked() {
    let folder = Folder::new();
    let (mut taken, mut partly, mut differ) = (0, 0, 0);
    for seed in 0..6 {
        let mut scene = wave(&folder, seed);
        let mut random = Random::new(seed + 500);
        let mut settings = CheckSettings::default();
        if seed % 3 == 0 {
            settings.over_time = Some(false);
        }
        if seed % 5 == 0 {
            settings.span = Some([0.3, 1.7]);
        }
        let before = text_of(&scene, &settings);
        let earlier = parse_result(&before).unwrap();
        let (same, all) = again(&scene, &settings, &earlier);
        assert_eq!(difference(&before, &same), None, "seed {seed}");
        assert!(all.taken == all.of && all.of > 0);
        if !edit(&mut scene, &mut random) {
            continue;
        }
        let after = text_of(&scene, &settings);
        let (second, reused) = again(&scene, &settings, &earlier);
        assert_eq!(difference(&after, &second), None, "seed {seed}");
        taken += reused.taken;
        partly += usize::from(0 < reused.taken && reused.taken < reused.of);
        differ += usize::from(after.split("\"span\"").next() != before.split("\"span\"").next());
    }
    assert!(taken > 6 && partly > 1 && differ > 1, "{taken} {partly} {differ}");
}

type Change = dyn Fn(&mut Scene, &mut CheckSettings, &mut ResultFile);

#[test]
fn another_scene_is_checked_as_new() {
    let folder = Folder::new();
    let scene = wave(&folder, 3);
    let settings = CheckSettings::default();
    let earlier = parse_result(&text_of(&scene, &settings)).unwrap();
    let changes: [&Change; 6] = [
        &|scene, _, _| scene.bodies[0].thickness = 0.02,
        &|scene, _, _| scene.bodies[0].self_contact = !scene.bodies[0].self_contact,
        &|scene, _, _| scene.fps = Some(5.0),
        &|scene, _, _| scene.span = Some([0.0, 1.5]),
        &|_, settings, _| settings.over_time = Some(false),
        &|_, _, earlier| earlier.result.identity = None,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let (mut scene, mut settings, mut earlier) = (scene.clone(), settings.clone(), earlier.clone());
        change(&mut scene, &mut settings, &mut earlier);
        let (second, reused) = again(&scene, &settings, &earlier);
        assert_eq!((difference(&text_of(&scene, &settings), &second), reused.taken), (None, 0), "change {number}");
        assert!(reused.of > 0);
    }
}

#[test]
fn what_an_interrupted_check_found_is_taken_and_a_second_one_can_be_interrupted() {
    let folder = Folder::new();
    let scene = wave(&folder, 3);
    let settings = CheckSettings::default();
    let whole = text_of(&scene, &settings);
    let stopped = String::from_utf8(check_support::file_until(&scene, &settings, 7)).unwrap();
    let (second, reused) = again(&scene, &settings, &parse_result(&stopped).unwrap());
    assert_eq!(difference(&whole, &second), None);
    assert!(0 < reused.taken && reused.taken < reused.of, "{reused:?}");
    let earlier = parse_result(&whole).unwrap();
    for last in 0..earlier.samples.len() {
        let mut seen = 0;
        let (result, _) = check_again(&scene, &settings, &earlier, |sample| {
            seen += 1;
            if sample.number == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        let is_complete = last + 1 == earlier.samples.len();
        assert_eq!((seen, result.ending == CheckEnding::Complete), (last + 1, is_complete));
        assert_eq!((result.span[1], result.times.len()), (earlier.samples[last].time, last + 1));
    }
}
