//! `kinetree bench` as a user runs it: what it writes, and what it refuses.

#![cfg(feature = "cli")]

mod io_support;
mod program;

use std::path::Path;
use std::process::Output;

use io_support::Folder;
use program::text;

fn run(arguments: &[&str]) -> Output {
    program::run(&[&["bench"], arguments].concat())
}

/// The elements of an SVG file by name, if it is well-formed: one root, tags that match, quoted attributes named once, known
/// entities. Panics otherwise.
fn elements(svg: &str) -> Vec<String> {
    let (mut open, mut names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start]);
        assert!(!open.is_empty() || names.is_empty(), "something follows the root");
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
        assert!(!name.is_empty() && name.chars().all(char::is_alphanumeric), "<{tag}>");
        check_attributes(attributes);
        names.push(name.to_owned());
        if !tag.ends_with('/') {
            open.push(name.to_owned());
        }
    }
    assert!(rest.trim().is_empty() && open.is_empty() && !names.is_empty(), "{open:?} are not closed");
    names
}

fn check_attributes(attributes: &str) {
    let mut seen = Vec::new();
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").expect("attributes are name=\"value\"");
        let (value, after) = after.split_once('"').expect("values are quoted");
        assert!(!name.contains(char::is_whitespace) && !seen.contains(&name), "{attributes}");
        check_text(value);
        assert!(!value.contains("NaN") && !value.contains("inf"), "{attributes}");
        seen.push(name);
        rest = after.trim_start();
    }
}

fn check_text(text: &str) {
    for (place, _) in text.match_indices('&') {
        let is_known = ["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|known| text[place..].starts_with(known));
        assert!(is_known, "{text}");
    }
    assert!(!text.contains('>'), "{text}");
}

const COLUMNS: [&str; 22] = [
    "scene",
    "triangles",
    "key_intervals",
    "interpolated",
    "frames",
    "leaf_size",
    "method",
    "nodes",
    "tree_events",
    "list_events",
    "updates",
    "flightplans",
    "replanned",
    "listed",
    "most_per_node",
    "update_ms_per_frame",
    "check_ms_per_frame",
    "total_ms_per_frame",
    "checks",
    "contacts",
    "repeats",
    "log_hash",
];

/// Rows of bench.csv, cell by cell.
fn rows(path: &str) -> Vec<Vec<String>> {
    let file = std::fs::read_to_string(path).unwrap();
    let mut lines = file.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), COLUMNS);
    let rows: Vec<Vec<String>> = lines.collect();
    assert!(rows.iter().all(|row| row.len() == COLUMNS.len()));
    rows
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let place = COLUMNS.iter().position(|&column| column == name).unwrap();
    rows.iter().map(|row| row[place].clone()).collect()
}

fn numbers(rows: &[Vec<String>], name: &str) -> Vec<f64> {
    column(rows, name).iter().map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn a_small_run_writes_rows_and_figures() {
    let folder = Folder::new();
    let sizes = ["dress", "--triangles", "2000,3000", "--keys", "3", "--interpolated", "1,4", "--repeat", "1"];
    let out = folder.at("new/folder");
    let output = run(&[&sizes[..], &["--out", &out]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows = rows(&format!("{out}/bench.csv"));
    // Five methods: two numbers of frames over the smaller mesh, the one nearest to 10 over the larger.
    assert_eq!(rows.len(), 15);
    assert_eq!(column(&rows, "interpolated").iter().filter(|cell| *cell == "4").count(), 10);
    let table = text(&output.stdout);
    assert_eq!(table.lines().count(), 16, "{table}");
    assert!(table.contains("kinetic BoxTree") && table.contains("bottom-up refit"));
    let contacts = numbers(&rows, "contacts");
    assert!(contacts.iter().all(|&contacts| contacts > 0.0), "nothing touches");
    for name in ["update_ms_per_frame", "check_ms_per_frame", "total_ms_per_frame"] {
        assert!(numbers(&rows, name).iter().all(|time| time.is_finite() && *time >= 0.0));
    }
    let (methods, events) = (column(&rows, "method"), numbers(&rows, "tree_events"));
    assert!(methods.iter().zip(events).all(|(method, events)| (method == "bottom-up") == (events == 0.0)));
    // The scene has no panel in figures 18 and 21.
    for (file, panels) in [("figure_19.svg", 2), ("figure_22.svg", 2), ("events_vs_triangles.svg", 3)] {
        let svg = std::fs::read_to_string(format!("{out}/{file}")).unwrap();
        let names = elements(&svg);
        assert_eq!(names[0], "svg", "{file}");
        assert!(names.iter().filter(|name| *name == "polyline").count() >= panels, "{file}");
        assert_eq!(svg.matches("rotate(-90").count(), panels, "{file}");
        assert!(svg.len() < 100_000);
    }
    assert!(!Path::new(&out).join("figure_21.svg").exists());
}

#[test]
fn counts_are_the_same_in_every_run() {
    let folder = Folder::new();
    let counts = |name: &str| {
        let out = folder.at(name);
        let options = ["spheres", "--triangles", "600", "--interpolated", "2", "--keys", "80", "-q", "--out", &out];
        let output = run(&options);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
        let rows = rows(&format!("{out}/bench.csv"));
        assert!(numbers(&rows, "flightplans").iter().all(|&updates| updates > 0.0));
        COLUMNS.iter().filter(|name| !name.contains("_ms_")).map(|name| column(&rows, name)).collect::<Vec<_>>()
    };
    assert_eq!(counts("one"), counts("two"));
}

#[test]
fn bad_usage_ends_with_status_2_and_says_why() {
    let folder = Folder::new();
    let file = folder.at("file");
    std::fs::write(&file, "").unwrap();
    let inside = format!("{file}/folder");
    let cases: [(&[&str], &[&str]); 9] = [
        (&["hat"], &["hat", "tablecloth"]),
        (&["dress", "--interpolated", "0"], &["--interpolated", "0"]),
        (&["dress", "--interpolated", "10,x"], &["--interpolated", "x"]),
        (&["dress", "--triangles", "0"], &["--triangles", "0"]),
        (&["dress", "--triangles", "99999999999"], &["--triangles", "99999999999"]),
        (&["dress", "--keys", "1"], &["--keys", "1"]),
        (&["dress", "--leaf", "0"], &["--leaf", "0"]),
        (&["dress", "--repeat", "0"], &["--repeat"]),
        (&["dress", "--out", &inside], &[&inside]),
    ];
    for (arguments, parts) in cases {
        let output = run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{arguments:?}: {message}");
        assert!(!message.contains("panicked") && output.stdout.is_empty(), "{message}");
    }
}
