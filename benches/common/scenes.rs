//! Bodies to measure on. [`falling_cloth`] is the one place to change when another generator is wanted.

use std::fs::read_to_string;

use super::data::shared;
use kinetree::bvh::BuildParams;
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, Engine, World, WorldDef};

/// A body: its name, triangles, and motion.
pub struct Body {
    pub name: &'static str,
    pub mesh: Mesh,
    pub plan: Flightplan,
}

/// Bodies over a stretch of time.
pub struct Scene {
    pub name: String,
    pub bodies: Vec<Body>,
    /// Key times of the first body, seconds.
    pub times: Vec<f64>,
}

impl Scene {
    /// Triangles of all bodies.
    pub fn triangles(&self) -> usize {
        self.bodies.iter().map(|body| body.mesh.triangles().len()).sum()
    }

    /// A world with these bodies, all watching each other.
    pub fn world(&self, engine: Engine, build: BuildParams) -> World {
        let mut world = World::new(WorldDef::default().engine(engine)).expect("time 0 is usable");
        self.add_to(&mut world, build);
        world
    }

    /// The same with a kind of kinetic tree in every body.
    #[allow(dead_code, reason = "not every bench compares trees")]
    pub fn world_of_trees(&self, engine: Engine, build: BuildParams, tree: TreeKind) -> World {
        let mut world = World::new(WorldDef::default().engine(engine)).expect("time 0 is usable");
        for body in &self.bodies {
            let def = BodyDef::new(body.mesh.clone(), body.plan.clone()).named(body.name).build(build).tree(tree);
            world.add_body(def).expect("the scene is valid");
        }
        world
    }

    /// Adds the bodies to a world.
    pub fn add_to(&self, world: &mut World, build: BuildParams) {
        for body in &self.bodies {
            let def = BodyDef::new(body.mesh.clone(), body.plan.clone()).named(body.name).build(build);
            world.add_body(def).expect("the scene is valid");
        }
    }
}

/// A square cloth of about that many triangles falls over a spinning ball (it begins to touch after 0.25 s), hangs down
/// in folds, swings, and touches the floor; one key every 1/24 s, the first of them `begin` seconds into the fall.
pub fn falling_cloth(triangles: usize, keys: usize, begin: f64) -> Scene {
    let cells = ((triangles / 2) as f64).sqrt().round() as u32;
    let times: Vec<f64> = (0..keys).map(|key| key as f64 / 24.0).collect();
    let positions = times.iter().flat_map(|&time| grid(cells).map(move |(x, z)| draped(x, z, begin + time))).collect();
    let cloth = Body {
        name: "cloth",
        mesh: Mesh::new(((cells + 1) * (cells + 1)) as usize, grid_triangles(cells)).expect("a grid"),
        plan: Flightplan::keyframes(times.clone(), positions),
    };
    let (ball, rest) = sphere(36, 18, BALL);
    let spin = times
        .iter()
        .map(|time| {
            let (sin, cos) = (0.9 * time).sin_cos();
            [cos, 0.0, sin, 0.0, 0.0, 1.0, 0.0, 0.0, -sin, 0.0, cos, 0.0, 0.0, 0.0, 0.0, 1.0]
        })
        .collect();
    let ball = Body { name: "ball", mesh: ball, plan: Flightplan::rigid(times.clone(), spin, rest) };
    let corners = [[-3.0, FLOOR, -3.0], [3.0, FLOOR, -3.0], [3.0, FLOOR, 3.0], [-3.0, FLOOR, 3.0]];
    let floor = Body {
        name: "floor",
        mesh: Mesh::new(4, vec![[0, 2, 1], [0, 3, 2]]).expect("two triangles"),
        plan: Flightplan::fixed(corners.map(|corner: [f64; 3]| corner.map(|x| x as f32)).to_vec()),
    };
    let bodies = vec![cloth, ball, floor];
    Scene { name: format!("falling cloth, {} triangles", 2 * cells * cells), bodies, times }
}

const BALL: f64 = 0.5;
const FLOOR: f64 = -0.62;

fn grid(cells: u32) -> impl Iterator<Item = (f64, f64)> {
    let place = move |i: u32| 2.0 * f64::from(i) / f64::from(cells) - 1.0;
    (0..=cells).flat_map(move |row| (0..=cells).map(move |column| (place(column), place(row))))
}

fn grid_triangles(cells: u32) -> Vec<[u32; 3]> {
    let corner = |row: u32, column: u32| row * (cells + 1) + column;
    (0..cells)
        .flat_map(|row| (0..cells).map(move |column| (row, column)))
        .flat_map(|(row, column)| {
            let (p, q) = (corner(row, column), corner(row, column + 1));
            let (r, s) = (corner(row + 1, column), corner(row + 1, column + 1));
            [[p, r, q], [s, q, r]]
        })
        .collect()
}

