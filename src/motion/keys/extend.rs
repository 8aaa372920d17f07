//! Key tables in use: appends and forgets keys, for hosts that stream keyframes.
//!
//! In the key-major layout, room is reused as soon as a key is forgotten. An append costs
//! O(vertices) and moves no other key, unless more keys are held than ever before. In vertex-major
//! order, the rows of all held keys move.

use super::{KeyTable, drift_of, largest, largest_step};
use crate::motion::key_times::Place;
use crate::motion::{KeyLayout, Reach};
use crate::time::Moment;

impl KeyTable {
    /// Appends a checked key later than the last one, and forgets the keys on which no time from
    /// `now` on depends. O(vertices) in key-major order, O(held keys × vertices) in vertex-major
    /// order; without an allocation unless more keys are held than before.
    pub(in crate::motion) fn append_at(&mut self, now: f64, time: f64, positions: &[f32]) {
        if self.layout == KeyLayout::KeyMajor {
            self.forget_before(now);
            self.append(time, positions);
            return;
        }
        let (keys, past) = (self.times().len(), self.past_keys(now));
        self.note_reach(time, positions);
        let kept = keys - past + 1;
        if kept <= keys {
            // Rows become no longer: each moves down, into what is read already.
            for (column, &x) in positions.iter().enumerate() {
                let from = column * keys;
                self.data.copy_within(from + past..from + keys, column * kept);
                self.data[column * kept + kept - 1] = x;
            }
            self.data.truncate(positions.len() * kept);
        } else {
            self.lengthen_rows(keys, positions);
        }
        self.timeline.forget(past);
        self.timeline.append(time);
    }

    /// Appends a checked key later than the last one. O(vertices), see the module documentation.
    pub(in crate::motion) fn append(&mut self, time: f64, positions: &[f32]) {
        let keys = self.times().len();
        self.note_reach(time, positions);
        match self.layout {
            KeyLayout::KeyMajor if keys < self.room => {
                let start = self.start_of(keys);
                self.data[start..start + positions.len()].copy_from_slice(positions);
            }
            KeyLayout::KeyMajor => {
                self.data.rotate_left(self.head * 3 * self.vertex_count);
                self.data.extend_from_slice(positions);
                (self.head, self.room) = (0, keys + 1);
            }
            KeyLayout::VertexMajor => self.lengthen_rows(keys, positions),
        }
        self.timeline.append(time);
    }

    /// Appends a number to each row of keys.
    fn lengthen_rows(&mut self, keys: usize, positions: &[f32]) {
        self.data.reserve_exact(positions.len());
        self.data.resize(positions.len() * (keys + 1), 0.0);
        // From the last one on: each row moves up, into what is read already.
        for (column, &x) in positions.iter().enumerate().rev() {
            self.data.copy_within(column * keys..(column + 1) * keys, column * (keys + 1));
            self.data[column * (keys + 1) + keys] = x;
        }
    }

    /// Notes how far and how fast vertices move to a key that is about to be appended.
    fn note_reach(&mut self, time: f64, positions: &[f32]) {
        let (keys, last) = (self.times().len(), self.last());
        let step = if self.layout == KeyLayout::KeyMajor {
            largest_step(&self.data[self.start_of(keys - 1)..][..positions.len()], positions)
        } else {
            let before = self.data.iter().skip(keys - 1).step_by(keys);
            before.zip(positions).fold(0.0, |largest: f32, (before, x)| largest.max((x - before).abs()))
        };
        let rate = f64::from(step) / (time - last);
        let drift = drift_of(step, rate, [last, time]);
        self.speed = self.speed.max(rate);
        self.reach = self.reach.max(Reach { coordinate: f64::from(largest(positions)), drift });
    }

    /// Appends the last key again, at a later time: the body rests until then. O(vertices).
    pub(in crate::motion) fn append_rest(&mut self, time: f64) {
        let last = self.times().len() - 1;
        let columns = 0..3 * self.vertex_count;
        let positions: Vec<f32> = columns.map(|at| self.value(at as u32 / 3, at % 3, last) as f32).collect();
        self.append(time, &positions);
    }

    /// The number of keys on which no time from `time` on depends.
    fn past_keys(&self, time: f64) -> usize {
        self.times().partition_point(|&key| key < time).saturating_sub(1)
    }

    /// Forgets the keys on which no time from `time` on depends. O(keys); in vertex-major order
    /// O(held keys × vertices).
    pub(in crate::motion) fn forget_before(&mut self, time: f64) {
        let past = self.past_keys(time);
        if past == 0 {
            return;
        }
        match self.layout {
            KeyLayout::KeyMajor => self.head = (self.head + past) % self.room,
            KeyLayout::VertexMajor => {
                let rows = self.data.chunks_exact(self.times().len());
                self.data = rows.flat_map(|row| &row[past..]).copied().collect();
            }
        }
        self.timeline.forget(past);
    }

    /// The time of the last key, seconds.
    pub(in crate::motion) fn last(&self) -> f64 {
        self.times()[self.times().len() - 1]
    }

    /// Returns the time, at most `until`, up to which another table has the same motion from `from`
    /// on, seconds; at least `from`. O(vertices) per key.
    pub(in crate::motion) fn agrees_until(&self, other: &Self, from: f64, until: f64) -> f64 {
        let mut agreed = from;
        if self.timeline.loops() || other.timeline.loops() || self.vertex_count != other.vertex_count {
            return agreed;
        }
        while agreed < until {
            let places = [self, other].map(|table| table.timeline.place(Moment::after(agreed)));
            let [
                Place::Between { key, begin, end },
                Place::Between { key: other_key, begin: other_begin, end: other_end },
            ] = places
            else {
                break;
            };
            let is_same = (begin, end) == (other_begin, other_end)
                && self.has_key_of(key, other, other_key)
                && self.has_key_of(key + 1, other, other_key + 1);
            if !is_same {
                break;
            }
            agreed = end;
        }
        agreed
    }

    /// Whether all positions of a key equal those of another table's key, bit for bit except the
    /// sign of 0.
    fn has_key_of(&self, key: usize, other: &Self, other_key: usize) -> bool {
        let width = 3 * self.vertex_count;
        if self.layout == KeyLayout::KeyMajor && other.layout == KeyLayout::KeyMajor {
            let (start, other_start) = (self.start_of(key), other.start_of(other_key));
            return self.data[start..start + width] == other.data[other_start..other_start + width];
        }
        let is_same = |column: usize| {
            let (vertex, axis) = (column as u32 / 3, column % 3);
            self.value(vertex, axis, key) == other.value(vertex, axis, other_key)
        };
        (0..width).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Outside;

    /// Keys far apart in time, and so near to each other that the way between them bounds the
    /// drift.
    #[test]
    fn appended_keys_have_the_reach_of_a_whole_plan() {
        let late = 1e6_f64.next_up();
        let times = [0.0, 1e6, late, late.next_up().next_up(), 1e6 + 1.0];
        let data: Vec<f32> = (0..3 * times.len()).map(|k| (k * k % 7) as f32 - 2.5).collect();
        for layout in [KeyLayout::KeyMajor, KeyLayout::VertexMajor] {
            let table = |keys: usize| {
                KeyTable::new(times[..keys].to_vec(), data[..3 * keys].to_vec(), 1, Outside::Hold, layout)
            };
            let mut streamed = table(1);
            for key in 1..times.len() {
                streamed.append(times[key], &data[3 * key..3 * key + 3]);
                let whole = table(key + 1);
                assert_eq!((streamed.reach, streamed.speed), (whole.reach, whole.speed), "{layout:?} {key}");
            }
        }
    }
}
