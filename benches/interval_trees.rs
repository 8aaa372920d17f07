//! Interpolated boxes and baked trees against the tuned refit: updates alone, figures in processor
//! time of one thread. Not by criterion: all engines take turns within one run, interval by
//! interval, and medians over the keyframe intervals are compared.
//!
//! `cargo bench --bench interval_trees -- quick` leaves the largest scenes out; a word chooses
//! scenes by name.

mod common;

use common::clock;
use common::heading;
use kinetree::baked::{BakeFormat, BakedClip, BakedTree};
use kinetree::bvh::{BuildParams, Topology};
use kinetree::interval::IntervalBoxes;
use kinetree::kinetic::event::{EventLog, EventQueue};
use kinetree::kinetic::{EventContext, KineticAabbTree, TreeContext};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion};
use kinetree::refit::RefitTree;
use kinetree::scenes::{ExpandingSpheresDef, GeneratedBody, TableclothDef, WalkDef};
use kinetree::time::{Moment, Span};
use std::sync::Arc;

/// Frames per keyframe interval.
const FRAMES: [usize; 4] = [1, 10, 30, 100];

/// One moving body and its keys.
struct Clip {
    name: String,
    mesh: Mesh,
    times: Vec<f64>,
    /// Positions by key; empty for velocities.
    keys: Vec<Vec<[f32; 3]>>,
    by_key: Motion,
    by_vertex: Motion,
}

impl Clip {
    fn new(name: String, body: &GeneratedBody) -> Self {
        let (triangles, start) = (body.triangles().to_vec(), body.start_positions());
        let mesh = Mesh::new(start.len(), triangles).expect("a valid mesh");
        let (times, keys, plan) = match body {
            GeneratedBody::Keyed(clip) => {
                let keys: Vec<Vec<[f32; 3]>> = (0..clip.key_count()).map(|key| clip.key(key).to_vec()).collect();
                (clip.times.clone(), keys.clone(), Flightplan::keyframes(clip.times.clone(), keys.concat()))
            }
            GeneratedBody::Moving(body) => {
                let times = (0..=30).map(|key| f64::from(key) / 30.0).collect();
                (times, Vec::new(), Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()))
            }
            GeneratedBody::Fixed(_) => unreachable!("scenes move"),
        };
        let motion = |layout| Motion::new(plan.clone(), start.len(), layout).expect("a valid plan");
        let (by_key, by_vertex) = (motion(KeyLayout::KeyMajor), motion(KeyLayout::VertexMajor));
        Self { name, mesh, times, keys, by_key, by_vertex }
    }

    fn triangles(&self) -> f64 {
        self.mesh.triangles().len() as f64
    }

    fn topology(&self, leaf_size: usize) -> Topology {
        let params = BuildParams { leaf_size, ..BuildParams::default() };
        Topology::build(&self.mesh, &self.positions(0), params)
    }

    fn positions(&self, key: usize) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        self.by_key.positions(Moment::at(self.times[key]), &mut positions);
        positions
    }

    fn refit_tree(&self, leaf_size: usize) -> RefitTree {
        RefitTree::new(self.topology(leaf_size), &self.mesh, &self.positions(0))
    }

    fn intervals(&self) -> usize {
        self.times.len() - 1
    }

    /// The frames of an interval: its end included, its begin not.
    fn frames(&self, interval: usize, frames: usize) -> impl Iterator<Item = f64> + use<> {
        let (begin, end) = (self.times[interval], self.times[interval + 1]);
        (1..=frames).map(
            move |frame| {
                if frame == frames { end } else { begin + (end - begin) * (frame as f64 / frames as f64) }
            },
        )
    }
}

