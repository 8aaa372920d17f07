//! A cloth that a host steps thirty times a second, over a body whose motion is prescribed: trial
//! steps keep it outside.
//!
//! `cargo run --release --features report --example cloth_response -- [--seeds N] [--first-seed N] [--seconds S] [--walker [FILE.gltf]] [--cases response,without,rapier] [--samples N] [--out FILE.png]`
//!
//! Counts cloth vertices inside the closed body (winding number) at ten times the step rate, or
//! `--samples` times, with the response and without it. The picture shows the last moment with it.
//! How it works: docs/guide/response.md.

mod body;
mod cloth;
mod outside;
#[cfg(feature = "rapier")]
mod peer;
mod response;
mod tally;
mod vector;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kinetree::geometry::Surface;
use kinetree::report::render::{Frame, RenderOptions, render};
use kinetree::{BodyDef, BodyId, Engine, Flightplan, Mesh, World, WorldDef};

use body::Mover;
use cloth::Cloth;
use outside::{BodyStep, SUBSTEPS, Sewn, part};
use response::{Response, Scene};
use tally::Tally;
use vector::{V, add, lerp, narrow, wide};

type Failure = Box<dyn std::error::Error>;

/// Steps a second.
const RATE: f64 = 30.0;
/// Vertices along a side: 5,202 triangles.
const SIDE: usize = 52;
/// From which distance the cloth is pushed off, metres.
const MARGIN: f64 = 0.008;

/// How a cloth is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Case {
    Response,
    Without,
    #[cfg(feature = "rapier")]
    Rapier,
}

impl Case {
    fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "response" => Ok(Self::Response),
            "without" => Ok(Self::Without),
            #[cfg(feature = "rapier")]
            "rapier" => Ok(Self::Rapier),
            other => Err(format!("no such case: {other} (rapier needs the feature of that name)").into()),
        }
    }
}

struct Options {
    seeds: u64,
    first: u64,
    cases: Vec<Case>,
    seconds: f64,
    walker: Option<PathBuf>,
    /// Times a step at which vertices inside are counted.
    samples: usize,
    out: PathBuf,
}

