//! Sampled plans: positions at key times, computed on demand instead of stored.
//!
//! Between two neighbouring keys every vertex moves linearly, as with keyframes. The keys are poses
//! of a sampler, and a vertex is evaluated at the two ends of the queried piece. A plan may jump at
//! keys. Each jump ends an epoch, like the wrap of a loop, so no certificate spans it.
//!
//! Cost: a coordinate is O(log keys) and two evaluations of one vertex. Nothing is stored per
//! vertex. Certificate searches over many keys evaluate at every key. If most vertices are queried
//! at most keys, store keyframes instead.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::key_times::{KeyTimeline, Place};
use super::{MotionError, Outside, Piece, Reach, check, flush, interpolate};
use crate::limits;
use crate::time::{Moment, NEVER, Side, Span};

/// Computes positions of vertices at key times. Equal arguments must always give equal results.
pub trait Sampler: Any + Debug + Send + Sync {
    /// The number of vertices.
    fn vertex_count(&self) -> usize;

    /// Rest positions of the vertices, metres; seams are welded by them.
    fn rest_positions(&self) -> &[[f32; 3]];

    /// Key times, seconds, strictly increasing, at least one.
    fn times(&self) -> &[f64];

    /// Per key, whether positions just after it differ from those at it; false at the first key and
    /// the last.
    fn jumps(&self) -> &[bool];

    /// The motion before the first key and after the last.
    fn outside(&self) -> Outside;

    /// A bound on the magnitude of all coordinates, metres. Larger coordinates are clamped to it.
    fn largest_coordinate(&self) -> f64;

    /// A bound on the speed of all vertices between keys along any axis, metres per second.
    fn largest_speed(&self) -> f64;

    /// The position of a vertex at a key, metres: on arrival ([`Side::At`]) or on departure
    /// ([`Side::After`]). The key and the vertex are such as exist.
    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3];

    /// Appends the positions of some vertices at a key, metres: those of [`Sampler::position`].
    fn positions(&self, key: usize, side: Side, vertices: &mut dyn Iterator<Item = u32>, out: &mut Vec<[f64; 3]>) {
        out.extend(vertices.map(|vertex| self.position(key, side, vertex)));
    }

    /// A number that is equal for equal motions of all vertices from `begin` to `end`, seconds, and
    /// differs for others, but for a chance of 2⁻⁶⁴; motion outside that time may count too. `None`
    /// if it is not known from less than all positions.
    fn fingerprint(&self, _begin: f64, _end: f64) -> Option<u64> {
        None
    }

    /// The time up to which another sampler's motion is identical to this one from `from` on,
    /// seconds: the same positions at the same keys, bit for bit. `from` if this is not known.
    fn agrees_until(&self, _other: &dyn Sampler, from: f64) -> f64 {
        from
    }
}

/// Checks the bounds and jumps that a sampler states for its motion against all vertices at all
/// keys. O(keys × vertices); for hosts in doubt.
///
/// A world takes coordinates beyond the bound as the bound, so contacts are of other positions than
/// the sampler's. A speed above the bound makes the margin for rounding too small, so contacts may
/// be missed.
///
/// # Errors
/// [`MotionError::BadCoordinate`], [`MotionError::BeyondBound`], [`MotionError::FasterThanBound`],
/// [`MotionError::HiddenJump`]: of the first vertex found.
pub fn check_sampler(sampler: &dyn Sampler) -> Result<(), MotionError> {
    let keys = sampler.times().len();
    if keys == 1 {
        check_key(sampler, 0, Side::After)?;
    }
    (1..keys).try_for_each(|key| check_piece(sampler, key - 1))
}

/// Checks all coordinates at a key.
fn check_key(sampler: &dyn Sampler, key: usize, side: Side) -> Result<(), MotionError> {
    let bound = sampler.largest_coordinate();
    for vertex in 0..sampler.vertex_count() as u32 {
        for (axis, value) in sampler.position(key, side, vertex).into_iter().enumerate() {
            if !value.is_finite() {
                return Err(MotionError::BadCoordinate { key, vertex, axis, value });
            }
            if value.abs() > bound {
                return Err(MotionError::BeyondBound { key, vertex, axis, value, bound });
            }
        }
    }
    Ok(())
}

/// Checks that vertices are at a key where they are just after it, unless the sampler states a
/// jump.
fn check_jump(sampler: &dyn Sampler, key: usize) -> Result<(), MotionError> {
    if key == 0 || sampler.jumps()[key] {
        return Ok(());
    }
    (0..sampler.vertex_count() as u32).try_for_each(|vertex| {
        let [at, after] = [Side::At, Side::After].map(|side| sampler.position(key, side, vertex));
        if at == after { Ok(()) } else { Err(MotionError::HiddenJump { key, vertex, at, after }) }
    })
}

