//! A deformation model of the host: a sheet of water that a few numbers move, and a stone above it. The model bounds parts of itself from
//! these numbers, so that the world evaluates vertices only under the stone.
//!
//! `cargo run --release --example own_model`

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kinetree::{
    Aabb, BodyDef, BoundedSampler, ContactChange, ContactMode, Flightplan, KeyedBoxes, Mesh, Outside, Sampler, Side,
    Topology, World, WorldDef, check_bounded_sampler,
};

/// Waves along x: height (metres), waves per metre (radians), speed (radians per second).
const HEIGHT: f64 = 0.2;
const PER_METRE: f64 = 1.5;
const SPEED: f64 = 2.0;
/// Vertices along each side, half a metre apart.
const SIDE: usize = 101;

#[derive(Debug)]
struct Water {
    rest: Vec<[f32; 3]>,
    times: Vec<f64>,
    jumps: Vec<bool>,
    evaluated: AtomicUsize,
}

/// Boxes of the nodes at rest.
#[derive(Debug)]
struct WaterBoxes {
    water: Arc<Water>,
    tree: Topology,
    rest: Vec<Aabb>,
}

impl Sampler for Water {
    fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn jumps(&self) -> &[bool] {
        &self.jumps
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn largest_coordinate(&self) -> f64 {
        64.0
    }

    fn largest_speed(&self) -> f64 {
        HEIGHT * SPEED
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        self.evaluated.fetch_add(1, Ordering::Relaxed);
        let [x, y, z] = self.rest[vertex as usize].map(f64::from);
        [x, y, z + HEIGHT * (PER_METRE * x - SPEED * self.times[key]).sin()]
    }
}

impl BoundedSampler for Water {
    fn boxes_over(self: Arc<Self>, tree: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let mut rest = vec![Aabb::EMPTY; tree.nodes().len()];
        for node in tree.upward() {
            let points = tree.leaf_points(node).iter().map(|&vertex| self.rest[vertex as usize].map(f64::from));
            let leaf = Aabb::of_points(&points.collect::<Vec<_>>());
            let children = tree.node(node).children().iter().map(|&child| rest[child as usize]);
            rest[node as usize] = children.fold(leaf, |all, child| all.union(&child));
        }
        Some(Box::new(WaterBoxes { water: self, tree, rest }))
    }
}

impl KeyedBoxes for WaterBoxes {
    fn topology(&self) -> &Topology {
        &self.tree
    }

    fn key_box(&self, key: usize, _: Side, node: u32) -> Aabb {
        let mut bounds = self.rest[node as usize];
        // The sine over the node's stretch of x, from its slope of at most one.
        let phase = |x: f64| PER_METRE * x - SPEED * self.water.times[key];
        let (from, to) = (phase(bounds.min[0]), phase(bounds.max[0]));
        let (middle, half) = ((0.5 * (from + to)).sin(), 0.5 * (to - from) + 1e-9);
        bounds.min[2] += HEIGHT * (middle - half).max(-1.0 - 1e-9);
        bounds.max[2] += HEIGHT * (middle + half).min(1.0 + 1e-9);
        bounds
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + size_of_val(&*self.rest)
    }
}

fn main() -> Result<(), kinetree::Error> {
    let rest = (0..SIDE * SIDE).map(|v| [0.5 * (v % SIDE) as f32, 0.5 * (v / SIDE) as f32, 0.0]).collect();
    let times: Vec<f64> = (0..=120).map(|key| f64::from(key) / 30.0).collect();
    let jumps = vec![false; times.len()];
    let water = Arc::new(Water { rest, times, jumps, evaluated: AtomicUsize::new(0) });
    let number = |x: usize, y: usize| (y * SIDE + x) as u32;
    let squares = (0..(SIDE - 1) * (SIDE - 1)).map(|square| (square % (SIDE - 1), square / (SIDE - 1)));
    let triangles = squares.flat_map(|(x, y)| {
        let [a, b, c, d] = [number(x, y), number(x + 1, y), number(x, y + 1), number(x + 1, y + 1)];
        [[a, b, d], [a, d, c]]
    });
    let mesh = Mesh::new(SIDE * SIDE, triangles.collect())?;
    check_bounded_sampler(water.clone(), &mesh)?;
    water.evaluated.store(0, Ordering::Relaxed);

    let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous))?;
    world.add_body(BodyDef::bounded(mesh, water.clone()).named("water"))?;
    let stone = vec![[20.0, 20.0, 1.0], [21.0, 20.0, 1.0], [20.0, 21.0, 1.2]];
    let sinks = vec![[0.0, 0.0, -0.5]; 3]; // Metres per second.
    let stone = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, Flightplan::velocities(0.0, stone, sinks));
    world.add_body(stone.named("stone"))?;
    for frame in 1..=240 {
        world.advance_to(f64::from(frame) / 60.0)?;
        for change in world.contact_changes() {
            if let ContactChange::Began { contact, time, .. } = change {
                println!("triangle {} of the water is touched at {:.6} s", contact.triangle_a, time.lo);
            }
        }
    }
    let (evaluated, all) = (water.evaluated.load(Ordering::Relaxed), SIDE * SIDE * water.times.len());
    println!("{evaluated} evaluations of a vertex; there are {all} vertices at keys");
    Ok(())
}
