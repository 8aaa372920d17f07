//! What cannot be drawn.

use super::{MAX_ANIMATED_PIXELS, MAX_PIXELS, MAX_SAMPLES, MAX_SIDE};

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A picture without pixels, or one that is too large.
    #[error(
        "a picture of {width} x {height} pixels cannot be drawn; each side is 1 to {MAX_SIDE}, and at most {MAX_PIXELS} pixels in all"
    )]
    Size {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// Too few or too many samples a pixel.
    #[error("{samples} samples a pixel and axis; give 1 to {MAX_SAMPLES}")]
    Samples {
        /// The number in the options.
        samples: usize,
    },
    /// A camera that sees nothing.
    #[error("the camera sees nothing: {what}")]
    Camera {
        /// What is wrong.
        what: &'static str,
    },
    /// A vertex without a place.
    #[error("body '{body}': vertex {vertex} is at no finite place")]
    NotFinite {
        /// The body's name.
        body: String,
        /// The vertex.
        vertex: usize,
    },
    /// A triangle with a corner that is not there.
    #[error("body '{body}': triangle {triangle} names vertex {vertex}, but there are {vertices}")]
    Corner {
        /// The body's name.
        body: String,
        /// The triangle.
        triangle: usize,
        /// The corner.
        vertex: u32,
        /// Vertices of the body.
        vertices: usize,
    },
    /// A highlighted triangle that is not there.
    #[error("body '{body}': triangle {triangle} is to be highlighted, but there are {triangles}")]
    Highlight {
        /// The body's name.
        body: String,
        /// The triangle.
        triangle: u32,
        /// Triangles of the body.
        triangles: usize,
    },
    /// More triangles than a picture has numbers for.
    #[error("{count} triangles are too many for one picture")]
    TooMany {
        /// Triangles and lines.
        count: usize,
    },
    /// A picture that is not shown for a usable time.
    #[error("{delay} s is no time to show a picture; give more than 0 s and at most 60 s")]
    Delay {
        /// Seconds.
        delay: f64,
    },
    /// An animation without pictures, with pictures of different sizes, or with too many of them.
    #[error(
        "an animation needs at least one picture, all of one size, and at most {MAX_ANIMATED_PIXELS} pixels in all; \
         picture {index} is not possible"
    )]
    Animation {
        /// The picture.
        index: usize,
    },
    /// A picture that could not be encoded.
    #[error("the picture could not be encoded: {reason}")]
    Encode {
        /// Why.
        reason: String,
    },
    /// A frame too large for a GLB file, whose lengths have 32 bits.
    #[error("a GLB file of {bytes} bytes is too large; its lengths have 32 bits")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}
