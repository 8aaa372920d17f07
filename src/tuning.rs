//! Private costs and sizes. Contacts do not depend on any of them; time and memory do. Those of
//! proxies also decide the accuracy of a generated proxy.
//!
//! Costs are counted in visits of a *node pair* during a traversal: about 5 ns, and 20 ns in trees
//! larger than the caches. Constants of a section were measured by the command that its heading
//! names; docs/BENCHMARKS.md holds the tables.

// Leaves and builders: `cargo bench --bench trees`, `cargo bench --bench separation`
// ----------------------------------

/// Default number of triangles in a leaf. Larger leaves cost triangle tests, smaller ones events.
pub const LEAF_SIZE: usize = 8;

/// Default number of spans of patches in a leaf. A host's test of two spans is expensive, and one
/// span has as many control points as a leaf of triangles has vertices.
pub const SPANS_PER_LEAF: usize = 1;

/// Bins per axis of the binned surface-area builder.
pub const BINS: usize = 16;

/// What the edges of a box count in the binned surface-area builder, as a part of the edges of the
/// box that is divided (unitless). It decides where areas are equal, as in flat sheets.
pub const EDGE_COST: f64 = 0.004;

/// Squarings of the covariance builder's matrix: a direction with half the variance keeps a part of
/// 2⁻⁶⁴.
///
/// Fewer makes the direction less certain; no bound depends on it.
pub const COVARIANCE_SQUARINGS: usize = 6;

/// Events of a tree per node between two checks of its quality. Fewer costs builds, more lets a
/// tree degrade longer.
pub const EVENTS_PER_QUALITY_CHECK: u64 = 4;

/// Triangles whose events over a keyframe interval cost about as much as one more pair of bodies
/// that is watched although it is apart. A check leaves trees without events from this number on.
pub const TRIANGLES_PER_WATCHED_PAIR: usize = 16;

/// Full leaves of the smallest subtree that is checked for degradation.
pub const MIN_LEAVES_OF_DEGRADED_SUBTREE: usize = 4;

// Epochs
// ------------------------------------------------------------------------------------------------------------

/// Shortest first horizon of unbounded motion, seconds; later horizons double. See `motion`.
pub const FIRST_HORIZON: f64 = 64.0;

/// Pieces of a reduced body's motion per epoch of its bounds. Fewer costs certificates, more costs
/// bounds that may never be used.
pub const PIECES_PER_EPOCH: usize = 16;

/// Keys of a reduced body whose poses, and whose frames of bounds, are held: those of two epochs,
/// with both sides of each.
pub const KEPT_KEYS: usize = 64;

// Choice between interval and refit: `cargo bench --bench choice`
// -----------------------------------------------------

/// Steps of the host per linear piece of motion from which interval mode pays.
///
/// Fewer enters interval mode for one or two steps, more refits bodies that need it only once per
/// key.
pub const MIN_STEPS_PER_INTERVAL: f64 = 2.5;

/// Steps per linear piece for a body that is tested against itself: fewer of the leaf pairs of an
/// interval touch.
pub const MIN_STEPS_PER_INTERVAL_OF_SELF_CONTACT: f64 = 3.5;

/// Steps per interval from which interval mode pays for a velocity field.
pub const MIN_STEPS_PER_INTERVAL_OF_VELOCITIES: f64 = 64.0;

/// Longest time by which the interval of a resting body begins before a step, seconds.
pub const MAX_REST_BEFORE_STEP: f64 = 1.0;

/// Steps after which an interval that could continue ends. Finding its leaf pairs is repaid by
/// then.
///
/// Fewer finds candidates more often: with 256 and 128, frames of `kinetree bench dress
/// --interpolated 300` (130,000 triangles) took 1.3 and 1.6 times as long. More lists more leaf
/// pairs where a body travels far between two keys: with 128, frames of two expanding spheres
/// (40,960 triangles, 1,000 steps per key) took 0.8 times as long.
pub const MAX_STEPS_PER_INTERVAL: f64 = 512.0;

/// Distance that vertices of a velocity field travel in an interval, in sizes of a leaf, both in
/// the mean (unitless).
///
/// More finds leaf pairs that overlap at no step, less finds leaf pairs more often.
pub const INTERVAL_TRAVEL_PER_LEAF: f64 = 0.5;

/// Growth of the leaves of a velocity field, in parts of their size, at which they are refitted
/// (unitless).
///
/// More tests more node pairs at every step, less evaluates all vertices more often.
pub const MAX_LEAF_GROWTH: f32 = 0.25;

