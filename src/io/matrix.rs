//! Affine maps as 4 × 4 matrices: row-major, for column vectors, last row 0 0 0 1.
//!
//! Evaluated in f64 in one fixed order of operations, rounded to f32 once, at the point.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// How far an entry of the last row may be from 0 0 0 1, no unit. Exporters that go through f32
/// miss it by 1e-7; a translation put there by mistake is larger.
const LAST_ROW_TOLERANCE: f64 = 1e-6;

/// Smallest volume of the box spanned by the three axes, each scaled to length 1; no unit. Below
/// it, f32 positions of the mapped body lie in a plane.
const LEAST_AXES_VOLUME: f64 = 1e-7;

/// Shortest an axis may become, metres a metre. Below it, a unit length is no normal f32 any more.
const LEAST_AXIS_LENGTH: f64 = f32::MIN_POSITIVE as f64;

/// How far the axes of a map that scales spheres may differ in length, and be from right angles, no
/// unit. Exporters that go through f32 miss it by 1e-7.
const SIMILARITY_TOLERANCE: f64 = 1e-5;

/// Maps a point: f64 arithmetic, rounded to f32 once.
///
/// The matrix is row-major for column vectors; its last row is not read. The result is infinite
/// where it exceeds f32.
///
/// ```
/// let up = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 2., 0., 0., 0., 1.];
/// assert_eq!(kinetree::io::transform_point(&up, [1., 2., 3.]), [1., 2., 5.]);
/// ```
pub fn transform_point(matrix: &[f64; 16], point: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = point.map(f64::from);
    [0, 4, 8].map(|row| {
        let [a, b, c, shift] = [row, row + 1, row + 2, row + 3].map(|at| matrix[at]);
        (a * x + b * y + c * z + shift) as f32
    })
}

/// Maps a point without rounding it to f32.
pub(super) fn transform_wide(matrix: &[f64; 16], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 4, 8].map(|row| matrix[row] * x + matrix[row + 1] * y + matrix[row + 2] * z + matrix[row + 3])
}

/// Maps a direction: without the translation.
pub(super) fn transform_direction(matrix: &[f64; 16], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 4, 8].map(|row| matrix[row] * x + matrix[row + 1] * y + matrix[row + 2] * z)
}

/// The factor by which a map scales lengths, never less than that along any direction; `None` where
/// it takes spheres to something else.
pub(super) fn uniform_scale(matrix: &[f64; 16]) -> Option<f64> {
    let axes = [0, 1, 2].map(|column| [0, 4, 8].map(|row| matrix[row + column]));
    let dot = |a: usize, b: usize| (0..3).map(|k| axes[a][k] * axes[b][k]).sum::<f64>();
    let squares = [0, 1, 2].map(|axis| dot(axis, axis));
    let skews = [0, 1, 2].map(|axis| dot(axis, (axis + 1) % 3).abs());
    let (least, most) = squares.iter().fold((f64::INFINITY, 0.0), |(l, m): (f64, f64), &s| (l.min(s), m.max(s)));
    let allowed = SIMILARITY_TOLERANCE * most;
    let is_similar = most > 0.0 && most.is_finite() && most - least <= allowed && skews.iter().all(|&s| s <= allowed);
    // Gershgorin's bound of the largest eigenvalue of the product with the transpose.
    let bound = (0..3).map(|axis| squares[axis] + skews[axis] + skews[(axis + 2) % 3]).fold(0.0, f64::max);
    is_similar.then(|| bound.sqrt())
}

/// The map that does `first`, then `second`.
pub(super) fn compose(second: &[f64; 16], first: &[f64; 16]) -> [f64; 16] {
    let mut product = [0.0; 16];
    for row in 0..4 {
        for column in 0..4 {
            product[4 * row + column] = (0..4).map(|inner| second[4 * row + inner] * first[4 * inner + column]).sum();
        }
    }
    product
}

/// Checks a matrix that came out of a file, and makes its last row exact.
pub(super) fn check(matrix: [f64; 16]) -> Result<[f64; 16], MatrixErrorKind> {
    if let Some(at) = matrix.iter().position(|entry| !entry.is_finite()) {
        return Err(MatrixErrorKind::NotFinite { row: at / 4, column: at % 4, value: matrix[at] });
    }
    let last_row = [matrix[12], matrix[13], matrix[14], matrix[15]];
    let near = |(found, wanted): (&f64, f64)| (found - wanted).abs() <= LAST_ROW_TOLERANCE;
    if !last_row.iter().zip([0.0, 0.0, 0.0, 1.0]).all(near) {
        let no_last_column = [3, 7, 11].iter().all(|&at| matrix[at] == 0.0);
        return Err(MatrixErrorKind::LastRow {
            found: last_row,
            transposed: no_last_column && near((&last_row[3], 1.0)),
        });
    }
    if is_flat(&matrix) {
        return Err(MatrixErrorKind::Flat);
    }
    let mut exact = matrix;
    exact[12..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
    Ok(exact)
}

/// Whether the map flattens bodies into a plane, a line or a point.
fn is_flat(matrix: &[f64; 16]) -> bool {
    let mut axes = [0, 1, 2].map(|column| [0, 4, 8].map(|row| matrix[row + column]));
    for axis in &mut axes {
        let Some(unit) = unit(*axis) else { return true };
        *axis = unit;
    }
    let [[a, b, c], [d, e, f], [g, h, i]] = axes;
    let volume = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    volume.abs() < LEAST_AXES_VOLUME
}

/// The direction of a vector; `None` when it is too short to have one.
pub(super) fn unit<const N: usize>(vector: [f64; N]) -> Option<[f64; N]> {
    // Divided by its largest entry first: squares of 1e200 would overflow.
    let largest = vector.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    if largest < LEAST_AXIS_LENGTH {
        return None;
    }
    let scaled = vector.map(|entry| entry / largest);
    let length = scaled.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    Some(scaled.map(|entry| entry / length))
}

/// A matrix as files write it: sixteen numbers, or four rows of four.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MatrixEntries {
    Flat(Vec<f64>),
    Rows(Vec<Vec<f64>>),
}

