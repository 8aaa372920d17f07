//! Drivers of hosts that leave out bounds, or give poses of other bodies between their breaks: nothing is known there.

use crate::common::handed_on::handed_on;
use std::sync::Arc;

use kinetree::Hierarchy;
use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, MovingBounds};
use kinetree::reduced::{
    Affine, Blend, DerivativeBounds, Driver, Influences, MorphTarget, Pose, PoseDerivativeBounds, PoseKeys,
    ReducedBody, ReducedDef, ReducedError, ReducedMesh, Sequence, SimilarityBounds, WeightPolicy, check_driver,
};
use kinetree::time::{Moment, Span};

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Missing {
    Nothing,
    Bounds,
    LastMap,
    Morph,
    /// Bounds of later pieces.
    Later,
    /// Maps of the pose, between breaks.
    Maps,
    /// One map too many.
    Surplus,
}

#[derive(Debug)]
struct Sparing {
    inner: Arc<dyn Driver>,
    missing: Missing,
}

impl Driver for Sparing {
    handed_on!(inner: map_count, morph_count, span, outside, breaks, centres);

    fn pose(&self, at: Moment, pose: &mut Pose) {
        self.inner.pose(at, pose);
        if at.time().fract() != 0.0 {
            match self.missing {
                Missing::Maps => pose.maps.truncate(1),
                Missing::Surplus => pose.maps.push(Affine::identity()),
                _ => {}
            }
        }
    }

    fn similarity(&self, _piece: Span) -> SimilarityBounds {
        SimilarityBounds::rotations(0.0)
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        match self.missing {
            Missing::Bounds => {}
            Missing::Later if piece.begin >= 1.0 => {}
            _ => self.inner.bends(piece, bends),
        }
        match self.missing {
            Missing::LastMap => drop(bends.maps.pop()),
            Missing::Morph => bends.morphs.clear(),
            _ => {}
        }
    }
}

/// Two maps that move by 10 m and more in each of two seconds; both move all vertices.
fn body(missing: Missing, blend: Blend) -> Result<Arc<ReducedBody>, ReducedError> {
    let at = |x: f64| Affine::from_parts([x, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    let pose = |key: f64| Pose { maps: vec![at(10.0 * key), at(50.0 * key * key)], morphs: vec![key] };
    let keys = [0.0, 1.0, 2.0];
    let inner = PoseKeys::new(&keys, keys.map(pose).to_vec(), vec![[0.0; 3]; 2], Outside::Hold)?;
    let influences = Influences::convex(2, vec![vec![(0, 0.5), (1, 0.5)]; 3], WeightPolicy::Strict)?;
    let rest = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let morphs = vec![MorphTarget::dense(&[[0.0, 0.0, 1.0]; 3])];
    let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]]).unwrap(), rest, influences, morphs, blend };
    let driver = Sparing { inner: Arc::new(inner), missing };
    Ok(Arc::new(ReducedBody::new(Arc::new(ReducedMesh::new(def)?), Arc::new(driver))?))
}

fn spherical() -> Blend {
    Blend::Spherical { joints: vec![[0.0; 3]; 2] }
}

#[test]
fn bounds_that_are_left_out_are_unknown() {
    for blend in [Blend::Linear, spherical()] {
        let pieces = body(Missing::Nothing, blend.clone()).unwrap().pieces_at(&[0.5]).unwrap();
        for (missing, first) in [(Missing::Bounds, 0), (Missing::LastMap, 0), (Missing::Morph, 0), (Missing::Later, 1)]
        {
            let body = body(missing, blend.clone()).unwrap();
            let refused = body.pieces(1e-6).unwrap_err();
            assert_eq!(refused, ReducedError::NoBound { time: first as f64 }, "{missing:?}");
            let stated = body.pieces_at(&[]).unwrap();
            let unknown: Vec<bool> = stated.deviations().iter().map(|own| *own == f64::INFINITY).collect();
            assert_eq!(unknown, [first == 0, true], "{missing:?}: {stated:?}");
            assert!(check_driver(&body, 1, 20).is_err());
            let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
            let moving = MovingBounds::new(tree, Arc::clone(&body), &pieces, Level::Corner).unwrap();
            assert!(moving.node_box(0, Moment::at(1.5)).contains(&[1e9; 3]), "{missing:?}");
        }
    }
}

#[test]
fn nothing_is_known_of_missing_bounds_that_are_given() {
    let body = body(Missing::Nothing, Blend::Linear).unwrap();
    let mut bends = PoseDerivativeBounds::default();
    assert_eq!(body.growth(&bends).rate, f64::INFINITY);
    bends.reset(2, 0);
    bends.maps.iter_mut().for_each(|map| map.linear = DerivativeBounds::constant(1.0));
    assert_eq!(body.growth(&bends).bend, f64::INFINITY);
    bends.morphs.push(DerivativeBounds::constant(1.0));
    assert_eq!(body.growth(&bends).bend, 0.0);
}

#[test]
fn poses_of_other_bodies_between_breaks_have_no_bounds() {
    for missing in [Missing::Maps, Missing::Surplus] {
        for blend in [Blend::Linear, spherical()] {
            let pieces = body(Missing::Nothing, blend.clone()).unwrap().pieces_at(&[0.5]).unwrap();
            let body = body(missing, blend.clone()).unwrap();
            let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
            let moving = MovingBounds::new(tree, Arc::clone(&body), &pieces, Level::Corner).unwrap();
            let everything = moving.node_box(u32::MAX, Moment::at(0.0));
            for time in [0.25, 0.5, 0.75] {
                assert_eq!(moving.node_box(0, Moment::at(time)), everything, "{missing:?} at {time}");
            }
            assert!(moving.node_box(0, Moment::at(1.5)).max[0] < 1e3);
            assert!(check_driver(&body, 1, 20).is_err());
            if blend != Blend::Linear {
                assert_eq!(body.pieces_at(&[0.5]).unwrap().deviations()[0], f64::INFINITY);
            }
        }
        // Held outside its own span, such a pose is the sequence's.
        let part: Arc<dyn Driver> = Arc::clone(body(missing, Blend::Linear).unwrap().driver());
        let sequence = Sequence::new(vec![(2.5, part)], 3.5, Outside::Hold).unwrap();
        let mut bends = PoseDerivativeBounds::default();
        sequence.bends(Span { begin: 2.5, end: 3.5 }, &mut bends);
    }
}