/// Fewest triangles of a body with constant velocities that is not kinetic under engine auto.
/// Events of a smaller body cost less than its boxes at every step.
pub const MIN_TRIANGLES_OF_DISCRETE_BODY: usize = 256;

/// Ratio of the costs of intervals and refits from which a body leaves interval mode (unitless).
pub const EXPENSIVE_RATIO: f64 = 1.05;

/// The same ratio where a single interval decides (unitless).
pub const EXPENSIVE_RATIO_OF_ONE_INTERVAL: f64 = 1.15;

/// Least excess of the cost of intervals over refits for which a body leaves interval mode, node
/// pairs per step: 1.3 µs.
pub const MIN_EXCESS_COST: f64 = 64.0;

/// Steps after which a pair of bodies drops the state of the mode it left; up to twice as many.
pub const STEPS_BEFORE_RELEASE: u32 = 32;

/// Memory that is kept of pairs of bodies that are not watched any more, bytes. Fewer allocates for
/// more of the pairs that are watched next.
pub const MAX_SPARE_PAIR_BYTES: usize = 2 << 20;

/// Bytes of one of the things that were kept, up to which two bodies without triangles may take it.
/// More would have pairs of small bodies hold the memory of pairs of large ones.
pub const SPARE_BYTES_OF_SMALL_PAIR: usize = 32 << 10;

/// The same for each triangle of both bodies: bytes more.
pub const SPARE_BYTES_PER_TRIANGLE: usize = 256;

/// Intervals for which a body is refitted after it left interval mode. Doubles each time intervals
/// prove expensive again.
pub const INTERVALS_AFTER_FALLBACK: u32 = 16;

/// Leaf pairs of an interval of which one is sampled to estimate the cost of the interval.
pub const LEAF_PAIRS_PER_SAMPLE: usize = 8;

/// Least number of leaf pairs sampled.
pub const MIN_SAMPLED_LEAF_PAIRS: usize = 16;

// Costs, in node pairs: `cargo bench --bench choice` and `cargo bench --bench interval_trees`
// -------------------------

/// Cost of finding the triangles of a leaf pair, node pairs.
pub const NODE_PAIRS_PER_LEAF_PAIR: usize = 13;

/// How many times the usual cost of leaf pairs is expected until some are opened: what costs more
/// is known late.
pub const RESERVE_BEFORE_SAMPLE: f64 = 1.25;

/// How many times the mean cost of the leaf pairs opened is expected of each of the others.
pub const RESERVE_FOR_LEAF_PAIRS: f64 = 1.3;

/// Cost of a leaf pair whose triangles are apart by one direction, node pairs.
///
/// This one and those up to `NODE_PAIRS_PER_LISTED_CANDIDATE` were a fit to the times of all shares
/// of the bench `latency`, in a build that printed them (130 k triangles). Since then some were
/// changed one by one, by the shares of single steps. They shift work between steps.
pub const NODE_PAIRS_PER_APART_LEAF_PAIR: usize = 2;

/// Cost of gathering a triangle of a leaf, node pairs.
pub const NODE_PAIRS_PER_GATHERED_TRIANGLE: usize = 4;

/// Cost of a leaf pair whose triangles are not apart, besides what is below it, node pairs.
pub const NODE_PAIRS_PER_NEAR_LEAF_PAIR: usize = 16;

/// Pairs of triangles whose boxes are not apart, at the cost of two node pairs.
pub const NEAR_PAIRS_PER_TWO_NODE_PAIRS: usize = 2;

/// Cost of a candidate that is only listed, node pairs.
pub const NODE_PAIRS_PER_LISTED_CANDIDATE: usize = 3;

/// Cost of a pair of nodes that is visited where leaf pairs of an interval are found, 16 to 20 ns,
/// in node pairs of 13 to 15 ns, which the other costs here are counted in (AMD EPYC).
pub const NODE_PAIRS_PER_VISIT: f64 = 1.25;

/// Cost of a candidate with the times at which it certainly touches, node pairs: 0.6 to 0.7 µs
/// where it touches.
pub const NODE_PAIRS_PER_USUAL_CANDIDATE: usize = 50;

/// What a candidate is expected to cost before some are found, node pairs: many are soon apart.
pub const NODE_PAIRS_EXPECTED_PER_CANDIDATE: usize = 22;

/// Leaves that decisions of the next windows keep, each about 3 kB. Pairs of triangles are decided
/// in the order of their numbers, and the leaves of near numbers are mostly the same.
pub const MAX_LEAVES_KEPT_AHEAD: usize = 256;

