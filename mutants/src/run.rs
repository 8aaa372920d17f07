//! Runs mutants, test by test, until one fails.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

use crate::Failure;
use crate::build::Paths;
use crate::plan::{Mutant, order};
use crate::tests::{self, End, Limit, Test, execute};

/// How much is run.
pub struct Limits {
    /// Seconds after which no other mutant is begun.
    pub seconds: f64,
    /// Seconds of tests, as timed without a mutant, that one mutant gets.
    pub cap: f64,
    pub jobs: usize,
}

/// What became of a mutant.
#[derive(Clone)]
pub struct Outcome {
    /// `caught`, `time` (a test did not end), `capped` (tests were left when the cap was reached),
    /// `survived` (all tests that reach it passed), `unreached`.
    pub verdict: String,
    /// Tests that ran, and the one that failed.
    pub runs: usize,
    pub test: String,
}

/// Reads results; a later one of a mutant replaces the earlier.
pub fn results(paths: &Paths) -> BTreeMap<u32, Outcome> {
    let text = fs::read_to_string(paths.work.join("results.tsv")).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let c: Vec<&str> = line.split('\t').collect();
            let &[number, verdict, runs, test] = &c[..] else { return None };
            let outcome = Outcome { verdict: verdict.to_owned(), runs: runs.parse().ok()?, test: test.to_owned() };
            Some((number.parse().ok()?, outcome))
        })
        .collect()
}

/// How often each test ran and failed, under any mutant and under those of each file: tests that
/// fail often and run briefly come first.
struct Record {
    all: Vec<Count>,
    files: BTreeMap<String, Vec<Count>>,
}

#[derive(Clone, Copy)]
struct Count {
    runs: f64,
    fails: f64,
}

impl Record {
    /// What earlier results tell: of each mutant that was caught, the test that failed.
    fn new(tests: &[Test], files: &BTreeMap<u32, &str>, before: &BTreeMap<u32, Outcome>) -> Self {
        let mut record = Self { all: vec![Count { runs: 2.0, fails: 0.2 }; tests.len()], files: BTreeMap::new() };
        let name = |test: &Test| format!("{} {}", test.program, test.name);
        let places: BTreeMap<String, usize> = tests.iter().enumerate().map(|(i, test)| (name(test), i)).collect();
        for (number, outcome) in before {
            if let (Some(file), Some(&test)) = (files.get(number), places.get(&outcome.test)) {
                record.note(test, file, true);
            }
        }
        record
    }

    fn note(&mut self, test: usize, file: &str, fails: bool) {
        let none = vec![Count { runs: 0.0, fails: 0.0 }; self.all.len()];
        let own = self.files.entry(file.to_owned()).or_insert(none);
        for count in [&mut self.all[test], &mut own[test]] {
            count.runs += 1.0;
            count.fails += f64::from(u8::from(fails));
        }
    }

    /// How likely a test is to fail under a mutant of a file.
    fn chance(&self, test: usize, file: &str) -> f64 {
        let Count { runs, fails } = self.all[test];
        let own = self.files.get(file).map_or(Count { runs: 0.0, fails: 0.0 }, |counts| counts[test]);
        // The file's own counts, and three runs as elsewhere.
        (own.fails + 3.0 * fails / runs) / (own.runs + 3.0)
    }
}

/// Runs mutants that have no result, in the random order: of `parts` those whose place leaves the
/// remainder `part`.
pub fn run(
    paths: &Paths,
    mutants: &[Mutant],
    seed: u64,
    (part, parts): (usize, usize),
    limits: &Limits,
) -> Result<(), Failure> {
    let done = results(paths);
    let all = order(mutants, seed).into_iter().map(|i| mutants[i].number);
    let mine = all.enumerate().filter(|(place, _)| place % parts == part).map(|(_, number)| number);
    work(paths, mutants, mine.filter(|number| !done.contains_key(number)).collect(), &[], limits)
}

/// Runs survivors again: those whose tests were not all run, with all tests; or all survivors with
/// those of `programs`.
pub fn again(paths: &Paths, mutants: &[Mutant], programs: &[String], limits: &Limits) -> Result<(), Failure> {
    let done = results(paths);
    let is_wanted = |outcome: &Outcome| match outcome.verdict.as_str() {
        "capped" => true,
        "survived" | "unreached" => !programs.is_empty(),
        _ => false,
    };
    let numbers = mutants.iter().map(|m| m.number).filter(|n| done.get(n).is_some_and(is_wanted)).collect();
    work(paths, mutants, numbers, programs, limits)
}

