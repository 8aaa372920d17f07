//! Trial steps: a solver proposes where bodies go next, learns what they would meet, corrects, and
//! commits.
//!
//! ```text
//! world.trial(body, &positions, end) ─► step_size(), contacts() ─► correct(body, &positions) ─┐
//!                                             ▲                                               │
//!                                             └───────────────────────────────────────────────┘
//!                                             └─► commit(): the proposal is the body's flightplan
//!                                             └─► drop: nothing has happened
//! ```
//!
//! A trial only reads the world; nothing of it is copied or rebuilt. It keeps boxes over the trial
//! of the bodies that move, in the shape of the trees these have already, and the exact tests over
//! time decide. No contact is missed.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | [`Trial`], [`TrialContact`] |
//! | `error` | [`TrialError`] |
//! | `proposal` | proposed positions as a motion |
//! | `sweep` | boxes of a body over the trial |
//! | `find` | pairs of bodies, nodes and triangles that come near each other |
//! | `window` | two triangles over time |

mod error;
mod find;
mod proposal;
mod sweep;
mod window;

use std::collections::{BTreeMap, BTreeSet};

use crate::id::BodyId;
use crate::limits;
use crate::math::vector::widened;
use crate::motion::Motion;
use crate::narrow::intervals::{FirstTouch, IntervalStats};
use crate::time::Span;
use crate::world::World;
use crate::world::change::bounds::NewBounds;
use crate::world::change::flightplan::layout_for;
use crate::world::contact::Contact;
use crate::world::contact::span::TimeEnclosure;
use crate::world::error::WorldError;

pub use error::TrialError;
use find::{Member, PairOf, Search, Sweeps};
use sweep::Sweep;
use window::Stay;

/// A contact of two triangles during a trial.
///
/// Triangles that touch several times during a trial have several contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TrialContact {
    /// The bodies and their triangles.
    pub contact: Contact,
    /// When the triangles begin to touch, seconds. Of a contact that holds at the start, the start.
    pub begin: TimeEnclosure,
    /// When they cease to, seconds; `None` if they touch at the end of the trial.
    pub end: Option<TimeEnclosure>,
    /// The part of the trial before the contact, 0 to 1, rounded down.
    pub fraction: f64,
    /// Whether the triangles touch at the clock's time.
    pub touches_at_start: bool,
    /// Whether contact is assumed because it could not be decided.
    pub undecided: bool,
    /// The features that touch first, or are nearest where triangles count as touching from a
    /// distance; the normal points from `a` towards the side of `b`.
    pub touch: FirstTouch,
}

impl TrialContact {
    pub(crate) fn new(contact: Contact, stay: Stay) -> Self {
        let Stay { begin, end, fraction, touches_at_start, undecided, touch, .. } = stay;
        Self { contact, begin, end, fraction, touches_at_start, undecided, touch }
    }
}

/// A body that a trial moves.
#[derive(Debug)]
struct Moved {
    /// Where it is at the clock's time, metres.
    begin: Vec<[f64; 3]>,
    motion: Motion,
    sweep: Sweep,
}

/// Proposed positions of some bodies at a time to come; see [`World::trial`].
///
/// Bodies of the trial move linearly from where they are to where they are proposed to be; all
/// others move by their flightplans. Dropping a trial discards it.
#[derive(Debug)]
#[must_use = "a trial that is dropped changes nothing"]
pub struct Trial<'w> {
    world: &'w mut World,
    span: Span,
    moved: BTreeMap<u32, Moved>,
    /// Boxes of the other bodies, made when contacts are first asked for.
    others: Sweeps,
    contacts: Option<Vec<TrialContact>>,
    /// From which distance triangles count as touching, metres, instead of what the world has.
    distance: Option<f64>,
    candidates: u64,
    stats: IntervalStats,
}

