//! The woven tree: copied, compiled, and cleared of mutants that the compiler refuses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::plan::{File, Mutant};
use crate::weave::{Chosen, Place, SWITCH, weave};
use crate::{Failure, cfg};

/// Where things are.
pub struct Paths {
    /// The repository.
    pub root: PathBuf,
    /// `target/mutants`: the woven tree, the list, the results.
    pub work: PathBuf,
    /// The folder that cargo builds the woven tree in.
    pub target: PathBuf,
}

impl Paths {
    /// The copy of the repository with the switches.
    pub fn tree(&self) -> PathBuf {
        self.work.join("tree")
    }

    /// A cargo command in the woven tree.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new("cargo");
        command
            .current_dir(self.tree())
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .stderr(Stdio::inherit());
        command
    }
}

/// Copies what git knows of the repository, as it stands in the folder.
pub fn copy_tree(paths: &Paths) -> Result<(), Failure> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(&paths.root).output()?;
    if !listed.status.success() {
        return Err("git ls-files fails".into());
    }
    for name in String::from_utf8(listed.stdout)?.split('\0').filter(|n| !n.is_empty()) {
        let (from, to) = (paths.root.join(name), paths.tree().join(name));
        // A file that has not changed keeps its time, so that it is not compiled again.
        let Ok(bytes) = fs::read(&from) else { continue };
        if name.starts_with("src/") || fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        fs::create_dir_all(to.parent().ok_or("a file without folder")?)?;
        fs::write(to, bytes)?;
    }
    Ok(())
}

/// Writes all source files, those of `files` with the switches of the mutants that are built.
pub fn write_sources(
    paths: &Paths,
    files: &[File],
    mutants: &[Mutant],
) -> Result<BTreeMap<String, Vec<Place>>, Failure> {
    let listed = Command::new("git").args(["ls-files", "-z", "src"]).current_dir(&paths.root).output()?;
    let mut places = BTreeMap::new();
    for name in String::from_utf8(listed.stdout)?.split('\0').filter(|n| !n.is_empty()) {
        let mut text = fs::read_to_string(paths.root.join(name))?;
        if let Some(file) = files.iter().find(|f| f.path == name) {
            let mut by_point: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
            for m in mutants.iter().filter(|m| m.state == "built" && m.file == file.path) {
                by_point.entry(m.point).or_default().push((m.number, m.variant));
            }
            let chosen: Vec<Chosen> = by_point
                .into_iter()
                .map(|(point, variants)| Chosen { point: &file.found.points[point], variants })
                .collect();
            let (woven, where_) = weave(&file.source, &chosen);
            text = woven;
            places.insert(name.to_owned(), where_);
        }
        if name == "src/lib.rs" {
            let last = mutants.iter().map(|m| m.number).max().unwrap_or(0);
            text.push_str("\nmod mutant;\n");
            text.insert_str(0, "#![allow(warnings, arithmetic_overflow, unconditional_panic, clippy::all)]\n");
            let switch = SWITCH.replace("COUNT", &(last + 1).to_string());
            put(&paths.tree().join("src/mutant.rs"), &switch)?;
        }
        put(&paths.tree().join(name), &text)?;
    }
    Ok(places)
}

fn put(path: &Path, text: &str) -> Result<(), Failure> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().ok_or("a file without folder")?)?;
    fs::write(path, text)?;
    Ok(())
}

/// The features that tests are built with.
pub fn features() -> String {
    cfg::FEATURES.join(",")
}

/// Compiles the library and drops mutants with errors, until there is none.
pub fn compile(paths: &Paths, files: &[File], mutants: &mut [Mutant]) -> Result<(), Failure> {
    for round in 1.. {
        let places = write_sources(paths, files, mutants)?;
        let output = paths
            .cargo()
            .args(["check", "--quiet", "--lib", "--message-format=json", "--features", &features()])
            .stderr(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut refused = BTreeSet::new();
        let mut strange = Vec::new();
        for message in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let message = &message["message"];
            if message["level"] != "error" || message["spans"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            let found = blamed(message, &places);
            if found.is_empty() {
                strange.push(message["rendered"].as_str().unwrap_or("").to_owned());
            }
            refused.extend(found);
        }
        eprintln!("round {round}: {} mutants do not compile", refused.len());
        if output.status.success() {
            return Ok(());
        }
        if refused.is_empty() {
            return Err(
                format!("the woven tree does not compile, and no mutant is the cause\n{}", strange.join("\n")).into()
            );
        }
        for mutant in mutants.iter_mut().filter(|m| refused.contains(&m.number)) {
            mutant.state = "dropped".to_owned();
        }
        if mutants.iter().all(|m| m.state != "built") {
            return Err("no mutant compiles: the switch itself is wrong".into());
        }
    }
    Ok(())
}

/// The mutants an error is due to: the variant it lies in, else all of the innermost point around
/// it.
fn blamed(message: &Value, places: &BTreeMap<String, Vec<Place>>) -> BTreeSet<u32> {
    let empty = Vec::new();
    let spans = message["spans"].as_array().unwrap_or(&empty);
    for primary in [true, false] {
        for span in spans.iter().filter(|s| s["is_primary"].as_bool() == Some(primary)) {
            let Some(places) = span["file_name"].as_str().and_then(|f| places.get(f)) else { continue };
            let start = span["byte_start"].as_u64().unwrap_or(0) as usize;
            let end = span["byte_end"].as_u64().unwrap_or(0) as usize;
            let within: Vec<&Place> =
                places.iter().filter(|p| p.variant.start <= start && end <= p.variant.end).collect();
            if let Some(inner) = within.iter().min_by_key(|p| p.variant.len()) {
                return BTreeSet::from([inner.mutant]);
            }
            let around: Vec<&Place> = places.iter().filter(|p| p.point.start <= start && end <= p.point.end).collect();
            if let Some(inner) = around.iter().map(|p| p.point.len()).min() {
                return around.iter().filter(|p| p.point.len() == inner).map(|p| p.mutant).collect();
            }
            // The error is larger than a point: any point within it may be the cause.
            let inside: BTreeSet<u32> =
                places.iter().filter(|p| start <= p.point.start && p.point.end <= end).map(|p| p.mutant).collect();
            if !inside.is_empty() {
                return inside;
            }
        }
    }
    BTreeSet::new()
}
