//! All bodies of a world, and the tables that are indexed by body.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::bvh::{KeyedBoxes, Topology};
use crate::id::{Arena, BodyId};
use crate::kinetic::aabb_tree::{Ground, TreeChange};
use crate::kinetic::event::Event;
use crate::kinetic::{EventContext, KineticTree, SlotChange, TreeContext};
use crate::mesh::{EditError, Mesh, MeshEdit};
use crate::motion::{Motion, Rounds};
use crate::threads::for_each_in;
use crate::time::Moment;
use crate::world::body::sleep::Sleep;
use crate::world::body::{Body, Index, Shape};
use crate::world::error::WorldError;

/// The number of a motion's key times, and the bits of the first and the last: equal for equal key
/// times.
pub(crate) type KeyTimesId = (usize, u64, u64);

/// Where more than one body in this many has moved, all bodies are visited in one pass instead of
/// being looked up one by one.
const FEW_OF: usize = 8;

/// How many bodies of the same key times are asked for the times of their round. Rounds are renewed
/// by ascending index, so that the first one that loops has them.
const ROUNDS_COMPARED: usize = 16;

/// The bodies of a world.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Bodies {
    arena: Arena<BodyId, Body>,
    /// Bodies by their key times, so that equal ones are held once.
    key_times: BTreeSet<(KeyTimesId, u32)>,
    pub(crate) sleep: Sleep,
    /// Bodies with initial contacts left out.
    pub(crate) ignoring_initial_contacts: BTreeSet<u32>,
    /// How many bodies were awake in the last step.
    pub(crate) awake: usize,
    /// Of kinetic bodies, when their next epochs begin, if ever.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) renewals: BTreeMap<u32, Moment>,
    /// Scratch: bodies by when their next epochs begin, and those that begin one together.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) renewal_order: (Vec<(Moment, u32)>, Vec<u32>),
    /// Scratch: slots of a tree changed by the event being processed.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) slot_changes: Vec<SlotChange>,
    /// Scratch: bodies that may have moved in a step.
    pub(crate) moved: Vec<u32>,
    /// Of loops, the times of keys in present and next rounds.
    #[cfg_attr(feature = "record", serde(skip))]
    rounds: Rounds,
}

impl Bodies {
    /// No bodies.
    pub(crate) fn new() -> Self {
        Self {
            arena: Arena::new(),
            key_times: BTreeSet::new(),
            sleep: Sleep::default(),
            ignoring_initial_contacts: BTreeSet::new(),
            awake: 0,
            renewals: BTreeMap::new(),
            renewal_order: Default::default(),
            slot_changes: Vec::new(),
            moved: Vec::new(),
            rounds: Rounds::default(),
        }
    }

    /// The body of an index that is in use.
    pub(crate) fn at(&self, index: u32) -> &Body {
        self.arena.at(index)
    }

    /// The body of an index that is in use.
    pub(crate) fn at_mut(&mut self, index: u32) -> &mut Body {
        self.arena.at_mut(index)
    }

    /// The body of an id, unless it was removed.
    pub(crate) fn get(&self, id: BodyId) -> Option<&Body> {
        self.arena.get(id)
    }

    /// The body of an id.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`] if it was removed, or belongs to another world.
    pub(crate) fn find(&self, id: BodyId) -> Result<&Body, WorldError> {
        self.get(id).ok_or(WorldError::NoSuchBody { body: id })
    }

    /// Whether two indices, the lower one first, are of bodies.
    #[cfg(feature = "record")]
    pub(crate) fn are_there(&self, a: u32, b: u32) -> bool {
        a <= b && [a, b].iter().all(|&index| self.arena.contains(index))
    }

    /// The id of an index that is in use.
    pub(crate) fn id_at(&self, index: u32) -> BodyId {
        self.arena.id_at(index)
    }

