//! Ranges of input that the library accepts, and the rounding it allows for. Private costs and
//! sizes are in `tuning`.
//!
//! # Rounding
//! Positions are stored as `f32` (vertex flightplans given at run time as `f64`) and evaluated in
//! `f64`. An evaluated coordinate and a computed event time each differ from the real-number answer
//! by a few units in the last place. Every bound that leaves a kinetic structure, and every bound a
//! separation certificate compares, is therefore moved outward by the *slack* of the body:
//!
//! ```text
//! slack = ROUNDING × (M + V · T) + FLUSH
//! ```
//!
//! `M` is the largest coordinate (metres), `V` the largest speed along an axis (metres per second)
//! and `T` the largest time (seconds) in the body's current epoch. `V · T` covers event times,
//! which are rounded to the spacing of `f64` around `T`. The slack guarantees two things at every
//! time reached:
//!
//! 1. Bounds of a node contain every vertex of its subtree *as evaluated in `f64` from the stored
//!    data*, and as real numbers.
//! 2. Two leaves that are not listed as overlapping hold no two triangles that touch, neither at
//!    evaluated positions nor on the exact motion. Contacts at an instant are decided on the exact
//!    motion.
//!
//! # Curved motion
//! Roots of pieces of degree 2 and 3 cannot always be separated from near misses by a finite
//! computation. Certificates with such a piece use a *threshold*:
//!
//! ```text
//! threshold = CURVED_THRESHOLD × (|x₀| + |x₁| + |k₀| + |k₁|, of both pieces) + FLUSH
//! ```
//!
//! The terms are the ends and the bend of a piece, see `Piece`. The threshold exceeds the rounding
//! of evaluating both pieces (12 units of 2⁻⁵³ each), of their difference (2), and the amount by
//! which a stretch between two computed turning points may fail to be monotone (60).
//!
//! A winner certificate fails when the challenger leads by *more* than the threshold. A new winner
//! is therefore truly ahead, and overtakings cannot form a cycle. Two vertices on linear pieces
//! need that lead too while another candidate of their slot is on a curved one. Boxes count as
//! separated only while their gap *exceeds* the threshold. A winner may lag by less than two
//! thresholds per level of a tree, so the slack of a body with curved motion is
//!
//! ```text
//! slack = CURVED_ROUNDING × M + CURVED_DRIFT × V · T + FLUSH
//! ```
//!
//! with `M` the largest sum of magnitudes of a piece. This covers trees of 64 levels in which every
//! level lags at once.

// Ranges of input
// ---------------------------------------------------------------------------------------------------

/// Largest coordinate accepted, 2¹⁰⁰ m. Beyond it the exact predicates could overflow.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 100) << 52);

/// Largest speed accepted along an axis, 2⁶⁰ m/s. Together with [`MAX_TIME`] it keeps positions in
/// the predicates' range.
pub const MAX_SPEED: f64 = f64::from_bits((1023 + 60) << 52);

/// Largest acceleration accepted along an axis, 2¹⁷ m/s². Together with [`MAX_TIME`] it keeps
/// positions in the predicates' range.
pub const MAX_ACCELERATION: f64 = 131_072.0;

/// Largest time accepted in magnitude, 2⁴⁰ s (about 35,000 years).
pub const MAX_TIME: f64 = 1_099_511_627_776.0;

/// Shortest period of a loop, 2⁻¹¹ s: eight times the spacing of `f64` at [`MAX_TIME`].
///
/// A period below the spacing of `f64` at the clock's time would never let the clock pass it.
pub const MIN_PERIOD: f64 = 1.0 / 2048.0;

/// Most vertices, triangles or tree nodes of one body: indices are `u32`, and a slot number is six
/// times a node number.
pub const MAX_INDEX: usize = (u32::MAX / 6) as usize - 1;

/// Most bodies, and most pairs of bodies, of one world: the owner of an event has 24 bits.
pub const MAX_OWNERS: usize = (1 << 24) - 1;

