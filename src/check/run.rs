//! The run of a check.

use std::ops::ControlFlow;

use super::contacts::{self, Collector};
use super::identity::of_sampling;
use super::incidents::{incidents_of, still_contacts};
use super::sampling::{Times, is_still, sample_times};
use super::source::Source;
use super::{CheckEnding, CheckError, CheckIdentity, CheckResult, CheckSettings, CheckedBody, PairSummary};
use crate::incident::TriangleContact;
use crate::io::{BakedScene, Scene, SceneBody};
use crate::world::{ContactMode, Engine, WorldDef};

/// Two triangles that touch at a sampled time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SampledContact {
    /// The two bodies, by their number in the scene; the first is not greater than the second.
    pub bodies: [u32; 2],
    /// A triangle of each body.
    pub triangles: [u32; 2],
}

/// What touches at one sampled time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckSample<'a> {
    /// The number of the sample, from 0.
    pub number: usize,
    /// Samples of the whole check.
    pub count: usize,
    /// Seconds.
    pub time: f64,
    /// What touches, by bodies and triangles.
    pub contacts: &'a [SampledContact],
    /// Whether a contact began since the sample before, or up to the first one.
    pub has_begun: bool,
    /// Contacts over time that have ended so far.
    pub ended: usize,
}

/// Checks a scene: from when to when its triangles touch, and which touch at the sampled times.
///
/// `observer` is called after every sample, in order of time. It may end the check: the result then
/// covers the time up to that sample ([`CheckResult::ending`]).
///
/// Memory is held for all contacts over time, 56 bytes each, and for the contacts of one sample.
///
/// # Errors
/// Settings that contradict themselves or the scene; a scene that cannot be run.
pub fn check(
    scene: &Scene,
    settings: &CheckSettings,
    observer: impl FnMut(&CheckSample<'_>) -> ControlFlow<()>,
) -> Result<CheckResult, CheckError> {
    let plan = Plan::new(scene, settings)?;
    let contacts = if plan.over_time { ContactMode::Continuous } else { ContactMode::AtTimes };
    let def = WorldDef { start: plan.times.span[0], engine: settings.engine, contacts, ..WorldDef::default() };
    let (world, ids) = scene.world(def, settings.ignored)?;
    plan.run(scene, settings, Source::of_world(world, &ids), observer)
}

/// As [`check`], with the contacts of a baked scene.
///
/// # Errors
/// As [`check`], and for a baked scene that is not of this scene, or lacks what is asked for.
pub fn check_baked(
    scene: &Scene,
    baked: BakedScene,
    settings: &CheckSettings,
    observer: impl FnMut(&CheckSample<'_>) -> ControlFlow<()>,
) -> Result<CheckResult, CheckError> {
    let plan = Plan::new(scene, settings)?;
    let source = Source::of_baked(baked, scene, settings.ignored, plan.over_time, plan.times.span[0])?;
    plan.run(scene, settings, source, observer)
}

/// What a run does, as the settings and the scene have it.
struct Plan {
    times: Times,
    is_still: bool,
    over_time: bool,
}

impl Plan {
    fn new(scene: &Scene, settings: &CheckSettings) -> Result<Self, CheckError> {
        let times = sample_times(settings, scene)?;
        // Of bodies that never move, from when to when they touch is no question.
        let is_still = is_still(scene) && times.all.len() == 1;
        let can = matches!(settings.engine, Engine::Auto | Engine::Kinetic);
        let over_time = settings.over_time.unwrap_or(!is_still && can);
        Ok(Self { times, is_still, over_time })
    }

    fn run(
        self,
        scene: &Scene,
        settings: &CheckSettings,
        mut source: Source,
        mut observer: impl FnMut(&CheckSample<'_>) -> ControlFlow<()>,
    ) -> Result<CheckResult, CheckError> {
        let Self { times: Times { mut times, mut span, whole, all, fps }, is_still, over_time } = self;
        let sampling = of_sampling(&all, fps, over_time);
        drop(all);
        let mut result = CheckResult {
            bodies: checked_bodies(scene),
            tested: tested_pairs(scene),
            whole,
            identity: Some(CheckIdentity::new(source.world(), whole, sampling)),
            fps,
            is_over_time: over_time,
            is_still,
            ..CheckResult::default()
        };
        let mut collector = over_time.then(|| Collector::new(span[0]));
        let mut pairs = no_contacts(&result.tested);
        let count = times.len();
        let (mut seen, mut sampled) = (0, Vec::new());
        for (number, &time) in times.iter().enumerate() {
            let has_begun = source.step(time, &mut sampled, collector.as_mut())?;
            add_sample(&mut pairs, time, &sampled);
            seen += 1;
            let ended = collector.as_ref().map_or(0, Collector::len);
            let sample = CheckSample { number, count, time, contacts: &sampled, has_begun, ended };
            let is_cancelled = observer(&sample).is_break();
            if settings.stop_at_first && (!sampled.is_empty() || has_begun) {
                result.ending = CheckEnding::FirstContact;
                break;
            }
            if is_cancelled && seen < count {
                result.ending = CheckEnding::Cancelled;
                break;
            }
        }
        if result.ending != CheckEnding::Complete {
            span[1] = times[seen - 1];
        } else if times.last() != Some(&span[1]) {
            source.step(span[1], &mut sampled, collector.as_mut())?;
        }
        times.truncate(seen);
        result.contacts = collector.map_or(Vec::new(), |collector| source.finish(collector));
        add_contacts(&mut pairs, &result.contacts);
        let still = if is_still && !over_time { still_contacts(&sampled, span) } else { Vec::new() };
        let of_incidents = if over_time { &result.contacts } else { &still };
        result.incidents = incidents_of(scene, of_incidents, &times, whole[0], &settings.baseline)?;
        (result.pairs, result.times, result.span) = (pairs, times, span);
        (result.stats, result.triangle_tests) = (source.stats(), source.triangle_tests());
        Ok(result)
    }
}

/// The bodies of a scene.
pub(crate) fn checked_bodies(scene: &Scene) -> Vec<CheckedBody> {
    let body = |body: &SceneBody| CheckedBody { name: body.name.clone(), triangles: body.mesh.triangles.len() };
    scene.bodies.iter().map(body).collect()
}

/// Pairs of bodies that are tested, sorted.
fn tested_pairs(scene: &Scene) -> Vec<[u32; 2]> {
    let count = scene.bodies.len();
    let pairs = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
    pairs
        .filter(|&[a, b]| a != b || scene.bodies[a].self_contact)
        .filter(|pair| !scene.excluded.contains(pair))
        .map(|pair| pair.map(|body| body as u32))
        .collect()
}

fn no_contacts(tested: &[[u32; 2]]) -> Vec<PairSummary> {
    tested.iter().map(|&bodies| PairSummary { bodies, ..PairSummary::default() }).collect()
}

/// Sums up the contacts of a result and of its samples, per pair of bodies.
pub(super) fn sum_up<'a>(
    result: &CheckResult,
    samples: impl Iterator<Item = (f64, &'a [SampledContact])>,
) -> Vec<PairSummary> {
    let mut pairs = no_contacts(&result.tested);
    samples.for_each(|(time, contacts)| add_sample(&mut pairs, time, contacts));
    add_contacts(&mut pairs, &result.contacts);
    pairs
}

/// Adds contacts over time; both lists are sorted by pair of bodies.
fn add_contacts(pairs: &mut [PairSummary], contacts: &[TriangleContact]) {
    for group in contacts.chunk_by(|x, y| x.bodies == y.bodies) {
        if let Ok(place) = pairs.binary_search_by_key(&group[0].bodies, |pair| pair.bodies) {
            contacts::sum_up(group, &mut pairs[place]);
        }
    }
}

/// Adds one sample to the summaries; contacts and summaries are sorted by pair of bodies.
fn add_sample(pairs: &mut [PairSummary], time: f64, contacts: &[SampledContact]) {
    for group in contacts.chunk_by(|x, y| x.bodies == y.bodies) {
        let Ok(place) = pairs.binary_search_by_key(&group[0].bodies, |pair| pair.bodies) else { continue };
        let pair = &mut pairs[place];
        pair.first.get_or_insert(time);
        pair.samples += 1;
        if group.len() > pair.most {
            (pair.most, pair.most_at) = (group.len(), time);
        }
    }
}
