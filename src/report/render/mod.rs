//! Pictures of bodies at one time, with touching triangles highlighted; drawn without a GPU.
//!
//! [`render`] draws a [`Frame`] into an [`Image`], whose bytes are a PNG file. The same frame and
//! options give the same bytes on any number of threads.
//!
//! | file | does |
//! |---|---|
//! | `frame` | the bodies and words of a picture |
//! | `camera`, `view` | perspective; cameras placed automatically, directions, turntables |
//! | `raster` | visibility: scan conversion with a depth buffer, clipped before the camera |
//! | `drawing` | colours, light, samples to pixels |
//! | `mark` | highlighted triangles: borders, stripes where they are hidden |
//! | `words`, `font`, `palette` | ground, axes, labels, legend; letters; colours |
//! | `image`, `animation`, `quantise` | pixels, PNG; animated PNG of few colours |
//! | `solids` | triangles that draw spheres and patches |
//! | `close_up` | a part of the bodies, with an inset of all |
//! | `glb` | the same as a glTF file |

mod animation;
mod camera;
mod close_up;
mod drawing;
mod error;
mod font;
mod frame;
mod glb;
mod image;
mod mark;
mod palette;
mod quantise;
mod raster;
mod solids;
mod view;
mod words;

pub use animation::{Animation, MAX_ANIMATED_PIXELS};
pub use camera::Camera;
pub use close_up::render_close_up;
pub use error::RenderError;
pub use frame::{Frame, FrameBody};
pub use glb::glb;
pub use image::Image;
pub use palette::{body_colour, highlight_colour};
pub use view::{Direction, DirectionError, Framing, Up, turntable};

use crate::math::Aabb;
use drawing::{Drawing, Line};

/// Longest side of a picture, pixels.
pub const MAX_SIDE: usize = 16_384;
/// Most pixels of a picture.
pub const MAX_PIXELS: usize = 1 << 26;
/// Most samples a pixel and axis.
pub const MAX_SAMPLES: usize = 8;

const BACKGROUND: [u8; 3] = [250, 250, 252];

/// How light falls on triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// One tone a triangle.
    Flat,
    /// Tones of a curved surface, with edges where triangles meet sharply.
    #[default]
    Smooth,
}

/// How a frame is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "independent parts of a picture")]
pub struct RenderOptions {
    /// Pixels in a row, 1 to [`MAX_SIDE`].
    pub width: usize,
    /// Rows, 1 to [`MAX_SIDE`].
    pub height: usize,
    /// Samples a pixel and axis, 1 to [`MAX_SAMPLES`].
    pub samples: usize,
    /// How light falls on triangles.
    pub shading: Shading,
    /// The camera; without, one is placed by `from`, `up` and `target`.
    pub camera: Option<Camera>,
    /// From where bodies are seen.
    pub from: Direction,
    /// Which axis leads upward.
    pub up: Up,
    /// A box to be seen in close-up, metres; without, all bodies but floors are seen.
    pub target: Option<Aabb>,
    /// Whether highlighted triangles that are hidden are drawn through, in stripes.
    pub hidden: bool,
    /// Whether rings surround small groups of highlighted triangles, where there are few.
    pub rings: bool,
    /// Whether sides of triangles are drawn where triangles are large.
    pub sides: bool,
    /// Whether a grid shows the ground.
    pub ground: bool,
    /// Whether there are label, legend and axes.
    pub words: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 960,
            height: 720,
            samples: 2,
            shading: Shading::Smooth,
            camera: None,
            from: Direction::Auto,
            up: Up::Auto,
            target: None,
            hidden: true,
            rings: true,
            sides: true,
            ground: true,
            words: true,
        }
    }
}

impl RenderOptions {
    /// The default options for a picture of this size, pixels.
    pub fn sized(width: usize, height: usize) -> Self {
        Self { width, height, ..Self::default() }
    }

