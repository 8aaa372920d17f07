//! Runs a property over many random inputs, always the same ones unless asked otherwise.
//!
//! | variable | effect |
//! |---|---|
//! | `KINETREE_CASES=1000` | that many inputs per property |
//! | `KINETREE_RANDOM_SEEDS=1` | other inputs every time; the seed is printed |
//! | `KINETREE_SEED=17` | the inputs of that seed |

use std::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::dice::Dice;

/// How many inputs a property is tried on.
pub fn cases(usual: u32) -> u32 {
    std::env::var("KINETREE_CASES").ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// Tries a property; panics with the smallest counterexample found.
pub fn check<S: Strategy>(name: &str, usual_cases: u32, inputs: &S, property: impl Fn(S::Value) -> Result<(), String>)
where
    S::Value: Debug,
{
    let mut seed = 0x6b69_6e65_7472_6565;
    if let Ok(text) = std::env::var("KINETREE_SEED") {
        seed = text.parse().expect("KINETREE_SEED is a number");
    } else if std::env::var("KINETREE_RANDOM_SEEDS").is_ok_and(|value| value == "1") {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock after 1970");
        seed = now.as_nanos() as u64;
        eprintln!("{name}: KINETREE_SEED={seed}");
    }
    let mut dice = Dice::new(seed, &name.bytes().map(u64::from).collect::<Vec<_>>());
    let bytes: Vec<u8> = (0..4).flat_map(|_| dice.bits().to_le_bytes()).collect();
    let config =
        Config { cases: cases(usual_cases), failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    if let Err(failure) = runner.run(inputs, |input| property(input).map_err(TestCaseError::fail)) {
        panic!("{name} (KINETREE_SEED={seed}): {failure}");
    }
}
