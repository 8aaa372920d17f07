//! Trials: proposed positions at a time to come.

use std::sync::{Mutex, MutexGuard};

use kinetree::{BodyId, Trial as WorldTrial, TrialContact, TrialError};
use numpy::{IntoPyArray, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::rows;
use crate::errors::{raised, refused};
use crate::queries::vectors;
use crate::world::{Body, State, World, columns, locked};

/// Proposed positions of some bodies at a time to come; `kinetree.Trial` wraps it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct Trial {
    world: Py<World>,
    end: f64,
    proposal: Mutex<Proposal>,
}

/// What is proposed, and what was found out about it.
struct Proposal {
    /// The version of the world that it is of.
    version: u64,
    moves: Vec<(BodyId, Vec<[f32; 3]>)>,
    distance: Option<f64>,
    found: Option<Vec<TrialContact>>,
    is_over: bool,
}

impl Trial {
    fn lock(&self) -> PyResult<MutexGuard<'_, Proposal>> {
        locked(&self.proposal, "the trial")
    }

    /// Does something with the trial of the world.
    fn of_world<T: Send>(
        &self,
        py: Python<'_>,
        proposal: &Proposal,
        act: impl FnOnce(WorldTrial<'_>) -> Result<T, kinetree::Error> + Send,
    ) -> PyResult<T> {
        let mut state = self.world.get().lock()?;
        proposal.check(py, &mut state)?;
        let world = state.get(py)?;
        let (moves, end, distance) = (&proposal.moves, self.end, proposal.distance);
        let done = py.detach(|| {
            let moves: Vec<_> = moves.iter().map(|(body, positions)| (*body, &positions[..])).collect();
            let mut trial = world.trial_of(&moves, end)?;
            trial.set_distance(distance)?;
            act(trial)
        });
        done.map_err(raised)
    }

    fn find<'a>(&self, py: Python<'_>, proposal: &'a mut Proposal) -> PyResult<&'a [TrialContact]> {
        proposal.check(py, &mut *self.world.get().lock()?)?;
        if proposal.found.is_none() {
            proposal.found = Some(self.of_world(py, proposal, |mut trial| Ok(trial.contacts()?.to_vec()))?);
        }
        Ok(proposal.found.as_deref().unwrap_or_default())
    }
}

impl Proposal {
    /// Refuses a trial of a world that is another one now.
    fn check(&self, py: Python<'_>, world: &mut State) -> PyResult<()> {
        // The version is known only when an interrupted call is over.
        world.get(py)?;
        let why = match (self.is_over, world.version == self.version) {
            (true, _) => "the trial was committed",
            (false, false) => "the world changed since the trial was made",
            (false, true) => return Ok(()),
        };
        Err(refused("Trial.WorldChanged", format!("{why}; make another one")))
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
        let of = world.get();
        let moves = moves.iter().map(|(body, positions)| Ok((of.id(*body)?, rows("positions", positions)?)));
        let moves = moves.collect::<PyResult<Vec<_>>>()?;
        let version = {
            let mut state = of.lock()?;
            state.get(py)?;
            state.version
        };
        let proposal = Mutex::new(Proposal { version, moves, distance, found: None, is_over: false });
        let trial = Self { world, end, proposal };
        trial.of_world(py, &*trial.lock()?, |_| Ok(()))?;
        Ok(trial)
    }

    #[getter]
    fn end(&self) -> f64 {
        self.end
    }

    /// The part of the trial, 0 to 1, before which nothing begins to touch.
    fn step_size(&self, py: Python<'_>) -> PyResult<f64> {
        let mut proposal = self.lock()?;
        let begins = self.find(py, &mut proposal)?.iter().filter(|contact| !contact.touches_at_start);
        Ok(begins.map(|contact| contact.fraction).fold(1.0, f64::min))
    }

    /// All contacts of the trial, by column; an end that is not in the trial is NaN.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut proposal = self.lock()?;
        let all = self.find(py, &mut proposal)?;
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
    fn correct(&self, py: Python<'_>, body: Body, positions: PyReadonlyArrayDyn<'_, f32>) -> PyResult<()> {
        let (id, positions): (_, Vec<[f32; 3]>) = (self.world.get().id(body)?, rows("positions", &positions)?);
        let mut proposal = self.lock()?;
        self.of_world(py, &proposal, |mut trial| Ok(trial.correct(id, &positions)?))?;
        let place = proposal.moves.iter().position(|(moved, _)| *moved == id);
        let missing = || raised(TrialError::NoBodies);
        proposal.moves[place.ok_or_else(missing)?].1 = positions;
        proposal.found = None;
        Ok(())
    }

    /// Counts triangles as touching from a distance; `None` for the world's thicknesses.
    fn set_distance(&self, py: Python<'_>, distance: Option<f64>) -> PyResult<()> {
        let mut proposal = self.lock()?;
        self.of_world(py, &proposal, |mut trial| Ok(trial.set_distance(distance)?))?;
        (proposal.distance, proposal.found) = (distance, None);
        Ok(())
    }

    /// Makes the proposals the plans of the bodies.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        let mut proposal = self.lock()?;
        self.of_world(py, &proposal, |trial| Ok(trial.commit()?))?;
        proposal.is_over = true;
        self.world.get().lock()?.version += 1;
        Ok(())
    }
}
