//! Patches: tensor-product surfaces given by grids of control points, rational or not, Bézier or
//! B-spline (NURBS).
//!
//! # Control points
//! A patch of degrees (p, q) has a grid of `rows × columns` control points; point (i, j) is entry
//! `i * columns + j`. Control points are vertices of the body and move with its flightplan. Weights
//! and knots are constant.
//!
//! # Spans are the primitives
//! The unit in trees, candidates and reports is one *span*: the range between two consecutive
//! distinct knots in each direction. In span [uᵢ, uᵢ₊₁] × [vⱼ, vⱼ₊₁] the surface depends only on
//! the (p + 1)(q + 1) control points i−p..i, j−q..j. With positive weights it lies in their convex
//! hull (the strong convex hull property: there the basis functions are positive and sum to 1).
//! Their box therefore bounds the span at any time, for any motion of the control points, and is
//! smaller than the box of all control points of the patch. A Bézier patch is one span. Spans are
//! numbered patch by patch, then by u, then by v.
//!
//! Spans of a patch that are closer than a degree share control points. In a body tested against
//! itself they are neighbours, like triangles with a common corner.
//!
//! Invariants, checked once by [`Patches::new`]:
//! - There is at least one span; degrees are 1 to [`limits::MAX_DEGREE`]; every index names a
//!   vertex.
//! - Knots do not decrease, and no degree + 2 consecutive knots are equal. Where degree + 1 inner
//!   knots are equal, the surface may tear.
//! - Weights are positive and within [`limits::MAX_WEIGHT`].
//!
//! Source: L. Piegl and W. Tiller, *The NURBS Book*, 2nd edition (1997), chapters 2 to 4, for
//! spans, the strong convex hull property and the homogeneous form.

mod check;
mod evaluate;

pub use check::PatchError;

use super::{Lists, Primitives};

/// One patch as given; [`Patches::new`] checks it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Patch {
    degrees: [usize; 2],
    /// Rows (along u) and columns (along v) of the grid.
    counts: [usize; 2],
    control: Vec<u32>,
    /// One per control point; empty if all are 1.
    weights: Vec<f64>,
    knots: [Vec<f64>; 2],
}

impl Patch {
    /// Creates a Bézier patch of degrees (along u, along v), over parameters 0 to 1. `control`
    /// names (u + 1)(v + 1) vertices, row by row.
    pub fn bezier(degrees: [usize; 2], control: Vec<u32>) -> Self {
        // A patch refused for its degree needs no knots.
        let ends = |degree: usize| {
            let order = degree.min(crate::limits::MAX_DEGREE) + 1;
            [vec![0.0; order], vec![1.0; order]].concat()
        };
        let counts = degrees.map(|degree| degree.saturating_add(1));
        Self { degrees, counts, control, weights: Vec::new(), knots: degrees.map(ends) }
    }

    /// Creates a B-spline patch. `control` names rows × columns vertices, row by row (`counts` is
    /// [rows, columns]). Each direction has count + degree + 1 knots.
    ///
    /// Knots may be clamped (ends repeated degree + 1 times) or not. The surface is defined from
    /// knot number `degree` to knot number `count`.
    pub fn nurbs(degrees: [usize; 2], counts: [usize; 2], control: Vec<u32>, knots: [Vec<f64>; 2]) -> Self {
        Self { degrees, counts, control, weights: Vec::new(), knots }
    }

    /// Makes the patch rational: one positive weight per control point, in their order.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Degrees along u and v.
    pub fn degrees(&self) -> [usize; 2] {
        self.degrees
    }

    /// Rows and columns of the grid of control points.
    pub fn counts(&self) -> [usize; 2] {
        self.counts
    }

    /// The control points as vertex numbers, row by row.
    pub fn control(&self) -> &[u32] {
        &self.control
    }

    /// The weight of a control point, by its place in the grid.
    pub fn weight(&self, place: usize) -> f64 {
        self.weights.get(place).copied().unwrap_or(1.0)
    }

    /// The knots along u and v.
    pub fn knots(&self) -> &[Vec<f64>; 2] {
        &self.knots
    }

