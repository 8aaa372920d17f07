//! The two sides of the contacts of a surface with itself.
//!
//! A pair of triangles of one surface is given with the lower number first, which says nothing
//! about where they lie. Two pairs agree if their first triangles share a welded vertex, and their
//! second ones; they disagree if the first of one shares a vertex with the second of the other, and
//! the reverse. Pairs are turned until connected ones agree, where that is possible.

use super::surface::Surface;
use crate::sets::Colours;

/// Turns pairs of different triangles of a surface so that the first ones of connected pairs lie on
/// one side. The first pair of a connected set remains as it is; so do all of a set whose sides are
/// connected with each other. O(pairs · log pairs).
pub(super) fn turn(surface: &Surface, pairs: &mut [[u32; 2]]) {
    let corners = |number: u32| pairs[number as usize].map(|triangle| surface.fixed.welded[triangle as usize]);
    // Pairs by the vertices of both triangles. Sorting single numbers of 64 bits is fast, and
    // vertices take at most 30 of them (limits::MAX_INDEX).
    let mut listed: Vec<u64> = Vec::with_capacity(6 * pairs.len());
    for number in 0..pairs.len() as u32 {
        listed.extend(corners(number).as_flattened().iter().map(|&vertex| u64::from(vertex) << 32 | u64::from(number)));
    }
    listed.sort_unstable();
    listed.dedup();
    let mut colours = Colours::new(pairs.len());
    let (mut contradictions, mut opposite) = (Vec::new(), Vec::new());
    for at_low in listed.chunk_by(|x, y| x >> 32 == y >> 32) {
        let low = (at_low[0] >> 32) as u32;
        // By the higher of two vertices, one of either triangle: the pair, and whether the second
        // triangle has the lower one.
        opposite.clear();
        for number in at_low.iter().map(|&entry| entry as u32) {
            let [own, others] = corners(number);
            for (from, to, way) in [(own, others, 0), (others, own, 1)] {
                if from.contains(&low) {
                    let higher = to.into_iter().filter(|&high| high > low);
                    opposite.extend(higher.map(|high| u64::from(high) << 33 | u64::from(number) << 1 | way));
                }
            }
        }
        opposite.sort_unstable();
        for same in opposite.chunk_by(|x, y| x >> 33 == y >> 33) {
            let unpacked = |entry: u64| ((entry >> 1) as u32, entry & 1);
            let (first, way) = unpacked(same[0]);
            let others = same[1..].iter().map(|&entry| unpacked(entry));
            let refused = others.filter(|&(other, other_way)| !colours.join(first, other, way != other_way));
            contradictions.extend(refused.map(|(other, _)| other));
        }
    }
    let mut is_one_side = vec![false; pairs.len()];
    for pair in contradictions {
        is_one_side[colours.find(pair).0 as usize] = true;
    }
    for (number, pair) in pairs.iter_mut().enumerate() {
        let (root, is_turned) = colours.find(number as u32);
        if is_turned && !is_one_side[root as usize] {
            pair.swap(0, 1);
        }
    }
}
