//! Boxes, pairs of leaves, candidates and contacts at frames, interval by interval.

use kinetree::bvh::{BuildParams, Builder, SharedVertices, Width};
use kinetree::interval::{
    Candidates, FrameContacts, IntervalBoxes, IntervalPairs, PairedBodies, PairedBoxes, Prepared,
};
use kinetree::mesh::Seams;
use kinetree::motion::{Flightplan, KeyLayout, Motion};
use kinetree::narrow::{ContactRule, triangles_touch, triangles_within};
use kinetree::time::Moment;

use crate::bodies::{Body, KINDS, Kind, tell_boxes};
use crate::dice::Dice;
use crate::record::Record;
use crate::table::compare;

const COLUMNS: [&str; 10] = [
    "visited",
    "rebuilds",
    "front",
    "listed",
    "sharing",
    "active",
    "candidates",
    "cost of candidates",
    "tests at frames",
    "contacts at frames",
];

/// Which pairs of triangles are asked about.
struct Rule<'a> {
    distance: f64,
    blur: f64,
    surface: Option<(&'a [[u32; 3]], &'a Seams)>,
}

impl ContactRule for Rule<'_> {
    fn distance(&self) -> f64 {
        self.distance
    }

    fn blur(&self) -> f64 {
        self.blur
    }

    fn wants(&self, p: u32, q: u32) -> bool {
        self.surface.is_none_or(|(triangles, seams)| {
            p < q && !seams.share_corner(&triangles[p as usize], &triangles[q as usize])
        })
    }

    fn touch(&self, a: (u32, &[[f64; 3]; 3]), b: (u32, &[[f64; 3]; 3])) -> bool {
        if self.distance > 0.0 { triangles_within(a.1, b.1, self.distance) } else { triangles_touch(a.1, b.1) }
    }
}

/// What finds contacts of two bodies, or of one.
struct Finder<'a> {
    leaf_pairs: IntervalPairs,
    candidates: Candidates,
    frames: FrameContacts,
    bodies: PairedBodies<'a>,
    rule: Rule<'a>,
}

/// How the work of an interval is divided.
#[derive(Clone, Copy)]
struct Work {
    leaves: usize,
    triangles: usize,
    steps: f64,
}

impl Finder<'_> {
    /// Prepares an interval and tells what it found and cost.
    fn prepare(&mut self, record: &mut Record, partners: &PairedBoxes<'_>, work: Work) -> bool {
        let Self { leaf_pairs, candidates, bodies, rule, .. } = self;
        let begun = leaf_pairs.begin(partners);
        record.text(&format!("{begun:?}"));
        if begun.is_err() {
            return false;
        }
        record.text(&format!("{:?}", candidates.begin(leaf_pairs, partners)));
        let refused = candidates.at(leaf_pairs, leaf_pairs.interval().begin, &mut Vec::new(), &mut Vec::new());
        record.text(&format!("{refused:?} {:?}", leaf_pairs.active(0.0).map(Iterator::count)));
        while leaf_pairs.prepare(partners, work.leaves) == Prepared::Partly {
            let stats = leaf_pairs.stats();
            record.text(&format!("{stats:?} {}", leaf_pairs.pairs().len()));
        }
        let stats = leaf_pairs.stats();
        record.text(&format!("{stats:?} {}", leaf_pairs.is_ready()));
        record.counts[2] += stats.front as u64;
        record.counts[3] += stats.listed as u64;
        record.counts[4] += stats.sharing as u64;
        for pair in leaf_pairs.pairs() {
            record.word(u64::from(pair.a) << 32 | u64::from(pair.b));
            record.numbers(&[f64::from(pair.enter), f64::from(pair.leave)]);
        }
        let audit = leaf_pairs.audit(partners);
        record.text(&format!("{} {:?}", audit.checks, audit.faults));
        candidates.expect_steps(work.steps);
        candidates.begin(leaf_pairs, partners).unwrap();
        let mut cost = 0;
        loop {
            let mut budget = work.triangles;
            let prepared = candidates.prepare(leaf_pairs, partners, *bodies, |p, q| rule.wants(p, q), &mut budget);
            cost += (work.triangles - budget) as u64;
            record.word(cost);
            if prepared == Prepared::All {
                break;
            }
        }
        record.counts[7] += cost;
        for (a, b) in candidates.pairs() {
            record.word(u64::from(a) << 32 | u64::from(b));
            record.counts[6] += 1;
        }
        true
    }

    /// Tells what touches at a moment; `corners` are those of triangles then.
    fn frame(&mut self, record: &mut Record, at: Moment, corners: impl Fn(usize, u32) -> [[f64; 3]; 3]) {
        let Self { leaf_pairs, candidates, frames, rule, .. } = self;
        match leaf_pairs.active(at.time()) {
            Ok(active) => {
                for pair in active {
                    record.word(u64::from(pair.a) << 32 | u64::from(pair.b));
                    record.counts[5] += 1;
                }
            }
            Err(error) => record.text(&format!("{error:?}")),
        }
        let (mut touching, mut open) = (Vec::new(), Vec::new());
        let is_known = candidates.at(leaf_pairs, at.time(), &mut touching, &mut open);
        record.text(&format!("{is_known:?} {touching:?} {open:?}"));
        let mut found = Vec::new();
        frames.touching(candidates.pairs(), corners, rule, |p, q| found.push((p, q)));
        record.text(&format!("{found:?}"));
        record.counts[9] += found.len() as u64;
    }
}

