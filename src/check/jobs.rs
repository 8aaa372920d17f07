//! A check whose span is divided: over threads, and so that the keys of a long clip are not all in
//! memory at once.
//!
//! The span is cut at samples into parts; each part has a world of its own, and contacts over time
//! are joined at the cuts, with the outcome of [`super::merge`]. Threads take parts in order of
//! time. Samples of later parts wait in memory until those before them were observed. With the
//! feature `rayon`, threads without a part share the work of those that have one.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock};

use super::again::clipped;
use super::contacts::compare;
use super::identity::{Motions, ReadMotions, read_motions};
use super::run::{Observe, Plan, SpanRun, Told, run_span};
use super::seam::Seam;
use super::source::Source;
use super::{CheckEnding, CheckError, CheckSettings, SampledContact};
use crate::incident::TriangleContact;
use crate::io::{Scene, SceneWorldError, TreeShapes};
use crate::stats::Stats;
use crate::threads;

/// Parts for each thread: contacts are rarely spread evenly over time, so a thread that is done
/// early takes another part.
const PARTS_PER_THREAD: usize = 2;

/// Samples that a part has at least: each part builds its trees.
const LEAST_SAMPLES: usize = 4;

/// Messages that wait until the calling thread takes them.
const WAITING: usize = 64;

/// What a thread tells.
enum Message {
    /// Fingerprints of motions of which worlds have a part only.
    Read(Result<ReadMotions, SceneWorldError>),
    Sample(usize, Sampled),
    Done(usize, Box<Result<Part, CheckError>>),
}

/// What a thread takes next.
#[derive(Clone, Copy)]
enum Work {
    Part(usize),
    /// Reading motions for their fingerprints.
    Read,
}

/// One sample of a part.
struct Sampled {
    time: f64,
    contacts: Vec<SampledContact>,
    has_begun: bool,
    begun: Vec<TriangleContact>,
    ended: Vec<TriangleContact>,
}

/// A part that was run.
struct Part {
    run: SpanRun,
    stats: Stats,
}

/// What all parts found, and what it took.
#[derive(Default)]
pub(super) struct Joined {
    pub(super) run: SpanRun,
    /// Of the first part, with the events and the exact tests of all.
    pub(super) stats: Stats,
    /// The identity of the scene, if the world of the first part was still to be made.
    pub(super) motions: Option<Motions>,
}

/// Where the parts of a check begin and end: at samples, the first and the last at the ends of the
/// span. There are at least `parts`, if there are samples enough. Parts for several threads become
/// shorter towards the end, so that threads are done at about the same time.
pub(super) fn cuts(times: &[f64], span: [f64; 2], threads: usize, parts: usize) -> Vec<f64> {
    // The first of many parts is longer than the mean by a third.
    let wanted =
        if threads > 1 { threads.saturating_mul(PARTS_PER_THREAD).max(parts + parts.div_ceil(3)) } else { parts };
    let parts = (times.len() / LEAST_SAMPLES).clamp(1, wanted.max(1));
    let weight = |part: usize| if threads > 1 { 2 * parts - part } else { 1 };
    let all: usize = (0..parts).map(weight).sum();
    let places = (0..parts).scan(0, |sum, part| {
        *sum += weight(part);
        Some(*sum)
    });
    // In 128 bits, as there may be many samples of many parts.
    let place = |sum: usize| (sum as u128 * times.len() as u128 / all as u128) as usize;
    let inner = places.take(parts - 1).map(|sum| times[place(sum)]);
    let inner = inner.filter(|time| span[0] < *time && *time < span[1]);
    [span[0]].into_iter().chain(inner).chain([span[1]]).collect()
}

