//! One method over one scene at one number of frames per key interval.

use std::collections::BTreeMap;

use super::clock::timed;
use super::contender::{Held, Method, Work};
use super::scene::Scene;
use crate::bvh::BuildParams;
use crate::cli::Failure;
use crate::motion::VertexFlightplan;

/// A run is checked for contacts, and the check timed, at this many frames at most.
const MOST_CHECKS: usize = 15;

/// Repetitions end when a method has spent this much time on them, milliseconds.
const REPEAT_BUDGET: f64 = 1_000.0;

/// What touched at a checked frame: the frame, the pairs, and a hash of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) frame: usize,
    pub(super) pairs: usize,
    hash: u64,
}

/// What a run gave. Times in milliseconds, the median of the repetitions.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) method: Method,
    pub(super) frames: usize,
    pub(super) work: Work,
    /// Most at checked frames.
    pub(super) held: Held,
    /// Vertices that were given other flightplans.
    pub(super) flightplans: u64,
    /// Keeping the boxes, per frame. Where every step finds contacts, finding them too.
    pub(super) update: f64,
    /// Looking for contacts, per check; where every step finds them, copying them.
    pub(super) check: f64,
    pub(super) repeats: usize,
    pub(super) findings: Vec<Finding>,
}

/// Frame 0 is the first key time, the last frame the last one.
pub(super) fn frame_time(key_times: &[f64], per_interval: usize, frame: usize) -> f64 {
    let (key, part) = (frame / per_interval, frame % per_interval);
    if part == 0 {
        return key_times[key];
    }
    let share = part as f64 / per_interval as f64;
    key_times[key] + share * (key_times[key + 1] - key_times[key])
}

/// Frames to check: all key times where flightplans change, otherwise frames evenly spread.
fn checked_frames(scene: &Scene, per_interval: usize) -> Vec<usize> {
    let intervals = scene.key_times.len() - 1;
    let frames = intervals * per_interval;
    if scene.reversible().is_some() {
        return (1..=intervals).map(|key| key * per_interval).collect();
    }
    let checks = frames.min(MOST_CHECKS);
    (1..=checks).map(|check| check * frames / checks).collect()
}

