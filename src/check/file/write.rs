//! A check as JSON, written sample by sample.

use std::io::{self, Write};

use serde::Serialize;

use super::{FORMAT, NAMED_REVISION, REVISION, ResultFile};
use crate::check::names::PartFinder;
use crate::check::{CheckEnding, CheckError, CheckIdentity, CheckResult, CheckedBody, SampledContact, Stretches};
use crate::incident::{NamedPart, TriangleContact};
use crate::threads;

#[derive(Serialize)]
struct Body<'a> {
    name: &'a str,
    triangles: usize,
    #[serde(skip_serializing_if = "is_false")]
    reduced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<Deviation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part<'a>>,
}

fn body(body: &CheckedBody) -> Body<'_> {
    let &CheckedBody { ref name, triangles, is_reduced: reduced, deviation, ref parts } = body;
    let deviation = deviation.map(|it| Deviation { bound: it.bound, measured: it.measured });
    Body { name, triangles, reduced, deviation, parts: parts.iter().map(part).collect() }
}

/// Triangles of the same names; empty lists are left out.
#[derive(Serialize)]
struct Part<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    groups: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    materials: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    joints: &'a [String],
    triangles: Vec<[u32; 2]>,
}

fn part(NamedPart { names, triangles }: &NamedPart) -> Part<'_> {
    let triangles = triangles.iter().map(|range| [range.start, range.end]).collect();
    Part { groups: &names.groups, materials: &names.materials, joints: &names.joints, triangles }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Serialize)]
struct Deviation {
    bound: Option<f64>,
    measured: f64,
}

#[derive(Serialize)]
struct Sample<'a> {
    time: f64,
    pairs: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    triangle_a: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_a: Option<u32>,
    b: &'a str,
    triangle_b: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_b: Option<u32>,
}

/// One pair of triangles in contact; times in seconds, rounded outward.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "these are members of the format")]
struct Interval<'a> {
    a: &'a str,
    triangle_a: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_a: Option<u32>,
    b: &'a str,
    triangle_b: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_b: Option<u32>,
    begin: f64,
    end: f64,
    open_begin: bool,
    open_end: bool,
    clipped_begin: bool,
    clipped_end: bool,
    undecided: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct Identity {
    bodies: Vec<String>,
    rules: String,
    sampling: String,
}

#[derive(Serialize)]
struct StretchesJson<'a> {
    cuts: &'a [f64],
    bodies: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct PartOf {
    of: [f64; 2],
    ending: &'static str,
}

/// Writes a check as `kinetree-contacts/1`, `docs/formats/contacts.md`. Numbers read back equal the
/// numbers written.
#[derive(Debug)]
pub struct JsonWriter<W: Write> {
    out: W,
    names: Vec<String>,
    parts: PartFinder,
    is_first: bool,
    threads: usize,
}

/// Contacts whose text is held at once.
const ROWS_AT_ONCE: usize = 8192;

