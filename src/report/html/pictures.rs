//! Pictures of the worst moments.

use super::error::HtmlError;
use crate::check::CheckResult;
use crate::io::Scene;
use crate::math::Aabb;
use crate::motion::Motion;
use crate::report::render::{Frame, FrameBody, RenderOptions, Up, render};
use crate::time::Moment;

/// Size of a picture, pixels.
const SIZE: [usize; 2] = [480, 320];

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
        if contact.begin <= time && time <= contact.end {
            for (body, triangle) in contact.bodies.into_iter().zip(contact.triangles) {
                bodies[body as usize].highlighted.push(triangle);
            }
        }
    }
    let frame = Frame { bodies, ..Frame::default() };
    let mut options = RenderOptions::sized(SIZE[0], SIZE[1]);
    options.up = if up == 2 { Up::Z } else { Up::Y };
    options.words = false;
    options.target = Some(surroundings(&frame, incident.bounds)).filter(has_points);
    Ok(Picture { incident: number, png: render(&frame, &options)?.png()? })
}

fn has_points(bounds: &Aabb) -> bool {
    bounds.min[0] <= bounds.max[0]
}

/// The box of a crossing curve; where nothing crosses, that of the highlighted triangles.
fn surroundings(frame: &Frame, bounds: Aabb) -> Aabb {
    if has_points(&bounds) {
        return bounds;
    }
    let corners = frame.bodies.iter().flat_map(|body| {
        let triangles = body.highlighted.iter().filter_map(|&triangle| body.triangles.get(triangle as usize));
        triangles.flatten().map(|&vertex| &body.positions[vertex as usize])
    });
    Aabb::of_points(corners)
}
