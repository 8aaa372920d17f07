//! Whole frames: all intersecting pairs of triangles, exact at every frame, from key to frame,
//! everything charged. Figures in processor time of one thread; all engines take turns within one
//! run, medians over the keyframe intervals are compared (means where velocities never change, and
//! several intervals are prepared together).
//!
//! | engine | what it does |
//! |---|---|
//! | refit1, refit8 | interpolate, refit with 1 or 8 triangles per leaf, traverse, triangle test in batches, exact test of the rest |
//! | frames | leaf pairs and candidates once per interval; candidates tested at each frame |
//! | intervals | leaf pairs, candidates and their exact contact intervals once per interval; a frame reads them |
//!
//! Engines of pairs have 8 triangles per leaf. Not by criterion: engines take turns interval by
//! interval, each keeps what it knows from one to the next, and the ratios of one interval are
//! compared.
//!
//! `cargo bench --bench pairs -- quick` leaves the largest scenes out; a word chooses scenes by
//! name, a number the frames per interval, `parts` prints only where the time of an interval goes.

mod common;
#[allow(unreachable_pub, reason = "a part of one benchmark")]
#[path = "pairs/refit.rs"]
mod refit;
#[allow(unreachable_pub, reason = "a part of one benchmark")]
#[path = "pairs/scene.rs"]
mod scene;

use std::collections::BTreeMap;

use common::clock;
use common::heading;
use common::pair_contacts::PairContacts;
use kinetree::bvh::{Builder, SharedVertices};
use kinetree::interval::{Candidates, FrameContacts, IntervalBoxes, IntervalPairs, PairedBoxes};
use kinetree::narrow::ContactRule;
use kinetree::narrow::intervals::MovingTriangle;
use kinetree::time::Moment;
use refit::Refit;
use scene::{Actor, Scene, TOGETHER, scenes};

/// Frames per keyframe interval.
const FRAMES: [usize; 4] = [1, 10, 30, 100];

/// Something that finds all pairs at every frame of an interval; returns how many there were in
/// all.
trait Engine {
    fn interval(&mut self, scene: &Scene, interval: usize, frames: usize) -> u64;

    /// Bytes held besides mesh and keys.
    fn bytes(&self) -> usize;
}

/// The pairs of an interval, and what is made of them.
struct Pairs {
    boxes: [Option<IntervalBoxes>; 2],
    shared_vertices: Option<SharedVertices>,
    interval: IntervalPairs,
    candidates: Candidates,
    contacts: PairContacts,
    frames: FrameContacts,
    by_intervals: bool,
    positions: [Vec<[f64; 3]>; 2],
    stamps: [Vec<u32>; 2],
    stamp: u32,
    parts: BTreeMap<&'static str, f64>,
}

impl Pairs {
    fn new(scene: &Scene, leaf_size: usize, by_intervals: bool) -> Self {
        let boxes = |actor: &Actor| {
            IntervalBoxes::over(actor.topology(leaf_size, Builder::MedianSplit), &actor.motion, scene.times[0])
                .expect("valid")
        };
        let (a, b) = (boxes(&scene.a), scene.b.as_ref().map(boxes));
        let seams = scene.seams.as_ref();
        let topology = scene.a.topology(leaf_size, Builder::MedianSplit);
        let shared_vertices = seams.map(|seams| SharedVertices::new(&topology, &scene.a.mesh, seams, true));
        let candidates = match &b {
            Some(b) => Candidates::between(&a, b),
            None => Candidates::within(&a),
        };
        let counts = [scene.a.mesh.vertex_count(), scene.second().mesh.vertex_count()];
        Self {
            boxes: [Some(a), b],
            shared_vertices,
            interval: IntervalPairs::new(0.0).expect("a distance"),
            candidates,
            contacts: PairContacts::default(),
            frames: FrameContacts::new(&scene.rule()),
            by_intervals,
            positions: counts.map(|count| vec![[0.0; 3]; count]),
            stamps: counts.map(|count| vec![0; count]),
            stamp: 0,
            parts: BTreeMap::new(),
        }
    }

    fn part<T>(parts: &mut BTreeMap<&'static str, f64>, name: &'static str, work: impl FnOnce() -> T) -> T {
        let (result, time) = clock::time(work);
        *parts.entry(name).or_default() += time;
        result
    }
}

