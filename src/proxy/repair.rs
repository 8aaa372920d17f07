//! Checks that a mesh is a closed surface that faces outwards; repairs it on request, if possible.
//!
//! Steps, in this order: vertices at equal positions count as one point; triangles that name a
//! point twice or repeat another are dropped, as are both sides of walls between two closed parts;
//! triangles are flipped until neighbours agree; boundary loops are filled; parts that face inwards
//! and are not cavities are flipped. Cost: O(triangles log triangles), plus the loops and, if parts
//! face inwards, O(triangles log² triangles) and comparisons of boxes that overlap along x.

use std::collections::BTreeMap;
use std::fmt;

use nalgebra::Vector3;

use super::error::ProxyError;
use super::holes;
use super::solid::Faults;
use super::surface::Surface;
use crate::limits;
use crate::math::Aabb;
use crate::mesh::weld;
use crate::sets::DisjointSets;

/// One repair of a mesh: a warning for the mesh's author.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Repair {
    /// Triangles that named one point of the surface twice were dropped.
    DroppedDegenerate {
        /// Their numbers in the given mesh.
        triangles: Vec<u32>,
    },
    /// Triangles with the corners of an earlier one were dropped.
    DroppedRepeated {
        /// Their numbers in the given mesh.
        triangles: Vec<u32>,
    },
    /// Both sides of walls between closed parts were dropped: the parts are one, in every pose.
    /// A pose in which they move apart has a gap there.
    DroppedWalls {
        /// Their numbers in the given mesh.
        triangles: Vec<u32>,
    },
    /// Triangles that disagreed with their neighbours were flipped.
    Turned {
        /// Their numbers in the given mesh.
        triangles: Vec<u32>,
    },
    /// A boundary loop was filled.
    FilledLoop {
        /// Its vertices, in the order of the new triangles.
        loop_vertices: Vec<u32>,
        /// Area of the new triangles, square metres.
        area: f64,
    },
    /// A connected part that faced inwards was flipped.
    TurnedPart {
        /// Its first triangle in the given mesh.
        triangle: u32,
        /// Its number of triangles, those that fill its holes included.
        triangles: usize,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DroppedDegenerate { triangles } => {
                write!(f, "dropped {} triangles that named a point twice, first {}", triangles.len(), triangles[0])
            }
            Self::DroppedRepeated { triangles } => {
                write!(f, "dropped {} triangles that repeated others, first {}", triangles.len(), triangles[0])
            }
            Self::DroppedWalls { triangles } => {
                write!(f, "dropped {} triangles of walls between parts, first {}", triangles.len(), triangles[0])
            }
            Self::Turned { triangles } => {
                write!(f, "turned {} triangles to agree with their neighbours, first {}", triangles.len(), triangles[0])
            }
            Self::FilledLoop { loop_vertices, area } => write!(
                f,
                "filled a loop of {} sides at vertex {} with {area} m²",
                loop_vertices.len(),
                loop_vertices[0]
            ),
            Self::TurnedPart { triangle, triangles } => {
                write!(f, "turned the part of triangle {triangle} ({triangles} triangles), which faced inwards")
            }
        }
    }
}

/// A triangle during the repair.
#[derive(Clone, Copy, Debug)]
struct Facet {
    /// Its number in the given mesh; `u32::MAX` for triangles that fill holes.
    number: u32,
    corners: [u32; 3],
}

/// Returns the triangles of the closed surface, and the repairs.
pub(super) fn close(
    source: &[[u32; 3]],
    positions: &[Vector3<f64>],
    faults: Faults,
) -> Result<(Vec<[u32; 3]>, Vec<Repair>), ProxyError> {
    let longest_loop = match faults {
        Faults::Refuse => None,
        Faults::Repair { longest_loop } => Some(longest_loop),
    };
    let is_repairing = longest_loop.is_some();
    let welded = weld(positions.len(), |vertex| positions[vertex].into());
    let mut repairs = Vec::new();
    let mut facets = drop_useless(source, &welded, is_repairing, &mut repairs)?;
    if facets.is_empty() {
        return Err(ProxyError::NoVolume);
    }
    agree(&mut facets, &welded, is_repairing, &mut repairs)?;
    fill(&mut facets, &welded, positions, longest_loop, &mut repairs)?;
    face_outwards(&mut facets, &welded, positions, is_repairing, &mut repairs)?;
    Ok((facets.into_iter().map(|facet| facet.corners).collect(), repairs))
}

