//! Contact intervals against an oracle that shares no idea with them, at rational times: on a Farey grid, at the ends of
//! the intervals, just outside them and at random.

#[path = "intervals_oracle/by_hand.rs"]
mod by_hand;
#[path = "intervals_oracle/pairs.rs"]
mod pairs;
#[path = "intervals_oracle/truth.rs"]
mod truth;

use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle, contact_intervals, touch_at};
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

use pairs::{
    Points, Random, degenerate, edges, equal_velocity, generic, integer_grid, mixed_scales, moving, near, scaled,
    sliding, touching,
};
use truth::{fraction, rational, simplest_between, truth};

#[derive(Debug, Default)]
struct Tally {
    pairs: u64,
    with_contact: u64,
    samples: u64,
    instants: u64,
    instants_confirmed: u64,
    stats: IntervalStats,
}

fn check_pair(pair: &[MovingTriangle; 2], farey: i64, random: &mut Random, tally: &mut Tally) {
    let [a, b] = pair;
    let mut found: Vec<ContactInterval> = Vec::new();
    contact_intervals(a, b, &mut found, &mut tally.stats);
    tally.pairs += 1;
    tally.with_contact += u64::from(!found.is_empty());
    for interval in &found {
        assert!(!interval.undecided);
        for end in [interval.begin, interval.end] {
            assert!(0.0 <= end.lo && end.lo <= end.hi && end.hi <= 1.0);
            assert!(end.hi - end.lo <= 0.5 * f64::EPSILON, "{interval:?}");
        }
        let touch = interval.first_touch(a, b);
        let length: f64 = touch.normal.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-9, "{touch:?}");
    }
    for neighbours in found.windows(2) {
        assert!(neighbours[0].end.hi <= neighbours[1].begin.hi);
        assert!(neighbours[0].end.lo <= neighbours[1].begin.lo);
    }

    let mut times: Vec<Q> = vec![Q::zero(), Q::one()];
    for denominator in 2..=farey {
        times.extend((1..denominator).map(|n| fraction(n, denominator)));
    }
    times.push(fraction(random.below(1 << 50).cast_signed(), 1 << 50));
    times.push(fraction(random.below(999_983).cast_signed(), 999_983));
    let coordinates = pair.iter().flat_map(|t| t.begin.iter().chain(&t.end)).flatten();
    let coarse = coordinates.into_iter().all(|x| x.abs() < 1024.0 && (x * 1024.0).fract() == 0.0);
    let tiny = Q::new(BigInt::one(), BigInt::one() << 90);
    for interval in &found {
        for end in [interval.begin, interval.end] {
            let (lo, hi) = (rational(end.lo), rational(end.hi));
            if interval.instant && lo < hi {
                tally.instants += 1;
                let guess = simplest_between(&lo, &hi);
                // With coordinates on a coarse grid a small denominator in a cell of 2^-53 is no accident; an
                // irrational instant stays unconfirmed.
                if coarse && *guess.denom() < BigInt::from(1 << 16) {
                    assert!(truth(a, b, &guess), "false instant {guess} {interval:?} {pair:?}");
                    tally.instants_confirmed += 1;
                }
            }
            times.extend([&lo - &tiny, &hi + &tiny, lo, hi]);
        }
    }
    times.retain(|s| !s.is_negative() && *s <= Q::one());
    times.sort();
    times.dedup();
    for s in &times {
        let touching = truth(a, b, s);
        tally.samples += 1;
        let bounds = |i: &ContactInterval| [i.begin.lo, i.begin.hi, i.end.lo, i.end.hi].map(rational);
        if touching {
            let covered = found.iter().any(|i| {
                let [first, _, _, last] = bounds(i);
                first <= *s && *s <= last
            });
            assert!(covered, "missed at {s}: {found:?} {pair:?}");
        } else {
            for interval in &found {
                let [_, begin, end, _] = bounds(interval);
                // Strictly inside an end's cell nothing is claimed.
                assert!(!(begin <= *s && *s <= end), "false contact at {s}: {interval:?} {pair:?}");
            }
        }
        let inside_a_cell = found.iter().any(|i| {
            let [b0, b1, e0, e1] = bounds(i);
            (b0 <= *s && *s <= b1 && b0 < b1) || (e0 <= *s && *s <= e1 && e0 < e1)
        });
        if !inside_a_cell {
            let inside = found.iter().any(|i| {
                let [b0, _, _, e1] = bounds(i);
                b0 <= *s && *s <= e1
            });
            assert_eq!(inside, touching, "at {s}: {found:?} {pair:?}");
        }
    }
    for _ in 0..2 {
        let near = found.first().map_or(0.5, |i| i.begin.lo);
        let s = match random.below(3) {
            0 => random.below(1 << 53) as f64 * 0.5 * f64::EPSILON,
            1 => near,
            _ => near.next_up().min(1.0),
        };
        assert_eq!(touch_at(a, b, s), truth(a, b, &rational(s)), "touch_at {s} {pair:?}");
    }
}

