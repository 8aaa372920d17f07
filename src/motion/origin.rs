//! Flightplans around an origin in `f64`: worlds of kilometres keep millimetres.
//!
//! Stored keyframes are `f32`: at 10 km, neighbouring numbers are 1 mm apart. Around an origin,
//! keys are stored as they are given, and a position is the sum of origin and key in `f64`, made
//! when it is evaluated. docs/design/origins.md says what stays exact.

use std::sync::Arc;

use nalgebra::{Matrix4, Point3};

use super::plan_kind::Kind;
use super::{Flightplan, MotionError, Outside, Sampler, check};
use crate::limits;
use crate::time::Side;

impl Flightplan {
    /// Returns the same motion around an origin in `f64`, metres, which need not be near: a body
    /// whose vertices are stored near their own origin, in a world of kilometres.
    ///
    /// Every position is the sum of origin and key, rounded once to `f64`: by at most 2⁻⁵³ of the
    /// coordinate, 10⁻¹² m at 10 km. Equal sums stay equal and keep their order, so what lies in a
    /// common plane along the axes still does. Of rigid keyframes the transforms are applied in
    /// `f64` too, and positions are not rounded to `f32`.
    ///
    /// The plan becomes a sampled one: Engine auto refits such a body, and recordings refuse it.
    /// Boxes of refits are rounded outward by 2⁻²⁰ of the largest coordinate, 1 cm at 10 km: more
    /// candidates are tested, with the same contacts. Of a reduced body, that is its sampled plan
    /// ([`ReducedBody::flightplan`](crate::reduced::ReducedBody::flightplan)) around an origin.
    ///
    /// O(keys × vertices).
    ///
    /// # Errors
    /// What is wrong with the plan or the origin; [`MotionError::NoOrigin`] for velocities,
    /// accelerations and Hermite curves, whose positions are kept in `f32`.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// let corners = vec![[0.0, 0.0, 0.001], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let plan = Flightplan::fixed(corners).around([4_000_000.0, 0.0, 4_000_000.0])?;
    /// let mut world = World::new(WorldDef::new())?;
    /// let body = world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]])?, plan))?;
    /// assert!((world.positions(body)?[0][2] - 4_000_000.001).abs() < 1e-9); // Metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn around(&self, origin: [f64; 3]) -> Result<Self, MotionError> {
        let [x, y, z] = origin;
        let shift = [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z, 0.0, 0.0, 0.0, 1.0];
        check::transforms(&[shift])?;
        let keys = match &self.kind {
            Kind::Fixed { positions } => StoredKeys::new(vec![0.0], positions.clone(), Vec::new(), Outside::Hold)?,
            Kind::Keyframes { times, positions } => {
                StoredKeys::new(times.clone(), positions.clone(), Vec::new(), self.outside)?
            }
            Kind::Rigid { times, transforms, rest } => {
                StoredKeys::new(times.clone(), rest.clone(), transforms.clone(), self.outside)?
            }
            Kind::Polynomials { .. } | Kind::Spheres { .. } | Kind::Sampled { .. } => return self.placed(&shift),
            Kind::Velocities { .. } | Kind::Accelerated { .. } | Kind::Hermite { .. } => {
                return Err(MotionError::NoOrigin);
            }
        };
        Ok(Self::sampled(Arc::new(keys.around(origin)?)))
    }
}

/// Keys near an origin.
#[derive(Debug)]
struct StoredKeys {
    times: Vec<f64>,
    jumps: Vec<bool>,
    /// Key by key; of rigid keyframes those at rest.
    positions: Vec<[f32; 3]>,
    /// Per key, of rigid keyframes.
    transforms: Vec<[f64; 16]>,
    outside: Outside,
    vertex_count: usize,
    origin: [f64; 3],
    coordinate: f64,
    speed: f64,
}

impl StoredKeys {
    /// Checks keys.
    fn new(
        times: Vec<f64>,
        positions: Vec<[f32; 3]>,
        transforms: Vec<[f64; 16]>,
        outside: Outside,
    ) -> Result<Self, MotionError> {
        check::times(&times)?;
        check::transforms(&transforms)?;
        let vertex_count = if transforms.is_empty() {
            let count = positions.len() / times.len();
            check::count(positions.len(), count * times.len())?;
            count
        } else if transforms.len() == times.len() {
            positions.len()
        } else {
            return Err(MotionError::TransformCount { keys: times.len(), found: transforms.len() });
        };
        check::positions(&positions, vertex_count)?;
        let jumps = vec![false; times.len()];
        let (origin, coordinate, speed) = ([0.0; 3], 0.0, 0.0);
        Ok(Self { times, jumps, positions, transforms, outside, vertex_count, origin, coordinate, speed })
    }

    /// The same keys around an origin, with the bounds of their motion. O(keys × vertices).
    fn around(mut self, origin: [f64; 3]) -> Result<Self, MotionError> {
        self.origin = origin;
        let mut before: Vec<[f64; 3]> = Vec::new();
        for key in 0..self.times.len() {
            let here: Vec<[f64; 3]> = (0..self.vertex_count as u32).map(|vertex| self.place(key, vertex)).collect();
            for (vertex, point) in here.iter().enumerate() {
                check::coordinates(key, vertex as u32, *point)?;
                self.coordinate = point.iter().fold(self.coordinate, |most, x| most.max(x.abs()));
            }
            if key > 0 {
                let length = self.times[key] - self.times[key - 1];
                let steps = here.iter().zip(&before).flat_map(|(to, from)| [0, 1, 2].map(|k| (to[k] - from[k]).abs()));
                self.speed = self.speed.max(steps.fold(0.0, f64::max) / length * (1.0 + limits::ROUNDING));
            }
            before = here;
        }
        Ok(self)
    }

    fn place(&self, key: usize, vertex: u32) -> [f64; 3] {
        let local = match self.transforms.get(key) {
            None => self.positions[key * self.vertex_count + vertex as usize].map(f64::from),
            Some(rows) => {
                let rest = Point3::from(self.positions[vertex as usize].map(f64::from));
                Matrix4::from_row_slice(rows).transform_point(&rest).into()
            }
        };
        std::array::from_fn(|axis| self.origin[axis] + local[axis])
    }
}

impl Sampler for StoredKeys {
    fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.positions[..self.vertex_count]
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn jumps(&self) -> &[bool] {
        &self.jumps
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn largest_coordinate(&self) -> f64 {
        self.coordinate
    }

    fn largest_speed(&self) -> f64 {
        self.speed
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        self.place(key, vertex)
    }
}
