//! `kinetree::check` as a library: settings, the observer, cancellation, summaries, refusals.

use std::ops::ControlFlow;

use crate::io_support::Folder;
use kinetree::check::{CheckEnding, CheckError, CheckResult, CheckSettings, Sampling, check, outline};
use kinetree::io::{Scene, read_scene};
use kinetree::world::Engine;

/// A pointer that dips through a floor between 2/3 s and 4/3 s, twice: it loops after 2 s.
fn dip(folder: &Folder) -> Scene {
    folder.write("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    for (frame, height) in [1.0, -0.5, 1.0].into_iter().enumerate() {
        let z = height + 1.0;
        folder.write(&format!("tip_{frame}.obj"), format!("v 0 0 {height}\nv 1 0 {z}\nv 0 1 {z}\nf 1 2 3\n"));
    }
    let text = "fps = 1\nspan = [0, 4]\n[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n\
                [[body]]\nname = \"tip\"\nmotion = \"tip_#.obj\"\noutside = \"loop\"\n\
                [[body]]\nname = \"far\"\nmesh = \"floor.obj\"\ntranslate = [0, 0, 9]\n";
    read_scene(folder.write("scene.toml", text)).unwrap()
}

fn run(scene: &Scene, settings: &CheckSettings) -> CheckResult {
    check(scene, settings, |_| ControlFlow::Continue(())).unwrap()
}

fn with(change: impl FnOnce(&mut CheckSettings)) -> CheckSettings {
    let mut settings = CheckSettings::default();
    change(&mut settings);
    settings
}

#[test]
fn contacts_samples_and_summaries_of_a_dip() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let mut samples = Vec::new();
    let result = check(&scene, &CheckSettings::default(), |sample| {
        samples.push((sample.number, sample.count, sample.time, sample.contacts.len(), sample.has_begun));
        ControlFlow::Continue(())
    })
    .unwrap();
    let expected = [(0, 0.0, 0, false), (1, 1.0, 1, true), (2, 2.0, 0, false), (3, 3.0, 1, true), (4, 4.0, 0, false)];
    assert_eq!(samples, expected.map(|(number, time, contacts, begun)| (number, 5, time, contacts, begun)));
    assert_eq!((result.span, result.times.len(), result.ending), ([0.0, 4.0], 5, CheckEnding::Complete));
    assert_eq!(result.tested, [[0, 1], [0, 2], [1, 2]]);
    let pair = result.pairs[0];
    assert_eq!((pair.bodies, pair.contacts, pair.samples, pair.most), ([0, 1], 2, 2, 1));
    assert!((pair.first.unwrap() - 2.0 / 3.0).abs() < 1e-12 && (pair.seconds - 4.0 / 3.0).abs() < 1e-12);
    assert_eq!((result.pairs[1].first, result.pairs[1].most), (None, 0));
    assert!(result.has_contacts() && result.undecided() == 0);
    let ends: Vec<_> = result.contacts.iter().map(|it| (it.bodies, it.triangles, it.is_clipped, it.is_open)).collect();
    assert_eq!(ends, [([0, 1], [0, 0], [false; 2], [false; 2]); 2]);
}

#[test]
fn a_span_clips_contacts_and_leaves_samples_out() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let whole = run(&scene, &CheckSettings::default());
    let clipped = run(&scene, &with(|settings| settings.span = Some([0.75, 3.25])));
    assert_eq!((clipped.span, &clipped.times[..]), ([0.75, 3.25], &[1.0, 2.0, 3.0][..]));
    let [first, second] = clipped.contacts[..] else { panic!("{:?}", clipped.contacts) };
    assert_eq!((first.begin, first.end, first.is_clipped), (0.75, whole.contacts[0].end, [true, false]));
    assert_eq!((second.begin, second.end, second.is_clipped), (whole.contacts[1].begin, 3.25, [false, true]));
    // Between two samples too.
    let short = run(&scene, &with(|settings| settings.span = Some([1.1, 1.2])));
    assert_eq!((short.times.len(), short.contacts.len(), short.contacts[0].is_clipped), (0, 1, [true; 2]));
}

/// Frames need not reach the ends of a scene's span: contacts over time are found in all of it.
#[test]
fn what_is_before_the_first_frame_and_after_the_last_is_checked_too() {
    let folder = Folder::new();
    let mut scene = dip(&folder);
    for (span, samples, contact) in [
        ([0.0, 0.95], vec![0.0], (2.0 / 3.0, 0.95, [false, true])),
        ([1.05, 2.0], vec![2.0], (1.05, 4.0 / 3.0, [true, false])),
        ([0.25, 1.75], vec![1.0], (2.0 / 3.0, 4.0 / 3.0, [false; 2])),
    ] {
        scene.span = Some(span);
        let result = run(&scene, &CheckSettings::default());
        assert_eq!((result.span, result.whole, &result.times), (span, span, &samples));
        let [found] = result.contacts[..] else { panic!("{span:?}: {:?}", result.contacts) };
        assert!((found.begin - contact.0).abs() < 1e-9 && (found.end - contact.1).abs() < 1e-9, "{found:?}");
        assert_eq!(found.is_clipped, contact.2, "{span:?}");
        // Named times are from the first to the last.
        let named = with(|settings| settings.sampling = Sampling::Times(samples.clone()));
        assert_eq!(run(&scene, &named).span, [samples[0]; 2]);
    }
}