/// Checks coordinates at both ends of the piece that begins at a key, and speeds in it.
fn check_piece(sampler: &dyn Sampler, key: usize) -> Result<(), MotionError> {
    check_jump(sampler, key)?;
    check_key(sampler, key, Side::After)?;
    check_key(sampler, key + 1, Side::At)?;
    let (length, bound) = (sampler.times()[key + 1] - sampler.times()[key], sampler.largest_speed());
    for vertex in 0..sampler.vertex_count() as u32 {
        let (from, to) = (sampler.position(key, Side::After, vertex), sampler.position(key + 1, Side::At, vertex));
        for axis in 0..3 {
            let value = (to[axis] - from[axis]).abs() / length;
            // Stated bounds and coordinates are rounded.
            let rounding = limits::ROUNDING * (bound + (to[axis].abs() + from[axis].abs()) / length);
            if value > bound + rounding {
                return Err(MotionError::FasterThanBound { key, vertex, axis, value, bound });
            }
        }
    }
    Ok(())
}

/// A vertex at both ends of a piece, metres, and the begin and end of the piece, seconds.
type Ends = ([f64; 3], [f64; 3], f64, f64);

/// The keys from which the positions at a moment are interpolated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KeysAround {
    /// A key and the side of it.
    pub(crate) first: (usize, Side),
    /// The next key and its side; equal to `first` during rest.
    pub(crate) last: (usize, Side),
    /// The begin and the end of the piece between them, seconds; infinite during rest.
    pub(crate) span: Span,
    /// The interpolation parameter of the moment between them, 0 to 1.
    pub(crate) share: f64,
    /// Coordinates of larger magnitude are clamped to this, metres.
    pub(crate) most: f64,
}

/// The first key from one on at which a sampler jumps. Most samplers never do, and this is asked at
/// every key: many keys at a time are tested without a branch.
fn first_jump(jumps: &[bool], from: usize) -> Option<usize> {
    let mut place = from;
    for part in jumps.get(from..)?.chunks(256) {
        if part.iter().fold(false, |any, &jump| any | jump) {
            return part.iter().position(|&jump| jump).map(|key| place + key);
        }
        place += part.len();
    }
    None
}

/// The keys of the next pieces from a moment on.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KeysAhead {
    /// The key at which the piece around the moment begins, and its side.
    pub(crate) first: (usize, Side),
    /// The times of that key and of the next keys, seconds, in the round of the moment.
    pub(crate) times: Vec<f64>,
    /// Whether vertices rest before the first of these times, and after the last.
    pub(crate) rests: [bool; 2],
    /// Coordinates of larger magnitude are clamped to this, metres.
    pub(crate) most: f64,
}

impl Default for KeysAhead {
    fn default() -> Self {
        Self { first: (0, Side::After), times: Vec::new(), rests: [false; 2], most: limits::MAX_COORDINATE }
    }
}

/// A checked sampled plan.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sampled {
    #[cfg_attr(feature = "record", serde(with = "super::by_host"))]
    pub(super) sampler: Arc<dyn Sampler>,
    pub(super) timeline: KeyTimeline,
    reach: Reach,
    vertex_count: usize,
}

impl Sampled {
    /// Creates a plan after checking the values of a sampler.
    pub(super) fn new(sampler: Arc<dyn Sampler>, vertex_count: usize) -> Result<Self, MotionError> {
        check::count(sampler.vertex_count(), vertex_count)?;
        check::count(sampler.rest_positions().len(), vertex_count)?;
        let times = sampler.times();
        check::times(times)?;
        check::period(times[0], times[times.len() - 1], sampler.outside())?;
        if sampler.jumps().len() != times.len() {
            return Err(MotionError::TransformCount { keys: times.len(), found: sampler.jumps().len() });
        }
        let (coordinate, speed) = (sampler.largest_coordinate(), sampler.largest_speed());
        if !(0.0..=limits::MAX_COORDINATE).contains(&coordinate) {
            return Err(MotionError::BadBound { quantity: "largest coordinate, metres,", value: coordinate });
        }
        if !(0.0..=limits::MAX_SPEED).contains(&speed) {
            return Err(MotionError::BadBound { quantity: "largest speed, metres per second,", value: speed });
        }
        let latest = times[0].abs().max(times[times.len() - 1].abs());
        let reach = Reach { coordinate, drift: speed * latest };
        let timeline = KeyTimeline::new(times.to_vec(), sampler.outside());
        Ok(Self { sampler, timeline, reach, vertex_count })
    }

    pub(super) fn times(&self) -> &[f64] {
        self.timeline.times()
    }

