//! Motions of scene bodies that are neither caches nor transforms: velocities, ballistic paths,
//! cubics, polynomials, keys of spheres.

use super::matrix::{transform_direction, transform_point, transform_wide, uniform_scale};
use crate::motion::{Flightplan, Sphere};
use crate::time::{NEVER, Span};

/// A motion that a scene file states as numbers, as plain arrays.
///
/// Times are seconds, positions metres, velocities and tangents metres a second, accelerations
/// metres a second squared. Arrays are key-major: all vertices at the first key, then all at the
/// second.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlannedMotion {
    /// Every vertex leaves its mesh position at the begin with a constant velocity.
    Velocities {
        /// The begin, and the end if there is one.
        span: Vec<f64>,
        /// One a vertex.
        velocities: Vec<[f32; 3]>,
    },
    /// As `Velocities`, with a constant acceleration.
    Ballistic {
        /// The begin, and the end if there is one.
        span: Vec<f64>,
        /// One a vertex.
        velocities: Vec<[f32; 3]>,
        /// One a vertex.
        accelerations: Vec<[f32; 3]>,
    },
    /// Cubics from key to key, by positions and tangents.
    Cubic {
        /// One a key.
        times: Vec<f64>,
        /// Keys × vertices.
        positions: Vec<[f32; 3]>,
        /// Keys × vertices: with which a vertex arrives at a key.
        in_tangents: Vec<[f32; 3]>,
        /// Keys × vertices: with which it leaves the key.
        out_tangents: Vec<[f32; 3]>,
    },
    /// Polynomials from time to time, see [`Flightplan::polynomials`].
    Polynomials {
        /// One more than segments.
        times: Vec<f64>,
        /// At most 3.
        degree: usize,
        /// Segments × vertices × (degree + 1), in powers of the seconds since the segment's begin.
        coefficients: Vec<[f64; 3]>,
    },
    /// Spheres whose centres and radii are linear from key to key.
    Spheres {
        /// One a key; none for spheres that never move.
        times: Vec<f64>,
        /// Keys × spheres; one set for spheres that never move.
        spheres: Vec<Sphere>,
    },
}

