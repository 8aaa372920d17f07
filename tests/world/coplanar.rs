//! Triangles that stay in one plane while they move: positions rounded to `f64` leave the plane, and a test of those alone loses
//! the contact. Both cases once had other counts with every engine that tests at times.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

use crate::common::kinds::MODES;

/// A place in the plane z = x/4 − (y − x/2)/2, by x and y − x/2.
fn in_plane([x, u]: [f32; 2]) -> [f32; 3] {
    [x, u + x / 2.0, x / 4.0 - u / 2.0]
}

/// Contacts at times, with every engine and mode.
fn counts(bodies: &[BodyDef], times: &[f64], kind: (Engine, ContactMode)) -> Vec<usize> {
    let mut world = World::new(WorldDef::default().engine(kind.0).contacts(kind.1)).unwrap();
    for body in bodies {
        world.add_body(body.clone()).unwrap();
    }
    let at = |&time: &f64| {
        world.advance_to(time).unwrap();
        world.contacts().len()
    };
    times.iter().map(at).collect()
}

#[test]
fn a_triangle_that_slides_within_another_touches_it_at_every_time() {
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let large = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]].map(in_plane);
    let small = [[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]].map(in_plane);
    let moved = small.map(|[x, y, z]| [x - 0.25, y + 0.125, z - 0.1875]);
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [small, moved].concat());
    let bodies = [BodyDef::new(mesh.clone(), Flightplan::fixed(large.to_vec())), BodyDef::new(mesh, plan)];
    let times: Vec<f64> = (0..31).map(|frame| f64::from(frame) / 30.0).collect();
    for kind in MODES {
        assert_eq!(counts(&bodies, &times, kind), vec![1; 31], "{kind:?}");
    }
}

/// A grid of 18 triangles in the plane, whose first corner moves from place to place.
fn grid(places: [[f32; 2]; 3]) -> BodyDef {
    let corners = (0..16).map(|v| [0.5 * (v / 4) as f32, 0.5 * (v % 4) as f32]);
    let keys = places.iter().flat_map(|[x, u]| corners.clone().map(move |[i, j]| in_plane([x + i, u + j]))).collect();
    let triangles = (0..9).map(|cell| 4 * (cell / 3) + cell % 3).flat_map(|p| [[p, p + 1, p + 5], [p, p + 5, p + 4]]);
    BodyDef::new(Mesh::new(16, triangles.collect()).unwrap(), Flightplan::keyframes(vec![0.0, 0.25, 0.5], keys))
}

#[test]
fn grids_that_slide_in_one_plane_have_346_contacts_with_every_engine() {
    let bodies = [grid([[-1.25, -1.5], [0.5, 1.0], [-1.0, -0.75]]), grid([[1.25, 1.0], [0.0, -0.25], [0.5, -0.5]])];
    let times: Vec<f64> = (0..15).map(|frame| f64::from(frame) / 29.0).collect();
    let expected = counts(&bodies, &times, (Engine::BruteForce, ContactMode::AtTimes));
    assert_eq!(expected.iter().sum::<usize>(), 346);
    assert_eq!(expected.iter().filter(|&&count| count > 0).count(), 12);
    for kind in MODES {
        assert_eq!(counts(&bodies, &times, kind), expected, "{kind:?}");
    }
}
