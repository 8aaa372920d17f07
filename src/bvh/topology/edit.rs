//! Local changes of a tree's shape: insertion and removal of primitives, rebuilt subtrees.

use super::super::builders::{self, BuildParams, Builder, Item, MOST_CHILDREN};
use super::{NONE, Node, Topology, gather_points};
use crate::mesh::Primitives;

/// The effect of a local change on the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reshaped {
    /// The root of the changed subtree. It keeps its number and its place; its children or its
    /// primitives differ from before.
    pub node: u32,
    /// Removed nodes below it. Their numbers may be among `created`.
    pub dropped: Vec<u32>,
    /// New nodes below it, parents before children.
    pub created: Vec<u32>,
}

#[cfg_attr(not(feature = "unstable"), doc(hidden))]
impl Topology {
    /// Makes room for vertices below `count`.
    pub fn grow_vertices(&mut self, count: usize) {
        self.vertex_count = self.vertex_count.max(count);
        if let Some(lists) = self.vertex_leaves.get_mut() {
            lists.grow(count);
        }
    }

    /// Inserts a primitive into a leaf; divides the leaf if it is too full. `position` gives the
    /// current position of a vertex. O(vertices of the leaf) for the leaf, and O(height) for the
    /// counts.
    pub fn insert(
        &mut self,
        leaf: u32,
        primitive: u32,
        primitives: &impl Primitives,
        position: impl Fn(u32) -> [f64; 3],
    ) -> Reshaped {
        let mut set = self.primitives(leaf).to_vec();
        set.push(primitive);
        self.replace(leaf, &set, self.params, primitives, position)
    }

    /// Returns the leaf that holds a primitive; `vertex` is one of its vertices. O(leaves of the
    /// vertex).
    pub fn leaf_of(&self, primitive: u32, vertex: u32) -> Option<u32> {
        self.leaves_of(vertex).iter().copied().find(|&leaf| self.primitives(leaf).contains(&primitive))
    }

    /// Removes a primitive from a leaf. An empty leaf is removed, and an only sibling takes their
    /// parent's place. Leaves that became too small are united. O(vertices of these leaves), and
    /// O(height). A tree keeps its only primitive.
    pub fn remove(
        &mut self,
        leaf: u32,
        primitive: u32,
        primitives: &impl Primitives,
        position: impl Fn(u32) -> [f64; 3],
    ) -> Reshaped {
        let mut top = leaf;
        // Unite nodes whose remaining primitives fill at most three quarters of a leaf.
        while let Some(parent) = self.node(top).parent()
            && 4 * (self.node(parent).count() - 1) <= 3 * self.params.leaf_size()
        {
            top = parent;
        }
        let is_last = self.node(leaf).count() == 1;
        if top == leaf && is_last {
            let Some(parent) = self.node(leaf).parent() else {
                return Reshaped { node: leaf, dropped: Vec::new(), created: Vec::new() };
            };
            let mut siblings = self.node(parent).children().iter().copied().filter(|&child| child != leaf);
            let (sibling, is_only) = (siblings.next().expect("a leaf has a sibling"), siblings.next().is_none());
            if !is_only {
                return self.pluck(parent, leaf);
            }
            if !self.node(sibling).is_leaf() {
                return self.promote(parent, leaf, sibling);
            }
            top = parent;
        }
        let mut set = self.primitives_below(top);
        set.retain(|&other| other != primitive);
        self.replace(top, &set, self.params, primitives, position)
    }

    /// Rebuilds the subtree below a node from the current positions of its vertices. O(k log k) for
    /// k primitives below.
    pub fn rebuild(&mut self, node: u32, primitives: &impl Primitives, position: impl Fn(u32) -> [f64; 3]) -> Reshaped {
        let set = self.primitives_below(node);
        self.replace(node, &set, self.params, primitives, position)
    }

    /// Rebuilds the whole tree over all primitives in use. O(n log n).
    pub fn rebuild_all(&mut self, primitives: &impl Primitives, position: impl Fn(u32) -> [f64; 3]) -> Reshaped {
        let used = (0..primitives.primitive_count()).filter(|&primitive| primitives.is_used(primitive));
        let set: Vec<u32> = used.map(|primitive| primitive as u32).collect();
        self.replace(0, &set, self.params, primitives, position)
    }

    /// Rebuilds the lowest unbalanced subtree on the longest path by median splits, if the tree is
    /// too high. Callers repeat it until it returns `None`.
    pub fn rebalance(&mut self, primitives: &impl Primitives, position: impl Fn(u32) -> [f64; 3]) -> Option<Reshaped> {
        let root = self.node(0);
        if root.height <= 2 * root.count.ilog2() + 10 {
            return None;
        }
        let leaf_size = self.params.leaf_size() as u32;
        let (mut node, mut lowest) = (0, 0);
        while !self.node(node).is_leaf() {
            let Node { count, height, .. } = *self.node(node);
            if height > 2 * (count / leaf_size).max(1).ilog2() + 3 {
                lowest = node;
            }
            // The first of the highest children.
            let children = self.node(node).children().iter().copied();
            let highest = children.rev().max_by_key(|&child| self.node(child).height);
            node = highest.expect("an inner node has children");
        }
        let params = BuildParams { builder: Builder::MedianSplit, ..self.params };
        let set = self.primitives_below(lowest);
        Some(self.replace(lowest, &set, params, primitives, position))
    }

