//! Meshes that are no closed surface: refused, or repaired with a word about what was done.

use crate::bodies::{parts, triangles};
use kinetree::mesh::Mesh;
use kinetree::proxy::{Faults, ProxyError, Repair, Solid};
use kinetree::scenes::{shapes, wrecks};

const REPAIR: Faults = Faults::Repair { longest_loop: 8 };

/// Faces of a cube of twelve triangles, and its corners.
fn cube() -> (Vec<[u32; 3]>, Vec<[f64; 3]>) {
    let (mesh, positions) = parts(&shapes::cuboid(12, [1.0; 3]));
    (mesh.triangles().to_vec(), positions)
}

fn made(triangles: &[[u32; 3]], positions: &[[f64; 3]], faults: Faults) -> Result<(Solid, Vec<Repair>), ProxyError> {
    Solid::new(&Mesh::new(positions.len(), triangles.to_vec()).unwrap(), positions, faults)
}

/// A cube again, by its inside.
fn is_cube(solid: &Solid) {
    let faces = triangles(solid);
    for (point, inside) in [([0.3, 0.2, 0.1], true), ([0.9, -0.9, 0.9], true), ([1.1, 0.0, 0.0], false)] {
        assert_eq!(solid.contains(point), inside);
        assert_eq!(crate::oracle::is_inside(point, &faces), inside);
    }
}

#[test]
fn holes_are_refused_or_filled() {
    let (mut faces, positions) = cube();
    let removed = faces.pop().unwrap();
    faces.swap_remove(3);
    let error = made(&faces, &positions, Faults::Refuse).unwrap_err();
    assert!(matches!(error, ProxyError::Open { edges: 6, .. }), "{error}");
    let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
    assert_eq!(repairs.len(), 2);
    assert!(repairs.iter().all(|repair| matches!(repair, Repair::FilledLoop { area: 2.0, .. })), "{repairs:?}");
    assert!(repairs[0].to_string().starts_with("filled a loop of 3 sides"));
    assert_eq!(solid.triangles().len(), 12);
    assert!(solid.triangles().iter().any(|corners| removed.iter().all(|corner| corners.contains(corner))));
    is_cube(&solid);
    let error = made(&faces, &positions, Faults::Repair { longest_loop: 2 }).unwrap_err();
    assert!(matches!(error, ProxyError::LongLoop { sides: 3, limit: 2, .. }), "{error}");
}

#[test]
fn turned_triangles_are_refused_or_turned_back() {
    let (mut faces, positions) = cube();
    for index in [2, 7] {
        faces[index].swap(0, 1);
    }
    let error = made(&faces, &positions, Faults::Refuse).unwrap_err();
    assert!(matches!(error, ProxyError::Misoriented { .. }), "{error}");
    let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
    assert_eq!(repairs, [Repair::Turned { triangles: vec![2, 7] }]);
    is_cube(&solid);
}

#[test]
fn an_inside_out_mesh_is_refused_or_turned() {
    let (mut faces, positions) = cube();
    faces.iter_mut().for_each(|corners| corners.swap(0, 1));
    let error = made(&faces, &positions, Faults::Refuse).unwrap_err();
    assert!(matches!(error, ProxyError::InsideOut { triangle: 0, .. }), "{error}");
    let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
    assert_eq!(repairs, [Repair::TurnedPart { triangle: 0, triangles: 12 }]);
    is_cube(&solid);
}

#[test]
fn cavities_are_left_alone() {
    let (outer, positions) = cube();
    let inner: Vec<[u32; 3]> = outer.iter().map(|corners| corners.map(|corner| corner + 8)).collect();
    let turned = inner.iter().map(|[a, b, c]| [*a, *c, *b]);
    let faces: Vec<[u32; 3]> = outer.iter().copied().chain(turned).collect();
    let positions: Vec<[f64; 3]> =
        positions.iter().copied().chain(positions.iter().map(|corner| corner.map(|x| x * 0.5))).collect();
    let (solid, repairs) = made(&faces, &positions, Faults::Refuse).unwrap();
    assert!(repairs.is_empty());
    assert!(!solid.contains([0.1, 0.2, 0.3]));
    assert!(solid.contains([0.7, 0.2, 0.3]));
    assert!((solid.depth([0.75, 0.0, 0.0]) - 0.25).abs() < 1e-12);
}

