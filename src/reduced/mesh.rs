//! Reduced meshes: triangles whose vertices follow a pose.

use std::sync::Arc;

use nalgebra::Vector3;

use super::morph::Morphs;
use super::shared::Shared;
use super::spherical::SetFrames;
use super::{Influences, JointSets, MorphTarget, Pose, ReducedError, SphericalFrame};
use crate::bytes::Fingerprint;
use crate::limits;
use crate::mesh::Mesh;

/// The blend of the maps of a vertex's influences.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Blend {
    /// `Σ w_j (A_j v + t_j)` with convex weights: linear blend skinning, and meshless bodies.
    #[default]
    Linear,
    /// Rotations blended as quaternions around a centre per joint set, with convex weights. Each
    /// map must be a rotation times one positive scale, and a translation.
    Spherical {
        /// The rest position of each joint, metres.
        joints: Vec<[f64; 3]>,
    },
    /// `Σ w_j (A_j v + t_j)` with weights of either sign and any sum: affine combinations, radial
    /// basis functions, tetrahedra that do not contain all vertices.
    Combination,
}

/// Definition of a [`ReducedMesh`], filled in by the host.
#[derive(Clone, Debug)]
pub struct ReducedDef {
    /// The triangles.
    pub mesh: Mesh,
    /// Rest positions of the vertices, metres.
    pub rest: Vec<[f32; 3]>,
    /// The influences that move them.
    pub influences: Influences,
    /// Displacements of rest positions, added before the maps.
    pub morphs: Vec<MorphTarget>,
    /// The blend of the maps.
    pub blend: Blend,
}

/// A mesh whose vertices follow a [`Pose`]: skins, morphs, modes, meshless and embedded bodies.
/// Contains no motion.
///
/// A vertex at rest position `v` is first displaced to `v + Σ m_k δ_k` (morph weights `m`), then
/// mapped by the blend of its influences' maps. All in `f64`.
#[derive(Clone, Debug)]
pub struct ReducedMesh {
    mesh: Mesh,
    rest: Vec<[f32; 3]>,
    influences: Influences,
    morphs: Morphs,
    blend: Blend,
    sets: Option<JointSets>,
    /// Bounds and the like, which bodies over this mesh share.
    shared: Arc<Shared>,
}