impl Finder<'_> {
    /// Tells what is certain of candidates in all parts of an interval that ends at a time.
    fn certain(&self, record: &mut Record, end: f64) {
        let begin = self.leaf_pairs.interval().begin;
        for part in 0..64 {
            let time = begin + (end - begin) * (f64::from(part) + 0.5) / 64.0;
            let (mut touching, mut open) = (Vec::new(), Vec::new());
            if self.candidates.at(&self.leaf_pairs, time, &mut touching, &mut open) != Ok(true) {
                return;
            }
            record.word(touching.len() as u64);
            for (p, q) in touching.into_iter().chain(open) {
                record.word(u64::from(p) << 32 | u64::from(q));
            }
        }
    }
}

/// Some intervals of two bodies, or of one with itself.
fn run(dice: &mut Dice, record: &mut Record, kind: Kind, is_self: bool) {
    let size = dice.pick(&[2, 3, 4]);
    let turn = dice.below(3);
    let mut a = Body::new(dice, kind, size, turn);
    let mut b = Body::new(dice, kind, size, turn);
    let distance = dice.pick(&[0.0, 0.0, 0.125, 1.0]) * kind.unit();
    let seams = a.mesh.weld(&a.rest).unwrap();
    let shared = SharedVertices::new(&a.topology, &a.mesh, &seams, dice.percent(50));
    let (mesh, other) = (a.mesh.clone(), b.mesh.clone());
    let (motion, other_motion) = (a.motion.clone(), b.motion.clone());
    let seams_of_meshes = dice.percent(50).then_some(&seams);
    let mut finder = Finder {
        leaf_pairs: IntervalPairs::new(distance).unwrap(),
        candidates: if is_self { Candidates::within(&a.boxes) } else { Candidates::between(&a.boxes, &b.boxes) },
        frames: FrameContacts::new(&Rule { distance, blur: 0.0, surface: None }),
        bodies: if is_self {
            PairedBodies::within((&mesh, &motion), seams_of_meshes)
        } else {
            PairedBodies::between((&mesh, &motion), (&other, &other_motion))
        },
        rule: Rule {
            distance,
            blur: dice.pick(&[0.0, 1e-6]) * kind.unit(),
            surface: is_self.then_some((mesh.triangles(), &seams)),
        },
    };
    if dice.percent(50) {
        finder.leaf_pairs = finder.leaf_pairs.rebuilt_after(dice.pick(&[0, 1, 2, 3]));
    }
    finder.frames = FrameContacts::new(&finder.rule);
    let work = Work {
        leaves: dice.pick(&[1, 5, 64, usize::MAX]),
        triangles: dice.pick(&[1, 40, 900, usize::MAX, usize::MAX]),
        steps: dice.pick(&[0.0, 5.0, 6.0, 7.0, 20.0, 100.0]),
    };
    let mut now = 0.0;
    for _ in 0..5 {
        // Some intervals of one body are longer than those of the other.
        let until = now + dice.pick(&[0.25, 0.5, 1.0, 10.0]);
        let other_until = if dice.percent(60) { until } else { now + dice.pick(&[0.3, 1.0, 10.0]) };
        if !a.follow(record, now, until) || !b.follow(record, now, other_until) {
            break;
        }
        let other = if is_self { &a } else { &b };
        let partners =
            if is_self { PairedBoxes::within(&a.boxes, &shared) } else { PairedBoxes::between(&a.boxes, &b.boxes) };
        if !finder.prepare(record, &partners, work) {
            break;
        }
        let interval = finder.leaf_pairs.interval();
        record.numbers(&[interval.begin, interval.end]);
        let end = if interval.end.is_finite() { interval.end } else { interval.begin + 2.0 };
        let parts = [0.0, 0.25, dice.unit(), 0.75, 1.0, -0.5, f64::NAN];
        for part in parts {
            let time = if part == 1.0 { end } else { interval.begin + part * (end - interval.begin) };
            if !(interval.begin <= time && time <= end) {
                record.text(&format!("{:?}", finder.leaf_pairs.active(time).map(Iterator::count).is_err()));
                continue;
            }
            let at = if time <= interval.begin { Moment::after(time) } else { Moment::at(time) };
            let positions = [a.positions(at), other.positions(at)];
            let meshes = [&a.mesh, &other.mesh];
            let corners = |side: usize, triangle: u32| {
                meshes[side].triangles()[triangle as usize].map(|vertex| positions[side][vertex as usize])
            };
            finder.frame(record, at, corners);
        }
        finder.certain(record, end);
        if dice.percent(10) {
            finder.leaf_pairs.forget();
            let is_ready = finder.leaf_pairs.is_ready();
            let refused = finder.leaf_pairs.active(end).map(Iterator::count);
            record.text(&format!("{is_ready} {} {refused:?}", finder.leaf_pairs.pairs().len()));
        }
        now = end;
    }
    let stats = finder.leaf_pairs.stats();
    record.counts[0] += stats.visited;
    record.counts[1] += stats.rebuilds;
    record.counts[8] += finder.frames.tests();
    record.word(finder.frames.tests());
}

