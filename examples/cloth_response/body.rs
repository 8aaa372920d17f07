//! Closed bodies whose motion is prescribed: a generated one, and a walking figure from a file.

use std::path::Path;

use kinetree::Moment;
use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::motion::Outside;
use kinetree::reduced::{Mix, Pose};

type Failure = Box<dyn std::error::Error>;

/// A closed body, and where its vertices are at a time; y leads upward, metres and seconds.
pub(crate) struct Mover {
    pub(crate) name: String,
    pub(crate) triangles: Vec<[u32; 3]>,
    frames: Frames,
}

enum Frames {
    Dancer,
    /// Thirty a second, repeated.
    Clip(Vec<Vec<[f32; 3]>>),
}

/// Rings and sectors of the generated body.
const RINGS: usize = 32;
const SECTORS: usize = 48;

impl Mover {
    /// An egg with three lobes that run around it, while it sways, bobs and turns.
    pub(crate) fn dancer() -> Self {
        let (top, bottom) = (0, (1 + (RINGS - 1) * SECTORS) as u32);
        let at = |ring: usize, sector: usize| (1 + ring * SECTORS + sector % SECTORS) as u32;
        let mut triangles = Vec::new();
        for sector in 0..SECTORS {
            triangles.push([top, at(0, sector + 1), at(0, sector)]);
            for ring in 0..RINGS - 2 {
                let (a, b) = (at(ring, sector), at(ring, sector + 1));
                let (c, d) = (at(ring + 1, sector), at(ring + 1, sector + 1));
                triangles.extend([[a, b, c], [b, d, c]]);
            }
            triangles.push([bottom, at(RINGS - 2, sector), at(RINGS - 2, sector + 1)]);
        }
        Self { name: "dancer".to_owned(), triangles, frames: Frames::Dancer }
    }

    /// The first clip of a glTF file, repeated; corners at the same place are one vertex.
    pub(crate) fn walker(file: &Path) -> Result<Self, Failure> {
        let model = read_gltf(file, GltfOptions::repairing())?;
        let rig = model.rig()?;
        let mix = Mix::clip(&rig, 0, Outside::Loop)?;
        let bodies = model.bodies(&rig, &mix)?;
        let body = bodies.first().ok_or("the file has no body")?;
        let [first, last] = model.clips[0].span;
        let count = ((last - first) * super::RATE).round() as usize;
        let (mut pose, mut points, mut frames) = (Pose::default(), Vec::new(), Vec::new());
        for frame in 0..count {
            body.body.pose(Moment::at(first + frame as f64 / super::RATE), &mut pose);
            points.clear();
            body.body.mesh().evaluate_all(&pose, &mut points)?;
            frames.push(points.iter().map(|point| point.map(|x| x as f32)).collect::<Vec<_>>());
        }
        let (triangles, kept) = weld(body.body.mesh().mesh().triangles(), &frames[0]);
        let frames = frames.iter().map(|frame| kept.iter().map(|&vertex| frame[vertex]).collect()).collect();
        let name = file.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { name, triangles, frames: Frames::Clip(frames) })
    }

    /// The positions at a step.
    pub(crate) fn at(&self, step: usize, phase: f64) -> Vec<[f32; 3]> {
        match &self.frames {
            Frames::Dancer => dance(step as f64 / super::RATE + phase),
            Frames::Clip(frames) => frames[(step + (phase * super::RATE) as usize) % frames.len()].clone(),
        }
    }
}

fn dance(time: f64) -> Vec<[f32; 3]> {
    let middle = [0.25 * (1.7 * time).sin(), 1.0 + 0.1 * (2.3 * time).sin(), 0.2 * (1.3 * time).cos()];
    let turn = 0.8 * (1.1 * time).sin();
    let place = |polar: f64, around: f64| {
        let lobes = 0.22 * (3.0 * around + 2.0 * time).sin() * polar.sin().powi(2);
        let radius = 0.42 * (1.0 + lobes + 0.05 * (4.0 * time).sin());
        let (sine, cosine) = (around + turn).sin_cos();
        let offset = [radius * polar.sin() * cosine, 1.4 * radius * polar.cos(), radius * polar.sin() * sine];
        std::array::from_fn(|axis| (middle[axis] + offset[axis]) as f32)
    };
    let mut positions = vec![place(0.0, 0.0)];
    for ring in 1..RINGS {
        let polar = std::f64::consts::PI * ring as f64 / RINGS as f64;
        positions
            .extend((0..SECTORS).map(|sector| place(polar, std::f64::consts::TAU * sector as f64 / SECTORS as f64)));
    }
    positions.push(place(std::f64::consts::PI, 0.0));
    positions
}

/// Triangles over distinct positions, and which vertex each of these was.
fn weld(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> (Vec<[u32; 3]>, Vec<usize>) {
    let bits = |vertex: usize| positions[vertex].map(|x| (x + 0.0).to_bits());
    let mut sorted: Vec<usize> = (0..positions.len()).collect();
    sorted.sort_by_key(|&vertex| (bits(vertex), vertex));
    let (mut kept, mut place) = (Vec::new(), vec![0; positions.len()]);
    for (number, &vertex) in sorted.iter().enumerate() {
        if number == 0 || bits(sorted[number - 1]) != bits(vertex) {
            kept.push(vertex);
        }
        place[vertex] = kept.len() as u32 - 1;
    }
    (triangles.iter().map(|corners| corners.map(|vertex| place[vertex as usize])).collect(), kept)
}
