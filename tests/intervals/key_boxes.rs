//! Interpolated boxes: conservative, nearly tight, exact at keys.

use kinetree::bvh::Hierarchy;
use kinetree::interval::{IntervalBoxes, IntervalError};
use kinetree::math::Aabb;
use kinetree::time::Moment;

use crate::common::dice::Grain;
use crate::common::runner::cases;
use crate::common::scene::PlanSpec;
use crate::rival::{brute_boxes, positions};
use crate::window::scene;

#[test]
fn interpolated_boxes_hold_what_moves() {
    let (mut looks, mut loose, mut nodes) = (0, 0usize, 0usize);
    for grain in [Grain::Real, Grain::Lattice, Grain::Crooked] {
        for seed in 0..u64::from(cases(60)) {
            let (spec, body, _) = scene(seed, grain, false);
            let PlanSpec::Keys { times, positions: keys, .. } = &spec.plan else { continue };
            let count = spec.vertex_count;
            let mut boxes = IntervalBoxes::new(body.topology.clone(), times[0], &keys[..count]).unwrap();
            for (key, pair) in times.windows(2).enumerate() {
                boxes.push_key(pair[1], &keys[(key + 1) * count..(key + 2) * count]).unwrap();
                assert_eq!((boxes.begin(), boxes.end()), (pair[0], pair[1]));
                for part in [0.0, 0.1, 0.5, 0.77, 1.0] {
                    let time = if part == 1.0 { pair[1] } else { pair[0] + part * (pair[1] - pair[0]) };
                    if time == times[0] && body.motion.first_of_loop().is_some() {
                        continue;
                    }
                    let truth = brute_boxes(&body.topology, &spec.triangles, &positions(&body.motion, time));
                    for (node, tight) in truth.iter().enumerate() {
                        let ours = boxes.node_box(node as u32, Moment::at(time));
                        assert!(ours.contains(&tight.min) && ours.contains(&tight.max), "{grain:?} {seed} at {time}");
                        let slack = 1e-9;
                        let is_tight = |a: &Aabb, b: &Aabb| {
                            a.inflated(slack).contains(&b.min) && a.inflated(slack).contains(&b.max)
                        };
                        if part == 0.0 || part == 1.0 {
                            assert!(is_tight(tight, &ours), "{grain:?} {seed} at key {time}: {ours:?} {tight:?}");
                        }
                        loose += usize::from(!is_tight(tight, &ours));
                        nodes += 1;
                    }
                    looks += 1;
                }
            }
        }
    }
    assert!(looks > 500 && loose > 100 && nodes > 10_000, "{looks} looks, {loose} of {nodes} loose");
}

#[test]
fn bad_keys_are_refused() {
    let (spec, body, _) = scene(3, Grain::Real, false);
    let good = vec![[1.0f32; 3]; spec.vertex_count];
    let mut bad = good.clone();
    bad[spec.triangles[0][0] as usize][1] = f32::NAN;
    let mut boxes = IntervalBoxes::new(body.topology.clone(), 0.0, &good).unwrap();
    let before = boxes.node_box(0, Moment::at(0.0));
    assert!(boxes.push_key(1.0, &bad).is_err());
    assert!(matches!(boxes.push_key(0.0, &good), Err(IntervalError::NotLater { .. })));
    assert!(boxes.push_key(1.0, &good[..0]).is_err());
    assert_eq!((boxes.end(), boxes.node_box(0, Moment::at(0.0))), (0.0, before));
}
