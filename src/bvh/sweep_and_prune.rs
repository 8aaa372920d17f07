//! Sweep and prune: which boxes of many overlap.
//!
//! Boxes are sorted by their lower ends along the axis on which their centres are spread most, and
//! swept; a box is compared with those whose stretch on that axis has not ended. O(n log n + pairs
//! that overlap on that axis).
//!
//! Follows Baraff 1992 in its simplest form: the boxes are sorted again at every call, along one
//! axis.

use crate::math::Aabb;

/// The boxes of a sweep; the room is used again by the next.
#[derive(Debug, Default)]
pub struct BoxSweep {
    boxes: Vec<(u32, Aabb)>,
    open: Vec<(u32, Aabb)>,
}

impl BoxSweep {
    /// Finds every pair of numbered boxes that share a point, the lower number first, sorted, in
    /// place of what `found` holds.
    pub fn overlapping(&mut self, boxes: impl IntoIterator<Item = (u32, Aabb)>, found: &mut Vec<(u32, u32)>) {
        let Self { boxes: sorted, open, .. } = self;
        sorted.clear();
        sorted.extend(boxes);
        let mut spread = Aabb::EMPTY;
        for (_, bounds) in &*sorted {
            spread.include(&bounds.centre());
        }
        let axis = spread.longest_axis();
        sorted.sort_unstable_by(|x, y| x.1.min[axis].total_cmp(&y.1.min[axis]).then(x.0.cmp(&y.0)));
        found.clear();
        open.clear();
        for &(number, bounds) in &*sorted {
            open.retain(|(_, other)| other.max[axis] >= bounds.min[axis]);
            let meeting = open.iter().filter(|(_, other)| other.overlaps(&bounds));
            found.extend(meeting.map(|&(other, _)| (number.min(other), number.max(other))));
            open.push((number, bounds));
        }
        found.sort_unstable();
    }
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
        let (mut total, mut sweep, mut found) = (0, BoxSweep::default(), Vec::new());
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
            sweep.overlapping(boxes, &mut found);
            assert_eq!(found, expected);
        }
        assert!(total > 500, "{total}");
        let point = Aabb { min: [1.0; 3], max: [1.0; 3] };
        sweep.overlapping([(2, point), (1, point), (0, point)], &mut found);
        assert_eq!(found, [(0, 1), (0, 2), (1, 2)]);
    }
}
