//! Motions of bodies.

use kinetree::{Flightplan as Plan, Outside, Span, Sphere};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::{flat, rows};
use crate::errors::refused;

/// The motion of a body. Made by the functions of the package; checked when a body gets it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct Flightplan {
    pub(crate) plan: Plan,
    /// Its kind, for `repr`.
    kind: &'static str,
}

type Floats<'py> = PyReadonlyArrayDyn<'py, f32>;
type Doubles<'py> = PyReadonlyArrayDyn<'py, f64>;

fn finished(kind: &'static str, plan: Plan, outside: &str) -> PyResult<Flightplan> {
    let outside = match outside {
        "hold" => Outside::Hold,
        "loop" => Outside::Loop,
        "error" => Outside::Error,
        other => {
            return Err(refused("Option", format!("outside: '{other}' is none of 'hold', 'loop' and 'error'")));
        }
    };
    Ok(Flightplan { plan: plan.outside(outside), kind })
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
    fn ballistic(begin: f64, positions: Floats<'_>, velocities: Floats<'_>, acceleration: [f32; 3]) -> PyResult<Self> {
        let (positions, velocities) = (rows("positions", &positions)?, rows("velocities", &velocities)?);
        finished("ballistic", Plan::ballistic(begin, positions, velocities, acceleration), "hold")
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
