//! Incidents for people: the worst ten in a table.

use std::fmt::Write as _;

use super::table::{counted, grouped, table};
use crate::check::{CheckResult, IncidentRow};

/// Incidents in the table.
const MOST_ROWS: usize = 10;

/// What stands for a measure that the incident does not have.
const NOT_MEASURED: &str = "-";

/// The table of the worst incidents, with a line above it; empty without incidents. With
/// `has_baseline` it says which are new.
pub(super) fn incidents(result: &CheckResult, has_baseline: bool) -> String {
    let count = result.incidents.len();
    if count == 0 {
        return String::new();
    }
    let new = result.incidents.iter().filter(|incident| incident.is_new).count();
    let mut text = match count {
        1 => "1 incident".to_owned(),
        _ => format!("{} incidents", grouped(count as u64)),
    };
    let marks_new = has_baseline || new < count;
    if marks_new {
        let _ = write!(text, ", of which {} new", counted(new as u64, "is", "are"));
    }
    if count > MOST_ROWS {
        let _ = write!(text, "; the worst {MOST_ROWS}");
    }
    let rows: Vec<Vec<String>> =
        result.incident_rows().take(MOST_ROWS).map(|incident| row(&incident, marks_new)).collect();
    let headings = ["incident", "frames", "seconds", "worst at", "depth", "curve", "pairs"];
    let _ = writeln!(text, ":\n\n{}", table(&headings, &rows));
    text
}

fn row(incident: &IncidentRow<'_>, marks_new: bool) -> Vec<String> {
    // Both sides of a body with itself have the names of all its triangles.
    let is_self = incident.a == incident.b;
    let side = |name: &str, parts: &crate::check::PartsRow<'_>| {
        let some = |names: &'_ [String]| names.iter().take(if is_self { 2 } else { 1 }).cloned().collect::<Vec<_>>();
        let names: Vec<String> = [parts.groups, parts.materials, parts.joints].into_iter().flat_map(some).collect();
        let names: Vec<String> = names.into_iter().filter(|part| part != name).collect();
        if names.is_empty() { name.to_owned() } else { format!("{name} ({})", names.join(", ")) }
    };
    let mark = if marks_new && incident.is_new { ", new" } else { "" };
    let a = side(incident.a, &incident.parts_a);
    let pair =
        if is_self { format!("{a} with itself") } else { format!("{a} - {}", side(incident.b, &incident.parts_b)) };
    vec![
        format!("{} {pair}{mark}", incident.number),
        frames(incident),
        format!("{:.4} - {:.4}", incident.begin, incident.end),
        format!("{:.4} s", incident.worst_time),
        incident.depth.map_or_else(|| no_depth(incident).to_owned(), length),
        incident.length.map_or_else(|| NOT_MEASURED.to_owned(), length),
        grouped(incident.pairs as u64),
    ]
}

/// What stands for a depth that is not known.
fn no_depth(incident: &IncidentRow<'_>) -> &'static str {
    if incident.length.is_some() { "open" } else { NOT_MEASURED }
}

/// First and last frame; empty without a frame rate.
fn frames(incident: &IncidentRow<'_>) -> String {
    match (incident.frames, incident.first_frame, incident.last_frame) {
        (Some(_), Some(first), Some(last)) if first == last => format!("{first}"),
        (Some(_), Some(first), Some(last)) => format!("{first} - {last}"),
        (Some(_), ..) => "between".into(),
        (None, ..) => String::new(),
    }
}

/// A length with a unit that suits it, at most four digits.
pub(super) fn length(metres: f64) -> String {
    match metres {
        _ if metres == 0.0 => "0 mm".into(),
        _ if metres < 1e-6 => format!("{metres:.1e} m"),
        _ if metres < 1e-3 => format!("{:.4} mm", metres * 1e3),
        _ if metres < 1e-1 => format!("{:.2} mm", metres * 1e3),
        _ if metres < 1e2 => format!("{metres:.3} m"),
        _ => format!("{metres:.0} m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_unit_that_suits_them() {
        let lengths = [0.0, 2.5e-9, 1.234e-5, 0.002, 0.0314, 0.5, 12.34, 12_345.6].map(length);
        assert_eq!(lengths, ["0 mm", "2.5e-9 m", "0.0123 mm", "2.00 mm", "31.40 mm", "0.500 m", "12.340 m", "12346 m"]);
    }
}