/// Forgotten leaves whose memory a thread keeps, each about 3 kB. Fewer allocates in more steps.
pub const MAX_SPARE_LEAVES: usize = 128;

/// Tests of ended contacts whose memory a thread keeps, each about 0.4 kB. Fewer allocates in more
/// steps.
pub const MAX_SPARE_TESTS: usize = 512;

/// Gathered triangles of both bodies from which on all are dropped, about 150 bytes each. Fewer
/// are gathered again more often, more take memory and leave the second cache. Two more leaves fit
/// below a power of two, to which lists grow.
pub const MAX_GATHERED_TRIANGLES: usize = 1024 - 64;

/// What the decision of two triangles over an interval of continuous contacts costs, in pairs of
/// nodes: 2.6 to 3.0 µs; of two leaves, about as much, besides their contacts. It shifts work
/// between steps.
pub const NODE_PAIRS_PER_DECISION: usize = 150;

/// What each contact costs that the decision of a leaf pair finds, in pairs of nodes: 4 µs, with
/// what touches first.
pub const NODE_PAIRS_PER_CONTACT: usize = 230;

/// Pairs of a separation list that are certified ahead at the cost of one node of a kinetic tree.
/// Of 24, 48, 64 and 96 it gives the lowest longest step over the median of loops at times.
pub const LIST_PAIRS_PER_NODE: usize = 48;

/// What entering the decision of two triangles costs, in pairs of nodes: 0.3 to 0.6 µs with 2,600
/// to 9,200 of them, of which some have contacts.
pub const NODE_PAIRS_PER_ENTRY: usize = 16;

/// Steps over which the cost of decisions made ahead is averaged.
pub const STEPS_OF_USUAL_SHARE: f64 = 32.0;

/// How many decisions of leaf pairs are entered at the cost of one of them. An estimate.
pub const ENTRIES_PER_DECISION: usize = 6;

/// Cost of finding the times at which a candidate certainly touches, node pairs of 13 to 20 ns.
pub const NODE_PAIRS_PER_CANDIDATE: f64 = 20.0;

/// Cost of every part of an interval that is examined for a candidate's certainty, node pairs.
pub const NODE_PAIRS_PER_CERTAINTY_PIECE: f64 = 3.0;

/// Cost of an exact test of a candidate at a step, positions included, node pairs.
pub const NODE_PAIRS_PER_TEST: f64 = 4.0;

/// Cost of an exact test of a candidate about which nothing is certain, node pairs: its triangles
/// touch or separate.
pub const NODE_PAIRS_PER_UNCERTAIN_TEST: f64 = 16.0;

/// Cost of reaching a pair of overlapping leaves in a refit, node pairs.
pub const NODE_PAIRS_PER_OVERLAPPING_LEAVES: f64 = 5.0;

/// Cost of reaching a pair of overlapping leaves and of testing its triangles, node pairs.
pub const NODE_PAIRS_PER_TESTED_LEAVES: f64 = 9.0;

/// Cost of evaluating and refitting one triangle, node pairs.
pub const NODE_PAIRS_PER_REFITTED_TRIANGLE: f64 = 0.4;

/// Points of the next interval that are evaluated, or leaves whose boxes are made, for the cost of
/// two node pairs: 6 to 15 ns each, by what else uses the memory.
pub const POINTS_PER_TWO_NODE_PAIRS: usize = 4;

/// The same of points whose keys lie vertex by vertex, as certificates need them, up to
/// [`VERTICES_OF_FAST_ROWS`]: 10 to 17 ns each. Of larger bodies each costs two node pairs, 28 ns.
pub const ROWS_PER_TWO_NODE_PAIRS: usize = 2;

/// Vertices from which the keys of a body are far larger than the second cache.
pub const VERTICES_OF_FAST_ROWS: usize = 16_384;

/// Boxes of nodes that are united for the cost of one node pair.
pub const BOXES_PER_NODE_PAIR: usize = 4;

// Intervals: `cargo bench --bench pairs` and `cargo bench --bench interval_trees`
// -------------------------------------

/// Intervals after which the front of a pair of bodies is rebuilt. Fewer costs traversals from the
/// root, more lets the front descend.
pub const INTERVALS_PER_FRONT: u32 = 4;

/// Node pairs per node of both trees that finding the triangles of an interval may visit for
/// continuous contacts.
///
/// Beyond, the interval is too long or its motion too fast, and a separation list is cheaper. Cloth
/// against itself visits about twenty.
pub const MAX_INTERVAL_VISITS_PER_NODE: usize = 256;

