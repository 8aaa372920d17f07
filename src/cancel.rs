//! Cancellation of long computations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends a long computation before it is done. Clones share the flag.
///
/// A computation reads the flag between its steps. It returns an error or a partial result, as its
/// own documentation says.
///
/// ```
/// use kinetree::Cancel;
///
/// let cancel = Cancel::new();
/// let shared = cancel.clone(); // For another thread, or a signal handler.
/// shared.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Returns a flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag, permanently. Safe to call in a signal handler.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Two flags are equal if they are the same flag.
impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cancel {}
