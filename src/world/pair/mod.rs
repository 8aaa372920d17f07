//! Pairs of bodies: which are watched, and what finds their contacts.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | [`BodyPair`], [`Pairs`], and what certificates of a tree's bounds mean for pairs |
//! | `rules` | what the host decided about pairs |
//! | `spare` | memory of pairs that are not watched any more |
//! | `windows` | when the windows of continuous contacts end |
//! | `broad_phase` | which boxes of bodies overlap |
//! | `finder` | [`PairFinder`]: the ways of finding contacts, with a drawing of how one is chosen |
//! | `interval`, `continuous_interval`, `front` | the state of the finders |
//! | `far_apart` | whether a reduced body may meet another one in an interval |
//! | `engine_choice`, `cost_groups` | which finder two discrete bodies use in a step; bodies that change it together |
//! | `find_contacts`, `task`, `scratch` | one step of all pairs, side by side; buffers of steps |
//! | `next_interval` | the next interval of a pair with continuous contacts, prepared ahead |
//! | `next_epoch` | separation lists where epochs of bodies begin, prepared ahead |
//! | `prefetch` | preparation of the next intervals |

pub(crate) mod broad_phase;
pub(crate) mod continuous_interval;
mod cost_groups;
pub(crate) mod engine_choice;
mod far_apart;
pub(crate) mod find_contacts;
pub(crate) mod finder;
pub(crate) mod front;
pub(crate) mod interval;
mod next_epoch;
mod next_interval;
mod opened;
pub(crate) mod prefetch;
pub(crate) mod rules;
pub(crate) mod scratch;
pub(crate) mod spare;
pub(crate) mod table;
pub(crate) mod task;
pub(crate) mod windows;

use std::collections::BTreeSet;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

use crate::bvh::Hierarchy;
use crate::kinetic::aabb_tree::TreeChange;
use crate::kinetic::event::Event;
use crate::kinetic::{EventContext, KineticBroadPhase, KineticTreeView, SeparationList};
use crate::time::Moment;
use crate::world::body::Body;
use crate::world::body::bodies::Bodies;
use crate::world::caps::WorldLimits;
use crate::world::contact::ahead::DecidedAhead;
use crate::world::contact::continuous::Continuous;
use crate::world::contact::span::ContactSpan;
use crate::world::contact::{Contact, Hashed};
use crate::world::pair::broad_phase::{Members, SweepAndPrune};
use crate::world::pair::finder::{IdleFinder, PairFinder};
use crate::world::pair::rules::PairRules;
use crate::world::pair::scratch::{Scratch, StepBuffers};
use crate::world::pair::spare::{Record, SparePairs, most_of};
use crate::world::pair::table::PairTable;
use crate::world::pair::task::PairTask;
use crate::world::pair::windows::{UsualShare, WindowEnds};
use crate::world::rule::PairRule;
use crate::world::tree::view::Tree;

/// Two bodies that are watched, `a` with the lower index; or one body with itself.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BodyPair {
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// The distance from which their triangles count as touching, metres.
    pub(crate) distance: f64,
    /// Pairs of triangles never reported.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    pub(crate) ignored: Arc<BTreeSet<(u32, u32)>>,
    pub(crate) finder: PairFinder,
    /// The finder of earlier steps, where the present one is chosen at every step.
    pub(crate) idle: Option<IdleFinder>,
    /// Continuous contacts only. Clones of the world share it until it changes: it is the larger
    /// part of a world with many contacts, and nothing of it changes between two events.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    pub(crate) continuous: Option<Arc<Continuous>>,
    /// Of continuous contacts, what was decided of the windows after the present ones.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) ahead: Scratch<Option<Box<DecidedAhead>>>,
    /// Triangles that touched when last tested, sorted; not for continuous contacts.
    pub(crate) contacts: Vec<(u32, u32)>,
}

impl BodyPair {
    /// Whether it is one body with itself.
    pub(crate) fn is_self(&self) -> bool {
        self.a == self.b
    }

    /// Whether the host decides what touches.
    pub(crate) fn is_hosted(&self) -> bool {
        matches!(self.finder, PairFinder::Hosted(_))
    }

