//! Contacts at instants against the truth: exact rational positions, decided without the library's
//! narrow phase.
//!
//! Scenes keep triangles exactly coplanar, in touch, or a little off between keys. Rounding each
//! corner to `f64` loses such contacts, and invents some; every engine must find the true ones, and
//! all of them the same, as continuous contacts do. By default a fixed subset; with
//! `KINETREE_TORTURE=1` many more scenes.

#[path = "instant_truth/directed.rs"]
mod directed;
#[path = "proximity_oracle/truth.rs"]
#[allow(dead_code, reason = "its distances over windows are used elsewhere")]
mod exact;
#[path = "instant_truth/generate.rs"]
mod generate;
#[path = "interval_truth/model.rs"]
#[allow(dead_code, reason = "its clips are used elsewhere")]
mod model;
#[path = "interval_truth/oracle.rs"]
mod oracle;

use std::collections::BTreeSet;
use std::sync::Arc;

use kinetree::BodyId;
use kinetree::baked::BakeFormat;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, Sampler, VertexFlightplan};
use kinetree::narrow::intervals::MovingTriangle;
use kinetree::narrow::proximity::triangles_within;
use kinetree::narrow::triangles_touch;
use kinetree::scenes::Random;
use kinetree::time::{Side, Span};
use kinetree::world::{BodyDef, Contact, ContactMode, Engine, World, WorldDef};

use exact::{compare_distance, rational};
use generate::{Point, States, in_a_plane, in_touch, times};
use model::{Body, Motion};
use oracle::{Oracle, Pair};

const ENGINES: [Engine; 5] = [Engine::BruteForce, Engine::Refit, Engine::Interval, Engine::Kinetic, Engine::Auto];

/// How the states of a scene become motion.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Keys at times of both.
    Keys,
    /// Keys at times of its own each; of what stays in one plane.
    OwnTimes,
    Velocities,
    /// The same, one of them begun 4 s earlier.
    Earlier,
    /// A velocity field and the keys of another one.
    Twins,
    /// A velocity field and keys; of what stays in one plane.
    Mixed,
    /// A fixed plan and a velocity per vertex.
    VertexPlans,
    /// The keys of one body are computed when they are asked for.
    Sampled,
    /// Both bodies in one mesh, against itself.
    Alone,
    Loops,
}

const KINDS: [Kind; 10] = [
    Kind::Keys,
    Kind::OwnTimes,
    Kind::Velocities,
    Kind::Earlier,
    Kind::Twins,
    Kind::Mixed,
    Kind::VertexPlans,
    Kind::Sampled,
    Kind::Alone,
    Kind::Loops,
];

/// Keys as a sampler gives them.
#[derive(Debug)]
struct Asked {
    times: Vec<f64>,
    positions: Vec<Point>,
    jumps: Vec<bool>,
    vertices: usize,
}

impl Sampler for Asked {
    fn vertex_count(&self) -> usize {
        self.vertices
    }

    fn rest_positions(&self) -> &[Point] {
        &self.positions[..self.vertices]
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
        16_384.0
    }

    fn largest_speed(&self) -> f64 {
        1e6
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        self.positions[key * self.vertices + vertex as usize].map(f64::from)
    }
}

/// A scene as the oracle sees it and as a world is told it.
struct Scene {
    kind: Kind,
    bodies: Vec<Body>,
    end: f64,
}

fn keyed(states: &States, body: usize, times: Vec<f64>) -> Body {
    let positions = states.all.iter().take(times.len()).flat_map(|state| state[body].clone()).collect();
    Body::keyed(states.triangles[body].clone(), times, positions, false)
}

fn moving(states: &States, body: usize) -> Body {
    let from = &states.all[0][body];
    let motion = Motion::Velocities(from.clone(), states.velocities(body));
    Body { triangles: states.triangles[body].clone(), vertices: from.len(), motion, own: false }
}

/// Velocities that keep what stays in a plane in it: differences of two states, which do not change
/// the height.
fn sliding(states: &States, body: usize) -> Body {
    let [from, to] = [&states.all[0][body], &states.all[1][body]];
    let way = from.iter().zip(to).map(|(p, q)| [0, 1, 2].map(|axis| q[axis] - p[axis])).collect();
    let motion = Motion::Velocities(from.clone(), way);
    Body { triangles: states.triangles[body].clone(), vertices: from.len(), motion, own: false }
}

