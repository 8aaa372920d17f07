//! The points of one pair on an integer grid, and exact minors of their motion.
//!
//! All coordinates are multiples of one power of two; division by it makes them integers.
//! Differences of at most 40 bits (nearly all f32 scenes) give cubics that fit `i128`: each of the
//! 18 triple products of a coefficient has at most 120 bits. Wider differences use big integers in
//! the same code.

use super::form::Form;
use super::integer::{Integer, Ring};
use super::small::SmallForm;

/// Most points of a pair.
const POINTS: usize = 6;
/// Bits of a coordinate difference up to which coefficients fit `i128`: 3 · 40 + 5 < 127.
const SMALL_DIFFERENCE_BITS: u32 = 40;
/// The largest coordinate is scaled to just below this power of two, so that it fits
/// [`INTEGER_SHIFTER`].
const SCALED_BITS: i64 = 51;
/// 1.5 · 2⁵²: sums with integers below 2⁵¹ have no fraction.
const INTEGER_SHIFTER: f64 = 6_755_399_441_055_744.0;

/// Positions at begin and end of the window, one axis of one point.
type Track<R> = [R; 2];

/// Integer positions of up to six points.
#[expect(clippy::large_enum_variant, reason = "the large variant is the usual one, on the stack of one query")]
pub(crate) enum Grid {
    Small([[Track<i64>; 3]; POINTS]),
    Large(Box<[[Track<Integer>; 3]; POINTS]>),
}

/// Mantissa and exponent of a finite f64, the mantissa odd or zero.
pub(crate) fn decompose(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)).cast_signed();
    let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | (1 << 52), field - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros().cast_signed();
    let odd = mantissa >> zeros;
    (if value < 0.0 { -odd } else { odd }, exponent + zeros)
}

/// How often a number holds `2^lowest`, of which it must be a multiple.
pub(crate) fn multiple(value: f64, lowest: i32) -> Integer {
    match decompose(value) {
        (0, _) => Integer::zero(),
        (mantissa, exponent) => Integer::from_i128(mantissa.into()).shifted_left((exponent - lowest) as usize),
    }
}

impl Grid {
    /// Scales finite positions; unused points repeat the first.
    pub(crate) fn new(begin: &[&[f64; 3]; POINTS], end: &[&[f64; 3]; POINTS]) -> Self {
        if let Some(tracks) = rounded_tracks(begin, end) {
            return Self::Small(tracks);
        }
        let mut lowest = i32::MAX;
        let mut highest = i32::MIN;
        for &value in begin.iter().chain(end).copied().flatten() {
            let (mantissa, exponent) = decompose(value);
            if mantissa != 0 {
                lowest = lowest.min(exponent);
                highest = highest.max(exponent + 64 - mantissa.unsigned_abs().leading_zeros().cast_signed());
            }
        }
        if lowest > highest {
            return Self::Small(Default::default());
        }
        let scaled = |value: f64| multiple(value, lowest);
        let tracks = std::array::from_fn(|point| {
            std::array::from_fn(|axis| [scaled(begin[point][axis]), scaled(end[point][axis])])
        });
        Self::Large(Box::new(tracks))
    }

    /// A minor as a small form; `None` if the grid is not small or the minor is zero for all time.
    pub(crate) fn small_minor(&self, indices: &[usize], axes: &[usize]) -> Option<SmallForm> {
        let Self::Small(tracks) = self else {
            return None;
        };
        let coefficients = small_determinant(tracks, indices, axes);
        let used = &coefficients[..indices.len()];
        used.iter().any(|&c| c != 0).then(|| SmallForm::new(used))
    }

    /// The minor of `indices` (ascending, one more than `axes`) in the given axes; `None` if it is
    /// zero for all time.
    pub(crate) fn minor(&self, indices: &[usize], axes: &[usize]) -> Option<Form> {
        match self {
            Self::Small(tracks) => {
                let coefficients = small_determinant(tracks, indices, axes);
                let used = &coefficients[..indices.len()];
                used.iter().any(|&c| c != 0).then(|| Form::new(used.iter().map(|&c| Integer::from_i128(c)).collect()))
            }
            Self::Large(tracks) => {
                let difference = |point: usize, axis: usize| -> Track<Integer> {
                    let (a, b) = (&tracks[point][axis], &tracks[indices[0]][axis]);
                    [a[0].minus(&b[0]), a[1].minus(&b[1])]
                };
                let coefficients = determinant(indices, axes, Integer::zero(), difference);
                let used = &coefficients[..indices.len()];
                used.iter().any(|c| !c.is_zero()).then(|| Form::new(used.to_vec()))
            }
        }
    }
}

