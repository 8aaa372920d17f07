//! Which engine a body has, and which way a swept one goes.
//!
//! A body has an engine of its own ([`crate::world::BodyDef::engine`]) or that of its world. What it gets:
//!
//! | asked for | gets | but |
//! |---|---|---|
//! | live | a kinetic tree | |
//! | window | a window | made of patches or with a `BoxTree`: live; motion without common linear stretches: refit |
//! | refit | a refit | made of patches: all of its spans are looked at |
//! | baked | its baked tree ([`World::set_baked`]) | as window; no clip, or a time the clip does not know: refit |
//! | auto | a window where the host looks often enough, otherwise its baked tree, otherwise a refit | patches, a `BoxTree`, continuous contacts, kept events, constant velocities of a few triangles: live |
//!
//! **Auto** lets a body go by windows if its linear stretches last long enough: below [`limits::FEWEST_FRAMES`] looks of the host per
//! stretch a window does not pay, below [`limits::FEWEST_FRAMES_ALONE`] for one that is tested against itself. Plans that are replaced before their stretches end count as stretches of as many looks as they
//! lasted. This depends on when the host looks, so it concerns only what leaves no trace: contacts are the same either way, and
//! neither way has events. Until the host has gone on for the first time nobody knows how often it looks: a body that was added before has both, a
//! window and a refit. Whether a body is live, and has events and a log, depends on definitions alone: on that of the world, and on
//! the first plan of the body.
//!
//! Windows of velocity fields are about as long as it takes the body to move by half the size of its leaves (`span`); that is their stretch
//! here, and windows pay from [`limits::FEWEST_FRAMES_OF_LINES`] looks on.
//!
//! Bodies that can be bounded from few parameters ([`crate::world::BodyDef::bounded`]) are, under engine auto, unless they must be live.
//!
//! Bodies of different engines meet in one world: pairs of live bodies have a separation list, all others are found at the times asked
//! for.

use crate::limits;
use crate::motion::{Motion, StretchKind};
use crate::time::Moment;
use crate::world::def::Engine;

/// How a body that is not live is found at the times asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Interval,
    Refit,
    Baked,
}

/// Why a body that might have a window has none now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Vertices move on curves or have plans of their own, or a loop has not begun.
    NotLinear,
    /// The host looks too seldom.
    FewFrames,
    /// Plans are replaced too often.
    PlansReplaced,
    /// By counts, its windows cost more than refits.
    Expensive,
}

/// How often a host looks at a body before its plan is replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    /// Looks since the plan was last replaced.
    looks: u32,
    /// Looks before that.
    usual: u32,
    /// Looks per stretch from which on a window pays.
    fewest: f64,
    /// The longest window, seconds.
    pub(crate) longest: f64,
}

impl Rate {
    /// Of a body that nobody has looked at.
    pub(crate) fn new(is_tested_against_itself: bool) -> Self {
        let fewest = if is_tested_against_itself { limits::FEWEST_FRAMES_ALONE } else { limits::FEWEST_FRAMES };
        Self { looks: 0, usual: u32::MAX, fewest, longest: f64::INFINITY }
    }

    /// Is it of a body that is tested against itself?
    pub(crate) fn is_alone(&self) -> bool {
        self.fewest == limits::FEWEST_FRAMES_ALONE
    }

    /// The host looks.
    pub(crate) fn count(&mut self) {
        self.looks = self.looks.saturating_add(1);
    }

    /// The plan is replaced.
    pub(crate) fn break_off(&mut self) {
        (self.usual, self.looks) = (self.looks, 0);
    }
}

/// Which way a swept body goes at a moment, and why not by a window.
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
    // The boxes of spheres are rounded corners; what tests candidates of a window knows triangles only.
    let of_spheres = motion.spheres().is_some();
    let Some(stretch) = motion.stretch(now).filter(|_| !is_early && !of_spheres) else {
        return (Mode::Refit, Some(Reason::NotLinear));
    };
    if requested_engine == Engine::Interval {
        return (Mode::Interval, None);
    }
    let (length, fewest) = match stretch.kind {
        StretchKind::Lines { .. } => {
            ((stretch.end - stretch.begin).min(rate.longest), limits::FEWEST_FRAMES_OF_LINES.max(rate.fewest))
        }
        _ => (stretch.end - stretch.begin, rate.fewest),
    };
    // How far the host goes at a time is not known before it has gone on; but what rests for ever needs one window.
    let is_long = length == f64::INFINITY || (step > 0.0 && length >= fewest * step);
    if !is_long {
        return (Mode::Refit, Some(Reason::FewFrames));
    }
    if f64::from(rate.usual.max(rate.looks)) < rate.fewest {
        return (Mode::Refit, Some(Reason::PlansReplaced));
    }
    (Mode::Interval, None)
}
