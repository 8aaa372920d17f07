//! The JSON that describes the page's data; numbers read back equal the numbers written.

use serde::Serialize;
use serde_json::Value;

use super::contacts::Columns;
use super::frames::Kept;
use super::positions::Track;
use super::series::Series;
use crate::check::CheckResult;
use crate::io::Scene;
use crate::report::render::body_colour;

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
    incidents: Vec<Value>,
    incidents_left_out: bool,
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
    colour: String,
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
        incidents: incidents(content.result),
        incidents_left_out: content.result.incidents_left_out,
        series: &content.series,
    };
    // Plain data: nothing in it can fail to serialise.
    in_script(&serde_json::to_string(&data).unwrap_or_default())
}

fn bodies<'a>(content: &'a Content) -> Vec<Body<'a>> {
    let both = content.scene.bodies.iter().zip(&content.tracks).enumerate();
    both.map(|(number, (body, track))| Body {
        name: &body.name,
        colour: colour(body_colour(number)),
        triangles: body.mesh.triangles.len(),
        vertices: body.mesh.positions.len(),
        frames: track.frames,
        min: track.min,
        step: track.step,
        order: track.order,
    })
    .collect()
}

fn colour([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The incidents as the JSON of a check has them, with numbers of bodies beside names, and counts
/// in place of lists that the contacts tell.
fn incidents(result: &CheckResult) -> Vec<Value> {
    let rows = result.incident_rows().zip(&result.incidents);
    rows.map(|(row, incident)| {
        // Plain data: nothing in it can fail to serialise.
        let mut value = serde_json::to_value(row).unwrap_or_default();
        if let Value::Object(members) = &mut value {
            for list in ["contacts", "triangles_a", "triangles_b"] {
                let length = members.get(list).and_then(Value::as_array).map_or(0, Vec::len);
                members.insert(list.into(), length.into());
            }
            members.insert("bodies".into(), incident.bodies.to_vec().into());
        }
        value
    })
    .collect()
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
