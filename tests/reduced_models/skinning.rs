//! Skinned positions against the reference, inside the span and around its ends.

use std::sync::Arc;

use kinetree::motion::Outside;
use kinetree::reduced::{
    Binding, Channel, Clip, Driver, Interpolation, JointTracks, Layer, Mix, Node, Pose, Property, Rig, Track,
};
use kinetree::time::{Moment, Span};

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

#[test]
fn keys_of_nodes_that_are_not_followed_break_nothing() {
    let track = |times: &[f64], interpolation| Track {
        interpolation,
        times: times.to_vec(),
        values: times.iter().flat_map(|&time| [time.floor(), 0.0, 0.0]).collect(),
    };
    let channel = |node, track| Channel { node, property: Property::Translation, track };
    let channels = vec![
        channel(0, track(&[0.0, 1.0, 4.0], Interpolation::Linear)),
        channel(1, track(&[0.0, 2.0, 2.5, 4.0], Interpolation::Step)),
        channel(2, track(&[0.5, 3.0], Interpolation::Step)),
    ];
    let parent = |parent| Node { parent, ..Node::default() };
    let nodes = vec![parent(None), parent(Some(0)), parent(None)];
    let rig = Arc::new(Rig::new(nodes, &[Clip { name: String::new(), channels }]).unwrap());
    let mix = Mix::clip(&rig, 0, Outside::Hold).unwrap();
    let breaks = |node| {
        let bindings = Binding::skin(&[node], None).unwrap();
        let tracks = JointTracks::new(Arc::clone(&rig), &mix, bindings, None).unwrap();
        tracks.breaks().iter().map(|stop| (stop.time, stop.is_jump)).collect::<Vec<_>>()
    };
    assert_eq!(breaks(0), [(0.0, false), (1.0, false), (4.0, false)]);
    // At 2.5 the step's value is the one it had, so nothing jumps; at 4 it does, but nothing is shown after that.
    assert_eq!(breaks(1), [(0.0, false), (1.0, false), (2.0, true), (2.5, false), (4.0, false)]);
    assert_eq!(breaks(2), [(0.0, false), (0.5, false), (3.0, true), (4.0, false)]);
}

#[test]
fn a_looped_layer_jumps_where_its_last_step_does() {
    // 0, 1, 0 again at the last key: a round arrives with 1 and begins with 0.
    let step = Track {
        interpolation: Interpolation::Step,
        times: vec![0.0, 0.7, 1.1],
        values: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    };
    let channels = vec![Channel { node: 0, property: Property::Translation, track: step }];
    let rig = Arc::new(Rig::new(vec![Node::default()], &[Clip { name: String::new(), channels }]).unwrap());
    for rate in [1.0, 0.3, 1.7] {
        let layer = Layer { rate, outside: Outside::Loop, ..Layer::new(0, 0.13) };
        let mix = Mix { layers: vec![layer], span: Span { begin: 0.0, end: 9.0 }, outside: Outside::Hold };
        let tracks = JointTracks::new(Arc::clone(&rig), &mix, Binding::skin(&[0], None).unwrap(), None).unwrap();
        let mut jumps = 0;
        let (mut before, mut after) = (Pose::default(), Pose::default());
        for stop in tracks.breaks() {
            tracks.pose(Moment::at(stop.time), &mut before);
            tracks.pose(Moment::after(stop.time), &mut after);
            assert!(stop.is_jump || before == after, "rate {rate}: jumps unseen at {}", stop.time);
            jumps += usize::from(before != after);
        }
        assert!(jumps > 3, "rate {rate}: {jumps} jumps");
    }
}
