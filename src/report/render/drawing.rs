//! From a frame to pixels: faces with colours, light, bands of rows.

use nalgebra::Vector3;

use super::camera::Camera;
use super::frame::Frame;
use super::image::Image;
use super::mark::Marks;
use super::palette::{RED, darker};
use super::raster::{Layer, NONE, Polygon, Raster};
use super::{BACKGROUND, Shading};
use crate::threads;

/// Rows of pixels in a band: its samples stay in the processor's cache.
const BAND: usize = 16;
/// To the light, in the camera's axes (right, down, forward): from the upper left, behind it.
const KEY_LIGHT: [f64; 3] = [-0.46, -0.64, -0.62];
/// Light that comes from all sides, from the key light, from the camera, and from above.
const SHARES: [f64; 4] = [0.46, 0.36, 0.10, 0.12];
/// The brightness of a back side over that of a front side.
const BACK: f64 = 0.88;
/// Least height of a triangle, pixels, from which its sides are drawn, and over which in full.
const SIDES: [f64; 2] = [11.0, 26.0];
/// How dark the sides of triangles are drawn.
const SIDE_SHARE: f64 = 0.42;
/// Cosine of the angle between a triangle and the surface at a vertex from which on it is an edge.
const CREASE: f64 = 0.55;

/// A straight line of one colour.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) ends: [[f64; 3]; 2],
    /// Pixels.
    pub(super) width: f64,
    pub(super) colour: [u8; 3],
}

/// Everything a picture is made from, numbered: triangles of bodies, then lines.
pub(super) struct Drawing<'a> {
    camera: &'a Camera,
    /// Upward in the scene.
    up: Vector3<f64>,
    corners: Vec<[[f64; 3]; 3]>,
    /// Per triangle its colour, lit as a flat face, 0 to 255.
    flat: Vec<[f32; 3]>,
    /// Per triangle its colour without light.
    base: Vec<[u8; 3]>,
    is_highlighted: Vec<bool>,
    /// Per triangle the normals of its corners, with smooth shading.
    normals: Vec<[[f32; 3]; 3]>,
    lines: &'a [Line],
    size: [usize; 2],
    samples: usize,
    has_sides: bool,
    near: f64,
}

/// Samples of a band, and its pixels.
struct Band {
    first: usize,
    rows: usize,
    polygons: Vec<u32>,
    pixels: Vec<u8>,
    seen: Vec<u8>,
    hidden: Vec<u8>,
    /// The colour of the hidden mark.
    through: Vec<[u8; 3]>,
    faces: Vec<u32>,
}

impl<'a> Drawing<'a> {
    /// Colours and light of a checked frame.
    pub(super) fn new(
        frame: &Frame,
        lines: &'a [Line],
        camera: &'a Camera,
        size: [usize; 2],
        samples: usize,
        (shading, up): (Shading, usize),
    ) -> Self {
        let count = frame.bodies.iter().map(|body| body.triangles.len()).sum();
        let mut drawing = Self {
            camera,
            up: Vector3::from_fn(|axis, _| f64::from(u8::from(axis == up))),
            corners: Vec::with_capacity(count),
            flat: Vec::with_capacity(count),
            base: Vec::with_capacity(count),
            is_highlighted: Vec::with_capacity(count),
            normals: Vec::new(),
            lines,
            size,
            samples,
            has_sides: true,
            near: 0.0,
        };
        let mut farthest = 0.0_f64;
        for (number, body) in frame.bodies.iter().enumerate() {
            drawing.corners.extend((0..body.triangles.len()).map(|triangle| body.corners(triangle)));
            drawing.base.extend(body.colours(number));
            drawing.is_highlighted.extend(body.marks());
            if shading == Shading::Smooth {
                drawing.normals.extend(corner_normals(&body.triangles, &body.positions));
            }
            let seen = body.positions.iter().map(|&point| camera.seen(point).z);
            farthest = seen.fold(farthest, f64::max);
        }
        drawing.near = (1e-4 * farthest).max(1e-9);
        for face in 0..count {
            let [p, q, r] = drawing.corners[face].map(Vector3::from);
            let normal = (q - p).cross(&(r - p));
            let middle = (p + q + r) / 3.0;
            let lit = drawing.light(&normal, &normal, &(middle - camera.eye.coords));
            // In steps that the eye does not see, and a file's size does.
            let lit = (64.0 * lit).round() / 64.0;
            drawing.flat.push(drawing.lit(face, lit));
        }
        drawing
    }

