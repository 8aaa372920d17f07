//! Two characters walk through each other. The picture shows them a moment before most triangles touch, then, and a moment after it.
//! Triangles in contact are red and purple, and striped where others hide them.
//!
//! `cargo run --release --features report --example characters -- [A.glb CLIP B.glb CLIP | generated] [OUT.png]`
//!
//! Without files: sample models where they are present, otherwise, or if asked for, generated skinned figures. Every character is a set of reduced
//! bodies, skinned or rigid, placed and carried along by a node above all its own.

#[allow(dead_code, unreachable_pub, reason = "shared with other examples")]
mod raster;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetree::BodyId;
use kinetree::io::gltf::{Channel, GltfOptions, Model, Parts, read_gltf};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{
    Affine, Blend, Influences, Mix, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::report::render::{Direction, Frame, Framing, RenderOptions, highlight_colour, render};
use kinetree::scenes::SkinnedFigureDef;
use kinetree::time::Moment;
use kinetree::world::{BodyDef, World, WorldDef};
use raster::Sheet;

type Failure = Box<dyn std::error::Error>;

/// How far vertices may be from their true paths, metres.
const TOLERANCE: f64 = 0.002;
/// Height of a character, metres.
const HEIGHT: f64 = 1.75;
/// Metres per second.
const SPEED: f64 = 1.3;
/// Seconds that are looked at; the characters meet in the middle.
const DURATION: f64 = 2.0;
/// Samples per second.
const SAMPLES: f64 = 60.0;
/// How far beside each other the characters walk, metres.
const BESIDE: f64 = 0.34;
/// Seconds between the moments that are shown.
const APART: f64 = 0.15;
/// Where the pictures are seen from.
const FROM: [f64; 3] = [1.0, 0.35, 0.3];
/// Pixels of one picture.
const SIZE: [usize; 2] = [480, 600];
const COLOURS: [[u8; 3]; 2] = [[112, 148, 199], [224, 191, 122]];

/// Which way a character walks along x: 1 or −1. It faces along z before it is turned.
#[derive(Clone, Copy)]
struct Heading(f64);

impl Heading {
    fn rotation(self) -> [f64; 4] {
        let half = 0.5f64.sqrt();
        [0.0, self.0 * half, 0.0, half]
    }

    /// Where a character is at a time.
    fn place(self, time: f64) -> [f64; 3] {
        [self.0 * SPEED * (time - 0.5 * DURATION), 0.0, 0.5 * self.0 * BESIDE]
    }
}

/// A mesh and its motion.
type Part = (String, Mesh, Flightplan);

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/skinned");
    let samples = [("KnightCharacter.glb", "Walking"), ("Character.glb", "Walk")]
        .map(|(file, clip)| (data.join("quaternius").join(file), clip.to_owned()));
    let (files, out) = match &arguments[..] {
        [a, clip_a, b, clip_b, out @ ..] => {
            let files = [(PathBuf::from(a), clip_a.clone()), (PathBuf::from(b), clip_b.clone())];
            (Some(files), out.first())
        }
        [word, out @ ..] if word == "generated" => (None, out.first()),
        out => (samples.iter().all(|(file, _)| file.exists()).then_some(samples), out.first()),
    };
    let out = out.map_or("docs/figures/characters.png", String::as_str);
    let headings = [Heading(1.0), Heading(-1.0)];
    let characters = match files {
        Some(files) => [model(&files[0], headings[0])?, model(&files[1], headings[1])?],
        None => {
            println!("the characters are generated");
            [figure(1, headings[0])?, figure(2, headings[1])?]
        }
    };

    let (mut best, mut most) = (0.0, 0);
    let (mut world, _) = stage(&characters, 0.0)?;
    for sample in 0..=(DURATION * SAMPLES) as usize {
        let time = sample as f64 / SAMPLES;
        world.advance_to(time)?;
        if world.contacts().len() > most {
            (best, most) = (time, world.contacts().len());
        }
    }
    println!("most triangles touch at {best:.3} s: {most} pairs");
    let mut frames = Vec::new();
    for time in [best - APART, best, best + APART] {
        // A world's clock does not go back.
        let (mut world, members) = stage(&characters, time)?;
        world.advance_to(time)?;
        frames.push(frame(&world, &members)?);
    }
    let mut options = RenderOptions::sized(SIZE[0], SIZE[1]);
    (options.from, options.sides) = (Direction::Vector(FROM), false);
    // One camera for all moments.
    let mut framing = Framing::new(&frames[0], &options)?;
    frames.iter().for_each(|frame| framing.add(frame));
    let mut whole = options.clone();
    whole.camera = Some(framing.camera()?);
    let mut sheets: Vec<Sheet> = Vec::new();
    for frame in &frames {
        sheets.push(render(frame, &whole)?.into());
    }
    Sheet::table(&[sheets]).write(Path::new(out))
}

/// All bodies of a world, in the colour of their character, with what touches marked.
fn frame(world: &World, members: &[Vec<BodyId>; 2]) -> Result<Frame, Failure> {
    let mut frame = Frame { label: vec![Frame::at(world.time(), None)], ..Frame::default() };
    frame.label.push(format!("{} pairs of triangles touch", world.contacts().len()));
    for (character, ids) in members.iter().enumerate() {
        for mut body in Frame::of_world(world, ids)?.bodies {
            (body.name, body.colour) = (String::new(), Some(COLOURS[character]));
            body.highlight = Some(highlight_colour(character));
            frame.bodies.push(body);
        }
    }
    Ok(frame)
}

