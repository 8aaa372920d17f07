//! Triangle meshes to move about.

use super::dice::{Dice, Grain};

/// Positions and triangles.
pub type Shape = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// Triangles over vertices of their own.
pub fn soup_triangles(count: usize) -> Vec<[u32; 3]> {
    (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()
}

/// A sheet of `width` × `depth` squares in the plane z = 0, each cut in two, corner at the origin, squares of one metre.
pub fn sheet(width: usize, depth: usize) -> Shape {
    let vertex = |x: usize, y: usize| (y * (width + 1) + x) as u32;
    let positions = (0..=depth).flat_map(|y| (0..=width).map(move |x| [x as f32, y as f32, 0.0])).collect();
    let mut triangles = Vec::new();
    for y in 0..depth {
        for x in 0..width {
            let [p, q, r, s] = [vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1)];
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    (positions, triangles)
}

/// A closed box from `low` to `high`, twelve triangles.
pub fn cuboid(low: [f32; 3], high: [f32; 3]) -> Shape {
    let positions = (0..8u32)
        .map(|corner| std::array::from_fn(|axis| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] }))
        .collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect();
    (positions, triangles)
}

/// A sphere of 8 × 4^`level` triangles by subdivision of an octahedron; square roots only, no trigonometry.
pub fn sphere(centre: [f32; 3], radius: f32, level: usize) -> Shape {
    let mut points: Vec<[f64; 3]> =
        vec![[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..level {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let mut middle = |p: u32, q: u32| {
                *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                    let sum: [f64; 3] = std::array::from_fn(|i| points[p as usize][i] + points[q as usize][i]);
                    let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
                    points.push(sum.map(|x| x / length));
                    points.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let place = |p: &[f64; 3]| std::array::from_fn(|i| (f64::from(centre[i]) + f64::from(radius) * p[i]) as f32);
    (points.iter().map(place).collect(), triangles)
}

/// One triangle.
pub fn single(corners: [[f32; 3]; 3]) -> Shape {
    (corners.to_vec(), vec![[0, 1, 2]])
}

/// A random shape of at most `most` triangles: a soup, a sheet, or a tangle of triangles over few vertices (edges with
/// many triangles, repeated corners, vertices without triangles).
pub fn random_shape(dice: &mut Dice, most: usize, grain: Grain) -> Shape {
    let count = 1 + dice.below(most);
    let coordinate = |dice: &mut Dice, range: i32| grain.coordinate(dice, range);
    match dice.below(3) {
        0 => {
            let mut positions = Vec::new();
            for _ in 0..count {
                let centre: [f32; 3] = std::array::from_fn(|_| coordinate(dice, 3));
                positions.extend((0..3).map(|_| centre.map(|x| x + coordinate(dice, 1))));
            }
            (positions, soup_triangles(count))
        }
        1 => {
            let depth = 1 + dice.below(6);
            let (mut positions, mut triangles) = sheet(count.div_ceil(2 * depth), depth);
            triangles.truncate(count);
            let (axis, shift) = (dice.below(3), coordinate(dice, 2));
            let size = match grain {
                Grain::Real => dice.real(0.2, 1.0) as f32,
                Grain::Lattice => 1.0,
                Grain::Crooked => 0.1,
            };
            for position in &mut positions {
                position[2] = if dice.percent(30) { coordinate(dice, 1) } else { 0.0 };
                *position = position.map(|x| size * x + shift);
                position.rotate_left(axis);
            }
            (positions, triangles)
        }
        _ => {
            let vertices = 3 + dice.below(count + 2);
            let positions = (0..vertices).map(|_| std::array::from_fn(|_| coordinate(dice, 3))).collect();
            let triangles = (0..count).map(|_| std::array::from_fn(|_| dice.below(vertices) as u32)).collect();
            (positions, triangles)
        }
    }
}
