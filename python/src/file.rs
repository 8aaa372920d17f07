//! Result files, and parts of checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetree::Error;
use kinetree::check::{BaselineChoice, ResultFile};
use pyo3::prelude::*;
use serde_json::value::RawValue;

use crate::errors::{file_refused, raised, unjoined};
use crate::result::{CheckResult, Incidents};
use crate::scene::Scene;

/// Reads the text of a result file; `name` is named in errors. With its scene, incidents are found
/// again.
#[pyfunction]
pub(crate) fn parse_result(py: Python<'_>, text: &str, name: &str, scene: Option<&Scene>) -> PyResult<CheckResult> {
    let scene = scene.map(|scene| Arc::clone(&scene.scene));
    let refused = |error: &dyn std::fmt::Display| file_refused("ResultFile", name.as_ref(), error);
    let (file, rows) = py.detach(|| {
        let file = kinetree::check::parse_result(text).map_err(|error| refused(&error))?;
        let mut members: BTreeMap<&str, &RawValue> = serde_json::from_str(text).map_err(|error| refused(&error))?;
        Ok::<_, PyErr>((file, members.remove("incidents").map(|rows| rows.get().to_owned())))
    })?;
    let rows = rows.map_or(Incidents::None, Incidents::Listed);
    with_scene(py, file, scene, rows)
}

/// Joins the parts of a check. With its scene, incidents are found.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, parts: Vec<Py<CheckResult>>, scene: Option<&Scene>) -> PyResult<CheckResult> {
    let scene = scene.map(|scene| Arc::clone(&scene.scene));
    let copy = |part: &Py<CheckResult>| {
        let part = part.get();
        let mut file = ResultFile::default();
        (file.result, file.samples) = (part.found.clone(), part.samples.clone());
        file
    };
    let joined = py.detach(|| kinetree::check::merge(parts.iter().map(copy).collect()));
    with_scene(py, joined.map_err(|error| unjoined(&error))?, scene, Incidents::None)
}

fn with_scene(
    py: Python<'_>,
    mut file: ResultFile,
    scene: Option<Arc<kinetree::io::Scene>>,
    rows: Incidents,
) -> PyResult<CheckResult> {
    let incidents = match &scene {
        Some(scene) => {
            let found = py.detach(|| file.add_incidents(scene, &BaselineChoice::None));
            found.map_err(|error| raised(Error::Check(error)))?;
            Incidents::Found
        }
        None => rows,
    };
    Ok(CheckResult { found: file.result, scene, samples: file.samples, incidents, has_stats: false })
}
