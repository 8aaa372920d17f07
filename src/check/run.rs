//! The run of a check.

use std::ops::ControlFlow;

use super::contacts::{self, Collector};
use super::sampling::{is_still, sample_times};
use super::source::Source;
use super::{CheckEnding, CheckError, CheckResult, CheckSettings, CheckedBody, PairSummary};
use crate::io::{BakedScene, Scene};
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
    let def = WorldDef { start: plan.span[0], engine: settings.engine, contacts, ..WorldDef::default() };
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
    let source = Source::of_baked(baked, scene, settings.ignored, plan.over_time, plan.span[0])?;
    plan.run(scene, settings, source, observer)
}

/// What a run does, as the settings and the scene have it.
struct Plan {
    times: Vec<f64>,
    span: [f64; 2],
    is_still: bool,
    over_time: bool,
}

impl Plan {
    fn new(scene: &Scene, settings: &CheckSettings) -> Result<Self, CheckError> {
        let (times, span) = sample_times(settings, scene)?;
        // Of bodies that never move, from when to when they touch is no question.
        let is_still = is_still(scene) && times.len() == 1;
        let can = matches!(settings.engine, Engine::Auto | Engine::Kinetic);
        let over_time = settings.over_time.unwrap_or(!is_still && can);
        Ok(Self { times, span, is_still, over_time })
    }

    fn run(
        self,
        scene: &Scene,
        settings: &CheckSettings,
        mut source: Source,
        mut observer: impl FnMut(&CheckSample<'_>) -> ControlFlow<()>,
    ) -> Result<CheckResult, CheckError> {
        let mut collector = self.over_time.then(|| Collector::new(self.span[0]));
        let mut pairs = tested_pairs(scene);
        let mut ending = CheckEnding::Complete;
        let count = self.times.len();
        let (mut seen, mut sampled) = (0, Vec::new());
        for (number, &time) in self.times.iter().enumerate() {
            let has_begun = source.step(time, &mut sampled, collector.as_mut())?;
            add_sample(&mut pairs, time, &sampled);
            seen += 1;
            let sample = CheckSample { number, count, time, contacts: &sampled, has_begun };
            let is_cancelled = observer(&sample).is_break();
            if settings.stop_at_first && (!sampled.is_empty() || has_begun) {
                ending = CheckEnding::FirstContact;
                break;
            }
            if is_cancelled && seen < count {
                ending = CheckEnding::Cancelled;
                break;
            }
        }
        let mut span = self.span;
        if ending != CheckEnding::Complete {
            span[1] = self.times[seen - 1];
        } else if self.times.last() != Some(&span[1]) {
            source.step(span[1], &mut sampled, collector.as_mut())?;
        }
        let contacts = collector.map_or(Vec::new(), |collector| source.finish(collector));
        for group in contacts.chunk_by(|x, y| x.bodies == y.bodies) {
            if let Ok(place) = pairs.binary_search_by_key(&group[0].bodies, |pair| pair.bodies) {
                contacts::sum_up(group, &mut pairs[place]);
            }
        }
        let mut times = self.times;
        times.truncate(seen);
        let body =
            |body: &crate::io::SceneBody| CheckedBody { name: body.name.clone(), triangles: body.mesh.triangles.len() };
        Ok(CheckResult {
            bodies: scene.bodies.iter().map(body).collect(),
            tested: pairs.iter().map(|pair| pair.bodies).collect(),
            pairs,
            span,
            fps: scene.fps,
            times,
            is_over_time: self.over_time,
            is_still: self.is_still,
            ending,
            contacts,
            incidents: Vec::new(),
            stats: source.stats(),
            triangle_tests: source.triangle_tests(),
        })
    }
}

/// Pairs of bodies that are tested, sorted, without contacts yet.
fn tested_pairs(scene: &Scene) -> Vec<PairSummary> {
    let count = scene.bodies.len();
    let pairs = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
    pairs
        .filter(|&[a, b]| a != b || scene.bodies[a].self_contact)
        .filter(|pair| !scene.excluded.contains(pair))
        .map(|pair| PairSummary { bodies: pair.map(|body| body as u32), ..PairSummary::default() })
        .collect()
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
