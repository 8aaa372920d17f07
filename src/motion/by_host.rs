//! Samplers of worlds in bytes: the number of one is written, and the host gives it again.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Motion, Outside, Sampler, Trajectories};
use crate::bytes::Fingerprint;
use crate::saved;
use crate::time::Side;

pub(super) fn serialize<S: Serializer>(sampler: &Arc<dyn Sampler>, serializer: S) -> Result<S::Ok, S::Error> {
    saved::number_of_sampler::<S::Error>(Arc::as_ptr(sampler).cast::<()>() as usize)?.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<dyn Sampler>, D::Error> {
    saved::motion_of_sampler(u32::deserialize(deserializer)?)
}

impl Motion {
    /// The sampler that moves the vertices without plans of their own, if one does.
    pub(crate) fn any_sampler(&self) -> Option<&Arc<dyn Sampler>> {
        match &self.shared {
            Trajectories::Sampled(sampled) => Some(&sampled.sampler),
            _ => None,
        }
    }
}

/// A number that differs for samplers of different keys, bounds, rest positions, and positions; of
/// the latter those at the first key and at the last are known to count. O(keys + vertices).
pub(crate) fn sampler_fingerprint(sampler: &dyn Sampler) -> u64 {
    let mut hash = Fingerprint::new();
    let (times, last) = (sampler.times(), sampler.times().len().saturating_sub(1));
    for words in [times.len(), sampler.vertex_count()] {
        hash.word(words as u64);
    }
    times.iter().for_each(|time| hash.word((time + 0.0).to_bits()));
    sampler.jumps().iter().for_each(|&jump| hash.word(u64::from(jump)));
    hash.word(match sampler.outside() {
        Outside::Hold => 0,
        Outside::Loop => 1,
        Outside::Error => 2,
    });
    hash.word(sampler.largest_coordinate().to_bits());
    hash.word(sampler.largest_speed().to_bits());
    sampler.rest_positions().as_flattened().iter().for_each(|x| hash.word(u64::from(x.to_bits())));
    if let (Some(&begin), Some(&end)) = (times.first(), times.last())
        && let Some(own) = sampler.fingerprint(begin, end)
    {
        hash.word(own);
        return hash.value();
    }
    if times.is_empty() {
        return hash.value();
    }
    let mut positions = Vec::new();
    for (key, side) in [(0, Side::After), (last, Side::At)] {
        sampler.positions(key, side, &mut (0..sampler.vertex_count() as u32), &mut positions);
    }
    positions.as_flattened().iter().for_each(|x| hash.word((x + 0.0).to_bits()));
    hash.value()
}
