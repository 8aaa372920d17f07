//! Streamed poses: an animation system hands them over one by one while a world runs.
//!
//! A [`PoseStream`] holds the poses around and after the clock's time. Each change is followed by
//! [`World::set_flightplan`](crate::world::World::set_flightplan) with [`PoseStream::flightplan`]:
//! a body that was added with bounds of the same mesh keeps them, at a cost of O(maps).
//!
//! | change | call |
//! |---|---|
//! | another pose ahead | [`PoseStream::extend`], [`PoseStream::extend_promised`] |
//! | other poses from a time on | [`PoseStream::truncate`], then [`PoseStream::extend`] |
//! | another clip at a time, without a blend | [`PoseStream::jump`] |
//! | a blend of two clips | poses of the blend, or [`Mix::crossfade`](super::Mix::crossfade) |
//!
//! Between two poses every vertex moves linearly, as in all worlds. Without morph weights this is
//! the motion of the interpolated maps. A bound that is promised gives the largest distance of a
//! vertex from its true path. Under spherical blending interpolated maps are none that can be
//! blended; there the joints turn steadily from one pose to the next (`similar`).

mod driver;
mod similar;

use std::sync::Arc;

use self::driver::{Key, Streamed};
use super::body::deviation;
use super::pose_keys::linear_bends;
use super::{Blend, Pose, PoseDerivativeBounds, PoseTimes, ReducedBody, ReducedError, ReducedMesh};
use crate::bvh::BoundedSampler;
use crate::limits;
use crate::motion::{Flightplan, Outside, Sampler};
use crate::time::Moment;

/// Poses of a reduced mesh at times, from the clock's time on. Past poses are given up.
///
/// ```
/// use std::sync::Arc;
/// use kinetree::reduced::{Affine, Blend, Influences, Pose, PoseStream, ReducedDef, ReducedMesh, WeightPolicy};
/// use kinetree::{BodyDef, Mesh, World, WorldDef};
///
/// let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; // Metres.
/// let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
/// let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
/// let mesh = Arc::new(ReducedMesh::new(def)?);
/// let lifted = |height| Pose {
///     maps: vec![Affine::from_parts([0.0, 0.0, height], [0.0, 0.0, 0.0, 1.0], [1.0; 3])],
///     morphs: vec![],
/// };
///
/// let mut stream = PoseStream::new(Arc::clone(&mesh), 0.0, lifted(0.0))?;
/// let mut world = World::new(WorldDef::new())?;
/// let skin = world.add_body(BodyDef::bounded(mesh.mesh().clone(), stream.sampler()))?;
/// for frame in 1..=3 {
///     // The pose of the next frame, one tenth of a second ahead.
///     let next = 0.1 * f64::from(frame);
///     stream.extend(world.time(), next, lifted(next))?;
///     world.set_flightplan(skin, stream.flightplan())?;
///     world.advance_to(next)?;
/// }
/// assert_eq!(world.stats().engines.on_demand, 1);
/// // Positions at keys are rounded to `f32`.
/// assert_eq!(world.positions(skin)?[0], [0.0, 0.0, f64::from(0.3f32)]);
/// # Ok::<(), kinetree::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PoseStream {
    /// The mesh, and what follows from it and the centres.
    body: ReducedBody,
    centres: Arc<[[f64; 3]]>,
    /// At least one; times strictly increase.
    keys: Vec<Key>,
    bends: PoseDerivativeBounds,
}

/// Bounds of a piece: on coordinates (metres), speeds (metres per second) and deviations (metres).
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    coordinate: f64,
    speed: f64,
    deviation: f64,
}

impl PoseStream {
    /// Creates a stream that begins with a pose, which holds until another one is given. The centre
    /// of a map is that of the box of the vertices that it moves. O(weights).
    ///
    /// # Errors
    /// A pose with another number of maps or morph weights, or that is not usable (see
    /// [`PoseStream::extend`]); a time that is not usable.
    pub fn new(mesh: Arc<ReducedMesh>, time: f64, pose: Pose) -> Result<Self, ReducedError> {
        let mut boxes = vec![crate::math::Aabb::EMPTY; mesh.map_count()];
        for (vertex, position) in mesh.rest_positions().iter().enumerate() {
            for &map in mesh.influences().indices_of(vertex as u32) {
                boxes[map as usize].include(&position.map(f64::from));
            }
        }
        let middle = |low: f64, high: f64| if low <= high { 0.5 * low + 0.5 * high } else { 0.0 };
        let centres = boxes.iter().map(|own| std::array::from_fn(|axis| middle(own.min[axis], own.max[axis])));
        Self::with_centres(mesh, centres.collect(), time, pose)
    }

