//! Influences and weights of vertices.

use super::ReducedError;
use crate::limits;
use crate::mesh::range_of;

/// Handling of weights that are not quite a convex combination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum WeightPolicy {
    /// Normalises sums within [`limits::WEIGHT_SUM_TOLERANCE`] of 1; refuses all others.
    #[default]
    Strict,
    /// Negative weights and NaN count as 0, and every positive sum is normalised;
    /// [`Influences::repairs`] lists the affected vertices. A vertex without any positive weight is
    /// refused.
    Repair,
}

/// A vertex whose weights were repaired.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Repair {
    /// The vertex.
    pub vertex: u32,
    /// The sum of its usable weights.
    pub sum: f64,
    /// The number of its weights that were negative or NaN, and count as 0.
    pub dropped: u32,
}

/// Per vertex a list of influences and weights, stored contiguously.
///
/// Lists are sorted by influence, name each influence once and hold no zeros. Sums of convex
/// weights are 1 up to [`Influences::residue`].
#[derive(Clone, Debug)]
pub struct Influences {
    offsets: Vec<u32>,
    indices: Vec<u32>,
    weights: Vec<f64>,
    count: usize,
    residue: f64,
    repairs: Vec<Repair>,
}

impl Influences {
    /// Creates convex weights: none negative, sums 1, normalised in `f64` by one division each.
    /// O(weights · log(weights of a vertex)).
    ///
    /// # Errors
    /// Weights that are NaN or negative, sums that are not 1, empty lists, influences that do not
    /// exist; the policy may repair some of these.
    pub fn convex(
        count: usize,
        lists: impl IntoIterator<Item = Vec<(u32, f64)>>,
        policy: WeightPolicy,
    ) -> Result<Self, ReducedError> {
        let mut influences = Self::empty(count);
        for list in lists {
            let vertex = influences.vertex_count() as u32;
            let mut list = influences.merged(vertex, list, Some(policy))?;
            let sum: f64 = list.iter().map(|&(_, weight)| weight).sum();
            if list.is_empty() || !(sum > 0.0) {
                return Err(ReducedError::NoInfluence { vertex });
            }
            if !((sum - 1.0).abs() <= limits::WEIGHT_SUM_TOLERANCE) {
                if policy == WeightPolicy::Strict || !sum.is_finite() {
                    return Err(ReducedError::WeightSum { vertex, sum });
                }
                match influences.repairs.last_mut().filter(|repair| repair.vertex == vertex) {
                    Some(repair) => repair.sum = sum,
                    None => influences.repairs.push(Repair { vertex, sum, dropped: 0 }),
                }
            }
            list.iter_mut().for_each(|(_, weight)| *weight /= sum);
            // Of a large sum.
            list.retain(|&(_, weight)| weight != 0.0);
            influences.include_sum(list.iter().map(|&(_, weight)| weight).sum(), list.len());
            influences.push(&list);
        }
        influences.sized()
    }

    /// Creates weights of either sign and any sum, unchanged: affine and general linear
    /// combinations.
    ///
    /// # Errors
    /// Weights that are not numbers, empty lists, influences that do not exist.
    pub fn combination(count: usize, lists: impl IntoIterator<Item = Vec<(u32, f64)>>) -> Result<Self, ReducedError> {
        let mut influences = Self::empty(count);
        for list in lists {
            let vertex = influences.vertex_count() as u32;
            let list = influences.merged(vertex, list, None)?;
            if list.is_empty() {
                return Err(ReducedError::NoInfluence { vertex });
            }
            // Each is finite, so one that is not is a sum.
            if let Some(slot) = list.iter().position(|(_, weight)| !weight.is_finite()) {
                return Err(ReducedError::BadWeight { vertex, slot, value: list[slot].1 });
            }
            influences.push(&list);
        }
        influences.sized()
    }

