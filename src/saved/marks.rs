//! Numbers that are equal where what they mark is the same, and say nothing else. A process counts
//! them on; a world that is read gets new ones, of which the same are equal.
//!
//! To be used by an implementation that names the function that makes a new mark.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{with_loading, with_saving};

/// Marks nothing; it comes back as it is.
const NONE: u64 = u64::MAX;

pub(crate) fn serialize<S: Serializer>(mark: u64, serializer: S) -> Result<S::Ok, S::Error> {
    let number = match mark {
        NONE => None,
        _ => Some(with_saving(|saving| {
            let next = saving.marks.len() as u32;
            *saving.marks.entry(mark).or_insert(next)
        })?),
    };
    number.serialize(serializer)
}

/// Reads a mark; `another` makes a new one.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
    another: impl FnOnce() -> u64,
) -> Result<u64, D::Error> {
    let Some(number) = Option::<u32>::deserialize(deserializer)? else { return Ok(NONE) };
    with_loading(|loading| {
        if number as usize == loading.marks.len() {
            loading.marks.push(another());
        }
        loading.marks.get(number as usize).copied()
    })
}
