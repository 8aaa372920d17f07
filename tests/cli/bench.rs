//! `kinetree bench` as a user runs it: what it writes, and what it refuses.

use crate::program;
use std::path::Path;
use std::process::Output;

use crate::io_support::Folder;
use crate::program::text;

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

const COLUMNS: [&str; 28] = [
    "scene",
    "triangles",
    "key_intervals",
    "interpolated",
    "frames",
    "leaf_size",
    "method",
    "nodes",
    "tree_events",
    "leaf_events",
    "list_events",
    "met",
    "leaves_parted",
    "parents_parted",
    "witnesses",
    "updates",
    "flightplans",
    "replanned",
    "listed",
    "most_per_node",
    "bytes",
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
    // Six methods: two numbers of frames over the smaller mesh, the one nearest to 10 over the larger.
    assert_eq!(rows.len(), 18);
    assert_eq!(column(&rows, "interpolated").iter().filter(|cell| *cell == "4").count(), 12);
    let table = text(&output.stdout);
    assert_eq!(table.lines().count(), 19, "{table}");
    assert!(table.contains("kinetic BoxTree") && table.contains("bottom-up refit"));
    let contacts = numbers(&rows, "contacts");
    assert!(contacts.iter().all(|&contacts| contacts > 0.0), "nothing touches");
    check_times(&rows);
    check_counts(&rows);
    // The scene has no panel in figures 18 and 21.
    let figures = [
        ("figure_19.svg", 2),
        ("figure_22.svg", 2),
        ("events_vs_triangles.svg", 3),
        ("events_by_kind.svg", 2),
        ("memory_and_lists.svg", 2),
    ];
    for (file, panels) in figures {
        let svg = std::fs::read_to_string(format!("{out}/{file}")).unwrap();
        let names = elements(&svg);
        assert_eq!(names[0], "svg", "{file}");
        assert!(names.iter().filter(|name| *name == "polyline").count() >= panels, "{file}");
        assert_eq!(svg.matches("rotate(-90").count(), panels, "{file}");
        assert!(svg.len() < 100_000);
    }
    assert!(!Path::new(&out).join("figure_21.svg").exists());
    let picture = std::fs::read(format!("{out}/scene_dress.png")).unwrap();
    assert_eq!(&picture[1..4], b"PNG");
}

/// Update and check add up to the total; the default world has the total alone.
fn check_times(rows: &[Vec<String>]) {
    let (update, check) = (column(rows, "update_ms_per_frame"), column(rows, "check_ms_per_frame"));
    let total = numbers(rows, "total_ms_per_frame");
    for (index, method) in column(rows, "method").iter().enumerate() {
        if method == "world" {
            assert!(update[index].is_empty() && check[index].is_empty() && total[index] > 0.0);
            continue;
        }
        let parts = [&update, &check].map(|times| times[index].parse::<f64>().unwrap());
        assert!(parts.iter().all(|time| *time >= 0.0) && (parts[0] + parts[1] - total[index]).abs() < 3e-5);
    }
}

/// Kinds of events add up, and methods have the kinds that they must have.
fn check_counts(rows: &[Vec<String>]) {
    let count = |name: &str| numbers(rows, name);
    let kinds = ["met", "leaves_parted", "parents_parted", "witnesses"].map(count);
    let (trees, leaves, lists) = (count("tree_events"), count("leaf_events"), count("list_events"));
    let (listed, bytes) = (count("listed"), count("bytes"));
    for (index, method) in column(rows, "method").iter().enumerate() {
        assert_eq!(kinds.each_ref().map(|kind| kind[index]).iter().sum::<f64>(), lists[index]);
        let has_trees = !["bottom-up", "world"].contains(&method.as_str());
        assert_eq!(has_trees, trees[index] > 0.0, "{method}");
        // The planes of a BoxTree are of inner nodes.
        let has_leaves = has_trees && method.ends_with("aabb");
        assert_eq!(has_leaves, leaves[index] > 0.0, "{method}");
        assert!(leaves[index] <= trees[index], "{method}");
        let has_list = method.starts_with("incremental");
        assert_eq!(has_list, kinds[0][index] > 0.0 && listed[index] > 0.0, "{method}");
        assert!(bytes[index] > 0.0, "{method}");
    }
}

#[test]
fn rows_of_earlier_runs_are_drawn_together() {
    let folder = Folder::new();
    let (one, two, both) = (folder.at("one"), folder.at("two"), folder.at("both"));
    let run_into = |out: &str, triangles: &str, more: &[&str]| {
        let options = ["dress", "--triangles", triangles, "--keys", "3", "--interpolated", "4", "--repeat", "1", "-q"];
        let output = run(&[&options[..], &["--out", out], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    run_into(&one, "2000", &[]);
    run_into(&two, "3000", &["--method", "incremental-aabb,bottom-up"]);
    let files = [&one, &two, &one].map(|out| format!("{out}/bench.csv"));
    let output = run(&["-q", "--rows", &files.join(","), "--interpolated", "4", "--out", &both]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = |out: &str| {
        let file = std::fs::read_to_string(format!("{out}/bench.csv")).unwrap();
        file.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = [lines(&one), lines(&two)[1..].to_vec()].concat();
    assert_eq!(expected.len(), 9);
    assert_eq!(lines(&both), expected);
    // Two sizes of a method make a curve.
    let svg = std::fs::read_to_string(format!("{both}/figure_22.svg")).unwrap();
    assert!(svg.contains(">bottom-up refit<"), "{svg}");
    // Damaged rows are refused.
    let lines = std::fs::read_to_string(&files[0]).unwrap();
    for (from, to, part) in [("dress,", "hat,", "hat"), (",aabb,", ",rope,", "rope"), (",4,8,", ",0,8,", "row 1")] {
        let file = folder.at("damaged.csv");
        std::fs::write(&file, lines.replace(from, to)).unwrap();
        let output = run(&["--rows", &file, "--out", &both]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part) && message.contains("damaged.csv"), "{message}");
    }
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
    let cases: [(&[&str], &[&str]); 12] = [
        (&["hat"], &["hat", "tablecloth"]),
        (&["dress", "--interpolated", "0"], &["--interpolated", "0"]),
        (&["dress", "--interpolated", "10,x"], &["--interpolated", "x"]),
        (&["dress", "--triangles", "0"], &["--triangles", "0"]),
        (&["dress", "--triangles", "99999999999"], &["--triangles", "99999999999"]),
        (&["dress", "--keys", "1"], &["--keys", "1"]),
        (&["dress", "--leaf", "0"], &["--leaf", "0"]),
        (&["dress", "--repeat", "0"], &["--repeat"]),
        (&["dress", "--out", &inside], &[&inside]),
        (&["dress", "--method", "sorcery"], &["--method", "sorcery", "incremental-box"]),
        (&["--rows", &inside, "--out", &folder.at("out")], &["--rows", &inside]),
        (&["--rows", &file], &["--out"]),
    ];
    for (arguments, parts) in cases {
        let output = run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{arguments:?}: {message}");
        assert!(!message.contains("panicked") && output.stdout.is_empty(), "{message}");
    }
}
