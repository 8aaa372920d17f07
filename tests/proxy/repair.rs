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

/// Cubes of side 2 whose centres are 2 apart: each shares corners, and a whole face, with the one
/// before.
fn row(cubes: u32, face: impl Fn(u32, [u32; 3]) -> [u32; 3]) -> (Vec<[u32; 3]>, Vec<[f64; 3]>) {
    let (faces, positions) = cube();
    let all =
        (0..cubes).flat_map(|index| faces.iter().map(move |corners| (index, corners.map(|corner| corner + 8 * index))));
    let moved = (0..cubes).flat_map(|index| positions.iter().map(move |&[x, y, z]| [x + 2.0 * f64::from(index), y, z]));
    (all.map(|(index, corners)| face(index, corners)).collect(), moved.collect())
}

#[test]
fn walls_between_closed_parts_are_refused_or_dropped() {
    // The second of three cubes may be modelled inside out: neighbours decide.
    for turns in [false, true] {
        let (faces, positions) = row(3, |index, [a, b, c]| if turns && index == 1 { [a, c, b] } else { [a, b, c] });
        // The diagonals of the two faces at a wall differ, so the walls of the second cube are cut
        // as those beside them.
        let faces = cut_alike(&faces, &positions);
        let error = made(&faces, &positions, Faults::Refuse).unwrap_err();
        assert!(matches!(error, ProxyError::RepeatedTriangle { .. }), "{error}");
        let (solid, repairs) = made(&faces, &positions, REPAIR).unwrap();
        let Repair::DroppedWalls { triangles: dropped } = &repairs[0] else { panic!("{repairs:?}") };
        assert_eq!((dropped.len(), repairs.len()), (8, 1 + usize::from(turns)), "{repairs:?}");
        let on_a_wall = |face: u32| {
            faces[face as usize].iter().all(|&corner| positions[corner as usize][0] == 1.0)
                || faces[face as usize].iter().all(|&corner| positions[corner as usize][0] == 3.0)
        };
        assert!(dropped.iter().all(|&face| on_a_wall(face)));
        assert!(dropped.is_sorted());
        assert_eq!(solid.triangles().len(), 28);
        let around = triangles(&solid);
        for (point, inside) in [([1.0, 0.2, 0.1], true), ([4.9, -0.9, 0.9], true), ([2.0, 1.1, 0.0], false)] {
            assert_eq!(solid.contains(point), inside);
            assert_eq!(crate::oracle::is_inside(point, &around), inside);
        }
        // As deep as one bar, not as three cubes.
        assert!((solid.depth([1.0, 0.0, 0.0]) - 1.0).abs() < 1e-12);
    }
}

/// The faces at x = 1 and 3, each of two triangles, cut along the diagonal from the lowest corner
/// to the highest.
fn cut_alike(faces: &[[u32; 3]], positions: &[[f64; 3]]) -> Vec<[u32; 3]> {
    let is_on = |corners: &[u32; 3], x: f64| corners.iter().all(|&corner| positions[corner as usize][0] == x);
    let mut out: Vec<[u32; 3]> =
        faces.iter().copied().filter(|corners| !is_on(corners, 1.0) && !is_on(corners, 3.0)).collect();
    for x in [1.0, 3.0] {
        for pair in faces.iter().filter(|corners| is_on(corners, x)).collect::<Vec<_>>().chunks(2) {
            let mut square: Vec<u32> = pair.iter().flat_map(|corners| corners.iter().copied()).collect();
            square.sort_unstable();
            square.dedup();
            square.sort_by(|&a, &b| positions[a as usize].partial_cmp(&positions[b as usize]).unwrap());
            let [low, left, right, high] = square[..] else { panic!("no square: {square:?}") };
            // As the first of the two is oriented.
            let normal = |[a, b, c]: [u32; 3]| {
                let [a, b, c] = [a, b, c].map(|corner| positions[corner as usize]);
                (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
            };
            let like = |corners: [u32; 3]| {
                if normal(corners) * normal(*pair[0]) > 0.0 { corners } else { [corners[0], corners[2], corners[1]] }
            };
            out.extend([like([low, left, high]), like([low, right, high])]);
        }
    }
    out
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
