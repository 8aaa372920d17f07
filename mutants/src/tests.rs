//! Test programs, their tests, how long each takes and which mutants it reaches.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::build::{Paths, features};
use crate::{Failure, cfg};

/// One test of a test program.
#[derive(Clone)]
pub struct Test {
    /// Name of the test program, `lib` for the tests of the library.
    pub program: String,
    pub name: String,
    pub executable: PathBuf,
    /// Processor time of one run without a mutant.
    pub seconds: f64,
    /// The mutants it reaches.
    pub reached: BTreeSet<u32>,
}

/// Test programs that read the sources, which the switches change.
const OF_TEXT: [&str; 3] = ["layering", "prose", "surface"];

/// Test programs that have tests with the features of the recipe.
fn programs(paths: &Paths) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in fs::read_dir(paths.tree().join("tests"))? {
        let path = entry?.path();
        let main = if path.is_dir() { path.join("main.rs") } else { path.clone() };
        let Some(name) = path.file_stem().and_then(|s| s.to_str()) else { continue };
        if main.extension().is_none_or(|e| e != "rs") || !main.exists() || OF_TEXT.contains(&name) {
            continue;
        }
        let file = syn::parse_file(&fs::read_to_string(&main)?).map_err(|e| format!("{}: {e}", main.display()))?;
        if !cfg::is_off(&file.attrs) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Compiles test programs, `only` these or all, and writes their list.
pub fn build(paths: &Paths, only: &[String]) -> Result<(), Failure> {
    let mut command = paths.cargo();
    command.args(["test", "--quiet", "--no-run", "--message-format=json", "--features", &features(), "--lib"]);
    for name in programs(paths)?.iter().filter(|name| only.is_empty() || only.contains(name)) {
        command.args(["--test", name]);
    }
    let output = command.output()?;
    let mut lines = String::new();
    for message in String::from_utf8_lossy(&output.stdout).lines().filter_map(|l| serde_json::from_str::<Value>(l).ok())
    {
        if let (Some(name), Some(file)) = (message["target"]["name"].as_str(), message["executable"].as_str()) {
            let name = if message["target"]["kind"][0] == "lib" { "lib" } else { name };
            lines += &format!("{name}\t{file}\n");
        }
    }
    if !output.status.success() {
        return Err("the tests do not compile".into());
    }
    fs::write(paths.work.join("programs.tsv"), lines)?;
    Ok(())
}

/// Tests that were traced after their program was compiled.
fn known(paths: &Paths) -> Vec<Test> {
    let written = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    let traced = written(&paths.work.join("tests.tsv"));
    let tests = read(paths).unwrap_or_default();
    tests.into_iter().filter(|test| written(&test.executable).is_some_and(|built| Some(built) < traced)).collect()
}

/// Runs every test once that is not known yet, and writes which mutants it reaches. Tests that fail
/// or take longer than `longest` seconds are left out, and named.
pub fn trace(paths: &Paths, only: &[String], jobs: usize, longest: f64) -> Result<(), Failure> {
    let programs = fs::read_to_string(paths.work.join("programs.tsv"))?;
    let mut tests = Vec::new();
    let known = known(paths);
    for line in programs.lines() {
        let (program, file) = line.split_once('\t').ok_or("programs.tsv is damaged")?;
        if !only.is_empty() && !only.iter().any(|name| name == program) {
            continue;
        }
        let output = Command::new(file).args(["--list", "--format", "terse"]).current_dir(paths.tree()).output()?;
        for name in String::from_utf8_lossy(&output.stdout).lines().filter_map(|l| l.strip_suffix(": test")) {
            let test = Test {
                program: program.to_owned(),
                name: name.to_owned(),
                executable: file.into(),
                seconds: 0.0,
                reached: BTreeSet::new(),
            };
            let same = |k: &&Test| (&k.executable, &k.name) == (&test.executable, &test.name);
            if !known.iter().any(|k| same(&k)) {
                tests.push(test);
            }
        }
    }
    eprintln!("{} tests", tests.len());
    let mut kept = String::new();
    for test in &known {
        kept += &line(test);
    }
    let list = paths.work.join("tests.tsv");
    // Other traces may write to it at the same time, unless there is something to forget.
    if known.len() != read(paths).map_or(0, |tests| tests.len()) {
        fs::write(&list, kept)?;
    }
    let list = Mutex::new(fs::OpenOptions::new().append(true).create(true).open(list)?);
    let next = Mutex::new(tests.into_iter());
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let (next, list) = (&next, &list);
            let file = paths.work.join(format!("trace.{}.{job}", std::process::id()));
            scope.spawn(move || {
                while let Some(mut test) = { next.lock().expect("no panic").next() } {
                    let _ = fs::remove_file(&file);
                    let limit = Limit { cpu: longest, wall: longest * 40.0 };
                    let (end, seconds) = execute(paths, &test, "trace", Some(&file), limit);
                    if end != End::Passed {
                        eprintln!("left out: {} {}: {end:?} after {seconds:.1} s", test.program, test.name);
                        continue;
                    }
                    test.seconds = seconds;
                    let reached = fs::read_to_string(&file).unwrap_or_default();
                    test.reached = reached.lines().filter_map(|l| l.parse().ok()).collect();
                    let mut list = list.lock().expect("no panic");
                    list.write_all(line(&test).as_bytes()).expect("the list can be written");
                }
                let _ = fs::remove_file(&file);
            });
        }
    });
    Ok(())
}

