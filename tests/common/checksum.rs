//! The checksum of files, from the pages of their formats.
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

/// Folds a word into a hash.
pub fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    mixed ^ (mixed >> 29)
}

/// An order-dependent hash of the words, the last one padded, and the length.
pub fn checksum(payload: &[u8]) -> u64 {
    hashed(0x6b69_6e65_7472_6565, payload)
}

/// The same of a part that follows another, whose checksum is given.
pub fn chained(before: u64, payload: &[u8]) -> u64 {
    hashed(mix(0x6b69_6e65_7472_6565, before), payload)
}

fn hashed(hash: u64, payload: &[u8]) -> u64 {
    let (words, rest) = payload.as_chunks::<8>();
    let hash = words.iter().fold(hash, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(hash, u64::from_le_bytes(last)), payload.len() as u64)
}
