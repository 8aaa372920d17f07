//! Proxies over time: blends, extents, dents, turning bodies; and what is refused.

use crate::bodies::{parts, solid};
use kinetree::motion::Sphere;
use kinetree::proxy::{
    Cage, DistanceField, PackingDef, PoseMap, PoseTrack, Proxy, ProxyError, Resolution, RigidTrack, SphereClip,
};
use kinetree::scenes::wrecks;
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

const DEF: PackingDef = PackingDef { r_min: 0.03, r_max: 0.12, max_count: 60 };

pub(crate) fn barrel() -> Proxy {
    let rest = solid(&wrecks::barrel());
    let example = |(index, mesh)| {
        let (mesh, positions) = parts(mesh);
        rest.example(index + 1, &mesh, &positions).unwrap()
    };
    let poses: Vec<_> = wrecks::barrel_poses().iter().enumerate().map(example).collect();
    let packing = DEF.pack(&DistanceField::new(&rest, Resolution::CellsAlongLongest(24)).unwrap()).unwrap();
    let cage = Cage::around(&rest, 6).unwrap();
    let cage_poses: Vec<_> = poses.iter().map(|pose| cage.fit(&rest, pose).unwrap()).collect();
    Proxy::new(&rest, &packing, DEF, &poses, PoseMap::Cage { cage: &cage, poses: &cage_poses }).unwrap()
}

/// A few dents, place by place.
fn dented(proxy: &Proxy) -> PoseTrack {
    let sites = proxy.site_count();
    let mut track = PoseTrack::rest(sites, proxy.pose_count()).unwrap();
    let shares: Vec<f64> = (0..sites).map(|site| (site % 7) as f64 / 7.0).collect();
    track.raise(0.5, 0.1, 2, &shares).unwrap();
    track.raise(0.9, 0.3, 1, &vec![0.4; sites]).unwrap();
    track.raise(1.1, 0.05, 3, &shares).unwrap();
    track
}

#[test]
fn blended_extents_bound_blended_spheres() {
    let proxy = barrel();
    let track = dented(&proxy);
    let keys = proxy.keys(&track).unwrap();
    assert_eq!(keys.times, track.times());
    let mut moved = 0;
    for step in 0..=300 {
        let time = -0.2 + f64::from(step) * 0.006_173;
        let truth = proxy.at(&track, time).unwrap();
        for (index, sphere) in truth.iter().enumerate() {
            let linear = keys.at(index, time).unwrap();
            assert!((0..3).all(|k| (sphere.centre[k] - linear.centre[k]).abs() < 1e-13));
            assert!((sphere.radius - linear.radius).abs() < 1e-13);
            let bounds = keys.bounds(index, time).unwrap();
            for at in [*sphere, linear] {
                for k in 0..3 {
                    assert!(bounds.min[k] <= at.centre[k] - at.radius && at.centre[k] + at.radius <= bounds.max[k]);
                }
            }
            moved += usize::from(linear != keys.spheres[0][index]);
        }
    }
    assert!(moved > 1_000, "{moved} spheres off their rest pose");
}