/// A box between two corners, by its inside if `reversed`; appended to others.
fn add_box(faces: &mut Vec<[u32; 3]>, positions: &mut Vec<[f64; 3]>, [low, high]: [[f64; 3]; 2], reversed: bool) {
    let first = positions.len() as u32;
    let (own, corners) = cube();
    let place = |corner: [f64; 3]| [0, 1, 2].map(|k| if corner[k] < 0.0 { low[k] } else { high[k] });
    positions.extend(corners.into_iter().map(place));
    let numbered = own.into_iter().map(|corners| corners.map(|corner| corner + first));
    faces.extend(numbered.map(|[a, b, c]| if reversed { [a, c, b] } else { [a, b, c] }));
}

#[test]
fn reversed_parts_that_leave_or_touch_another_are_no_cavities() {
    let around = [[0.0; 3], [4.0; 3]];
    // It leaves through a face, stands on one, or has a face in common.
    let others =
        [[[3.0, 1.0, 1.0], [6.0, 2.0, 2.0]], [[2.0, 0.5, 4.0], [3.0, 1.0, 5.0]], [[1.0, 1.0, 3.0], [2.0, 2.0, 4.0]]];
    for other in others {
        let middle = [0, 1, 2].map(|k| 0.25 * other[0][k] + 0.75 * other[1][k]);
        // Whichever corner and whichever part comes first.
        for turns in 0..24 {
            let (mut faces, mut positions) = (Vec::new(), Vec::new());
            if turns % 2 == 0 {
                add_box(&mut faces, &mut positions, around, false);
                add_box(&mut faces, &mut positions, other, true);
                faces[12..].rotate_left(turns / 2);
            } else {
                add_box(&mut faces, &mut positions, other, true);
                add_box(&mut faces, &mut positions, around, false);
                faces[..12].rotate_left(turns / 2);
            }
            let error = made(&faces, &positions, Faults::Refuse).unwrap_err();
            assert!(matches!(error, ProxyError::InsideOut { .. }), "{error}");
            let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
            assert!(matches!(repairs[..], [Repair::TurnedPart { triangles: 12, .. }]), "{repairs:?}");
            assert!(solid.contains(middle) && solid.contains([0.5, 3.0, 1.0]), "{other:?}");
        }
    }
}

#[test]
fn a_reversed_box_in_a_pit_is_no_cavity() {
    // A box with a pit in its upper face. The box stands on the floor of the pit: its box is inside that of the other.
    let (mut faces, mut positions) = (Vec::new(), Vec::new());
    let (low, high) = ([1.0, 1.0, 2.0], [2.0, 2.0, 4.0]);
    add_box(&mut faces, &mut positions, [[0.0; 3], [4.0; 3]], false);
    let is_top = |face: &[u32; 3]| face.iter().all(|&corner| positions[corner as usize][2] == 4.0);
    faces.retain(|face| !is_top(face));
    add_box(&mut faces, &mut positions, [low, high], true);
    let is_lid = |face: &[u32; 3]| face.iter().all(|&corner| corner >= 8 && positions[corner as usize][2] == 4.0);
    faces.retain(|face| !is_lid(face));
    let corner = |first: usize, x: f64, y: f64| {
        (first..first + 8)
            .find(|&at| positions[at][0] == x && positions[at][1] == y && positions[at][2] == 4.0)
            .unwrap() as u32
    };
    let outer = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)].map(|(x, y)| corner(0, x, y));
    let inner = [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)].map(|(x, y)| corner(8, x, y));
    for at in 0..4 {
        let next = (at + 1) % 4;
        faces.extend([[outer[at], outer[next], inner[next]], [outer[at], inner[next], inner[at]]]);
    }
    let (pitted, repairs) = made(&faces, &positions, Faults::Refuse).unwrap();
    assert!(repairs.is_empty() && !pitted.contains([1.5, 1.4, 3.0]) && pitted.contains([1.5, 1.4, 1.0]));
    add_box(&mut faces, &mut positions, [[1.25, 1.25, 2.0], [1.75, 1.75, 3.5]], true);
    assert!(made(&faces, &positions, Faults::Refuse).is_err());
    let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
    assert!(matches!(repairs[..], [Repair::TurnedPart { triangles: 12, .. }]), "{repairs:?}");
    assert!(solid.contains([1.5, 1.4, 3.0]) && !solid.contains([1.5, 1.4, 3.75]));
}

