//! Worlds: bodies, a clock and what touches.

use kinetree::{
    Aabb, BodyDef, BodyId, Contact, ContactChange, ContactMode, Engine, Error, Filter, IgnoredContacts, Mesh,
    NextEvent, Spheres, WorldDef,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::rows;
use crate::errors::{raised, refused};
use crate::interrupt::Job;
use crate::plan::{Flightplan, Motion};
use crate::scene::Scene;

/// A body of a world. Stays the name of that body, also after it was removed.
#[pyclass(frozen, eq, hash, ord, from_py_object, module = "kinetree")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Body {
    pub(crate) id: BodyId,
}

#[pymethods]
impl Body {
    /// Its number in the arrays that the world returns.
    #[getter]
    fn index(&self) -> u32 {
        self.id.index()
    }

    fn __repr__(&self) -> String {
        format!("<kinetree.Body {}>", self.id.index())
    }
}

/// Triangles of a world, and seconds of an advance, up to which the calling thread computes: a
/// thread of its own would take longer to start.
const SMALL: (usize, f64) = (1000, 1.0);

/// A world on the thread that computes with it, and what is computed.
type Away = Job<(Box<kinetree::World>, Result<(), Error>)>;

/// Bodies in motion, and their contacts; `kinetree.World` wraps it.
#[pyclass(module = "kinetree")]
pub(crate) struct World {
    world: Option<Box<kinetree::World>>,
    /// Where the world is after an interrupted call.
    away: Option<std::sync::Mutex<Away>>,
    /// Triangles and spheres of all bodies that were added.
    size: usize,
    /// Counts what may have changed the world, for trials.
    pub(crate) version: u64,
}

impl World {
    pub(crate) fn of(world: kinetree::World, size: usize) -> Self {
        Self { world: Some(Box::new(world)), away: None, size, version: 0 }
    }

    /// The world; waits for it after an interrupted call.
    pub(crate) fn get(&mut self, py: Python<'_>) -> PyResult<&mut kinetree::World> {
        if let Some(away) = &mut self.away {
            let away = away.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (world, _) = away.wait(py, |_, question| match question {})?;
            (self.world, self.away) = (Some(world), None);
        }
        self.world.as_deref_mut().ok_or_else(|| refused("WorldLost", "the world was lost in a failure".into()))
    }

    /// The world, to be changed.
    pub(crate) fn change(&mut self, py: Python<'_>) -> PyResult<&mut kinetree::World> {
        self.version += 1;
        self.get(py)
    }

    /// Computes with the world where Ctrl-C ends the call at once. The world then goes on
    /// computing, and the next call waits for it.
    fn compute(
        &mut self,
        py: Python<'_>,
        seconds: f64,
        work: impl FnOnce(&mut kinetree::World) -> Result<(), Error> + Send + 'static,
    ) -> PyResult<()> {
        self.change(py)?;
        let Some(mut world) = self.world.take() else { return Ok(()) };
        if self.size <= SMALL.0 && seconds <= SMALL.1 {
            let outcome = py.detach(|| work(&mut world));
            self.world = Some(world);
            return outcome.map_err(raised);
        }
        let mut job = Away::start(move |_| {
            let outcome = work(&mut world);
            (world, outcome)
        })?;
        match job.wait(py, |_, question| match question {}) {
            Ok((world, outcome)) => {
                self.world = Some(world);
                outcome.map_err(raised)
            }
            Err(error) => {
                self.away = Some(std::sync::Mutex::new(job));
                Err(error)
            }
        }
    }
}

/// Reads the name of an engine.
pub(crate) fn engine_named(name: &str) -> PyResult<Engine> {
    let engines = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];
    engines.into_iter().find(|engine| engine.to_string() == name).ok_or_else(|| {
        let names = engines.map(|engine| format!("'{engine}'")).join(", ");
        refused("Option", format!("engine: '{name}' is none of {names}"))
    })
}

/// Contacts as columns: bodies by index, triangles.
pub(crate) fn columns<'py>(py: Python<'py>, contacts: &[Contact]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let column = |number: fn(&Contact) -> u32| contacts.iter().map(number).collect::<Vec<_>>().into_pyarray(py);
    columns.set_item("a", column(|contact| contact.a.index()))?;
    columns.set_item("triangle_a", column(|contact| contact.triangle_a))?;
    columns.set_item("b", column(|contact| contact.b.index()))?;
    columns.set_item("triangle_b", column(|contact| contact.triangle_b))?;
    Ok(columns)
}

