//! A dynamic tree over the fat boxes of bodies: finds the fat boxes that overlap a box.
//!
//! Maintains: the box of an inner node is the union of its children's; every body has one leaf; the
//! height is at most 2.5 log₂ n + 2. Fat boxes are plain boxes that stand still, so nothing here
//! depends on time.
//!
//! A leaf is inserted next to the node where that adds least surface area (Goldsmith and Salmon
//! 1987), found by one descent; on the way back up, a child and a grandchild change places where
//! that saves area and costs no height (Kopta et al. 2012). Where insertions in an unlucky order
//! make the tree too high all the same, the subtree that is out of balance is rebuilt by halving
//! (Galperin and Rivest 1993, scapegoat trees).
//!
//! Cost: O(log n) per insertion and removal, amortised where a subtree is rebuilt; a query O(log
//! n + found) for small boxes. Ties are decided by the side of the tree and by body number; equal
//! histories give equal trees.

use crate::id::Slots;

use crate::math::Aabb;

const NONE: u32 = u32::MAX;

/// A subtree is out of balance if one child has more than this share of its leaves, in quarters.
const HEAVY_QUARTERS: u64 = 3;

/// See the module's text.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FatBoxTree {
    nodes: Slots<Node>,
    root: u32,
    /// Per body its leaf, or `NONE`.
    leaves: Vec<u32>,
    /// Boxes tested since the beginning.
    pub(super) visits: u64,
    /// Leaves that were built into new subtrees since the beginning.
    pub(super) rebuilt: u64,
    /// Scratch of queries.
    #[cfg_attr(feature = "record", serde(skip))]
    stack: Vec<u32>,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Node {
    bounds: Aabb,
    parent: u32,
    /// Both `NONE` at a leaf.
    children: [u32; 2],
    /// At a leaf.
    body: u32,
    /// Leaves below, and levels below.
    count: u32,
    height: u32,
}

impl Default for FatBoxTree {
    fn default() -> Self {
        Self { nodes: Slots::new(), root: NONE, leaves: Vec::new(), visits: 0, rebuilt: 0, stack: Vec::new() }
    }
}

impl FatBoxTree {
    pub(super) fn len(&self) -> usize {
        if self.root == NONE { 0 } else { self.nodes[self.root as usize].count as usize }
    }

    pub(super) fn height(&self) -> usize {
        if self.root == NONE { 0 } else { self.nodes[self.root as usize].height as usize }
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.leaves.capacity() * size_of::<u32>()
    }

    /// Enters a body that is not in the tree.
    pub(super) fn insert(&mut self, body: u32, bounds: Aabb) {
        let leaf = Node { bounds, parent: NONE, children: [NONE; 2], body, count: 1, height: 0 };
        let leaf = self.nodes.insert(leaf) as u32;
        if self.leaves.len() <= body as usize {
            self.leaves.resize(body as usize + 1, NONE);
        }
        self.leaves[body as usize] = leaf;
        if self.root == NONE {
            self.root = leaf;
            return;
        }
        let sibling = self.best_sibling(&bounds);
        let above = self.nodes[sibling as usize].parent;
        let joint = Node { parent: above, children: [sibling, leaf], body: NONE, ..self.nodes[leaf as usize].clone() };
        let joint = self.nodes.insert(joint) as u32;
        self.replace_child(above, sibling, joint);
        self.nodes[sibling as usize].parent = joint;
        self.nodes[leaf as usize].parent = joint;
        self.repair(joint);
    }

    /// Takes a body out, if it is in the tree.
    pub(super) fn remove(&mut self, body: u32) {
        let Some(leaf) = self.leaves.get_mut(body as usize).map(|leaf| std::mem::replace(leaf, NONE)) else { return };
        if leaf == NONE {
            return;
        }
        let parent = self.nodes.remove(leaf as usize).parent;
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node { parent: above, children: [left, right], .. } = self.nodes.remove(parent as usize);
        let sibling = if left == leaf { right } else { left };
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.repair(above);
    }

    /// Calls `found` with every body whose fat box shares a point with `bounds`, until it returns
    /// false.
    pub(super) fn overlapping(&mut self, bounds: &Aabb, mut found: impl FnMut(u32) -> bool) {
        self.stack.clear();
        if self.root != NONE {
            self.stack.push(self.root);
        }
        while let Some(node) = self.stack.pop() {
            self.visits += 1;
            let node = &self.nodes[node as usize];
            if !node.bounds.overlaps(bounds) {
                continue;
            }
            if node.height > 0 {
                self.stack.extend(node.children.into_iter().rev());
            } else if !found(node.body) {
                return;
            }
        }
    }

