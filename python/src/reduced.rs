//! Reduced bodies: vertices that follow joints and morph targets.

use std::sync::Arc;

use kinetree::reduced::{
    Affine, Blend, Influences, MorphTarget, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::{BoundedSampler, Error, Mesh};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::{flat, rows};
use crate::errors::{raised, refused};
use crate::plan::{Flightplan, outside_named};

/// A reduced motion; the mesh comes with the body.
pub(crate) struct Reduced {
    rest: Vec<[f32; 3]>,
    influences: Influences,
    morphs: Vec<MorphTarget>,
    blend: Blend,
    keys: Arc<PoseKeys>,
    /// How far vertices may be from their true paths, metres.
    tolerance: f64,
}

impl Reduced {
    /// The motion of a mesh.
    pub(crate) fn sampler(&self, mesh: Mesh) -> Result<Arc<dyn BoundedSampler>, Error> {
        let (rest, influences) = (self.rest.clone(), self.influences.clone());
        let def = ReducedDef { mesh, rest, influences, morphs: self.morphs.clone(), blend: self.blend.clone() };
        let keys: Arc<PoseKeys> = Arc::clone(&self.keys);
        let body = ReducedBody::new(Arc::new(ReducedMesh::new(def)?), keys)?;
        Ok(body.sampler(body.pieces(self.tolerance)?)?)
    }
}

/// A plan of joints `(F, J, 4, 4)`, as maps of rest positions, and of morph weights `(F, M)`.
///
/// `joints` and `weights` have a row of influences per vertex; influences of weight 0 are left out.
/// `centres` are rest points of the joints. `targets` are displacements `(M, N, 3)`.
#[pyfunction]
pub(crate) fn skinned(
    times: PyReadonlyArrayDyn<'_, f64>,
    rest: PyReadonlyArrayDyn<'_, f32>,
    joints: PyReadonlyArrayDyn<'_, u32>,
    weights: PyReadonlyArrayDyn<'_, f64>,
    maps: PyReadonlyArrayDyn<'_, f64>,
    centres: PyReadonlyArrayDyn<'_, f64>,
    targets: PyReadonlyArrayDyn<'_, f32>,
    morphs: PyReadonlyArrayDyn<'_, f64>,
    is_convex: bool,
    tolerance: f64,
    outside: &str,
) -> PyResult<Flightplan> {
    let (times, rest) = (flat("times", &times)?, rows("positions", &rest)?);
    let (joints, weights, centres) = (flat("joints", &joints)?, flat("weights", &weights)?, rows("centres", &centres)?);
    let (maps, _) = flat("transforms", &maps)?.as_chunks::<16>();
    let (targets, morphs) = (rows("targets", &targets)?, flat("morph_weights", &morphs)?);
    let (each, count) = (joints.len() / rest.len().max(1), centres.len());
    let list = |vertex: usize| {
        let of = vertex * each..(vertex + 1) * each;
        joints[of.clone()]
            .iter()
            .copied()
            .zip(weights[of].iter().copied())
            .filter(|(_, weight)| *weight != 0.0)
            .collect()
    };
    let lists = (0..rest.len()).map(list);
    let (influences, blend) = if is_convex {
        (Influences::convex(count, lists, WeightPolicy::default()), Blend::Linear)
    } else {
        (Influences::combination(count, lists), Blend::Combination)
    };
    let influences = influences.map_err(raised)?;
    let shapes = targets.len() / rest.len().max(1);
    let pose = |key: usize| Pose {
        maps: maps[key * count..(key + 1) * count].iter().map(by_rows).collect(),
        morphs: morphs[key * shapes..(key + 1) * shapes].to_vec(),
    };
    if maps.len() != times.len() * count || morphs.len() != times.len() * shapes {
        return Err(refused("Shape", "transforms and morph_weights: a row a key is needed".into()));
    }
    let poses = (0..times.len()).map(pose).collect();
    let keys = PoseKeys::new(times, poses, centres, outside_named(outside)?).map_err(raised)?;
    let morphs = targets.chunks(rest.len().max(1)).map(MorphTarget::dense).collect();
    let kind = if shapes > 0 { "morphed" } else { "skinned" };
    Ok(Flightplan::reduced(kind, Reduced { rest, influences, morphs, blend, keys: Arc::new(keys), tolerance }))
}

/// A matrix for column vectors, row by row.
fn by_rows(matrix: &[f64; 16]) -> Affine {
    Affine::from_rows(std::array::from_fn(|row| std::array::from_fn(|column| matrix[4 * row + column])))
}
