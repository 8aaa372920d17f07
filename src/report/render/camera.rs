//! Where a picture is seen from.

use nalgebra::{Matrix3, Point3, Vector3};

use super::RenderError;

/// A perspective camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    pub(super) eye: Point3<f64>,
    /// Rows: right, down, forward; orthonormal.
    pub(super) axes: Matrix3<f64>,
    /// Half the picture's height over its distance.
    pub(super) slope: f64,
}

/// Half the picture's height over its distance, of cameras that are placed automatically.
pub(super) const SLOPE: f64 = 0.32;

impl Camera {
    /// A camera at `eye` with `target` in the middle of its picture, both in metres. `up` is upward
    /// in the picture; where it is parallel to the view, another axis takes its place. `slope` is
    /// half the picture's height over its distance: the tangent of half the angle of view.
    ///
    /// # Errors
    /// [`RenderError::Camera`] if eye and target are equal, or a number is not finite, or `slope`
    /// is not above 0.
    pub fn new(eye: [f64; 3], target: [f64; 3], up: [f64; 3], slope: f64) -> Result<Self, RenderError> {
        let is_finite = [eye, target, up].as_flattened().iter().chain([&slope]).all(|x| x.is_finite());
        if !is_finite || slope <= 0.0 {
            return Err(RenderError::Camera { what: "a number is not finite, or its angle of view is not above 0" });
        }
        let back = Vector3::from(eye) - Vector3::from(target);
        if !(back.norm() > 0.0 && back.norm().is_finite()) {
            return Err(RenderError::Camera { what: "it is at its own target" });
        }
        Ok(Self { eye: Point3::from(eye), axes: axes(&back, &Vector3::from(up)), slope })
    }

    /// A point as the camera has it: right, down and forward of it, metres.
    pub(super) fn seen(&self, point: [f64; 3]) -> Vector3<f64> {
        self.axes * (Point3::from(point) - self.eye)
    }

    /// Column, row (pixels, from the upper left corner of a picture) and depth (metres) of a
    /// point; `None` if it is not before the camera.
    pub fn project(&self, point: [f64; 3], width: usize, height: usize) -> Option<[f64; 3]> {
        let seen = self.seen(point);
        let scale = height as f64 / (2.0 * self.slope * seen.z);
        let place = [0.5 * width as f64 + seen.x * scale, 0.5 * height as f64 + seen.y * scale, seen.z];
        (seen.z > 0.0).then_some(place)
    }

    /// The direction, not normalised, in which a pixel of a picture is seen: a ray from the
    /// camera's place. Columns and rows as in [`Camera::project`].
    pub fn ray(&self, column: f64, row: f64, width: usize, height: usize) -> [f64; 3] {
        let scale = 2.0 * self.slope / height as f64;
        let seen = Vector3::new((column - 0.5 * width as f64) * scale, (row - 0.5 * height as f64) * scale, 1.0);
        (self.axes.transpose() * seen).into()
    }

    /// The camera's place, metres.
    pub fn eye(&self) -> [f64; 3] {
        self.eye.into()
    }
}

/// A camera that sees points from a direction, as near as it can be; points are added one by one.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    axes: Matrix3<f64>,
    /// Half width and half height that the points may take, over the distance.
    slopes: [f64; 2],
    /// Per axis of the picture, a point u aside and w forward of a camera at (a, b) is seen if
    /// |u − a| ≤ slope · (w − b): two half planes, whose farthest offsets decide.
    ends: [[f64; 2]; 2],
    nearest: f64,
}

impl Fit {
    /// `from` leads from the points to the camera. `aspect` is width over height; `free` is the
    /// share of width and of height that the points may take.
    ///
    /// # Errors
    /// [`RenderError::Camera`] for a direction of length 0.
    pub(super) fn new(from: [f64; 3], up: [f64; 3], aspect: f64, free: [f64; 2]) -> Result<Self, RenderError> {
        let from = Vector3::from(from);
        if !(from.norm() > 0.0 && from.norm().is_finite()) {
            return Err(RenderError::Camera { what: "its direction has no length" });
        }
        let slopes = [SLOPE * aspect * free[0], SLOPE * free[1]];
        let ends = [[f64::NEG_INFINITY; 2]; 2];
        Ok(Self { axes: axes(&from, &Vector3::from(up)), slopes, ends, nearest: f64::INFINITY })
    }

