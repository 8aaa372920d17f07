//! Pictures of the worst moments.

use super::error::HtmlError;
use crate::check::CheckResult;
use crate::io::Scene;
use crate::math::Aabb;
use crate::motion::Motion;
use crate::report::render::{Direction, Frame, FrameBody, RenderOptions, Up, render};
use crate::time::Moment;

/// Size of a picture, pixels.
const SIZE: [usize; 2] = [480, 320];

/// Half the room of a close-up at least, relative to the smaller body.
const ROOM: f64 = 0.08;

/// Slopes of the lowest and the highest direction of a close-up.
const LOWEST: f64 = 0.15;
const HIGHEST: f64 = 2.0;

/// A picture of an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The incident, by its number in the result, from 0.
    pub incident: usize,
    /// A PNG file.
    pub png: Vec<u8>,
}

/// Draws an incident at its worst time in close-up, with its triangles highlighted.
pub(super) fn picture(
    scene: &Scene,
    result: &CheckResult,
    motions: &[Motion],
    number: usize,
    up: usize,
) -> Result<Picture, HtmlError> {
    let incident = &result.incidents[number];
    let time = incident.worst_time;
    let mut bodies: Vec<FrameBody> = Vec::with_capacity(scene.bodies.len());
    for (body, motion) in scene.bodies.iter().zip(motions) {
        if let Some(spheres) = motion.spheres() {
            bodies.push(FrameBody::of_spheres(&body.name, &spheres.at(Moment::at(time))));
            continue;
        }
        let mut positions = Vec::new();
        motion.positions(Moment::at(time), &mut positions);
        bodies.push(FrameBody {
            name: body.name.clone(),
            triangles: body.mesh.triangles.clone(),
            positions,
            ..FrameBody::default()
        });
    }
    for &contact in &incident.contacts {
        let contact = &result.contacts[contact as usize];
        if contact.is_at(time) {
            for (body, triangle) in contact.bodies.into_iter().zip(contact.triangles) {
                bodies[body as usize].highlight_primitive(triangle);
            }
        }
    }
    if !incident.is_new {
        bodies.iter_mut().for_each(|body| body.known.clone_from(&body.highlighted));
    }
    let frame = Frame { bodies, ..Frame::default() };
    let target = surroundings(&frame, incident.bounds, incident.bodies);
    let mut options = RenderOptions::sized(SIZE[0], SIZE[1]);
    options.up = if up == 2 { Up::Z } else { Up::Y };
    options.words = false;
    options.from = outward(&frame, incident.bodies, target.centre(), up);
    options.target = Some(target).filter(has_points);
    Ok(Picture { incident: number, png: render(&frame, &options)?.png()? })
}

/// The direction from the middle of two bodies to a point, between the ground and high above: from
/// there the camera is outside of the bodies.
fn outward(frame: &Frame, bodies: [u32; 2], point: [f64; 3], up: usize) -> Direction {
    let middle = |body: u32, axis: usize| {
        let positions = &frame.bodies[body as usize].positions;
        positions.iter().map(|position| position[axis]).sum::<f64>() / positions.len().max(1) as f64
    };
    let mut vector: [f64; 3] =
        std::array::from_fn(|axis| point[axis] - 0.5 * (middle(bodies[0], axis) + middle(bodies[1], axis)));
    let level = libm::hypot(vector[(up + 1) % 3], vector[(up + 2) % 3]);
    if !(level > 0.0 && level.is_finite()) {
        return Direction::Auto;
    }
    vector[up] = vector[up].clamp(LOWEST * level, HIGHEST * level);
    Direction::Vector(vector)
}

fn has_points(bounds: &Aabb) -> bool {
    bounds.min[0] <= bounds.max[0]
}

/// The box of a crossing curve, or of the highlighted triangles where nothing crosses; with room
/// around it, so that its place on the bodies can be recognised.
fn surroundings(frame: &Frame, bounds: Aabb, bodies: [u32; 2]) -> Aabb {
    let bounds = if has_points(&bounds) { bounds } else { highlighted(frame) };
    let bodies = bodies.map(|body| Aabb::of_points(&frame.bodies[body as usize].positions).longest_side());
    // The smaller body, so that a floor does not count.
    let room = ROOM * bodies[0].min(bodies[1]);
    let centre = bounds.centre();
    let half = bounds.sides().map(|side| (0.5 * side).max(room));
    if !has_points(&bounds) {
        return bounds;
    }
    Aabb { min: std::array::from_fn(|i| centre[i] - half[i]), max: std::array::from_fn(|i| centre[i] + half[i]) }
}

fn highlighted(frame: &Frame) -> Aabb {
    let corners = frame.bodies.iter().flat_map(|body| {
        let triangles = body.highlighted.iter().filter_map(|&triangle| body.triangles.get(triangle as usize));
        triangles.flatten().map(|&vertex| &body.positions[vertex as usize])
    });
    Aabb::of_points(corners)
}
