//! The race: all intersecting pairs of triangles at every frame of known motion, by this library and by what anyone would otherwise
//! take. Everything is charged: interpolating vertices, bringing boxes up to date, traversal, exact tests.
//!
//! `cargo bench --bench versus_peers --features peers` runs everything (about half an hour); words after `--` choose:
//!
//! | word | what |
//! |---|---|
//! | `quick` | a few intervals of each scene up to 130k triangles: minutes |
//! | a scene's name | `A16k`, `cloth/ball`, … |
//! | `l=10` | only that many frames per keyframe interval, or any other number |
//! | `n=12` | only so many keyframe intervals of each scene |
//! | `who=world,parry` | only contenders whose names hold one of these words; the best of those is the rival |
//! | `growth` | memory, events and time against triangles, and nothing else |
//! | `write` | keeps what was measured in `docs/race/`, cell by cell, in the place of older figures; writes tables and plots of all |
//! | `export` | measures nothing; writes scenes to `target/race/`, for `rivals/` |
//! | `plot` | measures nothing; writes tables and plots of what is kept |
//!
//! Contenders take turns interval by interval within one run; times are processor time of the thread less what the clock takes; medians over the intervals,
//! with the quartiles. After every frame that is asked about, the pairs found are compared with those of the first contender: a
//! difference ends the race. Where an interval has more frames than `MOST_FRAMES`, so many of them, evenly spread, are asked about and stand for
//! all; whoever replays events still goes through every one.
//!
//! Not by criterion: contenders take turns interval by interval in one run, and ratios of the same interval are compared.

#![allow(unreachable_pub, missing_docs, reason = "a program in several files")]

#[path = "../common/mod.rs"]
mod common;
mod contender;
mod export;
mod growth;
mod kept;
mod ours;
mod peers;
mod refits;
mod report;
mod rows;
mod scene;
#[path = "../../src/cli/bench/svg.rs"]
#[allow(dead_code, unused_imports, reason = "the program uses more of it; its tests run there")]
mod svg;
mod trees;

use std::collections::BTreeMap;

use common::clock;
use contender::Contender;
use kinetree::interval::IntervalBoxes;
use report::{Cell, Row, Spread};
use scene::{Frame, Part, SCENES, Scene};

/// Frames per keyframe interval.
const FRAMES: [usize; 4] = [1, 10, 30, 100];

/// Most frames of an interval that are asked about.
const MOST_FRAMES: usize = 5;

/// Triangles up to which trees that are built anew at every frame take part.
const REBUILT_UP_TO: usize = 40_000;

/// Names, in the order of the tables, those who must be beaten first ([`report::RIVALS`]).
pub const NAMES: [&str; 15] = [
    "refit, 1 per leaf",
    "refit, 8 per leaf",
    "parry3d",
    "parry3d, pairs kept",
    "obvhs",
    "bvh, rebuilt",
    "clip tree, refitted",
    "key boxes",
    "baked trees",
    "baked frames",
    "pair windows",
    "pair intervals",
    "refit, front kept",
    "world",
    BAKED,
];

/// Contacts that were baked; read, nothing is tested.
pub const BAKED: &str = "baked contacts";

fn make(name: &str, scene: &Scene, frames: usize) -> Option<Box<dyn Contender>> {
    Some(match name {
        "refit, 1 per leaf" => Box::new(refits::Tuned::new(scene, 1)),
        "refit, 8 per leaf" => Box::new(refits::Tuned::new(scene, 8)),
        "parry3d" => Box::new(peers::Parry::new(scene)),
        "parry3d, pairs kept" => Box::new(kept::Kept::new(scene)),
        "obvhs" => Box::new(peers::Obvhs::new(scene)),
        "bvh, rebuilt" if scene.triangles() <= REBUILT_UP_TO => Box::new(peers::Rebuilt::new(scene)),
        "clip tree, refitted" => Box::new(refits::ForClip::new(scene)),
        "key boxes" => Box::new(trees::Trees::<IntervalBoxes>::new(scene, frames)),
        "baked trees" => Box::new(trees::Trees::<trees::Replayed<false>>::new(scene, frames)),
        "baked frames" => Box::new(trees::Trees::<trees::Replayed<true>>::new(scene, frames)),
        "pair windows" => Box::new(ours::Pairs::new(scene, false)),
        "pair intervals" => Box::new(ours::Pairs::new(scene, true)),
        "refit, front kept" => Box::new(ours::Fronts::new(scene)),
        "world" => Box::new(ours::Whole::new(scene)),
        BAKED => Box::new(ours::Looked::new(scene)),
        _ => return None,
    })
}

