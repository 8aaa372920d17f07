//! The engines a host can ask for, and their names in definitions and on the command line.

/// How a world finds contacts. All engines give the same contacts; they differ in cost.
///
/// ```text
///                      ┌─ continuous contacts, kept events, patches, trees of kind Box,
///                      │  few triangles with constant velocities ────────────────────────► kinetic
///  Auto ───────────────┼─ boxes known from few parameters (BodyDef::bounded) ────────────► on demand
///  (for each body)     │                                 ┌─ many steps per keyframe
///                      └─ otherwise, at every step ──────┤  interval, and not too expensive ► interval
///                                                        └─ otherwise ─────────────────────► refit
/// ```
///
/// A baked clip ([`crate::World::set_baked`]) is no engine but a cache: bodies of engines auto and
/// refit read it instead of being refitted, at the times it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Engine {
    /// The engine that suits the motion and the length of the host's steps: see the drawing above.
    /// [`crate::stats::EngineStats`] says what was chosen.
    #[default]
    Auto,
    /// Kinetic trees and separation lists, driven by events.
    Kinetic,
    /// Boxes of keyframe intervals, interpolated in between, and pairs of leaves found for whole
    /// intervals.
    Interval,
    /// Boxes refitted bottom-up at every time asked for, and two trees traversed together: the
    /// usual way.
    Refit,
    /// Every triangle against every triangle: the oracle.
    BruteForce,
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Kinetic => "kinetic",
            Self::Interval => "interval",
            Self::Refit => "refit",
            Self::BruteForce => "brute-force",
        })
    }
}
