//! Checks of scenes, and what they found.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use kinetree::check::{BaselineChoice, CheckEnding, CheckResult as Found, CheckSettings, FileSample, JsonWriter, Sampling};
use kinetree::check::{Gate, read_baseline};
use kinetree::incident::{Thresholds, TriangleContact};
use kinetree::report::html::HtmlReport;
use kinetree::{Error, IgnoredContacts};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::flat;
use crate::errors::{file_refused, raised, refused};
use crate::scene::Scene;
use crate::world::engine_named;

/// What a check found; `kinetree.CheckResult` wraps it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct CheckResult {
    pub(crate) found: Found,
    /// The scene that was checked, for reports; `None` for a result that was read without one.
    pub(crate) scene: Option<Arc<kinetree::io::Scene>>,
    /// What touches at each sample.
    pub(crate) samples: Vec<FileSample>,
    /// Which incidents the result has.
    pub(crate) incidents: Incidents,
    /// Whether its counters mean anything: those of joined and read results do not.
    pub(crate) has_stats: bool,
}

/// Where the incidents of a result are.
pub(crate) enum Incidents {
    /// In the result.
    Found,
    /// In the file that was read: its own text, a JSON array.
    Listed(String),
    /// They were not found.
    None,
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
    let settings = settings_of(&scene.scene, options, times)?;
    let scene = &scene.scene;
    let (mut interrupted, mut samples) = (None, Vec::new());
    let found = py.detach(|| {
        kinetree::check::check(scene, &settings, |sample| {
            let mut kept = FileSample::default();
            (kept.time, kept.contacts) = (sample.time, sample.contacts.to_vec());
            samples.push(kept);
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
    if let Some(error) = interrupted {
        return Err(error);
    }
    let found = found.map_err(raised)?;
    Ok(CheckResult { found, scene: Some(Arc::clone(scene)), samples, incidents: Incidents::Found, has_stats: true })
}

/// What a check covers: its times, and numbers that tell it from other checks.
#[pyfunction]
pub(crate) fn outline<'py>(
    py: Python<'py>,
    scene: &Scene,
    options: &Bound<'_, PyDict>,
    times: Option<PyReadonlyArrayDyn<'_, f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = settings_of(&scene.scene, options, times)?;
    let outline = py.detach(|| kinetree::check::outline(&scene.scene, &settings)).map_err(raised)?;
    let answer = PyDict::new(py);
    answer.set_item("span", (outline.span[0], outline.span[1]))?;
    answer.set_item("whole", (outline.whole[0], outline.whole[1]))?;
    answer.set_item("fps", outline.fps)?;
    answer.set_item("is_still", outline.is_still)?;
    answer.set_item("is_over_time", outline.is_over_time)?;
    answer.set_item("times", outline.times.into_pyarray(py))?;
    let identity = outline.identity;
    answer.set_item("identity", (identity.bodies, identity.rules, identity.sampling))?;
    Ok(answer)
}

/// Reads the options that `kinetree.check` made.
fn settings_of(
    scene: &kinetree::io::Scene,
    options: &Bound<'_, PyDict>,
    times: Option<PyReadonlyArrayDyn<'_, f64>>,
) -> PyResult<CheckSettings> {
    let option = |key: &str| options.as_any().get_item(key);
    let mut settings = CheckSettings::default();
    settings.engine = engine_named(&option("engine")?.extract::<String>()?)?;
    settings.over_time = option("over_time")?.extract()?;
    settings.stop_at_first = option("stop_at_first")?.extract()?;
    settings.span = option("span")?.extract::<Option<(f64, f64)>>()?.map(|(begin, end)| [begin, end]);
    if option("ignore_rest_contacts")?.extract::<bool>()? {
        settings.ignored = IgnoredContacts::AtRest;
    }
    settings.baseline = match option("baseline")?.extract::<Option<PathBuf>>()? {
        None => BaselineChoice::None,
        Some(path) if path.as_os_str() == "start" => BaselineChoice::Start,
        Some(path) if path.as_os_str() == "rest" => BaselineChoice::Rest,
        Some(path) => read_baseline(&path, scene).map_err(|error| file_refused("Baseline", &path, &error))?,
    };
    settings.sampling = match (times, option("fps")?.extract::<Option<f64>>()?) {
        (Some(times), _) => Sampling::Times(flat("times", &times)?.to_vec()),
        (None, Some(fps)) => Sampling::Fps(fps),
        (None, None) => Sampling::Scene,
    };
    Ok(settings)
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

    /// The incidents, the most severe first, as JSON; `None` if they were not found.
    fn incidents(&self) -> PyResult<Option<String>> {
        match &self.incidents {
            Incidents::None => Ok(None),
            Incidents::Listed(text) => Ok(Some(text.clone())),
            Incidents::Found => {
                let rows: Vec<_> = self.found.incident_rows().collect();
                serde_json::to_string(&rows).map(Some).map_err(|error| refused("Incidents", error.to_string()))
            }
        }
    }

    /// Places of the incidents that meet one of some lists of conditions, the most severe first.
    fn failing(&self, conditions: Vec<String>) -> PyResult<Vec<usize>> {
        if !matches!(self.incidents, Incidents::Found) {
            return Err(no_scene("conditions on incidents"));
        }
        let parsed = conditions.iter().map(|text| text.parse::<Thresholds>());
        let thresholds = parsed.collect::<Result<Vec<_>, _>>().map_err(|error| raised(Error::Threshold(error)))?;
        if self.found.fps.is_none() && thresholds.iter().any(Thresholds::needs_frames) {
            return Err(refused("Option", "frames: the scene has no frames a second; give fps".into()));
        }
        Ok(Gate::new("", &self.found, &thresholds).failures().map(|(place, _)| place).collect())
    }

    /// Writes the result as the program's `--json` does, with counters if they are wanted and
    /// known.
    fn write_json(&self, py: Python<'_>, path: PathBuf, stats: bool) -> PyResult<()> {
        Ok(py.detach(|| self.write(BufWriter::new(File::create(&path)?), stats)?.flush())?)
    }

    /// The bytes that `write_json` writes.
    fn json<'py>(&self, py: Python<'py>, stats: bool) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.write(Vec::new(), stats))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the report, one HTML file. `up` is 1 for y, 2 for z.
    fn write_report(
        &self,
        py: Python<'_>,
        path: PathBuf,
        title: &str,
        pictures: usize,
        up: Option<usize>,
    ) -> PyResult<()> {
        let (Some(scene), Incidents::Found) = (&self.scene, &self.incidents) else {
            return Err(no_scene("a report"));
        };
        let page = py.detach(|| {
            let report = HtmlReport::new(scene, &self.found).titled(title);
            let report = up.map_or_else(|| report.clone(), |axis| report.clone().with_up(axis));
            report.with_worst_pictures(pictures).and_then(|it| it.build())
        });
        let page = page.map_err(|error| refused("Report", error.to_string()))?;
        Ok(std::fs::write(path, page)?)
    }

    /// First and last second of the whole check; another span makes the result a part.
    #[getter]
    fn whole(&self) -> (f64, f64) {
        (self.found.whole[0], self.found.whole[1])
    }

    /// Numbers of 64 bits that tell the check from others: per body, of rules, of sampled times.
    #[getter]
    fn identity(&self) -> Option<(Vec<u64>, u64, u64)> {
        self.found.identity.as_ref().map(|it| (it.bodies.clone(), it.rules, it.sampling))
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

impl CheckResult {
    /// Writes the result file.
    fn write<W: Write>(&self, out: W, stats: bool) -> std::io::Result<W> {
        let stats = stats && self.has_stats;
        let Incidents::Listed(rows) = &self.incidents else {
            return self.write_with(out, matches!(self.incidents, Incidents::Found), stats);
        };
        // The rows of the file that was read, in their place: the last member.
        let mut text = self.write_with(Vec::new(), false, false)?;
        text.truncate(text.len() - "}\n".len());
        let mut out = out;
        out.write_all(&text)?;
        write!(out, ",\n\"incidents\": {rows}}}\n")?;
        Ok(out)
    }

    fn write_with<W: Write>(&self, out: W, incidents: bool, stats: bool) -> std::io::Result<W> {
        let mut writer = JsonWriter::new(out, &self.found.bodies)?;
        for sample in &self.samples {
            writer.sample(sample.time, &sample.contacts)?;
        }
        writer.finish(&self.found, incidents, stats)
    }
}

/// What needs the scene of a result that was read without it.
fn no_scene(what: &str) -> PyErr {
    refused("NoScene", format!("{what}: the result was read without its scene; give scene= to read_result or merge"))
}
