//! Worlds: bodies, a clock and what touches.

use kinetree::{
    Aabb, BodyDef, BodyId, Contact, ContactChange, ContactMode, Engine, Mesh, NextEvent, Spheres, WorldDef,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::rows;
use crate::errors::{raised, refused};
use crate::plan::Flightplan;

/// A body of a world. Stays the name of that body, also after it was removed.
#[pyclass(frozen, eq, hash, ord, from_py_object, module = "kinetree")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Body {
    id: BodyId,
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

/// Bodies in motion, and their contacts; `kinetree.World` wraps it.
#[pyclass(module = "kinetree")]
pub(crate) struct World {
    world: kinetree::World,
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
fn columns<'py>(py: Python<'py>, contacts: &[Contact]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let column = |number: fn(&Contact) -> u32| contacts.iter().map(number).collect::<Vec<_>>().into_pyarray(py);
    columns.set_item("a", column(|contact| contact.a.index()))?;
    columns.set_item("triangle_a", column(|contact| contact.triangle_a))?;
    columns.set_item("b", column(|contact| contact.b.index()))?;
    columns.set_item("triangle_b", column(|contact| contact.triangle_b))?;
    Ok(columns)
}

/// Changes as columns: contacts, whether they began, and when at the earliest and at the latest.
fn change_columns<'py>(py: Python<'py>, changes: &[ContactChange]) -> PyResult<Bound<'py, PyDict>> {
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
        Ok(Self { world: kinetree::World::new(def).map_err(raised)? })
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
        let plan = plan.plan.clone();
        let def = match triangles {
            Some(triangles) => BodyDef::new(Mesh::new(count, rows("triangles", &triangles)?).map_err(raised)?, plan),
            None => BodyDef::new(Spheres::new(count).map_err(raised)?, plan),
        };
        let def = def.named(name).self_contact(options.self_contact).neighbours(options.neighbours);
        let def = def.thickness(options.thickness);
        let id = py.detach(|| self.world.add_body(def)).map_err(raised)?;
        Ok(Body { id })
    }

    fn remove_body(&mut self, body: Body) -> PyResult<()> {
        self.world.remove_body(body.id).map_err(raised)
    }

    fn set_flightplan(&mut self, py: Python<'_>, body: Body, plan: &Flightplan) -> PyResult<()> {
        let plan = plan.plan.clone();
        py.detach(|| self.world.set_flightplan(body.id, plan)).map_err(raised)
    }

    fn extend_flightplan(&mut self, body: Body, time: f64, positions: PyReadonlyArrayDyn<'_, f32>) -> PyResult<()> {
        let positions = rows("positions", &positions)?;
        self.world.extend_flightplan(body.id, time, &positions).map_err(raised)
    }

    fn advance_to(&mut self, py: Python<'_>, time: f64) -> PyResult<()> {
        py.detach(|| self.world.advance_to(time)).map_err(raised)
    }

    #[getter]
    fn time(&self) -> f64 {
        self.world.time()
    }

    fn bodies(&self) -> Vec<Body> {
        self.world.bodies().map(|id| Body { id }).collect()
    }

    fn name(&self, body: Body) -> PyResult<String> {
        self.world.name(body.id).map(str::to_owned).map_err(raised)
    }

    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.world.contacts())
    }

    fn contacts_at<'py>(&self, py: Python<'py>, time: f64) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.world.contacts_at(time).map_err(raised)?)
    }

    fn contact_changes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        change_columns(py, self.world.contact_changes())
    }

    fn first_contact<'py>(
        &self,
        py: Python<'py>,
        a: Body,
        b: Body,
        until: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let found = py.detach(|| self.world.first_contact(a.id, b.id, until)).map_err(raised)?;
        found.map(|change| change_columns(py, &[change])).transpose()
    }

    /// A time, `None` for unknown, or infinity for never.
    fn next_event(&self) -> Option<f64> {
        match self.world.next_event() {
            NextEvent::At(time) => Some(time),
            NextEvent::Never => Some(f64::INFINITY),
            _ => None,
        }
    }

    fn positions<'py>(&self, py: Python<'py>, body: Body) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = self.world.positions(body.id).map_err(raised)?;
        let count = positions.len();
        let flat = positions.into_flattened().into_pyarray(py);
        flat.call_method1("reshape", (count, 3))?.extract().map_err(PyErr::from)
    }

    fn cast_ray(&self, origin: [f64; 3], direction: [f64; 3], reach: f64) -> Option<(Body, u32, f64)> {
        let hit = self.world.cast_ray(origin, direction, reach).0?;
        Some((Body { id: hit.body }, hit.triangle, hit.distance))
    }

    fn query_box<'py>(
        &self,
        py: Python<'py>,
        min: [f64; 3],
        max: [f64; 3],
    ) -> (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>) {
        let (bodies, triangles): (Vec<u32>, Vec<u32>) = self
            .world
            .query_box(&Aabb { min, max })
            .0
            .into_iter()
            .map(|(body, triangle)| (body.index(), triangle))
            .unzip();
        (bodies.into_pyarray(py), triangles.into_pyarray(py))
    }

    /// Number of checks, and the faults found.
    fn audit(&self, py: Python<'_>) -> (usize, Vec<String>) {
        let report = py.detach(|| self.world.audit());
        (report.checks, report.faults.into_iter().map(|fault| fault.0).collect())
    }

    fn event_log_hash(&self) -> u64 {
        self.world.log().hash()
    }
}

/// What a body counts as contact.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct BodyOptions {
    self_contact: bool,
    neighbours: bool,
    thickness: f64,
}

#[pymethods]
impl BodyOptions {
    #[new]
    fn new(self_contact: bool, neighbours: bool, thickness: f64) -> Self {
        Self { self_contact, neighbours, thickness }
    }
}