/// Most events one advance may process at a single moment, per event slot of the world.
///
/// A correct structure never reaches it. It turns an endless loop into
/// [`crate::world::AdvanceError::Stuck`].
pub const MAX_EVENTS_PER_SLOT_AND_MOMENT: u64 = 64;

/// Largest number of triangles in a leaf: the cost of a leaf event is linear in it.
pub const MAX_LEAF_SIZE: usize = 64;

/// Threads that a check or a packing uses at most, whatever it is asked for.
pub const MAX_THREADS: usize = 1024;

/// Largest degree of a patch along one direction. The cost of evaluating a patch grows with its
/// cube.
pub const MAX_DEGREE: usize = 16;

/// Largest weight of a control point, 2⁶⁰ (unitless); the smallest is its inverse. Within that
/// range no product overflows.
pub const MAX_WEIGHT: f64 = f64::from_bits((1023 + 60) << 52);

/// Most pieces of linear motion that a reduced body's motion, or a turn between two keys, is cut
/// into, 2²⁰.
pub const MAX_PIECES: usize = 1 << 20;

/// Most joints of a vertex under spherical blending. Its bounds take time and memory with the
/// square of their number.
pub const MAX_JOINTS_PER_VERTEX: usize = 256;

/// Shortest piece of motion, 2⁻²⁰ s. A motion without a known bound is rejected when its pieces
/// become shorter.
pub const MIN_PIECE: f64 = 1.0 / 1_048_576.0;

/// Most linear windows a curved piece of up to 64 s is divided into, 2¹⁴; about as many in each 64
/// s of a longer one. Beyond, the deviation exceeds [`MOTION_TOLERANCE`] and is reported: contacts
/// within the deviation are marked undecided, and none is missed.
///
/// Pieces of up to 64 s that leave their chord by less than 26 km need no more. More windows cost
/// time in proportion: a piece of two triangles takes some milliseconds at 2¹⁴, and seconds at 2²⁰.
pub const MAX_LINEAR_WINDOWS: f64 = 16_384.0;

// Tolerances of input
// -----------------------------------------------------------------------------------------------

/// Largest gap between the polynomials of two segments at their common key, 2⁻²⁰ of the sum of the
/// earlier one's terms (unitless): a few units in the last place of `f32`.
///
/// The segment before the key is bent linearly to meet the one after it.
pub const SEGMENT_JOIN_TOLERANCE: f64 = 1.0 / 1_048_576.0;

/// Largest deviation of a sum of weights from 1 that counts as rounding, 10⁻⁶ (unitless).
///
/// Smaller rejects weights stored as bytes and normalised by their exporter; larger hides wrong
/// files.
pub const WEIGHT_SUM_TOLERANCE: f64 = 1e-6;

/// Determinant of a matrix, relative to the cube of its norm, below which it counts as singular,
/// 2⁻⁴⁰ (unitless).
pub const SINGULAR_DETERMINANT: f64 = 1.0 / 1_099_511_627_776.0;

/// Determinant of a meshless node's moment matrix, relative to the cube of its trace, below which
/// its neighbours count as coplanar, 10⁻⁶ (unitless). Smaller accepts gradients that are all noise.
pub const SINGULAR_MOMENT: f64 = 1e-6;

/// Largest deviation of `AᵀA` of a rigid map from the identity, entry by entry, 2⁻¹³ (unitless):
/// the rounding of products of `f32` matrices.
pub const RIGID_TOLERANCE: f64 = 1.0 / 8192.0;

/// Largest deviation of the length of a turn's quaternion from 1, 10⁻³ (unitless): physics engines
/// in `f32` pass. The quaternion is normalised.
pub const UNIT_QUATERNION_TOLERANCE: f64 = 1e-3;

// Rounding of kinetic structures
// ------------------------------------------------------------------------------------

