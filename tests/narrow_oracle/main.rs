//! The exact tests of `narrow` against rational linear programming.
//!
//! The oracle (`oracle.rs`) asks whether a linear system has a solution in nonnegative numbers, by
//! the simplex method in rationals, and checks its own answer before giving it: a solution by
//! putting it into the equations, its absence by Farkas' certificate (for two triangles: a plane
//! with one strictly on each side). It knows no orientation sign, no projection and no case
//! distinction by dimension.

mod guards;
mod oracle;
mod rays;
mod samples;
mod triangles;

type Point = [f64; 3];
type Triangle = [Point; 3];
