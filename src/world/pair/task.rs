//! One pair of bodies in one step: its finder, what the finder found, and the exact tests of that.

use crate::bvh::Topology;
use crate::interval::PairedBodies;
use crate::math::Aabb;
use crate::narrow::ContactRule;
use crate::oracle::{self, Shape};
use crate::refit;
use crate::threads;
use crate::time::Moment;
use crate::world::body::Body;
use crate::world::body::bodies::Bodies;
use crate::world::pair::BodyPair;
use crate::world::pair::engine_choice::{EngineSelector, PairMode};
use crate::world::pair::finder::{IdleFinder, PairFinder};
use crate::world::pair::interval::{Progress, test_open};
use crate::world::pair::scratch::{GatherRoom, PairBuffers, Pool};
use crate::world::pair::spare::{SparePairs, most_of};
use crate::world::rule::PairRule;
use crate::world::tree::cost_model::Costs;
use crate::world::tree::leaves::test_leaves;
use crate::world::tree::view::meeting_leaves;

/// What is to be tested.
enum Candidates {
    /// Nothing.
    None,
    /// Every triangle against every triangle.
    All,
    /// Triangles below leaf pairs ([`PairBuffers::leaves`]), some of them spheres.
    Leaves,
    /// Pairs of triangles ([`PairBuffers::open`]) that the `f32` filter did not reject, or pairs
    /// with spheres whose refitted boxes meet.
    Filtered,
    /// Pairs of triangles that touch ([`PairBuffers::certain`]), and others that may
    /// ([`PairBuffers::open`]).
    Open,
}

impl Candidates {
    /// Whether there is a pair of triangles to test.
    fn are_tested(&self, leaves: &[(u32, u32)], open: &[(u32, u32)]) -> bool {
        match self {
            Self::None => false,
            Self::Leaves => !leaves.is_empty(),
            Self::Filtered | Self::Open => !open.is_empty(),
            Self::All => true,
        }
    }
}

/// The state of a search.
enum Search {
    /// Not finished: the costs of the interval are asked first.
    Unfinished,
    Done(Candidates),
}

/// One pair of bodies in one step. It owns the pair's finder, so that pairs can be processed side
/// by side.
pub(crate) struct PairTask {
    pub(crate) number: u32,
    /// How two bodies that are not both kinetic find their contacts in this step.
    pub(crate) mode: Option<PairMode>,
    /// Whether a front is kept beside the interval, as the length of the host's steps is not known.
    pub(crate) is_trial: bool,
    pub(crate) finder: PairFinder,
    pub(crate) idle: Option<IdleFinder>,
    /// Whether candidates were found along the front.
    is_by_front: bool,
    search: Search,
    /// Empty at first.
    buffers: PairBuffers,
    /// Exact tests of triangles.
    pub(crate) tests: u64,
}

impl PairTask {
    /// Takes the finder of a pair, or the one chosen for this step.
    pub(crate) fn begin(
        number: u32,
        pair: &mut BodyPair,
        selector: &mut EngineSelector<'_>,
        (buffers, spare): (PairBuffers, &mut SparePairs),
    ) -> Self {
        let mode = pair.finder.is_chosen_per_step().then(|| selector.choose(pair));
        let mut task = Self {
            number,
            mode,
            is_trial: mode == Some(PairMode::Interval) && selector.has_both_modes(pair),
            finder: std::mem::take(&mut pair.finder),
            idle: pair.idle.take(),
            is_by_front: false,
            search: Search::Unfinished,
            buffers,
            tests: 0,
        };
        if let Some(mode) = mode {
            let most = most_of(selector.bodies.at(pair.a), selector.bodies.at(pair.b));
            task.change_mode(mode, pair, (spare, most));
        }
        task
    }

