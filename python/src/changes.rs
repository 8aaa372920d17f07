//! Changes of worlds: what counts as contact, plans to come, copies, baked trees.

use std::sync::Arc;

use kinetree::{BakeFormat, BakedClip, ChangeId, Filter, Span};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{raised, refused, world_refused};
use crate::plan::{Flightplan, Motion};
use crate::world::{Body, World};

/// Sets which bodies a body may touch: bits of its groups, and of groups it is tested against.
#[pyfunction]
pub(crate) fn set_filter(py: Python<'_>, world: &World, body: Body, category: u64, mask: u64) -> PyResult<()> {
    let id = world.id(body)?;
    world.lock()?.change(py, |world| Ok(world.set_filter(id, Filter::new(category, mask))?))
}

/// Sets the thickness of a body, metres.
#[pyfunction]
pub(crate) fn set_thickness(py: Python<'_>, world: &World, body: Body, thickness: f64) -> PyResult<()> {
    let id = world.id(body)?;
    world.lock()?.change(py, |world| Ok(world.set_thickness(id, thickness)?))
}

/// Sets the distance from which two bodies count as touching, metres; `None` for their thicknesses.
#[pyfunction]
pub(crate) fn set_pair_thickness(
    py: Python<'_>,
    world: &World,
    a: Body,
    b: Body,
    thickness: Option<f64>,
) -> PyResult<()> {
    let (a, b) = (world.id(a)?, world.id(b)?);
    world.lock()?.change(py, |world| Ok(world.set_pair_thickness(a, b, thickness)?))
}

/// Sets whether two bodies are tested against each other.
#[pyfunction]
pub(crate) fn set_pair_watched(py: Python<'_>, world: &World, a: Body, b: Body, watched: bool) -> PyResult<()> {
    let (a, b) = (world.id(a)?, world.id(b)?);
    world.lock()?.change(py, |world| Ok(world.set_pair_watched(a, b, watched)?))
}

/// A change of a world that is to come.
#[pyclass(frozen, eq, hash, from_py_object, module = "kinetree")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScheduledChange {
    id: ChangeId,
    /// The token of its world.
    world: u64,
}

/// Replaces the plan of a body at a time to come.
#[pyfunction]
pub(crate) fn schedule_flightplan(
    py: Python<'_>,
    world: &World,
    body: Body,
    at: f64,
    plan: &Flightplan,
) -> PyResult<ScheduledChange> {
    let Motion::Plan(plan) = plan.motion.clone() else {
        return Err(refused(
            "Option",
            "plan: reduced motions cannot be scheduled; set them when the time has come".into(),
        ));
    };
    let of = world.id(body)?;
    let id = world.lock()?.change(py, |world| Ok(world.schedule_flightplan(of, at, plan)?))?;
    Ok(ScheduledChange { id, world: world.token })
}

/// Withdraws a change; says whether it was still to come.
#[pyfunction]
pub(crate) fn cancel_change(py: Python<'_>, world: &World, change: ScheduledChange) -> PyResult<bool> {
    if change.world != world.token {
        return Err(world_refused("World.NoSuchChange", "change: it is of another world".into()));
    }
    let mut state = world.lock()?;
    let was_to_come = state.get(py)?.cancel_change(change.id);
    state.version += u64::from(was_to_come);
    Ok(was_to_come)
}

/// Changes to come with their times and bodies, in their order.
#[pyfunction]
pub(crate) fn scheduled_changes(py: Python<'_>, world: &World) -> PyResult<Vec<(ScheduledChange, f64, Body)>> {
    let change = |(id, time, body)| (ScheduledChange { id, world: world.token }, time, world.body(body));
    Ok(world.lock()?.get(py)?.scheduled_changes().map(change).collect())
}

/// A copy of a world at one moment.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct Snapshot {
    snapshot: kinetree::Snapshot,
    /// That of the world that was copied: its bodies are those of the copies.
    token: u64,
}

#[pymethods]
impl Snapshot {
    /// The clock of the copy, seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.snapshot.time()
    }

    /// A world that goes on from the copy.
    fn restore(&self, py: Python<'_>) -> World {
        let world = py.detach(|| kinetree::World::restore(&self.snapshot));
        let size = world.stats().triangles;
        World::copied(world, size, self.token)
    }
}

/// Copies a world.
#[pyfunction]
pub(crate) fn snapshot(py: Python<'_>, world: &World) -> PyResult<Snapshot> {
    let (token, mut state) = (world.token, world.lock()?);
    let world = state.get(py)?;
    Ok(Snapshot { snapshot: py.detach(|| world.snapshot()), token })
}

/// The events of the tree of one body over a span of its motion.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct BakedTree {
    clip: Arc<BakedClip>,
}

#[pymethods]
impl BakedTree {
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Ok(Self { clip: Arc::new(BakedClip::from_bytes(data).map_err(raised)?) })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.clip.to_bytes())
    }

    /// First and last second.
    #[getter]
    fn span(&self) -> (f64, f64) {
        (self.clip.begin(), self.clip.end())
    }

    #[getter]
    fn event_count(&self) -> usize {
        self.clip.event_count()
    }
}

/// Bakes the tree that a body has now; `fps` for these frames only.
#[pyfunction]
pub(crate) fn bake_tree(
    py: Python<'_>,
    world: &World,
    body: Body,
    span: (f64, f64),
    fps: Option<f64>,
    syncs: usize,
) -> PyResult<BakedTree> {
    let format = fps.map_or(BakeFormat::Stamped, |per_second| BakeFormat::Frames { per_second });
    let (id, mut state) = (world.id(body)?, world.lock()?);
    let world = state.get(py)?;
    let baked = py.detach(|| world.bake(id, Span { begin: span.0, end: span.1 }, format, syncs));
    Ok(BakedTree { clip: Arc::new(baked.map_err(raised)?) })
}

/// Lets a body's tree follow a baked one; `None` for a tree of its own again.
#[pyfunction]
pub(crate) fn set_baked_tree(py: Python<'_>, world: &World, body: Body, tree: Option<&BakedTree>) -> PyResult<()> {
    let (id, clip) = (world.id(body)?, tree.map(|tree| Arc::clone(&tree.clip)));
    world.lock()?.change(py, |world| Ok(world.set_baked(id, clip)?))
}