/// Triangles of two bodies, one of them bounded from few parameters, per pair of nodes visited
/// before its vertices are evaluated for an interval.
///
/// Evaluating and refitting a triangle costs about 6 ns, a pair of nodes about 400 ns. More
/// evaluates bodies that are near but do not meet.
pub const TRIANGLES_PER_VISIT: usize = 64;

/// Least number of pairs of nodes visited before that.
pub const LEAST_VISITS_BEFORE_EVALUATION: usize = 64;

/// Steps per interval from which the times at which candidates certainly touch are computed.
///
/// Below this, testing every step is cheaper.
pub const MIN_STEPS_FOR_CERTAINTY: f64 = 6.0;

/// Steps per interval up to which candidates that are many more than before are tested at each
/// step: that costs 0.07 µs per candidate and step where most are soon apart.
pub const FEW_STEPS: f64 = 16.0;

/// Candidates whose certainty is determined, however few there were before.
pub const ALWAYS_EXAMINED: usize = 64;

/// Triangles of both bodies per leaf pair up to which triangles are paired for whole intervals.
/// Bounds the memory in proportion to the bodies.
pub const MAX_TRIANGLES_PER_LEAF_PAIR: usize = 256;

/// Least work of an advance for the next interval of a pair of bodies, node pairs of about 5 ns.
/// Bounds latency: `cargo bench --bench latency`.
pub const MIN_PREFETCH_BUDGET: usize = 256;

// Bounds of reduced bodies: `cargo bench --bench reduced --features io`
// -----------------------------------------------

/// Default number of triangles in a leaf of a reduced body's tree. Bounds grow looser towards the
/// leaves, and a leaf is bounded before its vertices are evaluated. Fewer costs bounds, more costs
/// vertices and triangle tests.
pub const REDUCED_LEAF_SIZE: usize = 16;

/// Default number of triangles in a leaf of a body that is bounded from its parameters: at most the
/// leaf size of a front of refitted trees.
pub const ON_DEMAND_LEAF_SIZE: usize = 8;

/// Cost of bounding one influence of a node in `f32`, in the unit of [`BLOCK_COST`] and
/// [`BLOCK_JOIN_COST`].
pub const INFLUENCE_COST: usize = 9;

/// Cost of bounding eight influences of a node side by side.
pub const BLOCK_COST: usize = 38;

/// Cost of joining the blocks of a node.
pub const BLOCK_JOIN_COST: usize = 50;

/// Points of a pixel, in pixels, of which one must be inside of occluders that cover the pixel
/// together. Edges often pass through the middle and along diagonals, so others are beside these.
pub const PIXEL_POINTS: [[f64; 2]; 5] = [[0.5, 0.5], [0.31, 0.43], [0.57, 0.29], [0.71, 0.62], [0.39, 0.77]];

/// Steps of a query between two readings of the clock, if its budget is a time. Fewer would read
/// the clock more often than a pair of boxes is worth; more end later than asked for.
pub const STEPS_PER_CLOCK: u64 = 16;

/// Improvements of a bound on a screen after the first estimate. Each further step gains less.
pub const SCREEN_BOUND_STEPS: usize = 2;

/// Least proven length of a set's blended quaternions with which its vertices are blended in `f32`:
/// errors grow with the inverse. Blends of joints that turn against each other by up to 120 degrees
/// are as long.
pub const SHORT_BLEND: f64 = 0.5;

/// Divisions of a simplex of weights for the shortest blend of its joints' quaternions. Each makes
/// the bound tighter, and takes some hundred products.
pub const SIMPLEX_CUTS: usize = 48;

/// Levels tried for a box at `Level::Optimum` after the paper's. Each further step gains less.
pub const OPTIMUM_LEVEL_STEPS: usize = 4;

/// Pieces of linear motion whose end parameters are cached, most recent ones. Fewer saves memory
/// (some hundred bytes per influence each), more saves evaluating poses again.
pub const CACHED_POSES: usize = 64;

/// Most triangles of a reduced body that a query or a world evaluates at once. Fewer costs bounds,
/// more costs vertices that nothing approaches.
pub const BLOCK_TRIANGLES: usize = 64;

/// Most triangles that such a query compares one by one, eight boxes at a time; at most
/// [`BLOCK_TRIANGLES`].
///
/// Fewer costs more pairs of leaves.
pub const QUERY_LEAF_TRIANGLES: usize = 32;