/// Relative rounding allowance of [`crate::limits`], 2⁻⁴⁸ (unitless; 32 times the spacing of `f64`
/// at 1).
///
/// Smaller risks a missed contact after unlucky roundings; larger lists pairs slightly before their
/// boxes meet.
pub const ROUNDING: f64 = 1.0 / 281_474_976_710_656.0;

/// Threshold of certificates between curved pieces, 2⁻⁴⁶ of the pieces' magnitudes (unitless).
///
/// Smaller could let two vertices overtake each other endlessly in one instant; larger makes
/// winners lag.
pub const CURVED_THRESHOLD: f64 = 1.0 / 70_368_744_177_664.0;

/// Threshold that a linear piece adds to a gap that also has a curved piece, 2⁻⁵¹ of its magnitude
/// (unitless).
///
/// The slack of the body covers the evaluation of the linear piece.
pub const LINEAR_THRESHOLD: f64 = 1.0 / 2_251_799_813_685_248.0;

/// Threshold that the rounding of event times adds between winner and challenger, 2⁻⁴⁹ of speed ×
/// time (unitless).
pub const DRIFT_THRESHOLD: f64 = 1.0 / 562_949_953_421_312.0;

/// Relative rounding allowance of coordinates of bodies with curved motion, 2⁻³⁷ (unitless). See
/// [`crate::limits`].
///
/// Smaller risks boxes that miss a vertex by a rounding in deep trees; larger lists pairs slightly
/// early.
pub const CURVED_ROUNDING: f64 = 1.0 / 137_438_953_472.0;

/// Relative rounding allowance of speed × time of bodies with curved motion, 2⁻⁴¹ (unitless).
pub const CURVED_DRIFT: f64 = 1.0 / 2_199_023_255_552.0;

/// Largest ratio of speed × time to the distance a vertex travels, 2⁴⁹ (unitless). Beyond it the
/// slack is twice that distance.
///
/// Smaller lets boxes miss a vertex where keys are a few units in the last place of time apart.
pub const MAX_DRIFT_RATIO: f64 = 2.0 / ROUNDING;

/// Evaluated coordinates of smaller magnitude are taken as zero, 2⁻²⁰⁰ m.
///
/// Keeps products of coordinate differences inside the range in which the exact predicates are
/// exact.
pub const FLUSH: f64 = f64::from_bits((1023 - 200) << 52);

/// Margin of positions interpolated in `f32`, 2⁻²⁰ of the largest coordinate (unitless): twice the
/// largest error.
///
/// Smaller lets a refitted tree miss contacts; larger costs box tests.
pub const F32_INTERPOLATION_ROUNDING: f32 = 1.0 / 1_048_576.0;

/// Margin of positions evaluated in `f64` and rounded to the nearest `f32`, 2⁻²² of the largest
/// coordinate (unitless).
///
/// It is four times the error, which also covers the rounding of a widened box.
pub const F32_NEAREST_ROUNDING: f32 = f32::EPSILON * 2.0;

/// Distance by which the box of a sphere is moved outward before it is rounded to `f32`, 2⁻⁴⁶ of
/// the largest extent of the sphere along the axis (unitless): 128 units of 2⁻⁵³, where evaluating
/// a corner and the sphere takes about ten each.
///
/// Smaller risks boxes that miss a sphere by a rounding; larger is lost in the rounding to `f32`.
pub const SPHERE_BOX_ROUNDING: f64 = 1.0 / 70_368_744_177_664.0;

// Continuous contacts
// -----------------------------------------------------------------------------------------------

/// Largest deviation of curved motion from the linear motion on which continuous contacts are
/// decided, 10⁻⁴ m.
///
/// Smaller makes linear windows shorter, and their number grows with its inverse square root.
/// Contacts whose distance is within the deviation are marked undecided.
pub const MOTION_TOLERANCE: f64 = 1e-4;

/// Relative rounding allowance of a time computed from a window's parameter, 2⁻⁵⁰ (unitless): four
/// units in the last place.
///
/// Smaller could exclude the true time from its enclosure; larger makes enclosures wider.
pub const TIME_ROUNDING: f64 = 1.0 / 1_125_899_906_842_624.0;

