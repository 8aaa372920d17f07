//! The three scenes of the example-based paper: eight cars off ramps into each other, a car into a pyramid of barrels, barrels dropped on
//! a dock. A rigid-body engine moves them, with sphere proxies and with triangles as collision shapes; impacts dent them.
//!
//! `cargo run --release --features rapier --example crash -- cars|barrels|dock [FOLDER]` prints costs and errors and writes plots, tables
//! and a picture to FOLDER (default `target/crash`).

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

use kinetree::motion::Sphere;
use kinetree::proxy::{Coverage, Plotted, RigidTrack, plot};
use kinetree::scenes::shapes;
use raster::{Camera, Canvas};
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
            if count == counts[0] {
                picture(&crash, &scene, &folder)?;
            }
        }
    }
    Ok(())
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

/// What is drawn of a scene: when, where from, at what, and how wide.
struct View {
    time: f64,
    eye: [f64; 3],
    target: [f64; 3],
    slope: f64,
}

/// Meshes in one picture, spheres in another.
fn picture(crash: &Crash, scene: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let view = match scene {
        "cars" => View { time: 1.5, eye: [6.0, 14.0, 24.0], target: [0.0, 0.4, 0.0], slope: 0.21 },
        "barrels" => View { time: 1.4, eye: [-2.0, 5.0, 13.0], target: [1.0, 0.7, 0.0], slope: 0.27 },
        _ => View { time: 2.0, eye: [4.5, 5.0, 7.5], target: [0.6, 0.7, 0.0], slope: 0.33 },
    };
    let colours = [[0.80, 0.30, 0.26], [0.30, 0.52, 0.80], [0.36, 0.66, 0.42], [0.86, 0.70, 0.30]];
    let ball = shapes::icosphere(320, 1.0);
    let cube = shapes::cuboid(12, [1.0; 3]);
    for (kind, is_proxy) in [("meshes", false), ("spheres", true)] {
        let mut canvas = Canvas::new(Camera::new(view.eye, view.target, [0.0, 1.0, 0.0], view.slope)?);
        // The ground reaches behind the camera, and is left white.
        for block in crash.blocks.iter().filter(|block| block.half[0] < 50.0) {
            let (sin, cos) = (libm::sin(block.tilt), libm::cos(block.tilt));
            for corners in &cube.triangles {
                let at = |vertex: u32| {
                    let own = cube.positions[vertex as usize].map(f64::from);
                    let [x, y, z] = [0, 1, 2].map(|k| own[k] * block.half[k]);
                    let [a, b, c] = block.centre;
                    [a + x * cos - y * sin, b + x * sin + y * cos, c + z]
                };
                canvas.triangle(corners.map(at), [0.86, 0.86, 0.84]);
            }
        }
        for (index, body) in crash.bodies.iter().enumerate() {
            let motion = crash.motion(index)?;
            let colour = colours[index % colours.len()];
            if is_proxy {
                for sphere in body.spheres(view.time)? {
                    draw_ball(&mut canvas, &ball, &motion, sphere, view.time, colour);
                }
            } else {
                let vertices = body.vertices(view.time)?;
                for corners in body.model.rest.triangles() {
                    let at = corners.map(|vertex| motion.carry(vertices[vertex as usize], view.time));
                    canvas.triangle(at, colour);
                }
            }
        }
        canvas.write(folder.join(format!("{scene}-{kind}.png")).to_str().ok_or("the folder's name is not text")?)?;
    }
    Ok(())
}

fn draw_ball(
    canvas: &mut Canvas,
    ball: &kinetree::scenes::Mesh,
    motion: &RigidTrack,
    sphere: Sphere,
    time: f64,
    colour: [f64; 3],
) {
    let centre = motion.carry(sphere.centre, time);
    for corners in &ball.triangles {
        let at = |vertex: u32| {
            let unit = ball.positions[vertex as usize].map(f64::from);
            [0, 1, 2].map(|k| centre[k] + sphere.radius * unit[k])
        };
        canvas.triangle(corners.map(at), colour);
    }
}