    /// Whether sides of large triangles are drawn.
    pub(super) fn with_sides(mut self, has_sides: bool) -> Self {
        self.has_sides = has_sides;
        self
    }

    /// Brightness of a surface: `front` is the normal of its triangle, `ray` leads to it.
    fn light(&self, normal: &Vector3<f64>, front: &Vector3<f64>, ray: &Vector3<f64>) -> f64 {
        let length = normal.norm();
        if length == 0.0 {
            return 1.0;
        }
        let is_back = front.dot(ray) > 0.0;
        let towards = if is_back { -1.0 / length } else { 1.0 / length };
        let above = (self.up.dot(normal) * towards).max(0.0);
        let normal = self.camera.axes * normal * towards;
        let key = Vector3::from(KEY_LIGHT).normalize().dot(&normal).max(0.0);
        let head = (-normal.z).max(0.0);
        (SHARES[0] + SHARES[1] * key + SHARES[2] * head + SHARES[3] * above) * if is_back { BACK } else { 1.0 }
    }

    fn lit(&self, face: usize, lit: f64) -> [f32; 3] {
        let lit = if self.is_highlighted[face] { 0.5 + 0.5 * lit } else { lit };
        self.base[face].map(|c| (f64::from(c) * lit).min(255.0) as f32)
    }

    /// Draws all bands.
    pub(super) fn draw(&self) -> (Image, Marks) {
        let [width, height] = self.size;
        let samples = [width * self.samples, height * self.samples];
        let raster = Raster::new(self.camera, samples, self.near);
        let triangles = self
            .corners
            .iter()
            .enumerate()
            .filter_map(|(face, corners)| raster.triangle(corners, face as u32, self.is_highlighted[face]));
        let lines = self.lines.iter().enumerate().filter_map(|(line, at)| {
            raster.line(&at.ends, at.width * self.samples as f64, (self.corners.len() + line) as u32)
        });
        let polygons: Vec<Polygon> = triangles.chain(lines).collect();
        let mut bands: Vec<Band> =
            (0..height).step_by(BAND).map(|first| Band::new(first, BAND.min(height - first))).collect();
        for (number, polygon) in polygons.iter().enumerate() {
            let Some([first, last]) = polygon.rows(samples[1]) else { continue };
            let per_band = BAND * self.samples;
            for band in &mut bands[first / per_band..=last / per_band] {
                band.polygons.push(number as u32);
            }
        }
        let middles = self.middles(&raster);
        threads::for_each(&mut bands, |band| self.draw_band(band, &polygons, &middles));
        let mut marks = Marks::new(width, height, self.samples);
        let mut pixels = Vec::with_capacity(3 * width * height);
        for band in bands {
            pixels.extend(band.pixels);
            marks.extend(band.seen, band.hidden, band.through, band.faces);
        }
        (Image::of_rows(width, height, pixels), marks)
    }

    /// Sample and nearness of the middle of every highlighted triangle: a triangle that is smaller
    /// than a sample is marked too.
    fn middles(&self, raster: &Raster) -> Vec<([usize; 2], f32)> {
        let faces = (0..self.corners.len()).filter(|&face| self.is_highlighted[face]);
        faces
            .filter_map(|face| {
                let [p, q, r] = self.corners[face].map(Vector3::from);
                let [x, y, depth] = self.camera.project(((p + q + r) / 3.0).into(), raster.size[0], raster.size[1])?;
                let is_inside = x >= 0.0 && y >= 0.0 && x < raster.size[0] as f64 && y < raster.size[1] as f64;
                (is_inside && depth >= self.near).then(|| ([x as usize, y as usize], (1.0 / depth) as f32))
            })
            .collect()
    }

