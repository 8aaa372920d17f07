//! Which contacts belong together.
//!
//! A contact region is a set of touching triangles of one surface, connected by common vertices
//! while they touch. Each side of a contact lies in one region. Contacts between the same two
//! regions belong together as long as at least one of them lasts.
//!
//! Each side of a contact is listed under its three vertices. Among the entries of one vertex,
//! sorted by begin, a union joins each with the farthest end so far. O(n log n) for n contacts.

use crate::cancel::Cancel;
use crate::sets::DisjointSets;

use super::find::go_on;
use super::{IncidentBody, IncidentError, TriangleContact};
use crate::mesh::weld;
use crate::threads;

/// Groups of contacts that belong together, each by increasing number, ordered by their first.
///
/// Two sides of contacts are of one region if their triangles are of the same body and share a
/// vertex, and their contacts overlap in time and are of the same pair of bodies; and so are sides
/// connected by a chain of these. Contacts belong together if they are of the same two regions and
/// overlap in time, and so do contacts connected by a chain of these. Vertices with equal rest
/// positions are one. Contacts of a body with itself are unordered pairs of triangles.
///
/// # Errors
/// A contact that names what does not exist or has no stretch of time; a mesh that names a vertex
/// that does not exist.
pub fn group_contacts(
    contacts: &[TriangleContact],
    bodies: &[IncidentBody<'_>],
) -> Result<Vec<Vec<u32>>, IncidentError> {
    group_until(contacts, bodies, None)
}

/// As [`group_contacts`]; a cancellation ends it before the next pair of bodies.
pub(super) fn group_until(
    contacts: &[TriangleContact],
    bodies: &[IncidentBody<'_>],
    cancel: Option<&Cancel>,
) -> Result<Vec<Vec<u32>>, IncidentError> {
    check(contacts, bodies)?;
    let points: Vec<Vec<u32>> = bodies.iter().map(welded).collect();
    let mut order: Vec<u32> = (0..contacts.len() as u32).collect();
    threads::sort_by_key(&mut order, |&number| {
        let contact = &contacts[number as usize];
        (contact.bodies, contact.places()[0], number)
    });
    let mut groups = Vec::new();
    for pair in order.chunk_by(|&x, &y| contacts[x as usize].bodies == contacts[y as usize].bodies) {
        go_on(cancel)?;
        let regions = regions(contacts, pair, bodies, &points);
        add_groups(contacts, pair, &regions, &mut groups);
    }
    groups.iter_mut().for_each(|group: &mut Vec<u32>| group.sort_unstable());
    groups.sort_unstable_by_key(|group| group[0]);
    Ok(groups)
}

/// The regions of both sides of the contacts of one pair of bodies, which are sorted by begin. For
/// a body with itself, the lower one goes first.
fn regions(
    contacts: &[TriangleContact],
    pair: &[u32],
    bodies: &[IncidentBody<'_>],
    points: &[Vec<u32>],
) -> Vec<[u32; 2]> {
    let of = contacts[pair[0] as usize].bodies;
    let is_own = of[0] == of[1];
    // The number of a side: twice the place of the contact, plus the side.
    let span = |side: u32| contacts[pair[side as usize / 2] as usize].places();
    let mut sets = DisjointSets::new(2 * pair.len());
    let mut listed: Vec<u64> = Vec::new();
    for surface in 0..if is_own { 1 } else { 2 } {
        listed.clear();
        let sides = if is_own { 0..2 } else { surface..surface + 1 };
        for (place, &contact) in pair.iter().enumerate() {
            for side in sides.clone() {
                let (body, triangle) = (of[side] as usize, contacts[contact as usize].triangles[side]);
                for vertex in bodies[body].triangles[triangle as usize] {
                    let point = u64::from(points[body][vertex as usize]);
                    listed.push(point << 32 | (2 * place + side) as u64);
                }
            }
        }
        threads::sort_by_key(&mut listed, |&entry| entry);
        listed.dedup();
        for same in listed.chunk_by(|x, y| x >> 32 == y >> 32) {
            let mut farthest = same[0] as u32;
            for next in same[1..].iter().map(|&entry| entry as u32) {
                let ([begin, end], [_, last]) = (span(next), span(farthest));
                if begin <= last {
                    sets.join(farthest, next);
                }
                if end > last {
                    farthest = next;
                }
            }
        }
    }
    let region = |sets: &mut DisjointSets, place: usize| {
        let [first, second] = [0, 1].map(|side| sets.root((2 * place + side) as u32));
        if is_own && second < first { [second, first] } else { [first, second] }
    };
    (0..pair.len()).map(|place| region(&mut sets, place)).collect()
}

/// Adds the contacts of each pair of regions, cut where none of them lasts.
fn add_groups(contacts: &[TriangleContact], pair: &[u32], regions: &[[u32; 2]], groups: &mut Vec<Vec<u32>>) {
    let mut order: Vec<u32> = (0..pair.len() as u32).collect();
    // By begin among contacts of the same regions.
    threads::sort_by_key(&mut order, |&place| (regions[place as usize], place));
    for same in order.chunk_by(|&x, &y| regions[x as usize] == regions[y as usize]) {
        let mut last = None;
        for place in same.iter().map(|&place| place as usize) {
            let [begin, end] = contacts[pair[place] as usize].places();
            if last.is_none_or(|last| begin > last) {
                groups.push(Vec::new());
            }
            groups.last_mut().into_iter().for_each(|group| group.push(pair[place]));
            last = last.max(Some(end));
        }
    }
}

/// Refuses contacts and meshes that name what does not exist.
pub(super) fn check(contacts: &[TriangleContact], bodies: &[IncidentBody<'_>]) -> Result<(), IncidentError> {
    // Both sides of each contact have a number.
    if contacts.len() > u32::MAX as usize / 2 {
        return Err(IncidentError::TooMany { count: contacts.len() });
    }
    for (number, body) in bodies.iter().enumerate() {
        for (triangle, corners) in body.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= body.rest.len()) {
                return Err(IncidentError::NoSuchVertex {
                    body: number as u32,
                    triangle: triangle as u32,
                    vertex,
                    vertices: body.rest.len(),
                });
            }
        }
    }
    for (number, contact) in contacts.iter().enumerate() {
        let [first, second] = contact.bodies;
        if first > second {
            return Err(IncidentError::BodyOrder { contact: number, first, second });
        }
        for (body, triangle) in contact.bodies.into_iter().zip(contact.triangles) {
            let Some(of) = bodies.get(body as usize) else {
                return Err(IncidentError::NoSuchBody { contact: number, body, bodies: bodies.len() });
            };
            if triangle as usize >= of.triangles.len() {
                let triangles = of.triangles.len();
                return Err(IncidentError::NoSuchTriangle { contact: number, body, triangle, triangles });
            }
        }
        if !(contact.begin <= contact.end && contact.begin.is_finite() && contact.end.is_finite()) {
            return Err(IncidentError::Times { contact: number, begin: contact.begin, end: contact.end });
        }
    }
    Ok(())
}

/// Per vertex of a body, the vertex that it is welded to. O(n log n).
pub(super) fn welded(body: &IncidentBody<'_>) -> Vec<u32> {
    weld(body.rest.len(), |vertex| body.rest[vertex])
}

/// Passes every pair of vertices, one of each side, as one number; unordered for a body with
/// itself.
pub(super) fn list_vertex_pairs(
    contact: &TriangleContact,
    bodies: &[IncidentBody<'_>],
    points: &[Vec<u32>],
    mut take: impl FnMut(u64),
) {
    let corners = |side: usize| {
        let body = contact.bodies[side] as usize;
        bodies[body].triangles[contact.triangles[side] as usize].map(|vertex| points[body][vertex as usize])
    };
    let (ours, theirs) = (corners(0), corners(1));
    let is_own = contact.bodies[0] == contact.bodies[1];
    for p in ours {
        for q in theirs {
            let (high, low) = if is_own && q < p { (q, p) } else { (p, q) };
            take(u64::from(high) << 32 | u64::from(low));
        }
    }
}
