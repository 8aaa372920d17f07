//! Proximity intervals against an exact distance that shares no idea with them, at rational times: on a Farey grid, at both
//! sides of each end, just outside exact ends and at random.

#[path = "proximity_oracle/by_hand.rs"]
mod by_hand;
#[path = "intervals_oracle/pairs.rs"]
mod pairs;
#[path = "proximity_oracle/truth.rs"]
mod truth;

use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle};
use kinetree::narrow::proximity::{first_nearness, proximity_intervals, triangles_within, within_at_time};
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

use pairs::{
    Points, Random, degenerate, edges, equal_velocity, generic, integer_grid, mixed_scales, moved, moving, near,
    scaled, sliding, touching, triangle,
};
use truth::{compare_distance, fraction, rational};

#[derive(Debug, Default)]
struct Tally {
    pairs: u64,
    with_contact: u64,
    samples: u64,
    /// Samples at which the distance is exactly the one asked about.
    ties: u64,
    ends: u64,
    stats: IntervalStats,
}

fn check_pair(pair: &[MovingTriangle; 2], distance: f64, farey: i64, random: &mut Random, tally: &mut Tally) {
    let [a, b] = pair;
    let mut found: Vec<ContactInterval> = Vec::new();
    proximity_intervals(a, b, distance, &mut found, &mut tally.stats);
    tally.pairs += 1;
    tally.with_contact += u64::from(!found.is_empty());
    let mut times: Vec<Q> = vec![Q::zero(), Q::one()];
    for denominator in 2..=farey {
        times.extend((1..denominator).map(|n| fraction(n, denominator)));
    }
    times.push(fraction(random.below(1 << 50).cast_signed(), 1 << 50));
    times.push(fraction(random.below(999_983).cast_signed(), 999_983));
    let tiny = Q::new(BigInt::one(), BigInt::one() << 70);
    let mut expect = |s: Q, within: bool, what: &str| {
        tally.ends += 1;
        if s.is_negative() || s > Q::one() {
            return;
        }
        let truth = compare_distance(a, b, &s, distance).is_le();
        assert_eq!(truth, within, "{what} at {s}, d {distance}: {found:?} {pair:?}");
    };
    for interval in &found {
        for end in [interval.begin, interval.end] {
            assert!(0.0 <= end.lo && end.lo <= end.hi && end.hi <= 1.0);
            assert!(end.hi - end.lo <= 0.5 * f64::EPSILON, "{interval:?}");
        }
        let touch = first_nearness(interval, a, b);
        let length: f64 = touch.normal.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-9, "{touch:?}");
        let [b0, b1, e0, e1] = [interval.begin.lo, interval.begin.hi, interval.end.lo, interval.end.hi].map(rational);
        if interval.undecided {
            assert!(interval.instant && b0 < b1 && (&b0, &b1) == (&e0, &e1));
            expect(b0, false, "before an undecided instant");
            expect(b1, false, "after an undecided instant");
            continue;
        }
        if b0 == b1 {
            // The window's begin has nothing before it.
            expect(&b0 - &tiny, false, "before an exact begin");
        } else {
            expect(b0, false, "before the begin");
        }
        expect(b1, true, "at the begin");
        expect(e0, true, "at the end");
        if interval.end.lo == interval.end.hi {
            expect(&e1 + &tiny, false, "after an exact end");
        } else {
            expect(e1, false, "after the end");
        }
    }
    for neighbours in found.windows(2) {
        assert!(neighbours[0].end.hi <= neighbours[1].begin.hi && neighbours[0].end.lo <= neighbours[1].begin.lo);
    }
    for s in &times {
        let order = compare_distance(a, b, s, distance);
        tally.samples += 1;
        tally.ties += u64::from(order.is_eq());
        let bounds = |i: &ContactInterval| [i.begin.lo, i.begin.hi, i.end.lo, i.end.hi].map(rational);
        let within = order.is_le();
        let (mut may, mut must) = (false, false);
        for interval in &found {
            let [b0, b1, e0, e1] = bounds(interval);
            may |= b0 <= *s && *s <= e1;
            must |= !interval.undecided && b1 <= *s && *s <= e0;
        }
        assert!(may || !within, "missed at {s}, d {distance}: {found:?} {pair:?}");
        assert!(within || !must, "false contact at {s}, d {distance}: {found:?} {pair:?}");
    }
    let [p, q] = [a, b].map(|t| t.begin);
    let truth = compare_distance(a, b, &Q::zero(), distance).is_le();
    assert_eq!(triangles_within(&p, &q, distance), truth, "instant, d {distance}: {p:?} {q:?}");
}

