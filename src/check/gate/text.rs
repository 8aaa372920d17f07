//! Sentences about an incident, for people who read a pipeline's page.

use super::{Gate, missing};
use crate::check::{CheckEnding, CheckResult};
use crate::incident::{Incident, PartNames, Quantity, Thresholds};

/// The two bodies: `cloth - ball`, or `cloth with itself`.
pub(super) fn pair_name([a, b]: [u32; 2], result: &CheckResult) -> String {
    let [first, second] = [a, b].map(|body| result.bodies[body as usize].name.as_str());
    if a == b { format!("{first} with itself") } else { format!("{first} - {second}") }
}

/// How far a check came that was interrupted, or that ended at the first contact: `stopped at 1.5 s
/// of 3 s; the rest was not checked`.
pub(super) fn stopped(result: &CheckResult) -> Option<String> {
    let (reached, whole) = (shown(result.span[1]), shown(result.whole[1]));
    let is_cut = match result.ending {
        CheckEnding::Complete => false,
        CheckEnding::FirstContact => result.span[1] < result.whole[1],
        CheckEnding::Cancelled => true,
    };
    let incidents = if result.incidents_left_out { "; incidents were not found" } else { "" };
    if is_cut && result.incidents_left_out && result.span[1] >= result.whole[1] {
        return Some("stopped before incidents were found".into());
    }
    is_cut.then(|| format!("stopped at {reached} s of {whole} s; the rest was not checked{incidents}"))
}

/// What the incidents of a pair lack to be judged, if some are not: `7 incidents have no depth`.
pub(super) fn unjudged(gate: &Gate<'_>, pair: [u32; 2]) -> Option<String> {
    let of_pair: Vec<&Incident> = gate.result.incidents.iter().filter(|incident| incident.bodies == pair).collect();
    let left: Vec<&Incident> = of_pair.iter().copied().filter(|incident| !gate.judges(incident)).collect();
    let conditions = gate.thresholds.iter().flat_map(Thresholds::conditions);
    let lacking = conditions.filter_map(|condition| missing(condition, left.first()?, gate.result.fps));
    let mut names: Vec<&str> = lacking.map(measure).collect();
    names.sort_unstable();
    names.dedup();
    let noun = if of_pair.len() == 1 { "incident" } else { "incidents" };
    let verb = if left.len() == 1 { "has" } else { "have" };
    let of = if left.len() < of_pair.len() { format!(" of {}", of_pair.len()) } else { String::new() };
    (!left.is_empty()).then(|| format!("{}{of} {noun} {verb} no {}", left.len(), names.join(" and no ")))
}

/// The name of a measure that an incident may lack.
fn measure(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Depth => "depth",
        Quantity::Length => "length",
        Quantity::Area => "area",
        _ => "known number of frames",
    }
}

/// When an incident exists: `frames 12 to 30, 0.5 s to 1.25 s`.
pub(super) fn when(incident: &Incident, fps: Option<f64>) -> String {
    let frames = match (fps, fps.and_then(|fps| incident.frames(fps))) {
        (Some(_), Some([first, last])) if first == last => format!("frame {first}, "),
        (Some(_), Some([first, last])) => format!("frames {first} to {last}, "),
        (Some(fps), None) => {
            format!("between frames {0} and {1}, ", (incident.begin * fps).floor(), (incident.end * fps).ceil())
        }
        (None, _) => String::new(),
    };
    format!("{frames}{} s to {} s", shown(incident.begin), shown(incident.end))
}

/// Measures of an incident, one sentence each.
pub(super) fn sentences(incident: &Incident, fps: Option<f64>) -> Vec<String> {
    let worst_frame = fps.map_or(String::new(), |fps| format!(" (frame {})", shown(incident.worst_time * fps)));
    let mut all = vec![format!("worst at {} s{worst_frame}", shown(incident.worst_time))];
    all.push(match incident.depth {
        Some(depth) => format!("depth {} m", shown(depth)),
        None if !incident.is_measured => "not measured: depth, length and area".to_owned(),
        None if !incident.has_extent() => "neither a depth nor a crossing curve".to_owned(),
        None if incident.bodies[0] == incident.bodies[1] => "depth not measured: a body with itself".to_owned(),
        None => "depth unknown: neither body is closed there".to_owned(),
    });
    if incident.has_extent() {
        if incident.depth.is_none() {
            all.push(format!("severity {} m (crossing curve / 2π)", shown(incident.severity())));
        }
        all.push(format!("crossing curve {} m", shown(incident.length)));
    }
    if incident.has_area() {
        all.push(format!("area {} m²", shown(incident.area)));
    }
    let noun = if incident.pairs == 1 { "pair" } else { "pairs" };
    all.push(format!("{} {noun} of triangles, at most {} at once", incident.pairs, incident.most_pairs));
    for (side, names) in ["first", "second"].into_iter().zip(&incident.names) {
        let names: Vec<&str> = PartNames::all(names).collect();
        if !names.is_empty() {
            all.push(format!("parts of the {side} body: {}", names.join(", ")));
        }
    }
    all
}

/// A number for people: at most 6 digits.
pub(super) fn shown(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if !(-5.0..9.0).contains(&magnitude) {
        return format!("{value:.5e}");
    }
    let digits = (5.0 - magnitude).max(0.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn numbers_for_people_have_six_digits() {
        let numbers = [0.0, 1.0, 0.1 + 0.2, 12.345_678_9, -0.000_123_456_789, 1e-9, 123_456_789.0, 1e12].map(shown);
        let expected =
            ["0", "1", "0.3", "12.3457", "-0.000123457", "1.00000e-9", "123456789", "1.00000e12"].map(str::to_owned);
        assert_eq!(numbers, expected);
    }
}
