//! Tables of counters, one a scene.

use kinetree::world::World;

use crate::common::tables;

/// One run of a scene.
pub(crate) struct Row {
    name: String,
    counters: Vec<(&'static str, u64)>,
    /// Bytes that the world says it holds; compared where pointers have 64 bits.
    bytes: usize,
    state: u64,
}

impl Row {
    pub(crate) fn new(name: String, world: &World, state: u64) -> Self {
        let (stats, exact) = (world.stats(), world.interval_stats());
        let counters = vec![
            ("contacts", world.contacts().len() as u64),
            ("log", world.log().count()),
            ("queue operations", stats.queue_operations),
            ("renewals", stats.renewals),
            ("slot updates", stats.tree.updates),
            ("slot searches", stats.tree.certificates_searched),
            ("candidates of slots", stats.tree.candidates_searched),
            ("list searches", stats.list.certificates_searched),
            ("list pairs", stats.list.listed as u64),
            ("broad-phase searches", stats.broad_phase.certificates_searched),
            ("fat boxes visited", stats.broad_phase.boxes_visited),
            ("triangle tests", stats.triangle_tests),
            ("intervals", stats.engines.intervals),
            ("node pairs", stats.engines.pairs_visited),
            ("leaf pairs", stats.engines.leaf_pairs as u64),
            ("prefetched", stats.engines.intervals_prefetched),
            ("decided ahead", stats.engines.windows_decided_ahead),
            ("certified ahead", stats.engines.pairs_certified_ahead),
            ("windows", exact.pairs),
            ("windows solved", exact.solved),
            ("polynomials", exact.exact_minors),
        ];
        Self { name, counters, bytes: stats.bytes, state }
    }

    /// Whether all but the bytes is the same.
    #[cfg(feature = "rayon")]
    pub(crate) fn is_same_work(&self, other: &Self) -> bool {
        (&self.name, &self.counters, self.state) == (&other.name, &other.counters, other.state)
    }

    fn line(&self, bytes: &str) -> String {
        let counters: Vec<String> = self.counters.iter().map(|(_, count)| count.to_string()).collect();
        format!("{}\t{}\t{bytes}\t{:016x}", self.name, counters.join("\t"), self.state)
    }
}

/// Compares the rows of a scene with its table, or writes it.
pub(crate) fn compare(scene: &str, rows: &[Row]) {
    let names: Vec<&str> = rows[0].counters.iter().map(|&(name, _)| name).collect();
    let head = format!("run\t{}\tbytes\tstate", names.join("\t"));
    let line = |row: &Row, expected: Option<&str>| {
        let pinned_bytes = expected.and_then(|expected| expected.rsplit('\t').nth(1));
        match pinned_bytes {
            Some(bytes) if !cfg!(target_pointer_width = "64") => row.line(bytes),
            _ => row.line(&row.bytes.to_string()),
        }
    };
    tables::compare(("work", scene), &head, rows, |row| &row.name, line);
}