    /// As [`PoseStream::new`], with the reference rest points of the maps, metres (see
    /// [`super::Driver::centres`]): positions of joints. Promised bounds are of their images.
    ///
    /// # Errors
    /// As [`PoseStream::new`]; not one centre per map, coordinates that are not usable.
    pub fn with_centres(
        mesh: Arc<ReducedMesh>,
        centres: Vec<[f64; 3]>,
        time: f64,
        pose: Pose,
    ) -> Result<Self, ReducedError> {
        if centres.len() != mesh.map_count() {
            return Err(ReducedError::MapCount { expected: mesh.map_count(), found: centres.len() });
        }
        super::pose::check_places(&centres)?;
        check_time(time, f64::NEG_INFINITY)?;
        check_pose(&mesh, &pose)?;
        let (pose, centres) = (Arc::new(pose), Arc::from(centres));
        let first = Key { time, arrival: Arc::clone(&pose), departure: None, reach: Reach::default() };
        let driver = Streamed::new(vec![first], Arc::clone(&centres));
        let body = ReducedBody::new(mesh, Arc::new(driver))?;
        let mut stream = Self { body, centres, keys: Vec::new(), bends: PoseDerivativeBounds::default() };
        let reach = stream.reach([&pose, &pose], 1.0)?;
        stream.keys.push(Key { time, arrival: pose, departure: None, reach });
        Ok(stream)
    }

    /// Creates a stream that begins with the pose of a body at a time, seconds, and has its mesh
    /// and centres: a clip ends and poses are streamed from then on.
    ///
    /// # Errors
    /// As [`PoseStream::new`].
    pub fn of_body(body: &ReducedBody, time: f64) -> Result<Self, ReducedError> {
        let mut pose = Pose::default();
        body.pose(Moment::at(time), &mut pose);
        Self::with_centres(Arc::clone(body.mesh()), body.driver().centres().to_vec(), time, pose)
    }

    /// Appends a pose: the body moves there linearly from the last one and arrives at `time`,
    /// seconds. `now` is the world's time: past poses are given up. If all poses are past, the body
    /// has rested since, and leaves from there now.
    ///
    /// Returns the largest distance of a vertex from the motion of the interpolated maps and
    /// weights, metres: not more than rounding unless maps and morph weights both change. Under
    /// spherical blending it is that from steadily turning joints: each turns the shorter way at a
    /// constant rate, while its scale, the image of its centre and morph weights move linearly.
    ///
    /// O(maps + keys); under spherical blending O(vertices).
    ///
    /// # Errors
    /// [`ReducedError::BadPoseTime`] unless the pose comes after the last one and after `now`;
    /// [`ReducedError::MapCount`] and [`ReducedError::MorphCount`]; [`ReducedError::BadMap`] and
    /// [`ReducedError::BadMorphWeight`] for NaN and infinity; [`ReducedError::ZeroScale`];
    /// [`ReducedError::NotRigid`] under spherical blending; [`ReducedError::TooFar`]. The stream is
    /// unchanged.
    pub fn extend(&mut self, now: f64, time: f64, pose: Pose) -> Result<f64, ReducedError> {
        let reach = self.check_extension(now, time, &pose)?;
        self.push(now, Key { time, arrival: Arc::new(pose), departure: None, reach });
        Ok(reach.deviation)
    }

