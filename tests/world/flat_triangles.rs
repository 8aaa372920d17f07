//! Bodies of one triangle in a horizontal plane.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::BodyDef;

pub(crate) fn triangle() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

/// A triangle in a horizontal plane, metres.
pub(crate) fn flat([x, y, z]: [f32; 3]) -> Vec<[f32; 3]> {
    vec![[x, y, z], [x + 1.0, y, z], [x, y + 1.0, z]]
}

pub(crate) fn fixed(at: [f32; 3]) -> BodyDef {
    BodyDef::new(triangle(), Flightplan::fixed(flat(at)))
}
