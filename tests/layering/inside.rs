//! Arrows between the rooms of one module. Reads every path to the module (`crate::world::…`,
//! `super::…`, groups in braces), looks up names that the module's root re-exports, and fails on an
//! arrow that the table does not allow.
//!
//! In `world` the rooms share the type `World`. So for it a second test reads calls of its methods.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::source_files;

/// A room of a module: its files and folders, and the rooms it may use besides itself.
type Room = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The rooms of a module, from the lowest to the highest. What the root file itself holds is not a
/// room.
const ROOMS: [(&str, &[Room]); 3] = [("world", WORLD), ("reduced", REDUCED), ("interval", INTERVAL)];

const WORLD: &[Room] = &[
    ("caps", &["caps"], &[]),
    ("def", &["def", "engine"], &["caps"]),
    ("error", &["error"], &["def"]),
    ("rule", &["rule"], &[]),
    ("tree", &["tree"], &["def", "rule"]),
    ("body", &["body"], &["def", "error", "rule", "tree"]),
    ("contact", &["contact"], &["rule", "body"]),
    ("pair", &["pair"], &["caps", "rule", "tree", "body", "contact"]),
    ("step", &["step"], &["caps", "def", "error", "rule", "body", "contact", "pair"]),
    ("change", &["change"], &["def", "error", "rule", "tree", "body", "contact", "pair", "step"]),
    ("trial", &["trial"], &["error", "rule", "tree", "body", "contact", "pair", "change"]),
    ("query", &["query"], &["def", "error", "tree", "body", "contact", "pair", "step", "change"]),
    ("saved", &["saved"], &["def", "body"]),
    ("recording", &["recording"], &["error", "rule", "tree", "body", "contact"]),
];

const REDUCED: &[Room] = &[
    ("error", &["driver_fault", "error"], &[]),
    ("models", &["affine", "influences", "mesh", "morph", "pose", "shared", "spherical"], &["error"]),
    (
        "drivers",
        &[
            "body",
            "check_driver",
            "driver",
            "joint_derivatives",
            "joint_poses",
            "joint_tracks",
            "meshless",
            "radial",
            "mix",
            "pair_lanes",
            "pieces",
            "placed",
            "pose_keys",
            "pose_times",
            "rig",
            "sequence",
            "set_bounds",
            "set_derivatives",
            "set_pose",
            "shortest",
            "tetrahedra",
            "track",
            "turning",
        ],
        &["error", "models"],
    ),
    ("bounds", &["bounds"], &["error", "models", "drivers"]),
    ("sphere_tree", &["sphere_tree"], &["error", "models", "drivers"]),
    ("flightplan", &["flightplan", "key_cache", "keyframes"], &["error", "models", "drivers", "bounds", "sphere_tree"]),
    ("stream", &["stream"], &["error", "models", "drivers", "flightplan"]),
];

const INTERVAL: &[Room] = &[
    ("error", &["error"], &[]),
    ("boxes", &["boxes", "layout", "points", "sweep", "track"], &["error"]),
    ("pairs", &["pairs"], &["error", "boxes"]),
];

/// Rooms of `world` that may name the type `World`: the others work on its parts.
const OF_WHOLE_WORLD: [&str; 6] = ["step", "change", "trial", "query", "saved", "recording"];

/// The code of a file without comments and without its test module.
fn code_of(text: &str) -> String {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let end = code.iter().position(|line| line.starts_with("mod tests {")).unwrap_or(code.len());
    code[..end].join("\n")
}

/// All paths that begin with `crate::` or `super::`, groups in braces opened.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (place, _) in code.match_indices(start) {
            let before = code[..place].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || before == '_' || before == ':' {
                continue;
            }
            read_tree(&code[place..], &mut Vec::new(), &mut found);
        }
    }
    found
}

/// Reads a path, or a group of paths; returns what follows.
fn read_tree<'a>(mut rest: &'a str, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> &'a str {
    let depth = prefix.len();
    loop {
        rest = rest.trim_start();
        if let Some(mut group) = rest.strip_prefix('{') {
            loop {
                group = read_tree(group, prefix, found).trim_start();
                match group.strip_prefix(',') {
                    Some(next) if !next.trim_start().starts_with('}') => group = next,
                    Some(next) => group = next.trim_start(),
                    None => break,
                }
                if group.starts_with('}') {
                    break;
                }
            }
            prefix.truncate(depth);
            return group.strip_prefix('}').unwrap_or(group);
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, next) = rest.split_at(end);
        prefix.push(name.to_owned());
        match next.strip_prefix("::") {
            Some(next) if next.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{') => {
                rest = next;
            }
            _ => {
                found.push(prefix.clone());
                prefix.truncate(depth);
                return next;
            }
        }
    }
}

/// A path from the crate's root, for one read in a module.
fn absolute(path: &[String], place: &[String]) -> Vec<String> {
    if path[0] == "crate" {
        return path[1..].to_vec();
    }
    let up = path.iter().take_while(|segment| *segment == "super").count();
    let mut full = place[..place.len().saturating_sub(up)].to_vec();
    full.extend(path[up..].iter().cloned());
    full
}

/// The files of a module with their module paths and code; the root file first.
fn files_of(module: &str) -> Vec<(Vec<String>, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root.join(module), &mut files);
    let mut read: Vec<(Vec<String>, String)> = files
        .iter()
        .filter(|path| !path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests")))
        .map(|path| {
            let inside = path.strip_prefix(&root).unwrap().with_extension("");
            let mut place: Vec<String> =
                inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            if place.last().is_some_and(|name| name == "mod") {
                place.pop();
            }
            (place, code_of(&fs::read_to_string(path).unwrap()))
        })
        .collect();
    read.sort();
    read
}