/// A test as a line of the list.
fn line(test: &Test) -> String {
    let reached = test.reached.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let executable = test.executable.display();
    format!("{}\t{}\t{executable}\t{:.3}\t{reached}\n", test.program, test.name, test.seconds)
}

/// Reads what `trace` wrote.
pub fn read(paths: &Paths) -> Result<Vec<Test>, Failure> {
    let file = paths.work.join("tests.tsv");
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}; run `mutants trace` first", file.display()))?;
    text.lines()
        .map(|line| {
            let c: Vec<&str> = line.split('\t').collect();
            let &[program, name, executable, seconds, reached] = &c[..] else {
                return Err("tests.tsv is damaged".into());
            };
            Ok(Test {
                program: program.to_owned(),
                name: name.to_owned(),
                executable: executable.into(),
                seconds: seconds.parse()?,
                reached: reached.split(',').filter_map(|n| n.parse().ok()).collect(),
            })
        })
        .collect()
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Passed,
    Failed,
    TimedOut,
}

/// How long a run may take.
#[derive(Clone, Copy)]
pub struct Limit {
    /// Seconds of the processor.
    pub cpu: f64,
    /// Seconds of the clock.
    pub wall: f64,
}

/// Most memory of a test, in KiB: a mutant that grows without bound must not take the machine's.
const MEMORY: u64 = 6 << 20;

/// Runs one test with `KINETREE_MUTANT=mutant`.
pub fn execute(paths: &Paths, test: &Test, mutant: &str, trace: Option<&Path>, limit: Limit) -> (End, f64) {
    let start = Instant::now();
    let script = format!("ulimit -v {MEMORY}; ulimit -t {}; exec \"$@\"", limit.cpu.ceil() as u64 + 1);
    let mut command = Command::new("sh");
    command
        .args(["-c", &script, "sh"])
        .arg(&test.executable)
        .args(["--exact", &test.name, "--test-threads=1"])
        .env("KINETREE_MUTANT", mutant)
        .env("RUST_BACKTRACE", "0")
        .current_dir(paths.tree())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(file) = trace {
        command.env("KINETREE_MUTANT_TRACE", file);
    }
    let Ok(mut child) = command.spawn() else { return (End::Failed, 0.0) };
    let mut seconds = 0.0;
    let end = loop {
        seconds = processor_time(child.id()).unwrap_or(seconds);
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break End::Passed,
            // SIGKILL and SIGXCPU come from the limit on the processor's time.
            Ok(Some(status)) => break if matches!(signal(status), Some(9 | 24)) { End::TimedOut } else { End::Failed },
            Ok(None) if start.elapsed().as_secs_f64() > limit.wall => {
                let _ = child.kill();
                let _ = child.wait();
                break End::TimedOut;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(3)),
            Err(_) => break End::Failed,
        }
    };
    (end, if seconds > 0.0 { seconds } else { start.elapsed().as_secs_f64().min(0.01) })
}

/// Seconds of the processor that a process has used, in steps of 0.01 s: other work of the machine
/// does not count.
fn processor_time(process: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses; user and system time are the fields 14 and 15.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
}

fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}