/// Changes as columns: contacts, whether they began, and when at the earliest and at the latest.
pub(crate) fn change_columns<'py>(py: Python<'py>, changes: &[ContactChange]) -> PyResult<Bound<'py, PyDict>> {
    let contacts: Vec<Contact> = changes.iter().map(ContactChange::contact).collect();
    let columns = columns(py, &contacts)?;
    columns.set_item("began", changes.iter().map(ContactChange::is_begin).collect::<Vec<_>>().into_pyarray(py))?;
    let time = |number: fn(&ContactChange) -> f64| changes.iter().map(number).collect::<Vec<_>>().into_pyarray(py);
    columns.set_item("time_lo", time(|change| change.time().lo))?;
    columns.set_item("time_hi", time(|change| change.time().hi))?;
    columns
        .set_item("undecided", changes.iter().map(ContactChange::is_undecided).collect::<Vec<_>>().into_pyarray(py))?;
    Ok(columns)
}

#[pymethods]
impl World {
    #[new]
    fn new(start: f64, engine: &str, continuous: bool, keep_events: bool) -> PyResult<Self> {
        let mode = if continuous { ContactMode::Continuous } else { ContactMode::AtTimes };
        let mut def = WorldDef::new().start(start).engine(engine_named(engine)?).contacts(mode);
        def.keep_events = keep_events;
        Ok(Self::of(kinetree::World::new(def).map_err(raised)?, 0))
    }

    /// A world with the bodies of a scene, in its order.
    #[staticmethod]
    fn of_scene(
        py: Python<'_>,
        scene: &Scene,
        start: Option<f64>,
        engine: &str,
        continuous: bool,
        ignore_rest_contacts: bool,
    ) -> PyResult<Self> {
        let mode = if continuous { ContactMode::Continuous } else { ContactMode::AtTimes };
        let begin = scene.scene.default_span().map_or(0.0, |[begin, _]| begin);
        let def = WorldDef::new().start(start.unwrap_or(begin)).engine(engine_named(engine)?).contacts(mode);
        let ignored = if ignore_rest_contacts { IgnoredContacts::AtRest } else { IgnoredContacts::None };
        let scene = std::sync::Arc::clone(&scene.scene);
        let made = crate::interrupt::interruptible(py, move |_| {
            let size = scene.bodies.iter().map(|body| body.mesh.triangles.len()).sum();
            scene.world(def, ignored).map(|(world, _)| (world, size))
        })?;
        let (world, size) = made.map_err(raised)?;
        Ok(Self::of(world, size))
    }

    /// Triangles `(T, 3)`, or `None` for spheres.
    fn add_body(
        &mut self,
        py: Python<'_>,
        name: &str,
        count: usize,
        triangles: Option<PyReadonlyArrayDyn<'_, u32>>,
        plan: &Flightplan,
        options: &BodyOptions,
    ) -> PyResult<Body> {
        let def = match (triangles, &plan.motion) {
            (Some(triangles), motion) => {
                let mesh = Mesh::new(count, rows("triangles", &triangles)?).map_err(raised)?;
                self.size += mesh.triangles().len();
                match motion {
                    Motion::Plan(plan) => BodyDef::new(mesh, plan.clone()),
                    Motion::Reduced(reduced) => BodyDef::bounded(mesh.clone(), reduced.sampler(mesh).map_err(raised)?),
                }
            }
            (None, Motion::Plan(plan)) => {
                self.size += count;
                BodyDef::new(Spheres::new(count).map_err(raised)?, plan.clone())
            }
            (None, Motion::Reduced(_)) => return Err(refused("Option", "spheres need a plan of spheres".into())),
        };
        let def = def.named(name).self_contact(options.self_contact).neighbours(options.neighbours);
        let def = def.thickness(options.thickness).filter(Filter::new(options.filter.0, options.filter.1));
        let def = def.ignoring_contacts(options.ignored).ignoring(&options.ignoring);
        let world = self.change(py)?;
        let id = py.detach(|| world.add_body(def)).map_err(raised)?;
        Ok(Body { id })
    }

    fn remove_body(&mut self, py: Python<'_>, body: Body) -> PyResult<()> {
        self.change(py)?.remove_body(body.id).map_err(raised)
    }

    fn set_flightplan(&mut self, py: Python<'_>, body: Body, plan: &Flightplan) -> PyResult<()> {
        let motion = plan.motion.clone();
        let world = self.change(py)?;
        let done = py.detach(|| match motion {
            Motion::Plan(plan) => world.set_flightplan(body.id, plan).map_err(Error::from),
            Motion::Reduced(reduced) => {
                let mesh = world.mesh(body.id)?.clone();
                Ok(world.set_bounded_flightplan(body.id, reduced.sampler(mesh)?)?)
            }
        });
        done.map_err(raised)
    }

    fn extend_flightplan(
        &mut self,
        py: Python<'_>,
        body: Body,
        time: f64,
        positions: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let positions = rows("positions", &positions)?;
        self.change(py)?.extend_flightplan(body.id, time, &positions).map_err(raised)
    }

