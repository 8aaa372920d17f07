//! Exact tests of balls that move and change their radius: against each other, triangles (segments
//! and points included) and rays.
//!
//! A ball is a closed solid: all points at most its radius from its centre. Two balls touch while
//! the distance of their centres is at most the sum of their radii. A ball and a triangle touch
//! while the distance of the centre and the triangle is at most the radius. A `distance` (a
//! thickness) adds to the radii. Touching counts. The reference is exact real interpolation of the
//! given centres, radii and corners; `f64` arithmetic only filters.
//!
//! | query | method | file |
//! |---|---|---|
//! | two balls at a time | a comparison in f64 with error bounds, else in integers | `instant` |
//! | two balls over a window | signs of a quadratic, else its roots, isolated in integers: grazing instants too | `window` |
//! | a ball and a triangle | a point and a triangle within a distance that is linear in time (`proximity`) | `triangle` |
//! | a ball and a ray | signs of a quadratic | `ray` |
//! | point and normal of a first touch | f64 | `touch` |
//!
//! Centres and radii that are not finite count as contact, marked undecided.

mod instant;
mod ray;
mod touch;
mod triangle;
mod window;

pub use crate::motion::{Sphere, SpherePiece};
pub use instant::spheres_touch_at_time;
pub use ray::ray_hits_sphere;
pub use touch::{first_touch_of_spheres, first_touch_with_triangle};
pub use triangle::{
    moving_sphere_touches_triangle_at_time, sphere_touches_triangle_at_time, sphere_triangle_intervals,
};
pub use window::sphere_intervals;

use super::exact::grid::{decompose, multiple};
use super::exact::integer::{Integer, Ring};
use super::exact::ratio::{Place, Ratio};

/// One ball over a window: at the begin and at the end, in metres; in between centre and radius are
/// linear.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct MovingSphere {
    /// The ball at `s = 0`, taken as exact.
    pub begin: Sphere,
    /// The ball at `s = 1`, taken as exact.
    pub end: Sphere,
}

impl MovingSphere {
    /// The piece over a window of time, seconds.
    pub fn over(&self, (begin, end): (f64, f64)) -> SpherePiece {
        SpherePiece { begin, end, at_begin: self.begin, at_end: self.end }
    }

    fn is_finite(&self) -> bool {
        is_finite(&self.begin) && is_finite(&self.end)
    }

    /// The ball at `s`, rounded.
    fn at(&self, s: f64) -> Sphere {
        self.over((0.0, 1.0)).at(s)
    }
}

fn is_finite(sphere: &Sphere) -> bool {
    sphere.centre.iter().all(|x| x.is_finite()) && sphere.radius.is_finite()
}

/// A thickness: numbers below 0 count as 0.
fn thickness(distance: f64) -> f64 {
    if distance > 0.0 { distance } else { 0.0 }
}

/// A power of two of which all given numbers are multiples.
struct Unit {
    lowest: i32,
}

impl Unit {
    /// The unit of finite numbers.
    fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let exponents = values.into_iter().map(decompose).filter(|part| part.0 != 0).map(|part| part.1);
        Self { lowest: exponents.min().unwrap_or(0) }
    }

    fn count(&self, value: f64) -> Integer {
        multiple(value, self.lowest)
    }
}

/// The numbers of a ball, for [`Unit::of`].
fn numbers(sphere: &Sphere) -> [f64; 4] {
    let [x, y, z] = sphere.centre;
    [x, y, z, sphere.radius]
}

/// A ball at a time, in units of one over `whole`.
struct Exactly {
    centre: [Integer; 3],
    radius: Integer,
    whole: Integer,
}

impl Exactly {
    fn at(piece: &SpherePiece, time: f64, unit: &Unit) -> Self {
        let still = |sphere: &Sphere| Self {
            centre: sphere.centre.map(|x| unit.count(x)),
            radius: unit.count(sphere.radius),
            whole: Integer::from_u64(1),
        };
        if piece.is_still() {
            return still(&piece.at_begin);
        }
        match Place::of(time, (piece.begin, piece.end)) {
            Place::Begin => still(&piece.at_begin),
            Place::End => still(&piece.at_end),
            Place::Inside { .. } => {
                let Ratio { ahead, rest } = Ratio::new(time, (piece.begin, piece.end));
                let between = |x: f64, y: f64| unit.count(x).times(&rest).plus(&unit.count(y).times(&ahead));
                let (from, to) = (&piece.at_begin, &piece.at_end);
                Self {
                    centre: std::array::from_fn(|axis| between(from.centre[axis], to.centre[axis])),
                    radius: between(from.radius, to.radius),
                    whole: ahead.plus(&rest),
                }
            }
        }
    }
}

fn dot(a: &[Integer; 3], b: &[Integer; 3]) -> Integer {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}
