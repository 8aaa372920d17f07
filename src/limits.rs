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
//! where `M` is the largest coordinate (metres), `V` the largest speed along an axis (metres per
//! second) and `T` the largest time (seconds) in the body's current epoch. `V · T` pays for event
//! times, which are rounded to the spacing of `f64` around `T`. What the slack promises: at any
//! time reached, a node's bounds contain every vertex of its subtree *as evaluated in `f64` from
//! the stored data*, and as real numbers. Two leaves that are not listed as overlapping hold no two
//! triangles that touch, by their evaluated positions or by their exact ones. Contacts at an
//! instant are decided on the exact ones (`world/instant.rs`).
//!
//! **Curved pieces** (degree 2 and 3) have roots that no finite computation can always tell from near misses. Certificates
//! that involve one therefore use a *threshold*
//!
//! ```text
//! threshold = CURVED_THRESHOLD × (|x₀| + |x₁| + |k₀| + |k₁|, of both pieces) + FLUSH
//! ```
//!
//! (ends and bend of a piece, see [`crate::motion::Piece`]). It exceeds every rounding of evaluating both pieces at a time
//! (12 units of 2⁻⁵³ each), of their difference (2), and what a stretch between two computed turning points may fail to be
//! monotone by (60). A winner fails when the challenger is ahead by *more* than the threshold, so whoever takes a slot is truly
//! ahead and no cycle of overtakings exists; boxes count as apart only while their gap *exceeds* the threshold, so what
//! is called apart is. A winner may lag behind by less than two thresholds per level of a tree; the slack of a body with curved
//! motion is
//!
//! ```text
//! slack = CURVED_ROUNDING × M + CURVED_DRIFT × V · T + FLUSH
//! ```
//!
//! with `M` the largest sum of magnitudes of a piece: enough for trees of 64 levels whose every level lags at once.

/// Relative rounding allowance of [`crate::limits`], 2⁻⁴⁸ (unitless; 32 times the spacing of `f64` at 1).
///
/// Smaller risks a missed contact after unlucky roundings; larger lets pairs be listed a little before their boxes meet.
pub const ROUNDING: f64 = 1.0 / 281_474_976_710_656.0;

/// Threshold of certificates between curved pieces, 2⁻⁴⁶ of the pieces' magnitudes (unitless).
///
/// Smaller could let two vertices overtake each other for ever in one instant; larger makes winners lag.
pub const CURVED_THRESHOLD: f64 = 1.0 / 70_368_744_177_664.0;

/// What a linear piece adds to a threshold of a gap that also has a curved one, 2⁻⁵¹ of its magnitude: its evaluation is paid
/// for by its body's slack.
pub const LINEAR_THRESHOLD: f64 = 1.0 / 2_251_799_813_685_248.0;

/// By how much the drift of a vertex may exceed the way it goes, 2⁴⁹ (unitless): beyond, the slack is twice that way, and two
/// vertices of one body cannot be wrong about each other by more.
///
/// Smaller lets boxes miss a vertex where keys are a few units in the last place of time apart.
pub const MOST_DRIFT: f64 = 2.0 / ROUNDING;

/// What the rounding of event times adds to the threshold between winner and challenger, 2⁻⁴⁹ of speed × time (unitless).
pub const DRIFT_THRESHOLD: f64 = 1.0 / 562_949_953_421_312.0;

/// Relative rounding allowance of bodies with curved motion, 2⁻³⁷ (unitless), for coordinates. See [`crate::limits`].
///
/// Smaller risks boxes that miss a vertex by a rounding in deep trees; larger lists pairs a little before their boxes meet.
pub const CURVED_ROUNDING: f64 = 1.0 / 137_438_953_472.0;

/// Relative rounding allowance of bodies with curved motion, 2⁻⁴¹ (unitless), for speed × time.
pub const CURVED_DRIFT: f64 = 1.0 / 2_199_023_255_552.0;

/// How far the polynomials of two segments may fail to meet at their common key, 2⁻²⁰ of the sum of the
/// earlier one's terms (unitless): a few units in the last place of `f32`. The segment before the key is bent linearly to meet the one after it.
pub const JOINT: f64 = 1.0 / 1_048_576.0;

