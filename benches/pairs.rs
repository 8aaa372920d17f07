//! Whole frames: all intersecting pairs of triangles, exact at every frame, from key to frame, everything charged. Figures in
//! processor time of one thread; all engines take turns within one run, medians over the keyframe intervals are compared
//! (means where velocities never change, and several intervals are prepared together).
//!
//! | engine | what it does |
//! |---|---|
//! | refit1, refit8 | interpolate, refit with 1 or 8 triangles per leaf, traverse, triangle test in batches, exact test of the rest |
//! | frames | leaf pairs and candidates once per interval; candidates tested at each frame |
//! | intervals | leaf pairs, candidates and their exact contact intervals once per interval; a frame reads them |
//! | bracketed | the same, the ends of contacts only to brackets; at a frame inside one an exact test tells |
//!
//! Engines of pairs have 8 triangles per leaf. One long file, because all of it serves one table.
//!
//! `cargo bench --bench pairs -- quick` leaves the largest scenes out; a word chooses scenes by name, a number
//! the frames per interval, `parts` prints only where the time of an interval goes.

mod common;

use std::collections::BTreeMap;

use common::clock;
use common::heading;
use kinetree::bvh::{BuildParams, Builder, SharedVertices, Topology};
use kinetree::interval::{
    Candidates, ContactEnds, FrameContacts, IntervalBoxes, IntervalPairs, PairContacts, PairedBoxes,
};
use kinetree::mesh::{Mesh, Seams};
use kinetree::motion::{Flightplan, KeyLayout, Motion, StretchKind};
use kinetree::narrow::batch::{Directions, PairBatch};
use kinetree::narrow::intervals::MovingTriangle;
use kinetree::narrow::{ContactRule, triangles_touch};
use kinetree::refit::{RefitTree, candidate_triangles};
use kinetree::scenes::{ExpandingSpheresDef, GeneratedBody, TableclothDef, WalkDef};
use kinetree::time::Moment;

/// Frames per keyframe interval.
const FRAMES: [usize; 4] = [1, 10, 30, 100];

/// One body of a scene, its positions at every key.
/// Positions at time 0, and velocities.
type Lines = (Vec<[f32; 3]>, Vec<[f32; 3]>);

struct Actor {
    mesh: Mesh,
    rest: Vec<[f32; 3]>,
    /// Positions by key; one entry where nothing moves; none for velocities.
    keys: Vec<Vec<[f32; 3]>>,
    /// Of velocities.
    lines: Option<Lines>,
    motion: Motion,
}

/// Keyframe intervals of constant velocities that are prepared together: nothing there turns at a key.
const TOGETHER: usize = 10;

impl Actor {
    fn new(mesh: Mesh, plan: Flightplan, times: &[f64]) -> Self {
        let rest = plan.rest_positions(mesh.vertex_count()).to_vec();
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::KeyMajor).expect("a valid plan");
        let kind = motion.stretch(Moment::after(times[0])).map(|stretch| stretch.kind);
        let is_fixed = kind == Some(StretchKind::Hold);
        let is_velocity = matches!(kind, Some(StretchKind::Lines { .. }));
        let count = if is_fixed { 1 } else { times.len() };
        let key = |&time: &f64| -> Vec<[f32; 3]> {
            let mut positions = Vec::new();
            motion.positions(Moment::at(time), &mut positions);
            positions.iter().map(|point| point.map(|x| x as f32)).collect()
        };
        let keys = if is_velocity { Vec::new() } else { times[..count].iter().map(key).collect() };
        Self { mesh, rest, keys, lines: None, motion }
    }

    /// Where velocities have taken a vertex.
    fn on_line(&self, vertex: u32, time: f64) -> [f64; 3] {
        let (positions, velocities) = self.lines.as_ref().expect("velocities");
        let (x, v) = (positions[vertex as usize], velocities[vertex as usize]);
        std::array::from_fn(|axis| f64::from(x[axis]) + f64::from(v[axis]) * time)
    }

    fn key(&self, key: usize) -> &[[f32; 3]] {
        &self.keys[key.min(self.keys.len() - 1)]
    }

    fn start(&self) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        self.motion.positions(Moment::at(0.0), &mut positions);
        positions
    }

    fn topology(&self, leaf_size: usize, builder: Builder) -> Topology {
        Topology::build(&self.mesh, &self.start(), BuildParams { leaf_size, builder, ..BuildParams::default() })
    }

    fn is_fixed(&self) -> bool {
        self.keys.len() == 1
    }
}

