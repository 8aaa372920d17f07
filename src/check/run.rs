//! The run of a check.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::contacts::{Collector, compare};
use super::identity::{Motions, of_sampling};
use super::incidents::{incidents_until, still_contacts};
use super::jobs::{Joined, cuts, run_parts};
use super::ledger::{Ledger, Sums};
use super::sampling::{Times, is_still, sample_times};
use super::source::Source;
use super::{
    BaselineChoice, CheckEnding, CheckError, CheckIdentity, CheckResult, CheckSettings, CheckedBody, PairSummary,
    SamplingDeviation, Stretches,
};
use crate::cancel::Cancel;
use crate::incident::{IncidentError, TriangleContact};
use crate::io::{BakedScene, MotionData, Part, Scene, SceneBody, SceneShape, TreeShapes};
use crate::kinetic::TreeKind;
use crate::threads;
use crate::tuning;
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
    /// With [`CheckSettings::hand_over_contacts`], contacts over time that ended before this sample
    /// and were not handed over at an earlier one: by end, bodies, triangles and begin. None of
    /// them ends before one that was handed over earlier. Otherwise empty.
    pub handed_over: &'a [TriangleContact],
}

/// Checks a scene: from when to when its triangles touch, and which touch at the sampled times.
///
/// `observer` is called after every sample, in order of time. It may end the check: the result then
/// covers the time up to that sample ([`CheckResult::ending`]).
///
/// Memory is held for all contacts over time, 56 bytes each, and for the contacts of one sample;
/// with [`CheckSettings::hand_over_contacts`] for those that exist at a time.
///
/// # Errors
/// Settings that contradict themselves or the scene; a scene that cannot be run.
pub fn check(
    scene: &Scene,
    settings: &CheckSettings,
    observer: impl FnMut(&CheckSample<'_>) -> ControlFlow<()>,
) -> Result<CheckResult, CheckError> {
    let plan = Plan::new(scene, settings)?;
    let mut observer = until_cancelled(settings, observer);
    if settings.threads() > 1 {
        // The world of the first part is made while threads begin.
        return plan.run(scene, plan.blank(scene), settings, None, &mut observer);
    }
    let source = plan.world(scene, settings)?;
    let result = plan.result(scene, settings, &source)?;
    plan.run(scene, result, settings, Some(source), &mut observer)
}

/// An observer that also ends the check once the settings' flag is set.
pub(super) fn until_cancelled(
    settings: &CheckSettings,
    mut observer: impl FnMut(&CheckSample<'_>) -> ControlFlow<()>,
) -> impl FnMut(&CheckSample<'_>) -> ControlFlow<()> {
    move |sample| {
        let flow = observer(sample);
        if settings.cancel.as_ref().is_some_and(Cancel::is_cancelled) { ControlFlow::Break(()) } else { flow }
    }
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
    let result = plan.result(scene, settings, &source)?;
    plan.run(scene, result, settings, Some(source), &mut until_cancelled(settings, observer))
}

/// What a run does, as the settings and the scene have it.
pub(super) struct Plan {
    times: Times,
    is_still: bool,
    over_time: bool,
}

impl Plan {
    pub(super) fn new(scene: &Scene, settings: &CheckSettings) -> Result<Self, CheckError> {
        if settings.hand_over_contacts && (!settings.skip_incidents || settings.baseline != BaselineChoice::None) {
            return Err(CheckError::ContactsLeftOut);
        }
        scene.check_contacts_are_decided()?;
        let mut times = sample_times(settings, scene)?;
        // Of bodies that never move, from when to when they touch is no question.
        let is_still = is_still(scene) && times.all.len() == 1;
        if is_still && times.sampled.is_empty() {
            // Any time is as good as that of the whole check.
            times.sampled.push(times.span[0]);
        }
        let can = matches!(settings.engine, Engine::Auto | Engine::Kinetic);
        let over_time = settings.over_time.unwrap_or(!is_still && can);
        Ok(Self { times, is_still, over_time })
    }

    /// The times to sample.
    pub(super) fn times(&self) -> &[f64] {
        &self.times.sampled
    }

    pub(super) fn span(&self) -> [f64; 2] {
        self.times.span
    }

    /// Span and sampled times of the whole check, and frames a second.
    pub(super) fn sampling(&self) -> ([f64; 2], &[f64], Option<f64>) {
        (self.times.whole, &self.times.all, self.times.fps)
    }

    pub(super) fn is_still(&self) -> bool {
        self.is_still
    }

    pub(super) fn is_over_time(&self) -> bool {
        self.over_time
    }

    /// A world of the scene at the begin of the span, for its first part.
    pub(super) fn world(&self, scene: &Scene, settings: &CheckSettings) -> Result<Source, CheckError> {
        self.world_of(scene, settings, self.first_part(scene, settings), None, |_, _| true)
    }

    /// The span of the first part of the check.
    pub(super) fn first_part(&self, scene: &Scene, settings: &CheckSettings) -> [f64; 2] {
        let cuts = self.cuts(scene, settings);
        [cuts[0], cuts[1]]
    }

    /// Where the parts of the check begin and end.
    fn cuts(&self, scene: &Scene, settings: &CheckSettings) -> Vec<f64> {
        cuts(self.times(), self.span(), settings.threads(), scene.parts(self.span()).max(settings.parts))
    }

    /// A world of the scene for a span of time, which tests pairs of bodies only if they are
    /// wanted. Idle trees have the shapes of `trees`, where these are known.
    pub(super) fn world_of(
        &self,
        scene: &Scene,
        settings: &CheckSettings,
        span: [f64; 2],
        trees: Option<&TreeShapes>,
        wants: impl Fn(usize, usize) -> bool,
    ) -> Result<Source, CheckError> {
        let contacts = if self.over_time { ContactMode::Continuous } else { ContactMode::AtTimes };
        let idle_trees = self.has_idle_trees(scene, settings);
        let def = WorldDef { start: span[0], engine: settings.engine, contacts, idle_trees, ..WorldDef::default() };
        let part = Part { exact: &self.times.all, span: Some(span), trees };
        let (world, ids) = scene.world_of_pairs(def, settings.ignored, part, wants)?;
        Ok(Source::of_world(world, &ids))
    }

    /// Whether trees of the check's worlds are idle.
    pub(super) fn has_idle_trees(&self, scene: &Scene, settings: &CheckSettings) -> bool {
        self.over_time && settings.engine == Engine::Auto && gains_by_idle_trees(scene)
    }

    /// The spans whose fingerprints a result has: the whole check, and its stretches.
    pub(super) fn fingerprinted(&self) -> Vec<[f64; 2]> {
        let cuts = self.stretches();
        let stretches = cuts.windows(2).map(|ends| [ends[0], ends[1]]);
        [self.times.whole].into_iter().chain(stretches).collect()
    }

    fn stretches(&self) -> Vec<f64> {
        Stretches::cuts(self.times.whole, &self.times.all)
    }

    /// The result before anything was found, with the identity of the scene.
    pub(super) fn result(
        &self,
        scene: &Scene,
        settings: &CheckSettings,
        source: &Source,
    ) -> Result<CheckResult, CheckError> {
        let (spans, part) = (self.fingerprinted(), self.first_part(scene, settings));
        let mut motions = Motions::of_world(scene, source.world(), Some(part), &spans);
        motions.read_unknown(scene, &spans)?;
        let mut result = self.blank(scene);
        self.identify(&mut result, &motions);
        Ok(result)
    }

    /// Adds the identity of the scene to a result.
    fn identify(&self, result: &mut CheckResult, motions: &Motions) {
        let Times { all, fps, .. } = &self.times;
        result.identity = Some(CheckIdentity::of(motions, of_sampling(all, *fps, self.over_time)));
        result.stretches = Stretches::of(motions, self.stretches());
    }

    /// The result before anything is known.
    fn blank(&self, scene: &Scene) -> CheckResult {
        let Times { span, whole, fps, .. } = &self.times;
        let tested = tested_pairs(scene);
        CheckResult {
            bodies: checked_bodies(scene),
            pairs: no_contacts(&tested),
            tested,
            span: *span,
            whole: *whole,
            fps: *fps,
            is_over_time: self.over_time,
            is_still: self.is_still,
            ..CheckResult::default()
        }
    }

    /// Runs through the whole span. Without a source it is made, and the identity of the scene is
    /// added to the result.
    pub(super) fn run(
        &self,
        scene: &Scene,
        mut result: CheckResult,
        settings: &CheckSettings,
        mut source: Option<Source>,
        observer: &mut dyn FnMut(&CheckSample<'_>) -> ControlFlow<()>,
    ) -> Result<CheckResult, CheckError> {
        let (times, count) = (self.times(), self.times().len());
        let (mut seen, mut still) = (0, Vec::new());
        let pairs = &mut result.pairs;
        let is_world = source.as_ref().is_none_or(Source::is_world);
        let is_handing_over = settings.hand_over_contacts && self.over_time && is_world;
        let mut ledger = Ledger::new(is_handing_over);
        let mut observe = |told: Told<'_>| {
            let Told { number, time, contacts, has_begun, begun, ended } = told;
            add_sample(pairs, time, contacts);
            seen = number + 1;
            if self.is_still {
                still = still_contacts(contacts, self.span());
            }
            ledger.advance(time, begun, ended);
            let (ended, handed_over) = (ledger.ended, ledger.due());
            observer(&CheckSample { number, count, time, contacts, has_begun, ended, handed_over })
        };
        let cuts = if is_world { self.cuts(scene, settings) } else { Vec::new() };
        let run = match &mut source {
            Some(source) if cuts.len() <= 2 && (settings.threads() < 2 || !is_world) => {
                let run = run_span(source, times, self.span(), self.over_time, settings.stop_at_first, &mut observe)?;
                result.stats = source.stats();
                run
            }
            _ => {
                let Joined { run, stats, motions } =
                    run_parts(self, scene, settings, source.take(), &cuts, &mut observe)?;
                if let Some(motions) = motions {
                    self.identify(&mut result, &motions);
                }
                result.stats = stats;
                run
            }
        };
        drop(source);
        (result.ending, result.span[1]) = (run.ending, run.reached);
        result.times = times[..seen].to_vec();
        let begun = is_world.then_some(&run.begun[..]);
        result.contacts = ledger.finish(begun, run.rest, &mut result.pairs);
        result.contacts_left_out = is_handing_over;
        self.add_incidents(scene, settings, &mut result, &still)?;
        Ok(result)
    }
}

impl Plan {
    /// Finds the incidents of a result; `still` are the contacts of bodies that never move.
    pub(super) fn add_incidents(
        &self,
        scene: &Scene,
        settings: &CheckSettings,
        result: &mut CheckResult,
        still: &[TriangleContact],
    ) -> Result<(), CheckError> {
        if !self.over_time {
            result.contacts = still.to_vec();
        }
        if settings.skip_incidents {
            result.incidents_left_out = true;
            return Ok(());
        }
        let (begin, cancel) = (begin_of(scene, result), settings.cancel.as_ref());
        let found = threads::on(settings.jobs, || {
            incidents_until(scene, &result.contacts, &result.times, begin, &settings.baseline, cancel)
        });
        match found {
            Ok(incidents) => result.incidents = incidents,
            Err(CheckError::Incident(IncidentError::Cancelled)) => {
                (result.incidents_left_out, result.ending) = (true, CheckEnding::Cancelled);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Where a scene begins, or its check, whichever is earlier, seconds: named times may all be later.
pub(super) fn begin_of(scene: &Scene, result: &CheckResult) -> f64 {
    scene.default_span().map_or(result.whole[0], |span| span[0].min(result.whole[0]))
}

/// What a run over a span found, besides what it told of its samples.
#[derive(Default)]
pub(super) struct SpanRun {
    /// Contacts over time whose ends were not told, in order: those that exist at the end, and
    /// those that ended after the last sample.
    pub(super) rest: Vec<TriangleContact>,
    /// Contacts over time that began after the last sample; of a baked file none.
    pub(super) begun: Vec<TriangleContact>,
    pub(super) ending: CheckEnding,
    /// The end of the span, or of what was checked of it, seconds.
    pub(super) reached: f64,
}

/// What is told of one sample.
pub(super) struct Told<'a> {
    pub(super) number: usize,
    /// Seconds.
    pub(super) time: f64,
    /// What touches, by bodies and triangles.
    pub(super) contacts: &'a [SampledContact],
    /// Whether a contact began since the sample before.
    pub(super) has_begun: bool,
    /// Contacts over time that began since the sample before; their ends are not known.
    pub(super) begun: &'a [TriangleContact],
    /// Contacts over time that ended since the sample before.
    pub(super) ended: &'a [TriangleContact],
}

/// Is told of each sample.
pub(super) type Observe<'a> = dyn FnMut(Told<'_>) -> ControlFlow<()> + 'a;

/// Runs a source from where it is through a span.
pub(super) fn run_span(
    source: &mut Source,
    times: &[f64],
    span: [f64; 2],
    over_time: bool,
    stop_at_first: bool,
    observe: &mut Observe<'_>,
) -> Result<SpanRun, CheckError> {
    let mut collector = over_time.then(|| Collector::new(span[0]));
    let (mut ending, mut reached, mut sampled) = (CheckEnding::Complete, span[1], Vec::new());
    for (number, &time) in times.iter().enumerate() {
        let has_begun = source.step(time, &mut sampled, collector.as_mut())?;
        let (begun, ended): (&[_], &[_]) = collector.as_ref().map_or((&[], &[]), |of| (&of.begun, &of.ended));
        let is_cancelled = observe(Told { number, time, contacts: &sampled, has_begun, begun, ended }).is_break();
        if stop_at_first && (!sampled.is_empty() || has_begun) {
            (ending, reached) = (CheckEnding::FirstContact, time);
            break;
        }
        // After the last time nothing is left to cancel.
        if is_cancelled && time < span[1] {
            (ending, reached) = (CheckEnding::Cancelled, time);
            break;
        }
    }
    let Some(mut collector) = collector else { return Ok(SpanRun { ending, reached, ..SpanRun::default() }) };
    if ending == CheckEnding::Complete && times.last() != Some(&span[1]) {
        source.step(span[1], &mut sampled, Some(&mut collector))?;
    } else {
        collector.clear();
    }
    let mut rest = source.finish(&collector);
    rest.append(&mut collector.ended);
    rest.sort_by(compare);
    Ok(SpanRun { rest, begun: collector.begun, ending, reached })
}

/// Whether a world of the scene gains by idle trees: all bodies must move from key to key, as any
/// other would wake them. All pairs of bodies are watched then, which costs about as much at each
/// key as the events of a few triangles.
fn gains_by_idle_trees(scene: &Scene) -> bool {
    let moves_by_keys = |body: &SceneBody| {
        let is_keyed =
            !matches!(body.motion, MotionData::Reduced(_) | MotionData::Planned(_) | MotionData::Velocity { .. });
        is_keyed && body.tree == TreeKind::Aabb && body.shape == SceneShape::Triangles
    };
    let triangles: usize = scene.bodies.iter().map(|body| body.mesh.triangles.len()).sum();
    scene.bodies.iter().all(moves_by_keys)
        && triangles >= tuning::TRIANGLES_PER_WATCHED_PAIR.saturating_mul(scene.bodies.len().pow(2) / 2)
}

/// The bodies of a scene.
pub(crate) fn checked_bodies(scene: &Scene) -> Vec<CheckedBody> {
    let body = |body: &SceneBody| {
        let is_sampled = body.deviation != Some(0.0) || body.measured_deviation != 0.0;
        let deviation = is_sampled.then(|| SamplingDeviation::new(body.deviation, body.measured_deviation));
        let is_reduced = matches!(body.motion, MotionData::Reduced(_));
        let (name, triangles) = (body.name.clone(), body.mesh.triangles.len());
        CheckedBody { name, triangles, is_reduced, deviation, parts: body.labels.parts(triangles as u32) }
    };
    scene.bodies.iter().map(body).collect()
}

/// Pairs of bodies that are tested, sorted.
fn tested_pairs(scene: &Scene) -> Vec<[u32; 2]> {
    let count = scene.bodies.len();
    let excluded: BTreeSet<[usize; 2]> = scene.excluded.iter().copied().collect();
    let pairs = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
    pairs
        .filter(|&[a, b]| a != b || scene.bodies[a].self_contact)
        .filter(|pair| !excluded.contains(pair))
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
pub(super) fn add_contacts(pairs: &mut [PairSummary], contacts: &[TriangleContact]) {
    for group in contacts.chunk_by(|x, y| x.bodies == y.bodies) {
        let mut sums = Sums::default();
        sums.begin(group);
        sums.end(group);
        sums.write(pairs);
    }
}

/// Adds one sample to the summaries; contacts and summaries are sorted by pair of bodies.
pub(super) fn add_sample(pairs: &mut [PairSummary], time: f64, contacts: &[SampledContact]) {
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
