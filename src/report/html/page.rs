//! The page: a template with its parts, every text escaped.

use std::fmt::Write as _;

use super::data::{Content, json};
use super::pack::{Blob, base64, pack};
use super::{Picture, positions, words};
use crate::incident::Incident;

const TEMPLATE: &str = include_str!("viewer/page.html");
const STYLE: &str = include_str!("viewer/style.css");

/// The script, in the order in which its parts need each other.
const SCRIPT: [&str; 11] = [
    include_str!("viewer/data.js"),
    include_str!("viewer/vectors.js"),
    include_str!("viewer/camera.js"),
    include_str!("viewer/bodies.js"),
    include_str!("viewer/webgl.js"),
    include_str!("viewer/software.js"),
    include_str!("viewer/view.js"),
    include_str!("viewer/timeline.js"),
    include_str!("viewer/chart.js"),
    include_str!("viewer/table.js"),
    include_str!("viewer/main.js"),
];

/// Rows of the table at most; the timeline has all incidents.
const MOST_ROWS: usize = 500;

/// Writes the page.
pub(super) fn page(content: &Content, pictures: &[Picture]) -> String {
    let json = json(content);
    let positions: Vec<u8> = content.tracks.iter().flat_map(|track| &track.bytes).copied().collect();
    let blobs = [
        ("positions", pack(&positions)),
        ("triangles", pack(&positions::triangles(content.scene))),
        ("contacts", pack(&content.contacts.bytes)),
    ];
    let cards = cards(content, pictures);
    let script: String = SCRIPT.concat();
    let sizes = sizes(content, &blobs, cards.len(), json.len() + script.len() + STYLE.len());
    let mut data = String::new();
    for (name, blob) in &blobs {
        let _ = writeln!(data, "<script type=\"text/plain\" id=\"data-{name}\">{}</script>", blob.text);
    }
    fill(TEMPLATE, |name| match name {
        "title" => escaped(content.title),
        "style" => STYLE.into(),
        "summary" => escaped(&words::summary(content.result)),
        "missing" => missing(content),
        "facts" => facts(content),
        "cards" => cards.clone(),
        "table" => table(content),
        "sizes" => sizes.clone(),
        "json" => json.clone(),
        "data" => data.clone(),
        "script" => script.clone(),
        _ => String::new(),
    })
}

/// The template with each `{{name}}` replaced. Parts are not searched for further names.
fn fill(template: &str, part: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        text.push_str(before);
        text.push_str(&part(name));
        rest = after;
    }
    text + rest
}

/// Text as HTML, inside and outside of attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
    html
}

/// A warning where incidents are missing.
fn missing(content: &Content) -> String {
    let text = words::missing(content.result);
    text.map_or_else(String::new, |text| format!("<p class=\"warning\">{}</p>", escaped(&text)))
}

/// What was checked, in a line.
fn facts(content: &Content) -> String {
    let result = content.result;
    let [begin, end] = result.span;
    let span = match result.fps {
        Some(fps) => format!(
            "frames {} to {} at {} a second ({} s to {} s)",
            words::frame(begin, fps),
            words::frame(end, fps),
            words::number(fps),
            words::plain(begin),
            words::plain(end)
        ),
        None => format!("{} s to {} s", words::plain(begin), words::plain(end)),
    };
    let triangles = result.bodies.iter().map(|body| body.triangles).sum();
    let never = result.pairs.iter().filter(|pair| pair.first.is_none()).count();
    let mut facts = vec![
        words::counted(result.bodies.len(), "body", "bodies"),
        words::counted(triangles, "triangle", "triangles"),
        span,
        words::counted(result.contacts.len(), "contact interval", "contact intervals"),
    ];
    if never > 0 && result.has_contacts() && !result.is_part() {
        facts.push(words::counted(never, "pair of bodies never touches", "pairs of bodies never touch"));
    }
    facts.iter().flat_map(|fact| ["<li>".into(), escaped(fact), "</li>".into()]).collect()
}

/// The worst moments, as pictures.
fn cards(content: &Content, pictures: &[Picture]) -> String {
    let mut pictures: Vec<&Picture> = pictures.iter().collect();
    pictures.sort_by_key(|picture| picture.incident);
    let mut html = String::new();
    for picture in pictures {
        let incident = &content.result.incidents[picture.incident];
        let pair = escaped(&words::pair(content.result, incident.bodies));
        let when = escaped(&words::time(incident.worst_time, content.result.fps));
        let known = if incident.is_new { "" } else { ", in the baseline" };
        let severity = format!("{}{known}", escaped(&words::severity(incident)));
        let place = escaped(&place(content, incident));
        let (comma, names) =
            if place.is_empty() { ("", String::new()) } else { (", ", format!("<span>{place}</span>")) };
        let _ = writeln!(
            html,
            "<li><button type=\"button\" class=\"card\" data-incident=\"{}\"><img alt=\"Incident {}: {pair}{comma}{place}, {when}, \
             {severity}\" src=\"data:image/png;base64,{}\"><span class=\"card-text\"><strong>#{} {pair}</strong>\
             {names}<span>{when}</span><span>{severity}</span></span></button></li>",
            picture.incident,
            picture.incident + 1,
            base64(&picture.png),
            picture.incident + 1,
        );
    }
    if html.is_empty() { html } else { format!("<ul class=\"cards\">\n{html}</ul>") }
}

/// One column of the table: heading, key of sorting, whether it is a number.
const COLUMNS: [(&str, bool); 9] = [
    ("Incident", true),
    ("Bodies", false),
    ("", true),
    ("Worst", true),
    ("Duration", true),
    ("Triangle pairs", true),
    ("Depth", true),
    ("Curve", true),
    ("Where", false),
];

