//! Checks of a driver against its own bounds at random times.
//!
//! Nothing is differentiated. What is checked follows from a bound without approximation, for a
//! quantity `q` over a piece and times `a < t < b` in it:
//!
//! | bound | follows |
//! |---|---|
//! | size | `‖q(t)‖ ≤ size` |
//! | rate | `‖q(b) − q(a)‖ ≤ rate · (b − a)` |
//! | bend | the distance of `q(t)` from the chord from `q(a)` to `q(b)` is at most `½ (t − a)(b − t) · bend` |
//! | similarity | some scale within its bounds is as near to the map as `off` says |

use nalgebra::{Matrix3, Vector3};

use super::{
    Affine, Break, DerivativeBounds, Driver, DriverFault, Pose, PoseDerivativeBounds, ReducedBody, ReducedError,
    SimilarityBounds,
};
use crate::limits;
use crate::time::{Moment, Span};

/// Vertices checked per piece.
const VERTICES: usize = 32;

/// Checks a host's [`Driver`] against what it states of itself: breaks, poses, the bounds of
/// [`Driver::bends`] and [`Driver::similarity`], and with them the motion of vertices.
///
/// Takes `pieces` random pieces without inner breaks and times in them; equal seeds take the same
/// ones. Bounds hold up to [`limits::EVALUATION_ROUNDING`]. A driver that passes may still be wrong
/// at other times; a fault is one. For tests of hosts: bounds that are wrong let a world miss
/// contacts. [`crate::check_bounded_sampler`] checks what was made of the driver.
///
/// O(pieces × (maps + morph weights)), and a few vertices per piece.
///
/// # Errors
/// [`ReducedError::Driver`] with the first fault: the map, morph target or vertex, the piece and
/// the time.
///
/// ```
/// # use std::sync::Arc;
/// use kinetree::reduced::{Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy};
/// use kinetree::{Mesh, Outside};
/// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
/// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
/// # let mesh = Arc::new(ReducedMesh::new(def)?);
/// # let lifted = Pose { maps: vec![Affine::from_parts([0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3])], morphs: vec![] };
/// # let driver = PoseKeys::new(&[0.0, 1.0], vec![Pose::rest(1, 0), lifted], vec![[0.0; 3]], Outside::Hold)?;
/// use kinetree::reduced::check_driver;
///
/// let body = ReducedBody::new(mesh, Arc::new(driver))?;
/// check_driver(&body, 1, 100)?; // The seed; the number of pieces.
/// # Ok::<(), kinetree::Error>(())
/// ```
pub fn check_driver(body: &ReducedBody, seed: u64, pieces: usize) -> Result<(), ReducedError> {
    let driver = &**body.driver();
    check_breaks(driver)?;
    let check = Check { body, driver };
    let span = driver.span();
    // Every time is allowed, those outside the span too.
    for time in [span.begin - 1.0, span.begin, span.end, span.end + 1.0] {
        check.pose(Moment::at(time))?;
        check.pose(Moment::after(time))?;
    }
    driver.breaks().iter().try_for_each(|stop| check.at_break(stop))?;
    let stretches: Vec<[f64; 2]> = driver.breaks().windows(2).map(|two| [two[0].time, two[1].time]).collect();
    if stretches.is_empty() {
        return Ok(());
    }
    let mut random = Random(seed);
    for _ in 0..pieces {
        let [begin, end] = stretches[random.below(stretches.len())];
        // Whole stretches, and parts of all lengths.
        let length = (end - begin) * [1.0, 0.5, 0.1, 0.01][random.below(4)];
        let from = begin + (end - begin - length) * random.unit();
        let piece = Span { begin: from.max(begin), end: (from + length).min(end) };
        if piece.begin < piece.end {
            check.piece(piece, &mut random)?;
        }
    }
    Ok(())
}