impl MatrixEntries {
    pub(super) fn matrix(&self) -> Result<[f64; 16], MatrixErrorKind> {
        let entries = match self {
            Self::Flat(entries) => entries.clone(),
            Self::Rows(rows) => {
                if let Some(row) = rows.iter().position(|row| row.len() != 4) {
                    let found = rows[row].len();
                    return Err(MatrixErrorKind::RowLength { row, found });
                }
                rows.concat()
            }
        };
        let found = entries.len();
        let matrix = entries.try_into().map_err(|_| MatrixErrorKind::Count { found })?;
        check(matrix)
    }
}

impl<'de> Deserialize<'de> for MatrixEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = MatrixEntries;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("sixteen numbers or four rows of four numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<MatrixEntries, A::Error> {
        let (mut flat, mut rows) = (Vec::new(), Vec::new());
        while let Some(item) = sequence.next_element()? {
            match item {
                NumberOrRow::Number(number) => flat.push(number),
                NumberOrRow::Row(row) => rows.push(row),
            }
        }
        if rows.is_empty() {
            Ok(MatrixEntries::Flat(flat))
        } else if flat.is_empty() {
            Ok(MatrixEntries::Rows(rows))
        } else {
            Err(A::Error::custom("a matrix mixes numbers and rows of numbers"))
        }
    }
}

enum NumberOrRow {
    Number(f64),
    Row(Vec<f64>),
}

impl<'de> Deserialize<'de> for NumberOrRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrRowVisitor)
    }
}

struct NumberOrRowVisitor;

impl<'de> Visitor<'de> for NumberOrRowVisitor {
    type Value = NumberOrRow;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number or a row of four numbers")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<NumberOrRow, E> {
        Ok(NumberOrRow::Number(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<NumberOrRow, E> {
        Ok(NumberOrRow::Number(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<NumberOrRow, E> {
        Ok(NumberOrRow::Number(value as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<NumberOrRow, A::Error> {
        let mut row = Vec::new();
        while let Some(number) = sequence.next_element()? {
            row.push(number);
        }
        Ok(NumberOrRow::Row(row))
    }
}

/// A matrix that cannot be used, and which one it is.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{} {kind}", which(*.frame))]
#[non_exhaustive]
pub struct MatrixError {
    /// The frame of a transform file, counted from 0; `None` for the `transform` of a scene file.
    pub frame: Option<usize>,
    /// The fault of the matrix.
    #[source]
    pub kind: MatrixErrorKind,
}

fn which(frame: Option<usize>) -> String {
    frame.map_or_else(
        || "the `transform` matrix".to_owned(),
        |frame| format!("the matrix of frame {frame} (counted from 0)"),
    )
}

/// Why a matrix cannot be used. Rows and columns are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixErrorKind {
    /// The number of entries is not sixteen.
    #[error("has {found} numbers; 16 are needed, row by row")]
    Count {
        /// How many there are.
        found: usize,
    },
    /// A row that has not four numbers.
    #[error("has {found} numbers in row {row} (counted from 0); 4 are needed")]
    RowLength {
        /// The row, from 0.
        row: usize,
        /// How many numbers it has.
        found: usize,
    },
    /// An entry that is NaN or infinite.
    #[error("has {value} in row {row}, column {column} (counted from 0); only finite numbers can be used")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// What the file says.
        value: f64,
    },
    /// A last row other than 0 0 0 1.
    #[error(
        "has the last row {} {} {} {} where 0 0 0 1 is needed{}",
        .found[0], .found[1], .found[2], .found[3],
        if *.transposed { "; the translation seems to be in the last row: write the matrix transposed" } else { "" }
    )]
    LastRow {
        /// That row.
        found: [f64; 4],
        /// Whether the matrix looks as if rows and columns were exchanged.
        transposed: bool,
    },
    /// A scale of zero, or axes that lie in one plane.
    #[error("flattens the body: a scale is zero, or two axes point the same way; correct the matrix")]
    Flat,
}
