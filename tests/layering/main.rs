//! The arrows between modules point one way. Reads every `crate::…` path in `src/` (comments left
//! out) and fails on one that the table in docs/ARCHITECTURE.md does not allow.

mod inside;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules every other may use.
const BASE: [&str; 12] =
    ["limits", "tuning", "time", "id", "stats", "simd", "sets", "sorted", "threads", "bytes", "cancel", "saved"];

/// Per module, what it may use besides the base and itself.
const ALLOWED: [(&str, &[&str]); 35] = [
    ("limits", &[]),
    ("tuning", &[]),
    ("time", &[]),
    ("id", &[]),
    ("stats", &[]),
    ("simd", &[]),
    ("sets", &[]),
    ("sorted", &[]),
    ("threads", &[]),
    ("bytes", &[]),
    ("saved", &[]),
    ("cancel", &[]),
    ("math", &[]),
    ("mesh", &["math"]),
    ("motion", &["math"]),
    ("bvh", &["math", "mesh", "motion"]),
    ("narrow", &["math", "mesh", "motion"]),
    ("kinetic", &["math", "mesh", "motion", "bvh"]),
    ("oracle", &["math", "narrow"]),
    ("refit", &["math", "mesh", "motion", "bvh", "narrow"]),
    ("geometry", &["math", "mesh", "motion", "bvh", "narrow"]),
    ("incident", &["math", "mesh", "geometry"]),
    ("interval", &["math", "mesh", "motion", "bvh", "narrow"]),
    ("baked", &["math", "motion", "bvh", "kinetic", "interval"]),
    ("reduced", &["math", "mesh", "motion", "bvh", "kinetic", "narrow", "refit"]),
    ("proxy", &["math", "mesh", "motion"]),
    (
        "world",
        &["math", "mesh", "motion", "bvh", "kinetic", "narrow", "oracle", "refit", "interval", "geometry", "baked"],
    ),
    ("scenes", &[]),
    ("replay", &["bvh", "motion", "kinetic", "baked", "world"]),
    (
        "error",
        &["mesh", "motion", "geometry", "incident", "baked", "reduced", "proxy", "world", "replay", "io", "check"],
    ),
    ("draw", &["math", "motion", "geometry", "world"]),
    ("io", &["math", "mesh", "motion", "reduced", "bvh", "kinetic", "baked", "incident", "world"]),
    ("check", &["math", "mesh", "motion", "kinetic", "geometry", "incident", "world", "io"]),
    ("report", &["math", "mesh", "motion", "geometry", "incident", "world", "io", "check"]),
    (
        "cli",
        &[
            "math", "mesh", "motion", "bvh", "kinetic", "narrow", "refit", "geometry", "incident", "world", "replay",
            "scenes", "io", "check", "report", "proxy",
        ],
    ),
];

/// Inside a module, which part may not use which other part.
const SEPARATE: [(&str, &str); 21] = [
    ("kinetic/bounded_tree", "aabb_tree"),
    ("kinetic/bounded_tree", "box_tree"),
    ("kinetic/bounded_tree", "separation_list"),
    ("kinetic/bounded_tree", "broad_phase"),
    ("kinetic/aabb_tree", "bounded_tree"),
    ("kinetic/separation_list", "bounded_tree"),
    ("kinetic/broad_phase", "bounded_tree"),
    ("kinetic/box_tree", "aabb_tree"),
    ("kinetic/box_tree", "separation_list"),
    ("kinetic/box_tree", "broad_phase"),
    ("kinetic/aabb_tree", "box_tree"),
    ("kinetic/separation_list", "box_tree"),
    ("kinetic/broad_phase", "box_tree"),
    ("kinetic/aabb_tree", "separation_list"),
    ("kinetic/aabb_tree", "broad_phase"),
    ("kinetic/separation_list", "aabb_tree"),
    ("kinetic/separation_list", "broad_phase"),
    ("kinetic/broad_phase", "aabb_tree"),
    ("kinetic/broad_phase", "separation_list"),
    ("kinetic/event", "certificate"),
    ("kinetic/certificate", "event"),
];

fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    ALLOWED.into_iter().collect()
}

/// Faults of one file of one module.
fn faults(module: &str, file: &str, text: &str) -> Vec<String> {
    let table = allowed();
    let mut faults = Vec::new();
    let Some(may_use) = table.get(module) else {
        return vec![format!("{file}: module '{module}' is not in the table")];
    };
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for used in paths_in(code) {
            let known = used == module || BASE.contains(&used.as_str()) || may_use.contains(&used.as_str());
            if !known && table.contains_key(used.as_str()) {
                faults.push(format!("{file}:{}: '{module}' uses '{used}'", number + 1));
            }
        }
        for (part, other) in SEPARATE {
            if file.starts_with(&format!("{part}/")) && paths_name(code, other) {
                faults.push(format!("{file}:{}: '{part}' uses '{other}'", number + 1));
            }
        }
        let prints = ["println!", "eprintln!", "print!", "eprint!", "dbg!"];
        if module != "cli" && prints.iter().any(|print| code.contains(print)) {
            faults.push(format!("{file}:{}: only the program prints", number + 1));
        }
    }
    faults
}

/// Whether a path of the code has a segment of this name.
fn paths_name(code: &str, segment: &str) -> bool {
    [format!("::{segment}::"), format!("{segment}::"), format!("::{segment};")].iter().any(|path| code.contains(path))
}

/// Top-level modules named by `crate::x` and by `use crate::{x, y::…}`.
fn paths_in(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        let rest = &code[start + "crate::".len()..];
        let name = |text: &str| text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
        if let Some(group) = rest.strip_prefix('{') {
            found.extend(group.split(',').map(|part| name(part.trim_start())));
        } else {
            found.push(name(rest));
        }
    }
    found
}

pub(crate) fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn arrows_point_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let mut checked = 0;
    let mut all = Vec::new();
    for path in files {
        let inside = path.strip_prefix(&root).unwrap();
        if inside.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if module == "lib" || module == "main" {
            continue;
        }
        checked += 1;
        all.extend(faults(module, inside.to_str().unwrap(), &fs::read_to_string(&path).unwrap()));
    }
    assert!(checked > 30, "only {checked} files found");
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_forbidden_arrow_is_found() {
    assert_eq!(faults("motion", "motion/x.rs", "use crate::time::Moment;\nuse crate::math::Aabb;").len(), 0);
    assert_eq!(faults("motion", "motion/x.rs", "use crate::bvh::Topology;").len(), 1);
    assert_eq!(faults("bvh", "bvh/x.rs", "let a = crate::world::World::new();").len(), 1);
    assert_eq!(faults("bvh", "bvh/x.rs", "// crate::world is above").len(), 0);
    assert_eq!(faults("math", "math/x.rs", "use crate::{time::Span, world::World};").len(), 1);
    assert_eq!(faults("kinetic", "kinetic/aabb_tree/x.rs", "use super::super::separation_list::X;").len(), 1);
    assert_eq!(faults("world", "world/x.rs", "println!(\"hello\");").len(), 1);
    assert_eq!(faults("attic", "attic/x.rs", "").len(), 1);
}

#[test]
fn the_table_has_no_cycle() {
    let table = allowed();
    for (module, uses) in &table {
        let mut reached: Vec<&str> = uses.to_vec();
        let mut next = 0;
        while next < reached.len() {
            assert_ne!(reached[next], *module, "'{module}' reaches itself");
            for used in table[reached[next]] {
                if !reached.contains(used) {
                    reached.push(used);
                }
            }
            next += 1;
        }
    }
}
