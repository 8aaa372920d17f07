//! What `check` tells: a summary for people, JSON and CSV for programs.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::output::Output;
use super::table::{grouped, table};
use super::{Failure, bold};
use crate::check::{CheckResult, CheckSample, PairSummary, SampledContact};
use crate::incident::TriangleContact;
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

#[derive(Serialize)]
struct JsonBody<'a> {
    name: &'a str,
    triangles: usize,
}

#[derive(Serialize)]
struct JsonSample<'a> {
    time: f64,
    pairs: Vec<JsonPair<'a>>,
}

#[derive(Serialize)]
struct JsonPair<'a> {
    a: &'a str,
    triangle_a: u32,
    b: &'a str,
    triangle_b: u32,
}

/// One pair of triangles in contact; times in seconds, rounded outward.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "these are members of the report")]
struct JsonInterval<'a> {
    a: &'a str,
    triangle_a: u32,
    b: &'a str,
    triangle_b: u32,
    begin: f64,
    end: f64,
    /// The contact does not exist at `begin` itself: a jump at that time caused it.
    open_begin: bool,
    /// The contact does not exist at `end` itself: a loop jumped into its first round at that time.
    open_end: bool,
    /// The contact existed when the span began.
    clipped_begin: bool,
    /// The contact still existed when the span ended.
    clipped_end: bool,
    undecided: bool,
}

impl<'a> JsonInterval<'a> {
    fn new(contact: &TriangleContact, result: &'a CheckResult) -> Self {
        let name = |body: u32| result.bodies[body as usize].name.as_str();
        Self {
            a: name(contact.bodies[0]),
            triangle_a: contact.triangles[0],
            b: name(contact.bodies[1]),
            triangle_b: contact.triangles[1],
            begin: contact.begin,
            end: contact.end,
            open_begin: contact.is_open[0],
            open_end: contact.is_open[1],
            clipped_begin: contact.is_clipped[0],
            clipped_end: contact.is_clipped[1],
            undecided: contact.is_undecided,
        }
    }
}

/// `kinetree-contacts/1`, written sample by sample.
pub(super) struct JsonReport<'a> {
    output: Output,
    scene: &'a Scene,
    is_first: bool,
}

impl<'a> JsonReport<'a> {
    pub(super) fn create(path: &Path, scene: &'a Scene) -> Result<Self, Failure> {
        let output = Output::create(path)?;
        let bodies: Vec<JsonBody> = scene
            .bodies
            .iter()
            .map(|body| JsonBody { name: &body.name, triangles: body.mesh.triangles.len() })
            .collect();
        let mut report = Self { output, scene, is_first: true };
        report.json("{\"format\": \"kinetree-contacts/1\",\n\"bodies\": ", &bodies)?;
        report.text(",\n\"samples\": [")?;
        Ok(report)
    }

    fn json(&mut self, before: &str, value: &impl Serialize) -> Result<(), Failure> {
        self.text(before)?;
        serde_json::to_writer(&mut self.output, value).map_err(|error| self.output.failed(&error.into()))
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.output.write_all(text.as_bytes()).map_err(|error| self.output.failed(&error))
    }

    pub(super) fn add(&mut self, sample: &CheckSample<'_>) -> Result<(), Failure> {
        let name = |body: u32| self.scene.bodies[body as usize].name.as_str();
        let pair = |&SampledContact { bodies: [a, b], triangles: [triangle_a, triangle_b], .. }: &_| JsonPair {
            a: name(a),
            triangle_a,
            b: name(b),
            triangle_b,
        };
        let pairs = sample.contacts.iter().map(pair).collect();
        let before = if std::mem::take(&mut self.is_first) { "\n" } else { ",\n" };
        self.json(before, &JsonSample { time: sample.time, pairs })
    }

    pub(super) fn finish(mut self, result: &CheckResult) -> Result<(), Failure> {
        self.text("\n]")?;
        if result.is_over_time {
            self.text(",\n\"intervals\": [")?;
            for (place, contact) in result.contacts.iter().enumerate() {
                let row = JsonInterval::new(contact, result);
                self.json(if place == 0 { "\n" } else { ",\n" }, &row)?;
            }
            self.text("\n]")?;
        }
        self.json(",\n\"stats\": ", &result.stats)?;
        self.text("}\n")?;
        self.output.finish()
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
        self.writer.flush().map_err(|error| self.writer.get_ref().failed(&error))?;
        // Nothing is left to write, so nothing can fail.
        self.writer.into_inner().map_err(|error| Failure::Output(error.to_string()))?.finish()
    }

    fn failed(&self, error: csv::Error) -> Failure {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        };
        self.writer.get_ref().failed(&error)
    }
}
