//! Flightplans: the position of every vertex of a body as a function of time.
//!
//! A body has one *shared* plan for all its vertices: keyframes or cubics with common key times, or
//! a velocity field, accelerated or not. Single vertices may get plans of their own of any kind
//! while the body is in use. The kinetic structures read only the *pieces* of a plan: along one
//! axis, the part of a trajectory around a moment on which it is linear, or one polynomial of
//! degree at most 3.
//!
//! | kind | between its times | outside its span |
//! |---|---|---|
//! | keyframes, rigid keyframes | vertices move linearly from key to key | hold, loop, or error |
//! | velocities | every vertex keeps its velocity | hold, loop, or error |
//! | ballistic, accelerated | every vertex keeps its acceleration | hold, loop, or error |
//! | hermite | cubics from key to key, given by tangents at the keys | hold, loop, or error |
//! | polynomials | cubics from key to key, given by coefficients | hold, loop, or error |
//! | spheres | centres and radii change linearly from key to key | hold, loop, or error |
//! | sampled | vertices move linearly from key to key; positions at keys are computed on demand, and may jump there | hold, loop, or error |
//! | fixed | nothing moves | (its span is all of time) |
//!
//! **Curved pieces** have one evaluation only, [`Piece::at`]: positions, bounds and certificates
//! all refer to it. At key times it gives the stored values, so a plan of keys jumps only at the
//! wrap of a loop. Coefficients that differ at a key by more than
//! [`limits::SEGMENT_JOIN_TOLERANCE`] are refused. An intended jump is a second flightplan, given
//! at that time.
//!
//! **Epochs.** Certificates are searched only up to the end of the current epoch. That is the next
//! wrap of a loop or, for endless motion, the next time of the grid 64 s, 128 s, 256 s, …
//! (`tuning::FIRST_HORIZON`). There the whole body is recertified. Hence every search ends, every
//! moving piece is finite, and the slack of [`crate::limits`] is constant within an epoch.
//!
//! Cost: a coordinate or a piece is O(log keys) for keyframes and O(1) otherwise.
//!
//! Follows Zachmann and Weller 2006, §3 and §8 (flightplans, velocity fields, keyframes); their
//! Algorithm 3 is [`crate::kinetic::certificate::overtaking`], corrected.

#[cfg(feature = "record")]
mod by_host;
mod check;
mod curves;
mod error;
mod extend;
mod fingerprint;
mod grow;
mod key_times;
mod keys;
mod linear;
mod origin;
mod packed_linear;
mod path;
mod piece;
mod placed;
mod plan;
mod plan_kind;
mod reach;
mod rest;
mod rounds;
mod sampled;
mod sampled_motion;
mod spheres;
mod stretch;
mod trajectories;
mod vertex_plan;

#[cfg(feature = "record")]
pub(crate) use by_host::sampler_fingerprint;
pub use error::MotionError;
#[cfg(feature = "io")]
pub(crate) use fingerprint::FingerprintWalk;
pub(crate) use packed_linear::PackedLinearMotion;
pub(crate) use path::VertexPath;
pub use piece::Piece;
pub use plan::{Flightplan, Outside};
pub(crate) use reach::Reach;
pub(crate) use rounds::Rounds;
pub(crate) use sampled::{KeysAhead, KeysAround};
pub use sampled::{Sampler, check_sampler};
pub use spheres::{Sphere, SphereKeys, SpherePiece, SpherePlace};
pub use stretch::{Stretch, StretchKind};
pub use vertex_plan::VertexFlightplan;

use crate::id::Slots;
use trajectories::Trajectories;

use crate::limits;
use crate::time::{Moment, NEVER, Span};

const NONE: u32 = u32::MAX;

/// The motion of all vertices of one body, checked and ready for queries.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    vertex_count: usize,
    /// Number of vertices that the shared plan moves; later ones have plans of their own.
    shared_count: usize,
    shared: Trajectories,
    /// Per vertex its index in `own_plans`, or `NONE`. Empty while no vertex has a plan of its own.
    own: Vec<u32>,
    own_plans: Slots<Trajectories>,
    /// Number of `own_plans` that move without end.
    endless: usize,
    /// Contribution of own plans, past ones included, to the slack.
    own_reach: Reach,
    /// Whether the shared plan or one of the own plans, past ones included, has curved pieces.
    is_curved: bool,
    /// The spheres whose boxes have the vertices as corners, if any.
    spheres: Option<Box<SphereKeys>>,
}