fn clips(wanted: &[String]) -> Vec<Clip> {
    let mut clips = Vec::new();
    let quick = wanted.iter().any(|word| word == "quick");
    let chosen = |name: &str| wanted.iter().all(|word| word == "quick") || wanted.iter().any(|word| name == word);
    for (name, triangles) in [("A2k", 2_000), ("A16k", 16_000), ("A64k", 64_000)] {
        if chosen(name) && !(quick && triangles > 20_000) {
            let scene = TableclothDef { triangles, ..TableclothDef::default() }.generate();
            clips.push(Clip::new(name.into(), &scene.bodies[0]));
        }
    }
    for (name, triangles) in [("B32k", 32_000), ("B130k", 130_000), ("B500k", 500_000)] {
        if chosen(name) && !(quick && triangles > 50_000) {
            let scene = WalkDef { triangles, ..WalkDef::default() }.generate();
            let (dress, body) = (&scene.bodies[0], &scene.bodies[1]);
            clips.push(Clip::new(format!("{name} dress"), dress));
            clips.push(Clip::new(format!("{name} body"), body));
        }
    }
    for (name, triangles) in [("C2k", 2_000), ("C40k", 40_000)] {
        if chosen(name) {
            let scene = ExpandingSpheresDef { triangles, ..ExpandingSpheresDef::default() }.generate();
            clips.push(Clip::new(name.into(), &scene.bodies[0]));
        }
    }
    clips
}

/// Something that keeps boxes up to date; times nanoseconds per interval.
trait Engine {
    fn interval(&mut self, clip: &Clip, interval: usize, frames: usize);
}

struct Refit {
    tree: RefitTree,
}

impl Engine for Refit {
    fn interval(&mut self, clip: &Clip, interval: usize, frames: usize) {
        for time in clip.frames(interval, frames) {
            let at = Moment::at(time);
            self.tree.refit_with(|vertices, points| clip.by_key.rounded_positions(at, vertices, points));
        }
    }
}

/// The refit alone, where frames are keys: positions are taken as they are.
struct RefitAlone {
    tree: RefitTree,
}

impl Engine for RefitAlone {
    fn interval(&mut self, _: &Clip, _: usize, _: usize) {
        self.tree.refit_with(|_, _| 1e-6);
    }
}

struct QueueTree<'a> {
    clip: &'a Clip,
    tree: KineticAabbTree,
    queue: EventQueue,
    log: EventLog,
}

impl<'a> QueueTree<'a> {
    fn new(clip: &'a Clip) -> Self {
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(false), Moment::at(clip.times[0]));
        let until = clip.by_vertex.epoch_end(now).time();
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let tree = KineticAabbTree::new(
            clip.topology(8),
            0,
            &mut TreeContext::new(&clip.by_vertex, until, &mut clock, &mut Vec::new()),
        );
        Self { clip, tree, queue, log }
    }
}

impl Engine for QueueTree<'_> {
    fn interval(&mut self, clip: &Clip, interval: usize, frames: usize) {
        let until = self.clip.by_vertex.epoch_end(Moment::at(0.0)).time();
        let mut changes = Vec::new();
        for time in clip.frames(interval, frames) {
            while let Some(event) = self.queue.pop_until(Moment::at(time)) {
                changes.clear();
                let mut clock = EventContext { queue: &mut self.queue, log: &mut self.log, now: event.moment };
                self.tree.process(event, &mut TreeContext::new(&clip.by_vertex, until, &mut clock, &mut changes));
            }
        }
    }
}

struct Interpolated {
    boxes: IntervalBoxes,
}

impl Engine for Interpolated {
    fn interval(&mut self, clip: &Clip, interval: usize, _: usize) {
        let (begin, end) = (clip.times[interval], clip.times[interval + 1]);
        self.boxes.follow(&clip.by_key, Moment::after(begin), end).expect("linear motion");
    }
}

struct Baked {
    tree: BakedTree,
    times: Vec<f64>,
    next: usize,
}

