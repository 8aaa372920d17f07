//! The calls that change a world.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::compare::{Outcome, Refused, Returned};
use crate::baked::BakedClip;
use crate::cancel::Cancel;
use crate::id::BodyId;
use crate::motion::{Flightplan, VertexFlightplan};
use crate::world::{BodyDef, ChangeId, Edit, Filter, World, WorldLimits};

/// A call that changes a world, with its arguments; named as the methods of [`World`].
///
/// New kinds come after the others: files name kinds by their place.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the methods of the same names describe the arguments")]
pub enum Call {
    /// [`World::advance_to`].
    AdvanceTo { time: f64 },
    /// [`World::add_body`].
    AddBody { def: Box<BodyDef> },
    /// [`World::remove_body`].
    RemoveBody { body: BodyId },
    /// [`World::set_flightplan`].
    SetFlightplan { body: BodyId, plan: Flightplan },
    /// [`World::set_vertex_flightplans`].
    SetVertexFlightplans { body: BodyId, plans: Vec<(u32, VertexFlightplan)> },
    /// [`World::extend_flightplan`].
    ExtendFlightplan { body: BodyId, key_time: f64, positions: Vec<[f32; 3]> },
    /// [`World::schedule_flightplan`].
    ScheduleFlightplan { body: BodyId, at: f64, plan: Flightplan },
    /// [`World::schedule_vertex_flightplans`].
    ScheduleVertexFlightplans { body: BodyId, at: f64, plans: Vec<(u32, VertexFlightplan)> },
    /// [`World::cancel_change`].
    CancelChange { change: ChangeId },
    /// [`World::apply_edit`].
    ApplyEdit { edit: Edit },
    /// [`World::set_pair_watched`].
    SetPairWatched { a: BodyId, b: BodyId, watched: bool },
    /// [`World::set_pair_thickness`].
    SetPairThickness { a: BodyId, b: BodyId, thickness: Option<f64> },
    /// [`World::set_limits`].
    SetLimits { limits: WorldLimits },
    /// [`World::set_baked`].
    SetBaked { body: BodyId, clip: Option<Box<BakedClip>> },
    /// [`World::rebuild_degraded`].
    RebuildDegraded { body: BodyId, bound: f64 },
    /// [`World::set_filter`].
    SetFilter { body: BodyId, filter: Filter },
    /// [`World::set_thickness`].
    SetThickness { body: BodyId, thickness: f64 },
    /// [`World::advance_to_within`].
    AdvanceToWithin { time: f64, budget: u64 },
    /// [`World::seek`].
    Seek { time: f64 },
    /// [`World::advance_to_unless`]; what it returned tells where it was cancelled.
    AdvanceToUnless { time: f64 },
}

