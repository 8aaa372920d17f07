//! Whether a cache's vertices are in the order of the mesh, as far as its first frame shows.
//!
//! Nothing in a cache names its mesh. Vertices in another order join far points by triangles:
//! contacts are wrong, and their number is so large that a check does not end in a useful time.
//! Then most edges of the mesh are many times longer in the first frame.
//!
//! An edge is *torn* where it is more than [`TEAR`] times longer than in the mesh, and more than
//! that longer still after both are scaled to boxes of one size. The first condition spares what is
//! folded small, the second what was exported in another unit. A body is refused where more than
//! half of its edges are torn. In a random order two neighbours are half the body apart, which is
//! half of n edges on a surface of n × n vertices: it is found from about 10 × 10 on. Cloth that
//! stretches by half, or a frame late in a simulation, has no torn edge at all.

use std::path::Path;

use super::super::MeshData;
use super::SceneError;

/// How many times longer a torn edge is, at least.
const TEAR: f64 = 4.0;

/// Edges of which fewer are too few to judge by.
const FEWEST_EDGES: usize = 100;

/// Compares the edges of a mesh, read from `file`, with those of the first frame of a cache.
/// O(triangles).
pub(in crate::io) fn check(file: &Path, mesh: &MeshData, keys: &[f32]) -> Result<(), SceneError> {
    let positions = &mesh.positions;
    let (keys, _) = keys.as_chunks::<3>();
    let Some(frame) = keys.get(..positions.len()) else { return Ok(()) };
    let growth = diagonal(frame) / diagonal(positions);
    // A mesh of one point, and a frame of one, say nothing.
    if !(growth > 0.0 && growth.is_finite()) {
        return Ok(());
    }
    let least = TEAR * growth.max(1.0);
    let (mut edges, mut torn) = (0, 0);
    for triangle in &mesh.triangles {
        for corner in 0..3 {
            let [a, b] = [triangle[corner], triangle[(corner + 1) % 3]].map(|vertex| vertex as usize);
            let at_rest = distance(positions[a], positions[b]);
            if at_rest == 0.0 {
                continue;
            }
            edges += 1;
            torn += usize::from(distance(frame[a], frame[b]) > least * at_rest);
        }
    }
    if edges >= FEWEST_EDGES && 2 * torn > edges {
        return Err(SceneError::VertexOrder { mesh: file.to_owned(), edges, torn, times_longer: TEAR });
    }
    Ok(())
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    (0..3).map(|axis| (f64::from(a[axis]) - f64::from(b[axis])).powi(2)).sum::<f64>().sqrt()
}

/// The diagonal of the box around points.
fn diagonal(points: &[[f32; 3]]) -> f64 {
    let low = points.iter().fold([f32::INFINITY; 3], |low, p| std::array::from_fn(|axis| low[axis].min(p[axis])));
    let high =
        points.iter().fold([f32::NEG_INFINITY; 3], |high, p| std::array::from_fn(|axis| high[axis].max(p[axis])));
    distance(low, high)
}
