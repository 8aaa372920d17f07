//! `check_driver`: sound drivers of the library pass, and each kind of lie is named with its map, morph target or vertex.

use std::sync::{Arc, LazyLock};

use kinetree::reduced::{
    Affine, Break, Driver, DriverFault, Pose, PoseDerivativeBounds, ReducedBody, ReducedError, SimilarityBounds,
    check_driver,
};
use kinetree::time::{Moment, Span};

use crate::common::handed_on::handed_on;
use crate::{Flavour, rounds, scene};

/// What a driver lies about; the number is a map or morph target.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    None,
    /// A bound of the linear part: which, times a factor.
    Linear(usize, &'static str, f64),
    /// The same of the centre.
    Centre(usize, &'static str, f64),
    /// The same of a morph weight.
    Morph(usize, &'static str, f64),
    /// Maps are rotations.
    Rigid,
    /// The scale is at least this.
    Least(f64),
    /// A number of a map is NaN from the middle of the span on.
    NotANumber(usize),
    /// A bound is NaN.
    BoundNotANumber(usize),
    /// Breaks lack the last one.
    LastBreak,
    /// A map jumps at the second break.
    Jump(usize),
    /// One bound of morph weights is missing.
    Short,
}

#[derive(Debug)]
struct Liar {
    inner: Arc<dyn Driver>,
    lie: Lie,
    breaks: Vec<Break>,
}

fn scaled(bounds: &mut kinetree::reduced::DerivativeBounds, which: &str, factor: f64) {
    match which {
        "size" => bounds.size *= factor,
        "rate" => bounds.rate *= factor,
        _ => bounds.bend *= factor,
    }
}

impl Driver for Liar {
    handed_on!(inner: map_count, morph_count, span, outside, centres);

    fn pose(&self, at: Moment, pose: &mut Pose) {
        self.inner.pose(at, pose);
        let span = self.inner.span();
        let is_break = |time: f64| self.breaks.iter().any(|stop| stop.time == time);
        let is_inside = |time: f64| time > span.begin && time < span.end && !is_break(time);
        match self.lie {
            // Not at breaks, where poses are checked when a body is made.
            Lie::NotANumber(map) if is_inside(at.time()) => pose.maps[map].linear[(0, 0)] = f64::NAN,
            Lie::Jump(map) if at > Moment::at(self.breaks[1].time) => pose.maps[map].shift.x += 0.01,
            _ => {}
        }
    }

    fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    fn similarity(&self, piece: Span) -> SimilarityBounds {
        let known = self.inner.similarity(piece);
        match self.lie {
            Lie::Rigid => SimilarityBounds::rotations(1e-9),
            Lie::Least(least) => SimilarityBounds { off: 1e-9, least, scale: known.scale },
            _ => known,
        }
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        self.inner.bends(piece, bends);
        match self.lie {
            Lie::Linear(map, which, factor) => scaled(&mut bends.maps[map].linear, which, factor),
            Lie::Centre(map, which, factor) => scaled(&mut bends.maps[map].centre, which, factor),
            Lie::Morph(morph, which, factor) => scaled(&mut bends.morphs[morph], which, factor),
            Lie::BoundNotANumber(map) => bends.maps[map].centre.rate = f64::NAN,
            Lie::Short => {
                bends.morphs.pop();
            }
            _ => {}
        }
    }
}

fn lying(body: &ReducedBody, lie: Lie) -> ReducedBody {
    let inner = Arc::clone(body.driver());
    let mut breaks = inner.breaks().to_vec();
    if lie == Lie::LastBreak {
        breaks.pop();
    }
    ReducedBody::new(Arc::clone(body.mesh()), Arc::new(Liar { inner, lie, breaks })).unwrap()
}

fn fault(body: &ReducedBody, lie: Lie) -> DriverFault {
    match check_driver(&lying(body, lie), 5, 300) {
        Err(ReducedError::Driver(fault)) => *fault,
        other => panic!("{lie:?}: {other:?}"),
    }
}

#[test]
fn drivers_of_the_library_hold_what_they_state() {
    let mut checked = 0;
    for flavour in [Flavour::Turns, Flavour::Everything, Flavour::Twists, Flavour::Rigid] {
        for seed in 0..rounds(3) {
            let body = scene(seed, flavour).body;
            check_driver(&body, seed, 20).unwrap_or_else(|error| panic!("{flavour:?} {seed}: {error}"));
            let turned = Affine::from_parts([3.0, -2.0, 1.0], [0.6, 0.0, 0.8, 0.0], [1.0; 3]);
            check_driver(&body.placed(turned).unwrap(), seed, 5).unwrap();
            check_driver(&lying(&body, Lie::None), seed, 5).unwrap();
            checked += 1;
        }
    }
    assert!(checked >= 12);
}

/// A body with at least three maps that move, a morph target and three breaks.
static RICH: LazyLock<ReducedBody> = LazyLock::new(|| {
    let is_rich = |body: &ReducedBody| {
        let mut bends = PoseDerivativeBounds::default();
        let breaks = body.driver().breaks();
        let moves =
            |bends: &PoseDerivativeBounds| bends.maps.iter().all(|map| map.linear.bend > 0.1 && map.centre.bend > 0.1);
        let is_long = breaks.len() > 2 && body.driver().morph_count() > 0 && body.mesh().map_count() > 2;
        is_long && {
            body.driver().bends(Span { begin: breaks[1].time, end: breaks[2].time }, &mut bends);
            moves(&bends) && bends.morphs.iter().all(|morph| morph.rate > 0.1)
        }
    };
    let mut scenes = (0..500).map(|seed| scene(seed, Flavour::Everything).body);
    scenes.find(is_rich).expect("a body with maps and morph targets that move")
});

#[test]
fn each_lie_is_named() {
    let body = &*RICH;
    // Factors below what the bounds leave open.
    for map in [0, body.mesh().map_count() - 1] {
        for which in ["size", "rate", "bend"] {
            for (lie, name) in [
                (Lie::Linear(map, which, 1e-3), "linear part of map"),
                (Lie::Centre(map, which, 1e-3), "centre of map"),
            ] {
                let found = fault(body, lie);
                let DriverFault::Bound { part, index, statement, piece, time, value, bound } = found.clone() else {
                    panic!("{lie:?}: {found:?}")
                };
                assert_eq!((part, index, statement), (name, map, which), "{lie:?}: {found}");
                assert!(piece.begin <= time && time <= piece.end && value > bound, "{lie:?}: {found}");
                assert!(found.to_string().contains(&format!("{name} {map}, from ")), "{found}");
            }
        }
    }
    let morphs = body.driver().morph_count();
    for which in ["size", "rate"] {
        let found = fault(body, Lie::Morph(morphs - 1, which, 1e-3));
        let is_named = matches!(found, DriverFault::Bound { part: "morph weight", index, statement, .. }
            if index == morphs - 1 && statement == which);
        assert!(is_named, "{found}");
    }
    let found = fault(body, Lie::NotANumber(1));
    assert!(matches!(&found, DriverFault::Pose { fault, .. } if **fault == ReducedError::BadMap { map: 1 }), "{found}");
    let found = fault(body, Lie::BoundNotANumber(2));
    assert!(
        matches!(found, DriverFault::Bound { index: 2, statement: "rate", bound, .. } if bound.is_nan()),
        "{found}"
    );
    assert_eq!(fault(body, Lie::LastBreak), DriverFault::Breaks { index: body.driver().breaks().len() - 1 });
    let found = fault(body, Lie::Short);
    assert!(matches!(found, DriverFault::Pose { .. }), "{found}");
    // A jump that is stated is none that is hidden.
    if !body.driver().breaks()[1].is_jump {
        let found = fault(body, Lie::Jump(1));
        let at = body.driver().breaks()[1].time;
        assert!(matches!(found, DriverFault::HiddenJump { index: 1, time, .. } if time == at), "{found}");
    }
}

#[test]
fn maps_that_are_no_rotations_are_named() {
    let body = &*RICH;
    let found = fault(body, Lie::Rigid);
    assert!(matches!(found, DriverFault::Bound { part: "scale of map", .. }), "{found}");
    // Rigid maps whose scale is stated as two at least.
    let rigid = scene(3, Flavour::Rigid).body;
    let found = fault(&rigid, Lie::Least(2.0));
    assert!(matches!(found, DriverFault::Bound { statement: "least", bound, .. } if bound == 2.0), "{found}");
    check_driver(&lying(&rigid, Lie::Rigid), 5, 50).unwrap();
}

/// A vertex of a body whose deviation is made from bounds that are too small leaves its chord by more; the map is named first, as its
/// bound is the cause. Equal seeds give equal faults.
#[test]
fn equal_seeds_give_equal_faults() {
    let body = &*RICH;
    let lie = Lie::Linear(0, "bend", 0.05);
    let found = [fault(body, lie), fault(body, lie)];
    assert_eq!(found[0], found[1]);
}
