//! A short run of what `fuzz/` runs for hours: scenes and calls made of bytes, the same ones every
//! time. `KINETREE_CASES=N` runs N of each.

#![cfg(all(feature = "io", feature = "record"))]

mod changes;
mod exact;
mod model;
mod motion;
mod questions;
mod scene;
mod source;
mod worlds;

use kinetree::scenes::Random;

/// Bytes that a fuzzer could have chosen.
fn bytes(seed: u64, most: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let count = 40 + random.below(most);
    (0..count).map(|_| random.below(256) as u8).collect()
}

fn cases(usual: u64) -> u64 {
    std::env::var("KINETREE_CASES").ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

#[test]
fn worlds_in_lockstep_against_exact_truth() {
    let first: u64 = std::env::var("KINETREE_SEED").ok().and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut tally = worlds::Tally::default();
    for seed in first..first + cases(40) {
        let made = bytes(seed, 400);
        tally += std::panic::catch_unwind(|| worlds::run(&made)).unwrap_or_else(|error| {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(error)
        });
    }
    println!("{tally:?}");
    // Much less would mean that little was judged.
    let least = 2 * cases(40);
    assert!(tally.contacts > least && tally.pasts > least && tally.loops > least && tally.refused > 5, "{tally:?}");
}
