//! Triangles that share corners: tests whether they share more than those corners.
//!
//! Two triangles of one surface with a common corner touch at all times; of interest is whether
//! they share anything *beyond* the common corner or edge. That is decided by parts of the
//! triangles that have no corner in common:
//!
//! | common corners | they share more exactly if |
//! |---|---|
//! | one | the side of one triangle opposite the corner meets the other triangle |
//! | two (an edge) | the third corner of one lies in the other, or two sides through different ends of the edge meet |
//! | three | never asked: one is a copy of the other |
//!
//! Welded corners count as common. Two corners of one triangle may be welded to each other; such a
//! triangle has no area at rest, and may gain one as it moves. Then each of its two corners is
//! common, and of that triangle only what remains is tested:
//!
//! | welded corners of the first triangle that are one corner of the second | they share more exactly if |
//! |---|---|
//! | two | the third corner of the first lies in the second, or the side of the second opposite the common corner meets the first |
//! | two, and the third corner is common too | never asked: nothing remains of the first |
//! | three | never asked |
//!
//! Where the two corners part, contact that only the sides between them make is not reported: they
//! are one point of the surface. `tests/truth` computes this rule exactly.
//!
//! Why, for one corner: the common part of two triangles is convex and holds the corner; a ray from
//! the corner through another common point leaves one of the two triangles first, through the side
//! opposite the corner, and is still in the other there. For an edge: more is shared only if both
//! lie in one plane on the same side of the edge; then either one third corner lies in the other
//! triangle, or the two outlines cross.
//!
//! Each part is a triangle shrunk to a side or a point, so the exact tests of whole triangles
//! decide.

use super::intervals::{ContactInterval, Feature, IntervalStats, MovingTriangle, touch_at_time};
use super::proximity::proximity_intervals;
use super::triangles_touch;

/// A part of a triangle: the numbers of its corners, repeated where it is a side or a point.
type Part = [usize; 3];

const WHOLE: Part = [0, 1, 2];

/// The parts to be tested against each other, given which corners are common (the corner of `a`,
/// the corner of `b`).
fn parts(common: &[(usize, usize)]) -> impl Iterator<Item = (Part, Part)> + use<> {
    let others = |taken: &dyn Fn(usize) -> bool| -> Vec<usize> { (0..3).filter(|&corner| !taken(corner)).collect() };
    let rest_a = others(&|corner| common.iter().any(|pair| pair.0 == corner));
    let rest_b = others(&|corner| common.iter().any(|pair| pair.1 == corner));
    let mut found = Vec::new();
    if let (&[first, ..], &[first_b, ..]) = (&rest_a[..], &rest_b[..]) {
        found.push(([first, rest_a[rest_a.len() - 1], rest_a[rest_a.len() - 1]], WHOLE));
        found.push((WHOLE, [first_b, rest_b[rest_b.len() - 1], rest_b[rest_b.len() - 1]]));
        if let (&[p], &[q], &[(a0, b0), (a1, b1)]) = (&rest_a[..], &rest_b[..], common) {
            found.push(([p, a0, a0], [q, b1, b1]));
            found.push(([p, a1, a1], [q, b0, b0]));
        }
    }
    found.into_iter()
}

/// Whether a test holds for some two parts, given by the numbers of their corners.
pub(crate) fn any_parts(common: &[(usize, usize)], mut test: impl FnMut([usize; 3], [usize; 3]) -> bool) -> bool {
    parts(common).any(|(of_a, of_b)| test(of_a, of_b))
}

/// Tests whether two triangles share a point besides their common corners and edge. `common` lists
/// the common corners: which of `a`, which of `b`. Exact; three common corners: no.
pub fn neighbours_touch(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], common: &[(usize, usize)]) -> bool {
    parts(common).any(|(of_a, of_b)| triangles_touch(&of_a.map(|corner| a[corner]), &of_b.map(|corner| b[corner])))
}

