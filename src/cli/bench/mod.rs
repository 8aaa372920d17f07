//! `kinetree bench`: the experiments of the kinetic paper, with our structures on generated scenes.
//!
//! Six methods keep boxes and find touching triangles over the same frames; their contacts must
//! agree at every checked frame, and kinetic structures must do the same events however many frames
//! there are. Otherwise the run ends there, and no row of that mesh is written; files are written
//! after every mesh. Counts are the same in every run of the program, times are not.
//!
//! Follows Zachmann and Weller 2006, §9. Not theirs: the meshes (they are not published), the
//! machine, and the rival, which is a refit tuned for today's memory.

mod body;
mod clock;
mod contender;
mod curves;
mod figures;
mod files;
mod kinetic;
mod picture;
mod refit;
mod row;
mod run;
mod scene;
mod svg;
mod world;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::STATUSES_OF_WRITING;
use super::output::{say, warn};
use super::{Failure, Status};
use crate::bvh::{BuildParams, Builder};
use crate::kinetic::TreeKind;
use crate::limits;
use crate::scenes::MOST_TRIANGLES;
use contender::Method;
use row::Row;
use run::{compare, measure};
use scene::{Amount, Scene, SceneName};

/// Where runs over several sizes are compared, unless the list of frames says otherwise.
const USUAL_FRAMES: usize = 10;
/// Separation lists over one BoxTree and another are left out above this many triangles, unless
/// they are asked for: they hold millions of pairs there, and a run takes minutes.
const MOST_FOR_BOX_LISTS: usize = 20_000;
/// More frames per key interval are refused.
const MOST_FRAMES: usize = 100_000;

#[derive(Args)]
#[command(after_help = STATUSES_OF_WRITING)]
pub(super) struct BenchOptions {
    /// Which scene [default: all]
    #[arg(value_enum)]
    scene: Option<SceneName>,
    /// Frames per key interval; all of them over the smallest mesh, the others at the one nearest
    /// to 10 [default: 1,10,30,100,300]
    #[arg(long, value_name = "L", value_delimiter = ',')]
    interpolated: Option<Vec<usize>>,
    /// Sizes of the meshes: triangles of the bodies that move
    #[arg(long, value_name = "N", value_delimiter = ',')]
    triangles: Option<Vec<usize>>,
    /// Key times of every run, at least 2 [default: what the scene needs]
    #[arg(long, value_name = "K")]
    keys: Option<usize>,
    /// Most triangles in a leaf of any tree; the paper has 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    leaf: usize,
    /// The methods that are measured; their contacts are compared [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = method_named)]
    method: Option<Vec<Method>>,
    /// Runs of which the median is taken (fewer once they take 1 s)
    #[arg(long, value_name = "N", default_value_t = 3)]
    repeat: usize,
    /// Writes there, after every mesh: bench.csv, figures as SVG, and a picture of each scene
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Measures nothing: takes the rows of earlier runs (bench.csv), of which later ones replace
    /// earlier ones, and draws their figures; with --out
    #[arg(
        long, value_name = "FILE", value_delimiter = ',', requires = "out",
        conflicts_with_all = ["scene", "triangles", "keys", "method", "quick", "full"]
    )]
    rows: Option<Vec<PathBuf>>,
    /// Small meshes, few frames: seconds
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// The paper's largest meshes, whole walks and every list: hours, many GB
    #[arg(long)]
    full: bool,
    /// No table and no progress
    #[arg(long, short)]
    quiet: bool,
}

fn method_named(name: &str) -> Result<Method, String> {
    let known = || Method::ALL.map(Method::name).join(", ");
    Method::named(name).ok_or_else(|| format!("there is no method '{name}'; there are {}", known()))
}

/// What will be run.
struct Plan {
    scenes: Vec<SceneName>,
    frames: Vec<usize>,
    /// The one of `frames` at which sizes are compared.
    compared_at: usize,
    sizes: Option<Vec<usize>>,
    keys: Option<usize>,
    methods: Vec<Method>,
    amount: Amount,
    build: BuildParams,
    repeats: usize,
}

pub(super) fn bench(options: &BenchOptions) -> Result<Status, Failure> {
    let plan = Plan::new(options)?;
    let out = options.out.as_deref();
    if let Some(folder) = out {
        // Found out first: a wrong path should not cost the run.
        files::prepare(folder)?;
    }
    let mut rows = Vec::new();
    for file in options.rows.iter().flatten() {
        row::read(file, &mut rows)?;
    }
    if let (Some(_), Some(folder)) = (&options.rows, out) {
        files::write(folder, &rows, plan.compared_at)?;
    } else {
        for &scene in &plan.scenes {
            plan.run(scene, options.quiet, out, &mut rows)?;
        }
    }
    if !options.quiet {
        say(&row::text(&rows))?;
    }
    Ok(Status::Answered)
}

