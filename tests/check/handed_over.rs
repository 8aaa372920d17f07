//! Contacts that are handed over as they end are those that are kept, in one order, with the same
//! sums.

use std::cell::Cell;
use std::io::ErrorKind;
use std::ops::ControlFlow;

use crate::check_support::{file, wave, with};
use crate::io_support::Folder;
use kinetree::check::{
    BaselineChoice, CheckEnding, CheckError, CheckResult, CheckSettings, JsonWriter, MergeError, ResultFile, Sampling,
    check, check_again, check_baked, merge, outline, parse_result,
};
use kinetree::incident::TriangleContact;
use kinetree::io::{BakeSettings, BakedScene, Scene, read_scene};

/// Runs a check that ends at the sample of a number; returns its result, and per sample its time,
/// how many contacts have ended, and those that were handed over.
type Told = Vec<(f64, usize, Vec<TriangleContact>)>;

fn run(scene: &Scene, settings: &CheckSettings, last: usize) -> (CheckResult, Told) {
    let mut told = Vec::new();
    let result = check(scene, settings, |sample| {
        told.push((sample.time, sample.ended, sample.handed_over.to_vec()));
        if sample.number == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (result.unwrap(), told)
}

fn keeping(change: impl Fn(&mut CheckSettings)) -> CheckSettings {
    with(|settings| {
        settings.skip_incidents = true;
        change(settings);
    })
}

/// The order that is documented: by end, bodies, triangles, begin.
fn by_end(x: &TriangleContact, y: &TriangleContact) -> std::cmp::Ordering {
    let names = |it: &TriangleContact| (it.bodies, it.triangles);
    x.end.total_cmp(&y.end).then_with(|| names(x).cmp(&names(y))).then(x.begin.total_cmp(&y.begin))
}

fn sorted(contacts: &[TriangleContact]) -> Vec<TriangleContact> {
    let mut contacts = contacts.to_vec();
    contacts.sort_by(by_end);
    contacts
}

/// Sums that were added up on the way are those of all contacts at once, as a reader adds them up.
fn sums_are_those_of_a_file(kept: &CheckResult, name: &str) {
    let bytes = JsonWriter::new(Vec::new(), &kept.bodies).unwrap().finish(kept, false, false).unwrap();
    let read = parse_result(std::str::from_utf8(&bytes).unwrap()).unwrap().result;
    for (mut found, expected) in kept.pairs.iter().copied().zip(read.pairs) {
        assert_eq!(found.contacts, expected.contacts, "{name}");
        if found.contacts > 0 {
            found.samples = expected.samples;
            assert_eq!(found, expected, "{name}");
        }
    }
}

/// Checks a scene both ways; returns how many contacts were handed over, and how many were not.
fn same(scene: &Scene, settings: &CheckSettings, last: usize, name: &str) -> (usize, usize) {
    let (kept, samples) = run(scene, settings, last);
    assert!(samples.iter().all(|(_, _, handed)| handed.is_empty()) && !kept.contacts_left_out, "{name}");
    if kept.is_over_time {
        sums_are_those_of_a_file(&kept, name);
    }
    let mut streaming = settings.clone();
    streaming.hand_over_contacts = true;
    let (result, told) = run(scene, &streaming, last);
    for (time, ended, handed) in &told {
        assert!(handed.iter().all(|it| it.end < *time && !it.is_clipped[1]), "{name}, at {time}");
        assert!(handed.len() <= *ended);
    }
    let counts = |told: &Told| told.iter().map(|(time, ended, _)| (time.to_bits(), *ended)).collect::<Vec<_>>();
    assert_eq!(counts(&samples), counts(&told), "{name}");
    // One after the other they are in order, and so are those that are left.
    let handed: Vec<TriangleContact> = told.iter().flat_map(|(_, _, handed)| handed.clone()).collect();
    assert!(result.contacts.is_sorted_by_key(|it| (it.bodies, it.triangles)), "{name}");
    let all: Vec<TriangleContact> = handed.iter().copied().chain(sorted(&result.contacts)).collect();
    assert!(all.iter().eq(&sorted(&kept.contacts)), "{name}: {} {}", all.len(), kept.contacts.len());
    // What is left exists at the end, or has ended since the last sample.
    let last = told.last().map_or(f64::NEG_INFINITY, |(time, _, _)| *time);
    assert!(result.contacts.iter().all(|it| it.is_clipped[1] || it.end >= last), "{name}");
    assert!(result.contacts_left_out == result.is_over_time && result.incidents_left_out, "{name}");
    assert_eq!(result.pairs, kept.pairs, "{name}");
    assert_eq!((result.ending, result.span, &result.times), (kept.ending, kept.span, &kept.times), "{name}");
    assert_eq!((result.undecided(), &result.identity), (kept.undecided(), &kept.identity), "{name}");
    assert_eq!(result.undecided(), kept.contacts.iter().filter(|it| it.is_undecided).count(), "{name}");
    (handed.len(), result.contacts.len())
}

#[test]
fn what_is_handed_over_and_what_is_left_are_the_contacts_that_are_kept() {
    let folder = Folder::new();
    let (mut handed, mut left) = (0, 0);
    for seed in 0..12 {
        let scene = wave(&folder, seed);
        for (jobs, parts) in [(1, 1), (1, 3), (3, 1)] {
            for span in [None, Some([0.3, 1.7]), Some([0.51, 0.52])] {
                let settings = keeping(|of| (of.jobs, of.parts, of.span) = (jobs, parts, span));
                let counts = same(&scene, &settings, usize::MAX, &format!("{seed} {jobs} {parts} {span:?}"));
                (handed, left) = (handed + counts.0, left + counts.1);
            }
        }
    }
    assert!(handed > 1000 && left > 100, "{handed} {left}");
}

/// Samples far from keys, close to each other and at the ends of contacts.
#[test]
fn samples_may_be_where_contacts_begin_and_end() {
    let folder = Folder::new();
    for seed in 0..8 {
        let scene = wave(&folder, seed);
        let (all, _) = run(&scene, &keeping(|_| ()), usize::MAX);
        let ends = all.contacts.iter().flat_map(|it| [it.begin, it.end]).take(40);
        let near = |time: f64| [time.next_down(), time, time.next_up()];
        let mut times: Vec<f64> = ends.flat_map(near).filter(|time| (0.0..=2.0).contains(time)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        for parts in [1, 4] {
            let settings = keeping(|of| (of.sampling, of.parts) = (Sampling::Times(times.clone()), parts));
            same(&scene, &settings, usize::MAX, &format!("{seed} {parts}"));
        }
    }
}

#[test]
fn so_are_those_of_a_check_that_ends_early() {
    let folder = Folder::new();
    for seed in 0..4 {
        let scene = wave(&folder, seed);
        for (jobs, parts) in [(1, 1), (1, 3), (3, 1)] {
            for last in [0, 4, 5, 9, 12] {
                let settings = keeping(|of| (of.jobs, of.parts) = (jobs, parts));
                same(&scene, &settings, last, &format!("{seed} {jobs} {parts} until {last}"));
            }
            let first = keeping(|of| (of.jobs, of.parts, of.stop_at_first) = (jobs, parts, true));
            same(&scene, &first, usize::MAX, &format!("{seed} {jobs} {parts} first"));
        }
    }
}

#[test]
fn so_are_those_of_fixtures() {
    for name in ["character", "cloth_ball", "hero", "kinds"] {
        let scene = read_scene(format!("fixtures/{name}/scene.toml")).unwrap();
        let [begin, end] = scene.default_span().unwrap();
        for (jobs, parts) in [(1, 1), (2, 5)] {
            for span in [[begin, end], [begin, 0.6 * begin + 0.4 * end]] {
                let settings = keeping(|of| (of.jobs, of.parts, of.span) = (jobs, parts, Some(span)));
                let (handed, left) = same(&scene, &settings, usize::MAX, &format!("{name} {jobs} {parts}"));
                assert!(handed + left > 4, "{name}: {handed} {left}");
            }
        }
    }
}

#[test]
fn nothing_is_handed_over_where_nothing_ends() {
    let folder = Folder::new();
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let body = |name: &str, more: &str| format!("[[body]]\nname = '{name}'\nmesh = 'a.obj'\n{more}\n");
    let two = |more: &str| body("a", "") + &body("b", more);
    // Always apart; in contact throughout; at rest.
    let cases = [
        ("fps = 4\nspan = [0, 1]\n", two("translate = [0, 0, 1]\nvelocity = [0, 0, 1]"), 0),
        ("fps = 4\nspan = [0, 1]\n", two("velocity = [0.1, 0, 0]"), 1),
        ("", two(""), 1),
    ];
    for (place, (head, bodies, contacts)) in cases.into_iter().enumerate() {
        let scene = read_scene(folder.write("scene.toml", head.to_owned() + &bodies)).unwrap();
        assert_eq!(same(&scene, &keeping(|_| ()), usize::MAX, &place.to_string()), (0, contacts));
    }
    // Samples alone have no contacts over time.
    let scene = wave(&folder, 1);
    let (handed, left) = same(&scene, &keeping(|of| of.over_time = Some(false)), usize::MAX, "samples");
    assert_eq!((handed, left), (0, 0));
}

/// Baked contacts, and those of an earlier result, are in memory anyway.
#[test]
fn contacts_that_are_in_memory_stay_in_the_result() {
    let folder = Folder::new();
    let scene = wave(&folder, 1);
    let (kept, _) = run(&scene, &keeping(|_| ()), usize::MAX);
    let settings = keeping(|of| of.hand_over_contacts = true);
    let told = Cell::new(0);
    let observe = |sample: &kinetree::check::CheckSample<'_>| {
        told.set(told.get() + sample.handed_over.len());
        ControlFlow::Continue(())
    };
    let (baked, _) = BakedScene::bake(&scene, &BakeSettings::new([0.0, 2.0])).unwrap();
    let result = check_baked(&scene, baked, &settings, observe).unwrap();
    assert_eq!((result.contacts.len(), result.contacts_left_out, told.get()), (kept.contacts.len(), false, 0));
    assert_eq!(result.pairs, kept.pairs);
    let earlier = parse_result(std::str::from_utf8(&file(&scene, &keeping(|_| ()))).unwrap()).unwrap();
    let (result, reused) = check_again(&scene, &settings, &earlier, observe).unwrap();
    assert!(reused.taken > 0 && !result.contacts_left_out && told.get() == 0);
    assert_eq!((result.contacts, result.pairs), (kept.contacts, kept.pairs));
    // Nothing is taken from a result that lacks contacts.
    let (mut lacking, _) = run(&scene, &settings, usize::MAX);
    assert!(lacking.contacts_left_out);
    let mut earlier = ResultFile::default();
    std::mem::swap(&mut earlier.result, &mut lacking);
    let (result, reused) = check_again(&scene, &settings, &earlier, observe).unwrap();
    assert!(reused.taken == 0 && result.contacts_left_out && told.get() > 0);
}

#[test]
fn what_needs_all_contacts_is_refused() {
    let folder = Folder::new();
    let scene = wave(&folder, 1);
    let refused = |change: &dyn Fn(&mut CheckSettings)| {
        let settings = with(|settings| {
            settings.hand_over_contacts = true;
            change(settings);
        });
        assert_eq!(outline(&scene, &settings).unwrap_err(), CheckError::ContactsLeftOut);
        check(&scene, &settings, |_| panic!("nothing is run")).unwrap_err()
    };
    assert_eq!(refused(&|_| ()), CheckError::ContactsLeftOut);
    let baseline = refused(&|of| (of.skip_incidents, of.baseline) = (true, BaselineChoice::Start));
    assert_eq!(baseline, CheckError::ContactsLeftOut);
    let (result, _) = run(&scene, &keeping(|of| of.hand_over_contacts = true), usize::MAX);
    assert!(result.has_contacts() && result.ending == CheckEnding::Complete);
    let writer = JsonWriter::new(Vec::new(), &result.bodies).unwrap();
    let error = writer.finish(&result, false, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(error.get_ref().unwrap().downcast_ref(), Some(&CheckError::ContactsLeftOut));
    let mut lacking = ResultFile::default();
    lacking.result = result;
    assert_eq!(lacking.add_incidents(&scene, &BaselineChoice::None), Err(CheckError::ContactsLeftOut));
    assert_eq!(lacking.write(Vec::new()).unwrap_err().kind(), ErrorKind::InvalidInput);
    let whole = parse_result(std::str::from_utf8(&file(&scene, &keeping(|_| ()))).unwrap()).unwrap();
    assert_eq!(merge(vec![whole, lacking]).unwrap_err(), MergeError::ContactsLeftOut { part: 1 });
}
