//! Boxes of leaves, from the places of their vertices.

use std::ops::Range;

use crate::interval::layout::{LANES, Layout};

/// Places that are read at a time: 5 kB with the numbers of their vertices.
const ROOM: usize = 256;

/// Writes the boxes of some leaves. `read` writes where vertices are; it is called for those of
/// several leaves at a time, as one call costs as much as some vertices.
pub(super) fn place_leaves(
    layout: &Layout,
    leaves: Range<usize>,
    boxes: &mut [[f32; LANES]],
    mut read: impl FnMut(&[u32], &mut [[f32; 4]]),
) {
    let first = layout.inner_count();
    let (mut vertices, mut places) = ([0; ROOM], [[0.0; 4]; ROOM]);
    let mut leaf = leaves.start;
    while leaf < leaves.end {
        let (from, mut count) = (leaf, 0);
        while leaf < leaves.end {
            let own = layout.vertices_of(leaf);
            let Some(room) = vertices.get_mut(count..count + own.len()) else { break };
            room.copy_from_slice(own);
            count += own.len();
            leaf += 1;
        }
        if leaf == from {
            // More vertices than there is room for.
            boxes[first + leaf] = layout.vertices_of(leaf).chunks(ROOM).fold(EMPTY, |sides, vertices| {
                let places = &mut places[..vertices.len()];
                read(vertices, places);
                around(sides, places)
            });
            leaf += 1;
            continue;
        }
        read(&vertices[..count], &mut places[..count]);
        let mut rest = &places[..count];
        for leaf in from..leaf {
            let (own, others) = rest.split_at(layout.vertices_of(leaf).len());
            boxes[first + leaf] = around(EMPTY, own);
            rest = others;
        }
    }
}

/// The box of no place.
const EMPTY: [f32; LANES] = [f32::INFINITY; LANES];

/// The box, `[lo, −hi]`, of some places and of another box.
#[inline(always)]
fn around(sides: [f32; LANES], places: &[[f32; 4]]) -> [f32; LANES] {
    let [a, b, c, d, e, f, g, h] = sides;
    let (mut low, mut high) = ([a, b, c, d], [-e, -f, -g, -h]);
    for place in places {
        for lane in 0..4 {
            low[lane] = if place[lane] < low[lane] { place[lane] } else { low[lane] };
            high[lane] = if place[lane] > high[lane] { place[lane] } else { high[lane] };
        }
    }
    let ([a, b, c, d], [e, f, g, h]) = (low, high);
    [a, b, c, d, -e, -f, -g, -h]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{BuildParams, Topology};
    use crate::mesh::Primitives;

    /// Primitives side by side, each of as many vertices.
    struct Runs(Vec<Vec<u32>>);

    impl Primitives for Runs {
        fn primitive_count(&self) -> usize {
            self.0.len()
        }

        fn points_of(&self, index: usize) -> &[u32] {
            &self.0[index]
        }
    }

    /// Leaves of some vertices, and those with more than are read at a time.
    #[test]
    fn boxes_of_small_and_of_large_leaves_hold_their_vertices_alone() {
        for (leaf_size, each, is_large) in [(1, 3, false), (8, 3, false), (40, 5, false), (64, 10, true)] {
            let count = 600 * each;
            let runs = Runs((0..600).map(|run| (run * each..(run + 1) * each).collect()).collect());
            let place = |v: u32| [f64::from(v * v % 977), f64::from(v * 31 % 101), f64::from(v / 3)];
            let start: Vec<[f64; 3]> = (0..count).map(place).collect();
            let tree = Topology::build(&runs, &start, BuildParams { leaf_size, ..BuildParams::default() });
            let layout = Layout::of_nodes(tree).unwrap();
            let leaves = layout.leaf_count();
            assert_eq!((0..leaves).any(|leaf| layout.vertices_of(leaf).len() > ROOM), is_large);
            let mut boxes = vec![[f32::NAN; LANES]; layout.place_count()];
            // In two parts; the leaves before the first and behind the last stay.
            let (begin, middle, end) = (leaves / 8, leaves / 2, leaves - leaves / 8);
            for part in [begin..middle, middle..end] {
                place_leaves(&layout, part, &mut boxes, |vertices, out| {
                    assert_eq!(vertices.len(), out.len());
                    for (out, &vertex) in out.iter_mut().zip(vertices) {
                        let [x, y, z] = place(vertex).map(|x| x as f32);
                        *out = [x, y, z, 0.0];
                    }
                });
            }
            for leaf in 0..leaves {
                let found = boxes[layout.inner_count() + leaf];
                if !(begin..end).contains(&leaf) {
                    assert!(found.iter().all(|side| side.is_nan()));
                    continue;
                }
                for axis in 0..3 {
                    let along = |&vertex: &u32| place(vertex)[axis] as f32;
                    let own = layout.vertices_of(leaf);
                    let low = own.iter().map(along).fold(f32::INFINITY, f32::min);
                    let high = own.iter().map(along).fold(f32::NEG_INFINITY, f32::max);
                    assert_eq!((found[axis], -found[axis + 4]), (low, high), "leaf {leaf} of {leaf_size}");
                }
            }
        }
    }
}
