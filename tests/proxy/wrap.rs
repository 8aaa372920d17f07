//! Wraps of meshes that have no inside, against an oracle for inside and volumes known beforehand.

use std::collections::BTreeMap;

use crate::bodies::{parts, triangles};
use kinetree::mesh::Mesh;
use kinetree::proxy::{Faults, ProxyError, Resolution, Solid, Wrap};
use kinetree::scenes::shapes;

/// Wraps a mesh with cells of a given size; every edge of the wrap has two triangles, which agree
/// about outside.
fn wrapped(mesh: &Mesh, positions: &[[f64; 3]], offset: f64, cell: f64) -> (Wrap, Solid) {
    assert!(Solid::new(mesh, positions, Faults::Refuse).is_err(), "it needs no wrap");
    let wrap = Wrap::new(mesh, positions, offset, Resolution::CellSize(cell)).unwrap();
    let mut edges: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for [a, b, c] in wrap.mesh.triangles() {
        for edge in [[*a, *b], [*b, *c], [*c, *a]] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    assert!(edges.iter().all(|([a, b], count)| *count == 1 && edges.get(&[*b, *a]) == Some(&1)));
    let (solid, _) = Solid::new(&wrap.mesh, &wrap.positions, Faults::Refuse).unwrap();
    let corners = triangles(&solid);
    for &corner in mesh.triangles().as_flattened() {
        let place = positions[corner as usize];
        assert!(crate::oracle::is_inside(place, &corners), "{place:?} is outside the wrap");
    }
    // No vertex is farther than a cell's diagonal from where it should be.
    assert!(wrap.farthest <= offset + 2.0 * cell && wrap.mean > 0.5 * offset && wrap.mean <= wrap.farthest);
    (wrap, solid)
}

fn volume(wrap: &Wrap) -> f64 {
    let signed = |corners: &[u32; 3]| {
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = corners.map(|corner| wrap.positions[corner as usize]);
        (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6.0
    };
    wrap.mesh.triangles().iter().map(signed).sum()
}

#[test]
fn a_sheet_becomes_a_plate() {
    let mesh = Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let (wrap, solid) = wrapped(&mesh, &square, 0.1, 0.03);
    // The plate, its rounded sides and corners.
    let expected = 0.2 + 4.0 * std::f64::consts::FRAC_PI_2 * 0.01 + 4.0 / 3.0 * std::f64::consts::PI * 0.001;
    assert!((volume(&wrap) / expected - 1.0).abs() < 0.05, "{} m³, not {expected}", volume(&wrap));
    assert!(solid.contains([0.5, 0.5, 0.08]) && !solid.contains([0.5, 0.5, 0.12]));
}

#[test]
fn narrow_holes_are_closed_and_wide_ones_are_not() {
    let (mesh, positions) = parts(&shapes::cuboid(300, [1.0; 3]));
    let all = mesh.triangles().to_vec();
    let narrow = Mesh::new(positions.len(), all[1..].to_vec()).unwrap();
    let (wrap, solid) = wrapped(&narrow, &positions, 0.3, 0.11);
    assert!(solid.contains([0.0; 3]));
    assert!(volume(&wrap) > 8.0 && volume(&wrap) < 2.6f64.powi(3), "{} m³", volume(&wrap));
    // Without the face at z = 1 the cavity is outside.
    let is_kept = |corners: &&[u32; 3]| corners.iter().any(|&corner| positions[corner as usize][2] < 0.99);
    let open = Mesh::new(positions.len(), all.iter().filter(is_kept).copied().collect()).unwrap();
    let (_, solid) = wrapped(&open, &positions, 0.3, 0.11);
    assert!(!solid.contains([0.0; 3]) && solid.contains([0.9, 0.0, 0.0]));
}

#[test]
fn wraps_that_are_refused() {
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let wrap = |places: &[[f64; 3]], offset, cell| Wrap::new(&mesh, places, offset, Resolution::CellSize(cell)).err();
    assert_eq!(wrap(&places, 0.1, 0.1), Some(ProxyError::WrapTooThin { offset: 0.1, cell: 0.1 }));
    for offset in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(wrap(&places, offset, 0.1), Some(ProxyError::Resolution { .. })), "{offset}");
    }
    assert!(matches!(wrap(&places, 0.1, 1e-9), Some(ProxyError::FieldTooLarge { .. })));
    assert!(matches!(wrap(&places[..2], 0.1, 0.05), Some(ProxyError::PositionCount { .. })));
    assert!(matches!(wrap(&[places[0], places[1], [f64::NAN; 3]], 0.1, 0.05), Some(ProxyError::Number { .. })));
}

#[test]
fn a_wrap_of_a_cap_is_no_farther_from_a_pose_than_at_rest() {
    // Nearly on the line between the others: what is computed from its area is noise.
    let far = [1.0_f32, 0.3, 0.2];
    let near = far.map(|x| (f64::from(x) * 0.7) as f32);
    let rest = [near, far, [0.0; 3]].map(|corner| corner.map(f64::from));
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let wrap = Wrap::new(&mesh, &rest, 0.1, Resolution::CellSize(0.05)).unwrap();
    let posed = [rest[0], [0.7916, -0.0955, 0.14], rest[2]];
    let surface = kinetree::geometry::Surface::new(&mesh, &posed).unwrap();
    for point in wrap.posed(&posed).unwrap() {
        let distance = surface.closest_point(point).unwrap().distance;
        assert!(distance <= wrap.farthest + 1e-6, "{distance}, at rest at most {}", wrap.farthest);
    }
}
