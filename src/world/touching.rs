//! Which triangles of two bodies touch at the clock's time: what each engine knows of them, then exact tests.
//!
//! | bodies | what is tested |
//! |---|---|
//! | both live | triangles below the overlapping leaves of their separation list |
//! | both go by windows | candidates of the interval, or triangles below leaf pairs whose windows hold the time |
//! | both swept, otherwise | triangles whose refitted boxes meet |
//! | one live, or one bounded from parameters | triangles below leaves whose boxes meet, of two trees of any kind |
//! | grid, brute force | their own |
//!
//! What a pair needs of its bodies' positions is evaluated first, then everything is only read.

use super::choice::Way;
use super::leaves::test_leaves;
use super::meetings::{Known, Meetings};
use super::rule::PairRule;
use super::trees::meeting_leaves;
use super::{Body, BodyPair, Index, World};
use crate::baseline;
use crate::id::{Arena, BodyId};
use crate::math::Aabb;
use crate::narrow::ContactRule;
use crate::time::Moment;

/// What is to be tested.
enum Suspects {
    /// Leaf pairs.
    Leaves(Vec<(u32, u32)>),
    /// Pairs of triangles whose boxes meet.
    Triangles(Vec<(u32, u32)>),
    /// The candidates of the pair's interval.
    Candidates,
    /// Everything.
    All,
}

impl World {
    /// Finds the pairs of triangles of a pair of bodies that touch at the clock's time, sorted.
    pub(super) fn touching(&mut self, number: u32) -> Vec<(u32, u32)> {
        if self.pairs[number as usize].is_hosted(&self.bodies) {
            return Vec::new();
        }
        let suspects = self.suspects(number);
        let Self { bodies, pairs, now, triangle_tests, .. } = self;
        let mut witnesses = std::mem::take(&mut pairs[number as usize].witnesses);
        let pair = &pairs[number as usize];
        let is_one = pair.a == pair.b;
        let mut found = Vec::new();
        let mut touching = |p: u32, q: u32| found.push(if is_one && p > q { (q, p) } else { (p, q) });
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let shapes = (shape_of(a), shape_of(b));
        let spheres = [a.spheres_at(*now), b.spheres_at(*now)];
        let rule = PairRule::new(pair, a).without_gaps(a, b).with_spheres(spheres);
        *triangle_tests += match (suspects, a.topology().zip(b.topology()), &pair.meetings) {
            (Suspects::Leaves(leaves), Some(trees), _) => {
                test_leaves(&leaves, trees, shapes, &rule, &mut witnesses, &mut touching)
            }
            (Suspects::Triangles(triangles), ..) => test_triangles(&triangles, shapes, &rule, &mut touching),
            (Suspects::Candidates, _, Some(meetings)) => meetings.touching(shapes, &rule, &mut touching),
            _ => match &a.index {
                Index::Grid(grid) => baseline::touching_by_grid(grid, shapes.0, shapes.1, &rule, &mut touching),
                _ => baseline::touching_by_brute_force(shapes.0, shapes.1, &rule, &mut touching),
            },
        };
        pairs[number as usize].witnesses = witnesses;
        found.sort_unstable();
        found
    }

