//! What `check` tells: a summary for people, JSON and CSV for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::intervals::Intervals;
use super::output::Output;
use super::table::{grouped, table};
use super::{Failure, bold};
use crate::id::BodyId;
use crate::io::Scene;
use crate::stats::Stats;
use crate::world::Contact;

/// What is to be said where no pair of bodies is tested.
pub(super) const NOTHING_TESTED: &str = "no pair of bodies is tested: all are excluded, and none is tested against itself; \
     remove an [[exclude]], or test bodies against themselves with --self";

/// The number of the scene's body that a world's body is.
pub(super) fn number_of(id: BodyId, ids: &[BodyId]) -> usize {
    ids.iter().position(|&other| other == id).unwrap_or(usize::MAX)
}

/// What happened between two bodies.
#[derive(Default)]
struct PairSummary {
    first: Option<f64>,
    samples: usize,
    most: usize,
    most_at: f64,
}

/// Contacts by pair of bodies.
pub(super) struct Summary {
    names: Vec<String>,
    ids: Vec<BodyId>,
    pairs: BTreeMap<(usize, usize), PairSummary>,
}

impl Summary {
    pub(super) fn new(scene: &Scene, ids: &[BodyId]) -> Self {
        let count = scene.bodies.len();
        let watched = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
        let pairs = watched
            .filter(|&(a, b)| if a == b { scene.bodies[a].self_contact } else { true })
            .filter(|&(a, b)| !scene.excluded.contains(&[a, b]))
            .map(|pair| (pair, PairSummary::default()))
            .collect();
        let names = scene.bodies.iter().map(|body| body.name.clone()).collect();
        Self { names, ids: ids.to_vec(), pairs }
    }

    /// Adds the contacts of one sample; they come sorted by pair of bodies.
    pub(super) fn add(&mut self, time: f64, contacts: &[Contact]) {
        for group in contacts.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
            let pair = (number_of(group[0].a, &self.ids), number_of(group[0].b, &self.ids));
            let summary = self.pairs.entry(pair).or_default();
            summary.first.get_or_insert(time);
            summary.samples += 1;
            if group.len() > summary.most {
                (summary.most, summary.most_at) = (group.len(), time);
            }
        }
    }

    /// Whether no pair of bodies is tested at all.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn any_contact(&self) -> bool {
        self.pairs.values().any(|pair| pair.first.is_some())
    }

    pub(super) fn text(
        &self,
        scene: &Path,
        times: &[f64],
        is_still: bool,
        intervals: Option<&Intervals>,
        stats: &Stats,
        cost: &str,
    ) -> String {
        let mut text = String::new();
        let (first, last) = (times.first().unwrap_or(&0.0), times.last().unwrap_or(&0.0));
        let looked = if is_still {
            "nothing moves, so this holds at any time".into()
        } else {
            format!("{} samples from {first} s to {last} s", grouped(times.len() as u64))
        };
        let head = format!("{} bodies, {} triangles, {looked}", stats.bodies, grouped(stats.triangles as u64));
        let _ = writeln!(text, "{}", bold(&format!("{}: ", scene.display()), &head));
        let rows: Vec<Vec<String>> = match intervals {
            Some(intervals) => self.pairs.keys().map(|&pair| self.interval_row(pair, intervals)).collect(),
            None if is_still => self.pairs.iter().map(|(&pair, summary)| self.still_row(pair, summary)).collect(),
            None => self.pairs.iter().map(|(&(a, b), pair)| self.row(a, b, pair, times.len())).collect(),
        };
        if rows.is_empty() {
            let _ = writeln!(text, "\n{NOTHING_TESTED}\n");
        } else {
            let headings: &[&str] = match intervals {
                Some(_) => &["pair", "first contact", "time in contact", "intervals", "most touching pairs", "at"],
                None if is_still => &["pair", "touching pairs of triangles"],
                None => &["pair", "first contact", "samples in contact", "most touching pairs", "at"],
            };
            let _ = writeln!(text, "\n{}", table(headings, &rows));
        }
        let _ = writeln!(text, "{cost}");
        if let Some(undecided) = intervals.map(Intervals::undecided).filter(|&count| count > 0) {
            let _ = writeln!(text, "{} intervals are undecided and reported as contact", grouped(undecided as u64));
        }
        text
    }

    fn interval_row(&self, (a, b): (usize, usize), intervals: &Intervals) -> Vec<String> {
        let name = format!("{} - {}", self.names[a], self.names[b]);
        let summary = intervals.summary((a, b));
        let Some(first) = summary.first else {
            return vec![name, "none".into(), String::new(), "0".into(), String::new(), String::new()];
        };
        vec![
            name,
            format!("{first:.6} s"),
            format!("{:.6} s", summary.total),
            grouped(summary.count as u64),
            grouped(summary.most as u64),
            format!("{:.6} s", summary.most_at),
        ]
    }

    fn still_row(&self, (a, b): (usize, usize), pair: &PairSummary) -> Vec<String> {
        let count = if pair.most == 0 { "none".into() } else { grouped(pair.most as u64) };
        vec![format!("{} - {}", self.names[a], self.names[b]), count]
    }

    fn row(&self, a: usize, b: usize, pair: &PairSummary, samples: usize) -> Vec<String> {
        let name = format!("{} - {}", self.names[a], self.names[b]);
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

    pub(super) fn add(&mut self, time: f64, contacts: &[Contact], ids: &[BodyId]) -> Result<(), Failure> {
        let name = |id| self.scene.bodies[number_of(id, ids)].name.as_str();
        let pairs = contacts
            .iter()
            .map(|contact| JsonPair {
                a: name(contact.a),
                triangle_a: contact.triangle_a,
                b: name(contact.b),
                triangle_b: contact.triangle_b,
            })
            .collect();
        let before = if std::mem::take(&mut self.is_first) { "\n" } else { ",\n" };
        self.json(before, &JsonSample { time, pairs })
    }

    pub(super) fn finish(mut self, intervals: Option<&Intervals>, stats: &Stats) -> Result<(), Failure> {
        self.text("\n]")?;
        if let Some(intervals) = intervals {
            self.text(",\n\"intervals\": [")?;
            for (place, row) in intervals.rows(self.scene).iter().enumerate() {
                self.json(if place == 0 { "\n" } else { ",\n" }, row)?;
            }
            self.text("\n]")?;
        }
        self.json(",\n\"stats\": ", stats)?;
        self.text("}\n")?;
        self.output.finish()
    }
}

/// One line per touching pair and sample.
pub(super) struct CsvReport {
    writer: csv::Writer<Output>,
}

impl CsvReport {
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let mut report = Self { writer: csv::Writer::from_writer(Output::create(path)?) };
        let written = report.writer.write_record(["time", "a", "triangle_a", "b", "triangle_b"]);
        written.map_err(|error| report.failed(error))?;
        Ok(report)
    }

    pub(super) fn add(
        &mut self,
        time: f64,
        contacts: &[Contact],
        scene: &Scene,
        ids: &[BodyId],
    ) -> Result<(), Failure> {
        for contact in contacts {
            let name = |id| scene.bodies[number_of(id, ids)].name.as_str();
            let line = (time, name(contact.a), contact.triangle_a, name(contact.b), contact.triangle_b);
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
