//! Bounds with rows of keys are searched by their rows, and asked for no piece.

use std::cell::Cell;

use super::{Bound, closing, opening};
use crate::motion::{KeyTrack, Piece};
use crate::time::{Moment, NEVER};

/// A bound that counts how often a piece is asked for.
struct Counted<'a> {
    track: KeyTrack<'a>,
    pieces: Cell<u32>,
}

impl<'a> Counted<'a> {
    fn new(track: KeyTrack<'a>) -> Self {
        Self { track, pieces: Cell::new(0) }
    }
}

impl Bound for Counted<'_> {
    fn piece(&self, at: Moment) -> Piece {
        self.pieces.set(self.pieces.get() + 1);
        let (times, row) = match self.track {
            KeyTrack::Constant(x) => return Piece::constant(f64::NEG_INFINITY, NEVER, x),
            KeyTrack::Keys { times, row } => (times, row),
        };
        let end = times.iter().position(|&time| Moment::at(time) >= at).expect("a search within the keys");
        Piece::linear(times[end - 1], times[end], f64::from(row[end - 1]), f64::from(row[end]))
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        Some(self.track)
    }
}

#[test]
fn rows_with_one_list_of_times_are_searched_without_pieces() {
    let times: Vec<f64> = (0..100).map(f64::from).collect();
    let copy = times.clone();
    // Two metres apart until key 70; they meet half way to the next one, and part half way to
    // key 72.
    let low = vec![0.0; 100];
    let high: Vec<f32> = (0..100).map(|key| if key == 71 { -2.0 } else { 2.0 }).collect();
    let keys = |times, row| Counted::new(KeyTrack::Keys { times, row });
    let searched = |lower: &Counted<'_>, upper: &Counted<'_>| {
        let from = Moment::after(0.0);
        assert_eq!(closing(lower, upper, 0.0, from, 99.0), Moment::at(70.5));
        assert_eq!(opening(lower, upper, 0.0, Moment::at(71.0), 99.0), Moment::after(71.5));
        assert_eq!(closing(lower, upper, 0.0, from, 60.0), Moment::at(NEVER));
        lower.pieces.get() + upper.pieces.get()
    };
    assert_eq!(searched(&keys(&times, &low), &keys(&times, &high)), 0);
    assert_eq!(searched(&Counted::new(KeyTrack::Constant(0.0)), &keys(&times, &high)), 0);
    let negative: Vec<f32> = high.iter().map(|x| -x).collect();
    assert_eq!(searched(&keys(&times, &negative), &Counted::new(KeyTrack::Constant(0.0))), 0);
    // Keys at equal times that are not one list are searched piece by piece: 71, 2 and 60 pieces of
    // each.
    assert_eq!(searched(&keys(&times, &low), &keys(&copy, &high)), 2 * (71 + 2 + 60));
}
