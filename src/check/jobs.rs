//! A check whose span is divided: over threads, and so that the keys of a long clip are not all in
//! memory at once.
//!
//! The span is cut at samples into parts; each part has a world of its own, and the parts are
//! joined as [`super::merge`] joins files. Threads take parts in order of time. Samples of later
//! parts wait in memory until those before them were observed.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::again::clipped;
use super::file::join_contacts;
use super::run::{Observe, Plan, SpanRun, run_span};
use super::source::Source;
use super::{CheckEnding, CheckError, CheckSettings, SampledContact};
use crate::incident::TriangleContact;
use crate::io::Scene;

/// Parts for each thread: contacts are rarely spread evenly over time, so a thread that is done
/// early takes another part.
const PARTS_PER_THREAD: usize = 2;

/// Samples that a part has at least: each part builds its trees.
const LEAST_SAMPLES: usize = 4;

/// Messages that wait until the calling thread takes them.
const WAITING: usize = 64;

/// What a thread tells of its part.
enum Message {
    Sample(Sampled),
    Done(Box<Result<Part, CheckError>>),
}

/// One sample of a part.
struct Sampled {
    time: f64,
    contacts: Vec<SampledContact>,
    has_begun: bool,
    ended: usize,
}

/// A part that was run.
struct Part {
    run: SpanRun,
    events: u64,
    triangle_tests: u64,
}

/// What all parts found, and what it took.
pub(super) struct Joined {
    pub(super) run: SpanRun,
    /// Events of all parts but the first.
    pub(super) events: u64,
    /// Exact tests of all parts but the first.
    pub(super) triangle_tests: u64,
}

/// Where the parts of a check begin and end: at samples, the first and the last at the ends of the
/// span. There are at least `parts`, if there are samples enough.
pub(super) fn cuts(times: &[f64], span: [f64; 2], threads: usize, parts: usize) -> Vec<f64> {
    let of_threads = if threads > 1 { threads.saturating_mul(PARTS_PER_THREAD) } else { 1 };
    let parts = (times.len() / LEAST_SAMPLES).clamp(1, of_threads.max(parts));
    let inner = (1..parts).map(|part| times[part * times.len() / parts]);
    let inner = inner.filter(|time| span[0] < *time && *time < span[1]);
    [span[0]].into_iter().chain(inner).chain([span[1]]).collect()
}

/// Runs the parts between cuts on several threads; the first part on `source`, which is at its
/// begin.
pub(super) fn run_parts(
    plan: &Plan,
    scene: &Scene,
    settings: &CheckSettings,
    source: &mut Source,
    cuts: &[f64],
    observe: &mut Observe<'_>,
) -> Result<Joined, CheckError> {
    let spans: Vec<[f64; 2]> = cuts.windows(2).map(|ends| [ends[0], ends[1]]).collect();
    let (next, is_cancelled) = (AtomicUsize::new(1), AtomicBool::new(false));
    let (sender, receiver) = sync_channel(WAITING);
    let run = |place: usize, source: Option<&mut Source>, sender: &SyncSender<(usize, Message)>| {
        let tell = |message| sender.send((place, message)).is_ok();
        let part = run_part(plan, scene, settings, source, spans[place], &is_cancelled, &tell);
        // After an error of another part the receiver is gone.
        tell(Message::Done(Box::new(part)));
    };
    let take = |sender: &SyncSender<(usize, Message)>| {
        while !is_cancelled.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= spans.len() {
                return;
            }
            run(place, None, sender);
        }
    };
    let (run, take) = (&run, &take);
    thread::scope(|scope| {
        for _ in 1..settings.threads().min(spans.len()) {
            let sender = sender.clone();
            scope.spawn(move || take(&sender));
        }
        scope.spawn(move || {
            run(0, Some(source), &sender);
            take(&sender);
        });
        let joined = join(&receiver, &spans, plan.span()[1], &is_cancelled, observe);
        is_cancelled.store(true, Ordering::Relaxed);
        // No thread waits for a receiver that is gone.
        drop(receiver);
        joined
    })
}

