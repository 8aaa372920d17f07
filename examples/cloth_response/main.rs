//! A cloth that a host steps thirty times a second, over a body whose motion is prescribed: trial steps keep it outside.
//!
//! `cargo run --release --features report --example cloth_response -- [--seeds N] [--seconds S] [--walker [FILE.gltf]] [--out FILE.png]`
//!
//! Counts cloth vertices inside the closed body (winding number) at ten times the step rate, with the response and without
//! it. The picture shows the last moment with it. How it works: docs/guide/response.md.

mod body;
mod cloth;
mod response;
mod vector;

use std::path::{Path, PathBuf};
use std::time::Instant;

use kinetree::geometry::Surface;
use kinetree::report::render::{Frame, RenderOptions, render};
use kinetree::{BodyDef, BodyId, Engine, Flightplan, Mesh, World, WorldDef};

use body::Mover;
use cloth::Cloth;
use response::{BodyStep, Effort, Scene};
use vector::{V, add, lerp, narrow, wide};

type Failure = Box<dyn std::error::Error>;

/// Steps a second.
const RATE: f64 = 30.0;
/// Vertices along a side: 5,202 triangles.
const SIDE: usize = 52;
/// From which distance the cloth is pushed off, metres.
const MARGIN: f64 = 0.008;
/// Times a step at which vertices inside are counted.
const SAMPLES: usize = 10;

struct Options {
    seeds: u64,
    seconds: f64,
    walker: Option<PathBuf>,
    out: PathBuf,
}

fn options() -> Result<Options, Failure> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/skinned/CesiumMan.gltf");
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/cloth_response.png");
    let mut options = Options { seeds: 1, seconds: 4.0, walker: None, out };
    let mut words = std::env::args().skip(1).peekable();
    while let Some(word) = words.next() {
        let mut value = || words.next_if(|next| !next.starts_with("--"));
        match word.as_str() {
            "--seeds" => options.seeds = value().ok_or("--seeds needs a number")?.parse()?,
            "--seconds" => options.seconds = value().ok_or("--seconds needs a number")?.parse()?,
            "--walker" => options.walker = Some(value().map_or_else(|| shared.clone(), PathBuf::from)),
            "--out" => options.out = value().ok_or("--out needs a file")?.into(),
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    Ok(options)
}

fn main() -> Result<(), Failure> {
    let options = options()?;
    let mover = match &options.walker {
        Some(file) if file.exists() => Mover::walker(file)?,
        Some(file) => {
            println!("skipped: {} is not there", file.display());
            return Ok(());
        }
        None => Mover::dancer(),
    };
    println!("{}: {} triangles", mover.name, mover.triangles.len());
    println!(
        "seed | response | worst inside | samples with one inside | unresolved | carried | trials | ms a step | stretch"
    );
    for seed in 0..options.seeds {
        for with_response in [true, false] {
            let run = Run::new(&mover, seed, with_response)?.run(options.seconds)?;
            let Run { worst, bad, effort, steps, elapsed, cloth, .. } = &run;
            println!(
                "{seed} | {with_response} | {worst} | {bad} of {} | {} | {} | {} | {:.1} | {:.2}",
                steps * SAMPLES,
                effort.unresolved,
                effort.carried,
                effort.trials,
                1e3 * elapsed / (*steps).max(1) as f64,
                cloth.stretch(),
            );
            if seed == 0 && with_response {
                run.draw(&options.out)?;
            }
        }
    }
    Ok(())
}

/// A number from 0 to 1 that depends on a seed and a place.
fn random(seed: u64, place: u64) -> f64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(place.wrapping_mul(0xd6e8_feb8_6659_fd93));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// A simulation and what was counted in it.
struct Run<'a> {
    mover: &'a Mover,
    world: World,
    scene: Scene,
    cloth: Cloth,
    surface: Surface,
    phase: f64,
    wind: V,
    with_response: bool,
    steps: usize,
    /// Seconds that steps took, without counting.
    elapsed: f64,
    effort: Effort,
    /// Most vertices inside at one time, and at how many times there was one.
    worst: usize,
    bad: usize,
}