/// Two bodies that meet, or one that meets itself.
struct Scene {
    name: String,
    times: Vec<f64>,
    a: Actor,
    /// `None`: the body with itself.
    b: Option<Actor>,
    seams: Option<Seams>,
}

impl Scene {
    fn of_two(name: &str, times: &[f64], a: Actor, b: Actor) -> Self {
        Self { name: name.into(), times: times.to_vec(), a, b: Some(b), seams: None }
    }

    fn of_one(name: &str, times: &[f64], a: Actor) -> Self {
        let seams = a.mesh.weld(&a.rest).unwrap();
        Self { name: name.into(), times: times.to_vec(), a, b: None, seams: Some(seams) }
    }

    fn second(&self) -> &Actor {
        self.b.as_ref().unwrap_or(&self.a)
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

    fn rule(&self) -> Rule<'_> {
        Rule { surface: self.seams.as_ref().map(|seams| (self.a.mesh.triangles(), seams)) }
    }
}

/// Triangles that share a corner are not asked about.
struct Rule<'a> {
    surface: Option<(&'a [[u32; 3]], &'a Seams)>,
}

impl ContactRule for Rule<'_> {
    fn wants(&self, p: u32, q: u32) -> bool {
        self.surface
            .is_none_or(|(triangles, seams)| !seams.share_corner(&triangles[p as usize], &triangles[q as usize]))
    }
}

/// Something that finds all pairs at every frame of an interval; returns how many there were in all.
trait Engine {
    fn interval(&mut self, scene: &Scene, interval: usize, frames: usize) -> u64;

    /// Bytes held besides mesh and keys.
    fn bytes(&self) -> usize;
}

/// Positions of all vertices at a frame: `f64` for the exact test; the tree takes them from there.
fn interpolate(actor: &Actor, interval: usize, part: f64, at: Moment, out: &mut Vec<[f64; 3]>) {
    if actor.keys.is_empty() {
        out.clear();
        out.extend((0..actor.mesh.vertex_count() as u32).map(|vertex| actor.on_line(vertex, at.time())));
        return;
    }
    out.resize(actor.mesh.vertex_count(), [0.0; 3]);
    let (before, after) = (actor.key(interval), actor.key(interval + 1));
    for ((out, before), after) in out.iter_mut().zip(before).zip(after) {
        for axis in 0..3 {
            let (x, y) = (f64::from(before[axis]), f64::from(after[axis]));
            out[axis] = x + (y - x) * part;
        }
    }
}

struct Refit {
    trees: [Option<RefitTree>; 2],
    positions: [Vec<[f64; 3]>; 2],
    batch: PairBatch<1>,
    waiting: Vec<(u32, u32)>,
}

impl Refit {
    fn new(scene: &Scene, leaf_size: usize) -> Self {
        let tree = |actor: &Actor| {
            RefitTree::new(actor.topology(leaf_size, Builder::BinnedSurfaceArea), &actor.mesh, &actor.start())
        };
        Self {
            trees: [Some(tree(&scene.a)), scene.b.as_ref().map(tree)],
            positions: [scene.a.start(), scene.b.as_ref().map(Actor::start).unwrap_or_default()],
            // Coordinates are below 16 m.
            batch: PairBatch::new(0.0, 16.0 / f64::from(1 << 23)),
            waiting: Vec::new(),
        }
    }
}

fn narrow(corners: [[f64; 3]; 3]) -> [[[f32; 3]; 3]; 1] {
    [corners.map(|corner| corner.map(|x| x as f32))]
}

