//! What a triangle of a checked body is called.

use super::CheckedBody;
#[cfg(feature = "cli")]
use crate::incident::PartNames;

/// Finds the part of a body that a triangle is in, for all bodies of a check.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartFinder {
    /// Per body: first triangle, the one after the last, and the part; increasing.
    ranges: Vec<Vec<(u32, u32, u32)>>,
}

impl PartFinder {
    /// O(n log n) in ranges of triangles.
    pub(crate) fn new(bodies: &[CheckedBody]) -> Self {
        let of = |body: &CheckedBody| {
            let parts = body.parts.iter().enumerate();
            let ranges = parts
                .flat_map(|(part, of)| of.triangles.iter().map(move |range| (range.start, range.end, part as u32)));
            let mut ranges: Vec<(u32, u32, u32)> = ranges.collect();
            ranges.sort_unstable();
            ranges
        };
        Self { ranges: bodies.iter().map(of).collect() }
    }

    /// The place of a triangle's part in [`CheckedBody::parts`]; `None` without a name.
    /// O(log ranges).
    pub(crate) fn part(&self, body: u32, triangle: u32) -> Option<u32> {
        let ranges = self.ranges.get(body as usize)?;
        let after = ranges.partition_point(|&(first, ..)| first <= triangle);
        let &(_, end, part) = ranges[..after].last()?;
        (triangle < end).then_some(part)
    }

    /// The names of a triangle; `None` without one. `bodies` are those it was made of.
    #[cfg(feature = "cli")]
    pub(crate) fn names<'a>(&self, bodies: &'a [CheckedBody], body: u32, triangle: u32) -> Option<&'a PartNames> {
        let part = self.part(body, triangle)?;
        bodies.get(body as usize)?.parts.get(part as usize).map(|part| &part.names)
    }
}
