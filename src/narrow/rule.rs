//! Which pairs of triangles are asked about, and what counts as contact.

use super::triangles_touch;

/// Which pairs of triangles are asked about, and what counts as contact. Triangles are named by their numbers.
pub trait ContactRule {
    /// The largest distance, metres, at which two triangles count as touching: farther apart no test is needed.
    fn distance(&self) -> f64 {
        0.0
    }

    /// Whether this pair is to be tested.
    fn wants(&self, a: u32, b: u32) -> bool;

    /// Tests whether two triangles with these corners count as touching. Exact.
    fn touch(&self, a: (u32, &[[f64; 3]; 3]), b: (u32, &[[f64; 3]; 3])) -> bool {
        triangles_touch(a.1, b.1)
    }
}

/// All pairs are asked about, and those that share a point touch.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryPair;

impl ContactRule for EveryPair {
    fn wants(&self, _: u32, _: u32) -> bool {
        true
    }
}