/// How far curved motion may deviate from the straight motion that continuous contacts are decided on, 10⁻⁴ m.
///
/// Smaller makes windows shorter and their number larger (with its square root); contacts whose distance is within the
/// deviation are marked undecided.
pub const MOTION_TOLERANCE: f64 = 1e-4;

/// Most windows a curved piece is divided into, 2¹⁴. Beyond, the deviation is larger than [`MOTION_TOLERANCE`], and stated: contacts
/// within the deviation are marked undecided, and none is missed.
///
/// Pieces that leave their chord by less than 26 km need no more. More windows cost time in proportion: a piece of two triangles
/// takes some milliseconds at 2¹⁴, and takes seconds at 2²⁰.
pub const MAX_WINDOWS: f64 = 16_384.0;

/// Relative rounding allowance of a time computed from a window's parameter, 2⁻⁵⁰ (unitless): four units in the last place.
///
/// Smaller could exclude the true time from its enclosure; larger makes enclosures wider.
pub const TIME_ROUNDING: f64 = 1.0 / 1_125_899_906_842_624.0;

/// How far beyond the end of a contact, in parts of its window, the triangles must be known to be apart for the end to be taken as it
/// is, where positions are rounded (2⁻³⁰). Otherwise they are searched with the rounding as a distance.
pub const CLOSE_ENDS: f64 = 1.0 / (1 << 30) as f64;

/// Evaluated coordinates of smaller magnitude are taken as zero, 2⁻²⁰⁰ m.
///
/// Keeps products of coordinate differences inside the range in which the exact predicates are exact.
pub const FLUSH: f64 = f64::from_bits((1023 - 200) << 52);

/// Largest coordinate accepted, 2¹⁰⁰ m. Beyond it the exact predicates could overflow.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 100) << 52);

/// Largest speed accepted along an axis, 2⁶⁰ m/s: with [`MAX_TIME`] nothing leaves the range of the predicates.
pub const MAX_SPEED: f64 = f64::from_bits((1023 + 60) << 52);

/// Largest acceleration accepted along an axis, 2¹⁷ m/s²: with [`MAX_TIME`] nothing leaves the range of the predicates.
pub const MAX_ACCELERATION: f64 = 131_072.0;

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

/// Margin of positions evaluated in `f64` and rounded to the nearest `f32`, 2⁻²² of the largest coordinate (unitless): four times the error,
/// which also pays for the rounding of a widened box.
pub const ROUNDED_NEAREST: f32 = f32::EPSILON * 2.0;

/// Intervals after which the front of a pair of bodies is built anew ([`crate::interval::IntervalPairs`]). Fewer cost traversals from the
/// root, more let the front grow downward.
pub const FRONT_INTERVALS: u32 = 4;

/// Looks of a host per linear stretch of motion from which on a window pays.
///
/// Fewer enter windows for the sake of one or two looks, more refit bodies that need it only once per key.
pub const FEWEST_FRAMES: f64 = 2.5;

/// The same for a body that is tested against itself: more of what a window lists never meets.
pub const FEWEST_FRAMES_ALONE: f64 = 3.5;

/// How long before a look the window of a body that rests begins, at most, seconds: any time in which it rested will do.
pub const REST_BEFORE: f64 = 1.0;

/// Looks after which a window that could go on is ended: so many leaf pairs need not be known longer ahead.
pub const WINDOW_FRAMES: f64 = 128.0;

/// Pairs of nodes per node of both trees that finding the triangles of an interval may visit, for continuous contacts: beyond, an interval is too long
/// or motion in it too fast, and a list is cheaper. Cloth against itself visits some twenty.
pub const MOST_VISITS_PER_NODE: usize = 256;

/// Looks per interval from which on it is found out when candidates certainly touch or are apart: about what a test costs at every
/// look is what that costs at once. Fewer cost those who look seldom.
pub const LOOKS_FOR_CERTAINTY: f64 = 6.0;

/// Triangles of both bodies per leaf pair up to which triangles are paired for whole intervals: what it keeps is in proportion to the
/// bodies.
pub const TRIANGLES_PER_LEAF_PAIR: usize = 256;

/// What finding the triangles below a leaf pair counts in a budget, in pairs of nodes: of about 5 ns, and of 20 ns in trees that the caches do
/// not hold, where budgets matter.
pub const NODE_PAIRS_PER_LEAF_PAIR: usize = 13;

