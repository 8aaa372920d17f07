//! What windows cost a body, by counts, and what refits would: where most leaves meet something, or bodies move by the size of their triangles
//! within a window, many more leaf pairs meet in an interval than at a look, and refits are cheaper.
//!
//! Both are counted in pairs of nodes looked at: what was found once per interval, against what meets at its first look times the looks
//! the window had. A body that finds windows dearer by [`limits::DEARER`] is refitted for as many looks as [`limits::WINDOWS_LEFT_OUT`] windows
//! would have had, then tries a window again; every time in vain it waits twice as long. Counts depend on who looks when, as windows do,
//! and on nothing else: no time is measured.

use crate::limits;

/// The counts of a window, and what follows from them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Toll {
    looks: u32,
    /// Of all intervals of this window; and of a look without them.
    intervals: f64,
    per_look: f64,
    /// Looks for which windows are left out, and how often in turn they were found dear.
    left_out: u32,
    times: u32,
}

impl Toll {
    /// The host looks.
    pub(super) fn count_look(&mut self) {
        self.looks = self.looks.saturating_add(1);
        self.left_out = self.left_out.saturating_sub(1);
    }

    /// What an interval of a pair cost, and what a look would cost without it: in pairs of nodes, this body's share.
    pub(super) fn note(&mut self, [interval, look]: [f64; 2]) {
        self.intervals += interval;
        self.per_look += look;
    }

    /// The window of a body of so many triangles has ended, if it had one, and all looks in it are counted: was it too dear?
    pub(super) fn end_window(&mut self, triangles: usize, had_window: bool) -> bool {
        let [window, refits] = self.counts(triangles, f64::from(self.looks));
        let is_dear = had_window && self.looks > 0 && is_dear(window, refits);
        if is_dear {
            self.left_out = self.looks.saturating_mul(limits::WINDOWS_LEFT_OUT << self.times.min(4));
            self.times += 1;
        } else if had_window && window <= refits {
            self.times = 0;
        }
        (self.looks, self.intervals, self.per_look) = (0, 0.0, 0.0);
        is_dear
    }

    /// Is it to be expected that a window of so many looks is too dear?
    pub(super) fn is_dear_so_far(&self, triangles: usize, looks: f64) -> bool {
        let [window, refits] = self.counts(triangles, looks);
        is_dear(window, refits)
    }

    /// What the window cost, and what so many refits would.
    fn counts(&self, triangles: usize, looks: f64) -> [f64; 2] {
        let own = limits::NODE_PAIRS_PER_TRIANGLE * triangles as f64;
        [own + self.intervals, looks * (own + self.per_look)]
    }

    /// Is the body refitted because windows were too dear?
    pub(super) fn is_left_out(&self) -> bool {
        self.left_out > 0
    }
}

/// Is a window dearer than refits by so much that it matters?
fn is_dear(window: f64, refits: f64) -> bool {
    window > limits::DEARER * refits && window > refits + limits::LEAST_TOLL
}