    /// Exchanges the finder for that of a mode: the idle one, if it is of this mode, or a new one,
    /// in memory that was kept if that has at most `most` bytes.
    pub(crate) fn change_mode(&mut self, mode: PairMode, pair: &BodyPair, (spare, most): (&mut SparePairs, usize)) {
        self.mode = Some(mode);
        let is_of_mode = |finder: &PairFinder| match finder {
            PairFinder::Interval(_) => mode == PairMode::Interval,
            PairFinder::Front(_) => mode == PairMode::Front,
            _ => mode == PairMode::Mixed,
        };
        if is_of_mode(&self.finder) {
            return;
        }
        let idle = self.idle.take_if(|idle| is_of_mode(&idle.finder)).map(|idle| idle.finder);
        let next = idle.unwrap_or_else(|| match mode {
            PairMode::Interval => {
                spare.interval_finder(pair.distance, most).map_or(PairFinder::Mixed, PairFinder::Interval)
            }
            PairMode::Front => PairFinder::Front(spare.fronts.take(most).unwrap_or_default()),
            PairMode::Mixed => PairFinder::Mixed,
        });
        let last = std::mem::replace(&mut self.finder, next);
        if !matches!(last, PairFinder::Mixed) {
            self.idle = Some(IdleFinder::new(last));
        }
    }

    /// Whether the search waits for the costs of the interval.
    pub(crate) fn is_unfinished(&self) -> bool {
        matches!(self.search, Search::Unfinished)
    }

    /// The costs of the interval and its length, seconds, if it has begun in this step.
    pub(crate) fn costs(&mut self, now: Moment, bodies: PairedBodies<'_>) -> Option<(Costs, f64)> {
        match &mut self.finder {
            PairFinder::Interval(finder) => finder.weigh(now, bodies),
            _ => None,
        }
    }

    /// Finds what is to be tested. Where `may_weigh` is set and the bodies may leave a new
    /// interval, only as much as is needed to tell what the interval costs.
    pub(crate) fn find(
        &mut self,
        pair: &BodyPair,
        bodies: &Bodies,
        (now, step): (Moment, f64),
        may_weigh: bool,
        room: &GatherRoom,
    ) {
        let sides = (bodies.at(pair.a), bodies.at(pair.b));
        if self.is_trial && may_weigh {
            self.update_idle_front(pair, sides);
        }
        self.search = match &mut self.finder {
            PairFinder::Hosted(_) | PairFinder::Continuous(_) => Search::Done(Candidates::None),
            PairFinder::BruteForce => Search::Done(Candidates::All),
            PairFinder::List(list) => {
                self.buffers.leaves.extend(list.overlapping());
                Search::Done(self.below_leaves(pair, sides, now, room))
            }
            PairFinder::Interval(finder) => {
                let may_weigh = may_weigh && [sides.0, sides.1].iter().any(|body| body.may_leave_intervals());
                match finder.update(sides, &pair.rule(sides.0), (now, step), may_weigh) {
                    Progress::Unfinished => Search::Unfinished,
                    Progress::Triangles => {
                        finder.candidates(now, &mut self.buffers.certain, &mut self.buffers.open);
                        Search::Done(Candidates::Open)
                    }
                    Progress::Leaves if finder.leaves(pair.is_self(), now, &mut self.buffers.leaves) => {
                        Search::Done(self.below_leaves(pair, sides, now, room))
                    }
                    Progress::Leaves | Progress::Nothing => Search::Done(self.below_trees(pair, bodies, now, room)),
                }
            }
            PairFinder::Front(front) => {
                if front.update(pair, sides, &mut self.buffers.open) {
                    self.is_by_front = true;
                    Search::Done(Candidates::Filtered)
                } else if sides.0.is_on_demand() || sides.1.is_on_demand() {
                    Search::Done(self.below_trees(pair, bodies, now, room))
                } else {
                    Search::Done(below_refitted(pair, sides, &mut self.buffers.open))
                }
            }
            PairFinder::Mixed => Search::Done(self.below_trees(pair, bodies, now, room)),
        };
    }

    /// Keeps a front beside the interval, so that the first step with a known length finds one,
    /// should it be a refit.
    fn update_idle_front(&mut self, pair: &BodyPair, sides: (&Body, &Body)) {
        let idle = self.idle.get_or_insert_with(|| IdleFinder::new(PairFinder::Front(Box::default())));
        if let PairFinder::Front(front) = &mut idle.finder {
            front.update(pair, sides, &mut self.buffers.open);
            self.buffers.open.clear();
        }
    }

    /// Candidates below leaves whose boxes meet, of two trees traversed together.
    fn below_trees(&mut self, pair: &BodyPair, bodies: &Bodies, now: Moment, room: &GatherRoom) -> Candidates {
        let Some((tree_a, tree_b)) = pair.trees(bodies, now) else { return Candidates::All };
        meeting_leaves((&tree_a, &tree_b), pair.is_self(), pair.distance, now, &mut self.buffers.leaves);
        self.below_leaves(pair, (bodies.at(pair.a), bodies.at(pair.b)), now, room)
    }