/// How many points of an interval to come are placed for what a pair of nodes counts in a budget: about 20 ns where budgets matter.
pub const POINTS_PER_NODE_PAIR: usize = 4;

/// How many boxes of nodes are united for that; the box of a leaf counts as much as a pair of nodes.
pub const BOXES_PER_NODE_PAIR: usize = 8;

/// Looks of the host per window of a velocity field from which on windows pay: much is found anew in each that does not meet at a look.
pub const FEWEST_FRAMES_OF_LINES: f64 = 64.0;

/// How far vertices of a velocity field go in a window, in parts of the size of a leaf, both in the mean over all leaves (unitless). More
/// finds more leaf pairs in an interval that do not meet at a look, less finds them more often.
pub const LEAF_WAYS: f64 = 0.5;

/// By how much of their size leaves of a velocity field may become looser before they are refitted, all together (unitless). More tests
/// more pairs of nodes at every look, less places all vertices more often.
pub const LOOSE: f32 = 0.25;

/// Fewest triangles of a body with constant velocities that is not live under engine auto. Smaller ones cost less as events than as boxes to
/// sweep at every look; contacts are the same.
pub const FEWEST_SWEPT: usize = 256;

/// One in so many of an interval's leaf pairs is looked at before it is told what the interval costs.
pub const PARTS_TO_WEIGH: usize = 8;

/// But so many leaf pairs at least.
pub const LEAF_PAIRS_TO_WEIGH: usize = 16;

/// What finding out what is certain of a candidate counts, in pairs of nodes of about 20 ns.
pub const NODE_PAIRS_PER_SUSPECT: f64 = 20.0;

/// And every part of the interval that is looked at for that.
pub const NODE_PAIRS_PER_PART: f64 = 3.0;

/// What an exact test of a candidate at a look counts, in pairs of nodes, positions included.
pub const NODE_PAIRS_PER_TEST: f64 = 4.0;

/// The same of a candidate of which nothing is certain then: these touch or part.
pub const NODE_PAIRS_PER_OPEN_TEST: f64 = 16.0;

/// What reaching a pair of leaves that meet at a look costs a refit, in pairs of nodes.
pub const NODE_PAIRS_PER_OPEN_LEAVES: f64 = 5.0;

/// The same with tests of their triangles, where it is not known how many there are.
pub const NODE_PAIRS_PER_MEETING: f64 = 9.0;

/// What placing and refitting one triangle costs, in pairs of nodes.
pub const NODE_PAIRS_PER_TRIANGLE: f64 = 0.4;

/// How many times dearer than refits windows must have been by these counts before a body leaves them (unitless): what changes its way has
/// costs of its own.
pub const EXPENSIVE_RATIO: f64 = 1.05;

/// And how many times dearer they are if they are left for the sake of one window (unitless).
pub const FAR_EXPENSIVE_RATIO: f64 = 1.15;

/// How much dearer at least, in pairs of nodes per look: 1.3 µs.
pub const LEAST_TOLL: f64 = 64.0;

/// Looks after which a pair of bodies gives up what it keeps for windows while it goes by refits, or the other way round; up to twice as many.
pub const STEPS_BEFORE_RELEASE: u32 = 32;

/// For how many windows a body is refitted that left them; twice as many every time that it finds them dearer again.
pub const INTERVALS_LEFT_OUT: u32 = 16;

/// Least budget of an advance for the interval to come of a pair of bodies, in pairs of nodes of about 5 ns.
pub const LEAST_BUDGET: usize = 256;

/// Default number of triangles in a leaf. Larger leaves cost triangle tests, smaller ones events (see docs/BENCHMARKS.md).
pub const LEAF_SIZE: usize = 8;

/// Largest number of triangles in a leaf: the cost of a leaf event is linear in it.
pub const MAX_LEAF_SIZE: usize = 64;

/// Events of a tree per node before it is looked at again whether it drifted. Fewer cost builds, more let a tree age longer.
pub const EVENTS_PER_QUALITY_CHECK: u64 = 4;

/// Subtrees of no more than so many full leaves are not looked at for drift.
pub const DRIFT_LEAVES: usize = 4;

/// Bins per axis of the binned surface-area builder.
pub const BINS: usize = 16;