/// Runs the parts between cuts on several threads; the first part on `source`, if there is one,
/// which is at its begin. A source is gone as soon as its part is done.
pub(super) fn run_parts(
    plan: &Plan,
    scene: &Scene,
    settings: &CheckSettings,
    source: Option<Source>,
    cuts: &[f64],
    observe: &mut Observe<'_>,
) -> Result<Joined, CheckError> {
    let spans: Vec<[f64; 2]> = cuts.windows(2).map(|ends| [ends[0], ends[1]]).collect();
    let is_unknown = source.is_none();
    let mut work: Vec<Work> = (0..spans.len()).map(Work::Part).collect();
    if is_unknown {
        work.insert(0, Work::Read);
    }
    let (next, first) = (AtomicUsize::new(0), First::default());
    let is_cancelled = &first.is_cancelled;
    if !plan.has_idle_trees(scene, settings) {
        // Nothing is shared, so the other parts need not wait.
        let _is_first = first.trees.set(TreeShapes::default());
    }
    let (sender, receiver) = sync_channel(WAITING);
    let run = |place: usize, sender: &SyncSender<Message>| {
        let tell = |message| sender.send(message).is_ok();
        let part = run_part(plan, scene, settings, &first, (place, spans[place]), &tell);
        // After an error of another part the receiver is gone.
        tell(Message::Done(place, Box::new(part)));
    };
    let take = |sender: &SyncSender<Message>| {
        while let Some(&work) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            match work {
                Work::Part(place) if !is_cancelled.load(Ordering::Relaxed) => run(place, sender),
                Work::Part(_) => {}
                // A result has its identity also if the check ends early.
                Work::Read => {
                    let _ = sender.send(Message::Read(read_motions(scene, &plan.fingerprinted())));
                }
            }
        }
    };
    let take = &take;
    let count = settings.threads().min(work.len());
    let tasks: Vec<_> = std::iter::repeat_n(sender, count).map(|sender| move || take(&sender)).collect();
    threads::side_by_side(settings.threads(), tasks, || {
        let made = first.make(|| match source {
            Some(source) => Ok(source),
            None => plan.world_of(scene, settings, spans[0], None, |_, _| true),
        });
        let known = |source: &Source| Motions::of_world(scene, source.world(), None, &plan.fingerprinted());
        let known = first.hand_over(made?, |source| is_unknown.then(|| known(source)));
        let joined = Join::new(receiver, spans.len(), known).run(&spans, plan.span()[1], is_cancelled, observe);
        is_cancelled.store(true, Ordering::Relaxed);
        joined
    })
}

/// The world of the first part, which the calling thread makes while threads begin: they wait for
/// it, and it never for them.
#[derive(Default)]
struct First {
    /// The shapes of its idle trees: those of the other parts have the same.
    trees: OnceLock<TreeShapes>,
    /// `None` within if there is none.
    source: OnceLock<Mutex<Option<Source>>>,
    /// Whether the check has ended.
    is_cancelled: AtomicBool,
}

impl First {
    /// Makes it, and gives the trees to the others.
    fn make(&self, make: impl FnOnce() -> Result<Source, CheckError>) -> Result<Source, CheckError> {
        let release = Release(self);
        let source = make()?;
        let _is_first = self.trees.set(source.tree_shapes());
        std::mem::forget(release);
        Ok(source)
    }

    /// Gives it to the thread of its part, after something was read of it.
    fn hand_over<R>(&self, source: Source, read: impl FnOnce(&Source) -> R) -> R {
        let release = Release(self);
        let outcome = read(&source);
        let _is_first = self.source.set(Mutex::new(Some(source)));
        std::mem::forget(release);
        outcome
    }

    /// Waits for it, and takes it.
    fn take(&self) -> Option<Source> {
        self.source.wait().lock().map_or(None, |mut source| source.take())
    }
}

/// Ends the check, and the waiting of threads, after an error or a panic.
struct Release<'a>(&'a First);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
        let _is_first = (self.0.trees.set(TreeShapes::default()), self.0.source.set(Mutex::default()));
    }
}

/// Runs one part.
fn run_part(
    plan: &Plan,
    scene: &Scene,
    settings: &CheckSettings,
    first: &First,
    (place, span): (usize, [f64; 2]),
    tell: &dyn Fn(Message) -> bool,
) -> Result<Part, CheckError> {
    let mut source = match place {
        // Without one the check has ended.
        0 => first.take().ok_or(CheckError::NoTimes)?,
        _ => plan.world_of(scene, settings, span, Some(first.trees.wait()), |_, _| true)?,
    };
    let inside = |time: &f64| (span[0]..=span[1]).contains(time);
    let times: Vec<f64> = plan.times().iter().copied().filter(inside).collect();
    let mut observe = |told: Told<'_>| {
        let Told { time, contacts, has_begun, begun, ended, .. } = told;
        let contacts = contacts.to_vec();
        let (begun, ended) = (begun.to_vec(), ended.to_vec());
        let is_told = tell(Message::Sample(place, Sampled { time, contacts, has_begun, begun, ended }));
        if is_told && !first.is_cancelled.load(Ordering::Relaxed) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let run = run_span(&mut source, &times, span, plan.is_over_time(), settings.stop_at_first, &mut observe)?;
    Ok(Part { run, stats: source.stats() })
}

/// What has come of a part that is not its turn yet.
#[derive(Default)]
struct Waiting {
    samples: Vec<Sampled>,
    done: Option<Box<Result<Part, CheckError>>>,
}

/// Joins what threads tell.
struct Join {
    receiver: Receiver<Message>,
    waiting: Vec<Waiting>,
    /// The identity of the scene, as far as the world of the first part knows it, if it is wanted.
    known: Option<Motions>,
    read: Option<Result<ReadMotions, SceneWorldError>>,
}