impl Engine for Refit {
    fn interval(&mut self, scene: &Scene, interval: usize, frames: usize) -> u64 {
        let mut count = 0;
        let rule = scene.rule();
        for (frame, time) in scene.frames(interval, frames).enumerate() {
            let part = (frame + 1) as f64 / frames as f64;
            for side in 0..2 {
                let Some(actor) = [Some(&scene.a), scene.b.as_ref()][side] else { continue };
                let Some(tree) = &mut self.trees[side] else { continue };
                if !actor.is_fixed() {
                    interpolate(actor, interval, part, Moment::at(time), &mut self.positions[side]);
                    tree.refit(&self.positions[side]);
                }
            }
            let (tree_a, tree_b) = (self.trees[0].as_ref().expect("a tree"), self.trees[1].as_ref());
            let is_self = tree_b.is_none();
            let (mesh_a, mesh_b) = (scene.a.mesh.triangles(), scene.second().mesh.triangles());
            let (of_a, of_b) = (&self.positions[0], if is_self { &self.positions[0] } else { &self.positions[1] });
            let corners = |mesh: &[[u32; 3]], positions: &[[f64; 3]], triangle: u32| {
                mesh[triangle as usize].map(|vertex| positions[vertex as usize])
            };
            let (batch, waiting) = (&mut self.batch, &mut self.waiting);
            let mut flush = |batch: &mut PairBatch<1>, waiting: &mut Vec<(u32, u32)>| {
                let apart = batch.apart(Directions::Faces);
                for (place, &(p, q)) in waiting.iter().enumerate() {
                    if apart >> place & 1 == 0 {
                        count += u64::from(triangles_touch(&corners(mesh_a, of_a, p), &corners(mesh_b, of_b, q)));
                    }
                }
                batch.clear();
                waiting.clear();
            };
            candidate_triangles(tree_a, tree_b.unwrap_or(tree_a), 0.0, |p, q| {
                if is_self && !rule.wants(p, q) {
                    return;
                }
                batch.push(&narrow(corners(mesh_a, of_a, p)), &narrow(corners(mesh_b, of_b, q)));
                waiting.push((p, q));
                if batch.is_full() {
                    flush(batch, waiting);
                }
            });
            flush(batch, waiting);
        }
        count
    }

    fn bytes(&self) -> usize {
        self.trees.iter().flatten().map(RefitTree::bytes).sum::<usize>()
            + self.positions.iter().map(|positions| positions.capacity() * size_of::<[f64; 3]>()).sum::<usize>()
    }
}