/// How often the covariance builder squares its matrix: what is left of a direction with half the variance is 2⁻⁶⁴. Fewer makes the
/// direction less certain, which no bound depends on.
pub const COVARIANCE_SQUARINGS: usize = 6;

/// Default number of spans of patches in a leaf: what a host does with a pair of them is dear, and one span has as many control
/// points as a leaf of triangles has vertices.
pub const SPANS_IN_LEAF: usize = 1;

/// Largest degree of a patch along one direction. The cost of evaluating grows with its cube.
pub const MAX_DEGREE: usize = 16;

/// Largest weight of a control point, 2⁶⁰; the smallest is its inverse (unitless). Within that range nothing overflows or
/// loses all its digits.
pub const MAX_WEIGHT: f64 = f64::from_bits((1023 + 60) << 52);

/// How far weights of a vertex or of poses may sum beside 1 and still be taken as rounded, 10⁻⁶ (unitless).
///
/// Smaller refuses weights stored as bytes and brought to 1 by their exporter; larger hides wrong files.
pub const WEIGHT_SUM: f64 = 1e-6;

/// Determinant of a matrix, in parts of the cube of its norm, up to which it counts as one that cannot be inverted, 2⁻⁴⁰ (unitless).
pub const SINGULAR: f64 = 1.0 / 1_099_511_627_776.0;

/// How far `AᵀA` of a rigid map may be from the identity, entry by entry, 2⁻¹³ (unitless): what products of `f32` matrices come to.
pub const RIGID: f64 = 1.0 / 8192.0;

/// Turn between joints, radians, below which the rotation centre of spherical blending is drawn to the joints' mean place, 2⁻¹⁶.
///
/// Smaller lets centres wander on the noise of `f32` matrices; larger moves them away from where turns meet: at a turn of `θ` by
/// the part `(RANK/θ)²` of the way.
pub const RANK: f64 = 1.0 / 65_536.0;

/// Most pieces of linear motion that a reduced body's motion, or a turn between two keys, is cut into, 2²⁰.
pub const MAX_PIECES: usize = 1 << 20;

/// Default number of triangles in a leaf of a reduced body's tree: bounds grow looser towards the leaves, and a leaf is bounded before
/// its vertices are evaluated. Fewer costs bounds, more costs vertices and triangle tests.
pub const REDUCED_LEAF_SIZE: usize = 16;

/// Default number of triangles in a leaf of a world's body that is bounded from its parameters: no more than a front of refitted trees takes.
pub const BOUNDED_LEAF_SIZE: usize = 8;

/// What bounds of reduced bodies are moved outward by for rounding: 2⁻⁵¹ (unitless) of the largest number in the sum, for every
/// influence of the node and [`REDUCED_STEPS`] more.
///
/// A bound of `n` influences adds `2 n + 24` products, a vertex at most `n + 16`, each rounded by 2⁻⁵³. Smaller risks bounds that miss a
/// vertex by a rounding; larger makes them looser.
pub const REDUCED_ROUNDING: f64 = 1.0 / 2_251_799_813_685_248.0;

/// See [`REDUCED_ROUNDING`].
pub const REDUCED_STEPS: usize = 32;

/// What bounds of reduced bodies that are made in `f32` are moved outward by besides: 17/16 of 2⁻²⁴ (unitless) of the largest number in
/// the sum, for every influence in proportion to the least weights and [`SINGLE_STEPS`] more. The sixteenth is for products of roundings, up to a
/// million influences.
///
/// A value is off by ten roundings. Smaller risks bounds that miss a vertex by a rounding of `f32`.
pub const SINGLE_ROUNDING: f64 = 1.0625 / 16_777_216.0;

/// See [`SINGLE_ROUNDING`].
pub const SINGLE_STEPS: usize = 24;

/// Bounds of reduced bodies are made in `f64` where the largest number in the sum exceeds this, 10²⁰ m, or falls below its reciprocal:
/// products would leave the range of `f32`.
pub const SINGLE_RANGE: f64 = 1e20;

/// How far sums of weights may be from 1 (unitless) for bounds to be made in `f32`, 2⁻²⁰: what they are from 1 counts times the distance
/// from the origin.
pub const SINGLE_SUM: f64 = 1.0 / 1_048_576.0;

