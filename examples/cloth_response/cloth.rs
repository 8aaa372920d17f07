//! A sheet of cloth: positions, velocities, and edges that keep their length (position-based
//! dynamics, Müller 2007).

use crate::vector::{V, add, dot, length, scale, sub};

/// Gravity and what the air takes of a velocity in a second.
const GRAVITY: f64 = -9.81;
const DRAG: f64 = 1.0;
/// No vertex is faster, metres per second.
const MOST_SPEED: f64 = 8.0;

/// Two vertices that keep their distance.
struct Edge {
    ends: [usize; 2],
    rest: f64,
    stiffness: f64,
}

pub(crate) struct Cloth {
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) positions: Vec<V>,
    velocities: Vec<V>,
    /// Vertices that the body carries.
    pub(crate) is_pinned: Vec<bool>,
    edges: Vec<Edge>,
}

impl Cloth {
    /// A square sheet of `2 (n − 1)²` triangles around a point, turned about the vertical.
    pub(crate) fn sheet(n: usize, side: f64, middle: V, turn: f64, pinned_radius: f64) -> Self {
        let (sine, cosine) = turn.sin_cos();
        let place = |row: usize, column: usize| {
            let part = |x: usize| side * (x as f64 / (n - 1) as f64 - 0.5);
            let (x, z) = (part(column), part(row));
            add(middle, [x * cosine - z * sine, 0.0, x * sine + z * cosine])
        };
        let cells = || (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        let positions: Vec<V> = cells().map(|(row, column)| place(row, column)).collect();
        let at = |row: usize, column: usize| row * n + column;
        let (mut triangles, mut edges) = (Vec::new(), Vec::new());
        for (row, column) in cells() {
            if row + 1 < n && column + 1 < n {
                let corners = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
                let [a, b, c, d] = corners.map(|vertex| vertex as u32);
                triangles.extend([[a, c, b], [b, c, d]]);
            }
            // Along the threads, across them, and over one vertex against bending.
            let ways = [(0, 1, 1.0), (1, 0, 1.0), (1, 1, 0.4), (0, 2, 0.1), (2, 0, 0.1)];
            for (down, right, stiffness) in ways.into_iter().filter(|way| row + way.0 < n && column + way.1 < n) {
                edges.push(([at(row, column), at(row + down, column + right)], stiffness));
                if (down, right) == (1, 1) {
                    edges.push(([at(row, column + 1), at(row + 1, column)], stiffness));
                }
            }
        }
        let rest = |[a, b]: [usize; 2]| length(sub(positions[a], positions[b]));
        let edges = edges.into_iter().map(|(ends, stiffness)| Edge { ends, rest: rest(ends), stiffness }).collect();
        let is_pinned = positions.iter().map(|&p| length(sub(p, middle)) <= pinned_radius).collect();
        let velocities = vec![[0.0; 3]; positions.len()];
        Self { triangles, positions, velocities, is_pinned, edges }
    }

    /// Where vertices would be after a step without anything in their way; pinned ones stay.
    pub(crate) fn predict(&mut self, dt: f64, wind: V) -> Vec<V> {
        for (velocity, &is_pinned) in self.velocities.iter_mut().zip(&self.is_pinned) {
            if is_pinned {
                *velocity = [0.0; 3];
                continue;
            }
            *velocity = add(scale(*velocity, 1.0 - DRAG * dt), scale(add([0.0, GRAVITY, 0.0], wind), dt));
            let speed = length(*velocity);
            if speed > MOST_SPEED {
                *velocity = scale(*velocity, MOST_SPEED / speed);
            }
        }
        self.positions.iter().zip(&self.velocities).map(|(&p, &v)| add(p, scale(v, dt))).collect()
    }

    /// Brings edges nearer to their length.
    pub(crate) fn project(&self, proposed: &mut [V]) {
        for Edge { ends: [a, b], rest, stiffness } in &self.edges {
            let way = sub(proposed[*b], proposed[*a]);
            let long = length(way);
            let free = [!self.is_pinned[*a], !self.is_pinned[*b]].map(|free| f64::from(u8::from(free)));
            if long == 0.0 || free == [0.0; 2] {
                continue;
            }
            let by = scale(way, stiffness * (long - rest) / long / (free[0] + free[1]));
            proposed[*a] = add(proposed[*a], scale(by, free[0]));
            proposed[*b] = sub(proposed[*b], scale(by, free[1]));
        }
    }

    /// The edges that keep their length, and those against bending.
    #[cfg(feature = "rapier")]
    pub(crate) fn threads(&self) -> [Vec<[u32; 2]>; 2] {
        let of = |is_bend: bool| {
            let edges = self.edges.iter().filter(|edge| (edge.stiffness < 0.2) == is_bend);
            edges.map(|edge| edge.ends.map(|end| end as u32)).collect()
        };
        [of(false), of(true)]
    }

    /// The longest edge along the threads as a multiple of its length at rest.
    pub(crate) fn stretch(&self) -> f64 {
        let threads = self.edges.iter().filter(|edge| edge.stiffness == 1.0);
        let of = |edge: &Edge| length(sub(self.positions[edge.ends[0]], self.positions[edge.ends[1]])) / edge.rest;
        threads.map(of).fold(0.0, f64::max)
    }

    /// Takes the velocity of a vertex away from a surface that moves, relative to it.
    pub(crate) fn stop(&mut self, vertex: usize, normal: V, speed: V) {
        let away = dot(normal, sub(self.velocities[vertex], speed));
        if away > 0.0 {
            self.velocities[vertex] = sub(self.velocities[vertex], scale(normal, away));
        }
    }

    /// The step is done.
    pub(crate) fn moved_to(&mut self, positions: Vec<V>, dt: f64) {
        for ((velocity, &before), &after) in self.velocities.iter_mut().zip(&self.positions).zip(&positions) {
            *velocity = scale(sub(after, before), 1.0 / dt);
        }
        self.positions = positions;
    }
}
