//! Two rows of boxes that move linearly between three times, and the list between them.

use std::collections::{BTreeMap, BTreeSet};

use crate::bvh::{AuditReport, BuildParams, Hierarchy, Topology, Width};
use crate::kinetic::event::{Event, EventLog, EventQueue};
use crate::kinetic::separation_list::{NONE, Pair, SeparationList, State};
use crate::kinetic::{EventContext, KineticHierarchy, SlotChange};
use crate::math::{Aabb, Extent};
use crate::mesh::Mesh;
use crate::motion::{KeyTrack, Piece};
use crate::time::{Moment, NEVER};

/// The times between which boxes move linearly, seconds.
pub(super) const TIMES: [f64; 3] = [0.0, 1.0, 2.0];

/// The owner of the events of the list.
pub(super) const OWNER: u32 = 7;

/// A box at each of the three times.
pub(super) type Places = [Aabb; 3];

/// A cube of one metre with its lowest corner at each of three places.
pub(super) fn cube(corners: [[f64; 3]; 3]) -> Places {
    corners.map(|min| Aabb { min, max: min.map(|x| x + 1.0) })
}

/// A binary tree with one box per leaf.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) topology: Topology,
    /// Per node; of inner nodes, boxes around those of their children at the three times, and so at
    /// any time between.
    pub(super) boxes: Vec<Places>,
    pub(super) slack: f64,
    pub(super) epoch_end: f64,
}

impl Row {
    /// The shape of the tree depends on the number of boxes alone.
    pub(super) fn new(slack: f64, leaves: &[Places]) -> Self {
        let count = leaves.len();
        let corner = |v: usize| [3.0 * (v / 3) as f64 + (v % 3 % 2) as f64, 0.0, (v % 3 / 2) as f64];
        let positions: Vec<[f64; 3]> = (0..3 * count).map(corner).collect();
        let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = Mesh::new(3 * count, triangles).expect("a valid mesh");
        let params = BuildParams { leaf_size: 1, width: Width::Two, ..BuildParams::default() };
        let topology = Topology::build(&mesh, &positions, params);
        let boxes = vec![[Aabb::EMPTY; 3]; topology.nodes().len()];
        let mut row = Self { topology, boxes, slack, epoch_end: 2.0 };
        for (number, &places) in leaves.iter().enumerate() {
            row.put(row.leaf(number), places);
        }
        row
    }

    /// The leaf of a box.
    pub(super) fn leaf(&self, number: usize) -> u32 {
        let mut leaves = (0..self.boxes.len() as u32).filter(|&node| self.topology.node(node).is_leaf());
        leaves.find(|&leaf| self.topology.primitives(leaf) == [number as u32]).expect("a leaf")
    }

    pub(super) fn leaves(&self) -> impl Iterator<Item = u32> {
        (0..self.boxes.len() as u32).filter(|&node| self.topology.node(node).is_leaf())
    }

    /// Puts a leaf somewhere else; returns the slots that changed.
    pub(super) fn put(&mut self, leaf: u32, places: Places) -> Vec<SlotChange> {
        let before = self.boxes.clone();
        self.boxes[leaf as usize] = places;
        let mut next = self.topology.node(leaf).parent();
        while let Some(node) = next {
            let children = self.topology.node(node).children().to_vec();
            let around = |time: usize| {
                children.iter().fold(Aabb::EMPTY, |hull, &child| hull.union(&self.boxes[child as usize][time]))
            };
            let hull = [0, 1, 2].map(around);
            self.boxes[node as usize] = hull;
            next = self.topology.node(node).parent();
        }
        let slots = (0..self.boxes.len() as u32).flat_map(|node| Extent::ALL.map(|extent| SlotChange { node, extent }));
        let is_other = |slot: &SlotChange| {
            let side = |boxes: &[Places]| boxes[slot.node as usize].map(|place| side_of(&place, slot.extent));
            side(&before) != side(&self.boxes)
        };
        slots.filter(is_other).collect()
    }

