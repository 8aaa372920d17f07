//! Which contacts belong together.
//!
//! Two triangles share a vertex on both sides of a contact exactly if their contacts have a common
//! pair of vertices, one of each side. Contacts are therefore listed once per pair of vertices,
//! nine times for two triangles. Among the contacts of one pair of vertices, sorted by begin, a
//! union joins each with the farthest end so far. O(n log n) for n contacts.

use crate::geometry::DisjointSets;

use super::{IncidentBody, IncidentError, TriangleContact};
use crate::mesh::weld;

/// Groups of contacts that belong together, each by increasing number, ordered by their first.
///
/// Contacts of the same pair of bodies belong together if they overlap in time and share a vertex
/// on both sides, and so do contacts connected by a chain of these. Vertices with equal rest
/// positions are one. Contacts of a body with itself are unordered pairs of triangles.
///
/// # Errors
/// A contact that names what does not exist or has no stretch of time; a mesh that names a vertex
/// that does not exist.
pub fn group_contacts(
    contacts: &[TriangleContact],
    bodies: &[IncidentBody<'_>],
) -> Result<Vec<Vec<u32>>, IncidentError> {
    check(contacts, bodies)?;
    let points: Vec<Vec<u32>> = bodies.iter().map(welded).collect();
    let mut order: Vec<u32> = (0..contacts.len() as u32).collect();
    let places: Vec<_> = contacts.iter().map(TriangleContact::places).collect();
    order.sort_unstable_by_key(|&contact| (contacts[contact as usize].bodies, places[contact as usize][0], contact));
    let mut sets = DisjointSets::new(contacts.len());
    let mut listed = Vec::new();
    for pair in order.chunk_by(|&x, &y| contacts[x as usize].bodies == contacts[y as usize].bodies) {
        listed.clear();
        for (rank, &contact) in pair.iter().enumerate() {
            let contact = &contacts[contact as usize];
            list_vertex_pairs(contact, bodies, &points, |key| listed.push((key, rank as u32)));
        }
        listed.sort_unstable();
        listed.dedup();
        for same in listed.chunk_by(|x, y| x.0 == y.0) {
            let mut farthest = pair[same[0].1 as usize];
            for &(_, rank) in &same[1..] {
                let next = pair[rank as usize];
                let [begin, end] = places[next as usize];
                if begin <= places[farthest as usize][1] {
                    sets.join(farthest, next);
                }
                if end > places[farthest as usize][1] {
                    farthest = next;
                }
            }
        }
    }
    Ok(sets.into_lists())
}

/// Refuses contacts and meshes that name what does not exist.
pub(super) fn check(contacts: &[TriangleContact], bodies: &[IncidentBody<'_>]) -> Result<(), IncidentError> {
    if u32::try_from(contacts.len()).is_err() {
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