impl Engine for Pairs {
    fn interval(&mut self, scene: &Scene, interval: usize, frames: usize) -> u64 {
        let rule = scene.rule();
        let parts = &mut self.parts;
        let end = scene.times[interval + 1];
        Self::part(parts, "boxes", || {
            for (boxes, actor) in self.boxes.iter_mut().zip([Some(&scene.a), scene.b.as_ref()]) {
                let (Some(boxes), Some(actor)) = (boxes, actor) else { continue };
                let until =
                    if actor.keys.is_empty() { scene.times[(interval + TOGETHER).min(scene.intervals())] } else { end };
                // Nothing is done where the boxes hold already.
                boxes.follow(&actor.motion, Moment::after(scene.times[interval]), until).expect("linear");
            }
        });
        let a = self.boxes[0].as_ref().expect("boxes");
        let partners = match (&self.boxes[1], &self.shared_vertices) {
            (Some(b), _) => PairedBoxes::between(a, b),
            (None, Some(shared_vertices)) => PairedBoxes::within(a, shared_vertices),
            (None, None) => unreachable!("one body has kin"),
        };
        // Velocities: what was prepared holds for some intervals.
        let is_known = scene.a.keys.is_empty() && !interval.is_multiple_of(TOGETHER);
        if !is_known {
            Self::part(parts, "leaf pairs", || {
                self.interval.begin(&partners).expect("a common time");
                self.interval.prepare(&partners, usize::MAX);
            });
            Self::part(parts, "candidates", || {
                self.candidates.begin(&self.interval, &partners).expect("prepared");
                let bodies = scene.paired_bodies();
                self.candidates.prepare(
                    &self.interval,
                    &partners,
                    bodies,
                    |p, q| rule.wants(p, q),
                    &mut usize::MAX.clone(),
                );
            });
        }
        let actors = [&scene.a, scene.second()];
        let side_of = |side: usize| if scene.b.is_none() { 0 } else { side };
        let (begin_key, end_key) = (interval, interval + 1);
        let span = self.interval.interval();
        let moving = |side: usize, triangle: u32| {
            let actor = actors[side];
            let corners = actor.mesh.triangles()[triangle as usize];
            if actor.keys.is_empty() {
                let at = |time: f64| corners.map(|vertex| actor.on_line(vertex, time));
                return MovingTriangle { begin: at(span.begin), end: at(span.end) };
            }
            let (before, after) = (actor.key(begin_key), actor.key(end_key));
            MovingTriangle::from_f32(
                corners.map(|vertex| before[vertex as usize]),
                corners.map(|vertex| after[vertex as usize]),
            )
        };
        let mut count = 0;
        if self.by_intervals {
            if !is_known {
                Self::part(parts, "intervals", || self.contacts.decide(&self.candidates, moving));
            }
            Self::part(parts, "frames", || {
                for time in scene.frames(interval, frames) {
                    self.contacts.touching(&self.interval, time, moving, |_, _| count += 1);
                }
            });
            return count;
        }
        Self::part(parts, "frames", || {
            for (frame, time) in scene.frames(interval, frames).enumerate() {
                let part = (frame + 1) as f64 / frames as f64;
                self.stamp += 1;
                let (positions, stamps, stamp) = (&mut self.positions, &mut self.stamps, self.stamp);
                let corners = |side: usize, triangle: u32| {
                    let side = side_of(side);
                    let actor = actors[side];
                    actor.mesh.triangles()[triangle as usize].map(|vertex| {
                        let place = &mut positions[side][vertex as usize];
                        if stamps[side][vertex as usize] != stamp {
                            stamps[side][vertex as usize] = stamp;
                            if actor.keys.is_empty() {
                                *place = actor.on_line(vertex, time);
                            } else {
                                let (x, y) =
                                    (actor.key(begin_key)[vertex as usize], actor.key(end_key)[vertex as usize]);
                                for axis in 0..3 {
                                    let (x, y) = (f64::from(x[axis]), f64::from(y[axis]));
                                    place[axis] = x + (y - x) * part;
                                }
                            }
                        }
                        *place
                    })
                };
                self.frames.touching(self.candidates.pairs(), corners, &rule, |_, _| count += 1);
            }
        });
        count
    }

