//! What `check` writes for programs: JSON, and CSV of samples and of contacts over time.

use std::io;
use std::path::Path;

use super::Failure;
use super::output::{Output, failed};
use crate::check::{CheckResult, CheckSample, JsonWriter, SampledContact, checked_bodies};
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

/// One line per contact over time.
pub(super) struct IntervalsReport {
    writer: csv::Writer<Output>,
}

impl IntervalsReport {
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        Ok(Self { writer: csv::Writer::from_writer(Output::create(path)?) })
    }

    pub(super) fn write(mut self, result: &CheckResult) -> Result<(), Failure> {
        self.row(INTERVAL_COLUMNS)?;
        for contact in &result.contacts {
            let [a, b] = contact.bodies.map(|body| result.bodies[body as usize].name.as_str());
            let [p, q] = contact.triangles;
            let frame = |time: f64| result.fps.map(|fps| time * fps);
            let ends = (contact.begin, contact.end, frame(contact.begin), frame(contact.end));
            self.row((a, p, b, q, ends, contact.is_open, contact.is_clipped, contact.is_undecided))?;
        }
        finish(self.writer)
    }

    fn row(&mut self, row: impl serde::Serialize) -> Result<(), Failure> {
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
