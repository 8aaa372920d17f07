//! Contacts against exact truth: begins and ends as algebraic numbers, over generated families of
//! scenes in every engine and mode, and over pairs of triangles.
//!
//! `KINETREE_SCENES=N`, `KINETREE_PAIRS=N` and `KINETREE_BOUNDS=N` set how many; `KINETREE_SEED=N`
//! is the first scene. `KINETREE_TRACE=1` prints scenes. Each test prints lines that `just torture`
//! collects: `torture | name | checks | wrong`.

#[path = "../fuzz/exact.rs"]
mod exact;

#[path = "../intervals_oracle/pairs.rs"]
#[allow(dead_code, reason = "other pairs are used elsewhere")]
mod generators;

mod algebra;
mod bounds;
mod families;
mod number;
mod pair;
mod pairs;
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
    let (first, count) = (asked("KINETREE_SEED", 0), asked("KINETREE_SCENES", 56));
    let mut families: BTreeMap<&str, worlds::Tally> = BTreeMap::new();
    for seed in first..first + count {
        let scene = families::scene(seed);
        if std::env::var_os("KINETREE_TRACE").is_some() {
            println!("{seed}: {scene:?}");
        }
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
        assert!(count < 56 || tally.spans > 10 && tally.told > 4 * 10, "{family}: little was compared: {tally:?}");
    }
}

#[test]
fn pairs_over_a_window() {
    let count = asked("KINETREE_PAIRS", 2_800);
    let tallies = pairs::compare(asked("KINETREE_SEED", 0) + 18, count);
    let mut wrong = 0;
    for (name, tally) in tallies {
        println!("{name}: {tally:?}");
        line(&format!("pairs: {name}"), tally.pairs, tally.wrong);
        assert!(16 * tally.spans >= tally.pairs, "{name}: too few contacts to mean anything");
        wrong += tally.wrong;
    }
    assert_eq!(wrong, 0);
}

#[test]
fn boxes_hold_their_vertices() {
    let tallies = bounds::compare(asked("KINETREE_SEED", 0), asked("KINETREE_BOUNDS", 1_000_000));
    let mut wrong = 0;
    for (name, tally) in tallies {
        println!("{name}: {tally:?}");
        line(&format!("vertices in boxes: {name}"), tally.checks, tally.wrong);
        assert!(tally.boxes > 1000, "{name}: {tally:?}");
        wrong += tally.wrong;
    }
    assert_eq!(wrong, 0);
}