    /// Candidates below the leaf pairs of the task.
    fn below_leaves(&mut self, pair: &BodyPair, (a, b): (&Body, &Body), now: Moment, room: &GatherRoom) -> Candidates {
        // Sorted, so that vertices of the first body are read once, and the cost does not depend on
        // history.
        self.buffers.leaves.sort_unstable();
        // Spheres reach beyond the corners of their boxes.
        if a.is_of_spheres() || b.is_of_spheres() {
            return Candidates::Leaves;
        }
        let PairBuffers { leaves, open, .. } = &mut self.buffers;
        room.lend(|[of_a, of_b]| near_triangles(pair, (a, b), leaves, now, (of_a, of_b), open));
        Candidates::Filtered
    }

    /// How many pairs of triangles are to be tested or known to touch, as far as they are counted.
    pub(crate) fn candidate_count(&self) -> usize {
        match &self.search {
            Search::Done(Candidates::Filtered) => self.buffers.open.len(),
            Search::Done(Candidates::Open) => self.buffers.certain.len() + self.buffers.open.len(),
            Search::Done(Candidates::Leaves) => self.buffers.leaves.len(),
            Search::Done(Candidates::None | Candidates::All) | Search::Unfinished => 0,
        }
    }

    /// Pairs of triangles that touch, sorted.
    pub(crate) fn found(&self) -> &[(u32, u32)] {
        &self.buffers.found
    }

    /// Its buffers, empty; the finder must have been given back.
    pub(crate) fn into_buffers(mut self) -> PairBuffers {
        self.buffers.clear();
        self.buffers
    }

    /// Evaluates the positions of what is to be tested.
    pub(crate) fn evaluate(&self, pair: &BodyPair, bodies: &mut Bodies, now: Moment) {
        let PairBuffers { leaves, open, .. } = &self.buffers;
        for (side, body) in [pair.a, pair.b].into_iter().enumerate() {
            let body = bodies.at_mut(body);
            match &self.finder {
                PairFinder::Front(front) if self.is_by_front => body.note_near_places(front.met(side), pair.is_self()),
                _ => body.note_near(leaves.iter().map(|pair| [pair.0, pair.1][side])),
            }
        }
        match &self.search {
            Search::Done(Candidates::Leaves) => {
                bodies.at_mut(pair.a).evaluate_leaves(leaves.iter().map(|pair| pair.0), now);
                bodies.at_mut(pair.b).evaluate_leaves(leaves.iter().map(|pair| pair.1), now);
            }
            Search::Done(Candidates::Filtered | Candidates::Open) => {
                bodies.at_mut(pair.a).evaluate_triangles(open.iter().map(|pair| pair.0), now);
                bodies.at_mut(pair.b).evaluate_triangles(open.iter().map(|pair| pair.1), now);
            }
            Search::Done(Candidates::All | Candidates::None) | Search::Unfinished => {}
        }
    }

    /// Tests the candidates exactly.
    pub(crate) fn test(&mut self, pair: &BodyPair, bodies: &Bodies, now: Moment, room: &Pool<Vec<Aabb>>) {
        let Search::Done(candidates) = std::mem::replace(&mut self.search, Search::Unfinished) else { return };
        // Of one body, all candidates have the lower number first.
        let PairBuffers { leaves, open, certain, found, merged } = &mut self.buffers;
        let is_tested = candidates.are_tested(leaves, open);
        let mut touching = |p: u32, q: u32| found.push((p, q));
        let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
        let shapes = (shape_of(a), shape_of(b));
        let rule = pair.rule(a).without_gaps([&a.shape.mesh, &b.shape.mesh]);
        let mut rule = rule.with_spheres([a.spheres_at(now), b.spheres_at(now)]);
        if is_tested {
            rule = rule.at([a.side(), b.side()], now);
        }
        self.tests = match (candidates, a.topology().zip(b.topology())) {
            (Candidates::None, _) => 0,
            (Candidates::Leaves, Some(trees)) => test_leaves(leaves, trees, shapes, &rule, &mut touching),
            (Candidates::Filtered, _) => test_filtered(open, shapes, &rule, &mut touching),
            (Candidates::Open, _) => test_open(open, shapes, &rule, &mut touching),
            (Candidates::All | Candidates::Leaves, _) => {
                room.lend(|boxes| oracle::touching_by_brute_force_in(shapes, &rule, boxes, &mut touching))
            }
        };
        if !found.is_sorted() {
            // Two numbers are compared as one.
            found.sort_unstable_by_key(|&(p, q)| u64::from(p) << 32 | u64::from(q));
        }
        // Certain ones come in order.
        if !certain.is_empty() {
            merge(found, certain, merged);
            std::mem::swap(found, merged);
        }
    }
}

