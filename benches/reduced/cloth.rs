//! A walking figure and a hanging cloth, far apart and through each other, in worlds with events: the figure bounded from its bones,
//! stored as keyframes, and as a sampled plan in a kinetic tree with winners, which was the only way of a bounded body before.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kinetree::bvh::{BoundedSampler, KeyedBoxes, Topology};
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, Sampler};
use kinetree::reduced::{
    Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::scenes::SkinnedFigureDef;
use kinetree::time::Side;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

use super::common::{clock, heading};
use crate::common::handed_on::handed_on;

/// Keys of the figure: one and a third of a second, and advances from the first to the last.
const KEYS: usize = 41;
const ADVANCES: usize = 100;

/// A sampler that counts evaluations of a vertex, and boxes.
#[derive(Debug)]
struct Counting {
    inner: Arc<dyn BoundedSampler>,
    positions: Arc<AtomicU64>,
    boxes: Arc<AtomicU64>,
}

#[derive(Debug)]
struct CountingBoxes(Box<dyn KeyedBoxes>, Arc<AtomicU64>);

impl Sampler for Counting {
    handed_on!(inner: vertex_count, rest_positions, times, jumps, outside, largest_coordinate, largest_speed);

    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        self.positions.fetch_add(1, Ordering::Relaxed);
        self.inner.position(key, side, vertex)
    }
}

impl BoundedSampler for Counting {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let boxes = self.inner.clone().boxes_over(topology)?;
        Some(Box::new(CountingBoxes(boxes, self.boxes.clone())))
    }
}

impl KeyedBoxes for CountingBoxes {
    handed_on!(0: topology, bytes);

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.key_box(key, side, node)
    }

    fn rounded_positions(
        &self,
        keys: [(usize, Side); 2],
        part: f64,
        vertices: &[u32],
        out: &mut [[f32; 4]],
    ) -> Option<f32> {
        self.0.rounded_positions(keys, part, vertices, out)
    }
}

pub(super) fn figure(triangles: usize) -> ReducedBody {
    let figure = SkinnedFigureDef { triangles, keys: KEYS, ..SkinnedFigureDef::default() }.generate();
    let count = figure.positions.len();
    let mesh = Mesh::new(count, figure.triangles).expect("a mesh");
    let lists =
        figure.weights.iter().map(|pair| pair.iter().copied().filter(|(_, weight)| *weight > 0.0).collect::<Vec<_>>());
    let influences = Influences::convex(figure.bones, lists, WeightPolicy::Strict).expect("weights");
    let def = ReducedDef { mesh, rest: figure.positions, influences, morphs: Vec::new(), blend: Blend::Linear };
    let poses = figure
        .poses
        .chunks(figure.bones)
        .map(|bones| Pose { maps: bones.iter().map(|rows| Affine::from_rows(*rows)).collect(), morphs: Vec::new() });
    let centres = vec![[0.0; 3]; figure.bones];
    let driver = PoseKeys::new(&figure.times, poses.collect(), centres, Outside::Hold).expect("keys");
    ReducedBody::new(Arc::new(ReducedMesh::new(def).expect("a skin")), Arc::new(driver)).expect("a body")
}

