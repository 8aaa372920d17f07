//! The picture of a packing: a mesh, and beside it its spheres.

use super::super::Failure;
use super::Packed;
use crate::proxy::signed_distances;
use crate::report::render::{Direction, Frame, FrameBody, RenderOptions, Up, render};

/// Poses that are drawn, the first ones.
const MOST_POSES: usize = 3;

/// Pixels.
const SIZE: [usize; 2] = [960, 360];

/// Distance of mesh and spheres, and of two poses, relative to the mesh.
const APART: [f64; 2] = [1.08, 1.3];

/// From where bodies are seen: from the right, ahead and above, for a vehicle that drives along x.
const FROM: [f64; 3] = [0.45, -1.0, 0.6];

/// Mesh and spheres of the first poses, each in its own row, as a PNG file.
pub(super) fn png(packed: &Packed) -> Result<Vec<u8>, Failure> {
    let bounds = packed.solids[0].bounds();
    let size: [f64; 3] = [0, 1, 2].map(|axis| bounds.max[axis] - bounds.min[axis]);
    // Level, and to the right in the picture.
    let length = libm::hypot(FROM[0], FROM[1]);
    let right = [-FROM[1] / length, FROM[0] / length];
    let width = size[0] * right[0].abs() + size[1] * right[1].abs();
    let depth = size[0] * right[1].abs() + size[1] * right[0].abs();
    let mut bodies = Vec::new();
    let mut label = Vec::new();
    for (pose, (solid, spheres)) in packed.solids.iter().zip(&packed.poses).take(MOST_POSES).enumerate() {
        let row = |column: f64| {
            let across = column * APART[0] * width;
            [across * right[0], across * right[1], -(pose as f64) * APART[1] * (size[2] + 0.5 * depth)]
        };
        let mut mesh = FrameBody {
            name: if pose == 0 { "mesh".into() } else { String::new() },
            triangles: solid.triangles().to_vec(),
            positions: (0..solid.vertex_count() as u32).filter_map(|vertex| solid.position(vertex)).collect(),
            colour: Some([196, 204, 214]),
            highlight: Some([214, 60, 48]),
            ..FrameBody::default()
        };
        let gaps = signed_distances(&mesh.positions, spheres);
        let is_uncovered = |corners: &[u32; 3]| corners.iter().any(|&corner| gaps[corner as usize] > packed.limit);
        let uncovered = mesh.triangles.iter().enumerate().filter(|(_, corners)| is_uncovered(corners));
        mesh.highlighted = uncovered.map(|(triangle, _)| triangle as u32).collect();
        moved(&mut mesh, row(0.0));
        let shown: Vec<_> = spheres.iter().copied().filter(|sphere| sphere.radius > 0.0).collect();
        let mut balls = FrameBody::of_spheres(if pose == 0 { "spheres" } else { "" }, &shown);
        balls.colour = Some([240, 184, 72]);
        moved(&mut balls, row(1.0));
        bodies.extend([mesh, balls]);
        let fit = &packed.fits[pose];
        label.push(format!("{}: {} spheres, largest gap {:.3} m", packed.names[pose], spheres.len(), fit.largest_gap));
    }
    let frame = Frame { bodies, label, ..Frame::default() };
    let rows = packed.poses.len().clamp(1, MOST_POSES);
    let mut options = RenderOptions::sized(SIZE[0], SIZE[1] * rows);
    options.up = Up::Z;
    options.from = Direction::Vector(FROM);
    (options.rings, options.hidden, options.sides, options.ground) = (false, false, false, false);
    Ok(render(&frame, &options)?.png()?)
}

fn moved(body: &mut FrameBody, shift: [f64; 3]) {
    for position in &mut body.positions {
        *position = [0, 1, 2].map(|axis| position[axis] + shift[axis]);
    }
}
