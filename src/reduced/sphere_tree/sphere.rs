//! Spheres that bound vertices.

use crate::math::vector::distance;

/// A closed ball, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// Its centre.
    pub centre: [f64; 3],
    /// Its radius, not negative; infinite for all of space.
    pub radius: f64,
}

impl Sphere {
    /// All of space.
    pub const EVERYTHING: Self = Self { centre: [0.0; 3], radius: f64::INFINITY };

    /// Whether it contains a point, up to rounding in `f64`.
    pub fn contains(&self, point: &[f64; 3]) -> bool {
        distance(&self.centre, point) <= self.radius
    }

    /// The gap between two spheres, metres; negative if they overlap.
    pub fn gap(&self, other: &Self) -> f64 {
        distance(&self.centre, &other.centre) - self.radius - other.radius
    }

    /// A sphere that contains all given ones, around the centre of their box.
    /// [`Sphere::EVERYTHING`] for none.
    pub fn around(spheres: &[Self]) -> Self {
        if let [one] = spheres {
            return *one;
        }
        let centre: [f64; 3] = std::array::from_fn(|axis| {
            let least = spheres.iter().map(|s| s.centre[axis] - s.radius).fold(f64::INFINITY, f64::min);
            let most = spheres.iter().map(|s| s.centre[axis] + s.radius).fold(f64::NEG_INFINITY, f64::max);
            0.5 * least + 0.5 * most
        });
        let radius = spheres.iter().map(|s| distance(&centre, &s.centre) + s.radius).fold(f64::NEG_INFINITY, f64::max);
        if radius.is_finite() && centre.iter().all(|x| x.is_finite()) {
            Self { centre, radius }
        } else {
            Self::EVERYTHING
        }
    }
}