fn table(content: &Content) -> String {
    let incidents = &content.result.incidents;
    if incidents.is_empty() {
        return format!("<p class=\"quiet\">{}</p>", escaped(&words::no_incidents(content.result)));
    }
    let is_by_frame = content.result.fps.is_some();
    let mut html = String::from("<table id=\"incidents\"><thead><tr>");
    let has_places = incidents.iter().any(|incident| !place(content, incident).is_empty());
    for (heading, is_number) in COLUMNS.into_iter().filter(|(heading, _)| has_places || *heading != "Where") {
        let heading = match heading {
            "" if is_by_frame => "Frames",
            "" => "Seconds",
            heading => heading,
        };
        let class = if is_number { "number" } else { "text" };
        let sorted = if heading == "Incident" { "ascending" } else { "none" };
        let _ = write!(
            html,
            "<th scope=\"col\" class=\"{class}\" aria-sort=\"{sorted}\"><button type=\"button\">{heading}</button></th>"
        );
    }
    html.push_str("</tr></thead><tbody>\n");
    for (number, incident) in incidents.iter().enumerate().take(MOST_ROWS) {
        row(content, number, incident, &mut html);
        if has_places {
            let _ = write!(html, "<td class=\"where\">{}</td>", escaped(&place(content, incident)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table>");
    if incidents.len() > MOST_ROWS {
        let _ = write!(
            html,
            "<p class=\"quiet\">The table has the worst {MOST_ROWS} of {} incidents; the timeline has all.</p>",
            words::grouped(incidents.len())
        );
    }
    html
}

fn row(content: &Content, number: usize, incident: &Incident, html: &mut String) {
    let fps = content.result.fps;
    let pair = escaped(&words::pair(content.result, incident.bodies));
    let badge = if content.result.incidents.iter().all(|incident| incident.is_new) {
        ""
    } else if incident.is_new {
        " <span class=\"badge\">new</span>"
    } else {
        " <span class=\"badge known\">in baseline</span>"
    };
    let _ = write!(
        html,
        "<tr data-incident=\"{number}\"><td class=\"number\" data-key=\"{number}\"><button type=\"button\" class=\"jump\" \
         aria-label=\"Jump to incident {n}\">#{n}</button></td><td>{pair}{badge}</td>",
        n = number + 1
    );
    let mut cell = |key: f64, text: &str| {
        let _ = write!(html, "<td class=\"number\" data-key=\"{key}\">{}</td>", escaped(text));
    };
    cell(incident.begin, &words::range(incident, fps));
    cell(
        incident.worst_time,
        &fps.map_or_else(|| words::seconds(incident.worst_time), |fps| words::frame(incident.worst_time, fps)),
    );
    cell(incident.end - incident.begin, &words::seconds(incident.end - incident.begin));
    cell(incident.pairs as f64, &words::grouped(incident.pairs));
    cell(incident.depth.unwrap_or(-1.0), &incident.depth.map_or_else(|| "–".into(), words::length));
    let length = incident.has_extent().then_some(incident.length);
    cell(length.unwrap_or(-1.0), &length.map_or_else(|| "–".into(), words::length));
}

/// Names of the parts that touch, without those that are the bodies' own.
fn place(content: &Content, incident: &Incident) -> String {
    let sides = incident.names.iter().zip(incident.bodies).map(|(names, body)| {
        let body = &content.scene.bodies[body as usize].name;
        names.first(2, body).join(", ")
    });
    let mut sides: Vec<String> = sides.filter(|side| !side.is_empty()).collect();
    sides.dedup();
    sides.join(" / ")
}

/// What the file has, and how large its parts are.
fn sizes(content: &Content, blobs: &[(&str, Blob); 3], pictures: usize, rest: usize) -> String {
    let kept = &content.kept;
    let frames = if kept.times.len() == kept.all {
        format!("all {} frames", words::grouped(kept.all))
    } else {
        format!(
            "{} of {} frames: the first, the last, and those around incidents",
            words::grouped(kept.times.len()),
            words::grouped(kept.all)
        )
    };
    let steps = content.tracks.iter().flat_map(|track| track.step);
    let error = steps.fold(0.0, f64::max) * 0.5;
    let contacts = match (content.contacts.count, content.result.contacts.len()) {
        (count, all) if count == all => format!("all {} contact intervals", words::grouped(all)),
        (count, all) => format!(
            "{} of {} contact intervals: those of the most severe incidents, or of the first one what touches at its \
             worst moment",
            words::grouped(count),
            words::grouped(all)
        ),
    };
    let [(_, positions), (_, triangles), (_, intervals)] = blobs;
    let rows = [
        (format!("Positions of {frames}, rounded to {}", words::length(error)), positions.text.len(), positions.raw),
        ("Triangles".into(), triangles.text.len(), triangles.raw),
        (contacts.replacen("all", "All", 1), intervals.text.len(), intervals.raw),
        ("Pictures".into(), pictures, 0),
        ("Incidents, curves and the page itself".into(), rest, 0),
    ];
    let total: usize = rows.iter().map(|row| row.1).sum();
    let mut html = String::from("<table class=\"sizes\"><tbody>");
    for (name, packed, raw) in rows.iter().filter(|row| row.1 > 0) {
        let before = if *raw > 0 { format!("{} unpacked", words::bytes(*raw)) } else { String::new() };
        let _ = write!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number quiet\">{before}</td></tr>",
            escaped(name),
            words::bytes(*packed)
        );
    }
    let _ = write!(
        html,
        "<tr><th scope=\"row\">Together</th><td class=\"number\">{}</td><td></td></tr></tbody></table>",
        words::bytes(total)
    );
    html
}