    /// Refuses options that no picture can be drawn with. Constant time.
    ///
    /// # Errors
    /// [`RenderError::Size`], [`RenderError::Samples`].
    pub fn check(&self) -> Result<(), RenderError> {
        let (width, height) = (self.width, self.height);
        let is_side = |side: usize| (1..=MAX_SIDE).contains(&side);
        if !is_side(width) || !is_side(height) || width * height > MAX_PIXELS {
            return Err(RenderError::Size { width, height });
        }
        if !(1..=MAX_SAMPLES).contains(&self.samples) {
            return Err(RenderError::Samples { samples: self.samples });
        }
        Ok(())
    }
}

/// Draws a frame.
///
/// Linear in triangles and in samples; memory is about 12 bytes a pixel and 200 a triangle.
///
/// # Errors
/// [`RenderError`]: options or bodies that cannot be drawn; nothing to see.
///
/// ```
/// use kinetree::report::render::{Frame, FrameBody, RenderOptions, render};
///
/// let body = FrameBody {
///     name: "sheet".into(),
///     triangles: vec![[0, 1, 2], [0, 2, 3]],
///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.3], [0.0, 1.0, 0.3]], // Metres.
///     highlighted: vec![1],
///     ..FrameBody::default()
/// };
/// let frame = Frame { bodies: vec![body], label: vec![Frame::at(0.5, Some(24.0))], ..Frame::default() };
/// let image = render(&frame, &RenderOptions::sized(320, 240))?;
/// assert_eq!((image.width(), image.height()), (320, 240));
/// assert_eq!(&image.png()?[1..4], b"PNG");
/// # Ok::<(), kinetree::report::render::RenderError>(())
/// ```
pub fn render(frame: &Frame, options: &RenderOptions) -> Result<Image, RenderError> {
    frame.check()?;
    options.check()?;
    Ok(draw(frame, options, &view::camera(frame, options)?))
}

/// Draws a checked frame.
fn draw(frame: &Frame, options: &RenderOptions, camera: &Camera) -> Image {
    let up = view::up_axis(options.up, &frame.bodies);
    let ground = if options.ground { words::ground(frame, up, options.height) } else { None };
    let step = ground.as_ref().map(|(_, step)| *step);
    let mut lines: Vec<Line> = ground.map_or_else(Vec::new, |(lines, _)| lines);
    lines.extend(words::boxes(frame, options.height));
    let size = [options.width, options.height];
    let drawing = Drawing::new(frame, &lines, camera, size, options.samples, (options.shading, up));
    let (mut image, marks) = drawing.with_sides(options.sides).draw();
    marks.draw(&mut image, options.hidden);
    if options.rings {
        marks.rings(&mut image);
    }
    if options.words {
        words::axes(&mut image, camera);
        words::legend(&mut image, frame, step);
        words::label(&mut image, &frame.label);
    }
    image
}

/// Which body and triangle is seen in the middle of every pixel, row by row; `None` where there is
/// none. `camera` sees a picture of `options.width` × `options.height` pixels.
///
/// # Errors
/// As for [`render`].
pub fn visible(frame: &Frame, options: &RenderOptions) -> Result<Vec<Option<[u32; 2]>>, RenderError> {
    frame.check()?;
    options.check()?;
    let camera = view::camera(frame, options)?;
    let size = [options.width, options.height];
    let (_, marks) = Drawing::new(frame, &[], &camera, size, 1, (Shading::Flat, 1)).with_sides(false).draw();
    let mut begins = vec![0];
    for body in &frame.bodies {
        begins.push(begins[begins.len() - 1] + body.triangles.len() as u32);
    }
    let name = |&face: &u32| {
        let body = begins.partition_point(|&begin| begin <= face).checked_sub(1)?;
        (face != raster::NONE).then(|| [body as u32, face - begins[body]])
    };
    Ok(marks.faces().iter().map(name).collect())
}
