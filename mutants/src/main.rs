//! Mutation testing of kinetree with one build for all mutants; see docs/MUTATION.md.
//!
//! Every mutant is a switch in a copy of the sources. An environment variable turns one on, so
//! tests are compiled once.

mod build;
mod cfg;
mod plan;
mod points;
mod run;
mod table;
mod tests;
mod weave;

use std::path::PathBuf;
use std::process::ExitCode;

use build::Paths;

/// Any failure, as a message.
pub type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "\
mutants build [--seed N] [--sample N] [--also PATH]... [--test NAME]...
                                                         weaves the mutants and compiles them with the tests
mutants trace [--jobs N] [--longest SECONDS] [--test NAME]...
                                                         finds the mutants that each test reaches
mutants run [--minutes N] [--jobs N] [--cap SECONDS] [--part I --parts N] [--only STRATUM]
                                                         runs mutants in their random order, and goes on where it was;
                                                         with parts, every Nth of them, for several processes; only
                                                         `complete` or `sampled` ones if wanted
mutants again [--jobs N] [--cap SECONDS] [--test NAME]...
                                                         runs capped survivors with all tests, or all with some programs
mutants one NUMBER [TEST]                                tells which tests fail under a mutant
mutants table                                            rates, intervals, survivors
Files are in target/mutants. The seed must be the same in all calls; it is 18.";

struct Arguments {
    words: Vec<String>,
    options: Vec<(String, String)>,
}

impl Arguments {
    fn get<T: std::str::FromStr>(&self, name: &str, default: T) -> Result<T, Failure> {
        match self.options.iter().rev().find(|(n, _)| n == name) {
            None => Ok(default),
            Some((_, value)) => value.parse().map_err(|_| format!("--{name} {value}: a number is needed").into()),
        }
    }

    fn all(&self, name: &str) -> Vec<String> {
        self.options.iter().filter(|(n, _)| n == name).map(|(_, v)| v.clone()).collect()
    }
}

fn arguments() -> Result<Arguments, Failure> {
    let mut result = Arguments { words: Vec::new(), options: Vec::new() };
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        if let Some(name) = word.strip_prefix("--") {
            if !["seed", "sample", "also", "test", "jobs", "longest", "minutes", "cap", "part", "parts", "only"]
                .contains(&name)
            {
                return Err(format!("--{name} is no option\n{USAGE}").into());
            }
            let value = given.next().ok_or_else(|| format!("--{name} needs a value"))?;
            result.options.push((name.to_owned(), value));
        } else {
            result.words.push(word);
        }
    }
    Ok(result)
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match run_command() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run_command() -> Result<(), Failure> {
    let arguments = arguments()?;
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no repository")?.to_owned();
    let work = root.join("target/mutants");
    let target = std::env::var_os("KINETREE_MUTANTS_TARGET").map_or_else(|| work.join("build"), PathBuf::from);
    let paths = Paths { root, work, target };
    let seed = arguments.get("seed", 18)?;
    let jobs = arguments.get("jobs", 1)?;
    let list = paths.work.join("mutants.tsv");
    match arguments.words.first().map(String::as_str) {
        Some("build") => {
            let also = arguments.all("also");
            let mut folders = [&plan::COMPLETE[..], &plan::SAMPLED[..]].concat();
            folders.extend(also.iter().map(String::as_str));
            let files = plan::files(&paths.root, &folders)?;
            let mut mutants = plan::population(&files);
            plan::choose(&mut mutants, seed, arguments.get("sample", 400)?, &also);
            build::copy_tree(&paths)?;
            build::compile(&paths, &files, &mut mutants)?;
            plan::write(&list, &mutants)?;
            for (module, [all, built, dropped]) in plan::counts(&mutants) {
                println!("{module}: {all} mutants, {built} built, {dropped} do not compile");
            }
            tests::build(&paths, &arguments.all("test"))
        }
        Some("trace") => tests::trace(&paths, &arguments.all("test"), jobs, arguments.get("longest", 60.0)?),
        Some("run") => {
            let limits = run::Limits {
                seconds: arguments.get("minutes", f64::INFINITY)? * 60.0,
                cap: arguments.get("cap", 60.0)?,
                jobs,
            };
            let part = (arguments.get("part", 0)?, arguments.get("parts", 1)?);
            let only = arguments.all("only");
            let mut mutants = plan::read(&list)?;
            mutants.retain(|mutant| only.is_empty() || only.contains(&mutant.stratum));
            run::run(&paths, &mutants, seed, part, &limits)
        }
        Some("again") => {
            let limits = run::Limits {
                seconds: arguments.get("minutes", f64::INFINITY)? * 60.0,
                cap: arguments.get("cap", f64::INFINITY)?,
                jobs,
            };
            run::again(&paths, &plan::read(&list)?, &arguments.all("test"), &limits)
        }
        Some("one") => {
            let number = arguments.words.get(1).ok_or(USAGE)?.parse()?;
            run::one(&paths, number, arguments.words.get(2).map(String::as_str))
        }
        Some("table") => table::print(&paths, &plan::read(&list)?, seed),
        _ => Err(USAGE.into()),
    }
}