    /// Numbers of the knots along a direction at which a span of positive length begins.
    fn spans(&self, direction: usize) -> impl Iterator<Item = u32> + Clone {
        let knots = &self.knots[direction];
        let domain = self.degrees[direction]..self.counts[direction];
        domain.filter(|&knot| knots[knot] < knots[knot + 1]).map(|knot| knot as u32)
    }

    /// Grid places of the control points of the span that begins at two knots, row by row.
    fn net(&self, [at_u, at_v]: [u32; 2]) -> impl Iterator<Item = usize> + Clone + use<> {
        let [p, q] = self.degrees;
        let (row, column, columns) = (at_u as usize - p, at_v as usize - q, self.counts[1]);
        (row..=row + p).flat_map(move |i| (column..=column + q).map(move |j| i * columns + j))
    }
}

/// The place of a span: its patch and its range of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PatchSpan {
    /// The patch.
    pub patch: u32,
    /// Range of u.
    pub u: [f64; 2],
    /// Range of v.
    pub v: [f64; 2],
}

/// Patches over vertices `0..vertex_count`. The primitives of their trees are the spans.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::stored::StoredPatches", into = "super::stored::StoredPatches")
)]
pub struct Patches {
    vertex_count: usize,
    given: Vec<Patch>,
    /// Per span, its patch and the knots at its begin.
    spans: Vec<(u32, [u32; 2])>,
    /// Per span, its control points row by row.
    nets: Lists,
}

impl Patches {
    /// Creates patches after checking them. O(control points of all spans).
    ///
    /// # Errors
    /// [`PatchError`], naming the patch and the fault.
    ///
    /// ```
    /// use kinetree::{Patch, Patches};
    ///
    /// let sheet = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])])?;
    /// let corners = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 2.0]]; // Metres.
    /// assert_eq!(sheet.evaluate(0, [0.5, 0.5], &corners)?, [0.5, 0.5, 0.5]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(vertex_count: usize, patches: Vec<Patch>) -> Result<Self, PatchError> {
        check::check(vertex_count, &patches)?;
        let spans: Vec<(u32, [u32; 2])> = patches
            .iter()
            .enumerate()
            .flat_map(|(number, patch)| {
                let all = patch.spans(0).flat_map(|at_u| patch.spans(1).map(move |at_v| [at_u, at_v]));
                all.map(move |at| (number as u32, at))
            })
            .collect();
        let entries = spans.iter().enumerate().flat_map(|(span, &(number, at))| {
            let patch = &patches[number as usize];
            patch.net(at).map(move |place| (span as u32, patch.control[place]))
        });
        let nets = Lists::gather(spans.len(), entries);
        Ok(Self { vertex_count, given: patches, spans, nets })
    }

    /// The number of vertices, used as control points or not.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// The patches as given.
    pub fn patches(&self) -> &[Patch] {
        &self.given
    }

    /// Returns the patch and the range of parameters of a span.
    ///
    /// # Errors
    /// [`PatchError::NoSuchSpan`].
    pub fn span(&self, span: u32) -> Result<PatchSpan, PatchError> {
        let (patch, [at_u, at_v]) = self.at(span)?;
        let [u, v] = &self.given[patch as usize].knots;
        let stretch = |knots: &[f64], at: u32| [knots[at as usize], knots[at as usize + 1]];
        Ok(PatchSpan { patch, u: stretch(u, at_u), v: stretch(v, at_v) })
    }

    /// The weights of a span's control points, in the order of `Primitives::points_of`.
    ///
    /// # Errors
    /// [`PatchError::NoSuchSpan`].
    pub fn weights_of(&self, span: u32) -> Result<impl Iterator<Item = f64>, PatchError> {
        let (patch, at) = self.at(span)?;
        let patch = &self.given[patch as usize];
        Ok(patch.net(at).map(|place| patch.weight(place)))
    }

    /// The patch of a span and the knots at which the span begins.
    fn at(&self, span: u32) -> Result<(u32, [u32; 2]), PatchError> {
        self.spans.get(span as usize).copied().ok_or(PatchError::NoSuchSpan { span, spans: self.spans.len() })
    }
}

impl Primitives for Patches {
    fn primitive_count(&self) -> usize {
        self.spans.len()
    }

    /// The control points whose hull contains a span, row by row.
    fn points_of(&self, index: usize) -> &[u32] {
        self.nets.of(index as u32)
    }
}