/// A world of both characters that begins at a time, and whose bodies are whose.
fn stage(characters: &[Vec<Part>; 2], start: f64) -> Result<(World, [Vec<BodyId>; 2]), Failure> {
    let mut world = World::new(WorldDef::default().start(start))?;
    let mut members: [Vec<BodyId>; 2] = [Vec::new(), Vec::new()];
    for (character, parts) in characters.iter().enumerate() {
        for (name, mesh, plan) in parts {
            // Parts of one character overlap where they are joined; only the other one is of interest.
            let def = BodyDef::new(mesh.clone(), plan.clone()).named(name).ignoring(&members[character]);
            members[character].push(world.add_body(def)?);
        }
    }
    Ok((world, members))
}

/// A glTF character that walks.
fn model((file, clip): &(PathBuf, String), heading: Heading) -> Result<Vec<Part>, Failure> {
    let mut model = read_gltf(file, GltfOptions::repairing())?;
    let clip = model.clip(clip).ok_or_else(|| format!("{}: there is no clip {clip}", file.display()))?;
    let [low, high] = heights(&model)?;
    let scale = HEIGHT / (high - low);
    repeat(&mut model, clip);
    let placement = Parts { translation: heading.place(0.0), rotation: heading.rotation(), scale: [scale; 3] };
    let root = model.add_root("place", placement);
    let feet = |time: f64| {
        let [x, _, z] = heading.place(time);
        [x, -scale * low, z]
    };
    let walk = Channel::translation(root, vec![0.0, DURATION], &[feet(0.0), feet(DURATION)]);
    model.clips[clip].channels.push(walk);
    let rig = model.rig()?;
    let mix = Mix::clip(&rig, clip, Outside::Hold)?;
    let mut parts = Vec::new();
    for body in model.bodies(&rig, &mix)? {
        let sampled = body.sampled(TOLERANCE)?;
        println!("{}: {} keys, {:?}", body.name, sampled.motion.key_count(), body.kind);
        parts.push((body.name.clone(), body.body.mesh().mesh().clone(), sampled.flightplan()));
    }
    Ok(parts)
}

/// Lowest and highest point of a model at rest.
fn heights(model: &Model) -> Result<[f64; 2], Failure> {
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    let (mut pose, mut points) = (Pose::default(), Vec::new());
    for body in model.bodies(&model.rig()?, &Mix::rest())? {
        body.body.pose(Moment::at(0.0), &mut pose);
        body.body.mesh().evaluate_all(&pose, &mut points)?;
        for [_, y, _] in &points {
            ends = [ends[0].min(*y), ends[1].max(*y)];
        }
    }
    Ok(ends)
}

/// Repeats a clip until it lasts as long as the walk.
fn repeat(model: &mut Model, clip: usize) {
    let clip = &mut model.clips[clip];
    let [first, last] = clip.span;
    let rounds = if last > first { (DURATION / (last - first)).ceil() as usize } else { 1 };
    for channel in &mut clip.channels {
        let (times, values) = (channel.times.clone(), channel.values.clone());
        let numbers = values.len() / times.len();
        for round in 1..rounds {
            let later = (last - first) * round as f64;
            for (key, &time) in times.iter().enumerate() {
                // A round's first key is the last one's last.
                if channel.times.last().is_some_and(|&before| time + later > before) {
                    channel.times.push(time + later);
                    channel.values.extend(&values[key * numbers..(key + 1) * numbers]);
                }
            }
        }
    }
}

/// A generated character that walks: a skin whose bones have keys.
fn figure(seed: u64, heading: Heading) -> Result<Vec<Part>, Failure> {
    let figure = SkinnedFigureDef { seed, triangles: 8_000, keys: 61, forward: false }.generate();
    let mesh = Mesh::new(figure.positions.len(), figure.triangles)?;
    let lists = figure.weights.iter().map(|pair| pair.to_vec());
    let influences = Influences::convex(figure.bones, lists, WeightPolicy::Strict)?;
    let def =
        ReducedDef { mesh: mesh.clone(), rest: figure.positions, influences, morphs: Vec::new(), blend: Blend::Linear };
    let poses = figure.times.iter().zip(figure.poses.chunks(figure.bones)).map(|(&time, bones)| {
        let place = Affine::from_parts(heading.place(time), heading.rotation(), [1.0; 3]);
        Pose { maps: bones.iter().map(|&rows| place.after(&Affine::from_rows(rows))).collect(), morphs: Vec::new() }
    });
    let driver = PoseKeys::new(&figure.times, poses.collect(), vec![[0.0, 0.9, 0.0]; figure.bones], Outside::Hold)?;
    let body = ReducedBody::new(Arc::new(ReducedMesh::new(def)?), Arc::new(driver))?;
    // Maps are linear between keys, and so are the vertices: the keys are all it takes.
    let pieces = body.pieces(TOLERANCE)?;
    let (mut pose, mut points, mut positions) = (Pose::default(), Vec::new(), Vec::new());
    for &time in pieces.times() {
        body.pose(Moment::at(time), &mut pose);
        body.mesh().evaluate_all(&pose, &mut points)?;
        positions.extend(points.iter().map(|point| point.map(|x| x as f32)));
    }
    Ok(vec![(format!("figure {seed}"), mesh, Flightplan::keyframes(pieces.times().to_vec(), positions))])
}
