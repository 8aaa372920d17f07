//! What `check` and `merge` tell people: the worst pairs of bodies, in a table.

use std::fmt::Write as _;
use std::path::Path;

use super::bold;
use super::incidents::incidents;
use super::table::{counted, grouped, table};
use super::when::{digits, time_and_frame};
use crate::check::{CheckEnding, CheckResult, PairSummary};

/// What is to be said where no pair of bodies is tested.
pub(super) const NOTHING_TESTED: &str = "no pair of bodies is tested: all are excluded, and none is tested against itself; \
     remove an [[exclude]], or test bodies against themselves with --self";

/// A row of the table.
type Row = fn(&PairSummary, &CheckResult) -> Vec<String>;

/// Pairs of bodies in the table.
const MOST_ROWS: usize = 10;

/// A summary for people; `cost` is its last line. With `has_baseline` it says which incidents are
/// new.
pub(super) fn summary(file: &Path, result: &CheckResult, has_baseline: bool, cost: &str) -> String {
    let mut text = String::new();
    let triangles: usize = result.bodies.iter().map(|body| body.triangles).sum();
    let bodies = counted(result.bodies.len() as u64, "body", "bodies");
    let triangles = counted(triangles as u64, "triangle", "triangles");
    let head = format!("{bodies}, {triangles}, {}", extent(result));
    let _ = writeln!(text, "{}", bold(&format!("{}: ", file.display()), &head));
    if let Some(part) = part(result) {
        let _ = writeln!(text, "{part}");
    }
    let _ = writeln!(text, "\n{}", pairs(result));
    text += &incidents(result, has_baseline);
    let _ = writeln!(text, "{cost}");
    let undecided = result.undecided();
    if undecided > 0 {
        let _ = writeln!(
            text,
            "{} intervals are undecided (curved motion, or too near for rounded numbers) and reported as contact",
            grouped(undecided as u64)
        );
    }
    text
}

/// Which times were sampled.
fn extent(result: &CheckResult) -> String {
    if result.is_still {
        return "nothing moves, so this holds at any time".into();
    }
    let (Some(&first), Some(&last)) = (result.times.first(), result.times.last()) else {
        let [begin, end] = result.span.map(digits);
        return format!("no samples from {begin} s to {end} s");
    };
    let samples = counted(result.times.len() as u64, "sample", "samples");
    let sampled =
        format!("{samples} from {} s to {} s{}", digits(first), digits(last), frames([first, last], result.fps));
    // Contacts over time are known beyond the last sample, where the motion ends between two.
    let [begin, end] = result.span;
    if result.is_over_time && (begin < first || last < end) {
        return format!("{sampled}, checked from {} s to {} s", digits(begin), digits(end));
    }
    sampled
}

/// Frames of two times, where they are known.
fn frames(times: [f64; 2], fps: Option<f64>) -> String {
    let frame = |time: f64, fps: f64| digits((time * fps * 10.0).round() / 10.0);
    fps.map_or(String::new(), |fps| format!(" (frames {} to {})", frame(times[0], fps), frame(times[1], fps)))
}

/// How much of the whole check this is, if it is a part.
fn part(result: &CheckResult) -> Option<String> {
    let ([begin, end], [first, last]) = (result.span.map(digits), result.whole.map(digits));
    match result.ending {
        CheckEnding::Cancelled if result.span[1] >= result.whole[1] => Some(
            "stopped before its incidents were found; `kinetree merge --scene` finds them in the file of -o".into(),
        ),
        CheckEnding::Cancelled => Some(format!(
            "stopped at {end} s of {last} s; `--span {}..{}` checks the rest, and `kinetree merge` joins both",
            result.span[1], result.whole[1]
        )),
        CheckEnding::FirstContact if result.span[1] < result.whole[1] => {
            Some(format!("stopped at the first contact: the rest, from {end} s to {last} s, was not checked"))
        }
        CheckEnding::Complete if result.is_part() => {
            Some(format!("a part: {begin} s to {end} s of {first} s to {last} s"))
        }
        _ => None,
    }
}

