//! The few parameters of a reduced body at a moment.

use super::{Affine, ReducedError};
use crate::limits;

/// One affine map per influence (joint times inverse bind matrix, meshless node, tetrahedral node)
/// and one weight per morph target.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Per influence, its map of rest positions.
    pub maps: Vec<Affine>,
    /// Per morph target or mode, the factor of its displacements (unitless, of either sign).
    pub morphs: Vec<f64>,
}

impl Pose {
    /// Creates the pose in which every vertex is at its rest position.
    pub fn rest(maps: usize, morphs: usize) -> Self {
        Self { maps: vec![Affine::identity(); maps], morphs: vec![0.0; morphs] }
    }

    /// Bytes beyond itself.
    pub(super) fn bytes(&self) -> usize {
        self.maps.capacity() * size_of::<Affine>() + self.morphs.capacity() * size_of::<f64>()
    }

    /// Checks that counts are right and all numbers finite.
    ///
    /// # Errors
    /// The map or morph weight at fault.
    pub fn check(&self, maps: usize, morphs: usize) -> Result<(), ReducedError> {
        self.check_counts(maps, morphs)?;
        if !are_finite(&self.maps)
            && let Some(map) = self.maps.iter().position(|map| !map.is_finite())
        {
            return Err(ReducedError::BadMap { map });
        }
        match self.morphs.iter().position(|weight| !weight.is_finite()) {
            Some(morph) => Err(ReducedError::BadMorphWeight { morph, value: self.morphs[morph] }),
            None => Ok(()),
        }
    }

    pub(super) fn check_counts(&self, maps: usize, morphs: usize) -> Result<(), ReducedError> {
        if self.maps.len() != maps {
            return Err(ReducedError::MapCount { expected: maps, found: self.maps.len() });
        }
        if self.morphs.len() != morphs {
            return Err(ReducedError::MorphCount { expected: morphs, found: self.morphs.len() });
        }
        Ok(())
    }
}

/// Whether all numbers of some maps are finite. Without branches, since every pose is checked.
fn are_finite(maps: &[Affine]) -> bool {
    let mut sums = [0.0; 12];
    for map in maps {
        let (linear, shift) = (map.linear.as_slice(), map.shift.as_slice());
        for k in 0..9 {
            // NaN if the factor is infinite or NaN.
            sums[k] += linear[k] * 0.0;
        }
        for k in 0..3 {
            sums[9 + k] += shift[k] * 0.0;
        }
    }
    sums.iter().all(|sum| *sum == 0.0)
}

/// Checks that places, metres, are numbers within [`limits::MAX_COORDINATE`].
pub(super) fn check_places(places: &[[f64; 3]]) -> Result<(), ReducedError> {
    let is_bad = |x: &&f64| !(x.abs() <= limits::MAX_COORDINATE);
    let bad = places.iter().enumerate().find_map(|(index, place)| Some((index, *place.iter().find(is_bad)?)));
    bad.map_or(Ok(()), |(index, value)| Err(ReducedError::BadPlace { index, value }))
}