/// They take half a second; with the square of their number it was half a minute.
#[test]
fn many_reversed_parts_and_long_borders() {
    let (mut faces, mut positions) = (Vec::new(), Vec::new());
    for number in 0..1_000 {
        let low = [number % 10, number / 10 % 10, number / 100].map(|step| f64::from(step) * 2.0);
        add_box(&mut faces, &mut positions, [low, low.map(|x| x + 1.0)], true);
    }
    let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
    assert_eq!(repairs.len(), 1_000);
    assert!(solid.contains([18.5, 18.4, 18.3]));
    // A strip.
    let count = 200_000;
    let positions: Vec<[f64; 3]> = (0..count + 2).map(|at| [f64::from(at), f64::from(at % 2), 0.0]).collect();
    let strip: Vec<[u32; 3]> =
        (0..count).map(|at| if at % 2 == 0 { [at, at + 1, at + 2] } else { [at + 1, at, at + 2] }).collect();
    let error = made(&strip, &positions, REPAIR).unwrap_err();
    assert!(matches!(error, ProxyError::LongLoop { sides: 200_002, .. }), "{error}");
}

#[test]
fn useless_triangles_are_refused_or_dropped() {
    let (mut faces, positions) = cube();
    faces.insert(1, [0, 3, 3]);
    assert_eq!(made(&faces, &positions, Faults::Refuse).unwrap_err(), ProxyError::DegenerateTriangle { triangle: 1 });
    let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
    assert_eq!(repairs, [Repair::DroppedDegenerate { triangles: vec![1] }]);
    is_cube(&solid);
    faces.remove(1);
    let again = faces[4];
    faces.push(again);
    let error = made(&faces, &positions, Faults::Refuse).unwrap_err();
    assert_eq!(error, ProxyError::RepeatedTriangle { triangle: 12, of: 4 });
    let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
    assert_eq!(repairs, [Repair::DroppedRepeated { triangles: vec![12] }]);
    is_cube(&solid);
}

/// Three cubes of side 2 in a row: the second is the mirror image of the others, so both have the same triangles on a common face.
fn row(triangles: usize, second_turned: bool) -> (Vec<[u32; 3]>, Vec<[f64; 3]>) {
    let (mesh, positions) = parts(&shapes::cuboid(triangles, [1.0; 3]));
    let (mut faces, mut places) = (Vec::new(), Vec::new());
    for (index, shift) in [0.0, 2.0, 4.0].into_iter().enumerate() {
        let first = places.len() as u32;
        let side = if index == 1 { -1.0 } else { 1.0 };
        places.extend(positions.iter().map(|&[x, y, z]| [side * x + shift, y, z]));
        let is_turned = index == 1 && !second_turned;
        faces.extend(mesh.triangles().iter().map(|corners| {
            let [a, b, c] = corners.map(|corner| corner + first);
            if is_turned { [a, c, b] } else { [a, b, c] }
        }));
    }
    (faces, places)
}

