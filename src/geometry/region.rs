//! The part of a surface inside of a body that is connected with given triangles.

use super::depth::{Depth, VertexDepth, depth_of, vertex_depth};
use super::inside_area::area_inside;
use super::pieces::Pieces;
use super::surface::Surface;
use super::vector::{Vector, doubled_area, length};

/// Triangles of a surface around a piece of it inside of a body.
pub(super) struct Region<'a> {
    of: &'a Surface,
    body: &'a Surface,
    /// 0 if `of` is the first surface, 1 if it is the second.
    side: usize,
    triangles: Vec<u32>,
    is_in_region: Vec<bool>,
    vertices: Vec<Status>,
}

#[derive(Clone, Copy)]
enum Status {
    Unknown,
    Outside,
    Inside(VertexDepth),
}

impl<'a> Region<'a> {
    pub(super) fn new(of: &'a Surface, body: &'a Surface, side: usize) -> Self {
        let is_in_region = vec![false; of.fixed.triangles.len()];
        let vertices = vec![Status::Unknown; of.positions.len()];
        Self { of, body, side, triangles: Vec::new(), is_in_region, vertices }
    }

    fn add(&mut self, triangle: u32) {
        if !std::mem::replace(&mut self.is_in_region[triangle as usize], true) {
            self.triangles.push(triangle);
        }
    }

    /// Adds triangles, and as long as a corner of a triangle lies inside the body, all triangles
    /// around that corner.
    pub(super) fn flood(&mut self, triangles: impl IntoIterator<Item = u32>) {
        let mut next = self.triangles.len();
        triangles.into_iter().for_each(|triangle| self.add(triangle));
        let fixed = &self.of.fixed;
        let mut guess = None;
        while next < self.triangles.len() {
            for vertex in fixed.welded[self.triangles[next] as usize] {
                if !matches!(self.vertices[vertex as usize], Status::Unknown) {
                    continue;
                }
                let point = &self.of.positions[vertex as usize];
                if !self.body.encloses(point) {
                    self.vertices[vertex as usize] = Status::Outside;
                    continue;
                }
                let depth = vertex_depth(self.body, point, guess);
                guess = Some(depth.other());
                self.vertices[vertex as usize] = Status::Inside(depth);
                fixed.around.of(vertex).iter().for_each(|&triangle| self.add(triangle));
            }
            next += 1;
        }
    }

    /// Adds the parts of the surface of which no triangle is in the region and which lie inside.
    pub(super) fn add_whole_parts(&mut self) {
        let fixed = &self.of.fixed;
        for part in 0..fixed.is_part_closed.len() as u32 {
            let triangles = fixed.of_part.of(part);
            let is_met = triangles.iter().any(|&triangle| self.is_in_region[triangle as usize]);
            if let (false, Some(&first)) = (is_met, triangles.first())
                && self.body.encloses(&self.of.welded_triangle(first)[0])
            {
                self.flood([first]);
            }
        }
    }

    pub(super) fn depth(&self) -> Depth {
        let known = |vertex: u32| match self.vertices[vertex as usize] {
            Status::Inside(depth) => Some(depth),
            Status::Unknown | Status::Outside => None,
        };
        depth_of(self.of, self.body, &self.triangles, known, self.side)
    }

    /// Area of the parts of the triangles inside of the body, square metres.
    pub(super) fn area(&self, pieces: &Pieces) -> f64 {
        let side = self.side;
        // Segments by triangle; coplanar triangles.
        let mut segments: Vec<(u32, [Vector; 2])> = Vec::new();
        for piece in pieces.segments.iter().filter(|piece| self.body.is_solid(piece.pair[1 - side])) {
            let [begin, end] = piece.ends;
            let ends = if side == 0 { [begin, end] } else { [end, begin] };
            // An edge in the plane of the triangle with the rest of its triangle above: a plane a
            // little lower does not meet it. The triangle itself still counts as cut.
            let ends = if piece.rests_above[1 - side] { [begin, begin] } else { ends };
            segments.push((piece.pair[side], ends));
        }
        segments.sort_by_key(|segment| segment.0);
        let mut coplanar: Vec<u32> = pieces.coplanar.iter().map(|pair| pair[side]).collect();
        coplanar.sort_unstable();
        let mut ends: Vec<[Vector; 2]> = Vec::new();
        let mut sum = 0.0;
        for &triangle in &self.triangles {
            let from = segments.partition_point(|segment| segment.0 < triangle);
            ends.clear();
            ends.extend(segments[from..].iter().take_while(|segment| segment.0 == triangle).map(|segment| segment.1));
            let is_coplanar = coplanar.binary_search(&triangle).is_ok();
            let corners = self.of.triangle(triangle);
            if !ends.is_empty() || is_coplanar {
                sum += area_inside(&corners, &ends, is_coplanar, self.body);
            } else {
                let of_corners = self.of.fixed.welded[triangle as usize];
                let is_inside = |&vertex: &u32| matches!(self.vertices[vertex as usize], Status::Inside(_));
                if of_corners.iter().all(is_inside) {
                    sum += 0.5 * length(&doubled_area(&corners));
                }
            }
        }
        sum
    }
}
