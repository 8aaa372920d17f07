//! Contact at a time given in seconds, against oracles in rational numbers: at the f64 numbers next to every end of an interval,
//! where the parameter of the window is no f64 number.

#[path = "proximity_oracle/truth.rs"]
#[allow(dead_code, reason = "parts are used elsewhere")]
mod distances;
#[path = "intervals_oracle/pairs.rs"]
#[allow(dead_code, reason = "parts are used elsewhere")]
mod pairs;
#[path = "intervals_oracle/truth.rs"]
#[allow(dead_code, reason = "parts are used elsewhere")]
mod truth;

use kinetree::narrow::intervals::{
    ContactInterval, Enclosure, IntervalStats, MovingTriangle, contact_intervals, touch_at_time,
};
use kinetree::narrow::proximity::{proximity_intervals, triangles_within, within_at_time};
use num_rational::BigRational as Q;
use num_traits::{One, Zero};

use distances::compare_distance;
use pairs::{Random, degenerate, edges, equal_velocity, generic, integer_grid, mixed_scales, near, sliding, touching};
use truth::{rational, truth};

/// Begins and ends that thirds and tenths fall between, huge and tiny ones, and of opposite sign.
const WINDOWS: [(f64, f64); 9] = [
    (0.0, 1.0),
    (0.1, 0.7),
    (0.0, 3.0),
    (-0.3, 0.1),
    (1e9, 1e9 + 0.25),
    (-1e-300, 2e-300),
    (0.0, 7.0 * f64::MIN_POSITIVE * f64::EPSILON),
    (-1.5e308, 1.7e308),
    (1.0, 1.0 + 40.0 * f64::EPSILON),
];

/// Neighbours of a time looked at on either side.
const CHAIN: u32 = 4;

#[derive(Debug, Default)]
struct Tally {
    times: u64,
    contacts: u64,
    /// Neighbouring times of which one is in contact and the other is not.
    turns: u64,
    /// Ends that are f64 times themselves.
    exact_ends: u64,
}

fn place(time: f64, (begin, end): (f64, f64)) -> Q {
    ((rational(time) - rational(begin)) / (rational(end) - rational(begin))).clamp(Q::zero(), Q::one())
}

/// f64 times around a parameter of a window, ascending.
fn times_around(s: f64, (begin, end): (f64, f64)) -> Vec<f64> {
    let mut time = (begin * (1.0 - s) + end * s).clamp(begin, end);
    for _ in 0..CHAIN {
        time = time.next_down();
    }
    let mut all = vec![time];
    for _ in 0..2 * CHAIN {
        time = time.next_up();
        all.push(time);
    }
    all.retain(|time| time.is_finite());
    all
}

/// Compares `told` with `is_true` around all ends.
fn check(
    found: &[ContactInterval],
    window: (f64, f64),
    told: impl Fn(f64) -> bool,
    is_true: impl Fn(&Q) -> bool,
    tally: &mut Tally,
) {
    let ends = found.iter().flat_map(|interval| [interval.begin, interval.end]);
    let inner = |end: &Enclosure| end.hi > 0.0 && end.lo < 1.0;
    for end in ends.filter(inner).chain([Enclosure { lo: 1.0 / 3.0, hi: 1.0 / 3.0 }]) {
        let mut last = None;
        for time in times_around(end.lo, window) {
            let s = place(time, window);
            let is_here = is_true(&s);
            assert_eq!(told(time), is_here, "at {time:?} of {window:?}, {found:?}");
            tally.times += 1;
            tally.contacts += u64::from(is_here);
            tally.turns += u64::from(last.is_some_and(|last| last != is_here));
            tally.exact_ends += u64::from(end.lo == end.hi && s == rational(end.lo));
            last = Some(is_here);
        }
    }
}

fn battery(name: &str, count: usize, mut generate: impl FnMut(&mut Random) -> [MovingTriangle; 2]) -> [Tally; 2] {
    let mut random = Random::new(0x5eed + name.len() as u64);
    let mut tally = [Tally::default(), Tally::default()];
    let mut stats = IntervalStats::default();
    for number in 0..count {
        let [a, b] = generate(&mut random);
        let window = WINDOWS[number % WINDOWS.len()];
        let mut found = Vec::new();
        contact_intervals(&a, &b, &mut found, &mut stats);
        let told = |time| touch_at_time(&a, &b, window, time);
        check(&found, window, told, |s| truth(&a, &b, s), &mut tally[0]);
        // Thickness: every other pair, the oracle is slow.
        if number % 2 == 0 {
            let distance = [0.25, 1.0, 0.1][number / 2 % 3];
            found.clear();
            proximity_intervals(&a, &b, distance, &mut found, &mut stats);
            let told = |time| within_at_time(&a, &b, distance, window, time);
            check(&found, window, told, |s| compare_distance(&a, &b, s, distance).is_le(), &mut tally[1]);
        }
    }
    println!("{name}: {tally:?}");
    tally
}

#[test]
fn neighbours_of_every_end() {
    let [plain, thick] = battery("generic", 90, generic);
    assert!(plain.turns > 20 && thick.turns > 10, "guard");
    let [plain, thick] = battery("near", 270, near);
    assert!(plain.turns > 30 && thick.turns > 30, "guard");
}

