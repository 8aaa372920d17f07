//! Movement of a clip tree in time.

use super::ClipTree;
use super::interval::{Event, Stage};
use crate::interval::IntervalError;
use crate::kinetic::event::EventKind;
use crate::math::Extent;

/// A slot's new winner, as the kinetic engine logs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipEvent {
    /// Time of the change, seconds.
    pub time: f64,
    /// [`EventKind::Leaf`] at leaves, [`EventKind::Tree`] above.
    pub kind: EventKind,
    /// The node.
    pub node: u32,
    /// The extent.
    pub extent: Extent,
    /// The new winner.
    pub winner: u32,
}

impl ClipTree {
    /// Moves the tree to a time of the window, forward or backward. O(events passed), a few
    /// nanoseconds each, plus the preparation of unprepared intervals. Passing whole intervals
    /// needs only their sweep.
    ///
    /// At the time of a jump the old positions hold.
    ///
    /// # Errors
    /// A time outside the window.
    pub fn seek(&mut self, time: f64) -> Result<(), IntervalError> {
        let target = self.interval_at(time)?;
        if let Some(target) = target {
            self.go_to(target);
            self.turn_to(time);
        }
        self.now = time;
        Ok(())
    }

    /// Like [`ClipTree::seek`], forward only.
    ///
    /// # Errors
    /// A time outside the window, or before the tree's time.
    pub fn advance(&mut self, time: f64) -> Result<(), IntervalError> {
        if !(time >= self.now) {
            return Err(IntervalError::Outside { time, begin: self.now, end: self.end });
        }
        self.seek(time)
    }

    /// Like [`ClipTree::advance`], and appends the passed events in order of time. At equal times
    /// leaves come before inner nodes, then lower nodes and lower extents. O(events log events);
    /// every interval passed is prepared.
    ///
    /// A jump is one event per slot whose winner changes.
    ///
    /// # Errors
    /// As [`ClipTree::advance`].
    pub fn advance_with_events(&mut self, time: f64, events: &mut Vec<ClipEvent>) -> Result<(), IntervalError> {
        if !(time >= self.now) {
            return Err(IntervalError::Outside { time, begin: self.now, end: self.end });
        }
        let Some(target) = self.interval_at(time)? else {
            return self.seek(time);
        };
        for _ in self.cursor..target {
            self.apply_in_order(f64::INFINITY, events);
            self.cursor += 1;
            self.applied = f64::NEG_INFINITY;
        }
        let is_end = time >= self.intervals[target].track.end;
        self.apply_in_order(if is_end { f64::INFINITY } else { time }, events);
        self.now = time;
        Ok(())
    }

    /// Like [`ClipTree::advance`], within the last interval or to its end. Returns the passed
    /// events; those of one slot stay in order.
    pub(super) fn advance_over(&mut self, time: f64) -> Result<Vec<Event>, IntervalError> {
        let Some(target) = self.interval_at(time)? else { return Ok(Vec::new()) };
        self.go_to(target);
        self.prepare_present();
        let interval = &self.intervals[target];
        let to = if time >= interval.track.end { f64::INFINITY } else { time };
        let events = interval.between(self.applied, to).copied().collect();
        if interval.events().is_empty() {
            self.applied = to;
        } else {
            self.turn_to(time);
        }
        self.now = time;
        Ok(events)
    }

    /// Returns the first interval that ends at or after a time; `None` if there are no intervals.
    fn interval_at(&self, time: f64) -> Result<Option<usize>, IntervalError> {
        if !(self.begin <= time && time <= self.end) {
            return Err(IntervalError::Outside { time, begin: self.begin, end: self.end });
        }
        let ends_before = |index: usize| self.intervals.get(index).is_some_and(|it| it.track.end < time);
        let is_target = |index: usize| !ends_before(index) && (index == 0 || ends_before(index - 1));
        if is_target(self.cursor) {
            return Ok((!self.intervals.is_empty()).then_some(self.cursor));
        }
        Ok(Some(self.intervals.partition_point(|it| it.track.end < time)))
    }

    /// Enters another interval, at the end nearer to the present one.
    fn go_to(&mut self, target: usize) {
        while self.cursor < target {
            self.finish_interval();
            self.cursor += 1;
            self.applied = f64::NEG_INFINITY;
        }
        while self.cursor > target {
            if self.applied != f64::NEG_INFINITY {
                self.intervals[self.cursor].reset(&mut self.winners);
            }
            self.cursor -= 1;
            self.applied = f64::INFINITY;
        }
    }

    /// Moves to the end of the present interval.
    fn finish_interval(&mut self) {
        if self.applied != f64::INFINITY {
            self.sweep_all(self.cursor);
            self.intervals[self.cursor].finish(&mut self.winners);
            self.applied = f64::INFINITY;
        }
    }

    /// Moves to a time of the present interval.
    fn turn_to(&mut self, time: f64) {
        let track = &self.intervals[self.cursor].track;
        if time >= track.end {
            self.finish_interval();
            return;
        }
        let to = if time <= track.begin { f64::NEG_INFINITY } else { time };
        if to == self.applied {
            return;
        }
        if to == f64::NEG_INFINITY {
            self.intervals[self.cursor].reset(&mut self.winners);
        } else {
            self.prepare_present();
            self.intervals[self.cursor].turn(self.applied, to, &mut self.winners);
        }
        self.applied = to;
    }

    /// Finds the events of the present interval, unless it is prepared.
    fn prepare_present(&mut self) {
        if self.intervals[self.cursor].stage != Stage::Ready {
            self.sweep_all(self.cursor);
            self.trace_all(self.cursor);
        }
    }

    fn apply_in_order(&mut self, to: f64, found: &mut Vec<ClipEvent>) {
        if self.intervals[self.cursor].is_jump() {
            self.jump_in_order(found);
            return;
        }
        if to <= self.applied {
            return;
        }
        self.prepare_present();
        let interval = &self.intervals[self.cursor];
        let mut events: Vec<Event> = interval.between(self.applied, to).copied().collect();
        events.sort_by(|a, b| a.time.total_cmp(&b.time).then_with(|| self.rank(a.slot).cmp(&self.rank(b.slot))));
        for event in events {
            self.winners.as_flattened_mut()[event.slot as usize] ^= event.toggle;
            found.push(self.event_of(event.time, event.slot));
        }
        self.applied = to;
    }

    fn jump_in_order(&mut self, found: &mut Vec<ClipEvent>) {
        if self.applied == f64::INFINITY {
            return;
        }
        self.finish_interval();
        let interval = &self.intervals[self.cursor];
        let mut slots: Vec<u32> = interval.changes.iter().map(|change| change.slot).collect();
        slots.sort_by_key(|&slot| self.rank(slot));
        found.extend(slots.into_iter().map(|slot| self.event_of(interval.track.begin, slot)));
    }

    /// The order of slots at one time.
    fn rank(&self, slot: u32) -> (EventKind, u32, Extent) {
        let (node, extent) = self.layout.node_and_extent(slot);
        (self.kind_of(node), node, extent)
    }

    fn kind_of(&self, node: u32) -> EventKind {
        if self.layout.topology.node(node).is_leaf() { EventKind::Leaf } else { EventKind::Tree }
    }

    fn event_of(&self, time: f64, slot: u32) -> ClipEvent {
        let (node, extent) = self.layout.node_and_extent(slot);
        let winner = self.layout.vertices[self.winners.as_flattened()[slot as usize] as usize];
        ClipEvent { time, kind: self.kind_of(node), node, extent, winner }
    }
}
