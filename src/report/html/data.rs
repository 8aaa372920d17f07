//! The JSON that describes the page's data; numbers read back equal the numbers written.

use serde::Serialize;

use super::contacts::Columns;
use super::frames::Kept;
use super::positions::Track;
use super::series::Series;
use crate::check::CheckResult;
use crate::incident::Incident;
use crate::io::Scene;

/// All that the page shows.
#[derive(Clone, Debug)]
pub(super) struct Content<'a> {
    pub(super) scene: &'a Scene,
    pub(super) result: &'a CheckResult,
    pub(super) title: &'a str,
    /// Axis that the view shows upright.
    pub(super) up: usize,
    pub(super) kept: Kept,
    pub(super) tracks: Vec<Track>,
    pub(super) contacts: Columns,
    pub(super) series: Series,
}

#[derive(Serialize)]
struct Data<'a> {
    format: &'static str,
    version: &'static str,
    title: &'a str,
    span: [f64; 2],
    fps: Option<f64>,
    up: usize,
    frames: Frames<'a>,
    bodies: Vec<Body<'a>>,
    tested: &'a [[u32; 2]],
    contacts: Contacts<'a>,
    incidents: Vec<IncidentRow<'a>>,
    series: &'a Series,
}

#[derive(Serialize)]
struct Frames<'a> {
    times: &'a [f64],
    gaps: Vec<usize>,
    all: usize,
}

#[derive(Serialize)]
struct Body<'a> {
    name: &'a str,
    triangles: usize,
    vertices: usize,
    frames: usize,
    min: [f64; 3],
    step: [f64; 3],
    order: u8,
}

#[derive(Serialize)]
struct Contacts<'a> {
    all: usize,
    count: usize,
    pairs: &'a [[u32; 2]],
}

#[derive(Serialize)]
struct IncidentRow<'a> {
    bodies: [u32; 2],
    begin: f64,
    end: f64,
    clipped: [bool; 2],
    worst: f64,
    contacts: usize,
    pairs: usize,
    triangles: [usize; 2],
    depth: Option<f64>,
    length: f64,
    area: f64,
    centre: [f64; 3],
    min: [f64; 3],
    max: [f64; 3],
    names: [Names<'a>; 2],
    new: bool,
}

#[derive(Serialize)]
struct Names<'a> {
    materials: &'a [String],
    groups: &'a [String],
    joints: &'a [String],
}

/// The data as JSON, safe inside a `script` element.
pub(super) fn json(content: &Content) -> String {
    let kept = &content.kept;
    let gaps = (0..kept.times.len()).filter(|&place| kept.is_gap_after[place]).collect();
    let data = Data {
        format: "kinetree-report/1",
        version: env!("CARGO_PKG_VERSION"),
        title: content.title,
        span: content.result.span,
        fps: content.result.fps,
        up: content.up,
        frames: Frames { times: &kept.times, gaps, all: kept.all },
        bodies: bodies(content),
        tested: &content.result.tested,
        contacts: Contacts {
            all: content.result.contacts.len(),
            count: content.contacts.count,
            pairs: &content.contacts.pairs,
        },
        incidents: content.result.incidents.iter().map(row).collect(),
        series: &content.series,
    };
    // Plain data: nothing in it can fail to serialise.
    in_script(&serde_json::to_string(&data).unwrap_or_default())
}

fn bodies<'a>(content: &'a Content) -> Vec<Body<'a>> {
    let both = content.scene.bodies.iter().zip(&content.tracks);
    both.map(|(body, track)| Body {
        name: &body.name,
        triangles: body.mesh.triangles.len(),
        vertices: body.mesh.positions.len(),
        frames: track.frames,
        min: track.min,
        step: track.step,
        order: track.order,
    })
    .collect()
}

fn row(incident: &Incident) -> IncidentRow<'_> {
    let names = |side: usize| {
        let names = &incident.names[side];
        Names { materials: &names.materials, groups: &names.groups, joints: &names.joints }
    };
    IncidentRow {
        bodies: incident.bodies,
        begin: incident.begin,
        end: incident.end,
        clipped: incident.is_clipped,
        worst: incident.worst_time,
        contacts: incident.contacts.len(),
        pairs: incident.pairs,
        triangles: [incident.triangles[0].len(), incident.triangles[1].len()],
        depth: incident.depth,
        length: incident.length,
        area: incident.area,
        centre: incident.centre,
        min: incident.bounds.min,
        max: incident.bounds.max,
        names: [names(0), names(1)],
        new: incident.is_new,
    }
}

/// JSON without a character that HTML or an old script reader would take as its own. `<` stands
/// only in strings of JSON, so no text can end the element.
fn in_script(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            c => text.push(c),
        }
    }
    text
}
