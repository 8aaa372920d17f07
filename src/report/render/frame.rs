//! What a picture shows: bodies at one time.

use super::RenderError;
use super::palette::{KNOWN, body_colour, highlight_colour};
use crate::id::BodyId;
use crate::math::Aabb;
use crate::world::{World, WorldError};

/// A body at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameBody {
    /// Its name, for the legend.
    pub name: String,
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices in metres.
    pub positions: Vec<[f64; 3]>,
    /// Triangles to be highlighted; in any order, repetitions do no harm.
    pub highlighted: Vec<u32>,
    /// Of the highlighted triangles, those whose contacts are known, as from a baseline: they are
    /// slate blue. In any order; others have no effect.
    pub known: Vec<u32>,
    /// Red, green, blue; without, the colour of the body's number, see [`super::body_colour`].
    pub colour: Option<[u8; 3]>,
    /// The same for its highlighted triangles, see [`super::highlight_colour`].
    pub highlight: Option<[u8; 3]>,
}

impl FrameBody {
    /// Its colour, as body `number` of a frame.
    pub(super) fn surface(&self, number: usize) -> [u8; 3] {
        self.colour.unwrap_or_else(|| body_colour(number))
    }

    /// The colour of its highlighted triangles that are not known, as body `number` of a frame.
    pub(super) fn mark(&self, number: usize) -> [u8; 3] {
        self.highlight.unwrap_or_else(|| highlight_colour(number))
    }

    /// The colours of its triangles, as body `number` of a frame.
    pub(super) fn colours(&self, number: usize) -> Vec<[u8; 3]> {
        let (surface, mark) = (self.surface(number), self.mark(number));
        let both = self.marks().into_iter().zip(self.known_marks());
        let colour = |(is_marked, is_known)| match (is_marked, is_known) {
            (_, true) => KNOWN,
            (true, false) => mark,
            (false, false) => surface,
        };
        both.map(colour).collect()
    }
}

/// Bodies at one time, and the words beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The bodies, in the scene's order.
    pub bodies: Vec<FrameBody>,
    /// Boxes drawn as wires, each with the number of the body whose colour it has; metres.
    pub boxes: Vec<(u32, Aabb)>,
    /// Lines of text for the upper left corner; see [`Frame::at`].
    pub label: Vec<String>,
}

impl Frame {
    /// The first line of a label: frame number and seconds.
    ///
    /// ```
    /// use kinetree::report::render::Frame;
    /// assert_eq!(Frame::at(1.25, Some(24.0)), "frame 30 · 1.25 s");
    /// assert_eq!(Frame::at(1.0 / 3.0, Some(24.0)), "frame 8 · 0.333333 s");
    /// assert_eq!(Frame::at(0.51, Some(24.0)), "frame 12.24 · 0.51 s");
    /// assert_eq!(Frame::at(0.5, None), "0.5 s");
    /// ```
    pub fn at(time: f64, fps: Option<f64>) -> String {
        let seconds = rounded(time, 6);
        match fps {
            Some(fps) => format!("frame {} · {seconds} s", rounded(time * fps, 3)),
            None => format!("{seconds} s"),
        }
    }

    /// Bodies of a world now, with the triangles highlighted that touch now. The label is empty.
    ///
    /// A body of spheres or points has no triangles and is not seen.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn of_world(world: &World, ids: &[BodyId]) -> Result<Self, WorldError> {
        let mut bodies = Vec::with_capacity(ids.len());
        for &id in ids {
            let positions = world.positions(id)?;
            let triangles = world.mesh(id)?.triangles().to_vec();
            let touching =
                |contact: &crate::world::Contact| [(contact.a, contact.triangle_a), (contact.b, contact.triangle_b)];
            // Spheres and points of a body are numbered after its triangles.
            let is_own = |&(body, triangle): &(BodyId, u32)| body == id && (triangle as usize) < triangles.len();
            let own = world.contacts().iter().flat_map(touching).filter(is_own);
            let mut highlighted: Vec<u32> = own.map(|(_, triangle)| triangle).collect();
            highlighted.sort_unstable();
            highlighted.dedup();
            let name = world.name(id)?.to_string();
            bodies.push(FrameBody { name, triangles, positions, highlighted, ..FrameBody::default() });
        }
        Ok(Self { bodies, ..Self::default() })
    }

    /// Highlighted triangles of all bodies, each once.
    pub fn highlighted(&self) -> usize {
        let distinct = |body: &FrameBody| body.marks().iter().filter(|&&mark| mark).count();
        self.bodies.iter().map(distinct).sum()
    }

    /// The box around all bodies, metres; empty (its least above its greatest) without vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.bodies.iter().flat_map(|body| &body.positions))
    }

    /// Refuses what cannot be drawn.
    pub(super) fn check(&self) -> Result<(), RenderError> {
        let count = self.bodies.iter().map(|body| body.triangles.len()).sum::<usize>() + 12 * self.boxes.len();
        if count >= (u32::MAX / 2) as usize {
            return Err(RenderError::TooMany { count });
        }
        self.bodies.iter().try_for_each(FrameBody::check)
    }
}

impl FrameBody {
    fn check(&self) -> Result<(), RenderError> {
        let body = || self.name.clone();
        // Squares of distances must be finite too.
        let is_usable = |point: &[f64; 3]| point.iter().all(|x| x.abs() < 1e30);
        if let Some(vertex) = self.positions.iter().position(|point| !is_usable(point)) {
            return Err(RenderError::NotFinite { body: body(), vertex });
        }
        let vertices = self.positions.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&corner| corner as usize >= vertices) {
                return Err(RenderError::Corner { body: body(), triangle, vertex, vertices });
            }
        }
        let triangles = self.triangles.len();
        match self.highlighted.iter().find(|&&triangle| triangle as usize >= triangles) {
            Some(&triangle) => Err(RenderError::Highlight { body: body(), triangle, triangles }),
            None => Ok(()),
        }
    }

    /// Per triangle, whether it is highlighted. Numbers that are not there are left out.
    pub(super) fn marks(&self) -> Vec<bool> {
        self.listed(&self.highlighted)
    }

    /// Per triangle, whether it is highlighted and known.
    pub(super) fn known_marks(&self) -> Vec<bool> {
        self.marks()
            .into_iter()
            .zip(self.listed(&self.known))
            .map(|(is_marked, is_known)| is_marked && is_known)
            .collect()
    }

    fn listed(&self, triangles: &[u32]) -> Vec<bool> {
        let mut marks = vec![false; self.triangles.len()];
        for &triangle in triangles {
            if let Some(mark) = marks.get_mut(triangle as usize) {
                *mark = true;
            }
        }
        marks
    }

    /// Corners of a triangle of a checked body.
    pub(super) fn corners(&self, triangle: usize) -> [[f64; 3]; 3] {
        self.triangles[triangle].map(|corner| self.positions[corner as usize])
    }
}

/// A number with at most `digits` digits after the point, without zeros at the end.
pub(super) fn rounded(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
}
