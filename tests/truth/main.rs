//! Contacts against exact truth: begins and ends as algebraic numbers, over generated families of
//! scenes in every engine and mode, and over pairs of triangles.
//!
//! `KINETREE_SCENES=N` and `KINETREE_PAIRS=N` set how many; `KINETREE_SEED=N` the first scene. Each
//! test prints lines that `just torture` collects: `torture | name | checks | wrong`.

#[path = "../fuzz/exact.rs"]
mod exact;

mod algebra;
mod families;
mod number;
mod pair;
mod scene;
mod timeline;
mod worlds;

use std::collections::BTreeMap;

/// A number from the environment.
fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// One line of the table of `just torture`.
fn line(name: &str, checks: u64, wrong: u64) {
    println!("torture | {name} | {checks} | {wrong}");
}

#[test]
fn scenes_in_all_modes() {
    let (first, count) = (asked("KINETREE_SEED", 0), asked("KINETREE_SCENES", 55));
    let mut families: BTreeMap<&str, worlds::Tally> = BTreeMap::new();
    for seed in first..first + count {
        let scene = families::scene(seed);
        *families.entry(scene.family).or_default() += worlds::compare(&scene, seed);
    }
    let mut all = worlds::Tally::default();
    for (family, tally) in &families {
        println!("{family}: {tally:?}");
        line(&format!("scenes: {family}"), tally.scenes, tally.missed + tally.invented + tally.ends);
        all += *tally;
    }
    line("true spans, in four continuous modes", 4 * all.spans, all.missed);
    line("reported spans with both ends", all.told, all.invented + all.ends);
    line("contacts at instants, in all modes", all.instants, all.missed + all.invented);
    assert_eq!((all.missed, all.invented, all.ends), (0, 0, 0));
    for (family, tally) in families {
        assert!(count < 55 || tally.spans > 20 && tally.told > 4 * 20, "{family}: little was compared: {tally:?}");
    }
}