/// The keys of what keeps its velocities for 3/4 s; `f32` holds them.
fn twin(states: &States, body: usize) -> Body {
    let (from, way) = (&states.all[0][body], states.velocities(body));
    let end = from.iter().zip(&way).map(|(p, v)| [0, 1, 2].map(|axis| p[axis] + 0.75 * v[axis]));
    let positions = from.iter().copied().chain(end).collect();
    Body::keyed(states.triangles[body].clone(), vec![0.0, 0.75], positions, false)
}

/// Both bodies as one.
fn united([a, b]: [Body; 2]) -> Body {
    let (Motion::Keys(times, of_a), Motion::Keys(_, of_b)) = (&a.motion, &b.motion) else { panic!("keys") };
    let keys = of_a.chunks(a.vertices).zip(of_b.chunks(b.vertices));
    let positions = keys.flat_map(|(p, q)| [p, q].concat()).collect();
    let others = b.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + a.vertices as u32));
    Body::keyed(a.triangles.iter().copied().chain(others).collect(), times.clone(), positions, true)
}

impl Scene {
    fn random(seed: u64, kind: Kind) -> Self {
        let mut random = Random::for_part(seed, kind as u64);
        let keys = 2 + random.below(3) as usize;
        let in_one_plane = matches!(kind, Kind::OwnTimes | Kind::Mixed);
        let states = if in_one_plane || seed.is_multiple_of(2) {
            in_a_plane(&mut random, keys, !in_one_plane)
        } else {
            in_touch(&mut random, keys)
        };
        let at = times(&mut random, keys);
        let bodies = match kind {
            Kind::Keys | Kind::Sampled => vec![keyed(&states, 0, at.clone()), keyed(&states, 1, at)],
            Kind::OwnTimes => vec![keyed(&states, 0, at), keyed(&states, 1, times(&mut random, keys))],
            Kind::Velocities | Kind::Earlier | Kind::VertexPlans => vec![moving(&states, 0), moving(&states, 1)],
            Kind::Twins => vec![moving(&states, 0), twin(&states, 1)],
            Kind::Mixed => vec![sliding(&states, 0), keyed(&states, 1, at)],
            Kind::Alone => vec![united([keyed(&states, 0, at.clone()), keyed(&states, 1, at)])],
            Kind::Loops => {
                // The wrap of such a loop is exact.
                let at: Vec<f64> = (0..keys).map(|key| key as f64 * 0.375).collect();
                vec![keyed(&states, 0, at.clone()), keyed(&states, 1, at)]
            }
        };
        let end = bodies.iter().filter_map(Body::end).reduce(f64::min).unwrap_or(0.75);
        Self { kind, bodies, end }
    }

    /// A world of the scene, the bodies in order.
    fn world(&self, def: WorldDef) -> (World, Vec<BodyId>) {
        let mut world = World::new(def).unwrap();
        let ids = self.bodies.iter().enumerate().map(|(number, body)| self.add(&mut world, number, body)).collect();
        (world, ids)
    }

    fn add(&self, world: &mut World, number: usize, body: &Body) -> BodyId {
        let mesh = || Mesh::new(body.vertices, body.triangles.clone()).unwrap();
        match (self.kind, &body.motion) {
            (Kind::Loops, Motion::Keys(times, positions)) => {
                let plan = Flightplan::keyframes(times.clone(), positions.clone()).outside(Outside::Loop);
                world.add_body(BodyDef::new(mesh(), plan)).unwrap()
            }
            (Kind::Sampled, Motion::Keys(times, positions)) if number == 0 => {
                let (times, positions) = (times.clone(), positions.clone());
                let jumps = vec![false; times.len()];
                let sampler = Arc::new(Asked { times, positions, jumps, vertices: body.vertices });
                world.add_body(BodyDef::new(mesh(), Flightplan::sampled(sampler))).unwrap()
            }
            (Kind::Earlier, Motion::Velocities(positions, velocities)) if number == 0 => {
                let before = |(p, v): (&Point, &Point)| [0, 1, 2].map(|axis| p[axis] - 4.0 * v[axis]);
                let starts = positions.iter().zip(velocities).map(before).collect();
                let plan = Flightplan::velocities(-4.0, starts, velocities.clone());
                world.add_body(BodyDef::new(mesh(), plan)).unwrap()
            }
            (Kind::VertexPlans, Motion::Velocities(positions, velocities)) => {
                let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(positions.clone()))).unwrap();
                let plan =
                    |velocity: &Point| VertexFlightplan::Velocity { from: None, velocity: velocity.map(f64::from) };
                let plans: Vec<_> = velocities.iter().enumerate().map(|(v, way)| (v as u32, plan(way))).collect();
                world.set_vertex_flightplans(id, &plans).unwrap();
                id
            }
            _ => world.add_body(body.def()).unwrap(),
        }
    }

    /// Times of a host: evenly spaced or not, and keys; with the time at which the oracle is asked.
    fn moments(&self, random: &mut Random) -> Vec<(f64, f64)> {
        let count = 12;
        let is_even = random.below(2) == 0;
        let mut times: Vec<f64> = (0..=count)
            .map(|k| if is_even { self.end * f64::from(k) / f64::from(count) } else { random.unit() * self.end })
            .collect();
        times.extend(self.bodies[0].key_times().iter().filter(|&&time| time <= self.end));
        times.sort_by(f64::total_cmp);
        times.dedup();
        if self.kind != Kind::Loops {
            return times.into_iter().map(|time| (time, time)).collect();
        }
        // A later round, at times that are there as they are in the first. At a wrap the old
        // positions count.
        let rounded = |time: f64| (time * 1_048_576.0).round() / 1_048_576.0;
        let moments = times.into_iter().map(rounded).filter(|&time| time > 0.0);
        moments.map(|time| (time + 4.0 * self.end, time)).collect()
    }
}

