//! Budgets of queries.

use std::time::{Duration, Instant};

use crate::tuning;

/// How much work a query may do: steps, a time at which it ends, or both.
///
/// A query whose budget ends says so, and never guesses. With steps alone, answers are the same in
/// every run. With a time they depend on the speed of the machine. Times need a system with a
/// clock: `Instant::now` panics on `wasm32-unknown-unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    steps: u64,
    deadline: Option<Instant>,
}

impl Budget {
    /// As many steps as the answer takes.
    pub const UNLIMITED: Self = Self { steps: u64::MAX, deadline: None };

    /// A number of steps; the query says what a step is.
    pub fn steps(steps: u64) -> Self {
        Self { steps, deadline: None }
    }

    /// Until a time. The clock is read after every sixteenth step, so at least 16 steps are done,
    /// and queries that go on where they ended come to their end.
    pub fn until(deadline: Instant) -> Self {
        Self { steps: u64::MAX, deadline: Some(deadline) }
    }

    /// For a duration from now, as [`Budget::until`]; without limit if the time at its end cannot
    /// be represented.
    pub fn lasting(duration: Duration) -> Self {
        Self { steps: u64::MAX, deadline: Instant::now().checked_add(duration) }
    }

    /// This budget with at most a number of steps.
    #[must_use]
    pub fn at_most(self, steps: u64) -> Self {
        Self { steps: self.steps.min(steps), ..self }
    }

    /// Whether the budget ends after some steps. Asked before every step, with the number of those
    /// done.
    #[inline]
    pub(super) fn is_spent(&self, done: u64) -> bool {
        done >= self.steps
            || (done > 0
                && done.is_multiple_of(tuning::STEPS_PER_CLOCK)
                && self.deadline.is_some_and(|deadline| Instant::now() >= deadline))
    }
}
