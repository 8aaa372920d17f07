//! Contact of one pair of triangles over time.

/// From when to when one pair of triangles touches; plain numbers.
///
/// Times are seconds, rounded outward, clipped to the span of the check.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TriangleContact {
    /// The two bodies, by their number in the scene; the first is not greater than the second.
    pub bodies: [u32; 2],
    /// A triangle of each body.
    pub triangles: [u32; 2],
    /// Begin and end, seconds.
    pub begin: f64,
    /// See `begin`.
    pub end: f64,
    /// Whether `begin`, and whether `end`, is not part of the contact: a jump is there.
    pub is_open: [bool; 2],
    /// Whether the contact existed when the span began, and whether it did when the span ended.
    pub is_clipped: [bool; 2],
    /// Contact is assumed, because it could not be decided.
    pub is_undecided: bool,
}

impl TriangleContact {
    /// A contact over a closed stretch of time, in seconds, that the span does not clip.
    pub fn new(bodies: [u32; 2], triangles: [u32; 2], begin: f64, end: f64) -> Self {
        Self { bodies, triangles, begin, end, is_open: [false; 2], is_clipped: [false; 2], is_undecided: false }
    }

    /// The same contact without its begin, without its end, or without both.
    #[must_use]
    pub fn open_at(mut self, is_open: [bool; 2]) -> Self {
        self.is_open = is_open;
        self
    }

    /// Whether the pair touches at a time. A contact of no length counts as touching there, also if
    /// an end is open.
    pub fn is_at(&self, time: f64) -> bool {
        let [begin, end] = self.places();
        begin <= Place::at(time) && Place::at(time) <= end
    }

    /// Begin and end as places on the time axis; the end is never before the begin.
    pub(crate) fn places(&self) -> [Place; 2] {
        let begin = Place { time: self.begin + 0.0, side: i8::from(self.is_open[0]) };
        let end = Place { time: self.end + 0.0, side: -i8::from(self.is_open[1]) };
        if end < begin { [Place::at(self.begin); 2] } else { [begin, end] }
    }
}

/// A time, the instant just before it, or the one just after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) time: f64,
    side: i8,
}

impl Place {
    /// The time itself.
    pub(crate) fn at(time: f64) -> Self {
        // Zero has one sign here, as the order below separates them.
        Self { time: time + 0.0, side: 0 }
    }

    /// Whether it is not the time itself.
    pub(crate) fn is_open(self) -> bool {
        self.side != 0
    }
}

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.time.total_cmp(&other.time).then(self.side.cmp(&other.side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ends_are_no_part_of_a_contact() {
        let contact = TriangleContact::new([0, 1], [0, 0], 1.0, 2.0);
        assert_eq!([0.5, 1.0, 1.5, 2.0, 2.5].map(|time| contact.is_at(time)), [false, true, true, true, false]);
        let open = contact.open_at([true, true]);
        assert_eq!([1.0, 1.5, 2.0].map(|time| open.is_at(time)), [false, true, false]);
        for is_open in [[true, true], [true, false], [false, true], [false, false]] {
            let instant = TriangleContact::new([0, 1], [0, 0], 1.0, 1.0).open_at(is_open);
            assert_eq!([0.5, 1.0, 1.5].map(|time| instant.is_at(time)), [false, true, false]);
        }
        assert!(TriangleContact::new([0, 1], [0, 0], -0.0, 0.0).is_at(0.0));
        assert!(TriangleContact::new([0, 1], [0, 0], 0.0, 0.0).is_at(-0.0));
    }
}