#[test]
fn degenerate_motion() {
    let mut sum = [0, 0, 0];
    let mut add = |[plain, thick]: [Tally; 2]| {
        sum = [sum[0] + plain.turns, sum[1] + thick.turns, sum[2] + plain.exact_ends];
    };
    add(battery("integer grid", 180, |random| integer_grid(random, 5)));
    add(battery("small integer grid", 180, |random| integer_grid(random, 2)));
    add(battery("equal velocity", 90, equal_velocity));
    add(battery("sliding", 90, sliding));
    add(battery("touching", 90, touching));
    add(battery("edges", 90, edges));
    add(battery("degenerate", 180, degenerate));
    add(battery("mixed scales", 45, mixed_scales));
    assert!(sum[0] > 200 && sum[1] > 100 && sum[2] > 50, "guard: {sum:?}");
}

const FLOOR: [[f64; 3]; 3] = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];

/// A triangle that stands on one corner, whose height goes from one value to another, over the floor.
fn falling(from: f64, to: f64) -> [MovingTriangle; 2] {
    let at = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    [MovingTriangle { begin: at(from), end: at(to) }, MovingTriangle { begin: FLOOR, end: FLOOR }]
}

#[test]
fn ends_that_are_thirds() {
    // At s = 1/3 it touches.
    let [a, b] = falling(1.0, -2.0);
    for (window, first) in [((0.0, 3.0), 1.0), ((-1.0, 5.0), 1.0), ((1e9, 1e9 + 0.75), 1e9 + 0.25)] {
        assert!(touch_at_time(&a, &b, window, first) && within_at_time(&a, &b, 0.0, window, first));
        assert!(!touch_at_time(&a, &b, window, f64::next_down(first)), "{window:?}");
    }
    // No f64 number is a third of 1; a third of the way from 0.1 to 0.7 is not 0.3 either, nor the number below.
    assert!(!touch_at_time(&a, &b, (0.0, 1.0), 1.0 / 3.0));
    assert!(touch_at_time(&a, &b, (0.0, 1.0), (1.0_f64 / 3.0).next_up()));
    let is_true = rational(0.3) - rational(0.1) >= (rational(0.7) - rational(0.1)) / Q::from_integer(3.into());
    assert_eq!(touch_at_time(&a, &b, (0.1, 0.7), 0.3), is_true);
    // With thickness: half a metre above, after a sixth.
    assert!(within_at_time(&a, &b, 0.5, (0.0, 6.0), 1.0));
    assert!(!within_at_time(&a, &b, 0.5, (0.0, 6.0), 1.0_f64.next_down()));
    assert!(!within_at_time(&a, &b, 0.5_f64.next_down(), (0.0, 6.0), 1.0));
}

#[test]
fn outside_the_window_and_what_is_no_number() {
    let [a, b] = falling(1.0, -0.5);
    for (time, is_touching) in [(-9.0, false), (0.0, false), (1.0, true), (f64::MAX, true)] {
        assert_eq!(touch_at_time(&a, &b, (0.0, 1.0), time), is_touching);
        assert_eq!(within_at_time(&a, &b, 0.25, (0.0, 1.0), time), is_touching);
    }
    // A window without length is its end, or its begin.
    assert!(!touch_at_time(&a, &b, (2.0, 2.0), 2.0));
    for (window, time) in
        [((f64::NAN, 1.0), 0.5), ((0.0, f64::INFINITY), 0.5), ((0.0, 1.0), f64::NAN), ((f64::NEG_INFINITY, 1.0), 0.5)]
    {
        assert!(touch_at_time(&a, &b, window, time) && within_at_time(&a, &b, 0.25, window, time));
    }
    let mut broken = a;
    broken.end[0][0] = f64::NAN;
    assert!(touch_at_time(&broken, &b, (0.0, 1.0), 0.1) && within_at_time(&broken, &b, 0.25, (0.0, 1.0), 0.1));
    assert!(
        within_at_time(&a, &b, f64::NAN, (0.0, 1.0), 0.1) && within_at_time(&a, &b, f64::INFINITY, (0.0, 1.0), 0.1)
    );
    assert!(!within_at_time(&a, &b, -1.0, (0.0, 1.0), 0.1));
}

/// Where the parameter is an f64 number, the answers are those at an instant.
#[test]
fn agrees_with_instants() {
    let mut random = Random::new(77);
    for _ in 0..200 {
        let [a, b] = near(&mut random);
        let s = random.below(1 << 20) as f64 / f64::from(1 << 20);
        assert_eq!(touch_at_time(&a, &b, (0.0, 1.0), s), kinetree::narrow::intervals::touch_at(&a, &b, s));
        let still = |t: &MovingTriangle| MovingTriangle { begin: t.begin, end: t.begin };
        let within = triangles_within(&a.begin, &b.begin, 0.3);
        assert_eq!(within_at_time(&still(&a), &still(&b), 0.3, (0.1, 0.7), 0.3), within);
    }
}
