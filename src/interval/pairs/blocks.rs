//! The triangles of leaves at both ends of an interval, eight boxes side by side.
//!
//! Only leaves that are in some pair are gathered, one behind the other: room is taken for these
//! only. Where there are many, they are dropped from time to time, and gathered again if needed.

use super::separated::{Cloud, Ends};
use super::{emptied, part};
use crate::bvh::leaf_filter::{self, BoxBlock, LeafBlocks, Sides, WIDTH, lanes_behind};
use crate::interval::IntervalBoxes;
use crate::limits;
use crate::mesh::Mesh;
use crate::motion::Motion;
use crate::narrow::batch::Corners;
use crate::simd::{self, Kernel, Simd};
use crate::time::Span;

/// A gathered leaf.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Leaf {
    /// Where its triangles, blocks and points begin; they end where those of the next leaf begin.
    slot: u32,
    block: u32,
    point: u32,
    /// The box of all its triangles.
    bounds: Sides<2>,
    /// The sum of its triangles' normals half-way, turned to one side, once
    /// [`LeafTriangles::know_normal`] was called.
    normal: Option<[f32; 3]>,
}

/// What is known of a leaf, gathered or not.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct LeafMark {
    /// When it was last gathered (a number of [`LeafTriangles::drop_gathered`]), and as which one.
    stamp: u32,
    gathered: u32,
    /// Which of the leaf's points the corners of its first triangles were then. A guess:
    /// [`LeafTriangles::gather`] compares the vertex.
    #[cfg_attr(feature = "record", serde(skip))]
    corners: [[u8; 3]; WIDTH],
}

/// The gathered triangles of one body; a triangle's *slot* is its place among them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct LeafTriangles {
    /// Per leaf.
    marks: Vec<LeafMark>,
    stamp: u32,
    leaves: Vec<Leaf>,
    /// Per slot, the triangle's number.
    numbers: Vec<u32>,
    /// Per slot, in `f32`.
    moving: Vec<Corners<2>>,
    blocks: Vec<BoxBlock<2>>,
    points: Vec<Ends>,
    /// The points that the gathered leaves are of.
    #[cfg_attr(feature = "record", serde(with = "crate::interval::boxes::mark"))]
    generation: u64,
    /// How far corners are from where the motion has them, metres.
    pub(super) blur: f64,
    cut: [Option<f32>; 2],
}

impl LeafTriangles {
    /// O(leaves).
    pub(super) fn new(boxes: &IntervalBoxes) -> Self {
        Self::with_marks(vec![LeafMark::default(); boxes.layout.leaf_count()])
    }

    /// Becomes as a new one, in the memory that is there. O(leaves).
    pub(super) fn restart(&mut self, boxes: &IntervalBoxes) {
        let mut marks = emptied(std::mem::take(&mut self.marks));
        marks.resize(boxes.layout.leaf_count(), LeafMark::default());
        let Self { leaves, numbers, moving, blocks, points, .. } = std::mem::replace(self, Self::with_marks(marks));
        self.leaves = emptied(leaves);
        self.numbers = emptied(numbers);
        self.moving = emptied(moving);
        self.blocks = emptied(blocks);
        self.points = emptied(points);
    }

    fn with_marks(marks: Vec<LeafMark>) -> Self {
        Self {
            marks,
            stamp: 0,
            leaves: Vec::new(),
            numbers: Vec::new(),
            moving: Vec::new(),
            blocks: Vec::new(),
            points: Vec::new(),
            generation: u64::MAX,
            blur: 0.0,
            cut: [None; 2],
        }
    }

    /// Begins another interval: nothing is gathered, unless points and interval are those of the
    /// last one. O(1).
    pub(super) fn begin(&mut self, boxes: &IntervalBoxes, interval: Span) {
        let is_own = |time: f64, own: f64| time == own || boxes.rests();
        let cut = |time: f64, own: f64| (!is_own(time, own)).then(|| part(time, boxes.begin(), boxes.end()) as f32);
        let cut = [cut(interval.begin, boxes.begin()), cut(interval.end, boxes.end())];
        if self.generation == boxes.generation() && self.cut == cut {
            return;
        }
        self.drop_gathered();
        (self.generation, self.cut) = (boxes.generation(), cut);
        // Eight roundings of the largest coordinate where positions are interpolated.
        let rounding =
            if cut == [None; 2] { 0.0 } else { f64::from(limits::F32_INTERPOLATION_ROUNDING) * boxes.coordinate() };
        self.blur = boxes.blur() + rounding;
    }

