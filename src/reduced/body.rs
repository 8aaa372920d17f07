//! A reduced mesh with a driver: positions at any moment, and deviations of vertices from linear
//! motion.

use std::sync::Arc;

use nalgebra::Vector3;

use super::driver::zero_wins;
use super::pieces::{ChordSpeed, Reach};
use super::set_bounds::SetPiece;
use super::set_derivatives::BlendGrowth;
use super::{Blend, DerivativeBounds, Driver, Pose, PoseDerivativeBounds, ReducedError, ReducedMesh, SimilarityBounds};
use crate::limits;
use crate::time::{Moment, Span};

/// A reduced mesh and its driver.
#[derive(Clone, Debug)]
pub struct ReducedBody {
    mesh: Arc<ReducedMesh>,
    driver: Arc<dyn Driver>,
    /// Per map, the largest distance from its centre of the rest positions that it moves, metres;
    /// negative if it moves none.
    reaches: Vec<f64>,
    /// Per morph target, its largest displacement, metres.
    displacements: Vec<f64>,
    /// Largest sum of magnitudes of a vertex's weights: 1 for convex ones.
    weight: f64,
}

impl ReducedBody {
    /// Combines a mesh and a driver. O(weights + displacements).
    ///
    /// # Errors
    /// A driver with another number of maps or morph weights; under spherical blending, maps that
    /// shear, mirror or scale unevenly at some break.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use kinetree::reduced::{Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy};
    /// use kinetree::{Mesh, Outside};
    /// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
    /// # let mesh = Arc::new(ReducedMesh::new(def)?);
    /// # let lifted = Pose { maps: vec![Affine::from_parts([0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3])], morphs: vec![] };
    /// # let driver = PoseKeys::new(&[0.0, 1.0], vec![Pose::rest(1, 0), lifted], vec![[0.0; 3]], Outside::Hold)?;
    ///
    /// let body = ReducedBody::new(mesh, Arc::new(driver))?; // Lifted by 2 m in 1 s.
    /// let mut corner = Vec::new();
    /// body.positions(kinetree::Moment::at(0.5), &[0], &mut corner)?;
    /// assert_eq!(corner, [[0.0, 0.0, 1.0]]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(mesh: Arc<ReducedMesh>, driver: Arc<dyn Driver>) -> Result<Self, ReducedError> {
        check_poses(&mesh, &*driver)?;
        let mut reaches = vec![-1.0f64; mesh.map_count()];
        let mut displacements = vec![0.0f64; mesh.morph_count()];
        let mut weight = 1.0f64;
        for (vertex, position) in mesh.rest_positions().iter().enumerate() {
            let vertex = vertex as u32;
            let position = Vector3::from(position.map(f64::from));
            for &map in mesh.influences().indices_of(vertex) {
                let distance = (position - Vector3::from(driver.centres()[map as usize])).norm();
                reaches[map as usize] = reaches[map as usize].max(distance);
            }
            for (morph, delta) in mesh.morphs_of(vertex) {
                let length = Vector3::from(delta.map(f64::from)).norm();
                displacements[morph as usize] = displacements[morph as usize].max(length);
            }
            let sum = mesh.influences().weights_of(vertex).iter().map(|weight| weight.abs()).sum();
            weight = weight.max(sum);
        }
        Ok(Self { mesh, driver, reaches, displacements, weight })
    }

    /// The same mesh with another driver: another clip, or other poses. A world keeps the bounds of
    /// a body that gets the plan of such a one ([`crate::world::World::set_flightplan`]).
    ///
    /// O(breaks × maps) if both drivers have the same centres, otherwise as [`ReducedBody::new`].
    ///
    /// # Errors
    /// As [`ReducedBody::new`].
    pub fn with_driver(&self, driver: Arc<dyn Driver>) -> Result<Self, ReducedError> {
        if driver.centres() != self.driver.centres() {
            return Self::new(Arc::clone(&self.mesh), driver);
        }
        check_poses(&self.mesh, &*driver)?;
        Ok(self.driven_alike(driver))
    }

    /// The same with a checked driver that has the same centres.
    pub(super) fn driven_alike(&self, driver: Arc<dyn Driver>) -> Self {
        Self { driver, ..self.clone() }
    }

    /// The same body under spherical blending, around the driver's centres: the rest positions of
    /// joints. Bodies of files are blended linearly. O(weights + breaks × maps).
    ///
    /// # Errors
    /// [`ReducedError::NotRigid`] for maps that shear, mirror or scale unevenly at some break;
    /// weights that are not convex.
    pub fn blended_spherically(&self) -> Result<Self, ReducedError> {
        let joints = self.driver.centres().to_vec();
        Self::new(Arc::new(self.mesh.blended(Blend::Spherical { joints })?), Arc::clone(&self.driver))
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<ReducedMesh> {
        &self.mesh
    }

    /// The driver.
    pub fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    /// The pose at a moment.
    pub fn pose(&self, at: Moment, pose: &mut Pose) {
        self.driver.pose(at, pose);
    }

    /// Writes the positions of some vertices at a moment, metres; `out` is emptied first.
    ///
    /// # Errors
    /// As [`ReducedMesh::evaluate`].
    pub fn positions(&self, at: Moment, vertices: &[u32], out: &mut Vec<[f64; 3]>) -> Result<(), ReducedError> {
        let mut pose = Pose::default();
        self.driver.pose(at, &mut pose);
        self.mesh.evaluate(&pose, vertices, out)
    }

    /// Derivative bounds of all vertices during a piece without inner breaks: of the distance from
    /// the origin (metres), the speed and the acceleration. O(maps).
    ///
    /// The motion is `p = Σ w_j (A_j (v − c_j) + (A_j c_j + t_j))` with `v` the displaced rest
    /// position. Under spherical blending they depend on the positions and the relative motion of
    /// joints, which `bends` do not show. There the distance is infinite, and derivatives are
    /// unless nothing moves; see [`ReducedBody::deviation`]. All are infinite where `bends` lack a
    /// map or a morph that moves a vertex.
    pub fn growth(&self, bends: &PoseDerivativeBounds) -> DerivativeBounds {
        self.blended_growth(self.linear_growth(bends))
    }

    /// Bounds under the mesh's blend, from those under linear blending.
    fn blended_growth(&self, linear: DerivativeBounds) -> DerivativeBounds {
        if !matches!(self.mesh.blend(), Blend::Spherical { .. }) {
            return linear;
        }
        let is_still = linear.rate == 0.0 && linear.bend == 0.0;
        let change = if is_still { 0.0 } else { f64::INFINITY };
        DerivativeBounds { size: f64::INFINITY, rate: change, bend: change }
    }

    /// As [`ReducedBody::growth`], under linear blending.
    pub(super) fn linear_growth(&self, bends: &PoseDerivativeBounds) -> DerivativeBounds {
        let displaced = self.displacement(bends);
        if self.reaches.iter().skip(bends.maps.len()).any(|reach| *reach >= 0.0) {
            return DerivativeBounds::UNKNOWN;
        }
        let mut largest = DerivativeBounds::default();
        for (bend, &reach) in bends.maps.iter().zip(&self.reaches).filter(|(_, reach)| **reach >= 0.0) {
            let around = DerivativeBounds::constant(reach).plus(displaced);
            largest = largest.max(bend.linear.times(around).plus(bend.centre));
        }
        largest.scaled(self.weight * (1.0 + self.mesh.influences().residue()))
    }

    pub(super) fn displacement(&self, bends: &PoseDerivativeBounds) -> DerivativeBounds {
        if self.displacements.iter().skip(bends.morphs.len()).any(|length| *length > 0.0) {
            return DerivativeBounds::UNKNOWN;
        }
        let each = bends.morphs.iter().zip(&self.displacements);
        each.fold(DerivativeBounds::default(), |sum, (morph, &length)| sum.plus(morph.scaled(length)))
    }

    /// As [`ReducedBody::growth`], of one vertex alone; infinite where `bends` lack a map or a
    /// morph of it. O(its weights and displacements).
    ///
    /// # Errors
    /// [`ReducedError::NoSuchVertex`].
    pub fn growth_of(&self, vertex: u32, bends: &PoseDerivativeBounds) -> Result<DerivativeBounds, ReducedError> {
        let rest = self.mesh.rest_positions();
        let missing = ReducedError::NoSuchVertex { vertex, vertices: rest.len() };
        let position = Vector3::from(rest.get(vertex as usize).ok_or(missing)?.map(f64::from));
        let unknown = DerivativeBounds::UNKNOWN;
        let mut displaced = DerivativeBounds::default();
        for (morph, delta) in self.mesh.morphs_of(vertex) {
            let length = Vector3::from(delta.map(f64::from)).norm();
            let Some(growth) = bends.morphs.get(morph as usize) else { return Ok(unknown) };
            displaced = displaced.plus(growth.scaled(length));
        }
        let mut growth = DerivativeBounds::default();
        for (map, weight) in self.mesh.influences().of(vertex) {
            let Some(bend) = bends.maps.get(map as usize) else { return Ok(unknown) };
            let reach = (position - Vector3::from(self.driver.centres()[map as usize])).norm();
            let around = DerivativeBounds::constant(reach).plus(displaced);
            growth = growth.plus(bend.linear.times(around).plus(bend.centre).scaled(weight));
        }
        Ok(self.blended_growth(growth))
    }

    /// The largest distance of any vertex during a piece without inner breaks from linear motion
    /// between its positions at the piece's ends, metres: at most `h²/8` times its largest
    /// acceleration, plus the rounding of evaluation in `f64`. Under spherical blending maps that
    /// are not quite rotations times scales add a part that does not shrink with the piece.
    pub fn deviation(&self, piece: Span) -> f64 {
        let mut bends = PoseDerivativeBounds::default();
        self.growth_during(piece, &mut bends).deviation(piece.end - piece.begin)
    }

    /// Bounds of the motion of all vertices during a piece without inner breaks. O(maps); under
    /// spherical blending O(Σ joints² of a set). Leaves the bounds of the parameters in `bends`.
    pub(super) fn growth_during(&self, piece: Span, bends: &mut PoseDerivativeBounds) -> PieceGrowth {
        bends.take(&*self.driver, piece);
        if self.mesh.joint_sets().is_none() {
            return PieceGrowth { linear: self.linear_growth(bends), blend: BlendGrowth::default() };
        }
        let mut poses = [Pose::default(), Pose::default()];
        self.driver.pose(Moment::after(piece.begin), &mut poses[0]);
        self.driver.pose(Moment::at(piece.end), &mut poses[1]);
        self.growth_between(poses.each_ref(), bends, self.driver.similarity(piece), piece.end - piece.begin)
    }

    /// As [`Self::growth_during`], from the poses at both ends, the bounds of the parameters, and
    /// the length of the piece, seconds.
    pub(super) fn growth_between(
        &self,
        poses: [&Pose; 2],
        bends: &PoseDerivativeBounds,
        similarity: SimilarityBounds,
        length: f64,
    ) -> PieceGrowth {
        let linear = self.linear_growth(bends);
        let Some(sets) = self.mesh.joint_sets() else { return PieceGrowth { linear, blend: BlendGrowth::default() } };
        if !self.are_own(poses) {
            return PieceGrowth { linear, blend: BlendGrowth::UNKNOWN };
        }
        let piece = SetPiece {
            poses,
            bends,
            similarity,
            centres: self.driver.centres(),
            displaced: self.displacement(bends),
            length,
            unsure: self.mesh.influences().residue(),
        };
        PieceGrowth { linear, blend: piece.growth(sets) }
    }

    /// Whether poses are of this body: of others, which a driver may give between its breaks,
    /// nothing is known.
    pub(super) fn are_own(&self, poses: [&Pose; 2]) -> bool {
        poses.iter().all(|pose| pose.check(self.mesh.map_count(), self.mesh.morph_count()).is_ok())
    }
}