/// Part of a window beyond the end of a contact in which the triangles must be separated, 2⁻³⁰
/// (unitless).
///
/// Otherwise, where positions are rounded, the end is searched again with the rounding as a
/// distance.
pub const END_SEPARATION_MARGIN: f64 = 1.0 / (1 << 30) as f64;

// Reduced bodies
// ----------------------------------------------------------------------------------------------------

/// Turn between joints, radians, below which the rotation centre of spherical blending approaches
/// the joints' mean place, 2⁻⁸.
///
/// Smaller lets centres wander on the noise of matrices and move faster: bounds become looser, and
/// a body needs more pieces for the same deviation. Larger moves centres away from the common axis
/// of the turns: for two joints turned by `θ` by the part `2 (SMALL_TURN/θ)²` of the distance of
/// that axis from the mean. There a vertex moves by at most `SMALL_TURN²/4` of this distance. Where
/// more joints turn, one much less than the others, it moves by a part of the order of
/// `SMALL_TURN`: in sample models at most 2·10⁻⁴ of the distance, or 10⁻³ of the size of the body.
pub const SMALL_TURN: f64 = 1.0 / 256.0;

/// Angle between two quaternions, radians, below which their arc is replaced by its chord, 2⁻²⁵:
/// the sagitta is then below the spacing of `f64` at 1.
pub const SMALL_ARC: f64 = 1.0 / 33_554_432.0;

/// Rounding of a distance between two points of triangles, 2⁻⁴⁶ of the largest coordinate
/// (unitless).
pub(crate) const DISTANCE_ROUNDING: f64 = 1.0 / (1_u64 << 46) as f64;

/// Rounding of evaluating a reduced body's vertex in `f64`, 2⁻⁴⁰ of its distance from the origin
/// along the chain of its joints (unitless).
pub const EVALUATION_ROUNDING: f64 = 1.0 / 1_099_511_627_776.0;

/// Rounding margin of bounds of reduced bodies: 2⁻⁵¹ (unitless) of the largest number in the sum,
/// for every influence of the node and [`REDUCED_ROUNDING_STEPS`] more.
///
/// A bound of `n` influences adds `2 n + 24` products, a vertex at most `n + 16`, each rounded by
/// 2⁻⁵³. Smaller risks bounds that miss a vertex by a rounding; larger makes them looser.
pub const REDUCED_ROUNDING: f64 = 1.0 / 2_251_799_813_685_248.0;

/// Roundings of a bound besides those of its influences. See [`REDUCED_ROUNDING`].
pub const REDUCED_ROUNDING_STEPS: usize = 32;

/// Additional rounding margin of bounds of reduced bodies computed in `f32`: 17/16 of 2⁻²⁴
/// (unitless) of the largest number in the sum, for every influence in proportion to the least
/// weights and [`REDUCED_F32_ROUNDING_STEPS`] more.
///
/// The sixteenth covers products of roundings, up to a million influences. A value is off by ten
/// roundings. Smaller risks bounds that miss a vertex by a rounding of `f32`.
pub const REDUCED_F32_ROUNDING: f64 = 1.0625 / 16_777_216.0;

/// Roundings of a bound in `f32` besides those of its influences. See [`REDUCED_F32_ROUNDING`].
pub const REDUCED_F32_ROUNDING_STEPS: usize = 24;

/// Largest number in a sum, 10²⁰ m, for which bounds of reduced bodies are computed in `f32`; the
/// smallest is its reciprocal. Beyond, products would leave the range of `f32`, and `f64` is used.
pub const REDUCED_F32_RANGE: f64 = 1e20;

/// Largest deviation of sums of weights from 1 for which bounds are computed in `f32`, 2⁻²⁰
/// (unitless). The deviation counts times the distance from the origin.
pub const REDUCED_F32_WEIGHT_SUM: f64 = 1.0 / 1_048_576.0;

