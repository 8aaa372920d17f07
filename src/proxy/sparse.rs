//! Symmetric sparse systems, solved by conjugate gradients.
//!
//! Rows are summed sequentially in the order of storage, so results are equal on all platforms.
//! Cost: O(entries) per iteration; iterations grow with the square root of the condition number.

use crate::tuning;

/// A symmetric matrix by rows. Entries of a row are in ascending order of columns, none twice.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    /// Creates a matrix from entries (row, column, value); entries of one place are summed in the
    /// given order.
    pub(super) fn gather(size: usize, entries: &[(u32, u32, f64)]) -> Self {
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        order.sort_by_key(|&index| (entries[index as usize].0, entries[index as usize].1));
        let mut matrix = Self { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        let mut next = 0;
        for row in 0..size as u32 {
            let first = matrix.columns.len();
            while let Some(&index) = order.get(next).filter(|&&index| entries[index as usize].0 == row) {
                let (_, column, value) = entries[index as usize];
                if matrix.columns.len() > first && matrix.columns.last() == Some(&column) {
                    let last = matrix.values.len() - 1;
                    matrix.values[last] += value;
                } else {
                    matrix.columns.push(column);
                    matrix.values.push(value);
                }
                next += 1;
            }
            matrix.starts.push(matrix.columns.len());
        }
        matrix
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().map(|&column| column as usize).zip(self.values[range].iter().copied())
    }

    fn times(&self, vector: &[f64], out: &mut [f64]) {
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.row(row).map(|(column, value)| value * vector[column]).sum();
        }
    }

    /// Solves for a right side, starting from `guess`; entries that are `held` keep their guess.
    /// The matrix must be positive definite on the others. Ends when the residual is at most
    /// `tuning::SOLVER_TOLERANCE` of the right side's, or after as many iterations as rows.
    pub(super) fn solve(&self, right: &[f64], held: &[bool], guess: &mut [f64]) {
        let size = guess.len();
        let mut product = vec![0.0; size];
        self.times(guess, &mut product);
        let free = |row: usize, value: f64| if held[row] { 0.0 } else { value };
        let mut residual: Vec<f64> = (0..size).map(|row| free(row, right[row] - product[row])).collect();
        // Preconditioned by the diagonal.
        let inverse: Vec<f64> = (0..size)
            .map(|row| self.row(row).find(|(column, _)| *column == row).map_or(1.0, |(_, value)| 1.0 / value))
            .collect();
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let scaled = |residual: &[f64]| -> Vec<f64> { residual.iter().zip(&inverse).map(|(r, d)| r * d).collect() };
        let mut direction = scaled(&residual);
        let mut energy = dot(&residual, &direction);
        let goal = energy * tuning::SOLVER_TOLERANCE * tuning::SOLVER_TOLERANCE;
        for _ in 0..size {
            if !(energy > goal) {
                break;
            }
            self.times(&direction, &mut product);
            (0..size).for_each(|row| product[row] = free(row, product[row]));
            let step = energy / dot(&direction, &product);
            for row in 0..size {
                guess[row] += step * direction[row];
                residual[row] -= step * product[row];
            }
            let next = scaled(&residual);
            let left = dot(&residual, &next);
            let keep = left / energy;
            (0..size).for_each(|row| direction[row] = next[row] + keep * direction[row]);
            energy = left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_between_two_held_ends_is_straight() {
        let entries: Vec<(u32, u32, f64)> =
            (0..9).flat_map(|i| [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)]).collect();
        let matrix = Sparse::gather(10, &entries);
        let mut held = vec![false; 10];
        (held[0], held[9]) = (true, true);
        let mut values = vec![0.0; 10];
        values[9] = 9.0;
        matrix.solve(&[0.0; 10], &held, &mut values);
        assert!(values.iter().enumerate().all(|(index, value)| (value - index as f64).abs() < 1e-9), "{values:?}");
    }
}