    /// What counts as contact between the bodies; `a` is the first of them.
    pub(crate) fn rule<'a>(&'a self, a: &'a Body) -> PairRule<'a> {
        PairRule::new(self.is_self(), a.surface(), self.distance, &self.ignored)
    }

    /// Both bodies' kinetic trees at a moment, each grown by half of the distance that counts as
    /// contact; `None` unless both bodies are kinetic.
    pub(crate) fn kinetic_view<'a>(
        &self,
        bodies: &'a Bodies,
        now: Moment,
    ) -> Option<(KineticTreeView<'a>, KineticTreeView<'a>)> {
        let view = |index: u32| bodies.at(index).kinetic_grown(0.5 * self.distance, now);
        Some((view(self.a)?, view(self.b)?))
    }

    /// Both bodies' trees, if both have one that holds at the clock's time.
    pub(crate) fn trees<'a>(&self, bodies: &'a Bodies, now: Moment) -> Option<(Tree<'a>, Tree<'a>)> {
        Some((bodies.at(self.a).tree(now)?, bodies.at(self.b).tree(now)?))
    }

    /// The present finder, and the idle one.
    pub(crate) fn finders(&self) -> impl Iterator<Item = &PairFinder> {
        std::iter::once(&self.finder).chain(self.idle.as_ref().map(|idle| &idle.finder))
    }
}

/// The watched pairs of a world.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Pairs {
    table: PairTable,
    /// Numbers of the pairs of two different bodies, lower body first.
    #[cfg_attr(feature = "record", serde(serialize_with = "crate::saved::sorted"))]
    watched: Hashed<(u32, u32), u32>,
    /// Of pairs with continuous contacts, when their present windows end, seconds.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) windows: WindowEnds,
    /// How many of them ended when some of the next ones were decided.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) windows_decided_ahead: u64,
    /// How many certificates of lists were entered that were searched ahead.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) certified_ahead: u64,
    /// Pairs not tested yet, in any order.
    due: Vec<u32>,
    /// Buffers of steps.
    #[cfg_attr(feature = "record", serde(skip))]
    scratch: Scratch<StepBuffers>,
    /// What decisions ahead cost in a step.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) usual_share: Scratch<UsualShare>,
    /// Memory of pairs that are not watched any more.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) spare: Scratch<SparePairs>,
    pub(crate) rules: PairRules,
    /// Most contacts of one pair ([`WorldLimits::contacts`]).
    pub(crate) most_contacts: usize,
    /// Pairs that put off decisions as their continuous contacts were too many: these are made
    /// before anything else is.
    pub(crate) overfull: BTreeSet<u32>,
    /// Bodies of which pairs are not watched yet, as they were too many when rules changed.
    pub(crate) unpaired: BTreeSet<u32>,
    /// Whether continuous contacts of some pair that began or ended in this advance are too many.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) is_crowded: bool,
    /// Which boxes of kinetic bodies overlap.
    pub(crate) broad_phase: KineticBroadPhase,
    /// Which boxes of other bodies overlap.
    pub(crate) sweep: SweepAndPrune,
    /// Whether some pairs have an interval and a front, because the length of the host's steps is
    /// not known yet.
    has_trials: bool,
    /// Pairs tested in the last step.
    pub(crate) tested: usize,
    /// Exact tests of triangles so far.
    pub(crate) triangle_tests: u64,
}

impl Index<u32> for Pairs {
    type Output = BodyPair;

    fn index(&self, number: u32) -> &BodyPair {
        &self.table[number]
    }
}

impl IndexMut<u32> for Pairs {
    fn index_mut(&mut self, number: u32) -> &mut BodyPair {
        &mut self.table[number]
    }
}

impl Pairs {
    /// No pairs, within the bounds of a world.
    pub(crate) fn new(limits: &WorldLimits) -> Self {
        let broad_phase = KineticBroadPhase::with_most_pairs(limits.most_body_pairs());
        Self { broad_phase, most_contacts: limits.contacts, ..Self::default() }
    }

