//! Cameras that are placed automatically.

use core::str::FromStr;

use nalgebra::Vector3;

use super::camera::{Camera, Fit, SLOPE};
use super::drawing::Drawing;
use super::frame::{Frame, FrameBody};
use super::{RenderError, RenderOptions, Shading};
use crate::math::Aabb;
use crate::math::vector::length;

/// Which axis of a scene leads upward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// The axis across a flat body, such as a floor; y without one.
    #[default]
    Auto,
    /// y, as in glTF.
    Y,
    /// z, as in Blender.
    Z,
}

/// From where bodies are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Direction {
    /// From the front, the right and above; a close-up from where most highlighted triangles are
    /// seen.
    #[default]
    Auto,
    /// By the angle from the front to the right, and upward, degrees. The front is where +z is if y
    /// is up, and −y if z is up.
    Angles {
        /// To the right, degrees.
        right: f64,
        /// Upward, degrees.
        up: f64,
    },
    /// Along a vector of the scene, from the bodies to the camera.
    Vector([f64; 3]),
}

/// Text that names no direction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is no direction; give some of front, back, left, right, top, bottom joined by '-', such as \
     front-right-top, or a vector such as 1,0.5,2 that leads from the bodies to the camera, or auto"
)]
pub struct DirectionError {
    /// The text.
    pub text: String,
}

/// The direction of pictures for which none is stated.
const USUAL: [f64; 2] = [34.0, 20.0];
/// The share of width and height that bodies take in a picture with words.
const FREE: [f64; 2] = [0.92, 0.80];

impl FromStr for Direction {
    type Err = DirectionError;

    /// Reads `auto`, sides joined by `-` (`front-right-top`), or a vector (`1,0.5,2`).
    fn from_str(text: &str) -> Result<Self, DirectionError> {
        let refused = || DirectionError { text: text.into() };
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if text.contains(',') {
            let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
            let vector: [f64; 3] = numbers.ok().and_then(|numbers| numbers.try_into().ok()).ok_or_else(refused)?;
            let is_usable = vector.iter().all(|x| x.is_finite()) && vector.iter().any(|&x| x != 0.0);
            return if is_usable { Ok(Self::Vector(vector)) } else { Err(refused()) };
        }
        // Sideways, to the front, upward.
        let mut sum = [0.0_f64; 3];
        for part in text.split('-') {
            let (axis, sign) = match part {
                "right" => (0, 1.0),
                "left" => (0, -1.0),
                "front" => (1, 1.0),
                "back" => (1, -1.0),
                "top" => (2, 1.0),
                "bottom" => (2, -1.0),
                _ => return Err(refused()),
            };
            if sum[axis] != 0.0 {
                return Err(refused());
            }
            sum[axis] = sign;
        }
        let level = libm::hypot(sum[0], sum[1]);
        let up = match (level > 0.0, sum[2] == 0.0) {
            (_, true) => 0.0,
            (true, false) => 35.0 * sum[2],
            (false, false) => 90.0 * sum[2],
        };
        Ok(Self::Angles { right: libm::atan2(sum[0], sum[1]).to_degrees(), up })
    }
}

/// The number (1: y, 2: z) of the axis that leads upward.
pub(super) fn up_axis(up: Up, bodies: &[FrameBody]) -> usize {
    match up {
        Up::Y => 1,
        Up::Z => 2,
        Up::Auto => bodies.iter().find_map(flat_axis).filter(|&axis| axis == 2).unwrap_or(1),
    }
}

/// The axis across a body that is flat and lies along the others.
fn flat_axis(body: &FrameBody) -> Option<usize> {
    let bounds = Aabb::of_points(&body.positions);
    let (extents, largest) = (bounds.sides(), bounds.longest_side());
    (0..3).find(|&axis| {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        extents[axis] <= 1e-6 * largest && others.iter().all(|&other| extents[other] > 0.1 * largest)
    })
}

/// The vector from the bodies to a camera.
pub(super) fn vector(direction: Direction, up: usize) -> [f64; 3] {
    let angles = match direction {
        Direction::Vector(vector) => return vector,
        Direction::Angles { right, up } => [right, up],
        Direction::Auto => USUAL,
    };
    let [right, rising] = angles.map(f64::to_radians);
    let level = libm::cos(rising);
    let (side, front, height) = (level * libm::sin(right), level * libm::cos(right), libm::sin(rising));
    if up == 2 { [side, -front, height] } else { [side, height, front] }
}

