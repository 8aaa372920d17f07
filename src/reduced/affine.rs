//! Affine maps of space: the action of one influence on the points of a body.

use nalgebra::{Matrix3, Vector3};

/// The map x ↦ `linear` · x + `shift`, lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "[[f64; 4]; 3]", into = "[[f64; 4]; 3]")
)]
pub struct Affine {
    /// The map of differences of points.
    pub linear: Matrix3<f64>,
    /// The image of the origin, metres.
    pub shift: Vector3<f64>,
}

#[cfg(feature = "serde")]
impl From<[[f64; 4]; 3]> for Affine {
    fn from(rows: [[f64; 4]; 3]) -> Self {
        Self::from_rows(rows)
    }
}

#[cfg(feature = "serde")]
impl From<Affine> for [[f64; 4]; 3] {
    fn from(map: Affine) -> Self {
        map.rows()
    }
}

impl Default for Affine {
    fn default() -> Self {
        Self::identity()
    }
}

impl Affine {
    /// The identity map.
    pub fn identity() -> Self {
        Self { linear: Matrix3::identity(), shift: Vector3::zeros() }
    }

    /// Creates a map from three rows of four numbers, for column vectors: the upper rows of the
    /// usual 4 × 4 matrix.
    pub fn from_rows(rows: [[f64; 4]; 3]) -> Self {
        Self {
            linear: Matrix3::from_fn(|row, column| rows[row][column]),
            shift: Vector3::from_fn(|row, _| rows[row][3]),
        }
    }

    /// Creates a map from sixteen numbers, column by column, as glTF stores matrices; the last row
    /// is assumed to be 0 0 0 1.
    pub fn from_columns(matrix: &[f64; 16]) -> Self {
        Self {
            linear: Matrix3::from_fn(|row, column| matrix[4 * column + row]),
            shift: Vector3::from_fn(|row, _| matrix[12 + row]),
        }
    }

    /// Creates a map from a translation, a unit quaternion (x, y, z, w) and scale factors along the
    /// axes: scaled first, then rotated, then translated.
    pub fn from_parts(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> Self {
        let mut linear = rotation_matrix(rotation);
        for column in 0..3 {
            linear.column_mut(column).scale_mut(scale[column]);
        }
        Self { linear, shift: translation.into() }
    }

    /// A map that takes every point to one position, as for a tetrahedral node.
    pub fn constant(place: [f64; 3]) -> Self {
        Self { linear: Matrix3::zeros(), shift: place.into() }
    }

    /// The three upper rows of the 4 × 4 matrix.
    pub fn rows(&self) -> [[f64; 4]; 3] {
        std::array::from_fn(|row| {
            [self.linear[(row, 0)], self.linear[(row, 1)], self.linear[(row, 2)], self.shift[row]]
        })
    }

    /// The image of a point, metres.
    pub fn point(&self, point: [f64; 3]) -> [f64; 3] {
        self.apply(&point.into()).into()
    }

    /// The image of a point, metres.
    #[inline]
    pub fn apply(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.linear * point + self.shift
    }

    /// The composition: `inner` first, then this map.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.linear * inner.shift + self.shift }
    }

    /// The inverse map; `None` if this map is singular, or nearly so to the precision of `f64`.
    pub fn inverse(&self) -> Option<Self> {
        if self.is_flat() {
            return None;
        }
        let linear = self.linear.try_inverse()?;
        Some(Self { linear, shift: -(linear * self.shift) })
    }

    /// Whether it is singular, or nearly so to the precision of `f64`.
    pub(super) fn is_flat(&self) -> bool {
        let size = self.linear.norm();
        !(self.linear.determinant().abs() > crate::limits::SINGULAR_DETERMINANT * size * size * size)
    }

