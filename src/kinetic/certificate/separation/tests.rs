//! How many keys the searches read: those that cannot have the sought state are passed eight at a
//! time, and none is read beyond the end of the search.

use std::cell::Cell;

use super::{Boxes, STRIDE, Samples, Search, search_keys};
use crate::time::{Moment, NEVER};

/// Seconds of the keys.
fn times(keys: usize) -> Vec<f64> {
    (0..keys).map(|key| key as f64).collect()
}

/// A row that counts what is read of it.
#[derive(Clone, Copy)]
struct Counted<'a> {
    row: &'a [f32],
    single: &'a Cell<u32>,
    strides: &'a Cell<u32>,
}

impl Samples for Counted<'_> {
    fn at(self, key: usize) -> f64 {
        self.single.set(self.single.get() + 1);
        self.row.at(key)
    }

    fn load(self, key: usize) -> [f32; STRIDE] {
        self.strides.set(self.strides.get() + 1);
        self.row.load(key)
    }
}

/// The first moment just after second 0, and how many single keys and how many strides of the upper
/// row were read.
fn searched(upper: &[f32], is_apart: bool, until: f64) -> (Moment, u32, u32) {
    let (single, strides) = (Cell::new(0), Cell::new(0));
    let upper = Counted { row: upper, single: &single, strides: &strides };
    let times = times(upper.row.len());
    let from = Moment::after(0.0);
    let found = if is_apart {
        let search = Search { lower: 0.0, upper, slack: 0.0, sought: |apart| apart };
        search_keys(&times, search, from, until, Moment::after)
    } else {
        let search = Search { lower: 0.0, upper, slack: 0.0, sought: |apart: bool| !apart };
        search_keys(&times, search, from, until, Moment::at)
    };
    (found, single.get(), strides.get())
}

/// As [`searched`], for two boxes of which `a` is at zero, and the lower corner of `b` has the
/// given coordinates x.
fn boxes_searched(low: &[f32], until: f64) -> (Moment, u32, u32) {
    let (single, strides) = (Cell::new(0), Cell::new(0));
    let zero = vec![0.0; low.len()];
    let counted = |row| Counted { row, single: &single, strides: &strides };
    let zeros: [&[f32]; 6] = [&zero; 6];
    let b = std::array::from_fn(|extent| if extent == 0 { counted(low) } else { counted(&zero) });
    let (found, _) = Boxes { a: zeros, b, slack: 0.0 }.first_opening(&times(low.len()), Moment::after(0.0), until);
    (found, single.get(), strides.get())
}

#[test]
fn keys_without_the_sought_state_are_passed_eight_at_a_time() {
    let never = Moment::at(NEVER);
    // The keys at both ends of the first segment are read one by one, then eight times eight.
    assert_eq!(searched(&[1.0; 66], false, NEVER), (never, 2, 8));
    // Boxes that touch are not apart.
    assert_eq!(searched(&[0.0; 66], true, NEVER), (never, 2, 8));
    // Six directions at two keys; six rows.
    assert_eq!(boxes_searched(&[0.0; 66], NEVER), (never, 12, 6 * 8));
}

#[test]
fn keys_that_are_fewer_than_eight_are_read_one_by_one() {
    assert_eq!(searched(&[1.0; 65], false, NEVER), (Moment::at(NEVER), 2 + 7, 7));
    // Seven segments of six directions, with two ends each.
    assert_eq!(boxes_searched(&[0.0; 65], NEVER), (Moment::at(NEVER), 12 + 7 * 12, 6 * 7));
}

#[test]
fn keys_beyond_the_end_of_a_search_are_not_read() {
    let never = Moment::at(NEVER);
    // The segment in which the search ends is searched whole, the next one is not.
    assert_eq!(searched(&[1.0; 66], false, 9.5), (never, 2, 2));
    assert_eq!(searched(&[1.0; 66], false, 9.0), (never, 2, 1));
    assert_eq!(boxes_searched(&[0.0; 66], 9.5), (never, 12, 6 * 2));
    assert_eq!(boxes_searched(&[0.0; 66], 9.0), (never, 12, 6));
}

#[test]
fn a_segment_that_begins_where_a_search_ends_is_not_searched() {
    // Both change sign half way from key 5 to key 6, in the first eight keys.
    let closing: Vec<f32> = (0..66).map(|key| if key < 6 { 1.0 } else { -1.0 }).collect();
    let opening: Vec<f32> = closing.iter().map(|x| -x).collect();
    for (until, is_found) in [(4.5, false), (5.0, false), (5.25, true), (6.0, true)] {
        let (at, after) =
            if is_found { (Moment::at(5.5), Moment::after(5.5)) } else { (Moment::at(NEVER), Moment::at(NEVER)) };
        assert_eq!(searched(&closing, false, until).0, at, "until {until}");
        assert_eq!(searched(&opening, true, until).0, after, "until {until}");
        assert_eq!(boxes_searched(&opening, until).0, after, "until {until}");
    }
}