/// What bounding a node costs in `f32`, in parts of one another: per influence one by one, per eight influences side by side, and for joining these. Wrong
/// ones cost time, nothing else.
pub const INFLUENCE_COST: usize = 9;
/// See [`INFLUENCE_COST`].
pub const BLOCK_COST: usize = 38;
/// See [`INFLUENCE_COST`].
pub const BLOCKS_COST: usize = 50;

/// How often a bound on a screen is improved after the first guess. More is tighter by less and less.
pub const SCREEN_STEPS: usize = 2;

/// For how many pieces of linear motion the parameters at both ends are kept ready, most recent ones. Fewer saves memory (some
/// hundred bytes per influence each), more saves evaluating poses again.
pub const KEPT_FRAMES: usize = 64;

/// How many pieces ahead the bounds of a reduced body are answered before everything that depends on them is certified anew. Fewer costs
/// certificates, more costs bounds of a future that may not come.
pub const PIECES_PER_EPOCH: usize = 16;

/// Angle between two quaternions, radians, below which the arc between them is taken as a chord, 2⁻²⁵: its sagitta is below the spacing
/// of `f64` at 1 then.
pub const SMALL_ARC: f64 = 1.0 / 33_554_432.0;

/// Determinant of a meshless node's moment matrix, in parts of the cube of its trace, up to which its neighbours count as lying in a
/// plane, 10⁻⁶ (unitless). Smaller accepts gradients that are all noise.
pub const MOMENT: f64 = 1e-6;

/// What evaluating a reduced body's vertex in `f64` may round, in parts of its distance from the origin along the chain of its joints, 2⁻⁴⁰.
pub const EVALUATION: f64 = 1.0 / 1_099_511_627_776.0;

/// Stretch of time, seconds, below which a motion of which no bound was found is given up, 2⁻²⁰ s.
pub const SHORTEST_PIECE: f64 = 1.0 / 1_048_576.0;

/// Default number of triangles in a leaf of a sphere tree.
pub const SPHERE_LEAF_SIZE: usize = 4;

/// Default part of its father's radius beyond which a node of a sphere tree is left out (unitless). Less gives nodes more children, 1 none
/// but binary ones.
pub const SPHERE_PRUNE: f64 = 0.8;

/// Most points that may join a smallest ball one after the other. Never reached but by rounding; the ball holds all points in any case.
pub const BALL_STEPS: usize = 256;
/// Largest distance field, 2³⁰ bytes. A finer one is refused before anything is allocated: [`crate::proxy::Resolution::bytes`].
pub const MAX_FIELD_BYTES: u64 = 1 << 30;

/// What distances to a surface are rounded down by, 2⁻⁴⁴ of a triangle's longest side, divided by the sine of its largest angle
/// (unitless): at least 16 times the rounding of its normal. Smaller could let a packed sphere poke out by a rounding.
pub const SURFACE_ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

/// Triangles whose largest angle has a sine below 2⁻²⁰ are taken as their longest side, thickened by their height (unitless).
pub const SLIVER: f64 = 1.0 / 1_048_576.0;

/// Winding number from which a point counts as inside (unitless). Any number between 0 and 1 is right for closed surfaces; the
/// middle is least sensitive to gaps.
pub const INSIDE: f64 = 0.5;

/// Triangles seen from farther than this many radii of their cluster are summed as one dipole (unitless). Larger is slower
/// and closer to the plain sum; at 3 the winding number of a closed surface is off by a few hundredths.
pub const DIPOLE_DISTANCE: f64 = 3.0;

/// Most sides of a boundary loop that is filled; the cost of filling is cubic.
pub const MAX_LOOP: usize = 256;

/// Most cells of a generated cage, 10⁶. Every sphere and every vertex is looked for in all of them.
pub const MAX_CAGE_CELLS: f64 = 1_000_000.0;

/// Where a conjugate gradient solution ends, 10⁻¹² of the first residual (unitless).
pub const SOLVED: f64 = 1e-12;

/// How strongly a fitted cage keeps its shape, against one vertex of the mesh (unitless). Smaller meets the mesh better and lets
/// cage vertices far from it wander; larger smooths dents.
pub const CAGE_STIFFNESS: f64 = 1e-3;

/// How far a turn's quaternion may fail to be of length 1, 10⁻³ (unitless): physics engines in `f32` pass. It is scaled.
pub const UNIT_QUATERNION: f64 = 1e-3;

