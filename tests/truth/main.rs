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
mod fine;
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

/// Compares scenes from `KINETREE_SEED` on; at least as many as are usual must mean something.
fn scenes(make: fn(u64) -> scene::Scene, usual: u64, what: &str) {
    let (first, count) = (asked("KINETREE_SEED", 0), asked("KINETREE_SCENES", usual));
    let mut families: BTreeMap<&str, worlds::Tally> = BTreeMap::new();
    for seed in first..first + count {
        let scene = make(seed);
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
    line(&format!("true spans{what}, in four continuous modes"), 4 * all.spans, all.missed);
    line(&format!("reported spans{what} with both ends"), all.told, all.invented + all.ends);
    line(&format!("contacts at instants{what}, in all modes"), all.instants, all.missed + all.invented);
    assert_eq!((all.missed, all.invented, all.ends), (0, 0, 0));
    for (family, tally) in families {
        let is_enough = tally.spans > 10 && tally.told > 4 * 10;
        assert!(count < usual || is_enough, "{family}: little was compared: {tally:?}");
    }
}

#[test]
fn scenes_in_all_modes() {
    scenes(families::scene, 56, "");
}

#[test]
fn fine_scenes_in_all_modes() {
    scenes(fine::scene, 70, " of fine scenes");
}

/// Two ends that were told where the boxes of bodies parted, and a gap before a jump.
#[test]
fn fine_scenes_that_found_something() {
    for seed in [3741, 5957, 4777] {
        let worlds::Tally { missed, invented, ends, told, .. } = worlds::compare(&fine::scene(seed), seed);
        assert!((missed, invented, ends) == (0, 0, 0) && told > 0, "{seed}");
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
