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
    let mut listed = Vec::with_capacity(9 * pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let [own, others] = pair.map(|triangle| surface.fixed.welded[triangle as usize]);
        for p in own {
            let others = others.into_iter().filter(|&q| q != p);
            listed.extend(others.map(|q| ([p.min(q), p.max(q)], number as u32, p > q)));
        }
    }
    listed.sort_unstable();
    let mut colours = Colours::new(pairs.len());
    let mut contradictions = Vec::new();
    for same in listed.chunk_by(|x, y| x.0 == y.0) {
        let (_, first, way) = same[0];
        contradictions.extend(
            same[1..]
                .iter()
                .filter(|&&(_, other, other_way)| !colours.join(first, other, way != other_way))
                .map(|other| other.1),
        );
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
