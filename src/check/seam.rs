//! Contacts over time of parts that follow each other, joined at the cuts as they are told.
//!
//! A contact that exists at a cut ends there in one part, and begins there in the next. When the
//! next part has told what exists at its begin, it is known which contacts go on.

use std::collections::BTreeMap;

use crate::incident::TriangleContact;

/// Bodies, triangles, and a number among contacts of the same two triangles.
type Place = ([u32; 2], [u32; 2], usize);

/// The contacts at the last cut.
pub(super) struct Seam {
    open: BTreeMap<Place, TriangleContact>,
}

impl Seam {
    /// A part ends at a cut with contacts, in order, that exist there.
    pub(super) fn cut(contacts: Vec<TriangleContact>) -> Self {
        let place = |number, contact: &TriangleContact| (contact.bodies, contact.triangles, number);
        let open = contacts.into_iter().enumerate().map(|(number, contact)| (place(number, &contact), contact));
        Self { open: open.collect() }
    }

    /// The part after the cut begins, with contacts: those that go on are taken from them. Returns
    /// the contacts that do not go on, which end at the cut.
    pub(super) fn cross(&mut self, begun: &mut Vec<TriangleContact>) -> Vec<TriangleContact> {
        let mut before = std::mem::take(&mut self.open);
        begun.retain_mut(|contact| {
            if !contact.is_clipped[0] {
                return true;
            }
            let known = take(&mut before, contact);
            // It exists at the cut in one part only, and begins there.
            contact.is_clipped[0] = false;
            let is_new = known.is_none();
            self.open.extend(known);
            is_new
        });
        let ends = |contact: TriangleContact| TriangleContact { is_clipped: [contact.is_clipped[0], false], ..contact };
        before.into_values().map(ends).collect()
    }

    /// Gives a contact of the part after the cut the begin that it had before it.
    pub(super) fn join(&mut self, contact: &mut TriangleContact) {
        if !contact.is_clipped[0] {
            return;
        }
        contact.is_clipped[0] = false;
        if let Some((_, known)) = take(&mut self.open, contact) {
            (contact.begin, contact.is_open[0], contact.is_clipped[0]) =
                (known.begin, known.is_open[0], known.is_clipped[0]);
            contact.is_undecided |= known.is_undecided;
        }
    }
}

/// Takes the first contact of the same two triangles.
fn take(open: &mut BTreeMap<Place, TriangleContact>, contact: &TriangleContact) -> Option<(Place, TriangleContact)> {
    let (bodies, triangles) = (contact.bodies, contact.triangles);
    let (&place, _) = open.range((bodies, triangles, 0)..=(bodies, triangles, usize::MAX)).next()?;
    open.remove_entry(&place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(triangle: u32, begin: f64, end: f64, is_clipped: [bool; 2]) -> TriangleContact {
        TriangleContact { is_clipped, ..TriangleContact::new([0, 1], [triangle, 0], begin, end) }
    }

    #[test]
    fn contacts_at_a_cut_go_on_end_or_begin_there() {
        // Of a part from 0 s to 1 s, and of the next one.
        let mut goes_on = contact(0, 0.25, 1.0, [false, true]);
        goes_on.is_undecided = true;
        let ends = contact(1, 0.0, 1.0, [true, true]);
        let mut seam = Seam::cut(vec![goes_on, ends]);
        let [after, begins] = [0, 2].map(|triangle| contact(triangle, 1.0, 1.0, [true, false]));
        let later = contact(1, 1.0, 1.0, [false, false]).open_at([true, false]);
        let mut begun = vec![after, begins, later];
        assert_eq!(seam.cross(&mut begun), [contact(1, 0.0, 1.0, [true, false])]);
        assert_eq!(begun, [contact(2, 1.0, 1.0, [false, false]), later]);
        let mut ended = [after, begins, later].map(|contact| TriangleContact { end: 1.5, ..contact });
        ended.iter_mut().for_each(|contact| seam.join(contact));
        let joined = TriangleContact { end: 1.5, is_clipped: [false, false], ..goes_on };
        assert_eq!(ended, [joined, contact(2, 1.0, 1.5, [false, false]), TriangleContact { end: 1.5, ..later }]);
        assert!(seam.cross(&mut Vec::new()).is_empty());
    }
}
