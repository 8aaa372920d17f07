//! Feasibility of a linear system in rationals, and what it says about triangles and rays.

use num_rational::BigRational;
use num_traits::Signed;

use crate::{Point, Triangle};

/// Numbers x ≥ 0 with Σ xₖ columns[k] = target, or `None` if there are none: phase one of the simplex method with
/// Bland's rule, which cannot cycle.
fn solve<F: Signed + PartialOrd + Clone>(columns: &[Vec<F>], target: &[F]) -> Option<Vec<F>> {
    let (rows, unknowns) = (target.len(), columns.len());
    let flipped = |i: usize, value: &F| {
        if target[i].is_negative() { -value.clone() } else { value.clone() }
    };
    let end = unknowns + rows;
    let mut table: Vec<Vec<F>> = (0..rows)
        .map(|i| {
            let mut row: Vec<F> = columns.iter().map(|column| flipped(i, &column[i])).collect();
            row.extend((0..rows).map(|k| if k == i { F::one() } else { F::zero() }));
            row.push(flipped(i, &target[i]));
            row
        })
        .collect();
    let mut cost: Vec<F> = (0..=end)
        .map(|k| {
            if (unknowns..end).contains(&k) {
                return F::zero();
            }
            table.iter().fold(F::zero(), |sum, row| sum - row[k].clone())
        })
        .collect();
    let mut basis: Vec<usize> = (unknowns..end).collect();

    while let Some(entering) = (0..unknowns).find(|&k| cost[k].is_negative()) {
        let leaving = (0..rows)
            .filter(|&i| table[i][entering].is_positive())
            .map(|i| (i, table[i][end].clone() / table[i][entering].clone()))
            .reduce(|best, next| {
                let wins = next.1 < best.1 || (next.1 == best.1 && basis[next.0] < basis[best.0]);
                if wins { next } else { best }
            })
            .expect("the sum of the artificial variables is bounded below")
            .0;
        let pivot = table[leaving][entering].clone();
        for value in &mut table[leaving] {
            *value = value.clone() / pivot.clone();
        }
        let source = table[leaving].clone();
        let others = table.iter_mut().enumerate().filter(|&(i, _)| i != leaving).map(|(_, row)| row);
        for row in others.chain([&mut cost]) {
            let factor = row[entering].clone();
            if !factor.is_zero() {
                for (value, base) in row.iter_mut().zip(&source) {
                    *value = value.clone() - factor.clone() * base.clone();
                }
            }
        }
        basis[leaving] = entering;
    }

    if cost[end].is_zero() {
        let mut solution = vec![F::zero(); unknowns];
        for (row, &k) in table.iter().zip(&basis).filter(|(_, k)| **k < unknowns) {
            solution[k] = row[end].clone();
        }
        assert!(solution.iter().all(|x| !x.is_negative()));
        for (i, wanted) in target.iter().enumerate() {
            let sum = columns.iter().zip(&solution);
            let sum = sum.fold(F::zero(), |sum, (column, x)| sum + column[i].clone() * x.clone());
            assert!(sum == *wanted, "the oracle's solution does not solve equation {i}");
        }
        Some(solution)
    } else {
        let certificate: Vec<F> = (0..rows).map(|i| flipped(i, &(F::one() - cost[unknowns + i].clone()))).collect();
        let product = |vector: &[F]| {
            let pairs = certificate.iter().zip(vector);
            pairs.fold(F::zero(), |sum, (y, v)| sum + y.clone() * v.clone())
        };
        assert!(product(target).is_positive() && columns.iter().all(|c| !product(c).is_positive()));
        None
    }
}

/// Whether a point is a convex combination of the vertices of both triangles.
pub(crate) fn share_a_point<F: Signed + PartialOrd + Clone>(a: &[[F; 3]; 3], b: &[[F; 3]; 3]) -> bool {
    let of_a = a.iter().map(|p| [p.as_slice(), &[F::one(), F::zero()]].concat());
    let of_b = b.iter().map(|p| [p.clone().map(|x| -x).as_slice(), &[F::zero(), F::one()]].concat());
    let columns: Vec<Vec<F>> = of_a.chain(of_b).collect();
    solve(&columns, &[F::zero(), F::zero(), F::zero(), F::one(), F::one()]).is_some()
}

/// Whether origin + t direction lies in the triangle for some 0 ≤ t ≤ limit.
pub(crate) fn ray_meets(ray: &[[BigRational; 3]; 2], limit: Option<&BigRational>, t: &[[BigRational; 3]; 3]) -> bool {
    let whole = |n: i64| BigRational::from_integer(n.into());
    let mut columns: Vec<_> = t.iter().map(|p| [p.as_slice(), &[whole(1), whole(0)]].concat()).collect();
    columns.push([ray[1].clone().map(|x| -x).as_slice(), &[whole(0), whole(1)]].concat());
    columns.push([whole(0), whole(0), whole(0), whole(0), whole(1)].to_vec());
    let mut target = [ray[0].as_slice(), &[whole(1)]].concat();
    match limit {
        Some(limit) => target.push(limit.clone()),
        None => columns.iter_mut().for_each(|column| column.truncate(4)),
    }
    solve(&columns, &target).is_some()
}

pub(crate) fn exact<const N: usize>(points: &[Point; N]) -> [[BigRational; 3]; N] {
    points.map(|point| point.map(|x| BigRational::from_float(x).expect("finite")))
}

pub(crate) fn oracle(a: &Triangle, b: &Triangle) -> bool {
    share_a_point(&exact(a), &exact(b))
}