/// All coordinates as small integers, if one power of two makes them integers.
fn rounded_tracks(begin: &[&[f64; 3]; POINTS], end: &[&[f64; 3]; POINTS]) -> Option<[[Track<i64>; 3]; POINTS]> {
    let mut flat = [0.0_f64; 6 * POINTS];
    for (slots, (from, to)) in flat.chunks_exact_mut(6).zip(begin.iter().zip(end)) {
        slots.copy_from_slice(&[from[0], to[0], from[1], to[1], from[2], to[2]]);
    }
    let mut largest = 0.0_f64;
    for value in flat {
        largest = if value.abs() > largest { value.abs() } else { largest };
    }
    let shift = SCALED_BITS - 1 - ((largest.to_bits() >> 52).cast_signed() - 1023);
    if !(-1022..=1023).contains(&shift) {
        return None;
    }
    let scale = f64::from_bits(((shift + 1023) as u64) << 52);
    let mut integers = [0_i64; 6 * POINTS];
    let mut bits = 0;
    let mut exact = true;
    for (slot, value) in integers.iter_mut().zip(flat) {
        // Added to this constant, an integer is the low bits of the sum; a fraction would be
        // rounded away.
        let scaled = value * scale;
        let sum = scaled + INTEGER_SHIFTER;
        exact &= sum - INTEGER_SHIFTER == scaled;
        // A product that underflowed would be taken for zero.
        exact &= (scaled == 0.0) == (value == 0.0);
        *slot = (sum.to_bits().cast_signed()).wrapping_sub(INTEGER_SHIFTER.to_bits().cast_signed());
        bits |= *slot;
    }
    let mut tracks = [[[0; 2]; 3]; POINTS];
    let spare = bits.trailing_zeros().min(63);
    for (slot, value) in tracks.iter_mut().flatten().flatten().zip(integers) {
        *slot = value >> spare;
    }
    (exact && small_differences(&tracks)).then_some(tracks)
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

/// [`determinant`] in `i128`; unused coefficients are zero.
fn small_determinant(tracks: &[[Track<i64>; 3]; POINTS], indices: &[usize], axes: &[usize]) -> [i128; 4] {
    let difference = |point: usize, axis: usize| -> Track<i128> {
        let (a, b) = (tracks[point][axis], tracks[indices[0]][axis]);
        [i128::from(a[0] - b[0]), i128::from(a[1] - b[1])]
    };
    determinant(indices, axes, 0, difference)
}

/// Determinant of the differences from the first point, as a form of degree `axes.len()`.
fn determinant<R: Ring>(
    indices: &[usize],
    axes: &[usize],
    zero: R,
    difference: impl Fn(usize, usize) -> Track<R>,
) -> [R; 4] {
    match (indices, axes) {
        (&[_, p], &[x]) => {
            let [a, b] = difference(p, x);
            [a, b, zero.clone(), zero]
        }
        (&[_, p, q], &[x, y]) => {
            let [a, b, c] = cross(&difference(p, x), &difference(q, y), &difference(p, y), &difference(q, x));
            [a, b, c, zero]
        }
        (&[_, p, q, r], &[x, y, z]) => {
            let mut sum = [zero.clone(), zero.clone(), zero.clone(), zero];
            for (k, i, j) in [(x, y, z), (y, z, x), (z, x, y)] {
                let u = difference(p, k);
                let [c0, c1, c2] = cross(&difference(q, i), &difference(r, j), &difference(q, j), &difference(r, i));
                sum[0] = sum[0].plus(&u[0].times(&c0));
                sum[1] = sum[1].plus(&u[0].times(&c1)).plus(&u[1].times(&c0));
                sum[2] = sum[2].plus(&u[0].times(&c2)).plus(&u[1].times(&c1));
                sum[3] = sum[3].plus(&u[1].times(&c2));
            }
            sum
        }
        _ => [zero.clone(), zero.clone(), zero.clone(), zero],
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
        let grid = |begin: &[[f64; 3]; 6], end: &[[f64; 3]; 6]| Grid::new(&begin.each_ref(), &end.each_ref());
        let small = grid(&begin, &end);
        assert!(matches!(small, Grid::Small(_)));
        let (begin, mut end) = falling(1.0);
        end[5][0] = f64::MIN_POSITIVE / 4.0;
        end[4][1] = f64::MAX;
        let large = grid(&begin, &end);
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
