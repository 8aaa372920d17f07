//! Boxes of trees against the vertices below them.
//!
//! Coordinates are whole and small, keys a power of two apart, and times whole parts of that: `f64`
//! computes every position exactly. So a box holds a vertex or not, without tolerance.

use kinetree::bvh::{BuildParams, Topology, Width};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::scenes::Random;
use kinetree::world::{BodyDef, Engine, World, WorldDef};

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) checks: u64,
    pub(crate) wrong: u64,
    pub(crate) boxes: u64,
}

/// Vertices on a side of the sheet.
const SIDE: u32 = 13;

/// Ticks from key to key, 1/64 s each.
const STEP: i64 = 32;

struct Sheet {
    triangles: Vec<[u32; 3]>,
    /// Per key.
    places: Vec<Vec<[i64; 3]>>,
    loops: bool,
}

impl Sheet {
    fn new(random: &mut Random) -> Self {
        let cell = |x: u32, y: u32| SIDE * y + x;
        let square = |(x, y)| {
            let [a, b, c, d] = [cell(x, y), cell(x + 1, y), cell(x + 1, y + 1), cell(x, y + 1)];
            [[a, b, c], [a, c, d]]
        };
        let triangles = (0..SIDE - 1).flat_map(|y| (0..SIDE - 1).map(move |x| (x, y))).flat_map(square).collect();
        let reach = [2, 40, 4000][random.below(3) as usize];
        let mut number = |most: i64| random.below(2 * most.unsigned_abs() + 1).cast_signed() - most;
        let mut place = |v: u32| [8 * i64::from(v % SIDE) + number(reach), number(reach), 8 * i64::from(v / SIDE)];
        let places = (0..4).map(|_| (0..SIDE * SIDE).map(&mut place).collect()).collect();
        Self { triangles, places, loops: random.below(2) == 0 }
    }

    fn mesh(&self) -> Mesh {
        Mesh::new(self.places[0].len(), self.triangles.clone()).expect("a good mesh")
    }

    fn def(&self) -> BodyDef {
        let times = (0..self.places.len() as i64).map(|key| (key * STEP) as f64 / 64.0).collect();
        let positions = self.places.iter().flatten().map(|p| p.map(|x| x as f32)).collect();
        let outside = if self.loops { Outside::Loop } else { Outside::Hold };
        BodyDef::new(self.mesh(), Flightplan::keyframes(times, positions).outside(outside))
    }

    /// Where vertices are at a tick, exactly.
    fn at(&self, tick: i64) -> Vec<[f64; 3]> {
        let last = (self.places.len() as i64 - 1) * STEP;
        let mut tick = if self.loops { tick.rem_euclid(last) } else { tick.min(last) };
        if self.loops && tick == 0 {
            // At a wrap the old round counts; callers begin after 0.
            tick = last;
        }
        let key = ((tick - 1).max(0) / STEP) as usize;
        let part = (tick - key as i64 * STEP) as f64 / STEP as f64;
        let between =
            |(p, q): (&[i64; 3], &[i64; 3])| std::array::from_fn(|k| p[k] as f64 + (q[k] - p[k]) as f64 * part);
        self.places[key].iter().zip(&self.places[key + 1]).map(between).collect()
    }
}

const MODES: [(Engine, TreeKind); 5] = [
    (Engine::Kinetic, TreeKind::Aabb),
    (Engine::Kinetic, TreeKind::Box),
    (Engine::Interval, TreeKind::Aabb),
    (Engine::Refit, TreeKind::Aabb),
    (Engine::Auto, TreeKind::Aabb),
];

/// Compares scenes of two sheets until `wanted` vertices were tested.
pub(crate) fn compare(seed: u64, wanted: u64) -> Vec<(String, Tally)> {
    let mut random = Random::for_part(seed, 9);
    let mut tallies = vec![Tally::default(); MODES.len()];
    while tallies.iter().map(|tally| tally.checks).sum::<u64>() < wanted {
        let sheets = [Sheet::new(&mut random), Sheet::new(&mut random)];
        let leaf = [1, 2, 4][random.below(3) as usize];
        let wide = [Width::Two, Width::Four][random.below(2) as usize];
        for ((engine, tree), tally) in MODES.into_iter().zip(&mut tallies) {
            let width = if (engine, tree) == (Engine::Kinetic, TreeKind::Aabb) { wide } else { Width::Two };
            let build = BuildParams { leaf_size: leaf, width, ..BuildParams::default() };
            let mut world = World::new(WorldDef::default().engine(engine)).expect("a good definition");
            let ids = sheets
                .each_ref()
                .map(|sheet| world.add_body(sheet.def().build(build).tree(tree)).expect("a good body"));
            // The tree of the body is built of the same numbers.
            let below = sheets.each_ref().map(|sheet| {
                let rest: Vec<[f64; 3]> = sheet.places[0].iter().map(|p| p.map(|x| x as f64)).collect();
                let topology = Topology::build(&sheet.mesh(), &rest, build);
                let nodes = 0..topology.nodes().len() as u32;
                nodes.map(|node| topology.primitives_below(node)).collect::<Vec<_>>()
            });
            let mut tick = 0;
            for _ in 0..12 {
                tick += 1 + random.below(24).cast_signed();
                world.advance_to(tick as f64 / 64.0).expect("a good time");
                for ((sheet, id), below) in sheets.iter().zip(ids).zip(&below) {
                    check(&world, id, &sheet.at(tick), (&sheet.triangles, below), tally);
                }
            }
        }
    }
    MODES.iter().zip(tallies).map(|((engine, tree), tally)| (format!("{engine}, {tree:?}"), tally)).collect()
}

fn check(
    world: &World,
    id: kinetree::BodyId,
    places: &[[f64; 3]],
    (triangles, below): (&[[u32; 3]], &[Vec<u32>]),
    tally: &mut Tally,
) {
    let view = world.body(id).expect("a body that is there");
    for level in 0..view.levels() {
        // Leaves above a level come again with it.
        for node in view.boxes(level).iter().filter(|node| node.level == level) {
            tally.boxes += 1;
            let triangles = below[node.node as usize].iter().map(|&triangle| triangles[triangle as usize]);
            for vertex in triangles.flatten() {
                tally.checks += 1;
                let (place, bounds) = (&places[vertex as usize], &node.bounds);
                let is_inside = (0..3).all(|k| bounds.min[k] <= place[k] && place[k] <= bounds.max[k]);
                tally.wrong += u64::from(!is_inside);
            }
        }
    }
}