    /// Finds what is to be tested of a pair of bodies, and evaluates its positions.
    fn suspects(&mut self, number: u32) -> Suspects {
        let Self { bodies, pairs, now, step, .. } = self;
        let (now, step) = (*now, *step);
        let BodyPair { a, b, distance, .. } = pairs[number as usize];
        let way = way_of(a, b, bodies, now, step);
        let pair = &mut pairs[number as usize];
        let is_one = a == b;
        let mut leaves: Vec<(u32, u32)> = Vec::new();
        let mut triangles: Vec<(u32, u32)> = Vec::new();
        if let Some(list) = &pair.list {
            leaves.extend(list.overlapping());
        } else if way == Some(Way::Refit) {
            let [tree_a, tree_b] = [a, b].map(|body| bodies.at(body).swept().and_then(|swept| swept.refitted()));
            let (Some(tree_a), Some(tree_b)) = (tree_a, tree_b) else { return Suspects::All };
            find_candidates(pair, (tree_a, tree_b), bodies.at(a), &mut triangles);
            evaluate_triangles(bodies.at_mut(a), triangles.iter().map(|pair| pair.0), now);
            evaluate_triangles(bodies.at_mut(b), triangles.iter().map(|pair| pair.1), now);
            return Suspects::Triangles(triangles);
        } else {
            let (mut is_known, mut has_candidates) = (false, false);
            if way == Some(Way::Window) {
                let mut meetings = pair.meetings.take().or_else(|| Meetings::new(distance));
                if let Some(meetings) = &mut meetings {
                    let (body_a, body_b) = (bodies.at(a), bodies.at(b));
                    let rule = PairRule::new(pair, body_a);
                    match meetings.follow(body_a, body_b, &rule, now) {
                        Known::Nothing => {}
                        Known::Leaves => is_known = meetings.leaves(is_one, now, &mut leaves),
                        Known::Triangles => {
                            let found = meetings.triangles();
                            evaluate_triangles(bodies.at_mut(a), found.iter().map(|pair| pair.0), now);
                            evaluate_triangles(bodies.at_mut(b), found.iter().map(|pair| pair.1), now);
                            has_candidates = true;
                        }
                    }
                }
                pairs[number as usize].meetings = meetings;
            }
            if has_candidates {
                return Suspects::Candidates;
            }
            if !is_known {
                let Some((tree_a, tree_b)) = pairs[number as usize].trees(bodies, now) else { return Suspects::All };
                meeting_leaves((&tree_a, &tree_b), is_one, distance, now, &mut leaves);
            }
        }
        // Sorted, so that what is read of the first body is read once, and the cost does not depend on history.
        leaves.sort_unstable();
        bodies.at_mut(a).note_near(leaves.iter().map(|pair| pair.0));
        bodies.at_mut(b).note_near(leaves.iter().map(|pair| pair.1));
        evaluate_leaves(bodies.at_mut(a), leaves.iter().map(|pair| pair.0), now);
        evaluate_leaves(bodies.at_mut(b), leaves.iter().map(|pair| pair.1), now);
        Suspects::Leaves(leaves)
    }
}

/// Which way two swept bodies go together, and brings what belongs to it up to date; `None` if one is not swept. A sleeper may have
/// slept through the end of its window, and one that goes its way alone may have to go another with a partner.
fn way_of(a: u32, b: u32, bodies: &mut Arena<BodyId, Body>, now: Moment, step: f64) -> Option<Way> {
    let followed = [a, b].map(|body| bodies.at_mut(body).follow(now, step));
    if followed == [true, true] {
        return Some(Way::Window);
    }
    let are_swept = [a, b].iter().all(|&body| bodies.at(body).swept().is_some());
    for (body, followed) in [a, b].into_iter().zip(followed) {
        if are_swept || !followed {
            bodies.at_mut(body).refit(now);
        }
    }
    are_swept.then_some(Way::Refit)
}

fn shape_of(body: &Body) -> baseline::Shape<'_> {
    baseline::Shape { triangles: body.mesh.triangles(), positions: body.snapshot.positions() }
}

/// Collects the wanted triangle pairs whose rounded boxes overlap.
fn find_candidates(
    pair: &BodyPair,
    (tree_a, tree_b): (&baseline::RefitTree, &baseline::RefitTree),
    body: &Body,
    candidates: &mut Vec<(u32, u32)>,
) {
    let rule = PairRule::new(pair, body);
    baseline::candidate_triangles(tree_a, tree_b, rule.distance(), |p, q| {
        let (p, q) = if rule.is_one { (p.min(q), p.max(q)) } else { (p, q) };
        if rule.wants(p, q) {
            candidates.push((p, q));
        }
    });
}

/// Evaluates the vertices of some leaves.
fn evaluate_leaves(body: &mut Body, leaves: impl Iterator<Item = u32>, now: Moment) {
    let topology = match &body.index {
        Index::Kinetic(tree) => tree.topology(),
        Index::Swept(swept) => swept.topology(),
        Index::Bounded(bounded) => bounded.topology(),
        Index::Grid(_) | Index::Brute => return,
    };
    for leaf in leaves {
        body.snapshot.evaluate(&body.motion, topology.leaf_points(leaf), now);
    }
}

/// Evaluates the corners of some triangles.
fn evaluate_triangles(body: &mut Body, triangles: impl Iterator<Item = u32>, now: Moment) {
    for triangle in triangles {
        body.snapshot.evaluate(&body.motion, &body.mesh.triangles()[triangle as usize], now);
    }
}

/// Tests candidate triangles; returns how many exact tests that took.
fn test_triangles(
    candidates: &[(u32, u32)],
    (a, b): (baseline::Shape<'_>, baseline::Shape<'_>),
    rule: &PairRule<'_>,
    touching: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    for &(triangle_a, triangle_b) in candidates {
        let (shape_a, shape_b) = (a.corners(triangle_a), b.corners(triangle_b));
        if Aabb::of_points(&shape_a).grown(rule.distance()).overlaps(&Aabb::of_points(&shape_b)) {
            tests += 1;
            if rule.touch((triangle_a, &shape_a), (triangle_b, &shape_b)) {
                touching(triangle_a, triangle_b);
            }
        }
    }
    tests
}
