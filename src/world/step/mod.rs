//! Steps: events up to a time, then contacts at that time.
//!
//! | file | holds |
//! |---|---|
//! | `ahead` | the next windows and epochs, prepared before these begin |
//! | `clock` | [`Clock`](clock::Clock): the time, the queue, the log, changes to come ([`schedule`]) |
//! | `events` | events in their order, and epochs |
//! | `continuous` | continuous contacts over an event |
//! | `extension` | certificates over keys that are streamed |
//! | `idle` | kinetic trees without events, until a pair needs them |
//! | `watch` | pairs that begin and cease to be watched |
//! | `detect` | contacts at the clock's time |
//! | `tree_changed` | what a change of a tree's shape means for lists and contacts |
//! | `within` | advances in portions, with a budget of events |
//! | `seek` | jumps of the clock |
//!
//! # From `World::advance_to` to a contact
//!
//! For the default world (engine auto, contacts at times) of two bodies with keyframes, in a step
//! within an interval:
//!
//! ```text
//!  1  mod.rs                  World::advance_to ─ check_advance, process_changes_until
//!  2  step/events.rs          World::process_until: no events
//!     step/detect.rs          World::find_contacts ─ find_contacts_at_clock, which calls 3-11 in turn
//!  3  step/detect.rs            update_bodies
//!  4  body/mod.rs                 Body::begin_step, Body::update
//!  5  tree/discrete.rs              Discrete::update: mode, interval or refit
//!  6  tree/intervals.rs               Intervals::update
//!  7  pair/broad_phase.rs       Pairs::sweep: boxes of bodies
//!  8  pair/find_contacts.rs     Pairs::find_contacts
//!  9  pair/task.rs                PairTask::begin, find, evaluate, test
//! 10  pair/engine_choice.rs         EngineSelector::choose, fall_back
//! 11  pair/interval/mod.rs          IntervalFinder::update, candidates; test_open calls `narrow`
//! 12  contact/set.rs            ContactSet::replace, close: World::contacts
//! ```
//!
//! Twelve files of `world`, with one return: `choose` asks `tree/discrete.rs` again (through
//! `body/discrete.rs`, one line) whether each body is in interval mode, as a body that slept is not
//! updated in 3. Files of one line or less per step (`step/clock.rs`, `body/bodies.rs`) are not
//! counted. The first step of an interval passes two more: `tree/mode.rs` (`decide`) and
//! `pair/interval/stages.rs` (`Interval::begin`, `find_leaves`, `find_triangles`). In refit mode
//! `pair/front.rs` takes the place of 11.

mod ahead;
pub(crate) mod clock;
mod continuous;
mod detect;
mod events;
pub(crate) mod extension;
pub(crate) mod idle;
pub(crate) mod schedule;
mod seek;
pub(crate) mod tree_changed;
mod watch;
pub(crate) mod within;
