//! The walking figure as a skin: a mesh at rest, at most two bones per vertex, and the poses of the
//! bones at key times.
//!
//! The same body as in [`super::WalkDef`], before it is skinned: closed tubes that overlap where
//! limbs begin.

use super::figure::{BodyMesh, Build, tubes};
use super::gait::{BONES, Gait};
use super::walk::edge_for;
use super::{MOST_KEYS, MOST_TRIANGLES, Random, key_times};

/// Keys per second: 30 keys make one walk cycle.
const KEY_RATE: f64 = 30.0;
/// Fewest triangles the figure is made of.
const LEAST_TRIANGLES: usize = 500;

/// A walking figure with bones. The seed chooses the gait.
///
/// ```
/// use kinetree::scenes::SkinnedFigureDef;
/// let figure = SkinnedFigureDef { triangles: 2_000, keys: 3, ..Default::default() }.generate();
/// assert_eq!(figure.poses.len(), 3 * figure.bones);
/// assert_eq!(figure.weights.len(), figure.positions.len());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedFigureDef {
    /// Seed of the gait.
    pub seed: u64,
    /// Triangles, at least 500; met within 5 %.
    pub triangles: usize,
    /// Number of keys at 30 per second, at least 1; 31 make one walk cycle.
    pub keys: usize,
    /// Whether the figure walks on along `z`, at about 1.4 m/s, rather than on the spot.
    pub forward: bool,
}

impl Default for SkinnedFigureDef {
    fn default() -> Self {
        Self { seed: 1, triangles: 8_000, keys: 31, forward: true }
    }
}

/// A mesh, its bones, and their motion.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedFigure {
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Rest positions in metres.
    pub positions: Vec<[f32; 3]>,
    /// Number of bones.
    pub bones: usize,
    /// Per vertex two bones and their weights, which sum to 1; the second is often 0.
    pub weights: Vec<[(u32, f64); 2]>,
    /// Key times in seconds, strictly increasing, starting at 0.
    pub times: Vec<f64>,
    /// Key by key, bone by bone: the upper rows of the matrix that maps rest positions to the
    /// bone's pose.
    pub poses: Vec<[[f64; 4]; 3]>,
}

impl SkinnedFigureDef {
    /// Generates the figure. Linear in triangles + keys.
    pub fn generate(&self) -> SkinnedFigure {
        let mut random = Random::for_part(self.seed, 0x5346);
        let gait = Gait::new(&mut random, 0.092, 0.198);
        let tubes = tubes(&gait, Build { hips: 0.97, waist: 1.08, shoulders: 1.10, limbs: 1.06 });
        let wanted = self.triangles.clamp(LEAST_TRIANGLES, MOST_TRIANGLES);
        let edge = edge_for(wanted, |edge| tubes.iter().map(|tube| tube.triangle_count(edge)).sum());
        let body = BodyMesh::new(&tubes, edge);
        let times = key_times(self.keys.clamp(1, MOST_KEYS), KEY_RATE);
        let speed = if self.forward { gait.natural_speed() } else { 0.0 };
        let mut poses = Vec::with_capacity(times.len() * BONES);
        for &time in &times {
            poses.extend(gait.poses(time).iter().map(|pose| pose.rows(speed * time)));
        }
        let (positions, weights) = (body.rest(), body.weights());
        SkinnedFigure { triangles: body.triangles, positions, bones: BONES, weights, times, poses }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_whole_and_the_same_every_time() {
        let def = SkinnedFigureDef { triangles: 3_000, keys: 4, ..SkinnedFigureDef::default() };
        let figure = def.generate();
        assert_eq!(figure, def.generate());
        assert!(figure.triangles.len().abs_diff(3_000) < 150, "{}", figure.triangles.len());
        assert!(figure.triangles.iter().flatten().all(|&corner| (corner as usize) < figure.positions.len()));
        for pair in &figure.weights {
            assert!((pair[0].1 + pair[1].1 - 1.0).abs() < 1e-15 && pair.iter().all(|&(bone, _)| bone < BONES as u32));
        }
        // Rows of a rotation have length 1; the walk moves forward.
        for rows in &figure.poses {
            for row in rows {
                let square: f64 = row[..3].iter().map(|x| x * x).sum();
                assert!((square - 1.0).abs() < 1e-12);
            }
        }
        assert!(figure.poses[3 * BONES][2][3] > figure.poses[0][2][3] + 0.1);
    }
}
