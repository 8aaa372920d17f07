//! A cancelled computation ends at its next step, and what it found is a part of the whole.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::check_support::{difference, file, wave, with};
use crate::io_support::Folder;
use kinetree::Cancel;
use kinetree::check::{
    BaselineChoice, CheckEnding, CheckResult, CheckSettings, Gate, JsonWriter, ResultFile, check, check_again,
    github_annotations, merge, parse_result,
};
use kinetree::incident::{IncidentBody, IncidentError, IncidentOptions, TriangleContact, find_incidents};
use kinetree::io::{Input, InputOptions, ReadErrorKind, Scene, read_inputs, read_inputs_with};

/// A check whose flag is set in the sample with a number; its result, and its file.
fn cancelled(scene: &Scene, last: usize, change: impl Fn(&mut CheckSettings)) -> (CheckResult, ResultFile) {
    let cancel = Cancel::new();
    let settings = with(|settings| {
        change(settings);
        settings.cancel = Some(cancel.clone());
    });
    let mut samples = Vec::new();
    let result = check(scene, &settings, |sample| {
        samples.push((sample.time, sample.contacts.to_vec()));
        if sample.number == last {
            cancel.cancel();
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    let mut writer = JsonWriter::new(Vec::new(), &result.bodies).unwrap();
    samples.iter().for_each(|(time, contacts)| writer.sample(*time, contacts).unwrap());
    let bytes = writer.finish(&result, !result.incidents_left_out, false).unwrap();
    let file = parse_result(std::str::from_utf8(&bytes).unwrap()).unwrap();
    (result, file)
}

fn text(file: &ResultFile) -> String {
    String::from_utf8(file.write(Vec::new()).unwrap()).unwrap()
}

/// The file of an undivided check, with its incidents.
fn whole(scene: &Scene) -> String {
    let bytes = file(scene, &CheckSettings::default());
    let mut file = parse_result(std::str::from_utf8(&bytes).unwrap()).unwrap();
    file.add_incidents(scene, &BaselineChoice::None).unwrap();
    text(&file)
}

#[test]
fn a_check_ends_after_the_sample_and_joins_with_the_rest() {
    let folder = Folder::new();
    let scene = wave(&folder, 0);
    for jobs in [1, 3] {
        for last in [0, 4] {
            let (result, part) = cancelled(&scene, last, |settings| settings.jobs = jobs);
            assert_eq!((result.ending, result.times.len()), (CheckEnding::Cancelled, last + 1));
            assert!(result.incidents_left_out && result.incidents.is_empty());
            let rest = with(|settings| {
                settings.span = Some([result.span[1], result.whole[1]]);
                settings.skip_incidents = true;
            });
            let rest = parse_result(std::str::from_utf8(&file(&scene, &rest)).unwrap()).unwrap();
            let mut joined = merge(vec![part, rest]).unwrap();
            joined.add_incidents(&scene, &BaselineChoice::None).unwrap();
            assert_eq!(difference(&whole(&scene), &text(&joined)), None, "jobs {jobs} last {last}");
        }
    }
}

#[test]
fn a_check_that_is_cancelled_in_its_last_sample_has_all_but_its_incidents() {
    let folder = Folder::new();
    let scene = wave(&folder, 1);
    let (result, part) = cancelled(&scene, 12, |_| ());
    assert_eq!((result.ending, result.times.len(), result.span), (CheckEnding::Cancelled, 13, result.whole));
    assert!(result.incidents_left_out && !result.contacts.is_empty());
    let mut joined = merge(vec![part]).unwrap();
    assert_eq!(joined.result.ending, CheckEnding::Complete);
    joined.add_incidents(&scene, &BaselineChoice::None).unwrap();
    assert!(!joined.result.incidents.is_empty() && !joined.result.incidents_left_out);
    assert_eq!(difference(&whole(&scene), &text(&joined)), None);
}

#[test]
fn skipped_incidents_change_nothing_else() {
    let folder = Folder::new();
    let scene = wave(&folder, 2);
    let all = check(&scene, &CheckSettings::default(), |_| ControlFlow::Continue(())).unwrap();
    let skipping = with(|settings| settings.skip_incidents = true);
    let without = check(&scene, &skipping, |_| ControlFlow::Continue(())).unwrap();
    assert!(!all.incidents.is_empty() && !all.incidents_left_out && without.incidents_left_out);
    assert_eq!((without.ending, without.incidents.len()), (CheckEnding::Complete, 0));
    assert_eq!((&all.contacts, &all.pairs, &all.times), (&without.contacts, &without.pairs, &without.times));
}

#[test]
fn a_second_check_is_cancelled_too() {
    let folder = Folder::new();
    let scene = wave(&folder, 0);
    let bytes = file(&scene, &CheckSettings::default());
    let earlier = parse_result(std::str::from_utf8(&bytes).unwrap()).unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let settings = with(|settings| settings.cancel = Some(cancel.clone()));
    let (result, _) = check_again(&scene, &settings, &earlier, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((result.ending, result.times.len()), (CheckEnding::Cancelled, 1));
    assert!(result.incidents_left_out);
}

#[test]
fn incidents_end_at_the_next_measurement() {
    let strip: Vec<[u32; 3]> = (0..40).map(|corner| [corner, corner + 1, corner + 2]).collect();
    let points: Vec<[f32; 3]> = (0..42).map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
    let body = IncidentBody::new(&strip, &points);
    let contact = |place: u32| {
        let begin = f64::from(place) / 8.0;
        TriangleContact::new([0, 1], [4 * place, 4 * place], begin, begin + 0.0625)
    };
    let contacts: Vec<_> = (0..10).map(contact).collect();
    let find = |last: usize| {
        let (calls, cancel) = (Cell::new(0), Cancel::new());
        let positions = |_: u32, _: f64| {
            calls.set(calls.get() + 1);
            if calls.get() == last {
                cancel.cancel();
            }
            points.iter().map(|point| point.map(f64::from)).collect()
        };
        let options = IncidentOptions::default().with_positions(&positions).with_cancel(&cancel);
        (find_incidents(&contacts, &[body, body], &options), calls.get())
    };
    let (found, calls) = find(usize::MAX);
    assert!(found.unwrap().len() == 10 && calls > 20, "{calls}");
    for last in [1, 2, 7, calls - 2] {
        let (refused, after) = find(last);
        assert_eq!(refused, Err(IncidentError::Cancelled));
        // The second body of the measurement at hand is still placed.
        assert!(after <= last + 1, "{after} calls, cancelled in call {last}");
    }
    let cancel = Cancel::new();
    cancel.cancel();
    let options = IncidentOptions::default().with_cancel(&cancel);
    assert_eq!(find_incidents(&contacts, &[body, body], &options), Err(IncidentError::Cancelled));
}

#[test]
fn reading_ends_before_the_next_input_and_the_next_body() {
    let inputs = ["fixtures/cloth_ball/ball.obj", "fixtures/cloth_ball/cloth.obj"].map(Input::new);
    let cancel = Cancel::new();
    let options = InputOptions::default().cancelled_by(cancel.clone());
    assert_eq!(read_inputs(&inputs, &options).unwrap().bodies.len(), 2);
    let refused = read_inputs_with(&inputs, &options, &mut |place| {
        if place == 1 {
            cancel.cancel();
        }
    });
    let refused = refused.unwrap_err();
    assert_eq!((refused.kind(), refused.file()), (&ReadErrorKind::Cancelled, inputs[1].path.as_path()));
    let scene = [Input::new("fixtures/cloth_ball/scene.toml")];
    assert_eq!(read_inputs(&scene, &options).unwrap_err().kind(), &ReadErrorKind::Cancelled);
}

/// GitHub shows ten errors of a step: that the check was interrupted is the first.
#[test]
fn annotations_say_first_that_a_check_was_interrupted() {
    let folder = Folder::new();
    let mut result = check(&wave(&folder, 1), &CheckSettings::default(), |_| ControlFlow::Continue(())).unwrap();
    let incident = result.incidents.first().expect("an incident").clone();
    for (count, listed) in [(1, 2), (9, 10), (10, 10), (30, 10)] {
        result.incidents = vec![incident.clone(); count];
        result.ending = CheckEnding::Complete;
        let complete = github_annotations(&Gate::new("scene.toml", &result, &[]));
        assert_eq!(complete.lines().count(), count.min(10));
        result.ending = CheckEnding::Cancelled;
        let text = github_annotations(&Gate::new("scene.toml", &result, &[]));
        assert_eq!(text.lines().count(), listed, "{count}: {text}");
        assert!(text.lines().next().unwrap().contains("title=the check was interrupted"), "{text}");
        assert_eq!(text.contains("more incidents"), count > 9, "{count}: {text}");
    }
}
