//! The part of `kinetree check` that pipelines read: baselines, thresholds, JUnit, annotations, CSV
//! of incidents, exit status.

use std::io::{self, Write};
use std::path::Path;

use super::args::{CheckOptions, EngineName};
use super::output::{Output, is_standard, say, unread, warn};
use super::summary::NOTHING_TESTED;
use super::table::{counted, grouped};
use super::{Failure, Status, tell};
use crate::check::{
    BaselineChoice, CheckEnding, CheckResult, Gate, github_annotations, is_still, junit_xml, read_baseline,
};
use crate::incident::Thresholds;
use crate::io::Scene;

/// What is to be said where no time is sampled, and contacts over time are not asked for.
const NO_SAMPLE: &str = "no sample lies in the part that was asked for, so nothing is tested; widen --span or \
     --frames, give more samples with --fps or --times, or leave out --intervals=false and --engine";

/// The baseline that the options name, and whether they make sense together.
pub(super) fn baseline(options: &CheckOptions, scene: &Scene) -> Result<BaselineChoice, Failure> {
    for thresholds in &options.fail_on {
        if thresholds.needs_frames() && options.fps.or(scene.fps).is_none() {
            let reason = "frames cannot be counted without a frame rate; give --fps";
            return Err(Failure::Input(format!("--fail-on {thresholds}: {reason}")));
        }
        if thresholds.needs_baseline() && options.baseline.is_none() {
            let reason = "without a baseline all incidents are new; give --baseline start, rest or a file";
            return Err(Failure::Input(format!("--fail-on {thresholds}: {reason}")));
        }
    }
    options.baseline.as_deref().map_or(Ok(BaselineChoice::None), |path| baseline_of(path, scene))
}

/// The file that a word of `--baseline` names, if it names one.
pub(super) fn baseline_file(word: &Path) -> Option<&Path> {
    (!matches!(word.to_str(), Some("start" | "rest"))).then_some(word)
}

/// The baseline that a word of `--baseline` names.
pub(super) fn baseline_of(path: &Path, scene: &Scene) -> Result<BaselineChoice, Failure> {
    match path.to_str() {
        Some("start") => Ok(BaselineChoice::Start),
        Some("rest") => Ok(BaselineChoice::Rest),
        _ => read_baseline(path, scene).map_err(|error| {
            let remedy = "give start, rest, or a file that `kinetree check --json FILE` wrote";
            Failure::Input(format!("--baseline: cannot use {}", unread(path, &error, remedy)))
        }),
    }
}

/// Files of incidents, opened before the run.
pub(super) struct GateFiles {
    junit: Option<Output>,
    csv: Option<csv::Writer<Output>>,
}

impl GateFiles {
    pub(super) fn create(options: &CheckOptions) -> Result<Self, Failure> {
        let open = |path: &Option<std::path::PathBuf>| path.as_deref().map(Output::create).transpose();
        Ok(Self { junit: open(&options.junit)?, csv: open(&options.incidents_csv)?.map(csv::Writer::from_writer) })
    }

    /// Writes the files and annotations of a result, and returns the status that the program ends
    /// with. Those of a check that was interrupted say so.
    pub(super) fn finish(self, options: &CheckOptions, result: &CheckResult) -> Result<Status, Failure> {
        refuse_incidents(options, result.is_over_time || result.is_still)?;
        let scene = options.source.title().display().to_string();
        let gate = Gate::new(&scene, result, &options.fail_on);
        if !gate.judges_none() {
            tell_unjudged(options, result);
        }
        if let Some(csv) = self.csv {
            write_csv(csv, result)?;
        }
        if let Some(mut output) = self.junit {
            output.write_all(junit_xml(&gate).as_bytes()).map_err(|error| output.failed(&error))?;
            output.finish()?;
        }
        if options.github {
            let file = options.source.file().display().to_string();
            let text = github_annotations(&Gate::new(&file, result, &options.fail_on));
            if is_stdout_taken(options) { warn(&text) } else { say(&text)? }
        }
        if result.ending == CheckEnding::Cancelled {
            return Ok(Status::Interrupted);
        }
        if options.fail_on.is_empty() {
            return Ok(Status::Answered);
        }
        if let Some(why) = untested(result) {
            tell("error: ", &format!("{}: {why}", options.source.title().display()));
            return Ok(Status::NothingTested);
        }
        let found = gate.failures().count();
        let has_failed = found > 0 || (result.has_contacts() && options.fail_on.iter().any(Thresholds::is_any_contact));
        if !has_failed && gate.judges_none() {
            tell("error: ", &format!("{scene}: {}", judges_none(options, result)));
            return Ok(Status::NothingTested);
        }
        if has_failed && !options.quiet {
            tell("found: ", &reason(options, result, found));
        }
        Ok(if has_failed { Status::Found } else { Status::Answered })
    }
}