/// Where a point of the cloth is: it falls flat, is stopped from the middle outward, and hangs in folds that swing.
fn draped(x: f64, z: f64, time: f64) -> [f32; 3] {
    let (along, turn) = (x.hypot(z), z.atan2(x));
    let flat = BALL + 0.35 - 0.9 * time * time;
    let rim = BALL * std::f64::consts::FRAC_PI_2;
    let (radius, height) = if along < rim {
        let angle = along / BALL;
        ((BALL + 0.004) * angle.sin(), (BALL + 0.004) * angle.cos())
    } else {
        let hanging = along - rim;
        let fold = 0.3 * (5.0 * turn + 0.4 * (3.0 * time).sin()).sin();
        let swing = 0.12 * (4.0 * time + 2.0 * turn).sin();
        (BALL + 0.004 + hanging * (0.3 + fold + swing), -hanging * (0.95 - 0.1 * fold))
    };
    let hung = [radius * turn.cos(), height, radius * turn.sin()];
    let progress = ((time - 0.25 - 0.45 * along) / 0.6).clamp(0.0, 1.0);
    let blend = progress * progress * (3.0 - 2.0 * progress);
    let ripple = 0.006 * (23.0 * x + 3.0 * time).sin() * (19.0 * z - 4.0 * time).cos() * progress;
    let start = [x, flat.max(FLOOR + 0.003), z];
    std::array::from_fn(|axis| ((1.0 - blend) * start[axis] + blend * hung[axis] + ripple) as f32)
}

fn sphere(around: u32, down: u32, radius: f64) -> (Mesh, Vec<[f32; 3]>) {
    let mut positions = Vec::new();
    for ring in 0..=down {
        for step in 0..around {
            let polar = std::f64::consts::PI * f64::from(ring) / f64::from(down);
            let turn = std::f64::consts::TAU * f64::from(step) / f64::from(around);
            let ring_radius = radius * polar.sin();
            positions
                .push([ring_radius * turn.cos(), radius * polar.cos(), ring_radius * turn.sin()].map(|x| x as f32));
        }
    }
    let at = |ring: u32, step: u32| ring * around + step % around;
    let triangles = (0..down)
        .flat_map(|ring| (0..around).map(move |step| (ring, step)))
        .flat_map(|(r, s)| [[at(r, s), at(r, s + 1), at(r + 1, s)], [at(r + 1, s + 1), at(r + 1, s), at(r, s + 1)]])
        .collect();
    (Mesh::new(positions.len(), triangles).expect("a sphere"), positions)
}

/// The simulated clip `cloth/ball` of the data set beside the repository: 12,800 triangles over a
/// spinning ball, 94 keys.
pub fn cloth_ball() -> Option<Scene> {
    let (mesh, times, positions) = cloth("ball")?;
    let file = |name: &str| Some(read_to_string(shared("cloth/ball")?.join(name)).expect(name));
    let mut bodies = vec![Body { name: "cloth", mesh, plan: Flightplan::keyframes(times.clone(), positions) }];
    let mut add = |name, (rest, triangles): (Vec<[f32; 3]>, _), plan: &dyn Fn(Vec<[f32; 3]>) -> Flightplan| {
        bodies.push(Body { name, mesh: Mesh::new(rest.len(), triangles).expect(name), plan: plan(rest) });
    };
    let transforms = read_matrices(&file("ball.xforms.json")?);
    add("ball", read_obj(&file("ball.obj")?), &|rest| Flightplan::rigid(times.clone(), transforms.clone(), rest));
    add("floor", read_obj(&file("floor.obj")?), &Flightplan::fixed);
    Some(Scene { name: "cloth_ball, 12800 triangles".into(), bodies, times })
}

/// A body's mesh, its key times (seconds), and its positions key after key.
pub type Clip = (Mesh, Vec<f64>, Vec<[f32; 3]>);

/// The cloth alone of a simulated clip `cloth/…` of the data set beside the repository.
pub fn cloth(name: &str) -> Option<Clip> {
    let folder = shared(&format!("cloth/{name}"))?;
    let (_, triangles) = read_obj(&read_to_string(folder.join("cloth.obj")).expect("cloth.obj"));
    let cache = std::fs::read(folder.join("cloth.pc2")).expect("cloth.pc2");
    let word = |at: usize| u32::from_le_bytes([cache[at], cache[at + 1], cache[at + 2], cache[at + 3]]) as usize;
    let (vertices, keys) = (word(16), word(28));
    let floats: Vec<f32> = cache[32..].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let positions = floats.as_chunks::<3>().0.to_vec();
    assert_eq!(positions.len(), vertices * keys, "cloth.pc2");
    let mesh = Mesh::new(vertices, triangles).expect("cloth.obj");
    Some((mesh, (0..keys).map(|key| key as f64 / 24.0).collect(), positions))
}

/// Every scene of moderate size: generated, and the recorded clip where it is there.
pub fn all(triangles: usize, keys: usize) -> Vec<Scene> {
    let mut scenes = vec![falling_cloth(triangles, keys, 0.0)];
    scenes.extend(cloth_ball());
    scenes
}

/// Vertices and triangles (polygons as fans) of a plain OBJ file.
fn read_obj(text: &str) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || words.next().and_then(|word| word.parse().ok()).expect("a coordinate");
                vertices.push([next(), next(), next()]);
            }
            Some("f") => {
                let index = |word: &str| word.split('/').next()?.parse::<u32>().ok();
                let corners: Vec<u32> = words.map(|word| index(word).expect("an index") - 1).collect();
                triangles.extend((1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
            }
            _ => {}
        }
    }
    (vertices, triangles)
}

/// All numbers after the word `frames`, sixteen to a matrix.
fn read_matrices(text: &str) -> Vec<[f64; 16]> {
    let numbers: Vec<f64> = text[text.find("frames").unwrap_or(0)..]
        .split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E')))
        .filter_map(|word| word.parse().ok())
        .collect();
    numbers.as_chunks::<16>().0.to_vec()
}