/// A cloth of 800 triangles across the figure's way, which swings; `far` away.
fn cloth(far: f32, end: f64) -> BodyDef {
    let (width, height) = (20usize, 20usize);
    let columns = width + 1;
    let number = |x: usize, y: usize| (y * columns + x) as u32;
    let mut triangles = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let [a, b, c, d] = [number(x, y), number(x + 1, y), number(x, y + 1), number(x + 1, y + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    let keys = 21;
    let times: Vec<f64> = (0..keys).map(|key| end * f64::from(key) / f64::from(keys - 1)).collect();
    let mut positions = Vec::new();
    for key in 0..keys {
        for y in 0..=height {
            for x in 0..columns {
                let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
                let swing = 0.1 * (1.0 - v) * (0.9 * key as f32 + 7.0 * u + 3.0 * v).sin();
                positions.push([2.0 * u - 1.0, 2.0 * v, 0.9 + swing + far]);
            }
        }
    }
    let mesh = Mesh::new(columns * (height + 1), triangles).expect("a cloth");
    BodyDef::new(mesh, Flightplan::keyframes(times, positions)).named("cloth")
}

pub fn table() {
    for (vertices, triangles) in [("1.5 k", 3_000), ("13 k", 26_000), ("54 k", 108_000)] {
        let body = figure(triangles);
        heading(
            &format!(
                "a figure of {vertices} ({}) vertices and a cloth of 800 triangles, 100 advances",
                body.mesh().vertex_count()
            ),
            &[
                ("world", 10),
                ("place", 5),
                ("figure", 8),
                ("ms", 9),
                ("longest", 9),
                ("skinned", 10),
                ("boxes", 9),
                ("events", 8),
                ("contacts", 8),
                ("kB", 8),
            ],
        );
        for (world, mode, engine) in
            [("kinetic", ContactMode::AtTimes, Engine::Kinetic), ("continuous", ContactMode::Continuous, Engine::Auto)]
        {
            for (place, far) in [("far", 30.0), ("near", 0.0)] {
                for kind in ["bounded", "keys", "sampled"] {
                    let is_wanted =
                        |word: &String| [world, place, kind, vertices].iter().any(|name| name.contains(word.as_str()));
                    if !std::env::args().skip(2).filter(|word| !word.starts_with('-')).all(|word| is_wanted(&word)) {
                        continue;
                    }
                    // Minutes.
                    if kind == "sampled" && triangles > 3_000 {
                        continue;
                    }
                    measure(&body, (world, mode, engine), (place, far), kind);
                }
            }
        }
    }
}

fn measure(
    body: &ReducedBody,
    (name, mode, engine): (&str, ContactMode, Engine),
    (place, far): (&str, f32),
    kind: &str,
) {
    let pieces = || body.pieces_at_rate(30.0).expect("pieces");
    let end = body.driver().span().end;
    let sampler = Arc::new(Counting {
        inner: body.sampler(pieces()).expect("a sampler"),
        positions: Arc::default(),
        boxes: Arc::default(),
    });
    let mesh = || body.mesh().mesh().clone();
    let mut world = World::new(WorldDef::default().engine(engine).contacts(mode)).expect("a world");
    world.add_body(cloth(far, end)).expect("a cloth");
    let def = match kind {
        "bounded" => BodyDef::bounded(mesh(), sampler.clone()),
        "keys" => BodyDef::new(mesh(), body.keyframes(&pieces()).expect("keys")),
        _ => BodyDef::new(mesh(), Flightplan::sampled(sampler.clone())),
    };
    let ((), begin) = clock::time(|| {
        world.add_body(def).expect("a figure");
    });
    let (mut contacts, mut longest, mut all) = (0, begin, begin);
    for step in 1..=ADVANCES {
        let time = end * step as f64 / ADVANCES as f64;
        let ((), spent) = clock::time(|| world.advance_to(time).expect("an advance"));
        (longest, all) = (longest.max(spent), all + spent);
        contacts += world.contacts().len();
    }
    let (skinned, boxes) = (sampler.positions.load(Ordering::Relaxed), sampler.boxes.load(Ordering::Relaxed));
    let keys = if kind == "keys" { 12 * KEYS * body.mesh().vertex_count() } else { 0 };
    println!(
        "{name:>10}  {place:>5}  {kind:>8}  {:>9.2}  {:>9.2}  {skinned:>10}  {boxes:>9}  {:>8}  {contacts:>8}  {:>8}",
        all / 1e6,
        longest / 1e6,
        world.stats().events,
        (world.stats().bytes + keys) / 1000,
    );
}
