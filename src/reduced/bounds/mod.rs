//! Bounds of reduced bodies from their few parameters, without evaluating vertices.
//!
//! A [`BoundTree`] stores, for every node of a tree over the triangles, the box of its vertices at
//! rest and the range of each influence's weights. A [`Frame`] holds the parameters at a time, or
//! at an end of a piece of linear motion. Both together give the extent of a node along any
//! direction in O(influences of the node):
//!
//! | query | answer |
//! |---|---|
//! | a box, at a time | [`BoundTree::node_box`]; united from levels below: [`BoundTree::united_box`] |
//! | many directions | [`BoundTree::polytope`] over [`Directions`] (14, 18, 26 or any) |
//! | one direction | [`BoundTree::support`] |
//! | a rectangle on a screen | [`BoundTree::screen_rectangle`]; the smallest one: [`PosedBounds::screen_rectangle`] |
//! | frustum, direction, ray, box, nearest point | [`PosedBounds::visibility`], [`PosedBounds::support`], [`PosedBounds::ray`], [`PosedBounds::triangles_in`], [`PosedBounds::nearest`] |
//! | which triangles of two bodies touch, pose after pose | [`PairQuery`] over two [`PosedBounds`] |
//! | whether occluders hide a body | [`PosedBounds::is_hidden`] with a [`DepthPyramid`] |
//! | whether two bodies touch, within a [`Budget`]; the pairs left undecided | [`PairQuery::decide`], [`PairQuery::resume`], [`PairQuery::undecided`] |
//! | a box that moves linearly, and until when | [`MovingBounds`], a `KineticHierarchy` |
//!
//! **Extremal certificates.** `KineticHierarchy::bound` is the interface the theory asks for: a
//! node and a direction in, out comes a bound linear in time (`Piece`) with its expiry (the piece's
//! end). Trees of vertices answer it with their winner's line, reduced bodies with the bounds at
//! both ends of a piece.
//!
//! **Why it holds.** A vertex is `Σ w_j T_j v` with `v` in the node's rest box, so along a
//! direction each `T_j v` is at most the support `b_j` of the transformed box, and the vertex at
//! most the limited convex combination of them (`combination`). That is of one pose. Between the
//! two poses at the ends of a piece every vertex is on its chord but for a proven deviation, and a
//! chord lies between valid bounds of its ends, whatever the weights' signs: so bounds of both
//! poses, interpolated and moved outward by what any of the node's vertices deviates, are valid in
//! between. Rounding is paid for at the end, see [`crate::limits::REDUCED_ROUNDING`] and
//! [`crate::limits::REDUCED_F32_ROUNDING`].
//!
//! Bounds of a [`BoundTree`] are for [`Blend::Linear`](super::Blend::Linear) and
//! [`Blend::Combination`](super::Blend::Combination). For spherical blending [`MovingBounds`] and
//! [`PosedBounds`] move them outward by its distance from linear blending. The spheres of
//! [`super::sphere_tree`] also give worlds their boxes.
//!
//! Follows Steinemann, Otaduy and Gross 2008; departs from it in the dual form, in time, and in
//! bounds united from below.

mod audit;
mod blended;
mod blocks;
mod budget;
#[cfg(not(feature = "unstable"))]
pub(crate) mod combination;
#[cfg(feature = "unstable")]
pub mod combination;
mod deviation;
mod direct;
mod directions;
mod frame;
mod kept;
mod lanes;
mod layout;
mod many;
mod moving;
mod occlusion;
mod packed;
mod pair;
mod place;
mod posed;
mod rounded;
#[cfg(test)]
pub(super) mod rounded_tests;
mod rows;
mod screen;
mod side;
mod tree;
mod turned;
mod turning;

pub(super) use blended::{Between, Blended, Ends};
pub use budget::Budget;
pub use direct::Level;
pub use directions::Directions;
pub use frame::Frame;
pub use moving::MovingBounds;
pub use occlusion::{Depth, DepthPyramid, View};
pub use pair::{Decision, PairQuery, PairStats, Way};
pub use posed::{Counts, PoseHit, PosePoint, PosedBounds, Support, Visibility};
pub use screen::{Camera, Rectangle};
pub use tree::{BoundParams, BoundTree, RestBoxes};
