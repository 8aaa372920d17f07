//! Tables of counters, one a scene.

use std::path::Path;

use kinetree::world::World;

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
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Compiled for users, the manifest is that of tests/release.
    let folder =
        if manifest.ends_with("tests/release") { manifest.join("../work") } else { manifest.join("tests/work") };
    let path = folder.join(format!("{scene}.tsv"));
    let names: Vec<&str> = rows[0].counters.iter().map(|&(name, _)| name).collect();
    let head = format!("run\t{}\tbytes\tstate", names.join("\t"));
    if std::env::var_os("KINETREE_UPDATE_WORK").is_some() {
        let lines = rows.iter().map(|row| row.line(&row.bytes.to_string()) + "\n");
        std::fs::write(&path, format!("{head}\n{}", lines.collect::<String>())).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let mut pinned = text.lines();
    assert_eq!(pinned.next(), Some(head.as_str()), "{scene}: other counters");
    let mut differences = Vec::new();
    for row in rows {
        let expected = pinned.next().unwrap_or_default();
        let pinned_bytes = expected.rsplit('\t').nth(1).unwrap_or_default();
        let bytes = if cfg!(target_pointer_width = "64") { row.bytes.to_string() } else { pinned_bytes.to_owned() };
        let found = row.line(&bytes);
        if found != expected {
            let fields = head.split('\t').zip(expected.split('\t').zip(found.split('\t')));
            let changed =
                fields.filter(|(_, (old, new))| old != new).map(|(name, (old, new))| format!("{name} {old} -> {new}"));
            differences.push(format!("{}: {}", row.name, changed.collect::<Vec<_>>().join(", ")));
        }
    }
    assert!(
        differences.is_empty() && pinned.next().is_none(),
        "{scene}: worlds do other work than tests/work/{scene}.tsv says; if that is wanted, run with \
         KINETREE_UPDATE_WORK=1\n{}",
        differences.join("\n")
    );
}