impl Join {
    fn new(receiver: Receiver<Message>, parts: usize, known: Option<Motions>) -> Self {
        Self { receiver, waiting: (0..parts).map(|_| Waiting::default()).collect(), known, read: None }
    }

    /// Waits for the next message.
    fn receive(&mut self) -> Result<(), CheckError> {
        let Ok(message) = self.receiver.recv() else {
            // Unreachable: a thread tells of each part it took, and all parts are taken.
            return Err(CheckError::NoTimes);
        };
        match message {
            Message::Read(read) => self.read = Some(read),
            Message::Sample(from, sample) => self.waiting[from].samples.push(sample),
            Message::Done(from, part) => self.waiting[from].done = Some(part),
        }
        Ok(())
    }

    /// Observes samples in order of time and joins the parts. No thread waits for the receiver
    /// afterwards.
    fn run(
        mut self,
        spans: &[[f64; 2]],
        end: f64,
        is_cancelled: &AtomicBool,
        observe: &mut Observe<'_>,
    ) -> Result<Joined, CheckError> {
        let mut joined = Joined::default();
        joined.run.reached = spans[0][0];
        let (mut number, mut seam) = (0, None::<Seam>);
        // Where the observer ended the check.
        let mut stopped = None;
        for (place, span) in spans.iter().enumerate() {
            // Contacts at the cut that do not go on after it, and those that were told after the
            // observer ended the check.
            let (mut at_cut, mut late) = (Vec::new(), Vec::new());
            let part = loop {
                for Sampled { time, contacts, has_begun, mut begun, mut ended } in self.waiting[place].samples.drain(..)
                {
                    let is_cut = place > 0 && time == span[0];
                    if let Some(seam) = &mut seam {
                        if is_cut {
                            at_cut.append(&mut seam.cross(&mut begun));
                        }
                        ended.iter_mut().for_each(|contact| seam.join(contact));
                    }
                    if stopped.is_some() {
                        late.append(&mut ended);
                        continue;
                    }
                    // A sample at a cut belongs to the part before.
                    if is_cut {
                        joined.run.begun = begun;
                        at_cut.append(&mut ended);
                        continue;
                    }
                    begun.append(&mut joined.run.begun);
                    ended.append(&mut at_cut);
                    let (contacts, begun, ended) = (&contacts[..], &begun[..], &ended[..]);
                    let flow = observe(Told { number, time, contacts, has_begun, begun, ended });
                    number += 1;
                    // After the last time nothing is left to cancel.
                    if flow.is_break() && time < end {
                        stopped = Some(time);
                        is_cancelled.store(true, Ordering::Relaxed);
                    }
                }
                if let Some(done) = self.waiting[place].done.take() {
                    break (*done)?;
                }
                self.receive()?;
            };
            let is_last = joined.add(part, (place, *span), stopped);
            let run = &mut joined.run;
            if let Some(seam) = &mut seam {
                run.rest.iter_mut().for_each(|contact| seam.join(contact));
                // Nothing is left in the seam of a part that was run.
                run.rest.append(&mut seam.cross(&mut Vec::new()));
            }
            run.rest.append(&mut at_cut);
            run.rest.append(&mut late);
            if is_last && run.ending == CheckEnding::Cancelled {
                let checked = [spans[0][0], run.reached];
                run.rest = run.rest.iter().filter_map(|contact| clipped(contact, checked)).collect();
            }
            run.rest.sort_by(compare);
            if is_last {
                break;
            }
            if place + 1 < spans.len() {
                seam = Some(Seam::cut(std::mem::take(&mut run.rest)));
            }
        }
        if let Some(mut known) = self.known.take() {
            let read = loop {
                match self.read.take() {
                    Some(read) => break read?,
                    None => self.receive()?,
                }
            };
            known.add(read);
            joined.motions = Some(known);
        }
        Ok(joined)
    }
}

impl Joined {
    /// Adds a part, but for contacts that were told; returns whether the check ends with it.
    fn add(&mut self, part: Part, (place, span): (usize, [f64; 2]), stopped: Option<f64>) -> bool {
        // The part may have gone on until it was told that the observer ended the check.
        let is_first =
            part.run.ending == CheckEnding::FirstContact && stopped.is_none_or(|stopped| part.run.reached <= stopped);
        let run = &mut self.run;
        run.reached = if is_first { part.run.reached } else { stopped.unwrap_or(span[1]) };
        run.rest = part.run.rest;
        if stopped.is_none() || is_first {
            run.begun.extend(part.run.begun);
        }
        if place == 0 {
            self.stats = part.stats;
        } else {
            self.stats.events += part.stats.events;
            self.stats.triangle_tests += part.stats.triangle_tests;
        }
        let is_last = is_first || stopped.is_some();
        if is_last {
            run.ending = if is_first { CheckEnding::FirstContact } else { CheckEnding::Cancelled };
        }
        is_last
    }
}