#[test]
fn dents_leave_the_past_alone_and_stay() {
    let proxy = barrel();
    let mut track = dented(&proxy);
    let before = track.clone();
    let sites = proxy.site_count();
    let shares: Vec<f64> = (0..sites).map(|site| f64::from(u8::from(site % 2 == 0))).collect();
    track.raise(1.12, 0.2, 1, &shares).unwrap();
    for site in 0..sites as u32 {
        for time in [0.0, 0.55, 1.0, 1.12] {
            let (old, new) = (before.at(time, site).unwrap(), track.at(time, site).unwrap());
            assert!(old.iter().zip(&new).all(|(a, b)| (a - b).abs() < 1e-15));
        }
        let last = track.at(5.0, site).unwrap();
        assert!((last.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        if site % 2 == 0 {
            assert_eq!(last, [0.0, 1.0, 0.0, 0.0]);
        } else {
            assert_eq!(last, before.at(1.12, site).unwrap(), "what is not dented again stops where it is");
        }
    }
}

#[test]
fn a_raise_that_is_refused_changes_nothing() {
    let mut track = PoseTrack::rest(2, 3).unwrap();
    let before = track.clone();
    for (time, duration, pose, shares) in [
        (f64::NAN, 1.0, 1, vec![0.5; 2]),
        (0.0, 0.0, 1, vec![0.5; 2]),
        (0.0, f64::INFINITY, 1, vec![0.5; 2]),
        (1e12, 1e-9, 1, vec![0.5; 2]),
        (0.0, 1.0, 3, vec![0.5; 2]),
        (0.0, 1.0, 1, vec![0.5; 3]),
        (0.0, 1.0, 1, vec![0.5, 1.5]),
        (0.0, 1.0, 1, vec![0.5, f64::NAN]),
    ] {
        assert!(track.raise(time, duration, pose, &shares).is_err());
        assert_eq!(track, before);
    }
}

/// A turn by Rodrigues' formula.
fn turned(axis: Vector3<f64>, angle: f64, point: Vector3<f64>) -> Vector3<f64> {
    let cross = Matrix3::new(0.0, -axis.z, axis.y, axis.z, 0.0, -axis.x, -axis.y, axis.x, 0.0);
    point + cross * point * libm::sin(angle) + cross * (cross * point) * (1.0 - libm::cos(angle))
}

fn quaternion(axis: Vector3<f64>, angle: f64) -> [f64; 4] {
    let (sin, cos) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
    [axis.x * sin, axis.y * sin, axis.z * sin, cos]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The inflated sphere contains the true one, which is evaluated by another formula, and is larger by no more than allowed.
    #[test]
    fn turning_spheres_are_contained(
        axis in prop::array::uniform3(-1.0..1.0f64),
        angle in -3.0..3.0f64,
        start in -3.0..3.0f64,
        place in prop::array::uniform3(-50.0..50.0f64),
        centres in prop::array::uniform2(prop::array::uniform3(-3.0..3.0f64)),
        radii in prop::array::uniform2(0.0..0.5f64),
        tolerance in prop::sample::select(vec![1e-1, 1e-2, 1e-3, 1e-5]),
        begin in prop::sample::select(vec![0.0, -7.0, 1e6]),
        duration in 0.01..2.0f64,
    ) {
        let axis = Vector3::from(axis);
        prop_assume!(axis.norm() > 0.1);
        let axis = axis.normalize();
        let times = vec![begin, begin + duration];
        let motion = RigidTrack::new(
            times.clone(),
            vec![[1.0, 2.0, 3.0], place],
            vec![quaternion(axis, start), quaternion(axis, start + angle)],
        ).unwrap();
        let spheres = [0, 1].map(|key| vec![Sphere { centre: centres[key], radius: radii[key] }]);
        let keys = SphereClip { times: times.clone(), spheres: spheres.to_vec() };
        let made = motion.compose(&keys, tolerance).unwrap();
        let whole = times[1] - times[0];
        let mut largest: f64 = 0.0;
        for step in 0..=400 {
            let time = begin + whole * f64::from(step) / 400.0;
            let share = (time - begin) / whole;
            let centre = Vector3::from(centres[0]).lerp(&Vector3::from(centres[1]), share);
            let origin = Vector3::new(1.0, 2.0, 3.0).lerp(&Vector3::from(place), share);
            let truth = origin + turned(axis, start + share * angle, centre);
            let radius = radii[0] + share * (radii[1] - radii[0]);
            let sphere = made.at(0, time).unwrap();
            let off = (Vector3::from(sphere.centre) - truth).norm();
            largest = largest.max(off);
            prop_assert!(off + radius <= sphere.radius + 1e-12, "{} + {} > {} at {}", off, radius, sphere.radius, time);
            prop_assert!(sphere.radius <= radius + tolerance * (1.0 + 1e-9) + 1e-10);
        }
        // The bound is no looser than it must be: some case comes near it.
        prop_assert!(largest <= tolerance);
        for key in &made.times {
            prop_assert!(*key >= begin && *key <= begin + duration);
        }
    }
}

#[test]
fn the_inflation_is_nearly_reached() {
    // A point on a circle of radius 1, half a turn: the sagitta is the whole deviation.
    let axis = Vector3::z();
    let motion =
        RigidTrack::new(vec![0.0, 1.0], vec![[0.0; 3]; 2], vec![quaternion(axis, 0.0), quaternion(axis, 3.0)]).unwrap();
    let keys = SphereClip { times: vec![0.0], spheres: vec![vec![Sphere { centre: [1.0, 0.0, 0.0], radius: 0.0 }]] };
    let made = motion.compose(&keys, 1e-3).unwrap();
    let time = 0.5 * (made.times[3] + made.times[4]);
    let sphere = made.at(0, time).unwrap();
    let sagitta = 1.0 - Vector3::from(sphere.centre).norm();
    assert!(sagitta <= sphere.radius && sagitta > 0.98 * sphere.radius, "{sagitta} of {}", sphere.radius);
}

#[test]
fn bodies_hold_outside_their_keys_and_rest_needs_no_pieces() {
    let motion =
        RigidTrack::new(vec![1.0, 2.0], vec![[0.0; 3], [1.0, 0.0, 0.0]], vec![[0.0, 0.0, 0.0, 1.0]; 2]).unwrap();
    let sphere = |x: f64| vec![Sphere { centre: [x, 0.0, 0.0], radius: 0.5 }];
    let keys = SphereClip { times: vec![0.0, 3.0], spheres: vec![sphere(0.0), sphere(3.0)] };
    let made = motion.compose(&keys, 1e-6).unwrap();
    assert_eq!(made.times, [0.0, 1.0, 2.0, 3.0]);
    let places: Vec<f64> = made.spheres.iter().map(|spheres| spheres[0].centre[0]).collect();
    assert_eq!(places, [0.0, 1.0, 3.0, 4.0]);
    assert!(made.spheres.iter().all(|spheres| spheres[0].radius < 0.5 + 1e-11 && spheres[0].radius >= 0.5));
    assert_eq!(motion.carry([0.0, 1.0, 0.0], 9.0), [1.0, 1.0, 0.0]);
    // A quaternion's opposite is the same turn.
    let turns = vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, -1.0]];
    let same = RigidTrack::new(vec![1.0, 2.0], vec![[0.0; 3], [1.0, 0.0, 0.0]], turns).unwrap();
    assert_eq!(same.compose(&keys, 1e-6).unwrap().times, made.times);
}