fn options() -> Result<Options, Failure> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/skinned/CesiumMan.gltf");
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/cloth_response.png");
    let cases = vec![Case::Response, Case::Without];
    let mut options = Options { seeds: 1, first: 0, cases, seconds: 4.0, walker: None, samples: 10, out };
    let mut words = std::env::args().skip(1).peekable();
    while let Some(word) = words.next() {
        let mut value = || words.next_if(|next| !next.starts_with("--"));
        match word.as_str() {
            "--seeds" => options.seeds = value().ok_or("--seeds needs a number")?.parse()?,
            "--first-seed" => options.first = value().ok_or("--first-seed needs a number")?.parse()?,
            "--cases" => {
                options.cases =
                    value().ok_or("--cases needs names")?.split(',').map(Case::named).collect::<Result<_, _>>()?;
            }
            "--seconds" => options.seconds = value().ok_or("--seconds needs a number")?.parse()?,
            "--walker" => options.walker = Some(value().map_or_else(|| shared.clone(), PathBuf::from)),
            "--samples" => options.samples = value().ok_or("--samples needs a number")?.parse::<NonZeroUsize>()?.get(),
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
        "seed | case | seconds | most inside | vertex-samples inside, pinched | samples with one inside | longest stay, s | \
         steps touching, unresolved | divided | trials | ms a step | stretch"
    );
    for seed in options.first..options.first + options.seeds {
        for &case in &options.cases {
            #[cfg(feature = "rapier")]
            if case == Case::Rapier {
                println!("{}", peer::run(&mover, seed, options.seconds, options.samples)?);
                continue;
            }
            let with_response = case != Case::Without;
            let mut run = Run::new(&mover, seed, case, options.samples)?;
            let total = (options.seconds * RATE).round() as usize;
            while run.steps < total {
                run.step()?;
                // Long runs say how far they are.
                if run.steps.is_multiple_of((10.0 * RATE) as usize) || run.steps == total {
                    println!("{}", run.row());
                }
            }
            if seed == options.first && with_response {
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

/// Where a seed begins.
struct Start {
    /// The time of the body's motion, seconds.
    phase: f64,
    cloth: Cloth,
    wind: V,
    /// The highest vertex of the body, to which the cloth is sewn.
    #[cfg(feature = "rapier")]
    top: usize,
}

impl Start {
    fn new(mover: &Mover, seed: u64) -> Result<Self, Failure> {
        let phase = 3.0 * random(seed, 1);
        let begin = mover.at(0, phase);
        let top = (0..begin.len()).max_by(|&a, &b| begin[a][1].total_cmp(&begin[b][1]));
        let top = top.ok_or("a body without vertices")?;
        let aside = [0.04 * (random(seed, 2) - 0.5), 2.5 * MARGIN, 0.04 * (random(seed, 3) - 0.5)];
        let turn = std::f64::consts::TAU * random(seed, 4);
        let cloth = Cloth::sheet(SIDE, 1.6, add(wide(begin[top]), aside), turn, 0.05);
        let wind = [2.0 * (random(seed, 5) - 0.5), 0.0, 2.0 * (random(seed, 6) - 0.5)];
        Ok(Self {
            phase,
            cloth,
            wind,
            #[cfg(feature = "rapier")]
            top,
        })
    }
}

/// A simulation and what was counted in it.
struct Run<'a> {
    seed: u64,
    mover: &'a Mover,
    world: World,
    cloth: Cloth,
    /// The body at the begin of a step, and at the ends of its substeps.
    surfaces: Vec<Surface>,
    response: Response,
    phase: f64,
    wind: V,
    case: Case,
    steps: usize,
    /// Seconds that steps took, without counting.
    elapsed: f64,
    tally: Tally,
}

impl<'a> Run<'a> {
    fn new(mover: &'a Mover, seed: u64, case: Case, samples: usize) -> Result<Self, Failure> {
        let Start { phase, cloth, wind, .. } = Start::new(mover, seed)?;
        let begin = mover.at(0, phase);
        let mut world = World::new(WorldDef::new().engine(Engine::Refit))?;
        let mesh = Mesh::new(begin.len(), mover.triangles.clone())?;
        let wide_begin: Vec<V> = begin.iter().copied().map(wide).collect();
        let surface = Surface::new(&mesh, &wide_begin)?;
        let body = BodyDef::new(mesh, Flightplan::fixed(begin)).named(&mover.name).thickness(MARGIN);
        let body: BodyId = world.add_body(body)?;
        let sheet = Mesh::new(cloth.positions.len(), cloth.triangles.clone())?;
        let at: Vec<[f32; 3]> = cloth.positions.iter().map(|&place| narrow(place)).collect();
        let sheet = BodyDef::new(sheet, Flightplan::fixed(at)).named("cloth").thickness(MARGIN);
        let tally = Tally::new(surface.clone(), cloth.positions.len(), samples);
        let scene = Scene { cloth: world.add_body(sheet)?, body };
        let surfaces = vec![surface; SUBSTEPS + 1];
        let pinned = (0..cloth.positions.len()).filter(|&vertex| cloth.is_pinned[vertex]).collect();
        let still = BodyStep { triangles: &mover.triangles, begin: &wide_begin, end: &wide_begin, surfaces: &surfaces };
        let sewn = Sewn::new(&still, &cloth.positions, pinned)?;
        let response = Response::new(scene, sewn, cloth.positions.len());
        Ok(Self { seed, mover, world, cloth, surfaces, response, phase, wind, case, steps: 0, elapsed: 0.0, tally })
    }

    /// What was counted so far, as a row of the table.
    fn row(&self) -> String {
        let Self { seed, case, steps, .. } = self;
        let effort = &self.response.effort;
        format!(
            "{seed} | {case:?} | {:.1} | {} | {}, {} | {} | {} | {:.1} | {:.2}",
            *steps as f64 / RATE,
            self.tally.columns(),
            effort.touching,
            effort.unresolved,
            effort.divided,
            effort.trials,
            1e3 * self.elapsed / (*steps).max(1) as f64,
            self.cloth.stretch(),
        )
    }

    fn step(&mut self) -> Result<(), Failure> {
        let began = Instant::now();
        let dt = 1.0 / RATE;
        let end = (self.steps + 1) as f64 / RATE;
        let key = self.mover.at(self.steps + 1, self.phase);
        self.world.extend_flightplan(self.response.scene.body, end, &key)?;
        let before = self.world.positions(self.response.scene.body)?;
        let after: Vec<V> = key.into_iter().map(wide).collect();
        for (substep, surface) in self.surfaces.iter_mut().enumerate() {
            let at: Vec<V> = before.iter().zip(&after).map(|(&a, &b)| lerp(a, b, part(substep))).collect();
            surface.refit(&at)?;
        }
        let body = BodyStep { triangles: &self.mover.triangles, begin: &before, end: &after, surfaces: &self.surfaces };
        let from = self.cloth.positions.clone();
        let mut ways = vec![(0.0, from)];
        if self.case == Case::Without {
            let mut proposed = self.cloth.predict(dt, self.wind);
            self.response.sewn.place(&body, 1.0, &mut proposed);
            (0..24).for_each(|_| self.cloth.project(&mut proposed));
            let rounded: Vec<[f32; 3]> = proposed.iter().map(|&place| narrow(place)).collect();
            self.world.trial(self.response.scene.cloth, &rounded, end)?.commit()?;
            self.cloth.moved_to(rounded.into_iter().map(wide).collect(), dt);
            ways.push((1.0, self.cloth.positions.clone()));
        } else {
            let found = self.response.step(&mut self.world, &mut self.cloth, &body, self.wind, end)?;
            ways.extend(found.into_iter().map(|(substep, places)| (part(substep), places)));
        }
        self.world.advance_to(end)?;
        self.elapsed += began.elapsed().as_secs_f64();
        self.tally.step([&before, &after], &ways)?;
        self.steps += 1;
        Ok(())
    }

    fn draw(&self, out: &Path) -> Result<(), Failure> {
        let mut frame = Frame::of_world(&self.world, &[self.response.scene.body, self.response.scene.cloth])?;
        frame.bodies.iter_mut().for_each(|body| body.highlighted.clear());
        frame.label = vec![Frame::at(self.world.time(), Some(RATE))];
        let image = render(&frame, &RenderOptions::sized(900, 900))?;
        std::fs::write(out, image.png()?)?;
        println!("drawn: {}", out.display());
        Ok(())
    }
}
