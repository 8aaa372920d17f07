//! Checks of scenes, and what they found.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use kinetree::check::{CheckEnding, CheckResult as Found, CheckSettings, FileSample, JsonWriter, Sampling};
use kinetree::check::{Gate, check as run, check_baked};
use kinetree::incident::{Thresholds, TriangleContact};
use kinetree::report::html::HtmlReport;
use kinetree::{Cancel, Error, IgnoredContacts};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::flat;
use crate::errors::{Fault, fault, raised, refused};
use crate::file::{Baked, baseline};
use crate::interrupt::{Job, interruptible};
use crate::scene::Scene;
use crate::whole::{write_bytes, write_whole};
use crate::world::engine_named;

/// What a check found; `kinetree.CheckResult` wraps it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct CheckResult {
    pub(crate) held: Arc<Held>,
    /// The scene that was checked, for reports; `None` for a result that was read without one.
    pub(crate) scene: Option<Arc<kinetree::io::Scene>>,
}

/// A result, as threads share it.
pub(crate) struct Held {
    pub(crate) found: Found,
    /// What touches at each sample.
    pub(crate) samples: Vec<FileSample>,
    /// Which incidents the result has.
    pub(crate) incidents: Incidents,
    /// Whether its counters mean anything: those of joined and read results do not.
    pub(crate) has_stats: bool,
}

/// Groups, materials and joints, and ranges of the triangles that are called so.
type PartRow = (Vec<String>, Vec<String>, Vec<String>, Vec<(u32, u32)>);

/// Two bodies, first contact, seconds in contact, contacts, samples, most contacts at once, and
/// when.
type PairRow = (u32, u32, Option<f64>, f64, usize, usize, usize, f64);

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
    baked: Option<&Baked>,
) -> PyResult<CheckResult> {
    let (mut settings, path) = settings_of(options, times)?;
    let (scene, shared) = (Arc::clone(&scene.scene), Arc::clone(&scene.scene));
    let (asks, baked) = (progress.is_some(), baked.map(|baked| baked.baked.clone()));
    let mut job = Job::<Result<Held, Fault>, (usize, usize)>::start(move |asker| {
        settings.cancel = Some(asker.cancel().clone());
        if let Some(path) = path {
            settings.baseline = baseline(&path, &scene)?;
        }
        let mut samples = Vec::new();
        let observe = |sample: &kinetree::check::CheckSample<'_>| {
            let mut kept = FileSample::default();
            (kept.time, kept.contacts) = (sample.time, sample.contacts.to_vec());
            samples.push(kept);
            let goes_on = !asks || asker.ask((sample.number + 1, sample.count));
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let found = match baked {
            Some(baked) => check_baked(&scene, baked, &settings, observe),
            None => run(&scene, &settings, observe),
        };
        let found = found.map_err(fault)?;
        let incidents = if found.incidents_left_out { Incidents::None } else { Incidents::Found };
        Ok(Held { found, samples, incidents, has_stats: true })
    })?;
    let held = job.wait(py, |py, (done, all)| {
        let Some(progress) = &progress else { return Ok(true) };
        let answer = progress.call1(py, (done, all))?;
        // Booleans of numpy are taken too.
        Ok(!matches!(answer.extract::<bool>(py), Ok(false)))
    })?;
    Ok(CheckResult { held: Arc::new(held?), scene: Some(shared) })
}

/// What a check covers: its times, and numbers that tell it from other checks.
#[pyfunction]
pub(crate) fn outline<'py>(
    py: Python<'py>,
    scene: &Scene,
    options: &Bound<'_, PyDict>,
    times: Option<PyReadonlyArrayDyn<'_, f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let ((settings, _), scene) = (settings_of(options, times)?, Arc::clone(&scene.scene));
    let outline = interruptible(py, move |_| kinetree::check::outline(&scene, &settings))?.map_err(raised)?;
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

