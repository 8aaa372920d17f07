//! Tables: a row for every family of inputs and block of cases.

use crate::dice::Dice;
use crate::inputs::{Family, Source};
use crate::record::Record;
use crate::tables;

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
    let head = format!("cases\t{}\tresults", columns.join("\t"));
    let line = |(name, record): &(String, Record), _: Option<&str>| {
        let counts: Vec<String> = record.counts.iter().map(u64::to_string).collect();
        format!("{name}\t{}\t{:016x}", counts.join("\t"), record.sum)
    };
    tables::compare(("narrow_work", table), &head, rows, |(name, _)| name, line);
}