impl Baked {
    /// The replay of a clip, and the nanoseconds it took to bake.
    fn new(clip: &Clip, frames: Option<usize>) -> (Self, Arc<BakedClip>, f64) {
        let rate = clip.intervals() as f64 / (clip.times[clip.times.len() - 1] - clip.times[0]);
        let format = match frames {
            Some(frames) => BakeFormat::Frames { per_second: frames as f64 * rate },
            None => BakeFormat::Stamped,
        };
        let span = Span { begin: clip.times[0], end: clip.times[clip.times.len() - 1] };
        let topology = clip.topology(16);
        let (baked, time) = clock::time(|| BakedClip::bake(topology.clone(), &clip.by_key, span, format, 0));
        let baked = Arc::new(baked.expect("the scene does not jump"));
        let tree = BakedTree::new(Arc::clone(&baked), topology, &clip.by_key).expect("it is the same");
        let times = if frames.is_some() { baked.times()[1..].to_vec() } else { Vec::new() };
        (Self { tree, times, next: 0 }, baked, time)
    }
}

impl Engine for Baked {
    fn interval(&mut self, clip: &Clip, interval: usize, frames: usize) {
        if self.times.is_empty() {
            for time in clip.frames(interval, frames) {
                self.tree.seek(time).expect("in the clip");
            }
            return;
        }
        let end = (self.next + frames).min(self.times.len());
        for &time in &self.times[self.next..end] {
            self.tree.seek(time).expect("a frame");
        }
        self.next = end;
    }
}