/// Reads the options that `kinetree.check` made; what incidents are compared with is still to be
/// read.
fn settings_of(
    options: &Bound<'_, PyDict>,
    times: Option<PyReadonlyArrayDyn<'_, f64>>,
) -> PyResult<(CheckSettings, Option<PathBuf>)> {
    let option = |key: &str| options.as_any().get_item(key);
    let mut settings = CheckSettings::default();
    settings.engine = engine_named(&option("engine")?.extract::<String>()?)?;
    settings.over_time = option("over_time")?.extract()?;
    settings.stop_at_first = option("stop_at_first")?.extract()?;
    settings.span = option("span")?.extract::<Option<(f64, f64)>>()?.map(|(begin, end)| [begin, end]);
    if option("ignore_rest_contacts")?.extract::<bool>()? {
        settings.ignored = IgnoredContacts::AtRest;
    }
    settings.skip_incidents = !option("incidents")?.extract::<bool>()?;
    settings.sampling = match (times, option("fps")?.extract::<Option<f64>>()?) {
        (Some(_), Some(fps)) => {
            let message = format!("times and fps: give one of the two; fps is {fps}, and times say when to sample");
            return Err(refused("Option", message));
        }
        (Some(times), None) => Sampling::Times(flat("times", &times)?.to_vec()),
        (None, Some(fps)) => Sampling::Fps(fps),
        (None, None) => Sampling::Scene,
    };
    Ok((settings, option("baseline")?.extract()?))
}

impl CheckResult {
    /// Lists of conditions on incidents, if this result can be asked for them.
    fn thresholds(&self, conditions: &[String]) -> PyResult<Vec<Thresholds>> {
        self.held.refuse_samples("conditions on incidents")?;
        if !matches!(self.held.incidents, Incidents::Found) {
            return Err(no_scene("conditions on incidents"));
        }
        if self.held.found.pairs.is_empty() {
            let text = "no pair of bodies is tested: all are excluded, and none is tested against itself; remove an \
                        exclusion, or set self_contact";
            return Err(refused("NothingTested", text.into()));
        }
        let parsed = conditions.iter().map(|text| text.parse::<Thresholds>());
        let thresholds = parsed.collect::<Result<Vec<_>, _>>().map_err(|error| raised(Error::Threshold(error)))?;
        let is_cut = self.held.found.ending == CheckEnding::FirstContact && self.held.found.is_part();
        let asks_more = thresholds.is_empty() || !thresholds.iter().all(Thresholds::is_any_contact);
        if is_cut && asks_more {
            let text = "the check stopped at the first contact, so incidents after it are not known: only \"contacts\" \
                        can be asked, or check without stop_at_first";
            return Err(refused("Option", text.into()));
        }
        if self.held.found.fps.is_none() && thresholds.iter().any(Thresholds::needs_frames) {
            return Err(refused("Option", "frames: the scene has no frames a second; give fps".into()));
        }
        Ok(thresholds)
    }
}

#[pymethods]
impl CheckResult {
    /// Contacts over time, by column.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = &self.held.found.contacts;
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
    fn pairs(&self) -> Vec<PairRow> {
        let row = |pair: &kinetree::check::PairSummary| {
            let [a, b] = pair.bodies;
            (a, b, pair.first, pair.seconds, pair.contacts, pair.samples, pair.most, pair.most_at)
        };
        self.held.found.pairs.iter().map(row).collect()
    }

    /// The incidents, the most severe first, as JSON; `None` if they were not found.
    fn incidents(&self) -> PyResult<Option<String>> {
        match &self.held.incidents {
            Incidents::Listed(text) => Ok(Some(text.clone())),
            Incidents::None => self.held.refuse_samples("incidents").map(|()| None),
            Incidents::Found => {
                self.held.refuse_samples("incidents")?;
                let rows: Vec<_> = self.held.found.incident_rows().collect();
                serde_json::to_string(&rows).map(Some).map_err(|error| refused("Incidents", error.to_string()))
            }
        }
    }

    /// Places of the incidents that meet one of some lists of conditions, the most severe first.
    fn failing(&self, conditions: Vec<String>) -> PyResult<Vec<usize>> {
        let thresholds = self.thresholds(&conditions)?;
        Ok(Gate::new("", &self.held.found, &thresholds).failures().map(|(place, _)| place).collect())
    }

