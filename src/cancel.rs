//! Cancellation of long computations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
pub struct Cancel(Arc<Flag>);

#[derive(Debug)]
struct Flag {
    is_set: AtomicBool,
    /// How often the flag is read before it sets itself; [`UNBOUNDED`] for a flag that does not.
    reads_left: AtomicU64,
}

/// A flag that does not set itself.
const UNBOUNDED: u64 = u64::MAX;

impl Default for Flag {
    fn default() -> Self {
        Self { is_set: AtomicBool::new(false), reads_left: AtomicU64::new(UNBOUNDED) }
    }
}

impl Cancel {
    /// Returns a flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that sets itself once it was read some number of times. For tests: a computation on
    /// one thread then ends at the same place in every run.
    #[doc(hidden)]
    pub fn after_reads(reads: u64) -> Self {
        Self(Arc::new(Flag { is_set: AtomicBool::new(false), reads_left: AtomicU64::new(reads.min(UNBOUNDED - 1)) }))
    }

    /// Sets the flag, permanently. Safe to call in a signal handler.
    pub fn cancel(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        let Flag { is_set, reads_left } = &*self.0;
        if reads_left.load(Ordering::Relaxed) != UNBOUNDED {
            let read = |left: u64| Some(left.saturating_sub(1));
            if reads_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, read) == Ok(0) {
                self.cancel();
            }
        }
        is_set.load(Ordering::Relaxed)
    }
}

/// Two flags are equal if they are the same flag.
impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cancel {}