/// Key times of an offset body are sums, and may be some roundings before or after their frames.
#[test]
fn no_frame_of_an_offset_body_is_lost() {
    let folder = Folder::new();
    let mut scene = dip(&folder);
    scene.span = None;
    for fps in [24.0, 25.0, 30.0, 29.97, 60.0] {
        for start in 1000..1100 {
            let offset = f64::from(start) / fps;
            let times = [0.0, 1.0, 2.0].map(|frame| frame / fps + offset);
            scene.fps = Some(fps);
            scene.span = Some([times[0], times[2]]);
            let sampled = scene.sample_times();
            assert_eq!(sampled.len(), 3, "{fps} {start}: {sampled:?}");
            assert_eq!([sampled[0], sampled[2]], [times[0], times[2]]);
        }
    }
}

#[test]
fn an_observer_ends_a_check() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let stopping = |last: usize| {
        let mut seen = 0;
        let result = check(&scene, &CheckSettings::default(), |sample| {
            seen += 1;
            if sample.number == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (seen, result.unwrap())
    };
    let (seen, result) = stopping(1);
    assert_eq!(
        (seen, result.ending, result.span, &result.times[..]),
        (2, CheckEnding::Cancelled, [0.0, 1.0], &[0.0, 1.0][..])
    );
    assert_eq!((result.contacts.len(), result.contacts[0].is_clipped), (1, [false, true]));
    // After the last sample nothing is left to cancel.
    assert_eq!(stopping(4).1.ending, CheckEnding::Complete);
    let first = run(&scene, &with(|settings| settings.stop_at_first = true));
    assert_eq!((first.ending, first.span), (CheckEnding::FirstContact, [0.0, 1.0]));
}

#[test]
fn samples_alone_where_over_time_is_not_wanted() {
    let folder = Folder::new();
    let scene = dip(&folder);
    for engine in [Engine::Interval, Engine::Refit, Engine::BruteForce] {
        let result = run(&scene, &with(|settings| settings.engine = engine));
        assert!(!result.is_over_time && result.contacts.is_empty() && result.has_contacts());
        let pair = result.pairs[0];
        assert_eq!((pair.first, pair.samples, pair.contacts, pair.most_at), (Some(1.0), 2, 0, 1.0));
    }
}

#[test]
fn refusals_are_typed() {
    let folder = Folder::new();
    let scene = dip(&folder);
    let refused = |settings: &CheckSettings| {
        let mut called = false;
        let error = check(&scene, settings, |_| {
            called = true;
            ControlFlow::Continue(())
        });
        assert!(!called);
        error.unwrap_err()
    };
    let times = |times: &[f64]| refused(&with(|settings| settings.sampling = Sampling::Times(times.to_vec())));
    assert!(matches!(times(&[0.0, f64::NAN]), CheckError::TimeNotFinite { index: 1, .. }));
    assert_eq!(times(&[1e300]), CheckError::TimeTooLarge { index: 0, value: 1e300 });
    assert_eq!(times(&[1.0, 1.0]), CheckError::TimeOrder { index: 1, previous: 1.0, value: 1.0 });
    assert_eq!(times(&[5.0]), CheckError::OutsideSpan { time: 5.0, span: [0.0, 4.0] });
    assert_eq!(times(&[]), CheckError::NoTimes);
    let fps = |fps| refused(&with(|settings| settings.sampling = Sampling::Fps(fps)));
    assert_eq!(fps(-1.0), CheckError::Fps { value: -1.0 });
    assert_eq!(fps(1e9), CheckError::TooManySamples { fps: 1e9, span: [0.0, 4.0] });
    let span = |span| refused(&with(|settings| settings.span = Some(span)));
    assert_eq!(span([2.0, 1.0]), CheckError::Span { span: [2.0, 1.0] });
    assert!(matches!(span([f64::NAN, 1.0]), CheckError::Span { .. }));
    assert_eq!(span([0.0, 4.5]), CheckError::OutsideSpan { time: 4.5, span: [0.0, 4.0] });
    let engine = refused(&with(|settings| {
        settings.engine = Engine::Refit;
        settings.over_time = Some(true);
    }));
    assert!(matches!(engine, CheckError::Scene(_)) && engine.to_string().contains("refit"), "{engine}");
    let host: kinetree::Error = engine.into();
    assert!(matches!(host, kinetree::Error::Check(_)));
}

#[test]
fn an_outline_tells_what_the_check_then_covers() {
    let scene = read_scene("fixtures/cloth_ball/scene.toml").unwrap();
    let mut settings = CheckSettings::default();
    settings.span = Some([0.25, 0.5]);
    let told = outline(&scene, &settings).unwrap();
    let result = check(&scene, &settings, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(Some(told.identity.clone()), result.identity);
    assert_eq!((told.span, told.whole, told.fps), (result.span, result.whole, result.fps));
    assert_eq!((&told.times, told.is_over_time, told.is_still), (&result.times, result.is_over_time, result.is_still));
    // Another thickness, other samples and another motion are other checks.
    let mut other = scene.clone();
    other.bodies[0].thickness = 0.001;
    assert_ne!(outline(&other, &settings).unwrap().identity.rules, told.identity.rules);
    settings.sampling = Sampling::Fps(12.0);
    assert_ne!(outline(&scene, &settings).unwrap().identity.sampling, told.identity.sampling);
    settings.span = Some([-1.0, 0.5]);
    assert!(outline(&scene, &settings).is_err());
}
