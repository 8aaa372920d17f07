//! A check of a scene that was checked before: what did not change is taken from the earlier
//! result.
//!
//! A check is divided at times among its samples, at most [`MOST_STRETCHES`] stretches, and each
//! body has a fingerprint per stretch. A pair of bodies is checked again in a stretch where a
//! fingerprint of one of them differs, in it or next to it. Elsewhere the earlier contacts are
//! those that a new run would find: contacts depend on the motion around their time alone.

use std::ops::ControlFlow;

use super::contacts::compare;
use super::file::join_contacts;
use super::identity::Motions;
use super::run::{Observe, Plan, SpanRun, Told, add_contacts, add_sample, run_span, until_cancelled};
use super::{CheckEnding, CheckError, CheckResult, CheckSample, CheckSettings, ResultFile, SampledContact};
use crate::incident::TriangleContact;
use crate::io::Scene;
use crate::stats::Stats;

/// Stretches of time that a check is divided into, at most.
const MOST_STRETCHES: usize = 64;

/// Fingerprints of the bodies of a check, by stretches of its time.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stretches {
    /// Where stretches begin and end, seconds, increasing: one more than there are stretches.
    pub cuts: Vec<f64>,
    /// Per body, a fingerprint per stretch: of its triangles, and of where its vertices are.
    pub bodies: Vec<Vec<u64>>,
}

impl Stretches {
    /// Where the stretches of a check begin and end, by its span and its sampled times.
    pub(super) fn cuts(whole: [f64; 2], times: &[f64]) -> Vec<f64> {
        let inner = times.iter().copied().filter(|time| whole[0] < *time && *time < whole[1]);
        let inner: Vec<f64> = inner.collect();
        let every = inner.len().div_ceil(MOST_STRETCHES - 1).max(1);
        let mut cuts = vec![whole[0]];
        cuts.extend(inner.iter().skip(every - 1).step_by(every));
        cuts.push(whole[1]);
        cuts
    }

    /// Of motions whose spans are the whole check and its stretches between `cuts`.
    pub(super) fn of(motions: &Motions, cuts: Vec<f64>) -> Self {
        let mut bodies: Vec<Vec<u64>> = Vec::new();
        for stretch in 1..cuts.len() {
            let identity = motions.identity(stretch);
            bodies.resize(identity.bodies.len(), Vec::new());
            bodies.iter_mut().zip(identity.bodies).for_each(|(body, fingerprint)| body.push(fingerprint));
        }
        Self { cuts, bodies }
    }

    /// Per stretch, whether each body is another than in an earlier check, there or next to it.
    fn changed(&self, earlier: &Self) -> Vec<Vec<bool>> {
        let count = self.cuts.len() - 1;
        let differs = |body: usize, stretch: usize| self.bodies[body][stretch] != earlier.bodies[body][stretch];
        let near = |stretch: usize| stretch.saturating_sub(1)..=(stretch + 1).min(count - 1);
        let of = |stretch: usize| {
            (0..self.bodies.len()).map(|body| near(stretch).any(|other| differs(body, other))).collect()
        };
        (0..count).map(of).collect()
    }
}

/// How much of a check was taken from an earlier result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reused {
    /// Pairs of bodies times stretches of time that were taken.
    pub taken: usize,
    /// Pairs of bodies times stretches of time of the check.
    pub of: usize,
}

