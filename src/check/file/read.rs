//! Result files read back.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{FORMAT, FileSample, ResultFile, ResultFileError};
use crate::check::contacts::compare;
use crate::check::run::sum_up;
use crate::check::{
    CheckEnding, CheckIdentity, CheckResult, CheckedBody, SampledContact, SamplingDeviation, Stretches,
};
use crate::incident::{NamedPart, PartNames, TriangleContact};
use crate::io::excerpt;

#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
}

#[derive(Deserialize)]
struct File<'a> {
    bodies: Vec<Body>,
    #[serde(borrow)]
    samples: Vec<Sample<'a>>,
    #[serde(borrow, default)]
    intervals: Option<Vec<Interval<'a>>>,
    span: Option<[f64; 2]>,
    fps: Option<f64>,
    tested: Option<Vec<[String; 2]>>,
    identity: Option<Identity>,
    stretches: Option<StretchesJson>,
    part: Option<Part>,
    #[serde(default)]
    still: bool,
}

#[derive(Deserialize)]
struct Body {
    name: String,
    triangles: usize,
    #[serde(default)]
    reduced: bool,
    deviation: Option<Deviation>,
    #[serde(default)]
    parts: Vec<NamedTriangles>,
}

#[derive(Deserialize)]
struct NamedTriangles {
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    materials: Vec<String>,
    #[serde(default)]
    joints: Vec<String>,
    triangles: Vec<[u32; 2]>,
}

#[derive(Deserialize)]
struct Deviation {
    bound: Option<f64>,
    measured: f64,
}

#[derive(Deserialize)]
struct Sample<'a> {
    time: f64,
    #[serde(borrow)]
    pairs: Vec<Pair<'a>>,
}

#[derive(Deserialize)]
struct Pair<'a> {
    #[serde(borrow)]
    a: Cow<'a, str>,
    triangle_a: u32,
    #[serde(borrow)]
    b: Cow<'a, str>,
    triangle_b: u32,
}

#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "these are members of the format")]
struct Interval<'a> {
    #[serde(borrow, flatten)]
    pair: Pair<'a>,
    begin: f64,
    end: f64,
    #[serde(default)]
    open_begin: bool,
    #[serde(default)]
    open_end: bool,
    clipped_begin: bool,
    clipped_end: bool,
    undecided: bool,
}

#[derive(Deserialize)]
struct Identity {
    bodies: Vec<String>,
    rules: String,
    sampling: String,
}

#[derive(Deserialize)]
struct StretchesJson {
    cuts: Vec<f64>,
    bodies: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Part {
    of: [f64; 2],
    ending: String,
}

/// Reads a result file. Memory is some times the file's size.
///
/// # Errors
/// A file that cannot be read, is not of this format, or contradicts itself.
pub fn read_result(path: impl AsRef<Path>) -> Result<ResultFile, ResultFileError> {
    let text = std::fs::read_to_string(path).map_err(|error| ResultFileError::Read { message: error.to_string() })?;
    parse_result(&text)
}

/// Reads the text of a result file.
///
/// # Errors
/// As [`read_result`], apart from reading the file.
pub fn parse_result(text: &str) -> Result<ResultFile, ResultFileError> {
    let json = |error: serde_json::Error| ResultFileError::Json { message: excerpt(&error.to_string()) };
    let header: Header<'_> = serde_json::from_str(text).map_err(json)?;
    if header.format != FORMAT {
        return Err(ResultFileError::Format { found: excerpt(&header.format) });
    }
    let file: File<'_> = serde_json::from_str(text).map_err(json)?;
    let names = Names::new(&file.bodies)?;
    let mut samples = Vec::with_capacity(file.samples.len());
    let mut last = f64::NEG_INFINITY;
    for (index, sample) in file.samples.iter().enumerate() {
        if !(sample.time > last && sample.time.is_finite()) {
            let why = "its time does not come after the time of the sample before";
            return Err(ResultFileError::Inconsistent { member: "samples", index, why });
        }
        last = sample.time;
        let contacts = sample.pairs.iter().map(|pair| names.pair(pair, "samples")).collect::<Result<_, _>>()?;
        samples.push(FileSample { time: sample.time, contacts });
    }
    let mut contacts = Vec::new();
    for (index, interval) in file.intervals.iter().flatten().enumerate() {
        if interval.begin > interval.end {
            let why = "it ends before it begins";
            return Err(ResultFileError::Inconsistent { member: "intervals", index, why });
        }
        let SampledContact { bodies, triangles } = names.pair(&interval.pair, "intervals")?;
        contacts.push(TriangleContact {
            bodies,
            triangles,
            begin: interval.begin,
            end: interval.end,
            is_open: [interval.open_begin, interval.open_end],
            is_clipped: [interval.clipped_begin, interval.clipped_end],
            is_undecided: interval.undecided,
        });
    }
    contacts.sort_by(compare);
    let times: Vec<f64> = samples.iter().map(|sample| sample.time).collect();
    let ends = [times.first(), times.last()].map(|time| time.copied().unwrap_or(0.0));
    let span = file.span.unwrap_or(ends);
    let tested = match &file.tested {
        Some(tested) => tested
            .iter()
            .map(|[a, b]| Ok([names.number(a, "tested")?, names.number(b, "tested")?]))
            .collect::<Result<Vec<_>, ResultFileError>>()?,
        None => all_pairs(&contacts, &samples),
    };
    let mut result = CheckResult {
        tested,
        span,
        whole: file.part.as_ref().map_or(span, |part| part.of),
        fps: file.fps,
        times,
        is_over_time: file.intervals.is_some() && !file.still,
        is_still: file.still,
        ending: file.part.as_ref().map_or(Ok(CheckEnding::Complete), ending)?,
        contacts,
        identity: file.identity.as_ref().map(identity).transpose()?,
        stretches: file.stretches.map_or_else(|| Ok(Stretches::default()), stretches)?,
        ..CheckResult::default()
    };
    let body = |(index, body): (usize, Body)| {
        let Body { name, triangles, reduced: is_reduced, deviation, parts } = body;
        let deviation = deviation.map(|Deviation { bound, measured }| SamplingDeviation::new(bound, measured));
        Ok(CheckedBody { name, triangles, is_reduced, deviation, parts: named(parts, triangles, index)? })
    };
    if let Some(identity) = &result.identity
        && identity.bodies.len() != file.bodies.len()
    {
        let why = "it has fingerprints of another number of bodies";
        return Err(ResultFileError::Inconsistent { member: "identity.bodies", index: identity.bodies.len(), why });
    }
    result.bodies = file.bodies.into_iter().enumerate().map(body).collect::<Result<_, ResultFileError>>()?;
    result.pairs = sum_up(&result, samples.iter().map(|sample| (sample.time, &sample.contacts[..])));
    Ok(ResultFile { result, samples, has_incidents: false })
}

/// Numbers of bodies by name.
struct Names<'a> {
    numbers: BTreeMap<&'a str, u32>,
    bodies: &'a [Body],
}

