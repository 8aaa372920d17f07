//! What is reported of a run: a row of the CSV file and of the table.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};

use super::contender::Method;
use super::run::Outcome;
use super::scene::{Scene, SceneName};
use crate::cli::Failure;
use crate::cli::table::{grouped, table};

/// Most rows of a file.
const MOST_ROWS: usize = 10_000;

/// A run. Counts are the same in every run of the program; times (milliseconds) are not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    #[serde(serialize_with = "name_of_scene", deserialize_with = "scene_of_name")]
    pub(super) scene: SceneName,
    /// Of the bodies that move.
    pub(super) triangles: usize,
    pub(super) key_intervals: usize,
    /// Frames per key interval.
    pub(super) interpolated: usize,
    pub(super) frames: usize,
    pub(super) leaf_size: usize,
    #[serde(serialize_with = "name_of_method", deserialize_with = "method_of_name")]
    pub(super) method: Method,
    /// Nodes of their trees.
    pub(super) nodes: usize,
    /// Events of both trees, over the whole run.
    pub(super) tree_events: u64,
    /// Those of leaves; the others are of inner nodes.
    pub(super) leaf_events: u64,
    /// Events of the separation list.
    pub(super) list_events: u64,
    /// The same by kind: see [`ListEvents`](super::contender::ListEvents).
    pub(super) met: u64,
    pub(super) leaves_parted: u64,
    pub(super) parents_parted: u64,
    pub(super) witnesses: u64,
    /// Bounds replaced by events; bottom-up, six per node and frame.
    pub(super) updates: u64,
    pub(super) flightplans: u64,
    /// Bounds certified again for them.
    pub(super) replanned: u64,
    /// Most members of the separation list at checked frames.
    pub(super) listed: usize,
    /// Most of them of one node, at the end.
    pub(super) most_per_node: usize,
    /// Most bytes of trees, list and queue at checked frames, without meshes and keys.
    pub(super) bytes: usize,
    /// Empty where every step finds contacts.
    pub(super) update_ms_per_frame: Option<f64>,
    pub(super) check_ms_per_frame: Option<f64>,
    pub(super) total_ms_per_frame: f64,
    pub(super) checks: usize,
    /// Touching pairs of triangles, summed over all checks.
    pub(super) contacts: usize,
    pub(super) repeats: usize,
    pub(super) log_hash: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn name_of_scene<S: serde::Serializer>(scene: &SceneName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(scene.name())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn name_of_method<S: serde::Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(method.name())
}

fn scene_of_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SceneName, D::Error> {
    let name = String::deserialize(deserializer)?;
    SceneName::named(&name).ok_or_else(|| serde::de::Error::custom(format!("there is no scene '{name}'")))
}

fn method_of_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
    let name = String::deserialize(deserializer)?;
    Method::named(&name).ok_or_else(|| serde::de::Error::custom(format!("there is no method '{name}'")))
}

impl Row {
    pub(super) fn new(scene: &Scene, interpolated: usize, leaf_size: usize, outcome: &Outcome) -> Self {
        let work = outcome.work;
        let of_refit = 6 * (work.nodes * outcome.frames) as u64;
        // Microseconds are more than the clock can promise.
        let rounded = |time: f64| (time * 1e5).round() / 1e5;
        let is_apart = !outcome.method.checks_every_step();
        Self {
            scene: scene.name,
            triangles: scene.triangles,
            key_intervals: scene.key_times.len() - 1,
            interpolated,
            frames: outcome.frames,
            leaf_size,
            method: outcome.method,
            nodes: work.nodes,
            tree_events: work.tree_events,
            leaf_events: work.leaf_events,
            list_events: work.list.all(),
            met: work.list.met,
            leaves_parted: work.list.leaves_parted,
            parents_parted: work.list.parents_parted,
            witnesses: work.list.witnesses,
            updates: if outcome.method == Method::BottomUp { of_refit } else { work.updates },
            flightplans: outcome.flightplans,
            replanned: work.replanned,
            listed: outcome.held.listed,
            most_per_node: work.most_per_node,
            bytes: outcome.held.bytes,
            update_ms_per_frame: is_apart.then(|| rounded(outcome.update)),
            check_ms_per_frame: is_apart.then(|| rounded(outcome.check)),
            total_ms_per_frame: rounded(outcome.update + outcome.check),
            checks: outcome.findings.len(),
            contacts: outcome.findings.iter().map(|finding| finding.pairs).sum(),
            repeats: outcome.repeats,
            log_hash: format!("{:016x}", work.log),
        }
    }

    /// A count as a mean per frame.
    pub(super) fn per_frame(&self, count: u64) -> f64 {
        count as f64 / self.frames as f64
    }

    /// Whether both are of the same run, measured at different times.
    fn is_again(&self, other: &Self) -> bool {
        let run =
            |row: &Self| (row.scene, row.triangles, row.key_intervals, row.interpolated, row.leaf_size, row.method);
        run(self) == run(other)
    }

    /// Whether figures can be drawn of it.
    fn is_sound(&self) -> bool {
        let times = [self.update_ms_per_frame, self.check_ms_per_frame, Some(self.total_ms_per_frame)];
        [self.triangles, self.key_intervals, self.interpolated, self.frames].iter().all(|&count| count > 0)
            && times.into_iter().flatten().all(|time| time.is_finite() && time >= 0.0)
    }
}

/// Adds the rows of a file that an earlier run wrote. A row of the same run replaces the one
/// before.
pub(super) fn read(path: &Path, rows: &mut Vec<Row>) -> Result<(), Failure> {
    let failed = |what: String| Failure::Input(format!("--rows: {}: {what}", path.display()));
    let mut reader = csv::Reader::from_path(path).map_err(|error| failed(error.to_string()))?;
    for (index, row) in reader.deserialize().enumerate() {
        let row: Row = row.map_err(|error| failed(error.to_string()))?;
        if index == MOST_ROWS {
            return Err(failed(format!("more than {MOST_ROWS} rows")));
        }
        if !row.is_sound() {
            return Err(failed(format!("row {}: a count is 0, or a time is negative or not finite", index + 1)));
        }
        match rows.iter_mut().find(|known| known.is_again(&row)) {
            Some(known) => *known = row,
            None => rows.push(row),
        }
    }
    // As one run writes them: by scene, then by size, then by method.
    rows.sort_by_key(|row| {
        let method = Method::ALL.iter().position(|&method| method == row.method);
        (row.scene as usize, row.triangles, method, row.interpolated)
    });
    Ok(())
}

/// All rows for people.
pub(super) fn text(rows: &[Row]) -> String {
    let headings = [
        "scene",
        "triangles",
        "l",
        "method",
        "events/frame",
        "updates/frame",
        "update ms",
        "check ms",
        "total ms",
        "listed",
        "MB",
        "pairs",
    ];
    let time = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |time| format!("{time:.4}"));
    let cells = |row: &Row| {
        vec![
            row.scene.name().to_owned(),
            grouped(row.triangles as u64),
            row.interpolated.to_string(),
            row.method.title().to_owned(),
            format!("{:.1}", row.per_frame(row.tree_events + row.list_events)),
            format!("{:.1}", row.per_frame(row.updates)),
            time(row.update_ms_per_frame),
            time(row.check_ms_per_frame),
            time(Some(row.total_ms_per_frame)),
            grouped(row.listed as u64),
            format!("{:.1}", row.bytes as f64 / 1e6),
            grouped(row.contacts as u64),
        ]
    };
    table(&headings, &rows.iter().map(cells).collect::<Vec<_>>())
}
