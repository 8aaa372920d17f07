//! Flightplans that are moved, turned or scaled as a whole.

use std::sync::Arc;

use nalgebra::{Matrix3, Matrix4, Vector3};

use super::plan_kind::{Accelerations, Kind, place};
use super::spheres::Sphere;
use super::{Flightplan, MotionError, Outside, Sampler, check};
use crate::limits;
use crate::time::Side;

/// Share by which the columns of a similarity may differ from a multiple of a rotation (unitless).
const SIMILAR: f64 = 1e-9;

impl Flightplan {
    /// Returns the same motion, followed by an affine map: a model that is placed, turned or
    /// scaled. The map is given row by row, as in [`Flightplan::rigid`]; metres.
    ///
    /// Stored numbers are mapped in `f64` and rounded once, to the type they are stored in. So
    /// place the plan as it was given, not one that was placed before. Of rigid keyframes the
    /// transforms are mapped, and no precision is lost. A sampled plan is mapped when it is
    /// evaluated; bounds of a [`BoundedSampler`](crate::BoundedSampler) are not, see
    /// [`ReducedBody::placed`](crate::reduced::ReducedBody::placed). A map that mirrors turns
    /// triangles inside out.
    ///
    /// With [`World::set_flightplan`](crate::World::set_flightplan) a body is placed while the
    /// world runs. O(keys × vertices); the body's tree keeps its shape.
    ///
    /// # Errors
    /// [`MotionError::BadTransform`]; [`MotionError::NotSimilar`] for spheres that the map would
    /// not leave spheres.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Flightplan;
    ///
    /// let plan = Flightplan::fixed(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    /// // Twice as large, and 3 m up.
    /// let up = [2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0];
    /// world.set_flightplan(floor, plan.placed(&up)?)?;
    /// assert_eq!(world.positions(floor)?[1], [2.0, 0.0, 3.0]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn placed(&self, placement: &[f64; 16]) -> Result<Self, MotionError> {
        check::transforms(std::slice::from_ref(placement))?;
        let map = Map::new(placement);
        let kind = match &self.kind {
            Kind::Fixed { positions } => Kind::Fixed { positions: map.points(positions) },
            Kind::Keyframes { times, positions } => {
                Kind::Keyframes { times: times.clone(), positions: map.points(positions) }
            }
            Kind::Velocities { span, positions, velocities } => {
                let (positions, velocities) = (map.points(positions), map.directions(velocities));
                Kind::Velocities { span: *span, positions, velocities }
            }
            Kind::Rigid { times, transforms, rest } => {
                let transforms = transforms.iter().map(|inner| map.after(inner)).collect();
                Kind::Rigid { times: times.clone(), transforms, rest: rest.clone() }
            }
            Kind::Accelerated { span, positions, velocities, accelerations } => Kind::Accelerated {
                span: *span,
                positions: map.points(positions),
                velocities: map.directions(velocities),
                accelerations: match accelerations {
                    Accelerations::Common(one) => Accelerations::Common(map.direction(*one)),
                    Accelerations::Each(all) => Accelerations::Each(map.directions(all)),
                },
            },
            Kind::Hermite { times, positions, in_tangents, out_tangents } => Kind::Hermite {
                times: times.clone(),
                positions: map.points(positions),
                in_tangents: map.directions(in_tangents),
                out_tangents: map.directions(out_tangents),
            },
            Kind::Polynomials { times, degree, coefficients, .. } => {
                let terms = degree + 1;
                let mapped = coefficients
                    .iter()
                    .enumerate()
                    .map(|(at, &term)| if at % terms == 0 { map.point(term) } else { map.linear(term) });
                return Ok(Self::polynomials(times.clone(), *degree, mapped.collect()).outside(self.outside));
            }
            Kind::Spheres { times, spheres, .. } => {
                let scale = map.scale().ok_or(MotionError::NotSimilar)?;
                let mapped = spheres
                    .iter()
                    .map(|sphere| Sphere { centre: map.point(sphere.centre), radius: sphere.radius * scale });
                return Ok(Self::spheres(times.clone(), mapped.collect()).outside(self.outside));
            }
            Kind::Sampled { sampler } => {
                return Ok(Self::sampled(Arc::new(PlacedSampler::new(Arc::clone(sampler), map))));
            }
        };
        Ok(Self { kind, outside: self.outside })
    }
}

