//! Placement: a reduced body carried as a whole by one affine map.

use std::sync::Arc;

use super::{
    Affine, Blend, Break, Driver, MapDerivativeBounds, Pose, PoseDerivativeBounds, ReducedBody, ReducedError,
    SimilarityBounds,
};
use crate::motion::Outside;
use crate::time::{Moment, Span};

/// A driver whose maps are followed by another, always the same.
#[derive(Debug)]
struct Placed {
    inner: Arc<dyn Driver>,
    placement: Affine,
    /// An upper bound on the stretch of the placement.
    stretch: f64,
}

impl Driver for Placed {
    fn map_count(&self) -> usize {
        self.inner.map_count()
    }

    fn morph_count(&self) -> usize {
        self.inner.morph_count()
    }

    fn span(&self) -> Span {
        self.inner.span()
    }

    fn outside(&self) -> Outside {
        self.inner.outside()
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        self.inner.pose(at, pose);
        pose.maps.iter_mut().for_each(|map| *map = self.placement.after(map));
    }

    fn breaks(&self) -> &[Break] {
        self.inner.breaks()
    }

    fn centres(&self) -> &[[f64; 3]] {
        self.inner.centres()
    }

    fn similarity(&self, piece: Span) -> SimilarityBounds {
        SimilarityBounds::of_map(&self.placement).times(self.inner.similarity(piece))
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        self.inner.bends(piece, bends);
        let shift = self.placement.shift.norm();
        for MapDerivativeBounds { linear, centre } in &mut bends.maps {
            *linear = linear.scaled(self.stretch);
            *centre = centre.scaled(self.stretch);
            centre.size += shift;
        }
    }
}

impl ReducedBody {
    /// The same body, carried as a whole by a map that applies to all positions. Lengths along an
    /// axis and bounds grow with the map's stretch.
    ///
    /// O(breaks × maps).
    ///
    /// # Errors
    /// A map with numbers that are not finite; under spherical blending one that shears, mirrors
    /// or scales unevenly;
    /// under [`Blend::Combination`] any, as weights that do not sum to 1 move the origin.
    pub fn placed(&self, placement: Affine) -> Result<Self, ReducedError> {
        if !placement.is_finite() || *self.mesh().blend() == Blend::Combination {
            return Err(ReducedError::BadMap { map: 0 });
        }
        let (inner, stretch) = (Arc::clone(self.driver()), placement.stretch());
        Self::new(Arc::clone(self.mesh()), Arc::new(Placed { inner, placement, stretch }))
    }
}