    pub(super) fn places(&self, node: u32) -> Places {
        self.boxes[node as usize]
    }

    /// All boxes at a time, moved outward by the slack.
    pub(super) fn boxes_at(&self, time: f64) -> Vec<Aabb> {
        (0..self.boxes.len() as u32).map(|node| self.node_box(node, Moment::at(time)).inflated(self.slack)).collect()
    }
}

fn side_of(place: &Aabb, extent: Extent) -> f64 {
    if extent.is_max() { place.max[extent.axis()] } else { place.min[extent.axis()] }
}

impl Hierarchy for Row {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        Aabb::of_sides(|extent| self.bound(node, extent, at).at(at.time()))
    }
}

impl KineticHierarchy for Row {
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece {
        let side = |time: usize| side_of(&self.boxes[node as usize][time], extent);
        match TIMES.iter().filter(|&&time| Moment::at(time) < at).count() {
            0 | 1 => Piece::linear(TIMES[0], TIMES[1], side(0), side(1)),
            2 => Piece::linear(TIMES[1], TIMES[2], side(1), side(2)),
            _ => Piece::constant(TIMES[2], NEVER, side(2)),
        }
    }

    fn bound_row(&self, _: u32, _: Extent) -> Option<KeyTrack<'_>> {
        None
    }

    fn slack(&self) -> f64 {
        self.slack
    }

    fn epoch_end(&self) -> f64 {
        self.epoch_end
    }
}

/// Two rows, and their list.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) rows: [Row; 2],
    pub(super) queue: EventQueue,
    pub(super) list: SeparationList,
    pub(super) now: Moment,
    log: EventLog,
}

impl Stage {
    pub(super) fn new(rows: [Row; 2]) -> Self {
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(false), Moment::at(0.0));
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let list = SeparationList::new((&rows[0], &rows[1]), OWNER, &mut clock);
        Self { rows, queue, list, now, log }
    }

    /// A row at rest, and one whose boxes go about near it. All places are exact.
    pub(super) fn crossing() -> Self {
        Self::new([Row::new(0.125, &resting()), Row::new(0.25, &wandering())])
    }

    /// Calls a function of the list with its rows and its clock.
    pub(super) fn with<T>(
        &mut self,
        work: impl FnOnce(&mut SeparationList, (&Row, &Row), &mut EventContext<'_>) -> T,
    ) -> T {
        let Self { rows: [a, b], queue, list, now, log } = self;
        work(list, (&*a, &*b), &mut EventContext { queue, log, now: *now })
    }

    /// Processes all events until a time, seconds.
    pub(super) fn run(&mut self, time: f64) {
        while let Some(event) = self.queue.pop_until(Moment::at(time)) {
            self.now = event.moment;
            self.with(|list, rows, clock| list.process(event, rows, clock));
        }
        self.now = Moment::at(time);
    }

    /// All scheduled events, in order.
    pub(super) fn events(&self) -> Vec<Event> {
        let events: BTreeSet<Event> = self.queue.iter().map(|(_, event)| event).collect();
        events.into_iter().collect()
    }

    /// The events if all certificates are searched again.
    pub(super) fn events_searched_again(&self) -> Vec<Event> {
        let mut again = self.clone();
        again.with(|list, rows, clock| list.certify_all(rows, clock));
        again.events()
    }

    pub(super) fn audit(&self) -> AuditReport {
        let time = self.now.time();
        let boxes = self.rows.each_ref().map(|row| row.boxes_at(time));
        let [a, b] = [0, 1].map(|side| (&self.rows[side].topology, &boxes[side][..]));
        self.list.audit(a, b, 1e-9, &self.queue)
    }

    /// Compares the overlapping leaves with all pairs of boxes; certificates with new ones.
    pub(super) fn assert_right(&self) {
        let boxes = self.rows.each_ref().map(|row| row.boxes_at(self.now.time()));
        let overlapping: BTreeSet<(u32, u32)> = self.rows[0]
            .leaves()
            .flat_map(|x| self.rows[1].leaves().map(move |y| (x, y)))
            .filter(|&(x, y)| boxes[0][x as usize].overlaps(&boxes[1][y as usize]))
            .collect();
        assert_eq!(self.list.overlapping().collect::<BTreeSet<_>>(), overlapping, "{:?}", self.now);
        assert_eq!(self.list.overlapping().len(), overlapping.len());
        assert_eq!(self.events(), self.events_searched_again(), "{:?}", self.now);
        assert!(self.audit().is_clean(), "{:?}: {}", self.now, self.audit());
        assert_links_and_counts(&self.list);
    }
}

