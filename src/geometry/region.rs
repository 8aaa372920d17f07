//! The part of a surface inside of a body that is connected with given triangles.

use super::depth::{Aim, Depth, VertexDepth, depth_of, vertex_depth};
use super::inside_area::area_inside;
use super::pieces::Pieces;
use super::resting::{STEP, Touch, is_outside};
use super::surface::Surface;
use crate::math::vector::{Vector, doubled_area, largest, length};

/// Triangles of a surface around a piece of it inside of a body.
pub(super) struct Region<'a> {
    of: &'a Surface,
    body: &'a Surface,
    /// 0 if `of` is the first surface, 1 if it is the second.
    side: usize,
    aim: Aim,
    triangles: Vec<u32>,
    /// Whether each triangle of the surface is in `triangles`.
    is_listed: Vec<bool>,
    /// Per welded vertex: [`UNKNOWN`], [`OUTSIDE`], or the place of its depth plus [`INSIDE`].
    vertices: Vec<u32>,
    depths: Vec<VertexDepth>,
}

const UNKNOWN: u32 = 0;
const OUTSIDE: u32 = 1;
const INSIDE: u32 = 2;

impl<'a> Region<'a> {
    pub(super) fn new(of: &'a Surface, body: &'a Surface, side: usize, aim: Aim) -> Self {
        let is_listed = vec![false; of.fixed.triangles.len()];
        let vertices = vec![UNKNOWN; of.positions.len()];
        Self { of, body, side, aim, triangles: Vec::new(), is_listed, vertices, depths: Vec::new() }
    }

    fn add(&mut self, triangle: u32) {
        if !std::mem::replace(&mut self.is_listed[triangle as usize], true) {
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
                if self.vertices[vertex as usize] != UNKNOWN {
                    continue;
                }
                let point = &self.of.positions[vertex as usize];
                if !self.body.encloses(point) {
                    self.vertices[vertex as usize] = OUTSIDE;
                    continue;
                }
                let depth = vertex_depth(self.body, point, guess, self.aim.floor);
                guess = Some(depth.other());
                self.vertices[vertex as usize] = INSIDE + self.depths.len() as u32;
                self.depths.push(depth);
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
            let is_met = triangles.iter().any(|&triangle| self.is_listed[triangle as usize]);
            if let (false, Some(&first)) = (is_met, triangles.first())
                && self.body.encloses(&self.of.welded_triangle(first)[0])
            {
                self.flood([first]);
            }
        }
    }

    /// Whether a touching pair is of a closed part of the body, or a vertex lies inside one.
    pub(super) fn meets_closed_parts(&self, pieces: &Pieces) -> bool {
        let is_solid = |pair: &[u32; 2]| self.body.is_solid(pair[1 - self.side]);
        !self.depths.is_empty() || pieces.touching.iter().any(is_solid)
    }

    /// Depth of the triangles in the body. Those that only rest on it need no search.
    pub(super) fn depth(&self, pieces: &Pieces) -> Depth {
        let side = self.side;
        let mut touches: Vec<(u32, &Touch)> = pieces
            .touching
            .iter()
            .zip(&pieces.touches)
            .filter(|(pair, _)| self.body.is_solid(pair[1 - side]))
            .map(|(pair, touches)| (pair[side], &touches[side]))
            .collect();
        touches.sort_by_key(|touch| touch.0);
        let known = |vertex: u32| {
            let place = self.vertices[vertex as usize].checked_sub(INSIDE)?;
            Some(self.depths[place as usize])
        };
        // With pairs that were not listed, a triangle may enter the body elsewhere.
        let size = largest(&[self.of.bounds().min, self.of.bounds().max]);
        let enters = |vertex: &u32| known(*vertex).is_some_and(|known| known.depth() > STEP * size);
        let rests = |triangle: u32| {
            let from = touches.partition_point(|touch| touch.0 < triangle);
            let own = touches[from..].iter().take_while(|touch| touch.0 == triangle).map(|touch| touch.1);
            !self.of.fixed.welded[triangle as usize].iter().any(enters) && is_outside(self.of, triangle, self.body, own)
        };
        let searched: Vec<u32> = self.triangles.iter().copied().filter(|&triangle| !rests(triangle)).collect();
        depth_of(self.of, self.body, &searched, known, side, self.aim)
    }

    /// Area of the parts of the triangles inside of the body, square metres.
    pub(super) fn area(&self, pieces: &Pieces) -> f64 {
        let side = self.side;
        // Segments by triangle; coplanar triangles.
        let mut segments: Vec<(u32, [Vector; 2])> = Vec::new();
        let is_solid = |triangle: u32| self.body.is_solid(triangle);
        for piece in pieces.segments.iter().filter(|piece| !piece.is_flat && is_solid(piece.pair[1 - side])) {
            let [begin, end] = piece.ends;
            let ends = if side == 0 { [begin, end] } else { [end, begin] };
            // An edge in the plane of the triangle with the rest of its triangle above: a plane a
            // little lower does not meet it.
            if !piece.rests_above[1 - side] {
                segments.push((piece.pair[side], ends));
            }
        }
        segments.sort_by_key(|segment| segment.0);
        let mut coplanar: Vec<u32> = pieces.coplanar.iter().map(|pair| pair[side]).collect();
        coplanar.sort_unstable();
        let mut touching: Vec<u32> = pieces.touching.iter().map(|pair| pair[side]).collect();
        touching.sort_unstable();
        let mut ends: Vec<[Vector; 2]> = Vec::new();
        let mut sum = 0.0;
        for &triangle in &self.triangles {
            let from = segments.partition_point(|segment| segment.0 < triangle);
            ends.clear();
            ends.extend(segments[from..].iter().take_while(|segment| segment.0 == triangle).map(|segment| segment.1));
            let is_coplanar = coplanar.binary_search(&triangle).is_ok();
            let corners = self.of.triangle(triangle);
            // Corners of triangles that touch the body may lie on it: an inner point decides.
            if touching.binary_search(&triangle).is_ok() {
                sum += area_inside(&corners, &ends, is_coplanar, self.body);
            } else {
                let of_corners = self.of.fixed.welded[triangle as usize];
                let is_inside = |&vertex: &u32| self.vertices[vertex as usize] >= INSIDE;
                if of_corners.iter().all(is_inside) {
                    sum += 0.5 * length(&doubled_area(&corners));
                }
            }
        }
        sum
    }
}
