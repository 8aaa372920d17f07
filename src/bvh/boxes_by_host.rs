//! Boxes of samplers in worlds in bytes: their tree is written, and the sampler makes them again.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BoundedSampler, KeyedBoxes, Topology};
use crate::saved;

/// Boxes come after the motion of their sampler.
pub(crate) fn serialize<S: Serializer>(boxes: &Arc<dyn KeyedBoxes>, serializer: S) -> Result<S::Ok, S::Error> {
    (saved::number_of_last_sampler::<S::Error>()?, boxes.topology()).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<dyn KeyedBoxes>, D::Error> {
    let (number, topology) = <(u32, Topology)>::deserialize(deserializer)?;
    let sampler: Arc<dyn BoundedSampler> = saved::bounded_sampler(number)?;
    let boxes = sampler.boxes_over(topology.clone()).filter(|boxes| boxes.topology().is_same_as(&topology));
    boxes.map(Arc::from).ok_or_else(|| D::Error::custom("the sampler has no boxes of the tree that was saved"))
}