/// Runs one part.
fn run_part(
    plan: &Plan,
    scene: &Scene,
    settings: &CheckSettings,
    source: Option<&mut Source>,
    span: [f64; 2],
    is_cancelled: &AtomicBool,
    tell: &dyn Fn(Message) -> bool,
) -> Result<Part, CheckError> {
    let mut own = None;
    let is_first = source.is_some();
    let source = match source {
        Some(source) => source,
        None => own.insert(plan.world_of(scene, settings, span, |_, _| true)?),
    };
    let inside = |time: &f64| (span[0]..=span[1]).contains(time);
    let times: Vec<f64> = plan.times().iter().copied().filter(inside).collect();
    let mut observe = |_, time: f64, contacts: &[SampledContact], has_begun: bool, ended: usize| {
        // A sample at a cut belongs to the part before.
        let is_told = time == span[0] && !is_first
            || tell(Message::Sample(Sampled { time, contacts: contacts.to_vec(), has_begun, ended }));
        if is_told && !is_cancelled.load(Ordering::Relaxed) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let run = run_span(source, &times, span, plan.is_over_time(), settings.stop_at_first, &mut observe)?;
    Ok(Part { run, events: source.stats().events, triangle_tests: source.triangle_tests() })
}

/// What has come of a part that is not its turn yet.
#[derive(Default)]
struct Waiting {
    samples: Vec<Sampled>,
    done: Option<Box<Result<Part, CheckError>>>,
}

/// Observes samples in order of time and joins the parts.
fn join(
    receiver: &Receiver<(usize, Message)>,
    spans: &[[f64; 2]],
    end: f64,
    is_cancelled: &AtomicBool,
    observe: &mut Observe<'_>,
) -> Result<Joined, CheckError> {
    let mut waiting: Vec<Waiting> = spans.iter().map(|_| Waiting::default()).collect();
    let mut joined = Joined {
        run: SpanRun { contacts: Vec::new(), ending: CheckEnding::Complete, reached: spans[0][0] },
        events: 0,
        triangle_tests: 0,
    };
    let (mut number, mut ended) = (0, 0);
    // Where the observer ended the check.
    let mut stopped = None;
    for (place, span) in spans.iter().enumerate() {
        let part = loop {
            for sample in waiting[place].samples.drain(..) {
                if stopped.is_some() {
                    break;
                }
                let Sampled { time, contacts, has_begun, ended: more } = sample;
                let flow = observe(number, time, &contacts, has_begun, ended + more);
                number += 1;
                // After the last time nothing is left to cancel.
                if flow.is_break() && time < end {
                    stopped = Some(time);
                    is_cancelled.store(true, Ordering::Relaxed);
                }
            }
            if let Some(done) = waiting[place].done.take() {
                break (*done)?;
            }
            let Ok((from, message)) = receiver.recv() else {
                // Unreachable: a thread tells of each part it took, and all parts are taken.
                return Err(CheckError::NoTimes);
            };
            match message {
                Message::Sample(sample) => waiting[from].samples.push(sample),
                Message::Done(part) => waiting[from].done = Some(part),
            }
        };
        // The part may have gone on until it was told that the observer ended the check.
        let is_first =
            part.run.ending == CheckEnding::FirstContact && stopped.is_none_or(|stopped| part.run.reached <= stopped);
        let reached = if is_first { part.run.reached } else { stopped.unwrap_or(span[1]) };
        let contacts = part.run.contacts;
        let contacts: Vec<TriangleContact> = match stopped {
            Some(_) if !is_first => {
                contacts.iter().filter_map(|contact| clipped(contact, [span[0], reached])).collect()
            }
            _ => contacts,
        };
        ended += contacts.iter().filter(|contact| !contact.is_clipped[1]).count();
        let run = &mut joined.run;
        run.contacts = if place == 0 { contacts } else { join_contacts(std::mem::take(&mut run.contacts), contacts) };
        run.reached = reached;
        if place > 0 {
            joined.events += part.events;
            joined.triangle_tests += part.triangle_tests;
        }
        if is_first || stopped.is_some() {
            run.ending = if is_first { CheckEnding::FirstContact } else { CheckEnding::Cancelled };
            break;
        }
    }
    Ok(joined)
}
