//! The bytes of recordings, little-endian; docs/formats/recording.md has them for users.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `KTRC` |
//! | 2, 2 | version; 0 |
//! | | frames |
//!
//! | of a frame | |
//! |---|---|
//! | 4 | length of what follows the checksum |
//! | 8 | checksum: of the checksum of the frame before (of 0 for the first), and of what follows |
//! | | what the frame says, in the coding of the crate `postcard` |
//!
//! A checksum that covers the one before notices frames that are left out, repeated or exchanged.
//! The last frame is [`Frame::End`].

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::call::Call;
use super::compare::{Outcome, StateHash};
use super::error::{RecordError, RecordingError};
use super::{Recording, Step};
use crate::bytes::{Fingerprint, Reader};
use crate::world::{World, WorldDef};

const MAGIC: [u8; 4] = *b"KTRC";
const VERSION: u16 = 1;

/// What a frame says. New kinds come after the others: files name kinds by their place.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Frame {
    /// The version of the library, and the definition of the world; the first frame.
    Begin { program: String, def: WorldDef },
    /// A call, written before it is carried out.
    Call(Call),
    /// What came of it.
    Outcome(Outcome),
    /// The state then.
    State(StateHash),
    /// The number of calls; the last frame.
    End { calls: u64 },
    /// The world in bytes with which the recording begins; the second frame, if it is there.
    World { bytes: Vec<u8> },
}

/// Writes frames.
#[derive(Debug)]
pub(super) struct FrameWriter<W> {
    out: W,
    chain: u64,
    buffer: Vec<u8>,
}

impl<W: Write> FrameWriter<W> {
    /// Writes the head of the file.
    pub(super) fn new(mut out: W) -> Result<Self, RecordError> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[0; 2])?;
        Ok(Self { out, chain: 0, buffer: Vec::new() })
    }

    /// Writes a frame whole, and flushes: what follows may crash.
    pub(super) fn write(&mut self, frame: &Frame) -> Result<(), RecordError> {
        self.buffer.clear();
        // Only samplers cannot be serialised, and they are refused before.
        let coded = postcard::to_extend(frame, std::mem::take(&mut self.buffer));
        self.buffer = coded.map_err(|error| std::io::Error::other(error.to_string()))?;
        let length = self.buffer.len();
        let short = u32::try_from(length).map_err(|_| RecordError::TooLarge { bytes: length })?;
        self.chain = chained(self.chain, &self.buffer);
        self.out.write_all(&short.to_le_bytes())?;
        self.out.write_all(&self.chain.to_le_bytes())?;
        self.out.write_all(&self.buffer)?;
        Ok(self.out.flush()?)
    }
}

fn chained(before: u64, bytes: &[u8]) -> u64 {
    let mut sum = Fingerprint::new();
    sum.word(before);
    sum.bytes(bytes);
    sum.value()
}

/// Reads frames.
struct FrameReader<'a> {
    reader: Reader<'a>,
    chain: u64,
    /// Number of the next frame, and where it begins.
    frame: usize,
    byte: usize,
}

impl<'a> FrameReader<'a> {
    /// Reads the head of the file.
    fn new(bytes: &'a [u8]) -> Result<Self, RecordingError> {
        let mut reader = Reader::new(bytes);
        if reader.take(4) != Some(&MAGIC[..]) {
            return Err(RecordingError::NotRecording);
        }
        let found = reader.short().ok_or(RecordingError::Truncated { frame: 0, byte: 4 })?;
        if found != VERSION {
            return Err(RecordingError::Version { found, expected: VERSION });
        }
        let rest = reader.short().ok_or(RecordingError::Truncated { frame: 0, byte: 6 })?;
        if rest != 0 {
            return Err(RecordingError::Version { found, expected: VERSION });
        }
        Ok(Self { reader, chain: 0, frame: 0, byte: 8 })
    }

