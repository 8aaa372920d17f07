//! Random meshes with seams, and a union over all pairs of contacts: quadratic, by the definition,
//! without code of the library.

use kinetree::incident::{IncidentBody, TriangleContact};

use crate::dice::Dice;

/// A grid of triangles; some are cut off along a seam, so that vertices lie at equal places.
pub(crate) struct RandomMesh {
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) rest: Vec<[f32; 3]>,
}

impl RandomMesh {
    pub(crate) fn new(dice: &mut Dice) -> Self {
        let (columns, rows) = (2 + dice.below(4), 2 + dice.below(4));
        let mut mesh = Self { triangles: Vec::new(), rest: Vec::new() };
        for y in 0..=rows {
            for x in 0..=columns {
                mesh.rest.push([x as f32, y as f32, 0.0]);
            }
        }
        let at = |x: usize, y: usize| (y * (columns + 1) + x) as u32;
        for y in 0..rows {
            for x in 0..columns {
                let corners = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)];
                mesh.triangles.extend([[corners[0], corners[1], corners[2]], [corners[1], corners[3], corners[2]]]);
            }
        }
        for triangle in 0..mesh.triangles.len() {
            if dice.percent(20) {
                let corner = dice.below(3);
                let place = mesh.rest[mesh.triangles[triangle][corner] as usize];
                mesh.triangles[triangle][corner] = mesh.rest.len() as u32;
                // The same place, by another zero.
                mesh.rest.push([place[0], place[1], -place[2]]);
            }
        }
        mesh
    }

    pub(crate) fn body(&self) -> IncidentBody<'_> {
        IncidentBody::new(&self.triangles, &self.rest)
    }

    /// Whether two triangles are equal or have a corner at the same place.
    fn are_neighbours(&self, p: u32, q: u32) -> bool {
        let places = |triangle: u32| self.triangles[triangle as usize].map(|vertex| self.rest[vertex as usize]);
        p == q || places(p).iter().any(|place| places(q).contains(place))
    }
}

/// Whether two stretches of time share an instant.
fn overlap(x: &TriangleContact, y: &TriangleContact) -> bool {
    let is_before = |x: &TriangleContact, y: &TriangleContact| {
        if x.end == y.begin { x.is_open[1] || y.is_open[0] } else { x.end < y.begin }
    };
    !is_before(x, y) && !is_before(y, x)
}

/// Numbers below `count` that chains connect, each set by number, ordered by their first.
fn components(count: usize, connected: impl Fn(usize, usize) -> bool) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut is_taken = vec![false; count];
    for first in 0..count {
        if is_taken[first] {
            continue;
        }
        is_taken[first] = true;
        let mut group = vec![first as u32];
        let mut next = 0;
        while next < group.len() {
            let member = group[next] as usize;
            for other in 0..count {
                if !is_taken[other] && connected(member, other) {
                    is_taken[other] = true;
                    group.push(other as u32);
                }
            }
            next += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

/// Groups of contacts by the definition: sides of contacts form regions of each surface, and chains of contacts
/// between the same two regions that overlap in time form groups.
pub(crate) fn union_of_all_pairs(contacts: &[TriangleContact], meshes: &[RandomMesh]) -> Vec<Vec<u32>> {
    // The two sides of contact i are numbers 2 i and 2 i + 1.
    let side = |number: usize| {
        let contact = &contacts[number / 2];
        (contact, contact.bodies[number % 2], contact.triangles[number % 2])
    };
    let are_of_one_region = |x: usize, y: usize| {
        let ((x, of_x, p), (y, of_y, q)) = (side(x), side(y));
        x.bodies == y.bodies && of_x == of_y && overlap(x, y) && meshes[of_x as usize].are_neighbours(p, q)
    };
    let mut region_of = vec![0; 2 * contacts.len()];
    for (region, sides) in components(2 * contacts.len(), are_of_one_region).iter().enumerate() {
        sides.iter().for_each(|&side| region_of[side as usize] = region);
    }
    components(contacts.len(), |x, y| {
        let mut regions = [x, y].map(|contact| [region_of[2 * contact], region_of[2 * contact + 1]]);
        if contacts[x].bodies[0] == contacts[x].bodies[1] {
            regions.iter_mut().for_each(|regions| regions.sort_unstable());
        }
        contacts[x].bodies == contacts[y].bodies && regions[0] == regions[1] && overlap(&contacts[x], &contacts[y])
    })
}
