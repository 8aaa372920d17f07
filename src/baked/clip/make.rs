//! Baking.

use super::{BakeError, BakeFormat, BakedClip, FARTHEST, SIDES, fingerprint};
use crate::baked::clip_tree::ClipTree;
use crate::bvh::Topology;
use crate::interval::layout::LANES;
use crate::motion::Motion;
use crate::time::{Moment, Span};

/// Buckets per keyframe interval where events are stamped.
const PARTS: usize = 16;

/// Most frames of a clip.
const MOST_FRAMES: usize = 1 << 24;

impl BakedClip {
    /// Bakes a motion for a tree, with `syncs` sync points in addition to the one at the begin.
    /// O(clip).
    ///
    /// # Errors
    /// A motion that a clip tree cannot follow or that jumps within the clip; a span without
    /// length; a rate that is not positive; more items than a clip can hold.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn bake(
        topology: Topology,
        motion: &Motion,
        span: Span,
        format: BakeFormat,
        syncs: usize,
    ) -> Result<Self, BakeError> {
        let per_second = match format {
            BakeFormat::Frames { per_second } => per_second,
            BakeFormat::Stamped => 0.0,
        };
        let bad = BakeError::BadSpan { begin: span.begin, end: span.end, per_second };
        let is_good = span.begin < span.end && (span.end - span.begin).is_finite();
        if !is_good || (format != BakeFormat::Stamped && !(per_second > 0.0 && per_second.is_finite())) {
            return Err(bad);
        }
        let mut maker = Maker::new(topology, motion, span)?;
        match format {
            BakeFormat::Frames { per_second } => maker.frames(motion, frame_times(span, per_second)?)?,
            BakeFormat::Stamped => maker.stamped(motion, span)?,
        }
        Ok(maker.finish(syncs))
    }

    /// Bakes a motion for a tree and for frames at given times, seconds; otherwise as
    /// [`BakedClip::bake`].
    ///
    /// # Errors
    /// As [`BakedClip::bake`]; fewer than two times, or times that are not finite and ascending.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn bake_at(topology: Topology, motion: &Motion, times: &[f64], syncs: usize) -> Result<Self, BakeError> {
        let (begin, end) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
        let is_good = times.len() > 1 && times.iter().all(|time| time.is_finite()) && times.is_sorted_by(|a, b| a < b);
        if !is_good {
            return Err(BakeError::BadSpan { begin, end, per_second: 0.0 });
        }
        if times.len() > MOST_FRAMES {
            return Err(BakeError::TooLarge { what: "frames", count: times.len() });
        }
        let mut maker = Maker::new(topology, motion, Span { begin, end })?;
        maker.frames(motion, times[1..].iter().copied())?;
        Ok(maker.finish(syncs))
    }
}

/// Returns the times of the frames after the first.
fn frame_times(span: Span, per_second: f64) -> Result<impl Iterator<Item = f64>, BakeError> {
    let count = ((span.end - span.begin) * per_second).ceil();
    if !(count <= MOST_FRAMES as f64) {
        return Err(BakeError::TooLarge { what: "frames", count: count as usize });
    }
    let count = count as usize;
    Ok((1..=count).map(move |frame| {
        let time = span.begin + frame as f64 / per_second;
        if frame == count || time > span.end { span.end } else { time }
    }))
}

struct Maker {
    tree: ClipTree,
    clip: BakedClip,
}

impl Maker {
    fn new(topology: Topology, motion: &Motion, span: Span) -> Result<Self, BakeError> {
        let mut jump = motion.epoch_end(Moment::at(span.begin));
        while jump.time() < span.end {
            // Epochs of endless motion end without a jump.
            if motion.stretch(Moment::after(jump.time())).is_some_and(|stretch| stretch.after_jump) {
                return Err(BakeError::Jump { time: jump.time() });
            }
            jump = motion.epoch_end(Moment::after(jump.time()));
        }
        let tree = ClipTree::over(topology, motion, span.begin)?;
        let clip = BakedClip {
            topology: fingerprint::of_topology(&tree.layout.topology),
            motion: motion.fingerprint(span.begin, span.end),
            winners: (SIDES * tree.layout.place_count()) as u32,
            points: tree.layout.vertices.len() as u32,
            times: vec![span.begin],
            starts: vec![0],
            words: Vec::new(),
            stamps: Vec::new(),
            syncs: vec![0],
            sync_cells: Vec::new(),
        };
        // Numbers of cells, and of slots of the tree, must fit 32 bits.
        let slots = LANES * tree.layout.place_count();
        if u32::try_from(2 * slots).is_err() {
            return Err(BakeError::TooLarge { what: "winners", count: slots });
        }
        let mut maker = Self { tree, clip };
        maker.clip.sync_cells = vec![0; maker.clip.cell_count() as usize];
        let winners = maker.tree.winners.as_flattened().iter().enumerate();
        for (slot, &winner) in winners.filter(|&(slot, _)| slot % 4 != 3) {
            for (cell, part) in maker.clip.cells_of(slot as u32, winner) {
                maker.clip.sync_cells[cell as usize] = part as u16;
            }
        }
        Ok(maker)
    }