/// A coordinate over all of time, in a form that can be searched fast.
#[derive(Clone, Copy, Debug)]
pub enum KeyTrack<'a> {
    /// Linear from key to key, constant outside.
    Keys {
        /// Key times, seconds; two rows may be compared key by key if these are the same slice.
        times: &'a [f64],
        /// The coordinate at each key, metres.
        row: &'a [f32],
    },
    /// A constant, metres.
    Constant(f64),
}

/// The six extents of a box over all of time: minimum and maximum along x, y, z.
#[derive(Clone, Copy, Debug)]
pub enum BoxTracks<'a> {
    /// Linear from key to key, constant outside.
    Keys {
        /// Key times, seconds, as in [`KeyTrack::Keys`].
        times: &'a [f64],
        /// The coordinates at each key, metres.
        rows: [&'a [f32]; 6],
    },
    /// Constants, metres.
    Constant([f64; 6]),
}

/// The memory layout of the keys of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub enum KeyLayout {
    /// All keys of one vertex and axis are contiguous: the order in which certificates read.
    VertexMajor,
    /// All vertices of one key are contiguous: the order in which a sweep over a frame reads.
    KeyMajor,
}

/// The place of a moment in a motion: computed once for many queries at that moment.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    at: Moment,
    /// Its place in the shared plan, if that has key times.
    place: Option<key_times::Place>,
}

impl Cursor {
    /// The moment.
    pub fn moment(&self) -> Moment {
        self.at
    }
}

