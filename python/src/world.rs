//! Worlds: bodies, a clock and what touches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use kinetree::{
    Aabb, BodyDef, BodyId, Contact, ContactChange, ContactMode, Engine, Error, Filter, IgnoredContacts, Mesh,
    NextEvent, Spheres, WorldDef, WorldError,
};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::rows;
use crate::errors::{raised, refused, world_refused};
use crate::interrupt::Job;
use crate::plan::{Flightplan, Motion};
use crate::queries::Found;
use crate::scene::Scene;

/// A body of a world. Stays the name of that body, also after it was removed.
#[pyclass(frozen, eq, hash, ord, from_py_object, module = "kinetree")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Body {
    id: BodyId,
    /// The token of its world.
    world: u64,
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

/// A world on the thread that computes with it.
struct Away {
    job: Job<Computed>,
    /// What it was before.
    before: Moment,
    is_change: bool,
}

/// A world, and whether what was to be computed is.
type Computed = (Box<kinetree::World>, Result<(), Error>);

/// What tells whether a call that failed changed a world: its clock, and the changes to come.
#[derive(Clone, Copy, PartialEq)]
struct Moment(f64, usize);

impl Moment {
    fn of(world: &kinetree::World) -> Self {
        Self(world.time(), world.scheduled_changes().count())
    }
}

/// Bodies in motion, and their contacts; `kinetree.World` wraps it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct World {
    state: Mutex<State>,
    /// Tells its bodies from those of other worlds. Copies have that of the world they are of.
    pub(crate) token: u64,
}

/// The world itself; one call at a time has it.
pub(crate) struct State {
    world: Option<Box<kinetree::World>>,
    /// Where the world is after an interrupted call.
    away: Option<Away>,
    /// Triangles and spheres of all bodies that were added.
    size: usize,
    /// Counts what changed the world, for trials.
    pub(crate) version: u64,
}

/// The number of the next world.
static TOKENS: AtomicU64 = AtomicU64::new(0);

/// What one call at a time has; refused, not waited for, while another one has it.
pub(crate) fn locked<'a, T>(held: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    match held.try_lock() {
        Ok(held) => Ok(held),
        Err(TryLockError::Poisoned(held)) => Ok(held.into_inner()),
        Err(TryLockError::WouldBlock) => {
            let message =
                format!("{what} is busy with another call, as of another thread; call again when that returned");
            Err(world_refused("World.Busy", message))
        }
    }
}

impl World {
    pub(crate) fn of(world: kinetree::World, size: usize) -> Self {
        Self::copied(world, size, TOKENS.fetch_add(1, Ordering::Relaxed))
    }

    /// A world with the bodies of the one that has the token.
    pub(crate) fn copied(world: kinetree::World, size: usize, token: u64) -> Self {
        let state = State { world: Some(Box::new(world)), away: None, size, version: 0 };
        Self { state: Mutex::new(state), token }
    }

    /// The world, for one call.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, State>> {
        locked(&self.state, "the world")
    }

    /// The id of a body of this world.
    pub(crate) fn id(&self, body: Body) -> PyResult<BodyId> {
        if body.world == self.token {
            return Ok(body.id);
        }
        Err(world_refused("World.NoSuchBody", format!("body {} is of another world", body.id.index())))
    }

    /// A body of this world.
    pub(crate) fn body(&self, id: BodyId) -> Body {
        Body { id, world: self.token }
    }
}

impl State {
    /// The world; waits for it after an interrupted call, and raises the error of that.
    pub(crate) fn get(&mut self, py: Python<'_>) -> PyResult<&mut kinetree::World> {
        if let Some(away) = &mut self.away {
            let (world, outcome) = away.job.wait(py, |_, question| match question {})?;
            let (before, is_change) = (away.before, away.is_change);
            self.away = None;
            self.take_back(world, before, is_change, outcome.is_ok());
            // Searches change nothing, so an error of one that was interrupted has no consequence.
            outcome.or_else(|error| if is_change { Err(raised(error)) } else { Ok(()) })?;
        }
        self.world.as_deref_mut().ok_or_else(lost)
    }

    /// Changes the world. What is refused changes nothing, but for what goes beyond a bound: that may
    /// be made all the same.
    pub(crate) fn change<T: Send>(
        &mut self,
        py: Python<'_>,
        change: impl FnOnce(&mut kinetree::World) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let world = self.get(py)?;
        let outcome = py.detach(|| change(world));
        let may_be_made = matches!(outcome, Ok(_) | Err(Error::World(WorldError::Limit { .. })));
        self.version += u64::from(may_be_made);
        outcome.map_err(raised)
    }

