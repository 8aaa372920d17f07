//! The area that a crossing curve cuts off from a surface without an inside.
//!
//! The curve divides a surface if its vertices can be given two colours such that the ends of a
//! mesh edge differ exactly if the curve crosses the edge an odd number of times. That is decided
//! for all edges by a union-find structure that keeps the colour relative to the root. A curve that
//! ends inside the surface divides nothing.

use super::crossing::Site;
use super::pieces::Pieces;
use super::surface::Surface;
use crate::math::vector::{doubled_area, length};
use crate::sets::Colours;

/// Returns the area that the crossing curve cuts off from a surface, square metres: of each
/// connected part that it crosses, the smaller one of both sides. Triangles on the curve count by
/// thirds. `None` if the curve does not divide its vertices, or passes through a vertex or along an
/// edge. `sides` are those of the surface: one of 0 and 1, or both for a surface with itself.
///
/// O(n), nearly; O(segments · log segments) where the curve ends inside a triangle.
pub(super) fn area_cut_off(surface: &Surface, pieces: &Pieces, sides: &[usize]) -> Option<f64> {
    // Crossed edges of triangles, one entry for each crossing.
    let mut crossed: Vec<(u32, u8)> = Vec::new();
    let mut triangles: Vec<u32> = Vec::new();
    for piece in pieces.segments.iter().filter(|piece| !piece.is_flat) {
        for &side in sides {
            if piece.is_along_edge[side] {
                return None;
            }
            // Of the two triangles around an edge in the plane, the one below tells.
            if piece.rests_above[1 - side] {
                continue;
            }
            triangles.push(piece.pair[side]);
            for sites in piece.sites {
                match sites[side] {
                    Site::Vertex(_) => return None,
                    Site::Edge(edge) => crossed.push((piece.pair[side], edge)),
                    Site::Face => {}
                }
            }
        }
    }
    crossed.sort_unstable();
    triangles.sort_unstable();
    triangles.dedup();
    if triangles.is_empty() {
        return None;
    }
    // Where the curve ends inside a triangle, the colours of its corners contradict each other:
    // most curves that divide nothing are found here, without a pass over the surface.
    let ends_inside = |triangle: u32| (0..3).map(|edge| count_of(&crossed, (triangle, edge))).sum::<usize>() % 2 == 1;
    if triangles.iter().any(|&triangle| ends_inside(triangle)) {
        return None;
    }
    let fixed = &surface.fixed;
    let mut colours = Colours::new(surface.positions.len());
    for &triangle in fixed.topology().order() {
        let corners = fixed.welded[triangle as usize];
        let is_crossed = triangles.binary_search(&triangle).is_ok();
        for edge in 0..3 {
            let count = if is_crossed { count_of(&crossed, (triangle, edge as u8)) } else { 0 };
            if !colours.join(corners[edge], corners[(edge + 1) % 3], count % 2 == 1) {
                return None;
            }
        }
    }
    let mut roots: Vec<(u32, [f64; 2])> = Vec::new();
    for &triangle in &triangles {
        let root = colours.find(fixed.welded[triangle as usize][0]).0;
        roots.push((root, [0.0; 2]));
    }
    roots.sort_by_key(|root| root.0);
    roots.dedup_by_key(|root| root.0);
    for &triangle in fixed.topology().order() {
        let corners = fixed.welded[triangle as usize].map(|vertex| colours.find(vertex));
        if let Ok(place) = roots.binary_search_by_key(&corners[0].0, |root| root.0) {
            let third = length(&doubled_area(&surface.triangle(triangle))) / 6.0;
            corners.iter().for_each(|&(_, colour)| roots[place].1[usize::from(colour)] += third);
        }
    }
    // Where all vertices are on one side, as of a slit in a large triangle, thirds tell nothing.
    let area: f64 = roots.iter().map(|(_, [first, second])| first.min(*second)).sum();
    (area > 0.0).then_some(area)
}

fn count_of(crossed: &[(u32, u8)], wanted: (u32, u8)) -> usize {
    let from = crossed.partition_point(|entry| *entry < wanted);
    crossed[from..].iter().take_while(|entry| **entry == wanted).count()
}
