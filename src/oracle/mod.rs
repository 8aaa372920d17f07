//! Baselines: the same answers by standard methods. They are the oracle of the tests and the
//! reference of the benchmarks.
//!
//! All process one frame of evaluated positions at a time. Brute force shares only the exact
//! triangle test with the other engines; that test has an oracle of its own.

mod brute_force;

pub use brute_force::touching_by_brute_force;
pub(crate) use brute_force::touching_by_brute_force_in;

/// One body at one time: triangles over positions, metres.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Vertex numbers of every triangle.
    pub triangles: &'a [[u32; 3]],
    /// Position of every vertex.
    pub positions: &'a [[f64; 3]],
}

impl Shape<'_> {
    /// The corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [[f64; 3]; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }
}