/// Contacts as the oracle names them.
fn pairs(ids: &[BodyId], contacts: &[Contact]) -> BTreeSet<Pair> {
    let number = |id| ids.iter().position(|&other| other == id).unwrap();
    contacts.iter().map(|c| (number(c.a), number(c.b), c.triangle_a, c.triangle_b)).collect()
}

/// How many of the pairs that are on, and of some that are not, positions rounded to `f64` get
/// wrong.
fn lost_by_rounding(world: &World, ids: &[BodyId], scene: &Scene, truth: &BTreeSet<Pair>) -> usize {
    let positions: Vec<_> = ids.iter().map(|&id| world.positions(id).unwrap()).collect();
    let corners = |body: usize, triangle: u32| {
        scene.bodies[body].triangles[triangle as usize].map(|vertex| positions[body][vertex as usize])
    };
    truth.iter().filter(|&&(a, b, p, q)| !triangles_touch(&corners(a, p), &corners(b, q))).count()
}

#[test]
fn all_engines_find_the_true_contacts_at_instants() {
    let scenes = if std::env::var_os("KINETREE_TORTURE").is_some() { 200 } else { 3 };
    for kind in KINDS {
        let (mut seen, mut lost) = (0, 0);
        for seed in 0..scenes {
            let scene = Scene::random(seed, kind);
            let mut random = Random::for_part(seed, 1 << 20);
            let moments = scene.moments(&mut random);
            let mut oracle = Oracle::new(&scene.bodies);
            let truths: Vec<_> = moments.iter().map(|&(_, asked)| oracle.touching(asked)).collect();
            // Refits with a clip read it instead.
            for (engine, is_baked) in ENGINES.map(|engine| (engine, false)).into_iter().chain([(Engine::Refit, true)]) {
                let (mut world, ids) = scene.world(WorldDef::default().engine(engine));
                if is_baked && kind != Kind::Loops {
                    for &id in &ids {
                        let span = Span { begin: 0.0, end: scene.end };
                        if let Ok(clip) = world.bake(id, span, BakeFormat::Stamped, 2) {
                            world.set_baked(id, Some(Arc::new(clip))).unwrap();
                        }
                    }
                }
                for (&(time, _), truth) in moments.iter().zip(&truths) {
                    world.advance_to(time).unwrap();
                    let found = pairs(&ids, world.contacts());
                    assert_eq!(&found, truth, "{kind:?} {seed}, {engine} at {time:?}");
                    if engine == Engine::BruteForce {
                        seen += truth.len();
                        lost += lost_by_rounding(&world, &ids, &scene, truth);
                    }
                }
            }
            continuous_contacts(&scene, seed, &moments, &truths);
        }
        println!("{kind:?}: {seen} contacts, {lost} of them lost by positions rounded to f64");
        assert!(seen > 50 && lost > 0, "{kind:?}: {seen} contacts, {lost} of them hard");
    }
}

