//! The message that each bad input gets, as the table of docs/NUMERICS.md has it, and that nothing
//! is left half done. `KINETREE_UPDATE_MESSAGES=1` writes the table.

#![cfg(feature = "cli")]

#[path = "../io_support/mod.rs"]
mod io_support;
mod library;
#[path = "../program/mod.rs"]
mod program;
mod program_inputs;

use std::fmt::{Debug, Write as _};
use std::fs;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/NUMERICS.md");
const BEGIN: &str = "<!-- messages: tests/bad_inputs writes what follows -->\n";
const ACCEPTED: &str = "accepted: ";
const END: &str = "<!-- end of messages -->\n";

/// An input, and the message it gets.
struct Row {
    input: &'static str,
    message: String,
}

/// The row of an input that must be refused.
fn refused<T: Debug, E: std::error::Error>(input: &'static str, result: Result<T, E>) -> Row {
    Row { input, message: result.map_or_else(|error| error.to_string(), |value| format!("{ACCEPTED}{value:?}")) }
}

fn table(title: &str, rows: &[Row]) -> String {
    let mut text = format!("\n### {title}\n\n| input | message |\n|---|---|\n");
    for Row { input, message } in rows {
        let _ = writeln!(text, "| {input} | {} |", message.replace('|', "\\|").replace('\n', " "));
    }
    text
}

#[test]
fn each_bad_input_has_its_message() {
    let tables = [
        ("Meshes and motions", library::meshes_and_motions()),
        ("Calls of a world", library::calls_of_a_world()),
        ("Predicates and models", library::predicates_and_models()),
        ("Files and arguments of the program", program_inputs::all()),
    ];
    let count: usize = tables.iter().map(|(_, rows)| rows.len()).sum();
    assert!(count >= 80, "{count} inputs");
    let rows = tables.iter().flat_map(|(_, rows)| rows);
    let is_wrong =
        |row: &&Row| row.message.len() < 16 || [ACCEPTED, "panicked"].iter().any(|it| row.message.contains(it));
    let wrong: Vec<String> = rows.filter(is_wrong).map(|row| format!("{}: {}", row.input, row.message)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let found: String = tables.iter().map(|(title, rows)| table(title, rows)).collect();
    let found = format!("{found}\n{count} inputs.\n\n");
    let page = fs::read_to_string(PAGE).unwrap();
    let begin = page.find(BEGIN).expect("the begin of the table") + BEGIN.len();
    let end = page.find(END).expect("the end of the table");
    if std::env::var_os("KINETREE_UPDATE_MESSAGES").is_some() {
        fs::write(PAGE, format!("{}{found}{}", &page[..begin], &page[end..])).unwrap();
        return;
    }
    let mut lines = page[begin..end].lines().zip(found.lines());
    if let Some((written, found)) = lines.find(|(written, found)| written != found) {
        panic!("docs/NUMERICS.md has\n{written}\nand the message is\n{found}");
    }
    assert_eq!(page[begin..end].lines().count(), found.lines().count());
}
