//! Contact intervals against an oracle that shares no idea with them: two triangles are a linear program over
//! barycentric coordinates, solved in rationals by elimination (Gauss for the equations, Fourier-Motzkin for the
//! inequalities), at rational times.

use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle, contact_intervals, touch_at};
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

// ---------------------------------------------------------------------------------------------------- oracle

/// `coefficients · x + constant`, four unknowns, up to a positive factor.
type Row = ([BigInt; 4], BigInt);

fn rational(value: f64) -> Q {
    Q::from_float(value).expect("finite")
}

fn fraction(numerator: i64, denominator: i64) -> Q {
    Q::new(BigInt::from(numerator), BigInt::from(denominator))
}

fn combine(a: &Row, x: &BigInt, b: &Row, y: &BigInt) -> Row {
    let row = [0, 1, 2, 3].map(|k| &a.0[k] * x + &b.0[k] * y);
    (row, &a.1 * x + &b.1 * y)
}

/// Whether some `x` satisfies `row = 0` for all equations and `row >= 0` for all inequalities.
fn feasible(mut equations: Vec<Row>, mut inequalities: Vec<Row>) -> bool {
    while let Some(equation) = equations.pop() {
        let Some(pivot) = equation.0.iter().position(|c| !c.is_zero()) else {
            if equation.1.is_zero() {
                continue;
            }
            return false;
        };
        let lead = equation.0[pivot].clone();
        let substitute = |other: &mut Row| {
            if !other.0[pivot].is_zero() {
                let y = -(&other.0[pivot] * lead.signum());
                *other = combine(other, &lead.abs(), &equation, &y);
            }
        };
        equations.iter_mut().for_each(substitute);
        inequalities.iter_mut().for_each(substitute);
    }
    for variable in 0..4 {
        let (with, mut without): (Vec<Row>, Vec<Row>) =
            inequalities.into_iter().partition(|row| !row.0[variable].is_zero());
        let (lower, upper): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|row| row.0[variable].is_positive());
        for low in &lower {
            for high in &upper {
                without.push(combine(low, &-&high.0[variable], high, &low.0[variable]));
            }
        }
        inequalities = without;
    }
    inequalities.iter().all(|row| !row.1.is_negative())
}

/// Whether two closed triangles share a point.
fn static_touch(p: &[[BigInt; 3]; 6]) -> bool {
    let equations = (0..3).map(|k| {
        let row = [&p[1][k] - &p[0][k], &p[2][k] - &p[0][k], &p[3][k] - &p[4][k], &p[3][k] - &p[5][k]];
        (row, &p[0][k] - &p[3][k])
    });
    let unit = |k: usize| {
        let mut row: [BigInt; 4] = std::array::from_fn(|_| BigInt::zero());
        row[k] = BigInt::one();
        row
    };
    let mut inequalities: Vec<Row> = (0..4).map(|k| (unit(k), BigInt::zero())).collect();
    for first in [0, 2] {
        let mut row = unit(first);
        row[first + 1] = BigInt::one();
        inequalities.push((row.map(|x| -x), BigInt::one()));
    }
    feasible(equations.collect(), inequalities)
}

/// All positions at `s`, times one positive number that makes them integers.
fn positions(a: &MovingTriangle, b: &MovingTriangle, s: &Q) -> [[BigInt; 3]; 6] {
    let rest = Q::one() - s;
    let exact: [[Q; 3]; 6] = std::array::from_fn(|i| {
        let (triangle, k) = if i < 3 { (a, i) } else { (b, i - 3) };
        std::array::from_fn(|axis| rational(triangle.begin[k][axis]) * &rest + rational(triangle.end[k][axis]) * s)
    });
    let common = exact.iter().flatten().fold(BigInt::one(), |lcm, x| least_common_multiple(&lcm, x.denom()));
    exact.map(|point| point.map(|x| x.numer() * (&common / x.denom())))
}

fn least_common_multiple(a: &BigInt, b: &BigInt) -> BigInt {
    // The reduced denominator of a/b is what a lacks of b.
    a * Q::new(a.clone(), b.clone()).denom()
}

