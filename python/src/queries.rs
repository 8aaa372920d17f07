//! Queries of worlds: space, pairs of bodies, manifolds.

use kinetree::geometry::{Manifold, ManifoldPoint, PointKind};
use kinetree::{Aabb, BodyId, BodyPairChange, Filter, Query as SpatialQuery};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raised;
use crate::world::{Body, World, columns};

/// Body, triangle, distance, point, normal and weights of the corners.
type HitRow = (Body, u32, f64, [f64; 3], Option<[f64; 3]>, [f64; 3]);

/// Bodies and their triangles, as two columns.
pub(crate) type Found<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

/// Which bodies are queried, and when.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct Query {
    world: Py<World>,
    at: Option<f64>,
    filter: Option<(u64, u64)>,
    ignoring: Vec<BodyId>,
}

impl Query {
    /// Asks a query of the world.
    fn ask<T: Send>(&self, py: Python<'_>, ask: impl FnOnce(SpatialQuery<'_>) -> T + Send) -> PyResult<T> {
        let mut state = self.world.get().lock()?;
        let world = &*state.get(py)?;
        let (at, filter) = (self.at, self.filter);
        let asked = py.detach(|| {
            let mut query = world.query().ignoring(&self.ignoring);
            if let Some((category, mask)) = filter {
                query = query.filter(Filter::new(category, mask));
            }
            if let Some(time) = at {
                query = query.at(time)?;
            }
            Ok::<_, kinetree::WorldError>(ask(query))
        });
        asked.map_err(raised)
    }

    fn body(&self, id: BodyId) -> Body {
        self.world.get().body(id)
    }
}

#[pymethods]
impl Query {
    #[new]
    fn new(world: Py<World>, at: Option<f64>, filter: Option<(u64, u64)>, ignoring: Vec<Body>) -> PyResult<Self> {
        let ignoring = ignoring.into_iter().map(|body| world.get().id(body)).collect::<PyResult<_>>()?;
        Ok(Self { world, at, filter, ignoring })
    }

    fn cast_ray(&self, py: Python<'_>, origin: [f64; 3], direction: [f64; 3], reach: f64) -> PyResult<Option<HitRow>> {
        let hit = self.ask(py, |query| query.cast_ray(origin, direction, reach))?;
        Ok(hit.map(|hit| (self.body(hit.body), hit.triangle, hit.distance, hit.point, hit.normal, hit.barycentric)))
    }

    fn cast_sphere(
        &self,
        py: Python<'_>,
        origin: [f64; 3],
        radius: f64,
        direction: [f64; 3],
        reach: f64,
    ) -> PyResult<Option<HitRow>> {
        let hit = self.ask(py, |query| query.cast_sphere(origin, radius, direction, reach))?;
        Ok(hit.map(|hit| (self.body(hit.body), hit.triangle, hit.distance, hit.point, hit.normal, hit.barycentric)))
    }

    fn nearest_point(&self, py: Python<'_>, point: [f64; 3], reach: f64) -> PyResult<Option<HitRow>> {
        let near = self.ask(py, |query| query.nearest_point(point, reach))?;
        Ok(near.map(|it| (self.body(it.body), it.triangle, it.distance, it.point, it.normal, it.barycentric)))
    }

    fn overlap_sphere<'py>(&self, py: Python<'py>, centre: [f64; 3], radius: f64) -> PyResult<Found<'py>> {
        Ok(found(py, self.ask(py, |query| query.overlap_sphere(centre, radius))?))
    }

    fn overlap_box<'py>(&self, py: Python<'py>, min: [f64; 3], max: [f64; 3]) -> PyResult<Found<'py>> {
        Ok(found(py, self.ask(py, |query| query.overlap_box(&Aabb { min, max }))?))
    }

    fn overlap_triangle<'py>(&self, py: Python<'py>, corners: [[f64; 3]; 3]) -> PyResult<Found<'py>> {
        Ok(found(py, self.ask(py, |query| query.overlap_triangle(&corners))?))
    }
}

