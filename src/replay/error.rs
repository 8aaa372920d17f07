//! Why a call was not recorded, or a recording not read.

use std::io;

use crate::world::{AdvanceError, LoadError, SaveError, WorldError};

/// Reason why a call of a [`RecordingWorld`](super::RecordingWorld) was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The world refused it; the refusal is recorded.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The world did not advance; that is recorded.
    #[error(transparent)]
    Advance(#[from] AdvanceError),
    /// The motion is computed by code of the host, which no file holds. The world is unchanged, and
    /// the recording goes on without the call.
    #[error("body '{body}': a motion by a sampler cannot be recorded; give it as keys")]
    Sampler {
        /// The name of the body.
        body: String,
    },
    /// The world with which the recording is to begin cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The call is too large for a file, 4 GiB or more. The world is unchanged, and the recording
    /// goes on without the call.
    #[error("a call of {bytes} bytes is too large for a recording")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The recording could not be written. The world is unchanged by this call, and takes no more
    /// calls until [`RecordingWorld::into_world`](super::RecordingWorld::into_world).
    #[error("the recording cannot be written: {message}")]
    Write {
        /// The kind of the error.
        kind: io::ErrorKind,
        /// Its message.
        message: String,
    },
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        Self::Write { kind: error.kind(), message: error.to_string() }
    }
}

/// Reason why a recording was not read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The bytes are no recording.
    #[error("this is not a recording: it does not begin with 'KTRC'")]
    NotRecording,
    /// The recording has a later, or an earlier version.
    #[error("the recording has version {found}; only version {expected} can be read")]
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The bytes end within a frame.
    #[error("the recording is truncated: it ends within frame {frame}, at byte {byte}")]
    Truncated {
        /// The number of the frame, from 0.
        frame: usize,
        /// Where the frame begins.
        byte: usize,
    },
    /// Bytes were changed: a checksum is another.
    #[error("the recording is damaged: the checksum of frame {frame}, at byte {byte}, does not match")]
    Checksum {
        /// The number of the frame, from 0.
        frame: usize,
        /// Where the frame begins.
        byte: usize,
    },
    /// A frame holds no definition, call, outcome or state that a world could have.
    #[error("frame {frame} of the recording, at byte {byte}, cannot be read: {message}")]
    Frame {
        /// The number of the frame, from 0.
        frame: usize,
        /// Where the frame begins.
        byte: usize,
        /// What is wrong.
        message: String,
    },
    /// The host did not finish the recording: it crashed, or is still running.
    #[error("the recording was not finished after {calls} calls: the program crashed, or the file is truncated")]
    Unfinished {
        /// The calls that were recorded.
        calls: usize,
    },
    /// The definition of the world is refused.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The world with which the recording begins cannot be read.
    #[error(transparent)]
    Begin(#[from] LoadError),
}
