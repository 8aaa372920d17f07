//! Which incidents were there before.

use std::collections::BTreeMap;

use super::group::{check, list_vertex_pairs, welded};
use super::{IncidentBody, IncidentError, TriangleContact};

/// Pairs of triangles whose contact is known: those of an earlier result, of frame 0, or of the
/// rest pose.
///
/// A contact is known if its triangles are equal to, or neighbours of, those of a pair of the
/// baseline, on both sides; times are not compared. An incident is known if any of its contacts is:
/// it grew from a known place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// Per pair of bodies, pairs of vertices as one number each, sorted.
    vertex_pairs: BTreeMap<[u32; 2], Vec<u64>>,
    /// Per body, the vertex that each vertex is welded to.
    points: Vec<Vec<u32>>,
}

impl Baseline {
    /// A baseline of contacts, whose times do not matter. O(n log n).
    ///
    /// # Errors
    /// A contact that names a body or triangle that does not exist here: the baseline is of other
    /// meshes.
    pub fn new(contacts: &[TriangleContact], bodies: &[IncidentBody<'_>]) -> Result<Self, IncidentError> {
        check(contacts, bodies)?;
        let points: Vec<Vec<u32>> = bodies.iter().map(welded).collect();
        let mut vertex_pairs: BTreeMap<[u32; 2], Vec<u64>> = BTreeMap::new();
        for contact in contacts {
            let known = vertex_pairs.entry(contact.bodies).or_default();
            list_vertex_pairs(contact, bodies, &points, |key| known.push(key));
        }
        for known in vertex_pairs.values_mut() {
            known.sort_unstable();
            known.dedup();
        }
        Ok(Self { vertex_pairs, points })
    }

    /// A baseline of the contacts that exist at a time, seconds: that of frame 0, for example.
    ///
    /// # Errors
    /// As [`Baseline::new`].
    pub fn at_time(
        contacts: &[TriangleContact],
        time: f64,
        bodies: &[IncidentBody<'_>],
    ) -> Result<Self, IncidentError> {
        let at_time: Vec<TriangleContact> = contacts.iter().filter(|contact| contact.is_at(time)).copied().collect();
        Self::new(&at_time, bodies)
    }

    /// Whether a contact of these bodies is known. O(log n).
    pub(super) fn knows(&self, contact: &TriangleContact, bodies: &[IncidentBody<'_>]) -> bool {
        let Some(known) = self.vertex_pairs.get(&contact.bodies) else { return false };
        let mut is_known = false;
        list_vertex_pairs(contact, bodies, &self.points, |key| is_known |= known.binary_search(&key).is_ok());
        is_known
    }
}