/// A contender in a cell, and what it took.
struct Runner {
    name: &'static str,
    contender: Box<dyn Contender>,
    setup: f64,
    /// Nanoseconds per frame, one entry per interval.
    update: Vec<f64>,
    query: Vec<f64>,
    whole: Vec<f64>,
    /// The first frame, with the work of its interval, nanoseconds.
    first: f64,
    /// The dearest frame.
    worst: f64,
}

/// Sees what was found at a frame.
type Check<'a> = dyn FnMut(usize, &mut Vec<(u32, u32)>) + 'a;

impl Runner {
    /// Runs an interval; `clock_cost` is what the clock itself takes; `check` sees what was found at each frame asked about.
    fn interval(&mut self, scene: &Scene, interval: usize, frames: usize, clock_cost: f64, check: &mut Check<'_>) {
        let asked = frames.min(MOST_FRAMES);
        let is_asked = |frame: usize| frame * asked % frames < asked;
        let contender = &mut *self.contender;
        // Some updates take less than the clock: at least a nanosecond is charged.
        let time = |work: &mut dyn FnMut()| (clock::time(work).1 - clock_cost).max(1.0);
        let key = time(&mut || contender.key(scene, interval));
        let prepare = time(&mut || contender.prepare(scene, interval));
        let (mut update, mut query, mut found) = (0.0, 0.0, Vec::new());
        for (number, frame) in scene.frames(interval, frames).enumerate() {
            let frame: Frame = frame;
            if !is_asked(number) && !contender.needs_every_frame() {
                continue;
            }
            let updated = time(&mut || contender.update(scene, &frame));
            update += updated;
            let mut asked_for = 0.0;
            if is_asked(number) {
                found.clear();
                asked_for = time(&mut || contender.query(scene, &frame, &mut found));
                query += asked_for;
                check(number, &mut found);
            }
            let latency = updated + asked_for + if number == 0 { key + prepare } else { 0.0 };
            self.worst = self.worst.max(latency);
            if interval == 0 && number == 0 {
                self.first = latency;
            }
        }
        let updates = if contender.needs_every_frame() { frames } else { asked } as f64;
        let update = key / frames as f64 + update / updates;
        let query = prepare / frames as f64 + query / asked as f64;
        self.update.push(update);
        self.query.push(query);
        self.whole.push(update + query);
    }

    /// Its row, beside the best rival and the refit that others are measured by.
    fn row(&self, scene: &Scene, frames: usize, rival: &Runner, refit: &Runner) -> Row {
        let paired = |theirs: &[f64], own: &[f64]| {
            let ratios: Vec<f64> = theirs.iter().zip(own).map(|(theirs, own)| theirs / own).collect();
            Spread::of(&ratios)
        };
        Row {
            name: self.name,
            update: Spread::of(&self.update),
            query: Spread::of(&self.query),
            whole: Spread::of(&self.whole),
            ratio: paired(&rival.whole, &self.whole),
            update_ratio: paired(&refit.update, &self.update),
            setup: self.setup,
            setup_per_frame: self.setup / (scene.intervals() * frames) as f64,
            first: self.first,
            worst: self.worst,
            bytes_per_triangle: self.contender.bytes() as f64 / scene.triangles() as f64,
        }
    }
}

