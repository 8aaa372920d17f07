//! Changes of the world while it runs, all at the clock's time or at a scheduled one.
//!
//! | file | changes |
//! |---|---|
//! | `add` | bodies come and go |
//! | `flightplan`, `bounds`, `stream` | plans are replaced, with their bounds; keys are appended |
//! | `schedule` | plans are replaced at stated times to come |
//! | `pairs` | which bodies and triangles are tested, and from which distance |
//! | `rules` | filter and thickness of one body |
//! | `edit` | triangles and vertices come and go |
//! | `trees` | trees are rebuilt, baked clips are read |

pub(crate) mod add;
pub(crate) mod bounds;
pub(crate) mod edit;
pub(crate) mod flightplan;
pub(crate) mod pairs;
mod rules;
pub(crate) mod schedule;
pub(crate) mod stream;
pub(crate) mod trees;

#[cfg(test)]
mod bounds_tests;