#[test]
fn tracks_that_do_not_fit_are_refused() {
    let track = |times: &[f64], weights: &[f64]| PoseTrack::new(times.to_vec(), 1, 2, weights.to_vec()).unwrap_err();
    assert_eq!(track(&[], &[]), ProxyError::NoKeys);
    assert_eq!(track(&[0.0, 0.0], &[1.0, 0.0, 1.0, 0.0]), ProxyError::TimeOrder { key: 1 });
    assert!(matches!(track(&[f64::NAN], &[1.0, 0.0]), ProxyError::Number { what: "time of key", index: 0, .. }));
    assert_eq!(track(&[0.0], &[1.0]), ProxyError::WeightCount { found: 1, wanted: 2 });
    assert_eq!(track(&[0.0], &[0.5, 0.6]), ProxyError::WeightSum { key: 0, site: 0, sum: 1.1 });
    let error = track(&[0.0, 1.0], &[1.0, 0.0, 1.25, -0.25]);
    assert_eq!(error, ProxyError::Weight { key: 1, site: 0, pose: 1, value: -0.25 });
    assert!(matches!(track(&[0.0], &[f64::NAN, 1.0]), ProxyError::Weight { pose: 0, .. }));
    assert!(matches!(track(&[0.0], &[f64::INFINITY, 1.0]), ProxyError::WeightSum { .. }));
    assert!(PoseTrack::rest(0, 2).is_err() && PoseTrack::rest(2, 0).is_err());
    // Rounded to single precision they pass, and sum to 1 again.
    let third = f64::from(1.0f32 / 3.0);
    let rounded = PoseTrack::new(vec![0.0], 1, 3, vec![third; 3]).unwrap();
    assert!((rounded.at(0.0, 0).unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-15);

    let proxy = barrel();
    let error = proxy.keys(&PoseTrack::rest(1, 3).unwrap()).unwrap_err();
    assert_eq!(error, ProxyError::TrackPoses { found: 3, wanted: 4 });
    let error = proxy.at(&PoseTrack::rest(2, 4).unwrap(), 0.0).unwrap_err();
    assert_eq!(error, ProxyError::TrackSites { found: 2, wanted: proxy.site_count() });

    let turn = [0.0, 0.0, 0.0, 1.0];
    let rigid = |times: &[f64], places: &[[f64; 3]], turns: &[[f64; 4]]| {
        RigidTrack::new(times.to_vec(), places.to_vec(), turns.to_vec())
    };
    assert_eq!(rigid(&[], &[], &[]).unwrap_err(), ProxyError::NoKeys);
    assert!(matches!(rigid(&[0.0], &[], &[turn]).unwrap_err(), ProxyError::KeyCount { what: "places", .. }));
    assert!(matches!(rigid(&[0.0], &[[0.0; 3]], &[]).unwrap_err(), ProxyError::KeyCount { what: "turns", .. }));
    assert!(matches!(rigid(&[0.0], &[[f64::NAN; 3]], &[turn]).unwrap_err(), ProxyError::Number { index: 0, .. }));
    assert!(matches!(rigid(&[0.0], &[[0.0; 3]], &[[0.0; 4]]).unwrap_err(), ProxyError::Turn { key: 0, .. }));
    assert!(matches!(rigid(&[0.0], &[[0.0; 3]], &[[f64::NAN; 4]]).unwrap_err(), ProxyError::Turn { key: 0, .. }));
    let motion = rigid(&[0.0, 1.0], &[[0.0; 3]; 2], &[turn, [1.0, 0.0, 0.0, 0.0]]).unwrap();
    let keys = SphereClip { times: vec![0.0], spheres: vec![vec![Sphere { centre: [0.0, 1.0, 0.0], radius: 0.1 }]] };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(motion.compose(&keys, bad).unwrap_err(), ProxyError::Number { what: "tolerance", .. }));
    }
    assert!(matches!(motion.compose(&keys, 1e-15).unwrap_err(), ProxyError::TooManyPieces { .. }));
    let broken = |change: &dyn Fn(&mut SphereClip)| {
        let mut keys = keys.clone();
        keys.times.push(1.0);
        keys.spheres.push(keys.spheres[0].clone());
        change(&mut keys);
        motion.compose(&keys, 0.1).unwrap_err()
    };
    assert_eq!(broken(&|keys| keys.spheres[1].clear()), ProxyError::SphereCount { key: 1, found: 0, wanted: 1 });
    assert!(matches!(broken(&|keys| keys.spheres.truncate(1)), ProxyError::KeyCount { found: 1, wanted: 2, .. }));
    assert!(matches!(broken(&|keys| keys.spheres[1][0].radius = -0.1), ProxyError::Number { value: -0.1, .. }));
    assert!(matches!(broken(&|keys| keys.spheres[1][0].centre[2] = f64::NAN), ProxyError::Number { index: 0, .. }));
    assert_eq!(motion.compose(&SphereClip::default(), 0.1).unwrap_err(), ProxyError::NoKeys);
}