fn drop_useless(
    source: &[[u32; 3]],
    welded: &[u32],
    is_repairing: bool,
    repairs: &mut Vec<Repair>,
) -> Result<Vec<Facet>, ProxyError> {
    let (mut degenerate, mut repeated) = (Vec::new(), Vec::new());
    // Per three points, the first facet with them.
    let mut known: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let mut facets: Vec<Facet> = Vec::with_capacity(source.len());
    for (number, corners) in source.iter().enumerate() {
        let mut points = corners.map(|corner| welded[corner as usize]);
        points.sort_unstable();
        let number = number as u32;
        if points[0] == points[1] || points[1] == points[2] {
            if !is_repairing {
                return Err(ProxyError::DegenerateTriangle { triangle: number as usize });
            }
            degenerate.push(number);
        } else if let Some(&of) = known.get(&points) {
            if !is_repairing {
                let of = facets[of as usize].number as usize;
                return Err(ProxyError::RepeatedTriangle { triangle: number as usize, of });
            }
            repeated.push((of, number));
        } else {
            known.insert(points, facets.len() as u32);
            facets.push(Facet { number, corners: *corners });
        }
    }
    if !degenerate.is_empty() {
        repairs.push(Repair::DroppedDegenerate { triangles: degenerate });
    }
    if repeated.is_empty() {
        return Ok(facets);
    }
    let is_wall = walls(&facets, welded, &repeated);
    let (walls, repeated): (Vec<_>, Vec<_>) = repeated.into_iter().partition(|&(of, _)| is_wall[of as usize]);
    if !repeated.is_empty() {
        repairs.push(Repair::DroppedRepeated { triangles: repeated.into_iter().map(|(_, number)| number).collect() });
    }
    if !walls.is_empty() {
        let mut triangles: Vec<u32> =
            walls.iter().flat_map(|&(of, number)| [facets[of as usize].number, number]).collect();
        triangles.sort_unstable();
        repairs.push(Repair::DroppedWalls { triangles });
    }
    let facets = facets.into_iter().zip(is_wall).filter(|&(_, is_wall)| !is_wall).map(|(facet, _)| facet);
    Ok(facets.collect())
}

/// Which facets belong to a wall between two closed parts: a patch of facets that are given twice,
/// with two other facets at an edge of its border. Without the patch, these two are neighbours on
/// one surface. At the border of a surface that is given twice in part there is one other facet,
/// and one given twice as a whole has no border: one copy of it is needed.
fn walls(facets: &[Facet], welded: &[u32], repeated: &[(u32, u32)]) -> Vec<bool> {
    let mut copies = vec![1; facets.len()];
    repeated.iter().for_each(|&(of, _)| copies[of as usize] += 1);
    let sides = sides(facets, welded);
    let groups = || sides.chunk_by(|a, b| a.0 == b.0);
    // Patches are connected by common edges of facets that are given twice; of a patch, its first
    // facet is marked.
    let mut patches = DisjointSets::new(facets.len());
    let mut is_wall = vec![false; facets.len()];
    for group in groups() {
        let mut twice = group.iter().filter(|side| copies[side.1 as usize] == 2).map(|side| side.1);
        if let Some(first) = twice.next() {
            twice.for_each(|other| patches.join(first, other));
        }
    }
    for group in groups() {
        let twice = group.iter().find(|side| copies[side.1 as usize] == 2);
        let others = group.iter().filter(|side| copies[side.1 as usize] != 2).count();
        if let Some(&(_, facet, _)) = twice
            && others == 2
        {
            is_wall[patches.root(facet) as usize] = true;
        }
    }
    (0..facets.len() as u32).map(|facet| is_wall[patches.root(facet) as usize]).collect()
}

/// A side of a facet: its edge (lower point first), the facet, and whether it runs from the lower
/// to the higher point.
type Side = ([u32; 2], u32, bool);