    /// Adds points, metres.
    pub(super) fn add(&mut self, points: &[[f64; 3]]) {
        for &point in points {
            let seen = self.axes * Vector3::from(point);
            for axis in 0..2 {
                let [left, right] = &mut self.ends[axis];
                *left = left.max(seen[axis] - self.slopes[axis] * seen.z);
                *right = right.max(-seen[axis] - self.slopes[axis] * seen.z);
            }
            self.nearest = self.nearest.min(seen.z);
        }
    }

    /// The camera.
    ///
    /// # Errors
    /// [`RenderError::Camera`] without points, or with points that are not finite.
    pub(super) fn camera(&self) -> Result<Camera, RenderError> {
        let mut depth = f64::INFINITY;
        let mut eye = Vector3::zeros();
        for axis in 0..2 {
            let [left, right] = self.ends[axis];
            eye[axis] = 0.5 * (left - right);
            depth = depth.min(-(left + right) / (2.0 * self.slopes[axis]));
        }
        // A single point would be at the eye.
        eye.z = depth.min(self.nearest - 1e-3 - 1e-6 * self.nearest.abs());
        let eye = self.axes.transpose() * eye;
        if !eye.iter().all(|x| x.is_finite()) {
            return Err(RenderError::Camera { what: "there is nothing to see at finite places" });
        }
        Ok(Camera { eye: Point3::from(eye), axes: self.axes, slope: SLOPE })
    }
}

/// Right, down and forward of a camera whose target is opposite to `back`.
fn axes(back: &Vector3<f64>, up: &Vector3<f64>) -> Matrix3<f64> {
    let forward = -back.normalize();
    let candidates = [*up, Vector3::z(), Vector3::y()];
    let right = candidates.iter().map(|up| forward.cross(up)).find(|right| {
        let length = right.norm();
        length.is_finite() && length > 1e-6 * up.norm().max(1e-300)
    });
    let right = right.unwrap_or_else(Vector3::x).normalize();
    let down = forward.cross(&right);
    Matrix3::from_rows(&[right.transpose(), down.transpose(), forward.transpose()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framed_points_are_inside_and_two_reach_the_border() {
        let points = [[0.0, 0.0, 0.0], [2.0, 0.5, 1.0], [-1.0, 3.0, 0.2], [0.3, -0.4, 5.0]];
        let mut fit = Fit::new([1.0, -2.0, 0.7], [0.0, 0.0, 1.0], 1.5, [0.9, 0.8]).unwrap();
        fit.add(&points);
        let camera = fit.camera().unwrap();
        let at = points.map(|point| camera.project(point, 300, 200).unwrap());
        let least = |axis: usize| at.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
        let most = |axis: usize| at.iter().map(|p| p[axis]).fold(0.0, f64::max);
        let gaps = [least(0) - 15.0, 285.0 - most(0), least(1) - 20.0, 180.0 - most(1)];
        assert!(gaps.iter().all(|&gap| gap > -1e-9), "{gaps:?}");
        let tight = |axis: usize| gaps[2 * axis] < 1e-9 && gaps[2 * axis + 1] < 1e-9;
        assert!(tight(0) || tight(1), "{gaps:?}");
    }

    #[test]
    fn a_ray_leads_through_the_projected_point() {
        let camera = Camera::new([3.0, 1.0, 2.0], [0.0; 3], [0.0, 1.0, 0.0], 0.3).unwrap();
        let point = [0.4, -0.2, 0.1];
        let [x, y, depth] = camera.project(point, 640, 480).unwrap();
        let ray = Vector3::from(camera.ray(x, y, 640, 480));
        let reached = camera.eye + ray * depth;
        assert!((reached - Point3::from(point)).norm() < 1e-12);
        assert!(Camera::new([0.0; 3], [0.0; 3], [0.0, 1.0, 0.0], 0.3).is_err());
        assert!(camera.project([30.0, 10.0, 20.0], 640, 480).is_none());
    }
}