    /// Drops all gathered leaves; slots of before name nothing. Keeps their room. O(1).
    pub(super) fn drop_gathered(&mut self) {
        if self.stamp == u32::MAX {
            self.marks.iter_mut().for_each(|mark| mark.stamp = 0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.leaves.clear();
        self.numbers.clear();
        self.moving.clear();
        self.blocks.clear();
        self.points.clear();
    }

    /// Becomes as it was before anything was gathered, in the memory that is there; guesses of
    /// corners stay. O(leaves).
    pub(super) fn forget(&mut self) {
        self.drop_gathered();
        self.marks.iter_mut().for_each(|mark| (mark.stamp, mark.gathered) = (0, 0));
        (self.stamp, self.generation, self.blur, self.cut) = (0, u64::MAX, 0.0, [None; 2]);
    }

    /// How many triangles are gathered.
    pub(super) fn gathered(&self) -> usize {
        self.moving.len()
    }

    /// Gathers a leaf, by its place among the leaves, unless it is; says as which one. The boxes
    /// must be of this mesh and this motion.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn gather(&mut self, leaf: usize, boxes: &IntervalBoxes, body: (&Mesh, &Motion)) -> usize {
        let LeafMark { stamp, gathered, .. } = self.marks[leaf];
        if stamp == self.stamp { gathered as usize } else { self.gather_anew(leaf, boxes, body) }
    }

    fn gather_anew(&mut self, leaf: usize, boxes: &IntervalBoxes, (mesh, motion): (&Mesh, &Motion)) -> usize {
        let gathered = self.leaves.len();
        let LeafMark { mut corners, .. } = self.marks[leaf];
        let (slot, first_block, point) = (self.moving.len() as u32, self.blocks.len() as u32, self.points.len() as u32);
        let layout = &*boxes.layout;
        let vertices = layout.vertices_of(leaf);
        boxes.read_ends(motion, vertices, &mut self.points);
        let points = &mut self.points[point as usize..];
        if self.cut != [None; 2] {
            points.iter_mut().for_each(|ends| *ends = cut_ends(*ends, self.cut));
        }
        let points = &*points;
        let primitives = layout.topology.primitives(layout.nodes[layout.inner_count() + leaf]);
        let mut guesses = corners.iter_mut();
        let (mut lowest, mut highest) = ([[f32::INFINITY; 4]; 2], [[f32::NEG_INFINITY; 4]; 2]);
        for numbers in primitives.chunks(WIDTH) {
            self.blocks.push(BoxBlock::EMPTY);
            let Some(block) = self.blocks.last_mut() else { continue };
            for (lane, &number) in numbers.iter().enumerate() {
                let triangle = &mesh.triangles()[number as usize];
                let mut guess = guesses.next();
                let mut ends = [[[0.0; 4]; 2]; 3];
                for (corner, vertex) in triangle.iter().enumerate() {
                    let guessed = guess.as_ref().map_or(usize::MAX, |guess| usize::from(guess[corner]));
                    let place = if vertices.get(guessed) == Some(vertex) {
                        guessed
                    } else {
                        let place = vertices.partition_point(|other| other < vertex);
                        debug_assert_eq!(vertices.get(place), Some(vertex), "a corner of leaf {leaf}");
                        if let Some(guess) = &mut guess {
                            guess[corner] = u8::try_from(place).unwrap_or(u8::MAX);
                        }
                        place
                    };
                    ends[corner] = points[place];
                }
                let [p, q, r] = ends;
                let mut moving = [[[0.0; 3]; 3]; 2];
                for end in 0..2 {
                    let low = lanewise(lanewise(p[end], q[end], less), r[end], less);
                    let high = lanewise(lanewise(p[end], q[end], more), r[end], more);
                    block.set_end(lane, end, &low, &high);
                    lowest[end] = lanewise(low, lowest[end], less);
                    highest[end] = lanewise(high, highest[end], more);
                    moving[end] = [p, q, r].map(|ends| [ends[end][0], ends[end][1], ends[end][2]]);
                }
                self.moving.push(moving);
                self.numbers.push(number);
            }
        }
        let bounds = [0, 1].map(|end| {
            let ([x, y, z, _], [p, q, r, _]) = (lowest[end], highest[end]);
            [x, y, z, -p, -q, -r]
        });
        self.marks[leaf] = LeafMark { stamp: self.stamp, gathered: gathered as u32, corners };
        self.leaves.push(Leaf { slot, block: first_block, point, bounds, normal: None });
        gathered
    }

    /// The slots of a gathered leaf.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn slots(&self, leaf: usize) -> std::ops::Range<usize> {
        let end = self.leaves.get(leaf + 1).map_or(self.moving.len(), |next| next.slot as usize);
        self.leaves[leaf].slot as usize..end
    }