    /// Whether all twelve numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.linear.iter().chain(self.shift.iter()).all(|x| x.is_finite())
    }

    /// Whether it is a rotation and a translation, without scaling, shear or reflection, up to
    /// [`crate::limits::RIGID_TOLERANCE`].
    pub fn is_rigid(&self) -> bool {
        let error = self.linear.transpose() * self.linear - Matrix3::identity();
        error.iter().all(|x| x.abs() <= crate::limits::RIGID_TOLERANCE) && self.linear.determinant() > 0.0
    }

    /// The positive factor by which it scales all lengths; `None` if it shears, mirrors, flattens
    /// or scales unevenly.
    ///
    /// Up to [`crate::limits::RIGID_TOLERANCE`], relative to the square of the factor.
    pub fn uniform_scale(&self) -> Option<f64> {
        let square = self.linear.transpose() * self.linear;
        let mean = square.trace() / 3.0;
        let error = square - Matrix3::identity() * mean;
        let most = crate::limits::RIGID_TOLERANCE * mean;
        let is_uniform = mean > 0.0 && error.iter().all(|x| x.abs() <= most) && self.linear.determinant() > 0.0;
        is_uniform.then(|| mean.sqrt())
    }

    /// An upper bound of the largest singular value of `linear`: no vector's length grows by a
    /// larger factor.
    ///
    /// The root of the largest absolute row sum of `linearᵀ · linear`; exact for rotations and for
    /// scalings along axes.
    pub fn stretch(&self) -> f64 {
        stretch(&self.linear)
    }

    /// Interpolates two maps entry by entry, at `s` from 0 to 1.
    #[must_use]
    pub fn between(&self, other: &Self, s: f64) -> Self {
        Self { linear: self.linear * (1.0 - s) + other.linear * s, shift: self.shift * (1.0 - s) + other.shift * s }
    }
}

/// See [`Affine::stretch`]; rounded up.
pub(crate) fn stretch(matrix: &Matrix3<f64>) -> f64 {
    let square = matrix.transpose() * matrix;
    let largest = (0..3).map(|row| square.row(row).iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    largest.sqrt() * (1.0 + crate::limits::ROUNDING)
}

/// The rotation matrix of a quaternion (x, y, z, w) of any nonzero length.
pub fn rotation_matrix([x, y, z, w]: [f64; 4]) -> Matrix3<f64> {
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    Matrix3::new(
        1.0 - s * (y * y + z * z),
        s * (x * y - z * w),
        s * (x * z + y * w),
        s * (x * y + z * w),
        1.0 - s * (x * x + z * z),
        s * (y * z - x * w),
        s * (x * z - y * w),
        s * (y * z + x * w),
        1.0 - s * (x * x + y * y),
    )
}

/// The unit quaternion (x, y, z, w) of a rotation: of the two, the one whose component of largest
/// magnitude is positive.
///
/// For a matrix that is not quite a rotation, the quaternion of a nearby rotation.
pub fn quaternion_of(matrix: &Matrix3<f64>) -> [f64; 4] {
    let m = |row: usize, column: usize| matrix[(row, column)];
    // Four times the square of each component; the largest is at least 1 and safe to divide by.
    let squares = [
        1.0 + m(0, 0) - m(1, 1) - m(2, 2),
        1.0 - m(0, 0) + m(1, 1) - m(2, 2),
        1.0 - m(0, 0) - m(1, 1) + m(2, 2),
        1.0 + m(0, 0) + m(1, 1) + m(2, 2),
    ];
    let largest = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let quaternion = match largest {
        0 => [squares[0], m(0, 1) + m(1, 0), m(0, 2) + m(2, 0), m(2, 1) - m(1, 2)],
        1 => [m(0, 1) + m(1, 0), squares[1], m(1, 2) + m(2, 1), m(0, 2) - m(2, 0)],
        2 => [m(0, 2) + m(2, 0), m(1, 2) + m(2, 1), squares[2], m(1, 0) - m(0, 1)],
        _ => [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1), squares[3]],
    };
    let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
    quaternion.map(|x| x / length)
}
