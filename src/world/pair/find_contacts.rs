//! Which triangles of two bodies touch at the clock's time: what each engine knows of them, then exact tests.
//!
//! | bodies | what is tested |
//! |---|---|
//! | both live | triangles below the overlapping leaves of their separation list, first told apart in `f32` |
//! | both go by windows | candidates of the interval that are not certain, or triangles below leaf pairs whose windows hold the time, as above |
//! | both swept, otherwise | triangles whose refitted boxes meet and that no direction tells apart |
//! | both bounded or swept, one bounded, and both refitted | as both swept |
//! | otherwise one live, baked, or bounded from parameters | triangles below leaves whose boxes meet, of two trees of any kind, as above |
//! | grid, brute force | their own |
//!
//! What a pair needs of its bodies is brought up to date first, and its positions are evaluated before the tests; in between and then,
//! bodies are only read, and pairs are looked at side by side (`threads`).

use crate::id::{Arena, BodyId};
use crate::limits;
use crate::math::Aabb;
use crate::narrow::ContactRule;
use crate::threads::for_each;
use crate::time::Moment;
use crate::world::pair::front::Front;
use crate::world::pair::interval::{IntervalFinder, Progress, test_open};
use crate::world::rule::PairRule;
use crate::world::tree::cost_model::{Weighed, fall_back_to_refit};
use crate::world::tree::leaves::{near_triangles, test_leaves};
use crate::world::tree::mode::Mode;
use crate::world::tree::view::meeting_leaves;
use crate::world::{Body, BodyPair, Index, World};
use crate::{oracle, refit};

type Bodies = Arena<BodyId, Body>;

/// What is to be tested.
enum PairCandidates {
    /// Nothing: the host does that.
    None,
    /// That is not known yet.
    Later,
    /// Triangles below the leaf pairs.
    Leaves,
    /// Pairs of triangles that are not told apart in `f32`.
    Near(Vec<(u32, u32)>),
    /// Pairs of triangles whose boxes meet.
    Triangles(Vec<(u32, u32)>),
    /// Pairs of triangles that touch, ascending, and others that are to be tested.
    Open { touching: Vec<(u32, u32)>, open: Vec<(u32, u32)> },
    /// Everything.
    All,
}

/// A pair of bodies that is looked at: what is its own, so that pairs can be looked at side by side.
struct PairTask {
    number: u32,
    /// Which way two swept bodies go together.
    mode: Option<Mode>,
    /// Does it go by windows, with a body of which it is not known yet whether it will?
    is_trial: bool,
    interval_finder: Option<IntervalFinder>,
    front: Option<Box<Front>>,
    /// Were suspects found along the front?
    is_by_front: bool,
    /// Leaves of two trees that meet, or may, where these were looked for.
    leaves: Vec<(u32, u32)>,
    candidates: PairCandidates,
    found: Vec<(u32, u32)>,
    tests: u64,
}

