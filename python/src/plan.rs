//! Motions of bodies.

use std::sync::Arc;

use kinetree::{Flightplan as Plan, Outside, Span, Sphere};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::{flat, rows};
use crate::errors::refused;
use crate::reduced::Reduced;

/// The motion of a body. Made by the functions of the package; checked when a body gets it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct Flightplan {
    pub(crate) motion: Motion,
    /// Its kind, for `repr`.
    kind: &'static str,
}

/// What a plan says.
#[derive(Clone)]
pub(crate) enum Motion {
    Plan(Plan),
    /// Few parameters, which need the triangles of a body.
    Reduced(Arc<Reduced>),
}

type Floats<'py> = PyReadonlyArrayDyn<'py, f32>;
type Doubles<'py> = PyReadonlyArrayDyn<'py, f64>;

/// Reads what happens outside the keys.
pub(crate) fn outside_named(name: &str) -> PyResult<Outside> {
    match name {
        "hold" => Ok(Outside::Hold),
        "loop" => Ok(Outside::Loop),
        "error" => Ok(Outside::Error),
        other => Err(refused("Option", format!("outside: '{other}' is none of 'hold', 'loop' and 'error'"))),
    }
}

fn finished(kind: &'static str, plan: Plan, outside: &str) -> PyResult<Flightplan> {
    Ok(Flightplan { motion: Motion::Plan(plan.outside(outside_named(outside)?)), kind })
}

impl Flightplan {
    pub(crate) fn reduced(kind: &'static str, reduced: Reduced) -> Self {
        Self { motion: Motion::Reduced(Arc::new(reduced)), kind }
    }
}

#[pymethods]
impl Flightplan {
    #[staticmethod]
    fn fixed(positions: Floats<'_>) -> PyResult<Self> {
        finished("fixed", Plan::fixed(rows("positions", &positions)?), "hold")
    }

    #[staticmethod]
    fn keyframes(times: Doubles<'_>, positions: Floats<'_>, outside: &str) -> PyResult<Self> {
        let plan = Plan::keyframes(flat("times", &times)?.to_vec(), rows("positions", &positions)?);
        finished("keyframes", plan, outside)
    }

    #[staticmethod]
    fn rigid(times: Doubles<'_>, transforms: Doubles<'_>, positions: Floats<'_>, outside: &str) -> PyResult<Self> {
        let (matrices, rest) = flat("transforms", &transforms)?.as_chunks::<16>();
        if !rest.is_empty() {
            return Err(refused("Shape", "transforms: 4 x 4 numbers a key are needed".into()));
        }
        let plan = Plan::rigid(flat("times", &times)?.to_vec(), matrices.to_vec(), rows("positions", &positions)?);
        finished("rigid", plan, outside)
    }

    #[staticmethod]
    #[pyo3(signature = (begin, positions, velocities, until=None))]
    fn velocities(begin: f64, positions: Floats<'_>, velocities: Floats<'_>, until: Option<f64>) -> PyResult<Self> {
        let (positions, velocities) = (rows("positions", &positions)?, rows("velocities", &velocities)?);
        let plan = match until {
            Some(end) => Plan::velocities_until(Span { begin, end }, positions, velocities),
            None => Plan::velocities(begin, positions, velocities),
        };
        finished("velocities", plan, "hold")
    }

    #[staticmethod]
    #[pyo3(signature = (begin, positions, velocities, acceleration, until=None))]
    fn ballistic(
        begin: f64,
        positions: Floats<'_>,
        velocities: Floats<'_>,
        acceleration: [f32; 3],
        until: Option<f64>,
    ) -> PyResult<Self> {
        let (positions, velocities) = (rows("positions", &positions)?, rows("velocities", &velocities)?);
        let plan = match until {
            Some(end) => Plan::ballistic_until(Span { begin, end }, positions, velocities, acceleration),
            None => Plan::ballistic(begin, positions, velocities, acceleration),
        };
        finished("ballistic", plan, "hold")
    }

    #[staticmethod]
    fn accelerated(
        begin: f64,
        end: f64,
        positions: Floats<'_>,
        velocities: Floats<'_>,
        accelerations: Floats<'_>,
    ) -> PyResult<Self> {
        let (positions, velocities) = (rows("positions", &positions)?, rows("velocities", &velocities)?);
        let accelerations = rows("accelerations", &accelerations)?;
        let plan = Plan::accelerated(Span { begin, end }, positions, velocities, accelerations);
        finished("accelerated", plan, "hold")
    }

    #[staticmethod]
    fn hermite(
        times: Doubles<'_>,
        positions: Floats<'_>,
        in_tangents: Floats<'_>,
        out_tangents: Floats<'_>,
        outside: &str,
    ) -> PyResult<Self> {
        let tangents = [rows("in_tangents", &in_tangents)?, rows("out_tangents", &out_tangents)?];
        let [arriving, leaving] = tangents;
        let plan = Plan::hermite(flat("times", &times)?.to_vec(), rows("frames", &positions)?, arriving, leaving);
        finished("hermite", plan, outside)
    }

    #[staticmethod]
    fn polynomials(times: Doubles<'_>, degree: usize, coefficients: Doubles<'_>, outside: &str) -> PyResult<Self> {
        let plan = Plan::polynomials(flat("times", &times)?.to_vec(), degree, rows("coefficients", &coefficients)?);
        finished("polynomials", plan, outside)
    }

    /// Rows are x, y, z and the radius.
    #[staticmethod]
    fn spheres(times: Doubles<'_>, spheres: Doubles<'_>, outside: &str) -> PyResult<Self> {
        let spheres: Vec<[f64; 4]> = rows("spheres", &spheres)?;
        let spheres = spheres.into_iter().map(|[x, y, z, radius]| Sphere { centre: [x, y, z], radius }).collect();
        finished("spheres", Plan::spheres(flat("times", &times)?.to_vec(), spheres), outside)
    }

    fn __repr__(&self) -> String {
        format!("<kinetree.Flightplan {}>", self.kind)
    }
}
