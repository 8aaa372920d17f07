//! Plain counters: the four measures of a kinetic structure, and what the engine did. Returned by value.

/// Counters of one kinetic tree since it was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TreeStats {
    /// Leaf events processed. Near-linear in the number of vertices per keyframe interval is good.
    pub leaf_events: u64,
    /// Tree events processed.
    pub tree_events: u64,
    /// Those of them that changed an extent of the root of a BoxTree.
    pub root_events: u64,
    /// Slots that got a new winner (events, and their way upward). *Responsive*: updates per event stay near 2.
    pub updates: u64,
    /// Slots certified anew after flightplan changes. *Local*: O(log m) per vertex and leaf.
    pub slots_replanned: u64,
    /// Slots certified anew after changes of the tree's shape. *Local*: O(log m) per primitive that came or went.
    pub slots_rebuilt: u64,
    /// Subtrees built anew because they had drifted, or most of their primitives changed.
    pub subtrees_rebuilt: u64,
    /// Subtrees built anew because edits had left them out of balance.
    pub subtrees_balanced: u64,
    /// Certificate searches. More than 3 per update means slots whose losers change often.
    pub certificates_searched: u64,
    /// Candidates compared by the searches of a BoxTree. *Responsive*: few per update where its axes alternate.
    pub candidates_searched: u64,
}

/// Counters of one separation list since it was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ListStats {
    /// Pairs that met and were opened up, or became overlapping leaves.
    pub boxes_met: u64,
    /// Overlapping leaf pairs that parted.
    pub leaves_separated: u64,
    /// Inner pairs that parted and took the place of their children.
    pub parents_separated: u64,
    /// Witness directions replaced by another without a change of the list. *Efficient*: few per met pair.
    pub witnesses_replaced: u64,
    /// Changes of bounds that made a pair compute its certificate again.
    pub bound_changes: u64,
    /// Pairs opened up again because a node of theirs was altered by an edit or a rebuild.
    pub pairs_rebuilt: u64,
    /// Certificate searches along one direction.
    pub certificates_searched: u64,
    /// Pairs now in the list (apart or overlapping leaves). *Compact*: near-linear in triangles.
    pub listed: usize,
    /// Overlapping leaf pairs now.
    pub overlapping: usize,
    /// Inner pairs above the list.
    pub inner: usize,
}

/// Counters of the crowd (the broad phase over bodies, live engine only) since the world began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BroadPhaseStats {
    /// Regions that were left or too popular: events. None for bodies that rest. *Efficient*: few per pair that met.
    pub regions_left: u64,
    /// Regions chosen: one per body that joined and per region left.
    pub regions_chosen: u64,
    /// Pairs of bodies whose boxes met.
    pub met: u64,
    /// Pairs of bodies whose boxes parted.
    pub parted: u64,
    /// Witness directions of partners replaced by another.
    pub witnesses_replaced: u64,
    /// Changes of root slots that made a pair compute its certificate again.
    pub bound_changes: u64,
    /// Certificate searches, of one side of a region or along one direction of a pair.
    pub certificates_searched: u64,
    /// Boxes looked at in the tree of regions. *Responsive*: O(log bodies) per region chosen.
    pub boxes_visited: u64,
    /// Leaves of subtrees that were built anew because they were out of balance.
    pub leaves_rebuilt: u64,
    /// Bodies in the crowd now.
    pub bodies: usize,
    /// Pairs whose regions overlap now; each has a certificate. *Local*: a few per body.
    pub overlapping: usize,
    /// Pairs whose boxes overlap now.
    pub meeting: usize,
    /// Height of the tree of regions now.
    pub height: usize,
}

/// Which engines the bodies of a world have now, and what windows cost. Contacts do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EngineStats {
    /// Bodies with a kinetic tree.
    pub kinetic: usize,
    /// Bodies that go by windows: boxes of keyframe intervals, leaf pairs for whole intervals.
    pub interval: usize,
    /// Bodies that are refitted at every time asked for.
    pub refit: usize,
    /// Bodies that go by their baked trees.
    pub baked: usize,
    /// Bodies bounded from their parameters, whose vertices are evaluated where something is near.
    pub on_demand: usize,
    /// Of these, bodies of which so much is in contact that all of it is blended and refitted at every time asked for.
    pub on_demand_whole: usize,
    /// Bodies without a tree: those of worlds of brute force, and patches under engine refit.
    pub other: usize,
    /// Of the live bodies, those that were not to be: they are made of patches, have a `BoxTree`, or contacts are continuous or events
    /// kept under engine auto.
    pub kinetic_not_requested: usize,
    /// Of the refitted bodies, those that move on curves, have vertices with plans of their own, or loop later.
    pub refit_not_linear: usize,
    /// Of the refitted bodies, those that the host looks at too seldom for a window: engine auto.
    pub refit_few_frames: usize,
    /// Of the refitted bodies, those whose plans are replaced too often: engine auto.
    pub refit_plans_replaced: usize,
    /// Of the refitted bodies, those whose windows cost more than refits, by counts: engine auto.
    pub refit_intervals_expensive: usize,
    /// Windows that bodies entered, of all bodies there are now.
    pub intervals_entered: u64,
    /// Of these, windows that were known before they were entered: their cost lies in earlier advances.
    pub intervals_prefetched: u64,
    /// Intervals for which leaf pairs were found, of all pairs of bodies watched now.
    pub intervals: u64,
    /// Pairs of nodes looked at for them.
    pub pairs_visited: u64,
    /// Leaf pairs that may meet in the present intervals.
    pub leaf_pairs: usize,
}

/// Counters of a whole world. Sums over bodies and pairs that are there now, unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// Events taken from the queue since the world began. Independent of how often the host advances.
    pub events: u64,
    /// Epochs that ended (loop wraps, horizons of endless motion).
    pub renewals: u64,
    /// Events scheduled now.
    pub scheduled: usize,
    /// When the first of them, or of the scheduled changes of flightplans, is due, seconds: at the clock's time or later.
    /// Says nothing about contacts; [`crate::world::World::next_event`] does.
    pub next_scheduled: Option<f64>,
    /// Queue operations since the world began.
    pub queue_operations: u64,
    /// Kinetic trees.
    pub tree: TreeStats,
    /// Separation lists.
    pub list: ListStats,
    /// The broad phase over bodies.
    pub broad_phase: BroadPhaseStats,
    /// Bodies that could have moved when contacts were last looked for. None in a world that sleeps.
    pub bodies_awake: usize,
    /// Pairs of bodies whose triangles were tested when contacts were last looked for. None in a world that sleeps.
    pub pairs_tested: usize,
    /// Exact triangle tests since the world began.
    pub triangle_tests: u64,
    /// Bodies.
    pub bodies: usize,
    /// Pairs of bodies that are watched now: those whose boxes overlap, and bodies tested against themselves (brute force: all
    /// pairs that are allowed).
    pub pairs: usize,
    /// Which engines the bodies have.
    pub engines: EngineStats,
    /// Triangles of all bodies.
    pub triangles: usize,
    /// Nodes of all kinetic trees.
    pub nodes: usize,
    /// Certificates that will fail, per node: at most 6.
    pub certificates_per_node: f64,
    /// Most slots one vertex can take part in: six per leaf it occurs in and level. *Local*.
    pub most_slots_per_vertex: usize,
    /// Bytes held by trees, lists and queue, meshes and keyframes not included. *Compact*.
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
