//! Sweep and prune: which boxes of many overlap.
//!
//! Boxes are sorted by their lower ends along the axis on which their centres are spread most, and
//! swept; a box is compared with those whose stretch on that axis has not ended. O(n log n + pairs
//! that overlap on that axis).
//!
//! Follows Baraff 1992 in its simplest form: the boxes are sorted again at every call, along one
//! axis.

use crate::math::Aabb;

/// Reports every pair of numbered boxes that share a point, the lower number first, sorted.
pub fn overlapping_boxes(boxes: impl IntoIterator<Item = (u32, Aabb)>) -> Vec<(u32, u32)> {
    let mut boxes: Vec<(u32, Aabb)> = boxes.into_iter().collect();
    let centres: Vec<[f64; 3]> = boxes.iter().map(|(_, bounds)| bounds.centre()).collect();
    let spread = Aabb::of_points(&centres);
    let length = |axis: usize| spread.max[axis] - spread.min[axis];
    let axis = (1..3).fold(0, |best, axis| if length(axis) > length(best) { axis } else { best });
    boxes.sort_unstable_by(|x, y| x.1.min[axis].total_cmp(&y.1.min[axis]).then(x.0.cmp(&y.0)));
    let mut found = Vec::new();
    let mut open: Vec<(u32, Aabb)> = Vec::new();
    for (number, bounds) in boxes {
        open.retain(|(_, other)| other.max[axis] >= bounds.min[axis]);
        let meeting = open.iter().filter(|(_, other)| other.overlaps(&bounds));
        found.extend(meeting.map(|&(other, _)| (number.min(other), number.max(other))));
        open.push((number, bounds));
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_test_of_all_pairs_finds() {
        let mut state = 9u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Whole numbers, so that boxes often just touch.
            (state >> 60) as f64
        };
        let mut total = 0;
        for round in 0..60u32 {
            let boxes: Vec<(u32, Aabb)> = (0..round)
                .map(|number| {
                    let min = [random(), 3.0 * random(), 2.0 * random()];
                    (5 * number, Aabb { min, max: min.map(|x| x + 4.0) })
                })
                .collect();
            let mut expected = Vec::new();
            for (place, (a, box_a)) in boxes.iter().enumerate() {
                let later = boxes[place + 1..].iter().filter(|(_, box_b)| box_a.overlaps(box_b));
                expected.extend(later.map(|(b, _)| (*a, *b)));
            }
            total += expected.len();
            assert_eq!(overlapping_boxes(boxes), expected);
        }
        assert!(total > 500, "{total}");
        let point = Aabb { min: [1.0; 3], max: [1.0; 3] };
        assert_eq!(overlapping_boxes([(2, point), (1, point), (0, point)]), [(0, 1), (0, 2), (1, 2)]);
    }
}