fn found(py: Python<'_>, pairs: Vec<(kinetree::BodyId, u32)>) -> Found<'_> {
    let (bodies, triangles): (Vec<u32>, Vec<u32>) = pairs.into_iter().map(|(body, it)| (body.index(), it)).unzip();
    (bodies.into_pyarray(py), triangles.into_pyarray(py))
}

/// Three numbers a row, of rows that may have none.
pub(crate) fn vectors(py: Python<'_>, rows: impl Iterator<Item = Option<[f64; 3]>>) -> PyResult<Bound<'_, PyAny>> {
    let numbers: Vec<f64> = rows.flat_map(|row| row.unwrap_or([f64::NAN; 3])).collect();
    numbers.into_pyarray(py).call_method1("reshape", (-1, 3))
}

/// Pairs of bodies that began or ceased to touch, by column.
#[pyfunction]
pub(crate) fn body_pair_changes<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyDict>> {
    let mut state = world.lock()?;
    let changes = state.get(py)?.body_pair_changes();
    let contacts: Vec<_> = changes.iter().map(|change| change.contact).collect();
    let rows = columns(py, &contacts)?;
    let times = |end: fn(&BodyPairChange) -> f64| changes.iter().map(end).collect::<Vec<_>>().into_pyarray(py);
    let flags = |flag: fn(&BodyPairChange) -> bool| changes.iter().map(flag).collect::<Vec<_>>().into_pyarray(py);
    rows.set_item("began", flags(|change| change.is_begin))?;
    rows.set_item("time_lo", times(|change| change.time.lo))?;
    rows.set_item("time_hi", times(|change| change.time.hi))?;
    rows.set_item("undecided", flags(|change| change.undecided))?;
    rows.set_item("point", vectors(py, changes.iter().map(|change| change.touch.map(|touch| touch.point)))?)?;
    rows.set_item("normal", vectors(py, changes.iter().map(|change| change.touch.map(|touch| touch.normal)))?)?;
    Ok(rows)
}

/// Contacts that are on, with their begins, by column.
#[pyfunction]
pub(crate) fn ongoing_contacts<'py>(py: Python<'py>, world: &World) -> PyResult<Bound<'py, PyDict>> {
    let mut state = world.lock()?;
    let ongoing = state.get(py)?.ongoing_contacts();
    let contacts: Vec<_> = ongoing.iter().map(|it| it.contact).collect();
    let rows = columns(py, &contacts)?;
    rows.set_item("time_lo", ongoing.iter().map(|it| it.began.lo).collect::<Vec<_>>().into_pyarray(py))?;
    rows.set_item("time_hi", ongoing.iter().map(|it| it.began.hi).collect::<Vec<_>>().into_pyarray(py))?;
    rows.set_item("undecided", ongoing.iter().map(|it| it.undecided).collect::<Vec<_>>().into_pyarray(py))?;
    Ok(rows)
}

/// The span in which contacts may be asked for.
#[pyfunction]
pub(crate) fn certified_span(py: Python<'_>, world: &World) -> PyResult<(f64, f64)> {
    let span = world.lock()?.get(py)?.certified_span();
    Ok((span.begin, span.end))
}

/// Bodies of a pair in their order, whether they touch, whether they may, and from which distance.
#[pyfunction]
pub(crate) fn pair(py: Python<'_>, world: &World, a: Body, b: Body) -> PyResult<(Body, Body, bool, bool, f64)> {
    let mut state = world.lock()?;
    let pair = state.get(py)?.pair(world.id(a)?, world.id(b)?).map_err(raised)?;
    let [first, second] = pair.bodies().map(|id| world.body(id));
    Ok((first, second, pair.is_touching(), pair.may_touch(), pair.thickness()))
}

/// Pairs of triangles of two bodies whose boxes overlap, by column.
#[pyfunction]
pub(crate) fn candidates_between<'py>(py: Python<'py>, world: &World, a: Body, b: Body) -> PyResult<Found<'py>> {
    let (a, b, mut state) = (world.id(a)?, world.id(b)?, world.lock()?);
    let world = state.get(py)?;
    let found = py.detach(|| world.candidates_between(a, b)).map_err(raised)?;
    let (ours, theirs): (Vec<u32>, Vec<u32>) = found.into_iter().map(|it| (it.primitive_a, it.primitive_b)).unzip();
    Ok((ours.into_pyarray(py), theirs.into_pyarray(py)))
}

/// Connected regions in which two bodies touch.
#[pyfunction]
pub(crate) fn manifolds<'py>(py: Python<'py>, world: &World, a: Body, b: Body) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let (a, b, mut state) = (world.id(a)?, world.id(b)?, world.lock()?);
    let world = &*state.get(py)?;
    let found = py.detach(|| world.pair(a, b)?.manifolds()).map_err(raised)?;
    found.iter().map(|manifold| region(py, manifold)).collect()
}

fn region<'py>(py: Python<'py>, manifold: &Manifold) -> PyResult<Bound<'py, PyDict>> {
    let region = PyDict::new(py);
    let triangles: Vec<u32> = manifold.triangles.iter().flatten().copied().collect();
    region.set_item("triangles", triangles.into_pyarray(py).call_method1("reshape", (-1, 2))?)?;
    region.set_item("normal", manifold.normal)?;
    let measure = manifold.measure.as_ref();
    region.set_item("depth", measure.and_then(|measure| measure.depth).map(|depth| depth.lo))?;
    region.set_item("length", measure.map_or(0.0, |measure| measure.length))?;
    region.set_item("area", measure.map_or(0.0, |measure| measure.area))?;
    region.set_item("overlap", measure.map_or(0.0, |measure| measure.overlap))?;
    region.set_item("centre", measure.map(|measure| measure.centre))?;
    let all = &manifold.points;
    let kind = |point: &ManifoldPoint| match point.kind {
        PointKind::Inside { .. } => 0_u8,
        PointKind::Crossing => 1,
        _ => 2,
    };
    region.set_item("kind", all.iter().map(kind).collect::<Vec<_>>().into_pyarray(py))?;
    region.set_item("point_a", vectors(py, all.iter().map(|point| Some(point.points[0])))?)?;
    region.set_item("point_b", vectors(py, all.iter().map(|point| Some(point.points[1])))?)?;
    region.set_item("point_normal", vectors(py, all.iter().map(|point| point.normal))?)?;
    region.set_item("distance", all.iter().map(|point| point.distance).collect::<Vec<_>>().into_pyarray(py))?;
    let side = |side: usize| all.iter().map(|point| point.triangles[side]).collect::<Vec<_>>().into_pyarray(py);
    region.set_item("triangle_a", side(0))?;
    region.set_item("triangle_b", side(1))?;
    Ok(region)
}