    /// Descends to where a new leaf adds least surface.
    fn best_sibling(&mut self, bounds: &Aabb) -> u32 {
        let mut node = self.root;
        loop {
            self.visits += 1;
            let here = &self.nodes[node as usize];
            if here.height == 0 {
                return node;
            }
            let joined = here.bounds.union(bounds).half_area();
            let growth = joined - here.bounds.half_area();
            let cost = |child: u32| {
                let child = &self.nodes[child as usize];
                let joined = child.bounds.union(bounds).half_area();
                growth + if child.height == 0 { joined } else { joined - child.bounds.half_area() }
            };
            let [left, right] = here.children;
            let (cost_left, cost_right) = (cost(left), cost(right));
            if joined <= cost_left.min(cost_right) {
                return node;
            }
            node = if cost_left <= cost_right { left } else { right };
        }
    }

    /// Makes all nodes from here up right again, and the tree low.
    fn repair(&mut self, from: u32) {
        let mut node = from;
        while node != NONE {
            self.visits += 1;
            self.update(node);
            self.rotate(node);
            node = self.nodes[node as usize].parent;
        }
        self.keep_low();
    }

    /// Box, count and height from the children's.
    fn update(&mut self, node: u32) {
        let [left, right] = self.nodes[node as usize].children;
        let (l, r) = (&self.nodes[left as usize], &self.nodes[right as usize]);
        let (bounds, count, height) = (l.bounds.union(&r.bounds), l.count + r.count, 1 + l.height.max(r.height));
        let node = &mut self.nodes[node as usize];
        (node.bounds, node.count, node.height) = (bounds, count, height);
    }

    /// Exchanges a child with a child of the other one, if that saves area and costs no height: the
    /// best of up to four.
    fn rotate(&mut self, node: u32) {
        let here = &self.nodes[node as usize];
        let mut best: Option<(f64, u32, u32, u32)> = None;
        for (side, &deep) in here.children.iter().enumerate() {
            let (child, inner) = (here.children[1 - side], &self.nodes[deep as usize]);
            if inner.height == 0 {
                continue;
            }
            let moved = &self.nodes[child as usize];
            for (place, &rising) in inner.children.iter().enumerate() {
                let (risen, stays) = (&self.nodes[rising as usize], &self.nodes[inner.children[1 - place] as usize]);
                let height = 1 + risen.height.max(1 + stays.height.max(moved.height));
                let saved = inner.bounds.half_area() - stays.bounds.union(&moved.bounds).half_area();
                if saved > 0.0 && height <= here.height && best.is_none_or(|(most, ..)| saved > most) {
                    best = Some((saved, child, deep, rising));
                }
            }
        }
        if let Some((_, child, deep, rising)) = best {
            self.replace_child(node, child, rising);
            self.replace_child(deep, rising, child);
            self.nodes[rising as usize].parent = node;
            self.nodes[child as usize].parent = deep;
            self.update(deep);
            self.update(node);
        }
    }

    /// Rebuilds what is out of balance on the longest way down, until the tree is low enough.
    fn keep_low(&mut self) {
        while self.root != NONE && self.height() > most_height(self.len()) {
            let (mut node, mut heavy) = (self.root, self.root);
            while self.nodes[node as usize].height > 0 {
                let [left, right] = self.nodes[node as usize].children;
                let (l, r) = (&self.nodes[left as usize], &self.nodes[right as usize]);
                let here = u64::from(self.nodes[node as usize].count);
                if 4 * u64::from(l.count.max(r.count)) > HEAVY_QUARTERS * here {
                    heavy = node;
                }
                node = if l.height >= r.height { left } else { right };
            }
            self.rebuild(heavy);
        }
    }

    fn rebuild(&mut self, top: u32) {
        let above = self.nodes[top as usize].parent;
        let (mut leaves, mut stack) = (Vec::new(), vec![top]);
        while let Some(node) = stack.pop() {
            if self.nodes[node as usize].height == 0 {
                leaves.push(node);
            } else {
                stack.extend(self.nodes.remove(node as usize).children);
            }
        }
        self.rebuilt += leaves.len() as u64;
        self.visits += leaves.len() as u64;
        leaves.sort_unstable_by_key(|&leaf| self.nodes[leaf as usize].body);
        let built = self.halve(&mut leaves);
        self.nodes[built as usize].parent = above;
        self.replace_child(above, top, built);
        let mut node = above;
        while node != NONE {
            self.update(node);
            node = self.nodes[node as usize].parent;
        }
    }

