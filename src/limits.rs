//! Every tolerance and cap of the library, with its unit, its usual value and what happens when it is wrong.
//!
//! **Rounding is stated here, once.** Positions are stored as `f32` (vertex flightplans given at run time as `f64`) and
//! evaluated in `f64`. An evaluated coordinate and a computed event time each differ from the real-number answer by a few
//! units in the last place. Every bound that leaves a kinetic structure, and every bound a separation certificate
//! compares, is therefore moved outward by the body's *slack*
//!
//! ```text
//! slack = ROUNDING × (M + V · T) + FLUSH
//! ```
//!
//! where `M` is the largest coordinate (metres), `V` the largest speed along an axis (metres per second) and `T` the
//! largest time (seconds) in the body's current epoch. `V · T` pays for event times, which are rounded to the spacing of
//! `f64` around `T`. What the slack promises: at any time reached, a node's bounds contain every vertex of its subtree
//! *as evaluated in `f64` from the stored data*, and two leaves that are not listed as overlapping hold no two triangles
//! whose evaluated positions touch.

/// Relative rounding allowance of [`crate::limits`], 2⁻⁴⁸ (unitless; 32 times the spacing of `f64` at 1).
///
/// Smaller risks a missed contact after unlucky roundings; larger lets pairs be listed a little before their boxes meet.
pub const ROUNDING: f64 = 1.0 / 281_474_976_710_656.0;

/// Relative rounding allowance of a time computed from a window's parameter, 2⁻⁵⁰ (unitless): four units in the last place.
///
/// Smaller could exclude the true time from its enclosure; larger makes enclosures wider.
pub const TIME_ROUNDING: f64 = 1.0 / 1_125_899_906_842_624.0;

/// Evaluated coordinates of smaller magnitude are taken as zero, 2⁻²⁰⁰ m.
///
/// Keeps products of coordinate differences inside the range in which the exact predicates are exact.
pub const FLUSH: f64 = f64::from_bits((1023 - 200) << 52);

/// Largest coordinate accepted, 2¹⁰⁰ m. Beyond it the exact predicates could overflow.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 100) << 52);

/// Largest speed accepted along an axis, 2⁶⁰ m/s: with [`MAX_TIME`] nothing leaves the range of the predicates.
pub const MAX_SPEED: f64 = f64::from_bits((1023 + 60) << 52);

/// Largest time accepted in magnitude, 2⁴⁰ s (about 35,000 years).
pub const MAX_TIME: f64 = 1_099_511_627_776.0;

/// Shortest period of a loop, 2⁻¹¹ s: times up to [`MAX_TIME`] still tell one round from the next.
///
/// A period below the spacing of `f64` at the clock's time would never let it pass.
pub const MIN_PERIOD: f64 = 1.0 / 2048.0;

/// Shortest first horizon of unbounded motion, 64 s; later horizons double. See [`crate::motion`].
pub const FIRST_HORIZON: f64 = 64.0;

/// Most vertices, triangles or tree nodes of one body: indices are `u32`, and a slot number is six times a node number.
pub const MAX_INDEX: usize = (u32::MAX / 6) as usize - 1;

/// Most bodies, and most pairs of bodies, of one world: an event's owner has 24 bits.
pub const MAX_OWNERS: usize = (1 << 24) - 1;

/// Most events one advance may process at a single moment, per event slot in the world, before it gives up with
/// [`crate::world::AdvanceError::Stuck`]. Never reached by a correct structure; it turns a hang into an error.
pub const MAX_EVENTS_PER_SLOT_AND_MOMENT: u64 = 64;

/// Margin of positions interpolated in `f32`, 2⁻²⁰ of the largest coordinate (unitless): twice the largest error.
///
/// Smaller lets a refitted tree miss contacts; larger costs it box tests.
pub const ROUNDED_POSITION: f32 = 1.0 / 1_048_576.0;

/// Default number of triangles in a leaf. Larger leaves cost triangle tests, smaller ones events (see docs/BENCHMARKS.md).
pub const LEAF_SIZE: usize = 8;

/// Largest number of triangles in a leaf: the cost of a leaf event is linear in it.
pub const MAX_LEAF_SIZE: usize = 64;

/// Bins per axis of the binned surface-area builder.
pub const BINS: usize = 16;
