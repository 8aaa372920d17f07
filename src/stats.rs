//! Plain counters: the four measures of a kinetic structure, and the engine's work. Returned by
//! value.

/// Counters of one kinetic tree since it was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TreeStats {
    /// Leaf events processed. Good: near-linear in the number of vertices per keyframe interval.
    pub leaf_events: u64,
    /// Tree events processed.
    pub tree_events: u64,
    /// Tree events that changed an extent of the root of a BoxTree.
    pub root_events: u64,
    /// Slots with a new winner, from events and their propagation. *Responsive*: updates per event
    /// stay near 2.
    pub updates: u64,
    /// Slots recertified after flightplan changes. *Local*: O(log m) per vertex and leaf.
    pub slots_replanned: u64,
    /// Slots recertified after changes of the tree's shape. *Local*: O(log m) per added or removed
    /// primitive.
    pub slots_rebuilt: u64,
    /// Subtrees rebuilt because they had drifted, or most of their primitives changed.
    pub subtrees_rebuilt: u64,
    /// Subtrees rebuilt because edits had left them out of balance.
    pub subtrees_balanced: u64,
    /// Certificate searches. More than 3 per update means that losers of slots change often.
    pub certificates_searched: u64,
    /// Candidates compared by the searches of a BoxTree. *Responsive*: few per update where its
    /// axes alternate.
    pub candidates_searched: u64,
}

/// Counters of one separation list since it was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ListStats {
    /// Pairs that met and were opened, or became overlapping leaves.
    pub boxes_met: u64,
    /// Overlapping leaf pairs that parted.
    pub leaves_separated: u64,
    /// Inner pairs that parted and replaced their children.
    pub parents_separated: u64,
    /// Witness directions replaced by another without a change of the list. *Efficient*: few per
    /// met pair.
    pub witnesses_replaced: u64,
    /// Changes of bounds that made a pair compute its certificate again.
    pub bound_changes: u64,
    /// Pairs opened again because an edit or a rebuild changed one of their nodes.
    pub pairs_rebuilt: u64,
    /// Certificate searches along one direction.
    pub certificates_searched: u64,
    /// Pairs in the list now (apart, or overlapping leaves). *Compact*: near-linear in triangles.
    pub listed: usize,
    /// Overlapping leaf pairs now.
    pub overlapping: usize,
    /// Inner pairs above the list.
    pub inner: usize,
}

/// Counters of the kinetic broad phase over bodies since the world began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BroadPhaseStats {
    /// Events in which a body left its fat box, or the fat box overlapped too many others. None for
    /// bodies at rest. *Efficient*: few per pair that met.
    pub fat_boxes_left: u64,
    /// Fat boxes chosen: one per added body and per fat box left.
    pub fat_boxes_chosen: u64,
    /// Pairs of bodies whose boxes met.
    pub met: u64,
    /// Pairs of bodies whose boxes parted.
    pub parted: u64,
    /// Witness directions of pairs replaced by another.
    pub witnesses_replaced: u64,
    /// Changes of root slots that made a pair compute its certificate again.
    pub bound_changes: u64,
    /// Certificate searches, of one side of a fat box or along one direction of a pair.
    pub certificates_searched: u64,
    /// Boxes visited in the tree of fat boxes. *Responsive*: O(log bodies) per fat box chosen.
    pub boxes_visited: u64,
    /// Leaves of subtrees rebuilt because they were out of balance.
    pub leaves_rebuilt: u64,
    /// Bodies in the broad phase now.
    pub bodies: usize,
    /// Pairs whose fat boxes overlap now; each has a certificate. *Local*: a few per body.
    pub overlapping: usize,
    /// Pairs whose boxes overlap now.
    pub meeting: usize,
    /// Height of the tree of fat boxes now.
    pub height: usize,
}

