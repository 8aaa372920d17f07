//! Ctrl-C: the first one ends a check in order, the second one ends the program. Commands that
//! write one file end at the first, without leaving an incomplete one behind.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::{Status, output};
use crate::cancel::Cancel;

/// How long the incidents of what was checked are still searched for after Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// How often the thread that measures this time reads the flag.
const POLL: Duration = Duration::from_millis(10);

/// Whether Ctrl-C was pressed since [`Interrupt::listen`].
pub(super) struct Interrupt {
    pressed: Arc<AtomicBool>,
    cancel: Cancel,
    /// The thread ends with it.
    _alive: Arc<()>,
}

impl Interrupt {
    /// Listens from now on. Before that Ctrl-C ends the program at once, as usual.
    pub(super) fn listen() -> io::Result<Self> {
        let pressed = Arc::new(AtomicBool::new(false));
        // In this order: the first Ctrl-C finds the flag unset.
        flag::register_conditional_shutdown(SIGINT, Status::Interrupted as i32, Arc::clone(&pressed))?;
        flag::register(SIGINT, Arc::clone(&pressed))?;
        let (cancel, alive) = (Cancel::new(), Arc::new(()));
        let (flag, late, lives) = (Arc::clone(&pressed), cancel.clone(), Arc::downgrade(&alive));
        thread::Builder::new().name("interrupt".into()).spawn(move || {
            while lives.strong_count() > 0 {
                if flag.load(Ordering::Relaxed) {
                    thread::sleep(PATIENCE);
                    return late.cancel();
                }
                thread::sleep(POLL);
            }
        })?;
        Ok(Self { pressed, cancel, _alive: alive })
    }

    /// Is cancelled shortly after Ctrl-C: what can be had at once of an ended check is still
    /// computed.
    pub(super) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    pub(super) fn is_pressed(&self) -> bool {
        self.pressed.load(Ordering::Relaxed)
    }
}

/// From now on Ctrl-C removes files that are not complete, and ends the program. Where the system
/// refuses that, Ctrl-C ends it as usual.
pub(super) fn end_clean() {
    let pressed = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&pressed);
    let waiting = thread::Builder::new().name("interrupt".into()).spawn(move || {
        while !flag.load(Ordering::Relaxed) {
            thread::sleep(POLL);
        }
        output::remove_unfinished();
        process::exit(Status::Interrupted as i32);
    });
    if waiting.is_ok() {
        let _ = flag::register(SIGINT, pressed);
    }
}