fn truth(a: &MovingTriangle, b: &MovingTriangle, s: &Q) -> bool {
    static_touch(&positions(a, b, s))
}

/// The fraction with the smallest denominator in `lo ..= hi` (Stern-Brocot).
fn simplest_between(lo: &Q, hi: &Q) -> Q {
    let whole = lo.ceil();
    if whole <= *hi {
        return whole;
    }
    let floor = lo.floor();
    let (lo, hi) = ((hi - &floor).recip(), (lo - &floor).recip());
    floor + simplest_between(&lo, &hi).recip()
}

// ------------------------------------------------------------------------------------------------- generators

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// An f32 value in `-1 .. 1`.
    fn real(&mut self) -> f64 {
        let unit = (self.next() >> 40) as f64 / (1_u64 << 23) as f64;
        f64::from((unit - 1.0) as f32)
    }

    fn grid(&mut self, size: u64) -> f64 {
        self.below(size) as f64
    }
}

type Points = [[f64; 3]; 3];

fn triangle(mut coordinate: impl FnMut() -> f64) -> Points {
    std::array::from_fn(|_| std::array::from_fn(|_| coordinate()))
}

fn moved(points: Points, by: [f64; 3]) -> Points {
    points.map(|p| [0, 1, 2].map(|k| f64::from((p[k] + by[k]) as f32)))
}

fn moving(begin: Points, end: Points) -> MovingTriangle {
    MovingTriangle { begin, end }
}

fn generic(random: &mut Random) -> [MovingTriangle; 2] {
    [(); 2].map(|()| {
        let begin = triangle(|| random.real());
        moving(begin, triangle(|| random.real()))
    })
}

fn integer_grid(random: &mut Random, size: u64) -> [MovingTriangle; 2] {
    [(); 2].map(|()| moving(triangle(|| random.grid(size)), triangle(|| random.grid(size))))
}

/// Both with one velocity, in one plane half of the time.
fn equal_velocity(random: &mut Random) -> [MovingTriangle; 2] {
    let velocity: [f64; 3] = std::array::from_fn(|_| random.grid(5) - 2.0);
    let flat = random.below(2) == 0;
    [(); 2].map(|()| {
        let mut begin = triangle(|| random.grid(4));
        if flat {
            begin = begin.map(|[x, y, _]| [x, y, x + 2.0 * y]);
        }
        moving(begin, moved(begin, velocity))
    })
}

/// In one plane for all time: an axis plane, a tilted one, or one that itself moves.
fn sliding(random: &mut Random) -> [MovingTriangle; 2] {
    let kind = random.below(4);
    let real = random.below(2) == 0;
    [(); 2].map(|()| {
        let mut flat = |lift: f64| {
            triangle(|| if real { random.real() } else { random.grid(4) }).map(|[x, y, _]| match kind {
                0 => [x, y, 0.5],
                1 => [lift, x, y],
                2 => [x, y, x - y],
                _ => [x, x, y],
            })
        };
        moving(flat(0.0), flat(3.0))
    })
}

/// One triangle falls, perhaps with a vertex that just reaches the other or parallel to it.
fn touching(random: &mut Random) -> [MovingTriangle; 2] {
    let rest = triangle(|| random.grid(4)).map(|[x, y, _]| [x, y, 0.0]);
    let mut begin = triangle(|| random.grid(4));
    let mut end = begin;
    let height = 1.0 + random.grid(3);
    let kind = random.below(5);
    for k in 0..3 {
        let lift = if kind == 1 { 0.0 } else { random.grid(3) };
        (begin[k][2], end[k][2]) = match kind {
            // Exactly at the end, exactly at the begin, through, and one vertex that stays behind.
            0 => (height + lift, lift),
            1 => (height, -height),
            2 => (lift, height + lift),
            3 => (height + lift, lift - random.grid(2)),
            _ => (lift, lift),
        };
        end[k][0] += random.grid(2);
    }
    let floor = moving(rest, rest);
    if random.below(2) == 0 { [moving(begin, end), floor] } else { [floor, moving(begin, end)] }
}