impl World {
    /// Proposes positions of a body, metres, one per vertex, at a time after the clock, seconds:
    /// the next step of a solver.
    ///
    /// The body starts where [`World::positions`] says, in `f64`; no contact of this motion is
    /// missed. Between keys these positions are rounded, so triangles that only just touch may be
    /// apart at the start of a trial. Where another body jumps at the clock's time, the trial
    /// begins after the jump.
    ///
    /// O(vertices + nodes of the body).
    ///
    /// # Errors
    /// [`TrialError::NotAfterNow`]; [`TrialError::World`] for a body that does not exist, a wrong
    /// number of positions, and positions that are not finite or too large;
    /// [`TrialError::NotOfTriangles`]; [`TrialError::ChangeScheduled`], also of another body; a
    /// body whose plan ends before the trial ([`WorldError::OutsideSpan`]). The world is never
    /// changed.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let below = [[0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0]]; // Metres; it is at 1 m.
    /// let mut trial = world.trial(ball, &below, 0.5)?;
    /// assert_eq!(trial.step_size()?, 0.5); // It meets the floor after half of the way.
    /// let above = below.map(|[x, y, _]| [x, y, 0.25]);
    /// trial.correct(ball, &above)?;
    /// assert_eq!(trial.step_size()?, 1.0);
    /// trial.commit()?;
    /// world.advance_to(0.5)?;
    /// assert_eq!(world.positions(ball)?[0], [0.0, 0.0, 0.25]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn trial(&mut self, body: BodyId, positions: &[[f32; 3]], end: f64) -> Result<Trial<'_>, TrialError> {
        self.trial_of(&[(body, positions)], end)
    }

    /// Proposes positions of several bodies at once; as [`World::trial`] otherwise.
    ///
    /// # Errors
    /// As [`World::trial`], and [`TrialError::NoBodies`] or [`TrialError::BodyTwice`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let below = [[0.0, 0.0, -0.5], [1.0, 0.0, -0.5], [0.0, 1.0, -0.5]];
    /// let lower = below.map(|[x, y, z]| [x, y, z - 1.0]);
    /// // The floor falls away from the ball.
    /// let mut trial = world.trial_of(&[(ball, &below[..]), (floor, &lower[..])], 0.5)?;
    /// assert!(trial.contacts()?.is_empty());
    /// trial.commit()?;
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn trial_of(&mut self, moves: &[(BodyId, &[[f32; 3]])], end: f64) -> Result<Trial<'_>, TrialError> {
        let now = self.clock.now.time();
        if !(end.abs() <= limits::MAX_TIME) {
            return Err(WorldError::BadTime { time: end }.into());
        }
        if end <= now {
            return Err(TrialError::NotAfterNow { now, end });
        }
        if moves.is_empty() {
            return Err(TrialError::NoBodies);
        }
        self.check_plans_until(end)?;
        let span = Span { begin: now, end };
        let mut moved = BTreeMap::new();
        for &(id, positions) in moves {
            let body = self.bodies.find(id)?;
            if body.shape.patches.is_some() || body.is_of_spheres() {
                return Err(TrialError::NotOfTriangles { body: body.name.clone() });
            }
            let mut begin = Vec::with_capacity(body.shape.mesh.vertex_count());
            body.motion.positions(self.clock.now, &mut begin);
            if moved.insert(id.index(), self.propose(id.index(), begin, positions, span)?).is_some() {
                return Err(TrialError::BodyTwice { body: id });
            }
        }
        let others = Sweeps::new();
        let (contacts, distance, stats) = (None, None, IntervalStats::default());
        Ok(Trial { world: self, span, moved, others, contacts, distance, candidates: 0, stats })
    }

    /// A body with proposed positions.
    fn propose(
        &self,
        index: u32,
        begin: Vec<[f64; 3]>,
        positions: &[[f32; 3]],
        span: Span,
    ) -> Result<Moved, TrialError> {
        let body = self.bodies.at(index);
        let layout = layout_for(body.is_kinetic());
        let motion = proposal::motion([span.begin, span.end], &begin, positions, layout)
            .map_err(|error| WorldError::Motion { body: body.name.clone(), error })?;
        let end = widened(positions);
        let sweep = Sweep::straight(body, self.clock.now, begin.clone(), end);
        Ok(Moved { begin, motion, sweep })
    }

    /// Checks that the motion of all bodies is known until a time, and no change of it is scheduled
    /// before.
    fn check_plans_until(&self, end: f64) -> Result<(), TrialError> {
        if let Some(body) = self.clock.first_end_before(end) {
            let body = self.bodies.at(body);
            let (name, span) = (body.name.clone(), body.epoch.allowed);
            return Err(WorldError::OutsideSpan { body: name, time: end, span }.into());
        }
        let mut scheduled = self.clock.schedule.iter().filter(|&(_, time, _)| time < end);
        match scheduled.find_map(|(_, time, scheduled)| Some((self.bodies.get(scheduled.body)?, time))) {
            Some((body, time)) => Err(TrialError::ChangeScheduled { body: body.name.clone(), time, end }),
            None => Ok(()),
        }
    }
}

