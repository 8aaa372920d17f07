//! Trials: proposed positions at a time to come.

use kinetree::{Trial as WorldTrial, TrialContact, TrialError};
use numpy::{IntoPyArray, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::rows;
use crate::errors::{raised, refused};
use crate::queries::vectors;
use crate::world::{Body, World, columns};

/// Proposed positions of some bodies at a time to come; `kinetree.Trial` wraps it.
#[pyclass(module = "kinetree")]
pub(crate) struct Trial {
    world: Py<World>,
    /// The version of the world that it is of.
    version: u64,
    moves: Vec<(Body, Vec<[f32; 3]>)>,
    end: f64,
    distance: Option<f64>,
    found: Option<Vec<TrialContact>>,
    is_over: bool,
}

impl Trial {
    /// Does something with the trial of the world.
    fn of_world<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(WorldTrial<'_>) -> Result<T, kinetree::Error> + Send,
    ) -> PyResult<T> {
        self.check(py)?;
        let mut world = self.world.borrow_mut(py);
        let world = world.get(py)?;
        let (moves, end, distance) = (&self.moves, self.end, self.distance);
        let done = py.detach(|| {
            let moves: Vec<_> = moves.iter().map(|(body, positions)| (body.id, &positions[..])).collect();
            let mut trial = world.trial_of(&moves, end)?;
            trial.set_distance(distance)?;
            act(trial)
        });
        done.map_err(raised)
    }

    /// Refuses a trial of a world that is another one now.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_over && self.world.borrow(py).version == self.version {
            return Ok(());
        }
        let message = "the world changed since the trial was made, or the trial was committed; make another one";
        Err(refused("Trial.WorldChanged", message.into()))
    }

    fn find(&mut self, py: Python<'_>) -> PyResult<&[TrialContact]> {
        self.check(py)?;
        if self.found.is_none() {
            self.found = Some(self.of_world(py, |mut trial| Ok(trial.contacts()?.to_vec()))?);
        }
        Ok(self.found.as_deref().unwrap_or_default())
    }
}

#[pymethods]
impl Trial {
    #[new]
    fn new(
        py: Python<'_>,
        world: Py<World>,
        moves: Vec<(Body, PyReadonlyArrayDyn<'_, f32>)>,
        end: f64,
        distance: Option<f64>,
    ) -> PyResult<Self> {
        let moves = moves.iter().map(|(body, positions)| Ok((*body, rows("positions", positions)?)));
        let (moves, version) = (moves.collect::<PyResult<Vec<_>>>()?, world.borrow(py).version);
        let trial = Self { world, version, moves, end, distance, found: None, is_over: false };
        trial.of_world(py, |_| Ok(()))?;
        Ok(trial)
    }

    #[getter]
    fn end(&self) -> f64 {
        self.end
    }

    /// The part of the trial, 0 to 1, before which nothing begins to touch.
    fn step_size(&mut self, py: Python<'_>) -> PyResult<f64> {
        let begins = self.find(py)?.iter().filter(|contact| !contact.touches_at_start);
        Ok(begins.map(|contact| contact.fraction).fold(1.0, f64::min))
    }

    /// All contacts of the trial, by column; an end that is not in the trial is NaN.
    fn contacts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.find(py)?;
        let contacts: Vec<_> = all.iter().map(|it| it.contact).collect();
        let rows = columns(py, &contacts)?;
        let number = |number: fn(&TrialContact) -> f64| all.iter().map(number).collect::<Vec<_>>().into_pyarray(py);
        let flag = |flag: fn(&TrialContact) -> bool| all.iter().map(flag).collect::<Vec<_>>().into_pyarray(py);
        rows.set_item("begin_lo", number(|it| it.begin.lo))?;
        rows.set_item("begin_hi", number(|it| it.begin.hi))?;
        rows.set_item("end_lo", number(|it| it.end.map_or(f64::NAN, |end| end.lo)))?;
        rows.set_item("end_hi", number(|it| it.end.map_or(f64::NAN, |end| end.hi)))?;
        rows.set_item("fraction", number(|it| it.fraction))?;
        rows.set_item("touches_at_start", flag(|it| it.touches_at_start))?;
        rows.set_item("undecided", flag(|it| it.undecided))?;
        rows.set_item("point", vectors(py, all.iter().map(|it| Some(it.touch.point)))?)?;
        rows.set_item("normal", vectors(py, all.iter().map(|it| Some(it.touch.normal)))?)?;
        Ok(rows)
    }

    /// Replaces the proposed positions of a body of the trial.
    fn correct(&mut self, py: Python<'_>, body: Body, positions: PyReadonlyArrayDyn<'_, f32>) -> PyResult<()> {
        let positions: Vec<[f32; 3]> = rows("positions", &positions)?;
        self.of_world(py, |mut trial| Ok(trial.correct(body.id, &positions)?))?;
        let place = self.moves.iter().position(|(moved, _)| *moved == body);
        let missing = || raised(TrialError::NoBodies);
        self.moves[place.ok_or_else(missing)?].1 = positions;
        self.found = None;
        Ok(())
    }

    /// Counts triangles as touching from a distance; `None` for the world's thicknesses.
    fn set_distance(&mut self, py: Python<'_>, distance: Option<f64>) -> PyResult<()> {
        self.of_world(py, |mut trial| Ok(trial.set_distance(distance)?))?;
        (self.distance, self.found) = (distance, None);
        Ok(())
    }

    /// Makes the proposals the plans of the bodies.
    fn commit(&mut self, py: Python<'_>) -> PyResult<()> {
        self.of_world(py, |trial| Ok(trial.commit()?))?;
        self.is_over = true;
        self.world.borrow_mut(py).version += 1;
        Ok(())
    }
}