fn check_breaks(driver: &dyn Driver) -> Result<(), DriverFault> {
    let (breaks, span) = (driver.breaks(), driver.span());
    let is_wrong = |two: &[Break]| !(two[0].time < two[1].time && two[1].time.is_finite());
    if !breaks.first().is_some_and(|first| first.time == span.begin && first.time.is_finite()) {
        return Err(DriverFault::Breaks { index: 0 });
    }
    match breaks.windows(2).position(is_wrong) {
        Some(before) => Err(DriverFault::Breaks { index: before + 1 }),
        None if breaks[breaks.len() - 1].time == span.end => Ok(()),
        None => Err(DriverFault::Breaks { index: breaks.len() }),
    }
}

/// `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }
}

/// Three times of a piece, in order, and the poses then.
struct Three {
    piece: Span,
    times: [f64; 3],
    poses: [Pose; 3],
}

struct Check<'a> {
    body: &'a ReducedBody,
    driver: &'a dyn Driver,
}

impl Check<'_> {
    /// The pose at a moment, if it is a usable one.
    fn pose(&self, at: Moment) -> Result<Pose, DriverFault> {
        let mut pose = Pose::default();
        self.driver.pose(at, &mut pose);
        let checked = pose.check(self.driver.map_count(), self.driver.morph_count());
        let checked = checked.and_then(|()| self.body.mesh().check_pose(&pose));
        checked.map_err(|fault| DriverFault::Pose { time: at.time(), fault: Box::new(fault) })?;
        Ok(pose)
    }

    /// Checks that a break that is no jump has one pose.
    fn at_break(&self, &Break { time, is_jump }: &Break) -> Result<(), DriverFault> {
        let [before, after] = [self.pose(Moment::at(time))?, self.pose(Moment::after(time))?];
        // What a loop does at its end is no jump of the driver.
        if is_jump || time == self.driver.span().end {
            return Ok(());
        }
        let jump = |part, index, value: f64, size: f64| {
            let is_one = value <= rounding(size, 0.0, time);
            if is_one { Ok(()) } else { Err(DriverFault::HiddenJump { part, index, time, value }) }
        };
        for (map, (one, other)) in before.maps.iter().zip(&after.maps).enumerate() {
            jump("linear part of map", map, (other.linear - one.linear).norm(), one.linear.norm())?;
            let [one, other] = [one, other].map(|image| image.apply(&self.centre(map)));
            jump("centre of map", map, (other - one).norm(), one.norm())?;
        }
        for (morph, (one, other)) in before.morphs.iter().zip(&after.morphs).enumerate() {
            jump("morph weight", morph, (other - one).abs(), one.abs())?;
        }
        Ok(())
    }

    fn centre(&self, map: usize) -> Vector3<f64> {
        Vector3::from(self.driver.centres()[map])
    }

    /// Checks all bounds of a piece.
    fn piece(&self, piece: Span, random: &mut Random) -> Result<(), DriverFault> {
        let mut bends = PoseDerivativeBounds::default();
        self.driver.bends(piece, &mut bends);
        let similarity = self.driver.similarity(piece);
        let counts = [(self.driver.map_count(), bends.maps.len()), (self.driver.morph_count(), bends.morphs.len())];
        if let Some((expected, found)) = counts.into_iter().find(|(expected, found)| expected != found) {
            let fault = Box::new(ReducedError::MapCount { expected, found });
            return Err(DriverFault::Pose { time: piece.begin, fault });
        }
        let deviation = self.body.deviation(piece);
        let within = |share: f64| piece.begin + share * (piece.end - piece.begin);
        let mut shares = [random.unit(), random.unit(), random.unit()];
        shares.sort_by(f64::total_cmp);
        // The whole piece with a time in it, and three times in it.
        let inside = [within(shares[0]), within(shares[1]), within(shares[2])];
        for times in [[piece.begin, within(0.5), piece.end], [piece.begin, inside[1], piece.end], inside] {
            if !(times[0] < times[1] && times[1] < times[2] && times[2] <= piece.end) {
                continue;
            }
            let first = if times[0] == piece.begin { Moment::after(times[0]) } else { Moment::at(times[0]) };
            let poses = [self.pose(first)?, self.pose(Moment::at(times[1]))?, self.pose(Moment::at(times[2]))?];
            let three = Three { piece, times, poses };
            self.parameters(&three, &bends)?;
            self.scales(&three, &similarity)?;
            self.vertices(&three, &bends, deviation, random)?;
        }
        Ok(())
    }

    fn parameters(&self, three: &Three, bends: &PoseDerivativeBounds) -> Result<(), DriverFault> {
        for (map, stated) in bends.maps.iter().enumerate() {
            let linear = three.poses.each_ref().map(|pose| pose.maps[map].linear);
            three.hold("linear part of map", map, stated.linear, linear, operator_norm)?;
            let centre = three.poses.each_ref().map(|pose| pose.maps[map].apply(&self.centre(map)));
            // The image of a far centre is rounded as far as the parts that it is a sum of.
            let reach = self.centre(map).norm() * stated.linear.size + three.poses[1].maps[map].shift.norm();
            let stated = DerivativeBounds { size: stated.centre.size + rounding(reach, 0.0, 0.0), ..stated.centre };
            three.hold("centre of map", map, stated, centre, |place| place.norm())?;
        }
        for (morph, &stated) in bends.morphs.iter().enumerate() {
            let weight = three.poses.each_ref().map(|pose| pose.morphs[morph]);
            three.hold("morph weight", morph, stated, weight, f64::abs)?;
        }
        Ok(())
    }

    /// Checks that maps are near rotations times scales, and what is stated of the scales.
    fn scales(&self, three: &Three, stated: &SimilarityBounds) -> Result<(), DriverFault> {
        if stated.off == f64::INFINITY {
            return Ok(()); // Nothing is stated.
        }
        for map in 0..self.driver.map_count() {
            let ranges = three.poses.each_ref().map(|pose| scale_range(&pose.maps[map], stated.off));
            let fault = |statement, time, value, bound| {
                let (part, index, piece) = ("scale of map", map, three.piece);
                DriverFault::Bound { part, index, statement, piece, time, value, bound }
            };
            let slack = rounding(stated.scale.size, 0.0, 0.0);
            for (place, &(low, high)) in ranges.iter().enumerate() {
                let time = three.times[place];
                if !(low <= high + slack) {
                    return Err(fault("off", time, nearest_off(&three.poses[place].maps[map]), stated.off));
                }
                if !(stated.least > 0.0 && high + slack >= stated.least) {
                    return Err(fault("least", time, high, stated.least));
                }
                if !(low - slack <= stated.scale.size) {
                    return Err(fault("size", time, low, stated.scale.size));
                }
            }
            let [(low_a, high_a), (low_t, high_t), (low_b, high_b)] = ranges;
            let [a, t, b] = three.times;
            // Scales are known to lie in these ranges; what all of them exceed is exceeded.
            let moved = (low_b - high_a).max(low_a - high_b);
            if !(moved <= stated.scale.rate * (b - a) + slack) {
                return Err(fault("rate", b, moved / (b - a), stated.scale.rate));
            }
            let chord = |from: f64, to: f64| from + (to - from) * ((t - a) / (b - a));
            let off = (low_t - chord(high_a, high_b)).max(chord(low_a, low_b) - high_t);
            let half = 0.5 * (t - a) * (b - t);
            if !(off <= half * stated.scale.bend + slack) {
                return Err(fault("bend", t, off / half, stated.scale.bend));
            }
        }
        Ok(())
    }

    fn vertices(
        &self,
        three: &Three,
        bends: &PoseDerivativeBounds,
        deviation: f64,
        random: &mut Random,
    ) -> Result<(), DriverFault> {
        let count = self.body.mesh().vertex_count();
        if count == 0 {
            return Ok(());
        }
        let chosen: Vec<u32> = (0..VERTICES.min(count)).map(|_| random.below(count) as u32).collect();
        let mut places: [Vec<[f64; 3]>; 3] = Default::default();
        for (place, pose) in three.poses.iter().enumerate() {
            let pose_fault = |fault| DriverFault::Pose { time: three.times[place], fault: Box::new(fault) };
            self.body.mesh().evaluate(pose, &chosen, &mut places[place]).map_err(pose_fault)?;
        }
        for (slot, &vertex) in chosen.iter().enumerate() {
            let at = places.each_ref().map(|places| Vector3::from(places[slot]));
            let Ok(stated) = self.body.growth_of(vertex, bends) else { continue };
            three.hold("vertex", vertex as usize, stated, at, |place| place.norm())?;
            let off = three.off_chord(at).norm();
            if three.times[0] == three.piece.begin && !(off <= deviation) {
                let (piece, time) = (three.piece, three.times[1]);
                let (part, index, statement) = ("vertex", vertex as usize, "deviation");
                return Err(DriverFault::Bound { part, index, statement, piece, time, value: off, bound: deviation });
            }
        }
        Ok(())
    }
}

