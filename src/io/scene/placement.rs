//! Where a body is put: `transform`, or `translate`, `rotate` and `scale`, as one 4 × 4 matrix.
//!
//! Scale comes first, then rotation, then translation, as in every package's object properties.
//! Sines and cosines come from `libm`, after the angle was brought into an eighth of a turn around
//! a multiple of 90°: the same on every platform, and right angles are exact.

use toml::Spanned;

use super::super::error::{ReadError, ReadErrorKind};
use super::super::matrix::{MatrixEntries, MatrixError, compose, unit};
use super::SceneError;
use super::text::{BodyText, RotateText, ScaleText, SceneFile};

/// How far a quaternion's length may be from 1, no unit. Rounded exports miss it by 1e-4; a
/// quaternion that misses it by more is more likely to be something else.
const QUATERNION_LENGTH_TOLERANCE: f64 = 1e-3;

type Rotation = [[f64; 3]; 3];

/// The matrix of a body's placement; `None` when the body states none.
pub(super) fn placement(place: SceneFile<'_>, body: &BodyText) -> Result<Option<[f64; 16]>, ReadError> {
    let parts = body.translate.is_some() || body.rotate.is_some() || body.scale.is_some();
    if let Some(transform) = &body.transform {
        if parts {
            return Err(place.at(transform, SceneError::PlacementTwice));
        }
        return from_entries(transform.get_ref()).map(Some).map_err(|error| place.at(transform, error));
    }
    if !parts {
        return Ok(None);
    }
    let shift = or_default(place, body.translate.as_ref(), [0.0; 3], |shift| numbers("translate", shift))?;
    let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let rotation = or_default(place, body.rotate.as_ref(), identity, rotation)?;
    let scale = or_default(place, body.scale.as_ref(), [1.0; 3], scale)?;
    Ok(Some(assemble(shift, rotation, scale)))
}

/// The matrix of a key of a plan.
pub(super) fn at_key(
    shift: Option<&[f64]>,
    rotate: Option<&RotateText>,
    scaled: Option<&ScaleText>,
) -> Result<[f64; 16], SceneError> {
    let shift = shift.map_or(Ok([0.0; 3]), |shift| numbers("translate", shift))?;
    let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let rotation = rotate.map_or(Ok(identity), rotation)?;
    Ok(assemble(shift, rotation, scaled.map_or(Ok([1.0; 3]), scale)?))
}

fn or_default<T, V>(
    place: SceneFile<'_>,
    value: Option<&Spanned<T>>,
    default: V,
    convert: impl Fn(&T) -> Result<V, SceneError>,
) -> Result<V, ReadError> {
    match value {
        Some(value) => convert(value.get_ref()).map_err(|error| place.at(value, error)),
        None => Ok(default),
    }
}

/// Exactly `N` finite numbers.
pub(super) fn numbers<const N: usize>(key: &'static str, found: &[f64]) -> Result<[f64; N], SceneError> {
    let array: [f64; N] =
        found.try_into().map_err(|_| SceneError::NumberCount { key, found: found.len(), expected: N })?;
    match array.iter().position(|number| !number.is_finite()) {
        Some(index) => Err(SceneError::NotFinite { key, index, value: array[index] }),
        None => Ok(array),
    }
}

fn from_entries(entries: &MatrixEntries) -> Result<[f64; 16], ReadErrorKind> {
    let frame = None;
    entries.matrix().map_err(|kind| MatrixError { frame, kind }.into())
}

fn scale(text: &ScaleText) -> Result<[f64; 3], SceneError> {
    let scale: [f64; 3] = match text {
        ScaleText::Uniform(factor) => numbers("scale", &[*factor; 3])?,
        ScaleText::Axes(factors) => numbers("scale", factors)?,
    };
    // Shorter than any normal f32, a factor flattens the body as surely as zero does.
    match scale.iter().position(|factor| factor.abs() < f64::from(f32::MIN_POSITIVE)) {
        Some(index) => Err(SceneError::ScaleZero { index, value: scale[index] }),
        None => Ok(scale),
    }
}

fn rotation(text: &RotateText) -> Result<Rotation, SceneError> {
    match text {
        RotateText { axis: Some(axis), degrees: Some(degrees), quaternion_wxyz: None, quaternion_xyzw: None } => {
            let axis: [f64; 3] = numbers("axis", axis)?;
            let [degrees] = numbers("degrees", &[*degrees])?;
            let axis = unit(axis).ok_or(SceneError::AxisZero)?;
            Ok(about_axis(axis, degrees))
        }
        RotateText { axis: None, degrees: None, quaternion_wxyz: Some(wxyz), quaternion_xyzw: None } => {
            about_quaternion(numbers("quaternion_wxyz", wxyz)?)
        }
        RotateText { axis: None, degrees: None, quaternion_wxyz: None, quaternion_xyzw: Some(xyzw) } => {
            let [x, y, z, w] = numbers("quaternion_xyzw", xyzw)?;
            about_quaternion([w, x, y, z])
        }
        _ => Err(SceneError::RotateForm),
    }
}

fn about_axis([x, y, z]: [f64; 3], degrees: f64) -> Rotation {
    let (sine, cosine) = sine_cosine(degrees);
    let rest = 1.0 - cosine;
    [
        [rest * x * x + cosine, rest * x * y - sine * z, rest * x * z + sine * y],
        [rest * x * y + sine * z, rest * y * y + cosine, rest * y * z - sine * x],
        [rest * x * z - sine * y, rest * y * z + sine * x, rest * z * z + cosine],
    ]
}

/// Exact at multiples of 90°, however large.
fn sine_cosine(degrees: f64) -> (f64, f64) {
    let turned = degrees % 360.0;
    let quarters = (turned / 90.0).round();
    let rest = turned - 90.0 * quarters;
    let (sine, cosine) = libm::sincos(rest.to_radians());
    match (quarters as i32).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

fn about_quaternion(wxyz: [f64; 4]) -> Result<Rotation, SceneError> {
    let length = wxyz.iter().map(|part| part * part).sum::<f64>().sqrt();
    let near_one = (length - 1.0).abs() <= QUATERNION_LENGTH_TOLERANCE;
    let [w, x, y, z] = match unit(wxyz) {
        Some(unit) if near_one => unit,
        _ => return Err(SceneError::QuaternionLength { length }),
    };
    Ok([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ])
}

fn assemble(shift: [f64; 3], rotation: Rotation, scale: [f64; 3]) -> [f64; 16] {
    let mut turn_and_shift = [0.0; 16];
    let mut stretch = [0.0; 16];
    for row in 0..3 {
        turn_and_shift[4 * row..4 * row + 3].copy_from_slice(&rotation[row]);
        turn_and_shift[4 * row + 3] = shift[row];
        stretch[5 * row] = scale[row];
    }
    turn_and_shift[15] = 1.0;
    stretch[15] = 1.0;
    compose(&turn_and_shift, &stretch)
}
