//! The oracle: the squared distance of two triangles at a rational time, against the square of a given distance, in integers.
//!
//! For every choice of some vertices of A and some of B the nearest points of the two affine hulls come from a linear system,
//! solved by elimination without fractions (Bareiss); where all weights are at least zero they are points of the triangles.
//! The smallest of their squared distances is the answer: the true nearest points are among them, for the smallest parts
//! that hold them.

use std::cmp::Ordering;

use kinetree::narrow::intervals::MovingTriangle;
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

pub(crate) fn rational(value: f64) -> Q {
    Q::from_float(value).expect("finite")
}

pub(crate) fn fraction(numerator: i64, denominator: i64) -> Q {
    Q::new(BigInt::from(numerator), BigInt::from(denominator))
}

pub(crate) type Point = [BigInt; 3];

fn minus(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn dot(a: &Point, b: &Point) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// Positions of both triangles and the distance, times one positive number that makes all of them integers.
fn scaled(a: &MovingTriangle, b: &MovingTriangle, s: &Q, distance: f64) -> ([Point; 3], [Point; 3], BigInt) {
    let all = [a, b].into_iter().flat_map(|t| t.begin.iter().chain(&t.end)).flatten().chain([&distance]);
    let values: Vec<Q> = all.map(|&x| rational(x)).collect();
    // Denominators are powers of two: the largest is common.
    let common = values.iter().map(|x| x.denom().clone()).max().expect("not empty");
    let whole: Vec<BigInt> = values.iter().map(|x| x.numer() * (&common / x.denom())).collect();
    let (ahead, rest) = (s.numer(), s.denom() - s.numer());
    let at = |from: usize| -> [Point; 3] {
        std::array::from_fn(|i| {
            std::array::from_fn(|k| &whole[from + 3 * i + k] * &rest + &whole[from + 9 + 3 * i + k] * ahead)
        })
    };
    (at(0), at(18), &whole[36] * s.denom())
}

/// Numerators and the common denominator of the solution of a square system, if it has exactly one.
fn solve(mut rows: Vec<Vec<BigInt>>) -> Option<(Vec<BigInt>, BigInt)> {
    let size = rows.len();
    let mut previous = BigInt::one();
    for column in 0..size {
        let pivot = (column..size).find(|&row| !rows[row][column].is_zero())?;
        rows.swap(column, pivot);
        for row in (0..size).filter(|&row| row != column) {
            for k in (0..=size).rev().filter(|&k| k != column) {
                let value = &rows[row][k] * &rows[column][column] - &rows[row][column] * &rows[column][k];
                rows[row][k] = value / &previous;
            }
            rows[row][column] = BigInt::zero();
        }
        previous.clone_from(&rows[column][column]);
        for row in 0..column {
            rows[row][row].clone_from(&previous);
        }
    }
    Some((rows.into_iter().map(|mut row| row.pop().expect("a right side")).collect(), previous))
}

/// Squared distance of the nearest points of the hulls of `a` and `b` against `square`, if unique and inside both.
fn between(a: &[&Point], b: &[&Point], square: &BigInt) -> Option<Ordering> {
    // b₀ − a₀ + Σ y (bⱼ − b₀) − Σ x (aᵢ − a₀) is orthogonal to all directions.
    let ways: Vec<Point> = a[1..].iter().map(|p| minus(a[0], p)).chain(b[1..].iter().map(|p| minus(p, b[0]))).collect();
    let offset = minus(b[0], a[0]);
    let rows = ways.iter().map(|way| ways.iter().map(|other| dot(way, other)).chain([-dot(way, &offset)]).collect());
    let (mut weights, mut whole) = solve(rows.collect())?;
    if whole.is_negative() {
        weights.iter_mut().for_each(|x| *x = -&*x);
        whole = -whole;
    }
    let (of_a, of_b) = weights.split_at(a.len() - 1);
    for part in [of_a, of_b] {
        if part.iter().any(Signed::is_negative) || part.iter().sum::<BigInt>() > whole {
            return None;
        }
    }
    let gap: Point = std::array::from_fn(|k| {
        ways.iter().zip(&weights).fold(&offset[k] * &whole, |sum, (way, weight)| sum + &way[k] * weight)
    });
    Some(dot(&gap, &gap).cmp(&(square * &whole * &whole)))
}

/// How the distance of two triangles at `s` compares with `distance`.
pub(crate) fn compare_distance(a: &MovingTriangle, b: &MovingTriangle, s: &Q, distance: f64) -> Ordering {
    let (a, b, distance) = scaled(a, b, s, distance);
    compare_points(&a, &b, &distance)
}

/// The same for integer positions at an instant.
pub(crate) fn compare_points(a: &[Point; 3], b: &[Point; 3], distance: &BigInt) -> Ordering {
    let square = distance * distance;
    let choose = |points: &'_ [Point; 3], bits: u32| -> Vec<Point> {
        (0..3).filter(|k| bits >> k & 1 == 1).map(|k| points[k].clone()).collect()
    };
    let mut best = Ordering::Greater;
    for i in 1..8_u32 {
        for j in 1..8_u32 {
            if i.count_ones() + j.count_ones() > 5 {
                continue;
            }
            let (p, q) = (choose(a, i), choose(b, j));
            let (p, q): (Vec<&Point>, Vec<&Point>) = (p.iter().collect(), q.iter().collect());
            best = best.min(between(&p, &q, &square).unwrap_or(Ordering::Greater));
        }
    }
    best
}

#[test]
fn the_oracle_knows_simple_cases() {
    let still = |p: [[i32; 3]; 3]| {
        let p = p.map(|q| q.map(f64::from));
        MovingTriangle { begin: p, end: p }
    };
    let floor = still([[0, 0, 0], [4, 0, 0], [0, 4, 0]]);
    let is = |b: [[i32; 3]; 3], distance: f64| {
        let orders = [distance - 0.25, distance, distance + 0.25]
            .map(|d| compare_distance(&floor, &still(b), &fraction(1, 3), d.max(0.0)));
        assert_eq!(orders[1..], [Ordering::Equal, Ordering::Less], "{b:?}");
        assert!(distance == 0.0 || orders[0] == Ordering::Greater, "{b:?}");
    };
    is([[1, 1, 2], [1, 1, 3], [9, 9, 3]], 2.0);
    is([[-3, -4, 0], [-9, -9, 0], [-9, -8, 1]], 5.0);
    is([[1, -2, 1], [1, 2, -1], [9, 9, 5]], 0.0);
    is([[2, -1, -1], [2, -1, 1], [2, -9, 0]], 1.0);
    // The square root of 2, beside the long edge.
    let beside = |d| compare_distance(&floor, &still([[3, 3, 0]; 3]), &fraction(1, 7), d);
    assert_eq!([beside(1.414), beside(1.415)], [Ordering::Greater, Ordering::Less]);
}
