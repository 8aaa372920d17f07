//! Seeded samples, and their classes by integer arithmetic.

use kinetree::scenes;

use crate::Triangle;

pub(crate) struct Random(scenes::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(scenes::Random::new(seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_bits()
    }

    pub(crate) fn below(&mut self, bound: i64) -> i64 {
        (((self.next() >> 32) * bound.unsigned_abs()) >> 32).cast_signed()
    }

    /// In [-1, 1), a multiple of 2⁻⁵².
    pub(crate) fn symmetric(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2.0_f64.powi(-52) - 1.0
    }

    pub(crate) fn triangle(&mut self) -> Triangle {
        std::array::from_fn(|_| std::array::from_fn(|_| self.symmetric()))
    }
}

pub(crate) type Grid = [[i64; 3]; 3];

/// Two triangles on a small grid, often in one plane or line, often shrunk to a segment or point.
pub(crate) fn grid_pair(random: &mut Random) -> [Grid; 2] {
    let (flat, level) = (random.below(6), random.below(4));
    let mut seen = None;
    [(); 2].map(|()| {
        let mut triangle: Grid = std::array::from_fn(|_| {
            let [x, y, z] = std::array::from_fn(|_| random.below(4));
            match flat {
                0 => [x, y, level],
                1 => [level, x, y],
                2 => [x, y, x + y],
                3 => [x + 3 * y, 2 - 2 * (x + 3 * y), level + x + 3 * y],
                _ => [x, y, z],
            }
        });
        if random.below(4) == 0 {
            triangle[0] = seen.unwrap_or(triangle[0]);
        }
        match random.below(9) {
            0 | 3 => triangle = [triangle[0]; 3],
            1 => triangle[2] = triangle[0],
            2 => triangle[1] = std::array::from_fn(|k| 2 * triangle[0][k] - triangle[2][k]),
            _ => {}
        }
        seen = Some(triangle[0]);
        triangle
    })
}

pub(crate) fn minus(p: [i64; 3], q: [i64; 3]) -> [i64; 3] {
    std::array::from_fn(|k| p[k] - q[k])
}

pub(crate) fn cross(p: [i64; 3], q: [i64; 3]) -> [i64; 3] {
    std::array::from_fn(|k| p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3])
}

pub(crate) fn dot(p: [i64; 3], q: [i64; 3]) -> i64 {
    p.iter().zip(q).map(|(x, y)| x * y).sum()
}

/// Dimension of the smallest flat that contains the points.
pub(crate) fn dimension(points: &[[i64; 3]]) -> usize {
    let steps: Vec<_> = points.iter().map(|&p| minus(p, points[0])).collect();
    let normals: Vec<_> = steps.iter().flat_map(|&u| steps.iter().map(move |&v| cross(u, v))).collect();
    if normals.iter().any(|&n| steps.iter().any(|&s| dot(n, s) != 0)) {
        3
    } else if normals.iter().any(|&n| n != [0; 3]) {
        2
    } else {
        usize::from(steps.iter().any(|&s| s != [0; 3]))
    }
}

/// Dimensions of the triangles and of their union, and whether a vertex lies in the other's plane.
pub(crate) fn class(a: Grid, b: Grid) -> (usize, usize, usize, bool) {
    let (of_a, of_b) = (dimension(&a), dimension(&b));
    let union = dimension(&[a, b].concat());
    let grazing = |t: Grid, p| dot(cross(minus(t[1], t[0]), minus(t[2], t[0])), minus(p, t[0])) == 0;
    let grazes = b.iter().any(|&p| grazing(a, p)) || a.iter().any(|&p| grazing(b, p));
    let grazes = (of_a, of_b, union, grazes) == (2, 2, 3, true);
    (of_a.min(of_b), of_a.max(of_b), union, grazes)
}

pub(crate) fn scaled(triangle: Grid, factor: f64, shift: [i64; 3]) -> Triangle {
    triangle.map(|point| std::array::from_fn(|k| (point[k] + shift[k]) as f64 * factor))
}
