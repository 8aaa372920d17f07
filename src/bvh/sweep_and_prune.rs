//! Sweep and prune: which boxes of many overlap.
//!
//! Boxes are sorted by their lower ends along the axis on which their centres are spread most, and
//! swept; a box is compared with those whose stretch on that axis has not ended. Many boxes are cut
//! into strips across the axis of the next largest spread, about one for each row of a square of
//! boxes, and each strip is swept on its own: O(n log n + pairs that overlap on the first axis
//! within a strip). A pair that lies in several strips counts in the first that both lie in.
//!
//! Follows Baraff 1992 in its simplest form: the boxes are sorted again at every call.

use crate::math::Aabb;

/// Fewer boxes are swept in one strip.
const FEWEST_IN_STRIPS: usize = 256;

/// The boxes of a sweep; the room is used again by the next.
#[derive(Debug, Default)]
pub struct BoxSweep {
    boxes: Vec<(u32, Aabb)>,
    order: Vec<Entry>,
    open: Vec<(u32, Aabb)>,
}

/// A box in a strip.
#[derive(Clone, Copy, Debug)]
struct Entry {
    strip: u32,
    place: u32,
    /// Its lower end along the axis of the sweep.
    begin: f64,
}

/// Strips of the same width across an axis.
#[derive(Clone, Copy)]
struct Strips {
    axis: usize,
    from: f64,
    /// Strips per metre.
    density: f64,
    last: u32,
}

impl Strips {
    /// Of boxes, whose centres are spread that far.
    fn new(boxes: &[(u32, Aabb)], spread: &Aabb, across: usize) -> Self {
        let from = spread.min[across];
        let one = Self { axis: across, from, density: 0.0, last: 0 };
        if boxes.len() < FEWEST_IN_STRIPS {
            return one;
        }
        // Strips are at least half as wide as boxes on average, which then lie in three of them.
        let sizes: f64 = boxes.iter().map(|(_, bounds)| (bounds.max[across] - bounds.min[across]).max(0.0)).sum();
        let width = spread.max[across] - from;
        let most = (2.0 * width * boxes.len() as f64 / sizes).min((boxes.len() as f64).sqrt());
        let density = most.floor() / width;
        if most >= 2.0 && density.is_finite() { Self { density, last: most as u32 - 1, ..one } } else { one }
    }

    /// The strip of a coordinate; those beyond the first and the last belong to them.
    fn of(&self, x: f64) -> u32 {
        (((x - self.from) * self.density) as u32).min(self.last)
    }
}

impl BoxSweep {
    /// Finds every pair of numbered boxes that share a point, the lower number first, sorted, in
    /// place of what `found` holds.
    pub fn overlapping(&mut self, boxes: impl IntoIterator<Item = (u32, Aabb)>, found: &mut Vec<(u32, u32)>) {
        let Self { boxes: given, order, open } = self;
        given.clear();
        given.extend(boxes);
        let mut spread = Aabb::EMPTY;
        for (_, bounds) in &*given {
            spread.include(&bounds.centre());
        }
        let axis = spread.longest_axis();
        let width = |axis: usize| spread.max[axis] - spread.min[axis];
        let [second, third] = [(axis + 1) % 3, (axis + 2) % 3];
        let strips = Strips::new(given, &spread, if width(second) >= width(third) { second } else { third });
        order.clear();
        for (place, (_, bounds)) in (0u32..).zip(&*given) {
            let begin = bounds.min[axis];
            let crossed = strips.of(bounds.min[strips.axis])..=strips.of(bounds.max[strips.axis]);
            order.extend(crossed.map(|strip| Entry { strip, place, begin }));
        }
        let number = |entry: &Entry| given[entry.place as usize].0;
        order.sort_unstable_by(|x, y| {
            let by_begin = || x.begin.total_cmp(&y.begin);
            x.strip.cmp(&y.strip).then_with(by_begin).then_with(|| number(x).cmp(&number(y)))
        });
        found.clear();
        for strip in order.chunk_by(|x, y| x.strip == y.strip) {
            open.clear();
            for entry in strip {
                let (number, bounds) = given[entry.place as usize];
                open.retain(|(_, other)| other.max[axis] >= entry.begin);
                let is_first = |other: &Aabb| {
                    let begin = bounds.min[strips.axis].max(other.min[strips.axis]);
                    strips.last == 0 || strips.of(begin) == entry.strip
                };
                let meeting = open.iter().filter(|(_, other)| other.overlaps(&bounds) && is_first(other));
                found.extend(meeting.map(|&(other, _)| (number.min(other), number.max(other))));
                open.push((number, bounds));
            }
        }
        found.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_comparing_all(boxes: &[(u32, Aabb)]) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for (place, (a, box_a)) in boxes.iter().enumerate() {
            let later = boxes[place + 1..].iter().filter(|(_, box_b)| box_a.overlaps(box_b));
            found.extend(later.map(|(b, _)| (*a, *b)));
        }
        found
    }

    fn random() -> impl FnMut() -> f64 {
        let mut state = 9u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Whole numbers, so that boxes often just touch.
            (state >> 60) as f64
        }
    }

    #[test]
    fn finds_what_a_test_of_all_pairs_finds() {
        let (mut random, mut total, mut sweep, mut found) = (random(), 0, BoxSweep::default(), Vec::new());
        for round in 0..60u32 {
            let boxes: Vec<(u32, Aabb)> = (0..round)
                .map(|number| {
                    let min = [random(), 3.0 * random(), 2.0 * random()];
                    (5 * number, Aabb { min, max: min.map(|x| x + 4.0) })
                })
                .collect();
            let expected = by_comparing_all(&boxes);
            total += expected.len();
            sweep.overlapping(boxes, &mut found);
            assert_eq!(found, expected);
        }
        assert!(total > 500, "{total}");
        let point = Aabb { min: [1.0; 3], max: [1.0; 3] };
        sweep.overlapping([(2, point), (1, point), (0, point)], &mut found);
        assert_eq!(found, [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn many_boxes_in_strips_are_those_of_a_test_of_all_pairs() {
        let (mut random, mut sweep, mut found) = (random(), BoxSweep::default(), Vec::new());
        for (round, scale) in [1.0, 1e-300, 1e300, 1.0, 0.0, 1.0].into_iter().enumerate() {
            let mut boxes: Vec<(u32, Aabb)> = (0..600)
                .map(|number| {
                    let [across, up, along] = [0; 3].map(|_| 16.0 * random() + random());
                    let min = [[across, up, along], [up, 0.0, across], [0.0, along, across]][round % 3];
                    // Some as large as all, points among the others.
                    let size = if number % 50 == 0 { 300.0 } else { 8.0 * random() / 15.0 };
                    (number, Aabb { min: min.map(|x| scale * x), max: min.map(|x| scale * (x + size.floor())) })
                })
                .collect();
            let strips = Strips::new(&boxes, &Aabb { min: [0.0; 3], max: [255.0 * scale; 3] }, 0);
            assert_eq!(strips.last > 4, scale > 0.0, "{} strips at scale {scale}", strips.last + 1);
            if round == 3 {
                boxes[77].1 = Aabb::EMPTY;
                boxes[78].1 = Aabb { min: [f64::NEG_INFINITY; 3], max: [f64::INFINITY; 3] };
            }
            sweep.overlapping(boxes.iter().copied(), &mut found);
            assert_eq!(found, by_comparing_all(&boxes), "round {round}");
        }
    }
}
