//! The native part of the Python package `kinetree`.
//!
//! The Python part (`kinetree/*.py`) converts what users hand in to contiguous arrays of the right
//! types and wraps what comes back; everything here takes and returns plain arrays.

mod arrays;
mod changes;
mod errors;
mod file;
mod interrupt;
mod plan;
mod proxy;
mod queries;
mod reduced;
mod result;
mod scene;
mod trial;
mod whole;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::changes::{
        BakedTree, ScheduledChange, Snapshot, bake_tree, cancel_change, schedule_flightplan, scheduled_changes,
        set_baked_tree, set_filter, set_pair_thickness, set_pair_watched, set_thickness, snapshot,
    };
    #[pymodule_export]
    use super::errors::{AdvanceError, FileError, InputError, KinetreeError, WorldError};
    #[pymodule_export]
    use super::file::{Baked, bake, merge, parse_result, result_of_scene};
    #[pymodule_export]
    use super::plan::Flightplan;
    #[pymodule_export]
    use super::proxy::Proxy;
    #[pymodule_export]
    use super::queries::{
        Query, body_pair_changes, candidates_between, certified_span, manifolds, ongoing_contacts, pair,
    };
    #[pymodule_export]
    use super::reduced::skinned;
    #[pymodule_export]
    use super::result::{CheckResult, check, outline};
    #[pymodule_export]
    use super::scene::{Scene, absolute_input};
    #[pymodule_export]
    use super::trial::Trial;
    #[pymodule_export]
    use super::world::{Body, BodyOptions, World};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
