//! Recordings of worlds, and what saving worlds takes.
//!
//! A recording holds the definition, every call that changed the world, and hashes of the state
//! in between. A recording is a test case: it runs again anywhere, and tells where it differs.
//!
//! ```text
//! host ─► RecordingWorld ─► World                    recorded: call, outcome, state
//!              └─► file ─► Recording::replay ─► World, and the first Divergence
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `mod` | [`Recording`]: what is read from a file |
//! | `call` | [`Call`]: the calls that change a world, and how each is carried out |
//! | `recorder` | [`RecordingWorld`]: a world whose changes are written down |
//! | `compare` | outcomes and states of two runs; [`Divergence`] |
//! | `file` | the bytes: version, frames, checksums |
//! | `error` | refusals |

mod call;
mod compare;
mod error;
mod file;
mod recorder;

pub use call::Call;
pub use compare::{Difference, Divergence, StateHash};
pub use error::{RecordError, RecordingError};
pub use recorder::RecordingWorld;

pub use crate::world::{HostSampler, LoadError, SampledBody, SaveError};

use crate::world::{Snapshot, World, WorldDef};
use compare::Outcome;

/// A world's definition, and the calls that changed it, in their order. Read from a file that a
/// [`RecordingWorld`] wrote.
///
/// ```
/// use kinetree::replay::{Recording, RecordingWorld};
/// use kinetree::{BodyDef, Flightplan, Mesh, WorldDef};
///
/// let mut file = Vec::new(); // Any `std::io::Write`.
/// let mut world = RecordingWorld::new(WorldDef::new(), &mut file)?;
/// world.add_body(BodyDef::new(Mesh::points(1)?, Flightplan::fixed(vec![[0.0; 3]])))?;
/// world.advance_to(1.0)?;
/// world.finish()?;
///
/// let replayed = Recording::from_bytes(&file)?.replay()?;
/// assert_eq!((replayed.calls, replayed.divergence), (2, None));
/// # Ok::<(), kinetree::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    program: String,
    def: WorldDef,
    /// The world with which it begins, if that is not a new one.
    begin: Option<Snapshot>,
    steps: Vec<Step>,
    is_finished: bool,
}

/// A call, and what came of it.
#[derive(Clone, Debug)]
struct Step {
    call: Call,
    /// None if the program ended within the call.
    outcome: Option<Outcome>,
    /// The state after the call, where it was written down.
    state: Option<StateHash>,
}

/// A recording that ran again.
#[derive(Debug)]
#[non_exhaustive]
pub struct Replayed {
    /// The world after the last call that ran.
    pub world: World,
    /// The calls that ran, the one that differs included.
    pub calls: usize,
    /// The first difference from the recording; none if there is no difference.
    pub divergence: Option<Divergence>,
}

impl Recording {
    /// The calls, in their order.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = &Call> {
        self.steps.iter().map(|step| &step.call)
    }

    /// The definition of the world; of one that went on ([`RecordingWorld::from_world`]), as it was
    /// when the recording began.
    pub fn definition(&self) -> WorldDef {
        self.def
    }

    /// The version of the library that wrote the recording.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Whether the host ended the recording by [`RecordingWorld::finish`] or
    /// [`RecordingWorld::into_world`]. Only [`Recording::from_unfinished`] reads others.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Runs all calls on a new world, up to the first one whose outcome or state differs.
    ///
    /// O(calls). A call that panics panics here too.
    ///
    /// # Errors
    /// [`RecordingError::World`] if the definition of the world is refused.
    pub fn replay(&self) -> Result<Replayed, RecordingError> {
        self.replay_first(self.steps.len())
    }

    /// As [`Recording::replay`], up to `count` calls: the world before a failing call.
    ///
    /// # Errors
    /// As [`Recording::replay`].
    pub fn replay_first(&self, count: usize) -> Result<Replayed, RecordingError> {
        let mut world = match &self.begin {
            Some(snapshot) => World::restore(snapshot),
            None => World::new(self.def)?,
        };
        for (number, step) in self.steps.iter().take(count).enumerate() {
            let time = world.time();
            let found = Outcome::of(step.call.clone().run(&mut world, step.outcome.as_ref()));
            if let Some(what) = step.difference(&found, &world) {
                let divergence = Divergence { call: number, name: step.call.name(), time, what };
                return Ok(Replayed { world, calls: number + 1, divergence: Some(divergence) });
            }
        }
        Ok(Replayed { world, calls: self.steps.len().min(count), divergence: None })
    }
}

impl Step {
    /// What differs from the recording after the call ran; none if nothing does.
    fn difference(&self, found: &Outcome, world: &World) -> Option<Difference> {
        let outcome = self.outcome.as_ref().and_then(|recorded| recorded.difference(found));
        outcome.or_else(|| self.state.as_ref()?.difference(&StateHash::of(world)))
    }
}