/// Largest number of which vertices blended in `f32` may be made, 2¹²⁰ m. Beyond it sums could
/// leave the range of `f32`, and no bound is given.
pub const F32_BLEND_RANGE: f64 = f64::from_bits((1023 + 120) << 52);

// Proxies
// -----------------------------------------------------------------------------------------------------------

/// Largest distance field, 2³⁰ bytes. A finer one is rejected before memory is allocated:
/// [`crate::proxy::Resolution::bytes`].
pub const MAX_FIELD_BYTES: u64 = 1 << 30;

/// Distance by which distances to a surface are rounded down, 2⁻⁴⁴ of a triangle's longest side,
/// divided by the sine of its largest angle (unitless): at least 16 times the rounding of its
/// normal.
///
/// Smaller could let a packed sphere leave the solid by a rounding.
pub const SURFACE_ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

/// Sine of the largest angle below which a triangle is replaced by its longest side, thickened by
/// its height, 2⁻²⁰ (unitless).
pub const SLIVER_SINE: f64 = 1.0 / 1_048_576.0;

/// Winding number from which a point counts as inside (unitless). Any number between 0 and 1 is
/// right for closed surfaces; the middle is least sensitive to gaps.
pub const INSIDE_WINDING: f64 = 0.5;

/// Most sides of a boundary loop that is filled; the cost of filling is cubic.
pub const MAX_LOOP_SIDES: usize = 256;

/// Most cells of a generated cage, 10⁶. Every sphere and every vertex is tested against all of
/// them.
pub const MAX_CAGE_CELLS: f64 = 1_000_000.0;

/// Relative rounding allowance of carrying a sphere along with a turning body, 2⁻⁴⁴ (unitless): at
/// least 16 times the error of the trigonometry and products.
pub const CARRY_ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

// glTF
// --------------------------------------------------------------------------------------------------------------

/// Bytes of numbers a glTF file may announce per byte of the file. A strip of 8-bit indices needs
/// 12; an accessor that needs more is read repeatedly.
pub const MAX_GLTF_EXPANSION: u64 = 64;

/// Bytes of numbers a glTF file of any size may announce: zero-filled accessors have no bytes of
/// their own.
pub const GLTF_FREE_BYTES: u64 = 64 << 20;

/// Largest deviation of the last row of a glTF matrix from 0 0 0 1, entry by entry (unitless).
pub const GLTF_LAST_ROW_TOLERANCE: f64 = 1e-6;

/// Deviation of a sum of skinning weights, or of a quaternion's length, from 1 that causes a remark
/// (unitless): more than the rounding of 8-bit weights and quaternions. Both are normalised in any
/// case.
pub const GLTF_UNIT_TOLERANCE: f64 = 0.02;

/// Frames a second at which a glTF clip is sampled whose keys show no rate.
pub const GLTF_FPS: f64 = 30.0;

/// Default distance that a glTF model's sampled motion may be from the true one, in parts of the
/// largest extent of the model when its motion begins, 10⁻³ (unitless): 2 mm for a person.
///
/// Smaller takes keys, with one over its root, and memory; larger makes contacts uncertain by as
/// much.
pub const GLTF_TOLERANCE: f64 = 1e-3;

/// Duration of the jump of a STEP channel in sampled motion, 2⁻²⁰ s; half of the piece before it
/// where that is shorter. Contacts on the way are reported.
pub const GLTF_STEP_DURATION: f64 = 1.0 / 1_048_576.0;

/// Most positions, keys × vertices, of one body's sampled motion, and with triangles and joints (16
/// each) of a whole glTF scene, 2²⁵: 400 MB.
pub const MAX_GLTF_POSITIONS: usize = 1 << 25;

/// A number that was refused, for people: without a row of zeros where it is huge or tiny.
pub(crate) fn readable(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-4..1e9).contains(&value.abs()) || !value.is_finite();
    if is_plain { value.to_string() } else { format!("{value:e}") }
}