/// Distances that integer coordinates meet exactly (3-4-5 and its kin), and some they do not.
fn nice_distance(random: &mut Random) -> f64 {
    [1.0, 1.0, 2.0, 0.5, 5.0, 1.25, 3.0, 0.1, 1e-9][random.below(9) as usize]
}

fn real_distance(random: &mut Random) -> f64 {
    [0.01, 0.3, 0.05, 0.125, 1e-3, 1e-7, 0.7][random.below(7) as usize]
}

fn battery(
    name: &str,
    count: usize,
    farey: i64,
    mut distance: impl FnMut(&mut Random) -> f64,
    mut generate: impl FnMut(&mut Random) -> [MovingTriangle; 2],
) -> Tally {
    let mut random = Random::new(0xfeed + name.len() as u64);
    let mut tally = Tally::default();
    for _ in 0..count {
        let pair = generate(&mut random);
        let distance = distance(&mut random);
        check_pair(&pair, distance, farey, &mut random, &mut tally);
        if tally.pairs % 4 == 0 {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            let mut ignored = IntervalStats::default();
            proximity_intervals(&pair[0], &pair[1], distance, &mut one, &mut ignored);
            proximity_intervals(&pair[1], &pair[0], distance, &mut two, &mut ignored);
            let ends = |all: &[ContactInterval]| {
                all.iter().filter(|i| !i.undecided).map(|i| (i.begin, i.end, i.instant)).collect::<Vec<_>>()
            };
            assert_eq!(ends(&one), ends(&two), "d {distance}: {pair:?}");
        }
    }
    println!("{name}: {tally:?}");
    assert!(tally.with_contact * 10 >= tally.pairs, "too few contacts to mean anything");
    tally
}

#[test]
fn random_generic_motion() {
    let tally = battery("generic", 250, 3, real_distance, generic);
    assert_eq!(tally.stats.undecided, 0);
    assert!(tally.stats.solved > 100);
}

#[test]
fn every_stage_decides() {
    let tally = battery("near", 700, 3, real_distance, near);
    let stats = tally.stats;
    assert!(stats.rejected_by_axes > 50 && stats.rejected_by_planes > 20, "{stats:?}");
    assert!(stats.accepted_by_signs > 5 && stats.solved > 100 && stats.undecided == 0, "{stats:?}");
}

#[test]
fn integer_grid_motion() {
    let tally = battery("integer grid", 300, 6, nice_distance, |random| integer_grid(random, 5));
    assert!(tally.stats.exact_pairs > 20, "{tally:?}");
    let small = battery("small integer grid", 400, 5, nice_distance, |random| integer_grid(random, 3));
    assert!(small.ties > 10, "{small:?}");
    // 3-4-5 and 0-0-5 away, so that the distance comes from vertices, edges and faces exactly.
    let offset = battery(
        "offset grid",
        400,
        5,
        |_| 5.0,
        |random| {
            let [a, b] = integer_grid(random, 3);
            let by = [[4.0, 5.0, 0.0], [0.0, 6.0, 0.0], [0.0, 4.0, 4.0]][random.below(3) as usize];
            [a, moving(moved(b.begin, by), moved(b.end, by))]
        },
    );
    assert!(offset.ties > 50 && offset.stats.instants > 3, "{offset:?}");
    let undecided = [&tally, &small, &offset].map(|tally| tally.stats.undecided);
    assert!(undecided.iter().sum::<u64>() < 40, "{undecided:?}");
}

#[test]
fn both_move_alike() {
    battery("equal velocity", 100, 3, nice_distance, equal_velocity);
    let tally = battery(
        "equal velocity, away",
        300,
        3,
        |random| 1.0 + random.below(3) as f64,
        |random| {
            let [a, b] = equal_velocity(random);
            [a, moving(moved(b.begin, [0.0, 0.0, 4.0]), moved(b.end, [0.0, 0.0, 4.0]))]
        },
    );
    assert!(tally.ties > 20, "{tally:?}");
}