    fn draw_band(&self, band: &mut Band, polygons: &[Polygon], middles: &[([usize; 2], f32)]) {
        let (width, n) = (self.size[0], self.samples);
        let (first, rows) = (band.first * n, band.rows * n);
        let mut nearest = Layer::new(width * n, first, rows);
        let mut marked = None;
        for &polygon in &band.polygons {
            let polygon = &polygons[polygon as usize];
            nearest.draw(polygon);
            if polygon.is_highlighted {
                marked.get_or_insert_with(|| Layer::new(width * n, first, rows)).draw(polygon);
            }
        }
        band.pixels.reserve(3 * width * band.rows);
        let count = (n * n) as f32;
        for row in 0..band.rows {
            for column in 0..width {
                let face_at = |sample: usize| nearest.face(column * n + sample % n, row * n + sample / n);
                let middle = [column as f64 + 0.5, (band.first + row) as f64 + 0.5];
                let face = face_at(0);
                let is_one = (1..n * n).all(|sample| face_at(sample) == face);
                let colour = if is_one {
                    self.colour(face, middle, true)
                } else {
                    let sum = (0..n * n).fold([0.0; 3], |sum: [f32; 3], sample| {
                        let at = [sample % n, sample / n].map(|k| (k as f64 + 0.5) / n as f64 - 0.5);
                        let colour = self.colour(face_at(sample), [middle[0] + at[0], middle[1] + at[1]], false);
                        std::array::from_fn(|i| sum[i] + colour[i])
                    });
                    sum.map(|c| c / count)
                };
                band.pixels.extend(colour.map(|c| (c + 0.5) as u8));
                band.faces.push(face_at((n / 2) * n + n / 2));
                let (mut seen, mut hidden, mut through) = (0, 0, NONE);
                if let Some(marked) = &marked {
                    for sample in 0..n * n {
                        let is_seen = self.is_marked(face_at(sample));
                        let face = marked.face(column * n + sample % n, row * n + sample / n);
                        seen += u8::from(is_seen);
                        if face != NONE && !is_seen {
                            hidden += 1;
                            through = face;
                        }
                    }
                }
                band.seen.push(seen);
                band.hidden.push(hidden);
                band.through.push(self.base.get(through as usize).copied().unwrap_or(RED));
            }
        }
        for &([x, y], near) in middles {
            if (first..first + rows).contains(&y) {
                let pixel = (y - first) / n * width + x / n;
                if band.seen[pixel] == 0 && band.hidden[pixel] == 0 {
                    let is_seen = near * 1.001 >= nearest.nearness(x, y - first);
                    let mark = if is_seen { &mut band.seen[pixel] } else { &mut band.hidden[pixel] };
                    *mark = 1;
                }
            }
        }
    }

    fn is_marked(&self, face: u32) -> bool {
        self.is_highlighted.get(face as usize).copied().unwrap_or(false)
    }

    /// The colour of a face at a place of the picture, pixels.
    fn colour(&self, face: u32, place: [f64; 2], with_sides: bool) -> [f32; 3] {
        if face == NONE {
            return BACKGROUND.map(f32::from);
        }
        let face = face as usize;
        if face >= self.corners.len() {
            return self.lines[face - self.corners.len()].colour.map(f32::from);
        }
        let with_sides = with_sides && self.has_sides;
        if self.normals.is_empty() && !with_sides {
            return self.flat[face];
        }
        let ray = Vector3::from(self.camera.ray(place[0], place[1], self.size[0], self.size[1]));
        let Some(weights) = self.weights(face, &ray) else { return self.flat[face] };
        let mut colour = self.flat[face];
        if let Some(normals) = self.normals.get(face) {
            let normal: Vector3<f64> = (0..3).map(|i| Vector3::from(normals[i].map(f64::from)) * weights[i]).sum();
            let [p, q, r] = self.corners[face].map(Vector3::from);
            colour = self.lit(face, self.light(&normal, &(q - p).cross(&(r - p)), &ray));
        }
        let share = if with_sides { self.side(face, weights) as f32 } else { 0.0 };
        let dark = darker(self.base[face]);
        std::array::from_fn(|i| colour[i] + share * (f32::from(dark[i]) - colour[i]))
    }

