//! The native part of the Python package `kinetree`.
//!
//! The Python part (`kinetree/*.py`) converts what users hand in to contiguous arrays of the right
//! types and wraps what comes back; everything here takes and returns plain arrays.

mod arrays;
mod errors;
mod file;
mod plan;
mod result;
mod scene;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::errors::{AdvanceError, FileError, InputError, KinetreeError, WorldError};
    #[pymodule_export]
    use super::file::{merge, parse_result};
    #[pymodule_export]
    use super::plan::Flightplan;
    #[pymodule_export]
    use super::result::{CheckResult, check, outline};
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::world::{Body, BodyOptions, World};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