    /// Computes the normal of a gathered leaf, if it is not known.
    pub(super) fn know_normal(&mut self, leaf: usize) {
        if self.leaves[leaf].normal.is_none() {
            let mut normal = [0.0f32; 3];
            self.moving[self.slots(leaf)].iter().for_each(|moving| add_normal(&mut normal, moving));
            self.leaves[leaf].normal = Some(normal);
        }
    }

    /// The points of a gathered leaf, with the normal if it is known.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn cloud(&self, leaf: usize) -> Cloud<'_> {
        let end = self.leaves.get(leaf + 1).map_or(self.points.len(), |next| next.point as usize);
        let Leaf { point, bounds, normal, .. } = &self.leaves[leaf];
        let normal = normal.unwrap_or_default();
        let mut centre = [0.0; 3];
        for axis in 0..3 {
            centre[axis] = (bounds[0][axis] - bounds[0][axis + 3]) + (bounds[1][axis] - bounds[1][axis + 3]);
        }
        Cloud { points: &self.points[*point as usize..end], normal, centre }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn blocks(&self, leaf: usize) -> LeafBlocks<'_, 2> {
        let end = self.leaves.get(leaf + 1).map_or(self.blocks.len(), |next| next.block as usize);
        let Leaf { block, bounds, .. } = self.leaves[leaf];
        LeafBlocks { blocks: &self.blocks[block as usize..end], count: self.slots(leaf).len(), bounds }
    }

    /// The number of the triangle that a slot holds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn number(&self, slot: u32) -> u32 {
        self.numbers[slot as usize]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn moving(&self, slot: usize) -> &Corners<2> {
        &self.moving[slot]
    }

    /// Bytes of what is gathered.
    pub(super) fn gathered_bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<u32>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.blocks.capacity() * size_of::<BoxBlock<2>>()
            + self.points.capacity() * size_of::<Ends>()
            + self.moving.capacity() * size_of::<Corners<2>>()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.gathered_bytes() + self.marks.capacity() * size_of::<LeafMark>()
    }
}

/// A point at both ends of an interval that is cut from that of the boxes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn cut_ends([before, after]: Ends, cut: [Option<f32>; 2]) -> Ends {
    let at = |cut: Option<f32>, own: [f32; 4]| match cut {
        None => own,
        Some(u) => lanewise(before, after, |before, after| before + (after - before) * u),
    };
    [at(cut[0], before), at(cut[1], after)]
}

/// Adds the normal of a triangle half-way, turned to the side of the sum.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add_normal(sum: &mut [f32; 3], moving: &Corners<2>) {
    let (mut u, mut v) = ([0.0; 3], [0.0; 3]);
    for axis in 0..3 {
        let at = |corner: usize| moving[0][corner][axis] + moving[1][corner][axis];
        (u[axis], v[axis]) = (at(1) - at(0), at(2) - at(0));
    }
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let along = sum[0] * n[0] + sum[1] * n[1] + sum[2] * n[2];
    let side = if along < 0.0 { -1.0 } else { 1.0 };
    for axis in 0..3 {
        sum[axis] += side * n[axis];
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn more(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A function of four numbers each; simple ones become one instruction.
#[cfg_attr(not(debug_assertions), inline(always))]
fn lanewise(a: [f32; 4], b: [f32; 4], of: impl Fn(f32, f32) -> f32) -> [f32; 4] {
    [of(a[0], b[0]), of(a[1], b[1]), of(a[2], b[2]), of(a[3], b[3])]
}

/// Which pairs of triangles of two leaves are asked about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    /// All.
    All,
    /// Of a leaf with itself, each pair once.
    Behind,
    /// Those of which bit `8 i + j` is set: triangle i of the first leaf and j of the second. Of
    /// leaves of at most eight triangles.
    Only(u64),
}

impl Asked {
    /// The lanes asked about, of eight triangles from `first` on, with the triangle at a place.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes(self, place: usize, first: usize) -> u32 {
        match self {
            Self::All => !0,
            Self::Behind => lanes_behind(place, first),
            Self::Only(pairs) => (pairs >> (WIDTH * place)) as u32 & ((1 << WIDTH) - 1),
        }
    }
}