/// The pairs of an interval, and what is made of them.
struct Pairs {
    boxes: [Option<IntervalBoxes>; 2],
    shared_vertices: Option<SharedVertices>,
    windows: IntervalPairs,
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
    fn new(scene: &Scene, leaf_size: usize, by_intervals: bool, ends: ContactEnds) -> Self {
        let boxes = |actor: &Actor| {
            IntervalBoxes::over(actor.topology(leaf_size, Builder::MedianSplit), &actor.motion, scene.times[0])
                .expect("valid")
        };
        let (a, b) = (boxes(&scene.a), scene.b.as_ref().map(boxes));
        let seams = scene.seams.as_ref();
        let topology = scene.a.topology(leaf_size, Builder::MedianSplit);
        let shared_vertices = seams.map(|seams| SharedVertices::new(&topology, &scene.a.mesh, seams, true));
        let candidates = match (&b, &scene.b) {
            (Some(b), Some(actor)) => Candidates::between((&a, &scene.a.mesh), (b, &actor.mesh)),
            _ => Candidates::within(&a, &scene.a.mesh, seams),
        };
        let counts = [scene.a.mesh.vertex_count(), scene.second().mesh.vertex_count()];
        Self {
            boxes: [Some(a), b],
            shared_vertices,
            windows: IntervalPairs::new(0.0).expect("a distance"),
            candidates,
            contacts: PairContacts::new(ends),
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
                if actor.is_fixed() {
                    boxes.push_rest(end).expect("later");
                } else if actor.keys.is_empty() {
                    if interval.is_multiple_of(TOGETHER) {
                        let until = scene.times[(interval + TOGETHER).min(scene.intervals())];
                        boxes.follow(&actor.motion, Moment::after(scene.times[interval]), until).expect("linear");
                    }
                } else {
                    boxes.push_key(end, actor.key(interval + 1)).expect("a key");
                }
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
            Self::part(parts, "windows", || {
                self.windows.begin(&partners).expect("a common time");
                self.windows.prepare(&partners, usize::MAX);
            });
            Self::part(parts, "candidates", || {
                self.candidates.begin(&self.windows, &partners).expect("prepared");
                self.candidates.prepare(&self.windows, &partners, |p, q| rule.wants(p, q), usize::MAX);
            });
        }
        let actors = [&scene.a, scene.second()];
        let side_of = |side: usize| if scene.b.is_none() { 0 } else { side };
        let (begin_key, end_key) = (interval, interval + 1);
        let span = self.windows.interval();
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
                Self::part(parts, "intervals", || self.contacts.decide(&self.windows, &self.candidates, moving));
            }
            Self::part(parts, "frames", || {
                for time in scene.frames(interval, frames) {
                    self.contacts.touching(&self.windows, time, moving, |_, _| count += 1).expect("inside");
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
                self.frames.touching(&self.candidates, corners, &rule, |_, _| count += 1);
            }
        });
        count
    }

    fn bytes(&self) -> usize {
        self.boxes.iter().flatten().map(IntervalBoxes::bytes).sum::<usize>()
            + self.windows.bytes()
            + self.candidates.bytes()
            + self.contacts.bytes()
    }
}

fn actors(bodies: &[GeneratedBody], times: &[f64]) -> Vec<Actor> {
    let actor = |body: &GeneratedBody| {
        let mesh = Mesh::new(body.start_positions().len(), body.triangles().to_vec()).expect("a valid mesh");
        let plan = match body {
            GeneratedBody::Fixed(mesh) => Flightplan::fixed(mesh.positions.clone()),
            GeneratedBody::Keyed(clip) => {
                Flightplan::keyframes(clip.times.clone(), clip.positions.as_chunks::<3>().0.to_vec())
            }
            GeneratedBody::Moving(body) => Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
        };
        let lines = match body {
            GeneratedBody::Moving(body) => Some((body.positions.clone(), body.velocities.clone())),
            _ => None,
        };
        Actor { lines, ..Actor::new(mesh, plan, times) }
    };
    bodies.iter().map(actor).collect()
}

fn key_times(bodies: &[GeneratedBody]) -> Vec<f64> {
    let keyed = bodies.iter().find_map(|body| match body {
        GeneratedBody::Keyed(clip) => Some(clip.times.clone()),
        _ => None,
    });
    // Expanding spheres touch at 2 s.
    keyed.unwrap_or_else(|| (0..=30).map(|key| 1.5 + f64::from(key) / 30.0).collect())
}

