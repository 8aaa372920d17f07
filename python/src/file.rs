//! Result files, parts of checks, and baked scenes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetree::check::{BaselineChoice, ResultFile};
use kinetree::io::{BakeSettings, BakedScene, read_baked_scene};
use kinetree::{Error, IgnoredContacts};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::value::RawValue;

use crate::arrays::flat;
use crate::errors::{Fault, fault, raised, refused, unjoined};
use crate::interrupt::interruptible;
use crate::result::{CheckResult, Held, Incidents};
use crate::scene::Scene;
use crate::whole::write_bytes;

/// Reads the text of a result file; `name` is named in errors.
#[pyfunction]
pub(crate) fn parse_result(py: Python<'_>, text: String, name: PathBuf) -> PyResult<CheckResult> {
    let read = interruptible(py, move |_| {
        let refused = |error: &dyn std::fmt::Display| Fault::File("ResultFile", name.clone(), error.to_string());
        let file = kinetree::check::parse_result(&text).map_err(|error| refused(&error))?;
        let mut members: BTreeMap<&str, &RawValue> = serde_json::from_str(&text).map_err(|error| refused(&error))?;
        let rows = members.remove("incidents").map(|rows| rows.get().to_owned());
        with_scene(file, None, rows.map_or(Incidents::None, Incidents::Listed))
    })?;
    Ok(read?)
}

/// A result with its scene: incidents are found again.
#[pyfunction]
pub(crate) fn result_of_scene(py: Python<'_>, result: &CheckResult, scene: &Scene) -> PyResult<CheckResult> {
    let (held, scene) = (Arc::clone(&result.held), Arc::clone(&scene.scene));
    Ok(interruptible(py, move |_| with_scene(file_of(&held), Some(scene), Incidents::None))??)
}

/// Joins the parts of a check. With its scene, incidents are found.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, parts: Vec<Py<CheckResult>>, scene: Option<&Scene>) -> PyResult<CheckResult> {
    let scene = scene.map(|scene| Arc::clone(&scene.scene));
    let parts: Vec<Arc<Held>> = parts.iter().map(|part| Arc::clone(&part.get().held)).collect();
    let joined = interruptible(py, move |_| {
        let files = parts.iter().map(|part| file_of(part)).collect();
        let joined = kinetree::check::merge(files).map_err(|error| unjoined(&error))?;
        with_scene(joined, scene, Incidents::None)
    })?;
    Ok(joined?)
}

fn file_of(held: &Held) -> ResultFile {
    let mut file = ResultFile::default();
    (file.result, file.samples) = (held.found.clone(), held.samples.clone());
    file
}

fn with_scene(
    mut file: ResultFile,
    scene: Option<Arc<kinetree::io::Scene>>,
    rows: Incidents,
) -> Result<CheckResult, Fault> {
    let incidents = match &scene {
        Some(scene) => {
            file.add_incidents(scene, &BaselineChoice::None).map_err(|error| fault(Error::Check(error)))?;
            Incidents::Found
        }
        None => rows,
    };
    let held = Held { found: file.result, samples: file.samples, incidents, has_stats: false };
    Ok(CheckResult { held: Arc::new(held), scene })
}

/// A scene's trees and contacts over a stretch of time; `kinetree.BakedScene`.
#[pyclass(frozen, module = "kinetree", name = "BakedScene")]
pub(crate) struct Baked {
    pub(crate) baked: BakedScene,
}

#[pymethods]
impl Baked {
    /// Reads a file that `write` or the program's `bake` wrote.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let baked = interruptible(py, move |_| read_baked_scene(path))?.map_err(raised)?;
        Ok(Self { baked })
    }

    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Ok(Self { baked: BakedScene::from_bytes(data).map_err(raised)? })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.baked.to_bytes())
    }

    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        Ok(py.detach(|| write_bytes(&path, &self.baked.to_bytes()))?)
    }

    /// First and last second.
    #[getter]
    fn span(&self) -> (f64, f64) {
        (self.baked.begin(), self.baked.end())
    }

    /// Contacts over time; `None` if they were left out.
    #[getter]
    fn contact_count(&self) -> Option<usize> {
        self.baked.contacts().map(kinetree::BakedContacts::len)
    }

    /// Per body, whether its tree is baked.
    #[getter]
    fn has_tree(&self) -> Vec<bool> {
        self.baked.trees().iter().map(Option::is_some).collect()
    }

    fn __repr__(&self) -> String {
        format!("<kinetree.BakedScene: {} s to {} s>", self.baked.begin(), self.baked.end())
    }
}

/// Works a scene out over its span, or over some frames.
#[pyfunction]
pub(crate) fn bake(
    py: Python<'_>,
    scene: &Scene,
    frames: Option<PyReadonlyArrayDyn<'_, f64>>,
    contacts: bool,
    ignore_rest_contacts: bool,
    sync_points: usize,
) -> PyResult<Baked> {
    let frames = frames.map(|frames| Ok::<_, PyErr>(flat("frames", &frames)?.to_vec())).transpose()?;
    let scene = Arc::clone(&scene.scene);
    let span = match &frames {
        Some(times) => times.first().zip(times.last()).map(|(first, last)| [*first, *last]),
        None => scene.default_span(),
    };
    let no_time = || {
        let message = match &frames {
            Some(_) => "frames: two times or more are needed, seconds, the last after the first",
            None => "span: there is no stretch of time to bake; give the scene a span",
        };
        refused("Option", message.into())
    };
    let span = span.filter(|[first, last]| first < last).ok_or_else(no_time)?;
    let ignored = if ignore_rest_contacts { IgnoredContacts::AtRest } else { IgnoredContacts::None };
    let settings = BakeSettings { frames, contacts, ignored, sync_points, ..BakeSettings::new(span) };
    let baked = interruptible(py, move |_| BakedScene::bake(&scene, &settings))?;
    Ok(Baked { baked: baked.map_err(raised)?.0 })
}

/// Whether a path is one of the words of `baseline`, or else a file.
pub(crate) fn baseline(path: &Path, scene: &kinetree::io::Scene) -> Result<BaselineChoice, Fault> {
    match path.to_str() {
        Some("start") => Ok(BaselineChoice::Start),
        Some("rest") => Ok(BaselineChoice::Rest),
        _ => kinetree::check::read_baseline(path, scene)
            .map_err(|error| Fault::File("Baseline", path.to_owned(), error.to_string())),
    }
}