/// Checks the counts of a driver for a mesh, and its poses at breaks.
fn check_poses(mesh: &ReducedMesh, driver: &dyn Driver) -> Result<(), ReducedError> {
    if driver.map_count() != mesh.map_count() || driver.centres().len() != mesh.map_count() {
        return Err(ReducedError::MapCount { expected: mesh.map_count(), found: driver.map_count() });
    }
    if driver.morph_count() != mesh.morph_count() {
        return Err(ReducedError::MorphCount { expected: mesh.morph_count(), found: driver.morph_count() });
    }
    let mut pose = Pose::default();
    for stop in driver.breaks() {
        for at in [Moment::at(stop.time), Moment::after(stop.time)] {
            driver.pose(at, &mut pose);
            mesh.check_pose(&pose)?;
        }
    }
    Ok(())
}

/// Bounds of the motion of all vertices during a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PieceGrowth {
    /// Under linear blending.
    pub(super) linear: DerivativeBounds,
    /// The distance from it.
    pub(super) blend: BlendGrowth,
}

impl PieceGrowth {
    fn all(&self) -> DerivativeBounds {
        DerivativeBounds { size: self.linear.size + self.blend.distance, ..self.linear.plus(self.blend.smooth) }
    }

    /// The largest acceleration; infinite if unknown.
    pub(super) fn bend(&self) -> f64 {
        self.all().bend
    }