impl World {
    /// Finds, for some pairs of bodies, the pairs of triangles that touch at the clock's time, sorted.
    pub(crate) fn find_touching(&mut self, numbers: &[u32]) -> Vec<(u32, Vec<(u32, u32)>)> {
        let Self { bodies, pairs, now, step, triangle_tests, has_trials, .. } = self;
        let (now, step) = (*now, *step);
        // What is asked of both bodies is brought up to date first, pair by pair, as bodies are in several pairs.
        let mut looks: Vec<PairTask> = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let pair = &mut pairs[number as usize];
            let is_hosted = pair.is_hosted(bodies);
            let mode = if is_hosted { None } else { mode_of(pair.a, pair.b, bodies, now, step) };
            let is_trial =
                mode == Some(Mode::Interval) && [pair.a, pair.b].iter().any(|&body| bodies.at(body).has_both_modes());
            *has_trials |= is_trial;
            looks.push(PairTask {
                number,
                mode,
                is_trial,
                interval_finder: pair.interval_finder.take(),
                front: pair.front.take(),
                is_by_front: false,
                leaves: Vec::new(),
                candidates: if is_hosted { PairCandidates::None } else { PairCandidates::All },
                found: Vec::new(),
                tests: 0,
            });
        }
        for_each(&mut looks, |look| look.find_suspects(&pairs[look.number as usize], bodies, now, step, true));
        let mut weighed: Vec<Weighed> = Vec::new();
        for look in looks.iter_mut().filter(|look| step > 0.0 && look.mode == Some(Mode::Interval)) {
            let costs = look.interval_finder.as_mut().and_then(|interval_finder| interval_finder.weigh(now));
            weighed.push(Weighed { pair: [pairs[look.number as usize].a, pairs[look.number as usize].b], costs });
        }
        fall_back_to_refit(&weighed, bodies, step);
        for look in looks.iter_mut().filter(|look| matches!(look.candidates, PairCandidates::Later)) {
            let BodyPair { a, b, .. } = pairs[look.number as usize];
            if [a, b].iter().any(|&body| bodies.at(body).has_left_intervals()) {
                look.mode = Some(Mode::Refit);
                [a, b].iter().for_each(|&body| bodies.at_mut(body).refit(now));
            }
        }
        for_each(&mut looks, |look| {
            if matches!(look.candidates, PairCandidates::Later) {
                look.find_suspects(&pairs[look.number as usize], bodies, now, step, false);
            }
        });
        for look in &looks {
            look.evaluate(&pairs[look.number as usize], bodies, now);
        }
        for_each(&mut looks, |look| look.test(&pairs[look.number as usize], bodies, now));
        let mut found = Vec::with_capacity(looks.len());
        for mut look in looks {
            look.forget_idle();
            let pair = &mut pairs[look.number as usize];
            (pair.interval_finder, pair.front) = (look.interval_finder, look.front);
            *triangle_tests += look.tests;
            found.push((look.number, look.found));
        }
        found
    }
}

impl PairTask {
    /// Finds what is to be tested. Of windows of engine auto only enough to tell what they cost, where `is_asked` says that this is asked for.
    fn find_suspects(&mut self, pair: &BodyPair, bodies: &Bodies, now: Moment, step: f64, is_asked: bool) {
        if matches!(self.candidates, PairCandidates::None) {
            return;
        }
        let is_self = pair.a == pair.b;
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let mut leaves: Vec<(u32, u32)> = Vec::new();
        if let Some(list) = &pair.list {
            leaves.extend(list.overlapping());
        } else if self.mode == Some(Mode::Refit) {
            if let Some(near) = Front::look(&mut self.front, pair, (a, b)) {
                self.candidates = PairCandidates::Near(near);
                return;
            }
            let [tree_a, tree_b] = [a, b].map(|body| body.discrete().and_then(|discrete| discrete.refitted()));
            let (Some(tree_a), Some(tree_b)) = (tree_a, tree_b) else { return };
            let mut triangles: Vec<(u32, u32)> = Vec::new();
            find_candidates(pair, (tree_a, tree_b), a, &mut triangles);
            self.candidates = PairCandidates::Triangles(triangles);
            return;
        } else {
            let mut is_known = false;
            if self.is_trial {
                // So that the first advance finds a front, should it go by refits.
                let _ = Front::look(&mut self.front, pair, (a, b));
            }
            if self.mode == Some(Mode::Interval) {
                self.interval_finder = self.interval_finder.take().or_else(|| IntervalFinder::new(pair.distance));
                if let Some(interval_finder) = &mut self.interval_finder {
                    let is_asked = is_asked && [a, b].iter().any(|body| body.may_leave_intervals());
                    match interval_finder.follow(a, b, &PairRule::new(pair, a), (now, step), is_asked) {
                        Progress::Nothing => {}
                        Progress::Later => {
                            self.candidates = PairCandidates::Later;
                            return;
                        }
                        Progress::Leaves => is_known = interval_finder.leaves(is_self, now, &mut leaves),
                        Progress::Triangles => {
                            let [touching, open] = interval_finder.candidates(now);
                            self.candidates = PairCandidates::Open { touching, open };
                            return;
                        }
                    }
                }
            }
            if !is_known {
                if [a, b].iter().any(|body| body.is_bounded())
                    && let Some(near) = Front::look(&mut self.front, pair, (a, b))
                {
                    (self.candidates, self.is_by_front) = (PairCandidates::Near(near), true);
                    return;
                }
                let Some((tree_a, tree_b)) = pair.trees(bodies, now) else { return };
                meeting_leaves((&tree_a, &tree_b), is_self, pair.distance, now, &mut leaves);
            }
        }
        // Sorted, so that what is read of the first body is read once, and the cost does not depend on history.
        leaves.sort_unstable();
        // Spheres reach beyond the corners of their boxes.
        self.candidates = if [a, b].iter().any(|body| body.motion.spheres().is_some()) {
            PairCandidates::Leaves
        } else {
            PairCandidates::Near(near_triangles(pair, (a, b), &leaves, now))
        };
        self.leaves = leaves;
    }

