//! Changes of worlds: what counts as contact, plans to come, copies, baked trees.

use std::sync::Arc;

use kinetree::{BakeFormat, BakedClip, ChangeId, Filter, Span};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{raised, refused};
use crate::plan::{Flightplan, Motion};
use crate::world::{Body, World};

/// Sets which bodies a body may touch: bits of its groups, and of groups it is tested against.
#[pyfunction]
pub(crate) fn set_filter(py: Python<'_>, world: &mut World, body: Body, category: u64, mask: u64) -> PyResult<()> {
    world.change(py)?.set_filter(body.id, Filter::new(category, mask)).map_err(raised)
}

/// Sets the thickness of a body, metres.
#[pyfunction]
pub(crate) fn set_thickness(py: Python<'_>, world: &mut World, body: Body, thickness: f64) -> PyResult<()> {
    world.change(py)?.set_thickness(body.id, thickness).map_err(raised)
}

/// Sets the distance from which two bodies count as touching, metres; `None` for their thicknesses.
#[pyfunction]
pub(crate) fn set_pair_thickness(
    py: Python<'_>,
    world: &mut World,
    a: Body,
    b: Body,
    thickness: Option<f64>,
) -> PyResult<()> {
    world.change(py)?.set_pair_thickness(a.id, b.id, thickness).map_err(raised)
}

/// Sets whether two bodies are tested against each other.
#[pyfunction]
pub(crate) fn set_pair_watched(py: Python<'_>, world: &mut World, a: Body, b: Body, watched: bool) -> PyResult<()> {
    world.change(py)?.set_pair_watched(a.id, b.id, watched).map_err(raised)
}

/// A change of a world that is to come.
#[pyclass(frozen, eq, hash, from_py_object, module = "kinetree")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScheduledChange {
    id: ChangeId,
}

/// Replaces the plan of a body at a time to come.
#[pyfunction]
pub(crate) fn schedule_flightplan(
    py: Python<'_>,
    world: &mut World,
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
    let id = world.change(py)?.schedule_flightplan(body.id, at, plan).map_err(raised)?;
    Ok(ScheduledChange { id })
}

/// Withdraws a change; says whether it was still to come.
#[pyfunction]
pub(crate) fn cancel_change(py: Python<'_>, world: &mut World, change: ScheduledChange) -> PyResult<bool> {
    Ok(world.change(py)?.cancel_change(change.id))
}

/// Changes to come with their times and bodies, in their order.
#[pyfunction]
pub(crate) fn scheduled_changes(py: Python<'_>, world: &mut World) -> PyResult<Vec<(ScheduledChange, f64, Body)>> {
    let change = |(id, time, body)| (ScheduledChange { id }, time, Body { id: body });
    Ok(world.get(py)?.scheduled_changes().map(change).collect())
}

/// A copy of a world at one moment.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct Snapshot {
    snapshot: kinetree::Snapshot,
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
        World::of(world, size)
    }
}

/// Copies a world.
#[pyfunction]
pub(crate) fn snapshot(py: Python<'_>, world: &mut World) -> PyResult<Snapshot> {
    let world = world.get(py)?;
    Ok(Snapshot { snapshot: py.detach(|| world.snapshot()) })
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
    world: &mut World,
    body: Body,
    span: (f64, f64),
    fps: Option<f64>,
    syncs: usize,
) -> PyResult<BakedTree> {
    let format = fps.map_or(BakeFormat::Stamped, |per_second| BakeFormat::Frames { per_second });
    let world = world.get(py)?;
    let baked = py.detach(|| world.bake(body.id, Span { begin: span.0, end: span.1 }, format, syncs));
    Ok(BakedTree { clip: Arc::new(baked.map_err(raised)?) })
}

/// Lets a body's tree follow a baked one; `None` for a tree of its own again.
#[pyfunction]
pub(crate) fn set_baked_tree(py: Python<'_>, world: &mut World, body: Body, tree: Option<&BakedTree>) -> PyResult<()> {
    world.change(py)?.set_baked(body.id, tree.map(|tree| Arc::clone(&tree.clip))).map_err(raised)
}