    /// All bodies, by ascending index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.arena.iter()
    }

    /// All indices in use, ascending.
    pub(crate) fn indices(&self) -> Vec<u32> {
        self.arena.iter().map(|(id, _)| id.index()).collect()
    }

    /// The number of bodies.
    pub(crate) fn len(&self) -> usize {
        self.arena.len()
    }

    /// The id that the next body gets.
    pub(crate) fn next_id(&self) -> BodyId {
        self.arena.next_id()
    }

    /// Adds a body.
    pub(crate) fn insert(&mut self, body: Body) -> BodyId {
        self.arena.insert(body)
    }

    /// Removes a body.
    pub(crate) fn remove(&mut self, id: BodyId) -> Option<Body> {
        self.renewals.remove(&id.index());
        self.arena.remove(id)
    }

    /// Calls `operation` for each of some bodies, by ascending index, on several threads where
    /// there are more than a few.
    pub(crate) fn for_each_of(&mut self, indices: &[u32], operation: impl Fn(&mut (u32, &mut Body)) + Send + Sync) {
        // Few of many are looked up, one by one.
        if indices.len() < 2 || FEW_OF * indices.len() < self.len() {
            indices.iter().for_each(|&index| operation(&mut (index, self.arena.at_mut(index))));
        } else {
            for_each_in(indices.iter().copied().zip(self.arena.each_of(indices)), operation);
        }
    }

    /// Forgets where some bodies were.
    pub(crate) fn forget_places(&mut self) {
        for index in self.indices() {
            let body = self.at_mut(index);
            body.forget_place();
            body.forget_refitted();
        }
    }

    /// Adds the table entries of a body's motion; the body may have moved.
    pub(crate) fn register(&mut self, index: u32) {
        if let Some(times) = key_times_of(&self.at(index).motion) {
            self.key_times.insert((times, index));
        }
        self.sleep.wake(index);
    }

    /// Removes the table entries of a body's motion, before the motion changes.
    pub(crate) fn unregister(&mut self, index: u32) {
        if let Some(times) = key_times_of(&self.at(index).motion) {
            self.key_times.remove(&(times, index));
        }
    }

    /// Lets a motion share its key times with those of a body, if they are equal.
    pub(crate) fn share_key_times(&self, motion: &mut Motion) {
        let Some(times) = key_times_of(motion) else { return };
        let alike = self.key_times.range((times, 0)..=(times, u32::MAX));
        let mut known = alike.filter_map(|&(_, other)| self.at(other).motion.common_times());
        known.any(|known| motion.take_times(&known));
    }

    /// Lets a body's motion share its key times with those of another, if they are equal. The body
    /// must not be registered.
    pub(crate) fn share_key_times_of(&mut self, index: u32) {
        let Some(times) = key_times_of(&self.at(index).motion) else { return };
        let alike: Vec<u32> = self.key_times.range((times, 0)..=(times, u32::MAX)).map(|&(_, other)| other).collect();
        for other in alike {
            let known = self.at(other).motion.common_times();
            if known.is_some_and(|known| self.at_mut(index).motion.take_times(&known)) {
                return;
            }
        }
    }

    /// Begins to prepare the next epoch of a body ([`Body::begin_next_epoch`]).
    pub(crate) fn begin_next_epoch(&mut self, index: u32, at: Moment) -> Option<usize> {
        self.arena.at_mut(index).begin_next_epoch(at, &mut self.rounds)
    }

    /// Begins the epoch of a body's motion around a moment. One that loops shares the key times of
    /// its round with one of the first bodies of the same key times.
    pub(crate) fn begin_epoch(&mut self, index: u32, at: Moment) {
        self.arena.at_mut(index).motion.begin_epoch(at, &mut self.rounds);
        let motion = &self.at(index).motion;
        let (Some(times), Some(_)) = (key_times_of(motion), motion.round()) else { return };
        let alike = self.key_times.range((times, 0)..=(times, u32::MAX)).map(|&(_, other)| other);
        let rounds = alike.filter(|&other| other != index).take(ROUNDS_COMPARED);
        let same =
            rounds.filter_map(|other| self.at(other).motion.round()).find(|&round| Some(round) == motion.round());
        if let Some(round) = same.cloned() {
            self.at_mut(index).motion.take_round(&round);
        }
    }

    /// Processes an event of a body's kinetic tree; the slots it changes are in
    /// [`Bodies::slot_changes`].
    pub(crate) fn process_tree(&mut self, event: Event, clock: &mut EventContext<'_>) {
        let Self { arena, slot_changes, .. } = self;
        let body = arena.at_mut(event.owner);
        slot_changes.clear();
        if let Index::Kinetic(tree) = &mut body.index {
            tree.process(event, &mut TreeContext::new(&body.motion, body.epoch.end, clock, slot_changes));
        }
    }

    /// Certifies all slots of a body's kinetic tree, if it has one, with what was found ahead.
    pub(crate) fn certify_tree(&mut self, index: u32, clock: &mut EventContext<'_>) {
        let Self { arena, slot_changes, .. } = self;
        let body = arena.at_mut(index);
        slot_changes.clear();
        let Index::Kinetic(tree) = &mut body.index else { return };
        let ahead = &body.next_epoch.slots;
        tree.certify_all_as_found(ahead, &mut TreeContext::new(&body.motion, body.epoch.end, clock, slot_changes));
    }

    /// Certifies some nodes of a body's kinetic tree again over motion that is known only now;
    /// returns whether the tree can do that.
    pub(crate) fn extend_tree(
        &mut self,
        index: u32,
        nodes: Range<u32>,
        since: f64,
        clock: &mut EventContext<'_>,
    ) -> bool {
        let Self { arena, slot_changes, .. } = self;
        let body = arena.at_mut(index);
        slot_changes.clear();
        let Index::Kinetic(tree) = &mut body.index else { return false };
        tree.extend(nodes, since, &mut TreeContext::new(&body.motion, body.epoch.end, clock, slot_changes))
    }

    /// Gives up the bounds of a kinetic body, which has another motion than they are of; returns
    /// whether it had any. Its certificates are to be computed again.
    pub(crate) fn give_up_bounds(&mut self, index: u32, clock: &mut EventContext<'_>) -> bool {
        let Self { arena, slot_changes, .. } = self;
        let body = arena.at_mut(index);
        slot_changes.clear();
        let Index::Kinetic(tree) = &mut body.index else { return false };
        let until = clock.now.time();
        tree.give_up_bounds(index, &mut TreeContext::new(&body.motion, until, clock, slot_changes))
    }

    /// Bounds a body from parameters, over the tree it has. Certificates of a kinetic body are to
    /// be computed again.
    pub(crate) fn take_bounds(&mut self, index: u32, boxes: Box<dyn KeyedBoxes>, clock: &mut EventContext<'_>) {
        let Self { arena, slot_changes, .. } = self;
        let body = arena.at_mut(index);
        slot_changes.clear();
        let Index::Kinetic(tree) = &mut body.index else { return body.bound_on_demand(boxes) };
        tree.retire(clock);
        let until = clock.now.time();
        *tree = KineticTree::bounded(boxes, &mut TreeContext::new(&body.motion, until, clock, slot_changes));
    }

    /// Builds another kinetic tree of the same kind over what a body is made of now.
    pub(crate) fn rebuild_kinetic_tree(&mut self, index: u32, clock: &mut EventContext<'_>) {
        let Self { arena, slot_changes, .. } = self;
        let Body { shape, motion, index: finder, epoch, .. } = arena.at_mut(index);
        let Index::Kinetic(tree) = finder else { return };
        slot_changes.clear();
        let mut positions = Vec::new();
        motion.positions(clock.now, &mut positions);
        tree.retire(clock);
        let topology = Topology::build(&shape.parts(), &positions, tree.topology().params());
        let context = &mut TreeContext::new(motion, epoch.end, clock, slot_changes);
        *tree = KineticTree::new(tree.kind(), topology, index, context);
    }

    /// Rebuilds subtrees of a body's kinetic AABB tree; the slots it changes are in
    /// [`Bodies::slot_changes`]. Returns false if the body has a tree of another kind.
    pub(crate) fn rebuild_subtrees(
        &mut self,
        index: u32,
        nodes: &[u32],
        tree_change: &mut TreeChange,
        clock: &mut EventContext<'_>,
    ) -> bool {
        let Self { arena, slot_changes, .. } = self;
        let Body { shape, motion, index: finder, epoch, .. } = arena.at_mut(index);
        let Index::Kinetic(KineticTree::Aabb(tree)) = finder else { return false };
        slot_changes.clear();
        for &node in nodes {
            let primitives = &shape.parts();
            let changes = &mut *slot_changes;
            tree.rebuild(
                node,
                &mut Ground {
                    primitives,
                    context: TreeContext::new(motion, epoch.end, clock, changes),
                    tree_change: &mut *tree_change,
                },
            );
        }
        true
    }

    /// Carries out an edit of a body's mesh and of its kinetic AABB tree; the slots it changes are
    /// in [`Bodies::slot_changes`]. Returns false, and changes only the mesh, if the body has no
    /// such tree.
    ///
    /// # Errors
    /// An edit that does not fit the mesh.
    pub(crate) fn edit_tree(
        &mut self,
        index: u32,
        edit: &MeshEdit,
        tree_change: &mut TreeChange,
        clock: &mut EventContext<'_>,
    ) -> Result<bool, EditError> {
        let Self { arena, slot_changes, .. } = self;
        let Body { shape: Shape { mesh, seams, .. }, motion, index: finder, epoch, .. } = arena.at_mut(index);
        if let Some(seams) = seams {
            edit.joined().iter().for_each(|&other| seams.push(other));
        }
        let Index::Kinetic(KineticTree::Aabb(tree)) = finder else {
            mesh.edit(edit)?;
            return Ok(false);
        };
        tree.grow_vertices(motion.vertex_count());
        slot_changes.clear();
        let until = epoch.end;
        let mut with_ground = |mesh: &Mesh, action: &mut dyn FnMut(&mut Ground<'_, '_, Mesh>)| {
            let changes = &mut *slot_changes;
            action(&mut Ground {
                primitives: mesh,
                context: TreeContext::new(motion, until, clock, changes),
                tree_change: &mut *tree_change,
            });
        };
        let is_local = 4 * (edit.uprooted().count() + edit.planted().count()) <= mesh.triangle_count();
        if is_local {
            with_ground(mesh, &mut |ground| edit.uprooted().for_each(|triangle| tree.remove(triangle, ground)));
            mesh.edit(edit)?;
            with_ground(mesh, &mut |ground| edit.planted().for_each(|triangle| tree.insert(triangle, ground)));
        } else {
            mesh.edit(edit)?;
            with_ground(mesh, &mut |ground| tree.rebuild_all(ground));
        }
        Ok(true)
    }

    /// Gives some vertices of a body the plans its motion has now; the slots it changes are in
    /// [`Bodies::slot_changes`]. Returns whether the body has a kinetic tree.
    pub(crate) fn replan_tree(&mut self, index: u32, vertices: &[u32], clock: &mut EventContext<'_>) -> bool {
        let Self { arena, slot_changes, .. } = self;
        let body = arena.at_mut(index);
        slot_changes.clear();
        let Index::Kinetic(tree) = &mut body.index else { return false };
        tree.replan(vertices, &mut TreeContext::new(&body.motion, body.epoch.end, clock, slot_changes));
        true
    }

    /// Puts bodies to sleep that rest from a moment on.
    pub(crate) fn put_resting_to_sleep(&mut self, moved: &[u32], now: Moment) {
        let time = now.time();
        for &index in moved {
            if let Some(until) = self.at(index).motion.rests_until(time).filter(|&until| until > time) {
                self.sleep.put_to_sleep(index, until);
            }
        }
    }
}

/// Identifies the key times of a motion; `None` without keys.
fn key_times_of(motion: &Motion) -> Option<KeyTimesId> {
    let times = motion.key_times();
    let (first, last) = (times.first()?, times.last()?);
    // + 0.0 turns −0.0 into 0.0.
    Some((times.len(), (first + 0.0).to_bits(), (last + 0.0).to_bits()))
}