    /// All primitives below a node, in order of leaves.
    pub fn primitives_below(&self, node: u32) -> Vec<u32> {
        self.downward(node).into_iter().flat_map(|node| self.primitives(node).iter().copied()).collect()
    }

    /// Replaces the subtree below a node by a tree over other primitives.
    fn replace(
        &mut self,
        top: u32,
        set: &[u32],
        params: BuildParams,
        primitives: &impl Primitives,
        position: impl Fn(u32) -> [f64; 3],
    ) -> Reshaped {
        let item = |&primitive: &u32| {
            let places: Vec<[f64; 3]> = primitives.points_of(primitive as usize).iter().map(|&v| position(v)).collect();
            Item::new(primitive, 0, &places)
        };
        let (branches, order) = builders::build(set.iter().map(item).collect(), params);
        let below = self.downward(top);
        for &node in &below {
            self.clear(node);
        }
        let dropped = below[1..].to_vec();
        for &node in dropped.iter().rev() {
            self.release(node);
        }
        let numbers: Vec<u32> = (0..branches.len()).map(|place| if place == 0 { top } else { self.take() }).collect();
        let number = |place: u32| if place == NONE { NONE } else { numbers[place as usize] };
        let mut points = Vec::new();
        for (place, branch) in branches.iter().enumerate().rev() {
            let mut node = Node {
                parent: if place == 0 { self.node(top).parent } else { number(branch.parent) },
                children: branch.children.map(number),
                count: branch.end - branch.begin,
                height: 1,
            };
            if node.children().is_empty() {
                let leaf = numbers[place];
                let set = &order[branch.begin as usize..branch.end as usize];
                gather_points(primitives, set, &mut points);
                self.primitives.set(leaf, set);
                self.leaf_points.set(leaf, &points);
                if let Some(lists) = self.vertex_leaves.get_mut() {
                    points.iter().for_each(|&vertex| lists.enter(vertex, leaf));
                }
            } else {
                let heights = node.children().iter().map(|&child| self.node(child).height);
                node.height += heights.max().unwrap_or(0);
            }
            self.nodes[numbers[place] as usize] = node;
        }
        self.count_upward(top);
        Reshaped { node: top, dropped, created: numbers[1..].to_vec() }
    }

    /// Replaces a parent of two by the inner node that remains: the parent takes over that node's
    /// children.
    fn promote(&mut self, parent: u32, gone: u32, heir: u32) -> Reshaped {
        self.clear(gone);
        let below = *self.node(heir);
        self.release(gone);
        self.release(heir);
        for &child in below.children() {
            self.nodes[child as usize].parent = parent;
        }
        let above = self.node(parent).parent;
        self.nodes[parent as usize] = Node { parent: above, ..below };
        self.count_upward(parent);
        Reshaped { node: parent, dropped: vec![gone, heir], created: Vec::new() }
    }

    /// Removes a leaf that has two or three siblings.
    fn pluck(&mut self, parent: u32, gone: u32) -> Reshaped {
        self.clear(gone);
        self.release(gone);
        let mut left = [NONE; MOST_CHILDREN];
        let siblings = self.node(parent).children().iter().filter(|&&child| child != gone);
        left.iter_mut().zip(siblings).for_each(|(place, &sibling)| *place = sibling);
        self.nodes[parent as usize].children = left;
        self.count_at(parent);
        self.count_upward(parent);
        Reshaped { node: parent, dropped: vec![gone], created: Vec::new() }
    }

    /// Clears the primitives and vertices of a leaf.
    fn clear(&mut self, leaf: u32) {
        if !self.node(leaf).is_leaf() {
            return;
        }
        if let Some(lists) = self.vertex_leaves.get_mut() {
            for &vertex in self.leaf_points.of(leaf) {
                lists.retain(vertex, |other| other != leaf);
            }
        }
        self.primitives.set(leaf, &[]);
        self.leaf_points.set(leaf, &[]);
    }

    fn release(&mut self, node: u32) {
        self.nodes[node as usize] = Node::UNUSED;
        self.free.push(node);
    }

    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.nodes.push(Node::UNUSED);
            self.primitives.grow(self.nodes.len());
            self.leaf_points.grow(self.nodes.len());
            self.nodes.len() as u32 - 1
        })
    }

    /// Updates counts and heights above a node.
    fn count_upward(&mut self, mut node: u32) {
        while let Some(parent) = self.node(node).parent() {
            self.count_at(parent);
            node = parent;
        }
    }

    /// Computes count and height of an inner node from its children.
    fn count_at(&mut self, node: u32) {
        let children = self.node(node).children().iter().map(|&child| self.node(child));
        let (count, height) =
            children.fold((0, 0), |(count, height), child| (count + child.count, height.max(child.height)));
        let entry = &mut self.nodes[node as usize];
        (entry.count, entry.height) = (count, 1 + height);
    }
}
