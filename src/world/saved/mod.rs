//! Worlds in bytes, little-endian; docs/formats/world.md has them for users.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `KTWD` |
//! | 2, 2 | version; 0 |
//! | 8 | length of what follows the checksum |
//! | 8 | checksum of what follows |
//! | | the version of the library, bodies with samplers, the world, in the coding of the crate `postcard` |
//!
//! The layout is that of the structures in memory: whatever decides the future is written as it is,
//! and what several of them share once (`crate::saved`). So a file is read by the version of the
//! library that wrote it, and by no other. [`VERSION`] changes with any structure that is written;
//! a test compares a pinned file.

mod error;

use std::sync::Arc;

pub use error::{LoadError, SaveError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bvh::BoundedSampler;
use crate::bytes::{Fingerprint, Reader};
use crate::id::BodyId;
use crate::kinetic::event::Ticket;
use crate::motion::{Sampler, sampler_fingerprint};
use crate::saved::{self, GivenSampler};
use crate::world::World;
use crate::world::body::Body;
use crate::world::def::WorldDef;

const MAGIC: [u8; 4] = *b"KTWD";
const VERSION: u16 = 15;
const HEADER: usize = 24;

/// A body of a saved world whose motion is a sampler's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SampledBody {
    /// Its id, in the saved world and in the one that is loaded.
    pub id: BodyId,
    /// Its name.
    pub name: String,
    /// The number of its vertices.
    pub vertex_count: usize,
    /// Whether its tree is made of the boxes of a [`BoundedSampler`].
    pub is_bounded: bool,
}

/// The motion of a body as the host has it: what [`World::from_bytes`] asks for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HostSampler {
    /// A motion, as given by [`Flightplan::sampled`](crate::Flightplan::sampled).
    Motion(Arc<dyn Sampler>),
    /// A motion with bounds, as given by [`BodyDef::bounded`](crate::BodyDef::bounded) or
    /// [`World::set_bounded_flightplan`].
    Bounded(Arc<dyn BoundedSampler>),
}

impl From<Arc<dyn Sampler>> for HostSampler {
    fn from(sampler: Arc<dyn Sampler>) -> Self {
        Self::Motion(sampler)
    }
}

impl From<Arc<dyn BoundedSampler>> for HostSampler {
    fn from(sampler: Arc<dyn BoundedSampler>) -> Self {
        Self::Bounded(sampler)
    }
}

/// A sampler of the world being saved.
struct Used {
    address: usize,
    /// The first body that it moves.
    body: SampledBody,
    fingerprint: u64,
}

