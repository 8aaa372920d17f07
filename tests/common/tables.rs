//! Tables of pinned results, a line a row, in files beside a test.

use std::path::Path;

/// Compares rows with a table in `tests/FOLDER`, or writes it where `KINETREE_UPDATE_WORK` is set.
/// `line` is given the line that stands in the table, where it is compared.
pub fn compare<R>(
    (folder, table): (&str, &str),
    head: &str,
    rows: &[R],
    name: impl Fn(&R) -> &str,
    line: impl Fn(&R, Option<&str>) -> String,
) {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Compiled for users, the manifest is that of tests/release.
    let tests = if manifest.ends_with("tests/release") { manifest.join("..") } else { manifest.join("tests") };
    let path = tests.join(folder).join(format!("{table}.tsv"));
    if std::env::var_os("KINETREE_UPDATE_WORK").is_some() {
        let lines = rows.iter().map(|row| line(row, None) + "\n");
        std::fs::write(&path, format!("{head}\n{}", lines.collect::<String>())).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let mut pinned = text.lines();
    assert_eq!(pinned.next(), Some(head), "{table}: other columns");
    let mut differences = Vec::new();
    for row in rows {
        let expected = pinned.next().unwrap_or_default();
        let found = line(row, Some(expected));
        if found != expected {
            let fields = head.split('\t').zip(expected.split('\t').zip(found.split('\t')));
            let changed =
                fields.filter(|(_, (old, new))| old != new).map(|(name, (old, new))| format!("{name} {old} -> {new}"));
            differences.push(format!("{}: {}", name(row), changed.collect::<Vec<_>>().join(", ")));
        }
    }
    assert!(
        differences.is_empty() && pinned.next().is_none(),
        "{table}: other work or results than tests/{folder}/{table}.tsv says; if that is wanted, run with \
         KINETREE_UPDATE_WORK=1\n{}",
        differences.join("\n")
    );
}
