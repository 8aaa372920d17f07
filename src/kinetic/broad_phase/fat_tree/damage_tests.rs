//! The check of the tree of fat boxes finds what is damaged in it; how high a tree may be; how it
//! is halved.

use super::{FatBoxTree, NONE, Node, most_height};
use crate::math::Aabb;

const BODIES: u32 = 10;

fn fat_box(body: u32) -> Aabb {
    let x = 4.0 * f64::from(body);
    Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] }
}

fn tree() -> FatBoxTree {
    let mut tree = FatBoxTree::default();
    (0..BODIES).for_each(|body| tree.insert(body, fat_box(body)));
    tree
}

/// The first inner node of a level that is not the root.
fn inner(tree: &FatBoxTree, height: u32) -> usize {
    let is_it = |&(index, node): &(usize, &Node)| node.height == height && index != tree.root as usize;
    tree.nodes.iter().find(is_it).expect("a node of that height").0
}

fn faults(tree: &FatBoxTree, fat_box: impl Fn(u32) -> Option<Aabb>) -> Vec<String> {
    let mut faults = Vec::new();
    assert_eq!(tree.check(fat_box, |fault| faults.push(fault)), tree.nodes.len());
    faults
}

/// The faults after a damage.
fn faults_after(damage: impl FnOnce(&mut FatBoxTree)) -> Vec<String> {
    let mut tree = tree();
    let known = |body| (body < BODIES).then(|| fat_box(body));
    assert_eq!(faults(&tree, known), [""; 0]);
    damage(&mut tree);
    faults(&tree, known)
}

/// As many faults as parts, each of which names its part.
#[track_caller]
fn assert_names(faults: &[String], parts: &[&str]) {
    let named = faults.len() == parts.len() && parts.iter().zip(faults).all(|(part, fault)| fault.contains(part));
    assert!(named, "{faults:?} are not {parts:?}");
}

#[test]
fn nodes_whose_parents_do_not_know_them_are_named() {
    // Without a parent, below a leaf, below none that there is.
    let index = inner(&tree(), 1);
    for parent in [NONE, tree().leaves[0], 10_000] {
        let faults = faults_after(|tree| tree.nodes[index].parent = parent);
        assert_names(&faults, &[&format!("node {index}: its parent does not know it")]);
    }
    let root = tree().root;
    let below = faults_after(|tree| tree.nodes[root as usize].parent = inner(tree, 1) as u32);
    assert_names(&below, &[&format!("node {root}: its parent does not know it")]);
    // Another node for the root: it has a parent, the old root has none, and there are 2 bodies.
    let other = faults_after(|tree| tree.root = inner(tree, 1) as u32);
    assert_eq!(other.len(), 3, "{other:?}");
    assert_eq!(other.iter().filter(|fault| fault.contains("its parent does not know it")).count(), 2);
    assert_names(&other[2..], &["10 leaves for 2 bodies"]);
}

#[test]
fn leaves_that_are_not_the_fat_boxes_of_their_bodies_are_named() {
    let exchanged = faults_after(|tree| tree.leaves.swap(3, 4));
    assert_eq!(exchanged.len(), 2, "{exchanged:?}");
    assert!(exchanged.iter().all(|fault| fault.contains("not the fat_box of body")));
    let unknown = faults_after(|tree| {
        let leaf = tree.leaves[3] as usize;
        tree.nodes[leaf].body = 99;
    });
    assert_names(&unknown, &["not the fat_box of body 99"]);
    // Sound in itself, but a body's fat box is another, or there is none.
    let tree = tree();
    for of_body_3 in [None, Some(fat_box(4))] {
        let found = faults(&tree, |body| if body == 3 { of_body_3 } else { Some(fat_box(body)) });
        assert_names(&found, &["not the fat_box of body 3"]);
    }
}

#[test]
fn nodes_that_do_not_fit_their_children_are_named() {
    let damages: [fn(&mut Node); 3] =
        [|node| node.bounds.min[1] -= 1.0, |node| node.bounds.max[2] += 1.0, |node| node.height += 1];
    for damage in damages {
        let root = tree().root as usize;
        let at_root = faults_after(|tree| damage(&mut tree.nodes[root]));
        assert_names(&at_root, &[&format!("node {root}: does not fit its children")]);
    }
    // Below the root the parent does not fit either.
    let index = inner(&tree(), 1);
    let below = faults_after(|tree| tree.nodes[index].count += 1);
    assert_eq!(below.len(), 2, "{below:?}");
    assert!(below.iter().all(|fault| fault.contains("does not fit its children")));
}