#[test]
fn walls_between_closed_parts_are_refused_or_dropped() {
    // With 108 triangles, some of a wall have no side at its border. The second cube may be inside out: its neighbours decide.
    for (triangles, second_turned) in [(12, false), (12, true), (108, false), (108, true)] {
        let (faces, positions) = row(triangles, second_turned);
        let error = made(&faces, &positions, Faults::Refuse).unwrap_err();
        assert!(matches!(error, ProxyError::RepeatedTriangle { .. }), "{error}");
        let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
        let Repair::DroppedWalls { triangles: dropped } = &repairs[0] else { panic!("{repairs:?}") };
        // Of both cubes at both walls.
        assert_eq!((dropped.len(), repairs.len()), (4 * triangles / 6, 1 + usize::from(second_turned)), "{repairs:?}");
        assert!(dropped.is_sorted());
        for &face in dropped {
            let x = faces[face as usize].map(|corner| positions[corner as usize][0]);
            assert!(x == [1.0; 3] || x == [3.0; 3], "{x:?}");
        }
        assert_eq!(solid.triangles().len(), 3 * triangles - dropped.len());
        let around = crate::bodies::triangles(&solid);
        for (point, inside) in [([1.0, 0.2, 0.1], true), ([4.9, -0.9, 0.9], true), ([2.0, 1.1, 0.0], false)] {
            assert_eq!(solid.contains(point), inside);
            assert_eq!(crate::oracle::is_inside(point, &around), inside);
        }
        // As deep as in one bar.
        assert!((solid.depth([1.0, 0.0, 0.0]) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_surface_given_twice_is_one_surface() {
    // Both sides of every triangle, as for renderers that cull back faces.
    let (faces, positions) = cube();
    let twice: Vec<[u32; 3]> = faces.iter().copied().chain(faces.iter().map(|&[a, b, c]| [a, c, b])).collect();
    let (solid, repairs) = made(&twice, &positions, REPAIR).unwrap();
    assert_eq!(repairs, [Repair::DroppedRepeated { triangles: (12..24).collect() }]);
    is_cube(&solid);
    // Two of its faces only.
    let some: Vec<[u32; 3]> = faces.iter().copied().chain(faces[..4].iter().map(|&[a, b, c]| [a, c, b])).collect();
    let (solid, repairs) = made(&some, &positions, REPAIR).unwrap();
    assert_eq!(repairs, [Repair::DroppedRepeated { triangles: (12..16).collect() }]);
    is_cube(&solid);
}

#[test]
fn a_sound_mesh_is_not_repaired() {
    for mesh in [wrecks::car(), wrecks::barrel(), shapes::torus(100, 1.0, 0.3)] {
        let (mesh, positions) = parts(&mesh);
        let (solid, repairs) = Solid::new(&mesh, &positions, REPAIR).unwrap();
        assert!(repairs.is_empty());
        assert_eq!(solid.triangles(), mesh.triangles());
    }
}

#[test]
fn seams_are_no_gaps() {
    let (faces, positions) = cube();
    let split: Vec<[f64; 3]> = faces.as_flattened().iter().map(|&corner| positions[corner as usize]).collect();
    let faces: Vec<[u32; 3]> = (0..12).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    let (solid, repairs) = made(&faces, &split, Faults::Refuse).unwrap();
    assert!(repairs.is_empty());
    is_cube(&solid);
}

#[test]
fn what_no_repair_helps_is_refused() {
    let (faces, mut positions) = cube();
    // A third wall at one edge.
    let wall: Vec<[u32; 3]> = faces.iter().copied().chain([[faces[0][0], faces[0][1], 8]]).collect();
    positions.push([3.0, 3.0, 3.0]);
    let error = made(&wall, &positions, REPAIR).unwrap_err();
    assert!(matches!(error, ProxyError::NotManifold { triangles: 3, .. }), "{error}");
    // A Möbius strip of five triangles.
    let strip: Vec<[u32; 3]> = (0..5).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
    let ring: Vec<[f64; 3]> = (0..5).map(|i| [f64::from(i * i), f64::from(i), f64::from(i % 3)]).collect();
    let error = made(&strip, &ring, REPAIR).unwrap_err();
    assert!(matches!(error, ProxyError::NotOrientable { .. }), "{error}");
    // Two triangles back to back.
    let flat = [[0, 1, 2], [0, 2, 1]];
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert!(made(&flat, &corners, REPAIR).is_err());
}

#[test]
fn positions_are_checked() {
    let (faces, mut positions) = cube();
    let short = &positions[..7];
    let mesh = Mesh::new(8, faces.clone()).unwrap();
    let error = Solid::new(&mesh, short, REPAIR).unwrap_err();
    assert_eq!(error, ProxyError::PositionCount { positions: 7, vertices: 8 });
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        positions[5][1] = bad;
        let error = made(&faces, &positions, REPAIR).unwrap_err();
        assert!(matches!(error, ProxyError::Number { what: "vertex", index: 5, .. }), "{error}");
    }
}