    /// All pairs with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &BodyPair)> {
        self.table.iter()
    }

    /// The number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// The number of the pair of two different bodies, the lower index first.
    pub(crate) fn number_of(&self, pair: (u32, u32)) -> Option<u32> {
        self.watched.get(&pair).copied()
    }

    /// All pairs of two different bodies, the lower index first, with their numbers; in no order.
    pub(crate) fn watched(&self) -> impl Iterator<Item = ((u32, u32), u32)> {
        self.watched.iter().map(|(&pair, &number)| (pair, number))
    }

    /// Adds a pair of two bodies, or of one with itself, that has no finder yet.
    pub(crate) fn insert(&mut self, a: u32, b: u32, bodies: &mut Bodies, continuous: bool) -> u32 {
        let is_hosted = [a, b].iter().any(|&body| bodies.at(body).shape.patches.is_some());
        let has_no_trees = [a, b].iter().all(|&body| bodies.at(body).topology().is_none());
        let Record { continuous: spare, ahead, ignored: none, contacts } =
            self.spare.0.records.take(most_of(bodies.at(a), bodies.at(b))).unwrap_or_default();
        let is_continuous = continuous && !is_hosted;
        let pair = BodyPair {
            a,
            b,
            distance: self.rules.distance(a, b, bodies),
            ignored: self.rules.ignored.get(&(a, b)).cloned().or(none).unwrap_or_default(),
            finder: match (is_hosted, has_no_trees) {
                (true, _) => PairFinder::Hosted(None),
                (false, true) => PairFinder::BruteForce,
                (false, false) => PairFinder::Mixed,
            },
            idle: None,
            continuous: is_continuous.then(|| spare.unwrap_or_default()),
            ahead: Scratch(ahead.filter(|_| is_continuous)),
            contacts,
        };
        let has_events = [a, b].iter().all(|&body| bodies.at(body).is_kinetic());
        let number = self.table.insert(pair, has_events);
        if !continuous {
            self.due.push(number);
        }
        bodies.at_mut(a).pairs.insert(number);
        if a != b {
            bodies.at_mut(b).pairs.insert(number);
            self.watched.insert((a, b), number);
        }
        number
    }

    /// Removes a pair whose continuous contacts have ended.
    pub(crate) fn remove(&mut self, number: u32, bodies: &mut Bodies, clock: &mut EventContext<'_>) -> BodyPair {
        let mut pair = self.table.remove(number);
        if let Some(list) = pair.finder.list_mut() {
            list.retire(clock);
        }
        self.due.retain(|&due| due != number);
        self.overfull.remove(&number);
        self.windows.remove(number);
        for body in [pair.a, pair.b] {
            bodies.at_mut(body).pairs.remove(&number);
        }
        self.watched.remove(&(pair.a, pair.b));
        pair
    }

    /// Takes the memory of a pair that was removed.
    pub(crate) fn keep(&mut self, pair: BodyPair) {
        self.spare.0.keep(pair);
    }

    /// A body that is not kinetic gets trees of another kind, whose shapes and intervals are
    /// counted from the first again. Its pairs begin as new ones, so that nothing found for the
    /// trees before is taken for theirs.
    pub(crate) fn forget_finders(&mut self, index: u32, bodies: &Bodies) {
        for &number in &bodies.at(index).pairs {
            let BodyPair { finder, idle, .. } = &mut self.table[number];
            if finder.is_chosen_per_step() {
                self.spare.0.keep_finder(std::mem::take(finder));
            }
            if let Some(idle) = idle.take() {
                self.spare.0.keep_finder(idle.finder);
            }
        }
    }

    /// Numbers pairs, of which there are none, from 0 on again: what follows does not depend on
    /// those that were.
    pub(crate) fn renumber(&mut self) {
        debug_assert_eq!(self.table.len(), 0);
        self.table = PairTable::default();
    }

    /// Pairs are to be tested again, even at the same time.
    pub(crate) fn set_due(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.due.extend(numbers);
        // A refusal may come again and again, before they are taken.
        self.due.sort_unstable();
        self.due.dedup();
    }

    /// How many pairs a bound counts, with `more` pairs to come. Pairs of which not both bodies are
    /// kinetic weigh more.
    pub(crate) fn weighted_count(&self, more: usize) -> usize {
        let kinetic = self.broad_phase.meeting().count();
        let discrete = self.watched.len().saturating_sub(kinetic) + more;
        kinetic.saturating_add(discrete.saturating_mul(WorldLimits::DISCRETE_WEIGHT))
    }

    /// Whether there are at most `most` contacts, with those found of some pairs in place of those
    /// they had; `known` is the number of all contacts before. O(pairs) only where there may be
    /// more.
    pub(crate) fn has_at_most(&self, most: usize, known: usize, found: &[PairTask]) -> bool {
        let new: usize = found.iter().map(|task| task.found().len()).sum();
        if new.saturating_add(known) <= most {
            return true;
        }
        let all: usize = self.table.iter().map(|(_, pair)| pair.contacts.len()).sum();
        let old: usize = found.iter().map(|task| self[task.number].contacts.len()).sum();
        all - old + new <= most
    }

    /// The pairs not tested yet and those of bodies that moved, by ascending number; all are tested
    /// now. They are given back by [`Pairs::keep_due`].
    pub(crate) fn take_due(&mut self, moved: &[u32], bodies: &Bodies) -> Vec<u32> {
        let mut due = std::mem::take(&mut self.scratch.0.due);
        due.clear();
        due.append(&mut self.due);
        for &index in moved {
            due.extend(&bodies.at(index).pairs);
        }
        due.sort_unstable();
        due.dedup();
        self.tested = due.len();
        due
    }

    /// Takes the room of a list of pairs back.
    pub(crate) fn keep_due(&mut self, due: Vec<u32>) {
        self.scratch.0.due = due;
    }

    /// Gives a pair a new separation list, if both bodies are kinetic and the pair does not use
    /// intervals.
    pub(crate) fn start_list(&mut self, number: u32, bodies: &Bodies, clock: &mut EventContext<'_>) {
        let Self { table, spare, .. } = self;
        let pair = &mut table[number];
        if pair.finder.continuous().is_some() {
            return;
        }
        let Some((a, b)) = pair.kinetic_view(bodies, clock.now) else { return };
        if let Some(list) = pair.finder.list_mut() {
            list.retire(clock);
        }
        let list = if pair.is_self() {
            let shared_vertices = bodies.at(pair.a).shared_vertices(a.topology());
            let shared_vertices = shared_vertices.expect("a body tested against itself is welded");
            Box::new(SeparationList::of_one(&a, shared_vertices, number, clock))
        } else if let Some(mut list) = spare.0.lists.take(most_of(bodies.at(pair.a), bodies.at(pair.b))) {
            list.restart((&a, &b), number, clock);
            list
        } else {
            Box::new(SeparationList::new((&a, &b), number, clock))
        };
        pair.finder = if pair.is_hosted() { PairFinder::Hosted(Some(list)) } else { PairFinder::List(list) };
    }

    /// Tells the broad phase and the separation lists of a body which of its slots changed
    /// ([`Bodies::slot_changes`]).
    pub(crate) fn bounds_changed(&mut self, body: u32, bodies: &Bodies, clock: &mut EventContext<'_>) {
        let Self { table, broad_phase, rules, .. } = self;
        let changes = &bodies.slot_changes;
        for change in changes.iter().filter(|change| change.node == 0) {
            broad_phase.bound_changed(body, change.extent, &Members { bodies, rules }, clock);
        }
        for &number in &bodies.at(body).pairs {
            let pair = &mut table[number];
            let views = pair.kinetic_view(bodies, clock.now);
            let sides = [pair.a == body, pair.b == body];
            let (Some(list), Some((a, b))) = (pair.finder.list_mut(), views) else { continue };
            for side in sides.into_iter().enumerate().filter_map(|(side, here)| here.then_some(side)) {
                for &change in changes {
                    list.bound_changed(side, change, (&a, &b), clock);
                }
            }
        }
    }

    /// Brings the separation lists of a body up to date after a change of its tree.
    pub(crate) fn tree_changed(
        &mut self,
        index: u32,
        tree_change: &TreeChange,
        bodies: &Bodies,
        clock: &mut EventContext<'_>,
    ) {
        let none = BTreeSet::new();
        let body = bodies.at(index);
        for &number in &body.pairs {
            let pair = &mut self.table[number];
            let views = pair.kinetic_view(bodies, clock.now);
            let altered = |side: u32| if side == index { &tree_change.altered } else { &none };
            let altered = [altered(pair.a), altered(pair.b)];
            let (Some(list), Some((a, b))) = (pair.finder.list_mut(), views) else { continue };
            let known = (list.shared_vertices_mut(), &body.shape.seams, body.topology());
            if let (Some(shared_vertices), Some(seams), Some(tree)) = known {
                shared_vertices.follow(&tree_change.touched, tree, &body.parts(), seams);
            }
            list.tree_changed(altered, (&a, &b), clock);
        }
    }

    /// Processes an event of a separation list; returns whether the pair has one.
    pub(crate) fn process_list(&mut self, event: Event, bodies: &Bodies, clock: &mut EventContext<'_>) -> bool {
        let pair = &mut self[event.owner];
        let views = pair.kinetic_view(bodies, event.moment);
        let (Some(list), Some((a, b))) = (pair.finder.list_mut(), views) else { return false };
        list.process(event, (&a, &b), clock);
        true
    }

    /// Certifies some places of a pair's separation list again over motion that is known only now.
    pub(crate) fn extend_list(
        &mut self,
        number: u32,
        places: Range<u32>,
        since: f64,
        bodies: &Bodies,
        clock: &mut EventContext<'_>,
    ) {
        let Some(pair) = self.table.get_mut(number) else { return };
        let views = pair.kinetic_view(bodies, clock.now);
        if let (Some(list), Some((a, b))) = (pair.finder.list_mut(), views) {
            list.extend(places, since, (&a, &b), clock);
        }
    }

    /// The number of places in a pair's separation list; 0 without one.
    pub(crate) fn list_places(&self, number: u32) -> u32 {
        let list = self.table.get(number).and_then(|pair| pair.finder.list());
        list.map_or(0, crate::kinetic::SeparationList::place_count)
    }

    /// Continuous contacts that are on, pair by pair of bodies.
    pub(crate) fn spans_on<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = (Contact, &'a ContactSpan)> {
        self.table.iter().flat_map(|(_, pair)| {
            let (a, b) = (bodies.id_at(pair.a), bodies.id_at(pair.b));
            pair.continuous
                .iter()
                .flat_map(|continuous| continuous.on())
                .map(move |span| (Contact { a, b, triangle_a: span.triangles.0, triangle_b: span.triangles.1 }, span))
        })
    }

    /// Continuous contacts that are on at the clock's time, sorted, each tested if the clock is
    /// inside one of its ends; and from when on the clock is inside one, seconds.
    pub(crate) fn contacts_on_at(&self, clock: f64, bodies: &Bodies, contacts: &mut Vec<Contact>) -> Option<f64> {
        let mut inside_from = None;
        for (contact, span) in self.spans_on(bodies) {
            if let Some(from) = span.ends.next_inside(clock) {
                inside_from = Some(inside_from.map_or(from, |earliest: f64| earliest.min(from)));
            }
            if span.ends.allow(clock) {
                contacts.push(contact);
            }
        }
        contacts.sort_unstable();
        inside_from
    }
}

#[cfg(test)]
mod tests {
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::{BodyDef, ContactMode, World, WorldDef};

    /// Only contacts at times are found pair by pair. What is noted for that would only grow.
    #[test]
    fn pairs_with_continuous_contacts_are_never_due() {
        let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous)).unwrap();
        for x in [0.0, 0.1, 0.2] {
            let corners = vec![[x, 0.0, 0.0], [1.0 + x, 0.0, 0.0], [x, 1.0, 0.0]];
            let plan = Flightplan::velocities(0.0, corners, vec![[0.1 * x, 0.0, 0.0]; 3]);
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        }
        world.advance_to(0.5).unwrap();
        world.seek(0.25).unwrap();
        assert_eq!((world.pairs.len(), world.pairs.due.len()), (3, 0));
    }
}