impl Three {
    /// The distance of the second from the chord of the others.
    fn off_chord<Q>(&self, [from, at, to]: [Q; 3]) -> Q
    where
        Q: Copy + std::ops::Sub<Output = Q> + std::ops::Add<Output = Q> + std::ops::Mul<f64, Output = Q>,
    {
        let share = (self.times[1] - self.times[0]) / (self.times[2] - self.times[0]);
        at - (from + (to - from) * share)
    }

    /// Checks the bounds of a quantity.
    fn hold<Q>(
        &self,
        part: &'static str,
        index: usize,
        stated: DerivativeBounds,
        at: [Q; 3],
        norm: impl Fn(Q) -> f64,
    ) -> Result<(), DriverFault>
    where
        Q: Copy + std::ops::Sub<Output = Q> + std::ops::Add<Output = Q> + std::ops::Mul<f64, Output = Q>,
    {
        let [a, t, b] = self.times;
        let sizes = at.map(&norm);
        let fault = |statement, time, value, bound| {
            let piece = self.piece;
            Err(DriverFault::Bound { part, index, statement, piece, time, value, bound })
        };
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let slack = rounding(if stated.size.is_finite() { stated.size } else { largest }, stated.rate, b);
        for (size, time) in sizes.into_iter().zip(self.times) {
            if !(size <= stated.size + slack) {
                return fault("size", time, size, stated.size);
            }
        }
        let moved = norm(at[2] - at[0]);
        if !(moved <= stated.rate * (b - a) + slack) {
            return fault("rate", b, moved / (b - a), stated.rate);
        }
        let (off, half) = (norm(self.off_chord(at)), 0.5 * (t - a) * (b - t));
        if off <= half * stated.bend + slack { Ok(()) } else { fault("bend", t, off / half, stated.bend) }
    }
}

