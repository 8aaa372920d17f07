//! Times of keys: frames a second, or a list of times, and which source has precedence.
//!
//! The scene file decides, always. In this order: the body's `times`, the body's `fps`, the scene's
//! `fps`, and only then what the motion's own file says (MDD times, times of a transform file).
//! Frame k of n frames a second is at k / n seconds. Key times that result are finite and strictly
//! increasing.

/// Times a file states and times used may differ by this much before it is worth a remark, seconds.
/// Far below a frame, far above the rounding of f32 times.
const REMARK_TOLERANCE: f64 = 1e-3;

/// Frames a second that can be used: finite and above zero.
pub(super) fn check_fps(value: f64) -> Result<f64, TimingError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(TimingError::Fps { value }) }
}

/// One time a frame, finite and strictly increasing.
pub(super) fn check_times(times: &[f64], frames: usize) -> Result<(), TimingError> {
    if times.len() != frames {
        return Err(TimingError::Count { found: times.len(), frames });
    }
    if let Some(index) = times.iter().position(|time| !time.is_finite()) {
        let value = times[index];
        return Err(TimingError::NotFinite { index, value });
    }
    match times.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(before) => {
            Err(TimingError::Order { index: before + 1, previous: times[before], value: times[before + 1] })
        }
        None => Ok(()),
    }
}

/// k / fps for every frame.
pub(super) fn times_from_fps(frames: usize, fps: f64) -> Result<Vec<f64>, TimingError> {
    let fps = check_fps(fps)?;
    let times: Vec<f64> = (0..frames).map(|frame| frame as f64 / fps).collect();
    // Frames a second beyond all use can put keys at infinity, or two at one time.
    check_times(&times, frames).map_err(|_| TimingError::Fps { value: fps })?;
    Ok(times)
}

/// Whether a file's own times say something else than the times used.
pub(super) fn disagree(own: &[f64], used: &[f64]) -> bool {
    own.len() != used.len()
        || own.iter().zip(used).any(|(own, used)| {
            let difference = (own - used).abs();
            // Written so that NaN counts as a disagreement.
            !matches!(
                difference.partial_cmp(&REMARK_TOLERANCE),
                Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
            )
        })
}

/// What is wrong with frames a second or with key times. Times are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimingError {
    /// Frames a second that are zero, negative, not finite, or so extreme that keys would share a
    /// time.
    #[error("`fps` is {value}; it must be a usable number of frames a second above zero, such as 24")]
    Fps {
        /// What the file says.
        value: f64,
    },
    /// Both `fps` and `times`.
    #[error("both `fps` and `times` are given; keep one of them")]
    Both,
    /// Neither `fps` nor `times`, and the file itself has no times.
    #[error(
        "nothing says when the frames are: add `fps = 24` (or what the shot has) to the body or to the top of the \
         scene"
    )]
    Missing,
    /// Not one time a frame.
    #[error("`times` has {found} entries, but the motion has {frames} frames; give one time a frame")]
    Count {
        /// How many times there are.
        found: usize,
        /// How many frames there are.
        frames: usize,
    },
    /// A time that is NaN or infinite.
    #[error("time {index} (counted from 0) is {value}; only finite seconds can be used")]
    NotFinite {
        /// Its place in the list, from 0.
        index: usize,
        /// What the file says.
        value: f64,
    },
    /// A time that is not after the one before it.
    #[error(
        "time {index} (counted from 0) is {value}, which is not after the {previous} before it; times must increase"
    )]
    Order {
        /// Its place in the list, from 0.
        index: usize,
        /// The time before it, seconds.
        previous: f64,
        /// The time itself, seconds.
        value: f64,
    },
}
