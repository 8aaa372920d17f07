//! Decisions about two bodies in portions: equal to those in one, with nothing left out.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::pose_queries::{Case, case, pose_at, rounds};
use crate::common::dice::Dice;
use crate::truth::{meet, skinned};
use kinetree::math::Aabb;
use kinetree::narrow::{ContactRule, EveryPair};
use kinetree::reduced::bounds::{Budget, Decision, Level, PairQuery, PosedBounds};
use kinetree::reduced::{Pose, ReducedError};

/// Pairs of triangles that certainly touch.
fn touching(cases: &[Case; 2], poses: &[Pose; 2]) -> Vec<[u32; 2]> {
    let all = [0, 1].map(|i: usize| skinned(&cases[i].mesh, &poses[i]));
    let triangles = [0, 1].map(|i: usize| {
        let corners = |t: &[u32; 3]| t.map(|vertex| all[i][vertex as usize]);
        cases[i].mesh.mesh().triangles().iter().map(corners).collect::<Vec<_>>()
    });
    let mut found = Vec::new();
    let boxes: Vec<Aabb> = triangles[1].iter().map(Aabb::of_points).collect();
    for (p, one) in (0..).zip(&triangles[0]) {
        let near = Aabb::of_points(one).inflated(1e-9);
        for (q, (other, bounds)) in (0..).zip(triangles[1].iter().zip(&boxes)) {
            if near.overlaps(bounds) && meet(*one, *other) == Some(true) {
                found.push([p, q]);
            }
        }
    }
    found
}

/// Every pair in contact is below a pair of nodes that is left.
fn check_left(query: &PairQuery, cases: &[Case; 2], contacts: &[[u32; 2]], name: &str) {
    let below = |case: &Case, node: u32| BTreeSet::from_iter(case.tree.topology().primitives_below(node));
    let left: Vec<[BTreeSet<u32>; 2]> =
        query.undecided().map(|[x, y]| [below(&cases[0], x), below(&cases[1], y)]).collect();
    for [p, q] in contacts {
        let is_left = left.iter().any(|[x, y]| x.contains(p) && y.contains(q));
        assert!(is_left, "{name}: triangles {p} and {q} touch, and are below no pair that is left");
    }
}

