//! How far a command is: a bar on terminals, a plain line every ten seconds elsewhere.
//!
//! `KINETREE_PROGRESS` in the environment sets the seconds between lines.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::warn;
use super::table::grouped;
use super::tell;
use crate::check::CheckSample;
use crate::io::Scene;

/// Seconds between lines.
const INTERVAL: f64 = 10.0;

/// Contacts over time from which on a check is told to be expensive.
const MANY_CONTACTS: usize = 100_000;

/// A bar, lines, or neither; gone when it is dropped.
pub(super) struct Progress {
    bar: ProgressBar,
    lines: Option<Lines>,
    is_quiet: bool,
    has_warned: Cell<bool>,
}

impl Progress {
    pub(super) fn new(is_quiet: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let bar = if is_quiet || !is_terminal {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
        } else {
            ProgressBar::no_length()
        };
        let lines = (!is_quiet && !is_terminal).then(|| Lines::start(bar.clone()));
        Self { bar, lines, is_quiet, has_warned: Cell::new(false) }
    }

    /// An input is going to be read: its size, and its place from 1 among all.
    pub(super) fn reading(&self, input: &str, bytes: u64, [place, count]: [usize; 2]) {
        let of = if count > 1 { format!(" ({place} of {count})") } else { String::new() };
        let size = if bytes < 1_000_000 { String::new() } else { format!(", {} MB", grouped(bytes / 1_000_000)) };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            self.bar.set_style(style);
        }
        self.bar.set_message(format!("reading {input}{size}{of}"));
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// A sample of a check is there.
    pub(super) fn sample(&mut self, sample: &CheckSample<'_>, scene: &Scene) {
        if sample.number == 0 {
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} samples, about {eta} left") {
                self.bar.set_style(style);
            }
            // At once, so that the first drawing has both.
            self.bar.update(|state| {
                state.set_len(sample.count as u64);
                state.set_pos(1);
            });
        } else {
            self.bar.inc(1);
        }
        if sample.number + 1 == sample.count {
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
                self.bar.set_style(style);
            }
            self.bar.set_message("finding incidents");
        }
        let contacts = sample.ended + sample.contacts.len();
        if contacts >= MANY_CONTACTS && !self.has_warned.replace(true) && !self.is_quiet {
            self.bar.suspend(|| tell("note: ", &many_contacts(contacts, sample, scene)));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        self.lines.take();
    }
}

/// What a check with very many contacts costs, and what to do about it.
fn many_contacts(contacts: usize, sample: &CheckSample<'_>, scene: &Scene) -> String {
    let thickness = scene.bodies.iter().map(|body| body.thickness).fold(0.0, f64::max);
    let cause = if thickness > 0.0 {
        format!(
            "Bodies that rest on each other within their thickness (up to {thickness} m) touch with all their \
             triangles: try a smaller --thickness, or leave out what touches at the begin with --ignore-rest-contacts"
        )
    } else {
        "If bodies overlap from the begin, leave that out with --ignore-rest-contacts".into()
    };
    format!(
        "{} contacts of pairs of triangles by sample {} of {}, at {:.4} s; each takes time and, with incidents or \
         -o, memory. {cause}; --intervals=false finds what touches at the samples only",
        grouped(contacts as u64),
        sample.number + 1,
        sample.count,
        sample.time
    )
}

/// A thread that prints a line now and then.
struct Lines {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    fn start(bar: ProgressBar) -> Self {
        let interval = std::env::var("KINETREE_PROGRESS").ok().and_then(|seconds| seconds.parse().ok());
        let interval = interval.filter(|seconds: &f64| *seconds > 0.0 && *seconds < 1e6).unwrap_or(INTERVAL);
        let interval = Duration::from_secs_f64(interval);
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                warn(&line(&bar));
            }
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // It prints and nothing else: of its panic there is nothing to say.
            let _ = thread.join();
        }
    }
}

/// What a line says: the file that is read, or how many samples are done.
fn line(bar: &ProgressBar) -> String {
    let elapsed = bar.elapsed().as_secs();
    let (done, count) = (bar.position(), bar.length().unwrap_or(0));
    let message = bar.message();
    if !message.is_empty() {
        return format!("{message}, {elapsed} s\n");
    }
    if done == 0 {
        return format!("working on the first sample, {elapsed} s\n");
    }
    let (percent, left) = (100 * done / count.max(1), bar.eta().as_secs());
    format!("{done} of {count} samples ({percent} %) after {elapsed} s, about {left} s left\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_contacts_name_their_cause_and_what_to_do() {
        let mut scene = Scene::default();
        let (contacts, handed_over) = (&[], &[]);
        let (has_begun, ended) = (true, 123_456);
        let sample = CheckSample { number: 1, count: 9, time: 0.25, contacts, has_begun, ended, handed_over };
        let told = many_contacts(123_456, &sample, &scene);
        assert!(told.starts_with("123 456 contacts") && told.contains("sample 2 of 9, at 0.2500 s"), "{told}");
        assert!(told.contains("--ignore-rest-contacts") && !told.contains("thickness"), "{told}");
        scene = crate::io::read_inputs(
            &["fixtures/cloth_ball/ball.obj".parse().unwrap()],
            &crate::io::InputOptions::default(),
        )
        .unwrap();
        scene.bodies[0].thickness = 0.5;
        assert!(many_contacts(123_456, &sample, &scene).contains("within their thickness (up to 0.5 m)"));
    }
}
