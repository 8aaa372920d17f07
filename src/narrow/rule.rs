//! Which pairs of triangles are asked about, and what counts as contact.

use super::triangles_touch;

/// Which pairs of triangles are asked about, and what counts as contact. Triangles are named by
/// their numbers.
pub trait ContactRule {
    /// The largest distance, metres, at which two triangles count as touching: farther apart no
    /// test is needed.
    fn distance(&self) -> f64 {
        0.0
    }

    /// How far along an axis corners may be from where they are given to [`ContactRule::touch`],
    /// metres; 0 where they are there.
    fn blur(&self) -> f64 {
        0.0
    }

    /// The largest distance along an axis, metres, at which boxes of given corners may be apart
    /// though the triangles touch.
    fn box_distance(&self) -> f64 {
        let blur = self.blur();
        // Some roundings.
        if blur > 0.0 { (self.distance() + 2.0 * blur) * (1.0 + 4.0 * f64::EPSILON) } else { self.distance() }
    }

    /// Whether this pair is to be tested.
    fn wants(&self, a: u32, b: u32) -> bool;

    /// Tests whether two triangles with these corners, or within the blur of them, count as
    /// touching. Exact.
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
