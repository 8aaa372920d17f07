//! `kinetree bake`: works a scene out and keeps that in a file.

use std::io::Write as _;
use std::time::Instant;

use super::args::{BakeOptions, FormatName, RuleOptions};
use super::inputs::files;
use super::output::{Output, is_standard, keep_apart, say, warn};
use super::table::{grouped, table};
use super::{Failure, Status, bold, bounds, interrupt, tell};
use crate::check::frame_times;
use crate::io::{BakeSettings, BakedScene, Scene};
use crate::limits;
use crate::world::IgnoredContacts;

pub(super) fn bake(options: &BakeOptions) -> Result<Status, Failure> {
    let mut scene = options.source.load(options.fps, options.quiet, true)?;
    apply_rules(&options.rules, &mut scene)?;
    for note in &scene.notes {
        tell("note: ", note);
    }
    let no_time = || {
        Failure::Input(format!(
            "{}: there is no stretch of time to bake; give the scene a span",
            options.source.title().display()
        ))
    };
    let mut frames = match options.format {
        FormatName::Frames => {
            Some(frame_times(options.fps, &scene).map_err(|error| Failure::Input(format!("--fps: {error}")))?)
        }
        FormatName::Stamped if options.fps.is_some() && options.source.is_scene_file() => {
            return Err(Failure::Input(
                "--fps: the stamped trees of a scene know every time; leave it out, or give --format frames".into(),
            ));
        }
        FormatName::Stamped => None,
    };
    // Frames need not reach the ends of the span, in which contacts are found.
    if let (Some(times), Some([begin, end])) = (&mut frames, scene.default_span()) {
        if times.first().is_some_and(|&first| begin < first) {
            times.insert(0, begin);
        }
        if times.last().is_some_and(|&last| last < end) {
            times.push(end);
        }
    }
    let span = match &frames {
        Some(times) => times.first().copied().zip(times.last().copied()).map(|(first, last)| [first, last]),
        None => scene.default_span(),
    };
    let span = span.filter(|[first, last]| first < last).ok_or_else(no_time)?;
    let settings = BakeSettings {
        frames,
        contacts: !options.no_contacts,
        ignored: ignored(&options.rules),
        sync_points: options.sync_points,
        ..BakeSettings::new(span)
    };
    keep_apart(&[("--out", &options.out)], files(&scene))?;
    interrupt::end_clean();
    // Opened first: a wrong path should not cost the run.
    let mut output = Output::create(&options.out)?;
    let began = Instant::now();
    let (baked, left_out) = BakedScene::bake(&scene, &settings).map_err(|error| {
        Failure::Input(format!("{}: {}", options.source.title().display(), bounds::of_bake(&error)))
    })?;
    for missing in &left_out {
        tell("note: ", &format!("no tree of '{}': {}", missing.body, missing.error));
    }
    let bytes = baked.to_bytes();
    output.write_all(&bytes).map_err(|error| output.failed(&error))?;
    output.finish()?;
    if !options.quiet {
        let seconds = began.elapsed().as_secs_f64();
        let text = format!("{}baked in {seconds:.2} s\n", summary(options, &scene, &baked, bytes.len()));
        if is_standard(&options.out) { warn(&text) } else { say(&text)? }
    }
    Ok(Status::Answered)
}

fn summary(options: &BakeOptions, scene: &Scene, baked: &BakedScene, bytes: usize) -> String {
    let triangles: usize = scene.bodies.iter().map(|body| body.mesh.triangles.len()).sum();
    let each = |bytes: usize, triangles: usize| format!("{:.1}", bytes as f64 / triangles.max(1) as f64);
    let head = format!("{} s to {} s, {} bytes", baked.begin(), baked.end(), grouped(bytes as u64));
    let mut rows: Vec<Vec<String>> = scene
        .bodies
        .iter()
        .zip(baked.trees())
        .map(|(body, tree)| {
            let (count, size) = (body.mesh.triangles.len(), tree.as_ref().map_or(0, |tree| tree.to_bytes().len()));
            let events = tree.as_ref().map_or("none".into(), |tree| grouped(tree.event_count() as u64));
            vec![format!("tree of {}", body.name), events, grouped(size as u64), each(size, count)]
        })
        .collect();
    if let Some(contacts) = baked.contacts() {
        let size = contacts.to_bytes().len();
        let count = grouped(contacts.len() as u64);
        rows.push(vec!["contacts".into(), count, grouped(size as u64), each(size, triangles)]);
    }
    let table = table(&["part", "events or intervals", "bytes", "bytes per triangle"], &rows);
    format!("{}\n\n{table}\n", bold(&format!("{}: ", options.out.display()), &head))
}

/// What the command line says of what counts as contact. A body that is alone is tested against
/// itself: there is nothing else.
pub(super) fn apply_rules(rules: &RuleOptions, scene: &mut Scene) -> Result<(), Failure> {
    if let Some(thickness) = rules.thickness.filter(|value| !(0.0..=limits::MAX_COORDINATE).contains(value)) {
        return Err(Failure::Input(format!(
            "--thickness: {thickness} is not a number of metres from 0 to {:e}; give one such as 0.002",
            limits::MAX_COORDINATE
        )));
    }
    for body in &mut scene.bodies {
        body.self_contact |= rules.self_contact || rules.neighbours;
        body.neighbours |= rules.neighbours;
        body.thickness = rules.thickness.unwrap_or(body.thickness);
    }
    if let [body] = &mut scene.bodies[..]
        && !body.self_contact
    {
        body.self_contact = true;
        scene.notes.push(format!(
            "body '{}' is alone in its scene, so it is tested against itself, as with --self",
            body.name
        ));
    }
    Ok(())
}

/// Which pairs of triangles are left out.
pub(super) fn ignored(rules: &RuleOptions) -> IgnoredContacts {
    if rules.ignore_rest_contacts { IgnoredContacts::AtRest } else { IgnoredContacts::None }
}