impl<W: Write> JsonWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of the writer, here and below.
    pub fn new(out: W, bodies: &[CheckedBody]) -> io::Result<Self> {
        let names = bodies.iter().map(|body| body.name.clone()).collect();
        let mut writer = Self { out, names, parts: PartFinder::new(bodies), is_first: true, threads: 1 };
        let has_names = bodies.iter().any(|body| !body.parts.is_empty());
        let revision = if has_names { NAMED_REVISION } else { REVISION };
        writer.text(&format!("{{\"format\": \"{FORMAT}\",\n\"revision\": {revision}"))?;
        let bodies: Vec<Body<'_>> = bodies.iter().map(body).collect();
        writer.member("bodies", &bodies)?;
        writer.text(",\n\"samples\": [")?;
        Ok(writer)
    }

    /// Formats contacts on several threads; the bytes are the same. One thread without the feature
    /// `rayon`.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The writer inside.
    pub fn get_ref(&self) -> &W {
        &self.out
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    fn member(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        write!(self.out, ",\n\"{name}\": ")?;
        Ok(serde_json::to_writer(&mut self.out, value)?)
    }

    /// Writes what touches at one sampled time. Samples come in order of time.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn sample(&mut self, time: f64, contacts: &[SampledContact]) -> io::Result<()> {
        let name = |body: u32| self.names.get(body as usize).map_or("", String::as_str);
        let pair = |&SampledContact { bodies: [a, b], triangles: [triangle_a, triangle_b] }: &_| Pair {
            a: name(a),
            triangle_a,
            part_a: self.parts.part(a, triangle_a),
            b: name(b),
            triangle_b,
            part_b: self.parts.part(b, triangle_b),
        };
        let pairs = contacts.iter().map(pair).collect();
        let before: &[u8] = if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" };
        // Many small pieces: appended to text they cost half of what the writer asks for each.
        let mut text = before.to_vec();
        serde_json::to_writer(&mut text, &Sample { time, pairs })?;
        self.out.write_all(&text)
    }

    /// The rows of some contacts, with what goes before each.
    fn intervals(&self, contacts: &[TriangleContact], fps: Option<f64>, is_first: bool) -> io::Result<Vec<u8>> {
        let (names, parts) = (&self.names, &self.parts);
        threads::on(self.threads, move || {
            let (mut text, mut outcome) = (Vec::new(), Ok(()));
            let row = |contact: &TriangleContact| serde_json::to_vec(&interval(contact, names, parts, fps));
            threads::map_in_order(contacts, row, |_, row| match row {
                Ok(row) => {
                    text.extend_from_slice(if is_first && text.is_empty() { b"\n" } else { b",\n" });
                    text.extend_from_slice(&row);
                }
                Err(error) => outcome = Err(error),
            });
            outcome.map(|()| text).map_err(io::Error::from)
        })
    }

    /// Writes the rest of the file: incidents and counters only if they are wanted, since joined
    /// parts may have none. Returns the writer.
    ///
    /// # Errors
    /// Those of the writer. [`io::ErrorKind::InvalidInput`] with [`CheckError::ContactsLeftOut`]
    /// for a result without the contacts that were handed over.
    pub fn finish(mut self, result: &CheckResult, with_incidents: bool, with_stats: bool) -> io::Result<W> {
        if result.contacts_left_out {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, CheckError::ContactsLeftOut));
        }
        self.text("\n]")?;
        // Of bodies at rest a sample tells what touches at all times. Other samples lead to no
        // incidents.
        let has_intervals = result.is_over_time || result.is_still;
        if has_intervals {
            self.text(",\n\"intervals\": [")?;
            for (round, contacts) in result.contacts.chunks(ROWS_AT_ONCE).enumerate() {
                let text = self.intervals(contacts, result.fps, round == 0)?;
                self.out.write_all(&text)?;
            }
            self.text("\n]")?;
        }
        if result.is_still {
            self.member("still", &true)?;
        }
        self.member("span", &result.span)?;
        if let Some(fps) = result.fps {
            self.member("fps", &fps)?;
        }
        let tested: Vec<[&str; 2]> =
            result.tested.iter().map(|pair| pair.map(|body| self.names[body as usize].as_str())).collect();
        write!(self.out, ",\n\"tested\": ")?;
        serde_json::to_writer(&mut self.out, &tested)?;
        if let Some(identity) = &result.identity {
            self.member("identity", &Identity::of(identity))?;
        }
        if !result.stretches.cuts.is_empty() {
            self.member("stretches", &StretchesJson::of(&result.stretches))?;
        }
        if result.is_part() {
            self.member("part", &PartOf { of: result.whole, ending: name_of(result.ending) })?;
        }
        if with_incidents && has_intervals {
            self.text(",\n\"incidents\": [")?;
            for (place, row) in result.incident_rows().enumerate() {
                self.text(if place == 0 { "\n" } else { ",\n" })?;
                serde_json::to_writer(&mut self.out, &row)?;
            }
            self.text("\n]")?;
        }
        if with_stats {
            self.member("stats", &result.stats)?;
        }
        self.text("}\n")?;
        Ok(self.out)
    }
}

impl ResultFile {
    /// Writes the file, without counters, and with incidents if they were found. O(bytes).
    ///
    /// # Errors
    /// Those of [`JsonWriter::finish`].
    pub fn write<W: Write>(&self, out: W) -> io::Result<W> {
        let mut writer = JsonWriter::new(out, &self.result.bodies)?;
        for sample in &self.samples {
            writer.sample(sample.time, &sample.contacts)?;
        }
        writer.finish(&self.result, self.has_incidents, false)
    }
}

fn interval<'a>(contact: &TriangleContact, names: &'a [String], parts: &PartFinder, fps: Option<f64>) -> Interval<'a> {
    let name = |body: u32| names.get(body as usize).map_or("", String::as_str);
    Interval {
        a: name(contact.bodies[0]),
        triangle_a: contact.triangles[0],
        part_a: parts.part(contact.bodies[0], contact.triangles[0]),
        b: name(contact.bodies[1]),
        triangle_b: contact.triangles[1],
        part_b: parts.part(contact.bodies[1], contact.triangles[1]),
        begin: contact.begin,
        end: contact.end,
        open_begin: contact.is_open[0],
        open_end: contact.is_open[1],
        clipped_begin: contact.is_clipped[0],
        clipped_end: contact.is_clipped[1],
        undecided: contact.is_undecided,
        frames: fps.map(|fps| [contact.begin * fps, contact.end * fps]),
    }
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

impl Identity {
    fn of(identity: &CheckIdentity) -> Self {
        Self {
            bodies: identity.bodies.iter().copied().map(hex).collect(),
            rules: hex(identity.rules),
            sampling: hex(identity.sampling),
        }
    }
}

impl<'a> StretchesJson<'a> {
    fn of(stretches: &'a Stretches) -> Self {
        let bodies = stretches.bodies.iter().map(|body| body.iter().copied().map(hex).collect()).collect();
        Self { cuts: &stretches.cuts, bodies }
    }
}

fn name_of(ending: CheckEnding) -> &'static str {
    match ending {
        CheckEnding::Complete => "complete",
        CheckEnding::FirstContact => "first_contact",
        CheckEnding::Cancelled => "interrupted",
    }
}
