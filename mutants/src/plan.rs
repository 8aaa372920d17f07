//! The population of mutants, the sample of it, and the file of both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::points::{self, Found};

/// Folders whose mutants are all run, and those of which a sample is run.
pub const COMPLETE: [&str; 1] = ["src/kinetic"];
pub const SAMPLED: [&str; 3] = ["src/interval", "src/narrow", "src/world"];

/// A mutant as it is listed.
pub struct Mutant {
    pub number: u32,
    /// `complete`, `sampled`, `also`, or `-` where it is not run.
    pub stratum: String,
    /// `dropped` where the compiler refuses it, else `built` or `-`.
    pub state: String,
    pub file: String,
    pub line: usize,
    pub kind: String,
    /// What stands there, and what replaces it, on one line.
    pub original: String,
    pub replacement: String,
    pub point: usize,
    pub variant: usize,
}

impl Mutant {
    /// The module that the table counts it in.
    pub fn module(&self) -> String {
        let mut parts = self.file.trim_start_matches("src/").split('/');
        let first = parts.next().unwrap_or("");
        match (first, parts.next()) {
            ("kinetic", Some(second)) => format!("kinetic/{}", second.trim_end_matches(".rs")),
            _ => first.trim_end_matches(".rs").to_owned(),
        }
    }
}

/// A source file with its points.
pub struct File {
    pub path: String,
    pub source: String,
    pub found: Found,
}

/// All files below `folders` of `root` that are compiled without tests.
pub fn files(root: &Path, folders: &[&str]) -> Result<Vec<File>, Failure> {
    let mut paths = Vec::new();
    for folder in folders {
        collect(&root.join(folder), &mut paths)?;
    }
    paths.sort();
    paths.dedup();
    let mut files = Vec::new();
    let mut off: Vec<PathBuf> = Vec::new();
    for path in paths {
        let source = fs::read_to_string(&path)?;
        let found = points::find(&source).map_err(|e| format!("{}: {e}", path.display()))?;
        let inner = match path.file_stem().and_then(|s| s.to_str()) {
            Some("mod" | "lib") | None => path.parent().unwrap_or(root).to_owned(),
            Some(stem) => path.with_file_name(stem),
        };
        let declared_on = |name: &&String| found.modules_on.contains(name);
        off.extend(found.modules_off.iter().filter(|name| !declared_on(name)).map(|name| inner.join(name)));
        files.push((path, source, found));
    }
    files.retain(|(path, ..)| !off.iter().any(|o| path.starts_with(o) || path.with_extension("") == *o));
    Ok(files
        .into_iter()
        .map(|(path, source, found)| File {
            path: path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned(),
            source,
            found,
        })
        .collect())
}

fn collect(path: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if path.is_file() {
        paths.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|e| e == "rs") {
            collect(&path, paths)?;
        }
    }
    Ok(())
}

/// Numbers all mutants of `files` from 1, in the order of the files.
pub fn population(files: &[File]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for file in files {
        for (p, point) in file.found.points.iter().enumerate() {
            for (v, variant) in point.variants.iter().enumerate() {
                mutants.push(Mutant {
                    number: mutants.len() as u32 + 1,
                    stratum: "-".to_owned(),
                    state: "-".to_owned(),
                    file: file.path.clone(),
                    line: point.line,
                    kind: variant.kind.to_owned(),
                    original: one_line(&file.source[point.range.clone()]),
                    replacement: one_line(&variant.text),
                    point: p,
                    variant: v,
                });
            }
        }
    }
    mutants
}

fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= 160 { text } else { text.chars().take(157).chain("...".chars()).collect() }
}

/// Chooses all mutants of `COMPLETE`, `sample` of those of `SAMPLED`, and all others of the files
/// `also`.
pub fn choose(mutants: &mut [Mutant], seed: u64, sample: usize, also: &[String]) {
    let within = |file: &str, folders: &[&str]| folders.iter().any(|f| file.starts_with(f));
    let mut elsewhere: Vec<usize> = (0..mutants.len()).filter(|&i| within(&mutants[i].file, &SAMPLED)).collect();
    shuffle(&mut elsewhere, seed);
    for &i in elsewhere.iter().take(sample) {
        mutants[i].stratum = "sampled".to_owned();
    }
    for mutant in mutants {
        if within(&mutant.file, &COMPLETE) {
            mutant.stratum = "complete".to_owned();
        } else if mutant.stratum == "-" && also.iter().any(|a| mutant.file.starts_with(a.as_str())) {
            mutant.stratum = "also".to_owned();
        }
        if mutant.stratum != "-" {
            mutant.state = "built".to_owned();
        }
    }
}

/// Fisher and Yates, with the numbers of SplitMix64: the same order on every machine.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    for i in (1..items.len()).rev() {
        let j = ((u128::from(next()) * (i as u128 + 1)) >> 64) as usize;
        items.swap(i, j);
    }
}

/// The order in which mutants run: complete and sampled ones alternate, each in a random order, so
/// that every begin of it is a random sample of both; those of `also` come last.
pub fn order(mutants: &[Mutant], seed: u64) -> Vec<usize> {
    let of = |stratum: &str| -> Vec<usize> {
        let mut those: Vec<usize> =
            (0..mutants.len()).filter(|&i| mutants[i].stratum == stratum && mutants[i].state == "built").collect();
        shuffle(&mut those, seed ^ 0x6d75_7461_6e74_7321);
        those
    };
    let (complete, sampled) = (of("complete"), of("sampled"));
    let mut order = Vec::new();
    for k in 0..complete.len().max(sampled.len()) {
        order.extend(complete.get(k));
        order.extend(sampled.get(k));
    }
    order.extend(of("also"));
    order
}

/// Writes the list of mutants.
pub fn write(path: &Path, mutants: &[Mutant]) -> Result<(), Failure> {
    let mut text = String::from("number\tstratum\tstate\tfile\tline\tkind\toriginal\treplacement\tpoint\tvariant\n");
    for m in mutants {
        text += &format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
            m.number, m.stratum, m.state, m.file, m.line, m.kind, m.original, m.replacement, m.point, m.variant
        );
    }
    fs::write(path, text)?;
    Ok(())
}

/// Reads the list of mutants.
pub fn read(path: &Path) -> Result<Vec<Mutant>, Failure> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}; run `mutants build` first", path.display()))?;
    text.lines()
        .skip(1)
        .map(|line| {
            let c: Vec<&str> = line.split('\t').collect();
            let &[number, stratum, state, file, at, kind, original, replacement, point, variant] = &c[..] else {
                return Err(format!("{}: {} columns in {line:?}", path.display(), c.len()).into());
            };
            Ok(Mutant {
                number: number.parse()?,
                stratum: stratum.to_owned(),
                state: state.to_owned(),
                file: file.to_owned(),
                line: at.parse()?,
                kind: kind.to_owned(),
                original: original.to_owned(),
                replacement: replacement.to_owned(),
                point: point.parse()?,
                variant: variant.parse()?,
            })
        })
        .collect()
}

/// How many mutants of each module are in each state.
pub fn counts(mutants: &[Mutant]) -> BTreeMap<String, [usize; 3]> {
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for m in mutants {
        let row = counts.entry(m.module()).or_default();
        row[0] += 1;
        row[1] += usize::from(m.state == "built");
        row[2] += usize::from(m.state == "dropped");
    }
    counts
}