    /// Computes with the world until a time, where Ctrl-C ends the call at once. The world then goes
    /// on computing, and the next call waits for it.
    fn compute<T: Send + 'static>(
        &mut self,
        py: Python<'_>,
        until: f64,
        is_change: bool,
        work: impl FnOnce(&mut kinetree::World) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let world = self.get(py)?;
        let (before, seconds) = (Moment::of(world), until - world.time());
        let mut world = self.world.take().ok_or_else(lost)?;
        if self.size <= SMALL.0 && seconds <= SMALL.1 {
            let outcome = py.detach(|| work(&mut world));
            self.take_back(world, before, is_change, outcome.is_ok());
            return outcome.map_err(raised);
        }
        let found = Arc::new(Mutex::new(None));
        let filled = Arc::clone(&found);
        let mut job = Job::<Computed>::start(move |_| {
            let outcome = work(&mut world).map(|value| {
                *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            });
            (world, outcome)
        })?;
        match job.wait(py, |_, question| match question {}) {
            Ok((world, outcome)) => {
                self.take_back(world, before, is_change, outcome.is_ok());
                outcome.map_err(raised)?;
                found.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(lost)
            }
            Err(error) => {
                self.away = Some(Away { job, before, is_change });
                Err(error)
            }
        }
    }

    /// Takes the world back from a computation. What fails may have gone a part of its way.
    fn take_back(&mut self, world: Box<kinetree::World>, before: Moment, is_change: bool, is_done: bool) {
        self.version += u64::from(is_change && (is_done || Moment::of(&world) != before));
        self.world = Some(world);
    }
}

