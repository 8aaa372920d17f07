//! Pairs of moving triangles over one window: the library's intervals against true spans.

use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle, contact_intervals};
use kinetree::narrow::{neighbour_intervals, proximity_intervals};
use num_bigint::BigInt;

use super::generators::{
    Random, degenerate, edges, equal_velocity, generic, integer_grid, mixed_scales, near, sliding, touching,
};
use super::pair::{Corners, Moving, Rule, Span};
use super::scene::exact;

pub(crate) type Made = [MovingTriangle; 2];
type Generator = (&'static str, fn(&mut Random) -> Made);

/// What is asked of a pair.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    Contact,
    /// From a distance of 1.
    Distance,
    /// One common corner, or a common edge.
    Neighbours(usize),
}

const FAMILIES: [(Generator, Question); 14] = [
    (("generic", generic), Question::Contact),
    (("near", near), Question::Contact),
    (("integer grid", |random| integer_grid(random, 5)), Question::Contact),
    (("small integer grid", |random| integer_grid(random, 2)), Question::Contact),
    (("equal velocity", equal_velocity), Question::Contact),
    (("sliding in a plane", sliding), Question::Contact),
    (("touching", touching), Question::Contact),
    (("edge past edge", edges), Question::Contact),
    (("degenerate", degenerate), Question::Contact),
    (("mixed scales", mixed_scales), Question::Contact),
    (("a distance, integer grid", |random| integer_grid(random, 5)), Question::Distance),
    (("a distance, touching", touching), Question::Distance),
    (("a common corner", |random| integer_grid(random, 5)), Question::Neighbours(1)),
    (("a common edge", |random| integer_grid(random, 4)), Question::Neighbours(2)),
];

/// `mantissa · 2^exponent`.
fn parts(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)).cast_signed());
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let mantissa = if x < 0.0 { -mantissa } else { mantissa };
    let zeros = mantissa.trailing_zeros().min(52);
    if mantissa == 0 { (0, i32::MAX) } else { (mantissa >> zeros, exponent.max(1) - 1075 + zeros as i32) }
}

/// Whole coordinates, and by how many bits they and a distance of 1 were shifted up.
fn whole([a, b]: &Made) -> (Moving, i32) {
    let all = [&a.begin, &b.begin, &a.end, &b.end];
    let least = all.iter().flat_map(|t| t.iter().flatten()).map(|&x| parts(x).1).min().unwrap_or(0).min(0);
    let shifted = |x: f64| {
        let (mantissa, exponent) = parts(x);
        if mantissa == 0 { BigInt::default() } else { BigInt::from(mantissa) << (exponent - least) }
    };
    let corners = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| -> Corners {
        std::array::from_fn(|k| if k < 3 { a[k].map(shifted) } else { b[k - 3].map(shifted) })
    };
    (Moving { begin: corners(&a.begin, &b.begin), end: corners(&a.end, &b.end) }, -least)
}

fn holds(enclosure: kinetree::narrow::intervals::Enclosure, when: &super::algebra::Root) -> bool {
    when.compare(&exact(enclosure.lo)).is_ge() && when.compare(&exact(enclosure.hi)).is_le()
}

/// What is wrong with the intervals, if anything.
fn fault(found: &[ContactInterval], truth: &[Span], question: Question) -> Option<String> {
    for span in truth {
        let covers = |one: &&ContactInterval| {
            span.begin.compare(&exact(one.begin.lo)).is_ge() && span.end.compare(&exact(one.end.hi)).is_le()
        };
        if found.iter().find(covers).is_none() {
            return Some(format!("missed {span:?}"));
        }
    }
    for one in found {
        let meets = |span: &&Span| {
            span.end.compare(&exact(one.begin.lo)).is_ge() && span.begin.compare(&exact(one.end.hi)).is_le()
        };
        let inside: Vec<&Span> = truth.iter().filter(meets).collect();
        if inside.is_empty() {
            // A graze at a distance between two points of the grid may be left open.
            if one.undecided && question == Question::Distance && one.end.hi - one.begin.lo <= f64::EPSILON {
                continue;
            }
            return Some(format!("invented {one:?}"));
        }
        // Neighbours may lie in the cells of its ends.
        let first = inside.iter().position(|span| holds(one.begin, &span.begin));
        let last = first.and_then(|first| inside[first..].iter().position(|span| holds(one.end, &span.end)));
        let (Some(first), Some(count)) = (first, last) else {
            return Some(format!("an end is not in its enclosure: {one:?} for {inside:?}"));
        };
        for gap in inside[first..=first + count].windows(2) {
            // Both ends of a gap lie in one cell of the grid.
            let mut ends = [gap[0].end.clone(), gap[1].begin.clone()];
            let cells = ends.each_mut().map(|end| (end.about(56) * exact(2.0_f64.powi(53))).floor());
            if &cells[1] - &cells[0] > exact(1.0) {
                return Some(format!("a gap is closed: {one:?}"));
            }
        }
    }
    None
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) pairs: u64,
    pub(crate) spans: u64,
    pub(crate) instants: u64,
    pub(crate) undecided: u64,
    pub(crate) wrong: u64,
}

/// Compares pairs of every family in turn.
pub(crate) fn compare(seed: u64, count: u64) -> Vec<(&'static str, Tally)> {
    let mut random = Random::new(seed);
    let mut tallies: Vec<(&'static str, Tally)> =
        FAMILIES.iter().map(|((name, _), _)| (*name, Tally::default())).collect();
    let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
    for number in 0..count {
        let family = (number % FAMILIES.len() as u64) as usize;
        let ((_, make), question) = FAMILIES[family];
        let mut pair = make(&mut random);
        let common: Vec<(usize, usize)> = match question {
            Question::Neighbours(corners) => (0..corners).map(|k| (k, (k + 1) % 3)).collect(),
            _ => Vec::new(),
        };
        for &(p, q) in &common {
            (pair[1].begin[q], pair[1].end[q]) = (pair[0].begin[p], pair[0].end[p]);
        }
        let [a, b] = &pair;
        found.clear();
        let (moving, bits) = whole(&pair);
        let rule = match question {
            Question::Contact => Rule::Meet,
            Question::Distance => Rule::Within { begin: BigInt::from(1) << bits, end: BigInt::from(1) << bits },
            Question::Neighbours(_) => Rule::Neighbours(common.clone()),
        };
        match question {
            Question::Contact => contact_intervals(a, b, &mut found, &mut stats),
            Question::Distance => proximity_intervals(a, b, 1.0, &mut found, &mut stats),
            Question::Neighbours(_) => neighbour_intervals(a, b, &common, 0.0, &mut found, &mut stats),
        }
        let truth = moving.spans(&rule);
        let tally = &mut tallies[family].1;
        tally.pairs += 1;
        tally.spans += truth.len() as u64;
        tally.instants += truth.iter().filter(|span| span.is_instant).count() as u64;
        tally.undecided += found.iter().filter(|one| one.undecided).count() as u64;
        if let Some(fault) = fault(&found, &truth, question) {
            tally.wrong += 1;
            println!("{}, pair {number} of seed {seed}: {fault}\n{pair:?}", tallies[family].0);
        }
    }
    tallies
}
