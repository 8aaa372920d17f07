//! Leaf pairs of two swept bodies that go by windows: found once per interval, asked for at every time.
//!
//! Maintains, for the interval in which the windows of both bodies are known: which of their leaves may meet, and from when to when
//! ([`PairWindows`]). An interval ends when a body enters another window; a tree of another shape starts from the root.

use super::Body;
use crate::kds::{AuditReport, Kinship};
use crate::time::Moment;
use crate::timeline::{PairStats, PairWindows, PairedBoxes};

/// The leaf pairs of two bodies, or of one with itself.
#[derive(Debug)]
pub(super) struct Meetings {
    windows: PairWindows,
    /// Of a body with itself.
    kinship: Option<Kinship>,
    /// Of which windows and shapes of both bodies.
    versions: Option<[(u64, u64); 2]>,
}

impl Meetings {
    /// Of triangles that count as touching at a distance, metres; `None` if that is none.
    pub(super) fn new(distance: f64) -> Option<Self> {
        let windows = PairWindows::new(distance).ok()?;
        Some(Self { windows, kinship: None, versions: None })
    }

    /// Appends the leaf pairs that may meet at a moment, in no useful order; says whether they are known. Both windows must hold.
    pub(super) fn at(&mut self, a: &Body, b: &Body, is_one: bool, now: Moment, found: &mut Vec<(u32, u32)>) -> bool {
        let (Some(swept_a), Some(swept_b)) = (a.swept(), b.swept()) else { return false };
        let (Some(boxes_a), Some(boxes_b)) = (swept_a.boxes(now), swept_b.boxes(now)) else { return false };
        let versions = [swept_a.version(), swept_b.version()];
        if self.versions != Some(versions) {
            let shapes = |versions: [(u64, u64); 2]| versions.map(|(_, shape)| shape);
            if self.versions.map(shapes) != Some(shapes(versions)) {
                self.windows.forget();
                self.kinship = is_one.then(|| a.kinship()).flatten();
            }
            self.versions = None;
            let Self { windows, kinship, .. } = self;
            let partners = match kinship {
                Some(kinship) => PairedBoxes::within(boxes_a, kinship),
                None if is_one => return false,
                None => PairedBoxes::between(boxes_a, boxes_b),
            };
            if windows.begin(&partners).is_err() {
                return false;
            }
            windows.prepare(&partners, usize::MAX);
            self.versions = Some(versions);
        }
        match self.windows.active(now.time()) {
            Ok(pairs) => {
                found.extend(
                    pairs.map(|pair| if is_one { (pair.a.min(pair.b), pair.a.max(pair.b)) } else { (pair.a, pair.b) }),
                );
                true
            }
            Err(_) => false,
        }
    }

    /// Checks that the leaf pairs of the present interval are all there are; nothing where there is none.
    pub(super) fn audit(&self, a: &Body, b: &Body) -> AuditReport {
        let (Some(swept_a), Some(swept_b)) = (a.swept(), b.swept()) else { return AuditReport::default() };
        let (Some(boxes_a), Some(boxes_b)) = (swept_a.window(), swept_b.window()) else {
            return AuditReport::default();
        };
        if self.versions != Some([swept_a.version(), swept_b.version()]) {
            return AuditReport::default();
        }
        let partners = match &self.kinship {
            Some(kinship) => PairedBoxes::within(boxes_a, kinship),
            None => PairedBoxes::between(boxes_a, boxes_b),
        };
        self.windows.audit(&partners)
    }

    pub(super) fn stats(&self) -> PairStats {
        self.windows.stats()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.windows.bytes() + self.kinship.as_ref().map_or(0, Kinship::bytes)
    }
}

impl Body {
    /// Which of its leaves share a corner; `None` unless it is tested against itself.
    pub(super) fn kinship(&self) -> Option<Kinship> {
        let seams = self.seams.as_ref()?;
        Some(Kinship::new(self.topology()?, &self.parts(), seams, !self.neighbours))
    }
}
