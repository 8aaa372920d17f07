//! Morph targets and modes: displacements of rest positions, added by weight.

use super::ReducedError;
use crate::limits;
use crate::mesh::range_of;

/// The displacements of one morph target or mode, metres: distinct vertices with their
/// displacements.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MorphTarget {
    /// The vertices it displaces.
    pub vertices: Vec<u32>,
    /// Their displacements at weight 1, in the same order.
    pub deltas: Vec<[f32; 3]>,
}

impl MorphTarget {
    /// Creates a target from one displacement per vertex; zeros are omitted.
    pub fn dense(deltas: &[[f32; 3]]) -> Self {
        let moved = deltas.iter().enumerate().filter(|(_, delta)| **delta != [0.0; 3]);
        let (vertices, deltas) = moved.map(|(vertex, delta)| (vertex as u32, *delta)).unzip();
        Self { vertices, deltas }
    }
}

/// Displacements of all targets, stored vertex by vertex.
#[derive(Clone, Debug, Default)]
pub(super) struct Morphs {
    count: usize,
    /// Empty without targets.
    offsets: Vec<u32>,
    targets: Vec<u32>,
    deltas: Vec<[f32; 3]>,
}

impl Morphs {
    pub(super) fn new(vertices: usize, targets: &[MorphTarget]) -> Result<Self, ReducedError> {
        if targets.is_empty() {
            return Ok(Self::default());
        }
        let total: usize = targets.iter().map(|target| target.vertices.len()).sum();
        if total > limits::MAX_INDEX {
            return Err(ReducedError::TooLarge { what: "morph displacements", count: total });
        }
        let mut entries = Vec::with_capacity(total);
        for (morph, target) in targets.iter().enumerate() {
            if target.vertices.len() != target.deltas.len() {
                let (expected, found) = (target.vertices.len(), target.deltas.len());
                return Err(ReducedError::DeltaCount { morph, expected, found });
            }
            for (&vertex, &delta) in target.vertices.iter().zip(&target.deltas) {
                if vertex as usize >= vertices {
                    return Err(ReducedError::MorphVertex { morph, vertex, vertices });
                }
                if let Some(&value) = delta.iter().find(|x| !(f64::from(x.abs()) <= limits::MAX_COORDINATE)) {
                    return Err(ReducedError::BadDelta { morph, vertex, value: f64::from(value) });
                }
                entries.push((vertex, morph as u32, delta));
            }
        }
        entries.sort_by_key(|&(vertex, morph, _)| (vertex, morph));
        if let Some(twice) = entries.windows(2).find(|two| (two[0].0, two[0].1) == (two[1].0, two[1].1)) {
            return Err(ReducedError::MorphVertexTwice { morph: twice[0].1 as usize, vertex: twice[0].0 });
        }
        let mut offsets = vec![0u32; vertices + 1];
        entries.iter().for_each(|&(vertex, ..)| offsets[vertex as usize + 1] += 1);
        for vertex in 0..vertices {
            offsets[vertex + 1] += offsets[vertex];
        }
        Ok(Self {
            count: targets.len(),
            offsets,
            targets: entries.iter().map(|&(_, morph, _)| morph).collect(),
            deltas: entries.iter().map(|&(.., delta)| delta).collect(),
        })
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Targets that displace a vertex, ascending, with the displacements.
    #[inline]
    pub(super) fn of(&self, vertex: u32) -> impl ExactSizeIterator<Item = (u32, [f32; 3])> + Clone + '_ {
        let list = range_of(&self.offsets, vertex);
        self.targets[list.clone()].iter().copied().zip(self.deltas[list].iter().copied())
    }
}
