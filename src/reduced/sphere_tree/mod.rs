//! Sphere trees for linear and spherical blend skinning: spheres of any node from the joints alone,
//! computed on demand.
//!
//! A node stores a sphere around its vertices at rest, `[p, r]`, and the range of every joint's
//! weight over them, once for every joint set among them. A sphere that
//! contains all its vertices in a pose follows in O(joints of the node):
//!
//! **Weights.** Weights are `l_j + δ_j` with `0 ≤ δ_j ≤ d_j` and `Σ δ_j = R` (`combination`). So
//! whatever is blended, points or quaternions `x_j`, `Σ w_j x_j` lies in the ball around
//! `Σ l_j x_j + R x̄` (`x̄` any middle, here the mean weighted by `d_j`) whose radius is the
//! limited combination of the distances `|x_j − x̄|`. No corners are listed, none can be
//! infeasible, and ranges that are points make radii of zero.
//!
//! **Linear blending.** The ball of `x_j = T_j p`, and `r` stretched by the joints' maps.
//!
//! **Spherical blending.** `s_w Q_w (v − r_c) + Σ w_j C_j r_c`: the second part is linear. The
//! first is compared with the rotation `Q` of the weights' middle: the difference of their images
//! of `p − r_c` is a blend of the commutators of the joints' quaternions with it, over the length
//! of the blended quaternion (`frame`). It counts the turn across `p − r_c` only, so far rotation
//! centres and axes along the limb cost nothing. If the blended quaternion may vanish, any rotation
//! is possible and the result is the whole sphere. No angle is computed, so no argument leaves the
//! range of an arc cosine.
//!
//! Quaternions are those of the skinning itself, on its hemisphere
//! ([`JointSets::frame`](super::JointSets::frame)).
//!
//! **Tree.** Halved along the direction of largest variance. Nodes whose sphere is hardly smaller
//! than their parent's are omitted, so nodes have any number of children.
//!
//! Cost: O(triangles · log) to build; a sphere O(joints of the node), or of all joint sets below
//! it.
//!
//! Follows Kavan, O'Sullivan and Žára 2006 ("Fast and efficient collision detection for spherical
//! blend skinning"), with these errors corrected: its Lemma 5 beyond a right angle; arguments of
//! the arc cosine beyond one; blends near zero; unspecified signs of quaternions; infeasible
//! corners; weights whose sum is rounded. Departs from it in balls around weights instead of
//! corners, in commutators instead of caps, in uniform scales, and in a separate rest sphere for
//! every joint set. Nothing here is linear in time: a
//! sphere belongs to one pose.

mod ball;
mod blend;
mod build;
mod frame;
mod posed;
mod query;
mod sphere;

pub use ball::smallest_ball;
pub use build::{SphereParams, SphereTree};
pub use posed::PosedSpheres;
pub use query::{Proximity, SphereSearch, all_touching, any_touching};
pub use sphere::Sphere;

pub(crate) use frame::SphereFrame;