impl PlannedMotion {
    /// Its name in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Velocities { .. } => "velocity",
            Self::Ballistic { .. } => "ballistic",
            Self::Cubic { .. } => "cubic",
            Self::Polynomials { .. } => "polynomials",
            Self::Spheres { .. } => "spheres",
        }
    }

    /// Key times, seconds: begin and end of a motion without keys; none without an end.
    pub fn times(&self) -> &[f64] {
        match self {
            Self::Velocities { span, .. } | Self::Ballistic { span, .. } if span.len() < 2 => &[],
            Self::Velocities { span: times, .. }
            | Self::Ballistic { span: times, .. }
            | Self::Cubic { times, .. }
            | Self::Polynomials { times, .. }
            | Self::Spheres { times, .. } => times,
        }
    }

    /// Whether nothing ever moves.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Spheres { times, .. } if times.is_empty())
    }

    /// Whether it goes on without end.
    pub(crate) fn is_endless(&self) -> bool {
        matches!(self, Self::Velocities { span, .. } | Self::Ballistic { span, .. } if span.len() < 2)
    }

    /// The motion as a world takes it; `rest` are the positions of the mesh. O(numbers).
    pub(crate) fn flightplan(&self, rest: &[[f32; 3]]) -> Flightplan {
        match self.clone() {
            Self::Velocities { span, velocities } => {
                Flightplan::velocities_until(span_of(&span), rest.to_vec(), velocities)
            }
            Self::Ballistic { span, velocities, accelerations } => {
                Flightplan::accelerated(span_of(&span), rest.to_vec(), velocities, accelerations)
            }
            Self::Cubic { times, positions, in_tangents, out_tangents } => {
                Flightplan::hermite(times, positions, in_tangents, out_tangents)
            }
            Self::Polynomials { times, degree, coefficients } => Flightplan::polynomials(times, degree, coefficients),
            Self::Spheres { times, spheres } => {
                Flightplan::spheres(if times.is_empty() { vec![0.0] } else { times }, spheres)
            }
        }
    }

    /// The spheres at a key; `None` for other motions and where there is no such key.
    pub(crate) fn spheres_at_key(&self, key: usize) -> Option<&[Sphere]> {
        let Self::Spheres { times, spheres } = self else { return None };
        spheres.chunks(spheres.len() / times.len().max(1)).nth(key)
    }

    /// The motion of a body placed by a matrix. Velocities and accelerations stay along the scene's
    /// axes.
    ///
    /// Returns `None` for spheres that would be no spheres: scales differ along the axes.
    pub(super) fn placed(mut self, matrix: &[f64; 16]) -> Option<Self> {
        match &mut self {
            Self::Velocities { .. } | Self::Ballistic { .. } => {}
            Self::Cubic { positions, in_tangents, out_tangents, .. } => {
                positions.iter_mut().for_each(|point| *point = transform_point(matrix, *point));
                for tangent in in_tangents.iter_mut().chain(out_tangents) {
                    *tangent = transform_direction(matrix, tangent.map(f64::from)).map(|x| x as f32);
                }
            }
            Self::Polynomials { degree, coefficients, .. } => {
                for (place, term) in coefficients.iter_mut().enumerate() {
                    let is_constant = place % (*degree + 1) == 0;
                    *term =
                        if is_constant { transform_wide(matrix, *term) } else { transform_direction(matrix, *term) };
                }
            }
            Self::Spheres { spheres, .. } => {
                let scale = uniform_scale(matrix)?;
                for sphere in spheres {
                    *sphere = Sphere { centre: transform_wide(matrix, sphere.centre), radius: scale * sphere.radius };
                }
            }
        }
        Some(self)
    }

    /// The times, to be moved.
    pub(super) fn times_mut(&mut self) -> &mut [f64] {
        match self {
            Self::Velocities { span: times, .. }
            | Self::Ballistic { span: times, .. }
            | Self::Cubic { times, .. }
            | Self::Polynomials { times, .. }
            | Self::Spheres { times, .. } => times,
        }
    }

    /// Positions of the vertices at a key, metres; `rest` are the positions of the mesh. `None`
    /// where there is no such key, and for spheres.
    pub(super) fn positions_at_key(&self, rest: &[[f32; 3]], key: usize) -> Option<Vec<[f32; 3]>> {
        let time = *self.times().get(key)?;
        let narrow = |point: [f64; 3]| point.map(|x| x as f32);
        let after = |start: &[f32; 3], velocity: &[f32; 3], pull: [f32; 3], seconds: f64| {
            let along = |axis: usize| {
                let [x, v, a] = [start[axis], velocity[axis], pull[axis]].map(f64::from);
                x + (v + 0.5 * a * seconds) * seconds
            };
            narrow([0, 1, 2].map(along))
        };
        match self {
            Self::Velocities { span, velocities } => {
                let each = rest.iter().zip(velocities);
                Some(each.map(|(start, velocity)| after(start, velocity, [0.0; 3], time - span[0])).collect())
            }
            Self::Ballistic { span, velocities, accelerations } => {
                let each = rest.iter().zip(velocities).zip(accelerations);
                Some(each.map(|((start, speed), &pull)| after(start, speed, pull, time - span[0])).collect())
            }
            Self::Cubic { positions, .. } => positions.chunks(rest.len().max(1)).nth(key).map(<[_]>::to_vec),
            Self::Polynomials { times, degree, coefficients } => {
                let segment = key.min(times.len().saturating_sub(2));
                let (terms, seconds) = (degree + 1, time - times[segment]);
                let (first, count) = (segment * rest.len() * terms, rest.len() * terms);
                let value = |terms: &[[f64; 3]]| {
                    narrow(terms.iter().rev().fold([0.0; 3], |sum, term| [0, 1, 2].map(|k| sum[k] * seconds + term[k])))
                };
                Some(coefficients.get(first..first + count)?.chunks(terms).map(value).collect())
            }
            Self::Spheres { .. } => None,
        }
    }
}

fn span_of(span: &[f64]) -> Span {
    Span { begin: span[0], end: span.get(1).copied().unwrap_or(NEVER) }
}
