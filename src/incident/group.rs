//! Which contacts belong together.
//!
//! A contact region is a set of touching triangles of one surface, connected by common vertices
//! while they touch. Each side of a contact lies in one region. Contacts between the same two
//! regions belong together as long as at least one of them lasts.
//!
//! Each side of a contact is listed under its three vertices. Among the entries of one vertex,
//! sorted by begin, a union joins each with the farthest end so far. O(n log n) for n contacts.

use crate::cancel::Cancel;
use crate::geometry::DisjointSets;

use super::contact::Place;
use super::find::go_on;
use super::{IncidentBody, IncidentError, TriangleContact};
use crate::mesh::weld;

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
    let places: Vec<[Place; 2]> = contacts.iter().map(TriangleContact::places).collect();
    order.sort_unstable_by_key(|&contact| (contacts[contact as usize].bodies, places[contact as usize][0], contact));
    let mut groups = Vec::new();
    for pair in order.chunk_by(|&x, &y| contacts[x as usize].bodies == contacts[y as usize].bodies) {
        go_on(cancel)?;
        let places: Vec<[Place; 2]> = pair.iter().map(|&contact| places[contact as usize]).collect();
        let of_pair = pair.iter().map(|&contact| contacts[contact as usize]);
        let regions = regions(of_pair, &places, bodies, &points);
        add_groups(pair, &places, &regions, &mut groups);
    }
    groups.iter_mut().for_each(|group: &mut Vec<u32>| group.sort_unstable());
    groups.sort_unstable_by_key(|group| group[0]);
    Ok(groups)
}

/// The regions of both sides of contacts of one pair of bodies, sorted by begin. For a body with
/// itself, the lower one goes first.
fn regions(
    contacts: impl Iterator<Item = TriangleContact>,
    places: &[[Place; 2]],
    bodies: &[IncidentBody<'_>],
    points: &[Vec<u32>],
) -> Vec<[usize; 2]> {
    // Entries of a vertex: twice the place of the contact, plus the side.
    let mut listed: Vec<(u64, usize)> = Vec::new();
    let mut is_own = false;
    for (place, contact) in contacts.enumerate() {
        is_own = contact.bodies[0] == contact.bodies[1];
        for side in 0..2 {
            let body = contact.bodies[side] as usize;
            let surface = if is_own { 0 } else { side as u64 };
            for vertex in bodies[body].triangles[contact.triangles[side] as usize] {
                listed.push((surface << 32 | u64::from(points[body][vertex as usize]), 2 * place + side));
            }
        }
    }
    listed.sort_unstable();
    listed.dedup();
    let mut sets = DisjointSets::new(2 * places.len());
    for same in listed.chunk_by(|x, y| x.0 == y.0) {
        let mut farthest = same[0].1;
        for &(_, next) in &same[1..] {
            let [begin, end] = places[next / 2];
            if begin <= places[farthest / 2][1] {
                sets.join(farthest as u32, next as u32);
            }
            if end > places[farthest / 2][1] {
                farthest = next;
            }
        }
    }
    let region = |sets: &mut DisjointSets, place: usize| {
        let [first, second] = [0, 1].map(|side| sets.root((2 * place + side) as u32) as usize);
        if is_own && second < first { [second, first] } else { [first, second] }
    };
    (0..places.len()).map(|place| region(&mut sets, place)).collect()
}

/// Adds the contacts of each pair of regions, cut where none of them lasts.
fn add_groups(pair: &[u32], places: &[[Place; 2]], regions: &[[usize; 2]], groups: &mut Vec<Vec<u32>>) {
    let mut order: Vec<usize> = (0..pair.len()).collect();
    // Stable: by begin among contacts of the same regions.
    order.sort_by_key(|&place| regions[place]);
    for same in order.chunk_by(|&x, &y| regions[x] == regions[y]) {
        let mut last = None;
        for &place in same {
            let [begin, end] = places[place];
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