/// Appends the pairs of slots of two gathered leaves that are asked about and whose triangles'
/// boxes are not proved to be apart throughout, by more than a threshold.
pub(super) fn near_pairs(
    (a, leaf_a): (&LeafTriangles, usize),
    (b, leaf_b): (&LeafTriangles, usize),
    asked: Asked,
    threshold: f32,
    near: &mut Vec<[u32; 2]>,
) {
    simd::run(NearPairs { a: (a, leaf_a), b: (b, leaf_b), asked, threshold, near });
}

/// The kernel.
struct NearPairs<'a> {
    a: (&'a LeafTriangles, usize),
    b: (&'a LeafTriangles, usize),
    asked: Asked,
    threshold: f32,
    near: &'a mut Vec<[u32; 2]>,
}

impl Kernel for NearPairs<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let ((a, leaf_a), (b, leaf_b)) = (self.a, self.b);
        let (first_a, first_b) = (a.leaves[leaf_a].slot, b.leaves[leaf_b].slot);
        let asked = |row: usize, first: usize| self.asked.lanes(row, first);
        leaf_filter::near_pairs(machine, (a.blocks(leaf_a), b.blocks(leaf_b)), self.threshold, asked, |row, other| {
            self.near.push([first_a + row as u32, first_b + other as u32]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{BuildParams, Topology};
    use crate::interval::boxes::tests::between_keys;
    use crate::mesh::Mesh;
    use crate::simd::Plain;

    /// The plain machine finds the same pairs in the same order, and they hold those whose boxes
    /// meet at an end.
    #[test]
    fn machines_agree() {
        let mut bits = 7_u64;
        let mut random = |range: f32| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 40) as f32 / (1 << 24) as f32 * range
        };
        let (mut pairs, mut meeting) = (0, 0);
        for leaf_size in [1, 5, 8, 13, 40] {
            let count = 90;
            let mesh =
                Mesh::new(3 * count, (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
            let mut key = || -> Vec<[f32; 3]> {
                let centres: Vec<[f32; 3]> = (0..count).map(|_| std::array::from_fn(|_| random(2.0))).collect();
                (0..3 * count).map(|v| centres[v / 3].map(|x| x + random(0.5))).collect()
            };
            let (first, second) = (key(), key());
            let start: Vec<[f64; 3]> = first.iter().map(|p| p.map(f64::from)).collect();
            let topology = Topology::build(&mesh, &start, BuildParams { leaf_size, ..BuildParams::default() });
            let motion = between_keys(first, second);
            let boxes = IntervalBoxes::of_first_second(topology, &motion);
            let mut triangles = LeafTriangles::new(&boxes);
            triangles.begin(&boxes, Span { begin: 0.0, end: 1.0 });
            let leaves = boxes.layout.leaf_count();
            (0..leaves).for_each(|leaf| assert_eq!(triangles.gather(leaf, &boxes, (&mesh, &motion)), leaf));
            for leaf_a in 0..leaves {
                for leaf_b in 0..leaves {
                    let (mut found, mut again) = (Vec::new(), Vec::new());
                    let (a, b) = ((&triangles, leaf_a), (&triangles, leaf_b));
                    let is_same = leaf_a == leaf_b;
                    let asked = if is_same { Asked::Behind } else { Asked::All };
                    near_pairs(a, b, asked, 0.0, &mut found);
                    NearPairs { a, b, asked, threshold: 0.0, near: &mut again }.run(Plain);
                    assert_eq!(found, again);
                    for p in triangles.slots(leaf_a) {
                        for q in triangles.slots(leaf_b).filter(|&q| !is_same || q > p) {
                            let meet = |end: usize| {
                                let (s, t) = (triangles.moving(p)[end], triangles.moving(q)[end]);
                                (0..3).all(|k| {
                                    let range = |t: [[f32; 3]; 3]| {
                                        let x = t.map(|corner| corner[k]);
                                        (x.into_iter().fold(f32::MAX, f32::min), x.into_iter().fold(f32::MIN, f32::max))
                                    };
                                    let ((a, b), (c, d)) = (range(s), range(t));
                                    a <= d && c <= b
                                })
                            };
                            let is_found = found.contains(&[p as u32, q as u32]);
                            assert!(is_found || !(meet(0) || meet(1)), "{p} {q}");
                            meeting += u32::from(meet(0) || meet(1));
                        }
                    }
                    pairs += found.len();
                }
            }
        }
        assert!(pairs > 1_000 && meeting > 500, "{pairs} {meeting}");
    }
}
