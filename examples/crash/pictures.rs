//! Pictures of a crash: meshes, spheres, both at once, and meshes coloured by their distance from the spheres.

use std::error::Error;

use kinetree::motion::Sphere;
use kinetree::proxy::signed_distances;
use kinetree::scenes::shapes;

use super::raster::{Camera, Canvas, Sheet, colour_of_error};
use super::sim::Crash;

/// What is drawn of a scene, metres: where from, at what, and how wide; how far the ground reaches, and the side of its tiles.
pub struct View {
    pub eye: [f64; 3],
    pub target: [f64; 3],
    pub slope: f64,
    pub ground: [f64; 4],
    pub tile: f64,
}

/// How bodies are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Their surfaces.
    Meshes,
    /// Their proxies.
    Spheres,
    /// Their proxies through their surfaces.
    Overlay,
    /// Their surfaces, red where they are far from the proxies.
    Error,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Meshes, Self::Spheres, Self::Overlay, Self::Error];

    /// The word for names of files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Meshes => "meshes",
            Self::Spheres => "spheres",
            Self::Overlay => "overlay",
            Self::Error => "error",
        }
    }
}

/// How much of the spheres an overlay shows.
const THROUGH: f64 = 0.55;
/// Colours of bodies, one after the other.
const COLOURS: [[f64; 3]; 4] = [[0.80, 0.30, 0.26], [0.30, 0.52, 0.80], [0.36, 0.66, 0.42], [0.86, 0.70, 0.30]];
/// Spheres seen through surfaces of those colours.
const INNER: [f64; 3] = [0.99, 0.93, 0.55];

/// A picture of a crash at a time, seconds; `limit` is the error (metres) that colours are relative to.
pub fn picture(
    crash: &Crash,
    (view, time): (&View, f64),
    (kind, limit): (Kind, f64),
    (size, label): ([usize; 2], &str),
) -> Result<Sheet, Box<dyn Error>> {
    if kind == Kind::Overlay {
        let [outer, inner] = [(Kind::Meshes, None), (Kind::Spheres, Some(INNER))]
            .map(|(kind, colour)| draw(crash, (view, time), (kind, limit), (size, label), colour));
        return Ok(outer?.mixed(&inner?, THROUGH));
    }
    draw(crash, (view, time), (kind, limit), (size, label), None)
}

fn draw(
    crash: &Crash,
    (view, time): (&View, f64),
    (kind, limit): (Kind, f64),
    (size, label): ([usize; 2], &str),
    colour: Option<[f64; 3]>,
) -> Result<Sheet, Box<dyn Error>> {
    let mut canvas = Canvas::sized(Camera::new(view.eye, view.target, [0.0, 1.0, 0.0], view.slope)?, size);
    canvas.label(label);
    canvas.ground(view.ground, view.tile);
    blocks(&mut canvas, crash);
    let ball = shapes::icosphere(320, 1.0);
    for (index, body) in crash.bodies.iter().enumerate() {
        let motion = crash.motion(index)?;
        let own = colour.unwrap_or(COLOURS[index % COLOURS.len()]);
        let vertices = body.vertices(time)?;
        let spheres = body.spheres(time)?;
        let errors = if kind == Kind::Error { signed_distances(&vertices, &spheres) } else { Vec::new() };
        for corners in body.model.rest.triangles() {
            let at = corners.map(|vertex| motion.carry(vertices[vertex as usize], time));
            canvas.shadow(at);
            match kind {
                Kind::Meshes => canvas.triangle(at, own),
                Kind::Error => {
                    let error = corners.iter().map(|&vertex| errors[vertex as usize].abs()).sum::<f64>() / 3.0;
                    canvas.triangle(at, colour_of_error(error, limit));
                }
                Kind::Spheres | Kind::Overlay => {}
            }
        }
        if kind == Kind::Spheres {
            for sphere in spheres {
                canvas.ball(&ball, Sphere { centre: motion.carry(sphere.centre, time), ..sphere }, own);
            }
        }
    }
    canvas.sheet()
}

/// Ramps and docks; the ground is drawn as tiles.
fn blocks(canvas: &mut Canvas, crash: &Crash) {
    let cube = shapes::cuboid(12, [1.0; 3]);
    for block in crash.blocks.iter().filter(|block| block.half[0] < 50.0) {
        let (sin, cos) = (libm::sin(block.tilt), libm::cos(block.tilt));
        for corners in &cube.triangles {
            let at = corners.map(|vertex| {
                let own = cube.positions[vertex as usize].map(f64::from);
                let [x, y, z] = [0, 1, 2].map(|k| own[k] * block.half[k]);
                let [a, b, c] = block.centre;
                [a + x * cos - y * sin, b + x * sin + y * cos, c + z]
            });
            canvas.triangle(at, [0.70, 0.71, 0.72]);
        }
    }
}
