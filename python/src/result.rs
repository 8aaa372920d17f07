//! Checks of scenes, and what they found.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use kinetree::IgnoredContacts;
use kinetree::check::{CheckEnding, CheckResult as Found, CheckSettings, JsonWriter, SampledContact, Sampling};
use kinetree::incident::TriangleContact;
use kinetree::report::html::HtmlReport;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::flat;
use crate::errors::{raised, refused};
use crate::scene::Scene;
use crate::world::engine_named;

/// What a check found; `kinetree.CheckResult` wraps it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct CheckResult {
    found: Found,
    /// The scene that was checked, for reports.
    scene: Arc<kinetree::io::Scene>,
    /// What touches at each sample.
    samples: Vec<(f64, Vec<SampledContact>)>,
}

/// Checks a scene. `progress` is called with the number of samples done and of all; it ends the
/// check by returning `False`.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    scene: &Scene,
    options: &Bound<'_, PyDict>,
    times: Option<PyReadonlyArrayDyn<'_, f64>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<CheckResult> {
    let option = |key: &str| options.as_any().get_item(key);
    let mut settings = CheckSettings::default();
    settings.engine = engine_named(&option("engine")?.extract::<String>()?)?;
    settings.over_time = option("over_time")?.extract()?;
    settings.stop_at_first = option("stop_at_first")?.extract()?;
    settings.span = option("span")?.extract::<Option<(f64, f64)>>()?.map(|(begin, end)| [begin, end]);
    if option("ignore_rest_contacts")?.extract::<bool>()? {
        settings.ignored = IgnoredContacts::AtRest;
    }
    settings.sampling = match (times, option("fps")?.extract::<Option<f64>>()?) {
        (Some(times), _) => Sampling::Times(flat("times", &times)?.to_vec()),
        (None, Some(fps)) => Sampling::Fps(fps),
        (None, None) => Sampling::Scene,
    };
    let scene = &scene.scene;
    let (mut interrupted, mut samples) = (None, Vec::new());
    let found = py.detach(|| {
        kinetree::check::check(scene, &settings, |sample| {
            samples.push((sample.time, sample.contacts.to_vec()));
            match Python::attach(|py| report(py, progress.as_ref(), sample.number + 1, sample.count)) {
                Ok(true) => ControlFlow::Continue(()),
                Ok(false) => ControlFlow::Break(()),
                Err(error) => {
                    interrupted = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    });
    match interrupted {
        Some(error) => Err(error),
        None => Ok(CheckResult { found: found.map_err(raised)?, scene: Arc::clone(scene), samples }),
    }
}

/// Lets Python handle Ctrl-C and tells it how far the check is; returns whether to go on.
fn report(py: Python<'_>, progress: Option<&Py<PyAny>>, done: usize, all: usize) -> PyResult<bool> {
    py.check_signals()?;
    let Some(progress) = progress else { return Ok(true) };
    let answer = progress.call1(py, (done, all))?;
    Ok(!answer.bind(py).is(pyo3::types::PyBool::new(py, false)))
}

#[pymethods]
impl CheckResult {
    /// Contacts over time, by column.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = &self.found.contacts;
        let columns = PyDict::new(py);
        let index = |number: fn(&TriangleContact) -> u32| all.iter().map(number).collect::<Vec<_>>().into_pyarray(py);
        let second = |number: fn(&TriangleContact) -> f64| all.iter().map(number).collect::<Vec<_>>().into_pyarray(py);
        let flag = |number: fn(&TriangleContact) -> bool| all.iter().map(number).collect::<Vec<_>>().into_pyarray(py);
        columns.set_item("a", index(|contact| contact.bodies[0]))?;
        columns.set_item("triangle_a", index(|contact| contact.triangles[0]))?;
        columns.set_item("b", index(|contact| contact.bodies[1]))?;
        columns.set_item("triangle_b", index(|contact| contact.triangles[1]))?;
        columns.set_item("begin", second(|contact| contact.begin))?;
        columns.set_item("end", second(|contact| contact.end))?;
        columns.set_item("open_begin", flag(|contact| contact.is_open[0]))?;
        columns.set_item("open_end", flag(|contact| contact.is_open[1]))?;
        columns.set_item("clipped_begin", flag(|contact| contact.is_clipped[0]))?;
        columns.set_item("clipped_end", flag(|contact| contact.is_clipped[1]))?;
        columns.set_item("undecided", flag(|contact| contact.is_undecided))?;
        Ok(columns)
    }

    /// Summaries of the pairs of bodies that were tested.
    fn pairs(&self) -> Vec<(u32, u32, Option<f64>, f64, usize, usize, usize, f64)> {
        let row = |pair: &kinetree::check::PairSummary| {
            let [a, b] = pair.bodies;
            (a, b, pair.first, pair.seconds, pair.contacts, pair.samples, pair.most, pair.most_at)
        };
        self.found.pairs.iter().map(row).collect()
    }

    /// The incidents, the most severe first, as JSON.
    fn incidents(&self) -> PyResult<String> {
        let rows: Vec<_> = self.found.incident_rows().collect();
        serde_json::to_string(&rows).map_err(|error| refused("Incidents", error.to_string()))
    }

    /// Writes the result as the program's `--json` does.
    fn write_json(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let written = py.detach(|| {
            let mut writer = JsonWriter::new(BufWriter::new(File::create(&path)?), &self.found.bodies)?;
            for (time, contacts) in &self.samples {
                writer.sample(*time, contacts)?;
            }
            writer.finish(&self.found, true, true)?.flush()
        });
        Ok(written?)
    }

    /// Writes the report, one HTML file.
    fn write_report(&self, py: Python<'_>, path: PathBuf, title: &str, pictures: usize) -> PyResult<()> {
        let page = py.detach(|| {
            HtmlReport::new(&self.scene, &self.found)
                .titled(title)
                .with_worst_pictures(pictures)
                .and_then(|it| it.build())
        });
        let page = page.map_err(|error| refused("Report", error.to_string()))?;
        Ok(std::fs::write(path, page)?)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.found.bodies.iter().map(|body| body.name.clone()).collect()
    }

    #[getter]
    fn span(&self) -> (f64, f64) {
        (self.found.span[0], self.found.span[1])
    }

    #[getter]
    fn fps(&self) -> Option<f64> {
        self.found.fps
    }

    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.found.times.clone().into_pyarray(py)
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.found.ending == CheckEnding::Complete
    }

    #[getter]
    fn has_contacts(&self) -> bool {
        self.found.has_contacts()
    }

    #[getter]
    fn undecided(&self) -> usize {
        self.found.undecided()
    }
}
