//! The mode of a discrete body: how its boxes are brought up to date.
//!
//! | engine asked for | mode | otherwise |
//! |---|---|---|
//! | kinetic | none: a kinetic tree | |
//! | interval | interval | patches or a tree of kind `Box`: kinetic; motion without common linear stretches: refit |
//! | refit | the baked clip, if there is one, otherwise refit | patches: all spans are compared |
//! | auto | interval if the host steps often enough, otherwise as refit | patches, a tree of kind `Box`, continuous contacts, kept events, constant velocities of a few triangles: kinetic |
//!
//! **Auto** chooses interval mode if linear stretches of the motion last long enough: below
//! `tuning::MIN_STEPS_PER_INTERVAL` steps per stretch an interval does not pay, below
//! `tuning::MIN_STEPS_PER_INTERVAL_OF_SELF_CONTACT` for a body tested against itself. Plans that
//! are replaced before their stretches end count as stretches of as many steps as they lasted. So
//! the mode depends on when the host steps; contacts do not, and no mode has events. Before the
//! first advance the length of the host's steps is unknown: a body that is added then has an
//! interval and a refit. Whether a body is kinetic, and has events and a log, depends on
//! definitions alone: on that of the world, and on the first plan of the body.
//!
//! Intervals of velocity fields are about as long as it takes the body to move by half the size of
//! its leaves ([`super::interval_length`]); that is their stretch here, and intervals pay from
//! `tuning::MIN_STEPS_PER_INTERVAL_OF_VELOCITIES` steps on.
//!
//! Under engine auto, bodies that can be bounded from few parameters
//! ([`crate::world::def::BodyDef::bounded`]) are, on demand; those that must be kinetic have a
//! kinetic tree of bounds.

use crate::motion::{Motion, StretchKind};
use crate::time::Moment;
use crate::tuning;
use crate::world::engine::Engine;

/// How the boxes of a discrete body are brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Mode {
    /// Boxes of the keyframe interval around now.
    Interval,
    /// Boxes refitted at every step.
    Refit,
    /// Boxes read from a baked clip.
    Baked,
}

/// Why a body that might be in interval mode is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Reason {
    /// Vertices move on curves or have plans of their own, or a loop has not begun.
    NotLinear,
    /// The host makes too few steps per interval.
    FewFrames,
    /// Plans are replaced too often.
    PlansReplaced,
    /// By counts, intervals cost more than refits.
    Expensive,
}

/// How many steps a host makes before a body's plan is replaced.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Rate {
    /// Steps since the plan was last replaced.
    steps: u32,
    /// Steps before that.
    usual: u32,
    /// Steps per stretch from which on an interval pays.
    fewest: f64,
    /// The longest interval, seconds.
    pub(crate) longest: f64,
}

impl Rate {
    /// The rate of a new body.
    pub(crate) fn new(is_tested_against_itself: bool) -> Self {
        let fewest = if is_tested_against_itself {
            tuning::MIN_STEPS_PER_INTERVAL_OF_SELF_CONTACT
        } else {
            tuning::MIN_STEPS_PER_INTERVAL
        };
        Self { steps: 0, usual: u32::MAX, fewest, longest: f64::INFINITY }
    }

    /// Whether the body is tested against itself.
    pub(crate) fn is_self(&self) -> bool {
        self.fewest == tuning::MIN_STEPS_PER_INTERVAL_OF_SELF_CONTACT
    }

    /// Counts a step.
    pub(crate) fn count(&mut self) {
        self.steps = self.steps.saturating_add(1);
    }

    /// Notes that the plan is replaced.
    pub(crate) fn break_off(&mut self) {
        (self.usual, self.steps) = (self.steps, 0);
    }
}

/// The mode of a discrete body at a moment, and why it is not interval mode. `step` is the length
/// of the host's steps, seconds; 0 if unknown.
pub(crate) fn decide(
    requested_engine: Engine,
    motion: &Motion,
    now: Moment,
    step: f64,
    rate: Rate,
) -> (Mode, Option<Reason>) {
    if !matches!(requested_engine, Engine::Auto | Engine::Interval) {
        return (Mode::Refit, None);
    }
    let is_early = motion.first_of_loop().is_some_and(|first| now.time() < first);
    // The boxes of spheres are rounded corners; candidates of an interval are triangles only.
    let of_spheres = motion.spheres().is_some();
    let Some(stretch) = motion.stretch(now).filter(|_| !is_early && !of_spheres) else {
        return (Mode::Refit, Some(Reason::NotLinear));
    };
    if requested_engine == Engine::Interval {
        return (Mode::Interval, None);
    }
    let (length, fewest) = match stretch.kind {
        StretchKind::Lines { .. } => (
            (stretch.end - stretch.begin).min(rate.longest),
            tuning::MIN_STEPS_PER_INTERVAL_OF_VELOCITIES.max(rate.fewest),
        ),
        _ => (stretch.end - stretch.begin, rate.fewest),
    };
    // The length of the host's steps is unknown before the first; but a body that rests for all
    // times needs one interval only.
    let is_long = length == f64::INFINITY || (step > 0.0 && length >= fewest * step);
    if !is_long {
        return (Mode::Refit, Some(Reason::FewFrames));
    }
    if f64::from(rate.usual.max(rate.steps)) < rate.fewest {
        return (Mode::Refit, Some(Reason::PlansReplaced));
    }
    (Mode::Interval, None)
}