fn rows(table: &str, is_self: bool) {
    let mut rows = Vec::new();
    for kind in KINDS {
        for number in 0..10u64 {
            let name = format!("{kind:?} {number}");
            let mut record = Record::new(&name, COLUMNS.len());
            for case in 0..6 {
                let mut dice = Dice::new(number, &[kind as u64, case, u64::from(is_self)]);
                run(&mut dice, &mut record, kind, is_self);
            }
            rows.push((name, record));
        }
    }
    compare(table, &COLUMNS, &rows);
}

#[test]
fn intervals_of_two_bodies() {
    rows("intervals_of_two_bodies", false);
}

#[test]
fn intervals_of_one_body() {
    rows("intervals_of_one_body", true);
}

/// A sheet of many triangles with keys at 0, 1 and 2 s.
fn large_sheet(seed: u64, cells: usize) -> Body {
    let mut dice = Dice::new(seed, &[5]);
    let side = cells + 1;
    let mut positions = Vec::new();
    for _ in 0..3 {
        for vertex in 0..side * side {
            let [x, y] = [vertex % side, vertex / side].map(|k| k as f32 + dice.unit() as f32);
            positions.push([x, y, dice.real(-0.7, 0.7) as f32]);
        }
    }
    let mut triangles = Vec::new();
    for row in 0..cells {
        for column in 0..cells {
            let p = (column + row * side) as u32;
            let r = p + side as u32;
            triangles.extend([[p, p + 1, r], [r + 1, r, p + 1]]);
        }
    }
    let build = BuildParams { builder: Builder::MedianSplit, leaf_size: 2, width: Width::Two };
    Body::moving(Flightplan::keyframes(vec![0.0, 1.0, 2.0], positions), side * side, triangles, build)
}

