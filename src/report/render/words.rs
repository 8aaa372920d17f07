//! Around the bodies: ground, axes, words and legend.

use super::camera::Camera;
use super::drawing::Line;
use super::font;
use super::frame::{Frame, FrameBody, rounded};
use super::image::Image;
use super::palette::{AXES, INK, KNOWN, body_colour, darker};
use super::view::{corners, subject};
use crate::math::Aabb;

/// Lines of the ground in each direction, about.
const GROUND_LINES: f64 = 10.0;
const GROUND: [u8; 3] = [206, 210, 216];
/// Names in a legend, at most.
const MOST_NAMES: usize = 6;
/// Letters of a name or of a line, at most.
const MOST_LETTERS: usize = 60;

/// A grid on the ground: its lines, and the distance between them, metres.
///
/// The ground is the lowest point of the bodies; the distance is 1, 2 or 5 times a power of ten.
pub(super) fn ground(frame: &Frame, up: usize, pixels: usize) -> Option<(Vec<Line>, f64)> {
    let bounds = Aabb::of_points(&subject(frame, up));
    let lowest = frame.bounds().min[up];
    let others = [(up + 1) % 3, (up + 2) % 3];
    let sides = bounds.sides();
    let size = sides[others[0]].max(sides[others[1]]).max(0.6 * sides[up]);
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let rough = 1.6 * size / GROUND_LINES;
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough * 0.999).unwrap_or(10.0);
    let ends = others.map(|axis| {
        let centre = 0.5 * (bounds.min[axis] + bounds.max[axis]);
        [((centre - 0.8 * size) / step).floor(), ((centre + 0.8 * size) / step).ceil()]
    });
    let mut lines = Vec::new();
    let width = (pixels as f64 / 900.0).max(0.8);
    for (side, other) in [(0, 1), (1, 0)] {
        for number in ends[side][0] as i64..=ends[side][1] as i64 {
            let end = |along: f64| {
                let mut point = [0.0; 3];
                point[up] = lowest;
                point[others[side]] = number as f64 * step;
                point[others[other]] = along * step;
                point
            };
            lines.push(Line { ends: ends[other].map(end), width, colour: GROUND });
        }
    }
    Some((lines, step))
}

/// The twelve edges of every box of a frame, in a dark tone of the body's colour.
pub(super) fn boxes(frame: &Frame, pixels: usize) -> Vec<Line> {
    let width = (pixels as f64 / 650.0).max(1.0);
    let edges = |(body, bounds): &(u32, Aabb)| {
        let corners = corners(bounds);
        let number = *body as usize;
        let own = frame.bodies.get(number).map(|body| body.surface(number));
        let colour = darker(own.unwrap_or_else(|| body_colour(number)));
        let edge = move |(from, axis): (usize, usize)| {
            (from >> axis & 1 == 0).then(|| Line { ends: [corners[from], corners[from | 1 << axis]], width, colour })
        };
        (0..8).flat_map(|from| (0..3).map(move |axis| (from, axis))).filter_map(edge).collect::<Vec<_>>()
    };
    frame.boxes.iter().flat_map(edges).collect()
}

/// Points of letters, in pixels, for a picture.
pub(super) fn scale(image: &Image) -> usize {
    ((image.height().min(image.width()) + 160) / 320).max(1)
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= MOST_LETTERS {
        return text.into();
    }
    text.chars().take(MOST_LETTERS - 2).chain("..".chars()).collect()
}

/// Writes the label into the upper left corner.
pub(super) fn label(image: &mut Image, lines: &[String]) {
    let scale = scale(image);
    let margin = 4 * scale;
    for (number, line) in lines.iter().enumerate() {
        let text = shortened(line);
        // The first line is larger.
        let own = if number == 0 { scale + scale.div_ceil(2) } else { scale };
        let above = if number == 0 { 0 } else { (scale + scale.div_ceil(2)) * font::ADVANCE[1] };
        let top = margin + above + number.saturating_sub(1) * font::ADVANCE[1] * scale;
        plate(image, [margin, top], &text, own);
        font::write(image, &text, [margin, top], own, INK);
    }
}

/// Lightens a rectangle behind a text.
fn plate(image: &mut Image, [left, top]: [usize; 2], text: &str, scale: usize) {
    let size = [font::width(text, scale) + 2 * scale, (font::ASCENT + 3) * scale];
    image.fill([left.saturating_sub(scale), top.saturating_sub(scale)], size, [255; 3], 0.7);
}