impl Motion {
    /// Creates a motion after checking a plan for a body of `vertex_count` vertices. O(keys ×
    /// vertices).
    ///
    /// # Errors
    /// Counts that do not fit, key times out of order, numbers that are not finite or too large.
    pub fn new(plan: Flightplan, vertex_count: usize, layout: KeyLayout) -> Result<Self, MotionError> {
        let spheres = plan.check_spheres(vertex_count)?.map(Box::new);
        let shared = plan.check(vertex_count, layout)?;
        Ok(Self {
            vertex_count,
            shared_count: vertex_count,
            is_curved: shared.is_curved(),
            shared,
            own: Vec::new(),
            own_plans: Slots::new(),
            endless: 0,
            own_reach: Reach::default(),
            spheres,
        })
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// The spheres whose boxes have the vertices as corners, for a plan of spheres.
    pub fn spheres(&self) -> Option<&SphereKeys> {
        self.spheres.as_deref()
    }

    /// Key times of the shared plan; empty for velocities and accelerations.
    pub fn key_times(&self) -> &[f64] {
        self.shared.times()
    }

    /// The span of time open to queries (all of time unless some plan has [`Outside::Error`]).
    pub fn allowed_span(&self) -> Span {
        let shared = self.shared.allowed_span();
        self.own_plans.iter().fold(shared, |span, (_, own)| span.intersection(own.allowed_span()))
    }

    /// One coordinate of a vertex, metres, evaluated in `f64`: what every bound refers to. Contacts
    /// are decided on what it rounds.
    pub fn coordinate(&self, vertex: u32, axis: usize, at: Moment) -> f64 {
        let (plan, row) = self.plan_of(vertex);
        plan.coordinate(row, axis, at)
    }

    /// [`Motion::coordinate`] at a known moment. O(1) for keys of the shared plan.
    pub(crate) fn coordinate_at(&self, vertex: u32, axis: usize, cursor: &Cursor) -> f64 {
        match (&self.shared, cursor.place) {
            (Trajectories::Keys(table), Some(place)) if !self.has_own_plan(vertex) => {
                table.piece_in(vertex, axis, place).at(cursor.at.time())
            }
            _ => self.coordinate(vertex, axis, cursor.at),
        }
    }

    /// The position of a vertex, metres.
    pub fn position(&self, vertex: u32, at: Moment) -> [f64; 3] {
        let (plan, row) = self.plan_of(vertex);
        plan.position(row, at)
    }

    /// [`Motion::position`] at a known moment. O(1) for the shared plan.
    pub fn position_at(&self, vertex: u32, cursor: &Cursor) -> [f64; 3] {
        match (&self.shared, &cursor.place) {
            (Trajectories::Keys(table), Some(place)) if !self.has_own_plan(vertex) => {
                table.position_in(vertex, place, cursor.at.time())
            }
            (Trajectories::Sampled(sampled), &Some(place)) if !self.has_own_plan(vertex) => {
                sampled.position_in(vertex, place, cursor.at.time())
            }
            _ => self.position(vertex, cursor.at),
        }
    }

    /// Appends the positions of all vertices to `out` in vertex order. O(vertices): the place among
    /// the keys is found once.
    pub fn positions(&self, at: Moment, out: &mut Vec<[f64; 3]>) {
        let start = out.len();
        match &self.shared {
            Trajectories::Keys(table) => table.positions(at, out),
            Trajectories::LinearMotion(lines) => match lines.elapsed(at) {
                Some(elapsed) => {
                    out.extend((0..self.shared_count as u32).map(|vertex| lines.place(vertex, elapsed)));
                }
                None => out.extend((0..self.shared_count as u32).map(|vertex| lines.position(vertex, at))),
            },
            Trajectories::Curves(curves) => curves.positions(at, out),
            Trajectories::Sampled(sampled) => sampled.positions(at, out),
        }
        out.resize(start + self.vertex_count, [0.0; 3]);
        for (vertex, &own) in self.own.iter().enumerate() {
            if own != NONE {
                out[start + vertex] = self.position(vertex as u32, at);
            }
        }
    }

    /// Writes positions of some vertices in `f32`, the fourth lane 0, for refitted trees.
    /// O(vertices written).
    ///
    /// Returns a margin, metres: half of it is at least what any coordinate differs from
    /// [`Motion::position`] and from the exact motion, the other half at least the spacing of `f32`
    /// there.
    ///
    /// # Panics
    /// A vertex that does not exist, as an index of a slice.
    pub fn rounded_positions(&self, at: Moment, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
        let mut largest = match &self.shared {
            Trajectories::Keys(table) if self.shared_count == self.vertex_count => {
                table.interpolate_rounded(at, vertices, out)
            }
            Trajectories::Keys(table) => {
                // Vertices with plans of their own are overwritten below.
                let shared = |&vertex: &u32| if (vertex as usize) < self.shared_count { vertex } else { 0 };
                table.interpolate_rounded(at, &vertices.iter().map(shared).collect::<Vec<u32>>(), out)
            }
            _ => 0.0f32,
        };
        let is_keyed = matches!(self.shared, Trajectories::Keys(_));
        if let Trajectories::LinearMotion(lines) = &self.shared
            && self.own.is_empty()
            && let Some(elapsed) = lines.elapsed(at)
        {
            // Equal for all vertices: no lookup per vertex.
            let margin = lines.place_rounded(elapsed, vertices, out) * limits::F32_NEAREST_ROUNDING + f32::MIN_POSITIVE;
            return margin + self.rounded_blur(at);
        }
        let mut blur = 0.0;
        if !is_keyed || !self.own.is_empty() {
            // Coordinates may be small where their ways are not.
            blur = self.rounded_blur(at);
            let is_done = |vertex: u32| is_keyed && !self.has_own_plan(vertex);
            let cursor = self.cursor(at);
            for (out, &vertex) in out.iter_mut().zip(vertices).filter(|(_, vertex)| !is_done(**vertex)) {
                let [x, y, z] = self.position_at(vertex, &cursor).map(|x| x as f32);
                *out = [x, y, z, 0.0];
                largest = [x, y, z].into_iter().fold(largest, |largest, x| largest.max(x.abs()));
            }
        }
        largest * limits::F32_INTERPOLATION_ROUNDING + f32::MIN_POSITIVE + blur
    }

    /// The piece of a trajectory around a moment: the one that ends at it for
    /// [`crate::time::Side::At`], the one that begins at it for [`crate::time::Side::After`].
    pub fn piece(&self, vertex: u32, axis: usize, at: Moment) -> Piece {
        let (plan, row) = self.plan_of(vertex);
        plan.piece(row, axis, at)
    }

    /// Returns the cursor of a moment. O(log keys).
    pub fn cursor(&self, at: Moment) -> Cursor {
        Cursor { at, place: self.shared.place(at) }
    }

    /// [`Motion::piece`] around a known moment. O(1) for the shared plan.
    pub fn piece_at(&self, vertex: u32, axis: usize, cursor: &Cursor) -> Piece {
        match (&self.shared, cursor.place) {
            (Trajectories::Keys(table), Some(place)) if !self.has_own_plan(vertex) => {
                table.piece_in(vertex, axis, place)
            }
            (Trajectories::Curves(curves), Some(place)) if !self.has_own_plan(vertex) => {
                curves.piece_in(vertex, axis, place)
            }
            (Trajectories::Sampled(sampled), Some(place)) if !self.has_own_plan(vertex) => {
                sampled.piece_in(vertex, axis, place)
            }
            _ => self.piece(vertex, axis, cursor.at),
        }
    }

    /// The pieces of the three coordinates of a vertex around a known moment.
    pub(crate) fn vertex_pieces_at(&self, vertex: u32, cursor: &Cursor) -> [Piece; 3] {
        match (&self.shared, cursor.place) {
            (Trajectories::Sampled(sampled), Some(place)) if !self.has_own_plan(vertex) => {
                sampled.vertex_pieces_in(vertex, place)
            }
            _ => std::array::from_fn(|axis| self.piece_at(vertex, axis, cursor)),
        }
    }

    /// The pieces of the six extents of a box, each of its own vertex, around a known moment.
    pub fn pieces_at(&self, vertices: &[u32; 6], cursor: &Cursor) -> [Piece; 6] {
        match (&self.shared, cursor.place) {
            (Trajectories::Keys(table), Some(place)) if !vertices.iter().any(|&vertex| self.has_own_plan(vertex)) => {
                table.pieces_in(vertices, place)
            }
            (Trajectories::Sampled(sampled), Some(place))
                if !vertices.iter().any(|&vertex| self.has_own_plan(vertex)) =>
            {
                sampled.pieces_in(vertices, place)
            }
            _ => std::array::from_fn(|extent| self.piece_at(vertices[extent], extent / 2, cursor)),
        }
    }

    /// One coordinate of a vertex as a row of keys, if it has that form.
    pub(crate) fn row(&self, vertex: u32, axis: usize) -> Option<KeyTrack<'_>> {
        match self.plan_of(vertex) {
            (Trajectories::Keys(table), place) => table.row(place, axis),
            _ => None,
        }
    }

