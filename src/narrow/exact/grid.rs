//! The points of one pair on an integer grid, and exact minors of their motion.
//!
//! All coordinates are multiples of one power of two, so dividing by it makes them integers. Differences of at most
//! 40 bits (nearly all f32 scenes) give cubics that fit `i128`: each of the 18 triple products of a coefficient has at
//! most 120 bits. Wider ones take the same path with big integers.

use super::form::Form;
use super::integer::{Integer, Ring};

/// Most points a pair has.
const POINTS: usize = 6;
/// Bits of a coordinate difference up to which coefficients fit `i128`: 3 · 40 + 5 < 127.
const SMALL_DIFFERENCE_BITS: u32 = 40;
/// Bits of a coordinate up to which it is held as `i64`.
const SMALL_COORDINATE_BITS: i32 = 62;

/// Positions at begin and end of the window, one axis of one point.
type Track<R> = [R; 2];

/// Integer positions of up to six points.
pub(crate) enum Grid {
    Small([[Track<i64>; 3]; POINTS]),
    Large(Box<[[Track<Integer>; 3]; POINTS]>),
}

/// Mantissa and exponent of a finite f64, the mantissa odd or zero.
fn decompose(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | (1 << 52), field - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros() as i32;
    let odd = mantissa >> zeros;
    (if value < 0.0 { -odd } else { odd }, exponent + zeros)
}

impl Grid {
    /// Scales finite positions; unused points repeat the first.
    pub(crate) fn new(begin: &[[f64; 3]; POINTS], end: &[[f64; 3]; POINTS]) -> Self {
        let mut lowest = i32::MAX;
        let mut highest = i32::MIN;
        for &value in begin.iter().chain(end).flatten() {
            let (mantissa, exponent) = decompose(value);
            if mantissa != 0 {
                lowest = lowest.min(exponent);
                highest = highest.max(exponent + 64 - mantissa.unsigned_abs().leading_zeros() as i32);
            }
        }
        if lowest > highest {
            return Self::Small(Default::default());
        }
        if highest - lowest <= SMALL_COORDINATE_BITS {
            let scaled = |value: f64| {
                let (mantissa, exponent) = decompose(value);
                if mantissa == 0 { 0 } else { mantissa << (exponent - lowest) }
            };
            let mut tracks = [[[0; 2]; 3]; POINTS];
            for (point, track) in tracks.iter_mut().enumerate() {
                for (axis, slot) in track.iter_mut().enumerate() {
                    *slot = [scaled(begin[point][axis]), scaled(end[point][axis])];
                }
            }
            if small_differences(&tracks) {
                return Self::Small(tracks);
            }
        }
        let scaled = |value: f64| {
            let (mantissa, exponent) = decompose(value);
            if mantissa == 0 {
                return Integer::zero();
            }
            Integer::from_i128(mantissa.into()).shifted_left((exponent - lowest) as usize)
        };
        let tracks = std::array::from_fn(|point| {
            std::array::from_fn(|axis| [scaled(begin[point][axis]), scaled(end[point][axis])])
        });
        Self::Large(Box::new(tracks))
    }

    /// The minor of `indices` (ascending, one more than `axes`) in the given axes; `None` if it is zero for all time.
    pub(crate) fn minor(&self, indices: &[usize], axes: &[usize]) -> Option<Form> {
        match self {
            Self::Small(tracks) => {
                let difference = |point: usize, axis: usize| -> Track<i128> {
                    let (a, b) = (tracks[point][axis], tracks[indices[0]][axis]);
                    [i128::from(a[0] - b[0]), i128::from(a[1] - b[1])]
                };
                let coefficients = determinant(indices, axes, difference);
                coefficients
                    .iter()
                    .any(|&c| c != 0)
                    .then(|| Form::new(coefficients.into_iter().map(Integer::from_i128).collect()))
            }
            Self::Large(tracks) => {
                let difference = |point: usize, axis: usize| -> Track<Integer> {
                    let (a, b) = (&tracks[point][axis], &tracks[indices[0]][axis]);
                    [a[0].minus(&b[0]), a[1].minus(&b[1])]
                };
                let coefficients = determinant(indices, axes, difference);
                coefficients.iter().any(|c| !c.is_zero()).then(|| Form::new(coefficients))
            }
        }
    }
}