fn scenes(wanted: &[String]) -> Vec<Scene> {
    let quick = wanted.iter().any(|word| word == "quick");
    let options = ["quick", "parts"];
    let chosen = |name: &str| {
        wanted.iter().all(|word| options.contains(&word.as_str())) || wanted.iter().any(|word| name == word)
    };
    let mut scenes = Vec::new();
    let mut add = |name: &str, bodies: &[GeneratedBody]| {
        let times = key_times(bodies);
        let mut actors = actors(bodies, &times);
        let b = actors.remove(1);
        scenes.push(Scene::of_two(name, &times, actors.remove(0), b));
    };
    for (name, triangles) in [("A2k", 2_000), ("A16k", 16_000), ("A64k", 64_000)] {
        if chosen(name) && !(quick && triangles > 20_000) {
            add(name, &TableclothDef { triangles, ..TableclothDef::default() }.generate().bodies);
        }
    }
    for (name, triangles) in [("B32k", 32_000), ("B130k", 130_000)] {
        if chosen(name) && !(quick && triangles > 50_000) {
            add(name, &WalkDef { triangles, ..WalkDef::default() }.generate().bodies);
        }
    }
    for (name, triangles) in [("C2k", 2_000), ("C40k", 40_000)] {
        if chosen(name) {
            add(name, &ExpandingSpheresDef { triangles, ..ExpandingSpheresDef::default() }.generate().bodies);
        }
    }
    for name in ["ball", "twist"].into_iter().filter(|name| chosen(name)) {
        match common::scenes::cloth(name) {
            Ok((mesh, times, positions)) => {
                let plan = Flightplan::keyframes(times.clone(), positions);
                scenes.push(Scene::of_one(name, &times, Actor::new(mesh, plan, &times)));
            }
            Err(reason) => println!("skipped {name}: {reason}"),
        }
    }
    scenes
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
            ("bracketed", 10),
            ("x", 6),
        ],
    );
    for scene in scenes {
        for frames in FRAMES.into_iter().filter(|frames| lengths.is_empty() || lengths.contains(frames)) {
            let mut engines: Vec<Box<dyn Engine>> = vec![
                Box::new(Refit::new(scene, 1)),
                Box::new(Refit::new(scene, 8)),
                Box::new(Pairs::new(scene, 8, false, ContactEnds::Pinned)),
                Box::new(Pairs::new(scene, 8, true, ContactEnds::Pinned)),
                Box::new(Pairs::new(scene, 8, true, ContactEnds::Bracketed)),
            ];
            let (times, counts) = measure(scene, frames, &mut engines);
            let looked = (scene.intervals() * frames) as u64;
            let is_steady = scene.a.keys.is_empty();
            let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
            // The mean where velocities never change, so that preparing several intervals is charged.
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
                "{:>8}  {frames:4}  {:8.1}  {:8.4}  {:8.4}  {:8.4}  {:6.2}  {:10.4}  {:6.2}  {:10.4}  {:6.2}{}",
                scene.name,
                counts[0] as f64 / looked as f64,
                middle[0],
                middle[1],
                middle[2],
                ratio(2),
                middle[3],
                ratio(3),
                middle[4],
                ratio(4),
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
        for (leaf, ends) in [(8, ContactEnds::Pinned), (8, ContactEnds::Bracketed), (16, ContactEnds::Bracketed)] {
            let mut pairs = Pairs::new(scene, leaf, true, ends);
            for interval in 0..scene.intervals() {
                pairs.interval(scene, interval, 10);
            }
            let n = scene.intervals() as f64;
            print!("{:>8}  {leaf:4}", scene.name);
            for (name, time) in &pairs.parts {
                print!("  {name} {:.1}", time / 1e3 / n);
            }
            let (w, c, i) = (pairs.windows.stats(), pairs.candidates.stats(), pairs.contacts.stats());
            println!();
            println!(
                "{:16}visited {:.0}, front {}, listed {}, parted {:.0}, compared {:.0}, near {:.0}, wanted {:.0}, past faces {:.0}, candidates {:.0}",
                "",
                w.visited as f64 / n,
                w.front,
                w.listed,
                c.parted as f64 / n,
                c.compared as f64 / n,
                c.near as f64 / n,
                c.wanted as f64 / n,
                c.past_faces as f64 / n,
                c.candidates as f64 / n,
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
            let mut pairs = Pairs::new(scene, 8, true, ContactEnds::Bracketed);
            pairs.windows = IntervalPairs::new(0.0).expect("a distance").rebuilt_after(kept);
            pairs
        });
        for interval in 0..scene.intervals() {
            for pairs in &mut engines {
                pairs.interval(scene, interval, 1);
            }
        }
        let n = scene.intervals() as f64;
        for pairs in &engines {
            let text =
                format!("{:.1} ({:.0})", pairs.parts["windows"] / 1e3 / n, pairs.windows.stats().visited as f64 / n);
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
