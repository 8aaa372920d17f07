//! The kinds of flightplans, as the host gives them and as they are stored.

use std::sync::Arc;

use super::sampled::Sampler;
use super::spheres::Sphere;
use crate::time::Span;

/// Where the vertices will be.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Kind {
    Fixed {
        positions: Vec<[f32; 3]>,
    },
    Keyframes {
        times: Vec<f64>,
        positions: Vec<[f32; 3]>,
    },
    Velocities {
        span: Span,
        positions: Vec<[f32; 3]>,
        velocities: Vec<[f32; 3]>,
    },
    Rigid {
        times: Vec<f64>,
        transforms: Vec<[f64; 16]>,
        rest: Vec<[f32; 3]>,
    },
    Accelerated {
        span: Span,
        positions: Vec<[f32; 3]>,
        velocities: Vec<[f32; 3]>,
        accelerations: Accelerations,
    },
    Hermite {
        times: Vec<f64>,
        positions: Vec<[f32; 3]>,
        in_tangents: Vec<[f32; 3]>,
        out_tangents: Vec<[f32; 3]>,
    },
    Polynomials {
        times: Vec<f64>,
        degree: usize,
        coefficients: Vec<[f64; 3]>,
        #[cfg_attr(feature = "serde", serde(skip))]
        rest: Vec<[f32; 3]>,
    },
    Spheres {
        times: Vec<f64>,
        spheres: Vec<Sphere>,
        #[cfg_attr(feature = "serde", serde(skip))]
        corners: Vec<[f32; 3]>,
    },
    #[cfg_attr(feature = "serde", serde(skip))]
    Sampled {
        sampler: Arc<dyn Sampler>,
    },
}

/// Metres per second squared.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Accelerations {
    Common([f32; 3]),
    Each(Vec<[f32; 3]>),
}

/// A plan as it is stored: without what follows from it.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
pub(super) struct StoredPlan {
    kind: Kind,
    outside: super::Outside,
}

#[cfg(feature = "serde")]
impl From<StoredPlan> for super::Flightplan {
    fn from(stored: StoredPlan) -> Self {
        let plan = match stored.kind {
            Kind::Polynomials { times, degree, coefficients, .. } => Self::polynomials(times, degree, coefficients),
            Kind::Spheres { times, spheres, .. } => Self::spheres(times, spheres),
            kind => Self::of_kind(kind),
        };
        plan.outside(stored.outside)
    }
}

/// Applies an affine transform in `f64` and rounds once.
pub(super) fn place(matrix: &[f64; 16], point: [f32; 3]) -> [f32; 3] {
    let point = nalgebra::Point3::from(point.map(f64::from));
    let moved = nalgebra::Matrix4::from_row_slice(matrix).transform_point(&point);
    [moved.x as f32, moved.y as f32, moved.z as f32]
}
