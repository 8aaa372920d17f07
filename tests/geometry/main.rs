//! Geometry of contacts against exact rational arithmetic, brute force and bodies of known depth.
//!
//! The oracles (`oracle.rs`) share no code with the library: the common points of two triangles come from clipping in
//! rationals, distances from the conditions of optimality in rationals, the inside from counting crossings of a slanted
//! ray in f64.

mod bodies;
mod crossings;
mod distances;
mod incidents;
mod inside;
mod oracle;

use kinetree::geometry::Surface;
use kinetree::{Mesh, scenes};

type Point = [f64; 3];
type Triangle = [Point; 3];

/// A number of cases: less in the debug profile.
fn cases(full: usize) -> usize {
    if cfg!(debug_assertions) { full / 10 } else { full }
}

fn surface(triangles: &[[u32; 3]], positions: &[Point]) -> Surface {
    Surface::new(&Mesh::new(positions.len(), triangles.to_vec()).unwrap(), positions).unwrap()
}

/// A shape of the scene generators, scaled, then moved.
fn placed(shape: &scenes::Mesh, scale: f64, offset: Point) -> Surface {
    surface(&shape.triangles, &positions(shape, scale, offset))
}

fn positions(shape: &scenes::Mesh, scale: f64, offset: Point) -> Vec<Point> {
    shape.positions.iter().map(|p| [0, 1, 2].map(|k| f64::from(p[k]) * scale + offset[k])).collect()
}

fn distance(p: &Point, q: &Point) -> f64 {
    (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
}