/// Most children of a box in such a query's tree; levels of the body's tree are skipped. At least
/// the children of a node.
pub const MAX_QUERY_CHILDREN: usize = 8;

/// Part of two bodies' vertices from which a query evaluates all vertices instead of one leaf at a
/// time (unitless).
pub const EVALUATE_ALL_FROM: f64 = 0.5;

/// Part of two bodies' vertices in leaves with candidates below which a query evaluates leaves one
/// at a time again (unitless). Must be less than [`EVALUATE_ALL_FROM`], or queries alternate
/// between both modes.
pub const EVALUATE_ALL_UNTIL: f64 = 0.25;

/// Part of the triangles of an on-demand body from which all of it is evaluated and refitted
/// (unitless), counted in blocks ([`BLOCK_TRIANGLES`]) with a leaf that overlaps another body.
///
/// A front of refitted trees is cheaper than a traversal from the root, so this is less than
/// [`EVALUATE_ALL_FROM`].
pub const ON_DEMAND_REFIT_FROM: f64 = 0.1;

/// Part of the triangles below which the body is bounded on demand again (unitless). Must be less
/// than [`ON_DEMAND_REFIT_FROM`].
pub const ON_DEMAND_REFIT_UNTIL: f64 = 0.05;

/// Default number of triangles in a leaf of a sphere tree.
pub const SPHERE_LEAF_SIZE: usize = 4;

/// Default part of its parent's radius above which a node of a sphere tree is left out (unitless).
/// Less gives nodes more children; 1 keeps the tree binary.
pub const SPHERE_PRUNE_RATIO: f64 = 0.8;

/// Most points that may join a smallest enclosing ball one after the other. Only rounding reaches
/// it; the ball contains all points in any case.
pub const MAX_BALL_STEPS: usize = 256;

// Proxies: `cargo bench --features rapier --bench proxy`
// --------------------------------------------------------------

/// Distance in radii of a cluster from which its triangles are summed as one dipole (unitless).
///
/// Larger is slower and closer to the plain sum; at 3 the winding number of a closed surface is off
/// by a few hundredths.
pub const DIPOLE_DISTANCE: f64 = 3.0;

/// Residual of a conjugate gradient solution, relative to the first, at which it ends, 10⁻¹²
/// (unitless).
pub const SOLVER_TOLERANCE: f64 = 1e-12;

/// Stiffness of a fitted cage, relative to one vertex of the mesh (unitless). Smaller meets the
/// mesh better and lets cage vertices far from it wander; larger smooths dents.
pub const CAGE_STIFFNESS: f64 = 1e-3;

/// Samples of a surface at which a choice of spheres over poses compares candidates. More take
/// longer in proportion.
pub const CHOICE_SAMPLES: usize = 2048;

/// Spheres of a packing that a choice over poses is made from. More take longer in proportion.
pub const CHOICE_SPHERES: usize = 4096;

/// Most joints that a sphere is tried with in a choice over poses.
pub const CHOICE_JOINTS: usize = 3;

/// Part in the surface near a sphere from which a joint is tried (unitless).
pub const CHOICE_SHARE: f64 = 0.15;

/// Distance up to which the surface is near a sphere, in radii.
pub const CHOICE_REACH: f64 = 0.5;

// Advances that can be cancelled
// --------------------------------------------------------------

/// Pairs of triangles of a pair of bodies from which the decision of their next
/// windows is divided in parts where an advance can be cancelled: a few milliseconds.
pub const LONG_DECISION: usize = 1024;

/// Parts of such a decision, between which the flag is read.
pub const PARTS_OF_A_LONG_DECISION: u32 = 64;

// Checks of clips
// --------------------------------------------------------------

/// Bytes of positions at keys that a check holds at once, per body and thread, where a body has
/// more: 8 MiB. Less divides a clip into more parts, of which each builds its trees.
pub const KEY_BYTES_AT_ONCE: usize = 8 << 20;

/// Fewest keys of a part of a clip. At ten a part costs half as much again for trees of 200,000
/// triangles.
pub const FEWEST_KEYS_OF_A_PART: usize = 64;

/// How much narrower a rigid body may be between two keys, as a part of its size, without a remark
/// of a scene file: a turn by 11.5°.
pub const REMARKED_SHRINK: f64 = 5e-3;

/// Distance of neighbouring 32-bit positions, as a part of the body's size, from which on a scene
/// file has a remark.
pub const REMARKED_ROUNDING: f64 = 1e-3;