/// Checks a scene as [`super::check`] does, and takes what did not change from an earlier result of
/// it. The outcome is that of a new check; counters are those of what was checked again.
///
/// Everything is checked again where the earlier result has other bodies, sampled times or rules,
/// or [`CheckSettings::stop_at_first`] is set. Otherwise no contacts are handed over
/// ([`CheckSettings::hand_over_contacts`]), as those of the earlier result are in memory.
///
/// # Errors
/// As [`super::check`].
pub fn check_again(
    scene: &Scene,
    settings: &CheckSettings,
    earlier: &ResultFile,
    observer: impl FnMut(&CheckSample<'_>) -> ControlFlow<()>,
) -> Result<(CheckResult, Reused), CheckError> {
    let mut observer = until_cancelled(settings, observer);
    let plan = Plan::new(scene, settings)?;
    let source = plan.world(scene, settings)?;
    let mut result = plan.result(scene, settings, &source)?;
    let Some(changed) = changed_bodies(&result, earlier).filter(|_| !settings.stop_at_first && !plan.is_still()) else {
        let result = plan.run(scene, result, settings, Some(source), &mut observer)?;
        let of = result.tested.len() * result.stretches.cuts.len().saturating_sub(1);
        return Ok((result, Reused { taken: 0, of }));
    };
    drop(source);
    let reused = Reused::default();
    let mut run = Again { scene, settings, plan: &plan, earlier, reused, ended: 0, observer: &mut observer };
    let (mut contacts, mut seen) = (None, 0);
    for Segment { span, changed } in segments(scene, &result, earlier, changed, plan.span()) {
        let part = run.segment(&mut result, span, &changed, &mut seen)?;
        result.span[1] = part.reached;
        let joined = match contacts {
            None => part.rest,
            Some(before) => join_contacts(before, part.rest),
        };
        contacts = Some(joined);
        result.ending = part.ending;
        if part.ending != CheckEnding::Complete {
            break;
        }
    }
    result.contacts = contacts.unwrap_or_default();
    result.times = plan.times()[..seen].to_vec();
    let reused = run.reused;
    add_contacts(&mut result.pairs, &result.contacts);
    plan.add_incidents(scene, settings, &mut result, &[])?;
    Ok((result, reused))
}

/// Per stretch and body, whether it changed; `None` where nothing can be taken.
fn changed_bodies(result: &CheckResult, earlier: &ResultFile) -> Option<Vec<Vec<bool>>> {
    let (now, before) = (result.identity.as_ref()?, earlier.result.identity.as_ref()?);
    let (stretches, others) = (&result.stretches, &earlier.result.stretches);
    let is_same = !earlier.result.contacts_left_out
        && now.rules == before.rules
        && now.sampling == before.sampling
        && result.whole == earlier.result.whole
        && result.is_over_time == earlier.result.is_over_time
        && result.bodies.len() == earlier.result.bodies.len()
        && result.bodies.iter().zip(&earlier.result.bodies).all(|(one, two)| one.is_same_but_for_names(two))
        && stretches.cuts == others.cuts
        && stretches.bodies.len() == others.bodies.len()
        && stretches.bodies.iter().zip(&others.bodies).all(|(one, two)| one.len() == two.len());
    is_same.then(|| stretches.changed(others))
}

/// A stretch of time in which the same bodies changed.
struct Segment {
    span: [f64; 2],
    /// Per body.
    changed: Vec<bool>,
}

/// The stretches inside a span, joined where the same bodies changed and the keys are few.
fn segments(
    scene: &Scene,
    result: &CheckResult,
    earlier: &ResultFile,
    changed: Vec<Vec<bool>>,
    span: [f64; 2],
) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for (ends, mut changed) in result.stretches.cuts.windows(2).zip(changed) {
        let [begin, end] = [ends[0].max(span[0]), ends[1].min(span[1])];
        if begin > end || (begin == end && span[0] < span[1]) {
            continue;
        }
        let [first, last] = earlier.result.span;
        if begin < first || last < end {
            changed.fill(true);
        }
        match segments.last_mut() {
            Some(before) if before.changed == changed && scene.parts([before.span[0], end]) == 1 => {
                before.span[1] = end;
            }
            _ => segments.push(Segment { span: [begin, end], changed }),
        }
    }
    segments
}

/// A check that takes what did not change.
struct Again<'a> {
    scene: &'a Scene,
    settings: &'a CheckSettings,
    plan: &'a Plan,
    earlier: &'a ResultFile,
    reused: Reused,
    /// Contacts over time that were found and have ended.
    ended: usize,
    observer: &'a mut dyn FnMut(&CheckSample<'_>) -> ControlFlow<()>,
}