    /// Reads the next frame; none at the end of the bytes.
    fn next(&mut self) -> Result<Option<Frame>, RecordingError> {
        let (frame, byte) = (self.frame, self.byte);
        if self.reader.left() == 0 {
            return Ok(None);
        }
        let whole = self.take().ok_or(RecordingError::Truncated { frame, byte })?;
        let (sum, payload) = whole;
        if sum != chained(self.chain, payload) {
            return Err(RecordingError::Checksum { frame, byte });
        }
        self.chain = sum;
        self.frame += 1;
        self.byte += 12 + payload.len();
        let refused = |message: String| RecordingError::Frame { frame, byte, message };
        let (read, rest) = postcard::take_from_bytes(payload).map_err(|error| refused(error.to_string()))?;
        if !rest.is_empty() {
            return Err(refused(format!("{} bytes are left over", rest.len())));
        }
        Ok(Some(read))
    }

    fn take(&mut self) -> Option<(u64, &'a [u8])> {
        let length = self.reader.take(4)?.try_into().ok().map(u32::from_le_bytes)?;
        let sum = self.reader.long()?;
        Some((sum, self.reader.take(length as usize)?))
    }

    fn refused(&self, message: &str) -> RecordingError {
        RecordingError::Frame { frame: self.frame.saturating_sub(1), byte: self.byte, message: message.to_owned() }
    }
}

impl Recording {
    /// Reads what a [`RecordingWorld`](super::RecordingWorld) wrote, to its end. O(bytes), and
    /// memory in proportion.
    ///
    /// # Errors
    /// Bytes that are no recording, of another version, truncated or changed; a call that no host
    /// can make; a definition that is refused; [`RecordingError::Unfinished`]. Nothing is loaded
    /// then.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let recording = Self::read(bytes, false)?;
        if recording.is_finished {
            Ok(recording)
        } else {
            Err(RecordingError::Unfinished { calls: recording.steps.len() })
        }
    }

    /// As [`Recording::from_bytes`], but the end may be missing, as after a crash: reads all frames
    /// that are whole.
    ///
    /// # Errors
    /// As [`Recording::from_bytes`], but for [`RecordingError::Unfinished`], and
    /// [`RecordingError::Truncated`] after the first frame.
    pub fn from_unfinished(bytes: &[u8]) -> Result<Self, RecordingError> {
        Self::read(bytes, true)
    }

    fn read(bytes: &[u8], may_be_torn: bool) -> Result<Self, RecordingError> {
        let mut frames = FrameReader::new(bytes)?;
        let Some(Frame::Begin { program, def }) = frames.next()? else {
            return Err(frames.refused("the definition of the world is not there"));
        };
        World::new(def)?;
        let mut recording = Self { program, def, begin: None, steps: Vec::new(), is_finished: false };
        loop {
            let frame = match frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(recording),
                Err(RecordingError::Truncated { .. }) if may_be_torn => return Ok(recording),
                Err(error) => return Err(error),
            };
            match frame {
                Frame::World { bytes } if frames.frame == 2 => {
                    recording.begin = Some(World::from_bytes(&bytes, |_| None)?.snapshot());
                }
                frame => recording.take(frame).map_err(|message| frames.refused(message))?,
            }
        }
    }

    /// Appends what a frame says.
    fn take(&mut self, frame: Frame) -> Result<(), &'static str> {
        if self.is_finished {
            return Err("it follows the end");
        }
        let last = self.steps.last_mut();
        match (frame, last) {
            (Frame::Call(_), Some(Step { outcome: None, .. })) => return Err("the call before has no outcome"),
            (Frame::Call(call), _) => self.steps.push(Step { call, outcome: None, state: None }),
            (Frame::Outcome(outcome), Some(step @ Step { outcome: None, .. })) => step.outcome = Some(outcome),
            (Frame::State(state), Some(step @ Step { outcome: Some(_), state: None, .. })) => step.state = Some(state),
            (Frame::End { calls }, last) if last.as_ref().is_none_or(|step| step.outcome.is_some()) => {
                if calls != self.steps.len() as u64 {
                    return Err("the number of calls is another");
                }
                self.is_finished = true;
            }
            _ => return Err("it is out of order"),
        }
        Ok(())
    }
}
