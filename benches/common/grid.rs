//! Spatial hashing: hashes the triangles of one body into the cells of a uniform grid, and queries
//! it with those of the other body.
//!
//! The cell is as long as the mean triangle box of the hashed body, and no shorter than the contact
//! distance. For points in contact proper it is about as large as gives each point a cell.
//!
//! A pair of triangles is tested only in the cell that holds the lower corner of the overlap of
//! their boxes, so no pair is tested twice. Triangles that would fill more than [`MOST_CELLS`]
//! cells are tested against all others.
//!
//! Follows the usual scheme (Teschner et al. 2003, "Optimized spatial hashing"), with the table
//! filled by counting sort.

#![allow(unreachable_pub, reason = "a part of benches and of tests")]

use kinetree::math::Aabb;
use kinetree::narrow::ContactRule;
use kinetree::oracle::Shape;

const MOST_CELLS: f64 = 512.0;

/// Triangles of one body at one time, by grid cell.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    cell: f64,
    boxes: Vec<Aabb>,
    /// Per hash value, where its entries begin.
    starts: Vec<u32>,
    entries: Vec<([i64; 3], u32)>,
    /// Triangles too large for the cells.
    large: Vec<u32>,
}

impl Grid {
    /// Hashes the triangles of a frame, for queries with boxes grown by up to `reach` metres.
    /// O(triangles + filled cells).
    pub fn fill(&mut self, triangles: &[[u32; 3]], positions: &[[f64; 3]], reach: f64) {
        let shape = Shape { triangles, positions };
        self.boxes.clear();
        self.boxes.extend((0..triangles.len() as u32).map(|triangle| Aabb::of_points(&shape.corners(triangle))));
        let longest = |bounds: &Aabb| (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).fold(0.0, f64::max);
        let mean = self.boxes.iter().map(longest).sum::<f64>() / triangles.len() as f64;
        let cell = if mean > reach { mean } else { reach };
        self.cell = if cell > 0.0 { cell } else { spacing(&self.boxes) };
        self.large.clear();
        let mut unsorted: Vec<([i64; 3], u32)> = Vec::new();
        for (triangle, bounds) in self.boxes.iter().enumerate() {
            match self.cells(bounds) {
                Some(cells) => unsorted.extend(cells.map(|cell| (cell, triangle as u32))),
                None => self.large.push(triangle as u32),
            }
        }
        let buckets = unsorted.len().next_power_of_two();
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for (cell, _) in &unsorted {
            self.starts[hash(*cell, buckets) + 1] += 1;
        }
        for bucket in 0..buckets {
            self.starts[bucket + 1] += self.starts[bucket];
        }
        let mut next = self.starts.clone();
        self.entries.clear();
        self.entries.resize(unsorted.len(), ([0; 3], 0));
        for entry in unsorted {
            let place = &mut next[hash(entry.0, buckets)];
            self.entries[*place as usize] = entry;
            *place += 1;
        }
    }

    fn cell_of(&self, point: [f64; 3]) -> [i64; 3] {
        point.map(|x| (x / self.cell).floor() as i64)
    }

    /// The cells that a box meets; `None` if they are too many.
    fn cells(&self, bounds: &Aabb) -> Option<impl Iterator<Item = [i64; 3]> + use<>> {
        let (low, high) = (self.cell_of(bounds.min), self.cell_of(bounds.max));
        let count: f64 = (0..3).map(|axis| (high[axis] as f64 - low[axis] as f64) + 1.0).product();
        (count <= MOST_CELLS).then(move || {
            (low[0]..=high[0])
                .flat_map(move |x| (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| [x, y, z])))
        })
    }

    fn bucket(&self, cell: [i64; 3]) -> &[([i64; 3], u32)] {
        let bucket = hash(cell, self.starts.len() - 1);
        &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

/// The cell side that gives each box a cell of its own in the cube around all boxes; 1 if all are
/// at one place.
fn spacing(boxes: &[Aabb]) -> f64 {
    let all = boxes.iter().fold(Aabb::EMPTY, Aabb::union);
    let side = (0..3).map(|axis| all.max[axis] - all.min[axis]).fold(0.0, f64::max);
    let per_side = (1..=boxes.len()).find(|n| n.saturating_pow(3) >= boxes.len()).unwrap_or(1);
    let cell = side / per_side as f64;
    if cell > 0.0 { cell } else { 1.0 }
}

fn hash(cell: [i64; 3], buckets: usize) -> usize {
    let [x, y, z] = cell.map(|c| c as u64);
    let mixed = x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791);
    (mixed ^ (mixed >> 17)) as usize & (buckets - 1)
}

/// Reports every pair of triangles in contact by a rule, unordered; `grid` holds the triangles of
/// `a`. Returns the number of exact tests.
pub fn touching_by_grid(
    grid: &Grid,
    a: Shape<'_>,
    b: Shape<'_>,
    rule: &impl ContactRule,
    found: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    for triangle_b in 0..b.triangles.len() as u32 {
        let corners_b = b.corners(triangle_b);
        let box_b = Aabb::of_points(&corners_b).grown(rule.box_distance());
        let mut test = |triangle_a: u32| {
            if !rule.wants(triangle_a, triangle_b) {
                return;
            }
            tests += 1;
            if rule.touch((triangle_a, &a.corners(triangle_a)), (triangle_b, &corners_b)) {
                found(triangle_a, triangle_b);
            }
        };
        let Some(cells) = grid.cells(&box_b) else {
            let all = 0..a.triangles.len() as u32;
            all.filter(|&triangle| grid.boxes[triangle as usize].overlaps(&box_b)).for_each(&mut test);
            continue;
        };
        for &triangle_a in grid.large.iter().filter(|&&triangle| grid.boxes[triangle as usize].overlaps(&box_b)) {
            test(triangle_a);
        }
        for cell in cells {
            for &(its_cell, triangle_a) in grid.bucket(cell) {
                let box_a = &grid.boxes[triangle_a as usize];
                if its_cell != cell || !box_a.overlaps(&box_b) {
                    continue;
                }
                let corner = std::array::from_fn(|axis| box_a.min[axis].max(box_b.min[axis]));
                if grid.cell_of(corner) == cell {
                    test(triangle_a);
                }
            }
        }
    }
    tests
}

#[cfg(test)]
#[allow(dead_code, unused_imports, reason = "benchmarks have no tests")]
mod tests {
    use super::*;

    /// Number of entries in the fullest bucket.
    fn fullest(positions: &[[f64; 3]], reach: f64) -> u32 {
        let triangles: Vec<[u32; 3]> = (0..positions.len() as u32).map(|point| [point; 3]).collect();
        let mut grid = Grid::default();
        grid.fill(&triangles, positions, reach);
        assert!(grid.large.is_empty() && grid.entries.len() == positions.len());
        grid.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    #[test]
    fn points_are_spread_over_cells_at_every_scale() {
        for scale in [1e-20, 1e-3, 1.0, 1e20] {
            let lattice = |n: usize| [n % 10, n / 10 % 10, n / 100].map(|x| x as f64 * scale);
            let points: Vec<[f64; 3]> = (0..1000).map(lattice).collect();
            assert!(fullest(&points, 0.0) <= 32, "{scale}");
            // Cells as long as the reach: about eight points each.
            assert!(fullest(&points, 2.0 * scale) <= 64, "{scale}");
        }
        assert_eq!(fullest(&[[3.0; 3]; 50], 0.0), 50);
    }
}
