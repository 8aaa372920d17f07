//! Two characters in a world, far apart, near and in contact: one clip all the time, another clip every second, and poses that are
//! streamed frame by frame.

use std::sync::Arc;

use kinetree::bvh::BoundedSampler;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{Affine, Pose, PoseKeys, PoseStream, ReducedBody};
use kinetree::time::Moment;
use kinetree::world::{BodyDef, ContactMode, World, WorldDef};

use super::cloth::figure;
use super::common::{clock, heading};

const FRAMES: usize = 240;
const RATE: f64 = 60.0;

/// How the motion of both characters is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// One clip, known from the start.
    Once,
    /// Another clip of the same mesh every second.
    Switched,
    /// A pose every frame, two frames ahead.
    Streamed,
}

/// The same body walking on the spot in place of its own walk, moved aside and played later.
fn walk(body: &ReducedBody, aside: f64, later: f64) -> ReducedBody {
    let span = body.driver().span();
    let keys = 121;
    let times: Vec<f64> = (0..keys).map(|key| 4.0 * f64::from(key) / f64::from(keys - 1)).collect();
    let poses = times.iter().map(|time| {
        let mut pose = Pose::default();
        // Forward and back again.
        let phase = (time + later).rem_euclid(2.0);
        let at = span.begin + (span.end - span.begin) * phase.min(2.0 - phase);
        body.pose(Moment::at(at), &mut pose);
        let place = Affine::from_parts([aside, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
        pose.maps.iter_mut().for_each(|map| *map = place.after(map));
        pose
    });
    let driver = PoseKeys::new(&times, poses.collect(), body.driver().centres().to_vec(), Outside::Loop);
    body.with_driver(Arc::new(driver.expect("keys"))).expect("a body")
}

pub fn table() {
    let body = figure(26_000);
    heading(
        &format!(
            "two figures of {} vertices, microseconds per frame at 60 frames a second",
            body.mesh().vertex_count()
        ),
        &[
            ("contacts", 10),
            ("apart, m", 8),
            ("motion", 9),
            ("median", 8),
            ("mean", 8),
            ("tell", 8),
            ("switch", 8),
            ("found", 8),
        ],
    );
    for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
        for aside in [8.0, 0.75, 0.3] {
            for told in [Told::Once, Told::Switched, Told::Streamed] {
                measure(&body, mode, aside, told);
            }
        }
    }
}

fn measure(body: &ReducedBody, mode: ContactMode, aside: f64, told: Told) {
    let sampler = |body: &ReducedBody| body.sampler(body.pieces_at_rate(30.0).expect("pieces")).expect("a sampler");
    let actors = [walk(body, 0.0, 0.0), walk(body, aside, 0.3)];
    let others = [walk(body, 0.0, 0.5), walk(body, aside, 0.9)];
    let samplers = [&actors, &others].map(|bodies| [sampler(&bodies[0]), sampler(&bodies[1])]);
    let mut streams = [0, 1].map(|i: usize| PoseStream::of_body(&actors[i], 0.0).expect("a pose"));
    let mut world = World::new(WorldDef::default().contacts(mode)).expect("a world");
    let ids = [0, 1].map(|i: usize| {
        let first: Arc<dyn BoundedSampler> =
            if told == Told::Streamed { streams[i].sampler() } else { samplers[0][i].clone() };
        world.add_body(BodyDef::bounded(body.mesh().mesh().clone(), first)).expect("a body")
    });
    let (mut all, mut tells, mut switches, mut found) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut pose = Pose::default();
    for frame in 1..=FRAMES {
        let time = frame as f64 / RATE;
        let (mut tell, mut is_switch) = (0.0, false);
        for i in 0..2 {
            if told == Told::Streamed {
                actors[i].pose(Moment::at(time + 1.0 / RATE), &mut pose);
                let new = pose.clone();
                let ((), spent) = clock::time(|| {
                    streams[i].extend(world.time(), time + 1.0 / RATE, new).expect("a pose");
                    world.set_flightplan(ids[i], streams[i].flightplan()).expect("a plan");
                });
                tell += spent;
            } else if told == Told::Switched && frame % 60 == 30 {
                let plan = samplers[frame / 60 % 2][i].clone();
                let ((), spent) = clock::time(|| {
                    world.set_flightplan(ids[i], Flightplan::sampled(plan)).expect("a plan");
                });
                (tell, is_switch) = (tell + spent, true);
            }
        }
        let ((), spent) = clock::time(|| world.advance_to(time).expect("an advance"));
        if frame > 2 {
            all.push((spent + tell) / 1e3);
            tells.push(tell / 1e3);
        }
        if is_switch {
            switches.push((spent + tell) / 1e3);
        }
        found += world.contacts().len();
    }
    let engines = world.stats().engines;
    assert_eq!(engines.on_demand + engines.kinetic_bounded, 2, "bounds were given up");
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    println!(
        "{:>10}  {aside:>8}  {:>9}  {:>8.1}  {mean:>8.1}  {:>8.1}  {:>8.1}  {:>8}",
        format!("{mode:?}"),
        format!("{told:?}"),
        median(&mut all),
        median(&mut tells),
        median(&mut switches),
        found / FRAMES,
    );
}