/// Why nothing was tested; `None` where something was.
fn untested(result: &CheckResult) -> Option<&'static str> {
    if result.tested.is_empty() {
        return Some(NOTHING_TESTED);
    }
    let is_sampled = result.is_over_time || !result.times.is_empty();
    if is_sampled { None } else { Some(NO_SAMPLE) }
}

/// Why a gate fails: `--fail-on new: 2 of 10 incidents`.
fn reason(options: &CheckOptions, result: &CheckResult, found: usize) -> String {
    let conditions = conditions(options);
    match result.incidents.len() as u64 {
        0 => format!("{conditions}: there are contacts"),
        all => format!("{conditions}: {} of {}", grouped(found as u64), counted(all, "incident", "incidents")),
    }
}

/// All that `--fail-on` names, as it was given.
fn conditions(options: &CheckOptions) -> String {
    let conditions: Vec<String> = options.fail_on.iter().map(|wanted| format!("--fail-on {wanted}")).collect();
    conditions.join(", ")
}

/// Why incidents lack what a condition compares.
const NOT_MEASURED: &str = "no depth and no crossing curve, as with spheres, points or segments, or where contact \
     is by thickness alone";

/// What to give besides.
const JUDGES_ALL: &str = "add --fail-on with contacts, time, frames or pairs";

/// Why a gate that found nothing does not pass.
fn judges_none(options: &CheckOptions, result: &CheckResult) -> String {
    let all = counted(result.incidents.len() as u64, "incident", "incidents");
    format!("{}: judges none of {all}: {NOT_MEASURED}; {JUDGES_ALL}", conditions(options))
}

/// Says of each `--fail-on` how many incidents lack what it compares: these cannot fail by it.
fn tell_unjudged(options: &CheckOptions, result: &CheckResult) {
    for thresholds in &options.fail_on {
        let gate = Gate::new("", result, std::slice::from_ref(thresholds));
        let unjudged = result.incidents.iter().filter(|incident| !gate.judges(incident)).count();
        if unjudged > 0 {
            let all = counted(result.incidents.len() as u64, "incident", "incidents");
            let unjudged = grouped(unjudged as u64);
            let text = format!("does not judge {unjudged} of {all}: {NOT_MEASURED}; {JUDGES_ALL}");
            tell("note: ", &format!("--fail-on {thresholds}: {text}"));
        }
    }
}

/// Whether contacts over time are asked for, which incidents are found in.
pub(super) fn is_over_time(options: &CheckOptions) -> bool {
    options.intervals.unwrap_or(matches!(options.engine, EngineName::Auto | EngineName::Kinetic))
}

/// Refuses contacts over time of an engine that has none; told by the arguments alone.
pub(super) fn refuse_engine(options: &CheckOptions) -> Result<(), Failure> {
    if options.intervals != Some(true) || matches!(options.engine, EngineName::Auto | EngineName::Kinetic) {
        return Ok(());
    }
    let engine = crate::world::Engine::from(options.engine);
    let reason = format!("contacts over time need the engine 'auto' or 'kinetic', and '{engine}' tests samples only");
    Err(Failure::Input(format!("--intervals: {reason}; leave out --intervals or --engine")))
}

/// Refuses what a check that ends at the first contact, or leaves incidents out, cannot tell; told
/// by the arguments alone.
pub(super) fn refuse_left_out(options: &CheckOptions) -> Result<(), Failure> {
    let reason = match options {
        CheckOptions { first: true, .. } => {
            "--first stops at the first contact, so that incidents after it are not known"
        }
        CheckOptions { no_incidents: true, .. } => "--no-incidents leaves incidents out, so that they are not known",
        _ => return Ok(()),
    };
    let refused = |option| Err(Failure::Input(format!("{option}: {reason}; leave out one of the two")));
    about_incidents(options).map_or(Ok(()), refused)
}