impl World {
    /// The world as bytes, for a file: all that decides its future, from which
    /// [`World::from_bytes`] makes it again.
    ///
    /// Meshes, motions, trees, lists, the queue and contacts are included, with the log as far as
    /// it is kept. Motions by samplers are not, as they are code of the host; it gives them again.
    /// O(memory of the world).
    ///
    /// # Errors
    /// [`SaveError::ScheduledSampler`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::World;
    ///
    /// world.advance_to(0.5)?;
    /// let bytes = world.to_bytes()?; // For `std::fs::write`.
    /// let mut again = World::from_bytes(&bytes, |_| None)?;
    /// world.advance_to(1.0)?;
    /// again.advance_to(1.0)?;
    /// assert_eq!((again.contacts(), again.log().hash()), (world.contacts(), world.log().hash()));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        if let Some((body, time)) = self.clock.schedule.first_sampled() {
            let body = self.bodies.get(body).map_or_else(String::new, |body| body.name.clone());
            return Err(SaveError::ScheduledSampler { body, time });
        }
        let used = self.samplers();
        let mut out = vec![0; HEADER];
        out = appended(out, env!("CARGO_PKG_VERSION"))?;
        let listed: Vec<_> = used.iter().map(|used| (&used.body, used.fingerprint)).collect();
        out = appended(out, &listed)?;
        out = saved::saving(used.iter().map(|used| used.address), || appended(out, self))?;
        let (length, sum) = ((out.len() - HEADER) as u64, Fingerprint::of(&out[HEADER..]));
        out[..4].copy_from_slice(&MAGIC);
        out[4..6].copy_from_slice(&VERSION.to_le_bytes());
        out[8..16].copy_from_slice(&length.to_le_bytes());
        out[16..24].copy_from_slice(&sum.to_le_bytes());
        Ok(out)
    }

    /// The world that [`World::to_bytes`] wrote, with its ids. It has the future of that world, bit
    /// for bit: the same contacts, changes, events and hash of the log, whatever the host changes
    /// from there on.
    ///
    /// `sampler` is asked for the motion of each body whose motion is a sampler's, in the order of
    /// their ids; of bodies that share one, for the first. It must be the motion of the saved body;
    /// keys, bounds, and positions at the first and the last key are compared, or its own
    /// [fingerprint](Sampler::fingerprint).
    ///
    /// O(bytes), and memory in proportion. Damaged bytes are refused. Bytes that were forged, with
    /// a checksum that matches, may be read as a world that panics when it is used: they are to
    /// come from where programs come from.
    ///
    /// # Errors
    /// Bytes that are no world, of another version, truncated, extended or changed; a sampler that
    /// is missing, without bounds or another one: errors name the body.
    ///
    /// ```
    /// # let (world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::World;
    ///
    /// let bytes = world.to_bytes()?;
    /// let again = World::from_bytes(&bytes, |_| None)?; // No body is moved by a sampler.
    /// assert_eq!(again.positions(ball)?, world.positions(ball)?);
    /// assert!(World::from_bytes(&bytes[..100], |_| None).is_err()); // The end is missing.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn from_bytes(
        bytes: &[u8],
        mut sampler: impl FnMut(&SampledBody) -> Option<HostSampler>,
    ) -> Result<Self, LoadError> {
        let mut rest = payload(bytes)?;
        let (program, expected): (String, _) = (taken(&mut rest)?, env!("CARGO_PKG_VERSION"));
        if program != expected {
            return Err(LoadError::Program { found: program, expected: expected.to_owned() });
        }
        let listed: Vec<(SampledBody, u64)> = taken(&mut rest)?;
        let given = listed.iter().map(|(body, fingerprint)| given(body, *fingerprint, sampler(body)));
        let given = given.collect::<Result<Vec<_>, _>>()?;
        let mut world: Self = saved::loading(given, || taken(&mut rest))?;
        if !rest.is_empty() {
            return Err(LoadError::Part { message: format!("{} bytes are left over", rest.len()) });
        }
        if let Some((_, body)) = world.bodies.iter().find(|(_, body)| !body.has_room_for_all()) {
            let message = format!("body '{}' has another number of vertices than its motion", body.name);
            return Err(LoadError::Part { message });
        }
        if let Some((number, _)) = world.pairs.iter().find(|(_, pair)| !world.bodies.are_there(pair.a, pair.b)) {
            return Err(LoadError::Part { message: format!("pair {number} is of bodies that are not there") });
        }
        world.name_owners();
        world.note_ends();
        Ok(world)
    }

    /// Notes when windows and epochs end, which the queue holds: what they bring is prepared
    /// before.
    fn note_ends(&mut self) {
        let queue = &self.clock.queue;
        let moment_of = |ticket: Ticket| (ticket.is_some() && queue.contains(ticket)).then(|| queue.get(ticket).moment);
        let windows = self
            .pairs
            .iter()
            .filter_map(|(number, pair)| Some((number, moment_of(pair.continuous.as_ref()?.window)?.time())));
        let windows: Vec<(u32, f64)> = windows.collect();
        let epochs = self.bodies.iter().filter_map(|(id, body)| Some((id.index(), moment_of(body.epoch.renewal)?)));
        let epochs: Vec<_> = epochs.collect();
        windows.into_iter().for_each(|(number, end)| self.pairs.windows.set(number, end));
        self.bodies.renewals.extend(epochs);
    }

    /// Tells the log the ids of all bodies and pairs, which are not saved with it.
    fn name_owners(&mut self) {
        self.bodies.iter().for_each(|(id, _)| self.clock.log.name_body(id));
        for (number, pair) in self.pairs.iter() {
            self.clock.log.name_pair(number, [pair.a, pair.b].map(|body| self.bodies.id_at(body)));
        }
    }

    /// The definition of an empty world that is like this one, and begins now.
    pub(crate) fn definition(&self) -> WorldDef {
        WorldDef {
            start: self.time(),
            engine: self.engine,
            contacts: self.contact_mode,
            keep_events: self.log().events().is_some(),
            limits: self.limits,
            idle_trees: false,
        }
    }

    /// The name of the first body that moves by a sampler, be it but for one vertex.
    pub(crate) fn first_sampled(&self) -> Option<String> {
        self.bodies.iter().find(|(_, body)| body.motion.any_sampler().is_some()).map(|(_, body)| body.name.clone())
    }

    /// The samplers of all bodies, each once.
    fn samplers(&self) -> Vec<Used> {
        let mut used: Vec<Used> = Vec::new();
        for (id, body) in self.bodies.iter() {
            let Some(sampler) = body.motion.any_sampler() else { continue };
            let (address, is_bounded) = (Arc::as_ptr(sampler).cast::<()>() as usize, body.has_keyed_boxes());
            if let Some(known) = used.iter_mut().find(|used| used.address == address) {
                known.body.is_bounded |= is_bounded;
                continue;
            }
            let (name, vertex_count) = (body.name.clone(), sampler.vertex_count());
            let body = SampledBody { id, name, vertex_count, is_bounded };
            used.push(Used { address, body, fingerprint: sampler_fingerprint(&**sampler) });
        }
        used
    }
}

