//! How many keys a search over rows reads.

use std::cell::Cell;

use super::overtaking_in_rows;
use crate::time::{Moment, NEVER};

/// When a challenger overtakes a winner at 0 just after second 0, and how many coordinates were
/// compared.
fn searched(challenger: &[f32]) -> (Moment, u32) {
    let times: Vec<f64> = (0..challenger.len()).map(|key| key as f64).collect();
    let compared = Cell::new(0);
    let sign = |x: f32| {
        compared.set(compared.get() + 1);
        x
    };
    let found = overtaking_in_rows(&times, &vec![0.0; challenger.len()], challenger, Moment::after(0.0), sign);
    (found, compared.get())
}

#[test]
fn keys_at_which_nobody_overtakes_are_compared_eight_at_a_time() {
    // Behind, or level: sixteen keys after the first one, two coordinates each.
    assert_eq!(searched(&[-1.0; 17]), (Moment::at(NEVER), 32));
    assert_eq!(searched(&[0.0; 17]), (Moment::at(NEVER), 32));
}

#[test]
fn the_eight_keys_of_an_overtaking_are_compared_one_by_one_too() {
    let mut challenger = [-1.0; 17];
    challenger[11] = 1.0;
    let eights = 2 * 16;
    // Keys 9 to 11 one by one, the key before the one found again, and the lead at both.
    let single = 2 * 3 + 2 + 4;
    assert_eq!(searched(&challenger), (Moment::at(10.5), eights + single));
}