/// An edge passes an edge; sometimes they graze at one instant.
fn edges(random: &mut Random) -> [MovingTriangle; 2] {
    let h = random.grid(3) - 1.0;
    let far = 2.0 + random.grid(2);
    let a = [[-far, 0.0, 0.0], [far, 0.0, 0.0], [0.0, 0.0, -far]];
    let top = [[h, -2.0, 1.0], [h, 2.0, 1.0], [h, 0.0, 4.0]];
    let drop = 1.0 + random.grid(3);
    let begin = moved(top, [0.0, 0.0, 0.0]);
    let mut end = moved(top, [random.grid(3), 0.0, -drop]);
    if random.below(3) == 0 {
        end[0][2] += 1.0;
    }
    [moving(a, a), moving(begin, end)]
}

/// Segments and points instead of triangles.
fn degenerate(random: &mut Random) -> [MovingTriangle; 2] {
    integer_grid(random, 4).map(|mut t| {
        match random.below(4) {
            0 => t.begin[1] = t.begin[0],
            1 => {
                (t.begin[1], t.end[1]) = (t.begin[0], t.end[0]);
            }
            2 => {
                (t.begin, t.end) = ([t.begin[0]; 3], [t.end[0]; 3]);
            }
            _ => {
                // Collinear for all time.
                for points in [&mut t.begin, &mut t.end] {
                    points[2] = [0, 1, 2].map(|k| 2.0 * points[1][k] - points[0][k]);
                }
            }
        }
        t
    })
}

fn scaled(pair: [MovingTriangle; 2], factor: f64) -> [MovingTriangle; 2] {
    pair.map(|t| {
        let by = |points: Points| points.map(|p| p.map(|x| x * factor));
        moving(by(t.begin), by(t.end))
    })
}

/// Tiny offsets on large coordinates: far beyond 53 bits, and beyond 126 bits for the cubics.
fn mixed_scales(random: &mut Random) -> [MovingTriangle; 2] {
    let mut pair = integer_grid(random, 4);
    for t in &mut pair {
        for points in [&mut t.begin, &mut t.end] {
            for x in points.iter_mut().flatten() {
                *x += match random.below(8) {
                    0 => f64::EPSILON,
                    1 => -f64::EPSILON / 2.0,
                    2 if *x == 0.0 => 2.0_f64.powi(-60 - random.below(20) as i32),
                    _ => 0.0,
                };
            }
        }
    }
    pair
}

// ----------------------------------------------------------------------------------------------------- battery

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
        assert_eq!(interval.at_window_begin, interval.begin.hi == 0.0);
        assert_eq!(interval.at_window_end, interval.end.lo == 1.0);
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
    times.push(fraction(random.below(1 << 50) as i64, 1 << 50));
    times.push(fraction(random.below(999_983) as i64, 999_983));
    let tiny = Q::new(BigInt::one(), BigInt::one() << 90);
    for interval in &found {
        for end in [interval.begin, interval.end] {
            let (lo, hi) = (rational(end.lo), rational(end.hi));
            if interval.instant && lo < hi {
                tally.instants += 1;
                let guess = simplest_between(&lo, &hi);
                // A small denominator in a cell of 2^-53 is no accident; an irrational instant stays unconfirmed.
                if *guess.denom() < BigInt::from(1 << 16) {
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
                assert!(
                    !(begin <= *s && *s <= end) || (interval.instant && begin > end),
                    "false contact at {s}: {interval:?} {pair:?}"
                );
                // Strictly inside an end's cell nothing is claimed; on its outer border the pair is apart.
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
    let mut random = Random(0x5eed + name.len() as u64);
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
        battery("scaled", 40, 5, |random| scaled(generic(random), factor));
        battery("scaled grid", 60, 5, |random| scaled(integer_grid(random, 3), factor));
    }
    battery("mixed scales", 200, 5, mixed_scales);
}
