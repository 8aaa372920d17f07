//! Radii, welding, neighbours: which pairs of points and segments count.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, Contact};

use super::common::lockstep::Lockstep;

fn still(mesh: Mesh, places: &[[f32; 3]]) -> BodyDef {
    BodyDef::new(mesh, Flightplan::fixed(places.to_vec()))
}

fn pairs(contacts: &[Contact]) -> Vec<(u32, u32)> {
    contacts.iter().map(|contact| (contact.triangle_a, contact.triangle_b)).collect()
}

/// Balls of radii r and s touch from a distance of r + s, and those of one body from 2 r.
#[test]
fn radii_add_up() {
    for (r, s, gap, expected) in [
        (0.5, 0.25, 0.75, 1),
        (0.5, 0.25, 0.750_000_1, 0),
        (0.75, 0.0, 0.75, 1),
        (0.0, 0.0, 0.0, 1),
        (0.0, 0.0, 1e-30, 0),
        (0.3, 0.0, 0.3f32.next_up(), 0),
    ] {
        let mut worlds = Lockstep::new(0.0);
        worlds.add(&still(Mesh::points(1).unwrap(), &[[0.0; 3]]).radius(r));
        worlds.add(&still(Mesh::points(1).unwrap(), &[[gap, 0.0, 0.0]]).radius(s));
        assert_eq!(worlds.at(0.0), expected, "{r} {s} {gap}");
        let mut worlds = Lockstep::new(0.0);
        worlds.add(
            &still(Mesh::points(2).unwrap(), &[[0.0; 3], [gap, 0.0, 0.0]]).radius(0.5 * (r + s)).self_contact(true),
        );
        assert_eq!(worlds.at(0.0), expected, "within one body: {r} {s} {gap}");
    }
}

/// A cloud that starts in one point and spreads: all pairs, although they rest at one place.
#[test]
fn clouds_are_tested_all_against_all() {
    let (count, mut keys) = (9u32, vec![[0.0f32; 3]; 9]);
    keys.extend((0..count).map(|point| [point as f32, 0.0, 0.0]));
    let plan = Flightplan::keyframes(vec![0.0, 1.0], keys);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&BodyDef::new(Mesh::points(9).unwrap(), plan).radius(0.5).self_contact(true));
    assert_eq!(worlds.at(0.0), 36);
    // Half a metre from point to point: 1 m to the next but one.
    assert_eq!(worlds.at(0.5), 8 + 7);
    assert_eq!(worlds.at(1.0), 8);
    assert_eq!(pairs(worlds.contacts())[0], (0, 1));
}

#[test]
fn strands_and_their_neighbours() {
    // A strand that turns back on itself: segment 3 runs over the middle of segment 0; 1 and 2 fold back along each other.
    let places = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 2.0, 0.0], [4.0, 1.0, 0.0], [2.0, -1.0, 0.0]];
    let mesh = || Mesh::segments(5, &[[0, 1], [1, 2], [2, 3], [3, 4]]).unwrap();
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&still(mesh(), &places).self_contact(true));
    worlds.at(0.0);
    // 1 and 3 share the point (4, 1): 3 ends on 1.
    assert_eq!(pairs(worlds.contacts()), [(0, 3), (1, 3)]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&still(mesh(), &places).self_contact(true).neighbours(true));
    worlds.at(0.0);
    assert_eq!(pairs(worlds.contacts()), [(0, 3), (1, 2), (1, 3)]);
    // Ends welded at rest are neighbours as well; a wire within its radius touches itself elsewhere only.
    let split = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 2.0, 0.0]];
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&still(Mesh::segments(4, &[[0, 1], [2, 3]]).unwrap(), &split).radius(1.0).self_contact(true));
    assert_eq!(worlds.at(0.0), 0);
}

/// Points, segments and triangles in one mesh.
#[test]
fn kinds_mixed_in_one_body() {
    let places =
        [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 3.0], [1.0, 1.0, -3.0]];
    let mesh = Mesh::new(6, vec![[0, 1, 2], [3, 3, 3], [4, 5, 5], [4, 4, 4]]).unwrap();
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&still(mesh, &places).self_contact(true));
    worlds.at(0.0);
    // The end of the segment is the last point: neighbours.
    assert_eq!(pairs(worlds.contacts()), [(0, 1), (0, 2), (1, 2)]);
}
