//! Every reason for which a curved flightplan is refused.

use kinetree::limits;
use kinetree::motion::{Flightplan, KeyLayout, Motion, MotionError, Outside, VertexFlightplan};
use kinetree::time::{Moment, Span};

#[expect(clippy::needless_pass_by_value, reason = "errors are written where they are expected")]
fn refused(plan: Flightplan, expected: MotionError, words: &[&str]) {
    let error = Motion::new(plan, 2, KeyLayout::VertexMajor).expect_err("a refusal");
    let text = error.to_string();
    // Not by `==`: a value may be NaN.
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

const HERE: [f32; 3] = [0.0; 3];

#[test]
fn ballistic_plans() {
    let thrown = |acceleration| Flightplan::ballistic(0.0, vec![HERE; 2], vec![HERE; 2], acceleration);
    refused(
        thrown([0.0, f32::INFINITY, 0.0]),
        MotionError::BadAcceleration { vertex: 0, axis: 1, value: f64::INFINITY },
        &["vertex 0", "y", "inf"],
    );
    let value = 2.0 * limits::MAX_ACCELERATION;
    let each = vec![HERE, [0.0, 0.0, value as f32]];
    let span = Span { begin: 0.0, end: 1.0 };
    refused(
        Flightplan::accelerated(span, vec![HERE; 2], vec![HERE; 2], each),
        MotionError::BadAcceleration { vertex: 1, axis: 2, value },
        &["vertex 1", "z"],
    );
    refused(
        Flightplan::accelerated(span, vec![HERE; 2], vec![HERE; 2], vec![HERE]),
        MotionError::AccelerationCount { expected: 2, found: 1 },
        &["1 accelerations", "2 vertices"],
    );
    refused(
        Flightplan::ballistic_until(Span { begin: 1.0, end: 0.0 }, vec![HERE; 2], vec![HERE; 2], HERE),
        MotionError::SpanReversed { begin: 1.0, end: 0.0 },
        &["0 s", "1 s"],
    );
    refused(
        Flightplan::ballistic(f64::NAN, vec![HERE; 2], vec![HERE; 2], HERE),
        MotionError::BadTime { key: 0, time: f64::NAN },
        &["NaN"],
    );
}

#[test]
fn hermite_plans() {
    let plan = |times: Vec<f64>, tangents: Vec<[f32; 3]>| {
        let positions = vec![HERE; 2 * times.len()];
        Flightplan::hermite(times, positions, tangents.clone(), tangents)
    };
    refused(
        plan(vec![0.0, 1.0], vec![HERE; 3]),
        MotionError::TangentCount { expected: 4, found: 3 },
        &["3 tangents", "4"],
    );
    let mut tangents = vec![HERE; 4];
    tangents[3][1] = f32::NAN;
    refused(
        plan(vec![0.0, 1.0], tangents.clone()),
        MotionError::BadTangent { key: 1, vertex: 1, axis: 1, value: f64::NAN },
        &["key 1", "vertex 1", "y", "NaN"],
    );
    tangents[3][1] = 1e30;
    refused(
        plan(vec![0.0, 1e9], tangents),
        MotionError::BadTangent { key: 1, vertex: 1, axis: 1, value: f64::from(1e30f32) },
        &["key 1"],
    );
    refused(
        plan(vec![0.0, 0.0], vec![HERE; 4]),
        MotionError::KeysOutOfOrder { key: 1, time: 0.0, previous: 0.0 },
        &["key 1"],
    );
    refused(plan(vec![], vec![]), MotionError::NoKeys, &["no keys"]);
    let short = plan(vec![0.0, 1e-6], vec![HERE; 4]).outside(Outside::Loop);
    refused(short, MotionError::PeriodTooShort { period: 1e-6 }, &["period"]);
}

#[test]
fn polynomials() {
    let plan = |times: Vec<f64>, degree, coefficients| Flightplan::polynomials(times, degree, coefficients);
    let zero = [0.0; 3];
    refused(plan(vec![0.0, 1.0], 4, vec![zero; 10]), MotionError::DegreeTooHigh { degree: 4 }, &["degree 4", "3"]);
    refused(
        plan(vec![0.0, 1.0], usize::MAX, vec![zero; 10]),
        MotionError::DegreeTooHigh { degree: usize::MAX },
        &["degree"],
    );
    refused(plan(vec![0.0], 1, vec![]), MotionError::NoSegments, &["two times"]);
    refused(plan(vec![], 1, vec![]), MotionError::NoKeys, &["no keys"]);
    refused(
        plan(vec![0.0, 1.0, 2.0], 1, vec![zero; 7]),
        MotionError::CoefficientCount { expected: 8, found: 7 },
        &["7 coefficients", "8"],
    );
    let mut coefficients = vec![zero; 8];
    coefficients[7] = [0.0, 0.0, f64::NAN];
    refused(
        plan(vec![0.0, 1.0, 2.0], 1, coefficients.clone()),
        MotionError::BadCoefficient { segment: 1, vertex: 1, axis: 2, power: 1, value: f64::NAN },
        &["segment 1", "vertex 1", "power 1", "z", "NaN"],
    );
    // Small enough by itself, but not in its segment.
    coefficients[7] = [0.0, 0.0, limits::MAX_COORDINATE];
    assert!(Motion::new(plan(vec![0.0, 1.0, 2.0], 1, coefficients.clone()), 2, KeyLayout::VertexMajor).is_ok());
    let value = limits::MAX_COORDINATE;
    refused(
        plan(vec![0.0, 1.0, 4.0], 1, coefficients),
        MotionError::BadCoefficient { segment: 1, vertex: 1, axis: 2, power: 1, value },
        &["segment 1"],
    );
    let mut coefficients = vec![zero; 8];
    coefficients[3] = [1.0, 0.0, 0.0];
    refused(
        plan(vec![0.0, 1.0, 2.0], 1, coefficients.clone()),
        MotionError::Jump { key: 1, vertex: 1, axis: 0, before: 1.0, after: 0.0 },
        &["key 1", "vertex 1", "x jumps from 1 to 0"],
    );
    // A rounding of `f32` is no jump: the earlier segment is bent to meet the later one.
    let meets = f64::from(1.0f32.next_up());
    coefficients[6] = [meets, 0.0, 0.0];
    let motion = Motion::new(plan(vec![0.0, 1.0, 2.0], 1, coefficients), 2, KeyLayout::VertexMajor).expect("no jump");
    assert_eq!(motion.coordinate(1, 0, Moment::at(1.0)), meets);
    assert_eq!(motion.coordinate(1, 0, Moment::after(1.0)), meets);
}

#[test]
fn plans_of_single_vertices() {
    let mut motion = Motion::new(Flightplan::fixed(vec![HERE; 2]), 2, KeyLayout::VertexMajor).expect("a good plan");
    let mut refused = |plan: VertexFlightplan, expected: MotionError| {
        let now = Moment::at(0.0);
        assert_eq!(motion.set_vertex_plans(&[(1, plan)], now), Err(expected));
        assert_eq!(motion.position(1, Moment::at(1.0)), [0.0; 3]);
    };
    let value = -2.0 * limits::MAX_ACCELERATION;
    let thrown = |from, acceleration| VertexFlightplan::Ballistic { from, velocity: [0.0; 3], acceleration };
    refused(thrown(None, [value, 0.0, 0.0]), MotionError::BadAcceleration { vertex: 1, axis: 0, value });
    let far = 2.0 * limits::MAX_COORDINATE;
    refused(
        thrown(Some([0.0, far, 0.0]), [0.0; 3]),
        MotionError::BadCoordinate { key: 0, vertex: 1, axis: 1, value: far },
    );
    let hermite = |in_tangents, outside| VertexFlightplan::Hermite {
        times: vec![0.0, 1.0],
        positions: vec![HERE; 2],
        in_tangents,
        out_tangents: vec![HERE; 2],
        outside,
    };
    refused(hermite(vec![HERE; 2], Outside::Loop), MotionError::VertexMayNotLoop { vertex: 1 });
    refused(hermite(vec![HERE; 1], Outside::Hold), MotionError::TangentCount { expected: 2, found: 1 });
    refused(
        hermite(vec![HERE, [0.0, f32::INFINITY, 0.0]], Outside::Hold),
        MotionError::BadTangent { key: 1, vertex: 1, axis: 1, value: f64::INFINITY },
    );
    let polynomials = |degree, coefficients, outside| VertexFlightplan::Polynomials {
        times: vec![0.0, 1.0],
        degree,
        coefficients,
        outside,
    };
    refused(polynomials(1, vec![[0.0; 3]; 2], Outside::Loop), MotionError::VertexMayNotLoop { vertex: 1 });
    refused(polynomials(5, vec![[0.0; 3]; 6], Outside::Hold), MotionError::DegreeTooHigh { degree: 5 });
    refused(
        polynomials(1, vec![[0.0; 3], [0.0, 1e40, 0.0]], Outside::Hold),
        MotionError::BadCoefficient { segment: 0, vertex: 1, axis: 1, power: 1, value: 1e40 },
    );
}