/// Whether a body is a floor: flat across the upward axis, and not the only kind of body.
pub(super) fn is_floor(body: &FrameBody, up: usize) -> bool {
    body.triangles.len() <= 1000 && flat_axis(body) == Some(up)
}

/// The points a picture must show: of all bodies but floors, or of all if there are only floors;
/// and of all boxes.
pub(super) fn subject(frame: &Frame, up: usize) -> Vec<[f64; 3]> {
    let of = |with_floors: bool| -> Vec<[f64; 3]> {
        let bodies = frame.bodies.iter().filter(|body| with_floors || !is_floor(body, up));
        bodies.flat_map(|body| body.triangles.iter().flatten().map(|&v| body.positions[v as usize])).collect()
    };
    let mut points = of(false);
    if points.is_empty() {
        points = of(true);
    }
    points.extend(frame.boxes.iter().flat_map(|(_, bounds)| corners(bounds)));
    points
}

/// Corners of a box.
pub(super) fn corners(bounds: &Aabb) -> [[f64; 3]; 8] {
    std::array::from_fn(|corner| {
        std::array::from_fn(|axis| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] })
    })
}

/// A box for a close-up of a frame: somewhat larger, and not flat; at least a share of what a
/// picture of all shows.
pub(super) fn around(bounds: &Aabb, frame: &Frame, up: usize) -> Aabb {
    let whole = Aabb::of_points(&subject(frame, up));
    let least = 0.05 * length(&whole.sides());
    let centre = bounds.centre();
    let half = bounds.sides().map(|side| (1.35 * (0.5 * side)).max(0.35 * length(&bounds.sides())).max(0.5 * least));
    Aabb { min: std::array::from_fn(|i| centre[i] - half[i]), max: std::array::from_fn(|i| centre[i] + half[i]) }
}

/// The direction from which most of the highlighted triangles in a box are seen, of 26 around it;
/// the usual one where none are. O(26 × triangles).
pub(super) fn best_direction(frame: &Frame, bounds: &Aabb, up: usize) -> Result<Direction, RenderError> {
    let upward = upward(up);
    let mut best = (0, Direction::Auto);
    let only = inside(frame, bounds);
    for rise in [18.0, 50.0, -20.0] {
        for step in 0..8 {
            // The usual side is tried first, and wins ties.
            let direction = Direction::Angles { right: USUAL[0] + 45.0 * f64::from(step), up: rise };
            let from = vector(direction, up);
            let mut fit = Fit::new(from, upward, 1.0, [0.9; 2])?;
            fit.add(&corners(bounds));
            let camera = fit.camera()?;
            let (_, marks) =
                Drawing::new(&only, &[], &camera, [96, 96], 1, (Shading::Flat, up)).with_sides(false).draw();
            let seen = marks.seen();
            // Another side must be clearly better.
            if seen as f64 > 1.1 * best.0 as f64 {
                best = (seen, direction);
            }
        }
    }
    Ok(best.1)
}

/// A frame whose highlighted triangles are those that reach into a box.
fn inside(frame: &Frame, bounds: &Aabb) -> Frame {
    let mut frame = frame.clone();
    for body in &mut frame.bodies {
        let highlighted = std::mem::take(&mut body.highlighted);
        let reaches = |&triangle: &u32| Aabb::of_points(&body.corners(triangle as usize)).overlaps(bounds);
        let kept = highlighted.into_iter().filter(reaches).collect();
        body.highlighted = kept;
    }
    frame
}

/// The camera of a picture.
pub(super) fn camera(frame: &Frame, options: &RenderOptions) -> Result<Camera, RenderError> {
    if let Some(camera) = &options.camera {
        return Ok(camera.clone());
    }
    let mut framing = Framing::new(frame, options)?;
    framing.add(frame);
    framing.camera()
}

/// One camera for several frames, such as those of a sequence.
///
/// Its direction, its upward axis and its target are those of the options, as the first frame has
/// them; [`Framing::add`] widens the view.
#[derive(Clone, Debug)]
pub struct Framing {
    fit: Fit,
    up: usize,
    has_target: bool,
}

