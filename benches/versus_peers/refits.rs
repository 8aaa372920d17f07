//! Our own refits: the tuned one of the library, and one with a tree built for the whole clip.

use kinetree::bvh::Builder;
use kinetree::refit::{RefitTree, candidate_triangles};
use kinetree::time::Moment;

use crate::contender::{Contender, Points, Tester};
use crate::scene::{Actor, Frame, Scene};

/// The library's tuned refit: interpolated, refitted and traversed at every frame.
pub struct Tuned {
    trees: Vec<RefitTree>,
    tester: Tester,
    pairs: Vec<(u32, u32)>,
}

impl Tuned {
    pub fn new(scene: &Scene, leaf_size: usize) -> Self {
        let tree = |actor: &Actor| {
            RefitTree::new(actor.topology(leaf_size, Builder::BinnedSurfaceArea), &actor.mesh, &actor.start())
        };
        Self { trees: scene.actors().map(tree).collect(), tester: Tester::new(scene), pairs: Vec::new() }
    }
}

impl Contender for Tuned {
    fn update(&mut self, scene: &Scene, frame: &Frame) {
        let at = Moment::at(frame.time);
        for (actor, tree) in scene.actors().zip(&mut self.trees).filter(|(actor, _)| !actor.is_fixed()) {
            tree.refit_with(|vertices, points| actor.motion.rounded_positions(at, vertices, points));
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        self.pairs.clear();
        let pairs = &mut self.pairs;
        let second = self.trees.last().expect("a tree");
        candidate_triangles(&self.trees[0], second, 0.0, |p, q| pairs.push((p, q)));
        self.tester.test(scene, frame, self.pairs.iter().copied(), found);
    }

    fn bytes(&self) -> usize {
        self.trees.iter().map(RefitTree::bytes).sum::<usize>() + self.tester.bytes() + self.pairs.capacity() * 8
    }
}

/// Poses a tree for a clip is built for.
const POSES: usize = 5;

/// Bins along an axis.
const BINS: usize = 16;

/// Most triangles in a leaf.
const LEAF: usize = 4;

/// `[lo, −hi]`, so that a union is eight minima.
type Sides = [f32; 8];

const EMPTY: Sides = [f32::INFINITY; 8];

#[inline(always)]
fn union(a: &Sides, b: &Sides) -> Sides {
    std::array::from_fn(|lane| if a[lane] < b[lane] { a[lane] } else { b[lane] })
}

#[inline(always)]
fn overlap(a: &Sides, b: &Sides) -> bool {
    let mut apart = false;
    for axis in 0..3 {
        apart |= a[axis] > -b[axis + 4];
        apart |= b[axis] > -a[axis + 4];
    }
    !apart
}

fn extent(a: &Sides, axis: usize) -> f32 {
    -a[axis + 4] - a[axis]
}

fn area(a: &Sides) -> f32 {
    let [x, y, z] = [0, 1, 2].map(|axis| extent(a, axis));
    if x >= 0.0 { x * y + y * z + z * x } else { 0.0 }
}

fn sides((low, high): ([f32; 3], [f32; 3])) -> Sides {
    [low[0], low[1], low[2], 0.0, -high[0], -high[1], -high[2], 0.0]
}

/// A binary tree in depth-first order: the first child of an inner node comes right after it.
struct Flat {
    boxes: Vec<Sides>,
    /// The second child, or, with the highest bit, the first triangle of a leaf.
    next: Vec<u32>,
    /// Triangles in leaf order, and where each leaf's end.
    order: Vec<u32>,
    ends: Vec<u32>,
}

const IS_LEAF: u32 = 1 << 31;

impl Flat {
    /// Built so that the surface areas summed over several poses are small, as T-SAH does (Bittner and Meister 2015, "T-SAH: Animation
    /// optimized bounding volume hierarchies", which optimises a tree by moving subtrees; here it is built anew, by bins).
    fn build(actor: &Actor) -> Self {
        let poses = POSES.min(actor.keys.len());
        let mut boxes: Vec<Vec<Sides>> = Vec::new();
        for pose in 0..poses {
            let key = pose * (actor.keys.len() - 1) / (poses - 1).max(1);
            let place = |vertex: u32| actor.key(key)[vertex as usize];
            let bounds = |corners: &[u32; 3]| {
                let [p, q, r] = corners.map(place);
                let low = std::array::from_fn(|axis| p[axis].min(q[axis]).min(r[axis]));
                let high = std::array::from_fn(|axis| p[axis].max(q[axis]).max(r[axis]));
                sides((low, high))
            };
            boxes.push(actor.mesh.triangles().iter().map(bounds).collect());
        }
        let count = actor.mesh.triangles().len();
        let centre = |triangle: usize| -> [f32; 3] {
            let middle =
                |axis: usize| boxes.iter().map(|boxes| boxes[triangle][axis] - boxes[triangle][axis + 4]).sum();
            std::array::from_fn(middle)
        };
        let centres: Vec<[f32; 3]> = (0..count).map(centre).collect();
        let mut tree =
            Self { boxes: Vec::new(), next: Vec::new(), order: (0..count as u32).collect(), ends: Vec::new() };
        let mut order = std::mem::take(&mut tree.order);
        tree.add(&mut order, 0, &boxes, &centres);
        tree.order = order;
        tree
    }

