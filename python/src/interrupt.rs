//! Long computations on a thread of their own, so that Ctrl-C ends the call at once.
//!
//! Python handles signals on its main thread, between its own instructions. A call that computes
//! waits here with the GIL released and lets Python handle signals meanwhile. If that raises, the
//! call returns; the thread ends at the next point where it reads its [`Cancel`]. The thread never
//! touches Python.

use std::convert::Infallible;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use kinetree::Cancel;
use pyo3::prelude::*;

/// How long signals wait at most, a tenth of what a user notices.
const POLL: Duration = Duration::from_millis(20);

/// Bytes of stack of the thread: that of a main thread.
const STACK: usize = 8 << 20;

enum Message<T, Q> {
    Question(Q),
    Done(T),
}

/// The thread's side of a [`Job`].
pub(crate) struct Asker<T, Q = Infallible> {
    sender: Sender<Message<T, Q>>,
    replies: Receiver<bool>,
    cancel: Cancel,
}

impl<T, Q> Asker<T, Q> {
    /// The flag that an exception in the waiting call sets.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Asks the waiting call, and waits for its answer; `false` if the call has returned.
    pub(crate) fn ask(&self, question: Q) -> bool {
        self.sender.send(Message::Question(question)).is_ok() && self.replies.recv().unwrap_or(false)
    }
}

/// A computation on a thread of its own.
pub(crate) struct Job<T, Q = Infallible> {
    messages: Receiver<Message<T, Q>>,
    replies: Sender<bool>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static, Q: Send + 'static> Job<T, Q> {
    /// Starts a computation.
    pub(crate) fn start(work: impl FnOnce(&Asker<T, Q>) -> T + Send + 'static) -> PyResult<Self> {
        let (sender, messages) = channel();
        let (replies, answers) = channel();
        let asker = Asker { sender, replies: answers, cancel: Cancel::new() };
        let cancel = asker.cancel.clone();
        let thread = Builder::new().name("kinetree".into()).stack_size(STACK).spawn(move || {
            let done = work(&asker);
            // After an exception the waiting call is gone.
            let _ = asker.sender.send(Message::Done(done));
        })?;
        Ok(Self { messages, replies, cancel, thread: Some(thread) })
    }

    /// Waits until the computation is done; `answer` answers its questions on the calling thread.
    ///
    /// # Errors
    /// What `answer` or a signal handler raises. The computation is cancelled then, and can be
    /// waited for again.
    pub(crate) fn wait(
        &mut self,
        py: Python<'_>,
        mut answer: impl FnMut(Python<'_>, Q) -> PyResult<bool>,
    ) -> PyResult<T> {
        loop {
            let messages = &mut self.messages;
            let message = py.detach(move || messages.recv_timeout(POLL));
            let outcome = match message {
                Ok(Message::Done(done)) => return Ok(done),
                Ok(Message::Question(question)) => answer(py, question).map(Some),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => self.unwind(),
            };
            match outcome.and_then(|reply| py.check_signals().map(|()| reply)) {
                Ok(Some(reply)) => {
                    // A thread that asked waits for the reply.
                    let _ = self.replies.send(reply);
                }
                Ok(None) => {}
                Err(error) => {
                    self.cancel.cancel();
                    let _ = self.replies.send(false);
                    return Err(error);
                }
            }
        }
    }

    /// Carries a panic of the thread on.
    fn unwind(&mut self) -> ! {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => panic!("a thread ended without a result"),
        }
    }
}

/// Computes something that asks nothing.
///
/// # Errors
/// What a signal handler raises.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> PyResult<T> {
    Job::<T>::start(move |asker| work(asker.cancel()))?.wait(py, |_, question| match question {})
}
