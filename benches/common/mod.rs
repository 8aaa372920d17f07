//! What the benchmarks share: a clock of processor time, scenes, and tables.
#![allow(dead_code, unreachable_pub, reason = "every benchmark uses a part of it")]

pub mod balls;
pub mod clock;
#[path = "../../tests/common/data.rs"]
pub mod data;
#[path = "../../tests/common/handed_on.rs"]
pub mod handed_on;
pub mod pair_contacts;
pub mod queues;
pub mod scenes;

/// Prints a table's head and, under it, a line.
pub fn heading(title: &str, columns: &[(&str, usize)]) {
    println!("\n{title}");
    let line: Vec<String> = columns.iter().map(|(name, width)| format!("{name:>width$}")).collect();
    println!("{}", line.join("  "));
    println!("{}", "-".repeat(line.iter().map(String::len).sum::<usize>() + 2 * (columns.len() - 1)));
}