    /// As [`PoseStream::extend`], with derivative bounds of the maps and weights from the last pose
    /// to this one that the animation system promises. Returns the largest distance of a vertex
    /// from its true path, metres; a host that needs every contact of the true motion thickens the
    /// body by twice this distance.
    ///
    /// Under spherical blending the promise includes that maps are as near to rotations times one
    /// scale as those of both poses. Their scales are bounded by the rates promised. Where a scale
    /// might vanish at such a rate within the piece, the distance is infinite.
    ///
    /// # Errors
    /// As [`PoseStream::extend`]; [`ReducedError::BadBound`] for a bound that is negative, NaN, or
    /// smaller than the poses themselves show. The stream is unchanged.
    pub fn extend_promised(
        &mut self,
        now: f64,
        time: f64,
        pose: Pose,
        promised: &PoseDerivativeBounds,
    ) -> Result<f64, ReducedError> {
        let mut reach = self.check_extension(now, time, &pose)?;
        // The bounds of the linear motion were computed just now.
        check_promise(promised, &self.bends)?;
        let begin = self.last_time().max(now);
        let length = time - begin;
        reach.deviation = if let Blend::Spherical { .. } = self.body.mesh().blend() {
            let last = Arc::clone(self.keys[self.keys.len() - 1].departure());
            let poses: [&Pose; 2] = [&last, &pose];
            let similarity = similar::promised(poses, length, promised);
            self.body.growth_between(poses, promised, similarity, length).deviation(length)
        } else {
            deviation(&self.body.growth(promised), length)
        };
        self.push(now, Key { time, arrival: Arc::new(pose), departure: None, reach });
        Ok(reach.deviation)
    }

    /// Gives up all poses after `from`, seconds: there the body has the pose that it would have
    /// had, and rests until another one is given. Returns the time of the last pose left.
    ///
    /// This is `from`, or earlier if the poses end before it. A piece in which maps and morph
    /// weights both change, or of spherical blending, cannot be cut without moving its vertices;
    /// then it is the end of that piece.
    ///
    /// # Errors
    /// [`ReducedError::BadPoseTime`] for a time before `now`. The stream is unchanged.
    pub fn truncate(&mut self, now: f64, from: f64) -> Result<f64, ReducedError> {
        check_time(now, f64::NEG_INFINITY)?;
        check_time(from, now.next_down())?;
        self.forget_before(now);
        let left = self.keys.partition_point(|key| key.time <= from);
        if left == 0 {
            // It rests before the first pose.
            self.keys.truncate(1);
            self.keys[0].time = from;
            return Ok(from);
        }
        let last = &self.keys[left - 1];
        let Some(next) = self.keys.get(left).filter(|_| last.time < from) else {
            self.keys.truncate(left);
            if let Some(last) = self.keys.last_mut() {
                // A jump at that time comes after it.
                last.departure.take_if(|_| last.time == from);
            }
            return Ok(self.last_time());
        };
        let begin = last.departure();
        let is_spherical = matches!(self.body.mesh().blend(), Blend::Spherical { .. });
        let is_linear = begin.morphs == next.arrival.morphs || begin.maps == next.arrival.maps;
        if is_linear && !is_spherical {
            let pose = Arc::new(driver::between(begin, &next.arrival, (from - last.time) / (next.time - last.time)));
            let cut = Key { time: from, arrival: pose, departure: None, reach: next.reach };
            self.keys.truncate(left);
            self.keys.push(cut);
        } else {
            self.keys.truncate(left + 1);
            self.keys[left].departure = None;
        }
        Ok(self.last_time())
    }

