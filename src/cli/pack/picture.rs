//! The picture of a packing: a mesh, and beside it its spheres.

use super::super::Failure;
use super::Packed;
use super::arguments::UpName;
use crate::proxy::signed_distances;
use crate::report::render::{Direction, Frame, FrameBody, RenderOptions, Up, render};

/// Poses that are drawn, the first ones.
const MOST_POSES: usize = 3;

/// Pixels of a row.
const SIZE: [usize; 2] = [960, 360];

/// Distance of mesh and spheres, and of two poses, relative to the mesh.
const APART: [f64; 2] = [1.08, 1.15];

const MESH: [u8; 3] = [196, 204, 214];
const UNCOVERED: [u8; 3] = [214, 60, 48];
const SPHERES: [u8; 3] = [240, 184, 72];

/// Mesh and spheres of the first poses, each in its own row, as a PNG file.
pub(super) fn png(packed: &Packed, up: UpName) -> Result<Vec<u8>, Failure> {
    // From the right, ahead and above, for a vehicle that drives along x.
    let (up, from) = match up {
        UpName::Y => (1, [0.45, 0.6, 1.0]),
        UpName::Z => (2, [0.45, -1.0, 0.6]),
    };
    let bounds = packed.solids[0].bounds();
    let size = bounds.sides();
    // Level, and to the right in the picture: the cross product of the upward axis and `from`.
    let (next, last) = ((up + 1) % 3, (up + 2) % 3);
    let length = libm::hypot(from[next], from[last]);
    let mut right = [0.0; 3];
    (right[next], right[last]) = (-from[last] / length, from[next] / length);
    let width = size[next] * right[next].abs() + size[last] * right[last].abs();
    let depth = size[next] * right[last].abs() + size[last] * right[next].abs();
    let mut bodies = Vec::new();
    for (pose, (solid, spheres)) in packed.solids.iter().zip(&packed.poses).take(MOST_POSES).enumerate() {
        let shift = |column: f64| {
            let mut shift = right.map(|x| x * column * APART[0] * width);
            shift[up] -= pose as f64 * APART[1] * (size[up] + 0.5 * depth);
            shift
        };
        // The legend names the first row.
        let name = |name: &str| if pose == 0 { name.to_owned() } else { String::new() };
        let positions: Vec<[f64; 3]> =
            (0..solid.vertex_count() as u32).filter_map(|vertex| solid.position(vertex)).collect();
        let gaps = signed_distances(&positions, spheres);
        let is_uncovered = |corners: &&[u32; 3]| corners.iter().any(|&corner| gaps[corner as usize] > packed.limit);
        let (uncovered, covered): (Vec<&[u32; 3]>, Vec<&[u32; 3]>) = solid.triangles().iter().partition(is_uncovered);
        for (of, triangles, colour) in [("mesh", covered, MESH), ("uncovered corner", uncovered, UNCOVERED)] {
            if !triangles.is_empty() {
                let triangles = triangles.into_iter().copied().collect();
                let part =
                    FrameBody { name: name(of), triangles, positions: positions.clone(), ..FrameBody::default() };
                bodies.push(moved(part, shift(0.0), colour));
            }
        }
        let shown: Vec<_> = spheres.iter().copied().filter(|sphere| sphere.radius > 0.0).collect();
        bodies.push(moved(FrameBody::of_spheres(name("spheres"), &shown), shift(1.0), SPHERES));
    }
    let count = packed.poses.first().map_or(0, Vec::len);
    let gap = packed.fits.iter().map(|fit| fit.largest_gap).fold(0.0, f64::max);
    let frame = Frame { bodies, label: vec![format!("{count} spheres, gap {gap:.3} m")], ..Frame::default() };
    let rows = packed.poses.len().clamp(1, MOST_POSES);
    let mut options = RenderOptions::sized(SIZE[0], SIZE[1] * rows);
    options.up = if up == 1 { Up::Y } else { Up::Z };
    options.from = Direction::Vector(from);
    (options.rings, options.hidden, options.sides, options.ground) = (false, false, false, false);
    Ok(render(&frame, &options)?.png()?)
}

fn moved(mut body: FrameBody, shift: [f64; 3], colour: [u8; 3]) -> FrameBody {
    for position in &mut body.positions {
        *position = [0, 1, 2].map(|axis| position[axis] + shift[axis]);
    }
    body.colour = Some(colour);
    body
}
