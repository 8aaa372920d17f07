//! Boundary loops and the triangles that fill them.
//!
//! A loop is filled by the triangulation of least area over its own vertices. It adds no vertex, so
//! every pose of the mesh can be filled with the same triangles. Cost: O(sides³) time, O(sides²)
//! storage. Follows Barequet and Sharir, *Filling gaps in the boundary of a polyhedron* (1995).

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::error::ProxyError;
use crate::limits;

/// Joins missing sides (from point to point) into closed loops of at most `longest` sides. Loops
/// are split at points that they pass twice.
pub(super) fn loops(missing: &[[u32; 2]], longest: usize) -> Result<Vec<Vec<u32>>, ProxyError> {
    let longest = longest.min(limits::MAX_LOOP_SIDES);
    let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &[from, to] in missing {
        leaving.entry(from).or_default().push(to);
    }
    // Descending, since entries are taken from the back.
    leaving.values_mut().for_each(|ends| ends.sort_unstable_by(|a, b| b.cmp(a)));
    let mut loops = Vec::new();
    while let Some((&start, _)) = leaving.first_key_value() {
        let mut way = vec![start];
        // Where on the way its points are.
        let mut places = BTreeMap::from([(start, 0)]);
        loop {
            let last = way[way.len() - 1];
            let Some(ends) = leaving.get_mut(&last) else {
                // The sides do not close: the edges around this point are not balanced.
                return Err(ProxyError::NotManifold { edge: [last, last], triangles: 0 });
            };
            let next = ends.pop().unwrap_or(last);
            if ends.is_empty() {
                leaving.remove(&last);
            }
            if let Some(&place) = places.get(&next) {
                let closed = way.split_off(place);
                closed.iter().for_each(|point| {
                    places.remove(point);
                });
                if closed.len() > longest {
                    return Err(ProxyError::LongLoop { sides: closed.len(), limit: longest, vertex: next });
                }
                loops.push(closed);
                if way.is_empty() {
                    break;
                }
            }
            places.insert(next, way.len());
            way.push(next);
        }
    }
    Ok(loops)
}

/// Area of a triangle, square metres.
pub(super) fn area(corners: &[u32; 3], positions: &[Vector3<f64>]) -> f64 {
    let [a, b, c] = corners.map(|corner| positions[corner as usize]);
    (b - a).cross(&(c - a)).norm() * 0.5
}

/// The triangles of least area over a loop of at least two points, oriented along its sides.
pub(super) fn fill(points: &[u32], positions: &[Vector3<f64>]) -> Vec<[u32; 3]> {
    let count = points.len();
    // Per chord from i to j: the least area between it and the loop, and the third corner that
    // gives it.
    let mut least = vec![vec![(0.0f64, 0usize); count]; count];
    for span in 2..count {
        for i in 0..count - span {
            let j = i + span;
            let mut best = (f64::INFINITY, i + 1);
            for k in i + 1..j {
                let sum = least[i][k].0 + least[k][j].0 + area(&[points[i], points[k], points[j]], positions);
                if sum < best.0 {
                    best = (sum, k);
                }
            }
            least[i][j] = best;
        }
    }
    let mut triangles = Vec::with_capacity(count.saturating_sub(2));
    let mut chords = vec![(0, count - 1)];
    while let Some((i, j)) = chords.pop() {
        if j < i + 2 {
            continue;
        }
        let k = least[i][j].1;
        triangles.push([points[i], points[k], points[j]]);
        chords.push((k, j));
        chords.push((i, k));
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_filled_with_two_triangles_along_its_sides() {
        let positions: Vec<Vector3<f64>> =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vector3::from).to_vec();
        let loops = loops(&[[0, 1], [2, 3], [1, 2], [3, 0]], 4).unwrap();
        assert_eq!(loops, [[0, 1, 2, 3]]);
        let triangles = fill(&loops[0], &positions);
        assert_eq!(triangles.len(), 2);
        assert_eq!(triangles.iter().map(|corners| area(corners, &positions)).sum::<f64>(), 1.0);
        let sides = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
        let all: Vec<[u32; 2]> = triangles.iter().flat_map(sides).collect();
        assert!([[0, 1], [1, 2], [2, 3], [3, 0]].iter().all(|side| all.contains(side)));
    }

    #[test]
    fn loops_that_share_a_point_are_two() {
        let missing = [[0, 1], [1, 2], [2, 0], [0, 3], [3, 4], [4, 0]];
        assert_eq!(loops(&missing, 3).unwrap(), [[0, 1, 2], [0, 3, 4]]);
        let error = loops(&missing, 2).unwrap_err();
        assert_eq!(error, ProxyError::LongLoop { sides: 3, limit: 2, vertex: 0 });
    }
}