    /// Places of the incidents that some lists of conditions do not judge, the most severe first.
    fn unjudged(&self, conditions: Vec<String>) -> PyResult<Vec<usize>> {
        let thresholds = self.thresholds(&conditions)?;
        let gate = Gate::new("", &self.held.found, &thresholds);
        let incidents = self.held.found.incidents.iter().enumerate();
        Ok(incidents.filter(|(_, incident)| !gate.judges(incident)).map(|(place, _)| place).collect())
    }
    /// Writes the result as the program's `--json` does, with counters if they are wanted and
    /// known.
    fn write_json(&self, py: Python<'_>, path: PathBuf, stats: bool) -> PyResult<()> {
        let held = Arc::clone(&self.held);
        interruptible(py, move |cancel| {
            write_whole(&path, |out| held.write(BufWriter::new(Stoppable { out, cancel }), stats)?.flush())
        })??;
        Ok(())
    }

    /// The bytes that `write_json` writes.
    fn json<'py>(&self, py: Python<'py>, stats: bool) -> PyResult<Bound<'py, PyBytes>> {
        let held = Arc::clone(&self.held);
        let bytes = interruptible(py, move |_| held.write(Vec::new(), stats))??;
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
        self.held.refuse_samples("a report")?;
        let (Some(scene), Incidents::Found) = (&self.scene, &self.held.incidents) else {
            return Err(no_scene("a report"));
        };
        let (scene, held, title) = (Arc::clone(scene), Arc::clone(&self.held), title.to_owned());
        let page = interruptible(py, move |_| {
            let mut report = HtmlReport::new(&scene, &held.found).titled(title);
            if let Some(axis) = up {
                report = report.with_up(axis);
            }
            report.with_worst_pictures(pictures).and_then(|it| it.build()).map_err(|error| error.to_string())
        })?;
        let page = page.map_err(|error| refused("Report", error))?;
        Ok(py.detach(|| write_bytes(&path, page.as_bytes()))?)
    }

    /// First and last second of the whole check; another span makes the result a part.
    #[getter]
    fn whole(&self) -> (f64, f64) {
        (self.held.found.whole[0], self.held.found.whole[1])
    }

    /// Numbers of 64 bits that tell the check from others: per body, of rules, of sampled times.
    #[getter]
    fn identity(&self) -> Option<(Vec<u64>, u64, u64)> {
        self.held.found.identity.as_ref().map(|it| (it.bodies.clone(), it.rules, it.sampling))
    }

    /// Per body, its triangles divided by their names: groups, materials, joints, and ranges of
    /// triangles.
    #[getter]
    fn parts(&self) -> Vec<Vec<PartRow>> {
        let part = |part: &kinetree::incident::NamedPart| {
            let names = &part.names;
            let ranges = part.triangles.iter().map(|range| (range.start, range.end)).collect();
            (names.groups.clone(), names.materials.clone(), names.joints.clone(), ranges)
        };
        self.held.found.bodies.iter().map(|body| body.parts.iter().map(part).collect()).collect()
    }

    /// Whether the motion of a body was evaluated from few parameters.
    #[getter]
    fn is_reduced(&self) -> bool {
        self.held.found.bodies.iter().any(|body| body.is_reduced)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.held.found.bodies.iter().map(|body| body.name.clone()).collect()
    }

    /// Per body, the number of its triangles.
    #[getter]
    fn sizes(&self) -> Vec<usize> {
        self.held.found.bodies.iter().map(|body| body.triangles).collect()
    }

    #[getter]
    fn span(&self) -> (f64, f64) {
        (self.held.found.span[0], self.held.found.span[1])
    }

    #[getter]
    fn fps(&self) -> Option<f64> {
        self.held.found.fps
    }

    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.held.found.times.clone().into_pyarray(py)
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.held.found.ending == CheckEnding::Complete
    }

    #[getter]
    fn has_contacts(&self) -> bool {
        self.held.found.has_contacts()
    }

    #[getter]
    fn undecided(&self) -> usize {
        self.held.found.undecided()
    }
}

/// A file that takes no more after a cancellation.
struct Stoppable<'a> {
    out: &'a mut File,
    cancel: &'a Cancel,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(std::io::Error::other("cancelled"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl Held {
    /// Refuses what needs incidents where only samples were tested: none are found there, whatever
    /// touches. Where nothing moves, a sample is all there is.
    fn refuse_samples(&self, what: &str) -> PyResult<()> {
        if self.found.is_over_time || self.found.is_still {
            return Ok(());
        }
        let message = "only samples were tested, and incidents need contacts over time; leave out over_time=False, \
             and use the engine auto or kinetic; bool(result) says whether anything touches at the samples";
        Err(refused("Samples", format!("{what}: {message}")))
    }

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
