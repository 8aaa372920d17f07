//! Derivative bounds of rotations.

use super::DerivativeBounds;

/// Bounds on the derivatives of a rotation's unit quaternion and of its matrix.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turning {
    /// Of the quaternion, as a curve on the unit sphere of four dimensions.
    pub(super) quaternion: DerivativeBounds,
    /// Of the matrix, by operator norm.
    pub(super) matrix: DerivativeBounds,
}

impl Turning {
    /// Computes bounds from those of a quaternion's derivatives and its least length: `q = ρ u`
    /// with `u` on the unit sphere.
    ///
    /// `|u'| ≤ |q'|/ρ`. Of `q'' = ρ''u + 2ρ'u' + ρu''`, the part across `u` gives
    /// `|u''| across ≤ (|q''| + |q'|²/ρ)/ρ`, as `|ρ'| · ρ|u'| ≤ |q'|²/2`; along `u` it is `|u'|²`.
    /// The matrix turns at `ω = 2|u'|` and `|R''| ≤ ω² + |ω'|`, `|ω'|` being twice the part across.
    pub(super) fn of(least: f64, rate: f64, bend: f64) -> Self {
        if !(least > 0.0) && (rate > 0.0 || bend > 0.0) {
            let quaternion = DerivativeBounds { size: 1.0, rate: f64::INFINITY, bend: f64::INFINITY };
            return Self { quaternion, matrix: quaternion };
        }
        if rate == 0.0 && bend == 0.0 {
            return Self { quaternion: DerivativeBounds::constant(1.0), matrix: DerivativeBounds::constant(1.0) };
        }
        let unit_rate = rate / least;
        let across = bend / least + unit_rate * unit_rate;
        let omega = 2.0 * unit_rate;
        Self {
            quaternion: DerivativeBounds { size: 1.0, rate: unit_rate, bend: across + unit_rate * unit_rate },
            matrix: DerivativeBounds { size: 1.0, rate: omega, bend: omega * omega + 2.0 * across },
        }
    }

    /// Bounds of a rotation at a constant rate around one axis, radians per second.
    pub(super) fn steady(omega: f64) -> Self {
        Self {
            quaternion: DerivativeBounds { size: 1.0, rate: 0.5 * omega, bend: 0.25 * omega * omega },
            matrix: DerivativeBounds { size: 1.0, rate: omega, bend: omega * omega },
        }
    }
}