    fn advance_to(&mut self, py: Python<'_>, time: f64) -> PyResult<()> {
        let seconds = time - self.get(py)?.time();
        self.compute(py, seconds, move |world| Ok(world.advance_to(time)?))
    }

    /// Returns whether the clock stands at the time asked for.
    fn advance_to_within(&mut self, py: Python<'_>, time: f64, budget: u64) -> PyResult<bool> {
        let world = self.change(py)?;
        Ok(py.detach(|| world.advance_to_within(time, budget)).map_err(raised)?.is_done)
    }

    #[getter]
    fn time(&mut self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.get(py)?.time())
    }

    fn bodies(&mut self, py: Python<'_>) -> PyResult<Vec<Body>> {
        Ok(self.get(py)?.bodies().map(|id| Body { id }).collect())
    }

    fn name(&mut self, py: Python<'_>, body: Body) -> PyResult<String> {
        self.get(py)?.name(body.id).map(str::to_owned).map_err(raised)
    }

    fn contacts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.get(py)?.contacts())
    }

    fn contacts_at<'py>(&mut self, py: Python<'py>, time: f64) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.get(py)?.contacts_at(time).map_err(raised)?)
    }

    fn contact_changes<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        change_columns(py, self.get(py)?.contact_changes())
    }

    fn first_contact<'py>(
        &mut self,
        py: Python<'py>,
        a: Body,
        b: Body,
        until: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let found = std::sync::Arc::new(std::sync::Mutex::new(None));
        let (filled, version) = (std::sync::Arc::clone(&found), self.version);
        let seconds = until - self.get(py)?.time();
        self.compute(py, seconds, move |world| {
            let first = world.first_contact(a.id, b.id, until)?;
            *filled.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = first;
            Ok(())
        })?;
        self.version = version;
        let change = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        change.map(|change| change_columns(py, &[change])).transpose()
    }

    /// A time, `None` for unknown, or infinity for never.
    fn next_event(&mut self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(match self.get(py)?.next_event() {
            NextEvent::At(time) => Some(time),
            NextEvent::Never => Some(f64::INFINITY),
            _ => None,
        })
    }

    fn positions<'py>(&mut self, py: Python<'py>, body: Body) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = self.get(py)?.positions(body.id).map_err(raised)?;
        let count = positions.len();
        let flat = positions.into_flattened().into_pyarray(py);
        flat.call_method1("reshape", (count, 3))?.extract().map_err(PyErr::from)
    }

    fn query_box<'py>(
        &mut self,
        py: Python<'py>,
        min: [f64; 3],
        max: [f64; 3],
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>)> {
        let (bodies, triangles): (Vec<u32>, Vec<u32>) = self
            .get(py)?
            .query_box(&Aabb { min, max })
            .0
            .into_iter()
            .map(|(body, triangle)| (body.index(), triangle))
            .unzip();
        Ok((bodies.into_pyarray(py), triangles.into_pyarray(py)))
    }

    /// Number of checks, and the faults found.
    fn audit(&mut self, py: Python<'_>) -> PyResult<(usize, Vec<String>)> {
        let world = self.get(py)?;
        let report = py.detach(|| world.audit());
        Ok((report.checks, report.faults.into_iter().map(|fault| fault.0).collect()))
    }

    /// Counters, as JSON.
    fn stats(&mut self, py: Python<'_>) -> PyResult<String> {
        let stats = self.get(py)?.stats();
        serde_json::to_string(&stats).map_err(|error| refused("Stats", error.to_string()))
    }

    fn event_log_hash(&mut self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.get(py)?.log().hash())
    }
}

/// What a body counts as contact.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct BodyOptions {
    self_contact: bool,
    neighbours: bool,
    thickness: f64,
    filter: (u64, u64),
    ignored: IgnoredContacts,
    ignoring: Vec<BodyId>,
}

#[pymethods]
impl BodyOptions {
    #[new]
    fn new(
        self_contact: bool,
        neighbours: bool,
        thickness: f64,
        filter: (u64, u64),
        ignored: &str,
        ignoring: Vec<Body>,
    ) -> PyResult<Self> {
        let ignored = match ignored {
            "none" => IgnoredContacts::None,
            "rest" => IgnoredContacts::AtRest,
            "start" => IgnoredContacts::AtStart,
            other => {
                let message = format!("ignored_contacts: '{other}' is none of 'none', 'rest' and 'start'");
                return Err(refused("Option", message));
            }
        };
        let ignoring = ignoring.into_iter().map(|body| body.id).collect();
        Ok(Self { self_contact, neighbours, thickness, filter, ignored, ignoring })
    }
}
