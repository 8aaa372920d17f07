//! Intervals of contact as columns, each in planes of bytes.

use super::pack::{planes, zigzag32};
use crate::check::CheckResult;
use crate::incident::TriangleContact;

/// The incident of a contact that belongs to none.
const NONE: u32 = u32::MAX;

/// Intervals of contact, ready to be packed.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Intervals in the file.
    pub(super) count: usize,
    /// Pairs of bodies that contacts are of, sorted.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Per interval: number of the pair, triangles (as differences), begin, end, incident, flags.
    pub(super) bytes: Vec<u8>,
}

/// The contacts of a result, in its order, if there are `most` or fewer; otherwise those of the
/// first incidents; if the first one alone has more, what touches at its worst time.
pub(super) fn columns(result: &CheckResult, most: usize) -> Columns {
    let mut incident_of = vec![NONE; result.contacts.len()];
    for (number, incident) in result.incidents.iter().enumerate() {
        incident.contacts.iter().for_each(|&contact| incident_of[contact as usize] = number as u32);
    }
    let limit = incident_limit(result, most);
    let kept: Vec<(&TriangleContact, u32)> = result
        .contacts
        .iter()
        .zip(incident_of)
        .filter(|&(contact, incident)| match limit {
            Some(0) => incident == 0 && contact.is_at(result.incidents[0].worst_time),
            Some(limit) => incident < limit,
            None => true,
        })
        .take(most)
        .collect();
    let mut pairs: Vec<[u32; 2]> = kept.iter().map(|(contact, _)| contact.bodies).collect();
    pairs.sort_unstable();
    pairs.dedup();

    let mut bytes = Vec::with_capacity(kept.len() * 33);
    let pair_of = |contact: &TriangleContact| pairs.binary_search(&contact.bodies).unwrap_or(0) as u32;
    planes(&kept.iter().map(|(contact, _)| pair_of(contact).to_le_bytes()), &mut bytes);
    for side in 0..2 {
        let triangles = kept.iter().map(|(contact, _)| contact.triangles[side]);
        let before = std::iter::once(0).chain(triangles.clone());
        planes(&triangles.zip(before).map(|(t, before)| zigzag32(t.wrapping_sub(before)).to_le_bytes()), &mut bytes);
    }
    planes(&kept.iter().map(|(contact, _)| contact.begin.to_le_bytes()), &mut bytes);
    planes(&kept.iter().map(|(contact, _)| contact.end.to_le_bytes()), &mut bytes);
    planes(&kept.iter().map(|(_, incident)| incident.to_le_bytes()), &mut bytes);
    planes(&kept.iter().map(|(contact, _)| [flags(contact)]), &mut bytes);
    Columns { count: kept.len(), pairs, bytes }
}

fn flags(contact: &TriangleContact) -> u8 {
    let [open_begin, open_end] = contact.is_open;
    let [clipped_begin, clipped_end] = contact.is_clipped;
    let all = [open_begin, open_end, clipped_begin, clipped_end, contact.is_undecided];
    all.iter().enumerate().map(|(bit, &flag)| u8::from(flag) << bit).sum()
}

/// The number of first incidents whose contacts fit; `None` where all contacts do.
fn incident_limit(result: &CheckResult, most: usize) -> Option<u32> {
    if result.contacts.len() <= most {
        return None;
    }
    let mut sum = 0;
    let fits = |incident: &&crate::incident::Incident| {
        sum += incident.contacts.len();
        sum <= most
    };
    Some(result.incidents.iter().take_while(fits).count() as u32)
}
