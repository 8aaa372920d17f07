//! A check divided over threads gives the bytes and the samples of one thread.

use std::ops::ControlFlow;

use crate::check_support::{difference, file, file_until, wave, with};
use crate::io_support::Folder;
use kinetree::check::{CheckError, CheckSettings, JsonWriter, Sampling, check, parse_result};
use kinetree::io::Scene;

/// What an observer is told, but for whether anything began.
fn samples(scene: &Scene, settings: &CheckSettings) -> Vec<(usize, usize, u64, usize, bool)> {
    let mut all = Vec::new();
    check(scene, settings, |sample| {
        all.push((sample.number, sample.count, sample.time.to_bits(), sample.contacts.len(), sample.has_begun));
        ControlFlow::Continue(())
    })
    .unwrap();
    all
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_bytes_of_one_thread() {
    let folder = Folder::new();
    let mut across = 0;
    for seed in 0..2 {
        let scene = wave(&folder, seed);
        for over_time in [None, Some(false)] {
            let one = with(|settings| settings.over_time = over_time);
            let whole = file(&scene, &one);
            let contacts = parse_result(text(&whole)).unwrap().result.contacts;
            across += contacts.iter().filter(|contact| contact.begin < 0.8 && contact.end > 0.85).count();
            for jobs in [2, 16] {
                let several = with(|settings| (settings.over_time, settings.jobs) = (over_time, jobs));
                let other = file(&scene, &several);
                assert_eq!(difference(text(&whole), text(&other)), None, "seed {seed} jobs {jobs}");
                assert_eq!(samples(&scene, &one), samples(&scene, &several), "seed {seed} jobs {jobs}");
            }
        }
    }
    // With 13 samples the span is cut in three, at 5 / 6 s and 10 / 6 s.
    assert!(across > 10, "{across}");
}

#[test]
fn an_interrupted_check_is_that_of_one_thread() {
    let folder = Folder::new();
    let several = with(|settings| settings.jobs = 3);
    for seed in 0..2 {
        let scene = wave(&folder, seed);
        for last in [0, 5, 12] {
            let one = file_until(&scene, &CheckSettings::default(), last);
            let other = file_until(&scene, &several, last);
            assert_eq!(difference(text(&one), text(&other)), None, "seed {seed} last {last}");
        }
    }
}

#[test]
fn counters_are_of_all_threads() {
    let folder = Folder::new();
    let scene = wave(&folder, 1);
    let run = |jobs| check(&scene, &with(|settings| settings.jobs = jobs), |_| ControlFlow::Continue(())).unwrap();
    let (one, several) = (run(1), run(3));
    assert!(one.stats.triangle_tests > 0 && several.stats.triangle_tests >= one.stats.triangle_tests);
}

#[test]
fn refusals_are_those_of_one_thread() {
    let folder = Folder::new();
    let mut scene = wave(&folder, 2);
    scene.bodies[1].thickness = f64::NAN;
    let refusal = |jobs| -> CheckError {
        check(&scene, &with(|settings| settings.jobs = jobs), |_| ControlFlow::Continue(())).unwrap_err()
    };
    assert_eq!(refusal(1).to_string(), refusal(4).to_string());
}

#[test]
fn contacts_formatted_on_several_threads_are_the_bytes_of_one() {
    let folder = Folder::new();
    let scene = wave(&folder, 1);
    let mut result = check(&scene, &CheckSettings::default(), |_| ControlFlow::Continue(())).unwrap();
    // More rows than are held at once.
    let few = result.contacts.clone();
    assert!(few.len() > 10, "{}", few.len());
    result.contacts = (0..20_000).map(|row| few[row * row % few.len()]).collect();
    let write = |threads: usize| {
        let writer = JsonWriter::new(Vec::new(), &result.bodies).unwrap().with_threads(threads);
        String::from_utf8(writer.finish(&result, false, false).unwrap()).unwrap()
    };
    let one = write(1);
    assert_eq!(one.matches("\"triangle_a\"").count(), 20_000);
    for threads in [2, 3] {
        assert_eq!(difference(&one, &write(threads)), None, "{threads} threads");
    }
}

#[test]
fn a_check_of_few_samples_shares_the_work_of_its_pairs() {
    let folder = Folder::new();
    for seed in 0..2 {
        let scene = wave(&folder, seed);
        let few =
            |jobs: usize| with(|settings| (settings.sampling, settings.jobs) = (Sampling::Times(vec![0.0, 2.0]), jobs));
        let (one, several) = (file(&scene, &few(1)), file(&scene, &few(4)));
        assert!(parse_result(text(&one)).unwrap().result.contacts.len() > 10);
        assert_eq!(difference(text(&one), text(&several)), None, "seed {seed}");
    }
}