/// The rounding of a quantity of a size that changes at a rate, at a time.
fn rounding(size: f64, rate: f64, time: f64) -> f64 {
    let of_time = if rate.is_finite() { limits::ROUNDING * time.abs() * rate } else { 0.0 };
    2.0 * limits::EVALUATION_ROUNDING * size + of_time
}

/// Smallest and largest singular value; the smallest is negative if the matrix mirrors.
fn singular_values(matrix: &Matrix3<f64>) -> [f64; 2] {
    let squares = (matrix.transpose() * matrix).symmetric_eigenvalues();
    let [least, most] = [squares.min(), squares.max()].map(|square| square.max(0.0).sqrt());
    [if matrix.determinant() < 0.0 { -least } else { least }, most]
}

fn operator_norm(matrix: Matrix3<f64>) -> f64 {
    singular_values(&matrix)[1]
}

/// The scales of which the linear part of a map is within `off` of a rotation times the scale: from
/// the first to the second, none if the first is larger.
fn scale_range(map: &Affine, off: f64) -> (f64, f64) {
    let [least, most] = singular_values(&map.linear);
    // |σ − s| ≤ off · s for all singular values σ.
    (most / (1.0 + off), if off < 1.0 { least / (1.0 - off) } else { f64::INFINITY })
}

/// The least `off` with which some scale is near a map.
fn nearest_off(map: &Affine) -> f64 {
    let [least, most] = singular_values(&map.linear);
    (most - least) / (most + least)
}
