//! Pairs of leaves where everything is known, and what is refused.

use kinetree::bvh::{BuildParams, Topology};
use kinetree::interval::{
    Candidates, IntervalBoxes, IntervalError, IntervalPairs, PairedBodies, PairedBoxes, Prepared,
};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion};
use kinetree::time::Moment;

use crate::common::shapes::soup_triangles;
use crate::windows::window_of;

/// Small triangles side by side along x at a height, and their keys.
fn row(count: usize, height: &[f32]) -> (Mesh, Vec<Vec<[f32; 3]>>) {
    let mesh = Mesh::new(3 * count, soup_triangles(count)).unwrap();
    let key = |z: f32| {
        (0..count)
            .flat_map(|place| {
                let x = 2.0 * place as f32;
                [[x, 0.0, z], [x + 1.0, 0.0, z], [x, 1.0, z]]
            })
            .collect()
    };
    (mesh, height.iter().map(|&z| key(z)).collect())
}

fn boxes(count: usize, times: &[f64], height: &[f32]) -> IntervalBoxes {
    moving_boxes(count, times, height).0
}

fn moving_boxes(count: usize, times: &[f64], height: &[f32]) -> (IntervalBoxes, Motion) {
    let (mesh, keys) = row(count, height);
    let start: Vec<[f64; 3]> = keys[0].iter().map(|p| p.map(f64::from)).collect();
    let topology = Topology::build(&mesh, &start, BuildParams { leaf_size: 1, ..BuildParams::default() });
    let plan = Flightplan::keyframes(times.to_vec(), keys.concat());
    let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::KeyMajor).unwrap();
    let mut boxes = IntervalBoxes::over(topology, &motion, times[0]).unwrap();
    for pair in times.windows(2) {
        boxes.follow(&motion, Moment::after(pair[0]), pair[1]).unwrap();
    }
    (boxes, motion)
}

#[test]
fn rows_that_meet_at_a_key() {
    let (floor, falling) = (boxes(16, &[0.0, 1.0], &[0.0, 0.0]), boxes(16, &[0.0, 1.0], &[1.0, 0.0]));
    let partners = PairedBoxes::between(&floor, &falling);
    let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
    leaf_pairs.begin(&partners).unwrap();
    assert_eq!(leaf_pairs.prepare(&partners, 3), Prepared::Partly);
    assert_eq!(leaf_pairs.prepare(&partners, usize::MAX), Prepared::All);
    assert_eq!(leaf_pairs.pairs().len(), 16);
    assert_eq!(leaf_pairs.active(1.0).unwrap().count(), 16);
    assert_eq!(leaf_pairs.active(0.999_99).unwrap().count(), 0);
    assert_eq!(leaf_pairs.active(0.0).unwrap().count(), 0);
    assert!(leaf_pairs.stats().visited < 16 * 16, "{:?}", leaf_pairs.stats());
    assert!(leaf_pairs.audit(&partners).is_clean());
    // With a distance of half a metre they meet half-way.
    let mut thick = IntervalPairs::new(0.5).unwrap();
    thick.begin(&partners).unwrap();
    thick.prepare(&partners, usize::MAX);
    let window = window_of(&thick.pairs()[0], thick.interval());
    assert!(window.begin <= 0.5 && window.begin > 0.499_99 && window.end == 1.0);
}

#[test]
fn key_times_of_their_own() {
    // One falls from 0 to 4 s, the other is known from 1 to 2 s: the interval is 1 to 2 s, the
    // heights 0.75 to 0.5, past 0.625 at 1.5 s.
    let (slow, still) = (boxes(4, &[0.0, 4.0], &[1.0, 0.0]), boxes(4, &[1.0, 2.0], &[0.625, 0.625]));
    let partners = PairedBoxes::between(&slow, &still);
    let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
    leaf_pairs.begin(&partners).unwrap();
    leaf_pairs.prepare(&partners, usize::MAX);
    assert_eq!((leaf_pairs.interval().begin, leaf_pairs.interval().end), (1.0, 2.0));
    assert_eq!(leaf_pairs.pairs().len(), 4);
    let window = window_of(&leaf_pairs.pairs()[0], leaf_pairs.interval());
    assert!(window.begin <= 1.5 && window.end >= 1.5 && window.end - window.begin < 1e-3, "{window:?}");
    assert!(matches!(leaf_pairs.active(0.5).err(), Some(IntervalError::Outside { .. })));
    assert!(matches!(leaf_pairs.active(f64::NAN).err(), Some(IntervalError::Outside { .. })));
}

/// Where an interval begins between two keys, corners are interpolated in `f32`. Boxes of triangles
/// were compared without paying for that: of these 400 scenes, triangles that meet when the
/// interval begins were missed in many.
#[test]
fn triangles_that_meet_where_an_interval_is_cut() {
    for step in 0..400_u16 {
        let last = 200.0 + f32::from(step) / 64.0;
        // It rises through this height at 1 s, as f64 says; the other body is known from there on,
        // and its top is there.
        let height = -100.0 + (f64::from(last) + 100.0) / 3.0;
        let top = if f64::from(height as f32) < height { (height as f32).next_up() } else { height as f32 };
        let (rising, rise) = moving_boxes(1, &[0.0, 3.0], &[-100.0, last]);
        let (still, rest) = moving_boxes(1, &[1.0, 2.0], &[top, top]);
        let (mesh, _) = row(1, &[]);
        let partners = PairedBoxes::between(&rising, &still);
        let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
        leaf_pairs.begin(&partners).unwrap();
        leaf_pairs.prepare(&partners, usize::MAX);
        assert_eq!((leaf_pairs.interval().begin, leaf_pairs.pairs().len()), (1.0, 1), "{last}");
        let mut candidates = Candidates::between(&rising, &still);
        candidates.begin(&leaf_pairs, &partners).unwrap();
        candidates.prepare(
            &leaf_pairs,
            &partners,
            PairedBodies::between((&mesh, &rise), (&mesh, &rest)),
            |_, _| true,
            &mut usize::MAX.clone(),
        );
        assert!(candidates.pairs().eq([(0, 0)]), "{last}");
    }
}

#[test]
fn what_is_refused() {
    for distance in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(matches!(IntervalPairs::new(distance), Err(IntervalError::BadDistance { .. })));
    }
    let (early, late) = (boxes(2, &[0.0, 1.0], &[0.0, 0.0]), boxes(2, &[2.0, 3.0], &[0.0, 0.0]));
    let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
    let apart = PairedBoxes::between(&early, &late);
    assert!(matches!(leaf_pairs.begin(&apart), Err(IntervalError::NoCommonTime { .. })));
    assert!(matches!(leaf_pairs.active(0.5).err(), Some(IntervalError::NotPrepared)));
    let same = PairedBoxes::between(&early, &early);
    leaf_pairs.begin(&same).unwrap();
    leaf_pairs.prepare(&same, usize::MAX);
    // A refusal leaves what there is.
    assert!(leaf_pairs.begin(&apart).is_err());
    assert_eq!(leaf_pairs.pairs().len(), 2);
    leaf_pairs.forget();
    assert!(leaf_pairs.pairs().is_empty());
}