impl<'a> Names<'a> {
    fn new(bodies: &'a [Body]) -> Result<Self, ResultFileError> {
        let mut numbers = BTreeMap::new();
        for (index, body) in bodies.iter().enumerate() {
            if numbers.insert(body.name.as_str(), index as u32).is_some() {
                let why = "another body has its name";
                return Err(ResultFileError::Inconsistent { member: "bodies", index, why });
            }
        }
        Ok(Self { numbers, bodies })
    }

    fn number(&self, name: &str, member: &'static str) -> Result<u32, ResultFileError> {
        let number = self.numbers.get(name).copied();
        number.ok_or_else(|| ResultFileError::Body { member, name: excerpt(name) })
    }

    fn pair(&self, pair: &Pair<'_>, member: &'static str) -> Result<SampledContact, ResultFileError> {
        let bodies = [self.number(&pair.a, member)?, self.number(&pair.b, member)?];
        let triangles = [pair.triangle_a, pair.triangle_b];
        for (body, triangle) in bodies.into_iter().zip(triangles) {
            let Body { name, triangles: count, .. } = &self.bodies[body as usize];
            if triangle as usize >= *count {
                return Err(ResultFileError::Triangle { member, body: excerpt(name), triangle, count: *count });
            }
        }
        Ok(SampledContact { bodies, triangles })
    }
}

/// The parts of the body at a place in the file. No triangle may be in two of them.
fn named(parts: Vec<NamedTriangles>, count: usize, index: usize) -> Result<Vec<NamedPart>, ResultFileError> {
    let refused = |why| ResultFileError::Inconsistent { member: "bodies", index, why };
    let mut all: Vec<[u32; 2]> = parts.iter().flat_map(|part| part.triangles.iter().copied()).collect();
    all.sort_unstable();
    if all.iter().any(|&[first, end]| first >= end || end as usize > count) {
        return Err(refused("triangles of a part are not triangles of the body"));
    }
    if all.windows(2).any(|two| two[0][1] > two[1][0]) {
        return Err(refused("a triangle is in two of its parts"));
    }
    if parts.iter().any(|part| !part.triangles.is_sorted()) {
        return Err(refused("triangles of a part do not increase"));
    }
    let part = |NamedTriangles { groups, materials, joints, triangles }| {
        let names = PartNames { materials, groups, joints };
        NamedPart::new(names, triangles.into_iter().map(|[first, end]: [u32; 2]| first..end).collect())
    };
    Ok(parts.into_iter().map(part).collect())
}

/// Pairs of bodies that touch at all, sorted: files of earlier versions do not say which are
/// tested.
fn all_pairs(contacts: &[TriangleContact], samples: &[FileSample]) -> Vec<[u32; 2]> {
    let sampled = samples.iter().flat_map(|sample| &sample.contacts).map(|contact| contact.bodies);
    let mut pairs: Vec<[u32; 2]> = contacts.iter().map(|contact| contact.bodies).chain(sampled).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn ending(part: &Part) -> Result<CheckEnding, ResultFileError> {
    match part.ending.as_str() {
        "complete" => Ok(CheckEnding::Complete),
        "first_contact" => Ok(CheckEnding::FirstContact),
        "interrupted" => Ok(CheckEnding::Cancelled),
        other => Err(ResultFileError::Json { message: format!("'{}' is not an ending of a part", excerpt(other)) }),
    }
}

fn number(hex: &str) -> Result<u64, ResultFileError> {
    u64::from_str_radix(hex, 16)
        .map_err(|_| ResultFileError::Json { message: format!("'{}' is not a fingerprint", excerpt(hex)) })
}

fn stretches(StretchesJson { cuts, bodies }: StretchesJson) -> Result<Stretches, ResultFileError> {
    let of_body = |body: &Vec<String>| body.iter().map(|hex| number(hex)).collect::<Result<_, _>>();
    Ok(Stretches { cuts, bodies: bodies.iter().map(of_body).collect::<Result<_, _>>()? })
}

fn identity(identity: &Identity) -> Result<CheckIdentity, ResultFileError> {
    Ok(CheckIdentity {
        bodies: identity.bodies.iter().map(|hex| number(hex)).collect::<Result<_, _>>()?,
        rules: number(&identity.rules)?,
        sampling: number(&identity.sampling)?,
    })
}
