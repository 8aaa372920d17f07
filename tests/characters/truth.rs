//! Contacts of a scene by brute force over an evaluation that shares no code with the library: skins by the glTF formulas,
//! caches by their own bytes, triangles by separating axes.

use std::path::Path;

use crate::reference::Reference;

pub(crate) type Point = [f64; 3];

/// Farther apart than this, two triangles are apart; overlapping by more, they touch. Metres. In between the formats' `f32`
/// and the evaluation's roundings decide.
const DOUBT: f64 = 2e-6;

/// Where the corners of a body's triangles are at a time, three of each.
pub(crate) type Corners<'a> = Box<dyn Fn(f64) -> Vec<Point> + 'a>;

/// A node of a model under a clip, `offset` seconds late, scaled, turned about z in quarters, and shifted.
pub(crate) struct Instance<'a> {
    pub(crate) model: &'a Reference,
    pub(crate) node: usize,
    pub(crate) clip: usize,
    pub(crate) offset: f64,
    pub(crate) loops: bool,
    pub(crate) scale: f64,
    pub(crate) shift: Point,
}

impl Instance<'_> {
    pub(crate) fn corners(&self, time: f64) -> Vec<Point> {
        let [first, last] = self.model.span(self.clip);
        let mut own = time - self.offset;
        if self.loops {
            own = first + (own - first).rem_euclid(last - first);
        }
        let snapshot = self.model.snapshot(Some(self.clip), own);
        let place = |point: Point| [0, 1, 2].map(|axis| self.scale * point[axis] + self.shift[axis]);
        self.model.corners(self.node, &snapshot).into_iter().map(place).collect()
    }
}

/// A cache in PC2 over the triangles of an OBJ file, frame k at k / fps seconds, held outside.
pub(crate) struct Cache {
    pub(crate) triangles: Vec<usize>,
    pub(crate) frames: Vec<Vec<Point>>,
    pub(crate) fps: f64,
    pub(crate) scale: f64,
    pub(crate) shift: Point,
}

impl Cache {
    pub(crate) fn read(obj: &Path, pc2: &Path, fps: f64, scale: f64, shift: Point) -> Self {
        let text = std::fs::read_to_string(obj).unwrap();
        let faces = text.lines().filter_map(|line| line.strip_prefix("f "));
        let corner = |word: &str| word.split('/').next().unwrap().parse::<usize>().unwrap() - 1;
        let triangles = faces.flat_map(|face| {
            let corners: Vec<usize> = face.split_whitespace().map(corner).collect();
            (1..corners.len() - 1).flat_map(|at| [corners[0], corners[at], corners[at + 1]]).collect::<Vec<_>>()
        });
        let triangles = triangles.collect();
        let bytes = std::fs::read(pc2).unwrap();
        let whole = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let number = |at: usize| f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()));
        let (points, samples) = (whole(16), whole(28));
        let point = |at: usize| [0, 1, 2].map(|axis| number(32 + 12 * at + 4 * axis));
        let frames = (0..samples).map(|frame| (0..points).map(|p| point(frame * points + p)).collect()).collect();
        Self { triangles, frames, fps, scale, shift }
    }

    pub(crate) fn corners(&self, time: f64) -> Vec<Point> {
        let place = (time * self.fps).clamp(0.0, (self.frames.len() - 1) as f64);
        let frame = (place as usize).min(self.frames.len() - 2);
        let share = place - frame as f64;
        let (before, after) = (&self.frames[frame], &self.frames[frame + 1]);
        let point = |vertex: usize| {
            [0, 1, 2].map(|axis| {
                let between = before[vertex][axis] * (1.0 - share) + after[vertex][axis] * share;
                self.scale * between + self.shift[axis]
            })
        };
        self.triangles.iter().map(|&vertex| point(vertex)).collect()
    }
}

/// Pairs of triangles that touch, and those of which it cannot be said.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) touching: Vec<[u32; 2]>,
    pub(crate) doubtful: Vec<[u32; 2]>,
}

/// All pairs of triangles of two bodies, by their corners. Only pairs whose extents along x meet are compared.
pub(crate) fn touching(a: &[Point], b: &[Point]) -> Found {
    let sorted = |corners: &[Point]| {
        let (triangles, _) = corners.as_chunks::<3>();
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let extents = |(number, triangle)| (axes.map(|axis| extent(triangle, axis)), number);
        let mut sorted: Vec<([(f64, f64); 3], usize)> = triangles.iter().enumerate().map(extents).collect();
        sorted.sort_by(|one, two| one.0[0].0.total_cmp(&two.0[0].0));
        sorted
    };
    let (of_a, of_b) = (sorted(a), sorted(b));
    let widest = of_b.iter().map(|(extents, _)| extents[0].1 - extents[0].0).fold(0.0, f64::max);
    let mut found = Found::default();
    for &(own, p) in &of_a {
        let begin = of_b.partition_point(|other| other.0[0].0 < own[0].0 - widest - DOUBT);
        for &(other, q) in of_b[begin..].iter().take_while(|other| other.0[0].0 <= own[0].1 + DOUBT) {
            if (0..3).any(|axis| other[axis].0 > own[axis].1 + DOUBT || own[axis].0 > other[axis].1 + DOUBT) {
                continue;
            }
            let gap = gap(triangle(a, p), triangle(b, q));
            if gap < -DOUBT {
                found.touching.push([p as u32, q as u32]);
            } else if gap <= DOUBT {
                found.doubtful.push([p as u32, q as u32]);
            }
        }
    }
    found.touching.sort_unstable();
    found.doubtful.sort_unstable();
    found
}

fn triangle(corners: &[Point], number: usize) -> &[Point; 3] {
    &corners.as_chunks::<3>().0[number]
}

fn extent(triangle: &[Point; 3], axis: Point) -> (f64, f64) {
    let along = triangle.map(|p| p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2]);
    (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]))
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The largest gap along any axis that can separate two triangles; negative if none does.
fn gap(a: &[Point; 3], b: &[Point; 3]) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    let mut test = |axis: Point| {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-12 {
            let axis = axis.map(|x| x / length);
            let ((a0, a1), (b0, b1)) = (extent(a, axis), extent(b, axis));
            largest = largest.max(b0 - a1).max(a0 - b1);
        }
        largest <= DOUBT
    };
    let edges = |t: &[Point; 3]| [minus(t[1], t[0]), minus(t[2], t[1]), minus(t[0], t[2])];
    let (of_a, of_b) = (edges(a), edges(b));
    let normals = [cross(of_a[0], of_a[1]), cross(of_b[0], of_b[1])];
    let crossed = of_a.iter().flat_map(|&e| of_b.iter().map(move |&f| cross(e, f)));
    let flat = of_a.iter().map(|&e| cross(normals[0], e)).chain(of_b.iter().map(|&f| cross(normals[1], f)));
    for axis in normals.into_iter().chain(crossed).chain(flat) {
        if !test(axis) {
            break;
        }
    }
    largest
}
