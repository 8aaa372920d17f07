//! Proxies as bodies of a world: contacts of two denting, turning barrels at random times, against all pairs decided in exact
//! arithmetic.

use kinetree::mesh::Spheres;
use kinetree::motion::Sphere;
use kinetree::proxy::{PoseTrack, RigidTrack, SphereClip};
use kinetree::scenes::Random;
use kinetree::world::{BodyDef, World, WorldDef};
use num_rational::BigRational;
use num_traits::FromPrimitive;

use crate::motion::barrel;

/// Tumbling past each other, dented when they meet.
fn clips() -> [SphereClip; 2] {
    let proxy = barrel();
    let turn = |angle: f64| [libm::sin(0.5 * angle), 0.0, 0.0, libm::cos(0.5 * angle)];
    [-1.0, 1.0].map(|side: f64| {
        let mut track = PoseTrack::rest(1, proxy.pose_count()).unwrap();
        track.raise(0.5, 0.2, if side > 0.0 { 1 } else { 2 }, &[0.8]).unwrap();
        let places = vec![[side, 0.2 * side, 0.0], [0.15 * side, 0.0, 0.1 * side], [-0.5 * side, 0.5, 0.0]];
        let turns = [0.0, 1.1 * side, 3.0 * side].map(turn).to_vec();
        let motion = RigidTrack::new(vec![0.0, 0.6, 1.2], places, turns).unwrap();
        motion.compose(&proxy.keys(&track).unwrap(), 2e-3).unwrap()
    })
}

/// A sphere of the stored keys at a time, in real arithmetic.
fn exact_at(clip: &SphereClip, sphere: usize, time: f64) -> [BigRational; 4] {
    let exact = |x: f64| BigRational::from_f64(x).unwrap();
    let numbers = |at: &Sphere| [at.centre[0], at.centre[1], at.centre[2], at.radius].map(exact);
    let next = clip.times.iter().position(|&key| key >= time).unwrap();
    let after = numbers(&clip.spheres[next][sphere]);
    if clip.times[next] == time {
        return after;
    }
    let before = numbers(&clip.spheres[next - 1][sphere]);
    let share = (exact(time) - exact(clip.times[next - 1])) / (exact(clip.times[next]) - exact(clip.times[next - 1]));
    std::array::from_fn(|k| &before[k] + &share * (&after[k] - &before[k]))
}

/// Do two balls touch? In floating point unless it is close.
fn touch(clips: &[SphereClip; 2], pair: [usize; 2], time: f64) -> bool {
    let [a, b] = [0, 1].map(|body| clips[body].at(pair[body], time).unwrap());
    let squared: f64 = (0..3).map(|k| (a.centre[k] - b.centre[k]) * (a.centre[k] - b.centre[k])).sum();
    let reach = a.radius + b.radius;
    if (squared - reach * reach).abs() > 1e-9 {
        return squared < reach * reach;
    }
    let [a, b] = [0, 1].map(|body| exact_at(&clips[body], pair[body], time));
    let squared =
        (0..3).map(|k| (&a[k] - &b[k]) * (&a[k] - &b[k])).fold(BigRational::from_i32(0).unwrap(), |s, x| s + x);
    let reach = &a[3] + &b[3];
    squared <= &reach * &reach
}

#[test]
fn contacts_of_two_proxies_are_those_of_brute_force() {
    let clips = clips();
    let counts = [0, 1].map(|body| clips[body].sphere_count());
    let mut random = Random::new(20_261_121);
    let mut times: Vec<f64> = (0..1_000).map(|_| random.between(0.0, 1.2)).collect();
    times.extend(&clips[0].times);
    times.sort_by(f64::total_cmp);
    let mut world = World::new(WorldDef::default()).unwrap();
    for clip in &clips {
        let spheres = Spheres::new(clip.sphere_count()).unwrap();
        world.add_body(BodyDef::new(spheres, clip.flightplan())).unwrap();
    }
    let (mut touching, mut apart) = (0, 0);
    for time in times {
        world.advance_to(time).unwrap();
        let mut found: Vec<[usize; 2]> =
            world.contacts().iter().map(|c| [c.triangle_a as usize, c.triangle_b as usize]).collect();
        found.sort_unstable();
        let all = (0..counts[0]).flat_map(|a| (0..counts[1]).map(move |b| [a, b]));
        let wanted: Vec<[usize; 2]> = all.filter(|&pair| touch(&clips, pair, time)).collect();
        assert_eq!(found, wanted, "at {time}");
        touching += wanted.len();
        apart += usize::from(wanted.is_empty());
    }
    assert!(touching > 1_000 && apart > 50, "{touching} contacts, {apart} times without");
}

/// The extents a clip hands out hold the spheres of its keys at any time, in real arithmetic.
#[test]
fn extents_hold_the_exact_spheres() {
    let exact = |x: f64| BigRational::from_f64(x).unwrap();
    let mut random = Random::new(7);
    for clip in clips() {
        let last = clip.times[clip.times.len() - 1];
        for _ in 0..1_000 {
            let time = random.between(clip.times[0], last);
            let index = (random.between(0.0, clip.sphere_count() as f64) as usize).min(clip.sphere_count() - 1);
            let [x, y, z, radius] = exact_at(&clip, index, time);
            let bounds = clip.bounds(index, time).unwrap();
            for (axis, centre) in [x, y, z].into_iter().enumerate() {
                assert!(exact(bounds.min[axis]) <= &centre - &radius, "sphere {index} at {time}");
                assert!(exact(bounds.max[axis]) >= &centre + &radius, "sphere {index} at {time}");
            }
        }
    }
}
