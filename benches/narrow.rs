//! Cost of the exact tests, in nanoseconds per pair, over 1,024 pairs of each kind in one array.
//!
//! By criterion.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kinetree::motion::{Sphere, SpherePiece};
use kinetree::narrow::intervals::{IntervalStats, MovingTriangle};
use kinetree::narrow::spheres::{
    MovingSphere, sphere_intervals, sphere_touches_triangle_at_time, sphere_triangle_intervals, spheres_touch_at_time,
};
use kinetree::narrow::{ray_hits_triangle, triangles_touch};
use kinetree::scenes;

type Triangle = [[f64; 3]; 3];

const PAIRS: usize = 1024;

struct Random(scenes::Random);

impl Random {
    fn new(seed: u64) -> Self {
        Self(scenes::Random::new(seed))
    }

    fn symmetric(&mut self) -> f64 {
        (self.0.next_bits() >> 11) as f64 * 2.0_f64.powi(-52) - 1.0
    }

    /// Random vertices, rounded to f32 as stored positions are.
    fn triangle(&mut self) -> Triangle {
        std::array::from_fn(|_| std::array::from_fn(|_| f64::from(self.symmetric() as f32)))
    }
}

fn boxes_meet(a: &Triangle, b: &Triangle) -> bool {
    let bound = |t: &Triangle, k: usize, pick: fn(f64, f64) -> f64| pick(t[0][k], pick(t[1][k], t[2][k]));
    (0..3).all(|k| bound(a, k, f64::min) <= bound(b, k, f64::max) && bound(b, k, f64::min) <= bound(a, k, f64::max))
}

fn collect(seed: u64, mut pair: impl FnMut(&mut Random) -> Option<[Triangle; 2]>) -> Vec<[Triangle; 2]> {
    let mut random = Random::new(seed);
    let mut pairs = Vec::with_capacity(PAIRS);
    while pairs.len() < PAIRS {
        pairs.extend(pair(&mut random));
    }
    pairs
}

/// A second triangle in the plane of the first as far as f64 goes: off by rounding only.
fn rounded_into_plane(random: &mut Random) -> [Triangle; 2] {
    let a = random.triangle();
    let b = std::array::from_fn(|_| {
        let (s, t) = (random.symmetric(), random.symmetric());
        std::array::from_fn(|k| a[0][k] + s * (a[1][k] - a[0][k]) + t * (a[2][k] - a[0][k]))
    });
    [a, b]
}

/// Exactly coplanar, in an oblique plane.
fn oblique_coplanar(random: &mut Random) -> [Triangle; 2] {
    let mut flat = || random.triangle().map(|[x, y, _]| [x, y, f64::from((0.5 * x + 0.25 * y) as f32)]);
    let snapped = |t: Triangle| {
        t.map(|[x, y, _]| {
            let [x, y] = [x, y].map(|v| (v * 4096.0).round() / 4096.0);
            [x, y, 0.5 * x + 0.25 * y]
        })
    };
    [snapped(flat()), snapped(flat())]
}

fn level_coplanar(random: &mut Random) -> [Triangle; 2] {
    [random.triangle(), random.triangle()].map(|t| t.map(|[x, y, _]| [x, y, 0.75]))
}

fn triangles(criterion: &mut Criterion) {
    let generic = |wanted: bool| {
        collect(1, move |random| {
            let [a, b] = [random.triangle(), random.triangle()];
            (boxes_meet(&a, &b) && triangles_touch(&a, &b) == wanted).then_some([a, b])
        })
    };
    let boxes_apart = collect(2, |random| {
        let [a, b] = [random.triangle(), random.triangle()];
        (!boxes_meet(&a, &b)).then_some([a, b])
    });
    // A mesh query's mix: small triangles a few sizes apart.
    let small = collect(3, |random| {
        let [a, b] = [random.triangle(), random.triangle()];
        let step = random.triangle()[0];
        let b = b.map(|p| std::array::from_fn(|k| f64::from((p[k] + step[k]) as f32)));
        boxes_meet(&a, &b).then_some([a, b])
    });
    let kinds = [
        ("generic hit", generic(true)),
        ("generic miss, boxes meet", generic(false)),
        ("boxes apart", boxes_apart),
        ("mixed, boxes meet", small),
        ("within rounding of coplanar", collect(4, |random| Some(rounded_into_plane(random)))),
        ("coplanar, oblique", collect(5, |random| Some(oblique_coplanar(random)))),
        ("coplanar, axis-aligned", collect(6, |random| Some(level_coplanar(random)))),
    ];
    let mut group = criterion.benchmark_group("triangles_touch");
    group.throughput(Throughput::Elements(PAIRS as u64));
    for (name, pairs) in &kinds {
        let touching = pairs.iter().filter(|[a, b]| triangles_touch(a, b)).count();
        eprintln!("{name}: {touching} of {PAIRS} touch");
        group.bench_function(*name, |bencher| {
            bencher.iter(|| black_box(pairs).iter().filter(|[a, b]| triangles_touch(a, b)).count());
        });
    }
    group.finish();
}