/// All sides, edge by edge.
fn sides(facets: &[Facet], welded: &[u32]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * facets.len());
    for (index, facet) in facets.iter().enumerate() {
        for i in 0..3 {
            let [p, q] = [i, (i + 1) % 3].map(|corner| welded[facet.corners[corner] as usize]);
            sides.push(([p.min(q), p.max(q)], index as u32, p < q));
        }
    }
    sides.sort_unstable();
    sides
}

/// Flips facets until the two at every edge with two agree.
fn agree(
    facets: &mut [Facet],
    welded: &[u32],
    is_repairing: bool,
    repairs: &mut Vec<Repair>,
) -> Result<(), ProxyError> {
    let sides = sides(facets, welded);
    // Per facet, the facet across each edge shared by two, and whether their orientations agree.
    let mut across: Vec<Vec<(u32, bool)>> = vec![Vec::new(); facets.len()];
    let (mut disagreeing, mut first) = (0, [0; 2]);
    for group in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(edge, s, forwards), (_, t, also)] = *group {
            across[s as usize].push((t, forwards != also));
            across[t as usize].push((s, forwards != also));
            if forwards == also {
                if disagreeing == 0 {
                    first = edge;
                }
                disagreeing += 1;
            }
        }
    }
    if disagreeing == 0 {
        return Ok(());
    }
    if !is_repairing {
        return Err(ProxyError::Misoriented { edges: disagreeing, first });
    }
    let mut is_turned: Vec<Option<bool>> = vec![None; facets.len()];
    let mut turned = Vec::new();
    for start in 0..facets.len() {
        if is_turned[start].is_some() {
            continue;
        }
        is_turned[start] = Some(false);
        let mut part = vec![start];
        let mut next = 0;
        while let Some(&facet) = part.get(next) {
            next += 1;
            let own = is_turned[facet] == Some(true);
            for &(other, is_agreeing) in &across[facet] {
                let wanted = own == is_agreeing;
                match is_turned[other as usize] {
                    None => {
                        is_turned[other as usize] = Some(wanted);
                        part.push(other as usize);
                    }
                    Some(found) if found != wanted => {
                        return Err(ProxyError::NotOrientable { triangle: facets[start].number as usize });
                    }
                    Some(_) => {}
                }
            }
        }
        // Flip the minority.
        let count = part.iter().filter(|&&facet| is_turned[facet] == Some(true)).count();
        let minority = 2 * count <= part.len();
        turned.extend(part.into_iter().filter(|&facet| is_turned[facet] == Some(minority)));
    }
    turned.sort_unstable();
    turned.iter().for_each(|&facet| facets[facet].corners.swap(1, 2));
    repairs.push(Repair::Turned { triangles: turned.into_iter().map(|facet| facets[facet].number).collect() });
    Ok(())
}