    /// Barycentric coordinates of the point where a ray from the camera meets a triangle's plane.
    fn weights(&self, face: usize, ray: &Vector3<f64>) -> Option<[f64; 3]> {
        let [p, q, r] = self.corners[face].map(|corner| Vector3::from(corner) - self.camera.eye.coords);
        let volumes = [q.cross(&r).dot(ray), r.cross(&p).dot(ray), p.cross(&q).dot(ray)];
        let sum: f64 = volumes.iter().sum();
        (sum != 0.0).then(|| volumes.map(|volume| volume / sum))
    }

    /// How much of the dark line along a triangle's sides a point of it has.
    fn side(&self, face: usize, weights: [f64; 3]) -> f64 {
        let corners = self.corners[face].map(|corner| self.camera.project(corner, self.size[0], self.size[1]));
        let [Some(p), Some(q), Some(r)] = corners else { return 0.0 };
        let side = |from: [f64; 3], to: [f64; 3]| [to[0] - from[0], to[1] - from[1]];
        let sides = [side(q, r), side(r, p), side(p, q)];
        let area = (sides[0][0] * sides[1][1] - sides[0][1] * sides[1][0]).abs();
        let heights = sides.map(|[x, y]| area / libm::hypot(x, y).max(1e-9));
        let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let shown = ((least - SIDES[0]) / (SIDES[1] - SIDES[0])).clamp(0.0, 1.0);
        let nearest = (0..3).map(|i| weights[i] * heights[i]).fold(f64::INFINITY, f64::min);
        SIDE_SHARE * shown * (1.25 - nearest).clamp(0.0, 1.0)
    }
}

impl Band {
    fn new(first: usize, rows: usize) -> Self {
        let (polygons, faces) = (Vec::new(), Vec::new());
        let (pixels, seen, hidden, through) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { first, rows, polygons, pixels, seen, hidden, through, faces }
    }
}

/// Normals at the corners of all triangles: of the surface around a vertex, or of the triangle
/// itself at creases.
fn corner_normals(triangles: &[[u32; 3]], positions: &[[f64; 3]]) -> Vec<[[f32; 3]; 3]> {
    let normal = |corners: &[u32; 3]| {
        let [p, q, r] = corners.map(|corner| Vector3::from(positions[corner as usize]));
        (q - p).cross(&(r - p))
    };
    let places = places(positions);
    let mut sums = vec![Vector3::zeros(); positions.len()];
    for corners in triangles {
        let normal = normal(corners);
        corners.iter().for_each(|&corner| sums[places[corner as usize] as usize] += normal);
    }
    let unit = |vector: Vector3<f64>| vector.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
    let of_triangle = |corners: &[u32; 3]| {
        let own = unit(normal(corners));
        corners.map(|corner| {
            let smooth = unit(sums[places[corner as usize] as usize]);
            let at = if smooth.dot(&own) > CREASE { smooth } else { own };
            [at.x as f32, at.y as f32, at.z as f32]
        })
    };
    triangles.iter().map(of_triangle).collect()
}

/// Per vertex, the first vertex at its place: files split vertices where colours meet.
fn places(positions: &[[f64; 3]]) -> Vec<u32> {
    let at = |vertex: u32| positions[vertex as usize].map(|x| if x == 0.0 { 0 } else { x.to_bits() });
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&vertex| (at(vertex), vertex));
    let mut places = vec![0; positions.len()];
    let mut first = 0;
    for (number, &vertex) in order.iter().enumerate() {
        if number == 0 || at(vertex) != at(first) {
            first = vertex;
        }
        places[vertex as usize] = first;
    }
    places
}