#[test]
fn leaves_that_are_too_many_or_too_few_are_counted() {
    let counted = faults_after(|tree| {
        let root = tree.root as usize;
        tree.nodes[root].count += 1;
    });
    assert_names(&counted, &["does not fit its children", "10 leaves for 11 bodies"]);
    let listed = faults_after(|tree| tree.leaves.push(0));
    assert_names(&listed, &["10 leaves for 10 bodies"]);
    let missing = faults_after(|tree| tree.leaves[3] = NONE);
    assert_names(&missing, &["not the fat_box of body 3", "10 leaves for 10 bodies"]);
}

/// A leaf of a body that is in no tree yet.
fn leaf(tree: &mut FatBoxTree, body: u32) -> u32 {
    let leaf = Node { bounds: fat_box(body), parent: NONE, children: [NONE; 2], body, count: 1, height: 0 };
    let leaf = tree.nodes.insert(leaf) as u32;
    tree.leaves.push(leaf);
    leaf
}

/// Makes two trees one.
fn join(tree: &mut FatBoxTree, children: [u32; 2]) {
    let joint = Node { parent: NONE, children, body: NONE, ..tree.nodes[children[0] as usize].clone() };
    let joint = tree.nodes.insert(joint) as u32;
    for child in children {
        tree.nodes[child as usize].parent = joint;
    }
    tree.root = joint;
    tree.update(joint);
}

/// A tree in which every inner node has a leaf.
fn chain(bodies: u32) -> FatBoxTree {
    let mut tree = FatBoxTree::default();
    for body in 0..bodies {
        let leaf = leaf(&mut tree, body);
        if body == 0 {
            tree.root = leaf;
        } else {
            let children = [tree.root, leaf];
            join(&mut tree, children);
        }
    }
    tree
}

#[test]
fn of_a_tree_that_is_too_high_the_part_out_of_balance_is_rebuilt() {
    // Half of the bodies in a chain, half in a balanced tree beside it, on either side: the root is
    // in balance.
    for is_first in [true, false] {
        let mut tree = chain(20);
        let high = tree.root;
        let mut leaves: Vec<u32> = (20..40).map(|body| leaf(&mut tree, body)).collect();
        let low = tree.halve(&mut leaves);
        join(&mut tree, if is_first { [high, low] } else { [low, high] });
        assert_eq!((tree.len(), tree.height(), most_height(40)), (40, 20, 17));
        tree.keep_low();
        assert_eq!(faults(&tree, |body| Some(fat_box(body))), [""; 0]);
        // The deepest part of which one child has more than three quarters has five bodies, then
        // six, then seven; each is lower by a level then.
        assert_eq!((tree.height(), tree.rebuilt), (17, 5 + 6 + 7));
    }
}

#[test]
fn trees_that_are_too_high_are_named() {
    // 5 (⌊log₂ n⌋ + 1) / 2 + 2, rounded down.
    let allowed = [(0, 4), (1, 4), (2, 7), (3, 7), (4, 9), (7, 9), (8, 12), (15, 12), (16, 14), (1 << 20, 54)];
    assert_eq!(allowed.map(|(leaves, _)| (leaves, most_height(leaves))), allowed);
    for bodies in [1, 2, 7, 10, 13, 14, 15, 16] {
        let found = faults(&chain(bodies), |body| Some(fat_box(body)));
        if bodies <= 13 {
            assert_eq!(found, [""; 0], "{bodies}");
        } else {
            assert_names(&found, &[&format!("{} levels over {bodies} bodies", bodies - 1)]);
        }
    }
}

/// After a subtree is rebuilt, no two of its nodes side by side share a place where they need
/// not.
#[test]
fn subtrees_are_halved_along_their_longest_side() {
    for axis in 0..3 {
        // In a row far from the origin along the other axes, not in the order of their numbers.
        let cube = |body: u32| {
            let mut min = [1000.0; 3];
            min[axis] = 3.0 * f64::from(body * 7 % 16);
            min[(axis + 1) % 3] += f64::from(body % 3);
            Aabb { min, max: min.map(|x| x + 1.0) }
        };
        let mut tree = FatBoxTree::default();
        (0..16).for_each(|body| tree.insert(body, cube(body)));
        tree.rebuild(tree.root);
        assert_eq!(faults(&tree, |body| Some(cube(body))), [""; 0]);
        assert_eq!((tree.len(), tree.height(), tree.rebuilt), (16, 4, 16));
        for (_, node) in tree.nodes.iter().filter(|(_, node)| node.height > 0) {
            let [low, high] = node.children.map(|child| tree.nodes[child as usize].bounds);
            assert!(low.max[axis] < high.min[axis], "along {axis}: {low:?}, {high:?}");
        }
    }
}

#[test]
fn bytes_count_the_table_of_all_numbers() {
    let mut tree = FatBoxTree::default();
    tree.insert(9999, fat_box(0));
    // Four for each number, and a few nodes.
    assert!((40_000..41_000).contains(&tree.bytes()), "{}", tree.bytes());
}
