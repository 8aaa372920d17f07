//! A close-up with an inset that shows where it is.

use super::camera::Camera;
use super::frame::Frame;
use super::image::Image;
use super::palette::{INK, RED};
use super::view::{self, around, best_direction, corners};
use super::words::{self, stroke};
use super::{Direction, RenderError, RenderOptions, draw};
use crate::math::Aabb;
use crate::math::vector::length;

/// Sides of the inset over those of the picture.
const SHARE: f64 = 0.30;
/// Diagonal of the box over that of all bodies from which there is nothing to point at.
const LARGE: f64 = 0.6;

/// Draws a box of a frame, such as that of an incident, in close-up; an inset in the upper right
/// corner shows all bodies and where the box is.
///
/// `options.target` and `options.camera` are not used. Without a stated direction, the box is seen
/// from where most of its highlighted triangles are seen. Without words, and for boxes nearly as
/// large as the bodies, there is no inset.
///
/// # Errors
/// As for [`super::render`]; [`RenderError::Camera`] for a box that is not finite.
pub fn render_close_up(frame: &Frame, options: &RenderOptions, bounds: &Aabb) -> Result<Image, RenderError> {
    frame.check()?;
    options.check()?;
    if !bounds.min.iter().chain(&bounds.max).all(|x| x.is_finite()) {
        return Err(RenderError::Camera { what: "the box for the close-up is not finite" });
    }
    let mut options = RenderOptions { camera: None, target: Some(*bounds), rings: false, ..options.clone() };
    let up = view::up_axis(options.up, &frame.bodies);
    let subject = Aabb::of_points(&view::subject(frame, up));
    let close = around(bounds, frame, up);
    if options.from == Direction::Auto {
        options.from = best_direction(frame, &close, up)?;
    }
    let mut image = draw(frame, &options, &view::camera(frame, &options)?);
    if !options.words || length(&close.sides()) > LARGE * length(&subject.sides()) {
        return Ok(image);
    }
    let small = RenderOptions {
        width: ((options.width as f64 * SHARE) as usize).max(1),
        height: ((options.height as f64 * SHARE) as usize).max(1),
        target: None,
        words: false,
        sides: false,
        ..options
    };
    let camera = view::camera(frame, &small)?;
    let mut inset = draw(frame, &small, &camera);
    frame_box(&mut inset, &camera, &close);
    let size = [inset.width(), inset.height()];
    let border = (options.height / 300).max(1);
    inset.outline([0; 2], size, border, INK);
    let margin = 4 * words::scale(&image);
    let left = image.width().saturating_sub(size[0] + margin);
    image.paste(&inset, [left, margin]);
    Ok(image)
}

/// Draws a rectangle around where a box is seen.
fn frame_box(inset: &mut Image, camera: &Camera, bounds: &Aabb) {
    let (width, height) = (inset.width(), inset.height());
    let places = corners(bounds).map(|corner| camera.project(corner, width, height));
    let seen = places.iter().flatten();
    let low = seen.clone().fold([f64::INFINITY; 2], |low, p| [low[0].min(p[0]), low[1].min(p[1])]);
    let high = seen.fold([f64::NEG_INFINITY; 2], |high, p| [high[0].max(p[0]), high[1].max(p[1])]);
    if !(low[0] <= high[0]) {
        return;
    }
    let ends = [low, [high[0], low[1]], high, [low[0], high[1]]];
    let half = (height as f64 / 200.0).max(0.6);
    for (half, colour) in [(half + 1.0, [255; 3]), (half, RED)] {
        for side in 0..4 {
            stroke(inset, ends[side], ends[(side + 1) % 4], half, colour);
        }
    }
}