fn battery(
    name: &str,
    count: usize,
    farey: i64,
    mut generate: impl FnMut(&mut Random) -> [MovingTriangle; 2],
) -> Tally {
    let mut random = Random::new(0x5eed + name.len() as u64);
    let mut tally = Tally::default();
    for _ in 0..count {
        let pair = generate(&mut random);
        check_pair(&pair, farey, &mut random, &mut tally);
        // The other order must see the same times.
        if tally.pairs % 4 == 0 {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            let mut ignored = IntervalStats::default();
            contact_intervals(&pair[0], &pair[1], &mut one, &mut ignored);
            contact_intervals(&pair[1], &pair[0], &mut two, &mut ignored);
            let ends = |all: &[ContactInterval]| all.iter().map(|i| (i.begin, i.end, i.instant)).collect::<Vec<_>>();
            assert_eq!(ends(&one), ends(&two), "{pair:?}");
        }
    }
    let stats = tally.stats;
    println!("{name}: {tally:?}");
    assert_eq!(stats.undecided, 0);
    assert!(tally.with_contact * 10 >= tally.pairs, "too few contacts to mean anything");
    tally
}

#[test]
fn random_generic_motion() {
    let tally = battery("generic", 400, 3, generic);
    assert_eq!(tally.stats.algebraic, 0);
    assert!(tally.stats.solved > 100);
}

#[test]
fn every_stage_decides() {
    let tally = battery("near", 1200, 6, near);
    let stats = tally.stats;
    assert!(stats.rejected_by_axes > 100 && stats.rejected_by_planes > 30, "{stats:?}");
    assert!(stats.rejected_by_signs > 5 && stats.solved > 100, "{stats:?}");
    // Motion small against the triangles: contact mostly lasts the whole window.
    let slow = battery("slow", 300, 4, |random| {
        generic(random).map(|t| {
            let step = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|k| f64::from((p[k] + 0.01 * (q[k] - p[k])) as f32));
            moving(t.begin, [0, 1, 2].map(|i| step(t.begin[i], t.end[i])))
        })
    });
    assert!(slow.stats.accepted_by_signs > 10, "{:?}", slow.stats);
}

#[test]
fn integer_grid_motion() {
    let tally = battery("integer grid", 600, 9, |random| integer_grid(random, 5));
    let stats = tally.stats;
    assert!(stats.exact_pairs > 100, "degenerate on purpose");
    let tally = battery("small integer grid", 600, 7, |random| integer_grid(random, 2));
    let small = tally.stats;
    assert!(small.instants > 60 && small.coplanar > 2, "{small:?}");
    assert!(small.algebraic > 100, "{small:?}");
}

#[test]
fn both_move_alike() {
    let tally = battery("equal velocity", 300, 4, equal_velocity);
    assert!(tally.stats.coplanar > 50);
}

#[test]
fn sliding_in_one_plane() {
    let tally = battery("sliding", 300, 8, sliding);
    assert!(tally.stats.coplanar > 100);
}

#[test]
fn touching_at_an_instant() {
    let tally = battery("touching", 500, 6, touching);
    assert!(tally.stats.instants > 50);
}

#[test]
fn edge_passing_edge() {
    battery("edges", 200, 8, edges);
}

#[test]
fn degenerate_triangles() {
    let tally = battery("degenerate", 600, 7, degenerate);
    assert!(tally.stats.instants > 20);
    let planar = battery("degenerate, flat", 400, 7, |random| {
        degenerate(random).map(|t| {
            let flat = |points: Points| points.map(|[x, y, _]| [x, y, x]);
            moving(flat(t.begin), flat(t.end))
        })
    });
    assert!(planar.stats.coplanar > 50);
    let linear = battery("degenerate, on a line", 200, 7, |random| {
        degenerate(random).map(|t| {
            let flat = |points: Points| points.map(|[x, _, _]| [x, 2.0 * x, 1.0]);
            moving(flat(t.begin), flat(t.end))
        })
    });
    assert!(linear.stats.collinear > 50);
}

#[test]
fn huge_tiny_and_mixed_scales() {
    for exponent in [-60, 60, -400, 330] {
        let factor = 2.0_f64.powi(exponent);
        battery("scaled", 40, 5, |random| scaled(&generic(random), factor));
        battery("scaled grid", 60, 5, |random| scaled(&integer_grid(random, 3), factor));
    }
    battery("mixed scales", 200, 5, mixed_scales);
}

#[test]
fn the_whole_range_of_f64() {
    // Coordinates from the smallest to the largest numbers in one pair: slow, but finite and right.
    let tally = battery("extreme", 12, 3, |random| {
        let mut pair = integer_grid(random, 3);
        pair[0].end[1][0] = f64::MAX;
        pair[1].begin[2][1] = f64::from_bits(1);
        pair
    });
    assert_eq!(tally.stats.undecided, 0);
}
