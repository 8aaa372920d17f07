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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    /// Turned by comparing each pair with each, from the least number on.
    fn by_comparison(welded: &[[u32; 3]], pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let meet = |p: u32, q: u32| welded[p as usize].map(|vertex| welded[q as usize].contains(&vertex));
        // Which vertices each of two pairs has in common with the other, side by side: the same
        // two vertices must be one of either triangle of both.
        let shares = |x: [u32; 2], y: [u32; 2]| {
            let [first, second] = [(x[0], y[0]), (x[1], y[1])].map(|(p, q)| {
                let common = meet(p, q);
                (0..3).filter(|&k| common[k]).map(|k| welded[p as usize][k]).collect::<Vec<u32>>()
            });
            first.iter().any(|p| second.iter().any(|q| p != q))
        };
        let count = pairs.len();
        let mut turned = pairs.to_vec();
        let mut seen = vec![false; count];
        for from in 0..count {
            if seen[from] {
                continue;
            }
            // Colours of the set, and whether one pair of it needs both.
            let (mut colour, mut is_one_side) = (vec![None; count], false);
            let mut open = vec![from];
            colour[from] = Some(false);
            while let Some(x) = open.pop() {
                for y in 0..count {
                    let [p, q] = pairs[y];
                    for (other, is_turned) in [([p, q], false), ([q, p], true)] {
                        if !shares(pairs[x], other) {
                            continue;
                        }
                        let wanted = colour[x].unwrap() ^ is_turned;
                        match colour[y] {
                            None => {
                                colour[y] = Some(wanted);
                                open.push(y);
                            }
                            Some(known) => is_one_side |= known != wanted,
                        }
                    }
                }
            }
            for pair in 0..count {
                if let Some(is_turned) = colour[pair] {
                    seen[pair] = true;
                    if is_turned && !is_one_side {
                        turned[pair].swap(0, 1);
                    }
                }
            }
        }
        turned
    }

    #[test]
    fn pairs_are_turned_as_by_comparing_all() {
        let mut state = 1u64;
        let mut below = |count: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % count
        };
        let (mut as_given, mut turned_some) = (0, 0);
        for _ in 0..400 {
            let vertices = 9 + below(30);
            let triangles: Vec<[u32; 3]> = (0..12)
                .map(|_| {
                    let first = below(vertices) as u32;
                    [0, 1 + below(2) as u32, 3].map(|step| (first + step) % vertices as u32)
                })
                .collect();
            let positions: Vec<[f64; 3]> =
                (0..vertices).map(|at| [at as f64, (at * at % 11) as f64, (at * 7 % 5) as f64]).collect();
            let surface = Surface::new(&Mesh::new(vertices as usize, triangles).unwrap(), &positions).unwrap();
            let mut pairs: Vec<[u32; 2]> = (0..below(10))
                .map(|_| {
                    let first = below(11) as u32;
                    [first, first + 1 + below(11 - u64::from(first)) as u32]
                })
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            let expected = by_comparison(&surface.fixed.welded, &pairs);
            let given = pairs.clone();
            turn(&surface, &mut pairs);
            assert_eq!(pairs, expected, "{:?} {given:?}", surface.fixed.welded);
            if pairs == given { as_given += 1 } else { turned_some += 1 }
        }
        assert!(as_given > 50 && turned_some > 50, "{as_given} {turned_some}");
    }
}