/// Fills boundary loops; afterwards every edge is balanced.
fn fill(
    facets: &mut Vec<Facet>,
    welded: &[u32],
    positions: &[Vector3<f64>],
    longest_loop: Option<usize>,
    repairs: &mut Vec<Repair>,
) -> Result<(), ProxyError> {
    // Per unbalanced edge, the missing side: from point to point.
    let mut missing = Vec::new();
    for group in sides(facets, welded).chunk_by(|a, b| a.0 == b.0) {
        let forwards = group.iter().filter(|(_, _, forwards)| *forwards).count();
        let backwards = group.len() - forwards;
        let [low, high] = group[0].0;
        match (forwards, backwards) {
            (1, 0) => missing.push([high, low]),
            (0, 1) => missing.push([low, high]),
            _ if forwards == backwards => {}
            _ => return Err(ProxyError::NotManifold { edge: [low, high], triangles: group.len() }),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let Some(longest) = longest_loop else {
        let [p, q] = missing[0];
        return Err(ProxyError::Open { edges: missing.len(), first: [p.min(q), p.max(q)] });
    };
    for points in holes::loops(&missing, longest)? {
        let corners = holes::fill(&points, positions);
        let area = corners.iter().map(|corners| holes::area(corners, positions)).sum();
        facets.extend(corners.into_iter().map(|corners| Facet { number: u32::MAX, corners }));
        repairs.push(Repair::FilledLoop { loop_vertices: points, area });
    }
    Ok(())
}

/// Flips connected parts of negative volume that are not cavities.
fn face_outwards(
    facets: &mut [Facet],
    welded: &[u32],
    positions: &[Vector3<f64>],
    is_repairing: bool,
    repairs: &mut Vec<Repair>,
) -> Result<(), ProxyError> {
    let parts = parts(facets, welded);
    let volumes: Vec<f64> = parts.iter().map(|part| volume(facets, part, positions)).collect();
    let is_cavity = cavities(&parts, &volumes, facets, positions);
    for ((part, &volume), is_cavity) in parts.iter().zip(&volumes).zip(is_cavity) {
        if volume >= 0.0 || is_cavity {
            continue;
        }
        let triangle = facets[part[0] as usize].number;
        if !is_repairing {
            return Err(ProxyError::InsideOut { triangle: triangle as usize, volume });
        }
        part.iter().for_each(|&facet| facets[facet as usize].corners.swap(1, 2));
        repairs.push(Repair::TurnedPart { triangle, triangles: part.len() });
    }
    let total: f64 = parts.iter().map(|part| self::volume(facets, part, positions)).sum();
    if total > 0.0 { Ok(()) } else { Err(ProxyError::NoVolume) }
}

/// The facets of each part connected by common edges, ascending.
fn parts(facets: &[Facet], welded: &[u32]) -> Vec<Vec<u32>> {
    let mut sets = DisjointSets::new(facets.len());
    for group in sides(facets, welded).chunk_by(|a, b| a.0 == b.0) {
        group.iter().for_each(|side| sets.join(group[0].1, side.1));
    }
    sets.into_lists()
}

/// Signed volume of a part, cubic metres.
fn volume(facets: &[Facet], part: &[u32], positions: &[Vector3<f64>]) -> f64 {
    // Relative to a point of the part, so that bodies far from the origin lose no digits.
    let origin = positions[facets[part[0] as usize].corners[0] as usize];
    part.iter()
        .map(|&facet| {
            let [a, b, c] = facets[facet as usize].corners.map(|corner| positions[corner as usize] - origin);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}

/// Which parts of negative volume are cavities: all their points are inside one other part, which
/// may have either orientation. A part that crosses the other or has points on it is none.
fn cavities(parts: &[Vec<u32>], volumes: &[f64], facets: &[Facet], positions: &[Vector3<f64>]) -> Vec<bool> {
    let mut is_cavity = vec![false; parts.len()];
    if volumes.iter().all(|volume| *volume >= 0.0) {
        return is_cavity;
    }
    let triangles = |part: usize| parts[part].iter().map(|&facet| facets[facet as usize].corners);
    let points: Vec<Vec<Vector3<f64>>> = (0..parts.len())
        .map(|part| {
            let mut vertices: Vec<u32> = triangles(part).flatten().collect();
            vertices.sort_unstable();
            vertices.dedup();
            vertices.into_iter().map(|vertex| positions[vertex as usize]).collect()
        })
        .collect();
    let boxes: Vec<Aabb> = points
        .iter()
        .map(|points| {
            let mut bounds = Aabb::EMPTY;
            points.iter().for_each(|&point| bounds.include(&point.into()));
            bounds
        })
        .collect();
    let surrounds = |a: &Aabb, b: &Aabb| (0..3).all(|axis| a.min[axis] < b.min[axis] && b.max[axis] < a.max[axis]);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| boxes[a].min[0].total_cmp(&boxes[b].min[0]));
    let mut surfaces: Vec<Option<Surface>> = vec![None; parts.len()];
    // Parts that begin before the current one along x, and end after its begin.
    let mut around: Vec<usize> = Vec::new();
    for part in order {
        around.retain(|&other| boxes[other].max[0] > boxes[part].min[0]);
        is_cavity[part] = volumes[part] < 0.0
            && around.iter().any(|&other| {
                surrounds(&boxes[other], &boxes[part]) && {
                    let surface = surfaces[other]
                        .get_or_insert_with(|| Surface::new(positions, &triangles(other).collect::<Vec<_>>()));
                    points[part].iter().all(|point| {
                        surface.winding_number(point).abs() > limits::INSIDE_WINDING
                            && surface.nearest(point).distance > 0.0
                    })
                }
            });
        around.push(part);
    }
    is_cavity
}