fn race(scene: &Scene, looks: usize, who: &[&str]) -> Cell {
    let frames = looks * scene.per_key;
    let mut runners: Vec<Runner> = NAMES
        .into_iter()
        .filter(|name| who.is_empty() || who.iter().any(|word| name.contains(word)))
        .filter_map(|name| {
            let (contender, setup) = clock::time(|| make(name, scene, frames));
            contender.map(|contender| Runner {
                name,
                contender,
                setup,
                update: Vec::new(),
                query: Vec::new(),
                whole: Vec::new(),
                first: 0.0,
                worst: 0.0,
            })
        })
        .collect();
    let (mut pairs, mut looked) = (0, 0);
    let clock_cost = clock::median(1001, || ());
    for interval in 0..scene.intervals() {
        let mut expected: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
        for runner in &mut runners {
            let name = runner.name;
            runner.interval(scene, interval, frames, clock_cost, &mut |frame, found| {
                for pair in found.iter_mut().filter(|pair| scene.b.is_none() && pair.0 > pair.1) {
                    *pair = (pair.1, pair.0);
                }
                found.sort_unstable();
                let first = expected.entry(frame).or_insert_with(|| {
                    pairs += found.len();
                    looked += 1;
                    found.clone()
                });
                assert!(
                    first == found,
                    "{}, l = {frames}, interval {interval}, frame {frame}: '{name}' finds {} pairs, the first contender {}",
                    scene.name,
                    found.len(),
                    first.len(),
                );
            });
        }
    }
    let are_rivals = runners.iter().any(|runner| report::RIVALS.contains(&runner.name));
    let rivals = runners.iter().filter(|runner| !are_rivals || report::RIVALS.contains(&runner.name));
    let median = |runner: &Runner| Spread::of(&runner.whole).median;
    let best = rivals.min_by(|x, y| median(x).total_cmp(&median(y))).expect("a rival");
    let refit = &runners[0];
    Cell {
        scene: scene.name.clone(),
        family: scene.family.into(),
        triangles: scene.triangles(),
        frames: looks,
        intervals: scene.intervals() * scene.per_key,
        pairs_per_frame: pairs as f64 / looked as f64,
        machine: report::machine(),
        rows: runners.iter().map(|runner| runner.row(scene, frames, best, refit)).collect(),
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let number = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.parse::<usize>().ok());
    if has("plot") {
        report::write(&report::kept());
        return;
    }
    println!("{}", report::machine());
    if has("growth") {
        growth::run(has("quick"), has("write"), &report::machine());
        return;
    }
    let is_named = |name: &str| has(name) || !SCENES.iter().any(|(name, _)| has(name));
    let looks = number("l=").map_or(FRAMES.to_vec(), |frames| vec![frames]);
    let who =
        words.iter().find_map(|word| word.strip_prefix("who=")).map_or(Vec::new(), |who| who.split(',').collect());
    let mut cells = Vec::new();
    for (name, triangles) in SCENES.into_iter().filter(|(name, _)| is_named(name)) {
        if has("quick") && triangles > 140_000 {
            continue;
        }
        let part = match triangles {
            _ if !has("quick") => Part { intervals: number("n=").unwrap_or(usize::MAX), from: 0.75 },
            0..20_000 => Part { intervals: 6, from: 0.75 },
            _ => Part { intervals: 3, from: 0.75 },
        };
        let Some(scene) = scene::scene(name, triangles, part) else { continue };
        if has("export") {
            println!("{}.bin, .obj, .pc2", export::write(&scene).display());
            continue;
        }
        for &frames in &looks {
            let cell = race(&scene, frames, &who);
            print!("{}", cell.text());
            if has("write") && who.is_empty() {
                report::write(&report::merged(report::kept(), &cell));
            }
            cells.push(cell);
        }
    }
    if !has("export") {
        println!("{}", report::table(&cells));
    }
}