/// Both intervals of two large bodies, or of one.
fn large(name: &str, is_self: bool) -> Record {
    let mut record = Record::new(name, COLUMNS.len());
    let (mut a, mut b) = (large_sheet(1, 30), large_sheet(2, 30));
    let seams = a.mesh.weld(&a.rest).unwrap();
    let shared = SharedVertices::new(&a.topology, &a.mesh, &seams, true);
    let (mesh, other) = (a.mesh.clone(), b.mesh.clone());
    let (motion, other_motion) = (a.motion.clone(), b.motion.clone());
    let rule = Rule { distance: 0.0, blur: 0.0, surface: is_self.then_some((mesh.triangles(), &seams)) };
    let mut finder = Finder {
        leaf_pairs: IntervalPairs::new(0.0).unwrap(),
        candidates: if is_self { Candidates::within(&a.boxes) } else { Candidates::between(&a.boxes, &b.boxes) },
        frames: FrameContacts::new(&rule),
        bodies: if is_self {
            PairedBodies::within((&mesh, &motion), Some(&seams))
        } else {
            PairedBodies::between((&mesh, &motion), (&other, &other_motion))
        },
        rule,
    };
    for now in [0.0, 1.0] {
        a.follow(&mut record, now, now + 1.0);
        b.follow(&mut record, now, now + 1.0);
        let partners =
            if is_self { PairedBoxes::within(&a.boxes, &shared) } else { PairedBoxes::between(&a.boxes, &b.boxes) };
        finder.prepare(&mut record, &partners, Work { leaves: usize::MAX, triangles: usize::MAX, steps: 20.0 });
        finder.certain(&mut record, now + 1.0);
    }
    record.counts[0] = finder.leaf_pairs.stats().visited;
    record.counts[1] = finder.leaf_pairs.stats().rebuilds;
    record
}

/// So many pairs of leaves that threads share them: the same with one thread and with several.
#[test]
fn large_bodies() {
    let run = || ["two", "one"].map(|name| (name.to_owned(), large(name, name == "one")));
    #[cfg(feature = "rayon")]
    let rows = {
        let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (one, three) = (pool(1).install(run), pool(3).install(run));
        let is_same = one.iter().zip(&three).all(|(x, y)| (x.1.sum, &x.1.counts) == (y.1.sum, &y.1.counts));
        assert!(is_same, "{one:?} {three:?}: other work in three threads");
        one
    };
    #[cfg(not(feature = "rayon"))]
    let rows = run();
    compare("large_bodies", &COLUMNS, &rows);
}

/// Boxes that follow others, forget, or are refused.
#[test]
fn boxes_that_are_refused_or_begin_again() {
    let mut rows = Vec::new();
    for kind in KINDS {
        let name = format!("{kind:?}");
        let mut record = Record::new(&name, 0);
        for case in 0..12 {
            let mut dice = Dice::new(3, &[kind as u64, case]);
            let mut body = Body::new(&mut dice, kind, 2, 0);
            body.follow(&mut record, 0.0, dice.pick(&[0.5, 1.0, 9.0]));
            let end = body.boxes.end();
            let mut next = body.boxes.clone();
            next.start_from(&body.boxes);
            tell_boxes(&mut record, &next, end.min(5.0));
            for at in [end, 0.5, -1.0, f64::NAN, f64::INFINITY] {
                let followed = if at.is_nan() || at.is_infinite() {
                    IntervalBoxes::over(body.topology.clone(), &body.motion, at).map(|_| true)
                } else {
                    next.follow(&body.motion, Moment::after(at), at + 0.5)
                };
                record.text(&format!("{followed:?}"));
                tell_boxes(&mut record, &next, at.clamp(-1.0, 5.0));
            }
            body.boxes.forget();
            record.numbers(&[body.boxes.begin(), body.boxes.end()]);
            body.follow(&mut record, 0.25, 0.5);
            // A tree of four children, and motion along curves.
            let wide = BuildParams { leaf_size: 1, width: Width::Four, ..BuildParams::default() };
            let start = body.positions(Moment::at(0.0));
            let tree = kinetree::bvh::Topology::build(&body.mesh, &start, wide);
            record.text(&format!("{:?}", IntervalBoxes::over(tree, &body.motion, 0.0).map(|boxes| boxes.end())));
            let count = body.rest.len();
            let fall = Flightplan::ballistic(0.0, body.rest.clone(), vec![[0.0; 3]; count], [0.0, 0.0, -1.0]);
            let fall = Motion::new(fall, count, KeyLayout::KeyMajor).unwrap();
            record.text(&format!("{:?}", next.follow(&fall, Moment::after(0.0), 1.0)));
        }
        for distance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.0, 1e30, 1e31, 2e30, f64::MIN_POSITIVE] {
            record.text(&format!("{:?}", IntervalPairs::new(distance).map(|pairs| pairs.stats())));
        }
        rows.push((name, record));
    }
    compare("boxes_that_are_refused_or_begin_again", &[], &rows);
}
