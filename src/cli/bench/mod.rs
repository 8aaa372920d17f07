//! `kinetree bench`: the experiments of the kinetic paper, with our structures on generated scenes.
//!
//! Five methods keep boxes and find touching triangles over the same frames; their contacts must
//! agree at every checked frame, and kinetic structures must do the same events however many frames
//! there are. Otherwise the run ends there, and no row or figure of that scene is written; files
//! are written after every scene. Counts are the same in every run of the program, times are not.
//!
//! Follows Zachmann and Weller 2006, §9. Not theirs: the meshes (they are not published), the
//! machine, and the rival, which is a refit tuned for today's memory.

mod body;
mod clock;
mod contender;
mod figures;
mod kinetic;
mod refit;
mod row;
mod run;
mod scene;
mod svg;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output::{Output, say, warn};
use super::{Failure, Status};
use crate::bvh::BuildParams;
use crate::kinetic::TreeKind;
use crate::limits;
use crate::scenes::MOST_TRIANGLES;
use contender::Method;
use row::Row;
use run::{compare, measure};
use scene::{Amount, Scene, SceneName};

/// Where runs over several sizes are compared, unless the list of frames says otherwise.
const USUAL_FRAMES: usize = 10;
/// Separation lists over one BoxTree and another are left out above this many triangles: they hold
/// millions of pairs there, and a run takes minutes.
const MOST_FOR_BOX_LISTS: usize = 20_000;
/// More frames per key interval are refused.
const MOST_FRAMES: usize = 100_000;

#[derive(Args)]
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
    /// Runs of which the median is taken (fewer once they take 1 s)
    #[arg(long, value_name = "N", default_value_t = 3)]
    repeat: usize,
    /// Writes the rows and the figures there: bench.csv and SVG
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Small meshes, few frames: seconds
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// The paper's largest meshes and whole walks: much longer, 2 GB
    #[arg(long)]
    full: bool,
    /// No table and no progress
    #[arg(long, short)]
    quiet: bool,
}

/// What will be run.
struct Plan {
    scenes: Vec<SceneName>,
    frames: Vec<usize>,
    /// The one of `frames` at which sizes are compared.
    compared_at: usize,
    sizes: Option<Vec<usize>>,
    keys: Option<usize>,
    amount: Amount,
    build: BuildParams,
    repeats: usize,
}

pub(super) fn bench(options: &BenchOptions) -> Result<Status, Failure> {
    let plan = Plan::new(options)?;
    if let Some(folder) = &options.out {
        // Found out first: a wrong path should not cost the run.
        prepare(folder)?;
    }
    let mut rows = Vec::new();
    for &scene in &plan.scenes {
        plan.run(scene, options.quiet, &mut rows)?;
        if let Some(folder) = &options.out {
            write(folder, &rows, plan.compared_at)?;
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
            amount: match (options.quick, options.full) {
                (true, _) => Amount::Quick,
                (_, true) => Amount::Full,
                _ => Amount::Usual,
            },
            build: BuildParams { leaf_size: options.leaf, ..BuildParams::default() },
            repeats: if options.quick { 1 } else { options.repeat },
        })
    }

    /// All sizes of a scene.
    fn run(&self, name: SceneName, quiet: bool, rows: &mut Vec<Row>) -> Result<(), Failure> {
        let sizes = self.sizes.clone().unwrap_or_else(|| name.sizes(self.amount).to_vec());
        let keys = self.keys.unwrap_or_else(|| name.keys(self.amount));
        for (index, &size) in sizes.iter().enumerate() {
            let scene = Scene::generate(name, size, keys)?;
            let frames = if index == 0 { &self.frames[..] } else { &[self.compared_at][..] };
            let mut outcomes = Vec::new();
            let is_left_out =
                |method: Method| method == Method::Incremental(TreeKind::Box) && scene.triangles > MOST_FOR_BOX_LISTS;
            for method in Method::ALL {
                if is_left_out(method) {
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
        }
        Ok(())
    }
}

/// Makes a folder, and makes sure that it can be written to.
fn prepare(folder: &Path) -> Result<(), Failure> {
    let failed =
        |error| Failure::Input(format!("--out: {}: {error}; give a folder that can be written to", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let probe = folder.join(format!(".kinetree-bench-{}", std::process::id()));
    std::fs::write(&probe, "").map_err(failed)?;
    std::fs::remove_file(&probe).map_err(failed)
}

/// Writes all rows so far, and the figures that can be drawn of them.
fn write(folder: &Path, rows: &[Row], compared_at: usize) -> Result<(), Failure> {
    let path = folder.join("bench.csv");
    let failed = |error: csv::Error| Failure::Output(format!("cannot write {}: {error}", path.display()));
    let mut csv = csv::Writer::from_writer(Vec::new());
    for row in rows {
        csv.serialize(row).map_err(failed)?;
    }
    let table = csv.into_inner().map_err(|error| failed(error.into_error().into()))?;
    Output::whole(&path, &table)?;
    for (file, figure) in figures::figures(rows, compared_at) {
        Output::whole(&folder.join(file), figure.svg().as_bytes())?;
    }
    Ok(())
}