impl Plan {
    fn new(options: &BenchOptions) -> Result<Self, Failure> {
        let mut frames = options
            .interpolated
            .clone()
            .unwrap_or_else(|| if options.quick { vec![1, 10, 30] } else { vec![1, 10, 30, 100, 300] });
        if let Some(wrong) = frames.iter().find(|&&l| !(1..=MOST_FRAMES).contains(&l)) {
            return Err(Failure::Input(format!(
                "--interpolated: {wrong} is not a number of frames from 1 to {MOST_FRAMES}"
            )));
        }
        let mut sizes = options.triangles.clone();
        if let Some(wrong) = sizes.iter().flatten().find(|&&n| !(1..=MOST_TRIANGLES).contains(&n)) {
            return Err(Failure::Input(format!(
                "--triangles: {wrong} is not a number of triangles from 1 to {MOST_TRIANGLES}"
            )));
        }
        // The spheres' run must end before the first horizon of endless motion.
        if let Some(wrong) = options.keys.filter(|keys| !(2..=1_000).contains(keys)) {
            return Err(Failure::Input(format!("--keys: {wrong} is not a number of key times from 2 to 1000")));
        }
        if !(1..=limits::MAX_LEAF_SIZE).contains(&options.leaf) {
            return Err(Failure::Input(format!("--leaf: {} is not from 1 to {}", options.leaf, limits::MAX_LEAF_SIZE)));
        }
        if options.repeat == 0 {
            return Err(Failure::Input("--repeat: 0 runs have no median".into()));
        }
        for list in [Some(&mut frames), sizes.as_mut()].into_iter().flatten() {
            list.sort_unstable();
            list.dedup();
        }
        let Some(&compared_at) = frames.iter().min_by_key(|&&l| l.abs_diff(USUAL_FRAMES)) else {
            return Err(Failure::Input("--interpolated: no number of frames is given".into()));
        };
        Ok(Self {
            scenes: options.scene.map_or_else(|| SceneName::value_variants().to_vec(), |scene| vec![scene]),
            frames,
            compared_at,
            sizes,
            keys: options.keys,
            methods: options.method.clone().unwrap_or_else(|| Method::ALL.to_vec()),
            amount: match (options.quick, options.full) {
                (true, _) => Amount::Quick,
                (_, true) => Amount::Full,
                _ => Amount::Usual,
            },
            build: BuildParams { builder: Builder::MedianSplit, leaf_size: options.leaf, ..BuildParams::default() },
            repeats: if options.quick { 1 } else { options.repeat },
        })
    }

    /// All sizes of a scene; writes files after each.
    fn run(&self, name: SceneName, quiet: bool, out: Option<&Path>, rows: &mut Vec<Row>) -> Result<(), Failure> {
        let sizes = self.sizes.clone().unwrap_or_else(|| name.sizes(self.amount).to_vec());
        let keys = self.keys.unwrap_or_else(|| name.keys(self.amount));
        for (index, &size) in sizes.iter().enumerate() {
            let scene = Scene::generate(name, size, keys)?;
            let frames = if index == 0 { &self.frames[..] } else { &[self.compared_at][..] };
            let mut outcomes = Vec::new();
            for &method in &self.methods {
                if self.leaves_out(method, scene.triangles) {
                    let (name, method) = (name.name(), method.title());
                    let triangles = scene.triangles;
                    warn(&format!("{name}, {triangles} triangles: {method} is left out, above {MOST_FOR_BOX_LISTS}\n"));
                    continue;
                }
                for &per_interval in frames {
                    if !quiet {
                        let (name, method, triangles) = (name.name(), method.title(), scene.triangles);
                        warn(&format!(
                            "{name}, {triangles} triangles, {per_interval} frames per key interval: {method}\n"
                        ));
                    }
                    outcomes.push((per_interval, measure(&scene, method, per_interval, self.build, self.repeats)?));
                }
            }
            compare(&scene, &outcomes)?;
            let leaf_size = self.build.leaf_size;
            rows.extend(
                outcomes.iter().map(|(per_interval, outcome)| Row::new(&scene, *per_interval, leaf_size, outcome)),
            );
            if let Some(folder) = out {
                if index == 0 {
                    picture::write(folder, &scene)?;
                }
                files::write(folder, rows, self.compared_at)?;
            }
        }
        Ok(())
    }

    fn leaves_out(&self, method: Method, triangles: usize) -> bool {
        let is_asked_for = self.amount == Amount::Full || self.methods.len() < Method::ALL.len();
        method == Method::Incremental(TreeKind::Box) && triangles > MOST_FOR_BOX_LISTS && !is_asked_for
    }
}