    /// Gives up what belongs to the other way, if it has not been needed for long; not all pairs at the same look.
    fn forget_idle(&mut self) {
        let most = limits::STEPS_BEFORE_RELEASE + self.number % limits::STEPS_BEFORE_RELEASE;
        let is_forgotten = |idle: &mut u32, is_used: bool| {
            *idle = if is_used { 0 } else { *idle + 1 };
            *idle > most
        };
        if self.interval_finder.as_mut().is_some_and(|it| is_forgotten(&mut it.idle, self.mode == Some(Mode::Interval)))
        {
            self.interval_finder = None;
        }
        let is_front_used = self.mode == Some(Mode::Refit) || self.is_by_front;
        if self.front.as_mut().is_some_and(|it| is_forgotten(&mut it.idle, is_front_used)) {
            self.front = None;
        }
    }

    /// Evaluates the positions of what is to be tested.
    fn evaluate(&self, pair: &BodyPair, bodies: &mut Bodies, now: Moment) {
        for (side, body) in [pair.a, pair.b].into_iter().enumerate() {
            let body = bodies.at_mut(body);
            match &self.front {
                Some(front) if self.is_by_front => body.note_near_places(front.met(side), pair.a == pair.b),
                _ => body.note_near(self.leaves.iter().map(|pair| [pair.0, pair.1][side])),
            }
        }
        match &self.candidates {
            PairCandidates::Leaves => {
                evaluate_leaves(bodies.at_mut(pair.a), self.leaves.iter().map(|pair| pair.0), now);
                evaluate_leaves(bodies.at_mut(pair.b), self.leaves.iter().map(|pair| pair.1), now);
            }
            PairCandidates::Near(triangles)
            | PairCandidates::Triangles(triangles)
            | PairCandidates::Open { open: triangles, .. } => {
                evaluate_triangles(bodies.at_mut(pair.a), triangles.iter().map(|pair| pair.0), now);
                evaluate_triangles(bodies.at_mut(pair.b), triangles.iter().map(|pair| pair.1), now);
            }
            PairCandidates::All | PairCandidates::None | PairCandidates::Later => {}
        }
    }

    /// Tests it.
    fn test(&mut self, pair: &BodyPair, bodies: &Bodies, now: Moment) {
        let (candidates, is_self) = (std::mem::replace(&mut self.candidates, PairCandidates::None), pair.a == pair.b);
        let found = &mut self.found;
        let mut touching = |p: u32, q: u32| found.push(if is_self && p > q { (q, p) } else { (p, q) });
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let shapes = (shape_of(a), shape_of(b));
        let spheres = [a.spheres_at(now), b.spheres_at(now)];
        let are_triangles = spheres.iter().all(Option::is_none);
        let rule = PairRule::new(pair, a).without_gaps(a, b).with_spheres(spheres);
        let mut certain: Vec<(u32, u32)> = Vec::new();
        self.tests = match (candidates, a.topology().zip(b.topology())) {
            (PairCandidates::None | PairCandidates::Later, _) => 0,
            (PairCandidates::Leaves, Some(trees)) => test_leaves(&self.leaves, trees, shapes, &rule, &mut touching),
            (PairCandidates::Near(triangles), _) => test_near(&triangles, shapes, &rule, &mut touching),
            (PairCandidates::Triangles(triangles), _) if are_triangles => {
                test_open(&triangles, shapes, &rule, &mut touching)
            }
            (PairCandidates::Triangles(triangles), _) => test_triangles(&triangles, shapes, &rule, &mut touching),
            (PairCandidates::Open { touching: known, open }, _) => {
                certain = known;
                test_open(&open, shapes, &rule, &mut touching)
            }
            _ => match &a.index {
                Index::Grid(grid) => oracle::touching_by_grid(grid, shapes.0, shapes.1, &rule, &mut touching),
                _ => oracle::touching_by_brute_force(shapes.0, shapes.1, &rule, &mut touching),
            },
        };
        if !self.found.is_sorted() {
            // Two numbers are compared as one.
            self.found.sort_unstable_by_key(|&(p, q)| u64::from(p) << 32 | u64::from(q));
        }
        // Certain ones come in order.
        if !certain.is_empty() {
            self.found = merged(&self.found, &certain);
        }
    }
}