fn lost() -> PyErr {
    refused("WorldLost", "the world was lost in a failure".into())
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
        let scene = Arc::clone(&scene.scene);
        let made = crate::interrupt::interruptible(py, move |_| {
            let size = scene.bodies.iter().map(|body| body.mesh.triangles.len()).sum();
            scene.world(def, ignored).map(|(world, _)| (world, size))
        })?;
        let (world, size) = made.map_err(raised)?;
        Ok(Self::of(world, size))
    }

    /// Triangles `(T, 3)`, or `None` for spheres.
    fn add_body(
        &self,
        py: Python<'_>,
        name: &str,
        count: usize,
        triangles: Option<PyReadonlyArrayDyn<'_, u32>>,
        plan: &Flightplan,
        options: &BodyOptions,
    ) -> PyResult<Body> {
        let (def, size) = match (triangles, &plan.motion) {
            (Some(triangles), motion) => {
                let mesh = Mesh::new(count, rows("triangles", &triangles)?).map_err(raised)?;
                let size = mesh.triangles().len();
                let def = match motion {
                    Motion::Plan(plan) => BodyDef::new(mesh, plan.clone()),
                    Motion::Reduced(reduced) => {
                        let sampler = py.detach(|| reduced.sampler(mesh.clone())).map_err(raised)?;
                        BodyDef::bounded(mesh, sampler)
                    }
                };
                (def, size)
            }
            (None, Motion::Plan(plan)) => (BodyDef::new(Spheres::new(count).map_err(raised)?, plan.clone()), count),
            (None, Motion::Reduced(_)) => return Err(refused("Option", "spheres need a plan of spheres".into())),
        };
        let ignoring = options.ignoring.iter().map(|body| self.id(*body)).collect::<PyResult<Vec<_>>>()?;
        let def = def.named(name).self_contact(options.self_contact).neighbours(options.neighbours);
        let def = def.thickness(options.thickness).filter(Filter::new(options.filter.0, options.filter.1));
        let def = def.ignoring_contacts(options.ignored).ignoring(&ignoring);
        let mut state = self.lock()?;
        let id = state.change(py, |world| Ok(world.add_body(def)?))?;
        state.size += size;
        Ok(self.body(id))
    }

    fn remove_body(&self, py: Python<'_>, body: Body) -> PyResult<()> {
        let id = self.id(body)?;
        self.lock()?.change(py, |world| Ok(world.remove_body(id)?))
    }

    fn set_flightplan(&self, py: Python<'_>, body: Body, plan: &Flightplan) -> PyResult<()> {
        let (id, motion) = (self.id(body)?, plan.motion.clone());
        self.lock()?.change(py, |world| match motion {
            Motion::Plan(plan) => Ok(world.set_flightplan(id, plan)?),
            Motion::Reduced(reduced) => {
                let mesh = world.mesh(id)?.clone();
                Ok(world.set_bounded_flightplan(id, reduced.sampler(mesh)?)?)
            }
        })
    }

    fn extend_flightplan(
        &self,
        py: Python<'_>,
        body: Body,
        time: f64,
        positions: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let (id, positions): (_, Vec<[f32; 3]>) = (self.id(body)?, rows("positions", &positions)?);
        self.lock()?.change(py, |world| Ok(world.extend_flightplan(id, time, &positions)?))
    }

    fn advance_to(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        self.lock()?.compute(py, time, true, move |world| Ok(world.advance_to(time)?))
    }

    /// Returns whether the clock stands at the time asked for.
    fn advance_to_within(&self, py: Python<'_>, time: f64, budget: u64) -> PyResult<bool> {
        self.lock()?.compute(py, time, true, move |world| Ok(world.advance_to_within(time, budget)?.is_done))
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock()?.get(py)?.time())
    }

    fn bodies(&self, py: Python<'_>) -> PyResult<Vec<Body>> {
        Ok(self.lock()?.get(py)?.bodies().map(|id| self.body(id)).collect())
    }

    fn name(&self, py: Python<'_>, body: Body) -> PyResult<String> {
        let id = self.id(body)?;
        self.lock()?.get(py)?.name(id).map(str::to_owned).map_err(raised)
    }

    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.lock()?.get(py)?.contacts())
    }

    fn contacts_at<'py>(&self, py: Python<'py>, time: f64) -> PyResult<Bound<'py, PyDict>> {
        let mut state = self.lock()?;
        let world = state.get(py)?;
        columns(py, &py.detach(|| world.contacts_at(time)).map_err(raised)?)
    }

    fn contact_changes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        change_columns(py, self.lock()?.get(py)?.contact_changes())
    }

    fn first_contact<'py>(
        &self,
        py: Python<'py>,
        a: Body,
        b: Body,
        until: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (a, b) = (self.id(a)?, self.id(b)?);
        let change = self.lock()?.compute(py, until, false, move |world| Ok(world.first_contact(a, b, until)?))?;
        change.map(|change| change_columns(py, &[change])).transpose()
    }

    /// A time, `None` for unknown, or infinity for never.
    fn next_event(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let mut state = self.lock()?;
        let world = state.get(py)?;
        Ok(match py.detach(|| world.next_event()) {
            NextEvent::At(time) => Some(time),
            NextEvent::Never => Some(f64::INFINITY),
            _ => None,
        })
    }

    fn positions<'py>(&self, py: Python<'py>, body: Body) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (id, mut state) = (self.id(body)?, self.lock()?);
        let world = state.get(py)?;
        let positions = py.detach(|| world.positions(id)).map_err(raised)?;
        let count = positions.len();
        let flat = positions.into_flattened().into_pyarray(py);
        flat.call_method1("reshape", (count, 3))?.extract().map_err(PyErr::from)
    }

    fn query_box<'py>(&self, py: Python<'py>, min: [f64; 3], max: [f64; 3]) -> PyResult<Found<'py>> {
        let mut state = self.lock()?;
        let world = state.get(py)?;
        let (found, _) = py.detach(|| world.query_box(&Aabb { min, max }));
        let (bodies, triangles): (Vec<u32>, Vec<u32>) =
            found.into_iter().map(|(body, triangle)| (body.index(), triangle)).unzip();
        Ok((bodies.into_pyarray(py), triangles.into_pyarray(py)))
    }

    /// Number of checks, and the faults found.
    fn audit(&self, py: Python<'_>) -> PyResult<(usize, Vec<String>)> {
        let mut state = self.lock()?;
        let world = state.get(py)?;
        let report = py.detach(|| world.audit());
        Ok((report.checks, report.faults.into_iter().map(|fault| fault.0).collect()))
    }

    /// Counters, as JSON.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        let stats = self.lock()?.get(py)?.stats();
        serde_json::to_string(&stats).map_err(|error| refused("Stats", error.to_string()))
    }

    fn event_log_hash(&self, py: Python<'_>) -> PyResult<u64> {
        let mut state = self.lock()?;
        let world = state.get(py)?;
        Ok(py.detach(|| world.log().hash()))
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
    ignoring: Vec<Body>,
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
        Ok(Self { self_contact, neighbours, thickness, filter, ignored, ignoring })
    }
}
