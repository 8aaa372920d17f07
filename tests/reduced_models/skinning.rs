//! Skinned positions against the reference, inside the span and around its ends.

use kinetree::motion::Outside;
use kinetree::time::Moment;

use crate::common::dice::Dice;
use crate::reference::{displaced, image, maps, morph_weights};
use crate::{Flavour, distance, rounds, scene};

#[test]
fn random_skins_follow_the_reference() {
    let mut checked = 0;
    for flavour in [Flavour::Turns, Flavour::Everything, Flavour::Twists] {
        for seed in 0..rounds(40) {
            let scene = scene(seed, flavour);
            let mut dice = Dice::new(seed, &[11]);
            let breaks = scene.body.driver().breaks().to_vec();
            if breaks.len() < 2 {
                continue;
            }
            for _ in 0..6 {
                let place = dice.below(breaks.len() - 1);
                let (begin, end) = (breaks[place].time, breaks[place + 1].time);
                if end - begin < 1e-9 {
                    continue;
                }
                let time = begin + dice.real(0.001, 0.999) * (end - begin);
                let matrices = maps(&scene, time, (begin, end));
                let weights = morph_weights(&scene, time);
                // Asked for a subset, in any order.
                let vertices: Vec<u32> = (0..10).map(|_| dice.below(24) as u32).collect();
                let mut found = Vec::new();
                let span = scene.body.driver().span();
                let later = if scene.mix.outside == Outside::Loop { 3.0 * (span.end - span.begin) } else { 0.0 };
                for shift in [0.0, later] {
                    scene.body.positions(Moment::at(time + shift), &vertices, &mut found).unwrap();
                    for (&vertex, found) in vertices.iter().zip(&found) {
                        let rest = displaced(&scene, vertex, &weights);
                        let mut truth = [0.0; 3];
                        for (map, weight) in scene.body.mesh().influences().of(vertex) {
                            let moved = image(&matrices[map as usize], &rest);
                            (0..3).for_each(|i| truth[i] += weight * moved[i]);
                        }
                        if truth[0].is_nan() {
                            continue;
                        }
                        let off = distance(&truth, found);
                        assert!(off < 1e-7, "{flavour:?} {seed}, {time}, vertex {vertex}: off by {off}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}

#[test]
fn outside_the_span_a_body_holds() {
    for seed in 0..20 {
        let scene = scene(seed, Flavour::Everything);
        if scene.mix.outside != Outside::Hold {
            continue;
        }
        let span = scene.body.driver().span();
        let at = |moment| {
            let mut out = Vec::new();
            scene.body.positions(moment, &[0, 5, 23], &mut out).unwrap();
            out
        };
        assert_eq!(at(Moment::at(span.begin - 5.0)), at(Moment::after(span.begin)));
        assert_eq!(at(Moment::at(span.end + 5.0)), at(Moment::at(span.end)));
        assert_eq!(at(Moment::after(span.end)), at(Moment::at(span.end)));
    }
}
