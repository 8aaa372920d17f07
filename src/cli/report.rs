//! What `check` tells: a summary for people, JSON and CSV for programs.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use super::incidents::incidents;
use super::output::{Output, failed};
use super::table::{grouped, table};
use super::{Failure, bold};
use crate::check::{CheckResult, CheckSample, JsonWriter, PairSummary, SampledContact, checked_bodies};
use crate::io::Scene;

/// What is to be said where no pair of bodies is tested.
pub(super) const NOTHING_TESTED: &str = "no pair of bodies is tested: all are excluded, and none is tested against itself; \
     remove an [[exclude]], or test bodies against themselves with --self";

/// A summary for people.
pub(super) fn summary(scene: &Path, result: &CheckResult, cost: &str) -> String {
    let mut text = String::new();
    let (first, last) = (result.times.first().unwrap_or(&0.0), result.times.last().unwrap_or(&0.0));
    let looked = if result.is_still {
        "nothing moves, so this holds at any time".into()
    } else {
        format!("{} samples from {first} s to {last} s", grouped(result.times.len() as u64))
    };
    let triangles: usize = result.bodies.iter().map(|body| body.triangles).sum();
    let head = format!("{} bodies, {} triangles, {looked}", result.bodies.len(), grouped(triangles as u64));
    let _ = writeln!(text, "{}", bold(&format!("{}: ", scene.display()), &head));
    let row = match result {
        CheckResult { is_over_time: true, .. } => interval_row,
        CheckResult { is_still: true, .. } => still_row,
        _ => sample_row,
    };
    let rows: Vec<Vec<String>> = result.pairs.iter().map(|pair| row(pair, result)).collect();
    if rows.is_empty() {
        let _ = writeln!(text, "\n{NOTHING_TESTED}\n");
    } else {
        let headings: &[&str] = match result {
            CheckResult { is_over_time: true, .. } => {
                &["pair", "first contact", "time in contact", "intervals", "most touching pairs", "at"]
            }
            CheckResult { is_still: true, .. } => &["pair", "touching pairs of triangles"],
            _ => &["pair", "first contact", "samples in contact", "most touching pairs", "at"],
        };
        let _ = writeln!(text, "\n{}", table(headings, &rows));
    }
    text += &incidents(result);
    let _ = writeln!(text, "{cost}");
    let undecided = result.undecided();
    if undecided > 0 {
        let _ = writeln!(text, "{} intervals are undecided and reported as contact", grouped(undecided as u64));
    }
    text
}

fn name(pair: &PairSummary, result: &CheckResult) -> String {
    let [a, b] = pair.bodies.map(|body| &result.bodies[body as usize].name);
    format!("{a} - {b}")
}

fn interval_row(pair: &PairSummary, result: &CheckResult) -> Vec<String> {
    let name = name(pair, result);
    let Some(first) = pair.first else {
        return vec![name, "none".into(), String::new(), "0".into(), String::new(), String::new()];
    };
    vec![
        name,
        format!("{first:.6} s"),
        format!("{:.6} s", pair.seconds),
        grouped(pair.contacts as u64),
        grouped(pair.most as u64),
        format!("{:.6} s", pair.most_at),
    ]
}

fn still_row(pair: &PairSummary, result: &CheckResult) -> Vec<String> {
    let count = if pair.most == 0 { "none".into() } else { grouped(pair.most as u64) };
    vec![name(pair, result), count]
}

fn sample_row(pair: &PairSummary, result: &CheckResult) -> Vec<String> {
    let (name, samples) = (name(pair, result), result.times.len());
    let Some(first) = pair.first else {
        return vec![name, "none".into(), format!("0 of {samples}"), String::new(), String::new()];
    };
    vec![
        name,
        format!("{first:.4} s"),
        format!("{} of {samples}", pair.samples),
        grouped(pair.most as u64),
        format!("{:.4} s", pair.most_at),
    ]
}

/// `kinetree-contacts/1`, written sample by sample.
pub(super) struct JsonReport {
    writer: JsonWriter<Output>,
}

impl JsonReport {
    pub(super) fn create(path: &Path, scene: &Scene) -> Result<Self, Failure> {
        let output = Output::create(path)?;
        let name = output.name().to_owned();
        let writer = JsonWriter::new(output, &checked_bodies(scene)).map_err(|error| failed(&name, &error))?;
        Ok(Self { writer })
    }

    pub(super) fn add(&mut self, sample: &CheckSample<'_>) -> Result<(), Failure> {
        let written = self.writer.sample(sample.time, sample.contacts);
        written.map_err(|error| failed(self.writer.get_ref().name(), &error))
    }

    pub(super) fn finish(self, result: &CheckResult) -> Result<(), Failure> {
        let name = self.writer.get_ref().name().to_owned();
        self.writer.finish(result, true).map_err(|error| failed(&name, &error))?.finish()
    }
}

/// One line per touching pair and sample.
pub(super) struct CsvReport<'a> {
    scene: &'a Scene,
    writer: csv::Writer<Output>,
}

impl<'a> CsvReport<'a> {
    pub(super) fn create(path: &Path, scene: &'a Scene) -> Result<Self, Failure> {
        let mut report = Self { scene, writer: csv::Writer::from_writer(Output::create(path)?) };
        let written = report.writer.write_record(["time", "a", "triangle_a", "b", "triangle_b"]);
        written.map_err(|error| report.failed(error))?;
        Ok(report)
    }

    pub(super) fn add(&mut self, sample: &CheckSample<'_>) -> Result<(), Failure> {
        for SampledContact { bodies, triangles, .. } in sample.contacts {
            let [a, b] = bodies.map(|body| self.scene.bodies[body as usize].name.as_str());
            let line = (sample.time, a, triangles[0], b, triangles[1]);
            self.writer.serialize(line).map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| failed(self.writer.get_ref().name(), &error))?;
        // Nothing is left to write, so nothing can fail.
        self.writer.into_inner().map_err(|error| Failure::Output(error.to_string()))?.finish()
    }

    fn failed(&self, error: csv::Error) -> Failure {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        };
        failed(self.writer.get_ref().name(), &error)
    }
}
