//! When most pairs of a group touch at once.

use super::TriangleContact;
use super::contact::Place;

/// The first stretch of time with the most contacts at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Peak {
    pub(super) contacts: usize,
    /// Begin and end, seconds.
    pub(super) span: [f64; 2],
}

impl Peak {
    /// The peak of some contacts, at least one. O(n log n).
    pub(super) fn of(contacts: &[TriangleContact]) -> Self {
        let sorted = |end: usize| {
            let mut places: Vec<Place> = contacts.iter().map(|contact| contact.places()[end]).collect();
            places.sort_unstable();
            places
        };
        let (begins, ends) = (sorted(0), sorted(1));
        let mut peak = Self { contacts: 0, span: [0.0; 2] };
        let mut ended = 0;
        for (begun, &begin) in begins.iter().enumerate() {
            while ends[ended] < begin {
                ended += 1;
            }
            let active = begun + 1 - ended;
            if active > peak.contacts {
                // Until the next end no contact ends, and one that begins raises the count.
                peak = Self { contacts: active, span: [begin.time, ends[ended].time] };
            }
        }
        peak
    }

    /// The middle of the stretch, seconds; never outside it.
    pub(super) fn middle(&self) -> f64 {
        let [begin, end] = self.span;
        (begin + 0.5 * (end - begin)).clamp(begin, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peak(spans: &[[f64; 2]]) -> Peak {
        let contacts: Vec<_> =
            spans.iter().map(|span| TriangleContact::new([0, 1], [0, 0], span[0], span[1])).collect();
        Peak::of(&contacts)
    }

    #[test]
    fn closed_ends_that_meet_count_together() {
        assert_eq!(peak(&[[0.0, 1.0], [1.0, 2.0]]), Peak { contacts: 2, span: [1.0, 1.0] });
        assert_eq!(peak(&[[0.0, 4.0], [1.0, 3.0], [2.0, 5.0], [6.0, 7.0]]), Peak { contacts: 3, span: [2.0, 3.0] });
        assert_eq!(peak(&[[0.0, 1.0], [2.0, 3.0]]).middle(), 0.5);
    }

    #[test]
    fn open_ends_that_meet_do_not() {
        let before = TriangleContact::new([0, 1], [0, 0], 0.0, 1.0).open_at([false, true]);
        let after = TriangleContact::new([0, 1], [0, 1], 1.0, 2.0);
        assert_eq!(Peak::of(&[before, after]).contacts, 1);
        assert_eq!(Peak::of(&[before.open_at([false; 2]), after]).contacts, 2);
    }
}
