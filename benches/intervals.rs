//! Cost of a pair by the stage that decides it. Each measurement runs over 256 different pairs; read "elem/s" as pairs.
//!
//! `cargo bench --features io --bench intervals -- clips` instead prints a table of whole clips with continuous contacts.
//!
//! By criterion.

#[path = "intervals/clips.rs"]
mod clips;
#[cfg(feature = "io")]
#[path = "../tests/common/data.rs"]
mod data;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group};
use kinetree::narrow::ccd::{edge_edge_first_contact, vertex_face_first_contact};
use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle, contact_intervals, touch_at};
use kinetree::narrow::proximity::{proximity_intervals, triangles_within};
use kinetree::scenes;
use rustix::time::{ClockId, clock_gettime};

const PAIRS: usize = 256;

type Pair = (MovingTriangle, MovingTriangle);

/// Values of f32 in `-1 .. 1`.
struct Random(scenes::Random);

impl Random {
    fn new(seed: u64) -> Self {
        Self(scenes::Random::new(seed))
    }

    fn real(&mut self) -> f64 {
        let unit = (self.0.next_bits() >> 40) as f64 / f64::from(1 << 23);
        f64::from((unit - 1.0) as f32)
    }

    /// A triangle about one unit wide somewhere in a box of side two, that turns and drifts by about its own size.
    fn triangle(&mut self) -> MovingTriangle {
        let place = [self.real(), self.real(), self.real()];
        let drift = [self.real(), self.real(), self.real()].map(|x| 0.5 * x);
        let corner = |random: &mut Self| place.map(|x| f64::from((x + 0.6 * random.real()) as f32));
        let begin = [corner(self), corner(self), corner(self)];
        let end = begin.map(|p| [0, 1, 2].map(|k| f64::from((p[k] + drift[k] + 0.2 * self.real()) as f32)));
        MovingTriangle { begin, end }
    }
}

/// Pairs of small moving triangles that a given stage decides.
fn pairs(make: impl Fn(&mut Random) -> Pair, wanted: impl Fn(&IntervalStats) -> bool) -> Vec<Pair> {
    let mut random = Random::new(7);
    let mut chosen = Vec::new();
    let mut out = Vec::new();
    for _ in 0..4_000_000 {
        let pair = make(&mut random);
        let mut stats = IntervalStats::default();
        contact_intervals(&pair.0, &pair.1, &mut out, &mut stats);
        out.clear();
        if wanted(&stats) {
            chosen.push(pair);
            if chosen.len() == PAIRS {
                break;
            }
        }
    }
    assert_eq!(chosen.len(), PAIRS, "the stage decides too few pairs");
    chosen
}

fn any(random: &mut Random) -> Pair {
    (random.triangle(), random.triangle())
}

/// Both in the plane z = 0, as cloth that lies on a table.
fn flat(random: &mut Random) -> Pair {
    let (mut a, mut b) = any(random);
    for points in [&mut a.begin, &mut a.end, &mut b.begin, &mut b.end] {
        for point in points {
            point[2] = 0.0;
        }
    }
    (a, b)
}

/// B comes down on the plane of A with one vertex or more exactly in it at the end.
fn landing(random: &mut Random) -> Pair {
    let (mut a, mut b) = flat(random);
    a.end = a.begin;
    for k in 0..3 {
        b.begin[k][2] = 0.5 + 0.25 * random.real();
    }
    b.end[2][2] = 0.25;
    (a, b)
}

fn stages(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("contact_intervals");
    group.throughput(Throughput::Elements(PAIRS as u64));
    let sets = [
        ("rejected_by_axes", pairs(any, |s| s.rejected_by_axes == 1)),
        ("rejected_by_planes", pairs(any, |s| s.rejected_by_planes == 1)),
        ("rejected_by_signs", pairs(any, |s| s.rejected_by_signs == 1 && s.exact_pairs == 0)),
        ("accepted_by_signs", pairs(any, |s| s.accepted_by_signs == 1)),
        ("solved_apart", pairs(any, |s| s.solved == 1 && s.intervals == 0)),
        ("solved_contact", pairs(any, |s| s.solved == 1 && s.intervals == 1)),
        ("coplanar_contact", pairs(flat, |s| s.coplanar == 1 && s.solved == 1 && s.intervals == 1)),
        ("landing_contact", pairs(landing, |s| s.solved == 1 && s.intervals == 1)),
    ];
    for (name, set) in &sets {
        let (mut out, mut stats): (Vec<ContactInterval>, _) = (Vec::new(), IntervalStats::default());
        group.bench_function(*name, |bencher| {
            bencher.iter(|| {
                for (a, b) in set {
                    out.clear();
                    contact_intervals(black_box(a), black_box(b), &mut out, &mut stats);
                    black_box(&out);
                }
            });
        });
        println!("{name}: {:.2} exact minors per pair", stats.exact_minors as f64 / stats.pairs as f64);
    }
    group.finish();
}