/// Engines of the bodies of a world now, and the cost of intervals. Contacts do not depend on the
/// engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EngineStats {
    /// Bodies with a kinetic tree.
    pub kinetic: usize,
    /// Kinetic bodies that are bounded from their parameters: their trees have no events, and
    /// vertices are evaluated only in leaves that overlap others.
    pub kinetic_bounded: usize,
    /// Bodies in interval mode: boxes of keyframe intervals, leaf pairs for whole intervals.
    pub interval: usize,
    /// Bodies refitted at every step.
    pub refit: usize,
    /// Bodies with baked trees.
    pub baked: usize,
    /// On-demand bodies: bounded from their parameters; vertices are evaluated only near other
    /// bodies.
    pub on_demand: usize,
    /// On-demand bodies of which a large part is in contact: all vertices are blended and refitted
    /// at every step.
    pub on_demand_whole: usize,
    /// Bodies without a tree: those of worlds of brute force, and patches under engine refit.
    pub other: usize,
    /// Kinetic bodies whose requested engine was another: bodies of patches, with a `BoxTree`, or
    /// with continuous contacts or kept events under engine auto.
    pub kinetic_not_requested: usize,
    /// Refitted bodies that move on curves, have vertices with plans of their own, or loop later.
    pub refit_not_linear: usize,
    /// Refitted bodies that the host steps too rarely for intervals: engine auto.
    pub refit_few_frames: usize,
    /// Refitted bodies whose plans are replaced too often: engine auto.
    pub refit_plans_replaced: usize,
    /// Refitted bodies whose intervals cost more than refits, by operation counts: engine auto.
    pub refit_intervals_expensive: usize,
    /// Intervals entered by the bodies of the world.
    pub intervals_entered: u64,
    /// Entered intervals that were prefetched: their cost was paid in earlier steps.
    pub intervals_prefetched: u64,
    /// Windows of continuous contacts that ended when at least some of the next ones had been
    /// decided in earlier steps. Depends on the host's steps, and on copies: a clone, a snapshot
    /// and a saved world have nothing prepared. Contacts do not depend on it.
    pub windows_decided_ahead: u64,
    /// Certificates of separation lists that were searched before the epoch of a body began, and
    /// entered then. Depends on the host's steps and on copies, as the windows above do.
    pub pairs_certified_ahead: u64,
    /// Intervals for which leaf pairs were computed, of all pairs of bodies watched now.
    pub intervals: u64,
    /// Node pairs visited to compute them.
    pub pairs_visited: u64,
    /// Leaf pairs that may meet in the current intervals.
    pub leaf_pairs: usize,
}

/// Counters of a whole world. Sums over current bodies and pairs, unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// Events taken from the queue since the world began. Independent of the host's step size.
    pub events: u64,
    /// Epochs that ended (wraps of loops, horizons of endless motion).
    pub renewals: u64,
    /// Events in the queue now.
    pub scheduled: usize,
    /// When the first of them, or of the scheduled changes of flightplans, is due, seconds: at the
    /// clock's time or later. Says nothing about contacts; [`crate::world::World::next_event`]
    /// does.
    pub next_scheduled: Option<f64>,
    /// Queue operations since the world began.
    pub queue_operations: u64,
    /// Kinetic trees.
    pub tree: TreeStats,
    /// Separation lists.
    pub list: ListStats,
    /// The broad phase over bodies.
    pub broad_phase: BroadPhaseStats,
    /// Bodies that could have moved at the last update of contacts. None while the whole world
    /// sleeps.
    pub bodies_awake: usize,
    /// Pairs of bodies whose triangles were tested at the last update of contacts. None while the
    /// whole world sleeps.
    pub pairs_tested: usize,
    /// Exact triangle tests since the world began.
    pub triangle_tests: u64,
    /// Bodies.
    pub bodies: usize,
    /// Pairs of bodies watched now: those whose boxes overlap, and bodies tested against themselves
    /// (brute force: all allowed pairs).
    pub pairs: usize,
    /// Engines of the bodies.
    pub engines: EngineStats,
    /// Triangles of all bodies.
    pub triangles: usize,
    /// Nodes of all kinetic trees.
    pub nodes: usize,
    /// Certificates that will fail, per node: at most 6.
    pub certificates_per_node: f64,
    /// Most slots of one vertex: six per leaf that contains it and level. *Local*.
    pub most_slots_per_vertex: usize,
    /// Bytes held by trees, lists, queue and contacts over time, and by poses and boxes at keys of
    /// bodies with bounds; without meshes and keyframes. *Compact*.
    pub bytes: usize,
}

impl std::ops::AddAssign for TreeStats {
    fn add_assign(&mut self, other: Self) {
        self.leaf_events += other.leaf_events;
        self.tree_events += other.tree_events;
        self.root_events += other.root_events;
        self.updates += other.updates;
        self.slots_replanned += other.slots_replanned;
        self.slots_rebuilt += other.slots_rebuilt;
        self.subtrees_rebuilt += other.subtrees_rebuilt;
        self.subtrees_balanced += other.subtrees_balanced;
        self.certificates_searched += other.certificates_searched;
        self.candidates_searched += other.candidates_searched;
    }
}

impl std::ops::AddAssign for ListStats {
    fn add_assign(&mut self, other: Self) {
        self.boxes_met += other.boxes_met;
        self.leaves_separated += other.leaves_separated;
        self.parents_separated += other.parents_separated;
        self.witnesses_replaced += other.witnesses_replaced;
        self.bound_changes += other.bound_changes;
        self.pairs_rebuilt += other.pairs_rebuilt;
        self.certificates_searched += other.certificates_searched;
        self.listed += other.listed;
        self.overlapping += other.overlapping;
        self.inner += other.inner;
    }
}