/// Names that the root file of a module re-exports, with the file each comes from.
fn reexports(root: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for statement in root.split(';').filter_map(|it| it.find("use ").map(|place| &it[place + 4..])) {
        let mut found = Vec::new();
        read_tree(statement, &mut Vec::new(), &mut found);
        for path in found.iter().filter(|path| path.len() > 1 && path[0] != "crate") {
            names.insert(path[path.len() - 1].clone(), path[0].clone());
        }
    }
    names
}

fn room_of(module: &str, file: &str) -> Option<&'static str> {
    let (_, rooms) = ROOMS.iter().find(|(name, _)| *name == module)?;
    rooms.iter().find(|(_, files, _)| files.contains(&file)).map(|(room, ..)| *room)
}

fn may_use(module: &str, room: &str, other: &str) -> bool {
    let (_, rooms) = ROOMS.iter().find(|(name, _)| *name == module).unwrap();
    let (_, _, allowed) = rooms.iter().find(|(name, ..)| *name == room).unwrap();
    room == other || allowed.contains(&other)
}

/// Forbidden arrows of one file.
fn faults(module: &str, place: &[String], code: &str, names: &BTreeMap<String, String>) -> Vec<String> {
    let Some(room) = room_of(module, &place[1]) else { return vec![format!("{place:?} is in no room")] };
    let mut faults = Vec::new();
    for path in paths_in(code).iter().map(|path| absolute(path, place)) {
        if path.first().is_none_or(|first| first != module) || path.len() < 2 {
            continue;
        }
        if module == "world" && path[1] == "World" && !OF_WHOLE_WORLD.contains(&room) {
            faults.push(format!("{}: '{room}' names World", place.join("/")));
        }
        let file = names.get(&path[1]).unwrap_or(&path[1]);
        match room_of(module, file) {
            Some(other) if !may_use(module, room, other) => {
                faults.push(format!("{}: '{room}' uses '{other}' by {}", place.join("/"), path.join("::")));
            }
            _ => {}
        }
    }
    faults
}

#[test]
fn arrows_between_rooms_point_one_way() {
    for (module, _) in ROOMS {
        let files = files_of(module);
        let names = reexports(&files[0].1);
        let mut all = Vec::new();
        for (place, code) in files.iter().filter(|(place, _)| place.len() > 1) {
            all.extend(faults(module, place, code, &names));
        }
        assert!(files.len() > 5 && all.is_empty(), "{}", all.join("\n"));
    }
}

#[test]
fn rooms_are_listed_from_the_lowest_to_the_highest() {
    for (module, rooms) in ROOMS {
        let mut below = BTreeSet::new();
        for (room, _, uses) in rooms {
            assert!(uses.iter().all(|used| below.contains(used)), "{module}: '{room}' uses a higher room");
            below.insert(*room);
        }
    }
}

#[test]
fn methods_of_the_world_are_called_downward() {
    let files = files_of("world");
    let is_root = |place: &[String]| place.len() == 1;
    // Rooms by the methods that they define on `World`.
    let mut rooms: BTreeMap<String, &str> = BTreeMap::new();
    for (place, code) in files.iter().filter(|(place, _)| !is_root(place)) {
        let room = room_of("world", &place[1]).unwrap();
        for block in code.split("\nimpl World {").skip(1) {
            let block = &block[..block.find("\n}").unwrap()];
            for (start, _) in block.match_indices("fn ") {
                let name: String =
                    block[start + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                rooms.insert(name, room);
            }
        }
    }
    assert!(rooms.len() > 40, "{rooms:?}");
    let mut all = Vec::new();
    for (place, code) in files.iter().filter(|(place, _)| !is_root(place)) {
        let room = room_of("world", &place[1]).unwrap();
        for block in code.split("\nimpl World {").skip(1) {
            let block = &block[..block.find("\n}").unwrap()];
            for (method, other) in &rooms {
                if block.contains(&format!("self.{method}(")) && !may_use("world", room, other) {
                    all.push(format!("{}: '{room}' calls {method} of '{other}'", place.join("/")));
                }
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_forbidden_arrow_between_rooms_is_found() {
    let place = |path: &[&str]| path.iter().map(|part| (*part).to_owned()).collect::<Vec<String>>();
    let names: BTreeMap<String, String> = [("Contact".to_owned(), "contact".to_owned())].into();
    let count = |path: &[&str], code: &str| faults("world", &place(path), code, &names).len();
    assert_eq!(count(&["world", "rule", "x"], "use crate::world::def::Engine;"), 1);
    assert_eq!(count(&["world", "body", "x"], "use crate::world::rule::PairRule;"), 0);
    assert_eq!(
        count(&["world", "body", "x"], "use crate::world::{\n    rule::PairRule,\n    pair::{Pairs, task},\n};"),
        2
    );
    assert_eq!(count(&["world", "body", "x"], "use super::super::pair::Pairs;"), 1);
    assert_eq!(count(&["world", "body"], "use super::Contact;"), 1);
    assert_eq!(count(&["world", "body", "x"], "let a = crate::world::World::new();"), 1);
    assert_eq!(count(&["world", "step", "x"], "use crate::world::World;"), 0);
    assert_eq!(count(&["world", "attic", "x"], ""), 1);
    assert_eq!(paths_in(&code_of("// use crate::world::x;\nmod tests {\n    use super::*;\n}")).len(), 0);
}
