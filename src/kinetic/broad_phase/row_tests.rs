//! A body whose box has rows of keys is searched by its rows.

use std::cell::Cell;

use super::{Bodies, KineticBroadPhase};
use crate::kinetic::EventContext;
use crate::kinetic::event::{EventLog, EventQueue};
use crate::math::Extent;
use crate::motion::{KeyTrack, Piece};
use crate::time::{Moment, NEVER};

/// One body that trembles along x, from key to key.
struct Trembling {
    times: Vec<f64>,
    row: Vec<f32>,
    pieces: Cell<usize>,
    rows: Cell<usize>,
}

impl Bodies for Trembling {
    fn bound(&self, _: u32, extent: Extent, at: Moment) -> Piece {
        self.pieces.set(self.pieces.get() + 1);
        let half = if extent.is_max() { 0.5 } else { -0.5 };
        if extent.axis() != 0 {
            return Piece::constant(f64::NEG_INFINITY, NEVER, half);
        }
        let x = |key: usize| f64::from(self.row[key]) + half;
        match self.times.iter().position(|&time| Moment::at(time) >= at) {
            Some(0) => Piece::constant(f64::NEG_INFINITY, self.times[0], x(0)),
            Some(key) => Piece::linear(self.times[key - 1], self.times[key], x(key - 1), x(key)),
            None => Piece::constant(self.times[self.times.len() - 1], NEVER, x(self.times.len() - 1)),
        }
    }

    fn bound_row(&self, _: u32, extent: Extent) -> Option<KeyTrack<'_>> {
        self.rows.set(self.rows.get() + 1);
        Some(match extent.axis() {
            0 => KeyTrack::Keys { times: &self.times, row: &self.row },
            _ => KeyTrack::Constant(0.0),
        })
    }

    fn slack(&self, _: u32) -> f64 {
        1e-9
    }

    fn epoch_end(&self, _: u32) -> f64 {
        NEVER
    }

    fn may_meet(&self, _: u32, _: u32) -> bool {
        true
    }
}

#[test]
fn sides_of_bodies_with_keys_are_searched_by_their_rows() {
    const KEYS: usize = 400;
    let body = Trembling {
        times: (0..KEYS).map(|key| key as f64).collect(),
        row: (0..KEYS).map(|key| 0.01 * (key % 2) as f32).collect(),
        pieces: Cell::new(0),
        rows: Cell::new(0),
    };
    let (mut queue, mut log) = (EventQueue::new(), EventLog::new(false));
    let mut clock = EventContext { queue: &mut queue, log: &mut log, now: Moment::at(0.0) };
    KineticBroadPhase::default().join(0, &body, &mut clock);
    // A part of the way is read to choose a region; its six walls are certified by rows.
    assert!(body.rows.get() >= 6, "{} rows", body.rows.get());
    assert!(body.pieces.get() < KEYS / 2, "{} pieces", body.pieces.get());
}