impl ReducedMesh {
    /// Creates a mesh after checking its definition. O(weights + displacements · log).
    ///
    /// # Errors
    /// Counts that do not match, rest positions and displacements that are not usable, vertices
    /// that do not exist; under spherical blending more than [`limits::MAX_JOINTS_PER_VERTEX`]
    /// joints of a vertex.
    ///
    /// ```
    /// use kinetree::Mesh;
    /// use kinetree::reduced::{Blend, Influences, Pose, ReducedDef, ReducedMesh, WeightPolicy};
    ///
    /// // A triangle that follows one bone.
    /// let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; // Metres.
    /// let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// let mesh = Mesh::new(3, vec![[0, 1, 2]])?;
    /// let skin = ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: vec![], blend: Blend::Linear })?;
    /// let mut positions = Vec::new();
    /// skin.evaluate_all(&Pose::rest(1, 0), &mut positions)?;
    /// assert_eq!(positions[1], [1.0, 0.0, 0.0]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(def: ReducedDef) -> Result<Self, ReducedError> {
        let ReducedDef { mesh, rest, mut influences, morphs, blend } = def;
        let vertices = mesh.vertex_count();
        if rest.len() != vertices {
            return Err(ReducedError::RestCount { expected: vertices, found: rest.len() });
        }
        for (vertex, position) in rest.iter().enumerate() {
            for (axis, &value) in position.iter().enumerate() {
                let value = f64::from(value);
                if !(value.abs() <= limits::MAX_COORDINATE) {
                    return Err(ReducedError::BadRest { vertex: vertex as u32, axis, value });
                }
            }
        }
        if influences.vertex_count() != vertices {
            return Err(ReducedError::InfluenceCount { expected: vertices, found: influences.vertex_count() });
        }
        let morphs = Morphs::new(vertices, &morphs)?;
        check_blend(&mut influences, &blend)?;
        let sets = joint_sets(&influences, &blend, &rest)?;
        Ok(Self { mesh, rest, influences, morphs, blend, sets, shared: Arc::default() })
    }

    /// The same mesh, weights and morph targets under another blend. O(weights + displacements).
    ///
    /// # Errors
    /// As [`ReducedMesh::new`]: joints whose number differs or that are too many for a vertex,
    /// weights that are not convex.
    pub fn blended(&self, blend: Blend) -> Result<Self, ReducedError> {
        let mut other = self.clone();
        check_blend(&mut other.influences, &blend)?;
        let sets = joint_sets(&other.influences, &blend, &other.rest)?;
        Ok(Self { blend, sets, shared: Arc::default(), ..other })
    }

    /// Creates a body of morph targets or modes only. It has one map, which places the whole body.
    ///
    /// # Errors
    /// As [`ReducedMesh::new`].
    pub fn morphed(mesh: Mesh, rest: Vec<[f32; 3]>, morphs: Vec<MorphTarget>) -> Result<Self, ReducedError> {
        let influences = Influences::single(mesh.vertex_count());
        Self::new(ReducedDef { mesh, rest, influences, morphs, blend: Blend::Linear })
    }

    /// What bodies over this mesh have in common.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The triangles.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Rest positions of the vertices, metres.
    pub fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    /// Influences and weights of the vertices.
    pub fn influences(&self) -> &Influences {
        &self.influences
    }

    /// The blend of the maps.
    pub fn blend(&self) -> &Blend {
        &self.blend
    }

    /// The joint sets of spherical blending.
    pub fn joint_sets(&self) -> Option<&JointSets> {
        self.sets.as_ref()
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    /// The number of maps of a pose of this body.
    pub fn map_count(&self) -> usize {
        self.influences.count()
    }

    /// The number of morph weights of a pose of this body.
    pub fn morph_count(&self) -> usize {
        self.morphs.count()
    }

    /// Morph targets that displace a vertex, ascending, with the displacements, metres; none of a
    /// vertex that does not exist.
    #[inline]
    pub fn morphs_of(&self, vertex: u32) -> impl ExactSizeIterator<Item = (u32, [f32; 3])> + Clone + '_ {
        self.morphs.of(vertex)
    }

    /// Checks a pose of this body: finite numbers, the right counts, and under spherical blending
    /// maps of one scale each.
    ///
    /// # Errors
    /// The map or morph weight at fault.
    pub fn check_pose(&self, pose: &Pose) -> Result<(), ReducedError> {
        pose.check(self.map_count(), self.morph_count())?;
        match pose.maps.iter().position(|map| self.sets.is_some() && map.uniform_scale().is_none()) {
            Some(map) => Err(ReducedError::NotRigid { map }),
            None => Ok(()),
        }
    }

    /// Writes the positions of some vertices in a pose, metres, in the given order; `out` is
    /// emptied first. O(their weights and displacements), and under spherical blending O(joints²)
    /// for each joint set among them.
    ///
    /// # Errors
    /// A vertex that does not exist, a pose of the wrong size or, under spherical blending, with
    /// maps that shear, mirror or scale unevenly; `out` is empty then.
    pub fn evaluate(&self, pose: &Pose, vertices: &[u32], out: &mut Vec<[f64; 3]>) -> Result<(), ReducedError> {
        if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= self.vertex_count()) {
            out.clear();
            return Err(ReducedError::NoSuchVertex { vertex, vertices: self.vertex_count() });
        }
        self.evaluate_each(pose, vertices.iter().copied(), out)
    }

    /// Writes the positions of all vertices in a pose, metres; `out` is emptied first.
    ///
    /// # Errors
    /// As [`ReducedMesh::evaluate`].
    pub fn evaluate_all(&self, pose: &Pose, out: &mut Vec<[f64; 3]>) -> Result<(), ReducedError> {
        self.evaluate_each(pose, 0..self.vertex_count() as u32, out)
    }

    fn evaluate_each(
        &self,
        pose: &Pose,
        vertices: impl Iterator<Item = u32>,
        out: &mut Vec<[f64; 3]>,
    ) -> Result<(), ReducedError> {
        out.clear();
        pose.check_counts(self.map_count(), self.morph_count())?;
        match &self.sets {
            None => out.extend(vertices.map(|vertex| self.blend_linearly(pose, vertex))),
            Some(sets) => {
                let mut frames: Vec<Option<SphericalFrame>> = vec![None; sets.count()];
                for vertex in vertices {
                    let set = sets.set_of[vertex as usize];
                    if frames[set as usize].is_none() {
                        match sets.frame(set, pose) {
                            Ok(frame) => frames[set as usize] = Some(frame),
                            Err(error) => {
                                out.clear();
                                return Err(error);
                            }
                        }
                    }
                    if let Some(frame) = &frames[set as usize] {
                        out.push(self.blend_spherically(pose, frame, vertex));
                    }
                }
            }
        }
        Ok(())
    }

    /// The position of one vertex in a checked pose; under spherical blending O(joints of its set).
    /// A pose of another body leaves the vertex at rest.
    pub(super) fn position(&self, pose: &Pose, vertex: u32) -> [f64; 3] {
        let is_own = pose.check_counts(self.map_count(), self.morph_count()).is_ok();
        match &self.sets {
            None if is_own => self.blend_linearly(pose, vertex),
            Some(sets) if is_own => match sets.frame(sets.set_of[vertex as usize], pose) {
                Ok(frame) => self.blend_spherically(pose, &frame, vertex),
                Err(_) => self.rest[vertex as usize].map(f64::from),
            },
            _ => self.rest[vertex as usize].map(f64::from),
        }
    }

    /// As [`ReducedMesh::position`], with frames of joint sets that are kept for the pose.
    #[inline]
    pub(super) fn position_in(&self, pose: &Pose, frames: &SetFrames, vertex: u32) -> [f64; 3] {
        let Some(sets) = &self.sets else { return self.position(pose, vertex) };
        if pose.check_counts(self.map_count(), self.morph_count()).is_err() {
            return self.rest[vertex as usize].map(f64::from);
        }
        match frames.get(sets, sets.set_of[vertex as usize], pose) {
            Some(frame) => self.blend_spherically(pose, frame, vertex),
            None => self.rest[vertex as usize].map(f64::from),
        }
    }

    /// No frames yet; none at all except under spherical blending.
    pub(super) fn frames(&self) -> SetFrames {
        self.sets.as_ref().map(SetFrames::new).unwrap_or_default()
    }

    /// The rest position with its displacements, metres.
    #[inline]
    pub(crate) fn morphed_rest(&self, pose: &Pose, vertex: u32) -> [f64; 3] {
        let mut position = self.rest[vertex as usize].map(f64::from);
        for (morph, delta) in self.morphs.of(vertex) {
            let weight = pose.morphs[morph as usize];
            for axis in 0..3 {
                position[axis] += weight * f64::from(delta[axis]);
            }
        }
        position
    }

    fn blend_linearly(&self, pose: &Pose, vertex: u32) -> [f64; 3] {
        let position = Vector3::from(self.morphed_rest(pose, vertex));
        let mut blend = Vector3::zeros();
        for (map, weight) in self.influences.of(vertex) {
            blend += pose.maps[map as usize].apply(&position) * weight;
        }
        blend.into()
    }

    pub(super) fn blend_spherically(&self, pose: &Pose, frame: &SphericalFrame, vertex: u32) -> [f64; 3] {
        frame.blend(self.influences.weights_of(vertex), self.morphed_rest(pose, vertex))
    }

    /// A hash of the triangles, of the rest positions, and of the weights and displacements that
    /// move them. O(weights + displacements).
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = Fingerprint::new();
        hash.bytes(format!("{:?}", self.blend).as_bytes());
        self.mesh.triangles().as_flattened().iter().for_each(|&corner| hash.word(u64::from(corner)));
        let bits = |[x, y, z]: [f32; 3]| [x, y, z].map(|x| u64::from((x + 0.0).to_bits()));
        for (vertex, &rest) in (0..).zip(&self.rest) {
            bits(rest).into_iter().for_each(|word| hash.word(word));
            for (map, weight) in self.influences.of(vertex) {
                hash.word(u64::from(map));
                hash.word(weight.to_bits());
            }
            for (morph, delta) in self.morphs.of(vertex) {
                hash.word(u64::from(morph));
                bits(delta).into_iter().for_each(|word| hash.word(word));
            }
            hash.word(u64::MAX);
        }
        hash.value()
    }
}

/// Checks weights for a blend: lists made for a combination are not convex. Bounds of spherical
/// blending need to know how far their sums are from 1.
fn check_blend(influences: &mut Influences, blend: &Blend) -> Result<(), ReducedError> {
    if *blend == Blend::Combination {
        return Ok(());
    }
    for vertex in 0..influences.vertex_count() as u32 {
        let weights = influences.weights_of(vertex);
        if let Some(slot) = weights.iter().position(|&weight| weight < 0.0) {
            return Err(ReducedError::BadWeight { vertex, slot, value: weights[slot] });
        }
        let sum: f64 = weights.iter().sum();
        if !((sum - 1.0).abs() <= limits::WEIGHT_SUM_TOLERANCE) {
            return Err(ReducedError::WeightSum { vertex, sum });
        }
        if let Blend::Spherical { .. } = blend {
            let count = weights.len();
            influences.include_sum(sum, count);
        }
    }
    Ok(())
}

fn joint_sets(influences: &Influences, blend: &Blend, rest: &[[f32; 3]]) -> Result<Option<JointSets>, ReducedError> {
    match blend {
        Blend::Spherical { joints } => JointSets::new(influences, joints, rest).map(Some),
        _ => Ok(None),
    }
}
