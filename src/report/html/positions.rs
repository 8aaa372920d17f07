//! Positions of a body over the kept frames: 16 bits a coordinate in the body's box, as differences
//! from a prediction.
//!
//! The first frame is predicted by the vertex before, the second by the first, and every other
//! either by the frame before or by the line through the two frames before: the better of the two,
//! chosen per body.

use super::error::HtmlError;
use super::frames::Kept;
use super::pack::{planes, zigzag16, zigzag32};
use crate::io::Scene;
use crate::math::Aabb;
use crate::math::vector::widened;
use crate::motion::Motion;
use crate::time::Moment;

/// The largest number of 16 bits.
const MOST: f64 = 65_535.0;

/// A body thinner than this, relative to its other extents, is flat.
const FLAT: f64 = 0.02;

/// How one body is stored.
#[derive(Clone, Debug)]
pub(super) struct Track {
    /// Frames: those that are kept, or 1 for a body that is the same in all of them.
    pub(super) frames: usize,
    /// Position of the number 0, metres.
    pub(super) min: [f64; 3],
    /// Distance of two numbers, metres.
    pub(super) step: [f64; 3],
    /// Frames that predict one: 1 or 2.
    pub(super) order: u8,
    /// Differences, zigzag, in two planes; frame by frame, axis by axis, vertex by vertex.
    pub(super) bytes: Vec<u8>,
}

/// Stores all bodies.
pub(super) fn tracks(scene: &Scene, motions: &[Motion], kept: &Kept) -> Result<Vec<Track>, HtmlError> {
    let bodies = scene.bodies.iter().zip(motions);
    bodies.map(|(body, motion)| track(&body.name, motion, &kept.times)).collect()
}

fn track(name: &str, motion: &Motion, times: &[f64]) -> Result<Track, HtmlError> {
    let allowed = motion.allowed_span();
    if let Some(&time) = times.iter().find(|&&time| !allowed.contains(time)) {
        return Err(HtmlError::Outside { body: name.into(), time, begin: allowed.begin, end: allowed.end });
    }
    let (mut here, mut first) = (Vec::new(), Vec::new());
    let (mut bounds, mut is_still) = (Aabb::EMPTY, true);
    for (frame, &time) in times.iter().enumerate() {
        here.clear();
        motion.positions(Moment::at(time), &mut here);
        bounds = bounds.union(&Aabb::of_points(&here));
        if frame == 0 {
            first.clone_from(&here);
        }
        is_still &= here == first;
    }
    if here.is_empty() {
        bounds = Aabb { min: [0.0; 3], max: [0.0; 3] };
    }
    let step = bounds.sides().map(|side| side / MOST);
    let mut numbers = Vec::new();
    for &time in &times[..if is_still { times.len().min(1) } else { times.len() }] {
        here.clear();
        motion.positions(Moment::at(time), &mut here);
        for axis in 0..3 {
            numbers.extend(here.iter().map(|point| number(point[axis], bounds.min[axis], step[axis])));
        }
    }
    let frames = if is_still { 1 } else { times.len() };
    let (order, differences) = differences(&numbers, motion.vertex_count() * 3);
    let mut bytes = Vec::with_capacity(differences.len() * 2);
    planes(&differences.iter().map(|difference| difference.to_le_bytes()), &mut bytes);
    Ok(Track { frames, min: bounds.min, step, order, bytes })
}

fn number(x: f64, min: f64, step: f64) -> u16 {
    if step > 0.0 { ((x - min) / step).round().clamp(0.0, MOST) as u16 } else { 0 }
}

/// The differences of the better prediction, and its order.
fn differences(numbers: &[u16], a_frame: usize) -> (u8, Vec<u16>) {
    let of_order = |order: u8| -> Vec<u16> {
        let predicted = |place: usize| match place.checked_sub(a_frame) {
            None if place == 0 => 0,
            None => numbers[place - 1],
            Some(before) if order == 1 || before < a_frame => numbers[before],
            Some(before) => numbers[before].wrapping_mul(2).wrapping_sub(numbers[before - a_frame]),
        };
        numbers.iter().enumerate().map(|(place, &n)| zigzag16(n.wrapping_sub(predicted(place)))).collect()
    };
    // Bits of all differences: what they take when they are packed, roughly.
    let bits = |all: &[u16]| all.iter().map(|&difference| u64::from(16 - difference.leading_zeros())).sum::<u64>();
    let (one, two) = (of_order(1), of_order(2));
    if bits(&two) < bits(&one) { (2, two) } else { (1, one) }
}

/// Triangles of all bodies: differences from the index before, in four planes.
pub(super) fn triangles(scene: &Scene) -> Vec<u8> {
    let mut bytes = Vec::new();
    for body in &scene.bodies {
        let flat = body.mesh.triangles.as_flattened();
        let before = std::iter::once(&0).chain(flat);
        planes(
            &flat.iter().zip(before).map(|(&i, &before)| zigzag32(i.wrapping_sub(before)).to_le_bytes()),
            &mut bytes,
        );
    }
    bytes
}

/// The axis to show upright: z where a body that never moves is flat across z, as floors are, and
/// otherwise y.
pub(super) fn upright(scene: &Scene) -> usize {
    let is_floor = |positions: &[[f32; 3]]| {
        let points = widened(positions);
        let size = Aabb::of_points(&points).sides();
        size[2] <= FLAT * size[0].min(size[1])
    };
    let mut still = scene.bodies.iter().filter(|body| body.motion.is_fixed());
    if still.any(|body| !body.mesh.positions.is_empty() && is_floor(&body.mesh.positions)) { 2 } else { 1 }
}