/// Refuses what is asked of incidents where only samples are taken, before the run: there are none,
/// so that a gate would pass. Where nothing moves, a sample is all there is.
pub(super) fn refuse_samples(options: &CheckOptions, scene: &Scene) -> Result<(), Failure> {
    let samples = options.times.as_ref().map_or(1, Vec::len);
    refuse_incidents(options, is_over_time(options) || (is_still(scene) && samples == 1))
}

/// Refuses what is asked of incidents, unless they are found.
fn refuse_incidents(options: &CheckOptions, are_found: bool) -> Result<(), Failure> {
    let baseline = options.baseline.as_ref().map(|_| "--baseline");
    match about_incidents(options).or(baseline).filter(|_| !are_found) {
        Some(option) => {
            let remedy = "leave out --intervals=false, and use the engine auto or kinetic";
            Err(Failure::Input(format!("{option}: incidents need contacts over time; {remedy}")))
        }
        None => Ok(()),
    }
}

/// The first option that asks about all incidents.
fn about_incidents(options: &CheckOptions) -> Option<&'static str> {
    let asked = [
        ("--fail-on, other than contacts", options.fail_on.iter().any(|thresholds| !thresholds.is_any_contact())),
        ("--junit", options.junit.is_some()),
        ("--github", options.github),
        ("--incidents-csv", options.incidents_csv.is_some()),
    ];
    asked.into_iter().find(|&(_, is_asked)| is_asked).map(|(option, _)| option)
}

/// Whether a result goes to standard output.
pub(super) fn is_stdout_taken(options: &CheckOptions) -> bool {
    let CheckOptions { report, json, csv, csv_intervals, incidents_csv, junit, .. } = options;
    let files = [report, json, csv, csv_intervals, incidents_csv, junit];
    files.into_iter().flatten().any(|path: &std::path::PathBuf| is_standard(Path::new(path)))
}

/// Columns of the CSV of incidents.
const COLUMNS: [&str; 30] = [
    "incident",
    "a",
    "b",
    "new",
    "begin",
    "end",
    "open_begin",
    "open_end",
    "clipped_begin",
    "clipped_end",
    "first_frame",
    "last_frame",
    "frames",
    "worst_time",
    "depth",
    "severity",
    "length",
    "area",
    "x",
    "y",
    "z",
    "pairs",
    "most_pairs",
    "new_pairs",
    "undecided",
    "triangles_a",
    "triangles_b",
    "parts_a",
    "parts_b",
    "contacts",
];

/// Writes the incidents, one per line, the most severe first. Those of a check that was interrupted
/// are not written: no line could say that others may be missing.
fn write_csv(mut writer: csv::Writer<Output>, result: &CheckResult) -> Result<(), Failure> {
    if result.ending == CheckEnding::Cancelled {
        let remedy = "check again, or write parts with -o, and `kinetree merge --scene` finds the incidents of all";
        let name = writer.get_ref().name();
        tell("note: ", &format!("--incidents-csv: {name} is not written, as the check was interrupted; {remedy}"));
        return Ok(());
    }
    let written = writer.write_record(COLUMNS).and_then(|()| {
        result.incident_rows().try_for_each(|row| {
            let (when, whether) = ((row.begin, row.end), (row.open_begin, row.open_end));
            let clipped = (row.clipped_begin, row.clipped_end);
            let frames = (row.first_frame, row.last_frame, row.frames, row.worst_time);
            let measures = (row.depth, row.severity, row.length, row.area, row.centre);
            let counts =
                (row.pairs, row.most_pairs, row.new_pairs, row.undecided, row.triangles_a.len(), row.triangles_b.len());
            let parts = [&row.parts_a, &row.parts_b].map(|parts| parts.all().collect::<Vec<_>>().join(";"));
            let ends = (parts, row.contacts.len());
            writer.serialize((
                (row.number, row.a, row.b, row.is_new),
                when,
                whether,
                clipped,
                frames,
                measures,
                counts,
                ends,
            ))
        })
    });
    if let Err(error) = written {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        };
        return Err(writer.get_ref().failed(&error));
    }
    writer.flush().map_err(|error| writer.get_ref().failed(&error))?;
    // Nothing is left to write, so nothing can fail.
    writer.into_inner().map_err(|error| Failure::Output(error.to_string()))?.finish()
}