/// Whether every difference of two points at one instant stays within the small bound.
fn small_differences(tracks: &[[Track<i64>; 3]; POINTS]) -> bool {
    (0..3).all(|axis| {
        (0..2).all(|side| {
            let values = tracks.iter().map(|track| track[axis][side]);
            let (low, high) = values.fold((i64::MAX, i64::MIN), |(low, high), value| (low.min(value), high.max(value)));
            high.checked_sub(low).is_some_and(|range| range >> SMALL_DIFFERENCE_BITS == 0)
        })
    })
}

/// Determinant of the differences from the first point, as a form of degree `axes.len()`.
fn determinant<R: Ring>(indices: &[usize], axes: &[usize], difference: impl Fn(usize, usize) -> Track<R>) -> Vec<R> {
    match (indices, axes) {
        (&[_, p], &[x]) => difference(p, x).to_vec(),
        (&[_, p, q], &[x, y]) => {
            let minor = cross(&difference(p, x), &difference(q, y), &difference(p, y), &difference(q, x));
            minor.to_vec()
        }
        (&[_, p, q, r], &[x, y, z]) => {
            let along = |i| [difference(i, x), difference(i, y), difference(i, z)];
            let (u, v, w) = (along(p), along(q), along(r));
            let terms: [[R; 4]; 3] = std::array::from_fn(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let [c0, c1, c2] = cross(&v[i], &w[j], &v[j], &w[i]);
                [
                    u[k][0].times(&c0),
                    u[k][0].times(&c1).plus(&u[k][1].times(&c0)),
                    u[k][0].times(&c2).plus(&u[k][1].times(&c1)),
                    u[k][1].times(&c2),
                ]
            });
            (0..4).map(|i| terms[0][i].plus(&terms[1][i]).plus(&terms[2][i])).collect()
        }
        _ => Vec::new(),
    }
}

/// `a·b − c·d` of four linear tracks.
fn cross<R: Ring>(a: &Track<R>, b: &Track<R>, c: &Track<R>, d: &Track<R>) -> [R; 3] {
    [
        a[0].times(&b[0]).minus(&c[0].times(&d[0])),
        a[0].times(&b[1]).plus(&a[1].times(&b[0])).minus(&c[0].times(&d[1])).minus(&c[1].times(&d[0])),
        a[1].times(&b[1]).minus(&c[1].times(&d[1])),
    ]
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::narrow::exact::form::Dyadic;
    use crate::narrow::exact::integer::Integer;

    const BEGIN: [[f64; 3]; 6] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.25, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]];

    fn falling(scale: f64) -> ([[f64; 3]; 6], [[f64; 3]; 6]) {
        let begin = BEGIN.map(|p| p.map(|x| x * scale));
        let mut end = begin;
        end[3][2] = -3.0 * scale;
        (begin, end)
    }

    #[test]
    fn both_tiers_agree() {
        let (begin, end) = falling(1.0);
        let small = Grid::new(&begin, &end);
        assert!(matches!(small, Grid::Small(_)));
        let (begin, mut end) = falling(1.0);
        end[5][0] = f64::MIN_POSITIVE / 4.0;
        end[4][1] = f64::MAX;
        let large = Grid::new(&begin, &end);
        assert!(matches!(large, Grid::Large(_)));
        for grid in [small, large] {
            let minor = grid.minor(&[0, 1, 2, 3], &[0, 1, 2]).expect("moves");
            let signs = [0.0, 0.25, 0.3, 1.0].map(|s| minor.sign_at(&Dyadic::from_f64(s)));
            assert_eq!(signs, [1, 0, -1, -1]);
            assert!(grid.minor(&[0, 1, 2, 0], &[0, 1, 2]).is_none());
            assert_eq!(grid.minor(&[0, 1, 2], &[0, 1]).map(|m| m.degree()), Some(2));
            let line = grid.minor(&[0, 3], &[2]).expect("moves");
            assert_eq!(line.coefficients().iter().map(Integer::sign).collect::<Vec<_>>(), [1, -1]);
        }
    }
}