/// Cubes two metres apart along x.
pub(super) fn resting() -> Vec<Places> {
    (0..6).map(|k| cube([[2.0 * f64::from(k), 0.0, 0.0]; 3])).collect()
}

/// Cubes that go about near those at rest, each on a way of its own.
pub(super) fn wandering() -> Vec<Places> {
    let mut state = 97u64;
    let mut eighths = |low: i32, high: i32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(low + ((state >> 33) % (high - low + 1) as u64) as i32) / 8.0
    };
    let mut places = Vec::new();
    for k in 0..6 {
        let x = 2.0 * f64::from(k);
        let mut corner = |low: i32, high: i32| [x + eighths(-24, 24), eighths(low, high), eighths(-12, 12)];
        places.push(cube([corner(4, 24), corner(-16, 8), corner(-8, 24)]));
    }
    places
}

/// What a pair is, without the numbers of other pairs.
pub(super) fn kind(pair: &Pair) -> &'static str {
    match pair.state {
        State::Apart => "apart",
        State::Overlapping { .. } => "overlapping",
        State::Excluded => "excluded",
        State::Inner { .. } => "inner",
    }
}

/// All pairs of a list by their nodes.
pub(super) fn kinds(list: &SeparationList) -> BTreeMap<[u32; 2], &'static str> {
    let kinds: BTreeMap<_, _> = list.pairs.iter().map(|(_, pair)| (pair.nodes, kind(pair))).collect();
    assert_eq!(kinds.len(), list.pairs.len(), "no two pairs have the same nodes");
    kinds
}

/// Every pair that has a certificate, and no other one, is linked from both of its nodes, once;
/// counters are as many as there are.
pub(super) fn assert_links_and_counts(list: &SeparationList) {
    let is_certified = |pair: &Pair| match pair.state {
        State::Apart => true,
        State::Overlapping { .. } => {
            let relation = |vertices: &crate::bvh::SharedVertices| vertices.relation(pair.nodes[0], pair.nodes[1]);
            list.shared_vertices.as_ref().map(relation) != Some(crate::bvh::LeafRelation::Touching)
        }
        State::Inner { count, apart, .. } => count == apart,
        State::Excluded => false,
    };
    let certified: Vec<u32> =
        list.pairs.iter().filter(|(_, pair)| is_certified(pair)).map(|(number, _)| number as u32).collect();
    for side in 0..2 {
        let mut linked = Vec::new();
        for (node, &head) in list.heads[side].iter().enumerate() {
            let (mut previous, mut next) = (NONE, head);
            while next != NONE {
                let pair = &list.pairs[next as usize];
                assert_eq!((pair.nodes[side] as usize, pair.links[side].previous), (node, previous), "pair {next}");
                linked.push(next);
                (previous, next) = (next, pair.links[side].next);
            }
        }
        linked.sort_unstable();
        assert_eq!(linked, certified, "side {side}");
    }
    let count = |wanted: &str| list.pairs.iter().filter(|(_, pair)| kind(pair) == wanted).count();
    assert_eq!(
        (list.inner, list.excluded, list.overlapping.len()),
        (count("inner"), count("excluded"), count("overlapping"))
    );
    assert_eq!(list.len(), count("apart") + count("overlapping"));
}