fn rays(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ray_hits_triangle");
    group.throughput(Throughput::Elements(PAIRS as u64));
    for wanted in [true, false] {
        let pairs = collect(7, |random| {
            let [[origin, direction, _], triangle] = [random.triangle(), random.triangle()];
            let hit = ray_hits_triangle(origin, direction, f64::INFINITY, &triangle).is_some();
            (hit == wanted).then_some([[origin, direction, origin], triangle])
        });
        group.bench_function(if wanted { "hit" } else { "miss" }, |bencher| {
            bencher.iter(|| {
                let cast = |[[o, d, _], t]: &[Triangle; 2]| ray_hits_triangle(*o, *d, f64::INFINITY, t);
                black_box(&pairs).iter().filter_map(cast).sum::<f64>()
            });
        });
    }
    group.finish();
}

/// A ball that moves and changes its size, and its box as a triangle for [`boxes_meet`].
fn ball(random: &mut Random) -> (MovingSphere, Triangle) {
    let mut one =
        || Sphere { centre: std::array::from_fn(|_| random.symmetric()), radius: 0.25 + 0.2 * random.symmetric() };
    let (begin, end) = (one(), one());
    (MovingSphere { begin, end }, box_of(&begin))
}

fn box_of(ball: &Sphere) -> Triangle {
    let side = |sign: f64| ball.centre.map(|x| x + sign * ball.radius);
    [side(-1.0), side(1.0), side(1.0)]
}

/// Balls that only just touch: 3, 4, 5.
fn tied(random: &mut Random) -> [SpherePiece; 2] {
    let centre: [f64; 3] = std::array::from_fn(|_| (16.0 * random.symmetric()).round());
    let still = |sphere| SpherePiece { begin: 0.0, end: 1.0, at_begin: sphere, at_end: sphere };
    let other = Sphere { centre: [centre[0] + 3.0, centre[1], centre[2] - 4.0], radius: 2.5 };
    [still(Sphere { centre, radius: 2.5 }), still(other)]
}

/// Balls against balls and triangles, at a time between two keys and over a window between them.
fn spheres(criterion: &mut Criterion) {
    const TIME: f64 = 0.3;
    let mut random = Random::new(8);
    let (mut balls, mut triangles, mut windows) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2], Vec::new());
    while balls.iter().any(|kind| kind.len() < PAIRS) || triangles.iter().any(|kind| kind.len() < PAIRS) {
        let ((a, _), (b, _), triangle) = (ball(&mut random), ball(&mut random), random.triangle());
        let [p, q] = [a, b].map(|ball| ball.over((0.0, 1.0)));
        if boxes_meet(&box_of(&p.at(TIME)), &box_of(&q.at(TIME))) {
            balls[usize::from(spheres_touch_at_time(&p, &q, 0.0, TIME))].push([p, q]);
        }
        if boxes_meet(&box_of(&p.at(TIME)), &triangle) {
            triangles[usize::from(sphere_touches_triangle_at_time(&p, &triangle, 0.0, TIME))].push((p, triangle));
        }
        windows.push((a, b, MovingTriangle { begin: triangle, end: random.triangle() }));
    }
    let ties: Vec<[SpherePiece; 2]> = (0..PAIRS).map(|_| tied(&mut random)).collect();
    balls.iter_mut().for_each(|kind| kind.truncate(PAIRS));
    triangles.iter_mut().for_each(|kind| kind.truncate(PAIRS));
    windows.truncate(PAIRS);
    let mut group = criterion.benchmark_group("spheres");
    group.throughput(Throughput::Elements(PAIRS as u64));
    for (name, pairs) in [("balls miss, boxes meet", &balls[0]), ("balls hit", &balls[1]), ("balls in a tie", &ties)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(pairs).iter().filter(|[a, b]| spheres_touch_at_time(a, b, 0.0, TIME)).count());
        });
    }
    for (name, pairs) in
        [("ball and triangle miss, boxes meet", &triangles[0]), ("ball and triangle hit", &triangles[1])]
    {
        group.bench_function(name, |bencher| {
            let touches = |(ball, t): &&(SpherePiece, Triangle)| sphere_touches_triangle_at_time(ball, t, 0.0, TIME);
            bencher.iter(|| black_box(pairs).iter().filter(touches).count());
        });
    }
    for with_triangles in [false, true] {
        let run = |found: &mut Vec<_>, stats: &mut IntervalStats| {
            for (a, b, triangle) in black_box(&windows) {
                if with_triangles {
                    sphere_triangle_intervals(a, triangle, 0.0, found, stats);
                } else {
                    sphere_intervals(a, b, 0.0, found, stats);
                }
            }
        };
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        run(&mut found, &mut stats);
        let name = if with_triangles { "ball and triangle over a window" } else { "balls over a window" };
        eprintln!("{name}: {} intervals; {} of {PAIRS} told by f64 signs", found.len(), PAIRS as u64 - stats.solved);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                found.clear();
                run(&mut found, &mut IntervalStats::default());
                found.len()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = triangles, rays, spheres
}
criterion_main!(benches);