impl Call {
    /// The name of the method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::AdvanceTo { .. } => "advance_to",
            Self::AddBody { .. } => "add_body",
            Self::RemoveBody { .. } => "remove_body",
            Self::SetFlightplan { .. } => "set_flightplan",
            Self::SetVertexFlightplans { .. } => "set_vertex_flightplans",
            Self::ExtendFlightplan { .. } => "extend_flightplan",
            Self::ScheduleFlightplan { .. } => "schedule_flightplan",
            Self::ScheduleVertexFlightplans { .. } => "schedule_vertex_flightplans",
            Self::CancelChange { .. } => "cancel_change",
            Self::ApplyEdit { .. } => "apply_edit",
            Self::SetPairWatched { .. } => "set_pair_watched",
            Self::SetPairThickness { .. } => "set_pair_thickness",
            Self::SetLimits { .. } => "set_limits",
            Self::SetBaked { .. } => "set_baked",
            Self::RebuildDegraded { .. } => "rebuild_degraded",
            Self::SetFilter { .. } => "set_filter",
            Self::SetThickness { .. } => "set_thickness",
            Self::AdvanceToWithin { .. } => "advance_to_within",
            Self::Seek { .. } => "seek",
            Self::AdvanceToUnless { .. } => "advance_to_unless",
        }
    }

    /// The body whose motion is a sampler of the host, by name; none if the call can be stored.
    pub(super) fn sampled(&self, world: &World) -> Option<String> {
        let name = |body: BodyId| world.name(body).unwrap_or_default().to_owned();
        match self {
            Self::AddBody { def } => def.motion.is_sampled().then(|| def.name.clone()),
            Self::SetFlightplan { body, plan } | Self::ScheduleFlightplan { body, plan, .. } => {
                plan.is_sampled().then(|| name(*body))
            }
            _ => None,
        }
    }

    /// Carries the call out; an advance that was cancelled, up to where it came.
    pub(super) fn run(self, world: &mut World, recorded: Option<&Outcome>) -> Result<Returned, Refused> {
        let done = |()| Returned::Nothing;
        Ok(match self {
            Self::AdvanceTo { time } => done(world.advance_to(time)?),
            Self::AddBody { def } => Returned::Body(world.add_body(*def)?),
            Self::RemoveBody { body } => done(world.remove_body(body)?),
            Self::SetFlightplan { body, plan } => done(world.set_flightplan(body, plan)?),
            Self::SetVertexFlightplans { body, plans } => done(world.set_vertex_flightplans(body, &plans)?),
            Self::ExtendFlightplan { body, key_time, positions } => {
                done(world.extend_flightplan(body, key_time, &positions)?)
            }
            Self::ScheduleFlightplan { body, at, plan } => Returned::Change(world.schedule_flightplan(body, at, plan)?),
            Self::ScheduleVertexFlightplans { body, at, plans } => {
                Returned::Change(world.schedule_vertex_flightplans(body, at, &plans)?)
            }
            Self::CancelChange { change } => Returned::Flag(world.cancel_change(change)),
            Self::ApplyEdit { edit } => done(world.apply_edit(edit)?),
            Self::SetPairWatched { a, b, watched } => done(world.set_pair_watched(a, b, watched)?),
            Self::SetPairThickness { a, b, thickness } => done(world.set_pair_thickness(a, b, thickness)?),
            Self::SetLimits { limits } => {
                world.set_limits(limits);
                Returned::Nothing
            }
            Self::SetBaked { body, clip } => done(world.set_baked(body, clip.map(|clip| Arc::new(*clip)))?),
            Self::RebuildDegraded { body, bound } => Returned::Count(world.rebuild_degraded(body, bound)?),
            Self::SetFilter { body, filter } => done(world.set_filter(body, filter)?),
            Self::SetThickness { body, thickness } => done(world.set_thickness(body, thickness)?),
            Self::AdvanceToWithin { time, budget } => world.advance_to_within(time, budget)?.into(),
            Self::Seek { time } => done(world.seek(time)?),
            Self::AdvanceToUnless { time } => match recorded {
                Some(&Outcome::Done(Returned::Progress { time: reached, is_done: false })) => {
                    world.advance_cancelled_at(time, reached)?.into()
                }
                _ => world.advance_to_unless(time, &Cancel::new())?.into(),
            },
        })
    }
}

impl fmt::Display for Call {
    /// The name of the method, and its short arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::AdvanceTo { time } | Self::Seek { time } | Self::AdvanceToUnless { time } => write!(f, " {time} s"),
            Self::AddBody { def } => write!(f, " '{}'", def.name),
            Self::RemoveBody { body } | Self::SetFlightplan { body, .. } => write!(f, " {body}"),
            Self::SetVertexFlightplans { body, plans } => write!(f, " {body}, {} vertices", plans.len()),
            Self::ExtendFlightplan { body, key_time, .. } => write!(f, " {body}, key at {key_time} s"),
            Self::ScheduleFlightplan { body, at, .. } => write!(f, " {body}, at {at} s"),
            Self::ScheduleVertexFlightplans { body, at, plans } => {
                write!(f, " {body}, at {at} s, {} vertices", plans.len())
            }
            Self::CancelChange { change } => write!(f, " {change:?}"),
            Self::ApplyEdit { edit } => write!(f, " {}", edit.body()),
            Self::SetPairWatched { a, b, watched } => write!(f, " {a}, {b}: {watched}"),
            Self::SetPairThickness { a, b, thickness: Some(thickness) } => write!(f, " {a}, {b}: {thickness} m"),
            Self::SetPairThickness { a, b, thickness: None } => write!(f, " {a}, {b}: none"),
            Self::SetLimits { .. } => Ok(()),
            Self::SetBaked { body, clip } => write!(f, " {body}: {}", if clip.is_some() { "a clip" } else { "none" }),
            Self::RebuildDegraded { body, bound } => write!(f, " {body}, bound {bound}"),
            Self::SetFilter { body, filter } => write!(f, " {body}: {:x}, {:x}", filter.category, filter.mask),
            Self::SetThickness { body, thickness } => write!(f, " {body}: {thickness} m"),
            Self::AdvanceToWithin { time, budget } => write!(f, " {time} s, {budget} events"),
        }
    }
}
