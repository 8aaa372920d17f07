//! A world whose changes are written down.

use std::io::Write;
use std::ops::Deref;
use std::sync::Arc;

use super::call::Call;
use super::compare::{Outcome, Refused, Returned, StateHash};
use super::error::RecordError;
use super::file::{Frame, FrameWriter};
use crate::baked::BakedClip;
use crate::bvh::BoundedSampler;
use crate::cancel::Cancel;
use crate::id::BodyId;
use crate::kinetic::event::LoggedEvent;
use crate::motion::{Flightplan, VertexFlightplan};
use crate::world::{AdvanceError, BodyDef, ChangeId, Edit, Filter, Progress, World, WorldDef, WorldError, WorldLimits};

/// A [`World`] that writes down its definition and every call that changes it. All that a world can
/// be asked is asked of it directly, by [`Deref`]; changes go through the methods here, of the same
/// names.
///
/// A call is written, and the writer flushed, before it is carried out: after a crash the file ends
/// with the call that crashed ([`Recording::from_unfinished`](super::Recording::from_unfinished)).
/// A writer with a buffer ([`std::io::BufWriter`]) is worth having: a frame has three parts.
///
/// Motions by samplers of the host cannot be recorded, and are refused.
#[derive(Debug)]
pub struct RecordingWorld<W: Write> {
    world: World,
    writer: FrameWriter<W>,
    calls: u64,
    states_every: u64,
    /// Why nothing more can be written.
    failed: Option<RecordError>,
}

impl<W: Write> Deref for RecordingWorld<W> {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl<W: Write> RecordingWorld<W> {
    /// An empty world, and the begin of its recording.
    ///
    /// # Errors
    /// As [`World::new`]; [`RecordError::Write`].
    pub fn new(def: WorldDef, writer: W) -> Result<Self, RecordError> {
        let world = World::new(def)?;
        let mut writer = FrameWriter::new(writer)?;
        writer.write(&Frame::Begin { program: env!("CARGO_PKG_VERSION").to_owned(), def })?;
        Ok(Self { world, writer, calls: 0, states_every: 1, failed: None })
    }

    /// A world that goes on, and the begin of its recording: the world as it is, in bytes. A host
    /// that runs for hours so records its last minutes.
    ///
    /// Such a recording is read by the version of the library that wrote it, see
    /// [`World::from_bytes`]. O(memory of the world).
    ///
    /// # Errors
    /// [`RecordError::Sampler`] if a body of the world moves by a sampler; [`RecordError::Save`],
    /// [`RecordError::TooLarge`], [`RecordError::Write`]. The world is lost then: a host that needs
    /// it keeps a clone.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::replay::{Recording, RecordingWorld};
    ///
    /// world.advance_to(0.5)?; // Of hours.
    /// let mut file = Vec::new(); // Any `std::io::Write`.
    /// let mut world = RecordingWorld::from_world(world, &mut file)?;
    /// world.advance_to(1.0)?;
    /// world.finish()?;
    /// let replayed = Recording::from_bytes(&file)?.replay()?;
    /// assert_eq!((replayed.calls, replayed.divergence), (1, None));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn from_world(world: World, writer: W) -> Result<Self, RecordError> {
        if let Some(body) = world.first_sampled() {
            return Err(RecordError::Sampler { body });
        }
        let frame = Frame::World { bytes: world.to_bytes()? };
        let mut writer = FrameWriter::new(writer)?;
        writer.write(&Frame::Begin { program: env!("CARGO_PKG_VERSION").to_owned(), def: world.definition() })?;
        writer.write(&frame)?;
        Ok(Self { world, writer, calls: 0, states_every: 1, failed: None })
    }

    /// Writes hashes of contacts and log after every `calls` calls; 1 at first, and 0 counts as 1.
    /// A hash takes O(contacts) time. A replay finds a difference at the next of them.
    #[must_use]
    pub fn states_every(mut self, calls: u64) -> Self {
        self.states_every = calls.max(1);
        self
    }

    /// Ends the recording; returns the world, which goes on without.
    ///
    /// # Errors
    /// [`RecordError::Write`] if the recording is not whole; the world is lost then, unlike with
    /// [`RecordingWorld::into_world`].
    pub fn finish(self) -> Result<World, RecordError> {
        let (world, outcome) = self.into_world();
        outcome.map(|()| world)
    }