    fn bytes(&self) -> usize {
        self.boxes.iter().flatten().map(IntervalBoxes::bytes).sum::<usize>()
            + self.interval.bytes()
            + self.candidates.bytes()
            + self.contacts.bytes()
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Milliseconds per frame of engines that take turns, by interval, and the pairs found in all.
fn measure(scene: &Scene, frames: usize, engines: &mut [Box<dyn Engine + '_>]) -> (Vec<Vec<f64>>, Vec<u64>) {
    let mut times: Vec<Vec<f64>> = engines.iter().map(|_| Vec::new()).collect();
    let mut counts = vec![0; engines.len()];
    for interval in 0..scene.intervals() {
        for ((engine, times), count) in engines.iter_mut().zip(&mut times).zip(&mut counts) {
            let (found, time) = clock::time(|| engine.interval(scene, interval, frames));
            times.push(time / 1e6 / frames as f64);
            *count += found;
        }
    }
    (times, counts)
}

fn frame_table(scenes: &[Scene], lengths: &[usize]) {
    heading(
        "whole frames, ms; x: the better refit over it, median over intervals",
        &[
            ("scene", 8),
            ("l", 4),
            ("pairs/fr", 8),
            ("refit1", 8),
            ("refit8", 8),
            ("frames", 8),
            ("x", 6),
            ("intervals", 10),
            ("x", 6),
        ],
    );
    for scene in scenes {
        for frames in FRAMES.into_iter().filter(|frames| lengths.is_empty() || lengths.contains(frames)) {
            let mut engines: Vec<Box<dyn Engine>> = vec![
                Box::new(Refit::new(scene, 1)),
                Box::new(Refit::new(scene, 8)),
                Box::new(Pairs::new(scene, 8, false)),
                Box::new(Pairs::new(scene, 8, true)),
            ];
            let (times, counts) = measure(scene, frames, &mut engines);
            let looked = (scene.intervals() * frames) as u64;
            let is_steady = scene.a.keys.is_empty();
            let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
            // The mean where velocities never change, so that preparing several intervals is
            // charged.
            let usual = |times: &[f64]| if is_steady { mean(times) } else { median(times) };
            let middle: Vec<f64> = times.iter().map(|times| usual(times)).collect();
            let ratio = |engine: usize| {
                if is_steady {
                    return middle[0].min(middle[1]) / middle[engine];
                }
                let ratios: Vec<f64> =
                    (0..times[0].len()).map(|k| times[0][k].min(times[1][k]) / times[engine][k]).collect();
                median(&ratios)
            };
            println!(
                "{:>8}  {frames:4}  {:8.1}  {:8.4}  {:8.4}  {:8.4}  {:6.2}  {:10.4}  {:6.2}{}",
                scene.name,
                counts[0] as f64 / looked as f64,
                middle[0],
                middle[1],
                middle[2],
                ratio(2),
                middle[3],
                ratio(3),
                if counts.iter().any(|&count| count != counts[0]) {
                    format!("  counts {counts:?}")
                } else {
                    String::new()
                },
            );
        }
    }
}

/// Where the time of an interval goes.
fn part_table(scenes: &[Scene]) {
    heading("parts of an interval, us; counts per interval; bytes per triangle", &[("scene", 8), ("leaf", 4)]);
    for scene in scenes {
        for leaf in [8, 16] {
            let mut pairs = Pairs::new(scene, leaf, true);
            for interval in 0..scene.intervals() {
                pairs.interval(scene, interval, 10);
            }
            let n = scene.intervals() as f64;
            print!("{:>8}  {leaf:4}", scene.name);
            for (name, time) in &pairs.parts {
                print!("  {name} {:.1}", time / 1e3 / n);
            }
            let (w, c, i) = (pairs.interval.stats(), pairs.candidates.pairs().count(), pairs.contacts.stats());
            println!();
            println!(
                "{:16}visited {:.0}, front {}, listed {}, candidates of the last interval {c}",
                "",
                w.visited as f64 / n,
                w.front,
                w.listed,
            );
            let triangles = scene.a.mesh.triangles().len() + scene.b.as_ref().map_or(0, |b| b.mesh.triangles().len());
            println!(
                "{:16}axes {:.0}, planes {:.0}, signs {:.0}, accepted {:.0}, solved {:.0}, coplanar {:.0}, exact {:.0}, intervals {:.0}; {:.0} bytes",
                "",
                i.rejected_by_axes as f64 / n,
                i.rejected_by_planes as f64 / n,
                i.rejected_by_signs as f64 / n,
                i.accepted_by_signs as f64 / n,
                i.solved as f64 / n,
                i.coplanar as f64 / n,
                i.exact_pairs as f64 / n,
                i.intervals as f64 / n,
                pairs.bytes() as f64 / triangles as f64,
            );
        }
    }
}

/// What the front costs, by how long it is kept.
fn rebuild_table(scenes: &[Scene]) {
    heading(
        "pairs of leaves per interval, us (pairs of nodes visited), by the intervals a front is kept",
        &[("scene", 8), ("1", 16), ("2", 16), ("4", 16), ("8", 16), ("16", 16)],
    );
    for scene in scenes {
        print!("{:>8}", scene.name);
        let mut engines = [1, 2, 4, 8, 16].map(|kept| {
            let mut pairs = Pairs::new(scene, 8, true);
            pairs.interval = IntervalPairs::new(0.0).expect("a distance").rebuilt_after(kept);
            pairs
        });
        for interval in 0..scene.intervals() {
            for pairs in &mut engines {
                pairs.interval(scene, interval, 1);
            }
        }
        let n = scene.intervals() as f64;
        for pairs in &engines {
            let text = format!(
                "{:.1} ({:.0})",
                pairs.parts["leaf pairs"] / 1e3 / n,
                pairs.interval.stats().visited as f64 / n
            );
            print!("  {text:>16}");
        }
        println!();
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (numbers, wanted): (Vec<String>, Vec<String>) =
        wanted.into_iter().partition(|word| word.parse::<usize>().is_ok());
    let lengths: Vec<usize> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
    let scenes = scenes(&wanted);
    if wanted.iter().any(|word| word == "parts") {
        part_table(&scenes);
        rebuild_table(&scenes);
        return;
    }
    frame_table(&scenes, &lengths);
    part_table(&scenes);
}