    /// The part of the deviation that does not shrink with the piece, metres.
    pub(super) fn least_deviation(&self) -> f64 {
        deviation(&DerivativeBounds { bend: 0.0, ..self.all() }, 0.0) + 2.0 * self.blend.noise
    }

    /// The rounding in it.
    pub(super) fn rounding(&self) -> f64 {
        deviation(&DerivativeBounds { bend: 0.0, ..self.linear }, 0.0)
    }

    /// The largest distance of a vertex from its chord over a piece of this length, metres. Both
    /// ends and all times between are within the distance from linear blending.
    pub(super) fn deviation(&self, length: f64) -> f64 {
        let smooth = deviation(&self.all(), length) + 2.0 * self.blend.noise;
        let apart = deviation(&self.linear, length) + 2.0 * self.blend.distance;
        if smooth < apart { smooth } else { apart }
    }

    /// Bounds of the motion, if the piece is one chord of this length.
    pub(super) fn reach(&self, length: f64) -> Reach {
        let smooth = self.blend.smooth.rate + zero_wins(2.0 * self.blend.noise, 1.0 / length);
        let apart = zero_wins(2.0 * self.blend.distance, 1.0 / length);
        Reach {
            coordinate: self.linear.size + self.blend.distance,
            speed: self.linear.rate + if smooth < apart { smooth } else { apart },
            chords: [
                ChordSpeed { rate: self.linear.rate + self.blend.smooth.rate, off: 2.0 * self.blend.noise },
                ChordSpeed { rate: self.linear.rate, off: 2.0 * self.blend.distance },
            ],
        }
    }
}

/// `h²/8 · |p''|`, rounded outward.
pub(super) fn deviation(growth: &DerivativeBounds, length: f64) -> f64 {
    let sagitta = if growth.bend == 0.0 { 0.0 } else { 0.125 * length * length * growth.bend };
    sagitta * (1.0 + limits::EVALUATION_ROUNDING) + limits::EVALUATION_ROUNDING * growth.size
}