    /// Writes one bucket per frame: the winners that differ from those of the previous frame.
    fn frames(&mut self, motion: &Motion, times: impl Iterator<Item = f64>) -> Result<(), BakeError> {
        let mut before = self.tree.winners.clone();
        let mut cells = Vec::new();
        for time in times {
            if time <= self.clip.end() {
                continue;
            }
            self.tree.advance(motion, time, |_| ())?;
            cells.clear();
            for (place, (old, new)) in before.iter_mut().zip(&self.tree.winners).enumerate() {
                if old == new {
                    continue;
                }
                for lane in 0..LANES {
                    cells.extend(self.clip.cells_of((LANES * place + lane) as u32, old[lane] ^ new[lane]));
                }
                *old = *new;
            }
            if self.clip.cell_count() > u64::from(self.clip.winners) {
                cells.sort_unstable();
            }
            let mut writer = Writer::default();
            for &(cell, part) in &cells {
                writer.write(&mut self.clip, cell, part, None);
            }
            self.close_bucket(time)?;
        }
        Ok(())
    }

    /// Writes some buckets per keyframe interval, with every event.
    fn stamped(&mut self, motion: &Motion, span: Span) -> Result<(), BakeError> {
        while self.clip.end() < span.end {
            let from = self.clip.end();
            let stretch = motion.stretch(Moment::after(from));
            let stop = stretch.map_or(span.end, |stretch| stretch.end.min(span.end));
            for part in 1..=PARTS {
                let time = if part == PARTS { stop } else { from + (stop - from) * (part as f64 / PARTS as f64) };
                if time <= self.clip.end() {
                    continue;
                }
                let mut cells: Vec<(u32, u32, f64)> = Vec::new();
                let clip = &self.clip;
                self.tree.advance(motion, time, |step| {
                    cells.extend(clip.cells_of(step.slot, step.toggle).map(|(cell, part)| (cell, part, step.time)));
                })?;
                // Stable: events of one cell stay in order.
                cells.sort_by_key(|&(cell, _, _)| cell);
                let mut writer = Writer::default();
                for (cell, part, time) in cells {
                    writer.write(&mut self.clip, cell, part, Some(time));
                }
                self.close_bucket(time)?;
            }
        }
        Ok(())
    }

    fn close_bucket(&mut self, time: f64) -> Result<(), BakeError> {
        let count = self.clip.words.len();
        let start = u32::try_from(count).map_err(|_| BakeError::TooLarge { what: "events", count })?;
        self.clip.starts.push(start);
        self.clip.times.push(time);
        Ok(())
    }

    /// Spreads the sync points evenly over the buckets.
    fn finish(self, syncs: usize) -> BakedClip {
        let mut clip = self.clip;
        let buckets = clip.bucket_count();
        let mut cells = clip.sync_cells.clone();
        let syncs = syncs.min(buckets - 1);
        let mut next = 1;
        for bucket in 0..buckets {
            if next <= syncs && bucket == next * buckets / (syncs + 1) {
                next += 1;
                if bucket > 0 {
                    clip.syncs.push(bucket as u32);
                    clip.sync_cells.extend_from_slice(&cells);
                }
            }
            clip.toggle_bucket(bucket, &mut cells);
        }
        clip.words.shrink_to_fit();
        clip.stamps.shrink_to_fit();
        clip
    }
}

impl BakedClip {
    /// Returns the cells in which a toggle changes a winner, each with its part of the toggle.
    /// `slot` is a slot of the clip tree.
    fn cells_of(&self, slot: u32, toggle: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
        let (place, lane) = (slot / LANES as u32, slot % LANES as u32);
        let (low, winners) = (SIDES as u32 * place + lane - u32::from(lane > 3), self.winners);
        (0..2).map(move |half| (low + half * winners, (toggle >> (16 * half)) & 0xffff)).filter(|&(_, part)| part != 0)
    }
}

/// Writes the events of one bucket, by ascending cell.
#[derive(Default)]
struct Writer {
    cell: u32,
}

impl Writer {
    fn write(&mut self, clip: &mut BakedClip, cell: u32, part: u32, stamp: Option<f64>) {
        while cell - self.cell > FARTHEST {
            clip.words.push(FARTHEST << 16);
            clip.stamps.extend(stamp);
            self.cell += FARTHEST;
        }
        clip.words.push((cell - self.cell) << 16 | part);
        clip.stamps.extend(stamp);
        self.cell = cell;
    }
}