impl Trial<'_> {
    /// The world, as it is without the trial.
    pub fn world(&self) -> &World {
        self.world
    }

    /// The time at which the bodies are to be at the proposed positions, seconds.
    pub fn end(&self) -> f64 {
        self.span.end
    }

    /// The collision-free step size: the part of the trial, 0 to 1, before which no two triangles
    /// begin to touch. 1 if none do, or none before the end.
    ///
    /// Contacts that hold at the start do not count until they have ended. The true fraction is at
    /// most some roundings later. Cost as [`Trial::contacts`].
    ///
    /// # Errors
    /// As [`Trial::contacts`].
    pub fn step_size(&mut self) -> Result<f64, TrialError> {
        let begins = self.contacts()?.iter().filter(|contact| !contact.touches_at_start);
        Ok(begins.map(|contact| contact.fraction).fold(1.0, f64::min))
    }

    /// All contacts from the clock's time to the end of the trial in which a body of the trial
    /// takes part, self contact included, sorted by bodies, triangles and time.
    ///
    /// What counts as contact is what does in the world: filters, thickness, ignored pairs. Patches
    /// take no part. Found once per proposal, then kept.
    ///
    /// The first call is O(vertices + nodes) of all bodies that move and may meet one of the trial,
    /// plus the exact tests of triangles near each other; later ones are that of the bodies of the
    /// trial. A body that rests costs what is near.
    ///
    /// # Errors
    /// [`TrialError::Limit`] beyond [`crate::WorldLimits::candidates`] tests or
    /// [`crate::WorldLimits::contacts`] contacts, or beyond [`crate::WorldLimits::events`] pieces
    /// of motion of another body. The trial can be corrected and asked again.
    pub fn contacts(&mut self) -> Result<&[TrialContact], TrialError> {
        if self.contacts.is_none() {
            self.contacts = Some(self.find()?);
        }
        Ok(self.contacts.as_deref().unwrap_or_default())
    }

    /// How many pairs of triangles were tested exactly for the contacts that are known, counted
    /// once per stretch of linear motion.
    pub fn candidates(&self) -> u64 {
        self.candidates
    }

    /// Where a body of the trial starts, metres.
    ///
    /// # Errors
    /// [`TrialError::NotInTrial`], or [`TrialError::World`] for a body that does not exist.
    pub fn start_positions(&self, body: BodyId) -> Result<&[[f64; 3]], TrialError> {
        Ok(&self.moved_body(body)?.begin)
    }

    /// Replaces the proposed positions of a body of the trial, metres.
    ///
    /// O(vertices + nodes of the body).
    ///
    /// # Errors
    /// [`TrialError::NotInTrial`]; [`TrialError::World`] as for [`World::trial`]. The proposal is
    /// then the one before.
    pub fn correct(&mut self, body: BodyId, positions: &[[f32; 3]]) -> Result<(), TrialError> {
        let begin = self.moved_body(body)?.begin.clone();
        let moved = self.world.propose(body.index(), begin, positions, self.span)?;
        self.moved.insert(body.index(), moved);
        self.contacts = None;
        Ok(())
    }

    /// Counts triangles as touching from a distance, metres, in this trial, whatever the world's
    /// thicknesses; `None` for those again.
    ///
    /// With a thickness, triangles near each other touch at the start, and the step size does not
    /// count them. With 0 m it counts every triangle that would pass through another. O(1).
    ///
    /// # Errors
    /// [`TrialError::BadDistance`].
    pub fn set_distance(&mut self, distance: Option<f64>) -> Result<(), TrialError> {
        if let Some(value) = distance.filter(|distance| !(0.0..=limits::MAX_COORDINATE).contains(distance)) {
            return Err(TrialError::BadDistance { value });
        }
        if self.distance != distance {
            (self.distance, self.contacts) = (distance, None);
        }
        Ok(())
    }

    /// Makes the proposals the flightplans of the bodies: as [`World::set_flightplan`] with two
    /// keys, at the clock's time and at the end of the trial. After that a body rests. The clock
    /// stays where it is.
    ///
    /// Where a body begins between `f32` numbers, as between two keys, the plan is a sampler of the
    /// library. A world saved with it cannot be read again, as a host cannot give that sampler: set
    /// another plan before.
    ///
    /// # Errors
    /// [`WorldError::Limit`] and the like, as [`World::set_flightplan`]; all bodies have their
    /// plans all the same.
    pub fn commit(self) -> Result<(), WorldError> {
        let Self { world, moved, .. } = self;
        let mut outcome = Ok(());
        for (index, Moved { mut motion, .. }) in moved {
            world.bodies.share_key_times(&mut motion);
            let done = world.replace_motion(world.bodies.id_at(index), motion, None, NewBounds::None);
            outcome = outcome.and(done);
        }
        outcome
    }

    fn moved_body(&self, id: BodyId) -> Result<&Moved, TrialError> {
        let body = self.world.bodies.find(id)?;
        self.moved.get(&id.index()).ok_or_else(|| TrialError::NotInTrial { body: body.name.clone() })
    }

    /// Finds all contacts.
    fn find(&mut self) -> Result<Vec<TrialContact>, TrialError> {
        let pairs = self.pairs_of_bodies()?;
        let Self { world, span, moved, others, distance, .. } = self;
        let world: &World = world;
        let mut search = Search {
            trial: *span,
            most_candidates: world.limits.candidates as u64,
            most_contacts: world.limits.contacts as u64,
            candidates: 0,
            stats: IntervalStats::default(),
            contacts: Vec::new(),
        };
        let none = BTreeSet::new();
        let mut done = Ok(());
        for (a, b) in pairs {
            let member = |index: u32| {
                let body = world.bodies.at(index);
                let (motion, sweep) = match moved.get(&index) {
                    Some(moved) => (&moved.motion, &moved.sweep),
                    None => (&body.motion, &others[&index]),
                };
                Member { index, body, motion, sweep }
            };
            let pair = PairOf {
                contact: Contact::new([world.bodies.id_at(a), world.bodies.id_at(b)], [0; 2]),
                distance: distance.unwrap_or_else(|| world.pairs.rules.distance(a, b, &world.bodies)),
                ignored: world.pairs.rules.ignored.get(&(a, b)).map_or(&none, |ignored| ignored),
            };
            done = search.pair(member(a), member(b), &pair);
            if done.is_err() {
                break;
            }
        }
        (self.candidates, self.stats) = (search.candidates, search.stats);
        done?;
        let key = |contact: &TrialContact| (contact.contact, contact.begin.lo);
        search.contacts.sort_by(|x, y| key(x).0.cmp(&key(y).0).then(key(x).1.total_cmp(&key(y).1)));
        Ok(search.contacts)
    }

    /// The pairs of bodies that are tested, the lower index first; boxes of all of them are made.
    fn pairs_of_bodies(&mut self) -> Result<Vec<(u32, u32)>, TrialError> {
        let Self { world, span, moved, others, .. } = self;
        let (bodies, rules) = (&world.bodies, &world.pairs.rules);
        let mut pairs = Vec::new();
        for (id, body) in bodies.iter().filter(|(_, body)| body.shape.patches.is_none()) {
            let index = id.index();
            for &of_trial in moved.keys() {
                if of_trial == index {
                    if body.shape.seams.is_some() {
                        pairs.push((index, index));
                    }
                    continue;
                }
                let is_other_way_round = moved.contains_key(&index) && index < of_trial;
                if is_other_way_round || !rules.may_meet(index, of_trial, bodies) {
                    continue;
                }
                if !moved.contains_key(&index) && !others.contains_key(&index) {
                    others.insert(index, Sweep::of_plan(body, *span, world.limits.events)?);
                }
                pairs.push((index.min(of_trial), index.max(of_trial)));
            }
        }
        Ok(pairs)
    }
}