/// Continuous contacts at the same instants: the true ones; where positions at the ends of windows
/// are rounded, perhaps more.
fn continuous_contacts(scene: &Scene, seed: u64, moments: &[(f64, f64)], truths: &[BTreeSet<Pair>]) {
    let (mut world, ids) = scene.world(WorldDef::default().contacts(ContactMode::Continuous));
    let is_exact = !matches!(
        scene.kind,
        Kind::OwnTimes | Kind::Mixed | Kind::Velocities | Kind::Earlier | Kind::Twins | Kind::VertexPlans
    );
    for (&(time, _), truth) in moments.iter().zip(truths) {
        world.advance_to(time).unwrap();
        let found = pairs(&ids, world.contacts());
        if is_exact {
            assert_eq!(&found, truth, "{:?} {seed}, continuous at {time:?}", scene.kind);
        } else {
            assert!(found.is_superset(truth), "{:?} {seed}, continuous at {time:?}", scene.kind);
        }
    }
}

/// Two sheets that slide at a distance of exactly 5/8 m of each other: `(3/8, 4/8, 0)` across the
/// planes.
#[test]
fn sheets_at_exactly_their_thickness_keep_their_contacts() {
    let mut random = Random::new(3);
    let (mut seen, mut lost) = (0, 0);
    for _ in 0..3 {
        let at = times(&mut random, 3);
        let mut states = in_a_plane(&mut random, 3, false);
        for state in &mut states.all {
            for (body, points) in state.iter_mut().enumerate() {
                for point in points {
                    // In the plane of (4, −3, 0) and (0, 0, 1).
                    let ([x, y, _], by) = (*point, body as f32);
                    *point = [x + 0.375 * by, -0.75 * x + 0.5 * by, y];
                }
            }
        }
        let bodies = [keyed(&states, 0, at.clone()), keyed(&states, 1, at)];
        let scene = Scene { kind: Kind::Keys, end: bodies[0].end().unwrap(), bodies: bodies.to_vec() };
        for k in 0..=8 {
            let time = scene.end * f64::from(k) / 8.0;
            let mut truth = BTreeSet::new();
            for p in 0..scene.bodies[0].triangles.len() as u32 {
                for q in 0..scene.bodies[1].triangles.len() as u32 {
                    if is_within_five_eighths(&scene, p, q, time) {
                        truth.insert((0, 1, p, q));
                    }
                }
            }
            seen += truth.len();
            for engine in ENGINES {
                let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
                let thick = scene.bodies.iter().map(|body| world.add_body(body.def().thickness(0.625)).unwrap());
                let ids: Vec<BodyId> = thick.collect();
                world.advance_to(time).unwrap();
                assert_eq!(pairs(&ids, world.contacts()), truth, "{engine} at {time:?}");
                if engine == Engine::BruteForce {
                    let positions: Vec<_> = ids.iter().map(|&id| world.positions(id).unwrap()).collect();
                    let corners = |body: usize, triangle: u32| {
                        scene.bodies[body].triangles[triangle as usize].map(|v| positions[body][v as usize])
                    };
                    let is_lost = |&&(_, _, p, q): &&Pair| !triangles_within(&corners(0, p), &corners(1, q), 0.625);
                    lost += truth.iter().filter(is_lost).count();
                }
            }
        }
    }
    println!("{seen} contacts, {lost} of them lost by positions rounded to f64");
    assert!(seen > 100 && lost > 10, "{seen} contacts, {lost} of them hard");
}

/// Exactly.
fn is_within_five_eighths(scene: &Scene, p: u32, q: u32, time: f64) -> bool {
    let times = scene.bodies[0].key_times();
    let next = times.partition_point(|&key| key <= time).clamp(1, times.len() - 1);
    let triangle = |body: usize, triangle: u32| {
        let Motion::Keys(_, positions) = &scene.bodies[body].motion else { panic!("keys") };
        let corners = |key: usize| {
            let first = key * scene.bodies[body].vertices;
            scene.bodies[body].triangles[triangle as usize].map(|vertex| positions[first + vertex as usize])
        };
        MovingTriangle::from_f32(corners(next - 1), corners(next))
    };
    let (a, b) = (triangle(0, p), triangle(1, q));
    let range = |t: &MovingTriangle, axis: usize| {
        let all = t.begin.iter().chain(&t.end).map(|corner| corner[axis]);
        (all.clone().fold(f64::MAX, f64::min), all.fold(f64::MIN, f64::max))
    };
    if (0..3).any(|axis| range(&a, axis).0 - range(&b, axis).1 > 0.75 || range(&b, axis).0 - range(&a, axis).1 > 0.75) {
        return false;
    }
    let [from, to, now] = [times[next - 1], times[next], time].map(rational);
    compare_distance(&a, &b, &((now - &from) / (to - from)), 0.625).is_le()
}
