//! Sphere trees for linear and spherical blend skinning: spheres of any node from the joints alone,
//! computed on demand.
//!
//! A node stores a sphere around its vertices at rest, `[p, r]`, and the range of every joint's
//! weight over them; under spherical blending once for every joint set among them. A sphere that
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
//! **Spherical blending.** `Q (v − r_c) + Σ w_j C_j r_c`: the second part is linear. For the first,
//! take the ball of the joints' quaternions, centre `b`, radius `ρ`. If `ρ < |b|`, every blend's
//! direction is within `θ` of `b`'s, `sin θ = ρ / |b|`. Rotating `p − r_c` by them gives a cap of
//! angle `α = 2 θ` on the sphere of radius `|p − r_c|`.
//!
//! Up to a right angle the cap's smallest sphere has the centre `cos α · Q_b (p − r_c)` and the
//! radius `sin α · |p − r_c|`. Beyond it, the cap contains a great circle and the result is the
//! whole sphere. If `ρ ≥ |b|` any rotation is possible. Cosine and sine of `2 θ` follow from those
//! of `θ` by products: no angle is computed, so no argument leaves the range of an arc cosine.
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
//! corners, and in a separate rest sphere for every joint set. Nothing here is linear in time: a
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