/// Appends the maximal closed intervals of `s` in `[0, 1]` in which two moving triangles share a
/// point besides their common corners and edge, ascending and disjoint; or in which those parts of
/// them are within `distance` metres of each other. As [`proximity_intervals`] otherwise.
pub fn neighbour_intervals(
    a: &MovingTriangle,
    b: &MovingTriangle,
    common: &[(usize, usize)],
    distance: f64,
    out: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    let mut found = Vec::new();
    for (of_a, of_b) in parts(common) {
        let from = found.len();
        proximity_intervals(&part_of(a, of_a), &part_of(b, of_b), distance, &mut found, stats);
        for interval in &mut found[from..] {
            interval.feature = renamed(interval.feature, of_a, of_b);
        }
    }
    found.sort_by(|x, y| x.begin.lo.total_cmp(&y.begin.lo).then(y.end.hi.total_cmp(&x.end.hi)));
    let begin = out.len();
    for interval in found {
        match out[begin..].last_mut() {
            Some(last) if interval.begin.lo <= last.end.hi => {
                last.instant &= (last.begin, last.end) == (interval.begin, interval.end);
                // The earlier begin and the later end of both: one that is exact stays exact.
                if interval.begin.hi < last.begin.hi {
                    (last.begin.hi, last.feature) = (interval.begin.hi, interval.feature);
                }
                last.end.lo = last.end.lo.max(interval.end.lo);
                last.end.hi = last.end.hi.max(interval.end.hi);
                last.undecided |= interval.undecided;
            }
            _ => out.push(interval),
        }
    }
}

/// Whether two moving triangles share a point besides their common corners and edge at a time.
/// Exact, as [`touch_at_time`].
pub fn neighbours_touch_at_time(
    a: &MovingTriangle,
    b: &MovingTriangle,
    common: &[(usize, usize)],
    window: (f64, f64),
    time: f64,
) -> bool {
    parts(common).any(|(of_a, of_b)| touch_at_time(&part_of(a, of_a), &part_of(b, of_b), window, time))
}

fn part_of(whole: &MovingTriangle, part: Part) -> MovingTriangle {
    MovingTriangle { begin: part.map(|corner| whole.begin[corner]), end: part.map(|corner| whole.end[corner]) }
}

/// The same feature in the numbers of the whole triangles; parts that coincide are named once.
fn renamed(feature: Feature, of_a: Part, of_b: Part) -> Feature {
    let (bits_a, bits_b) = feature.supports();
    let rename = |bits: u8, part: Part| (0..3).filter(|k| bits >> k & 1 == 1).fold(0, |all, k| all | 1u8 << part[k]);
    Feature::from_supports(rename(bits_a, of_a), rename(bits_b, of_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles on one edge; the second one turns about it, from one height of its corner to
    /// another one.
    fn hinged(heights: [f64; 2]) -> Vec<ContactInterval> {
        let with = |corner: [f64; 3]| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], corner];
        let still = MovingTriangle { begin: with([0.5, 1.0, 0.0]), end: with([0.5, 1.0, 0.0]) };
        let [begin, end] = heights.map(|height| with([0.5, 1.0, height]));
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        neighbour_intervals(&still, &MovingTriangle { begin, end }, &[(0, 0), (1, 1)], 0.0, &mut found, &mut stats);
        found
    }

    /// All parts touch at that instant.
    #[test]
    fn what_several_parts_touch_at_one_instant_stays_an_instant() {
        let [at] = hinged([-1.0, 1.0])[..] else { panic!("one interval") };
        assert!(at.instant && (at.begin.lo, at.begin.hi, at.end.lo, at.end.hi) == (0.5, 0.5, 0.5, 0.5), "{at:?}");
        let [all] = hinged([0.0, 0.0])[..] else { panic!("one interval") };
        assert!(!all.instant && all.at_window_begin() && all.at_window_end(), "{all:?}");
        assert!(hinged([1.0, 2.0]).is_empty());
    }
}