/// The worst pairs of bodies, and how many never touch.
fn pairs(result: &CheckResult) -> String {
    if result.pairs.is_empty() {
        return format!("{NOTHING_TESTED}\n");
    }
    let mut touching: Vec<&PairSummary> = result.pairs.iter().filter(|pair| pair.first.is_some()).collect();
    touching.sort_by(|x, y| y.most.cmp(&x.most).then(y.seconds.total_cmp(&x.seconds)).then(y.samples.cmp(&x.samples)));
    let (headings, row): (&[&str], Row) = match result {
        CheckResult { is_over_time: true, .. } => {
            (&["pair", "first contact", "time in contact", "intervals", "most touching pairs", "at"], interval_row)
        }
        CheckResult { is_still: true, .. } => (&["pair", "touching pairs of triangles"], still_row),
        _ => (&["pair", "first contact", "samples in contact", "most touching pairs", "at"], sample_row),
    };
    let rows: Vec<Vec<String>> = touching.iter().take(MOST_ROWS).map(|pair| row(pair, result)).collect();
    let mut text = if rows.is_empty() { String::new() } else { table(headings, &rows) };
    if touching.len() > MOST_ROWS {
        let rest = touching.len() - MOST_ROWS;
        let _ = writeln!(text, "and {} more pairs of bodies that touch; --json lists all", grouped(rest as u64));
    }
    let apart: Vec<&PairSummary> = result.pairs.iter().filter(|pair| pair.first.is_none()).collect();
    // Of a part it is not known what touches in the rest.
    let (never_touches, never_touch, here) = match (result.ending, result.is_part()) {
        (_, false) => ("never touches", "never touch", ""),
        (CheckEnding::Complete, _) => ("does not touch in this part", "do not touch in this part", " in this part"),
        _ => ("did not touch until then", "did not touch until then", " until then"),
    };
    let all = grouped(result.pairs.len() as u64);
    let counted = match (apart.len(), touching.len()) {
        (0, _) => return text,
        (1, 0) if apart[0].bodies[0] == apart[0].bodies[1] => {
            let [body, _] = apart[0].bodies;
            return format!("{} does not touch itself{here}\n", result.bodies[body as usize].name);
        }
        (1, 0) => format!("the only pair of bodies {never_touches}"),
        (_, 0) => format!("none of {all} pairs of bodies touch{here}"),
        (1, _) => format!("1 of {all} pairs of bodies {never_touches}"),
        (count, _) => format!("{} of {all} pairs of bodies {never_touch}", grouped(count as u64)),
    };
    let names: Vec<String> = apart.iter().map(|pair| name(pair, result)).collect();
    let names = if names.len() > MOST_ROWS { String::new() } else { format!(": {}", names.join(", ")) };
    let _ = writeln!(text, "{counted}{names}");
    text
}

fn name(pair: &PairSummary, result: &CheckResult) -> String {
    let [a, b] = pair.bodies.map(|body| &result.bodies[body as usize].name);
    if pair.bodies[0] == pair.bodies[1] { format!("{a} with itself") } else { format!("{a} - {b}") }
}

fn interval_row(pair: &PairSummary, result: &CheckResult) -> Vec<String> {
    vec![
        name(pair, result),
        pair.first.map_or(String::new(), |first| time_and_frame(first, result.fps)),
        format!("{} s", digits(pair.seconds)),
        grouped(pair.contacts as u64),
        grouped(pair.most as u64),
        time_and_frame(pair.most_at, result.fps),
    ]
}

fn still_row(pair: &PairSummary, result: &CheckResult) -> Vec<String> {
    vec![name(pair, result), grouped(pair.most as u64)]
}

fn sample_row(pair: &PairSummary, result: &CheckResult) -> Vec<String> {
    vec![
        name(pair, result),
        pair.first.map_or(String::new(), |first| time_and_frame(first, result.fps)),
        format!("{} of {}", pair.samples, result.times.len()),
        grouped(pair.most as u64),
        time_and_frame(pair.most_at, result.fps),
    ]
}