    /// Builds a balanced subtree: halves along the longest axis of the centres' box.
    fn halve(&mut self, leaves: &mut [u32]) -> u32 {
        if let [leaf] = *leaves {
            return leaf;
        }
        let centre = |tree: &Self, leaf: u32| tree.nodes[leaf as usize].bounds.centre();
        let centres: Vec<[f64; 3]> = leaves.iter().map(|&leaf| centre(self, leaf)).collect();
        let spread = Aabb::of_points(&centres);
        let axis = spread.longest_axis();
        // Stable, and sorted by body before: equal centres stay in the order of their bodies.
        leaves.sort_by(|&x, &y| centre(self, x)[axis].total_cmp(&centre(self, y)[axis]));
        let (low, high) = leaves.split_at_mut(leaves.len() / 2);
        let children = [self.halve(low), self.halve(high)];
        let joint = Node { bounds: spread, parent: NONE, children, body: NONE, count: 0, height: 0 };
        let joint = self.nodes.insert(joint) as u32;
        for child in children {
            self.nodes[child as usize].parent = joint;
        }
        self.update(joint);
        joint
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
            return;
        }
        let children = &mut self.nodes[parent as usize].children;
        children[usize::from(children[1] == old)] = new;
    }

    /// Checks the tree's own invariants; calls `fault` for each that is violated. `fat_box` gives a
    /// body's fat box. Returns how many nodes were checked.
    pub(super) fn check(&self, fat_box: impl Fn(u32) -> Option<Aabb>, mut fault: impl FnMut(String)) -> usize {
        if self.height() > most_height(self.len()) {
            fault(format!("{} levels over {} bodies", self.height(), self.len()));
        }
        let mut leaves = 0;
        for (index, node) in self.nodes.iter() {
            let is_root = self.root as usize == index;
            let linked = node.parent == NONE
                || self.nodes.get(node.parent as usize).is_some_and(|p| p.children.contains(&(index as u32)));
            if is_root != (node.parent == NONE) || !linked {
                fault(format!("node {index}: its parent does not know it"));
            }
            if node.height == 0 {
                leaves += 1;
                let is_known = self.leaves.get(node.body as usize) == Some(&(index as u32));
                if !is_known || fat_box(node.body) != Some(node.bounds) {
                    fault(format!("leaf {index}: not the fat_box of body {}", node.body));
                }
                continue;
            }
            let [l, r] = node.children.map(|child| &self.nodes[child as usize]);
            let expected = (l.bounds.union(&r.bounds), l.count + r.count, 1 + l.height.max(r.height));
            if (node.bounds, node.count, node.height) != expected {
                fault(format!("node {index}: does not fit its children"));
            }
        }
        if leaves != self.len() || leaves != self.leaves.iter().filter(|&&leaf| leaf != NONE).count() {
            fault(format!("{leaves} leaves for {} bodies", self.len()));
        }
        self.nodes.len()
    }
}

/// The greatest height allowed over `leaves` leaves. No way down on which every step keeps three
/// quarters or less of the leaves is longer than log₂ n / log₂ (4/3) < 2.41 log₂ n + 1.
fn most_height(leaves: usize) -> usize {
    5 * (leaves.max(1).ilog2() as usize + 1) / 2 + 2
}

#[cfg(test)]
mod damage_tests;

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(x: f64, y: f64, side: f64) -> Aabb {
        Aabb { min: [x, y, 0.0], max: [x + side, y + side, side] }
    }

    fn check(tree: &FatBoxTree, fat_boxes: &[Option<Aabb>]) {
        let mut faults = Vec::new();
        tree.check(|body| fat_boxes[body as usize], |fault| faults.push(fault));
        assert!(faults.is_empty(), "{faults:?}");
    }

    #[test]
    fn stays_right_and_low_through_insertions_and_removals_in_bad_orders() {
        // In a row, in ever longer steps, all at one place.
        let orders: [&dyn Fn(u32) -> Aabb; 3] =
            [&|i| cube(f64::from(i), 0.0, 0.5), &|i| cube(1.5f64.powi(i.cast_signed()), 0.0, 0.5), &|_| Aabb {
                min: [1.0; 3],
                max: [1.0; 3],
            }];
        for place in orders {
            let mut tree = FatBoxTree::default();
            let mut fat_boxes = vec![None; 200];
            for body in 0..200 {
                fat_boxes[body as usize] = Some(place(body));
                tree.insert(body, place(body));
                check(&tree, &fat_boxes);
            }
            for step in 0..200u32 {
                let body = step * 77 % 200;
                tree.remove(body);
                fat_boxes[body as usize] = None;
                check(&tree, &fat_boxes);
            }
            assert_eq!((tree.len(), tree.height()), (0, 0));
        }
    }

    #[test]
    fn finds_what_a_scan_finds() {
        let mut state = 3u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let mut tree = FatBoxTree::default();
        let mut fat_boxes: Vec<Option<Aabb>> = vec![None; 120];
        let mut found_any = 0;
        for step in 0..2000 {
            let body = (random() * 120.0) as u32;
            if fat_boxes[body as usize].take().is_some() {
                tree.remove(body);
            } else {
                let bounds = cube(random() * 20.0, random() * 20.0, random() * 2.0);
                fat_boxes[body as usize] = Some(bounds);
                tree.insert(body, bounds);
            }
            let bounds = cube(random() * 20.0, random() * 20.0, 3.0);
            let mut found = Vec::new();
            tree.overlapping(&bounds, |body| {
                found.push(body);
                true
            });
            found.sort_unstable();
            let is_hit = |&body: &u32| fat_boxes[body as usize].is_some_and(|fat_box| fat_box.overlaps(&bounds));
            let expected: Vec<u32> = (0..120).filter(is_hit).collect();
            assert_eq!(found, expected, "step {step}");
            found_any += found.len();
            check(&tree, &fat_boxes);
        }
        assert!(found_any > 1000, "{found_any}");
    }
}