/// Writes the meaning of the highlight and names of bodies beside their colours into the lower
/// right corner; of many bodies, those with highlighted triangles.
pub(super) fn legend(image: &mut Image, frame: &Frame, step: Option<f64>) {
    let scale = scale(image);
    let mut named: Vec<_> = frame.bodies.iter().enumerate().filter(|(_, body)| !body.name.is_empty()).collect();
    // Per row a text, and the colours of both halves of its square.
    let mut rows: Vec<(String, Option<[[u8; 3]; 2]>)> = Vec::new();
    let has_new =
        |body: &FrameBody| body.marks().into_iter().zip(body.known_marks()).any(|marks| marks == (true, false));
    let marks = frame.bodies.iter().enumerate().filter(|(_, body)| has_new(body));
    let marks: Vec<[u8; 3]> = marks.map(|(number, body)| body.mark(number)).collect();
    if let Some(&first) = marks.first() {
        let other = marks.iter().copied().find(|&mark| mark != first);
        rows.push(("touching".into(), Some([first, other.unwrap_or(first)])));
    }
    if frame.bodies.iter().any(|body| body.known_marks().contains(&true)) {
        rows.push(("touching, in the baseline".into(), Some([KNOWN; 2])));
    }
    let more = named.len().saturating_sub(MOST_NAMES);
    if more > 0 {
        named.sort_by_key(|(_, body)| body.highlighted.is_empty());
        named.truncate(MOST_NAMES);
    }
    let row = |(number, body): (usize, &FrameBody)| (shortened(&body.name), Some([body.surface(number); 2]));
    rows.extend(named.into_iter().map(row));
    if more > 0 {
        rows.push((format!("and {more} more"), None));
    }
    if let Some(step) = step {
        rows.push((format!("grid {} m", rounded(step, 6)), Some([GROUND; 2])));
    }
    let line = font::ADVANCE[1] * scale;
    let swatch = 7 * scale;
    let width = rows.iter().map(|(text, _)| font::width(text, scale)).max().unwrap_or(0);
    let left = image.width().saturating_sub(width + swatch + 6 * scale);
    let mut top = image.height().saturating_sub(rows.len() * line + 2 * scale);
    image.fill(
        [left.saturating_sub(2 * scale), top.saturating_sub(2 * scale)],
        [image.width(), image.height()],
        [255; 3],
        0.6,
    );
    for (text, colours) in rows {
        font::write(image, &text, [left + swatch + 3 * scale, top], scale, INK);
        if let Some([one, other]) = colours {
            image.fill([left, top], [swatch; 2], one, 1.0);
            image.fill([left + swatch / 2, top], [swatch - swatch / 2, swatch], other, 1.0);
            image.outline([left, top], [swatch; 2], (scale / 2).max(1), darker(one));
        }
        top += line;
    }
}

/// Draws the directions of the scene's axes into the lower left corner.
pub(super) fn axes(image: &mut Image, camera: &Camera) {
    let scale = scale(image);
    let length = 17.0 * scale as f64;
    let middle = [24.0 * scale as f64, image.height() as f64 - 24.0 * scale as f64];
    let mut order = [0, 1, 2];
    // The axis that leads away is drawn first.
    order.sort_by(|&a, &b| camera.axes[(2, b)].total_cmp(&camera.axes[(2, a)]));
    for axis in order {
        let [x, y] = [camera.axes[(0, axis)], camera.axes[(1, axis)]];
        stroke(image, middle, [middle[0] + x * length, middle[1] + y * length], 0.8 * scale as f64, AXES[axis]);
        let letter = [0, 1].map(|i| middle[i] + [x, y][i] * (length + 5.0 * scale as f64));
        let at = [letter[0] - 2.5 * scale as f64, letter[1] - 3.5 * scale as f64].map(|c| c.max(0.0) as usize);
        font::write(image, ["x", "y", "z"][axis], at, scale, AXES[axis]);
    }
}

/// Draws a straight line with round ends; `half` is half its width, pixels.
pub(super) fn stroke(image: &mut Image, from: [f64; 2], to: [f64; 2], half: f64, colour: [u8; 3]) {
    let along = [to[0] - from[0], to[1] - from[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let span = |axis: usize, limit: usize| {
        let [low, high] = [from[axis].min(to[axis]) - half - 1.0, from[axis].max(to[axis]) + half + 1.0];
        (low.max(0.0) as usize)..(high.max(0.0) as usize + 1).min(limit)
    };
    for y in span(1, image.height()) {
        for x in span(0, image.width()) {
            let off = [x as f64 + 0.5 - from[0], y as f64 + 0.5 - from[1]];
            let share =
                if square > 0.0 { ((off[0] * along[0] + off[1] * along[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
            let distance = libm::hypot(off[0] - share * along[0], off[1] - share * along[1]);
            let covered = (half + 0.5 - distance).clamp(0.0, 1.0);
            if covered > 0.0 {
                image.mix(x, y, colour, covered as f32);
            }
        }
    }
}