/// Nanoseconds per triangle and frame of engines that take turns: median over the intervals; the
/// mean where velocities never change, so that the one preparation is charged.
fn measure(clip: &Clip, frames: usize, engines: &mut [Box<dyn Engine + '_>]) -> Vec<f64> {
    let mut times: Vec<Vec<f64>> = engines.iter().map(|_| Vec::new()).collect();
    for interval in 0..clip.intervals() {
        for (engine, times) in engines.iter_mut().zip(&mut times) {
            let ((), time) = clock::time(|| engine.interval(clip, interval, frames));
            times.push(time / clip.triangles() / frames as f64);
        }
    }
    let middle = |times: Vec<f64>| if clip.keys.is_empty() { mean(&times) } else { median(times) };
    times.into_iter().map(middle).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn update_table(clips: &[Clip]) {
    heading(
        "updates alone, ns per triangle and frame; x: refit with one triangle per leaf (at l = 1 without interpolation) over it",
        &[
            ("scene", 12),
            ("l", 4),
            ("refit1", 7),
            ("refit8", 7),
            ("queue8", 8),
            ("boxes16", 8),
            ("x", 6),
            ("baked16", 8),
            ("x", 6),
            ("stamped16", 9),
            ("x", 6),
        ],
    );
    for clip in clips {
        for frames in FRAMES {
            let mut engines: Vec<Box<dyn Engine>> = vec![
                if frames == 1 {
                    Box::new(RefitAlone { tree: clip.refit_tree(1) })
                } else {
                    Box::new(Refit { tree: clip.refit_tree(1) })
                },
                Box::new(Refit { tree: clip.refit_tree(8) }),
                Box::new(QueueTree::new(clip)),
            ];
            if !clip.keys.is_empty() {
                let boxes = IntervalBoxes::over(clip.topology(16), &clip.by_key, clip.times[0]).expect("a time");
                engines.push(Box::new(Interpolated { boxes }));
                engines.push(Box::new(Baked::new(clip, Some(frames)).0));
                engines.push(Box::new(Baked::new(clip, None).0));
            }
            let t = measure(clip, frames, &mut engines);
            print!("{:>12}  {frames:4}  {:7.2}  {:7.2}  {:8.3}", clip.name, t[0], t[1], t[2]);
            for (place, &time) in t.iter().enumerate().skip(3) {
                let width = if place == 5 { 9 } else { 8 };
                print!("  {time:width$.4}  {:6.1}", t[0] / time);
            }
            println!();
        }
    }
}

fn bake_table(clips: &[Clip]) {
    heading(
        "baked clips, leaves of 16 triangles",
        &[("scene", 12), ("format", 9), ("bake ms", 8), ("events/tri", 10), ("bytes/tri", 9), ("check+open ms", 13)],
    );
    for clip in clips.iter().filter(|clip| !clip.keys.is_empty()) {
        for frames in [Some(1), Some(10), None] {
            let (_, baked, time) = Baked::new(clip, frames);
            let bytes = baked.to_bytes();
            let (_, open) = clock::time(|| BakedClip::from_bytes(&bytes).expect("as written"));
            println!(
                "{:>12}  {:>9}  {:8.1}  {:10.2}  {:9.1}  {:13.2}",
                clip.name,
                frames.map_or("stamped".into(), |frames| format!("l = {frames}")),
                time / 1e6,
                baked.event_count() as f64 / clip.triangles(),
                baked.size() as f64 / clip.triangles(),
                open / 1e6,
            );
        }
    }
}

/// Bytes per triangle, by what they are.
fn memory_table(clips: &[Clip]) {
    println!("\nbytes per triangle of a baked tree with its clip of ten frames per key");
    for clip in clips.iter().filter(|clip| !clip.keys.is_empty()) {
        let per = |bytes: usize| bytes as f64 / clip.triangles();
        let (replay, baked, _) = Baked::new(clip, Some(10));
        print!("{:>12}, baked tree, leaves of 16: {:5.1} =", clip.name, per(replay.tree.bytes() + baked.size()));
        replay.tree.bytes_by_part().iter().for_each(|&(name, bytes)| print!("  {name} {:.1}", per(bytes)));
        println!("  clip {:.1}", per(baked.size()));
    }
}

/// Bytes that an update moves in this layout, per interval, each counted once.
struct Moved {
    /// Of boxes interpolated between keys: a key is read, with the order of the leaves; its points
    /// and boxes are written.
    interpolated: f64,
    /// Of a baked clip: the clip is read. Boxes that change are not counted.
    baked: f64,
}

impl Moved {
    fn of(clip: &Clip, baked: &BakedClip) -> Self {
        let topology = clip.topology(16);
        let vertices = clip.keys[0].len();
        let points: usize = (0..topology.nodes().len() as u32).map(|node| topology.leaf_points(node).len()).sum();
        let (point, index, bounds) = (size_of::<[f32; 4]>(), size_of::<u32>(), size_of::<[f32; 8]>());
        let bytes = size_of::<[f32; 3]>() * vertices + (point + index) * points + bounds * topology.nodes().len();
        Self { interpolated: bytes as f64, baked: baked.size() as f64 / clip.intervals() as f64 }
    }
}

/// Bytes a nanosecond that a copy of memory moves, read and written, far beyond the nearest caches.
fn bandwidth() -> f64 {
    let from = vec![1u64; 1 << 23];
    let mut into = vec![0u64; from.len()];
    let time = clock::median(9, || into.copy_from_slice(std::hint::black_box(&from)));
    (2 * size_of_val(from.as_slice())) as f64 / time
}

/// How far updates are from the bandwidth of the memory beyond the nearest caches. Scenes of up to
/// some 16 k triangles stay in these, where the bandwidth is higher.
fn limit_table(clips: &[Clip]) {
    let per_ns = bandwidth();
    heading(
        &format!(
            "updates, and the time of their bytes at the bandwidth of memory ({per_ns:.1} bytes a nanosecond); per triangle and interval"
        ),
        &[("scene", 12), ("l", 4), ("boxes16", 8), ("bytes", 6), ("ns", 6), ("baked16", 8), ("bytes", 6), ("ns", 6)],
    );
    for clip in clips.iter().filter(|clip| !clip.keys.is_empty()) {
        for frames in FRAMES {
            let boxes = IntervalBoxes::over(clip.topology(16), &clip.by_key, clip.times[0]).expect("a time");
            let (replay, baked, _) = Baked::new(clip, Some(frames));
            let t = measure(clip, frames, &mut [Box::new(Interpolated { boxes }), Box::new(replay)]);
            let Moved { interpolated, baked } = Moved::of(clip, &baked);
            print!("{:>12}  {frames:4}", clip.name);
            for (time, bytes) in t.iter().zip([interpolated, baked]) {
                let bytes = bytes / clip.triangles();
                print!("  {:8.3}  {bytes:6.1}  {:6.3}", time * frames as f64, bytes / per_ns);
            }
            println!();
        }
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let clips = clips(&wanted);
    memory_table(&clips);
    update_table(&clips);
    limit_table(&clips);
    bake_table(&clips);
}
