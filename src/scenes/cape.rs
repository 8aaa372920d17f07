//! A walking figure in a cape that is not fitted to it: a clip with faults to be found.
//!
//! The figure is that of `figure` and `gait`. The cape is a sheet behind its back. It hangs from
//! below the neck, follows the chest with a lag that grows towards the hem, and carries travelling
//! folds. It is pushed out of the trunk and of the upper arms, but of nothing else: forearms that
//! swing back and feet that are lifted go through it, as garments of games do that are animated by
//! hand.

use core::f64::consts::TAU;

use super::figure::{ARMS, BodyMesh, Build, TRUNK, Tube, tubes};
use super::gait::{BONES, CHEST, CYCLE, Gait, Pose};
use super::walk::edge_for;
use super::{
    Clip, GeneratedBody, GeneratedScene, MOST_KEYS, MOST_TRIANGLES, Random, Vector, grid_triangles, key_times, nominal,
    smooth_step, stored,
};

/// Keys per second: 30 keys make one walk cycle.
const KEY_RATE: f64 = 30.0;
/// Fewest triangles of figure and cape.
const LEAST_TRIANGLES: usize = 1_000;
/// Fraction of the triangles that belongs to the cape.
const CAPE_SHARE: f64 = 0.35;
/// Height of the upper edge at rest, and length of the cloth, metres.
const TOP: f64 = 1.40;
const LENGTH: f64 = 0.98;
/// Half the angle around the back that the cape covers, at its upper edge and at its hem, radians.
const SPREAD: [f64; 2] = [0.95, 1.45];
/// Half axes of the cape's cross-section at its upper edge, and what the hem has more, metres.
const SIDE: [f64; 2] = [0.175, 0.215];
const BACK: [f64; 2] = [0.125, 0.055];
/// Lag of the hem behind the chest, seconds.
const LAG: f64 = 0.16;
/// Depth of the folds at the hem, and how far the hem is blown back, metres.
const FOLDS: f64 = 0.028;
const BILLOW: f64 = 0.03;
/// Distance of the cape from trunk and upper arms, metres.
const GAP: f64 = 0.012;

/// A walking figure and its cape, two [`Clip`]s with common key times; the cape is the first body.
///
/// The figure walks on the spot, a cycle a second. The seed chooses gait and folds. The cape has a
/// third of the triangles.
///
/// ```
/// use kinetree::scenes::CapeDef;
/// let scene = CapeDef { triangles: 2_000, keys: 3, ..Default::default() }.generate();
/// assert_eq!(scene.bodies.len(), 2);
/// assert!(scene.triangle_count().abs_diff(2_000) < 200);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CapeDef {
    /// Seed of gait and folds.
    pub seed: u64,
    /// Triangles of both bodies together, at least 1,000; met within 10 %.
    pub triangles: usize,
    /// Number of keyframes at 30 per second, at least 1.
    pub keys: usize,
}

impl Default for CapeDef {
    fn default() -> Self {
        Self { seed: 1, triangles: 3_000, keys: 46 }
    }
}

/// The cape's grid and the data of its folds.
struct Cape {
    columns: usize,
    rows: usize,
    phase: f64,
}

impl CapeDef {
    /// Generates the scene. Linear in triangles × keys.
    pub fn generate(&self) -> GeneratedScene {
        let mut random = Random::for_part(self.seed, 0x4341);
        let gait = Gait::new(&mut random, 0.092, 0.198);
        let tubes = tubes(&gait, Build { hips: 0.97, waist: 1.08, shoulders: 1.10, limbs: 1.06 });
        let wanted = self.triangles.clamp(LEAST_TRIANGLES, MOST_TRIANGLES);
        let cape = Cape::new(wanted as f64 * CAPE_SHARE, &mut random);
        let triangles = grid_triangles(cape.columns, cape.rows, false);
        let for_body = wanted - triangles.len().min(wanted);
        let edge = edge_for(for_body, |edge| tubes.iter().map(|tube| tube.triangle_count(edge)).sum());
        let body = BodyMesh::new(&tubes, edge);

        let times = key_times(self.keys.clamp(1, MOST_KEYS), KEY_RATE);
        let (mut cloth, mut skin) = (Vec::new(), Vec::new());
        for &time in &times {
            let poses = gait.poses(time);
            cape.append(&gait, &tubes, &poses, time, &mut cloth);
            body.append(&poses, 0.0, &mut skin);
        }
        let cape = Clip {
            name: "cape".into(),
            vertex_count: cape.vertex_count(),
            triangles,
            times: times.clone(),
            positions: cloth,
        };
        let vertex_count = body.vertex_count();
        let figure = Clip { name: "figure".into(), vertex_count, triangles: body.triangles, times, positions: skin };
        let total = cape.triangles.len() + figure.triangles.len();
        GeneratedScene {
            name: format!("walk-cape-{}", nominal(total)),
            seed: self.seed,
            bodies: vec![GeneratedBody::Keyed(cape), GeneratedBody::Keyed(figure)],
        }
    }
}

impl Cape {
    fn new(triangles: f64, random: &mut Random) -> Self {
        // Length of the cloth over its mean width, so that cells are about as long as wide.
        const ASPECT: f64 = 1.6;
        let cells = triangles / 2.0;
        let columns = ((cells / ASPECT).sqrt().round() as usize).max(6);
        let rows = ((cells / columns as f64).round() as usize).max(8);
        Self { columns, rows, phase: random.between(0.0, TAU) }
    }

    fn vertex_count(&self) -> usize {
        (self.columns + 1) * (self.rows + 1)
    }

    /// Appends all vertices at `time`, with the body in the poses `now`.
    fn append(&self, gait: &Gait, tubes: &[Tube], now: &[Pose; BONES], time: f64, positions: &mut Vec<f32>) {
        for row in 0..=self.rows {
            let depth = row as f64 / self.rows as f64;
            let chest = gait.poses(time - LAG * depth)[CHEST];
            for column in 0..=self.columns {
                // Seen from outside, behind the back, columns run to the right, which is −x to +x.
                let across = 1.0 - 2.0 * column as f64 / self.columns as f64;
                let mut point = self.hang(&tubes[TRUNK], &chest, [across, depth, time]);
                if depth < 0.35 {
                    for arm in ARMS {
                        point = tubes[arm].push_out(now, &point, GAP);
                    }
                }
                positions.extend(stored(&tubes[TRUNK].push_out(now, &point, GAP)));
            }
        }
    }

    /// A point of the sheet that nothing pushes.
    fn hang(&self, trunk: &Tube, chest: &Pose, [across, depth, time]: [f64; 3]) -> Vector {
        let angle = across * (SPREAD[0] + (SPREAD[1] - SPREAD[0]) * depth);
        let beat = TAU * time / CYCLE;
        let loose = smooth_step(0.0, 0.8, depth);
        let fold = FOLDS * loose * libm::cos(7.0 * angle + self.phase + 0.5 * libm::sin(beat - 1.5 * depth));
        let (side, back) = (SIDE[0] + SIDE[1] * depth + fold, BACK[0] + BACK[1] * depth + fold);
        let blown = BILLOW * depth * depth * (1.0 + 0.5 * libm::sin(2.0 * beat - 3.0 * depth));
        let rest = trunk.rest_point(TOP - LENGTH * depth, -side * libm::sin(angle), -back * libm::cos(angle) - blown);
        chest.apply(&rest)
    }
}
