//! Sets of directions whose extents make bounding polytopes.

/// Unit-free direction vectors; of each opposite pair only the first is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Directions {
    axes: Vec<[f64; 3]>,
}

/// The three axes, the four diagonals of the cube, and the six diagonals of its sides.
const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const CORNERS: [[f64; 3]; 4] = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]];
const EDGES: [[f64; 3]; 6] =
    [[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0]];

impl Directions {
    /// Six directions: boxes.
    pub fn six() -> Self {
        Self { axes: AXES.to_vec() }
    }

    /// Fourteen directions: the axes and the diagonals of the cube.
    pub fn fourteen() -> Self {
        Self { axes: [&AXES[..], &CORNERS].concat() }
    }

    /// Eighteen directions: the axes and the diagonals of the cube's sides.
    pub fn eighteen() -> Self {
        Self { axes: [&AXES[..], &EDGES].concat() }
    }

    /// Twenty-six directions: all of them.
    pub fn twenty_six() -> Self {
        Self { axes: [&AXES[..], &CORNERS, &EDGES].concat() }
    }

    /// The given directions and their opposites, of any length.
    pub fn along(axes: Vec<[f64; 3]>) -> Self {
        Self { axes }
    }

    /// One of each pair of directions.
    pub fn axes(&self) -> &[[f64; 3]] {
        &self.axes
    }

    /// Whether two polytopes over these directions overlap by their extents. Each is a list of
    /// `[least, largest]` coordinates, one per axis.
    pub fn overlap(a: &[[f64; 2]], b: &[[f64; 2]]) -> bool {
        a.iter().zip(b).all(|(a, b)| a[0] <= b[1] && b[0] <= a[1])
    }
}