/// Relative rounding allowance of carrying a sphere along with a turning body, 2⁻⁴⁴ (unitless): at least 16 times the error of the
/// trigonometry and products.
pub const CARRY_ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

/// How far the box of a sphere is moved outward before it is rounded to `f32`, 2⁻⁴⁶ of the largest extent the sphere has along the axis
/// (unitless): 128 units of 2⁻⁵³, where evaluating a corner and the sphere takes some ten each.
///
/// Smaller risks boxes that miss a sphere by a rounding; larger is lost in the rounding to `f32`.
pub const SPHERE_MARGIN: f64 = 1.0 / 70_368_744_177_664.0;

/// Largest number that vertices blended in `f32` may be made of, 2¹²⁰: beyond, sums could leave the range of `f32`, and nothing is said.
pub const ROUNDED_RANGE: f64 = f64::from_bits((1023 + 120) << 52);

/// Most triangles of what a query or a world evaluates of a reduced body at once. Fewer costs bounds, more costs vertices that nothing comes near.
pub const BLOCK_TRIANGLES: usize = 64;

/// Most triangles that such a query compares with others one by one, eight boxes at a time: fewer costs more meetings of leaves. At most
/// [`BLOCK_TRIANGLES`].
pub const LEAF_TRIANGLES: usize = 32;

/// Most boxes right below one in such a query's tree: levels of the bodies' trees are skipped until there are so many. At least as many as
/// a node has children.
pub const FAMILY: usize = 8;

/// Part of two bodies' vertices from which on evaluating them one leaf at a time is given up for evaluating all (unitless).
pub const WHOLE_FROM: f64 = 0.5;

/// Part of two bodies' vertices in leaves with candidates below which leaves are looked at one at a time again (unitless). Must be
/// less than [`WHOLE_FROM`], or queries change their way for ever.
pub const WHOLE_TO: f64 = 0.25;

/// Part of the triangles of a world's body that is bounded from its parameters from which on all of it is blended and refitted (unitless):
/// those of blocks ([`BLOCK_TRIANGLES`]) with a leaf that meets something. A front of refitted trees is cheaper than a walk from the root, so this is less
/// than [`WHOLE_FROM`].
pub const BOUNDED_WHOLE_FROM: f64 = 0.1;

/// The same below which it is bounded again. Must be less than [`BOUNDED_WHOLE_FROM`].
pub const BOUNDED_WHOLE_TO: f64 = 0.05;

/// Bytes of numbers a glTF file may announce per byte it has. A strip of 8-bit indices needs 12; beyond that an accessor is read
/// again and again.
pub const GLTF_EXPANSION: u64 = 64;

/// Bytes of numbers a glTF file of any size may announce: zero-filled accessors have none of their own.
pub const GLTF_FREE_BYTES: u64 = 64 << 20;

/// How far the entries of the last row of a glTF matrix may be from 0 0 0 1 (unitless).
pub const GLTF_LAST_ROW: f64 = 1e-6;

/// Deviation of a sum of skinning weights, or of a quaternion's length, from 1 that is worth a remark (unitless): above what 8-bit
/// weights and quaternions are rounded by. They are brought to 1 in any case.
pub const GLTF_UNIT_REMARK: f64 = 0.02;

/// Default distance that a glTF model's sampled motion may be from the true one, in parts of the largest extent of the model when its
/// motion begins, 10⁻³ (unitless): 2 mm for a person.
///
/// Smaller takes keys, with one over its root, and memory; larger makes contacts uncertain by as much.
pub const GLTF_TOLERANCE: f64 = 1e-3;

/// Time that vertices take for the jump of a STEP channel in sampled motion, 2⁻²⁰ s; half of the piece before it where that is
/// shorter. Contacts on the way are reported.
pub const GLTF_STEP: f64 = 1.0 / 1_048_576.0;

/// Most positions, keys × vertices, of one body's sampled motion, and with triangles of a whole glTF scene, 2²⁵: 400 MB.
pub const GLTF_KEY_POSITIONS: usize = 1 << 25;

/// How many levels are tried for a box at [`crate::reduced::bounds::Level::Optimum`] after the paper's. More is tighter by less and less.
pub const LEVEL_STEPS: usize = 4;