impl Framing {
    /// A camera that sees the target of the options, if there is one; bodies are to be added, the
    /// first frame's too.
    ///
    /// # Errors
    /// As for [`super::render`].
    pub fn new(frame: &Frame, options: &RenderOptions) -> Result<Self, RenderError> {
        frame.check()?;
        options.check()?;
        let up = up_axis(options.up, &frame.bodies);
        let aspect = options.width as f64 / options.height as f64;
        let free = if options.words { FREE } else { [0.94, 0.94] };
        let Some(target) = &options.target else {
            return Ok(Self {
                fit: Fit::new(vector(options.from, up), upward(up), aspect, free)?,
                up,
                has_target: false,
            });
        };
        let bounds = around(target, frame, up);
        let direction = match options.from {
            Direction::Auto => best_direction(frame, &bounds, up)?,
            stated => stated,
        };
        let mut fit = Fit::new(vector(direction, up), upward(up), aspect, free)?;
        fit.add(&corners(&bounds));
        Ok(Self { fit, up, has_target: true })
    }

    /// Adds the bodies of a frame, unless there is a target.
    pub fn add(&mut self, frame: &Frame) {
        if !self.has_target {
            self.fit.add(&subject(frame, self.up));
        }
    }

    /// The camera that sees what was added.
    ///
    /// # Errors
    /// [`RenderError::Camera`] if there is nothing to see.
    pub fn camera(&self) -> Result<Camera, RenderError> {
        self.fit.camera()
    }
}

/// The unit vector along an axis.
fn upward(up: usize) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(u8::from(axis == up)))
}

/// `count` cameras around a frame, from its direction to the right; each sees all of it.
///
/// All are at one distance from the middle of the bodies, so they do not jump between pictures.
///
/// # Errors
/// As for [`super::render`].
pub fn turntable(frame: &Frame, options: &RenderOptions, count: usize) -> Result<Vec<Camera>, RenderError> {
    frame.check()?;
    options.check()?;
    let up = up_axis(options.up, &frame.bodies);
    let points = match &options.target {
        Some(target) => corners(&around(target, frame, up)).to_vec(),
        None => subject(frame, up),
    };
    let middle = Aabb::of_points(&points).centre();
    let upward = upward(up);
    let first = Vector3::from(vector(options.from, up));
    let aspect = options.width as f64 / options.height as f64;
    let slopes = [FREE[0] * SLOPE * aspect, FREE[1] * SLOPE];
    let mut distance = 0.0_f64;
    let mut froms = Vec::with_capacity(count);
    for step in 0..count {
        let angle = core::f64::consts::TAU * step as f64 / count as f64;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let from = if up == 2 {
            Vector3::new(cos * first.x - sin * first.y, sin * first.x + cos * first.y, first.z)
        } else {
            Vector3::new(cos * first.x + sin * first.z, first.y, cos * first.z - sin * first.x)
        };
        let from = from.normalize();
        let eye: [f64; 3] = std::array::from_fn(|axis| middle[axis] + from[axis]);
        let camera = Camera::new(eye, middle, upward, SLOPE)?;
        for &point in &points {
            let seen = camera.axes * (Vector3::from(point) - Vector3::from(middle));
            distance = distance.max((seen.x.abs() / slopes[0]).max(seen.y.abs() / slopes[1]) - seen.z);
        }
        froms.push(from);
    }
    let place = |from: Vector3<f64>| {
        let eye = std::array::from_fn(|axis| middle[axis] + from[axis] * distance.max(1e-6));
        Camera::new(eye, middle, upward, SLOPE)
    };
    froms.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_read() {
        let angles = |text: &str| match text.parse() {
            Ok(Direction::Angles { right, up }) => [right.round(), up.round()],
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(angles("front"), [0.0, 0.0]);
        assert_eq!(angles("right"), [90.0, 0.0]);
        assert_eq!(angles("left-back-bottom"), [-135.0, -35.0]);
        assert_eq!(angles("top"), [0.0, 90.0]);
        assert_eq!("1,-2.5,0".parse(), Ok(Direction::Vector([1.0, -2.5, 0.0])));
        assert_eq!("auto".parse(), Ok(Direction::Auto));
        for wrong in ["", "up", "0,0,0", "1,2", "nan,0,1", "left-right", "front-", "1,2,3,4"] {
            assert!(wrong.parse::<Direction>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_front_is_where_programs_have_it() {
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-12);
        let front = "front".parse().unwrap();
        assert!(near(vector(front, 1), [0.0, 0.0, 1.0]) && near(vector(front, 2), [0.0, -1.0, 0.0]));
        let right = "right".parse().unwrap();
        assert!(near(vector(right, 1), [1.0, 0.0, 0.0]) && near(vector(right, 2), [1.0, 0.0, 0.0]));
    }
}
