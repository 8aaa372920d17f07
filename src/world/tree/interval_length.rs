//! The length of an interval of a velocity field.
//!
//! Boxes of an interval are those of its ends, interpolated; but a pair of leaves is listed if it
//! meets at any time of the interval. So the longer an interval, the more leaf pairs it lists that
//! do not meet at a step: leaves that move by several times their size pass many others. The length
//! depends on the body and its motion alone. Contacts do not depend on it.

use crate::bvh::Topology;
use crate::motion::{Motion, StretchKind};
use crate::time::Moment;
use crate::tuning;

/// The longest interval of a body around a moment, seconds: infinite unless its vertices keep their
/// velocities. O(vertices).
pub(crate) fn max_interval(topology: &Topology, motion: &Motion, now: Moment) -> f64 {
    let moves = [now, Moment::after(now.time())]
        .into_iter()
        .any(|at| motion.stretch(at).is_some_and(|stretch| matches!(stretch.kind, StretchKind::Lines { .. })));
    if !moves {
        return f64::INFINITY;
    }
    let vertices: Vec<u32> = (0..motion.vertex_count() as u32).collect();
    let (_, velocities) = motion.lines_of(&vertices);
    let mut positions = Vec::new();
    motion.positions(now, &mut positions);
    let (mut size, mut speed) = (0.0, 0.0);
    let leaves = topology.nodes().iter().enumerate().filter(|(_, node)| node.is_used() && node.is_leaf());
    for (leaf, _) in leaves {
        let (mut low, mut high, mut fastest) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0f64);
        for &point in topology.leaf_points(leaf as u32) {
            for axis in 0..3 {
                low[axis] = low[axis].min(positions[point as usize][axis]);
                high[axis] = high[axis].max(positions[point as usize][axis]);
            }
            let square = |x: f32| f64::from(x) * f64::from(x);
            fastest = fastest.max(velocities[point as usize].into_iter().map(square).sum());
        }
        if low[0] <= high[0] {
            size += (0..3).map(|axis| high[axis] - low[axis]).sum::<f64>() / 3.0;
            speed += fastest.sqrt();
        }
    }
    // No leaf moves, or none has a size: not a number, or infinite.
    let longest = tuning::INTERVAL_TRAVEL_PER_LEAF * size / speed;
    if longest > 0.0 { longest } else { f64::INFINITY }
}

/// When an interval of about some length (seconds) ends that begins at a time. Bodies that choose
/// theirs end them together, at multiples of a power of two: pairs of bodies whose intervals end at
/// different times have an interval for every piece.
pub(crate) fn common_end(from: f64, length: f64) -> f64 {
    // The power of two below it, or the one above if that is nearer by ratio: by its bits, as
    // logarithms differ from machine to machine.
    let below = f64::from_bits(length.to_bits() & f64::INFINITY.to_bits());
    let unit = if length > std::f64::consts::SQRT_2 * below { 2.0 * below } else { below };
    let end = ((from / unit).floor() + 1.0) * unit;
    // No short ones.
    if end - from < 0.5 * unit { end + unit } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_about_the_same_length_end_together() {
        for (length, unit) in
            [(0.186, 0.25), (0.15, 0.125), (0.13, 0.125), (0.1, 0.125), (3.0, 4.0), (1e-3, 1.0 / 1024.0)]
        {
            for from in [-7.3, -0.1, 0.0, 0.07, 0.125, 1.99, 640.3] {
                let end = common_end(from, length);
                assert!(end > from && (0.5..=1.5).contains(&((end - from) / unit)), "{from} {length}: {end}");
                assert_eq!(end % unit, 0.0);
                assert_eq!(end, common_end(from, 1.01 * length));
                // The next one has the full length.
                assert_eq!(common_end(end, length), end + unit);
            }
        }
    }
}
