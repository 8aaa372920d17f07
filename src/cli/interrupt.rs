//! Ctrl-C: the first one ends a check in order, the second one ends the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::Status;

/// Whether Ctrl-C was pressed since [`Interrupt::listen`].
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Before that Ctrl-C ends the program at once, as usual.
    pub(super) fn listen() -> io::Result<Self> {
        let pressed = Arc::new(AtomicBool::new(false));
        // In this order: the first Ctrl-C finds the flag unset.
        flag::register_conditional_shutdown(SIGINT, Status::Interrupted as i32, Arc::clone(&pressed))?;
        flag::register(SIGINT, Arc::clone(&pressed))?;
        Ok(Self(pressed))
    }

    pub(super) fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