    /// Ends the recording; returns the world, and whether the recording is whole.
    pub fn into_world(mut self) -> (World, Result<(), RecordError>) {
        let outcome = match self.failed.take() {
            Some(error) => Err(error),
            None => self.writer.write(&Frame::End { calls: self.calls }),
        };
        (self.world, outcome)
    }

    /// Writes a call down, carries it out, and writes down what came of it.
    fn record<T, E>(&mut self, call: Call, run: impl FnOnce(&mut World) -> Result<T, E>) -> Result<T, RecordError>
    where
        T: Copy + Into<Returned>,
        E: Clone + Into<Refused> + Into<RecordError>,
    {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if let Some(body) = call.sampled(&self.world) {
            return Err(RecordError::Sampler { body });
        }
        self.write(&Frame::Call(call))?;
        self.calls += 1;
        let result = run(&mut self.world);
        let known = result.as_ref().map(|&returned| returned.into()).map_err(|error| error.clone().into());
        // The call is done: an error of the writer is told by the next one.
        let _ = self.write_outcome(&Outcome::of(known.map_err(|refused: Refused| refused)));
        result.map_err(Into::into)
    }

    fn write_outcome(&mut self, outcome: &Outcome) -> Result<(), RecordError> {
        self.write(&Frame::Outcome(outcome.clone()))?;
        if self.calls.is_multiple_of(self.states_every) {
            self.write(&Frame::State(StateHash::of(&self.world)))?;
        }
        Ok(())
    }

    /// Writes a frame; after a failure within one, nothing more.
    fn write(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let outcome = self.writer.write(frame);
        if let Err(error @ RecordError::Write { .. }) = &outcome {
            self.failed = Some(error.clone());
        }
        outcome
    }
}

impl<W: Write> RecordingWorld<W> {
    /// [`World::drain_log`], which is not written down: a replay does not depend on it.
    pub fn drain_log(&mut self) -> Vec<LoggedEvent> {
        self.world.drain_log()
    }
}

/// The calls. Each is that of [`World`] of the same name, and returns its errors, or
/// [`RecordError`]'s own; the world is then unchanged.
#[allow(clippy::missing_errors_doc, reason = "told above for all")]
impl<W: Write> RecordingWorld<W> {
    /// [`World::advance_to`].
    pub fn advance_to(&mut self, time: f64) -> Result<(), RecordError> {
        self.record(Call::AdvanceTo { time }, |world| world.advance_to(time))
    }

    /// [`World::seek`].
    pub fn seek(&mut self, time: f64) -> Result<(), RecordError> {
        self.record(Call::Seek { time }, |world| world.seek(time))
    }

    /// [`World::add_body`]. A body that moves by a sampler is refused.
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyId, RecordError> {
        self.record(Call::AddBody { def: Box::new(def.clone()) }, |world| world.add_body(def))
    }

    /// [`World::remove_body`].
    pub fn remove_body(&mut self, body: BodyId) -> Result<(), RecordError> {
        self.record(Call::RemoveBody { body }, |world| world.remove_body(body))
    }

    /// [`World::set_flightplan`].
    pub fn set_flightplan(&mut self, body: BodyId, plan: Flightplan) -> Result<(), RecordError> {
        let call = Call::SetFlightplan { body, plan: plan.clone() };
        self.record(call, |world| world.set_flightplan(body, plan))
    }

    /// [`World::set_bounded_flightplan`]: always refused, as the motion is that of a sampler.
    pub fn set_bounded_flightplan(
        &mut self,
        body: BodyId,
        _sampler: Arc<dyn BoundedSampler>,
    ) -> Result<(), RecordError> {
        Err(RecordError::Sampler { body: self.world.name(body)?.to_owned() })
    }

    /// [`World::set_vertex_flightplans`].
    pub fn set_vertex_flightplans(
        &mut self,
        body: BodyId,
        plans: &[(u32, VertexFlightplan)],
    ) -> Result<(), RecordError> {
        let call = Call::SetVertexFlightplans { body, plans: plans.to_vec() };
        self.record(call, |world| world.set_vertex_flightplans(body, plans))
    }