fn of_two(
    seed: u64,
    vertices: usize,
    mut check: impl FnMut(&mut Dice, &[Case; 2], [&PosedBounds<'_>; 2], &[Pose; 2], &str),
) {
    for seed in seed..seed + rounds(4) {
        let cases = [case(seed, vertices), case(seed + 50, vertices)];
        let dice = &mut Dice::new(seed, &[84]);
        for step in 0..6 {
            let off = dice.pick(&[0.0, 1.0, 2.5]);
            let poses =
                [0, 1].map(|i: usize| pose_at(&cases[i].driver, dice.real(0.0, 1.0), [0.0, off * i as f64, 0.0]));
            let [a, b] = [0, 1].map(|i: usize| {
                PosedBounds::new(&cases[i].tree, &cases[i].mesh, Level::Corner, &poses[i]).expect("a pose of this body")
            });
            check(dice, &cases, [&a, &b], &poses, &format!("seed {seed}, step {step}"));
        }
    }
}

#[test]
fn portions_of_any_size_decide_as_one() {
    let (mut apart, mut found, mut interrupted) = (0, 0, 0);
    of_two(0, 200, |dice, cases, bodies, poses, name| {
        let contacts = touching(cases, poses);
        let [mut a, mut b] = bodies.map(Clone::clone);
        let mut whole = PairQuery::default();
        let expected = whole.decide(&mut a, &mut b, &EveryPair, Budget::UNLIMITED);
        assert!(whole.undecided().next().is_none(), "{name}");
        match expected {
            Decision::Apart => apart += 1,
            _ => found += 1,
        }
        assert!(contacts.is_empty() || expected != Decision::Apart, "{name}");
        let steps = whole.stats().looked_at;
        for portion in [1, 2, 5, 1 + dice.below(60) as u64, u64::MAX] {
            let [mut a, mut b] = bodies.map(Clone::clone);
            let mut query = PairQuery::default();
            let mut decision = query.decide(&mut a, &mut b, &EveryPair, Budget::steps(portion));
            let mut visited = query.stats().looked_at;
            for round in 0.. {
                let Decision::Undecided { pairs } = decision else { break };
                assert!(pairs > 0 && query.undecided().count() == pairs, "{name}, {portion}");
                assert_eq!(query.stats().looked_at, portion, "{name}");
                if round % 7 == 0 {
                    check_left(&query, cases, &contacts, name);
                }
                interrupted += 1;
                decision = query.resume(&mut a, &mut b, &EveryPair, Budget::steps(portion)).unwrap();
                visited += query.stats().looked_at;
            }
            assert_eq!((decision, visited), (expected, steps), "{name}: portions of {portion}");
            assert!(query.undecided().next().is_none(), "{name}");
            let refused = query.resume(&mut a, &mut b, &EveryPair, Budget::UNLIMITED);
            assert_eq!(refused, Err(ReducedError::NothingUndecided), "{name}");
        }
    });
    assert!(apart > 3 && found > 3 && interrupted > 200, "{apart}, {found}, {interrupted}");
}

/// What a host does between two portions: other queries, the same pose again, a copy of the body.
#[test]
fn what_happens_between_portions_changes_no_decision() {
    let (mut resumed, mut touched, mut parted) = (0, 0, 0);
    of_two(20, 200, |dice, cases, bodies, poses, name| {
        let contacts = touching(cases, poses);
        let [mut a, mut b] = bodies.map(Clone::clone);
        let mut query = PairQuery::default();
        let mut decision = query.decide(&mut a, &mut b, &EveryPair, Budget::steps(3));
        while let Decision::Undecided { .. } = decision {
            match dice.below(5) {
                0 => {
                    a.set_pose(&pose_at(&cases[0].driver, 0.5, [9.0; 3])).unwrap();
                    a.support([1.0, 0.0, 0.0]);
                    let refused = query.resume(&mut a, &mut b, &EveryPair, Budget::steps(3));
                    assert_eq!(refused, Err(ReducedError::OtherPose { body: 0 }), "{name}");
                    a.set_pose(&poses[0]).unwrap();
                }
                1 => b.set_pose(&poses[1]).unwrap(),
                2 => [a, b] = bodies.map(Clone::clone),
                3 => {
                    a.nearest([0.3; 3], f64::INFINITY);
                    b.triangles_in(&Aabb { min: [-1.0; 3], max: [1.0; 3] }, &mut Vec::new());
                }
                _ => {}
            }
            if resumed % 5 == 0 {
                check_left(&query, cases, &contacts, name);
            }
            decision = query.resume(&mut a, &mut b, &EveryPair, Budget::steps(3)).unwrap();
            resumed += 1;
        }
        match decision {
            Decision::Touching { triangles: (p, q) } => {
                let all = [0, 1].map(|i: usize| skinned(&cases[i].mesh, &poses[i]));
                let corners = |i: usize, t: u32| {
                    cases[i].mesh.mesh().triangles()[t as usize].map(|vertex| all[i][vertex as usize])
                };
                assert_ne!(meet(corners(0, p), corners(1, q)), Some(false), "{name}: {p}, {q}");
                touched += 1;
            }
            _ => {
                assert!(contacts.is_empty(), "{name}: {decision:?}, but {:?} touch", contacts[0]);
                parted += 1;
            }
        }
    });
    assert!(resumed > 30 && touched > 3 && parted > 3, "{resumed}, {touched}, {parted}");
}

#[test]
fn budgets_of_time_end_and_go_on() {
    let mut interrupted = 0;
    of_two(40, 1500, |_, _, bodies, _, name| {
        let [mut a, mut b] = bodies.map(Clone::clone);
        let expected = PairQuery::default().decide(&mut a, &mut b, &EveryPair, Budget::UNLIMITED);
        for budget in [Budget::until(Instant::now()), Budget::lasting(Duration::ZERO)] {
            let [mut a, mut b] = bodies.map(Clone::clone);
            let mut query = PairQuery::default();
            let mut decision = query.decide(&mut a, &mut b, &EveryPair, budget);
            while let Decision::Undecided { .. } = decision {
                assert_eq!(query.stats().looked_at, 16, "{name}: a time that has passed");
                interrupted += 1;
                decision = query.resume(&mut a, &mut b, &EveryPair, budget).unwrap();
            }
            assert_eq!(decision, expected, "{name}");
        }
        let mut query = PairQuery::default();
        let both = Budget::lasting(Duration::from_secs(1000)).at_most(2);
        query.decide(&mut a, &mut b, &EveryPair, both);
        assert!(query.stats().looked_at <= 2, "{name}");
        let mut query = PairQuery::default();
        let decision = query.decide(&mut a, &mut b, &EveryPair, Budget::lasting(Duration::MAX));
        assert!(!matches!(decision, Decision::Undecided { .. }), "{name}");
    });
    assert!(interrupted > 5, "{interrupted}");
}

/// Triangles whose boxes are within a distance.
struct Near(f64);

impl ContactRule for Near {
    fn distance(&self) -> f64 {
        self.0
    }

    fn wants(&self, _: u32, _: u32) -> bool {
        true
    }

    fn touch(&self, a: (u32, &[[f64; 3]; 3]), b: (u32, &[[f64; 3]; 3])) -> bool {
        Aabb::of_points(a.1).inflated(self.0).overlaps(&Aabb::of_points(b.1))
    }
}

#[test]
fn searches_of_others_are_refused_and_kept() {
    let cases = [case(1, 300), case(51, 300)];
    let poses = [0, 1].map(|i: usize| pose_at(&cases[i].driver, 0.3, [0.0; 3]));
    let new = |i: usize| PosedBounds::new(&cases[i].tree, &cases[i].mesh, Level::Corner, &poses[i]).unwrap();
    let [mut a, mut b] = [new(0), new(1)];
    let mut query = PairQuery::default();
    let none = Err(ReducedError::NothingUndecided);
    let one = Budget::steps(1);
    assert_eq!(query.resume(&mut a, &mut b, &EveryPair, one), none);
    let first = query.decide(&mut a, &mut b, &EveryPair, one);
    assert!(matches!(first, Decision::Undecided { .. }), "{first:?}");
    let left: Vec<[u32; 2]> = query.undecided().collect();
    let refuse = |query: &mut PairQuery, a: &mut PosedBounds<'_>, b: &mut PosedBounds<'_>, body: usize| {
        assert_eq!(query.resume(a, b, &EveryPair, one), Err(ReducedError::OtherPose { body }));
        assert!(query.undecided().eq(left.iter().copied()), "a refused call has changed the search");
    };
    refuse(&mut query, &mut b.clone(), &mut a.clone(), 0);
    refuse(&mut query, &mut a.clone(), &mut a.clone(), 1);
    // A second body, not a clone: its nodes need not be laid out in the same way.
    refuse(&mut query, &mut new(0), &mut b.clone(), 0);
    let mut moved = b.clone();
    moved.set_pose(&pose_at(&cases[1].driver, 0.3, [0.0, 1e-12, 0.0])).unwrap();
    refuse(&mut query, &mut a.clone(), &mut moved, 1);
    let refused = query.resume(&mut a, &mut b, &Near(0.25), one);
    assert_eq!(refused, Err(ReducedError::OtherDistance { expected: 0.0, found: 0.25 }));
    assert!(query.undecided().eq(left.iter().copied()));
    let mut other = query.clone();
    assert!(other.resume(&mut a, &mut b, &EveryPair, Budget::UNLIMITED).is_ok(), "it is kept");
    // Any other query ends the search.
    query.touching(&mut a, &mut b, &EveryPair, &mut |_, _| ()).unwrap();
    assert_eq!(query.resume(&mut a, &mut b, &EveryPair, one), none);
    assert!(query.undecided().next().is_none());
}
