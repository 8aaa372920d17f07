//! Neighbourhoods: triangles around vertices and across edges.

use super::{Element, Lists, Mesh};

/// Neighbourhoods of a mesh.
#[derive(Clone, Debug)]
pub struct Adjacency {
    vertex_triangles: Lists,
    /// Per triangle, its neighbour across the edge from corner i to corner i + 1, or `u32::MAX`.
    across: Vec<[u32; 3]>,
    boundary_edges: usize,
    non_manifold_edges: usize,
}

impl Adjacency {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let used = || mesh.triangles.iter().enumerate().filter(|&(triangle, _)| mesh.has_triangle(triangle as u32));
        let corners = used().flat_map(|(triangle, corners)| {
            // A triangle that repeats a corner is listed once per distinct vertex.
            (0..3).filter(move |&i| !corners[..i].contains(&corners[i])).map(move |i| (corners[i], triangle as u32))
        });
        let vertex_triangles = Lists::gather(mesh.vertex_count, corners);
        let mut edges: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * mesh.triangles.len());
        for (triangle, corners) in used().filter(|(_, corners)| matches!(Element::of(**corners), Element::Triangle(_)))
        {
            for side in 0..3 {
                let (p, q) = (corners[side], corners[(side + 1) % 3]);
                edges.push(([p.min(q), p.max(q)], triangle as u32, side as u8));
            }
        }
        edges.sort_unstable();
        let mut across = vec![[u32::MAX; 3]; mesh.triangles.len()];
        let (mut boundary_edges, mut non_manifold_edges) = (0, 0);
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            match *group {
                [_] => boundary_edges += 1,
                [(_, s, i), (_, t, j)] => {
                    across[s as usize][i as usize] = t;
                    across[t as usize][j as usize] = s;
                }
                _ => non_manifold_edges += 1,
            }
        }
        Self { vertex_triangles, across, boundary_edges, non_manifold_edges }
    }

    /// Triangles with `vertex` as a corner, ascending; none of a vertex that does not exist.
    pub fn triangles_around(&self, vertex: u32) -> &[u32] {
        self.vertex_triangles.of(vertex)
    }

    /// The one other triangle at side `side` (from corner `side` to the next), unless the edge is a
    /// border or shared by more than two triangles, or there is no such triangle or side.
    pub fn neighbour(&self, triangle: u32, side: usize) -> Option<u32> {
        let other = *self.across.get(triangle as usize)?.get(side)?;
        (other != u32::MAX).then_some(other)
    }

    /// Edges with one triangle.
    pub fn boundary_edges(&self) -> usize {
        self.boundary_edges
    }

    /// Edges with more than two triangles.
    pub fn non_manifold_edges(&self) -> usize {
        self.non_manifold_edges
    }
}