/// Both lists of pairs, ascending, as one.
fn merged(found: &[(u32, u32)], certain: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut all = Vec::with_capacity(found.len() + certain.len());
    let mut certain = certain;
    for &other in found {
        let (before, rest) = certain.split_at(certain.iter().take_while(|&&pair| pair < other).count());
        all.extend_from_slice(before);
        all.push(other);
        certain = rest;
    }
    all.extend_from_slice(certain);
    all
}

/// Which way two swept bodies go together, and brings what belongs to it up to date; `None` if one is live or baked. A sleeper may have
/// slept through the end of its window, and one that goes its way alone may have to go another with a partner.
fn mode_of(a: u32, b: u32, bodies: &mut Bodies, now: Moment, step: f64) -> Option<Mode> {
    let followed = [a, b].map(|body| bodies.at_mut(body).follow(now, step));
    if followed == [true, true] {
        if [a, b].iter().any(|&body| bodies.at(body).has_both_modes()) {
            [a, b].iter().for_each(|&body| bodies.at_mut(body).refit(now));
        }
        return Some(Mode::Interval);
    }
    let replayed = [0, 1].map(|side| !followed[side] && bodies.at_mut([a, b][side]).replay(now));
    let are_swept = [a, b].iter().all(|&body| bodies.at(body).discrete().is_some());
    let all_refitted = are_swept && replayed == [false, false];
    for (side, body) in [a, b].into_iter().enumerate() {
        if all_refitted || !(followed[side] || replayed[side]) {
            bodies.at_mut(body).refit(now);
        }
    }
    all_refitted.then_some(Mode::Refit)
}

fn shape_of(body: &Body) -> oracle::Shape<'_> {
    oracle::Shape { triangles: body.mesh.triangles(), positions: body.snapshot.positions() }
}

/// Collects the wanted triangle pairs whose rounded boxes overlap.
fn find_candidates(
    pair: &BodyPair,
    (tree_a, tree_b): (&refit::RefitTree, &refit::RefitTree),
    body: &Body,
    candidates: &mut Vec<(u32, u32)>,
) {
    let rule = PairRule::new(pair, body);
    refit::candidate_triangles(tree_a, tree_b, rule.distance(), |p, q| {
        let (p, q) = if rule.is_self { (p.min(q), p.max(q)) } else { (p, q) };
        if rule.wants(p, q) {
            candidates.push((p, q));
        }
    });
}

/// Evaluates the vertices of some leaves.
fn evaluate_leaves(body: &mut Body, leaves: impl Iterator<Item = u32>, now: Moment) {
    let topology = match &body.index {
        Index::Kinetic(tree) => tree.topology(),
        Index::Discrete(discrete) => discrete.topology(),
        Index::OnDemand(bounded) => bounded.topology(),
        Index::Grid(_) | Index::Brute => return,
    };
    body.snapshot.evaluate(&body.motion, leaves.flat_map(|leaf| topology.leaf_points(leaf)), now);
}

/// Evaluates the corners of some triangles.
fn evaluate_triangles(body: &mut Body, triangles: impl Iterator<Item = u32>, now: Moment) {
    let Body { snapshot, motion, mesh, .. } = body;
    snapshot.evaluate(motion, triangles.flat_map(|triangle| &mesh.triangles()[triangle as usize]), now);
}

/// Tests triangles whose boxes meet; returns how many exact tests that took.
fn test_near(
    near: &[(u32, u32)],
    (a, b): (oracle::Shape<'_>, oracle::Shape<'_>),
    rule: &PairRule<'_>,
    touching: &mut impl FnMut(u32, u32),
) -> u64 {
    for &(p, q) in near {
        if rule.touch((p, &a.corners(p)), (q, &b.corners(q))) {
            touching(p, q);
        }
    }
    near.len() as u64
}

/// Tests candidates of which some are spheres; returns how many exact tests that took.
fn test_triangles(
    candidates: &[(u32, u32)],
    (a, b): (oracle::Shape<'_>, oracle::Shape<'_>),
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
