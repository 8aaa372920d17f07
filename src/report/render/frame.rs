//! What a picture shows: bodies at one time.

use super::RenderError;
use super::palette::{KNOWN, body_colour, highlight_colour};
use super::solids;
use crate::id::BodyId;
use crate::math::Aabb;
use crate::motion::Sphere;
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
    /// How many triangles each sphere or span of a patch is drawn with; 0 and 1 where contacts
    /// number the triangles themselves.
    pub triangles_each: usize,
}

impl FrameBody {
    /// A body of spheres, drawn with triangles. O(spheres).
    ///
    /// ```
    /// use kinetree::Sphere;
    /// use kinetree::report::render::FrameBody;
    ///
    /// let ball = Sphere { centre: [0.0, 0.0, 1.0], radius: 0.5 }; // Metres.
    /// let body = FrameBody::of_spheres("ball", &[ball, ball]);
    /// assert_eq!(body.triangles.len(), 2 * body.triangles_each);
    /// ```
    pub fn of_spheres(name: impl Into<String>, spheres: &[Sphere]) -> Self {
        let (positions, triangles, triangles_each) = solids::balls(spheres);
        Self { name: name.into(), triangles, positions, triangles_each, ..Self::default() }
    }

    /// Highlights a primitive by the number that contacts have: a triangle, a sphere, a span of a
    /// patch. Others have no effect.
    pub fn highlight_primitive(&mut self, primitive: u32) {
        let drawn = self.drawn(primitive);
        self.highlighted.extend(drawn);
    }

    /// The triangles that draw a primitive.
    pub(crate) fn drawn(&self, primitive: u32) -> std::ops::Range<u32> {
        let (each, all) = (self.triangles_each.max(1) as u64, self.triangles.len() as u64);
        let [begin, end] = [0, 1].map(|more| ((u64::from(primitive) + more) * each).min(all) as u32);
        begin..end
    }

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
    /// Spheres and patches are drawn with triangles, coarser than they are. Points and segments
    /// have no area and are not seen.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn of_world(world: &World, ids: &[BodyId]) -> Result<Self, WorldError> {
        let mut bodies = Vec::with_capacity(ids.len());
        for &id in ids {
            let mut body = Self::body_of_world(world, id)?;
            for contact in world.contacts() {
                for (of, primitive) in [(contact.a, contact.triangle_a), (contact.b, contact.triangle_b)] {
                    if of == id {
                        body.highlight_primitive(primitive);
                    }
                }
            }
            body.highlighted.sort_unstable();
            body.highlighted.dedup();
            bodies.push(body);
        }
        Ok(Self { bodies, ..Self::default() })
    }

    fn body_of_world(world: &World, id: BodyId) -> Result<FrameBody, WorldError> {
        let name = world.name(id)?.to_string();
        if let Some(spheres) = world.spheres(id)? {
            return Ok(FrameBody::of_spheres(name, &spheres));
        }
        let positions = world.positions(id)?;
        if let Some(patches) = world.patches(id)? {
            let (positions, triangles, triangles_each) = solids::spans(patches, &positions);
            return Ok(FrameBody { name, triangles, positions, triangles_each, ..FrameBody::default() });
        }
        let triangles = world.mesh(id)?.triangles().to_vec();
        Ok(FrameBody { name, triangles, positions, ..FrameBody::default() })
    }

    /// Highlighted triangles of all bodies, each once; spheres and spans of patches count as one.
    pub fn highlighted(&self) -> usize {
        let distinct =
            |body: &FrameBody| body.marks().iter().filter(|&&mark| mark).count() / body.triangles_each.max(1);
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
