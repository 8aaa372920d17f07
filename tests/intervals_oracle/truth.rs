//! The oracle: two triangles share a point iff a linear program over their barycentric coordinates is feasible,
//! decided in integers by elimination (Gauss for the equations, Fourier-Motzkin for the inequalities).

use kinetree::narrow::intervals::MovingTriangle;
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

/// `coefficients · x + constant`, four unknowns, up to a positive factor.
type Row = ([BigInt; 4], BigInt);

pub(crate) fn rational(value: f64) -> Q {
    Q::from_float(value).expect("finite")
}

pub(crate) fn fraction(numerator: i64, denominator: i64) -> Q {
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

pub(crate) fn truth(a: &MovingTriangle, b: &MovingTriangle, s: &Q) -> bool {
    static_touch(&positions(a, b, s))
}

#[test]
fn the_oracle_knows_simple_cases() {
    let integers = |p: [[i64; 3]; 6]| p.map(|q| q.map(BigInt::from));
    let with = |b: [[i64; 3]; 3]| static_touch(&integers([[0, 0, 0], [4, 0, 0], [0, 4, 0], b[0], b[1], b[2]]));
    assert!(with([[1, 1, -1], [1, 1, 1], [9, 9, 1]]), "pierces");
    assert!(with([[1, 1, 0], [1, 1, 1], [9, 9, 1]]), "stands on it");
    assert!(with([[2, 2, 0], [5, 5, 0], [9, 5, 0]]), "vertex on edge");
    assert!(with([[1, 1, 0]; 3]) && with([[-9, -9, 0], [99, -9, 0], [-9, 99, 0]]), "inside");
    assert!(!with([[3, 2, 0], [5, 5, 0], [9, 5, 0]]) && !with([[3, 2, 0]; 3]), "beside");
    assert!(!with([[1, 1, 1], [1, 1, 2], [9, 9, 1]]), "above");
}

/// The fraction with the smallest denominator in `lo ..= hi` (Stern-Brocot).
pub(crate) fn simplest_between(lo: &Q, hi: &Q) -> Q {
    let whole = lo.ceil();
    if whole <= *hi {
        return whole;
    }
    let floor = lo.floor();
    let (lo, hi) = ((hi - &floor).recip(), (lo - &floor).recip());
    floor + simplest_between(&lo, &hi).recip()
}
