//! Interpolated boxes: conservative, nearly tight, exact at keys.

use kinetree::bvh::Hierarchy;
use kinetree::interval::IntervalBoxes;
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
            let PlanSpec::Keys { times, .. } = &spec.plan else { continue };
            let mut boxes = IntervalBoxes::over(body.topology.clone(), &body.motion, times[0]).unwrap();
            for pair in times.windows(2) {
                boxes.follow(&body.motion, Moment::after(pair[0]), pair[1]).unwrap();
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
                        let slack = 1e-9 + boxes.slack() + body.motion.slack(Moment::at(time));
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