    /// Gives up all poses after `time`, seconds, and puts the body into another pose then, without
    /// a way there: a switch of clip. Returns when it jumps, as [`PoseStream::truncate`].
    ///
    /// # Errors
    /// As [`PoseStream::extend`] for the pose, and as [`PoseStream::truncate`] for the time. The
    /// stream is unchanged.
    pub fn jump(&mut self, now: f64, time: f64, pose: Pose) -> Result<f64, ReducedError> {
        check_time(now, f64::NEG_INFINITY)?;
        check_time(time, now.next_down())?;
        check_time(time + driver::HOLD, time)?;
        check_pose(self.body.mesh(), &pose)?;
        let reach = self.reach([&pose, &pose], 1.0)?;
        let last = self.truncate(now, time)?;
        if self.keys.len() == 1 && self.keys[0].time > now {
            // It rests before the first pose.
            self.keys.insert(0, Key { time: now, ..self.keys[0].clone() });
        }
        if last < time {
            self.rest_until(time);
        }
        let first = self.keys.len() == 1;
        if let Some(key) = self.keys.last_mut() {
            key.reach.coordinate = key.reach.coordinate.max(reach.coordinate);
            if first {
                key.arrival = Arc::new(pose);
            } else {
                key.departure = Some(Arc::new(pose));
            }
        }
        Ok(self.last_time())
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<ReducedMesh> {
        self.body.mesh()
    }

    /// Times of the poses that are held, seconds, strictly increasing, at least one.
    pub fn times(&self) -> impl Iterator<Item = f64> {
        self.keys.iter().map(|key| key.time)
    }

    /// When the last pose is reached, seconds; the body rests after it.
    pub fn last_time(&self) -> f64 {
        self.keys.last().map_or(0.0, |key| key.time)
    }

    /// The largest distance of a vertex from its true path between the poses that are held, metres:
    /// the largest of those that [`PoseStream::extend`] and [`PoseStream::extend_promised`]
    /// returned.
    pub fn largest_deviation(&self) -> f64 {
        self.keys.iter().skip(1).fold(0.0, |most, key| most.max(key.reach.deviation))
    }

    /// The body with the poses that are held as its motion. O(keys).
    pub fn body(&self) -> ReducedBody {
        self.body.driven_alike(Arc::new(Streamed::new(self.keys.clone(), Arc::clone(&self.centres))))
    }

    /// The motion as a sampler with bounds, for
    /// [`BodyDef::bounded`](crate::world::BodyDef::bounded) and
    /// [`World::set_bounded_flightplan`](crate::world::World::set_bounded_flightplan). Later
    /// changes of the stream do not change it. O(keys).
    pub fn sampler(&self) -> Arc<dyn BoundedSampler> {
        let body = self.body();
        let mut reach = Reach::default();
        for key in &self.keys {
            reach.coordinate = reach.coordinate.max(key.reach.coordinate);
            reach.speed = reach.speed.max(key.reach.speed);
        }
        let times =
            PoseTimes::of_breaks(body.driver().breaks(), (reach.coordinate, reach.speed), self.largest_deviation());
        body.posed_pieces(times, (reach.coordinate, reach.speed), None, Outside::Hold)
    }

    /// The motion as a plan, for [`World::set_flightplan`](crate::world::World::set_flightplan) and
    /// [`World::schedule_flightplan`](crate::world::World::schedule_flightplan). O(keys).
    pub fn flightplan(&self) -> Flightplan {
        let sampler: Arc<dyn Sampler> = self.sampler();
        Flightplan::sampled(sampler)
    }

    /// Checks a pose to be appended. Leaves the bounds of the linear motion there in `bends`.
    fn check_extension(&mut self, now: f64, time: f64, pose: &Pose) -> Result<Reach, ReducedError> {
        check_time(now, f64::NEG_INFINITY)?;
        let begin = self.last_time().max(now);
        check_time(time, begin)?;
        if self.keys.len() >= limits::MAX_PIECES {
            return Err(ReducedError::TooManyTimes { count: self.keys.len() + 1 });
        }
        check_pose(self.body.mesh(), pose)?;
        let last = Arc::clone(self.keys[self.keys.len() - 1].departure());
        self.reach([&last, pose], time - begin)
    }

    /// Bounds of a piece from one pose to another, `length` seconds later.
    fn reach(&mut self, [from, to]: [&Pose; 2], length: f64) -> Result<Reach, ReducedError> {
        linear_bends([from, to], ([from, to], length), &self.centres, &mut self.bends);
        let growth = self.body.growth(&self.bends);
        let mut reach = Reach { coordinate: growth.size, speed: growth.rate, deviation: deviation(&growth, length) };
        if let Blend::Spherical { .. } = self.body.mesh().blend() {
            let [mut before, mut after] = [Vec::new(), Vec::new()];
            self.body.mesh().evaluate_all(from, &mut before)?;
            self.body.mesh().evaluate_all(to, &mut after)?;
            let pairs = before.as_flattened().iter().zip(after.as_flattened());
            (reach.coordinate, reach.speed) = pairs.fold((0.0, 0.0), |(most, fastest): (f64, f64), (a, b)| {
                (most.max(a.abs()).max(b.abs()), fastest.max((b - a).abs() / length))
            });
            reach.speed *= 1.0 + limits::EVALUATION_ROUNDING;
            let mut bends = self.bends.clone();
            let similarity = similar::steady([from, to], length, &mut bends);
            let growth = self.body.growth_between([from, to], &bends, similarity, length);
            reach.deviation = growth.deviation(length);
        }
        if reach.coordinate <= limits::MAX_COORDINATE && reach.speed <= limits::MAX_SPEED {
            Ok(reach)
        } else {
            Err(ReducedError::TooFar { coordinate: reach.coordinate, speed: reach.speed })
        }
    }

    /// Appends a checked key.
    fn push(&mut self, now: f64, key: Key) {
        self.forget_before(now);
        if self.last_time() < now {
            self.rest_until(now);
        }
        self.keys.push(key);
    }

    /// Lets the body rest in its last pose until a later time.
    fn rest_until(&mut self, time: f64) {
        let last = &self.keys[self.keys.len() - 1];
        let reach = Reach { speed: 0.0, deviation: 0.0, ..last.reach };
        let pose = Arc::clone(last.departure());
        self.keys.push(Key { time, arrival: pose, departure: None, reach });
    }

    /// Gives up keys on which no time from `now` on depends.
    fn forget_before(&mut self, now: f64) {
        // The piece that ends now is kept: its end is the body's pose now.
        let past = self.keys.partition_point(|key| key.time < now).saturating_sub(1);
        self.keys.drain(..past);
        if let Some(first) = self.keys.first_mut()
            && let Some(pose) = first.departure.take_if(|_| first.time < now)
        {
            first.arrival = pose;
        }
    }
}

/// Checks a time that must come after another one.
fn check_time(time: f64, previous: f64) -> Result<(), ReducedError> {
    let is_usable = time.abs() <= limits::MAX_TIME && time > previous;
    if is_usable { Ok(()) } else { Err(ReducedError::BadPoseTime { time, previous }) }
}

/// Checks a pose of a mesh.
fn check_pose(mesh: &ReducedMesh, pose: &Pose) -> Result<(), ReducedError> {
    mesh.check_pose(pose)?;
    // Tetrahedral nodes are constant maps.
    let is_scaled = *mesh.blend() != Blend::Combination;
    match pose.maps.iter().position(|map| is_scaled && map.is_flat()) {
        Some(map) => Err(ReducedError::ZeroScale { map }),
        None => Ok(()),
    }
}

/// Checks promised bounds against those that linear motion between the poses has: by the mean value
/// theorem no motion from one pose to the other is slower everywhere.
fn check_promise(promised: &PoseDerivativeBounds, shown: &PoseDerivativeBounds) -> Result<(), ReducedError> {
    if promised.maps.len() != shown.maps.len() {
        return Err(ReducedError::MapCount { expected: shown.maps.len(), found: promised.maps.len() });
    }
    if promised.morphs.len() != shown.morphs.len() {
        return Err(ReducedError::MorphCount { expected: shown.morphs.len(), found: promised.morphs.len() });
    }
    let maps = promised.maps.iter().zip(&shown.maps);
    let all = maps
        .flat_map(|(own, least)| [("linear part", own.linear, least.linear), ("centre", own.centre, least.centre)])
        .chain(promised.morphs.iter().zip(&shown.morphs).map(|(own, least)| ("morph weight", *own, *least)));
    for (place, (quantity, own, least)) in all.enumerate() {
        let index = if quantity == "morph weight" { place - 2 * promised.maps.len() } else { place / 2 };
        // Operator norms are bounded from above, so a bound that is met may be smaller by √3.
        let slack = if quantity == "linear part" { 3.0f64.sqrt() } else { 1.0 } * (1.0 + limits::EVALUATION_ROUNDING);
        for (value, least) in [(own.size, least.size), (own.rate, least.rate), (own.bend, 0.0)] {
            if !(value >= 0.0 && value * slack + limits::EVALUATION_ROUNDING >= least) {
                return Err(ReducedError::BadBound { quantity, index, value });
            }
        }
    }
    Ok(())
}
