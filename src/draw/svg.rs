//! Drawings as SVG: parallel projection, painted from far to near.

use std::fmt::Write;

use super::{Colour, Draw, tip};
use crate::math::vector::{cross, dot, length, minus};

/// Share of the picture that stays empty at each side.
const MARGIN: f64 = 0.05;
/// Width of lines, pixels.
const STROKE: f64 = 1.25;
/// Height of letters, pixels.
const LETTERS: f64 = 14.0;
/// Brightness of a face seen edge-on; 1 for one seen from the front.
const DIMMEST: f64 = 0.55;

/// A picture of what is drawn to it, in parallel projection, fitted to its content.
///
/// Lines and triangles are painted from far to near by their middles, then arrows and texts.
/// Numbers are rounded to a tenth of a pixel: equal drawings give equal files. Shapes with
/// coordinates that are not finite are left out.
///
/// ```
/// use kinetree::draw::{Draw, Svg};
///
/// let mut picture = Svg::new(320, 240);
/// picture.line([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0, 0, 0, 255]);
/// let text = picture.finish();
/// assert!(text.starts_with("<svg") && text.contains("<path"));
/// ```
#[derive(Clone, Debug)]
pub struct Svg {
    size: [u32; 2],
    /// Directions of the picture in the world, unit length: right, up, towards the eye.
    axes: [[f64; 3]; 3],
    shapes: Vec<Shape>,
}

/// A line, a triangle, or a text at a point.
#[derive(Clone, Debug)]
struct Shape {
    points: Vec<[f64; 3]>,
    text: Option<String>,
    colour: Colour,
    /// Painted over all that is not.
    is_on_top: bool,
}

impl Svg {
    /// An empty picture of a width and height in pixels, at least 1, seen from the front, the right
    /// and above: z is up, x to the right, y away.
    pub fn new(width: u32, height: u32) -> Self {
        let picture = Self { size: [width.max(1), height.max(1)], axes: [[0.0; 3]; 3], shapes: Vec::new() };
        picture.view([0.5, -1.0, 0.5], [0.0, 0.0, 1.0])
    }

    /// Sets the direction towards the eye, and the direction that points up in the picture; of any
    /// length. Nothing changes if they are parallel, zero or not finite.
    #[must_use]
    pub fn view(mut self, towards_eye: [f64; 3], up: [f64; 3]) -> Self {
        if let Some(eye) = unit(towards_eye)
            && let Some(right) = unit(cross(&up, &eye))
        {
            self.axes = [right, cross(&eye, &right), eye];
        }
        self
    }

    /// Returns the picture as the text of an SVG file.
    pub fn finish(&self) -> String {
        let place = |point: &[f64; 3]| self.axes.map(|axis| dot(point, &axis));
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for point in self.shapes.iter().flat_map(|shape| &shape.points).map(place) {
            for axis in 0..2 {
                (low[axis], high[axis]) = (low[axis].min(point[axis]), high[axis].max(point[axis]));
            }
        }
        let [width, height] = self.size.map(f64::from);
        let room = [width, height].map(|pixels| pixels * (1.0 - 2.0 * MARGIN));
        let scales = [0, 1].map(|axis| room[axis] / (high[axis] - low[axis]));
        let fitting = scales[0].min(scales[1]);
        let scale = if fitting.is_finite() && fitting > 0.0 { fitting } else { 1.0 };
        let pixel = |point: [f64; 3]| {
            let from_middle = |axis: usize| scale * (point[axis] - 0.5 * (low[axis] + high[axis]));
            [0.5 * width + from_middle(0), 0.5 * height - from_middle(1)]
        };
        let mut order: Vec<(bool, f64, usize)> = self
            .shapes
            .iter()
            .enumerate()
            .map(|(k, shape)| {
                let sum: f64 = shape.points.iter().map(|point| place(point)[2]).sum();
                (shape.is_on_top, sum / shape.points.len() as f64, k)
            })
            .collect();
        order.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n\
             <rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            self.size[0], self.size[1]
        );
        for (.., shape) in order {
            let shape = &self.shapes[shape];
            let points: Vec<[f64; 2]> = shape.points.iter().map(|point| pixel(place(point))).collect();
            self.write(&mut text, shape, &points);
        }
        text.push_str("</svg>\n");
        text
    }

    fn write(&self, out: &mut String, shape: &Shape, points: &[[f64; 2]]) {
        let [r, g, b, alpha] = shape.colour;
        let opacity = f64::from(alpha) / 255.0;
        // Writing to a string does not fail.
        let _ = match (&shape.text, points) {
            (Some(text), [[x, y]]) => writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"{LETTERS}\" text-anchor=\"middle\" \
                 fill=\"#{r:02x}{g:02x}{b:02x}\">{}</text>",
                y - 0.5 * LETTERS,
                escaped(text)
            ),
            (None, [[x, y], [u, v]]) => writeln!(
                out,
                "<path d=\"M{x:.1} {y:.1}L{u:.1} {v:.1}\" stroke=\"#{r:02x}{g:02x}{b:02x}\" \
                 stroke-opacity=\"{opacity:.2}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
                if shape.is_on_top { 2.0 * STROKE } else { STROKE }
            ),
            (None, [[x, y], [u, v], [s, t]]) => {
                let [r, g, b] = [r, g, b].map(|part| (f64::from(part) * self.brightness(&shape.points)).round() as u8);
                writeln!(
                    out,
                    "<path d=\"M{x:.1} {y:.1}L{u:.1} {v:.1}L{s:.1} {t:.1}Z\" fill=\"#{r:02x}{g:02x}{b:02x}\" \
                     fill-opacity=\"{opacity:.2}\"/>"
                )
            }
            _ => Ok(()),
        };
    }

    /// How bright a face is, by the angle at which it is seen.
    fn brightness(&self, points: &[[f64; 3]]) -> f64 {
        let &[p, q, r] = points else { return 1.0 };
        let facing =
            unit(cross(&minus(&q, &p), &minus(&r, &p))).map_or(1.0, |normal| dot(&normal, &self.axes[2]).abs());
        DIMMEST + (1.0 - DIMMEST) * facing
    }

    fn add(&mut self, points: Vec<[f64; 3]>, text: Option<String>, colour: Colour, is_on_top: bool) {
        if points.iter().flatten().all(|x| x.is_finite()) {
            self.shapes.push(Shape { points, text, colour, is_on_top });
        }
    }
}

impl Draw for Svg {
    fn line(&mut self, from: [f64; 3], to: [f64; 3], colour: Colour) {
        self.add(vec![from, to], None, colour, false);
    }

    fn arrow(&mut self, from: [f64; 3], to: [f64; 3], colour: Colour) {
        self.add(vec![from, to], None, colour, true);
        for wing in tip(from, to) {
            self.add(vec![to, wing], None, colour, true);
        }
    }

    fn triangle(&mut self, corners: [[f64; 3]; 3], colour: Colour) {
        self.add(corners.to_vec(), None, colour, false);
    }

    fn text(&mut self, at: [f64; 3], text: &str, colour: Colour) {
        self.add(vec![at], Some(text.to_owned()), colour, true);
    }
}

/// Text for the body of an element; characters that XML does not allow become spaces.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            _ => escaped.push(character),
        }
    }
    escaped
}

fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    let length = length(&vector);
    (length.is_finite() && length > 0.0).then(|| vector.map(|x| x / length))
}