    /// The rows of the six extents of a box, each of its own vertex, if all have that form.
    pub(crate) fn box_rows(&self, vertices: &[u32; 6]) -> Option<BoxTracks<'_>> {
        match &self.shared {
            Trajectories::Keys(table) if !vertices.iter().any(|&vertex| self.has_own_plan(vertex)) => {
                table.box_rows(vertices)
            }
            _ => None,
        }
    }

    /// The end of the current epoch: until then certificates remain valid. May be [`NEVER`].
    pub fn epoch_end(&self, at: Moment) -> Moment {
        let (wrap, endless) = (self.shared.next_wrap(at), self.shared.is_endless());
        let horizon = if endless || self.endless > 0 { linear::horizon(at) } else { NEVER };
        wrap.min(Moment::after(horizon))
    }

    /// The distance by which bounds are moved outward during the epoch that contains `at`, metres.
    /// See [`crate::limits`].
    pub fn slack(&self, at: Moment) -> f64 {
        let own = self.own_plans.iter().fold(self.own_reach, |reach, (_, own)| match own {
            Trajectories::LinearMotion(lines) => reach.max(lines.reach(at)),
            _ => reach,
        });
        let reach = self.shared.reach(at).max(own);
        let (of_coordinate, of_drift) = if self.is_curved {
            (limits::CURVED_ROUNDING, limits::CURVED_DRIFT)
        } else {
            (limits::ROUNDING, limits::ROUNDING)
        };
        // The distance of two vertices is at most the sum of their coordinates.
        let drift = reach.drift.min(2.0 * reach.coordinate / of_drift);
        // Rounded up to a power of two, so that small changes of plans do not change it.
        let slack = if self.is_curved {
            of_coordinate * reach.coordinate + of_drift * drift + limits::FLUSH
        } else {
            limits::ROUNDING * (reach.coordinate + drift) + limits::FLUSH
        };
        f64::from_bits((slack.to_bits() | ((1 << 52) - 1)) + 1)
    }

    /// Checks new plans for some vertices without applying them.
    ///
    /// # Errors
    /// As for [`Motion::new`]; also vertices that do not exist or are named twice, and plans that
    /// loop.
    pub fn check_vertex_plans(&self, plans: &[(u32, VertexFlightplan)], now: Moment) -> Result<(), MotionError> {
        if let (Some(_), Some(&(vertex, _))) = (&self.spheres, plans.first()) {
            return Err(MotionError::CornerOfSphere { vertex });
        }
        let mut seen: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
        seen.sort_unstable();
        if let Some(twice) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(MotionError::VertexNamedTwice { vertex: twice[0] });
        }
        for (vertex, plan) in plans {
            if *vertex as usize >= self.vertex_count {
                return Err(MotionError::NoSuchVertex { vertex: *vertex, vertices: self.vertex_count });
            }
            plan.check(*vertex, self.position(*vertex, now), now.time())?;
        }
        Ok(())
    }

    /// Gives some vertices plans of their own from now on. The motion is unchanged if an error is
    /// returned.
    ///
    /// O(changed vertices), and O(vertices) the first time.
    ///
    /// # Errors
    /// As [`Motion::check_vertex_plans`].
    pub fn set_vertex_plans(&mut self, plans: &[(u32, VertexFlightplan)], now: Moment) -> Result<(), MotionError> {
        self.check_vertex_plans(plans, now)?;
        if self.own.is_empty() && !plans.is_empty() {
            self.own = vec![NONE; self.vertex_count];
        }
        for (vertex, plan) in plans {
            let here = self.position(*vertex, now);
            self.install(*vertex, plan.check(*vertex, here, now.time())?, now);
        }
        Ok(())
    }

    fn install(&mut self, vertex: u32, own: Trajectories, now: Moment) {
        let place = self.own[vertex as usize];
        if place != NONE {
            let old = self.own_plans.remove(place as usize);
            self.endless -= usize::from(old.is_endless());
        }
        self.endless += usize::from(own.is_endless());
        self.own_reach = self.own_reach.max(own.reach(now));
        self.is_curved |= own.is_curved();
        self.own[vertex as usize] = self.own_plans.insert(own) as u32;
    }

    /// Whether all pieces are linear, and those around a moment end together.
    pub(crate) fn is_linear_in_step(&self) -> bool {
        self.own.is_empty() && !self.is_curved
    }

    fn has_own_plan(&self, vertex: u32) -> bool {
        self.own.get(vertex as usize).is_some_and(|&own| own != NONE)
    }

    /// The plan of a vertex, and its row in it.
    #[inline]
    fn plan_of(&self, vertex: u32) -> (&Trajectories, u32) {
        if let Some(&own) = self.own.get(vertex as usize)
            && own != NONE
        {
            return (&self.own_plans[own as usize], 0);
        }
        (&self.shared, vertex)
    }
}

/// Linear interpolation, exact at both ends and never beyond them: the only evaluation of linear
/// motion.
pub(crate) fn interpolate(x0: f64, x1: f64, u: f64) -> f64 {
    let x = x0 + (x1 - x0) * u;
    let (low, high) = if x0 < x1 { (x0, x1) } else { (x1, x0) };
    flush(x.max(low).min(high))
}

/// Zero for magnitudes below [`limits::FLUSH`].
pub(crate) fn flush(x: f64) -> f64 {
    if x.abs() < limits::FLUSH { 0.0 } else { x }
}