/// Appends both lists of pairs, ascending, as one.
fn merge(found: &[(u32, u32)], mut certain: &[(u32, u32)], all: &mut Vec<(u32, u32)>) {
    all.reserve(found.len() + certain.len());
    for &other in found {
        let (before, rest) = certain.split_at(certain.iter().take_while(|&&pair| pair < other).count());
        all.extend_from_slice(before);
        all.push(other);
        certain = rest;
    }
    all.extend_from_slice(certain);
}

/// Appends the wanted pairs of triangles below leaf pairs, sorted, that the `f32` filter does not
/// reject; of one body the lower number first.
fn near_triangles(
    pair: &BodyPair,
    (a, b): (&Body, &Body),
    leaves: &[(u32, u32)],
    now: Moment,
    (of_a, of_b): (&mut refit::Gathered, &mut refit::Gathered),
    found: &mut Vec<(u32, u32)>,
) {
    let (Some(tree_a), Some(tree_b)) = (a.topology(), b.topology()) else { return };
    if leaves.is_empty() {
        return;
    }
    let gather = |body: &Body, into: &mut refit::Gathered, tree: &Topology, leaves: &mut dyn Iterator<Item = u32>| {
        let mesh = (body.shape.mesh.triangles(), body.shape.mesh.vertex_count());
        into.gather(leaves, tree, mesh, |vertices, out| body.rounded_positions(now, vertices, out));
    };
    let rule = pair.rule(a).without_gaps([&a.shape.mesh, &b.shape.mesh]);
    let (first, second) = (leaves.iter().map(|pair| pair.0), leaves.iter().map(|pair| pair.1));
    let wants = |p: u32, q: u32| rule.wants(p, q);
    if rule.is_self {
        gather(a, of_a, tree_a, &mut first.chain(second));
        refit::filter_leaf_pairs(leaves, (&*of_a, &*of_a), true, rule.distance(), wants, found);
    } else {
        gather(a, of_a, tree_a, &mut { first });
        gather(b, of_b, tree_b, &mut { second });
        refit::filter_leaf_pairs(leaves, (of_a, of_b), false, rule.distance(), wants, found);
    }
}

/// Candidates of two refitted trees that a front does not serve: appends the wanted pairs of
/// triangles whose rounded boxes overlap.
fn below_refitted(pair: &BodyPair, (a, b): (&Body, &Body), open: &mut Vec<(u32, u32)>) -> Candidates {
    let (Some((tree_a, _)), Some((tree_b, _))) = (a.refitted(), b.refitted()) else { return Candidates::All };
    let rule = pair.rule(a);
    refit::candidate_triangles(tree_a, tree_b, rule.distance(), |p, q| {
        let (p, q) = if rule.is_self { (p.min(q), p.max(q)) } else { (p, q) };
        if rule.wants(p, q) {
            open.push((p, q));
        }
    });
    if a.is_of_spheres() || b.is_of_spheres() { Candidates::Filtered } else { Candidates::Open }
}

fn shape_of(body: &Body) -> Shape<'_> {
    Shape { triangles: body.shape.mesh.triangles(), positions: body.snapshot.positions() }
}

/// Names those of some pairs of triangles, which the filter did not reject, that touch; returns the
/// number of exact tests.
fn test_filtered(
    near: &[(u32, u32)],
    (a, b): (Shape<'_>, Shape<'_>),
    rule: &PairRule<'_>,
    touching: &mut impl FnMut(u32, u32),
) -> u64 {
    let touch = |&(p, q): &(u32, u32)| rule.touch((p, &a.corners(p)), (q, &b.corners(q)));
    threads::map_in_order(near, touch, |&(p, q), touches| {
        if touches {
            touching(p, q);
        }
    });
    near.len() as u64
}