    /// The next jump, or wrap of a loop.
    pub(super) fn next_wrap(&self, at: Moment) -> Moment {
        let wrap = self.timeline.next_wrap(at);
        let jumps = self.sampler.jumps();
        let next = match self.timeline.place(at) {
            Place::Hold { key: 0, .. } => 0,
            Place::Hold { .. } => return wrap,
            Place::Between { key, .. } => key + 1,
        };
        let jump = first_jump(&jumps[..jumps.len().min(self.times().len() - 1)], next);
        jump.map_or(wrap, |key| Moment::after(self.timeline.fall(key, at)).min(wrap))
    }

    /// See [`super::Motion::first_of_loop`].
    pub(super) fn first_of_loop(&self) -> Option<f64> {
        self.timeline.loops().then(|| self.times()[0])
    }

    /// See [`super::Motion::rests_until`].
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        if self.times().len() == 1 { Some(NEVER) } else { self.timeline.rests_until(time) }
    }

    pub(super) fn reach(&self, at: Moment) -> Reach {
        let mut reach = self.reach;
        if let Some(latest) = self.timeline.latest_of_round(at) {
            reach.drift = self.sampler.largest_speed() * latest;
        }
        reach
    }

    /// Checks the bounds that the sampler states against the vertices at the keys around a moment.
    /// O(vertices).
    pub(super) fn check_bounds(&self, at: Moment) -> Result<(), MotionError> {
        match self.timeline.place(at) {
            Place::Hold { key, .. } => check_key(&*self.sampler, key, if key == 0 { Side::After } else { Side::At }),
            Place::Between { key, .. } => check_piece(&*self.sampler, key),
        }
    }

    /// The time up to which another plan is identical to this one from `from` on, seconds.
    pub(super) fn agrees_until(&self, other: &Self, from: f64) -> f64 {
        if self.is_by(&other.sampler) {
            return NEVER;
        }
        let until = self.sampler.agrees_until(&*other.sampler, from);
        if until > from { until } else { from }
    }

    pub(super) fn is_by(&self, sampler: &Arc<dyn Sampler>) -> bool {
        Arc::ptr_eq(&self.sampler, sampler)
    }

    /// The keys from which [`Sampled::position`] interpolates.
    pub(super) fn keys_around(&self, at: Moment) -> KeysAround {
        let most = self.reach.coordinate;
        match self.timeline.place(at) {
            Place::Hold { key, begin, end } => {
                let held = (key, if key == 0 { Side::After } else { Side::At });
                KeysAround { first: held, last: held, span: Span { begin, end }, share: 0.0, most }
            }
            Place::Between { key, begin, end } => {
                let share = ((at.time() - begin) / (end - begin)).clamp(0.0, 1.0);
                let span = Span { begin, end };
                KeysAround { first: (key, Side::After), last: (key + 1, Side::At), span, share, most }
            }
        }
    }

    /// The key at which the piece around a moment begins, its side, and the last key of the next
    /// `pieces` pieces, or that of a jump before.
    fn ahead(&self, at: Moment, pieces: usize) -> ((usize, Side), usize) {
        let first = match self.timeline.place(at) {
            Place::Hold { key: 0, .. } => (0, Side::After),
            Place::Hold { key, .. } => (key, Side::At),
            Place::Between { key, .. } => (key, Side::After),
        };
        let last = first.0.saturating_add(pieces).min(self.times().len() - 1);
        // No piece beyond a jump: its begin is not the end of the piece before.
        let jump = (first.0 + 1..last).find(|&key| self.sampler.jumps().get(key) == Some(&true));
        (first, jump.unwrap_or(last))
    }

    /// When the last of the next `pieces` pieces ends, or the piece before a jump; [`NEVER`] if no
    /// key follows it.
    pub(super) fn horizon(&self, at: Moment, pieces: usize) -> Moment {
        let (_, last) = self.ahead(at, pieces);
        Moment::after(if last + 1 == self.times().len() { NEVER } else { self.timeline.fall(last, at) })
    }

    /// Writes the keys of the next `pieces` pieces, up to a jump. O(pieces).
    pub(super) fn keys_ahead(&self, at: Moment, pieces: usize, ahead: &mut KeysAhead) {
        let (first, last) = self.ahead(at, pieces);
        let is_open = !self.timeline.loops();
        ahead.first = first;
        ahead.times.clear();
        ahead.times.extend((first.0..=last).map(|key| self.timeline.fall(key, at)));
        ahead.rests = [is_open && first.0 == 0, is_open && last + 1 == self.times().len()];
        ahead.most = self.reach.coordinate;
    }

    /// Where the sampler puts a vertex at a key, as far as the bound it states.
    pub(super) fn key_position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        self.sampler.position(key, side, vertex).map(|x| self.usable(x))
    }

    /// Bounds must hold for any result of the sampler; NaN is replaced by 0.
    fn usable(&self, x: f64) -> f64 {
        let most = self.reach.coordinate;
        if x.is_nan() { 0.0 } else { flush(x.clamp(-most, most)) }
    }

    /// The positions at both ends of the piece around a moment, and its begin and end.
    fn ends(&self, vertex: u32, place: Place) -> Ends {
        match place {
            Place::Hold { key, begin, end } => {
                let side = if key == 0 { Side::After } else { Side::At };
                let position = self.key_position(key, side, vertex);
                (position, position, begin, end)
            }
            Place::Between { key, begin, end } => {
                (self.key_position(key, Side::After, vertex), self.key_position(key + 1, Side::At, vertex), begin, end)
            }
        }
    }

    /// The pieces of the three coordinates of a vertex, which is evaluated once per end.
    pub(super) fn vertex_pieces_in(&self, vertex: u32, place: Place) -> [Piece; 3] {
        let (before, after, begin, end) = self.ends(vertex, place);
        std::array::from_fn(|axis| Piece::linear(begin, end, before[axis], after[axis]))
    }

    pub(super) fn piece_in(&self, vertex: u32, axis: usize, place: Place) -> Piece {
        let (before, after, begin, end) = self.ends(vertex, place);
        Piece::linear(begin, end, before[axis], after[axis])
    }

    /// The pieces of the six extents of a box; a vertex that is several of them is evaluated once.
    pub(super) fn pieces_in(&self, vertices: &[u32; 6], place: Place) -> [Piece; 6] {
        let mut known: [Option<(u32, Ends)>; 6] = [None; 6];
        std::array::from_fn(|extent| {
            let vertex = vertices[extent];
            let found = known.iter().flatten().find(|(other, _)| *other == vertex).copied();
            let (_, (before, after, begin, end)) = found.unwrap_or_else(|| (vertex, self.ends(vertex, place)));
            known[extent] = Some((vertex, (before, after, begin, end)));
            Piece::linear(begin, end, before[extent / 2], after[extent / 2])
        })
    }

    pub(super) fn piece(&self, vertex: u32, axis: usize, at: Moment) -> Piece {
        self.piece_in(vertex, axis, self.timeline.place(at))
    }

    pub(super) fn coordinate(&self, vertex: u32, axis: usize, at: Moment) -> f64 {
        self.piece(vertex, axis, at).at(at.time())
    }

    pub(super) fn position(&self, vertex: u32, at: Moment) -> [f64; 3] {
        self.position_in(vertex, self.timeline.place(at), at.time())
    }

    /// Same evaluation as [`Piece::at`] of the three pieces.
    pub(super) fn position_in(&self, vertex: u32, place: Place, time: f64) -> [f64; 3] {
        let (key, begin, end) = match place {
            Place::Hold { .. } => return self.ends(vertex, place).0,
            Place::Between { key, begin, end } => (key, begin, end),
        };
        if time <= begin {
            return self.key_position(key, Side::After, vertex);
        }
        if time >= end {
            return self.key_position(key + 1, Side::At, vertex);
        }
        let (before, after, ..) = self.ends(vertex, place);
        let u = (time - begin) / (end - begin);
        std::array::from_fn(|axis| {
            if before[axis] == after[axis] { before[axis] } else { interpolate(before[axis], after[axis], u) }
        })
    }

    pub(super) fn positions(&self, at: Moment, out: &mut Vec<[f64; 3]>) {
        let (time, begin) = (at.time(), out.len());
        let KeysAround { first, last, span, .. } = self.keys_around(at);
        if time <= span.begin || first == last {
            return self.key_positions(first, out);
        }
        if time >= span.end {
            return self.key_positions(last, out);
        }
        self.key_positions(first, out);
        let mut after = Vec::new();
        self.key_positions(last, &mut after);
        let u = (time - span.begin) / (span.end - span.begin);
        for (x0, x1) in out[begin..].as_flattened_mut().iter_mut().zip(after.as_flattened()) {
            if *x0 != *x1 {
                *x0 = interpolate(*x0, *x1, u);
            }
        }
    }

    /// Appends the positions of all vertices at a key, as [`Sampled::key_position`].
    pub(super) fn key_positions(&self, (key, side): (usize, Side), out: &mut Vec<[f64; 3]>) {
        self.some_key_positions((key, side), &mut (0..self.vertex_count as u32), out);
    }

    pub(super) fn some_key_positions(
        &self,
        (key, side): (usize, Side),
        vertices: &mut dyn Iterator<Item = u32>,
        out: &mut Vec<[f64; 3]>,
    ) {
        let (begin, mut asked) = (out.len(), 0);
        let mut counted = vertices.inspect(|_| asked += 1);
        self.sampler.positions(key, side, &mut counted, out);
        counted.for_each(drop);
        // A host's sampler may append another number of positions.
        out.resize(begin + asked, [f64::NAN; 3]);
        out[begin..].as_flattened_mut().iter_mut().for_each(|x| *x = self.usable(*x));
    }
}
