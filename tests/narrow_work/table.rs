//! Tables: a row for every family of inputs and block of cases.

use std::path::Path;

use crate::dice::Dice;
use crate::inputs::{Family, Source};
use crate::record::Record;

/// Cases of a row.
pub(crate) struct Block {
    pub(crate) families: &'static [Family],
    /// Rows of a family.
    pub(crate) blocks: u64,
    /// Cases of a row.
    pub(crate) cases: u64,
}

/// Runs all cases of a table and compares what they give with it.
pub(crate) fn pin(table: &str, columns: &[&str], block: &Block, run: impl Fn(&mut Dice, &Source, &mut Record)) {
    let tag = crate::checksum::checksum(table.as_bytes());
    let mut rows = Vec::new();
    for &family in block.families {
        // Big integers decide all of these: each takes some times as long.
        let cases = match family {
            Family::Wide => block.cases.div_ceil(10),
            Family::Vanishing => block.cases.div_ceil(4),
            _ => block.cases,
        };
        for number in 0..block.blocks {
            let name = format!("{family:?} {number}");
            let mut record = Record::new(&name, columns.len());
            for case in 0..cases {
                let mut dice = Dice::new(number, &[tag, family as u64, case]);
                let source = Source::new(family, &mut dice);
                run(&mut dice, &source, &mut record);
            }
            rows.push((name, record));
        }
    }
    compare(table, columns, &rows);
}

/// Compares rows with a table, or writes it.
pub(crate) fn compare(table: &str, columns: &[&str], rows: &[(String, Record)]) {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Compiled for users, the manifest is that of tests/release.
    let folder = if manifest.ends_with("tests/release") {
        manifest.join("../narrow_work")
    } else {
        manifest.join("tests/narrow_work")
    };
    let path = folder.join(format!("{table}.tsv"));
    let head = format!("cases\t{}\tresults", columns.join("\t"));
    let line = |(name, record): &(String, Record)| {
        let counts: Vec<String> = record.counts.iter().map(u64::to_string).collect();
        format!("{name}\t{}\t{:016x}", counts.join("\t"), record.sum)
    };
    if std::env::var_os("KINETREE_UPDATE_WORK").is_some() {
        let lines = rows.iter().map(|row| line(row) + "\n");
        std::fs::write(&path, format!("{head}\n{}", lines.collect::<String>())).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let mut pinned = text.lines();
    assert_eq!(pinned.next(), Some(head.as_str()), "{table}: other columns");
    let mut differences = Vec::new();
    for row in rows {
        let (expected, found) = (pinned.next().unwrap_or_default(), line(row));
        if found != expected {
            let fields = head.split('\t').zip(expected.split('\t').zip(found.split('\t')));
            let changed =
                fields.filter(|(_, (old, new))| old != new).map(|(name, (old, new))| format!("{name} {old} -> {new}"));
            differences.push(format!("{}: {}", row.0, changed.collect::<Vec<_>>().join(", ")));
        }
    }
    assert!(
        differences.is_empty() && pinned.next().is_none(),
        "{table}: other results than tests/narrow_work/{table}.tsv says; if that is wanted, run with \
         KINETREE_UPDATE_WORK=1\n{}",
        differences.join("\n")
    );
}