    /// Weights of one influence, number 0, for all vertices: a rigid body, or one with morph
    /// targets only.
    pub(crate) fn single(vertices: usize) -> Self {
        Self {
            offsets: (0..=vertices as u32).collect(),
            indices: vec![0; vertices],
            weights: vec![1.0; vertices],
            count: 1,
            residue: 0.0,
            repairs: Vec::new(),
        }
    }

    fn empty(count: usize) -> Self {
        Self { offsets: vec![0], indices: Vec::new(), weights: Vec::new(), count, residue: 0.0, repairs: Vec::new() }
    }

    fn push(&mut self, list: &[(u32, f64)]) {
        self.indices.extend(list.iter().map(|&(index, _)| index));
        self.weights.extend(list.iter().map(|&(_, weight)| weight));
        self.offsets.push(self.indices.len() as u32);
    }

    fn sized(self) -> Result<Self, ReducedError> {
        if self.indices.len() > limits::MAX_INDEX || self.count > limits::MAX_INDEX {
            return Err(ReducedError::TooLarge { what: "weights", count: self.indices.len().max(self.count) });
        }
        Ok(self)
    }

    /// Creates a list without zeros, sorted, each influence once.
    fn merged(
        &mut self,
        vertex: u32,
        mut list: Vec<(u32, f64)>,
        convex: Option<WeightPolicy>,
    ) -> Result<Vec<(u32, f64)>, ReducedError> {
        let mut dropped = 0;
        for (slot, (index, weight)) in list.iter_mut().enumerate() {
            if *index as usize >= self.count {
                // Formats fill unused entries with arbitrary numbers; only those with a weight
                // count.
                if *weight == 0.0 {
                    continue;
                }
                return Err(ReducedError::InfluenceOutOfRange { vertex, index: *index, count: self.count });
            }
            let is_bad = !weight.is_finite() || (convex.is_some() && *weight < 0.0);
            if is_bad {
                if convex != Some(WeightPolicy::Repair) {
                    return Err(ReducedError::BadWeight { vertex, slot, value: *weight });
                }
                *weight = 0.0;
                dropped += 1;
            }
        }
        if dropped > 0 {
            let sum = list.iter().map(|&(_, weight)| weight).sum();
            self.repairs.push(Repair { vertex, sum, dropped });
        }
        list.sort_by_key(|&(index, _)| index);
        let mut merged: Vec<(u32, f64)> = Vec::with_capacity(list.len());
        for (index, weight) in list {
            match merged.last_mut().filter(|last| last.0 == index) {
                Some(last) => last.1 += weight,
                None => merged.push((index, weight)),
            }
        }
        merged.retain(|&(_, weight)| weight != 0.0);
        Ok(merged)
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of influences.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Influences and weights of a vertex, ascending by influence; none of one that does not exist.
    #[inline]
    pub fn of(&self, vertex: u32) -> impl ExactSizeIterator<Item = (u32, f64)> + Clone + '_ {
        let list = range_of(&self.offsets, vertex);
        self.indices[list.clone()].iter().copied().zip(self.weights[list].iter().copied())
    }

    /// The influences of a vertex, ascending; none of one that does not exist.
    #[inline]
    pub fn indices_of(&self, vertex: u32) -> &[u32] {
        &self.indices[range_of(&self.offsets, vertex)]
    }

    /// The weights of a vertex, in the order of [`Influences::indices_of`].
    #[inline]
    pub fn weights_of(&self, vertex: u32) -> &[f64] {
        &self.weights[range_of(&self.offsets, vertex)]
    }

    /// The largest difference of a vertex's sum of convex weights from 1 (unitless); 0 for
    /// combinations, whose sums are free, except in a mesh that blends them spherically.
    pub fn residue(&self) -> f64 {
        self.residue
    }

    /// Widens the residue to a vertex's sum of weights.
    pub(super) fn include_sum(&mut self, sum: f64, weights: usize) {
        // The sum of n numbers is itself rounded n times.
        self.residue = self.residue.max((sum - 1.0).abs() + weights as f64 * f64::EPSILON);
    }

    /// The vertices whose weights were repaired, ascending.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }
}