    /// [`World::extend_flightplan`].
    pub fn extend_flightplan(
        &mut self,
        body: BodyId,
        key_time: f64,
        positions: &[[f32; 3]],
    ) -> Result<(), RecordError> {
        let call = Call::ExtendFlightplan { body, key_time, positions: positions.to_vec() };
        self.record(call, |world| world.extend_flightplan(body, key_time, positions))
    }

    /// [`World::schedule_flightplan`].
    pub fn schedule_flightplan(&mut self, body: BodyId, at: f64, plan: Flightplan) -> Result<ChangeId, RecordError> {
        let call = Call::ScheduleFlightplan { body, at, plan: plan.clone() };
        self.record(call, |world| world.schedule_flightplan(body, at, plan))
    }

    /// [`World::schedule_vertex_flightplans`].
    pub fn schedule_vertex_flightplans(
        &mut self,
        body: BodyId,
        at: f64,
        plans: &[(u32, VertexFlightplan)],
    ) -> Result<ChangeId, RecordError> {
        let call = Call::ScheduleVertexFlightplans { body, at, plans: plans.to_vec() };
        self.record(call, |world| world.schedule_vertex_flightplans(body, at, plans))
    }

    /// [`World::cancel_change`]; also returns an error of the recording.
    pub fn cancel_change(&mut self, change: ChangeId) -> Result<bool, RecordError> {
        self.record(Call::CancelChange { change }, |world| Ok::<_, WorldError>(world.cancel_change(change)))
    }

    /// [`World::apply_edit`].
    pub fn apply_edit(&mut self, edit: Edit) -> Result<(), RecordError> {
        self.record(Call::ApplyEdit { edit: edit.clone() }, |world| world.apply_edit(edit))
    }

    /// [`World::set_pair_watched`].
    pub fn set_pair_watched(&mut self, a: BodyId, b: BodyId, watched: bool) -> Result<(), RecordError> {
        self.record(Call::SetPairWatched { a, b, watched }, |world| world.set_pair_watched(a, b, watched))
    }

    /// [`World::set_pair_thickness`].
    pub fn set_pair_thickness(&mut self, a: BodyId, b: BodyId, thickness: Option<f64>) -> Result<(), RecordError> {
        self.record(Call::SetPairThickness { a, b, thickness }, |world| world.set_pair_thickness(a, b, thickness))
    }

    /// [`World::set_limits`]; also returns an error of the recording.
    pub fn set_limits(&mut self, limits: WorldLimits) -> Result<(), RecordError> {
        self.record(Call::SetLimits { limits }, |world| {
            world.set_limits(limits);
            Ok::<_, AdvanceError>(())
        })
    }

    /// [`World::set_baked`].
    pub fn set_baked(&mut self, body: BodyId, clip: Option<Arc<BakedClip>>) -> Result<(), RecordError> {
        let call = Call::SetBaked { body, clip: clip.as_deref().cloned().map(Box::new) };
        self.record(call, |world| world.set_baked(body, clip))
    }

    /// [`World::rebuild_degraded`].
    pub fn rebuild_degraded(&mut self, body: BodyId, bound: f64) -> Result<usize, RecordError> {
        self.record(Call::RebuildDegraded { body, bound }, |world| world.rebuild_degraded(body, bound))
    }

    /// [`World::set_filter`].
    pub fn set_filter(&mut self, body: BodyId, filter: Filter) -> Result<(), RecordError> {
        self.record(Call::SetFilter { body, filter }, |world| world.set_filter(body, filter))
    }

    /// [`World::set_thickness`].
    pub fn set_thickness(&mut self, body: BodyId, thickness: f64) -> Result<(), RecordError> {
        self.record(Call::SetThickness { body, thickness }, |world| world.set_thickness(body, thickness))
    }

    /// [`World::advance_to_within`].
    pub fn advance_to_within(&mut self, time: f64, budget: u64) -> Result<Progress, RecordError> {
        self.record(Call::AdvanceToWithin { time, budget }, |world| world.advance_to_within(time, budget))
    }

    /// [`World::advance_to_unless`]. An advance that was cancelled is replayed up to where it came.
    pub fn advance_to_unless(&mut self, time: f64, cancel: &Cancel) -> Result<Progress, RecordError> {
        self.record(Call::AdvanceToUnless { time }, |world| world.advance_to_unless(time, cancel))
    }
}