impl<'a> Run<'a> {
    fn new(mover: &'a Mover, seed: u64, with_response: bool) -> Result<Self, Failure> {
        let phase = 3.0 * random(seed, 1);
        let begin = mover.at(0, phase);
        let top = begin.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1])).ok_or("a body without vertices")?;
        let aside = [0.04 * (random(seed, 2) - 0.5), 2.5 * MARGIN, 0.04 * (random(seed, 3) - 0.5)];
        let turn = std::f64::consts::TAU * random(seed, 4);
        let cloth = Cloth::sheet(SIDE, 1.6, add(wide(top), aside), turn, 0.05);
        let wind = [2.0 * (random(seed, 5) - 0.5), 0.0, 2.0 * (random(seed, 6) - 0.5)];

        let mut world = World::new(WorldDef::new().engine(Engine::Refit))?;
        let mesh = Mesh::new(begin.len(), mover.triangles.clone())?;
        let wide_begin: Vec<V> = begin.iter().copied().map(wide).collect();
        let surface = Surface::new(&mesh, &wide_begin)?;
        let body = BodyDef::new(mesh, Flightplan::fixed(begin)).named(&mover.name).thickness(MARGIN);
        let body: BodyId = world.add_body(body)?;
        let sheet = Mesh::new(cloth.positions.len(), cloth.triangles.clone())?;
        let at: Vec<[f32; 3]> = cloth.positions.iter().map(|&place| narrow(place)).collect();
        let sheet = BodyDef::new(sheet, Flightplan::fixed(at)).named("cloth").thickness(MARGIN);
        let scene = Scene { cloth: world.add_body(sheet)?, body, margin: MARGIN };
        Ok(Self {
            mover,
            world,
            scene,
            cloth,
            surface,
            phase,
            wind,
            with_response,
            steps: 0,
            elapsed: 0.0,
            effort: Effort::default(),
            worst: 0,
            bad: 0,
        })
    }

    fn run(mut self, seconds: f64) -> Result<Self, Failure> {
        for _ in 0..(seconds * RATE).round() as usize {
            self.step()?;
        }
        Ok(self)
    }

    fn step(&mut self) -> Result<(), Failure> {
        let began = Instant::now();
        let dt = 1.0 / RATE;
        let end = (self.steps + 1) as f64 / RATE;
        let key = self.mover.at(self.steps + 1, self.phase);
        self.world.extend_flightplan(self.scene.body, end, &key)?;
        let before = self.world.positions(self.scene.body)?;
        let after: Vec<V> = key.into_iter().map(wide).collect();
        self.surface.refit(&before)?;
        let body = BodyStep { triangles: &self.mover.triangles, begin: &before, end: &after, surface: &self.surface };
        let mut proposed = self.cloth.predict(dt, self.wind);
        for vertex in (0..proposed.len()).filter(|&vertex| self.cloth.is_pinned[vertex]) {
            proposed[vertex] = add(self.cloth.positions[vertex], body.carried(self.cloth.positions[vertex])?);
        }
        let from = self.cloth.positions.clone();
        let to = if self.with_response {
            response::step(&mut self.world, self.scene, &self.cloth, &body, proposed, end, &mut self.effort)?
        } else {
            (0..24).for_each(|_| self.cloth.project(&mut proposed));
            let rounded: Vec<[f32; 3]> = proposed.iter().map(|&place| narrow(place)).collect();
            self.world.trial(self.scene.cloth, &rounded, end)?.commit()?;
            rounded.into_iter().map(wide).collect()
        };
        self.world.advance_to(end)?;
        self.elapsed += began.elapsed().as_secs_f64();
        self.count([&before, &after], [&from, &to])?;
        self.cloth.moved_to(to, dt);
        self.steps += 1;
        Ok(())
    }

    /// Counts vertices inside the body at ten times of a step.
    fn count(&mut self, body: [&[V]; 2], cloth: [&[V]; 2]) -> Result<(), Failure> {
        for sample in 1..=SAMPLES {
            let s = sample as f64 / SAMPLES as f64;
            let at = |[from, to]: [&[V]; 2]| -> Vec<V> { from.iter().zip(to).map(|(&a, &b)| lerp(a, b, s)).collect() };
            self.surface.refit(&at(body))?;
            let mut inside = 0;
            for point in at(cloth) {
                inside += usize::from(self.surface.is_inside(point)?);
            }
            self.worst = self.worst.max(inside);
            self.bad += usize::from(inside > 0);
        }
        Ok(())
    }

    fn draw(&self, out: &Path) -> Result<(), Failure> {
        let mut frame = Frame::of_world(&self.world, &[self.scene.body, self.scene.cloth])?;
        frame.bodies.iter_mut().for_each(|body| body.highlighted.clear());
        frame.label = vec![Frame::at(self.world.time(), Some(RATE))];
        let image = render(&frame, &RenderOptions::sized(900, 900))?;
        std::fs::write(out, image.png()?)?;
        println!("drawn: {}", out.display());
        Ok(())
    }
}
