//! Why a world was not written to bytes, or not read from them.

/// Reason why [`World::to_bytes`](crate::World::to_bytes) refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A flightplan to come is a sampler's, which is code of the host. Only motions in force can be
    /// given again when the world is read.
    #[error(
        "body '{body}': the flightplan scheduled for {time} s is a sampler's, which cannot be saved; cancel it before"
    )]
    ScheduledSampler {
        /// The name of the body.
        body: String,
        /// When the flightplan comes into force, seconds.
        time: f64,
    },
    /// A part cannot be written.
    #[error("the world cannot be written: {message}")]
    Part {
        /// What is wrong.
        message: String,
    },
}

/// Reason why [`World::from_bytes`](crate::World::from_bytes) refused. Nothing is loaded then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are no saved world.
    #[error("this is not a saved world: it does not begin with 'KTWD'")]
    NotWorld,
    /// The file has a later, or an earlier version.
    #[error("the saved world has version {found}; only version {expected} can be read")]
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// There are fewer or more bytes than the file says: it was cut, or something was appended.
    #[error("the saved world needs {expected} bytes, not {found}")]
    Length {
        /// What the header says; that of the header itself where it is cut.
        expected: u64,
        /// The number of bytes.
        found: u64,
    },
    /// The bytes are not those that were written.
    #[error("the saved world is damaged: its checksum does not match")]
    Checksum,
    /// Another version of the library wrote it, which keeps other data of a world.
    #[error("the saved world was written by kinetree {found}; only {expected} can read it")]
    Program {
        /// The version of the library that wrote it.
        found: String,
        /// This version.
        expected: String,
    },
    /// The motion of a body is a sampler's, and the host gave none.
    #[error("body '{body}' moves by a sampler, which is not in the file; give it when the world is loaded")]
    NoSampler {
        /// The name of the body.
        body: String,
    },
    /// The sampler has other keys, bounds or positions than that of the saved body.
    #[error("body '{body}': the sampler is another one than that of the saved body")]
    OtherSampler {
        /// The name of the body.
        body: String,
    },
    /// The tree of the body is made of the boxes of a sampler, and the given one has none.
    #[error("body '{body}': its tree needs a sampler with bounds")]
    NotBounded {
        /// The name of the body.
        body: String,
    },
    /// The values are no world, although the checksum matches.
    #[error("the saved world is inconsistent: {message}")]
    Part {
        /// What is wrong.
        message: String,
    },
}
