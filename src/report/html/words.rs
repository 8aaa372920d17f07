//! Numbers and sentences for people.

use crate::check::{CheckEnding, CheckResult};
use crate::incident::Incident;

/// Digits of a number for people.
const DIGITS: i32 = 4;

/// A number with at most four significant digits and no trailing zeros.
pub(super) fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let decimals = (DIGITS - 1 - x.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A length with a unit that suits it, as the program's summary writes it.
pub(super) fn length(metres: f64) -> String {
    match metres {
        0.0 => "0 mm".into(),
        _ if metres < 1e-6 => format!("{metres:.1e} m"),
        _ if metres < 1e-3 => format!("{:.4} mm", metres * 1e3),
        _ if metres < 1e-1 => format!("{:.2} mm", metres * 1e3),
        _ if metres < 1e2 => format!("{metres:.3} m"),
        _ => format!("{metres:.0} m"),
    }
}

/// A time in seconds, to the tenth of a millisecond.
pub(super) fn seconds(time: f64) -> String {
    format!("{time:.4} s")
}

/// Seconds without trailing zeros, to the microsecond.
pub(super) fn plain(time: f64) -> String {
    let text = format!("{time:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// A frame, to the hundredth.
pub(super) fn frame(time: f64, fps: f64) -> String {
    let text = format!("{:.2}", time * fps);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// A time as a frame, where frames are known, and in seconds.
pub(super) fn time(time: f64, fps: Option<f64>) -> String {
    match fps {
        Some(fps) => format!("frame {} ({})", frame(time, fps), seconds(time)),
        None => seconds(time),
    }
}

/// First and last frame of an incident, or its seconds where frames are not known.
pub(super) fn range(incident: &Incident, fps: Option<f64>) -> String {
    let Some(fps) = fps else {
        return format!("{:.4} – {:.4}", incident.begin, incident.end);
    };
    match incident.frames(fps) {
        Some([first, last]) if first == last => format!("{first}"),
        Some([first, last]) => format!("{first} – {last}"),
        None => {
            let before = (incident.begin * fps).floor();
            format!("between {before} and {}", before + 1.0)
        }
    }
}

/// Bytes in the unit that suits them.
pub(super) fn bytes(count: usize) -> String {
    match count {
        0..1_000 => format!("{count} bytes"),
        1_000..1_000_000 => format!("{:.0} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// A count with thin groups of three.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{} {many}", grouped(count)) }
}

/// The names of two bodies.
pub(super) fn pair(result: &CheckResult, bodies: [u32; 2]) -> String {
    let name = |body: u32| result.bodies.get(body as usize).map_or("?", |body| body.name.as_str());
    if bodies[0] == bodies[1] { format!("{} with itself", name(bodies[0])) } else { bodies.map(name).join(" – ") }
}

/// How bad an incident is: its depth, or the length of its curve, or its pairs of triangles.
pub(super) fn severity(incident: &Incident) -> String {
    match incident.depth {
        Some(depth) => format!("{} deep", length(depth)),
        None if incident.length > 0.0 => format!("{} of crossing curve", length(incident.length)),
        None => counted(incident.pairs, "pair of triangles", "pairs of triangles"),
    }
}

/// How far a check came that was interrupted, or ended at the first contact; `None` of others.
fn interrupted(result: &CheckResult) -> Option<String> {
    let (reached, last) = (result.span[1], result.whole[1]);
    let at = |seconds: f64| time(seconds, result.fps);
    let text = if reached < last {
        format!("Interrupted at {} of {}: the rest was not checked.", at(reached), at(last))
    } else {
        "Interrupted after the last sample.".into()
    };
    match result.ending {
        CheckEnding::Complete => None,
        CheckEnding::Cancelled => Some(text),
        CheckEnding::FirstContact => {
            let (reached, last) = (at(reached), at(last));
            let is_cut = result.span[1] < result.whole[1];
            is_cut.then(|| format!("Stopped at the first contact, at {reached} of {last}: the rest was not checked."))
        }
    }
}

/// What leads to the incidents that are not there; `None` where all are.
pub(super) fn missing(result: &CheckResult) -> Option<String> {
    let (reached, last) = (result.span[1], result.whole[1]);
    let is_cut = result.ending == CheckEnding::Cancelled && reached < last;
    let remedy = if is_cut {
        format!("check the rest with --span {reached}..{last}, and join the files of -o with kinetree merge --scene")
    } else {
        "kinetree merge --scene finds them in the file of -o".into()
    };
    let what = if result.incidents_left_out { "Incidents were not found" } else { "Later incidents were not found" };
    (is_cut || result.incidents_left_out).then(|| format!("{what}: {remedy}."))
}

/// What the table says where it would be empty.
pub(super) fn no_incidents(result: &CheckResult) -> String {
    missing(result).unwrap_or_else(|| "There are no incidents.".into())
}

/// The result in a sentence, after one that says how far it came if it was interrupted.
pub(super) fn summary(result: &CheckResult) -> String {
    let found = found(result);
    interrupted(result).map_or_else(|| found.clone(), |interrupted| format!("{interrupted} {found}"))
}

/// What was found, in one sentence.
fn found(result: &CheckResult) -> String {
    let fps = result.fps;
    let [begin, end] = result.span;
    let tested = counted(result.tested.len(), "pair of bodies", "pairs of bodies");
    if result.tested.is_empty() {
        return "No pair of bodies was tested, so nothing could be found.".into();
    }
    let Some(worst) = result.incidents.first() else {
        if result.has_contacts() {
            let touching = result.pairs.iter().filter(|pair| pair.first.is_some()).count();
            let is_left_out = result.incidents_left_out;
            let why = if is_left_out { "incidents were not found" } else { "contacts over time were not asked for" };
            let when = if result.is_over_time { "" } else { " at the samples" };
            let verb = if touching == 1 { "touches" } else { "touch" };
            return format!("{touching} of {tested} {verb}{when}; {why}.");
        }
        let when = match fps {
            _ if begin == end => format!("at {}", time(begin, fps)),
            Some(fps) => format!("from frame {} to {}", frame(begin, fps), frame(end, fps)),
            None => format!("from {} to {}", seconds(begin), seconds(end)),
        };
        let nothing =
            if result.ending == CheckEnding::Cancelled { "No contact was found until then" } else { "Nothing touches" };
        return format!("{nothing}: {tested} {} tested {when}.", if result.tested.len() == 1 { "was" } else { "were" });
    };
    let mut touching: Vec<[u32; 2]> = result.incidents.iter().map(|incident| incident.bodies).collect();
    touching.sort_unstable();
    touching.dedup();
    let new = result.incidents.iter().filter(|incident| incident.is_new).count();
    let found = match result.incidents.len() {
        all if new == all => counted(all, "incident", "incidents"),
        all => format!("{} ({} new)", counted(all, "incident", "incidents"), grouped(new)),
    };
    // Of a single pair of bodies nothing more is to be said.
    let place =
        if result.tested.len() == 1 { String::new() } else { format!(" in {} of {tested}", grouped(touching.len())) };
    format!(
        "{found}{place}; the worst is {} at {}, {}.",
        pair(result, worst.bodies),
        time(worst.worst_time, fps),
        severity(worst)
    )
}