    fn add(&mut self, triangles: &mut [u32], first: u32, boxes: &[Vec<Sides>], centres: &[[f32; 3]]) {
        let node = self.boxes.len();
        self.boxes.push(EMPTY);
        self.next.push(IS_LEAF | first);
        self.ends.push(first + triangles.len() as u32);
        if triangles.len() <= LEAF {
            return;
        }
        let middle = split(triangles, boxes, centres);
        let (left, right) = triangles.split_at_mut(middle);
        self.add(left, first, boxes, centres);
        self.next[node] = self.boxes.len() as u32;
        self.add(right, first + middle as u32, boxes, centres);
    }

    fn refit(&mut self, corners: &[[u32; 3]], points: &Points) {
        for node in (0..self.boxes.len()).rev() {
            let next = self.next[node];
            self.boxes[node] = if next & IS_LEAF != 0 {
                let triangles = &self.order[(next & !IS_LEAF) as usize..self.ends[node] as usize];
                let bounds = |&triangle: &u32| sides(points.bounds(&corners[triangle as usize]));
                triangles.iter().map(bounds).fold(EMPTY, |all, bounds| union(&all, &bounds))
            } else {
                union(&self.boxes[node + 1], &self.boxes[next as usize])
            };
        }
    }

    fn leaf(&self, node: usize) -> Option<&[u32]> {
        let next = self.next[node];
        (next & IS_LEAF != 0).then(|| &self.order[(next & !IS_LEAF) as usize..self.ends[node] as usize])
    }

