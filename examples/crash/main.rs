//! The three scenes of the example-based paper: eight cars off ramps into each other, a car into a pyramid of barrels, barrels dropped on
//! a dock. A rigid-body engine moves them, with sphere proxies and with triangles as collision shapes; impacts dent them.
//!
//! `cargo run --release --features rapier --example crash -- cars|barrels|dock [FOLDER]` prints costs and errors and writes plots, tables
//! and pictures to FOLDER (default `target/crash`): meshes, spheres, both at once, and errors in red, of every count, and a figure of several.

#[allow(unreachable_pub, reason = "of this example alone")]
mod pictures;
#[allow(dead_code, unreachable_pub, reason = "shared with other examples")]
#[path = "../raster/mod.rs"]
mod raster;
#[allow(unreachable_pub, reason = "shared with a bench")]
mod scenes;
#[allow(dead_code, unreachable_pub, reason = "shared with a bench")]
mod sim;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use kinetree::proxy::{Coverage, Plotted, plot};
use pictures::{Kind, View, picture};
use raster::Sheet;
use sim::{Crash, Model, Shape};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let scene = words.next().unwrap_or_else(|| "cars".into());
    let folder = PathBuf::from(words.next().unwrap_or_else(|| "target/crash".into()));
    std::fs::create_dir_all(&folder)?;
    let (counts, limit): (&[usize], f64) = match scene.as_str() {
        "cars" => (&[320, 114, 66], 0.15),
        "barrels" => (&[114], 0.15),
        "dock" => (&[200, 60, 25], 0.03),
        other => return Err(format!("there is no scene {other}: cars, barrels or dock").into()),
    };
    let mut figure = Figure::of(&scene, limit);
    let shapes = counts.iter().map(|&count| Shape::Spheres(count)).chain([Shape::Triangles]);
    println!("{:>9} {:>12} {:>12} {:>7}", "shape", "rigid ms", "dents ms", "dents");
    for shape in shapes {
        let count = if let Shape::Spheres(count) = shape { count } else { 1 };
        let crash = match scene.as_str() {
            "cars" => run(scenes::cars(shape, &Model::car(count)?, clock)?, 10.0)?,
            "barrels" => run(scenes::barrels(shape, &Model::car(count)?, &Model::barrel(count.min(60))?, clock)?, 5.0)?,
            _ => run(scenes::dock(shape, &Model::barrel(count)?, clock)?, 5.0)?,
        };
        let name = if shape == Shape::Triangles { "triangles".into() } else { count.to_string() };
        println!(
            "{name:>9} {:>12.1} {:>12.1} {:>7}",
            crash.costs.rigid / 1e6,
            crash.costs.deforming / 1e6,
            crash.dents
        );
        if shape != Shape::Triangles {
            errors(&crash, &scene, count, limit, &folder)?;
            figure.add(&crash, &scene, count, &folder)?;
        }
    }
    Sheet::table(&figure.rows).write(&folder.join(format!("{scene}-figure.png")))
}

fn run(mut crash: Crash, seconds: f64) -> Result<Crash, Box<dyn Error>> {
    crash.run(seconds)?;
    Ok(crash)
}

/// Nanoseconds since the first call.
fn clock() -> f64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as f64
}

/// Writes plots and tables of the errors of all bodies, and prints their range.
fn errors(crash: &Crash, scene: &str, count: usize, limit: f64, folder: &Path) -> Result<(), Box<dyn Error>> {
    let reports = crash.quality(limit)?;
    for (what, word) in [(Plotted::Median, "median"), (Plotted::Maximum, "maximum")] {
        let title = format!("{scene}, {count} spheres: {word} error");
        std::fs::write(folder.join(format!("{scene}-{count}-{word}.svg")), plot(&title, &reports, what))?;
    }
    for (index, report) in reports.iter().enumerate() {
        std::fs::write(folder.join(format!("{scene}-{count}-{}.csv", index + 1)), report.csv())?;
    }
    let range = |of: fn(&Coverage) -> f64| {
        let values = || reports.iter().flat_map(|report| &report.rows).map(|row| of(&row.1));
        format!("{:.3}-{:.3}", values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
    };
    let (median, maximum) = (range(|coverage| coverage.median), range(|coverage| coverage.maximum));
    println!("{:>9} errors in m: median {median}, maximum {maximum}", "");
    Ok(())
}

/// Pixels of a picture by itself, and of one among others.
const ALONE: [usize; 2] = [1200, 750];
const AMONG: [usize; 2] = [480, 320];

/// Pictures beside each other: of cars and docks a column for each count, spheres above and errors below; of barrels a row for each
/// moment, meshes left and an overlay right.
struct Figure {
    view: View,
    /// Seconds; pictures by themselves are of the last.
    times: Vec<f64>,
    /// The error that colours are relative to, metres.
    limit: f64,
    rows: Vec<Vec<Sheet>>,
}

impl Figure {
    fn of(scene: &str, limit: f64) -> Self {
        let (view, times): (_, &[f64]) = match scene {
            "cars" => (
                View {
                    eye: [5.0, 12.0, 25.0],
                    target: [0.0, 0.6, 0.0],
                    slope: 0.2,
                    ground: [-20.0, 20.0, -14.0, 12.0],
                    tile: 2.0,
                },
                &[1.3],
            ),
            "barrels" => (
                View {
                    eye: [7.0, 4.2, 10.0],
                    target: [-2.1, 0.8, 0.0],
                    slope: 0.22,
                    ground: [-7.0, 4.0, -3.0, 3.0],
                    tile: 0.5,
                },
                &[0.6, 0.85],
            ),
            _ => (
                View {
                    eye: [4.5, 5.0, 7.5],
                    target: [0.6, 0.7, 0.0],
                    slope: 0.33,
                    ground: [-6.0, 8.0, -6.0, 6.0],
                    tile: 1.0,
                },
                &[2.0],
            ),
        };
        Self { view, times: times.to_vec(), limit, rows: Vec::new() }
    }

    /// Writes the pictures of one simulation, with `count` spheres per body, and keeps them for the figures.
    fn add(&mut self, crash: &Crash, scene: &str, count: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
        let last = self.times[self.times.len() - 1];
        let label = match scene {
            "barrels" => format!("{last} s: a car of {count} spheres, barrels of 60"),
            _ => format!("{last} s: {count} spheres each"),
        };
        for kind in Kind::ALL {
            picture(crash, (&self.view, last), (kind, self.limit), (ALONE, &label))?
                .write(&folder.join(format!("{scene}-{count}-{}.png", kind.word())))?;
        }
        for (row, &time) in self.times.iter().enumerate() {
            let small =
                |kind: Kind, label: &str| picture(crash, (&self.view, time), (kind, self.limit), (AMONG, label));
            if scene == "barrels" {
                let label = format!("{time} s");
                self.rows.push(vec![small(Kind::Meshes, &label)?, small(Kind::Overlay, "with proxies")?]);
                continue;
            }
            let pictures =
                [small(Kind::Spheres, &format!("{count} spheres"))?, small(Kind::Error, "distance of the surface")?];
            self.rows.resize(2 * self.times.len(), Vec::new());
            for (below, picture) in pictures.into_iter().enumerate() {
                self.rows[2 * row + below].push(picture);
            }
        }
        Ok(())
    }
}
