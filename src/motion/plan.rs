//! Flightplans as the host gives them, and their checks.

use std::sync::Arc;

use super::check;
use super::curves::{Curves, Data};
use super::keys::KeyTable;
use super::linear::LinearMotion;
use super::plan_kind::{Accelerations, Kind, place};
use super::sampled::{Sampled, Sampler};
use super::spheres::{self, Sphere, SphereKeys};
use super::trajectories::Trajectories;
use super::{KeyLayout, MotionError};
use crate::time::{NEVER, Span};

/// The motion outside a plan's span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Outside {
    /// Stay at the nearest end of the span.
    #[default]
    Hold,
    /// Begin again. At the wrap the vertices jump from their last position to their first, see
    /// [`crate::time::Side`].
    Loop,
    /// Advancing outside the span is an error.
    Error,
}

/// The positions of all vertices of a body over time. Checked when it is given to a world.
///
/// Times are seconds, positions metres, velocities and tangents metres per second, accelerations
/// metres per second squared.
///
/// Serialised as given, without what follows from it. A plan by a sampler is not serialisable.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "super::plan_kind::StoredPlan")
)]
pub struct Flightplan {
    pub(super) kind: Kind,
    pub(super) outside: Outside,
}

impl Flightplan {
    /// Creates a plan without motion; one position per vertex.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// let plan = Flightplan::fixed(vec![[1.0, 2.0, 3.0]]); // Metres.
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// assert_eq!(world.positions(body)?, [[1.0, 2.0, 3.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn fixed(positions: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Fixed { positions }, outside: Outside::Hold }
    }

    /// Creates a plan that is linear from key to key: all positions at `times[0]`, then all at
    /// `times[1]`, and so on.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// // One vertex: from 0 m at 0 s to 1 m at 2 s along x.
    /// let plan = Flightplan::keyframes(vec![0.0, 2.0], vec![[0.0; 3], [1.0, 0.0, 0.0]]);
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.positions(body)?, [[0.5, 0.0, 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn keyframes(times: Vec<f64>, positions: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Keyframes { times, positions }, outside: Outside::Hold }
    }

    /// Creates a plan in which every vertex leaves its position at `begin` with a constant
    /// velocity, without end.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// let plan = Flightplan::velocities(0.0, vec![[0.0; 3]], vec![[3.0, 0.0, 0.0]]); // 3 m/s along x.
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(2.0)?;
    /// assert_eq!(world.positions(body)?, [[6.0, 0.0, 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn velocities(begin: f64, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]>) -> Self {
        let span = Span { begin, end: NEVER };
        Self { kind: Kind::Velocities { span, positions, velocities }, outside: Outside::Hold }
    }

    /// Whether vertices move with constant velocities.
    pub fn is_velocity_field(&self) -> bool {
        matches!(self.kind, Kind::Velocities { .. })
    }

    /// Like [`Flightplan::velocities`], until `end`.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// use kinetree::Span;
    ///
    /// let span = Span { begin: 0.0, end: 1.0 }; // Seconds.
    /// let plan = Flightplan::velocities_until(span, vec![[0.0; 3]], vec![[3.0, 0.0, 0.0]]);
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(2.0)?;
    /// assert_eq!(world.positions(body)?, [[3.0, 0.0, 0.0]]); // At rest since 1 s.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn velocities_until(span: Span, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Velocities { span, positions, velocities }, outside: Outside::Hold }
    }

    /// Creates a plan from one transform per key time, applied to the rest positions; vertices move
    /// linearly between keys.
    ///
    /// Transforms are 4 × 4, row by row, for column vectors, with last row 0 0 0 1. The positions
    /// at each key are computed in `f64` and rounded once to `f32`. They are the body's keyframes:
    /// a body that turns by θ from key to key is narrower in between, by 1 − cos(θ/2) of its size
    /// (0.2 % for 7°). For rotations that are followed, see [`crate::reduced`].
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// let at = |x| [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    /// let plan = Flightplan::rigid(vec![0.0, 1.0], vec![at(0.0), at(4.0)], vec![[0.0; 3]]); // 4 m along x in 1 s.
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(0.5)?;
    /// assert_eq!(world.positions(body)?, [[2.0, 0.0, 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn rigid(times: Vec<f64>, transforms: Vec<[f64; 16]>, rest: Vec<[f32; 3]>) -> Self {
        Self { kind: Kind::Rigid { times, transforms, rest }, outside: Outside::Hold }
    }

    /// Creates a plan in which every vertex leaves its position at `begin` with its velocity and
    /// falls with a common acceleration, without end.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// let up = vec![[0.0, 0.0, 4.0]]; // Metres per second.
    /// let plan = Flightplan::ballistic(0.0, vec![[0.0; 3]], up, [0.0, 0.0, -8.0]); // Metres per second squared.
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(0.5)?;
    /// assert_eq!(world.positions(body)?, [[0.0, 0.0, 1.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn ballistic(begin: f64, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]>, acceleration: [f32; 3]) -> Self {
        Self::ballistic_until(Span { begin, end: NEVER }, positions, velocities, acceleration)
    }

    /// Like [`Flightplan::ballistic`], until `span.end`. Shorter spans give tighter bounds.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// use kinetree::Span;
    ///
    /// let span = Span { begin: 0.0, end: 0.5 }; // Seconds.
    /// let plan = Flightplan::ballistic_until(span, vec![[0.0; 3]], vec![[0.0, 0.0, 4.0]], [0.0, 0.0, -8.0]);
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.positions(body)?, [[0.0, 0.0, 1.0]]); // At rest since 0.5 s.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn ballistic_until(
        span: Span,
        positions: Vec<[f32; 3]>,
        velocities: Vec<[f32; 3]>,
        acceleration: [f32; 3],
    ) -> Self {
        let accelerations = Accelerations::Common(acceleration);
        Self { kind: Kind::Accelerated { span, positions, velocities, accelerations }, outside: Outside::Hold }
    }

    /// As [`Flightplan::ballistic_until`], with an acceleration per vertex; `span.end` may be
    /// `f64::INFINITY`.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// use kinetree::Span;
    ///
    /// let span = Span { begin: 0.0, end: 2.0 }; // Seconds.
    /// let (at_rest, pull) = (vec![[0.0; 3]; 2], vec![[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let plan = Flightplan::accelerated(span, at_rest.clone(), at_rest, pull);
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(2)?, plan))?;
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.positions(body)?, [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn accelerated(
        span: Span,
        positions: Vec<[f32; 3]>,
        velocities: Vec<[f32; 3]>,
        accelerations: Vec<[f32; 3]>,
    ) -> Self {
        let accelerations = Accelerations::Each(accelerations);
        Self { kind: Kind::Accelerated { span, positions, velocities, accelerations }, outside: Outside::Hold }
    }

    /// Creates a plan of cubics from key to key, given by positions and tangents: the cubic spline
    /// of glTF (`CUBICSPLINE`).
    ///
    /// All positions at `times[0]`, then all at `times[1]`, and so on; tangents alike. A vertex
    /// arrives at a key with its `in_tangents` there and leaves it with its `out_tangents`, metres
    /// per second. The first key's in-tangents and the last key's out-tangents are not used.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// // One vertex from 0 m to 1 m along x in 1 s, at rest at both ends.
    /// let (keys, still) = (vec![[0.0; 3], [1.0, 0.0, 0.0]], vec![[0.0; 3]; 2]);
    /// let plan = Flightplan::hermite(vec![0.0, 1.0], keys, still.clone(), still);
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(0.5)?;
    /// assert_eq!(world.positions(body)?, [[0.5, 0.0, 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn hermite(
        times: Vec<f64>,
        positions: Vec<[f32; 3]>,
        in_tangents: Vec<[f32; 3]>,
        out_tangents: Vec<[f32; 3]>,
    ) -> Self {
        Self { kind: Kind::Hermite { times, positions, in_tangents, out_tangents }, outside: Outside::Hold }
    }

    /// Creates a plan of polynomials of degree at most 3 from time to time.
    ///
    /// Segment `k` goes from `times[k]` to `times[k + 1]`. Its coefficients are in powers of the
    /// seconds since `times[k]`, vertex by vertex: `degree + 1` of the first vertex, constant term
    /// first, then those of the second, and so on. The segments follow each other.
    ///
    /// Polynomials that differ at their common time by more than
    /// [`crate::limits::SEGMENT_JOIN_TOLERANCE`] are refused. A plan with a jump is two plans: give
    /// the second when the first ends.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// // x = 1 + 2 t + 3 t², metres and seconds.
    /// let plan = Flightplan::polynomials(vec![0.0, 1.0], 2, vec![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.positions(body)?, [[6.0, 0.0, 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn polynomials(times: Vec<f64>, degree: usize, coefficients: Vec<[f64; 3]>) -> Self {
        let terms = degree.saturating_add(1);
        let segments = times.len().saturating_sub(1).max(1);
        let first = coefficients.iter().step_by(terms).take((coefficients.len() / terms).div_ceil(segments));
        let rest = first.map(|c| c.map(|x| x as f32)).collect();
        Self { kind: Kind::Polynomials { times, degree, coefficients, rest }, outside: Outside::Hold }
    }

    /// Creates a plan of spheres whose centres and radii are linear from key to key: all spheres at
    /// `times[0]`, then all at `times[1]`, and so on. For bodies made of [`crate::mesh::Spheres`].
    ///
    /// The numbers are stored exactly: contacts are decided on the real interpolation between them.
    /// Centre along each axis plus radius may not exceed [`crate::limits::MAX_COORDINATE`]; radii
    /// may not be negative.
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Sphere, Spheres, World, WorldDef};
    ///
    /// // One sphere at rest that grows from 1 m to 2 m in 1 s, and one of 1 m at a distance of 3 m.
    /// let at = |x, radius| Sphere { centre: [x, 0.0, 0.0], radius };
    /// let plan = Flightplan::spheres(vec![0.0, 1.0], vec![at(0.0, 1.0), at(3.0, 1.0), at(0.0, 2.0), at(3.0, 1.0)]);
    /// let mut world = World::new(WorldDef::new())?;
    /// world.add_body(BodyDef::new(Spheres::new(2)?, plan).self_contact(true))?;
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.contacts().len(), 1);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn spheres(times: Vec<f64>, spheres: Vec<Sphere>) -> Self {
        let corners = spheres::corners(times.len(), &spheres);
        Self { kind: Kind::Spheres { times, spheres, corners }, outside: Outside::Hold }
    }

    /// Whether it moves spheres.
    pub(crate) fn is_of_spheres(&self) -> bool {
        matches!(self.kind, Kind::Spheres { .. })
    }

    /// Creates a plan that is linear between the key times of a sampler, which computes positions
    /// at keys on demand.
    ///
    /// The sampler determines the motion outside its span. For reduced bodies see
    /// [`crate::reduced::ReducedBody::flightplan`].
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetree::{BodyDef, Flightplan, Mesh, Outside, Sampler, Side, World, WorldDef};
    ///
    /// /// One vertex on a circle of 1 m, evaluated at its keys only.
    /// #[derive(Debug)]
    /// struct Circle([f64; 4]);
    ///
    /// impl Sampler for Circle {
    ///     fn vertex_count(&self) -> usize { 1 }
    ///     fn rest_positions(&self) -> &[[f32; 3]] { &[[1.0, 0.0, 0.0]] }
    ///     fn times(&self) -> &[f64] { &self.0 }
    ///     fn jumps(&self) -> &[bool] { &[false; 4] }
    ///     fn outside(&self) -> Outside { Outside::Hold }
    ///     fn largest_coordinate(&self) -> f64 { 1.0 }
    ///     fn largest_speed(&self) -> f64 { 1.0 }
    ///     fn position(&self, key: usize, _: Side, _: u32) -> [f64; 3] {
    ///         let (sine, cosine) = self.0[key].sin_cos();
    ///         [cosine, sine, 0.0]
    ///     }
    /// }
    ///
    /// let plan = Flightplan::sampled(Arc::new(Circle([0.0, 0.1, 0.2, 0.3]))); // Seconds.
    /// let mut world = World::new(WorldDef::new())?;
    /// let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(0.1)?;
    /// assert_eq!(world.positions(body)?, [[0.1_f64.cos(), 0.1_f64.sin(), 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn sampled(sampler: Arc<dyn Sampler>) -> Self {
        let outside = sampler.outside();
        Self { kind: Kind::Sampled { sampler }, outside }
    }

    /// A plan of a kind, at rest outside its span.
    #[cfg(feature = "serde")]
    pub(super) fn of_kind(kind: Kind) -> Self {
        Self { kind, outside: Outside::Hold }
    }

    /// Whether positions come from a sampler.
    #[cfg(feature = "record")]
    pub(crate) fn is_sampled(&self) -> bool {
        matches!(self.kind, Kind::Sampled { .. })
    }

    /// Sets the motion outside the plan's span (default: [`Outside::Hold`]).
    ///
    /// ```
    /// use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
    ///
    /// use kinetree::Outside;
    ///
    /// let keys = vec![[0.0; 3], [1.0, 0.0, 0.0]];
    /// let plan = Flightplan::keyframes(vec![0.0, 2.0], keys).outside(Outside::Loop); // Again every 2 s.
    /// # let mut world = World::new(WorldDef::new())?;
    /// # let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// world.advance_to(5.0)?;
    /// assert_eq!(world.positions(body)?, [[0.5, 0.0, 0.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    #[must_use]
    pub fn outside(mut self, outside: Outside) -> Self {
        // A sampler determines it itself.
        if !matches!(self.kind, Kind::Sampled { .. }) {
            self.outside = outside;
        }
        self
    }

    /// Positions at the first key, or at the begin of the motion: the default rest shape. Rigid
    /// plans return their rest positions.
    pub fn rest_positions(&self, vertex_count: usize) -> &[[f32; 3]] {
        match &self.kind {
            Kind::Keyframes { positions, .. } | Kind::Hermite { positions, .. } => {
                positions.get(..vertex_count).unwrap_or(positions)
            }
            Kind::Fixed { positions } | Kind::Velocities { positions, .. } | Kind::Accelerated { positions, .. } => {
                positions
            }
            Kind::Sampled { sampler } => sampler.rest_positions(),
            Kind::Rigid { rest, .. } | Kind::Polynomials { rest, .. } => rest,
            Kind::Spheres { corners, .. } => corners.get(..vertex_count).unwrap_or(corners),
        }
    }

    /// The checked keys of a plan of spheres; `None` for all others.
    pub(super) fn check_spheres(&self, vertex_count: usize) -> Result<Option<SphereKeys>, MotionError> {
        let Kind::Spheres { times, spheres, .. } = &self.kind else { return Ok(None) };
        SphereKeys::new(times, spheres, vertex_count / 2, self.outside).map(Some)
    }

    pub(super) fn check(self, vertex_count: usize, layout: KeyLayout) -> Result<Trajectories, MotionError> {
        // A plan without motion is never outside its span.
        let outside = if matches!(self.kind, Kind::Fixed { .. }) { Outside::Hold } else { self.outside };
        let table = |times: Vec<f64>, positions: Vec<[f32; 3]>| {
            check::times(&times)?;
            check::period(times[0], times[times.len() - 1], outside)?;
            check::count(positions.len(), times.len() * vertex_count)?;
            check::positions(&positions, vertex_count)?;
            let data = positions.into_flattened();
            Ok(Trajectories::Keys(KeyTable::new(times, data, vertex_count, outside, layout)))
        };
        match self.kind {
            Kind::Fixed { positions } => table(vec![0.0], positions),
            Kind::Keyframes { times, positions } => table(times, positions),
            Kind::Spheres { times, corners, .. } => {
                // The spheres were checked; their corners may lie a margin beyond the usual limit.
                check::count(corners.len(), times.len() * vertex_count)?;
                let data = corners.into_flattened();
                Ok(Trajectories::Keys(KeyTable::new(times, data, vertex_count, outside, layout)))
            }
            Kind::Rigid { times, transforms, rest } => {
                check::times(&times)?;
                if transforms.len() != times.len() {
                    return Err(MotionError::TransformCount { keys: times.len(), found: transforms.len() });
                }
                check::count(rest.len(), vertex_count)?;
                check::positions(&rest, vertex_count)?;
                check::transforms(&transforms)?;
                let positions = transforms.iter().flat_map(|matrix| rest.iter().map(|p| place(matrix, *p))).collect();
                table(times, positions)
            }
            Kind::Velocities { span, positions, velocities } => {
                let lines = lines(span, outside, positions, velocities, vertex_count)?;
                Ok(Trajectories::LinearMotion(lines))
            }
            Kind::Accelerated { span, positions, velocities, accelerations } => {
                let lines = lines(span, outside, positions, velocities, vertex_count)?;
                let accelerations = match accelerations {
                    Accelerations::Common(acceleration) => vec![acceleration.map(f64::from); vertex_count],
                    Accelerations::Each(accelerations) => widened(accelerations),
                };
                if accelerations.len() != vertex_count {
                    let (expected, found) = (vertex_count, accelerations.len());
                    return Err(MotionError::AccelerationCount { expected, found });
                }
                for (vertex, acceleration) in accelerations.iter().enumerate() {
                    check::acceleration(vertex as u32, *acceleration)?;
                }
                Ok(Trajectories::LinearMotion(lines.accelerated(accelerations)))
            }
            Kind::Sampled { sampler } => Ok(Trajectories::Sampled(Sampled::new(sampler, vertex_count)?)),
            Kind::Hermite { times, positions, in_tangents, out_tangents } => {
                check::times(&times)?;
                check::period(times[0], times[times.len() - 1], outside)?;
                check::count(positions.len(), times.len() * vertex_count)?;
                check::positions(&positions, vertex_count)?;
                check::tangents(&times, &in_tangents, &out_tangents, vertex_count)?;
                let data = Data::Hermite {
                    values: positions.into_flattened(),
                    before: in_tangents.into_flattened(),
                    after: out_tangents.into_flattened(),
                };
                Ok(Trajectories::Curves(Curves::new(times, data, vertex_count, outside, layout)))
            }
            Kind::Polynomials { times, degree, coefficients, .. } => {
                let data = check::polynomials(&times, degree, &coefficients, vertex_count, 0)?;
                check::period(times[0], times[times.len() - 1], outside)?;
                Ok(Trajectories::Curves(Curves::new(times, data, vertex_count, outside, layout)))
            }
        }
    }
}

/// Checks a position and a velocity per vertex.
fn lines(
    span: Span,
    outside: Outside,
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    vertex_count: usize,
) -> Result<LinearMotion, MotionError> {
    check::span(span)?;
    check::period(span.begin, span.end, outside)?;
    check::count(positions.len(), vertex_count)?;
    check::positions(&positions, vertex_count)?;
    if velocities.len() != vertex_count {
        return Err(MotionError::VelocityCount { expected: vertex_count, found: velocities.len() });
    }
    for (vertex, velocity) in velocities.iter().enumerate() {
        check::velocity(vertex as u32, velocity.map(f64::from))?;
    }
    Ok(LinearMotion::new(span, outside, widened(positions), widened(velocities)))
}

fn widened(values: Vec<[f32; 3]>) -> Vec<[f64; 3]> {
    values.into_iter().map(|v| v.map(f64::from)).collect()
}