    fn size(&self, node: usize) -> f32 {
        (0..3).map(|axis| extent(&self.boxes[node], axis)).sum()
    }
}

/// Divides triangles where the areas of both sides, times their numbers and summed over the poses, are least.
fn split(triangles: &mut [u32], boxes: &[Vec<Sides>], centres: &[[f32; 3]]) -> usize {
    let mut best = (f32::INFINITY, 0, 0.0f32);
    for axis in 0..3 {
        let along = |triangle: u32| centres[triangle as usize][axis];
        let low = triangles.iter().map(|&triangle| along(triangle)).fold(f32::INFINITY, f32::min);
        let high = triangles.iter().map(|&triangle| along(triangle)).fold(f32::NEG_INFINITY, f32::max);
        if !(high > low) {
            continue;
        }
        let scale = BINS as f32 / (high - low);
        let bin = |triangle: u32| (((along(triangle) - low) * scale) as usize).min(BINS - 1);
        let mut counts = [0u32; BINS];
        let mut bins = vec![[EMPTY; BINS]; boxes.len()];
        for &triangle in triangles.iter() {
            let bin = bin(triangle);
            counts[bin] += 1;
            for (bins, boxes) in bins.iter_mut().zip(boxes) {
                bins[bin] = union(&bins[bin], &boxes[triangle as usize]);
            }
        }
        let sweep = |places: &mut dyn Iterator<Item = usize>| -> Vec<f32> {
            let (mut count, mut all) = (0, vec![EMPTY; boxes.len()]);
            let mut costs = Vec::new();
            for place in places {
                count += counts[place];
                all.iter_mut().zip(&bins).for_each(|(all, bins)| *all = union(all, &bins[place]));
                costs.push(count as f32 * all.iter().map(area).sum::<f32>());
            }
            costs
        };
        let (left, right) = (sweep(&mut (0..BINS)), sweep(&mut (0..BINS).rev()));
        for place in 0..BINS - 1 {
            let cost = left[place] + right[BINS - 2 - place];
            let edge = low + (place + 1) as f32 / scale;
            if cost < best.0 {
                best = (cost, axis, edge);
            }
        }
    }
    let (_, axis, edge) = best;
    triangles.sort_unstable_by_key(|&triangle| (!(centres[triangle as usize][axis] < edge), triangle));
    let middle = triangles.partition_point(|&triangle| centres[triangle as usize][axis] < edge);
    if middle == 0 || middle == triangles.len() { triangles.len() / 2 } else { middle }
}

/// One tree for the clip, refitted at every frame.
pub struct ForClip {
    trees: Vec<Flat>,
    points: Points,
    tester: Tester,
    pairs: Vec<(u32, u32)>,
    stack: Vec<(u32, u32)>,
}

impl ForClip {
    pub fn new(scene: &Scene) -> Self {
        let tree = |actor: &Actor| {
            let mut points = Points::default();
            points.evaluate(actor, scene.times[0]);
            let mut tree = Flat::build(actor);
            tree.refit(actor.mesh.triangles(), &points);
            tree
        };
        Self {
            trees: scene.actors().map(tree).collect(),
            points: Points::default(),
            tester: Tester::new(scene),
            pairs: Vec::new(),
            stack: Vec::new(),
        }
    }
}

impl Contender for ForClip {
    fn update(&mut self, scene: &Scene, frame: &Frame) {
        for (actor, tree) in scene.actors().zip(&mut self.trees).filter(|(actor, _)| !actor.is_fixed()) {
            self.points.evaluate(actor, frame.time);
            tree.refit(actor.mesh.triangles(), &self.points);
        }
    }

    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>) {
        self.pairs.clear();
        let (a, b) = (&self.trees[0], self.trees.last().expect("a tree"));
        let is_self = scene.b.is_none();
        self.stack.push((0, 0));
        while let Some((x, y)) = self.stack.pop() {
            let (node_x, node_y) = (x as usize, y as usize);
            match (a.leaf(node_x), b.leaf(node_y)) {
                (Some(first), Some(_)) if is_self && x == y => {
                    let pairs =
                        first.iter().enumerate().flat_map(|(place, &p)| first[..place].iter().map(move |&q| (p, q)));
                    self.pairs.extend(pairs);
                }
                (None, None) if is_self && x == y => {
                    let (left, right) = (x + 1, a.next[node_x]);
                    self.stack.extend([(left, left), (right, right)]);
                    if overlap(&a.boxes[left as usize], &a.boxes[right as usize]) {
                        self.stack.push((left, right));
                    }
                }
                (Some(first), Some(second)) => {
                    self.pairs.extend(first.iter().flat_map(|&p| second.iter().map(move |&q| (p, q))));
                }
                (None, leaf) if leaf.is_some() || a.size(node_x) >= b.size(node_y) => {
                    let below = [x + 1, a.next[node_x]];
                    let near = below.into_iter().filter(|&child| overlap(&a.boxes[child as usize], &b.boxes[node_y]));
                    self.stack.extend(near.map(|child| (child, y)));
                }
                _ => {
                    let below = [y + 1, b.next[node_y]];
                    let near = below.into_iter().filter(|&child| overlap(&a.boxes[node_x], &b.boxes[child as usize]));
                    self.stack.extend(near.map(|child| (x, child)));
                }
            }
        }
        self.tester.test(scene, frame, self.pairs.iter().copied(), found);
    }

    fn bytes(&self) -> usize {
        let tree = |tree: &Flat| tree.boxes.len() * 40 + tree.order.len() * 4;
        self.trees.iter().map(tree).sum::<usize>()
            + self.points.bytes()
            + self.tester.bytes()
            + self.pairs.capacity() * 8
    }
}