impl Again<'_> {
    /// Checks what changed in a stretch of time, and takes the rest; `seen` samples were observed
    /// before.
    fn segment(
        &mut self,
        result: &mut CheckResult,
        span: [f64; 2],
        changed: &[bool],
        seen: &mut usize,
    ) -> Result<SpanRun, CheckError> {
        let is_changed = |bodies: [u32; 2]| bodies.iter().any(|&body| changed[body as usize]);
        let fresh = result.tested.iter().filter(|pair| is_changed(**pair)).count();
        let (stretches, taken) = (result.stretches.cuts.windows(2), result.tested.len() - fresh);
        let stretches = stretches.filter(|ends| span[0] <= ends[0] && ends[1] <= span[1]).count();
        self.reused.taken += taken * stretches;
        self.reused.of += result.tested.len() * stretches;
        let mut source = match fresh {
            0 => None,
            _ => {
                let wants = |a: usize, b: usize| changed[a] || changed[b];
                Some(self.plan.world_of(self.scene, self.settings, span, None, wants)?)
            }
        };
        let all = self.plan.times();
        // A sample at a cut belongs to the stretch before.
        let times = &all[*seen..all.partition_point(|&time| time <= span[1])];
        let (count, first) = (all.len(), *seen);
        let earlier = &self.earlier.samples;
        let pairs = &mut result.pairs;
        let mut merged: Vec<SampledContact> = Vec::new();
        let (observer, count_ended) = (&mut *self.observer, &mut self.ended);
        let (mut is_cancelled, mut found) = (false, Vec::new());
        let mut observe = |told: Told<'_>| {
            let Told { number, time, contacts, has_begun, ended, .. } = told;
            found.extend_from_slice(ended);
            *count_ended += ended.len();
            merged.clear();
            merged.extend(contacts);
            let place = earlier.partition_point(|sample| sample.time < time);
            let known = earlier.get(place).filter(|sample| sample.time == time);
            let kept = known.iter().flat_map(|sample| &sample.contacts);
            merged.extend(kept.filter(|contact| !is_changed(contact.bodies)));
            merged.sort_unstable();
            add_sample(pairs, time, &merged);
            *seen = first + number + 1;
            let number = first + number;
            let (contacts, ended) = (&merged[..], *count_ended);
            let flow = observer(&CheckSample { number, count, time, contacts, has_begun, ended, handed_over: &[] });
            is_cancelled = flow.is_break();
            flow
        };
        let mut part = match &mut source {
            Some(source) => run_span(source, times, span, self.plan.is_over_time(), false, &mut observe)?,
            None => without_world(times, span, &mut observe),
        };
        if is_cancelled && part.reached < self.plan.span()[1] {
            part.ending = CheckEnding::Cancelled;
        }
        let span = [span[0], part.reached];
        let kept = self.earlier.result.contacts.iter().filter(|contact| !is_changed(contact.bodies));
        part.rest.append(&mut found);
        part.rest.extend(kept.filter_map(|contact| clipped(contact, span)));
        part.rest.sort_by(compare);
        if let Some(source) = &source {
            let Stats { events, triangle_tests, .. } = result.stats;
            result.stats = source.stats();
            result.stats.events += events;
            result.stats.triangle_tests += triangle_tests;
        }
        Ok(part)
    }
}

/// A run in which nothing has to be checked.
fn without_world(times: &[f64], span: [f64; 2], observe: &mut Observe<'_>) -> SpanRun {
    let (mut ending, mut reached) = (CheckEnding::Complete, span[1]);
    for (number, &time) in times.iter().enumerate() {
        let told = Told { number, time, contacts: &[], has_begun: false, begun: &[], ended: &[] };
        if observe(told).is_break() && time < span[1] {
            (ending, reached) = (CheckEnding::Cancelled, time);
            break;
        }
    }
    SpanRun { ending, reached, ..SpanRun::default() }
}

/// A contact as a run over a span finds it, if it does.
pub(super) fn clipped(contact: &TriangleContact, [first, last]: [f64; 2]) -> Option<TriangleContact> {
    let &TriangleContact { begin, end, is_open, is_clipped, .. } = contact;
    let begins = begin < last || (begin == last && !is_open[0]);
    let ends = end > first || (end == first && !is_open[1]);
    if !(begins && ends) {
        return None;
    }
    let goes_on = end > last || (end == last && (!is_open[1] || is_clipped[1]));
    let existed = begin < first || (begin == first && !is_open[0]);
    Some(TriangleContact {
        begin: begin.max(first),
        end: end.min(last),
        is_open: [is_open[0] && !existed, is_open[1] && !goes_on],
        is_clipped: [existed, goes_on],
        ..*contact
    })
}