/// An affine map.
#[derive(Clone, Debug)]
struct Map {
    rows: [f64; 16],
    linear: Matrix3<f64>,
    shift: Vector3<f64>,
}

impl Map {
    fn new(rows: &[f64; 16]) -> Self {
        let matrix = Matrix4::from_row_slice(rows);
        let linear = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        Self { rows: *rows, linear, shift: matrix.fixed_view::<3, 1>(0, 3).into_owned() }
    }

    fn points(&self, points: &[[f32; 3]]) -> Vec<[f32; 3]> {
        points.iter().map(|&point| place(&self.rows, point)).collect()
    }

    fn direction(&self, direction: [f32; 3]) -> [f32; 3] {
        self.linear(direction.map(f64::from)).map(|x| x as f32)
    }

    fn directions(&self, directions: &[[f32; 3]]) -> Vec<[f32; 3]> {
        directions.iter().map(|&direction| self.direction(direction)).collect()
    }

    fn point(&self, point: [f64; 3]) -> [f64; 3] {
        (self.linear * Vector3::from(point) + self.shift).into()
    }

    fn linear(&self, direction: [f64; 3]) -> [f64; 3] {
        (self.linear * Vector3::from(direction)).into()
    }

    /// The map that follows another one.
    fn after(&self, inner: &[f64; 16]) -> [f64; 16] {
        let product = Matrix4::from_row_slice(&self.rows) * Matrix4::from_row_slice(inner);
        std::array::from_fn(|at| if at < 12 { product[(at / 4, at % 4)] } else { inner[at] })
    }

    /// A bound on how much longer a vector gets along an axis, times its length along the axes.
    fn stretch(&self) -> f64 {
        let row = |axis: usize| self.linear.row(axis).iter().map(|x| x.abs()).sum::<f64>();
        (0..3).map(row).fold(0.0, f64::max)
    }

    /// The scale of a similarity; `None` if the map is none.
    fn scale(&self) -> Option<f64> {
        let gram = self.linear.transpose() * self.linear;
        let square = gram.trace() / 3.0;
        let off = (gram - Matrix3::identity() * square).amax();
        (off <= SIMILAR * square).then(|| square.sqrt())
    }
}

/// A sampler followed by a map.
#[derive(Debug)]
struct PlacedSampler {
    inner: Arc<dyn Sampler>,
    map: Map,
    rest: Vec<[f32; 3]>,
    coordinate: f64,
    speed: f64,
}

impl PlacedSampler {
    fn new(inner: Arc<dyn Sampler>, map: Map) -> Self {
        // Pays for the roundings of a sum of four terms.
        let stretch = map.stretch() * (1.0 + limits::ROUNDING);
        let shift = map.shift.amax();
        let coordinate = (stretch * inner.largest_coordinate() + shift) * (1.0 + limits::ROUNDING);
        let speed = stretch * inner.largest_speed();
        let rest = map.points(inner.rest_positions());
        Self { inner, map, rest, coordinate, speed }
    }
}

impl Sampler for PlacedSampler {
    fn vertex_count(&self) -> usize {
        self.inner.vertex_count()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    fn times(&self) -> &[f64] {
        self.inner.times()
    }

    fn jumps(&self) -> &[bool] {
        self.inner.jumps()
    }

    fn outside(&self) -> Outside {
        self.inner.outside()
    }

    fn largest_coordinate(&self) -> f64 {
        self.coordinate
    }

    fn largest_speed(&self) -> f64 {
        self.speed
    }

    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        self.map.point(self.inner.position(key, side, vertex))
    }

    fn positions(&self, key: usize, side: Side, vertices: &mut dyn Iterator<Item = u32>, out: &mut Vec<[f64; 3]>) {
        let first = out.len();
        self.inner.positions(key, side, vertices, out);
        out[first..].iter_mut().for_each(|point| *point = self.map.point(*point));
    }
}
