//! How far repairs and wraps move a surface, where it is known beforehand.

use kinetree::mesh::Mesh;
use kinetree::proxy::{Displacement, Faults, ProxyError, Resolution, Solid, Wrap};

use crate::bodies::triangles;

/// A cube of 2 m, without the last `left_out` of its twelve triangles.
fn cube(left_out: usize) -> (Mesh, Vec<[f64; 3]>) {
    let places = (0..8).map(|i: u32| [i & 1, i >> 1 & 1, i >> 2].map(|bit| 2.0 * f64::from(bit))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut faces: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    faces.truncate(12 - left_out);
    (Mesh::new(8, faces).unwrap(), places)
}

#[test]
fn a_filled_face_is_as_far_as_its_middle() {
    let (mesh, places) = cube(2);
    let (solid, repairs) = Solid::new(&mesh, &places, Faults::Repair { longest_loop: 4 }).unwrap();
    assert_eq!(repairs.len(), 1);
    let Displacement { farthest, mean, left_behind, .. } =
        Displacement::measure(&solid, &mesh, &places, 0.0506).unwrap();
    // The face's middle, a sample with 56 steps along a diagonal, is 1 m from its sides; on average
    // its places are 1/3 m from them.
    assert!((farthest - 1.0).abs() < 1e-9 && left_behind < 1e-9, "{farthest} {left_behind}");
    assert!((mean - 1.0 / 18.0).abs() < 4e-3, "{mean}");
    // A mesh that is closed does not move.
    let (mesh, places) = cube(0);
    let (solid, _) = Solid::new(&mesh, &places, Faults::Refuse).unwrap();
    let still = Displacement::measure(&solid, &mesh, &places, 0.5).unwrap();
    assert!(still.farthest < 1e-9 && still.mean < 1e-9 && still.left_behind < 1e-9);
    // A wall of its own, 3 m away, is left behind by the cube.
    let mut far = places.clone();
    far.extend([[5.0, 0.0, 0.0], [5.0, 2.0, 0.0], [5.0, 0.0, 2.0]]);
    let more = Mesh::new(11, [mesh.triangles(), &[[8, 9, 10]]].concat()).unwrap();
    let left = Displacement::measure(&solid, &more, &far, 0.5).unwrap();
    assert!(left.farthest < 1e-9 && (left.left_behind - 3.0).abs() < 1e-9, "{left:?}");
}

#[test]
fn measurements_that_are_refused() {
    let (mesh, places) = cube(0);
    let (solid, _) = Solid::new(&mesh, &places, Faults::Refuse).unwrap();
    let measure = |places: &[[f64; 3]], spacing| Displacement::measure(&solid, &mesh, places, spacing).err();
    assert!(matches!(measure(&places, 0.0), Some(ProxyError::Resolution { .. })));
    assert!(matches!(measure(&places[..7], 0.1), Some(ProxyError::PositionCount { .. })));
    let mut bad = places.clone();
    bad[3][1] = f64::NAN;
    assert!(matches!(measure(&bad, 0.1), Some(ProxyError::Number { what: "vertex", index: 3, .. })));
}

/// A sheet of 2 m along x, cut every 0.25 m, that is bent by a quarter circle in a pose.
fn sheet(is_bent: bool) -> (Mesh, Vec<[f64; 3]>) {
    let place = |row: usize, y: f64| {
        let x = 0.25 * row as f64;
        if !is_bent {
            return [x, y, 0.0];
        }
        let radius = 4.0 / std::f64::consts::PI;
        let (sin, cos) = (x / radius).sin_cos();
        [radius * sin, y, radius * (1.0 - cos)]
    };
    let places: Vec<[f64; 3]> = (0..9).flat_map(|row| [place(row, 0.0), place(row, 1.0)]).collect();
    let cut = (0..8).flat_map(|row| [[2 * row, 2 * row + 2, 2 * row + 1], [2 * row + 1, 2 * row + 2, 2 * row + 3]]);
    (Mesh::new(places.len(), cut.collect()).unwrap(), places)
}

#[test]
fn wraps_follow_poses() {
    let ((mesh, flat), (_, bent)) = (sheet(false), sheet(true));
    let cells = Resolution::CellsAlongLongest(24);
    let offset = Wrap::usual_offset(&mesh, &flat, cells).unwrap();
    assert!((offset - 1.5 * 2.0 / 21.0).abs() < 1e-12, "{offset}");
    let wrap = Wrap::new(&mesh, &flat, offset, cells).unwrap();
    // At rest they stay.
    let rest = wrap.posed(&flat).unwrap();
    let apart = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    assert!(rest.iter().zip(&wrap.positions).all(|(a, b)| apart(a, b) < 1e-12));
    // Bent, none is farther from the sheet, by brute force; and the sheet is inside.
    let posed = wrap.posed(&bent).unwrap();
    let corners = |places: &[[f64; 3]]| -> Vec<[[f64; 3]; 3]> {
        mesh.triangles().iter().map(|t| t.map(|vertex| places[vertex as usize])).collect()
    };
    let (before, after) = (corners(&flat), corners(&bent));
    for (vertex, place) in posed.iter().enumerate() {
        let [was, is] = [crate::oracle::distance(rest[vertex], &before), crate::oracle::distance(*place, &after)];
        assert!(is <= was + 1e-9, "vertex {vertex}: {was} m, then {is} m");
        // Above and below the sheet the offset turns with it, so the distance stays.
        let [x, y, _] = rest[vertex];
        if x > 0.2 && x < 1.8 && y > 0.2 && y < 0.8 {
            assert!(is > 0.8 * was, "vertex {vertex}: {was} m, then {is} m");
        }
    }
    assert!(posed.iter().zip(&rest).any(|(a, b)| apart(a, b) > 0.5), "it is bent");
    let (solid, _) = Solid::new(&wrap.mesh, &wrap.positions, Faults::Refuse).unwrap();
    let solid = solid.posed(&posed).unwrap();
    let outside = triangles(&solid);
    for triangle in &after {
        let middle: [f64; 3] = std::array::from_fn(|k| triangle.iter().map(|corner| corner[k]).sum::<f64>() / 3.0);
        assert!(crate::oracle::is_inside(middle, &outside));
    }
    for vertex in 0..posed.len() as u32 {
        let shares = wrap.influences(vertex).unwrap();
        assert!(shares.iter().all(|(corner, share)| (*corner as usize) < flat.len() && (0.0..=1.0).contains(share)));
        assert!((shares.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert!(wrap.influences(posed.len() as u32).is_none());
    assert!(matches!(wrap.posed(&flat[1..]), Err(ProxyError::PositionCount { .. })));
    let mut bad = bent.clone();
    bad[2][0] = f64::INFINITY;
    assert!(matches!(wrap.posed(&bad), Err(ProxyError::Number { what: "vertex", index: 2, .. })));
    // A mesh without extent has no usual distance.
    let point = vec![[1.0; 3]; flat.len()];
    assert_eq!(Wrap::usual_offset(&mesh, &point, cells), Err(ProxyError::NoVolume));
    for cells in 1..9 {
        let cells = Resolution::CellsAlongLongest(cells);
        let offset = Wrap::usual_offset(&mesh, &flat, cells).unwrap();
        let is_wrapped = Wrap::new(&mesh, &flat, offset, cells).is_ok();
        assert_eq!(is_wrapped, cells != Resolution::CellsAlongLongest(1) && cells != Resolution::CellsAlongLongest(2));
    }
}
