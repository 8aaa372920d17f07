//! Bodies of the tests.

use kinetree::mesh::Mesh;
use kinetree::proxy::{Faults, Solid};
use kinetree::scenes;

use crate::oracle::Triangle;

/// A mesh and its positions in double precision.
pub(crate) fn parts(mesh: &scenes::Mesh) -> (Mesh, Vec<[f64; 3]>) {
    let positions = mesh.positions.iter().map(|position| position.map(f64::from)).collect();
    (Mesh::new(mesh.positions.len(), mesh.triangles.clone()).unwrap(), positions)
}

/// A generated mesh as it is.
pub(crate) fn solid(mesh: &scenes::Mesh) -> Solid {
    let (mesh, positions) = parts(mesh);
    let (solid, repairs) = Solid::new(&mesh, &positions, Faults::Refuse).unwrap();
    assert!(repairs.is_empty());
    solid
}

/// The corners of all triangles.
pub(crate) fn triangles(solid: &Solid) -> Vec<Triangle> {
    solid.triangles().iter().map(|corners| corners.map(|vertex| solid.position(vertex).unwrap())).collect()
}