/// Runs until the repetitions are done, and takes medians. Counts and contacts must be the same in
/// all of them.
pub(super) fn measure(
    scene: &Scene,
    method: Method,
    per_interval: usize,
    build: BuildParams,
    repeats: usize,
) -> Result<Outcome, Failure> {
    let mut outcomes = Vec::new();
    let mut spent = 0.0;
    while outcomes.len() < repeats && (outcomes.is_empty() || spent < REPEAT_BUDGET) {
        outcomes.push(timed(&mut spent, || run(scene, method, per_interval, build))?);
    }
    let median = |value: fn(&Outcome) -> f64| {
        let mut values: Vec<f64> = outcomes.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (update, check) = (median(|outcome| outcome.update), median(|outcome| outcome.check));
    let first = outcomes[0].clone();
    if outcomes.iter().any(|other| other.work != first.work || other.findings != first.findings) {
        return Err(Failure::Input(format!("{}: two runs of {} differ", scene.name.name(), method.title())));
    }
    Ok(Outcome { update, check, repeats: outcomes.len(), ..first })
}

fn run(scene: &Scene, method: Method, per_interval: usize, build: BuildParams) -> Result<Outcome, Failure> {
    let mut contender = method.start(&scene.bodies, build)?;
    let mut reversible = scene.reversible();
    let checked = checked_frames(scene, per_interval);
    let frames = (scene.key_times.len() - 1) * per_interval;
    let (mut update, mut replan, mut check) = (0.0, 0.0, 0.0);
    let (mut updated, mut flightplans) = (0, 0);
    let mut held = contender.held();
    let mut findings = Vec::with_capacity(checked.len());
    let mut last = 0;
    for &frame in &checked {
        // What refits from nothing need not be shown the frames between.
        let first = if contender.is_incremental() { last + 1 } else { frame };
        timed(&mut update, || -> Result<(), Failure> {
            for frame in first..=frame {
                contender.advance_to(frame_time(&scene.key_times, per_interval, frame))?;
            }
            Ok(())
        })?;
        updated += frame + 1 - first;
        last = frame;
        let mut found = Vec::new();
        timed(&mut check, || contender.check(&mut found));
        found.sort_unstable();
        if let Some(bodies) = &mut reversible {
            let plans = [0, 1].map(|side: usize| {
                let triangles = found.iter().map(|&(p, q)| if side == 0 { p } else { q });
                plans_of(&bodies[side].reverse(triangles))
            });
            flightplans += plans.iter().map(|plans| plans.len() as u64).sum::<u64>();
            timed(&mut replan, || -> Result<(), Failure> {
                for (side, plans) in plans.iter().enumerate().filter(|(_, plans)| !plans.is_empty()) {
                    contender.replan(side, plans)?;
                }
                Ok(())
            })?;
        }
        findings.push(finding(frame, &found));
        held = held.max(contender.held());
    }
    Ok(Outcome {
        method,
        frames,
        work: contender.work(),
        held,
        flightplans,
        update: update / updated as f64 + replan / frames as f64,
        check: check / checked.len() as f64,
        repeats: 1,
        findings,
    })
}

fn plans_of(turned: &[(u32, [f32; 3])]) -> Vec<(u32, VertexFlightplan)> {
    let plan = |velocity: [f32; 3]| VertexFlightplan::Velocity { from: None, velocity: velocity.map(f64::from) };
    turned.iter().map(|&(vertex, velocity)| (vertex, plan(velocity))).collect()
}

/// FNV-1a over the sorted pairs.
fn finding(frame: usize, found: &[(u32, u32)]) -> Finding {
    let mix = |hash: u64, word: u32| (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = found.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &(p, q)| mix(mix(hash, p), q));
    Finding { frame, pairs: found.len(), hash }
}

/// Refuses outcomes of one scene at one number of frames whose contacts differ anywhere, and
/// kinetic outcomes at different numbers of frames whose events differ.
pub(super) fn compare(scene: &Scene, outcomes: &[(usize, Outcome)]) -> Result<(), Failure> {
    let mut first: BTreeMap<usize, &Outcome> = BTreeMap::new();
    for (per_interval, outcome) in outcomes {
        let other = first.entry(*per_interval).or_insert(outcome);
        if let Some((x, y)) = other.findings.iter().zip(&outcome.findings).find(|(x, y)| x != y) {
            return Err(Failure::Input(format!(
                "{} of {} triangles, frame {} of {}: {} finds {} pairs, {} finds {}{}; no figures of the scene are written",
                scene.name.name(),
                scene.triangles,
                x.frame,
                other.frames,
                other.method.title(),
                x.pairs,
                outcome.method.title(),
                y.pairs,
                if x.pairs == y.pairs { ", others" } else { "" }
            )));
        }
    }
    for (index, (_, outcome)) in outcomes.iter().enumerate() {
        let alike = outcomes[..index].iter().find(|(_, other)| other.method == outcome.method);
        if let Some((_, other)) = alike.filter(|(_, other)| other.work != outcome.work) {
            return Err(Failure::Input(format!(
                "{} of {} triangles: the events of {} depend on the number of frames ({} and {}); no figures of the scene are written",
                scene.name.name(),
                scene.triangles,
                outcome.method.title(),
                other.work.tree_events + other.work.list.all(),
                outcome.work.tree_events + outcome.work.list.all(),
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::bench::scene::SceneName;

    #[test]
    fn the_parts_find_what_a_world_finds() {
        use crate::mesh::Mesh;
        use crate::motion::Flightplan;
        use crate::scenes::GeneratedBody;
        use crate::world::{BodyDef, Engine, World, WorldDef};
        let scene =
            Scene::generate(SceneName::Tablecloth, 500, 20).unwrap_or_else(|failure| panic!("{}", failure.message()));
        let mut world = World::new(WorldDef { engine: Engine::BruteForce, ..WorldDef::default() }).unwrap();
        for body in &scene.bodies {
            let plan = match body {
                GeneratedBody::Keyed(clip) => {
                    Flightplan::keyframes(clip.times.clone(), clip.positions.as_chunks::<3>().0.to_vec())
                }
                body => Flightplan::fixed(body.start_positions().to_vec()),
            };
            let mesh = Mesh::new(body.start_positions().len(), body.triangles().to_vec()).unwrap();
            world.add_body(BodyDef::new(mesh, plan)).unwrap();
        }
        let expected: Vec<Finding> = checked_frames(&scene, 2)
            .into_iter()
            .map(|frame| {
                world.advance_to(frame_time(&scene.key_times, 2, frame)).unwrap();
                let pairs: Vec<_> = world.contacts().iter().map(|it| (it.triangle_a, it.triangle_b)).collect();
                finding(frame, &pairs)
            })
            .collect();
        assert!(expected.iter().filter(|finding| finding.pairs > 0).count() > 5);
        for method in Method::ALL {
            for leaf_size in [1, 8] {
                let build = BuildParams { leaf_size, ..BuildParams::default() };
                let outcome = run(&scene, method, 2, build).unwrap_or_else(|failure| panic!("{}", failure.message()));
                assert_eq!(outcome.findings, expected, "{method:?}, leaves of {leaf_size}");
            }
        }
    }

    #[test]
    fn outcomes_that_differ_are_refused() {
        let scene =
            Scene::generate(SceneName::Tablecloth, 200, 12).unwrap_or_else(|failure| panic!("{}", failure.message()));
        let outcome =
            |method| run(&scene, method, 3, BuildParams::default()).unwrap_or_else(|it| panic!("{}", it.message()));
        let (kinetic, bottom_up) = (outcome(Method::ALL[0]), outcome(Method::BottomUp));
        let both = |kinetic: &Outcome| [(3, kinetic.clone()), (3, bottom_up.clone())];
        assert!(compare(&scene, &both(&kinetic)).is_ok());
        let mut wrong = kinetic.clone();
        wrong.findings[11].pairs += 1;
        assert!(compare(&scene, &both(&wrong)).is_err_and(|failure| failure.message().contains("frame")));
        let mut wrong = kinetic.clone();
        wrong.work.log ^= 1;
        assert!(compare(&scene, &[(3, kinetic.clone()), (6, wrong)]).is_err_and(|it| it.message().contains("depend")));
        assert!(compare(&scene, &[(3, kinetic.clone()), (6, kinetic)]).is_ok());
    }

    #[test]
    fn frames_begin_and_end_at_keys() {
        let keys = [0.0, 0.1, 0.3];
        assert_eq!([0, 3, 6].map(|frame| frame_time(&keys, 3, frame)), keys);
        assert!((frame_time(&keys, 3, 4) - (0.1 + 0.2 / 3.0)).abs() < 1e-15);
    }
}