impl Body {
    /// Whether its tables have room for all of its vertices.
    fn has_room_for_all(&self) -> bool {
        self.snapshot.vertex_count() == self.motion.vertex_count()
    }
}

/// Writes a value behind others.
fn appended<T: Serialize + ?Sized>(out: Vec<u8>, value: &T) -> Result<Vec<u8>, SaveError> {
    postcard::to_extend(value, out).map_err(|error| SaveError::Part { message: error.to_string() })
}

/// Reads the next value.
fn taken<T: DeserializeOwned>(rest: &mut &[u8]) -> Result<T, LoadError> {
    let read = postcard::take_from_bytes(rest).map_err(|error| LoadError::Part { message: error.to_string() });
    let (value, left) = read?;
    *rest = left;
    Ok(value)
}

/// What follows the header, if all of it is as it was written.
fn payload(bytes: &[u8]) -> Result<&[u8], LoadError> {
    let found = bytes.len() as u64;
    let mut reader = Reader::new(bytes);
    if reader.take(4) != Some(&MAGIC[..]) {
        return Err(LoadError::NotWorld);
    }
    let cut = || LoadError::Length { expected: HEADER as u64, found };
    let (version, zero) = (reader.short().ok_or_else(cut)?, reader.short().ok_or_else(cut)?);
    if (version, zero) != (VERSION, 0) {
        return Err(LoadError::Version { found: version, expected: VERSION });
    }
    let (length, sum) = (reader.long().ok_or_else(cut)?, reader.long().ok_or_else(cut)?);
    if length != reader.left() as u64 {
        return Err(LoadError::Length { expected: length.saturating_add(HEADER as u64), found });
    }
    let payload = &bytes[HEADER..];
    if sum == Fingerprint::of(payload) { Ok(payload) } else { Err(LoadError::Checksum) }
}

/// A sampler that the host gave, if it is that of a body.
fn given(body: &SampledBody, fingerprint: u64, sampler: Option<HostSampler>) -> Result<GivenSampler, LoadError> {
    let name = || body.name.clone();
    let (motion, bounded): (Arc<dyn Sampler>, _) = match sampler {
        None => return Err(LoadError::NoSampler { body: name() }),
        Some(HostSampler::Motion(_)) if body.is_bounded => return Err(LoadError::NotBounded { body: name() }),
        Some(HostSampler::Motion(motion)) => (motion, None),
        Some(HostSampler::Bounded(bounded)) => (Arc::<dyn BoundedSampler>::clone(&bounded), Some(bounded)),
    };
    if motion.vertex_count() != body.vertex_count || sampler_fingerprint(&*motion) != fingerprint {
        return Err(LoadError::OtherSampler { body: name() });
    }
    Ok(GivenSampler { motion: Box::new(motion), bounded: bounded.map(|bounded| Box::new(bounded) as _) })
}