fn work(
    paths: &Paths,
    mutants: &[Mutant],
    numbers: Vec<u32>,
    programs: &[String],
    limits: &Limits,
) -> Result<(), Failure> {
    let mut tests = tests::read(paths)?;
    tests.retain(|test| programs.is_empty() || programs.contains(&test.program));
    let start = Instant::now();
    let before = results(paths);
    let file = fs::OpenOptions::new().append(true).create(true).open(paths.work.join("results.tsv"))?;
    let file = Mutex::new(file);
    let next = Mutex::new(numbers.iter().copied());
    let files: BTreeMap<u32, &str> = mutants.iter().map(|m| (m.number, m.file.as_str())).collect();
    let record = Mutex::new(Record::new(&tests, &files, &before));
    std::thread::scope(|scope| {
        for _ in 0..limits.jobs {
            scope.spawn(|| {
                while start.elapsed().as_secs_f64() < limits.seconds {
                    let Some(number) = ({ next.lock().expect("no panic").next() }) else { break };
                    let mut outcome = judge(paths, &tests, (number, files[&number]), &record, limits.cap);
                    if !programs.is_empty() && !["caught", "time"].contains(&outcome.verdict.as_str()) {
                        // The other programs were not asked: what they said stands.
                        let Some(old) = before.get(&number) else { continue };
                        outcome.verdict = match (old.verdict.as_str(), outcome.verdict.as_str()) {
                            ("unreached", new) => new.to_owned(),
                            (old, _) => old.to_owned(),
                        };
                    }
                    let line = format!("{number}\t{}\t{}\t{}\n", outcome.verdict, outcome.runs, outcome.test);
                    file.lock().expect("no panic").write_all(line.as_bytes()).expect("results can be written");
                }
            });
        }
    });
    eprintln!("{} mutants have results", results(paths).len());
    Ok(())
}

fn judge(paths: &Paths, tests: &[Test], (number, file): (u32, &str), record: &Mutex<Record>, cap: f64) -> Outcome {
    let mut those: Vec<usize> = (0..tests.len()).filter(|&i| tests[i].reached.contains(&number)).collect();
    if those.is_empty() {
        return Outcome { verdict: "unreached".to_owned(), runs: 0, test: String::new() };
    }
    {
        let record = record.lock().expect("no panic");
        let cost = |i: usize| (tests[i].seconds + 0.01) / record.chance(i, file);
        those.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    }
    let mut spent = 0.0;
    for (runs, &i) in those.iter().enumerate() {
        if spent + tests[i].seconds > cap && runs > 0 {
            return Outcome { verdict: "capped".to_owned(), runs, test: String::new() };
        }
        spent += tests[i].seconds;
        let end = execute(paths, &tests[i], &number.to_string(), None, limit(&tests[i])).0;
        record.lock().expect("no panic").note(i, file, end != End::Passed);
        if end != End::Passed {
            let verdict = if end == End::TimedOut { "time" } else { "caught" };
            let test = format!("{} {}", tests[i].program, tests[i].name);
            return Outcome { verdict: verdict.to_owned(), runs: runs + 1, test };
        }
    }
    Outcome { verdict: "survived".to_owned(), runs: those.len(), test: String::new() }
}

/// Twenty times the time without a mutant.
fn limit(test: &Test) -> Limit {
    Limit { cpu: 20.0 * test.seconds + 2.0, wall: 60.0 * test.seconds + 60.0 }
}

/// Runs all tests that reach a mutant, or those whose name holds `name`, and says which fail.
pub fn one(paths: &Paths, number: u32, name: Option<&str>) -> Result<(), Failure> {
    let tests = tests::read(paths)?;
    for test in tests.iter().filter(|t| t.reached.contains(&number)) {
        let full = format!("{} {}", test.program, test.name);
        if name.is_none_or(|n| full.contains(n)) {
            let (end, seconds) = execute(paths, test, &number.to_string(), None, limit(test));
            println!("{end:?}\t{full}\t{seconds:.2} s ({:.2} s without)", test.seconds);
        }
    }
    Ok(())
}
