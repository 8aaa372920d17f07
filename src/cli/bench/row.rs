//! What is reported of a run: a row of the CSV file and of the table.

use serde::Serialize;

use super::contender::Method;
use super::run::Outcome;
use super::scene::{Scene, SceneName};
use crate::cli::table::{grouped, table};

/// A run. Counts are the same in every run of the program; times (milliseconds) are not.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    #[serde(serialize_with = "name_of_scene")]
    pub(super) scene: SceneName,
    /// Of the bodies that move.
    pub(super) triangles: usize,
    pub(super) key_intervals: usize,
    /// Frames per key interval.
    pub(super) interpolated: usize,
    pub(super) frames: usize,
    pub(super) leaf_size: usize,
    #[serde(serialize_with = "name_of_method")]
    pub(super) method: Method,
    /// Nodes of their trees.
    pub(super) nodes: usize,
    /// Events of both trees, over the whole run.
    pub(super) tree_events: u64,
    /// Events of the separation list.
    pub(super) list_events: u64,
    /// Bounds replaced by events; bottom-up, six per node and frame.
    pub(super) updates: u64,
    pub(super) flightplans: u64,
    /// Bounds certified again for them.
    pub(super) replanned: u64,
    /// Members of the separation list at the end, and most of one node.
    pub(super) listed: usize,
    pub(super) most_per_node: usize,
    pub(super) update_ms_per_frame: f64,
    pub(super) check_ms_per_frame: f64,
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

impl Row {
    pub(super) fn new(scene: &Scene, interpolated: usize, leaf_size: usize, outcome: &Outcome) -> Self {
        let work = outcome.work;
        let of_refit = 6 * (work.nodes * outcome.frames) as u64;
        // Microseconds are more than the clock can promise.
        let rounded = |time: f64| (time * 1e5).round() / 1e5;
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
            list_events: work.list_events,
            updates: if outcome.method == Method::BottomUp { of_refit } else { work.updates },
            flightplans: outcome.flightplans,
            replanned: work.replanned,
            listed: work.listed,
            most_per_node: work.most_per_node,
            update_ms_per_frame: rounded(outcome.update),
            check_ms_per_frame: rounded(outcome.check),
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
        "pairs",
    ];
    let cells = |row: &Row| {
        vec![
            row.scene.name().to_owned(),
            grouped(row.triangles as u64),
            row.interpolated.to_string(),
            row.method.title().to_owned(),
            format!("{:.1}", row.per_frame(row.tree_events + row.list_events)),
            format!("{:.1}", row.per_frame(row.updates)),
            format!("{:.4}", row.update_ms_per_frame),
            format!("{:.4}", row.check_ms_per_frame),
            format!("{:.4}", row.total_ms_per_frame),
            grouped(row.contacts as u64),
        ]
    };
    table(&headings, &rows.iter().map(cells).collect::<Vec<_>>())
}