fn instants(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("touch_at");
    group.throughput(Throughput::Elements(PAIRS as u64));
    for (name, set) in [("near", pairs(any, |s| s.solved == 1)), ("coplanar", pairs(flat, |s| s.coplanar == 1))] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for (a, b) in &set {
                    black_box(touch_at(black_box(a), black_box(b), 0.4375));
                }
            });
        });
    }
    group.finish();
}

fn features(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ccd");
    group.throughput(Throughput::Elements(PAIRS as u64));
    let set = pairs(any, |s| s.solved == 1);
    group.bench_function("vertex_face", |bencher| {
        bencher.iter(|| {
            for (a, b) in &set {
                let vertex = [a.begin[0], a.end[0]];
                black_box(vertex_face_first_contact(black_box(vertex), [b.begin, b.end]));
            }
        });
    });
    group.bench_function("edge_edge", |bencher| {
        bencher.iter(|| {
            for (a, b) in &set {
                let edge = |t: &MovingTriangle| [[t.begin[0], t.begin[1]], [t.end[0], t.end[1]]];
                black_box(edge_edge_first_contact(black_box(edge(a)), edge(b)));
            }
        });
    });
    group.finish();
}

/// A thickness of a twentieth of the triangles' width.
const THICKNESS: f64 = 0.05;

/// Ends of intervals inside the window.
fn ends(found: &[ContactInterval]) -> usize {
    found.iter().map(|i| usize::from(!i.at_window_begin()) + usize::from(!i.at_window_end())).sum()
}

/// Processor time of this thread for `rounds` calls.
fn timed(rounds: u64, mut call: impl FnMut()) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let begin = now();
    for _ in 0..rounds {
        call();
    }
    now().saturating_sub(begin)
}

/// The cost of thickness, by what decides; and at an instant.
fn proximity(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("proximity_intervals");
    let within = |wanted: &dyn Fn(&IntervalStats, &[ContactInterval]) -> bool, make: fn(&mut Random) -> Pair| {
        let mut random = Random::new(7);
        let mut chosen = Vec::new();
        for _ in 0..200_000 {
            if chosen.len() == PAIRS {
                break;
            }
            let pair = make(&mut random);
            let mut stats = IntervalStats::default();
            let mut found = Vec::new();
            proximity_intervals(&pair.0, &pair.1, THICKNESS, &mut found, &mut stats);
            if wanted(&stats, &found) {
                chosen.push(pair);
            }
        }
        chosen
    };
    let sets = [
        ("rejected_by_axes", within(&|s, _| s.rejected_by_axes == 1, any)),
        ("rejected_by_direction", within(&|s, _| s.rejected_by_planes == 1, any)),
        ("accepted_by_points", within(&|s, _| s.accepted_by_signs == 1, flat)),
        ("solved_apart", within(&|s, found| s.solved == 1 && found.is_empty(), any)),
        ("solved_throughout", within(&|s, found| s.solved == 1 && ends(found) == 0 && found.len() == 1, any)),
        ("solved_one_end", within(&|s, found| s.solved == 1 && ends(found) == 1, any)),
        ("solved_two_ends", within(&|s, found| s.solved == 1 && ends(found) == 2, any)),
        ("landing", within(&|s, _| s.solved == 1 && s.intervals == 1, landing)),
        ("boxes_overlap", within(&|s, _| s.rejected_by_axes == 0, any)),
    ];
    for (name, set) in &sets {
        let (mut out, mut stats): (Vec<ContactInterval>, _) = (Vec::new(), IntervalStats::default());
        assert!(set.len() >= 16, "{name}: only {} pairs", set.len());
        group.throughput(Throughput::Elements(set.len() as u64));
        group.bench_function(*name, |bencher| {
            bencher.iter_custom(|rounds| {
                timed(rounds, || {
                    for (a, b) in set {
                        out.clear();
                        proximity_intervals(black_box(a), black_box(b), THICKNESS, &mut out, &mut stats);
                        black_box(&out);
                    }
                })
            });
        });
        println!("{name}: {:.2} exact signs per pair", stats.exact_minors as f64 / stats.pairs as f64);
    }
    group.throughput(Throughput::Elements(sets[8].1.len() as u64));
    group.bench_function("triangles_within", |bencher| {
        bencher.iter_custom(|rounds| {
            timed(rounds, || {
                for (a, b) in &sets[8].1 {
                    black_box(triangles_within(black_box(&a.begin), black_box(&b.begin), THICKNESS));
                }
            })
        });
    });
    group.finish();
}

criterion_group!(benches, stages, instants, features, proximity);

fn main() {
    #[cfg(feature = "io")]
    if std::env::args().any(|argument| argument == "clips") {
        return clips::print_table();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
