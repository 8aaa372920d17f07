//! What `check` writes for programs: JSON, and CSV of samples and of contacts over time.

use std::io;
use std::path::Path;

use super::Failure;
use super::output::{Output, failed};
use crate::check::{
    CheckResult, CheckSample, CheckedBody, JsonWriter, PartFinder, SampledContact, checked_bodies, compare_ends,
};
use crate::incident::{PartNames, TriangleContact};
use crate::io::Scene;

/// `kinetree-contacts/1`, written sample by sample.
pub(super) struct JsonReport {
    writer: JsonWriter<Output>,
}

impl JsonReport {
    /// Contacts are formatted on several threads.
    pub(super) fn create(path: &Path, scene: &Scene, threads: usize) -> Result<Self, Failure> {
        let output = Output::create(path)?;
        let name = output.name().to_owned();
        let writer = JsonWriter::new(output, &checked_bodies(scene)).map_err(|error| failed(&name, &error))?;
        Ok(Self { writer: writer.with_threads(threads) })
    }

    pub(super) fn add(&mut self, sample: &CheckSample<'_>) -> Result<(), Failure> {
        let written = self.writer.sample(sample.time, sample.contacts);
        written.map_err(|error| failed(self.writer.get_ref().name(), &error))
    }

    pub(super) fn finish(self, result: &CheckResult) -> Result<(), Failure> {
        let name = self.writer.get_ref().name().to_owned();
        self.writer.finish(result, !result.incidents_left_out, true).map_err(|error| failed(&name, &error))?.finish()
    }
}

/// The names of one kind.
type NamesOfKind = fn(&PartNames) -> &[String];

/// Columns of names, for both sides; of kinds that no body has there are none.
struct NameColumns {
    bodies: Vec<CheckedBody>,
    finder: PartFinder,
    kinds: Vec<(&'static str, NamesOfKind)>,
}

/// Between several names of one kind.
const BETWEEN_NAMES: &str = ";";

impl NameColumns {
    fn new(bodies: Vec<CheckedBody>) -> Self {
        let all: [(&str, NamesOfKind); 3] =
            [("groups", |it| &it.groups), ("materials", |it| &it.materials), ("joints", |it| &it.joints)];
        let has = |of: NamesOfKind| bodies.iter().flat_map(|body| &body.parts).any(|part| !of(&part.names).is_empty());
        let kinds = all.into_iter().filter(|&(_, of)| has(of)).collect();
        Self { finder: PartFinder::new(&bodies), bodies, kinds }
    }

    /// The headings, after those that are always there.
    fn headings(&self) -> Vec<String> {
        ["a", "b"].iter().flat_map(|side| self.kinds.iter().map(move |(kind, _)| format!("{kind}_{side}"))).collect()
    }

    /// The names of the triangles of a contact.
    fn of(&self, bodies: [u32; 2], triangles: [u32; 2]) -> Vec<String> {
        let side = |(body, triangle)| {
            let names = self.finder.names(&self.bodies, body, triangle);
            self.kinds.iter().map(move |(_, of)| names.map_or(String::new(), |names| of(names).join(BETWEEN_NAMES)))
        };
        bodies.into_iter().zip(triangles).flat_map(side).collect()
    }
}

/// One line per touching pair and sample.
pub(super) struct CsvReport {
    names: NameColumns,
    writer: csv::Writer<Output>,
}

impl CsvReport {
    pub(super) fn create(path: &Path, scene: &Scene) -> Result<Self, Failure> {
        let names = NameColumns::new(checked_bodies(scene));
        let mut report = Self { names, writer: csv::Writer::from_writer(Output::create(path)?) };
        let headings = (["time", "a", "triangle_a", "b", "triangle_b"], report.names.headings());
        report.writer.serialize(headings).map_err(|error| report.failed(error))?;
        Ok(report)
    }

    pub(super) fn add(&mut self, sample: &CheckSample<'_>) -> Result<(), Failure> {
        for &SampledContact { bodies, triangles } in sample.contacts {
            let [a, b] = bodies.map(|body| self.names.bodies[body as usize].name.as_str());
            let line = (sample.time, a, triangles[0], b, triangles[1], self.names.of(bodies, triangles));
            self.writer.serialize(line).map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        finish(self.writer)
    }

    fn failed(&self, error: csv::Error) -> Failure {
        csv_failed(&self.writer, error)
    }
}

const INTERVAL_COLUMNS: [&str; 13] = [
    "a",
    "triangle_a",
    "b",
    "triangle_b",
    "begin",
    "end",
    "begin_frame",
    "end_frame",
    "open_begin",
    "open_end",
    "clipped_begin",
    "clipped_end",
    "undecided",
];

/// One line per contact over time, by end.
pub(super) struct IntervalsReport {
    names: NameColumns,
    fps: Option<f64>,
    writer: csv::Writer<Output>,
}

impl IntervalsReport {
    /// `fps` are frames a second, if they are known.
    pub(super) fn create(path: &Path, scene: &Scene, fps: Option<f64>) -> Result<Self, Failure> {
        let names = NameColumns::new(checked_bodies(scene));
        let mut report = Self { names, fps, writer: csv::Writer::from_writer(Output::create(path)?) };
        let headings = (INTERVAL_COLUMNS, report.names.headings());
        report.writer.serialize(headings).map_err(|error| csv_failed(&report.writer, error))?;
        Ok(report)
    }

    /// Writes the contacts that a check hands over.
    pub(super) fn add(&mut self, sample: &CheckSample<'_>) -> Result<(), Failure> {
        sample.handed_over.iter().try_for_each(|contact| self.row(contact))
    }

    /// Writes the contacts that were not handed over.
    pub(super) fn finish(mut self, result: &CheckResult) -> Result<(), Failure> {
        let mut rest: Vec<&TriangleContact> = result.contacts.iter().collect();
        rest.sort_by(|x, y| compare_ends(x, y));
        rest.into_iter().try_for_each(|contact| self.row(contact))?;
        finish(self.writer)
    }

    fn row(&mut self, contact: &TriangleContact) -> Result<(), Failure> {
        let [a, b] = contact.bodies.map(|body| self.names.bodies[body as usize].name.as_str());
        let [p, q] = contact.triangles;
        let frame = |time: f64| self.fps.map(|fps| time * fps);
        let ends = (contact.begin, contact.end, frame(contact.begin), frame(contact.end));
        let own = self.names.of(contact.bodies, contact.triangles);
        let row = (a, p, b, q, ends, contact.is_open, contact.is_clipped, contact.is_undecided, own);
        self.writer.serialize(row).map_err(|error| csv_failed(&self.writer, error))
    }
}

fn finish(mut writer: csv::Writer<Output>) -> Result<(), Failure> {
    writer.flush().map_err(|error| failed(writer.get_ref().name(), &error))?;
    // Nothing is left to write, so nothing can fail.
    writer.into_inner().map_err(|error| Failure::Output(error.to_string()))?.finish()
}

fn csv_failed(writer: &csv::Writer<Output>, error: csv::Error) -> Failure {
    let error = match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    failed(writer.get_ref().name(), &error)
}