#[test]
fn sliding_in_one_plane() {
    battery("sliding", 150, 5, nice_distance, sliding);
    // In planes exactly the distance apart.
    let layers = battery(
        "layers",
        200,
        5,
        |_| 1.0,
        |random| {
            let [a, b] = sliding(random).map(|t| {
                let flat = |points: Points| points.map(|[x, y, _]| [x, y, 0.0]);
                moving(flat(t.begin), flat(t.end))
            });
            [a, moving(moved(b.begin, [0.0, 0.0, 1.0]), moved(b.end, [0.0, 0.0, 1.0]))]
        },
    );
    assert!(layers.ties > 200, "{layers:?}");
}

#[test]
fn touching_at_an_instant() {
    let tally = battery("touching", 300, 4, nice_distance, touching);
    assert!(tally.ties > 30, "{tally:?}");
    battery("edges", 150, 4, nice_distance, edges);
}

#[test]
fn degenerate_triangles() {
    let tally = battery("degenerate", 300, 4, nice_distance, degenerate);
    assert!(tally.ties > 10, "{tally:?}");
    battery("degenerate, flat", 150, 4, nice_distance, |random| {
        degenerate(random).map(|t| {
            let flat = |points: Points| points.map(|[x, y, _]| [x, y, x]);
            moving(flat(t.begin), flat(t.end))
        })
    });
}

#[test]
fn huge_tiny_and_mixed_scales() {
    for exponent in [-60, 60, -400, 330] {
        let factor = 2.0_f64.powi(exponent);
        battery("scaled", 25, 3, |random| factor * real_distance(random), |random| scaled(&generic(random), factor));
        battery(
            "scaled grid",
            25,
            3,
            |random| factor * nice_distance(random),
            |random| scaled(&integer_grid(random, 3), factor),
        );
    }
    battery("mixed scales", 60, 3, nice_distance, mixed_scales);
    // Distances far below and far above the triangles.
    battery("tiny distance", 60, 3, |_| 1e-200, |random| integer_grid(random, 3));
    battery("huge distance", 40, 3, |_| 1e200, generic);
    let infinite = battery(
        "wide",
        20,
        2,
        |_| 1e3,
        |random| {
            [(); 2].map(|()| {
                let points = triangle(|| random.below(9) as f64 * 100.0);
                moving(points, moved(points, [1.0, 2.0, 3.0]))
            })
        },
    );
    assert!(infinite.stats.accepted_by_signs > 10);
}

/// What cannot be decided counts as near: it is never missed.
#[test]
fn what_is_not_finite_is_within_any_distance_at_any_time() {
    let at = |z: f64| MovingTriangle {
        begin: [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]],
        end: [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]],
    };
    let within = |z: f64, distance: f64, time: f64| within_at_time(&at(0.0), &at(z), distance, (0.0, 1.0), time);
    for time in [0.0, 0.5, 1.0] {
        assert!(!within(9.0, 1.0, time));
        assert!(within(9.0, f64::INFINITY, time) && within(9.0, f64::NAN, time));
        assert!(within(f64::NAN, 1.0, time) && within(f64::INFINITY, 1.0, time));
    }
    assert!(within(9.0, 1.0, f64::NAN));
}

/// A negative distance counts as none, between both ends of a window too.
#[test]
fn within_a_negative_distance_is_what_touches() {
    let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
    let spike = |z: f64| [[0.0, 0.0, z], [0.5, 0.0, z + 2.0], [0.0, 0.5, z + 2.0]];
    let still = MovingTriangle { begin: floor, end: floor };
    let moving = MovingTriangle { begin: spike(1.0), end: spike(-3.0) };
    for distance in [-8.0, -0.5, -0.0, 0.0, f64::NEG_INFINITY] {
        let times = [(0.0, false), (0.125, false), (0.25, true), (0.5, true), (0.75, true), (0.875, false)];
        for (time, expected) in times {
            let found = within_at_time(&still, &moving, distance, (0.0, 1.0), time);
            assert_eq!(found, expected, "{distance} at {time}");
        }
    }
}
