//! Skins made to break bounds: half turns between neighbours and quaternions of either sign, single influences, weights at their limits,
//! many joints, sums beside one by up to 10⁻⁶, weights of either sign, morphs as well; jumps, loops.

use std::sync::Arc;

use kinetree::motion::Outside;

use crate::common::dice::Dice;
use crate::reduced_skins::{Flavour, scene};
use crate::reduced_support::{Spinner, Weights, body, random_mesh};
use crate::{Case, Tally, boxes, spheres, spherical, wanted};

/// How many bodies are looked at in turns.
const AT_ONCE: usize = 40;
/// At how many times each, at least.
const TIMES: usize = 4;

fn check_all(what: &str, checks: usize, mut make: impl FnMut(u64, &mut Dice) -> Case) {
    let mut dice = Dice::new(43, &[what.len() as u64]);
    let (mut tally, mut seed, wanted) = (Tally::default(), 0, wanted(checks));
    // New bodies again and again: what breaks a bound is a rare body rather than a rare time.
    while tally.least() < wanted {
        let cases: Vec<Case> = (0..AT_ONCE)
            .map(|_| {
                seed += 1;
                make(seed, &mut dice)
            })
            .collect();
        tally.join(&boxes::check(&cases, wanted.div_ceil(40), TIMES, &mut dice));
        tally.join(&spheres::check(&cases, wanted.div_ceil(40), TIMES, &mut dice));
        tally.join(&spherical::check(&cases, wanted.div_ceil(40), TIMES, &mut dice));
    }
    tally.print(&format!("{what}, {seed} bodies"));
}

fn rigged(what: &str, flavour: Flavour) {
    check_all(what, 3_000, |seed, _| {
        let name = format!("{flavour:?} {seed}");
        let body = scene(10_000 + seed, flavour).body;
        Case { name, body: Arc::new(body) }
    });
}

#[test]
fn of_joints_with_half_turns_and_flipped_quaternions() {
    rigged("joints with half turns and flipped quaternions", Flavour::Twists);
}

#[test]
fn of_joints_that_turn_move_and_scale_under_morphs() {
    rigged("joints that turn, move and scale, morphs", Flavour::Everything);
}

#[test]
fn of_joints_that_turn() {
    rigged("joints that turn", Flavour::Turns);
}

#[test]
fn of_joints_blended_spherically() {
    let (mut dice, mut tally, mut seed, wanted) = (Dice::new(44, &[]), Tally::default(), 0, wanted(3_000));
    while tally.of("moving, spherical") < wanted {
        let cases: Vec<Case> = (0..AT_ONCE)
            .map(|_| {
                seed += 1;
                Case { name: format!("spherical {seed}"), body: Arc::new(scene(20_000 + seed, Flavour::Rigid).body) }
            })
            .collect();
        tally.join(&spheres::check(&cases, wanted.div_ceil(40), TIMES, &mut dice));
        tally.join(&spherical::check(&cases, wanted.div_ceil(40), TIMES, &mut dice));
    }
    assert!(tally.of("spheres, spherical") >= wanted);
    tally.print(&format!("joints blended spherically, {seed} bodies"));
}

#[test]
fn of_weights_of_every_kind() {
    let kinds = [
        ("one joint each", Weights::Single),
        ("two joints", Weights::Smooth),
        ("weights at their limits", Weights::AtLimits),
        ("up to four joints, sums beside one", Weights::Random(4)),
        ("up to twelve joints, sums beside one", Weights::Random(12)),
        ("weights of either sign", Weights::Signed),
    ];
    for (what, weights) in kinds {
        check_all(what, 1_500, |seed, dice| {
            let (vertices, maps) = (3 + dice.below(150), 1 + dice.below(12));
            let morphs = if dice.percent(40) { 1 + dice.below(3) } else { 0 };
            let mesh = random_mesh(dice, vertices, maps, morphs, weights);
            let wildness = dice.pick(&[0.1, 1.0, 3.0]);
            let stretches = 1 + dice.below(3);
            let mut driver = Spinner::random(dice, maps, morphs, stretches, wildness);
            driver.outside = dice.pick(&[Outside::Hold, Outside::Loop]);
            Case { name: format!("{what} {seed}"), body: Arc::new(body(&mesh, driver)) }
        });
    }
}
